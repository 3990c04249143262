/* objects_case.h - objects in a string, made a scenario: what the tests of the
 * objects files share. */
#ifndef TESTS_SIM_OBJECTS_CASE_H
#define TESTS_SIM_OBJECTS_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/load/join.h"
#include "sim/objects/objects.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define NANO	    INT64_C(1000000000)

struct objects_case {
	struct scenario *s; /* NULL: error */
	struct err err;
	enum err_code code;
	char message[1200]; /* as it would be printed */
};

static inline enum err_code objects_case_read(struct builder *builder, const char *text, size_t len,
					      bool strict, struct err *err)
{
	const struct source source = {.name = "t", .data = text, .size = len};
	struct objects *objects = objects_new(builder, strict);
	enum err_code code;

	builder_strict(builder, strict);
	code = objects_read(objects, &source, err);
	if (code == ERR_OK)
		code = objects_join(objects, err);
	objects_finish(objects);
	objects_free(objects);
	return code;
}

static inline struct objects_case objects_case_bytes(const char *text, size_t len, bool strict)
{
	struct objects_case c = {.s = NULL};
	struct builder *builder = builder_new();

	c.code = objects_case_read(builder, text, len, strict, &c.err);
	if (c.code == ERR_OK)
		c.code = builder_finish(builder, &c.s, &c.err);
	else
		builder_free(builder);
	if (c.code != ERR_OK)
		err_format(&c.err, c.message, sizeof(c.message));
	return c;
}

static inline struct objects_case objects_case(const char *text)
{
	return objects_case_bytes(text, strlen(text), false);
}

/* It must load. */
static inline struct scenario *objects_case_load(const char *text)
{
	struct objects_case c = objects_case(text);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	return c.s;
}

/* It must fail, with this message. */
static inline void objects_case_fails(const char *text, const char *message)
{
	struct objects_case c = objects_case(text);

	ck_assert_msg(c.code != ERR_OK, "read, but should be: %s", message);
	ck_assert_str_eq(c.message, message);
}

/* The first finding that has these words; NULL. */
static inline const char *objects_case_finding(const struct scenario *s, const char *words)
{
	for (uint32_t i = 0; i < s->finding_count; i++) {
		const char *text = scenario_string(s, s->findings[i].text);

		if (strstr(text, words) != NULL)
			return text;
	}
	return NULL;
}

/* Findings that every command tells, not only check. */
static inline uint32_t objects_case_findings(const struct scenario *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->finding_count; i++)
		count += s->findings[i].kind != FINDING_ADVICE;
	return count;
}

static inline uint32_t objects_case_string(const struct scenario *s, const char *text)
{
	uint32_t string = name_find(s->strings, text);

	ck_assert_msg(string != NAME_NONE, "no string \"%s\"", text);
	return string;
}

/* A resource that the input names. */
static inline uint32_t objects_case_resource(const struct scenario *s, const char *text)
{
	uint32_t resource = name_find(s->resources, text);

	ck_assert_msg(resource != NAME_NONE, "no resource \"%s\"", text);
	return resource;
}

/* "-" for NAME_NONE. */
static inline const char *objects_case_text(const struct scenario *s, uint32_t string)
{
	return string == NAME_NONE ? "-" : scenario_string(s, string);
}

/* What gqsim makes of a field that Kueue knows. */
enum objects_case_class {
	MODELLED,
	HARMLESS, /* it decides nothing that gqsim shows */
	NOT_MODELLED,
};

struct objects_case_field {
	const char *key;
	enum objects_case_class class;
	const char *text; /* an object; the first % stands for the key */
};

static inline struct objects_case objects_case_spelt(const struct objects_case_field *row,
						     const char *end)
{
	const char *at = strchr(row->text, '%');
	char text[1500];

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s%s", (int)(at - row->text), row->text, row->key, end,
		 at + 1);
	return objects_case_bytes(text, strlen(text), true);
}

/* Spelt right it is read, and told if it is not modelled; spelt wrong it is told with
 * its place and the right spelling. */
static inline void objects_case_field(const struct objects_case_field *row)
{
	struct objects_case right = objects_case_spelt(row, "");
	struct objects_case wrong = objects_case_spelt(row, "Z");
	char hint[100];

	if (row->class == NOT_MODELLED)
		ck_assert_msg(right.code != ERR_OK && strstr(right.message, "not modelled") != NULL,
			      "%s: %s", row->key, right.message);
	else
		ck_assert_msg(right.code == ERR_OK, "%s: %s", row->key, right.message);
	snprintf(hint, sizeof(hint), "did you mean \"%s\"?", row->key);
	ck_assert_msg(wrong.code != ERR_OK && strncmp(wrong.message, "t:", 2) == 0 &&
			      strstr(wrong.message, "unknown field") != NULL &&
			      strstr(wrong.message, hint) != NULL,
		      "%s: %s", row->key, wrong.message);
	if (right.s != NULL)
		scenario_free(right.s);
	if (wrong.s != NULL)
		scenario_free(wrong.s);
}

static inline int objects_case_run(const char *name, TCase *tests)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
