#include "sim/kube/kube_spread.h"

#include <math.h>
#include <string.h>

#define SCORE_FULL 100
#define HOSTNAME   "kubernetes.io/hostname"
#define NO_GROUP   UINT32_MAX

/* One constraint of the kind that is asked about. */
struct tally {
	const struct spread_constraint *spread;
	const struct kube_topology *topology;
	bool by_node; /* its domains are the nodes */
	int64_t *counts;
	uint8_t *here; /* per domain: an eligible node is in it */
	size_t count_capacity, here_capacity;
	uint32_t domains; /* of them */
	int64_t least;	  /* of any domain */
	bool itself;	  /* it counts the pod that is asked about */
	double weight;	  /* for scoring */
};

/* The hard, or the soft constraints of the kind. */
struct tally_set {
	struct tally *tallies;
	size_t capacity;
	uint32_t count;
};

enum { AFFINITY_OK = 1, TAINTS_OK = 2 };

struct kube_spread {
	const struct kube_peers *peers;
	const struct kube_match *match;
	uint32_t hostname; /* string; NAME_NONE */
	struct tally_set hard, soft;
	bool begun; /* counts are those of kind and group, and are kept up to date */
	uint32_t kind, group;
	uint32_t judged;  /* the group that policy is for; NO_GROUP */
	bool stale;	  /* least has to be found again */
	uint8_t *policy;  /* per node: AFFINITY_OK, TAINTS_OK for the group */
	uint8_t *ignored; /* per node found: no score */
	int64_t *raw;	  /* per node found */
};

struct kube_spread *kube_spread_new(const struct kube_peers *peers, const struct kube_match *match)
{
	struct kube_spread *s = mem_calloc(1, sizeof(*s));
	uint32_t nodes = peers->world->node_count;

	s->judged = NO_GROUP;
	s->peers = peers;
	s->match = match;
	s->hostname = name_find(peers->world->scenario->strings, HOSTNAME);
	s->policy = mem_calloc(nodes, sizeof(*s->policy));
	s->ignored = mem_calloc(nodes, sizeof(*s->ignored));
	s->raw = mem_calloc(nodes, sizeof(*s->raw));
	return s;
}

static void free_set(struct tally_set *set)
{
	for (size_t i = 0; i < set->capacity; i++) {
		mem_free(set->tallies[i].counts);
		mem_free(set->tallies[i].here);
	}
	mem_free(set->tallies);
}

void kube_spread_free(struct kube_spread *s)
{
	if (s == NULL)
		return;
	free_set(&s->hard);
	free_set(&s->soft);
	mem_free(s->policy);
	mem_free(s->ignored);
	mem_free(s->raw);
	mem_free(s);
}

static bool has_any(const struct kube_spread *s, uint32_t kind, bool hard)
{
	const struct pod_constraints *c = s->peers->kinds[kind].constraints;

	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		if (c->spreads[i].hard == hard)
			return true;
	}
	return false;
}

bool kube_spread_filters(const struct kube_spread *s, uint32_t kind)
{
	return kube_peers_profile(s->peers, kind)->filters[PLUGIN_SPREAD] && has_any(s, kind, true);
}

bool kube_spread_scores(const struct kube_spread *s, uint32_t kind)
{
	return kube_peers_profile(s->peers, kind)->weights[PLUGIN_SPREAD] != 0 &&
	       has_any(s, kind, false);
}

/* ---- what is counted ---- */

static struct tally *add_tally(struct tally_set *set)
{
	size_t before = set->capacity;

	set->tallies =
		mem_grow(set->tallies, set->count + 1u, &set->capacity, sizeof(*set->tallies));
	if (set->capacity != before)
		memset(&set->tallies[before], 0, (set->capacity - before) * sizeof(*set->tallies));
	return &set->tallies[set->count++];
}

static void open_tally(const struct kube_spread *s, struct tally *t,
		       const struct spread_constraint *spread)
{
	uint32_t domains;

	t->spread = spread;
	t->topology = &s->peers->topologies[kube_peers_topology(s->peers, spread->topology_key)];
	t->by_node = spread->topology_key == s->hostname;
	t->itself = kube_peers_counted(s->peers, spread, s->kind, s->kind);
	domains = t->topology->domain_count;
	t->counts = mem_grow(t->counts, domains + 1u, &t->count_capacity, sizeof(*t->counts));
	t->here = mem_grow(t->here, domains + 1u, &t->here_capacity, 1);
	memset(t->counts, 0, (domains + 1u) * sizeof(*t->counts));
	memset(t->here, 0, domains + 1u);
}

