#include "core/quota.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/res.h"

struct quota_undo {
	uint32_t node, column;
	int64_t usage;
};

/* Far from the ends no sum can wrap or meet RES_UNLIMITED: the common case. */
#define SAFE (INT64_C(1) << 61)

/* From -SAFE on, and below SAFE? Shifted by SAFE either number has no bit from 2 * SAFE on then. */
static bool is_safe(int64_t a, int64_t b)
{
	uint64_t over = ~(2 * (uint64_t)SAFE - 1);

	return ((((uint64_t)a + SAFE) | ((uint64_t)b + SAFE)) & over) == 0;
}

static int64_t sum(int64_t a, int64_t b)
{
	return is_safe(a, b) ? a + b : res_add(a, b);
}

static int64_t difference(int64_t a, int64_t b)
{
	return is_safe(a, b) ? a - b : res_sub(a, b);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void quota_init(struct quota_tree *tree, uint32_t leaf_count, uint32_t cohort_count,
		uint32_t column_count, uint32_t resource_count, const uint32_t *column_resource,
		const uint32_t *resource_by_name)
{
	uint32_t nodes = leaf_count + cohort_count;

	*tree = (struct quota_tree){.node_count = nodes,
				    .leaf_count = leaf_count,
				    .column_count = column_count,
				    .resource_count = resource_count,
				    .column_resource = column_resource,
				    .resource_by_name = resource_by_name};
	tree->nodes = mem_calloc(nodes, sizeof(*tree->nodes));
	tree->cells = mem_calloc((size_t)nodes * column_count, sizeof(*tree->cells));
	tree->children = mem_calloc(nodes, sizeof(*tree->children));
	tree->lendable = mem_calloc((size_t)nodes * resource_count, sizeof(*tree->lendable));
	tree->scratch = mem_calloc(resource_count, sizeof(*tree->scratch));
	tree->shares = mem_calloc(nodes, sizeof(*tree->shares));
	for (uint32_t i = 0; i < nodes; i++) {
		quota_attach(tree, i, QUOTA_NONE, i, 1.0);
		quota_clear_limits(tree, i);
	}
}

void quota_free(struct quota_tree *tree)
{
	mem_free(tree->nodes);
	mem_free(tree->cells);
	mem_free(tree->children);
	mem_free(tree->lendable);
	mem_free(tree->scratch);
	mem_free(tree->shares);
	mem_free(tree->undo);
	*tree = (struct quota_tree){0};
}

void quota_attach(struct quota_tree *tree, uint32_t node, uint32_t parent, uint32_t rank,
		  double weight)
{
	assert(parent == QUOTA_NONE || (parent >= tree->leaf_count && parent < tree->node_count));
	tree->nodes[node].parent = parent;
	tree->nodes[node].rank = rank;
	tree->nodes[node].weight = weight;
}

void quota_hide(struct quota_tree *tree, uint32_t leaf, bool hidden)
{
	assert(leaf < tree->leaf_count);
	tree->nodes[leaf].hidden = hidden;
}

void quota_clear_limits(struct quota_tree *tree, uint32_t node)
{
	static const struct quota_limits none = {0, QUOTA_UNSET, QUOTA_UNSET};

	for (uint32_t c = 0; c < tree->column_count; c++) {
		quota_at(tree, node, c)->own = none;
		quota_at(tree, node, c)->own_listed = false;
	}
}

void quota_limit(struct quota_tree *tree, uint32_t node, uint32_t column,
		 struct quota_limits limits)
{
	quota_at(tree, node, column)->own = limits;
	quota_at(tree, node, column)->own_listed = true;
}

/* Lists the parent's children of one kind in rank order; their number. */
static uint32_t list_kind(struct quota_tree *tree, uint32_t parent, const uint32_t *by_rank,
			  bool leaves, bool hidden, uint32_t *next)
{
	uint32_t first = *next;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct quota_node *child = &tree->nodes[by_rank[i]];

		if (child->parent == parent && (by_rank[i] < tree->leaf_count) == leaves &&
		    child->hidden == hidden)
			tree->children[(*next)++] = by_rank[i];
	}
	return *next - first;
}

