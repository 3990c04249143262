/* test_resolve.c - names become indices; what is missing is told, not guessed. */
#include "sim/load/resolve.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "

static const char classes[] =
	"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: pods}\n"
	"value: 7\npreemptionPolicy: Never\n---\n"
	"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: usual}\n"
	"value: 30\nglobalDefault: true\n---\n"
	"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: usual-too}\n"
	"value: 20\nglobalDefault: true\n---\n" KUEUE
	"WorkloadPriorityClass\nmetadata: {name: gold}\nvalue: 500\n---\n" KUEUE
	"WorkloadPriorityClass\nmetadata: {name: pods}\nvalue: 600\n---\n";

/* Spec KUEUE.md 1.5; the lowest of several defaults counts. */
static const struct {
	const char *class;
	int32_t priority, pod_priority;
	bool never;
} priorities[] = {
	{"", 20, 20, false},
	{", priorityClass: gold", 500, 20, false},
	{", priorityClass: pods", 600, 7, true},
	{", priorityClass: usual", 30, 30, false},
	{", priorityClass: system-node-critical", 2000001000, 2000001000, false},
	{", priorityClass: system-cluster-critical", 2000000000, 2000000000, false},
};

START_TEST(priority)
{
	char text[2000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "%sapiVersion: gqsim/v1\nkind: Simulation\njobs: [{name: a, duration: 1%s}]\n",
		 classes, priorities[_i].class);
	s = objects_case_load(text);
	ck_assert_int_eq(s->jobs[0].common->priority, priorities[_i].priority);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, priorities[_i].pod_priority);
	ck_assert_int_eq((s->jobs[0].common->flags & JOB_NEVER_PREEMPTS) != 0,
			 priorities[_i].never);
	scenario_free(s);
}
END_TEST

START_TEST(no_classes_at_all)
{
	struct scenario *s = objects_case_load("apiVersion: gqsim/v1\nkind: Simulation\n"
					       "jobs: [{name: a, duration: 1}]\n");

	ck_assert_int_eq(s->jobs[0].common->priority, 0);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, 0);
	scenario_free(s);
}
END_TEST

/* A Job's label names its workload's class, its template that of its pods. */
START_TEST(two_classes_of_a_job)
{
	char text[3000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "%sapiVersion: batch/v1\nkind: Job\n"
		 "metadata: {name: j, labels: {kueue.x-k8s.io/priority-class: gold}}\n"
		 "spec: {template: {spec: {priorityClassName: pods, containers: [{name: c}]}}}\n",
		 classes);
	s = objects_case_load(text);
	ck_assert_int_eq(s->jobs[0].common->priority, 500);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, 7);
	ck_assert(s->jobs[0].common->flags & JOB_NEVER_PREEMPTS);
	scenario_free(s);
}
END_TEST

/* jobframework.ExtractPriority: a label names a WorkloadPriorityClass, a pod's template a
 * PriorityClass, whatever other class has the same name. */
static const struct {
	const char *labels, *template;
	int32_t priority, pod_priority;
} namesakes[] = {
	{"", "priorityClassName: pods, ", 7, 7},
	{", labels: {kueue.x-k8s.io/priority-class: pods}", "", 600, 20},
	{", labels: {kueue.x-k8s.io/priority-class: pods}", "priorityClassName: pods, ", 600, 7},
};

START_TEST(classes_of_one_name)
{
	char text[3000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "%sapiVersion: batch/v1\nkind: Job\nmetadata: {name: j%s}\n"
		 "spec: {template: {spec: {%scontainers: [{name: c}]}}}\n",
		 classes, namesakes[_i].labels, namesakes[_i].template);
	s = objects_case_load(text);
	ck_assert_int_eq(s->jobs[0].common->priority, namesakes[_i].priority);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, namesakes[_i].pod_priority);
	scenario_free(s);
}
END_TEST

/* A label that names a class of pods only names nothing. */
START_TEST(class_of_pods_in_a_label)
{
	struct scenario *s = objects_case_load(
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: fast}\n"
		"value: 30\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j, labels: "
		"{kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/priority-class: fast}}\n"
		"spec: {template: {spec: {containers: [{name: c}]}}}\n");

	ck_assert_int_eq(s->jobs[0].common->priority, 0);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, 0);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "names WorkloadPriorityClass \"fast\" in a label, which is not in the input"));
	scenario_free(s);
}
END_TEST

