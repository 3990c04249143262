#include "sim/kueue/kueue_tas.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_balance.h"
#include "sim/kueue/kueue_count.h"
#include "sim/scenario/kueue_gates.h"

enum failure {
	FAILS_NOT,
	FAILS_LEVEL,
	FAILS_SLICE_LEVEL,
	FAILS_SLICE_ABOVE,
	FAILS_LAYER_LEVEL,
	FAILS_LAYER_ABOVE,
	FAILS_LAYER_SIZE,
	FAILS_NO_DOMAINS,
	FAILS_NO_SLICE,
	FAILS_TO_FIT,
	FAILS_NO_LEVEL,
	FAILS_STALE,
	FAILS_NO_REPLACEMENT,
};

struct list {
	uint32_t *items; /* domains */
	uint32_t count;
	size_t capacity;
};

/* Where a pod set of this shape and size goes in an empty cluster, as long as nothing
 * changes there but reservations: blocked workloads ask for that in every cycle. */
#define MEMOS 64
struct memo {
	const struct pod_shape *shape; /* NULL: nothing is known */
	uint32_t tree, count;
	uint64_t freed; /* of the tree */
	struct kueue_tas_spot *spots;
	uint32_t spot_count;
	size_t capacity;
};

/* A pod set of this shape and so many pods had no place. With less room neither it nor one of more
 * pods has, so that holds until something leaves room (kueue_topology.relieved). Single pod sets of
 * new workloads without preferences only: that more room never hinders their placement is what
 * kueue_refute.h says. */
struct refusal {
	const struct pod_shape *shape; /* NULL: nothing is known */
	uint32_t tree, count;
	uint64_t relieved;
};

/* A pod set of which it is known in this cycle which nodes of a tree suit it. */
struct match {
	uint64_t who;
	uint32_t tree;
};

struct kueue_tas_work {
	struct kueue_gates gates;
	struct match *matches;
	size_t match_count, match_capacity;
	/* the group that is being placed */
	struct topology_tree *tree;
	uint32_t tree_index;
	const struct kueue_tas_set *workers, *leader; /* leader NULL: none */
	struct kueue_tas_set lost;		      /* workers, as a replacement asks */
	bool empty, required, unconstrained;
	bool alone;	 /* no other set has to see what this one gets */
	bool direct;	 /* lists are sorted, and nothing is kept for the next placement */
	bool probe;	 /* only whether there is place is asked */
	bool least_free; /* LeastFreeCapacity, else BestFit */
	bool balanced;	 /* the domains were chosen by kueue_balance.h */
	uint32_t within; /* domain that all have to be in; TOPOLOGY_NOWHERE: anywhere */
	uint32_t level, slice_level, lowest;
	int64_t size;			    /* pods of a slice */
	int64_t inner[TOPOLOGY_LEVELS_MAX]; /* size of inner slices of a level; 0: none */
	bool layered;			    /* has inner slices */
	struct kueue_counter *counter;
	struct kueue_room *counts; /* [domain] */
	struct kueue_room *copy;   /* of them, where pods are balanced */
	size_t copy_capacity;
	bool balances;
	struct list sorted, current, next;
	struct memo memos[MEMOS];
	struct refusal refusals[MEMOS];
	/* why it failed */
	enum failure failure;
	uint32_t failed_layer;
	uint32_t failed_level;
	uint32_t failed_place;
	int64_t fitting, wanted; /* slices */
	char *text;
	size_t text_length, text_capacity;
};

struct kueue_tas *kueue_tas_new(struct kueue_topology *topology)
{
	struct kueue_tas *tas = mem_calloc(1, sizeof(*tas));

	tas->topology = topology;
	tas->work = mem_calloc(1, sizeof(*tas->work));
	tas->work->gates =
		kueue_gates_read(&topology->scenario->config, topology->scenario->strings);
	tas->work->counter = kueue_count_new(topology, &tas->work->gates);
	return tas;
}

void kueue_tas_free(struct kueue_tas *tas)
{
	struct kueue_tas_work *w;

	if (tas == NULL)
		return;
	w = tas->work;
	kueue_count_free(w->counter);
	for (uint32_t i = 0; i < MEMOS; i++)
		mem_free(w->memos[i].spots);
	mem_free(w->matches);
	mem_free(w->copy);
	mem_free(w->sorted.items);
	mem_free(w->current.items);
	mem_free(w->next.items);
	mem_free(w->text);
	mem_free(w);
	mem_free(tas->spots);
	mem_free(tas->old);
	mem_free(tas);
}

void kueue_tas_begin(struct kueue_tas *tas)
{
	tas->work->match_count = 0;
}

struct kueue_tas_set kueue_tas_request(const struct pod_shape *shape)
{
	struct kueue_tas_set set = {.shape = shape,
				    .group = shape->topology_group,
				    .mode = shape->topology_mode,
				    .level = shape->topology_level,
				    .replaces = TOPOLOGY_NOWHERE};

	if (shape->slice_level != NAME_NONE)
		set.layers[set.layer_count++] =
			(struct slice_layer){shape->slice_level, shape->slice_size};
	for (uint32_t i = 0; i < shape->inner_slice_count; i++)
		set.layers[set.layer_count++] = shape->inner_slices[i];
	return set;
}

void kueue_tas_have(struct kueue_tas *tas, struct kueue_tas_set *set, uint32_t place, uint32_t pods)
{
	tas->old = mem_grow(tas->old, tas->old_count + 1, &tas->old_capacity, sizeof(*tas->old));
	if (set->old_count++ == 0)
		set->first_old = (uint32_t)tas->old_count;
	tas->old[tas->old_count++] = (struct kueue_tas_spot){place, pods};
}

/* ------------------------------------------------------ what is asked (7.3) */

static bool fails(struct kueue_tas_work *w, enum failure failure)
{
	w->failure = failure;
	return false;
}

/* The level at which the pods are to be together: slices alone are spread from the
 * highest, pods without any wish from the lowest. */
static uint32_t requested_level(const struct topology_tree *tree, const struct kueue_tas_set *set)
{
	if (set->mode == TOPOLOGY_REQUIRED || set->mode == TOPOLOGY_PREFERRED)
		return kueue_topology_level(tree, set->level);
	return set->layer_count > 0 ? 0 : tree->topology->level_count - 1;
}

static bool read_layers(struct kueue_tas_work *w)
{
	const struct kueue_tas_set *set = w->workers;
	uint32_t above = w->slice_level;

	memset(w->inner, 0, sizeof(w->inner));
	w->layered = set->layer_count > 1;
	for (uint32_t i = 1; i < set->layer_count; i++) {
		uint32_t level = kueue_topology_level(w->tree, set->layers[i].level);

		w->failed_layer = i;
		w->failed_level = above;
		if (level == TOPOLOGY_NOWHERE)
			return fails(w, FAILS_LAYER_LEVEL);
		if (level <= above)
			return fails(w, FAILS_LAYER_ABOVE);
		if (set->layers[i - 1].size % set->layers[i].size != 0)
			return fails(w, FAILS_LAYER_SIZE);
		while (above < level)
			w->inner[++above] = set->layers[i].size;
	}
	return true;
}

