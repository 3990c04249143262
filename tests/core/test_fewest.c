/* test_fewest.c - The search against trying every number, monotone or nearly so. */
#include <check.h>
#include <stdlib.h>

#include "core/fewest.h"
#include "core/rng.h"

#define MOST 60

struct outcome {
	bool found;
	uint32_t answer;
	size_t tests;
};

static struct outcome search(const bool *passes, uint32_t least, uint32_t most, uint32_t guess,
			     uint32_t verify, size_t at_once)
{
	struct fewest f;
	struct outcome o = {.found = false};
	uint32_t next[8];
	size_t count;

	fewest_begin(&f, least, most, guess, verify);
	while ((count = fewest_next(&f, next, at_once)) > 0) {
		ck_assert_uint_le(count, at_once);
		for (size_t i = 0; i < count; i++) {
			ck_assert_uint_ge(next[i], least);
			ck_assert_uint_le(next[i], most);
			for (size_t k = 0; k < f.count; k++)
				ck_assert_uint_ne(f.known[k].number, next[i]);
			for (size_t k = 0; k < i; k++)
				ck_assert_uint_ne(next[k], next[i]);
		}
		for (size_t i = 0; i < count; i++)
			fewest_tell(&f, next[i], passes[next[i]]);
		o.tests += count;
		ck_assert_uint_le(o.tests, MOST + 1);
	}
	o.found = fewest_found(&f, &o.answer);
	fewest_free(&f);
	return o;
}

static uint32_t first_passing(const bool *passes, uint32_t least, uint32_t most)
{
	while (least <= most && !passes[least])
		least++;
	return least;
}

START_TEST(monotone_is_exact)
{
	bool passes[MOST + 1];

	for (uint32_t border = 0; border <= MOST + 1; border++) {
		for (uint32_t i = 0; i <= MOST; i++)
			passes[i] = i >= border;
		for (size_t at_once = 1; at_once <= 4; at_once++) {
			struct outcome o = search(passes, 3, MOST, (uint32_t)_i, 3, at_once);

			ck_assert_int_eq(o.found, border <= MOST);
			if (o.found)
				ck_assert_uint_eq(o.answer, border < 3 ? 3 : border);
			/* log2(60) = 6, the two ends, and three to verify, rounded up */
			ck_assert_uint_le(o.tests, at_once == 1 ? 12 : 16);
		}
	}
}
END_TEST

/* Holes and lone passes within the distance that is verified do not mislead it. */
START_TEST(nearly_monotone_is_exact_within_reach)
{
	struct rng *rng = rng_new((uint64_t)_i, "fewest");
	uint32_t border = 5 + (uint32_t)rng_below(rng, 40);
	bool passes[MOST + 1];
	struct outcome o;

	for (uint32_t i = 0; i <= MOST; i++)
		passes[i] = i >= border;
	if (rng_below(rng, 2) == 0)
		passes[border - 1 - rng_below(rng, 3)] = true;
	o = search(passes, 0, MOST, (uint32_t)rng_below(rng, MOST), 3, 2);
	ck_assert(o.found);
	ck_assert_uint_eq(o.answer, first_passing(passes, 0, MOST));
	rng_free(rng);
}
END_TEST

/* Whatever the test is like: what it finds passes, and what lies right below fails. */
START_TEST(any_answer_is_verified)
{
	struct rng *rng = rng_new((uint64_t)_i, "fewest-any");
	bool passes[MOST + 1];
	struct outcome o;

	for (uint32_t i = 0; i <= MOST; i++)
		passes[i] = rng_below(rng, MOST) < i;
	passes[MOST] = true;
	o = search(passes, 0, MOST, (uint32_t)rng_below(rng, MOST), 3, 1 + (size_t)_i % 3);
	ck_assert(o.found && passes[o.answer]);
	for (uint32_t i = 1; i <= 3 && i <= o.answer; i++)
		ck_assert(!passes[o.answer - i]);
	/* if there are few numbers, it is the first of all */
	o = search(passes, 0, 4, 2, 4, 2);
	ck_assert_int_eq(o.found, passes[2] || passes[4]);
	if (o.found && o.answer == 4)
		ck_assert_uint_eq(first_passing(passes, 0, 4), 4);
	rng_free(rng);
}
END_TEST

START_TEST(what_is_known_before_is_not_asked_again)
{
	struct fewest f;
	uint32_t next[2];

	fewest_begin(&f, 0, 10, 20, 1); /* the guess is put between the ends */
	fewest_tell(&f, 10, true);
	fewest_tell(&f, 10, false); /* known already */
	fewest_tell(&f, 4, false);
	ck_assert_uint_eq(fewest_next(&f, next, 2), 2);
	ck_assert_uint_eq(next[0], 6);
	ck_assert_uint_eq(next[1], 8);
	fewest_tell(&f, 6, false);
	fewest_tell(&f, 8, true);
	ck_assert_uint_eq(fewest_next(&f, next, 2), 1);
	ck_assert_uint_eq(next[0], 7);
	fewest_tell(&f, 7, true);
	ck_assert_uint_eq(fewest_next(&f, next, 2), 0); /* 6 fails */
	fewest_free(&f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/fewest");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, monotone_is_exact, 0, MOST);
	tcase_add_loop_test(t, nearly_monotone_is_exact_within_reach, 0, 100);
	tcase_add_loop_test(t, any_answer_is_verified, 0, 200);
	tcase_add_test(t, what_is_known_before_is_not_asked_again);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
