/* test_jsonw.c - What is written reads back: exact integers, exact times, no NaN. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tool/jsonw.h"

static char *write_all(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct jsonw json;

	jsonw_begin(&json, memory);
	jsonw_integer(&json, "big", INT64_C(9007199254740993)); /* no double has it */
	jsonw_integer(&json, "small", INT64_MIN);
	jsonw_seconds(&json, "time", INT64_C(123456789012345));
	jsonw_seconds(&json, "never", CLOCK_NEVER);
	jsonw_number(&json, "tenth", 0.1);
	jsonw_number(&json, "infinite", (double)INFINITY);
	jsonw_number(&json, "none", (double)NAN);
	jsonw_text(&json, "quo\"ted", "a\\b\n\t\x01");
	jsonw_bool(&json, "yes", true);
	jsonw_null(&json, "nothing");
	jsonw_array(&json, "list");
	jsonw_object(&json, NULL);
	jsonw_integer(&json, "n", 1);
	jsonw_close_object(&json);
	jsonw_text(&json, NULL, "two");
	jsonw_close_array(&json);
	jsonw_object(&json, "empty");
	jsonw_close_object(&json);
	jsonw_end(&json);
	fclose(memory);
	return text;
}

/* Without blanks and line breaks outside of texts. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
	}
	*to = '\0';
}

START_TEST(every_value_is_exact)
{
	char *text = write_all();

	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	squeeze(text);
	ck_assert_str_eq(text, "{\"big\":9007199254740993,\"small\":-9223372036854775808,"
			       "\"time\":123456789.012345,\"never\":null,\"tenth\":0.1,"
			       "\"infinite\":null,\"none\":null,"
			       "\"quo\\\"ted\":\"a\\\\b\\n\\t\\u0001\",\"yes\":true,"
			       "\"nothing\":null,\"list\":[{\"n\":1},\"two\"],\"empty\":{}}");
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/jsonw");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, every_value_is_exact);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
