/* trace_helios.c - SenseTime Helios cluster_log.csv (CATALOG 2.3). Naive local times; gpu_num is
 * of the whole job on node_num nodes. The CPUs of its jobs are not modelled.
 */
#include "sim/trace/trace_formats.h"

/* The one such row (in Uranus) has no end that means anything. */
static void judge(struct trace_csv_row *row)
{
	if (csv_is(&row->cells[TRACE_CSV_STATE], "SUSPENDED"))
		row->skip = "suspended";
}

static const struct trace_csv_column columns[] = {
	{{"job_id"}, TRACE_CSV_NAME, true},	 {{"vc"}, TRACE_CSV_TEAM, true},
	{{"gpu_num"}, TRACE_CSV_GPUS, true},	 {{"node_num"}, TRACE_CSV_PODS, true},
	{{"state"}, TRACE_CSV_STATE, true},	 {{"submit_time"}, TRACE_CSV_SUBMIT, true},
	{{"start_time"}, TRACE_CSV_START, true}, {{"end_time"}, TRACE_CSV_END, true},
};

const struct trace_csv_format trace_helios_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.clock = TRACE_CSV_DATES,
	.without_gpus = "cpu_only",
	.judge = judge,
	.not_modelled = "the CPUs that jobs ask for",
};
