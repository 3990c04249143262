#include "sim/study/sweep_spec.h"

#include <stdio.h>
#include <string.h>

#include "sim/load/fields.h"
#include "sim/scenario/options.h"
#include "sim/yaml/yaml_scalar.h"

#define HEAD	 65536 /* bytes in which "Sweep" is looked for */
#define LIST_MAX 100000

/* ---- is it one? ---- */

bool sweep_spec_is(const struct source *source)
{
	size_t size = source->size < HEAD ? source->size : HEAD;
	const struct yaml_node *root = NULL;
	struct yaml_reader *reader = NULL;
	struct err ignored;
	bool found = false;

	for (size_t i = 0; i + 5 <= size && !found; i++)
		found = memcmp(source->data + i, "Sweep", 5) == 0;
	if (!found || yaml_open(source, &reader, &ignored) != ERR_OK)
		return false;
	found = yaml_next(reader, &root, &ignored) == ERR_OK && root != NULL;
	if (found) {
		const struct yaml_node *kind = yaml_find(root, "kind");

		found = kind != NULL && yaml_text_is(kind, "Sweep");
	}
	yaml_close(reader);
	return found;
}

/* ---- values: each reader fills the plan ---- */

static enum err_code want_value(struct fields *f, const struct yaml_node *value)
{
	if (value->kind != YAML_SCALAR || yaml_is_null(value))
		return fields_error(f, ERR_VALUE, value, "must be one value, not %s",
				    yaml_describe(value));
	return ERR_OK;
}

/* What another function refused, told of this place. */
static enum err_code tell(struct fields *f, const struct yaml_node *node, enum err_code code)
{
	char text[sizeof(f->err->msg)];

	if (code == ERR_OK || f->err->line != 0)
		return code;
	snprintf(text, sizeof(text), "%s", f->err->msg);
	return fields_error(f, code, node, "%s", text);
}

/* A path as it is from here, not from the document's folder. */
static const char *path_of(struct fields *f, struct sweep_plan *plan, const char *path)
{
	const char *slash = strrchr(f->file, '/');
	size_t folder = slash == NULL || path[0] == '/' ? 0 : (size_t)(slash - f->file) + 1;
	size_t size = folder + strlen(path) + 1;
	char *text = mem_arena_alloc(plan->arena, size);

	snprintf(text, size, "%.*s%s", (int)folder, f->file, path);
	return text;
}

static enum err_code each(struct fields *f, const struct yaml_node *list,
			  enum err_code (*read)(struct fields *f, const struct yaml_node *item,
						void *context),
			  void *context)
{
	enum err_code code = fields_want_list(f, list);

	if (code == ERR_OK && list->count > LIST_MAX)
		return fields_error(f, ERR_LIMIT, list, "more than %d items", LIST_MAX);
	for (uint32_t i = 0; code == ERR_OK && i < list->count; i++) {
		size_t mark = fields_enter_index(f, i);

		code = read(f, list->items[i], context);
		fields_leave(f, mark);
	}
	return code;
}

struct texts_reading {
	struct sweep_plan *plan;
	struct sweep_texts *texts;
	bool paths, ranges;
	const struct sweep_dimension *d; /* whose values they are; NULL: of none */
};

static enum err_code read_text_item(struct fields *f, const struct yaml_node *item, void *context)
{
	struct texts_reading *r = context;
	size_t before = r->texts->count;
	enum err_code code = want_value(f, item);

	if (code != ERR_OK)
		return code;
	if (r->ranges)
		code = tell(f, item,
			    sweep_range_read(r->plan->arena, item->text, r->texts, f->err));
	else
		sweep_texts_add(r->texts, r->paths ? path_of(f, r->plan, item->text)
						   : mem_arena_strdup(r->plan->arena, item->text));
	return code == ERR_OK && r->d != NULL
		       ? tell(f, item, sweep_plan_try_values(r->d, before, f->err))
		       : code;
}

