/* tie_ranges META SUMMARY... - random ties against those of the real scheduler.
 *
 * META is a golden's meta.json: ranges_over_seeds has, for every figure, the least
 * and greatest value that the real scheduler gave over its seeds. The summaries are
 * gqsim's, one a seed. Each figure's mean must lie within its range; how many
 * single values lie outside is printed: "outside total". A figure that is null in
 * a run (never finished) takes no part. Exit 1, with a line for each figure whose
 * mean is outside.
 */
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/conformance/read_json.h"

#define ROUNDED 1e-6 /* the recorded fractions have six decimals */

struct range {
	double low, high;
};

/* The figure over all runs; false if its mean is outside. */
static bool check(const char *figure, struct range range, cJSON *const *runs, int count,
		  long *outside, long *total)
{
	double sum = 0;
	int n = 0;

	for (int i = 0; i < count; i++) {
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(runs[i], figure);

		if (!cJSON_IsNumber(v))
			continue;
		sum += v->valuedouble;
		n++;
		*outside += v->valuedouble < range.low - ROUNDED ||
			    v->valuedouble > range.high + ROUNDED;
		++*total;
	}
	if (n == 0 || (sum / n >= range.low - ROUNDED && sum / n <= range.high + ROUNDED))
		return true;
	fprintf(stderr, "%s: mean %.3f of %d runs, recorded %.3f to %.3f\n", figure, sum / n, n,
		range.low, range.high);
	return false;
}

static bool check_all(const cJSON *ranges, cJSON *const *runs, int count)
{
	const cJSON *figure;
	long outside = 0, total = 0;
	bool ok = true;

	cJSON_ArrayForEach(figure, ranges)
	{
		struct range range;

		if (!cJSON_IsArray(figure) || cJSON_GetArraySize(figure) != 2)
			continue;
		range.low = cJSON_GetArrayItem(figure, 0)->valuedouble;
		range.high = cJSON_GetArrayItem(figure, 1)->valuedouble;
		ok = check(figure->string, range, runs, count, &outside, &total) && ok;
	}
	printf("%ld %ld\n", outside, total);
	return ok;
}

int main(int argc, char **argv)
{
	cJSON *meta = argc > 2 ? read_json(argv[1]) : NULL;
	cJSON **runs = argc > 2 ? calloc((size_t)argc, sizeof(cJSON *)) : NULL;
	bool ok;

	if (meta == NULL || runs == NULL) {
		fprintf(stderr, "usage: tie_ranges META SUMMARY...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		runs[i - 2] = read_json(argv[i]);
	}
	ok = check_all(cJSON_GetObjectItemCaseSensitive(meta, "ranges_over_seeds"), runs, argc - 2);
	for (int i = 2; i < argc; i++)
		cJSON_Delete(runs[i - 2]);
	free(runs);
	cJSON_Delete(meta);
	return ok ? 0 : 1;
}
