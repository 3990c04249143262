/* source.h - an input file, whole in memory or passing through it.
 *
 * "-" is standard input; what is compressed (sim/tool/pack.h) is unpacked, whatever its name.
 * A plain file of some size is mapped. A longer one, and what comes compressed or through
 * a pipe, passes through a window: only its head is at hand, and a reader moves the window
 * on as it goes. What is at hand is followed by a readable zero byte in every case (so
 * that C string functions stop), which is not counted in size.
 */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define SOURCE_WINDOW	  ((size_t)1 << 20) /* bytes at hand, unless a record is longer */
#define SOURCE_MAPPED_MAX ((size_t)64 << 20)
#define SOURCE_RECORD_MAX ((size_t)64 << 20) /* a longer line or record is an error */

struct source_flow; /* what is still to come */

struct source {
	const char *name; /* as given; "stdin" for "-"; borrowed */
	const char *data; /* all of it; with a flow its head, until a window has moved */
	size_t size;
	struct source_flow *flow; /* NULL: there is no more */
	void *owned;		  /* private */
};

/* ERR_IO with errno's text; a directory is an error here (input.c walks it). A
 * compressed file that is damaged, cut off or a bomb: as sim/tool/pack.h says, now or when
 * the reading comes to it. */
enum err_code source_open(const char *path, struct source *out, struct err *err);
/* The same with a smaller window, for files of any size: for tests. */
enum err_code source_open_window(const char *path, size_t window, struct source *out,
				 struct err *err);
/* Brings all of it to hand, before any window has moved. */
enum err_code source_whole(struct source *source, struct err *err);
/* Opens, and brings all of it to hand. */
enum err_code source_read(const char *path, struct source *out, struct err *err);
void source_close(struct source *source);
/* XXH3 (64 bits, as xxhsum -H3 prints it) of the bytes that have been at hand: of all, once
 * a reader is through. */
uint64_t source_hash(const struct source *source);

/* Where a reader is. */
struct source_window {
	const char *at, *end;
	struct source_flow *flow; /* NULL: nothing comes after end */
};

struct source_window source_window(const struct source *source);
/* What is before at goes, more comes after end; both move. Not without a flow. ERR_LIMIT:
 * the window is full and nothing may go. */
enum err_code source_more(struct source_window *window, struct err *err);
/* The same until the window ends with a whole line, or with the input. *end is behind the
 * last line that is whole. */
enum err_code source_more_lines(struct source_window *window, const char **end, struct err *err);

/* Text line by line. */
struct source_lines {
	struct source_window window;
	const char *file;
	const char *stop; /* behind the last whole line of the window */
	long number;	  /* of the line that was read last, from 1 */
};

/* A byte order mark is skipped. */
struct source_lines source_lines(const struct source *source);
/* The next line, without its end (LF or CRLF); *line is NULL behind the last. ERR_SYNTAX: a
 * NUL byte. */
enum err_code source_next_line(struct source_lines *lines, const char **line, size_t *len,
			       struct err *err);

#endif
