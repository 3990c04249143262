/* test_steady.c - Figures of a run without its beginning, by hand. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "sim/report/steady.h"
#include "tests/support/command.h"

/* One node of 4 GPUs. a: 0-100 on 4; b waits from 10 to 100, runs to 200 on 2; c comes at 150
 * and runs at once, on 2, to 170; d comes at 160 and waits to 200, runs to 300 on 4; e is cancelled
 * at 190 before it starts. */
static const char jobs[] = "name,submit_s,duration_s,gpus,cancel_s\n"
			   "a,0,100,4,\nb,10,100,2,\nc,150,20,2,\nd,160,100,4,\ne,165,10,4,190\n";

struct run {
	struct scenario *scenario;
	struct journal *journal;
	struct metrics *metrics;
	struct steady_waits waits;
};

static void open_run(struct run *r)
{
	struct run_options options;
	struct err err = {0};

	command_file("jobs.csv", jobs);
	command_file("nodes.yaml", "apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
				   "- {name: g, count: 1, gpus: 4}\n");
	r->scenario = command_load("nodes.yaml jobs.csv");
	options_default(&options);
	ck_assert_int_eq(engine_run(r->scenario, policy_find("fifo"), &options, JOURNAL_FACTS,
				    &r->journal, &err),
			 ERR_OK);
	r->metrics = metrics_new(r->journal, false, metrics_window(r->journal));
	steady_waits_init(&r->waits, r->metrics);
}

static void close_run(struct run *r)
{
	steady_waits_free(&r->waits);
	metrics_free(r->metrics);
	journal_free(r->journal);
	scenario_free(r->scenario);
}

START_TEST(waits_in_order)
{
	static const double want[] = {0, 90, 0, 40};
	struct run r;

	open_run(&r);
	ck_assert_uint_eq(r.waits.count, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_double_eq(r.waits.seconds[i], want[i]);
	ck_assert(r.waits.submits[3] == 160 * CLOCK_SECOND);
	ck_assert_uint_eq(r.waits.cancelled_count, 1);
	ck_assert(r.waits.cancelled[0].wait == 25 * CLOCK_SECOND);
	close_run(&r);
}
END_TEST

START_TEST(the_whole)
{
	struct steady s;
	struct run r;

	open_run(&r);
	steady_measure(r.journal, false, &r.waits, 0, &s);
	ck_assert(s.first == 0 && s.jobs == 5 && s.never == 0);
	ck_assert_double_eq_tol(s.mean, 32.5, 1e-9);
	/* Two of five start at once; of the three left one goes at 25, half of two then wait 40:
	 * by Kaplan and Meier 40 % and 70 % have started. */
	ck_assert_double_eq_tol(s.p50, 40, 1e-9);
	/* Until 160: 4 x 100 + 2 x 60 + 2 x 10 of 4 x 160. */
	ck_assert(s.to == 160 * CLOCK_SECOND);
	ck_assert_double_eq_tol(s.running, 540.0 / 640, 1e-9);
	ck_assert_double_eq_tol(s.busy, 540.0 / 160, 1e-9);
	ck_assert_double_eq_tol(s.idle, 0, 1e-9);
	close_run(&r);
}
END_TEST

START_TEST(without_the_beginning)
{
	struct steady s;
	struct run r;

	open_run(&r);
	steady_measure(r.journal, false, &r.waits, 100 * CLOCK_SECOND, &s);
	ck_assert(s.first == 2 && s.jobs == 3);
	ck_assert_double_eq_tol(s.mean, 20, 1e-9);
	ck_assert_double_eq_tol(s.running, 140.0 / 240, 1e-9);
	/* Behind the last submit there is nothing. */
	steady_measure(r.journal, false, &r.waits, 500 * CLOCK_SECOND, &s);
	ck_assert(s.jobs == 0 && s.mean == 0 && s.running == 0 && s.busy == 0);
	close_run(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/steady");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, waits_in_order);
	tcase_add_test(t, the_whole);
	tcase_add_test(t, without_the_beginning);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
