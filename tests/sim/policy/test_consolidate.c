/* test_consolidate.c - All pods of a job or none, on as few nodes as it takes. */
#include "sim/policy/consolidate.h"

#include <check.h>

#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define PODS	    4

static const struct {
	const char *name;
	struct case_node nodes[3];
	struct case_job jobs[2]; /* the second is to be placed */
	int64_t first_at;	 /* node of the first one's pod; -1: it waits too */
	bool barred;		 /* the first node is not for it */
	int expected[PODS];	 /* node a pod; none fits: -1 first */
} rows[] = {
	{"the node with the fewest free GPUs that holds it",
	 {{.gpus = 8}, {.gpus = 4}, {.gpus = 2}},
	 {{.pods = 1, .gpus = 6}, {.pods = 2, .gpus = 2}},
	 0,
	 false,
	 {1, 1}},
	{"among equal ones the first",
	 {{.gpus = 8}, {.gpus = 8}, {.gpus = 8}},
	 {{.pods = 1, .gpus = 6}, {.pods = 1, .gpus = 4}},
	 0,
	 false,
	 {1}},
	{"more than a node has: free ones, in order",
	 {{.gpus = 4}, {.gpus = 4}, {.gpus = 4}},
	 {{.pods = 1, .gpus = 1}, {.pods = 3, .gpus = 2}},
	 0,
	 false,
	 {1, 1, 2}},
	{"not enough free ones",
	 {{.gpus = 4}, {.gpus = 4}, {.gpus = 2}},
	 {{.pods = 1, .gpus = 1}, {.pods = 4, .gpus = 2}},
	 0,
	 false,
	 {-1}},
	{"cpu and memory count",
	 {{.gpus = 8, .cpu = 1000}, {.gpus = 8, .cpu = 4000}, {.gpus = 8, .memory = 1}},
	 {{.pods = 1}, {.pods = 2, .gpus = 1, .cpu = 1000, .memory = 2}},
	 -1,
	 false,
	 {1, 1}},
	{"nodes that it may not use",
	 {{.gpus = 4}, {.gpus = 4}, {.gpus = 4}},
	 {{.pods = 1}, {.pods = 1, .gpus = 1}},
	 -1,
	 true,
	 {1}},
	{"so many pods a node",
	 {{.gpus = 8, .pods = 1}, {.gpus = 8, .pods = 1}, {.gpus = 8, .pods = 2}},
	 {{.pods = 1}, {.pods = 3, .gpus = 1}},
	 -1,
	 false,
	 {0, 1, 2}},
};

START_TEST(placement)
{
	const bool allowed[3] = {!rows[_i].barred, true, true};
	struct consolidate_plan found;
	struct cluster_case c;
	struct kube_match *match;
	struct consolidate *consolidate;
	bool fits;

	cluster_case_open(&c, rows[_i].nodes, 3, rows[_i].jobs, 2);
	if (rows[_i].first_at >= 0)
		cluster_case_bind(&c, 0, (uint32_t)rows[_i].first_at);
	match = kube_match_new(&c.world);
	consolidate = consolidate_new(&c.world, match);
	fits = consolidate_find(consolidate, 1, allowed, &found);
	ck_assert_msg(fits == (rows[_i].expected[0] >= 0), "%s", rows[_i].name);
	for (uint32_t i = 0; fits && i < rows[_i].jobs[1].pods; i++)
		ck_assert_msg(found.nodes[i] == (uint32_t)rows[_i].expected[i], "%s: pod %u on %u",
			      rows[_i].name, i, found.nodes[i]);
	consolidate_free(consolidate);
	kube_match_free(match);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/consolidate");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, placement, 0, COUNT(rows));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
