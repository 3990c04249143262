#include "sim/tool/jsonw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "core/mem.h"
#include "core/num.h"

static void print(void *context, const char *text, size_t size)
{
	fwrite(text, 1, size, context);
}

static void put_text(struct jsonw *json, const char *text)
{
	yajl_gen_string(json->yajl, (const unsigned char *)text, strlen(text));
}

static void put_key(struct jsonw *json, const char *key)
{
	if (key != NULL)
		put_text(json, key);
}

static void begin(struct jsonw *json, FILE *out, bool line)
{
	*json = (struct jsonw){.out = out, .yajl = yajl_gen_alloc(NULL), .line = line};
	if (json->yajl == NULL)
		mem_exhausted(1, 0);
	yajl_gen_config(json->yajl, yajl_gen_beautify, !line);
	yajl_gen_config(json->yajl, yajl_gen_indent_string, " ");
	yajl_gen_config(json->yajl, yajl_gen_print_callback, print, out);
	yajl_gen_map_open(json->yajl);
}

void jsonw_begin(struct jsonw *json, FILE *out)
{
	begin(json, out, false);
}

void jsonw_begin_line(struct jsonw *json, FILE *out)
{
	begin(json, out, true);
}

void jsonw_end(struct jsonw *json)
{
	yajl_gen_status status = yajl_gen_map_close(json->yajl);

	assert(status == yajl_gen_status_ok); /* every call before was in order */
	(void)status;
	if (json->line)
		putc('\n', json->out);
	yajl_gen_free(json->yajl);
	json->yajl = NULL;
}

void jsonw_object(struct jsonw *json, const char *key)
{
	put_key(json, key);
	yajl_gen_map_open(json->yajl);
}

void jsonw_array(struct jsonw *json, const char *key)
{
	put_key(json, key);
	yajl_gen_array_open(json->yajl);
}

void jsonw_close_object(struct jsonw *json)
{
	yajl_gen_map_close(json->yajl);
}

void jsonw_close_array(struct jsonw *json)
{
	yajl_gen_array_close(json->yajl);
}

void jsonw_text(struct jsonw *json, const char *key, const char *text)
{
	put_key(json, key);
	put_text(json, text);
}

void jsonw_integer(struct jsonw *json, const char *key, int64_t value)
{
	put_key(json, key);
	yajl_gen_integer(json->yajl, value);
}

void jsonw_bool(struct jsonw *json, const char *key, bool value)
{
	put_key(json, key);
	yajl_gen_bool(json->yajl, value);
}

void jsonw_null(struct jsonw *json, const char *key)
{
	put_key(json, key);
	yajl_gen_null(json->yajl);
}

void jsonw_number(struct jsonw *json, const char *key, double value)
{
	char text[NUM_DOUBLE_TEXT];

	if (!isfinite(value)) {
		jsonw_null(json, key);
		return;
	}
	num_format_double(value, text);
	put_key(json, key);
	yajl_gen_number(json->yajl, text, strlen(text));
}

void jsonw_seconds(struct jsonw *json, const char *key, simtime time)
{
	char text[CLOCK_TEXT];

	if (time == CLOCK_NEVER) {
		jsonw_null(json, key);
		return;
	}
	clock_format_seconds(time, text);
	put_key(json, key);
	yajl_gen_number(json->yajl, text, strlen(text));
}
