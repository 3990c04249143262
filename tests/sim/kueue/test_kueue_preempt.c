/* test_kueue_preempt.c - Classical victims: which, in which order, and none in vain;
 * the shortcuts (rungs, the bound) against removing candidates one by one.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_preempt.h"
#include "tests/support/below.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *items, *want;
} rows[] = {
	{"lowest priority first, then the newest",
	 "a[4] w=L in=-; a<x:1@1*10; a<y:1@1*20; a<z:1@0*5; a<q:1@2*1; a?p:2@9",
	 "preempt z p InClusterQueue; preempt y p InClusterQueue; p heap"},
	{"equal seconds: by uid", "a[2] w=L in=-; a<x:1*10; a<y:1*10; a?p:1@9",
	 "preempt x p InClusterQueue; p heap"},
	{"others' borrowing before the own queue", "a[2] w=L r=L; a<x:1; b[0]; b<y:1; a?p:1@9",
	 "preempt y p InCohortReclamation; p heap"},
	{"a queue within its nominal quota is left alone",
	 "a[2] r=A; a<x:2; b[4]; b<y:2; d[0]; d<z:2; a?p:2", "p parked"},
	{"no policy, no victims", "a[2] in=-; a<x:2; a?p:2@9", "p parked"},
	{"reclaiming ends where nominal quota begins",
	 "a[2] r=A; b[2]; b<x:1*10; b<y:1*20; b<z:2*30; a?p:2",
	 "preempt z p InCohortReclamation; p heap"},
	{"who runs in a queue that is held is not seen",
	 "a[2] r=A; b[0] held; b<x:1*30; d[0]; d<y:1*10; a?p:1",
	 "preempt y p InCohortReclamation; "
	 "p heap"},
	{"not even if nothing else would do", "a[2] r=A; b[0] held; b<x:2; a?p:2", "p parked"},
};

START_TEST(victims)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, false);

	ck_assert_msg(strcmp(kueue_story_run(s, 1), rows[_i].want) == 0, "%s: got %s",
		      rows[_i].name, s->text);
	kueue_story_free(s);
}
END_TEST

static struct kueue_story *random_story(unsigned *seed)
{
	static const char *const within[] = {"N", "L", "E"}, *const reclaim[] = {"N", "L", "A"};
	char items[4096];
	int n = snprintf(items, sizeof(items), "%%c[%u]", below(seed, 4));

	for (char q = 'a'; q < 'd'; q++) {
		uint32_t r = below(seed, 3);

		n += snprintf(items + n, sizeof(items) - (size_t)n, "; %c[%u] w=%s r=%s%s", q,
			      below(seed, 8), within[below(seed, 3)], reclaim[r],
			      r > 0 && below(seed, 3) == 0 ? " b=L:2" : "");
	}
	for (int j = 0; j < 16; j++)
		n += snprintf(items + n, sizeof(items) - (size_t)n, "; %c<h%d:%u@%u#%u*%u",
			      (char)('a' + below(seed, 3)), j, 1 + below(seed, 3), below(seed, 4),
			      below(seed, 5), below(seed, 6));
	snprintf(items + n, sizeof(items) - (size_t)n, "; a?p:%u@%u#2", 1 + below(seed, 6),
		 below(seed, 5));
	return kueue_story_new(items, false);
}

/* Whatever is found makes room, each victim is needed but perhaps the last, and all
 * usage is back afterwards. */
START_TEST(random_victims_are_needed)
{
	unsigned seed = (unsigned)_i + 1;
	struct kueue_story *s = random_story(&seed);
	uint32_t job = kueue_story_job(s, "p"), column = kueue_column(s->k, 0, RES_CPU);
	struct quota_amount request = {column, kueue_form_of(s->k, job)->slots[0].per_pod};
	struct kueue_search search = {.job = job,
				      .queue = kueue_story_queue(s, "a"),
				      .columns = &column,
				      .column_count = 1,
				      .request = &request,
				      .request_count = 1};
	int64_t usage = quota_at(&s->k->tree, s->k->tree.nodes[0].root, column)->usage;

	for (uint32_t i = 0; i < kueue_form_of(s->k, job)->slot_count; i++) {
		if (!kueue_form_of(s->k, job)->slots[i].implied)
			request.amount = kueue_form_of(s->k, job)->slots[i].per_pod;
	}
	if (kueue_preempt_search(s->k, &search)) {
		size_t mark = quota_mark(&s->k->tree);

		ck_assert_uint_gt(s->k->target_count, 0);
		for (size_t i = 0; i < s->k->target_count; i++)
			kueue_usage_return(s->k, s->k->targets[i].job);
		ck_assert(kueue_victim_fits(s->k, &search, true));
		for (size_t i = 0; i + 1 < s->k->target_count; i++) {
			kueue_usage_take(s->k, s->k->targets[i].job);
			/* found with or without borrowing, one of the two fails now */
			ck_assert(!kueue_victim_fits(s->k, &search, true) ||
				  !kueue_victim_fits(s->k, &search, false));
			kueue_usage_return(s->k, s->k->targets[i].job);
		}
		quota_rollback(&s->k->tree, mark);
	}
	ck_assert_int_eq(quota_at(&s->k->tree, s->k->tree.nodes[0].root, column)->usage, usage);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_preempt");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, victims, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, random_victims_are_needed, 0, 300);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
