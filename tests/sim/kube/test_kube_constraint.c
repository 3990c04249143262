#include "sim/kube/kube_constraint.h"

#include <stdio.h>

#include "core/rng.h"
#include "sim/engine/engine.h"
#include "tests/sim/constraint_case.h"
#include "tests/support/fixture.h"

/* ---- alone ---- */

struct bench {
	struct constraint_case c;
	struct kube_filter filter;
	struct kube_constraint *k;
};

static void open_bench(struct bench *b, const char *text)
{
	constraint_case_open(&b->c, text);
	kube_filter_init(&b->filter, &b->c.world);
	b->k = kube_constraint_new(&b->c.world, b->c.match, &b->filter);
}

static void close_bench(struct bench *b)
{
	kube_constraint_free(b->k);
	kube_filter_free(&b->filter);
	constraint_case_close(&b->c);
}

static uint32_t pod(const struct bench *b, const char *job, uint32_t index)
{
	return constraint_case_pod(&b->c, job, index);
}

static void begin(struct bench *b, uint32_t slot)
{
	kube_constraint_begin(b->k, slot, kube_match_group(b->c.match, slot));
}

START_TEST(none_is_a_value)
{
	struct bench b;
	uint32_t count = 7;

	open_bench(&b, NODES JOB("a", "1", "app: x", ""));
	ck_assert_ptr_null(b.k);
	ck_assert(!kube_constraint_filters(b.k, 0));
	ck_assert(!kube_constraint_scores(b.k, 0));
	kube_constraint_bound(b.k, 0, 0);
	kube_constraint_leaving(b.k, 0, 0);
	kube_constraint_gone(b.k, 0, 0);
	kube_constraint_wait(b.k, 0, 2);
	ck_assert_ptr_null(kube_constraint_node(b.k, &(struct kube_node_change){0}, &count));
	ck_assert_ptr_null(kube_constraint_helped(b.k, 0, true, &count));
	ck_assert_uint_eq(count, 0);
	close_bench(&b);
}
END_TEST

/* Weights 80 and 20: n0 (zone a, fast) 100, n1 (zone a) 20, n2 0: of 100; twice. */
START_TEST(node_preferences_score)
{
	static const uint32_t nodes[] = {0, 1, 2};
	int scores[3] = {0};
	struct bench b;

	open_bench(&b,
		   NODES JOB("a", "1", "",
			     ", affinity: {nodeAffinity: {" PREFERRED
			     "[{weight: 80, preference: {matchExpressions: [{key: disk, operator: "
			     "In, values: [fast]}]}}, {weight: 20, preference: "
			     "{matchExpressions: [{key: " ZONE
			     ", operator: In, values: [a]}]}}, {weight: 90, preference: {}}]}}"));
	ck_assert(kube_constraint_scores(b.k, 0));
	ck_assert(!kube_constraint_filters(b.k, 0));
	begin(&b, 0);
	kube_constraint_score(b.k, nodes, 3, scores);
	ck_assert_int_eq(scores[0], 200);
	ck_assert_int_eq(scores[1], 40);
	ck_assert_int_eq(scores[2], 0);
	memset(scores, 0, sizeof(scores));
	kube_constraint_score(b.k, nodes + 1, 2, scores); /* 20 is the most now */
	ck_assert_int_eq(scores[0], 200);
	ck_assert_int_eq(scores[1], 0);
	close_bench(&b);
}
END_TEST

