/* test_jobplain.c - the short way of plain jobs against the long one.
 *
 * At JOURNAL_FULL no job is plain: so the same run at both details goes both ways, and all but
 * what only the full journal has is the same. Under Kueue some records name texts, which are
 * numbered as they come: these compare by what they are of.
 */
#include "sim/engine/jobplain.h"

#include <check.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "tests/support/cluster_case.h"
#include "tests/support/command.h"
#include "tests/support/fixture.h"
#include "tests/support/random_system.h"

enum { SEEDS = 150, SYSTEMS = 600 };

static const char *const policies[] = {"kubernetes", "fgd"};

static struct journal *run_at(const struct scenario *s, const struct run_options *options,
			      const char *policy, enum journal_detail detail)
{
	struct journal *j = NULL;
	struct err err = {0};

	ck_assert_int_eq(engine_run(s, policy_find(policy), options, detail, &j, &err), ERR_OK);
	return j;
}

/* The next record that both have; NULL: there is none. */
static const struct journal_record *next(struct journal_reader *in)
{
	const struct journal_record *r;

	while ((r = journal_next(in)) != NULL &&
	       (r->kind == J_POD_CREATED || r->kind == J_POD_FAILED || r->kind == J_STATUS))
		continue;
	return r;
}

/* Of the numbers in it none is that of a text. */
static bool has_no_text(const struct journal_record *r)
{
	return r->kind == J_SUBMIT || r->kind == J_QUOTA_RESERVED || r->kind == J_ADMITTED ||
	       r->kind == J_RELEASED || r->kind == J_POD_SCHEDULED || r->kind == J_POD_PREEMPTED ||
	       r->kind == J_STARTED || r->kind == J_INTERRUPTED || r->kind == J_WORK_LOST ||
	       r->kind == J_FINISHED;
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
		if (x->kind == J_POD_EVICTED)
			ck_assert_str_eq(journal_text(full, x->arg2), journal_text(facts, y->arg2));
		if (x->kind == J_EVICTED || x->kind == J_UNRESERVED)
			ck_assert_str_eq(journal_text(full, x->arg), journal_text(facts, y->arg));
		if (has_no_text(x)) {
			ck_assert_uint_eq(x->arg, y->arg);
			ck_assert_uint_eq(x->arg2, y->arg2);
		}
		ck_assert_uint_eq(x->incarnation, y->incarnation);
		ck_assert_uint_eq(x->by_incarnation, y->by_incarnation);
	} while (true);
	ck_assert_uint_eq(full->failed_attempts, facts->failed_attempts);
	ck_assert_int_eq(full->end_time, facts->end_time);
	ck_assert_int_eq(full->account_end, facts->account_end);
	ck_assert_int_eq(full->end, facts->end);
}

static void go_both_ways(const struct scenario *s, const struct run_options *options,
			 const char *policy)
{
	struct journal *full = run_at(s, options, policy, JOURNAL_FULL);
	struct journal *facts = run_at(s, options, policy, JOURNAL_FACTS);

	check_same(full, facts);
	journal_free(full);
	journal_free(facts);
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
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		go_both_ways(s, &r.options, policies[i]);
	scenario_free(s);
}
END_TEST

/* Nothing but Kueue and the scheduler has a say in any of its jobs. False: their controllers
 * have. */
static bool make_plain(struct scenario *s, struct run_options *options, uint32_t seed)
{
	options_default(options);
	options->max_time = 2000 * CLOCK_SECOND;
	options->horizon = 1000 * CLOCK_SECOND;
	options->eviction_delay = seed % 3 == 0 ? (seed % 9 / 3) * CLOCK_SECOND : 0;
	options->checkpointing = seed % 2 == 0 ? CHECKPOINT_RESUME : CHECKPOINT_RESTART;
	for (uint32_t i = 0; i < s->job_count; i++) {
		if ((s->jobs[i].common->flags & JOB_NOT_GANG) != 0)
			return false;
		s->jobs[i].extra = JOB_NONE;
		if (seed % 2 == 0 && i % 3 == 0)
			fixture_flags(s, i, JOB_UNMANAGED);
	}
	return true;
}

static struct scenario *load_system(uint64_t seed)
{
	struct manifest *m = random_system(seed);

	ck_assert(manifest_write(m, command_folder()));
	manifest_free(m);
	return command_load("objects.yaml jobs.csv");
}

/* Queues that preempt, borrow and admit in part, topologies, checks, nodes and objects that
 * change. */
START_TEST(kueue_leads_both_ways_to_the_same)
{
	struct scenario *s = load_system((uint64_t)_i);
	struct run_options options;

	if (make_plain(s, &options, (uint32_t)_i))
		go_both_ways(s, &options, "kueue");
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
	tcase_add_loop_test(t, kueue_leads_both_ways_to_the_same, 0, SYSTEMS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
