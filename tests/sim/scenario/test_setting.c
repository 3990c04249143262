/* test_setting.c - --set: what it changes, and what it says when it cannot. */
#include "sim/scenario/setting.h"

#include "sim/load/builder.h"
#include "sim/load/pool.h"
#include "sim/scenario/kueue_gates.h"
#include "tests/sim/objects_case.h"

static const char objects[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: h100}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: a100}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: all}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: team.a}\n"
	"spec:\n  namespaceSelector: {}\n  cohortName: all\n  resourceGroups:\n"
	"  - coveredResources: [nvidia.com/gpu, cpu]\n    flavors:\n"
	"    - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8, lendingLimit: 4},"
	" {name: cpu, nominalQuota: 100}]}\n"
	"    - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 16},"
	" {name: cpu, nominalQuota: 200}]}\n"
	"  - coveredResources: [memory]\n"
	"    flavors: [{name: any, resources: [{name: memory, nominalQuota: 1Ti}]}]\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: l, namespace: k}\nspec: {clusterQueue: team.a}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: l, namespace: m}\nspec: {clusterQueue: team.a}\n";

/* Reads the objects and three nodes of pool h100, and applies one setting. */
static enum err_code apply(const char *set, struct scenario **out, struct err *err)
{
	struct builder *builder = builder_new();
	const char *const sets[] = {set};
	enum err_code code;

	ck_assert_int_eq(objects_case_read(builder, objects, strlen(objects), false, err), ERR_OK);
	ck_assert_int_eq(pool_add_text(builder, "h100=3x8", err), ERR_OK);
	code = setting_apply_pools(builder, sets, 1, err);
	if (code == ERR_OK)
		code = setting_apply(builder, sets, 1, err);
	if (code == ERR_OK)
		return builder_finish(builder, out, err);
	builder_free(builder);
	return code;
}

static struct scenario *applied(const char *set)
{
	struct scenario *s = NULL;
	struct err err;

	ck_assert_msg(apply(set, &s, &err) == ERR_OK, "%s", err.msg);
	return s;
}

static const struct quota_cell *cell(const struct scenario *s, uint32_t group, uint32_t index)
{
	return &s->cluster_queues[0].groups[group].cells[index];
}

START_TEST(quotas)
{
	struct scenario *s = applied("clusterqueue/team.a:nvidia.com/gpu@a100.nominalQuota=24");

	ck_assert_int_eq(cell(s, 0, 2)->nominal, 24);
	ck_assert_int_eq(cell(s, 0, 0)->nominal, 8); /* the others stay */
	scenario_free(s);
	s = applied("CQ/team.a:cpu@h100.nominalQuota=500m");
	ck_assert_int_eq(cell(s, 0, 1)->nominal, 500);
	scenario_free(s);
	s = applied("cq/team.a:memory.nominalQuota=2Ti"); /* one flavor only: no @ */
	ck_assert_int_eq(cell(s, 1, 0)->nominal, INT64_C(2) << 40);
	scenario_free(s);
	s = applied("cq/team.a:nvidia.com/gpu@h100.borrowingLimit=3");
	ck_assert_int_eq(cell(s, 0, 0)->borrowing_limit, 3);
	scenario_free(s);
	s = applied("cq/team.a:nvidia.com/gpu@h100.lendingLimit=none");
	ck_assert_int_eq(cell(s, 0, 0)->lending_limit, QUOTA_ABSENT);
	scenario_free(s);
}
END_TEST

START_TEST(fields)
{
	struct scenario *s = applied("cq/team.a:.queueingStrategy=StrictFIFO");

	ck_assert_int_eq(s->cluster_queues[0].strategy, QUEUE_STRICT_FIFO);
	scenario_free(s);
	s = applied("cq/team.a:.preemption.reclaimWithinCohort=Any");
	ck_assert_int_eq(s->cluster_queues[0].reclaim_within_cohort, PREEMPT_ANY);
	scenario_free(s);
	s = applied("cq/team.a:.preemption.withinClusterQueue=LowerOrNewerEqualPriority");
	ck_assert_int_eq(s->cluster_queues[0].within_cluster_queue,
			 PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY);
	scenario_free(s);
	s = applied("cq/team.a:.flavorFungibility.whenCanPreempt=MayStopSearch");
	ck_assert_int_eq(s->cluster_queues[0].when_can_preempt, FUNGIBILITY_MAY_STOP_SEARCH);
	scenario_free(s);
	s = applied("cq/team.a:.fairSharing.weight=0.25");
	ck_assert_int_eq(s->cluster_queues[0].fair_weight, NANO / 4);
	scenario_free(s);
	s = applied("cq/team.a:.stopPolicy=Hold");
	ck_assert_int_eq(s->cluster_queues[0].stop, STOP_HOLD);
	scenario_free(s);
	s = applied("cohort/all:.parentName=top");
	ck_assert_uint_eq(s->cohort_count, 2);
	ck_assert_uint_eq(s->cohorts[0].parent, 1);
	scenario_free(s);
	s = applied("lq/m/l:.stopPolicy=HoldAndDrain");
	ck_assert_int_eq(s->local_queues[0].stop, STOP_NONE);
	ck_assert_int_eq(s->local_queues[1].stop, STOP_HOLD_AND_DRAIN);
	scenario_free(s);
}
END_TEST

