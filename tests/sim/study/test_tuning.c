/* test_tuning.c - The tuned setting of plan against trying every pair of its levers. */
#include "sim/study/tuning.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/rng.h"
#include "tests/sim/objects_case.h"
#include "tests/support/command.h"

#define NODES "%/jobs.csv --nodes h100=4x8"
#define WORTH 1.02 /* less is not worth a lever, in each of two steps */

/* Three teams that want more than there is. */
static void write_input(uint64_t seed)
{
	struct rng *rng = rng_new(seed, "tuning");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "submit_s,duration_s,gpus,queue,namespace\n");
	for (int i = 0; i < 60; i++)
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",%d,%c,default\n", rng_below(rng, 40) * 100,
			300 + rng_below(rng, 20) * 100, 1 << rng_below(rng, 4),
			(char)('a' + rng_below(rng, 3)));
	fclose(out);
	command_file("jobs.csv", text);
	free(text);
	rng_free(rng);
}

static void add_sets(FILE *out, const cJSON *lever)
{
	const cJSON *set;

	cJSON_ArrayForEach(set, cJSON_GetObjectItem(lever, "set"))
		fprintf(out, " --set %s", set->valuestring);
}

/* The p95 wait under two levers. */
static double wait_under(const cJSON *a, const cJSON *b)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);
	struct command c;
	const char *at;
	double value;

	fprintf(out, "compare -p kueue -o csv %s", NODES);
	add_sets(out, a);
	add_sets(out, b);
	fclose(out);
	c = command_run(line);
	at = strstr(c.out, "start_wait_p95,seconds,");
	ck_assert_msg(c.code == 0 && at != NULL, "%s: %s", line, c.err);
	at += strcspn(at, "\n");
	while (at[-1] != ',')
		at--;
	value = strtod(at, NULL);
	command_free(&c);
	free(line);
	return value;
}

static bool is_first(const cJSON *lever)
{
	return cJSON_GetObjectItem(lever, "round")->valueint == 1 &&
	       cJSON_GetObjectItem(lever, "set") != NULL;
}

/* No pair of levers waits less than what is called the best. */
START_TEST(no_pair_is_better)
{
	struct command c;
	cJSON *plan;
	const cJSON *levers, *a, *b;
	double tuned;
	int pairs = 0;

	write_input((uint64_t)_i);
	c = command_run("plan -o json " NODES
			" --target p95-wait=1s --replications 0 --max-nodes 4");
	plan = cJSON_Parse(c.out);
	ck_assert_msg(plan != NULL, "%s", c.err);
	levers = cJSON_GetObjectItem(plan, "levers");
	tuned = cJSON_GetObjectItem(
			cJSON_GetObjectItem(cJSON_GetObjectItem(plan, "tuned"), "values_s"),
			"p95-wait")
			->valuedouble;
	cJSON_ArrayForEach(a, levers)
	{
		cJSON_ArrayForEach(b, levers)
		{
			if (!is_first(a) || !is_first(b) || a == b)
				continue;
			pairs++;
			ck_assert_double_le(tuned, WORTH * wait_under(a, b));
		}
	}
	ck_assert_int_ge(pairs, 6);
	cJSON_Delete(plan);
	command_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, no_pair_is_better, 1, 9);
	return objects_case_run("sim/study/tuning", t);
}
