/* test_explain.c - Why a job waits: each class, the words, the change that helps. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/explain/explain.h"
#include "sim/study/study.h"
#include "tests/support/command.h"

/* A StrictFIFO queue s beside the queues a and b, and one that is held. */
static const char more_queues[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: ClusterQueue\n"
	"metadata: {name: s}\n"
	"spec:\n"
	"  queueingStrategy: StrictFIFO\n"
	"  namespaceSelector: {}\n"
	"  resourceGroups:\n"
	"  - coveredResources: [nvidia.com/gpu]\n"
	"    flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: LocalQueue\n"
	"metadata: {name: s, namespace: default}\n"
	"spec: {clusterQueue: s}\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: ClusterQueue\n"
	"metadata: {name: held}\n"
	"spec:\n"
	"  stopPolicy: Hold\n"
	"  namespaceSelector: {}\n"
	"  resourceGroups:\n"
	"  - coveredResources: [nvidia.com/gpu]\n"
	"    flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: LocalQueue\n"
	"metadata: {name: held, namespace: default}\n"
	"spec: {clusterQueue: held}\n";

static const char jobs[] = "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
			   "a1,default,a,0,1000,,1,nvidia.com/gpu=4\n"
			   "a2,default,a,10,1000,,1,nvidia.com/gpu=4\n"
			   "b1,default,b,100,300,,1,nvidia.com/gpu=4\n"
			   "b2,default,b,150,300,,2,nvidia.com/gpu=2\n"
			   "b3,default,b,160,300,,2,nvidia.com/gpu=2\n"
			   "big,default,a,200,60,,3,nvidia.com/gpu=4\n"
			   "s1,default,s,0,500,,1,nvidia.com/gpu=2\n"
			   "s2,default,s,10,500,,1,nvidia.com/gpu=4\n"
			   "s3,default,s,20,10,,1,nvidia.com/gpu=1\n"
			   "h1,default,held,0,10,,1,nvidia.com/gpu=1\n"
			   "twin,default,s,1000,10,,1,nvidia.com/gpu=1\n"
			   "twin,other,s,1000,10,,1,nvidia.com/gpu=1\n";

struct asked {
	struct study *study;
	const struct report_column *column;
};

static struct asked run(const char *policy, bool nodes)
{
	struct asked a = {.study = study_new()};
	struct scenario *s;
	struct run_options options;
	struct cmd_context context = {.out = stdout, .err = stderr};
	struct err err;
	size_t count;

	command_file("objects.yaml", command_objects);
	command_file("more.yaml", more_queues);
	command_file("jobs.csv", jobs);
	s = command_load("objects.yaml more.yaml jobs.csv");
	study_own(a.study, s);
	options_default(&options);
	options.placement = nodes ? PLACEMENT_SCHEDULER : PLACEMENT_NONE;
	study_add(a.study, policy, policy_find(policy), s, &options, JOURNAL_FULL);
	ck_assert_int_eq(study_run(a.study, &context, 1, true, &err), ERR_OK);
	a.column = study_columns(a.study, &count);
	return a;
}

static bool any_line(const struct explain_lines *lines, const char *part)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (strstr(lines->items[i], part) != NULL)
			return true;
	}
	return false;
}

static const struct {
	const char *job;
	int64_t at_s; /* -1: the default */
	enum explain_state state;
	enum explain_class class;
	const char *text, *use, *change; /* parts; NULL: none is looked for */
} rows[] = {
	{"a1", -1, EXPLAIN_RUNNING, EXPLAIN_NONE, NULL, NULL, NULL},
	{"a1", 2000, EXPLAIN_FINISHED, EXPLAIN_NONE, NULL, NULL, NULL},
	{"b1", 50, EXPLAIN_FUTURE, EXPLAIN_NONE, NULL, NULL, NULL},
	{"a2", 103, EXPLAIN_STOPPING, EXPLAIN_NONE, NULL, NULL, NULL},
	{"b1", 102, EXPLAIN_WAITING, EXPLAIN_UNTIL, "until it took quota back: a2 was stopped",
	 "would use 4 of 8 (4 nominal, the rest borrowed from its cohort); free for it now: 0",
	 "4 more nominalQuota (--set clusterqueue/b:nvidia.com/gpu@gpu.nominalQuota=8)"},
	{"b2", 200, EXPLAIN_WAITING, EXPLAIN_UNTIL, "until b1 finished", "would use 8 of 8",
	 "4 more nominalQuota"},
	{"b3", 200, EXPLAIN_WAITING, EXPLAIN_BEHIND,
	 "behind b2, which asks for the same and came earlier", "would use 8 of 8", NULL},
	{"big", -1, EXPLAIN_WAITING, EXPLAIN_NEVER,
	 "never: it asks for more than its queue could ever use", "would use 12 of 8",
	 "or 2 pods instead of 3"},
	{"s2", -1, EXPLAIN_WAITING, EXPLAIN_UNTIL, "until s1 finished",
	 "would use 6 of 4 (4 nominal; it has no cohort to borrow from); free for it now: 2",
	 "2 more nominalQuota"},
	{"s3", 100, EXPLAIN_WAITING, EXPLAIN_BEHIND, "behind s2, the head of its StrictFIFO queue",
	 NULL, NULL},
	{"h1", -1, EXPLAIN_WAITING, EXPLAIN_NEVER,
	 "never, as things stand: ClusterQueue held is inactive", NULL, NULL},
};

