#include "sim/kueue/kueue_topology.h"

#include <assert.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/scenario/kueue_gates.h"

struct kueue_topology *kueue_topology_new(const struct scenario *scenario, uint32_t tree_count)
{
	struct kueue_topology *t = mem_calloc(1, sizeof(*t));

	t->scenario = scenario;
	t->places = name_new();
	t->trees = mem_calloc(tree_count, sizeof(*t->trees));
	t->tree_count = tree_count;
	t->shares_nodes = kueue_gates_read(&scenario->config, scenario->strings).shares_nodes;
	return t;
}

static void clear_tree(struct topology_tree *tree)
{
	mem_free(tree->domains);
	mem_free(tree->places);
	mem_free(tree->nodes);
	mem_free(tree->leaf_of);
	mem_free(tree->node_leaf);
	mem_free(tree->free);
	mem_free(tree->used);
	mem_free(tree->assumed);
	mem_free(tree->stamps);
	mem_free(tree->changes);
	mem_free(tree->capacity);
	mem_free(tree->renewed);
	*tree = (struct topology_tree){0};
}

void kueue_topology_free(struct kueue_topology *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i < t->tree_count; i++)
		clear_tree(&t->trees[i]);
	mem_free(t->trees);
	mem_free(t->undo);
	mem_free(t->assumed);
	name_free(t->places);
	mem_free(t);
}

/* ----------------------------------------------------------------- building */

/* A node of the flavor and its values, highest level first. */
struct row {
	uint32_t node;
	const uint32_t *values;
};

struct rows {
	const struct kueue_topology *t;
	struct row *items;
	uint32_t *values; /* [row * level_count] */
	uint32_t count;
	uint32_t level_count;
};

static const char *text(const struct kueue_topology *t, uint32_t string)
{
	return name_text(t->scenario->strings, string);
}

static bool read_values(const struct flavor *flavor, const struct topology *topology,
			const struct node *node, uint32_t *values)
{
	for (uint32_t l = 0; l < topology->level_count; l++) {
		values[l] = label_value(&node->labels, topology->levels[l]);
		if (values[l] == NAME_NONE)
			return false;
	}
	return label_contains(&node->labels, &flavor->node_labels);
}

bool kueue_topology_suits(const struct flavor *flavor, const struct topology *topology,
			  const struct node *node)
{
	uint32_t values[TOPOLOGY_LEVELS_MAX];

	return read_values(flavor, topology, node, values);
}

/* Nodes of one host name are one leaf; the first says where it stands. */
static void join_hosts(struct rows *rows)
{
	uint32_t lowest = rows->level_count - 1;
	uint32_t *first = mem_calloc(name_count(rows->t->scenario->strings), sizeof(*first));

	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t *seen = &first[rows->items[i].values[lowest]];

		if (*seen == 0)
			*seen = i + 1;
		else
			rows->items[i].values = rows->items[*seen - 1].values;
	}
	mem_free(first);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct rows *rows = context;
	const struct row *x = a, *y = b;

	for (uint32_t l = 0; l < rows->level_count; l++) {
		int c = x->values[l] == y->values[l]
				? 0
				: strcmp(text(rows->t, x->values[l]), text(rows->t, y->values[l]));

		if (c != 0)
			return c;
	}
	return (x->node > y->node) - (x->node < y->node);
}

static void collect_rows(struct rows *rows, const struct topology_tree *tree,
			 const struct node *nodes, const bool *usable, uint32_t node_count)
{
	rows->level_count = tree->topology->level_count;
	rows->items = mem_calloc(node_count, sizeof(*rows->items));
	rows->values = mem_calloc((size_t)node_count * rows->level_count, sizeof(*rows->values));
	for (uint32_t n = 0; n < node_count; n++) {
		uint32_t *values = &rows->values[(size_t)rows->count * rows->level_count];

		if (usable[n] && read_values(tree->flavor, tree->topology, &nodes[n], values))
			rows->items[rows->count++] = (struct row){n, values};
	}
	if (tree->by_host)
		join_hosts(rows);
	sort_stable(rows->items, rows->count, sizeof(*rows->items), compare_rows, rows);
}

