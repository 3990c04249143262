/* test_object_option.c - options in a document: kept as text, tried where they stand. */
#include "sim/objects/object_option.h"

#include "tests/sim/objects_case.h"

#define DOC(options) "apiVersion: gqsim/v1\nkind: Simulation\noptions: {" options "}\n"

START_TEST(kept_as_text)
{
	struct scenario *s = objects_case_load(DOC("seed: 5, strategy: 'MostAllocated:cpu=1'"));

	ck_assert_uint_eq(s->option_count, 2);
	ck_assert_str_eq(scenario_string(s, s->options[0]), "seed=5");
	ck_assert_str_eq(scenario_string(s, s->options[1]), "strategy=MostAllocated:cpu=1");
	scenario_free(s);
}
END_TEST

START_TEST(mistakes_are_told_at_the_value)
{
	char text[1200];
	struct objects_case c = objects_case(DOC("seed: -1"));

	ck_assert_int_eq(c.code, ERR_VALUE);
	ck_assert_msg(strstr(c.message, "t:3:17: ") == c.message, "%s", c.message);
	c = objects_case(DOC("colour: 1"));
	ck_assert_int_eq(c.code, ERR_UNKNOWN);
	snprintf(text, sizeof(text), DOC("seed: %01100d"), 1);
	c = objects_case(text);
	ck_assert_msg(strstr(c.message, "too long") != NULL, "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, kept_as_text);
	tcase_add_test(t, mistakes_are_told_at_the_value);
	return objects_case_run("sim/objects/object_option", t);
}
