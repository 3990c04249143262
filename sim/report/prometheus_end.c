#include "sim/report/prometheus_end.h"

#include <math.h>
#include <string.h>

/* ---- workloads ---- */

struct user { /* of quota */
	const struct prometheus_pass *pass;
	struct prometheus_labels labels;
	bool admitted;
};

static void count_usage(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	struct user *u = context;
	const struct prometheus_pass *p = u->pass;
	double value = prometheus_pass_amount(resource, amount);

	u->labels.of[LABEL_FLAVOR] = prometheus_pass_text(p, p->s->flavors[flavor].name);
	u->labels.of[LABEL_RESOURCE] = name_text(p->s->resources, resource);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESOURCE_RESERVATION, &u->labels, value);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESOURCE_USAGE, &u->labels,
			    u->admitted ? value : 0);
	prometheus_pass_add(p, KUEUE_CLUSTER_QUEUE_RESOURCE_USAGE, &u->labels,
			    u->admitted ? value : 0);
}

static void count_holder(const struct prometheus_pass *p, uint32_t job)
{
	const struct prometheus_workload *w = &p->workloads[job];
	uint32_t cohort = p->account->queues[prometheus_pass_queue_of(p, job)].cohort;
	struct user user = {p, prometheus_pass_of_job(p, job), w->admitted != CLOCK_NEVER};

	prometheus_pass_add(p, KUEUE_RESERVING_ACTIVE_WORKLOADS, &user.labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESERVING_ACTIVE_WORKLOADS, &user.labels, 1);
	user.labels.of[LABEL_COHORT] = prometheus_pass_cohort(p, cohort);
	journal_admission_usage(p->s, job, &p->j->admissions[w->admission], count_usage, &user);
	if (!user.admitted)
		return;
	prometheus_pass_add(p, KUEUE_ADMITTED_ACTIVE_WORKLOADS, &user.labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_ADMITTED_ACTIVE_WORKLOADS, &user.labels, 1);
	for (; cohort != SCENARIO_NONE; cohort = p->account->cohorts[cohort].parent) {
		prometheus_pass_set_cohort(p, &user.labels, cohort);
		prometheus_pass_add(p, KUEUE_COHORT_SUBTREE_ADMITTED_ACTIVE_WORKLOADS, &user.labels,
				    1);
	}
}

/* reserved: it has quota. */
static void count_unadmitted(const struct prometheus_pass *p, uint32_t job, bool reserved)
{
	const struct prometheus_workload *w = &p->workloads[job];
	struct prometheus_labels labels = prometheus_pass_of_job(p, job);

	if (!p->gates.granular_reasons)
		return;
	labels.of[LABEL_REASON] = reserved ? "UnsatisfiedAdmissionChecks" : "NoReservation";
	if (!reserved)
		labels.of[LABEL_UNDERLYING_CAUSE] =
			w->why == NAME_NONE || journal_text(p->j, w->why)[0] == '\0'
				? "PendingEvaluation"
				: journal_text(p->j, w->why);
	if (labels.of[LABEL_CLUSTER_QUEUE][0] != '\0')
		prometheus_pass_add(p, KUEUE_UNADMITTED_WORKLOADS, &labels, 1);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_UNADMITTED_WORKLOADS, &labels, 1);
}

static void count_workloads(const struct prometheus_pass *p)
{
	for (uint32_t job = 0; job < p->s->job_count; job++) {
		const struct prometheus_workload *w = &p->workloads[job];
		uint8_t flags = p->replay->jobs[job].flags;

		if (!prometheus_pass_manages(p, job) ||
		    (flags & (REPLAY_SUBMITTED | REPLAY_DONE)) != REPLAY_SUBMITTED)
			continue;
		if (w->admission != JOB_NONE)
			count_holder(p, job);
		if (w->admitted == CLOCK_NEVER)
			count_unadmitted(p, job, w->admission != JOB_NONE);
		if (w->slice != CLOCK_NEVER)
			count_unadmitted(p, job, false);
	}
}

/* ---- queues and cohorts ---- */

/* A series a status, 1 for the one that holds. */
static void set_status(const struct prometheus_pass *p, enum kueue_family family,
		       struct prometheus_labels *labels, enum prometheus_label label,
		       const char *const *statuses, const char *now)
{
	for (; *statuses != NULL; statuses++) {
		labels->of[label] = *statuses;
		prometheus_pass_set(p, family, labels, strcmp(*statuses, now) == 0 ? 1 : 0);
	}
}

