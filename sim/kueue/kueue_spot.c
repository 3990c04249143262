#include "sim/kueue/kueue_spot.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_tas.h"

static bool has_topology(const struct kueue *k, uint32_t flavor)
{
	const struct flavor *now = k->flavors[flavor].now;

	return now != NULL && now->topology_name != NAME_NONE && kueue_topology_of(k, now) != NULL;
}

/* Now, or by an update to come. */
static bool ever_has_topology(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->flavor_count; i++) {
		if (s->flavors[i].topology_name != NAME_NONE)
			return true;
	}
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind == UPDATE_FLAVOR && s->flavors[u->version].topology_name != NAME_NONE)
			return true;
	}
	return false;
}

void kueue_spot_open(struct kueue *k)
{
	if (!k->gates.topology || !ever_has_topology(k->scenario))
		return;
	k->topology = kueue_topology_new(k->scenario, k->flavor_count);
	k->tas = kueue_tas_new(k->topology);
	k->tas_sets = mem_calloc(k->sets_max + 1U, sizeof(*k->tas_sets));
	kueue_spot_rebuild(k);
}

void kueue_spot_close(struct kueue *k)
{
	if (k->topology == NULL)
		return;
	kueue_tas_free(k->tas);
	kueue_topology_free(k->topology);
	mem_free(k->tas_sets);
	mem_free(k->bound);
	mem_free(k->bound_at);
	mem_free(k->bound_counted);
}

static void use_again(struct kueue *k, uint32_t tree, const struct kueue_hold *hold)
{
	for (uint32_t i = 0; i < hold->spot_count; i++)
		kueue_topology_use_in(k->topology, tree, hold->spots[i].tree, hold->spots[i].place,
				      hold->spots[i].shape, hold->spots[i].pods);
}

/* Pods of workloads that ask for a topology are counted by their reservations. So they are until
 * they end, whatever becomes of their queue: Kueue goes by an annotation that they have. */
static bool is_counted(const struct kueue *k, uint32_t job, const struct pod_shape *shape)
{
	return k->jobs[job].class != KUEUE_NONE &&
	       kueue_flavor_wants_topology(k, kueue_queue_of(k, job), shape);
}

static const struct pod_shape *shape_of_pod(const struct kueue *k, uint32_t pod)
{
	return &k->scenario->shapes[k->world->pods[pod].shape];
}

/* Is it there, ready or cordoned or not? */
static bool is_present(const struct world *world, uint32_t node)
{
	const struct node *n = &world->nodes[node];

	return !n->deleted && (world->node_usable[node] || !n->ready || n->unschedulable);
}

/* Does the flavor's tree have nodes that are not usable, too? kube-scheduler's filters are asked
 * about single nodes; domains above them are made of usable ones (Kueue's tas_nodes_cache.go,
 * find). */
static bool takes_all_nodes(const struct kueue *k, uint32_t f)
{
	const struct topology *topology;

	if (!k->gates.asks_scheduler || !has_topology(k, f))
		return false;
	topology = k->topologies[k->flavors[f].now->topology];
	return strcmp(name_text(k->scenario->strings, topology->levels[topology->level_count - 1]),
		      "kubernetes.io/hostname") == 0;
}

static bool is_taken(const struct kueue *k, uint32_t f, uint32_t node)
{
	return k->world->node_usable[node] || (takes_all_nodes(k, f) && is_present(k->world, node));
}

