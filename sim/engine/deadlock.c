#include "sim/engine/deadlock.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/engine/deadlock_terms.h"
#include "sim/kube/kube_match.h"

enum { JOB_DIRTY = 1, JOB_HALF = 2, JOB_LISTED = 4, JOB_NEW = 8 };

/* A half-placed job. */
struct half {
	uint32_t job;
	uint32_t missing; /* pods, all equal; 0: they are to be looked at each time */
	uint32_t group;	  /* of these pods */
};

/* How many pods of one group fit into what is free, counted node by node and only
 * as far as someone asked; good until something is taken out. */
struct tally {
	uint64_t generation;
	uint64_t found;
	uint32_t next;	/* first node not counted yet */
	uint32_t bound; /* no half-placed job misses more of these pods; 0: none misses any */
};

struct deadlock {
	const struct world *world;
	struct kube_match *match;
	struct deadlock_terms *terms; /* NULL: no template has constraints */
	uint64_t *room;		      /* scratch, per node */
	struct cluster_usage held;    /* by half-placed jobs and by what never ends */
	uint32_t *node;		      /* per pod slot: where held counts it, from 1; 0: nowhere */
	uint8_t *flags;		      /* per job */
	struct half *half, *open;     /* all of them; those that cannot complete so far */
	uint32_t *dirty, *taken, *left;
	size_t dirty_capacity, half_capacity, open_capacity, taken_capacity, left_capacity;
	uint32_t dirty_count, half_count, open_count, left_count;
	bool nodes_changed;
	struct tally *tallies; /* per group */
	size_t tally_capacity;
	uint32_t tally_count;
	uint64_t generation;
	uint32_t *bounded; /* groups with a bound */
	size_t bounded_capacity;
	uint32_t bounded_count;
	bool irregular; /* some half-placed job may have to be looked at each time */
};

struct deadlock *deadlock_new(const struct world *world)
{
	struct deadlock *d = mem_calloc(1, sizeof(*d));
	uint32_t pods = world->journal->first_pod[world->scenario->job_count];

	d->world = world;
	d->match = kube_match_new(world);
	d->terms = deadlock_terms_new(world, d->match);
	d->room = mem_calloc(world->node_count, sizeof(*d->room));
	cluster_usage_init(&d->held, world->nodes, world->node_count,
			   world->scenario->resource_count);
	d->node = mem_calloc(pods, sizeof(*d->node));
	d->flags = mem_calloc(world->scenario->job_count, 1);
	return d;
}

void deadlock_free(struct deadlock *d)
{
	if (d == NULL)
		return;
	deadlock_terms_free(d->terms);
	mem_free(d->room);
	kube_match_free(d->match);
	cluster_usage_free(&d->held);
	mem_free(d->node);
	mem_free(d->flags);
	mem_free(d->dirty);
	mem_free(d->half);
	mem_free(d->open);
	mem_free(d->taken);
	mem_free(d->left);
	mem_free(d->tallies);
	mem_free(d->bounded);
	mem_free(d);
}

static void push(uint32_t **list, uint32_t *count, size_t *capacity, uint32_t job)
{
	*list = mem_grow(*list, *count + 1u, capacity, sizeof(**list));
	(*list)[(*count)++] = job;
}

void deadlock_touch(struct deadlock *d, uint32_t job)
{
	const struct job *j = &d->world->scenario->jobs[job];

	if ((j->common->pods == 1 && j->duration != JOB_ENDLESS) ||
	    (d->flags[job] & JOB_DIRTY) != 0)
		return;
	d->flags[job] |= JOB_DIRTY;
	push(&d->dirty, &d->dirty_count, &d->dirty_capacity, job);
}

void deadlock_touch_nodes(struct deadlock *d)
{
	d->nodes_changed = true;
}

/* ---- who is half-placed, and what is held ---- */

static bool ends(const struct scenario *s, const struct job *job)
{
	const struct job_extra *extra = job->extra == JOB_NONE ? NULL : &s->extras[job->extra];

	if (job->duration != JOB_ENDLESS)
		return true;
	return extra != NULL && (extra->cancel_at != CLOCK_NEVER || extra->max_execution != 0);
}

