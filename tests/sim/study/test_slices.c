/* test_slices.c - Jobs that a slice of a GPU would do for, and GPUs to cut for them; what is
 * set then is tested with the levers. */
#include "sim/study/slices.h"

#include "tests/sim/objects_case.h"

#define POOL(name, gpus)                                                                           \
	"apiVersion: gqsim/v1\nkind: Simulation\nnodePools: [{name: " name ", count: 3, gpus: "    \
	"" gpus "}]\njobs:\n"

/* Sixteen at once, then two hours of one at a time. */
static const char jobs[] =
	"- {name: a, count: 16, namespace: m, duration: 1h, gpus: 1, gpuUtilisation: 14}\n"
	"- {name: b, count: 5, submitAt: 1h, every: 1h, namespace: m, duration: 1h, gpus: 1, "
	"gpuUtilisation: 1}\n"
	"- {name: busy, count: 9, namespace: m, duration: 1h, gpus: 1, gpuUtilisation: 15}\n"
	"- {name: wide, count: 9, namespace: m, duration: 1h, gpus: 2, gpuUtilisation: 1}\n"
	"- {name: endless, namespace: m, duration: endless, gpus: 1, gpuUtilisation: 1}\n";

static const char *find(const char *head, const char *tail, struct slices *out,
			struct mem_arena *arena)
{
	char text[4000];
	struct scenario *s;

	snprintf(text, sizeof(text), "%s%s", head, tail);
	s = objects_case_load(text);
	slices_find(arena, s, false, out);
	scenario_free(s);
	return out->absent;
}

START_TEST(for_the_peak_or_the_mean)
{
	struct mem_arena *arena = mem_arena_new();
	struct slices out;

	ck_assert_ptr_null(find(POOL("h100", "8"), jobs, &out, arena));
	ck_assert_str_eq(out.profile, "1g.10gb");
	ck_assert_uint_eq(out.jobs, 21);
	ck_assert_int_eq(out.most, 3 * 7);
	ck_assert_uint_eq(out.queue_count, 1);
	ck_assert_int_eq(out.queues[0].peak, 16);
	ck_assert_double_eq_tol(out.queues[0].mean, 21.0 / 5, 1e-9); /* the last comes at 5 h */
	ck_assert_int_eq(slices_gpus(&out.queues[0], true), 3);	     /* 16 slices */
	ck_assert_int_eq(slices_gpus(&out.queues[0], false), 1);     /* a third more than 4.2 */
	mem_arena_free(arena);
}
END_TEST

START_TEST(says_why_not)
{
	static const char busy[] = "- {name: a, namespace: m, duration: 1h, gpus: 1}\n";
	struct mem_arena *arena = mem_arena_new();
	struct slices out;

	ck_assert_str_eq(find(POOL("h100", "8"), busy, &out, arena),
			 "no job of one GPU says that a seventh of it is enough (gpuUtilisation)");
	ck_assert_ptr_nonnull(
		strstr(find(POOL("h100", "1"), jobs, &out, arena), "no pool of nodes"));
	ck_assert_ptr_nonnull(
		strstr(find(POOL("v100", "8"), jobs, &out, arena), "no pool of nodes"));
	mem_arena_free(arena);
}
END_TEST

/* No more than a queue has. */
START_TEST(one_gpu_of_a_queue_stays_whole)
{
	struct slices_queue queue = {.queue = 0, .peak = 70, .mean = 70, .nominal = 4};

	ck_assert_int_eq(slices_gpus(&queue, true), 3);
	queue.nominal = 40;
	ck_assert_int_eq(slices_gpus(&queue, true), 10);
	ck_assert_int_eq(slices_gpus(&queue, false), 10); /* the mean is no more than the peak */
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, for_the_peak_or_the_mean);
	tcase_add_test(t, says_why_not);
	tcase_add_test(t, one_gpu_of_a_queue_stays_whole);
	return objects_case_run("sim/study/slices", t);
}
