/* kueue_story.h - small worlds for the tests of the Kueue policy, in the notation
 * of spec KUEUE.md appendix A, without an engine.
 *
 * Items are separated by ";":
 *   a[4,BL,LL] OPTION...     ClusterQueue a, cpu in flavor f1; limits may be empty
 *   a{f1[4] f2[2,1]} ...     the same with several flavors
 *   %k[4] in=c               cohort k
 *   a<h:4@5#30*300!f2        a holds h: 4 units, priority 5, created at 30, since 300,
 *                            in flavor f2 (f1 unless said)
 *   a?p:4@10#20/2            p waits in a: 4 units, priority 10, created 20; with
 *                            "/2" it is 4 pods of 1 unit, at least 2
 *   ^NAME=false              a feature gate
 * Options: in=COHORT ("in=-": none; default c), w=N|L|E within the queue, r=N|L|A
 * within the cohort, b=L or b=L:THRESHOLD, strict, held, borrow=next, preempt=next,
 * prefer=B|P, weight=X, pursues (each flavor at once).
 */
#ifndef TESTS_SUPPORT_KUEUE_STORY_H
#define TESTS_SUPPORT_KUEUE_STORY_H

#include <stdio.h>

#include "sim/kueue/kueue_cycle.h"

struct kueue_story {
	struct scenario *scenario;
	struct run_options options;
	struct journal *journal;
	struct world world;
	struct plan plan;
	struct kueue *k;
	char text[8192];
};

/* Everybody who waits was submitted, everybody who holds has a reservation. */
struct kueue_story *kueue_story_new(const char *items, bool fair);
void kueue_story_free(struct kueue_story *story);
uint32_t kueue_story_job(const struct kueue_story *story, const char *name);
uint32_t kueue_story_queue(const struct kueue_story *story, const char *name);
/* Runs so many cycles: "admit p f1; preempt h p InClusterQueue", in order, then
 * where each that waits is: "p heap", "p parked". */
const char *kueue_story_run(struct kueue_story *story, unsigned cycles);
/* "WaitingForQuota: couldn't ..." */
const char *kueue_story_status(struct kueue_story *story, const char *job);

/* A whole run with the engine: the --events rows, without the header and the seq
 * column, of YAML objects and a jobs.csv, at requeue batch 1 s and eviction delay
 * 5 s. Owned by the caller: mem_free. */
char *kueue_story_events(const char *yaml, const char *csv);
/* The same at an eviction delay of 0. */
char *kueue_story_prompt_events(const char *yaml, const char *csv);
/* The first one's --pending rows, without the header. */
char *kueue_story_pending(const char *yaml, const char *csv);
/* The first one's scheduling cycles. */
uint64_t kueue_story_cycles(const char *yaml, const char *csv);

/* The same with a scheduler that places the pods. */
char *kueue_story_placed_events(const char *yaml, const char *csv);
/* The same run: "TIME,JOB,REASON: MESSAGE" for all that waiting workloads were told. */
char *kueue_story_told(const char *yaml, const char *csv);

/* WorkloadPriorityClasses p1, p2, ... of value 1, 2, ..., each after a "---". */
void kueue_story_write_classes(FILE *out, unsigned count);
/* Topology racks with its flavor f and six nodes of 4 GPUs in three racks, before all else. */
void kueue_story_write_racks(FILE *out);

/* Objects: flavor f, ClusterQueue q with 2 GPUs of it and more lines of its spec,
 * LocalQueue q. */
#define STORY_QUEUE(more) STORY_QUEUE_HEAD more "---\n" STORY_QUEUE_TAIL
#define STORY_QUEUE_HEAD                                                                           \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n---\n"     \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec:\n"     \
	"  namespaceSelector: {}\n"                                                                \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
#define STORY_QUEUE_TAIL                                                                           \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                                   \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"
#define STORY_PLAIN STORY_QUEUE("")
#define STORY_SHARED                                                                               \
	STORY_QUEUE("  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n")
#define STORY_CHECKED                                                                              \
	STORY_QUEUE("  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\n"     \
	"spec: {controllerName: x}\n"
/* A queue of 2 GPUs in cohort c that reclaims from any other; its LocalQueue. */
#define STORY_MEMBER(name)                                                                         \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  cohortName: c\n  namespaceSelector: {}\n"                                     \
	"  preemption: {reclaimWithinCohort: Any}\n"                                               \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n---\n"         \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name             \
	", namespace: default}\nspec: {clusterQueue: " name "}\n"
/* Node m with 1 GPU, topology flavor t over it, queue q with 2 GPUs of that. */
#define STORY_TOPOLOGY                                                                             \
	"apiVersion: v1\nkind: Node\nmetadata: {name: m, labels: {pool: p, "                       \
	"kubernetes.io/hostname: m}}\nstatus: {capacity: {nvidia.com/gpu: 1}}\n---\n"              \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: o}\n"                \
	"spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n---\n"                             \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: t}\n"          \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n---\n"                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec:\n"     \
	"  namespaceSelector: {}\n"                                                                \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: t\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n---\n"         \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                                   \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"

#endif
