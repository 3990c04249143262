/* test_tally.c - what repeats is told once, with its number. */
#include "sim/load/tally.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

START_TEST(counts)
{
	struct builder *builder = builder_new();
	struct tally *tally = tally_new();
	struct scenario *s = NULL;
	struct err err;

	tally_add(tally, FINDING_NOT_MODELLED, (struct place){"f", 3, 1}, "b");
	tally_add(tally, FINDING_NOTE, (struct place){"f", 4, 1}, "a");
	tally_add(tally, FINDING_NOT_MODELLED, (struct place){"f", 5, 1}, "b");
	tally_report(tally, builder);
	tally_free(tally);
	tally_free(NULL);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->finding_count, 2);
	ck_assert_int_eq(s->findings[0].kind, FINDING_NOT_MODELLED);
	ck_assert_str_eq(scenario_string(s, s->findings[0].text), "f:3:1: b (2 times)");
	ck_assert_int_eq(s->findings[1].kind, FINDING_NOTE);
	ck_assert_str_eq(scenario_string(s, s->findings[1].text), "f:4:1: a");
	scenario_free(s);
}
END_TEST

static const struct {
	bool apart;
	uint32_t count;
	const char *findings[3];
} lists[] = {
	{false, 3, {"f:1:1: A (2 times), B, C (3 times): gone"}},
	{true, 3, {"f:1:1: A: gone (2 times)", "f:2:1: B: gone", "f:3:1: C: gone (3 times)"}},
	{false, 1, {"f:1:1: A: gone (2 times)"}},
	{false, 0, {NULL}},
};

START_TEST(together)
{
	static const char *const names[] = {"A", "B", "C"};
	static const uint32_t times[] = {2, 1, 3};
	struct builder *builder = builder_new();
	struct tally *tally = tally_new();
	struct scenario *s = NULL;
	uint32_t n = 0;
	struct err err;

	for (uint32_t i = 0; i < lists[_i].count; i++)
		for (uint32_t k = 0; k < times[i]; k++)
			tally_add(tally, FINDING_NOT_MODELLED, (struct place){"f", i + 1, 1},
				  names[i]);
	tally_report_together(tally, builder, "gone", lists[_i].apart);
	tally_free(tally);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	for (; n < 3 && lists[_i].findings[n] != NULL; n++)
		ck_assert_str_eq(scenario_string(s, s->findings[n].text), lists[_i].findings[n]);
	ck_assert_uint_eq(s->finding_count, n);
	scenario_free(s);
}
END_TEST

START_TEST(very_many_together)
{
	struct builder *builder = builder_new();
	struct tally *tally = tally_new();
	struct scenario *s = NULL;
	struct err err;
	char name[64];

	for (uint32_t i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "AKindWithALongName%u", i);
		tally_add(tally, FINDING_NOT_MODELLED, (struct place){"f", 1, 1}, name);
	}
	tally_report_together(tally, builder, "gone", false);
	tally_free(tally);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_ptr_nonnull(strstr(scenario_string(s, s->findings[0].text), " ...: gone"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, counts);
	tcase_add_test(t, very_many_together);
	tcase_add_loop_test(t, together, 0, ROWS(lists));
	return objects_case_run("sim/load/tally", t);
}
