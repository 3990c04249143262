#include "sim/trace/trace_lifecycle.h"

#include <string.h>

#include "core/mem.h"
#include "core/name.h"
#include "sim/trace/trace.h"

#define NO_FAILURE (-1)

/* One cell being read. */
struct reader {
	struct builder *builder;
	const struct csv *csv;
	struct csv_field field;
	uint32_t pods;
	struct err *err;
};

static uint32_t count_items(const struct csv_field *field)
{
	uint32_t count = field->len > 0 ? 1 : 0;

	for (size_t i = 0; i < field->len; i++)
		count += field->text[i] == ';' ? 1 : 0;
	return count;
}

/* The item that begins at *at; moves *at behind its separator. */
static struct csv_field next_item(const struct csv_field *field, size_t *at)
{
	const char *text = field->text + *at, *end;
	size_t rest = field->len - *at;

	end = rest == 0 ? NULL : memchr(text, ';', rest);
	rest = end == NULL ? rest : (size_t)(end - text);
	*at += end == NULL ? rest : rest + 1;
	return (struct csv_field){.text = text, .len = rest};
}

/* never_is: what "never" means; empty_is: what an empty item means. */
struct meaning {
	simtime empty_is;
	simtime never_is;
};

static enum err_code read_seconds(struct reader *r, const struct csv_field *item,
				  struct meaning meaning, simtime *out)
{
	const char *why;

	if (item->len == 0) {
		*out = meaning.empty_is;
		return ERR_OK;
	}
	if (csv_is(item, "never")) {
		*out = meaning.never_is;
		return ERR_OK;
	}
	if (trace_read_seconds(item->text, item->len, out, &why))
		return ERR_OK;
	return csv_error(r->csv, &r->field, (size_t)(item->text - r->field.text), ERR_VALUE, r->err,
			 "\"%.*s\" %s", csv_shown(item->len), item->text,
			 why != NULL ? why : "is not a number of seconds from 0 on, nor never");
}

/* A time after the first instant, for which 0 stands. */
static enum err_code read_instant(struct reader *r, simtime *out)
{
	enum err_code code = read_seconds(r, &r->field, (struct meaning){0, 0}, out);

	if (code == ERR_OK && *out == 0 && r->field.len > 0 && !csv_is(&r->field, "never"))
		*out = 1;
	return code;
}

static enum err_code read_times(struct reader *r, struct meaning meaning, const simtime **out,
				uint32_t *out_count)
{
	uint32_t count = count_items(&r->field);
	enum err_code code = ERR_OK;
	simtime *times;
	size_t at = 0;

	if (count == 0)
		return ERR_OK;
	times = mem_arena_alloc(builder_arena(r->builder), count * sizeof(*times));
	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		struct csv_field item = next_item(&r->field, &at);

		code = read_seconds(r, &item, meaning, &times[i]);
	}
	*out = times;
	*out_count = count;
	return code;
}

static enum err_code read_results(struct reader *r, const uint8_t **out, uint32_t *out_count)
{
	static const char *const names[] = {"Ready", "Retry", "Rejected"};
	uint32_t count = count_items(&r->field);
	uint8_t *results;
	size_t at = 0;

	if (count == 0)
		return ERR_OK;
	results = mem_arena_alloc(builder_arena(r->builder), count);
	for (uint32_t i = 0; i < count; i++) {
		struct csv_field item = next_item(&r->field, &at);

		while (results[i] < 3 && !csv_is(&item, names[results[i]]) && item.len > 0)
			results[i]++;
		if (results[i] == 3)
			return csv_error(r->csv, &r->field, (size_t)(item.text - r->field.text),
					 ERR_UNKNOWN, r->err,
					 "no check result \"%.*s\": Ready, Retry or Rejected",
					 csv_shown(item.len), item.text);
	}
	*out = results;
	*out_count = count;
	return ERR_OK;
}

static bool all_empty(const struct csv *csv, const uint32_t *index)
{
	for (int c = 0; c < TRACE_LIFECYCLE_COLUMNS; c++)
		if (index[c] != CSV_NONE && csv->fields[index[c]].len > 0)
			return false;
	return true;
}

const struct job_control *trace_lifecycle_crash(struct builder *builder, simtime after,
						uint32_t pods)
{
	struct job_control *control = mem_arena_alloc(builder_arena(builder), sizeof(*control));
	struct pod_fate *fate = mem_arena_alloc(builder_arena(builder), sizeof(*fate));

	*fate = (struct pod_fate){.index = JOB_NONE, .after = after, .code = 1};
	*control = (struct job_control){.controller = CONTROLLER_JOB,
					.completions = pods,
					.index_limit = JOB_NONE,
					.max_failed_indexes = JOB_NONE,
					.fates = fate,
					.fate_count = 1};
	return control;
}

static enum err_code read_crash(struct reader *r, struct job_extra *extra)
{
	simtime after = CLOCK_NEVER;
	enum err_code code =
		read_seconds(r, &r->field, (struct meaning){CLOCK_NEVER, CLOCK_NEVER}, &after);

	if (code == ERR_OK && after != CLOCK_NEVER)
		extra->control = trace_lifecycle_crash(r->builder, after, r->pods);
	return code;
}

