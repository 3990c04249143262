/* trace_jobs.c - gqsim's own job list: CSV with a header, one job a row.
 *
 * Required: submit_s, duration_s ("endless" for what only a cancel ends) and a
 * demand: requests of one pod, gpus of the whole job, or podsets. Everything
 * else may be absent: see sim/trace/trace_template.h and sim/trace/trace_lifecycle.h. Times
 * are seconds of the simulation's own clock and are not shifted.
 */
#include "sim/trace/trace_jobs.h"

#include "sim/tool/nearest.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_lifecycle.h"
#include "sim/trace/trace_template.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FULL_UTILISATION 1000 /* per mille */
#define NUMBERS_MAX	 16   /* fields of a list of numbers alone */
#define NUMBERS_BATCH	 128  /* rows of one, at once: their jobs stay in the cache */
#define FAULTS_TOLD	 20   /* of one list */

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
	COLUMN_START,
	COLUMN_UTILISATION,
	COLUMN_OUTCOME,
	COLUMNS,
};
_Static_assert(COLUMNS <= TRACE_JOBS_COLUMNS, "room for all");

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
	[COLUMN_LIFECYCLE + TRACE_LIFECYCLE_CRASH] = {{"crash_s"}, false},
	[COLUMN_SUBMIT] = {{"submit_s", "submit", "arrival_s"}, true},
	[COLUMN_DURATION] = {{"duration_s", "duration"}, true},
	[COLUMN_NAME] = {{"name", "job_id"}, false},
	[COLUMN_NAMESPACE] = {{"namespace"}, false},
	[COLUMN_QUEUE] = {{"queue"}, false},
	[COLUMN_TEAM] = {{"vc", "team", "user"}, false},
	[COLUMN_PRIORITY_CLASS] = {{"priority_class"}, false},
	[COLUMN_START] = {{"start_s"}, false},
	[COLUMN_UTILISATION] = {{"gpu_utilisation"}, false},
	[COLUMN_OUTCOME] = {{"outcome"}, false},
};

const struct csv_column *trace_jobs_columns(uint32_t *count)
{
	*count = COLUMNS;
	return columns;
}

/* A column whose texts repeat from row to row. */
struct memo {
	uint32_t index; /* field, or CSV_NONE */
	const char *text;
	size_t len;
	uint32_t string;
};

struct trace_jobs {
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_templates *templates;
	const struct csv *csv;
	const uint32_t *index;
	struct memo ns, queue, priority_class;
	uint32_t default_ns;		   /* string */
	struct trace_lifecycle *lifecycle; /* NULL: none of its columns is there */
	bool counting;	    /* so far every job_id is the number of its row, and a job */
	uint32_t rows;	    /* of this list, before the one being read */
	uint32_t first_job; /* of this list */
	uint32_t faults;    /* rows left out for an error */
	long untold;	    /* line of the first of them that was not told */
};

static bool has(const uint32_t *index, enum column column)
{
	return index[column] != CSV_NONE;
}

bool trace_jobs_demand(const uint32_t *index)
{
	return index[COLUMN_TEMPLATE + TRACE_TEMPLATE_REQUESTS] != CSV_NONE ||
	       index[COLUMN_TEMPLATE + TRACE_TEMPLATE_GPUS] != CSV_NONE ||
	       index[COLUMN_TEMPLATE + TRACE_TEMPLATE_PODSETS] != CSV_NONE;
}

bool trace_jobs_probe(const char *head, size_t size)
{
	uint32_t index[COLUMNS];
	struct err ignored;
	enum err_code code;
	struct csv csv;
	bool found;

	csv_init(&csv, NULL, head, size);
	code = csv_header(&csv, columns, COLUMNS, index, &ignored);
	/* A column that is there twice is for the reading to tell. */
	found = (code == ERR_OK || code == ERR_DUPLICATE) && has(index, COLUMN_SUBMIT) &&
		has(index, COLUMN_DURATION) && trace_jobs_demand(index);
	csv_free(&csv);
	return found;
}

