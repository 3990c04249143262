/* trace_sacct.c - `sacct --parsable2` (CATALOG 2.12): a header, fields between bars, local
 * times. The team is the account, else the partition, else the user. Rows of job steps
 * are left out: the job's own row has all of it.
 *
 *   sacct --allusers --parsable2 --format JobID,Account,State,Submit,Start,End,NNodes,ReqTRES
 */
#include <string.h>

#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_tres.h"

/* "billing=8,gres/gpu=2,gres/gpu:a100=2": the plain one, else the sum of the typed. */
static bool read_gpus(const struct csv_field *list, uint32_t *out)
{
	struct csv_field key, value;
	uint64_t typed = 0;
	uint32_t count;
	size_t at = 0;

	while (trace_tres_next(list, &at, &key, &value)) {
		bool plain = csv_is(&key, "gres/gpu");

		if (!plain && (key.len < 9 || memcmp(key.text, "gres/gpu:", 9) != 0))
			continue;
		if (!trace_read_count(value.text, value.len, &count))
			return false;
		if (plain) {
			*out = count;
			return true;
		}
		typed += count;
	}
	*out = typed > UINT32_MAX ? UINT32_MAX : (uint32_t)typed;
	return true;
}

static void judge(struct trace_csv_row *row)
{
	const struct csv_field *id = &row->cells[TRACE_CSV_NAME];

	if (id->len > 0 && memchr(id->text, '.', id->len) != NULL)
		row->skip = "job_step";
	else if (!read_gpus(&row->cells[TRACE_CSV_EXTRA], &row->gpus))
		row->skip = "bad_gpus";
}

static const struct trace_csv_column columns[] = {
	{{"JobID"}, TRACE_CSV_NAME, true},
	{{"Account", "Partition", "User"}, TRACE_CSV_TEAM, false},
	{{"State"}, TRACE_CSV_STATE, true},
	{{"Submit"}, TRACE_CSV_SUBMIT, true},
	{{"Start"}, TRACE_CSV_START, true},
	{{"End"}, TRACE_CSV_END, true},
	{{"NNodes", "AllocNodes"}, TRACE_CSV_PODS, false},
	{{"ReqTRES", "AllocTRES"}, TRACE_CSV_EXTRA, true},
};

const struct trace_csv_format trace_sacct_format = {
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.clock = TRACE_CSV_DATES,
	.separator = '|',
	.no_quotes = true,
	.without_gpus = "cpu_only",
	.not_modelled = "the CPUs and memory that jobs ask for",
	.judge = judge,
};
