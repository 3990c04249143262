/* runs.c - random small systems under every policy, audited.
 *
 * Seed -> scenario and options (times tie on purpose) -> a run under each policy
 * at both details of the journal. The audit finds nothing; both journals tell the
 * same facts, so what is skipped at JOURNAL_FACTS changes nothing; the same run
 * again gives the same records. A failure prints the seed.
 *     build/debug/tests/prop/runs [first seed [count [policy]]]
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "tests/support/cluster_case.h"
#include "tests/support/records.h"

#define SEEDS 300

static uint64_t first_seed = 1;
static const char *only; /* policy; NULL: every one */

static bool is_fact(const struct journal_record *r)
{
	/* Of the refused creations of a job only the first is always there. */
	return r->kind != J_POD_FAILED && r->kind != J_POD_CREATED && r->kind != J_STATUS &&
	       r->kind != J_POD_FORBIDDEN;
}

static const struct journal_record *next_fact(struct journal_reader *in)
{
	const struct journal_record *r;

	while ((r = journal_next(in)) != NULL && !is_fact(r))
		continue;
	return r;
}

/* arg of a few kinds is a string, numbered in order of appearance: not a fact. */
static bool same_fact(const struct journal_record *x, const struct journal_record *y)
{
	return x->time == y->time && x->kind == y->kind && x->job == y->job && x->pod == y->pod &&
	       x->incarnation == y->incarnation &&
	       (x->kind != J_POD_SCHEDULED || x->arg == y->arg) &&
	       (x->kind != J_STARTED || x->arg == y->arg);
}

static void compare_facts(const struct journal *a, const struct journal *b, const char *what,
			  uint64_t seed)
{
	struct journal_reader of_a, of_b;

	journal_open(&of_a, a);
	journal_open(&of_b, b);
	for (;;) {
		const struct journal_record *x = next_fact(&of_a), *y = next_fact(&of_b);

		ck_assert_msg((x == NULL) == (y == NULL), "seed %llu, %s: one journal ends first",
			      (unsigned long long)seed, what);
		if (x == NULL)
			break;
		ck_assert_msg(same_fact(x, y), "seed %llu, %s: facts differ at %lld us",
			      (unsigned long long)seed, what, (long long)x->time);
	}
	ck_assert_msg(a->failed_attempts == b->failed_attempts,
		      "seed %llu, %s: %llu and %llu failed attempts", (unsigned long long)seed,
		      what, (unsigned long long)a->failed_attempts,
		      (unsigned long long)b->failed_attempts);
}

static struct journal *run_once(const struct scenario *s, const struct policy_row *row,
				const struct run_options *options, enum journal_detail detail,
				uint64_t seed)
{
	struct journal *j = NULL;
	struct err err = {0};
	static struct audit audit;
	char text[AUDIT_TEXT];

	if (engine_run(s, row, options, detail, &j, &err) != ERR_OK)
		ck_abort_msg("seed %llu: %s", (unsigned long long)seed, err.msg);
	if (!audit_check(j, &audit))
		ck_abort_msg("seed %llu, %s: %s", (unsigned long long)seed, row->name,
			     audit_text(j, &audit.listed[0], text));
	return j;
}

static void run_policy(const struct scenario *s, const struct policy_row *row,
		       const struct run_options *options, uint64_t seed)
{
	struct journal *full = run_once(s, row, options, JOURNAL_FULL, seed);
	struct journal *again = run_once(s, row, options, JOURNAL_FULL, seed);
	struct journal *facts = run_once(s, row, options, JOURNAL_FACTS, seed);

	ck_assert_msg(records_equal(full, again), "seed %llu, %s: the same run differs",
		      (unsigned long long)seed, row->name);
	compare_facts(full, facts, row->name, seed);
	journal_free(full);
	journal_free(again);
	journal_free(facts);
}

static struct scenario *build(const struct random_case *r, uint32_t changes)
{
	return cluster_case_queued(r->nodes, r->node_count, r->jobs, r->job_count, r->changes,
				   changes, 2 * (int64_t)r->node_count, 2 * (int64_t)r->node_count);
}

static void run_scenario(struct scenario *s, const struct random_case *r, uint64_t seed)
{
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++) {
		if (only == NULL || strcmp(only, row->name) == 0)
			run_policy(s, row, &r->options, seed);
	}
	scenario_free(s);
}

static void run_policies(const struct random_case *r, uint64_t seed)
{
	run_scenario(build(r, r->change_count), r, seed);
}

START_TEST(every_policy_keeps_the_rules)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	static struct random_case r;

	cluster_case_random(&r, seed);
	run_policies(&r, seed);
}
END_TEST

START_TEST(every_controller_keeps_the_rules)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	static struct random_case r;

	cluster_case_random(&r, seed);
	cluster_case_controllers(&r, seed);
	run_policies(&r, seed);
}
END_TEST

