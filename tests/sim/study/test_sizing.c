/* test_sizing.c - The answer of plan against trying every count of nodes. */
#include "sim/study/sizing.h"

#include <inttypes.h>

#include "core/rng.h"
#include "tests/sim/objects_case.h"
#include "tests/support/command.h"

/* A small random cluster with queues: seed -> jobs of one to eight GPUs in two teams. */
static void write_input(uint64_t seed)
{
	struct rng *rng = rng_new(seed, "sizing");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "submit_s,duration_s,gpus,queue,namespace\n");
	for (int i = 0; i < 60; i++)
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",%d,%s,default\n", rng_below(rng, 40) * 100,
			300 + rng_below(rng, 20) * 100, 1 << rng_below(rng, 4),
			rng_below(rng, 3) == 0 ? "a" : "b");
	fclose(out);
	command_file("jobs.csv", text);
	free(text);
	rng_free(rng);
}

static struct command plan(const char *more)
{
	char line[300];

	snprintf(line, sizeof(line), "plan %%/jobs.csv --nodes h100=1x8 --target p95-wait=10m %s",
		 more);
	return command_run(line);
}

/* The field of a JSON text, as a number. */
static double number_of(const char *json, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
	at = strstr(json, quoted);
	ck_assert_msg(at != NULL, "no %s in %s", key, json);
	return strtod(at + strlen(quoted), NULL);
}

/* The command that plan prints, as a shell would read it. */
static void command_of(const struct command *c, char line[2000])
{
	const char *start = strstr(c->out, "\"command\": \"gqsim ");

	ck_assert_msg(start != NULL, "%s", c->err);
	start += strlen("\"command\": \"gqsim ");
	snprintf(line, 2000, "%.*s -o csv", (int)strcspn(start, "\""), start);
	for (char *q = line; *q != '\0';)
		if (*q == '\'')
			memmove(q, q + 1, strlen(q));
		else
			q++;
}

/* The p95 wait in the last column of what compare prints; -1: never. */
static double wait_of(const char *line)
{
	struct command c = command_run(line);
	const char *at = strstr(c.out, "start_wait_p95,seconds,");
	double value;

	ck_assert_msg(c.code == 0 && at != NULL, "%s: %s", line, c.err);
	at += strcspn(at, "\n");
	while (at[-1] != ',')
		at--;
	value = *at == 'n' ? -1 : strtod(at, NULL);
	command_free(&c);
	return value;
}

static const char *const policies[] = {"kueue", "kubernetes"};

/* The command that plan prints gives the wait that plan prints; and with its setting, each
 * smaller count of nodes misses the target. */
START_TEST(the_first_of_all_counts)
{
	static const char key[] = "nodepool/h100:.count=";
	char more[100], line[2000], other[2100];
	struct command c;
	const char *answer, *count;
	double planned;
	uint32_t needed;

	write_input((uint64_t)_i / 2);
	snprintf(more, sizeof(more), "-o json --replications 0 --low-utilisation 0 -p %s",
		 policies[_i % 2]);
	c = plan(more);
	ck_assert_msg(c.code == 0, "%s", c.err);
	answer = strstr(c.out, "\"answer\": {");
	planned = number_of(strstr(answer, "\"values_s\""), "p95-wait");
	command_of(&c, line);
	ck_assert_double_eq(wait_of(line), planned);
	count = strstr(line, key);
	ck_assert_ptr_nonnull(count);
	count += strlen(key);
	needed = (uint32_t)strtoul(count, NULL, 10);
	ck_assert_uint_gt(needed, 1);
	for (uint32_t n = 1; n <= needed; n++) {
		double wait;

		snprintf(other, sizeof(other), "%.*s%u%s", (int)(count - line), line, n,
			 count + strspn(count, "0123456789"));
		wait = wait_of(other);
		ck_assert_msg((wait >= 0 && wait <= 600) == (n == needed), "%u of %u: %g", n,
			      needed, wait);
	}
	command_free(&c);
}
END_TEST

/* However many threads, the same bytes. */
START_TEST(threads_change_nothing)
{
	struct command one, three;

	write_input(7);
	one = plan("-j 1 -o json");
	three = plan("-j 3 -o json");
	ck_assert_int_eq(one.code, three.code);
	ck_assert_str_eq(one.out, three.out);
	command_free(&one);
	command_free(&three);
}
END_TEST

/* More nodes help nobody whose queue does not exist: that is what is said first. */
START_TEST(a_queue_that_is_missing_is_told)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("lost.csv", "submit_s,duration_s,gpus,queue,namespace\n"
				 "0,60,1,a,default\n0,60,1,c,default\n0,60,1,c,default\n");
	c = command_run("plan %/objects.yaml --trace %/lost.csv --target p95-wait=1m");
	ck_assert_int_eq(c.code, 1);
	ck_assert_msg(strstr(c.out, "Out of reach: 2 jobs name a queue that does not exist") !=
			      NULL,
		      "%s%s", c.out, c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_first_of_all_counts, 0, 16);
	tcase_add_test(t, threads_change_nothing);
	tcase_add_test(t, a_queue_that_is_missing_is_told);
	return objects_case_run("sim/study/sizing", t);
}
