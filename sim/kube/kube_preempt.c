#include "sim/kube/kube_preempt.h"

#include <string.h>

#include "core/apart.h"
#include "core/mem.h"
#include "core/sort.h"
#include "sim/scenario/profile.h"

struct pod_list {
	uint32_t *pods;
	size_t capacity;
	uint32_t count;
};

/* What makes a node better or worse to preempt on (5.3), and the victims. */
struct option {
	uint32_t node;
	uint32_t violations; /* of PodDisruptionBudgets */
	int32_t highest;
	int64_t sum;
	uint32_t count;
	simtime start; /* earliest among the victims of the highest priority */
};

struct kube_preempt {
	const struct world *world;
	bool idle;	     /* one priority only */
	int32_t *priorities; /* distinct, ascending */
	uint32_t *bound;     /* pods bound, per priority */
	uint32_t priority_count;
	struct pod_list *lists; /* per node */
	uint32_t *position;	/* per pod slot: in its node's list */
	simtime *start;		/* per pod slot: whole second of its start */
	bool *evicted;		/* per pod slot: it goes for another */
	int64_t *row;		/* scratch: one node's use */
	uint32_t *trial, *best; /* victims */
	size_t trial_capacity, best_capacity;
	uint32_t trial_count, best_count;
	uint32_t violations; /* of budgets, by the trial */
	uint64_t offset;     /* of the search for candidates */
	bool drawn;
};

static int32_t priority_of(const struct kube_preempt *p, uint32_t pod)
{
	return p->world->scenario->jobs[p->world->pods[pod].job].common->pod_priority;
}

/* First index whose priority is at least this one. */
static uint32_t rank(const struct kube_preempt *p, int32_t priority)
{
	uint32_t low = 0, high = p->priority_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (p->priorities[middle] < priority)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_priority(struct kube_preempt *p, size_t *capacity, int32_t priority)
{
	uint32_t at = rank(p, priority);

	if (at < p->priority_count && p->priorities[at] == priority)
		return;
	p->priorities =
		mem_grow(p->priorities, p->priority_count + 1u, capacity, sizeof(*p->priorities));
	memmove(&p->priorities[at + 1], &p->priorities[at],
		(p->priority_count - at) * sizeof(*p->priorities));
	p->priorities[at] = priority;
	p->priority_count++;
}

struct kube_preempt *kube_preempt_new(const struct world *world)
{
	struct kube_preempt *p = mem_calloc(1, sizeof(*p));
	const struct scenario *s = world->scenario;
	uint32_t pods = world->journal->first_pod[s->job_count];
	size_t capacity = 0;

	p->world = world;
	for (uint32_t job = 0; !world->journal->survey.one_priority && job < s->job_count; job++) {
		/* Most jobs repeat the priority before. */
		if (job == 0 ||
		    s->jobs[job].common->pod_priority != s->jobs[job - 1].common->pod_priority)
			add_priority(p, &capacity, s->jobs[job].common->pod_priority);
	}
	p->idle = p->priority_count < 2;
	if (p->idle)
		return p;
	p->bound = mem_calloc(p->priority_count, sizeof(*p->bound));
	p->lists = mem_calloc(world->node_count, sizeof(*p->lists));
	p->position = mem_calloc(pods, sizeof(*p->position));
	p->start = mem_calloc(pods, sizeof(*p->start));
	p->evicted = mem_calloc(pods, sizeof(*p->evicted));
	p->row = mem_calloc(world->usage.resource_count, sizeof(*p->row));
	return p;
}

void kube_preempt_free(struct kube_preempt *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; !p->idle && i < p->world->node_count; i++)
		mem_free(p->lists[i].pods);
	mem_free(p->lists);
	mem_free(p->priorities);
	mem_free(p->bound);
	mem_free(p->position);
	mem_free(p->start);
	mem_free(p->evicted);
	mem_free(p->row);
	mem_free(p->trial);
	mem_free(p->best);
	mem_free(p);
}

/* ---- the nodes' lists ---- */

