#include "sim/kueue/kueue_life.h"

#include <stdio.h>

#include "core/mem.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_class.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_objects.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_roll.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_status.h"

/* controller-runtime's back-off of a reconciler that fails. */
#define FILING_BASE (5 * CLOCK_SECOND / 1000)
#define FILING_MAX  (1000 * CLOCK_SECOND)

/* The LocalQueue, in force; NULL if the job names none that exists. */
static const struct local_queue *local_queue_of(const struct kueue *k, uint32_t job)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	return lq == JOB_NONE || k->local_queues[lq]->absent ? NULL : k->local_queues[lq];
}

static bool has_queue(const struct kueue *k, const struct local_queue *lq)
{
	return lq->cluster_queue != SCENARIO_NONE && !k->queues[lq->cluster_queue].gone;
}

/* The job names a queue, so it is suspended when it comes, but Kueue never looks at
 * it. */
static bool ignores(const struct kueue *k, uint32_t lq)
{
	return k->namespaces[lq] != NULL &&
	       !scenario_manages(k->config, k->scenario->strings, k->namespaces[lq]);
}

static bool is_ignored(const struct kueue *k, uint32_t job)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	return lq != JOB_NONE && ignores(k, lq);
}

void kueue_life_open(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	k->simple = s->update_count == 0 && k->afs == NULL && k->first_variant == k->job_count &&
		    !k->full && !k->config->searches_anew;
	for (uint32_t i = 0; i < s->priority_class_count; i++)
		k->simple = k->simple && !k->class_absent[i];
	k->takes = mem_calloc(s->local_queue_count, sizeof(*k->takes));
	k->lets_in = mem_calloc(s->local_queue_count, sizeof(*k->lets_in));
	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		const struct local_queue *lq = k->local_queues[i];

		k->takes[i] = kueue_lq_serves(lq) && !ignores(k, i) && has_queue(k, lq);
		k->lets_in[i] = lq->cluster_queue != SCENARIO_NONE &&
				kueue_namespace_matches(k, lq->cluster_queue, i);
	}
}

bool kueue_life_waits(const struct kueue *k, uint32_t job)
{
	const struct kueue_variant *variant = kueue_variant_of(k, job);
	uint8_t phase = kueue_run(k, job)->phase; /* of what is decided, but not done yet too */

	if (variant != NULL)
		return variant->made && !variant->ending && phase != JOB_FUTURE &&
		       phase != JOB_DONE && !kueue_holds(k, job);
	return (phase == JOB_PENDING || phase == JOB_RESERVED) && !kueue_holds(k, job);
}

static const struct job_extra *extra_of(const struct kueue *k, uint32_t job)
{
	uint32_t extra = kueue_job(k, job)->extra;

	return extra == JOB_NONE ? NULL : &k->scenario->extras[extra];
}

bool kueue_life_gated(const struct kueue *k, uint32_t job)
{
	const struct job_extra *e = extra_of(k, job);

	return k->gates.gates_admission && e != NULL && e->gated_by != 0 &&
	       (e->ungated_at == 0 || k->world->now < e->ungated_at);
}

/* ------------------------------------------------------- what it is told */

