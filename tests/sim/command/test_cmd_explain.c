/* test_cmd_explain.c - gqsim explain: text, JSON and complaints. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

static struct command run(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	return command_run(line);
}

#define FILES "%/objects.yaml %/reclaim.csv "

START_TEST(tells_why)
{
	struct command c = run("explain " FILES "big");

	ck_assert_int_eq(c.code, 0);
	ck_assert_int_eq(strncmp(c.out, "default/big (a, Kueue) at ", 26), 0);
	ck_assert_ptr_nonnull(
		strstr(c.out, "never: it asks for more than its queue could ever use"));
	ck_assert_ptr_nonnull(strstr(c.out, "The scheduler's words, ExceedsMaxQuota:"));
	ck_assert_ptr_nonnull(strstr(c.out, "would use 12 of 8"));
	ck_assert_ptr_nonnull(strstr(c.out, "The smallest change of quota that would admit it"));
	ck_assert_ptr_nonnull(strstr(c.out, "What happened to it:"));
	command_free(&c);
}
END_TEST

START_TEST(as_json)
{
	struct command c =
		run("explain " FILES "b1 -n default --at 103 -o json --eviction-delay 5");

	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "\"class\": \"until\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"state\": \"waiting\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"at_s\": 103"));
	ck_assert_ptr_nonnull(strstr(c.out, "until it took quota back: a2 was stopped for it"));
	command_free(&c);
}
END_TEST

START_TEST(before_its_start)
{
	struct command c = run("explain -p kubernetes " FILES "b1");

	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "(b, plain Kubernetes) before it started at 16m 40s: "
					    "waiting"));
	ck_assert_ptr_nonnull(strstr(c.out, "until a1 finished; it started at 16m 40s"));
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"explain", "gqsim explain FILE... JOB"},
	{"explain %/objects.yaml", "gqsim explain FILE... JOB"},
	{"explain " FILES "big -n nowhere", "no job \"big\""},
	{"explain " FILES "bigg", "did you mean \"big\"?"},
	{"explain " FILES "big --at noon", "--at noon"},
	{"explain " FILES "big -o yaml", "text and json"},
	{"explain " FILES "big -p keue", "did you mean \"kueue\"?"},
};

START_TEST(complains)
{
	struct command c = run(wrong[_i].line);

	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_explain");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, tells_why);
	tcase_add_test(t, as_json);
	tcase_add_test(t, before_its_start);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
