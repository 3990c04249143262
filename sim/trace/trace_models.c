#include "sim/trace/trace_models.h"

#include <string.h>

struct trace_models {
	struct builder *builder;
	bool keep_all;
	uint32_t label;			/* string */
	struct name_table *texts;	/* of wishes */
	const struct node_term **terms; /* by index of texts; NULL: dropped */
	size_t capacity;
};

struct trace_models *trace_models_new(struct builder *builder, bool keep_all)
{
	struct trace_models *m = mem_calloc(1, sizeof(*m));

	m->builder = builder;
	m->keep_all = keep_all;
	m->label = builder_string(builder, TRACE_MODELS_LABEL, strlen(TRACE_MODELS_LABEL));
	m->texts = name_new();
	return m;
}

void trace_models_free(struct trace_models *models)
{
	if (models == NULL)
		return;
	name_free(models->texts);
	mem_free(models->terms);
	mem_free(models);
}

/* The models of "A|B" as strings. */
static uint32_t split(struct trace_models *m, const char *text, size_t len, uint32_t *out)
{
	uint32_t count = 0;

	for (size_t at = 0; at <= len;) {
		const char *bar = memchr(text + at, '|', len - at);
		size_t part = bar == NULL ? len - at : (size_t)(bar - (text + at));

		if (part > 0)
			out[count++] = builder_string(m->builder, text + at, part);
		at += part + 1;
	}
	return count;
}

static const struct node_term *make(struct trace_models *m, const char *text, size_t len)
{
	struct mem_arena *arena = builder_arena(m->builder);
	uint32_t *values = mem_arena_alloc(arena, (len / 2 + 1) * sizeof(*values));
	struct match_expression *expression = mem_arena_alloc(arena, sizeof(*expression));
	struct node_term *term = mem_arena_alloc(arena, sizeof(*term));
	uint32_t count = split(m, text, len, values);
	bool known = m->keep_all;

	for (uint32_t i = 0; i < count && !known; i++)
		known = builder_has_label(m->builder, m->label, values[i]);
	if (!known || count == 0)
		return NULL;
	*expression = (struct match_expression){
		.key = m->label, .op = MATCH_IN, .values = values, .value_count = count};
	*term = (struct node_term){.expressions = expression, .expression_count = 1};
	return term;
}

const struct node_term *trace_models_term(struct trace_models *models, const char *text, size_t len)
{
	uint32_t known = name_count(models->texts), index;

	if (len == 0)
		return NULL;
	index = name_add_n(models->texts, text, len);
	if (index == known) {
		models->terms = mem_grow(models->terms, (size_t)index + 1, &models->capacity,
					 sizeof(*models->terms));
		models->terms[index] = make(models, text, len);
	}
	return models->terms[index];
}
