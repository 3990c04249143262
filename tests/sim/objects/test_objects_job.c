/* test_objects_job.c - Jobs and what runs without end. */
#include "sim/objects/objects_job.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define TEMPLATE                                                                                   \
	"template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: "      \
	"{nvidia.com/gpu: 2}}}]}}"

static struct scenario *load(const char *api, const char *kind, const char *metadata,
			     const char *spec)
{
	char text[3000];

	snprintf(text, sizeof(text),
		 "apiVersion: %s\nkind: %s\nmetadata: {name: j, namespace: m%s}\nspec: {%s}\n", api,
		 kind, metadata, spec);
	return objects_case_load(text);
}

/* min(parallelism, completions), as Kueue's batch Job integration counts. */
static const struct {
	const char *spec;
	uint32_t pods;
} counts[] = {
	{TEMPLATE, 1},
	{"parallelism: 4, " TEMPLATE, 4},
	{"parallelism: 4, completions: 8, " TEMPLATE, 4},
	{"parallelism: 4, completions: 3, " TEMPLATE, 3},
	{"completions: 3, " TEMPLATE, 1},
};

START_TEST(pods)
{
	struct scenario *s =
		load("batch/v1", "Job", ", annotations: {gqsim/duration: \"1\"}", counts[_i].spec);

	ck_assert_uint_eq(s->jobs[0].common->pods, counts[_i].pods);
	ck_assert_uint_eq(s->jobs[0].common->gpus, 2 * counts[_i].pods);
	scenario_free(s);
}
END_TEST