static void set_waiting(const struct prometheus_pass *p, enum kueue_family family,
			struct prometheus_labels *labels, uint32_t active, uint32_t inadmissible)
{
	labels->of[LABEL_STATUS] = "active";
	prometheus_pass_set(p, family, labels, active);
	labels->of[LABEL_STATUS] = "inadmissible";
	prometheus_pass_set(p, family, labels, inadmissible);
}

static double limit_of(uint32_t resource, int64_t limit)
{
	return limit == QUOTA_ABSENT ? HUGE_VAL : prometheus_pass_amount(resource, limit);
}

static void report_cells(const struct prometheus_pass *p, uint32_t queue,
			 struct prometheus_labels *labels)
{
	const struct usage *usage = p->replay->usage;

	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		const struct usage_cell *cell = &usage->cells[c];
		uint32_t r = cell->resource;

		labels->of[LABEL_FLAVOR] =
			prometheus_pass_text(p, p->s->flavors[cell->flavor].name);
		labels->of[LABEL_RESOURCE] = name_text(p->s->resources, r);
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_NOMINAL_QUOTA, labels,
				    prometheus_pass_amount(r, cell->nominal));
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_BORROWING_LIMIT, labels,
				    limit_of(r, cell->borrowing_limit));
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_LENDING_LIMIT, labels,
				    limit_of(r, cell->lending_limit));
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_RESOURCE_RESERVATION, labels,
				    prometheus_pass_amount(r, cell->used));
		prometheus_pass_add(p, KUEUE_CLUSTER_QUEUE_RESOURCE_USAGE, labels, 0);
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_RESOURCE_PENDING, labels,
				    prometheus_pass_amount(r, p->account->queues[queue].asked[r]));
	}
}

static double share_value(double share)
{
	return share == HUGE_VAL ? (double)NAN : share;
}

static uint32_t root_of(const struct prometheus_pass *p, uint32_t cohort)
{
	while (cohort != SCENARIO_NONE && p->account->cohorts[cohort].parent != SCENARIO_NONE)
		cohort = p->account->cohorts[cohort].parent;
	return cohort;
}

static void report_recomputations(const struct prometheus_pass *p, const struct journal_queue *q,
				  struct prometheus_labels *labels)
{
	const struct {
		const char *result;
		uint32_t count;
	} rows[] = {{"new_targets", q->new_targets},
		    {"deferred_fit", q->deferred_fits},
		    {"skipped", q->skipped}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		labels->of[LABEL_RESULT] = rows[i].result;
		if (rows[i].count > 0)
			prometheus_pass_add(p, KUEUE_PREEMPTION_TARGET_RECOMPUTATIONS_TOTAL, labels,
					    rows[i].count);
	}
}

static void report_queue(const struct prometheus_pass *p, uint32_t queue)
{
	static const char *const statuses[] = {"pending", "active", "terminating", NULL};
	const struct journal_queue *q = &p->account->queues[queue];
	struct prometheus_labels labels = prometheus_pass_of_queue(p, queue);

	set_waiting(p, KUEUE_PENDING_WORKLOADS, &labels, q->pending, q->inadmissible);
	if (p->gates.equivalence)
		set_waiting(p, KUEUE_PENDING_SCHEDULING_HASHES, &labels, q->pending_hashes,
			    q->inadmissible_hashes);
	set_status(p, KUEUE_CLUSTER_QUEUE_STATUS, &labels, LABEL_STATUS, statuses,
		   q->active ? "active" : "pending");
	if (q->skips > 0)
		prometheus_pass_set(p, KUEUE_ADMISSION_CYCLE_PREEMPTION_SKIPS, &labels, q->skips);
	report_recomputations(p, q, &labels);
	prometheus_pass_add(p, KUEUE_FINISHED_WORKLOADS, &labels, 0);
	prometheus_pass_add(p, KUEUE_RESERVING_ACTIVE_WORKLOADS, &labels, 0);
	prometheus_pass_add(p, KUEUE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	labels.of[LABEL_COHORT] = labels.of[LABEL_PARENT_COHORT] =
		prometheus_pass_cohort(p, q->cohort);
	labels.of[LABEL_ROOT_COHORT] = prometheus_pass_cohort(p, root_of(p, q->cohort));
	prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_INFO, &labels, 1);
	if (p->s->config.fair_sharing)
		prometheus_pass_set(p, KUEUE_CLUSTER_QUEUE_WEIGHTED_SHARE, &labels,
				    share_value(q->share));
	report_cells(p, queue, &labels);
}

