#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sim/engine/engine.h"
#include "tests/support/cluster_case.h"
#include "tests/support/fixture.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* Small stories, as the goldens of the real scheduler tell them. */
static const struct {
	const char *name;
	struct case_node nodes[3];
	uint32_t node_count;
	struct case_job jobs[4];
	uint32_t job_count;
	struct {
		int64_t grace_s;
		bool interleaved;
		uint32_t minor;
	} with;
	const char *journal; /* without submissions and creations */
} rows[] = {
	{"a gang is placed pod by pod",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 2, .gpus = 4, .duration_s = 60}},
	 1,
	 {0},
	 "0 bind j0-0 n0\n0 bind j0-1 n1\n0 start j0\n60 finish j0\n"},
	{"two gangs in turn hold each other for ever",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 2, .gpus = 4, .duration_s = 60}, {.pods = 2, .gpus = 4, .duration_s = 60}},
	 2,
	 {.interleaved = true},
	 "0 bind j0-0 n0\n0 bind j1-0 n1\n0 fail j0-1\n0 fail j1-1\n0 deadlock\n"
	 "330 fail j0-1\n330 fail j1-1\n660 fail j0-1\n660 fail j1-1\n"},
	{"higher priority evicts a pod, whose job starts over",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 10, .priority = 5}},
	 2,
	 {0},
	 "0 bind j0-0 n0\n0 start j0\n10 fail j1-0\n10 lose j0-0\n10 interrupt j0\n10 lost j0 10\n"
	 "10 bind j1-0 n0\n10 start j1\n20 fail j0-0-r1\n40 finish j1\n40 bind j0-0-r1 n0\n"
	 "40 start j0\n100 finish j0\n"},
	{"unless it never preempts",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 10, .priority = 5, .never = true}},
	 2,
	 {0},
	 "0 bind j0-0 n0\n0 start j0\n10 fail j1-0\n60 finish j0\n60 bind j1-0 n0\n60 start j1\n"
	 "90 finish j1\n"},
	{"with a grace period the node stays reserved for who made room",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 10, .priority = 5},
	  {.pods = 1, .gpus = 1, .duration_s = 30, .submit_s = 12}},
	 3,
	 {.grace_s = 5},
	 "0 bind j0-0 n0\n0 start j0\n10 fail j1-0\n10 interrupt j0\n10 lost j0 10\n12 fail j2-0\n"
	 "15 lose j0-0\n15 bind j1-0 n0\n15 start j1\n15 fail j2-0\n"
	 "25 fail j0-0-r1\n45 finish j1\n45 bind j2-0 n0\n45 start j2\n45 fail j0-0-r1\n"
	 "75 finish j2\n75 bind j0-0-r1 n0\n75 start j0\n135 finish j0\n"},
	{"in 1.34 a nominated pod that is bound makes those below try again",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 1, .duration_s = 30, .submit_s = 2},
	  {.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 10, .priority = 5}},
	 3,
	 {0},
	 "0 bind j0-0 n0\n0 start j0\n2 fail j1-0\n10 fail j2-0\n10 lose j0-0\n"
	 "10 interrupt j0\n10 lost j0 10\n10 fail j1-0\n10 bind j2-0 n0\n10 start j2\n10 fail "
	 "j1-0\n"
	 "20 fail j0-0-r1\n40 finish j2\n40 bind j1-0 n0\n40 start j1\n40 fail j0-0-r1\n"
	 "70 finish j1\n70 bind j0-0-r1 n0\n70 start j0\n130 finish j0\n"},
	{"in 1.35 it does not",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 1, .duration_s = 30, .submit_s = 2},
	  {.pods = 1, .gpus = 4, .duration_s = 30, .submit_s = 10, .priority = 5}},
	 3,
	 {.minor = 35},
	 "0 bind j0-0 n0\n0 start j0\n2 fail j1-0\n10 fail j2-0\n10 lose j0-0\n"
	 "10 interrupt j0\n10 lost j0 10\n10 fail j1-0\n10 bind j2-0 n0\n10 start j2\n"
	 "20 fail j0-0-r1\n40 finish j2\n40 bind j1-0 n0\n40 start j1\n40 fail j0-0-r1\n"
	 "70 finish j1\n70 bind j0-0-r1 n0\n70 start j0\n130 finish j0\n"},
	{"a pod rejected by a taint alone is not retried when a job ends",
	 {{.gpus = 4, .taint = "dedicated", .effect = TAINT_NO_SCHEDULE}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60, .tolerates = "dedicated"},
	  {.pods = 1, .gpus = 4, .duration_s = 60}},
	 2,
	 {0},
	 "0 bind j0-0 n0\n0 start j0\n0 fail j1-0\n60 finish j0\n330 fail j1-0\n660 fail j1-0\n"},
};

static struct journal *run_row(int row, const struct scenario *s, enum journal_detail detail)
{
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	options_default(&options);
	options.grace = rows[row].with.grace_s * CLOCK_SECOND;
	options.create = rows[row].with.interleaved ? CREATE_INTERLEAVED : CREATE_SEQUENTIAL;
	if (rows[row].with.minor != 0)
		options.kubernetes_minor = rows[row].with.minor;
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, detail, &j, &err),
			 ERR_OK);
	return j;
}

static void drop_lines(char *text, const char *word)
{
	char *line = text, *out = text;

	while (*line != '\0') {
		char *end = strchr(line, '\n') + 1;
		char *hit = strstr(line, word);

		if (hit == NULL || hit >= end) {
			memmove(out, line, (size_t)(end - line));
			out += end - line;
		}
		line = end;
	}
	*out = '\0';
}

