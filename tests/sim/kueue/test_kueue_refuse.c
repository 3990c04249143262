#include "sim/kueue/kueue_refuse.h"

#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_status.h"
#include "tests/sim/shortcut_case.h"
#include "tests/support/kueue_story.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* At JOURNAL_FACTS, where nobody is told anything (but for marks, which a test adds). */
static struct kueue_story *story(const char *items, bool fair)
{
	struct kueue_story *s = kueue_story_new(items, fair);

	s->k->full = false;
	return s;
}

/* Is p, the head of a, refused beforehand? */
static const struct {
	const char *name, *items;
	bool fair, refused;
} rows[] = {
	{"full, and nobody to evict", "a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, true},
	{"the same with fair sharing", "a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", true, true},
	{"more than there can ever be", "a[4] r=A; b[4]; a?p:9@5", false, true},
	{"it fits", "a[4] r=A; b[4]; b<i:4@1; a?p:4@5", false, false},
	{"somebody to evict", "a[4] w=L r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, false},
	{"it would keep capacity, but from nobody", "a[4]; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false,
	 true},
	{"strict order", "a[4] r=A strict; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, false},
	{"nor fewer pods", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:4@5/2", false, true},
	{"fewer pods fit", "a[4] r=A; b[4]; a<h:4@1; b<i:2@1; a?p:4@5/2", false, false},
	{"fewer pods find victims", "a[4] w=L; b[4]; a<h:2@1; a<j:2@5; b<i:4@1; a?p:4@5/2", false,
	 false},
	{"more than there can ever be, and fewer pods have nobody",
	 "a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:9@5/2", false, true},
	{"a second flavor fits", "a{f1[4] f2[4]} r=A in=-; a<h:4@1; a?p:4@5", false, false},
	{"nor does the second", "a{f1[4] f2[4]} r=A in=-; a<h:4@1; a<i:4@1!f2; a?p:4@5", false,
	 true},
	{"nested cohorts and fair sharing", "%c[0] in=d; a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5",
	 true, true},
	{"nested cohorts", "%c[0] in=d; a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, true},
	{"parks one by one",
	 "^SchedulingEquivalenceHashing=false; a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false,
	 false},
};

START_TEST(what_is_known_beforehand)
{
	struct kueue_story *s = story(rows[_i].items, rows[_i].fair);
	uint32_t queue = kueue_story_queue(s, "a"), job = kueue_story_job(s, "p");

	ck_assert_msg(kueue_refuse(s->k, queue, job) == rows[_i].refused, "%s", rows[_i].name);
	if (rows[_i].refused)
		ck_assert_uint_eq(s->k->jobs[job].place, PLACE_PARKED);
	kueue_story_free(s);
}
END_TEST

/* Where marks of what is told are kept: is p's the same as with a nomination? */
START_TEST(is_told_the_same)
{
	struct kueue_story *told[2];
	uint32_t job;

	for (int direct = 0; direct < 2; direct++) {
		struct kueue_story *s = told[direct] = story(rows[_i].items, rows[_i].fair);

		s->k->told = mem_calloc(s->k->job_count, sizeof(*s->k->told));
		if (direct)
			kueue_bound_close(s->k);
		kueue_story_run(s, 1);
	}
	job = kueue_story_job(told[0], "p");
	ck_assert_msg(told[0]->k->told[job] == told[1]->k->told[job], "%s", rows[_i].name);
	ck_assert(!rows[_i].refused || kueue_status_is_told(told[0]->k, job));
	kueue_story_free(told[0]);
	kueue_story_free(told[1]);
}
END_TEST

/* p is refused; is q, by what is known since? */
static const struct {
	const char *name, *items;
	bool refused;
	const char *ends; /* meanwhile; NULL */
} later[] = {
	{"as much", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:3@5; a?q:3@5#9", true},
	{"more", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:3@5; a?q:4@5#9", true},
	{"less, which fits", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:3@5; a?q:1@5#9", false},
	{"lower priority", "a[4] w=L; b[4]; a<h:4@7; b<i:3@1; a?p:3@5; a?q:3@4", true},
	{"higher priority, which evicts", "a[4] w=L; b[4]; a<h:4@7; b<i:3@1; a?p:3@5; a?q:3@9",
	 false},
	{"fewer pods fit", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:3@5; a?q:3@5#9/1", false},
	{"as much, which fits since", "a[4] r=A; b[4]; a<h:4@1; b<i:3@1; a?p:3@5; a?q:3@5#9", false,
	 "i"},
};

START_TEST(what_is_known_of_others)
{
	struct kueue_story *s = story(later[_i].items, false);
	uint32_t queue = kueue_story_queue(s, "a");

	ck_assert_msg(kueue_refuse(s->k, queue, kueue_story_job(s, "p")), "%s", later[_i].name);
	if (later[_i].ends != NULL)
		kueue_hold_drop(s->k, kueue_story_job(s, later[_i].ends));
	ck_assert_msg(kueue_refuse(s->k, queue, kueue_story_job(s, "q")) == later[_i].refused, "%s",
		      later[_i].name);
	kueue_story_free(s);
}
END_TEST

START_TEST(with_messages_each_is_nominated)
{
	struct kueue_story *s = kueue_story_new(rows[0].items, false);

	ck_assert(!kueue_refuse(s->k, kueue_story_queue(s, "a"), kueue_story_job(s, "p")));
	kueue_story_free(s);
}
END_TEST

/* The same cycles, and everybody where they would be. */
START_TEST(a_cycle_ends_as_with_a_nomination)
{
	static const char *const items =
		"a[4] r=A; b[4] r=A; a<h:4@1; b<i:3@1; a?p:4@5; a?q:4@5; a?u:1@5; b?v:2@5";
	struct kueue_story *refused = story(items, false), *direct = story(items, false);

	kueue_bound_close(direct->k);
	for (int cycle = 0; cycle < 3; cycle++) {
		ck_assert_str_eq(kueue_story_run(refused, 1), kueue_story_run(direct, 1));
		ck_assert_uint_eq(refused->k->cycle, direct->k->cycle);
		for (uint32_t j = 0; j < refused->k->job_count; j++) {
			ck_assert_uint_eq(refused->k->jobs[j].place, direct->k->jobs[j].place);
			ck_assert_uint_eq(refused->k->jobs[j].memory, direct->k->jobs[j].memory);
		}
	}
	ck_assert(strstr(kueue_story_run(refused, 1), "p parked") != NULL);
	kueue_story_free(refused);
	kueue_story_free(direct);
}
END_TEST

/* p of a would keep what is left of f1 from q, which else fits: so it takes part, and is spared
 * the search for fewer pods. With r instead of q, which is hopeless too, neither does. */
START_TEST(who_keeps_capacity_takes_part)
{
	static const struct {
		const char *items;
		uint32_t refused;
	} worlds[] = {
		{"a[4] w=L; b[4]; a<h:4@5; b<i:3@5; a?p:4@9#1/2; b?q:1@5#2", 0},
		{"a[4] w=L; b[4]; a<h:4@5; b<i:3@5; a?p:4@5#1/2; b?r:2@5#2", 2},
	};

	for (size_t i = 0; i < 2; i++) {
		struct kueue_story *refused = story(worlds[i].items, false);
		struct kueue_story *direct = story(worlds[i].items, false);

		kueue_bound_close(direct->k);
		for (int cycle = 0; cycle < 3; cycle++) {
			ck_assert_str_eq(kueue_story_run(refused, 1), kueue_story_run(direct, 1));
			ck_assert_uint_eq(refused->k->cycle, direct->k->cycle);
			if (cycle == 0)
				ck_assert_uint_eq(refused->k->refused_count, worlds[i].refused);
		}
		kueue_story_free(refused);
		kueue_story_free(direct);
	}
}
END_TEST

/* Fair sharing: p, the head of a, is sure to be refused. Is it, beforehand, or would the
 * others notice? Theirs are q and u. */
static const struct {
	const char *name, *items;
	uint32_t refused;
} turns[] = {
	{"it stands before q, which else is before u",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A weight=2; b[0] r=A; x[0] r=A in=e;"
	 "a<h:3@1; a?p:2@5; b?q:1@5; x?u:1@9",
	 0},
	{"the others are all in its cohort",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A weight=2; b[0] r=A; x[0] r=A;"
	 "a<h:3@1; a?p:2@5; b?q:1@5; x?u:1@9",
	 1},
	{"none of the others is",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A weight=2; b[0] r=A in=e; x[0] r=A in=e;"
	 "a<h:3@1; a?p:2@5; b?q:1@5; x?u:1@9",
	 1},
	{"the others are of two trees, and z comes before b",
	 "a[4] r=A; z[1] r=A; b[1] r=A in=o; a<h:4@1; a?p:4@5; z?q:1@9; b?u:1@5", 0},
	{"of one tree", "a[4] r=A; z[1] r=A; b[1] r=A; a<h:4@1; a?p:4@5; z?q:1@9; b?u:1@5", 1},
	{"of another tree",
	 "a[4] r=A; z[1] r=A in=o; b[1] r=A in=o; a<h:4@1; a?p:4@5; z?q:1@9; b?u:1@5", 1},
};

START_TEST(others_take_turns_as_with_it)
{
	struct kueue_story *refused = story(turns[_i].items, true);
	struct kueue_story *direct = story(turns[_i].items, true);

	kueue_bound_close(direct->k);
	for (int cycle = 0; cycle < 3; cycle++) {
		ck_assert_str_eq(kueue_story_run(refused, 1), kueue_story_run(direct, 1));
		ck_assert_uint_eq(refused->k->cycle, direct->k->cycle);
		if (cycle == 0)
			ck_assert_msg(refused->k->refused_count == turns[_i].refused, "%s",
				      turns[_i].name);
	}
	kueue_story_free(refused);
	kueue_story_free(direct);
}
END_TEST

/* ---------------------------------------------------------------- with topologies */

#define RUNS 40
#define JOBS 60

/* Nodes in three racks, and queues of one cohort with less quota than these have or with more: some
 * jobs lack quota, others a place. */
static void write_cluster(FILE *out, unsigned *seed)
{
	unsigned quota = 4 + below(seed, 6);

	kueue_story_write_racks(out);
	kueue_story_write_classes(out, 3);
	for (unsigned q = 0; q < 4; q++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: q%u}\nspec:\n  namespaceSelector: {}\n  cohortName: all\n"
			"  preemption: {withinClusterQueue: %s, reclaimWithinCohort: %s}\n"
			"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
			"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: %u}]}\n"
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
			"metadata: {name: q%u, namespace: default}\nspec: {clusterQueue: q%u}\n",
			q, below(seed, 2) == 0 ? "Never" : "LowerPriority",
			below(seed, 6) == 0 ? "LowerPriority" : "Any", quota, q, q);
}

static void write_system(FILE *out, unsigned *seed)
{
	static const char *const wishes[] = {"required: rack", "required: kubernetes.io/hostname",
					     "preferred: rack", "unconstrained: true"};

	write_cluster(out, seed);
	fprintf(out, "---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n");
	for (unsigned j = 0; j < JOBS; j++)
		fprintf(out,
			"- {name: j%u, queue: q%u, submitAt: %us, duration: %us, pods: %u, "
			"gpus: %u, priorityClass: p%u, topology: {%s}}\n",
			j, below(seed, 4), j * 2 + below(seed, 3), 10 + below(seed, 60),
			1 + below(seed, 3), 1 + below(seed, 4), 1 + below(seed, 3),
			wishes[below(seed, 4)]);
}

START_TEST(the_same_as_with_each_head_nominated)
{
	shortcut_case_check(write_system, (unsigned)_i, J_QUOTA_RESERVED);
}
END_TEST

/* Systems in which an earlier entry changes what becomes of a head that was spared, or the order
 * of the heads hangs on it. */
START_TEST(a_spared_head_has_its_turn)
{
	static const unsigned seeds[] = {1695, 2327};

	shortcut_case_check(write_system, seeds[_i], J_PREEMPTED);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_refuse");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, what_is_known_beforehand, 0, COUNT(rows));
	tcase_add_loop_test(t, is_told_the_same, 0, COUNT(rows));
	tcase_add_loop_test(t, what_is_known_of_others, 0, COUNT(later));
	tcase_add_test(t, with_messages_each_is_nominated);
	tcase_add_test(t, a_cycle_ends_as_with_a_nomination);
	tcase_add_test(t, who_keeps_capacity_takes_part);
	tcase_add_loop_test(t, others_take_turns_as_with_it, 0, COUNT(turns));
	tcase_add_loop_test(t, the_same_as_with_each_head_nominated, 0, RUNS);
	tcase_add_loop_test(t, a_spared_head_has_its_turn, 0, 2);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
