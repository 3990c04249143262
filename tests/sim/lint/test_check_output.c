/* test_check_output.c - one finding in each format, and none. */
#include "sim/lint/check_output.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct check_finding finding = {.kind = "advice",
					     .rule = "some-rule",
					     .text = "a.yaml:3:7: it is odd",
					     .sentence = "it is odd",
					     .fix = "mend \"it\"",
					     .file = "a.yaml",
					     .line = 3,
					     .column = 7};

static const struct {
	const char *format;
	bool put;
	const char *expected; /* without blanks between tokens of JSON */
} rows[] = {
	{NULL, true, "advice: a.yaml:3:7: it is odd\n    fix: mend \"it\"\n1 finding\n"},
	{"table", false, "1 finding\n"},
	{"json", true,
	 "{\"schemaVersion\":1,\"gqsim\":\"VERSION\",\"findings\":[{\"kind\":\"advice\",\"rule\":"
	 "\"some-rule\",\"text\":\"a.yaml:3:7: it is odd\",\"message\":\"it is "
	 "odd\",\"fix\":\"mend "
	 "\\\"it\\\"\",\"file\":\"a.yaml\",\"line\":3,\"column\":7}],\"exitCode\":1}"},
	{"json", false,
	 "{\"schemaVersion\":1,\"gqsim\":\"VERSION\",\"findings\":[],\"exitCode\":1}"},
	{"sarif", true,
	 "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
	 "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"gqsim\",\"version\":\"VERSION\"}},"
	 "\"results\":[{\"ruleId\":\"some-rule\",\"level\":\"note\",\"message\":{\"text\":\"it is "
	 "odd. Fix: mend \\\"it\\\"\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{"
	 "\"uri\":\"a.yaml\"},\"region\":{\"startLine\":3,\"startColumn\":7}}}]}],"
	 "\"invocations\":[{\"executionSuccessful\":true,\"exitCode\":1}]}]}"},
};

/* JSON without what is only layout. */
static void squeeze(char *text)
{
	char *to = text;
	bool quoted = false;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '"' && (at == text || at[-1] != '\\'))
			quoted = !quoted;
		if (quoted || (*at != ' ' && *at != '\n'))
			*to++ = *at;
	}
	*to = '\0';
}

static void name_version(char *text)
{
	char *at = strstr(text, "\"" GQSIM_VERSION "\"");

	ck_assert_ptr_nonnull(at);
	memmove(at + 9, at + strlen(GQSIM_VERSION) + 2, strlen(at + strlen(GQSIM_VERSION) + 2) + 1);
	memcpy(at, "\"VERSION\"", 9);
}

/* Which rules there are is said in each file; one is looked for. */
static void drop_rules(char *text)
{
	char *at = strstr(text, ",\"rules\":[{"), *end;

	if (at == NULL)
		return;
	ck_assert_ptr_nonnull(strstr(at, "{\"id\":\"quota-above-nodes\",\"shortDescription\":"));
	end = strchr(at, ']');
	memmove(at, end + 1, strlen(end + 1) + 1);
}

START_TEST(formats)
{
	struct check_output output;
	char *text = calloc(1, 16384);
	FILE *out = fmemopen(text, 16000, "w");

	ck_assert(check_output_begin(&output, rows[_i].format, out));
	if (rows[_i].put)
		check_output_put(&output, &finding);
	check_output_end(&output, "1 finding", 1);
	fclose(out);
	if (text[0] == '{') {
		squeeze(text);
		name_version(text);
		drop_rules(text);
	}
	ck_assert_str_eq(text, rows[_i].expected);
	free(text);
}
END_TEST

/* SARIF wants a reference, in which a name with blanks or colons is none. */
START_TEST(names_of_files_are_escaped)
{
	struct check_finding odd = finding;
	struct check_output output;
	char *text = calloc(1, 16384);
	FILE *out = fmemopen(text, 16000, "w");

	odd.file = "my files/a:b \xc3\xa4%.yaml";
	ck_assert(check_output_begin(&output, "sarif", out));
	check_output_put(&output, &odd);
	check_output_end(&output, NULL, 2);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "\"uri\": \"my%20files/a%3Ab%20%C3%A4%25.yaml\""));
	ck_assert_ptr_nonnull(strstr(text, "\"executionSuccessful\": false"));
	free(text);
}
END_TEST

START_TEST(no_such_format)
{
	struct check_output output;

	ck_assert(!check_output_begin(&output, "xml", stdout));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/lint/check_output");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, formats, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, names_of_files_are_escaped);
	tcase_add_test(t, no_such_format);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
