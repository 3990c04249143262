/* test_page.c - the page of a report: its parts against the metrics, its size, and names that
 * try to be markup. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/mem.h"
#include "sim/engine/engine.h"
#include "sim/page/page_choice.h"
#include "sim/page/page_data.h"
#include "sim/page/page_files.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_jobs.h"
#include "sim/page/page_name.h"
#include "sim/page/page_pattern.h"
#include "sim/page/page_series.h"
#include "sim/page/page_spans.h"
#include "sim/page/page_verdict.h"
#include "sim/study/study.h"
#include "sim/tool/output.h"
#include "sim/yaml/yaml.h"
#include "tests/support/command.h"

/* ---- the studies ---- */

static const char solo[] =
	"apiVersion: gqsim/v1\nkind: Simulation\n"
	"nodePools: [{name: p, count: 2, gpus: 4}]\njobs:\n"
	"- {name: a, duration: 100s, pods: 3, gpus: 2, gang: false, queue: a}\n"
	"- {name: b, duration: 90s, pods: 2, gpus: 4, submitAt: 50s, queue: b}\n"
	"- {name: c, duration: 7s, pods: 9, gpus: 1, submitAt: 60s, gang: false}\n";

/* Jobs that say how busy they keep their GPUs; half of one gang waits for room. */
static const char levels[] =
	"apiVersion: gqsim/v1\nkind: Simulation\n"
	"nodePools: [{name: p, count: 2, gpus: 4}]\njobs:\n"
	"- {name: a, duration: 100s, gpus: 3, queue: a, gpuUtilisation: 40}\n"
	"- {name: b, duration: 60s, pods: 2, gpus: 3, submitAt: 10s, queue: b, gpuUtilisation: "
	"75}\n"
	"- {name: c, duration: 7s, pods: 3, gpus: 1, submitAt: 60s, gang: false, "
	"gpuUtilisation: 5}\n";

/* Files of the folder, under plain Kubernetes and Kueue, pods created in turn. */
static struct study *study_of(const char *files)
{
	static const char *const policies[] = {"kubernetes", "kueue"};
	static const struct cmd_context context = {.out = NULL};
	struct study *study = study_new();
	struct scenario *s;
	struct run_options options;
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	command_file("reclaim.csv", command_reclaim);
	command_file("solo.yaml", solo);
	command_file("levels.yaml", levels);
	s = command_load(files);
	study_own(study, s);
	options_default(&options);
	options.create = CREATE_INTERLEAVED;
	for (size_t i = 0; i < 2; i++)
		study_add(study, policies[i], policy_find(policies[i]), s, &options, JOURNAL_FULL);
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	return study;
}

static struct report report_of(const struct study *study)
{
	struct report report = {.trace = NULL};

	report.columns = study_columns(study, &report.count);
	return report;
}

static const char *const inputs[] = {"objects.yaml gangs.csv", "objects.yaml reclaim.csv",
				     "solo.yaml", "levels.yaml"};
#define INPUTS 4

/* ---- parts ---- */

/* Together the spans are what the metrics counted. */
START_TEST(spans_add_up_to_the_figures)
{
	struct study *study = study_of(inputs[_i]);
	struct report report = report_of(study);

	for (size_t c = 0; c < report.count; c++) {
		const struct metrics *m = report.columns[c].metrics;
		struct page_spans spans;
		int64_t bound = 0, idle = 0;

		page_spans_find(report.columns[c].journal, m->end, &spans);
		for (size_t i = 0; i < spans.count; i++) {
			int64_t held = (spans.items[i].to - spans.items[i].from) *
				       (int64_t)spans.items[i].gpus;

			ck_assert(spans.items[i].to > spans.items[i].from ||
				  (spans.items[i].stands && spans.items[i].to == m->end));
			bound += held;
			idle += spans.items[i].idle ? held : 0;
		}
		ck_assert_int_gt(bound, 0);
		ck_assert_int_eq(bound, m->bound);
		ck_assert_int_eq(idle, m->idle);
		mem_free(spans.items);
	}
	study_free(study);
}
END_TEST

/* From each row to the next, the level times the time. */
static double integral(const struct page_series *series, size_t level)
{
	double sum = 0;

	for (size_t row = 0; row + 1 < series->rows; row++)
		sum += series->level[row * series->width + level] *
		       (double)(series->time[row + 1] - series->time[row]);
	return sum;
}

