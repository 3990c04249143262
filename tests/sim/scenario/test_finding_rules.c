/* test_finding_rules.c - names of rules, which filters and SARIF go by. */
#include "sim/scenario/finding_rules.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(names_are_unique_and_plain)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz-";
	const struct finding_rule_row *rows = finding_rules();

	for (size_t i = 0; rows[i].name != NULL; i++) {
		ck_assert_uint_eq(strspn(rows[i].name, allowed), strlen(rows[i].name));
		ck_assert_uint_gt(strlen(rows[i].what), 0);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(rows[i].name, rows[k].name);
	}
}
END_TEST

START_TEST(whole_names_are_found)
{
	ck_assert(finding_rules_has("no-queue-name", 13));
	ck_assert(finding_rules_has("no-queue-name,advice", 13));
	ck_assert(!finding_rules_has("no-queue-name", 12));
	ck_assert(!finding_rules_has("no-queue-names", 14));
	ck_assert(!finding_rules_has("", 0));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/scenario/finding_rules");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, names_are_unique_and_plain);
	tcase_add_test(t, whole_names_are_found);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
