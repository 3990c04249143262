/* trace_acme.c - Shanghai AI Lab Acme, both clusters: Seren and Kalos (CATALOG 2.4).
 *
 * Times carry an offset and become UTC. The duration column is not read: in Kalos
 * it is end - submit, in Seren end - start. The CPUs of jobs are not modelled.
 */
#include "sim/trace/trace_formats.h"

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},	   {{"user"}, TRACE_CSV_TEAM, true},
	{{"gpu_num"}, TRACE_CSV_GPUS, true},	   {{"node_num"}, TRACE_CSV_PODS, true},
	{{"type"}, TRACE_CSV_OTHER, true},	   {{"state"}, TRACE_CSV_STATE, true},
	{{"submit_time"}, TRACE_CSV_SUBMIT, true}, {{"start_time"}, TRACE_CSV_START, true},
	{{"end_time"}, TRACE_CSV_END, true},
};

const struct trace_csv_format trace_acme_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.clock = TRACE_CSV_DATES,
	.without_gpus = "cpu_only",
	.not_modelled = "the CPUs that jobs ask for",
};
