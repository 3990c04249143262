/* trace_gavel.c - traces of the Gavel simulator (CATALOG 2.9): fields between tabs, no
 * header; 7 fields (msr) or 10 (what its parser reads), told apart row by row.
 *
 * A job has steps, not a duration: that is steps / throughput of its type and size on a
 * GPU, from simulation_throughputs.json, which comes with Gavel. Without that file an
 * hour is assumed.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/trace/trace_formats.h"
#include "sim/yaml/yaml_json.h"

#define KEY_TEXT 200

/* Where a layout has what. */
struct layout {
	uint32_t fields, steps, scale, arrival;
};

static const struct layout layouts[] = {
	{.fields = 7, .steps = 4, .scale = 6, .arrival = 5},
	{.fields = 10, .steps = 5, .scale = 6, .arrival = 9},
};

static const struct layout *layout_of(const struct csv *csv)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (csv->count == layouts[i].fields)
			return &layouts[i];
	return NULL;
}

/* A row's numbers; false if one cannot be read. */
static bool read_numbers(const struct csv *csv, const struct layout *layout, uint32_t *steps,
			 uint32_t *scale, simtime *arrival)
{
	const struct csv_field *f = csv->fields;

	return trace_read_count(f[layout->steps].text, f[layout->steps].len, steps) &&
	       trace_read_count(f[layout->scale].text, f[layout->scale].len, scale) &&
	       clock_read_seconds(f[layout->arrival].text, f[layout->arrival].len, arrival);
}

bool trace_gavel_probe(const char *head, size_t size)
{
	const struct source source = {.data = head, .size = size};
	uint32_t steps, scale;
	simtime arrival;
	struct err ignored;
	struct csv csv;
	bool more, found;

	csv_open(&csv, &source, '\t', false);
	found = csv_row(&csv, &more, &ignored) == ERR_OK && more && layout_of(&csv) != NULL &&
		read_numbers(&csv, layout_of(&csv), &steps, &scale, &arrival);
	csv_free(&csv);
	return found;
}

/* {"v100": {"('ResNet-18 (batch size 32)', 1)": {"null": 12.3, ... */
bool trace_gavel_throughputs_probe(const char *head, size_t size)
{
	size_t at = 0, mark = 0;
	const char *const marks[] = {"{", "\"", "{", "\"('", "', ", ")\":"};

	/* The punctuation of the first key of the second level, in this order. */
	while (at < size && mark < sizeof(marks) / sizeof(marks[0])) {
		size_t len = strlen(marks[mark]);
		bool here = size - at >= len && memcmp(head + at, marks[mark], len) == 0;

		if (!here && mark == 0 && strchr(" \t\r\n", head[at]) == NULL)
			return false;
		if (!here && mark == 3 && strchr(" \t\r\n", head[at]) == NULL)
			return false;
		mark += here;
		at += here ? len : 1;
	}
	return mark == sizeof(marks) / sizeof(marks[0]);
}

struct loader {
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_list list;
	struct csv csv;
	const cJSON *throughputs; /* of one GPU model; NULL: not known */
	uint32_t team;		  /* string */
};

/* Steps a second of a type of job on so many GPUs; 0: not known. */
static double throughput_of(const struct loader *l, uint32_t scale)
{
	char key[KEY_TEXT];
	const cJSON *alone;

	snprintf(key, sizeof(key), "('%.*s', %u)", csv_shown(l->csv.fields[0].len),
		 l->csv.fields[0].text, scale);
	alone = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(l->throughputs, key), "null");
	return cJSON_IsNumber(alone) && alone->valuedouble > 0 ? alone->valuedouble : 0;
}

static const char *read_duration(struct loader *l, uint32_t steps, uint32_t scale, simtime *out)
{
	double throughput;

	if (l->throughputs == NULL) {
		*out = CLOCK_HOUR;
		l->summary->assumed_durations++;
		return NULL;
	}
	throughput = throughput_of(l, scale);
	if (throughput == 0)
		return "no_throughput";
	*out = clock_from_double(steps / throughput);
	return *out > 0 ? NULL : "zero_duration";
}

