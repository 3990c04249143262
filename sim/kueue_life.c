#include "sim/kueue_life.h"

#include "sim/kueue_message.h"
#include "sim/kueue_queue.h"

/* The LocalQueue, in force; NULL if the job names none that exists. */
static const struct local_queue *local_queue_of(const struct kueue *k, uint32_t job)
{
	uint32_t lq = k->scenario->jobs[job].local_queue;

	return lq == JOB_NONE ? NULL : k->local_queues[lq];
}

bool kueue_life_waits(const struct kueue *k, uint32_t job)
{
	return k->world->jobs[job].phase == JOB_PENDING && k->jobs[job].hold == KUEUE_NONE;
}

/* ------------------------------------------------------- what it is told */

/* What keeps it out of its queue, whatever its requests. */
static bool is_blocked(struct kueue *k, uint32_t job)
{
	const struct local_queue *lq = local_queue_of(k, job);

	if (k->jobs[job].inactive)
		kueue_status(k, job, WHY_DEACTIVATED, "The workload is deactivated");
	else if (lq == NULL)
		kueue_status(k, job, WHY_MISCONFIGURED,
			     kueue_message_name(k, "LocalQueue ", k->scenario->jobs[job].queue,
						" doesn't exist"));
	else if (lq->stop != STOP_NONE)
		kueue_status(k, job, WHY_SUSPENDED,
			     kueue_message_name(k, "LocalQueue ", lq->name, " is inactive"));
	else if (lq->cluster_queue == SCENARIO_NONE)
		kueue_status(k, job, WHY_MISCONFIGURED,
			     kueue_message_name(k, "ClusterQueue ", lq->cluster_queue_name,
						" doesn't exist"));
	else if (!k->queues[lq->cluster_queue].active)
		kueue_status(k, job, WHY_SUSPENDED,
			     kueue_message_name(k, "ClusterQueue ", lq->cluster_queue_name,
						" is inactive"));
	else if (!kueue_namespace_matches(k, lq->cluster_queue, k->scenario->jobs[job].local_queue))
		kueue_status(k, job, WHY_MISCONFIGURED,
			     "workload namespace doesn't match ClusterQueue selector");
	else
		return false;
	return true;
}

void kueue_life_refresh(struct kueue *k, uint32_t job)
{
	enum kueue_why why;

	if (!k->full || k->jobs[job].hold != KUEUE_NONE || is_blocked(k, job))
		return;
	why = (enum kueue_why)k->status_why[job];
	if ((why == WHY_PENDING_EVALUATION || why == WHY_SUSPENDED || why == WHY_DEACTIVATED) &&
	    kueue_queue_is_bypassed(k, job))
		kueue_status(k, job,
			     (enum kueue_why)k->kins[kueue_class_of(k, job)->kin].bulk_why,
			     "Bypassed scheduling evaluation because an equivalent workload "
			     "recently failed");
	else if (why == WHY_SUSPENDED || why == WHY_DEACTIVATED || why == WHY_MISCONFIGURED)
		kueue_status(k, job, WHY_PENDING_EVALUATION,
			     "Workload is pending evaluation in the scheduling queue");
}

/* ------------------------------------------------------------- coming back */

/* Evicted because its queue was stopped, and it still is. */
static bool waits_for_restart(const struct kueue *k, uint32_t job)
{
	return k->jobs[job].cause == CAUSE_QUEUE_STOPPED &&
	       k->queues[kueue_queue_of(k, job)].spec->stop != STOP_NONE;
}

void kueue_life_enqueue(struct kueue *k, uint32_t job)
{
	const struct local_queue *lq = local_queue_of(k, job);

	if (k->jobs[job].inactive || lq == NULL || lq->stop != STOP_NONE ||
	    lq->cluster_queue == SCENARIO_NONE)
		return;
	if (waits_for_restart(k, job))
		kueue_queue_hold_back(k, job);
	else
		kueue_queue_push(k, job);
}

void kueue_life_submitted(struct kueue *k, uint32_t job)
{
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

/* The reservation is gone; what waits in the tree may fit now. A stopped
 * LocalQueue is unknown to Kueue's queues, so its workloads flush nothing. */
static void give_back(struct kueue *k, uint32_t job)
{
	uint32_t hold = k->jobs[job].hold;
	uint32_t queue;

	if (hold == KUEUE_NONE)
		return;
	queue = k->holds[hold].queue;
	kueue_hold_drop(k, job);
	if (k->local_queues[k->scenario->jobs[job].local_queue]->stop == STOP_NONE)
		kueue_queue_request_flush(k, queue);
}

void kueue_life_finished(struct kueue *k, uint32_t job)
{
	give_back(k, job);
}

void kueue_life_released(struct kueue *k, uint32_t job)
{
	give_back(k, job);
	if (k->full)
		kueue_status(k, job, WHY_PENDING_EVALUATION,
			     journal_text(k->world->journal, k->eviction_message[job]));
	kueue_life_enqueue(k, job);
	kueue_life_refresh(k, job);
}

void kueue_life_evict(struct kueue *k, uint32_t job, enum kueue_cause cause, const char *detail,
		      const char *message)
{
	struct decision *d;

	if (k->holds[k->jobs[job].hold].evicted)
		return;
	kueue_hold_evict(k, job);
	k->jobs[job].cause = (uint8_t)cause;
	if (k->full)
		k->eviction_message[job] = journal_string(k->world->journal, message);
	d = plan_add(k->plan, cause == CAUSE_DEACTIVATED ? DECIDE_DEACTIVATE : DECIDE_EVICT);
	d->job = job;
	d->reason = journal_string(k->world->journal, detail);
}
