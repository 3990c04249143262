#include "sim/trace/trace_capacity.h"

#include <stdio.h>
#include <string.h>

#include "sim/load/pool.h"
#include "sim/tool/csv.h"
#include "sim/trace/trace_pods.h"
#include "sim/trace/trace_queues.h"

#define DATE_LEN  10
#define NODE_GPUS TRACE_QUEUES_GPUS_PER_NODE

struct step { /* from at on */
	simtime at;
	const int64_t *gpus; /* per virtual cluster, then all together */
};

struct capacity {
	struct builder *builder;
	struct csv csv;
	uint32_t count;	    /* virtual clusters */
	const char **names; /* in the arena, as is all that follows */
	struct step *steps; /* heap */
	size_t step_count, step_capacity;
	simtime zero;	/* time 0 on the trace's clock */
	uint32_t nodes; /* that there are, at the most so far */
	uint32_t open;	/* of them, those that take pods */
};

bool trace_capacity_probe(const char *head, size_t size)
{
	struct err ignored;
	struct csv csv;
	bool more, found;

	csv_init(&csv, NULL, head, size);
	found = csv_row(&csv, &more, &ignored) == ERR_OK && more && csv.count > 2 &&
		csv_is(&csv.fields[0], "date") && csv_is(&csv.fields[csv.count - 1], "total");
	csv_free(&csv);
	return found;
}

static enum err_code read_header(struct capacity *c, struct err *err)
{
	struct mem_arena *arena = builder_arena(c->builder);
	bool more;

	if (csv_row(&c->csv, &more, err) != ERR_OK)
		return err->code;
	if (!more || c->csv.count < 3)
		return err_set(err, ERR_SYNTAX, c->csv.file, 1, 1,
			       "a header date,...,total was expected");
	c->count = c->csv.count - 2;
	c->names = mem_arena_alloc(arena, c->count * sizeof(*c->names));
	for (uint32_t i = 0; i < c->count; i++) {
		const struct csv_field *name = &c->csv.fields[i + 1];
		uint32_t string = builder_string(c->builder, name->text, name->len);

		if (name->len == 0)
			return csv_error(&c->csv, name, 0, ERR_VALUE, err,
					 "a virtual cluster without a name");
		c->names[i] = name_text(builder_strings(c->builder), string);
	}
	return ERR_OK;
}

/* "2020-06-09", or with a time behind it, which does not count. */
static bool read_date(const struct csv_field *cell, simtime *out)
{
	char text[] = "yyyy-mm-dd 00:00:00";

	if (cell->len < DATE_LEN)
		return false;
	memcpy(text, cell->text, DATE_LEN);
	return trace_read_clock(text, sizeof(text) - 1, out);
}

static enum err_code read_step(struct capacity *c, struct err *err)
{
	const struct csv_field *cells = c->csv.fields;
	struct mem_arena *arena = builder_arena(c->builder);
	int64_t *gpus = mem_arena_alloc(arena, (c->count + 1u) * sizeof(*gpus));
	struct step step = {.gpus = gpus};
	uint32_t amount;

	if (!read_date(&cells[0], &step.at))
		return csv_error(&c->csv, &cells[0], 0, ERR_VALUE, err,
				 "\"%.*s\" is not a date like 2020-06-09", csv_shown(cells[0].len),
				 cells[0].text);
	if (c->step_count > 0 && step.at <= c->steps[c->step_count - 1].at)
		return csv_error(&c->csv, &cells[0], 0, ERR_VALUE, err, "the dates do not ascend");
	for (uint32_t i = 0; i <= c->count; i++) {
		if (!trace_read_count(cells[i + 1].text, cells[i + 1].len, &amount) ||
		    amount > TRACE_PODS_GPUS_MAX)
			return csv_error(&c->csv, &cells[i + 1], 0, ERR_VALUE, err,
					 "\"%.*s\" is not a number of GPUs",
					 csv_shown(cells[i + 1].len), cells[i + 1].text);
		gpus[i] = amount;
	}
	c->steps = mem_grow(c->steps, c->step_count + 1, &c->step_capacity, sizeof(*c->steps));
	c->steps[c->step_count++] = step;
	return ERR_OK;
}

