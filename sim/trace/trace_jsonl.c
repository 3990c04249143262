/* trace_jsonl.c - gqsim's own job list as JSON lines: an object a line, with the names of
 * the CSV's columns as keys. Lists are arrays, requests and node selectors objects:
 *
 *   {"name": "a", "submit_s": 0, "duration_s": 60, "requests": {"nvidia.com/gpu": 1}}
 *
 * A key that the CSV has no column for is ignored and told, as an unknown column is.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_jobs.h"
#include "sim/yaml/yaml_json.h"

/* Where the reader is, and the cells of its line: each key of the first line that is a
 * column, or of a later line, has one. */
struct reader {
	struct source_lines lines;
	struct csv csv; /* a row made of JSON */
	struct csv_field cells[TRACE_JOBS_COLUMNS];
	uint32_t index[TRACE_JOBS_COLUMNS];
	const struct csv_column *columns;
	uint32_t column_count;
	struct mem_arena *arena; /* texts of the line */
	struct builder *builder;
	struct name_table *unknown; /* keys that were told; NULL: nothing is */
	struct err *err;
};

static enum err_code wrong(struct reader *r, const char *sentence)
{
	return err_set(r->err, ERR_SYNTAX, r->lines.file, r->csv.line, 1, "%s", sentence);
}

/* The next line that is not blank; NULL at the end. */
static enum err_code next_line(struct reader *r, const char **line, size_t *len)
{
	enum err_code code;

	do {
		code = source_next_line(&r->lines, line, len, r->err);
		while (code == ERR_OK && *line != NULL && *len > 0 &&
		       ((*line)[*len - 1] == '\r' || (*line)[*len - 1] == ' '))
			(*len)--;
	} while (code == ERR_OK && *line != NULL && *len == 0);
	r->csv.line = r->lines.number;
	return code;
}

/* Texts as they are, numbers as JSON writes them; NULL: nothing that a cell can hold. */
static const char *scalar(struct reader *r, const cJSON *item)
{
	char *printed;
	const char *text;

	if (cJSON_IsString(item))
		return mem_arena_strdup(r->arena, item->valuestring);
	if (cJSON_IsNull(item))
		return "";
	if (!cJSON_IsNumber(item))
		return NULL;
	printed = cJSON_PrintUnformatted(item);
	text = mem_arena_strdup(r->arena, printed != NULL ? printed : "");
	cJSON_free(printed);
	return text;
}

/* "a;b;c" of an array, "k=v;k=v" of an object. */
static const char *joined(struct reader *r, const cJSON *list)
{
	const cJSON *item;
	size_t size = 1;
	char *text;

	cJSON_ArrayForEach(item, list)
	{
		const char *value = scalar(r, item);

		if (value == NULL)
			return NULL;
		size += strlen(value) + (item->string != NULL ? strlen(item->string) : 0) + 2;
	}
	text = mem_arena_alloc(r->arena, size);
	cJSON_ArrayForEach(item, list)
	{
		if (item != list->child)
			strcat(text, ";");
		if (item->string != NULL) {
			strcat(text, item->string);
			strcat(text, "=");
		}
		strcat(text, scalar(r, item));
	}
	return text;
}

static uint32_t column_of(const struct reader *r, const char *key)
{
	for (uint32_t c = 0; c < r->column_count; c++)
		for (int a = 0; a < CSV_ALIASES && r->columns[c].names[a] != NULL; a++)
			if (strcmp(r->columns[c].names[a], key) == 0)
				return c;
	return CSV_NONE;
}

/* Told once. */
static enum err_code unknown_key(struct reader *r, const char *key)
{
	const struct place where = {.file = r->lines.file, .line = r->csv.line};
	uint32_t count = r->unknown != NULL ? name_count(r->unknown) : 0;

	if (r->unknown == NULL || name_add(r->unknown, key) < count)
		return ERR_OK;
	return trace_jobs_unknown(r->builder, where, key, r->err);
}

static enum err_code read_member(struct reader *r, const cJSON *item)
{
	uint32_t column = column_of(r, item->string);
	const char *text;

