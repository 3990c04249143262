#include "sim/tool/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

#define SHOWN_MAX 60

void csv_init(struct csv *csv, const char *file, const char *data, size_t size)
{
	const struct source source = {.name = file, .data = data, .size = size};

	csv_open(csv, &source, ',', true);
}

void csv_open(struct csv *csv, const struct source *source, char separator, bool quotes)
{
	*csv = (struct csv){.file = source->name,
			    .window = source_window(source),
			    .next_line = 1,
			    .separator = separator,
			    .quotes = quotes};
	csv->special['\0'] = csv->special['\n'] = csv->special['\r'] = true;
	csv->special['"'] = quotes;
	csv->special[(unsigned char)separator] = true;
	csv->at = source->data;
	if (source->size >= 3 && memcmp(source->data, "\xEF\xBB\xBF", 3) == 0)
		csv->at += 3;
	csv->row = csv->first = csv->at;
	/* Until somebody has looked for a line's end, nothing is whole. */
	csv->end = source->flow != NULL ? csv->at : csv->window.end;
}

/* What is before at has been read: more lines. */
static enum err_code more_lines(struct csv *csv, struct err *err)
{
	enum err_code code;

	csv->window.at = csv->at;
	code = source_more_lines(&csv->window, &csv->end, err);
	csv->at = csv->window.at;
	csv->row = csv->first = csv->at;
	csv->block = NULL;
	return code;
}

void csv_free(struct csv *csv)
{
	mem_free(csv->fields);
	mem_free(csv->unquoted);
	csv->fields = NULL;
	csv->unquoted = NULL;
	csv->capacity = 0;
	csv->unquoted_cap = 0;
}

int csv_shown(size_t len)
{
	return len < SHOWN_MAX ? (int)len : SHOWN_MAX;
}

/* Not copied: the text stands in the input, at most behind a quote. */
static bool is_slice(const struct csv_field *field)
{
	return field->text == field->raw || field->text == field->raw + 1;
}

/* The line and column of a byte of the current row. */
static void locate(const struct csv *csv, const char *byte, long *line, long *column)
{
	const char *start = csv->row;

	*line = csv->line;
	for (const char *p = csv->row; p < byte; p++) {
		if (*p == '\n') {
			start = p + 1;
			(*line)++;
		}
	}
	*column = byte - start + 1;
}

static enum err_code syntax(const struct csv *csv, const char *byte, struct err *err,
			    const char *sentence)
{
	long line, column;

	locate(csv, byte, &line, &column);
	return err_set(err, ERR_SYNTAX, csv->file, line, column, "%s", sentence);
}

void csv_place(const struct csv *csv, const struct csv_field *field, size_t offset, long *line,
	       long *column)
{
	*line = csv->line;
	*column = 0;
	/* A copied field has lost count of its bytes: point at its beginning. */
	if (field->raw != NULL)
		locate(csv, is_slice(field) ? field->text + offset : field->raw, line, column);
}

enum err_code csv_error(const struct csv *csv, const struct csv_field *field, size_t offset,
			enum err_code code, struct err *err, const char *fmt, ...)
{
	char msg[sizeof(err->msg)];
	long line, column;
	va_list args;

	csv_place(csv, field, offset, &line, &column);
	va_start(args, fmt);
	vsnprintf(msg, sizeof(msg), fmt, args);
	va_end(args);
	return err_set(err, code, csv->file, line, column, "%s", msg);
}

/* Behind the line end at p, or NULL if there is none. */
static const char *line_end(const char *p, const char *end)
{
	if (p < end && *p == '\n')
		return p + 1;
	if (p < end && *p == '\r' && (p + 1 == end || p[1] == '\n'))
		return p + 1 == end ? end : p + 2;
	return NULL;
}

