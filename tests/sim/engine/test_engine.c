#include "sim/engine/engine.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fakes.h"
#include "tests/support/fixture.h"

struct row {
	const char *name;
	const struct policy_row *policy;
	uint32_t nodes;
	int64_t gpus;
	struct fixture_job jobs[4];
	struct { /* options that differ from the defaults, seconds */
		int64_t grace, human_after, placement_timeout, max_time;
		bool interleaved, no_delay;
	} with;
	const char *journal;
	enum run_end end;
	int64_t account_end_s;
};

static const struct row rows[] = {
	{"one job runs from submit to the end of its work",
	 &fakes_plain,
	 1,
	 8,
	 {{.name = "a", .submit_s = 5, .duration_s = 60, .pods = 2, .gpus = 4}},
	 {0},
	 "5 submit a\n5 create a-0\n5 create a-1\n5 bind a-0 n0\n5 bind a-1 n0\n5 start a\n"
	 "65 finish a\n",
	 RUN_COMPLETE,
	 65},
	{"pods that were created in turn deadlock, and the run ends all the same",
	 &fakes_plain,
	 2,
	 4,
	 {{.name = "a", .duration_s = 60, .pods = 2, .gpus = 4},
	  {.name = "b", .duration_s = 60, .pods = 2, .gpus = 4}},
	 {.interleaved = true},
	 "0 submit a\n0 submit b\n0 create a-0\n0 create b-0\n0 create a-1\n0 create b-1\n"
	 "0 bind a-0 n0\n0 bind b-0 n1\n0 fail a-1\n0 fail b-1\n0 deadlock\n",
	 RUN_COMPLETE,
	 3600},
	{"someone deletes the youngest job of a deadlock that stood long enough",
	 &fakes_plain,
	 2,
	 4,
	 {{.name = "a", .duration_s = 60, .pods = 2, .gpus = 4},
	  {.name = "b", .duration_s = 60, .pods = 2, .gpus = 4}},
	 {.interleaved = true, .human_after = 90},
	 "0 submit a\n0 submit b\n0 create a-0\n0 create b-0\n0 create a-1\n0 create b-1\n"
	 "0 bind a-0 n0\n0 bind b-0 n1\n0 fail a-1\n0 fail b-1\n0 deadlock\n"
	 "90 delete b\n90 bind a-1 n1\n90 start a\n90 deadlock-over\n150 finish a\n",
	 RUN_COMPLETE,
	 150},
	{"pods created job by job do not",
	 &fakes_plain,
	 2,
	 4,
	 {{.name = "a", .duration_s = 60, .pods = 2, .gpus = 4},
	  {.name = "b", .duration_s = 60, .pods = 2, .gpus = 4}},
	 {0},
	 "0 submit a\n0 submit b\n0 create a-0\n0 create a-1\n0 create b-0\n0 create b-1\n"
	 "0 bind a-0 n0\n0 bind a-1 n1\n0 start a\n0 fail b-0\n0 fail b-1\n"
	 "60 finish a\n60 bind b-0 n0\n60 bind b-1 n1\n60 start b\n120 finish b\n",
	 RUN_COMPLETE,
	 120},
	{"a placement timeout breaks a deadlock; pods come again later, job by job",
	 &fakes_plain,
	 2,
	 4,
	 {{.name = "a", .duration_s = 60, .pods = 2, .gpus = 4},
	  {.name = "b", .duration_s = 60, .pods = 2, .gpus = 4}},
	 {.interleaved = true, .placement_timeout = 300},
	 "0 submit a\n0 submit b\n0 create a-0\n0 create b-0\n0 create a-1\n0 create b-1\n"
	 "0 bind a-0 n0\n0 bind b-0 n1\n0 fail a-1\n0 fail b-1\n0 deadlock\n"
	 "300 timeout a\n300 timeout b\n300 deadlock-over\n"
	 "360 create a-0-r1\n360 create a-1-r1\n360 create b-0-r1\n360 create b-1-r1\n"
	 "360 bind a-0-r1 n0\n360 bind a-1-r1 n1\n360 start a\n360 fail b-0-r1\n"
	 "360 fail b-1-r1\n",
	 RUN_MAX_TIME,
	 3600},
	{"a pod that is preempted stops its job; its work is lost and the pod replaced",
	 &fakes_plain,
	 1,
	 8,
	 {{.name = "a", .duration_s = 100, .pods = 2, .gpus = 4},
	  {.name = "vip", .submit_s = 30, .duration_s = 20, .pods = 1, .gpus = 4}},
	 {0},
	 "0 submit a\n0 create a-0\n0 create a-1\n0 bind a-0 n0\n0 bind a-1 n0\n0 start a\n"
	 "30 submit vip\n30 create vip-0\n30 fail vip-0\n30 lose a-0\n30 interrupt a\n"
	 "30 lost a 30\n30 bind vip-0 n0\n30 start vip\n"
	 "40 create a-0-r1\n40 fail a-0-r1\n50 finish vip\n50 bind a-0-r1 n0\n50 start a\n"
	 "150 finish a\n",
	 RUN_COMPLETE,
	 150},
	{"with a grace period the pod keeps its GPUs until it ends",
	 &fakes_plain,
	 1,
	 4,
	 {{.name = "a", .duration_s = 100, .pods = 1, .gpus = 4},
	  {.name = "vip", .submit_s = 30, .duration_s = 20, .pods = 1, .gpus = 4}},
	 {.grace = 15},
	 "0 submit a\n0 create a-0\n0 bind a-0 n0\n0 start a\n"
	 "30 submit vip\n30 create vip-0\n30 fail vip-0\n30 interrupt a\n30 lost a 30\n"
	 "30 fail vip-0\n45 lose a-0\n45 bind vip-0 n0\n45 start vip\n"
	 "55 create a-0-r1\n55 fail a-0-r1\n65 finish vip\n65 bind a-0-r1 n0\n65 start a\n"
	 "165 finish a\n",
	 RUN_COMPLETE,
	 165},
	{"an evicted job keeps quota and nodes for the eviction delay, then resumes",
	 &fakes_queued,
	 1,
	 8,
	 {{.name = "a",
	   .duration_s = 100,
	   .pods = 1,
	   .gpus = 8,
	   .checkpoint_s = 20,
	   .restart_s = 7},
	  {.name = "vip", .submit_s = 50, .duration_s = 10, .pods = 1, .gpus = 8}},
	 {0},
	 "0 submit a\n0 reserve a\n0 create a-0\n0 bind a-0 n0\n0 start a\n"
	 "50 submit vip\n50 preempt a\n50 lost a 10\n"
	 "55 release a\n55 reserve vip\n55 create vip-0\n55 bind vip-0 n0\n55 start vip\n"
	 "65 finish vip\n65 reserve a\n65 create a-0-r1\n65 bind a-0-r1 n0\n65 start a\n"
	 "132 lost a 7\n132 finish a\n", /* 60 s of work left + 7 s of restart */
	 RUN_COMPLETE,
	 132},
	{"without delay the victim is released after the decisions of that cycle",
	 &fakes_queued,
	 1,
	 8,
	 {{.name = "a", .duration_s = 100, .pods = 1, .gpus = 8},
	  {.name = "vip", .submit_s = 50, .duration_s = 10, .pods = 1, .gpus = 8}},
	 {.no_delay = true},
	 "0 submit a\n0 reserve a\n0 create a-0\n0 bind a-0 n0\n0 start a\n"
	 "50 submit vip\n50 preempt a\n50 lost a 50\n50 release a\n50 reserve vip\n"
	 "50 create vip-0\n50 bind vip-0 n0\n50 start vip\n"
	 "60 finish vip\n60 reserve a\n60 create a-0-r1\n60 bind a-0-r1 n0\n60 start a\n"
	 "160 finish a\n",
	 RUN_COMPLETE,
	 160},
	{"ends at one instant come in order of start; a service without end does not hold the "
	 "report up",
	 &fakes_plain,
	 1,
	 8,
	 {{.name = "z", .duration_s = 10, .pods = 1, .gpus = 1},
	  {.name = "b", .duration_s = 10, .pods = 1, .gpus = 1},
	  {.name = "serve", .duration_s = -1, .pods = 1, .gpus = 1}},
	 {0},
	 "0 submit z\n0 submit b\n0 submit serve\n0 create z-0\n0 create b-0\n0 create serve-0\n"
	 "0 bind z-0 n0\n0 start z\n0 bind b-0 n0\n0 start b\n0 bind serve-0 n0\n0 start serve\n"
	 "10 finish z\n10 finish b\n",
	 RUN_COMPLETE,
	 10},
	{"under an admission policy they come by name",
	 &fakes_queued,
	 1,
	 8,
	 {{.name = "z", .duration_s = 10, .pods = 1, .gpus = 1},
	  {.name = "b", .duration_s = 10, .pods = 1, .gpus = 1}},
	 {0},
	 "0 submit z\n0 submit b\n0 reserve z\n0 reserve b\n0 create z-0\n0 create b-0\n"
	 "0 bind z-0 n0\n0 start z\n0 bind b-0 n0\n0 start b\n10 finish b\n10 finish z\n",
	 RUN_COMPLETE,
	 10},
	{"--max-time ends after the first instant beyond it",
	 &fakes_plain,
	 1,
	 8,
	 {{.name = "a", .duration_s = 10, .pods = 1, .gpus = 8},
	  {.name = "b", .duration_s = 10, .pods = 1, .gpus = 8},
	  {.name = "c", .duration_s = 10, .pods = 1, .gpus = 8}},
	 {.max_time = 5},
	 "0 submit a\n0 submit b\n0 submit c\n0 create a-0\n0 create b-0\n0 create c-0\n"
	 "0 bind a-0 n0\n0 start a\n0 fail b-0\n0 fail c-0\n10 finish a\n10 bind b-0 n0\n"
	 "10 start b\n10 fail c-0\n",
	 RUN_MAX_TIME,
	 3600},
};

