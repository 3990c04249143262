#include "sim/gen/fits.h"

#include <string.h>

#include "core/mem.h"
#include "sim/scenario/profile.h"

#define HOSTNAME "kubernetes.io/hostname"

enum answer { UNKNOWN, YES, NO };

struct fits {
	const struct scenario *scenario;
	bool places_pods, admission;
	bool quota_changes;  /* some update may raise a quota */
	bool node_changes;   /* some update may make, change or delete a domain */
	uint32_t node_count; /* those that come later, and later versions, included */
	uint8_t *on_nodes;   /* [pod set]: enum answer */
	uint32_t *labels_of; /* [pod set]: of the job that the answer is for */
	struct usage *usage;
	int64_t *potential; /* [cell] */
};

static void look_at_updates(struct fits *fits)
{
	const struct scenario *s = fits->scenario;

	fits->node_count = s->node_count;
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind == UPDATE_NODE && u->version >= fits->node_count)
			fits->node_count = u->version + 1;
		fits->node_changes = fits->node_changes || u->kind == UPDATE_NODE;
		if (u->kind == UPDATE_CLUSTER_QUEUE || u->kind == UPDATE_COHORT)
			fits->quota_changes = true;
	}
}

struct fits *fits_new(const struct scenario *s, bool places_pods, bool admission)
{
	struct fits *fits = mem_calloc(1, sizeof(*fits));

	fits->scenario = s;
	fits->places_pods = places_pods;
	fits->admission = admission;
	fits->on_nodes = mem_calloc(s->pod_set_count, 1);
	fits->labels_of = mem_calloc(s->pod_set_count, sizeof(*fits->labels_of));
	look_at_updates(fits);
	fits->usage = usage_new(s);
	fits->potential = mem_calloc(fits->usage->cell_count, sizeof(*fits->potential));
	for (uint32_t c = 0; c < fits->usage->cell_count; c++)
		fits->potential[c] = usage_potential(fits->usage, c);
	return fits;
}

void fits_free(struct fits *fits)
{
	if (fits == NULL)
		return;
	usage_free(fits->usage);
	mem_free(fits->potential);
	mem_free(fits->on_nodes);
	mem_free(fits->labels_of);
	mem_free(fits);
}

/* How many pods of the shape an empty node takes. */
static int64_t room_on(const struct scenario *s, const struct node *node,
		       const struct pod_shape *shape)
{
	int64_t room = node->allocatable[RES_PODS];

	for (uint32_t r = 0; r < s->resource_count; r++) {
		if (r == RES_PODS || shape->request[r] == 0 ||
		    node->allocatable[r] == RES_UNLIMITED)
			continue;
		if (node->allocatable[r] / shape->request[r] < room)
			room = node->allocatable[r] / shape->request[r];
	}
	return room;
}

/* The value of a topology key; kubelet labels each node with its name. */
static uint32_t domain_of(const struct scenario *s, const struct node *node, uint32_t key)
{
	uint32_t value = label_value(&node->labels, key);

	if (value == NAME_NONE && strcmp(scenario_string(s, key), HOSTNAME) == 0)
		return node->name;
	return value;
}

/* Nodes without the label of a DoNotSchedule constraint take none of its pods. */
static bool spread_lets_in(const struct scenario *s, const struct node *node,
			   const struct pod_constraints *c)
{
	for (uint32_t i = 0; c != NULL && i < c->spread_count; i++) {
		if (c->spreads[i].hard &&
		    domain_of(s, node, c->spreads[i].topology_key) == NAME_NONE)
			return false;
	}
	return true;
}

/* taken: by domain; NULL: no domain is closed by its first pod. */
static bool enough_room(const struct fits *fits, const struct pod_set *set,
			const struct pod_term *term, bool *taken)
{
	const struct scenario *s = fits->scenario;
	const struct pod_shape *shape = &s->shapes[set->shape];
	int64_t room = 0;

	for (uint32_t n = 0; n < fits->node_count && room < set->min_count; n++) {
		const struct node *node = &s->nodes[n];
		uint32_t domain = term == NULL ? NAME_NONE : domain_of(s, node, term->topology_key);
		int64_t here;

		if (cluster_node_never(node) || !profile_node_suits(s, node, shape) ||
		    !spread_lets_in(s, node, shape->constraints))
			continue;
		here = room_on(s, node, shape);
		if (domain != NAME_NONE && here > 0) {
			here = taken[domain] ? 0 : 1;
			taken[domain] = true;
		}
		room = res_add(room, here);
	}
	return room >= set->min_count;
}