static void build(struct kueue *k, uint32_t f)
{
	const struct flavor *now = k->flavors[f].now;
	bool *taken = NULL;

	if (takes_all_nodes(k, f))
		taken = mem_calloc(k->world->node_count, sizeof(*taken));
	for (uint32_t n = 0; taken != NULL && n < k->world->node_count; n++)
		taken[n] = is_present(k->world, n);
	kueue_topology_build(k->topology, f, now,
			     has_topology(k, f) ? k->topologies[now->topology] : NULL,
			     k->world->nodes, taken != NULL ? taken : k->world->node_usable,
			     k->world->node_count);
	mem_free(taken);
	for (uint32_t h = 0; h < k->hold_count; h++) {
		if (k->jobs[k->holds[h].job].hold == h)
			use_again(k, f, &k->holds[h]);
	}
	for (size_t i = 0; i < k->bound_count; i++) {
		uint32_t pod = k->bound[i];
		const struct pod_shape *shape = shape_of_pod(k, pod);

		if (!k->bound_counted[pod])
			kueue_topology_occupy_in(k->topology, f, k->world->pods[pod].node, shape,
						 1);
	}
}

void kueue_spot_rebuild(struct kueue *k)
{
	if (k->topology == NULL)
		return;
	k->spots_stale = k->open;
	for (uint32_t f = 0; f < k->flavor_count && !k->open; f++)
		build(k, f);
}

static bool has_node(const struct topology_tree *tree, uint32_t node)
{
	return node < tree->node_count && tree->node_leaf[node] != TOPOLOGY_NOWHERE;
}

/* A tree is made of the usable nodes with its flavor's labels, and of what is on them:
 * one that was none of them and is none now changes nothing in it, and one whose place and
 * amounts are as they were only who suits it. */
void kueue_spot_node(struct kueue *k, uint32_t node)
{
	if (k->topology == NULL)
		return;
	k->spots_stale = k->spots_stale || k->open;
	for (uint32_t f = 0; f < k->flavor_count && !k->open; f++) {
		if (!k->config->searches_anew &&
		    kueue_topology_renew(k->topology, f, node, is_taken(k, f, node)))
			continue;
		if (has_node(&k->topology->trees[f], node) || k->config->searches_anew ||
		    (has_topology(k, f) && is_taken(k, f, node) &&
		     label_contains(&k->world->nodes[node].labels,
				    &k->flavors[f].now->node_labels)))
			build(k, f);
	}
}

/* Who is on a node, from the binding until the pod is gone: also while the node fails,
 * for a pod that stays there counts in Kueue as long as it has not ended. */
static void note_bound(struct kueue *k, uint32_t pod, bool comes)
{
	uint32_t pods = k->world->journal->first_pod[k->scenario->job_count];

	if (k->bound_at == NULL) {
		k->bound_at = mem_calloc(pods, sizeof(*k->bound_at));
		k->bound_counted = mem_calloc(pods, sizeof(*k->bound_counted));
	}
	if (comes && k->bound_at[pod] == 0) {
		k->bound_counted[pod] =
			is_counted(k, k->world->pods[pod].job, shape_of_pod(k, pod));
		k->bound = mem_grow(k->bound, k->bound_count + 1, &k->bound_capacity,
				    sizeof(*k->bound));
		k->bound[k->bound_count++] = pod;
		k->bound_at[pod] = (uint32_t)k->bound_count;
	} else if (!comes && k->bound_at[pod] > 0) {
		uint32_t last = k->bound[--k->bound_count], at = k->bound_at[pod];

		k->bound[at - 1] = last;
		k->bound_at[last] = at;
		k->bound_at[pod] = 0;
	}
}

bool kueue_spot_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods)
{
	const struct pod_shape *shape = shape_of_pod(k, pod);
	bool any = false;

	if (k->topology == NULL || node == NODE_NONE)
		return false;
	note_bound(k, pod, pods > 0);
	if (k->bound_counted[pod])
		return false;
	if (!k->spots_stale)
		kueue_topology_occupy(k->topology, node, shape, pods);
	for (uint32_t f = 0; f < k->flavor_count; f++)
		any = any || has_node(&k->topology->trees[f], node);
	return any && pods < 0;
}

