/* kube_filter.h - NodeResourcesFit and the pods nominated to nodes.
 *
 * Spec KUBE_SCHEDULER.md 4.1. A pod that preempted others is nominated to the
 * node where it made room; pods of lower priority see that node as if it already
 * ran there.
 */
#ifndef SIM_KUBE_FILTER_H
#define SIM_KUBE_FILTER_H

#include "sim/world/world.h"

struct kube_nomination {
	uint32_t pod;
	uint32_t node;
	int32_t priority;
};

#define KUBE_CHANGES 1024 /* a power of two */

struct kube_filter {
	const struct world *world;
	struct kube_nomination *items; /* in order of nomination */
	size_t capacity;
	uint32_t count;
	uint32_t *on_node; /* per node: how many pods are nominated to it */
	int64_t *row;	   /* scratch: one node's use */
	/* Which nodes look different to a filter, the last KUBE_CHANGES of them: who keeps
	 * what it found out about nodes looks again only there. */
	uint32_t changed[KUBE_CHANGES];
	uint64_t changes; /* so far; the n-th is changed[n % KUBE_CHANGES] */
};

void kube_filter_init(struct kube_filter *filter, const struct world *world);
void kube_filter_free(struct kube_filter *filter); /* not the struct */

/* What is in use on the node changed. Nominations say so themselves. */
void kube_filter_touch(struct kube_filter *filter, uint32_t node);

void kube_filter_nominate(struct kube_filter *filter, uint32_t pod, uint32_t node);
/* Ends the pod's nomination; the node it was for, or NODE_NONE. */
uint32_t kube_filter_forget(struct kube_filter *filter, uint32_t pod);
uint32_t kube_filter_nominated(const struct kube_filter *filter, uint32_t pod);

/* Adds to a row of use what is nominated to the node with at least this priority,
 * other than the pod itself. */
void kube_filter_add_nominated(const struct kube_filter *filter, uint32_t node, uint32_t pod,
			       int32_t priority, int64_t *row);
/* A pod of the shape comes to, or leaves, a row of use. */
void kube_filter_add(int64_t *row, const struct pod_shape *shape);
void kube_filter_remove(int64_t *row, const struct pod_shape *shape);

/* The resources of which the node lacks what the shape asks, as a set of bits;
 * bit RES_PODS: too many pods; 0: it fits. */
uint64_t kube_filter_lacking(const struct node *node, const int64_t *row,
			     const struct pod_shape *shape);
/* The same for a pod, nominated pods counted. */
uint64_t kube_filter_node(const struct kube_filter *filter, uint32_t node, uint32_t pod,
			  int32_t priority);
/* Would the node lack it even if it were empty? (Preemption cannot help then.) */
bool kube_filter_unresolvable(const struct node *node, const struct pod_shape *shape,
			      uint64_t lacking);

#endif
