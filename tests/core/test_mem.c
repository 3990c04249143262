/* test_mem.c - Growth keeps what is there, arenas never move or overlap, and out of memory
 * ends the program with 71 wherever it happens. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/evq.h"
#include "core/mem.h"
#include "core/name.h"
#include "core/sort.h"

START_TEST(calloc_zeroes_and_takes_nothing)
{
	unsigned char *p = mem_calloc(100, 3);
	void *empty = mem_calloc(0, 0);

	for (size_t i = 0; i < 300; i++)
		ck_assert_uint_eq(p[i], 0);
	ck_assert_ptr_nonnull(empty);
	mem_free(p);
	mem_free(empty);
	mem_free(NULL);
}
END_TEST

START_TEST(grow_keeps_what_is_there)
{
	uint32_t *array = NULL;
	size_t capacity = 0, moves = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		size_t before = capacity;

		array = mem_grow(array, i + 1, &capacity, sizeof(*array));
		moves += capacity != before;
		ck_assert_uint_ge(capacity, i + 1);
		array[i] = i;
	}
	for (uint32_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(array[i], i);
	ck_assert_uint_le(moves, 12); /* doubling, not one at a time */
	ck_assert_ptr_eq(mem_grow(array, 1, &capacity, sizeof(*array)), array);
	mem_free(array);
}
END_TEST

START_TEST(copies)
{
	char text[] = "quota";
	char *a = mem_strdup(text);
	char *b = mem_dup(text, 3);
	char *none = mem_dup(NULL, 0);

	text[0] = 'Q';
	ck_assert_str_eq(a, "quota");
	ck_assert_mem_eq(b, "quo", 3);
	ck_assert_ptr_nonnull(none);
	mem_free(a);
	mem_free(b);
	mem_free(none);
}
END_TEST

/* Pieces of all sizes, around the chunk size too: zeroed, aligned, not overlapping, and
 * still the same after many more. */
START_TEST(arena_pieces)
{
	static const size_t sizes[] = {1,    16,   17,	   0,	 4095,	  4096,
				       4097, 1000, 100000, 3000, 1500000, 5};
	enum { ROUNDS = 40, SIZES = sizeof(sizes) / sizeof(sizes[0]) };
	struct mem_arena *arena = mem_arena_new();
	unsigned char *piece[ROUNDS * SIZES];

	for (size_t i = 0; i < ROUNDS * SIZES; i++) {
		size_t size = sizes[i % SIZES];

		piece[i] = mem_arena_alloc(arena, size);
		ck_assert_uint_eq((uintptr_t)piece[i] % 16, 0);
		for (size_t j = 0; j < size; j += size < 64 ? 1 : 61)
			ck_assert_uint_eq(piece[i][j], 0);
		memset(piece[i], (int)(i % 251) + 1, size);
	}
	for (size_t i = 0; i < ROUNDS * SIZES; i++)
		for (size_t j = 0; j < sizes[i % SIZES]; j += sizes[i % SIZES] < 64 ? 1 : 61)
			ck_assert_uint_eq(piece[i][j], i % 251 + 1);
	mem_arena_free(arena);
	mem_arena_free(NULL);
}
END_TEST

START_TEST(arena_owns_what_it_is_given)
{
	for (int first = 0; first < 2; first++) {
		struct mem_arena *arena = mem_arena_new();
		char *piece = first != 0 ? NULL : mem_arena_strdup(arena, "before");

		mem_arena_own(arena, NULL);
		mem_arena_own(arena, mem_calloc(100, 1));
		mem_arena_own(arena, mem_strdup("a text"));
		ck_assert(piece == NULL || strcmp(piece, "before") == 0);
		ck_assert_str_eq(mem_arena_strdup(arena, "behind"), "behind");
		mem_arena_reset(arena);
		mem_arena_own(arena, mem_calloc(1, 1));
		mem_arena_free(arena);
	}
}
END_TEST

START_TEST(large_pieces_are_as_small_ones)
{
	const size_t large = ((size_t)5 << 20) + 3;
	unsigned char *p = mem_calloc(large, 1);
	uint64_t *array = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < large; i += 4093)
		ck_assert_uint_eq(p[i], 0);
	memset(p, 0xff, large);
	mem_free(p);
	for (size_t i = 0; i < large / 4; i++) {
		array = mem_grow(array, i + 1, &capacity, sizeof(*array));
		array[i] = i;
	}
	array[capacity - 1] = 1;
	for (size_t i = 0; i < large / 4; i += 1021)
		ck_assert_uint_eq(array[i], i);
	mem_free(array);
}
END_TEST