/* Children of every node, by passes over the nodes in rank order. */
static void list_children(struct quota_tree *tree)
{
	uint32_t *by_rank = mem_calloc(tree->node_count, sizeof(*by_rank));
	uint32_t next = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) { /* insertion sort: rebuilt rarely */
		uint32_t at = i;

		for (; at > 0 && tree->nodes[by_rank[at - 1]].rank > tree->nodes[i].rank; at--)
			by_rank[at] = by_rank[at - 1];
		by_rank[at] = i;
	}
	for (uint32_t p = tree->leaf_count; p < tree->node_count; p++) {
		struct quota_node *parent = &tree->nodes[p];

		parent->first_leaf = next;
		parent->leaf_count = list_kind(tree, p, by_rank, true, false, &next);
		parent->hidden_count = list_kind(tree, p, by_rank, true, true, &next);
		parent->first_cohort = next;
		parent->cohort_count = list_kind(tree, p, by_rank, false, false, &next);
	}
	mem_free(by_rank);
}

/* guaranteed and, for the parent, the child's contribution. */
static void gather_child(struct quota_tree *tree, uint32_t parent, uint32_t child)
{
	for (uint32_t c = 0; c < tree->column_count; c++) {
		struct quota_entry *from = quota_at(tree, child, c);
		struct quota_entry *to = quota_at(tree, parent, c);

		if (from->listed) {
			to->listed = true;
			to->subtree = sum(to->subtree, difference(from->subtree, from->guaranteed));
		}
		to->usage = sum(to->usage, larger(0, difference(from->usage, from->guaranteed)));
	}
}

static void set_guaranteed(struct quota_entry *cell)
{
	cell->guaranteed = cell->own.lending == QUOTA_UNSET
				   ? 0
				   : larger(0, difference(cell->subtree, cell->own.lending));
}

/* Post-order: subtree, usage, guaranteed and height of a node and all below it. */
static void gather(struct quota_tree *tree, uint32_t node, uint32_t root)
{
	struct quota_node *n = &tree->nodes[node];

	n->root = root;
	n->height = n->leaf_count + n->cohort_count > 0 ? 1 : 0;
	for (uint32_t c = 0; c < tree->column_count; c++) {
		struct quota_entry *cell = quota_at(tree, node, c);

		cell->subtree = cell->own.nominal;
		cell->listed = cell->own_listed;
		if (node >= tree->leaf_count)
			cell->usage = 0;
	}
	for (uint32_t i = 0; i < n->cohort_count; i++) {
		uint32_t child = tree->children[n->first_cohort + i];

		gather(tree, child, root);
		gather_child(tree, node, child);
		if (tree->nodes[child].height + 1 > n->height)
			n->height = tree->nodes[child].height + 1;
	}
	for (uint32_t i = 0; i < n->leaf_count + n->hidden_count; i++) {
		uint32_t child = tree->children[n->first_leaf + i];

		gather(tree, child, root);
		gather_child(tree, node, child);
	}
	for (uint32_t c = 0; c < tree->column_count; c++)
		set_guaranteed(quota_at(tree, node, c));
}

/* Pre-order: potential and, per resource, what the node can lend its children. */
static void spread(struct quota_tree *tree, uint32_t node)
{
	const struct quota_node *n = &tree->nodes[node];

	for (uint32_t r = 0; r < tree->resource_count; r++)
		tree->lendable[(size_t)node * tree->resource_count + r] = 0;
	for (uint32_t c = 0; c < tree->column_count; c++) {
		struct quota_entry *cell = quota_at(tree, node, c);
		int64_t *lendable = &tree->lendable[(size_t)node * tree->resource_count +
						    tree->column_resource[c]];

		if (n->parent == QUOTA_NONE) {
			cell->potential = cell->subtree;
		} else {
			cell->potential =
				sum(cell->guaranteed, quota_at(tree, n->parent, c)->potential);
			if (cell->own.borrowing != QUOTA_UNSET)
				cell->potential = smaller(cell->potential,
							  sum(cell->subtree, cell->own.borrowing));
		}
		*lendable = sum(*lendable, cell->potential);
	}
	for (uint32_t i = 0; i < n->cohort_count; i++)
		spread(tree, tree->children[n->first_cohort + i]);
	for (uint32_t i = 0; i < n->leaf_count + n->hidden_count; i++)
		spread(tree, tree->children[n->first_leaf + i]);
}

/* A leaf's way up is short if it is a root, or right below one, keeps nothing back and may borrow
 * whatever is there: then its usage is in that of the root as it is. */
