/* trace_figures KIND FILE... - figures of a trace as gqsim loads it, under the names that
 * the files of reference values give them; those that `gqsim trace stats` has no line for.
 * KIND: openb, swf, nodes, or one of the fixtures (trace_figures_fixture.c).
 */
#include "tests/conformance/trace_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "sim/tool/csv.h"

static void fail(const struct err *err)
{
	char text[700];

	err_format(err, text, sizeof(text));
	fprintf(stderr, "trace_figures: %s\n", text);
	exit(2);
}

void figures_spread(struct figures_trace *t, const char *key, simtime *times, size_t n)
{
	struct trace_spread s;
	char name[16];

	trace_stats_spread(times, n, &s);
	jsonw_object(t->json, key);
	jsonw_integer(t->json, "n", (int64_t)n);
	jsonw_number(t->json, "mean", s.mean);
	jsonw_seconds(t->json, "min", s.min);
	jsonw_seconds(t->json, "max", s.max);
	jsonw_seconds(t->json, "sum", s.sum);
	jsonw_integer(t->json, "zero", (int64_t)s.zero);
	jsonw_object(t->json, "p_lin");
	for (int p = 0; p < TRACE_STATS_PERCENTILES; p++) {
		snprintf(name, sizeof(name), "%u", trace_stats_percentiles[p]);
		jsonw_number(t->json, name, s.linear[p]);
	}
	jsonw_close_object(t->json);
	jsonw_object(t->json, "p_nr");
	for (int p = 0; p < TRACE_STATS_PERCENTILES; p++) {
		snprintf(name, sizeof(name), "%u", trace_stats_percentiles[p]);
		jsonw_seconds(t->json, name, s.nearest[p]);
	}
	jsonw_close_object(t->json);
	jsonw_close_object(t->json);
}

static uint32_t column_named(const struct csv *csv, const char *column)
{
	for (uint32_t i = 0; i < csv->count; i++)
		if (csv_is(&csv->fields[i], column))
			return i;
	return CSV_NONE;
}

char *figures_cell(const struct figures_trace *t, const char *column, uint32_t row)
{
	struct csv_field cell;
	struct csv csv;
	struct err err;
	uint32_t index;
	bool more;
	char *text;

	csv_init(&csv, t->source->name, t->source->data, t->source->size);
	csv_row(&csv, &more, &err);
	index = column_named(&csv, column);
	for (uint32_t i = 0; i <= row; i++)
		if (csv_row(&csv, &more, &err) != ERR_OK)
			fail(&err);
	cell = csv_get(&csv, index);
	text = calloc(1, cell.len + 1);
	memcpy(text, cell.text, cell.len);
	csv_free(&csv);
	return text;
}

/* ---- nodes ---- */

struct count {
	char key[80];
	int64_t nodes, gpus;
};

static void add_count(struct count *counts, size_t *used, const char *key, int64_t gpus)
{
	size_t i = 0;

	while (i < *used && strcmp(counts[i].key, key) != 0)
		i++;
	if (i == *used)
		snprintf(counts[(*used)++].key, sizeof(counts[0].key), "%s", key);
	counts[i].nodes++;
	counts[i].gpus += gpus;
}

static void write_histogram(struct jsonw *json, const char *key, const struct count *counts,
			    size_t used)
{
	jsonw_object(json, key);
	for (size_t i = 0; i < used; i++)
		jsonw_integer(json, counts[i].key, counts[i].nodes);
	jsonw_close_object(json);
}

static void write_models(struct jsonw *json, const struct count *counts, size_t used)
{
	jsonw_object(json, "by_model");
	for (size_t i = 0; i < used; i++) {
		jsonw_object(json, counts[i].key);
		jsonw_integer(json, "nodes", counts[i].nodes);
		jsonw_integer(json, "gpus", counts[i].gpus);
		jsonw_close_object(json);
	}
	jsonw_close_object(json);
}

static void write_nodes(struct jsonw *json, const struct scenario *s)
{
	struct count models[64] = {{{0}}}, sizes[64] = {{{0}}};
	size_t model_count = 0, size_count = 0;
	int64_t gpus = 0, cpu = 0, memory = 0;
	uint32_t label = name_find(s->strings, "nvidia.com/gpu.product");
	char text[32];

	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct node *node = &s->nodes[i];
		uint32_t model = label_value(&node->labels, label);

		gpus += node->gpus;
		cpu = res_add(cpu, node->allocatable[RES_CPU]);
		memory = res_add(memory, node->allocatable[RES_MEMORY]);
		snprintf(text, sizeof(text), "%lld", (long long)node->gpus);
		add_count(sizes, &size_count, text, node->gpus);
		add_count(models, &model_count,
			  model == NAME_NONE ? "" : name_text(s->strings, model), node->gpus);
	}
	jsonw_integer(json, "nodes", s->node_count);
	jsonw_integer(json, "machines", s->node_count);
	jsonw_integer(json, "gpus", gpus);
	jsonw_integer(json, "cpu_milli", cpu);
	jsonw_integer(json, "memory_mib", memory >> 20);
	write_models(json, models, model_count);
	write_histogram(json, "gpus_per_node", sizes, size_count);
	write_histogram(json, "hist", sizes, size_count);
}

static void figures_nodes(struct figures_trace *t)
{
	struct scenario *scenario = NULL;
	struct err err;

	if (trace_set_nodes(&t->set, t->builder, &err) != ERR_OK ||
	    builder_finish(t->builder, &scenario, &err) != ERR_OK)
		fail(&err);
	t->builder = NULL;
	write_nodes(t->json, scenario);
	scenario_free(scenario);
}

/* ---- the whole ---- */

static void load(struct figures_trace *t, char **paths, int count)
{
	const struct trace_options options = {.keep_models = true};
	struct trace_summary ignored;
	struct source source;
	struct err err;

	t->builder = builder_new();
	for (int i = 0; i < count; i++) {
		const struct trace_format *format;

		if (source_read(paths[i], &source, &err) != ERR_OK)
			fail(&err);
		format = trace_detect(&source);
		if (format == NULL) {
			fprintf(stderr, "trace_figures: %s: no known format\n", paths[i]);
			exit(2);
		}
		trace_set_add(&t->set, &source, format);
	}
	if (trace_set_first(&t->set) == NULL)
		return;
	if (trace_set_jobs(&t->set, &options, t->builder, &ignored, &err) != ERR_OK)
		fail(&err);
	t->source = &trace_set_first(&t->set)->source;
	t->summary = &trace_set_first(&t->set)->summary;
	trace_stats_jobs_init(&t->jobs, t->builder);
}

int main(int argc, char **argv)
{
	struct figures_trace t = {.builder = NULL};
	struct jsonw json;

	if (argc < 3) {
		fprintf(stderr, "usage: trace_figures KIND FILE...\n");
		return 2;
	}
	load(&t, argv + 2, argc - 2);
	jsonw_begin(&json, stdout);
	t.json = &json;
	if (strcmp(argv[1], "openb") == 0)
		figures_openb(&t);
	else if (strcmp(argv[1], "swf") == 0)
		figures_swf(&t);
	else if (strcmp(argv[1], "nodes") == 0)
		figures_nodes(&t);
	else
		figures_fixture(&t, argv[1]);
	jsonw_end(&json);
	trace_stats_jobs_free(&t.jobs);
	if (t.builder != NULL)
		builder_free(t.builder);
	trace_set_free(&t.set);
	return 0;
}
