#include "sim/kueue/kueue_cycle.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_checks.h"
#include "sim/kueue/kueue_express.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_memory.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_preempt.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_recall.h"
#include "sim/kueue/kueue_refuse.h"
#include "sim/kueue/kueue_refute.h"
#include "sim/kueue/kueue_repeat.h"
#include "sim/kueue/kueue_second.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_slice.h"
#include "sim/kueue/kueue_spot.h"
#include "sim/kueue/kueue_status.h"

/* ------------------------------------------------- assignment and victims */

static const uint32_t *full_counts(struct kueue *k, uint32_t job)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	/* In its second pass it keeps what it has. */
	if (kueue_holds(k, job) && !kueue_replaces(k, job))
		return &k->holds[k->jobs[job].hold].kept[form->slot_count];
	for (uint32_t s = 0; s < form->set_count; s++)
		k->counts[s] = form->counts[s];
	return k->counts;
}

/* Victims for the last assignment, which needs them, into k->targets. */
static bool find_targets(struct kueue *k, uint32_t job, uint32_t queue,
			 const struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	struct kueue_search search = {.job = job,
				      .queue = queue,
				      .columns = k->search_columns,
				      .request = k->search_request};

	for (uint32_t i = 0; i < form->slot_count; i++) {
		const struct kueue_choice *c = &a->choices[i];
		uint32_t column, at = 0;

		if (c->flavor == KUEUE_NONE || c->mode != MODE_PREEMPT)
			continue;
		column = kueue_column(k, c->flavor, form->slots[i].resource);
		while (at < search.column_count && k->search_columns[at] != column)
			at++;
		if (at == search.column_count)
			k->search_columns[search.column_count++] = column;
	}
	search.request_count = kueue_flavor_request(k, job, a, k->search_request);
	if (k->tas_count > 0)
		search.places = kueue_spot_fits; /* a search asks for nothing else */
	return kueue_preempt_search(k, &search);
}

static void assign(struct kueue *k, uint32_t job, const uint32_t *counts,
		   const struct kueue_choice *nominated, struct kueue_assignment *a)
{
	if (kueue_holds(k, job) && !kueue_replaces(k, job))
		kueue_flavor_restore(k, job, counts, a);
	else
		kueue_flavor_assign(k, job, counts, nominated, a);
	kueue_spot_assign(k, job, a);
}

static void keep_targets(struct kueue *k, struct kueue_entry *e)
{
	e->targets =
		mem_grow(e->targets, k->target_count, &e->target_capacity, sizeof(*e->targets));
	e->target_count = k->target_count;
	for (size_t i = 0; i < k->target_count; i++)
		e->targets[i] = k->targets[i];
}

/* Kueue counts the slice that an entry replaces as the first of its victims. */
static void add_old_slice(struct kueue *k, struct kueue_entry *e)
{
	if (e->second || !kueue_replaces(k, e->job))
		return;
	e->targets =
		mem_grow(e->targets, e->target_count + 1, &e->target_capacity, sizeof(*e->targets));
	memmove(&e->targets[1], e->targets, e->target_count * sizeof(*e->targets));
	e->targets[0] = (struct kueue_target){.job = e->job};
	e->target_count++;
}

/* Pods that partial admission may leave out. */
static uint32_t spare_pods(const struct kueue *k, const struct kueue_form *form, uint32_t set)
{
	uint32_t least = k->scenario->pod_sets[form->first_pod_set + set].min_count;

	return form->counts[set] > least ? form->counts[set] - least : 0;
}

static void reduce(struct kueue *k, uint32_t job, uint32_t step, uint32_t steps)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	for (uint32_t s = 0; s < form->set_count; s++) {
		uint64_t less = (uint64_t)spare_pods(k, form, s) * step / steps;

		k->counts[s] = form->counts[s] - (uint32_t)less;
	}
}

/* Of a holder one alone that is to get its first places: Kueue scales no pod set that has its
 * places (PodSetResources.ScaledTo), so one whose node is lost keeps all its pods or is evicted. */
static uint32_t reducible(const struct kueue *k, uint32_t job)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t steps = 0;

	if (kueue_holds(k, job) && (kueue_replaces(k, job) || !k->holds[k->jobs[job].hold].awaits))
		return 0;
	for (uint32_t s = 0; s < form->set_count && k->gates.partial_admission; s++)
		steps += spare_pods(k, form, s);
	return steps;
}

/* Fewer pods: the fewest taken away that works, found by halving as Kueue does,
 * with or without preemption alike (spec 4.3). */
static bool search_reduced(struct kueue *k, struct kueue_entry *e,
			   const struct kueue_choice *nominated)
{
	uint32_t steps = reducible(k, e->job), low = 0, high = steps + 1, good = UINT32_MAX;

	e->target_count = 0;
	while (low < high) {
		uint32_t half = low + (high - low) / 2;
		bool works;

		reduce(k, e->job, half, steps);
		assign(k, e->job, k->counts, nominated, k->spare);
		k->target_count = 0;
		works = k->spare->mode == MODE_FIT || (k->spare->mode == MODE_PREEMPT &&
						       find_targets(k, e->job, e->queue, k->spare));
		if (works) {
			struct kueue_assignment swap = e->assignment;

			e->assignment = *k->spare;
			*k->spare = swap;
			keep_targets(k, e);
			good = high = half;
		} else {
			low = half + 1;
		}
	}
	return good == low;
}

static void remember(struct kueue *k, const struct kueue_entry *e)
{
	const struct kueue_form *form = kueue_form_of(k, e->job);

	if (e->second)
		return;
	for (uint32_t i = 0; i < form->slot_count; i++)
		k->new_tried[i] = e->assignment.choices[i].flavor == KUEUE_NONE
					  ? MEMORY_UNSET
					  : e->assignment.choices[i].tried;
	kueue_memory_set(k, e->job, k->new_tried);
}

/* Spec 4.3, first part. */
static void find_assignment(struct kueue *k, struct kueue_entry *e,
			    const struct kueue_choice *nominated)
{
	bool found;

	e->target_count = 0;
	assign(k, e->job, full_counts(k, e->job), nominated, &e->assignment);
	if (e->assignment.mode == MODE_FIT) {
		add_old_slice(k, e);
		return;
	}
	found = e->assignment.mode == MODE_PREEMPT &&
		find_targets(k, e->job, e->queue, &e->assignment);
	if (found) {
		keep_targets(k, e);
		add_old_slice(k, e);
		return;
	}
	if (reducible(k, e->job) == 0 ||
	    (nominated == NULL && !e->second && kueue_refuse_foresaw(k, e->queue)))
		return;
	if (!search_reduced(k, e, nominated)) {
		assign(k, e->job, full_counts(k, e->job), nominated, &e->assignment);
		e->target_count = 0;
	}
}

