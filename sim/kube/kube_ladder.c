#include "sim/kube/kube_ladder.h"

#include <string.h>

#include "core/mem.h"

struct kube_ladder {
	const struct kube_filter *filter;
	const uint32_t *order, *position;
	uint32_t resource;
	uint32_t count;	   /* positions */
	int64_t *capacity; /* per position; INT64_MAX: without limit */
	uint8_t *level;	   /* per position: how many of the requests fit */
	uint64_t seen;	   /* changes taken into account */
	uint32_t rung_count;
	int64_t requests[KUBE_LADDER_RUNGS]; /* ascending */
	struct kube_rung *rungs[KUBE_LADDER_RUNGS];
};

struct kube_ladder *kube_ladder_new(const struct kube_filter *filter, uint32_t resource,
				    const uint32_t *order, const uint32_t *position)
{
	struct kube_ladder *l = mem_calloc(1, sizeof(*l));

	l->filter = filter;
	l->resource = resource;
	l->order = order;
	l->position = position;
	l->capacity = mem_calloc(filter->world->node_count, sizeof(*l->capacity));
	l->level = mem_calloc(filter->world->node_count, sizeof(*l->level));
	return l;
}

static void free_rungs(struct kube_ladder *l)
{
	for (uint32_t i = 0; i < l->rung_count; i++) {
		mem_free(l->rungs[i]->rooms);
		mem_free(l->rungs[i]);
	}
	l->rung_count = 0;
}

void kube_ladder_free(struct kube_ladder *l)
{
	if (l == NULL)
		return;
	free_rungs(l);
	mem_free(l->capacity);
	mem_free(l->level);
	mem_free(l);
}

void kube_ladder_reset(struct kube_ladder *l, uint32_t count)
{
	const struct world *w = l->filter->world;

	free_rungs(l);
	l->count = count;
	for (uint32_t at = 0; at < count; at++) {
		int64_t capacity = w->nodes[l->order[at]].allocatable[l->resource];

		l->capacity[at] = capacity == RES_UNLIMITED ? INT64_MAX : capacity;
		l->level[at] = 0;
	}
	l->seen = l->filter->changes;
}

/* ---- a node moves ---- */

/* What is in use is never below 0, so that nothing overflows. */
static inline void move(struct kube_ladder *l, uint32_t node, uint32_t at)
{
	int64_t left = l->capacity[at] - cluster_row(&l->filter->world->usage, node)[l->resource];
	uint32_t level = l->level[at], word = at / KUBE_LADDER_WORD;
	uint64_t bit = UINT64_C(1) << at % KUBE_LADDER_WORD;

	for (; level < l->rung_count && l->requests[level] <= left; level++) {
		l->rungs[level]->rooms[word] |= bit;
		l->rungs[level]->room++;
	}
	for (; level > 0 && l->requests[level - 1] > left; level--) {
		l->rungs[level - 1]->rooms[word] &= ~bit;
		l->rungs[level - 1]->room--;
	}
	l->level[at] = (uint8_t)level;
}

static void move_all(struct kube_ladder *l)
{
	for (uint32_t at = 0; at < l->count; at++)
		move(l, l->order[at], at);
	l->seen = l->filter->changes;
}

/* Pods also leave a node that left the cluster before them. */
void kube_ladder_follow(struct kube_ladder *l)
{
	uint64_t changes = l->filter->changes;

	if (changes - l->seen > KUBE_CHANGES) {
		move_all(l);
		return;
	}
	for (; l->seen < changes; l->seen++) {
		uint32_t node = l->filter->changed[l->seen % KUBE_CHANGES];

		if (l->position[node] != NODE_NONE)
			move(l, node, l->position[node]);
	}
}

/* ---- a request comes ---- */

/* All nodes come down from the ladder, and up again with the new rung in it. */
static void insert(struct kube_ladder *l, uint32_t place, struct kube_rung *rung)
{
	memmove(&l->rungs[place + 1], &l->rungs[place],
		(l->rung_count - place) * sizeof(*l->rungs));
	memmove(&l->requests[place + 1], &l->requests[place],
		(l->rung_count - place) * sizeof(*l->requests));
	l->rungs[place] = rung;
	l->requests[place] = rung->request;
	l->rung_count++;
	for (uint32_t i = 0; i < l->rung_count; i++) {
		l->rungs[i]->room = 0;
		memset(l->rungs[i]->rooms, 0,
		       (l->count / KUBE_LADDER_WORD + 1) * sizeof(*rung->rooms));
	}
	memset(l->level, 0, l->count);
	move_all(l);
}

const struct kube_rung *kube_ladder_rung(struct kube_ladder *l, int64_t request)
{
	struct kube_rung *rung;
	uint32_t place = 0;

	while (place < l->rung_count && l->requests[place] < request)
		place++;
	if (place < l->rung_count && l->requests[place] == request)
		return l->rungs[place];
	if (l->rung_count == KUBE_LADDER_RUNGS)
		return NULL;
	rung = mem_calloc(1, sizeof(*rung));
	rung->request = request;
	rung->rooms = mem_calloc(l->count / KUBE_LADDER_WORD + 1, sizeof(*rung->rooms));
	insert(l, place, rung);
	return rung;
}
