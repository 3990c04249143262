/* trace_case.h - a trace in a string, loaded: what the tests of formats share. */
#ifndef TESTS_SIM_TRACE_CASE_H
#define TESTS_SIM_TRACE_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/trace.h"
#include "sim/trace/trace_formats.h"

struct trace_case {
	struct source source;
	struct trace_summary summary;
	struct builder *builder;
	struct err err;
	enum err_code code;
	char message[700]; /* as it would be printed */
};

static inline void trace_case_load_bytes(struct trace_case *c, trace_load *load, const char *data,
					 size_t size, uint32_t gpus_per_node)
{
	struct trace_options options = {.gpus_per_node = gpus_per_node};

	*c = (struct trace_case){.source = {.name = "t", .data = data, .size = size}};
	c->builder = builder_new();
	c->code = load(&c->source, &options, c->builder, &c->summary, &c->err);
	if (c->code != ERR_OK)
		err_format(&c->err, c->message, sizeof(c->message));
}

static inline void trace_case_load(struct trace_case *c, trace_load *load, const char *text)
{
	trace_case_load_bytes(c, load, text, strlen(text), 0);
}

/* By the name of a format, with another file of the same trace (NULL: none). */
static inline void trace_case_read(struct trace_case *c, const char *format, const char *text,
				   const char *companion)
{
	struct source other = {
		.name = "c", .data = companion, .size = companion != NULL ? strlen(companion) : 0};
	struct trace_options options = {.companions = &other,
					.companion_count = companion != NULL ? 1 : 0};

	*c = (struct trace_case){.source = {.name = "t", .data = text, .size = strlen(text)}};
	c->builder = builder_new();
	c->code = trace_read(trace_find(format), &c->source, &options, c->builder, &c->summary,
			     &c->err);
	if (c->code != ERR_OK)
		err_format(&c->err, c->message, sizeof(c->message));
}

static inline void trace_case_free(struct trace_case *c)
{
	builder_free(c->builder);
}

static inline const struct job *trace_case_job(const struct trace_case *c, uint32_t index)
{
	ck_assert_msg(c->code == ERR_OK, "%s", c->message);
	ck_assert_uint_lt(index, builder_job_count(c->builder));
	return &builder_jobs(c->builder)[index];
}

/* A string of the builder; "-" for NAME_NONE. */
static inline const char *trace_case_text(const struct trace_case *c, uint32_t string)
{
	return string == NAME_NONE ? "-" : name_text(builder_strings(c->builder), string);
}

static inline uint64_t trace_case_skipped(const struct trace_case *c, const char *reason)
{
	for (uint32_t i = 0; i < c->summary.reason_count; i++)
		if (strcmp(c->summary.skipped[i].reason, reason) == 0)
			return c->summary.skipped[i].count;
	return 0;
}

/* Rows read are jobs and skipped rows, and nothing else. */
static inline void trace_case_adds_up(const struct trace_case *c)
{
	uint64_t sum = c->summary.jobs;

	for (uint32_t i = 0; i < c->summary.reason_count; i++)
		sum += c->summary.skipped[i].count;
	ck_assert_uint_eq(sum, c->summary.rows);
	ck_assert_uint_eq(c->summary.jobs, builder_job_count(c->builder));
}

/* Runs one test case list; the result is main's. */
static inline int trace_case_run(const char *name, TCase *cases)
{
	Suite *suite = suite_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#define ROWS(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

#endif
