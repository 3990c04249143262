/* yaml_write.h - YAML as it is written, piece by piece (libyaml's emitter). */
#ifndef SIM_YAML_WRITE_H
#define SIM_YAML_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct yaml_writer; /* owned by the caller: yaml_write_new/yaml_write_end_all */

struct yaml_writer *yaml_write_new(FILE *out); /* borrowed until the end */
/* Ends the document and frees the writer. False: the file could not be written. */
bool yaml_write_end_all(struct yaml_writer *writer);

/* key: in a map; NULL in a list or as the root. flow: on one line, as in JSON. */
void yaml_write_map(struct yaml_writer *writer, const char *key, bool flow);
void yaml_write_list(struct yaml_writer *writer, const char *key, bool flow);
void yaml_write_close(struct yaml_writer *writer); /* the innermost map or list */
/* Quoted where another YAML reader would take it for something else than a text. */
void yaml_write_text(struct yaml_writer *writer, const char *key, const char *text);
void yaml_write_whole(struct yaml_writer *writer, const char *key, uint64_t number);
/* Whole numbers with all digits, others with six. */
void yaml_write_number(struct yaml_writer *writer, const char *key, double number);

#endif