static enum err_code read_steps(struct capacity *c, struct err *err)
{
	enum err_code code = read_header(c, err);
	bool more = true;

	while (code == ERR_OK && more) {
		code = csv_row(&c->csv, &more, err);
		if (code == ERR_OK && more && c->csv.count != c->count + 2)
			code = err_set(err, ERR_SYNTAX, c->csv.file, c->csv.line, 1,
				       "%u fields; the header has %u", c->csv.count, c->count + 2);
		if (code == ERR_OK && more)
			code = read_step(c, err);
	}
	if (code == ERR_OK && c->step_count == 0)
		code = err_set(err, ERR_SYNTAX, c->csv.file, 2, 1, "no sizes of any day");
	return code;
}

/* On the clock of the simulation; the last step before time 0 holds from there. */
static void begin_at_zero(struct capacity *c)
{
	size_t first = 0;

	for (size_t i = 0; i < c->step_count; i++) {
		c->steps[i].at -= c->zero;
		if (c->steps[i].at <= 0)
			first = i;
	}
	c->step_count -= first;
	memmove(c->steps, c->steps + first, c->step_count * sizeof(*c->steps));
	c->steps[0].at = 0;
}

static uint32_t nodes_for(int64_t gpus)
{
	return (uint32_t)((gpus + NODE_GPUS - 1) / NODE_GPUS);
}

/* So many nodes take pods from now on. */
static enum err_code size_nodes(struct capacity *c, const struct step *step, struct err *err)
{
	uint32_t wanted = nodes_for(step->gpus[c->count]);
	struct pool pool = {.name = TRACE_QUEUES_FLAVOR, .gpus = NODE_GPUS, .at = step->at};
	enum err_code code = ERR_OK;

	if (wanted < c->open) {
		pool.first = wanted;
		pool.count = c->open - wanted;
		pool.cordoned = true;
		code = pool_add(c->builder, &pool, (struct place){0}, err);
	} else if (wanted > c->open) {
		pool.first = c->open;
		pool.count = wanted - c->open;
		code = pool_add(c->builder, &pool, (struct place){0}, err);
	}
	c->open = wanted;
	return code;
}

static void size_queues(struct capacity *c, const struct step *step, const struct step *before)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (step->gpus[i] != before->gpus[i])
			builder_simple_quota(c->builder, c->names[i], TRACE_QUEUES_COHORT,
					     TRACE_QUEUES_FLAVOR, step->gpus[i], step->at);
}

static enum err_code apply(struct capacity *c, struct err *err)
{
	bool nodes = !builder_has_nodes(c->builder), queues = !builder_has_queues(c->builder);
	enum err_code code = ERR_OK;

	begin_at_zero(c);
	if (queues)
		trace_queues_sized(c->builder, c->names, c->steps[0].gpus, c->count);
	for (size_t i = 0; i < c->step_count && code == ERR_OK; i++) {
		if (nodes)
			code = size_nodes(c, &c->steps[i], err);
		if (queues && i > 0)
			size_queues(c, &c->steps[i], &c->steps[i - 1]);
	}
	return code;
}

enum err_code trace_capacity_apply(const struct source *source, struct builder *builder,
				   struct err *err)
{
	struct capacity c = {.builder = builder};
	enum err_code code;

	if (!builder_has_origin(builder, &c.zero))
		return err_set(err, ERR_USAGE, source->name, 0, 0,
			       "these are sizes by date, and no list of jobs here has dates");
	csv_open(&c.csv, source, ',', true);
	code = read_steps(&c, err);
	if (code == ERR_OK)
		code = apply(&c, err);
	csv_free(&c.csv);
	mem_free(c.steps);
	return code;
}
