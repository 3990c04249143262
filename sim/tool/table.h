/* table.h - a table of texts for a terminal: widths worked out, numbers to the
 * right. */
#ifndef SIM_TABLE_H
#define SIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS 30

struct table; /* owned by the caller: table_new/table_free */

/* right: bit c set for columns that are aligned to the right. */
struct table *table_new(size_t columns, unsigned right);
void table_free(struct table *table);

/* A new row; its cells are empty until set. */
void table_row(struct table *table);
/* A cell of the last row; the text is copied. */
void table_cell(struct table *table, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The last row stands out (bold where there is colour), or marks bad news. */
enum table_mark { TABLE_PLAIN, TABLE_HEAD, TABLE_BAD };
void table_mark(struct table *table, enum table_mark mark);

/* Two blanks between columns, none at the end of a line. min: least widths of the
 * columns; NULL. */
void table_print(const struct table *table, FILE *out, bool colour, const int *min);

/* The text in lines of at most TABLE_WIDTH, broken at blanks. The cursor stands at
 * column indent already; further lines begin there. */
#define TABLE_WIDTH 80
void table_paragraph(FILE *out, int indent, const char *text);

/* Code points of a UTF-8 text: its width on a terminal, for the scripts that
 * names of queues and jobs are written in. */
int table_width(const char *text);

#endif