static bool is_preemptor(const struct kueue *k, const struct kueue_entry *e)
{
	return kueue_is_preemptor(k, e->queue, e->job);
}

/* A blocked preemptor keeps nothing where its queue can take back all that it needs. */
static bool keeps_nothing(const struct kueue *k, const struct kueue_entry *e)
{
	return k->queues[e->queue].spec->reclaim_within_cohort == PREEMPT_ANY &&
	       !(k->gates.preemptors_first && is_preemptor(k, e));
}

/* May it turn out, when its turn comes, that nobody would see which places an entry keeps? So it
 * is where nothing has changed since its nomination (is_as_nominated): it is not assigned anew if
 * they are taken, and keeps none. In an empty cluster they are the same then as now: the nodes, and
 * pods of other kinds, change in no cycle but one that waits for pods. */
static bool may_be_unseen(const struct kueue *k, const struct kueue_entry *e)
{
	return !k->config->searches_anew && !k->config->block_admission && !e->second &&
	       e->target_count == 0 && keeps_nothing(k, e) && kueue_flavor_is_only(k, e->queue);
}

/* What needs preemption keeps places from those after it: those it would get once
 * its victims are gone, or without victims any in an empty cluster. */
static void get_assignment(struct kueue *k, struct kueue_entry *e,
			   const struct kueue_choice *nominated)
{
	struct kueue_mark mark;

	e->aside_due = false;
	find_assignment(k, e, nominated);
	if (e->assignment.mode != MODE_PREEMPT || k->topology == NULL ||
	    kueue_life_of(k, e->job)->replaces != KUEUE_NONE)
		return;
	if (may_be_unseen(k, e) && nominated == NULL) {
		e->aside_due = true;
		return;
	}
	mark = kueue_mark(k);
	for (size_t i = 0; i < e->target_count; i++)
		kueue_usage_return(k, e->targets[i].job);
	kueue_spot_set_aside(k, e->job, &e->assignment, e->target_count == 0);
	kueue_rollback(k, mark);
}

static void get_outcome(struct kueue *k, struct kueue_entry *e)
{
	if (kueue_memory_outdated(k, e->job, e->queue))
		kueue_memory_clear(k, e->job);
	get_assignment(k, e, NULL);
	remember(k, e);
}

/* --------------------------------------------------------------- nomination */