START_TEST(cohort_name)
{
	struct scenario *s = applied("cq/team.a:.cohortName=other");

	ck_assert_str_eq(scenario_string(s, s->cohorts[s->cluster_queues[0].cohort].name), "other");
	scenario_free(s);
}
END_TEST

/* A pool's and the jobs' fields need no colon. */
START_TEST(short_paths)
{
	struct scenario *s = applied("pool/h100.count=5");

	ck_assert_uint_eq(s->node_count, 5);
	scenario_free(s);
}
END_TEST

START_TEST(pools)
{
	struct scenario *s = applied("nodepool/h100:.count=5");
	uint32_t key = objects_case_string(s, "kubernetes.io/hostname");

	ck_assert_uint_eq(s->node_count, 5);
	ck_assert_str_eq(scenario_string(s, s->nodes[4].name), "h100-4");
	ck_assert_str_eq(objects_case_text(s, label_value(&s->nodes[4].labels, key)), "h100-4");
	ck_assert_int_eq(s->nodes[4].gpus, 8);
	scenario_free(s);
	s = applied("nodes/h100:.count=1");
	ck_assert_uint_eq(s->node_count, 1);
	ck_assert_str_eq(scenario_string(s, s->nodes[0].name), "h100-0");
	scenario_free(s);
	s = applied("nodepool/h100:.count=0"); /* there, and without room */
	ck_assert_uint_eq(s->node_count, 1);
	ck_assert_uint_eq(scenario_nodes(s), 0);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *set, *message;
} errors[] = {
	{"cq/team.b:memory.nominalQuota=1",
	 "--set cq/team.b:memory.nominalQuota=1: there is no ClusterQueue \"team.b\"; did you mean "
	 "\"team.a\"?"},
	{"cohort/zzzzzz:.parentName=x",
	 "--set cohort/zzzzzz:.parentName=x: there is no Cohort \"zzzzzz\"; there is all"},
	{"cq/team.a:nvidia.com/gpu.nominalQuota=1",
	 "--set cq/team.a:nvidia.com/gpu.nominalQuota=1: nvidia.com/gpu has several flavors there: "
	 "add @FLAVOR"},
	{"cq/team.a:nvidia.com/gpu@l40.nominalQuota=1",
	 "--set cq/team.a:nvidia.com/gpu@l40.nominalQuota=1: there is no quota for "
	 "\"nvidia.com/gpu\"; there is nvidia.com/gpu@h100, cpu@h100, nvidia.com/gpu@a100, "
	 "cpu@a100, memory@any"},
	{"cq/team.a:memory.quota=1", "--set cq/team.a:memory.quota=1: a quota has nominalQuota, "
				     "borrowingLimit and lendingLimit, not \"quota\""},
	{"cq/team.a:memory.borrowingLimit=all",
	 "--set cq/team.a:memory.borrowingLimit=all: \"all\" is not a quantity of 0 or more, nor "
	 "none"},
	{"nodepool/h100:.mig=8",
	 "--set nodepool/h100:.mig=8: \"8\" is not GPUS@PROFILE, such as 8@1g.10gb: so many GPUs "
	 "of the pool, each cut into slices"},
	{"nodepool/h100:.mig=22@1g.10gb", "--set nodepool/h100:.mig=22@1g.10gb: the pool has 21 "
					  "GPUs that can be cut: one of each node stays whole"},
	{"cohort/all:cpu.nominalQuota=1",
	 "--set cohort/all:cpu.nominalQuota=1: it has no resourceGroups"},
	{"cq/team.a:nvidia.com/gpu@h100.lendingLimit=9",
	 "after --set, ClusterQueue \"team.a\" has a lendingLimit above its nominalQuota, which "
	 "Kueue refuses"},
	{"cq/team.a:.preemption.borrowWithinCohort.policy=LowerPriority",
	 "after --set, ClusterQueue \"team.a\" has reclaimWithinCohort=Never and "
	 "borrowWithinCohort.Policy!=Never, which Kueue refuses"},
	{"cq/team.a:.fairSharing.weight=-1",
	 "--set cq/team.a:.fairSharing.weight=-1: \"-1\" is not a weight of 0 or more"},
	{"nodepool/h10:.count=3", "--set nodepool/h10:.count=3: there is no node pool \"h10\"; did "
				  "you mean \"h100\"?"},
	{"nodepool/h100:.count=many", "--set nodepool/h100:.count=many: \"many\" is not a number "
				      "of nodes up to 1000000"},
	{"nodepool/h100:.size=3",
	 "--set nodepool/h100:.size=3: there is no field \"size\"; there is count, spot, mig"},
};

