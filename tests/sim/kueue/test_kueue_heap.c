/* test_kueue_heap.c - The plain heap: sorted while nothing changes under it, stale until rebuilt. */
#include <check.h>
#include <string.h>

#include "sim/kueue/kueue_heap.h"
#include "tests/support/kueue_story.h"

/* By the queue-order timestamp alone, which the test changes under the heap. */
static bool older(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b)
{
	(void)queue;
	return k->jobs[a].order != k->jobs[b].order ? k->jobs[a].order < k->jobs[b].order : a < b;
}

static struct kueue_story *pushed(void)
{
	struct kueue_story *s = kueue_story_new(
		"a[2] in=-; a<x:1; a<y:1; a<z:1; a<u:1; a<v:1; a<w:1; a<q:1; a<r:1", false);

	for (uint32_t j = 0; j < 8; j++) {
		s->k->jobs[j].order = (simtime)(j * 5 % 8);
		kueue_heap_push(s->k, 0, j, older);
	}
	return s;
}

START_TEST(pops_in_order)
{
	struct kueue_story *s = pushed();

	kueue_heap_remove(s->k, 0, 3, older); /* order 7 */
	ck_assert(!kueue_heap_has(s->k, 0, 3));
	for (simtime want = 0; want < 7; want++) {
		uint32_t top = s->k->queues[0].plain[0];

		ck_assert_int_eq(s->k->jobs[top].order, want);
		kueue_heap_remove(s->k, 0, top, older);
	}
	ck_assert_uint_eq(s->k->queues[0].plain_count, 0);
	kueue_story_free(s);
}
END_TEST

START_TEST(head_stays_until_rebuilt)
{
	struct kueue_story *s = pushed();
	uint32_t head = s->k->queues[0].plain[0];

	s->k->jobs[head].order = 100;
	ck_assert_uint_eq(s->k->queues[0].plain[0], head);
	kueue_heap_rebuild(s->k, 0, older);
	ck_assert_int_eq(s->k->jobs[s->k->queues[0].plain[0]].order, 1);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_heap");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, pops_in_order);
	tcase_add_test(t, head_stays_until_rebuilt);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
