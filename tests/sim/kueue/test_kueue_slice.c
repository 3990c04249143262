/* test_kueue_slice.c - elastic jobs grow by slices, and shrink in place; gated ones wait. */
#include "sim/kueue/kueue_slice.h"

#include "sim/report/report.h"
#include "tests/sim/run_case.h"

#define ELASTIC "kueue.x-k8s.io/elastic-job: \"true\", gqsim/duration: 10s, gqsim/parallelism-at: "
#define PLAIN	"gqsim/duration: 40s, gqsim/submit-at: "

static struct run_case queued(const char *yaml)
{
	struct run_options options;

	options_default(&options);
	options.placement = false;
	return run_case_with(yaml, "kueue", &options);
}

/* Four pods count those two that it has, so two more are enough. */
START_TEST(a_slice_replaces_another)
{
	struct run_case c = queued(RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
		"e", ELASTIC "'5=4'", "parallelism: 2, completions: 20"));

	run_case_has(&c, "\n0 reserve e\n");
	run_case_has(&c, "\n5 resize e\n");
	run_case_has(&c, "\n5 work e-2 2\n5 work e-3 3\n");
	run_case_lacks(&c, "preempt");
	run_case_free(&c);
}
END_TEST

/* Nor is it stopped while it waits for more. */
START_TEST(it_waits_for_quota)
{
	struct run_case c = queued(RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
		"e", ELASTIC "'5=4'", "parallelism: 2, completions: 20")
					   RUN_CASE_QUEUED("o", PLAIN "1s", "parallelism: 1"));

	run_case_has(&c, "\n41 finish o\n");
	run_case_has(&c, "\n42 resize e\n");
	run_case_has(&c, "\n5 status e\n");
	run_case_lacks(&c, "evict");
	run_case_free(&c);
}
END_TEST

/* Whoever came before the slice that is asked for, but after the one that runs, has nobody newer to
 * make room for him. */
START_TEST(what_runs_is_no_newer_for_more)
{
	struct run_case c = queued(
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: "
		"f}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec: {namespaceSelector: {}, queueingStrategy: StrictFIFO, preemption: "
		"{withinClusterQueue: LowerOrNewerEqualPriority}, resourceGroups: "
		"[{coveredResources: [nvidia.com/gpu], flavors: [{name: f, resources: "
		"[{name: nvidia.com/gpu, nominalQuota: 3}]}]}]}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		"metadata: {name: q, namespace: default}\nspec: {clusterQueue: "
		"q}\n" RUN_CASE_QUEUED("e", ELASTIC "'20=3'", "parallelism: 1, completions: 5")
			RUN_CASE_QUEUED("w", PLAIN "10s", "parallelism: 3"));

	run_case_has(&c, "\n50 finish e\n");
	run_case_has(&c, "\n50 reserve w\n");
	run_case_lacks(&c, "preempt");
	run_case_free(&c);
}
END_TEST

/* What it gives up is free for others, a second later. */
START_TEST(it_shrinks_in_place)
{
	struct run_case c = queued(RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
		"e", ELASTIC "'25=1'", "parallelism: 4, completions: 20")
					   RUN_CASE_QUEUED("o", PLAIN "1s", "parallelism: 3"));

	run_case_has(&c, "\n25 resize e\n");
	run_case_has(&c, "\n26 reserve o\n");
	run_case_free(&c);
}
END_TEST

/* A pod is done while the cycle that is to replace its slice waits for others to be ready: it
 * is the new slice, of four, that gives back one pod. */
START_TEST(replaced_when_a_pod_is_done)
{
	struct run_case c =
		run_case("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			 "waitForPodsReady: {blockAdmission: true}\n---\n" RUN_CASE_NODE("1")
				 RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
					 "e", ELASTIC "'5=4'", "parallelism: 2, completions: 4"),
			 "kueue");

	run_case_has(&c, "\n10 resize e\n10 want e 3\n10 create e-2\n10 reclaim e\n10 fail e-2\n");
	run_case_free(&c);
}
END_TEST

#define QUEUE_OF_COHORT(name, quota)                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, cohortName: all, resourceGroups: [{coveredResources: "   \
	"[nvidia.com/gpu], flavors: [{name: f, resources: [{name: nvidia.com/gpu, "                \
	"nominalQuota: " quota                                                                     \
	"}]}]}]}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                     \
	"metadata: {name: " name ", namespace: default}\nspec: {clusterQueue: " name "}\n"
