#include "sim/kueue/kueue_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_provision.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_second.h"
#include "sim/kueue/kueue_slice.h"
#include "sim/kueue/kueue_update.h"

#define LIST_TEXT   1100
#define CHECKS_TEXT 1200

enum { ANSWER_READY, ANSWER_RETRY, ANSWER_REJECTED }; /* job_extra.check_result */

static bool has_check(const struct cluster_queue *queue, uint32_t name)
{
	for (uint32_t c = 0; c < queue->check_count; c++) {
		if (queue->checks[c].name == name)
			return true;
	}
	return false;
}

/* While a cycle waits its queue may get checks. By the time the cycle admits a workload that has
 * those that are for all flavors, and they are not ready (SyncAdmittedCondition). */
static bool has_more(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *seen = k->queues[queue].spec, *now = k->queues[queue].latest;

	for (uint32_t c = 0; now != seen && c < now->check_count; c++) {
		if (now->checks[c].flavor_count == 0 && !has_check(seen, now->checks[c].name))
			return true;
	}
	return false;
}

bool kueue_checks_required(const struct kueue *k, uint32_t queue, uint32_t job,
			   const struct kueue_assignment *a)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	if (has_more(k, queue))
		return true;
	for (uint32_t c = 0; c < spec->check_count; c++) {
		if (kueue_flavor_concerned(k, job, a, &spec->checks[c]))
			return true;
	}
	return false;
}

/* One value an attempt; the last repeats, an empty list is the default. */
static uint32_t attempt_index(const struct kueue *k, uint32_t job, uint32_t count)
{
	uint32_t asked = kueue_life_of(k, job)->asked - 1;

	return asked < count ? asked : count - 1;
}

static const struct job_extra *extra_of(const struct kueue *k, uint32_t job)
{
	static const struct job_extra none;
	uint32_t extra = kueue_job(k, job)->extra;

	return extra == JOB_NONE ? &none : &k->scenario->extras[extra];
}

/* Checks that the job's own columns answer, for any of the assigned flavors. */
static bool has_scripted(const struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	const struct cluster_queue *spec = k->queues[k->holds[k->jobs[job].hold].queue].spec;

	for (uint32_t c = 0; c < spec->check_count; c++) {
		if (!kueue_provision_handles(k, &spec->checks[c]) &&
		    kueue_flavor_concerned(k, job, a, &spec->checks[c]))
			return true;
	}
	return false;
}

/* When a check that is asked now is answered; CLOCK_NEVER. */
static simtime expect_answer(struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);
	simtime after = 0, due;

	if (extra->check_count > 0)
		after = extra->check[attempt_index(k, job, extra->check_count)];
	if (after == CLOCK_NEVER)
		return CLOCK_NEVER;
	due = clock_add(k->world->now, after);
	kueue_timer(k, due, TIMER_CHECK, job);
	return due;
}

static void count_asking(struct kueue *k, uint32_t job)
{
	struct kueue_life *life = kueue_life_own(k, job);

	life->asked += !life->asking;
	life->asking = true;
}

static void ask_scripted(struct kueue *k, uint32_t job)
{
	count_asking(k, job);
	kueue_life_own(k, job)->check_due = expect_answer(k, job);
}

static uint8_t answer_of(const struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);

	return extra->check_result_count == 0
		       ? ANSWER_READY
		       : extra->check_result[attempt_index(k, job, extra->check_result_count)];
}

static void decide_check(struct kueue *k, uint32_t job, const char *detail)
{
	struct decision *d = plan_add(k->plan, DECIDE_CHECK);

	d->job = job;
	d->reason = journal_string(k->world->journal, detail);
}

/* ---- checks that the queue got later ---- */

static bool is_late(const struct kueue *k, uint32_t job, uint32_t name)
{
	for (size_t i = 0; i < k->late_check_count; i++) {
		if (k->late_checks[i].job == job && k->late_checks[i].name == name)
			return true;
	}
	return false;
}

static bool has_late(const struct kueue *k, uint32_t job)
{
	for (size_t i = 0; i < k->late_check_count; i++) {
		if (k->late_checks[i].job == job)
			return true;
	}
	return false;
}

static void drop_late(struct kueue *k, size_t at)
{
	k->late_checks[at] = k->late_checks[--k->late_check_count];
}

/* Of a check that there is not nobody answers. */
static void ask_late(struct kueue *k, uint32_t job, const struct check_ref *check)
{
	simtime due = check->check == SCENARIO_NONE ? CLOCK_NEVER : expect_answer(k, job);

	k->late_checks = mem_grow(k->late_checks, k->late_check_count + 1, &k->late_check_capacity,
				  sizeof(*k->late_checks));
	k->late_checks[k->late_check_count++] =
		(struct kueue_late_check){.job = job, .name = check->name, .due = due};
}

