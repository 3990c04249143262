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

/* Unpacks into *out, *out_size bytes on the heap (mem_free), followed by a zero byte.
 * ERR_SYNTAX: damaged or cut off; ERR_LIMIT: a bomb. */
enum err_code pack_unpack(const struct pack_row *row, const char *file, const char *data,
			  size_t size, char **out, size_t *out_size, struct err *err);

/* Packs everything that can be read from one file into another. False: cannot read or
 * write; errno says why. */
bool pack_copy(const struct pack_row *row, FILE *from, FILE *to);

#endif
