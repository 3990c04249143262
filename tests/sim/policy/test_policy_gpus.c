/* test_policy_gpus.c - Stories of pods that share GPUs, and random systems in which no
 * part of a GPU ever lies on two. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu_share.h"
#include "core/rng.h"
#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "tests/support/policy_story.h"

#define COUNT(rows)  ((int)(sizeof(rows) / sizeof((rows)[0])))
#define POLICIES     4
#define GPUS_MAX     8
#define NODE_PODS    (GPUS_MAX * 10)
#define RANDOM_CASES 300

static const char *const policies[POLICIES] = {"random", "bestfit", "dotprod", "fgd"};

static const struct {
	const char *policy;
	struct policy_story story;
} stories[] = {
	{"bestfit",
	 {"parts go together, the whole GPU stays for who wants one",
	  {{.gpus = 2}, {.gpus = 1}},
	  2,
	  {{.pods = 1, .milli = 400, .duration_s = 90},
	   {.pods = 1, .milli = 500, .duration_s = 90, .submit_s = 1},
	   {.pods = 1, .gpus = 1, .milli = 1000, .duration_s = 90, .submit_s = 2}},
	  3,
	  "0 bind j0-0 n1\n0 start j0\n1 bind j1-0 n1\n1 start j1\n2 bind j2-0 n0\n2 start j2\n"
	  "90 finish j0\n91 finish j1\n92 finish j2\n"}},
	{"bestfit",
	 {"who finds no GPU in one piece waits for a pod to go; others pass",
	  {{.gpus = 2}},
	  1,
	  {{.pods = 2, .milli = 600, .duration_s = 50},
	   {.pods = 1, .milli = 700, .duration_s = 10, .submit_s = 1},
	   {.pods = 1, .milli = 300, .duration_s = 10, .submit_s = 2}},
	  3,
	  "0 bind j0-0 n0\n0 bind j0-1 n0\n0 start j0\n2 bind j2-0 n0\n2 start j2\n"
	  "12 finish j2\n50 finish j0\n50 bind j1-0 n0\n50 start j1\n60 finish j1\n"}},
	{"fgd",
	 {"most want whole GPUs: a part goes where one is in pieces already",
	  {{.gpus = 1}, {.gpus = 2}},
	  2,
	  {{.pods = 1, .milli = 300, .duration_s = 90},
	   {.pods = 1, .milli = 400, .duration_s = 90, .submit_s = 1},
	   {.pods = 2, .gpus = 1, .milli = 1000, .duration_s = 90, .submit_s = 2}},
	  3,
	  "0 bind j0-0 n0\n0 start j0\n1 bind j1-0 n0\n1 start j1\n2 bind j2-0 n1\n"
	  "2 bind j2-1 n1\n2 start j2\n90 finish j0\n91 finish j1\n92 finish j2\n"}},
};

START_TEST(story)
{
	policy_story_check(&stories[_i].story, stories[_i].policy);
}
END_TEST

/* ---- random systems ---- */

/* Can the parts lie on so many GPUs, none on two? Tries every way. */
static bool lie_on(const uint32_t *parts, int count, uint32_t *left, int64_t gpus)
{
	if (count == 0)
		return true;
	for (int64_t i = 0; i < gpus; i++) {
		bool first_of_its_kind = true;

		for (int64_t k = 0; k < i; k++)
			first_of_its_kind = first_of_its_kind && left[k] != left[i];
		if (!first_of_its_kind || left[i] < parts[0])
			continue;
		left[i] -= parts[0];
		if (lie_on(parts + 1, count - 1, left, gpus))
			return true;
		left[i] += parts[0];
	}
	return false;
}

struct node_pods {
	struct gpu_demand of[NODE_PODS];
	uint32_t pod[NODE_PODS];
	int count;
};

static void check_node(const struct node_pods *n, int64_t gpus)
{
	uint32_t parts[NODE_PODS], left[GPUS_MAX];
	int count = 0;

	for (int i = 0; i < n->count; i++) {
		gpus -= n->of[i].whole;
		if (n->of[i].part > 0)
			parts[count++] = n->of[i].part;
	}
	for (int i = 0; i < GPUS_MAX; i++)
		left[i] = GPU_SHARE_WHOLE;
	ck_assert_int_ge(gpus, 0);
	ck_assert_msg(lie_on(parts, count, left, gpus), "%d parts on %d GPUs", count, (int)gpus);
}