/* The highest level on which a row differs from the one before it. */
static uint32_t new_from(const struct rows *rows, uint32_t row)
{
	uint32_t l = 0;

	if (row == 0)
		return 0;
	while (l < rows->level_count &&
	       rows->items[row].values[l] == rows->items[row - 1].values[l])
		l++;
	return l;
}

static void count_domains(struct topology_tree *tree, const struct rows *rows)
{
	uint32_t counts[TOPOLOGY_LEVELS_MAX] = {0};

	for (uint32_t i = 0; i < rows->count; i++) {
		for (uint32_t l = new_from(rows, i); l < rows->level_count; l++)
			counts[l]++;
	}
	for (uint32_t l = 0; l < rows->level_count; l++)
		tree->first[l + 1] = tree->first[l] + counts[l];
	tree->first_leaf = tree->first[rows->level_count - 1];
	tree->leaf_count = counts[rows->level_count - 1];
}

static uint32_t name_place(struct kueue_topology *t, const struct topology_tree *tree,
			   const struct row *row)
{
	uint32_t levels = tree->topology->level_count, place;
	size_t size = 0, length = 0;
	char *joined;

	if (tree->by_host)
		return name_add(t->places, text(t, row->values[levels - 1]));
	for (uint32_t l = 0; l < levels; l++)
		size += strlen(text(t, row->values[l])) + 1;
	joined = mem_calloc(size, 1);
	for (uint32_t l = 0; l < levels; l++) {
		size_t part = strlen(text(t, row->values[l]));

		if (l > 0)
			joined[length++] = '/';
		memcpy(joined + length, text(t, row->values[l]), part);
		length += part;
	}
	place = name_add_n(t->places, joined, length);
	mem_free(joined);
	return place;
}

static void add_capacity(const struct kueue_topology *t, struct topology_tree *tree, uint32_t leaf,
			 const struct node *node)
{
	int64_t *free = &tree->free[(size_t)leaf * t->scenario->resource_count];

	for (uint32_t r = 0; r < t->scenario->resource_count; r++)
		free[r] = res_add(free[r], node->allocatable[r]);
}

static void fill_domains(struct kueue_topology *t, struct topology_tree *tree,
			 const struct rows *rows, const struct node *nodes)
{
	uint32_t levels = rows->level_count, at[TOPOLOGY_LEVELS_MAX];

	for (uint32_t l = 0; l < levels; l++)
		at[l] = tree->first[l] - 1; /* the domain that a row is in */
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		uint32_t leaf;

		for (uint32_t l = new_from(rows, i); l < levels; l++) {
			struct topology_domain *d = &tree->domains[++at[l]];

			*d = (struct topology_domain){.value = row->values[l],
						      .parent = TOPOLOGY_NOWHERE};
			if (l == 0)
				continue;
			d->parent = at[l - 1];
			if (tree->domains[at[l - 1]].child_count++ == 0)
				tree->domains[at[l - 1]].first_child = at[l];
		}
		leaf = at[levels - 1] - tree->first_leaf;
		if (new_from(rows, i) < levels) {
			tree->places[leaf] = name_place(t, tree, row);
			tree->nodes[leaf] = row->node;
		}
		tree->node_leaf[row->node] = leaf;
		tree->joined = tree->joined || tree->capacity[leaf] != NULL;
		tree->capacity[leaf] = nodes[row->node].allocatable;
		add_capacity(t, tree, leaf, &nodes[row->node]);
	}
}

static void allocate_tree(const struct kueue_topology *t, struct topology_tree *tree,
			  uint32_t node_count)
{
	size_t cells = (size_t)tree->leaf_count * t->scenario->resource_count;

	tree->domains = mem_calloc(tree->first_leaf + tree->leaf_count, sizeof(*tree->domains));
	tree->places = mem_calloc(tree->leaf_count, sizeof(*tree->places));
	tree->nodes = mem_calloc(tree->leaf_count, sizeof(*tree->nodes));
	tree->node_leaf = mem_calloc(node_count, sizeof(*tree->node_leaf));
	memset(tree->node_leaf, 0xff, node_count * sizeof(*tree->node_leaf));
	tree->node_count = node_count;
	tree->free = mem_calloc(cells, sizeof(*tree->free));
	tree->used = mem_calloc(cells, sizeof(*tree->used));
	tree->assumed = mem_calloc(cells, sizeof(*tree->assumed));
	tree->stamps = mem_calloc(tree->leaf_count, sizeof(*tree->stamps));
	tree->capacity = mem_calloc(tree->leaf_count, sizeof(*tree->capacity));
}

