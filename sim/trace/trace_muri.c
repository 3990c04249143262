/* trace_muri.c - inputs of the Muri simulator (CATALOG 2.10): Tiresias' columns and more, with
 * times in milliseconds.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},	      {{"num_gpu"}, TRACE_CSV_GPUS, true},
	{{"submit_time"}, TRACE_CSV_SUBMIT, true},    {{"iterations"}, TRACE_CSV_OTHER, true},
	{{"model_name"}, TRACE_CSV_OTHER, true},      {{"duration"}, TRACE_CSV_DURATION, true},
	{{"resource_time_0"}, TRACE_CSV_OTHER, true},
};

const struct trace_csv_format trace_muri_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.unit = CLOCK_SECOND / 1000,
	.without_gpus = "zero_gpus",
};
