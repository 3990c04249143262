#include "sim/kueue/kueue_update.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_class.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_objects.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_roll.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_slice.h"
#include "sim/kueue/kueue_spot.h"
#include "sim/kueue/kueue_wake.h"

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

/* Workloads of a queue: LocalQueues by namespace and name, each in job order. */
static void for_jobs_of_queue(struct kueue *k, uint32_t queue, kueue_roll_visitor *visit)
{
	uint32_t *order = mem_calloc(k->scenario->local_queue_count, sizeof(*order));
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		if (k->local_queues[i]->cluster_queue == queue)
			order[count++] = i;
	}
	sort_stable(order, count, sizeof(*order), compare_local_queues, k);
	for (uint32_t i = 0; i < count; i++)
		kueue_roll_visit(k, order[i], visit);
	mem_free(order);
}

static void refresh_job(struct kueue *k, uint32_t job)
{
	if (kueue_life_waits(k, job))
		kueue_life_refresh(k, job);
}

/* ------------------------------------------------------------ LocalQueues */

static bool is_drained(const struct kueue_queue *q)
{
	return q->latest->stop == STOP_HOLD_AND_DRAIN;
}

/* Kueue's queues tell it the ClusterQueue of a workload, and they do not know LocalQueues that
 * are stopped or gone: whose workloads run on until theirs is there again. */
static void drain(struct kueue *k, uint32_t job, const struct local_queue *lq,
		  const struct kueue_queue *q)
{
	if (!lq->absent && lq->stop == STOP_HOLD_AND_DRAIN)
		kueue_life_evict(k, job, CAUSE_LOCAL_QUEUE_STOPPED, "reason=LocalQueueStopped",
				 "The LocalQueue is stopped");
	else if (kueue_lq_serves(lq) && is_drained(q))
		kueue_life_evict(k, job, CAUSE_QUEUE_STOPPED, "reason=ClusterQueueStopped",
				 "The ClusterQueue is stopped");
}

/* Who has a reservation and no more loses it, drained or not. */
static void withdraw(struct kueue *k, uint32_t job, const struct local_queue *lq,
		     const struct kueue_queue *q)
{
	if (!kueue_lq_serves(lq))
		kueue_life_unreserve(k, job, lq->absent ? WHY_MISCONFIGURED : WHY_SUSPENDED,
				     kueue_message_name(k, "LocalQueue ", lq->name,
							lq->absent ? " is terminating or missing"
								   : " is stopped"));
	else if (q->ending || q->latest->stop != STOP_NONE)
		kueue_life_unreserve(k, job, q->ending ? WHY_MISCONFIGURED : WHY_SUSPENDED,
				     kueue_message_name(k, "ClusterQueue ", q->spec->name,
							q->ending ? " is terminating or missing"
								  : " is stopped"));
}

/* What is deactivated has left Kueue's cache, and is reserved until its Job stops. */
static bool is_reserved(const struct kueue *k, uint32_t job)
{
	return kueue_holds(k, job) ||
	       (k->jobs[job].inactive && kueue_run(k, job)->phase == JOB_EVICTED);
}

void kueue_update_reconcile(struct kueue *k, uint32_t job)
{
	const struct local_queue *lq = k->local_queues[kueue_job(k, job)->common->local_queue];
	const struct kueue_queue *q;

	if (!is_reserved(k, job) || kueue_life_of(k, job)->requeue_at > k->world->now)
		return;
	q = &k->queues[kueue_holds(k, job) ? k->holds[k->jobs[job].hold].queue
					   : kueue_queue_of(k, job)];
	if (kueue_life_of(k, job)->admitted >= 0)
		drain(k, job, lq, q);
	else
		withdraw(k, job, lq, q);
}

/* Who is the head of a cycle that waits leaves at its end. */
static void leave_queue(struct kueue *k, uint32_t job)
{
	if (k->jobs[job].place != PLACE_NOWHERE && k->jobs[job].place != PLACE_INFLIGHT)
		kueue_queue_remove(k, job);
}

