/* pool.h - equal nodes by the dozen: what --nodes and a Simulation document's
 * nodePools say. */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include "sim/load/builder.h"

#define POOL_MAX_NODES 1000000
/* Label of a node that is for one queue alone under policies of virtual clusters. */
#define POOL_CLUSTER_LABEL "gqsim/virtual-cluster"

struct pool {
	const char *name; /* nodes are NAME-0, NAME-1, ... */
	const char *node; /* name of the only node; NULL: as above */
	uint32_t count;	  /* at the start */
	uint32_t first;	  /* number of the first */
	simtime at;	  /* they come, or are changed, then; 0: they are there */
	bool cordoned;
	/* Sized by the autoscaler: from min_size to max_size nodes; else max_size is 0. */
	uint32_t min_size, max_size;
	simtime boot_delay, max_run; /* struct node_pool */
	int64_t gpus;		     /* nvidia.com/gpu of each */
	const char *model;	     /* label nvidia.com/gpu.product; NULL: the name */
	/* Allocatable of each beside the GPUs; bit r of given: amounts[r] counts.
	 * cpu, memory, ephemeral-storage and pods are unlimited unless given. */
	const int64_t *amounts;
	uint64_t given;
	struct label_set labels;
	struct taint_set taints;
	int64_t micro_usd_per_hour;
};

/* Every node, those that may come later included, carries kubernetes.io/hostname,
 * gqsim/pool and, with GPUs, nvidia.com/gpu.product. ERR_LIMIT beyond POOL_MAX_NODES. */
enum err_code pool_add(struct builder *builder, const struct pool *pool, struct place where,
		       struct err *err);

/* "h100=311x8,l40s=20x4": name=nodes x GPUs. ERR_USAGE with the right form. */
enum err_code pool_add_text(struct builder *builder, const char *text, struct err *err);

#endif
