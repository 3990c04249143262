/* test_recurrence.c - Evictions that come again and again end a run, and nothing else does. */
#include "sim/engine/recurrence.h"

#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"

/* "abcabc": jobs, one second apart; a capital: two. */
static const struct {
	const char *items;
	size_t period;
} periods[] = {
	{"a", 1},      {"aaaa", 1},	{"abab", 2},	 {"ababa", 2},
	{"abcabd", 6}, {"aabaabaa", 3}, {"abAbabAb", 4}, {"aaaaaaab", 8},
};

START_TEST(least_period)
{
	struct recurrence_item items[16];
	size_t count = strlen(periods[_i].items);

	for (size_t i = 0; i < count; i++) {
		char c = periods[_i].items[i];
		bool late = c < 'a';

		items[i] = (struct recurrence_item){.job = (uint32_t)(late ? c - 'A' : c - 'a'),
						    .gap = (late ? 2 : 1) * CLOCK_SECOND};
	}
	ck_assert_uint_eq(recurrence_period(items, count), periods[_i].period);
}
END_TEST

/* Quota for four pods of 4 GPUs, nodes for two of them: whoever is admitted waits for his
 * last pods in vain and is evicted for it. */
#define KUEUE "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define CONFIG(more)                                                                               \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"waitForPodsReady: {timeout: 30m" more "}\n"
#define CLUSTER                                                                                    \
	KUEUE "kind: ResourceFlavor\nmetadata: {name: f}\n" KUEUE                                  \
	      "kind: ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"          \
	      "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"          \
	      "    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}\n" KUEUE     \
	      "kind: LocalQueue\nmetadata: {name: q, namespace: default}\n"                        \
	      "spec: {clusterQueue: q}\n"                                                          \
	      "---\napiVersion: gqsim/v1\nkind: Simulation\n"                                      \
	      "nodePools: [{name: m, count: 2, gpus: 4}]\njobs:\n"
#define GANG(name) "- {name: " name ", queue: q, duration: 7200, pods: 3, gpus: 4}\n"
#define JOB(name, more)                                                                            \
	"- {name: " name ", queue: q, duration: 7200, pods: 3, gpus: 4, gang: false" more "}\n"

#define SERVICE(name)                                                                              \
	"- {name: " name ", queue: q, duration: endless, pods: 3, gpus: 4, gang: false}\n"

static const struct {
	const char *name, *yaml;
	enum run_end end;
	int64_t days_least, days_most;
} rows[] = {
	{"the same for ever", CONFIG("") CLUSTER JOB("a", "") JOB("b", ""), RUN_LIVELOCK, 5, 60},
	{"work that never starts stands still", CONFIG("") CLUSTER GANG("a") GANG("b"),
	 RUN_COMPLETE, 30, 31},
	{"somebody comes later",
	 CONFIG("") CLUSTER JOB("a", "") JOB("b", "") JOB("c", ", submitAt: 10000000"),
	 RUN_LIVELOCK, 115, 180},
	{"checkpoints make progress", CONFIG("") CLUSTER JOB("a", ", checkpoint: 60") JOB("b", ""),
	 RUN_LIVELOCK, 5, 60},
	{"what services have served is none", CONFIG("") CLUSTER SERVICE("a") SERVICE("b"),
	 RUN_LIVELOCK, 5, 60},
	{"a limit ends it",
	 CONFIG(", requeuingStrategy: {backoffLimitCount: 900}") CLUSTER JOB("a", "") JOB("b", ""),
	 RUN_COMPLETE, 37, 200},
};

START_TEST(whole_runs)
{
	struct scenario *s = objects_case_load(rows[_i].yaml);
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kueue"), &options, JOURNAL_FACTS, &j, &err),
			 ERR_OK);
	ck_assert_msg(j->end == rows[_i].end, "%s: ends so: %d", rows[_i].name, (int)j->end);
	ck_assert_msg(j->end_time >= rows[_i].days_least * CLOCK_DAY &&
			      j->end_time <= rows[_i].days_most * CLOCK_DAY,
		      "%s: ends after %lld days", rows[_i].name,
		      (long long)(j->end_time / CLOCK_DAY));
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, least_period, 0, ROWS(periods));
	tcase_add_loop_test(t, whole_runs, 0, ROWS(rows));
	return objects_case_run("sim/engine/recurrence", t);
}