static void same(double got, double wanted)
{
	ck_assert_msg(fabs(got - wanted) <= 1e-6 * (1 + fabs(wanted)), "%f, not %f", got, wanted);
}

START_TEST(levels_keep_their_sums)
{
	static const size_t rows[] = {1000, 9, 4};
	struct study *study = study_of(inputs[_i]);
	struct report report = report_of(study);

	for (size_t c = 0; c < report.count; c++) {
		const struct metrics *m = report.columns[c].metrics;

		for (size_t k = 0; k < 3; k++) {
			struct page_series series;

			page_series_find(&report.columns[c], m->team_count, rows[k], &series);
			ck_assert_uint_le(series.rows, rows[k]);
			ck_assert(k != 0 || series.exact);
			same(integral(&series, LEVEL_GPUS), (double)m->capacity);
			same(integral(&series, LEVEL_BOUND), (double)m->bound);
			same(integral(&series, LEVEL_RUNNING), (double)m->running);
			if (m->busy != NULL)
				same(integral(&series, LEVEL_BUSY),
				     m->utilisation * (double)m->capacity);
			for (uint32_t t = 0; t < m->team_count; t++) {
				size_t first = LEVEL_COUNT + (size_t)TEAM_LEVELS * t;

				same(integral(&series, first + TEAM_USED),
				     (double)m->teams[t].used);
				same(integral(&series, first + TEAM_BORROWED),
				     (double)m->teams[t].borrowed);
				same(integral(&series, first + TEAM_LENT),
				     (double)m->teams[t].lent);
			}
			page_series_free(&series);
		}
	}
	study_free(study);
}
END_TEST

START_TEST(the_grid_keeps_its_sums)
{
	struct study *study = study_of(inputs[_i]);
	struct report report = report_of(study);
	const struct metrics *m = report.columns[0].metrics;
	struct page_spans spans;
	struct page_grid grid;
	double work = 0, idle = 0;

	page_spans_find(report.columns[0].journal, m->end, &spans);
	page_grid_make(report.columns[0].scenario, &spans, PAGE_GRID_ROWS, m->begin, m->end,
		       m->team_of, m->team_count, &grid);
	for (size_t i = 0; i < (size_t)grid.rows * grid.bins; i++) {
		work += grid.work[i];
		idle += grid.idle[i];
		ck_assert((grid.team[i] == SCENARIO_NONE) == (grid.work[i] + grid.idle[i] <= 0));
	}
	same(work * (double)(m->end - m->begin) / grid.bins, (double)m->running);
	same(idle * (double)(m->end - m->begin) / grid.bins, (double)m->idle);
	page_grid_free(&grid);
	mem_free(spans.items);
	study_free(study);
}
END_TEST

