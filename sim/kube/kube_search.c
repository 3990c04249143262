#include "sim/kube/kube_search.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kube/kube_ladder.h"

#define ALL_BELOW 100 /* nodes: fewer are all searched */
#define FOUND_MIN 100
#define NO_ROOM	  (-1)
#define BLOCK	  16 /* nodes summed up together */
#define WORD	  KUBE_LADDER_WORD
#define NO_VALUES UINT32_MAX

/* The best of BLOCK neighbours in the order of the search (the last block may be
 * shorter). */
struct block {
	uint32_t node;	/* the first one of the input among the best; NODE_NONE */
	uint16_t rooms; /* bit i: the i-th has room */
	uint16_t room;	/* how many have */
	int score;
};

/* What the nodes are worth to pods that ask for the same amounts, in the order of the
 * search; whether they suit otherwise is left out. */
struct values {
	uint32_t shape; /* one of them */
	uint64_t hash;	/* of its amounts */
	int32_t *scores;
	struct block *blocks;
	uint64_t seen; /* changes taken into account */
	uint32_t room; /* nodes that have room */
	bool filled;
	uint32_t limit; /* nodes that a search looks for */
	int32_t worth;	/* if every node with room is worth the same, whatever runs there, and one
			* resource decides about room: that, and scores and blocks lie idle */
	struct kube_ladder *ladder;   /* of that resource; else NULL */
	const struct kube_rung *rung; /* what tells of room then */
};

/* Where a group may go: the positions of the nodes that suit it, ascending. Most groups
 * that choose by labels suit few nodes, and many groups ask for the same amounts: so a
 * search looks at few nodes, at what was worked out for all groups of these amounts. It
 * stops at the same node and goes on there the next time, for nodes that do not suit are
 * rejected, not found; and what a node is worth does not hang on the labels. */
struct reach {
	uint32_t values;
	uint32_t *suits; /* NULL: all nodes */
	uint32_t count;
	bool known;
};

struct kube_search {
	const struct world *world;
	const struct kube_match *match;
	struct kube_filter *filter;
	struct rng *rng;
	struct kube_score *rules; /* per profile */
	uint32_t *order;	  /* nodes as searched */
	uint32_t *position;	  /* per node, in order; NODE_NONE: it is not searched */
	uint32_t count;
	bool in_input_order;		    /* the nodes are searched in the order of the input */
	uint32_t start;			    /* where the next search begins */
	uint32_t *found;		    /* positions that passed the filters */
	struct kube_constraint *constraint; /* NULL: nobody has any */
	uint32_t *found_nodes;		    /* the same as nodes */
	int *scores;			    /* of each */
	struct values *values;
	size_t value_capacity;
	uint32_t value_count;
	uint32_t *values_of;	      /* per shape; NO_VALUES */
	struct kube_ladder **ladders; /* per resource; NULL: nobody asked for it yet */
	struct reach *reaches;	      /* per group */
	size_t reach_capacity;
	uint32_t reach_count;
};

struct zone_place {
	uint32_t rank; /* of the node within its zone */
	uint32_t zone;
	uint32_t node;
};

static int compare_places(const void *a, const void *b, void *context)
{
	const struct zone_place *x = a, *y = b;

	(void)context;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->zone > y->zone) - (x->zone < y->zone);
}

/* Round robin over the zones in order of appearance. */
static void order_nodes(struct kube_search *s)
{
	const struct world *w = s->world;
	struct zone_place *places = mem_calloc(w->node_count, sizeof(*places));
	uint32_t *zones = mem_calloc(w->node_count, sizeof(*zones));
	uint32_t *sizes = mem_calloc(w->node_count, sizeof(*sizes));
	uint32_t zone_count = 0;

	s->count = 0;
	for (uint32_t node = 0; node < w->node_count; node++) {
		uint32_t z = 0;

		if (!kube_match_present(w, node))
			continue;
		while (z < zone_count && zones[z] != w->nodes[node].zone)
			z++;
		if (z == zone_count)
			zones[zone_count++] = w->nodes[node].zone;
		places[s->count++] =
			(struct zone_place){.rank = sizes[z]++, .zone = z, .node = node};
	}
	sort_stable(places, s->count, sizeof(*places), compare_places, NULL);
	s->in_input_order = true;
	for (uint32_t node = 0; node < w->node_count; node++)
		s->position[node] = NODE_NONE;
	for (uint32_t i = 0; i < s->count; i++) {
		s->order[i] = places[i].node;
		s->position[places[i].node] = i;
		s->in_input_order = s->in_input_order && (i == 0 || s->order[i] > s->order[i - 1]);
	}
	s->start = s->count == 0 ? 0 : s->start % s->count;
	mem_free(places);
	mem_free(zones);
	mem_free(sizes);
}

