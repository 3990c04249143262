/* prometheus_custom.h - labels that the Configuration adds to Kueue's metrics
 * (metrics.customLabels; pkg/metrics/custom_labels.go): custom_NAME with the value of a label or
 * an annotation of the object that a series is about.
 *
 * Not followed: series under the value that an object had before its labels changed (all have the
 * last one), and labels of workloads, of which the input is told.
 */
#ifndef SIM_PROMETHEUS_CUSTOM_H
#define SIM_PROMETHEUS_CUSTOM_H

#include "sim/report/prometheus.h"
#include "sim/scenario/scenario.h"

struct prometheus_custom; /* owned by the caller: prometheus_custom_new/_free */

/* The objects as they are at the end; the scenario must outlive it. */
struct prometheus_custom *prometheus_custom_new(const struct scenario *scenario, simtime end);
void prometheus_custom_free(struct prometheus_custom *custom);

/* Adds to the family's labels, in the order of their names, what its name says that it is about. */
void prometheus_custom_extend(const struct prometheus_custom *custom,
			      struct prometheus_family *family);
/* Which label of the Configuration this is, an index of metric_labels; their count: none. */
uint32_t prometheus_custom_find(const struct prometheus_custom *custom, const char *label);

/* Labels and annotations of a ClusterQueue, LocalQueue or Cohort as it is at the end. */
const struct marks *prometheus_custom_marks(const struct prometheus_custom *custom,
					    enum metric_source source, uint32_t index);

/* Indices of the scenario's; SCENARIO_NONE: the series is about none. */
struct prometheus_subject {
	uint32_t of[METRIC_SOURCES];
};
const char *prometheus_custom_value(const struct prometheus_custom *custom, uint32_t label,
				    const struct prometheus_subject *subject);

#endif
