/* openb_arrivals.c - the arrivals of Weng et al. (ATC'23) out of a list of openb's pods.
 *
 * The pods of the list in random order, then pods drawn from the list one by one, until
 * the next one would bring the GPUs asked for above a total. All come at once and stay:
 * without times the loader reads it so.
 *
 * Usage: openb_arrivals PODS THOUSANDTHS-OF-GPUS SEED, the list on standard output. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/num.h"
#include "core/rng.h"
#include "sim/tool/csv.h"
#include "sim/tool/source.h"

enum { NAME, CPU, MEMORY, GPUS, MILLI, SPEC, COLUMNS };

static const struct csv_column columns[COLUMNS] = {
	[NAME] = {{"name"}, true},	   [CPU] = {{"cpu_milli"}, true},
	[MEMORY] = {{"memory_mib"}, true}, [GPUS] = {{"num_gpu"}, true},
	[MILLI] = {{"gpu_milli"}, true},   [SPEC] = {{"gpu_spec"}, true},
};

struct pod {
	struct csv_field fields[COLUMNS]; /* slices of the source: openb quotes nothing */
	int64_t gpus, milli;
};

struct list {
	struct pod *pods;
	size_t count, capacity;
};

static bool read_pod(const struct csv *csv, const uint32_t *index, struct pod *pod)
{
	for (int i = 0; i < COLUMNS; i++)
		pod->fields[i] = csv_get(csv, index[i]);
	return num_read_i64(pod->fields[GPUS].text, pod->fields[GPUS].len, &pod->gpus) &&
	       num_read_i64(pod->fields[MILLI].text, pod->fields[MILLI].len, &pod->milli);
}

static enum err_code read_list(const struct source *source, struct list *list, struct err *err)
{
	struct csv csv;
	uint32_t index[COLUMNS];
	enum err_code code;
	bool more = true;

	csv_init(&csv, source->name, source->data, source->size);
	code = csv_header(&csv, columns, COLUMNS, index, err);
	while (code == ERR_OK && more) {
		struct pod pod;

		code = csv_row(&csv, &more, err);
		if (code != ERR_OK || !more)
			break;
		if (!read_pod(&csv, index, &pod)) {
			code = err_set(err, ERR_VALUE, source->name, (uint32_t)csv.line, 1,
				       "the GPUs of this pod are not whole numbers");
			break;
		}
		list->pods =
			mem_grow(list->pods, list->count + 1, &list->capacity, sizeof(*list->pods));
		list->pods[list->count++] = pod;
	}
	csv_free(&csv);
	return code;
}

static void print_pod(const struct pod *pod, size_t number)
{
	printf("%.*s-%zu", (int)pod->fields[NAME].len, pod->fields[NAME].text, number);
	for (int i = NAME + 1; i < COLUMNS; i++)
		printf(",%.*s", (int)pod->fields[i].len, pod->fields[i].text);
	putchar('\n');
}

static void print_arrivals(const struct list *list, int64_t target, struct rng *rng)
{
	uint32_t *order = rng_order(rng, (uint32_t)list->count);
	size_t number = 0;
	int64_t total = 0;

	puts("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec");
	for (; number < list->count; number++) {
		const struct pod *pod = &list->pods[order[number]];

		total += pod->gpus * pod->milli;
		print_pod(pod, number);
	}
	for (;; number++) {
		const struct pod *pod = &list->pods[rng_below(rng, list->count)];

		total += pod->gpus * pod->milli;
		if (total > target)
			break;
		print_pod(pod, number);
	}
	mem_free(order);
}

static int run(const char *path, int64_t target, uint64_t seed)
{
	struct source source;
	struct list list = {.pods = NULL};
	struct err err;
	enum err_code code = source_read(path, &source, &err);
	char text[1024];

	if (code == ERR_OK) {
		struct rng *rng = rng_new(seed, "openb-arrivals");

		code = read_list(&source, &list, &err);
		if (code == ERR_OK && list.count > 0)
			print_arrivals(&list, target, rng);
		rng_free(rng);
		source_close(&source);
	}
	mem_free(list.pods);
	if (code == ERR_OK && list.count > 0)
		return 0;
	if (code == ERR_OK)
		snprintf(text, sizeof(text), "%s: no pods", path);
	else
		err_format(&err, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	return 2;
}

int main(int argc, char **argv)
{
	int64_t target, seed;

	if (argc != 4 || !num_read_i64(argv[2], strlen(argv[2]), &target) ||
	    !num_read_i64(argv[3], strlen(argv[3]), &seed)) {
		fprintf(stderr, "usage: openb_arrivals PODS THOUSANDTHS-OF-GPUS SEED\n");
		return 2;
	}
	return run(argv[1], target, (uint64_t)seed);
}
