#include "sim/kueue/kueue_balance.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"

/* A domain that was taken after others: the last of a chain. */
struct step {
	uint32_t domain;
	size_t before; /* NO_STEP */
};
#define NO_STEP SIZE_MAX

struct state { /* so many pods are left, at most once in a list */
	int64_t left;
	size_t last; /* step */
};

struct states {
	struct state *items; /* by left */
	size_t count, capacity;
};

struct work {
	const struct kueue_balance *b;
	uint32_t lowest, domain_count;
	struct kueue_room *rooms; /* on trial; groups do not share domains */
	uint32_t *items;	  /* scratch; of the set that is looked at */
	uint32_t item_count;
	struct step *steps;
	size_t step_count, step_capacity;
};

struct run { /* of domains of a level */
	uint32_t first, count;
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ------------------------------------------------------------------ orders */

static int compare_plain(const void *a, const void *b, void *context)
{
	const struct work *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = kueue_room_plain(&w->rooms[x], &w->rooms[y], false);

	return c != 0 ? c : kueue_room_order(x, y);
}

static int compare_beside(const void *a, const void *b, void *context)
{
	const struct work *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = kueue_room_beside(&w->rooms[x], &w->rooms[y], false);

	return c != 0 ? c : kueue_room_order(x, y);
}

static int compare_values(const void *a, const void *b, void *context)
{
	(void)context;
	return kueue_room_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* How evenly what fits is spread over the domains below, in bits. */
static double entropy_of(const struct work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];
	int64_t total = 0;
	double entropy = 0;

	for (uint32_t i = 0; i < d->child_count; i++)
		total += w->rooms[d->first_child + i].pods;
	for (uint32_t i = 0; i < d->child_count && total > 0; i++) {
		double part = (double)w->rooms[d->first_child + i].pods / (double)total;

		if (part > 0)
			entropy -= part * log2(part);
	}
	return entropy;
}

/* The largest first, of equal ones the most even. */
static int compare_evenness(const void *a, const void *b, void *context)
{
	const struct work *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct kueue_room *rx = &w->rooms[x], *ry = &w->rooms[y];
	double ex, ey;

	if (rx->leaders != ry->leaders)
		return kueue_room_order(ry->leaders, rx->leaders);
	if (rx->slices_beside != ry->slices_beside)
		return kueue_room_order(ry->slices_beside, rx->slices_beside);
	ex = entropy_of(w, x);
	ey = entropy_of(w, y);
	if (ex > ey || ex < ey)
		return ex > ey ? -1 : 1;
	return kueue_room_order(x, y);
}

static void sort_items(struct work *w, uint32_t from, sort_compare *compare)
{
	sort_stable(w->items + from, w->item_count - from, sizeof(*w->items), compare, w);
}

/* ------------------------------------------------------------------- sets */

static void take_run(struct work *w, struct run run)
{
	w->item_count = 0;
	for (uint32_t i = 0; i < run.count; i++)
		w->items[w->item_count++] = run.first + i;
}

/* The domains below those of the set take their places. */
static void take_children(struct work *w)
{
	const struct topology_domain *domains = w->b->tree->domains;
	uint32_t *parents = mem_dup(w->items, w->item_count * sizeof(*parents));
	uint32_t count = w->item_count;

	w->item_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t c = 0; c < domains[parents[i]].child_count; c++)
			w->items[w->item_count++] = domains[parents[i]].first_child + c;
	}
	mem_free(parents);
}

/* The domains among which slices are balanced. */
static void take_lower(struct work *w, struct run run)
{
	take_run(w, run);
	if (w->b->level < w->b->slice_level)
		take_children(w);
}

/* ----------------------------------------------------- pruning below a threshold */

static void clear(struct work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];

	w->rooms[domain] = (struct kueue_room){.affinity = w->rooms[domain].affinity};
	for (uint32_t i = 0; i < d->child_count; i++)
		clear(w, d->first_child + i);
}