/* ---- what the pods of a set ask of each other ---- */

static bool selects_own(const struct scenario *s, uint32_t job, const struct label_selector *by)
{
	static const struct label_set none = {0};
	uint32_t labels = s->job_labels == NULL ? 0 : s->job_labels[job];

	return label_selector_matches(s->strings, labels == 0 ? &none : &s->pod_labels[labels - 1],
				      by);
}

/* A required term that selects them, and nobody else has to be there for it. */
static bool is_about_itself(const struct scenario *s, uint32_t job, const struct pod_term *term)
{
	return term->weight == 0 && term->namespace_count == 0 &&
	       !term->namespace_selector.present && selects_own(s, job, &term->selector);
}

struct domains {       /* by the string of their value */
	int64_t *room; /* pods; -1: there is no such domain */
	uint32_t count, size;
};

/* Is the node in a domain of the spread? (matchNodeInclusionPolicies) */
static bool is_included(const struct scenario *s, const struct node *node,
			const struct pod_shape *shape, const struct spread_constraint *spread)
{
	return (spread->ignores_affinity || cluster_node_selected(s->strings, node, shape)) &&
	       (!spread->honors_taints || cluster_node_tolerated(s->strings, node, shape));
}

/* The room for pods of the set in each domain of the key. spread: only those that it
 * counts, though they have no room; NULL: of nodes that suit. */
static struct domains divide(const struct fits *fits, const struct pod_set *set, uint32_t key,
			     const struct spread_constraint *spread)
{
	const struct scenario *s = fits->scenario;
	const struct pod_shape *shape = &s->shapes[set->shape];
	struct domains d = {.size = name_count(s->strings)};

	d.room = mem_calloc(d.size, sizeof(*d.room));
	for (uint32_t i = 0; i < d.size; i++)
		d.room[i] = -1;
	for (uint32_t n = 0; n < fits->node_count; n++) {
		const struct node *node = &s->nodes[n];
		uint32_t at = domain_of(s, node, key);
		bool suits = profile_node_suits(s, node, shape);

		if (cluster_node_never(node))
			continue;
		if (at == NAME_NONE || !spread_lets_in(s, node, shape->constraints) ||
		    (spread != NULL ? !is_included(s, node, shape, spread) : !suits))
			continue;
		d.count += d.room[at] < 0;
		d.room[at] = d.room[at] < 0 ? 0 : d.room[at];
		if (suits)
			d.room[at] = res_add(d.room[at], room_on(s, node, shape));
	}
	return d;
}

/* Required affinity to each other: all in one domain. */
static bool together(const struct fits *fits, const struct pod_set *set, uint32_t key)
{
	struct domains d = divide(fits, set, key, NULL);
	bool fit = false;

	for (uint32_t i = 0; i < d.size; i++)
		fit = fit || d.room[i] >= set->min_count;
	mem_free(d.room);
	return fit;
}

/* No domain can have more than maxSkew above the least, which is at most the smallest
 * room of any: a domain without room keeps the others small. */
static bool evenly(const struct fits *fits, const struct pod_set *set,
		   const struct spread_constraint *spread)
{
	struct domains d = divide(fits, set, spread->topology_key, spread);
	int64_t least = INT64_MAX, pods = 0;

	for (uint32_t i = 0; i < d.size; i++) {
		if (d.room[i] >= 0 && d.room[i] < least)
			least = d.room[i];
	}
	if (d.count < (uint32_t)spread->min_domains)
		least = 0;
	for (uint32_t i = 0; i < d.size; i++) {
		int64_t most = res_add(least, spread->max_skew);

		if (d.room[i] >= 0)
			pods = res_add(pods, d.room[i] < most ? d.room[i] : most);
	}
	mem_free(d.room);
	return pods >= set->min_count;
}