static void append(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	struct pod_list *list = &p->lists[node];

	list->pods = mem_grow(list->pods, list->count + 1u, &list->capacity, sizeof(*list->pods));
	p->position[pod] = list->count;
	list->pods[list->count++] = pod;
}

/* The last pod takes the place of the one that leaves. */
static void take_out(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	struct pod_list *list = &p->lists[node];
	uint32_t last = list->pods[--list->count];

	list->pods[p->position[pod]] = last;
	p->position[last] = p->position[pod];
}

static APART void count_bound(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	p->start[pod] = clock_floor_second(p->world->now);
	p->bound[rank(p, priority_of(p, pod))]++;
	append(p, pod, node);
}

void kube_preempt_bound(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	if (!p->idle)
		count_bound(p, pod, node);
}

void kube_preempt_updated(struct kube_preempt *p, uint32_t pod)
{
	uint32_t node = p->world->pods[pod].node;

	if (p->idle)
		return;
	take_out(p, pod, node);
	append(p, pod, node);
}

static APART void count_gone(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	p->evicted[pod] = false;
	p->bound[rank(p, priority_of(p, pod))]--;
	take_out(p, pod, node);
}

void kube_preempt_gone(struct kube_preempt *p, uint32_t pod, uint32_t node)
{
	if (!p->idle)
		count_gone(p, pod, node);
}

bool kube_preempt_any_below(const struct kube_preempt *p, int32_t priority)
{
	if (p->idle)
		return false;
	for (uint32_t i = 0; i < p->priority_count && p->priorities[i] < priority; i++) {
		if (p->bound[i] != 0)
			return true;
	}
	return false;
}

void kube_preempt_evicted(struct kube_preempt *p, uint32_t pod)
{
	if (!p->idle)
		p->evicted[pod] = true;
}

bool kube_preempt_leaving_below(const struct kube_preempt *p, uint32_t node, int32_t priority)
{
	if (p->idle)
		return false;
	for (uint32_t i = 0; i < p->lists[node].count; i++) {
		uint32_t pod = p->lists[node].pods[i];

		if (p->evicted[pod] && p->world->pods[pod].phase == POD_TERMINATING &&
		    priority_of(p, pod) < priority)
			return true;
	}
	return false;
}

/* ---- one node ---- */

static const struct pod_shape *shape_of(const struct kube_preempt *p, uint32_t pod)
{
	return &p->world->scenario->shapes[p->world->pods[pod].shape];
}

/* The node's use without the pods of lower priority, into row; those pods, in the
 * list's order, into trial. */
static void clear_below(struct kube_preempt *p, uint32_t node, int32_t priority)
{
	const struct cluster_usage *u = &p->world->usage;
	const struct pod_list *list = &p->lists[node];

	memcpy(p->row, &u->used[(size_t)node * u->resource_count],
	       u->resource_count * sizeof(*p->row));
	p->trial_count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		if (priority_of(p, list->pods[i]) >= priority)
			continue;
		kube_filter_remove(p->row, shape_of(p, list->pods[i]));
		p->trial = mem_grow(p->trial, p->trial_count + 1u, &p->trial_capacity,
				    sizeof(*p->trial));
		p->trial[p->trial_count++] = list->pods[i];
	}
}

bool kube_preempt_room(struct kube_preempt *p, uint32_t node, const struct pod_shape *shape,
		       int32_t priority)
{
	if (!kube_preempt_any_below(p, priority))
		return cluster_fits(&p->world->usage, node, shape);
	clear_below(p, node, priority);
	return kube_filter_lacking(&p->world->nodes[node], p->row, shape) == 0;
}

/* More important first; among equals the list's order stays. */
static int compare_importance(const void *a, const void *b, void *context)
{
	const struct kube_preempt *p = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (priority_of(p, x) != priority_of(p, y))
		return priority_of(p, x) > priority_of(p, y) ? -1 : 1;
	return (p->start[x] > p->start[y]) - (p->start[x] < p->start[y]);
}

