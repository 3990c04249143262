/* test_kueue_state.c - Reservations, what they take, and what is remembered of flavor scans. */
#include <check.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/kueue_story.h"

#define HOLDERS "a<x:1*10; a<y:1*30; a<z:1*30; a<u:1@5*40; a<v:2*50"

/* One rung for what is alike; newest first, then by job. */
static void check_rungs(const struct kueue_story *s)
{
	const struct kueue_queue *q = &s->k->queues[0];
	uint32_t h;

	ck_assert_uint_eq(q->rung_count, 3);
	h = s->k->rungs[q->rungs[0]].first;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "y"));
	h = s->k->holds[h].next;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "z"));
	h = s->k->holds[h].next;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "x"));
}

START_TEST(rungs)
{
	struct kueue_story *s = kueue_story_new("a[9] in=- w=L; " HOLDERS, false);
	const struct kueue_queue *q = &s->k->queues[0];

	check_rungs(s);
	kueue_hold_evict(s->k, kueue_story_job(s, "z"));
	ck_assert_uint_eq(s->k->rungs[q->rungs[0]].count, 2);
	kueue_story_free(s);
}
END_TEST

START_TEST(holds_are_ranked_once_there_may_be_victims)
{
	struct kueue_story *s = kueue_story_new("a[9] in=-; " HOLDERS "; a<w:1*20", false);
	struct cluster_queue spec = *s->k->queues[0].spec;

	kueue_hold_drop(s->k, kueue_story_job(s, "w"));
	ck_assert_uint_eq(s->k->queues[0].rung_count, 0);
	ck_assert_uint_eq(s->k->queues[0].hold_count, 5);
	spec.within_cluster_queue = PREEMPT_LOWER_PRIORITY;
	s->k->queues[0].spec = &spec;
	kueue_state_apply(s->k);
	check_rungs(s);
	spec.within_cluster_queue = PREEMPT_NEVER;
	kueue_state_apply(s->k);
	check_rungs(s); /* for good */
	kueue_story_free(s);
}
END_TEST

START_TEST(who_may_find_victims)
{
	static const struct {
		const char *items;
		bool ranked;
	} worlds[] = {
		{"a[9] in=-; a<x:1@5; a?p:1", false},
		{"a[9] in=- w=L; a<x:1@5; a?p:2@5", false}, /* nobody is of lower priority */
		{"a[9] in=- w=L; a<x:1@5; a?p:2", true},
		{"a[9] in=- w=E; a<x:1@5; a?p:2@5", true}, /* but newer */
		{"a[9] r=A; a<x:1; a?p:2", false},	   /* nobody to take back from */
		{"a[9] r=A; b[2] in=-; a<x:1; a?p:2", false},
		{"a[9] r=A; b[2] held; a<x:1; a?p:2", false},
		{"a[9] r=L; b[2]; a<x:1; a?p:2", true},
		{"a[9] r=A in=d; %d[1] in=c; b[2]; a<x:1; a?p:2", true}, /* of its tree */
		{"a[9]; b[2] r=A; a<x:1; a?p:2", true},			 /* b may */
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct kueue_story *s = kueue_story_new(worlds[i].items, false);

		ck_assert_msg(s->k->ranks_holds == worlds[i].ranked, "%s", worlds[i].items);
		kueue_story_free(s);
	}
}
END_TEST

/* A workload of another priority may be a victim. */
START_TEST(another_priority_ranks_holds)
{
	struct kueue_story *s = kueue_story_new("a[9] in=- w=L; a<x:1@5; a?p:2@5", false);
	uint32_t class = s->k->jobs[kueue_story_job(s, "p")].class;

	kueue_state_class(s->k, class, 5);
	ck_assert(!s->k->ranks_holds);
	kueue_state_class(s->k, class, 6);
	ck_assert(s->k->ranks_holds);
	ck_assert_uint_eq(s->k->queues[0].rung_count, 1);
	kueue_story_free(s);
}
END_TEST

