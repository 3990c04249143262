/* manifest.h - inputs made of parts, so that a failing one can be made smaller.
 *
 * A manifest is the text of a few files. Parts nest: a part can be left out, with all
 * that is in it, and a number can be made smaller. The shrinker does both as long as
 * the input still fails, whatever failing is; what does not load does not fail.
 */
#ifndef TESTS_SUPPORT_MANIFEST_H
#define TESTS_SUPPORT_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

enum manifest_file { MANIFEST_OBJECTS, MANIFEST_JOBS, MANIFEST_FILES };

struct manifest; /* owned by the caller: manifest_new/manifest_free */

struct manifest *manifest_new(void);
void manifest_free(struct manifest *manifest);

/* A document or a row of one of the files: a part that is in no other. */
void manifest_document(struct manifest *manifest, enum manifest_file file);
/* What follows up to the end can be left out. */
void manifest_part(struct manifest *manifest);
void manifest_end(struct manifest *manifest);
void manifest_text(struct manifest *manifest, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Printed in decimal; it can be made smaller, down to least. */
void manifest_number(struct manifest *manifest, int64_t value, int64_t least);
/* A part of one text. */
void manifest_option(struct manifest *manifest, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The text of a file; the caller frees it (free). */
char *manifest_print(const struct manifest *manifest, enum manifest_file file);
/* Writes the files (objects.yaml, jobs.csv) into the folder, which is made. False: it
 * cannot. */
bool manifest_write(const struct manifest *manifest, const char *folder);
uint32_t manifest_documents(const struct manifest *manifest, enum manifest_file file);

/* Makes a failing input smaller until no part can go and no number shrink, or until
 * so many tries. Returns the tries. */
typedef bool manifest_fails(const struct manifest *manifest, void *context);
uint32_t manifest_shrink(struct manifest *manifest, manifest_fails *fails, void *context,
			 uint32_t tries);

#endif
