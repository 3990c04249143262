#include "sim/engine/audit.h"

#include <check.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/support/cluster_case.h"
#include "tests/support/fakes.h"
#include "tests/support/records.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* Two nodes of four GPUs; j0 takes both, j1 and j2 wait for it. */
static const struct case_node nodes[] = {{.gpus = 4}, {.gpus = 4}};
static const struct case_job jobs[] = {
	{.pods = 2, .gpus = 4, .duration_s = 60},
	{.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 5},
	{.pods = 2, .gpus = 2, .duration_s = 30, .submit_s = 5},
};

static struct journal *run(struct scenario *s)
{
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	options_default(&options);
	ck_assert_int_eq(engine_run(s, &fakes_plain, &options, JOURNAL_FULL, &j, &err), ERR_OK);
	return j;
}

/* Number of the first such record. */
static size_t find(const struct journal *j, enum journal_kind kind, uint32_t job)
{
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == kind && r->job == job)
			return in.next - 1;
	}
	ck_abort_msg("no such record");
	return 0;
}

static struct journal_record record(const struct journal *j, size_t number)
{
	struct journal_reader in;

	journal_open(&in, j);
	return *journal_read(&in, number);
}

enum change { NOTHING, SET_KIND, SET_TIME, SET_ARG, SET_POD };

/* One record of an honest journal is changed; the audit says what is wrong first. */
static const struct {
	enum journal_kind kind;
	uint32_t job;
	enum change change;
	int64_t to;
	const char *says; /* part of the text; NULL: nothing */
} rows[] = {
	{J_SUBMIT, 0, NOTHING, 0, NULL},
	{J_SUBMIT, 1, SET_KIND, J_STATUS, "a pod is bound while not submitted"},
	{J_SUBMIT, 1, SET_TIME, 4 * CLOCK_SECOND, "submitted at another time"},
	{J_SUBMIT, 0, SET_TIME, CLOCK_SECOND, "submitted at another time"},
	{J_POD_SCHEDULED, 0, SET_KIND, J_STATUS, "started with 1 of 2 pods bound"},
	{J_POD_SCHEDULED, 0, SET_ARG, 1, "has not the room"},
	{J_POD_SCHEDULED, 0, SET_POD, 1, "is bound twice"},
	{J_STARTED, 0, SET_KIND, J_STATUS, "finished though it did not run"},
	{J_STARTED, 0, SET_ARG, 2, "attempt 2 follows attempt 0"},
	{J_STARTED, 1, SET_KIND, J_FINISHED, "finished though it did not run"},
	{J_FINISHED, 0, SET_KIND, J_STATUS, "has not the room"},
	{J_FINISHED, 0, SET_KIND, J_INTERRUPTED, "attempt 0 is interrupted, 1 runs"},
	{J_FINISHED, 0, SET_TIME, 50 * CLOCK_SECOND, "finished after 50 s of work instead of 60 s"},
	{J_FINISHED, 2, SET_KIND, J_RELEASED, "released while waiting"},
	{J_FINISHED, 2, SET_KIND, J_EVICTED, "evicted while waiting"},
	{J_FINISHED, 2, SET_KIND, J_PREEMPTED, NULL},
	{J_POD_FAILED, 1, SET_KIND, J_PREEMPTED, "preempted though it never ran"},
	{J_FINISHED, 2, SET_KIND, J_WORK_LOST, NULL},
	{J_FINISHED, 2, SET_KIND, J_PLACEMENT_TIMEOUT, NULL},
	{J_POD_FAILED, 1, SET_TIME, 6 * CLOCK_SECOND, "time runs backwards"},
};

static void change(struct journal_record *r, enum change what, int64_t to)
{
	switch (what) {
	case NOTHING:
		break;
	case SET_KIND:
		r->kind = (uint16_t)to;
		r->arg = to == J_INTERRUPTED ? 0 : r->arg;
		break;
	case SET_TIME:
		r->time = to;
		break;
	case SET_ARG:
		r->arg = (uint32_t)to;
		break;
	case SET_POD:
		r->pod = (uint32_t)to;
		break;
	}
}

static bool says(const struct audit *audit, const char *text)
{
	for (uint32_t i = 0; i < audit->listed_count; i++) {
		if (strstr(audit->listed[i].text, text) != NULL)
			return true;
	}
	return false;
}