/* A LocalQueue that is new or restarted puts all it has into the heap, back-off or
 * not. */
static void enter_queue(struct kueue *k, uint32_t job)
{
	const struct kueue_job *j = &k->jobs[job];

	if (kueue_life_waits(k, job) && !j->inactive && !j->unfiled && !kueue_life_gated(k, job) &&
	    j->class != KUEUE_NONE && !kueue_is_parent(k, job) && j->place == PLACE_NOWHERE &&
	    !k->queues[kueue_queue_of(k, job)].gone)
		kueue_queue_push_active(k, job);
	kueue_slice_look(k, job);
}

static void update_local_queue(struct kueue *k, uint32_t lq, const struct local_queue *before)
{
	const struct local_queue *now = k->local_queues[lq];

	if (kueue_lq_serves(before) && !kueue_lq_serves(now))
		kueue_roll_visit(k, lq, leave_queue);
	else if (!kueue_lq_serves(before) && kueue_lq_serves(now))
		kueue_roll_visit(k, lq, enter_queue);
	kueue_roll_visit(k, lq, kueue_update_reconcile);
	kueue_roll_visit(k, lq, refresh_job);
	if (!kueue_lq_serves(before) && kueue_lq_serves(now))
		kueue_roll_visit(k, lq, kueue_sibling_touch);
}

/* ----------------------------------------------------------- ClusterQueues */

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

/* Kueue looks at its workloads, whatever the order of the checks. */
static bool same_checks(const struct cluster_queue *a, const struct cluster_queue *b)
{
	bool same = a->check_count == b->check_count;

	for (uint32_t c = 0; same && c < a->check_count; c++) {
		const struct check_ref *x = &a->checks[c], *y = &b->checks[c];

		same = x->name == y->name && x->flavor_count == y->flavor_count &&
		       (x->flavor_count == 0 ||
			memcmp(x->flavors, y->flavors, x->flavor_count * sizeof(*x->flavors)) == 0);
	}
	return same;
}

static bool same_flavors(const struct cluster_queue *a, const struct cluster_queue *b)
{
	if (a->group_count != b->group_count)
		return false;
	for (uint32_t g = 0; g < a->group_count; g++) {
		const struct resource_group *x = &a->groups[g], *y = &b->groups[g];

		if (x->flavor_count != y->flavor_count ||
		    memcmp(x->flavor_names, y->flavor_names,
			   x->flavor_count * sizeof(*x->flavor_names)) != 0)
			return false;
	}
	return true;
}

/* The controller of variants hears of other flavors a batch later
 * (pkg/controller/concurrentadmission, setupWithManager). */
static void expect_variants(struct kueue *k, uint32_t job)
{
	if (kueue_is_parent(k, job))
		kueue_timer(k, clock_add(k->world->now, k->world->options->requeue_batch),
			    TIMER_VARIANT, job);
}

struct kueue_stale_checks *kueue_update_stale(const struct kueue *k, uint32_t job)
{
	for (size_t i = 0; i < k->stale_check_count; i++) {
		if (k->stale_checks[i].job == job)
			return &k->stale_checks[i];
	}
	return NULL;
}

/* Who had quota before a cycle that waited is done with what came meanwhile. */
static bool is_known(const struct kueue *k, uint32_t job)
{
	return k->catching_up && k->holds[k->jobs[job].hold].cycle != k->cycle;
}

static void note_stale(struct kueue *k, uint32_t job)
{
	if (!kueue_holds(k, job) || is_known(k, job) || kueue_update_stale(k, job) != NULL ||
	    (k->holds[k->jobs[job].hold].evicted && kueue_life_of(k, job)->admitted >= 0))
		return;
	k->stale_checks = mem_grow(k->stale_checks, k->stale_check_count + 1,
				   &k->stale_check_capacity, sizeof(*k->stale_checks));
	k->stale_checks[k->stale_check_count++] = (struct kueue_stale_checks){
		.job = job, .queue = k->queues[kueue_queue_of(k, job)].was};
}