	if (column == CSV_NONE)
		return unknown_key(r, item->string);
	if (r->cells[column].len > 0)
		return err_set(r->err, ERR_DUPLICATE, r->lines.file, r->csv.line, 1,
			       "a second \"%.60s\"", item->string);
	text = cJSON_IsArray(item) || cJSON_IsObject(item) ? joined(r, item) : scalar(r, item);
	if (text == NULL)
		return err_set(r->err, ERR_SYNTAX, r->lines.file, r->csv.line, 1,
			       "\"%.60s\" must be a text, a number, or a list of such",
			       item->string);
	r->cells[column] = (struct csv_field){.text = text, .len = strlen(text)};
	return ERR_OK;
}

/* The line with escapes that cJSON takes, and as Go's encoding/json reads them. */
static enum err_code mend_escapes(struct reader *r, const char **line, size_t len)
{
	const char *zero = yaml_json_zero(*line, len);
	char *text;

	if (zero != NULL && r->builder != NULL) /* not a probe */
		return err_set(r->err, ERR_SYNTAX, r->lines.file, r->csv.line, zero - *line + 1,
			       YAML_JSON_ZERO);
	if (memchr(*line, '\\', len) == NULL)
		return ERR_OK;
	text = mem_arena_strndup(r->arena, *line, len);
	yaml_json_mend(text, len);
	*line = text;
	return ERR_OK;
}

static enum err_code read_cells(struct reader *r, const char *line, size_t len)
{
	enum err_code code;
	const cJSON *item;
	cJSON *object;

	mem_arena_reset(r->arena);
	code = mend_escapes(r, &line, len);
	if (code != ERR_OK)
		return code;
	object = cJSON_ParseWithLength(line, len);
	for (uint32_t i = 0; i < r->column_count; i++)
		r->cells[i] = (struct csv_field){.text = ""};
	if (!cJSON_IsObject(object))
		code = wrong(r, "malformed JSON: a line is one object, {\"submit_s\": 0, ...}");
	if (code == ERR_OK)
		cJSON_ArrayForEach(item, object) if (code == ERR_OK) code = read_member(r, item);
	cJSON_Delete(object);
	return code;
}

static void begin(struct reader *r, const struct source *source, struct err *err)
{
	*r = (struct reader){.lines = source_lines(source), .err = err};
	r->columns = trace_jobs_columns(&r->column_count);
	r->arena = mem_arena_new();
	r->csv.file = source->name;
	r->csv.fields = r->cells;
	r->csv.count = r->column_count;
	for (uint32_t i = 0; i < r->column_count; i++)
		r->index[i] = i;
}

bool trace_jsonl_probe(const char *head, size_t size)
{
	const struct source source = {.name = "", .data = head, .size = size};
	struct reader r;
	struct err ignored;
	const char *line;
	size_t len;
	bool found;

	begin(&r, &source, &ignored);
	found = next_line(&r, &line, &len) == ERR_OK && line != NULL && line[0] == '{' &&
		read_cells(&r, line, len) == ERR_OK;
	for (uint32_t i = 0; i < r.column_count && found; i++)
		if (r.columns[i].required)
			found = r.cells[i].len > 0;
	mem_arena_free(r.arena);
	return found;
}

enum err_code trace_jsonl_load(const struct source *source, const struct trace_options *options,
			       struct builder *builder, struct trace_summary *summary,
			       struct err *err)
{
	enum err_code code = ERR_OK;
	struct trace_jobs *jobs;
	struct reader r;
	const char *line;
	size_t len;

	begin(&r, source, err);
	r.builder = builder;
	r.unknown = name_new();
	jobs = trace_jobs_new(builder, options, summary, &r.csv, r.index, false);
	while (code == ERR_OK) {
		code = next_line(&r, &line, &len);
		if (code != ERR_OK || line == NULL)
			break;
		code = read_cells(&r, line, len);
		if (code == ERR_OK)
			code = trace_jobs_row(jobs, err);
		if (code != ERR_OK)
			code = trace_jobs_leave_out(jobs, err);
	}
	trace_jobs_tell_others(jobs);
	trace_jobs_free(jobs);
	name_free(r.unknown);
	mem_arena_free(r.arena);
	return code;
}
