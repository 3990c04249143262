/* trace_tres.h - Slurm's lists of trackable resources: "billing=8,gres/gpu=2,mem=64G". */
#ifndef SIM_TRACE_TRES_H
#define SIM_TRACE_TRES_H

#include "sim/tool/csv.h"

/* The entry at *at, and moves *at behind it. False at the end. What has no "=" is a key
 * without a value. */
bool trace_tres_next(const struct csv_field *list, size_t *at, struct csv_field *key,
		     struct csv_field *value);

#endif
