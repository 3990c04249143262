#include "sim/kueue_update.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue_life.h"
#include "sim/kueue_message.h"
#include "sim/kueue_queue.h"
#include "sim/kueue_spot.h"

/* --------------------------------------------------------- whose workloads */

static int compare_local_queues(const void *a, const void *b, void *context)
{
	const struct kueue *k = context;
	const struct name_table *strings = k->scenario->strings;
	const struct local_queue *x = k->local_queues[*(const uint32_t *)a];
	const struct local_queue *y = k->local_queues[*(const uint32_t *)b];
	int c = strcmp(name_text(strings, x->ns), name_text(strings, y->ns));

	return c != 0 ? c : strcmp(name_text(strings, x->name), name_text(strings, y->name));
}

typedef void visit_job(struct kueue *k, uint32_t job);

static void for_jobs_of(struct kueue *k, uint32_t local_queue, visit_job *visit)
{
	for (uint32_t j = 0; j < k->job_count; j++) {
		if (k->scenario->jobs[j].local_queue == local_queue)
			visit(k, j);
	}
}

/* Workloads of a queue: LocalQueues by namespace and name, each in job order. */
static void for_jobs_of_queue(struct kueue *k, uint32_t queue, visit_job *visit)
{
	uint32_t *order = mem_calloc(k->scenario->local_queue_count, sizeof(*order));
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		if (k->local_queues[i]->cluster_queue == queue)
			order[count++] = i;
	}
	sort_stable(order, count, sizeof(*order), compare_local_queues, k);
	for (uint32_t i = 0; i < count; i++)
		for_jobs_of(k, order[i], visit);
	mem_free(order);
}

static void refresh_job(struct kueue *k, uint32_t job)
{
	if (kueue_life_waits(k, job))
		kueue_life_refresh(k, job);
}

/* ------------------------------------------------------------ LocalQueues */

static void drain_local(struct kueue *k, uint32_t job)
{
	if (kueue_holds(k, job))
		kueue_life_evict(k, job, CAUSE_LOCAL_QUEUE_STOPPED, "reason=LocalQueueStopped",
				 "The LocalQueue is stopped");
}

static void leave_queue(struct kueue *k, uint32_t job)
{
	if (k->jobs[job].place != PLACE_NOWHERE)
		kueue_queue_remove(k, job);
}

/* A restarted LocalQueue puts all it has into the heap, back-off or not. */
static void enter_queue(struct kueue *k, uint32_t job)
{
	if (kueue_life_waits(k, job) && !k->jobs[job].inactive &&
	    k->jobs[job].class != KUEUE_NONE && k->jobs[job].place == PLACE_NOWHERE)
		kueue_queue_push_active(k, job);
}

static void update_local_queue(struct kueue *k, uint32_t lq, enum stop_policy before)
{
	enum stop_policy now = k->local_queues[lq]->stop;

	if (before == STOP_NONE && now != STOP_NONE)
		for_jobs_of(k, lq, leave_queue);
	else if (before != STOP_NONE && now == STOP_NONE)
		for_jobs_of(k, lq, enter_queue);
	if (now == STOP_HOLD_AND_DRAIN)
		for_jobs_of(k, lq, drain_local);
	for_jobs_of(k, lq, refresh_job);
}

/* ----------------------------------------------------------- ClusterQueues */

static void drain(struct kueue *k, uint32_t job)
{
	if (kueue_holds(k, job))
		kueue_life_evict(k, job, CAUSE_QUEUE_STOPPED, "reason=ClusterQueueStopped",
				 "The ClusterQueue is stopped");
}

/* Those that were evicted when it stopped. */
static void restart(struct kueue *k, uint32_t job)
{
	if (k->jobs[job].place == PLACE_BACKOFF && k->jobs[job].cause == CAUSE_QUEUE_STOPPED) {
		k->jobs[job].cause = CAUSE_NONE;
		kueue_queue_push(k, job);
	}
}

static bool same_groups(const struct cluster_queue *a, const struct cluster_queue *b)
{
	if (a->group_count != b->group_count || a->cohort != b->cohort)
		return false;
	for (uint32_t g = 0; g < a->group_count; g++) {
		const struct resource_group *x = &a->groups[g], *y = &b->groups[g];
		size_t cells = (size_t)x->flavor_count * x->resource_count;

		if (x->flavor_count != y->flavor_count || x->resource_count != y->resource_count ||
		    memcmp(x->resources, y->resources, x->resource_count * sizeof(*x->resources)) !=
			    0 ||
		    memcmp(x->flavor_names, y->flavor_names,
			   x->flavor_count * sizeof(*x->flavor_names)) != 0 ||
		    memcmp(x->cells, y->cells, cells * sizeof(*x->cells)) != 0)
			return false;
	}
	return true;
}

/* Quotas were worked out again: what every queue of the tree remembers of its
 * flavor scans may be out of date. */
static void renew_generations(struct kueue *k, uint32_t root)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->tree.nodes[i].root == root)
			k->queues[i].generation++;
	}
}

