#include "sim/engine/deadlock_terms.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kube/kube_peers.h"

#define ANY_JOB UINT32_MAX

struct deadlock_terms {
	const struct world *world;
	const struct kube_match *match;
	struct kube_peers *peers; /* of the pods that stay */
	uint32_t *owner;	  /* per kind: the only job that has such pods; ANY_JOB */
	bool *repels;		  /* per kind: has required anti-affinity */
	uint8_t *closed;	  /* per node */
	/* Scratch, per domain: */
	int64_t *sums, *counts;
	uint8_t *marked;
	uint32_t domains; /* of the topology that has most */
};

/* Domains may come with each change of a node. */
static void fit_domains(struct deadlock_terms *t)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < t->peers->topology_count; i++) {
		if (t->peers->topologies[i].domain_count > most)
			most = t->peers->topologies[i].domain_count;
	}
	if (most <= t->domains)
		return;
	mem_free(t->sums);
	mem_free(t->counts);
	mem_free(t->marked);
	t->sums = mem_calloc(most, sizeof(*t->sums));
	t->counts = mem_calloc(most, sizeof(*t->counts));
	t->marked = mem_calloc(most, 1);
	t->domains = most;
}

static void find_owners(struct deadlock_terms *t)
{
	const struct scenario *s = t->world->scenario;
	uint8_t *known = mem_calloc(t->peers->kind_count, 1);

	for (uint32_t job = 0; job < s->job_count; job++) {
		for (uint32_t pod = t->world->journal->first_pod[job];
		     pod < t->world->journal->first_pod[job + 1]; pod++) {
			uint32_t kind = t->peers->kind_of[pod];

			t->owner[kind] = known[kind] && t->owner[kind] != job ? ANY_JOB : job;
			known[kind] = 1;
		}
	}
	mem_free(known);
}

static bool is_required(const struct pod_term *term, bool anti)
{
	return term->weight == 0 && term->anti == anti;
}

struct deadlock_terms *deadlock_terms_new(const struct world *world, const struct kube_match *match)
{
	struct kube_peers *peers = kube_peers_new(world);
	struct deadlock_terms *t;

	if (peers == NULL)
		return NULL;
	t = mem_calloc(1, sizeof(*t));
	t->world = world;
	t->match = match;
	t->peers = peers;
	t->owner = mem_calloc(peers->kind_count, sizeof(*t->owner));
	t->repels = mem_calloc(peers->kind_count, sizeof(*t->repels));
	t->closed = mem_calloc(world->node_count, 1);
	fit_domains(t);
	find_owners(t);
	for (uint32_t k = 0; k < peers->kind_count; k++) {
		const struct pod_constraints *c = peers->kinds[k].constraints;

		for (uint32_t i = 0; c != NULL && i < c->term_count; i++)
			t->repels[k] = t->repels[k] || is_required(&c->terms[i], true);
	}
	return t;
}

void deadlock_terms_free(struct deadlock_terms *t)
{
	if (t == NULL)
		return;
	kube_peers_free(t->peers);
	mem_free(t->owner);
	mem_free(t->repels);
	mem_free(t->closed);
	mem_free(t->sums);
	mem_free(t->counts);
	mem_free(t->marked);
	mem_free(t);
}

void deadlock_terms_hold(struct deadlock_terms *t, uint32_t pod, uint32_t node)
{
	if (t != NULL)
		kube_peers_bound(t->peers, pod, node);
}

void deadlock_terms_drop(struct deadlock_terms *t, uint32_t pod, uint32_t node)
{
	if (t != NULL)
		kube_peers_gone(t->peers, pod, node, false);
}

void deadlock_terms_nodes_changed(struct deadlock_terms *t)
{
	if (t == NULL)
		return;
	for (uint32_t node = 0; node < t->world->node_count; node++)
		kube_peers_node(t->peers, node);
	fit_domains(t);
}

static const struct pod_constraints *constraints_of(const struct deadlock_terms *t, uint32_t kind)
{
	return t->peers->kinds[kind].constraints;
}

bool deadlock_terms_matter(const struct deadlock_terms *t, uint32_t pod)
{
	if (t == NULL)
		return false;
	if (constraints_of(t, t->peers->kind_of[pod]) != NULL)
		return true;
	for (uint32_t k = 0; k < t->peers->kind_count; k++) {
		if (t->repels[k] && t->peers->kinds[k].spot_count != 0)
			return true;
	}
	return false;
}

/* ---- domains ---- */

static const struct kube_topology *topology_of(const struct deadlock_terms *t, uint32_t key)
{
	return &t->peers->topologies[kube_peers_topology(t->peers, key)];
}

