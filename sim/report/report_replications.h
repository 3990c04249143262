/* report_replications.h - means over replications with their intervals, for the outputs of
 * compare. Nothing is written where there are none. */
#ifndef SIM_REPORT_REPLICATED_H
#define SIM_REPORT_REPLICATED_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/report/replicated.h"
#include "sim/tool/jsonw.h"

void report_replications_text(FILE *out, const struct replicated *replications, bool colour);
void report_replications_json(struct jsonw *json, const struct replicated *replications);
/* Rows "mean:FIGURE", "low:FIGURE", "high:FIGURE", and "difference:...": as -o csv has them. */
void report_replications_csv(FILE *out, const struct replicated *replications);

#endif
