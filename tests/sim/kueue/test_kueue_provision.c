/* test_kueue_provision.c - Admission checks that ask an autoscaler for nodes: states,
 * attempts, back-off, and what they do to the workload (spec KUEUE.md 8.4). */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

#define K	       "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define CHECK_CAPACITY "provisioningClassName: check-capacity.autoscaling.x-k8s.io"
#define SCALE_UP       "provisioningClassName: best-effort-atomic-scale-up.autoscaling.x-k8s.io"
/* Queue q of flavors f and g with these checks; check nodes with this config; a
 * Simulation document. */
#define OBJECTS(checks, config, simulation)                                                        \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n" K        \
	"kind: ResourceFlavor\nmetadata: {name: g}\n" K                                            \
	"kind: ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"                \
	"  admissionChecksStrategy: {admissionChecks: [" checks "]}\n"                             \
	"  resourceGroups:\n  - coveredResources: [cpu, nvidia.com/gpu]\n    flavors:\n"           \
	"    - name: f\n      resources: [{name: cpu, nominalQuota: 90}, "                         \
	"{name: nvidia.com/gpu, nominalQuota: 90}]\n"                                              \
	"    - name: g\n      resources: [{name: cpu, nominalQuota: 90}, "                         \
	"{name: nvidia.com/gpu, nominalQuota: 90}]\n" K                                            \
	"kind: LocalQueue\nmetadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" K   \
	"kind: AdmissionCheck\nmetadata: {name: other}\nspec: {controllerName: x/y}\n" K           \
	"kind: AdmissionCheck\nmetadata: {name: nodes}\nspec:\n"                                   \
	"  controllerName: kueue.x-k8s.io/provisioning-request\n"                                  \
	"  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: p}\n" K   \
	"kind: ProvisioningRequestConfig\nmetadata: {name: p}\nspec: {" config "}\n"               \
	"---\napiVersion: gqsim/v1\nkind: Simulation\n" simulation
#define KEEPS                                                                                      \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {CleanupProvisioningRequestsOnEviction: false}\n---\n"
/* Deactivated at 30. */
#define SWITCHED(back)	    CSV ",deactivate_s,reactivate_s" JOB("1", "nvidia.com/gpu=8,30," #back "\n")
#define ONE_NODE	    "nodePools: [{name: m, count: 1, gpus: 8}]\n"
#define CSV		    "name,namespace,queue,submit_s,duration_s,pods,requests"
#define JOB(pods, requests) "\na,default,q,0,100," pods "," requests

/* Rows, all of job a. */
#define ROW(time, event, detail) time "," event ",default/a,q," detail "\n"
#define RESERVED(time, count, resource)                                                            \
	ROW(time, "QuotaReserved", "count=" count ";flavors=" resource ":f;borrow=0")
#define GPUS(time, count) RESERVED(time, count, "nvidia.com/gpu")
#define CREATED(time, attempt, class)                                                              \
	ROW(time, "ProvisioningRequestCreated", "name=a-nodes-" attempt ";class=" class)
#define CHECKING(time, attempt) CREATED(time, attempt, "check-capacity.autoscaling.x-k8s.io")
#define SCALING(time, attempt)                                                                     \
	CREATED(time, attempt, "best-effort-atomic-scale-up.autoscaling.x-k8s.io")
#define STATE(time, from, to, message)                                                             \
	ROW(time, "AdmissionCheckUpdated",                                                         \
	    "message=Admission check nodes updated state from " from " to " to                     \
	    " with message: " message)
#define FOUND	       "Capacity is found in the cluster"
#define NOT_FOUND      "CA could not find requested capacity"
#define ADMITTED(time) ROW(time, "Admitted", "")
#define EVICTED(time, at)                                                                          \
	ROW(time, "Evicted", "reason=AdmissionCheck;requeue_count=0;requeue_at=" at)
#define DEACTIVATED(time, released)                                                                \
	ROW(time, "Evicted", "reason=DeactivatedDueToAdmissionCheck") ROW(released, "Released", "")
