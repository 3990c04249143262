/* trace_philly.c - Microsoft Philly's cluster_job_log (CATALOG 2.1): one JSON
 * array of jobs, each with its attempts.
 *
 * The array is walked element by element; only one job at a
 * time becomes a tree. A job's service is the sum of its usable attempts. An
 * attempt without a start or an end, that does not end after its start, or that
 * has no GPU is dropped. On request each attempt is a job that comes as the one before it
 * ends, and one that still runs does so until the last moment of the file. The job is
 * skipped when nothing is left:
 *   bad_time                   a time that cannot be read
 *   no_attempts                never ran
 *   no_submit_time
 *   still_running_at_snapshot  its last attempt has no end yet
 *   zero_gpus                  it has times, but no GPU
 *   no_usable_attempt          anything else
 */
#include "sim/trace/trace_philly.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "core/res.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_list.h"
#include "sim/trace/trace_pods.h"
#include "sim/yaml/yaml_json.h"

#define STILL_RUNNING "still_running_at_snapshot"
#define NAME_TEXT     256
#define MENDED_FIRST  ((size_t)64 << 10) /* bytes of a copy; more when the element is longer */

/* Where the reader is in the file. */
struct cursor {
	const char *file;
	const char *at, *end;
	struct source_window window;
	const char *counted; /* line ends before it are in line */
	long column;	     /* bytes of the line before counted */
	long line;
	struct trace_philly_attempt *list; /* of the job being read; owned */
	size_t list_capacity;
	struct err *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void count_lines(struct cursor *c)
{
	const char *newline;

	while (c->counted < c->at &&
	       (newline = memchr(c->counted, '\n', (size_t)(c->at - c->counted))) != NULL) {
		c->line++;
		c->counted = newline + 1;
		c->column = 0;
	}
	c->column += c->at - c->counted;
	c->counted = c->at;
}

static enum err_code wrong_here(struct cursor *c, const char *sentence)
{
	count_lines(c);
	return err_set(c->err, ERR_SYNTAX, c->file, c->line, c->column + 1, "%s", sentence);
}

/* A byte that no JSON has, and behind which cJSON sees nothing. */
static enum err_code refuse_nul(struct cursor *c, const char *from)
{
	const char *nul = from < c->end ? memchr(from, '\0', (size_t)(c->end - from)) : NULL;

	if (nul == NULL)
		return ERR_OK;
	c->at = nul;
	return wrong_here(c, "a NUL byte: is this a text file?");
}

/* What is before the cursor goes, more of the file comes behind its end. */
static enum err_code read_on(struct cursor *c)
{
	size_t known = (size_t)(c->end - c->at);

	count_lines(c);
	c->window.at = c->at;
	if (source_more(&c->window, c->err) != ERR_OK)
		return c->err->code;
	c->at = c->counted = c->window.at;
	c->end = c->window.end;
	return refuse_nul(c, c->at + known);
}

static enum err_code skip_blanks(struct cursor *c)
{
	enum err_code code = ERR_OK;

	while (code == ERR_OK) {
		while (c->at < c->end && is_blank(*c->at))
			c->at++;
		if (c->at < c->end || c->window.flow == NULL)
			break;
		code = read_on(c);
	}
	return code;
}

/* A text of a job; NULL if it is absent. */
static const char *text_of(const cJSON *item)
{
	return item != NULL && cJSON_IsString(item) ? item->valuestring : NULL;
}

static enum err_code wrong_job(struct cursor *c, const struct trace_philly_job *job,
			       const char *sentence, const char *text)
{
	return err_set(c->err, ERR_SYNTAX, c->file, job->line, 0, "job \"%.80s\": %s%.60s",
		       job->id != NULL ? job->id : "?", sentence, text);
}

/* Picks the members of an object by name; found[i] stays NULL where absent. */
static enum err_code members(struct cursor *c, const struct trace_philly_job *job,
			     const cJSON *object, const char *const *names, const cJSON **found)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return wrong_job(c, job, "an object was expected, with ", names[0]);
	cJSON_ArrayForEach(member, object)
	{
		for (int i = 0; names[i] != NULL; i++) {
			if (strcmp(names[i], member->string) != 0)
				continue;
			if (found[i] != NULL)
				return wrong_job(c, job, "there twice: ", names[i]);
			found[i] = member;
		}
	}
	return ERR_OK;
}

/* An absent time, null, "" and "None" all stand for "not known"; what cannot be read leaves
 * the job out. */
static void read_time(struct trace_philly_job *job, const cJSON *item, bool *known, simtime *out)
{
	const char *text = text_of(item);

	*known = false;
	if (item == NULL || cJSON_IsNull(item))
		return;
	if (text != NULL && (text[0] == '\0' || strcmp(text, "None") == 0))
		return;
	*known = text != NULL && trace_read_clock(text, strlen(text), out);
	if (!*known)
		job->skipped = "bad_time";
}