/* By what it was when the trees were built, or by what it is now. */
bool kueue_spot_belongs(const struct kueue *k, uint32_t flavor, uint32_t node)
{
	const struct flavor *now = k->flavors[flavor].now;

	return has_topology(k, flavor) &&
	       (has_node(&k->topology->trees[flavor], node) ||
		kueue_topology_suits(now, k->topologies[now->topology], &k->world->nodes[node]));
}

bool kueue_spot_concerns(const struct kueue *k, uint32_t queue, uint32_t node)
{
	const struct kueue_queue *q = &k->queues[queue];

	for (uint32_t g = 0; k->topology != NULL && g < q->spec->group_count; g++) {
		for (uint32_t i = 0; i < q->groups[g].flavor_count; i++) {
			if (kueue_spot_belongs(k, q->groups[g].flavors[i], node))
				return true;
		}
	}
	return false;
}

/* The topology flavor of a set; KUEUE_NONE. *other: another one beside it. */
static uint32_t trees_of(const struct kueue *k, const struct kueue_form *form,
			 const struct kueue_assignment *a, uint32_t set, uint32_t *other)
{
	uint32_t found = KUEUE_NONE;

	*other = KUEUE_NONE;
	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++) {
		uint32_t flavor = a->choices[i].flavor;

		if (flavor == KUEUE_NONE || flavor == found || !has_topology(k, flavor))
			continue;
		if (found == KUEUE_NONE)
			found = flavor;
		else
			*other = flavor;
	}
	return found;
}

static uint32_t tree_of(const struct kueue *k, const struct kueue_form *form,
			const struct kueue_assignment *a, uint32_t set)
{
	uint32_t other;

	return trees_of(k, form, a, set, &other);
}

static const struct pod_shape *shape_of(const struct kueue *k, const struct kueue_form *form,
					uint32_t set)
{
	return &k->scenario->shapes[k->scenario->pod_sets[form->first_pod_set + set].shape];
}

static bool is_wanted(const struct kueue *k, uint32_t job, const struct kueue_form *form,
		      const struct kueue_assignment *a, uint32_t set)
{
	return a->sets[set].count > 0 &&
	       kueue_flavor_wants_topology(k, kueue_queue_of(k, job), shape_of(k, form, set));
}

/* Until its nodes are asked for, a pod set of such a flavor gets no domains (spec 3.7). */
static bool is_delayed(const struct kueue *k, uint32_t job, const struct kueue_form *form,
		       const struct kueue_assignment *a, uint32_t set)
{
	uint32_t queue = kueue_queue_of(k, job), tree;

	if (k->queues[queue].spec->check_count == 0 || kueue_holds(k, job) ||
	    !is_wanted(k, job, form, a, set))
		return false;
	tree = tree_of(k, form, a, set);
	return tree != KUEUE_NONE && kueue_flavor_provisioned(k, queue, tree);
}

/* The places that the job has; count 0 without any. */
static const struct kueue_spot *held_spots(const struct kueue *k, uint32_t job, uint32_t *count)
{
	const struct kueue_hold *hold = NULL;

	*count = 0;
	if (kueue_holds(k, job))
		hold = &k->holds[k->jobs[job].hold];
	if (hold == NULL || hold->spot_count == 0)
		return NULL;
	*count = hold->spot_count;
	return hold->spots;
}

/* Has the set its places, none of them on a node that failed? */
static bool is_settled(const struct kueue *k, uint32_t job, uint32_t set)
{
	uint32_t count;
	const struct kueue_spot *spots = held_spots(k, job, &count);
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		if (spots[i].set != set)
			continue;
		if (spots[i].place == kueue_life_of(k, job)->replaces)
			return false;
		any = true;
	}
	return any;
}

/* A slice that is to replace the one which holds the quota (spec 8.8). While a node of
 * that is replaced there is none (kueue_nodes.c). */
static bool is_slice(const struct kueue *k, uint32_t job)
{
	return kueue_replaces(k, job);
}