static bool read_request(struct kueue_tas_work *w)
{
	const struct kueue_tas_set *set = w->workers;

	w->lowest = w->tree->topology->level_count - 1;
	w->required = set->mode == TOPOLOGY_REQUIRED;
	w->unconstrained = !w->required && set->mode != TOPOLOGY_PREFERRED;
	w->least_free = w->unconstrained && w->gates.mixed_profile;
	w->size = set->layer_count > 0 ? set->layers[0].size : 1;
	w->wanted = set->count / w->size;
	w->level = requested_level(w->tree, set);
	if (w->level == TOPOLOGY_NOWHERE)
		return fails(w, FAILS_LEVEL);
	w->slice_level = set->layer_count > 0 ? kueue_topology_level(w->tree, set->layers[0].level)
					      : w->lowest;
	if (w->slice_level == TOPOLOGY_NOWHERE)
		return fails(w, FAILS_SLICE_LEVEL);
	if (w->level > w->slice_level)
		return fails(w, FAILS_SLICE_ABOVE);
	if (!read_layers(w))
		return false;
	/* Kueue finds room for no slice at all, and the API server refuses an assignment without
	 * a domain: it is never admitted. */
	if (w->wanted == 0 && set->count > 0 && set->replaces == TOPOLOGY_NOWHERE)
		return fails(w, FAILS_NO_SLICE);
	return true;
}

bool kueue_tas_has_levels(const struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	const struct topology_tree *tree = &tas->topology->trees[set->tree];

	if (tree->topology == NULL || requested_level(tree, set) == TOPOLOGY_NOWHERE)
		return false;
	for (uint32_t i = 0; i < set->layer_count; i++) {
		if (kueue_topology_level(tree, set->layers[i].level) == TOPOLOGY_NOWHERE)
			return false;
	}
	return true;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* -------------------------------------------------- phase 1: what fits (7.4) */

/* Does the set ask for what its shape asks for (kueue_tas_request)? */
static bool is_of_shape(const struct kueue_tas_set *set)
{
	const struct pod_shape *shape = set->shape;
	uint32_t outer = shape->slice_level != NAME_NONE;
	bool same = set->mode == shape->topology_mode && set->level == shape->topology_level &&
		    set->layer_count == outer + shape->inner_slice_count &&
		    set->replaces == TOPOLOGY_NOWHERE && !set->grows;

	for (uint32_t i = 0; i < set->layer_count && same; i++)
		same = i < outer
			       ? set->layers[i].level == shape->slice_level &&
					 set->layers[i].size == shape->slice_size
			       : set->layers[i].level == shape->inner_slices[i - outer].level &&
					 set->layers[i].size == shape->inner_slices[i - outer].size;
	return same;
}

static bool forgets_wishes(const struct kueue_tas_work *w)
{
	return w->gates.prefers_affinity && w->gates.keeps_matches;
}

/* Was the pod set placed in this cycle, or tried to be? It is from now on. Who asks again
 * mostly did so a moment ago. */
static bool is_matched(struct kueue_tas_work *w)
{
	uint64_t who = w->workers->who;

	if (!forgets_wishes(w) || !w->tree->by_host)
		return false;
	for (size_t i = w->match_count; i-- > 0;) {
		if (w->matches[i].who == who && w->matches[i].tree == w->tree_index)
			return true;
	}
	w->matches =
		mem_grow(w->matches, w->match_count + 1, &w->match_capacity, sizeof(*w->matches));
	w->matches[w->match_count++] = (struct match){who, w->tree_index};
	return false;
}

/* What replaces a node may ask for less than its pod set (7.10). */
static void fill_counts(struct kueue_tas_work *w)
{
	struct kueue_count_request request = {.tree = w->tree_index,
					      .workers = w->workers->shape,
					      .leader = w->leader == NULL ? NULL : w->leader->shape,
					      .empty = w->empty,
					      .indifferent = is_matched(w),
					      .within = w->within,
					      .slice_level = w->slice_level,
					      .size = w->size,
					      .whole = is_of_shape(w->workers)};
	uint32_t domains = w->tree->first_leaf + w->tree->leaf_count;

	memcpy(request.inner, w->inner, sizeof(request.inner));
	w->counts = kueue_count(w->counter, &request);
	w->balances = w->gates.balances && !w->required && !w->unconstrained;
	if (!w->balances)
		return;
	/* Balancing changes rooms as it likes. */
	w->copy = mem_grow(w->copy, domains + 1U, &w->copy_capacity, sizeof(*w->copy));
	memcpy(w->copy, w->counts, domains * sizeof(*w->copy));
	w->counts = w->copy;
}

/* The room, to be changed until the next count. */
static struct kueue_room *room_of(struct kueue_tas_work *w, uint32_t domain)
{
	if (!w->balances)
		kueue_count_change(w->counter, domain);
	return &w->counts[domain];
}

/* ------------------------------------------------------ orders and lists (7.5) */

static void add(struct list *list, uint32_t domain)
{
	list->items =
		mem_grow(list->items, list->count + 1U, &list->capacity, sizeof(*list->items));
	list->items[list->count++] = domain;
}

static void add_run(struct list *list, uint32_t first, uint32_t count)
{
	list->items = mem_grow(list->items, (size_t)list->count + count, &list->capacity,
			       sizeof(*list->items));
	for (uint32_t i = 0; i < count; i++)
		list->items[list->count++] = first + i;
}

static int compare_plain(const void *a, const void *b, void *context)
{
	const struct kueue_tas_work *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = kueue_room_plain(&w->counts[x], &w->counts[y], w->least_free);

	return c != 0 ? c : kueue_room_order(x, y);
}

static int compare_beside(const void *a, const void *b, void *context)
{
	const struct kueue_tas_work *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = kueue_room_beside(&w->counts[x], &w->counts[y], w->least_free);

	return c != 0 ? c : kueue_room_order(x, y);
}

static void sort_plain(struct kueue_tas_work *w, uint32_t *domains, uint32_t count)
{
	sort_stable(domains, count, sizeof(*domains), compare_plain, w);
}

/* Slices or pods of a domain, with leaders still to place or without. */
static int64_t capacity_of(const struct kueue_room *c, bool slices, int64_t leaders)
{
	if (leaders > 0)
		return slices ? c->slices_beside : c->pods_beside;
	return slices ? c->slices : c->pods;
}

/* The first of the smallest that hold the need; the first at all if none does. Only
 * those count that the pods like as much as the first, which they like most. */
static uint32_t best_fit(const struct kueue_tas_work *w, const uint32_t *domains, uint32_t count,
			 int64_t need, int64_t leaders, bool slices)
{
	uint32_t best = domains[0];
	int64_t smallest = INT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		const struct kueue_room *c = &w->counts[domains[i]];
		int64_t capacity = capacity_of(c, slices, leaders);

		if (c->affinity != w->counts[domains[0]].affinity)
			break;
		if (c->leaders >= leaders && capacity >= need && capacity < smallest) {
			best = domains[i];
			smallest = capacity;
		}
	}
	return best;
}

/* Moves to the front the first domain that can have the leader and then still
 * leaves enough capacity for the workers. */