static void find_short_ways(struct quota_tree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t parent = tree->nodes[i].parent, root = parent == QUOTA_NONE ? i : parent;

		for (uint32_t c = 0; c < tree->column_count; c++) {
			struct quota_entry *cell = quota_at(tree, i, c);
			bool is_short = tree->nodes[i].root == root &&
					(root == i || (cell->guaranteed == 0 &&
						       cell->own.borrowing == QUOTA_UNSET));

			cell->root_at = is_short ? root * tree->column_count + c : QUOTA_NONE;
		}
	}
}

void quota_rebuild(struct quota_tree *tree)
{
	assert(tree->undo_depth == 0);
	list_children(tree);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		tree->nodes[i].share_known = false;
		if (tree->nodes[i].parent != QUOTA_NONE)
			continue;
		gather(tree, i, i);
		spread(tree, i);
	}
	find_short_ways(tree);
}

/* The root's cell if the way is short and neither usage is in debt or near the ends, nor is the
 * amount, which is above 0; else NULL. Then sums need no care. */
static struct quota_entry *short_way(const struct quota_tree *tree, const struct quota_entry *cell,
				     int64_t amount)
{
	struct quota_entry *root;

	if (cell->root_at == QUOTA_NONE)
		return NULL;
	root = &tree->cells[cell->root_at];
	return ((uint64_t)cell->usage | (uint64_t)root->usage | ((uint64_t)amount - 1)) < SAFE
		       ? root
		       : NULL;
}

int64_t quota_local(const struct quota_tree *tree, uint32_t node, uint32_t column)
{
	const struct quota_entry *cell = quota_at(tree, node, column);

	return larger(0, difference(cell->guaranteed, cell->usage));
}

/* If the node used so much less. May be negative: more is admitted than there is quota. */
static int64_t available(const struct quota_tree *tree, uint32_t node, uint32_t column,
			 int64_t less)
{
	const struct quota_entry *cell = quota_at(tree, node, column);
	int64_t usage = difference(cell->usage, less), stored, from_parent;

	if (!quota_has_parent(tree, node))
		return difference(cell->subtree, usage);
	stored = larger(0, difference(cell->usage, cell->guaranteed));
	from_parent = available(tree, tree->nodes[node].parent, column, smaller(less, stored));
	if (cell->own.borrowing != QUOTA_UNSET) {
		int64_t lendable = difference(cell->subtree, cell->guaranteed);
		int64_t used = larger(0, difference(usage, cell->guaranteed));

		from_parent =
			smaller(from_parent, sum(difference(lendable, used), cell->own.borrowing));
	}
	return sum(larger(0, difference(cell->guaranteed, usage)), from_parent);
}

int64_t quota_available(const struct quota_tree *tree, uint32_t leaf, uint32_t column)
{
	return larger(0, available(tree, leaf, column, 0));
}

int64_t quota_available_without(const struct quota_tree *tree, uint32_t leaf, uint32_t column,
				int64_t less)
{
	return larger(0, available(tree, leaf, column, less));
}

int64_t quota_passed_on(const struct quota_tree *tree, uint32_t node, uint32_t column, int64_t less)
{
	const struct quota_entry *cell = quota_at(tree, node, column);
	int64_t stored = difference(cell->usage, cell->guaranteed);

	return difference(larger(0, stored), larger(0, difference(stored, less)));
}

int64_t quota_potential(const struct quota_tree *tree, uint32_t node, uint32_t column)
{
	return quota_at(tree, node, column)->potential;
}

bool quota_borrows(const struct quota_tree *tree, uint32_t node, uint32_t column, int64_t amount)
{
	const struct quota_entry *cell = quota_at(tree, node, column);

	return cell->subtree < sum(cell->usage, amount);
}

bool quota_within(const struct quota_tree *tree, uint32_t node, const uint32_t *columns,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct quota_entry *cell = quota_at(tree, node, columns[i]);

		if (cell->subtree < cell->usage)
			return false;
	}
	return true;
}

uint32_t quota_level(const struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount,
		     bool *may_reclaim)
{
	uint32_t node = tree->nodes[leaf].parent;
	int64_t rest;

	*may_reclaim = node != QUOTA_NONE;
	if (node == QUOTA_NONE || !quota_borrows(tree, leaf, column, amount))
		return 0;
	rest = difference(amount, quota_local(tree, leaf, column));
	for (; node != QUOTA_NONE; node = tree->nodes[node].parent) {
		if (!quota_borrows(tree, node, column, rest)) {
			*may_reclaim = quota_has_parent(tree, node);
			return tree->nodes[node].height;
		}
		rest = difference(rest, quota_local(tree, node, column));
	}
	*may_reclaim = false;
	return tree->nodes[tree->nodes[leaf].root].height;
}

