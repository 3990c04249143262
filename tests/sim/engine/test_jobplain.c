/* test_jobplain.c - the short way of plain jobs against the long one.
 *
 * At JOURNAL_FULL no job is plain: so the same run at both details goes both ways, and all but
 * what only the full journal has is the same.
 */
#include "sim/engine/jobplain.h"

#include <check.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "tests/support/cluster_case.h"

enum { SEEDS = 150 };

static const char *const policies[] = {"kubernetes", "fgd"};

static struct journal *run_at(const struct random_case *r, const struct scenario *s,
			      const char *policy, enum journal_detail detail)
{
	struct journal *j = NULL;
	struct err err = {0};

	ck_assert_int_eq(engine_run(s, policy_find(policy), &r->options, detail, &j, &err), ERR_OK);
	return j;
}

/* The next record that both have; NULL: there is none. */
static const struct journal_record *next(struct journal_reader *in)
{
	const struct journal_record *r;

	while ((r = journal_next(in)) != NULL &&
	       (r->kind == J_POD_CREATED || r->kind == J_POD_FAILED))
		continue;
	return r;
}

static void check_same(const struct journal *full, const struct journal *facts)
{
	struct journal_reader a, b;
	const struct journal_record *x, *y;

	journal_open(&a, full);
	journal_open(&b, facts);
	do {
		x = next(&a);
		y = next(&b);
		ck_assert((x == NULL) == (y == NULL));
		if (x == NULL)
			break;
		ck_assert_int_eq(x->time, y->time);
		ck_assert_uint_eq(x->kind, y->kind);
		ck_assert_uint_eq(x->job, y->job);
		ck_assert_uint_eq(x->pod, y->pod);
		ck_assert_uint_eq(x->arg, y->arg);
		if (x->kind == J_POD_EVICTED)
			ck_assert_str_eq(journal_text(full, x->arg2), journal_text(facts, y->arg2));
		else
			ck_assert_uint_eq(x->arg2, y->arg2);
		ck_assert_uint_eq(x->incarnation, y->incarnation);
		ck_assert_uint_eq(x->by_incarnation, y->by_incarnation);
	} while (true);
	ck_assert_uint_eq(full->failed_attempts, facts->failed_attempts);
	ck_assert_int_eq(full->end_time, facts->end_time);
	ck_assert_int_eq(full->account_end, facts->account_end);
	ck_assert_int_eq(full->end, facts->end);
}

/* Gangs with checkpoints or without, priorities, nodes that fail; every third run has services,
 * too, every fifth a human who looks at deadlocks. */
START_TEST(both_ways_lead_to_the_same)
{
	struct random_case r;
	struct scenario *s;

	cluster_case_random(&r, (uint64_t)_i);
	for (uint32_t i = 0; i < r.job_count; i++) {
		r.jobs[i].solo = false;
		r.jobs[i].control = NULL;
		if (_i % 3 == 0 && i % 4 == 0)
			r.jobs[i].duration_s = -1;
		r.jobs[i].restart_s = i % 3;
	}
	r.options.checkpointing = _i % 2 == 0 ? CHECKPOINT_RESUME : CHECKPOINT_RESTART;
	r.options.placement_timeout = 0;
	r.options.create = CREATE_SEQUENTIAL;
	r.options.drain = DRAIN_INSTANT;
	r.options.human_after = _i % 5 == 0 ? 100 * CLOCK_SECOND : 0;
	s = cluster_case_queued(r.nodes, r.node_count, r.jobs, r.job_count, r.changes,
				r.change_count, 4, 4);
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct journal *full = run_at(&r, s, policies[i], JOURNAL_FULL);
		struct journal *facts = run_at(&r, s, policies[i], JOURNAL_FACTS);

		check_same(full, facts);
		journal_free(full);
		journal_free(facts);
	}
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jobplain");
	TCase *t = tcase_create("jobplain");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, both_ways_lead_to_the_same, 0, SEEDS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
