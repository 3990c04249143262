/* test_fits.c - Jobs that could never run: too big for every node, or for their quota. */
#include <check.h>
#include <stdlib.h>

#include "sim/gen/fits.h"
#include "tests/sim/constraint_case.h"
#include "tests/support/command.h"

static const char jobs[] = "name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,"
			   "requests,node_selector\n"
			   "fine,default,a,0,60,,2,,nvidia.com/gpu=4,\n"
			   "one-pod-too-many,default,a,0,60,,3,,nvidia.com/gpu=4,\n"
			   "shrinks,default,a,0,60,,3,2,nvidia.com/gpu=4,\n"
			   "pod-too-big,default,a,0,60,,1,,nvidia.com/gpu=5,\n"
			   "nowhere,default,a,0,60,,1,,nvidia.com/gpu=1,zone=moon\n"
			   "no-cpu,default,a,0,60,,1,,cpu=65,\n"
			   "no-queue,default,zzz,0,60,,3,,nvidia.com/gpu=2,\n";

static const struct {
	const char *job;
	bool nodes, quota;
} rows[] = {
	{"fine", true, true},	      {"one-pod-too-many", false, false}, {"shrinks", true, true},
	{"pod-too-big", false, true}, {"nowhere", false, true},		  {"no-cpu", false, true},
	{"no-queue", true, true},
};

START_TEST(both_parts)
{
	struct scenario *s;
	struct fits *fits;
	uint32_t job;

	command_file("objects.yaml", command_objects);
	command_file("jobs.csv", jobs);
	s = command_load("objects.yaml jobs.csv");
	job = command_job(s, rows[_i].job);
	fits = fits_new(s, true, true);
	ck_assert_int_eq(fits_nodes(fits, job), rows[_i].nodes);
	ck_assert_int_eq(fits_quota(fits, job), rows[_i].quota);
	ck_assert_int_eq(fits_ever(fits, job), rows[_i].nodes && rows[_i].quota);
	fits_free(fits);
	/* Without nodes, and without an admission policy, each part is left out. */
	fits = fits_new(s, false, true);
	ck_assert_int_eq(fits_ever(fits, job), rows[_i].quota);
	fits_free(fits);
	fits = fits_new(s, true, false);
	ck_assert_int_eq(fits_ever(fits, job), rows[_i].nodes);
	fits_free(fits);
	scenario_free(s);
}
END_TEST

/* A node that comes at 100 s has room for what the others have not. */
START_TEST(later_objects_get_the_benefit_of_the_doubt)
{
	struct scenario *s;
	struct fits *fits;

	command_file("objects.yaml", command_objects);
	command_file("jobs.csv", jobs);
	command_file("later.yaml", "apiVersion: v1\n"
				   "kind: Node\n"
				   "metadata: {name: n2, annotations: {gqsim/at: \"100\"}}\n"
				   "status: {allocatable: {cpu: \"80\", nvidia.com/gpu: \"8\"}}\n");
	s = command_load("objects.yaml jobs.csv later.yaml");
	fits = fits_new(s, true, false);
	ck_assert(fits_ever(fits, command_job(s, "one-pod-too-many")));
	ck_assert(fits_ever(fits, command_job(s, "pod-too-big")));
	ck_assert(fits_ever(fits, command_job(s, "no-cpu")));
	ck_assert(!fits_ever(fits, command_job(s, "nowhere")));
	fits_free(fits);
	fits_free(NULL);
	scenario_free(s);
}
END_TEST

/* What pods ask of their place, on n0 and n1 of zone a, n2 of zone b, n3 of none, of 8
 * GPUs each. */
