/* trace_elasticflow.c - ElasticFlow's philly_103959 and the like (CATALOG 2.10): seconds. real_duration
 * is what a job took; duration is scaled to the simulator's hardware.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},	   {{"num_gpu"}, TRACE_CSV_GPUS, true},
	{{"submit_time"}, TRACE_CSV_SUBMIT, true}, {{"real_duration"}, TRACE_CSV_DURATION, true},
	{{"model_name"}, TRACE_CSV_OTHER, true},
};

const struct trace_csv_format trace_elasticflow_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.without_gpus = "zero_gpus",
};
