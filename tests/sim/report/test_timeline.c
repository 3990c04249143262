/* test_timeline.c - The header and the rows of a run, cell by cell. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/report/timeline.h"
#include "tests/support/fixture.h"
#include "tests/support/records.h"

START_TEST(rows_hold_from_their_time_on)
{
	static const struct fixture_job jobs[] = {{"j", 5, 10, 1, 3, "x", 0, 0}};
	struct builder *b = fixture_cluster(1, 8);
	struct scenario *s;
	struct journal *j;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	builder_simple_queue(b, "x", "default", "all", "gpu", 2);
	builder_simple_queue(b, "y", "default", "all", "gpu", 6);
	fixture_add(b, jobs, 1);
	s = fixture_finish(b);
	j = journal_new(s, "kueue", JOURNAL_FULL);
	records_job(j, 5, J_SUBMIT, 0, 0, 0);
	records_job(j, 5, J_QUOTA_RESERVED, 0, records_admission(j, 0, 0, 1), 0);
	records_job(j, 6, J_STATUS, 0, journal_string(j, "a"), journal_string(j, "b"));
	records_pod(j, 8, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 8, J_STARTED, 0, 1, 0);
	records_job(j, 18, J_FINISHED, 0, 0, 0);
	timeline_write(memory, j, 20 * CLOCK_SECOND);
	fclose(memory);
	ck_assert_str_eq(text,
			 "time_s,gpus,bound,running,idle,free,pending_jobs,pending_gpus,"
			 "queue:x:gpu:nvidia.com/gpu:nominal,queue:x:gpu:nvidia.com/gpu:used,"
			 "queue:x:gpu:nvidia.com/gpu:borrowed,queue:x:gpu:nvidia.com/gpu:lent,"
			 "queue:y:gpu:nvidia.com/gpu:nominal,queue:y:gpu:nvidia.com/gpu:used,"
			 "queue:y:gpu:nvidia.com/gpu:borrowed,queue:y:gpu:nvidia.com/gpu:lent\n"
			 "0,8,0,0,0,8,0,0,2,0,0,0,6,0,0,0\n"
			 "5,8,0,0,0,8,1,3,2,3,1,0,6,0,0,1\n"
			 "8,8,3,3,0,5,0,0,2,3,1,0,6,0,0,1\n"
			 "18,8,0,0,0,8,0,0,2,0,0,0,6,0,0,0\n"
			 "20,8,0,0,0,8,0,0,2,0,0,0,6,0,0,0\n");
	free(text);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/timeline");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, rows_hold_from_their_time_on);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