START_TEST(annotations)
{
	struct scenario *s = load(
		"batch/v1", "Job",
		", labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/max-exec-time-seconds: "
		"\"60\"}, annotations: {gqsim/submit-at: 1m30s, gqsim/duration: 2h, gqsim/gang: "
		"\"false\", gqsim/checkpoint-interval: \"600\", gqsim/restart-cost: 30s, "
		"gqsim/gpu-utilisation: 87.5%, gqsim/cancel-at: 3h, "
		"kueue.x-k8s.io/job-min-parallelism: \"3\"}",
		"parallelism: 4, suspend: true, " TEMPLATE);
	const struct job *j = &s->jobs[0];

	ck_assert_str_eq(objects_case_text(s, j->name), "j");
	ck_assert_str_eq(objects_case_text(s, j->common->ns), "m");
	ck_assert_str_eq(objects_case_text(s, j->common->queue), "q");
	ck_assert_int_eq(j->submit, 90 * CLOCK_SECOND);
	ck_assert_int_eq(j->duration, 2 * CLOCK_HOUR);
	ck_assert_int_eq(j->common->checkpoint, 10 * CLOCK_MINUTE);
	ck_assert_int_eq(j->common->restart_cost, 30 * CLOCK_SECOND);
	ck_assert_uint_eq(j->utilisation, 875);
	ck_assert_uint_eq(j->common->flags, JOB_NOT_GANG | JOB_MANIFEST | JOB_SOLO);
	ck_assert_uint_eq(s->pod_sets[j->common->first_pod_set].min_count, 3);
	ck_assert_int_eq(s->extras[j->extra].cancel_at, 3 * CLOCK_HOUR);
	ck_assert_int_eq(s->extras[j->extra].max_execution, CLOCK_MINUTE);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

START_TEST(defaults)
{
	struct scenario *s = load("batch/v1", "Job", "", TEMPLATE);
	const struct job *j = &s->jobs[0];

	ck_assert_int_eq(j->submit, 0);
	ck_assert_int_eq(j->duration, CLOCK_HOUR);
	ck_assert_int_eq(j->common->checkpoint, 0);
	ck_assert_uint_eq(j->utilisation, 1000);
	ck_assert_uint_eq(scenario_job_control(s, 0)->backoff_limit, 6);
	ck_assert_uint_eq(scenario_job_completions(s, 0), 1);
	ck_assert_uint_eq(j->common->queue, NAME_NONE);
	ck_assert_uint_eq(j->common->flags, JOB_UNMANAGED | JOB_MANIFEST);
	ck_assert_str_eq(scenario_string(s, s->findings[0].text),
			 "t:3:18: 1 job without the annotation gqsim/duration: 1 h is assumed");
	scenario_free(s);
}
END_TEST

START_TEST(an_endless_job)
{
	struct scenario *s =
		load("batch/v1", "Job", ", annotations: {gqsim/duration: endless}", TEMPLATE);

	ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *api, *kind, *metadata, *spec;
	uint32_t jobs, pods;
} services[] = {
	{"apps/v1", "Deployment", "", "replicas: 3, selector: {}, " TEMPLATE, 1, 3},
	{"apps/v1", "Deployment", "", TEMPLATE, 1, 1},
	{"apps/v1", "StatefulSet", "", "replicas: 2, serviceName: x, " TEMPLATE, 1, 2},
	{"apps/v1", "ReplicaSet", "", "replicas: 2, " TEMPLATE, 1, 2},
	{"apps/v1", "Deployment", "", "replicas: 0, " TEMPLATE, 0, 0},
	{"apps/v1", "Deployment", "", "template: {spec: {containers: [{name: c}]}}", 0, 0},
	{"apps/v1", "Deployment", ", labels: {kueue.x-k8s.io/queue-name: q}",
	 "template: {spec: {containers: [{name: c}]}}", 1, 1},
	{"v1", "Pod", "", "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]", 1,
	 1},
	{"v1", "Pod", "", "containers: [{name: c}]", 0, 0},
	/* owners that are not in the input do not stand for it */
	{"v1", "Pod", ", ownerReferences: [{kind: ReplicaSet}]",
	 "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]", 1, 1},
};

START_TEST(services_without_end)
{
	struct scenario *s =
		load(services[_i].api, services[_i].kind, services[_i].metadata, services[_i].spec);

	ck_assert_uint_eq(s->job_count, services[_i].jobs);
	if (services[_i].jobs != 0) {
		ck_assert_uint_eq(s->jobs[0].common->pods, services[_i].pods);
		ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
		ck_assert(s->jobs[0].common->flags & JOB_NOT_GANG);
		ck_assert_uint_eq(s->finding_count, 0);
	} else {
		ck_assert_uint_eq(s->finding_count, 1); /* it is said */
	}
	scenario_free(s);
}
END_TEST

#define OF_QUEUE                                                                                   \
	", labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/max-exec-time-seconds: \"9\"}"

/* Pods of a Deployment are workloads each: of their own labels count those that its webhook
 * does not write (deployment_webhook.go). */
static const struct {
	const char *metadata, *template_labels, *queue, *class;
	simtime limit;
} pod_labels[] = {
	{OF_QUEUE, "", "q", "-", 0},
	{OF_QUEUE, "kueue.x-k8s.io/max-exec-time-seconds: \"30\"", "q", "-", 30 * CLOCK_SECOND},
	{OF_QUEUE, "kueue.x-k8s.io/priority-class: c", "q", "c", 0},
	{"", "kueue.x-k8s.io/queue-name: own", "own", "-", 0},
};

START_TEST(labels_of_the_pods_of_a_deployment)
{
	char spec[400];
	struct scenario *s;
	const struct job *j;

	snprintf(spec, sizeof(spec),
		 "template: {metadata: {labels: {a: b, %s}}, spec: {containers: [{name: c}]}}",
		 pod_labels[_i].template_labels);
	s = load("apps/v1", "Deployment", pod_labels[_i].metadata, spec);
	j = &s->jobs[0];
	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_str_eq(objects_case_text(s, j->common->queue), pod_labels[_i].queue);
	ck_assert_str_eq(objects_case_text(s, j->common->priority_class), pod_labels[_i].class);
	ck_assert_int_eq(s->extras[j->extra].max_execution, pod_labels[_i].limit);
	ck_assert_uint_eq(j->common->flags & JOB_UNMANAGED, 0);
	scenario_free(s);
}
END_TEST

/* Kueue knows a ReplicaSet by its pods alone. */
START_TEST(labels_of_a_replica_set)
{
	struct scenario *s = load("apps/v1", "ReplicaSet", OF_QUEUE, TEMPLATE);

	ck_assert(s->jobs[0].common->flags & JOB_UNMANAGED);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "label kueue.x-k8s.io/queue-name of a ReplicaSet has no effect"));
	scenario_free(s);
	s = load("apps/v1", "ReplicaSet", OF_QUEUE,
		 "template: {metadata: {labels: {kueue.x-k8s.io/queue-name: own}}, "
		 "spec: {containers: [{name: c}]}}");
	ck_assert_str_eq(objects_case_text(s, s->jobs[0].common->queue), "own");
	ck_assert_ptr_null(objects_case_finding(
		s, "label kueue.x-k8s.io/queue-name of a ReplicaSet has no effect"));
	scenario_free(s);
}
END_TEST

