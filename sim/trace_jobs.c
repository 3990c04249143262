/* trace_jobs.c - gqsim's own job list: CSV with a header, one job a row.
 *
 * Required: submit_s, duration_s ("endless" for what only a cancel ends) and a
 * demand: requests of one pod, gpus of the whole job, or podsets. Everything
 * else may be absent: see sim/trace_template.h and sim/trace_lifecycle.h. Times
 * are seconds of the simulation's own clock and are not shifted.
 */
#include "sim/csv.h"
#include "sim/trace.h"
#include "sim/trace_formats.h"
#include "sim/trace_lifecycle.h"
#include "sim/trace_template.h"

#include <string.h>

#define FULL_UTILISATION 1000 /* per mille */

enum column {
	COLUMN_TEMPLATE = 0,
	COLUMN_LIFECYCLE = COLUMN_TEMPLATE + TRACE_TEMPLATE_COLUMNS, /* one each */
	COLUMN_SUBMIT = COLUMN_LIFECYCLE + TRACE_LIFECYCLE_COLUMNS,
	COLUMN_DURATION,
	COLUMN_NAME,
	COLUMN_NAMESPACE,
	COLUMN_QUEUE,
	COLUMN_TEAM,
	COLUMN_PRIORITY_CLASS,
	COLUMNS,
};