START_TEST(what_something_happened_to_is_told_first)
{
	struct study *study = study_of("objects.yaml reclaim.csv");
	struct report report = report_of(study);
	uint32_t stuck = command_job(report.columns[0].scenario, "big");
	struct page_choice choice;

	page_choice_make(&report, 1, &choice);
	ck_assert_uint_eq(choice.count, 1);
	ck_assert_uint_eq(choice.jobs[0], stuck);
	page_choice_free(&choice);
	page_choice_make(&report, 100, &choice);
	ck_assert_uint_eq(choice.count, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(choice.place[i], i);
	page_choice_free(&choice);
	study_free(study);
}
END_TEST

START_TEST(the_verdict_names_what_differs)
{
	struct study *study = study_of("objects.yaml gangs.csv");
	struct report report = report_of(study);
	char text[PAGE_VERDICT_TEXT];

	ck_assert_str_eq(page_verdict(&report, 0, text),
			 "kubernetes: 2 jobs never start, 28,800 GPU-seconds are held idle, 5 % or "
			 "more of them never start.");
	ck_assert_str_eq(page_verdict(&report, 1, text),
			 "kueue against kubernetes: 2 fewer jobs never start, 28,800 fewer "
			 "GPU-seconds held idle, a p95 wait of 9m 31s instead of never.");
	study_free(study);
}
END_TEST

/* ---- patterns ---- */

static const struct {
	const char *text, *name, *pattern;
	size_t count;
	int64_t numbers[4];
} patterns[] = {
	{"", "", "", 0, {0}},
	{"a-1: 0/12 nodes", "a", "\1-\2: \2/\2 nodes", 3, {1, 0, 12}},
	{"job-12-0 ran", "job-1", "\1\2-\2 ran", 2, {2, 0}},
	{"2.05 of 007", "", "\2.05 of 007", 1, {2}},
	{"1234567890123456 9", "", "1234567890123456 \2", 1, {9}},
	{"\1\2", "", "  ", 0, {0}},
	{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
	 "",
	 "\2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 \2 17",
	 16,
	 {1, 2, 3, 4}},
};

START_TEST(texts_become_patterns)
{
	struct page_pattern got;
	char text[100];

	snprintf(text, sizeof(text), "%s", patterns[_i].text);
	page_pattern_make(text, patterns[_i].name, &got);
	ck_assert_str_eq(text, patterns[_i].pattern);
	ck_assert_uint_eq(got.count, patterns[_i].count);
	for (size_t i = 0; i < got.count && i < 4; i++)
		ck_assert_int_eq(got.numbers[i], patterns[_i].numbers[i]);
}
END_TEST

static const struct {
	simtime time;
	enum page_jobs_exactness exactness;
	simtime told;
} times[] = {
	{1234567, TIME_EXACT, 1234567},
	{1234567, TIME_COARSE, 1230000},
	{-1235000, TIME_ROUGH, -1240000},
	{59999999, TIME_COARSE, 60000000},
	{INT64_C(12345600000), TIME_COARSE, INT64_C(12346000000)},
	{INT64_C(12345600000), TIME_ROUGH, INT64_C(12350000000)},
	{INT64_C(123456000000), TIME_ROUGH, INT64_C(123500000000)},
	{CLOCK_NEVER, TIME_ROUGH, CLOCK_NEVER},
};

START_TEST(times_are_as_rough_as_is_said)
{
	struct output_text text;
	struct jsonw json;

	output_text_open(&text);
	jsonw_begin_line(&json, text.file);
	ck_assert_int_eq(page_jobs_time(&json, "t", times[_i].time, times[_i].exactness),
			 times[_i].told);
	jsonw_end(&json);
	output_text_close(&text);
	output_text_free(&text);
}
END_TEST

/* ---- the whole ---- */

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		n++;
	return n;
}

static unsigned digit_of(char c)
{
	return (unsigned)(c >= 'A' && c <= 'Z'	 ? c - 'A'
			  : c >= 'a' && c <= 'z' ? c - 'a' + 26
			  : c >= '0' && c <= '9' ? c - '0' + 52
			  : c == '+'		 ? 62
						 : 63);
}

/* As a browser unpacks it; the caller frees it. */
static char *unpack(const char *text, size_t size)
{
	uLongf room = (uLongf)100 << 20;
	unsigned char *packed = calloc(size, 1);
	char *out = calloc(room, 1);
	size_t len = 0;

	for (size_t i = 0; i + 4 <= size; i += 4) {
		unsigned bits = 0;

		for (size_t k = 0; k < 4; k++)
			bits = bits << 6 | (text[i + k] == '=' ? 0 : digit_of(text[i + k]));
		packed[len++] = (unsigned char)(bits >> 16);
		packed[len++] = (unsigned char)(bits >> 8);
		packed[len++] = (unsigned char)bits;
	}
	ck_assert_int_eq(uncompress((Bytef *)out, &room, packed, (uLong)len), Z_OK);
	free(packed);
	return out;
}

/* The data of the page, unpacked if they are packed; the caller frees them. */
static char *data_of(const char *html)
{
	const char *at = strstr(html, "id=\"data\">"), *end;
	char *text;

	ck_assert_ptr_nonnull(at);
	at = strchr(at, '>') + 1;
	end = strstr(at, "</script>");
	if (*at != '{')
		return unpack(at, (size_t)(end - at));
	text = calloc((size_t)(end - at) + 1, 1);
	memcpy(text, at, (size_t)(end - at));
	return text;
}

