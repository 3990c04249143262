/* test_objects_simulation.c - our own document. What is refused stands in
 * tests/badinput/cases.txt. */
#include "sim/objects/objects_simulation.h"

#include "tests/sim/objects_case.h"

#define SIMULATION "apiVersion: gqsim/v1\nkind: Simulation\n"

START_TEST(options)
{
	struct scenario *s = objects_case_load(
		SIMULATION
		"metadata: {name: x}\ntitle: A story\nhorizon: 2h\nseed: 7\n"
		"options: {create: interleaved, strategy: \"MostAllocated:nvidia.com/gpu=1\", "
		"eviction-delay: 0}\n");
	static const char *const expected[] = {"horizon=2h", "seed=7", "create=interleaved",
					       "strategy=MostAllocated:nvidia.com/gpu=1",
					       "eviction-delay=0"};

	ck_assert_str_eq(objects_case_text(s, s->title), "A story");
	ck_assert_uint_eq(s->option_count, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_str_eq(objects_case_text(s, s->options[i]), expected[i]);
	scenario_free(s);
}
END_TEST

START_TEST(node_pools)
{
	struct scenario *s = objects_case_load(
		SIMULATION
		"nodePools:\n- {name: h, count: 2, gpus: 8, gpuModel: H100, cpu: \"96\", memory: "
		"1Ti, "
		"pods: 30, resources: {rdma/hca: 4}, labels: {rack: r1}, taints: [{key: a, effect: "
		"NoSchedule}], usdPerHour: 98.32}\n- {name: c, count: 1}\n");
	const struct node *h = &s->nodes[1], *c = &s->nodes[2];
	uint32_t model = objects_case_string(s, "nvidia.com/gpu.product");

	ck_assert_uint_eq(s->node_count, 3);
	ck_assert_str_eq(objects_case_text(s, h->name), "h-1");
	ck_assert_str_eq(objects_case_text(s, h->pool), "h");
	ck_assert_int_eq(h->gpus, 8);
	ck_assert_int_eq(h->allocatable[RES_CPU], 96000);
	ck_assert_int_eq(h->allocatable[RES_MEMORY], INT64_C(1) << 40);
	ck_assert_int_eq(h->allocatable[RES_PODS], 30);
	ck_assert_int_eq(h->allocatable[objects_case_resource(s, "rdma/hca")], 4);
	ck_assert_str_eq(objects_case_text(s, label_value(&h->labels, model)), "H100");
	ck_assert_uint_eq(h->labels.count, 4);
	ck_assert_uint_eq(h->taints.count, 1);
	ck_assert_int_eq(h->micro_usd_per_hour, 98320000);
	ck_assert_int_eq(c->gpus, 0);
	ck_assert_int_eq(c->allocatable[RES_CPU], RES_UNLIMITED);
	ck_assert_int_eq(c->allocatable[RES_PODS], RES_UNLIMITED);
	ck_assert_uint_eq(label_value(&c->labels, model), NAME_NONE);
	scenario_free(s);
}
END_TEST

START_TEST(pools_that_an_autoscaler_sizes)
{
	struct scenario *s = objects_case_load(
		SIMULATION "nodePools:\n- {name: a, count: 1}\n"
			   "- {name: b, count: 1, maxSize: 3, bootDelay: 90s, maxRunDuration: 1h}\n"
			   "autoscaler: {scanInterval: 20s, scaleDownUnneededTime: 5m}\n");
	const struct node_pool *pool = &s->pools[0];

	ck_assert_uint_eq(s->node_count, 4);
	ck_assert_uint_eq(s->pool_count, 1);
	ck_assert_uint_eq(s->nodes[0].scaled, 0);
	ck_assert(!s->nodes[1].spare && s->nodes[2].spare && s->nodes[3].spare);
	ck_assert_uint_eq(s->nodes[3].scaled, 1);
	ck_assert_uint_eq(pool->min_size, 1);
	ck_assert_uint_eq(pool->max_size, 3);
	ck_assert_int_eq(pool->boot_delay, 90 * CLOCK_SECOND);
	ck_assert_int_eq(pool->max_run, 3600 * CLOCK_SECOND);
	ck_assert_int_eq(s->autoscaler.scan_interval, 20 * CLOCK_SECOND);
	ck_assert_int_eq(s->autoscaler.unneeded_time, 300 * CLOCK_SECOND);
	ck_assert_int_eq(s->autoscaler.reservation, 600 * CLOCK_SECOND);
	scenario_free(s);
}
END_TEST

START_TEST(a_full_job)
{
	struct scenario *s = objects_case_load(
		SIMULATION
		"jobs:\n- name: a\n  namespace: m\n  queue: q\n  submitAt: 90s\n  duration: 1h30m\n"
		"  pods: 4\n  minPods: 2\n  gpus: 2\n  requests: {cpu: 500m}\n  checkpoint: 10m\n"
		"  restartCost: 5\n  gang: false\n  gpuUtilisation: 40\n"
		"  nodeSelector: {gpu: h100}\n  tolerations: [{key: a, operator: Exists}]\n"
		"  topology: {preferred: rack}\n  maxExecution: 2h\n  cancelAt: 1d\n");
	const struct job *j = &s->jobs[0];
	const struct pod_set *set = &s->pod_sets[j->common->first_pod_set];
	const struct pod_shape *p = &s->shapes[set->shape];

	ck_assert_int_eq(j->submit, 90 * CLOCK_SECOND);
	ck_assert_int_eq(j->duration, 90 * CLOCK_MINUTE);
	ck_assert_uint_eq(set->count, 4);
	ck_assert_uint_eq(set->min_count, 2);
	ck_assert_uint_eq(j->common->gpus, 8);
	ck_assert_int_eq(p->request[RES_CPU], 500);
	ck_assert_int_eq(j->common->checkpoint, 10 * CLOCK_MINUTE);
	ck_assert_int_eq(j->common->restart_cost, 5 * CLOCK_SECOND);
	ck_assert_uint_eq(j->utilisation, 400);
	ck_assert_uint_eq(j->common->flags, JOB_NOT_GANG | JOB_SOLO);
	ck_assert_uint_eq(p->node_selector.count, 1);
	ck_assert_uint_eq(p->tolerations.count, 1);
	ck_assert_int_eq(p->topology_mode, TOPOLOGY_PREFERRED);
	ck_assert_str_eq(objects_case_text(s, p->topology_level), "rack");
	ck_assert_int_eq(s->extras[j->extra].max_execution, 2 * CLOCK_HOUR);
	ck_assert_int_eq(s->extras[j->extra].cancel_at, CLOCK_DAY);
	scenario_free(s);
}
END_TEST

START_TEST(copies)
{
	struct scenario *s = objects_case_load(
		SIMULATION
		"jobs:\n- {name: a, count: 3, every: 5m, submitAt: 1h, duration: 1, gpus: 1}\n"
		"- {name: b, duration: endless, gpus: 1}\n- {name: c, count: 0, duration: 1}\n");

	ck_assert_uint_eq(s->job_count, 4);
	ck_assert_str_eq(objects_case_text(s, s->jobs[2].name), "a-2");
	ck_assert_int_eq(s->jobs[0].submit, CLOCK_HOUR);
	ck_assert_int_eq(s->jobs[2].submit, CLOCK_HOUR + 10 * CLOCK_MINUTE);
	ck_assert_str_eq(objects_case_text(s, s->jobs[3].name), "b");
	ck_assert_int_eq(s->jobs[3].duration, JOB_ENDLESS);
	ck_assert_uint_eq(s->jobs[3].common->flags, JOB_UNMANAGED);
	ck_assert_str_eq(objects_case_text(s, s->jobs[3].common->ns), "default");
	ck_assert_uint_eq(s->shape_count, 2); /* one GPU; and c, which asks nothing */
	scenario_free(s);
}
END_TEST

/* Kubernetes' leniency is not ours: nothing unknown, in any build. */
START_TEST(strict_only_here)
{
	struct scenario *s;

	objects_case_fails(SIMULATION "jobs: [{name: a, duration: 1, gpu: 4}]\n",
			   "t:3:31: Simulation: unknown field \"jobs[0].gpu\"; did you mean "
			   "\"gpus\"?");
	s = objects_case_load(SIMULATION "title: x\n---\napiVersion: v1\nkind: Node\n"
					 "metadata: {name: m}\nspeck: {}\n");
	ck_assert_ptr_nonnull(objects_case_finding(s, "did you mean \"spec\"?"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, options);
	tcase_add_test(t, node_pools);
	tcase_add_test(t, pools_that_an_autoscaler_sizes);
	tcase_add_test(t, a_full_job);
	tcase_add_test(t, copies);
	tcase_add_test(t, strict_only_here);
	return objects_case_run("sim/objects/objects_simulation", t);
}
