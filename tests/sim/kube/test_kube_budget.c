/* test_kube_budget.c - what budgets allow, and whom kube-scheduler preempts then. The
 * expected values are worked out by hand from the disruption controller's rules. */
#include "sim/kube/kube_budget.h"

#include <stdio.h>

#include "sim/engine/engine.h"
#include "tests/sim/constraint_case.h"
#include "tests/support/fixture.h"

#define PDB(spec)                                                                                  \
	"---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: "   \
	"default}\nspec: {" spec "}\n"
#define SELECTED "selector: {matchLabels: {app: x}}, "
#define SERVICE(kind, name, replicas, labels)                                                      \
	"---\napiVersion: apps/v1\nkind: " kind "\nmetadata: {name: " name                         \
	"}\nspec: {replicas: " replicas ", selector: {matchLabels: {" labels                       \
	"}}, template: {metadata: {labels: {" labels                                               \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]}}}\n"
#define WEB   SERVICE("Deployment", "web", "4", "app: x")
#define STORE SERVICE("StatefulSet", "store", "3", "app: x")

/* All pods are there; so many of the first job's are bound, and all of the others'. */
static const struct {
	const char *name, *text;
	uint32_t bound;
	int64_t allowed;
} rows[] = {
	{"minAvailable 3 of 4", WEB PDB(SELECTED "minAvailable: 3"), 4, 1},
	{"one that waits is not available", WEB PDB(SELECTED "minAvailable: 3"), 3, 0},
	{"never below none", WEB PDB(SELECTED "minAvailable: 3"), 1, 0},
	{"maxUnavailable 1", WEB PDB(SELECTED "maxUnavailable: 1"), 4, 1},
	{"maxUnavailable 1, and one is", WEB PDB(SELECTED "maxUnavailable: 1"), 3, 0},
	{"more than all", WEB PDB(SELECTED "maxUnavailable: 9"), 2, 2},
	{"30 % of 4, rounded up: 2", WEB PDB(SELECTED "maxUnavailable: 30%"), 4, 2},
	{"30 % of 4 must stay, rounded up: 2", WEB PDB(SELECTED "minAvailable: 30%"), 4, 2},
	{"the replicas of both: 50 % of 7, rounded up", WEB STORE PDB(SELECTED "minAvailable: 50%"),
	 4, 3},
	{"a Job has no scale", JOB("a", "4", "app: x", "") PDB(SELECTED "maxUnavailable: 1"), 4, 0},
	{"which minAvailable does not ask for",
	 JOB("a", "4", "app: x", "") PDB(SELECTED "minAvailable: 3"), 4, 1},
	{"one Job among others fails the controller",
	 WEB JOB("a", "4", "app: x", "") PDB(SELECTED "maxUnavailable: 5"), 4, 0},
	{"other labels",
	 SERVICE("Deployment", "web", "4", "app: m") PDB(SELECTED "minAvailable: 1"), 4, 0},
	{"a rule is missing", WEB PDB("selector: {matchLabels: {app: x}}"), 4, 0},
	{"nil selects nothing", WEB PDB("minAvailable: 1"), 4, 0},
};

static void place_pods(struct constraint_case *c, struct kube_budgets *b, uint32_t bound)
{
	for (uint32_t job = 0; job < c->s->job_count; job++) {
		world_job(&c->world, job)->pods_wanted = c->s->jobs[job].common->pods;
		for (uint32_t i = 0; i < c->s->jobs[job].common->pods; i++) {
			uint32_t pod = c->journal->first_pod[job] + i;

			kube_budget_created(b, job);
			c->world.pods[pod].phase = job > 0 || i < bound ? POD_BOUND : POD_PENDING;
		}
	}
}

START_TEST(allowed)
{
	char text[4000];
	struct constraint_case c;
	struct kube_budgets *b;

	snprintf(text, sizeof(text), "%s%s", NODES, rows[_i].text);
	constraint_case_open(&c, text);
	b = kube_budget_new(&c.world);
	place_pods(&c, b, rows[_i].bound);
	kube_budget_look(b);
	ck_assert_msg(kube_budget_allowed(b, 0) == rows[_i].allowed, "%s: %d", rows[_i].name,
		      (int)kube_budget_allowed(b, 0));
	kube_budget_free(b);
	constraint_case_close(&c);
}
END_TEST

