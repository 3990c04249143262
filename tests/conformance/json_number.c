/* json_number.c - one number of a JSON file, for the scripts in this folder.
 *
 * Usage: json_number FILE PATH, where PATH is keys and indices joined by dots.
 * Exit 2 if there is no number.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/read_json.h"

static const cJSON *step(const cJSON *from, const char *key)
{
	if (cJSON_IsArray(from))
		return cJSON_GetArrayItem(from, atoi(key));
	return cJSON_GetObjectItemCaseSensitive(from, key);
}

int main(int argc, char **argv)
{
	cJSON *root;
	const cJSON *at;
	char *rest = NULL;

	if (argc != 3) {
		fputs("usage: json_number FILE PATH\n", stderr);
		return 2;
	}
	at = root = read_json(argv[1]);
	for (char *key = strtok_r(argv[2], ".", &rest); key != NULL && at != NULL;
	     key = strtok_r(NULL, ".", &rest))
		at = step(at, key);
	if (!cJSON_IsNumber(at)) {
		fprintf(stderr, "%s: no such number\n", argv[1]);
		cJSON_Delete(root);
		return 2;
	}
	printf("%.15g\n", at->valuedouble);
	cJSON_Delete(root);
	return 0;
}
