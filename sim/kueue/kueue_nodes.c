#include "sim/kueue/kueue_nodes.h"

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_second.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_slice.h"

#define FAILURE_DELAY (30 * CLOCK_SECOND)
#define BATCH	      (100 * CLOCK_SECOND / 1000)

struct kueue_node {
	simtime due;	 /* when it is looked at next; -1 */
	simtime since;	 /* not ready since; -1: it is ready */
	struct node was; /* when it last changed */
};

void kueue_nodes_open(struct kueue *k)
{
	if (k->topology == NULL || !k->gates.replaces_nodes)
		return;
	k->nodes = mem_calloc(k->world->node_count, sizeof(*k->nodes));
	for (uint32_t n = 0; n < k->world->node_count; n++) {
		k->nodes[n].due = -1;
		k->nodes[n].since = k->world->nodes[n].ready ? -1 : k->world->now;
		k->nodes[n].was = k->world->nodes[n];
	}
}

static void look_at(struct kueue *k, uint32_t node, simtime at)
{
	struct kueue_node *n = &k->nodes[node];

	if (n->due >= 0 && n->due <= at)
		return;
	n->due = at;
	kueue_timer(k, at, TIMER_NODE, node);
}

/* ------------------------------------------- is the node lost to a workload? */

static bool repels(const struct node *node)
{
	for (uint32_t i = 0; i < node->taints.count; i++) {
		if (node->taints.items[i].effect != TAINT_PREFER_NO_SCHEDULE)
			return true;
	}
	return false;
}

/* A cordon is a taint, too (node lifecycle controller). */
static bool is_sound(const struct node *node)
{
	return node->ready && !node->unschedulable && !repels(node);
}

/* Without placement no pod ever leaves its node. */
static bool runs_there(const struct kueue *k, uint32_t job, uint32_t node)
{
	uint32_t first = k->world->journal->first_pod[kueue_job_of(k, job)];

	if (k->world->options->placement != PLACEMENT_SCHEDULER)
		return true;
	for (uint32_t i = 0; i < kueue_job(k, job)->common->pods; i++) {
		const struct pod *pod = &k->world->pods[first + i];

		if (pod->node == node && (pod->phase == POD_BOUND || pod->phase == POD_DEAD))
			return true;
	}
	return false;
}

enum tolerance { UNTOLERATED, FOR_A_WHILE, FOR_EVER };

/* By Lt or Gt. Kueue heeds such a toleration as it looks for nodes, but not here
 * (node_controller.go, checkTaintTolerations). */
static bool compares(const struct toleration *toleration)
{
	return toleration->op == TOLERATION_LT || toleration->op == TOLERATION_GT;
}

static enum tolerance tolerance_in(const struct name_table *strings,
				   const struct toleration_set *set, const struct taint *taint)
{
	enum tolerance best = UNTOLERATED;

	for (uint32_t i = 0; i < set->count; i++) {
		if (compares(&set->items[i]) ||
		    !label_toleration_matches(strings, &set->items[i], taint))
			continue;
		if (!set->items[i].limited)
			return FOR_EVER;
		best = FOR_A_WHILE;
	}
	return best;
}

/* Of the pods in a spot: their own tolerations and those of all flavors of their pod set,
 * be it the topology's or not (podset.FromAssignment). */
static enum tolerance tolerance_of(const struct kueue *k, const struct kueue_hold *hold,
				   const struct kueue_spot *spot, const struct taint *taint)
{
	const struct name_table *strings = k->scenario->strings;
	const struct kueue_form *form = kueue_form_of(k, hold->job);
	enum tolerance best = tolerance_in(strings, &spot->shape->tolerations, taint);

	for (uint32_t i = form->first[spot->set]; i < form->first[spot->set + 1]; i++) {
		const struct flavor *flavor =
			hold->kept[i] == KUEUE_NONE ? NULL : k->flavors[hold->kept[i]].now;
		enum tolerance t = UNTOLERATED;

		if (flavor != NULL)
			t = tolerance_in(strings, &flavor->tolerations, taint);
		best = t > best ? t : best;
	}
	return best;
}

