/* test_objects_appwrapper.c - AppWrappers and what they wrap. */
#include "sim/objects/objects_appwrapper.h"

#include "tests/sim/roles_case.h"

#define API	   "workload.codeflare.dev/v1beta2"
#define KIND	   "AppWrapper"
#define T(n)	   "template: " ROLES_CPU(n)
#define WRAP(what) "components: [{template: {" what "}}]"
#define GROUPS                                                                                     \
	"headGroupSpec: {" T(1) "}, workerGroupSpecs: [{replicas: 2, numOfHosts: 4, " T(           \
		2) "}, {" T(3) "}]"

static const struct roles_case rows[] = {
	{WRAP("apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {containers: [{name: "
	      "c, resources: {requests: {cpu: 7m}}}]}"),
	 "j-0 1x7m"},
	{WRAP("apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3, " T(1) "}"), "j-0 3x1m"},
	{WRAP("apiVersion: apps/v1, kind: StatefulSet, spec: {" T(1) "}"), "j-0 1x1m"},
	{WRAP("apiVersion: batch/v1, kind: Job, spec: {parallelism: 4, completions: 3, " T(1) "}"),
	 "j-0 3x1m"},
	{WRAP("apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: "
	      "[{replicas: 2, template: {spec: {parallelism: 3, " T(1) "}}}, {template: {spec: {" T(
		      2) "}}}]}"),
	 "j-0 6x1m j-1 1x2m"},
	{WRAP("apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Worker: "
	      "{replicas: 2, " T(2) "}, Master: {" T(1) "}}}"),
	 "j-0 1x1m j-1 2x2m"},
	/* as AppWrapper infers them: without numOfHosts and submitter */
	{WRAP("apiVersion: ray.io/v1, kind: RayCluster, spec: {" GROUPS "}"),
	 "j-0 1x1m j-1 2x2m j-2 1x3m"},
	{WRAP("apiVersion: ray.io/v1, kind: RayJob, spec: {rayClusterSpec: {" GROUPS "}}"),
	 "j-0 1x1m j-1 2x2m j-2 1x3m"},
	/* declared ones hold; each component goes on counting */
	{"components: [{podSets: [{replicas: 2, path: \"template.spec.list[1].here\"}], template: "
	 "{apiVersion: x/v1, kind: X, spec: {list: [{}, {here: " ROLES_CPU(
		 4) "}]}}}, {template: "
		    "{apiVersion: batch/v1, kind: Job, spec: {" T(1) "}}}]",
	 "j-0 2x4m j-1 1x1m"},
	{"components: [{template: {apiVersion: v1, kind: Service}}, {template: {apiVersion: "
	 "batch/v1, kind: Job, spec: {" T(1) "}}}]",
	 "j-0 1x1m", "this component has no pods"},
	{WRAP("apiVersion: batch/v1, kind: Job, spec: {template: {metadata: {annotations: "
	      "{kueue.x-k8s.io/podset-required-topology: rack, "
	      "kueue.x-k8s.io/podset-preferred-topology: host}}, spec: {containers: [{name: c, "
	      "resources: {requests: {cpu: 1m}}}]}}}"),
	 "j-0 1x1m", "Kueue admits this AppWrapper all the same"},
	{"suspend: true", NULL, "AppWrapper \"j\": spec: components is missing"},
	{"components: {}", NULL, "spec.components"},
	{"components: [{}]", NULL, "spec.components[0]: template is missing"},
	{"components: [{template: 3}]", NULL, "spec.components[0]"},
	{"components: [{podSets: [{replicas: 1}], template: {kind: X}}]", NULL,
	 "spec.components[0].podSets[0]: path is missing"},
	{"components: [{podSets: [{path: \"template.spec[9\"}], template: {kind: X, spec: []}}]",
	 NULL, "there is no pod template at \"template.spec[9\""},
	{"components: [{podSets: [{path: spec.template}], template: {kind: X}}]", NULL,
	 "there is no pod template at \"spec.template\""},
	{"components: [{podSets: [{path: template.a..b}], template: {kind: X, a: {\"\": {}}}}]",
	 NULL, "there is no pod template at"},
	{"components: [{podSets: [{path: template.a}], template: {kind: X, a: {b: 1}}}]", NULL,
	 "content at \"template.a\" does not contain a spec"},
	{"components: [{podSets: [{replicas: -1, path: template.a}], template: {kind: X}}]", NULL,
	 "spec.components[0].podSets[0].replicas: -1"},
	{WRAP("apiVersion: apps/v1, kind: Deployment, spec: {replicas: lots, " T(1) "}"), NULL,
	 "spec.components[0]"},
};

