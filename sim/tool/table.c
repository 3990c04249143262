#include "sim/tool/table.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "core/mem.h"

struct row {
	char *cell[TABLE_COLUMNS]; /* NULL: empty */
	enum table_mark mark;
};

struct table {
	size_t columns;
	unsigned right;
	struct row *rows;
	size_t count, capacity;
};

struct table *table_new(size_t columns, unsigned right)
{
	struct table *table = mem_calloc(1, sizeof(*table));

	assert(columns <= TABLE_COLUMNS);
	table->columns = columns;
	table->right = right;
	return table;
}

void table_free(struct table *table)
{
	if (table == NULL)
		return;
	for (size_t r = 0; r < table->count; r++) {
		for (size_t c = 0; c < table->columns; c++)
			mem_free(table->rows[r].cell[c]);
	}
	mem_free(table->rows);
	mem_free(table);
}

void table_row(struct table *table)
{
	table->rows =
		mem_grow(table->rows, table->count + 1, &table->capacity, sizeof(*table->rows));
	table->rows[table->count++] = (struct row){0};
}

void table_cell(struct table *table, size_t column, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mem_free(table->rows[table->count - 1].cell[column]);
	table->rows[table->count - 1].cell[column] = mem_strdup(text);
}

void table_mark(struct table *table, enum table_mark mark)
{
	table->rows[table->count - 1].mark = mark;
}

int table_width(const char *text)
{
	int width = 0;

	for (; *text != '\0'; text++)
		width += ((unsigned char)*text & 0xC0) != 0x80;
	return width;
}

static int column_width(const struct table *table, size_t column, const int *min)
{
	int width = min == NULL ? 0 : min[column];

	for (size_t r = 0; r < table->count; r++) {
		const char *text = table->rows[r].cell[column];

		if (text != NULL && table_width(text) > width)
			width = table_width(text);
	}
	return width;
}

static void print_row(const struct table *table, const struct row *row, FILE *out, const int *width)
{
	int owed = 0; /* blanks that only a later cell makes necessary */

	for (size_t c = 0; c < table->columns; c++) {
		const char *text = row->cell[c] == NULL ? "" : row->cell[c];
		int pad = width[c] - table_width(text);
		bool right = (table->right >> c & 1u) != 0;

		if (c > 0)
			owed += 2;
		if (right)
			owed += pad;
		if (text[0] != '\0') {
			fprintf(out, "%*s%s", owed, "", text);
			owed = 0;
		}
		if (!right)
			owed += pad;
	}
}

static const char *colour_of(enum table_mark mark)
{
	switch (mark) {
	case TABLE_HEAD:
		return "\033[1m";
	case TABLE_BAD:
		return "\033[31m";
	case TABLE_PLAIN:
		break;
	}
	return NULL;
}

void table_print(const struct table *table, FILE *out, bool colour, const int *min)
{
	int width[TABLE_COLUMNS];

	for (size_t c = 0; c < table->columns; c++)
		width[c] = column_width(table, c, min);
	for (size_t r = 0; r < table->count; r++) {
		const char *code = colour ? colour_of(table->rows[r].mark) : NULL;

		if (code != NULL)
			fputs(code, out);
		print_row(table, &table->rows[r], out, width);
		fputs(code != NULL ? "\033[0m\n" : "\n", out);
	}
}

void table_paragraph(FILE *out, int indent, const char *text)
{
	int used = 0;

	while (*text != '\0') {
		int len = (int)strcspn(text, " ");
		char word[256];
		int width;

		len = len < (int)sizeof(word) ? len : (int)sizeof(word) - 1;
		memcpy(word, text, (size_t)len);
		word[len] = '\0';
		width = table_width(word);
		if (used > 0 && indent + used + 1 + width > TABLE_WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			used = 0;
		} else if (used > 0) {
			putc(' ', out);
			used++;
		}
		fputs(word, out);
		used += width;
		text += len;
		text += strspn(text, " ");
	}
	putc('\n', out);
}
