/* test_kueue_refute.c - searches concluded from others: what is, and the same runs as with each
 * one made. */
#include "sim/kueue/kueue_refute.h"

#include <check.h>

#include "sim/kueue/kueue_tas.h"
#include "tests/sim/shortcut_case.h"
#include "tests/sim/topology_case.h"
#include "tests/support/kueue_story.h"

#define RUNS 60
#define JOBS 70

/* Six nodes in three racks, with as many GPUs as the three queues of the cohort have quota. */
static void write_cluster(FILE *out, unsigned *seed)
{
	static const char *const reclaims[] = {"Any", "Any", "LowerPriority", "Never"};

	kueue_story_write_racks(out);
	kueue_story_write_classes(out, 3);
	for (unsigned q = 0; q < 3; q++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: q%u}\nspec:\n  namespaceSelector: {}\n  cohortName: all\n"
			"  preemption: {withinClusterQueue: %s, reclaimWithinCohort: %s}\n"
			"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
			"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}\n"
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
			"metadata: {name: q%u, namespace: default}\nspec: {clusterQueue: q%u}\n",
			q, below(seed, 4) == 0 ? "Never" : "LowerPriority",
			reclaims[below(seed, 4)], q, q);
}

static void write_jobs(FILE *out, unsigned *seed)
{
	fprintf(out, "---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n");
	for (unsigned j = 0; j < JOBS; j++) {
		static const char *const wishes[] = {"required: rack",
						     "required: kubernetes.io/hostname",
						     "preferred: kubernetes.io/hostname",
						     "preferred: rack", "unconstrained: true"};

		fprintf(out,
			"- {name: j%u, queue: q%u, submitAt: %us, duration: %us, pods: %u, gpus: "
			"%u, "
			"priorityClass: p%u, topology: {%s}}\n",
			j, below(seed, 3), j * 3 + below(seed, 3), 10 + below(seed, 60),
			1 + below(seed, 3), 1 + below(seed, 4), 1 + below(seed, 3),
			wishes[below(seed, 5)]);
	}
}

static void write_system(FILE *out, unsigned *seed)
{
	write_cluster(out, seed);
	write_jobs(out, seed);
}

START_TEST(the_same_as_with_each_search_made)
{
	shortcut_case_check(write_system, (unsigned)_i, J_QUOTA_RESERVED);
}
END_TEST

/* ------------------------------------------------ what a failure tells of others */

/* a evicts of its own, by priority; b reclaims by priority; c and d of anybody, and have nobody
 * to evict of their own. Numbers are priorities. */
#define WORLD                                                                                      \
	"a[4] w=L r=A; b[4] w=L r=L; c[4] r=A; d[4] r=A; a<h:2@1#1*10; a?a4:2@4; a?a5:2@5; "       \
	"a?a6:2@6; b?b4:2@4; b?b5:2@5; c?c5:2@5; d?d3:2@3"

/* What is asked for, beside 4 pods of 2 GPUs each in the first tree and 2 cpu of quota. */
struct asked {
	const char *job;
	int64_t quota; /* 0: 2 */
	uint32_t pods, tree, gpus;
	enum topology_mode mode;
	uint32_t level; /* a string, of the mode */
	bool selects;	/* nodes of its own */
};

static bool no_places(struct kueue *k)
{
	(void)k;
	return false;
}

struct world_of {
	struct kueue_story *story;
	struct topology_case topology;
	struct kueue_tas_set set;
	struct pod_shape shape;
	int64_t request[RES_MAX];
	struct label selector;
	struct quota_amount amount;
};

static const uint32_t column = 0;

static struct kueue_search ask(struct world_of *w, const struct asked *asked)
{
	struct kueue *k = w->story->k;
	uint32_t job = kueue_story_job(w->story, asked->job);

	w->shape = w->topology.gpu;
	w->shape.request = w->request;
	w->request[RES_GPU] = asked->gpus == 0 ? 2 : asked->gpus;
	w->shape.topology_mode = asked->mode;
	w->shape.topology_level = asked->mode == TOPOLOGY_NONE ? NAME_NONE : asked->level;
	w->selector = (struct label){1, 1};
	if (asked->selects)
		w->shape.node_selector = (struct label_set){&w->selector, 1};
	w->set = (struct kueue_tas_set){.tree = asked->tree,
					.count = asked->pods == 0 ? 4 : asked->pods,
					.shape = &w->shape,
					.replaces = TOPOLOGY_NOWHERE};
	k->tas_sets = &w->set;
	k->tas_count = 1;
	w->amount = (struct quota_amount){.column = column,
					  .amount = asked->quota == 0 ? 2000 : asked->quota * 1000};
	return (struct kueue_search){.job = job,
				     .queue = kueue_queue_of(k, job),
				     .columns = &column,
				     .column_count = 1,
				     .request = &w->amount,
				     .request_count = 1,
				     .places = no_places};
}

