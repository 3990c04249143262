/* objects_metrics.h - metrics.customLabels of Kueue's Configuration, as its validation has it
 * (validateCustomLabels in pkg/config/validation.go). */
#ifndef SIM_OBJECTS_METRICS_H
#define SIM_OBJECTS_METRICS_H

#include "sim/load/fields.h"

/* out: a struct kueue_config. ERR_VALUE and the like for what Kueue would not start with; labels
 * of workloads are told as not modelled, and left out. */
enum err_code objects_metrics_labels(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out);

#endif
