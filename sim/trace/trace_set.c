#include "sim/trace/trace_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/trace/trace_capacity.h"

#define SHARE_OF_A_GPU 1000
#define REMARK_TEXT    300

struct trace_file *trace_set_add(struct trace_set *set, const struct source *source,
				 const struct trace_format *format)
{
	set->files = mem_grow(set->files, set->count + 1, &set->capacity, sizeof(*set->files));
	set->files[set->count] = (struct trace_file){.source = *source, .format = format};
	return &set->files[set->count++];
}

/* Several traces may look into them: all of each is at hand. */
static enum err_code gather_companions(struct trace_set *set, struct err *err)
{
	set->companion_count = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct trace_file *file = &set->files[i];

		if (file->format->kind != TRACE_COMPANION)
			continue;
		if (source_whole(&file->source, err) != ERR_OK)
			return err->code;
		set->companions = mem_grow(set->companions, set->companion_count + 1,
					   &set->companion_capacity, sizeof(*set->companions));
		set->companions[set->companion_count++] = file->source;
	}
	return ERR_OK;
}

void trace_set_free(struct trace_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		source_close(&set->files[i].source);
	mem_free(set->files);
	mem_free(set->companions);
	*set = (struct trace_set){.files = NULL};
}

size_t trace_set_job_files(const struct trace_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += set->files[i].format->kind == TRACE_JOBS;
	return count;
}

const struct trace_file *trace_set_first(const struct trace_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->files[i].format->kind == TRACE_JOBS)
			return &set->files[i];
	return NULL;
}

enum err_code trace_set_nodes(struct trace_set *set, struct builder *builder, struct err *err)
{
	const struct trace_options options = {.gpus_per_node = 0};
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < set->count && code == ERR_OK; i++) {
		const struct trace_file *file = &set->files[i];
		struct trace_summary ignored;

		if (file->format->kind == TRACE_NODES)
			code = trace_read(file->format, &file->source, &options, builder, &ignored,
					  err);
	}
	return code;
}