START_TEST(the_spread_is_asked_first)
{
	struct bench b;

	open_bench(&b,
		   NODES JOB("a", "3", "app: x",
			     FAR(SELECTS("app: x") ", topologyKey: " HOST) SPREAD(
				     "maxSkew: 1, topologyKey: " ZONE
				     ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: x"))));
	kube_constraint_bound(b.k, pod(&b, "a", 0), 0);
	begin(&b, pod(&b, "a", 1));
	ck_assert_int_eq(kube_constraint_judge(b.k, 0), REFUSAL_SKEWED);
	ck_assert_int_eq(kube_constraint_judge(b.k, 2), REFUSAL_NONE);
	ck_assert_int_eq(kube_constraint_judge(b.k, 3), REFUSAL_UNLABELLED);
	kube_constraint_bound(b.k, pod(&b, "a", 1), 2);
	begin(&b, pod(&b, "a", 2));
	ck_assert_int_eq(kube_constraint_judge(b.k, 0), REFUSAL_REPELS);
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_NONE);
	ck_assert(kube_constraint_unresolvable(REFUSAL_UNLABELLED));
	ck_assert(kube_constraint_unresolvable(REFUSAL_UNMET));
	ck_assert(!kube_constraint_unresolvable(REFUSAL_SKEWED));
	ck_assert(!kube_constraint_unresolvable(REFUSAL_REPELS));
	ck_assert(!kube_constraint_unresolvable(REFUSAL_REPELLED));
	close_bench(&b);
}
END_TEST

/* Who is nominated counts where that forbids, not where that would allow. */
START_TEST(nominated_pods_may_come_or_not)
{
	struct bench b;

	open_bench(&b, NODES JOB("far", "1", "", FAR(SELECTS("app: x") ", topologyKey: " HOST))
			       JOB("near", "1", "", NEAR(SELECTS("app: x") ", topologyKey: " HOST))
				       JOB("x", "1", "app: x", ""));
	kube_filter_nominate(&b.filter, pod(&b, "x", 0), 1);
	begin(&b, pod(&b, "far", 0));
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_REPELS);
	ck_assert_int_eq(kube_constraint_judge(b.k, 0), REFUSAL_NONE);
	begin(&b, pod(&b, "near", 0));
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_UNMET);
	kube_constraint_bound(b.k, pod(&b, "x", 0), 1);
	begin(&b, pod(&b, "near", 0));
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_NONE);
	close_bench(&b);
}
END_TEST

/* Where nobody who is there wants to be far from a pod without terms, the filter is
 * skipped, and with it those that are nominated (PreFilter of InterPodAffinity). */
START_TEST(nominated_pods_repel_only_where_others_do)
{
	struct bench b;

	open_bench(&b, NODES JOB("far", "2", "", FAR(SELECTS("app: x") ", topologyKey: " HOST))
			       JOB("x", "1", "app: x", ""));
	kube_filter_nominate(&b.filter, pod(&b, "far", 0), 1);
	begin(&b, pod(&b, "x", 0));
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_NONE);
	kube_constraint_bound(b.k, pod(&b, "far", 1), 0);
	begin(&b, pod(&b, "x", 0));
	ck_assert_int_eq(kube_constraint_judge(b.k, 0), REFUSAL_REPELLED);
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_REPELLED);
	kube_constraint_gone(b.k, pod(&b, "far", 1), 0);
	ck_assert_int_eq(kube_constraint_judge(b.k, 1), REFUSAL_NONE);
	close_bench(&b);
}
END_TEST