START_TEST(under_kueue)
{
	struct asked a = run("kueue", false);
	uint32_t job = command_job(a.column->scenario, rows[_i].job);
	struct explain *e = explain_new(a.column, job,
					rows[_i].at_s < 0 ? CLOCK_NEVER
							  : (simtime)rows[_i].at_s * CLOCK_SECOND);

	ck_assert_int_eq(e->state, rows[_i].state);
	ck_assert_msg(e->class == rows[_i].class, "%s: %s", rows[_i].job, e->class_text);
	if (rows[_i].text != NULL)
		ck_assert_msg(strstr(e->class_text, rows[_i].text) != NULL, "%s", e->class_text);
	if (rows[_i].use != NULL)
		ck_assert_msg(any_line(&e->use, rows[_i].use), "%s",
			      e->use.count > 0 ? e->use.items[0] : "");
	if (rows[_i].change != NULL)
		ck_assert_msg(any_line(&e->change, rows[_i].change), "%s",
			      e->change.count > 0 ? e->change.items[0] : "");
	explain_free(e);
	study_free(a.study);
}
END_TEST

/* More quota alone does not help where the nodes are full, or too small. */
START_TEST(quota_without_room)
{
	static const struct {
		const char *job, *change;
	} asked[] = {
		{"b2", "but the nodes have free GPUs for 1 of its 2 pods only"},
		{"s2", "but the nodes have free GPUs for 0 of its 1 pod only"},
		{"big", "but not by quota alone: its pods do not fit the nodes"},
	};

	for (size_t i = 0; i < 2 * sizeof(asked) / sizeof(asked[0]); i++) {
		bool nodes = i % 2 == 0;
		struct asked a = run("kueue", nodes);
		struct explain *e =
			explain_new(a.column, command_job(a.column->scenario, asked[i / 2].job),
				    300 * CLOCK_SECOND);

		ck_assert_uint_gt(e->change.count, 0);
		ck_assert_msg(any_line(&e->change, nodes ? asked[i / 2].change : "but ") == nodes,
			      "%s: %s", asked[i / 2].job, e->change.items[e->change.count - 1]);
		explain_free(e);
		study_free(a.study);
	}
}
END_TEST

START_TEST(the_schedulers_own_words)
{
	struct asked a = run("kueue", false);
	struct explain *e =
		explain_new(a.column, command_job(a.column->scenario, "big"), CLOCK_NEVER);

	ck_assert_str_eq(e->reason, "ExceedsMaxQuota");
	ck_assert_ptr_nonnull(strstr(e->message, "maximum capacity (8)"));
	ck_assert(any_line(&e->history, "submitted"));
	ck_assert(any_line(&e->history, "waits, ExceedsMaxQuota"));
	explain_free(e);
	e = explain_new(a.column, command_job(a.column->scenario, "a2"), CLOCK_NEVER);
	ck_assert(
		any_line(&e->history, "1m 40s  EvictedDueToPreempted by b1 (InCohortReclamation)"));
	ck_assert(any_line(&e->history, "started (attempt 2)"));
	explain_free(e);
	explain_free(NULL);
	study_free(a.study);
}
END_TEST

/* Nodes decide: 8 GPUs are too few for big even when all are free. */
START_TEST(under_plain_kubernetes)
{
	struct asked a = run("kubernetes", true);
	struct explain *e =
		explain_new(a.column, command_job(a.column->scenario, "big"), CLOCK_NEVER);

	ck_assert_int_eq(e->class, EXPLAIN_NEVER);
	ck_assert_ptr_nonnull(strstr(e->class_text, "do not fit the nodes"));
	ck_assert_str_eq(e->reason, "FailedScheduling");
	ck_assert_ptr_nonnull(strstr(e->message, "Insufficient nvidia.com/gpu"));
	explain_free(e);
	e = explain_new(a.column, command_job(a.column->scenario, "b2"), CLOCK_NEVER);
	ck_assert_int_eq(e->class, EXPLAIN_UNTIL);
	ck_assert_str_eq(e->class_text, "until s1 finished; it started at 8m 20s");
	ck_assert(e->before_start);
	ck_assert(any_line(&e->use, "1 of 2 pods have a node; 1 more of 2 GPUs each are wanted; "
				    "free now: 0 GPUs in all"));
	explain_free(e);
	study_free(a.study);
}
END_TEST

static const struct {
	const char *name, *says; /* NULL: found */
} names[] = {
	{"a1", NULL},
	{"default/a1", NULL},
	{"other/twin", NULL},
	{"twin", "say default/twin or other/twin"},
	{"other/a1", "no job \"a1\" in namespace other; did you mean default/a1?"},
	{"bigg", "did you mean \"big\"?"},
	{"something-else", "the first is \"a1\""},
};

START_TEST(jobs_by_name)
{
	struct asked a = run("kueue", false);
	struct err err = {0};
	uint32_t job;
	enum err_code code = explain_find(a.column->scenario, names[_i].name, &job, &err);

	if (names[_i].says == NULL) {
		ck_assert_int_eq(code, ERR_OK);
		ck_assert_uint_lt(job, a.column->scenario->job_count);
	} else {
		ck_assert_int_ne(code, ERR_OK);
		ck_assert_msg(strstr(err.msg, names[_i].says) != NULL, "%s", err.msg);
	}
	study_free(a.study);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/explain/explain");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, under_kueue, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, quota_without_room);
	tcase_add_test(t, the_schedulers_own_words);
	tcase_add_test(t, under_plain_kubernetes);
	tcase_add_loop_test(t, jobs_by_name, 0, (int)(sizeof(names) / sizeof(names[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
