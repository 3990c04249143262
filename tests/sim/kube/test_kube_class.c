#include "sim/kube/kube_class.h"

#include <check.h>

#include "tests/support/cluster_case.h"

static const struct case_node nodes[] = {{.gpus = 4}, {.gpus = 8}};
static const struct case_job jobs[] = {
	{.pods = 2, .gpus = 2},
	{.pods = 1, .gpus = 2, .priority = 5},
	{.pods = 1, .gpus = 2, .priority = 5, .never = true},
	{.pods = 1, .gpus = 8},
};

struct bench {
	struct cluster_case c;
	struct kube_match *match;
	struct kube_preempt *preempt;
	struct kube_classes *classes;
};

static void open_bench(struct bench *b)
{
	cluster_case_open(&b->c, nodes, 2, jobs, 4);
	b->match = kube_match_new(&b->c.world);
	b->preempt = kube_preempt_new(&b->c.world);
	b->classes = kube_class_new(&b->c.world, b->match, b->preempt);
}

static void close_bench(struct bench *b)
{
	kube_class_free(b->classes);
	kube_preempt_free(b->preempt);
	kube_match_free(b->match);
	cluster_case_close(&b->c);
}

START_TEST(classes_differ_by_shape_priority_and_policy)
{
	struct bench b;

	open_bench(&b);
	ck_assert_uint_eq(kube_class_of(b.classes, 0), 0);
	ck_assert_uint_eq(kube_class_of(b.classes, 1), 0);
	ck_assert_uint_eq(kube_class_of(b.classes, 2), 1);
	ck_assert_uint_eq(kube_class_of(b.classes, 3), 2);
	ck_assert_uint_eq(kube_class_of(b.classes, 4), 3);
	ck_assert_uint_eq(kube_class_of(b.classes, 2), 1);
	ck_assert_int_eq(kube_class_at(b.classes, 1)->priority, 5);
	ck_assert(kube_class_at(b.classes, 2)->never);
	close_bench(&b);
}
END_TEST

/* Reservations tell shapes, flavors and domains apart; what is remembered of the last pod
 * with one is what kube_match_group says of it. */
START_TEST(reservations_tell_classes_apart)
{
	static const struct case_node pools[] = {{.gpus = 8, .pool = "a"},
						 {.gpus = 8, .pool = "b"}};
	static const struct case_job gangs[] = {
		{.pods = 2, .gpus = 1}, {.pods = 2, .gpus = 1}, {.pods = 2, .gpus = 2}};
	struct label labels[2];
	struct flavor flavors[2] = {{.topology_name = 0}, {.topology_name = 0}};
	struct topology topology = {.level_count = 1};
	struct admission_flavor on[2] = {{RES_GPU, 0}, {RES_GPU, 1}};
	struct admission_pod_set sets[3] = {
		{2, 1, &on[0], 0, NULL}, {2, 1, &on[1], 0, NULL}, {2, 1, &on[0], 2, NULL}};
	struct admission_domain domains[2];
	struct bench b;
	uint32_t pool;

	cluster_case_open(&b.c, pools, 2, gangs, 3);
	pool = name_find(b.c.scenario->strings, "pool");
	for (size_t i = 0; i < 2; i++) {
		const char *value = i == 0 ? "a" : "b";

		labels[i] = (struct label){pool, name_find(b.c.scenario->strings, value)};
		flavors[i].node_labels = (struct label_set){&labels[i], 1};
		domains[i] = (struct admission_domain){journal_string(b.c.journal, value), 1};
	}
	topology.levels = &pool;
	sets[2].domains = domains;
	b.c.scenario->flavors = flavors;
	b.c.scenario->topologies = &topology;
	b.match = kube_match_new(&b.c.world);
	b.preempt = kube_preempt_new(&b.c.world);
	b.classes = kube_class_new(&b.c.world, b.match, b.preempt);
	for (uint32_t round = 0; round < 9; round++) {
		for (uint32_t job = 0; job < 3; job++) {
			struct admission a = {.pod_set_count = 1,
					      .pod_sets = &sets[(round + job * (round / 3)) % 3]};

			world_job(&b.c.world, job)->admission = journal_admission(b.c.journal, &a);
		}
		for (uint32_t pod = 0; pod < 6; pod++)
			ck_assert_uint_eq(
				kube_class_at(b.classes, kube_class_of(b.classes, pod))->group,
				kube_match_group(b.match, pod));
	}
	ck_assert_uint_eq(kube_match_count(b.match), 8); /* of 2 shapes: 2 flavors, 2 domains */
	close_bench(&b);
}
END_TEST

