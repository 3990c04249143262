/* test_kueue_queue.c - Heaps and parking by class against the direct form, in which
 * every workload is moved for itself (spec KUEUE.md 3.4).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_queue.h"
#include "tests/support/below.h"
#include "tests/support/kueue_story.h"

#define JOBS 24

enum place { NOWHERE, ACTIVE, PARKED };

struct model {
	enum place place[JOBS];
	int units[JOBS], priority[JOBS], created[JOBS];
	bool bulk[4][3]; /* by units and priority */
	uint32_t sticky;
	bool strict;
};

static bool before(const struct model *m, uint32_t a, uint32_t b)
{
	bool sticky_a = m->sticky == a && !m->strict, sticky_b = m->sticky == b && !m->strict;

	if (sticky_a != sticky_b)
		return sticky_a;
	if (m->priority[a] != m->priority[b])
		return m->priority[a] > m->priority[b];
	if (m->created[a] != m->created[b])
		return m->created[a] < m->created[b];
	return a < b;
}

static uint32_t head(const struct model *m)
{
	uint32_t best = JOB_NONE;

	for (uint32_t j = 0; j < JOBS; j++) {
		if (m->place[j] == ACTIVE && (best == JOB_NONE || before(m, j, best)))
			best = j;
	}
	return best;
}

static void requeue(struct model *m, uint32_t job, enum kueue_requeue reason)
{
	bool parks = m->strict ? reason == REQUEUE_NAMESPACE_MISMATCH
			       : reason != REQUEUE_PENDING_PREEMPTION &&
					 reason != REQUEUE_FAILED_AFTER_NOMINATION;

	if (reason == REQUEUE_PENDING_PREEMPTION)
		m->sticky = job;
	m->place[job] = parks ? PARKED : ACTIVE;
	if (!parks || m->strict || (reason != REQUEUE_NO_FIT && reason != REQUEUE_NO_CANDIDATES))
		return;
	m->bulk[m->units[job]][m->priority[job]] = true;
	for (uint32_t j = 0; j < JOBS; j++) {
		if (m->place[j] == ACTIVE && m->units[j] == m->units[job] &&
		    m->priority[j] == m->priority[job])
			m->place[j] = PARKED;
	}
}

static struct kueue_story *make(struct model *m, unsigned *seed)
{
	char items[4096];
	int n;

	memset(m, 0, sizeof(*m));
	m->sticky = JOB_NONE;
	m->strict = below(seed, 4) == 0;
	n = snprintf(items, sizeof(items), "a[4] in=-%s", m->strict ? " strict" : "");
	for (uint32_t j = 0; j < JOBS; j++) {
		m->units[j] = 1 + (int)below(seed, 3);
		m->priority[j] = (int)below(seed, 3);
		m->created[j] = (int)below(seed, 10);
		m->place[j] = ACTIVE;
		n += snprintf(items + n, sizeof(items) - (size_t)n, "; a?j%u:%d@%d#%d", j,
			      m->units[j], m->priority[j], m->created[j]);
	}
	return kueue_story_new(items, false);
}

static void step(struct kueue_story *s, struct model *m, unsigned *seed)
{
	static const enum kueue_requeue reasons[] = {
		REQUEUE_GENERIC,       REQUEUE_NAMESPACE_MISMATCH,	REQUEUE_NO_FIT,
		REQUEUE_NO_CANDIDATES, REQUEUE_FAILED_AFTER_NOMINATION, REQUEUE_PENDING_PREEMPTION};
	uint32_t job = below(seed, JOBS), want;
	enum kueue_requeue reason = reasons[below(seed, 6)];

	switch (below(seed, 8)) {
	case 0:
		kueue_queue_flush(s->k, 0);
		memset(m->bulk, 0, sizeof(m->bulk));
		for (uint32_t j = 0; j < JOBS; j++) {
			if (m->place[j] == PARKED)
				m->place[j] = ACTIVE;
		}
		break;
	case 1:
		if (m->place[job] == NOWHERE)
			break;
		kueue_queue_remove(s->k, job);
		m->place[job] = NOWHERE;
		if (m->sticky == job)
			m->sticky = JOB_NONE;
		break;
	case 2:
		if (m->place[job] != NOWHERE)
			break;
		kueue_queue_push(s->k, job);
		m->place[job] =
			!m->strict && m->bulk[m->units[job]][m->priority[job]] ? PARKED : ACTIVE;
		break;
	default:
		want = head(m);
		ck_assert_uint_eq(kueue_queue_pop(s->k, 0), want);
		if (want == JOB_NONE)
			break;
		kueue_queue_requeue(s->k, want, reason, WHY_NONE);
		requeue(m, want, reason);
	}
}