static void update_queue(struct kueue *k, uint32_t queue, const struct cluster_queue *before)
{
	const struct cluster_queue *now = k->queues[queue].spec;

	if (!same_groups(before, now)) {
		renew_generations(k, k->tree.nodes[queue].root);
		if (before->cohort != SCENARIO_NONE && before->cohort != now->cohort)
			renew_generations(k, k->tree.nodes[k->queue_count + before->cohort].root);
	}
	kueue_queue_request_flush(k, queue);
	if (now->stop == STOP_NONE)
		for_jobs_of_queue(k, queue, restart);
	if (now->stop == STOP_HOLD_AND_DRAIN)
		for_jobs_of_queue(k, queue, drain);
	for_jobs_of_queue(k, queue, refresh_job);
}

/* ----------------------------------------------------------- other objects */

static bool uses_flavor(const struct kueue *k, uint32_t queue, uint32_t name)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	for (uint32_t g = 0; g < spec->group_count; g++) {
		for (uint32_t f = 0; f < spec->groups[g].flavor_count; f++) {
			if (spec->groups[g].flavor_names[f] == name)
				return true;
		}
	}
	return false;
}

static void update_flavor(struct kueue *k, uint32_t name)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (!uses_flavor(k, i, name))
			continue;
		kueue_queue_request_flush(k, i);
		for_jobs_of_queue(k, i, refresh_job);
	}
}

static void update_topology(struct kueue *k, uint32_t name)
{
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		if (k->flavors[f].now != NULL && k->flavors[f].now->topology_name == name)
			update_flavor(k, k->flavors[f].name);
	}
}

static void update_cohort(struct kueue *k, uint32_t cohort)
{
	uint32_t root = k->tree.nodes[k->queue_count + cohort].root;

	renew_generations(k, root);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->tree.nodes[i].root != root)
			continue;
		kueue_queue_request_flush(k, i);
		for_jobs_of_queue(k, i, refresh_job);
	}
}

static void update_namespace(struct kueue *k, uint32_t name)
{
	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		const struct local_queue *lq = k->local_queues[i];

		if (lq->ns != name || lq->cluster_queue == SCENARIO_NONE)
			continue;
		if (kueue_namespace_matches(k, lq->cluster_queue, i))
			kueue_queue_request_flush(k, lq->cluster_queue);
		for_jobs_of(k, i, refresh_job);
	}
}

/* The value of the class becomes the priority of every workload that has it,
 * those that hold quota included (spec 1.5). */
static void update_priority(struct kueue *k, const struct priority_class *class)
{
	for (uint32_t j = 0; j < k->job_count; j++) {
		struct kueue_job *job = &k->jobs[j];
		enum kueue_place place = (enum kueue_place)job->place;

		if (k->scenario->jobs[j].priority_class != class->name ||
		    job->class == KUEUE_NONE || kueue_class_of(k, j)->priority == class->value)
			continue;
		if (place == PLACE_ACTIVE || place == PLACE_PARKED)
			kueue_queue_remove(k, j);
		job->class = kueue_state_class(k, job->class, class->value);
		if (place == PLACE_ACTIVE || place == PLACE_PARKED)
			kueue_queue_push(k, j);
		if (job->hold != KUEUE_NONE) {
			kueue_hold_move(k, j);
			kueue_queue_request_flush(k, k->holds[job->hold].queue);
		}
	}
}

static void update_queues(struct kueue *k, const struct update *update)
{
	const struct scenario *s = k->scenario;
	const struct cluster_queue *before;
	enum stop_policy stop;

	if (update->kind == UPDATE_CLUSTER_QUEUE && update->object < k->queue_count) {
		before = k->queues[update->object].spec;
		kueue_state_replace(k, update);
		kueue_state_apply(k);
		update_queue(k, update->object, before);
	} else if (update->kind == UPDATE_LOCAL_QUEUE && update->object < s->local_queue_count) {
		stop = k->local_queues[update->object]->stop;
		kueue_state_replace(k, update);
		update_local_queue(k, update->object, stop);
	}
}

void kueue_update(struct kueue *k, const struct update *update)
{
	const struct scenario *s = k->scenario;

	if (update->kind == UPDATE_CLUSTER_QUEUE || update->kind == UPDATE_LOCAL_QUEUE) {
		update_queues(k, update);
		return;
	}
	kueue_state_replace(k, update);
	kueue_state_apply(k);
	if (update->kind == UPDATE_FLAVOR || update->kind == UPDATE_TOPOLOGY)
		kueue_spot_rebuild(k);
	if (update->kind == UPDATE_FLAVOR)
		update_flavor(k, s->flavors[update->version].name);
	else if (update->kind == UPDATE_TOPOLOGY)
		update_topology(k, s->topologies[update->version].name);
	else if (update->kind == UPDATE_COHORT && update->object < s->cohort_count)
		update_cohort(k, update->object);
	else if (update->kind == UPDATE_NAMESPACE)
		update_namespace(k, s->namespaces[update->version].name);
	else if (update->kind == UPDATE_WORKLOAD_PRIORITY_CLASS)
		update_priority(k, &s->priority_classes[update->version]);
}

void kueue_update_node(struct kueue *k, uint32_t node)
{
	if (k->topology == NULL)
		return;
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (kueue_spot_concerns(k, i, node))
			kueue_queue_request_flush(k, i);
	}
	kueue_spot_rebuild(k);
}

bool kueue_update_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods)
{
	bool gained = kueue_spot_pod(k, pod, node, pods);

	for (uint32_t i = 0; i < k->queue_count && gained; i++) {
		if (kueue_spot_concerns(k, i, node))
			kueue_queue_request_flush(k, i);
	}
	return gained;
}