START_TEST(a_changed_record_is_noticed)
{
	struct scenario *s = cluster_case_scenario(nodes, 2, jobs, 3);
	struct journal *j = run(s);
	static struct audit audit;
	bool clean;

	size_t number = find(j, rows[_i].kind, rows[_i].job);
	struct journal_record r = record(j, number);

	change(&r, rows[_i].change, rows[_i].to);
	records_change(j, number, &r);
	clean = audit_check(j, &audit);
	ck_assert(clean == (audit.count == 0));
	if (rows[_i].says == NULL)
		ck_assert_msg(clean, "%s", audit.listed[0].text);
	else
		ck_assert_msg(says(&audit, rows[_i].says), "%s",
			      clean ? "clean" : audit.listed[0].text);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A pod leaves, and its job runs on. */
START_TEST(a_job_stops_when_it_loses_a_pod)
{
	struct scenario *s = cluster_case_scenario(nodes, 2, jobs, 3);
	struct journal *j = run(s);
	static struct audit audit;
	size_t number = find(j, J_POD_FAILED, 1);
	struct journal_record r = record(j, number);

	r.kind = J_POD_PREEMPTED; /* of j0's first pod, at 5 s */
	r.job = 0;
	r.pod = j->first_pod[0];
	r.arg = 0;
	records_change(j, number, &r);
	ck_assert(!audit_check(j, &audit));
	ck_assert(says(&audit, "ran on after it lost a pod"));
	r.arg = 1;
	records_change(j, number, &r);
	ck_assert(!audit_check(j, &audit));
	ck_assert(says(&audit, "gone from a node where it was not"));
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* The journal ends with that. */
START_TEST(the_last_record_may_be_a_lost_pod)
{
	struct scenario *s = cluster_case_scenario(nodes, 2, jobs, 3);
	struct journal *j = run(s);
	static struct audit audit;
	size_t number = j->count - 1;
	struct journal_record r = record(j, number);
	char text[AUDIT_TEXT];

	ck_assert_uint_eq(r.kind, J_FINISHED);
	r.kind = J_POD_PREEMPTED;
	r.pod = j->first_pod[r.job];
	for (size_t i = 0; i < number; i++) {
		struct journal_record before = record(j, i);

		if (before.kind == J_POD_SCHEDULED && before.pod == r.pod)
			r.arg = before.arg;
	}
	records_change(j, number, &r);
	ck_assert(!audit_check(j, &audit));
	ck_assert_uint_eq(audit.count, 1);
	ck_assert(says(&audit, "ran on after it lost a pod"));
	ck_assert_int_eq(audit.listed[0].time, r.time);
	ck_assert_uint_eq(audit.listed[0].job, r.job);
	ck_assert_ptr_nonnull(audit_text(j, &audit.listed[0], text));
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(texts_name_time_and_job)
{
	struct scenario *s = cluster_case_scenario(nodes, 2, jobs, 3);
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	struct audit_violation v = {.time = 1500000, .job = 1, .text = "something"};
	char buf[AUDIT_TEXT];

	ck_assert_str_eq(audit_text(j, &v, buf), "at 1.5 s, job j1: something");
	v.job = JOB_NONE;
	ck_assert_str_eq(audit_text(j, &v, buf), "at 1.5 s: something");
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Under an admission policy a job starts only with a reservation. */
START_TEST(a_start_needs_a_reservation)
{
	struct case_job queued[2] = {{.pods = 1, .gpus = 4, .duration_s = 60, .queue = "a"},
				     {.pods = 1, .gpus = 4, .duration_s = 60, .queue = "a"}};
	struct scenario *s = cluster_case_queued(nodes, 2, queued, 2, NULL, 0, 8, 0);
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	static struct audit audit;
	struct journal_record r;
	size_t number;

	options_default(&options);
	ck_assert_int_eq(engine_run(s, &fakes_queued, &options, JOURNAL_FULL, &j, &err), ERR_OK);
	ck_assert_msg(audit_check(j, &audit), "%s", audit.listed[0].text);
	number = find(j, J_QUOTA_RESERVED, 1);
	r = record(j, number);
	r.kind = J_STATUS;
	records_change(j, number, &r);
	ck_assert(!audit_check(j, &audit));
	ck_assert(says(&audit, "started while waiting"));
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/audit");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, a_changed_record_is_noticed, 0, COUNT(rows));
	tcase_add_test(t, a_job_stops_when_it_loses_a_pod);
	tcase_add_test(t, the_last_record_may_be_a_lost_pod);
	tcase_add_test(t, texts_name_time_and_job);
	tcase_add_test(t, a_start_needs_a_reservation);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
