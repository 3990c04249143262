/* trace_itp.c - Microsoft's internal training platform, 2021 (CATALOG 2.8): a file a cluster,
 * seconds, no tenants, no jobs under ten minutes.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},
	{{"submission_time"}, TRACE_CSV_SUBMIT, true},
	{{"duration"}, TRACE_CSV_DURATION, true},
	{{"num_gpu"}, TRACE_CSV_GPUS, true},
};

const struct trace_csv_format trace_itp_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.without_gpus = "zero_gpus",
};