START_TEST(those_that_violate_come_first)
{
	struct constraint_case c;
	struct kube_budgets *b;
	uint32_t pods[] = {4, 0, 1, 5, 2}; /* of the StatefulSet: 4 and 5 */

	constraint_case_open(&c, NODES WEB SERVICE("StatefulSet", "store", "3", "app: m")
					 PDB(SELECTED "minAvailable: 3"));
	b = kube_budget_new(&c.world);
	place_pods(&c, b, 4);
	kube_budget_look(b);
	ck_assert_uint_eq(kube_budget_sort(b, pods, 5), 2);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(pods[i], ((uint32_t[]){1, 2, 4, 0, 5})[i]);
	for (int i = 0; i < 4; i++)
		kube_budget_gone(b, 0);
	kube_budget_look(b);
	ck_assert_int_eq(kube_budget_allowed(b, 0), 0);
	kube_budget_free(b);
	ck_assert_uint_eq(kube_budget_sort(NULL, pods, 5), 0);
	constraint_case_close(&c);
}
END_TEST

/* ---- in the scheduler ---- */

#define CLASSES                                                                                    \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\n"      \
	"value: 1\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"                   \
	"metadata: {name: high}\nvalue: 10\n"
#define TIMED(name, gpus, labels, class, at)                                                       \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", annotations: {gqsim/submit-at: '" at "', gqsim/duration: '100'}}\nspec: {template: "    \
	"{metadata: {labels: {" labels                                                             \
	"}}, spec: {" class "containers: [{name: c, resources: {limits: {nvidia.com/gpu: '" gpus   \
			    "'}}}]}}}\n"
#define LOW  "priorityClassName: low, "
#define HIGH "priorityClassName: high, "
#define ONE  NODE("n0", "a: b")
#define TWO  ONE NODE("n1", "a: b")

static const struct {
	const char *name, *text, *victims;
} stories[] = {
	{"without a budget the later start goes",
	 ONE TIMED("a", "4", "app: x", "", "0") TIMED("b", "4", "app: m", "", "1")
		 TIMED("h", "4", "", HIGH, "5"),
	 "b "},
	{"a budget spares its pod",
	 ONE TIMED("a", "4", "app: x", "", "0") TIMED("b", "4", "app: m", "", "1") TIMED(
		 "h", "4", "", HIGH, "5") PDB("selector: {matchLabels: {app: m}}, minAvailable: 1"),
	 "a "},
	{"even at a higher priority of the other",
	 ONE TIMED("a", "4", "app: x", LOW, "0") TIMED("b", "4", "app: m", "", "1") TIMED(
		 "h", "4", "", HIGH, "5") PDB("selector: {matchLabels: {app: m}}, minAvailable: 1"),
	 "a "},
	{"it is no hindrance where there is no other way",
	 ONE TIMED("a", "8", "app: m", "", "0") TIMED("h", "4", "", HIGH, "5")
		 PDB("selector: {matchLabels: {app: m}}, minAvailable: 1"),
	 "a "},
	{"the node with fewer violations, of higher victims",
	 TWO TIMED("a", "8", "app: x", LOW, "0") TIMED("b", "8", "app: m", "", "1") TIMED(
		 "h", "4", "", HIGH, "5") PDB("selector: {matchLabels: {app: m}}, minAvailable: 1"),
	 "a "},
	{"budgets of other namespaces do not count",
	 ONE TIMED("a", "4", "app: x", "", "0") TIMED("b", "4", "app: m", "", "1") TIMED(
		 "h", "4", "", HIGH,
		 "5") "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, "
		      "namespace: ml}\nspec: {selector: {matchLabels: {app: m}}, minAvailable: "
		      "1}\n",
	 "b "},
};

/* Names of the jobs that lost a pod to the first preemptor, in order. */
static void list_victims(const struct journal *j, const struct scenario *s, char out[100])
{
	struct journal_reader in;
	const struct journal_record *r;
	char buf[SCENARIO_NAME_TEXT];

	out[0] = '\0';
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_POD_PREEMPTED && r->time == 5 * CLOCK_SECOND)
			snprintf(out + strlen(out), 100 - strlen(out), "%s ",
				 scenario_job_name(s, r->job, buf));
	}
}

START_TEST(story)
{
	char text[4000], got[100];
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	struct scenario *s;

	snprintf(text, sizeof(text), "%s%s", CLASSES, stories[_i].text);
	s = objects_case_load(text);
	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	list_victims(j, s, got);
	ck_assert_msg(strcmp(got, stories[_i].victims) == 0, "%s: %s", stories[_i].name, got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, allowed, 0, ROWS(rows));
	tcase_add_test(t, those_that_violate_come_first);
	tcase_add_loop_test(t, story, 0, ROWS(stories));
	return objects_case_run("kube_budget", t);
}
