/* pack.h - compressed files: gzip, zstd and xz, through their libraries.
 *
 * What is compressed is told by its first bytes, never by a file's name; what is to
 * be written compressed is told by its name. Several streams one after the other
 * (cat a.gz b.gz) are one text, as for the tools of these formats.
 */
#ifndef SIM_PACK_H
#define SIM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/err.h"

/* A text may be so many times larger than what it is packed in, or as large as the
 * floor: beyond that it is a bomb, and refused before it fills the memory. */
#define PACK_RATIO_MAX 200
#define PACK_FLOOR     ((size_t)256 << 20)

struct pack_row; /* a format */

/* By the first bytes, and by the ending of a name (".gz", ".zst", ".xz"). NULL: not
 * compressed. */
const struct pack_row *pack_detect(const char *data, size_t size);
const struct pack_row *pack_of_name(const char *name);
/* Length of a name without such an ending. */
size_t pack_stem(const char *name);

/* A text that is unpacked piece by piece. */
struct pack_reader; /* pack_open; pack_close ends it */

/* Bytes on their way in; a call moves both by what it used. */
struct pack_input {
	const char *bytes;
	size_t size;
	bool last; /* nothing comes after them */
};

/* file names the text in errors; borrowed. */
struct pack_reader *pack_open(const struct pack_row *row, const char *file);
/* Unpacks at most size bytes into out, *got of them. *got 0: more input is wanted, or
 * after the last, the text is at its end. ERR_SYNTAX: damaged or cut off; ERR_LIMIT: a
 * bomb. */
enum err_code pack_read(struct pack_reader *reader, struct pack_input *in, char *out, size_t size,
			size_t *got, struct err *err);
void pack_close(struct pack_reader *reader);

/* Packs everything that can be read from one file into another. False: cannot read or
 * write; errno says why. */
bool pack_copy(const struct pack_row *row, FILE *from, FILE *to);

/* A text as base64 of its zlib stream, which browsers unpack by themselves
 * (DecompressionStream "deflate"). Ends in NUL; the caller frees it with mem_free. */
char *pack_base64(const char *text, size_t size);

#endif
