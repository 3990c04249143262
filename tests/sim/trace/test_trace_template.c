/* test_trace_template.c - Cells of a job list to pod sets. */
#include "sim/trace/trace_template.h"
#include "tests/sim/trace_case.h"

#define HEADER                                                                                     \
	"submit_s,duration_s,pods,min_pods,requests,gpus,podsets,topology_mode,topology_level,"    \
	"node_selector,tolerations\n"

static const struct {
	const char *cells;
	const char *message; /* NULL: fine */
	long column;
} error_rows[] = {
	{"1,,cpu=1,,,,,,", NULL, 0},
	{",,,,,,,,", NULL, 0}, /* a pod that asks for nothing */
	{"0,,cpu=1,,,,,,", "\"0\" is not a number of pods", 5},
	{"-1,,cpu=1,,,,,,", "not a number of pods", 5},
	{"2.5,,cpu=1,,,,,,", "not a number of pods", 5},
	{"1000001,,cpu=1,,,,,,", "more than 1000000 pods", 5},
	{"2,0,cpu=1,,,,,,", "not a number of pods to start with", 7},
	{",,cpu,,,,,,", "\"cpu\" is not resource=quantity", 7},
	{",,=1,,,,,,", "not resource=quantity", 7},
	{",,cpu=1;,,,,,,", "\"\" is not resource=quantity", 13},
	{",,cpu=1;cpu=2,,,,,,", "\"cpu\" is requested twice", 13},
	{",,cpu=-1,,,,,,", "the request -1 is negative", 11},
	{",,cpu=1x,,,,,,", "\"1x\" is not a quantity", 11},
	{",,memory=1Gi;cpu=1e400000x,,,,,,", "not a quantity", 22},
	{",,nvidia.com/gpu=0.5,,,,,,", "must be a whole number", 22},
	{",,nvidia.com/gpu=1000001,,,,,,", "more than 1000000 devices", 22},
	{"100000,,nvidia.com/gpu=100000,,,,,,", "more than 4294967295 GPUs", 13},
	{",,,8,,,,,", NULL, 0},
	{",,,8.0,,,,,", NULL, 0},
	{",,,x,,,,,", "\"x\" is not a number of GPUs", 8},
	{",,,1000001,,,,,", "more than 1000000 GPUs", 8},
	{"3,,,8,,,,,", "8 GPUs of the job cannot be shared equally by its 3 pods", 9},
	{",2,,8,,,,,", "min_pods without pods", 6},
	{",,cpu=1,8,,,,,", "both gpus (of the job) and requests", 13},
	{",,cpu=1,,,required,,,", "needs a level", 15},
	{",,cpu=1,,,somewhere,x,,", "no topology mode \"somewhere\"", 15},
	{",,cpu=1,,,,rack,,", "no topology mode \"\"", 15},
	{",,cpu=1,,,unconstrained,,,", NULL, 0},
	{",,cpu=1,,,preferred,rack,,", NULL, 0},
	{",,cpu=1,,,,,gpu,", "\"gpu\" is not a label", 17},
	{",,cpu=1,,,,,gpu=a;=b,", "\"\" is not a label", 23},
	{",,cpu=1,,,,,,spot=true:Sometimes", "no taint effect \"Sometimes\"", 28},
	{",,cpu=1,,,,,,=x", "a toleration without a key", 18},
	{",,cpu=1,,,,,,a;;b", "a toleration without a key", 20},
	{",,,,a:1:cpu=1|b:2/1:cpu=2,,,,", NULL, 0},
	{",,,,a:1,,,,", "a pod set is name:count", 9},
	{",,,,a:1:cpu=1|,,,,", "a pod set is name:count", 19},
	{",,,,a:0:cpu=1,,,,", "\"0\" is not a number of pods", 11},
	{",,,,a:1:cpu=1|a:1:cpu=1,,,,", "a second pod set of this name", 19},
	{",,,,a:1:cpu=1@nowhere=x,,,,", "no topology mode \"nowhere\"", 19},
	{",,,,a:1:cpu=1@required,,,,", "needs a level", 19},
	{",,,,a:600000:cpu=1|b:600000:cpu=1,,,,", "more than 1000000 pods", 24},
};

START_TEST(errors)
{
	char text[1024];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "0,1,%s\n", error_rows[_i].cells);
	trace_case_load(&c, trace_jobs_load, text);
	if (error_rows[_i].message == NULL) {
		ck_assert_msg(c.code == ERR_OK, "%s: %s", error_rows[_i].cells, c.message);
	} else {
		ck_assert_msg(c.code != ERR_OK, "%s: no error", error_rows[_i].cells);
		ck_assert_msg(strstr(c.err.msg, error_rows[_i].message) != NULL, "%s: %s",
			      error_rows[_i].cells, c.message);
		ck_assert_msg(c.err.line == 2 && c.err.column == error_rows[_i].column, "%s: %s",
			      error_rows[_i].cells, c.message);
	}
	trace_case_free(&c);
}
END_TEST

