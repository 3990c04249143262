/* test_usage.c - Capacity of a quota tree (spec KUEUE.md 2.5), and who lends to whom. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world/usage.h"
#include "tests/support/command.h"
#include "tests/support/records.h"

#define QUEUE(name, cohort, quota)                                                                 \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ClusterQueue\n"                                                                     \
	"metadata: {name: " name "}\n"                                                             \
	"spec:\n"                                                                                  \
	"  cohortName: " cohort "\n"                                                               \
	"  namespaceSelector: {}\n"                                                                \
	"  resourceGroups:\n"                                                                      \
	"  - coveredResources: [nvidia.com/gpu]\n"                                                 \
	"    flavors:\n"                                                                           \
	"    - name: gpu\n"                                                                        \
	"      resources: [{name: nvidia.com/gpu, " quota "}]\n"                                   \
	"---\n"
#define COHORT(name, spec)                                                                         \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: Cohort\n"                                                                           \
	"metadata: {name: " name "}\n"                                                             \
	"spec: {" spec "}\n"                                                                       \
	"---\n"
#define COHORT_QUOTA(quota)                                                                        \
	"resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: gpu, "             \
	"resources: [{name: nvidia.com/gpu, " quota "}]}]}]"
#define FLAVOR                                                                                     \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ResourceFlavor\n"                                                                   \
	"metadata: {name: gpu}\n"

/* One job of each size, to be admitted anywhere. */
static const char jobs[] = "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
			   "g1,default,x,0,60,,1,nvidia.com/gpu=1\n"
			   "g3,default,x,0,60,,3,nvidia.com/gpu=1\n"
			   "g5,default,x,0,60,,5,nvidia.com/gpu=1\n"
			   "g8,default,x,0,60,,8,nvidia.com/gpu=1\n"
			   "g9,default,x,0,60,,9,nvidia.com/gpu=1\n"
			   "g10,default,x,0,60,,10,nvidia.com/gpu=1\n";

struct books {
	struct scenario *scenario;
	struct journal *journal;
	struct usage *usage;
};

static struct books open_books(const char *objects)
{
	struct books b;

	command_file("objects.yaml", objects);
	command_file("jobs.csv", jobs);
	b.scenario = command_load("objects.yaml jobs.csv");
	b.journal = journal_new(b.scenario, "kueue", JOURNAL_FULL);
	b.usage = usage_new(b.scenario);
	return b;
}

static void close_books(struct books *b)
{
	usage_free(b->usage);
	journal_free(b->journal);
	scenario_free(b->scenario);
}

/* Job by name into the index-th queue. */
static void reserve(struct books *b, const char *job, uint32_t queue, int sign)
{
	uint32_t index = command_job(b->scenario, job);
	uint32_t admission = records_admission(b->journal, index, queue, 0);

	usage_reserve(b->usage, index, &b->journal->admissions[admission], sign);
	usage_settle(b->usage);
}

static int64_t available(const struct books *b, uint32_t queue)
{
	return usage_available(b->usage, usage_find(b->usage, queue, 0, RES_GPU), true);
}

static int64_t potential(const struct books *b, uint32_t queue)
{
	return usage_potential(b->usage, usage_find(b->usage, queue, 0, RES_GPU));
}

static const struct usage_cell *cell(const struct books *b, uint32_t queue)
{
	return &b->usage->cells[usage_find(b->usage, queue, 0, RES_GPU)];
}

/* a: nominal 10; b: nominal 6, lending limit 2. */
START_TEST(flat_cohort)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 10") QUEUE(
		"b", "c", "nominalQuota: 6, lendingLimit: 2") FLAVOR);

	ck_assert_int_eq(available(&b, 0), 12);
	ck_assert_int_eq(available(&b, 1), 16);
	ck_assert_int_eq(potential(&b, 0), 12);
	ck_assert_int_eq(potential(&b, 1), 16);
	reserve(&b, "g8", 0, 1);
	ck_assert_int_eq(available(&b, 0), 4);
	ck_assert_int_eq(available(&b, 1), 8);
	reserve(&b, "g5", 1, 1); /* 4 of them are its own guaranteed ones */
	ck_assert_int_eq(available(&b, 0), 3);
	ck_assert_int_eq(available(&b, 1), 3);
	reserve(&b, "g8", 0, -1);
	reserve(&b, "g5", 1, -1);
	ck_assert_int_eq(available(&b, 0), 12);
	close_books(&b);
}
END_TEST

START_TEST(borrowing_limit_caps)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 10, borrowingLimit: 1") QUEUE(
		"b", "c", "nominalQuota: 6, lendingLimit: 2") FLAVOR);

	ck_assert_int_eq(potential(&b, 0), 11);
	reserve(&b, "g10", 0, 1);
	ck_assert_int_eq(available(&b, 0), 1);
	ck_assert_int_eq(usage_available(b.usage, usage_find(b.usage, 0, 0, RES_GPU), false), 2);
	close_books(&b);
}
END_TEST

