#include "sim/engine/deadlock.h"

#include <check.h>

#include "core/rng.h"
#include "sim/scenario/profile.h"
#include "tests/sim/constraint_case.h"
#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const struct {
	const char *name;
	uint32_t node_count;
	struct case_job jobs[4];
	uint32_t job_count;
	struct {
		uint32_t pod, node;
	} bound[8];
	uint32_t bound_count;
	uint32_t running; /* jobs that run, as bits */
	uint32_t left;	  /* the deadlock, as bits */
} rows[] = {
	{"two halves hold each other",
	 2,
	 {{.pods = 2, .gpus = 4}, {.pods = 2, .gpus = 4}},
	 2,
	 {{0, 0}, {2, 1}},
	 2,
	 0,
	 3},
	{"a third node helps one, and so both",
	 3,
	 {{.pods = 2, .gpus = 4}, {.pods = 2, .gpus = 4}},
	 2,
	 {{0, 0}, {2, 1}},
	 2,
	 0,
	 0},
	{"who runs will end",
	 3,
	 {{.pods = 2, .gpus = 4}, {.pods = 2, .gpus = 4}, {.pods = 1, .gpus = 4}},
	 3,
	 {{0, 0}, {2, 1}, {4, 2}},
	 3,
	 4,
	 0},
	{"but not what never ends",
	 3,
	 {{.pods = 2, .gpus = 4}, {.pods = 2, .gpus = 4}, {.pods = 1, .gpus = 4, .duration_s = -1}},
	 3,
	 {{0, 0}, {2, 1}, {4, 2}},
	 3,
	 4,
	 3},
	{"who holds nothing takes no part",
	 1,
	 {{.pods = 2, .gpus = 4}, {.pods = 1, .gpus = 4}},
	 2,
	 {{0, 0}},
	 0,
	 0,
	 0},
	{"a job that never fits", 1, {{.pods = 2, .gpus = 4}}, 1, {{0, 0}}, 1, 0, 1},
	{"all bound is not half", 2, {{.pods = 2, .gpus = 4}}, 1, {{0, 0}, {1, 1}}, 2, 1, 0},
	{"one can complete and lets the others",
	 2,
	 {{.pods = 2, .gpus = 2}, {.pods = 2, .gpus = 4}},
	 2,
	 {{0, 0}, {2, 1}},
	 2,
	 0,
	 0},
	{"the small one completes, the big one cannot",
	 2,
	 {{.pods = 2, .gpus = 1}, {.pods = 3, .gpus = 4}},
	 2,
	 {{0, 0}, {2, 1}},
	 2,
	 0,
	 2},
	{"room that the selector forbids",
	 2,
	 {{.pods = 2, .gpus = 4, .pool = "spot"}},
	 1,
	 {{0, 0}},
	 1,
	 0,
	 1},
};

static uint32_t check(struct deadlock *d)
{
	const uint32_t *jobs;
	uint32_t count, set = 0;
	bool any = deadlock_check(d, &jobs, &count);

	for (uint32_t i = 0; i < count; i++) {
		ck_assert(i == 0 || jobs[i] > jobs[i - 1]);
		set |= 1u << jobs[i];
	}
	ck_assert(any == (set != 0));
	return set;
}

START_TEST(fixpoint)
{
	struct case_node nodes[3] = {{.gpus = 4}, {.gpus = 4}, {.gpus = 4}};
	struct cluster_case c;
	struct deadlock *d;

	cluster_case_open(&c, nodes, rows[_i].node_count, rows[_i].jobs, rows[_i].job_count);
	d = deadlock_new(&c.world);
	ck_assert_uint_eq(check(d), 0);
	for (uint32_t i = 0; i < rows[_i].bound_count; i++)
		cluster_case_bind(&c, rows[_i].bound[i].pod, rows[_i].bound[i].node);
	for (uint32_t job = 0; job < rows[_i].job_count; job++) {
		if ((rows[_i].running & 1u << job) != 0)
			world_job(&c.world, job)->running_since = 0;
		deadlock_touch(d, job);
	}
	ck_assert_msg(check(d) == rows[_i].left, "%s", rows[_i].name);
	ck_assert_msg(check(d) == rows[_i].left, "%s, asked again", rows[_i].name);
	deadlock_free(d);
	cluster_case_close(&c);
}
END_TEST

START_TEST(ends_when_a_pod_leaves_or_a_node_comes_back)
{
	struct case_node nodes[3] = {{.gpus = 4}, {.gpus = 4}, {.gpus = 4, .cordoned = true}};
	struct case_job jobs[2] = {{.pods = 2, .gpus = 4}, {.pods = 2, .gpus = 4}};
	struct cluster_case c;
	struct deadlock *d;

	cluster_case_open(&c, nodes, 3, jobs, 2);
	d = deadlock_new(&c.world);
	cluster_case_bind(&c, 0, 0);
	cluster_case_bind(&c, 2, 1);
	deadlock_touch(d, 0);
	deadlock_touch(d, 1);
	ck_assert_uint_eq(check(d), 3);
	c.world.nodes[2].unschedulable = false;
	c.world.node_usable[2] = true;
	deadlock_touch_nodes(d);
	ck_assert_uint_eq(check(d), 0);
	c.world.nodes[2].unschedulable = true;
	c.world.node_usable[2] = false;
	deadlock_touch_nodes(d);
	ck_assert_uint_eq(check(d), 3);
	c.world.pods[0].phase = POD_TERMINATING; /* holds its node, but not for ever */
	deadlock_touch(d, 0);
	ck_assert_uint_eq(check(d), 0);
	deadlock_free(d);
	cluster_case_close(&c);
}
END_TEST

