/* prometheus.h - metric families and their series, in Prometheus' text format
 * (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
 *
 * A table of families says what there is; values are added under label values, and
 * written family by family, series by their labels. Nothing here knows of Kueue.
 */
#ifndef SIM_PROMETHEUS_H
#define SIM_PROMETHEUS_H

#include <stdint.h>
#include <stdio.h>

#include "core/clock.h"

enum prometheus_type { PROMETHEUS_COUNTER, PROMETHEUS_GAUGE, PROMETHEUS_HISTOGRAM };

#define PROMETHEUS_OWN	  6		       /* labels of a family, at most */
#define PROMETHEUS_LABELS (PROMETHEUS_OWN + 6) /* and those that a Configuration may add */
struct prometheus_family {
	const char *name, *help;
	const char *labels[PROMETHEUS_LABELS]; /* by name; NULL ends them */
	enum prometheus_type type;
	uint32_t buckets; /* of a histogram: upper bounds 1 s, 2.5 s, 5 s, 10 s, ... */
};

struct prometheus; /* owned by the caller: prometheus_new/prometheus_free */

/* The table must outlive it. */
struct prometheus *prometheus_new(const struct prometheus_family *families, uint32_t count);
void prometheus_free(struct prometheus *prometheus);

/* values: one for each label of the family. */
void prometheus_set(struct prometheus *prometheus, uint32_t family, const char *const *values,
		    double value);
void prometheus_add(struct prometheus *prometheus, uint32_t family, const char *const *values,
		    double value);
void prometheus_observe(struct prometheus *prometheus, uint32_t family, const char *const *values,
			simtime time);

/* Families without series are left out, as the client libraries do. */
void prometheus_write(FILE *out, const struct prometheus *prometheus);

/* The upper bound of a bucket, in microseconds. */
simtime prometheus_bound(uint32_t bucket);

#endif
