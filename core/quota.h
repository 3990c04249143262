/* quota.h - the tree of ClusterQueues and cohorts, and what is used in it.
 *
 * Leaves are ClusterQueues, inner nodes are cohorts. Every node has a cell per
 * quota column, which is a (flavor, resource) pair: its own limits, what they
 * come to for its subtree, and its usage. Usage is charged to leaves and runs
 * up one path to the root, never further. There is no policy in here.
 *
 * Rules: spec KUEUE.md section 2 (capacity, borrowing, levels) and 4.6 (shares).
 * Amounts are base units as in res.h; RES_UNLIMITED absorbs.
 */
#ifndef CORE_QUOTA_H
#define CORE_QUOTA_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUOTA_NONE  UINT32_MAX
#define QUOTA_UNSET (-1) /* a limit that is not given (limits are >= 0) */

struct quota_limits {
	int64_t nominal;
	int64_t borrowing; /* QUOTA_UNSET: no limit */
	int64_t lending;   /* QUOTA_UNSET: all of it */
};

struct quota_entry {
	struct quota_limits own;
	int64_t subtree;    /* quota available inside the subtree */
	int64_t guaranteed; /* part of it that is never shown to the parent */
	int64_t potential;  /* what the node could have if nothing were used */
	int64_t usage;
	bool own_listed;  /* the node itself lists the column */
	bool listed;	  /* it stands somewhere in the subtree */
	uint32_t root_at; /* private: of a leaf with a short way, the cell of its root */
};

struct quota_amount {
	uint32_t column;
	int64_t amount;
};

struct quota_node {
	uint32_t parent; /* QUOTA_NONE: a root */
	uint32_t root;
	uint32_t height;       /* borrowing level of a cohort; 0 for leaves */
	uint32_t first_leaf;   /* children, in rank order: leaves ... */
	uint32_t leaf_count;   /* ... are tree->children[first_leaf ...], behind them ... */
	uint32_t hidden_count; /* ... hidden leaves, which nobody looks at ... */
	uint32_t first_cohort; /* and cohorts */
	uint32_t cohort_count;
	uint32_t rank; /* children are visited in this order */
	bool hidden;
	bool share_known; /* quota_tree.shares has it as of the last time that usage was written */
	double weight;	  /* fair share weight, >= 0 */
};

struct quota_undo; /* one written cell */

/* Dominant resource share of a node below a parent (spec 4.6); roots have none. */
struct quota_share {
	double ratio; /* 1000 x borrowed / lendable, of the dominant resource */
	double weight;
	double value;	   /* ratio / weight; infinite where something is borrowed on weight 0 */
	uint32_t resource; /* dominant one; QUOTA_NONE */
	bool borrowing;	   /* in any column */
};

/* Read the fields; change them through the functions only. */
struct quota_tree {
	uint32_t node_count, leaf_count; /* nodes 0 ... leaf_count-1 are leaves */
	uint32_t column_count;
	uint32_t resource_count;
	struct quota_node *nodes;
	struct quota_entry *cells;	  /* [node * column_count + column] */
	const uint32_t *column_resource;  /* borrowed, outlives the tree */
	const uint32_t *resource_by_name; /* rank of each resource's name; borrowed */
	uint32_t *children;
	int64_t *lendable;	    /* [node * resource_count + resource], below a parent */
	int64_t *scratch;	    /* [resource_count] */
	struct quota_share *shares; /* [node] */
	struct quota_undo *undo;
	size_t undo_count, undo_capacity;
	uint32_t undo_depth; /* open marks */
};

void quota_init(struct quota_tree *tree, uint32_t leaf_count, uint32_t cohort_count,
		uint32_t column_count, uint32_t resource_count, const uint32_t *column_resource,
		const uint32_t *resource_by_name);
void quota_free(struct quota_tree *tree); /* the arrays, not the struct */

/* Shape and limits; nothing may be asked until quota_rebuild. Parents must not
 * form a cycle. */
void quota_attach(struct quota_tree *tree, uint32_t node, uint32_t parent, uint32_t rank,
		  double weight);
/* A hidden leaf keeps its quota and its usage in the tree, but is no child to look
 * at, nor does it add to the height of its parent. */
void quota_hide(struct quota_tree *tree, uint32_t leaf, bool hidden);
void quota_clear_limits(struct quota_tree *tree, uint32_t node);
void quota_limit(struct quota_tree *tree, uint32_t node, uint32_t column,
		 struct quota_limits limits);
