#include "sim/engine/apply.h"

#include <assert.h>

#include "core/apart.h"

#include "sim/engine/autoscaler.h"
#include "sim/engine/jobctl.h"
#include "sim/engine/jobend.h"
#include "sim/engine/jobplain.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/nodelife.h"
#include "sim/engine/podgone.h"
#include "sim/engine/recurrence.h"

/* It may have failed with the pods it lost after the policy decided. */
static bool is_over(const struct run *run, uint32_t job)
{
	return world_job(&run->world, job)->phase == JOB_DONE;
}

static void let_in(struct run *run, uint32_t job)
{
	if (run->plain)
		jobplain_admit(run, job);
	else
		jobctl_admit(run, job);
}

static void reserve(struct run *run, uint32_t job, const struct admission *admission,
		    bool has_checks, bool held)
{
	struct job_run *s = world_job(&run->world, job);

	assert(s->phase == JOB_PENDING);
	s->admission = journal_admission(run->journal, admission);
	s->moved = 0;
	run_note(run, J_QUOTA_RESERVED, job, s->admission, has_checks);
	if (held)
		journal_last(run->journal)->incarnation = 1;
	if (has_checks)
		s->phase = JOB_RESERVED;
	else
		let_in(run, job);
}

/* Pods of a new slice may come. */
static void grow(struct run *run, uint32_t job)
{
	const struct admission *a = world_admission(&run->world, job);

	world_job(&run->world, job)->awaits_checks = 0;
	if (a->pod_sets[0].domain_count > 0) {
		world_job(&run->world, job)->moved = 1;
		jobctl_moved(run, job);
	}
	jobctl_reconcile(run, job);
	if (world_reclaimable(&run->world, job, 0) > 0)
		run_tell_job(run, HAP_POD_SUCCEEDED, job);
}

static void admit(struct run *run, const struct decision *d)
{
	bool slice = world_job(&run->world, d->job)->awaits_checks != 0;

	if (is_over(run, d->job))
		return;
	assert(slice || world_job(&run->world, d->job)->phase == JOB_RESERVED);
	if (d->admission == NULL) {
		run_note(run, J_ADMITTED, d->job, 0, 1);
	} else {
		world_job(&run->world, d->job)->admission =
			journal_admission(run->journal, d->admission);
		run_note(run, J_ADMITTED, d->job, world_job(&run->world, d->job)->admission, 2);
	}
	if (slice)
		grow(run, d->job);
	else
		let_in(run, d->job);
}

/* Work stops now; quota and nodes are free once the eviction is over. A job may be told twice
 * at one instant: for its nodes, and for another job. */
static void begin_eviction(struct run *run, uint32_t job)
{
	if (world_job(&run->world, job)->phase == JOB_EVICTED)
		return;
	jobend_stop(run, job);
	jobend_disarm_deadline(run, job);
	podgone_remove_pending(run, job);
	world_job(&run->world, job)->phase = JOB_EVICTED;
	world_job(&run->world, job)->awaits_checks = 0;
	run->evictions_now++;
	recurrence_evicted(run, job);
	if (run->options->eviction_delay > 0) {
		run_schedule(run, clock_add(run->world.now, run->options->eviction_delay),
			     CLASS_RELEASE, EV_RELEASE, job, 0);
		return;
	}
	run->to_release = mem_grow(run->to_release, run->to_release_count + 1,
				   &run->to_release_capacity, sizeof(*run->to_release));
	run->to_release[run->to_release_count++] = job;
}

/* A StatefulSet that goes to 0 by its user's wish. */
static bool goes_to_zero(const struct run *run, uint32_t job)
{
	uint32_t extra = run->scenario->jobs[job].extra;

	return extra != JOB_NONE && jobpods_is_service(run, job) &&
	       run->scenario->extras[extra].deactivate_at == run->world.now;
}

static void preempt(struct run *run, const struct decision *d)
{
	if (is_over(run, d->job))
		return;
	run->moves++;
	run_note(run, J_PREEMPTED, d->job, d->by_job, d->reason);
	journal_last(run->journal)->incarnation = d->held;
	begin_eviction(run, d->job);
}

static void evict(struct run *run, const struct decision *d)
{
	if (is_over(run, d->job))
		return;
	run_note(run, J_EVICTED, d->job, d->reason, 0);
	if (goes_to_zero(run, d->job))
		jobend_retire(run, d->job);
	begin_eviction(run, d->job);
}