START_TEST(refused)
{
	struct scenario *s = NULL;
	struct err err;

	ck_assert_int_ne(apply(errors[_i].set, &s, &err), ERR_OK);
	ck_assert_str_eq(err.msg, errors[_i].message);
}
END_TEST

/* ---- jobs ---- */

static const char some_jobs[] =
	"apiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
	"- {name: notebook-a, namespace: dev, submitAt: 100s, duration: 8h, gpus: 1, "
	"gpuUtilisation: 4.2}\n"
	"- {name: train, namespace: dev, submitAt: 100s, duration: 10h, gpus: 1, "
	"gpuUtilisation: 60}\n"
	"- {name: notebook-b, namespace: ml, duration: endless, gpus: 1, gpuUtilisation: 4}\n"
	"- {name: notebook-c, namespace: ml, duration: 10m, gpus: 1, gpuUtilisation: 50}\n";

static const struct {
	const char *set;
	simtime duration[4];
	uint16_t utilisation[4];
	int32_t priority[4];
} changes[] = {
	/* used 20 m 10 s of 8 h: 40 % of the 50 m 10 s that are left */
	{"jobs/*/notebook*:.idleTimeout=30m",
	 {(1209 + 600 + 1200) * CLOCK_SECOND + CLOCK_SECOND * 6 / 10, 10 * CLOCK_HOUR, JOB_ENDLESS,
	  10 * CLOCK_MINUTE},
	 {401, 600, 40, 500},
	 {0}},
	{"jobs/all:.idleTimeout=0",
	 {1209600000, 6 * CLOCK_HOUR, JOB_ENDLESS, 5 * CLOCK_MINUTE},
	 {1000, 1000, 40, 1000},
	 {0}},
	{"jobs/dev:.gpuUtilisation=12.5",
	 {8 * CLOCK_HOUR, 10 * CLOCK_HOUR, JOB_ENDLESS, 10 * CLOCK_MINUTE},
	 {125, 125, 40, 500},
	 {0}},
	{"jobs/ml/notebook-[bc].priority=7",
	 {8 * CLOCK_HOUR, 10 * CLOCK_HOUR, JOB_ENDLESS, 10 * CLOCK_MINUTE},
	 {42, 600, 40, 500},
	 {0, 0, 7, 7}},
	{"jobs/*/train:.duration=0.5",
	 {8 * CLOCK_HOUR, 5 * CLOCK_HOUR, JOB_ENDLESS, 10 * CLOCK_MINUTE},
	 {42, 600, 40, 500},
	 {0}},
};

static enum err_code change_jobs(const char *set, struct scenario **out, struct err *err)
{
	struct builder *builder = builder_new();
	enum err_code code;

	ck_assert_int_eq(objects_case_read(builder, some_jobs, strlen(some_jobs), false, err),
			 ERR_OK);
	code = setting_apply(builder, &set, 1, err);
	if (code == ERR_OK)
		return builder_finish(builder, out, err);
	builder_free(builder);
	return code;
}

START_TEST(jobs)
{
	struct scenario *s;
	struct err err;

	ck_assert_msg(change_jobs(changes[_i].set, &s, &err) == ERR_OK, "%s", err.msg);
	for (int j = 0; j < 4; j++) {
		ck_assert_int_eq(s->jobs[j].duration, changes[_i].duration[j]);
		ck_assert_uint_eq(s->jobs[j].utilisation, changes[_i].utilisation[j]);
		ck_assert_int_eq(s->jobs[j].common->priority, changes[_i].priority[j]);
	}
	scenario_free(s);
}
END_TEST