START_TEST(story)
{
	struct scenario *s = cluster_case_scenario(rows[_i].nodes, rows[_i].node_count,
						   rows[_i].jobs, rows[_i].job_count);
	struct journal *j = run_row(_i, s, JOURNAL_FULL);
	char *text = fixture_print(j);

	drop_lines(text, " submit ");
	drop_lines(text, " create ");
	ck_assert_msg(strcmp(text, rows[_i].journal) == 0, "%s:\n%s", rows[_i].name, text);
	free(text);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* What is only counted at JOURNAL_FACTS is what fails at JOURNAL_FULL. */
START_TEST(facts_count_the_same_failures)
{
	struct scenario *s = cluster_case_scenario(rows[_i].nodes, rows[_i].node_count,
						   rows[_i].jobs, rows[_i].job_count);
	struct journal *full = run_row(_i, s, JOURNAL_FULL);
	struct journal *facts = run_row(_i, s, JOURNAL_FACTS);
	struct journal_reader in;
	const struct journal_record *r;
	uint64_t failed = 0;

	journal_open(&in, full);
	while ((r = journal_next(&in)) != NULL)
		failed += r->kind == J_POD_FAILED;
	ck_assert_uint_eq(full->failed_attempts, failed);
	ck_assert_uint_eq(facts->failed_attempts, failed);
	journal_free(full);
	journal_free(facts);
	scenario_free(s);
}
END_TEST

enum { WAITING = 8, LONG_SEEDS = 60 };

/* Long jobs, between whose ends the others are flushed again and again. */
static struct scenario *long_waits(uint64_t seed)
{
	struct rng *rng = rng_new(seed, "long waits");
	struct case_node nodes[2] = {{.gpus = 4}, {.gpus = 2, .taint = "spot"}};
	struct case_job list[2 + WAITING];
	struct scenario *s;

	for (int i = 0; i < 2 + WAITING; i++)
		list[i] = (struct case_job){
			.pods = 1 + (uint32_t)rng_below(rng, 2),
			.gpus = i < 2 ? 2 : 1 + (int64_t)rng_below(rng, 5),
			.priority = i < 2 ? 9 : (int32_t)rng_below(rng, 3),
			.submit_s = i < 2 ? 0 : (int64_t)rng_below(rng, 2000),
			.duration_s = (i < 2 ? 20000 : 100) + (int64_t)rng_below(rng, 9000),
			.tolerates = rng_below(rng, 3) == 0 ? "spot" : NULL,
		};
	s = cluster_case_scenario(nodes, 2, list, 2 + WAITING);
	rng_free(rng);
	return s;
}

static const struct journal_record *next_bound(struct journal_reader *in)
{
	const struct journal_record *r;

	while ((r = journal_next(in)) != NULL && r->kind != J_POD_SCHEDULED)
		continue;
	return r;
}

/* Flushes at which nothing could change are passed over at JOURNAL_FACTS only. */
START_TEST(flushes_passed_over_change_nothing)
{
	struct scenario *s = long_waits((uint64_t)_i);
	struct journal *full = run_row(0, s, JOURNAL_FULL), *facts = run_row(0, s, JOURNAL_FACTS);
	struct journal_reader in_full, in_facts;
	const struct journal_record *a, *b;

	ck_assert_uint_gt(full->failed_attempts, 100);
	ck_assert_uint_eq(full->failed_attempts, facts->failed_attempts);
	ck_assert_int_eq(full->end_time, facts->end_time);
	journal_open(&in_full, full);
	journal_open(&in_facts, facts);
	for (;;) {
		a = next_bound(&in_full);
		b = next_bound(&in_facts);
		if (a == NULL || b == NULL)
			break;
		ck_assert_int_eq(a->time, b->time);
		ck_assert_uint_eq(a->pod, b->pod);
		ck_assert_uint_eq(a->arg, b->arg);
	}
	ck_assert(a == NULL && b == NULL);
	journal_free(full);
	journal_free(facts);
	scenario_free(s);
}
END_TEST

START_TEST(why_tells_what_the_user_would_see)
{
	struct case_node node = {.gpus = 4};
	struct case_job jobs[2] = {{.pods = 1, .gpus = 4}, {.pods = 1, .gpus = 2}};
	const struct policy *policy = policy_find("kubernetes")->placement;
	struct cluster_case c;
	struct plan plan;
	struct err err = {0};
	char text[512];
	void *self;

	cluster_case_open(&c, &node, 1, jobs, 2);
	plan_init(&plan);
	self = policy->open(&c.world, &plan, &err);
	cluster_case_bind(&c, 0, 0);
	policy->why(self, 1, text, sizeof(text));
	ck_assert_str_eq(text, "Unschedulable: 0/1 nodes are available: 1 Insufficient "
			       "nvidia.com/gpu. no new claims to deallocate, preemption: 0/1 nodes "
			       "are available: 1 No preemption victims found for incoming pod.");
	policy->why(self, 0, text, sizeof(text));
	ck_assert_str_eq(text, "no pod of it waits for a node");
	policy->close(self);
	plan_free(&plan);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/policy_kubernetes");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, story, 0, COUNT(rows));
	tcase_add_loop_test(t, facts_count_the_same_failures, 0, COUNT(rows));
	tcase_add_loop_test(t, flushes_passed_over_change_nothing, 0, LONG_SEEDS);
	tcase_add_test(t, why_tells_what_the_user_would_see);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
