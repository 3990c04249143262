/* trace_swf.c - the Standard Workload Format, version 2 (CATALOG 2.11).
 *
 * A processor stands for a GPU. Header comments give the clock (UnixStartTime) and names
 * of queues ("; Queue: 1 research"). The partial records of checkpointed jobs (status 2,
 * 3, 4) are left out: the summary record has all of such a job. Fields 17 and 18 tell who
 * submits only when an earlier job has ended, and how long after (struct job_after).
 */
#include "sim/trace/trace_swf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/trace_formats.h"

#define QUEUES_MAX 1024 /* queues whose names a header may give */
#define NAME_TEXT  80

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

double trace_swf_procs(const struct trace_swf_line *line)
{
	if (line->value[TRACE_SWF_PROCS] > 0)
		return line->value[TRACE_SWF_PROCS];
	return line->value[TRACE_SWF_PROCS_ASKED] > 0 ? line->value[TRACE_SWF_PROCS_ASKED] : 0;
}

static const char *skip_reason(const struct trace_swf_line *line)
{
	double status = line->value[TRACE_SWF_STATUS], procs = trace_swf_procs(line);

	if (status == 2 || status == 3 || status == 4)
		return "partial_record";
	if (line->value[TRACE_SWF_SUBMIT] < 0)
		return "no_submit_time";
	if (procs == 0)
		return "no_procs";
	if (procs > TRACE_PODS_GPUS_MAX)
		return "too_many_gpus";
	return line->value[TRACE_SWF_RUN] > 0 ? NULL : "zero_run";
}

static void read_number(const char *text, size_t len, struct trace_swf_line *line)
{
	double *value = &line->value[line->count];

	if (!num_read_double(text, len, value) || fabs(*value) > 0x1p53) {
		line->skip = "bad_number";
		*value = -1;
	}
	line->fractions += floor(*value) < *value;
}

/* The numbers of a data line. */
static void read_fields(const char *at, const char *end, struct trace_swf_line *line)
{
	for (;;) {
		const char *start;
		size_t len;

		while (at < end && is_blank(*at))
			at++;
		if (at == end)
			break;
		for (start = at; at < end && !is_blank(*at);)
			at++;
		len = (size_t)(at - start);
		if (line->count < TRACE_SWF_FIELDS)
			read_number(start, len, line);
		line->count++;
	}
	if (line->count != TRACE_SWF_FIELDS)
		line->skip = "bad_field_count";
	if (line->skip == NULL)
		line->skip = skip_reason(line);
}

static void read_line(const char *at, const char *stop, struct trace_swf_line *line,
		      trace_swf_visit *visit, void *context)
{
	while (at < stop && is_blank(*at))
		at++;
	if (at == stop)
		return;
	if (*at == ';') {
		while (at < stop && (*at == ';' || is_blank(*at)))
			at++;
		line->text = at;
		line->len = (size_t)(stop - at);
	} else {
		read_fields(at, stop, line);
	}
	visit(context, line);
}

enum err_code trace_swf_read(const struct source *source, trace_swf_visit *visit, void *context,
			     struct err *err)
{
	struct source_lines lines = source_lines(source);
	enum err_code code;
	const char *text;
	size_t len;

	while ((code = source_next_line(&lines, &text, &len, err)) == ERR_OK && text != NULL) {
		struct trace_swf_line line = {.line = lines.number};

		read_line(text, text + len, &line, visit, context);
	}
	return code;
}

/* A row that names the job before it. */
struct dependency {
	size_t row;	/* of the list */
	uint32_t after; /* string: the number of that job */
	simtime think;	/* -1: not given */
};

struct loader {
	struct dependency *dependencies;
	size_t dependency_count, dependency_capacity;
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_list list;
	int64_t unix_start;		  /* seconds; -1 */
	uint32_t queue_names[QUEUES_MAX]; /* strings by number; NAME_NONE */
};

/* "Key: value": the value; false if it is another key. */
static bool header(const struct trace_swf_line *line, const char *key, const char **value,
		   size_t *len)
{
	size_t at = strlen(key);

	if (line->len <= at || memcmp(line->text, key, at) != 0 || line->text[at] != ':')
		return false;
	for (at++; at < line->len && is_blank(line->text[at]);)
		at++;
	*value = line->text + at;
	*len = line->len - at;
	while (*len > 0 && is_blank((*value)[*len - 1]))
		(*len)--;
	return true;
}

/* "1 research" */
static void name_queue(struct loader *l, const char *text, size_t len)
{
	const char *blank = len > 0 ? memchr(text, ' ', len) : NULL;
	uint32_t number;

	if (blank != NULL && num_read_u32(text, (size_t)(blank - text), &number) &&
	    number < QUEUES_MAX && blank + 1 < text + len)
		l->queue_names[number] =
			builder_string(l->builder, blank + 1, (size_t)(text + len - blank - 1));
}

static void read_comment(struct loader *l, const struct trace_swf_line *line)
{
	const char *value;
	size_t len;
	int64_t start;

	if (header(line, "UnixStartTime", &value, &len) && num_read_i64(value, len, &start) &&
	    start >= 0 && start < INT64_C(1) << 38)
		l->unix_start = start;
	else if (header(line, "Queue", &value, &len))
		name_queue(l, value, len);
}

