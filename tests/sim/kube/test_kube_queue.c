#include "sim/kube/kube_queue.h"

#include <check.h>

#include "core/rng.h"

#define PODS  24
#define S     CLOCK_SECOND
#define ALL   INT32_MAX
#define TRY   UINT64_C(1) /* mark: must be tried */
#define NEVER UINT64_C(2)

static uint32_t pop(struct kube_queue *q, simtime now, struct kube_ticket *ticket)
{
	struct kube_ticket t;

	if (!kube_queue_pop(q, now, ticket == NULL ? &t : ticket))
		return UINT32_MAX;
	return ticket == NULL ? t.pod : ticket->pod;
}

static void fail_next(struct kube_queue *q, simtime now, uint32_t pod)
{
	struct kube_ticket ticket;

	ck_assert_uint_eq(pop(q, now, &ticket), pod);
	kube_queue_park(q, now, &ticket, true, TRY);
}

START_TEST(priority_then_age)
{
	struct kube_queue *q = kube_queue_new(PODS);

	kube_queue_add(q, 0, 0, 5, TRY);
	kube_queue_add(q, 0, 1, 9, TRY);
	kube_queue_add(q, 0, 2, 5, TRY);
	kube_queue_add(q, 1, 3, 9, TRY);
	ck_assert_uint_eq(pop(q, 0, NULL), 1);
	ck_assert_uint_eq(pop(q, 0, NULL), 3);
	ck_assert_uint_eq(pop(q, 0, NULL), 0);
	ck_assert_uint_eq(pop(q, 0, NULL), 2);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	kube_queue_free(q);
}
END_TEST

/* Section 2.2 and 2.3: 99.5 s + 1 s ends in second 100, still backing off at
 * 100.9, no longer at 101. Which queue shows in the order against a fresh pod. */
static const struct {
	simtime failed, event;
	bool backing_off;
} backoff_rows[] = {
	{99500000, 100900000, true},
	{99500000, 101000000, false},
	{100 * S, 101 * S, true},
	{100 * S, 102 * S, false},
};

START_TEST(backoff_is_floored_and_inclusive)
{
	struct kube_queue *q = kube_queue_new(PODS);
	simtime at = backoff_rows[_i].event;

	kube_queue_add(q, backoff_rows[_i].failed, 0, 0, TRY);
	fail_next(q, backoff_rows[_i].failed, 0);
	kube_queue_retry(q, at, ALL);
	kube_queue_add(q, at, 1, 0, TRY);
	ck_assert_uint_eq(pop(q, 0, NULL), backoff_rows[_i].backing_off ? 1 : 0);
	ck_assert_uint_eq(pop(q, 0, NULL), backoff_rows[_i].backing_off ? 0 : 1);
	kube_queue_free(q);
}
END_TEST

/* 4 s, then 6 s at most: whole seconds after the third failure. */
START_TEST(backoff_may_be_configured)
{
	for (int64_t after = 6; after <= 7; after++) {
		struct kube_queue *q = kube_queue_new(PODS);
		simtime now = 0;

		kube_queue_set_backoff(q, 4 * S, 6 * S);
		kube_queue_add(q, 0, 0, 0, TRY);
		for (int i = 0; i < 2; i++, now += 100 * S) {
			fail_next(q, now, 0);
			kube_queue_retry(q, now + 99 * S, ALL);
		}
		fail_next(q, now, 0);
		kube_queue_retry(q, now + after * S, ALL);
		kube_queue_add(q, now + after * S, 1, 0, TRY);
		ck_assert_uint_eq(pop(q, 0, NULL), after == 6 ? 1 : 0);
		kube_queue_free(q);
	}
}
END_TEST

/* 1, 2, 4, 8, 10, 10 s: at the last second of the back-off a fresh pod goes first,
 * a second later it does not. */
static const int64_t backoffs[] = {1, 2, 4, 8, 10, 10, 10};