/* Spec 4.2; a queue that is not active has no head but in second passes. */
static void nominate(struct kueue *k, struct kueue_entry *e)
{
	e->nominated = e->spared = false;
	e->status = ENTRY_OPEN;
	e->message = MESSAGE_ASSIGNMENT;
	e->requeue = REQUEUE_GENERIC;
	e->why = WHY_NONE;
	e->preempted = 0;
	e->target_count = 0;
	if (!k->queues[e->queue].active) {
		e->message = MESSAGE_INACTIVE;
		e->why = WHY_SUSPENDED;
		return;
	}
	if (!kueue_namespace_matches(k, e->queue, kueue_class_of(k, e->job)->local_queue)) {
		e->message = MESSAGE_NAMESPACE;
		e->requeue = REQUEUE_NAMESPACE_MISMATCH;
		e->why = WHY_REFUSED;
		return;
	}
	if (kueue_message_has_faults(k, e->job)) {
		e->message = MESSAGE_FAULTS;
		e->why = WHY_REFUSED;
		return;
	}
	e->nominated = true;
	if (!e->second && kueue_refuse_spares(k, e->queue)) {
		e->spared = true;
		e->assignment.level = kueue_refuse_level(k, e->queue, e->job);
		return;
	}
	get_outcome(k, e);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

/* What the termination rule compares (golden README, "Event loop", 6). */
static uint64_t fingerprint(const struct kueue *k, uint64_t hash, const struct kueue_entry *e)
{
	const int16_t *tried = kueue_memory_get(k, e->job);

	hash = mix(mix(hash, e->queue + 1), e->job);
	hash = mix(hash, k->queues[e->queue].preemptor == e->job);
	if (tried == NULL)
		return mix(hash, k->jobs[e->job].memory);
	for (uint32_t i = 0; i < kueue_form_of(k, e->job)->slot_count; i++)
		hash = mix(hash, (uint16_t)tried[i]);
	return hash;
}

/* Borrowing last, then priority, then age, then the queue's name. */
static int compare_turns(const struct kueue *k, const struct kueue_entry *x,
			 const struct kueue_entry *y)
{
	int32_t px = kueue_class_of(k, x->job)->priority, py = kueue_class_of(k, y->job)->priority;

	if (k->gates.preemptors_first && is_preemptor(k, x) != is_preemptor(k, y))
		return is_preemptor(k, x) ? -1 : 1;
	if (x->assignment.level != y->assignment.level)
		return x->assignment.level < y->assignment.level ? -1 : 1;
	if (k->gates.sorts_by_priority && px != py)
		return px > py ? -1 : 1;
	if (k->jobs[x->job].order != k->jobs[y->job].order)
		return k->jobs[x->job].order < k->jobs[y->job].order ? -1 : 1;
	if (x->queue != y->queue)
		return k->name_rank[x->queue] < k->name_rank[y->queue] ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct kueue *k = context;

	return compare_turns(k, &k->entries[*(const uint32_t *)a],
			     &k->entries[*(const uint32_t *)b]);
}

static int compare_second(const void *a, const void *b, void *context)
{
	return compare_turns(context, a, b);
}

static int compare_jobs(const void *a, const void *b, void *context)
{
	const struct kueue_entry *x = a, *y = b;

	(void)context;
	return (x->job > y->job) - (x->job < y->job);
}

/* Holders whose second pass is due, by job: Kueue has them in any order. */
static void pop_second(struct kueue *k)
{
	uint32_t job;

	k->second_entry_count = 0;
	while ((job = kueue_second_pop(k)) != JOB_NONE) {
		size_t had = k->second_entry_capacity, n = k->second_entry_count++;

		k->second_entries = mem_grow(k->second_entries, n + 1, &k->second_entry_capacity,
					     sizeof(*k->second_entries));
		for (size_t i = had; i < k->second_entry_capacity; i++) {
			k->second_entries[i] = (struct kueue_entry){.second = true};
			kueue_assignment_init(k, &k->second_entries[i].assignment);
		}
		k->second_entries[n].job = job;
		k->second_entries[n].queue = k->holds[k->jobs[job].hold].queue;
	}
	sort_stable(k->second_entries, k->second_entry_count, sizeof(*k->second_entries),
		    compare_jobs, NULL);
}

/* One head of every active queue, by queue name; none is popped yet. Those that are refused
 * beforehand are counted only. */
static uint64_t find_heads(struct kueue *k)
{
	uint64_t hash = 0;
	uint32_t place = kueue_queue_next_ready(k, 0);

	k->head_count = k->refused_count = 0;
	for (; place < k->queue_count; place = kueue_queue_next_ready(k, place + 1)) {
		uint32_t queue = k->queue_by_name[place];
		struct kueue_entry *e = &k->entries[queue];

		e->queue = queue;
		e->job = kueue_queue_head(k, queue);
		hash = fingerprint(k, hash, e);
		k->heads[k->head_count++] = queue;
	}
	kueue_refuse_heads(k);
	kueue_repeat_begin(k);
	for (uint32_t i = 0; i < k->head_count; i++)
		kueue_repeat_add(k, k->heads[i], k->entries[k->heads[i]].job);
	return hash;
}

void kueue_cycle_order(struct kueue *k)
{
	sort_stable(k->heads, k->head_count, sizeof(*k->heads), compare_entries, k);
}

/* ---------------------------------------------------------------- processing */

static bool targets_claimed(const struct kueue *k, const struct kueue_entry *e)
{
	for (size_t i = 0; i < e->target_count; i++) {
		if (k->jobs[e->targets[i].job].claimed)
			return true;
	}
	return false;
}

enum fit_now { FITS_NOW, FITS_NO_QUOTA, FITS_NO_PLACE };

/* Does the entry fit once all victims, its own and those of entries before it,
 * are gone? */
static enum fit_now fits_now(struct kueue *k, const struct kueue_entry *e)
{
	struct kueue_mark mark = kueue_mark(k);
	enum fit_now fits = FITS_NOW;

	for (size_t i = 0; i < k->claimed_count; i++)
		kueue_usage_return(k, k->claimed[i]);
	for (size_t i = 0; i < e->target_count; i++) {
		if (!k->jobs[e->targets[i].job].claimed)
			kueue_usage_return(k, e->targets[i].job);
	}
	if (!kueue_spot_free(k, e->job, &e->assignment))
		fits = FITS_NO_PLACE;
	for (uint32_t i = 0; i < e->assignment.amount_count && !e->second; i++) {
		const struct quota_amount *u = &e->assignment.amounts[i];

		if (u->amount > quota_available(&k->tree, e->queue, u->column))
			fits = FITS_NO_QUOTA;
	}
	kueue_rollback(k, mark);
	return fits;
}

/* Another assignment, on the nominated flavors. overlap: as if all claimed victims
 * were gone; if it fits then, it has to wait for them. */
static void recompute(struct kueue *k, struct kueue_entry *e, bool overlap)
{
	struct kueue_mark mark = kueue_mark(k);
	const struct kueue_form *form = kueue_form_of(k, e->job);

	for (size_t i = 0; i < k->claimed_count && overlap; i++)
		kueue_usage_return(k, k->claimed[i]);
	k->hide_claimed = overlap;
	memcpy(k->nominated, e->assignment.choices, form->slot_count * sizeof(*k->nominated));
	kueue_memory_clear(k, e->job);
	kueue_recall_begin(k);
	get_assignment(k, e, k->nominated);
	remember(k, e);
	k->hide_claimed = false;
	kueue_rollback(k, mark);
	if (overlap && e->assignment.mode == MODE_FIT)
		e->assignment.mode = MODE_DEFERRED_FIT;
}

/* Has nobody been admitted in this cycle, claimed victims or kept capacity? All of them take
 * quota or places that count for those after them. */
static bool is_unchanged(const struct kueue *k)
{
	return k->tree.undo_count == k->mark.quota && k->topology->undo_count == k->mark.topology;
}

/* Would another assignment of an entry without victims be the one that it has? What it reads is
 * what the nomination read, and where each group has one flavor it is the nominated one, from
 * which every scan starts. A cycle that waits for pods may find others after that. */
static bool is_as_nominated(const struct kueue *k, const struct kueue_entry *e)
{
	return !k->config->searches_anew && !k->config->block_admission && !e->second &&
	       e->assignment.mode == MODE_PREEMPT && e->target_count == 0 && is_unchanged(k) &&
	       kueue_flavor_is_only(k, e->queue);
}

/* For those after it, the entry's usage is there. A slice with fewer pods than the one that it
 * replaces takes usage from its queue, as Kueue does (AddUsage), but from no cohort. */
static void suppose(struct kueue *k, const struct kueue_entry *e)
{
	if (!e->second)
		quota_add_all(&k->tree, e->queue, e->assignment.amounts,
			      e->assignment.amount_count);
	kueue_spot_suppose(k, e->job, &e->assignment);
}

/* Capacity that a blocked preemptor keeps from those after it (spec 4.8). */
static void reserve_for_blocked(struct kueue *k, const struct kueue_entry *e)
{
	if (keeps_nothing(k, e))
		return;
	kueue_spot_suppose(k, e->job, &e->assignment);
	for (uint32_t i = 0; i < e->assignment.amount_count && !e->second; i++) {
		const struct quota_amount *u = &e->assignment.amounts[i];
		const struct quota_entry *cell = quota_at(&k->tree, e->queue, u->column);
		int64_t amount = u->amount, most;

		if (e->assignment.level == 0) {
			most = res_sub(cell->own.nominal, cell->usage);
			amount = amount < most ? amount : most;
			amount = amount > 0 ? amount : 0;
		} else if (cell->own.borrowing != QUOTA_UNSET) {
			most = res_sub(res_add(cell->own.nominal, cell->own.borrowing),
				       cell->usage);
			amount = amount < most ? amount : most;
		}
		quota_add(&k->tree, e->queue, u->column, amount);
	}
}

static void claim_targets(struct kueue *k, const struct kueue_entry *e)
{
	for (size_t i = 0; i < e->target_count; i++) {
		k->jobs[e->targets[i].job].claimed = true;
		k->claimed = mem_grow(k->claimed, k->claimed_count + 1, &k->claimed_capacity,
				      sizeof(*k->claimed));
		k->claimed[k->claimed_count++] = e->targets[i].job;
	}
}

/* Where priority does not order a cohort's heads, a victim must not come before the
 * one that it makes room for (spec 3.3). */
static void fall_behind(struct kueue *k, const struct kueue_target *t)
{
	if (!k->gates.sorts_by_priority && t->reason == PREEMPTION_RECLAIM_BORROWING)
		k->jobs[t->job].order =
			clock_add(clock_floor_second(k->world->now), CLOCK_SECOND / 1000);
}

/* Spec 4.10. Victims already on their way out are only counted; nor is there anything
 * to stop of those that left while the cycle waited for pods. */
static void issue_preemptions(struct kueue *k, struct kueue_entry *e)
{
	uint32_t old = kueue_replaces(k, e->job) ? 1 : 0; /* which is not evicted */

	for (size_t i = old; i < e->target_count; i++) {
		const struct kueue_target *t = &e->targets[i];
		const struct kueue_hold *hold = &k->holds[k->jobs[t->job].hold];
		struct decision *d;

		if (hold->evicted || hold->gone)
			continue;
		d = plan_add(k->plan, DECIDE_PREEMPT);
		d->job = t->job;
		d->by_job = e->job;
		d->reason = journal_string(k->world->journal,
					   kueue_preemption_text((enum kueue_preemption)t->reason));
		kueue_status_evicted(
			k, t->job,
			k->full ? kueue_message_preempted(
					  k, e->job, (enum kueue_preemption)t->reason, hold->queue)
				: NULL);
		k->jobs[t->job].cause = CAUSE_PREEMPTED;
		fall_behind(k, t);
		k->evicting = mem_grow(k->evicting, k->evicting_count + 1, &k->evicting_capacity,
				       sizeof(*k->evicting));
		k->evicting[k->evicting_count++] = t->job;
	}
	e->preempted = (uint32_t)e->target_count - old;
	e->requeue = REQUEUE_PENDING_PREEMPTION;
	kueue_memory_clear(k, e->job);
}

/* A variant makes room for one of a better flavor, which is admitted once its job has
 * stopped. False: there is nobody to make room. */
static bool migrate(struct kueue *k, struct kueue_entry *e)
{
	uint32_t victim = kueue_sibling_replaced(k, e->job);
	struct decision *d;

	if (victim == JOB_NONE)
		return false;
	suppose(k, e);
	if (!kueue_sibling_accepts(k, e->job)) {
		e->message = MESSAGE_UNACCEPTABLE;
		e->why = WHY_PENDING_EVALUATION;
		return true;
	}
	e->message = MESSAGE_MIGRATION;
	e->why = WHY_PREEMPTED_WORKLOADS;
	e->requeue = REQUEUE_PENDING_PREEMPTION;
	kueue_memory_clear(k, e->job);
	if (k->holds[k->jobs[victim].hold].evicted)
		return true;
	d = plan_add(k->plan, DECIDE_EVICT);
	d->job = victim;
	d->reason = journal_string(k->world->journal, "reason=FlavorMigration");
	kueue_status_evicted(k, victim, k->full ? kueue_message_migration(k, e->job) : NULL);
	k->jobs[victim].cause = CAUSE_SET_ASIDE;
	k->evicting = mem_grow(k->evicting, k->evicting_count + 1, &k->evicting_capacity,
			       sizeof(*k->evicting));
	k->evicting[k->evicting_count++] = victim;
	return true;
}

static int compare_flavors(const void *a, const void *b, void *context)
{
	const struct kueue *k = context;
	uint32_t x = k->resource_rank[((const struct admission_flavor *)a)->resource];
	uint32_t y = k->resource_rank[((const struct admission_flavor *)b)->resource];

	return (x > y) - (x < y);
}

static void describe_spots(struct kueue *k, const struct kueue_assignment *a, uint32_t set,
			   struct admission_pod_set *out)
{
	struct admission_domain *domains =
		a->spot_count == 0
			? NULL
			: mem_arena_alloc(k->plan->arena, a->spot_count * sizeof(*domains));

	out->domains = domains;
	for (uint32_t i = 0; i < a->spot_count; i++) {
		if (a->spots[i].set == set)
			domains[out->domain_count++] = (struct admission_domain){
				.values = journal_string(
					k->world->journal,
					kueue_topology_place(k->topology, a->spots[i].place)),
				.pods = a->spots[i].pods};
	}
}

static void describe_set(struct kueue *k, const struct kueue_entry *e, uint32_t set,
			 struct admission_pod_set *out)
{
	const struct kueue_form *form = kueue_form_of(k, e->job);
	uint32_t slots = form->first[set + 1] - form->first[set];
	struct admission_flavor *flavors =
		mem_arena_alloc(k->plan->arena, slots * sizeof(*flavors));

	out->count = e->assignment.sets[set].count;
	out->flavors = flavors;
	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++) {
		uint32_t flavor = e->assignment.choices[i].flavor;

		if (flavor != KUEUE_NONE)
			flavors[out->flavor_count++] =
				(struct admission_flavor){.resource = form->slots[i].resource,
							  .flavor = k->flavors[flavor].index};
	}
	sort_stable(flavors, out->flavor_count, sizeof(*flavors), compare_flavors, k);
	describe_spots(k, &e->assignment, set, out);
}

