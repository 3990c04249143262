/* trace_spot.c - Alibaba spot 2026, job_info_df.csv (CATALOG 2.7): gangs of worker_num pods,
 * high-priority or spot.
 */
#include "sim/trace/trace_formats.h"

#include <string.h>

#define HIGH_PRIORITY 1000

static void judge(struct trace_csv_row *row)
{
	struct csv_field *class = &row->cells[TRACE_CSV_CLASS];
	bool high = csv_is(class, "HP");
	uint64_t gpus = (uint64_t)row->gpus * row->demand.pods;

	if (!high && !csv_is(class, "Spot")) {
		row->skip = "unknown_job_type";
		return;
	}
	if (row->demand.pods == 0) {
		row->skip = "no_workers";
		return;
	}
	trace_state(row->summary, class->text, class->len);
	class->text = high ? "hp" : "spot";
	class->len = strlen(class->text);
	row->priority = high ? HIGH_PRIORITY : 0;
	row->demand.gpus = row->gpus;
	row->gpus = gpus > UINT32_MAX ? UINT32_MAX : (uint32_t)gpus;
	row->of_pods = true;
}

static const struct trace_csv_column columns[] = {
	{{"job_name"}, TRACE_CSV_NAME, true},	   {{"organization"}, TRACE_CSV_TEAM, true},
	{{"gpu_model"}, TRACE_CSV_MODEL, true},	   {{"cpu_request"}, TRACE_CSV_CPU, false},
	{{"gpu_request"}, TRACE_CSV_GPUS, true},   {{"worker_num"}, TRACE_CSV_PODS, true},
	{{"submit_time"}, TRACE_CSV_SUBMIT, true}, {{"duration"}, TRACE_CSV_DURATION, true},
	{{"job_type"}, TRACE_CSV_CLASS, true},
};

const struct trace_csv_format trace_spot_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.without_gpus = "cpu_only",
	.judge = judge,
	.note = "HP jobs have the priority class hp, Spot jobs spot, which hp preempts",
};
