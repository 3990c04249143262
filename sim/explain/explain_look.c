#include "sim/explain/explain_look.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/mem.h"

#define LINE 1024

char *explain_look_text(const char *fmt, ...)
{
	char text[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return mem_strdup(text);
}

void explain_look_add(struct explain_lines *lines, char *owned)
{
	lines->items =
		mem_grow(lines->items, lines->count + 1, &lines->capacity, sizeof(*lines->items));
	lines->items[lines->count++] = owned;
}

void explain_look_class(struct explain *e, enum explain_class class, char *owned)
{
	mem_free(e->class_text);
	e->class = class;
	e->class_text = owned;
}

const char *explain_look_job(const struct explain_look *l, uint32_t job,
			     char buf[SCENARIO_NAME_TEXT])
{
	return scenario_job_name(l->scenario, job, buf);
}

char *explain_look_amount(const struct explain_look *l, uint32_t resource, int64_t amount,
			  char buf[NUM_QUANTITY_TEXT])
{
	return num_format_quantity(amount, res_style(name_text(l->scenario->resources, resource)),
				   buf);
}

const char *explain_look_resource(const struct explain_look *l, uint32_t resource)
{
	return name_text(l->scenario->resources, resource);
}

const char *explain_look_flavor(const struct explain_look *l, uint32_t flavor)
{
	return scenario_string(l->scenario, l->scenario->flavors[flavor].name);
}