/* Room for more copied text; the copies of this row move with the buffer. */
static void grow_unquoted(struct csv *csv, size_t more)
{
	size_t need = csv->unquoted_len + more, at = 0;

	if (need <= csv->unquoted_cap)
		return;
	csv->unquoted = mem_grow(csv->unquoted, need, &csv->unquoted_cap, 1);
	for (uint32_t i = 0; i < csv->count; i++) {
		struct csv_field *f = &csv->fields[i];

		if (is_slice(f))
			continue;
		f->text = csv->unquoted + at;
		at += f->len;
	}
}

/* Text between quotes in which each doubled quote stands for one. */
static void unquote(struct csv *csv, struct csv_field *field)
{
	size_t start = csv->unquoted_len;

	grow_unquoted(csv, field->len);
	for (size_t i = 0; i < field->len; i++) {
		csv->unquoted[csv->unquoted_len++] = field->text[i];
		if (field->text[i] == '"')
			i++;
	}
	field->text = csv->unquoted + start;
	field->len = csv->unquoted_len - start;
}

/* A field that begins with a quote at *at; moves *at behind the closing one. */
static enum err_code quoted(struct csv *csv, const char **at, struct csv_field *field,
			    struct err *err)
{
	const char *p = *at + 1;
	bool doubled = false;

	for (;; p++) {
		if (p == csv->end) {
			csv->cut = csv->window.flow != NULL;
			return syntax(csv, *at, err, "this quote is never closed");
		}
		if (*p == '\0')
			return syntax(csv, p, err, "a NUL byte: is this a text file?");
		if (*p == '\n')
			csv->next_line++;
		if (*p != '"')
			continue;
		if (p + 1 == csv->end || p[1] != '"')
			break;
		doubled = true;
		p++;
	}
	*field = (struct csv_field){.text = *at + 1, .len = (size_t)(p - *at - 1), .raw = *at};
	*at = p + 1;
	if (doubled)
		unquote(csv, field);
	if (*at < csv->end && **at != csv->separator && line_end(*at, csv->end) == NULL)
		return syntax(csv, *at, err,
			      "text behind a closing quote; a quote within a quoted field is "
			      "written twice");
	return ERR_OK;
}

/* A field without quotes at *at; moves *at to what ends it. */
static enum err_code plain(struct csv *csv, const char **at, struct csv_field *field,
			   struct err *err)
{
	const char *p = *at, *end = csv->end;

	for (;; p++) {
		while (p < end && !csv->special[(unsigned char)*p])
			p++;
		if (p == end || *p == csv->separator || *p == '\n')
			break;
		if (*p == '\r' && (p + 1 == end || p[1] == '\n'))
			break;
		if (*p == '"' && csv->quotes)
			return syntax(csv, p, err,
				      "a quote inside a field that does not begin with one");
		if (*p == '\0')
			return syntax(csv, p, err, "a NUL byte: is this a text file?");
	}
	*field = (struct csv_field){.text = *at, .len = (size_t)(p - *at), .raw = *at};
	*at = p;
	return ERR_OK;
}

/* ---- rows without quotes, by the block ---- */

/* High bit of each byte: is it equal to this one? */
static uint64_t equal_bytes(uint64_t bytes, uint8_t to)
{
	uint64_t other = bytes ^ to * CSV_ONES;

	return ~(((other & 0x7f * CSV_ONES) + 0x7f * CSV_ONES) | other);
}

/* Line ends and NUL are among these. */
static uint64_t control_bytes(uint64_t bytes)
{
	return ~((bytes | 0x80 * CSV_ONES) - 0x0e * CSV_ONES) & ~bytes;
}

