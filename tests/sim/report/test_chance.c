#include "sim/report/chance.h"

#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "tests/support/fixture.h"

/* Two jobs of two whole-node pods, created in turn on two nodes, deadlock whatever
 * the ties; created after each event, the first job's second pod is still too late.
 * Small jobs on equal nodes differ in nothing. */
static struct report_column run_column(struct scenario *s, const struct run_options *options,
				       struct journal **journal, struct metrics **metrics)
{
	struct err err = {0};

	ck_assert_int_eq(
		engine_run(s, policy_find("kubernetes"), options, JOURNAL_FACTS, journal, &err),
		ERR_OK);
	*metrics = metrics_new(*journal, false, metrics_window(*journal));
	return (struct report_column){.title = "plain Kubernetes",
				      .policy = policy_find("kubernetes"),
				      .options = options,
				      .scenario = s,
				      .journal = *journal,
				      .metrics = *metrics};
}

START_TEST(ranges_hold_every_run_and_a_deadlock_stays_one)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 60, .pods = 2, .gpus = 4},
		{.name = "b", .duration_s = 60, .pods = 2, .gpus = 4},
	};
	static const volatile sig_atomic_t stop = 1;
	struct builder *b = fixture_cluster(2, 4);
	struct run_options options;
	struct scenario *s;
	struct journal *journal = NULL;
	struct metrics *metrics = NULL;
	struct report_column column;
	struct chance chance;
	struct err err = {0};

	fixture_add(b, jobs, 2);
	s = fixture_finish(b);
	options_default(&options);
	options.create = CREATE_INTERLEAVED;
	column = run_column(s, &options, &journal, &metrics);
	ck_assert_int_eq(chance_measure(&column, 5, true, 2, &chance, &err), ERR_OK);
	ck_assert_uint_eq(chance.seeds, 5);
	ck_assert_uint_eq(chance.low.finished, 0);
	ck_assert_uint_eq(chance.high.finished, 0);
	ck_assert_uint_eq(chance.low.deadlocks, 1);
	ck_assert_uint_eq(chance.high.deadlocks, 1);
	ck_assert_int_eq(chance.low.idle, INT64_C(8) * 3600 * CLOCK_SECOND);
	ck_assert(isinf(chance.high.p95));
	ck_assert(chance.drained);
	/* Whoever stops it before a run has ended gets no figures of such runs. */
	options.stop = &stop;
	ck_assert_int_eq(chance_measure(&column, 5, true, 2, &chance, &err), ERR_OK);
	ck_assert(chance.stopped);
	ck_assert_uint_eq(chance.seeds, 0);
	ck_assert(!chance.drained);
	metrics_free(metrics);
	journal_free(journal);
	scenario_free(s);
}
END_TEST

struct row {
	const char *name;
	struct chance_figures a, b;
	bool differs;
};

static const struct row rows[] = {
	{"equal", {5, 0, 100, 7}, {5, 0, 100, 7}, false},
	{"within one in a hundred", {5, 0, 10000, 700}, {5, 0, 10050, 702}, false},
	{"one job fewer", {5, 0, 100, 7}, {4, 0, 100, 7}, true},
	{"a deadlock", {5, 0, 100, 7}, {5, 1, 100, 7}, true},
	{"idle time", {5, 0, 100, 7}, {5, 0, 150, 7}, true},
	{"idle or not", {5, 0, 0, 7}, {5, 0, 1, 7}, true},
	{"p95", {5, 0, 100, 7}, {5, 0, 100, 8}, true},
	{"never", {5, 0, 100, 7}, {5, 0, 100, (double)INFINITY}, true},
	{"never both", {5, 0, 100, (double)INFINITY}, {5, 0, 100, (double)INFINITY}, false},
};

START_TEST(headlines_differ)
{
	const struct row *row = &rows[_i];

	ck_assert_msg(chance_differs(&row->a, &row->b) == row->differs, "%s", row->name);
	ck_assert_msg(chance_differs(&row->b, &row->a) == row->differs, "%s, turned", row->name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chance");
	TCase *tc = tcase_create("chance");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, ranges_hold_every_run_and_a_deadlock_stays_one);
	tcase_add_loop_test(tc, headlines_differ, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