enum quota_room quota_room_for(const struct quota_tree *tree, uint32_t leaf, uint32_t column,
			       int64_t amount, uint32_t *level)
{
	const struct quota_entry *cell = quota_at(tree, leaf, column), *root;
	bool may_reclaim;

	*level = 0;
	if (amount > cell->potential)
		return QUOTA_NEVER;
	root = short_way(tree, cell, amount);
	if (root == NULL) {
		*level = quota_level(tree, leaf, column, amount, &may_reclaim);
		return amount > quota_available(tree, leaf, column) ? QUOTA_FULL : QUOTA_ROOM;
	}
	if (root != cell && cell->usage + amount > cell->subtree)
		*level = quota_level(tree, leaf, column, amount, &may_reclaim);
	return root->usage + amount > root->subtree ? QUOTA_FULL : QUOTA_ROOM;
}

static void keep_usage(struct quota_tree *tree, uint32_t node, uint32_t column, int64_t usage)
{
	tree->undo = mem_grow(tree->undo, tree->undo_count + 1, &tree->undo_capacity,
			      sizeof(*tree->undo));
	tree->undo[tree->undo_count++] =
		(struct quota_undo){.node = node, .column = column, .usage = usage};
}

static inline void write_usage(struct quota_tree *tree, uint32_t node, uint32_t column,
			       int64_t usage)
{
	struct quota_entry *cell = quota_at(tree, node, column);

	if (tree->undo_depth > 0)
		keep_usage(tree, node, column, cell->usage);
	cell->usage = usage;
	tree->nodes[node].share_known = false;
}

static void add_up(struct quota_tree *tree, uint32_t node, uint32_t column, int64_t amount)
{
	while (node != QUOTA_NONE) {
		const struct quota_entry *cell = quota_at(tree, node, column);
		int64_t local = quota_local(tree, node, column);

		write_usage(tree, node, column, sum(cell->usage, amount));
		if (amount <= local)
			return;
		amount = difference(amount, local);
		node = tree->nodes[node].parent;
	}
}

static void remove_up(struct quota_tree *tree, uint32_t node, uint32_t column, int64_t amount)
{
	while (node != QUOTA_NONE) {
		const struct quota_entry *cell = quota_at(tree, node, column);
		int64_t stored = difference(cell->usage, cell->guaranteed);

		write_usage(tree, node, column, difference(cell->usage, amount));
		if (stored <= 0)
			return;
		amount = smaller(amount, stored);
		node = tree->nodes[node].parent;
	}
}

void quota_add(struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount)
{
	struct quota_entry *cell = quota_at(tree, leaf, column);
	struct quota_entry *root = short_way(tree, cell, amount);

	if (root == NULL || tree->undo_depth > 0) {
		add_up(tree, leaf, column, amount);
		return;
	}
	tree->nodes[leaf].share_known = false; /* that of a root stays what it is */
	if (root != cell)
		root->usage += amount;
	cell->usage += amount;
}

void quota_remove(struct quota_tree *tree, uint32_t leaf, uint32_t column, int64_t amount)
{
	struct quota_entry *cell = quota_at(tree, leaf, column);
	struct quota_entry *root = short_way(tree, cell, amount);

	if (root == NULL || amount > cell->usage || tree->undo_depth > 0) {
		remove_up(tree, leaf, column, amount);
		return;
	}
	tree->nodes[leaf].share_known = false;
	if (root != cell)
		root->usage -= amount;
	cell->usage -= amount;
}

void quota_add_all(struct quota_tree *tree, uint32_t leaf, const struct quota_amount *amounts,
		   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		quota_add(tree, leaf, amounts[i].column, amounts[i].amount);
}

void quota_remove_all(struct quota_tree *tree, uint32_t leaf, const struct quota_amount *amounts,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		quota_remove(tree, leaf, amounts[i].column, amounts[i].amount);
}

size_t quota_mark(struct quota_tree *tree)
{
	tree->undo_depth++;
	return tree->undo_count;
}

