#include "sim/report/prometheus_pass.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

static const char *const label_names[LABEL_COUNT] = {
	"cluster_queue",    "cohort",	      "parent_cohort", "root_cohort", "name",
	"namespace",	    "priority_class", "flavor",	       "resource",    "reason",
	"underlying_cause", "result",	      "status",	       "active",      "replica_role",
};
#define PREEMPTING "preempting_cluster_queue" /* a ClusterQueue too */

_Static_assert(LABEL_COUNT + METRIC_LABELS_MAX * METRIC_SOURCES <= UINT8_MAX, "fields are bytes");

/* LABEL_COUNT and more: one that the Configuration adds. */
static uint8_t field_of(const struct prometheus_pass *p, const char *label)
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

static void find_fields(struct prometheus_pass *p)
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

/* Those of enableClusterQueueResources. */
static bool is_of_resources(enum kueue_family family)
{
	return family >= KUEUE_CLUSTER_QUEUE_RESOURCE_RESERVATION &&
	       family <= KUEUE_CLUSTER_QUEUE_WEIGHTED_SHARE;
}

/* The Configuration does not hide unadmitted workloads, the gate does. */
static bool is_local_exposed(const struct prometheus_pass *p, enum kueue_family family,
			     const struct prometheus_labels *labels)
{
	return p->gates.local_metrics &&
	       (!labels->hidden || family == KUEUE_LOCAL_QUEUE_UNADMITTED_WORKLOADS);
}

/* Feature gates and the Configuration leave out some (Kueue's pkg/metrics/localqueue.go,
 * reportResourceMetrics in pkg/cache/scheduler/clusterqueue.go). */
static bool is_exposed(const struct prometheus_pass *p, enum kueue_family family,
		       const struct prometheus_labels *labels)
{
	static const char local[] = "kueue_local_queue_";

	if (family == KUEUE_COHORT_INFO || family == KUEUE_CLUSTER_QUEUE_INFO)
		return p->gates.cohort_metrics;
	if (is_of_resources(family))
		return p->s->config.resource_metrics;
	return strncmp(prometheus_families[family].name, local, strlen(local)) != 0 ||
	       is_local_exposed(p, family, labels);
}

/* The labels' values of a sample; false if its family is not exposed. */
static bool values_of(const struct prometheus_pass *p, enum kueue_family family,
		      const struct prometheus_labels *labels, const char *values[PROMETHEUS_LABELS])
{
	if (!is_exposed(p, family, labels))
		return false;
	for (uint32_t i = 0; i < PROMETHEUS_LABELS && p->families[family].labels[i] != NULL; i++) {
		uint8_t field = p->fields[family][i];
		const char *value =
			field < LABEL_COUNT
				? labels->of[field]
				: prometheus_custom_value(p->custom, field - LABEL_COUNT,
							  &labels->subject);

		values[i] = value == NULL ? "" : value;
	}
	return true;
}

void prometheus_pass_add(const struct prometheus_pass *p, enum kueue_family family,
			 const struct prometheus_labels *labels, double value)
{
	const char *values[PROMETHEUS_LABELS];

	if (values_of(p, family, labels, values))
		prometheus_add(p->out, family, values, value);
}

void prometheus_pass_set(const struct prometheus_pass *p, enum kueue_family family,
			 const struct prometheus_labels *labels, double value)
{
	const char *values[PROMETHEUS_LABELS];

	if (values_of(p, family, labels, values))
		prometheus_set(p->out, family, values, value);
}

void prometheus_pass_observe(const struct prometheus_pass *p, enum kueue_family family,
			     const struct prometheus_labels *labels, simtime time)
{
	const char *values[PROMETHEUS_LABELS];

	if (values_of(p, family, labels, values))
		prometheus_observe(p->out, family, values, time > 0 ? time : 0);
}

const char *prometheus_pass_text(const struct prometheus_pass *p, uint32_t string)
{
	return string == NAME_NONE ? "" : scenario_string(p->s, string);
}

const char *prometheus_pass_cohort(const struct prometheus_pass *p, uint32_t cohort)
{
	return cohort == SCENARIO_NONE ? "" : prometheus_pass_text(p, p->s->cohorts[cohort].name);
}

static const char *queue_name(const struct prometheus_pass *p, uint32_t queue)
{
	return queue == SCENARIO_NONE ? ""
				      : prometheus_pass_text(p, p->s->cluster_queues[queue].name);
}

