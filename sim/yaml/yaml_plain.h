/* yaml_plain.h - what a text without quotes means to kubectl's YAML 1.1 reader: bare yes, y,
 * on and no are booleans, 010 is eight, 0x10 and 1_000 are numbers. */
#ifndef SIM_YAML_PLAIN_H
#define SIM_YAML_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum yaml_type { YAML_NULL, YAML_BOOL, YAML_INT, YAML_FLOAT, YAML_STRING };

enum yaml_type yaml_plain_type(const char *text, size_t len);
/* Of a YAML_BOOL. */
bool yaml_plain_bool(const char *text, size_t len);
/* Of a YAML_INT; false if it is beyond 64 bits. */
bool yaml_plain_int(const char *text, size_t len, int64_t *out);
/* Is it the null of YAML 1.1: empty, "~", "null", "Null" or "NULL"? */
bool yaml_plain_null(const char *text, size_t len);

#endif