static uint32_t first_pod(const struct deadlock *d, uint32_t job)
{
	return d->world->journal->first_pod[job];
}

/* One on a node that failed waits for the node, or for its eviction: its job is not
 * half-placed yet. */
static bool is_placed(const struct pod *pod)
{
	return pod->phase == POD_BOUND || pod->phase == POD_DEAD;
}

static uint32_t bound_pods(const struct deadlock *d, uint32_t job)
{
	const struct pod *pods = &d->world->pods[first_pod(d, job)];
	uint32_t bound = 0;

	for (uint32_t i = 0; i < d->world->scenario->jobs[job].common->pods; i++)
		bound += is_placed(&pods[i]);
	return bound;
}

/* Pods of a start-up order work before their job does. */
static bool works_ahead(const struct deadlock *d, uint32_t job)
{
	const struct job_control *control = scenario_job_control(d->world->scenario, job);
	uint32_t first = first_pod(d, job);
	bool works = false;

	if (control == NULL || control->startup_count == 0)
		return false;
	for (uint32_t i = 0; i < d->world->scenario->jobs[job].common->pods; i++)
		works |= d->world->pods[first + i].phase == POD_BOUND &&
			 control->set_works[world_pod_set(d->world, first + i)] >= 0;
	return works;
}

static bool half_placed(const struct deadlock *d, uint32_t job)
{
	const struct job_run *run = world_job(d->world, job);
	uint32_t bound;

	if (run->phase != JOB_ADMITTED || run->running_since != CLOCK_NEVER ||
	    (d->world->scenario->jobs[job].common->flags & JOB_NOT_GANG) != 0)
		return false;
	bound = bound_pods(d, job);
	return bound != 0 && bound < run->pods_wanted && !works_ahead(d, job);
}

/* Counts the job's bound pods in held, or takes them out of it. */
static void forget(struct deadlock *d, uint32_t job)
{
	uint32_t first = first_pod(d, job);

	for (uint32_t pod = first; pod < first + d->world->scenario->jobs[job].common->pods;
	     pod++) {
		if (d->node[pod] == 0)
			continue;
		cluster_remove(&d->held, d->node[pod] - 1,
			       &d->world->scenario->shapes[d->world->pods[pod].shape]);
		deadlock_terms_drop(d->terms, pod, d->node[pod] - 1);
		d->node[pod] = 0;
	}
}

static void record(struct deadlock *d, uint32_t job)
{
	uint32_t first = first_pod(d, job);

	for (uint32_t pod = first; pod < first + d->world->scenario->jobs[job].common->pods;
	     pod++) {
		const struct pod *p = &d->world->pods[pod];

		if (p->phase != POD_BOUND)
			continue;
		d->node[pod] = p->node + 1;
		deadlock_terms_hold(d->terms, pod, p->node);
		cluster_add(&d->held, p->node, &d->world->scenario->shapes[p->shape]);
	}
}

/* What can be known of the job's missing pods until it is touched again: a reservation may
 * get other domains meanwhile, and constraints hang on who else is there. */
static struct half count_missing(struct deadlock *d, uint32_t job)
{
	const struct world *w = d->world;
	struct half half = {.job = job};
	uint32_t wanted, bound;

	if (d->terms != NULL || w->scenario->jobs[job].common->pod_set_count != 1 ||
	    world_admission(w, job) != NULL)
		return half;
	wanted = world_pod_set_count(w, job, 0);
	bound = bound_pods(d, job);
	half.missing = wanted > bound ? wanted - bound : 0;
	half.group = kube_match_group(d->match, first_pod(d, job));
	return half;
}

static struct tally *tally_of(struct deadlock *d, uint32_t group)
{
	uint32_t groups = kube_match_count(d->match);

	if (d->tally_count < groups) {
		d->tallies = mem_grow(d->tallies, groups, &d->tally_capacity, sizeof(*d->tallies));
		for (; d->tally_count < groups; d->tally_count++)
			d->tallies[d->tally_count] = (struct tally){0};
	}
	return &d->tallies[group];
}