/* A job says which queue it goes to, or which team it is of; a list that has
 * neither column is one team's: "default". */
static void name_columns(struct trace_jobs *l)
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
 * which saves a million strings. */
static bool counts_row(const struct trace_jobs *l, const struct csv_field *id)
{
	uint32_t number;

	if (!csv_number(l->csv, id, &number) && !num_read_u32(id->text, id->len, &number))
		return false;
	return number == l->rows && (id->len == 1 || id->text[0] != '0');
}

/* The first id that is something else: the jobs before it get the names they have. */
static void stop_counting(struct trace_jobs *l)
{
	char text[16];

	l->counting = false;
	for (uint32_t i = 0; i < l->rows; i++) {
		snprintf(text, sizeof(text), "%" PRIu32, i);
		builder_job_name(l->builder, l->first_job + i,
				 builder_string(l->builder, text, strlen(text)));
	}
}

/* The string of a cell, or if it is empty the one given. */
static uint32_t remembered(struct trace_jobs *l, struct memo *memo, uint32_t if_empty)
{
	const struct csv_field *field;

	if (memo->index == CSV_NONE)
		return memo->string;
	field = &l->csv->fields[memo->index];
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

/* why: of trace_read_seconds. */
static enum err_code wrong_time(struct trace_jobs *l, const struct csv_field *field,
				const char *column, const char *why, struct err *err)
{
	if (field->len > 0 && field->text[0] == '-')
		return csv_error(l->csv, field, 0, ERR_VALUE, err,
				 "%s is negative: %.*s; it must be 0 or more", column,
				 csv_shown(field->len), field->text);
	if (field->len == 0)
		return csv_error(l->csv, field, 0, ERR_VALUE, err, "%s is empty", column);
	return csv_error(l->csv, field, 0, ERR_VALUE, err, "%s \"%.*s\" %s", column,
			 csv_shown(field->len), field->text,
			 why != NULL ? why : "is not a number of seconds such as 90 or 99.5");
}

static bool read_seconds(const struct trace_jobs *l, const struct csv_field *field, simtime *out,
			 const char **why)
{
	uint32_t seconds;

	if (!csv_number(l->csv, field, &seconds))
		return trace_read_seconds(field->text, field->len, out, why);
	*out = seconds * CLOCK_SECOND;
	return true;
}

static enum err_code read_times(struct trace_jobs *l, struct job *job, struct err *err)
{
	const struct csv_field *submit = &l->csv->fields[l->index[COLUMN_SUBMIT]];
	const struct csv_field *duration = &l->csv->fields[l->index[COLUMN_DURATION]];
	const char *why;

	if (!read_seconds(l, submit, &job->submit, &why))
		return wrong_time(l, submit, "the submit time", why, err);
	if (csv_is(duration, "endless")) {
		job->duration = JOB_ENDLESS;
		return ERR_OK;
	}
	if (!read_seconds(l, duration, &job->duration, &why))
		return wrong_time(l, duration, "the duration", why, err);
	/* Silence would make it a job without an end. */
	if (clock_add(job->submit, job->duration) == CLOCK_NEVER)
		return csv_error(l->csv, duration, 0, ERR_VALUE, err,
				 "the job ends beyond the clock, which reaches 292,000 years: "
				 "\"endless\" is what only a cancel ends");
	return ERR_OK;
}

static void read_names(struct trace_jobs *l, struct job *job, struct job_common *common)
{
	struct csv_field name = csv_get(l->csv, l->index[COLUMN_NAME]);

	if (l->counting && !counts_row(l, &name))
		stop_counting(l);
	if (name.len > 0 && !l->counting)
		job->name = builder_string(l->builder, name.text, name.len);
	common->ns = remembered(l, &l->ns, l->default_ns);
	common->queue = remembered(l, &l->queue, NAME_NONE);
	common->priority_class = remembered(l, &l->priority_class, NAME_NONE);
	if (common->queue == NAME_NONE)
		common->flags |= JOB_UNMANAGED;
}

/* A recorded start; empty: none. */
static enum err_code read_start(struct trace_jobs *l, simtime *start, struct err *err)
{
	struct csv_field field = csv_get(l->csv, l->index[COLUMN_START]);
	const char *why;

	*start = CLOCK_NEVER;
	if (field.len == 0 || trace_read_seconds(field.text, field.len, start, &why))
		return ERR_OK;
	return wrong_time(l, &field, "the recorded start", why, err);
}

/* Per cent, into per mille; empty: all of it. */
static enum err_code read_utilisation(struct trace_jobs *l, uint16_t *mille, struct err *err)
{
	struct csv_field field = csv_get(l->csv, l->index[COLUMN_UTILISATION]);
	double percent = 100;

	if (field.len > 0 &&
	    (!num_read_double(field.text, field.len, &percent) || percent < 0 || percent > 100))
		return csv_error(l->csv, &field, 0, ERR_VALUE, err,
				 "the GPU utilisation \"%.*s\" is not a number from 0 to 100",
				 csv_shown(field.len), field.text);
	*mille = (uint16_t)(percent * FULL_UTILISATION / 100 + 0.5);
	return ERR_OK;
}

/* How it ended in the trace, once its work was done; empty: well. */
static enum err_code read_outcome(struct trace_jobs *l, uint16_t *flags, struct err *err)
{
	struct csv_field field = csv_get(l->csv, l->index[COLUMN_OUTCOME]);

	if (csv_is(&field, "failed"))
		*flags |= JOB_CRASHED;
	else if (csv_is(&field, "cancelled"))
		*flags |= JOB_KILLED;
	else if (field.len > 0 && !csv_is(&field, "finished"))
		return csv_error(l->csv, &field, 0, ERR_VALUE, err,
				 "the outcome \"%.*s\" is not one of finished, failed, cancelled",
				 csv_shown(field.len), field.text);
	return ERR_OK;
}

static uint32_t pods_of(const struct trace_jobs *l, const struct job *job)
{
	const struct pod_set *sets = builder_sets_of(l->builder, job);
	uint32_t pods = 0;

	for (uint32_t i = 0; i < job->common->pod_set_count; i++)
		pods += sets[i].count;
	return pods;
}

/* Only its GPUs are told: how many pods they make hangs on the nodes. */
static bool is_cut(const struct trace_jobs *l)
{
	const uint32_t *index = l->index + COLUMN_TEMPLATE;

	return csv_get(l->csv, index[TRACE_TEMPLATE_GPUS]).len > 0 &&
	       csv_get(l->csv, index[TRACE_TEMPLATE_PODS]).len == 0;
}

static struct job *append(struct trace_jobs *l, const struct job *like)
{
	struct place where = {.file = l->csv->file, .line = l->csv->line, .column = 1};
	uint32_t row = builder_job_count(l->builder);
	struct job *job = builder_job_like(l->builder, like, &where);

	job->row = row;
	if (l->summary->jobs == 0 || like->submit < l->summary->first_submit)
		l->summary->first_submit = like->submit;
	l->summary->jobs++;
	return job;
}

static void add_job(struct trace_jobs *l, struct job *job, struct job_common *common, simtime start)
{
	read_names(l, job, common);
	common->flags |= is_cut(l) ? JOB_CUT : 0;
	job = append(l, job);
	if (start != CLOCK_NEVER)
		builder_job_start(l->builder, job->row, start);
}

enum err_code trace_jobs_row(struct trace_jobs *l, struct err *err)
{
	struct job_common common = {0};
	struct job job = {.common = &common,
			  .name = NAME_NONE,
			  .extra = JOB_NONE,
			  .utilisation = FULL_UTILISATION};
	struct trace_pods_sets sets = {0};
	simtime start = CLOCK_NEVER;
	enum err_code code;

	code = trace_template_of(l->templates, l->csv, &sets, err);
	common.first_pod_set = sets.first;
	common.pod_set_count = sets.count;
	if (code == ERR_OK)
		code = read_times(l, &job, err);
	if (code == ERR_OK && has(l->index, COLUMN_UTILISATION))
		code = read_utilisation(l, &job.utilisation, err);
	if (code == ERR_OK && has(l->index, COLUMN_OUTCOME))
		code = read_outcome(l, &common.flags, err);
	if (code == ERR_OK && has(l->index, COLUMN_START))
		code = read_start(l, &start, err);
	if (code == ERR_OK && l->lifecycle != NULL)
		code = trace_lifecycle_read(l->lifecycle, l->csv, l->index + COLUMN_LIFECYCLE,
					    pods_of(l, &job), &job.extra, err);
	if (code != ERR_OK)
		return code;
	l->summary->rows++;
	if (sets.count == 0) {
		trace_skip(l->summary, "zero_gpus", l->csv->line);
		if (l->counting)
			stop_counting(l);
	} else {
		add_job(l, &job, &common, start);
	}
	l->rows++;
	return ERR_OK;
}

struct trace_jobs *trace_jobs_new(struct builder *builder, const struct trace_options *options,
				  struct trace_summary *summary, const struct csv *csv,
				  const uint32_t *index, bool counting)
{
	struct trace_jobs *l = mem_calloc(1, sizeof(*l));

	l->builder = builder;
	l->summary = summary;
	l->csv = csv;
	l->index = index;
	for (int c = 0; c < TRACE_LIFECYCLE_COLUMNS && l->lifecycle == NULL; c++) {
		if (index[COLUMN_LIFECYCLE + c] != CSV_NONE)
			l->lifecycle = trace_lifecycle_new(builder);
	}
	l->counting = counting;
	l->first_job = builder_job_count(builder);
	l->templates = trace_templates_new(builder, options->gpus_per_node, index);
	name_columns(l);
	return l;
}

void trace_jobs_free(struct trace_jobs *jobs)
{
	if (jobs == NULL)
		return;
	trace_templates_free(jobs->templates);
	trace_lifecycle_free(jobs->lifecycle);
	mem_free(jobs);
}

/* ---- lists of numbers: what made-up and cleaned traces mostly are ---- */

/* The fields that say something, beside an id in the first that counts the rows. */
struct numbers {
	struct job like; /* what all such jobs share; but for pods they have this in common: */
	struct job_common common;
	const struct job_common *of_gpus[TRACE_PODS_KNOWN]; /* the builder's; NULL: not asked for */
	bool counting;
	uint32_t submit, duration, gpus;
};

/* False: the list says more than that. */
static bool has_numbers_only(struct trace_jobs *l, struct numbers *n)
{
	*n = (struct numbers){
		.counting = l->counting,
		.submit = l->index[COLUMN_SUBMIT],
		.duration = l->index[COLUMN_DURATION],
		.gpus = l->index[COLUMN_TEMPLATE + TRACE_TEMPLATE_GPUS],
		.common = {.ns = l->default_ns,
			   .queue = l->queue.string,
			   .priority_class = NAME_NONE,
			   .flags = JOB_CUT},
		.like = {.name = NAME_NONE, .extra = JOB_NONE, .utilisation = FULL_UTILISATION}};
	for (int c = 0; c < COLUMNS; c++) {
		if (l->index[c] != CSV_NONE && c != COLUMN_NAME && c != COLUMN_SUBMIT &&
		    c != COLUMN_DURATION && c != COLUMN_TEMPLATE + TRACE_TEMPLATE_GPUS)
			return false;
	}
	return n->gpus != CSV_NONE && l->csv->width <= NUMBERS_MAX &&
	       l->index[COLUMN_NAME] == (l->counting ? 0 : CSV_NONE);
}

/* counts_row, of a row of numbers. */
static bool counts_numbers(const char *id, uint32_t value, uint32_t row)
{
	return value == row && (id[0] != '0' || id[1] == ',');
}

/* What such jobs of so many GPUs have in common. */
static const struct job_common *common_of(struct trace_jobs *l, struct numbers *n, uint32_t gpus)
{
	struct trace_pods_sets sets;

	if (n->of_gpus[gpus] == NULL) {
		sets = trace_template_gpus(l->templates, gpus);
		n->common.first_pod_set = sets.first;
		n->common.pod_set_count = sets.count;
		n->of_gpus[gpus] = builder_common(l->builder, &n->common);
	}
	return n->of_gpus[gpus];
}

/* A row of numbers at *at, the row-th of the list; moves *at behind it. False:
 * trace_jobs_row has to read it. */
static inline bool read_number_row(struct trace_jobs *l, struct numbers *n, uint32_t row,
				   const char **at, struct job *job)
{
	uint32_t values[NUMBERS_MAX];
	const char *next = csv_numbers(l->csv, *at, values);

	if (next == NULL || values[n->gpus] == 0 || values[n->gpus] >= TRACE_PODS_KNOWN ||
	    (n->counting && !counts_numbers(*at, values[0], row)))
		return false;
	*job = n->like;
	job->submit = values[n->submit] * CLOCK_SECOND;
	job->duration = values[n->duration] * CLOCK_SECOND;
	job->common = common_of(l, n, values[n->gpus]);
	*at = next;
	return true;
}

/* What trace_jobs_row would have noted of these rows. */
static void note_rows(struct trace_jobs *l, const struct job *jobs, uint32_t count)
{
	simtime first = l->summary->jobs == 0 ? jobs[0].submit : l->summary->first_submit;

	for (uint32_t i = 0; i < count; i++)
		first = jobs[i].submit < first ? jobs[i].submit : first;
	l->summary->first_submit = first;
	l->summary->jobs += count;
	l->summary->rows += count;
	l->rows += count;
}

/* Rows up to the first that trace_jobs_row has to read: it would make the same of these. */
static void read_numbers(struct trace_jobs *l, struct numbers *n, struct csv *csv)
{
	uint32_t count = NUMBERS_BATCH;

	while (count == NUMBERS_BATCH && n->counting == l->counting) {
		uint32_t row = builder_job_count(l->builder);
		struct job *jobs = builder_jobs_room(l->builder, NUMBERS_BATCH);
		struct place where = {.file = csv->file, .column = 1};
		const char *at = csv->at;

		for (count = 0; count < NUMBERS_BATCH &&
				read_number_row(l, n, l->rows + count, &at, &jobs[count]);
		     count++)
			jobs[count].row = row + count;
		if (count == 0)
			return;
		csv_pass(csv, at, count);
		where.line = csv->line - (long)(count - 1);
		note_rows(l, jobs, count);
		builder_jobs_add(l->builder, count, &where);
	}
}

static enum err_code read_header(struct csv *csv, uint32_t *index, struct err *err)
{
	enum err_code code = csv_header(csv, columns, COLUMNS, index, err);

	if (code == ERR_OK && !trace_jobs_demand(index))
		code = err_set(err, ERR_SYNTAX, csv->file, csv->line, 1,
			       "the header has no column \"requests\", \"gpus\" or \"podsets\": "
			       "what a job asks for is needed");
	return code;
}

enum err_code trace_jobs_unknown(struct builder *builder, struct place where, const char *name,
				 struct err *err)
{
	static const char half[] = "priority"; /* as people shorten priority_class */
	struct nearest nearest;
	char hint[80] = "";

	nearest_begin(&nearest, name);
	nearest_offer(&nearest, half);
	for (uint32_t c = 0; c < COLUMNS; c++)
		for (int a = 0; a < CSV_ALIASES && columns[c].names[a] != NULL; a++)
			nearest_offer(&nearest, columns[c].names[a]);
	if (nearest.best != NULL)
		snprintf(hint, sizeof(hint), "; did you mean \"%s%s\"?", nearest.best,
			 nearest.best == half ? "_class" : "");
	if (builder_is_strict(builder))
		return err_set(err, ERR_UNKNOWN, where.file, where.line, where.column,
			       "a list of jobs has no column \"%.60s\"%s", name, hint);
	if (nearest.best != NULL)
		builder_fault(builder, FINDING_WARNING, "unknown-field", where,
			      "correct the name of the column, or delete the column",
			      "a list of jobs has no column \"%.60s\": it is ignored%s", name,
			      hint);
	else
		builder_finding(builder, FINDING_NOTE, where,
				"a list of jobs has no column \"%.60s\": it is ignored", name);
	return ERR_OK;
}

static enum err_code look_at_header(const struct csv *csv, const uint32_t *index,
				    struct builder *builder, struct err *err)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < csv->count && code == ERR_OK; i++) {
		const struct csv_field *field = &csv->fields[i];
		struct place where = {.file = csv->file};
		char name[64];
		uint32_t c = 0;

		while (c < COLUMNS && index[c] != i)
			c++;
		if (c < COLUMNS || field->len == 0)
			continue;
		csv_place(csv, field, 0, &where.line, &where.column);
		snprintf(name, sizeof(name), "%.*s", csv_shown(field->len), field->text);
		code = trace_jobs_unknown(builder, where, name, err);
	}
	return code;
}