#define BOUND(time, pod, node) ROW(time, "PodScheduled", "pod=a-" pod ";node=" node)
/* A job that is admitted at once, and deactivated at 30. */
#define UNTIL_30                                                                                   \
	GPUS("0", "1")                                                                             \
	CHECKING("0", "1")                                                                         \
	STATE("10", "Pending", "Ready", FOUND)                                                     \
	ADMITTED("10")                                                                             \
	BOUND("10", "0", "m-0")                                                                    \
	ROW("10", "Started", "")                                                                   \
	ROW("30", "Evicted", "reason=Deactivated") ROW("35", "Released", "")
/* The checks of queue q from then on. */
#define CHECKS_AT(at, checks)                                                                      \
	K "kind: ClusterQueue\nmetadata: {name: q, annotations: {gqsim/at: '" at                   \
	  "'}}\nspec:\n  namespaceSelector: {}\n"                                                  \
	  "  admissionChecksStrategy: {admissionChecks: [" checks "]}\n"                           \
	  "  resourceGroups:\n  - coveredResources: [cpu, nvidia.com/gpu]\n    flavors:\n"         \
	  "    - name: f\n      resources: [{name: cpu, nominalQuota: 90}, "                       \
	  "{name: nvidia.com/gpu, nominalQuota: 90}]\n"                                            \
	  "    - name: g\n      resources: [{name: cpu, nominalQuota: 90}, "                       \
	  "{name: nvidia.com/gpu, nominalQuota: 90}]\n"
