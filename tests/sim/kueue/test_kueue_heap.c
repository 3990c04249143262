/* test_kueue_heap.c - The plain heap: sorted while nothing changes under it, stale until rebuilt. */
#include <check.h>
#include <string.h>

#include "sim/kueue/kueue_heap.h"
#include "tests/sim/shortcut_case.h"
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

/* Two queues of three LocalQueues each, which want more than there is, and have more quota than
 * there are GPUs: heaps are laid out in each state that they come to, and who finds no node in
 * time comes back with another place in them. */
static void write_system(FILE *out, unsigned *seed)
{
	fprintf(out,
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"admissionFairSharing: {usageHalfLifeTime: %us, usageSamplingInterval: %us}\n"
		"featureGates: {SchedulingEquivalenceHashing: %s}\n%s"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\n"
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
		"status: {allocatable: {nvidia.com/gpu: 8, pods: 99}}\n",
		20 + below(seed, 100), 1 + below(seed, 20), below(seed, 2) == 0 ? "true" : "false",
		below(seed, 2) == 0 ? ""
				    : "waitForPodsReady: {timeout: 9s, requeuingStrategy: "
				      "{backoffBaseSeconds: 2}}\n");
	kueue_story_write_classes(out, 2);
	for (unsigned q = 0; q < 2; q++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: q%u}\nspec:\n  namespaceSelector: {}\n  cohortName: all\n"
			"  queueingStrategy: %s\n"
			"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
			"  preemption: {withinClusterQueue: %s, reclaimWithinCohort: Any}\n"
			"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
			"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 6}]}\n",
			q, below(seed, 2) == 0 ? "StrictFIFO" : "BestEffortFIFO",
			below(seed, 2) == 0 ? "Never" : "LowerPriority");
	for (unsigned l = 0; l < 6; l++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
			"metadata: {name: l%u, namespace: default}\nspec: {clusterQueue: q%u}\n",
			l, l % 2);
	fprintf(out, "---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n");
	for (unsigned j = 0; j < 90; j++)
		fprintf(out,
			"- {name: j%u, queue: l%u, submitAt: %us, duration: %us, gpus: %u, "
			"priorityClass: p%u}\n",
			j, below(seed, 6), j * 2 + below(seed, 9), 5 + below(seed, 40),
			1 + below(seed, 6), 1 + below(seed, 2));
}

START_TEST(the_same_laid_out_at_once)
{
	shortcut_case_check(write_system, (unsigned)_i, J_QUOTA_RESERVED);
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
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_same_laid_out_at_once, 0, 60);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
