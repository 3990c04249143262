#include "sim/kube/kube_queue.h"

#include <assert.h>

#include "core/apart.h"
#include "core/mem.h"

#define NO_RUN	     UINT32_MAX
#define NO_POD	     LINE_NOBODY
#define WOKEN_MAX    4 /* runs that are woken late */
#define FLUSH_PERIOD (30 * CLOCK_SECOND)
#define FLUSH_AGE    (300 * CLOCK_SECOND)

/* Heaps first, lists after them. */
enum place { ACTIVE, BACKOFF, HEAPS, PARKED_FIT = HEAPS, PARKED_OTHER, PLACES };

struct run {
	simtime since;	/* time of the timestamps */
	uint64_t stamp; /* timestamp of the first pod */
	uint32_t line;
	int32_t priority;
	uint32_t prev, next; /* in a list; prev is the position in a heap */
	uint8_t attempts;
	uint8_t place;
	bool alone; /* one pod, and no other joins it */
};

struct list {
	uint32_t head, tail;
};

struct heap {
	uint32_t *runs;
	size_t capacity;
	uint32_t count;
};

/* A pod that came while no other could be tried: mostly it is tried next, and never stands
 * in a line. */
struct fresh {
	uint32_t pod; /* NO_POD: there is none */
	int32_t priority;
	uint64_t marks, stamp;
	simtime since;
};

/* The next run, while its pods are tried or failed in turn: those that failed stay where
 * they stand until all have, or until something else happens (settle). */
struct passage {
	uint32_t run;	 /* NO_RUN: none */
	uint32_t failed; /* of its line the first so many, ... */
	simtime since;	 /* ... at this time, ... */
	uint64_t stamp;	 /* ... with timestamps from this one on */
	uint32_t gone;	 /* left it meanwhile */
	uint32_t held;	 /* taken to be tried; what became of it is not known yet; NO_POD */
	uint32_t next;	 /* who stands behind those that failed; NO_POD: to be looked up */
};

struct kube_queue {
	struct kube_lines *lines;
	struct run *runs;
	size_t capacity;
	uint32_t count;
	uint32_t free; /* chained by next */
	struct heap heaps[HEAPS];
	struct list lists[PLACES]; /* of the parked ones, in order of timestamps */
	uint64_t clock;		   /* the next timestamp */
	uint32_t youngest;	   /* run with the last timestamp given; NO_RUN */
	struct fresh fresh;
	struct passage passage;
	/* The runs of PARKED_FIT, which are few, may be tried again, and no other waits in a heap:
	 * mostly all of them fail once more, so they stay where they are until that is known
	 * (wake_up). Then there is no passage. A fresh pod that comes besides has its turn before
	 * those that back off. */
	bool woken;
	simtime woken_at;
	simtime initial_backoff, max_backoff;
	uint32_t most_attempts; /* from here on the back-off is the longest */
};

void kube_queue_set_backoff(struct kube_queue *q, simtime initial, simtime max)
{
	q->initial_backoff = initial;
	q->max_backoff = max;
	q->most_attempts = 1;
	while (initial << (q->most_attempts - 1) < max)
		q->most_attempts++;
}

struct kube_queue *kube_queue_new(uint32_t pod_slots)
{
	struct kube_queue *q = mem_calloc(1, sizeof(*q));

	q->lines = kube_lines_new(pod_slots);
	q->free = q->youngest = q->passage.run = NO_RUN;
	q->fresh.pod = q->passage.held = q->passage.next = NO_POD;
	kube_queue_set_backoff(q, CLOCK_SECOND, 10 * CLOCK_SECOND);
	for (uint32_t i = 0; i < PLACES; i++)
		q->lists[i] = (struct list){NO_RUN, NO_RUN};
	return q;
}

void kube_queue_free(struct kube_queue *q)
{
	if (q == NULL)
		return;
	kube_lines_free(q->lines);
	for (uint32_t i = 0; i < HEAPS; i++)
		mem_free(q->heaps[i].runs);
	mem_free(q->runs);
	mem_free(q);
}

/* ---- order ---- */

/* PrioritySort; stamps are unique. */
static bool sorts_before(const struct run *a, const struct run *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->stamp < b->stamp;
}

