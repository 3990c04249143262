/* test_evq.c - Order, cancel and handle reuse of core/evq. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/evq.h"

/* One row: what goes in, in which order the subjects must come out. */
static const struct {
	const char *name;
	struct evq_event in[4];
	uint32_t out[4];
	uint32_t count;
} order_rows[] = {
	{"by time", {{.time = 2, .subject = 0}, {.time = 1, .subject = 1}}, {1, 0}, 2},
	{"tie: class first",
	 {{.time = 1, .class = 2, .subject = 0}, {.time = 1, .class = 1, .subject = 1}},
	 {1, 0},
	 2},
	{"tie: then FIFO",
	 {{.time = 1, .subject = 7}, {.time = 1, .subject = 3}, {.time = 1, .subject = 5}},
	 {7, 3, 5},
	 3},
	{"time before class",
	 {{.time = 2, .class = 0, .subject = 0}, {.time = 1, .class = 9, .subject = 1}},
	 {1, 0},
	 2},
	{"never is last",
	 {{.time = CLOCK_NEVER, .subject = 0}, {.time = CLOCK_NEVER - 1, .subject = 1}},
	 {1, 0},
	 2},
	{"kind and attempt do not order",
	 {{.time = 1, .kind = 9, .attempt = 9, .subject = 0}, {.time = 1, .subject = 1}},
	 {0, 1},
	 2},
};

START_TEST(order)
{
	struct evq *q = evq_new();
	struct evq_event e;

	for (uint32_t i = 0; i < order_rows[_i].count; i++)
		evq_push(q, &order_rows[_i].in[i]);
	for (uint32_t i = 0; i < order_rows[_i].count; i++) {
		ck_assert_msg(evq_pop(q, &e), "%s: empty early", order_rows[_i].name);
		ck_assert_msg(e.subject == order_rows[_i].out[i], "%s: place %u",
			      order_rows[_i].name, i);
		ck_assert_int_eq(evq_now(q), e.time);
	}
	ck_assert(!evq_pop(q, &e));
	evq_free(q);
}
END_TEST

START_TEST(event_comes_back_whole)
{
	const struct evq_event in = {.time = 5, .class = 1, .kind = 2, .subject = 3, .attempt = 4};
	struct evq *q = evq_new();
	struct evq_event out;

	ck_assert_int_eq(evq_now(q), 0);
	ck_assert(!evq_peek(q, &out));
	evq_push(q, &in);
	ck_assert(evq_peek(q, &out)); /* moves nothing */
	ck_assert_uint_eq(out.subject, in.subject);
	ck_assert_uint_eq(evq_count(q), 1);
	ck_assert_int_eq(evq_now(q), 0);
	out = (struct evq_event){0};
	ck_assert(evq_pop(q, &out));
	ck_assert_int_eq(out.time, in.time);
	ck_assert_uint_eq(out.class, in.class);
	ck_assert_uint_eq(out.kind, in.kind);
	ck_assert_uint_eq(out.subject, in.subject);
	ck_assert_uint_eq(out.attempt, in.attempt);
	evq_free(q);
	evq_free(NULL);
}
END_TEST

START_TEST(stale_handle_names_nothing)
{
	struct evq *q = evq_new();
	struct evq_event e;
	struct evq_handle old = evq_push(q, &(struct evq_event){.time = 1});
	struct evq_handle young;

	ck_assert(evq_pop(q, &e));
	ck_assert(!evq_cancel(q, old));
	young = evq_push(q, &(struct evq_event){.time = 2}); /* reuses the slot */
	ck_assert_uint_eq(young.slot, old.slot);
	ck_assert(!evq_cancel(q, old));
	ck_assert_uint_eq(evq_count(q), 1);
	ck_assert(evq_cancel(q, young));
	ck_assert(!evq_cancel(q, young));
	ck_assert(!evq_cancel(q, (struct evq_handle){0, 0}));
	ck_assert(!evq_cancel(q, (struct evq_handle){7, 1}));
	ck_assert_uint_eq(evq_count(q), 0);
	ck_assert(!evq_pop(q, &e));
	ck_assert_int_eq(evq_now(q), 1); /* a cancelled event moves no clock */
	evq_free(q);
}
END_TEST

/* Most of many events are cancelled, which takes them out of the heap: the others still come
 * in order, and handles still name what they named. */
START_TEST(most_are_cancelled)
{
	static struct evq_handle handles[1000];
	struct evq *q = evq_new();
	struct evq_event e;

	for (uint32_t i = 0; i < 1000; i++)
		handles[i] = evq_push(q, &(struct evq_event){.time = (i * 37) % 1000,
							     .subject = (i * 37) % 1000});
	for (uint32_t i = 0; i < 1000; i++) {
		if (i * 37 % 1000 % 10 != 3)
			ck_assert(evq_cancel(q, handles[i]));
	}
	ck_assert_uint_eq(evq_count(q), 100);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_int_eq(evq_when(q, handles[i]),
				 i * 37 % 1000 % 10 == 3 ? (simtime)(i * 37 % 1000) : CLOCK_NEVER);
	for (uint32_t i = 3; i < 1000; i += 10) {
		ck_assert_int_eq(evq_next(q), i);
		ck_assert(evq_pop(q, &e));
		ck_assert_uint_eq(e.subject, i);
	}
	ck_assert(!evq_pop(q, &e));
	evq_free(q);
}
END_TEST

