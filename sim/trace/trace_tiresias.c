/* trace_tiresias.c - inputs of the Tiresias simulator and of what goes back to it, such as
 * Chronus (CATALOG 2.10): seconds.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},	   {{"num_gpu"}, TRACE_CSV_GPUS, true},
	{{"submit_time"}, TRACE_CSV_SUBMIT, true}, {{"iterations"}, TRACE_CSV_OTHER, true},
	{{"model_name"}, TRACE_CSV_OTHER, true},   {{"duration"}, TRACE_CSV_DURATION, true},
	{{"interval"}, TRACE_CSV_OTHER, true},	   {{"user"}, TRACE_CSV_TEAM, false},
};

const struct trace_csv_format trace_tiresias_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.without_gpus = "zero_gpus",
};