static enum err_code read_output(struct fields *f, const struct yaml_node *item, void *context)
{
	enum err_code code = read_text_item(f, item, context);

	return code == ERR_OK ? tell(f, item, sweep_plan_try_output(item->text, f->err)) : code;
}

static enum err_code read_files(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	struct texts_reading r = {plan, &plan->files, true, false, NULL};

	(void)row;
	return each(f, value, read_text_item, &r);
}

static enum err_code read_sets(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	struct texts_reading r = {plan, &plan->sets, false, false, NULL};

	(void)row;
	return each(f, value, read_text_item, &r);
}

static enum err_code read_outputs(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	struct texts_reading r = {plan, &plan->outputs, false, false, NULL};

	(void)row;
	return each(f, value, read_output, &r);
}

/* ---- the input ---- */

static enum err_code read_input(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	bool path = strcmp(row->key, "trace") == 0 || strcmp(row->key, "vcNodes") == 0;
	const char *text;

	if (want_value(f, value) != ERR_OK)
		return f->err->code;
	text = path ? path_of(f, plan, value->text) : mem_arena_strdup(plan->arena, value->text);
	if (strcmp(row->key, "trace") == 0)
		plan->trace = text;
	else if (strcmp(row->key, "vcNodes") == 0)
		plan->vc_nodes = text;
	else if (strcmp(row->key, "nodes") == 0)
		plan->nodes = text;
	else
		plan->format = text;
	return ERR_OK;
}

static enum err_code read_options(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		const struct yaml_pair *pair = &value->pairs[i];
		struct run_options trial;
		size_t size = pair->key->count + pair->value->count + 2;
		char *text;

		code = want_value(f, pair->value);
		if (code != ERR_OK)
			return code;
		options_default(&trial);
		code = tell(f, pair->value,
			    options_set(&trial, pair->key->text, pair->value->text, f->err));
		text = mem_arena_alloc(plan->arena, size);
		snprintf(text, size, "%s=%s", pair->key->text, pair->value->text);
		sweep_texts_add(&plan->options, text);
	}
	return code;
}

/* ---- dimensions ---- */

struct dimension_reading {
	const char *name, *set, *from, *to, *step, *factor;
	const struct yaml_node *values;
};

static enum err_code keep_text(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const char **text = out;

	(void)row;
	if (want_value(f, value) != ERR_OK)
		return f->err->code;
	*text = value->text;
	return ERR_OK;
}

static enum err_code keep_list(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const struct yaml_node **node = out;

	(void)row;
	*node = value;
	return fields_want_list(f, value);
}

#define DIMENSION(member) offsetof(struct dimension_reading, member)

static const struct field dimension_rows[] = {
	{.key = "name", .read = keep_text, .offset = DIMENSION(name)},
	{.key = "set", .read = keep_text, .offset = DIMENSION(set), .required = true},
	{.key = "values", .read = keep_list, .offset = DIMENSION(values)},
	{.key = "from", .read = keep_text, .offset = DIMENSION(from)},
	{.key = "to", .read = keep_text, .offset = DIMENSION(to)},
	{.key = "step", .read = keep_text, .offset = DIMENSION(step)},
	{.key = "factor", .read = keep_text, .offset = DIMENSION(factor)},
	{.key = NULL},
};

/* The values of d, which are given as a list. */
static enum err_code fill_list(struct fields *f, const struct yaml_node *list,
			       struct sweep_plan *plan, struct sweep_dimension *d)
{
	bool paths = strcmp(d->set, "trace") == 0;
	struct texts_reading r = {plan, &d->values, paths, !paths, d};
	enum err_code code = each(f, list, read_text_item, &r);

	return code == ERR_OK && list->count == 0
		       ? tell(f, list, sweep_plan_try_values(d, 0, f->err))
		       : code;
}