static void read_row(struct loader *l)
{
	const struct layout *layout = layout_of(&l->csv);
	struct trace_row row = {.name = NAME_NONE,
				.vc = l->team,
				.row = (uint32_t)l->summary->rows,
				.line = l->csv.line};
	const char *skip = NULL;
	uint32_t steps = 0;

	if (layout == NULL)
		skip = "bad_field_count";
	else if (!read_numbers(&l->csv, layout, &steps, &row.gpus, &row.submit))
		skip = "bad_number";
	else if (row.gpus == 0)
		skip = "zero_gpus";
	else if (row.gpus > TRACE_PODS_GPUS_MAX)
		skip = "too_many_gpus";
	else
		skip = read_duration(l, steps, row.gpus, &row.duration);
	l->summary->rows++;
	if (skip != NULL)
		trace_skip(l->summary, skip, l->csv.line);
	else
		trace_list_add(&l->list, &row);
}

static enum err_code wrong_table(const struct source *source, size_t offset, const char *sentence,
				 struct err *err)
{
	long line = 1;
	size_t begin = 0;

	for (size_t i = 0; i < offset; i++) {
		if (source->data[i] != '\n')
			continue;
		line++;
		begin = i + 1;
	}
	return err_set(err, ERR_SYNTAX, source->name, line, (long)(offset - begin) + 1, "%s",
		       sentence);
}

/* Half of an escaped pair is U+FFFD, as in JSON lines; cJSON takes no half. */
static enum err_code parse_table(const struct source *source, cJSON **table, struct err *err)
{
	const char *zero = yaml_json_zero(source->data, source->size), *end = NULL;
	size_t offset;
	char *copy;

	if (zero != NULL)
		return wrong_table(source, (size_t)(zero - source->data), YAML_JSON_ZERO, err);
	copy = mem_dup(source->data, source->size);
	yaml_json_mend(copy, source->size);
	*table = cJSON_ParseWithLengthOpts(copy, source->size, &end, 0);
	offset =
		end != NULL && end >= copy && end <= copy + source->size ? (size_t)(end - copy) : 0;
	mem_free(copy);
	if (cJSON_IsObject(*table))
		return ERR_OK;
	return wrong_table(source, *table != NULL ? 0 : offset,
			   "malformed JSON; a table of throughputs was expected", err);
}

/* The table among the companions, of the V100 if it is there, else of the first model. */
static enum err_code read_throughputs(const struct trace_options *options, struct loader *l,
				      cJSON **file, struct err *err)
{
	for (uint32_t i = 0; i < options->companion_count; i++) {
		const struct source *source = &options->companions[i];

		if (!trace_gavel_throughputs_probe(source->data, source->size))
			continue;
		if (parse_table(source, file, err) != ERR_OK)
			return err->code;
		l->throughputs = cJSON_GetObjectItemCaseSensitive(*file, "v100");
		if (l->throughputs == NULL)
			l->throughputs = (*file)->child;
	}
	return ERR_OK;
}

static enum err_code read_all(struct loader *l, struct err *err)
{
	enum err_code code = ERR_OK;
	bool more = true;

	while (code == ERR_OK && more) {
		code = csv_row(&l->csv, &more, err);
		if (code == ERR_OK && more)
			read_row(l);
	}
	return code;
}

enum err_code trace_gavel_load(const struct source *source, const struct trace_options *options,
			       struct builder *builder, struct trace_summary *summary,
			       struct err *err)
{
	struct loader l = {.builder = builder, .summary = summary, .list.no_clock = true};
	cJSON *file = NULL;
	enum err_code code = read_throughputs(options, &l, &file, err);

	l.team = builder_string(builder, "default", 7);
	csv_open(&l.csv, source, '\t', false);
	if (code == ERR_OK)
		code = read_all(&l, err);
	if (l.throughputs == NULL)
		summary->note = "the trace tells steps, no durations: an hour is assumed for each "
				"job; give Gavel's simulation_throughputs.json too";
	if (code == ERR_OK)
		trace_list_build(&l.list, source->name, options, builder, summary);
	trace_list_free(&l.list);
	csv_free(&l.csv);
	cJSON_Delete(file);
	return code;
}