static const struct {
	const char *set, *message;
} bad_jobs[] = {
	{"jobs/all:.idleTimeout=soon", "\"soon\" is not a time such as 30m"},
	{"jobs/all:.gpuUtilisation=101", "\"101\" is not per cent, from 0 to 100"},
	{"jobs/all:.load=0", "\"0\" is not a factor from 0.001 to 1000"},
	{"jobs/*/x:.priority=1", "no job is called \"*/x\" (NAMESPACE/NAME)"},
	{"jobs/x:.priority=1", "no job is in the namespace \"x\""},
	{"jobs/all:.stop=1", "there is load, duration, gpuUtilisation, priority, idleTimeout, mig"},
	{"jobs/all:.mig=9g.80gb", "\"9g.80gb\" is not a profile of MIG such as 1g.10gb"},
	{"jobs/*/train:.mig=3g.40gb",
	 "no such job has one pod of one GPU and a gpuUtilisation that"},
	{"configuration/kueue:.fairSharing.enable=yes", "\"yes\" is not one of false, true"},
	{"configuration/kueue:.enable=true", "there is fairSharing.enable"},
	{"configuration/kueue:.featureGates.PartialAdmission=maybe", "is not one of false, true"},
	{"configuration/kueue:.featureGates.PartialAdmision=true",
	 "did you mean PartialAdmission?"},
};

START_TEST(jobs_refused)
{
	struct scenario *s;
	struct err err;

	ck_assert_int_ne(change_jobs(bad_jobs[_i].set, &s, &err), ERR_OK);
	ck_assert_msg(strstr(err.msg, bad_jobs[_i].message) != NULL, "%s", err.msg);
}
END_TEST

/* From nothing a pool grows again; what an autoscaler may bring stays. */
START_TEST(pools_from_nothing)
{
	static const char *const sets[] = {"nodepool/h100:.count=0", "nodepool/h100:.count=4"};
	struct builder *builder = builder_new();
	struct scenario *s;
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, "h100=3x8", &err), ERR_OK);
	ck_assert_int_eq(pool_add(builder,
				  &(struct pool){.name = "burst", .max_size = 3, .gpus = 8},
				  (struct place){0}, &err),
			 ERR_OK);
	ck_assert_int_eq(setting_apply_pools(builder, sets, 2, &err), ERR_OK);
	ck_assert_int_eq(setting_apply_pools(builder,
					     (const char *const[]){"nodepool/burst:.count=2"}, 1,
					     &err),
			 ERR_OK);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(scenario_nodes(s), 7);
	ck_assert_int_eq(scenario_gpus(s), 7 * 8);
	for (uint32_t i = 0; i < s->node_count; i++) /* of the burst pool one is spare */
		ck_assert_int_eq(s->nodes[i].spare,
				 strcmp(scenario_string(s, s->nodes[i].name), "burst-2") == 0);
	scenario_free(s);
}
END_TEST

/* GPUs of the first nodes are cut, of each all but one, whatever a pool grows to; small jobs
 * ask for a slice, and quotas cover it. */
START_TEST(gpus_are_cut)
{
	static const char *const sets[] = {
		"nodepool/h100:.mig=9@1g.10gb", "nodepool/h100:.count=4", "jobs/all:.mig=1g.10gb",
		"clusterqueue/team.a:nvidia.com/mig-1g.10gb@h100.nominalQuota=63"};
	struct builder *builder = builder_new();
	uint32_t whole, slice;
	struct scenario *s;
	struct err err;

	ck_assert_int_eq(objects_case_read(builder, objects, strlen(objects), false, &err), ERR_OK);
	ck_assert_int_eq(objects_case_read(builder, some_jobs, strlen(some_jobs), false, &err),
			 ERR_OK);
	ck_assert_int_eq(pool_add_text(builder, "h100=3x8", &err), ERR_OK);
	ck_assert_int_eq(setting_apply_pools(builder, sets, 4, &err), ERR_OK);
	ck_assert_msg(setting_apply(builder, sets, 4, &err) == ERR_OK, "%s", err.msg);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	whole = name_find(s->resources, "nvidia.com/gpu");
	slice = name_find(s->resources, "nvidia.com/mig-1g.10gb");
	for (uint32_t i = 0; i < 4; i++) {
		static const int64_t cut[] = {7, 2, 0, 0};

		ck_assert_int_eq(s->nodes[i].gpus, 8 - cut[i]);
		ck_assert_int_eq(s->nodes[i].allocatable[whole], 8 - cut[i]);
		ck_assert_int_eq(s->nodes[i].allocatable[slice], 7 * cut[i]);
	}
	for (uint32_t j = 0; j < 4; j++) { /* of notebooks a and b little is busy */
		const struct pod_shape *shape =
			&s->shapes[s->pod_sets[s->jobs[j].common->first_pod_set].shape];

		ck_assert_uint_eq(s->jobs[j].common->gpus, j % 2);
		ck_assert_int_eq(shape->request[whole], j % 2);
		ck_assert_int_eq(shape->request[slice], 1 - j % 2);
	}
	ck_assert_uint_eq(s->cluster_queues[0].groups[0].resource_count, 3);
	ck_assert_int_eq(cell(s, 0, 0)->nominal, 8);
	ck_assert_int_eq(cell(s, 0, 2)->nominal, 63);
	ck_assert_int_eq(cell(s, 0, 3)->nominal, 16); /* the other flavor */
	ck_assert_int_eq(cell(s, 0, 5)->nominal, 0);
	scenario_free(s);
}
END_TEST

