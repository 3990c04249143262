/* test_trace_list.c - Rows of a trace with a clock become jobs. */
#include "sim/trace_list.h"
#include "tests/sim/trace_case.h"

START_TEST(time_zero_is_the_earliest_submit)
{
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct builder *builder = builder_new();
	struct trace_list list = {0};
	const struct job *jobs;
	uint32_t vc = builder_string(builder, "vc", 2), name = builder_string(builder, "x", 1);

	trace_list_add(&list, &(struct trace_row){.submit = 50,
						  .duration = 7,
						  .gpus = 12,
						  .vc = vc,
						  .name = NAME_NONE,
						  .row = 4});
	trace_list_add(&list, &(struct trace_row){.submit = 30,
						  .duration = 8,
						  .gpus = 1,
						  .vc = NAME_NONE,
						  .name = name,
						  .row = 6});
	trace_list_build(&list, "t", &options, builder, &summary);
	jobs = builder_jobs(builder);
	ck_assert_int_eq(summary.first_submit, 30);
	ck_assert(summary.has_clock);
	ck_assert_uint_eq(summary.jobs, 2);
	ck_assert_int_eq(jobs[0].submit, 20);
	ck_assert_int_eq(jobs[0].duration, 7);
	ck_assert_uint_eq(jobs[0].queue, vc);
	ck_assert_uint_eq(jobs[0].ns, vc);
	ck_assert_uint_eq(jobs[0].row, 4);
	ck_assert_uint_eq(jobs[0].name, NAME_NONE);
	ck_assert_uint_eq(jobs[0].flags, 0);
	ck_assert_uint_eq(builder_job_gpus(builder, &jobs[0]), 12);
	ck_assert_int_eq(jobs[1].submit, 0);
	ck_assert_uint_eq(jobs[1].queue, NAME_NONE);
	ck_assert_uint_eq(jobs[1].flags, JOB_UNMANAGED);
	ck_assert_str_eq(name_text(builder_strings(builder), jobs[1].ns), "default");
	ck_assert_uint_eq(jobs[1].name, name);
	trace_list_free(&list);
	builder_free(builder);
}
END_TEST

START_TEST(no_rows)
{
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct builder *builder = builder_new();
	struct trace_list list = {0};

	trace_list_build(&list, "t", &options, builder, &summary);
	ck_assert_uint_eq(summary.jobs, 0);
	ck_assert_int_eq(summary.first_submit, 0);
	builder_free(builder);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, time_zero_is_the_earliest_submit);
	tcase_add_test(t, no_rows);
	return trace_case_run("sim/trace_list", t);
}
