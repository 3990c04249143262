/* test_tally.c - what repeats is told once, with its number. */
#include "sim/tally.h"

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

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, counts);
	return objects_case_run("sim/tally", t);
}
