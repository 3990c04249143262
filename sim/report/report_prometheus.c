/* report_prometheus.c - a run in the metric families of Kueue: one pass over its
 * journal for what is counted and timed, and what is in use at its end; what waits
 * then the policy has told (journal.account).
 */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "sim/report/prometheus_custom.h"
#include "sim/report/prometheus_table.h"
#include "sim/report/report.h"
#include "sim/scenario/kueue_gates.h"

/* Values of labels by their names; NULL: the series has no such label. */
enum label_kind {
	LABEL_CLUSTER_QUEUE,
	LABEL_COHORT,
	LABEL_PARENT_COHORT,
	LABEL_ROOT_COHORT,
	LABEL_NAME,
	LABEL_NAMESPACE,
	LABEL_PRIORITY_CLASS,
	LABEL_FLAVOR,
	LABEL_RESOURCE,
	LABEL_REASON,
	LABEL_UNDERLYING_CAUSE,
	LABEL_RESULT,
	LABEL_STATUS,
	LABEL_ACTIVE,
	LABEL_REPLICA_ROLE,
	LABEL_COUNT
};
static const char *const label_names[LABEL_COUNT] = {
	"cluster_queue",    "cohort",	      "parent_cohort", "root_cohort", "name",
	"namespace",	    "priority_class", "flavor",	       "resource",    "reason",
	"underlying_cause", "result",	      "status",	       "active",      "replica_role",
};
#define PREEMPTING "preempting_cluster_queue" /* a ClusterQueue too */

struct labels {
	const char *of[LABEL_COUNT];
	struct prometheus_subject subject; /* of the labels that the Configuration adds */
	bool hidden; /* of a LocalQueue whose metrics the Configuration leaves out */
};

/* Why a workload was evicted: "DeactivatedDueToX" has reason Deactivated, cause X. */
struct eviction {
	char reason[64];
	const char *cause;
};

struct workload {
	uint32_t admission; /* of the journal; JOB_NONE: no reservation */
	uint32_t why;	    /* string of the journal: reason of its last status */
	simtime reserved, admitted, ready, evicted; /* since; CLOCK_NEVER: is not */
	simtime past;	     /* admitted before, whole seconds as Kueue keeps them */
	simtime created;     /* a slice that took the place of another; CLOCK_NEVER: its job is */
	simtime slice;	     /* when the one that waits to do so was created; CLOCK_NEVER: none */
	uint32_t slices;     /* that were replaced so far */
	bool was_ready;	     /* in this admission */
	uint32_t evicted_by; /* eviction reasons seen, an index into reasons; NAME_NONE */
};

struct pass {
	struct prometheus *out;
	const struct scenario *s;
	const struct journal *j;
	const struct journal_account *account;
	struct replay *replay;
	struct workload *workloads;
	struct kueue_gates gates;
	struct name_table *once; /* "job reason" seen */
	struct name_table *reasons;
	bool *hidden; /* per LocalQueue, as it is in the end */
	struct prometheus_custom *custom;
	struct prometheus_family families[KUEUE_FAMILIES]; /* with the labels that it adds */
	uint8_t fields[KUEUE_FAMILIES][PROMETHEUS_LABELS];
};

/* ---- labels ---- */

_Static_assert(LABEL_COUNT + METRIC_LABELS_MAX * METRIC_SOURCES <= UINT8_MAX, "fields are bytes");

/* LABEL_COUNT and more: one that the Configuration adds. */
static uint8_t field_of(const struct pass *p, const char *label)
{
	uint8_t field = 0;

	if (strcmp(label, PREEMPTING) == 0)
		return LABEL_CLUSTER_QUEUE;
	while (field < LABEL_COUNT && strcmp(label_names[field], label) != 0)
		field++;
	if (field == LABEL_COUNT)
		field = (uint8_t)(field + prometheus_custom_find(p->custom, label));
	return field;
}

static void find_fields(struct pass *p)
{
	for (uint32_t f = 0; f < KUEUE_FAMILIES; f++) {
		struct prometheus_family *family = &p->families[f];

		*family = prometheus_families[f];
		if (p->gates.custom_labels)
			prometheus_custom_extend(p->custom, family);
		for (uint32_t i = 0; i < PROMETHEUS_LABELS && family->labels[i] != NULL; i++)
			p->fields[f][i] = field_of(p, family->labels[i]);
	}
}