/* The same systems with half their nodes in a pool that an autoscaler sizes. */
START_TEST(nodes_that_come_and_go)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct node_pool pool = {.boot_delay = (simtime)(seed % 7) * 5 * CLOCK_SECOND,
				 .max_run = seed % 5 == 0 ? 40 * CLOCK_SECOND : 0};
	static struct random_case r;
	struct scenario *s;
	uint32_t fixed;

	cluster_case_random(&r, seed);
	s = build(&r, 0);
	fixed = s->node_count / 2;
	pool.max_size = s->node_count - fixed;
	for (uint32_t n = fixed; n < s->node_count; n++) {
		s->nodes[n].scaled = 1;
		s->nodes[n].spare = n % 3 != 0;
		s->nodes[n].ready = true;
	}
	s->pools = &pool;
	s->pool_count = 1;
	s->autoscaler.scan_interval = 2 * CLOCK_SECOND;
	s->autoscaler.unneeded_time = (simtime)(seed % 3) * 10 * CLOCK_SECOND;
	s->autoscaler.delay_after_add = 0;
	run_scenario(s, &r, seed);
}
END_TEST

/* ---- jobs that come when another has ended ---- */

struct ends {
	simtime *submit, *end; /* by job; CLOCK_NEVER */
};

static struct ends ends_of(const struct journal *j)
{
	uint32_t count = j->scenario->job_count;
	struct ends e = {mem_calloc(count, sizeof(simtime)), mem_calloc(count, sizeof(simtime))};
	struct journal_reader in;
	const struct journal_record *r;

	for (uint32_t i = 0; i < count; i++)
		e.submit[i] = e.end[i] = CLOCK_NEVER;
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_SUBMIT)
			e.submit[r->job] = r->time;
		else if (r->kind == J_FINISHED || r->kind == J_FAILED || r->kind == J_DELETED)
			e.end[r->job] = r->time;
	}
	return e;
}

/* The rule itself, and that journal and input have the times each of its own. */
static void check_feedback(const struct journal *j, uint64_t seed)
{
	struct ends e = ends_of(j);

	for (uint32_t i = 0; i < j->input->after_count; i++) {
		const struct job_after *a = &j->input->afters[i];
		simtime recorded = j->input->jobs[a->job].submit, due = CLOCK_NEVER;

		if (e.end[a->after] != CLOCK_NEVER && a->think >= 0)
			due = e.end[a->after] + a->think;
		else if (e.end[a->after] != CLOCK_NEVER)
			due = e.end[a->after] > recorded ? e.end[a->after] : recorded;
		if (due > j->end_time)
			due = CLOCK_NEVER;
		ck_assert_msg(e.submit[a->job] == due, "seed %llu: job %u came at %lld, due %lld",
			      (unsigned long long)seed, a->job, (long long)e.submit[a->job],
			      (long long)due);
		ck_assert(due == CLOCK_NEVER ? j->scenario->jobs[a->job].submit > j->end_time
					     : j->scenario->jobs[a->job].submit == due);
	}
	for (uint32_t i = 1; i < j->scenario->job_count; i++)
		ck_assert(j->scenario->jobs[scenario_by_submit(j->scenario, i - 1)].submit <=
			  j->scenario->jobs[scenario_by_submit(j->scenario, i)].submit);
	mem_free(e.submit);
	mem_free(e.end);
}

START_TEST(jobs_that_wait_for_others)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	static struct random_case r;
	struct job_after afters[CLUSTER_CASE_JOBS];
	struct scenario *s;
	struct journal *j;

	cluster_case_random(&r, seed);
	cluster_case_controllers(&r, seed);
	s = build(&r, r.change_count);
	s->afters = afters;
	for (uint32_t job = 1; job < s->job_count; job++) /* by the one before: in order */
		if ((job + seed) % 3 != 0)
			afters[s->after_count++] = (struct job_after){
				.job = job,
				.after = (job - 1) / 2,
				.think = ((simtime)(job * seed % 5) - 1) * CLOCK_SECOND};
	for (uint32_t i = 0; i < s->after_count; i++)
		if (afters[i].think < 0)
			afters[i].think = -1;
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++) {
		if (only != NULL && strcmp(only, row->name) != 0)
			continue;
		run_policy(s, row, &r.options, seed);
		j = run_once(s, row, &r.options, JOURNAL_FULL, seed);
		check_feedback(j, seed);
		journal_free(j);
	}
	scenario_free(s);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("prop/runs");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed, count = SEEDS;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	if (argc > 3)
		only = argv[3];
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, every_policy_keeps_the_rules, 0, count);
	tcase_add_loop_test(t, every_controller_keeps_the_rules, 0, count);
	tcase_add_loop_test(t, nodes_that_come_and_go, 0, count);
	tcase_add_loop_test(t, jobs_that_wait_for_others, 0, count);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
