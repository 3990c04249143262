/* test_trace_stats.c - Figures of a trace, by hand and against a naive model. */
#include "sim/trace/trace_stats.h"
#include "tests/sim/trace_case.h"

#define HEADER "submit_s,duration_s,gpus,vc\n"
#define S      CLOCK_SECOND

/* Jobs of a text; the case keeps the strings. */
static void load(const char *text, struct trace_case *c, struct trace_stats_jobs *jobs)
{
	trace_case_load(c, trace_jobs_load, text);
	ck_assert_msg(c->code == ERR_OK, "%s", c->message);
	trace_stats_jobs_init(jobs, c->builder);
}

static void unload(struct trace_case *c, struct trace_stats_jobs *jobs)
{
	trace_stats_jobs_free(jobs);
	trace_case_free(c);
}

START_TEST(by_hand)
{
	struct trace_stats_jobs jobs;
	struct trace_stats s;
	struct trace_case c;

	/* b's second job begins when a's ends: 4 GPUs at once, never 6. */
	load(HEADER "10,5,2,a\n0,10,4,b\n10,5,2,a\n20,1,1,a\n15,0,8,b\n30,endless,3,c\n", &c,
	     &jobs);
	trace_stats_collect(&jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &s);
	ck_assert_uint_eq(s.jobs, 6);
	ck_assert_uint_eq(s.gpu_jobs, 6);
	ck_assert_uint_eq(s.endless, 1);
	ck_assert_int_eq(s.first_submit, 0);
	ck_assert_int_eq(s.last_submit, 30 * S);
	ck_assert_int_eq(s.last_end, 21 * S);
	ck_assert_int_eq(s.gpu_time, (10 + 40 + 10 + 1) * S);
	ck_assert_int_eq(s.demand_milli, 20000);
	ck_assert_int_eq(s.peak_milli, 4000);
	ck_assert_int_eq(s.peak_milli_at, 0);
	ck_assert_int_eq(s.peak_jobs, 2);
	ck_assert_uint_eq(s.out_of_file_order, 2);
	ck_assert_uint_eq(s.tied, 2);
	ck_assert_uint_eq(s.duplicates, 1);
	ck_assert_uint_eq(s.duration.n, 5);
	ck_assert_uint_eq(s.duration.zero, 1);
	ck_assert_int_eq(s.duration.max, 10 * S);
	ck_assert_int_eq(s.duration.sum, 21 * S);
	ck_assert_double_eq_tol(s.duration.mean, 4.2, 1e-12);
	ck_assert_double_eq_tol(s.duration.linear[0], 5, 1e-12); /* 0 1 5 5 10 */
	ck_assert_double_eq_tol(s.duration.linear[1], 8, 1e-12);
	ck_assert_int_eq(s.duration.nearest[1], 10 * S);
	ck_assert_uint_eq(s.demand_count, 5);
	ck_assert_int_eq(s.demand[0].milli, 1000);
	ck_assert_uint_eq(s.demand[1].jobs, 2);
	ck_assert_uint_eq(s.month_count, 0);
	ck_assert_uint_eq(s.team_count, 3);
	ck_assert_str_eq(name_text(jobs.strings, s.teams[0].queue), "a");
	ck_assert_uint_eq(s.teams[0].jobs, 3);
	ck_assert_int_eq(s.teams[0].max_milli, 2000);
	ck_assert_int_eq(s.teams[0].gpu_time, 21 * S);
	ck_assert_double_eq_tol(s.teams[0].median, 5, 1e-12);
	ck_assert_str_eq(name_text(jobs.strings, s.teams[1].queue), "b");
	trace_stats_free(&s);
	unload(&c, &jobs);
}
END_TEST

START_TEST(window_and_months)
{
	/* 2017-10-31 23:59:58 */
	simtime clock = INT64_C(1509494398) * S;
	struct trace_stats_jobs jobs;
	struct trace_stats s;
	struct trace_case c;

	load(HEADER "0,5,1,a\n1,5,1,a\n2,5,2,b\n3,5,1,a\n", &c, &jobs);
	trace_stats_collect(&jobs, 0, CLOCK_NEVER, clock, &s);
	ck_assert_uint_eq(s.month_count, 2);
	ck_assert_str_eq(s.months[0].name, "2017-10");
	ck_assert_uint_eq(s.months[0].jobs, 2);
	ck_assert_str_eq(s.months[1].name, "2017-11");
	trace_stats_free(&s);
	trace_stats_collect(&jobs, 1 * S, 3 * S, clock, &s); /* 1 is in, 3 is not */
	ck_assert_uint_eq(s.jobs, 2);
	ck_assert_int_eq(s.first_submit, 1 * S);
	ck_assert_int_eq(s.gpu_time, 15 * S);
	trace_stats_free(&s);
	trace_stats_collect(&jobs, 9 * S, CLOCK_NEVER, clock, &s);
	ck_assert_uint_eq(s.jobs, 0);
	ck_assert_uint_eq(s.duration.n, 0);
	trace_stats_free(&s);
	unload(&c, &jobs);
}
END_TEST

/* Names make jobs different, whatever else is equal. */
START_TEST(named_jobs_are_no_duplicates)
{
	struct trace_stats_jobs jobs;
	struct trace_stats s;
	struct trace_case c;

	load("name,submit_s,duration_s,gpus\na,0,1,1\nb,0,1,1\n", &c, &jobs);
	trace_stats_collect(&jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &s);
	ck_assert_uint_eq(s.duplicates, 0);
	trace_stats_free(&s);
	unload(&c, &jobs);
}
END_TEST