/* Of what changes in a queue its controller of workloads heeds these alone
 * (workloadQueueHandler.Update): whatever else does, who waits is told nothing by it. */
static void look_at_workloads(struct kueue *k, uint32_t queue, const struct cluster_queue *before)
{
	const struct cluster_queue *now = k->queues[queue].latest;
	bool rechecks = !same_checks(before, now);

	if (now->stop == before->stop && !rechecks)
		return;
	k->queues[queue].was = before;
	if (rechecks)
		for_jobs_of_queue(k, queue, note_stale);
	if (now->stop == STOP_NONE)
		for_jobs_of_queue(k, queue, restart);
	else
		for_jobs_of_queue(k, queue, kueue_update_reconcile);
	for_jobs_of_queue(k, queue, refresh_job);
}

static bool same_policies(const struct cluster_queue *a, const struct cluster_queue *b)
{
	return a->strategy == b->strategy && a->stop == b->stop &&
	       a->when_can_borrow == b->when_can_borrow &&
	       a->when_can_preempt == b->when_can_preempt && a->preference == b->preference &&
	       a->reclaim_within_cohort == b->reclaim_within_cohort &&
	       a->within_cluster_queue == b->within_cluster_queue &&
	       a->borrow_within_cohort == b->borrow_within_cohort &&
	       a->has_max_priority_threshold == b->has_max_priority_threshold &&
	       a->max_priority_threshold == b->max_priority_threshold &&
	       a->fair_weight == b->fair_weight &&
	       a->usage_based_fair_sharing == b->usage_based_fair_sharing &&
	       a->concurrent == b->concurrent && a->retains_first == b->retains_first &&
	       a->last_acceptable == b->last_acceptable;
}

/* Applied again as it was, a queue wakes nobody (ClusterQueueReconciler.Update: specUpdated). */
static bool same_queue(const struct cluster_queue *a, const struct cluster_queue *b)
{
	return same_groups(a, b) && same_checks(a, b) && same_policies(a, b) &&
	       label_selector_equal(&a->namespace_selector, &b->namespace_selector);
}

static void update_queue(struct kueue *k, uint32_t queue, const struct cluster_queue *before)
{
	const struct cluster_queue *now = k->queues[queue].spec;

	if (!same_groups(before, now)) {
		renew_generations(k, k->tree.nodes[queue].root);
		if (before->cohort != SCENARIO_NONE && before->cohort != now->cohort)
			renew_generations(k, k->tree.nodes[k->queue_count + before->cohort].root);
	}
	if (!same_queue(before, now) && !(k->catching_up && before->cohort == now->cohort))
		kueue_queue_request_flush(k, queue);
	look_at_workloads(k, queue, before);
	if (!same_flavors(before, now))
		for_jobs_of_queue(k, queue, expect_variants);
}

/* A new queue takes who waited for it (spec 3.6). */
static void enqueue(struct kueue *k, uint32_t job)
{
	if (kueue_life_waits(k, job) && k->jobs[job].class != KUEUE_NONE &&
	    k->jobs[job].place == PLACE_NOWHERE)
		kueue_life_enqueue(k, job);
}

static void create_queue(struct kueue *k, uint32_t queue)
{
	k->queues[queue].gone = false;
	k->queues[queue].by_usage = k->queues[queue].spec->usage_based_fair_sharing;
	kueue_objects_apply(k);
	renew_generations(k, k->tree.nodes[queue].root);
	for_jobs_of_queue(k, queue, enqueue);
	kueue_queue_request_flush(k, queue);
	for_jobs_of_queue(k, queue, refresh_job);
	for_jobs_of_queue(k, queue, kueue_sibling_touch);
}