static const struct csv_column columns[COLUMNS] = {
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_PODS] = {{"pods"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_MIN_PODS] = {{"min_pods"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_REQUESTS] = {{"requests"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_GPUS] = {{"gpus"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_PODSETS] = {{"podsets"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_TOPOLOGY_MODE] = {{"topology_mode"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_TOPOLOGY_LEVEL] = {{"topology_level"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_NODE_SELECTOR] = {{"node_selector"}, false},
	[COLUMN_TEMPLATE + TRACE_TEMPLATE_TOLERATIONS] = {{"tolerations"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_READY] = {{"ready_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_FAIL] = {{"fail_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_RECOVER] = {{"recover_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_MAX_EXECUTION] = {{"max_exec_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_CHECK] = {{"check_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_RESULT] = {{"check_result"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_RETRY] = {{"check_retry_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_CANCEL] = {{"cancel_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_DEACTIVATE] = {{"deactivate_s"}, false},
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_REACTIVATE] = {{"reactivate_s"}, false},
	[COLUMN_SUBMIT] = {{"submit_s", "submit", "arrival_s"}, true},
	[COLUMN_DURATION] = {{"duration_s", "duration"}, true},
	[COLUMN_NAME] = {{"name", "job_id"}, false},
	[COLUMN_NAMESPACE] = {{"namespace"}, false},
	[COLUMN_QUEUE] = {{"queue"}, false},
	[COLUMN_TEAM] = {{"vc", "team", "user"}, false},
	[COLUMN_PRIORITY_CLASS] = {{"priority_class"}, false},
};

/* A column whose texts repeat from row to row. */
struct memo {
	uint32_t index; /* field, or CSV_NONE */
	const char *text;
	size_t len;
	uint32_t string;
};

struct loader {
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_templates *templates;
	struct csv csv;
	uint32_t index[COLUMNS];
	struct memo ns, queue, priority_class;
	uint32_t default_ns; /* string */
	bool numbered;	     /* every job_id is the number of its row */
};

static bool has(const uint32_t *index, enum column column)
{
	return index[column] != CSV_NONE;
}

static bool has_demand(const uint32_t *index)
{
	return index[COLUMN_TEMPLATE + TRACE_TEMPLATE_REQUESTS] != CSV_NONE ||
	       index[COLUMN_TEMPLATE + TRACE_TEMPLATE_GPUS] != CSV_NONE ||
	       index[COLUMN_TEMPLATE + TRACE_TEMPLATE_PODSETS] != CSV_NONE;
}

bool trace_jobs_probe(const char *head, size_t size)
{
	uint32_t index[COLUMNS];
	struct err ignored;
	struct csv csv;
	bool found;

	csv_init(&csv, NULL, head, size);
	found = csv_header(&csv, columns, COLUMNS, index, &ignored) == ERR_OK && has_demand(index);
	csv_free(&csv);
	return found;
}

/* A job says which queue it goes to, or which team it is of; a list that has
 * neither column is one team's: "default". */
static void name_columns(struct loader *l)
{
	uint32_t fallback = builder_string(l->builder, "default", 7);
	uint32_t team = l->index[COLUMN_TEAM];

	l->default_ns = fallback;
	l->queue =
		(struct memo){.index = has(l->index, COLUMN_QUEUE) ? l->index[COLUMN_QUEUE] : team,
			      .string = fallback};
	l->ns = (struct memo){.index = has(l->index, COLUMN_NAMESPACE) ? l->index[COLUMN_NAMESPACE]
								       : team,
			      .string = fallback};
	l->priority_class =
		(struct memo){.index = l->index[COLUMN_PRIORITY_CLASS], .string = NAME_NONE};
}

/* Ids that only count the rows say nothing: such jobs need no names of their own,
 * which saves a million strings. Stops at the first id that is something else. */
static bool ids_count_rows(const struct source *source, uint32_t id_column)
{
	struct err ignored;
	struct csv csv;
	bool more = true, counts = id_column != CSV_NONE;

	csv_init(&csv, source->name, source->data, source->size);
	counts = counts && csv_row(&csv, &more, &ignored) == ERR_OK && more &&
		 csv_is(&csv.fields[id_column], "job_id");
	for (uint32_t row = 0; counts; row++) {
		struct csv_field id;
		uint32_t number;

		if (csv_row(&csv, &more, &ignored) != ERR_OK || !more)
			break;
		id = csv_get(&csv, id_column);
		counts = num_read_u32(id.text, id.len, &number) && number == row &&
			 (id.len == 1 || id.text[0] != '0');
	}
	csv_free(&csv);
	return counts;
}

static enum err_code read_header(struct loader *l, struct err *err)
{
	enum err_code code = csv_header(&l->csv, columns, COLUMNS, l->index, err);

	if (code == ERR_OK && !has_demand(l->index))
		code = err_set(err, ERR_SYNTAX, l->csv.file, l->csv.line, 1,
			       "the header has no column \"requests\", \"gpus\" or \"podsets\": "
			       "what a job asks for is needed");
	if (code == ERR_OK)
		name_columns(l);
	return code;
}

/* The string of a cell, or if it is empty the one given. */
static uint32_t remembered(struct loader *l, struct memo *memo, uint32_t if_empty)
{
	const struct csv_field *field;

	if (memo->index == CSV_NONE)
		return memo->string;
	field = &l->csv.fields[memo->index];
	if (field->len == 0)
		return if_empty;
	if (memo->text == NULL || memo->len != field->len ||
	    memcmp(memo->text, field->text, field->len) != 0) {
		memo->string = builder_string(l->builder, field->text, field->len);
		/* The table's copy: a slice of the input may be gone with its row. */
		memo->text = name_text(builder_strings(l->builder), memo->string);
		memo->len = field->len;
	}
	return memo->string;
}

static enum err_code wrong_time(struct loader *l, const struct csv_field *field, const char *column,
				struct err *err)
{
	if (field->len > 0 && field->text[0] == '-')
		return csv_error(&l->csv, field, 0, ERR_VALUE, err,
				 "%s is negative: %.*s; it must be 0 or more", column,
				 csv_shown(field->len), field->text);
	if (field->len == 0)
		return csv_error(&l->csv, field, 0, ERR_VALUE, err, "%s is empty", column);
	return csv_error(&l->csv, field, 0, ERR_VALUE, err,
			 "%s \"%.*s\" is not a number of seconds such as 90 or 99.5", column,
			 csv_shown(field->len), field->text);
}

static enum err_code read_times(struct loader *l, struct job *job, struct err *err)
{
	const struct csv_field *submit = &l->csv.fields[l->index[COLUMN_SUBMIT]];
	const struct csv_field *duration = &l->csv.fields[l->index[COLUMN_DURATION]];

	if (!clock_read_seconds(submit->text, submit->len, &job->submit))
		return wrong_time(l, submit, "the submit time", err);
	if (clock_read_seconds(duration->text, duration->len, &job->duration))
		return ERR_OK;
	if (!csv_is(duration, "endless"))
		return wrong_time(l, duration, "the duration", err);
	job->duration = JOB_ENDLESS;
	return ERR_OK;
}

static void read_names(struct loader *l, struct job *job)
{
	struct csv_field name = csv_get(&l->csv, l->index[COLUMN_NAME]);

	if (name.len > 0 && !l->numbered)
		job->name = builder_string(l->builder, name.text, name.len);
	job->ns = remembered(l, &l->ns, l->default_ns);
	job->queue = remembered(l, &l->queue, NAME_NONE);
	job->priority_class = remembered(l, &l->priority_class, NAME_NONE);
	if (job->queue == NAME_NONE)
		job->flags |= JOB_UNMANAGED;
}

static enum err_code read_job(struct loader *l, struct err *err)
{
	struct place where = {.file = l->csv.file, .line = l->csv.line, .column = 1};
	struct job job = {.name = NAME_NONE, .utilisation = FULL_UTILISATION};
	struct trace_pods_sets sets;
	enum err_code code;

	code = trace_template_of(l->templates, &l->csv, &sets, err);
	if (code == ERR_OK)
		code = read_times(l, &job, err);
	if (code == ERR_OK)
		code = trace_lifecycle_read(l->builder, &l->csv, l->index + COLUMN_LIFECYCLE,
					    &job.extra, err);
	if (code != ERR_OK)
		return code;
	l->summary->rows++;
	if (sets.count == 0) {
		trace_skip(l->summary, "zero_gpus");
		return ERR_OK;
	}
	read_names(l, &job);
	job.row = builder_job_count(l->builder);
	job.first_pod_set = sets.first;
	job.pod_set_count = sets.count;
	builder_job(l->builder, &job, where);
	if (l->summary->jobs == 0 || job.submit < l->summary->first_submit)
		l->summary->first_submit = job.submit;
	l->summary->jobs++;
	return ERR_OK;
}

static enum err_code read_all(struct loader *l, const struct source *source, struct err *err)
{
	enum err_code code = read_header(l, err);
	bool more = true;

	l->numbered = code == ERR_OK && ids_count_rows(source, l->index[COLUMN_NAME]);
	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code == ERR_OK && more)
			code = read_job(l, err);
	}
	return code;
}

enum err_code trace_jobs_load(const struct source *source, const struct trace_options *options,
			      struct builder *builder, struct trace_summary *summary,
			      struct err *err)
{
	struct loader l = {.builder = builder, .summary = summary};
	enum err_code code;

	csv_init(&l.csv, source->name, source->data, source->size);
	l.templates = trace_templates_new(builder, options->gpus_per_node, l.index);
	code = read_all(&l, source, err);
	trace_templates_free(l.templates);
	csv_free(&l.csv);
	return code;
}
