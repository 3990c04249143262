#include "tests/support/manifest.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"

#define NONE UINT32_MAX

struct part {
	uint32_t outer; /* NONE: a document */
	enum manifest_file file;
	bool gone;
};

struct piece {
	uint32_t part;
	char *text; /* NULL: a number */
	int64_t value, least;
};

struct manifest {
	struct part *parts;
	size_t part_count, part_capacity;
	struct piece *pieces;
	size_t piece_count, piece_capacity;
	uint32_t open; /* innermost part */
};

struct manifest *manifest_new(void)
{
	struct manifest *m = mem_calloc(1, sizeof(*m));

	m->open = NONE;
	return m;
}

void manifest_free(struct manifest *m)
{
	for (size_t i = 0; i < m->piece_count; i++)
		mem_free(m->pieces[i].text);
	mem_free(m->pieces);
	mem_free(m->parts);
	mem_free(m);
}

/* ---- making one ---- */

static void open_part(struct manifest *m, uint32_t outer, enum manifest_file file)
{
	m->parts = mem_grow(m->parts, m->part_count + 1, &m->part_capacity, sizeof(*m->parts));
	m->parts[m->part_count] = (struct part){.outer = outer, .file = file};
	m->open = (uint32_t)m->part_count++;
}

void manifest_document(struct manifest *m, enum manifest_file file)
{
	open_part(m, NONE, file);
}

void manifest_part(struct manifest *m)
{
	open_part(m, m->open, m->parts[m->open].file);
}

void manifest_end(struct manifest *m)
{
	m->open = m->parts[m->open].outer;
}

static struct piece *add_piece(struct manifest *m)
{
	m->pieces = mem_grow(m->pieces, m->piece_count + 1, &m->piece_capacity, sizeof(*m->pieces));
	m->pieces[m->piece_count] = (struct piece){.part = m->open};
	return &m->pieces[m->piece_count++];
}

static void add_text(struct manifest *m, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void add_text(struct manifest *m, const char *format, va_list args)
{
	char text[2000];
	int length = vsnprintf(text, sizeof(text), format, args);

	ck_assert_int_lt(length, (int)sizeof(text));
	add_piece(m)->text = mem_strdup(text);
}

void manifest_text(struct manifest *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_text(m, format, args);
	va_end(args);
}

void manifest_number(struct manifest *m, int64_t value, int64_t least)
{
	struct piece *piece = add_piece(m);

	piece->value = value;
	piece->least = least;
}

void manifest_option(struct manifest *m, const char *format, ...)
{
	va_list args;

	manifest_part(m);
	va_start(args, format);
	add_text(m, format, args);
	va_end(args);
	manifest_end(m);
}

/* ---- its text ---- */

static bool is_there(const struct manifest *m, uint32_t part)
{
	while (part != NONE && !m->parts[part].gone)
		part = m->parts[part].outer;
	return part == NONE;
}

char *manifest_print(const struct manifest *m, enum manifest_file file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < m->piece_count; i++) {
		const struct piece *p = &m->pieces[i];

		if (m->parts[p->part].file != file || !is_there(m, p->part))
			continue;
		if (p->text != NULL)
			fputs(p->text, out);
		else
			fprintf(out, "%" PRId64, p->value);
	}
	fclose(out);
	return text;
}

bool manifest_write(const struct manifest *m, const char *folder)
{
	static const char *const names[MANIFEST_FILES] = {"objects.yaml", "jobs.csv"};
	bool written = true;

	mkdir(folder, 0777);
	for (int file = 0; file < MANIFEST_FILES; file++) {
		char path[512], *text = manifest_print(m, (enum manifest_file)file);
		FILE *out;

		snprintf(path, sizeof(path), "%s/%s", folder, names[file]);
		out = fopen(path, "w");
		written = written && out != NULL && fputs(text, out) >= 0;
		if (out != NULL)
			fclose(out);
		free(text);
	}
	return written;
}

uint32_t manifest_documents(const struct manifest *m, enum manifest_file file)
{
	uint32_t count = 0;

	for (size_t i = 0; i < m->part_count; i++)
		count += m->parts[i].outer == NONE && m->parts[i].file == file && !m->parts[i].gone;
	return count;
}

/* ---- making it smaller ---- */

struct shrinking {
	struct manifest *m;
	manifest_fails *fails;
	void *context;
	uint32_t tries, limit;
};

static bool still_fails(struct shrinking *s)
{
	s->tries++;
	return s->fails(s->m, s->context);
}

/* Leaves out so many parts in a row, of those that are there; back if it then does not
 * fail. Moves *at behind them. */
static bool leave_out(struct shrinking *s, size_t *at, size_t run)
{
	struct manifest *m = s->m;
	size_t *left = mem_calloc(run, sizeof(*left)), count = 0;
	bool fails;

	for (; *at < m->part_count && count < run; (*at)++) {
		if (!is_there(m, (uint32_t)*at))
			continue;
		m->parts[*at].gone = true;
		left[count++] = *at;
	}
	fails = count > 0 && still_fails(s);
	for (size_t i = 0; i < count && !fails; i++)
		m->parts[left[i]].gone = false;
	mem_free(left);
	return fails;
}

static bool leave_out_parts(struct shrinking *s)
{
	bool smaller = false;

	for (size_t run = s->m->part_count / 2; run > 0; run /= 2) {
		size_t at = 0;

		while (at < s->m->part_count && s->tries < s->limit)
			smaller = leave_out(s, &at, run) || smaller;
	}
	return smaller;
}

static bool try_value(struct shrinking *s, struct piece *p, int64_t value)
{
	int64_t before = p->value;

	if (value >= before || value < p->least)
		return false;
	p->value = value;
	if (still_fails(s))
		return true;
	p->value = before;
	return false;
}

static bool lower_numbers(struct shrinking *s)
{
	bool smaller = false;

	for (size_t i = 0; i < s->m->piece_count && s->tries < s->limit; i++) {
		struct piece *p = &s->m->pieces[i];

		if (p->text != NULL || !is_there(s->m, p->part))
			continue;
		smaller = try_value(s, p, p->least) || smaller;
		while (s->tries < s->limit && try_value(s, p, p->value / 2))
			smaller = true;
		smaller = try_value(s, p, p->value - 1) || smaller;
	}
	return smaller;
}

uint32_t manifest_shrink(struct manifest *m, manifest_fails *fails, void *context, uint32_t tries)
{
	struct shrinking s = {.m = m, .fails = fails, .context = context, .limit = tries};
	bool smaller = true;

	while (smaller && s.tries < s.limit) {
		smaller = leave_out_parts(&s);
		smaller = lower_numbers(&s) || smaller;
	}
	return s.tries;
}
