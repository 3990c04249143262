/* test_kueue_objects.c - objects in force: which queues admit, and in which order trees have
 * them. */
#include <check.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/kueue_story.h"

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

/* Queues and cohorts come in the order of their names, whatever that of the input. */
START_TEST(children_by_name)
{
	struct kueue_story *s = kueue_story_new(
		"%r[0]; %m[0] in=r; %c[0] in=r; %x[0] in=r; b[1] in=r; a[1] in=r; a?p:1", false);
	const struct kueue *k = s->k;
	uint32_t first = k->queue_count; /* r, m, c and x */

	ck_assert_uint_lt(k->tree.nodes[1].rank, k->tree.nodes[0].rank);
	ck_assert_uint_lt(k->tree.nodes[first + 2].rank, k->tree.nodes[first + 1].rank);
	ck_assert_uint_lt(k->tree.nodes[first + 1].rank, k->tree.nodes[first].rank);
	ck_assert_uint_lt(k->tree.nodes[first].rank, k->tree.nodes[first + 3].rank);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_objects");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, children_by_name);
	tcase_add_loop_test(t, queues_with_checks, 0, ROWS(queues));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
