/* test_join.c - rows that name manifests. */
#include "sim/load/join.h"

#include "sim/trace/trace.h"
#include "tests/sim/objects_case.h"

static const char manifests[] =
	"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  namespace: k\n"
	"  labels: {kueue.x-k8s.io/queue-name: from-manifest}\n"
	"  annotations: {kueue.x-k8s.io/job-min-parallelism: \"2\","
	" gqsim/checkpoint-interval: 10m, gqsim/gang: \"false\"}\n"
	"spec:\n  parallelism: 4\n  template:\n"
	"    metadata: {annotations: {kueue.x-k8s.io/podset-preferred-topology: rack}}\n"
	"    spec:\n      nodeSelector: {gpu: h100}\n"
	"      tolerations: [{key: spot, operator: Exists}]\n"
	"      restartPolicy: Never\n      containers: [{name: c, resources: {limits: {cpu: 3, "
	"nvidia.com/gpu: 2}}}]\n---\n"
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: alone, annotations: {gqsim/duration: "
	"\"5\"}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c}]}}}\n";

static struct scenario *joined(const char *rows)
{
	struct builder *builder = builder_new();
	const struct source source = {.name = "jobs.csv", .data = rows, .size = strlen(rows)};
	const struct trace_format *format = trace_find("csv");
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct scenario *s = NULL;
	struct err err;

	ck_assert_int_eq(objects_case_read(builder, manifests, strlen(manifests), false, &err),
			 ERR_OK);
	ck_assert_ptr_nonnull(format);
	ck_assert_msg(format->load(&source, &options, builder, &summary, &err) == ERR_OK, "%s",
		      err.msg);
	join_rows(builder);
	ck_assert_msg(builder_finish(builder, &s, &err) == ERR_OK, "%s", err.msg);
	return s;
}

static const struct pod_shape *shape_of(const struct scenario *s, uint32_t job)
{
	return &s->shapes[s->pod_sets[s->jobs[job].common->first_pod_set].shape];
}

START_TEST(the_row_says_when_the_manifest_where)
{
	struct scenario *s =
		joined("name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
		       "other,k,q,0,9,,1,nvidia.com/gpu=1\n"
		       "a,k,from-row,3,60,,6,nvidia.com/gpu=1\n");
	const struct job *job = &s->jobs[2]; /* alone, other, a */
	const struct pod_shape *shape = shape_of(s, 2);

	ck_assert_uint_eq(s->job_count, 3);
	ck_assert_str_eq(objects_case_text(s, s->jobs[0].name), "alone");
	ck_assert_str_eq(objects_case_text(s, job->name), "a");
	ck_assert_int_eq(job->submit, 3 * CLOCK_SECOND);
	ck_assert_int_eq(job->duration, CLOCK_MINUTE);
	ck_assert_str_eq(objects_case_text(s, job->common->queue), "from-row");
	ck_assert_uint_eq(job->common->pods, 6);
	ck_assert_uint_eq(s->pod_sets[job->common->first_pod_set].min_count, 2);
	ck_assert_int_eq(shape->request[RES_GPU], 1);
	ck_assert_int_eq(shape->request[RES_CPU], 0);
	ck_assert_uint_eq(shape->node_selector.count, 1);
	ck_assert_uint_eq(shape->tolerations.count, 1);
	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_PREFERRED);
	ck_assert_int_eq(job->common->checkpoint, 10 * CLOCK_MINUTE);
	ck_assert(job->common->flags & JOB_NOT_GANG);
	ck_assert(!(job->common->flags & JOB_MANIFEST));
	ck_assert_uint_eq(shape_of(s, 1)->node_selector.count, 0);
	ck_assert_uint_eq(s->finding_count, 0); /* a's duration is not assumed any more */
	scenario_free(s);
}
END_TEST

START_TEST(empty_columns_come_from_the_manifest)
{
	struct scenario *s =
		joined("name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
		       "a,k,,3,60,,1,\n");
	const struct job *job = &s->jobs[1];

	ck_assert_str_eq(objects_case_text(s, job->common->queue), "from-manifest");
	ck_assert(!(job->common->flags & JOB_UNMANAGED));
	ck_assert_int_eq(shape_of(s, 1)->request[RES_CPU], 3000);
	ck_assert_int_eq(shape_of(s, 1)->request[RES_GPU], 2);
	ck_assert_uint_eq(job->common->pods, 1);
	ck_assert_uint_eq(s->pod_sets[job->common->first_pod_set].min_count, 1); /* 2 is too many */
	scenario_free(s);
}
END_TEST

START_TEST(another_namespace_is_another_job)
{
	struct scenario *s =
		joined("name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
		       "a,m,q,3,60,,1,nvidia.com/gpu=1\n");

	ck_assert_uint_eq(s->job_count, 3);
	ck_assert_uint_eq(shape_of(s, 2)->node_selector.count, 0);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, the_row_says_when_the_manifest_where);
	tcase_add_test(t, empty_columns_come_from_the_manifest);
	tcase_add_test(t, another_namespace_is_another_job);
	return objects_case_run("sim/load/join", t);
}