struct kube_search *kube_search_new(const struct world *world, const struct kube_match *match,
				    struct kube_filter *filter, struct rng *rng)
{
	struct kube_search *s = mem_calloc(1, sizeof(*s));

	s->world = world;
	s->match = match;
	s->filter = filter;
	s->rng = rng;
	s->rules = mem_calloc(world->scenario->profile_count, sizeof(*s->rules));
	for (uint32_t i = 0; i < world->scenario->profile_count; i++)
		kube_score_init(&s->rules[i], world, i);
	s->order = mem_calloc(world->node_count, sizeof(*s->order));
	s->position = mem_calloc(world->node_count, sizeof(*s->position));
	s->found = mem_calloc(world->node_count, sizeof(*s->found));
	s->values_of = mem_calloc(world->scenario->shape_count, sizeof(*s->values_of));
	for (uint32_t i = 0; i < world->scenario->shape_count; i++)
		s->values_of[i] = NO_VALUES;
	s->ladders = mem_calloc(world->scenario->resource_count, sizeof(struct kube_ladder *));
	order_nodes(s);
	return s;
}

void kube_search_free(struct kube_search *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->value_count; i++) {
		mem_free(s->values[i].scores);
		mem_free(s->values[i].blocks);
	}
	for (uint32_t i = 0; i < s->world->scenario->resource_count; i++)
		kube_ladder_free(s->ladders[i]);
	for (uint32_t i = 0; i < s->reach_count; i++)
		mem_free(s->reaches[i].suits);
	mem_free(s->values);
	mem_free(s->values_of);
	mem_free(s->ladders);
	mem_free(s->reaches);
	mem_free(s->rules);
	mem_free(s->order);
	mem_free(s->position);
	mem_free(s->found);
	mem_free(s->found_nodes);
	mem_free(s->scores);
	mem_free(s);
}

void kube_search_constrain(struct kube_search *s, struct kube_constraint *constraint)
{
	s->constraint = constraint;
	if (constraint == NULL)
		return;
	s->found_nodes = mem_calloc(s->world->node_count, sizeof(*s->found_nodes));
	s->scores = mem_calloc(s->world->node_count, sizeof(*s->scores));
}

void kube_search_nodes_changed(struct kube_search *s)
{
	order_nodes(s);
	for (uint32_t i = 0; i < s->value_count; i++)
		s->values[i].filled = false;
	for (uint32_t i = 0; i < s->world->scenario->resource_count; i++) {
		if (s->ladders[i] != NULL)
			kube_ladder_reset(s->ladders[i], s->count);
	}
	for (uint32_t i = 0; i < s->reach_count; i++)
		s->reaches[i].known = false;
}

const uint32_t *kube_search_nodes(const struct kube_search *s, uint32_t *count)
{
	*count = s->count;
	return s->order;
}

bool kube_search_has(const struct kube_search *s, uint32_t node)
{
	return s->position[node] != NODE_NONE;
}

/* ---- how many nodes are enough ---- */

/* numFeasibleNodesToFind; given: percentageOfNodesToScore, 0 by the number of nodes. */
static uint32_t wanted(uint32_t nodes, uint32_t given)
{
	uint32_t by_count = nodes / 125 < 45 ? 50 - nodes / 125 : 5;
	uint32_t percent = given != 0 ? given : by_count;
	uint32_t found = (uint32_t)((uint64_t)nodes * percent / 100);

	if (nodes < ALL_BELOW)
		return nodes;
	return found < FOUND_MIN ? FOUND_MIN : found;
}

/* How many nodes the profile of a shape's pods looks for. */
static uint32_t limit_of(const struct kube_search *s, uint32_t shape)
{
	const struct world *w = s->world;

	return wanted(s->count, profile_percentage(w->scenario, w->options,
						   w->scenario->shapes[shape].profile));
}

/* ---- what a node is worth ---- */

