/* cmd_trace_edit.c - gqsim trace convert, slice, scale and merge: job lists out of traces. */
#include <inttypes.h>
#include <string.h>

#include "sim/command/cmd_trace.h"
#include "sim/tool/output.h"
#include "sim/trace/trace_write.h"

#define PREFIX_TEXT 64
#define REMARK_TEXT 300

/* ---- numbers of options ---- */

static enum err_code read_factor(const struct cmd_args *args, const char *name, double *out,
				 struct err *err)
{
	const char *text = cmd_value(args, name);

	*out = 1;
	if (text == NULL)
		return ERR_OK;
	if (num_read_double(text, strlen(text), out) && *out >= 1e-6 && *out <= 1e6)
		return ERR_OK;
	return err_set(err, ERR_VALUE, NULL, 0, 0,
		       "--%s \"%.50s\": a factor is needed, such as 0.5 or 2", name, text);
}

static enum err_code read_number(const struct cmd_args *args, const char *name, int64_t *out,
				 struct err *err)
{
	const char *text = cmd_value(args, name);

	if (text == NULL || (num_read_i64(text, strlen(text), out) && *out >= 0))
		return ERR_OK;
	return err_set(err, ERR_VALUE, NULL, 0, 0, "--%s \"%.50s\": a whole number is needed", name,
		       text);
}

/* ---- the verbs ---- */

static enum err_code slice(const struct cmd_trace *trace, struct trace_edit *edit, struct err *err)
{
	simtime from, to;
	int64_t first = INT64_MAX;
	enum err_code code = cmd_trace_window(trace->args, edit->origin, &from, &to, err);

	if (code == ERR_OK)
		code = read_number(trace->args, "first", &first, err);
	if (code != ERR_OK)
		return code;
	trace_edit_window(edit, from, to);
	if (cmd_given(trace->args, "queue"))
		trace_edit_queues(edit, cmd_value(trace->args, "queue"));
	trace_edit_first(edit, (size_t)first);
	if (!cmd_given(trace->args, "keep-times"))
		trace_edit_rebase(edit);
	return ERR_OK;
}

static enum err_code scale(const struct cmd_trace *trace, struct trace_edit *edit, struct err *err)
{
	double load, durations, share;
	int64_t seed = 1;
	enum err_code code = read_factor(trace->args, "load", &load, err);

	if (code == ERR_OK)
		code = read_factor(trace->args, "durations", &durations, err);
	if (code == ERR_OK)
		code = read_factor(trace->args, "gpus", &edit->gpus, err);
	if (code == ERR_OK)
		code = read_factor(trace->args, "thin", &share, err);
	if (code == ERR_OK)
		code = read_number(trace->args, "seed", &seed, err);
	if (code != ERR_OK)
		return code;
	if (share > 1)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "--thin is the share of jobs to keep, at most 1; more load: --load");
	if (cmd_given(trace->args, "thin"))
		trace_edit_thin(edit, share, (uint64_t)seed);
	trace_edit_scale(edit, load, durations);
	return ERR_OK;
}

/* A file's name without folders and endings, or the next of "a,b,c". */
static void prefix_of(const char *path, const char **given, char prefix[PREFIX_TEXT])
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
	size_t len = strcspn(base, ".");

	if (*given != NULL && **given != '\0') {
		base = *given;
		len = strcspn(base, ",");
		*given += len + (base[len] == ',' ? 1 : 0);
	}
	len = len < PREFIX_TEXT ? len : PREFIX_TEXT - 1;
	memcpy(prefix, base, len);
	prefix[len] = '\0';
}

/* The earliest clock of all traces; CLOCK_NEVER if one has none. */
static simtime first_clock(const struct trace_set *set)
{
	simtime first = CLOCK_NEVER;

	for (size_t i = 0; i < set->count; i++) {
		simtime clock = cmd_trace_clock(&set->files[i].summary);

		if (set->files[i].format->kind != TRACE_JOBS)
			continue;
		if (clock == CLOCK_NEVER)
			return CLOCK_NEVER;
		first = clock < first ? clock : first;
	}
	return first;
}