static void report_local_cells(const struct prometheus_pass *p, uint32_t queue,
			       struct prometheus_labels *labels)
{
	const struct usage *usage = p->replay->usage;

	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		labels->of[LABEL_FLAVOR] =
			prometheus_pass_text(p, p->s->flavors[usage->cells[c].flavor].name);
		labels->of[LABEL_RESOURCE] = name_text(p->s->resources, usage->cells[c].resource);
		prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESOURCE_RESERVATION, labels, 0);
		prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESOURCE_USAGE, labels, 0);
	}
}

static void report_local_queue(const struct prometheus_pass *p, uint32_t index)
{
	static const char *const statuses[] = {"True", "False", "Unknown", NULL};
	const struct local_queue *lq = &p->s->local_queues[index];
	const struct journal_local_queue *q = &p->account->local_queues[index];
	struct prometheus_labels labels = prometheus_pass_of_queue(p, lq->cluster_queue);

	labels.of[LABEL_NAME] = prometheus_pass_text(p, lq->name);
	labels.of[LABEL_NAMESPACE] = prometheus_pass_text(p, lq->ns);
	labels.subject.of[METRIC_LOCAL_QUEUE] = index;
	labels.hidden = p->hidden[index];
	set_waiting(p, KUEUE_LOCAL_QUEUE_PENDING_WORKLOADS, &labels, q->pending, q->inadmissible);
	set_status(p, KUEUE_LOCAL_QUEUE_STATUS, &labels, LABEL_ACTIVE, statuses,
		   q->active ? "True" : "False");
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS, &labels, 0);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_RESERVING_ACTIVE_WORKLOADS, &labels, 0);
	prometheus_pass_add(p, KUEUE_LOCAL_QUEUE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	if (p->s->config.admission_fair_sharing)
		prometheus_pass_set(p, KUEUE_LOCAL_QUEUE_ADMISSION_FAIR_SHARING_USAGE, &labels,
				    q->usage);
	if (lq->cluster_queue != SCENARIO_NONE)
		report_local_cells(p, lq->cluster_queue, &labels);
}

static void report_cohort(const struct prometheus_pass *p, uint32_t index)
{
	const struct journal_cohort *c = &p->account->cohorts[index];
	struct prometheus_labels labels = prometheus_pass_of_queue(p, SCENARIO_NONE);

	prometheus_pass_set_cohort(p, &labels, index);
	labels.of[LABEL_PARENT_COHORT] = prometheus_pass_cohort(p, c->parent);
	labels.of[LABEL_ROOT_COHORT] = prometheus_pass_cohort(p, root_of(p, index));
	prometheus_pass_set(p, KUEUE_COHORT_INFO, &labels, 1);
	prometheus_pass_add(p, KUEUE_COHORT_SUBTREE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	if (p->s->config.fair_sharing)
		prometheus_pass_set(p, KUEUE_COHORT_WEIGHTED_SHARE, &labels, share_value(c->share));
	for (uint32_t i = 0; i < c->quota_count; i++) {
		const struct journal_quota *q = &c->quotas[i];

		labels.of[LABEL_FLAVOR] = prometheus_pass_text(p, q->flavor);
		labels.of[LABEL_RESOURCE] = name_text(p->s->resources, q->resource);
		if (q->subtree > 0)
			prometheus_pass_set(p, KUEUE_COHORT_SUBTREE_QUOTA, &labels,
					    prometheus_pass_amount(q->resource, q->subtree));
		if (q->used > 0)
			prometheus_pass_set(p, KUEUE_COHORT_SUBTREE_RESOURCE_RESERVATIONS, &labels,
					    prometheus_pass_amount(q->resource, q->used));
	}
}

static void report_cycles(const struct prometheus_pass *p)
{
	struct prometheus_labels labels = prometheus_pass_of_queue(p, SCENARIO_NONE);

	labels.of[LABEL_RESULT] = "success";
	prometheus_pass_add(p, KUEUE_ADMISSION_ATTEMPTS_TOTAL, &labels,
			    p->account->admitting_cycles);
	labels.of[LABEL_RESULT] = "inadmissible";
	prometheus_pass_add(p, KUEUE_ADMISSION_ATTEMPTS_TOTAL, &labels, p->account->other_cycles);
}

void prometheus_end_report(const struct prometheus_pass *p)
{
	report_cycles(p);
	count_workloads(p);
	for (uint32_t i = 0; i < p->s->cluster_queue_count; i++)
		report_queue(p, i);
	for (uint32_t i = 0; i < p->s->local_queue_count; i++)
		report_local_queue(p, i);
	for (uint32_t i = 0; i < p->s->cohort_count; i++)
		report_cohort(p, i);
}
