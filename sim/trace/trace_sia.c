/* trace_sia.c - workloads of Pollux and Sia (CATALOG 2.10): name,time,application,num_replicas,
 * batch_size. How long a job works is in their models of applications, not here.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"name"}, TRACE_CSV_NAME, true},	  {{"time"}, TRACE_CSV_SUBMIT, true},
	{{"application"}, TRACE_CSV_OTHER, true}, {{"num_replicas"}, TRACE_CSV_GPUS, true},
	{{"batch_size"}, TRACE_CSV_OTHER, true},
};

const struct trace_csv_format trace_sia_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.no_duration = true,
	.without_gpus = "zero_gpus",
	.note = "the trace tells no durations: an hour is assumed for each job",
};
