/* test_sort.c - Sorted, stable, and nothing lost, for every length around the run size and
 * every kind of input order. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sort.h"

struct row {
	uint32_t key;
	uint32_t index; /* in the input */
};

static int by_key(const void *a, const void *b, void *context)
{
	const struct row *x = a;
	const struct row *y = b;

	if (context != NULL)
		++*(uint64_t *)context;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int by_byte(const void *a, const void *b, void *context)
{
	(void)context;
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Keys from 0 .. distinct-1: few of them mean many ties. */
static void check_sorted(uint32_t count, uint32_t distinct, uint64_t seed)
{
	struct row *rows = calloc(count + 1, sizeof(*rows));
	uint32_t *seen = calloc(count + 1, sizeof(*seen));

	ck_assert_ptr_nonnull(rows);
	ck_assert_ptr_nonnull(seen);
	for (uint32_t i = 0; i < count; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		rows[i] = (struct row){.key = (uint32_t)(seed % distinct), .index = i};
	}
	rows[count] = (struct row){.key = 0xdeadbeef, .index = 0xdeadbeef};
	sort_stable(rows, count, sizeof(*rows), by_key, NULL);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_lt(rows[i].index, count);
		seen[rows[i].index]++;
		if (i == 0)
			continue;
		ck_assert_uint_le(rows[i - 1].key, rows[i].key);
		if (rows[i - 1].key == rows[i].key)
			ck_assert_uint_lt(rows[i - 1].index, rows[i].index);
	}
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(seen[i], 1);
	ck_assert_uint_eq(rows[count].index, 0xdeadbeef);
	free(rows);
	free(seen);
}

START_TEST(every_small_length)
{
	for (uint32_t distinct = 1; distinct <= 5; distinct++)
		check_sorted((uint32_t)_i, distinct, (uint64_t)_i * 31 + distinct);
	check_sorted((uint32_t)_i, UINT32_MAX, (uint64_t)_i + 1);
}
END_TEST

START_TEST(large)
{
	check_sorted(100003, 7, 1);
	check_sorted(65536, 1000000, 2);
	check_sorted(65537, 2, 3);
}
END_TEST

/* 0 ascending, 1 descending, 2 all equal; and comparisons stay within n log n. */
START_TEST(regular_orders)
{
	enum { N = 10000 };
	struct row rows[N];
	uint64_t compared = 0;

	for (uint32_t i = 0; i < N; i++)
		rows[i] = (struct row){_i == 0 ? i : _i == 1 ? N - i : 0, i};
	sort_stable(rows, N, sizeof(rows[0]), by_key, &compared);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(rows[i].index, _i == 1 ? N - 1 - i : i);
	ck_assert_uint_le(compared, _i == 1 ? N * 16 : N * 2);
}
END_TEST

/* Elements of 1, 3, 17, ... 256 bytes move as a whole. */
START_TEST(element_sizes)
{
	static const size_t sizes[] = {1, 3, 17, 64, 255, 256};
	size_t size = sizes[_i];
	unsigned char *bytes = malloc(200 * size);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < 200; i++)
		memset(bytes + i * size, (int)(i * 73 % 200), size);
	sort_stable(bytes, 200, size, by_byte, NULL);
	for (size_t i = 0; i < 200; i++)
		for (size_t j = 0; j < size; j++)
			ck_assert_uint_eq(bytes[i * size + j], i);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/sort");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, every_small_length, 0, 70);
	tcase_add_test(t, large);
	tcase_add_loop_test(t, regular_orders, 0, 3);
	tcase_add_loop_test(t, element_sizes, 0, 6);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