static bool apart(const struct fits *fits, const struct pod_set *set, const struct pod_term *term)
{
	bool *taken = mem_calloc(name_count(fits->scenario->strings), sizeof(*taken));
	bool fit = enough_room(fits, set, term, taken);

	mem_free(taken);
	return fit;
}

/* Domains that come, go or change get the benefit of the doubt, but where they can only
 * be closed by the pods' own. */
static bool set_on_nodes(const struct fits *fits, uint32_t job, const struct pod_set *set)
{
	const struct scenario *s = fits->scenario;
	const struct pod_shape *shape = &s->shapes[set->shape];
	const struct pod_constraints *c = shape->constraints;
	const bool *filters = profile_of(s, shape)->filters;
	bool fit = enough_room(fits, set, NULL, NULL);

	for (uint32_t i = 0; fit && c != NULL && filters[PLUGIN_POD_AFFINITY] && i < c->term_count;
	     i++) {
		const struct pod_term *term = &c->terms[i];

		if (is_about_itself(s, job, term))
			fit = term->anti ? apart(fits, set, term)
					 : fits->node_changes ||
						   together(fits, set, term->topology_key);
	}
	for (uint32_t i = 0; fit && c != NULL && filters[PLUGIN_SPREAD] && i < c->spread_count;
	     i++) {
		const struct spread_constraint *spread = &c->spreads[i];

		if (spread->hard && !fits->node_changes && selects_own(s, job, &spread->selector) &&
		    spread->selector.match_labels.count + spread->selector.expression_count != 0)
			fit = evenly(fits, set, spread);
	}
	return fit;
}

bool fits_nodes(struct fits *fits, uint32_t job)
{
	const struct scenario *s = fits->scenario;
	const struct job *j = &s->jobs[job];
	uint32_t labels = s->job_labels == NULL ? 0 : s->job_labels[job];

	for (uint32_t i = j->common->first_pod_set;
	     i < j->common->first_pod_set + j->common->pod_set_count; i++) {
		const struct pod_faults *faults = s->shapes[s->pod_sets[i].shape].faults;

		if (faults != NULL && faults->forbidden != NULL)
			return false;
		if (fits->on_nodes[i] == UNKNOWN || fits->labels_of[i] != labels) {
			fits->on_nodes[i] = set_on_nodes(fits, job, &s->pod_sets[i]) ? YES : NO;
			fits->labels_of[i] = labels;
		}
		if (fits->on_nodes[i] == NO)
			return false;
	}
	return true;
}

/* The most the queue could ever use of the resource in one flavor; -1: it has none. */
static int64_t best_potential(const struct fits *fits, uint32_t queue, uint32_t resource)
{
	const struct usage *usage = fits->usage;
	int64_t best = -1;

	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		if (usage->cells[c].resource == resource && fits->potential[c] > best)
			best = fits->potential[c];
	}
	return best;
}

bool fits_quota(const struct fits *fits, uint32_t job)
{
	const struct scenario *s = fits->scenario;
	const struct job *j = &s->jobs[job];
	uint32_t queue = scenario_job_cluster_queue(s, job);

	if (queue == SCENARIO_NONE || fits->quota_changes)
		return true;
	for (uint32_t i = j->common->first_pod_set;
	     i < j->common->first_pod_set + j->common->pod_set_count; i++) {
		const struct pod_shape *shape = &s->shapes[s->pod_sets[i].shape];

		for (uint32_t r = 0; r < s->resource_count; r++) {
			int64_t asked = res_mul(shape->request[r], s->pod_sets[i].min_count);
			int64_t most;

			if (asked == 0 || r == RES_PODS)
				continue;
			most = best_potential(fits, queue, r);
			if (most >= 0 && asked > most)
				return false;
		}
	}
	return true;
}

bool fits_ever(struct fits *fits, uint32_t job)
{
	if (fits->places_pods && !fits_nodes(fits, job))
		return false;
	return !fits->admission || (fits->scenario->jobs[job].common->flags & JOB_UNMANAGED) != 0 ||
	       fits_quota(fits, job);
}
