/* trace_pods.h - the pods of a job of which a trace tells only its GPUs.
 *
 * n GPUs are one pod if a node holds n, else ceil(n / GPUs of a node) pods, as
 * equal as whole GPUs allow: 12 GPUs on nodes of 8 are two pods of 6, 9 are one
 * of 5 and one of 4 (a second pod set). Together they always ask for exactly n.
 */
#ifndef SIM_TRACE_PODS_H
#define SIM_TRACE_PODS_H

#include "sim/load/builder.h"

#define TRACE_PODS_PER_NODE 8	    /* GPUs of a node until nodes are known */
#define TRACE_PODS_GPUS_MAX 1000000 /* of one job */
#define TRACE_PODS_KNOWN    256	    /* GPU counts below it have their pod sets remembered */

struct trace_pods; /* owned by the caller: trace_pods_new/trace_pods_free */

struct trace_pods_sets {
	uint32_t first;
	uint16_t count;
};

/* What the pods of a job ask for. */
struct trace_pods_demand {
	uint32_t pods;			/* 0: as many as nodes need */
	uint32_t gpus;			/* devices of one pod */
	uint32_t gpu_milli;		/* thousandths of a GPU of one pod, whole ones among them */
	int64_t cpu_milli, memory;	/* of one pod, memory in bytes; 0: not asked for */
	const struct node_term *models; /* NULL: any */
	/* Pods of its namespace on one node; 0: any number. */
	uint32_t most_per_node;
};

/* gpus_per_node 0: TRACE_PODS_PER_NODE. The builder is borrowed. */
struct trace_pods *trace_pods_new(struct builder *builder, uint32_t gpus_per_node);
void trace_pods_free(struct trace_pods *pods);

/* The pod sets of a job with 1 .. TRACE_PODS_GPUS_MAX GPUs and no other wishes. */
struct trace_pods_sets trace_pods_of(struct trace_pods *pods, uint32_t gpus);
/* So many GPUs in all, on demand->pods pods as equal as ceil(GPUs / pods) each allows:
 * the last may have fewer, and what none is left for is no pod. With 0 pods cut by the
 * size of nodes. demand->gpus does not matter. */
struct trace_pods_sets trace_pods_spread(struct trace_pods *pods,
					 const struct trace_pods_demand *demand, uint32_t gpus);
/* demand->pods equal pods, each as demand says. */
struct trace_pods_sets trace_pods_equal(struct trace_pods *pods,
					const struct trace_pods_demand *demand);
/* Shape of one pod of it; for jobs of several pod sets. */
uint32_t trace_pods_demand_shape(struct trace_pods *pods, const struct trace_pods_demand *demand);
/* From now on whole GPUs ask for RES_GPU_MILLI too. ERR_LIMIT: too many resources. */
enum err_code trace_pods_share(struct trace_pods *pods, struct err *err);
/* The same as trace_pods_of for pods that are like base apart from their requests. */
struct trace_pods_sets trace_pods_make(struct trace_pods *pods, const struct pod_shape *base,
				       uint32_t gpus);
/* Index of the shape like base that requests so many nvidia.com/gpu only. */
uint32_t trace_pods_shape(struct trace_pods *pods, const struct pod_shape *base, uint32_t gpus);

/* Thousandths of a GPU that all pods of a job ask for: parts of GPUs too. */
int64_t trace_pods_milli(const struct builder *builder, const struct job *job);

/* A pod shape that asks for nothing; builder_shape adds the scoring defaults. */
struct pod_shape trace_pods_plain(void);

#endif
