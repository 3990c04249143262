/* test_cmd_merge.c - gqsim merge: shards joined, and what cannot be. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

#define SWEEP "sweep %/objects.yaml %/reclaim.csv "

static void shards(void)
{
	static const char *const lines[] = {SWEEP "--seeds 1..5 --shard 1/2 -o %/a.db",
					    SWEEP "--seeds 1..5 --shard 2/2 -o %/b.db",
					    SWEEP "--seeds 1..4 -o %/other.db"};

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	command_file("text.db", "no database\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct command c = command_run(lines[i]);

		ck_assert_msg(c.code == 0, "%s", c.err);
		command_free(&c);
	}
}

/* What lacks points is completed by the sweep. */
START_TEST(joins_over_one_of_its_parts)
{
	struct command c;

	shards();
	c = command_run("merge %/a.db -o %/all.db");
	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "all.db: 3 of 5 points, 0 failed\n"));
	command_free(&c);
	c = command_run(SWEEP "--seeds 1..5 -o %/all.db");
	ck_assert_ptr_nonnull(strstr(c.out, "2 run now, 3 there before"));
	command_free(&c);
	c = command_run("merge %/a.db %/b.db -o %/a.db");
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_ptr_nonnull(strstr(c.out, "a.db: 5 of 5 points, 0 failed\n"));
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} complaints[] = {
	{"merge", "gqsim merge A.db B.db -o ALL.db"},
	{"merge %/a.db", "-o ALL.db"},
	{"merge -o %/never.db", "gqsim merge A.db"},
	{"merge %/a.db %/none.db -o %/never.db", "none.db"},
	{"merge %/none.db %/a.db -o %/never.db", "none.db"},
	{"merge %/a.db %/text.db -o %/never.db", "text.db is no database of a sweep"},
	{"merge %/a.db %/other.db -o %/never.db", "other.db is of another sweep"},
	{"merge %/a.db -o %/no/never.db", "never.db"},
	{"merge %/a.db -o %/text.db", "text.db is no database of a sweep"},
	{"merge %/a.db -o %", "a database is a regular file"},
	{"merge %/a.db -o /dev/stdin", "a database is a regular file"},
};

START_TEST(complains_and_leaves_nothing_behind)
{
	struct command c;

	shards();
	c = command_run(complaints[_i].line);
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_msg(strstr(c.err, complaints[_i].says) != NULL, "%s", c.err);
	ck_assert_ptr_null(command_read("never.db"));
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_merge");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, joins_over_one_of_its_parts);
	tcase_add_loop_test(t, complains_and_leaves_nothing_behind, 0,
			    (int)(sizeof(complaints) / sizeof(complaints[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
