#include "sim/kube/kube_constraint.h"

#include "sim/kube/kube_affinity.h"
#include "sim/kube/kube_spread.h"

#define SCORE_FULL 100

#define BY_SPREAD   (1u << REFUSAL_SKEWED | 1u << REFUSAL_UNLABELLED)
#define BY_AFFINITY (1u << REFUSAL_UNMET | 1u << REFUSAL_REPELS | 1u << REFUSAL_REPELLED)
#define NOT_WAITING UINT32_MAX

struct waiter {
	uint32_t pod;
	uint32_t refusals;
};

struct kube_constraint {
	const struct world *world;
	const struct kube_filter *filter;
	struct kube_peers *peers;
	struct kube_affinity *affinity;
	struct kube_spread *spread;
	uint32_t pod; /* the one that is asked about */
	bool spreads; /* it has constraints that filter */
	struct waiter *waiters;
	size_t waiter_capacity;
	uint32_t waiter_count;
	uint32_t *waits; /* per pod slot: its place among them; NOT_WAITING */
	uint32_t *helped;
	size_t helped_capacity;
	uint8_t *leaving; /* per pod slot: told to stop */
	uint32_t *values; /* scratch, per topology: a node's value before it changed */
};

struct kube_constraint *kube_constraint_new(const struct world *world,
					    const struct kube_match *match,
					    const struct kube_filter *filter)
{
	struct kube_peers *peers = kube_peers_new(world);
	uint32_t pods = world->journal->first_pod[world->scenario->job_count];
	struct kube_constraint *c;

	if (peers == NULL)
		return NULL;
	c = mem_calloc(1, sizeof(*c));
	c->world = world;
	c->filter = filter;
	c->peers = peers;
	c->affinity = kube_affinity_new(peers);
	c->spread = kube_spread_new(peers, match);
	c->leaving = mem_calloc(pods, sizeof(*c->leaving));
	c->values = mem_calloc(peers->topology_count, sizeof(*c->values));
	c->waits = mem_calloc(pods, sizeof(*c->waits));
	for (uint32_t i = 0; i < pods; i++)
		c->waits[i] = NOT_WAITING;
	return c;
}

void kube_constraint_free(struct kube_constraint *c)
{
	if (c == NULL)
		return;
	kube_affinity_free(c->affinity);
	kube_spread_free(c->spread);
	kube_peers_free(c->peers);
	mem_free(c->waiters);
	mem_free(c->waits);
	mem_free(c->helped);
	mem_free(c->leaving);
	mem_free(c->values);
	mem_free(c);
}

bool kube_constraint_filters(struct kube_constraint *c, uint32_t pod)
{
	return c != NULL && (kube_affinity_filters(c->affinity, c->peers->kind_of[pod]) ||
			     kube_spread_filters(c->spread, c->peers->kind_of[pod]));
}

static const struct pod_constraints *own(const struct kube_constraint *c, uint32_t pod)
{
	return c->peers->kinds[c->peers->kind_of[pod]].constraints;
}

static const struct scheduler_profile *profile(const struct kube_constraint *c, uint32_t pod)
{
	return kube_peers_profile(c->peers, c->peers->kind_of[pod]);
}

static bool has_preferences(const struct kube_constraint *c, uint32_t pod)
{
	return profile(c, pod)->weights[PLUGIN_NODE_AFFINITY] != 0 &&
	       (profile(c, pod)->preferred_count != 0 ||
		(own(c, pod) != NULL && own(c, pod)->preferred_count != 0));
}

bool kube_constraint_scores(struct kube_constraint *c, uint32_t pod)
{
	return c != NULL && (has_preferences(c, pod) ||
			     kube_affinity_scores(c->affinity, c->peers->kind_of[pod]) ||
			     kube_spread_scores(c->spread, c->peers->kind_of[pod]));
}

/* ---- filter ---- */

void kube_constraint_begin(struct kube_constraint *c, uint32_t pod, uint32_t group)
{
	c->pod = pod;
	kube_affinity_begin(c->affinity, c->peers->kind_of[pod]);
	kube_spread_begin(c->spread, c->peers->kind_of[pod], group);
	c->spreads = kube_spread_filters(c->spread, c->peers->kind_of[pod]);
}

void kube_constraint_shift(struct kube_constraint *c, uint32_t other, uint32_t node, int delta)
{
	kube_affinity_shift(c->affinity, c->peers->kind_of[other], node, delta);
	kube_spread_shift(c->spread, c->peers->kind_of[other], node, delta);
}

static enum kube_refusal judge(struct kube_constraint *c, uint32_t node)
{
	static const enum kube_refusal spread[] = {
		[SPREAD_SKEWED] = REFUSAL_SKEWED, [SPREAD_UNLABELLED] = REFUSAL_UNLABELLED};
	static const enum kube_refusal affinity[] = {[AFFINITY_UNMET] = REFUSAL_UNMET,
						     [AFFINITY_REPELS] = REFUSAL_REPELS,
						     [AFFINITY_REPELLED] = REFUSAL_REPELLED};
	enum kube_spread_verdict even =
		c->spreads ? kube_spread_judge(c->spread, node) : SPREAD_FINE;