/* Reads as JSON (which is YAML). */
static void check_json(const char *html, uint32_t columns)
{
	struct source source = {.name = "data"};
	struct yaml_reader *reader = NULL;
	const struct yaml_node *root = NULL;
	char *text = data_of(html);
	struct err err = {0};

	source.data = text;
	source.size = strlen(text);
	ck_assert_int_eq(yaml_open(&source, &reader, &err), ERR_OK);
	ck_assert_msg(yaml_next(reader, &root, &err) == ERR_OK, "%s", err.msg);
	ck_assert_ptr_nonnull(yaml_find(root, "columns"));
	ck_assert_uint_eq(yaml_find(root, "columns")->count, columns);
	yaml_close(reader);
	free(text);
}

START_TEST(names_are_never_markup)
{
	struct command c;
	char *html;

	command_file("objects.yaml", command_objects);
	command_file("hostile.csv", "name,namespace,queue,submit_s,duration_s,gpus\n"
				    "</script><script>alert(1)</script>,default,a,0,10,4\n"
				    "<!--<script>,default,b,0,10,4\n"
				    "\"\"\"><img src=x onerror=alert(2)>\",default,a,1,10,4\n"
				    "back\\slash',default,a,2,10,4\n");
	c = command_run("report %/objects.yaml %/hostile.csv -o %/page.html");
	ck_assert_msg(c.code == 0, "%s", c.err);
	html = command_read("page.html");
	ck_assert_ptr_nonnull(html);
	ck_assert_uint_eq(count_of(html, "<script"), 2); /* the data and the page's own */
	ck_assert_uint_eq(count_of(html, "</script>"), 2);
	ck_assert_uint_eq(count_of(html, "<img"), 0);
	ck_assert_uint_eq(count_of(html, "<!--"), 0);
	check_json(html, 2);
	free(html);
	command_free(&c);
}
END_TEST

static const struct {
	const char *text, *name;
	size_t bytes;
} names[] = {
	{"job-1", "job-1", 5},
	{"", "", 0},
	{"a<\"\\\n", "a<\"\\\n", 17},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	 "aaaaaaa"
	 "b",
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	 "aaaaaaa"
	 "\u2026",
	 97},
	{"<<<<<<<<<<<<<<<<<", "<<<<<<<<<<<<<<<<\u2026", 102},
	/* not in the middle of a character */
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	 "aaaaaa"
	 "\u00e9",
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	 "aaaaaa"
	 "\u2026",
	 97},
};

START_TEST(long_names_are_cut)
{
	struct output_text got, wanted;
	struct jsonw json;

	ck_assert_uint_eq(page_name_bytes(names[_i].text), names[_i].bytes);
	output_text_open(&got);
	jsonw_begin_line(&json, got.file);
	page_name(&json, "n", names[_i].text);
	jsonw_end(&json);
	output_text_close(&got);
	output_text_open(&wanted);
	jsonw_begin_line(&json, wanted.file);
	jsonw_text(&json, "n", names[_i].name);
	jsonw_end(&json);
	output_text_close(&wanted);
	ck_assert_str_eq(got.data, wanted.data);
	output_text_free(&got);
	output_text_free(&wanted);
}
END_TEST

/* Two GPUs 40 % busy for 60 s, and with them two 80 % busy for 40 s. */
START_TEST(the_page_tells_what_namespaces_do_with_their_gpus)
{
	struct command c;
	char *html;

	command_file("two.yaml",
		     "apiVersion: gqsim/v1\nkind: Simulation\n"
		     "nodePools: [{name: p, count: 1, gpus: 4}]\njobs:\n"
		     "- {name: a, namespace: x, duration: 60s, gpus: 2, gpuUtilisation: 40}\n"
		     "- {name: b, namespace: x, duration: 40s, gpus: 2, gpuUtilisation: 80}\n");
	c = command_run("report %/two.yaml -p kubernetes -o %/page.html");
	ck_assert_int_eq(c.code, 0);
	html = command_read("page.html");
	ck_assert_ptr_nonnull(strstr(html, "\"namespace_count\":1,\"namespaces\":[{\"name\":\"x\","
					   "\"held\":200,\"average\":0.56,\"p95\":0.6}]"));
	free(html);
	command_free(&c);
}
END_TEST