/* The worst of all taints and pod sets that are on the node. */
static enum tolerance tolerance(const struct kueue *k, const struct kueue_hold *hold,
				uint32_t place, const struct node *node)
{
	const struct taint cordon = {
		.key = name_find(k->scenario->strings, "node.kubernetes.io/unschedulable"),
		.value = NAME_NONE,
		.effect = TAINT_NO_SCHEDULE};
	enum tolerance worst = FOR_EVER;

	for (uint32_t i = 0; i < hold->spot_count; i++) {
		const struct kueue_spot *spot = &hold->spots[i];
		enum tolerance t = FOR_EVER;

		if (spot->place != place)
			continue;
		if (node->unschedulable)
			t = tolerance_of(k, hold, spot, &cordon);
		worst = t < worst ? t : worst;
		for (uint32_t n = 0; n < node->taints.count; n++) {
			if (node->taints.items[n].effect == TAINT_PREFER_NO_SCHEDULE)
				continue;
			t = tolerance_of(k, hold, spot, &node->taints.items[n]);
			worst = t < worst ? t : worst;
		}
	}
	return worst;
}

static bool is_lost(const struct kueue *k, uint32_t job, uint32_t place, uint32_t index)
{
	const struct node *node = &k->world->nodes[index];
	enum tolerance t;

	if (node->deleted)
		return true;
	if (!node->ready)
		return !k->gates.awaits_pods || !runs_there(k, job, index);
	if (!k->gates.heeds_taints || is_sound(node))
		return false;
	t = tolerance(k, &k->holds[k->jobs[job].hold], place, node);
	if (t == UNTOLERATED && !k->gates.awaits_pods)
		return true;
	return t != FOR_EVER && !runs_there(k, job, index);
}

/* ------------------------------------------------------- what follows from it */

static void tell(struct kueue *k, uint32_t job, uint32_t place, bool failed)
{
	struct decision *d = plan_add(k->plan, DECIDE_UNHEALTHY);

	d->job = job;
	d->reason = journal_string(k->world->journal, kueue_topology_place(k->topology, place));
	if (failed)
		d->message = d->reason;
}

static void fail(struct kueue *k, uint32_t job, uint32_t place)
{
	struct kueue_life *life = kueue_life_own(k, job);

	if (life->unhealthy == place)
		return;
	if (life->unhealthy != KUEUE_NONE) {
		kueue_life_evict(k, job, CAUSE_NODE_FAILURES, "reason=NodeFailures",
				 kueue_message_node_failures(k, life->unhealthy, place));
		return;
	}
	kueue_slice_call_off(k, job);
	life->unhealthy = place;
	tell(k, job, place, true);
	if (life->second_due >= 0)
		return; /* the pass that it waits for is for the node that failed before */
	life->replaces = place;
	life->passes = 0;
	kueue_second_wait(k, job);
}

/* The pass that it waits for stays, and moves its pods or gives it up as if the node were
 * lost: Kueue makes it with the workload as it was, and so again until one succeeds
 * (QueueSecondPassIfNeeded keeps the object). Not so where a slice waits for its end. */
static void recover(struct kueue *k, uint32_t job, uint32_t place)
{
	struct kueue_life *life = kueue_life_own(k, job);

	if (life->unhealthy != place)
		return;
	life->unhealthy = KUEUE_NONE;
	if (kueue_run(k, job)->parallelism != JOB_NONE) {
		life->second_due = -1;
		life->replaces = KUEUE_NONE;
		kueue_slice_look(k, job);
	}
	tell(k, job, place, false);
}

static bool is_on(const struct kueue *k, uint32_t job, uint32_t place)
{
	const struct kueue_hold *hold;

	if (!kueue_holds(k, job) || kueue_life_of(k, job)->admitted < 0)
		return false;
	hold = &k->holds[k->jobs[job].hold];
	for (uint32_t i = 0; i < hold->spot_count && !hold->evicted; i++) {
		if (hold->spots[i].place == place &&
		    k->topology->trees[hold->spots[i].tree].by_host)
			return true;
	}
	return false;
}