static void put_leader_first(const struct kueue_tas_work *w, uint32_t *domains, uint32_t count,
			     int64_t need, int64_t leaders, bool slices)
{
	int64_t capacity = 0;

	if (leaders == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		capacity += capacity_of(&w->counts[domains[i]], slices, 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct kueue_room *c = &w->counts[domains[i]];
		uint32_t chosen = domains[i];

		if (c->leaders < leaders ||
		    capacity - capacity_of(c, slices, 0) + capacity_of(c, slices, leaders) < need)
			continue;
		memmove(domains + 1, domains, i * sizeof(*domains));
		domains[0] = chosen;
		return;
	}
}

/* ---- lists of which only the beginning is used, where no leader is to be placed ----
 *
 * A heap, w->sorted, gives the domains in plain order, in which there are no ties: as
 * the sorted list would. Domains without capacity are left out: they would get no pods,
 * and no domain below them has any capacity. */

/* A leader may need any domain of a list. */
static bool in_order(const struct kueue_tas_work *w)
{
	return w->leader != NULL || w->direct;
}

static void heap_begin(struct kueue_tas_work *w)
{
	w->sorted.count = 0;
}

static void heap_add(struct kueue_tas_work *w, uint32_t first, uint32_t end, bool slices)
{
	for (uint32_t d = first; d < end; d++) {
		if (capacity_of(&w->counts[d], slices, 0) > 0)
			add(&w->sorted, d);
	}
}

static void heap_sift(struct kueue_tas_work *w, uint32_t at)
{
	uint32_t *items = w->sorted.items, count = w->sorted.count, item = items[at];

	for (uint32_t child; (child = at * 2 + 1) < count; at = child) {
		if (child + 1 < count && compare_plain(&items[child + 1], &items[child], w) < 0)
			child++;
		if (compare_plain(&items[child], &item, w) > 0)
			break;
		items[at] = items[child];
	}
	items[at] = item;
}

static void heap_make(struct kueue_tas_work *w)
{
	for (uint32_t i = w->sorted.count / 2; i-- > 0;)
		heap_sift(w, i);
}

/* Of those that hold the need and that the pods like as much as the first the smallest;
 * of equal ones the first in plain order. */
static uint32_t heap_best(const struct kueue_tas_work *w, int64_t need, bool slices)
{
	const uint32_t *items = w->sorted.items;
	uint32_t best = items[0];
	int64_t smallest = INT64_MAX;

	for (uint32_t i = 0; i < w->sorted.count; i++) {
		const struct kueue_room *c = &w->counts[items[i]];
		int64_t capacity = capacity_of(c, slices, 0);

		if (c->affinity != w->counts[items[0]].affinity || capacity < need ||
		    capacity > smallest)
			continue;
		if (capacity < smallest ||
		    kueue_room_plain(c, &w->counts[best], w->least_free) < 0 ||
		    (kueue_room_plain(c, &w->counts[best], w->least_free) == 0 && items[i] < best))
			best = items[i];
		smallest = capacity;
	}
	return best;
}

/* The next domain, with BestFit the best one for all that is needed still. */
static uint32_t heap_next(struct kueue_tas_work *w, int64_t need, bool slices)
{
	uint32_t *items = w->sorted.items, next = items[0];

	if (!w->least_free && capacity_of(&w->counts[next], slices, 0) >= need)
		return heap_best(w, need, slices);
	items[0] = items[--w->sorted.count];
	if (w->sorted.count > 0)
		heap_sift(w, 0);
	return next;
}

/* ----------------------------------------- phase 2a: level and domains (7.6) */

static bool too_small(struct kueue_tas_work *w, uint32_t level, int64_t fitting)
{
	w->failed_level = level;
	w->fitting = fitting;
	return fails(w, FAILS_TO_FIT);
}

/* Slices of the whole tree; at and above the level of slices every level has as many. */
static int64_t all_slices(const struct kueue_tas_work *w)
{
	int64_t sum = 0;

	for (uint32_t d = w->tree->first[0]; d < w->tree->first[1]; d++)
		sum += w->counts[d].slices;
	return sum;
}

/* Several domains of the level, as few as can be. */
static bool choose_several(struct kueue_tas_work *w, uint32_t level)
{
	int64_t need = w->wanted, all = all_slices(w);

	if (all < need)
		return too_small(w, level, all);
	heap_begin(w);
	heap_add(w, w->tree->first[level], w->tree->first[level + 1], true);
	heap_make(w);
	while (need > 0) {
		uint32_t d = heap_next(w, need, true);

		add(&w->current, d);
		need -= w->counts[d].slices;
	}
	return true;
}

/* The same from a sorted list: first for the leader, then for the rest of the workers. */
static bool choose_in_order(struct kueue_tas_work *w, uint32_t level)
{
	uint32_t *domains, count, i;
	int64_t need = w->wanted, leaders = w->leader != NULL;

	w->sorted.count = 0;
	add_run(&w->sorted, w->tree->first[level],
		w->tree->first[level + 1] - w->tree->first[level]);
	domains = w->sorted.items;
	count = w->sorted.count;
	sort_stable(domains, count, sizeof(*domains), compare_beside, w);
	put_leader_first(w, domains, count, need, leaders, true);
	for (i = 0; leaders > 0 && i < count && w->counts[domains[i]].leaders > 0; i++) {
		uint32_t d = domains[i];

		if (!w->least_free && w->counts[d].slices_beside >= need)
			d = best_fit(w, domains + i, count - i, need, leaders, true);
		add(&w->current, d);
		leaders -= w->counts[d].leaders;
		need -= w->counts[d].slices_beside;
	}
	if (leaders > 0)
		return too_small(w, level, 1 - leaders);
	sort_plain(w, domains + i, count - i);
	for (; need > 0 && i < count; i++) {
		uint32_t d = domains[i];

		if (!w->least_free && w->counts[d].slices >= need)
			d = best_fit(w, domains + i, count - i, need, 0, true);
		add(&w->current, d);
		need -= w->counts[d].slices;
	}
	return need <= 0 || too_small(w, level, w->wanted - need);
}

static bool holds_all(const struct kueue_tas_work *w, uint32_t domain)
{
	const struct kueue_room *c = &w->counts[domain];
	int64_t leaders = w->leader != NULL;

	return c->leaders >= leaders && capacity_of(c, true, leaders) >= w->wanted;
}

/* The first domain of the level in the order of Kueue's list, of all or of those that
 * hold everything; TOPOLOGY_NOWHERE. The order has no ties, so nothing need be sorted to
 * know it. */
static uint32_t first_of(struct kueue_tas_work *w, uint32_t level, bool holding)
{
	uint32_t first = TOPOLOGY_NOWHERE;

	for (uint32_t d = w->tree->first[level]; d < w->tree->first[level + 1]; d++) {
		if (holding && !holds_all(w, d))
			continue;
		if (first == TOPOLOGY_NOWHERE || compare_beside(&d, &first, w) < 0)
			first = d;
	}
	return first;
}

/* BestFit: the smallest of those that hold all and that the pods like as much as this
 * one; of equal ones the first in the list. */
static uint32_t smallest_like(struct kueue_tas_work *w, uint32_t level, uint32_t first)
{
	int64_t leaders = w->leader != NULL, affinity = w->counts[first].affinity;
	uint32_t best = first;
	int64_t smallest = INT64_MAX;

	for (uint32_t d = w->tree->first[level]; d < w->tree->first[level + 1]; d++) {
		const struct kueue_room *c = &w->counts[d];
		int64_t capacity = capacity_of(c, true, leaders);

		if (c->affinity != affinity || !holds_all(w, d) || capacity > smallest ||
		    (capacity == smallest && compare_beside(&d, &best, w) > 0))
			continue;
		best = d;
		smallest = capacity;
	}
	return best;
}

/* One domain of the level that holds all; TOPOLOGY_NOWHERE. With BestFit the first of
 * the list is also the largest, unless nodes are preferred; then a required level looks
 * further. */
static uint32_t choose_one(struct kueue_tas_work *w, uint32_t level, uint32_t top)
{
	if (w->least_free)
		return first_of(w, level, true);
	if (w->required && w->gates.prefers_affinity)
		top = first_of(w, level, true);
	if (top == TOPOLOGY_NOWHERE || w->counts[top].slices_beside < w->wanted ||
	    !holds_all(w, top))
		return TOPOLOGY_NOWHERE;
	return smallest_like(w, level, top);
}

/* Nothing but slices and pods tells domains apart: no leader, and no affinity. */
static bool is_uniform(const struct kueue_tas_work *w)
{
	return !in_order(w) && !w->gates.prefers_affinity;
}

/* The same where only slices and pods count: under both profiles of those that hold all
 * the one with the fewest slices, then the fewest pods, then the first. One pass over the
 * level; leaves are filed by pods (kueue_count.h). *most: slices of the largest. */
static uint32_t choose_uniform(const struct kueue_tas_work *w, uint32_t level, int64_t *most)
{
	const struct kueue_room *rooms = w->counts;
	uint32_t best = TOPOLOGY_NOWHERE;
	int64_t slices = INT64_MAX, largest = 0, wanted = w->wanted;

	if (level == w->lowest && w->size == 1 && !w->balances &&
	    kueue_count_smallest(w->counter, wanted, &best, most))
		return best == TOPOLOGY_NOWHERE ? best : w->tree->first_leaf + best;
	for (uint32_t d = w->tree->first[level]; d < w->tree->first[level + 1]; d++) {
		int64_t has = rooms[d].slices;

		largest = has > largest ? has : largest;
		if (has < wanted || has > slices ||
		    (has == slices && rooms[d].pods >= rooms[best].pods))
			continue;
		best = d;
		slices = has;
	}
	*most = largest;
	return best;
}

/* One domain of the level that holds all; TOPOLOGY_NOWHERE. *most: slices of the first one
 * of Kueue's list, where a failure tells them. */
static uint32_t choose_at(struct kueue_tas_work *w, uint32_t level, int64_t *most)
{
	uint32_t top;

	if (is_uniform(w))
		return choose_uniform(w, level, most);
	top = w->least_free ? TOPOLOGY_NOWHERE : first_of(w, level, false);
	*most = top == TOPOLOGY_NOWHERE ? 0 : w->counts[top].slices;
	return choose_one(w, level, top);
}

/* Into w->current; *level gets the level that they are on. */
static bool choose_domains(struct kueue_tas_work *w, uint32_t *level)
{
	w->current.count = 0;
	for (*level = w->level;; --*level) {
		uint32_t one;
		int64_t most;

		w->failed_level = *level;
		if (w->tree->first[*level] == w->tree->first[*level + 1])
			return fails(w, FAILS_NO_DOMAINS);
		one = choose_at(w, *level, &most);
		if (one != TOPOLOGY_NOWHERE) {
			add(&w->current, one);
			return true;
		}
		if (w->required)
			return too_small(w, *level, most);
		if (*level == 0 || w->unconstrained)
			return in_order(w) ? choose_in_order(w, *level) : choose_several(w, *level);
	}
}

/* For a preferred level, where Kueue balances. */
static bool choose_balanced(struct kueue_tas_work *w, uint32_t *level)
{
	uint32_t domains = w->tree->first_leaf + w->tree->leaf_count;
	struct kueue_balance balance = {.tree = w->tree,
					.level = w->level,
					.slice_level = w->slice_level,
					.size = w->size,
					.need = w->wanted,
					.leader = w->leader != NULL,
					.rooms = w->counts};

	if (!w->balances)
		return false;
	w->current.items =
		mem_grow(w->current.items, domains, &w->current.capacity, sizeof(uint32_t));
	balance.chosen = w->current.items;
	if (!kueue_balance_choose(&balance))
		return false;
	w->current.count = balance.chosen_count;
	*level = balance.chosen_level;
	return true;
}

/* ------------------------------------------------ phase 2b: descent (7.7) */

/* What is still to be given out, in slices or pods. */
struct rest {
	int64_t need, leaders;
	int64_t size; /* pods of one */
	bool slices;
};

/* The next domain while the leader has no place. True: nothing is left. */
static bool take_beside(struct kueue_tas_work *w, const uint32_t *domains, uint32_t count,
			struct rest *rest, struct list *out)
{
	uint32_t d = domains[0];
	const struct kueue_room *first = &w->counts[d];
	int64_t given;
	struct kueue_room *c;
	bool last;

	if (!w->least_free && capacity_of(first, rest->slices, 1) >= rest->need &&
	    first->leaders >= rest->leaders)
		d = best_fit(w, domains, count, rest->need, rest->leaders, rest->slices);
	c = room_of(w, d);
	given = smaller(capacity_of(c, rest->slices, 1), rest->need);
	last = given == rest->need && c->leaders >= rest->leaders;
	c->leaders = smaller(c->leaders, rest->leaders);
	c->slices = given;
	c->pods = given * rest->size;
	rest->leaders -= c->leaders;
	rest->need -= given;
	add(out, d);
	return last;
}

/* What the domain gets replaces what it could have. */
static void give(struct kueue_tas_work *w, uint32_t domain, struct rest *rest, struct list *out)
{
	struct kueue_room *c = room_of(w, domain);
	int64_t given = smaller(capacity_of(c, rest->slices, 0), rest->need);

	c->leaders = 0;
	c->slices = given;
	c->pods = given * rest->size;
	rest->need -= given;
	add(out, domain);
}

static bool take_plain(struct kueue_tas_work *w, const uint32_t *domains, uint32_t count,
		       struct rest *rest, struct list *out)
{
	uint32_t d = domains[0];

	if (!w->least_free && capacity_of(&w->counts[d], rest->slices, 0) >= rest->need)
		d = best_fit(w, domains, count, rest->need, 0, rest->slices);
	give(w, d, rest, out);
	return rest->need == 0;
}

/* Gives the pods out over the domains of the heap. */
static void give_out_heap(struct kueue_tas_work *w, int64_t pods, int64_t size, bool slices,
			  struct list *out)
{
	struct rest rest = {.need = pods / size, .size = size, .slices = slices};
	uint32_t before = out->count;

	heap_make(w);
	while (rest.need > 0 && w->sorted.count > 0)
		give(w, heap_next(w, rest.need, slices), &rest, out);
	if (rest.need > 0)
		out->count = before;
}

/* Gives the pods out over the domains, in their order; what each gets replaces
 * what it could have. */
static void give_out(struct kueue_tas_work *w, uint32_t *domains, uint32_t count, int64_t pods,
		     int64_t leaders, int64_t size, bool slices, struct list *out)
{
	struct rest rest = {
		.need = pods / size, .leaders = leaders, .size = size, .slices = slices};
	uint32_t before = out->count;

	put_leader_first(w, domains, count, rest.need, leaders, slices);
	for (uint32_t i = 0; i < count; i++) {
		bool last = rest.leaders > 0 ? take_beside(w, domains + i, count - i, &rest, out)
					     : take_plain(w, domains + i, count - i, &rest, out);

		if (last)
			return;
	}
	out->count = before;
}

static void swap_lists(struct kueue_tas_work *w)
{
	struct list swap = w->current;

	w->current = w->next;
	w->next = swap;
	w->next.count = 0;
}

static void add_children(struct kueue_tas_work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->tree->domains[domain];

	add_run(&w->sorted, d->first_child, d->child_count);
}

static void heap_add_children(struct kueue_tas_work *w, uint32_t domain, bool slices)
{
	const struct topology_domain *d = &w->tree->domains[domain];

	heap_add(w, d->first_child, d->first_child + d->child_count, slices);
}

/* Above the level of slices the children of all chosen domains compete. */
static void descend_together(struct kueue_tas_work *w)
{
	if (!in_order(w)) {
		heap_begin(w);
		for (uint32_t i = 0; i < w->current.count; i++)
			heap_add_children(w, w->current.items[i], true);
		give_out_heap(w, w->workers->count, w->size, true, &w->next);
		swap_lists(w);
		return;
	}
	w->sorted.count = 0;
	for (uint32_t i = 0; i < w->current.count; i++)
		add_children(w, w->current.items[i]);
	sort_plain(w, w->sorted.items, w->sorted.count);
	give_out(w, w->sorted.items, w->sorted.count, w->workers->count, w->leader != NULL, w->size,
		 true, &w->next);
	swap_lists(w);
}

/* From there on each domain's pods stay in it; those that were balanced always do. */
static void descend_apart(struct kueue_tas_work *w, uint32_t level)
{
	int64_t inner = w->inner[level + 1] > 0 ? w->inner[level + 1] : 1;

	if (level < w->slice_level)
		inner = w->size;
	for (uint32_t i = 0; i < w->current.count; i++) {
		const struct kueue_room *c = &w->counts[w->current.items[i]];

		if (!in_order(w) && inner <= 1) {
			heap_begin(w);
			heap_add_children(w, w->current.items[i], false);
			give_out_heap(w, c->pods, 1, false, &w->next);
			continue;
		}
		w->sorted.count = 0;
		add_children(w, w->current.items[i]);
		sort_plain(w, w->sorted.items, w->sorted.count);
		for (uint32_t k = 0; k < w->sorted.count && inner > 1; k++)
			kueue_count_slices(room_of(w, w->sorted.items[k]), inner);
		give_out(w, w->sorted.items, w->sorted.count, c->pods, c->leaders, inner, inner > 1,
			 &w->next);
	}
	swap_lists(w);
}

static int compare_domains(const void *a, const void *b, void *context)
{
	(void)context;
	return kueue_room_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void descend(struct kueue_tas_work *w, uint32_t level)
{
	w->next.count = 0;
	give_out(w, w->current.items, w->current.count, w->workers->count, w->leader != NULL,
		 w->size, true, &w->next);
	swap_lists(w);
	for (; level < w->slice_level && !w->balanced; level++)
		descend_together(w);
	for (; level < w->lowest; level++)
		descend_apart(w, level);
	sort_stable(w->current.items, w->current.count, sizeof(uint32_t), compare_domains, NULL);
}

/* ------------------------------------------------------- all pod sets (7.9) */

static void add_spot(struct kueue_tas *tas, struct kueue_tas_set *set, uint32_t domain,
		     int64_t pods)
{
	const struct kueue_tas_work *w = tas->work;
	uint32_t place = w->tree->places[domain - w->tree->first_leaf];

	if (pods == 0)
		return;
	tas->spots =
		mem_grow(tas->spots, tas->spot_count + 1, &tas->spot_capacity, sizeof(*tas->spots));
	tas->spots[tas->spot_count++] = (struct kueue_tas_spot){place, (uint32_t)pods};
	set->spot_count++;
	if (!w->alone)
		kueue_topology_assume(tas->topology, set->tree, place, set->shape, pods);
}

static void begin_group(struct kueue_tas *tas, const struct kueue_tas_set *workers,
			const struct kueue_tas_set *leader)
{
	struct kueue_tas_work *w = tas->work;

	w->tree_index = workers->tree;
	w->tree = &tas->topology->trees[workers->tree];
	w->workers = workers;
	w->leader = leader;
	w->within = TOPOLOGY_NOWHERE;
	w->failure = FAILS_NOT;
}

/* May it be told from sums alone whether there is place? */
static bool is_simple_probe(const struct kueue_tas_work *w)
{
	return w->probe && w->alone && !in_order(w) && !w->balances && w->wanted > 0 &&
	       w->workers->replaces == TOPOLOGY_NOWHERE;
}

/* What choose_domains comes to, but for the domains: required pods need one domain of their
 * level that holds them. All others have in the end the domains of a whole level to be
 * spread over, of which one that holds all is a part, and at and above the level of slices
 * all levels have as many slices. The descent always ends well. */
static bool has_place(const struct kueue_tas_work *w)
{
	if (!w->required)
		return all_slices(w) >= w->wanted;
	for (uint32_t d = w->tree->first[w->level]; d < w->tree->first[w->level + 1]; d++) {
		if (w->counts[d].slices >= w->wanted)
			return true;
	}
	return false;
}

/* Workers, and the one pod of their leader (NULL: none). */
static bool place_group(struct kueue_tas *tas, struct kueue_tas_set *workers,
			struct kueue_tas_set *leader)
{
	struct kueue_tas_work *w = tas->work;
	uint32_t level;

	if (!read_request(w))
		return false;
	fill_counts(w);
	if (is_simple_probe(w))
		return has_place(w);
	w->balanced = choose_balanced(w, &level);
	if (!w->balanced && !choose_domains(w, &level))
		return false;
	if (w->probe && w->alone && workers->replaces == TOPOLOGY_NOWHERE)
		return true; /* the descent always ends well */
	descend(w, level);
	workers->first_spot = (uint32_t)tas->spot_count;
	for (uint32_t i = 0; i < w->current.count; i++)
		add_spot(tas, workers, w->current.items[i], w->counts[w->current.items[i]].pods);
	if (leader == NULL)
		return true;
	leader->first_spot = (uint32_t)tas->spot_count;
	for (uint32_t i = 0; i < w->current.count; i++)
		add_spot(tas, leader, w->current.items[i], w->counts[w->current.items[i]].leaders);
	return true;
}

/* ------------------------------------------------ a node's replacement (7.10) */

/* The domain of a level that a place is in. */
static uint32_t domain_at(const struct topology_tree *tree, uint32_t place, uint32_t level)
{
	uint32_t domain = tree->first_leaf + kueue_topology_leaf(tree, place);

	for (uint32_t l = tree->topology->level_count - 1; l > level; l--)
		domain = tree->domains[domain].parent;
	return domain;
}

/* The survivors' domain of the level in which a slice is complete once the lost pods
 * are added; of several Kueue takes any, this is the first. */
static uint32_t incomplete_domain(const struct kueue_tas *tas, const struct kueue_tas_set *set,
				  const struct slice_layer *layer)
{
	const struct topology_tree *tree = tas->work->tree;
	const struct kueue_tas_spot *old = &tas->old[set->first_old];
	uint32_t level = kueue_topology_level(tree, layer->level), best = TOPOLOGY_NOWHERE;

	for (uint32_t i = 0; level != TOPOLOGY_NOWHERE && i < set->old_count; i++) {
		uint32_t domain, pods = set->count;

		if (old[i].place == set->replaces)
			continue;
		domain = domain_at(tree, old[i].place, level);
		for (uint32_t n = 0; n < set->old_count; n++) {
			if (old[n].place != set->replaces &&
			    domain_at(tree, old[n].place, level) == domain)
				pods += old[n].pods;
		}
		if (pods % layer->size == 0 && domain < best)
			best = domain;
	}
	return best;
}

/* The innermost layer whose slices the lost pods break. */
static const struct slice_layer *broken_layer(const struct kueue_tas_set *set)
{
	uint32_t i = set->layer_count;

	while (i-- > 1) {
		if (set->count % set->layers[i].size != 0)
			break;
	}
	return &set->layers[i];
}

static bool breaks_slices(const struct kueue_tas_set *set)
{
	return set->layer_count > 0 && set->count % set->layers[0].size != 0;
}

/* Where the lost pods have to go: where their slice is, else where those that are
 * left are, if the request demands one domain. */
static uint32_t required_domain(const struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	const struct topology_tree *tree = tas->work->tree;
	const struct kueue_tas_spot *old = &tas->old[set->first_old];
	uint32_t level = requested_level(tree, set), first = 0;

	while (first < set->old_count && old[first].place == set->replaces)
		first++;
	if (level == TOPOLOGY_NOWHERE || first == set->old_count)
		return TOPOLOGY_NOWHERE;
	if (breaks_slices(set))
		return incomplete_domain(tas, set, broken_layer(set));
	if (set->mode != TOPOLOGY_REQUIRED)
		return TOPOLOGY_NOWHERE;
	return domain_at(tree, old[first].place, level);
}

/* Part of a slice: of the layers only the innermost whose slices it fills counts. */
static void ask_for_rest(struct kueue_tas_set *set)
{
	uint32_t i = set->layer_count;

	while (i-- > 0) {
		if (set->count % set->layers[i].size == 0) {
			set->layers[0] = set->layers[i];
			set->layer_count = 1;
			return;
		}
	}
	set->layer_count = 0;
}

/* Counts the lost pods; fails if other places are gone as well. */
static bool read_old(struct kueue_tas *tas, struct kueue_tas_set *set)
{
	const struct kueue_tas_spot *old = &tas->old[set->first_old];

	set->count = 0;
	for (uint32_t i = 0; i < set->old_count; i++) {
		if (old[i].place == set->replaces)
			set->count = old[i].pods;
		else if (kueue_topology_leaf(tas->work->tree, old[i].place) == TOPOLOGY_NOWHERE &&
			 tas->work->failure == FAILS_NOT) {
			tas->work->failed_place = old[i].place;
			fails(tas->work, FAILS_STALE);
		}
	}
	return tas->work->failure == FAILS_NOT;
}

static int compare_leaves(const void *a, const void *b, void *context)
{
	const struct kueue_tas_spot *x = a, *y = b;
	uint32_t i = kueue_topology_leaf(context, x->place);
	uint32_t j = kueue_topology_leaf(context, y->place);

	return (i > j) - (i < j);
}

/* The set's spots and those that it had, but for the failed node's. */
static void merge_old(struct kueue_tas *tas, struct kueue_tas_set *set)
{
	struct kueue_tas_spot *spots;
	uint32_t kept = 0;

	for (uint32_t i = set->first_old; i < set->first_old + set->old_count; i++) {
		if (!set->stays && tas->old[i].place == set->replaces)
			continue;
		tas->spots = mem_grow(tas->spots, tas->spot_count + 1, &tas->spot_capacity,
				      sizeof(*tas->spots));
		tas->spots[tas->spot_count++] = tas->old[i];
		set->spot_count++;
	}
	if (set->stays)
		return;
	spots = &tas->spots[set->first_spot];
	sort_stable(spots, set->spot_count, sizeof(*spots), compare_leaves, tas->work->tree);
	for (uint32_t i = 0; i < set->spot_count; i++) {
		if (kept > 0 && spots[kept - 1].place == spots[i].place)
			spots[kept - 1].pods += spots[i].pods;
		else
			spots[kept++] = spots[i];
	}
	tas->spot_count -= set->spot_count - kept;
	set->spot_count = kept;
}

/* Without its slices a request that asks for nothing else has no level: Kueue then
 * finds no replacement. */
static bool ask_for_lost(struct kueue_tas *tas, struct kueue_tas_set *lost)
{
	if (!read_old(tas, lost))
		return false;
	tas->work->within = required_domain(tas, lost);
	if (breaks_slices(lost) && tas->work->within != TOPOLOGY_NOWHERE)
		ask_for_rest(lost);
	return lost->layer_count > 0 || tas->work->workers->layer_count == 0 ||
	       lost->mode != TOPOLOGY_NONE || fails(tas->work, FAILS_NO_LEVEL);
}

static bool replace(struct kueue_tas *tas, struct kueue_tas_set *set)
{
	struct kueue_tas_work *w = tas->work;

	begin_group(tas, set, NULL);
	set->first_spot = (uint32_t)tas->spot_count;
	if (set->stays) {
		merge_old(tas, set);
		return true;
	}
	w->lost = *set;
	if (!ask_for_lost(tas, &w->lost))
		return false;
	w->workers = &w->lost;
	if (!place_group(tas, &w->lost, NULL))
		return false;
	set->spot_count = w->lost.spot_count;
	w->failed_place = set->replaces;
	if (w->lost.spot_count == 0)
		return fails(w, FAILS_NO_REPLACEMENT);
	merge_old(tas, set);
	return true;
}

/* ------------------------------------------------------- elastic sets (8.8) */

static uint32_t old_pods(const struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	uint32_t pods = 0;

	for (uint32_t i = 0; i < set->old_count; i++)
		pods += tas->old[set->first_old + i].pods;
	return pods;
}

/* Are there old places, and all of them still? */
static bool is_whole(const struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	for (uint32_t i = 0; i < set->old_count; i++) {
		if (kueue_topology_leaf(&tas->topology->trees[set->tree],
					tas->old[set->first_old + i].place) == TOPOLOGY_NOWHERE)
			return false;
	}
	return set->old_count > 0;
}

static bool is_grown(const struct kueue_tas *tas, const struct kueue_tas_set *workers,
		     const struct kueue_tas_set *leader)
{
	return workers->grows && is_whole(tas, workers) &&
	       (leader == NULL || is_whole(tas, leader));
}

/* The first pods of the old places, which count once more. */
static void keep_old(struct kueue_tas *tas, struct kueue_tas_set *set, uint32_t pods)
{
	set->first_spot = (uint32_t)tas->spot_count;
	for (uint32_t i = 0; i < set->old_count && pods > 0; i++) {
		struct kueue_tas_spot spot = tas->old[set->first_old + i];

		spot.pods = spot.pods < pods ? spot.pods : pods;
		pods -= spot.pods;
		tas->spots = mem_grow(tas->spots, tas->spot_count + 1, &tas->spot_capacity,
				      sizeof(*tas->spots));
		tas->spots[tas->spot_count++] = spot;
		set->spot_count++;
		kueue_topology_assume(tas->topology, set->tree, spot.place, set->shape, spot.pods);
	}
}

static void assume_old(struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	for (uint32_t i = 0; i < set->old_count; i++) {
		const struct kueue_tas_spot *spot = &tas->old[set->first_old + i];

		kueue_topology_assume(tas->topology, set->tree, spot->place, set->shape,
				      spot->pods);
	}
}

static bool place_more(struct kueue_tas *tas, struct kueue_tas_set *workers,
		       struct kueue_tas_set *leader)
{
	struct kueue_tas_work *w = tas->work;
	uint32_t before = old_pods(tas, workers);

	if (leader != NULL)
		keep_old(tas, leader, old_pods(tas, leader)); /* all, as Kueue does */
	if (workers->count <= before) {
		keep_old(tas, workers, workers->count);
		return true;
	}
	assume_old(tas, workers);
	begin_group(tas, workers, NULL);
	w->lost = *workers;
	w->lost.count = workers->count - before;
	w->workers = &w->lost;
	if (!place_group(tas, &w->lost, NULL))
		return false;
	workers->first_spot = w->lost.first_spot;
	workers->spot_count = w->lost.spot_count;
	merge_old(tas, workers);
	return true;
}

/* The other set of this one's group; TOPOLOGY_NOWHERE: it stands alone. */
static uint32_t partner_of(const struct kueue_tas_set *sets, uint32_t count, uint32_t at)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i != at && sets[at].group != NAME_NONE && sets[i].group == sets[at].group &&
		    sets[i].tree == sets[at].tree)
			return i;
	}
	return TOPOLOGY_NOWHERE;
}