/* Are checks of the workload answered now? */
static bool take_due(struct kueue *k, uint32_t job)
{
	bool any = kueue_life_of(k, job)->check_due == k->world->now;

	if (any)
		kueue_life_own(k, job)->check_due = -1;
	for (size_t i = k->late_check_count; i-- > 0;) {
		if (k->late_checks[i].job != job || k->late_checks[i].due != k->world->now)
			continue;
		drop_late(k, i);
		any = true;
	}
	return any;
}

/* The version of the queue that its checks are of; the one in force if they are up to date. */
static const struct cluster_queue *take_stale(struct kueue *k, uint32_t job)
{
	struct kueue_stale_checks *stale = kueue_update_stale(k, job);
	const struct cluster_queue *queue = k->queues[kueue_queue_of(k, job)].latest;

	if (stale == NULL)
		return queue;
	queue = stale->queue;
	memmove(stale, stale + 1,
		(size_t)(&k->stale_checks[--k->stale_check_count] - stale) * sizeof(*stale));
	return queue;
}

/* ---- what the answers lead to ---- */

/* Next of the checks by name that the job's columns answer; NULL: there is none. */
static const char *next_scripted(const struct kueue *k, uint32_t job, const char *after)
{
	const struct admission *a = kueue_admission_of(k, job);
	const struct cluster_queue *spec = k->queues[k->holds[k->jobs[job].hold].queue].latest;
	const char *best = NULL;

	for (uint32_t c = 0; a != NULL && c < spec->check_count; c++) {
		const char *name = scenario_string(k->scenario, spec->checks[c].name);

		if (!kueue_provision_handles(k, &spec->checks[c]) &&
		    kueue_flavor_concerns(k, &spec->checks[c], a) && strcmp(name, after) > 0 &&
		    (best == NULL || strcmp(name, best) < 0))
			best = name;
	}
	return best;
}

/* They all give the same answer, without a message. */
static uint32_t list_scripted(const struct kueue *k, uint32_t job, char *buf, size_t size)
{
	uint32_t count = 0;
	size_t used = 0;

	buf[0] = '\0';
	for (const char *name = next_scripted(k, job, ""); name != NULL && used < size;
	     name = next_scripted(k, job, name)) {
		int length = snprintf(buf + used, size - used, "%s\"%s\"", count++ == 0 ? "" : "; ",
				      name);

		used += length > 0 ? (size_t)length : 0;
	}
	return count;
}

/* "AdmissionCheck in Retry state: "a" (message)". */
static void describe(const struct kueue *k, uint32_t job, enum kueue_check_state state,
		     const char *name, char *buf, size_t size)
{
	char list[LIST_TEXT];
	uint32_t count = kueue_provision_list(k, job, state, list, sizeof(list));

	if (count == 0)
		count = list_scripted(k, job, list, sizeof(list));
	snprintf(buf, size, "AdmissionCheck%s in %s state: %s", count > 1 ? "s" : "", name, list);
}

static void evict_for_retry(struct kueue *k, uint32_t job, bool with_time)
{
	char detail[96], at[CLOCK_TEXT], checks[CHECKS_TEXT], message[CHECKS_TEXT + 16];

	snprintf(detail, sizeof(detail), "reason=AdmissionCheck");
	if (with_time)
		snprintf(detail, sizeof(detail),
			 "reason=AdmissionCheck;requeue_count=%" PRIu32 ";requeue_at=%s",
			 kueue_life_of(k, job)->requeues,
			 clock_format_seconds(kueue_life_of(k, job)->requeue_at, at));
	describe(k, job, CHECK_RETRY, "Retry", checks, sizeof(checks));
	snprintf(message, sizeof(message), "Evicted due to %s", checks);
	kueue_life_evict(k, job, CAUSE_CHECK, detail, message);
	k->jobs[job].order = clock_floor_second(k->world->now);
}

/* The quota is kept during the back-off, whatever else is answered. */
static void retry_at(struct kueue *k, uint32_t job, simtime at)
{
	struct kueue_life *life = kueue_life_own(k, job);

	if (life->retrying && at <= life->requeue_at)
		return;
	if (at <= k->world->now) {
		evict_for_retry(k, job, false);
		return;
	}
	life->rejected = life->retrying && life->rejected;
	life->retrying = true;
	life->requeue_at = at;
	kueue_timer(k, at, TIMER_RECONCILE, job);
}

static void retry(struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);
	simtime wait =
		extra->check_retry_count == 0
			? 0
			: extra->check_retry[attempt_index(k, job, extra->check_retry_count)];

	retry_at(k, job, clock_add(k->world->now, wait));
}

