/* kueue_topology.h - where pods of topology-aware flavors can go: per flavor a
 * tree of domains made from its nodes, and what is free in them.
 *
 * A domain is a node label value below the values of the levels above it. The
 * lowest domains, the leaves, have capacity; what reservations take from it is
 * told by (tree, place), where a place is the name of a leaf as admissions print
 * it: the host name where the lowest level is kubernetes.io/hostname, all values
 * joined by "/" elsewhere. So usage outlives a tree that is built anew when nodes
 * change. Trees of hosts share their usage: two flavors on one node see each
 * other. Changes after a mark, which are only supposed, stay in their own tree,
 * as they do in Kueue's snapshots.
 *
 * Rules: spec KUEUE.md 7.1. Amounts are base units; RES_UNLIMITED does not limit.
 */
#ifndef SIM_KUEUE_TOPOLOGY_H
#define SIM_KUEUE_TOPOLOGY_H

#include "sim/scenario/scenario.h"

#define TOPOLOGY_NOWHERE    UINT32_MAX
#define TOPOLOGY_LEVELS_MAX 16 /* API limit */

struct topology_domain {
	uint32_t value;			   /* string: of its own level */
	uint32_t parent;		   /* domain; TOPOLOGY_NOWHERE at the highest level */
	uint32_t first_child, child_count; /* stand together on the next level */
};

/* Domains stand level by level, and on a level in the order of their values, so
 * an index decides what the values would. */
struct topology_tree {
	const struct flavor *flavor;
	const struct topology *topology; /* NULL: the tree does not exist */
	bool by_host;			 /* the lowest level is kubernetes.io/hostname */
	struct topology_domain *domains;
	uint32_t first[TOPOLOGY_LEVELS_MAX + 1]; /* domain of each level; the next ends it */
	uint32_t leaf_count;			 /* the lowest level; leaf = domain - first_leaf */
	uint32_t first_leaf;
	uint32_t *places;    /* [leaf] */
	uint32_t *nodes;     /* [leaf] its first node */
	uint32_t *leaf_of;   /* [place], up to place_count; TOPOLOGY_NOWHERE */
	uint32_t *node_leaf; /* [node]; TOPOLOGY_NOWHERE */
	uint32_t place_count, node_count;
	const struct node *all_nodes;
	/* [leaf * resource_count + resource] */
	int64_t *free;	  /* allocatable, less what pods of other kinds take */
	int64_t *used;	  /* by reservations, and by what is supposed */
	int64_t *assumed; /* by pod sets placed earlier in the same pass */
	uint64_t version; /* of the build */
	uint64_t freed;	  /* stamp of the last change of free */
	uint64_t *stamps; /* [leaf] of its last change; equal stamps, equal contents */
	/* leaves in the order of their changes; the oldest are dropped */
	uint32_t *changes;
	size_t change_count, change_capacity;
	uint64_t first_change; /* number of changes[0] */
	/* of hosts each of which is one node: what the node had at the build, and leaves
	 * whose nodes were renewed since, in order */
	const int64_t **capacity; /* [leaf] */
	bool joined;		  /* some host is several nodes */
	uint32_t *renewed;
	size_t renewed_count, renewed_capacity;
};

struct topology_change {
	uint32_t tree, leaf;
	const struct pod_shape *shape;
	int64_t pods;
	uint64_t stamp, freed; /* of the leaf and the tree before */
};

struct kueue_topology {
	const struct scenario *scenario;
	struct name_table *places;
	struct topology_tree *trees;
	uint32_t tree_count;
	struct topology_change *undo;
	size_t undo_count, undo_capacity;
	struct topology_change *assumed;
	size_t assumed_count, assumed_capacity;
	uint64_t version, stamp;
	uint64_t lasting;  /* grows with each change but those on trial or assumed */
	uint64_t relieved; /* the same, but with those only that may leave more room */
	bool shares_nodes; /* feature gate TASHandleOverlappingFlavors */
};