/* Nothing is fetched from anywhere. */
START_TEST(the_page_needs_nothing_else)
{
	struct command c;
	char *html;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run("report %/objects.yaml %/reclaim.csv -o %/page.html");
	ck_assert_int_eq(c.code, 0);
	html = command_read("page.html");
	ck_assert_ptr_nonnull(strstr(html, "default-src 'none'"));
	ck_assert_ptr_null(strstr(html, "http:"));
	ck_assert_ptr_null(strstr(html, "https:"));
	ck_assert_ptr_null(strstr(html, "<link rel=\"stylesheet\""));
	ck_assert_ptr_null(strstr(page_js, "innerHTML"));
	ck_assert_ptr_null(strstr(page_js, "document.write"));
	free(html);
	command_free(&c);
}
END_TEST

START_TEST(the_configuration_has_the_command_line)
{
	struct command c;
	char *html;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	c = command_run("report %/objects.yaml %/gangs.csv -q -j 1 --grace 30 "
			"--set clusterqueue/a:nvidia.com/gpu.nominalQuota=3 -o %/page.html");
	ck_assert_msg(c.code == 0, "%s", c.err);
	html = command_read("page.html");
	ck_assert_ptr_nonnull(strstr(html, "\"settings\":[\"--grace 30\",\"--set "
					   "clusterqueue/a:nvidia.com/gpu.nominalQuota=3\"]"));
	ck_assert_ptr_nonnull(strstr(html, "[[\"gpu\",\"nvidia.com/gpu\",\"3\",null,null]]"));
	ck_assert_ptr_nonnull(strstr(html, "objects.yaml"));
	free(html);
	command_free(&c);
}
END_TEST

START_TEST(threads_change_no_byte)
{
	struct command c;
	char *one, *two;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	c = command_run("report %/objects.yaml %/gangs.csv -j 1 -o %/one.html");
	ck_assert_int_eq(c.code, 0);
	command_free(&c);
	c = command_run("report %/objects.yaml %/gangs.csv -j 2 -o %/two.html");
	ck_assert_int_eq(c.code, 0);
	command_free(&c);
	one = command_read("one.html");
	two = command_read("two.html");
	ck_assert_str_eq(one, two);
	free(one);
	free(two);
}
END_TEST

/* As many jobs as anyone has, with the longest names there are, all of them stopped or stuck
 * at some time. */
static const struct {
	const char *options;
	uint32_t columns;
} sizes[] = {
	{"-q", 2},
	{"-p kueue --set clusterqueue/a:nvidia.com/gpu.nominalQuota=0,1,2,3,4,5,6,7,8,9,10,11", 12},
};

START_TEST(a_page_stays_below_two_megabytes)
{
	size_t jobs = 30000;
	struct output_text csv;
	struct command c;
	char line[300], *html;

	output_text_open(&csv);
	fputs("name,namespace,queue,submit_s,duration_s,gpus\n", csv.file);
	for (size_t i = 0; i < jobs; i++)
		fprintf(csv.file,
			"%06zu-<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<,default,%c,"
			"%zu.%06zu,%zu.123457,%zu\n",
			i, "ab"[i % 2], i * 5, i % 999983, i % 700 + 1, i % 8 + 1);
	output_text_close(&csv);
	command_file("objects.yaml", command_objects);
	command_file("many.csv", csv.data);
	snprintf(line, sizeof(line), "report %%/objects.yaml %%/many.csv %s -o %%/page.html",
		 sizes[_i].options);
	c = command_run(line);
	ck_assert_msg(c.code == 0, "%s", c.err);
	html = command_read("page.html");
	ck_assert_uint_lt(strlen(html), 2000000);
	ck_assert_uint_gt(strlen(html), 200000);
	check_json(html, sizes[_i].columns);
	free(html);
	output_text_free(&csv);
	command_free(&c);
}
END_TEST

/* A thinned journal has the figures of a full one, and of each job the first word of why it
 * waits. */
