/* test_objects_spark.c - SparkApplications. */
#include "sim/objects/objects_spark.h"

#include "tests/sim/roles_case.h"

#define API  "sparkoperator.k8s.io/v1beta2"
#define KIND "SparkApplication"

static const struct roles_case rows[] = {
	{"driver: {coreRequest: \"1\"}, executor: {instances: 2, coreRequest: 500m}",
	 "driver 1x1000m executor 2x500m",
	 "Kueue takes it only with its gate SparkApplicationIntegration"},
	/* no instances: none to start with */
	{"driver: {}, executor: {}", "driver 1x0m"},
	/* a limit stands for a request; cores count for nothing */
	{"driver: {cores: 4, coreLimit: 200m}, executor: {instances: 1, gpu: {name: "
	 "nvidia.com/gpu, quantity: 2}}",
	 "driver 1x200m executor 1x0m+2g"},
	{"driver: {coreRequest: 100m, sidecars: [{name: s, resources: {requests: {cpu: 20m}}}], "
	 "initContainers: [{name: i, resources: {requests: {cpu: 3}}}]}, executor: {}",
	 "driver 1x3000m"},
	{"mode: cluster, dynamicAllocation: {enabled: false}, driver: {coreRequest: 1m}, "
	 "executor: {}",
	 "driver 1x1m"},
	{"dynamicAllocation: {enabled: true}, driver: {}, executor: {}", NULL,
	 "a kueue managed job can use it only as an elastic job"},
	{"mode: client, driver: {}, executor: {}", NULL,
	 "spec: mode: only Cluster mode is supported for a kueue managed job"},
	{"driver: {coreRequest: 2m, coreLimit: 1m}, executor: {}", "driver 1x2m",
	 "a request is above its limit: Kueue never admits it"},
	{"driver: {sidecars: [{name: s, resources: {requests: {nvidia.com/gpu: 1}, limits: "
	 "{nvidia.com/gpu: 2}}}]}, executor: {}",
	 "driver 1x0m+1g",
	 "must equal its limit: Kueue counts the request, and the API server refuses such pods"},
	{"driver: {}", NULL, "SparkApplication \"j\": spec: executor is missing"},
	{"driver: 3, executor: {}", NULL, "spec.driver"},
	{"driver: {}, executor: {instances: -1}", NULL, "spec.executor"},
	{"driver: {coreRequest: many}, executor: {}", NULL, "spec.driver.spec.containers"},
	{"driver: {memory: 1x}, executor: {}", NULL, "spec.driver.spec.containers"},
	{"driver: {sidecars: [{name: s, resources: 3}]}, executor: {}", NULL,
	 "spec.driver.spec.containers[1]"},
};

START_TEST(pod_sets)
{
	roles_case_check(API, KIND, &rows[_i]);
}
END_TEST

/* Memory as Java writes it. */
static const struct {
	const char *memory;
	int64_t bytes;
} memories[] = {
	{"512m", INT64_C(512) << 20}, {"2g", INT64_C(2) << 30}, {"2G", INT64_C(2) << 30},
	{"3gb", INT64_C(3) << 30},    {"1t", INT64_C(1) << 40}, {"4096k", INT64_C(4) << 20},
	{"1Gi", INT64_C(1) << 30},    {"1000", 1000},
};

START_TEST(memory)
{
	char spec[200];
	struct scenario *s;

	snprintf(spec, sizeof(spec), "driver: {memory: \"%s\"}, executor: {}", memories[_i].memory);
	s = roles_case_load(API, KIND, "", spec);
	ck_assert_int_eq(s->shapes[s->pod_sets[0].shape].request[RES_MEMORY], memories[_i].bytes);
	scenario_free(s);
}
END_TEST

/* The role's own selector and tolerations count, the application's does not. */
START_TEST(where_it_may_go)
{
	struct scenario *s = roles_case_load(
		API, KIND, "",
		"nodeSelector: {x: y}, driver: {nodeSelector: {a: b}, tolerations: [{key: t, "
		"operator: Exists}], annotations: {kueue.x-k8s.io/podset-required-topology: "
		"rack}}, "
		"executor: {}");
	const struct pod_shape *shape = &s->shapes[s->pod_sets[0].shape];

	ck_assert_uint_eq(shape->node_selector.count, 1);
	ck_assert_str_eq(objects_case_text(s, shape->node_selector.items[0].key), "a");
	ck_assert_uint_eq(shape->tolerations.count, 1);
	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_REQUIRED);
	scenario_free(s);
}
END_TEST

/* The webhook asks for an elastic job, and refuses one of this kind. */
START_TEST(elastic)
{
	struct objects_case c = roles_case_read(
		API, KIND, ", annotations: {kueue.x-k8s.io/elastic-job: \"true\"}",
		"dynamicAllocation: {enabled: true}, driver: {coreRequest: 1m}, executor: {}");

	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_ptr_nonnull(strstr(c.message, "elastic job is not supported for \"sparkoperator."
						"k8s.io/v1beta2, Kind=SparkApplication\""));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("spark");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_loop_test(tests, memory, 0, ROWS(memories));
	tcase_add_test(tests, where_it_may_go);
	tcase_add_test(tests, elastic);
	return objects_case_run("objects_spark", tests);
}