static void values_of(const struct pass *p, enum kueue_family family, const struct labels *labels,
		      const char *values[PROMETHEUS_LABELS])
{
	for (uint32_t i = 0; i < PROMETHEUS_LABELS && p->families[family].labels[i] != NULL; i++) {
		uint8_t field = p->fields[family][i];
		const char *value =
			field < LABEL_COUNT
				? labels->of[field]
				: prometheus_custom_value(p->custom, field - LABEL_COUNT,
							  &labels->subject);

		values[i] = value == NULL ? "" : value;
	}
}

/* Those of enableClusterQueueResources. */
static bool is_of_resources(enum kueue_family family)
{
	return family >= KUEUE_CLUSTER_QUEUE_RESOURCE_RESERVATION &&
	       family <= KUEUE_CLUSTER_QUEUE_WEIGHTED_SHARE;
}

/* The Configuration does not hide unadmitted workloads, the gate does. */
static bool is_local_exposed(const struct pass *p, enum kueue_family family,
			     const struct labels *labels)
{
	return p->gates.local_metrics &&
	       (!labels->hidden || family == KUEUE_LOCAL_QUEUE_UNADMITTED_WORKLOADS);
}

/* Feature gates and the Configuration leave out some (Kueue's pkg/metrics/localqueue.go,
 * reportResourceMetrics in pkg/cache/scheduler/clusterqueue.go). */
static bool is_exposed(const struct pass *p, enum kueue_family family, const struct labels *labels)
{
	static const char local[] = "kueue_local_queue_";

	if (family == KUEUE_COHORT_INFO || family == KUEUE_CLUSTER_QUEUE_INFO)
		return p->gates.cohort_metrics;
	if (is_of_resources(family))
		return p->s->config.resource_metrics;
	return strncmp(prometheus_families[family].name, local, strlen(local)) != 0 ||
	       is_local_exposed(p, family, labels);
}

static void add(const struct pass *p, enum kueue_family family, const struct labels *labels,
		double value)
{
	const char *values[PROMETHEUS_LABELS];

	values_of(p, family, labels, values);
	if (is_exposed(p, family, labels))
		prometheus_add(p->out, family, values, value);
}

static void set(const struct pass *p, enum kueue_family family, const struct labels *labels,
		double value)
{
	const char *values[PROMETHEUS_LABELS];

	values_of(p, family, labels, values);
	if (is_exposed(p, family, labels))
		prometheus_set(p->out, family, values, value);
}

static void observe(const struct pass *p, enum kueue_family family, const struct labels *labels,
		    simtime time)
{
	const char *values[PROMETHEUS_LABELS];

	values_of(p, family, labels, values);
	if (is_exposed(p, family, labels))
		prometheus_observe(p->out, family, values, time > 0 ? time : 0);
}

static const char *text(const struct pass *p, uint32_t string)
{
	return string == NAME_NONE ? "" : scenario_string(p->s, string);
}

static const char *cohort_name(const struct pass *p, uint32_t cohort)
{
	return cohort == SCENARIO_NONE ? "" : text(p, p->s->cohorts[cohort].name);
}

static const char *queue_name(const struct pass *p, uint32_t queue)
{
	return queue == SCENARIO_NONE ? "" : text(p, p->s->cluster_queues[queue].name);
}

/* The queue that holds its quota, or else the one it waits in. */
static uint32_t queue_of(const struct pass *p, uint32_t job)
{
	uint32_t admission = p->workloads[job].admission;

	return admission == JOB_NONE ? scenario_job_cluster_queue(p->s, job)
				     : p->j->admissions[admission].cluster_queue;
}

static struct labels queue_labels(const struct pass *p, uint32_t queue)
{
	struct labels labels = {
		.subject = {{queue, SCENARIO_NONE, SCENARIO_NONE}},
		.hidden = false,
	};

	labels.of[LABEL_REPLICA_ROLE] = "standalone";
	labels.of[LABEL_CLUSTER_QUEUE] = queue_name(p, queue);
	return labels;
}

static struct labels labels_of(const struct pass *p, uint32_t job)
{
	const struct job *input = &p->s->jobs[job];
	struct labels labels = queue_labels(p, queue_of(p, job));

