/* trace_openb.c - Alibaba openb 2023, the lists of pods (CATALOG 2.6): seconds, pods that share
 * GPUs, and models they are bound to.
 *
 * A pod that was never scheduled works as long as it lived: it asked for room. Without
 * times (the multigpu lists) all pods come at once and stay.
 */
#include "sim/trace/trace_formats.h"

#define MIB   ((int64_t)1 << 20)
#define WHOLE 1000 /* thousandths */

static void find_times(struct trace_csv_row *row)
{
	if (!row->has[TRACE_CSV_SUBMIT] && !row->has[TRACE_CSV_END]) {
		row->has[TRACE_CSV_SUBMIT] = row->has[TRACE_CSV_DURATION] = true;
		row->time[TRACE_CSV_DURATION] = JOB_ENDLESS;
	} else if (row->has[TRACE_CSV_SUBMIT] && row->has[TRACE_CSV_END] &&
		   !row->has[TRACE_CSV_START]) {
		if (row->time[TRACE_CSV_END] < row->time[TRACE_CSV_SUBMIT])
			row->skip = "negative_duration";
		row->has[TRACE_CSV_DURATION] = true;
		row->time[TRACE_CSV_DURATION] =
			row->time[TRACE_CSV_END] - row->time[TRACE_CSV_SUBMIT];
		row->summary->never_scheduled++;
	}
}

static void judge(struct trace_csv_row *row)
{
	bool part = row->gpus == 1 && row->demand.gpu_milli < WHOLE;

	if (row->demand.gpu_milli > WHOLE || (row->gpus > 0 && row->demand.gpu_milli == 0) ||
	    (row->gpus > 1 && row->demand.gpu_milli != WHOLE)) {
		row->skip = "bad_gpus";
		return;
	}
	row->demand.pods = 1;
	row->demand.gpus = part ? 0 : row->gpus;
	row->demand.gpu_milli *= row->gpus;
	row->demand.cpu_milli /= WHOLE; /* the column is in thousandths already */
	row->demand.memory = res_mul(row->demand.memory, MIB) / WHOLE;
	row->of_pods = true;
	find_times(row);
}

static const struct trace_csv_column columns[] = {
	{{"name"}, TRACE_CSV_NAME, true},
	{{"cpu_milli"}, TRACE_CSV_CPU, true},
	{{"memory_mib"}, TRACE_CSV_MEMORY, true},
	{{"num_gpu"}, TRACE_CSV_GPUS, true},
	{{"gpu_milli"}, TRACE_CSV_GPU_MILLI, true},
	{{"gpu_spec"}, TRACE_CSV_MODEL, false},
	{{"qos"}, TRACE_CSV_TEAM, false},
	{{"pod_phase"}, TRACE_CSV_STATE, false},
	{{"creation_time"}, TRACE_CSV_SUBMIT, false},
	{{"scheduled_time"}, TRACE_CSV_START, false},
	{{"deletion_time"}, TRACE_CSV_END, false},
};

const struct trace_csv_format trace_openb_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.keeps_zero = true,
	.shares_gpus = true,
	.judge = judge,
	.not_modelled = TRACE_SHARES_NOT_MODELLED,
};