static enum err_code fill_dimension(struct fields *f, const struct dimension_reading *reading,
				    const struct yaml_node *item, struct sweep_plan *plan,
				    struct sweep_dimension *d)
{
	enum err_code code = tell(f, item, sweep_plan_try_target(plan, d, f->err));

	if (code == ERR_OK && reading->values != NULL)
		return fill_list(f, reading->values, plan, d);
	if (code == ERR_OK)
		code = tell(f, item,
			    sweep_range_add(plan->arena, reading->from, reading->to, reading->step,
					    reading->factor, &d->values, f->err));
	return code == ERR_OK ? tell(f, item, sweep_plan_try_values(d, 0, f->err)) : code;
}

static enum err_code read_dimension(struct fields *f, const struct yaml_node *item, void *context)
{
	struct sweep_plan *plan = context;
	struct dimension_reading reading = {0};
	struct sweep_dimension *d = NULL;
	uint32_t before = plan->dimension_count;
	bool range, list;
	enum err_code code = fields_want_map(f, item);

	if (code == ERR_OK)
		code = fields_map(f, item, dimension_rows, &reading);
	if (code != ERR_OK)
		return code;
	list = reading.values != NULL;
	range = reading.from != NULL && reading.to != NULL;
	if (list == range || (list && (reading.from != NULL || reading.to != NULL ||
				       reading.step != NULL || reading.factor != NULL)))
		return fields_error(f, ERR_VALUE, item,
				    "give the values as a list, or from and to with a step or a "
				    "factor");
	code = sweep_plan_dimension(plan, reading.name != NULL ? reading.name : reading.set,
				    reading.set, &d, f->err);
	if (code == ERR_OK && plan->dimension_count == before)
		return fields_error(f, ERR_DUPLICATE, item, "two dimensions are called \"%.100s\"",
				    d->name);
	if (code != ERR_OK)
		return tell(f, item, code);
	return fill_dimension(f, &reading, item, plan, d);
}

static enum err_code read_dimensions(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	(void)row;
	return each(f, value, read_dimension, out);
}

/* policies and seeds: dimensions of their own. */
static enum err_code read_crossed(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	const char *name = strcmp(row->key, "policies") == 0 ? "policy" : "seed";
	struct sweep_dimension *d = NULL;
	enum err_code code = tell(f, value, sweep_plan_dimension(plan, name, name, &d, f->err));

	if (code == ERR_OK)
		code = tell(f, value, sweep_plan_try_target(plan, d, f->err));
	return code == ERR_OK ? fill_list(f, value, plan, d) : code;
}

static enum err_code read_replications(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	struct sweep_plan *plan = out;
	struct sweep_dimension *d = NULL;
	char text[32];
	int64_t count = 0;
	enum err_code code = fields_int_between(f, value, 1, SWEEP_RANGE_MAX, &count);

	(void)row;
	if (code == ERR_OK)
		code = tell(f, value, sweep_plan_dimension(plan, "seed", "seed", &d, f->err));
	if (code != ERR_OK)
		return code;
	snprintf(text, sizeof(text), "1..%d", (int)count);
	return tell(f, value, sweep_range_read(plan->arena, text, &d->values, f->err));
}

/* ---- the sample ---- */

struct sample_reading {
	int method;
	int64_t count, seed;
};

static enum err_code read_number(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_int_between(f, value, 0, INT64_MAX, out);
}

static enum err_code read_sample(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	static const struct fields_word methods[] = {
		{"grid", SWEEP_GRID}, {"list", SWEEP_LIST}, {"latin", SWEEP_LATIN}, {NULL, 0}};
	static const struct field rows[] = {
		{.key = "method",
		 .read = fields_enum,
		 .offset = offsetof(struct sample_reading, method),
		 .arg = methods,
		 .required = true},
		{.key = "count",
		 .read = read_number,
		 .offset = offsetof(struct sample_reading, count)},
		{.key = "seed",
		 .read = read_number,
		 .offset = offsetof(struct sample_reading, seed)},
		{.key = NULL},
	};
	struct sample_reading reading = {SWEEP_GRID, 0, 1};
	struct sweep_plan *plan = out;
	enum err_code code = fields_map(f, value, rows, &reading);

	(void)row;
	if (code != ERR_OK)
		return code;
	if ((reading.method == SWEEP_LATIN) != (reading.count > 0))
		return fields_error(f, ERR_VALUE, value,
				    "a Latin hypercube needs a count of samples, and nothing else "
				    "has one");
	plan->method = (enum sweep_method)reading.method;
	plan->samples = (uint64_t)reading.count;
	plan->seed = (uint64_t)reading.seed;
	return ERR_OK;
}