static bool is_asked(const struct kueue *k, uint32_t job, const struct kueue_form *form,
		     const struct kueue_assignment *a, uint32_t set)
{
	if (!is_wanted(k, job, form, a, set) || tree_of(k, form, a, set) == KUEUE_NONE)
		return false;
	if (is_slice(k, job))
		return true;
	return kueue_holds(k, job) ? !is_settled(k, job, set) : !is_delayed(k, job, form, a, set);
}

/* What the set has already, of which a node failed, or which stays when it grows. Without
 * that gate a slice is placed as if it were new. */
static void ask_replacement(struct kueue *k, uint32_t job, uint32_t index,
			    struct kueue_tas_set *set)
{
	uint32_t count;
	const struct kueue_spot *spots = held_spots(k, job, &count);

	if (is_slice(k, job) && !k->gates.keeps_slices)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (spots[i].set == index)
			kueue_tas_have(k->tas, set, spots[i].place, spots[i].pods);
	}
	set->grows = is_slice(k, job);
	if (set->old_count == 0 || set->grows)
		return;
	set->replaces = kueue_life_of(k, job)->replaces;
	set->stays = k->gates.keeps_single_pods &&
		     (kueue_job(k, job)->common->flags & JOB_SINGLE_POD) != 0;
}

/* One request a set that asks, in the order of the sets. */
static uint32_t make_requests(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t count = 0;

	k->tas->old_count = 0;
	for (uint32_t s = 0; s < a->set_count; s++) {
		if (!is_asked(k, job, form, a, s))
			continue;
		k->tas_sets[count] = kueue_tas_request(shape_of(k, form, s));
		k->tas_sets[count].tree = tree_of(k, form, a, s);
		k->tas_sets[count].count = a->sets[s].count;
		k->tas_sets[count].who = job * (k->sets_max + UINT64_C(1)) + s;
		ask_replacement(k, job, s, &k->tas_sets[count]);
		count++;
	}
	return count;
}

void kueue_spot_begin(struct kueue *k)
{
	if (k->tas != NULL)
		kueue_tas_begin(k->tas);
}

/* The pod set that the index-th request was made for. */
static uint32_t set_of(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
		       uint32_t index)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t s = 0;

	for (;; s++) {
		if (is_asked(k, job, form, a, s) && index-- == 0)
			return s;
	}
}

static void add_spot(struct kueue_assignment *a, struct kueue_spot spot)
{
	a->spots = mem_grow(a->spots, a->spot_count + 1, &a->spot_capacity, sizeof(*a->spots));
	a->spots[a->spot_count++] = spot;
}

/* What the set has had since before. */
static void keep_held(const struct kueue *k, uint32_t job, struct kueue_assignment *a, uint32_t set)
{
	uint32_t count;
	const struct kueue_spot *spots = held_spots(k, job, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (spots[i].set == set)
			add_spot(a, spots[i]);
	}
}

static void keep_found(const struct kueue *k, struct kueue_assignment *a, uint32_t index,
		       const struct kueue_tas_set *set)
{
	for (uint32_t n = 0; n < set->spot_count; n++) {
		const struct kueue_tas_spot *spot = &k->tas->spots[set->first_spot + n];

		add_spot(a, (struct kueue_spot){.set = index,
						.tree = set->tree,
						.place = spot->place,
						.pods = spot->pods,
						.shape = set->shape});
	}
}

/* What was found, and what is there already, by set. */
static void keep_spots(struct kueue *k, uint32_t job, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t next = 0;

	a->spot_count = 0;
	for (uint32_t s = 0; s < a->set_count; s++) {
		if (is_asked(k, job, form, a, s))
			keep_found(k, a, s, &k->tas_sets[next++]);
		else
			keep_held(k, job, a, s);
	}
}

static void set_modes(const struct kueue_form *form, struct kueue_assignment *a, uint32_t set,
		      enum kueue_mode mode)
{
	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++)
		a->choices[i].mode = (uint8_t)mode;
}

