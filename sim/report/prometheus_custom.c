#include "sim/report/prometheus_custom.h"

#include <string.h>

#include "core/mem.h"

#define UNTRACKED "kueue.x-k8s.io/_UNTRACKED_VALUE_"

_Static_assert(PROMETHEUS_LABELS >= PROMETHEUS_OWN + METRIC_LABELS_MAX,
	       "a family has room for all labels of its source");

struct prometheus_custom {
	const struct scenario *s;
	const struct marks **marks[METRIC_SOURCES]; /* per object, as it is at the end */
};

static const struct marks *cluster_queue_marks(const struct scenario *s, uint32_t i)
{
	return &s->cluster_queues[i].marks;
}

static const struct marks *local_queue_marks(const struct scenario *s, uint32_t i)
{
	return &s->local_queues[i].marks;
}

static const struct marks *cohort_marks(const struct scenario *s, uint32_t i)
{
	return &s->cohorts[i].marks;
}

static const struct source {
	enum update_kind kind;
	const struct marks *(*marks)(const struct scenario *s, uint32_t i);
} sources[METRIC_SOURCES] = {
	[METRIC_CLUSTER_QUEUE] = {UPDATE_CLUSTER_QUEUE, cluster_queue_marks},
	[METRIC_LOCAL_QUEUE] = {UPDATE_LOCAL_QUEUE, local_queue_marks},
	[METRIC_COHORT] = {UPDATE_COHORT, cohort_marks},
};

static uint32_t count_of(const struct scenario *s, uint32_t source)
{
	if (source == METRIC_CLUSTER_QUEUE)
		return s->cluster_queue_count;
	return source == METRIC_LOCAL_QUEUE ? s->local_queue_count : s->cohort_count;
}

struct prometheus_custom *prometheus_custom_new(const struct scenario *s, simtime end)
{
	struct prometheus_custom *custom = mem_calloc(1, sizeof(*custom));

	custom->s = s;
	for (uint32_t k = 0; k < METRIC_SOURCES; k++) {
		uint32_t count = count_of(s, k);

		custom->marks[k] = mem_calloc(count, sizeof(*custom->marks[k]));
		for (uint32_t i = 0; i < count; i++)
			custom->marks[k][i] = sources[k].marks(s, i);
		for (uint32_t u = 0; u < s->update_count; u++) {
			const struct update *update = &s->updates[u];

			if (update->kind == sources[k].kind && update->at <= end)
				custom->marks[k][update->object] =
					sources[k].marks(s, update->version);
		}
	}
	return custom;
}

void prometheus_custom_free(struct prometheus_custom *custom)
{
	if (custom == NULL)
		return;
	for (uint32_t k = 0; k < METRIC_SOURCES; k++)
		mem_free(custom->marks[k]);
	mem_free(custom);
}

/* What its families are about, as InitMetricVectors of pkg/metrics/metrics.go has it.
 * kueue_cohort_subtree_admitted_active_workloads is declared there with ClusterQueues' labels and
 * reported with a Cohort's: it is taken to be meant as the others. */
static enum metric_source source_of(const char *family)
{
	if (strncmp(family, "kueue_local_queue_", 18) == 0)
		return METRIC_LOCAL_QUEUE;
	return strncmp(family, "kueue_cohort_", 13) == 0 ? METRIC_COHORT : METRIC_CLUSTER_QUEUE;
}

static void insert(struct prometheus_family *family, const char *label)
{
	uint32_t at = 0;

	while (at < PROMETHEUS_LABELS && family->labels[at] != NULL)
		at++;
	if (at == PROMETHEUS_LABELS)
		return;
	for (; at > 0 && strcmp(family->labels[at - 1], label) > 0; at--)
		family->labels[at] = family->labels[at - 1];
	family->labels[at] = label;
}

void prometheus_custom_extend(const struct prometheus_custom *custom,
			      struct prometheus_family *family)
{
	const struct kueue_config *config = &custom->s->config;

	if (strcmp(family->name, "kueue_admission_attempts_total") == 0)
		return; /* of all queues */
	for (uint32_t i = 0; i < config->metric_label_count; i++) {
		if (config->metric_labels[i].source == source_of(family->name))
			insert(family, scenario_string(custom->s, config->metric_labels[i].name));
	}
}

uint32_t prometheus_custom_find(const struct prometheus_custom *custom, const char *label)
{
	const struct kueue_config *config = &custom->s->config;
	uint32_t i = 0;

	while (i < config->metric_label_count &&
	       strcmp(scenario_string(custom->s, config->metric_labels[i].name), label) != 0)
		i++;
	return i;
}

const struct marks *prometheus_custom_marks(const struct prometheus_custom *custom,
					    enum metric_source source, uint32_t index)
{
	return custom->marks[source][index];
}

const char *prometheus_custom_value(const struct prometheus_custom *custom, uint32_t label,
				    const struct prometheus_subject *subject)
{
	const struct metric_label *spec = &custom->s->config.metric_labels[label];
	uint32_t index = subject->of[spec->source], value;
	const struct marks *marks;

	if (index == SCENARIO_NONE)
		return "";
	marks = prometheus_custom_marks(custom, spec->source, index);
	value = label_value(spec->annotation ? &marks->annotations : &marks->labels, spec->key);
	for (uint32_t i = 0; i < spec->tracked_count; i++) {
		if (spec->tracked[i] == value)
			return scenario_string(custom->s, value);
	}
	if (spec->tracked_count != 0)
		return UNTRACKED;
	return value == NAME_NONE ? "" : scenario_string(custom->s, value);
}