static void raise_bound(struct deadlock *d, const struct half *half)
{
	struct tally *t;

	if (half->missing == 0) {
		d->irregular = true;
		return;
	}
	t = tally_of(d, half->group);
	if (t->bound == 0)
		push(&d->bounded, &d->bounded_count, &d->bounded_capacity, half->group);
	if (half->missing > t->bound)
		t->bound = half->missing;
}

static void refresh(struct deadlock *d, uint32_t job)
{
	bool half = half_placed(d, job);
	struct half missing;

	d->flags[job] &= (uint8_t) ~(JOB_DIRTY | JOB_HALF);
	forget(d, job);
	if (half || !ends(d->world->scenario, &d->world->scenario->jobs[job]))
		record(d, job);
	if (!half)
		return;
	d->flags[job] |= JOB_HALF | JOB_NEW;
	missing = count_missing(d, job);
	raise_bound(d, &missing);
	if ((d->flags[job] & JOB_LISTED) == 0) {
		d->flags[job] |= JOB_LISTED;
		d->half =
			mem_grow(d->half, d->half_count + 1u, &d->half_capacity, sizeof(*d->half));
		d->half[d->half_count++] = (struct half){.job = job};
	}
}

static void refresh_dirty(struct deadlock *d)
{
	for (uint32_t i = 0; i < d->dirty_count; i++)
		refresh(d, d->dirty[i]);
	d->dirty_count = 0;
	if (d->nodes_changed) {
		for (uint32_t node = 0; node < d->world->node_count; node++)
			kube_match_node(d->match, node);
		deadlock_terms_nodes_changed(d->terms);
		d->nodes_changed = false;
	}
}

/* Who is half-placed no longer leaves the list, and the bounds come down to what those that
 * stay miss. */
static void refresh_list(struct deadlock *d)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->bounded_count; i++)
		d->tallies[d->bounded[i]].bound = 0;
	d->bounded_count = 0;
	d->irregular = false;
	for (uint32_t i = 0; i < d->half_count; i++) {
		uint32_t job = d->half[i].job;

		if ((d->flags[job] & JOB_HALF) == 0) {
			d->flags[job] &= (uint8_t)~JOB_LISTED;
			continue;
		}
		if ((d->flags[job] & JOB_NEW) != 0)
			d->half[i] = count_missing(d, job);
		d->flags[job] &= (uint8_t)~JOB_NEW;
		raise_bound(d, &d->half[i]);
		d->half[kept++] = d->half[i];
	}
	d->half_count = kept;
}

/* ---- does it fit? ---- */

/* Pods of the shape that the node still takes. */
static uint64_t room(const struct deadlock *d, uint32_t node, const struct pod_shape *shape)
{
	const int64_t *capacity = d->world->nodes[node].allocatable;
	const int64_t *used = d->held.used + (size_t)node * d->held.resource_count;
	int64_t least = capacity[RES_PODS] == RES_UNLIMITED ? UINT32_MAX
							    : capacity[RES_PODS] - used[RES_PODS];

	for (uint64_t left = shape->requested; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);
		int64_t pods;

		if (r == RES_PODS || shape->request[r] <= 0 || capacity[r] == RES_UNLIMITED)
			continue;
		pods = (capacity[r] - used[r]) / shape->request[r];
		least = pods < least ? pods : least;
	}
	return least > 0 ? (uint64_t)least : 0;
}

/* Equal pods: the nodes' rooms just add up. */
static bool equal_pods_fit(struct deadlock *d, uint32_t group, uint32_t missing)
{
	const struct kube_group *g = kube_match_at(d->match, group);
	struct tally *t = tally_of(d, group);

	if (t->generation != d->generation)
		*t = (struct tally){.generation = d->generation, .bound = t->bound};
	for (; t->found < missing && t->next < d->world->node_count; t->next++) {
		if (g->verdict[t->next] == KUBE_SUITS)
			t->found += room(d, t->next, &d->world->scenario->shapes[g->shape]);
	}
	return t->found >= missing;
}