static struct run_options options_of(const struct row *row)
{
	struct run_options o;

	options_default(&o);
	o.grace = row->with.grace * CLOCK_SECOND;
	o.human_after = row->with.human_after * CLOCK_SECOND;
	if (row->with.no_delay)
		o.eviction_delay = 0;
	o.placement_timeout = row->with.placement_timeout * CLOCK_SECOND;
	if (row->with.placement_timeout != 0)
		o.max_time = 300 * CLOCK_SECOND;
	if (row->with.max_time != 0)
		o.max_time = row->with.max_time * CLOCK_SECOND;
	if (row->with.interleaved)
		o.create = CREATE_INTERLEAVED;
	return o;
}

START_TEST(journal_is_as_written)
{
	const struct row *row = &rows[_i];
	struct builder *b = fixture_cluster(row->nodes, row->gpus);
	struct run_options options = options_of(row);
	struct scenario *s;
	struct journal *j = NULL;
	struct err err = {0};
	uint32_t n = 0;
	char *text;

	while (n < 4 && row->jobs[n].name != NULL)
		n++;
	if (row->policy->admission != NULL) {
		builder_simple_queue(b, "q", "default", "", "f", 8);
		for (uint32_t i = 0; i < n; i++) {
			struct fixture_job job = row->jobs[i];

			job.queue = "q";
			fixture_add(b, &job, 1);
		}
	} else {
		fixture_add(b, row->jobs, n);
	}
	s = fixture_finish(b);
	ck_assert_int_eq(engine_run(s, row->policy, &options, JOURNAL_FULL, &j, &err), ERR_OK);
	text = fixture_print(j);
	ck_assert_msg(strcmp(text, row->journal) == 0, "%s:\n%s\nexpected:\n%s", row->name, text,
		      row->journal);
	ck_assert_int_eq(j->end, row->end);
	ck_assert_int_eq(j->account_end, row->account_end_s * CLOCK_SECOND);
	free(text);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(an_interrupted_run_says_so)
{
	struct builder *b = fixture_cluster(1, 8);
	struct run_options options;
	volatile sig_atomic_t stop = 1;
	struct scenario *s;
	struct journal *j = NULL;
	struct err err = {0};

	fixture_add(b, &(struct fixture_job){.name = "a", .duration_s = 9, .pods = 1, .gpus = 1},
		    1);
	s = fixture_finish(b);
	options_default(&options);
	options.stop = &stop;
	ck_assert_int_eq(engine_run(s, &fakes_plain, &options, JOURNAL_FACTS, &j, &err), ERR_OK);
	ck_assert_int_eq(j->end, RUN_INTERRUPTED);
	ck_assert_int_eq(j->account_end, 0);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Two that always preempt each other, each after an eviction that takes its time: no
 * instant is a livelock, the run is. */
START_TEST(evictions_without_end_are_a_livelock)
{
	const struct fixture_job jobs[] = {
		{.name = "vip-a", .duration_s = 600, .pods = 1, .gpus = 8, .queue = "q"},
		{.name = "vip-b", .duration_s = 600, .pods = 1, .gpus = 8, .queue = "q"}};
	struct builder *b = fixture_cluster(1, 8);
	struct run_options options;
	struct scenario *s;
	struct journal *j = NULL;
	struct err err = {0};

	fixture_add(b, jobs, 2);
	s = fixture_finish(b);
	options_default(&options);
	options.eviction_delay = 5 * CLOCK_SECOND;
	ck_assert_int_eq(engine_run(s, &fakes_queued, &options, JOURNAL_FACTS, &j, &err), ERR_OK);
	ck_assert_int_eq(j->end, RUN_LIVELOCK);
	ck_assert_int_gt(j->end_time, 100 * options.eviction_delay);
	ck_assert_int_lt(j->end_time, CLOCK_DAY);
	ck_assert_uint_eq(j->livelock_count, 2);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine");
	TCase *tc = tcase_create("engine");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, journal_is_as_written, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tc, an_interrupted_run_says_so);
	tcase_add_test(tc, evictions_without_end_are_a_livelock);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