enum err_code trace_jobs_leave_out(struct trace_jobs *l, const struct err *err)
{
	const struct place where = {.file = err->file, .line = err->line, .column = err->column};

	if (!builder_keeps_going(l->builder))
		return err->code;
	builder_left_out(l->builder, "", "");
	if (l->faults < FAULTS_TOLD)
		builder_fault(l->builder, FINDING_ERROR, "input-error", where,
			      err->fix != NULL ? err->fix
					       : "correct the row: until then it is left out here",
			      "%s", err->msg);
	else if (l->faults == FAULTS_TOLD)
		l->untold = err->line;
	l->faults++;
	return ERR_OK;
}

void trace_jobs_tell_others(const struct trace_jobs *l)
{
	const struct place where = {.file = l->csv->file, .line = l->untold, .column = 1};

	if (l->faults > FAULTS_TOLD)
		builder_fault(l->builder, FINDING_ERROR, "input-error", where,
			      "mend those named above, and check again",
			      "and %u more rows with errors from here on", l->faults - FAULTS_TOLD);
}

static enum err_code read_rows(struct trace_jobs *l, struct csv *csv, struct err *err)
{
	enum err_code code = ERR_OK;
	struct numbers numbers;
	bool more = true, whole, plain = has_numbers_only(l, &numbers);

