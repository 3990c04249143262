/* test_limits.c - what LimitRanges and limits have against a pod. */
#include "sim/scenario/limits.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define JOB(spec)                                                                                  \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n"                       \
	"  template: {spec: {" spec "}}\n"
#define RANGE(name, limits)                                                                        \
	"---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: " name "}\n"                      \
	"spec: {limits: [{" limits "}]}\n"
#define ONE(resources) JOB("containers: [{name: a, resources: {" resources "}}]")

#define ABOVE "requests must not be above the limitRange max"
#define BELOW "requests must not be below the limitRange min"
#define LIMIT "requests must not exceed its limits"

/* Faults in their order, joined by "|": limits, then ranges. The maximum of a
 * LimitRange is a container's default limit unless it names another. */
static const struct {
	const char *objects, *limits, *ranges;
} rows[] = {
	{ONE("requests: {cpu: 500m}"), "", ""},
	{RANGE("r", "type: Container, max: {cpu: 500m}") ONE("requests: {cpu: 500m}"), "", ""},
	{RANGE("r", "type: Container, max: {cpu: 300m}") ONE("requests: {cpu: 500m}"),
	 ".containers[0]: Invalid value: [\"cpu\"]: " LIMIT,
	 ".containers[0]: Invalid value: [\"cpu\"]: " ABOVE},
	/* the limit counts against the maximum, the request against the minimum */
	{RANGE("r", "type: Container, max: {cpu: 1}, min: {cpu: 200m}")
		 ONE("requests: {cpu: 100m}, limits: {cpu: 2}"),
	 "",
	 ".containers[0]: Invalid value: [\"cpu\"]: " ABOVE
	 "|.containers[0]: Invalid value: [\"cpu\"]: " BELOW},
	/* only what is named */
	{RANGE("r", "type: Container, min: {memory: 1Gi}") ONE("requests: {cpu: 100m}"), "", ""},
	/* names in order; the smaller maximum of two ranges holds */
	{RANGE("r", "type: Container, max: {memory: 4Gi, cpu: 4}")
		 RANGE("s", "type: Container, max: {memory: 1Gi, cpu: 9}")
			 ONE("requests: {memory: 2Gi, cpu: 5}"),
	 ".containers[0]: Invalid value: [\"cpu\"]: " LIMIT,
	 ".containers[0]: Invalid value: [\"cpu\",\"memory\"]: " ABOVE},
	/* the larger minimum of two ranges holds */
	{RANGE("r", "type: Container, min: {cpu: 1}") RANGE("s", "type: Container, min: {cpu: 3}")
		 ONE("requests: {cpu: 2}"),
	 "", ".containers[0]: Invalid value: [\"cpu\"]: " BELOW},
	/* init containers first, each list with its own numbers; then the whole pod */
	{RANGE("r", "type: Container, max: {cpu: 1}")
		 RANGE("s", "type: Pod, max: {cpu: 2}, min: {memory: 1Gi}")
			 JOB("initContainers: [{name: i, resources: {requests: {cpu: 3}}}], "
			     "containers: [{name: a, resources: {requests: {cpu: 1}}}, "
			     "{name: b, resources: {requests: {cpu: 2, memory: 1}}}]"),
	 ".initContainers[0]: Invalid value: [\"cpu\"]: " LIMIT
	 "|.containers[1]: Invalid value: [\"cpu\"]: " LIMIT,
	 ".initContainers[0]: Invalid value: [\"cpu\"]: " ABOVE
	 "|.containers[1]: Invalid value: [\"cpu\"]: " ABOVE "|: Invalid value: [\"cpu\"]: " ABOVE
	 "|: Invalid value: [\"memory\"]: " BELOW},
	/* a default limit may be below what a container asks for */
	{RANGE("r", "type: Container, default: {cpu: 100m}") ONE("requests: {cpu: 200m}"),
	 ".containers[0]: Invalid value: [\"cpu\"]: " LIMIT, ""},
	/* without any range, of kinds whose templates the API server does not check */
	{"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j}\nspec: "
	 "{replicatedJobs: [{name: r, template: {spec: {template: {spec: {resources: {requests: "
	 "{memory: 2}, limits: {memory: 1}}, containers: [{name: a}, {name: b, resources: "
	 "{requests: {cpu: 2}, limits: {cpu: 1}}}]}}}}}]}\n",
	 ".containers[1]: Invalid value: [\"cpu\"]: " LIMIT
	 "|.resources: Invalid value: [\"memory\"]: " LIMIT,
	 ""},
	/* a default request counts */
	{RANGE("r", "type: Container, defaultRequest: {cpu: 2}, max: {cpu: 1}") ONE(""),
	 ".containers[0]: Invalid value: [\"cpu\"]: " LIMIT,
	 ".containers[0]: Invalid value: [\"cpu\"]: " ABOVE},
};