static const struct admission *describe(struct kueue *k, const struct kueue_entry *e)
{
	struct admission *admission = mem_arena_alloc(k->plan->arena, sizeof(*admission));
	struct admission_pod_set *sets =
		mem_arena_alloc(k->plan->arena, (e->assignment.set_count + 1U) * sizeof(*sets));

	for (uint32_t s = 0; s < e->assignment.set_count; s++)
		describe_set(k, e, s, &sets[s]);
	*admission = (struct admission){.cluster_queue = e->queue,
					.borrow = e->second ? kueue_admission_of(k, e->job)->borrow
							    : e->assignment.level,
					.pod_set_count = e->assignment.set_count,
					.pod_sets = sets};
	return admission;
}

static bool is_delayed(const struct kueue_assignment *a)
{
	bool any = false;

	for (uint32_t s = 0; s < a->set_count; s++)
		any = any || a->sets[s].delayed;
	return any;
}

/* Are there places for fewer pods than the holder has quota for? */
static bool takes_fewer(const struct kueue *k, const struct kueue_entry *e)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[e->job].hold];
	uint32_t slots = kueue_form_of(k, e->job)->slot_count;
	bool fewer = false;

	for (uint32_t s = 0; s < e->assignment.set_count; s++)
		fewer = fewer || e->assignment.sets[s].count != hold->kept[slots + s];
	return fewer;
}

/* The holder has all its domains: it is admitted, or its pods go where the node that
 * failed is replaced. With fewer pods it is not: the scheduler writes them, but the API server
 * refuses other pod counts than were reserved (workload_webhook.go, validateAdmissionUpdate). */