static int32_t worth(const struct kube_search *s, uint32_t index, uint32_t node)
{
	const struct pod_shape *shape = &s->world->scenario->shapes[index];

	if (!cluster_fits(&s->world->usage, node, shape))
		return NO_ROOM;
	return kube_score_node(&s->rules[shape->profile], &s->world->usage, node, shape);
}

/* Is this one better than the best so far, on equal terms the earlier node? */
static bool beats(int score, uint32_t node, int best_score, uint32_t best)
{
	return score > best_score || (score == best_score && score != NO_ROOM && node < best);
}

static void sum_up(const struct kube_search *s, struct values *values, uint32_t block)
{
	struct block sum = {.node = NODE_NONE, .score = NO_ROOM};
	uint32_t end = (block + 1) * BLOCK < s->count ? (block + 1) * BLOCK : s->count;

	for (uint32_t at = block * BLOCK; at < end; at++) {
		sum.rooms |= (uint16_t)((values->scores[at] != NO_ROOM) << at % BLOCK);
		sum.room = (uint16_t)(sum.room + (values->scores[at] != NO_ROOM));
		if (beats(values->scores[at], s->order[at], sum.score, sum.node)) {
			sum.score = values->scores[at];
			sum.node = s->order[at];
		}
	}
	values->blocks[block] = sum;
}

/* After the change of one node, which had room or not: the others need not be looked at
 * unless the best got worse. */
static void sum_up_again(const struct kube_search *s, struct values *values, uint32_t at, bool had)
{
	struct block *sum = &values->blocks[at / BLOCK];
	bool has = values->scores[at] != NO_ROOM;

	if (s->order[at] == sum->node && values->scores[at] < sum->score) {
		sum_up(s, values, at / BLOCK);
		return;
	}
	if (has != had) {
		sum->rooms ^= (uint16_t)(1U << at % BLOCK);
		sum->room = (uint16_t)(sum->room + has - had);
	}
	if (s->order[at] == sum->node ||
	    beats(values->scores[at], s->order[at], sum->score, sum->node)) {
		sum->score = values->scores[at];
		sum->node = s->order[at];
	}
}

/* Does nothing that runs on them change what nodes are worth, and is that the same of all?
 * Then only their room is to be looked at: of equals the first one of the input is taken,
 * which is the first with room where the search follows the input. So it is with nodes that
 * name GPUs alone, as traces have them. */
static bool worth_the_same(const struct kube_search *s, const struct values *values)
{
	const struct pod_shape *shape = &s->world->scenario->shapes[values->shape];
	const struct kube_score *rules = &s->rules[shape->profile];

	if (!s->in_input_order)
		return false;
	for (uint32_t i = 0; i < s->count; i++) {
		if (!kube_score_fixed(rules, &s->world->nodes[s->order[i]], shape) ||
		    kube_score_node(rules, &s->world->usage, s->order[i], shape) !=
			    kube_score_node(rules, &s->world->usage, s->order[0], shape))
			return false;
	}
	return true;
}

/* The resource that alone decides about room, of those that are asked for and that some node
 * limits; RES_MAX: there is none, or more than one. So it is with nodes that name GPUs alone. */
static uint32_t deciding(const struct kube_search *s, const struct pod_shape *shape)
{
	uint64_t limited = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const int64_t *capacity = s->world->nodes[s->order[i]].allocatable;

		if (capacity[RES_PODS] != RES_UNLIMITED)
			return RES_MAX;
		for (uint64_t left = cluster_asked(shape); left != 0; left &= left - 1) {
			uint32_t r = (uint32_t)__builtin_ctzll(left);

			if (shape->request[r] > 0 && capacity[r] != RES_UNLIMITED)
				limited |= UINT64_C(1) << r;
		}
	}
	if (limited == 0 || (limited & (limited - 1)) != 0)
		return RES_MAX;
	return (uint32_t)__builtin_ctzll(limited);
}