void quota_rollback(struct quota_tree *tree, size_t mark)
{
	assert(tree->undo_depth > 0 && mark <= tree->undo_count);
	while (tree->undo_count > mark) {
		const struct quota_undo *u = &tree->undo[--tree->undo_count];

		quota_at(tree, u->node, u->column)->usage = u->usage;
		tree->nodes[u->node].share_known = false;
	}
	tree->undo_depth--;
}

static int64_t less_in(const struct quota_amount *less, uint32_t count, uint32_t column)
{
	for (uint32_t i = 0; i < count; i++) {
		if (less[i].column == column)
			return less[i].amount;
	}
	return 0;
}

/* What is borrowed in a column if so much less is used; 0: nothing. */
static int64_t borrowed(const struct quota_tree *tree, uint32_t node, uint32_t column,
			const struct quota_amount *less, uint32_t count)
{
	const struct quota_entry *cell = quota_at(tree, node, column);
	int64_t usage = cell->usage;

	if (!cell->listed)
		return 0;
	if (count > 0)
		usage = difference(usage, less_in(less, count, column));
	return larger(0, difference(usage, cell->subtree));
}

/* The resource's ratio, if that is above the share's so far. */
static void weigh(const struct quota_tree *tree, uint32_t node, uint32_t resource, int64_t over,
		  struct quota_share *share)
{
	int64_t lendable =
		tree->lendable[(size_t)tree->nodes[node].parent * tree->resource_count + resource];
	double ratio;

	if (over == 0 || lendable <= 0)
		return;
	ratio = (double)over * 1000.0 / (double)lendable;
	if (ratio > share->ratio ||
	    (ratio == share->ratio && share->resource != QUOTA_NONE &&
	     tree->resource_by_name[resource] < tree->resource_by_name[share->resource])) {
		share->ratio = ratio;
		share->resource = resource;
	}
}

/* Several columns may be of one resource: their sums. */
static void weigh_sums(const struct quota_tree *tree, uint32_t node,
		       const struct quota_amount *less, uint32_t count, struct quota_share *share)
{
	memset(tree->scratch, 0, tree->resource_count * sizeof(*tree->scratch));
	for (uint32_t c = 0; c < tree->column_count; c++) {
		int64_t *over = &tree->scratch[tree->column_resource[c]];

		*over = sum(*over, borrowed(tree, node, c, less, count));
	}
	for (uint32_t r = 0; r < tree->resource_count; r++)
		weigh(tree, node, r, tree->scratch[r], share);
}

static double value_of(double ratio, double weight)
{
	if (ratio == 0)
		return 0;
	return weight == 0 ? (double)INFINITY : ratio / weight;
}

struct quota_share quota_share_without(const struct quota_tree *tree, uint32_t node,
				       const struct quota_amount *less, uint32_t count)
{
	struct quota_share share = {.weight = tree->nodes[node].weight, .resource = QUOTA_NONE};
	uint32_t over_count = 0, column = 0;
	int64_t over = 0;

	for (uint32_t c = 0; quota_has_parent(tree, node) && c < tree->column_count; c++) {
		int64_t much = borrowed(tree, node, c, less, count);

		if (much == 0)
			continue;
		over_count++;
		over = much;
		column = c;
	}
	if (over_count == 0)
		return share;
	share.borrowing = true;
	if (over_count == 1)
		weigh(tree, node, tree->column_resource[column], over, &share);
	else
		weigh_sums(tree, node, less, count, &share);
	share.value = value_of(share.ratio, share.weight);
	return share;
}

void quota_share_work_out(const struct quota_tree *tree, uint32_t node)
{
	tree->shares[node] = quota_share_without(tree, node, NULL, 0);
	tree->nodes[node].share_known = true;
}

/* Of two whose values are infinite. */
int quota_share_compare_endless(const struct quota_share *a, const struct quota_share *b)
{
	bool a_endless = a->weight == 0, b_endless = b->weight == 0;

	if (a_endless != b_endless)
		return a_endless ? 1 : -1;
	return a_endless ? (a->ratio > b->ratio) - (a->ratio < b->ratio) : 0;
}

bool quota_share_touches(const struct quota_tree *tree, uint32_t node,
			 const struct quota_amount *amounts, uint32_t count)
{
	if (!quota_has_parent(tree, node))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct quota_entry *cell = quota_at(tree, node, amounts[i].column);

		if (amounts[i].amount > 0 && cell->listed && cell->usage > cell->subtree)
			return true;
	}
	return false;
}