static void note_failure(struct kueue *k, struct kueue_assignment *a, uint32_t set)
{
	struct kueue_reason reason = {.kind = REASON_TEXT, .text = ""};
	size_t at = a->sets[set].first_reason + a->sets[set].reason_count;

	if (kueue_tells(k))
		reason.text = mem_arena_strdup(k->cycle_arena, kueue_tas_why(k->tas));
	kueue_flavor_reason(a, reason);
	for (size_t i = a->reason_count - 1; i > at; i--)
		a->reasons[i] = a->reasons[i - 1];
	a->reasons[at] = reason;
	a->sets[set].reason_count++;
	for (uint32_t s = 0; s < a->set_count; s++)
		a->sets[s].first_reason += s != set && a->sets[s].first_reason >= at;
}

/* Not even in an empty cluster: no fit. The reason is the set's own; where nothing was said of
 * the set before, as its quota is enough and that of another is not, Kueue takes it for one that
 * fits and gives none (resolveNoFitReason). */
static void refuse(struct kueue *k, uint32_t job, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t set = set_of(k, job, a, k->tas->failed);
	const struct kueue_queue *q = &k->queues[kueue_queue_of(k, job)];

	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++) {
		if (a->choices[i].flavor == tree_of(k, form, a, set))
			a->sets[set].least[q->group_of[form->slots[i].resource]] = WHY_TOPOLOGY;
	}
	set_modes(form, a, set, MODE_NO_FIT);
	a->mode = MODE_NO_FIT;
	a->no_fit = a->sets[set].reason_count > 0 ? kueue_flavor_set_why(&a->sets[set]) : WHY_NONE;
}

static bool has_trees(const struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];

	for (uint32_t g = 0; g < q->spec->group_count; g++) {
		for (uint32_t f = 0; f < q->groups[g].flavor_count; f++) {
			if (has_topology(k, q->groups[g].flavors[f]))
				return true;
		}
	}
	return false;
}

/* All resources of a set must be on one flavor with a topology. */
static bool has_wrong_flavors(struct kueue *k, uint32_t job, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const struct name_table *strings = k->scenario->strings;

	for (uint32_t s = 0; s < a->set_count; s++) {
		uint32_t other, tree = trees_of(k, form, a, s, &other);
		const char *x, *y;
		char text[640];

		if (!is_wanted(k, job, form, a, s) || (tree != KUEUE_NONE && other == KUEUE_NONE))
			continue;
		a->error_set = s;
		a->error = has_trees(k, kueue_queue_of(k, job))
				   ? "no TAS flavor assigned"
				   : "workload requires Topology, but there is no TAS cache "
				     "information";
		if (tree == KUEUE_NONE)
			return true;
		x = name_text(strings, k->flavors[tree].name);
		y = name_text(strings, k->flavors[other].name);
		snprintf(text, sizeof(text), "more than one TAS flavor assigned: %s, %s",
			 strcmp(x, y) < 0 ? x : y, strcmp(x, y) < 0 ? y : x);
		a->error = mem_arena_strdup(k->cycle_arena, text);
		return true;
	}
	return false;
}

bool kueue_spot_is_refused(struct kueue *k, uint32_t job, uint32_t flavor)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t queue = kueue_queue_of(k, job);
	struct kueue_tas_set set;

	if (form->set_count != 1 || form->counts[0] == 0 ||
	    k->queues[queue].spec->check_count > 0 || !has_topology(k, flavor) ||
	    !kueue_flavor_wants_topology(k, queue, shape_of(k, form, 0)))
		return false;
	set = kueue_tas_request(shape_of(k, form, 0));
	set.tree = flavor;
	set.count = form->counts[0];
	return kueue_tas_is_refused(k->tas, &set, 1) ||
	       (kueue_tas_keeps_refusal(k->tas, &set) && !kueue_tas_place(k->tas, &set, 1, false) &&
		kueue_tas_is_refused(k->tas, &set, 1));
}

