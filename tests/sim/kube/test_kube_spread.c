/* Numbers worked out by hand from the formulas of kube-scheduler v1.34.4,
 * pkg/scheduler/framework/plugins/podtopologyspread. */
#include "sim/kube/kube_spread.h"

#include "tests/sim/constraint_case.h"

struct bench {
	struct constraint_case c;
	struct kube_spread *s;
};

static void open_bench(struct bench *b, const char *text)
{
	constraint_case_open(&b->c, text);
	b->s = kube_spread_new(b->c.peers, b->c.match);
}

static void close_bench(struct bench *b)
{
	kube_spread_free(b->s);
	constraint_case_close(&b->c);
}

static void begin(struct bench *b)
{
	kube_spread_begin(b->s, constraint_case_kind(&b->c, "a"),
			  constraint_case_group(&b->c, "a"));
}

#define RULE(skew, key, action)                                                                    \
	"maxSkew: " skew ", topologyKey: " key ", whenUnsatisfiable: " action
#define HARD(skew, key) RULE(skew, key, "DoNotSchedule") ", " SELECTS("app: x")
#define SOFT(skew, key) RULE(skew, key, "ScheduleAnyway") ", " SELECTS("app: x")
#define A(spec)		JOB("a", "9", "app: x", spec)

/* Pods of a on n0, n1, n2, n3; a letter a node: . fine, s skewed, u unlabelled. */
static const struct {
	const char *name, *text;
	uint32_t bound[4];
	const char *verdicts;
} filters[] = {
	{"all empty: 0 + 1 - 0", NODES A(SPREAD(HARD("1", ZONE))), {0, 0, 0, 0}, "...u"},
	{"a: 2 + 1 - 1 > 1, b: 1 + 1 - 1", NODES A(SPREAD(HARD("1", ZONE))), {1, 1, 1, 0}, "ss.u"},
	{"a skew of 2 lets both", NODES A(SPREAD(HARD("2", ZONE))), {1, 1, 1, 0}, "...u"},
	{"less than minDomains: the least is 0",
	 NODES A(SPREAD(HARD("1", ZONE) ", minDomains: 3")),
	 {1, 0, 1, 0},
	 "sssu"},
	{"as many as minDomains",
	 NODES A(SPREAD(HARD("1", ZONE) ", minDomains: 2")),
	 {1, 0, 1, 0},
	 "...u"},
	{"pods on a node without the label do not count",
	 NODES A(SPREAD(HARD("1", ZONE))),
	 {0, 0, 0, 5},
	 "...u"},
	{"a zone that the selector excludes is no domain",
	 NODES A(SPREAD(HARD("1", ZONE)) ", nodeSelector: {" ZONE ": a}"),
	 {1, 1, 0, 0},
	 "...u"}, /* least 2: a 2 + 1 - 2; b 0 + 1 - 2 */
	{"unless it is to be ignored",
	 NODES A(SPREAD(HARD("1", ZONE) ", nodeAffinityPolicy: Ignore") ", nodeSelector: {" ZONE
									": a}"),
	 {1, 1, 0, 0},
	 "ss.u"},
	{"taints are ignored by default",
	 NODES NODE("n4", ZONE ": c") "---\napiVersion: v1\nkind: Node\nmetadata: {name: n4, "
				      "labels: {" ZONE ": c}}\nspec: {taints: [{key: k, effect: "
				      "NoSchedule}]}\n" NODE_STATUS A(SPREAD(HARD("1", ZONE))),
	 {1, 0, 1, 0},
	 "sssu"},
	{"or honoured",
	 NODES NODE("n4", ZONE ": c") "---\napiVersion: v1\nkind: Node\nmetadata: {name: n4, "
				      "labels: {" ZONE ": c}}\nspec: {taints: [{key: k, effect: "
				      "NoSchedule}]}\n" NODE_STATUS A(
					      SPREAD(HARD("1", ZONE) ", nodeTaintsPolicy: Honor")),
	 {1, 0, 1, 0},
	 "...u"},
	{"every constraint must hold; hosts: n0 2 + 1 - 0",
	 NODES A(SPREAD(HARD("3", ZONE) "}, {" HARD("1", HOST))),
	 {1, 0, 0, 0},
	 "s..u"},
	{"a pod that does not count itself",
	 NODES JOB("a", "9", "app: m",
		   SPREAD(RULE("1", ZONE, "DoNotSchedule") ", " SELECTS("app: x"))),
	 {2, 0, 1, 0}, /* those of a are not selected */
	 "...u"},
	{"the empty selector counts none, and the pod itself",
	 NODES A(SPREAD(RULE("1", ZONE, "DoNotSchedule") ", labelSelector: {}")),
	 {5, 0, 0, 0},
	 "...u"},
	{"no selector counts none at all",
	 NODES A(SPREAD(RULE("1", ZONE, "DoNotSchedule"))),
	 {5, 0, 0, 0},
	 "...u"},
	{"values of the pod's own labels",
	 NODES JOB("a", "9", "app: x, run: r1",
		   SPREAD(HARD("1", ZONE) ", matchLabelKeys: [run, absent]"))
		 JOB("old", "9", "app: x, run: r0", ""),
	 {1, 0, 1, 0},
	 "...u"},
};

