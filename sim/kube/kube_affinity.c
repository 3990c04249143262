#include "sim/kube/kube_affinity.h"

#include <string.h>

#define SCORE_FULL 100

/* What a pod on a node counts for: pods to be near, pods to be far from, pods that
 * want to be far from this one, and draw. */
enum counted { NEAR, FAR, FROM_OTHERS, DRAW, COUNTED };

/* Each pod of the other kind adds amount in its domain. */
struct relation {
	uint32_t other;
	uint32_t topology;
	enum counted what;
	int32_t amount;
};

struct kind_relations {
	struct relation *items; /* ascending by other */
	size_t capacity;
	uint32_t count;
	bool known, filters, scores;
	bool requires;	     /* has required terms of its own */
	bool near;	     /* affinity is among them */
	bool selects_itself; /* by all its required affinity terms */
};

struct kube_affinity {
	const struct kube_peers *peers;
	struct kind_relations *kinds;
	uint32_t *carriers; /* kinds that have terms */
	uint32_t carrier_count;
	int64_t *counts[COUNTED];
	size_t capacity[COUNTED];
	uint32_t *first; /* per topology: of its domains in counts; one more at the end */
	bool begun;	 /* counts are those of kind, and are kept up to date */
	uint32_t kind;	 /* the one that is asked about */
	int64_t near;	 /* sum of counts[NEAR] */
	int64_t others;	 /* sum of counts[FROM_OTHERS], of pods that are there */
};

/* ---- who counts for whom ---- */

static void add(struct kube_affinity *a, struct kind_relations *r, uint32_t other,
		const struct pod_term *term, enum counted what, int32_t amount)
{
	r->items = mem_grow(r->items, r->count + 1u, &r->capacity, sizeof(*r->items));
	r->items[r->count++] =
		(struct relation){.other = other,
				  .topology = kube_peers_topology(a->peers, term->topology_key),
				  .what = what,
				  .amount = amount};
}

/* Is the other selected by all of the kind's required affinity terms? */
static bool wanted_near(const struct kube_peers *p, uint32_t kind, uint32_t other)
{
	const struct pod_constraints *c = p->kinds[kind].constraints;
	bool any = false;

	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		if (c->terms[i].weight != 0 || c->terms[i].anti)
			continue;
		if (!kube_peers_selected(p, &c->terms[i], kind, other))
			return false;
		any = true;
	}
	return any;
}

static void own_terms(struct kube_affinity *a, uint32_t kind, uint32_t other)
{
	const struct pod_constraints *c = a->peers->kinds[kind].constraints;
	struct kind_relations *r = &a->kinds[kind];
	bool near = wanted_near(a->peers, kind, other);

	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		const struct pod_term *t = &c->terms[i];

		if (t->weight == 0 && !t->anti) {
			if (near)
				add(a, r, other, t, NEAR, 1);
		} else if (kube_peers_selected(a->peers, t, kind, other)) {
			if (t->weight == 0)
				add(a, r, other, t, FAR, 1);
			else
				add(a, r, other, t, DRAW, t->anti ? -t->weight : t->weight);
		}
	}
}

static void terms_of_other(struct kube_affinity *a, uint32_t kind, uint32_t other)
{
	const struct pod_constraints *c = a->peers->kinds[other].constraints;
	const struct scheduler_profile *p = kube_peers_profile(a->peers, kind);
	struct kind_relations *r = &a->kinds[kind];

	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		const struct pod_term *t = &c->terms[i];

		if (!kube_peers_selected(a->peers, t, other, kind))
			continue;
		if (t->weight != 0)
			add(a, r, other, t, DRAW, t->anti ? -t->weight : t->weight);
		else if (t->anti)
			add(a, r, other, t, FROM_OTHERS, 1);
		else
			add(a, r, other, t, DRAW, p->hard_affinity);
	}
}

static bool has_terms(const struct kube_kind *kind)
{
	return kind->constraints != NULL && kind->constraints->term_count != 0;
}

static bool prefers(const struct pod_constraints *c)
{
	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		if (c->terms[i].weight != 0)
			return true;
	}
	return false;
}