static bool fresh_pod_goes_first(uint32_t attempts, int64_t seconds_after)
{
	struct kube_queue *q = kube_queue_new(PODS);
	simtime now = 0;
	uint32_t first;

	kube_queue_add(q, now, 0, 0, TRY);
	for (uint32_t i = 0; i < attempts; i++) {
		kube_queue_retry(q, now += 20 * S, ALL);
		fail_next(q, now, 0);
	}
	now += seconds_after * S;
	kube_queue_retry(q, now, ALL);
	kube_queue_add(q, now, 1, 0, TRY);
	first = pop(q, 0, NULL);
	kube_queue_free(q);
	return first == 1;
}

START_TEST(backoff_doubles_to_ten_seconds)
{
	uint32_t attempts = (uint32_t)_i + 1;

	ck_assert(fresh_pod_goes_first(attempts, backoffs[_i]));
	ck_assert(!fresh_pod_goes_first(attempts, backoffs[_i] + 1));
}
END_TEST

START_TEST(events_move_what_resources_rejected_up_to_a_priority)
{
	struct kube_queue *q = kube_queue_new(PODS);
	struct kube_ticket ticket;

	for (uint32_t pod = 0; pod < 3; pod++)
		kube_queue_add(q, 0, pod, 10 * (int32_t)pod, TRY);
	ck_assert_uint_eq(pop(q, 0, &ticket), 2);
	kube_queue_park(q, 0, &ticket, true, TRY);
	ck_assert_uint_eq(pop(q, 0, &ticket), 1);
	kube_queue_park(q, 0, &ticket, false, TRY); /* by a taint */
	ck_assert_uint_eq(pop(q, 0, &ticket), 0);
	kube_queue_park(q, 0, &ticket, true, TRY);
	kube_queue_retry(q, 50 * S, 10);
	ck_assert_uint_eq(pop(q, 0, NULL), 0);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	kube_queue_retry(q, 50 * S, ALL);
	ck_assert_uint_eq(pop(q, 0, NULL), 2);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	kube_queue_free(q);
}
END_TEST

/* Section 2.5: a pod that failed at 0 is flushed at 330, not at 300. */
START_TEST(flush_takes_everything_older_than_300_s)
{
	struct kube_queue *q = kube_queue_new(PODS);
	struct kube_ticket ticket;

	ck_assert_int_eq(kube_queue_next_flush(q), CLOCK_NEVER);
	kube_queue_add(q, 0, 0, 0, TRY);
	kube_queue_add(q, 0, 1, 0, TRY);
	ck_assert_uint_eq(pop(q, 0, &ticket), 0);
	kube_queue_park(q, 0, &ticket, false, TRY);
	ck_assert_uint_eq(pop(q, 0, &ticket), 1);
	kube_queue_park(q, 31 * S, &ticket, true, TRY);
	ck_assert_int_eq(kube_queue_next_flush(q), 330 * S);
	kube_queue_flush(q, 300 * S);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	kube_queue_flush(q, 330 * S);
	ck_assert_uint_eq(pop(q, 0, NULL), 0);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	ck_assert_int_eq(kube_queue_next_flush(q), 360 * S);
	kube_queue_free(q);
}
END_TEST

static bool is_even(void *context, uint32_t pod, uint64_t stamp, bool by_fit)
{
	(void)context;
	ck_assert_uint_eq(stamp, 6 + pod);
	ck_assert(by_fit);
	return pod % 2 == 0;
}

START_TEST(picked_pods_leave_their_run)
{
	struct kube_queue *q = kube_queue_new(PODS);

	for (uint32_t pod = 0; pod < 6; pod++)
		kube_queue_add(q, 0, pod, 0, TRY);
	for (uint32_t pod = 0; pod < 6; pod++)
		fail_next(q, 0, pod);
	kube_queue_retry_picked(q, 60 * S, is_even, NULL);
	for (uint32_t pod = 0; pod < 6; pod += 2)
		ck_assert_uint_eq(pop(q, 0, NULL), pod);
	ck_assert_uint_eq(pop(q, 0, NULL), UINT32_MAX);
	kube_queue_retry(q, 60 * S, ALL);
	for (uint32_t pod = 1; pod < 6; pod += 2)
		ck_assert_uint_eq(pop(q, 0, NULL), pod);
	kube_queue_free(q);
}
END_TEST

