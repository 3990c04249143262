/* Numbers worked out by hand from the formulas of kube-scheduler v1.34.4,
 * pkg/scheduler/framework/plugins/interpodaffinity. */
#include "sim/kube/kube_affinity.h"

#include "tests/sim/constraint_case.h"

struct bench {
	struct constraint_case c;
	struct kube_affinity *a;
};

static void open_bench(struct bench *b, const char *text)
{
	constraint_case_open(&b->c, text);
	b->a = kube_affinity_new(b->c.peers);
}

static void close_bench(struct bench *b)
{
	kube_affinity_free(b->a);
	constraint_case_close(&b->c);
}

/* One letter a node: . fine, u unmet, r repels, x repelled. */
static void check(struct bench *b, const char *job, const char *wanted)
{
	static const char letters[] = ".urx";
	char got[5] = "";

	kube_affinity_nodes_changed(b->a); /* pods came without its being told */
	kube_affinity_begin(b->a, constraint_case_kind(&b->c, job));
	for (uint32_t node = 0; node < 4; node++)
		got[node] = letters[kube_affinity_judge(b->a, node)];
	ck_assert_str_eq(got, wanted);
}

static void check_scores(struct bench *b, const char *job, uint32_t count, int s0, int s1, int s2)
{
	static const uint32_t nodes[] = {0, 1, 2};
	int scores[3] = {7, 7, 7};

	kube_affinity_nodes_changed(b->a); /* pods came without its being told */
	kube_affinity_begin(b->a, constraint_case_kind(&b->c, job));
	kube_affinity_score(b->a, nodes, count, 2, scores);
	ck_assert_int_eq(scores[0], 7 + s0);
	ck_assert_int_eq(scores[1], 7 + s1);
	ck_assert_int_eq(scores[2], 7 + s2);
}

START_TEST(one_pod_a_host)
{
	struct bench b;

	open_bench(&b,
		   NODES JOB("a", "3", "app: x", FAR(SELECTS("app: x") ", topologyKey: " HOST)));
	check(&b, "a", "....");
	constraint_case_bind(&b.c, "a", 0, 0);
	check(&b, "a", "r...");
	constraint_case_bind(&b.c, "a", 1, 2);
	check(&b, "a", "r.r.");
	ck_assert(kube_affinity_filters(b.a, constraint_case_kind(&b.c, "a")));
	close_bench(&b);
}
END_TEST

/* What runs keeps others off, too, whatever they themselves ask for. */
START_TEST(anti_affinity_works_both_ways)
{
	struct bench b;

	open_bench(&b, NODES JOB("lone", "1", "", FAR(SELECTS("app: x") ", topologyKey: " ZONE))
			       JOB("a", "1", "app: x", "") JOB("b", "1", "app: m", ""));
	constraint_case_bind(&b.c, "lone", 0, 0);
	check(&b, "a", "xx..");
	check(&b, "b", "....");
	ck_assert(kube_affinity_filters(b.a, constraint_case_kind(&b.c, "a")));
	ck_assert(!kube_affinity_filters(b.a, constraint_case_kind(&b.c, "b")));
	ck_assert(!kube_affinity_scores(b.a, constraint_case_kind(&b.c, "b")));
	constraint_case_bind(&b.c, "a", 0, 2);
	check(&b, "lone", "..r.");
	close_bench(&b);
}
END_TEST

/* The first of a group that wants to be together may go anywhere with the label. */
START_TEST(affinity_to_oneself_begins_somewhere)
{
	struct bench b;

	open_bench(&b,
		   NODES JOB("a", "3", "app: x", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)));
	check(&b, "a", "...u");
	constraint_case_bind(&b.c, "a", 0, 1);
	check(&b, "a", "..uu");
	close_bench(&b);
}
END_TEST

START_TEST(affinity_to_others_waits_for_them)
{
	struct bench b;

	open_bench(&b, NODES JOB("a", "1", "", NEAR(SELECTS("app: x") ", topologyKey: " ZONE))
			       JOB("x", "2", "app: x", ""));
	check(&b, "a", "uuuu");
	constraint_case_bind(&b.c, "x", 0, 2);
	check(&b, "a", "uu.u");
	/* A node without the label is in no domain. */
	constraint_case_bind(&b.c, "x", 1, 3);
	check(&b, "a", "uu.u");
	close_bench(&b);
}
END_TEST

/* The same pod must meet all terms. */
START_TEST(terms_are_met_by_one_pod)
{
	struct bench b;

	open_bench(&b, NODES JOB("a", "1", "",
				 NEAR(SELECTS("app: x") ", topologyKey: " ZONE "}, {" SELECTS(
					 "tier: db") ", topologyKey: " HOST))
			       JOB("x", "1", "app: x", "") JOB("db", "1", "tier: db", "")
				       JOB("both", "1", "app: x, tier: db", ""));
	constraint_case_bind(&b.c, "x", 0, 0);
	constraint_case_bind(&b.c, "db", 0, 0);
	check(&b, "a", "uuuu");
	constraint_case_bind(&b.c, "both", 0, 0);
	check(&b, "a", ".uuu");
	close_bench(&b);
}
END_TEST

#define WEIGHTED(weight, label, key)                                                               \
	"{weight: " weight ", podAffinityTerm: {" SELECTS(label) ", topologyKey: " key "}}"

