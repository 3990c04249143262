/* trace_cluster_spec.c - the cluster of Tiresias' simulator and of those that go back to it
 * (CATALOG 2.10): num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node, each
 * row so many equal nodes. Memory is GiB; which switch a node hangs on is its label
 * gqsim/switch.
 */
#include <stdio.h>

#include "sim/load/pool.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_pods.h"

#define GIB	    ((int64_t)1 << 30)
#define NAME	    "gpu"
#define SWITCH_TEXT 16

enum { SWITCHES, NODES, GPUS, CPUS, MEMORY, COLUMNS };

static const struct csv_column columns[COLUMNS] = {
	[SWITCHES] = {{"num_switch"}, true}, [NODES] = {{"num_node_p_switch"}, true},
	[GPUS] = {{"num_gpu_p_node"}, true}, [CPUS] = {{"num_cpu_p_node"}, false},
	[MEMORY] = {{"mem_p_node"}, false},
};

bool trace_cluster_spec_probe(const char *head, size_t size)
{
	uint32_t index[COLUMNS];
	struct err ignored;
	struct csv csv;
	bool found;

	csv_init(&csv, NULL, head, size);
	found = csv_header(&csv, columns, COLUMNS, index, &ignored) == ERR_OK;
	csv_free(&csv);
	return found;
}

struct loader {
	struct builder *builder;
	struct csv csv;
	uint32_t index[COLUMNS];
	uint32_t nodes, switches; /* so far */
};

static enum err_code read_counts(struct loader *l, uint32_t counts[COLUMNS], struct err *err)
{
	for (int c = 0; c < COLUMNS; c++) {
		struct csv_field cell = csv_get(&l->csv, l->index[c]);

		counts[c] = 0;
		if (cell.len == 0 && !columns[c].required)
			continue;
		if (!trace_read_count(cell.text, cell.len, &counts[c]) ||
		    counts[c] > TRACE_PODS_GPUS_MAX)
			return csv_error(&l->csv, &cell, 0, ERR_VALUE, err,
					 "\"%.*s\" is not a whole number (%s)", csv_shown(cell.len),
					 cell.text, columns[c].names[0]);
	}
	return ERR_OK;
}

/* The nodes of one more switch. */
static enum err_code add_switch(struct loader *l, const uint32_t counts[COLUMNS], struct err *err)
{
	int64_t amounts[RES_MAX] = {
		[RES_CPU] = counts[CPUS] * INT64_C(1000), [RES_MEMORY] = counts[MEMORY] * GIB};
	struct label *label = mem_arena_alloc(builder_arena(l->builder), sizeof(*label));
	struct pool pool = {.name = NAME,
			    .first = l->nodes,
			    .count = counts[NODES],
			    .gpus = counts[GPUS],
			    .amounts = amounts,
			    .labels = {.items = label, .count = 1}};
	char text[SWITCH_TEXT];
	int len = snprintf(text, sizeof(text), "s%u", l->switches++);

	*label = (struct label){builder_string(l->builder, "gqsim/switch", 12),
				builder_string(l->builder, text, (size_t)len)};
	if (counts[CPUS] > 0)
		pool.given |= UINT64_C(1) << RES_CPU;
	if (counts[MEMORY] > 0)
		pool.given |= UINT64_C(1) << RES_MEMORY;
	l->nodes += counts[NODES];
	return pool_add(l->builder, &pool,
			(struct place){.file = l->csv.file, .line = l->csv.line, .column = 1}, err);
}

static enum err_code read_rows(struct loader *l, struct trace_summary *summary, struct err *err)
{
	enum err_code code = csv_header(&l->csv, columns, COLUMNS, l->index, err);
	uint32_t counts[COLUMNS];
	bool more = true;

	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code != ERR_OK || !more)
			break;
		code = read_counts(l, counts, err);
		if (code == ERR_OK && (uint64_t)counts[SWITCHES] * counts[NODES] >
					      (uint64_t)(POOL_MAX_NODES - l->nodes))
			code = csv_error(&l->csv, &l->csv.fields[0], 0, ERR_LIMIT, err,
					 "too many nodes: at most %d are possible", POOL_MAX_NODES);
		for (uint32_t i = 0; counts[NODES] > 0 && i < counts[SWITCHES] && code == ERR_OK;
		     i++)
			code = add_switch(l, counts, err);
		summary->rows++;
	}
	return code;
}

enum err_code trace_cluster_spec_load(const struct source *source,
				      const struct trace_options *options, struct builder *builder,
				      struct trace_summary *summary, struct err *err)
{
	struct loader l = {.builder = builder};
	enum err_code code;

	(void)options;
	csv_open(&l.csv, source, ',', true);
	code = read_rows(&l, summary, err);
	csv_free(&l.csv);
	return code;
}
