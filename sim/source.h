/* source.h - an input file in memory.
 *
 * Regular files are mapped, "-" is standard input, read whole; what is compressed
 * (sim/pack.h) is unpacked, whatever its name. The bytes are
 * followed by a readable zero byte in every case (so that C string functions
 * stop), which is not counted in size.
 */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct source {
	const char *name; /* as given; "stdin" for "-"; borrowed */
	const char *data;
	size_t size;
	void *owned; /* private */
};

/* ERR_IO with errno's text; a directory is an error here (input.c walks it). A
 * compressed file that is damaged, cut off or a bomb: as sim/pack.h says. */
enum err_code source_read(const char *path, struct source *out, struct err *err);
void source_close(struct source *source);
uint64_t source_hash(const struct source *source); /* FNV-1a of the bytes */

#endif