static void clear_leader(struct work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];
	struct kueue_room *room = &w->rooms[domain];

	room->pods_beside = room->slices_beside = room->leaders = 0;
	for (uint32_t i = 0; i < d->child_count; i++)
		clear_leader(w, d->first_child + i);
}

static void prune_domain(struct work *w, uint32_t domain, int64_t threshold)
{
	const struct kueue_room *room = &w->rooms[domain];

	if (room->slices < threshold)
		clear(w, domain);
	else if (w->b->leader && room->leaders > 0 && room->slices_beside < threshold)
		clear_leader(w, domain);
}

static void sum_children(struct work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];
	struct kueue_room sum = {.affinity = w->rooms[domain].affinity};
	int64_t pods_lost = INT64_MAX, slices_lost = INT64_MAX;

	for (uint32_t i = 0; i < d->child_count; i++) {
		const struct kueue_room *c = &w->rooms[d->first_child + i];

		sum.pods += c->pods;
		sum.slices += c->slices;
		sum.leaders = c->leaders > sum.leaders ? c->leaders : sum.leaders;
		if (w->b->leader && c->leaders == 0)
			continue;
		pods_lost = smaller(pods_lost, c->pods - c->pods_beside);
		slices_lost = smaller(slices_lost, c->slices - c->slices_beside);
	}
	if (pods_lost != INT64_MAX) {
		sum.pods_beside = sum.pods - pods_lost;
		sum.slices_beside = sum.slices - slices_lost;
	}
	w->rooms[domain] = sum;
}

/* Sizes of inner slices do not count here. */
static void refill(struct work *w, uint32_t domain, uint32_t level)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];
	struct kueue_room *room = &w->rooms[domain];

	for (uint32_t i = 0; i < d->child_count && level < w->lowest; i++)
		refill(w, d->first_child + i, level + 1);
	if (level < w->lowest)
		sum_children(w, domain);
	if (level == w->b->slice_level) {
		room->slices = room->pods / w->b->size;
		room->slices_beside = room->pods_beside / w->b->size;
	}
}

static void prune(struct work *w, struct run run, int64_t threshold)
{
	for (uint32_t d = run.first; d < run.first + run.count; d++) {
		const struct topology_domain *domain = &w->b->tree->domains[d];

		for (uint32_t i = 0; i < domain->child_count; i++)
			prune_domain(w, domain->first_child + i, threshold);
	}
	for (uint32_t d = run.first; d < run.first + run.count; d++) {
		refill(w, d, w->b->level);
		prune_domain(w, d, threshold);
	}
}

static void restore(struct work *w, uint32_t domain)
{
	const struct topology_domain *d = &w->b->tree->domains[domain];

	w->rooms[domain] = w->b->rooms[domain];
	for (uint32_t i = 0; i < d->child_count; i++)
		restore(w, d->first_child + i);
}

/* ------------------------------------------------------ the best group (greedy) */

struct greedy {
	uint32_t used;
	uint32_t last, last_beside; /* domain; TOPOLOGY_NOWHERE */
};

/* Does the set hold everything, and how many of its domains does that take? */
static bool fits_greedily(struct work *w, struct greedy *g)
{
	int64_t need = w->b->need, leaders = w->b->leader;
	uint32_t i = 0;

	*g = (struct greedy){.last = TOPOLOGY_NOWHERE, .last_beside = TOPOLOGY_NOWHERE};
	if (w->b->leader)
		sort_items(w, 0, compare_beside);
	for (; leaders > 0 && i < w->item_count && w->rooms[w->items[i]].leaders > 0; i++) {
		g->used++;
		g->last_beside = w->items[i];
		leaders -= w->rooms[w->items[i]].leaders;
		need -= w->rooms[w->items[i]].slices_beside;
	}
	if (leaders > 0)
		return false;
	sort_items(w, i, compare_plain);
	for (; need > 0 && i < w->item_count && w->rooms[w->items[i]].slices > 0; i++) {
		g->used++;
		g->last = w->items[i];
		need -= w->rooms[w->items[i]].slices;
	}
	return need <= 0;
}