const char *kueue_life_blocker(struct kueue *k, uint32_t job, enum kueue_why *why)
{
	const struct local_queue *lq = local_queue_of(k, job);

	*why = WHY_MISCONFIGURED;
	if (k->jobs[job].inactive) {
		*why = WHY_DEACTIVATED;
		return "The workload is deactivated";
	}
	if (kueue_life_gated(k, job)) {
		const struct job_extra *e = extra_of(k, job);

		*why = WHY_GATED;
		return kueue_message_name(
			k, "Admission is gated by: ", e != NULL ? e->gated_by - 1 : NAME_NONE, "");
	}
	if (k->jobs[job].unfiled)
		return kueue_message_name(k, "WorkloadPriorityClass \"",
					  kueue_job(k, job)->common->priority_class,
					  "\" not found");
	if (is_ignored(k, job))
		return "Namespace not opted in for Kueue management "
		       "(managedJobsNamespaceSelector)";
	if (lq == NULL)
		return kueue_message_name(k, "LocalQueue ", kueue_job(k, job)->common->queue,
					  " doesn't exist");
	if (lq->stop != STOP_NONE) {
		*why = WHY_SUSPENDED;
		return kueue_message_name(k, "LocalQueue ", lq->name, " is inactive");
	}
	if (!has_queue(k, lq))
		return kueue_message_name(k, "ClusterQueue ", lq->cluster_queue_name,
					  " doesn't exist");
	if (!kueue_objects_serves(k, lq->cluster_queue)) {
		*why = WHY_SUSPENDED;
		return kueue_message_name(k, "ClusterQueue ", lq->cluster_queue_name,
					  " is inactive");
	}
	*why = WHY_REFUSED;
	if (!kueue_namespace_matches(k, lq->cluster_queue, kueue_job(k, job)->common->local_queue))
		return "workload namespace doesn't match ClusterQueue selector";
	return kueue_message_has_faults(k, job) ? kueue_message_faults(k, job) : NULL;
}

/* What keeps it from being looked at, as far as it is told; NULL. Without granular reasons
 * only a queue that is missing or stopped is told of. */
static const char *blocker(struct kueue *k, uint32_t job, enum kueue_why *why)
{
	const char *message = kueue_life_blocker(k, job, why);

	return k->gates.granular_reasons || *why == WHY_SUSPENDED || *why == WHY_MISCONFIGURED ||
			       *why == WHY_GATED
		       ? message
		       : NULL;
}

/* A variant that was told anything counts as looked at when gates are opened. */
static void note_told(struct kueue *k, uint32_t job, const char *message)
{
	struct kueue_variant *variant = kueue_variant_of(k, job);

	if (variant == NULL || variant->evaluated ||
	    (message == NULL && !(k->gates.granular_reasons && k->gates.explicit_status)))
		return;
	variant->evaluated = true;
	kueue_sibling_touch(k, job);
}

void kueue_life_refresh(struct kueue *k, uint32_t job)
{
	const char *message;
	enum kueue_why why;
	bool fresh;

	if (kueue_holds(k, job) || (!kueue_tells(k) && kueue_variant_of(k, job) == NULL))
		return;
	message = blocker(k, job, &why);
	note_told(k, job, message);
	if (!kueue_tells(k))
		return;
	if (message != NULL) {
		kueue_status(k, job, why, message);
		return;
	}
	if (!k->gates.granular_reasons)
		return;
	why = kueue_status_why(k, job);
	fresh = why == WHY_NONE && (k->gates.explicit_status || kueue_status_is_told(k, job));
	if ((fresh || why == WHY_PENDING_EVALUATION || why == WHY_SUSPENDED ||
	     why == WHY_DEACTIVATED) &&
	    kueue_queue_is_bypassed(k, job))
		kueue_status(k, job, (enum kueue_why)k->kins[kueue_class_of(k, job)->kin].bulk_why,
			     "Bypassed scheduling evaluation because an equivalent workload "
			     "recently failed");
	else if (fresh || why == WHY_SUSPENDED || why == WHY_DEACTIVATED ||
		 why == WHY_MISCONFIGURED || why == WHY_REFUSED)
		kueue_status(k, job, WHY_PENDING_EVALUATION,
			     "Workload is pending evaluation in the scheduling queue");
}

/* ------------------------------------------------------------- coming back */

/* Evicted because its queue was stopped, and it still is; or set aside. */
static bool waits_for_restart(const struct kueue *k, uint32_t job)
{
	if (k->jobs[job].cause == CAUSE_SET_ASIDE)
		return true;
	return k->jobs[job].cause == CAUSE_QUEUE_STOPPED &&
	       k->queues[kueue_queue_of(k, job)].latest->stop != STOP_NONE;
}

/* A back-off that was set holds whatever the workload was evicted for then. */
static bool is_backing_off(const struct kueue *k, uint32_t job)
{
	return kueue_life_of(k, job)->requeue_at > k->world->now;
}