START_TEST(filter)
{
	static const char letters[] = ".su";
	char got[5] = "";
	uint32_t pod = 0;
	struct bench b;

	open_bench(&b, filters[_i].text);
	for (uint32_t node = 0; node < 4; node++)
		for (uint32_t i = 0; i < filters[_i].bound[node]; i++)
			constraint_case_bind(&b.c, "a", pod++, node);
	begin(&b);
	for (uint32_t node = 0; node < 4; node++)
		got[node] = letters[kube_spread_judge(b.s, node)];
	ck_assert_msg(strcmp(got, filters[_i].verdicts) == 0, "%s: %s", filters[_i].name, got);
	ck_assert(kube_spread_filters(b.s, constraint_case_kind(&b.c, "a")));
	ck_assert(!kube_spread_scores(b.s, constraint_case_kind(&b.c, "a")));
	close_bench(&b);
}
END_TEST

START_TEST(who_leaves_does_not_count)
{
	struct bench b;

	open_bench(&b, NODES A(SPREAD(HARD("1", ZONE))));
	constraint_case_bind(&b.c, "a", 0, 0);
	begin(&b);
	ck_assert_int_eq(kube_spread_judge(b.s, 1), SPREAD_SKEWED);
	kube_peers_leaving(b.c.peers, constraint_case_pod(&b.c, "a", 0), 0);
	kube_spread_moved(b.s, constraint_case_kind(&b.c, "a"), 0, -1);
	begin(&b);
	ck_assert_int_eq(kube_spread_judge(b.s, 1), SPREAD_FINE);
	close_bench(&b);
}
END_TEST

START_TEST(shifts_move_the_least)
{
	struct bench b;
	uint32_t kind;

	open_bench(&b, NODES A(SPREAD(HARD("1", ZONE))));
	kind = constraint_case_kind(&b.c, "a");
	constraint_case_bind(&b.c, "a", 0, 0);
	constraint_case_bind(&b.c, "a", 1, 2);
	begin(&b);
	ck_assert_int_eq(kube_spread_judge(b.s, 1), SPREAD_FINE);
	kube_spread_shift(b.s, kind, 2, -1);
	ck_assert_int_eq(kube_spread_judge(b.s, 1), SPREAD_SKEWED);
	kube_spread_shift(b.s, kind, 2, 1);
	ck_assert_int_eq(kube_spread_judge(b.s, 1), SPREAD_FINE);
	close_bench(&b);
}
END_TEST

#define DEPLOYMENT                                                                                 \
	"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 9, "    \
	"selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: "       \
	"{containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]}}}\n"

