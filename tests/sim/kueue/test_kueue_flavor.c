/* test_kueue_flavor.c - Which flavor, in which mode, and what is said of those that were not. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_memory.h"
#include "tests/sim/objects_case.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *items, *want, *status; /* of p; NULL */
} rows[] = {
	{"the first that fits", "a{f1[4] f2[4]} in=-; a?p:3", "admit p f1", NULL},
	{"the next if the first can never fit", "a{f1[2] f2[4]} in=-; a?p:3", "admit p f2", NULL},
	{"the next if the first is full", "a{f1[4] f2[4]} in=-; a<h:2; a?p:3", "admit p f2", NULL},
	{"all reasons, sorted as texts", "a{f1[4] f2[4] f3[1]} in=-; a<h:4; a<i:3!f2; a?p:4",
	 "p parked",
	 "WaitingForQuota: couldn't assign flavors to pod set main: insufficient quota for cpu in "
	 "flavor f3, previously considered podsets requests (0) + current podset request (4) > "
	 "maximum capacity (1), insufficient unused quota for cpu in flavor f1, 4 more needed, "
	 "insufficient unused quota for cpu in flavor f2, 3 more needed"},
	{"no candidates ranks below victims elsewhere",
	 "a{f1[4] f2[4]} w=L in=-; a<h:4@50; a<i:4!f2; a?p:4@10",
	 "preempt i p InClusterQueue; p heap", NULL},
};

START_TEST(outcomes)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, false);

	ck_assert_msg(strcmp(kueue_story_run(s, 1), rows[_i].want) == 0, "%s: got %s",
		      rows[_i].name, s->text);
	if (rows[_i].status != NULL)
		ck_assert_msg(strcmp(kueue_story_status(s, "p"), rows[_i].status) == 0,
			      "%s: told %s", rows[_i].name, s->text);
	kueue_story_free(s);
}
END_TEST

/* A flavor that was tried is not tried again while the memory holds. */
START_TEST(memory_resumes)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3", false);
	uint32_t job = kueue_story_job(s, "p");
	int16_t tried[8] = {0};
	const uint32_t counts[] = {1};
	struct kueue_assignment a;

	kueue_assignment_init(s->k, &a);
	kueue_memory_set(s->k, job, tried); /* index 0 everywhere */
	kueue_flavor_assign(s->k, job, counts, NULL, &a);
	ck_assert_int_eq(a.mode, MODE_FIT);
	for (uint32_t i = 0; i < kueue_form_of(s->k, job)->slot_count; i++) {
		if (kueue_form_of(s->k, job)->slots[i].implied)
			continue;
		ck_assert_uint_eq(a.choices[i].flavor, s->k->queues[0].groups[0].flavors[1]);
		ck_assert_int_eq(a.choices[i].tried, -1); /* the last flavor */
	}
	kueue_assignment_free(&a);
	kueue_story_free(s);
}
END_TEST

/* A JobSet of a (1 pod of 2 GPUs), b (1 of 1) and c (2 of 1); a and c are one topology group.
 * Flavor f1 has too few GPUs for these. */
#define HOST "kueue.x-k8s.io/podset-required-topology: kubernetes.io/hostname"
#define NODE(flavor)                                                                               \
	"apiVersion: v1\nkind: Node\nmetadata: {name: m" flavor ", labels: {pool: " flavor         \
	", kubernetes.io/hostname: m" flavor "}}\nstatus: {capacity: {nvidia.com/gpu: 8}}\n---\n"  \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " flavor       \
	"}\nspec: {nodeLabels: {pool: " flavor "}, topologyName: o}\n---\n"
#define QUOTA(flavor, gpus)                                                                        \
	"    - {name: " flavor ", resources: [{name: nvidia.com/gpu, nominalQuota: " gpus "}]}\n"
#define SET(name, pods, annotations, gpus)                                                         \
	"  - {name: " name ", replicas: 1, template: {spec: {parallelism: " pods                   \
	", completions: " pods ", template: {metadata: {annotations: {" HOST annotations           \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: " gpus             \
	"}}}]}}}}}\n"
