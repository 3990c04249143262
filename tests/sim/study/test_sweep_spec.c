/* test_sweep_spec.c - The document of kind Sweep: what it becomes, and what is wrong with it. */
#include <check.h>
#include <string.h>

#include "sim/study/sweep_spec.h"

#define HEAD "apiVersion: gqsim/v1\nkind: Sweep\n"

static enum err_code read(const char *text, struct sweep_plan *plan, struct err *err)
{
	const struct source source = {.name = "d/s.yaml", .data = text, .size = strlen(text)};
	enum err_code code = sweep_spec_read(&source, plan, err);

	return code == ERR_OK ? sweep_plan_check(plan, err) : code;
}

START_TEST(a_whole_document)
{
	static const char text[] =
		HEAD "files: [a.yaml, /b.csv]\ntrace: t.swf\npolicies: [kueue, kubernetes]\n"
		     "options: {grace: 5s}\nset: ['cohort/c:r.borrowingLimit=1']\n"
		     "dimensions:\n- name: quota\n  set: clusterqueue/a:r.nominalQuota\n"
		     "  values: [8, '10..12', none]\n- set: nodepool/p:.count\n  from: 1\n  to: 8\n"
		     "  factor: 2\nreplications: 3\noutputs: [makespan, 'team:*']\n";
	struct sweep_plan *plan = sweep_plan_new();
	const struct source source = {.name = "s", .data = text, .size = sizeof(text) - 1};
	struct err err;

	ck_assert(sweep_spec_is(&source));
	ck_assert_msg(read(text, plan, &err) == ERR_OK, "%s", err.msg);
	ck_assert_str_eq(plan->files.items[0], "d/a.yaml");
	ck_assert_str_eq(plan->files.items[1], "/b.csv");
	ck_assert_str_eq(plan->trace, "d/t.swf");
	ck_assert_str_eq(plan->options.items[0], "grace=5s");
	ck_assert_uint_eq(plan->dimension_count, 4);
	ck_assert_str_eq(plan->dimensions[1].name, "quota");
	ck_assert_uint_eq(plan->dimensions[1].values.count, 5);
	ck_assert_str_eq(plan->dimensions[1].values.items[4], "none");
	ck_assert_str_eq(plan->dimensions[2].values.items[3], "8");
	ck_assert_uint_eq(plan->points, 2 * 5 * 4 * 3);
	sweep_spec_ties(plan);
	ck_assert_str_eq(plan->options.items[1], "tie=random");
	sweep_plan_free(plan);
}
END_TEST

static const struct {
	const char *text, *says;
	long line;
} wrong[] = {
	{"", "empty", 1},
	{"a: [", "malformed YAML", 2},
	{"kind: Sweep\n", "apiVersion", 1},
	{"apiVersion: gqsim/v1\nkind: Job\n", "no document of kind Sweep", 1},
	{"[1, 2]", "no document of kind Sweep", 1},
	{HEAD "policy: [kueue]\n", "unknown field", 3},
	{HEAD "files: a.yaml\n", "files", 3},
	{HEAD "files: [[a]]\n", "files[0]", 3},
	{HEAD "options: {grace: often}\n", "often", 3},
	{HEAD "options: {graze: 5}\n", "graze", 3},
	{HEAD "dimensions:\n- name: x\n  values: [1]\n", "set", 4},
	{HEAD "dimensions:\n- set: seed\n", "give the values as a list", 4},
	{HEAD "dimensions:\n- set: seed\n  values: [1]\n  step: 2\n", "give the values", 4},
	{HEAD "dimensions:\n- set: seed\n  from: 5\n  to: 1\n", "goes upwards", 4},
	{HEAD "dimensions:\n- set: seed\n  from: 1\n  to: 9\n  step: 0\n", "step above 0", 4},
	{HEAD "dimensions:\n- set: seed\n  values: [1]\n- set: seed\n  values: [2]\n",
	 "two dimensions", 6},
	{HEAD "sample: {method: random}\n", "random", 3},
	{HEAD "sample: {method: latin}\n", "count of samples", 3},
	{HEAD "sample: {method: grid, count: 3}\n", "count of samples", 3},
	{HEAD "seeds: [1]\nreplications: 2\n", "both say", 1},
	{HEAD "replications: 0\n", "replications", 3},
	{HEAD "---\nkind: Job\n", "second document", 4},
	/* what the check would find, at its place */
	{HEAD "policies: [kueu]\n", "no policy", 3},
	{HEAD "dimensions:\n- {set: speed, values: [1]}\n", "did you mean \"seed\"", 4},
	{HEAD "dimensions:\n- {set: seed, values: [x]}\n", "seed", 4},
	{HEAD "dimensions:\n- {set: seed, values: []}\n", "no values", 4},
	{HEAD "dimensions:\n- {name: makespan, set: seed, values: [1]}\n", "as a column", 4},
	{HEAD "policies:\n- kueue\n- kueu\n", "no policy", 5},
	{HEAD "policies: []\n", "no values", 3},
	{HEAD "dimensions:\n- set: seed\n  values:\n  - 1\n  - x\n", "seed", 7},
	{HEAD
	 "dimensions:\n- {name: a, set: seed, values: [1]}\n- {name: b, set: seed, values: [1]}\n",
	 "two dimensions set", 5},
	{HEAD "outputs:\n- makespan\n- makespam\n", "makespan", 5},
	/* the check knows no place */
	{HEAD "sample: {method: list}\ndimensions:\n- {set: grace, values: [1, 2]}\n"
	      "- {set: requeue-batch, values: [1, 2, 3]}\n",
	 "equally many", 0},
	{HEAD "outputs: [makespam]\n", "makespan", 3},
};

START_TEST(says_what_is_wrong_and_where)
{
	struct sweep_plan *plan = sweep_plan_new();
	struct err err = {.line = -1};

	ck_assert_int_ne(read(wrong[_i].text, plan, &err), ERR_OK);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
	ck_assert_msg(err.line == wrong[_i].line, "%ld: %s", err.line, err.msg);
	sweep_plan_free(plan);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/sweep_spec");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_whole_document);
	tcase_add_loop_test(t, says_what_is_wrong_and_where, 0,
			    (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