static bool place_tree(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count,
		       uint32_t tree)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = partner_of(sets, count, i);
		struct kueue_tas_set *leader = NULL, *workers = &sets[i];

		if (sets[i].tree != tree || (other != TOPOLOGY_NOWHERE && other < i))
			continue;
		tas->failed = i;
		if (sets[i].replaces != TOPOLOGY_NOWHERE) {
			if (!replace(tas, &sets[i]))
				return false;
			tas->failed = other;
			if (other != TOPOLOGY_NOWHERE && !replace(tas, &sets[other]))
				return false;
			continue;
		}
		if (other != TOPOLOGY_NOWHERE)
			leader = &sets[other];
		if (leader != NULL && leader->count > workers->count) {
			leader = &sets[i];
			workers = &sets[other];
		}
		if (is_grown(tas, workers, leader)) {
			if (!place_more(tas, workers, leader))
				return false;
			continue;
		}
		begin_group(tas, workers, leader);
		if (!place_group(tas, workers, leader))
			return false;
	}
	return true;
}

/* The first tree by its flavor's name after the last one that a set asks for. */
static uint32_t next_tree(const struct kueue_tas *tas, const struct kueue_tas_set *sets,
			  uint32_t count, uint32_t last)
{
	const struct topology_tree *trees = tas->topology->trees;
	const struct name_table *strings = tas->topology->scenario->strings;
	uint32_t best = TOPOLOGY_NOWHERE;

	for (uint32_t i = 0; i < count; i++) {
		const char *name = name_text(strings, trees[sets[i].tree].flavor->name);

		if (last != TOPOLOGY_NOWHERE &&
		    strcmp(name, name_text(strings, trees[last].flavor->name)) <= 0)
			continue;
		if (best == TOPOLOGY_NOWHERE ||
		    strcmp(name, name_text(strings, trees[best].flavor->name)) < 0)
			best = sets[i].tree;
	}
	return best;
}

