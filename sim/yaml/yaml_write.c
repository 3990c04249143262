#include "sim/yaml/yaml_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <yaml.h>

#include "core/mem.h"

#define DEPTH	   32
#define LINE_WIDTH 96
#define NUMBER	   40
#define WHOLE	   1e15

struct yaml_writer {
	yaml_emitter_t emitter;
	FILE *out;
	bool in_map[DEPTH];
	int depth;
	bool failed;
};

static int write_bytes(void *context, unsigned char *bytes, size_t size)
{
	struct yaml_writer *w = context;

	return fwrite(bytes, 1, size, w->out) == size;
}

/* Of the functions of libyaml that make an event, all return 0 without memory. */
static void emit(struct yaml_writer *w, yaml_event_t *event, int made)
{
	if (!made)
		mem_exhausted(1, sizeof(*event));
	if (!yaml_emitter_emit(&w->emitter, event))
		w->failed = true;
}

struct yaml_writer *yaml_write_new(FILE *out)
{
	struct yaml_writer *w = mem_calloc(1, sizeof(*w));
	yaml_event_t event;

	w->out = out;
	if (!yaml_emitter_initialize(&w->emitter))
		mem_exhausted(1, sizeof(w->emitter));
	yaml_emitter_set_output(&w->emitter, write_bytes, w);
	yaml_emitter_set_width(&w->emitter, LINE_WIDTH);
	yaml_emitter_set_unicode(&w->emitter, 1);
	emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
	return w;
}

bool yaml_write_end_all(struct yaml_writer *w)
{
	yaml_event_t event;
	bool good;

	emit(w, &event, yaml_document_end_event_initialize(&event, 1));
	emit(w, &event, yaml_stream_end_event_initialize(&event));
	good = !w->failed;
	yaml_emitter_delete(&w->emitter);
	mem_free(w);
	return good;
}

static void scalar(struct yaml_writer *w, const char *text, yaml_scalar_style_t style)
{
	yaml_event_t event;
	/* libyaml takes what it does not change as not const. */
	yaml_char_t *copy = mem_dup(text, strlen(text) + 1);

	emit(w, &event,
	     yaml_scalar_event_initialize(&event, NULL, NULL, copy, (int)strlen(text), 1, 1,
					  style));
	mem_free(copy);
}

/* What some reader may take for a number, boolean, null or date. */
static bool needs_quotes(const char *text)
{
	static const char *const words[] = {
		"true",	 "false", "yes", "no", "on",  "off",  "null", "y",     "n",    "~", "True",
		"False", "Yes",	  "No",	 "On", "Off", "Null", "TRUE", "FALSE", "NULL", ""};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return strchr("0123456789+-.", text[0]) != NULL;
}

static void key_of(struct yaml_writer *w, const char *key)
{
	if (key != NULL)
		scalar(w, key,
		       needs_quotes(key) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
					 : YAML_PLAIN_SCALAR_STYLE);
}

static void push(struct yaml_writer *w, bool map)
{
	if (w->depth < DEPTH)
		w->in_map[w->depth] = map;
	w->depth++;
}

void yaml_write_map(struct yaml_writer *w, const char *key, bool flow)
{
	yaml_event_t event;

	key_of(w, key);
	emit(w, &event,
	     yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
						 flow ? YAML_FLOW_MAPPING_STYLE
						      : YAML_BLOCK_MAPPING_STYLE));
	push(w, true);
}

void yaml_write_list(struct yaml_writer *w, const char *key, bool flow)
{
	yaml_event_t event;

	key_of(w, key);
	emit(w, &event,
	     yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
						  flow ? YAML_FLOW_SEQUENCE_STYLE
						       : YAML_BLOCK_SEQUENCE_STYLE));
	push(w, false);
}

void yaml_write_close(struct yaml_writer *w)
{
	yaml_event_t event;

	w->depth--;
	if (w->in_map[w->depth])
		emit(w, &event, yaml_mapping_end_event_initialize(&event));
	else
		emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

void yaml_write_text(struct yaml_writer *w, const char *key, const char *text)
{
	key_of(w, key);
	scalar(w, text,
	       needs_quotes(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE);
}

void yaml_write_whole(struct yaml_writer *w, const char *key, uint64_t number)
{
	char text[NUMBER];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	key_of(w, key);
	scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

void yaml_write_number(struct yaml_writer *w, const char *key, double number)
{
	char text[NUMBER];

	snprintf(text, sizeof(text), number == floor(number) && number < WHOLE ? "%.0f" : "%.6g",
		 number);
	if (key != NULL)
		scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
	scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}
