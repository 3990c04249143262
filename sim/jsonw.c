#include "sim/jsonw.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_text(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static bool on_one_line(const struct jsonw *json)
{
	return json->compact != 0 && json->depth >= json->compact;
}

static void new_line(const struct jsonw *json)
{
	fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Comma, line and key of the next value. */
static void next(struct jsonw *json, const char *key)
{
	if (json->any[json->depth])
		putc(',', json->out);
	if (!on_one_line(json))
		new_line(json);
	else if (json->any[json->depth])
		putc(' ', json->out);
	json->any[json->depth] = true;
	if (key != NULL) {
		put_text(json->out, key);
		fputs(": ", json->out);
	}
}

static void open(struct jsonw *json, char bracket)
{
	putc(bracket, json->out);
	json->depth++;
	assert(json->depth < JSONW_DEPTH);
	json->any[json->depth] = false;
}

static void close(struct jsonw *json, char bracket)
{
	bool line = on_one_line(json);
	bool any = json->any[json->depth];

	json->depth--;
	if (json->compact > json->depth)
		json->compact = 0;
	if (!line && any)
		new_line(json);
	putc(bracket, json->out);
}

void jsonw_begin(struct jsonw *json, FILE *out)
{
	*json = (struct jsonw){.out = out};
	open(json, '{');
}

void jsonw_end(struct jsonw *json)
{
	close(json, '}');
	putc('\n', json->out);
}

void jsonw_object(struct jsonw *json, const char *key)
{
	next(json, key);
	open(json, '{');
}

void jsonw_array(struct jsonw *json, const char *key)
{
	next(json, key);
	open(json, '[');
}

static void begin_line(struct jsonw *json)
{
	if (json->compact == 0)
		json->compact = json->depth;
}

void jsonw_object_line(struct jsonw *json, const char *key)
{
	jsonw_object(json, key);
	begin_line(json);
}

void jsonw_array_line(struct jsonw *json, const char *key)
{
	jsonw_array(json, key);
	begin_line(json);
}

void jsonw_close_object(struct jsonw *json)
{
	close(json, '}');
}

void jsonw_close_array(struct jsonw *json)
{
	close(json, ']');
}

void jsonw_text(struct jsonw *json, const char *key, const char *text)
{
	next(json, key);
	put_text(json->out, text);
}

void jsonw_integer(struct jsonw *json, const char *key, int64_t value)
{
	next(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void jsonw_bool(struct jsonw *json, const char *key, bool value)
{
	next(json, key);
	fputs(value ? "true" : "false", json->out);
}

void jsonw_null(struct jsonw *json, const char *key)
{
	next(json, key);
	fputs("null", json->out);
}

void jsonw_number(struct jsonw *json, const char *key, double value)
{
	char text[40];

	if (!isfinite(value)) {
		jsonw_null(json, key);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	next(json, key);
	fputs(text, json->out);
}

void jsonw_seconds(struct jsonw *json, const char *key, simtime time)
{
	char text[CLOCK_TEXT];

	if (time == CLOCK_NEVER) {
		jsonw_null(json, key);
		return;
	}
	next(json, key);
	fputs(clock_format_seconds(time, text), json->out);
}