#define JOB_OF(queue, annotations, spec)                                                           \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " queue                            \
	", labels: {kueue.x-k8s.io/queue-name: " queue "}, annotations: {" annotations             \
	"}}\nspec: {" spec ", " RUN_CASE_TEMPLATE "}\n"

/* The slice of 15 that cannot be becomes one of 6, in place of the 10. In that cycle Kueue takes
 * the 4 from the queue, not from the cohort, and the 10, of which the cohort has 6 then: it
 * counts 4 for the slice, and others get 8 of the 14, though 12 would fit beside nothing. */
START_TEST(a_smaller_slice)
{
	struct run_case c = queued(
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: "
		"f}\n" QUEUE_OF_COHORT("a", "14") QUEUE_OF_COHORT("b", "0")
			QUEUE_OF_COHORT("c", "0") QUEUE_OF_COHORT("d", "0") JOB_OF(
				"a", ELASTIC "'10=15, 20=6'", "parallelism: 10, completions: 100")
				JOB_OF("b", PLAIN "20s", "parallelism: 4")
					JOB_OF("c", PLAIN "20s", "parallelism: 4")
						JOB_OF("d", PLAIN "20s", "parallelism: 4"));

	run_case_has(&c, "\n20 resize a\n");
	run_case_has(&c, "\n20 reserve b\n");
	run_case_has(&c, "\n20 reserve c\n");
	run_case_lacks(&c, "\n20 reserve d\n");
	run_case_free(&c);
}
END_TEST

/* One that waits for its first quota just asks for more, or less. */
START_TEST(before_it_is_admitted)
{
	struct run_case c = queued(RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
		"o", PLAIN "0s", "parallelism: 3") RUN_CASE_QUEUED("e", ELASTIC "'5=1'",
								   "parallelism: 2, completions: "
								   "4"));

	run_case_has(&c, "\n5 reserve e\n");
	run_case_lacks(&c, "resize");
	run_case_free(&c);
}
END_TEST

