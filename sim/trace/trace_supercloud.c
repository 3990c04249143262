/* trace_supercloud.c - Slurm's accounting as MIT SuperCloud publishes it in CSV (CATALOG
 * 2.12): seconds since 1970, resources as "1=20,4=1,1002=2" with 1001 and 1002 for GPUs.
 *
 * Demand is what was requested: nodes given whole have more. Ids were written as floats
 * and collide, so the row is the name.
 */
#include <string.h>

#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_tres.h"

/* The sum of the GPU entries. */
static bool read_gpus(const struct csv_field *list, uint32_t *out)
{
	struct csv_field key, value;
	uint64_t sum = 0;
	uint32_t count;
	size_t at = 0;

	while (trace_tres_next(list, &at, &key, &value)) {
		if (!csv_is(&key, "1001") && !csv_is(&key, "1002"))
			continue;
		if (!trace_read_count(value.text, value.len, &count))
			return false;
		sum += count;
	}
	*out = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
	return true;
}

/* Slurm's numbers of states in words. */
static void count_state(struct trace_csv_row *row)
{
	static const char *const names[] = {
		"PENDING", "RUNNING",	"SUSPENDED", "COMPLETED", "CANCELLED", "FAILED",
		"TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY",
	};
	const struct csv_field *state = &row->cells[TRACE_CSV_OTHER];
	uint32_t code;

	if (trace_read_count(state->text, state->len, &code) &&
	    code < sizeof(names) / sizeof(names[0]))
		row->burned = trace_state(row->summary, names[code], strlen(names[code]));
	else
		row->burned = trace_state(row->summary, state->text, state->len);
}

static void judge(struct trace_csv_row *row)
{
	count_state(row);
	if (!read_gpus(&row->cells[TRACE_CSV_EXTRA], &row->gpus))
		row->skip = "bad_gpus";
}

static const struct trace_csv_column columns[] = {
	{{"id_user"}, TRACE_CSV_TEAM, false},	   {{"state"}, TRACE_CSV_OTHER, true},
	{{"time_submit"}, TRACE_CSV_SUBMIT, true}, {{"time_start"}, TRACE_CSV_START, true},
	{{"time_end"}, TRACE_CSV_END, true},	   {{"nodes_alloc"}, TRACE_CSV_PODS, false},
	{{"tres_req"}, TRACE_CSV_EXTRA, true},
};

const struct trace_csv_format trace_supercloud_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.clock = TRACE_CSV_EPOCH,
	.without_gpus = "cpu_only",
	.not_modelled = "the CPUs and memory that jobs ask for",
	.note = "the publisher left rows out: waits are those of what is left",
	.judge = judge,
};