START_TEST(room_brings_hope_back)
{
	struct bench b;
	uint32_t small, big;

	open_bench(&b);
	small = kube_class_of(b.classes, 0);
	big = kube_class_of(b.classes, 4);
	ck_assert_uint_eq(kube_class_live(b.classes), KUBE_CLASS_ALWAYS); /* nobody waits */
	kube_class_waits(b.classes, small, 1);
	kube_class_waits(b.classes, big, 1);
	ck_assert_uint_eq(kube_class_live(b.classes),
			  KUBE_CLASS_ALWAYS | kube_class_mark(small) | kube_class_mark(big));
	kube_class_give_up(b.classes, small);
	kube_class_give_up(b.classes, big);
	ck_assert_uint_eq(kube_class_live(b.classes), KUBE_CLASS_ALWAYS);
	kube_class_gained(b.classes, 0); /* 4 GPUs */
	ck_assert_uint_eq(kube_class_live(b.classes), KUBE_CLASS_ALWAYS | kube_class_mark(small));
	kube_class_gained(b.classes, 1); /* 8 GPUs */
	ck_assert(!kube_class_at(b.classes, big)->hopeless);
	kube_class_give_up(b.classes, big);
	kube_class_revive(b.classes);
	ck_assert(!kube_class_at(b.classes, big)->hopeless);
	/* The next of a class of which nobody waits is tried. */
	kube_class_give_up(b.classes, big);
	kube_class_waits(b.classes, big, -1);
	kube_class_waits(b.classes, big, 1);
	ck_assert(!kube_class_at(b.classes, big)->hopeless);
	close_bench(&b);
}
END_TEST

/* Pods of lower priority are no obstacle to who may preempt them. */
START_TEST(hope_looks_past_those_below)
{
	struct bench b;
	uint32_t preempts, never;

	open_bench(&b);
	cluster_case_bind(&b.c, 0, 0);
	cluster_case_bind(&b.c, 1, 0);
	kube_preempt_bound(b.preempt, 0, 0);
	kube_preempt_bound(b.preempt, 1, 0);
	preempts = kube_class_of(b.classes, 2);
	never = kube_class_of(b.classes, 3);
	kube_class_waits(b.classes, preempts, 1);
	kube_class_waits(b.classes, never, 1);
	kube_class_give_up(b.classes, preempts);
	kube_class_give_up(b.classes, never);
	kube_class_gained(b.classes, 0);
	ck_assert(!kube_class_at(b.classes, preempts)->hopeless);
	ck_assert(kube_class_at(b.classes, never)->hopeless);
	close_bench(&b);
}
END_TEST

START_TEST(marks_are_shared_beyond_63_classes)
{
	ck_assert_uint_eq(kube_class_mark(0), kube_class_mark(KUBE_CLASS_BITS));
	ck_assert_uint_ne(kube_class_mark(0), kube_class_mark(1));
	ck_assert_uint_eq(kube_class_mark(62) & KUBE_CLASS_ALWAYS, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_class");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, classes_differ_by_shape_priority_and_policy);
	tcase_add_test(t, reservations_tell_classes_apart);
	tcase_add_test(t, room_brings_hope_back);
	tcase_add_test(t, hope_looks_past_those_below);
	tcase_add_test(t, marks_are_shared_beyond_63_classes);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