/* Live objects first, then versions; updates by time, then by input order. */
START_TEST(updates)
{
	struct scenario *s = objects_case_load(
		KUEUE
		"WorkloadPriorityClass\nmetadata: {name: w, annotations: {gqsim/at: \"5\"}}\n"
		"value: 2\n---\n" KUEUE
		"Cohort\nmetadata: {name: late, annotations: {gqsim/at: \"9.5\"}}\n---\n" KUEUE
		"Cohort\nmetadata: {name: late, annotations: {gqsim/at: \"20\"}}\n---\n" KUEUE
		"ClusterQueue\nmetadata: {name: q, annotations: {gqsim/at: \"5\"}}\n"
		"spec: {namespaceSelector: {}, stopPolicy: Hold}\n---\n" KUEUE
		"WorkloadPriorityClass\nmetadata: {name: w}\nvalue: 1\n---\n"
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
		"metadata: {name: p}\nvalue: 3\n---\n" KUEUE
		"ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}\n");
	const struct update *u = s->updates;

	ck_assert_uint_eq(s->update_count, 4);
	ck_assert_int_eq(u[0].kind, UPDATE_WORKLOAD_PRIORITY_CLASS);
	ck_assert_int_eq(u[0].at, 5 * CLOCK_SECOND);
	ck_assert_uint_eq(s->priority_class_count, 2);
	ck_assert_uint_eq(u[0].object, 1); /* behind the PriorityClass */
	ck_assert_uint_eq(u[0].version, 2);
	ck_assert_int_eq(s->priority_classes[u[0].object].value, 1);
	ck_assert_int_eq(s->priority_classes[u[0].version].value, 2);
	ck_assert_int_eq(u[1].kind, UPDATE_CLUSTER_QUEUE);
	ck_assert_uint_eq(u[1].object, 0);
	ck_assert_int_eq(s->cluster_queues[u[1].version].stop, STOP_HOLD);
	ck_assert_int_eq(s->cluster_queues[u[1].object].stop, STOP_NONE);
	ck_assert_int_eq(u[2].at, 9 * CLOCK_SECOND + CLOCK_SECOND / 2);
	ck_assert_uint_eq(s->cohort_count, 1); /* without quota until it is made */
	ck_assert(s->cohorts[0].implicit);
	ck_assert_uint_eq(u[2].object, 0);
	ck_assert(!s->cohorts[u[2].version].implicit);
	ck_assert_uint_eq(u[3].object, 0);
	scenario_free(s);
}
END_TEST

/* What is only made later is there from the start, absent; a deletion is a version. */
START_TEST(comings_and_goings)
{
	struct scenario *s = objects_case_load(
		KUEUE "ClusterQueue\nmetadata: {name: q, annotations: {gqsim/at: \"5\", "
		      "gqsim/delete-at: \"9\"}}\nspec: {namespaceSelector: {}}\n---\n" KUEUE
		      "LocalQueue\nmetadata: {name: l, namespace: a}\nspec: {clusterQueue: q}\n"
		      "---\napiVersion: v1\nkind: Node\n"
		      "metadata: {name: k, annotations: {gqsim/delete-at: \"7\"}}\n");
	const struct update *u = s->updates;

	ck_assert_uint_eq(s->update_count, 3);
	ck_assert_uint_eq(s->cluster_queue_count, 1);
	ck_assert(s->cluster_queues[0].absent);
	ck_assert_uint_eq(s->local_queues[0].cluster_queue, 0);
	ck_assert_uint_eq(u[0].object, 0);
	ck_assert(!s->cluster_queues[u[0].version].absent);
	ck_assert_int_eq(u[1].kind, UPDATE_NODE);
	ck_assert(s->nodes[u[1].version].deleted && !s->nodes[u[1].version].ready);
	ck_assert(!s->nodes[0].deleted);
	ck_assert_int_eq(u[2].at, 9 * CLOCK_SECOND);
	ck_assert(s->cluster_queues[u[2].version].absent);
	scenario_free(s);
}
END_TEST