static void reject(struct kueue *k, uint32_t job)
{
	char checks[CHECKS_TEXT];

	if (kueue_life_of(k, job)->retrying) {
		kueue_life_own(k, job)->rejected = true;
		return;
	}
	describe(k, job, CHECK_REJECTED, "Rejected", checks, sizeof(checks));
	kueue_life_deactivate(k, job, "reason=DeactivatedDueToAdmissionCheck", checks);
	if (kueue_variant_of(k, job) != NULL)
		k->jobs[job].cause = CAUSE_SET_ASIDE;
}

void kueue_checks_done(struct kueue *k, uint32_t job, const struct admission *admission)
{
	struct decision *d;

	if (k->holds[k->jobs[job].hold].awaits) {
		kueue_second_wait(k, job);
		return;
	}
	d = plan_add(k->plan, DECIDE_ADMIT);
	d->job = job;
	d->admission = admission;
	kueue_ready_admitted(k, job);
	kueue_ready_reconciled(k, job);
	kueue_slice_look(k, job);
}

/* Rejected before Retry, Retry before Ready (spec 8.4). */
static void settle(struct kueue *k, uint32_t job)
{
	enum kueue_check_state state = kueue_provision_state(k, job);

	if (state == CHECK_REJECTED)
		reject(k, job);
	else if (state == CHECK_RETRY)
		retry_at(
			k, job,
			clock_add(clock_floor_second(k->world->now), kueue_provision_wait(k, job)));
	else if (state == CHECK_READY && kueue_life_of(k, job)->check_due == -1 &&
		 !has_late(k, job) && kueue_life_of(k, job)->admitted < 0 &&
		 kueue_life_of(k, job)->second_due < 0 && !kueue_life_of(k, job)->retrying)
		kueue_checks_done(k, job, NULL);
}

void kueue_checks_ask(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	kueue_life_own(k, job)->check_due = -1;
	if (has_scripted(k, job, a))
		ask_scripted(k, job);
	kueue_provision_ask(k, job, a);
	if (!has_more(k, kueue_queue_of(k, job)))
		settle(k, job);
}

void kueue_checks_ask_anew(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	kueue_provision_forget(k, job);
	kueue_life_forget_checks(k, job);
	kueue_checks_ask(k, job, a);
}

void kueue_checks_provisioning(struct kueue *k, const struct happening *h)
{
	if (kueue_provision_answer(k, h))
		settle(k, h->job);
}

/* ---- other checks for who has quota (reconcileSyncAdmissionChecks) ---- */

/* Does the workload need the check, which its columns answer, by that version of its queue? */
static bool needs(const struct kueue *k, uint32_t job, const struct cluster_queue *queue,
		  uint32_t name)
{
	for (uint32_t c = 0; c < queue->check_count; c++) {
		if (queue->checks[c].name == name)
			return !kueue_provision_handles(k, &queue->checks[c]) &&
			       kueue_flavor_concerns(k, &queue->checks[c],
						     kueue_admission_of(k, job));
	}
	return false;
}

/* Do checks stay that were asked with its reservation, or were answered since? */
static bool keeps_some(const struct kueue *k, uint32_t job, const struct cluster_queue *before,
		       const struct cluster_queue *now)
{
	for (uint32_t c = 0; c < before->check_count; c++) {
		uint32_t name = before->checks[c].name;

		if (needs(k, job, before, name) && !is_late(k, job, name) &&
		    needs(k, job, now, name))
			return true;
	}
	return false;
}

static void ask_new(struct kueue *k, uint32_t job, const struct cluster_queue *before,
		    const struct cluster_queue *now)
{
	for (uint32_t c = 0; c < now->check_count; c++) {
		uint32_t name = now->checks[c].name;

		if (!needs(k, job, now, name) || needs(k, job, before, name))
			continue;
		count_asking(k, job);
		ask_late(k, job, &now->checks[c]);
	}
}

/* Takes away what is not required any more, asks for what is new. True: the columns' answer
 * to its reservation counts still. */
static bool sync_checks(struct kueue *k, uint32_t job)
{
	const struct cluster_queue *before = take_stale(k, job);
	const struct cluster_queue *now = k->queues[kueue_queue_of(k, job)].latest;
	bool keeps = keeps_some(k, job, before, now);

	for (size_t i = k->late_check_count; i-- > 0;) {
		if (k->late_checks[i].job == job && !needs(k, job, now, k->late_checks[i].name))
			drop_late(k, i);
	}
	if (!keeps)
		kueue_life_own(k, job)->check_due = -1;
	ask_new(k, job, before, now);
	kueue_provision_sync(k, job);
	return keeps && kueue_life_of(k, job)->check_due == -1;
}