START_TEST(pool_by_hand)
{
	struct trace_stats_jobs jobs;
	struct trace_pool p;
	struct trace_case c;

	/* 3 GPUs wait behind 4, though they would fit beside the first. */
	load(HEADER "0,10,1,a\n1,5,4,a\n2,1,3,b\n3,1,9,b\n", &c, &jobs);
	trace_stats_pool(&jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, 4, &p);
	ck_assert_uint_eq(p.rejected, 1);
	ck_assert_uint_eq(p.started, 3);
	ck_assert_uint_eq(p.waited, 2);
	ck_assert_int_eq(p.wait.sum, (9 + 13) * S);
	ck_assert_int_eq(p.makespan, 16 * S);
	ck_assert_int_eq(p.gpu_time, (10 + 20 + 3) * S);
	ck_assert_double_eq_tol(p.utilisation, 33.0 / 64, 1e-12);
	trace_stats_pool(&jobs, 0, CLOCK_NEVER, name_find(jobs.strings, "b"), 4, &p);
	ck_assert_uint_eq(p.started, 1);
	ck_assert_uint_eq(p.waited, 0);
	ck_assert_int_eq(p.makespan, 1 * S);
	unload(&c, &jobs);
}
END_TEST

START_TEST(endless_job_blocks_a_pool)
{
	struct trace_stats_jobs jobs;
	struct trace_pool p;
	struct trace_case c;

	load(HEADER "0,endless,3,a\n1,5,1,a\n2,1,2,b\n3,1,1,b\n", &c, &jobs);
	trace_stats_pool(&jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, 4, &p);
	ck_assert_uint_eq(p.started, 2);
	ck_assert_uint_eq(p.rejected, 0);
	ck_assert_int_eq(p.makespan, 6 * S);
	unload(&c, &jobs);
}
END_TEST

#define JOBS 40

/* Second by second: ends, then starts while the head fits. */
static int64_t naive_wait(const struct trace_stats_jobs *jobs, int64_t gpus)
{
	int64_t end[JOBS], free_gpus = gpus, sum = 0;
	uint32_t head = 0;

	for (int64_t now = 0; head < jobs->count; now++) {
		for (uint32_t k = 0; k < head; k++)
			if (end[k] == now)
				free_gpus += jobs->milli[jobs->by_submit[k]] / 1000;
		while (head < jobs->count) {
			const struct job *job = &jobs->items[jobs->by_submit[head]];
			int64_t wanted = trace_stats_milli(jobs, job) / 1000;

			if (job->submit > now * S || wanted > free_gpus)
				break;
			sum += now - job->submit / S;
			end[head] = now + job->duration / S;
			free_gpus -= wanted;
			head++;
		}
	}
	return sum;
}

static void naive_peak(const struct trace_stats_jobs *jobs, int64_t *peak, int64_t *at)
{
	*peak = *at = 0;
	for (int64_t now = 0; now < 100; now++) {
		int64_t gpus = 0;

		for (uint32_t i = 0; i < jobs->count; i++)
			if (jobs->items[i].submit <= now * S &&
			    now * S < jobs->items[i].submit + jobs->items[i].duration)
				gpus += jobs->milli[i] / 1000;
		if (gpus > *peak) {
			*peak = gpus;
			*at = now;
		}
	}
}

/* Times from a few seconds, so that they tie on purpose. */
START_TEST(against_a_naive_model)
{
	uint64_t x = (uint64_t)_i * UINT64_C(0x9E3779B97F4A7C15) + 1;
	char text[4096] = HEADER;
	size_t n = strlen(text);
	struct trace_stats_jobs jobs;
	struct trace_stats s;
	struct trace_pool p;
	struct trace_case c;
	int64_t peak, at;

	for (int i = 0; i < JOBS; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%u,%u,%u,a\n",
				      (unsigned)(x % 20), 1 + (unsigned)(x >> 20) % 6,
				      1 + (unsigned)(x >> 40) % 4);
	}
	load(text, &c, &jobs);
	trace_stats_collect(&jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &s);
	naive_peak(&jobs, &peak, &at);
	ck_assert_int_eq(s.peak_milli, peak * 1000);
	ck_assert_int_eq(s.peak_milli_at, at * S);
	ck_assert_int_eq(s.peak_integral, s.gpu_time);
	for (uint32_t gpus = 4; gpus < 20; gpus += 5) {
		trace_stats_pool(&jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, gpus, &p);
		ck_assert_uint_eq(p.started, JOBS);
		ck_assert_int_eq(p.wait.sum, naive_wait(&jobs, gpus) * S);
		ck_assert_int_eq(p.gpu_time, s.gpu_time);
	}
	trace_stats_pool(&jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, (uint32_t)peak, &p);
	ck_assert_uint_eq(p.waited, 0); /* enough for the peak: nobody waits */
	trace_stats_free(&s);
	unload(&c, &jobs);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, by_hand);
	tcase_add_test(t, window_and_months);
	tcase_add_test(t, named_jobs_are_no_duplicates);
	tcase_add_test(t, pool_by_hand);
	tcase_add_test(t, endless_job_blocks_a_pool);
	tcase_add_loop_test(t, against_a_naive_model, 0, 100);
	return trace_case_run("sim/trace/trace_stats", t);
}
