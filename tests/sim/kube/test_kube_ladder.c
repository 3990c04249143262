#include "sim/kube/kube_ladder.h"

#include <check.h>

#include "core/rng.h"
#include "tests/support/cluster_case.h"

#define NODES	70 /* more than one word of positions */
#define JOBS	7
#define PODS	60 /* of each */
#define MOVES	400
#define OUTSIDE 3 /* the node that is not searched */

struct yard {
	struct cluster_case c;
	struct kube_filter filter;
	struct kube_ladder *ladder;
	uint32_t order[NODES], position[NODES], count;
	uint32_t where[JOBS * PODS]; /* node of each pod; NODE_NONE */
};

/* Requests that are no powers of two, too; searched from the last node to the first. */
static void open_yard(struct yard *y, struct rng *rng)
{
	static struct case_node nodes[NODES];
	static struct case_job jobs[JOBS];

	for (uint32_t i = 0; i < NODES; i++)
		nodes[i] = (struct case_node){.gpus = (int64_t)rng_below(rng, 9)};
	for (uint32_t i = 0; i < JOBS; i++)
		jobs[i] = (struct case_job){.pods = PODS, .gpus = 1 + (int64_t)i};
	cluster_case_open(&y->c, nodes, NODES, jobs, JOBS);
	kube_filter_init(&y->filter, &y->c.world);
	y->count = 0;
	for (uint32_t i = NODES; i-- > 0;) {
		y->position[i] = NODE_NONE;
		if (i == OUTSIDE)
			continue;
		y->position[i] = y->count;
		y->order[y->count++] = i;
	}
	for (uint32_t i = 0; i < JOBS * PODS; i++)
		y->where[i] = NODE_NONE;
	y->ladder = kube_ladder_new(&y->filter, RES_GPU, y->order, y->position);
	kube_ladder_reset(y->ladder, y->count);
}

static void close_yard(struct yard *y)
{
	kube_ladder_free(y->ladder);
	kube_filter_free(&y->filter);
	cluster_case_close(&y->c);
}

static const struct pod_shape *shape_of(const struct yard *y, uint32_t pod)
{
	return &y->c.scenario->shapes[y->c.world.pods[pod].shape];
}

/* A pod comes where it fits, or leaves. */
static void move(struct yard *y, struct rng *rng)
{
	uint32_t pod = (uint32_t)rng_below(rng, JOBS * PODS);
	uint32_t node = (uint32_t)rng_below(rng, NODES);

	if (y->where[pod] != NODE_NONE) {
		node = y->where[pod];
		cluster_case_remove(&y->c, pod);
		y->where[pod] = NODE_NONE;
	} else if (cluster_fits(&y->c.world.usage, node, shape_of(y, pod))) {
		cluster_case_bind(&y->c, pod, node);
		y->where[pod] = node;
	} else {
		return;
	}
	kube_filter_touch(&y->filter, node);
}

/* What the ladder says of a request is what each node says. */
static void compare(struct yard *y, uint32_t job)
{
	const struct pod_shape *shape = shape_of(y, job * PODS);
	const struct kube_rung *rung = kube_ladder_rung(y->ladder, shape->request[RES_GPU]);
	uint32_t room = 0;

	ck_assert_ptr_nonnull(rung);
	kube_ladder_follow(y->ladder);
	for (uint32_t at = 0; at < y->count; at++) {
		bool fits = cluster_fits(&y->c.world.usage, y->order[at], shape);

		ck_assert_int_eq(fits,
				 rung->rooms[at / KUBE_LADDER_WORD] >> at % KUBE_LADDER_WORD & 1);
		room += fits;
	}
	ck_assert_uint_eq(rung->room, room);
}

/* So many that the filter keeps none of those before them. */
static void touch_often(struct yard *y)
{
	for (uint32_t i = 0; i < KUBE_CHANGES; i++)
		kube_filter_touch(&y->filter, OUTSIDE);
}

/* Requests join one after the other, in any order, between moves: few, many, and more than
 * the filter keeps. */
START_TEST(tells_of_room_as_each_node_does)
{
	struct rng *rng = rng_new((uint64_t)_i, "ladder");
	struct yard y;

	open_yard(&y, rng);
	for (uint32_t i = 0; i < MOVES; i++) {
		uint32_t moves = i % 100 == 99 ? 3 * KUBE_CHANGES : (uint32_t)rng_below(rng, 8);

		while (moves-- > 0)
			move(&y, rng);
		if (i % 10 == 9)
			touch_often(&y);
		compare(&y, (uint32_t)rng_below(rng, 1 + i * JOBS / MOVES));
		if (i % 150 == 149)
			kube_ladder_reset(y.ladder, y.count);
	}
	rng_free(rng);
	close_yard(&y);
}
END_TEST

START_TEST(refuses_more_requests_than_it_has_rungs_for)
{
	struct rng *rng = rng_new(1, "ladder");
	const struct kube_rung *first;
	struct yard y;

	open_yard(&y, rng);
	first = kube_ladder_rung(y.ladder, 1);
	for (int64_t i = 2; i <= KUBE_LADDER_RUNGS; i++)
		ck_assert_int_eq(kube_ladder_rung(y.ladder, i)->request, i);
	ck_assert_ptr_null(kube_ladder_rung(y.ladder, KUBE_LADDER_RUNGS + 1));
	ck_assert_ptr_eq(kube_ladder_rung(y.ladder, 1), first);
	rng_free(rng);
	close_yard(&y);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kube_ladder");
	TCase *t = tcase_create("kube_ladder");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(t, tells_of_room_as_each_node_does, 0, 10);
	tcase_add_test(t, refuses_more_requests_than_it_has_rungs_for);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