/* A finalizer keeps the object, inactive and with its quota, while workloads hold
 * some of it. */
static void end_queue(struct kueue *k, uint32_t queue)
{
	k->queues[queue].ending = true;
	k->ending_count++;
	kueue_objects_apply(k);
	for_jobs_of_queue(k, queue, kueue_update_reconcile);
	for_jobs_of_queue(k, queue, refresh_job);
}

static void remove_queue(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t root = k->tree.nodes[queue].root;

	for_jobs_of_queue(k, queue, leave_queue);
	for (size_t i = 0; i < q->bulk_count; i++)
		k->kins[q->bulk[i]].bulk = false;
	q->bulk_count = 0;
	q->ending = false;
	q->gone = true;
	k->ending_count--;
	plan_add(k->plan, DECIDE_GONE)->node = q->ended_by;
	renew_generations(k, root);
	kueue_objects_apply(k);
	for_jobs_of_queue(k, queue, refresh_job);
}

/* What is applied to an object on its way out changes nothing. */
static void update_cluster_queue(struct kueue *k, const struct update *update)
{
	const struct cluster_queue *before = k->queues[update->object].spec;
	struct kueue_queue *q = &k->queues[update->object];

	if (q->ending)
		return;
	if (k->scenario->cluster_queues[update->version].absent) {
		if (q->gone)
			return;
		q->ended_by = (uint32_t)(update - k->scenario->updates);
		end_queue(k, update->object);
		return;
	}
	kueue_objects_replace(k, update);
	if (q->gone) {
		create_queue(k, update->object);
		return;
	}
	kueue_objects_apply(k);
	update_queue(k, update->object, before);
}

/* ----------------------------------------------------------- other objects */

/* Those that an object which is there now has made active. */
static void flush_awakened(struct kueue *k, const bool *was_active)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->queues[i].active && !was_active[i])
			kueue_queue_request_flush(k, i);
	}
}

/* Objects in force, and what rests on them, worked out again. */
static void replace(struct kueue *k, const struct update *update)
{
	bool *was_active = mem_calloc(k->queue_count, sizeof(*was_active));

	for (uint32_t i = 0; i < k->queue_count; i++)
		was_active[i] = k->queues[i].active;
	kueue_objects_replace(k, update);
	kueue_objects_apply(k);
	flush_awakened(k, was_active);
	mem_free(was_active);
}

static void flush_users(struct kueue *k, uint32_t flavor)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (!k->queues[i].gone && scenario_has_flavor(k->queues[i].spec, flavor))
			kueue_queue_request_flush(k, i);
	}
}

/* Is it the same to who looks for a flavor that suits? */
static bool same_flavor(const struct flavor *a, const struct flavor *b)
{
	return label_set_equal(&a->node_labels, &b->node_labels) &&
	       label_taints_equal(&a->taints, &b->taints) &&
	       label_tolerations_equal(&a->tolerations, &b->tolerations);
}

/* pkg/controller/core/resourceflavor_controller.go and, with a topology, what
 * pkg/controller/tas/resource_flavor.go does besides. */
static void update_flavor(struct kueue *k, const struct update *update)
{
	const struct flavor *now = &k->scenario->flavors[update->version];
	const struct flavor *before = kueue_state_flavor(k, now->name);
	bool same = before != NULL && same_flavor(before, now);

	replace(k, update);
	kueue_spot_rebuild(k);
	if (before != NULL && !same)
		flush_users(k, now->name);
	if (k->topology != NULL && now->topology_name != NAME_NONE &&
	    !(same && before->topology_name == now->topology_name))
		kueue_wake_all(k);
}

static bool same_levels(const struct topology *a, const struct topology *b)
{
	return a != NULL && !a->absent && a->level_count == b->level_count &&
	       memcmp(a->levels, b->levels, b->level_count * sizeof(*b->levels)) == 0;
}