static void index_places(const struct kueue_topology *t, struct topology_tree *tree)
{
	tree->place_count = name_count(t->places);
	tree->leaf_of = mem_calloc(tree->place_count, sizeof(*tree->leaf_of));
	memset(tree->leaf_of, 0xff, tree->place_count * sizeof(*tree->leaf_of));
	for (uint32_t i = 0; i < tree->leaf_count; i++)
		tree->leaf_of[tree->places[i]] = i;
}

void kueue_topology_build(struct kueue_topology *t, uint32_t tree, const struct flavor *flavor,
			  const struct topology *topology, const struct node *nodes,
			  const bool *usable, uint32_t node_count)
{
	struct topology_tree *built = &t->trees[tree];
	struct rows rows = {.t = t};

	assert(t->undo_count == 0 && t->assumed_count == 0);
	t->lasting++;
	t->relieved++;
	clear_tree(built);
	if (topology == NULL || topology->level_count == 0)
		return;
	assert(topology->level_count <= TOPOLOGY_LEVELS_MAX);
	built->flavor = flavor;
	built->topology = topology;
	built->all_nodes = nodes;
	built->version = ++t->version;
	built->freed = ++t->stamp;
	built->by_host = strcmp(text(t, topology->levels[topology->level_count - 1]),
				"kubernetes.io/hostname") == 0;
	collect_rows(&rows, built, nodes, usable, node_count);
	count_domains(built, &rows);
	allocate_tree(t, built, node_count);
	fill_domains(t, built, &rows, nodes);
	index_places(t, built);
	mem_free(rows.items);
	mem_free(rows.values);
}

/* -------------------------------------------------------------------- usage */

uint32_t kueue_topology_level(const struct topology_tree *tree, uint32_t key)
{
	for (uint32_t l = 0; l < tree->topology->level_count; l++) {
		if (tree->topology->levels[l] == key)
			return l;
	}
	return TOPOLOGY_NOWHERE;
}

uint32_t kueue_topology_leaf(const struct topology_tree *tree, uint32_t place)
{
	return place < tree->place_count ? tree->leaf_of[place] : TOPOLOGY_NOWHERE;
}

const char *kueue_topology_place(const struct kueue_topology *t, uint32_t place)
{
	return name_text(t->places, place);
}

/* Who is behind by more changes than there are leaves does as well to look at all. */
static void note_change(struct kueue_topology *t, struct topology_tree *tree, uint32_t leaf)
{
	tree->stamps[leaf] = ++t->stamp;
	if (tree->change_count >= 2 * (size_t)tree->leaf_count + 64) {
		tree->first_change += tree->change_count;
		tree->change_count = 0;
	}
	tree->changes = mem_grow(tree->changes, tree->change_count + 1, &tree->change_capacity,
				 sizeof(*tree->changes));
	tree->changes[tree->change_count++] = leaf;
}

/* Sums wrap, so that taking away undoes adding exactly; where capacity is finite
 * they stay far from the end of the range. */
static void change(struct kueue_topology *t, struct topology_tree *tree, int64_t *cells,
		   uint32_t leaf, const struct pod_shape *shape, int64_t pods)
{
	int64_t *row = &cells[(size_t)leaf * t->scenario->resource_count];
	const int64_t *counted = pod_shape_counted(shape);

	for (uint64_t left = pod_shape_counts(shape) & ~(UINT64_C(1) << RES_PODS); left != 0;
	     left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		row[r] = (int64_t)((uint64_t)row[r] + (uint64_t)counted[r] * (uint64_t)pods);
	}
	row[RES_PODS] += pods;
	note_change(t, tree, leaf);
}