static void mark_spots(struct deadlock_terms *t, const struct kube_topology *topology,
		       uint32_t kind)
{
	const struct kube_kind *k = &t->peers->kinds[kind];

	for (uint32_t i = 0; i < k->spot_count; i++) {
		uint32_t domain = topology->domain[k->spots[i].node];

		if (domain != PEERS_NO_DOMAIN)
			t->marked[domain] = 1;
	}
}

static void close_marked(struct deadlock_terms *t, const struct kube_topology *topology)
{
	for (uint32_t node = 0; node < t->world->node_count; node++) {
		uint32_t domain = topology->domain[node];

		if (domain != PEERS_NO_DOMAIN && t->marked[domain])
			t->closed[node] = 1;
	}
	memset(t->marked, 0, t->domains);
}

static void close_unlabelled(struct deadlock_terms *t, const struct kube_topology *topology)
{
	for (uint32_t node = 0; node < t->world->node_count; node++) {
		if (topology->value[node] == NAME_NONE)
			t->closed[node] = 1;
	}
}

/* ---- which nodes are closed ---- */

static void close_by_own(struct deadlock_terms *t, uint32_t kind)
{
	const struct pod_constraints *c = constraints_of(t, kind);

	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		const struct kube_topology *topology = topology_of(t, c->terms[i].topology_key);

		if (is_required(&c->terms[i], false))
			close_unlabelled(t, topology);
		if (!is_required(&c->terms[i], true))
			continue;
		for (uint32_t k = 0; k < t->peers->kind_count; k++) {
			if (t->peers->kinds[k].spot_count != 0 &&
			    kube_peers_selected(t->peers, &c->terms[i], kind, k))
				mark_spots(t, topology, k);
		}
		close_marked(t, topology);
	}
	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		if (c->spreads[i].hard)
			close_unlabelled(t, topology_of(t, c->spreads[i].topology_key));
	}
}

static void close_by_others(struct deadlock_terms *t, uint32_t kind)
{
	for (uint32_t k = 0; k < t->peers->kind_count; k++) {
		const struct pod_constraints *c = constraints_of(t, k);

		if (!t->repels[k] || t->peers->kinds[k].spot_count == 0)
			continue;
		for (uint32_t i = 0; i < c->term_count; i++) {
			const struct kube_topology *topology =
				topology_of(t, c->terms[i].topology_key);

			if (!is_required(&c->terms[i], true) ||
			    !kube_peers_selected(t->peers, &c->terms[i], k, kind))
				continue;
			mark_spots(t, topology, k);
			close_marked(t, topology);
		}
	}
}

const uint8_t *deadlock_terms_closed(struct deadlock_terms *t, uint32_t pod)
{
	uint32_t kind = t->peers->kind_of[pod];
	const struct scheduler_profile *p = kube_peers_profile(t->peers, kind);

	memset(t->closed, 0, t->world->node_count);
	if (p->filters[PLUGIN_POD_AFFINITY] && p->filters[PLUGIN_SPREAD]) {
		close_by_own(t, kind);
		close_by_others(t, kind);
	}
	return t->closed;
}

/* ---- how many can come ---- */

/* Do only pods of the job's own count? by is of this kind. */
typedef bool selects_kind(const struct deadlock_terms *t, const void *by, uint32_t kind,
			  uint32_t other);

static bool term_selects(const struct deadlock_terms *t, const void *by, uint32_t kind,
			 uint32_t other)
{
	return kube_peers_selected(t->peers, by, kind, other);
}

static bool spread_counts(const struct deadlock_terms *t, const void *by, uint32_t kind,
			  uint32_t other)
{
	return kube_peers_counted(t->peers, by, kind, other);
}

static bool is_private(const struct deadlock_terms *t, const void *by, selects_kind *selects,
		       uint32_t kind)
{
	uint32_t job = t->owner[kind];

	if (job == ANY_JOB || !selects(t, by, kind, kind))
		return false;
	for (uint32_t k = 0; k < t->peers->kind_count; k++) {
		if (t->owner[k] != job && selects(t, by, kind, k))
			return false;
	}
	return true;
}

/* Room by domain into sums, of nodes without one into the result. */
static uint64_t sum_up(struct deadlock_terms *t, const struct kube_topology *topology,
		       const uint64_t *room)
{
	uint64_t outside = 0;

	memset(t->sums, 0, t->domains * sizeof(*t->sums));
	for (uint32_t node = 0; node < t->world->node_count; node++) {
		uint32_t domain = topology->domain[node];

		if (domain == PEERS_NO_DOMAIN)
			outside += room[node];
		else
			t->sums[domain] += (int64_t)room[node];
	}
	return outside;
}

