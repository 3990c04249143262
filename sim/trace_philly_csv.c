/* trace_philly_csv.c - Philly's jobs as the Pollux artefact extracted them:
 * timestamp,duration,num_gpus,gpu_time,cluster (CATALOG 2.2).
 *
 * No ids: the row number is the name, and equal rows are different jobs. Times
 * are naive local times; durations are floats that are whole. The file is not
 * sorted.
 */
#include "sim/csv.h"
#include "sim/trace_formats.h"
#include "sim/trace_list.h"
#include "sim/trace_pods.h"

enum column {
	COLUMN_TIMESTAMP,
	COLUMN_DURATION,
	COLUMN_GPUS,
	COLUMN_GPU_TIME,
	COLUMN_CLUSTER,
	COLUMNS,
};

static const struct csv_column columns[COLUMNS] = {
	[COLUMN_TIMESTAMP] = {{"timestamp"}, true}, [COLUMN_DURATION] = {{"duration"}, true},
	[COLUMN_GPUS] = {{"num_gpus"}, true},	    [COLUMN_GPU_TIME] = {{"gpu_time"}, false},
	[COLUMN_CLUSTER] = {{"cluster"}, false},
};

struct loader {
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_list list;
	struct csv csv;
	uint32_t index[COLUMNS];
};

bool trace_philly_csv_probe(const char *head, size_t size)
{
	uint32_t index[COLUMNS];
	struct err ignored;
	struct csv csv;
	bool found;

	csv_init(&csv, NULL, head, size);
	found = csv_header(&csv, columns, COLUMNS, index, &ignored) == ERR_OK;
	csv_free(&csv);
	return found;
}

static enum err_code wrong(struct loader *l, enum column column, const char *right, struct err *err)
{
	struct csv_field field = csv_get(&l->csv, l->index[column]);

	return csv_error(&l->csv, &field, 0, ERR_VALUE, err, "%s \"%.*s\" is not %s",
			 columns[column].names[0], csv_shown(field.len), field.text, right);
}

/* Why a row cannot be a job; NULL if it can. An empty field is a missing one. */
static const char *skip_reason(struct loader *l, const struct trace_row *row)
{
	if (csv_get(&l->csv, l->index[COLUMN_TIMESTAMP]).len == 0)
		return "no_submit_time";
	if (csv_get(&l->csv, l->index[COLUMN_DURATION]).len == 0)
		return "no_duration";
	if (row->gpus == 0)
		return "zero_gpus";
	if (row->duration == 0)
		return "zero_duration";
	return NULL;
}

static void check_gpu_time(struct loader *l, const struct trace_row *row)
{
	struct csv_field field = csv_get(&l->csv, l->index[COLUMN_GPU_TIME]);
	simtime gpu_time;

	if (l->index[COLUMN_GPU_TIME] == CSV_NONE)
		return;
	l->summary->has_gpu_time = true;
	if (!clock_read_seconds(field.text, field.len, &gpu_time) ||
	    gpu_time != res_mul(row->duration, row->gpus))
		l->summary->gpu_time_mismatches++;
}

static enum err_code read_row(struct loader *l, struct err *err)
{
	struct csv_field time = csv_get(&l->csv, l->index[COLUMN_TIMESTAMP]);
	struct csv_field duration = csv_get(&l->csv, l->index[COLUMN_DURATION]);
	struct csv_field gpus = csv_get(&l->csv, l->index[COLUMN_GPUS]);
	struct csv_field vc = csv_get(&l->csv, l->index[COLUMN_CLUSTER]);
	struct trace_row row = {.name = NAME_NONE,
				.vc = NAME_NONE,
				.row = (uint32_t)l->summary->rows,
				.line = l->csv.line};
	const char *reason;

	if (time.len > 0 && !trace_read_clock(time.text, time.len, &row.submit))
		return wrong(l, COLUMN_TIMESTAMP, "a time such as 2017-10-09 07:01:55", err);
	if (duration.len > 0 && !clock_read_seconds(duration.text, duration.len, &row.duration))
		return wrong(l, COLUMN_DURATION, "a number of seconds from 0 on", err);
	if (gpus.len > 0 && !trace_read_count(gpus.text, gpus.len, &row.gpus))
		return wrong(l, COLUMN_GPUS, "a number of GPUs", err);
	if (row.gpus > TRACE_PODS_GPUS_MAX)
		return wrong(l, COLUMN_GPUS, "at most 1000000", err);
	l->summary->rows++;
	reason = skip_reason(l, &row);
	if (reason != NULL) {
		trace_skip(l->summary, reason);
		return ERR_OK;
	}
	if (vc.len > 0)
		row.vc = builder_string(l->builder, vc.text, vc.len);
	check_gpu_time(l, &row);
	trace_list_add(&l->list, &row);
	return ERR_OK;
}

static enum err_code read_all(struct loader *l, struct err *err)
{
	enum err_code code = csv_header(&l->csv, columns, COLUMNS, l->index, err);
	bool more = true;

	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code == ERR_OK && more)
			code = read_row(l, err);
	}
	return code;
}

enum err_code trace_philly_csv_load(const struct source *source,
				    const struct trace_options *options, struct builder *builder,
				    struct trace_summary *summary, struct err *err)
{
	struct loader l = {.builder = builder, .summary = summary};
	enum err_code code;

	csv_init(&l.csv, source->name, source->data, source->size);
	code = read_all(&l, err);
	if (code == ERR_OK)
		trace_list_build(&l.list, source->name, options, builder, summary);
	trace_list_free(&l.list);
	csv_free(&l.csv);
	return code;
}