/* The last nodes of the pool go and come back, each by a stream of its own: another count of
 * them changes nothing for the others. */
START_TEST(spot_nodes_are_lost)
{
	struct scenario *s = applied("nodepool/h100:.spot=1@1m"), *more;
	uint32_t count = s->update_count;
	struct err err;

	ck_assert_uint_gt(count, 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &s->nodes[s->updates[i].version];

		ck_assert_str_eq(scenario_string(s, node->name), "h100-2");
		ck_assert_int_eq(node->deleted, i % 2 == 0);
		ck_assert(i % 2 == 0 ||
			  s->updates[i].at == s->updates[i - 1].at + 10 * CLOCK_MINUTE);
	}
	more = applied("nodepool/h100:.spot=2@1m");
	ck_assert_uint_gt(more->update_count, count);
	for (uint32_t i = 0, k = 0; i < more->update_count; i++) {
		const struct node *node = &more->nodes[more->updates[i].version];

		if (strcmp(scenario_string(more, node->name), "h100-2") == 0)
			ck_assert_int_eq(more->updates[i].at, s->updates[k++].at);
	}
	scenario_free(more);
	scenario_free(s);
	ck_assert_int_eq(apply("nodepool/h100:.spot=2", &s, &err), ERR_VALUE);
	ck_assert_int_eq(apply("nodepool/h100:.spot=2@1s", &s, &err), ERR_VALUE);
}
END_TEST

START_TEST(flavors_and_options)
{
	struct scenario *s = applied("run/options:.grace=30s");
	struct err err;

	ck_assert_uint_eq(s->option_count, 1);
	ck_assert_str_eq(scenario_string(s, s->options[0]), "grace=30s");
	scenario_free(s);
	ck_assert_int_eq(apply("run/options:.grace=soon", &s, &err), ERR_VALUE);
	ck_assert_int_eq(apply("run/me:.grace=30s", &s, &err), ERR_USAGE);
	ck_assert_int_eq(apply("flavor/h100:.topologyName=kubernetes.io/hostname", &s, &err),
			 ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(err.msg, "Kueue refuses a topologyName of a flavor without "
					      "nodeLabels"));
	ck_assert_int_eq(apply("flavor/h10:.topologyName=x", &s, &err), ERR_UNKNOWN);
}
END_TEST

START_TEST(every_queue_and_the_configuration)
{
	struct scenario *s = applied("clusterqueue/*:.queueingStrategy=StrictFIFO");

	ck_assert_int_eq(s->cluster_queues[0].strategy, QUEUE_STRICT_FIFO);
	ck_assert(!s->config.fair_sharing);
	scenario_free(s);
	s = applied("configuration/kueue:.fairSharing.enable=true");
	ck_assert(s->config.fair_sharing);
	ck_assert(kueue_gates_read(&s->config, s->strings).partial_admission);
	scenario_free(s);
	s = applied("configuration/kueue:.featureGates.PartialAdmission=false");
	ck_assert(!kueue_gates_read(&s->config, s->strings).partial_admission);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, jobs, 0, ROWS(changes));
	tcase_add_loop_test(t, jobs_refused, 0, ROWS(bad_jobs));
	tcase_add_test(t, pools_from_nothing);
	tcase_add_test(t, gpus_are_cut);
	tcase_add_test(t, spot_nodes_are_lost);
	tcase_add_test(t, flavors_and_options);
	tcase_add_test(t, every_queue_and_the_configuration);

	tcase_add_test(t, quotas);
	tcase_add_test(t, fields);
	tcase_add_test(t, cohort_name);
	tcase_add_test(t, short_paths);
	tcase_add_test(t, pools);
	tcase_add_loop_test(t, refused, 0, ROWS(errors));
	return objects_case_run("sim/scenario/setting", t);
}
