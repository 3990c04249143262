#include "sim/kube/kube_reason.h"

#include <check.h>

#include "tests/support/cluster_case.h"

#define SEEDS 40
#define STEPS 150

static const struct case_node nodes[] = {
	{.gpus = 4, .cpu = 8000, .memory = 80},
	{.gpus = 8, .cpu = 4000, .memory = 80},
	{.gpus = 2, .cpu = 8000, .memory = 20},
	{.gpus = 4, .cpu = 8000, .memory = 80, .taint = "spot", .effect = TAINT_NO_SCHEDULE}};
static const struct case_job jobs[] = {
	{.pods = 6, .gpus = 1, .cpu = 1000, .memory = 10},
	{.pods = 4, .gpus = 2, .cpu = 3000, .memory = 5, .priority = 3},
	{.pods = 3, .gpus = 3, .cpu = 500, .memory = 30, .priority = 5, .tolerates = "spot"},
	{.pods = 2, .gpus = 2, .cpu = 500, .memory = 5, .priority = 9, .never = true},
	{.pods = 2, .gpus = 5, .cpu = 500, .memory = 5, .priority = 9},
};
enum { NODES = 4, JOBS = 5, PODS = 17 };

struct bench {
	struct cluster_case c;
	struct kube_match *match;
	struct kube_filter filter;
	struct kube_preempt *preempt;
	struct kube_classes *classes;
	struct kube_reasons *reasons;
};

static void open_bench(struct bench *b)
{
	cluster_case_open(&b->c, nodes, NODES, jobs, JOBS);
	b->match = kube_match_new(&b->c.world);
	kube_filter_init(&b->filter, &b->c.world);
	b->preempt = kube_preempt_new(&b->c.world);
	b->classes = kube_class_new(&b->c.world, b->match, b->preempt);
	b->reasons = kube_reason_new(&b->c.world, b->match, &b->filter, b->preempt);
}

static void close_bench(struct bench *b)
{
	kube_reason_free(b->reasons);
	kube_class_free(b->classes);
	kube_preempt_free(b->preempt);
	kube_filter_free(&b->filter);
	kube_match_free(b->match);
	cluster_case_close(&b->c);
}

/* The direct form: every node, one after another. */
static void examine(struct bench *b, uint32_t pod, const struct kube_class *class,
		    struct kube_failure *out)
{
	const struct kube_group *group = kube_match_at(b->match, class->group);
	const struct pod_shape *shape = &b->c.scenario->shapes[group->shape];
	uint32_t candidates[NODES], count = 0, victims;
	const uint32_t *who;
	struct kube_preempt_request request = {.pod = pod,
					       .priority = class->priority,
					       .nodes = candidates,
					       .filter = &b->filter,
					       .tally = &out->preempted};

	out->filtered.nodes = out->preempted.nodes = NODES;
	for (uint32_t node = 0; node < NODES; node++) {
		uint64_t lacking;

		if (group->verdict[node] != KUBE_SUITS) {
			out->filtered.verdicts[group->verdict[node]]++;
			continue;
		}
		lacking = kube_filter_node(&b->filter, node, pod, class->priority);
		kube_message_count(&out->filtered, lacking, 1);
		if (!kube_filter_unresolvable(&b->c.world.nodes[node], shape, lacking))
			candidates[count++] = node;
	}
	out->preempted.not_helpful = NODES - count;
	request.node_count = count;
	if (class->never)
		out->excuse = "not eligible due to preemptionPolicy=Never.";
	else if (count != 0)
		out->preempts =
			kube_preempt_choose(b->preempt, &request, &who, &victims) != NODE_NONE;
}

/* Whether or not the class is hopeless: the account is of what stands against it. */
static void check_pod(struct bench *b, uint32_t pod)
{
	uint32_t index = kube_class_of(b->classes, pod);
	const struct kube_class *class = kube_class_at(b->classes, index);
	struct kube_message message = {0};
	struct kube_failure direct = {.preempts = false};
	uint32_t text;

	examine(b, pod, class, &direct);
	if (direct.preempts)
		return;
	text = kube_reason_text(b->reasons, index, class, pod);
	ck_assert_str_eq(journal_text(b->c.world.journal, text),
			 kube_message_failure(&message, b->c.scenario->resources, &direct));
	kube_message_free(&message);
}

static void come_or_go(struct bench *b, struct rng *rng)
{
	uint32_t pod = (uint32_t)rng_below(rng, PODS);
	uint32_t node = (uint32_t)rng_below(rng, NODES);
	struct pod *p = &b->c.world.pods[pod];

	if (p->phase == POD_BOUND) {
		node = p->node;
		kube_preempt_gone(b->preempt, pod, node);
		cluster_case_remove(&b->c, pod);
		kube_filter_touch(&b->filter, node);
	} else if (kube_filter_forget(&b->filter, pod) == NODE_NONE) {
		if (rng_below(rng, 4) == 0) {
			kube_filter_nominate(&b->filter, pod, node);
			return;
		}
		cluster_case_bind(&b->c, pod, node);
		kube_preempt_bound(b->preempt, pod, node);
		kube_filter_touch(&b->filter, node);
	}
}

START_TEST(equals_the_look_at_every_node)
{
	struct rng *rng = rng_new((uint64_t)_i, "reasons");
	struct bench b;

	open_bench(&b);
	for (int step = 0; step < STEPS; step++) {
		uint32_t pod = (uint32_t)rng_below(rng, PODS);

		come_or_go(&b, rng);
		if (b.c.world.pods[pod].phase != POD_BOUND &&
		    kube_filter_nominated(&b.filter, pod) == NODE_NONE)
			check_pod(&b, pod);
		if (rng_below(rng, 50) == 0)
			kube_reason_nodes_changed(b.reasons);
	}
	close_bench(&b);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_reason");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, equals_the_look_at_every_node, 0, SEEDS);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