void kueue_life_enqueue(struct kueue *k, uint32_t job)
{
	const struct local_queue *lq = local_queue_of(k, job);

	if (k->jobs[job].inactive || k->jobs[job].unfiled || kueue_is_parent(k, job) ||
	    kueue_life_gated(k, job) || is_ignored(k, job) || lq == NULL || lq->stop != STOP_NONE ||
	    !has_queue(k, lq))
		return;
	if (waits_for_restart(k, job) || is_backing_off(k, job))
		kueue_queue_hold_back(k, job);
	else
		kueue_queue_push(k, job);
}

/* Does the job name a WorkloadPriorityClass that is not there now? Kueue makes no
 * workload of it then (spec 1.5). */
static bool lacks_class(const struct kueue *k, uint32_t job)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < s->priority_class_count; i++) {
		if (k->class_absent[i] && kueue_names_class(k, job, s->priority_classes[i].name))
			return true;
	}
	return false;
}

/* The first of the controller's attempts that is still to come. */
void kueue_life_retry_filing(struct kueue *k, uint32_t job)
{
	simtime at = kueue_job(k, job)->submit, wait = FILING_BASE;

	while (at < k->world->now) {
		at = clock_add(at, wait);
		wait = wait * 2 < FILING_MAX ? wait * 2 : FILING_MAX;
	}
	kueue_timer(k, at, TIMER_FILE, job);
}

/* Its workload is made now: later than its job is due, if a CronJob held that back or its
 * WorkloadPriorityClass was missing. Kueue orders by the workload's creationTimestamp. */
static void create_workload(struct kueue *k, uint32_t job)
{
	simtime now = kueue_second(k);

	if (k->jobs[job].order >= now)
		return;
	k->jobs[job].order = now;
	kueue_life_own(k, job)->created = now;
}

