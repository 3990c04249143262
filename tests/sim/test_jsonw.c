#include "sim/jsonw.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a report would be, without blanks and line ends. */
static char *written(void (*write)(struct jsonw *))
{
	char *text = NULL, *to;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct jsonw json;

	ck_assert_ptr_nonnull(f);
	jsonw_begin(&json, f);
	write(&json);
	jsonw_end(&json);
	fclose(f);
	ck_assert(size > 0 && text[size - 1] == '\n');
	to = text;
	for (const char *from = text; *from != '\0'; from++) {
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static void numbers(struct jsonw *json)
{
	jsonw_integer(json, "big", INT64_MAX);
	jsonw_integer(json, "small", INT64_MIN);
	jsonw_number(json, "tenth", 0.1);
	jsonw_number(json, "third", 1.0 / 3.0);
	jsonw_number(json, "never", (double)INFINITY);
	jsonw_number(json, "none", (double)NAN);
	jsonw_seconds(json, "s", 99500000);
	jsonw_seconds(json, "exact", INT64_C(9007199254740993001));
	jsonw_seconds(json, "no", CLOCK_NEVER);
}

START_TEST(integers_are_exact_and_what_is_no_number_is_null)
{
	char *text = written(numbers);

	ck_assert_str_eq(text, "{\"big\":9223372036854775807,\"small\":-9223372036854775808,"
			       "\"tenth\":0.1,\"third\":0.3333333333333333,\"never\":null,"
			       "\"none\":null,\"s\":99.5,\"exact\":9007199254740.993001,"
			       "\"no\":null}");
	free(text);
}
END_TEST

static void nested(struct jsonw *json)
{
	jsonw_array(json, "list");
	jsonw_text(json, NULL, "a\"b\\c");
	jsonw_object(json, NULL);
	jsonw_bool(json, "yes", true);
	jsonw_null(json, "nothing");
	jsonw_close_object(json);
	jsonw_close_array(json);
	jsonw_object(json, "empty");
	jsonw_close_object(json);
}

START_TEST(objects_and_arrays_nest_and_texts_are_escaped)
{
	char *text = written(nested);

	ck_assert_str_eq(text, "{\"list\":[\"a\\\"b\\\\c\",{\"yes\":true,\"nothing\":null}],"
			       "\"empty\":{}}");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jsonw");
	TCase *tc = tcase_create("jsonw");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, integers_are_exact_and_what_is_no_number_is_null);
	tcase_add_test(tc, objects_and_arrays_nest_and_texts_are_escaped);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