	while (code == ERR_OK && more) {
		if (plain)
			read_numbers(l, &numbers, csv);
		code = csv_row(csv, &more, err);
		whole = code == ERR_OK || csv->ragged; /* what follows is the next row */
		if (code == ERR_OK && more)
			code = trace_jobs_row(l, err);
		if (code != ERR_OK && whole)
			code = trace_jobs_leave_out(l, err);
	}
	trace_jobs_tell_others(l);
	return code;
}

enum err_code trace_jobs_load(const struct source *source, const struct trace_options *options,
			      struct builder *builder, struct trace_summary *summary,
			      struct err *err)
{
	struct trace_jobs *jobs = NULL;
	uint32_t index[COLUMNS];
	enum err_code code;
	struct csv csv;

	csv_open(&csv, source, ',', true);
	code = read_header(&csv, index, err);
	if (code == ERR_OK)
		code = look_at_header(&csv, index, builder, err);
	if (code == ERR_OK) {
		bool counting = index[COLUMN_NAME] != CSV_NONE &&
				csv_is(&csv.fields[index[COLUMN_NAME]], "job_id");

		jobs = trace_jobs_new(builder, options, summary, &csv, index, counting);
		code = read_rows(jobs, &csv, err);
	}
	trace_jobs_free(jobs);
	csv_free(&csv);
	return code;
}