static void check(const char *want, const char *const *texts, uint32_t count)
{
	char got[2000] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < count; i++)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%s", i > 0 ? "|" : "",
					 texts[i]);
	ck_assert_str_eq(got, want);
}

START_TEST(faults)
{
	struct scenario *s = objects_case_load(rows[_i].objects);
	const struct pod_faults *f =
		s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape].faults;

	ck_assert_uint_eq(f != NULL, *rows[_i].limits != '\0' || *rows[_i].ranges != '\0');
	if (f != NULL) {
		check(rows[_i].limits, f->limits, f->limit_count);
		check(rows[_i].ranges, f->ranges, f->range_count);
	}
	scenario_free(s);
}
END_TEST

START_TEST(other_namespaces)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: LimitRange\nmetadata: {name: r, namespace: other}\n"
		"spec: {limits: [{type: Container, max: {cpu: 1}}]}\n" ONE("requests: {cpu: 2}"));

	ck_assert_ptr_null(s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape].faults);
	scenario_free(s);
}
END_TEST

/* In the API server's words; NULL: it takes the pod. */
static const struct {
	const char *objects, *words;
} refusals[] = {
	{RANGE("r", "type: Container, min: {memory: 1Gi}, max: {cpu: 4}") ONE("requests: {cpu: 4}"),
	 NULL},
	{RANGE("r", "type: Container, max: {cpu: 4}") ONE("limits: {cpu: 6}"),
	 "maximum cpu usage per Container is 4, but limit is 6"},
	{RANGE("r", "type: Container, min: {cpu: 1, memory: 1Gi}")
		 ONE("requests: {cpu: 500m, memory: 1Mi}"),
	 "[minimum cpu usage per Container is 1, but request is 500m, "
	 "minimum memory usage per Container is 1Gi, but request is 1Mi]"},
	{RANGE("r", "type: Pod, min: {cpu: 1}") ONE("requests: {memory: 1Gi}"),
	 "minimum cpu usage per Pod is 1.  No request is specified"},
	/* every sentence once; containers before init containers */
	{RANGE("r", "type: Container, max: {cpu: 1}")
		 JOB("initContainers: [{name: i, resources: {limits: {cpu: 3}}}], "
		     "containers: [{name: a, resources: {limits: {cpu: 2}}}, "
		     "{name: b, resources: {limits: {cpu: 2}}}]"),
	 "[maximum cpu usage per Container is 1, but limit is 2, "
	 "maximum cpu usage per Container is 1, but limit is 3]"},
	{RANGE("r", "type: Container, max: {cpu: 1}")
		 JOB("containers: [{name: a, resources: {limits: {cpu: 2}}}, "
		     "{name: b, resources: {limits: {cpu: 2}}}]"),
	 "maximum cpu usage per Container is 1, but limit is 2"},
	/* ratios */
	{RANGE("r", "type: Container, maxLimitRequestRatio: {cpu: 2, memory: '1.5'}")
		 ONE("requests: {cpu: 1, memory: 2Gi}, limits: {cpu: 2, memory: 3Gi}"),
	 NULL},
	{RANGE("r", "type: Container, maxLimitRequestRatio: {cpu: 2, memory: '1.5'}")
		 ONE("requests: {cpu: 1, memory: 2Gi}, limits: {cpu: 3, memory: 4Gi}"),
	 "[cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000, "
	 "memory max limit to request ratio per Container is 1500m, but provided ratio is "
	 "2.000000]"},
	{RANGE("r", "type: Container, maxLimitRequestRatio: {cpu: 2}") ONE("requests: {cpu: 1}"),
	 "cpu max limit to request ratio per Container is 2, but no limit is specified or limit "
	 "is 0"},
	{RANGE("r", "type: Pod, maxLimitRequestRatio: {cpu: 2}") ONE("requests: {memory: 1Gi}"),
	 "cpu max limit to request ratio per Pod is 2, but no request is specified or request is "
	 "0"},
	/* the first that is broken speaks */
	{RANGE("r", "type: Container, min: {cpu: 1}") RANGE("s", "type: Container, min: {cpu: 3}")
		 ONE("requests: {cpu: 2}"),
	 "minimum cpu usage per Container is 3, but request is 2"},
};

START_TEST(the_api_server_refuses)
{
	struct scenario *s = objects_case_load(refusals[_i].objects);
	const struct pod_faults *found =
		s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape].faults;
	const char *words = found == NULL ? NULL : found->forbidden;

	if (refusals[_i].words == NULL)
		ck_assert_ptr_null(words);
	else
		ck_assert_str_eq(words, refusals[_i].words);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, faults, 0, ROWS(rows));
	tcase_add_test(t, other_namespaces);
	tcase_add_loop_test(t, the_api_server_refuses, 0, ROWS(refusals));
	return objects_case_run("sim/scenario/limits", t);
}