static void admit_again(struct kueue *k, struct kueue_entry *e)
{
	struct kueue_hold *hold = &k->holds[k->jobs[e->job].hold];
	struct kueue_life *life = kueue_life_own(k, e->job);
	const struct admission *admission;
	struct decision *d;

	kueue_spot_suppose(k, e->job, &e->assignment);
	e->status = takes_fewer(k, e) ? ENTRY_FAILED : ENTRY_ASSUMED;
	if (e->status == ENTRY_FAILED)
		return;
	admission = describe(k, e);
	if (hold->awaits) {
		hold->awaits = false;
		kueue_checks_done(k, e->job, admission);
		return;
	}
	d = plan_add(k->plan, DECIDE_MOVE);
	d->job = e->job;
	d->admission = admission;
	d->reason = journal_string(k->world->journal,
				   kueue_topology_place(k->topology, life->replaces));
	k->queues[e->queue].generation++; /* as after a reservation */
	life->unhealthy = life->replaces = KUEUE_NONE;
	kueue_slice_look(k, e->job);
}

/* No place for the pods of a node that failed (TASFailedNodeReplacementFailFast). */
static void give_up(struct kueue *k, struct kueue_entry *e)
{
	struct kueue_life *life = kueue_life_own(k, e->job);
	const char *message = kueue_message_no_replacement(k, life->replaces);
	struct decision *d = plan_add(k->plan, DECIDE_EVICT);

	e->status = ENTRY_EVICTED;
	d->job = e->job;
	d->reason = journal_string(k->world->journal, "reason=NodeFailures");
	kueue_status_evicted(k, e->job, message);
	k->jobs[e->job].cause = CAUSE_NODE_FAILURES;
	k->evicting = mem_grow(k->evicting, k->evicting_count + 1, &k->evicting_capacity,
			       sizeof(*k->evicting));
	k->evicting[k->evicting_count++] = e->job;
	life->unhealthy = life->replaces = KUEUE_NONE;
}

/* In the old slice's place, which counts as preempted for those after it. */
static void admit_slice(struct kueue *k, struct kueue_entry *e)
{
	struct decision *d = plan_add(k->plan, DECIDE_RESIZE);

	d->job = e->job;
	d->slice = true;
	d->has_checks = kueue_checks_required(k, e->queue, e->job, &e->assignment);
	d->admission = describe(k, e);
	e->status = ENTRY_ASSUMED;
	claim_targets(k, e);
	suppose(k, e);
	kueue_slice_admitted(k, e->job);
}

static void admit(struct kueue *k, struct kueue_entry *e)
{
	struct decision *d;
	bool has_checks;

	if (e->second) {
		admit_again(k, e);
		return;
	}
	if (migrate(k, e))
		return;
	if (kueue_replaces(k, e->job)) {
		admit_slice(k, e);
		return;
	}
	has_checks = kueue_checks_required(k, e->queue, e->job, &e->assignment);
	d = plan_add(k->plan, DECIDE_RESERVE);
	d->job = e->job;
	d->has_checks = has_checks;
	d->admission = describe(k, e);
	e->status = ENTRY_ASSUMED;
	kueue_life_reserved(
		k, e->job, e->queue,
		kueue_usage_number(k, e->job, e->assignment.amounts, e->assignment.amount_count));
	if (k->head_count + k->refused_count == 1 && k->second_entry_count == 0)
		kueue_express_learn(k, e->job, &e->assignment, d->admission);
	kueue_spot_suppose(k, e->job, &e->assignment);
	kueue_hold_spots(k, e->job, e->assignment.spots, e->assignment.spot_count);
	k->holds[k->jobs[e->job].hold].awaits = is_delayed(&e->assignment);
	if (is_delayed(&e->assignment) || e->assignment.spot_count > 0 ||
	    kueue_run(k, e->job)->parallelism != JOB_NONE)
		kueue_flavor_keep(k, e->job, &e->assignment);
	k->real = mem_grow(k->real, k->real_count + 1, &k->real_capacity, sizeof(*k->real));
	k->real[k->real_count++] = k->jobs[e->job].hold;
	if (has_checks)
		kueue_checks_ask(k, e->job, &e->assignment);
	else
		kueue_ready_admitted(k, e->job);
}

static void skip(struct kueue *k, struct kueue_entry *e, enum kueue_entry_message message)
{
	if (!k->gates.keeps_progress)
		kueue_memory_clear(k, e->job);
	e->status = ENTRY_SKIPPED;
	e->message = message;
	e->why = WHY_WAITING_FOR_QUOTA;
}

/* For the counters of KUEUE.md section 10. */
static void count_recomputation(struct kueue *k, const struct kueue_entry *e, enum fit_now fits)
{
	struct kueue_queue *q = &k->queues[e->queue];

	if (e->assignment.mode == MODE_DEFERRED_FIT)
		q->deferred_fits++;
	else if (e->target_count > 0 && fits == FITS_NOW && !targets_claimed(k, e))
		q->new_targets++;
	else
		q->skipped++;
}

/* Not yet for one of the variants that wait to. The scan of its flavor begins anew. */
static void gate(struct kueue *k, struct kueue_entry *e)
{
	e->message = MESSAGE_GATED;
	e->requeue = REQUEUE_PREEMPTION_GATED;
	e->why = WHY_GATED;
	kueue_memory_clear(k, e->job);
}

static bool is_outdone(struct kueue *k, struct kueue_entry *e)
{
	if (e->second || !kueue_sibling_outdone(k, e->job))
		return false;
	skip(k, e, MESSAGE_OUTDONE);
	e->why = WHY_PENDING_EVALUATION;
	return true;
}

/* A spared one gets the assignment that it would have, without victims, and keeps places of an
 * empty cluster. */
static void make_up(struct kueue *k, struct kueue_entry *e)
{
	e->spared = e->aside_due = false;
	kueue_flavor_only(k, e->job, full_counts(k, e->job), &e->assignment);
	kueue_spot_assign(k, e->job, &e->assignment);
	if (e->assignment.mode == MODE_PREEMPT)
		kueue_spot_set_aside(k, e->job, &e->assignment, true);
}

/* It is refused as if it had been nominated. */
static bool stays_spared(struct kueue *k, struct kueue_entry *e)
{
	if (!e->spared)
		return false;
	if (!kueue_refuse_stands(k, e->queue, e->job)) {
		make_up(k, e);
		return false;
	}
	e->requeue = REQUEUE_NO_CANDIDATES;
	e->why = WHY_WAITING_FOR_QUOTA;
	return true;
}

/* Do its places still count, and fit, when its turn has come? */
static enum fit_now see(struct kueue *k, struct kueue_entry *e)
{
	if (e->aside_due && is_as_nominated(k, e) && keeps_nothing(k, e))
		return FITS_NOW;
	if (e->aside_due)
		kueue_spot_set_aside(k, e->job, &e->assignment, true);
	e->aside_due = false;
	return fits_now(k, e);
}

