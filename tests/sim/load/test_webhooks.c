/* test_webhooks.c - ClusterQueues and annotations that Kueue's webhooks refuse. */
#include "sim/load/webhooks.h"

#include "tests/sim/objects_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define GATES(list)                                                                                \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: {" list     \
	"}\n---\n" KUEUE "ResourceFlavor\nmetadata: {name: f}\n---\n"
#define QUEUE(head, spec)                                                                          \
	KUEUE "ClusterQueue\nmetadata: {name: q" head "}\nspec:\n  namespaceSelector: {}\n" spec   \
	      "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "       \
	      "[{name: "                                                                           \
	      "cpu, nominalQuota: 1}]}]}]\n"
#define POLICY "  concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}\n"
#define CHECK(flavor)                                                                              \
	"  admissionChecksStrategy: {admissionChecks: [{name: c, onFlavors: [" flavor "]}]}\n"
#define LATER ", annotations: {gqsim/at: '5'}"

#define ELASTIC                                                                                    \
	"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j, annotations: "    \
	"{kueue.x-k8s.io/elastic-job: \"true\"}}\nspec: {replicatedJobs: [{name: r, template: "    \
	"{spec: {template: {spec: {containers: [{name: c}]}}}}}]}\n"

static const struct {
	const char *text, *says; /* NULL: nothing */
} rows[] = {
	{GATES("ConcurrentAdmission: true") QUEUE("", POLICY), NULL},
	{GATES("ConcurrentAdmission: true") QUEUE("", POLICY "  queueingStrategy: StrictFIFO\n"),
	 "spec.queueingStrategy: StrictFIFO cannot be used"},
	{GATES("") QUEUE("", POLICY "  queueingStrategy: StrictFIFO\n"), NULL},
	{GATES("ConcurrentAdmission: true") QUEUE("", POLICY) "---\n" QUEUE(LATER, ""),
	 "spec.concurrentAdmissionPolicy: field is immutable"},
	{GATES("") QUEUE("", "") "---\n" QUEUE(LATER, CHECK("f")), NULL},
	{GATES("") QUEUE("", "") "---\n" QUEUE(LATER, CHECK("g")),
	 "onFlavors[0]: Unsupported value: \"g\": supported values: \"f\""},
	{GATES("") QUEUE("", CHECK("g")) "---\n" QUEUE(LATER, CHECK("g")), NULL},
	{GATES("") ELASTIC, "elastic-job: elastic job is not supported for "
			    "\"jobset.x-k8s.io/v1alpha2, Kind=JobSet\""},
	{GATES("ElasticJobsViaWorkloadSlices: false") ELASTIC, NULL},
};

START_TEST(queues)
{
	struct objects_case c = objects_case(rows[_i].text);

	if (rows[_i].says == NULL) {
		ck_assert_msg(c.code == ERR_OK, "%s", c.message);
		scenario_free(c.s);
		return;
	}
	ck_assert_int_eq(c.code, ERR_VALUE);
	ck_assert_msg(strstr(c.message, rows[_i].says) != NULL, "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, queues, 0, ROWS(rows));
	return objects_case_run("sim/load/webhooks", t);
}