static void update_topology(struct kueue *k, const struct update *update)
{
	const struct topology *now = &k->scenario->topologies[update->version];
	bool same = same_levels(k->topologies[update->object], now);

	replace(k, update);
	kueue_spot_rebuild(k);
	for (uint32_t f = 0; f < k->flavor_count && !same; f++) {
		if (k->flavors[f].now != NULL && k->flavors[f].now->topology_name == now->name)
			flush_users(k, k->flavors[f].name);
	}
}

/* A cohort that is deleted goes on without quota while others name it. */
static void update_cohort(struct kueue *k, const struct update *update)
{
	uint32_t node = k->queue_count + update->object;
	uint32_t before = k->tree.nodes[node].root, root;

	kueue_objects_replace(k, update);
	kueue_objects_apply(k);
	root = k->tree.nodes[node].root;
	renew_generations(k, root);
	if (before != root)
		renew_generations(k, before);
	if (k->scenario->cohorts[update->version].implicit || k->cyclic[update->object])
		return;
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->tree.nodes[i].root == root)
			kueue_queue_request_flush(k, i);
	}
}

/* --------------------------------------------------------------- deletions */

static bool uses_check(const struct kueue *k, uint32_t queue, uint32_t check)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	for (uint32_t c = 0; c < spec->check_count; c++) {
		if (spec->checks[c].check == check)
			return true;
	}
	return false;
}

static bool uses_topology(const struct kueue *k, uint32_t topology)
{
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		if (k->flavors[f].now != NULL && k->flavors[f].now->topology_name != NAME_NONE &&
		    k->flavors[f].now->topology == topology)
			return true;
	}
	return false;
}

/* Finalizers keep flavors, checks and topologies while something names them. */
static bool is_kept(const struct kueue *k, const struct update *update)
{
	const struct scenario *s = k->scenario;

	if (update->kind == UPDATE_TOPOLOGY)
		return uses_topology(k, update->object);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->queues[i].gone)
			continue;
		if (update->kind == UPDATE_FLAVOR
			    ? scenario_has_flavor(k->queues[i].spec,
						  s->flavors[update->version].name)
			    : uses_check(k, i, update->object))
			return true;
	}
	return false;
}

static bool deletes(const struct scenario *s, const struct update *update)
{
	switch (update->kind) {
	case UPDATE_FLAVOR:
		return s->flavors[update->version].absent;
	case UPDATE_TOPOLOGY:
		return s->topologies[update->version].absent;
	case UPDATE_ADMISSION_CHECK:
		return s->checks[update->version].absent;
	case UPDATE_CLUSTER_QUEUE:
	case UPDATE_LOCAL_QUEUE:
	case UPDATE_COHORT:
	case UPDATE_NODE:
	case UPDATE_WORKLOAD_PRIORITY_CLASS:
	case UPDATE_NAMESPACE:
		break;
	}
	return false;
}

static bool is_doomed(const struct kueue *k, const struct update *update)
{
	for (size_t i = 0; i < k->doomed_count; i++) {
		if (k->doomed[i]->kind == update->kind && k->doomed[i]->object == update->object)
			return true;
	}
	return false;
}

static void doom(struct kueue *k, const struct update *update)
{
	k->doomed =
		mem_grow(k->doomed, k->doomed_count + 1, &k->doomed_capacity, sizeof(*k->doomed));
	k->doomed[k->doomed_count++] = update;
}

/* Flavors first: they free their topologies. */
static void delete_doomed(struct kueue *k)
{
	for (size_t i = 0; i < k->doomed_count;) {
		const struct update *update = k->doomed[i];

		if (is_kept(k, update)) {
			i++;
			continue;
		}
		memmove(&k->doomed[i], &k->doomed[i + 1],
			(--k->doomed_count - i) * sizeof(*k->doomed));
		replace(k, update);
		kueue_spot_rebuild(k);
		i = 0;
	}
}