static bool place_all(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count)
{
	uint32_t tree = TOPOLOGY_NOWHERE;
	bool placed = true;

	tas->work->alone = count == 1 && !sets[0].grows;
	tas->spot_count = 0;
	for (uint32_t i = 0; i < count; i++)
		sets[i].spot_count = 0;
	while (placed && (tree = next_tree(tas, sets, count, tree)) != TOPOLOGY_NOWHERE)
		placed = place_tree(tas, sets, count, tree);
	kueue_topology_forget(tas->topology);
	return placed;
}

/* Another one may have taken its place. */
static struct memo *memo_of(struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	uint64_t h = (uintptr_t)set->shape + set->tree * UINT64_C(31) + set->count * UINT64_C(7919);

	return &tas->work->memos[h * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

static void remember(struct kueue_tas *tas, const struct kueue_tas_set *set, struct memo *memo)
{
	memo->shape = set->shape;
	memo->tree = set->tree;
	memo->count = set->count;
	memo->freed = tas->topology->trees[set->tree].freed;
	memo->spot_count = set->spot_count;
	memo->spots = mem_grow(memo->spots, memo->spot_count + (size_t)1, &memo->capacity,
			       sizeof(*memo->spots));
	if (memo->spot_count > 0)
		memcpy(memo->spots, &tas->spots[set->first_spot],
		       memo->spot_count * sizeof(*memo->spots));
}

static void recall(struct kueue_tas *tas, struct kueue_tas_set *set, const struct memo *memo)
{
	tas->spots = mem_grow(tas->spots, memo->spot_count + (size_t)1, &tas->spot_capacity,
			      sizeof(*tas->spots));
	if (memo->spot_count > 0)
		memcpy(tas->spots, memo->spots, memo->spot_count * sizeof(*memo->spots));
	tas->spot_count = set->spot_count = memo->spot_count;
	set->first_spot = 0;
}

/* In an empty cluster reservations do not count, so its placements stand until pods of
 * other kinds come or go, or the nodes change. */
static bool place_empty(struct kueue_tas *tas, struct kueue_tas_set *set)
{
	struct memo *memo = memo_of(tas, set);

	if (memo->shape == set->shape && memo->tree == set->tree && memo->count == set->count &&
	    memo->freed == tas->topology->trees[set->tree].freed) {
		recall(tas, set, memo);
		return true;
	}
	if (!place_all(tas, set, 1))
		return false;
	remember(tas, set, memo);
	return true;
}

/* Where what is known of the shape stands; another one may have taken its place. */
static struct refusal *refusal_of(struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	uint64_t h = (uintptr_t)set->shape + set->tree * UINT64_C(31);

	return &tas->work->refusals[h * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* Is it of those of whom a refusal holds on, and is nothing on trial? */
static bool keeps_refusals(const struct kueue_tas *tas, const struct kueue_tas_set *sets,
			   uint32_t count)
{
	const struct kueue_tas_work *w = tas->work;

	return count == 1 && !w->direct && !w->gates.prefers_affinity && !w->gates.balances &&
	       tas->topology->undo_count == 0 && kueue_tas_is_new(sets) && is_of_shape(sets);
}

bool kueue_tas_keeps_refusal(const struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	return keeps_refusals(tas, set, 1);
}

static bool is_known(const struct kueue_tas *tas, const struct kueue_tas_set *set,
		     const struct refusal *r)
{
	return r->shape == set->shape && r->tree == set->tree &&
	       r->relieved == tas->topology->relieved;
}

static void note_refusal(struct kueue_tas *tas, const struct kueue_tas_set *set)
{
	struct refusal *r = refusal_of(tas, set);

	if (is_known(tas, set, r) && r->count <= set->count)
		return;
	*r = (struct refusal){set->shape, set->tree, set->count, tas->topology->relieved};
}

bool kueue_tas_is_refused(struct kueue_tas *tas, const struct kueue_tas_set *sets, uint32_t count)
{
	const struct refusal *r = refusal_of(tas, sets);

	if (!is_known(tas, sets, r) || sets->count < r->count || !keeps_refusals(tas, sets, count))
		return false;
	tas->failed = 0;
	return true;
}

bool kueue_tas_place(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count, bool empty)
{
	bool placed;

	tas->work->empty = empty;
	tas->work->probe = false;
	if (empty && count == 1 && !tas->work->direct && !forgets_wishes(tas->work) &&
	    is_of_shape(&sets[0]))
		return place_empty(tas, &sets[0]);
	placed = place_all(tas, sets, count);
	if (!placed && !empty && tas->work->failure == FAILS_TO_FIT &&
	    keeps_refusals(tas, sets, count))
		note_refusal(tas, sets);
	return placed;
}

bool kueue_tas_fits(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count, bool empty)
{
	if (empty)
		return kueue_tas_place(tas, sets, count, true);
	tas->work->empty = false;
	tas->work->probe = true;
	return place_all(tas, sets, count);
}

void kueue_tas_keep_nothing(struct kueue_tas *tas)
{
	tas->work->direct = true;
	kueue_count_keep_nothing(tas->work->counter);
}

/* ------------------------------------------------------ failure texts (7.8) */

static void append(struct kueue_tas_work *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct kueue_tas_work *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	mem_append(&w->text, &w->text_length, &w->text_capacity, format, args);
	va_end(args);
}

static const char *effect_text(enum taint_effect effect)
{
	return effect == TAINT_NO_EXECUTE ? "NoExecute" : "NoSchedule";
}

static int compare_texts(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends a reason and takes it off again, as a text of its own. */
static void note(struct kueue_tas_work *w, char **reasons, size_t *count, size_t start)
{
	reasons[(*count)++] = mem_strdup(w->text + start);
	w->text_length = start;
}

static size_t list_reasons(struct kueue_tas *tas, const struct kueue_exclusions *x, char **reasons)
{
	struct kueue_tas_work *w = tas->work;
	const struct scenario *s = tas->topology->scenario;
	size_t count = 0, start = w->text_length;

	if (x->selector > 0) {
		append(w, "nodeSelector: %" PRIu32, x->selector);
		note(w, reasons, &count, start);
	}
	if (x->affinity > 0) {
		append(w, "affinity: %" PRIu32, x->affinity);
		note(w, reasons, &count, start);
	}
	if (x->domain > 0) {
		append(w, "topologyDomain: %" PRIu32, x->domain);
		note(w, reasons, &count, start);
	}
	for (size_t i = 0; i < x->taint_count; i++) {
		const struct taint *taint = &x->taints[i].taint;
		const char *value = name_text(s->strings, taint->value);

		append(w, "taint \"%s%s%s:%s\": %" PRIu32, name_text(s->strings, taint->key),
		       *value != '\0' ? "=" : "", value, effect_text(taint->effect),
		       x->taints[i].leaves);
		note(w, reasons, &count, start);
	}
	for (uint32_t r = 0; r < s->resource_count; r++) {
		if (x->resources[r] == 0)
			continue;
		append(w, "resource \"%s\": %" PRIu32, name_text(s->resources, r), x->resources[r]);
		note(w, reasons, &count, start);
	}
	if (x->scheduler > 0 && count > 0) { /* alone it is not told */
		append(w, "schedulerLibraryNoFit: %" PRIu32, x->scheduler);
		note(w, reasons, &count, start);
	}
	return count;
}

static void append_exclusions(struct kueue_tas *tas)
{
	struct kueue_tas_work *w = tas->work;
	const struct kueue_exclusions x = kueue_count_excluded(w->counter);
	char **reasons = mem_calloc(4 + x.taint_count + RES_MAX, sizeof(*reasons));
	size_t count = list_reasons(tas, &x, reasons);

	sort_stable(reasons, count, sizeof(*reasons), compare_texts, NULL);
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			append(w, ". Total nodes: %" PRIu32 "; excluded: ", w->tree->leaf_count);
		append(w, "%s%s", i > 0 ? ", " : "", reasons[i]);
		mem_free(reasons[i]);
	}
	mem_free(reasons);
}

/* Slices of a layer that fit below a domain of a higher level. */
static int64_t slices_below(const struct kueue_tas_work *w, uint32_t domain, uint32_t levels,
			    int64_t size)
{
	const struct topology_domain *d = &w->tree->domains[domain];
	int64_t sum = 0;

	if (levels == 0)
		return w->counts[domain].pods / size;
	for (uint32_t i = 0; i < d->child_count; i++)
		sum += slices_below(w, d->first_child + i, levels - 1, size);
	return sum;
}

/* With inner layers: how far the best domain of the level gets with each. */
static void append_layers(struct kueue_tas_work *w, const struct name_table *strings)
{
	uint32_t best = w->tree->first[w->failed_level];

	for (uint32_t d = best; d < w->tree->first[w->failed_level + 1]; d++) {
		if (w->counts[d].slices > w->counts[best].slices)
			best = d;
	}
	append(w, "topology \"%s\" doesn't allow to fit",
	       name_text(strings, w->tree->topology->name));
	for (uint32_t i = 0; i < w->workers->layer_count; i++) {
		const struct slice_layer *layer = &w->workers->layers[i];
		uint32_t level = kueue_topology_level(w->tree, layer->level);

		append(w, "; %" PRId64 "/%" PRIu32 " slice(s) fit on level %s",
		       slices_below(w, best, level - w->failed_level, layer->size),
		       w->workers->count / layer->size, name_text(strings, layer->level));
	}
}

static void append_misfit(struct kueue_tas *tas)
{
	struct kueue_tas_work *w = tas->work;
	const struct name_table *strings = tas->topology->scenario->strings;
	const char *topology = name_text(strings, w->tree->topology->name);
	const char *unit = w->size == 1 ? "pod" : "slice";

	if (w->layered)
		append_layers(w, strings);
	else if (w->fitting == 0)
		append(w, "topology \"%s\" doesn't allow to fit any of %" PRId64 " %s(s)", topology,
		       w->wanted, unit);
	else
		append(w, "topology \"%s\" allows to fit only %" PRId64 " out of %" PRId64 " %s(s)",
		       topology, w->fitting, w->wanted, unit);
	append_exclusions(tas);
}

static void append_wrong_layer(struct kueue_tas *tas)
{
	struct kueue_tas_work *w = tas->work;
	const struct name_table *strings = tas->topology->scenario->strings;
	const struct slice_layer *layer = &w->workers->layers[w->failed_layer];
	const char *level = name_text(strings, layer->level);

	if (w->failure == FAILS_LAYER_LEVEL)
		append(w, "no requested topology level for additional slice layer: %s", level);
	else if (w->failure == FAILS_LAYER_ABOVE)
		append(w, "additional slice layer topology %s must be at a lower level than %s",
		       level, name_text(strings, w->tree->topology->levels[w->failed_level]));
	else
		append(w,
		       "additional slice layer size %" PRIu32
		       " must evenly divide parent layer size %" PRIu32,
		       layer->size, layer[-1].size);
}

const char *kueue_tas_why(struct kueue_tas *tas)
{
	struct kueue_tas_work *w = tas->work;
	const struct name_table *strings = tas->topology->scenario->strings;
	const struct topology *topology = w->tree->topology;

	w->text_length = 0;
	w->text = mem_grow(w->text, 1, &w->text_capacity, 1);
	w->text[0] = '\0';
	switch (w->failure) {
	case FAILS_NOT:
		break;
	case FAILS_LEVEL:
		append(w, "no requested topology level: %s", name_text(strings, w->workers->level));
		break;
	case FAILS_SLICE_LEVEL:
		append(w, "no requested topology level for slices: %s",
		       name_text(strings, w->workers->layers[0].level));
		break;
	case FAILS_SLICE_ABOVE:
		append(w, "podset slice topology %s is above the podset topology %s",
		       name_text(strings, w->workers->layers[0].level),
		       name_text(strings, topology->levels[w->level]));
		break;
	case FAILS_LAYER_LEVEL:
	case FAILS_LAYER_ABOVE:
	case FAILS_LAYER_SIZE:
		append_wrong_layer(tas);
		break;
	case FAILS_NO_DOMAINS:
		append(w, "no topology domains at level: %s",
		       name_text(strings, topology->levels[w->failed_level]));
		break;
	case FAILS_NO_SLICE:
		append(w, "a slice of %" PRId64 " pods is more than the %" PRIu32 " pods there are",
		       w->size, w->workers->count);
		break;
	case FAILS_TO_FIT:
		append_misfit(tas);
		break;
	case FAILS_NO_LEVEL:
		append(w, "topology level not specified");
		break;
	case FAILS_STALE:
		append(w,
		       "Cannot replace the node, because the existing topologyAssignment is "
		       "invalid, as it contains the stale domain %s",
		       kueue_topology_place(tas->topology, w->failed_place));
		break;
	case FAILS_NO_REPLACEMENT:
		append(w, "cannot find replacement assignment for unhealthy node: %s",
		       kueue_topology_place(tas->topology, w->failed_place));
		break;
	}
	return w->text;
}