/* root (own 4) <- mid (borrowing limit 1) <- x (5); r (3) directly under root. */
START_TEST(hierarchy_with_a_limit)
{
	struct books b = open_books(COHORT("root", COHORT_QUOTA("nominalQuota: 4")) COHORT(
		"mid", "parentName: root, " COHORT_QUOTA("nominalQuota: 0, borrowingLimit: 1"))
					    QUEUE("x", "mid", "nominalQuota: 5")
						    QUEUE("r", "root", "nominalQuota: 3") FLAVOR);

	ck_assert_int_eq(potential(&b, 0), 6);
	ck_assert_int_eq(available(&b, 0), 6);
	ck_assert_int_eq(potential(&b, 1), 12);
	reserve(&b, "g9", 1, 1);
	ck_assert_int_eq(available(&b, 0), 3);
	/* r borrows 6, 4 of which are the root's own: x lends 2. */
	ck_assert_int_eq(cell(&b, 1)->borrowed, 6);
	ck_assert_int_eq(cell(&b, 0)->lent, 2);
	ck_assert(usage_same_tree(b.usage, 0, 1));
	close_books(&b);
}
END_TEST

START_TEST(over_admission_is_negative)
{
	struct books b = open_books(QUEUE("a", "\"\"", "nominalQuota: 4") FLAVOR);

	reserve(&b, "g5", 0, 1);
	ck_assert_int_eq(available(&b, 0), -1);
	ck_assert_int_eq(cell(&b, 0)->borrowed, 1);
	ck_assert_int_eq(cell(&b, 0)->lent, 0);
	close_books(&b);
}
END_TEST

/* c borrows 3 of what a, b and d leave: 3, 2 and 0 are lendable; 3*3/5 = 1.8 and
 * 3*2/5 = 1.2, so a lends 1 + 1 (the larger remainder) and b lends 1. */
START_TEST(lenders_share_by_largest_remainder)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 3") QUEUE(
		"b", "c", "nominalQuota: 6, lendingLimit: 2") QUEUE("c", "c", "nominalQuota: 0")
					    QUEUE("d", "c", "nominalQuota: 1") FLAVOR);

	reserve(&b, "g1", 3, 1);
	reserve(&b, "g3", 2, 1);
	ck_assert_int_eq(cell(&b, 0)->lent, 2);
	ck_assert_int_eq(cell(&b, 1)->lent, 1);
	ck_assert_int_eq(cell(&b, 2)->lent, 0);
	ck_assert_int_eq(cell(&b, 3)->lent, 0);
	ck_assert_int_eq(cell(&b, 2)->borrowed, 3);
	ck_assert_uint_eq(b.usage->changed_count, 4);
	reserve(&b, "g3", 2, -1);
	ck_assert_int_eq(cell(&b, 0)->lent, 0);
	close_books(&b);
}
END_TEST

/* Equal remainders: the earlier queue gives the odd unit. */
START_TEST(equal_lenders_in_order)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 4") QUEUE(
		"b", "c", "nominalQuota: 4") QUEUE("c", "c", "nominalQuota: 0") FLAVOR);

	reserve(&b, "g1", 2, 1);
	ck_assert_int_eq(cell(&b, 0)->lent, 1);
	ck_assert_int_eq(cell(&b, 1)->lent, 0);
	close_books(&b);
}
END_TEST

/* A later version of a queue: other quota, another cohort. */
START_TEST(updates_take_force)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 4") QUEUE(
		"b", "c",
		"nominalQuota: 4") "apiVersion: kueue.x-k8s.io/v1beta2\n"
				   "kind: ClusterQueue\n"
				   "metadata: {name: b, annotations: {gqsim/at: \"50\"}}\n"
				   "spec:\n"
				   "  cohortName: other\n"
				   "  namespaceSelector: {}\n"
				   "  resourceGroups:\n"
				   "  - coveredResources: [nvidia.com/gpu]\n"
				   "    flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, "
				   "nominalQuota: 1}]}]\n"
				   "---\n" FLAVOR);

	reserve(&b, "g5", 0, 1);
	ck_assert_int_eq(cell(&b, 1)->lent, 1);
	usage_update(b.usage, 0);
	usage_settle(b.usage);
	ck_assert_int_eq(cell(&b, 1)->nominal, 1);
	ck_assert_int_eq(cell(&b, 1)->lent, 0);
	ck_assert_int_eq(cell(&b, 0)->borrowed, 1);
	ck_assert_int_eq(potential(&b, 0), 4);
	ck_assert(!usage_same_tree(b.usage, 0, 1));
	close_books(&b);
}
END_TEST

START_TEST(what_a_queue_has_not_is_not_found)
{
	struct books b = open_books(QUEUE("a", "c", "nominalQuota: 4") FLAVOR);

	ck_assert_uint_eq(usage_find(b.usage, 0, 0, RES_CPU), SCENARIO_NONE);
	ck_assert_uint_eq(b.usage->cell_count, 1);
	close_books(&b);
	usage_free(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/world/usage");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, flat_cohort);
	tcase_add_test(t, borrowing_limit_caps);
	tcase_add_test(t, hierarchy_with_a_limit);
	tcase_add_test(t, over_admission_is_negative);
	tcase_add_test(t, lenders_share_by_largest_remainder);
	tcase_add_test(t, equal_lenders_in_order);
	tcase_add_test(t, updates_take_force);
	tcase_add_test(t, what_a_queue_has_not_is_not_found);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