void kueue_update_settle(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count && k->ending_count > 0; i++) {
		if (k->queues[i].ending && k->queues[i].hold_count == 0)
			remove_queue(k, i);
	}
	delete_doomed(k);
}

/* --------------------------------------------------------------- the others */

/* The labels of the namespace as they are in force; none without an object. */
static struct label_set labels_of(const struct kueue *k, uint32_t name)
{
	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		if (k->local_queues[i]->ns == name && k->namespaces[i] != NULL)
			return k->namespaces[i]->labels;
	}
	return (struct label_set){NULL, 0};
}

/* All queues that take the namespace now and did not before, whether or not it has a
 * LocalQueue of theirs (cqNamespaceHandler). */
static void update_namespace(struct kueue *k, const struct update *update)
{
	const struct name_table *strings = k->scenario->strings;
	uint32_t name = k->scenario->namespaces[update->version].name;
	struct label_set before = labels_of(k, name), now;

	kueue_objects_replace(k, update);
	now = labels_of(k, name);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		const struct label_selector *selector = &k->queues[i].spec->namespace_selector;

		if (!k->queues[i].gone && label_selector_matches(strings, &now, selector) &&
		    !label_selector_matches(strings, &before, selector))
			kueue_queue_request_flush(k, i);
	}
}

/* Who preempts keeps his place at the front: Kueue's mark is by the workload's name. But
 * it is of the spec as it was, so that he is no preemptor for PrioritizePreemptorWorkloads
 * until he preempts again. */
static void move_in_queue(struct kueue *k, uint32_t job, int32_t priority)
{
	struct kueue_queue *q = &k->queues[kueue_queue_of(k, job)];
	bool preempts = q->preemptor == job, in_heap = kueue_queue_is_in_heap(k, job);

	kueue_queue_remove(k, job);
	k->jobs[job].class = kueue_class_with_priority(k, k->jobs[job].class, priority);
	if (preempts) {
		q->preemptor = job;
		q->preemptor_changed = true;
	}
	if (in_heap)
		kueue_queue_push_active(k, job); /* whatever became of its new kin */
	else
		kueue_queue_push(k, job);
}

/* One is updated though nobody waits for it to be: it holds quota, is finished or deactivated.
 * Each such update looks for room (workload_controller.go, Update). */
static bool is_updated_aside(const struct kueue *k, uint32_t job)
{
	bool is_over = kueue_run(k, job)->phase == JOB_DONE;

	/* a deleted job is both */
	return k->jobs[job].hold != KUEUE_NONE || is_over != k->jobs[job].inactive;
}

/* The value of the class becomes the priority of every workload that has it,
 * those that hold quota, and those that are over, included (spec 1.5). */
static void update_priority(struct kueue *k, const struct priority_class *class)
{
	for (uint32_t j = 0; j < k->job_count; j++) {
		struct kueue_job *job = &k->jobs[j];
		enum kueue_place place = (enum kueue_place)job->place;
		int32_t priority;

		if (!kueue_names_class(k, j, class->name) || job->class == KUEUE_NONE)
			continue;
		priority = kueue_class_priority(k, j, class->value);
		if (kueue_class_of(k, j)->priority == priority)
			continue;
		if (place == PLACE_ACTIVE || place == PLACE_PARKED)
			move_in_queue(k, j, priority);
		else
			job->class = kueue_class_with_priority(k, job->class, priority);
		if (job->hold != KUEUE_NONE)
			kueue_hold_move(k, j);
		if (is_updated_aside(k, j))
			kueue_life_flush_for(k, j);
	}
}

/* Its jobs without a workload get one when the Job controller tries again. */
static void update_class(struct kueue *k, const struct update *update)
{
	const struct priority_class *class = &k->scenario->priority_classes[update->version];

	k->class_absent[update->object] = class->absent;
	if (class->absent)
		return;
	update_priority(k, class);
	for (uint32_t j = 0; j < k->job_count; j++) {
		if (k->jobs[j].unfiled && kueue_names_class(k, j, class->name))
			kueue_life_retry_filing(k, j);
	}
}

