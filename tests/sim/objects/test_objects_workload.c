/* test_objects_workload.c - Workloads as kubectl prints them. */
#include "sim/objects/objects_workload.h"

#include "tests/sim/dump_case.h"

static const char whole[] =
	"apiVersion: v1\nkind: List\nmetadata: {resourceVersion: \"\"}\nitems:\n"
	"- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: Workload\n  metadata:\n"
	"    creationTimestamp: \"2026-03-01T10:00:00Z\"\n    generation: 1\n"
	"    finalizers: [kueue.x-k8s.io/resource-in-use]\n"
	"    managedFields: [{manager: kueue, operation: Apply, fieldsV1: {\"f:status\": {}}}]\n"
	"    labels: {kueue.x-k8s.io/job-uid: 0e1c}\n    name: jobset-train-1b2c3\n"
	"    namespace: k\n    resourceVersion: \"812\"\n    uid: 77\n"
	"    ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: train,"
	" uid: 1, controller: true, blockOwnerDeletion: true}]\n  spec:\n    active: true\n"
	"    queueName: q\n    priority: 700\n"
	"    priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: high}\n"
	"    maximumExecutionTimeSeconds: 3600\n    podSets:\n"
	"    - {name: leader, count: 1, template: {spec: {containers: [{name: c}]}}}\n"
	"    - name: workers\n      count: 4\n      minCount: 2\n      topologyRequest:\n"
	"        {required: rack, podSetSliceRequiredTopology: host, podSetSliceSize: 2,"
	" podIndexLabel: i, subGroupIndexLabel: s, subGroupCount: 1}\n"
	"      template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, resources:"
	" {requests: {cpu: 1, nvidia.com/gpu: 2}}}], nodeSelector: {gpu: h100}}}\n"
	"  status:\n    admission: {clusterQueue: cq, podSetAssignments: []}\n    conditions:\n"
	"    - {type: QuotaReserved, status: \"True\", observedGeneration: 1, reason: "
	"QuotaReserved,"
	" message: m, lastTransitionTime: \"2026-03-01T10:01:30Z\"}\n"
	"    - {type: Admitted, status: \"True\", reason: Admitted, lastTransitionTime: "
	"\"2026-03-01T10:01:40Z\"}\n"
	"    - {type: Finished, status: \"True\", reason: Succeeded, lastTransitionTime: "
	"\"2026-03-01T10:31:40Z\"}\n"
	"    schedulingStats: {evictions: [{reason: Preempted, underlyingCause: \"\", count: 2},"
	" {reason: NodeFailures, count: 1}]}\n"
	"    resourceRequests: []\n    accumulatedPastExecutionTimeSeconds: 7\n";

START_TEST(a_workload_is_a_job)
{
	struct scenario *s = objects_case_load(whole);
	const struct job *job = &s->jobs[0];
	const struct pod_set *sets = &s->pod_sets[job->common->first_pod_set];
	const struct pod_shape *shape = &s->shapes[sets[1].shape];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_str_eq(objects_case_text(s, job->name), "jobset-train-1b2c3");
	ck_assert_str_eq(objects_case_text(s, job->common->ns), "k");
	ck_assert_str_eq(objects_case_text(s, job->common->queue), "q");
	ck_assert(!(job->common->flags & JOB_UNMANAGED));
	ck_assert_int_eq(job->common->priority, 700);
	ck_assert_int_eq(job->common->pod_priority, 0);
	ck_assert_int_eq(job->duration, 30 * CLOCK_MINUTE);
	ck_assert_int_eq(s->extras[job->extra].max_execution, CLOCK_HOUR);
	ck_assert_uint_eq(job->common->pod_set_count, 2);
	ck_assert_uint_eq(job->common->gpus, 8);
	ck_assert_str_eq(objects_case_text(s, sets[0].name), "leader");
	ck_assert_uint_eq(sets[1].count, 4);
	ck_assert_uint_eq(sets[1].min_count, 2);
	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_str_eq(objects_case_text(s, shape->topology_level), "rack");
	ck_assert_str_eq(objects_case_text(s, shape->slice_level), "host");
	ck_assert_uint_eq(shape->slice_size, 2);
	ck_assert_uint_eq(shape->node_selector.count, 1);
	ck_assert_ptr_null(objects_case_finding(s, "unknown"));
	scenario_free(s);
}
END_TEST