/* The constraints of the kind, with empty counts. */
static void open_tallies(struct kube_spread *s)
{
	const struct pod_constraints *c = s->peers->kinds[s->kind].constraints;

	s->hard.count = s->soft.count = 0;
	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		if (c->spreads[i].hard && !kube_spread_filters(s, s->kind))
			continue;
		open_tally(s, add_tally(c->spreads[i].hard ? &s->hard : &s->soft), &c->spreads[i]);
	}
}

void kube_spread_nodes_changed(struct kube_spread *s)
{
	s->judged = NO_GROUP;
	s->begun = false;
}

static void judge_policies(struct kube_spread *s)
{
	if (s->judged == s->group)
		return;
	s->judged = s->group;
	for (uint32_t node = 0; node < s->peers->world->node_count; node++) {
		s->policy[node] = 0;
		if (kube_match_labels(s->match, s->group, node))
			s->policy[node] |= AFFINITY_OK;
		if (kube_match_tolerates(s->match, s->group, node))
			s->policy[node] |= TAINTS_OK;
	}
}

static bool included(const struct kube_spread *s, const struct tally *t, uint32_t node)
{
	uint8_t p = s->policy[node];

	return (t->spread->ignores_affinity || (p & AFFINITY_OK) != 0) &&
	       (!t->spread->honors_taints || (p & TAINTS_OK) != 0);
}

/* Has the node every label that one of the constraints divides by? */
static bool labelled(const struct tally_set *set, uint32_t node)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->tallies[i].topology->domain[node] == PEERS_NO_DOMAIN)
			return false;
	}
	return true;
}

/* The selector {} selects every pod, and counts none: kube-scheduler has it so. But it
 * takes victims and nominated pods into account. */
static bool selects_nothing(const struct spread_constraint *spread)
{
	return spread->selector.match_labels.count == 0 && spread->selector.expression_count == 0;
}

/* Pods of every kind that the constraint counts, on nodes for which let holds. */
typedef bool counts_node(const struct kube_spread *s, const struct tally *t, uint32_t node);

static void count_pods(struct kube_spread *s, struct tally *t, counts_node *let)
{
	if (selects_nothing(t->spread))
		return;
	for (uint32_t k = 0; k < s->peers->kind_count; k++) {
		const struct kube_kind *kind = &s->peers->kinds[k];

		if (kind->spot_count == 0 || !kube_peers_counted(s->peers, t->spread, s->kind, k))
			continue;
		for (uint32_t i = 0; i < kind->spot_count; i++) {
			const struct kube_spot *spot = &kind->spots[i];

			if (let(s, t, spot->node))
				t->counts[t->topology->domain[spot->node]] +=
					spot->pods - spot->leaving;
		}
	}
}

/* ---- whom a score counts ---- */

/* The system's own constraints do without some labels. */
static bool needs_all_labels(const struct kube_spread *s)
{
	return !s->soft.tallies[0].spread->system;
}

/* Counting goes over all nodes, found or not; that of a node's own pods is not
 * subject to the inclusion policies. */
static bool scored(const struct kube_spread *s, const struct tally *t, uint32_t node)
{
	if (t->topology->domain[node] == PEERS_NO_DOMAIN)
		return false;
	if (t->by_node)
		return true;
	return (!needs_all_labels(s) || labelled(&s->soft, node)) && included(s, t, node);
}

/* ---- filter ---- */

static bool eligible(const struct kube_spread *s, const struct tally *t, uint32_t node)
{
	return kube_match_present(s->peers->world, node) && labelled(&s->hard, node) &&
	       included(s, t, node);
}

static void find_least(struct kube_spread *s)
{
	for (uint32_t i = 0; i < s->hard.count; i++) {
		struct tally *t = &s->hard.tallies[i];

		t->least = INT64_MAX;
		for (uint32_t d = 0; d < t->topology->domain_count; d++) {
			if (t->here[d] && t->counts[d] < t->least)
				t->least = t->counts[d];
		}
		if (t->domains < (uint32_t)t->spread->min_domains)
			t->least = 0;
	}
	s->stale = false;
}

static void find_domains(const struct kube_spread *s, struct tally *t)
{
	t->domains = 0;
	for (uint32_t node = 0; node < s->peers->world->node_count; node++) {
		if (!eligible(s, t, node) || t->here[t->topology->domain[node]])
			continue;
		t->here[t->topology->domain[node]] = 1;
		t->domains++;
	}
}

void kube_spread_begin(struct kube_spread *s, uint32_t kind, uint32_t group)
{
	if (s->begun && s->kind == kind && s->group == group)
		return;
	s->kind = kind;
	s->group = group;
	s->begun = s->stale = true;
	open_tallies(s);
	if (s->hard.count + s->soft.count == 0)
		return;
	judge_policies(s);
	for (uint32_t i = 0; i < s->hard.count; i++) {
		find_domains(s, &s->hard.tallies[i]);
		count_pods(s, &s->hard.tallies[i], eligible);
	}
	for (uint32_t i = 0; i < s->soft.count; i++)
		count_pods(s, &s->soft.tallies[i], scored);
}