/* The team: its queue, else its group, else its user. */
static uint32_t team_of(struct loader *l, const struct trace_swf_line *line)
{
	static const struct {
		enum trace_swf_field field;
		const char *name;
	} ways[] = {
		{TRACE_SWF_QUEUE, "queue"}, {TRACE_SWF_GROUP, "group"}, {TRACE_SWF_USER, "user"}};
	char text[NAME_TEXT];

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		double number = line->value[ways[i].field];

		if (number < 0)
			continue;
		if (i == 0 && number < QUEUES_MAX && l->queue_names[(uint32_t)number] != NAME_NONE)
			return l->queue_names[(uint32_t)number];
		snprintf(text, sizeof(text), "%s-%.0f", ways[i].name, number);
		return builder_string(l->builder, text, strlen(text));
	}
	return builder_string(l->builder, "default", 7);
}

static uint16_t count_status(struct loader *l, double status)
{
	static const char *const names[] = {"failed",  "completed", "partial",
					    "partial", "partial",   "cancelled"};
	const char *name = status >= 0 && status <= 5 ? names[(int)status] : "unknown";

	return trace_state(l->summary, name, strlen(name));
}

static uint32_t number_text(const struct loader *l, double number)
{
	char name[NAME_TEXT];

	snprintf(name, sizeof(name), "%.0f", number);
	return builder_string(l->builder, name, strlen(name));
}

static void note_dependency(struct loader *l, const struct trace_swf_line *line)
{
	double think = line->value[TRACE_SWF_THINK];

	l->dependencies = mem_grow(l->dependencies, l->dependency_count + 1,
				   &l->dependency_capacity, sizeof(*l->dependencies));
	l->dependencies[l->dependency_count++] =
		(struct dependency){.row = l->list.count,
				    .after = number_text(l, line->value[TRACE_SWF_AFTER]),
				    .think = think >= 0 ? clock_from_double(think) : -1};
}

static void take(void *context, const struct trace_swf_line *line)
{
	struct loader *l = context;
	struct trace_row row = {.row = (uint32_t)l->summary->rows, .line = line->line};

	if (line->text != NULL) {
		read_comment(l, line);
		return;
	}
	l->summary->rows++;
	if (line->count == TRACE_SWF_FIELDS)
		row.burned = count_status(l, line->value[TRACE_SWF_STATUS]);
	if (line->skip != NULL) {
		trace_skip(l->summary, line->skip, line->line);
		return;
	}
	if (line->value[TRACE_SWF_AFTER] > 0)
		note_dependency(l, line);
	row.submit = clock_from_double(line->value[TRACE_SWF_SUBMIT]);
	row.duration = clock_from_double(line->value[TRACE_SWF_RUN]);
	row.has_start = line->value[TRACE_SWF_WAIT] >= 0;
	row.start = clock_add(row.submit,
			      row.has_start ? clock_from_double(line->value[TRACE_SWF_WAIT]) : 0);
	row.gpus = (uint32_t)ceil(trace_swf_procs(line));
	row.vc = team_of(l, line);
	row.name = number_text(l, line->value[TRACE_SWF_ID]);
	trace_list_add(&l->list, &row);
}

/* Submits count from the header's clock, if it has one. */
static void set_clock(struct loader *l)
{
	l->list.no_clock = l->unix_start < 0;
	for (size_t i = 0; l->unix_start > 0 && i < l->list.count; i++) {
		l->list.rows[i].submit =
			clock_add(l->list.rows[i].submit, l->unix_start * CLOCK_SECOND);
		l->list.rows[i].start =
			clock_add(l->list.rows[i].start, l->unix_start * CLOCK_SECOND);
	}
}

/* Every row of the list is a job, from first on. A number that several rows have means the last
 * of them before; one that none before has (its row was left out, or comes later) nothing. */
static void tell_dependencies(struct loader *l, uint32_t first)
{
	uint32_t *row_of, strings;
	size_t row = 0;

	if (l->dependency_count == 0)
		return;
	strings = name_count(builder_strings(l->builder));
	row_of = mem_calloc(strings, sizeof(*row_of)); /* counted from 1 */
	for (size_t i = 0; i < l->dependency_count; i++) {
		const struct dependency *d = &l->dependencies[i];
		uint32_t after;

		for (; row < d->row; row++)
			row_of[l->list.rows[row].name] = (uint32_t)row + 1;
		after = row_of[d->after];
		if (after == 0) {
			l->summary->orphans++;
			continue;
		}
		builder_job_after(l->builder, first + (uint32_t)d->row, first + after - 1,
				  d->think);
		l->summary->dependent++;
	}
	mem_free(row_of);
}

enum err_code trace_swf_load(const struct source *source, const struct trace_options *options,
			     struct builder *builder, struct trace_summary *summary,
			     struct err *err)
{
	struct loader l = {.builder = builder, .summary = summary, .unix_start = -1};
	uint32_t first = builder_job_count(builder);
	enum err_code code;

	for (uint32_t i = 0; i < QUEUES_MAX; i++)
		l.queue_names[i] = NAME_NONE;
	code = trace_swf_read(source, take, &l, err);
	set_clock(&l);
	summary->note = "a processor of the trace is taken for a GPU";
	if (code == ERR_OK) {
		trace_list_build(&l.list, source->name, options, builder, summary);
		tell_dependencies(&l, first);
	}
	mem_free(l.dependencies);
	trace_list_free(&l.list);
	return code;
}

/* The first line that is no comment is 18 numbers. */
struct probe {
	bool known, swf;
};

static void look(void *context, const struct trace_swf_line *line)
{
	struct probe *p = context;

	if (line->text != NULL || p->known)
		return;
	p->known = true;
	p->swf = line->count == TRACE_SWF_FIELDS &&
		 (line->skip == NULL || strcmp(line->skip, "bad_number") != 0);
}

bool trace_swf_probe(const char *head, size_t size)
{
	const struct source source = {.data = head, .size = size};
	struct probe p = {false, false};
	struct err ignored;

	return trace_swf_read(&source, look, &p, &ignored) == ERR_OK && p.swf;
}