/* The model: an unsorted list, the next event found by looking at all of them. */
struct model {
	struct evq_event event[4096]; /* subject is the sequence number */
	struct evq_handle handle[4096];
	bool live[4096];
	uint32_t count;
};

static bool model_next(const struct model *m, uint32_t *out)
{
	bool found = false;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct evq_event *a = &m->event[i];
		const struct evq_event *b = &m->event[*out];

		if (!m->live[i])
			continue;
		if (!found || a->time < b->time || (a->time == b->time && a->class < b->class))
			*out = i;
		found = true;
	}
	return found;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void step(struct evq *q, struct model *m, uint64_t *x, uint32_t *left, simtime unit)
{
	struct evq_event e = {0};
	uint32_t i = 0;

	switch (next_random(x) % 8) {
	case 0:
	case 1: /* any event, also one that has fired or was cancelled before */
		if (m->count == 0)
			break;
		i = (uint32_t)(next_random(x) % m->count);
		ck_assert_int_eq(evq_cancel(q, m->handle[i]), m->live[i]);
		*left -= m->live[i];
		m->live[i] = false;
		break;
	case 2:
	case 3:
	case 4:
		ck_assert_int_eq(evq_pop(q, &e), model_next(m, &i));
		if (*left == 0)
			break;
		ck_assert_uint_eq(e.subject, i);
		ck_assert_int_eq(evq_now(q), m->event[i].time);
		m->live[i] = false;
		--*left;
		break;
	default: /* few distinct times: mostly ties */
		e.time = evq_now(q) + (simtime)(next_random(x) % 4) * unit;
		e.class = (uint32_t)(next_random(x) % 3);
		e.subject = m->count;
		m->event[m->count] = e;
		m->handle[m->count] = evq_push(q, &e);
		m->live[m->count++] = true;
		++*left;
	}
	ck_assert_uint_eq(evq_count(q), *left);
}

/* How far apart events are: what is near and what is far off is kept apart. */
static const simtime units[] = {
	1, 400000, CLOCK_SECOND, 7 * CLOCK_MINUTE, 5 * CLOCK_HOUR, 3 * CLOCK_DAY};

/* Property: any mixture of push, pop and cancel gives what the model gives. */
START_TEST(random_against_model)
{
	struct evq *q = evq_new();
	struct model *m = calloc(1, sizeof(*m));
	uint64_t x = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct evq_event e;
	uint32_t left = 0, i = 0;

	ck_assert_ptr_nonnull(m);
	for (int n = 0; n < 1500; n++)
		step(q, m, &x, &left,
		     _i % 8 < 6 ? units[_i % 8] : units[next_random(&x) % 6] + n % 3);
	for (; model_next(m, &i); m->live[i] = false, i = 0) {
		ck_assert(evq_pop(q, &e));
		ck_assert_uint_eq(e.subject, i);
	}
	ck_assert(!evq_pop(q, &e));
	free(m);
	evq_free(q);
}
END_TEST

/* Pushes five events in the given order, cancels one of them, checks the rest. */
static void one_small_case(const uint32_t order_of[5], uint32_t victim)
{
	static const uint32_t times[] = {1, 2, 2, 3, 3};
	struct evq *q = evq_new();
	struct evq_handle handle[5];
	struct evq_event e;
	int64_t last = -1;
	int popped = 0;

	for (uint32_t i = 0; i < 5; i++)
		handle[i] =
			evq_push(q, &(struct evq_event){.time = times[order_of[i]], .subject = i});
	ck_assert(evq_cancel(q, handle[victim]));
	while (evq_pop(q, &e)) {
		ck_assert_uint_ne(e.subject, victim);
		ck_assert_int_lt(last, e.time * 5 + e.subject);
		last = e.time * 5 + e.subject;
		popped++;
	}
	ck_assert_int_eq(popped, 4);
	evq_free(q);
}

/* Every order of pushing five events of which some tie, and every one of them cancelled:
 * all small cases instead of random ones. */
START_TEST(all_small_cases)
{
	int orders = 0;

	for (int code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
		uint32_t order_of[5];
		uint32_t used = 0;

		for (int i = 0, digits = code; i < 5; i++, digits /= 5) {
			order_of[i] = (uint32_t)(digits % 5);
			used |= UINT32_C(1) << order_of[i];
		}
		if (used != 0x1f)
			continue; /* not a permutation */
		orders++;
		for (uint32_t victim = 0; victim < 5; victim++)
			one_small_case(order_of, victim);
	}
	ck_assert_int_eq(orders, 120);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/evq");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, order, 0, (int)(sizeof(order_rows) / sizeof(order_rows[0])));
	tcase_add_test(t, event_comes_back_whole);
	tcase_add_test(t, stale_handle_names_nothing);
	tcase_add_test(t, most_are_cancelled);
	tcase_add_loop_test(t, random_against_model, 0, 100);
	tcase_add_test(t, all_small_cases);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
