#include "sim/kueue/kueue_refuse.h"

#include "core/mem.h"
#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_flavor.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_preempt.h"
#include "sim/kueue/kueue_queue.h"

/* Why a head may be parked unseen.
 *
 * The workload asks for one resource in one pod set. If in every flavor that suits it the
 * request is above what is available there, and no search can find victims (kueue_bound.h),
 * its nomination ends without a flavor that fits now. Whether the best of them counts as
 * one where preemption has no candidates hangs on the quota of the queue alone. So the scan
 * is exhausted, or nothing was scanned, and both park it with all that are equivalent.
 *
 * In the cycle such a head would do nothing to the others:
 *  - It has no victims and no places, and is not admitted.
 *  - Without candidates it would keep capacity from those after it, unless its queue may
 *    reclaim from all priorities and nothing is special about it as a preemptor (spec 4.8).
 *  - Heads are in a total order, without fair sharing. With it, one cohort's tournament is
 *    one, too; where cohorts are nested or trees several, who takes part can matter.
 *  - Its message goes nowhere at JOURNAL_FACTS.
 * The head still counts among those popped: for the cycles, and for their end at an instant.
 *
 * Left to the cycle: topologies, admission fair sharing, admission that waits for pods,
 * queues in strict order, partial admission, scans that left off in their middle, back-offs,
 * holders with a second pass or slice. */

enum { FLAVORS = 4 };

struct kueue_need {
	uint64_t objects; /* k->objects when it was made; 0: never */
	bool simple;
	uint8_t column_count; /* of flavors that suit and whose quota is ever enough */
	uint32_t columns[FLAVORS];
	int64_t amount;
};

void kueue_refuse_close(struct kueue *k)
{
	mem_free(k->needs);
	k->needs = NULL;
}

/* ------------------------------------------------------- what a class asks for */

/* The only slot that the queue counts; KUEUE_NONE: there are more, or others. */
static uint32_t only_slot(const struct kueue_queue *q, const struct kueue_form *form)
{
	uint32_t only = KUEUE_NONE;

	for (uint32_t i = 0; i < form->slot_count; i++) {
		const struct kueue_slot *slot = &form->slots[i];
		bool covered = q->group_of[slot->resource] != KUEUE_GROUPS_MAX;

		if (slot->implied && !covered)
			continue;
		if (slot->implied || !covered || only != KUEUE_NONE)
			return KUEUE_NONE;
		only = i;
	}
	return only;
}

static bool is_whole(const struct kueue *k, const struct kueue_form *form)
{
	const struct pod_set *set = &k->scenario->pod_sets[form->first_pod_set];

	return form->set_count == 1 &&
	       (!k->gates.partial_admission || set->min_count >= form->counts[0]);
}

static bool add_columns(struct kueue *k, uint32_t queue, const struct kueue_form *form,
			uint32_t slot, struct kueue_need *need)
{
	uint32_t resource = form->slots[slot].resource, group = k->queues[queue].group_of[resource];
	const struct kueue_group *g = &k->queues[queue].groups[group];
	uint32_t shape = k->scenario->pod_sets[form->first_pod_set].shape;

	for (uint32_t i = 0; i < g->flavor_count; i++) {
		uint32_t column = kueue_column(k, g->flavors[i], resource);
		struct kueue_reason reason;

		if (!kueue_flavor_suits(k, queue, shape, g->flavors[i], group, &reason) ||
		    need->amount > quota_potential(&k->tree, queue, column))
			continue;
		if (need->column_count == FLAVORS)
			return false;
		need->columns[need->column_count++] = column;
	}
	return true;
}

/* Do its heads go without a trace when they are refused? */
static bool is_unnoticed(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	if (spec->reclaim_within_cohort != PREEMPT_ANY || spec->strategy != QUEUE_BEST_EFFORT_FIFO)
		return false;
	return !k->config->fair_sharing || (k->tree_count == 1 && quota_is_flat(&k->tree, queue));
}

static void make_need(struct kueue *k, uint32_t queue, uint32_t job, struct kueue_need *need)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t slot = only_slot(&k->queues[queue], form);

	*need = (struct kueue_need){.objects = k->objects};
	if (slot == KUEUE_NONE || !is_unnoticed(k, queue) || !is_whole(k, form) ||
	    kueue_message_has_faults(k, job) ||
	    !kueue_namespace_matches(k, queue, kueue_class_of(k, job)->local_queue))
		return;
	need->amount = res_mul(form->slots[slot].per_pod, form->counts[0]);
	need->simple = add_columns(k, queue, form, slot, need);
}

static const struct kueue_need *need_of(struct kueue *k, uint32_t queue, uint32_t job)
{
	uint32_t class = k->jobs[job].class;
	size_t had = k->need_capacity;

	k->needs = mem_grow(k->needs, class + (size_t)1, &k->need_capacity, sizeof(*k->needs));
	for (size_t i = had; i < k->need_capacity; i++)
		k->needs[i].objects = 0;
	if (k->needs[class].objects != k->objects)
		make_need(k, queue, job, &k->needs[class]);
	return &k->needs[class];
}

/* ------------------------------------------------------------------- refusing */

/* Is the cycle of a kind that this is known of? */
static bool applies(const struct kueue *k)
{
	return k->bounds != NULL && !k->full && k->topology == NULL && k->afs == NULL &&
	       k->gates.equivalence && k->gates.fungibility && !k->config->block_admission &&
	       k->possible == kueue_preempt_possible;
}

static bool is_plain_head(const struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_job *j = &k->jobs[job];

	return j->memory < MEMORY_FIRST && j->hold == KUEUE_NONE &&
	       kueue_life_of(k, job)->requeue_at <= k->world->now &&
	       !(k->gates.preemptors_first && k->queues[queue].preemptor == job);
}

/* Neither fits it there nor is there anybody to evict. *scanned: the flavor counts as one
 * where preemption has no candidates. */
static bool is_hopeless(struct kueue *k, uint32_t queue, uint32_t job, uint32_t column,
			int64_t amount, bool *scanned)
{
	struct quota_amount request = {column, amount};
	struct kueue_search search = {.job = job,
				      .queue = queue,
				      .columns = &column,
				      .column_count = 1,
				      .request = &request,
				      .request_count = 1};
	bool may_reclaim;

	if (amount <= quota_available(&k->tree, queue, column) || !kueue_bound_excludes(k, &search))
		return false;
	quota_level(&k->tree, queue, column, amount, &may_reclaim);
	*scanned = *scanned || kueue_flavor_may_preempt(k, queue, column, amount, may_reclaim);
	return true;
}

bool kueue_refuse(struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_need *need;
	bool scanned = false;

	if (!applies(k) || !is_plain_head(k, queue, job))
		return false;
	need = need_of(k, queue, job);
	if (!need->simple)
		return false;
	for (uint32_t i = 0; i < need->column_count; i++) {
		if (!is_hopeless(k, queue, job, need->columns[i], need->amount, &scanned))
			return false;
	}
	k->jobs[job].memory = scanned ? MEMORY_EXHAUSTED : MEMORY_EMPTY;
	kueue_queue_refuse(k, queue, job);
	return true;
}