/* Reads one column into its part of the record. */
static enum err_code read_column(struct reader *r, enum trace_lifecycle_column column,
				 struct job_extra *extra)
{
	struct meaning at_once = {.empty_is = 0, .never_is = CLOCK_NEVER};
	struct meaning not_at_all = {.empty_is = NO_FAILURE, .never_is = NO_FAILURE};
	struct meaning never = {.empty_is = CLOCK_NEVER, .never_is = CLOCK_NEVER};
	struct meaning no_limit = {.empty_is = 0, .never_is = 0};

	switch (column) {
	case TRACE_LIFECYCLE_READY:
		return read_times(r, at_once, &extra->ready, &extra->ready_count);
	case TRACE_LIFECYCLE_FAIL:
		return read_times(r, not_at_all, &extra->fail, &extra->fail_count);
	case TRACE_LIFECYCLE_RECOVER:
		return read_times(r, never, &extra->recover, &extra->recover_count);
	case TRACE_LIFECYCLE_MAX_EXECUTION:
		return read_seconds(r, &r->field, no_limit, &extra->max_execution);
	case TRACE_LIFECYCLE_CHECK:
		return read_times(r, at_once, &extra->check, &extra->check_count);
	case TRACE_LIFECYCLE_RESULT:
		return read_results(r, &extra->check_result, &extra->check_result_count);
	case TRACE_LIFECYCLE_RETRY:
		return read_times(r, no_limit, &extra->check_retry, &extra->check_retry_count);
	case TRACE_LIFECYCLE_CANCEL:
		return read_seconds(r, &r->field, never, &extra->cancel_at);
	case TRACE_LIFECYCLE_DEACTIVATE:
		return read_instant(r, &extra->deactivate_at);
	case TRACE_LIFECYCLE_REACTIVATE:
		return read_instant(r, &extra->reactivate_at);
	case TRACE_LIFECYCLE_CRASH:
		return read_crash(r, extra);
	case TRACE_LIFECYCLE_COLUMNS:
		break;
	}
	return ERR_OK;
}

/* ---- records that several rows share ---- */

/* Distinct cells that are remembered: where almost every row has its own there is nothing to
 * share. */
#define SHARED_MAX 4096

struct trace_lifecycle {
	struct builder *builder;
	struct name_table *cells; /* of a row, joined by "," */
	uint32_t *extras;	  /* [cells]; JOB_NONE: not to be shared */
	size_t extra_capacity;
	char *key;
	size_t key_capacity;
};

struct trace_lifecycle *trace_lifecycle_new(struct builder *builder)
{
	struct trace_lifecycle *l = mem_calloc(1, sizeof(*l));

	l->builder = builder;
	l->cells = name_new();
	return l;
}

void trace_lifecycle_free(struct trace_lifecycle *l)
{
	if (l == NULL)
		return;
	name_free(l->cells);
	mem_free(l->extras);
	mem_free(l->key);
	mem_free(l);
}

static size_t join_cells(struct trace_lifecycle *l, const struct csv *csv, const uint32_t *index)
{
	size_t length = 0;

	for (int c = 0; c < TRACE_LIFECYCLE_COLUMNS; c++) {
		struct csv_field field = csv_get(csv, index[c]);

		l->key = mem_grow(l->key, length + field.len + 1, &l->key_capacity, 1);
		if (field.len > 0)
			memcpy(l->key + length, field.text, field.len);
		length += field.len;
		l->key[length++] = ',';
	}
	return length;
}

/* The place for the record of these cells; NULL: full. */
static uint32_t *find_shared(struct trace_lifecycle *l, const struct csv *csv,
			     const uint32_t *index)
{
	uint32_t known = name_count(l->cells), at;
	size_t length = join_cells(l, csv, index);

	at = known < SHARED_MAX ? name_add_n(l->cells, l->key, length)
				: name_find_n(l->cells, l->key, length);
	if (at == NAME_NONE)
		return NULL;
	l->extras = mem_grow(l->extras, at + (size_t)1, &l->extra_capacity, sizeof(*l->extras));
	if (at == known)
		l->extras[at] = JOB_NONE;
	return &l->extras[at];
}

enum err_code trace_lifecycle_read(struct trace_lifecycle *lifecycle, const struct csv *csv,
				   const uint32_t index[TRACE_LIFECYCLE_COLUMNS], uint32_t pods,
				   uint32_t *extra, struct err *err)
{
	struct reader r = {.builder = lifecycle->builder, .csv = csv, .pods = pods, .err = err};
	struct job_extra record = {0};
	uint32_t *shared;

	*extra = JOB_NONE;
	if (all_empty(csv, index))
		return ERR_OK;
	shared = find_shared(lifecycle, csv, index);
	if (shared != NULL && *shared != JOB_NONE) {
		*extra = *shared;
		return ERR_OK;
	}
	for (int c = 0; c < TRACE_LIFECYCLE_COLUMNS; c++) {
		enum err_code code;

		r.field = csv_get(csv, index[c]);
		code = read_column(&r, (enum trace_lifecycle_column)c, &record);
		if (code != ERR_OK)
			return code;
	}
	*extra = builder_extra(lifecycle->builder, &record);
	/* What a controller was told hangs on the pods, and may change job by job. */
	if (shared != NULL && record.control == NULL)
		*shared = *extra;
	return ERR_OK;
}