/* The same where constraints count: not by group alone. */
static bool constrained_pods_fit(struct deadlock *d, uint32_t pod, uint32_t missing)
{
	uint32_t group = kube_match_group(d->match, pod);
	const struct kube_group *g = kube_match_at(d->match, group);

	for (uint32_t node = 0; node < d->world->node_count; node++)
		d->room[node] = g->verdict[node] == KUBE_SUITS
					? room(d, node, &d->world->scenario->shapes[g->shape])
					: 0;
	return deadlock_terms_room(d->terms, pod, group, d->room) >= missing;
}

/* First node in order that takes the pod, or NODE_NONE. closed: per node; NULL: none. */
static uint32_t first_fit(struct deadlock *d, uint32_t pod, const uint8_t *closed)
{
	const struct kube_group *g = kube_match_at(d->match, kube_match_group(d->match, pod));
	const struct pod_shape *shape = &d->world->scenario->shapes[g->shape];

	for (uint32_t node = 0; node < d->world->node_count; node++) {
		if (g->verdict[node] == KUBE_SUITS && (closed == NULL || !closed[node]) &&
		    cluster_fits(&d->held, node, shape))
			return node;
	}
	return NODE_NONE;
}

struct missing_set {
	uint32_t pod; /* any pod of the set: its group is theirs */
	uint32_t count;
	uint32_t placed;
	int64_t gpus; /* of one pod */
};

/* Different pods, greedily, the biggest first. What was placed is taken back by
 * the caller's cleanup, in the order of the list. */
static bool place_sets(struct deadlock *d, struct missing_set *sets, uint32_t count,
		       uint32_t **nodes, uint32_t *node_count, size_t *capacity)
{
	for (uint32_t k = 0; k < count; k++) {
		const uint8_t *closed = deadlock_terms_matter(d->terms, sets[k].pod)
						? deadlock_terms_closed(d->terms, sets[k].pod)
						: NULL;

		for (; sets[k].placed < sets[k].count; sets[k].placed++) {
			uint32_t node = first_fit(d, sets[k].pod, closed);
			uint32_t shape = d->world->pods[sets[k].pod].shape;

			if (node == NODE_NONE)
				return false;
			cluster_add(&d->held, node, &d->world->scenario->shapes[shape]);
			push(nodes, node_count, capacity, node);
		}
	}
	return true;
}

static bool mixed_pods_fit(struct deadlock *d, struct missing_set *sets, uint32_t count)
{
	uint32_t *nodes = NULL, node_count = 0, at = 0;
	size_t capacity = 0;
	bool fit = place_sets(d, sets, count, &nodes, &node_count, &capacity);

	for (uint32_t k = 0; k < count; k++) {
		uint32_t shape = d->world->pods[sets[k].pod].shape;

		for (uint32_t i = 0; i < sets[k].placed; i++)
			cluster_remove(&d->held, nodes[at++], &d->world->scenario->shapes[shape]);
	}
	mem_free(nodes);
	return fit;
}

static int compare_sets(const void *a, const void *b, void *context)
{
	const struct missing_set *x = a, *y = b;

	(void)context;
	if (x->gpus != y->gpus)
		return x->gpus > y->gpus ? -1 : 1;
	return (x->pod > y->pod) - (x->pod < y->pod);
}

/* The pod sets of which pods are missing; sets has room for all of them. */
static uint32_t missing_sets(const struct deadlock *d, uint32_t job, struct missing_set *sets)
{
	const struct job *j = &d->world->scenario->jobs[job];
	uint32_t pod = first_pod(d, job), count = 0;

	for (uint32_t k = 0; k < j->common->pod_set_count; k++) {
		const struct pod_set *set =
			&d->world->scenario->pod_sets[j->common->first_pod_set + k];
		uint32_t bound = 0, wanted = world_pod_set_count(d->world, job, k);

		for (uint32_t i = 0; i < set->count; i++)
			bound += is_placed(&d->world->pods[pod + i]) ||
				 d->world->pods[pod + i].phase == POD_DONE;
		if (bound < wanted) {
			sets[count] = (struct missing_set){
				.pod = pod,
				.count = wanted - bound,
				.gpus = d->world->scenario->shapes[set->shape].gpus};
			count++;
		}
		pod += set->count;
	}
	return count;
}

