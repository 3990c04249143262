/* observed.c - what the real Kueue did with a users' case, as expected.csv has it.
 *
 * Usage: observed kueue-observed.json
 * Prints "job,first_admit,last_admit,finish,evictions", a row a job; what never
 * happened (-1 in the file) is empty. Exit 2 on unusable input.
 */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "tests/conformance/read_json.h"

static int print_time(const cJSON *job, const char *name)
{
	const cJSON *at = cJSON_GetObjectItemCaseSensitive(job, name);

	if (!cJSON_IsNumber(at))
		return 2;
	if (at->valuedouble < 0)
		fputs(",", stdout);
	else
		printf(",%.15g", at->valuedouble);
	return 0;
}

static int print_job(const cJSON *job)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(job, "job");
	const cJSON *evictions = cJSON_GetObjectItemCaseSensitive(job, "evictions");
	int bad;

	if (!cJSON_IsString(name) || !cJSON_IsNumber(evictions))
		return 2;
	fputs(name->valuestring, stdout);
	bad = print_time(job, "first_admit") | print_time(job, "last_admit") |
	      print_time(job, "finish");
	printf(",%d\n", evictions->valueint);
	return bad;
}

int main(int argc, char **argv)
{
	cJSON *root = argc == 2 ? read_json(argv[1]) : NULL;
	const cJSON *jobs = cJSON_GetObjectItemCaseSensitive(root, "jobs"), *job;
	int bad = cJSON_IsArray(jobs) ? 0 : 2;

	puts("job,first_admit,last_admit,finish,evictions");
	cJSON_ArrayForEach(job, jobs) bad |= print_job(job);
	cJSON_Delete(root);
	return bad;
}
