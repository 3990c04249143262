/* test_trace_text.c - The figures of a trace for a terminal. */
#include "tests/sim/trace_facts_case.h"

#define HEADER "submit_s,duration_s,gpus,vc\n"

START_TEST(everything_of_a_small_trace)
{
	static const char want[] =
		"t.csv: csv, 5 rows, 4 jobs\n"
		"  skipped 1: zero_gpus (first in line 6)\n"
		"submits  1970-01-01 00:00:00 to 1970-01-01 01:00:00 (1h)\n"
		"         sharing an instant with another: 4, out of file order: 1\n"
		"work     6 GPU-hours; jobs without an end: 1\n"
		"peak     6 GPUs and 2 jobs wanted at once if nobody waited; GPUs at "
		"1970-01-01 01:00:00\n"
		"\n"
		"GPUS  JOBS     %\n"
		"   1     2  50.0\n"
		"   2     1  25.0\n"
		"   4     1  25.0\n"
		"\n"
		"                        GPUS  WAITED  MEAN  P50  P90  P95  P99  MAX  TOO LARGE  "
		"USED %\n"
		"duration                                1h   1h   1h   1h   1h   1h\n"
		"wait, strict FIFO pool     2       0    0s   0s   0s   0s   0s   0s          1   "
		"100.0\n"
		"\n"
		"QUEUE  JOBS  GPU-HOURS  LARGEST  MEDIAN\n"
		"a         2          5        4      1h\n"
		"b         1          1        1      1h\n"
		"-         1          0        2      0s\n";
	struct trace_facts_case c;

	trace_facts_case_print(&c,
			       HEADER "3600,3600,4,a\n0,3600,1,a\n0,3600,1,b\n3600,endless,2,\n"
				      "0,1,0,a\n",
			       0, 2, trace_facts_text);
	ck_assert_str_eq(c.out, want);
	trace_facts_case_free(&c);
}
END_TEST

START_TEST(without_a_clock)
{
	struct trace_facts_case c;

	trace_facts_case_print(&c, HEADER "30,5,1,a\n90.5,5,1,a\n", CLOCK_NEVER, 2,
			       trace_facts_text);
	ck_assert_ptr_nonnull(strstr(c.out, "submits  30s to 1m 31s (1m 1s)"));
	trace_facts_case_free(&c);
}
END_TEST

START_TEST(no_jobs)
{
	struct trace_facts_case c;

	trace_facts_case_print(&c, HEADER, 0, 8, trace_facts_text);
	ck_assert_str_eq(c.out, "t.csv: csv, 0 rows, 0 jobs\n");
	trace_facts_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, everything_of_a_small_trace);
	tcase_add_test(t, without_a_clock);
	tcase_add_test(t, no_jobs);
	return trace_case_run("sim/trace/trace_text", t);
}