static void update_lq(struct kueue *k, const struct update *update)
{
	const struct local_queue *before = k->local_queues[update->object];

	kueue_objects_replace(k, update);
	update_local_queue(k, update->object, before);
}

static void apply(struct kueue *k, const struct update *update)
{
	switch (update->kind) {
	case UPDATE_CLUSTER_QUEUE:
		update_cluster_queue(k, update);
		break;
	case UPDATE_LOCAL_QUEUE:
		update_lq(k, update);
		break;
	case UPDATE_COHORT:
		update_cohort(k, update);
		break;
	case UPDATE_FLAVOR:
		update_flavor(k, update);
		break;
	case UPDATE_TOPOLOGY:
		update_topology(k, update);
		break;
	case UPDATE_ADMISSION_CHECK:
		replace(k, update);
		break;
	case UPDATE_WORKLOAD_PRIORITY_CLASS:
		update_class(k, update);
		break;
	case UPDATE_NAMESPACE:
	case UPDATE_NODE:
		break;
	}
}

/* Is it deleted by an update that waits for the cycle's end? */
static bool is_leaving(const struct kueue *k, uint32_t queue)
{
	bool any = false;

	for (size_t i = 0; i < k->postponed_count; i++) {
		const struct update *u = &k->scenario->updates[k->postponed[i]];

		any = any || (u->kind == UPDATE_CLUSTER_QUEUE && u->object == queue &&
			      k->scenario->cluster_queues[u->version].absent);
	}
	return any;
}

/* The cycle sees the queue as it was, but flushes and the controller of workloads do not wait. */
static void update_queue_ahead(struct kueue *k, uint32_t queue, const struct cluster_queue *now)
{
	struct kueue_queue *q = &k->queues[queue];
	const struct cluster_queue *before = q->latest;

	if (now->absent || q->gone || q->ending || is_leaving(k, queue))
		return;
	q->latest = now;
	if (!same_queue(before, now) && before->cohort == now->cohort)
		kueue_queue_request_flush(k, queue);
	look_at_workloads(k, queue, before);
}

void kueue_update_ahead(struct kueue *k, const struct update *update)
{
	if (update->kind == UPDATE_LOCAL_QUEUE)
		kueue_update(k, update);
	else if (update->kind == UPDATE_CLUSTER_QUEUE)
		update_queue_ahead(k, update->object,
				   &k->scenario->cluster_queues[update->version]);
}

/* Who was in the cycle: he may be in the queue again, or have got quota. */
static void look_again(struct kueue *k, uint32_t lq)
{
	if (!kueue_lq_serves(k->local_queues[lq]))
		kueue_roll_visit(k, lq, leave_queue);
	kueue_roll_visit(k, lq, kueue_update_reconcile);
	kueue_roll_visit(k, lq, refresh_job);
}

void kueue_update_behind(struct kueue *k, const struct update *update)
{
	if (update->kind == UPDATE_LOCAL_QUEUE)
		look_again(k, update->object);
	else
		kueue_update(k, update);
}

void kueue_update(struct kueue *k, const struct update *update)
{
	if (is_doomed(k, update))
		return; /* what is applied to an object on its way out changes nothing */
	if (deletes(k->scenario, update)) {
		doom(k, update);
		return;
	}
	if (update->kind == UPDATE_NAMESPACE) {
		update_namespace(k, update); /* nothing that usage rests on */
		return;
	}
	kueue_afs_prepare(k);
	apply(k, update);
	kueue_afs_renew(k);
}

void kueue_update_node(struct kueue *k, uint32_t node)
{
	kueue_wake_node(k, node);
	kueue_spot_node(k, node);
	kueue_wake_node(k, node);
}

bool kueue_update_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods)
{
	return kueue_spot_pod(k, pod, node, pods) && kueue_wake_freed(k, node);
}