static void flag(struct kube_affinity *a, uint32_t kind)
{
	const struct pod_constraints *c = a->peers->kinds[kind].constraints;
	struct kind_relations *r = &a->kinds[kind];

	const struct scheduler_profile *p = kube_peers_profile(a->peers, kind);

	for (uint32_t i = 0; i < r->count; i++) {
		r->filters = r->filters || r->items[i].what != DRAW;
		r->scores = r->scores || r->items[i].what == DRAW;
	}
	/* An affinity that nobody could meet rejects too. */
	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		r->requires = r->requires || c->terms[i].weight == 0;
		r->near = r->near || (c->terms[i].weight == 0 && !c->terms[i].anti);
	}
	r->filters = (r->filters || r->requires) && p->filters[PLUGIN_POD_AFFINITY];
	/* Without preferences of its own it may be told to pass over those of others. */
	r->scores = r->scores && p->weights[PLUGIN_POD_AFFINITY] != 0 &&
		    (prefers(c) || !p->ignores_others);
	r->selects_itself = wanted_near(a->peers, kind, kind);
	r->known = true;
}

/* Found out when first asked for: with a million kinds few ever are. */
static struct kind_relations *relations(struct kube_affinity *a, uint32_t kind)
{
	struct kind_relations *r = &a->kinds[kind];

	if (r->known)
		return r;
	if (has_terms(&a->peers->kinds[kind])) {
		for (uint32_t other = 0; other < a->peers->kind_count; other++) {
			own_terms(a, kind, other);
			terms_of_other(a, kind, other);
		}
	} else {
		for (uint32_t i = 0; i < a->carrier_count; i++)
			terms_of_other(a, kind, a->carriers[i]);
	}
	flag(a, kind);
	return r;
}

struct kube_affinity *kube_affinity_new(const struct kube_peers *peers)
{
	struct kube_affinity *a = mem_calloc(1, sizeof(*a));

	a->peers = peers;
	a->kinds = mem_calloc(peers->kind_count, sizeof(*a->kinds));
	a->carriers = mem_calloc(peers->kind_count, sizeof(*a->carriers));
	a->first = mem_calloc(peers->topology_count + 1u, sizeof(*a->first));
	for (uint32_t i = 0; i < peers->kind_count; i++) {
		if (has_terms(&peers->kinds[i]))
			a->carriers[a->carrier_count++] = i;
	}
	return a;
}

void kube_affinity_free(struct kube_affinity *a)
{
	if (a == NULL)
		return;
	for (uint32_t i = 0; i < a->peers->kind_count; i++)
		mem_free(a->kinds[i].items);
	for (int i = 0; i < COUNTED; i++)
		mem_free(a->counts[i]);
	mem_free(a->kinds);
	mem_free(a->carriers);
	mem_free(a->first);
	mem_free(a);
}

bool kube_affinity_filters(struct kube_affinity *a, uint32_t kind)
{
	return relations(a, kind)->filters;
}

bool kube_affinity_scores(struct kube_affinity *a, uint32_t kind)
{
	return relations(a, kind)->scores;
}

/* ---- counting ---- */

static void clear(struct kube_affinity *a)
{
	uint32_t domains = 0;

	for (uint32_t i = 0; i < a->peers->topology_count; i++) {
		a->first[i] = domains;
		domains += a->peers->topologies[i].domain_count;
	}
	a->first[a->peers->topology_count] = domains;
	for (int i = 0; i < COUNTED; i++) {
		a->counts[i] = mem_grow(a->counts[i], domains + 1u, &a->capacity[i],
					sizeof(*a->counts[i]));
		memset(a->counts[i], 0, (domains + 1u) * sizeof(*a->counts[i]));
	}
	a->near = a->others = 0;
}

static void count(struct kube_affinity *a, const struct relation *r, uint32_t node, int64_t pods)
{
	uint32_t domain = a->peers->topologies[r->topology].domain[node];

	if (domain == PEERS_NO_DOMAIN)
		return;
	a->counts[r->what][a->first[r->topology] + domain] += pods * r->amount;
	if (r->what == NEAR)
		a->near += pods;
	if (r->what == FROM_OTHERS)
		a->others += pods;
}

void kube_affinity_begin(struct kube_affinity *a, uint32_t kind)
{
	const struct kind_relations *r = relations(a, kind);

	if (a->begun && a->kind == kind)
		return;
	a->begun = true;
	a->kind = kind;
	if (r->count != 0 || r->filters)
		clear(a);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct kube_kind *other = &a->peers->kinds[r->items[i].other];

		for (uint32_t k = 0; k < other->spot_count; k++)
			count(a, &r->items[i], other->spots[k].node, other->spots[k].pods);
	}
}