/* A job of one row; the scenario to look into. */
static struct scenario *finish(const char *cells)
{
	struct scenario *scenario = NULL;
	struct err err = {0};
	char text[1024];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "0,1,%s\n", cells);
	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_msg(builder_finish(c.builder, &scenario, &err) == ERR_OK, "%s", err.msg);
	return scenario;
}

static const struct pod_set *set_at(const struct scenario *s, uint32_t index)
{
	ck_assert_uint_lt(index, s->jobs[0].common->pod_set_count);
	return &s->pod_sets[s->jobs[0].common->first_pod_set + index];
}

static const struct pod_shape *shape_at(const struct scenario *s, uint32_t index)
{
	return &s->shapes[set_at(s, index)->shape];
}

START_TEST(requests)
{
	struct scenario *s =
		finish("3,2,cpu=1500m;memory=1Gi;nvidia.com/gpu=2;example.com/x=4,,,,,,");
	const struct pod_shape *shape = shape_at(s, 0);

	ck_assert_uint_eq(set_at(s, 0)->count, 3);
	ck_assert_uint_eq(set_at(s, 0)->min_count, 2);
	ck_assert_int_eq(shape->request[RES_CPU], 1500);
	ck_assert_int_eq(shape->request[RES_MEMORY], 1 << 30);
	ck_assert_int_eq(shape->request[RES_GPU], 2);
	ck_assert_int_eq(shape->request[name_find(s->resources, "example.com/x")], 4);
	ck_assert_int_eq(shape->gpus, 2);
	ck_assert_int_eq(shape->nonzero_cpu, 1500);
	ck_assert_int_eq(shape->nonzero_memory, 1 << 30);
	ck_assert_uint_eq(s->jobs[0].common->pods, 3);
	ck_assert_uint_eq(s->jobs[0].common->gpus, 6);
	scenario_free(s);
}
END_TEST

/* Goldens f13: a minimum above the count is no error, and no partial admission. */
START_TEST(minimum_above_the_count)
{
	struct scenario *s = finish("1,4,cpu=1,,,,,,");

	ck_assert_uint_eq(set_at(s, 0)->count, 1);
	ck_assert_uint_eq(set_at(s, 0)->min_count, 1);
	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_str_eq(scenario_string(s, s->findings[0].text),
			 "t:2:7: a minimum of 4 pods for a job of 1: a real cluster refuses that; "
			 "here it can only start whole");
	scenario_free(s);
}
END_TEST

/* Spec KUBE_SCHEDULER.md 4.4: only what is missing counts 100m and 200 MiB. */
START_TEST(explicit_zero_is_no_default)
{
	struct scenario *s = finish(",,cpu=0;memory=0Gi;nvidia.com/gpu=1,,,,,,");

	ck_assert_int_eq(shape_at(s, 0)->nonzero_cpu, 0);
	ck_assert_int_eq(shape_at(s, 0)->nonzero_memory, 0);
	scenario_free(s);
	s = finish(",,nvidia.com/gpu=1,,,,,,");
	ck_assert_int_eq(shape_at(s, 0)->nonzero_cpu, 100);
	ck_assert_int_eq(shape_at(s, 0)->nonzero_memory, 209715200);
	scenario_free(s);
}
END_TEST

START_TEST(selector_and_tolerations)
{
	struct scenario *s = finish(",,cpu=1,,,,,gpu=h100;zone=,h100;spot=true;"
				    "a=b:NoExecute;m:NoSchedule;p:PreferNoSchedule;e=");
	const struct toleration *t = shape_at(s, 0)->tolerations.items;
	const struct label *l = shape_at(s, 0)->node_selector.items;
	static const struct {
		const char *key, *value;
		enum toleration_op op;
		enum taint_effect effect;
	} want[] = {
		{"h100", "", TOLERATION_EXISTS, TAINT_ANY},
		{"spot", "true", TOLERATION_EQUAL, TAINT_ANY},
		{"a", "b", TOLERATION_EQUAL, TAINT_NO_EXECUTE},
		{"m", "", TOLERATION_EXISTS, TAINT_NO_SCHEDULE},
		{"p", "", TOLERATION_EXISTS, TAINT_PREFER_NO_SCHEDULE},
		{"e", "", TOLERATION_EQUAL, TAINT_ANY},
	};

	ck_assert_uint_eq(shape_at(s, 0)->node_selector.count, 2);
	ck_assert_str_eq(scenario_string(s, l[0].key), "gpu");
	ck_assert_str_eq(scenario_string(s, l[0].value), "h100");
	ck_assert_str_eq(scenario_string(s, l[1].key), "zone");
	ck_assert_str_eq(scenario_string(s, l[1].value), "");
	ck_assert_uint_eq(shape_at(s, 0)->tolerations.count, 6);
	for (int i = 0; i < ROWS(want); i++) {
		ck_assert_str_eq(scenario_string(s, t[i].key), want[i].key);
		ck_assert_str_eq(scenario_string(s, t[i].value), want[i].value);
		ck_assert_int_eq(t[i].op, want[i].op);
		ck_assert_int_eq(t[i].effect, want[i].effect);
	}
	scenario_free(s);
}
END_TEST

