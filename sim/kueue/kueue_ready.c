#include "sim/kueue/kueue_ready.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/mem.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_sibling.h"

static simtime execution_limit(const struct kueue *k, uint32_t job)
{
	uint32_t extra = kueue_job(k, job)->extra;

	return extra == JOB_NONE ? 0 : k->scenario->extras[extra].max_execution;
}

static simtime past_of(const struct kueue *k, uint32_t job)
{
	return kueue_life_of(k, kueue_job_of(k, job))->past;
}

/* Of one that has a limit and is admitted. */
static simtime execution_end(const struct kueue *k, uint32_t job)
{
	simtime limit = execution_limit(k, job), past = past_of(k, job);

	return clock_add(kueue_life_of(k, job)->admitted, limit > past ? limit - past : 0);
}

/* With no time left the workload is not only admitted but looked at before the next cycle. */
static void start_execution(struct kueue *k, uint32_t job)
{
	if (execution_limit(k, job) == 0)
		return;
	if (execution_end(k, job) > k->world->now) {
		kueue_timer(k, execution_end(k, job), TIMER_RECONCILE, job);
		return;
	}
	k->spent = mem_grow(k->spent, k->spent_count + 1, &k->spent_capacity, sizeof(*k->spent));
	k->spent[k->spent_count++] = job;
}

void kueue_ready_start(struct kueue *k, uint32_t job)
{
	struct kueue_life *life = kueue_life_own(k, job);

	life->admitted = kueue_second(k);
	life->lost = -1;
	start_execution(k, job);
	if (!k->config->wait_for_pods_ready)
		return;
	k->fresh = mem_grow(k->fresh, k->fresh_count + 1, &k->fresh_capacity, sizeof(*k->fresh));
	k->fresh[k->fresh_count++] = job;
}

void kueue_ready_admitted(struct kueue *k, uint32_t job)
{
	kueue_afs_admitted(k, job);
	if (kueue_sibling_seat(k, kueue_job_of(k, job)) == job)
		kueue_ready_start(k, job);
	else
		kueue_life_own(k, job)->admitted = clock_floor_second(k->world->now);
}

static bool awaits_pods(const struct kueue *k, uint32_t job)
{
	const struct kueue_life *life = kueue_life_of(k, job);

	return life->admitted >= 0 && !life->ready;
}

/* A reconcile asks for one other, the earlier: once its execution time is over nobody looks at
 * the pods. */
static bool lasts_until(const struct kueue *k, uint32_t job, simtime at)
{
	const struct kueue_life *life = kueue_life_of(k, job);
	simtime limit = execution_limit(k, job);

	return limit == 0 || life->admitted < 0 || at <= execution_end(k, job);
}

static void look_at_pods(struct kueue *k, uint32_t job, simtime at)
{
	if (lasts_until(k, job, at))
		kueue_timer(k, at, TIMER_RECONCILE, job);
}

static void look_later(struct kueue *k, uint32_t job)
{
	look_at_pods(k, job,
		     clock_add(kueue_life_of(k, job)->admitted, k->config->pods_ready_timeout));
}

void kueue_ready_reconciled(struct kueue *k, uint32_t job)
{
	size_t last = k->fresh_count - 1;

	if (k->fresh_count == k->fresh_watched || k->fresh[last] != job)
		return;
	if (k->spares_timers) {
		k->fresh[last] = k->fresh[k->fresh_watched];
		k->fresh[k->fresh_watched++] = job;
	} else {
		k->fresh_count--;
		look_later(k, job);
	}
}

void kueue_ready_watch_all(struct kueue *k)
{
	size_t kept = k->fresh_watched;

	for (size_t i = kept; i < k->fresh_count; i++) {
		uint32_t job = k->fresh[i];

		if (!awaits_pods(k, job))
			continue;
		if (k->spares_timers)
			k->fresh[kept++] = job;
		else
			look_later(k, job);
	}
	k->fresh_count = k->fresh_watched = kept;
	for (size_t i = 0; i < k->spent_count; i++)
		kueue_ready_reconcile(k, k->spent[i]);
	k->spent_count = 0;
}

/* A spared timer. They come in the order of their times, which are all as far off. */
struct kueue_look {
	simtime at;
	uint32_t job;
};