struct attempt {
	simtime start, end;
	bool has_start, has_end;
	uint64_t gpus;
	uint32_t servers;
};

/* Entries of an array; none where there is no array. */
static enum err_code array_size(struct cursor *c, const struct trace_philly_job *job,
				const cJSON *item, const char *what, uint32_t *out)
{
	*out = 0;
	if (item == NULL || cJSON_IsNull(item))
		return ERR_OK;
	if (!cJSON_IsArray(item))
		return wrong_job(c, job, "must be an array: ", what);
	*out = (uint32_t)cJSON_GetArraySize(item);
	return ERR_OK;
}

static enum err_code read_detail(struct cursor *c, const struct trace_philly_job *job,
				 const cJSON *detail, struct attempt *out)
{
	static const char *const names[] = {"gpus", NULL};
	const cJSON *server;

	if (array_size(c, job, detail, "detail", &out->servers) != ERR_OK)
		return c->err->code;
	cJSON_ArrayForEach(server, detail)
	{
		const cJSON *gpus = NULL;
		uint32_t count;

		if (members(c, job, server, names, &gpus) != ERR_OK ||
		    array_size(c, job, gpus, "gpus", &count) != ERR_OK)
			return c->err->code;
		out->gpus += count;
	}
	if (out->gpus > TRACE_PODS_GPUS_MAX)
		return wrong_job(c, job, "more GPUs than any cluster has", "");
	return ERR_OK;
}

static enum err_code read_attempt(struct cursor *c, struct trace_philly_job *job, const cJSON *item,
				  struct attempt *out)
{
	static const char *const names[] = {"start_time", "end_time", "detail", NULL};
	const cJSON *found[3] = {NULL};
	enum err_code code;

	*out = (struct attempt){0};
	code = members(c, job, item, names, found);
	if (code != ERR_OK)
		return code;
	read_time(job, found[0], &out->has_start, &out->start);
	read_time(job, found[1], &out->has_end, &out->end);
	return read_detail(c, job, found[2], out);
}

static void list_attempt(struct cursor *c, struct trace_philly_job *job,
			 const struct attempt *attempt, simtime end)
{
	c->list = mem_grow(c->list, (size_t)job->listed + 1, &c->list_capacity, sizeof(*c->list));
	c->list[job->listed++] = (struct trace_philly_attempt){
		.start = attempt->start, .end = end, .gpus = (uint32_t)attempt->gpus};
}

static void use(struct cursor *c, struct trace_philly_job *job, const struct attempt *attempt)
{
	list_attempt(c, job, attempt, attempt->end);
	if (job->used == 0) {
		job->servers = attempt->servers;
		job->first_start = attempt->start;
		job->last_end = attempt->end;
	}
	if (attempt->start < job->first_start)
		job->first_start = attempt->start;
	if (attempt->end > job->last_end)
		job->last_end = attempt->end;
	if (attempt->gpus > job->gpus)
		job->gpus = (uint32_t)attempt->gpus;
	job->service = clock_add(job->service, attempt->end - attempt->start);
	job->used++;
}

static void see(struct trace_philly_job *job, bool known, simtime moment)
{
	if (known && moment > job->latest)
		job->latest = moment;
}

/* Adds up the attempts; *without says what is the matter if none is usable. */
static enum err_code read_attempts(struct cursor *c, struct trace_philly_job *job,
				   const cJSON *attempts, const char **without)
{
	struct attempt attempt = {0};
	const cJSON *item;
	bool gpus_missing = false;

	if (array_size(c, job, attempts, "attempts", &job->attempts) != ERR_OK)
		return c->err->code;
	cJSON_ArrayForEach(item, attempts)
	{
		if (read_attempt(c, job, item, &attempt) != ERR_OK)
			return c->err->code;
		see(job, attempt.has_start, attempt.start);
		see(job, attempt.has_end, attempt.end);
		if (!attempt.has_start || !attempt.has_end || attempt.end <= attempt.start)
			continue;
		if (attempt.gpus == 0)
			gpus_missing = true;
		else
			use(c, job, &attempt);
	}
	job->runs = attempt.has_start && !attempt.has_end && attempt.gpus > 0; /* the last one */
	if (job->runs)
		list_attempt(c, job, &attempt, CLOCK_NEVER);
	if (attempt.has_start && !attempt.has_end)
		*without = STILL_RUNNING;
	else
		*without = gpus_missing ? "zero_gpus" : "no_usable_attempt";
	return ERR_OK;
}

static enum err_code read_job(struct cursor *c, const cJSON *item, struct trace_philly_job *job)
{
	static const char *const names[] = {
		"jobid", "vc", "status", "submitted_time", "attempts", NULL,
	};
	const cJSON *found[5] = {NULL};
	bool submitted = false;
	const char *without = NULL;
	enum err_code code;

