/* trace_nodes.c - the lists of machines that come with traces: Alibaba openb and spot,
 * Philly's machines (CATALOG 2.1, 2.6, 2.7), and PAI's, which has no header (2.5).
 *
 * Each row is a node: its GPUs, the model as nvidia.com/gpu.product, and CPU and memory
 * where the list has them; a node of another list does not limit them.
 */
#include <string.h>

#include "sim/load/pool.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_pods.h"

#define MIB	   ((int64_t)1 << 20)
#define GIB	   ((int64_t)1 << 30)
#define CELL_MAX   254
#define PAI_FIELDS 5

enum { NAME, GPUS, MODEL, CPU, MEMORY, COLUMNS };

/* What one owner's list looks like. */
struct list_form {
	struct csv_column columns[COLUMNS]; /* required ones tell the forms apart */
	int64_t cpu_unit;		    /* thousandths of a CPU */
	int64_t memory_unit;		    /* bytes */
};

static const struct list_form forms[] = {
	{{{{"sn"}, true},
	  {{"gpu"}, true},
	  {{"model"}, true},
	  {{"cpu_milli"}, true},
	  {{"memory_mib"}, true}},
	 1,
	 MIB},
	{{{{"node_name"}, true},
	  {{"gpu_capacity_num"}, true},
	  {{"gpu_model"}, true},
	  {{"cpu_num"}, true},
	  {{"memory_gib"}, false}},
	 1000,
	 GIB},
	{{{{"machineId"}, true},
	  {{"number of GPUs"}, true},
	  {{"gpu_model"}, false},
	  {{"cpu_num"}, false},
	  {{"memory_gib"}, false}},
	 1000,
	 GIB},
};

/* machine,gpu_type,cap_cpu,cap_mem,cap_gpu */
static const struct list_form pai_form = {.cpu_unit = 1000, .memory_unit = GIB};
static const uint32_t pai_index[COLUMNS] = {
	[NAME] = 0, [GPUS] = 4, [MODEL] = 1, [CPU] = 2, [MEMORY] = 3};

/* The form whose columns the header has. */
static const struct list_form *find_form(const char *data, size_t size, uint32_t *index)
{
	const struct list_form *found = NULL;
	struct err ignored;

	for (size_t i = 0; found == NULL && i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct csv csv;

		csv_init(&csv, NULL, data, size);
		if (csv_header(&csv, forms[i].columns, COLUMNS, index, &ignored) == ERR_OK)
			found = &forms[i];
		csv_free(&csv);
	}
	return found;
}

bool trace_nodes_probe(const char *head, size_t size)
{
	uint32_t index[COLUMNS];

	return find_form(head, size, index) != NULL;
}

/* The names of its columns, which are published beside it. */
static bool is_pai_header(const struct csv *csv)
{
	return csv->count == PAI_FIELDS && csv_is(&csv->fields[0], "machine") &&
	       csv_is(&csv->fields[4], "cap_gpu");
}

bool trace_pai_nodes_probe(const char *head, size_t size)
{
	uint32_t gpus, cpus;
	struct err ignored;
	struct csv csv;
	bool more, found;

	csv_init(&csv, NULL, head, size);
	found = csv_row(&csv, &more, &ignored) == ERR_OK && more && csv.count == PAI_FIELDS &&
		(is_pai_header(&csv) ||
		 (trace_read_count(csv.fields[2].text, csv.fields[2].len, &cpus) &&
		  trace_read_count(csv.fields[4].text, csv.fields[4].len, &gpus)));
	csv_free(&csv);
	return found;
}

struct loader {
	const struct list_form *form;
	const uint32_t *index;
	struct builder *builder;
	struct csv csv;
};

static enum err_code wrong(struct loader *l, int column, const char *sentence, struct err *err)
{
	struct csv_field cell = csv_get(&l->csv, l->index[column]);

	return csv_error(&l->csv, &cell, 0, ERR_VALUE, err, "\"%.*s\" %s", csv_shown(cell.len),
			 cell.text, sentence);
}