/* Spec 4.8, up to the admission. True: admit it. */
static bool process(struct kueue *k, struct kueue_entry *e)
{
	enum fit_now fits;
	bool overlap;

	if (stays_spared(k, e) || is_outdone(k, e))
		return false;
	fits = see(k, e);
	overlap = k->gates.recomputes_overlaps && targets_claimed(k, e);
	if (overlap ||
	    (k->gates.recomputes_places && fits == FITS_NO_PLACE && !is_as_nominated(k, e))) {
		recompute(k, e, overlap);
		fits = fits_now(k, e);
		if (overlap)
			count_recomputation(k, e, fits);
	}
	if (e->assignment.mode != MODE_FIT && k->gates.evicts_unplaced &&
	    kueue_life_of(k, e->job)->replaces != KUEUE_NONE) {
		give_up(k, e);
	} else if (e->assignment.mode == MODE_NO_FIT) {
		e->requeue = REQUEUE_NO_FIT;
		e->why = e->assignment.no_fit;
	} else if (e->assignment.mode == MODE_PREEMPT && e->target_count == 0) {
		e->requeue = REQUEUE_NO_CANDIDATES;
		e->why = WHY_WAITING_FOR_QUOTA;
		reserve_for_blocked(k, e);
	} else if (e->assignment.mode == MODE_PREEMPT && kueue_sibling_gated(k, e->job)) {
		gate(k, e);
	} else if (e->assignment.mode == MODE_DEFERRED_FIT) {
		e->message = MESSAGE_DEFERRED;
		e->requeue = REQUEUE_PENDING_PREEMPTION;
		e->why = WHY_PREEMPTED_WORKLOADS;
		kueue_memory_clear(k, e->job);
		suppose(k, e);
	} else if (targets_claimed(k, e)) {
		skip(k, e, MESSAGE_OVERLAP);
		k->queues[e->queue].skips = 1; /* a queue has one head a cycle */
	} else if (fits != FITS_NOW) {
		skip(k, e, MESSAGE_NO_LONGER_FITS);
		if (e->assignment.mode == MODE_PREEMPT)
			k->queues[e->queue].skips = 1;
	} else if (e->assignment.mode == MODE_PREEMPT) {
		claim_targets(k, e);
		suppose(k, e);
		e->why = WHY_PREEMPTED_WORKLOADS;
		issue_preemptions(k, e);
	} else {
		return true;
	}
	return false;
}

static void contend(struct kueue *k, const struct kueue_entry *e)
{
	if (e->nominated)
		k->contenders[e->queue] = (struct kueue_contender){
			.queue = e->queue,
			.job = e->job,
			.amounts = e->assignment.amounts,
			.amount_count = e->second ? 0 : e->assignment.amount_count,
			.waits = true};
}

static void begin_turns(struct kueue *k)
{
	k->next_head = 0;
	k->next_second = 0;
	if (!k->config->fair_sharing) {
		sort_stable(k->second_entries, k->second_entry_count, sizeof(*k->second_entries),
			    compare_second, k);
		kueue_cycle_order(k);
		return;
	}
	/* One entry a queue takes part: its head, if it has one (Kueue's
	 * makeFairSharingIterator). */
	memset(k->contenders, 0, k->queue_count * sizeof(*k->contenders));
	for (size_t i = 0; i < k->second_entry_count; i++)
		contend(k, &k->second_entries[i]);
	for (uint32_t i = 0; i < k->head_count; i++)
		contend(k, &k->entries[k->heads[i]]);
}

/* The entry of a queue that contends with this job. */
static struct kueue_entry *contending(struct kueue *k, uint32_t queue)
{
	for (size_t i = 0; i < k->second_entry_count; i++) {
		if (k->second_entries[i].job == k->contenders[queue].job)
			return &k->second_entries[i];
	}
	return &k->entries[queue];
}

/* The entry that is to be processed next; NULL: all were. Holders of a reservation
 * come first, but under fair sharing. */
static struct kueue_entry *next_turn(struct kueue *k)
{
	if (k->config->fair_sharing) {
		uint32_t queue = kueue_fair_next(k, k->contenders);

		if (queue == KUEUE_NONE)
			return NULL;
		k->contenders[queue].waits = false;
		return contending(k, queue);
	}
	while (k->next_second < k->second_entry_count) {
		struct kueue_entry *e = &k->second_entries[k->next_second++];

		if (e->nominated)
			return e;
	}
	while (k->next_head < k->head_count) {
		struct kueue_entry *e = &k->entries[k->heads[k->next_head++]];

		if (e->nominated)
			return e;
	}
	return NULL;
}

/* A victim of this cycle is told to stop, though others see that at its end only. */
static bool is_victim(const struct kueue *k, uint32_t job)
{
	for (size_t i = 0; i < k->evicting_count; i++) {
		if (k->evicting[i] == job)
			return true;
	}
	return false;
}

/* A head may be deleted while the cycle waits. */
static bool is_inflight(const struct kueue *k, const struct kueue_entry *e)
{
	if (e->second)
		return kueue_holds(k, e->job) && !k->holds[k->jobs[e->job].hold].evicted;
	return k->jobs[e->job].place == PLACE_INFLIGHT;
}

/* One that has quota and comes for its place may be preempted before its turn. Kueue then
 * writes both, and the eviction stands; those after it find the place taken. */
static bool is_lost(struct kueue *k, struct kueue_entry *e)
{
	if (!e->second || !is_victim(k, e->job))
		return false;
	kueue_spot_suppose(k, e->job, &e->assignment);
	e->status = ENTRY_EVICTED;
	return true;
}

/* Those told to stop are seen as such from now on. */
static void mark_evicted(struct kueue *k)
{
	k->evicted_any = k->evicted_any || k->evicting_count > 0;
	for (size_t i = 0; i < k->evicting_count; i++) {
		if (kueue_holds(k, k->evicting[i]))
			kueue_life_stopping(k, k->evicting[i]);
	}
	k->evicting_count = 0;
}

static void hold_rows(struct kueue *k)
{
	for (size_t i = 0; i < k->plan->count; i++)
		k->plan->items[i].held = k->plan->items[i].kind == DECIDE_PREEMPT;
}

static void block(struct kueue *k, const struct kueue_entry *e)
{
	if (is_inflight(k, e))
		kueue_status(k, e->job, WHY_PODS_READY,
			     "waiting for all admitted workloads to be in PodsReady condition");
	k->blocked = true;
	k->waiting = e->queue;
	mark_evicted(k);
	hold_rows(k);
}

