/* test_draft.c - records in input order, packed places, the index of names. */
#include "sim/scenario/draft.h"

#include "tests/sim/objects_case.h"

START_TEST(index_finds_what_was_put)
{
	struct draft_index index;

	draft_index_init(&index, 0);
	for (uint32_t i = 0; i < 5000; i++) /* grows several times */
		ck_assert_uint_eq(draft_index_put(&index, i % 100, i / 100, i, false), NAME_NONE);
	ck_assert_uint_eq(index.count, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		ck_assert_uint_eq(draft_index_get(&index, i % 100, i / 100), i);
	ck_assert_uint_eq(draft_index_get(&index, 100, 0), NAME_NONE);
	ck_assert_uint_eq(draft_index_get(&index, 0, NAME_NONE), NAME_NONE);
	draft_index_free(&index);
}
END_TEST

START_TEST(index_keeps_or_replaces)
{
	struct draft_index index;

	draft_index_init(&index, 1);
	ck_assert_uint_eq(draft_index_put(&index, 7, 8, 1, false), NAME_NONE);
	ck_assert_uint_eq(draft_index_put(&index, 7, 8, 2, false), 1);
	ck_assert_uint_eq(draft_index_get(&index, 7, 8), 1);
	ck_assert_uint_eq(draft_index_put(&index, 7, 8, 3, true), 1);
	ck_assert_uint_eq(draft_index_get(&index, 7, 8), 3);
	ck_assert_uint_eq(index.count, 1);
	draft_index_free(&index);
}
END_TEST

START_TEST(records)
{
	struct builder *builder = builder_new();
	struct local_queue queue = {.name = 3, .ns = 4};
	const struct draft_list *list = &builder->lists[KIND_LOCAL_QUEUE];

	draft_add(builder, KIND_LOCAL_QUEUE, &queue, (struct place){"f", 1, 2}, KIND_ALWAYS);
	queue.name = 5;
	draft_add(builder, KIND_LOCAL_QUEUE, &queue, (struct place){"g", 3, 4}, 9);
	ck_assert_uint_eq(list->count, 2);
	ck_assert_uint_eq(draft_name(draft_record(list, KIND_LOCAL_QUEUE, 0)), 3);
	ck_assert_uint_eq(draft_name(draft_record(list, KIND_LOCAL_QUEUE, 1)), 5);
	ck_assert_uint_eq(draft_ns(KIND_LOCAL_QUEUE, draft_record(list, KIND_LOCAL_QUEUE, 1)), 4);
	ck_assert_uint_eq(draft_ns(KIND_COHORT, draft_record(list, KIND_LOCAL_QUEUE, 1)),
			  NAME_NONE);
	ck_assert_uint_eq(list->meta[1].order, 1);
	ck_assert_int_eq(list->meta[1].at, 9);
	ck_assert_str_eq(list->meta[1].where.file, "g");
	builder_free(builder);
}
END_TEST

START_TEST(places)
{
	static const char one[] = "one.csv", two[] = "two.csv";
	struct builder *builder = builder_new();
	const struct job_common common = {.queue = NAME_NONE};
	const struct job job = {.name = NAME_NONE, .common = &common};
	struct place place;

	builder_job(builder, &job, (struct place){one, 10, 2});
	builder_job(builder, &job, (struct place){0});
	builder_job(builder, &job, (struct place){two, 4000000000, 7});
	ck_assert_uint_eq(builder->file_count, 2);
	place = draft_job_place(builder, 0);
	ck_assert_ptr_eq(place.file, one);
	ck_assert_int_eq(place.line, 10);
	ck_assert_ptr_null(draft_job_place(builder, 1).file);
	place = draft_job_place(builder, 2);
	ck_assert_ptr_eq(place.file, two);
	ck_assert_int_eq(place.line, 4000000000);
	ck_assert_int_eq(place.column, 7);
	builder_free(builder);
}
END_TEST

START_TEST(findings)
{
	struct builder *builder = builder_new();

	draft_finding(builder, FINDING_NOTE, (struct place){"f", 3, 0}, "%d things", 2);
	draft_finding(builder, FINDING_WARNING, (struct place){0}, "none");
	ck_assert_uint_eq(builder->finding_count, 2);
	ck_assert_int_eq(builder->findings[0].kind, FINDING_NOTE);
	ck_assert_str_eq(name_text(builder->strings, builder->findings[0].text), "f:3: 2 things");
	ck_assert_str_eq(name_text(builder->strings, builder->findings[1].text), "none");
	builder_free(builder);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, index_finds_what_was_put);
	tcase_add_test(t, index_keeps_or_replaces);
	tcase_add_test(t, records);
	tcase_add_test(t, places);
	tcase_add_test(t, findings);
	return objects_case_run("sim/scenario/draft", t);
}