/* A back-off keeps Kueue from looking at it, and of a LocalQueue that is stopped or gone it does
 * not know whose checks to ask for; one that a plan is about to reserve is looked at next. */
static bool may_sync(struct kueue *k, uint32_t job)
{
	if (kueue_update_stale(k, job) == NULL ||
	    kueue_life_of(k, job)->requeue_at > k->world->now ||
	    !kueue_lq_serves(k->local_queues[kueue_job(k, job)->common->local_queue]))
		return false;
	if (kueue_admission_of(k, job) != NULL)
		return true;
	kueue_timer(k, k->world->now, TIMER_RECONCILE, job);
	return false;
}

/* Is any of the queue's checks for what it has? */
static bool needs_any(struct kueue *k, uint32_t job, const struct cluster_queue *queue)
{
	bool any = false;

	for (uint32_t c = 0; c < queue->check_count; c++)
		any = any ||
		      kueue_flavor_concerns(k, &queue->checks[c], kueue_admission_of(k, job));
	return any;
}

/* Of one that is evicted, and is not out yet: without its last check Kueue says Admitted, so
 * the time until it is out is execution time (workload_controller.go, SyncAdmittedCondition). */
static void sync_evicted(struct kueue *k, uint32_t job)
{
	const struct cluster_queue *now = k->queues[kueue_queue_of(k, job)].latest;
	struct kueue_life *life = kueue_life_own(k, job);

	take_stale(k, job);
	if (life->admitted < 0 && !needs_any(k, job, now))
		life->admitted = clock_floor_second(k->world->now);
}

static void look(struct kueue *k, uint32_t job)
{
	if (!kueue_holds(k, job)) {
		take_stale(k, job);
	} else if (may_sync(k, job)) {
		if (k->holds[k->jobs[job].hold].evicted) {
			sync_evicted(k, job);
			return;
		}
		sync_checks(k, job);
		settle(k, job);
	}
}

void kueue_checks_settle(struct kueue *k)
{
	for (size_t i = 0; i < k->stale_check_count;) {
		size_t count = k->stale_check_count;

		look(k, k->stale_checks[i].job);
		i += k->stale_check_count == count; /* it cannot be looked at yet */
	}
}

bool kueue_checks_answer(struct kueue *k, uint32_t job)
{
	uint8_t answer;

	if (!kueue_holds(k, job) || k->holds[k->jobs[job].hold].evicted)
		return false;
	if (may_sync(k, job)) /* it was reserved in a cycle that had begun before */
		sync_checks(k, job);
	if (!take_due(k, job))
		return false;
	answer = answer_of(k, job);
	kueue_hold_rewritten(k, job);
	if (answer == ANSWER_READY) {
		decide_check(k, job, "Ready");
		settle(k, job);
	} else if (answer == ANSWER_RETRY) {
		decide_check(k, job, "Retry");
		retry(k, job);
	} else {
		decide_check(k, job, "Rejected");
		reject(k, job);
	}
	return true;
}

/* The check that asked for the back-off may have been taken away meanwhile. */
static bool still_retries(struct kueue *k, uint32_t job)
{
	uint8_t answer = answer_of(k, job);
	bool counts = sync_checks(k, job);
	enum kueue_check_state state = kueue_provision_state(k, job);

	kueue_life_own(k, job)->rejected =
		state == CHECK_REJECTED || (counts && answer == ANSWER_REJECTED);
	return kueue_life_of(k, job)->rejected || state == CHECK_RETRY ||
	       (counts && answer == ANSWER_RETRY);
}

static void end_back_off(struct kueue *k, uint32_t job)
{
	kueue_life_own(k, job)->retrying = false;
	if (may_sync(k, job) && !still_retries(k, job))
		settle(k, job);
	else if (kueue_life_of(k, job)->rejected)
		reject(k, job);
	else
		evict_for_retry(k, job, true);
}

void kueue_checks_reconcile(struct kueue *k, uint32_t job)
{
	if (!kueue_holds(k, job) || kueue_life_of(k, job)->requeue_at > k->world->now)
		return;
	if (kueue_life_of(k, job)->retrying && !k->holds[k->jobs[job].hold].evicted) {
		end_back_off(k, job);
		if (!kueue_holds(k, job) || k->holds[k->jobs[job].hold].evicted) {
			/* Looked at again, unless its job has stopped by then. */
			kueue_timer(k, k->world->now, TIMER_RECONCILE, job);
			return;
		}
	} else {
		look(k, job);
	}
	kueue_update_reconcile(k, job);
}