static int64_t threshold_of(const struct work *w, const struct greedy *g)
{
	int64_t threshold = w->b->need / g->used;

	if (g->last_beside != TOPOLOGY_NOWHERE)
		threshold = smaller(threshold, w->rooms[g->last_beside].slices_beside);
	if (g->last != TOPOLOGY_NOWHERE)
		threshold = smaller(threshold, w->rooms[g->last].slices);
	return threshold;
}

struct best {
	struct run group;
	int64_t threshold; /* 0: none */
	uint32_t used;
};

static bool fits_pruned(struct work *w, struct run group, int64_t threshold, struct greedy *g)
{
	prune(w, group, threshold);
	take_run(w, group);
	return fits_greedily(w, g);
}

/* A group that fails once its small domains are gone may do with a lower threshold, which
 * leaves room for the leader. */
static void try_group(struct work *w, struct run group, struct best *best)
{
	struct greedy g;
	int64_t threshold, reserved;

	take_lower(w, group);
	if (!fits_greedily(w, &g))
		return;
	threshold = reserved = threshold_of(w, &g);
	if (w->b->leader && g.last != TOPOLOGY_NOWHERE)
		reserved = smaller(threshold, w->rooms[g.last].slices_beside);
	if (threshold < best->threshold)
		return;
	if (!fits_pruned(w, group, threshold, &g)) {
		if (reserved >= threshold || reserved <= 0 || reserved < best->threshold)
			return;
		threshold = reserved;
		for (uint32_t d = group.first; d < group.first + group.count; d++)
			restore(w, d);
		if (!fits_pruned(w, group, threshold, &g))
			return;
	}
	if (threshold > best->threshold || (threshold == best->threshold && g.used < best->used))
		*best = (struct best){group, threshold, g.used};
}

static struct best find_best(struct work *w)
{
	const struct topology_tree *tree = w->b->tree;
	uint32_t level = w->b->level;
	struct best best = {.threshold = 0};

	if (level == 0) {
		try_group(w, (struct run){tree->first[0], tree->first[1] - tree->first[0]}, &best);
		return best;
	}
	for (uint32_t d = tree->first[level - 1]; d < tree->first[level]; d++)
		try_group(w,
			  (struct run){tree->domains[d].first_child, tree->domains[d].child_count},
			  &best);
	return best;
}

/* ------------------------------------------- the fewest domains with the least room */

static void add_state(struct work *w, struct states *states, int64_t left, uint32_t domain,
		      size_t before)
{
	size_t low = 0, high = states->count;

	while (low < high) {
		size_t half = low + (high - low) / 2;

		if (states->items[half].left < left)
			low = half + 1;
		else
			high = half;
	}
	if (low < states->count && states->items[low].left == left)
		return;
	states->items = mem_grow(states->items, states->count + 1, &states->capacity,
				 sizeof(*states->items));
	memmove(states->items + low + 1, states->items + low,
		(states->count++ - low) * sizeof(*states->items));
	w->steps = mem_grow(w->steps, w->step_count + 1, &w->step_capacity, sizeof(*w->steps));
	w->steps[w->step_count] = (struct step){domain, before};
	states->items[low] = (struct state){left, w->step_count++};
}

/* From sets of one domain less, with this one: beside a leader, and without. lists are
 * two a size: no leader is left, or one. */
static void extend(struct work *w, struct states *lists, uint32_t used, uint32_t domain)
{
	const struct kueue_room *room = &w->rooms[domain];

	for (uint32_t leader = 0; leader < 2; leader++) {
		const struct states *from = &lists[(used - 1) * 2 + leader];

		for (size_t i = 0; i < from->count; i++) {
			struct state s = from->items[i];

			if (leader == 0 && s.left <= 0)
				continue;
			if (leader > 0 && room->leaders > 0)
				add_state(w, &lists[used * 2], s.left - room->pods_beside, domain,
					  s.last);
			if (room->slices > 0)
				add_state(w, &lists[used * 2 + leader], s.left - room->pods, domain,
					  s.last);
		}
	}
}