START_TEST(deleted_pods_do_not_come_again)
{
	struct kube_queue *q = kube_queue_new(PODS);

	for (uint32_t pod = 0; pod < 3; pod++)
		kube_queue_add(q, 0, pod, 0, TRY);
	ck_assert(kube_queue_drop(q, 1));
	ck_assert(!kube_queue_drop(q, 1));
	fail_next(q, 0, 0);
	ck_assert(kube_queue_drop(q, 0));
	ck_assert_uint_eq(pop(q, 0, NULL), 2);
	ck_assert_int_eq(kube_queue_next_flush(q), CLOCK_NEVER);
	kube_queue_free(q);
}
END_TEST

/* ---- against the rules written out, pod by pod ---- */

enum where { NOWHERE, IN_ACTIVE, IN_BACKOFF, PARKED, PARKED_STATIC };

struct model_pod {
	enum where where;
	int32_t priority;
	uint64_t stamp;
	simtime since, expiry;
	uint32_t attempts; /* as many as there were */
	bool tried;	   /* mark */
};

struct model {
	struct model_pod pods[PODS];
	uint64_t clock;
};

static bool earlier(const struct model_pod *a, const struct model_pod *b)
{
	if (a->where != b->where)
		return a->where == IN_ACTIVE;
	if (a->where == IN_BACKOFF && a->expiry != b->expiry)
		return a->expiry < b->expiry;
	return a->priority != b->priority ? a->priority > b->priority : a->stamp < b->stamp;
}

static uint32_t model_next(const struct model *m)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < PODS; i++) {
		if ((m->pods[i].where == IN_ACTIVE || m->pods[i].where == IN_BACKOFF) &&
		    (best == UINT32_MAX || earlier(&m->pods[i], &m->pods[best])))
			best = i;
	}
	return best;
}

static void model_fail(struct model *m, uint32_t pod, simtime now, bool fit)
{
	struct model_pod *p = &m->pods[pod];
	simtime backoff = p->attempts >= 4 ? 10 * S : S << p->attempts;

	p->attempts++;
	p->stamp = m->clock++;
	p->since = now;
	p->expiry = (now + backoff) / S * S;
	p->where = fit ? PARKED : PARKED_STATIC;
}

static void model_wake(struct model_pod *p, simtime now)
{
	p->where = p->expiry >= now / S * S ? IN_BACKOFF : IN_ACTIVE;
}

static void step(struct kube_queue *q, struct model *m, struct rng *rng, simtime now)
{
	uint32_t pod = (uint32_t)rng_below(rng, PODS), next;
	struct model_pod *p = &m->pods[pod];
	struct kube_ticket ticket;
	int32_t limit = 10 * (int32_t)rng_below(rng, 3);

	switch (rng_below(rng, 6)) {
	case 0:
	case 1:
		if (p->where != NOWHERE)
			break;
		*p = (struct model_pod){.where = IN_ACTIVE,
					.priority = 10 * (int32_t)rng_below(rng, 3),
					.stamp = m->clock++,
					.tried = rng_below(rng, 3) == 0};
		kube_queue_add(q, now, pod, p->priority, p->tried ? TRY : NEVER);
		break;
	case 2:
		ck_assert(kube_queue_drop(q, pod) == (p->where != NOWHERE));
		p->where = NOWHERE;
		break;
	case 3:
		kube_queue_retry(q, now, limit);
		for (uint32_t i = 0; i < PODS; i++) {
			if (m->pods[i].where == PARKED && m->pods[i].priority <= limit)
				model_wake(&m->pods[i], now);
		}
		break;
	case 4:
		kube_queue_flush(q, now);
		for (uint32_t i = 0; i < PODS; i++) {
			if (m->pods[i].where >= PARKED && now - m->pods[i].since > 300 * S)
				model_wake(&m->pods[i], now);
		}
		break;
	default:
		next = model_next(m);
		ck_assert(kube_queue_pop(q, now, &ticket) == (next != UINT32_MAX));
		if (next == UINT32_MAX)
			break;
		ck_assert_uint_eq(ticket.pod, next);
		ck_assert_int_eq(ticket.priority, m->pods[next].priority);
		if (rng_below(rng, 3) == 0) {
			m->pods[next].where = NOWHERE;
			break;
		}
		limit = rng_below(rng, 4) != 0;
		kube_queue_park(q, now, &ticket, limit != 0, m->pods[next].tried ? TRY : NEVER);
		model_fail(m, next, now, limit != 0);
	}
}

