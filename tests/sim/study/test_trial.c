/* test_trial.c - One run of a plan: its settings, its figures, and how it fails. */
#include "sim/study/trial.h"

#include <math.h>

#include "tests/sim/objects_case.h"
#include "tests/support/command.h"

static struct cmd_args args;
static struct goals goals;
static char *paths[2];

static struct trial_setup setup(const struct cmd_context *context, const char *target)
{
	const char *argv[2];
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	for (int i = 0; i < 2; i++) {
		paths[i] = malloc(300);
		snprintf(paths[i], 300, "%s/%s", command_folder(),
			 i == 0 ? "objects.yaml" : "reclaim.csv");
		argv[i] = paths[i];
	}
	ck_assert_int_eq(cmd_parse(cmd_table_find("plan"), 2, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(goal_add(&goals, target, &err), ERR_OK);
	return (struct trial_setup){context, &args, policy_find("kueue"), &goals};
}

static void done(struct trial *trial)
{
	trial_free(trial);
	cmd_args_free(&args);
	free(paths[0]);
	free(paths[1]);
}

static const char *const no_borrowing[] = {"clusterqueue/a:nvidia.com/gpu.borrowingLimit=0"};

START_TEST(figures_of_a_run)
{
	struct cmd_context context = {.stop = NULL};
	struct trial_setup s = setup(&context, "b:p95-wait=1h");
	struct trial trial = {.detailed = true};

	trial_run(&s, &trial);
	ck_assert_int_eq(trial.state, TRIAL_DONE);
	ck_assert(trial.met);
	ck_assert_double_le(trial.score, 1);
	ck_assert_uint_eq(trial.preemptions, 1);
	ck_assert_uint_eq(trial.never_started, 1); /* big can never run */
	ck_assert_int_eq(trial.gpus, 8);
	ck_assert_int_gt(trial.lost, 0);
	ck_assert_uint_eq(trial.detail->team_count, 2);
	ck_assert_str_eq(trial.detail->teams[1].name, "b");
	ck_assert_int_eq(trial.detail->teams[1].nominal, 4);
	ck_assert_double_eq(trial.values[0], trial.detail->teams[1].wait.p95);
	done(&trial);
}
END_TEST

START_TEST(a_setting_of_its_own)
{
	struct cmd_context context = {.stop = NULL};
	struct trial_setup s = setup(&context, "p50-wait=1h");
	struct trial trial = {.sets = no_borrowing, .set_count = 1};

	trial_run(&s, &trial);
	ck_assert_int_eq(trial.state, TRIAL_DONE);
	ck_assert_uint_eq(trial.preemptions, 0);
	ck_assert_ptr_null(trial.detail);
	done(&trial);
}
END_TEST

START_TEST(options_and_seeds)
{
	static const char *const sets[] = {"run/options:.strategy=MostAllocated",
					   "run/options:.grace=5"};
	struct cmd_context context = {.stop = NULL};
	struct trial_setup s = setup(&context, "p50-wait=1h");
	struct trial trial = {.sets = sets, .set_count = 2, .seed = 7};
	struct run_options run;
	struct scenario *scenario;
	struct err err;

	ck_assert_int_eq(trial_load(&s, &trial, &scenario, NULL, &err), ERR_OK);
	ck_assert_int_eq(trial_options(&s, &trial, scenario, &run, &err), ERR_OK);
	ck_assert_int_eq(run.strategy.type, STRATEGY_MOST);
	ck_assert_int_eq(run.grace, 5 * CLOCK_SECOND);
	ck_assert_int_eq(run.tie, TIE_RANDOM);
	ck_assert_uint_eq(run.seed, 7);
	scenario_free(scenario);
	done(&trial);
}
END_TEST

static const struct {
	const char *set, *target, *message;
} wrong[] = {
	{"clusterqueue/c:.stopPolicy=Hold", "p95-wait=1h", "there is no ClusterQueue \"c\""},
	{"clusterqueue/a:.stopPolicy=None", "c:p95-wait=1h", "there is no team \"c\""},
};

START_TEST(it_fails_alone)
{
	struct cmd_context context = {.stop = NULL};
	struct trial_setup s = setup(&context, wrong[_i].target);
	struct trial trial = {.sets = &wrong[_i].set, .set_count = 1};

	trial_run(&s, &trial);
	ck_assert_int_eq(trial.state, TRIAL_FAILED);
	ck_assert_msg(strstr(trial.message, wrong[_i].message) != NULL, "%s", trial.message);
	ck_assert(isinf(trial.score));
	ck_assert(!trial.met);
	done(&trial);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, figures_of_a_run);
	tcase_add_test(t, a_setting_of_its_own);
	tcase_add_test(t, options_and_seeds);
	tcase_add_loop_test(t, it_fails_alone, 0, ROWS(wrong));
	return objects_case_run("sim/study/trial", t);
}
