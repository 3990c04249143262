#include "sim/report/prometheus_events.h"

#include <string.h>

/* Why a workload was evicted: "DeactivatedDueToX" has reason Deactivated, cause X. */
struct eviction {
	char reason[64];
	const char *cause;
};

/* Since when it waits: its creation, or the last time that it was requeued. */
static simtime queued_at(const struct prometheus_pass *p, uint32_t job)
{
	const struct prometheus_workload *w = &p->workloads[job];

	return w->created != CLOCK_NEVER ? w->created : replay_queued(p->replay, job);
}

static void count_admission(struct prometheus_pass *p, const struct journal_record *r, simtime wait)
{
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);
	uint32_t cohort = p->account->queues[prometheus_pass_queue_of(p, r->job)].cohort;

	p->workloads[r->job].admitted = r->time;
	prometheus_pass_add(p, KUEUE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_observe(p, KUEUE_ADMISSION_WAIT_TIME_SECONDS, &labels, wait);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_ADMISSION_WAIT_TIME_SECONDS, &labels, wait);
	for (; cohort != SCENARIO_NONE; cohort = p->account->cohorts[cohort].parent) {
		prometheus_pass_set_cohort(p, &labels, cohort);
		prometheus_pass_add(p, KUEUE_COHORT_SUBTREE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	}
}

/* checks: some are outstanding. */
static void count_reservation(struct prometheus_pass *p, const struct journal_record *r,
			      bool checks)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	simtime wait = r->time - queued_at(p, r->job);
	struct prometheus_labels labels;

	w->admission = r->arg;
	w->reserved = r->time;
	labels = prometheus_pass_of_job(p, r->job);
	prometheus_pass_add(p, KUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_observe(p, KUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS, &labels, wait);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS, &labels,
				wait);
	if (!checks)
		count_admission(p, r, wait);
}

static void count_checked(struct prometheus_pass *p, const struct journal_record *r)
{
	const struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);

	count_admission(p, r, r->time - queued_at(p, r->job));
	prometheus_pass_observe(p, KUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS, &labels,
				r->time - w->reserved);
	prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS, &labels,
				r->time - w->reserved);
}

/* Kueue looks at pods only with waitForPodsReady; a recovery is not timed. */
static void count_ready(struct prometheus_pass *p, const struct journal_record *r)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);
	simtime queued = queued_at(p, r->job);

	if (!p->s->config.wait_for_pods_ready || w->admitted == CLOCK_NEVER ||
	    w->ready != CLOCK_NEVER)
		return;
	w->ready = r->time;
	if (w->was_ready)
		return;
	w->was_ready = true;
	prometheus_pass_observe(p, KUEUE_READY_WAIT_TIME_SECONDS, &labels, r->time - queued);
	prometheus_pass_observe(p, KUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS, &labels,
				r->time - w->admitted);
	prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_READY_WAIT_TIME_SECONDS, &labels,
				r->time - queued);
	prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS,
				&labels, r->time - w->admitted);
}

/* A gang's pods are ready as it starts, unless an operator said so before. */
static void note_ready(struct prometheus_pass *p, const struct journal_record *r)
{
	if (r->kind == J_READY && r->arg == 0)
		p->workloads[r->job].ready = CLOCK_NEVER;
	else if (r->kind == J_READY || (p->s->jobs[r->job].common->flags & JOB_SOLO) == 0)
		count_ready(p, r);
}

static void note_lost(struct prometheus_pass *p, const struct journal_record *r)
{
	const struct job_control *control = scenario_job_control(p->s, r->job);

	if (r->kind == J_PODS_NOT_READY || control == NULL || control->ready == NULL)
		p->workloads[r->job].ready = CLOCK_NEVER;
}

/* The first eviction of a workload for this reason? */
static bool is_first(struct prometheus_pass *p, uint32_t job, const struct eviction *e)
{
	uint32_t before = name_count(p->once);
	char key[160];

	snprintf(key, sizeof(key), "%lu.%lu %s %s", (unsigned long)job,
		 (unsigned long)p->workloads[job].slices, e->reason, e->cause);
	return name_add(p->once, key) == before;
}

static void count_eviction(struct prometheus_pass *p, const struct journal_record *r,
			   const struct eviction *e)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);

	labels.of[LABEL_REASON] = e->reason;
	labels.of[LABEL_UNDERLYING_CAUSE] = e->cause;
	prometheus_pass_add(p, KUEUE_EVICTED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_EVICTED_WORKLOADS_TOTAL, &labels, 1);
	if (is_first(p, r->job, e))
		prometheus_pass_add(p, KUEUE_EVICTED_WORKLOADS_ONCE_TOTAL, &labels, 1);
	if (w->ready != CLOCK_NEVER)
		prometheus_pass_observe(p, KUEUE_PODS_READY_TO_EVICTED_TIME_SECONDS, &labels,
					r->time - w->ready);
	if (r->kind != J_EVICTED || !journal_switches_off(p->j, r)) /* no latency of these */
		w->evicted = r->time;
}

static void count_preemption(struct prometheus_pass *p, const struct journal_record *r)
{
	static const struct eviction preempted = {"Preempted", ""};
	struct prometheus_labels by =
		prometheus_pass_of_queue(p, prometheus_pass_queue_of(p, r->arg));

	by.of[LABEL_REASON] = journal_text(p->j, r->arg2);
	prometheus_pass_add(p, KUEUE_PREEMPTED_WORKLOADS_TOTAL, &by, 1);
	p->workloads[r->job].evicted_by = name_add(p->reasons, preempted.reason);
	count_eviction(p, r, &preempted);
}