/* What fails untried, many at once, against one after the other. */
static void drain(struct kube_queue *q, struct model *m, simtime now)
{
	static const struct kube_queue_hopes hopes = {.wish = {.marks = TRY}};
	uint32_t failed = kube_queue_fail_unmarked(q, now, &hopes), next;

	for (; failed > 0; failed--) {
		next = model_next(m);
		ck_assert_uint_ne(next, UINT32_MAX);
		ck_assert(!m->pods[next].tried);
		model_fail(m, next, now, true);
	}
}

/* Where nothing is to be asked for or passed over, the exact answers say so, too. */
static void rest(struct kube_queue *q, struct rng *rng, simtime now)
{
	simtime until = now + (simtime)rng_below(rng, 700) * S;
	simtime flush_at = now + (simtime)rng_below(rng, 700) * S;

	if (!kube_queue_rests(q, now, until, flush_at))
		return;
	ck_assert_int_ge(kube_queue_next_flush(q), flush_at);
	ck_assert_uint_eq(kube_queue_pass(q, now, until, 0), 0);
}

START_TEST(random_against_the_rules)
{
	struct rng *rng = rng_new((uint64_t)_i + 1, "queue");
	struct kube_queue *q = kube_queue_new(PODS);
	struct model m = {.clock = 1};
	struct kube_ticket ticket;
	simtime now = 0;

	for (int i = 0; i < 400; i++) {
		step(q, &m, rng, now);
		if (rng_below(rng, 4) == 0)
			drain(q, &m, now);
		rest(q, rng, now);
		ck_assert_uint_eq(kube_queue_clock(q) + 1, m.clock);
		if (rng_below(rng, 5) == 0)
			now += (simtime)rng_below(rng, 5) * S / 2;
		if (rng_below(rng, 60) == 0)
			now += 301 * S;
	}
	kube_queue_retry(q, now, ALL);
	for (uint32_t i = 0; i < PODS; i++) {
		if (m.pods[i].where == PARKED)
			model_wake(&m.pods[i], now);
	}
	while (kube_queue_pop(q, now, &ticket)) {
		ck_assert_uint_eq(ticket.pod, model_next(&m));
		m.pods[ticket.pod].where = NOWHERE;
	}
	ck_assert_uint_eq(model_next(&m), UINT32_MAX);
	kube_queue_free(q);
	rng_free(rng);
}
END_TEST

/* Alone in a run, a parked pod can be called by itself; its neighbours stay. */
START_TEST(a_pod_parked_alone_is_called_alone)
{
	struct kube_queue *q = kube_queue_new(3);
	struct kube_ticket t;

	for (uint32_t pod = 0; pod < 3; pod++)
		kube_queue_add(q, 0, pod, 0, 1);
	for (uint32_t pod = 0; pod < 3; pod++) {
		ck_assert(kube_queue_pop(q, 0, &t));
		kube_queue_park_alone(q, 0, &t, false, 1);
	}
	kube_queue_retry_pod(q, 5 * CLOCK_SECOND, 1);
	ck_assert(kube_queue_pop(q, 0, &t));
	ck_assert_uint_eq(t.pod, 1);
	ck_assert_uint_eq(t.attempts, 1);
	kube_queue_retry_pod(q, 5 * CLOCK_SECOND, 1); /* it stands nowhere now */
	kube_queue_retry(q, 5 * CLOCK_SECOND, 0);     /* none was rejected by resources */
	ck_assert(!kube_queue_pop(q, 0, &t));
	kube_queue_flush(q, 330 * CLOCK_SECOND);
	ck_assert(kube_queue_pop(q, 0, &t));
	ck_assert_uint_eq(t.pod, 0);
	kube_queue_free(q);
}
END_TEST

