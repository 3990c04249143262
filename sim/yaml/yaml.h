/* yaml.h - YAML and JSON documents as trees whose every node knows its place.
 *
 * As kubectl reads manifests, but strict: a key that is there twice is an error.
 * Aliases are resolved (an alias is the same node as its anchor), "<<" merges.
 * JSON is read as the YAML that it is. Limits: a file of 64 GiB, a text of 64 MiB, 100
 * levels, 1000 anchors and 10 million nodes that aliases add, each a clear error. A document
 * is a tree in memory, but for the items of a List, which can be had one by one.
 */
#ifndef SIM_YAML_H
#define SIM_YAML_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "sim/scenario/place.h"
#include "sim/tool/source.h"

/* What errors about Helm's templates say, and advise. */
#define YAML_HELM_HINT                                                                             \
	"; this looks like an unrendered Helm template: render it first (helm template)"
#define YAML_HELM_FIX "render it first: helm template RELEASE CHART"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	uint8_t kind;	       /* enum yaml_kind */
	bool plain;	       /* scalar without quotes: may be a number, bool or null */
	uint32_t line, column; /* 1-based */
	uint32_t count;	       /* bytes of text, items, or pairs */
	uint32_t weight;       /* nodes in this tree, aliases counted each time */
	union {
		const char *text; /* terminated; may hold zero bytes */
		const struct yaml_node *const *items;
		const struct yaml_pair *pairs; /* in the order of the file */
	};
};

struct yaml_pair {
	const struct yaml_node *key; /* always a scalar */
	const struct yaml_node *value;
};

struct yaml_reader; /* yaml_open; yaml_close ends it */

/* Both source and its name are borrowed until the close; the source's window moves on. */
enum err_code yaml_open(const struct source *source, struct yaml_reader **out, struct err *err);
/* A document inside another: line 1 of it is line_offset + 1 of the file. */
enum err_code yaml_open_at(const struct source *source, uint32_t line_offset,
			   struct yaml_reader **out, struct err *err);
void yaml_close(struct yaml_reader *reader);

/* The root of the next document that is not empty; NULL after the last one. It
 * lives until the next call or the close. */
enum err_code yaml_next(struct yaml_reader *reader, const struct yaml_node **out, struct err *err);

/* After an error: on to the next document of the file, whose beginning is a line "---".
 * False: there is none, or the error was in the file itself. */
bool yaml_skip(struct yaml_reader *reader);

/* The items of a List, as "kubectl get -o yaml" prints them: from now on take is
 * called for each map of the list that stands under the key "items" of a document,
 * as soon as it is complete. True: it was taken, is not part of the document, and its
 * memory is used again. False, or an anchor or alias anywhere in the document: it and
 * those after it stay. An error that take leaves in *code ends the reading. */
typedef bool yaml_take(void *context, const struct yaml_node *item, enum err_code *code);
void yaml_stream_items(struct yaml_reader *reader, yaml_take *take, void *context);

/* The value of a key; NULL if the node is no map or has no such key, or if the
 * value is null. */
const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key);

/* Is it the null of YAML 1.1: plain and empty, "~", "null", "Null" or "NULL"? */
bool yaml_is_null(const struct yaml_node *node);
bool yaml_text_is(const struct yaml_node *node, const char *text);
struct place yaml_place(const char *file, const struct yaml_node *node);

#endif