/* The capacity is a power of two. */
static size_t ring_place(const struct kueue *k, size_t i)
{
	return (k->spared_look_first + i) & (k->spared_look_capacity - 1);
}

static struct kueue_look *look_at(const struct kueue *k, size_t i)
{
	return &k->spared_looks[ring_place(k, i)];
}

static void grow_looks(struct kueue *k)
{
	size_t had = k->spared_look_capacity;

	k->spared_looks = mem_grow(k->spared_looks, had + 1, &k->spared_look_capacity,
				   sizeof(*k->spared_looks));
	assert((k->spared_look_capacity & (k->spared_look_capacity - 1)) == 0);
	/* what went round the end of the ring stands behind it now */
	for (size_t i = 0; i < k->spared_look_first; i++)
		k->spared_looks[had + i] = k->spared_looks[i];
}

static void spare(struct kueue *k, uint32_t job)
{
	simtime at = clock_add(kueue_second(k), k->config->pods_ready_timeout);

	while (k->spared_look_count > 0 && look_at(k, 0)->at <= k->world->now) {
		k->spared_look_first = ring_place(k, 1);
		k->spared_look_count--;
	}
	if (!lasts_until(k, job, at))
		return;
	if (k->spared_look_count == k->spared_look_capacity)
		grow_looks(k);
	*look_at(k, k->spared_look_count++) = (struct kueue_look){.at = at, .job = job};
}

void kueue_ready_settle(struct kueue *k)
{
	for (size_t i = 0; i < k->fresh_watched; i++) {
		if (awaits_pods(k, k->fresh[i]))
			look_later(k, k->fresh[i]);
		else
			spare(k, k->fresh[i]);
	}
	for (size_t i = k->fresh_watched; i < k->fresh_count; i++)
		k->fresh[i - k->fresh_watched] = k->fresh[i];
	k->fresh_count -= k->fresh_watched;
	k->fresh_watched = 0;
}

void kueue_ready_expect(struct kueue *k)
{
	for (size_t i = 0; i < k->spared_look_count; i++) {
		if (look_at(k, i)->at > k->world->now)
			kueue_timer(k, look_at(k, i)->at, TIMER_RECONCILE, look_at(k, i)->job);
	}
	k->spared_look_count = 0;
}

void kueue_ready_pods(struct kueue *k, uint32_t job)
{
	uint32_t h = k->jobs[job].hold;
	struct kueue_life *life;

	if (h == KUEUE_NONE || k->holds[h].gone)
		return;
	life = kueue_life_own(k, job);
	if (life->ready)
		return;
	life->ready = true;
	life->lost = -1;
	k->unready--;
	if (k->config->wait_for_pods_ready)
		k->queues[k->holds[h].queue].generation++; /* as kueue_hold_rewritten */
}

/* A pod failed after all had been ready; that a workload stops because it was
 * told to is no failure. */
void kueue_ready_lost(struct kueue *k, uint32_t job)
{
	struct kueue_life *life;

	if (!kueue_holds(k, job) || !kueue_life_of(k, job)->ready ||
	    k->holds[k->jobs[job].hold].evicted)
		return;
	life = kueue_life_own(k, job);
	life->ready = false;
	life->lost = clock_floor_second(k->world->now);
	k->unready++;
	if (!k->config->wait_for_pods_ready)
		return;
	kueue_hold_rewritten(k, job);
	look_at_pods(k, job, clock_add(life->lost, k->config->recovery_timeout));
}

bool kueue_ready_blocks(const struct kueue *k)
{
	return k->config->wait_for_pods_ready && k->config->block_admission && k->unready > 0;
}

/* The job of a variant stops, and the variant stays admitted: so Kueue admits the job again
 * (variant controller, syncAdmissionStatus). */
static void stop_parent(struct kueue *k, uint32_t variant, const char *detail)
{
	struct kueue_family *family = &k->families[kueue_variant(k, variant)->family];
	struct kueue_life *life = kueue_life_own(k, variant);
	struct decision *d;

	if (family->evicted)
		return;
	family->evicted = true;
	kueue_life_own(k, family->job)->past += clock_floor_second(k->world->now) - life->admitted;
	life->admitted = clock_floor_second(k->world->now);
	d = plan_add(k->plan, DECIDE_EVICT);
	d->job = family->job;
	d->reason = journal_string(k->world->journal, detail);
}