START_TEST(holds_take_and_give_back)
{
	struct kueue_story *s = kueue_story_new("a[4]; b[2]; a<x:3; b<y:3", false);
	uint32_t column = kueue_column(s->k, 0, RES_CPU), root = s->k->tree.nodes[0].root;
	uint32_t generation = s->k->queues[0].generation;

	ck_assert_int_eq(quota_at(&s->k->tree, root, column)->usage, 6000);
	kueue_hold_drop(s->k, kueue_story_job(s, "x"));
	kueue_hold_drop(s->k, kueue_story_job(s, "x")); /* nothing more */
	ck_assert_int_eq(quota_at(&s->k->tree, root, column)->usage, 3000);
	ck_assert_uint_eq(s->k->queues[0].generation, generation + 1);
	ck_assert_uint_eq(s->k->usage_count, 1); /* equal amounts are one record */
	kueue_story_free(s);
}
END_TEST

/* Never nominated, no index, all tried, some left: four states (golden README). */
START_TEST(memory)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3", false);
	uint32_t job = kueue_story_job(s, "p"), slots = kueue_form_of(s->k, job)->slot_count;
	int16_t tried[8];

	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_NONE);
	for (uint32_t i = 0; i < slots; i++)
		tried[i] = MEMORY_UNSET;
	kueue_memory_set(s->k, job, tried);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_EMPTY);
	for (uint32_t i = 0; i < slots; i++)
		tried[i] = -1;
	kueue_memory_set(s->k, job, tried);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_EXHAUSTED);
	ck_assert(!kueue_memory_pending(s->k, job));
	tried[0] = 0;
	kueue_memory_set(s->k, job, tried);
	ck_assert(kueue_memory_pending(s->k, job));
	ck_assert_int_eq(kueue_memory_get(s->k, job)[0], 0);
	s->k->queues[0].generation++;
	ck_assert(!kueue_memory_outdated(s->k, job, 0)); /* a cycle old at most */
	s->k->cycle += 2;
	ck_assert(kueue_memory_outdated(s->k, job, 0));
	kueue_memory_clear(s->k, job);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_NONE);
	kueue_story_free(s);
}
END_TEST

/* Which queues admit nothing for the checks that they name (spec 4.2). */
static const struct {
	const char *checks;
	bool active;
} queues[] = {
	{"{name: m}", true},
	{"{name: m}, {name: x}", true},
	{"{name: p}, {name: x}", true},
	{"{name: m}, {name: o}", false},
	{"{name: m, onFlavors: [f]}", false},
	{"{name: m}, {name: p}", false},
	{"{name: nowhere}", false},
};

#define KUEUE_CHECK(name, controller)                                                              \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: " name    \
	"}\nspec: {controllerName: " controller                                                    \
	"}\nstatus: {conditions: [{type: Active, status: 'True'}]}\n"

START_TEST(queues_with_checks)
{
	char yaml[4096];
	struct scenario *s;
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	snprintf(yaml, sizeof(yaml),
		 "%s  admissionChecksStrategy: {admissionChecks: [%s]}\n---\n%s", STORY_QUEUE_HEAD,
		 queues[_i].checks,
		 STORY_QUEUE_TAIL KUEUE_CHECK("m", "kueue.x-k8s.io/multikueue") KUEUE_CHECK(
			 "o", "kueue.x-k8s.io/multikueue")
			 KUEUE_CHECK("p", "kueue.x-k8s.io/provisioning-request") KUEUE_CHECK(
				 "x", "x") "---\napiVersion: gqsim/v1\nkind: Simulation\n"
					   "jobs: [{name: a, queue: q, duration: 9, gpus: 1}]\n");
	s = objects_case_load(yaml);
	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	ck_assert_msg(journal_has(j, J_QUOTA_RESERVED) == queues[_i].active, "%s",
		      queues[_i].checks);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_state");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, rungs);
	tcase_add_test(t, holds_are_ranked_once_there_may_be_victims);
	tcase_add_test(t, who_may_find_victims);
	tcase_add_test(t, another_priority_ranks_holds);
	tcase_add_test(t, holds_take_and_give_back);
	tcase_add_test(t, memory);
	tcase_add_loop_test(t, queues_with_checks, 0, ROWS(queues));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