/* A pod came or went; supposed: as if it did. */
struct move {
	uint32_t other, node;
	int delta;
	bool supposed;
};

static bool shift(struct kube_spread *s, const struct tally_set *set, counts_node *let,
		  const struct move *m)
{
	bool any = false;

	for (uint32_t i = 0; i < set->count; i++) {
		struct tally *t = &set->tallies[i];

		if (!m->supposed && selects_nothing(t->spread))
			continue;
		if (!kube_peers_counted(s->peers, t->spread, s->kind, m->other) ||
		    !let(s, t, m->node))
			continue;
		t->counts[t->topology->domain[m->node]] += m->delta;
		any = true;
	}
	return any;
}

void kube_spread_shift(struct kube_spread *s, uint32_t other, uint32_t node, int delta)
{
	const struct move m = {.other = other, .node = node, .delta = delta, .supposed = true};

	if (shift(s, &s->hard, eligible, &m))
		s->stale = true;
}

void kube_spread_moved(struct kube_spread *s, uint32_t other, uint32_t node, int delta)
{
	const struct move m = {.other = other, .node = node, .delta = delta};

	if (!s->begun)
		return;
	if (shift(s, &s->hard, eligible, &m))
		s->stale = true;
	shift(s, &s->soft, scored, &m);
}

enum kube_spread_verdict kube_spread_judge(struct kube_spread *s, uint32_t node)
{
	if (s->stale)
		find_least(s);
	for (uint32_t i = 0; i < s->hard.count; i++) {
		const struct tally *t = &s->hard.tallies[i];
		uint32_t domain = t->topology->domain[node];

		if (domain == PEERS_NO_DOMAIN)
			return SPREAD_UNLABELLED;
		if (t->counts[domain] + t->itself - t->least > t->spread->max_skew)
			return SPREAD_SKEWED;
	}
	return SPREAD_FINE;
}

/* ---- score ---- */

static void weigh(struct kube_spread *s, const uint32_t *nodes, uint32_t count)
{
	uint32_t rated = 0;

	for (uint32_t i = 0; i < count; i++) {
		s->ignored[i] = needs_all_labels(s) && !labelled(&s->soft, nodes[i]);
		rated += !s->ignored[i];
	}
	for (uint32_t k = 0; k < s->soft.count; k++) {
		struct tally *t = &s->soft.tallies[k];
		uint32_t without = t->topology->domain_count; /* nodes without label are one */

		if (t->by_node) {
			t->weight = log((double)(rated + 2));
			continue;
		}
		t->domains = 0;
		memset(t->here, 0, without + 1u);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t domain = t->topology->domain[nodes[i]];

			if (s->ignored[i])
				continue;
			domain = domain == PEERS_NO_DOMAIN ? without : domain;
			t->domains += !t->here[domain];
			t->here[domain] = 1;
		}
		t->weight = log((double)(t->domains + 2));
	}
}

static int64_t raw_score(const struct kube_spread *s, uint32_t node)
{
	double sum = 0.0;

	for (uint32_t k = 0; k < s->soft.count; k++) {
		const struct tally *t = &s->soft.tallies[k];
		uint32_t domain = t->topology->domain[node];

		if (domain != PEERS_NO_DOMAIN)
			sum += (double)t->counts[domain] * t->weight +
			       (double)(t->spread->max_skew - 1);
	}
	return (int64_t)round(sum);
}

static void normalise(const struct kube_spread *s, const int64_t *raw, uint32_t count, int weight,
		      int *scores)
{
	int64_t least = INT64_MAX, most = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (s->ignored[i])
			continue;
		least = raw[i] < least ? raw[i] : least;
		most = raw[i] > most ? raw[i] : most;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (s->ignored[i])
			continue;
		scores[i] +=
			weight * (most == 0 ? SCORE_FULL
					    : (int)(SCORE_FULL * (most + least - raw[i]) / most));
	}
}

void kube_spread_score(struct kube_spread *s, const uint32_t *nodes, uint32_t count, int weight,
		       int *scores)
{
	if (s->soft.count == 0)
		return;
	weigh(s, nodes, count);
	for (uint32_t i = 0; i < count; i++)
		s->raw[i] = s->ignored[i] ? 0 : raw_score(s, nodes[i]);
	normalise(s, s->raw, count, weight, scores);
}

/* ---- hints ---- */

bool kube_spread_helped(const struct kube_spread *s, uint32_t kind, uint32_t other)
{
	const struct pod_constraints *c = s->peers->kinds[kind].constraints;

	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		if (c->spreads[i].hard && kube_peers_counted(s->peers, &c->spreads[i], kind, other))
			return true;
	}
	return false;
}