static bool copy_text(struct loader *l, int column, char text[CELL_MAX])
{
	struct csv_field cell = csv_get(&l->csv, l->index[column]);

	if (cell.len >= CELL_MAX)
		return false;
	memcpy(text, cell.text, cell.len);
	text[cell.len] = '\0';
	return true;
}

/* An amount in a unit; absent or empty: no limit. */
static bool read_amount(struct loader *l, int column, int64_t unit, uint32_t resource,
			int64_t *amounts, struct pool *pool)
{
	struct csv_field cell = csv_get(&l->csv, l->index[column]);
	int64_t milli;

	if (cell.len == 0)
		return true;
	if (num_read_quantity(cell.text, cell.len, true, &milli) != NUM_OK)
		return false;
	amounts[resource] = res_mul(milli, unit) / 1000;
	pool->given |= UINT64_C(1) << resource;
	return true;
}

static enum err_code read_node(struct loader *l, struct err *err)
{
	struct csv_field gpus_cell = csv_get(&l->csv, l->index[GPUS]);
	char name[CELL_MAX], model[CELL_MAX];
	int64_t amounts[RES_MAX] = {0};
	struct pool pool = {.count = 1, .node = name, .amounts = amounts};
	uint32_t gpus;

	if (!copy_text(l, NAME, name) || name[0] == '\0')
		return wrong(l, NAME, "is no name of a node", err);
	if (!copy_text(l, MODEL, model))
		return wrong(l, MODEL, "is no GPU model", err);
	if (!trace_read_count(gpus_cell.text, gpus_cell.len, &gpus) || gpus > TRACE_PODS_GPUS_MAX)
		return wrong(l, GPUS, "is not a number of GPUs", err);
	if (!read_amount(l, CPU, l->form->cpu_unit, RES_CPU, amounts, &pool))
		return wrong(l, CPU, "is not a number of CPUs", err);
	if (!read_amount(l, MEMORY, l->form->memory_unit, RES_MEMORY, amounts, &pool))
		return wrong(l, MEMORY, "is not an amount of memory", err);
	pool.gpus = gpus;
	pool.name = gpus == 0 ? "cpu" : model[0] != '\0' ? model : "gpu";
	return pool_add(l->builder, &pool,
			(struct place){.file = l->csv.file, .line = l->csv.line, .column = 1}, err);
}

static enum err_code read_rows(struct loader *l, struct trace_summary *summary, struct err *err)
{
	enum err_code code = ERR_OK;
	bool more = true;

	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code == ERR_OK && more && l->form == &pai_form && is_pai_header(&l->csv))
			continue;
		if (code == ERR_OK && more)
			code = read_node(l, err);
		summary->rows += more ? 1 : 0;
	}
	return code;
}

static enum err_code load(struct loader *l, const struct source *source,
			  struct trace_summary *summary, bool header, struct err *err)
{
	enum err_code code = ERR_OK;
	uint32_t ignored[COLUMNS];

	csv_open(&l->csv, source, ',', true);
	if (header)
		code = csv_header(&l->csv, l->form->columns, COLUMNS, ignored, err);
	if (code == ERR_OK)
		code = read_rows(l, summary, err);
	csv_free(&l->csv);
	return code;
}

enum err_code trace_nodes_load(const struct source *source, const struct trace_options *options,
			       struct builder *builder, struct trace_summary *summary,
			       struct err *err)
{
	uint32_t index[COLUMNS];
	struct loader l = {.form = find_form(source->data, source->size, index),
			   .index = index,
			   .builder = builder};

	(void)options;
	if (l.form == NULL) /* by its name: the first form says what is missing */
		l.form = &forms[0];
	return load(&l, source, summary, true, err);
}

enum err_code trace_pai_nodes_load(const struct source *source, const struct trace_options *options,
				   struct builder *builder, struct trace_summary *summary,
				   struct err *err)
{
	struct loader l = {.form = &pai_form, .index = pai_index, .builder = builder};

	(void)options;
	return load(&l, source, summary, false, err);
}