START_TEST(thinned_journals_tell_first_reasons)
{
	static const char *const policies[] = {"kubernetes", "kueue"};
	static const enum journal_detail details[] = {JOURNAL_FULL, JOURNAL_THINNED};
	struct scenario *s;
	struct run_options options;
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	command_file("gangs.csv", command_gangs);
	s = command_load(inputs[_i]);
	options_default(&options);
	for (size_t p = 0; p < 2; p++) {
		struct journal *journals[2];
		uint32_t first[2] = {NAME_NONE, NAME_NONE};
		char *told = calloc(s->job_count, 1);

		for (size_t d = 0; d < 2; d++) {
			ck_assert_int_eq(engine_run(s, policy_find(policies[p]), &options,
						    details[d], &journals[d], &err),
					 ERR_OK);
			ck_assert_uint_eq(journals[d]->failed_attempts,
					  journals[0]->failed_attempts);
			ck_assert_int_eq(journals[d]->end_time, journals[0]->end_time);
		}
		ck_assert_uint_le(journals[1]->count, journals[0]->count);
		for (size_t d = 0; d < 2; d++) {
			struct journal_reader in;
			const struct journal_record *r;

			journal_open(&in, journals[d]);
			while ((r = journal_next(&in)) != NULL) {
				if (r->kind != J_POD_FAILED && r->kind != J_STATUS)
					continue;
				if (d == 0)
					told[r->job] = 1;
				else
					told[r->job] = 0;
				if (first[d] == NAME_NONE)
					first[d] = r->job;
			}
		}
		ck_assert_uint_eq(first[0], first[1]);
		for (uint32_t job = 0; job < s->job_count; job++)
			ck_assert_int_eq(told[job], 0);
		free(told);
		journal_free(journals[0]);
		journal_free(journals[1]);
	}
	scenario_free(s);
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"report %/objects.yaml %/reclaim.csv", "which file?"},
	{"report %/objects.yaml %/reclaim.csv -o %/page.pdf", "must end in .html"},
	{"report -o %/page.html", "what is to be compared?"},
	{"report %/objects.yaml -o %/objects.yaml", "this is an input, which would be lost"},
	{"report %/objects.yaml %/reclaim.csv -o %/no/such/page.html", "cannot write"},
	{"report %/objects.yaml %/reclaim.csv -p kubernets -o %/page.html", "did you mean"},
};

START_TEST(complaints_say_what_to_do)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run(wrong[_i].line);
	ck_assert_int_eq(c.code, 2);
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

static const struct {
	const char *file, *begins;
} endings[] = {{"a.json", "{"}, {"a.csv", "metric,unit,"}, {"a.txt", "4 jobs on 2 nodes"}};

START_TEST(the_ending_names_the_format)
{
	struct command c;
	char line[200], *text;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	snprintf(line, sizeof(line), "report %%/objects.yaml %%/reclaim.csv -o %%/%s",
		 endings[_i].file);
	c = command_run(line);
	ck_assert_int_eq(c.code, 0);
	text = command_read(endings[_i].file);
	ck_assert_msg(text != NULL &&
			      strncmp(text, endings[_i].begins, strlen(endings[_i].begins)) == 0,
		      "%.60s", text);
	free(text);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/page/page");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, spans_add_up_to_the_figures, 0, INPUTS);
	tcase_add_loop_test(t, levels_keep_their_sums, 0, INPUTS);
	tcase_add_loop_test(t, the_grid_keeps_its_sums, 0, INPUTS);
	tcase_add_test(t, what_something_happened_to_is_told_first);
	tcase_add_test(t, the_verdict_names_what_differs);
	tcase_add_loop_test(t, texts_become_patterns, 0,
			    (int)(sizeof(patterns) / sizeof(patterns[0])));
	tcase_add_loop_test(t, times_are_as_rough_as_is_said, 0,
			    (int)(sizeof(times) / sizeof(times[0])));
	tcase_add_test(t, names_are_never_markup);
	tcase_add_loop_test(t, long_names_are_cut, 0, (int)(sizeof(names) / sizeof(names[0])));
	tcase_add_test(t, the_page_tells_what_namespaces_do_with_their_gpus);
	tcase_add_test(t, the_page_needs_nothing_else);
	tcase_add_test(t, the_configuration_has_the_command_line);
	tcase_add_test(t, threads_change_no_byte);
	tcase_add_loop_test(t, thinned_journals_tell_first_reasons, 0, 2);
	tcase_add_loop_test(t, a_page_stays_below_two_megabytes, 0, 2);
	tcase_add_loop_test(t, complaints_say_what_to_do, 0, 5);
	tcase_add_loop_test(t, the_ending_names_the_format, 0, 3);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