	count_lines(c);
	*job = (struct trace_philly_job){.line = c->line};
	code = members(c, job, item, names, found);
	job->id = text_of(found[0]);
	job->vc = text_of(found[1]);
	job->status = text_of(found[2]);
	read_time(job, found[3], &submitted, &job->submit);
	if (code == ERR_OK)
		code = read_attempts(c, job, found[4], &without);
	see(job, submitted, job->submit);
	job->list = c->list;
	if (job->skipped != NULL)
		return code;
	if (job->attempts == 0)
		job->skipped = "no_attempts";
	else if (!submitted)
		job->skipped = "no_submit_time";
	else if (job->used == 0)
		job->skipped = without;
	return code;
}

/* The element at the cursor with escapes that cJSON takes: half of a pair is U+FFFD, as in JSON
 * lines. NULL: that is not all that is wrong with it. */
static cJSON *parse_mended(const struct cursor *c, const char **end)
{
	size_t there = (size_t)(c->end - c->at), size = MENDED_FIRST;
	cJSON *item = NULL;
	const char *stop;
	char *copy;

	if (memchr(c->at, '\\', there) == NULL)
		return NULL;
	for (bool all = false; item == NULL && !all; size *= 2) {
		all = size >= there;
		copy = mem_dup(c->at, all ? there : size);
		yaml_json_mend(copy, all ? there : size);
		item = cJSON_ParseWithLengthOpts(copy, all ? there : size, &stop, 0);
		*end = c->at + (stop - copy);
		mem_free(copy);
	}
	return item;
}

/* An element that ends there, whose texts end where they seem to. */
static enum err_code refuse_zero(struct cursor *c, const char *end)
{
	const char *zero = yaml_json_zero(c->at, (size_t)(end - c->at));

	if (zero == NULL)
		return ERR_OK;
	c->at = zero;
	return wrong_here(c, YAML_JSON_ZERO);
}

/* One element of the array, at the cursor; all of it is brought to hand. */
static enum err_code parse(struct cursor *c, cJSON **item, const char **end)
{
	for (;;) {
		*item = cJSON_ParseWithLengthOpts(c->at, (size_t)(c->end - c->at), end, 0);
		if (*item == NULL)
			*item = parse_mended(c, end);
		if (*item != NULL)
			return ERR_OK;
		if (c->window.flow == NULL)
			break;
		if (read_on(c) != ERR_OK)
			return c->err->code;
	}
	c->at = *end != NULL && *end >= c->at && *end <= c->end ? *end : c->at;
	return wrong_here(c, "malformed JSON");
}

static enum err_code read_element(struct cursor *c, trace_philly_visit *visit, void *context)
{
	struct trace_philly_job job;
	const char *end = NULL;
	enum err_code code;
	cJSON *item;

	code = parse(c, &item, &end);
	if (code != ERR_OK)
		return code;
	code = refuse_zero(c, end);
	if (code == ERR_OK)
		code = read_job(c, item, &job);
	if (code == ERR_OK)
		visit(context, &job);
	cJSON_Delete(item);
	c->at = end;
	return code;
}

/* Begins at the array and leaves the cursor behind it. */
static enum err_code read_array(struct cursor *c, trace_philly_visit *visit, void *context)
{
	bool first = true;

	for (;; first = false) {
		c->at++; /* the bracket, or a comma */
		if (skip_blanks(c) != ERR_OK)
			return c->err->code;
		if (first && c->at < c->end && *c->at == ']')
			break;
		if (read_element(c, visit, context) != ERR_OK || skip_blanks(c) != ERR_OK)
			return c->err->code;
		if (c->at == c->end)
			return wrong_here(c, "the file ends inside the array of jobs");
		if (*c->at == ']')
			break;
		if (*c->at != ',')
			return wrong_here(c, "a comma or the end of the array was expected");
	}
	c->at++;
	return ERR_OK;
}

static const char *skip_mark(const char *data, size_t size)
{
	return size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? data + 3 : data;
}

static enum err_code read_file(struct cursor *c, trace_philly_visit *visit, void *context)
{
	if (refuse_nul(c, c->at) != ERR_OK || skip_blanks(c) != ERR_OK)
		return c->err->code;
	if (c->at == c->end || *c->at != '[')
		return wrong_here(c, "a JSON array of jobs was expected, beginning with [");
	if (read_array(c, visit, context) != ERR_OK || skip_blanks(c) != ERR_OK)
		return c->err->code;
	return c->at < c->end ? wrong_here(c, "text behind the array of jobs") : ERR_OK;
}

