/* trace_philly_csv.c - Philly's jobs as the Pollux artefact extracted them:
 * timestamp,duration,num_gpus,gpu_time,cluster (CATALOG 2.2).
 *
 * No ids: the row number is the name, and equal rows are different jobs. Times
 * are naive local times; durations are floats that are whole. The file is not
 * sorted.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"timestamp"}, TRACE_CSV_SUBMIT, true}, {{"duration"}, TRACE_CSV_DURATION, true},
	{{"num_gpus"}, TRACE_CSV_GPUS, true},	 {{"gpu_time"}, TRACE_CSV_GPU_TIME, false},
	{{"cluster"}, TRACE_CSV_TEAM, false},
};

const struct trace_csv_format trace_philly_csv_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.clock = TRACE_CSV_DATES,
	.without_gpus = "zero_gpus",
};
