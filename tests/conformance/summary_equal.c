/* summary_equal EXPECTED GOT - do two summary.json have the same figures?
 *
 * Compares the figures that golden/kube-scheduler/README.md names; says the
 * first difference in one line, or nothing. Exit 0 equal, 1 different, 2 unreadable.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/read_json.h"

static bool equal(const cJSON *a, const cJSON *b)
{
	if (a == NULL || cJSON_IsNull(a))
		return b == NULL || cJSON_IsNull(b);
	return cJSON_IsNumber(a) && cJSON_IsNumber(b) &&
	       fabs(a->valuedouble - b->valuedouble) < 1e-6;
}

static bool same(const char *who, const char *key, const cJSON *want, const cJSON *got)
{
	const cJSON *a = cJSON_GetObjectItemCaseSensitive(want, key);
	const cJSON *b = cJSON_GetObjectItemCaseSensitive(got, key);

	if (equal(a, b))
		return true;
	printf("summary.json: %s%s: expected %.6f, got %.6f\n", who, key,
	       cJSON_IsNumber(a) ? a->valuedouble : (double)NAN,
	       cJSON_IsNumber(b) ? b->valuedouble : (double)NAN);
	return false;
}

static const cJSON *job_named(const cJSON *jobs, const char *name)
{
	const cJSON *job;

	cJSON_ArrayForEach(job, jobs)
	{
		const cJSON *n = cJSON_GetObjectItemCaseSensitive(job, "name");

		if (cJSON_IsString(n) && strcmp(n->valuestring, name) == 0)
			return job;
	}
	return NULL;
}

static bool same_jobs(const cJSON *want, const cJSON *got)
{
	static const char *const keys[] = {"submit_s", "start_s", "finish_s",
					   "wait_s",   "pods",	  "placed_pods"};
	const cJSON *jobs = cJSON_GetObjectItemCaseSensitive(got, "per_job");
	const cJSON *job;

	cJSON_ArrayForEach(job, cJSON_GetObjectItemCaseSensitive(want, "per_job"))
	{
		const char *name = cJSON_GetObjectItemCaseSensitive(job, "name")->valuestring;
		const cJSON *other = job_named(jobs, name);
		char who[300];

		if (other == NULL) {
			printf("summary.json: no job %s\n", name);
			return false;
		}
		snprintf(who, sizeof(who), "job %s: ", name);
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			if (!same(who, keys[k], job, other))
				return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static const char *const keys[] = {"gpu_s_allocated",
					   "gpu_s_idle_while_held",
					   "gpu_s_free",
					   "gpu_s_lost_to_preemption",
					   "makespan_s",
					   "end_s",
					   "jobs",
					   "jobs_finished",
					   "pods_placed",
					   "preempted_pods",
					   "failed_attempts"};
	cJSON *want = argc == 3 ? read_json(argv[1]) : NULL;
	cJSON *got = want != NULL ? read_json(argv[2]) : NULL;
	bool ok = true;

	if (got == NULL) {
		fprintf(stderr, "usage: summary_equal EXPECTED GOT\n");
		cJSON_Delete(want);
		return 2;
	}
	for (size_t k = 0; ok && k < sizeof(keys) / sizeof(keys[0]); k++)
		ok = same("", keys[k], want, got);
	ok = ok && same_jobs(want, got);
	cJSON_Delete(want);
	cJSON_Delete(got);
	return ok ? 0 : 1;
}