/* Places for what was asked for last. Where the reason is told it is looked for each time. */
static bool find(struct kueue *k)
{
	if (!kueue_tells(k) && !k->config->searches_anew &&
	    kueue_tas_is_refused(k->tas, k->tas_sets, k->tas_count))
		return false;
	return kueue_tas_place(k->tas, k->tas_sets, k->tas_count, false);
}

void kueue_spot_assign(struct kueue *k, uint32_t job, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	a->spot_count = 0;
	k->tas_count = 0;
	if (a->mode == MODE_NO_FIT)
		return;
	if (has_wrong_flavors(k, job, a)) {
		a->mode = MODE_NO_FIT;
		a->no_fit = kueue_flavor_set_why(&a->sets[a->error_set]);
		return;
	}
	for (uint32_t s = 0; k->topology != NULL && s < a->set_count; s++)
		a->sets[s].delayed = is_delayed(k, job, form, a, s);
	if (k->topology != NULL)
		k->tas_count = make_requests(k, job, a);
	if (k->tas_count == 0)
		return;
	if (a->mode == MODE_FIT) {
		uint32_t set;

		if (find(k)) {
			keep_spots(k, job, a);
			return;
		}
		set = set_of(k, job, a, k->tas->failed);
		note_failure(k, a, set);
		set_modes(form, a, set, MODE_PREEMPT);
		a->mode = MODE_PREEMPT;
	}
	if (kueue_life_of(k, job)->replaces != KUEUE_NONE) {
		/* In vain: as it was. */
		for (uint32_t s = 0; s < a->set_count; s++)
			keep_held(k, job, a, s);
		return;
	}
	if (!kueue_tas_fits(k->tas, k->tas_sets, k->tas_count, true)) {
		refuse(k, job, a);
		return;
	}
	for (uint32_t s = 0; s < a->set_count; s++) {
		if (is_asked(k, job, form, a, s))
			set_modes(form, a, s, MODE_PREEMPT);
	}
}

void kueue_spot_set_aside(struct kueue *k, uint32_t job, struct kueue_assignment *a, bool empty)
{
	a->spot_count = 0;
	k->tas_count = make_requests(k, job, a);
	if (k->tas_count > 0 && kueue_tas_place(k->tas, k->tas_sets, k->tas_count, empty))
		keep_spots(k, job, a);
}

bool kueue_spot_fits(struct kueue *k)
{
	return kueue_tas_fits(k->tas, k->tas_sets, k->tas_count, false);
}

/* Pods of the spot that the job does not have there already. A slice counts whole: of the
 * one that it replaces Kueue thinks as of a victim. */
static int64_t added_pods(const struct kueue *k, uint32_t job, const struct kueue_spot *spot)
{
	uint32_t count;
	const struct kueue_spot *spots = held_spots(k, job, &count);
	int64_t pods = spot->pods;

	for (uint32_t i = 0; i < count && !is_slice(k, job); i++) {
		if (spots[i].set == spot->set && spots[i].place == spot->place)
			pods -= spots[i].pods;
	}
	return pods > 0 ? pods : 0;
}

bool kueue_spot_free(const struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	for (uint32_t i = 0; i < a->spot_count; i++) {
		const struct kueue_spot *s = &a->spots[i];
		int64_t pods = added_pods(k, job, s);

		if (pods > 0 &&
		    !kueue_topology_holds(k->topology, s->tree, s->place, s->shape, pods))
			return false;
	}
	return true;
}

void kueue_spot_suppose(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	for (uint32_t i = 0; i < a->spot_count; i++) {
		int64_t pods = added_pods(k, job, &a->spots[i]);

		if (pods > 0)
			kueue_topology_suppose(k->topology, a->spots[i].tree, a->spots[i].place,
					       a->spots[i].shape, pods);
	}
}
