/* read_json.h - a JSON file as a tree, for the programs in this folder; one that
 * cannot be read ends the program with exit 2. */
#ifndef TESTS_CONFORMANCE_READ_JSON_H
#define TESTS_CONFORMANCE_READ_JSON_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static cJSON *read_json(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, got = 1;
	cJSON *json;

	if (f == NULL) {
		perror(path);
		exit(2);
	}
	while (got > 0) {
		text = realloc(text, size + 65536);
		if (text == NULL)
			exit(71);
		got = fread(text + size, 1, 65536, f);
		size += got;
	}
	fclose(f);
	json = cJSON_ParseWithLength(text, size);
	free(text);
	if (json == NULL) {
		fprintf(stderr, "%s: not JSON\n", path);
		exit(2);
	}
	return json;
}

#endif