/* The first relation with this kind or a later one. */
static uint32_t find(const struct kind_relations *r, uint32_t other)
{
	uint32_t low = 0, high = r->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (r->items[middle].other < other)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void kube_affinity_moved(struct kube_affinity *a, uint32_t other, uint32_t node, int delta)
{
	const struct kind_relations *r = &a->kinds[a->kind];

	for (uint32_t i = a->begun ? find(r, other) : r->count;
	     i < r->count && r->items[i].other == other; i++)
		count(a, &r->items[i], node, delta);
}

void kube_affinity_shift(struct kube_affinity *a, uint32_t other, uint32_t node, int delta)
{
	int64_t others = a->others;

	kube_affinity_moved(a, other, node, delta);
	a->others = others;
}

void kube_affinity_nodes_changed(struct kube_affinity *a)
{
	a->begun = false;
}

/* ---- filter ---- */

static int64_t counted(const struct kube_affinity *a, enum counted what, uint32_t topology,
		       uint32_t node)
{
	uint32_t domain = a->peers->topologies[topology].domain[node];

	return domain == PEERS_NO_DOMAIN ? 0 : a->counts[what][a->first[topology] + domain];
}

/* Every domain must be there; every domain must hold one, or there is none at all
 * and the pod begins a group of such pods. */
static bool near_enough(const struct kube_affinity *a, const struct pod_constraints *c,
			uint32_t node)
{
	bool all = true;

	for (uint32_t i = 0; i < c->term_count; i++) {
		uint32_t topology;

		if (c->terms[i].weight != 0 || c->terms[i].anti)
			continue;
		topology = kube_peers_topology(a->peers, c->terms[i].topology_key);
		if (a->peers->topologies[topology].domain[node] == PEERS_NO_DOMAIN)
			return false;
		all = all && counted(a, NEAR, topology, node) > 0;
	}
	return all || (a->near == 0 && a->kinds[a->kind].selects_itself);
}

bool kube_affinity_can_refuse(const struct kube_affinity *a)
{
	const struct kind_relations *r = &a->kinds[a->kind];

	return r->filters && (r->requires || a->others != 0);
}

enum kube_affinity_verdict kube_affinity_judge(const struct kube_affinity *a, uint32_t node)
{
	const struct pod_constraints *c = a->peers->kinds[a->kind].constraints;

	if (!kube_affinity_can_refuse(a))
		return AFFINITY_FINE;
	if (a->kinds[a->kind].near && !near_enough(a, c, node))
		return AFFINITY_UNMET;
	for (uint32_t i = 0; i < a->peers->topology_count; i++) {
		if (counted(a, FAR, i, node) > 0)
			return AFFINITY_REPELS;
	}
	for (uint32_t i = 0; i < a->peers->topology_count; i++) {
		if (counted(a, FROM_OTHERS, i, node) > 0)
			return AFFINITY_REPELLED;
	}
	return AFFINITY_FINE;
}

/* ---- score ---- */

static int64_t draw(const struct kube_affinity *a, uint32_t node)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < a->peers->topology_count; i++)
		sum += counted(a, DRAW, i, node);
	return sum;
}

void kube_affinity_score(const struct kube_affinity *a, const uint32_t *nodes, uint32_t count,
			 int weight, int *scores)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	if (!a->kinds[a->kind].scores)
		return;
	for (uint32_t i = 0; i < count; i++) {
		int64_t d = draw(a, nodes[i]);

		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	if (most <= least)
		return;
	for (uint32_t i = 0; i < count; i++) {
		/* Doubles, in this order, as kube-scheduler has it. */
		double share = (double)(draw(a, nodes[i]) - least) / (double)(most - least);

		scores[i] += weight * (int)((double)SCORE_FULL * share);
	}
}

/* ---- hints ---- */

bool kube_affinity_helped(struct kube_affinity *a, uint32_t kind, uint32_t other, bool came)
{
	const struct pod_constraints *c = a->peers->kinds[kind].constraints;
	bool any = false;

	if (came)
		return wanted_near(a->peers, kind, other);
	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		if (c->terms[i].weight != 0 || !c->terms[i].anti)
			continue;
		if (!kube_peers_selected(a->peers, &c->terms[i], kind, other))
			return false;
		any = true;
	}
	return any;
}
