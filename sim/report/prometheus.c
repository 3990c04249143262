#include "sim/report/prometheus.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/name.h"
#include "core/num.h"
#include "core/res.h"
#include "core/sort.h"

struct series {
	double value;
	simtime sum;	  /* of a histogram */
	uint64_t *counts; /* [buckets + 1] not cumulated, the last beyond all bounds */
};

struct family {
	struct name_table *labels; /* the series' labels, as they are written */
	struct series *series;	   /* by index of their labels */
	size_t capacity;
};

struct prometheus {
	const struct prometheus_family *table;
	struct family *families;
	uint32_t count;
	char *text; /* labels being made */
	size_t length, capacity;
};

struct prometheus *prometheus_new(const struct prometheus_family *families, uint32_t count)
{
	struct prometheus *p = mem_calloc(1, sizeof(*p));

	p->table = families;
	p->count = count;
	p->families = mem_calloc(count, sizeof(*p->families));
	for (uint32_t f = 0; f < count; f++)
		p->families[f].labels = name_new();
	return p;
}

void prometheus_free(struct prometheus *p)
{
	if (p == NULL)
		return;
	for (uint32_t f = 0; f < p->count; f++) {
		for (uint32_t s = 0; s < name_count(p->families[f].labels); s++)
			mem_free(p->families[f].series[s].counts);
		mem_free(p->families[f].series);
		name_free(p->families[f].labels);
	}
	mem_free(p->families);
	mem_free(p->text);
	mem_free(p);
}

/* ---- labels ---- */

static void append(struct prometheus *p, const char *text, size_t length)
{
	p->text = mem_grow(p->text, p->length + length + 1, &p->capacity, 1);
	memcpy(p->text + p->length, text, length);
	p->length += length;
	p->text[p->length] = '\0';
}

static void append_value(struct prometheus *p, const char *value)
{
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			append(p, "\\n", 2);
		else if (*value == '\\' || *value == '"')
			append(p, (const char[]){'\\', *value}, 2);
		else
			append(p, value, 1);
	}
}

static struct series *find(struct prometheus *p, uint32_t index, const char *const *values)
{
	const struct prometheus_family *row = &p->table[index];
	struct family *family = &p->families[index];
	uint32_t before = name_count(family->labels), at;

	p->length = 0;
	append(p, "", 0);
	for (uint32_t i = 0; i < PROMETHEUS_LABELS && row->labels[i] != NULL; i++) {
		append(p, i == 0 ? "" : ",", i == 0 ? 0 : 1);
		append(p, row->labels[i], strlen(row->labels[i]));
		append(p, "=\"", 2);
		append_value(p, values[i]);
		append(p, "\"", 1);
	}
	at = name_add_n(family->labels, p->text, p->length);
	if (at == before) {
		family->series = mem_grow(family->series, (size_t)at + 1, &family->capacity,
					  sizeof(*family->series));
		family->series[at] = (struct series){0};
		if (row->type == PROMETHEUS_HISTOGRAM)
			family->series[at].counts =
				mem_calloc(row->buckets + 1U, sizeof(*family->series[at].counts));
	}
	return &family->series[at];
}

/* ---- values ---- */

void prometheus_set(struct prometheus *p, uint32_t family, const char *const *values, double value)
{
	find(p, family, values)->value = value;
}

void prometheus_add(struct prometheus *p, uint32_t family, const char *const *values, double value)
{
	find(p, family, values)->value += value;
}

simtime prometheus_bound(uint32_t bucket)
{
	return bucket == 0 ? CLOCK_SECOND : (CLOCK_SECOND * 5 / 2) << (bucket - 1);
}

void prometheus_observe(struct prometheus *p, uint32_t family, const char *const *values,
			simtime time)
{
	struct series *s = find(p, family, values);
	uint32_t bucket = 0;

	while (bucket < p->table[family].buckets && time > prometheus_bound(bucket))
		bucket++;
	s->counts[bucket]++;
	s->sum = res_add(s->sum, time);
}

/* ---- writing ---- */

static void write_number(FILE *out, double value)
{
	char text[NUM_DOUBLE_TEXT];

	if (isnan(value))
		fputs("NaN", out);
	else if (isinf(value))
		fputs(value > 0 ? "+Inf" : "-Inf", out);
	else
		fputs(num_format_double(value, text), out);
}

static void write_help(FILE *out, const char *help)
{
	for (; *help != '\0'; help++) {
		if (*help == '\n')
			fputs("\\n", out);
		else if (*help == '\\')
			fputs("\\\\", out);
		else
			putc(*help, out);
	}
}

static void write_head(FILE *out, const struct prometheus_family *row)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};

	fprintf(out, "# HELP %s ", row->name);
	write_help(out, row->help);
	fprintf(out, "\n# TYPE %s %s\n", row->name, types[row->type]);
}

static void write_histogram(FILE *out, const struct prometheus_family *row, const char *labels,
			    const struct series *s)
{
	const char *comma = labels[0] == '\0' ? "" : ",";
	char text[CLOCK_TEXT];
	uint64_t count = 0;

	for (uint32_t b = 0; b < row->buckets; b++) {
		count += s->counts[b];
		fprintf(out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", row->name, labels, comma,
			clock_format_seconds(prometheus_bound(b), text), count);
	}
	count += s->counts[row->buckets];
	fprintf(out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", row->name, labels, comma, count);
	fprintf(out, "%s_sum{%s} %s\n", row->name, labels, clock_format_seconds(s->sum, text));
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", row->name, labels, count);
}

static int compare_labels(const void *a, const void *b, void *context)
{
	const struct name_table *labels = context;

	return strcmp(name_text(labels, *(const uint32_t *)a),
		      name_text(labels, *(const uint32_t *)b));
}

static void write_family(FILE *out, const struct prometheus_family *row,
			 const struct family *family)
{
	uint32_t count = name_count(family->labels);
	uint32_t *order = mem_calloc(count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sort_stable(order, count, sizeof(*order), compare_labels, family->labels);
	write_head(out, row);
	for (uint32_t i = 0; i < count; i++) {
		const char *labels = name_text(family->labels, order[i]);
		const struct series *s = &family->series[order[i]];

		if (row->type == PROMETHEUS_HISTOGRAM) {
			write_histogram(out, row, labels, s);
			continue;
		}
		fprintf(out, labels[0] == '\0' ? "%s%s " : "%s{%s} ", row->name, labels);
		write_number(out, s->value);
		putc('\n', out);
	}
	mem_free(order);
}

void prometheus_write(FILE *out, const struct prometheus *p)
{
	for (uint32_t f = 0; f < p->count; f++) {
		if (name_count(p->families[f].labels) > 0)
			write_family(out, &p->table[f], &p->families[f]);
	}
}