/* Works everything derived out again from limits, shape and the usage of the
 * leaves. No mark may be open. */
void quota_rebuild(struct quota_tree *tree);

static inline struct quota_entry *quota_at(const struct quota_tree *tree, uint32_t node,
					   uint32_t column)
{
	return &tree->cells[(size_t)node * tree->column_count + column];
}

static inline bool quota_has_parent(const struct quota_tree *tree, uint32_t node)
{
	return tree->nodes[node].parent != QUOTA_NONE;
}

/* Is the leaf below its root, and with leaves only? */
static inline bool quota_is_flat(const struct quota_tree *tree, uint32_t leaf)
{
	uint32_t root = tree->nodes[leaf].root;

	return tree->nodes[leaf].parent == root && tree->nodes[root].cohort_count == 0;
}

/* Guaranteed quota that is not used: never visible above the node. */
int64_t quota_local(const struct quota_tree *tree, uint32_t node, uint32_t column);
/* Never below 0 (debt counts as nothing left). */
int64_t quota_available(const struct quota_tree *tree, uint32_t leaf, uint32_t column);
/* The same if the leaf used so much less (>= 0). */
int64_t quota_available_without(const struct quota_tree *tree, uint32_t leaf, uint32_t column,
				int64_t less);
/* If the node used so much less (or more, where that is negative), so much less would its
 * parent: what is within the node's guaranteed part does not count there. */
int64_t quota_passed_on(const struct quota_tree *tree, uint32_t node, uint32_t column,
			int64_t less);
int64_t quota_potential(const struct quota_tree *tree, uint32_t node, uint32_t column);
enum quota_room {
	QUOTA_NEVER, /* not even if nothing were used */
	QUOTA_FULL,
	QUOTA_ROOM,
};
/* Is so much there for the leaf? What potential, available and level say of it, at once. *level:
 * as of quota_level, but 0 where it is never there. */
enum quota_room quota_room_for(const struct quota_tree *tree, uint32_t leaf, uint32_t column,
			       int64_t amount, uint32_t *level);
/* Would usage + amount be more than the node's own (leaf) or subtree (cohort) quota? */
bool quota_borrows(const struct quota_tree *tree, uint32_t node, uint32_t column, int64_t amount);
/* Usage within the subtree's quota in each of the columns? */
bool quota_within(const struct quota_tree *tree, uint32_t node, const uint32_t *columns,
		  uint32_t count);
/* Height of the lowest subtree that holds the amount, 0 without borrowing
 * (spec 2.4). *may_reclaim: that subtree is a strict part of the tree. */
uint32_t quota_level(const struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount,
		     bool *may_reclaim);

void quota_add(struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount);
void quota_remove(struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount);
void quota_add_all(struct quota_tree *tree, uint32_t leaf, const struct quota_amount *amounts,
		   uint32_t count);
void quota_remove_all(struct quota_tree *tree, uint32_t leaf, const struct quota_amount *amounts,
		      uint32_t count);

/* Trial changes on the live tree instead of a copy: everything written after a
 * mark is put back, exactly, by the rollback to it. Marks nest. */
size_t quota_mark(struct quota_tree *tree);
void quota_rollback(struct quota_tree *tree, size_t mark);

void quota_share_work_out(const struct quota_tree *tree, uint32_t node);
/* Valid until the usage of the node changes. */
static inline const struct quota_share *quota_share(const struct quota_tree *tree, uint32_t node)
{
	if (!tree->nodes[node].share_known)
		quota_share_work_out(tree, node);
	return &tree->shares[node];
}
/* What it would be if the node used so much less (or more, where an amount is negative). */
struct quota_share quota_share_without(const struct quota_tree *tree, uint32_t node,
				       const struct quota_amount *less, uint32_t count);
/* <0, 0, >0; borrowing on weight 0 is above everything else. */
int quota_share_compare_endless(const struct quota_share *a, const struct quota_share *b);
static inline int quota_share_compare(const struct quota_share *a, const struct quota_share *b)
{
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->value <= DBL_MAX ? 0 : quota_share_compare_endless(a, b);
}
/* Is the node above its subtree's quota in a column of which amounts asks more than 0? */
bool quota_share_touches(const struct quota_tree *tree, uint32_t node,
			 const struct quota_amount *amounts, uint32_t count);

#endif
