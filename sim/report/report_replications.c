#include "sim/report/report_replications.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/tool/human.h"
#include "sim/tool/output.h"
#include "sim/tool/table.h"

#define TEXT	 128
#define PER_CENT 100

/* ---- one figure ---- */

static void put_value(double value, enum replicated_unit unit, char buf[HUMAN_TEXT])
{
	switch (unit) {
	case REPLICATED_COUNT:
		snprintf(buf, HUMAN_TEXT,
			 fabs(value) < 10    ? "%.2f"
			 : fabs(value) < 100 ? "%.1f"
					     : "%.0f",
			 value);
		break;
	case REPLICATED_SHARE:
		snprintf(buf, HUMAN_TEXT, "%.2f %%", value * PER_CENT);
		break;
	case REPLICATED_WAIT:
		human_wait(value, buf);
		break;
	case REPLICATED_GPU:
		snprintf(buf, HUMAN_TEXT, fabs(value) < 360000 ? "%.1f" : "%.0f", value / 3600);
		break;
	}
}

/* Of what is shown with digits alone: is it more than nothing? */
static const char *sign_of(const char *value, bool negative, bool sign)
{
	if (strpbrk(value, "123456789") == NULL)
		return "";
	return negative ? "-" : sign ? "+" : "";
}

/* "1h 2m \u00b1 4m"; of a difference with its sign. */
static void put_interval(const struct interval *i, enum replicated_unit unit, bool sign,
			 char buf[TEXT])
{
	char value[HUMAN_TEXT], half[HUMAN_TEXT];
	double width = interval_half_width(i);

	if (isnan(i->estimate)) {
		snprintf(buf, TEXT, "-");
		return;
	}
	if (isinf(i->estimate)) {
		snprintf(buf, TEXT, "%s in %zu of %zu",
			 !sign		   ? "never"
			 : i->estimate > 0 ? "+\u221e"
					   : "-\u221e",
			 i->never, i->count);
		return;
	}
	put_value(fabs(i->estimate), unit, value);
	put_value(width, unit, half);
	snprintf(buf, TEXT, "%s%s%s%s", sign_of(value, i->estimate < 0, sign), value,
		 isinf(width) ? "" : " \u00b1 ", isinf(width) ? "" : half);
}

/* ---- tables ---- */

typedef struct interval interval_of(const struct replicated *r, enum replicated_figure figure,
				    size_t column);

/* Does any run of any column have some of it? */
static bool is_zero(const struct replicated *r, enum replicated_figure figure)
{
	for (size_t c = 0; c < r->columns; c++) {
		struct interval i = replicated_interval(r, figure, c);

		if (i.estimate != 0)
			return false;
	}
	return true;
}

static bool differs(const struct replicated *r, enum replicated_figure figure)
{
	for (size_t c = 1; c < r->columns; c++) {
		struct interval i = replicated_difference(r, figure, c);

		if (i.estimate != 0)
			return true;
	}
	return false;
}

static void print_rows(FILE *out, const struct replicated *r, interval_of *of, size_t first,
		       bool colour)
{
	struct table *table = table_new(r->columns - first + 1, ~1u);
	int min[TABLE_COLUMNS] = {31};
	char text[TEXT];

	table_row(table);
	for (size_t c = first; c < r->columns; c++) {
		table_cell(table, c - first + 1, "%s", r->titles[c]);
		min[c - first + 1] = r->columns <= 2 ? 21 : 12;
	}
	table_mark(table, TABLE_HEAD);
	for (int f = 0; f < REPLICATED_FIGURES; f++) {
		enum replicated_figure figure = (enum replicated_figure)f;

		if (first > 0 ? !differs(r, figure) : is_zero(r, figure))
			continue;
		table_row(table);
		table_cell(table, 0, "%s", replicated_label(figure));
		for (size_t c = first; c < r->columns; c++) {
			struct interval i = of(r, figure, c);

			put_interval(&i, replicated_unit(figure), first > 0, text);
			table_cell(table, c - first + 1, "%s", text);
		}
	}
	table_print(table, out, colour, min);
	table_free(table);
}