#define EVEN(rule, key)                                                                            \
	SPREAD(rule ", topologyKey: " key ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: "   \
											 "x"))
#define CPU_NODE                                                                                   \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: n4}\nstatus: {allocatable: {cpu: "      \
	"'16', "                                                                                   \
	"memory: 64Gi, pods: '110'}}\n"

static const struct {
	const char *objects;
	bool fits;
} places[] = {
	{NODES JOB("j", "4", "app: x", FAR(SELECTS("app: x") ", topologyKey: " HOST)), true},
	{NODES JOB("j", "5", "app: x", FAR(SELECTS("app: x") ", topologyKey: " HOST)), false},
	{NODES JOB("j", "10", "app: x", FAR(SELECTS("app: x") ", topologyKey: " ZONE)), true},
	{NODES JOB("j", "11", "app: x", FAR(SELECTS("app: x") ", topologyKey: " ZONE)), false},
	/* others may end */
	{NODES JOB("j", "32", "app: x", FAR(SELECTS("app: m") ", topologyKey: " HOST)), true},
	{NODES JOB("j", "5", "app: x",
		   FAR(SELECTS("app: x") ", namespaces: [ml], topologyKey: " HOST)),
	 true},
	/* all beside each other */
	{NODES JOB("j", "8", "app: x", NEAR(SELECTS("app: x") ", topologyKey: " HOST)), true},
	{NODES JOB("j", "9", "app: x", NEAR(SELECTS("app: x") ", topologyKey: " HOST)), false},
	{NODES JOB("j", "16", "app: x", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)), true},
	{NODES JOB("j", "17", "app: x", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)), false},
	{NODES JOB("j", "32", "app: x", NEAR(SELECTS("app: m") ", topologyKey: " HOST)), true},
	/* zone b has room for 8, so zone a takes 9 */
	{NODES JOB("j", "17", "app: x", EVEN("maxSkew: 1", ZONE)), true},
	{NODES JOB("j", "18", "app: x", EVEN("maxSkew: 1", ZONE)), false},
	{NODES JOB("j", "24", "app: x", EVEN("maxSkew: 8", ZONE)), true},
	{NODES JOB("j", "2", "app: x", EVEN("maxSkew: 1, minDomains: 3", ZONE)), true},
	{NODES JOB("j", "3", "app: x", EVEN("maxSkew: 1, minDomains: 3", ZONE)), false},
	{NODES JOB("j", "32", "app: x", EVEN("maxSkew: 1", HOST)), true},
	/* a node without GPUs is a domain that stays empty, unless the selector leaves it out */
	{NODES CPU_NODE JOB("j", "4", "app: x", EVEN("maxSkew: 1", HOST)), true},
	{NODES CPU_NODE JOB("j", "5", "app: x", EVEN("maxSkew: 1", HOST)), false},
	{NODES CPU_NODE JOB("j", "16", "app: x",
			    ", nodeSelector: {" ZONE ": a}" EVEN("maxSkew: 1", HOST)),
	 true},
	{NODES CPU_NODE JOB("j", "3", "app: x",
			    ", nodeSelector: {" ZONE
			    ": a}" EVEN("maxSkew: 1, nodeAffinityPolicy: Ignore", HOST)),
	 false},
	/* others could even it out, were it not alone */
	{NODES JOB("j", "24", "app: m", EVEN("maxSkew: 1", ZONE)), true},
	{NODES JOB("j", "24", "app: x",
		   SPREAD("maxSkew: 1, topologyKey: " ZONE ", whenUnsatisfiable: DoNotSchedule")),
	 true},
	{NODES JOB("j", "25", "app: x",
		   SPREAD("maxSkew: 1, topologyKey: " ZONE ", whenUnsatisfiable: DoNotSchedule")),
	 false},
	{NODES JOB("j", "32", "app: x",
		   SPREAD("maxSkew: 1, topologyKey: " ZONE ", whenUnsatisfiable: ScheduleAnyway")),
	 true},
};

START_TEST(what_pods_ask_of_their_place)
{
	struct scenario *s = objects_case_load(places[_i].objects);
	struct fits *fits = fits_new(s, true, false);

	ck_assert_msg(fits_nodes(fits, 0) == places[_i].fits, "row %d", _i);
	ck_assert_msg(fits_nodes(fits, 0) == places[_i].fits, "row %d", _i);
	fits_free(fits);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/gen/fits");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, both_parts, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, later_objects_get_the_benefit_of_the_doubt);
	tcase_add_loop_test(t, what_pods_ask_of_their_place, 0, ROWS(places));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