#define TO_BOOT		"nodePools: [{name: m, count: 0, maxSize: 1, gpus: 8, bootDelay: 60}]\n"
#define RUNS(time, end) ROW(time, "Started", "") ROW(end, "Finished", "")

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"capacity is there", OBJECTS("{name: nodes}", CHECK_CAPACITY, ONE_NODE),
	 CSV JOB("2", "nvidia.com/gpu=4\n"),
	 GPUS("0", "2") CHECKING("0", "1") STATE("10", "Pending", "Ready", FOUND) ADMITTED("10")
		 BOUND("10", "0", "m-0") BOUND("10", "1", "m-0") RUNS("10", "110")},
	{"no pod set needs a managed resource",
	 OBJECTS("{name: nodes}", CHECK_CAPACITY ", managedResources: [nvidia.com/gpu]", ONE_NODE),
	 CSV JOB("1", "cpu=4\n"),
	 RESERVED("0", "1", "cpu")
		 STATE("0", "Pending", "Ready", "the provisioning request is not needed")
			 ADMITTED("0") BOUND("0", "0", "m-0") RUNS("0", "100")},
	{"a failure is tried again after 60 s, 120 s, and rejected beyond the limit",
	 OBJECTS("{name: nodes}",
		 CHECK_CAPACITY ", parameters: {noRetry: 'true'}, "
				"retryStrategy: {backoffLimitCount: 2}",
		 ONE_NODE),
	 CSV JOB("2", "nvidia.com/gpu=8\n"),
	 GPUS("0", "2") CHECKING("0", "1") STATE("10", "Pending", "Retry",
						 "Retrying after failure: " NOT_FOUND)
		 EVICTED("70", "70") ROW("75", "Released", "") GPUS("75", "2") CHECKING("75", "2")
			 STATE("80", "Pending", "Retry", "Retrying after failure: " NOT_FOUND)
				 EVICTED("200", "200") ROW("205", "Released", "") GPUS("205", "2")
					 CHECKING("205", "3")
						 STATE("210", "Pending", "Rejected", NOT_FOUND)
							 DEACTIVATED("210", "215")},
	{"the back-off has its maximum, and without one there is no waiting",
	 OBJECTS("{name: nodes}",
		 CHECK_CAPACITY ", parameters: {noRetry: 'true'}, retryStrategy: "
				"{backoffLimitCount: 1, backoffBaseSeconds: 0}",
		 ONE_NODE),
	 CSV JOB("2", "nvidia.com/gpu=8\n"),
	 GPUS("0", "2") CHECKING("0", "1")
		 STATE("10", "Pending", "Retry", "Retrying after failure: " NOT_FOUND)
			 ROW("10", "Evicted", "reason=AdmissionCheck") ROW("15", "Released", "")
				 GPUS("15", "2") CHECKING("15", "2")
					 STATE("20", "Pending", "Rejected", NOT_FOUND)
						 DEACTIVATED("20", "25")},
	{"a booking expires before the other check is ready",
	 OBJECTS("{name: nodes}, {name: other}",
		 CHECK_CAPACITY ", retryStrategy: {backoffLimitCount: 1}", ONE_NODE),
	 CSV ",check_s" JOB("1", "nvidia.com/gpu=8,never;5\n"),
	 GPUS("0", "1") CHECKING("0", "1") STATE("10", "Pending", "Ready", FOUND)
		 STATE("620", "Ready", "Retry",
		       "Retrying after booking expired: Capacity reservation time is expired")
			 EVICTED("680", "680") ROW("685", "Released", "") GPUS("685", "1")
				 CHECKING("685", "2") ROW("690", "Check", "result=Ready")
					 STATE("690", "Pending", "Ready", FOUND) ADMITTED("690")
						 BOUND("690", "0", "m-0") RUNS("690", "790")},
	{"who is rejected by another check in a back-off is told when that ends",
	 OBJECTS("{name: nodes}, {name: other}", CHECK_CAPACITY ", parameters: {noRetry: 'true'}",
		 ONE_NODE),
	 CSV ",check_s,check_result" JOB("2", "nvidia.com/gpu=8,20,Rejected\n"),
	 GPUS("0", "2") CHECKING("0", "1")
		 STATE("10", "Pending", "Retry", "Retrying after failure: " NOT_FOUND)
			 ROW("20", "Check", "result=Rejected") DEACTIVATED("70", "75")},
	{"a request without room expires",
	 OBJECTS("{name: nodes}", SCALE_UP ", retryStrategy: {backoffLimitCount: 0}",
		 ONE_NODE "autoscaler: {expirationTime: 1m}\n"),
	 CSV JOB("2", "nvidia.com/gpu=8\n"),
	 GPUS("0", "2") SCALING("0", "1")
		 STATE("70", "Pending", "Rejected", "ProvisioningRequest is expired")
			 DEACTIVATED("70", "75")},
	{"a node that is taken away takes its job with it",
	 OBJECTS("{name: nodes}", SCALE_UP,
		 "nodePools: [{name: m, count: 0, maxSize: 1, gpus: 8, bootDelay: 60, "
		 "maxRunDuration: 50}]\n"),
	 CSV JOB("1", "nvidia.com/gpu=8\n"),
	 GPUS("0", "1") SCALING("0", "1") STATE("10", "Pending", "Ready", FOUND) ADMITTED("10") ROW(
		 "10", "PodUnschedulable", "pod=a-0;message=no nodes available to schedule pods")
		 BOUND("70", "0", "m-0") ROW("70", "Started", "")
			 ROW("120", "PodEvicted", "pod=a-0;node=m-0;message=node drained")
				 ROW("120", "Interrupted", "")
					 STATE("120", "Ready", "Rejected",
					       "Capacity is revoked: maxRunDuration of the node is "
					       "over") DEACTIVATED("120", "125")},
	{"without room it waits, and keeps its quota",
	 OBJECTS("{name: nodes}", CHECK_CAPACITY, ONE_NODE),
	 CSV ",cancel_s" JOB("9", "nvidia.com/gpu=8,1000\n"),
	 GPUS("0", "9") CHECKING("0", "1") ROW("1000", "Deleted", "")},
	{"a check for some flavors forgets its attempts",
	 OBJECTS("{name: nodes, onFlavors: [f]}",
		 CHECK_CAPACITY ", parameters: {noRetry: 'true'}, "
				"retryStrategy: {backoffLimitCount: 1}",
		 ONE_NODE),
	 CSV ",cancel_s" JOB("2", "nvidia.com/gpu=8,160\n"),
	 GPUS("0", "2") CHECKING("0", "1") STATE("10", "Pending", "Retry",
						 "Retrying after failure: " NOT_FOUND)
		 EVICTED("70", "70") ROW("75", "Released", "") GPUS("75", "2") CHECKING("75", "1")
			 STATE("80", "Pending", "Retry", "Retrying after failure: " NOT_FOUND)
				 EVICTED("140", "140") ROW("145", "Released", "") GPUS("145", "2")
					 CHECKING("145", "1")
						 STATE("150", "Pending", "Retry",
						       "Retrying after failure: " NOT_FOUND)
							 ROW("160", "Deleted", "")},
	{"an evicted workload asks anew", OBJECTS("{name: nodes}", CHECK_CAPACITY, ONE_NODE),
	 SWITCHED(60),
	 UNTIL_30 GPUS("60", "1") CHECKING("60", "1") STATE("70", "Pending", "Ready", FOUND)
		 ADMITTED("70") BOUND("70", "0-r1", "m-0") RUNS("70", "170")},
	{"or, where its request is kept, has what that was given",
	 KEEPS OBJECTS("{name: nodes}", CHECK_CAPACITY, ONE_NODE), SWITCHED(60),
	 UNTIL_30 GPUS("60", "1") STATE("60", "Pending", "Ready", FOUND) ADMITTED("60")
		 BOUND("60", "0-r1", "m-0") RUNS("60", "160")},
	{"whose booking may be over", KEEPS OBJECTS("{name: nodes}", CHECK_CAPACITY, ONE_NODE),
	 SWITCHED(700),
	 UNTIL_30 GPUS("700", "1")
		 STATE("700", "Pending", "Retry",
		       "Retrying after booking expired: Capacity reservation time is expired")
			 EVICTED("760", "760") ROW("765", "Released", "") GPUS("765", "1") CHECKING(
				 "765", "2") STATE("770", "Pending", "Ready", FOUND) ADMITTED("770")
				 BOUND("770", "0-r1", "m-0") RUNS("770", "870")},
	{"what is asked for is given meanwhile",
	 KEEPS OBJECTS("{name: nodes}", SCALE_UP,
		       "nodePools: [{name: m, count: 0, maxSize: 1, gpus: 8, bootDelay: 60}]\n"),
	 CSV ",deactivate_s,reactivate_s" JOB("1", "nvidia.com/gpu=8,5,60\n"),
	 GPUS("0", "1") SCALING("0", "1") ROW("5", "Evicted", "reason=Deactivated")
		 ROW("10", "Released", "") GPUS("60", "1") STATE("60", "Pending", "Ready", FOUND)
			 ADMITTED("60") ROW("60", "PodUnschedulable",
					    "pod=a-0;message=no nodes available to schedule pods")
				 BOUND("70", "0", "m-0") RUNS("70", "170")},
	/* Kueue's Controller.deleteUnusedProvisioningRequests. */
	{"a request whose check is taken away boots no node",
	 OBJECTS("{name: nodes}, {name: other}", SCALE_UP, TO_BOOT) CHECKS_AT("5", "{name: other}"),
	 CSV ",check_s" JOB("1", "nvidia.com/gpu=8,100\n"),
	 GPUS("0", "1") SCALING("0", "1") ROW("100", "Check", "result=Ready") ADMITTED("100") ROW(
		 "100", "PodUnschedulable", "pod=a-0;message=no nodes available to schedule pods")
		 BOUND("170", "0", "m-0") RUNS("170", "270")},
	{"and with the check kept it does",
	 OBJECTS("{name: nodes}, {name: other}", SCALE_UP, TO_BOOT),
	 CSV ",check_s" JOB("1", "nvidia.com/gpu=8,100\n"),
	 GPUS("0", "1") SCALING("0", "1") STATE("10", "Pending", "Ready", FOUND)
		 ROW("100", "Check", "result=Ready") ADMITTED("100") BOUND("100", "0", "m-0")
			 RUNS("100", "200")},
	{"a check that is back asks anew",
	 OBJECTS("{name: nodes}, {name: other}", SCALE_UP, TO_BOOT) CHECKS_AT("5", "{name: other}")
		 CHECKS_AT("20", "{name: nodes}, {name: other}"),
	 CSV ",check_s" JOB("1", "nvidia.com/gpu=8,100\n"),
	 GPUS("0", "1") SCALING("0", "1") SCALING("20", "1") STATE("30", "Pending", "Ready", FOUND)
		 ROW("100", "Check", "result=Ready") ADMITTED("100") BOUND("100", "0", "m-0")
			 RUNS("100", "200")},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_placed_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_provision");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
