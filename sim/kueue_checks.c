#include "sim/kueue_checks.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/kueue_life.h"
#include "sim/kueue_ready.h"
#include "sim/kueue_second.h"

enum { ANSWER_READY, ANSWER_RETRY, ANSWER_REJECTED }; /* job_extra.check_result */

bool kueue_checks_required(const struct kueue *k, uint32_t queue, uint32_t job,
			   const struct kueue_assignment *a)
{
	const struct cluster_queue *spec = k->queues[queue].spec;
	uint32_t slots = kueue_form_of(k, job)->slot_count;

	for (uint32_t c = 0; c < spec->check_count; c++) {
		for (uint32_t i = 0; i < slots; i++) {
			if (a->choices[i].flavor != KUEUE_NONE &&
			    kueue_flavor_checked(k, &spec->checks[c], a->choices[i].flavor))
				return true;
		}
	}
	return false;
}

/* One value an attempt; the last repeats, an empty list is the default. */
static uint32_t attempt_index(const struct kueue *k, uint32_t job, uint32_t count)
{
	uint32_t asked = k->life[job].asked - 1;

	return asked < count ? asked : count - 1;
}

static const struct job_extra *extra_of(const struct kueue *k, uint32_t job)
{
	static const struct job_extra none;
	uint32_t extra = k->scenario->jobs[job].extra;

	return extra == JOB_NONE ? &none : &k->scenario->extras[extra];
}

void kueue_checks_ask(struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);
	simtime after = 0;

	k->life[job].asked++;
	if (extra->check_count > 0)
		after = extra->check[attempt_index(k, job, extra->check_count)];

	k->life[job].check_due = CLOCK_NEVER;
	if (after == CLOCK_NEVER)
		return;
	k->life[job].check_due = clock_add(k->world->now, after);
	kueue_timer(k, k->life[job].check_due, TIMER_CHECK, job);
}

static void decide_check(struct kueue *k, uint32_t job, const char *detail)
{
	struct decision *d = plan_add(k->plan, DECIDE_CHECK);

	d->job = job;
	d->reason = journal_string(k->world->journal, detail);
}

static void evict_for_retry(struct kueue *k, uint32_t job, bool with_time)
{
	char detail[96], at[CLOCK_TEXT];

	snprintf(detail, sizeof(detail), "reason=AdmissionCheck");
	if (with_time)
		snprintf(detail, sizeof(detail),
			 "reason=AdmissionCheck;requeue_count=%" PRIu32 ";requeue_at=%s",
			 k->life[job].requeues, clock_format_seconds(k->life[job].requeue_at, at));
	kueue_life_evict(k, job, CAUSE_CHECK, detail,
			 "Evicted due to AdmissionCheck in Retry state");
	k->jobs[job].order = clock_floor_second(k->world->now);
}

static void retry(struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);
	simtime wait =
		extra->check_retry_count == 0
			? 0
			: extra->check_retry[attempt_index(k, job, extra->check_retry_count)];

	if (wait == 0) {
		evict_for_retry(k, job, false);
		return;
	}
	k->life[job].retrying = true;
	k->life[job].requeue_at = clock_add(k->world->now, wait);
	kueue_timer(k, k->life[job].requeue_at, TIMER_RECONCILE, job);
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
}

void kueue_checks_answer(struct kueue *k, uint32_t job)
{
	const struct job_extra *extra = extra_of(k, job);
	uint8_t answer = ANSWER_READY;

	if (!kueue_holds(k, job) || k->life[job].check_due != k->world->now ||
	    k->holds[k->jobs[job].hold].evicted)
		return;
	k->life[job].check_due = -1;
	kueue_hold_rewritten(k, job);
	if (extra->check_result_count > 0)
		answer = extra->check_result[attempt_index(k, job, extra->check_result_count)];
	if (answer == ANSWER_READY) {
		decide_check(k, job, "Ready");
		kueue_checks_done(k, job, NULL);
	} else if (answer == ANSWER_RETRY) {
		decide_check(k, job, "Retry");
		retry(k, job);
	} else {
		decide_check(k, job, "Rejected");
		kueue_life_deactivate(k, job, "reason=DeactivatedDueToAdmissionCheck");
	}
}

void kueue_checks_reconcile(struct kueue *k, uint32_t job)
{
	if (!k->life[job].retrying || !kueue_holds(k, job) || k->holds[k->jobs[job].hold].evicted ||
	    k->life[job].requeue_at > k->world->now)
		return;
	k->life[job].retrying = false;
	evict_for_retry(k, job, true);
}