/* arg: "reason=PodsReadyTimeout;requeue_count=...". */
static void count_other_eviction(struct prometheus_pass *p, const struct journal_record *r)
{
	const char *detail = journal_text(p->j, r->arg), *due;
	struct prometheus_workload *w = &p->workloads[r->job];
	struct eviction e = {.cause = ""};

	if (journal_puts_on_hold(p->j, r))
		return;
	if (strncmp(detail, "reason=", 7) == 0)
		detail += 7;
	snprintf(e.reason, sizeof(e.reason), "%.*s", (int)strcspn(detail, ";"), detail);
	w->evicted_by = name_add(p->reasons, e.reason);
	due = strstr(e.reason, "DueTo");
	if (due != NULL) {
		e.cause = due + strlen("DueTo");
		e.reason[due - e.reason] = '\0';
	} else if (strcmp(e.reason, "PodsReadyTimeout") == 0) {
		e.cause = w->was_ready ? "WaitForRecovery" : "WaitForStart";
	}
	count_eviction(p, r, &e);
}

/* The reason here is the condition's, its cause included. */
static void count_release(struct prometheus_pass *p, const struct journal_record *r)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);

	if (w->evicted != CLOCK_NEVER && w->admission != JOB_NONE) {
		labels.of[LABEL_REASON] = name_text(p->reasons, w->evicted_by);
		prometheus_pass_observe(
			p, KUEUE_WORKLOAD_EVICTION_LATENCY_SECONDS, &labels,
			kueue_gates_frees_at_once(&p->gates, p->s->jobs[r->job].common->flags)
				? 0
				: r->time - w->evicted);
	}
	prometheus_pass_release(w, r->time);
	w->created = CLOCK_NEVER; /* it is requeued */
}

static void count_finish(struct prometheus_pass *p, const struct journal_record *r)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, r->job);

	prometheus_pass_add(p, KUEUE_FINISHED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_add(p, KUEUE_FINISHED_WORKLOADS, &labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS_TOTAL, &labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS, &labels, 1);
	if (w->admitted != CLOCK_NEVER) {
		simtime ran = w->past + (r->time - w->admitted);

		prometheus_pass_observe(p, KUEUE_EXECUTION_TIME_SECONDS, &labels, ran);
		prometheus_pass_observe(p, KUEUE_LOCAL_QUEUE_EXECUTION_TIME_SECONDS, &labels, ran);
	}
	prometheus_pass_release(w, r->time);
}

/* An elastic job that has quota and wants more pods has a second workload. */
static void note_slice(struct prometheus_pass *p, const struct journal_record *r)
{
	struct prometheus_workload *w = &p->workloads[r->job];

	if (p->gates.slices && scenario_job_elastic(p->s, r->job) && w->admission != JOB_NONE &&
	    w->slice == CLOCK_NEVER && r->arg > p->j->admissions[w->admission].pod_sets[0].count)
		w->slice = r->time;
}

/* A bigger slice of an elastic job takes the place of the one before, which is finished. */
static void count_slice(struct prometheus_pass *p, const struct journal_record *r)
{
	struct prometheus_workload *w = &p->workloads[r->job];
	struct prometheus_labels labels =
		prometheus_pass_of_queue(p, prometheus_pass_queue_of(p, r->job));
	simtime created = w->slice != CLOCK_NEVER ? w->slice : r->time;

	if (r->arg2 == 0) { /* fewer pods: the same workload */
		w->admission = r->arg;
		return;
	}
	prometheus_pass_add(p, KUEUE_REPLACED_WORKLOAD_SLICES_TOTAL, &labels, 1);
	count_finish(p, r);
	w->slices++;
	w->past = 0;
	w->created = created;
	count_reservation(p, r, r->incarnation != 0);
}

static void count_record(struct prometheus_pass *p, const struct journal_record *r)
{
	switch (r->kind) {
	case J_STATUS:
		p->workloads[r->job].why = r->arg;
		break;
	case J_QUOTA_RESERVED:
		count_reservation(p, r, r->arg2 != 0);
		break;
	case J_ADMITTED:
		if (p->workloads[r->job].admitted == CLOCK_NEVER) /* or told with its quota */
			count_checked(p, r);
		break;
	case J_PODS_READY:
	case J_STARTED:
	case J_READY:
		note_ready(p, r);
		break;
	case J_PODS_NOT_READY:
	case J_INTERRUPTED:
		note_lost(p, r);
		break;
	case J_PREEMPTED:
		count_preemption(p, r);
		break;
	case J_EVICTED:
		count_other_eviction(p, r);
		break;
	case J_FREED: /* nor of what was deactivated on its way out */
		p->workloads[r->job].evicted = CLOCK_NEVER;
		break;
	case J_RELEASED:
	case J_UNRESERVED:
		count_release(p, r);
		break;
	case J_RECLAIMED:
	case J_MOVED:
		p->workloads[r->job].admission = r->arg;
		break;
	case J_WANTED:
		note_slice(p, r);
		break;
	case J_RESIZED:
		count_slice(p, r);
		break;
	case J_FINISHED:
		count_finish(p, r);
		break;
	case J_FAILED:
	case J_DELETED:
		prometheus_pass_release(&p->workloads[r->job], r->time);
		break;
	default:
		break;
	}
}

void prometheus_events_count(struct prometheus_pass *p)
{
	while (replay_step(p->replay, CLOCK_NEVER)) {
		for (size_t i = p->replay->first; i < p->replay->last; i++) {
			const struct journal_record *r = journal_read(p->replay->in, i);

			if (r->job != JOB_NONE && prometheus_pass_manages(p, r->job))
				count_record(p, r);
		}
	}
}