static void time_out(struct kueue *k, uint32_t job)
{
	uint32_t owner = kueue_job_of(k, job);
	struct kueue_life *life = kueue_life_own(k, owner);
	char detail[96], at[CLOCK_TEXT];
	simtime due;

	if (k->config->requeue_limit >= 0 && life->requeues + 1 > k->config->requeue_limit) {
		kueue_life_give_up(k, job, "reason=DeactivatedDueToRequeuingLimitExceeded",
				   "exceeding the maximum number of re-queuing retries");
		return;
	}
	life->requeues++;
	due = clock_add(k->world->now, kueue_life_back_off(k->config->requeue_base,
							   k->config->requeue_max, life->requeues));
	if (due > life->requeue_at) /* a check may have asked for more */
		life->requeue_at = due;
	snprintf(detail, sizeof(detail),
		 "reason=PodsReadyTimeout;requeue_count=%" PRIu32 ";requeue_at=%s", life->requeues,
		 clock_format_seconds(life->requeue_at, at));
	if (owner != job) {
		stop_parent(k, job, detail);
		return;
	}
	kueue_life_evict(k, job, CAUSE_PODS_READY, detail, kueue_message_timeout(k, job));
	if (!k->config->requeue_by_creation)
		k->jobs[job].order = clock_floor_second(k->world->now);
	kueue_timer(k, life->requeue_at, TIMER_RECONCILE, job);
}

/* When the pods of one that holds quota are to be ready; CLOCK_NEVER if nobody waits for them. */
static simtime pods_due(const struct kueue *k, uint32_t job)
{
	const struct kueue_life *life = kueue_life_of(k, job);

	if (!k->config->wait_for_pods_ready || life->admitted < 0 || life->ready ||
	    k->holds[k->jobs[job].hold].evicted)
		return CLOCK_NEVER;
	return life->lost >= 0 ? clock_add(life->lost, k->config->recovery_timeout)
			       : clock_add(life->admitted, k->config->pods_ready_timeout);
}

static bool is_overlong(const struct kueue *k, uint32_t job)
{
	const struct kueue_life *life = kueue_life_of(k, job);
	simtime limit = execution_limit(k, job);

	return limit > 0 && life->admitted >= 0 &&
	       past_of(k, job) + (k->world->now - life->admitted) >= limit;
}

/* This admission is added once it ends. Until then Kueue takes it for all there was, and looks
 * again when it alone would be too long (reconcileMaxExecutionTime). */
static void forget_past(struct kueue *k, uint32_t job)
{
	if (past_of(k, job) > 0)
		kueue_timer(k, clock_add(kueue_life_of(k, job)->admitted, execution_limit(k, job)),
			    TIMER_RECONCILE, job);
	kueue_life_own(k, kueue_job_of(k, job))->past = 0;
}

/* The reconcile that ends it has asked for one when its pods are due. */
static void end_execution(struct kueue *k, uint32_t job)
{
	simtime due = pods_due(k, job);

	if (due > k->world->now && due != CLOCK_NEVER)
		kueue_timer(k, due, TIMER_RECONCILE, job);
	forget_past(k, job);
	kueue_life_give_up(k, job, "reason=DeactivatedDueToMaximumExecutionTimeExceeded",
			   "exceeding the maximum execution time");
}

void kueue_ready_reconcile(struct kueue *k, uint32_t job)
{
	const struct kueue_life *life = kueue_life_of(k, job);

	if (k->jobs[job].inactive)
		return;
	if (k->jobs[job].place == PLACE_BACKOFF && life->requeue_at >= 0 &&
	    life->requeue_at <= k->world->now) {
		kueue_life_own(k, job)->requeue_at = -1;
		kueue_queue_push(k, job);
		kueue_life_refresh(k, job);
	}
	if (kueue_life_of(k, job)->requeue_at > k->world->now)
		return; /* Reconcile looks at nothing else before the back-off is over */
	if (!kueue_holds(k, job) || kueue_sibling_seat(k, kueue_job_of(k, job)) != job)
		return; /* time runs for a job that is admitted, by this variant */
	if (pods_due(k, job) <= k->world->now)
		time_out(k, job);
	if (!k->jobs[job].inactive && is_overlong(k, job))
		end_execution(k, job);
}
