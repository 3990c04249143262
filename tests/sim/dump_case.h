/* dump_case.h - a cluster's dump in a string, made a scenario. */
#ifndef TESTS_SIM_DUMP_CASE_H
#define TESTS_SIM_DUMP_CASE_H

#include "sim/load/dump.h"
#include "tests/sim/objects_case.h"

#define DUMP_CASE_QUEUE	     DUMP_CASE_QUEUE_OF("8")
#define DUMP_CASE_WIDE_QUEUE DUMP_CASE_QUEUE_OF("16")
#define DUMP_CASE_QUEUE_OF(quota)                                                                  \
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}\n---\n"   \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: cq}\nspec:\n"    \
	"  namespaceSelector: {matchLabels: {team: x}}\n"                                          \
	"  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: f,"              \
	" resources: [{name: nvidia.com/gpu, nominalQuota: " quota "}]}]}]\n---\n"                 \
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace:"    \
	" m}, spec: {clusterQueue: cq}}\n---\n"

/* A Workload of namespace n and queue q: one pod set of count pods, one GPU each. more
 * goes on with the metadata, status is a flow map. */
#define DUMP_CASE_WORKLOAD(name, created, more, count, status)                                     \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata:\n  name: " name             \
	"\n  namespace: m\n  creationTimestamp: \"2026-03-01T" created "Z\"\n" more                \
	"spec:\n  queueName: q\n  podSets:\n  - name: main\n    count: " count                     \
	"\n    template: {spec: {restartPolicy: Never, containers: [{name: c, resources:"          \
	" {requests: {nvidia.com/gpu: 1}}}]}}\nstatus: " status "\n---\n"

#define DUMP_CASE_OWNER(kind, name)                                                                \
	"  ownerReferences: [{apiVersion: x/v1, kind: " kind ", name: " name                       \
	", controller: true}]\n"

/* One condition of a status; True unless said. */
#define DUMP_CASE_AT(type, time)                                                                   \
	"{type: " type ", status: \"True\", reason: R, lastTransitionTime: \"2026-03-01T" time     \
	"Z\"}"
#define DUMP_CASE_RAN(from, until)                                                                 \
	"{conditions: [" DUMP_CASE_AT("QuotaReserved", from) ", " DUMP_CASE_AT(                    \
		"Admitted", from) ", " DUMP_CASE_AT("Finished", until) "]}"
#define DUMP_CASE_RUNS(from)                                                                       \
	"{conditions: [" DUMP_CASE_AT("QuotaReserved", from) ", " DUMP_CASE_AT("Admitted",         \
									       from) "]}"

#define DUMP_CASE_NODE                                                                             \
	"{apiVersion: v1, kind: Node, metadata: {name: node}, status: {allocatable: {cpu: 64, "    \
	"memory: 640Gi, pods: 110, nvidia.com/gpu: 8}}}\n---\n"

/* What was dumped, and, unless NULL, the jobs that are asked about. */
static inline struct scenario *dump_case_load(const char *dump, const char *asked)
{
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct err err;
	uint32_t first;

	ck_assert_msg(objects_case_read(builder, dump, strlen(dump), false, &err) == ERR_OK, "%s",
		      err.msg);
	first = builder_job_count(builder);
	if (asked != NULL)
		ck_assert_msg(objects_case_read(builder, asked, strlen(asked), false, &err) ==
				      ERR_OK,
			      "%s", err.msg);
	if (asked != NULL)
		builder_ask(builder, first);
	dump_finish(builder, asked != NULL);
	ck_assert_msg(builder_finish(builder, &s, &err) == ERR_OK, "%s", err.msg);
	return s;
}

/* The job of this name. */
static inline uint32_t dump_case_job(const struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->job_count; i++) {
		if (strcmp(objects_case_text(s, s->jobs[i].name), name) == 0)
			return i;
	}
	ck_abort_msg("no job \"%s\"", name);
	return 0;
}

#endif