/* Does a tree see what is used in another one? */
static bool shares(const struct kueue_topology *t, uint32_t into, uint32_t tree)
{
	return into == tree ||
	       (t->shares_nodes && t->trees[tree].by_host && t->trees[into].by_host);
}

static void change_in(struct kueue_topology *t, uint32_t into, uint32_t place,
		      const struct pod_shape *shape, int64_t pods, bool assumed)
{
	struct topology_tree *tree = &t->trees[into];
	uint32_t leaf = kueue_topology_leaf(tree, place);

	if (leaf != TOPOLOGY_NOWHERE)
		change(t, tree, assumed ? tree->assumed : tree->used, leaf, shape, pods);
}

/* The tree's leaf at the place, and those of the other trees of hosts. */
static void change_shared(struct kueue_topology *t, uint32_t tree, uint32_t place,
			  const struct pod_shape *shape, int64_t pods, bool assumed)
{
	for (uint32_t i = 0; i < t->tree_count; i++) {
		if (shares(t, i, tree))
			change_in(t, i, place, shape, pods, assumed);
	}
}

void kueue_topology_use(struct kueue_topology *t, uint32_t tree, uint32_t place,
			const struct pod_shape *shape, int64_t pods)
{
	assert(t->undo_count == 0);
	t->lasting++;
	t->relieved += pods < 0;
	change_shared(t, tree, place, shape, pods, false);
}

void kueue_topology_use_in(struct kueue_topology *t, uint32_t into, uint32_t tree, uint32_t place,
			   const struct pod_shape *shape, int64_t pods)
{
	assert(t->undo_count == 0);
	t->lasting++;
	t->relieved += pods < 0;
	if (shares(t, into, tree))
		change_in(t, into, place, shape, pods, false);
}

static void occupy_leaf(struct kueue_topology *t, struct topology_tree *tree, uint32_t leaf,
			const struct pod_shape *shape, int64_t pods)
{
	int64_t *free = &tree->free[(size_t)leaf * t->scenario->resource_count];

	for (uint32_t r = 0; r < t->scenario->resource_count; r++) {
		int64_t amount = r == RES_PODS ? 1 : shape->request[r];

		if (free[r] == RES_UNLIMITED || (r != RES_PODS && !(shape->requested >> r & 1)))
			continue;
		free[r] = pods > 0 ? res_sub(free[r], res_mul(amount, pods))
				   : res_add(free[r], res_mul(amount, -pods));
	}
	note_change(t, tree, leaf);
	t->lasting++;
	t->relieved += pods < 0;
	tree->freed = t->stamp;
}

void kueue_topology_occupy_in(struct kueue_topology *t, uint32_t into, uint32_t node,
			      const struct pod_shape *shape, int64_t pods)
{
	struct topology_tree *tree = &t->trees[into];

	if (node < tree->node_count && tree->node_leaf[node] != TOPOLOGY_NOWHERE)
		occupy_leaf(t, tree, tree->node_leaf[node], shape, pods);
}

void kueue_topology_occupy(struct kueue_topology *t, uint32_t node, const struct pod_shape *shape,
			   int64_t pods)
{
	for (uint32_t i = 0; i < t->tree_count; i++)
		kueue_topology_occupy_in(t, i, node, shape, pods);
}

/* Level by level what read_values reads; amounts come in whole versions of the node, which
 * the scenario keeps. */
static bool stands_as_built(const struct kueue_topology *t, const struct topology_tree *tree,
			    uint32_t leaf, const struct node *node)
{
	uint32_t domain = tree->first_leaf + leaf;

	for (uint32_t l = tree->topology->level_count; l-- > 0;) {
		if (label_value(&node->labels, tree->topology->levels[l]) !=
		    tree->domains[domain].value)
			return false;
		domain = tree->domains[domain].parent;
	}
	return label_contains(&node->labels, &tree->flavor->node_labels) &&
	       memcmp(node->allocatable, tree->capacity[leaf],
		      t->scenario->resource_count * sizeof(*node->allocatable)) == 0;
}

