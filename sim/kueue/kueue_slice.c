#include "sim/kueue/kueue_slice.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_class.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_status.h"

static struct kueue_hold *hold_of(const struct kueue *k, uint32_t job)
{
	return &k->holds[k->jobs[job].hold];
}

/* Pods of each set that it holds quota for; NULL: it is not elastic. */
static uint32_t *held_counts(const struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = hold_of(k, job);

	return hold->kept == NULL ? NULL : &hold->kept[kueue_form_of(k, job)->slot_count];
}

static void take_amounts(struct kueue *k, uint32_t job, bool renewed)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const uint32_t *flavors = hold_of(k, job)->kept;
	struct quota_amount *amounts = mem_calloc(form->slot_count + 1u, sizeof(*amounts));
	uint32_t count = 0;

	for (uint32_t s = 0; s < form->set_count; s++) {
		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			uint32_t column, at = 0;

			if (flavors[i] == KUEUE_NONE)
				continue;
			column = kueue_column(k, flavors[i], form->slots[i].resource);
			while (at < count && amounts[at].column != column)
				at++;
			if (at == count)
				amounts[count++] = (struct quota_amount){.column = column};
			amounts[at].amount =
				res_add(amounts[at].amount,
					res_mul(form->slots[i].per_pod, form->counts[s]));
		}
	}
	kueue_afs_change(k, job, -1);
	if (renewed)
		hold_of(k, job)->since = clock_floor_second(k->world->now);
	kueue_hold_change(k, job, amounts, count);
	kueue_afs_change(k, job, 1);
	mem_free(amounts);
	memcpy(held_counts(k, job), form->counts, form->set_count * sizeof(*form->counts));
	kueue_life_own(k, job)->reclaimed = 0; /* of the pods that there are now */
	kueue_queue_request_flush(k, hold_of(k, job)->queue);
}

/* The workload's pod counts are changed in place. */
static void shrink(struct kueue *k, uint32_t job)
{
	const struct admission *before = kueue_admission_of(k, job);
	struct admission *now = mem_arena_alloc(k->plan->arena, sizeof(*now));
	struct admission_pod_set *sets =
		mem_arena_alloc(k->plan->arena, before->pod_set_count * sizeof(*sets));
	struct decision *d;

	memcpy(sets, before->pod_sets, before->pod_set_count * sizeof(*sets));
	sets[0].count = kueue_run(k, job)->parallelism;
	*now = *before;
	now->pod_sets = sets;
	take_amounts(k, job, false);
	d = plan_add(k->plan, DECIDE_RESIZE);
	d->job = job;
	d->admission = now;
}

static void ask(struct kueue *k, uint32_t job)
{
	kueue_queue_remove(k, job);
	kueue_class_shrink(k, job, 0, kueue_run(k, job)->parallelism);
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

static void resize_holder(struct kueue *k, uint32_t job)
{
	uint32_t pods = kueue_run(k, job)->parallelism, had;

	if (held_counts(k, job) == NULL || hold_of(k, job)->awaits ||
	    kueue_life_of(k, job)->replaces != KUEUE_NONE)
		return; /* once it has all its places */
	had = kueue_admission_of(k, job)->pod_sets[0].count;
	if (kueue_replaces(k, job)) {
		ask(k, job);
	} else if (pods < had) {
		kueue_class_shrink(k, job, 0, pods);
		shrink(k, job);
	} else if (pods > had) {
		if (kueue_life_of(k, job)->older < 0)
			kueue_life_own(k, job)->older = k->jobs[job].order;
		kueue_life_own(k, job)->created = clock_floor_second(k->world->now);
		k->jobs[job].order = kueue_life_of(k, job)->created;
		kueue_class_shrink(k, job, 0, pods);
		kueue_life_enqueue(k, job);
	}
}

static void resize(struct kueue *k, uint32_t job)
{
	enum kueue_place place = (enum kueue_place)k->jobs[job].place;

	if (kueue_run(k, job)->phase == JOB_DONE)
		return;
	if (!kueue_holds(k, job)) {
		if (place == PLACE_NOWHERE)
			kueue_class_shrink(k, job, 0, kueue_run(k, job)->parallelism);
		else
			ask(k, job);
	} else if (!hold_of(k, job)->evicted) {
		resize_holder(k, job);
	}
}

void kueue_slice_resized(struct kueue *k, uint32_t job)
{
	if (kueue_run(k, job)->parallelism == JOB_NONE || !k->gates.slices ||
	    k->jobs[job].class == KUEUE_NONE)
		return;
	if (!k->open) {
		resize(k, job);
		return;
	}
	k->resized = mem_grow(k->resized, k->resized_count + 1, &k->resized_capacity,
			      sizeof(*k->resized));
	k->resized[k->resized_count++] = job;
}

void kueue_slice_look(struct kueue *k, uint32_t job)
{
	if (kueue_run(k, job)->parallelism != JOB_NONE)
		kueue_timer(k, k->world->now, TIMER_RESIZE, job);
}

void kueue_slice_call_off(struct kueue *k, uint32_t job)
{
	if (!kueue_replaces(k, job))
		return;
	kueue_queue_remove(k, job);
	kueue_class_shrink(k, job, 0, held_counts(k, job)[0]);
}

void kueue_slice_settle(struct kueue *k)
{
	for (size_t i = 0; i < k->resized_count; i++)
		kueue_slice_look(k, k->resized[i]);
	k->resized_count = 0;
}

void kueue_slice_admitted(struct kueue *k, uint32_t job)
{
	kueue_queue_remove(k, job);
	k->grown = mem_grow(k->grown, k->grown_count + 1, &k->grown_capacity, sizeof(*k->grown));
	k->grown[k->grown_count++] = job;
}

void kueue_slice_renew(struct kueue *k, uint32_t job)
{
	struct kueue_life *life = kueue_life_own(k, job);

	kueue_afs_left(k, job);
	take_amounts(k, job, true);
	hold_of(k, job)->cycle = k->cycle;
	kueue_afs_reserved(k, job);
	k->jobs[job].order = life->created;
	k->jobs[job].cause = CAUSE_NONE;
	kueue_status_reserved(k, job);
	if (life->ready)
		k->unready++;
	life->ready = life->retrying = false;
	life->lost = life->requeue_at = life->older = -1;
	life->past = 0;
	life->requeues = 0;
	life->admitted = life->check_due = -1;
}