/* The set that holds everything with the least to spare becomes the set that is looked
 * at. */
static bool keep_tightest(struct work *w, const struct states *states)
{
	size_t best = states->count;

	for (size_t i = 0; i < states->count && states->items[i].left <= 0; i++)
		best = i;
	if (best == states->count)
		return false;
	w->item_count = 0;
	for (size_t s = states->items[best].last; s != NO_STEP; s = w->steps[s].before)
		w->items[w->item_count++] = w->steps[s].domain;
	return true;
}

/* Out of the set that is looked at. */
static bool choose_fewest(struct work *w, sort_compare *compare)
{
	struct greedy g;
	struct states *lists;
	bool found;

	if (!fits_greedily(w, &g))
		return false;
	sort_items(w, 0, compare);
	lists = mem_calloc((g.used + 1U) * 2U, sizeof(*lists));
	w->step_count = 0;
	lists[w->b->leader].items =
		mem_grow(NULL, 1, &lists[w->b->leader].capacity, sizeof(struct state));
	lists[w->b->leader].items[0] = (struct state){w->b->need * w->b->size, NO_STEP};
	lists[w->b->leader].count = 1;
	for (uint32_t i = 0; i < w->item_count; i++) {
		for (uint32_t used = g.used; used > 0; used--)
			extend(w, lists, used, w->items[i]);
	}
	found = keep_tightest(w, &lists[g.used * 2]);
	for (uint32_t i = 0; i < (g.used + 1U) * 2U; i++)
		mem_free(lists[i].items);
	mem_free(lists);
	return found;
}

/* -------------------------------------------------------------- giving them out */

/* Everybody gets the threshold, and the first ones what is more than that. */
static bool give_out(struct work *w, int64_t threshold)
{
	int64_t extra = w->b->need - w->item_count * threshold, leaders = w->b->leader;

	if (extra < 0)
		return false;
	sort_items(w, 0, compare_beside);
	for (uint32_t i = 0; i < w->item_count; i++) {
		struct kueue_room *room = &w->rooms[w->items[i]];
		int64_t more = 0;

		if (leaders > 0)
			more = smaller(room->slices_beside - threshold, extra);
		else if (extra > 0)
			more = smaller(room->slices - threshold, extra);
		room->leaders = leaders > 0;
		leaders -= room->leaders;
		room->slices = room->slices_beside = threshold + more;
		room->pods = room->slices * w->b->size;
		room->pods_beside = room->pods - room->leaders;
		extra -= more;
	}
	return extra <= 0 && leaders == 0;
}

static bool choose(struct work *w)
{
	struct best best = find_best(w);

	if (best.threshold == 0)
		return false;
	take_run(w, best.group);
	if (w->b->level < w->b->slice_level) {
		if (!choose_fewest(w, compare_evenness))
			return false;
		take_children(w);
	}
	return choose_fewest(w, compare_values) && give_out(w, best.threshold);
}

bool kueue_balance_choose(struct kueue_balance *b)
{
	struct work w = {.b = b,
			 .lowest = b->tree->topology->level_count - 1,
			 .domain_count = b->tree->first_leaf + b->tree->leaf_count};
	bool chosen;

	if (b->need <= 0 || w.domain_count == 0)
		return false;
	w.rooms = mem_dup(b->rooms, w.domain_count * sizeof(*w.rooms));
	w.items = mem_calloc(w.domain_count, sizeof(*w.items));
	chosen = choose(&w);
	if (chosen) {
		memcpy(b->rooms, w.rooms, w.domain_count * sizeof(*w.rooms));
		memcpy(b->chosen, w.items, w.item_count * sizeof(*w.items));
		b->chosen_count = w.item_count;
		b->chosen_level = b->level + (b->level < b->slice_level);
	}
	mem_free(w.rooms);
	mem_free(w.items);
	mem_free(w.steps);
	return chosen;
}