bool kueue_topology_renew(struct kueue_topology *t, uint32_t tree, uint32_t node, bool usable)
{
	struct topology_tree *at = &t->trees[tree];
	uint32_t leaf = node < at->node_count ? at->node_leaf[node] : TOPOLOGY_NOWHERE;

	if (!usable || leaf == TOPOLOGY_NOWHERE || !at->by_host || at->joined ||
	    !stands_as_built(t, at, leaf, &at->all_nodes[node]))
		return false;
	note_change(t, at, leaf);
	at->freed = t->stamp;
	t->lasting++;
	t->relieved++;
	at->renewed = mem_grow(at->renewed, at->renewed_count + 1, &at->renewed_capacity,
			       sizeof(*at->renewed));
	at->renewed[at->renewed_count++] = leaf;
	return true;
}

size_t kueue_topology_mark(const struct kueue_topology *t)
{
	return t->undo_count;
}

void kueue_topology_suppose(struct kueue_topology *t, uint32_t tree, uint32_t place,
			    const struct pod_shape *shape, int64_t pods)
{
	uint32_t leaf = kueue_topology_leaf(&t->trees[tree], place);

	if (leaf == TOPOLOGY_NOWHERE)
		return;
	t->undo = mem_grow(t->undo, t->undo_count + 1, &t->undo_capacity, sizeof(*t->undo));
	t->undo[t->undo_count++] = (struct topology_change){
		tree, leaf, shape, pods, t->trees[tree].stamps[leaf], t->trees[tree].freed};
	change(t, &t->trees[tree], t->trees[tree].used, leaf, shape, pods);
}

/* The last change first, so each leaf is then as it was, and has its stamp again; unless
 * pods of another kind came or went there meanwhile. */
void kueue_topology_rollback(struct kueue_topology *t, size_t mark)
{
	while (t->undo_count > mark) {
		const struct topology_change *c = &t->undo[--t->undo_count];
		struct topology_tree *tree = &t->trees[c->tree];

		change(t, tree, tree->used, c->leaf, c->shape, -c->pods);
		if (tree->freed == c->freed)
			tree->stamps[c->leaf] = c->stamp;
	}
}

void kueue_topology_assume(struct kueue_topology *t, uint32_t tree, uint32_t place,
			   const struct pod_shape *shape, int64_t pods)
{
	change_shared(t, tree, place, shape, pods, true);
	t->assumed = mem_grow(t->assumed, t->assumed_count + 1, &t->assumed_capacity,
			      sizeof(*t->assumed));
	t->assumed[t->assumed_count++] =
		(struct topology_change){.tree = tree, .leaf = place, .shape = shape, .pods = pods};
}

void kueue_topology_forget(struct kueue_topology *t)
{
	while (t->assumed_count > 0) {
		const struct topology_change *c = &t->assumed[--t->assumed_count];

		change_shared(t, c->tree, c->leaf, c->shape, -c->pods, true);
	}
}

int64_t kueue_topology_left(const struct kueue_topology *t, uint32_t tree, uint32_t leaf,
			    uint32_t resource, bool empty)
{
	const struct topology_tree *from = &t->trees[tree];
	size_t cell = (size_t)leaf * t->scenario->resource_count + resource;

	if (from->free[cell] == RES_UNLIMITED)
		return RES_UNLIMITED;
	return res_sub(res_sub(from->free[cell], empty ? 0 : from->used[cell]),
		       from->assumed[cell]);
}

bool kueue_topology_holds(const struct kueue_topology *t, uint32_t tree, uint32_t place,
			  const struct pod_shape *shape, int64_t pods)
{
	uint32_t leaf = kueue_topology_leaf(&t->trees[tree], place);
	uint64_t asked = pod_shape_counts(shape) & ~(UINT64_C(1) << RES_PODS);
	const int64_t *counted = pod_shape_counted(shape);

	if (leaf == TOPOLOGY_NOWHERE || asked == 0)
		return false;
	for (; asked != 0; asked &= asked - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(asked);
		int64_t left = kueue_topology_left(t, tree, leaf, r, false);

		if (counted[r] > 0 && left / counted[r] < pods)
			return false;
	}
	return true;
}