/* Each holds a zone that the other may not enter: no deadlock in the sense of the report,
 * which leaves affinity out, though no job will ever complete. */
START_TEST(kept_out_by_anti_affinity_alone)
{
	struct constraint_case c;
	struct deadlock *d;

	constraint_case_open(
		&c, NODES JOB("a", "3", "app: x", FAR(SELECTS("app: x") ", topologyKey: " ZONE))
			    JOB("b", "3", "app: x", FAR(SELECTS("app: x") ", topologyKey: " ZONE)));
	for (uint32_t job = 0; job < 2; job++) {
		world_job(&c.world, job)->phase = JOB_ADMITTED;
		world_job(&c.world, job)->pods_wanted = 3;
	}
	d = deadlock_new(&c.world);
	constraint_case_bind(&c, "a", 0, 0);
	constraint_case_bind(&c, "b", 0, 2);
	deadlock_touch(d, 0);
	deadlock_touch(d, 1);
	ck_assert_uint_eq(check(d), 0);
	deadlock_free(d);
	constraint_case_close(&c);
}
END_TEST

/* ---- against the definition, from scratch each time ---- */

static bool fits_all(struct cluster_case *c, struct cluster_usage *free_room, uint32_t job)
{
	uint32_t missing = world_job(&c->world, job)->pods_wanted -
			   world_job(&c->world, job)->pods_bound,
		 n = 0;
	const struct pod_shape *shape =
		&c->scenario->shapes[c->world.pods[c->journal->first_pod[job]].shape];

	for (uint32_t node = 0; node < c->world.node_count; node++) {
		uint32_t here = 0;

		if (!profile_node_suits(c->scenario, &c->world.nodes[node], shape))
			continue;
		while (n < missing && cluster_fits(free_room, node, shape)) {
			cluster_add(free_room, node, shape);
			here++;
			n++;
		}
		for (; here > 0; here--)
			cluster_remove(free_room, node, shape);
	}
	return n == missing;
}

static uint32_t by_definition(struct cluster_case *c)
{
	struct cluster_usage u;
	uint32_t left = 0, before;

	cluster_usage_init(&u, c->world.nodes, c->world.node_count, c->scenario->resource_count);
	for (uint32_t job = 0; job < c->scenario->job_count; job++) {
		const struct job_run *r = world_job(&c->world, job);
		uint32_t first = c->journal->first_pod[job];

		if (r->pods_bound == 0 || r->pods_bound == r->pods_wanted)
			continue;
		left |= 1u << job;
		for (uint32_t i = 0; i < r->pods_wanted; i++) {
			if (c->world.pods[first + i].phase == POD_BOUND)
				cluster_add(&u, c->world.pods[first + i].node,
					    &c->scenario->shapes[c->world.pods[first].shape]);
		}
	}
	do {
		before = left;
		for (uint32_t job = 0; job < c->scenario->job_count; job++) {
			uint32_t first = c->journal->first_pod[job];

			if ((left & 1u << job) == 0 || !fits_all(c, &u, job))
				continue;
			left &= ~(1u << job);
			for (uint32_t i = 0; i < world_job(&c->world, job)->pods_wanted; i++) {
				if (c->world.pods[first + i].phase == POD_BOUND)
					cluster_remove(
						&u, c->world.pods[first + i].node,
						&c->scenario->shapes[c->world.pods[first].shape]);
			}
		}
	} while (left != before);
	cluster_usage_free(&u);
	return left;
}

START_TEST(random_against_the_definition)
{
	struct rng *rng = rng_new((uint64_t)_i + 1, "deadlock");
	struct random_case r;
	struct cluster_case c;
	struct deadlock *d;

	cluster_case_random(&r, (uint64_t)_i + 1);
	cluster_case_open(&c, r.nodes, r.node_count, r.jobs, r.job_count);
	d = deadlock_new(&c.world);
	for (int step = 0; step < 200; step++) {
		uint32_t pods = c.journal->first_pod[r.job_count];
		uint32_t pod = (uint32_t)rng_below(rng, pods), job = c.world.pods[pod].job;
		uint32_t node = (uint32_t)rng_below(rng, r.node_count);

		if (c.world.pods[pod].phase == POD_BOUND) {
			cluster_case_remove(&c, pod);
			c.world.pods[pod].phase = POD_PENDING;
		} else if (cluster_fits(&c.world.usage, node,
					&c.scenario->shapes[c.world.pods[pod].shape])) {
			cluster_case_bind(&c, pod, node);
		}
		world_job(&c.world, job)->running_since =
			world_job(&c.world, job)->pods_bound ==
					world_job(&c.world, job)->pods_wanted
				? 0
				: CLOCK_NEVER;
		deadlock_touch(d, job);
		if (rng_below(rng, 3) == 0)
			ck_assert_uint_eq(check(d), by_definition(&c));
	}
	deadlock_free(d);
	cluster_case_close(&c);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/deadlock");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, fixpoint, 0, COUNT(rows));
	tcase_add_test(t, kept_out_by_anti_affinity_alone);
	tcase_add_test(t, ends_when_a_pod_leaves_or_a_node_comes_back);
	tcase_add_loop_test(t, random_against_the_definition, 0, 60);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