/* Who was deleted meanwhile keeps others of the cycle from the quota all the same (AddUsage). */
static void admit_or_suppose(struct kueue *k, struct kueue_entry *e)
{
	if (is_inflight(k, e))
		admit(k, e);
	else
		suppose(k, e);
}

/* blockAdmission stops everything before an admission while some pods are not
 * ready, and goes on with it later. False: it has stopped. Heads that were deleted
 * meanwhile have their turn all the same, and preempt: only their admission fails
 * (pkg/scheduler, processEntry). */
static bool process_all(struct kueue *k)
{
	struct kueue_entry *e;

	if (k->blocked) {
		k->blocked = false;
		plan_add(k->plan, DECIDE_RESUMED);
		admit_or_suppose(k, &k->entries[k->waiting]);
	}
	while ((e = next_turn(k)) != NULL) {
		if ((e->second && !is_inflight(k, e)) || !process(k, e) || is_lost(k, e))
			continue;
		if (!e->second && kueue_ready_blocks(k)) {
			block(k, e);
			return false;
		}
		admit_or_suppose(k, e);
	}
	return true;
}

/* New slices hold what the old ones did, and are admitted, or wait for checks of their own. */
static void settle_slices(struct kueue *k)
{
	for (size_t i = 0; i < k->grown_count; i++) {
		uint32_t job = k->grown[i];
		const struct kueue_entry *e;

		if (!kueue_holds(k, job))
			continue;
		e = &k->entries[k->holds[k->jobs[job].hold].queue];
		kueue_hold_move_spots(k, job, e->assignment.spots, e->assignment.spot_count);
		k->holds[k->jobs[job].hold].awaits = is_delayed(&e->assignment);
		kueue_slice_renew(k, job);
		if (kueue_checks_required(k, e->queue, job, &e->assignment))
			kueue_checks_ask_anew(k, job, &e->assignment);
		else
			kueue_ready_admitted(k, job);
	}
	k->grown_count = 0;
}

/* What the cycle only supposed goes; what it decided stays. */
static void make_real(struct kueue *k)
{
	for (size_t i = 0; i < k->claimed_count; i++)
		k->jobs[k->claimed[i]].claimed = false;
	kueue_rollback(k, k->mark);
	for (size_t i = 0; i < k->real_count; i++) {
		uint32_t count;
		const struct quota_amount *amounts = kueue_usage_of(k, k->real[i], &count);

		quota_add_all(&k->tree, k->holds[k->real[i]].queue, amounts, count);
		for (uint32_t n = 0; n < k->holds[k->real[i]].spot_count; n++) {
			const struct kueue_spot *s = &k->holds[k->real[i]].spots[n];

			kueue_topology_use(k->topology, s->tree, s->place, s->shape, s->pods);
		}
	}
	for (size_t i = 0; i < k->second_entry_count; i++) {
		const struct kueue_entry *e = &k->second_entries[i];

		if (e->status == ENTRY_ASSUMED && kueue_holds(k, e->job))
			kueue_hold_move_spots(k, e->job, e->assignment.spots,
					      e->assignment.spot_count);
	}
	k->open = false;
	if (k->spots_stale)
		kueue_spot_rebuild(k);
	settle_slices(k);
}

/* ------------------------------------------------------------ consequences */

static const char *message_of(struct kueue *k, const struct kueue_entry *e)
{
	switch (e->message) {
	case MESSAGE_ASSIGNMENT:
		break;
	case MESSAGE_DEFERRED:
		return "Workload has overlapping preemption targets with another workload, but "
		       "will fit after these preemptions complete";
	case MESSAGE_OVERLAP:
		return "Workload has overlapping preemption targets with another workload";
	case MESSAGE_NO_LONGER_FITS:
		return "Workload no longer fits after processing another workload";
	case MESSAGE_OUTDONE:
		return "A more favorable variant is already admitted";
	case MESSAGE_GATED:
		return "Workload requires preemption, but it's gated";
	case MESSAGE_UNACCEPTABLE:
		return "Target flavor is below LastAcceptableFlavorName";
	case MESSAGE_MIGRATION:
		return kueue_message_migrating(k, e->job, &e->assignment);
	case MESSAGE_NAMESPACE:
		return "workload namespace doesn't match ClusterQueue selector";
	case MESSAGE_FAULTS:
		return kueue_message_faults(k, e->job);
	case MESSAGE_INACTIVE:
		return kueue_message_name(k, "ClusterQueue ",
					  k->scenario->cluster_queues[e->queue].name,
					  " is inactive");
	}
	return kueue_message_assignment(k, e->job, &e->assignment, e->preempted);
}

/* Those whose second pass failed come again; victims of this cycle, too, which Kueue sees as
 * they were before it. True: some did not fail. */
static bool settle_second(struct kueue *k)
{
	bool moved = false;

	for (size_t i = 0; i < k->second_entry_count; i++) {
		const struct kueue_entry *e = &k->second_entries[i];

		if (e->status != ENTRY_OPEN && e->status != ENTRY_SKIPPED)
			moved = true;
		if (e->status != ENTRY_ASSUMED && e->status != ENTRY_EVICTED)
			kueue_second_failed(k, e->job, k->full ? message_of(k, e) : NULL);
	}
	k->second_entry_count = 0;
	return moved;
}

static void note_evaluated(struct kueue *k, uint32_t job)
{
	struct kueue_variant *variant = kueue_variant_of(k, job);

	if (variant == NULL)
		return;
	variant->evaluated = true;
	kueue_sibling_touch(k, job);
}

/* A condition without a reason is none that the reconciler keeps
 * (resolveGranularUnadmittedQuotaReservedCondition). */
static void tell(struct kueue *k, const struct kueue_entry *e)
{
	bool news =
		e->message == MESSAGE_ASSIGNMENT
			? kueue_status_assignment(k, e->job, e->why, &e->assignment, e->preempted)
			: kueue_status(k, e->job, e->why, message_of(k, e));

	if (news)
		kueue_queue_renew(k, e->job);
	if (e->why == WHY_NONE)
		kueue_life_refresh(k, e->job);
}