/* Workloads that have pods there, by job: Kueue goes through them in any order. */
static uint32_t *jobs_on(const struct kueue *k, uint32_t place, size_t *count)
{
	uint32_t *jobs = NULL;
	size_t capacity = 0;

	*count = 0;
	for (uint32_t h = 0; h < k->hold_count; h++) {
		uint32_t job = k->holds[h].job;

		if (k->jobs[job].hold != h || !is_on(k, job, place))
			continue;
		jobs = mem_grow(jobs, *count + 1, &capacity, sizeof(*jobs));
		jobs[(*count)++] = job;
	}
	sort_stable(jobs, *count, sizeof(*jobs), sort_compare_u32, NULL);
	return jobs;
}

/* Nobody waits longer for its pods. (Kueue marks such workloads and, where it reads its own
 * write, clears those at once whose pods still run; its tests have them marked.) */
static bool is_given_up(const struct kueue *k, uint32_t node)
{
	return k->gates.fails_over_time && k->nodes[node].since >= 0 &&
	       k->world->now >= k->nodes[node].since + FAILURE_DELAY;
}

/* True: some workload is another for it. */
static bool reconcile(struct kueue *k, uint32_t node)
{
	const char *name = name_text(k->scenario->strings, k->world->nodes[node].name);
	uint32_t place = name_find(k->topology->places, name), *jobs;
	size_t count, from;

	if (!k->gates.awaits_pods && !k->world->nodes[node].deleted && k->nodes[node].since >= 0 &&
	    k->world->now < k->nodes[node].since + FAILURE_DELAY) {
		look_at(k, node, k->nodes[node].since + FAILURE_DELAY);
		return false;
	}
	if (place == NAME_NONE)
		return false;
	from = k->plan->count;
	jobs = jobs_on(k, place, &count);
	for (size_t i = 0; i < count; i++) {
		if (is_given_up(k, node) || is_lost(k, jobs[i], place, node))
			fail(k, jobs[i], place);
		else
			recover(k, jobs[i], place);
	}
	mem_free(jobs);
	return k->plan->count > from;
}

/* Does the controller look at what the node is now (nodeReconciler.Update)? */
static bool is_news(const struct kueue *k, const struct node *was, const struct node *now)
{
	if (was->deleted || now->deleted || was->ready != now->ready)
		return true;
	return k->gates.heeds_taints && (was->unschedulable != now->unschedulable ||
					 !label_taints_equal(&was->taints, &now->taints));
}

void kueue_nodes_changed(struct kueue *k, uint32_t node)
{
	const struct node *now = &k->world->nodes[node];
	struct kueue_node *known;
	bool news;

	if (k->nodes == NULL)
		return;
	known = &k->nodes[node];
	news = is_news(k, &known->was, now);
	known->was = *now;
	if (now->ready)
		known->since = -1;
	else if (known->since < 0)
		known->since = k->world->now;
	if (news)
		reconcile(k, node);
}

void kueue_nodes_pod(struct kueue *k, uint32_t pod, uint32_t node)
{
	uint32_t job = kueue_sibling_seat(k, k->world->pods[pod].job);

	if (k->nodes == NULL || job == JOB_NONE || node == NODE_NONE ||
	    is_sound(&k->world->nodes[node]) || kueue_run(k, job)->phase != JOB_ADMITTED ||
	    !kueue_holds(k, job) || k->holds[k->jobs[job].hold].spot_count == 0)
		return;
	look_at(k, node, clock_add(k->world->now, BATCH));
}

bool kueue_nodes_due(struct kueue *k, uint32_t node)
{
	if (k->nodes[node].due != k->world->now)
		return false;
	k->nodes[node].due = -1;
	return reconcile(k, node);
}