static void end_eviction(struct run *run, uint32_t job)
{
	struct job_run *s = world_job(&run->world, job);

	podgone_remove_all(run, job);
	if (jobctl_released(run, job))
		return;
	s->admission = JOB_NONE;
	s->phase = JOB_PENDING;
	if (run->admission == NULL) /* nobody admits: its pods come again */
		jobctl_admit(run, job);
	else
		run_tell_job(run, HAP_RELEASED, job);
}

void apply_release(struct run *run, uint32_t job)
{
	struct job_run *s = world_job(&run->world, job);

	if (s->ended_early > 0) {
		s->ended_early--;
		return;
	}
	if (s->phase != JOB_EVICTED)
		return;
	run_note(run, J_RELEASED, job, run->options->eviction_delay > 0, 0);
	end_eviction(run, job);
}

/* An eviction from what is not admitted has nothing to wait for. */
static void unreserve(struct run *run, const struct decision *d)
{
	struct job_run *s = world_job(&run->world, d->job);
	bool delayed = run->options->eviction_delay > 0;

	assert(s->phase == JOB_RESERVED || s->phase == JOB_EVICTED);
	run_note(run, J_UNRESERVED, d->job, d->reason, s->phase == JOB_EVICTED ? 1U + delayed : 0);
	if (s->phase == JOB_EVICTED) {
		s->ended_early += delayed;
		end_eviction(run, d->job);
		return;
	}
	s->admission = JOB_NONE;
	s->phase = JOB_PENDING;
}

static void free_quota(struct run *run, uint32_t job)
{
	if (world_job(&run->world, job)->phase == JOB_EVICTED)
		run_note(run, J_FREED, job, 0, 0);
}

static void set_timer(struct run *run, const struct decision *d, bool placement)
{
	simtime at = d->at > run->world.now ? d->at : run->world.now;

	run_schedule(run, at, d->class, placement ? EV_TIMER_PLACEMENT : EV_TIMER,
		     (uint32_t)d->cookie, (uint32_t)(d->cookie >> 32));
}

static void move(struct run *run, const struct decision *d)
{
	world_job(&run->world, d->job)->admission = journal_admission(run->journal, d->admission);
	world_job(&run->world, d->job)->moved = 1;
	run->moves++;
	run_note(run, J_MOVED, d->job, world_job(&run->world, d->job)->admission, d->reason);
	jobctl_moved(run, d->job);
}

static void reclaim(struct run *run, const struct decision *d)
{
	if (world_job(&run->world, d->job)->admission == JOB_NONE)
		return; /* its job ended with that pod */
	run_note(run, J_RECLAIMED, d->job, journal_admission(run->journal, d->admission), 0);
}

/* A new slice is a new workload, whose pods have not been ready yet. While its checks are
 * outstanding what runs goes on. */
static void resize(struct run *run, const struct decision *d)
{
	struct job_run *s = world_job(&run->world, d->job);
	bool runs = s->phase == JOB_ADMITTED;

	if (!runs && s->phase != JOB_RESERVED)
		return; /* its job ended meanwhile */
	s->admission = journal_admission(run->journal, d->admission);
	run_note(run, J_RESIZED, d->job, s->admission, d->slice);
	journal_last(run->journal)->incarnation = d->has_checks;
	if (d->slice)
		s->all_ready = 0;
	if (!runs && (!d->slice || d->has_checks))
		return;
	s->awaits_checks = runs && (d->has_checks || (!d->slice && s->awaits_checks != 0));
	if (!runs) {
		run_note(run, J_ADMITTED, d->job, 0, 0);
		jobctl_admit(run, d->job);
	} else if (!s->awaits_checks) {
		grow(run, d->job);
	}
}

static void note_told(struct run *run, const struct decision *d)
{
	enum journal_kind kind = J_CHECK;

	if (d->kind == DECIDE_CHECK_UPDATED)
		kind = J_CHECK_UPDATED;
	else if (d->kind == DECIDE_CHECK_WAITS)
		kind = J_CHECK_WAITS;
	else if (d->kind == DECIDE_VARIANT)
		kind = J_VARIANT;
	run_note(run, kind, d->job, d->reason, kind == J_VARIANT ? d->message : 0);
}