/* Scores of n0, n1, n2, n3, twice 0..100. */
static const struct {
	const char *name, *text;
	uint32_t bound[4];
	uint32_t found; /* nodes, from n0 on */
	int scores[4];
} scores[] = {
	/* ln 4 = 1.386: a round(2.77) = 3, b round(1.39) = 1; 100 * (3 + 1 - s) / 3; n3 has
	 * no zone */
	{"zones", NODES A(SPREAD(SOFT("1", ZONE))), {1, 1, 1, 0}, 4, {66, 66, 200, 0}},
	/* ln 6 = 1.792 of four hosts: 3.58 -> 4, 0, 1.79 -> 2, 0 */
	{"hosts", NODES A(SPREAD(SOFT("1", HOST))), {2, 0, 1, 0}, 4, {0, 200, 100, 200}},
	/* The same of three: ln 5 = 1.609: 3.22 -> 3, 0, 1.61 -> 2; 100 * 1 / 3 */
	{"the hosts found", NODES A(SPREAD(SOFT("1", HOST))), {2, 0, 1, 4}, 3, {0, 200, 66, 0}},
	/* + 4 each: 8, 4, 6: 100 * (8 + 4 - s) / 8 */
	{"a higher skew waters it down",
	 NODES A(SPREAD(SOFT("5", HOST))),
	 {2, 0, 1, 0},
	 4,
	 {100, 200, 150, 200}},
	{"nothing there yet: the full score",
	 NODES A(SPREAD(SOFT("1", HOST))),
	 {0},
	 4,
	 {200, 200, 200, 200}},
	/* Hosts: 2 ln 6 + 2 = 5.58, 2, ln 6 + 2 = 3.79, 2; zones, of which no zone is one:
	 * 2 ln 5 + 4 = 7.22, 7.22, ln 5 + 4 = 5.61, none: 12.80 -> 13, 9.22 -> 9, 9.40 -> 9,
	 * 2; 100 * (13 + 2 - s) / 13: 15, 46, 46, 100 */
	{"a Deployment has the system's own", NODES DEPLOYMENT, {2, 0, 1, 0}, 4, {30, 92, 92, 200}},
};

START_TEST(score)
{
	static const uint32_t nodes[] = {0, 1, 2, 3};
	int got[4] = {0};
	uint32_t pod = 0;
	struct bench b;

	open_bench(&b, scores[_i].text);
	for (uint32_t node = 0; node < 4; node++)
		for (uint32_t i = 0; i < scores[_i].bound[node]; i++)
			constraint_case_bind(&b.c, "a", pod++, node);
	begin(&b);
	kube_spread_score(b.s, nodes, scores[_i].found, 2, got);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_msg(got[i] == scores[_i].scores[i], "%s: n%u: %d", scores[_i].name, i,
			      got[i]);
	ck_assert(kube_spread_scores(b.s, constraint_case_kind(&b.c, "a")));
	ck_assert(!kube_spread_filters(b.s, constraint_case_kind(&b.c, "a")));
	close_bench(&b);
}
END_TEST

/* Of a Deployment the pods of its ReplicaSet count, of nobody else. */
START_TEST(others_with_the_labels_are_not_the_deployments)
{
	static const uint32_t nodes[] = {0, 1};
	int got[2] = {0};
	struct bench b;

	open_bench(&b, NODES DEPLOYMENT JOB("other", "5", "app: x", ""));
	for (uint32_t i = 0; i < 5; i++)
		constraint_case_bind(&b.c, "other", i, 0);
	begin(&b);
	kube_spread_score(b.s, nodes, 2, 2, got);
	ck_assert_int_eq(got[0], got[1]);
	close_bench(&b);
}
END_TEST

START_TEST(hints)
{
	struct bench b;
	uint32_t a;

	open_bench(&b, NODES A(SPREAD(HARD("1", ZONE))) JOB("x", "1", "app: x", "")
			       JOB("m", "1", "app: m", "") JOB_IN("ml", "far", "1", "app: x", ""));
	a = constraint_case_kind(&b.c, "a");
	ck_assert(kube_spread_helped(b.s, a, a));
	ck_assert(kube_spread_helped(b.s, a, constraint_case_kind(&b.c, "x")));
	ck_assert(!kube_spread_helped(b.s, a, constraint_case_kind(&b.c, "m")));
	ck_assert(!kube_spread_helped(b.s, a, constraint_case_kind(&b.c, "far")));
	ck_assert(!kube_spread_helped(b.s, constraint_case_kind(&b.c, "x"), a));
	close_bench(&b);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, filter, 0, ROWS(filters));
	tcase_add_test(t, who_leaves_does_not_count);
	tcase_add_test(t, shifts_move_the_least);
	tcase_add_loop_test(t, score, 0, ROWS(scores));
	tcase_add_test(t, others_with_the_labels_are_not_the_deployments);
	tcase_add_test(t, hints);
	return objects_case_run("kube_spread", t);
}