/* One in each domain. */
static uint64_t apart(struct deadlock_terms *t, const struct pod_term *term, const uint64_t *room)
{
	uint64_t pods = sum_up(t, topology_of(t, term->topology_key), room);

	for (uint32_t i = 0; i < t->domains; i++)
		pods += t->sums[i] > 0;
	return pods;
}

/* Where pods of the job are already, which must be beside each other. */
static uint64_t together(struct deadlock_terms *t, const struct pod_term *term, uint32_t kind,
			 const uint64_t *room)
{
	const struct kube_topology *topology = topology_of(t, term->topology_key);
	uint64_t pods = 0;

	for (uint32_t k = 0; k < t->peers->kind_count; k++) {
		if (kube_peers_selected(t->peers, term, kind, k))
			mark_spots(t, topology, k);
	}
	sum_up(t, topology, room);
	for (uint32_t i = 0; i < t->domains; i++)
		pods += t->marked[i] ? (uint64_t)t->sums[i] : 0;
	memset(t->marked, 0, t->domains);
	return pods;
}

static bool is_included(const struct deadlock_terms *t, const struct spread_constraint *spread,
			uint32_t group, uint32_t node)
{
	return (spread->ignores_affinity || kube_match_labels(t->match, group, node)) &&
	       (!spread->honors_taints || kube_match_tolerates(t->match, group, node));
}

static void count_own(struct deadlock_terms *t, const struct spread_constraint *spread,
		      uint32_t kind, uint32_t group)
{
	const struct kube_topology *topology = topology_of(t, spread->topology_key);

	memset(t->counts, 0, t->domains * sizeof(*t->counts));
	for (uint32_t k = 0; k < t->peers->kind_count; k++) {
		const struct kube_kind *other = &t->peers->kinds[k];

		if (!kube_peers_counted(t->peers, spread, kind, k))
			continue;
		for (uint32_t i = 0; i < other->spot_count; i++) {
			uint32_t domain = topology->domain[other->spots[i].node];

			if (domain != PEERS_NO_DOMAIN &&
			    is_included(t, spread, group, other->spots[i].node))
				t->counts[domain] += other->spots[i].pods;
		}
	}
}

/* No domain can have more than maxSkew above what the least can ever have. */
static uint64_t evenly(struct deadlock_terms *t, const struct spread_constraint *spread,
		       uint32_t kind, uint32_t group, const uint64_t *room)
{
	const struct kube_topology *topology = topology_of(t, spread->topology_key);
	int64_t least = INT64_MAX, pods = 0;
	uint32_t domains = 0;

	sum_up(t, topology, room);
	count_own(t, spread, kind, group);
	for (uint32_t node = 0; node < t->world->node_count; node++) {
		uint32_t domain = topology->domain[node];

		if (domain == PEERS_NO_DOMAIN || !is_included(t, spread, group, node))
			continue;
		domains += !t->marked[domain];
		t->marked[domain] = 1;
		if (t->counts[domain] + t->sums[domain] < least)
			least = t->counts[domain] + t->sums[domain];
	}
	if (domains < (uint32_t)spread->min_domains)
		least = 0;
	for (uint32_t i = 0; i < t->domains; i++) {
		int64_t most = res_add(least, spread->max_skew) - t->counts[i];

		if (t->marked[i] && most > 0)
			pods += t->sums[i] < most ? t->sums[i] : most;
	}
	memset(t->marked, 0, t->domains);
	return (uint64_t)pods;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t deadlock_terms_room(struct deadlock_terms *t, uint32_t pod, uint32_t group, uint64_t *room)
{
	const uint8_t *closed = deadlock_terms_closed(t, pod);
	uint32_t kind = t->peers->kind_of[pod];
	const struct pod_constraints *c = constraints_of(t, kind);
	uint64_t pods = 0;

	for (uint32_t node = 0; node < t->world->node_count; node++) {
		room[node] = closed[node] ? 0 : room[node];
		pods += room[node];
	}
	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		const struct pod_term *term = &c->terms[i];

		if (is_required(term, true) && term_selects(t, term, kind, kind))
			pods = smaller(pods, apart(t, term, room));
		if (is_required(term, false) && is_private(t, term, term_selects, kind))
			pods = smaller(pods, together(t, term, kind, room));
	}
	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		const struct spread_constraint *spread = &c->spreads[i];

		if (spread->hard && is_private(t, spread, spread_counts, kind) &&
		    spread->selector.match_labels.count + spread->selector.expression_count != 0)
			pods = smaller(pods, evenly(t, spread, kind, group, room));
	}
	return pods;
}