START_TEST(and_a_record)
{
	struct scenario *s = objects_case_load(whole);
	const struct recorded *r = s->recorded;

	ck_assert_uint_eq(s->recorded_count, 1);
	ck_assert_uint_eq(r->job, 0);
	ck_assert_int_eq(r->reserved, 90 * CLOCK_SECOND);
	ck_assert_int_eq(r->admitted, 100 * CLOCK_SECOND);
	ck_assert_int_eq(r->finished, 1900 * CLOCK_SECOND);
	ck_assert_uint_eq(r->evictions, 3);
	ck_assert_int_eq(s->recorded_until, 1900 * CLOCK_SECOND);
	scenario_free(s);
}
END_TEST

#define OLD(spec)                                                                                  \
	"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\nmetadata: {name: w}\nspec:\n"         \
	"  queueName: q\n  podSets: [{name: main, count: 1, template: {spec: {priorityClassName: " \
	"pods, containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]\n" spec     \
	"\n---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: pods}, "  \
	"value: 50}\n"

static const struct {
	const char *text;
	int priority, pod_priority;
} priorities[] = {
	{OLD("  priority: 700\n  priorityClassName: gone\n"
	     "  priorityClassSource: kueue.x-k8s.io/workloadpriorityclass"),
	 700, 50},
	{OLD("  priority: 70\n  priorityClassName: other\n"
	     "  priorityClassSource: scheduling.k8s.io/priorityclass"),
	 70, 50},
	{OLD("  priority: -5"), -5, 50},
	{OLD(""), 50, 50},
	{"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w}\nspec: {priority:"
	 " 9, priorityClassRef: {group: scheduling.k8s.io, kind: PriorityClass, name: gone}, "
	 "podSets: [{name: m, count: 1, template: {spec: {containers: [{name: c}]}}}]}\n",
	 9, 9},
};

START_TEST(its_priority_is_the_number_it_has)
{
	struct scenario *s = objects_case_load(priorities[_i].text);

	ck_assert_int_eq(s->jobs[0].common->priority, priorities[_i].priority);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, priorities[_i].pod_priority);
	scenario_free(s);
}
END_TEST

/* ---- what became of it ---- */

#define ONE(status) DUMP_CASE_WORKLOAD("w", "10:00:00", "", "1", status)
#define FALSE(type, time)                                                                          \
	"{type: " type ", status: \"False\", reason: R, lastTransitionTime: \"2026-03-01T" time    \
	"Z\"}"

static const struct {
	const char *text;
	int admitted, duration, cancel; /* seconds; -1: never */
	unsigned evictions;
} fates[] = {
	{ONE(DUMP_CASE_RAN("10:00:05", "10:01:05")), 5, 60, -1, 0},
	{ONE(DUMP_CASE_RUNS("10:00:05")), 5, 0, -1, 0},
	{ONE("{}"), -1, 0, -1, 0},
	{ONE("null"), -1, 0, -1, 0},
	/* evicted and waiting; evicted once and let in again; by an old Kueue */
	{ONE("{conditions: [" FALSE("QuotaReserved", "10:05:00") ", " DUMP_CASE_AT(
		 "Evicted",
		 "10:05:00") "], "
			     "requeueState: {count: 1, requeueAt: \"2026-03-01T10:06:00Z\"}}"),
	 -1, 0, -1, 1},
	{ONE("{conditions: [" DUMP_CASE_AT("Admitted", "10:09:00") ", " FALSE("Evicted",
									      "10:09:00") "]}"),
	 540, 0, -1, 1},
	/* over, or stopped, without ever having had quota */
	{ONE("{conditions: [" DUMP_CASE_AT("Finished", "10:02:00") "]}"), -1, 0, 120, 0},
	/* a clock that ran backwards */
	{ONE(DUMP_CASE_RAN("10:09:00", "10:08:00")), 540, 0, -1, 0},
	/* what no API server would say */
	{ONE("{conditions: 5, schedulingStats: [], requeueState: x}"), -1, 0, -1, 0},
	{ONE("{conditions: [5, [], {type: [a]}, {type: Admitted}, {status: \"True\"}, {type: "
	     "Admitted, status: \"True\", lastTransitionTime: yesterday}]}"),
	 -1, 0, -1, 0},
	{ONE("{schedulingStats: {evictions: [{count: -1}, {count: 4294967295}, 7]}}"), -1, 0, -1,
	 0},
};

