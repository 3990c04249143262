/* test_objects_budget.c - PodDisruptionBudgets as people write them. */
#include "tests/sim/objects_case.h"

#define PDB(spec)                                                                                  \
	"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: ml}\n"   \
	"spec: {" spec "}\n"

static const struct {
	const char *text;
	enum budget_rule rule;
	int64_t amount;
	bool percent;
} rows[] = {
	{PDB("minAvailable: 3, selector: {matchLabels: {app: x}}"), BUDGET_MIN_AVAILABLE, 3, false},
	{PDB("minAvailable: \"3\""), BUDGET_MIN_AVAILABLE, 3, false},
	{PDB("maxUnavailable: 25%, unhealthyPodEvictionPolicy: AlwaysAllow"),
	 BUDGET_MAX_UNAVAILABLE, 25, true},
	{PDB("maxUnavailable: 0"), BUDGET_MAX_UNAVAILABLE, 0, false},
	{PDB(""), BUDGET_NONE, 0, false},
};

START_TEST(read_well)
{
	struct scenario *s = objects_case_load(rows[_i].text);

	ck_assert_uint_eq(s->budget_count, 1);
	ck_assert_str_eq(scenario_string(s, s->budgets[0].ns), "ml");
	ck_assert_int_eq(s->budgets[0].rule, rows[_i].rule);
	ck_assert_int_eq(s->budgets[0].amount, rows[_i].amount);
	ck_assert(s->budgets[0].percent == rows[_i].percent);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} faults[] = {
	{PDB("minAvailable: 1, maxUnavailable: 1"),
	 "t:4:41: PodDisruptionBudget \"b\": spec.maxUnavailable: minAvailable and "
	 "maxUnavailable exclude each other"},
	{PDB("minAvailable: 101%"),
	 "t:4:22: PodDisruptionBudget \"b\": spec.minAvailable: \"101%\" is neither a number "
	 "of pods nor a percentage such as \"25%\""},
	{PDB("minAvailable: -1"),
	 "t:4:22: PodDisruptionBudget \"b\": spec.minAvailable: \"-1\" is neither a number "
	 "of pods nor a percentage such as \"25%\""},
	{PDB("minAvailable: [1]"),
	 "t:4:22: PodDisruptionBudget \"b\": spec.minAvailable: must be a number or a "
	 "percentage"},
};

START_TEST(faulty)
{
	objects_case_fails(faults[_i].text, faults[_i].message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, read_well, 0, ROWS(rows));
	tcase_add_loop_test(t, faulty, 0, ROWS(faults));
	return objects_case_run("objects_budget", t);
}
