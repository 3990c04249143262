/* test_requests.c - What Kueue counts of a pod's requests. */
#include "sim/scenario/requests.h"

#include "tests/sim/objects_case.h"

#define HEAD "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
#define JOB                                                                                        \
	"---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n"                                     \
	"- {name: j, duration: 5, requests: {cpu: 500m, a.io/mig: 2, a.io/slots: 3}}\n"

static const struct {
	const char *config;
	const char *resource;
	int64_t want; /* -1: it is not asked for */
} rows[] = {
	{HEAD, "a.io/mig", 2},
	{HEAD "resources: {excludeResourcePrefixes: [a.io/m]}\n", "a.io/mig", -1},
	{HEAD "resources: {excludeResourcePrefixes: [a.io/m]}\n", "a.io/slots", 3},
	/* Retain is the default: both stay. */
	{HEAD "resources: {transformations: [{input: a.io/mig, outputs: {a.io/out: 5}}]}\n",
	 "a.io/mig", 2},
	{HEAD "resources: {transformations: [{input: a.io/mig, outputs: {a.io/out: 5}}]}\n",
	 "a.io/out", 10},
	{HEAD "resources: {transformations: [{input: a.io/mig, strategy: Replace, outputs: "
	      "{a.io/out: 5}}]}\n",
	 "a.io/mig", -1},
	/* multiplyBy: 2 x 3 x 5; only if that is asked for. */
	{HEAD "resources: {transformations: [{input: a.io/mig, multiplyBy: a.io/slots, outputs: "
	      "{a.io/out: 5}}]}\n",
	 "a.io/out", 30},
	{HEAD "resources: {transformations: [{input: a.io/mig, multiplyBy: a.io/none, outputs: "
	      "{a.io/out: 5}}]}\n",
	 "a.io/out", 10},
	/* Outputs of several rules add up, also to what the pod asks for itself. */
	{HEAD "resources: {transformations: [{input: a.io/mig, outputs: {a.io/slots: 1}}, "
	      "{input: a.io/mig, outputs: {a.io/slots: 4}}]}\n",
	 "a.io/slots", 13},
	/* An excluded input makes nothing. */
	{HEAD "resources: {excludeResourcePrefixes: [a.io/m], transformations: [{input: a.io/mig, "
	      "outputs: {a.io/out: 5}}]}\n",
	 "a.io/out", -1},
	/* cpu counts in thousandths: half a cpu makes 2 of 4. */
	{HEAD "resources: {transformations: [{input: cpu, outputs: {a.io/out: 4}}]}\n", "a.io/out",
	 2},
};

START_TEST(counted)
{
	char text[1000];
	struct scenario *s;
	int64_t amounts[RES_MAX];
	uint64_t named;
	uint32_t r;

	snprintf(text, sizeof(text), "%s%s", rows[_i].config, JOB);
	s = objects_case_load(text);
	named = requests_counted(s, &s->shapes[s->pod_sets[s->jobs[0].common->first_pod_set].shape],
				 amounts);
	r = objects_case_resource(s, rows[_i].resource);
	if (rows[_i].want < 0)
		ck_assert((named >> r & 1) == 0);
	else
		ck_assert_msg((named >> r & 1) != 0 && amounts[r] == rows[_i].want, "%d: %lld", _i,
			      (long long)amounts[r]);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, counted, 0, ROWS(rows));
	return objects_case_run("sim/scenario/requests", t);
}
