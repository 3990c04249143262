#include "sim/trace/trace_csv.h"

#include <string.h>

struct loader {
	const struct trace_csv_format *format;
	const struct trace_options *options;
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_pods *pods;
	struct trace_models *models;
	struct trace_list list;
	struct csv csv;
	uint32_t index[TRACE_CSV_FIELDS]; /* field of a row, by column of the format */
	uint32_t one_team;		  /* string: of a trace that names none */
};

static const char *bad_reason(enum trace_csv_field field)
{
	static const char *const reasons[TRACE_CSV_COUNTS] = {
		[TRACE_CSV_SUBMIT] = "bad_submit_time", [TRACE_CSV_START] = "bad_start_time",
		[TRACE_CSV_END] = "bad_end_time",	[TRACE_CSV_DURATION] = "bad_duration",
		[TRACE_CSV_GPUS] = "bad_gpus",		[TRACE_CSV_PODS] = "bad_nodes",
		[TRACE_CSV_GPU_MILLI] = "bad_gpus",	[TRACE_CSV_CPU] = "bad_cpu",
		[TRACE_CSV_MEMORY] = "bad_memory",
	};

	return reasons[field];
}

static void start_csv(struct csv *csv, const struct trace_csv_format *format,
		      const struct source *source)
{
	csv_open(csv, source, format->separator != 0 ? format->separator : ',', !format->no_quotes);
}

static enum err_code read_header(struct csv *csv, const struct trace_csv_format *format,
				 uint32_t *index, struct err *err)
{
	struct csv_column columns[TRACE_CSV_FIELDS];

	for (uint32_t i = 0; i < format->column_count; i++) {
		memcpy(columns[i].names, format->columns[i].names, sizeof(columns[i].names));
		columns[i].required = format->columns[i].required;
	}
	return csv_header(csv, columns, format->column_count, index, err);
}

bool trace_csv_probe(const struct trace_csv_format *format, const char *head, size_t size)
{
	const struct source source = {.data = head, .size = size};
	uint32_t index[TRACE_CSV_FIELDS];
	struct err ignored;
	struct csv csv;
	bool found;

	start_csv(&csv, format, &source);
	found = read_header(&csv, format, index, &ignored) == ERR_OK;
	csv_free(&csv);
	return found;
}