START_TEST(pod_sets)
{
	roles_case_check(API, KIND, &rows[_i]);
}
END_TEST

/* What the copy for Kueue has lost of a pod: what Kueue counts, and what the pod takes of a node. */
static const struct {
	const char *spec;
	int64_t counted, request;
	const char *at; /* of the warning; NULL: none */
} copies[] = {
	{"containers: [{name: c, resources: {requests: {cpu: 3}}}], initContainers: [{name: i, "
	 "restartPolicy: Always, resources: {requests: {cpu: 2}}}]",
	 3000, 5000, "restartPolicy"},
	{"containers: [{name: c, resources: {requests: {cpu: 3}}}], initContainers: [{name: i, "
	 "restartPolicy: Never, resources: {requests: {cpu: 4}}}]",
	 4000, 4000, NULL},
	{"runtimeClassName: kata, containers: [{name: c, resources: {requests: {cpu: 3}}}]", 3000,
	 3250, "runtimeClassName"},
	{"runtimeClassName: kata, overhead: {cpu: 1}, containers: [{name: c, resources: {requests: "
	 "{cpu: 3}}}]",
	 4000, 4000, "runtimeClassName"},
	{"resources: {requests: {cpu: 7}}, containers: [{name: c, resources: {requests: {cpu: "
	 "3}}}]",
	 3000, 7000, "resources"},
	{"resources: {limits: {cpu: 7}}, containers: [{name: c}]", 0, 7000, "resources"},
};

START_TEST(what_kueue_counts)
{
	char text[2000];
	struct objects_case c;
	const struct pod_shape *shape;

	snprintf(text, sizeof(text),
		 "apiVersion: " API "\nkind: " KIND "\nmetadata: {name: j, labels: "
		 "{kueue.x-k8s.io/queue-name: q}}\nspec: {" WRAP(
			 "apiVersion: batch/v1, kind: "
			 "Job, spec: {template: {spec: "
			 "{%s}}}") "}\n"
				   "---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: "
				   "{name: "
				   "kata}\nhandler: kata\noverhead: {podFixed: {cpu: 250m}}\n",
		 copies[_i].spec);
	c = objects_case(text);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	shape = &c.s->shapes[c.s->pod_sets[c.s->jobs[0].common->first_pod_set].shape];
	ck_assert_int_eq(pod_shape_counted(shape)[RES_CPU], copies[_i].counted);
	ck_assert_int_eq(shape->request[RES_CPU], copies[_i].request);
	ck_assert_int_eq(objects_case_finding(c.s, "Kueue counts the pods of an AppWrapper "
						   "without") != NULL,
			 copies[_i].at != NULL);
	scenario_free(c.s);
}
END_TEST

START_TEST(at_most_8_components)
{
	char spec[1000] = "components: [{}, {}, {}, {}, {}, {}, {}, {}, {}]";

	ck_assert_ptr_nonnull(strstr(roles_case_read(API, KIND, "", spec).message,
				     "spec.components: 9 items; at most 8 are allowed"));
}
END_TEST

/* With a service in it it runs without end. */
START_TEST(how_long)
{
	struct scenario *s = roles_case_load(
		API, KIND, "", WRAP("apiVersion: apps/v1, kind: Deployment, spec: {" T(1) "}"));

	ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
	scenario_free(s);
	s = roles_case_load(API, KIND, "",
			    WRAP("apiVersion: batch/v1, kind: Job, spec: {" T(1) "}"));
	ck_assert_int_eq(s->jobs[0].duration, CLOCK_HOUR);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("appwrapper");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_loop_test(tests, what_kueue_counts, 0, ROWS(copies));
	tcase_add_test(tests, at_most_8_components);
	tcase_add_test(tests, how_long);
	return objects_case_run("objects_appwrapper", tests);
}