START_TEST(implicit_cohorts)
{
	struct scenario *s = objects_case_load(
		KUEUE "ClusterQueue\nmetadata: {name: q}\n"
		      "spec: {namespaceSelector: {}, cohortName: named}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: child}\nspec: {parentName: root}\n---\n" KUEUE
		      "ClusterQueue\nmetadata: {name: r}\n"
		      "spec: {namespaceSelector: {}, cohortName: child}\n");

	ck_assert_uint_eq(s->cohort_count, 3);
	ck_assert(!s->cohorts[0].implicit);
	ck_assert_str_eq(scenario_string(s, s->cohorts[1].name), "named");
	ck_assert(s->cohorts[1].implicit);
	ck_assert_str_eq(scenario_string(s, s->cohorts[2].name), "root");
	ck_assert_uint_eq(s->cohorts[0].parent, 2);
	ck_assert_uint_eq(s->cohorts[2].parent, SCENARIO_NONE);
	ck_assert_uint_eq(s->cluster_queues[0].cohort, 1);
	ck_assert_uint_eq(s->cluster_queues[1].cohort, 0);
	ck_assert_int_eq(s->cohorts[2].fair_weight, NANO);
	scenario_free(s);
}
END_TEST

START_TEST(cycles)
{
	struct scenario *s = objects_case_load(
		KUEUE "Cohort\nmetadata: {name: below}\nspec: {parentName: b}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: a}\nspec: {parentName: b}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: b}\nspec: {parentName: c}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: c}\nspec: {parentName: a}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: self}\nspec: {parentName: self}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: fine}\nspec: {parentName: top}\n");

	ck_assert(s->cohorts[0].in_cycle);
	ck_assert(s->cohorts[1].in_cycle);
	ck_assert(s->cohorts[4].in_cycle);
	ck_assert(!s->cohorts[5].in_cycle);
	ck_assert(!s->cohorts[6].in_cycle);
	ck_assert_uint_eq(s->finding_count, 2);
	ck_assert_ptr_nonnull(objects_case_finding(s, "t:8:18: cohorts form a cycle (a -> b -> c "
						      "-> a)"));
	ck_assert_ptr_nonnull(objects_case_finding(s, "cycle (self -> self)"));
	scenario_free(s);
}
END_TEST

/* What Kubernetes and Kueue take though it leads nowhere. */
START_TEST(dangling_references)
{
	struct scenario *s = objects_case_load(
		KUEUE "ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"
		      "  admissionChecksStrategy: {admissionChecks: [{name: nocheck}]}\n"
		      "  resourceGroups:\n  - coveredResources: [cpu]\n"
		      "    flavors: [{name: noflavor, resources: [{name: cpu, nominalQuota: 1}]}]\n"
		      "---\n" KUEUE "LocalQueue\nmetadata: {name: l}\n"
		      "spec: {clusterQueue: noqueue}\n---\n" KUEUE
		      "ResourceFlavor\nmetadata: {name: f}\n"
		      "spec: {nodeLabels: {a: b}, topologyName: notopology}\n---\n"
		      "apiVersion: gqsim/v1\nkind: Simulation\n"
		      "jobs: [{name: a, count: 3, duration: 1, queue: nolocal}]\n");

	ck_assert_uint_eq(s->cluster_queues[0].groups[0].flavors[0], SCENARIO_NONE);
	ck_assert_uint_eq(s->cluster_queues[0].checks[0].check, SCENARIO_NONE);
	ck_assert_uint_eq(s->local_queues[0].cluster_queue, SCENARIO_NONE);
	ck_assert_uint_eq(s->flavors[0].topology, SCENARIO_NONE);
	ck_assert_uint_eq(s->jobs[0].common->local_queue, JOB_NONE);
	ck_assert_ptr_nonnull(objects_case_finding(s, "ResourceFlavor \"noflavor\""));
	ck_assert_ptr_nonnull(objects_case_finding(s, "AdmissionCheck \"nocheck\""));
	ck_assert_ptr_nonnull(objects_case_finding(s, "ClusterQueue \"noqueue\""));
	ck_assert_ptr_nonnull(objects_case_finding(s, "Topology \"notopology\""));
	ck_assert_ptr_nonnull(objects_case_finding(s, "no LocalQueue \"nolocal\""));
	ck_assert_uint_eq(objects_case_findings(s), 5); /* the three jobs share one */
	scenario_free(s);
}
END_TEST

