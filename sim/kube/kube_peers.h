/* kube_peers.h - who runs where, as pod affinity and topology spread see it.
 *
 * Pods of one shape in one namespace with equal labels (of those that any selector
 * asks about) form a kind: what holds for one of them holds for all. Pods are counted
 * by kind and node. A topology key divides the nodes into domains of equal values of
 * that node label.
 *
 * A scenario none of whose templates has constraints has no peers at all, so that a
 * scheduler pays nothing for them.
 */
#ifndef SIM_KUBE_PEERS_H
#define SIM_KUBE_PEERS_H

#include "sim/scenario/profile.h"
#include "sim/world/world.h"

#define PEERS_NO_DOMAIN UINT32_MAX

struct kube_spot { /* pods of a kind on a node */
	uint32_t node;
	uint32_t pods;
	uint32_t leaving; /* of them: told to stop */
};

struct kube_kind {
	uint32_t shape;
	uint32_t ns;
	struct label_set labels;		   /* that matter, by key */
	struct label_set ns_labels;		   /* of its namespace */
	const struct pod_constraints *constraints; /* of its shape; NULL */
	struct kube_spot *spots;		   /* in no order that matters */
	size_t spot_capacity;
	uint32_t spot_count;
};

struct kube_topology {
	uint32_t key;
	uint32_t *value;  /* per node: string; NAME_NONE */
	uint32_t *domain; /* per node: dense; PEERS_NO_DOMAIN */
	uint32_t domain_count;
};

struct kube_peers { /* read the fields; change them through the functions */
	const struct world *world;
	struct mem_arena *arena;
	struct kube_kind *kinds;
	uint32_t kind_count;
	uint32_t *kind_of; /* per pod slot */
	struct kube_topology *topologies;
	uint32_t topology_count;
};

/* NULL: no template has constraints. The world must outlive it. */
struct kube_peers *kube_peers_new(const struct world *world);
void kube_peers_free(struct kube_peers *peers);

void kube_peers_bound(struct kube_peers *peers, uint32_t pod, uint32_t node);
void kube_peers_leaving(struct kube_peers *peers, uint32_t pod, uint32_t node);
/* leaving: it had been told to stop. */
void kube_peers_gone(struct kube_peers *peers, uint32_t pod, uint32_t node, bool leaving);
/* Its labels may have changed, or it may be new. True: in another domain now. */
bool kube_peers_node(struct kube_peers *peers, uint32_t node);

/* Of the scheduler of these pods. */
const struct scheduler_profile *kube_peers_profile(const struct kube_peers *peers, uint32_t kind);
/* Index of a topology key that some constraint names. */
uint32_t kube_peers_topology(const struct kube_peers *peers, uint32_t key);
/* Does the term, written in a template of the kind by, select pods of this kind? */
bool kube_peers_selected(const struct kube_peers *peers, const struct pod_term *term, uint32_t by,
			 uint32_t kind);
/* Does the spread constraint of the kind by count pods of this kind? */
bool kube_peers_counted(const struct kube_peers *peers, const struct spread_constraint *spread,
			uint32_t by, uint32_t kind);

#endif