/* Only room counts, and the ladder of the resource tells of it: True. */
static bool climb(struct kube_search *s, struct values *values)
{
	const struct pod_shape *shape = &s->world->scenario->shapes[values->shape];
	uint32_t resource = deciding(s, shape);

	values->ladder = NULL;
	if (resource == RES_MAX || !worth_the_same(s, values))
		return false;
	if (s->ladders[resource] == NULL) {
		s->ladders[resource] = kube_ladder_new(s->filter, resource, s->order, s->position);
		kube_ladder_reset(s->ladders[resource], s->count);
	}
	values->rung = kube_ladder_rung(s->ladders[resource], shape->request[resource]);
	if (values->rung == NULL)
		return false;
	values->ladder = s->ladders[resource];
	values->worth =
		kube_score_node(&s->rules[shape->profile], &s->world->usage, s->order[0], shape);
	return true;
}

static void fill(struct kube_search *s, struct values *values)
{
	values->limit = limit_of(s, values->shape);
	values->filled = true;
	values->seen = s->filter->changes;
	if (climb(s, values))
		return;
	if (values->scores == NULL) {
		values->scores = mem_calloc(s->world->node_count, sizeof(*values->scores));
		values->blocks =
			mem_calloc(s->world->node_count / BLOCK + 1, sizeof(*values->blocks));
	}
	values->room = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		values->scores[i] = worth(s, values->shape, s->order[i]);
		values->room += values->scores[i] != NO_ROOM;
	}
	for (uint32_t block = 0; block * BLOCK < s->count; block++)
		sum_up(s, values, block);
}

static void judge_again(const struct kube_search *s, struct values *values, uint32_t node)
{
	uint32_t at = s->position[node];
	int32_t now = worth(s, values->shape, node);
	bool had;

	if (values->scores[at] == now)
		return;
	had = values->scores[at] != NO_ROOM;
	values->room = values->room + (now != NO_ROOM) - had;
	values->scores[at] = now;
	sum_up_again(s, values, at, had);
}

/* All that worth() asks of a shape. */
static uint64_t amounts_hash(const struct kube_search *s, const struct pod_shape *shape)
{
	uint64_t h = shape->requested ^ (uint64_t)shape->profile << 56;

	for (uint32_t r = 0; r < s->world->scenario->resource_count; r++)
		h = (h ^ (uint64_t)shape->request[r]) * UINT64_C(0x9e3779b97f4a7c15) + r;
	return (h ^ (uint64_t)shape->nonzero_cpu << 32) * UINT64_C(0x9e3779b97f4a7c15) ^
	       (uint64_t)shape->nonzero_memory;
}

static bool same_amounts(const struct kube_search *s, const struct pod_shape *a,
			 const struct pod_shape *b)
{
	return a->requested == b->requested && a->profile == b->profile &&
	       a->nonzero_cpu == b->nonzero_cpu && a->nonzero_memory == b->nonzero_memory &&
	       memcmp(a->request, b->request,
		      s->world->scenario->resource_count * sizeof(*a->request)) == 0;
}

static uint32_t find_values(struct kube_search *s, uint32_t shape)
{
	const struct pod_shape *shapes = s->world->scenario->shapes;
	uint64_t hash = amounts_hash(s, &shapes[shape]);

	for (uint32_t i = 0; i < s->value_count; i++) {
		if (s->values[i].hash == hash &&
		    same_amounts(s, &shapes[s->values[i].shape], &shapes[shape]))
			return i;
	}
	s->values =
		mem_grow(s->values, s->value_count + 1u, &s->value_capacity, sizeof(*s->values));
	s->values[s->value_count] = (struct values){.shape = shape, .hash = hash};
	return s->value_count++;
}

static void judge_changed(struct kube_search *s, struct values *values)
{
	uint64_t changes = s->filter->changes;

	if (changes - values->seen > KUBE_CHANGES || changes - values->seen > s->count) {
		fill(s, values);
		return;
	}
	for (; values->seen < changes; values->seen++) {
		uint32_t node = s->filter->changed[values->seen % KUBE_CHANGES];

		if (kube_search_has(s, node))
			judge_again(s, values, node);
		/* else: pods also leave a node that left the cluster before them */
	}
}

static inline const struct values *current_values(struct kube_search *s, uint32_t index)
{
	struct values *values = &s->values[index];

	if (!values->filled)
		fill(s, values);
	if (values->ladder == NULL) {
		judge_changed(s, values);
		return values;
	}
	kube_ladder_follow(values->ladder);
	values->room = values->rung->room;
	return values;
}

/* What the node at a position is worth. */
static inline int32_t worth_at(const struct values *values, uint32_t at)
{
	if (values->ladder == NULL)
		return values->scores[at];
	return (values->rung->rooms[at / WORD] >> at % WORD & 1) != 0 ? values->worth : NO_ROOM;
}

