/* test_fragment.c - Fragmentation of small nodes worked out by hand, and of random ones
 * against the definition: one kind of pods after the other, one GPU after the other. */
#include "core/fragment.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define KINDS	    12

static const struct fragment_kind four[] = {
	{.cpu = 4000, .gpus = {.part = 500}, .weight = 3},
	{.cpu = 8000, .gpus = {.whole = 1}, .weight = 2},
	{.cpu = 16000, .gpus = {.whole = 2}, .weight = 1},
	{.cpu = 1000, .weight = 4},
};

/* A node with two wholly free GPUs and one with 400 left: 2400 thousandths. */
static const struct {
	const char *name;
	int64_t cpu;
	bool barred; /* the first kind may not go there */
	int64_t expected;
} rows[] = {
	/* 3 x 400 and 2 x 400 too small; all lost on the third, that lacks CPU, and the fourth */
	{"what is too small, what lacks CPU", 10000, false, 1200 + 800 + 2400 + 4 * 2400},
	{"CPU for all", 16000, false, 1200 + 800 + 400 + 4 * 2400},
	{"CPU for none", 999, false, 10 * 2400},
	{"not for everybody", 10000, true, 3 * 2400 + 800 + 2400 + 4 * 2400},
};

START_TEST(by_hand)
{
	uint16_t slots[] = {GPU_SHARE_WHOLE, 400};
	struct gpu_share share = {.whole = 2, .slots = slots, .count = 2, .left = 400};
	bool reaches[] = {!rows[_i].barred, true, true, true};
	struct fragment *f = fragment_new(four, COUNT(four), reaches);

	ck_assert_msg(fragment_of(f, rows[_i].cpu, &share) == rows[_i].expected, "%s",
		      rows[_i].name);
	fragment_free(f);
}
END_TEST

/* The same node after a pod of 300 thousandths has come, with CPU for the second kind. */
static const struct {
	uint32_t device;
	int64_t expected;
} after_rows[] = {
	{1, 3 * 100 + 2 * 100 + 2100 + 4 * 2100},
	{GPU_SHARE_FRESH, 3 * 400 + 2 * (400 + 700) + 2100 + 4 * 2100},
};

START_TEST(after_by_hand)
{
	uint16_t slots[] = {GPU_SHARE_WHOLE, 400};
	struct gpu_share share = {.whole = 2, .slots = slots, .count = 2, .left = 400};
	bool reaches[] = {true, true, true, true};
	struct gpu_demand demand = {.part = 300};
	struct fragment *f = fragment_new(four, COUNT(four), reaches);

	ck_assert_int_eq(fragment_after(f, 8000, &share, &demand, after_rows[_i].device),
			 after_rows[_i].expected);
	fragment_free(f);
}
END_TEST

/* ---- the definition ---- */

static int64_t direct_of_kind(const struct fragment_kind *kind, bool reaches, int64_t cpu,
			      const struct gpu_share *share)
{
	int64_t wholes = kind->gpus.whole + (kind->gpus.whole > 0 && kind->gpus.part > 0);
	int64_t need = wholes > 0 ? GPU_SHARE_WHOLE : kind->gpus.part;
	int64_t count = wholes > 0 ? wholes : 1, found = 0, small = 0, all = 0;

	for (int64_t i = 0; i < share->whole; i++) {
		found++;
		all += GPU_SHARE_WHOLE;
	}
	for (uint32_t i = 0; i < share->count; i++) {
		if (share->slots[i] == GPU_SHARE_WHOLE)
			continue;
		all += share->slots[i];
		if (share->slots[i] >= need)
			found++;
		else
			small += share->slots[i];
	}
	return need > 0 && reaches && cpu >= kind->cpu && found >= count ? small : all;
}

static int64_t direct(const struct fragment_kind *kinds, const bool *reaches, int64_t cpu,
		      const struct gpu_share *share)
{
	int64_t sum = 0;

	for (int i = 0; i < KINDS; i++)
		sum += kinds[i].weight * direct_of_kind(&kinds[i], reaches[i], cpu, share);
	return sum;
}

static struct gpu_share random_share(struct rng *rng)
{
	struct gpu_share share = {.whole = 0};

	gpu_share_resize(&share, 0, (int64_t)rng_below(rng, 9));
	for (int i = 0; i < 6; i++) {
		struct gpu_demand d = {.part = 50 * (1 + (uint32_t)rng_below(rng, 19))};

		if (share.whole > 0)
			gpu_share_take(&share, &d, GPU_SHARE_FRESH);
	}
	if (rng_below(rng, 10) == 0)
		gpu_share_resize(&share, 8, 0);
	return share;
}

/* fragment_after is fragment_of on what the node then is. */
static void check_after(const struct fragment *f, int64_t cpu, struct gpu_share *share,
			const struct gpu_demand *demand)
{
	for (uint32_t i = 0; i <= share->count; i++) {
		uint32_t device = i < share->count ? i : GPU_SHARE_FRESH, slot;
		bool fits = i < share->count && demand->part > 0
				    ? gpu_share_takes(share, i, demand->part) &&
					      (demand->whole == 0 || share->whole >= demand->whole)
				    : share->whole >= demand->whole + (demand->part > 0);
		int64_t expected;

		if (!fits)
			continue;
		expected = fragment_after(f, cpu, share, demand, device);
		slot = gpu_share_take(share, demand, device);
		ck_assert_int_eq(fragment_of(f, cpu, share), expected);
		gpu_share_give(share, demand, slot);
	}
}

START_TEST(is_its_definition)
{
	struct rng *rng = rng_new((uint64_t)_i, "fragment");
	struct fragment_kind kinds[KINDS];
	bool reaches[KINDS];
	struct fragment *f;

	for (int i = 0; i < KINDS; i++) {
		kinds[i] = (struct fragment_kind){
			.cpu = 1000 * (int64_t)rng_below(rng, 6),
			.gpus = gpu_share_demand(0, 250 * (int64_t)rng_below(rng, 13)),
			.weight = (uint32_t)rng_below(rng, 100)};
		reaches[i] = rng_below(rng, 4) > 0;
	}
	f = fragment_new(kinds, KINDS, reaches);
	for (int node = 0; node < 100; node++) {
		struct gpu_share share = random_share(rng);
		struct gpu_demand demand = gpu_share_demand(0, 50 * (int64_t)rng_below(rng, 50));
		int64_t cpu = 500 * (int64_t)rng_below(rng, 14);

		ck_assert_int_eq(fragment_of(f, cpu, &share), direct(kinds, reaches, cpu, &share));
		check_after(f, cpu, &share, &demand);
		gpu_share_free(&share);
	}
	fragment_free(f);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/fragment");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, by_hand, 0, COUNT(rows));
	tcase_add_loop_test(t, after_by_hand, 0, COUNT(after_rows));
	tcase_add_loop_test(t, is_its_definition, 0, 300);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
