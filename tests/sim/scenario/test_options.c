/* test_options.c - Every option: what it takes, what it refuses, and how it says so. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/options.h"

START_TEST(defaults_are_those_of_the_manual)
{
	struct run_options o;

	options_default(&o);
	ck_assert_int_eq(o.requeue_batch, CLOCK_SECOND);
	ck_assert_int_eq(o.eviction_delay, 5 * CLOCK_SECOND);
	ck_assert_int_eq(o.horizon, 3600 * CLOCK_SECOND);
	ck_assert_int_eq(o.max_time, CLOCK_NEVER);
	ck_assert_int_eq(o.grace, 0);
	ck_assert_int_eq(o.placement_timeout, 0);
	ck_assert_uint_eq(o.seed, 1);
	ck_assert_uint_eq(o.kubernetes_minor, 34);
	ck_assert_int_eq(o.placement, PLACEMENT_SCHEDULER);
	ck_assert_int_eq(o.tie, TIE_FIRST);
	ck_assert_int_eq(o.create, CREATE_SEQUENTIAL);
	ck_assert_int_eq(o.checkpointing, CHECKPOINT_RESTART);
}
END_TEST

static const struct {
	const char *name, *value;
} good[] = {
	{"requeue-batch", "0"},
	{"requeue-batch", "1.5"},
	{"eviction-delay", "30s"},
	{"grace", "1m30s"},
	{"placement-timeout", "5m"},
	{"horizon", "2h"},
	{"max-time", "90"},
	{"drain", "instant"},
	{"create", "interleaved"},
	{"placement", "none"},
	{"drain", "each"},
	{"tie", "random"},
	{"seed", "18"},
	{"checkpointing", "resume"},
	{"kubernetes-version", "1.35"},
	{"strategy", "LeastAllocated"},
	{"strategy", "MostAllocated:nvidia.com/gpu=5,cpu=1,memory=1"},
	{"strategy", "RequestedToCapacityRatio:nvidia.com/gpu=5"},
	{"strategy-shape", "0=0,70=10,100=5"},
	{"percentage-of-nodes-to-score", "0"},
	{"percentage-of-nodes-to-score", "100"},
	{"pod-initial-backoff", "1"},
	{"pod-max-backoff", "1m"},
};

START_TEST(takes)
{
	struct run_options o;
	struct err err;

	options_default(&o);
	ck_assert_int_eq(options_set(&o, good[_i].name, good[_i].value, &err), ERR_OK);
}
END_TEST

static const struct {
	const char *name, *value, *says;
} wrong[] = {
	{"requeue-batch", "-1", "a duration such as"},
	{"requeue-batch", "", "a duration such as"},
	{"grace", "1x", "\"1x\""},
	{"tie", "last", "first or random"},
	{"create", "Sequential", "sequential or interleaved"},
	{"drain", "some", "instant or each"},
	{"placement", "yes", "scheduler or none"},
	{"seed", "-3", "whole number"},
	{"seed", "1e3", "whole number"},
	{"checkpointing", "never", "restart or resume"},
	{"kubernetes-version", "1.33", "1.34 or 1.35"},
	{"strategy", "Most", "LeastAllocated, MostAllocated or"},
	{"strategy", "MostAllocated:", "weights from 1"},
	{"strategy-shape", "", "by ascending percentages"},
	{"strategy-shape", "50", "by ascending percentages"},
	{"strategy-shape", "50=1,40=2", "by ascending percentages"},
	{"strategy-shape", "0=11", "by ascending percentages"},
	{"strategy-shape", "0=1,", "by ascending percentages"},
	{"strategy-shape", "0,1=1", "by ascending percentages"},
	{"percentage-of-nodes-to-score", "101", "from 0 to 100"},
	{"pod-initial-backoff", "0", "whole seconds"},
	{"pod-max-backoff", "100000", "whole seconds"},
	{"strategy", "MostAllocated:cpu", "weights from 1"},
	{"strategy", "MostAllocated:cpu=0", "weights from 1"},
	{"strategy", "MostAllocated:cpu=101", "weights from 1"},
	{"strategy", "MostAllocated:cpu=1,", "weights from 1"},
	{"strategy", "MostAllocated:a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "up to 8"},
};

START_TEST(refuses)
{
	struct run_options o;
	struct err err = {0};

	options_default(&o);
	ck_assert_int_eq(options_set(&o, wrong[_i].name, wrong[_i].value, &err), ERR_VALUE);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.msg, wrong[_i].name) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(strategy_reads_weights)
{
	struct run_options o;
	struct err err;

	options_default(&o);
	ck_assert_int_eq(options_set(&o, "strategy", "MostAllocated:nvidia.com/gpu=5,cpu=1", &err),
			 ERR_OK);
	ck_assert(o.strategy.type == STRATEGY_MOST && o.strategy.given);
	ck_assert_uint_eq(o.strategy.weight_count, 2);
	ck_assert_str_eq(o.strategy.weights[0].resource, "nvidia.com/gpu");
	ck_assert_int_eq(o.strategy.weights[0].weight, 5);
	ck_assert_str_eq(o.strategy.weights[1].resource, "cpu");
	/* A later value replaces all of it. */
	ck_assert_int_eq(options_set(&o, "strategy", "LeastAllocated", &err), ERR_OK);
	ck_assert(o.strategy.type == STRATEGY_LEAST && !o.strategy.given);
	ck_assert_uint_eq(o.strategy.weight_count, 0);
}
END_TEST

START_TEST(unknown_ones_name_the_nearest)
{
	struct run_options o;
	struct err err = {0};

	options_default(&o);
	ck_assert_int_eq(options_set(&o, "requeue-bach", "1", &err), ERR_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(err.msg, "\"requeue-batch\""));
	ck_assert_int_eq(options_set(&o, "colour", "1", &err), ERR_UNKNOWN);
}
END_TEST

START_TEST(every_row_has_its_texts)
{
	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		ck_assert_ptr_nonnull(row->value);
		ck_assert_uint_gt(strlen(row->help), 10);
		ck_assert_msg(row->help[strlen(row->help) - 1] != '.', "%s", row->name);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/scenario/options");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, defaults_are_those_of_the_manual);
	tcase_add_loop_test(t, takes, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_loop_test(t, refuses, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(t, strategy_reads_weights);
	tcase_add_test(t, unknown_ones_name_the_nearest);
	tcase_add_test(t, every_row_has_its_texts);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