/* Bit i: byte i of the eight may be special. */
static uint64_t marks_of(const char *at, uint8_t separator)
{
	uint64_t bytes = csv_bytes(at);
	uint64_t found =
		control_bytes(bytes) | equal_bytes(bytes, '"') | equal_bytes(bytes, separator);

	/* Eight bits, a byte apart, to the top byte. */
	return ((found & 0x80 * CSV_ONES) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Of what is behind the end nothing is marked. */
static uint64_t mark_block(const struct csv *csv, const char *at)
{
	char tail[CSV_BLOCK];
	uint64_t marks = 0;

	if (csv->end - at < CSV_BLOCK) {
		memset(tail, ' ', sizeof(tail));
		memcpy(tail, at, (size_t)(csv->end - at));
		at = tail;
	}
	for (int i = 0; i < CSV_BLOCK; i += 8)
		marks |= marks_of(at + i, (uint8_t)csv->separator) << i;
	return marks;
}

static void add_field(struct csv *csv, const char *text, const char *end)
{
	if (csv->count >= csv->capacity)
		csv->fields = mem_grow(csv->fields, (size_t)csv->count + 1, &csv->capacity,
				       sizeof(*csv->fields));
	csv->fields[csv->count++] =
		(struct csv_field){.text = text, .len = (size_t)(end - text), .raw = text};
}

/* The fields of a row that has no quote and ends in a line end. False: it is another, and
 * nothing has been read. */
static bool read_plain(struct csv *csv)
{
	const char *start = csv->at, *block = csv->block, *mark;
	uint64_t marks = csv->marks;

	if (block == NULL) {
		block = start;
		marks = mark_block(csv, block);
	}
	csv->row = start;
	csv->count = 0;
	csv->block = NULL;
	for (;;) {
		for (; marks == 0; marks = mark_block(csv, block)) {
			if (csv->end - block <= CSV_BLOCK)
				return false;
			block += CSV_BLOCK;
		}
		mark = block + __builtin_ctzll(marks);
		marks &= marks - 1;
		if (*mark == csv->separator) {
			add_field(csv, start, mark);
			start = mark + 1;
		} else if (*mark == '\n') {
			break;
		} else if (*mark == '\0' || (*mark == '"' && csv->quotes)) {
			return false;
		}
	}
	add_field(csv, start, mark > start && mark[-1] == '\r' ? mark - 1 : mark);
	csv->at = mark + 1;
	csv->next_line++;
	csv->block = block;
	csv->marks = marks;
	return true;
}

void csv_pass(struct csv *csv, const char *next, uint32_t rows)
{
	csv->at = next;
	csv->next_line += rows;
	csv->line = csv->next_line - 1;
	csv->count = 0;
	csv->block = NULL;
}

/* To the next row; at is end if there is none. */
static enum err_code skip_blank_lines(struct csv *csv, struct err *err)
{
	const char *next;

	for (;;) {
		while ((next = line_end(csv->at, csv->end)) != NULL) {
			csv->at = next;
			csv->next_line++;
			csv->block = NULL;
		}
		if (csv->at < csv->end || csv->window.flow == NULL)
			return ERR_OK;
		if (more_lines(csv, err) != ERR_OK)
			return err->code;
	}
}

/* The fields of the row that begins at at. */
static enum err_code read_fields(struct csv *csv, struct err *err)
{
	const char *p, *next;

	csv->row = csv->at;
	csv->count = 0;
	csv->unquoted_len = 0;
	for (p = csv->at;; p++) {
		struct csv_field field;
		enum err_code code = p < csv->end && *p == '"' && csv->quotes
					     ? quoted(csv, &p, &field, err)
					     : plain(csv, &p, &field, err);

		if (code != ERR_OK)
			return code;
		if (csv->count >= csv->capacity)
			csv->fields = mem_grow(csv->fields, (size_t)csv->count + 1, &csv->capacity,
					       sizeof(*csv->fields));
		csv->fields[csv->count++] = field;
		if (p == csv->end || *p != csv->separator)
			break;
	}
	next = line_end(p, csv->end);
	csv->at = next == NULL ? p : next;
	csv->next_line++;
	return ERR_OK;
}

/* A row whose quotes hold line ends may go on behind what is at hand. */
static enum err_code read_whole_row(struct csv *csv, struct err *err)
{
	enum err_code code = read_fields(csv, err);

	while (csv->cut) {
		csv->cut = false;
		csv->next_line = csv->line;
		code = more_lines(csv, err);
		if (code == ERR_OK)
			code = read_fields(csv, err);
	}
	return code;
}

enum err_code csv_row(struct csv *csv, bool *more, struct err *err)
{
	enum err_code code = skip_blank_lines(csv, err);

	csv->line = csv->next_line;
	csv->count = 0;
	csv->ragged = false;
	*more = csv->at < csv->end;
	if (code == ERR_OK && *more && !read_plain(csv))
		code = read_whole_row(csv, err);
	if (code != ERR_OK || !*more)
		return code;
	csv->ragged = csv->width != 0 && csv->count != csv->width;
	if (csv->ragged && !csv->ragged_ok)
		return err_set(err, ERR_SYNTAX, csv->file, csv->line, 1,
			       "this row has %u field%s, the header has %u", csv->count,
			       csv->count == 1 ? "" : "s", csv->width);
	return ERR_OK;
}

/* The field that has a name; CSV_NONE. */
static enum err_code find(const struct csv *csv, const char *name, uint32_t *index, struct err *err)
{
	*index = CSV_NONE;
	for (uint32_t i = 0; i < csv->count; i++) {
		if (!csv_is(&csv->fields[i], name))
			continue;
		if (*index != CSV_NONE)
			return csv_error(csv, &csv->fields[i], 0, ERR_DUPLICATE, err,
					 "a second column \"%s\"", name);
		*index = i;
	}
	return ERR_OK;
}

static enum err_code find_alias(const struct csv *csv, const struct csv_column *column,
				uint32_t *index, struct err *err)
{
	*index = CSV_NONE;
	for (int a = 0; a < CSV_ALIASES && column->names[a] != NULL && *index == CSV_NONE; a++) {
		enum err_code code = find(csv, column->names[a], index, err);

		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

static enum err_code missing(const struct csv *csv, const struct csv_column *column,
			     struct err *err)
{
	char others[200] = "";
	size_t used = 0;

	for (int a = 1; a < CSV_ALIASES && column->names[a] != NULL; a++) {
		int n = snprintf(others + used, sizeof(others) - used, " or \"%s\"",
				 column->names[a]);

		if (n > 0 && (size_t)n < sizeof(others) - used)
			used += (size_t)n;
	}
	return err_set(err, ERR_SYNTAX, csv->file, csv->line, 1,
		       "the header has no column \"%s\"%s; the first line must name the columns",
		       column->names[0], others);
}

/* One column; err has the first error of the header already if failed is not ERR_OK. */
static enum err_code find_column(const struct csv *csv, const struct csv_column *column,
				 uint32_t *index, enum err_code failed, struct err *err)
{
	struct err later = {.code = ERR_OK};
	struct err *tell = failed == ERR_OK ? err : &later;
	enum err_code code = find_alias(csv, column, index, tell);

	if (code == ERR_OK && *index == CSV_NONE && column->required)
		code = missing(csv, column, tell);
	return failed == ERR_OK ? code : failed;
}

enum err_code csv_header(struct csv *csv, const struct csv_column *columns, uint32_t count,
			 uint32_t *index, struct err *err)
{
	enum err_code code;
	bool more;

	code = csv_row(csv, &more, err);
	for (uint32_t i = 0; i < count; i++)
		code = find_column(csv, &columns[i], &index[i], code, err);
	csv->width = csv->count;
	return code;
}

struct csv_field csv_get(const struct csv *csv, uint32_t index)
{
	if (index >= csv->count)
		return (struct csv_field){.text = ""};
	return csv->fields[index];
}

bool csv_is(const struct csv_field *field, const char *text)
{
	return strlen(text) == field->len && memcmp(field->text, text, field->len) == 0;
}