/* ---- the whole ---- */

static const struct field rows[] = {
	{.key = "apiVersion"},
	{.key = "kind"},
	{.key = "metadata"},
	{.key = "files", .read = read_files},
	{.key = "trace", .read = read_input},
	{.key = "format", .read = read_input},
	{.key = "nodes", .read = read_input},
	{.key = "vcNodes", .read = read_input},
	{.key = "policies", .read = read_crossed},
	{.key = "options", .read = read_options},
	{.key = "set", .read = read_sets},
	{.key = "dimensions", .read = read_dimensions},
	{.key = "sample", .read = read_sample},
	{.key = "seeds", .read = read_crossed},
	{.key = "replications", .read = read_replications},
	{.key = "outputs", .read = read_outputs},
	{.key = NULL},
};

static enum err_code read_root(struct fields *f, const struct yaml_node *root, void *out)
{
	struct sweep_plan *plan = out;
	const struct yaml_node *version = yaml_find(root, "apiVersion");
	const struct yaml_node *kind = yaml_find(root, "kind");

	if (kind == NULL || !yaml_text_is(kind, "Sweep"))
		return fields_error(f, ERR_VALUE, root, "this is no document of kind Sweep");
	if (version == NULL || !yaml_text_is(version, "gqsim/v1"))
		return fields_error(f, ERR_VALUE, version != NULL ? version : root,
				    "the apiVersion of a Sweep is gqsim/v1");
	f->kind = "Sweep";
	if (yaml_find(root, "seeds") != NULL && yaml_find(root, "replications") != NULL)
		return fields_error(f, ERR_DUPLICATE, root,
				    "seeds and replications both say how often a point is run");
	return fields_map(f, root, rows, plan);
}

enum err_code sweep_spec_read(const struct source *source, struct sweep_plan *plan, struct err *err)
{
	struct builder *builder = builder_new(); /* what fields keep texts in */
	struct fields f = {.builder = builder,
			   .arena = builder_arena(builder),
			   .file = source->name,
			   .kind = "",
			   .name = "",
			   .unknown = FIELDS_REFUSE,
			   .err = err};
	enum err_code code =
		fields_one_document(&f, source, read_root, plan,
				    "a second document: objects belong into files of their own");

	builder_free(builder);
	return code;
}

enum err_code sweep_spec_values(struct sweep_plan *plan, const char *text, struct sweep_texts *out,
				struct err *err)
{
	enum err_code code = ERR_OK;
	bool more = true;

	while (code == ERR_OK && more) {
		size_t len = strcspn(text, ",");

		code = sweep_range_read(plan->arena, mem_arena_strndup(plan->arena, text, len), out,
					err);
		more = text[len] == ',';
		text += len + 1;
	}
	return code;
}

void sweep_spec_ties(struct sweep_plan *plan)
{
	bool seeds = false, ties = false;

	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		seeds = seeds || strcmp(plan->dimensions[i].set, "seed") == 0;
		ties = ties || strcmp(plan->dimensions[i].set, "tie") == 0;
	}
	for (size_t i = 0; i < plan->options.count; i++)
		ties = ties || strncmp(plan->options.items[i], "tie=", 4) == 0;
	if (seeds && !ties)
		sweep_texts_add(&plan->options, "tie=random");
}