/* The older pod backs off for 10 s, the younger for one: while both do, and once only the older
 * does, the younger comes first, and so it has the older timestamp once both failed again. */
START_TEST(those_that_fail_at_once_fail_in_their_turn)
{
	static const struct kube_queue_hopes none = {.wish = {.marks = NEVER}};
	struct kube_queue *q = kube_queue_new(PODS);
	simtime retry = _i == 0 ? 102 * S : 104 * S;

	kube_queue_add(q, 0, 0, 5, TRY);
	for (simtime at = 0; at <= 100 * S; at += 25 * S) {
		kube_queue_retry(q, at, ALL);
		fail_next(q, at, 0);
	}
	kube_queue_add(q, 101 * S, 1, 5, TRY);
	fail_next(q, 101 * S, 1);
	kube_queue_retry(q, retry, ALL);
	ck_assert_uint_eq(kube_queue_fail_unmarked(q, retry, &none), 2);
	ck_assert(kube_queue_idle(q));
	kube_queue_retry(q, 200 * S, ALL);
	ck_assert_uint_eq(pop(q, 200 * S, NULL), 1);
	ck_assert_uint_eq(pop(q, 200 * S, NULL), 0);
	kube_queue_free(q);
}
END_TEST

/* Two wait that nobody has hope for, the second of which backs off; the third comes while they
 * are woken, between the two, and is tried. */
START_TEST(who_comes_while_others_are_woken_has_its_turn)
{
	static const struct kube_queue_hopes hopes = {.wish = {.marks = TRY}};
	struct kube_queue *q = kube_queue_new(PODS);
	struct kube_ticket t;

	kube_queue_add(q, 0, 0, 5, NEVER);
	ck_assert(kube_queue_pop(q, 0, &t));
	kube_queue_park(q, 0, &t, true, NEVER);
	kube_queue_add(q, 10 * S, 1, 5, NEVER);
	ck_assert(kube_queue_pop(q, 10 * S, &t));
	kube_queue_park(q, 10 * S, &t, true, NEVER);
	kube_queue_retry(q, 10 * S, ALL);
	kube_queue_add(q, 10 * S, 2, 5, TRY);
	ck_assert_uint_eq(kube_queue_fail_unmarked(q, 10 * S, &hopes), 1);
	ck_assert(kube_queue_pop(q, 10 * S, &t));
	ck_assert_uint_eq(t.pod, 2);
	kube_queue_park(q, 10 * S, &t, true, TRY);
	ck_assert_uint_eq(kube_queue_fail_unmarked(q, 10 * S, &hopes), 1);
	ck_assert(kube_queue_idle(q));
	kube_queue_retry(q, 200 * S, ALL);
	ck_assert_uint_eq(pop(q, 200 * S, NULL), 0);
	ck_assert_uint_eq(pop(q, 200 * S, NULL), 2);
	ck_assert_uint_eq(pop(q, 200 * S, NULL), 1);
	kube_queue_free(q);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_queue");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_pod_parked_alone_is_called_alone);
	tcase_add_test(t, priority_then_age);
	tcase_add_test(t, who_comes_while_others_are_woken_has_its_turn);
	tcase_add_test(t, backoff_may_be_configured);
	tcase_add_loop_test(t, backoff_is_floored_and_inclusive, 0, 4);
	tcase_add_loop_test(t, backoff_doubles_to_ten_seconds, 0, 7);
	tcase_add_test(t, events_move_what_resources_rejected_up_to_a_priority);
	tcase_add_test(t, flush_takes_everything_older_than_300_s);
	tcase_add_test(t, picked_pods_leave_their_run);
	tcase_add_test(t, deleted_pods_do_not_come_again);
	tcase_add_loop_test(t, those_that_fail_at_once_fail_in_their_turn, 0, 2);
	tcase_add_loop_test(t, random_against_the_rules, 0, 200);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
