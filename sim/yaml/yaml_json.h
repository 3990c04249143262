/* yaml_json.h - what JSON may hold and the YAML parser refuses, put so that it takes it.
 *
 * A character beyond U+FFFF as two \u escapes (json.dumps of Python, jq --ascii-output), half
 * of such a pair, and characters that YAML wants escaped (DEL, the C1 controls, U+FEFF inside
 * a text, U+FFFE and U+FFFF) or takes for the end of a line (NEL, U+2028, U+2029). Half a pair
 * becomes U+FFFD, as encoding/json has it, by which kubectl reads JSON; so do those
 * characters, which no name or label may hold. The count of characters stays, so that a place
 * in what is passed on is the place in the file.
 */
#ifndef SIM_YAML_JSON_H
#define SIM_YAML_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* The most that an escape may still lack: with so many bytes at hand, some are passed on. */
#define YAML_JSON_ESCAPE 12

/* Passes on what stands in [at, end) up to room bytes; returns how many were written to out,
 * and where it stopped in *stop: before an escape that is not complete while more comes.
 * room is at least YAML_JSON_ESCAPE. */
size_t yaml_json_pass(const char *at, const char *end, bool more, char *out, size_t room,
		      const char **stop);

/* JSON for a parser that takes pairs but no half of one: half a pair becomes U+FFFD, in place. */
void yaml_json_mend(char *text, size_t len);

/* The first escape of a zero byte, at which a text would end unseen; NULL: there is none. */
const char *yaml_json_zero(const char *text, size_t len);

/* What to say of it. */
#define YAML_JSON_ZERO "a text must not hold a zero byte (\\u0000): take it out"

/* A text that the parser made of it, in place: returns its length without the marks that
 * kept the count of characters: a zero behind a character of four bytes. */
size_t yaml_json_restore(char *text, size_t len);

#endif
