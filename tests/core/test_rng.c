/* test_rng.c - Streams are repeatable, independent of one another, and without bias. */
#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/rng.h"

START_TEST(same_seed_and_name_same_numbers)
{
	struct rng *a = rng_new(42, "arrivals");
	struct rng *b = rng_new(42, "arrivals");

	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(rng_u64(a), rng_u64(b));
	rng_free(a);
	rng_free(b);
	rng_free(NULL);
}
END_TEST

static const struct {
	uint64_t seed;
	const char *stream;
} other_rows[] = {
	{43, "arrivals"},
	{42, "durations"},
	{42, ""},
	{42, "arrival"},
	{42 + (UINT64_C(1) << 32), "arrivals"},
	{0, "arrivals"},
	{42, "slavirra"},
};

START_TEST(other_seed_or_name_other_numbers)
{
	struct rng *a = rng_new(42, "arrivals");
	struct rng *b = rng_new(other_rows[_i].seed, other_rows[_i].stream);
	int same = 0;

	for (int i = 0; i < 1000; i++)
		same += rng_u64(a) == rng_u64(b);
	ck_assert_int_eq(same, 0);
	rng_free(a);
	rng_free(b);
}
END_TEST

/* The numbers themselves, so that a seed in a report stays good for every version. */
START_TEST(pinned)
{
	static const uint64_t want[] = {UINT64_C(0x3168c632b8493484), UINT64_C(0x9e39d12e36fd8521),
					UINT64_C(0x1f1a3e958c998fc5), UINT64_C(0x4f7130e8032ef757)};
	struct rng *a = rng_new(1, "tie-break");

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		uint64_t got = rng_u64(a);

		ck_assert_msg(got == want[i], "%zu: 0x%016" PRIx64, i, got);
	}
	rng_free(a);
}
END_TEST

START_TEST(below_is_uniform)
{
	static const uint64_t bounds[] = {1, 2, 3, 7, 10, 64};
	uint64_t bound = bounds[_i];
	struct rng *a = rng_new(7, "below");
	uint64_t seen[64] = {0};
	double chi = 0, expected = 60000.0 / (double)bound;

	for (int i = 0; i < 60000; i++) {
		uint64_t x = rng_below(a, bound);

		ck_assert_uint_lt(x, bound);
		seen[x]++;
	}
	for (uint64_t i = 0; i < bound; i++)
		chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
	/* mean bound-1, standard deviation sqrt(2 (bound-1)): five of them */
	ck_assert_double_le(chi, (double)bound - 1 + 5 * 11.3);
	rng_free(a);
}
END_TEST

/* Of 2^64 numbers a third do not divide by 3 * 2^62: modulo alone would draw the lower
 * third of this bound twice as often. */
START_TEST(below_has_no_modulo_bias)
{
	uint64_t bound = UINT64_C(3) << 62;
	struct rng *a = rng_new(9, "bias");
	int low = 0;

	for (int i = 0; i < 30000; i++)
		low += rng_below(a, bound) < bound / 3;
	ck_assert_int_ge(low, 9500);
	ck_assert_int_le(low, 10500);
	rng_free(a);
}
END_TEST

START_TEST(uniform)
{
	struct rng *a = rng_new(3, "uniform");
	double sum = 0;

	for (int i = 0; i < 100000; i++) {
		double x = rng_uniform(a);

		ck_assert(x >= 0 && x < 1);
		sum += x;
	}
	ck_assert_double_ge(sum, 100000 * 0.495);
	ck_assert_double_le(sum, 100000 * 0.505);
	rng_free(a);
}
END_TEST

/* Every order of three comes as often; none of them leaves one out. */
START_TEST(orders)
{
	struct rng *a = rng_new(4, "orders");
	int hits[3][3][3] = {{{0}}};

	for (int i = 0; i < 60000; i++) {
		uint32_t *order = rng_order(a, 3);

		hits[order[0]][order[1]][order[2]]++;
		mem_free(order);
	}
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++)
			for (int z = 0; z < 3; z++) {
				bool order = x != y && y != z && x != z;

				ck_assert_int_ge(hits[x][y][z], order ? 9600 : 0);
				ck_assert_int_le(hits[x][y][z], order ? 10400 : 0);
			}
	mem_free(rng_order(a, 0));
	rng_free(a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/rng");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, same_seed_and_name_same_numbers);
	tcase_add_loop_test(t, other_seed_or_name_other_numbers, 0,
			    (int)(sizeof(other_rows) / sizeof(other_rows[0])));
	tcase_add_test(t, pinned);
	tcase_add_loop_test(t, below_is_uniform, 0, 6);
	tcase_add_test(t, below_has_no_modulo_bias);
	tcase_add_test(t, uniform);
	tcase_add_test(t, orders);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