START_TEST(conditions_tell_what_became_of_it)
{
	struct scenario *s = objects_case_load(fates[_i].text);
	const struct recorded *r = s->recorded;
	simtime cancel = s->extras[s->jobs[0].extra].cancel_at;

	ck_assert_int_eq(r->admitted == CLOCK_NEVER ? -1 : r->admitted / CLOCK_SECOND,
			 fates[_i].admitted);
	ck_assert_int_eq(s->jobs[0].duration, fates[_i].duration * CLOCK_SECOND);
	ck_assert_int_eq(cancel == CLOCK_NEVER ? -1 : cancel / CLOCK_SECOND, fates[_i].cancel);
	ck_assert_uint_eq(r->evictions, fates[_i].evictions);
	scenario_free(s);
}
END_TEST

START_TEST(a_deactivated_one_is_cancelled_then)
{
	struct scenario *s = objects_case_load(
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, "
		"creationTimestamp: \"2026-03-01T10:00:00Z\"}\nspec:\n  active: false\n"
		"  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]\n"
		"status: {conditions: [" FALSE("QuotaReserved", "10:05:00") ", " DUMP_CASE_AT(
			"Evicted", "10:05:00") "]}\n");

	ck_assert_int_eq(s->extras[s->jobs[0].extra].cancel_at, 300 * CLOCK_SECOND);
	scenario_free(s);
}
END_TEST

START_TEST(without_its_creation_it_has_not_waited)
{
	struct scenario *s = objects_case_load(
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w}\nspec:\n"
		"  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]\n"
		"status: " DUMP_CASE_RAN("10:00:05", "10:01:05") "\n");

	ck_assert_int_eq(s->recorded[0].admitted, CLOCK_NEVER);
	ck_assert_int_eq(s->jobs[0].submit, 0);
	ck_assert_int_eq(s->jobs[0].duration, CLOCK_MINUTE);
	scenario_free(s);
}
END_TEST

#define ENDED(why)                                                                                 \
	ONE("{conditions: [" DUMP_CASE_AT(                                                         \
		"QuotaReserved", "10:00:00") ", {type: Finished, "                                 \
					     "status: \"True\", reason: " why                      \
					     ", lastTransitionTime: \"2026-03-01T11:00:00Z\"}]}")

static const struct {
	const char *text, *says;
	unsigned jobs;
} reasons[] = {
	{ENDED("WorkloadSliceReplaced"), "slice of the same elastic job replaced", 0},
	{ENDED("OutOfSync"), "out of sync with its job", 0},
	{ENDED("Failed"), "whose job failed: works here as long as it did there", 1},
	{ENDED("Succeeded"), NULL, 1},
};

START_TEST(some_that_ended_are_told_apart)
{
	struct scenario *s = objects_case_load(reasons[_i].text);

	ck_assert_uint_eq(s->job_count, reasons[_i].jobs);
	if (reasons[_i].says != NULL)
		ck_assert_ptr_nonnull(objects_case_finding(s, reasons[_i].says));
	else
		ck_assert_ptr_null(objects_case_finding(s, "Workload"));
	scenario_free(s);
}
END_TEST

/* ---- pods ---- */

#define SETS(sets)                                                                                 \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, ownerReferences:" \
	" [{kind: Pod, name: p}]}\nspec: {queueName: q, podSets: [" sets "]}\n"

START_TEST(pods_that_start_again_never_end)
{
	struct scenario *s = objects_case_load(
		SETS("{count: 1, template: {spec: {restartPolicy: Always, containers: [{name: c, "
		     "resources: {requests: {nvidia.com/gpu: 1}}}]}}}"));

	ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
	scenario_free(s);
}
END_TEST

START_TEST(slices_inside_slices)
{
	struct scenario *s = objects_case_load(
		SETS("{count: 8, topologyRequest: {preferred: block, "
		     "podsetSliceRequiredTopologyConstraints: [{topology: rack, size: 4}, "
		     "{topology: host, size: 2}]}, template: {spec: {containers: [{name: c}]}}}"));
	const struct pod_shape *shape =
		&s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape];

	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_PREFERRED);
	ck_assert_str_eq(objects_case_text(s, shape->slice_level), "rack");
	ck_assert_uint_eq(shape->slice_size, 4);
	ck_assert_uint_eq(shape->inner_slice_count, 1);
	ck_assert_uint_eq(shape->inner_slices[0].size, 2);
	scenario_free(s);
}
END_TEST