/* The queue that holds its quota, or else the one it waits in. */
uint32_t prometheus_pass_queue_of(const struct prometheus_pass *p, uint32_t job)
{
	uint32_t admission = p->workloads[job].admission;

	return admission == JOB_NONE ? scenario_job_cluster_queue(p->s, job)
				     : p->j->admissions[admission].cluster_queue;
}

struct prometheus_labels prometheus_pass_of_queue(const struct prometheus_pass *p, uint32_t queue)
{
	struct prometheus_labels labels = {
		.subject = {{queue, SCENARIO_NONE, SCENARIO_NONE}},
		.hidden = false,
	};

	labels.of[LABEL_REPLICA_ROLE] = "standalone";
	labels.of[LABEL_CLUSTER_QUEUE] = queue_name(p, queue);
	return labels;
}

struct prometheus_labels prometheus_pass_of_job(const struct prometheus_pass *p, uint32_t job)
{
	const struct job *input = &p->s->jobs[job];
	struct prometheus_labels labels =
		prometheus_pass_of_queue(p, prometheus_pass_queue_of(p, job));

	labels.subject.of[METRIC_LOCAL_QUEUE] = input->common->local_queue;
	labels.of[LABEL_NAME] = prometheus_pass_text(p, input->common->queue);
	labels.of[LABEL_NAMESPACE] = prometheus_pass_text(p, input->common->ns);
	labels.of[LABEL_PRIORITY_CLASS] = prometheus_pass_text(p, input->common->priority_class);
	labels.hidden =
		input->common->local_queue != JOB_NONE && p->hidden[input->common->local_queue];
	return labels;
}

void prometheus_pass_set_cohort(const struct prometheus_pass *p, struct prometheus_labels *labels,
				uint32_t cohort)
{
	labels->of[LABEL_COHORT] = prometheus_pass_cohort(p, cohort);
	labels->subject.of[METRIC_COHORT] = cohort;
}

/* In units of dashboards: cpu in cores. */
double prometheus_pass_amount(uint32_t resource, int64_t amount)
{
	if (amount == RES_UNLIMITED)
		return HUGE_VAL;
	return res_is_milli(resource) ? (double)amount / 1000 : (double)amount;
}

/* Jobs that Kueue does not manage make no workload. */
bool prometheus_pass_manages(const struct prometheus_pass *p, uint32_t job)
{
	return (p->s->jobs[job].common->flags & JOB_UNMANAGED) == 0;
}

void prometheus_pass_release(struct prometheus_workload *w, simtime now)
{
	if (w->admitted != CLOCK_NEVER)
		w->past += clock_floor_second(now) - clock_floor_second(w->admitted);
	w->admission = JOB_NONE;
	w->admitted = w->reserved = w->ready = w->evicted = CLOCK_NEVER;
	w->was_ready = false;
	w->slice = CLOCK_NEVER;
}

static bool is_hidden(const struct prometheus_pass *p, uint32_t local_queue)
{
	const struct kueue_config *config = &p->s->config;
	const struct marks *marks =
		prometheus_custom_marks(p->custom, METRIC_LOCAL_QUEUE, local_queue);

	return !config->local_metrics ||
	       (config->local_metrics_of.present &&
		!label_selector_matches(p->s->strings, &marks->labels, &config->local_metrics_of));
}

static void find_hidden(struct prometheus_pass *p)
{
	p->hidden = mem_calloc(p->s->local_queue_count, sizeof(*p->hidden));
	for (uint32_t i = 0; i < p->s->local_queue_count; i++)
		p->hidden[i] = is_hidden(p, i);
}

void prometheus_pass_open(struct prometheus_pass *p, const struct journal *j)
{
	*p = (struct prometheus_pass){.s = j->scenario, .j = j, .account = j->account};
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
		prometheus_pass_release(&p->workloads[job], 0);
	}
	p->custom = prometheus_custom_new(p->s, p->j->end_time);
	find_fields(p);
	find_hidden(p);
}

void prometheus_pass_close(struct prometheus_pass *p)
{
	prometheus_custom_free(p->custom);
	prometheus_free(p->out);
	replay_free(p->replay);
	name_free(p->once);
	name_free(p->reasons);
	mem_free(p->workloads);
	mem_free(p->hidden);
}