/* Whoever is stopped comes back as big as its Job wants it now. */
START_TEST(preempted_with_a_slice_waiting)
{
	static const char objects[] =
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
		"metadata: {name: high}\nvalue: 9\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
		"metadata: {name: q}\nspec: {namespaceSelector: {}, preemption: "
		"{withinClusterQueue: LowerPriority}, resourceGroups: [{coveredResources: "
		"[nvidia.com/gpu], flavors: [{name: f, resources: [{name: nvidia.com/gpu, "
		"nominalQuota: 4}]}]}]}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		"metadata: {name: q, namespace: default}\nspec: {clusterQueue: "
		"q}\n" RUN_CASE_QUEUED(
			"e", ELASTIC "'5=6, 30=4'",
			"parallelism: 3, completions: 20") "---\napiVersion: batch/v1\nkind: "
							   "Job\nmetadata: {name: h, labels: "
							   "{kueue.x-k8s.io/queue-name: q, "
							   "kueue.x-k8s.io/priority-class: high}, "
							   "annotations: "
							   "{gqsim/submit-at: 10s, gqsim/duration: "
							   "7s}}\nspec: {parallelism: 2, "
							   "completions: 2, " RUN_CASE_TEMPLATE
							   "}\n";
	struct run_case c = queued(objects);

	run_case_has(&c, "\n10 preempt e\n");
	run_case_has(&c, "\n15 reserve h\n");
	run_case_has(&c, "\n30 reserve e\n");
	run_case_lacks(&c, "resize");
	run_case_free(&c);
}
END_TEST

/* Whose admission is gated waits in no queue. */
START_TEST(a_gate_is_taken_away)
{
	static const char gated[] = RUN_CASE_QUEUE("4") RUN_CASE_QUEUED(
		"g",
		"gqsim/duration: 10s, gqsim/ungate-at: 7s, kueue.x-k8s.io/admission-gated-by: x",
		"parallelism: 1")
		RUN_CASE_QUEUED("m", "gqsim/duration: 10s, kueue.x-k8s.io/admission-gated-by: v",
				"parallelism: 1");
	struct run_case
		c = queued(gated),
		off = queued(
			"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			"featureGates: {AdmissionGatedBy: false}\n" RUN_CASE_QUEUE("4")
				RUN_CASE_QUEUED(
					"m",
					"gqsim/duration: 10s, kueue.x-k8s.io/admission-gated-by: v",
					"parallelism: 1"));

	run_case_has(&c, "\n7 reserve g\n");
	run_case_lacks(&c, "reserve m");
	run_case_has(&off, "\n0 reserve m\n");
	run_case_free(&c);
	run_case_free(&off);
}
END_TEST

/* Two nodes of 4 GPUs; a Job that grows from two pods of one GPU each to three. */
#define TOPOLOGY                                                                                   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: o}\n"           \
	"spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n"                                  \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n"                                         \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "     \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n"          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" HOST("a") HOST("b")
#define HOST(name)                                                                                 \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	", labels: {pool: p, kubernetes.io/hostname: " name "}}\n"                                 \
	"status: {allocatable: {nvidia.com/gpu: '4'}}\n"
#define KEEPS_SLICES                                                                               \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {ElasticJobsViaWorkloadSlicesWithTAS: true}\n"

static const struct {
	const char *yaml, *want[3];
} spread[] = {
	{KEEPS_SLICES TOPOLOGY RUN_CASE_QUEUED("e", ELASTIC "'5=3'",
					       "parallelism: 2, completions: 20"),
	 {"QuotaReserved,default/e,q,count=2;flavors=nvidia.com/gpu:f;borrow=0;topology=a:2\n",
	  "Resized,default/e,q,count=3;flavors=nvidia.com/gpu:f;borrow=0;topology=a:2+b:1\n",
	  "PodScheduled,default/e,q,pod=e-0-r1;node=a\n"}},
	{TOPOLOGY RUN_CASE_QUEUED("e", ELASTIC "'5=3'", "parallelism: 2, completions: 20"),
	 {"QuotaReserved,default/e,q,count=2;flavors=nvidia.com/gpu:f;borrow=0;topology=a:2\n",
	  "Resized,default/e,q,count=3;flavors=nvidia.com/gpu:f;borrow=0;topology=b:3\n",
	  "PodScheduled,default/e,q,pod=e-0-r1;node=b\n"}},
	{KEEPS_SLICES TOPOLOGY RUN_CASE_QUEUED("e", ELASTIC "'5=1, 15=4'",
					       "parallelism: 2, completions: 20"),
	 {"5,5,Resized,default/e,q,count=1;flavors=nvidia.com/gpu:f;borrow=0;topology=a:2\n",
	  "Resized,default/e,q,count=4;flavors=nvidia.com/gpu:f;borrow=0;topology=a:2+b:2\n",
	  "PodScheduled,default/e,q,pod=e-2;node=b\n"}},
};

/* The pods that are there stay, and count twice when more are placed, as in Kueue; without
 * the gate all are placed anew, and go there once they are made again. What shrinks keeps
 * its places. */
START_TEST(slices_in_a_topology)
{
	struct run_case c = run_case(spread[_i].yaml, "kueue");
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	report_events_write(out, c.journal, true);
	fclose(out);
	for (int i = 0; i < 3; i++)
		ck_assert_msg(strstr(got, spread[_i].want[i]) != NULL, "no \"%s\" in\n%s",
			      spread[_i].want[i], got);
	free(got);
	run_case_free(&c);
}
END_TEST

/* A queue of 8 GPUs whose check asks for nodes, of which there may be so many of 4 GPUs; a Job
 * of two pods that wants four at 50 s. */
#define K "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define CHECKED(nodes, parallelism)                                                                \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n" K        \
	"ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, "                        \
	"admissionChecksStrategy: {admissionChecks: [{name: c}]}, resourceGroups: "                \
	"[{coveredResources: [nvidia.com/gpu], flavors: [{name: f, resources: [{name: "            \
	"nvidia.com/gpu, nominalQuota: 8}]}]}]}\n" K                                               \
	"LocalQueue\nmetadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" K         \
	"AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: "                             \
	"kueue.x-k8s.io/provisioning-request, parameters: {apiGroup: kueue.x-k8s.io, kind: "       \
	"ProvisioningRequestConfig, name: p}}\n" K                                                 \
	"ProvisioningRequestConfig\nmetadata: {name: p}\nspec: {provisioningClassName: "           \
	"best-effort-atomic-scale-up.autoscaling.x-k8s.io}\n---\napiVersion: gqsim/v1\nkind: "     \
	"Simulation\nnodePools: [{name: m, count: 1, maxSize: " nodes ", gpus: 4}]\n"              \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: e, labels: "                       \
	"{kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/elastic-job: 'true', "       \
	"gqsim/duration: 100s, gqsim/parallelism-at: '" parallelism "'}}\n"                        \
	"spec: {parallelism: 2, completions: 8, " RUN_CASE_TEMPLATE "}\n"

