/* test_calibration.c - records of a cluster against a run, both by hand. */
#include "sim/dump/calibration.h"

#include <check.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "tests/sim/dump_case.h"
#include "tests/support/fixture.h"
#include "tests/support/records.h"

#define NEVER (-1)

/* Ten jobs, all submitted at 0; those with an odd index of queue y. */
#define JOBS 10

struct line {
	int recorded, simulated; /* seconds; NEVER */
	unsigned evictions;
};

static struct scenario *scenario(struct recorded *records, const struct line *lines, uint32_t count)
{
	static const struct fixture_job jobs[JOBS] = {
		{"j0", 0, 100, 1, 1, "x", 0, 0}, {"j1", 0, 100, 1, 1, "y", 0, 0},
		{"j2", 0, 100, 1, 1, "x", 0, 0}, {"j3", 0, 100, 1, 1, "y", 0, 0},
		{"j4", 0, 100, 1, 1, "x", 0, 0}, {"j5", 0, 100, 1, 1, "y", 0, 0},
		{"j6", 0, 100, 1, 1, "x", 0, 0}, {"j7", 0, 100, 1, 1, "y", 0, 0},
		{"j8", 0, 100, 1, 1, "x", 0, 0}, {"j9", 0, 100, 1, 1, "y", 0, 0},
	};
	struct builder *b = fixture_cluster(2, 4);
	struct scenario *s;

	builder_simple_queue(b, "x", "default", "all", "gpu", 4);
	builder_simple_queue(b, "y", "default", "all", "gpu", 4);
	fixture_add(b, jobs, JOBS);
	s = fixture_finish(b);
	for (uint32_t i = 0; i < count; i++)
		records[i] = (struct recorded){
			.job = i,
			.admitted = lines[i].recorded == NEVER ? CLOCK_NEVER
							       : lines[i].recorded * CLOCK_SECOND,
			.evictions = lines[i].evictions};
	s->recorded = records;
	s->recorded_count = count;
	return s;
}

static struct journal *journal(const struct scenario *s, const struct line *lines, uint32_t count)
{
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);

	for (int at = 0; at < 1000; at++) { /* in order of time */
		for (uint32_t i = 0; i < count; i++) {
			if (lines[i].simulated != at)
				continue;
			records_admission(j, i, i % 2, 0);
			records_job(j, at, J_QUOTA_RESERVED, i, 0, 0);
			records_job(j, at + 1, J_QUOTA_RESERVED, i, 0,
				    0); /* only the first counts */
		}
	}
	return j;
}