	if (even != SPREAD_FINE)
		return spread[even];
	return kube_affinity_can_refuse(c->affinity)
		       ? affinity[kube_affinity_judge(c->affinity, node)]
		       : REFUSAL_NONE;
}

/* Shifts by the pods that are nominated to the node and rank no lower; how many. */
static uint32_t shift_nominated(struct kube_constraint *c, uint32_t node, int delta)
{
	const struct world *w = c->world;
	int32_t priority = w->scenario->jobs[w->pods[c->pod].job].common->pod_priority;
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->filter->count; i++) {
		const struct kube_nomination *n = &c->filter->items[i];

		if (n->node != node || n->pod == c->pod || n->priority < priority)
			continue;
		kube_constraint_shift(c, n->pod, node, delta);
		count++;
	}
	return count;
}

enum kube_refusal kube_constraint_judge(struct kube_constraint *c, uint32_t node)
{
	enum kube_refusal refusal;

	if (c->filter->count != 0 && c->filter->on_node[node] != 0 &&
	    shift_nominated(c, node, 1) != 0) {
		refusal = judge(c, node);
		shift_nominated(c, node, -1);
		if (refusal != REFUSAL_NONE)
			return refusal;
	}
	return judge(c, node);
}

bool kube_constraint_unresolvable(enum kube_refusal refusal)
{
	return refusal == REFUSAL_UNLABELLED || refusal == REFUSAL_UNMET;
}

/* ---- score ---- */

static int64_t sum_terms(const struct kube_constraint *c, const struct node_term *terms,
			 const int32_t *weights, uint32_t count, const struct node *node)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (label_terms_match(c->world->scenario->strings, &node->labels, node->name,
				      &terms[i], 1))
			sum += weights[i];
	}
	return sum;
}

/* By the pod's own terms and those that its profile adds. */
static int64_t preference(const struct kube_constraint *c, uint32_t node)
{
	const struct scheduler_profile *p = profile(c, c->pod);
	const struct pod_constraints *o = own(c, c->pod);
	const struct node *n = &c->world->nodes[node];
	int64_t sum = sum_terms(c, p->preferred, p->preferred_weights, p->preferred_count, n);

	return o == NULL ? sum
			 : sum + sum_terms(c, o->preferred, o->weights, o->preferred_count, n);
}