/* n0: 80 - 30 = 50, n1: 80, n2: 0, of 0..80: 62.5, 100, 0, truncated; twice. */
START_TEST(preferences_are_stretched)
{
	struct bench b;

	open_bench(&b,
		   NODES JOB("a", "1", "",
			     ", affinity: {podAffinity: {" PREFERRED "[" WEIGHTED(
				     "80", "app: x", ZONE) "]}, podAntiAffinity: {" PREFERRED
							   "[" WEIGHTED("30", "app: x", HOST) "]}}")
			   JOB("x", "1", "app: x", ""));
	check_scores(&b, "a", 3, 0, 0, 0);
	constraint_case_bind(&b.c, "x", 0, 0);
	check_scores(&b, "a", 3, 124, 200, 0);
	check(&b, "a", "....");
	ck_assert(kube_affinity_scores(b.a, constraint_case_kind(&b.c, "a")));
	ck_assert(!kube_affinity_filters(b.a, constraint_case_kind(&b.c, "a")));
	close_bench(&b);
}
END_TEST

/* n0: -30, n1: -10, n2: 0, and as much again from those that run: of -60..0 these
 * are 0, 66.7, 100. */
START_TEST(each_pod_pushes)
{
	struct bench b;

	open_bench(&b, NODES JOB("a", "5", "app: x",
				 ", affinity: {podAntiAffinity: {" PREFERRED
				 "[" WEIGHTED("10", "app: x", HOST) "]}}"));
	for (uint32_t i = 0; i < 3; i++)
		constraint_case_bind(&b.c, "a", i, 0);
	constraint_case_bind(&b.c, "a", 3, 1);
	check_scores(&b, "a", 3, 0, 132, 200);
	close_bench(&b);
}
END_TEST

/* A running pod's required affinity counts 1 a term, its preferred ones their weight:
 * zone a 1 - 40 = -39 for n0 and n1, 0 for n2. And with n0 and n1 only: all equal, 0. */
START_TEST(running_pods_have_wishes_too)
{
	struct bench b;

	open_bench(&b, NODES JOB("wants", "1", "", NEAR(SELECTS("app: m") ", topologyKey: " ZONE))
			       JOB("shuns", "1", "",
				   ", affinity: {podAntiAffinity: {" PREFERRED
				   "[" WEIGHTED("40", "app: m", ZONE) "]}}")
				       JOB("m", "1", "app: m", ""));
	constraint_case_bind(&b.c, "wants", 0, 1);
	check_scores(&b, "m", 3, 200, 200, 0);
	constraint_case_bind(&b.c, "shuns", 0, 0);
	check_scores(&b, "m", 3, 0, 0, 200);
	check_scores(&b, "m", 2, 0, 0, 0);
	ck_assert(kube_affinity_scores(b.a, constraint_case_kind(&b.c, "m")));
	close_bench(&b);
}
END_TEST

START_TEST(shifts_are_undone)
{
	struct bench b;
	uint32_t kind;

	open_bench(&b,
		   NODES JOB("a", "2", "app: x", FAR(SELECTS("app: x") ", topologyKey: " HOST)));
	kind = constraint_case_kind(&b.c, "a");
	constraint_case_bind(&b.c, "a", 0, 1);
	kube_affinity_begin(b.a, kind);
	kube_affinity_shift(b.a, kind, 1, -1);
	ck_assert_int_eq(kube_affinity_judge(b.a, 1), AFFINITY_FINE);
	kube_affinity_shift(b.a, kind, 0, 1);
	ck_assert_int_eq(kube_affinity_judge(b.a, 0), AFFINITY_REPELS);
	kube_affinity_shift(b.a, kind, 0, -1);
	kube_affinity_shift(b.a, kind, 1, 1);
	ck_assert_int_eq(kube_affinity_judge(b.a, 0), AFFINITY_FINE);
	ck_assert_int_eq(kube_affinity_judge(b.a, 1), AFFINITY_REPELS);
	close_bench(&b);
}
END_TEST

/* isSchedulableAfterPodChange of v1.34: an arrival helps who wants to be near it, an
 * end who wants to be far from it; not who was kept off by it. */
START_TEST(hints)
{
	struct bench b;
	uint32_t near, far, x, lone;

	open_bench(&b, NODES JOB("near", "1", "", NEAR(SELECTS("app: x") ", topologyKey: " ZONE))
			       JOB("far", "1", "", FAR(SELECTS("app: x") ", topologyKey: " HOST))
				       JOB("x", "1", "app: x", ""));
	near = constraint_case_kind(&b.c, "near");
	far = constraint_case_kind(&b.c, "far");
	x = constraint_case_kind(&b.c, "x");
	lone = far;
	ck_assert(kube_affinity_helped(b.a, near, x, true));
	ck_assert(!kube_affinity_helped(b.a, near, x, false));
	ck_assert(!kube_affinity_helped(b.a, near, far, true));
	ck_assert(kube_affinity_helped(b.a, far, x, false));
	ck_assert(!kube_affinity_helped(b.a, far, x, true));
	ck_assert(!kube_affinity_helped(b.a, x, lone, false));
	close_bench(&b);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, one_pod_a_host);
	tcase_add_test(t, anti_affinity_works_both_ways);
	tcase_add_test(t, affinity_to_oneself_begins_somewhere);
	tcase_add_test(t, affinity_to_others_waits_for_them);
	tcase_add_test(t, terms_are_met_by_one_pod);
	tcase_add_test(t, preferences_are_stretched);
	tcase_add_test(t, each_pod_pushes);
	tcase_add_test(t, running_pods_have_wishes_too);
	tcase_add_test(t, shifts_are_undone);
	tcase_add_test(t, hints);
	return objects_case_run("kube_affinity", t);
}
