/* test_gpu_share.c - Parts of GPUs against a list of the pods that hold them. */
#include "core/gpu_share.h"

#include <check.h>
#include <stdlib.h>

#include "core/rng.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define PODS	    12
#define STEPS	    3000

static const struct {
	int64_t gpus, milli;
	int64_t whole;
	uint32_t part;
} demands[] = {
	{0, 0, 0, 0}, {0, 460, 0, 460}, {0, 1000, 1, 0},   {0, 1500, 1, 500}, {2, 2000, 2, 0},
	{8, 0, 8, 0}, {2, 500, 2, 0},	{1, 1300, 1, 300}, {0, 1999, 1, 999},
};

START_TEST(demand_of)
{
	struct gpu_demand d = gpu_share_demand(demands[_i].gpus, demands[_i].milli);

	ck_assert_int_eq(d.whole, demands[_i].whole);
	ck_assert_uint_eq(d.part, demands[_i].part);
}
END_TEST

/* What the pods hold, counted anew. */
struct direct {
	struct gpu_demand demand[PODS];
	uint32_t slot[PODS];
	bool here[PODS];
	int64_t gpus;
};

static int64_t left_in(const struct direct *d, uint32_t slot)
{
	int64_t left = GPU_SHARE_WHOLE;

	for (int i = 0; i < PODS; i++)
		if (d->here[i] && d->demand[i].part > 0 && d->slot[i] == slot)
			left -= d->demand[i].part;
	return left;
}

static void compare(const struct direct *d, const struct gpu_share *share)
{
	int64_t whole = d->gpus, left = 0;

	for (int i = 0; i < PODS; i++)
		whole -= d->here[i] ? d->demand[i].whole : 0;
	for (uint32_t slot = 0; slot < share->count; slot++) {
		ck_assert_int_ge(left_in(d, slot), 0);
		ck_assert_int_eq(left_in(d, slot), share->slots[slot]);
		if (left_in(d, slot) < GPU_SHARE_WHOLE) {
			whole--;
			left += left_in(d, slot);
		}
	}
	ck_assert_int_eq(share->whole, whole);
	ck_assert_int_eq(gpu_share_room(share), left + (whole > 0 ? whole * GPU_SHARE_WHOLE : 0));
}

/* The slot with the least left on which the part fits; GPU_SHARE_FRESH: none. */
static uint32_t tightest(const struct direct *d, uint32_t count, uint32_t part)
{
	uint32_t best = GPU_SHARE_FRESH;

	for (uint32_t slot = 0; slot < count; slot++) {
		int64_t left = left_in(d, slot);

		if (left < part || left == GPU_SHARE_WHOLE)
			continue;
		if (best == GPU_SHARE_FRESH || left < left_in(d, best))
			best = slot;
	}
	return best;
}

static void arrive(struct direct *d, struct gpu_share *share, uint32_t pod, struct rng *rng)
{
	struct gpu_demand *demand = &d->demand[pod];
	uint32_t device;
	bool fits;

	*demand = gpu_share_demand(0, 100 * (int64_t)rng_below(rng, rng_below(rng, 2) ? 10 : 30));
	device = tightest(d, share->count, demand->part);
	fits = demand->whole == 0 || share->whole >= demand->whole;
	if (demand->part > 0 && device == GPU_SHARE_FRESH)
		fits = fits && share->whole > demand->whole;
	ck_assert_int_eq(gpu_share_fits(share, demand), fits);
	if (!fits)
		return;
	if (demand->part > 0)
		ck_assert_uint_eq(gpu_share_tightest(share, demand->part), device);
	if (share->whole > demand->whole && rng_below(rng, 4) == 0)
		device = GPU_SHARE_FRESH;
	d->slot[pod] = gpu_share_take(share, demand, device);
	d->here[pod] = true;
}

START_TEST(is_what_the_pods_hold)
{
	struct rng *rng = rng_new((uint64_t)_i, "gpu_share");
	struct gpu_share share = {.whole = 0};
	struct direct d = {.gpus = 5};

	gpu_share_resize(&share, 0, d.gpus);
	for (int step = 0; step < STEPS; step++) {
		uint32_t pod = (uint32_t)rng_below(rng, PODS);

		if (d.here[pod]) {
			gpu_share_give(&share, &d.demand[pod], d.slot[pod]);
			d.here[pod] = false;
		} else {
			arrive(&d, &share, pod, rng);
		}
		if (rng_below(rng, 50) == 0) { /* below what is in use, too */
			int64_t gpus = (int64_t)rng_below(rng, 8);

			gpu_share_resize(&share, d.gpus, gpus);
			d.gpus = gpus;
		}
		compare(&d, &share);
	}
	gpu_share_free(&share);
	rng_free(rng);
}
END_TEST

/* Whatever a node claims, sums stay far from the end of the numbers. */
START_TEST(absurd_node)
{
	struct gpu_share share = {.whole = 0};

	gpu_share_resize(&share, 0, INT64_MAX);
	ck_assert_int_eq(share.whole, GPU_SHARE_MAX);
	gpu_share_resize(&share, INT64_MAX, 3);
	ck_assert_int_eq(share.whole, 3);
	gpu_share_free(&share);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/gpu_share");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, demand_of, 0, COUNT(demands));
	tcase_add_loop_test(t, is_what_the_pods_hold, 0, 10);
	tcase_add_test(t, absurd_node);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