/* The scenario outlives it. Trees do not exist until they are built. */
struct kueue_topology *kueue_topology_new(const struct scenario *scenario, uint32_t tree_count);
void kueue_topology_free(struct kueue_topology *t);

/* Has the node all labels of the flavor, and one of every level? */
bool kueue_topology_suits(const struct flavor *flavor, const struct topology *topology,
			  const struct node *node);

/* From the usable nodes that carry all of the flavor's labels and a label of every
 * level. All its usage is forgotten: it has to be told again. What is given outlives
 * the tree; topology NULL: the tree goes away. */
void kueue_topology_build(struct kueue_topology *t, uint32_t tree, const struct flavor *flavor,
			  const struct topology *topology, const struct node *nodes,
			  const bool *usable, uint32_t node_count);

/* The node is another, but in nothing that a build reads: its taints, or labels that are no
 * level's. Where it is so, pods are to be told anew whether they suit it (the leaf is listed
 * among those renewed, and among the changes). False: the tree has to be built. */
bool kueue_topology_renew(struct kueue_topology *t, uint32_t tree, uint32_t node, bool usable);

/* Index of a level by its label key; TOPOLOGY_NOWHERE. */
uint32_t kueue_topology_level(const struct topology_tree *tree, uint32_t key);
uint32_t kueue_topology_leaf(const struct topology_tree *tree, uint32_t place);
const char *kueue_topology_place(const struct kueue_topology *t, uint32_t place);

/* Pods of a reservation come (pods > 0) or go (< 0). Ignored where the tree has no
 * such place. No mark may be open. */
void kueue_topology_use(struct kueue_topology *t, uint32_t tree, uint32_t place,
			const struct pod_shape *shape, int64_t pods);
/* The same for one tree that was built anew: as much of it as the tree `into` sees. */
void kueue_topology_use_in(struct kueue_topology *t, uint32_t into, uint32_t tree, uint32_t place,
			   const struct pod_shape *shape, int64_t pods);
/* A pod of another kind comes to a node or goes (pods 1 or -1). */
void kueue_topology_occupy(struct kueue_topology *t, uint32_t node, const struct pod_shape *shape,
			   int64_t pods);
void kueue_topology_occupy_in(struct kueue_topology *t, uint32_t into, uint32_t node,
			      const struct pod_shape *shape, int64_t pods);

/* Trial changes: all of them after a mark are undone by the rollback to it. */
size_t kueue_topology_mark(const struct kueue_topology *t);
void kueue_topology_suppose(struct kueue_topology *t, uint32_t tree, uint32_t place,
			    const struct pod_shape *shape, int64_t pods);
void kueue_topology_rollback(struct kueue_topology *t, size_t mark);

/* Pods placed earlier in the pass that is running: also in the other trees of
 * hosts. They hold in an empty cluster too. */
void kueue_topology_assume(struct kueue_topology *t, uint32_t tree, uint32_t place,
			   const struct pod_shape *shape, int64_t pods);
void kueue_topology_forget(struct kueue_topology *t); /* the pass is over */

/* What is left in a leaf of a resource; empty: as if no reservation were there. */
int64_t kueue_topology_left(const struct kueue_topology *t, uint32_t tree, uint32_t leaf,
			    uint32_t resource, bool empty);
/* Changes of amounts since the build, and the leaf that the n-th one, not dropped,
 * concerned. */
static inline uint64_t kueue_topology_changes(const struct topology_tree *tree)
{
	return tree->first_change + tree->change_count;
}
static inline uint32_t kueue_topology_change(const struct topology_tree *tree, uint64_t n)
{
	return tree->changes[n - tree->first_change];
}

/* How many pods fit a leaf where nothing is assumed; a pod counts as its requests
 * only, and one without requests never fits (spec 4.8, fitsNow). */
bool kueue_topology_holds(const struct kueue_topology *t, uint32_t tree, uint32_t place,
			  const struct pod_shape *shape, int64_t pods);

#endif
