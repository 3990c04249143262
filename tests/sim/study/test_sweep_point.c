/* test_sweep_point.c - What a point came to, packed and unpacked, whole and cut short. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/study/sweep_point.h"

/* With a file, a figure, and texts that a parcel must not trip over. */
static void outcome(struct sweep_outcome *o)
{
	static const char *names[] = {"a\nb.csv", ""};
	static const uint64_t hashes[] = {UINT64_MAX, 0};

	sweep_point_begin(o, 1234567890123);
	snprintf(o->message, sizeof(o->message), "no, \"quoted\"\t\xc3\xa4");
	o->status = "failed";
	o->names = mem_arena_copy(o->arena, names, 2, sizeof(*names));
	o->hashes = mem_arena_copy(o->arena, hashes, 2, sizeof(*hashes));
	o->input_count = 2;
	o->figures = mem_calloc(2, sizeof(*o->figures));
	o->figures[0] = (struct sweep_figure){"wait", "s", 3, "never"};
	o->figures[1] = (struct sweep_figure){"team:a b", "", 1000, "-0.125"};
	o->count = 2;
}

START_TEST(a_parcel_holds_all)
{
	struct sweep_outcome o, got;
	struct err err;
	size_t size;
	char *bytes;

	outcome(&o);
	bytes = sweep_point_pack(&o, &size);
	ck_assert_int_eq(sweep_point_unpack(bytes, size, &got, &err), ERR_OK);
	ck_assert_uint_eq(got.point, o.point);
	ck_assert(!got.interrupted);
	ck_assert_str_eq(got.status, o.status);
	ck_assert_str_eq(got.message, o.message);
	ck_assert_uint_eq(got.input_count, 2);
	ck_assert_uint_eq(got.count, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(got.names[i], o.names[i]);
		ck_assert_uint_eq(got.hashes[i], o.hashes[i]);
		ck_assert_str_eq(got.figures[i].metric, o.figures[i].metric);
		ck_assert_str_eq(got.figures[i].unit, o.figures[i].unit);
		ck_assert_uint_eq(got.figures[i].rank, o.figures[i].rank);
		ck_assert_str_eq(got.figures[i].text, o.figures[i].text);
	}
	sweep_point_end(&got);
	sweep_point_end(&o);
	mem_free(bytes);
}
END_TEST

START_TEST(a_cut_parcel_is_an_error)
{
	struct sweep_outcome o, got;
	struct err err;
	size_t size;
	char *bytes;

	outcome(&o);
	bytes = sweep_point_pack(&o, &size);
	for (size_t n = 0; n < size; n++) {
		ck_assert_int_eq(sweep_point_unpack(bytes, n, &got, &err), ERR_SYNTAX);
		sweep_point_end(&got);
	}
	ck_assert_ptr_nonnull(strstr(err.msg, "another version"));
	sweep_point_end(&o);
	mem_free(bytes);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/sweep_point");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_parcel_holds_all);
	tcase_add_test(t, a_cut_parcel_is_an_error);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