static bool taken(char prefixes[][PREFIX_TEXT], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(prefixes[i], prefixes[count]) == 0)
			return true;
	return false;
}

static enum err_code merge(const struct cmd_trace *trace, struct trace_edit *edit,
			   char prefixes[][PREFIX_TEXT], struct err *err)
{
	bool align = cmd_given(trace->args, "align");
	const char *given = cmd_value(trace->args, "prefix");
	simtime first = first_clock(&trace->set);
	size_t count = 0;

	if (align && first == CLOCK_NEVER)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--align: a trace without a clock of its own cannot be aligned");
	for (size_t i = 0; i < trace->set.count; i++) {
		const struct trace_file *file = &trace->set.files[i];

		if (file->format->kind != TRACE_JOBS)
			continue;
		prefix_of(file->source.name, &given, prefixes[count]);
		if (prefixes[count][0] == '\0' || taken(prefixes, count))
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "two traces with the prefix \"%s\"; give each its own: "
				       "--prefix a,b",
				       prefixes[count]);
		trace_edit_shift(edit, file->first_job, file->job_count, prefixes[count],
				 align ? file->summary.first_submit - first : 0);
		count++;
	}
	edit->origin = align ? first : CLOCK_NEVER;
	trace_edit_sort(edit);
	return ERR_OK;
}

/* ---- writing ---- */

static enum err_code find_writer(const struct cmd_args *args, const char *path,
				 const struct trace_writer **out, struct err *err)
{
	const char *name = cmd_value(args, "output");

	if (name == NULL && trace_write_ending(path, err) != ERR_OK)
		return err->code;
	*out = name != NULL ? trace_write_find(name) : trace_write_of_name(path);
	if (name == NULL && *out == NULL)
		*out = trace_write_find("csv");
	if (*out != NULL)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "-o \"%.50s\": a trace is written as csv, jsonl or swf", name);
}

static enum err_code write_jobs(const struct cmd_trace *trace, const struct trace_edit *edit,
				struct err *err)
{
	const char *path = cmd_value(trace->args, "write");
	const struct trace_writer *writer;
	struct trace_lost lost;
	struct output output;
	char text[REMARK_TEXT];
	enum err_code code;

	path = path != NULL ? path : "-";
	code = find_writer(trace->args, path, &writer, err);
	if (code == ERR_OK)
		code = output_open(&output, path, trace->context->out, err);
	if (code != ERR_OK)
		return code;
	writer->write(output.file, edit, &lost);
	code = output_close(&output, err);
	for (uint32_t i = 0; code == ERR_OK && trace_write_remark(&lost, i, text, sizeof(text));
	     i++)
		fprintf(trace->context->err, "gqsim: %s\n", text);
	return code;
}

enum err_code cmd_trace_edit(const struct cmd_trace *trace, const char *verb, struct err *err)
{
	char(*prefixes)[PREFIX_TEXT] = mem_calloc(trace->set.count, sizeof(*prefixes));
	enum err_code code = ERR_OK;
	struct trace_edit edit;

	trace_edit_init(&edit, trace->builder);
	edit.origin = cmd_trace_clock(&trace_set_first(&trace->set)->summary);
	if (strcmp(verb, "slice") == 0)
		code = slice(trace, &edit, err);
	else if (strcmp(verb, "scale") == 0)
		code = scale(trace, &edit, err);
	else if (strcmp(verb, "merge") == 0)
		code = merge(trace, &edit, prefixes, err);
	if (code == ERR_OK && edit.count == 0)
		code = err_set(err, ERR_VALUE, NULL, 0, 0, "no job is left: nothing is written");
	if (code == ERR_OK)
		code = write_jobs(trace, &edit, err);
	trace_edit_free(&edit);
	mem_free(prefixes);
	return code;
}