static bool can_complete(struct deadlock *d, uint32_t job)
{
	uint32_t set_count = d->world->scenario->jobs[job].common->pod_set_count;
	struct missing_set one, *sets = &one;
	uint32_t count;
	bool fit;

	if (set_count > 1)
		sets = mem_calloc(set_count, sizeof(*sets));
	count = missing_sets(d, job, sets);
	if (count == 1 && deadlock_terms_matter(d->terms, sets->pod)) {
		fit = constrained_pods_fit(d, sets->pod, sets->count);
	} else if (count == 1) {
		fit = equal_pods_fit(d, kube_match_group(d->match, sets->pod), sets->count);
	} else {
		sort_stable(sets, count, sizeof(*sets), compare_sets, NULL);
		fit = mixed_pods_fit(d, sets, count);
	}
	if (sets != &one)
		mem_free(sets);
	return fit;
}

/* ---- the fixpoint ---- */

/* One round: moves every open job that can complete to taken. Rounds, not single jobs: more
 * room never makes a job fit less, so the set left over at the end is the same, and the
 * tallies of a round can be shared. */
static uint32_t take_out(struct deadlock *d, uint32_t *taken_count)
{
	uint32_t kept = 0, before = *taken_count;

	d->generation++;
	for (uint32_t i = 0; i < d->open_count; i++) {
		const struct half *half = &d->open[i];
		bool fits = half->missing != 0 ? equal_pods_fit(d, half->group, half->missing)
					       : can_complete(d, half->job);

		if (fits)
			push(&d->taken, taken_count, &d->taken_capacity, half->job);
		else
			d->open[kept++] = *half;
	}
	d->open_count = kept;
	if (kept == 0) { /* nobody needs what the last ones hold */
		*taken_count = before;
		return 0;
	}
	for (uint32_t i = before; i < *taken_count; i++)
		forget(d, d->taken[i]);
	return *taken_count - before;
}

static void solve(struct deadlock *d)
{
	uint32_t taken_count = 0;

	d->open = mem_grow(d->open, d->half_count, &d->open_capacity, sizeof(*d->open));
	d->open_count = d->half_count;
	if (d->half_count != 0)
		memcpy(d->open, d->half, d->half_count * sizeof(*d->open));
	while (d->open_count != 0 && take_out(d, &taken_count) != 0)
		;
	for (uint32_t i = 0; i < taken_count; i++)
		record(d, d->taken[i]);
	d->left_count = 0;
	for (uint32_t i = 0; i < d->open_count; i++)
		push(&d->left, &d->left_count, &d->left_capacity, d->open[i].job);
	sort_stable(d->left, d->left_count, sizeof(*d->left), sort_compare_u32, NULL);
}

/* The usual case, without a look at each half-placed job: what the one that misses most of
 * each group misses would fit now, before any is taken out, so all could complete. */
static bool all_complete(struct deadlock *d)
{
	if (d->irregular || d->bounded_count > d->half_count)
		return false;
	d->generation++;
	for (uint32_t i = 0; i < d->bounded_count; i++) {
		uint32_t group = d->bounded[i];

		if (!equal_pods_fit(d, group, tally_of(d, group)->bound))
			return false;
	}
	return true;
}

static void look_again(struct deadlock *d)
{
	refresh_dirty(d);
	d->left_count = 0;
	if (all_complete(d))
		return;
	refresh_list(d);
	solve(d);
}

bool deadlock_none(const struct deadlock *d)
{
	return d->left_count == 0 && d->dirty_count == 0 && !d->nodes_changed;
}

bool deadlock_check(struct deadlock *d, const uint32_t **jobs, uint32_t *count)
{
	if (d->dirty_count != 0 || d->nodes_changed)
		look_again(d);
	*jobs = d->left;
	*count = d->left_count;
	return d->left_count != 0;
}
