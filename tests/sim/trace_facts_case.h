/* trace_facts_case.h - figures of a job list in a string: what the tests of the
 * printers share. */
#ifndef TESTS_SIM_TRACE_FACTS_CASE_H
#define TESTS_SIM_TRACE_FACTS_CASE_H

#include "sim/trace/trace_facts.h"
#include "tests/sim/trace_case.h"

struct trace_facts_case {
	struct trace_case load;
	struct trace_stats_jobs jobs;
	struct trace_pool pool;
	struct trace_facts facts;
	char *out;
};

typedef void trace_facts_print(FILE *out, const struct trace_facts *facts);

/* clock: CLOCK_NEVER for none. One pool. The text is owned by the case. */
static inline void trace_facts_case_print(struct trace_facts_case *c, const char *text,
					  simtime clock, uint32_t pool, trace_facts_print *print)
{
	FILE *f = tmpfile();
	long size;

	trace_case_load(&c->load, trace_jobs_load, text);
	ck_assert_msg(c->load.code == ERR_OK, "%s", c->load.message);
	c->load.summary.format = "csv";
	trace_stats_jobs_init(&c->jobs, c->load.builder);
	trace_stats_pool(&c->jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, pool, &c->pool);
	c->facts = (struct trace_facts){.file = "t.csv",
					.hash = 0xabc,
					.summary = &c->load.summary,
					.jobs = &c->jobs,
					.clock = clock,
					.to = CLOCK_NEVER,
					.pools = &c->pool,
					.pool_count = 1};
	trace_stats_collect(&c->jobs, 0, CLOCK_NEVER, clock, &c->facts.stats);
	print(f, &c->facts);
	size = ftell(f);
	rewind(f);
	c->out = calloc(1, (size_t)size + 1);
	ck_assert_uint_eq(fread(c->out, 1, (size_t)size, f), (size_t)size);
	fclose(f);
}

static inline void trace_facts_case_free(struct trace_facts_case *c)
{
	trace_stats_free(&c->facts.stats);
	trace_stats_jobs_free(&c->jobs);
	trace_case_free(&c->load);
	free(c->out);
}

#endif
