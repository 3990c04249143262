/* test_objects_cluster.c - nodes, namespaces, priority classes, quotas and limits. */
#include "sim/objects/objects_cluster.h"

#include "sim/scenario/template.h"
#include "tests/sim/objects_case.h"

#define NODE "apiVersion: v1\nkind: Node\nmetadata: {name: m}\n"

static const struct {
	const char *text;
	int64_t cpu, memory, gpus, pods;
	bool ready;
} nodes[] = {
	{NODE, RES_UNLIMITED, RES_UNLIMITED, 0, 110, true},
	{NODE "status: {capacity: {cpu: 4, nvidia.com/gpu: 8}}", 4000, RES_UNLIMITED, 8, 110, true},
	{NODE "status: {capacity: {cpu: 4, nvidia.com/gpu: 8, pods: 20}, allocatable: {cpu: 3}}",
	 3000, RES_UNLIMITED, 0, 110, true},
	{NODE "status: {allocatable: {memory: 1Gi, amd.com/gpu: 2, nvidia.com/gpu: 1, pods: 7}}",
	 RES_UNLIMITED, INT64_C(1) << 30, 3, 7, true},
	{NODE "status: {conditions: [{type: Ready, status: \"True\"}]}", RES_UNLIMITED,
	 RES_UNLIMITED, 0, 110, true},
	{NODE "status: {conditions: [{type: Ready, status: Unknown}]}", RES_UNLIMITED,
	 RES_UNLIMITED, 0, 110, false},
	{NODE "status: {conditions: [{type: DiskPressure, status: \"False\"}]}", RES_UNLIMITED,
	 RES_UNLIMITED, 0, 110, true},
};

START_TEST(capacity_and_readiness)
{
	struct scenario *s = objects_case_load(nodes[_i].text);
	const struct node *n = &s->nodes[0];

	ck_assert_int_eq(n->allocatable[RES_CPU], nodes[_i].cpu);
	ck_assert_int_eq(n->allocatable[RES_MEMORY], nodes[_i].memory);
	ck_assert_int_eq(n->allocatable[RES_PODS], nodes[_i].pods);
	ck_assert_int_eq(n->gpus, nodes[_i].gpus);
	ck_assert_int_eq(n->ready, nodes[_i].ready);
	ck_assert_uint_eq(n->zone, NAME_NONE);
	ck_assert_uint_eq(n->pool, NAME_NONE);
	scenario_free(s);
}
END_TEST

START_TEST(all_of_a_node)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: Node\nmetadata:\n  name: m\n"
		"  labels: {topology.kubernetes.io/zone: z, node.kubernetes.io/instance-type: big,"
		" eks.amazonaws.com/nodegroup: group}\n"
		"  annotations: {gqsim/usd-per-hour: \"98.32\"}\n"
		"spec: {unschedulable: true, providerID: x, taints: [{key: a, value: b, effect: "
		"NoSchedule, timeAdded: \"2026-01-01T00:00:00Z\"}]}\n");
	const struct node *n = &s->nodes[0];

	ck_assert(n->unschedulable);
	ck_assert_uint_eq(n->taints.count, 1);
	ck_assert_str_eq(objects_case_text(s, n->zone), "z");
	ck_assert_str_eq(objects_case_text(s, n->pool), "group"); /* the more telling label */
	ck_assert_int_eq(n->micro_usd_per_hour, 98320000);
	ck_assert_uint_eq(n->labels.count, 3);
	scenario_free(s);
}
END_TEST

START_TEST(resource_quota)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: m}\n"
		"spec: {hard: {requests.cpu: 8, cpu: 4, requests.nvidia.com/gpu: 2, pods: "
		"3}}\n---\n"
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: r, namespace: m}\n"
		"spec: {hard: {limits.cpu: 8, count/jobs.batch: 3, persistentvolumeclaims: 1}}\n");
	const struct resource_quota *q = &s->resource_quotas[0];

	ck_assert_str_eq(objects_case_text(s, q->ns), "m");
	ck_assert_int_eq(q->hard[RES_CPU], 4000); /* both spellings: the smaller */
	ck_assert_int_eq(q->hard[RES_GPU], 2);
	ck_assert_int_eq(q->hard[RES_MEMORY], -1);
	ck_assert_int_eq(q->hard_pods, 3);
	ck_assert((q->plain >> RES_CPU & 1) != 0 && (q->plain >> RES_GPU & 1) == 0);
	ck_assert_int_eq(s->resource_quotas[1].hard[RES_CPU], -1);
	ck_assert_int_eq(s->resource_quotas[1].hard_limits[RES_CPU], 8000);
	ck_assert_int_eq(s->resource_quotas[1].hard_pods, -1);
	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_int_eq(s->findings[0].kind, FINDING_NOT_MODELLED);
	scenario_free(s);
}
END_TEST