START_TEST(arena_texts)
{
	struct mem_arena *arena = mem_arena_new();
	const char *first = mem_arena_strdup(arena, "first");
	const char *cut = mem_arena_strndup(arena, "cut here", 3);
	const char *empty = mem_arena_strdup(arena, "");
	void *aligned = mem_arena_alloc(arena, 8);

	for (int i = 0; i < 10000; i++)
		mem_arena_strdup(arena, "one of many");
	ck_assert_str_eq(first, "first");
	ck_assert_str_eq(cut, "cut");
	ck_assert_str_eq(empty, "");
	ck_assert_uint_eq((uintptr_t)aligned % 16, 0);
	mem_arena_free(arena);
}
END_TEST

START_TEST(arena_reset_gives_zeroed_memory_again)
{
	struct mem_arena *arena = mem_arena_new();

	mem_arena_reset(arena); /* of an empty one: nothing */
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 300; i++) {
			unsigned char *p = mem_arena_alloc(arena, 100);

			for (int j = 0; j < 100; j++)
				ck_assert_uint_eq(p[j], 0);
			memset(p, 0xff, 100);
			memset(mem_arena_strndup(arena, "", 0), 'x', 1);
		}
		memset(mem_arena_alloc(arena, 50000), 0xff, 50000); /* a chunk of its own */
		mem_arena_reset(arena);
	}
	mem_arena_free(arena);
}
END_TEST

START_TEST(too_much_exits_71)
{
	size_t capacity = 0;
	struct mem_arena *arena;

	switch (_i) {
	case 0:
		mem_free(mem_calloc(SIZE_MAX / 2, 4));
		break;
	case 1:
		mem_free(mem_grow(NULL, SIZE_MAX / 8, &capacity, 16));
		break;
	case 2:
		mem_free(mem_grow(NULL, SIZE_MAX / 2 + 2, &capacity, 1));
		break;
	default:
		arena = mem_arena_new();
		mem_arena_alloc(arena, SIZE_MAX - 8);
		mem_arena_free(arena);
	}
	exit(0);
}
END_TEST

#ifdef MEM_FAULTS
enum { FAULTS = 12 }; /* fewer than the allocations of the test below */

static int compare(const void *a, const void *b, void *context)
{
	(void)context;
	return memcmp(a, b, 100);
}

/* SQLite's out-of-memory loop: the 1st, 2nd, ... allocation fails; each must end in exit
 * 71, not in a crash. */
START_TEST(every_allocation_may_fail)
{
	static unsigned char rows[100][100];
	struct name_table *names;
	struct evq *q;

	mem_fail_after(_i);
	q = evq_new();				     /* 1 */
	evq_push(q, &(struct evq_event){.time = 1}); /* 2, 3 */
	evq_free(q);
	names = name_new();	    /* 4, 5, 6 */
	for (int i = 0; i < 9; i++) /* entries, chunk, entries grow, rehash */
		name_add_n(names, "abcdefghi" + i, (size_t)(9 - i));
	name_free(names);
	sort_stable(rows, 100, 100, compare, NULL);
	mem_free(mem_strdup("text"));
	mem_fail_after(-1);
	exit(0); /* reached only if _i is past the last allocation */
}
END_TEST
#endif

static void print(char **text, size_t *length, size_t *capacity, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void print(char **text, size_t *length, size_t *capacity, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	mem_append(text, length, capacity, format, args);
	va_end(args);
}

START_TEST(appended_text_ends_with_a_nul)
{
	char *text = NULL;
	size_t length = 0, capacity = 0;

	print(&text, &length, &capacity, "%s", "");
	ck_assert_uint_eq(length, 0);
	print(&text, &length, &capacity, "%d of ", 12);
	print(&text, &length, &capacity, "%0300d", 7);
	ck_assert_uint_eq(length, 306);
	ck_assert_uint_eq(strlen(text), 306);
	ck_assert(strncmp(text, "12 of 000", 9) == 0 && text[305] == '7');
	mem_free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/mem");
	TCase *t = tcase_create("all");
	TCase *faults = tcase_create("faults");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, calloc_zeroes_and_takes_nothing);
	tcase_add_test(t, grow_keeps_what_is_there);
	tcase_add_test(t, copies);
	tcase_add_test(t, arena_pieces);
	tcase_add_test(t, arena_texts);
	tcase_add_test(t, arena_owns_what_it_is_given);
	tcase_add_test(t, large_pieces_are_as_small_ones);
	tcase_add_test(t, arena_reset_gives_zeroed_memory_again);
	tcase_add_test(t, appended_text_ends_with_a_nul);
	suite_add_tcase(s, t);
	/* These end the program: in a process of their own whatever CK_FORK says. */
	tcase_set_tags(faults, "faults");
	tcase_add_loop_exit_test(faults, too_much_exits_71, 71, 0, 4);
#ifdef MEM_FAULTS
	tcase_add_loop_exit_test(faults, every_allocation_may_fail, 71, 0, FAULTS);
#endif
	suite_add_tcase(s, faults);
	srunner_set_fork_status(r, CK_FORK);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