enum err_code trace_philly_read(const struct source *source, trace_philly_visit *visit,
				void *context, struct err *err)
{
	struct cursor c = {.file = source->name,
			   .window = source_window(source),
			   .at = skip_mark(source->data, source->size),
			   .end = source->data + source->size,
			   .line = 1,
			   .err = err};
	enum err_code code;

	c.counted = c.at;
	code = read_file(&c, visit, context);
	mem_free(c.list);
	return code;
}

static bool contains(const char *text, size_t size, const char *wanted)
{
	size_t len = strlen(wanted);

	for (const char *at = text; size >= len; size--, at++)
		if (*at == *wanted && memcmp(at, wanted, len) == 0)
			return true;
	return false;
}

bool trace_philly_probe(const char *head, size_t size)
{
	const char *at = skip_mark(head, size), *end = head + size;

	while (at < end && is_blank(*at))
		at++;
	size = (size_t)(end - at);
	return size > 0 && *at == '[' &&
	       (contains(at, size, "\"submitted_time\"") || contains(at, size, "\"attempts\""));
}

/* From what the file says to rows. */
struct loader {
	const struct trace_options *options;
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_list list;
};

static uint32_t string_or_none(struct builder *builder, const char *text)
{
	return text != NULL && text[0] != '\0' ? builder_string(builder, text, strlen(text))
					       : NAME_NONE;
}

static void runs_on(struct trace_row *row, const struct trace_philly_attempt *attempt)
{
	row->unfinished = true;
	row->since = attempt->start;
	row->gpus = attempt->gpus > row->gpus ? attempt->gpus : row->gpus;
}

/* All its attempts are one job. */
static void take_whole(struct loader *l, const struct trace_philly_job *job, struct trace_row *row)
{
	row->submit = job->submit;
	row->duration = job->service;
	row->gpus = job->gpus;
	row->start = job->used > 0 ? job->first_start : job->list[0].start;
	if (l->options->keep_unfinished && job->runs)
		runs_on(row, &job->list[job->listed - 1]);
	trace_list_add(&l->list, row);
}

/* "application_14199", then "application_14199-2" and so on. */
static uint32_t name_of(struct loader *l, const struct trace_philly_job *job, uint32_t attempt)
{
	char name[NAME_TEXT];

	if (attempt == 0 || job->id == NULL)
		return string_or_none(l->builder, job->id);
	snprintf(name, sizeof(name), "%.*s-%u", NAME_TEXT - 12, job->id, attempt + 1);
	return builder_string(l->builder, name, strlen(name));
}

/* Each comes as the one before it ends, which failed. */
static void take_attempts(struct loader *l, const struct trace_philly_job *job,
			  const struct trace_row *like)
{
	uint32_t count = l->options->keep_unfinished ? job->listed : job->used;

	l->summary->rows--;
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_philly_attempt *attempt = &job->list[i];
		struct trace_row row = *like;

		row.row = (uint32_t)l->summary->rows++;
		row.name = name_of(l, job, i);
		row.submit = i == 0 ? job->submit : job->list[i - 1].end;
		row.start = attempt->start;
		row.gpus = attempt->gpus;
		row.burned = i + 1 == count ? like->burned : JOB_CRASHED;
		if (attempt->end == CLOCK_NEVER)
			runs_on(&row, attempt);
		else
			row.duration = attempt->end - attempt->start;
		trace_list_add(&l->list, &row);
	}
}

/* Does it have work that is known? */
static bool is_left_out(const struct loader *l, const struct trace_philly_job *job)
{
	if (job->skipped == NULL)
		return false;
	return !l->options->keep_unfinished || !job->runs ||
	       strcmp(job->skipped, STILL_RUNNING) != 0;
}

static void take(void *context, const struct trace_philly_job *job)
{
	struct loader *l = context;
	struct trace_row row = {.row = (uint32_t)l->summary->rows, .line = job->line};

	l->summary->rows++;
	trace_list_saw(&l->list, job->latest);
	if (job->status != NULL)
		row.burned = trace_state(l->summary, job->status, strlen(job->status));
	if (is_left_out(l, job)) {
		trace_skip(l->summary, job->skipped, job->line);
		return;
	}
	row.vc = string_or_none(l->builder, job->vc);
	row.name = string_or_none(l->builder, job->id);
	row.has_start = true;
	l->summary->dropped_attempts +=
		job->attempts - (l->options->keep_unfinished ? job->listed : job->used);
	if (l->options->separate_attempts)
		take_attempts(l, job, &row);
	else
		take_whole(l, job, &row);
}

enum err_code trace_philly_load(const struct source *source, const struct trace_options *options,
				struct builder *builder, struct trace_summary *summary,
				struct err *err)
{
	struct loader l = {.options = options, .builder = builder, .summary = summary};
	enum err_code code = trace_philly_read(source, take, &l, err);

	if (code == ERR_OK)
		trace_list_build(&l.list, source->name, options, builder, summary);
	trace_list_free(&l.list);
	return code;
}