START_TEST(quota_scopes)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: m}\n"
		"spec: {hard: {pods: 3}, scopes: [NotTerminating], scopeSelector: "
		"{matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high, "
		"low]}]}}\n---\n"
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\n"
		"value: 1\nglobalDefault: true\n---\n"
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
		"value: 9\n---\n"
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: "
		"{priorityClassName: high, containers: [{name: c}]}}}\n---\n"
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: b}\nspec: {template: {spec: "
		"{activeDeadlineSeconds: 5, containers: [{name: c}]}}}\n");
	const struct resource_quota *q = &s->resource_quotas[0];

	ck_assert_uint_eq(q->scope_count, 2);
	ck_assert_int_eq(q->scopes[0].name, SCOPE_NOT_TERMINATING);
	ck_assert_int_eq(q->scopes[1].name, SCOPE_PRIORITY_CLASS);
	ck_assert_int_eq(q->scopes[1].op, MATCH_IN);
	ck_assert_str_eq(objects_case_text(s, q->scopes[1].values[1]), "low");
	ck_assert_str_eq(objects_case_text(s, s->pod_classes[0]), "high");
	ck_assert_str_eq(objects_case_text(s, s->pod_classes[1]), "low");
	ck_assert(!s->shapes[0].deadline && s->shapes[1].deadline);
	scenario_free(s);
}
END_TEST

/* What the API server fills in: max is the default limit, that the default request. */
START_TEST(limit_range)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: m}\n"
		"spec:\n  limits:\n  - {type: PersistentVolumeClaim, max: {storage: 1Gi}}\n"
		"  - {type: Container, max: {cpu: 4}, min: {memory: 1Mi}, default: {memory: 2Mi}}\n"
		"  - {type: Pod, max: {cpu: 8}}\n");
	const struct limit_range *l = &s->limit_ranges[0];

	ck_assert_uint_eq(l->item_count, 2);
	ck_assert(!l->items[0].pod);
	ck_assert_int_eq(l->items[0].max[RES_CPU], 4000);
	ck_assert_int_eq(l->items[0].max[RES_MEMORY], -1);
	ck_assert_int_eq(l->items[0].default_limit[RES_CPU], 4000);
	ck_assert_int_eq(l->items[0].default_request[RES_CPU], 4000);
	ck_assert_int_eq(l->items[0].default_request[RES_MEMORY], INT64_C(2) << 20);
	ck_assert_int_eq(l->items[0].default_request[RES_GPU], -1);
	ck_assert(l->items[1].pod);
	ck_assert_ptr_null(l->items[1].default_request);
	scenario_free(s);
}
END_TEST

START_TEST(classes_and_namespaces)
{
	struct scenario *s = objects_case_load(
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\n"
		"value: 5\nglobalDefault: true\npreemptionPolicy: PreemptLowerPriority\n---\n"
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: m, labels: {a: b}}\n"
		"spec: {finalizers: [kubernetes]}\nstatus: {phase: Active}\n");

	ck_assert(s->priority_classes[0].global_default);
	ck_assert(!s->priority_classes[0].never_preempts);
	ck_assert(!s->priority_classes[0].workload);
	ck_assert_uint_eq(s->namespaces[0].labels.count, 2); /* with the one of its name */
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, capacity_and_readiness, 0, ROWS(nodes));
	tcase_add_test(t, all_of_a_node);
	tcase_add_test(t, resource_quota);
	tcase_add_test(t, quota_scopes);
	tcase_add_test(t, limit_range);
	tcase_add_test(t, classes_and_namespaces);
	return objects_case_run("sim/objects/objects_cluster", t);
}