static const struct {
	struct line lines[JOBS];
	unsigned count;
	uint64_t pairs, agreeing;
	unsigned recorded, evicted, queues, close;
	double p50[2]; /* of all: recorded, simulated */
} cases[] = {
	/* as it was */
	{{{1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {4, 4, 0}}, 4, 6, 6, 4, 0, 2, 2, {2.5, 2.5}},
	/* the other way round */
	{{{1, 4, 0}, {2, 3, 0}, {3, 2, 0}, {4, 1, 0}}, 4, 6, 0, 4, 0, 2, 2, {2.5, 2.5}},
	/* one pair of three is swapped */
	{{{1, 2, 0}, {2, 1, 0}, {3, 3, 0}}, 3, 3, 2, 3, 0, 2, 2, {2, 2}},
	/* equal times in either say nothing */
	{{{1, 5, 0}, {1, 4, 0}, {3, 6, 0}, {4, 6, 0}}, 4, 4, 4, 4, 0, 2, 2, {2, 5.5}},
	{{{1, 1, 0}, {1, 1, 0}}, 2, 0, 0, 2, 0, 2, 2, {1, 1}},
	/* of evicted jobs only the last try is recorded */
	{{{1, 1, 0}, {2, 2, 0}, {9, 3, 2}}, 3, 1, 1, 3, 1, 2, 2, {1.5, 1.5}},
	/* not admitted there: not compared; not admitted here: waits for ever */
	{{{1, 1, 0}, {NEVER, 2, 0}, {3, NEVER, 0}}, 3, 1, 1, 2, 0, 1, 0, {2, -1}},
	/* within 25 % or a minute; not */
	{{{10, 69, 0}, {400, 499, 0}, {11, 70, 0}, {400, 499, 0}},
	 4,
	 5,
	 5,
	 4,
	 0,
	 2,
	 2,
	 {205.5, 284.5}},
	{{{10, 99, 0}, {400, 501, 0}}, 2, 1, 1, 2, 0, 2, 0, {205, 300}},
};

START_TEST(a_run_against_its_records)
{
	struct recorded records[JOBS];
	struct scenario *s = scenario(records, cases[_i].lines, cases[_i].count);
	struct journal *j = journal(s, cases[_i].lines, cases[_i].count);
	struct calibration *c = calibration_new(j);

	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->pairs, cases[_i].pairs);
	ck_assert_uint_eq(c->agreeing, cases[_i].agreeing);
	ck_assert_uint_eq(c->recorded, cases[_i].recorded);
	ck_assert_uint_eq(c->evicted, cases[_i].evicted);
	ck_assert_uint_eq(c->queue_count - 1, cases[_i].queues);
	ck_assert_uint_eq(c->close, cases[_i].close);
	ck_assert_uint_eq(c->queues[0].queue, SCENARIO_NONE);
	ck_assert_double_eq_tol(c->queues[0].recorded.p50, cases[_i].p50[0], 1e-9);
	if (cases[_i].p50[1] >= 0)
		ck_assert_double_eq_tol(c->queues[0].simulated.p50, cases[_i].p50[1], 1e-9);
	else
		ck_assert_double_infinite(c->queues[0].simulated.p50);
	calibration_free(c);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(without_records_there_is_none)
{
	static const struct line lines[] = {{NEVER, 1, 0}, {2, 2, 1}};
	struct recorded records[JOBS];
	struct scenario *s = scenario(records, lines, 2);
	struct journal *j = journal(s, lines, 2);

	ck_assert_ptr_null(calibration_new(j));
	s->recorded_count = 0;
	ck_assert_ptr_null(calibration_new(j));
	calibration_free(NULL);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A dump whose waits are known: quota for 16 GPUs, a node of 8, four jobs of 8 GPUs that work
 * for 20 minutes each, one after the other on the node. The second has quota from 10:00 on and
 * the node from 10:20 on, so the fourth is let in at 10:40. */
#define EIGHT(name, created, admitted, began, finished)                                            \
	DUMP_CASE_WORKLOAD(                                                                        \
		name, created, DUMP_CASE_OWNER("Job", name), "8",                                  \
		"{conditions: [" DUMP_CASE_AT("QuotaReserved", admitted) ", " DUMP_CASE_AT(        \
			"Admitted",                                                                \
			admitted) ", " DUMP_CASE_AT("PodsReady",                                   \
						    began) ", " DUMP_CASE_AT("Finished",           \
									     finished) "]}")

START_TEST(a_wait_for_nodes_counts_once)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_WIDE_QUEUE DUMP_CASE_NODE EIGHT("a", "10:00:00", "10:00:00", "10:00:00",
							  "10:20:00")
			EIGHT("b", "10:00:00", "10:00:00", "10:20:00", "10:40:00")
				EIGHT("c", "10:00:01", "10:20:00", "10:40:00", "11:00:00")
					EIGHT("d", "10:00:02", "10:40:00", "11:00:00", "11:20:00"),
		NULL);
	struct run_options options;
	struct journal *j = NULL;
	struct calibration *c;
	struct err err;

	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	c = calibration_new(j);
	ck_assert_double_eq_tol(c->queues[0].recorded.p95, c->queues[0].simulated.p95, 5);
	ck_assert_double_eq_tol(c->queues[0].recorded.p50, c->queues[0].simulated.p50, 5);
	ck_assert_double_ge(c->queues[0].recorded.p95, 2000);
	ck_assert_uint_eq(c->agreeing, c->pairs);
	calibration_free(c);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/dump/calibration");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, a_run_against_its_records, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, without_records_there_is_none);
	tcase_add_test(t, a_wait_for_nodes_counts_once);
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