/* A queue that gives each flavor a variant of its workloads, and a job of it that is elastic. */
START_TEST(elastic_jobs_have_no_variants)
{
	static const char yaml[] =
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"featureGates: {ConcurrentAdmission: %s, ElasticJobsViaWorkloadSlices: true}\n"
		"---\n" KUEUE "ResourceFlavor\nmetadata: {name: f}\n---\n" KUEUE
		"ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"
		"  concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}\n"
		"  resourceGroups:\n  - coveredResources: [cpu]\n"
		"    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]\n---\n" KUEUE
		"LocalQueue\nmetadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"
		"---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n"
		"  annotations: {kueue.x-k8s.io/elastic-job: 'true', gqsim/duration: 10s}\n"
		"  labels: {kueue.x-k8s.io/queue-name: q}\nspec:\n  template:\n    spec:\n"
		"      restartPolicy: Never\n      containers:\n      - name: c\n"
		"        image: i\n        resources: {requests: {cpu: 1}}\n";
	char text[sizeof(yaml) + 10];
	struct scenario *s;

	snprintf(text, sizeof(text), yaml, _i == 1 ? "true" : "false");
	s = objects_case_load(text);
	ck_assert_int_eq(objects_case_finding(s, "of elastic jobs is not modelled") != NULL, _i);
	scenario_free(s);
}
END_TEST

START_TEST(namespaces)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: given, labels: {team: x}}\n---\n"
		"apiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
		"- {name: a, duration: 1, namespace: used}\n"
		"- {name: a, duration: 1, namespace: given}\n");
	uint32_t key = objects_case_string(s, "kubernetes.io/metadata.name");

	ck_assert_uint_eq(s->namespace_count, 2);
	ck_assert_uint_eq(s->namespaces[0].labels.count, 2);
	ck_assert_str_eq(objects_case_text(s, label_value(&s->namespaces[0].labels, key)), "given");
	ck_assert_str_eq(objects_case_text(s, label_value(&s->namespaces[1].labels, key)), "used");
	scenario_free(s);
}
END_TEST

START_TEST(order_of_submits)
{
	struct scenario *s = objects_case_load("apiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
					       "- {name: a, duration: 1, submitAt: 9}\n"
					       "- {name: b, duration: 1, submitAt: 2}\n"
					       "- {name: c, duration: 1, submitAt: 9}\n"
					       "- {name: d, duration: 1, submitAt: 2}\n");
	static const uint32_t expected[] = {1, 3, 0, 2};

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(scenario_by_submit(s, i), expected[i]);
	scenario_free(s);
}
END_TEST

/* A LocalQueue "default" takes what names no queue (spec KUEUE.md 1.8). */
START_TEST(default_queue)
{
	struct scenario *s = objects_case_load(
		KUEUE
		"ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}\n---\n" KUEUE
		"LocalQueue\nmetadata: {name: default, namespace: k}\n"
		"spec: {clusterQueue: q}\n---\n"
		"apiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
		"- {name: a, duration: 1, namespace: k}\n"
		"- {name: b, duration: 1, namespace: m}\n");

	ck_assert_uint_eq(s->jobs[0].common->local_queue, 0);
	ck_assert(!(s->jobs[0].common->flags & JOB_UNMANAGED));
	ck_assert_uint_eq(s->jobs[1].common->local_queue, JOB_NONE);
	ck_assert(s->jobs[1].common->flags & JOB_UNMANAGED);
	scenario_free(s);
}
END_TEST

START_TEST(manage_without_queue_name)
{
	struct scenario *s = objects_case_load(
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"manageJobsWithoutQueueName: true\n---\n"
		"apiVersion: gqsim/v1\nkind: Simulation\njobs: [{name: a, duration: 1}]\n");

	ck_assert(!(s->jobs[0].common->flags & JOB_UNMANAGED));
	ck_assert_uint_eq(s->jobs[0].common->queue, NAME_NONE);
	scenario_free(s);
}
END_TEST

