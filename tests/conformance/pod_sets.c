/* pod_sets.c - the jobs that gqsim makes of manifests, pod set by pod set.
 *
 * Usage: pod_sets FILE
 * Prints "job,pod_set,pods,requests" without a head, a row a pod set: jobs are counted
 * from 1 in input order, requests are what Kueue counts of one pod ("cpu=500m
 * memory=1Gi"), in the order of their names. Exit 2 if the file does not load.
 */
#include <stdio.h>
#include <string.h>

#include "core/num.h"
#include "core/res.h"
#include "core/sort.h"
#include "sim/input/input.h"

static int compare_names(const void *a, const void *b, void *context)
{
	return strcmp(name_text(context, *(const uint32_t *)a),
		      name_text(context, *(const uint32_t *)b));
}

static void print_requests(const struct scenario *s, const struct pod_shape *shape)
{
	uint32_t order[RES_MAX], count = 0;
	char text[NUM_QUANTITY_TEXT];

	for (uint32_t r = 0; r < name_count(s->resources); r++) {
		if (r != RES_PODS && (pod_shape_counts(shape) >> r & 1) != 0)
			order[count++] = r;
	}
	sort_stable(order, count, sizeof(*order), compare_names, s->resources);
	for (uint32_t i = 0; i < count; i++) {
		enum num_style style = order[i] == RES_CPU	? NUM_MILLI
				       : order[i] == RES_MEMORY ? NUM_BINARY
								: NUM_DECIMAL;

		printf("%s%s=%s", i > 0 ? " " : "", name_text(s->resources, order[i]),
		       num_format_quantity(pod_shape_counted(shape)[order[i]], style, text));
	}
}

int main(int argc, char **argv)
{
	const char *files[] = {argc == 2 ? argv[1] : NULL};
	const struct input_request request = {.files = files, .file_count = 1};
	struct scenario *s = NULL;
	struct err err = {.code = ERR_OK};
	char text[1024];

	if (argc != 2 || input_load(&request, &s, NULL, &err) != ERR_OK) {
		err_format(&err, text, sizeof(text));
		fprintf(stderr, "pod_sets: %s\n", argc == 2 ? text : "usage: pod_sets FILE");
		return 2;
	}
	for (uint32_t i = 0; i < s->job_count; i++) {
		for (uint32_t k = 0; k < s->jobs[i].common->pod_set_count; k++) {
			const struct pod_set *set =
				&s->pod_sets[s->jobs[i].common->first_pod_set + k];

			printf("%u,%s,%u,", i + 1, scenario_string(s, set->name), set->count);
			print_requests(s, &s->shapes[set->shape]);
			putchar('\n');
		}
	}
	scenario_free(s);
	return 0;
}