/* The hints of a plugin are for those that it rejected. */
START_TEST(waiting_pods_are_found)
{
	struct bench b;
	uint32_t count, near, x;
	const uint32_t *helped;

	open_bench(&b, NODES JOB("near", "2", "", NEAR(SELECTS("app: x") ", topologyKey: " HOST))
			       JOB("x", "1", "app: x", ""));
	near = pod(&b, "near", 0);
	x = pod(&b, "x", 0);
	kube_constraint_wait(b.k, near, 1u << REFUSAL_UNMET);
	kube_constraint_wait(b.k, near + 1, 1u << REFUSAL_SKEWED);
	helped = kube_constraint_helped(b.k, x, true, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(helped[0], near);
	kube_constraint_helped(b.k, x, false, &count);
	ck_assert_uint_eq(count, 0);
	kube_constraint_wait(b.k, near, 0);
	kube_constraint_helped(b.k, x, true, &count);
	ck_assert_uint_eq(count, 0);
	close_bench(&b);
}
END_TEST

/* Node n1 changes in a way; one letter a job (spread, near, far, none): y is helped.
 * Expected values are those of the comments in isSchedulableAfterNodeChange of the two
 * plugins. */
static const struct {
	const char *name;
	bool was, is, taints;
	const char *zone; /* it has now; before: a */
	const char *wanted;
} changes[] = {
	{"nothing that they ask about", true, true, false, "a", "----"},
	{"taints matter to the spread alone", true, true, true, "a", "y---"},
	{"another zone", true, true, false, "c", "yyy-"},
	{"no zone any more: who is to be far may come", true, true, false, NULL, "y-y-"},
	{"no zone, and other taints", true, true, true, NULL, "y-y-"},
	{"new, with a zone", false, true, false, "a", "yyy-"},
	{"new, without one: anti-affinity takes any new node", false, true, false, NULL, "--y-"},
	{"gone", true, false, false, NULL, "y---"},
	{"another zone, but it is not there", false, false, false, "a", "----"},
};

static void change_node(struct bench *b, int i)
{
	struct node *node = &b->c.world.nodes[1];
	struct label *labels = mem_dup(node->labels.items, node->labels.count * sizeof(*labels));
	uint32_t key = name_find(b->c.s->strings, ZONE);
	uint32_t k = 0;

	if (!changes[i].was) { /* it was not there until now */
		uint32_t count;

		b->c.world.node_usable[1] = false;
		kube_constraint_node(b->k, &(struct kube_node_change){.node = 1, .was = true},
				     &count);
	}
	while (labels[k].key != key)
		k++;
	labels[k].value =
		changes[i].zone == NULL ? NAME_NONE : name_add(b->c.s->strings, changes[i].zone);
	if (changes[i].zone == NULL)
		labels[k].key = NAME_NONE;
	node->labels.items = labels;
	b->c.world.node_usable[1] = changes[i].is;
}

START_TEST(node_changes_help_some)
{
	static const char *const names[] = {"spread", "near", "far", "none"};
	struct kube_node_change change = {.node = 1,
					  .was = changes[_i].was,
					  .is = changes[_i].is,
					  .taints = changes[_i].taints};
	char got[] = "----";
	const uint32_t *helped;
	uint32_t count;
	struct bench b;

	open_bench(&b,
		   NODES JOB("spread", "1", "",
			     SPREAD("maxSkew: 1, topologyKey: " ZONE
				    ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: x")))
			   JOB("near", "1", "", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)) JOB(
				   "far", "1", "", FAR(SELECTS("app: x") ", topologyKey: " ZONE))
				   JOB("none", "1", "", "") JOB("c", "1", "app: x", ""));
	change_node(&b, _i);
	kube_constraint_wait(b.k, pod(&b, "spread", 0), 1u << REFUSAL_SKEWED);
	kube_constraint_wait(b.k, pod(&b, "near", 0), 1u << REFUSAL_UNMET);
	kube_constraint_wait(b.k, pod(&b, "far", 0), 1u << REFUSAL_REPELS);
	kube_constraint_wait(b.k, pod(&b, "none", 0), 1u << REFUSAL_REPELLED);
	helped = kube_constraint_node(b.k, &change, &count);
	for (uint32_t i = 0; i < count; i++) {
		for (int k = 0; k < 4; k++) {
			if (helped[i] == pod(&b, names[k], 0))
				got[k] = 'y';
		}
	}
	ck_assert_msg(strcmp(got, changes[_i].wanted) == 0, "%s: %s", changes[_i].name, got);
	mem_free((void *)(uintptr_t)b.c.world.nodes[1].labels.items);
	close_bench(&b);
}
END_TEST

/* ---- in the scheduler ---- */

#define AT(at) "gqsim/submit-at: '" at "', "
#define TIMED(name, pods, labels, at, duration, spec)                                              \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", annotations: {" AT(at) "gqsim/duration: '" duration "'}}\nspec: {parallelism: " pods    \
				  ", template: {metadata: {labels: {" labels                       \
				  "}}, spec: {containers: [{name: c, resources: {limits: "         \
				  "{nvidia.com/gpu: '1'}}}]" spec "}}}\n"
#define TWO_NODES NODE("n0", ZONE ": a") NODE("n1", ZONE ": b")
#define CLASSES                                                                                    \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"     \
	"value: 10\n"

static const struct {
	const char *name, *text;
	const char *journal; /* without submissions and creations */
	const char *message; /* of the first failed attempt; NULL: none */
} stories[] = {
	{"one a host: the third waits for an end",
	 TWO_NODES TIMED("a", "1", "app: x", "0", "50",
			 FAR(SELECTS("app: x") ", topologyKey: " HOST))
		 TIMED("b", "1", "app: x", "0", "80", FAR(SELECTS("app: x") ", topologyKey: " HOST))
			 TIMED("c", "1", "app: x", "1", "10",
			       FAR(SELECTS("app: x") ", topologyKey: " HOST)),
	 "0 bind a-0 n0\n0 start a\n0 bind b-0 n1\n0 start b\n1 fail c-0\n50 finish a\n"
	 "50 bind c-0 n0\n50 start c\n60 finish c\n80 finish b\n",
	 "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. no new claims "
	 "to "
	 "deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for "
	 "incoming pod."},
	{"who is kept off by others learns of their end by the flush only",
	 TWO_NODES TIMED("lone", "1", "", "0", "50", FAR(SELECTS("app: x") ", topologyKey: " HOST))
		 TIMED("two", "1", "", "0", "50",
		       FAR(SELECTS("app: x") ", topologyKey: " HOST) ", nodeSelector: {" ZONE
								     ": b}")
			 TIMED("x", "1", "app: x", "1", "10", ""),
	 "0 bind lone-0 n0\n0 start lone\n0 bind two-0 n1\n0 start two\n1 fail x-0\n"
	 "50 finish lone\n50 finish two\n330 bind x-0 n0\n330 start x\n340 finish x\n",
	 "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules. no "
	 "new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims "
	 "found for incoming pod."},
	{"near to what comes later",
	 TWO_NODES TIMED("near", "1", "", "0", "50", NEAR(SELECTS("app: x") ", topologyKey: " ZONE))
		 TIMED("x", "1", "app: x", "5", "100", ", nodeSelector: {" ZONE ": b}"),
	 "0 fail near-0\n5 bind x-0 n1\n5 start x\n5 bind near-0 n1\n5 start near\n55 finish near\n"
	 "105 finish x\n",
	 "0/2 nodes are available: 2 node(s) didn't match pod affinity rules. no new claims to "
	 "deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
	 "scheduling."},
	{"spread over zones, one zone cordoned",
	 NODE("n0",
	      ZONE ": a") "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: "
			  "{" ZONE
			  ": b}}\nspec: {unschedulable: true}\n" NODE_STATUS NODE("n2", "") TIMED(
				  "a", "2", "app: x", "0", "50",
				  SPREAD("maxSkew: 1, topologyKey: " ZONE
					 ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: x"))),
	 "0 bind a-0 n0\n0 fail a-1\n0 deadlock\n330 fail a-1\n660 fail a-1\n",
	 "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 "
	 "node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) "
	 "were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 1 "
	 "No preemption victims found for incoming pod, 2 Preemption is not helpful for "
	 "scheduling."},
	{"anti-affinity is overcome by preemption, of who stands in the way only",
	 CLASSES NODE("n0", "") TIMED("x", "1", "app: x", "0", "100", "") TIMED("v", "1", "app: v",
										"0", "100", "")
		 TIMED("high", "1", "", "10", "20",
		       ", priorityClassName: high" FAR(SELECTS("app: x") ", topologyKey: " HOST)),
	 "0 bind x-0 n0\n0 start x\n0 bind v-0 n0\n0 start v\n10 fail high-0\n10 lose x-0\n"
	 "10 interrupt x\n10 lost x 10\n10 bind high-0 n0\n10 start high\n20 fail x-0-r1\n"
	 "30 finish high\n100 finish v\n330 bind x-0-r1 n0\n330 start x\n430 finish x\n",
	 "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."},
	{"preferred zone and soft spread choose among nodes with room",
	 TWO_NODES TIMED("a", "2", "app: x", "0", "50",
			 SPREAD("maxSkew: 1, topologyKey: " ZONE
				", whenUnsatisfiable: ScheduleAnyway, " SELECTS("app: x")))
		 TIMED("b", "1", "", "0", "50",
		       ", affinity: {nodeAffinity: {" PREFERRED
		       "[{weight: 1, preference: {matchExpressions: [{key: " ZONE
		       ", operator: In, values: [b]}]}}]}}"),
	 "0 bind a-0 n0\n0 bind a-1 n1\n0 start a\n0 bind b-0 n1\n0 start b\n50 finish a\n"
	 "50 finish b\n",
	 NULL},
};

static const char *first_message(const struct journal *j)
{
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_POD_FAILED)
			return journal_text(j, r->arg);
	}
	return "";
}

/* The records but those of submissions and creations. */
static char *moves(const struct journal *j)
{
	char *all = fixture_print(j), *to = all;

	for (const char *line = all; *line != '\0';) {
		const char *kind = strchr(line, ' ') + 1, *next = strchr(line, '\n') + 1;

		if (strncmp(kind, "submit", 6) != 0 && strncmp(kind, "create", 6) != 0) {
			memmove(to, line, (size_t)(next - line));
			to += next - line;
		}
		line = next;
	}
	*to = '\0';
	return all;
}

START_TEST(story)
{
	struct scenario *s = objects_case_load(stories[_i].text);
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	char *got;

	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	got = moves(j);
	ck_assert_msg(strcmp(got, stories[_i].journal) == 0, "%s:\n%s", stories[_i].name, got);
	if (stories[_i].message != NULL)
		ck_assert_str_eq(first_message(j), stories[_i].message);
	free(got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Two of them see the same; one is made to count anew for every question. */
static void compare(struct kube_constraint *kept, struct kube_constraint *fresh,
		    const struct bench *b, uint32_t slot)
{
	static const uint32_t nodes[] = {0, 1, 2, 3};
	int scores[2][4] = {{0}};
	uint32_t group = kube_match_group(b->c.match, slot), count;

	kube_constraint_begin(kept, slot, group);
	kube_constraint_node(fresh, &(struct kube_node_change){0}, &count);
	kube_constraint_begin(fresh, slot, group);
	for (uint32_t node = 0; node < 4; node++)
		ck_assert_int_eq(kube_constraint_judge(kept, node),
				 kube_constraint_judge(fresh, node));
	kube_constraint_score(kept, nodes, 4, scores[0]);
	kube_constraint_score(fresh, nodes, 4, scores[1]);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(scores[0][i], scores[1][i]);
}

enum { KEPT_PODS = 12, KEPT_STEPS = 200 };

static void come_or_go(struct kube_constraint *const both[2], uint32_t slot, uint32_t node,
		       uint8_t where[KEPT_PODS], bool leaves)
{
	for (int i = 0; i < 2; i++) {
		if (where[slot] == 0)
			kube_constraint_bound(both[i], slot, node);
		else if (where[slot] < 10 && leaves)
			kube_constraint_leaving(both[i], slot, where[slot] - 1u);
		else
			kube_constraint_gone(both[i], slot, where[slot] % 10 - 1u);
	}
	if (where[slot] == 0)
		where[slot] = (uint8_t)(node + 1);
	else
		where[slot] = where[slot] < 10 && leaves ? (uint8_t)(where[slot] + 10) : 0;
}

START_TEST(what_was_counted_is_kept_up_to_date)
{
	struct rng *rng = rng_new((uint64_t)_i, "constraints");
	struct kube_constraint *both[2];
	uint8_t where[KEPT_PODS] = {0}; /* node + 1; + 10: leaving */
	struct bench b;

	open_bench(&b, NODES JOB("a", "4", "app: x",
				 ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
				 ", whenUnsatisfiable: DoNotSchedule, " SELECTS(
					 "app: x") "}, {maxSkew: 2, topologyKey: " HOST
						   ", whenUnsatisfiable: ScheduleAnyway, " SELECTS(
							   "app: x") "}]")
			       JOB("b", "4", "app: x",
				   NEAR(SELECTS("app: v") ", topologyKey: " ZONE) SPREAD(
					   "maxSkew: 1, topologyKey: " ZONE
					   ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}"))
				       JOB("c", "4", "app: v",
					   FAR(SELECTS("app: x") ", topologyKey: " HOST)));
	both[0] = b.k;
	both[1] = kube_constraint_new(&b.c.world, b.c.match, &b.filter);
	for (int step = 0; step < KEPT_STEPS; step++) {
		uint32_t slot = (uint32_t)rng_below(rng, KEPT_PODS);

		come_or_go(both, slot, (uint32_t)rng_below(rng, 4), where, rng_below(rng, 2) == 0);
		compare(both[0], both[1], &b, (uint32_t)rng_below(rng, KEPT_PODS));
	}
	kube_constraint_free(both[1]);
	close_bench(&b);
	rng_free(rng);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, none_is_a_value);
	tcase_add_test(t, node_preferences_score);
	tcase_add_test(t, the_spread_is_asked_first);
	tcase_add_test(t, nominated_pods_may_come_or_not);
	tcase_add_test(t, nominated_pods_repel_only_where_others_do);
	tcase_add_test(t, waiting_pods_are_found);
	tcase_add_loop_test(t, node_changes_help_some, 0, ROWS(changes));
	tcase_add_loop_test(t, what_was_counted_is_kept_up_to_date, 0, 20);
	tcase_add_loop_test(t, story, 0, ROWS(stories));
	return objects_case_run("kube_constraint", t);
}