/* True: the heads moved, so another cycle may see something else. */
static bool settle(struct kueue *k)
{
	bool moved = k->evicted_any || k->evicting_count > 0 || k->refused_count > 0;
	bool admitted = false;

	moved = settle_second(k) || moved;
	for (uint32_t i = 0; i < k->head_count; i++) {
		struct kueue_entry *e = &k->entries[k->heads[i]];

		if (e->status == ENTRY_ASSUMED) {
			moved = admitted = true;
			continue;
		}
		note_evaluated(k, e->job);
		if (k->jobs[e->job].place != PLACE_INFLIGHT)
			continue; /* deleted while the cycle waited */
		if (e->status == ENTRY_SKIPPED && e->requeue == REQUEUE_GENERIC)
			e->requeue = REQUEUE_FAILED_AFTER_NOMINATION;
		moved = !kueue_queue_requeue(k, e->job, e->requeue, e->why) || moved;
		if (kueue_tells(k))
			tell(k, e);
	}
	k->admitting_cycles += admitted;
	mark_evicted(k);
	kueue_life_settle(k);
	return moved;
}

/* Without progress the loop goes on until the same heads come a second time. */
static bool is_repetition(struct kueue *k, uint64_t heads)
{
	for (size_t i = 0; i < k->seen_count; i++) {
		if (k->seen[i] == heads)
			return true;
	}
	k->seen = mem_grow(k->seen, k->seen_count + 1, &k->seen_capacity, sizeof(*k->seen));
	k->seen[k->seen_count++] = heads;
	return false;
}

/* What comes before a cycle and may give it heads. */
static void prepare(struct kueue *k)
{
	if (k->instant != k->world->now)
		k->seen_count = 0;
	k->instant = k->world->now;
	if (kueue_queue_flush_waiting(k))
		k->seen_count = 0;
	kueue_afs_begin(k);
}

/* Whose turn it may be in this cycle. False: there is nothing to schedule. */
static bool gather(struct kueue *k)
{
	pop_second(k);
	k->heads_seen = find_heads(k);
	if (k->head_count == 0 && k->second_entry_count == 0 && k->refused_count == 0)
		return false;
	k->cycle++;
	return true;
}

static void begin_cycle(struct kueue *k)
{
	mem_arena_reset(k->cycle_arena);
	kueue_recall_begin(k);
	kueue_spot_begin(k);
	for (uint32_t i = 0; i < k->head_count; i++)
		kueue_queue_pop(k, k->heads[i]);
	for (size_t i = 0; i < k->second_entry_count; i++)
		nominate(k, &k->second_entries[i]);
	for (uint32_t i = 0; i < k->head_count; i++)
		nominate(k, &k->entries[k->heads[i]]);
	begin_turns(k);
	k->claimed_count = k->evicting_count = k->real_count = 0;
	k->evicted_any = false;
	k->open = true;
	k->mark = kueue_mark(k);
}

/* Is another cycle to run at this instant? */
static bool goes_on(struct kueue *k, bool moved)
{
	if (!moved)
		return !is_repetition(k, k->heads_seen);
	k->seen_count = 0;
	return true;
}

bool kueue_cycle_run(struct kueue *k)
{
	bool moved;

	kueue_ready_watch(k);
	if (kueue_cycle_is_idle(k))
		return false;
	kueue_afs_pass(k, true);
	if (!k->blocked) {
		prepare(k);
		if (kueue_express(k))
			return true;
		if (!gather(k))
			return false;
		if (kueue_repeat_holds(k))
			return goes_on(k, k->refused_count > 0);
		begin_cycle(k);
	} else if (kueue_ready_blocks(k)) {
		return false;
	}
	if (!process_all(k))
		return k->plan->count > 0; /* applied, it may make pods ready */
	make_real(k);
	moved = settle(k);
	kueue_repeat_end(k);
	return goes_on(k, moved);
}

/* The assignment alone: of what a cycle does after it nothing is told. */
const char *kueue_cycle_explain(struct kueue *k, uint32_t job, enum kueue_why *why)
{
	bool full = k->full;

	k->full = true; /* for the texts of the topology */
	kueue_recall_begin(k);
	kueue_spot_begin(k);
	assign(k, job, full_counts(k, job), NULL, k->spare);
	k->full = full;
	*why = k->spare->mode == MODE_NO_FIT ? k->spare->no_fit : WHY_WAITING_FOR_QUOTA;
	if (k->spare->mode == MODE_FIT)
		*why = WHY_PENDING_EVALUATION;
	return kueue_message_assignment(k, job, k->spare, 0);
}

/* ------------------------------------------------------------- life cycle */

void kueue_cycle_open(struct kueue *k)
{
	uint32_t slots = k->slots_max + 1;

	k->possible = kueue_preempt_possible;
	kueue_recall_open(k);
	kueue_bound_open(k);
	kueue_refute_open(k);
	kueue_repeat_open(k);
	k->entries = mem_calloc(k->queue_count, sizeof(*k->entries));
	for (uint32_t i = 0; i < k->queue_count; i++)
		kueue_assignment_init(k, &k->entries[i].assignment);
	k->spare = mem_calloc(1, sizeof(*k->spare));
	kueue_assignment_init(k, k->spare);
	k->heads = mem_calloc(k->queue_count, sizeof(*k->heads));
	k->contenders = mem_calloc(k->queue_count, sizeof(*k->contenders));
	k->try_choices = mem_calloc(slots, sizeof(*k->try_choices));
	k->nominated = mem_calloc(slots, sizeof(*k->nominated));
	k->counts = mem_calloc(k->sets_max + 1U, sizeof(*k->counts));
	k->search_columns = mem_calloc(slots, sizeof(*k->search_columns));
	k->search_request = mem_calloc(slots, sizeof(*k->search_request));
	k->rest = mem_calloc(slots, sizeof(*k->rest));
	k->new_tried = mem_calloc(slots, sizeof(*k->new_tried));
	k->fair = mem_calloc(k->tree.node_count, sizeof(*k->fair));
}

static void free_entry(struct kueue_entry *e)
{
	kueue_assignment_free(&e->assignment);
	mem_free(e->targets);
}

void kueue_cycle_close(struct kueue *k)
{
	void *arrays[] = {k->entries,	     k->spare,	   k->heads,	 k->contenders,
			  k->try_choices,    k->nominated, k->counts,	 k->search_columns,
			  k->search_request, k->rest,	   k->new_tried, k->fair,
			  k->fair_shares,    k->retry,	   k->evicting,	 k->postponed,
			  k->second_entries};

	for (uint32_t i = 0; i < k->queue_count; i++)
		free_entry(&k->entries[i]);
	for (size_t i = 0; i < k->second_entry_capacity; i++)
		free_entry(&k->second_entries[i]);
	kueue_recall_close(k);
	kueue_bound_close(k);
	kueue_refute_close(k);
	kueue_refuse_close(k);
	kueue_repeat_close(k);
	kueue_assignment_free(k->spare);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		mem_free(arrays[i]);
}