START_TEST(topology)
{
	struct scenario *s = finish("2,,cpu=1,,,required,cloud.provider.com/rack,,");

	ck_assert_int_eq(shape_at(s, 0)->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_str_eq(scenario_string(s, shape_at(s, 0)->topology_level),
			 "cloud.provider.com/rack");
	scenario_free(s);
	s = finish(",,cpu=1,,,unconstrained,,,");
	ck_assert_int_eq(shape_at(s, 0)->topology_mode, TOPOLOGY_UNCONSTRAINED);
	ck_assert_uint_eq(shape_at(s, 0)->topology_level, NAME_NONE);
	scenario_free(s);
}
END_TEST

START_TEST(pod_sets)
{
	struct scenario *s = finish("7,,cpu=9,,driver:1:cpu=1|worker:4/2:cpu=2;nvidia.com/gpu=1"
				    "@required=kubernetes.io/hostname|eval:1:@unconstrained,"
				    "preferred,rack,pool=a,t");

	ck_assert_uint_eq(s->jobs[0].common->pod_set_count, 3);
	ck_assert_uint_eq(s->jobs[0].common->pods, 6);
	ck_assert_str_eq(scenario_string(s, set_at(s, 1)->name), "worker");
	ck_assert_uint_eq(set_at(s, 0)->min_count, 1);
	ck_assert_uint_eq(set_at(s, 1)->count, 4);
	ck_assert_uint_eq(set_at(s, 1)->min_count, 2);
	ck_assert_int_eq(shape_at(s, 0)->request[RES_CPU], 1000);
	ck_assert_int_eq(shape_at(s, 0)->topology_mode, TOPOLOGY_NONE); /* of its own only */
	ck_assert_int_eq(shape_at(s, 1)->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_str_eq(scenario_string(s, shape_at(s, 1)->topology_level),
			 "kubernetes.io/hostname");
	ck_assert_int_eq(shape_at(s, 2)->topology_mode, TOPOLOGY_UNCONSTRAINED);
	ck_assert_uint_eq(shape_at(s, 2)->requested, 0);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(shape_at(s, i)->node_selector.count, 1);
		ck_assert_uint_eq(shape_at(s, i)->tolerations.count, 1);
	}
	scenario_free(s);
}
END_TEST

START_TEST(gpus_of_the_job)
{
	struct scenario *s = finish("4,2,,16,,required,rack,pool=a,t");

	ck_assert_uint_eq(set_at(s, 0)->count, 4);
	ck_assert_uint_eq(set_at(s, 0)->min_count, 2);
	ck_assert_int_eq(shape_at(s, 0)->gpus, 4);
	ck_assert_int_eq(shape_at(s, 0)->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_uint_eq(shape_at(s, 0)->node_selector.count, 1);
	scenario_free(s);
	s = finish(",,,12,,,,pool=a,");
	ck_assert_uint_eq(set_at(s, 0)->count, 2);
	ck_assert_int_eq(shape_at(s, 0)->gpus, 6);
	ck_assert_uint_eq(shape_at(s, 0)->node_selector.count, 1);
	scenario_free(s);
}
END_TEST

/* Equal cells share pod sets, also when others stand between; unequal ones do not. */
START_TEST(sharing)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load,
			"submit_s,duration_s,pods,requests\n"
			"0,1,1,cpu=1\n0,1,1,cpu=2\n0,1,1,cpu=1\n0,1,1,cpu=1000m\n0,1,11,cpu=1\n");
	ck_assert_uint_eq(trace_case_job(&c, 0)->common->first_pod_set,
			  trace_case_job(&c, 2)->common->first_pod_set);
	ck_assert_uint_eq(trace_case_job(&c, 0)->common->first_pod_set,
			  trace_case_job(&c, 3)->common->first_pod_set);
	ck_assert_uint_ne(trace_case_job(&c, 0)->common->first_pod_set,
			  trace_case_job(&c, 1)->common->first_pod_set);
	ck_assert_uint_ne(trace_case_job(&c, 0)->common->first_pod_set,
			  trace_case_job(&c, 4)->common->first_pod_set);
	trace_case_free(&c);
}
END_TEST

/* Texts that read the same side by side are still different cells. */
START_TEST(cells_do_not_run_together)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load,
			"submit_s,duration_s,pods,min_pods,gpus\n0,1,2,1,12\n0,1,2,11,2\n"
			"0,1,21,1,21\n");
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 0)), 12);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 1)), 2);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 2)), 21);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	tcase_add_test(t, requests);
	tcase_add_test(t, minimum_above_the_count);
	tcase_add_test(t, explicit_zero_is_no_default);
	tcase_add_test(t, selector_and_tolerations);
	tcase_add_test(t, topology);
	tcase_add_test(t, pod_sets);
	tcase_add_test(t, gpus_of_the_job);
	tcase_add_test(t, sharing);
	tcase_add_test(t, cells_do_not_run_together);
	return trace_case_run("sim/trace/trace_template", t);
}