	labels.subject.of[METRIC_LOCAL_QUEUE] = input->common->local_queue;
	labels.of[LABEL_NAME] = text(p, input->common->queue);
	labels.of[LABEL_NAMESPACE] = text(p, input->common->ns);
	labels.of[LABEL_PRIORITY_CLASS] = text(p, input->common->priority_class);
	labels.hidden =
		input->common->local_queue != JOB_NONE && p->hidden[input->common->local_queue];
	return labels;
}

static void set_cohort(const struct pass *p, struct labels *labels, uint32_t cohort)
{
	labels->of[LABEL_COHORT] = cohort_name(p, cohort);
	labels->subject.of[METRIC_COHORT] = cohort;
}

/* In units of dashboards: cpu in cores. */
static double amount_of(uint32_t resource, int64_t amount)
{
	if (amount == RES_UNLIMITED)
		return HUGE_VAL;
	return res_is_milli(resource) ? (double)amount / 1000 : (double)amount;
}

/* ---- what happened ---- */

/* Since when it waits: its creation, or the last time that it was requeued. */
static simtime queued_at(const struct pass *p, uint32_t job)
{
	const struct workload *w = &p->workloads[job];

	return w->created != CLOCK_NEVER ? w->created : p->replay->jobs[job].queued;
}

static void count_admission(struct pass *p, const struct journal_record *r, simtime wait)
{
	struct labels labels = labels_of(p, r->job);
	uint32_t cohort = p->account->queues[queue_of(p, r->job)].cohort;

	p->workloads[r->job].admitted = r->time;
	add(p, KUEUE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	observe(p, KUEUE_ADMISSION_WAIT_TIME_SECONDS, &labels, wait);
	add(p, KUEUE_LOCAL_QUEUE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	observe(p, KUEUE_LOCAL_QUEUE_ADMISSION_WAIT_TIME_SECONDS, &labels, wait);
	for (; cohort != SCENARIO_NONE; cohort = p->account->cohorts[cohort].parent) {
		set_cohort(p, &labels, cohort);
		add(p, KUEUE_COHORT_SUBTREE_ADMITTED_WORKLOADS_TOTAL, &labels, 1);
	}
}

/* checks: some are outstanding. */
static void count_reservation(struct pass *p, const struct journal_record *r, bool checks)
{
	struct workload *w = &p->workloads[r->job];
	simtime wait = r->time - queued_at(p, r->job);
	struct labels labels;

	w->admission = r->arg;
	w->reserved = r->time;
	labels = labels_of(p, r->job);
	add(p, KUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL, &labels, 1);
	observe(p, KUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS, &labels, wait);
	add(p, KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL, &labels, 1);
	observe(p, KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS, &labels, wait);
	if (!checks)
		count_admission(p, r, wait);
}

static void count_checked(struct pass *p, const struct journal_record *r)
{
	const struct workload *w = &p->workloads[r->job];
	struct labels labels = labels_of(p, r->job);

	count_admission(p, r, r->time - queued_at(p, r->job));
	observe(p, KUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS, &labels, r->time - w->reserved);
	observe(p, KUEUE_LOCAL_QUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS, &labels,
		r->time - w->reserved);
}

/* Kueue looks at pods only with waitForPodsReady; a recovery is not timed. */
static void count_ready(struct pass *p, const struct journal_record *r)
{
	struct workload *w = &p->workloads[r->job];
	struct labels labels = labels_of(p, r->job);
	simtime queued = queued_at(p, r->job);

	if (!p->s->config.wait_for_pods_ready || w->admitted == CLOCK_NEVER ||
	    w->ready != CLOCK_NEVER)
		return;
	w->ready = r->time;
	if (w->was_ready)
		return;
	w->was_ready = true;
	observe(p, KUEUE_READY_WAIT_TIME_SECONDS, &labels, r->time - queued);
	observe(p, KUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS, &labels, r->time - w->admitted);
	observe(p, KUEUE_LOCAL_QUEUE_READY_WAIT_TIME_SECONDS, &labels, r->time - queued);
	observe(p, KUEUE_LOCAL_QUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS, &labels,
		r->time - w->admitted);
}

/* A gang's pods are ready as it starts, unless an operator said so before. */
static void note_ready(struct pass *p, const struct journal_record *r)
{
	if (r->kind == J_READY && r->arg == 0)
		p->workloads[r->job].ready = CLOCK_NEVER;
	else if (r->kind == J_READY || (p->s->jobs[r->job].flags & JOB_SOLO) == 0)
		count_ready(p, r);
}

static void note_lost(struct pass *p, const struct journal_record *r)
{
	const struct job_control *control = scenario_job_control(p->s, r->job);

	if (r->kind == J_PODS_NOT_READY || control == NULL || control->ready == NULL)
		p->workloads[r->job].ready = CLOCK_NEVER;
}

/* The first eviction of a workload for this reason? */
static bool is_first(struct pass *p, uint32_t job, const struct eviction *e)
{
	uint32_t before = name_count(p->once);
	char key[160];

	snprintf(key, sizeof(key), "%lu.%lu %s %s", (unsigned long)job,
		 (unsigned long)p->workloads[job].slices, e->reason, e->cause);
	return name_add(p->once, key) == before;
}

static void count_eviction(struct pass *p, const struct journal_record *r, const struct eviction *e)
{
	struct workload *w = &p->workloads[r->job];
	struct labels labels = labels_of(p, r->job);

	labels.of[LABEL_REASON] = e->reason;
	labels.of[LABEL_UNDERLYING_CAUSE] = e->cause;
	add(p, KUEUE_EVICTED_WORKLOADS_TOTAL, &labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_EVICTED_WORKLOADS_TOTAL, &labels, 1);
	if (is_first(p, r->job, e))
		add(p, KUEUE_EVICTED_WORKLOADS_ONCE_TOTAL, &labels, 1);
	if (w->ready != CLOCK_NEVER)
		observe(p, KUEUE_PODS_READY_TO_EVICTED_TIME_SECONDS, &labels, r->time - w->ready);
	if (r->kind != J_EVICTED || !journal_switches_off(p->j, r)) /* no latency of these */
		w->evicted = r->time;
}

static void count_preemption(struct pass *p, const struct journal_record *r)
{
	static const struct eviction preempted = {"Preempted", ""};
	struct labels by = queue_labels(p, queue_of(p, r->arg));

	by.of[LABEL_REASON] = journal_text(p->j, r->arg2);
	add(p, KUEUE_PREEMPTED_WORKLOADS_TOTAL, &by, 1);
	p->workloads[r->job].evicted_by = name_add(p->reasons, preempted.reason);
	count_eviction(p, r, &preempted);
}

/* arg: "reason=PodsReadyTimeout;requeue_count=...". */
static void count_other_eviction(struct pass *p, const struct journal_record *r)
{
	const char *detail = journal_text(p->j, r->arg), *due;
	struct workload *w = &p->workloads[r->job];
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

static void end_reservation(struct workload *w, simtime now)
{
	if (w->admitted != CLOCK_NEVER)
		w->past += clock_floor_second(now) - clock_floor_second(w->admitted);
	w->admission = JOB_NONE;
	w->admitted = w->reserved = w->ready = w->evicted = CLOCK_NEVER;
	w->was_ready = false;
	w->slice = CLOCK_NEVER;
}

/* The reason here is the condition's, its cause included. */
static void count_release(struct pass *p, const struct journal_record *r)
{
	struct workload *w = &p->workloads[r->job];
	struct labels labels = labels_of(p, r->job);

	if (w->evicted != CLOCK_NEVER && w->admission != JOB_NONE) {
		labels.of[LABEL_REASON] = name_text(p->reasons, w->evicted_by);
		observe(p, KUEUE_WORKLOAD_EVICTION_LATENCY_SECONDS, &labels,
			kueue_gates_frees_at_once(&p->gates, p->s->jobs[r->job].flags)
				? 0
				: r->time - w->evicted);
	}
	end_reservation(w, r->time);
	w->created = CLOCK_NEVER; /* it is requeued */
}

static void count_finish(struct pass *p, const struct journal_record *r)
{
	struct workload *w = &p->workloads[r->job];
	struct labels labels = labels_of(p, r->job);

	add(p, KUEUE_FINISHED_WORKLOADS_TOTAL, &labels, 1);
	add(p, KUEUE_FINISHED_WORKLOADS, &labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS_TOTAL, &labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS, &labels, 1);
	if (w->admitted != CLOCK_NEVER) {
		simtime ran = w->past + (r->time - w->admitted);

		observe(p, KUEUE_EXECUTION_TIME_SECONDS, &labels, ran);
		observe(p, KUEUE_LOCAL_QUEUE_EXECUTION_TIME_SECONDS, &labels, ran);
	}
	end_reservation(w, r->time);
}

/* An elastic job that has quota and wants more pods has a second workload. */
static void note_slice(struct pass *p, const struct journal_record *r)
{
	struct workload *w = &p->workloads[r->job];

	if (p->gates.slices && scenario_job_elastic(p->s, r->job) && w->admission != JOB_NONE &&
	    w->slice == CLOCK_NEVER && r->arg > p->j->admissions[w->admission].pod_sets[0].count)
		w->slice = r->time;
}

/* A bigger slice of an elastic job takes the place of the one before, which is finished. */
static void count_slice(struct pass *p, const struct journal_record *r)
{
	struct workload *w = &p->workloads[r->job];
	struct labels labels = queue_labels(p, queue_of(p, r->job));
	simtime created = w->slice != CLOCK_NEVER ? w->slice : r->time;

	if (r->arg2 == 0) { /* fewer pods: the same workload */
		w->admission = r->arg;
		return;
	}
	add(p, KUEUE_REPLACED_WORKLOAD_SLICES_TOTAL, &labels, 1);
	count_finish(p, r);
	w->slices++;
	w->past = 0;
	w->created = created;
	count_reservation(p, r, r->incarnation != 0);
}

static void count_record(struct pass *p, const struct journal_record *r)
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
		end_reservation(&p->workloads[r->job], r->time);
		break;
	default:
		break;
	}
}

/* Jobs that Kueue does not manage make no workload. */
static bool is_workload(const struct pass *p, uint32_t job)
{
	return (p->s->jobs[job].flags & JOB_UNMANAGED) == 0;
}

static void count_all(struct pass *p)
{
	while (replay_step(p->replay, CLOCK_NEVER)) {
		for (size_t i = p->replay->first; i < p->replay->last; i++) {
			const struct journal_record *r = journal_read(p->replay->in, i);

			if (r->job != JOB_NONE && is_workload(p, r->job))
				count_record(p, r);
		}
	}
}

/* ---- what is there at the end: workloads ---- */

struct user { /* of quota */
	const struct pass *pass;
	struct labels labels;
	bool admitted;
};

static void count_usage(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	struct user *u = context;
	const struct pass *p = u->pass;
	double value = amount_of(resource, amount);

	u->labels.of[LABEL_FLAVOR] = text(p, p->s->flavors[flavor].name);
	u->labels.of[LABEL_RESOURCE] = name_text(p->s->resources, resource);
	add(p, KUEUE_LOCAL_QUEUE_RESOURCE_RESERVATION, &u->labels, value);
	add(p, KUEUE_LOCAL_QUEUE_RESOURCE_USAGE, &u->labels, u->admitted ? value : 0);
	add(p, KUEUE_CLUSTER_QUEUE_RESOURCE_USAGE, &u->labels, u->admitted ? value : 0);
}

static void count_holder(const struct pass *p, uint32_t job)
{
	const struct workload *w = &p->workloads[job];
	uint32_t cohort = p->account->queues[queue_of(p, job)].cohort;
	struct user user = {p, labels_of(p, job), w->admitted != CLOCK_NEVER};

	add(p, KUEUE_RESERVING_ACTIVE_WORKLOADS, &user.labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_RESERVING_ACTIVE_WORKLOADS, &user.labels, 1);
	user.labels.of[LABEL_COHORT] = cohort_name(p, cohort);
	journal_admission_usage(p->s, job, &p->j->admissions[w->admission], count_usage, &user);
	if (!user.admitted)
		return;
	add(p, KUEUE_ADMITTED_ACTIVE_WORKLOADS, &user.labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_ADMITTED_ACTIVE_WORKLOADS, &user.labels, 1);
	for (; cohort != SCENARIO_NONE; cohort = p->account->cohorts[cohort].parent) {
		set_cohort(p, &user.labels, cohort);
		add(p, KUEUE_COHORT_SUBTREE_ADMITTED_ACTIVE_WORKLOADS, &user.labels, 1);
	}
}

/* reserved: it has quota. */
static void count_unadmitted(const struct pass *p, uint32_t job, bool reserved)
{
	const struct workload *w = &p->workloads[job];
	struct labels labels = labels_of(p, job);

	if (!p->gates.granular_reasons)
		return;
	labels.of[LABEL_REASON] = reserved ? "UnsatisfiedAdmissionChecks" : "NoReservation";
	if (!reserved)
		labels.of[LABEL_UNDERLYING_CAUSE] =
			w->why == NAME_NONE || journal_text(p->j, w->why)[0] == '\0'
				? "PendingEvaluation"
				: journal_text(p->j, w->why);
	if (labels.of[LABEL_CLUSTER_QUEUE][0] != '\0')
		add(p, KUEUE_UNADMITTED_WORKLOADS, &labels, 1);
	add(p, KUEUE_LOCAL_QUEUE_UNADMITTED_WORKLOADS, &labels, 1);
}

static void count_workloads(const struct pass *p)
{
	for (uint32_t job = 0; job < p->s->job_count; job++) {
		const struct workload *w = &p->workloads[job];
		uint8_t flags = p->replay->jobs[job].flags;

		if (!is_workload(p, job) ||
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

/* ---- what is there at the end: queues and cohorts ---- */

/* A series a status, 1 for the one that holds. */
static void set_status(const struct pass *p, enum kueue_family family, struct labels *labels,
		       enum label_kind label, const char *const *statuses, const char *now)
{
	for (; *statuses != NULL; statuses++) {
		labels->of[label] = *statuses;
		set(p, family, labels, strcmp(*statuses, now) == 0 ? 1 : 0);
	}
}

static void set_waiting(const struct pass *p, enum kueue_family family, struct labels *labels,
			uint32_t active, uint32_t inadmissible)
{
	labels->of[LABEL_STATUS] = "active";
	set(p, family, labels, active);
	labels->of[LABEL_STATUS] = "inadmissible";
	set(p, family, labels, inadmissible);
}

static double limit_of(uint32_t resource, int64_t limit)
{
	return limit == QUOTA_ABSENT ? HUGE_VAL : amount_of(resource, limit);
}

static void report_cells(const struct pass *p, uint32_t queue, struct labels *labels)
{
	const struct usage *usage = p->replay->usage;

	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		const struct usage_cell *cell = &usage->cells[c];
		uint32_t r = cell->resource;

		labels->of[LABEL_FLAVOR] = text(p, p->s->flavors[cell->flavor].name);
		labels->of[LABEL_RESOURCE] = name_text(p->s->resources, r);
		set(p, KUEUE_CLUSTER_QUEUE_NOMINAL_QUOTA, labels, amount_of(r, cell->nominal));
		set(p, KUEUE_CLUSTER_QUEUE_BORROWING_LIMIT, labels,
		    limit_of(r, cell->borrowing_limit));
		set(p, KUEUE_CLUSTER_QUEUE_LENDING_LIMIT, labels, limit_of(r, cell->lending_limit));
		set(p, KUEUE_CLUSTER_QUEUE_RESOURCE_RESERVATION, labels, amount_of(r, cell->used));
		add(p, KUEUE_CLUSTER_QUEUE_RESOURCE_USAGE, labels, 0);
		set(p, KUEUE_CLUSTER_QUEUE_RESOURCE_PENDING, labels,
		    amount_of(r, p->account->queues[queue].asked[r]));
	}
}

static double share_value(double share)
{
	return share == HUGE_VAL ? (double)NAN : share;
}

static uint32_t root_of(const struct pass *p, uint32_t cohort)
{
	while (cohort != SCENARIO_NONE && p->account->cohorts[cohort].parent != SCENARIO_NONE)
		cohort = p->account->cohorts[cohort].parent;
	return cohort;
}

static void report_recomputations(const struct pass *p, const struct journal_queue *q,
				  struct labels *labels)
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
			add(p, KUEUE_PREEMPTION_TARGET_RECOMPUTATIONS_TOTAL, labels, rows[i].count);
	}
}

static void report_queue(const struct pass *p, uint32_t queue)
{
	static const char *const statuses[] = {"pending", "active", "terminating", NULL};
	const struct journal_queue *q = &p->account->queues[queue];
	struct labels labels = queue_labels(p, queue);

	set_waiting(p, KUEUE_PENDING_WORKLOADS, &labels, q->pending, q->inadmissible);
	if (p->gates.equivalence)
		set_waiting(p, KUEUE_PENDING_SCHEDULING_HASHES, &labels, q->pending_hashes,
			    q->inadmissible_hashes);
	set_status(p, KUEUE_CLUSTER_QUEUE_STATUS, &labels, LABEL_STATUS, statuses,
		   q->active ? "active" : "pending");
	if (q->skips > 0)
		set(p, KUEUE_ADMISSION_CYCLE_PREEMPTION_SKIPS, &labels, q->skips);
	report_recomputations(p, q, &labels);
	add(p, KUEUE_FINISHED_WORKLOADS, &labels, 0);
	add(p, KUEUE_RESERVING_ACTIVE_WORKLOADS, &labels, 0);
	add(p, KUEUE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	labels.of[LABEL_COHORT] = labels.of[LABEL_PARENT_COHORT] = cohort_name(p, q->cohort);
	labels.of[LABEL_ROOT_COHORT] = cohort_name(p, root_of(p, q->cohort));
	set(p, KUEUE_CLUSTER_QUEUE_INFO, &labels, 1);
	if (p->s->config.fair_sharing)
		set(p, KUEUE_CLUSTER_QUEUE_WEIGHTED_SHARE, &labels, share_value(q->share));
	report_cells(p, queue, &labels);
}

static void report_local_cells(const struct pass *p, uint32_t queue, struct labels *labels)
{
	const struct usage *usage = p->replay->usage;

	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		labels->of[LABEL_FLAVOR] = text(p, p->s->flavors[usage->cells[c].flavor].name);
		labels->of[LABEL_RESOURCE] = name_text(p->s->resources, usage->cells[c].resource);
		add(p, KUEUE_LOCAL_QUEUE_RESOURCE_RESERVATION, labels, 0);
		add(p, KUEUE_LOCAL_QUEUE_RESOURCE_USAGE, labels, 0);
	}
}

static void report_local_queue(const struct pass *p, uint32_t index)
{
	static const char *const statuses[] = {"True", "False", "Unknown", NULL};
	const struct local_queue *lq = &p->s->local_queues[index];
	const struct journal_local_queue *q = &p->account->local_queues[index];
	struct labels labels = queue_labels(p, lq->cluster_queue);

	labels.of[LABEL_NAME] = text(p, lq->name);
	labels.of[LABEL_NAMESPACE] = text(p, lq->ns);
	labels.subject.of[METRIC_LOCAL_QUEUE] = index;
	labels.hidden = p->hidden[index];
	set_waiting(p, KUEUE_LOCAL_QUEUE_PENDING_WORKLOADS, &labels, q->pending, q->inadmissible);
	set_status(p, KUEUE_LOCAL_QUEUE_STATUS, &labels, LABEL_ACTIVE, statuses,
		   q->active ? "True" : "False");
	add(p, KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS, &labels, 0);
	add(p, KUEUE_LOCAL_QUEUE_RESERVING_ACTIVE_WORKLOADS, &labels, 0);
	add(p, KUEUE_LOCAL_QUEUE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	if (p->s->config.admission_fair_sharing)
		set(p, KUEUE_LOCAL_QUEUE_ADMISSION_FAIR_SHARING_USAGE, &labels, q->usage);
	if (lq->cluster_queue != SCENARIO_NONE)
		report_local_cells(p, lq->cluster_queue, &labels);
}

static void report_cohort(const struct pass *p, uint32_t index)
{
	const struct journal_cohort *c = &p->account->cohorts[index];
	struct labels labels = queue_labels(p, SCENARIO_NONE);

	set_cohort(p, &labels, index);
	labels.of[LABEL_PARENT_COHORT] = cohort_name(p, c->parent);
	labels.of[LABEL_ROOT_COHORT] = cohort_name(p, root_of(p, index));
	set(p, KUEUE_COHORT_INFO, &labels, 1);
	add(p, KUEUE_COHORT_SUBTREE_ADMITTED_ACTIVE_WORKLOADS, &labels, 0);
	if (p->s->config.fair_sharing)
		set(p, KUEUE_COHORT_WEIGHTED_SHARE, &labels, share_value(c->share));
	for (uint32_t i = 0; i < c->quota_count; i++) {
		const struct journal_quota *q = &c->quotas[i];

		labels.of[LABEL_FLAVOR] = text(p, q->flavor);
		labels.of[LABEL_RESOURCE] = name_text(p->s->resources, q->resource);
		if (q->subtree > 0)
			set(p, KUEUE_COHORT_SUBTREE_QUOTA, &labels,
			    amount_of(q->resource, q->subtree));
		if (q->used > 0)
			set(p, KUEUE_COHORT_SUBTREE_RESOURCE_RESERVATIONS, &labels,
			    amount_of(q->resource, q->used));
	}
}

static void report_cycles(const struct pass *p)
{
	struct labels labels = queue_labels(p, SCENARIO_NONE);

	labels.of[LABEL_RESULT] = "success";
	add(p, KUEUE_ADMISSION_ATTEMPTS_TOTAL, &labels, p->account->admitting_cycles);
	labels.of[LABEL_RESULT] = "inadmissible";
	add(p, KUEUE_ADMISSION_ATTEMPTS_TOTAL, &labels, p->account->other_cycles);
}

/* ---- all of it ---- */

static bool is_hidden(const struct pass *p, uint32_t local_queue)
{
	const struct kueue_config *config = &p->s->config;
	const struct marks *marks =
		prometheus_custom_marks(p->custom, METRIC_LOCAL_QUEUE, local_queue);

	return !config->local_metrics ||
	       (config->local_metrics_of.present &&
		!label_selector_matches(p->s->strings, &marks->labels, &config->local_metrics_of));
}

static void find_hidden(struct pass *p)
{
	p->hidden = mem_calloc(p->s->local_queue_count, sizeof(*p->hidden));
	for (uint32_t i = 0; i < p->s->local_queue_count; i++)
		p->hidden[i] = is_hidden(p, i);
}

static void open_pass(struct pass *p, const struct journal *j)
{
	*p = (struct pass){.s = j->scenario, .j = j, .account = j->account};
	p->out = prometheus_new(p->families, KUEUE_FAMILIES);
	p->replay = replay_new(j);
	p->gates = kueue_gates_read(&p->s->config, p->s->strings);
	p->once = name_new();
	p->reasons = name_new();
	p->workloads = mem_calloc(p->s->job_count, sizeof(*p->workloads));
	for (uint32_t job = 0; job < p->s->job_count; job++) {
		p->workloads[job].why = p->workloads[job].evicted_by = NAME_NONE;
		p->workloads[job].admitted = CLOCK_NEVER;
		p->workloads[job].created = p->workloads[job].slice = CLOCK_NEVER;
		end_reservation(&p->workloads[job], 0);
	}
	p->custom = prometheus_custom_new(p->s, p->j->end_time);
	find_fields(p);
	find_hidden(p);
}

/* What NVIDIA's exporter would show, averaged over the run: per cent of the GPUs that pods of
 * a namespace hold. Only where jobs say how busy they keep them. */
static void write_utilisation(FILE *out, const struct metrics *m)
{
	static const struct prometheus_family family = {
		.name = "DCGM_FI_DEV_GPU_UTIL",
		.help = "GPU utilization (in %), over the run and the GPUs of a namespace.",
		.labels = {"namespace"},
		.type = PROMETHEUS_GAUGE};
	struct prometheus *all;

	if (m->busy == NULL)
		return;
	all = prometheus_new(&family, 1);
	for (uint32_t n = 0; n < m->busy->count; n++) {
		const char *name = scenario_string(m->journal->scenario, m->namespaces[n]);

		if (m->busy->groups[n].held > 0)
			prometheus_set(all, 0, &name, 100 * busy_share(&m->busy->groups[n]));
	}
	prometheus_write(out, all);
	prometheus_free(all);
}

void report_prometheus_run(FILE *out, const struct report *report)
{
	struct pass p;

	open_pass(&p, report->columns[0].journal);
	count_all(&p);
	report_cycles(&p);
	count_workloads(&p);
	for (uint32_t i = 0; i < p.s->cluster_queue_count; i++)
		report_queue(&p, i);
	for (uint32_t i = 0; i < p.s->local_queue_count; i++)
		report_local_queue(&p, i);
	for (uint32_t i = 0; i < p.s->cohort_count; i++)
		report_cohort(&p, i);
	prometheus_write(out, p.out);
	prometheus_custom_free(p.custom);
	write_utilisation(out, report->columns[0].metrics);
	prometheus_free(p.out);
	replay_free(p.replay);
	name_free(p.once);
	name_free(p.reasons);
	mem_free(p.workloads);
	mem_free(p.hidden);
}