/* ---- where a group may go ---- */

static void find_suits(const struct kube_search *s, struct reach *reach,
		       const struct kube_group *group)
{
	uint32_t count = 0;

	mem_free(reach->suits);
	reach->suits = NULL;
	reach->count = group->nodes[KUBE_SUITS];
	reach->known = true;
	if (reach->count == s->count)
		return;
	reach->suits = mem_calloc(reach->count, sizeof(*reach->suits));
	for (uint32_t i = 0; i < s->count && count < reach->count; i++) {
		if (group->verdict[s->order[i]] == KUBE_SUITS)
			reach->suits[count++] = i;
	}
}

static const struct reach *reach_of(struct kube_search *s, uint32_t group)
{
	const struct kube_group *g;

	if (group < s->reach_count && s->reaches[group].known)
		return &s->reaches[group];
	g = kube_match_at(s->match, group);
	if (group >= s->reach_count) {
		s->reaches =
			mem_grow(s->reaches, group + 1u, &s->reach_capacity, sizeof(*s->reaches));
		while (s->reach_count <= group)
			s->reaches[s->reach_count++] = (struct reach){.values = NO_VALUES};
	}
	if (s->values_of[g->shape] == NO_VALUES)
		s->values_of[g->shape] = find_values(s, g->shape);
	s->reaches[group].values = s->values_of[g->shape];
	find_suits(s, &s->reaches[group], g);
	return &s->reaches[group];
}

/* The n-th position from start on and round. first: of those that suit, the one with which
 * that begins. */
static uint32_t position_at(const struct kube_search *s, const struct reach *reach, uint32_t first,
			    uint32_t n)
{
	uint32_t at = first + n;

	if (reach->suits == NULL)
		return at >= s->count ? at - s->count : at;
	return reach->suits[at >= reach->count ? at - reach->count : at];
}