/* NodeAffinity: the sum of the weights that hold, as a share of the most. */
static void score_preferences(const struct kube_constraint *c, const uint32_t *nodes,
			      uint32_t count, int *scores)
{
	int weight = profile(c, c->pod)->weights[PLUGIN_NODE_AFFINITY];
	int64_t most = 0;

	if (!has_preferences(c, c->pod))
		return;
	for (uint32_t i = 0; i < count; i++) {
		int64_t sum = preference(c, nodes[i]);

		most = sum > most ? sum : most;
	}
	if (most == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		scores[i] += weight * (int)(SCORE_FULL * preference(c, nodes[i]) / most);
}

void kube_constraint_score(struct kube_constraint *c, const uint32_t *nodes, uint32_t count,
			   int *scores)
{
	const int32_t *weights = profile(c, c->pod)->weights;

	score_preferences(c, nodes, count, scores);
	kube_spread_score(c->spread, nodes, count, weights[PLUGIN_SPREAD], scores);
	kube_affinity_score(c->affinity, nodes, count, weights[PLUGIN_POD_AFFINITY], scores);
}

/* ---- what happens ---- */

void kube_constraint_bound(struct kube_constraint *c, uint32_t pod, uint32_t node)
{
	if (c == NULL)
		return;
	kube_peers_bound(c->peers, pod, node);
	kube_spread_moved(c->spread, c->peers->kind_of[pod], node, 1);
	kube_affinity_moved(c->affinity, c->peers->kind_of[pod], node, 1);
}

void kube_constraint_leaving(struct kube_constraint *c, uint32_t pod, uint32_t node)
{
	if (c == NULL)
		return;
	c->leaving[pod] = 1;
	kube_peers_leaving(c->peers, pod, node);
	kube_spread_moved(c->spread, c->peers->kind_of[pod], node, -1);
}

void kube_constraint_gone(struct kube_constraint *c, uint32_t pod, uint32_t node)
{
	if (c == NULL)
		return;
	kube_peers_gone(c->peers, pod, node, c->leaving[pod] != 0);
	if (c->leaving[pod] == 0)
		kube_spread_moved(c->spread, c->peers->kind_of[pod], node, -1);
	kube_affinity_moved(c->affinity, c->peers->kind_of[pod], node, -1);
	c->leaving[pod] = 0;
}

/* ---- who waits ---- */

static void stop_waiting(struct kube_constraint *c, uint32_t pod)
{
	uint32_t at = c->waits[pod];

	if (at == NOT_WAITING)
		return;
	c->waiters[at] = c->waiters[--c->waiter_count];
	c->waits[c->waiters[at].pod] = at;
	c->waits[pod] = NOT_WAITING;
}

void kube_constraint_wait(struct kube_constraint *c, uint32_t pod, uint32_t refusals)
{
	if (c == NULL)
		return;
	stop_waiting(c, pod);
	if (refusals == 0)
		return;
	c->waiters = mem_grow(c->waiters, c->waiter_count + 1u, &c->waiter_capacity,
			      sizeof(*c->waiters));
	c->waits[pod] = c->waiter_count;
	c->waiters[c->waiter_count++] = (struct waiter){.pod = pod, .refusals = refusals};
}

static bool helps(struct kube_constraint *c, const struct waiter *waiter, uint32_t other, bool came)
{
	uint32_t kind = c->peers->kind_of[waiter->pod];

	other = c->peers->kind_of[other];
	return ((waiter->refusals & BY_SPREAD) != 0 &&
		kube_spread_helped(c->spread, kind, other)) ||
	       ((waiter->refusals & BY_AFFINITY) != 0 &&
		kube_affinity_helped(c->affinity, kind, other, came));
}

const uint32_t *kube_constraint_helped(struct kube_constraint *c, uint32_t other, bool came,
				       uint32_t *count)
{
	*count = 0;
	if (c == NULL || c->waiter_count == 0)
		return NULL;
	c->helped = mem_grow(c->helped, c->waiter_count, &c->helped_capacity, sizeof(*c->helped));
	for (uint32_t i = 0; i < c->waiter_count; i++) {
		if (helps(c, &c->waiters[i], other, came))
			c->helped[(*count)++] = c->waiters[i].pod;
	}
	return c->helped;
}

/* A label by which a kind's constraints divide, on the node that changed. */
struct value_change {
	uint32_t was, is; /* NAME_NONE: the node has no such label */
};

static struct value_change value_change(const struct kube_constraint *c, uint32_t key,
					uint32_t node)
{
	uint32_t t = kube_peers_topology(c->peers, key);

	return (struct value_change){.was = c->values[t],
				     .is = c->peers->topologies[t].value[node]};
}

/* PodTopologySpread: a node that has all the labels comes or goes, has them now or no
 * longer, or has other values or taints. */
static bool spread_changed(const struct kube_constraint *c, const struct pod_constraints *own_ones,
			   const struct kube_node_change *change)
{
	bool was = change->was, is = change->is, moved = change->taints;

	for (uint32_t i = 0; i < own_ones->spread_count; i++) {
		struct value_change v;

		if (!own_ones->spreads[i].hard)
			continue;
		v = value_change(c, own_ones->spreads[i].topology_key, change->node);
		was = was && v.was != NAME_NONE;
		is = is && v.is != NAME_NONE;
		moved = moved || v.was != v.is;
	}
	return was != is || (is && moved);
}

/* InterPodAffinity: for affinity a node gains the label or another value of it, for
 * anti-affinity it loses it or gains another value; or is new. Nodes that go help
 * nobody. */
static bool affinity_changed(const struct kube_constraint *c,
			     const struct pod_constraints *own_ones,
			     const struct kube_node_change *change)
{
	if (!change->is)
		return false;
	for (uint32_t i = 0; i < own_ones->term_count; i++) {
		const struct pod_term *term = &own_ones->terms[i];
		struct value_change v = value_change(c, term->topology_key, change->node);

		if (term->weight != 0)
			continue;
		if (!change->was ? term->anti || v.is != NAME_NONE
				 : v.was != v.is && (term->anti ? v.was : v.is) != NAME_NONE)
			return true;
	}
	return false;
}

const uint32_t *kube_constraint_node(struct kube_constraint *c,
				     const struct kube_node_change *change, uint32_t *count)
{
	*count = 0;
	if (c == NULL)
		return NULL;
	for (uint32_t t = 0; t < c->peers->topology_count; t++)
		c->values[t] = c->peers->topologies[t].value[change->node];
	kube_spread_nodes_changed(c->spread);
	kube_affinity_nodes_changed(c->affinity);
	kube_peers_node(c->peers, change->node);
	c->helped = mem_grow(c->helped, c->waiter_count, &c->helped_capacity, sizeof(*c->helped));
	for (uint32_t i = 0; i < c->waiter_count; i++) {
		const struct waiter *w = &c->waiters[i];
		const struct pod_constraints *o = own(c, w->pod);

		if (o == NULL)
			continue;
		if (((w->refusals & BY_SPREAD) != 0 && spread_changed(c, o, change)) ||
		    ((w->refusals & BY_AFFINITY) != 0 && affinity_changed(c, o, change)))
			c->helped[(*count)++] = w->pod;
	}
	return c->helped;
}
