/* json_equal.c - does a JSON output say what a reference file says?
 *
 * Usage: json_equal [-k KEY]... [-a KEY] [-i KEY | --only KEY]... EXPECTED ACTUAL
 * Every key of EXPECTED (or of its member -k KEY, and of that one's member -k KEY) must be in ACTUAL (or its member
 * -a KEY) with an equal value; keys given with -i are left out, and said to be, or with --only all others. ACTUAL may have more
 * keys at the top, but not further down. Whole numbers must be equal, others to
 * 1e-9 of their size: the last digits of an interpolation depend on its order.
 * One line a key of the top; exit 1 if anything differs, 2 on unusable input.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/read_json.h"

#define PATH_TEXT   400
#define IGNORED_MAX 32
#define KEYS_MAX    4
#define TOLERANCE   1e-9

static int numbers_equal(double expected, double actual)
{
	if (expected == floor(expected) && fabs(expected) < 0x1p53)
		return fabs(actual - expected) <= TOLERANCE;
	return fabs(actual - expected) <= TOLERANCE * fmax(1.0, fabs(expected));
}

static int differs(const char *path, const cJSON *expected, const cJSON *actual)
{
	char *want = cJSON_PrintUnformatted(expected), *is = cJSON_PrintUnformatted(actual);

	printf("DIFFERS %s: expected %.200s, is %.200s\n", path, want != NULL ? want : "?",
	       is != NULL ? is : "absent");
	free(want);
	free(is);
	return 1;
}

static int compare(const char *path, const cJSON *expected, const cJSON *actual, int top);

static int compare_objects(const char *path, const cJSON *expected, const cJSON *actual, int top)
{
	char below[PATH_TEXT];
	const cJSON *item;
	int bad = 0;

	cJSON_ArrayForEach(item, expected)
	{
		snprintf(below, sizeof(below), "%s.%s", path, item->string);
		bad |= compare(below, item, cJSON_GetObjectItemCaseSensitive(actual, item->string),
			       0);
	}
	cJSON_ArrayForEach(item, actual)
	{
		snprintf(below, sizeof(below), "%s.%s", path, item->string);
		if (!top && cJSON_GetObjectItemCaseSensitive(expected, item->string) == NULL)
			bad |= differs(below, NULL, item);
	}
	return bad;
}

static int compare_arrays(const char *path, const cJSON *expected, const cJSON *actual)
{
	char below[PATH_TEXT];
	int bad = 0;

	if (cJSON_GetArraySize(expected) != cJSON_GetArraySize(actual))
		return differs(path, expected, actual);
	for (int i = 0; i < cJSON_GetArraySize(expected); i++) {
		snprintf(below, sizeof(below), "%s[%d]", path, i);
		bad |= compare(below, cJSON_GetArrayItem(expected, i),
			       cJSON_GetArrayItem(actual, i), 0);
	}
	return bad;
}

static int compare(const char *path, const cJSON *expected, const cJSON *actual, int top)
{
	if (actual == NULL || (expected->type & 0xff) != (actual->type & 0xff))
		return differs(path, expected, actual);
	if (cJSON_IsObject(expected))
		return compare_objects(path, expected, actual, top);
	if (cJSON_IsArray(expected))
		return compare_arrays(path, expected, actual);
	if (cJSON_IsNumber(expected) && !numbers_equal(expected->valuedouble, actual->valuedouble))
		return differs(path, expected, actual);
	if (cJSON_IsString(expected) && strcmp(expected->valuestring, actual->valuestring) != 0)
		return differs(path, expected, actual);
	return 0;
}

struct options {
	const char *keys[KEYS_MAX], *actual_key;
	int key_count;
	const char *ignored[IGNORED_MAX], *only[IGNORED_MAX];
	int ignored_count, only_count;
	const char *expected, *actual;
};

static int ignored(const struct options *options, const char *key)
{
	int wanted = options->only_count == 0;

	for (int i = 0; i < options->only_count; i++)
		wanted |= strcmp(options->only[i], key) == 0;
	if (!wanted)
		return 1;
	for (int i = 0; i < options->ignored_count; i++)
		if (strcmp(options->ignored[i], key) == 0)
			return 1;
	return 0;
}

static int compare_keys(const struct options *options, const cJSON *expected, const cJSON *actual)
{
	const cJSON *item;
	int bad = 0;

	cJSON_ArrayForEach(item, expected)
	{
		if (ignored(options, item->string)) {
			if (options->only_count == 0)
				printf("left out  %s\n", item->string);
			continue;
		}
		if (compare(item->string, item,
			    cJSON_GetObjectItemCaseSensitive(actual, item->string), 0) != 0)
			bad = 1;
		else
			printf("equal     %s\n", item->string);
	}
	return bad;
}

static void usage(void)
{
	fprintf(stderr, "usage: json_equal [-k KEY]... [-a KEY] [-i KEY | --only KEY]... EXPECTED "
			"ACTUAL\n");
	exit(2);
}

static void read_options(struct options *options, int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "-k") == 0 && options->key_count < KEYS_MAX)
			options->keys[options->key_count++] = argv[i + 1];
		else if (strcmp(argv[i], "-a") == 0)
			options->actual_key = argv[i + 1];
		else if (strcmp(argv[i], "-i") == 0 && options->ignored_count < IGNORED_MAX)
			options->ignored[options->ignored_count++] = argv[i + 1];
		else if (strcmp(argv[i], "--only") == 0 && options->only_count < IGNORED_MAX)
			options->only[options->only_count++] = argv[i + 1];
		else
			usage();
	}
	if (i + 2 != argc)
		usage();
	options->expected = argv[i];
	options->actual = argv[i + 1];
}

static const cJSON *member(const cJSON *file, const char *key, const char *path)
{
	const cJSON *item = key == NULL ? file : cJSON_GetObjectItemCaseSensitive(file, key);

	if (item == NULL) {
		fprintf(stderr, "%s: no member %s\n", path, key);
		exit(2);
	}
	return item;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	const cJSON *expected, *actual;
	cJSON *expected_file, *actual_file;
	int bad;

	read_options(&options, argc, argv);
	expected_file = read_json(options.expected);
	actual_file = read_json(options.actual);
	expected = expected_file;
	for (int i = 0; i < options.key_count; i++)
		expected = member(expected, options.keys[i], options.expected);
	actual = member(actual_file, options.actual_key, options.actual);
	if (cJSON_IsObject(expected))
		bad = compare_keys(&options, expected, actual);
	else
		bad = compare("$", expected, actual, 0);
	if (!cJSON_IsObject(expected) && !bad)
		printf("equal     all %d entries\n", cJSON_GetArraySize(expected));
	cJSON_Delete(expected_file);
	cJSON_Delete(actual_file);
	return bad;
}