static uint32_t first_of(const struct kube_search *s, const struct reach *reach)
{
	uint32_t low = 0, high = reach->count;

	if (reach->suits == NULL)
		return s->start;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (reach->suits[middle] < s->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low == reach->count ? 0 : low;
}

/* The search found as many as it wants, the last one here. */
static void stop_at(struct kube_search *s, uint32_t position)
{
	s->start = position + 1 == s->count ? 0 : position + 1;
}

/* ---- search ---- */

/* Is the node kept by nominated pods, or refused by a constraint? filters: the pod
 * can be. */
static bool refused(struct kube_search *s, uint32_t node, uint32_t pod, int32_t priority,
		    bool filters)
{
	if (s->filter->count != 0 && s->filter->on_node[node] != 0 &&
	    kube_filter_node(s->filter, node, pod, priority) != 0)
		return true;
	return filters && kube_constraint_judge(s->constraint, node) != REFUSAL_NONE;
}

/* The positions of the nodes that pass, from start on and round, until enough. If there are
 * not enough all were looked at, and the next search begins here again. */
static uint32_t gather(struct kube_search *s, const struct reach *reach, uint32_t pod,
		       int32_t priority)
{
	const struct values *values = &s->values[reach->values];
	bool filters = kube_constraint_filters(s->constraint, pod);
	uint32_t limit = values->limit, found = 0;
	uint32_t first = first_of(s, reach);

	for (uint32_t i = 0; i < reach->count; i++) {
		uint32_t here = position_at(s, reach, first, i);

		if (worth_at(values, here) == NO_ROOM ||
		    refused(s, s->order[here], pod, priority, filters))
			continue;
		s->found[found++] = here;
		if (found == limit) {
			stop_at(s, here);
			break;
		}
	}
	return found;
}

/* TaintToleration's score over the nodes found: the fewer avoided taints, the
 * better; 100 for all if there are none. */
static int taint_score(uint32_t avoid, uint32_t most)
{
	return most == 0 ? 100 : (int)(100 - 100 * avoid / most);
}

static uint32_t most_avoided(const struct kube_search *s, const struct kube_group *group,
			     uint32_t found)
{
	uint32_t most = 0;

	for (uint32_t i = 0; group->avoids && i < found; i++) {
		uint32_t avoid = group->avoid[s->order[s->found[i]]];

		most = avoid > most ? avoid : most;
	}
	return most;
}

/* Among equals: the first node of the input, or a uniform choice. */
static bool takes_tie(const struct kube_search *s, uint32_t node, uint32_t best, uint32_t ties)
{
	if (s->rng != NULL)
		return rng_below(s->rng, ties) == 0;
	return node < best;
}

/* What constraints add for the nodes found, into s->scores; NULL: nothing. */
static const int *constraint_scores(struct kube_search *s, uint32_t pod, uint32_t found)
{
	if (!kube_constraint_scores(s->constraint, pod))
		return NULL;
	for (uint32_t i = 0; i < found; i++) {
		s->found_nodes[i] = s->order[s->found[i]];
		s->scores[i] = 0;
	}
	kube_constraint_score(s->constraint, s->found_nodes, found, s->scores);
	return s->scores;
}

static uint32_t choose(struct kube_search *s, const struct kube_group *group,
		       const struct values *values, uint32_t pod, uint32_t found)
{
	const int *more = constraint_scores(s, pod, found);
	uint32_t most = most_avoided(s, group, found), best = NODE_NONE, ties = 0;
	int weight = profile_of(s->world->scenario, &s->world->scenario->shapes[group->shape])
			     ->weights[PLUGIN_TAINTS];
	int best_score = -1;

	for (uint32_t i = 0; i < found; i++) {
		uint32_t node = s->order[s->found[i]];
		int score = worth_at(values, s->found[i]) + (more != NULL ? more[i] : 0);

		if (most != 0)
			score += weight * taint_score(group->avoid[node], most);
		if (score > best_score) {
			best_score = score;
			best = node;
			ties = 1;
		} else if (score == best_score && takes_tie(s, node, best, ++ties)) {
			best = node;
		}
	}
	return best;
}

/* Where a search is. */
struct walk {
	uint32_t at, seen, found, best;
	int best_score;
};

static void offer(struct walk *walk, int score, uint32_t node)
{
	if (beats(score, node, walk->best_score, walk->best)) {
		walk->best_score = score;
		walk->best = node;
	}
}

/* Whole blocks at once, from the beginning of one on, to the end of the order, the last
 * whole one before the search's start, or the one with whose nodes it may stop. */
static void skip_blocks(const struct kube_search *s, const struct values *values, struct walk *walk,
			uint32_t limit)
{
	uint32_t nodes = s->count - (walk->at > walk->seen ? walk->at : walk->seen);
	const struct block *block = &values->blocks[walk->at / BLOCK];
	const struct block *end = block + nodes / BLOCK;
	const struct block *from = block;

	if (walk->at % BLOCK != 0)
		return;
	for (; block < end && walk->found + block->room < limit; block++) {
		walk->found += block->room;
		offer(walk, block->score, block->node);
	}
	walk->seen += (uint32_t)(block - from) * BLOCK;
	walk->at += (uint32_t)(block - from) * BLOCK;
}

/* Those of the rest of the block, or as many of them as the search still wants. */
static void walk_block(const struct kube_search *s, const struct values *values, struct walk *walk,
		       uint32_t limit)
{
	uint32_t end = (walk->at / BLOCK + 1) * BLOCK;
	uint32_t rooms = (uint32_t)values->blocks[walk->at / BLOCK].rooms >> walk->at % BLOCK;

	end = end > s->count ? s->count : end;
	end = end - walk->at > s->count - walk->seen ? walk->at + s->count - walk->seen : end;
	for (; rooms != 0; rooms &= rooms - 1) {
		uint32_t at = walk->at + (uint32_t)__builtin_ctz(rooms);

		if (at >= end)
			break;
		offer(walk, values->scores[at], s->order[at]);
		if (++walk->found == limit)
			end = at + 1;
	}
	walk->seen += end - walk->at;
	walk->at = end;
}

/* The rooms of a word from a position on. */
static uint64_t rooms_from(const struct kube_rung *rung, uint32_t at)
{
	return rung->rooms[at / WORD] >> at % WORD << at % WORD;
}

/* The first position with room from here on; the count of nodes if there is none. */
static uint32_t next_room(const struct kube_search *s, const struct kube_rung *rung, uint32_t at)
{
	uint32_t word = at / WORD, last = (s->count - 1) / WORD;
	uint64_t rooms = rooms_from(rung, at);

	while (rooms == 0 && word < last)
		rooms = rung->rooms[++word];
	return rooms == 0 ? s->count : word * WORD + (uint32_t)__builtin_ctzll(rooms);
}

/* The position with the n-th room (n >= 1) from a place on, if there are so many before the
 * end; else the count of nodes, and *n is what is still to be counted. */
static uint32_t nth_room(const struct kube_search *s, const struct kube_rung *rung, uint32_t at,
			 uint32_t *n)
{
	uint32_t word = at / WORD, last = (s->count - 1) / WORD;
	uint64_t rooms = rooms_from(rung, at);

	for (;; rooms = rung->rooms[++word]) {
		uint32_t here = (uint32_t)__builtin_popcountll(rooms);

		if (here >= *n)
			break;
		*n -= here;
		if (word == last)
			return s->count;
	}
	for (; *n > 1; --*n)
		rooms &= rooms - 1;
	return word * WORD + (uint32_t)__builtin_ctzll(rooms);
}

/* Where all nodes are worth the same: the first one with room, of those that the search
 * comes to. It ends with the limit-th, which may lie before its start; with fewer rooms all
 * are looked at, and the next search begins here again. */
static uint32_t first_room(struct kube_search *s, const struct kube_rung *rung, uint32_t limit)
{
	uint32_t from = s->start, end;

	if (rung->room < limit)
		return s->order[next_room(s, rung, 0)];
	end = nth_room(s, rung, from, &limit);
	if (end == s->count) {
		end = nth_room(s, rung, 0, &limit);
		from = 0;
	}
	stop_at(s, end);
	return s->order[next_room(s, rung, from)];
}

/* gather and choose in one pass, for the usual case: nobody is nominated, no
 * preferred taints, the first of equals. Equal to the two (tests/sim). */
static uint32_t first_best(struct kube_search *s, const struct values *values, uint32_t limit)
{
	struct walk walk = {.at = s->start, .best = NODE_NONE, .best_score = NO_ROOM};

	while (walk.seen < s->count && walk.found < limit) {
		skip_blocks(s, values, &walk, limit);
		if (walk.at < s->count && walk.seen < s->count)
			walk_block(s, values, &walk, limit);
		if (walk.at == s->count)
			walk.at = 0;
	}
	s->start = walk.at;
	return walk.best;
}

/* The same where not all nodes suit. */
static uint32_t first_best_of(struct kube_search *s, const struct reach *reach,
			      const struct values *values, uint32_t limit)
{
	struct walk walk = {.best = NODE_NONE, .best_score = NO_ROOM};
	uint32_t first = first_of(s, reach);

	for (uint32_t i = 0; i < reach->count; i++) {
		uint32_t here = position_at(s, reach, first, i);

		if (worth_at(values, here) == NO_ROOM)
			continue;
		offer(&walk, worth_at(values, here), s->order[here]);
		if (++walk.found == limit) {
			stop_at(s, here);
			break;
		}
	}
	return walk.best;
}

bool kube_search_is_full(struct kube_search *s, uint32_t group)
{
	return s->count == 0 || current_values(s, reach_of(s, group)->values)->room == 0;
}

uint32_t kube_search_find(struct kube_search *s, uint32_t group, uint32_t pod, int32_t priority)
{
	bool touched = s->constraint != NULL && (kube_constraint_filters(s->constraint, pod) ||
						 kube_constraint_scores(s->constraint, pod));
	const struct values *values;
	const struct reach *reach;
	uint32_t found, limit;

	if (s->count == 0)
		return NODE_NONE;
	reach = reach_of(s, group);
	values = current_values(s, reach->values);
	if (values->room == 0 || reach->count == 0)
		return NODE_NONE; /* all were looked at: the next search begins here again */
	limit = values->limit;
	if (s->filter->count == 0 && s->rng == NULL && !touched &&
	    !kube_match_at(s->match, group)->avoids)
		return reach->suits != NULL	? first_best_of(s, reach, values, limit)
		       : values->ladder != NULL ? first_room(s, values->rung, limit)
						: first_best(s, values, limit);
	if (touched)
		kube_constraint_begin(s->constraint, pod, group);
	found = gather(s, reach, pod, priority);
	if (found < 2)
		return found == 0 ? NODE_NONE : s->order[s->found[0]];
	return choose(s, kube_match_at(s->match, group), values, pod, found);
}