static void leave(struct node_pods *n, uint32_t pod)
{
	for (int i = 0; i < n->count; i++)
		if (n->pod[i] == pod) {
			n->of[i] = n->of[n->count - 1];
			n->pod[i] = n->pod[--n->count];
			return;
		}
}

/* The job a pod belongs to says what it asks for: all its pods are alike. */
static void check_journal(const struct journal *j, const struct random_case *r)
{
	struct node_pods nodes[CLUSTER_CASE_NODES] = {{.count = 0}};
	struct journal_reader in;
	const struct journal_record *record;

	journal_open(&in, j);
	while ((record = journal_next(&in)) != NULL) {
		const struct case_job *job;

		if (record->kind == J_POD_SCHEDULED) {
			struct node_pods *n = &nodes[record->arg];

			job = &r->jobs[record->job];
			ck_assert_int_lt(n->count, NODE_PODS);
			n->of[n->count] = gpu_share_demand(job->gpus, job->milli);
			n->pod[n->count++] = record->pod;
			check_node(n, r->nodes[record->arg].gpus);
		} else if (record->kind == J_POD_DELETED || record->kind == J_POD_EVICTED ||
			   record->kind == J_POD_PREEMPTED) {
			for (uint32_t node = 0; node < r->node_count; node++)
				leave(&nodes[node], record->pod);
		} else if (record->kind == J_FINISHED || record->kind == J_FAILED ||
			   record->kind == J_DELETED || record->kind == J_PLACEMENT_TIMEOUT) {
			for (uint32_t pod = j->first_pod[record->job];
			     pod < j->first_pod[record->job + 1]; pod++)
				for (uint32_t node = 0; node < r->node_count; node++)
					leave(&nodes[node], pod);
		}
	}
}

static void share_gpus(struct random_case *r, uint64_t seed)
{
	struct rng *rng = rng_new(seed, "parts");

	for (uint32_t i = 0; i < r->job_count; i++) {
		r->jobs[i].milli = r->jobs[i].gpus * GPU_SHARE_WHOLE;
		if (rng_below(rng, 3) > 0) {
			r->jobs[i].gpus = 0;
			r->jobs[i].milli = 100 * (1 + (int64_t)rng_below(rng, 18));
		}
	}
	r->options.tie = rng_below(rng, 2) == 0 ? TIE_FIRST : TIE_RANDOM;
	rng_free(rng);
}

/* Nodes that change included, but for the check of single GPUs, where they stay. */
static void run_random(uint64_t seed, const char *policy)
{
	struct random_case r;
	struct journal *journal = NULL;
	struct err err = {0};
	struct audit audit;
	struct scenario *s;

	cluster_case_random(&r, seed);
	share_gpus(&r, seed);
	s = cluster_case_queued(r.nodes, r.node_count, r.jobs, r.job_count, r.changes,
				r.change_count, 4, 4);
	ck_assert_msg(engine_run(s, policy_find(policy), &r.options, JOURNAL_FULL, &journal,
				 &err) == ERR_OK,
		      "%s", err.msg);
	ck_assert_msg(audit_check(journal, &audit), "%s", audit.listed[0].text);
	if (r.change_count == 0)
		check_journal(journal, &r);
	journal_free(journal);
	scenario_free(s);
}

START_TEST(any_system)
{
	run_random((uint64_t)_i / POLICIES, policies[_i % POLICIES]);
}
END_TEST

START_TEST(whole_gpus_only)
{
	policy_story_random((uint64_t)_i / POLICIES, policies[_i % POLICIES]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/policy_gpus");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, story, 0, COUNT(stories));
	tcase_add_loop_test(t, any_system, 0, RANDOM_CASES * POLICIES);
	tcase_add_loop_test(t, whole_gpus_only, 0, 100 * POLICIES);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
