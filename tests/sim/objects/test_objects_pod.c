/* test_objects_pod.c - pod templates: amounts, where they may go, topology. */
#include "sim/objects/objects_pod.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

/* A Job of one pod with this spec and these template annotations. */
static const char job_text[] =
	"apiVersion: batch/v1\nkind: Job\n"
	"metadata: {name: j, annotations: {gqsim/duration: \"1\"}}\n"
	"spec: {parallelism: 8, template: {metadata: {labels: {a: b}, annotations: {%s}}, "
	"spec: {%s}}}\n";

static struct scenario *load(const char *spec, const char *annotations)
{
	char text[3000];

	snprintf(text, sizeof(text), job_text, annotations, spec);
	return objects_case_load(text);
}

static const struct pod_shape *shape(const struct scenario *s)
{
	return &s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape];
}

#define CONTAINER "containers: [{name: c, resources: {requests: {cpu: 1}}}]"

START_TEST(selectors)
{
	struct scenario *s = load(
		"restartPolicy: Never, nodeSelector: {gpu: h100}, "
		"tolerations: [{key: a, operator: Exists}, {key: b, value: c, effect: NoExecute}], "
		"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
		"{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z, "
		"w]}, "
		"{key: gpus, operator: Gt, values: [\"4\"]}]}, {matchFields: [{key: metadata.name, "
		"operator: In, values: [m]}]}]}}}, " CONTAINER,
		"");
	const struct pod_shape *p = shape(s);

	ck_assert_uint_eq(p->node_selector.count, 1);
	ck_assert_uint_eq(p->tolerations.count, 2);
	ck_assert_uint_eq(p->affinity_count, 2);
	ck_assert_uint_eq(p->affinity[0].expression_count, 2);
	ck_assert_int_eq(p->affinity[0].expressions[1].op, MATCH_GT);
	ck_assert_uint_eq(p->affinity[0].expressions[0].value_count, 2);
	ck_assert_uint_eq(p->affinity[1].field_count, 1);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

START_TEST(what_is_not_modelled_is_said)
{
	struct scenario *s = load("restartPolicy: Never, affinity: {podAntiAffinity: {}, "
				  "nodeAffinity: "
				  "{preferredDuringSchedulingIgnoredDuringExecution: []}}, "
				  "topologySpreadConstraints: [], resourceClaims: [{name: "
				  "x}], " CONTAINER,
				  "");

	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_int_eq(s->findings[0].kind, FINDING_NOT_MODELLED);
	ck_assert_ptr_nonnull(objects_case_finding(s, "a resource claim (DRA)"));
	ck_assert_ptr_null(s->shapes[0].constraints);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *annotations;
	enum topology_mode mode;
	const char *level, *slice_level, *group;
	uint32_t slice_size;
} topologies[] = {
	{"", TOPOLOGY_NONE, "-", "-", "-", 0},
	{"kueue.x-k8s.io/podset-required-topology: rack", TOPOLOGY_REQUIRED, "rack", "-", "-", 0},
	{"kueue.x-k8s.io/podset-preferred-topology: rack", TOPOLOGY_PREFERRED, "rack", "-", "-", 0},
	{"kueue.x-k8s.io/podset-unconstrained-topology: \"true\"", TOPOLOGY_UNCONSTRAINED, "-", "-",
	 "-", 0},
	{"kueue.x-k8s.io/podset-unconstrained-topology: \"false\"", TOPOLOGY_NONE, "-", "-", "-",
	 0},
	{"kueue.x-k8s.io/podset-unconstrained-topology: \"T\"", TOPOLOGY_UNCONSTRAINED, "-", "-",
	 "-", 0},
	{"kueue.x-k8s.io/podset-slice-required-topology: host, "
	 "kueue.x-k8s.io/podset-slice-size: \"4\"",
	 TOPOLOGY_NONE, "-", "host", "-", 4},
	{"kueue.x-k8s.io/podset-preferred-topology: rack, kueue.x-k8s.io/podset-group-name: g",
	 TOPOLOGY_PREFERRED, "rack", "-", "g", 0},
};

START_TEST(topology)
{
	struct scenario *s = load(CONTAINER, topologies[_i].annotations);
	const struct pod_shape *p = shape(s);

	ck_assert_int_eq(p->topology_mode, topologies[_i].mode);
	ck_assert_str_eq(objects_case_text(s, p->topology_level), topologies[_i].level);
	ck_assert_str_eq(objects_case_text(s, p->slice_level), topologies[_i].slice_level);
	ck_assert_str_eq(objects_case_text(s, p->topology_group), topologies[_i].group);
	ck_assert_uint_eq(p->slice_size, topologies[_i].slice_size);
	scenario_free(s);
}
END_TEST

/* What Kueue's webhooks refuse. */
static const struct {
	const char *annotations, *message;
} refused[] = {
	{"kueue.x-k8s.io/podset-unconstrained-topology: maybe",
	 "podset-unconstrained-topology: \"maybe\" is neither true nor false"},
	{"kueue.x-k8s.io/podset-required-topology: rack, "
	 "kueue.x-k8s.io/podset-unconstrained-topology: \"true\"",
	 "only one of required, preferred and unconstrained topology is possible"},
	{"kueue.x-k8s.io/podset-preferred-topology: rack, "
	 "kueue.x-k8s.io/podset-unconstrained-topology: \"false\"",
	 "only one of required, preferred and unconstrained topology is possible"},
	{"kueue.x-k8s.io/podset-slice-required-topology-constraints: "
	 "'[{\"topology\": \"rack\", \"size\": 4}, {\"topology\": \"rack\", \"size\": 2}]'",
	 "two constraints have the same topology"},
	{"kueue.x-k8s.io/podset-slice-size: \"4\"", "must appear together"},
	{"kueue.x-k8s.io/podset-group-name: g",
	 "podset-group-name: needs podset-required-topology or podset-preferred-topology"},
	{"kueue.x-k8s.io/podset-required-topology: rack, kueue.x-k8s.io/podset-group-name: \"5\"",
	 "podset-group-name: must not be a number"},
	{"kueue.x-k8s.io/podset-required-topology: rack, kueue.x-k8s.io/podset-group-name: g, "
	 "kueue.x-k8s.io/podset-slice-required-topology: host, "
	 "kueue.x-k8s.io/podset-slice-size: \"1\"",
	 "podset-group-name: excludes podset-slice-required-topology and podset-slice-size"},
};

START_TEST(refused_topology)
{
	char text[1000];
	struct objects_case c;

	snprintf(text, sizeof(text), job_text, refused[_i].annotations, CONTAINER);
	c = objects_case(text);
	ck_assert_msg(c.code != ERR_OK && strstr(c.message, refused[_i].message) != NULL, "%s",
		      c.message);
}
END_TEST

/* Its webhook looks at none of them. What Kueue cannot read at all it makes no Workload of. */
START_TEST(unchecked_topology)
{
	char text[1000];
	struct objects_case c;

	snprintf(text, sizeof(text),
		 "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s, labels: "
		 "{kueue.x-k8s.io/queue-name: q}}\nspec: {selector: {matchLabels: {a: b}}, "
		 "template: "
		 "{metadata: {labels: {a: b}, annotations: {%s}}, spec: {%s}}}\n",
		 refused[_i].annotations, CONTAINER);
	c = objects_case(text);
	if (strstr(refused[_i].annotations, "maybe") != NULL) {
		ck_assert_int_ne(c.code, ERR_OK);
		return;
	}
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_msg(objects_case_finding(c.s, refused[_i].message) != NULL, "%s",
		      refused[_i].message);
	scenario_free(c.s);
}
END_TEST

START_TEST(slice_layers)
{
	struct scenario *s = load(
		CONTAINER, "kueue.x-k8s.io/podset-slice-required-topology-constraints: "
			   "'[{\"topology\": \"block\", \"size\": 8}, {\"topology\": \"rack\", "
			   "\"size\": 4}, {\"topology\": \"host\", \"size\": 2}]'");
	const struct pod_shape *p = shape(s);

	ck_assert_int_eq(p->topology_mode, TOPOLOGY_NONE);
	ck_assert_str_eq(objects_case_text(s, p->slice_level), "block");
	ck_assert_uint_eq(p->slice_size, 8);
	ck_assert_uint_eq(p->inner_slice_count, 2);
	ck_assert_str_eq(objects_case_text(s, p->inner_slices[0].level), "rack");
	ck_assert_uint_eq(p->inner_slices[0].size, 4);
	ck_assert_str_eq(objects_case_text(s, p->inner_slices[1].level), "host");
	ck_assert_uint_eq(p->inner_slices[1].size, 2);
	scenario_free(s);
}
END_TEST

START_TEST(amounts)
{
	struct scenario *s =
		load("initContainers: [{name: i, resources: {requests: {cpu: 5}}}, "
		     "{name: s, restartPolicy: Always, resources: {requests: {cpu: 500m}}}], "
		     "overhead: {cpu: 10m}, containers: [{name: c, resources: {requests: {cpu: 1}, "
		     "limits: {cpu: 2, nvidia.com/gpu: 8}}}, {name: d}]",
		     "");
	const struct pod_shape *p = shape(s);

	ck_assert_int_eq(p->request[RES_CPU], 5010);
	ck_assert_int_eq(p->request[RES_GPU], 8);
	ck_assert_int_eq(p->limit[RES_GPU], 8);
	ck_assert_int_eq(p->gpus, 8);
	ck_assert_uint_eq(p->container_count, 3);
	ck_assert_int_eq(p->nonzero_memory, INT64_C(600) << 20);
	scenario_free(s);
}
END_TEST

START_TEST(pod_level_amounts)
{
	struct scenario *s = load("resources: {requests: {cpu: 3}}, " CONTAINER, "");

	ck_assert_int_eq(shape(s)->request[RES_CPU], 3000);
	scenario_free(s);
}
END_TEST

/* defaultPodRequests of the API server, UseLimitsAsMissingRequestsInPod of Kueue. */
static const struct {
	const char *spec;
	int64_t cpu;
	bool told;
} level_limits[] = {
	{"resources: {limits: {cpu: 6}}, containers: [{name: c}]", 6000, false},
	{"resources: {requests: {cpu: 2}, limits: {cpu: 6}}, " CONTAINER, 2000, false},
	/* here they differ */
	{"resources: {limits: {cpu: 6}}, " CONTAINER, 1000, true},
};

START_TEST(a_pod_level_limit_without_a_request)
{
	struct scenario *s = load(level_limits[_i].spec, "");

	ck_assert_int_eq(shape(s)->request[RES_CPU], level_limits[_i].cpu);
	ck_assert_int_eq(objects_case_finding(s, "a pod-level limit without a pod-level request") !=
				 NULL,
			 level_limits[_i].told);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, selectors);
	tcase_add_test(t, what_is_not_modelled_is_said);
	tcase_add_loop_test(t, topology, 0, ROWS(topologies));
	tcase_add_loop_test(t, refused_topology, 0, ROWS(refused));
	tcase_add_loop_test(t, unchecked_topology, 0, ROWS(refused));
	tcase_add_test(t, slice_layers);
	tcase_add_test(t, amounts);
	tcase_add_test(t, pod_level_amounts);
	tcase_add_loop_test(t, a_pod_level_limit_without_a_request, 0, ROWS(level_limits));
	return objects_case_run("sim/objects/objects_pod", t);
}