#define IN_GROUP ", kueue.x-k8s.io/podset-group-name: g"
#define SPLIT_GROUP(gpus)                                                                          \
	NODE("f1")                                                                                 \
	NODE("f2")                                                                                 \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\n"                                     \
	"metadata: {name: o}\nspec: {levels: [{nodeLabel: "                                        \
	"kubernetes.io/hostname}]}\n---\n"                                                         \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: "                \
	"q}\nspec:\n"                                                                              \
	"  namespaceSelector: {}\n  resourceGroups:\n"                                             \
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n" QUOTA("f1", "3")                  \
		QUOTA("f2", gpus) "---\n" STORY_QUEUE_TAIL                                         \
				  "---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: "              \
				  "JobSet\nmetadata: {name: s, namespace: "                        \
				  "default, labels: {kueue.x-k8s.io/queue-name: q}, "              \
				  "annotations: {gqsim/duration: '10'}}\n"                         \
				  "spec:\n  replicatedJobs:\n" SET("a", "1", IN_GROUP, "2")        \
					  SET("b", "1", "", "1") SET("c", "2", IN_GROUP, "1")

#define HEADER "name,namespace,queue,submit_s,duration_s,pods,requests\n"

START_TEST(a_group_is_one_wherever_its_sets_stand)
{
	char *got = kueue_story_events(SPLIT_GROUP("8"), HEADER);

	ck_assert_str_eq(got, "0,QuotaReserved,default/s,q,"
			      "count=1;flavors=nvidia.com/gpu:f2;borrow=0;topology=mf2:1|"
			      "count=1;flavors=nvidia.com/gpu:f1;borrow=0;topology=mf1:1|"
			      "count=2;flavors=nvidia.com/gpu:f2;borrow=0;topology=mf2:2\n"
			      "10,Finished,default/s,q,\n");
	mem_free(got);
}
END_TEST

/* Neither a nor c gets anything, and b is not looked at. */
START_TEST(a_group_fails_as_one)
{
	char *got = kueue_story_told(SPLIT_GROUP("3"), HEADER), *c;

	c = strstr(got, "; couldn't assign flavors to pod set c: insufficient quota for "
			"nvidia.com/gpu in flavor f1, previously considered podsets requests (0) + "
			"current podset request (4) > maximum capacity (3)");
	ck_assert_msg(c != NULL && strstr(got, "pod set a: insufficient quota") < c, "%s", got);
	ck_assert_msg(strstr(got, "pod set b") == NULL, "%s", got);
	mem_free(got);
}
END_TEST

/* Kueue lists what it tried in the order a, c, b, and looks b's up in the second place. */
START_TEST(a_group_shifts_what_was_tried)
{
	struct scenario *s = objects_case_load(SPLIT_GROUP("8"));
	struct run_options options;
	struct journal *journal = journal_new(s, "kueue", JOURNAL_FULL);
	struct world world;
	struct plan plan;
	struct kueue_assignment a;
	const uint32_t counts[] = {1, 1, 2};
	struct err err = {0};
	const struct kueue_form *form;
	struct kueue *k;

	options_default(&options);
	world_init(&world, s, &options, journal);
	plan_init(&plan);
	k = policy_kueue.open(&world, &plan, &err);
	kueue_assignment_init(k, &a);
	form = kueue_form_of(k, 0);
	for (uint32_t i = 0; i < form->slot_count; i++)
		k->new_tried[i] = i < form->first[2] ? -1 : 0;
	kueue_memory_set(k, 0, k->new_tried);
	kueue_flavor_assign(k, 0, counts, NULL, &a);
	ck_assert_int_eq(a.mode, MODE_FIT);
	for (uint32_t i = form->first[1]; i < form->first[2]; i++)
		ck_assert(form->slots[i].implied ||
			  a.choices[i].flavor == k->queues[0].groups[0].flavors[1]);
	kueue_assignment_free(&a);
	policy_kueue.close(k);
	plan_free(&plan);
	world_free(&world);
	journal_free(journal);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_flavor");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, outcomes, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, memory_resumes);
	tcase_add_test(t, a_group_is_one_wherever_its_sets_stand);
	tcase_add_test(t, a_group_fails_as_one);
	tcase_add_test(t, a_group_shifts_what_was_tried);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
