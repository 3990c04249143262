/* csv.h - rows of comma-separated values (RFC 4180), in memory or passing through a
 * source's window, with the place of every field for errors.
 *
 * Fields are slices of the input; only a quoted field with doubled quotes is
 * copied. A byte order mark, CRLF line ends and a missing last line end are
 * accepted; lines without a byte are skipped. A stray quote, text behind a
 * closing quote, a NUL byte and a row that is not as wide as the header are
 * errors: each would shift values into other columns unseen.
 */
#ifndef SIM_CSV_H
#define SIM_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/err.h"
#include "sim/tool/source.h"

#define CSV_NONE    UINT32_MAX
#define CSV_ALIASES 4
#define CSV_BLOCK   64
#define CSV_DIGITS  8

struct csv_field {
	const char *text; /* not terminated; valid until the next row */
	size_t len;
	const char *raw; /* where it begins in the input, the quote included */
};

struct csv {
	struct csv_field *fields; /* of the row read last */
	uint32_t count;
	long line;	/* where that row begins, 1-based */
	bool ragged;	/* it was read, and is not as wide as the header; an error unless ... */
	bool ragged_ok; /* ... the reader looks at ragged itself */
	/* private */
	const char *file;
	const char *at, *end, *row; /* end: behind the last whole line at hand */
	struct source_window window;
	bool cut; /* the row goes on behind end */
	long next_line;
	uint32_t width; /* of the header; 0: none read */
	char separator;
	bool quotes;
	bool special[256]; /* bytes at which a plain field may end */
	const char *first; /* readable bytes begin here, */
	const char *block; /* and the next CSV_BLOCK that were looked at; NULL: none */
	uint64_t marks;	   /* bit i: block[i] may be special, and has not been passed yet */
	size_t capacity;
	char *unquoted;
	size_t unquoted_len, unquoted_cap;
};

/* A column that a reader wants: its names, the preferred one first. */
struct csv_column {
	const char *names[CSV_ALIASES]; /* ended by NULL unless full */
	bool required;
};

/* file and data are borrowed. */
void csv_init(struct csv *csv, const char *file, const char *data, size_t size);
/* With another separator, and where quotes are false, without quoting: a quote is a byte
 * like any other. The source is borrowed, and its window moves on. */
void csv_open(struct csv *csv, const struct source *source, char separator, bool quotes);
void csv_free(struct csv *csv); /* what it holds, not the struct */

/* The next row; *more is false at the end of the input. ERR_SYNTAX. */
enum err_code csv_row(struct csv *csv, bool *more, struct err *err);

/* So many rows have been read by csv_numbers (below): the next one begins there. */
void csv_pass(struct csv *csv, const char *next, uint32_t rows);

/* Reads the first row as column names: index[i] is the field of columns[i], or
 * CSV_NONE. Columns nobody asked for are ignored. A missing required column and
 * a wanted name that occurs twice are errors (the first is told; index is filled). */
enum err_code csv_header(struct csv *csv, const struct csv_column *columns, uint32_t count,
			 uint32_t *index, struct err *err);

/* Field of the row by index; an empty one for CSV_NONE. */
struct csv_field csv_get(const struct csv *csv, uint32_t index);
bool csv_is(const struct csv_field *field, const char *text);

/* Eight bytes, the first of them the lowest of the number. */
static inline uint64_t csv_bytes(const char *at)
{
	uint64_t bytes;

	memcpy(&bytes, at, sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	return bytes;
}

#define CSV_ONES UINT64_C(0x0101010101010101)

/* High bit of each byte: is it no digit? Exact up to the first such byte. */
static inline uint64_t csv_no_digits(uint64_t bytes)
{
	bytes ^= 0x30 * CSV_ONES;
	return (bytes | (bytes + 0x76 * CSV_ONES)) & 0x80 * CSV_ONES;
}

/* The number that eight digits are. */
static inline uint32_t csv_value(uint64_t digits)
{
	/* Neighbours become numbers of two, four and eight digits. */
	digits = digits * 10 + (digits >> 8);
	digits = ((digits & UINT64_C(0x000000ff000000ff)) * (100 + (UINT64_C(1000000) << 32)) +
		  (digits >> 16 & UINT64_C(0x000000ff000000ff)) * (1 + (UINT64_C(10000) << 32))) >>
		 32;
	return (uint32_t)digits;
}

/* A field of the row of at most CSV_DIGITS digits and nothing else. False: it is not, or
 * stands at the very beginning of what is at hand; read it as any other text then. */
static inline bool csv_number(const struct csv *csv, const struct csv_field *field, uint32_t *out)
{
	uint64_t bytes;
	unsigned gone;

	if (field->len - 1 >= CSV_DIGITS || field->text != field->raw ||
	    field->text + field->len < csv->first + CSV_DIGITS)
		return false;
	gone = 8 * (unsigned)(CSV_DIGITS - field->len);
	/* The digits from the last back, in front of them zeros. */
	bytes = csv_bytes(field->text + field->len - CSV_DIGITS) ^ 0x30 * CSV_ONES;
	bytes = bytes >> gone << gone;
	if (csv_no_digits(bytes ^ 0x30 * CSV_ONES) != 0)
		return false;
	*out = csv_value(bytes);
	return true;
}

/* The number at *at that ends in this byte; moves *at behind it. False: it is none. */
static inline bool csv_read_number(const char **at, char stop, uint32_t *value)
{
	uint64_t digits = csv_bytes(*at) ^ 0x30 * CSV_ONES;
	uint64_t stops = (digits | (digits + 0x76 * CSV_ONES)) & 0x80 * CSV_ONES;
	unsigned len = stops != 0 ? (unsigned)__builtin_ctzll(stops) / 8 : CSV_DIGITS;

	if (len == 0 || (*at)[len] != stop)
		return false;
	*value = csv_value(digits << (64 - 8 * len));
	*at += len + 1;
	return true;
}

/* The row at at, which is csv->at or what this returned before, if it is as wide as the header
 * and each field a number of at most CSV_DIGITS digits: their values, and where the row after
 * it begins. NULL: it is another; csv_row reads it. Nothing is passed before csv_pass. */
static inline const char *csv_numbers(const struct csv *csv, const char *at, uint32_t *values)
{
	const uint32_t last = csv->width - 1;

	if (csv->width == 0 || csv->end - at < (ptrdiff_t)csv->width * (CSV_DIGITS + 1))
		return NULL;
	for (uint32_t i = 0; i < last; i++)
		if (!csv_read_number(&at, csv->separator, &values[i]))
			return NULL;
	return csv_read_number(&at, '\n', &values[last]) ? at : NULL;
}

/* Where the byte at offset (0-based) of the text of a field stands in the file. The
 * column is 0 where the field is none of the row's. */
void csv_place(const struct csv *csv, const struct csv_field *field, size_t offset, long *line,
	       long *column);
/* Sets an error at byte offset (0-based) of the text of a field. */
enum err_code csv_error(const struct csv *csv, const struct csv_field *field, size_t offset,
			enum err_code code, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* How much of a text an error message shows, for "%.*s". */
int csv_shown(size_t len);

#endif