START_TEST(a_queue_in_the_template_alone)
{
	struct scenario *s = load("batch/v1", "Job", "",
				  "template: {metadata: {labels: {kueue.x-k8s.io/queue-name: q}}, "
				  "spec: {restartPolicy: Never, containers: [{name: c}]}}");

	ck_assert(s->jobs[0].common->flags & JOB_UNMANAGED);
	ck_assert_ptr_nonnull(objects_case_finding(
		s,
		"label kueue.x-k8s.io/queue-name of a pod template alone (Kueue admits such pods "
		"one by one, not the job; here they are in no queue)"));
	scenario_free(s);
}
END_TEST

START_TEST(a_pod_that_has_ended)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus: {phase: Succeeded}\n"
		"spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}\n");

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "Pod that has ended"));
	scenario_free(s);
}
END_TEST

START_TEST(equal_templates_share_a_shape)
{
	struct scenario *s = objects_case_load("apiVersion: batch/v1\nkind: Job\nmetadata: {name: "
					       "a, annotations: {gqsim/duration: "
					       "\"1\"}}\nspec: {" TEMPLATE "}\n---\n"
					       "apiVersion: batch/v1\nkind: Job\nmetadata: {name: "
					       "b, annotations: {gqsim/duration: "
					       "\"9\"}}\nspec: {" TEMPLATE "}\n");

	ck_assert_uint_eq(s->shape_count, 1);
	ck_assert_uint_eq(s->pod_set_count, 1);
	ck_assert_uint_eq(s->jobs[0].row, 0);
	ck_assert_uint_eq(s->jobs[1].row, 1);
	scenario_free(s);
}
END_TEST

#define RESTARTS(policy)                                                                           \
	"template: {spec: {restartPolicy: " policy                                                 \
	", containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
#define EQUAL(spec)                                                                                \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, annotations: {"                      \
	"kueue.x-k8s.io/job-completions-equal-parallelism: \"true\"}}\nspec: {" spec               \
	", " RESTARTS("Never") "}\n"

START_TEST(equal_parallelism_needs_an_indexed_job_of_one_turn)
{
	struct objects_case c =
		objects_case(EQUAL("completionMode: Indexed, parallelism: 3, completions: 3"));

	ck_assert_int_eq(c.code, ERR_OK);
	scenario_free(c.s);
	c = objects_case(EQUAL("parallelism: 3, completions: 3"));
	ck_assert_ptr_nonnull(strstr(c.message, "the Job must be Indexed"));
	c = objects_case(EQUAL("completionMode: Indexed, parallelism: 2, completions: 3"));
	ck_assert_ptr_nonnull(strstr(c.message, "the Job must be Indexed"));
}
END_TEST

START_TEST(policies_on_failures_need_restart_policy_never)
{
	struct objects_case c = objects_case(
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {completionMode: "
		"Indexed, completions: 3, backoffLimitPerIndex: 1, " RESTARTS("OnFailure") "}\n");

	ck_assert_ptr_nonnull(strstr(c.message, "only Never is possible"));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, pods, 0, ROWS(counts));
	tcase_add_test(t, annotations);
	tcase_add_test(t, defaults);
	tcase_add_test(t, an_endless_job);
	tcase_add_loop_test(t, services_without_end, 0, ROWS(services));
	tcase_add_loop_test(t, labels_of_the_pods_of_a_deployment, 0, ROWS(pod_labels));
	tcase_add_test(t, labels_of_a_replica_set);
	tcase_add_test(t, a_queue_in_the_template_alone);
	tcase_add_test(t, a_pod_that_has_ended);
	tcase_add_test(t, equal_templates_share_a_shape);
	tcase_add_test(t, equal_parallelism_needs_an_indexed_job_of_one_turn);
	tcase_add_test(t, policies_on_failures_need_restart_policy_never);
	return objects_case_run("sim/objects/objects_job", t);
}
