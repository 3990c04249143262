/* test_pending.c - The heap against a scan of the same jobs, over random comings and goings. */
#include "core/pending.h"

#include <check.h>
#include <stdlib.h>

#include "core/rng.h"

#define JOBS  40
#define STEPS 4000

struct direct {
	bool waits[JOBS];
	struct pending_item item[JOBS];
};

static uint32_t direct_first(const struct direct *d)
{
	uint32_t best = PENDING_NONE;

	for (uint32_t job = 0; job < JOBS; job++) {
		const struct pending_item *a = &d->item[job];

		if (!d->waits[job])
			continue;
		if (best == PENDING_NONE || a->key < d->item[best].key ||
		    (a->key == d->item[best].key && a->tie < d->item[best].tie))
			best = job;
	}
	return best;
}

START_TEST(is_a_scan_of_those_who_wait)
{
	struct rng *rng = rng_new((uint64_t)_i, "pending");
	struct pending_places *places = pending_places_new(JOBS);
	struct pending heap = {0};
	struct direct direct = {0};

	for (int step = 0; step < STEPS; step++) {
		uint32_t job = (uint32_t)rng_below(rng, JOBS);

		ck_assert_int_eq(pending_stands(places, job), direct.waits[job]);
		if (direct.waits[job]) {
			pending_leave(&heap, places, job);
		} else {
			direct.item[job] = (struct pending_item){
				.key = (int64_t)rng_below(rng, 5), .tie = JOBS - job, .job = job};
			pending_push(&heap, places, &direct.item[job]);
		}
		direct.waits[job] = !direct.waits[job];
		ck_assert_uint_eq(pending_first(&heap), direct_first(&direct));
	}
	pending_free(&heap);
	pending_places_free(places);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/pending");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, is_a_scan_of_those_who_wait, 0, 20);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