static const struct {
	struct asked failed, then;
	bool alone; /* no other queue was asked when it failed */
	bool fails;
	const char *why;
} told[] = {
	{{"a5"}, {"a5"}, true, true, "the same again"},
	{{"a5"}, {"a4"}, true, true, "fewer are of lower priority"},
	{{"a5"}, {"a6"}, true, false, "more are of lower priority"},
	{{"a5"}, {"a5", .quota = 3}, true, true, "more quota"},
	{{"a5"}, {"a5", .quota = 1}, true, false, "less quota: it may ask others"},
	{{"a5"}, {"a5", .pods = 5}, true, true, "more pods"},
	{{"a5"}, {"a5", .pods = 3}, true, false, "fewer pods"},
	{{"a5"}, {"a5", .gpus = 3}, true, true, "larger pods"},
	{{"a5"}, {"a5", .gpus = 1}, true, false, "smaller pods"},
	{{"a5"}, {"a5", .tree = 1}, true, false, "nodes of another flavor"},
	{{"a5"}, {"a5", .gpus = 3, .selects = true}, true, false, "other nodes"},
	{{"a5"}, {"a5", .gpus = 3, .mode = TOPOLOGY_REQUIRED}, true, true, "closer together"},
	{{"a5", .mode = TOPOLOGY_REQUIRED}, {"a5", .gpus = 3}, true, false, "less close"},
	{{"a5", .mode = TOPOLOGY_REQUIRED, .level = 1},
	 {"a5", .mode = TOPOLOGY_REQUIRED, .level = 1},
	 true,
	 true,
	 "as close"},
	{{"a5", .mode = TOPOLOGY_REQUIRED, .level = 1},
	 {"a5", .mode = TOPOLOGY_REQUIRED, .level = 2},
	 true,
	 false,
	 "together at another level"},
	{{"b5"}, {"b5"}, true, true, "the same again, of a queue that reclaims by priority"},
	{{"b5"}, {"b4"}, true, false, "others offer more by priority, thus in another order"},
	{{"c5"}, {"d3"}, false, true, "of another queue, with the same candidates"},
	{{"c5"}, {"d3"}, true, false, "nobody but its own was asked"},
	{{"c5"}, {"d3", .quota = 1}, false, true, "quota counts within a queue alone"},
	{{"c5"}, {"d3", .pods = 3}, false, false, "fewer pods, of another queue"},
	{{"c5"}, {"a5"}, false, false, "it has candidates of its own"},
	{{"a5"}, {"c5"}, false, false, "that one had"},
	{{"c5"}, {"b5"}, false, false, "it reclaims by priority"},
};

START_TEST(what_fails_with_it)
{
	static const struct case_row nodes[] = {{"n0", 8, NULL, NULL, false, 0},
						{NULL, 0, NULL, NULL, false, 0}};
	struct world_of w = {.story = kueue_story_new(WORLD, false)};
	struct kueue *k = w.story->k;
	struct kueue_tas_set *sets = k->tas_sets;
	struct pod_shape shape;
	int64_t request[RES_MAX];
	struct kueue_search search;

	case_open(&w.topology, "kubernetes.io/hostname", nodes);
	k->topology = w.topology.t;
	kueue_refute_open(k);
	search = ask(&w, &told[_i].failed);
	shape = w.shape; /* of another workload, so that it does not change with the next */
	memcpy(request, w.request, sizeof(request));
	shape.request = request;
	w.set.shape = &shape;
	kueue_refute_note(k, &search, !told[_i].alone);
	search = ask(&w, &told[_i].then);
	ck_assert_msg(kueue_refute_covers(k, &search) == told[_i].fails, "%s", told[_i].why);
	k->roots[k->tree.nodes[search.queue].root].changed++;
	ck_assert_msg(!kueue_refute_covers(k, &search), "%s: something changed", told[_i].why);
	kueue_refute_close(k);
	k->tas_sets = sets;
	k->tas_count = 0;
	k->topology = NULL;
	case_close(&w.topology);
	kueue_story_free(w.story);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_refute");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, what_fails_with_it, 0, sizeof(told) / sizeof(told[0]));
	tcase_add_loop_test(t, the_same_as_with_each_search_made, 0, RUNS);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