/* The same for the constraints' counts. */
static void shift(const struct kube_preempt *p, const struct kube_preempt_request *request,
		  uint32_t node, int delta)
{
	for (uint32_t i = 0; request->constraint != NULL && i < p->trial_count; i++)
		kube_constraint_shift(request->constraint, p->trial[i], node, delta);
}

static bool refused(const struct kube_preempt_request *request, uint32_t node)
{
	return request->constraint != NULL &&
	       kube_constraint_judge(request->constraint, node) != REFUSAL_NONE;
}

/* Puts one back if the pod still can come. */
static bool reprieved(struct kube_preempt *p, const struct kube_preempt_request *request,
		      uint32_t node, uint32_t pod)
{
	kube_filter_add(p->row, shape_of(p, pod));
	if (request->constraint != NULL)
		kube_constraint_shift(request->constraint, pod, node, 1);
	if (kube_filter_lacking(&p->world->nodes[node], p->row, shape_of(p, request->pod)) == 0 &&
	    !refused(request, node))
		return true;
	kube_filter_remove(p->row, shape_of(p, pod));
	if (request->constraint != NULL)
		kube_constraint_shift(request->constraint, pod, node, -1);
	return false;
}

/* Puts back one by one who leaves room for the pod, first those whose going would
 * violate a budget; the others stay in trial. */
static void reprieve(struct kube_preempt *p, const struct kube_preempt_request *request,
		     uint32_t node)
{
	uint32_t victims = 0, violating;

	sort_stable(p->trial, p->trial_count, sizeof(*p->trial), compare_importance, p);
	violating = kube_budget_sort(request->budgets, p->trial, p->trial_count);
	p->violations = 0;
	for (uint32_t i = 0; i < p->trial_count; i++) {
		if (reprieved(p, request, node, p->trial[i]))
			continue;
		p->trial[victims++] = p->trial[i];
		p->violations += i < violating;
	}
	if (violating != 0)
		sort_stable(p->trial, victims, sizeof(*p->trial), compare_importance, p);
	p->trial_count = victims;
}

/* Without everyone of lower priority: what still stands against the pod is counted. */
static bool could_come(const struct kube_preempt *p, const struct kube_preempt_request *request,
		       uint32_t node)
{
	uint64_t lacking =
		kube_filter_lacking(&p->world->nodes[node], p->row, shape_of(p, request->pod));
	enum kube_refusal refusal = REFUSAL_NONE;

	if (lacking == 0 && request->constraint != NULL)
		refusal = kube_constraint_judge(request->constraint, node);
	if (request->tally != NULL) {
		kube_message_count(request->tally, lacking, 1);
		request->tally->refusals[refusal]++;
	}
	return lacking == 0 && refusal == REFUSAL_NONE;
}

/* The victims that it would take on this node into trial; false: no way. */
static bool try_node(struct kube_preempt *p, const struct kube_preempt_request *request,
		     uint32_t node)
{
	bool possible;

	clear_below(p, node, request->priority);
	if (p->trial_count == 0) {
		if (request->tally != NULL)
			request->tally->no_victims++;
		return false;
	}
	kube_filter_add_nominated(request->filter, node, request->pod, request->priority, p->row);
	shift(p, request, node, -1);
	possible = could_come(p, request, node);
	if (possible)
		reprieve(p, request, node);
	shift(p, request, node, 1);
	return possible && p->trial_count != 0;
}

bool kube_preempt_obstacle(struct kube_preempt *p, const struct kube_preempt_request *request,
			   uint32_t node, uint64_t *lacking)
{
	if (p->idle)
		return false;
	clear_below(p, node, request->priority);
	if (p->trial_count == 0)
		return false;
	kube_filter_add_nominated(request->filter, node, request->pod, request->priority, p->row);
	*lacking = kube_filter_lacking(&p->world->nodes[node], p->row, shape_of(p, request->pod));
	return true;
}

/* ---- which node ---- */

