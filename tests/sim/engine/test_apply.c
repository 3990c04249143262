#include "sim/engine/apply.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/support/fakes.h"
#include "tests/support/fixture.h"

/* Admits everything at once; then, at its first timer, evicts job 1 and job 0 in
 * this order, 20 times if so often, and says so. */
struct script {
	const struct world *world;
	bool evict, often;
};

static void *open_script(const struct world *world, struct plan *plan, struct err *err)
{
	struct script *s = mem_calloc(1, sizeof(*s));
	struct decision *d = plan_add(plan, DECIDE_TIMER);

	(void)err;
	d->at = 7 * CLOCK_SECOND;
	d->class = CLASS_TIMEOUT;
	d->cookie = UINT64_C(0x123456789abcdef0); /* all 64 bits come back */
	s->world = world;
	return s;
}

static void *open_often(const struct world *world, struct plan *plan, struct err *err)
{
	struct script *s = open_script(world, plan, err);

	s->often = true;
	return s;
}

static void close_script(void *self)
{
	mem_free(self);
}

static void observe_script(void *self, const struct happening *h, struct plan *plan)
{
	struct script *s = self;
	struct admission *a;
	struct admission_pod_set *set;
	struct decision *d;

	if (h->kind == HAP_TIMER) {
		ck_assert_uint_eq(h->cookie, UINT64_C(0x123456789abcdef0));
		s->evict = true;
	}
	if (h->kind != HAP_SUBMITTED)
		return;
	a = mem_arena_alloc(plan->arena, sizeof(*a));
	set = mem_arena_alloc(plan->arena, sizeof(*set));
	set->count = 1;
	*a = (struct admission){.pod_set_count = 1, .pod_sets = set};
	d = plan_add(plan, DECIDE_RESERVE);
	d->job = h->job;
	d->admission = a;
}

static bool cycle_script(void *self, struct plan *plan)
{
	struct script *s = self;

	if (!s->evict)
		return false;
	s->evict = false;
	for (uint32_t i = s->often ? 40 : 2; i-- > 0;) {
		struct decision *d = plan_add(plan, DECIDE_EVICT);

		d->job = i % 2;
		d->reason = journal_string(s->world->journal, "reason=Test");
	}
	return true;
}

static const struct policy script = {.name = "script",
				     .models = "a test",
				     .open = open_script,
				     .close = close_script,
				     .observe = observe_script,
				     .cycle = cycle_script};
static const struct policy_row scripted = {"scripted", "test", &script, NULL, false};
static const struct policy script_often = {.name = "script",
					   .models = "a test",
					   .open = open_often,
					   .close = close_script,
					   .observe = observe_script,
					   .cycle = cycle_script};
static const struct policy_row scripted_often = {"scripted", "test", &script_often, NULL, false};

static char *journal_of(const struct policy_row *row, simtime delay, enum run_end want)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 100, .pods = 1, .gpus = 1, .queue = "q"},
		{.name = "b", .duration_s = 100, .pods = 1, .gpus = 1, .queue = "q"},
	};
	struct builder *b = builder_new();
	struct run_options options;
	struct scenario *s;
	struct journal *j = NULL;
	struct err err = {0};
	char *text;

	builder_simple_queue(b, "q", "default", "", "f", 8);
	fixture_add(b, jobs, 2);
	s = fixture_finish(b);
	options_default(&options);
	options.eviction_delay = delay;
	options.eviction_limit = 0; /* beyond 16 a job: the 33rd of an instant is a livelock */
	ck_assert_int_eq(engine_run(s, row, &options, JOURNAL_FULL, &j, &err), ERR_OK);
	ck_assert_int_eq(j->end, want);
	text = fixture_print(j);
	journal_free(j);
	scenario_free(s);
	return text;
}

START_TEST(without_delay_victims_are_released_in_the_order_of_the_plan)
{
	char *text = journal_of(&scripted, 0, RUN_COMPLETE);

	ck_assert_str_eq(text, "0 submit a\n0 reserve a\n0 start a\n0 submit b\n0 reserve b\n"
			       "0 start b\n7 evict b\n7 lost b 7\n7 evict a\n7 lost a 7\n"
			       "7 release b\n7 release a\n");
	free(text);
}
END_TEST

START_TEST(with_delay_they_are_released_by_name)
{
	char *text = journal_of(&scripted, 5 * CLOCK_SECOND, RUN_COMPLETE);

	ck_assert_str_eq(text, "0 submit a\n0 reserve a\n0 start a\n0 submit b\n0 reserve b\n"
			       "0 start b\n7 evict b\n7 lost b 7\n7 evict a\n7 lost a 7\n"
			       "12 release a\n12 release b\n");
	free(text);
}
END_TEST

/* For its node, say, and for another job: told more than once, it stops and is released once. */
START_TEST(an_eviction_begins_once_at_an_instant)
{
	static const simtime delays[] = {0, 5 * CLOCK_SECOND};
	static const char *const released[] = {"\n7 release b\n7 release a\n",
					       "\n12 release a\n12 release b\n"};
	char *text = journal_of(&scripted_often, delays[_i], RUN_COMPLETE);

	ck_assert_ptr_nonnull(strstr(text, released[_i]));
	ck_assert_ptr_null(strstr(strstr(text, released[_i]) + 1, "lost"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("apply");
	TCase *tc = tcase_create("apply");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, without_delay_victims_are_released_in_the_order_of_the_plan);
	tcase_add_test(tc, with_delay_they_are_released_by_name);
	tcase_add_loop_test(tc, an_eviction_begins_once_at_an_instant, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
