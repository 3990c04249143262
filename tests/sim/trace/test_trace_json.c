/* test_trace_json.c - The figures of a trace as JSON: valid, exact, as named. */
#include <cjson/cJSON.h>

#include "tests/sim/trace_facts_case.h"

#define HEADER "submit_s,duration_s,gpus,vc\n"

static double number_at(const cJSON *json, const char *path)
{
	char key[64];

	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		if (cJSON_IsArray(json))
			json = cJSON_GetArrayItem(json, atoi(key));
		else
			json = cJSON_GetObjectItemCaseSensitive(json, key);
		path += len + (path[len] == '/' ? 1 : 0);
	}
	ck_assert_msg(cJSON_IsNumber(json), "%s", path);
	return json->valuedouble;
}

static const struct {
	const char *path;
	double value;
} rows[] = {
	{"schemaVersion", 1},
	{"rows", 4},
	{"skipped/zero_gpus", 1},
	{"jobs", 3},
	{"exact_duplicate_rows_kept", 0},
	{"first_submit_s", 0},
	{"last_submit_s", 4.5},
	{"submit_span_s", 4.5},
	{"last_ideal_end_s", 14},
	{"total_gpu_seconds", 61},
	{"total_gpu_demand", 7},
	{"demand_hist/1", 1},
	{"demand_hist/2", 1},
	{"demand_hist/4", 1},
	{"duration_s/n", 3},
	{"duration_s/p_lin/50", 10},
	{"duration_s/p_nr/99", 10},
	{"ideal_concurrent_gpus/max", 7},
	{"ideal_concurrent_gpus/first_at_s", 4.5},
	{"ideal_concurrent_gpus/integral", 61},
	{"ideal_concurrent_jobs", 3},
	{"submits_out_of_file_order", 1},
	{"submits_tied_with_another", 0},
	{"fifo_pool/0/C", 4},
	{"fifo_pool/0/started", 3},
	{"fifo_pool/0/waited_jobs", 2},
	{"per_vc/a/jobs", 2},
	{"per_vc/a/gpu_seconds", 41},
	{"per_vc/a/max_gpus", 4},
	{"per_vc/say \"hi\"/p50", 10},
	{"jobs_per_month/1970-01", 3},
};

START_TEST(values)
{
	struct trace_facts_case c;
	cJSON *json;

	trace_facts_case_print(&c,
			       HEADER "4,10,4,a\n0,10,2,\"say \"\"hi\"\"\"\n4.5,1,1,a\n9,9,0,a\n",
			       0, 4, trace_facts_json);
	json = cJSON_Parse(c.out);
	ck_assert_msg(json != NULL, "%s", c.out);
	for (int i = 0; i < ROWS(rows); i++)
		ck_assert_msg(number_at(json, rows[i].path) == rows[i].value, "%s: %.17g",
			      rows[i].path, number_at(json, rows[i].path));
	cJSON_Delete(json);
	trace_facts_case_free(&c);
}
END_TEST

/* More than 15 digits, and millionths, stay as they are. */
START_TEST(exact_integers)
{
	struct trace_facts_case c;

	trace_facts_case_print(&c, HEADER "0,1234567890123.456789,1,a\n", CLOCK_NEVER, 8,
			       trace_facts_json);
	ck_assert_ptr_nonnull(strstr(c.out, "\"total_gpu_seconds\": 1234567890123.456789"));
	ck_assert_ptr_null(strstr(c.out, "jobs_per_month")); /* no clock */
	trace_facts_case_free(&c);
}
END_TEST

START_TEST(no_jobs)
{
	struct trace_facts_case c;
	cJSON *json;

	trace_facts_case_print(&c, HEADER, 0, 8, trace_facts_json);
	json = cJSON_Parse(c.out);
	ck_assert_msg(json != NULL, "%s", c.out);
	ck_assert_double_eq(number_at(json, "fifo_pool/0/wait/mean"), 0);
	cJSON_Delete(json);
	trace_facts_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, values);
	tcase_add_test(t, exact_integers);
	tcase_add_test(t, no_jobs);
	return trace_case_run("sim/trace/trace_json", t);
}
