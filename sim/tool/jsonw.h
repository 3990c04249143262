/* jsonw.h - JSON written as it is made (yajl): no tree, so a report of a million
 * jobs needs no memory, and integers are exact whatever their size.
 *
 * Keys come in the order of the calls; nothing is checked for duplicates. Inside
 * an array key is NULL.
 */
#ifndef SIM_JSONW_H
#define SIM_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/clock.h"

struct jsonw {
	FILE *out;  /* borrowed */
	void *yajl; /* the generator, from jsonw_begin to jsonw_end */
	bool line;  /* an object a line */
};

void jsonw_begin(struct jsonw *json, FILE *out); /* the outermost object */
/* The same on one line, for JSON lines. */
void jsonw_begin_line(struct jsonw *json, FILE *out);
void jsonw_end(struct jsonw *json); /* and the end of its line */

void jsonw_object(struct jsonw *json, const char *key);
void jsonw_array(struct jsonw *json, const char *key);
void jsonw_close_object(struct jsonw *json);
void jsonw_close_array(struct jsonw *json);

void jsonw_text(struct jsonw *json, const char *key, const char *text);
void jsonw_integer(struct jsonw *json, const char *key, int64_t value);
void jsonw_bool(struct jsonw *json, const char *key, bool value);
void jsonw_null(struct jsonw *json, const char *key);
/* null where the number is infinite or none; the shortest text that reads back. */
void jsonw_number(struct jsonw *json, const char *key, double value);
/* Seconds, exactly; also for GPU-microseconds as GPU-seconds. null for CLOCK_NEVER. */
void jsonw_seconds(struct jsonw *json, const char *key, simtime time);

#endif