static void print_remarks(FILE *out, const struct replicated *r)
{
	char time[HUMAN_TEXT], text[4 * TEXT];

	if (r->warm) {
		snprintf(text, sizeof(text),
			 "Figures are of the jobs submitted after a warm-up of %s%s, and of the "
			 "time "
			 "until the last submit.%s",
			 human_time(r->warmup, time), r->options.warmup_auto ? " (MSER-5)" : "",
			 r->settled ? ""
				    : " The waits do not settle in this time: make it longer.");
		table_paragraph(out, 0, text);
	}
	if (!r->options.made_up && r->runs > 1) {
		snprintf(text, sizeof(text),
			 "No job of the input is drawn at random: the runs differ only in what a "
			 "cluster leaves to chance (--tie random).");
		table_paragraph(out, 0, text);
	}
	if (r->batches) {
		snprintf(text, sizeof(text),
			 "Of one run only the mean wait has an interval, by batch means; "
			 "--replications gives the others theirs.");
		table_paragraph(out, 0, text);
	}
	if (r->options.goal.half_width > 0 && !r->reached) {
		snprintf(text, sizeof(text),
			 "The p95 waits are not known as closely as asked for after %zu "
			 "replications: more are needed (--replications).",
			 r->runs);
		table_paragraph(out, 0, text);
	}
	if (r->stopped)
		table_paragraph(out, 0, "PARTIAL: stopped before all replications were run.");
}

void report_replications_text(FILE *out, const struct replicated *r, bool colour)
{
	if (r == NULL || r->runs == 0)
		return;
	fprintf(out, "\nMeans over %zu %s%s (seeds from %" PRIu64 " on), %g %% intervals:\n",
		r->runs, r->options.made_up ? "workload" : "run", r->runs == 1 ? "" : "s",
		r->options.first_seed, r->options.goal.confidence * PER_CENT);
	print_rows(out, r, replicated_interval, 0, colour);
	if (r->columns > 1 && r->runs > 1) {
		fprintf(out, "\nDifferences from %s, on the same jobs:\n", r->titles[0]);
		print_rows(out, r, replicated_difference, 1, colour);
	}
	print_remarks(out, r);
}

/* ---- exports ---- */

static void json_interval(struct jsonw *json, const char *name, const struct interval *i)
{
	jsonw_object(json, name);
	jsonw_number(json, "estimate", i->estimate);
	jsonw_number(json, "low", i->low);
	jsonw_number(json, "high", i->high);
	jsonw_integer(json, "never", (int64_t)i->never);
	jsonw_close_object(json);
}

void report_replications_json(struct jsonw *json, const struct replicated *r)
{
	if (r == NULL || r->runs == 0)
		return;
	jsonw_object(json, "replications");
	jsonw_integer(json, "runs", (int64_t)r->runs);
	jsonw_integer(json, "first_seed", (int64_t)r->options.first_seed);
	jsonw_number(json, "confidence", r->options.goal.confidence);
	jsonw_seconds(json, "warmup_s", r->warmup);
	jsonw_bool(json, "settled", r->settled);
	jsonw_array(json, "columns");
	for (size_t c = 0; c < r->columns; c++) {
		jsonw_object(json, NULL);
		jsonw_text(json, "title", r->titles[c]);
		for (int f = 0; f < REPLICATED_FIGURES; f++) {
			struct interval i = replicated_interval(r, (enum replicated_figure)f, c);

			json_interval(json, replicated_key((enum replicated_figure)f), &i);
		}
		jsonw_object(json, "difference");
		for (int f = 0; f < REPLICATED_FIGURES && c > 0; f++) {
			struct interval i = replicated_difference(r, (enum replicated_figure)f, c);

			json_interval(json, replicated_key((enum replicated_figure)f), &i);
		}
		jsonw_close_object(json);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
}

static const char *unit_text(enum replicated_figure figure)
{
	switch (replicated_unit(figure)) {
	case REPLICATED_COUNT:
		return "count";
	case REPLICATED_SHARE:
		return "share";
	case REPLICATED_WAIT:
		return "seconds";
	case REPLICATED_GPU:
		return "GPU-seconds";
	}
	return "";
}

/* A number, "never", or nothing where nothing is known. */
static void csv_number(FILE *out, double value)
{
	if (isnan(value))
		putc(',', out);
	else if (isinf(value))
		fprintf(out, ",%snever", value < 0 ? "-" : "");
	else
		fprintf(out, ",%.10g", value);
}

static void csv_rows(FILE *out, const struct replicated *r, interval_of *of, const char *prefix,
		     enum replicated_figure figure)
{
	static const char *const sides[] = {"mean", "low", "high"};

	for (int side = 0; side < 3; side++) {
		fprintf(out, "%s%s:%s,%s", prefix, sides[side], replicated_key(figure),
			unit_text(figure));
		for (size_t c = 0; c < r->columns; c++) {
			struct interval i = of(r, figure, c);

			csv_number(out, side == 0 ? i.estimate : side == 1 ? i.low : i.high);
		}
		putc('\n', out);
	}
}

void report_replications_csv(FILE *out, const struct replicated *r)
{
	if (r == NULL || r->runs == 0)
		return;
	for (int f = 0; f < REPLICATED_FIGURES; f++) {
		csv_rows(out, r, replicated_interval, "", (enum replicated_figure)f);
		if (r->columns > 1)
			csv_rows(out, r, replicated_difference,
				 "difference:", (enum replicated_figure)f);
	}
}
