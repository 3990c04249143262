/* test_sweep_store.c - What the database keeps, refuses and joins. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/sweep_store.h"
#include "tests/support/command.h"

static const char *const names[] = {"quota", "nodes"};
static const char *const values[] = {"8", "2"};
static const struct sweep_header header = {
	.plan = "abc", .points = 3, .names = names, .sets = names, .dimension_count = 2};

static const char *path(const char *name)
{
	static char text[2][200];
	static int at;

	at = !at;
	snprintf(text[at], sizeof(text[at]), "%s/%s", command_folder(), name);
	return text[at];
}

static void put(struct sweep_store *store, uint64_t point, const char *status, const char *wait)
{
	const struct sweep_figure figures[] = {{"team:b:used", "GPU-seconds", 1000, "12.5"},
					       {"team:a:used", "GPU-seconds", 1000, "7"},
					       {"wait", "seconds", 3, wait}};
	const struct sweep_row row = {.point = point,
				      .status = status,
				      .message = strcmp(status, "ok") == 0 ? NULL : "a, \"b\"",
				      .values = values,
				      .figures = figures,
				      .figure_count = strcmp(status, "ok") == 0 ? 3 : 0};
	struct err err;

	ck_assert_int_eq(sweep_store_put(store, &row, &err), ERR_OK);
}

static struct sweep_store *opened(const char *name)
{
	struct sweep_store *store = NULL;
	struct err err;

	ck_assert_msg(sweep_store_open(name == NULL ? NULL : path(name), &header, &store, &err) ==
			      ERR_OK,
		      "%s", err.msg);
	return store;
}

static char *csv(struct sweep_store *store)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct err err;

	ck_assert_int_eq(sweep_store_csv(store, memory, &err), ERR_OK);
	fclose(memory);
	return text;
}

static const char expected[] = "point,status,message,quota,nodes,wait,team:a:used,team:b:used\n"
			       "0,ok,,8,2,3,7,12.5\n"
			       "1,failed,\"a, \"\"b\"\"\",8,2,,,\n"
			       "2,ok,,8,2,never,7,12.5\n";

START_TEST(rows_by_point_whatever_the_order)
{
	struct sweep_store *store = opened(NULL);
	struct sweep_counts counts;
	bool done;
	struct err err;
	char *text;

	put(store, 2, "ok", "never");
	put(store, 0, "ok", "99");
	put(store, 1, "failed", NULL);
	put(store, 0, "ok", "3.000"); /* again */
	text = csv(store);
	ck_assert_str_eq(text, expected);
	ck_assert_int_eq(sweep_store_count(store, &counts, &err), ERR_OK);
	ck_assert_uint_eq(counts.points, 3);
	ck_assert_uint_eq(counts.run, 3);
	ck_assert_uint_eq(counts.failed, 1);
	ck_assert_int_eq(sweep_store_done(store, 0, &done, &err), ERR_OK);
	ck_assert(done);
	ck_assert_int_eq(sweep_store_done(store, 1, &done, &err), ERR_OK);
	ck_assert(!done); /* it is tried again */
	free(text);
	sweep_store_close(store);
}
END_TEST

START_TEST(a_part_joins_once_and_a_result_replaces_a_failure)
{
	struct sweep_store *a = opened("a.db"), *b = opened("b.db"), *all = NULL;
	struct err err;
	char *text;

	put(a, 0, "ok", "3");
	put(a, 2, "failed", NULL);
	put(b, 0, "ok", "3");
	put(b, 1, "failed", NULL);
	put(b, 2, "ok", "never");
	sweep_store_close(b);
	ck_assert_int_eq(sweep_store_like(path("all.db"), a, &all, &err), ERR_OK);
	sweep_store_close(a);
	ck_assert_msg(sweep_store_merge(all, path("a.db"), &err) == ERR_OK, "%s", err.msg);
	ck_assert_msg(sweep_store_merge(all, path("b.db"), &err) == ERR_OK, "%s", err.msg);
	ck_assert_msg(sweep_store_merge(all, path("a.db"), &err) == ERR_OK, "%s", err.msg);
	text = csv(all);
	ck_assert_str_eq(text, expected);
	free(text);
	sweep_store_close(all);
	ck_assert(sweep_store_is(path("all.db")));
	ck_assert(!sweep_store_is(path("nothing.db")));
}
END_TEST

START_TEST(two_results_for_a_point_are_an_error)
{
	struct sweep_store *a = opened("a.db"), *b = opened("b.db");
	struct err err;

	put(a, 0, "ok", "3");
	put(b, 0, "ok", "4");
	sweep_store_close(b);
	ck_assert_int_eq(sweep_store_merge(a, path("b.db"), &err), ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(err.msg, "other results"));
	put(a, 1, "ok", "5"); /* nothing is left open */
	sweep_store_close(a);
}
END_TEST

START_TEST(another_plan_and_other_inputs_are_refused)
{
	struct sweep_store *store = opened("a.db");
	struct sweep_header other = header;
	struct err err;

	ck_assert_int_eq(sweep_store_input(store, "jobs.csv", 7, &err), ERR_OK);
	ck_assert_int_eq(sweep_store_input(store, "jobs.csv", 7, &err), ERR_OK);
	ck_assert_int_eq(sweep_store_input(store, "jobs.csv", 8, &err), ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(err.msg, "jobs.csv is not as it was"));
	ck_assert_int_eq(sweep_store_input(store, "jobs.csv", 7, &err), ERR_OK);
	sweep_store_close(store);
	other.plan = "abd";
	ck_assert_int_eq(sweep_store_open(path("a.db"), &other, &store, &err), ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(err.msg, "another sweep"));
	ck_assert_ptr_null(store);
}
END_TEST

/* Cut off or overwritten anywhere: an error, or what is there. */
START_TEST(damaged_files_do_no_harm)
{
	struct sweep_store *store = opened("whole.db");
	FILE *file;
	char bytes[1 << 16];
	size_t size;
	struct err err;

	for (uint64_t p = 0; p < 3; p++)
		put(store, p, "ok", "3");
	sweep_store_close(store);
	file = fopen(path("whole.db"), "rb");
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	ck_assert_uint_gt(size, 8192);
	for (size_t at = 16; at < size; at += 997) {
		file = fopen(path("bad.db"), "wb");
		fwrite(bytes, 1, at, file);
		for (size_t i = at; i < size && at % 2 == 0; i++)
			putc(bytes[i] ^ (i < at + 64 ? 0x55 : 0), file);
		fclose(file);
		if (sweep_store_read(path("bad.db"), &store, &err) == ERR_OK) {
			FILE *nowhere = fopen("/dev/null", "w");

			sweep_store_json(store, nowhere, &err);
			fclose(nowhere);
			sweep_store_close(store);
		} else {
			ck_assert_ptr_null(store);
		}
	}
}
END_TEST

/* SQLite keeps nothing under such names. */
START_TEST(names_are_of_files)
{
	static const char *const odd[] = {"", "file:no/such.db?mode=memory"};
	struct sweep_store *store = NULL;
	struct err err;

	ck_assert_int_ne(sweep_store_open(odd[_i], &header, &store, &err), ERR_OK);
	ck_assert_ptr_null(store);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/sweep_store");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, rows_by_point_whatever_the_order);
	tcase_add_test(t, a_part_joins_once_and_a_result_replaces_a_failure);
	tcase_add_test(t, two_results_for_a_point_are_an_error);
	tcase_add_test(t, another_plan_and_other_inputs_are_refused);
	tcase_add_test(t, damaged_files_do_no_harm);
	tcase_add_loop_test(t, names_are_of_files, 0, 2);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