/* "3 rows", "1 row" */
static void count_text(char *text, size_t size, uint64_t count, const char *what)
{
	snprintf(text, size, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

#define DESCRIBED 10 /* counters of describe() */

/* One of the counters; false if it has nothing to tell. */
static bool describe(const struct trace_summary *s, uint32_t index, char *text, size_t size)
{
	const struct {
		uint64_t count;
		const char *what, *rest;
	} rows[] = {
		{s->clamped_waits, "job", "started before submitted: no wait is recorded"},
		{s->dropped_attempts, "unusable attempt", "of other jobs dropped"},
		{s->gpu_time_mismatches, "row", "whose gpu_time is not duration x GPUs"},
		{s->never_scheduled, "job",
		 "never scheduled: taken to work for as long as it was there"},
		{s->repeated_names, "job", "with the name of an earlier one: known by its row"},
		{s->assumed_durations, "job", "without a duration: 1 h is assumed"},
		{s->dependent, "job",
		 "naming a preceding job: submitted its think time after that one's end "
		 "(--dependencies ignore: when the list says)"},
		{s->orphans, "job",
		 "naming a preceding job that is no earlier one here: submitted when the list "
		 "says"},
		{s->censored, "job", "running on at the end of the trace: taken to end with it"},
		{s->models_dropped, "job",
		 "asking for a GPU model that no node is of: any will do"},
	};
	char count[60];

	_Static_assert(sizeof(rows) / sizeof(rows[0]) == DESCRIBED, "all are looked at");
	if (rows[index].count == 0)
		return false;
	count_text(count, sizeof(count), rows[index].count, rows[index].what);
	snprintf(text, size, "%s %s", count, rows[index].rest);
	return true;
}

bool trace_set_remark(const struct trace_summary *summary, uint32_t index, char *text, size_t size,
		      long *line)
{
	char count[60];
	uint32_t seen = summary->reason_count;

	*line = 0;
	if (index < summary->reason_count) {
		count_text(count, sizeof(count), summary->skipped[index].count, "row");
		snprintf(text, size, "%s left out: %s; the first is here", count,
			 summary->skipped[index].reason);
		*line = summary->skipped[index].line;
		return true;
	}
	for (uint32_t i = 0; i < DESCRIBED; i++)
		if (describe(summary, i, text, size) && seen++ == index)
			return true;
	if (summary->note != NULL && seen++ == index) {
		snprintf(text, size, "%s", summary->note);
		return true;
	}
	if (summary->not_modelled == NULL || seen != index)
		return false;
	snprintf(text, size, "not modelled: %s", summary->not_modelled);
	return true;
}

static void tell_remark(struct builder *builder, bool rows_left_out, struct place where,
			const char *text)
{
	if (rows_left_out)
		builder_fault(builder, FINDING_WARNING, "rows-left-out", where,
			      "correct these rows; or delete them, if they are rightly left out",
			      "%s", text);
	else
		builder_finding(builder, FINDING_NOTE, where, "%s", text);
}

static void tell(struct builder *builder, const struct trace_summary *summary)
{
	struct trace_summary own = *summary;
	char text[REMARK_TEXT];
	long line;

	own.not_modelled = NULL;
	for (uint32_t i = 0; trace_set_remark(&own, i, text, sizeof(text), &line); i++)
		tell_remark(builder, i < summary->reason_count,
			    (struct place){.file = summary->file, .line = line}, text);
	if (summary->not_modelled != NULL)
		builder_finding(builder, FINDING_NOT_MODELLED,
				(struct place){.file = summary->file}, "%s", summary->not_modelled);
}

static enum err_code read_jobs(struct trace_file *file, const struct trace_options *options,
			       struct builder *builder, struct err *err)
{
	enum err_code code;
	uint32_t before, told;

	builder_findings(builder, &before);
	file->first_job = builder_job_count(builder);
	code = trace_read(file->format, &file->source, options, builder, &file->summary, err);
	file->job_count = builder_job_count(builder) - file->first_job;
	if (code != ERR_OK)
		return code;
	if (file->summary.has_clock)
		builder_origin(builder, file->summary.first_submit);
	tell(builder, &file->summary);
	builder_findings(builder, &told);
	if (file->job_count == 0 && told == before)
		builder_fault(builder, FINDING_WARNING, "list-without-jobs",
			      (struct place){.file = file->source.name},
			      "see that this is the file that was meant, and that it is whole",
			      "no job comes of this list");
	return ERR_OK;
}

static void pass_over(struct trace_file *file, struct builder *builder)
{
	file->summary = (struct trace_summary){
		.format = file->format->name,
		.file = file->source.name,
		.note = "not read: it tells where pods really ran, and a replay places them itself",
	};
	tell(builder, &file->summary);
}

enum err_code trace_set_jobs(struct trace_set *set, const struct trace_options *options,
			     struct builder *builder, struct trace_summary *summary,
			     struct err *err)
{
	bool alone = trace_set_job_files(set) == 0, made_up = false;
	struct trace_options with = *options;
	enum err_code code = gather_companions(set, err);
	uint64_t seed = 0;
	uint32_t share;

	with.companions = set->companions;
	with.companion_count = (uint32_t)set->companion_count;
	for (size_t i = 0; i < set->count && code == ERR_OK; i++) {
		enum trace_kind kind = set->files[i].format->kind;

		if (kind == TRACE_UNUSED && !alone)
			pass_over(&set->files[i], builder);
		if (kind == TRACE_NODES || (kind != TRACE_JOBS && !alone))
			continue; /* alone, a companion says what it lacks */
		code = read_jobs(&set->files[i], &with, builder, err);
		*summary = set->files[i].summary;
		seed = summary->made_up ? summary->seed : seed;
		made_up = made_up || summary->made_up;
		summary->made_up = made_up;
		summary->seed = seed;
	}
	if (code == ERR_OK && builder_find_resource(builder, RES_GPU_MILLI, &share))
		builder_nodes_offer(builder, share, SHARE_OF_A_GPU);
	return code;
}

enum err_code trace_set_capacity(struct trace_set *set, struct builder *builder, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < set->count && code == ERR_OK; i++)
		if (set->files[i].format->kind == TRACE_CAPACITY)
			code = trace_capacity_apply(&set->files[i].source, builder, err);
	return code;
}

const struct source *trace_set_sizes(const struct trace_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->files[i].format->kind == TRACE_SIZES)
			return &set->files[i].source;
	return NULL;
}