/* Section 2.2: the d of the n-th failure. */
static simtime backoff_end(const struct kube_queue *q, const struct run *run)
{
	simtime backoff;

	if (run->attempts == 0)
		return -1;
	backoff = q->initial_backoff << (run->attempts - 1);
	return clock_add(run->since, backoff < q->max_backoff ? backoff : q->max_backoff);
}

/* And then the whole second that it ends in. */
static simtime expiry(const struct kube_queue *q, const struct run *run)
{
	return run->attempts == 0 ? -1 : clock_floor_second(backoff_end(q, run));
}

static bool goes_before(const struct kube_queue *q, enum place place, uint32_t x, uint32_t y)
{
	const struct run *a = &q->runs[x], *b = &q->runs[y];

	if (place == BACKOFF && expiry(q, a) != expiry(q, b))
		return expiry(q, a) < expiry(q, b);
	return sorts_before(a, b);
}

static void heap_put(struct kube_queue *q, enum place place, uint32_t at, uint32_t run)
{
	q->heaps[place].runs[at] = run;
	q->runs[run].prev = at;
}

static void sift_up(struct kube_queue *q, enum place place, uint32_t at)
{
	struct heap *h = &q->heaps[place];
	uint32_t run = h->runs[at];

	while (at > 0 && goes_before(q, place, run, h->runs[(at - 1) / 2])) {
		heap_put(q, place, at, h->runs[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(q, place, at, run);
}

static void sift_down(struct kube_queue *q, enum place place, uint32_t at)
{
	struct heap *h = &q->heaps[place];
	uint32_t run = h->runs[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= h->count)
			break;
		if (child + 1 < h->count &&
		    goes_before(q, place, h->runs[child + 1], h->runs[child]))
			child++;
		if (!goes_before(q, place, h->runs[child], run))
			break;
		heap_put(q, place, at, h->runs[child]);
		at = child;
	}
	heap_put(q, place, at, run);
}

static void heap_add(struct kube_queue *q, enum place place, uint32_t run)
{
	struct heap *h = &q->heaps[place];

	h->runs = mem_grow(h->runs, h->count + 1u, &h->capacity, sizeof(*h->runs));
	h->runs[h->count] = run;
	sift_up(q, place, h->count++);
}

static void heap_remove(struct kube_queue *q, enum place place, uint32_t run)
{
	struct heap *h = &q->heaps[place];
	uint32_t at = q->runs[run].prev;
	uint32_t last = h->runs[--h->count];

	if (last == run)
		return;
	heap_put(q, place, at, last);
	sift_up(q, place, at);
	sift_down(q, place, q->runs[last].prev);
}

/* ---- runs in their places ---- */

static void add_last(struct kube_queue *q, struct list *list, uint32_t run)
{
	q->runs[run].prev = list->tail;
	q->runs[run].next = NO_RUN;
	if (list->tail == NO_RUN)
		list->head = run;
	else
		q->runs[list->tail].next = run;
	list->tail = run;
}

static void unlink_run(struct kube_queue *q, enum place place, uint32_t run)
{
	struct list *list = &q->lists[place];
	struct run *r = &q->runs[run];

	if (r->prev == NO_RUN)
		list->head = r->next;
	else
		q->runs[r->prev].next = r->next;
	if (r->next == NO_RUN)
		list->tail = r->prev;
	else
		q->runs[r->next].prev = r->prev;
}

static void put_in(struct kube_queue *q, enum place place, uint32_t run)
{
	struct list *list = &q->lists[place];

	q->runs[run].place = (uint8_t)place;
	if (place < HEAPS)
		heap_add(q, place, run);
	else
		add_last(q, list, run);
}

static void take_from(struct kube_queue *q, uint32_t run)
{
	enum place place = q->runs[run].place;

	if (place < HEAPS)
		heap_remove(q, place, run);
	else
		unlink_run(q, place, run);
}

/* Not in any place yet. */
static uint32_t new_run(struct kube_queue *q, const struct run *values)
{
	uint32_t run = q->free;

	if (run != NO_RUN) {
		assert(q->runs != NULL);
		q->free = q->runs[run].next;
	} else {
		q->runs = mem_grow(q->runs, q->count + 1u, &q->capacity, sizeof(*q->runs));
		run = q->count++;
	}
	q->runs[run] = *values;
	kube_line_set_owner(q->lines, values->line, run);
	return run;
}

static void end_run(struct kube_queue *q, uint32_t run)
{
	if (q->youngest == run)
		q->youngest = NO_RUN;
	q->runs[run].next = q->free;
	q->free = run;
}

/* The run keeps this line, or ends with an empty one. */
static void keep_line(struct kube_queue *q, uint32_t run, uint32_t line)
{
	q->runs[run].line = line;
	if (line != LINE_EMPTY) {
		kube_line_set_owner(q->lines, line, run);
		return;
	}
	take_from(q, run);
	end_run(q, run);
}

/* Gives the pods of values->line the next timestamps. */
static void stamp(struct kube_queue *q, struct run *values)
{
	values->stamp = q->clock;
	q->clock += kube_line_length(q->lines, values->line);
}

/* Puts them behind the youngest run if that differs in nothing, so that it stays one run with
 * consecutive timestamps. False: it differs. */
static bool join_youngest(struct kube_queue *q, enum place place, const struct run *values)
{
	const struct run *y = &q->runs[q->youngest];

	if (q->youngest == NO_RUN || y->since != values->since || y->attempts != values->attempts ||
	    y->place != place || y->priority != values->priority || y->alone || values->alone)
		return false;
	keep_line(q, q->youngest, kube_line_join(q->lines, y->line, values->line));
	return true;
}

/* The pods of values->line, which have their timestamps, come to the place. */
static void enter_stamped(struct kube_queue *q, enum place place, const struct run *values)
{
	if (join_youngest(q, place, values))
		return;
	q->youngest = new_run(q, values);
	put_in(q, place, q->youngest);
}

static void enter(struct kube_queue *q, enum place place, struct run *values)
{
	stamp(q, values);
	enter_stamped(q, place, values);
}

/* ---- the passage ---- */

/* Its pods fail once more, from this timestamp on. */
static void fail_run(const struct kube_queue *q, struct run *run, simtime now, uint64_t first)
{
	if (run->attempts < q->most_attempts)
		run->attempts++;
	run->since = now;
	run->stamp = first;
	run->alone = false;
}

/* The pods of a line that failed so often before. */
static struct run failed_run(const struct kube_queue *q, simtime now, uint32_t line,
			     const struct kube_ticket *ticket)
{
	struct run run = {
		.line = line, .priority = ticket->priority, .attempts = (uint8_t)ticket->attempts};

	fail_run(q, &run, now, 0);
	return run;
}

/* All that is left of it failed: the run goes as it is. */
static void pass_whole(struct kube_queue *q)
{
	const struct passage *p = &q->passage;
	uint32_t run = p->run;

	take_from(q, run);
	if (q->youngest == run)
		q->youngest = NO_RUN;
	fail_run(q, &q->runs[run], p->since, p->stamp);
	q->passage.run = NO_RUN;
	if (join_youngest(q, PARKED_FIT, &q->runs[run])) {
		end_run(q, run);
		return;
	}
	q->youngest = run;
	put_in(q, PARKED_FIT, run);
}

/* The next n of the run in passage fail, in their order. */
static void pass(struct kube_queue *q, uint32_t n)
{
	struct passage *p = &q->passage;

	if (p->failed == 0)
		p->stamp = q->clock;
	q->clock += n;
	p->failed += n;
	p->next = NO_POD;
	if (p->failed == kube_line_length(q->lines, q->runs[p->run].line))
		pass_whole(q);
}

/* The pod that was held has left: it did not come back. */
static APART void let_held_go(struct kube_queue *q)
{
	struct passage *p = &q->passage;
	uint32_t run = p->run, line = kube_line_leave(q->lines, p->held);

	p->held = NO_POD;
	p->gone++;
	if (line == LINE_EMPTY)
		p->run = NO_RUN;
	keep_line(q, run, line);
	if (p->failed != 0 && p->failed == kube_line_length(q->lines, line))
		pass_whole(q);
}

static inline void let_go(struct kube_queue *q)
{
	if (q->passage.held != NO_POD)
		let_held_go(q);
}

/* The pod that came last gets a line and a run after all. */
static APART void line_fresh_up(struct kube_queue *q)
{
	const struct fresh *f = &q->fresh;
	struct run values = {.since = f->since,
			     .stamp = f->stamp,
			     .priority = f->priority,
			     .line = kube_line_make(q->lines, f->pod, f->marks)};

	uint32_t run;

	q->fresh.pod = NO_POD;
	run = new_run(q, &values);
	put_in(q, ACTIVE, run);
	/* Those that were woken may have failed meanwhile. */
	q->youngest = q->clock == values.stamp + 1 ? run : NO_RUN;
}

/* The first timestamp of those that are left is then theirs + what left before them, which
 * keeps their place among the others. */
static APART void break_off(struct kube_queue *q)
{
	const struct passage p = q->passage;
	struct run failed = q->runs[p.run];
	uint32_t back;

	q->passage.run = NO_RUN;
	q->runs[p.run].stamp += p.failed + p.gone;
	if (p.failed == 0)
		return;
	kube_line_split(q->lines, failed.line, p.failed, &failed.line, &back);
	keep_line(q, p.run, back);
	fail_run(q, &failed, p.since, p.stamp);
	enter_stamped(q, PARKED_FIT, &failed);
}

static inline void end_passage(struct kube_queue *q)
{
	let_go(q);
	if (q->passage.run != NO_RUN)
		break_off(q);
}

/* Section 2.3; both sides are whole seconds, and the comparison is >=, so that it comes to the
 * same if one is not cut. */
static enum place wakes_in(const struct kube_queue *q, const struct run *r, simtime now)
{
	return backoff_end(q, r) >= clock_floor_second(now) ? BACKOFF : ACTIVE;
}

static void wake(struct kube_queue *q, simtime now, uint32_t run)
{
	take_from(q, run);
	put_in(q, wakes_in(q, &q->runs[run], now), run);
}

static APART void wake_up(struct kube_queue *q)
{
	uint32_t next;

	q->woken = false;
	for (uint32_t run = q->lists[PARKED_FIT].head; run != NO_RUN; run = next) {
		next = q->runs[run].next;
		wake(q, q->woken_at, run);
	}
}

static APART void settle_now(struct kube_queue *q)
{
	end_passage(q);
	if (q->fresh.pod != NO_POD)
		line_fresh_up(q);
	if (q->woken)
		wake_up(q);
}

/* A pod that is held is one of the run in passage. */
static inline bool is_settled(const struct kube_queue *q)
{
	return q->passage.run == NO_RUN && q->fresh.pod == NO_POD && !q->woken;
}

/* All stands as it would without a passage, a fresh pod and a run that is woken late. */
static inline void settle(struct kube_queue *q)
{
	if (!is_settled(q))
		settle_now(q);
}

/* ---- pods come, are tried, fail ---- */

static bool no_heaps(const struct kube_queue *q)
{
	return q->heaps[ACTIVE].count == 0 && q->heaps[BACKOFF].count == 0;
}

static bool no_runs(const struct kube_queue *q)
{
	return no_heaps(q) && !q->woken;
}

/* Nothing is to be settled for a pod that comes, but those that are woken now. */
static bool may_be_fresh(const struct kube_queue *q, simtime now)
{
	return q->fresh.pod == NO_POD && q->passage.run == NO_RUN && no_heaps(q) &&
	       (!q->woken || q->woken_at == now);
}

void kube_queue_add(struct kube_queue *q, simtime now, uint32_t pod, int32_t priority,
		    uint64_t marks)
{
	struct run values = {.since = now, .priority = priority};

	if (!may_be_fresh(q, now))
		settle(q);
	if (no_heaps(q)) {
		q->fresh = (struct fresh){.pod = pod,
					  .priority = priority,
					  .marks = marks,
					  .stamp = q->clock++,
					  .since = now};
		q->youngest = NO_RUN;
		return;
	}
	values.line = kube_line_make(q->lines, pod, marks);
	enter(q, ACTIVE, &values);
}

bool kube_queue_drop(struct kube_queue *q, uint32_t pod)
{
	uint32_t run;

	if (q->fresh.pod == pod) {
		q->fresh.pod = NO_POD;
		return true;
	}
	settle(q);
	if (!kube_line_stands(q->lines, pod))
		return false;
	run = kube_line_owner(q->lines, pod);
	keep_line(q, run, kube_line_leave(q->lines, pod));
	return true;
}

/* Of a run that is woken: has it its turn before the fresh pod, which is older than none of
 * them? */
static bool comes_before_fresh(const struct kube_queue *q, uint32_t run)
{
	return q->runs[run].priority >= q->fresh.priority &&
	       wakes_in(q, &q->runs[run], q->woken_at) == ACTIVE;
}

static uint32_t next_run(const struct kube_queue *q)
{
	for (uint32_t place = ACTIVE; place < HEAPS; place++) {
		if (q->heaps[place].count != 0)
			return q->heaps[place].runs[0];
	}
	return NO_RUN;
}

bool kube_queue_passes(const struct kube_queue *q)
{
	return q->passage.run != NO_RUN;
}

bool kube_queue_idle(struct kube_queue *q)
{
	let_go(q);
	return q->fresh.pod == NO_POD && no_runs(q);
}

/* The next run, in passage now; NO_RUN: there is none. */
static uint32_t begin_passage(struct kube_queue *q, simtime now)
{
	struct passage *p = &q->passage;

	let_go(q);
	if (p->run == NO_RUN && no_runs(q))
		return NO_RUN;
	if (p->run != NO_RUN && p->since == now)
		return p->run;
	end_passage(q);
	if (q->woken)
		wake_up(q);
	*p = (struct passage){.run = next_run(q), .since = now, .held = NO_POD, .next = NO_POD};
	return p->run;
}

/* Of the runs that are woken beside a fresh pod: those that have their turn before it. */
static uint32_t count_before_fresh(const struct kube_queue *q, uint32_t *all)
{
	uint32_t count = 0;

	*all = 0;
	for (uint32_t run = q->lists[PARKED_FIT].head; run != NO_RUN; run = q->runs[run].next) {
		count += comes_before_fresh(q, run);
		++*all;
	}
	return count;
}

static bool fresh_is_next(const struct kube_queue *q)
{
	uint32_t all;

	return q->fresh.pod != NO_POD && (!q->woken || count_before_fresh(q, &all) == 0);
}

bool kube_queue_pop(struct kube_queue *q, simtime now, struct kube_ticket *out)
{
	const struct run *run;

	if (q->fresh.pod != NO_POD && !fresh_is_next(q))
		settle_now(q);
	if (q->fresh.pod != NO_POD) {
		*out = (struct kube_ticket){.pod = q->fresh.pod, .priority = q->fresh.priority};
		q->fresh.pod = NO_POD;
		return true;
	}
	if (begin_passage(q, now) == NO_RUN)
		return false;
	run = &q->runs[q->passage.run];
	out->pod = q->passage.next != NO_POD ? q->passage.next
					     : kube_line_at(q->lines, run->line, q->passage.failed);
	q->passage.next = NO_POD;
	out->priority = run->priority;
	out->attempts = run->attempts;
	q->passage.held = out->pod;
	return true;
}

static bool is_hopeful(const struct fresh *fresh, const struct kube_queue_hopes *hopes)
{
	const struct kube_line_wish *wish = &hopes->wish;

	return (fresh->marks & wish->marks) != 0 &&
	       (wish->means == NULL || wish->means(wish->context, fresh->pod, fresh->marks));
}

/* A pod that fails as those of its run did that failed before it stays where it stands. */
static bool stays(const struct kube_queue *q, simtime now, uint32_t pod, bool by_fit)
{
	return by_fit && q->passage.held == pod && q->passage.since == now;
}

void kube_queue_park(struct kube_queue *q, simtime now, const struct kube_ticket *ticket,
		     bool by_fit, uint64_t marks)
{
	struct run values;

	if (stays(q, now, ticket->pod, by_fit)) {
		q->passage.held = NO_POD;
		kube_line_mark(q->lines, ticket->pod, marks);
		pass(q, 1);
		return;
	}
	settle(q);
	values = failed_run(q, now, kube_line_make(q->lines, ticket->pod, marks), ticket);
	enter(q, by_fit ? PARKED_FIT : PARKED_OTHER, &values);
}

void kube_queue_park_alone(struct kube_queue *q, simtime now, const struct kube_ticket *ticket,
			   bool by_fit, uint64_t marks)
{
	struct run values;

	settle(q);
	values = failed_run(q, now, kube_line_make(q->lines, ticket->pod, marks), ticket);
	values.alone = true;
	enter(q, by_fit ? PARKED_FIT : PARKED_OTHER, &values);
}

/* It is the next pod, and stands nowhere. Returns how many failed. */
static uint32_t fail_fresh(struct kube_queue *q, simtime now, const struct kube_queue_hopes *hopes)
{
	const struct fresh f = q->fresh;

	if (is_hopeful(&f, hopes))
		return 0;
	q->fresh.pod = NO_POD;
	if (hopes->visit != NULL)
		hopes->visit(hopes->wish.context, f.pod);
	kube_queue_park(q, now, &(struct kube_ticket){.pod = f.pod, .priority = f.priority}, true,
			f.marks);
	return 1;
}

/* Is there hope for none of those that are woken? */
static bool all_hopeless(const struct kube_queue *q, const struct kube_queue_hopes *hopes)
{
	for (uint32_t run = q->lists[PARKED_FIT].head; run != NO_RUN; run = q->runs[run].next) {
		if (kube_line_find(q->lines, q->runs[run].line, 0, &hopes->wish).pod != NO_POD)
			return false;
	}
	return true;
}

/* Would its pods be tried before those of another? */
static bool wakes_before(const struct kube_queue *q, uint32_t x, uint32_t y)
{
	enum place place = wakes_in(q, &q->runs[x], q->woken_at);
	enum place other = wakes_in(q, &q->runs[y], q->woken_at);

	return place != other ? place < other : goes_before(q, place, x, y);
}

static uint32_t first_woken(const struct kube_queue *q)
{
	uint32_t first = q->lists[PARKED_FIT].head;

	for (uint32_t run = q->runs[first].next; run != NO_RUN; run = q->runs[run].next)
		first = wakes_before(q, run, first) ? run : first;
	return first;
}

/* The fresh pod, whose turn it is, fails and joins those that failed before it. */
static void fail_fresh_in_turn(struct kube_queue *q, simtime now, struct list *failed)
{
	struct kube_ticket ticket = {.pod = q->fresh.pod, .priority = q->fresh.priority};
	struct run values =
		failed_run(q, now, kube_line_make(q->lines, ticket.pod, q->fresh.marks), &ticket);

	q->fresh.pod = NO_POD;
	stamp(q, &values);
	values.place = PARKED_FIT;
	if (join_youngest(q, PARKED_FIT, &values))
		return;
	q->youngest = new_run(q, &values);
	add_last(q, failed, q->youngest);
}

/* Fails all that is woken, which stays parked: what pass_whole does with each run in turn; and,
 * if it is to, the fresh pod in its own. */
static APART uint32_t fail_all_woken(struct kube_queue *q, simtime now, bool with_fresh)
{
	struct list failed = {NO_RUN, NO_RUN};
	uint32_t count = with_fresh;

	q->youngest = NO_RUN;
	while (q->lists[PARKED_FIT].head != NO_RUN) {
		uint32_t run = first_woken(q),
			 length = kube_line_length(q->lines, q->runs[run].line);

		if (with_fresh && q->fresh.pod != NO_POD && !comes_before_fresh(q, run))
			fail_fresh_in_turn(q, now, &failed);
		unlink_run(q, PARKED_FIT, run);
		fail_run(q, &q->runs[run], now, q->clock);
		q->clock += length;
		count += length;
		if (join_youngest(q, PARKED_FIT, &q->runs[run])) {
			end_run(q, run);
			continue;
		}
		q->youngest = run;
		add_last(q, &failed, run);
	}
	if (with_fresh && q->fresh.pod != NO_POD)
		fail_fresh_in_turn(q, now, &failed);
	q->lists[PARKED_FIT] = failed;
	q->woken = false;
	return count;
}

/* Mostly they are one run, which stays where it is. */
static uint32_t fail_woken(struct kube_queue *q, simtime now, bool with_fresh)
{
	struct list *woken = &q->lists[PARKED_FIT];
	uint32_t length;

	if (with_fresh || woken->head != woken->tail)
		return fail_all_woken(q, now, with_fresh);
	length = kube_line_length(q->lines, q->runs[woken->head].line);
	fail_run(q, &q->runs[woken->head], now, q->clock);
	q->clock += length;
	q->youngest = woken->head;
	q->woken = false;
	return length;
}

/* A pod came while others are woken. True: who has his turn before the next one there is hope
 * for failed, so many; else all of them stand in the heaps now. */
static APART bool fail_beside_fresh(struct kube_queue *q, simtime now,
				    const struct kube_queue_hopes *hopes, uint32_t *count)
{
	bool hope = is_hopeful(&q->fresh, hopes);
	uint32_t all, before = count_before_fresh(q, &all);

	*count = 0;
	if (before == 0 && hope)
		return true;
	if (hopes->visit == NULL && (before == all || !hope) && all_hopeless(q, hopes)) {
		*count = fail_woken(q, now, !hope);
		return true;
	}
	settle_now(q);
	return false;
}

uint32_t kube_queue_fail_unmarked(struct kube_queue *q, simtime now,
				  const struct kube_queue_hopes *hopes)
{
	struct kube_line_found next;
	struct kube_line_part part;
	uint32_t run, line, count;

	if (q->fresh.pod != NO_POD && !q->woken)
		return fail_fresh(q, now, hopes);
	if (q->fresh.pod != NO_POD && fail_beside_fresh(q, now, hopes, &count))
		return count;
	if (q->woken && hopes->visit == NULL && all_hopeless(q, hopes))
		return fail_woken(q, now, false);
	run = begin_passage(q, now);
	if (run == NO_RUN)
		return 0;
	line = q->runs[run].line;
	part.first = q->passage.failed;
	next = kube_line_find(q->lines, line, part.first, &hopes->wish);
	part.count = next.before - part.first;
	if (hopes->visit != NULL && part.count != 0)
		kube_line_each(q->lines, line, &part, hopes->visit, hopes->wish.context);
	if (part.count != 0)
		pass(q, part.count);
	q->passage.next = next.pod;
	return part.count;
}

/* ---- events ---- */

void kube_queue_retry_pod(struct kube_queue *q, simtime now, uint32_t pod)
{
	uint32_t run;

	settle(q);
	if (!kube_line_stands(q->lines, pod))
		return;
	run = kube_line_owner(q->lines, pod);
	if (q->runs[run].alone && q->runs[run].place >= HEAPS)
		wake(q, now, run);
}

/* Do a few runs wait for this, all of them, and is there nothing else that could be tried? */
static bool wakes_few(const struct kube_queue *q, int32_t max_priority)
{
	uint32_t run = q->lists[PARKED_FIT].head, count = 0;

	if (run == NO_RUN || !no_runs(q))
		return false;
	for (; run != NO_RUN && count < WOKEN_MAX; run = q->runs[run].next, count++) {
		if (q->runs[run].priority > max_priority)
			return false;
	}
	return run == NO_RUN;
}

static APART void retry_each(struct kube_queue *q, simtime now, int32_t max_priority)
{
	uint32_t next;

	settle(q);
	for (uint32_t run = q->lists[PARKED_FIT].head; run != NO_RUN; run = next) {
		next = q->runs[run].next;
		if (q->runs[run].priority <= max_priority)
			wake(q, now, run);
	}
}

void kube_queue_retry(struct kube_queue *q, simtime now, int32_t max_priority)
{
	if (q->woken && q->woken_at == now)
		return; /* all are */
	if (!is_settled(q) || !wakes_few(q, max_priority)) {
		retry_each(q, now, max_priority);
		return;
	}
	q->woken = true;
	q->woken_at = now;
}

/* Takes a parked run apart into runs of one pod each, so that some can move. */
static void retry_in_run(struct kube_queue *q, simtime now, uint32_t run, kube_queue_pick *pick,
			 void *context)
{
	enum place place = q->runs[run].place;
	struct run one = q->runs[run];

	if (q->youngest == run)
		q->youngest = NO_RUN;
	while (one.line != LINE_EMPTY) {
		uint32_t rest, single;
		bool picked;

		kube_line_split(q->lines, one.line, 1, &one.line, &rest);
		picked = pick(context, kube_line_at(q->lines, one.line, 0), one.stamp,
			      place == PARKED_FIT);
		single = new_run(q, &one);
		put_in(q, picked ? wakes_in(q, &one, now) : place, single);
		one.line = rest;
		one.stamp++;
	}
}

void kube_queue_retry_picked(struct kube_queue *q, simtime now, kube_queue_pick *pick,
			     void *context)
{
	settle(q);
	for (enum place place = PARKED_FIT; place < PLACES; place++) {
		uint32_t run = q->lists[place].head, next;

		/* The list is rebuilt behind the runs that it had. */
		q->lists[place] = (struct list){NO_RUN, NO_RUN};
		for (; run != NO_RUN; run = next) {
			next = q->runs[run].next;
			retry_in_run(q, now, run, pick, context);
			end_run(q, run);
		}
	}
}

/* ---- flush ---- */

/* When the oldest of those that are parked failed. */
static simtime oldest_failure(const struct kube_queue *q)
{
	simtime oldest = CLOCK_NEVER;

	for (uint32_t place = PARKED_FIT; place < PLACES; place++) {
		uint32_t head = q->lists[place].head;

		if (head != NO_RUN && q->runs[head].since < oldest)
			oldest = q->runs[head].since;
	}
	return oldest;
}

simtime kube_queue_next_flush(struct kube_queue *q)
{
	simtime oldest;

	settle(q);
	oldest = oldest_failure(q);
	if (oldest == CLOCK_NEVER)
		return CLOCK_NEVER;
	return ((oldest + FLUSH_AGE) / FLUSH_PERIOD + 1) * FLUSH_PERIOD;
}

void kube_queue_flush(struct kube_queue *q, simtime now)
{
	settle(q);
	for (uint32_t place = PARKED_FIT; place < PLACES; place++) {
		uint32_t run;

		while ((run = q->lists[place].head) != NO_RUN &&
		       now - q->runs[run].since > FLUSH_AGE)
			wake(q, now, run);
	}
}

bool kube_queue_rests(const struct kube_queue *q, simtime now, simtime until, simtime flush_at)
{
	simtime oldest = oldest_failure(q);

	return is_settled(q) && (oldest == CLOCK_NEVER ||
				 (flush_at - oldest <= FLUSH_AGE && until - now <= FLUSH_AGE));
}

uint64_t kube_queue_clock(const struct kube_queue *q)
{
	return q->clock;
}

/* Of a queue without a passage. */
static bool steady(const struct kube_queue *q, uint64_t stamp)
{
	if (q->fresh.pod != NO_POD || !no_runs(q))
		return false;
	for (enum place place = PARKED_FIT; place < PLACES; place++) {
		for (uint32_t run = q->lists[place].head; run != NO_RUN; run = q->runs[run].next) {
			const struct run *r = &q->runs[run];

			if (r->stamp < stamp || r->attempts != q->most_attempts ||
			    r->since % FLUSH_PERIOD != 0)
				return false;
		}
	}
	return true;
}

uint64_t kube_queue_pass(struct kube_queue *q, simtime now, simtime until, uint64_t stamp)
{
	const simtime period = FLUSH_AGE + FLUSH_PERIOD;
	simtime rounds = (until - 1 - now) / period;
	uint64_t pods = 0;

	settle(q);
	if (until == CLOCK_NEVER || rounds < 1 || !steady(q, stamp))
		return 0;
	for (enum place place = PARKED_FIT; place < PLACES; place++) {
		for (uint32_t run = q->lists[place].head; run != NO_RUN; run = q->runs[run].next) {
			q->runs[run].since += rounds * period;

			pods += kube_line_length(q->lines, q->runs[run].line);
		}
	}
	return pods * (uint64_t)rounds;
}