void kueue_life_file(struct kueue *k, uint32_t job)
{
	if (!k->jobs[job].unfiled || k->jobs[job].inactive || lacks_class(k, job))
		return;
	k->jobs[job].unfiled = false;
	kueue_sibling_touch(k, job);
	create_workload(k, job);
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

/* Somebody sets spec.active. */
static void expect_switches(struct kueue *k, uint32_t job)
{
	const struct job_extra *e = extra_of(k, job);

	if (e != NULL && kueue_life_gated(k, job) && e->ungated_at > 0)
		kueue_timer(k, e->ungated_at, TIMER_UNGATE, job);
	if (e != NULL && e->deactivate_at > 0)
		kueue_timer(k, e->deactivate_at, TIMER_DEACTIVATE, job);
	if (e != NULL && e->reactivate_at > 0)
		kueue_timer(k, e->reactivate_at, TIMER_REACTIVATE, job);
}

/* Nothing keeps it out of its queue but what would always do so. */
static void submit_simple(struct kueue *k, uint32_t job)
{
	uint32_t class = k->jobs[job].class;

	create_workload(k, job);
	if (class != KUEUE_NONE && k->takes[k->classes[class].local_queue])
		kueue_queue_push(k, job);
}

KUEUE_SELDOM static void submit_any(struct kueue *k, uint32_t job)
{
	kueue_roll_add(k, job);
	expect_switches(k, job);
	if (kueue_run(k, job)->parallelism != JOB_NONE && k->jobs[job].class != KUEUE_NONE)
		kueue_class_shrink(k, job, 0, kueue_run(k, job)->parallelism);
	k->jobs[job].unfiled = lacks_class(k, job);
	create_workload(k, job);
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

void kueue_life_submitted(struct kueue *k, uint32_t job)
{
	if (kueue_is_simple(k, job))
		submit_simple(k, job);
	else
		submit_any(k, job);
}

void kueue_life_ungate(struct kueue *k, uint32_t job)
{
	if (!kueue_life_waits(k, job) || k->jobs[job].place != PLACE_NOWHERE)
		return;
	kueue_sibling_touch(k, job);
	kueue_status(k, job, WHY_PENDING_EVALUATION,
		     "AdmissionGatedBy cleared, waiting for quota reservation");
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

void kueue_life_flush_for(struct kueue *k, uint32_t job)
{
	const struct local_queue *lq = local_queue_of(k, job);

	if (lq != NULL && lq->stop == STOP_NONE && has_queue(k, lq))
		kueue_queue_request_flush(k, lq->cluster_queue);
}

static void give_back(struct kueue *k, uint32_t job)
{
	if (!kueue_holds(k, job) || k->holds[k->jobs[job].hold].gone)
		return;
	if (!kueue_life_of(k, job)->ready)
		k->unready--;
	kueue_afs_left(k, job);
	if (k->open) {
		k->holds[k->jobs[job].hold].gone = true;
		k->late = mem_grow(k->late, k->late_count + 1, &k->late_capacity, sizeof(*k->late));
		k->late[k->late_count++] = job;
	} else {
		kueue_hold_drop(k, job);
	}
	kueue_life_flush_for(k, job);
}

void kueue_life_settle(struct kueue *k)
{
	for (size_t i = 0; i < k->late_count; i++)
		kueue_hold_drop(k, k->late[i]);
	k->late_count = 0;
}

void kueue_life_forget_checks(struct kueue *k, uint32_t job)
{
	for (size_t i = k->late_check_count; i-- > 0;) {
		if (k->late_checks[i].job == job)
			k->late_checks[i] = k->late_checks[--k->late_check_count];
	}
	for (size_t i = k->stale_check_count; i-- > 0;) {
		if (k->stale_checks[i].job == job)
			k->stale_checks[i] = k->stale_checks[--k->stale_check_count];
	}
	kueue_life_own(k, job)->asking = false;
}

void kueue_life_reserved(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage)
{
	kueue_queue_remove(k, job);
	kueue_life_took(k, job, queue, usage);
}

void kueue_life_took(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage)
{
	struct kueue_life *life = kueue_life_own(k, job);

	kueue_hold_new(k, job, queue, usage);
	if (k->late_check_count + k->stale_check_count > 0)
		kueue_life_forget_checks(k, job);
	life->asking = false;
	k->jobs[job].order = life->created;
	k->jobs[job].cause = CAUSE_NONE;
	k->jobs[job].withdrawn = false;
	life->ready = life->retrying = false;
	life->lost = life->requeue_at = life->older = -1;
	life->passes = 0;
	k->unready++;
	if (k->afs != NULL)
		kueue_afs_reserved(k, job);
	kueue_status_reserved(k, job);
}

static void end_admission(struct kueue *k, uint32_t job)
{
	struct kueue_life *life = kueue_life_own(k, job);

	if (life->admitted >= 0)
		kueue_life_own(k, kueue_job_of(k, job))->past +=
			clock_floor_second(k->world->now) - life->admitted;
	life->admitted = life->check_due = life->second_due = -1;
	life->unhealthy = life->replaces = KUEUE_NONE;
	life->retrying = false;
}

simtime kueue_life_back_off(simtime base, simtime most, uint32_t n)
{
	simtime wait = base;

	if (n == 1)
		return wait;
	while (--n > 0 && wait < most)
		wait *= 2;
	return wait < most ? wait : most;
}

/* A slice that was to replace the workload goes with it. */
static void forget_slice(struct kueue *k, uint32_t job)
{
	if (kueue_replaces(k, job))
		kueue_queue_remove(k, job);
}

/* Its LocalQueue has not changed since it reserved, so it is known to Kueue's queues. */
static void end_simple(struct kueue *k, uint32_t job)
{
	uint32_t queue = k->holds[k->jobs[job].hold].queue;

	k->unready -= !kueue_life_of(k, job)->ready;
	kueue_hold_drop(k, job);
	kueue_queue_request_flush(k, queue);
	kueue_life_end(k, job);
}

KUEUE_SELDOM static void end_any(struct kueue *k, uint32_t job)
{
	forget_slice(k, job);
	give_back(k, job);
	kueue_afs_forget(k, job);
	kueue_life_end(k, job);
}

void kueue_life_finished(struct kueue *k, uint32_t job)
{
	if (kueue_is_simple(k, job) && !k->open && k->jobs[job].hold != KUEUE_NONE)
		end_simple(k, job);
	else
		end_any(k, job);
}

/* Of a set of a job that has several: only a start-up order lets its pods be done. */
static void ask_for_less(struct kueue *k, uint32_t job, uint32_t set)
{
	const struct pod_set *sets =
		&k->scenario->pod_sets[kueue_job(k, job)->common->first_pod_set];
	uint32_t done = world_reclaimable(k->world, kueue_job_of(k, job), set);

	if (done > 0 && kueue_life_of(k, job)->reclaimed > 0 && k->jobs[job].class != KUEUE_NONE)
		kueue_class_shrink(k, job, set, sets[set].count - done);
}

/* What is done already is not asked for again. */
static void ask_for_the_rest(struct kueue *k, uint32_t job)
{
	const struct job *j = kueue_job(k, job);
	uint32_t pods = k->scenario->pod_sets[j->common->first_pod_set].count;
	bool elastic = kueue_run(k, job)->parallelism != JOB_NONE;

	for (uint32_t s = 0; j->common->pod_set_count > 1 && s < j->common->pod_set_count; s++)
		ask_for_less(k, job, s);
	if (j->common->pod_set_count > 1)
		return;
	if (elastic)
		pods = kueue_run(k, job)->parallelism;
	if ((elastic || kueue_life_of(k, job)->reclaimed > 0) && k->jobs[job].class != KUEUE_NONE)
		kueue_class_shrink(k, job, 0,
				   pods - (kueue_life_of(k, job)->reclaimed < pods
						   ? kueue_life_of(k, job)->reclaimed
						   : pods));
}

/* Kueue deletes an evicted Pod; its ReplicaSet makes another, with a workload of its own. */
static void renew(struct kueue *k, uint32_t job)
{
	const struct job_control *control = scenario_job_control(k->scenario, kueue_job_of(k, job));
	struct kueue_life *life = kueue_life_own(k, job);

	if (control == NULL || control->controller != CONTROLLER_REPLICA_SET)
		return;
	life->created = k->jobs[job].order = clock_floor_second(k->world->now);
	life->requeues = 0;
	life->requeue_at = -1;
	life->past = 0;
}

void kueue_life_released(struct kueue *k, uint32_t job)
{
	k->jobs[job].withdrawn = false;
	/* Every news of a deactivated workload flushes. */
	if (kueue_holds(k, job))
		give_back(k, job);
	else
		kueue_life_flush_for(k, job);
	if (k->jobs[job].inactive)
		kueue_afs_forget(k, job);
	end_admission(k, job);
	kueue_status_released(k, job);
	ask_for_the_rest(k, job);
	renew(k, job);
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

/* A slice whose checks are outstanding while pods of the one before it run. */
static bool is_running_slice(const struct kueue *k, uint32_t job)
{
	return job < k->first_variant && world_job(k->world, job)->phase == JOB_ADMITTED;
}

void kueue_life_unreserve(struct kueue *k, uint32_t job, enum kueue_why why, const char *message)
{
	struct decision *d;
	char detail[64];

	if (kueue_life_of(k, job)->admitted >= 0 || is_running_slice(k, job) ||
	    k->jobs[job].withdrawn)
		return;
	snprintf(detail, sizeof(detail), "reason=%s", kueue_why_told(k, why));
	d = plan_add(k->plan, DECIDE_UNRESERVE);
	d->job = job;
	d->reason = journal_string(k->world->journal, detail);
	kueue_status(k, job, why, message);
	if (!kueue_holds(k, job) || k->holds[k->jobs[job].hold].evicted) {
		k->jobs[job].withdrawn = true; /* the next update may come before it is applied */
		kueue_status_forgiven(k, job);
		return; /* HAP_RELEASED follows */
	}
	give_back(k, job);
	end_admission(k, job);
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

void kueue_life_stopping(struct kueue *k, uint32_t job)
{
	forget_slice(k, job);
	kueue_hold_evict(k, job);
	if (kueue_gates_frees_at_once(&k->gates, kueue_job(k, job)->common->flags))
		give_back(k, job);
}

void kueue_life_evict(struct kueue *k, uint32_t job, enum kueue_cause cause, const char *detail,
		      const char *message)
{
	struct decision *d;

	if (!kueue_holds(k, job) || k->holds[k->jobs[job].hold].evicted)
		return;
	kueue_life_stopping(k, job);
	kueue_life_own(k, job)->unhealthy = KUEUE_NONE;
	k->jobs[job].cause = (uint8_t)cause;
	kueue_status_evicted(k, job, message);
	d = plan_add(k->plan, cause == CAUSE_DEACTIVATED ? DECIDE_DEACTIVATE : DECIDE_EVICT);
	d->job = job;
	d->reason = journal_string(k->world->journal, detail);
}

/* Kueue's cache forgets it, and tells nobody (workload_controller.go, Update). */
static void free_early(struct kueue *k, uint32_t job)
{
	if (!kueue_holds(k, job))
		return;
	plan_add(k->plan, DECIDE_FREE)->job = job;
	give_back(k, job);
}

void kueue_life_deactivate(struct kueue *k, uint32_t job, const char *detail, const char *due_to)
{
	bool stops = kueue_holds(k, job) && k->holds[k->jobs[job].hold].evicted;
	char message[1400];

	snprintf(message, sizeof(message), "The workload is deactivated%s%s",
		 due_to != NULL ? " due to " : "", due_to != NULL ? due_to : "");
	kueue_life_evict(k, job, CAUSE_DEACTIVATED, detail, message);
	k->jobs[job].inactive = true;
	kueue_life_own(k, job)->requeues = 0;
	kueue_life_own(k, job)->requeue_at = -1;
	if (stops)
		free_early(k, job);
	else
		give_back(k, job);
}

void kueue_life_give_up(struct kueue *k, uint32_t job, const char *detail, const char *due_to)
{
	kueue_life_deactivate(k, job, detail, due_to);
	k->jobs[kueue_job_of(k, job)].inactive = true;
	kueue_sibling_touch(k, job);
}

/* A StatefulSet that goes to 0: its workload waits for what is to come. */
static bool is_service(const struct kueue *k, uint32_t job)
{
	const struct job_control *control = scenario_job_control(k->scenario, kueue_job_of(k, job));

	return control != NULL && control->controller == CONTROLLER_STATEFUL_SET;
}

void kueue_life_switch_off(struct kueue *k, uint32_t job)
{
	bool held = kueue_holds(k, job);

	if (kueue_run(k, job)->phase == JOB_DONE || k->jobs[job].inactive)
		return;
	kueue_sibling_touch(k, job);
	kueue_life_deactivate(k, job, is_service(k, job) ? "reason=OnHold" : "reason=Deactivated",
			      NULL);
	if (held)
		return;
	if (k->jobs[job].place != PLACE_NOWHERE)
		kueue_queue_remove(k, job);
	kueue_life_flush_for(k, job);
	kueue_life_refresh(k, job);
}

/* One whose pods are still ending waits for that. */
void kueue_life_switch_on(struct kueue *k, uint32_t job)
{
	if (kueue_run(k, job)->phase == JOB_DONE || !k->jobs[job].inactive)
		return;
	kueue_sibling_touch(k, job);
	k->jobs[job].inactive = false;
	if (k->jobs[job].cause != CAUSE_SET_ASIDE)
		k->jobs[job].cause = CAUSE_NONE;
	if (!kueue_life_waits(k, job))
		return;
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

/* A deletion flushes whatever state the workload was in. */
void kueue_life_deleted(struct kueue *k, uint32_t job)
{
	forget_slice(k, job);
	if (kueue_holds(k, job))
		give_back(k, job);
	else
		kueue_life_flush_for(k, job);
	kueue_afs_forget(k, job);
	k->jobs[job].inactive = true;
	if (k->jobs[job].place != PLACE_NOWHERE)
		kueue_queue_remove(k, job);
	kueue_life_end(k, job);
}
