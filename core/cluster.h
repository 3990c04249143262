/* cluster.h - nodes as the schedulers see them, and what is in use on them.
 *
 * The inventory is input and does not change during a run; cluster_usage is one
 * run's state: a vector a node, node-major, so that a scan touches one row.
 */
#ifndef CORE_CLUSTER_H
#define CORE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/job.h"
#include "core/label.h"
#include "core/res.h"

#define NODE_NONE UINT32_MAX

struct node {
	uint32_t name; /* string */
	uint32_t zone; /* string of topology.kubernetes.io/zone; NAME_NONE */
	struct label_set labels;
	struct taint_set taints;
	/* Allocatable, per resource. cpu, memory and ephemeral-storage that the
	 * node does not name are RES_UNLIMITED (they don't limit); pods default to
	 * 110 (RES_UNLIMITED in pools of a trace); anything else is 0. */
	const int64_t *allocatable;
	int64_t gpus;
	uint32_t pool;		    /* string: node pool or GPU model; NAME_NONE */
	int64_t micro_usd_per_hour; /* of the whole node; 0 unknown */
	bool unschedulable;	    /* cordoned */
	bool ready;
	bool unreachable; /* not ready because nothing is heard of it */
	bool drain;	  /* its pods are evicted (gqsim/drain) */
	bool deleted;	  /* there is no such node any more; not ready then */
	bool spare;	  /* not there at the start: an autoscaler may bring it; if its pool is not
			   * scaled it never comes, and stands for a pool of 0 nodes */
	uint32_t scaled;  /* its pool that an autoscaler sizes, counted from 1; 0: none */
};

/* Does it only stand for a pool that is there and has no nodes? */
static inline bool cluster_node_never(const struct node *node)
{
	return node->spare && node->scaled == 0;
}

struct cluster_usage {
	const struct node *nodes;
	uint32_t node_count;
	uint32_t resource_count;
	int64_t *used;	  /* [node * resource_count + resource]; RES_PODS counts pods */
	int64_t *nonzero; /* [node * 2]: cpu, memory with scoring defaults */
};

void cluster_usage_init(struct cluster_usage *usage, const struct node *nodes, uint32_t node_count,
			uint32_t resource_count);
void cluster_usage_free(struct cluster_usage *usage); /* frees the arrays, not the struct */

static inline int64_t *cluster_row(const struct cluster_usage *usage, uint32_t node)
{
	return &usage->used[(size_t)node * usage->resource_count];
}

/* The named resources but pods, which are counted, not asked for. */
static inline uint64_t cluster_asked(const struct pod_shape *shape)
{
	return shape->requested & ~(UINT64_C(1) << RES_PODS);
}

/* Room for one more pod of the shape on the node? Counts pods and every
 * requested resource; no taints, no selectors. */
static inline bool cluster_fits(const struct cluster_usage *usage, uint32_t node,
				const struct pod_shape *shape)
{
	const int64_t *capacity = usage->nodes[node].allocatable;
	const int64_t *used = cluster_row(usage, node);

	if (capacity[RES_PODS] != RES_UNLIMITED && used[RES_PODS] >= capacity[RES_PODS])
		return false;
	for (uint64_t left = cluster_asked(shape); left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		if (shape->request[r] > 0 && capacity[r] != RES_UNLIMITED &&
		    shape->request[r] > capacity[r] - used[r])
			return false;
	}
	return true;
}

void cluster_add(struct cluster_usage *usage, uint32_t node, const struct pod_shape *shape);
void cluster_remove(struct cluster_usage *usage, uint32_t node, const struct pod_shape *shape);

/* Taints, cordon and readiness; selector and required affinity. */
bool cluster_node_tolerated(const struct name_table *strings, const struct node *node,
			    const struct pod_shape *shape);
bool cluster_node_selected(const struct name_table *strings, const struct node *node,
			   const struct pod_shape *shape);

#endif
