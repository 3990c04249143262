/* output.h - files the program writes: whole or not at all.
 *
 * A file is written without a name, or, where the system has no such files, under a temporary
 * one beside its target, and gets its name when it is complete, so that nobody reads half of
 * one. "-" is standard output;
 * what is no regular file (/dev/null, a pipe) is written directly. A name that ends
 * in .gz, .zst or .xz is written compressed.
 */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/err.h"
#include "sim/tool/pack.h"

struct output {
	FILE *file;
	const char *path; /* borrowed */
	char *temporary;  /* NULL: written directly */
	bool nameless;	  /* it gets the temporary name when it is complete */
	FILE *standard;	  /* of "-"; not closed */
	FILE *packed;	  /* what file is packed into when it is complete; NULL: not packed */
	const struct pack_row *pack;
};

/* Is it there, and no regular file? It is written directly, and must never be replaced. */
bool output_direct(const char *path);
/* ERR_IO with the system's text. standard is what "-" means. */
enum err_code output_open(struct output *output, const char *path, FILE *standard, struct err *err);
/* Closes and renames. ERR_IO if anything could not be written; then nothing is
 * left behind. */
enum err_code output_close(struct output *output, struct err *err);

/* A text in memory that grows as it is written to. Out of memory ends the program. */
struct output_text {
	FILE *file; /* until the close */
	char *data; /* after it: the text, with a zero byte behind */
	size_t size;
};
void output_text_open(struct output_text *text);
void output_text_close(struct output_text *text);
void output_text_free(struct output_text *text); /* not the struct */

/* One field, quoted as RFC 4180 asks where it must be. */
void output_csv(FILE *file, const char *text);

#endif
