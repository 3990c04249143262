/* test_objects_scheduler.c - KubeSchedulerConfiguration: what becomes an option of the run,
 * and what is named as not modelled. Profiles: test_objects_profile.c. */
#include "sim/objects/objects_scheduler.h"

#include "tests/sim/objects_case.h"

#define DOC(spec)                                                                                  \
	"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" spec
#define FIT(name, strategy)                                                                        \
	DOC("profiles:\n- schedulerName: " name                                                    \
	    "\n  pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: " strategy \
	    "}\n")
#define DEFAULT "default-scheduler"

/* Options joined by "|"; words of a finding, or NULL: there is none. */
static const struct {
	const char *text, *options, *finding;
} rows[] = {
	{DOC(""), "", NULL},
	{FIT(DEFAULT, "{type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 5}, "
		      "{name: cpu}]}"),
	 "strategy=MostAllocated:nvidia.com/gpu=5,cpu=1", NULL},
	{FIT(DEFAULT, "{type: LeastAllocated}"), "strategy=LeastAllocated", NULL},
	{FIT(DEFAULT, "{type: RequestedToCapacityRatio, resources: [{name: cpu, weight: 2}], "
		      "requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, "
		      "{utilization: 70, score: 10}]}}"),
	 "strategy=RequestedToCapacityRatio:cpu=2|strategy-shape=0=0,70=10", NULL},
	{FIT("bin-packing", "{type: MostAllocated}"), "", NULL},
	{DOC("percentageOfNodesToScore: 30\npodInitialBackoffSeconds: 2\n"
	     "podMaxBackoffSeconds: 60\nleaderElection: {leaderElect: false}\n"),
	 "percentage-of-nodes-to-score=30|pod-initial-backoff=2|pod-max-backoff=60", NULL},
	{DOC("extenders: []\n"), "", "extenders: not modelled"},
};

START_TEST(options_of_the_run)
{
	struct scenario *s = objects_case_load(rows[_i].text);
	char got[500] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < s->option_count; i++)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%s", i > 0 ? "|" : "",
					 scenario_string(s, s->options[i]));
	ck_assert_str_eq(got, rows[_i].options);
	if (rows[_i].finding == NULL)
		ck_assert_uint_eq(objects_case_findings(s), 0);
	else
		ck_assert_ptr_nonnull(objects_case_finding(s, rows[_i].finding));
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} mistakes[] = {
	{FIT(DEFAULT, "{type: BestAllocated}"), "BestAllocated"},
	{FIT(DEFAULT, "{type: MostAllocated, resources: [{name: cpu, weight: 101}]}"),
	 "up to 8 weights from 1 to 100"},
	{FIT(DEFAULT, "{type: RequestedToCapacityRatio}"), "requestedToCapacityRatio.shape"},
	{FIT(DEFAULT, "{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: "
		      "[{utilization: 9, score: 1}, {utilization: 9, score: 2}]}}"),
	 "by ascending percentages"},
	{DOC("percentageOfNodesToScore: 101\n"), "from 0 to 100"},
	{DOC("podInitialBackoffSeconds: 0\n"), "whole seconds"},
	{DOC("podMaxBackoffSeconds: [1]\n"), "a number of seconds"},
	{DOC("profiles: {a: 1}\n"), "profiles"},
	{DOC("profiles: [1]\n"), "profiles[0]"},
};

START_TEST(errors_stand_where_the_mistake_is)
{
	struct objects_case c = objects_case(mistakes[_i].text);

	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, mistakes[_i].message) != NULL, "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, options_of_the_run, 0, ROWS(rows));
	tcase_add_loop_test(t, errors_stand_where_the_mistake_is, 0, ROWS(mistakes));
	return objects_case_run("sim/objects/objects_scheduler", t);
}
