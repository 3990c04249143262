/* trace_queues.h - ClusterQueues for a trace that brings none: one a virtual
 * cluster, so that Kueue can be asked about a trace without writing objects.
 *
 * Each has one flavor and GPUs only; all are in one cohort; BestEffortFIFO,
 * reclaimWithinCohort Any, withinClusterQueue LowerPriority. Quota is the
 * virtual cluster's share of the GPU-seconds of all jobs, in whole GPUs that add
 * up to the hardware exactly (largest remainder; equal remainders: the virtual
 * cluster that appears first in the input). Or it is what a file of node counts
 * says, 8 GPUs a node; a virtual cluster absent there has 0 and borrows.
 */
#ifndef SIM_TRACE_QUEUES_H
#define SIM_TRACE_QUEUES_H

#include "sim/load/builder.h"
#include "sim/tool/source.h"

#define TRACE_QUEUES_GPUS_PER_NODE 8
#define TRACE_QUEUES_DEFAULT_NODES 311 /* hardware when nothing says: 311 x 8 GPUs */
#define TRACE_QUEUES_COHORT	   "trace"
#define TRACE_QUEUES_FLAVOR	   "gpu"

/* Adds the ClusterQueues and their LocalQueues, one for each (namespace, queue)
 * that a job names, in the order of their first jobs, then those that only the
 * file of node counts names. Call it after all files are read, when
 * !builder_has_queues(). hardware_gpus: all GPUs of all nodes; not used with
 * vc_nodes (may be NULL). Errors: a malformed vc_nodes. */
enum err_code trace_queues_derive(struct builder *builder, int64_t hardware_gpus,
				  const struct source *vc_nodes, struct err *err);

/* The same with so many GPUs for each of these; others that jobs name have 0. */
void trace_queues_sized(struct builder *builder, const char *const *names, const int64_t *gpus,
			uint32_t count);

/* One line of a file of node counts ("vc,node num"). */
struct trace_queues_vc {
	const char *name;
	uint32_t nodes;
};

/* Reads a file of node counts; the list lives in the arena. A header line with a
 * column "vc" and one of "node num", "nodes", "node_num"; a virtual cluster named
 * twice, and anything but a whole number of nodes, is an error. */
enum err_code trace_queues_read_vc(const struct source *vc_nodes, struct mem_arena *arena,
				   const struct trace_queues_vc **out, uint32_t *count,
				   struct err *err);

/* All its nodes: the default hardware when such a file is given. Each is labelled with its
 * virtual cluster (POOL_CLUSTER_LABEL), which matters under fifo, sjf and srtf alone. */
enum err_code trace_queues_vc_pools(const struct source *vc_nodes, struct builder *builder,
				    uint32_t *nodes, struct err *err);

/* Does a file begin like one of node counts? */
bool trace_queues_vc_probe(const char *head, size_t size);

#endif
