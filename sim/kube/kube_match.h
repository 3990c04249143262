/* kube_match.h - which nodes a pod may ever go to: the filters before resources.
 *
 * Spec KUBE_SCHEDULER.md 4.1: NodeUnschedulable, TaintToleration, NodeAffinity, in
 * this order, the first rejection wins. They depend on the pod's shape and on the
 * flavors and the topology domain that an admission policy gave it, not on what runs;
 * pods that agree in them form a group, whose verdict on every node is kept.
 *
 * There is a group for each shape and host that a topology assigned, so a changed node is
 * judged again at once only for groups with pods that wait, whose verdicts before the next
 * change count (kube_hint.h); for others when they are looked at. By then the node is as its
 * last change left it, and a verdict depends on nothing else.
 */
#ifndef SIM_KUBE_MATCH_H
#define SIM_KUBE_MATCH_H

#include "sim/world/world.h"

enum kube_verdict {
	KUBE_SUITS,
	KUBE_CORDONED,
	KUBE_TAINTED,  /* also: not ready, which Kubernetes expresses as a taint */
	KUBE_ENFORCED, /* addedAffinity of the scheduler's profile */
	KUBE_MISMATCH, /* node selector, required affinity, a flavor's node labels, domain */
	KUBE_ABSENT,   /* the node is not there yet */
	KUBE_VERDICTS
};

struct kube_group {
	uint32_t shape;
	uint32_t flavor_count;
	uint32_t *flavors;		 /* ascending; only those with labels or tolerations */
	uint32_t domain;		 /* string of the journal; NAME_NONE */
	const struct topology *topology; /* of the domain */
	uint32_t base;	  /* with a domain: the group that has none, but is like it else */
	uint32_t host;	  /* where a domain is a host: the label value; else NAME_NONE */
	uint8_t *verdict; /* per node: enum kube_verdict */
	uint8_t *avoid;	  /* per node: untolerated PreferNoSchedule taints (255 at most) */
	bool avoids;	  /* any node has such a taint */
	uint32_t nodes[KUBE_VERDICTS]; /* so many have each verdict */
	uint64_t seen;		       /* changes of nodes that are in them */
	uint32_t waiting;	       /* classes of it with pods that wait */
	bool listed;		       /* among those that have some, or had */
};

struct kube_match; /* owned by the caller: kube_match_new/kube_match_free */

struct kube_match *kube_match_new(const struct world *world);
void kube_match_free(struct kube_match *match);

/* The group of a pod (made when it is the first of its kind): dense, from 0. */
uint32_t kube_match_group(struct kube_match *match, uint32_t pod);
const struct kube_group *kube_match_at(const struct kube_match *match, uint32_t group);
const struct world *kube_match_world(const struct kube_match *match);
uint32_t kube_match_count(const struct kube_match *match);

/* The node changed. */
void kube_match_node(struct kube_match *match, uint32_t node);
/* Pods of a class of the group wait from now on (1), or no longer do (-1). */
void kube_match_waits(struct kube_match *match, uint32_t group, int delta);
/* The groups whose pods wait, in no order; valid until the next is made or waits. */
const uint32_t *kube_match_waiting(struct kube_match *match, uint32_t *count);
/* One of the filters alone: do selector, affinity and flavors let the group onto the
 * node; does it tolerate every NoSchedule and NoExecute taint there, those of
 * cordoned nodes and of nodes that are not ready included? */
bool kube_match_labels(const struct kube_match *match, uint32_t group, uint32_t node);
/* The first of them for the node as it was before. */
bool kube_match_labels_before(const struct kube_match *match, uint32_t group, uint32_t node,
			      const struct node *before);
/* Does the profile's addedAffinity let it in? */
bool kube_match_enforced(const struct kube_match *match, uint32_t group, uint32_t node);
bool kube_match_tolerates(const struct kube_match *match, uint32_t group, uint32_t node);
/* Is the node part of the cluster now? */
bool kube_match_present(const struct world *world, uint32_t node);

#endif
