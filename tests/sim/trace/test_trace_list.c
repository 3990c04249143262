/* test_trace_list.c - Rows of a trace with a clock become jobs. */
#include "sim/trace/trace_list.h"
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
	ck_assert_uint_eq(jobs[0].common->queue, vc);
	ck_assert_uint_eq(jobs[0].common->ns, vc);
	ck_assert_uint_eq(jobs[0].row, 4);
	ck_assert_uint_eq(jobs[0].name, NAME_NONE);
	ck_assert_uint_eq(jobs[0].common->flags, JOB_CUT);
	ck_assert_uint_eq(builder_job_gpus(builder, &jobs[0]), 12);
	ck_assert_int_eq(jobs[1].submit, 0);
	ck_assert_uint_eq(jobs[1].common->queue, NAME_NONE);
	ck_assert_uint_eq(jobs[1].common->flags, JOB_UNMANAGED | JOB_CUT);
	ck_assert_str_eq(name_text(builder_strings(builder), jobs[1].common->ns), "default");
	ck_assert_uint_eq(jobs[1].name, name);
	trace_list_free(&list);
	builder_free(builder);
}
END_TEST

/* Recorded starts count from time 0; one before its submit is no wait. A name that comes
 * again is dropped. */
START_TEST(starts_and_names)
{
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct builder *builder = builder_new();
	struct trace_list list = {0};
	uint32_t name = builder_string(builder, "x", 1);

	trace_list_add(&list, &(struct trace_row){.submit = 50,
						  .duration = 7,
						  .start = 61,
						  .has_start = true,
						  .gpus = 1,
						  .vc = NAME_NONE,
						  .name = name});
	trace_list_add(&list, &(struct trace_row){.submit = 40,
						  .duration = 7,
						  .start = 39,
						  .has_start = true,
						  .gpus = 1,
						  .vc = NAME_NONE,
						  .name = name});
	trace_list_add(&list, &(struct trace_row){.submit = 45,
						  .duration = 7,
						  .gpus = 1,
						  .vc = NAME_NONE,
						  .name = NAME_NONE});
	trace_list_build(&list, "t", &options, builder, &summary);
	ck_assert_int_eq(builder_job_started(builder, 0), 21);
	ck_assert_int_eq(builder_job_started(builder, 1), 0);
	ck_assert_int_eq(builder_job_started(builder, 2), CLOCK_NEVER);
	ck_assert_uint_eq(summary.clamped_waits, 1);
	ck_assert_uint_eq(summary.repeated_names, 1);
	ck_assert_uint_eq(builder_jobs(builder)[0].name, name);
	ck_assert_uint_eq(builder_jobs(builder)[1].name, NAME_NONE);
	trace_list_free(&list);
	builder_free(builder);
}
END_TEST

/* A trace that counts seconds keeps its zero. */
START_TEST(without_a_clock)
{
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct builder *builder = builder_new();
	struct trace_list list = {.no_clock = true};

	trace_list_add(&list, &(struct trace_row){
				      .submit = 50, .gpus = 1, .vc = NAME_NONE, .name = NAME_NONE});
	trace_list_build(&list, "t", &options, builder, &summary);
	ck_assert_int_eq(builder_jobs(builder)[0].submit, 50);
	ck_assert_int_eq(summary.first_submit, 50);
	ck_assert(!summary.has_clock);
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
	tcase_add_test(t, starts_and_names);
	tcase_add_test(t, without_a_clock);
	tcase_add_test(t, no_rows);
	return trace_case_run("sim/trace/trace_list", t);
}
