/* yaml_binary.h - what a scalar with the tag !!binary says: the bytes that its base64 stands
 * for, as kubectl's reader has them (sigs.k8s.io/yaml: a text; in JSON each byte that is no
 * part of a UTF-8 character becomes U+FFFD). */
#ifndef SIM_YAML_BINARY_H
#define SIM_YAML_BINARY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the text of len bytes of base64, the zero at its end included. */
size_t yaml_binary_room(size_t len);
/* Writes the text and a zero, and its length; false: no base64 (line breaks may stand
 * anywhere, blanks may not). */
bool yaml_binary(const char *base64, size_t len, char *out, size_t *out_len);

#endif