static struct option judge(const struct kube_preempt *p, uint32_t node)
{
	struct option o = {.node = node,
			   .violations = p->violations,
			   .highest = priority_of(p, p->trial[0]),
			   .count = p->trial_count,
			   .start = p->start[p->trial[0]]};

	for (uint32_t i = 0; i < p->trial_count; i++) {
		int32_t priority = priority_of(p, p->trial[i]);

		o.sum += (int64_t)priority + (INT64_C(1) << 31);
		if (priority == o.highest && p->start[p->trial[i]] < o.start)
			o.start = p->start[p->trial[i]];
	}
	return o;
}

/* <0: a is the better node. */
static int compare_options(const struct option *a, const struct option *b)
{
	if (a->violations != b->violations)
		return a->violations < b->violations ? -1 : 1;
	if (a->highest != b->highest)
		return a->highest < b->highest ? -1 : 1;
	if (a->sum != b->sum)
		return a->sum < b->sum ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (a->start < b->start) - (a->start > b->start);
}

static uint32_t candidates_wanted(const struct kube_preempt *p, uint32_t pod, uint32_t nodes)
{
	const struct scheduler_profile *profile = profile_of(p->world->scenario, shape_of(p, pod));
	uint32_t wanted = (uint32_t)((uint64_t)nodes * profile->candidates_percent / 100);

	if (wanted < profile->candidates_least)
		wanted = profile->candidates_least;
	return wanted < nodes ? wanted : nodes;
}

static void keep_trial(struct kube_preempt *p)
{
	p->best = mem_grow(p->best, p->trial_count, &p->best_capacity, sizeof(*p->best));
	memcpy(p->best, p->trial, p->trial_count * sizeof(*p->best));
	p->best_count = p->trial_count;
}

/* Replaces the best option by a better one; among equals: the first of the
 * nodes, or a uniform choice. */
static bool prefers(const struct kube_preempt_request *request, const struct option *best,
		    const struct option *o, uint32_t *ties)
{
	int order = best->node == NODE_NONE ? -1 : compare_options(o, best);

	if (order != 0) {
		*ties = order < 0 ? 1 : *ties;
		return order < 0;
	}
	(*ties)++;
	if (request->rng != NULL)
		return rng_below(request->rng, *ties) == 0;
	return o->node < best->node;
}

/* Where the search for candidates begins. A new number only after one was of use: so an
 * attempt that changes nothing draws none, made or only counted (kube_class.h). */
static uint32_t draw_offset(struct kube_preempt *p, const struct kube_preempt_request *request)
{
	if (!p->drawn)
		p->offset = rng_u64(request->rng);
	p->drawn = true;
	return (uint32_t)(p->offset % request->node_count);
}

uint32_t kube_preempt_choose(struct kube_preempt *p, const struct kube_preempt_request *request,
			     const uint32_t **victims, uint32_t *victim_count)
{
	uint32_t wanted = candidates_wanted(p, request->pod, request->node_count), found = 0,
		 ties = 0, offset = 0;
	bool harmless = false; /* one of them violates no budget */
	struct option best = {.node = NODE_NONE};

	*victims = NULL;
	*victim_count = 0;
	if (p->idle) {
		if (request->tally != NULL)
			request->tally->no_victims += request->node_count;
		return NODE_NONE;
	}
	kube_budget_look(request->budgets);
	if (request->rng != NULL && wanted < request->node_count)
		offset = draw_offset(p, request);
	for (uint32_t i = 0; i < request->node_count && (found < wanted || !harmless); i++) {
		uint32_t node = request->nodes[(offset + i) % request->node_count];
		struct option o;

		if (!try_node(p, request, node))
			continue;
		found++;
		harmless = harmless || p->violations == 0;
		o = judge(p, node);
		if (prefers(request, &best, &o, &ties)) {
			best = o;
			keep_trial(p);
		}
	}
	if (best.node != NODE_NONE) {
		p->drawn = false;
		*victims = p->best;
		*victim_count = p->best_count;
	}
	return best.node;
}