/* It has its quota at once, and replaces the old slice; its pods come with its nodes. */
START_TEST(a_slice_waits_for_its_checks)
{
	struct run_case c = run_case(CHECKED("1", "50=4"), "kueue");

	run_case_has(&c, "\n10 admit e\n");
	run_case_has(&c, "\n50 resize e\n50 ?");
	run_case_lacks(&c, "\n50 create");
	run_case_has(&c, "\n60 admit e\n60 want e 4\n60 create e-2\n60 create e-3\n");
	run_case_lacks(&c, "evict");
	run_case_free(&c);
}
END_TEST

/* The job waited for its first admission alone. */
START_TEST(a_slice_is_no_wait_of_its_job)
{
	struct run_case c = run_case(CHECKED("1", "50=4"), "kueue");
	struct metrics *m = metrics_new(c.journal, true, c.journal->end_time);

	ck_assert_uint_eq(m->admission_wait.jobs, 1);
	ck_assert_uint_eq(m->admitted_wait.jobs, 1);
	ck_assert_double_eq(m->admitted_wait.max, 10);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

/* Until then pods that are done are not followed by others: these are gated. The request
 * expires after a week, and then the whole job stops. */
START_TEST(a_slice_whose_checks_fail)
{
	struct run_case c = run_case(CHECKED("1", "50=5"), "kueue");

	run_case_has(&c, "\n110 done e-0\n110 want e 1\n110 done e-1\n110 want e 0\n");
	run_case_lacks(&c, "\n110 create");
	run_case_has(&c, "\n604920 evict e\n604925 release e\n");
	run_case_has(&c, "\n604925 reserve e\n");
	run_case_free(&c);
}
END_TEST

/* Before it is admitted at all it may ask for more, by another slice, or less. */
START_TEST(resized_while_its_checks_are_outstanding)
{
	struct run_case more = run_case(CHECKED("1", "5=4"), "kueue");
	struct run_case less = run_case(CHECKED("1", "5=1"), "kueue");

	run_case_has(&more, "\n5 resize e\n5 ?");
	run_case_has(&more,
		     "\n10 admit e\n10 create e-0\n10 create e-1\n10 create e-2\n10 create e-3\n");
	run_case_has(&less, "\n5 resize e\n10 ?");
	run_case_has(&less, "\n10 admit e\n10 create e-0\n10 bind e-0 n0\n");
	run_case_free(&more);
	run_case_free(&less);
}
END_TEST

/* Kueue's webhook of Jobs refuses them. */
static const struct {
	const char *annotations, *template, *message;
} refused[] = {
	{"kueue.x-k8s.io/job-min-parallelism: '1'", "metadata: {}",
	 "partial admission and elastic job cannot be used together"},
	{"a: b", "metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}",
	 "required topology is not supported with elastic jobs"},
};

START_TEST(what_cannot_be_elastic)
{
	char text[1000];
	struct objects_case c;

	snprintf(text, sizeof(text),
		 "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, annotations: {%s, "
		 "kueue.x-k8s.io/elastic-job: 'true'}}\nspec: {parallelism: 2, completions: 2, "
		 "template: {%s, spec: {containers: [{name: c}]}}}\n",
		 refused[_i].annotations, refused[_i].template);
	c = objects_case(text);
	ck_assert(c.code != ERR_OK);
	ck_assert_msg(strstr(c.message, refused[_i].message) != NULL, "%s", c.message);
	scenario_free(c.s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_slice");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_slice_replaces_another);
	tcase_add_test(t, it_waits_for_quota);
	tcase_add_test(t, what_runs_is_no_newer_for_more);
	tcase_add_test(t, it_shrinks_in_place);
	tcase_add_test(t, replaced_when_a_pod_is_done);
	tcase_add_test(t, a_smaller_slice);
	tcase_add_test(t, before_it_is_admitted);
	tcase_add_test(t, preempted_with_a_slice_waiting);
	tcase_add_test(t, a_gate_is_taken_away);
	tcase_add_test(t, a_slice_waits_for_its_checks);
	tcase_add_test(t, a_slice_is_no_wait_of_its_job);
	tcase_add_test(t, a_slice_whose_checks_fail);
	tcase_add_test(t, resized_while_its_checks_are_outstanding);
	tcase_add_loop_test(t, slices_in_a_topology, 0, ROWS(spread));
	tcase_add_loop_test(t, what_cannot_be_elastic, 0, 2);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
