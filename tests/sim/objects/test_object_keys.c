/* test_object_keys.c - Kueue's labels and annotations: misspelt, not modelled. */
#include "sim/objects/object_keys.h"

#include "tests/sim/objects_case.h"

#define JOB(metadata)                                                                              \
	"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j\n" metadata                         \
	"spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n"

static const struct {
	const char *text;
	const char *loose;  /* words of the finding; NULL: none */
	const char *strict; /* the error; NULL: none */
} rows[] = {
	{JOB("  labels: {kueue.x-k8s.io/queue-name: q}\n"
	     "  annotations: {a.io/b: c, kueue.x-k8s.io/safe-to-forcefully-delete: \"true\"}\n"),
	 NULL, NULL},
	{JOB("  labels: {kueue.x-k8s.io/queue-nam: q}\n"),
	 "t:5:12: Job \"j\": Kueue knows no label kueue.x-k8s.io/queue-nam; did you mean "
	 "kueue.x-k8s.io/queue-name?",
	 "t:5:12: Job \"j\": unknown label kueue.x-k8s.io/queue-nam; did you mean "
	 "kueue.x-k8s.io/queue-name?"},
	{JOB("  annotations: {kueue.x-k8s.io/prebuilt-workload-name: w}\n"),
	 "a prebuilt workload (one is made of the job) is not modelled",
	 "t:5:17: Job \"j\": a prebuilt workload (one is made of the job) is not modelled, and "
	 "--strict was given"},
	{JOB("  annotations: {kueue.x-k8s.io/admission-gated-by: \"\"}\n"), NULL, NULL},
	{JOB("  annotations: {kueue.x-k8s.io/elastic-job: \"false\"}\n"), NULL, NULL},
	{JOB("  annotations: {kueue.x-k8s.io/elastic-job: \"true\"}\n"), NULL, NULL},
};

START_TEST(keys)
{
	struct objects_case loose = objects_case(rows[_i].text);
	struct objects_case strict = objects_case_bytes(rows[_i].text, strlen(rows[_i].text), true);

	ck_assert_msg(loose.code == ERR_OK, "%s", loose.message);
	if (rows[_i].loose != NULL)
		ck_assert_ptr_nonnull(objects_case_finding(loose.s, rows[_i].loose));
	else
		ck_assert_ptr_null(objects_case_finding(loose.s, "kueue.x-k8s.io"));
	if (rows[_i].strict != NULL)
		ck_assert_str_eq(strict.message, rows[_i].strict);
	else
		ck_assert_msg(strict.code == ERR_OK, "%s", strict.message);
	scenario_free(loose.s);
	if (strict.s != NULL)
		scenario_free(strict.s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, keys, 0, ROWS(rows));
	return objects_case_run("sim/objects/object_keys", t);
}
