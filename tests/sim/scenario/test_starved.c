/* test_starved.c - Overtakes counted by hand, and against the direct definition on random jobs. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/starved.h"
#include "tests/support/fixture.h"

#define S CLOCK_SECOND

/* A big job and twelve small ones that came later and started at once. */
START_TEST(small_ones_pass_a_big_one)
{
	struct builder *b = fixture_cluster(1, 8);
	const struct fixture_job big = {"big", 0, 10, 1, 8, NULL, 0, 0};
	simtime start[14], end[14];
	struct scenario *s;
	struct starved found;

	fixture_add(b, &big, 1);
	for (int i = 1; i < 14; i++) {
		struct fixture_job small = {
			.name = NULL, .submit_s = i, .duration_s = 1, .pods = 1, .gpus = 2};
		char name[16];

		snprintf(name, sizeof(name), "s%d", i);
		small.name = name;
		fixture_add(b, &small, 1);
		start[i] = i * S;
		end[i] = CLOCK_NEVER;
	}
	s = fixture_finish(b);
	end[0] = CLOCK_NEVER;
	start[0] = 13 * S; /* as the last one: of one instant nobody is first */
	found = starved_find(s, start, end, 100 * S);
	ck_assert_uint_eq(found.jobs, 1);
	ck_assert_uint_eq(found.worst, 0);
	ck_assert_uint_eq(found.overtakes, 12);
	ck_assert_uint_eq(found.longest, 0);
	ck_assert_int_eq(found.longest_wait, 13 * S);
	start[0] = CLOCK_NEVER;
	found = starved_find(s, start, end, 100 * S);
	ck_assert_uint_eq(found.overtakes, 13);
	ck_assert_int_eq(found.longest_wait, 100 * S);
	end[0] = 40 * S; /* it was deleted then */
	ck_assert_int_eq(starved_find(s, start, end, 100 * S).longest_wait, 40 * S);
	start[0] = 10 * S; /* nine are not enough */
	ck_assert_uint_eq(starved_find(s, start, end, 100 * S).jobs, 0);
	/* Whoever is submitted later than the end is no part of it. */
	start[0] = CLOCK_NEVER;
	ck_assert_uint_eq(starved_find(s, start, end, 11 * S).overtakes, 11);
	scenario_free(s);
}
END_TEST

/* Bigger ones do not count: they may well have more of something else. */
START_TEST(bigger_ones_do_not_overtake)
{
	struct builder *b = fixture_cluster(1, 8);
	simtime start[12], end[12];
	struct scenario *s;

	for (int i = 0; i < 12; i++) {
		struct fixture_job job = {
			.submit_s = i, .duration_s = 1, .pods = 1, .gpus = i == 0 ? 1 : 2};
		char name[16];

		snprintf(name, sizeof(name), "j%d", i);
		job.name = name;
		fixture_add(b, &job, 1);
		start[i] = i * S;
		end[i] = CLOCK_NEVER;
	}
	s = fixture_finish(b);
	start[0] = CLOCK_NEVER;
	ck_assert_uint_eq(starved_find(s, start, end, 100 * S).jobs, 0);
	scenario_free(s);
}
END_TEST

static uint32_t direct(const struct scenario *s, const simtime *start, uint32_t rank)
{
	uint32_t job = scenario_by_submit(s, rank), n = 0;

	for (uint32_t k = rank + 1; k < s->job_count; k++) {
		uint32_t other = scenario_by_submit(s, k);

		n += s->jobs[other].submit > s->jobs[job].submit && start[other] < start[job] &&
		     s->jobs[other].common->gpus <= s->jobs[job].common->gpus;
	}
	return n;
}

static struct scenario *random_jobs(uint64_t *x, uint32_t count, uint32_t sizes, simtime *start)
{
	struct builder *b = fixture_cluster(1, 8);

	for (uint32_t i = 0; i < count; i++) {
		struct fixture_job job = {.duration_s = 1, .pods = 1};
		char name[16];

		snprintf(name, sizeof(name), "j%u", i);
		*x = *x * 6364136223846793005u + 1442695040888963407u;
		job.name = name;
		job.submit_s = (int64_t)(*x >> 40) % 50; /* many ties */
		job.gpus = 1 + (int64_t)(*x >> 33) % sizes;
		fixture_add(b, &job, 1);
		*x = *x * 6364136223846793005u + 1442695040888963407u;
		start[i] = (*x >> 60) == 0 ? CLOCK_NEVER
					   : (job.submit_s + (int64_t)(*x >> 40) % 60) * S;
	}
	return fixture_finish(b);
}

/* Both ways of counting: few sizes, and more than STARVED_CLASSES. */
static const uint32_t sizes[] = {1, 4, 40, 4 * STARVED_CLASSES};

/* The most overtaken ones, in order, and nobody above the last is left out. */
static void list_is_the_top(const struct starved *found, const uint32_t *counts, uint32_t jobs)
{
	uint32_t above = 0;

	ck_assert_uint_eq(found->listed,
			  found->jobs < STARVED_LISTED ? found->jobs : STARVED_LISTED);
	ck_assert_uint_eq(found->most[0].job, found->worst);
	for (uint32_t i = 0; i < found->listed; i++) {
		ck_assert_uint_eq(found->most[i].overtakes, counts[found->most[i].job]);
		ck_assert(i == 0 || found->most[i].overtakes < found->most[i - 1].overtakes ||
			  (found->most[i].overtakes == found->most[i - 1].overtakes &&
			   found->most[i].job > found->most[i - 1].job));
	}
	for (uint32_t job = 0; job < jobs; job++)
		above += counts[job] > found->most[found->listed - 1].overtakes;
	ck_assert_uint_lt(above, found->listed);
}

START_TEST(agrees_with_the_definition)
{
	enum { COUNT = 700 };
	uint64_t x = 12345 + (uint64_t)_i;
	simtime *start = calloc(COUNT, sizeof(*start)), *end = calloc(COUNT, sizeof(*end));
	struct scenario *s = random_jobs(&x, COUNT, sizes[_i], start);
	struct starved found;
	uint32_t jobs = 0, most = 0;
	uint32_t *counts = calloc(COUNT, sizeof(*counts));
	simtime longest = 0;

	for (uint32_t i = 0; i < COUNT; i++)
		end[i] = i % 2 == 0 ? CLOCK_NEVER : 500 * S + i;
	found = starved_find(s, start, end, 1000 * S);
	for (uint32_t rank = 0; rank < COUNT; rank++) {
		uint32_t n = direct(s, start, rank), job = scenario_by_submit(s, rank);
		simtime over = start[job] != CLOCK_NEVER ? start[job]
			       : end[job] != CLOCK_NEVER ? end[job]
							 : 1000 * S;

		if (n >= STARVED_OVERTAKES && over - s->jobs[job].submit > longest)
			longest = over - s->jobs[job].submit;
		counts[job] = n;
		jobs += n >= STARVED_OVERTAKES;
		most = n > most ? n : most;
	}
	ck_assert_uint_gt(jobs, 0);
	ck_assert_uint_eq(found.jobs, jobs);
	ck_assert_uint_eq(found.overtakes, most);
	ck_assert_int_eq(found.longest_wait, longest);
	list_is_the_top(&found, counts, COUNT);
	scenario_free(s);
	free(counts);
	free(end);
	free(start);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/scenario/starved");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, small_ones_pass_a_big_one);
	tcase_add_test(t, bigger_ones_do_not_overtake);
	tcase_add_loop_test(t, agrees_with_the_definition, 0,
			    (int)(sizeof(sizes) / sizeof(sizes[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