START_TEST(random_against_direct_form)
{
	unsigned seed = (unsigned)_i + 1;
	struct model m;
	struct kueue_story *s = make(&m, &seed);

	for (int i = 0; i < 400; i++)
		step(s, &m, &seed);
	for (uint32_t j = head(&m); j != JOB_NONE; j = head(&m)) { /* drain */
		ck_assert_uint_eq(kueue_queue_pop(s->k, 0), j);
		s->k->jobs[j].place = PLACE_NOWHERE;
		m.place[j] = NOWHERE;
	}
	ck_assert_uint_eq(kueue_queue_pop(s->k, 0), JOB_NONE);
	kueue_story_free(s);
}
END_TEST

/* Requests for one tree merge into the first; it is due a batch later. */
START_TEST(flushes_merge)
{
	struct kueue_story *s = kueue_story_new("a[4]; b[4]; d[4] in=-; a?p:9", false);

	s->options.requeue_batch = CLOCK_SECOND;
	s->k->plan = &s->plan;
	s->k->spares_timers = false;
	kueue_queue_request_flush(s->k, kueue_story_queue(s, "a"));
	kueue_queue_request_flush(s->k, kueue_story_queue(s, "b"));
	kueue_queue_request_flush(s->k, kueue_story_queue(s, "d"));
	ck_assert_uint_eq(s->plan.count, 2);
	ck_assert_int_eq(s->plan.items[0].at, 1001 * CLOCK_SECOND);
	ck_assert_uint_eq(s->plan.items[0].class, CLASS_RETRY);
	kueue_story_run(s, 1);
	ck_assert(kueue_queue_flush(s->k, s->k->tree.nodes[0].root));
	ck_assert(!kueue_queue_flush(s->k, s->k->tree.nodes[0].root));
	kueue_story_free(s);
}
END_TEST

/* The time of the only timer that the plan sets. */
static simtime timer_of(const struct kueue_story *s)
{
	simtime at = CLOCK_NEVER;

	for (size_t i = 0; i < s->plan.count; i++) {
		if (s->plan.items[i].kind != DECIDE_TIMER)
			continue;
		ck_assert_int_eq(at, CLOCK_NEVER);
		at = s->plan.items[i].at;
	}
	return at;
}

/* p parks while a flush is to come, or when it would be over. */
static struct kueue_story *spared_flush(void)
{
	struct kueue_story *s = kueue_story_new("a[4]; a?p:9", false);

	s->options.requeue_batch = CLOCK_SECOND;
	s->k->plan = &s->plan;
	ck_assert(s->k->spares_timers);
	kueue_queue_request_flush(s->k, 0);
	ck_assert_uint_eq(s->plan.count, 0);
	return s;
}

START_TEST(a_flush_of_nothing_waits_for_somebody_to_park)
{
	struct kueue_story *s = spared_flush();

	policy_kueue.cycle(s->k, &s->plan);
	ck_assert_int_eq(timer_of(s), 1001 * CLOCK_SECOND);
	kueue_story_free(s);
	s = spared_flush();
	s->world.now = 1001 * CLOCK_SECOND;
	policy_kueue.cycle(s->k, &s->plan);
	ck_assert_int_eq(timer_of(s), CLOCK_NEVER);
	kueue_queue_request_flush(s->k, 0);
	ck_assert_int_eq(timer_of(s), 1002 * CLOCK_SECOND);
	kueue_story_free(s);
}
END_TEST

/* Heads that stay in their heap, or the end of the run, may hang on every instant. */
START_TEST(spared_flushes_are_set_for_the_last_things)
{
	struct kueue_story *s = spared_flush();

	policy_kueue.scheduled(s->k, true, &s->plan);
	ck_assert_int_eq(timer_of(s), 1001 * CLOCK_SECOND);
	policy_kueue.scheduled(s->k, true, &s->plan);
	ck_assert_int_eq(timer_of(s), 1001 * CLOCK_SECOND);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_queue");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, random_against_direct_form, 0, 60);
	tcase_add_test(t, flushes_merge);
	tcase_add_test(t, a_flush_of_nothing_waits_for_somebody_to_park);
	tcase_add_test(t, spared_flushes_are_set_for_the_last_things);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