/* LimitRange and RuntimeClass may stand anywhere; each namespace has its own. */
START_TEST(templates_get_their_amounts)
{
	static const char job[] =
		"---\napiVersion: batch/v1\nkind: Job\n"
		"metadata: {name: j, namespace: %s, annotations: {gqsim/duration: \"1\"}}\n"
		"spec: {parallelism: 2, template: {spec: {runtimeClassName: kata, "
		"containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}}\n";
	char text[3000];
	size_t used = 0;
	struct scenario *s;
	const struct pod_shape *a, *b;

	used += (size_t)snprintf(text, sizeof(text), job, "one");
	used += (size_t)snprintf(text + used, sizeof(text) - used, job, "two");
	snprintf(text + used, sizeof(text) - used,
		 "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: two}\n"
		 "spec: {limits: [{type: Container, defaultRequest: {cpu: 500m}}]}\n"
		 "---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\n"
		 "handler: kata\noverhead: {podFixed: {memory: 120Mi}}\n");
	s = objects_case_load(text);
	ck_assert_uint_eq(s->limit_range_count, 1);
	a = &s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape];
	b = &s->shapes[s->pod_sets[s->jobs[1].common->first_pod_set].shape];
	ck_assert_int_eq(a->request[RES_CPU], 0);
	ck_assert_int_eq(b->request[RES_CPU], 500);
	ck_assert_int_eq(a->request[RES_MEMORY], INT64_C(120) << 20);
	ck_assert_int_eq(b->request[RES_MEMORY], INT64_C(120) << 20);
	ck_assert_int_eq(b->gpus, 1);
	ck_assert_uint_eq(s->jobs[1].common->gpus, 2);
	ck_assert_uint_eq(s->jobs[1].common->pods, 2);
	scenario_free(s);
}
END_TEST

START_TEST(creation_times)
{
	static const char job[] =
		"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j%d, creationTimestamp: "
		"\"2026-11-02T08:%02d:00Z\"%s}\nspec: {template: {spec: {restartPolicy: Never, "
		"containers: [{name: "
		"c}]}}}\n"
		"status: {startTime: \"2026-11-02T09:00:00Z\", completionTime: "
		"\"2026-11-02T09:30:05Z\"}\n";
	char text[3000];
	size_t used = 0;
	struct scenario *s;

	used += (size_t)snprintf(text, sizeof(text), job, 0, 10, "");
	used += (size_t)snprintf(text + used, sizeof(text) - used, job, 1, 5, "");
	snprintf(text + used, sizeof(text) - used, job, 2, 1,
		 ", annotations: {gqsim/submit-at: 7s}");
	s = objects_case_load(text);
	ck_assert_int_eq(s->jobs[0].submit, 5 * CLOCK_MINUTE);
	ck_assert_int_eq(s->jobs[1].submit, 0);
	ck_assert_int_eq(s->jobs[2].submit, 7 * CLOCK_SECOND);
	ck_assert_int_eq(s->jobs[0].duration, 30 * CLOCK_MINUTE + 5 * CLOCK_SECOND);
	ck_assert_uint_eq(s->finding_count, 0); /* no duration was assumed */
	scenario_free(s);
}
END_TEST

START_TEST(the_last_of_two_holds)
{
	struct scenario *s = objects_case_load(
		KUEUE "WorkloadPriorityClass\nmetadata: {name: a}\nvalue: 1\n---\n" KUEUE
		      "WorkloadPriorityClass\nmetadata: {name: b}\nvalue: 2\n---\n" KUEUE
		      "WorkloadPriorityClass\nmetadata: {name: a}\nvalue: 3\n");

	ck_assert_uint_eq(s->priority_class_count, 2);
	ck_assert_int_eq(s->priority_classes[0].value, 3); /* in the first one's place */
	ck_assert_int_eq(s->priority_classes[1].value, 2);
	ck_assert_ptr_nonnull(objects_case_finding(s, "t:13:18: WorkloadPriorityClass \"a\" is "
						      "defined twice, first at t:3"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, priority, 0, ROWS(priorities));
	tcase_add_test(t, no_classes_at_all);
	tcase_add_test(t, two_classes_of_a_job);
	tcase_add_loop_test(t, classes_of_one_name, 0, ROWS(namesakes));
	tcase_add_test(t, class_of_pods_in_a_label);
	tcase_add_test(t, updates);
	tcase_add_test(t, comings_and_goings);
	tcase_add_test(t, implicit_cohorts);
	tcase_add_test(t, cycles);
	tcase_add_test(t, dangling_references);
	tcase_add_test(t, namespaces);
	tcase_add_loop_test(t, elastic_jobs_have_no_variants, 0, 2);
	tcase_add_test(t, order_of_submits);
	tcase_add_test(t, default_queue);
	tcase_add_test(t, manage_without_queue_name);
	tcase_add_test(t, templates_get_their_amounts);
	tcase_add_test(t, creation_times);
	tcase_add_test(t, the_last_of_two_holds);
	return objects_case_run("sim/load/resolve", t);
}
