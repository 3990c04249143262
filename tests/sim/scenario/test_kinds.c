/* test_kinds.c - every record begins with its name, and its namespace if it has one. */
#include "sim/scenario/kinds.h"

#include "sim/scenario/profile.h"
#include "sim/scenario/scenario.h"
#include "tests/sim/objects_case.h"

_Static_assert(offsetof(struct ns_record, name) == 0, "name first");
_Static_assert(offsetof(struct flavor, name) == 0, "name first");
_Static_assert(offsetof(struct topology, name) == 0, "name first");
_Static_assert(offsetof(struct cluster_queue, name) == 0, "name first");
_Static_assert(offsetof(struct cohort, name) == 0, "name first");
_Static_assert(offsetof(struct local_queue, name) == 0, "name first");
_Static_assert(offsetof(struct local_queue, ns) == 4, "namespace second");
_Static_assert(offsetof(struct priority_class, name) == 0, "name first");
_Static_assert(offsetof(struct admission_check, name) == 0, "name first");
_Static_assert(offsetof(struct resource_quota, name) == 0, "name first");
_Static_assert(offsetof(struct resource_quota, ns) == 4, "namespace second");
_Static_assert(offsetof(struct limit_range, name) == 0, "name first");
_Static_assert(offsetof(struct limit_range, ns) == 4, "namespace second");
_Static_assert(offsetof(struct disruption_budget, name) == 0, "name first");
_Static_assert(offsetof(struct disruption_budget, ns) == 4, "namespace second");
_Static_assert(offsetof(struct scheduler_profile, name) == 0, "name first");
_Static_assert(offsetof(struct node, name) == 0, "name first");

static const struct {
	enum kind kind;
	const char *name;
	bool namespaced;
	int update;
} rows[] = {
	{KIND_NAMESPACE, "Namespace", false, UPDATE_NAMESPACE},
	{KIND_FLAVOR, "ResourceFlavor", false, UPDATE_FLAVOR},
	{KIND_TOPOLOGY, "Topology", false, UPDATE_TOPOLOGY},
	{KIND_CLUSTER_QUEUE, "ClusterQueue", false, UPDATE_CLUSTER_QUEUE},
	{KIND_COHORT, "Cohort", false, UPDATE_COHORT},
	{KIND_LOCAL_QUEUE, "LocalQueue", true, UPDATE_LOCAL_QUEUE},
	{KIND_PRIORITY_CLASS, "PriorityClass", false, -1},
	{KIND_WORKLOAD_PRIORITY_CLASS, "WorkloadPriorityClass", false,
	 UPDATE_WORKLOAD_PRIORITY_CLASS},
	{KIND_CHECK, "AdmissionCheck", false, UPDATE_ADMISSION_CHECK},
	{KIND_PROVISIONING_CONFIG, "ProvisioningRequestConfig", false, -1},
	{KIND_RESOURCE_QUOTA, "ResourceQuota", true, -1},
	{KIND_LIMIT_RANGE, "LimitRange", true, -1},
	{KIND_BUDGET, "PodDisruptionBudget", true, -1},
	{KIND_PROFILE, "profile of kube-scheduler", false, -1},
	{KIND_NODE, "Node", false, UPDATE_NODE},
	{KIND_RUNTIME_CLASS, "RuntimeClass", false, -1},
};

START_TEST(table)
{
	const struct kind_row *row = kinds_row(rows[_i].kind);

	ck_assert_str_eq(row->name, rows[_i].name);
	ck_assert_int_eq(row->namespaced, rows[_i].namespaced);
	ck_assert_int_eq(row->update, rows[_i].update);
	ck_assert_uint_ge(row->size, 8);
	ck_assert_int_eq(ROWS(rows), KIND_COUNT);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, table, 0, ROWS(rows));
	return objects_case_run("sim/scenario/kinds", t);
}