START_TEST(without_pods_it_is_left_out)
{
	struct scenario *s =
		objects_case_load(SETS("{count: 0, template: {spec: {containers: [{name: c}]}}}"));

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "has no pods: left out"));
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} wrong[] = {
	{"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w}\n",
	 "t:1:1: Workload \"w\": spec is missing"},
	{"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w}\nspec: {}\n",
	 "t:4:7: Workload \"w\": spec: podSets is missing"},
	{"apiVersion: kueue.x-k8s.io/v1\nkind: Workload\nmetadata: {name: w}\nspec: {}\n",
	 "t:1:13: Workload: apiVersion \"kueue.x-k8s.io/v1\" of Workload is unknown; Kueue has "
	 "v1beta2, v1beta1 and, for old Cohorts and Topologies, v1alpha1"},
	{SETS("{count: -1, template: {spec: {containers: [{name: c}]}}}"), "spec.podSets[0].count"},
	{SETS("{count: 2, minCount: 0, template: {spec: {containers: [{name: c}]}}}"),
	 "spec.podSets[0].minCount: 0 is not between 1 and"},
	{SETS("{count: 2, minCount: 3, template: {spec: {containers: [{name: c}]}}}"),
	 "minCount is 3, but count only 2"},
	{SETS("{name: a, count: 2, minCount: 1, template: {spec: {containers: [{name: c}]}}}, "
	      "{name: b, count: 2, minCount: 1, template: {spec: {containers: [{name: c}]}}}"),
	 "no more than one pod set can have a minCount"},
	{SETS("{count: 1}"), "spec.podSets[0]: template is missing"},
	{SETS("5"), "spec.podSets[0]"},
	{SETS("{count: 2, topologyRequest: {podSetSliceRequiredTopology: host}, template: {spec: "
	      "{containers: [{name: c}]}}}"),
	 "a slice needs a podSetSliceSize of 1 or more"},
};

/* Its webhook looks at no more than that sizes are above 0. */
START_TEST(layers_that_do_not_divide)
{
	struct objects_case c = objects_case(
		SETS("{count: 6, topologyRequest: {podsetSliceRequiredTopologyConstraints: "
		     "[{topology: rack, size: 3}, {topology: host, size: 2}]}, template: {spec: "
		     "{containers: [{name: c}]}}}"));

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_ptr_nonnull(objects_case_finding(
		c.s, "size 2 does not divide 3, the size of the constraint before it: it is never "
		     "admitted"));
	scenario_free(c.s);
}
END_TEST

START_TEST(slices_larger_than_all_pods)
{
	struct objects_case c = objects_case(
		SETS("{count: 2, topologyRequest: {podSetSliceRequiredTopology: host, "
		     "podSetSliceSize: 3}, template: {spec: {containers: [{name: c}]}}}"));

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_ptr_nonnull(objects_case_finding(
		c.s, "a slice of 3 pods is more than the 2 pods there are: it is never admitted"));
	scenario_free(c.s);
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
	struct objects_case c = objects_case(wrong[_i].text);

	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, wrong[_i].message) != NULL, "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_workload_is_a_job);
	tcase_add_test(t, and_a_record);
	tcase_add_loop_test(t, its_priority_is_the_number_it_has, 0, ROWS(priorities));
	tcase_add_loop_test(t, conditions_tell_what_became_of_it, 0, ROWS(fates));
	tcase_add_test(t, a_deactivated_one_is_cancelled_then);
	tcase_add_test(t, without_its_creation_it_has_not_waited);
	tcase_add_loop_test(t, some_that_ended_are_told_apart, 0, ROWS(reasons));
	tcase_add_test(t, pods_that_start_again_never_end);
	tcase_add_test(t, slices_inside_slices);
	tcase_add_test(t, without_pods_it_is_left_out);
	tcase_add_test(t, slices_larger_than_all_pods);
	tcase_add_test(t, layers_that_do_not_divide);
	tcase_add_loop_test(t, what_is_wrong_is_said, 0, ROWS(wrong));
	return objects_case_run("sim/objects/objects_workload", t);
}