/* How published traces write that there is nothing. */
static bool is_missing(const struct csv_field *cell)
{
	static const char *const words[] = {"None", "NULL", "null", "nan",     "NaN",
					    "NaT",  "\\N",  "N/A",  "Unknown", "-"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (csv_is(cell, words[i]))
			return true;
	return cell->len == 0;
}

/* Thousands of seconds and the like become seconds. */
static bool read_number(const struct trace_csv_format *format, const struct csv_field *cell,
			simtime *out)
{
	if (!clock_read_seconds(cell->text, cell->len, out))
		return false;
	if (format->unit != 0 && format->unit != CLOCK_SECOND)
		*out /= CLOCK_SECOND / format->unit;
	return true;
}

static bool read_time(const struct trace_csv_format *format, enum trace_csv_field field,
		      const struct csv_field *cell, simtime *out)
{
	if (format->clock == TRACE_CSV_DATES && field != TRACE_CSV_DURATION &&
	    field != TRACE_CSV_GPU_TIME)
		return trace_read_instant(cell->text, cell->len, out);
	return read_number(format, cell, out);
}

static bool read_count(struct trace_csv_row *row, enum trace_csv_field field,
		       const struct csv_field *cell)
{
	uint32_t count;

	if (field == TRACE_CSV_CPU)
		return num_read_quantity(cell->text, cell->len, true, &row->demand.cpu_milli) ==
		       NUM_OK;
	if (field == TRACE_CSV_MEMORY)
		return num_read_quantity(cell->text, cell->len, true, &row->demand.memory) ==
		       NUM_OK;
	if (!trace_read_count(cell->text, cell->len, &count))
		return false;
	if (field == TRACE_CSV_GPUS)
		row->gpus = count;
	else if (field == TRACE_CSV_PODS)
		row->demand.pods = count;
	else
		row->demand.gpu_milli = count;
	return true;
}

static void read_cell(struct loader *l, struct trace_csv_row *row, enum trace_csv_field field,
		      const struct csv_field *cell)
{
	bool good = true;

	if (is_missing(cell) ||
	    (l->format->clock == TRACE_CSV_EPOCH && field <= TRACE_CSV_END && csv_is(cell, "0")))
		return;
	row->cells[field] = *cell;
	if (field < TRACE_CSV_TIMES) {
		good = read_time(l->format, field, cell, &row->time[field]);
		row->has[field] = good;
	} else if (field < TRACE_CSV_COUNTS) {
		good = read_count(row, field, cell);
	}
	if (!good && field != TRACE_CSV_GPU_TIME && row->skip == NULL)
		row->skip = bad_reason(field);
}

/* Its first word: "CANCELLED by 1000". */
static uint16_t count_state(struct trace_summary *summary, const struct csv_field *state)
{
	const char *blank = state->len > 0 ? memchr(state->text, ' ', state->len) : NULL;

	if (state->len == 0)
		return 0;
	return trace_state(summary, state->text,
			   blank != NULL ? (size_t)(blank - state->text) : state->len);
}

static void read_cells(struct loader *l, struct trace_csv_row *row)
{
	*row = (struct trace_csv_row){.summary = l->summary};
	if (l->csv.ragged) {
		row->skip = "bad_field_count";
		return;
	}
	for (uint32_t i = 0; i < l->format->column_count; i++) {
		struct csv_field cell = csv_get(&l->csv, l->index[i]);

		read_cell(l, row, l->format->columns[i].field, &cell);
	}
	row->burned = count_state(l->summary, &row->cells[TRACE_CSV_STATE]);
}

static bool has_column(const struct trace_csv_format *format, enum trace_csv_field field)
{
	for (uint32_t i = 0; i < format->column_count; i++)
		if (format->columns[i].field == field)
			return true;
	return false;
}

/* Is there such a column in this file? */
static bool is_given(const struct loader *l, enum trace_csv_field field)
{
	for (uint32_t i = 0; i < l->format->column_count; i++)
		if (l->format->columns[i].field == field && l->index[i] != CSV_NONE)
			return true;
	return false;
}

/* From start and end, which are what happened; else as the trace says. */
static void find_duration(const struct loader *l, struct trace_csv_row *row)
{
	const struct trace_csv_format *format = l->format;

	if (format->no_duration) {
		row->time[TRACE_CSV_DURATION] = CLOCK_HOUR;
		row->summary->assumed_durations++;
	} else if (!has_column(format, TRACE_CSV_END)) {
		row->skip = row->has[TRACE_CSV_DURATION] ? NULL : "no_duration";
	} else if (!row->has[TRACE_CSV_START]) {
		row->skip = "never_started";
	} else if (!row->has[TRACE_CSV_END]) {
		row->unfinished = true;
		row->skip = l->options->keep_unfinished ? NULL : "no_end_time";
	} else if (row->time[TRACE_CSV_END] < row->time[TRACE_CSV_START]) {
		row->skip = "negative_duration";
	} else {
		row->time[TRACE_CSV_DURATION] =
			row->time[TRACE_CSV_END] - row->time[TRACE_CSV_START];
		row->has[TRACE_CSV_DURATION] = true;
	}
}

/* Why a row cannot be a job is in row->skip. */
static void look_at(const struct loader *l, struct trace_csv_row *row)
{
	const struct trace_csv_format *format = l->format;

	if (row->skip == NULL && format->judge != NULL)
		format->judge(row);
	if (row->skip == NULL && !row->has[TRACE_CSV_SUBMIT])
		row->skip = "no_submit_time";
	if (row->skip == NULL && !row->has[TRACE_CSV_DURATION])
		find_duration(l, row);
	if (row->skip != NULL)
		return;
	if (row->gpus == 0 && format->without_gpus != NULL)
		row->skip = format->without_gpus;
	else if (row->gpus > TRACE_PODS_GPUS_MAX || row->demand.pods > TRACE_PODS_GPUS_MAX)
		row->skip = "too_many_gpus";
	else if (row->time[TRACE_CSV_DURATION] == 0 && !format->keeps_zero && !row->unfinished)
		row->skip = "zero_duration";
	if (row->skip == NULL && row->gpus == 0) {
		row->of_pods = true;
		row->demand.pods += row->demand.pods == 0;
	}
}

static void check_gpu_time(struct loader *l, const struct trace_csv_row *row)
{
	if (!is_given(l, TRACE_CSV_GPU_TIME))
		return;
	l->summary->has_gpu_time = true;
	if (!row->has[TRACE_CSV_GPU_TIME] ||
	    row->time[TRACE_CSV_GPU_TIME] != res_mul(row->time[TRACE_CSV_DURATION], row->gpus))
		l->summary->gpu_time_mismatches++;
}

static uint32_t string_of(struct loader *l, const struct trace_csv_row *row,
			  enum trace_csv_field field)
{
	const struct csv_field *cell = &row->cells[field];

	return cell->len > 0 ? builder_string(l->builder, cell->text, cell->len) : NAME_NONE;
}

/* The class as an object, if it is not there. */
static uint32_t class_of(struct loader *l, const struct trace_csv_row *row)
{
	struct priority_class class = {.name = string_of(l, row, TRACE_CSV_CLASS),
				       .value = row->priority};

	if (class.name != NAME_NONE && !builder_has(l->builder, KIND_PRIORITY_CLASS, class.name) &&
	    !builder_has(l->builder, KIND_WORKLOAD_PRIORITY_CLASS, class.name))
		builder_add(l->builder, KIND_PRIORITY_CLASS, &class, (struct place){0},
			    KIND_ALWAYS);
	return class.name;
}

static void find_models(struct loader *l, struct trace_csv_row *row)
{
	const struct csv_field *wish = &row->cells[TRACE_CSV_MODEL];

	if (wish->len == 0)
		return;
	row->demand.models = trace_models_term(l->models, wish->text, wish->len);
	l->summary->model_wishes++;
	l->summary->models_dropped += row->demand.models == NULL;
}

static void add_job(struct loader *l, struct trace_csv_row *row)
{
	struct trace_row job = {
		.submit = row->time[TRACE_CSV_SUBMIT],
		.duration = row->time[TRACE_CSV_DURATION],
		.start = row->time[TRACE_CSV_START],
		.has_start = row->has[TRACE_CSV_START],
		.unfinished = row->unfinished,
		.since = row->time[TRACE_CSV_START],
		.name = string_of(l, row, TRACE_CSV_NAME),
		.vc = is_given(l, TRACE_CSV_TEAM) ? string_of(l, row, TRACE_CSV_TEAM) : l->one_team,
		.priority_class = NAME_NONE,
		.gpus = row->gpus,
		.burned = row->burned,
		.row = (uint32_t)l->summary->rows,
		.line = l->csv.line};

	find_models(l, row);
	if (l->list.has_classes)
		job.priority_class = class_of(l, row);
	job.cut = !row->of_pods && row->demand.pods == 0;
	job.sets = row->of_pods ? trace_pods_equal(l->pods, &row->demand)
				: trace_pods_spread(l->pods, &row->demand, row->gpus);
	check_gpu_time(l, row);
	trace_list_add(&l->list, &job);
}

static void read_row(struct loader *l)
{
	struct trace_csv_row row;

	read_cells(l, &row);
	look_at(l, &row);
	for (int f = 0; f <= TRACE_CSV_END; f++)
		if (row.has[f])
			trace_list_saw(&l->list, row.time[f]);
	if (row.skip != NULL)
		trace_skip(l->summary, row.skip, l->csv.line);
	else
		add_job(l, &row);
	l->summary->rows++;
}

static enum err_code read_all(struct loader *l, struct err *err)
{
	enum err_code code = read_header(&l->csv, l->format, l->index, err);
	bool more = true;

	l->csv.ragged_ok = true;
	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code == ERR_OK && more)
			read_row(l);
	}
	return code;
}

enum err_code trace_csv_load(const struct trace_csv_format *format, const struct source *source,
			     const struct trace_options *options, struct builder *builder,
			     struct trace_summary *summary, struct err *err)
{
	struct loader l = {
		.format = format, .options = options, .builder = builder, .summary = summary};
	enum err_code code = ERR_OK;

	start_csv(&l.csv, format, source);
	l.list.no_clock = format->clock == TRACE_CSV_SECONDS;
	l.list.has_classes = has_column(format, TRACE_CSV_CLASS);
	l.pods = trace_pods_new(builder, options->gpus_per_node);
	l.models = trace_models_new(builder, options->keep_models);
	l.one_team = builder_string(builder, "default", 7);
	summary->note = format->note;
	summary->not_modelled = format->not_modelled;
	if (format->shares_gpus)
		code = trace_pods_share(l.pods, err);
	if (code == ERR_OK)
		code = read_all(&l, err);
	if (code == ERR_OK)
		trace_list_build(&l.list, source->name, options, builder, summary);
	trace_models_free(l.models);
	trace_pods_free(l.pods);
	trace_list_free(&l.list);
	csv_free(&l.csv);
	return code;
}
