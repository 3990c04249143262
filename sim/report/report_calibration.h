/* report_calibration.h - how near a replay came to what the cluster recorded. */
#ifndef SIM_REPORT_CALIBRATION_H
#define SIM_REPORT_CALIBRATION_H

#include "sim/report/report.h"
#include "sim/tool/jsonw.h"

/* A table for each column under an admission policy, and how far to trust the rest;
 * nothing where the input has no records. */
void report_calibration_write(FILE *out, const struct report *report);
/* "calibration", of one column; nothing without records. */
void report_calibration_json(struct jsonw *json, const struct report_column *column);

#endif
