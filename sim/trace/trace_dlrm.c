/* trace_dlrm.c - Alibaba DLRM 2025 (CATALOG 2.7): instances of recommendation services.
 *
 * No creation: it was there before the trace began, and starts at 0. No deletion: it
 * stays. CPUs are cores, memory is GiB. So many instances of an application are on a node
 * at most (max_instance_per_node; -1: any number). RDMA and disks are not modelled.
 */
#include "sim/trace/trace_formats.h"

#define GIB ((int64_t)1 << 30)

static void take_limit(struct trace_csv_row *row)
{
	const struct csv_field *cell = &row->cells[TRACE_CSV_OTHER];
	int64_t most = -1;

	if (cell->len != 0 && !num_read_i64(cell->text, cell->len, &most) &&
	    !trace_read_count(cell->text, cell->len, &row->demand.most_per_node))
		row->skip = "bad_max_instance_per_node";
	else if (most > 0)
		row->demand.most_per_node = most < INT32_MAX ? (uint32_t)most : 0;
}

static void judge(struct trace_csv_row *row)
{
	take_limit(row);
	if (!row->has[TRACE_CSV_SUBMIT] && !row->has[TRACE_CSV_START])
		row->has[TRACE_CSV_SUBMIT] = row->has[TRACE_CSV_START] = true;
	if (!row->has[TRACE_CSV_END]) {
		row->has[TRACE_CSV_DURATION] = true;
		row->time[TRACE_CSV_DURATION] = JOB_ENDLESS;
	}
	row->demand.pods = 1;
	row->demand.gpus = row->gpus;
	row->demand.memory = res_mul(row->demand.memory, GIB) / 1000;
	row->of_pods = true;
}

static const struct trace_csv_column columns[] = {
	{{"instance_sn"}, TRACE_CSV_NAME, true},
	{{"role"}, TRACE_CSV_STATE, true},
	{{"app_name"}, TRACE_CSV_TEAM, true},
	{{"cpu_request"}, TRACE_CSV_CPU, true},
	{{"gpu_request"}, TRACE_CSV_GPUS, true},
	{{"memory_request"}, TRACE_CSV_MEMORY, true},
	{{"max_instance_per_node"}, TRACE_CSV_OTHER, false},
	{{"creation_time"}, TRACE_CSV_SUBMIT, true},
	{{"scheduled_time"}, TRACE_CSV_START, true},
	{{"deletion_time"}, TRACE_CSV_END, true},
};

const struct trace_csv_format trace_dlrm_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.keeps_zero = true,
	.judge = judge,
	.not_modelled = "RDMA, disks",
};