static void provision(struct run *run, const struct decision *d)
{
	if (d->kind == DECIDE_WITHDRAW) {
		if (run->autoscaler != NULL)
			autoscaler_withdraw(run, d->job, d->check);
		return;
	}
	run_note(run, J_PROVISIONING_REQUESTED, d->job, d->reason, d->check);
	if (run->autoscaler != NULL)
		autoscaler_request(run, d->job, d->check);
}

static void note_status(struct run *run, const struct decision *d)
{
	if (run->journal->detail != JOURNAL_THINNED ||
	    journal_thin(run->journal, THIN_STATUS, d->job))
		run_note(run, J_STATUS, d->job, d->reason, d->message);
}

static void bind(struct run *run, uint32_t pod, uint32_t node)
{
	if (run->plain)
		jobplain_bound(run, pod, node);
	else
		jobctl_bound(run, pod, node);
	if (run->world.nodes[node].taints.count != 0)
		nodelife_bound(run, pod);
}

static void apply(struct run *run, const struct decision *d)
{
	switch (d->kind) {
	case DECIDE_RESERVE:
		reserve(run, d->job, d->admission, d->has_checks, d->held);
		break;
	case DECIDE_ADMIT:
		admit(run, d);
		break;
	case DECIDE_PREEMPT:
		preempt(run, d);
		break;
	case DECIDE_EVICT:
	case DECIDE_DEACTIVATE:
		evict(run, d);
		break;
	case DECIDE_FREE:
		free_quota(run, d->job);
		break;
	case DECIDE_UNRESERVE:
		unreserve(run, d);
		break;
	case DECIDE_RECLAIM:
		reclaim(run, d);
		break;
	case DECIDE_RESIZE:
		resize(run, d);
		break;
	case DECIDE_GONE:
		run_note(run, J_GONE, JOB_NONE, d->node, 0);
		break;
	case DECIDE_STATUS:
		note_status(run, d);
		break;
	case DECIDE_RESUMED:
		run_note(run, J_RESUMED, JOB_NONE, 0, 0);
		break;
	case DECIDE_CHECK:
	case DECIDE_CHECK_UPDATED:
	case DECIDE_CHECK_WAITS:
	case DECIDE_VARIANT:
		note_told(run, d);
		break;
	case DECIDE_PROVISION:
	case DECIDE_WITHDRAW:
		provision(run, d);
		break;
	case DECIDE_SECOND_PASS_FAILED:
		run_note(run, J_SECOND_PASS_FAILED, d->job, d->message, 0);
		break;
	case DECIDE_MOVE:
		move(run, d);
		break;
	case DECIDE_UNHEALTHY:
		run_note(run, J_NODE_UNHEALTHY, d->job, d->reason, d->message != NAME_NONE);
		break;
	case DECIDE_BIND:
		bind(run, d->pod, d->node);
		break;
	case DECIDE_POD_FAILED:
		run->journal->failed_attempts++;
		if (d->message != NAME_NONE || run->journal->detail == JOURNAL_FULL)
			run_note_pod(run, J_POD_FAILED, d->pod, d->message, 0);
		break;
	case DECIDE_DELETE_POD:
		jobctl_preempt_pod(run, d->pod, d->by_pod);
		break;
	case DECIDE_TIMER:
		set_timer(run, d, d->placement);
		break;
	}
}

static APART void apply_copy(struct run *run, struct decision d)
{
	apply(run, &d);
}

/* The array may move meanwhile: so a copy is applied, but for what comes once a pod or job. */
static void apply_queue(struct run *run)
{
	while (run->plan_at < run->plan.count) {
		const struct decision *d = &run->plan.items[run->plan_at++];

		if (d->kind == DECIDE_BIND)
			bind(run, d->pod, d->node);
		else if (d->kind == DECIDE_RESERVE)
			reserve(run, d->job, d->admission, d->has_checks, d->held);
		else
			apply_copy(run, *d);
	}
	run->plan_at = 0;
	plan_clear(&run->plan);
}

static APART void release(struct run *run)
{
	for (size_t i = 0; i < run->to_release_count; i++) {
		apply_release(run, run->to_release[i]);
		apply_queue(run);
	}
	run->to_release_count = 0;
}

void apply_decisions(struct run *run)
{
	bool busy = run->busy;

	run->busy = true;
	apply_queue(run);
	if (run->to_release_count != 0)
		release(run);
	run->busy = busy;
}
