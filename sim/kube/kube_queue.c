#include "sim/kube/kube_queue.h"

#include <assert.h>

#include "core/mem.h"

#define NO_RUN	     UINT32_MAX
#define FLUSH_PERIOD (30 * CLOCK_SECOND)
#define FLUSH_AGE    (300 * CLOCK_SECOND)

/* Heaps first, lists after them. */
enum place { ACTIVE, BACKOFF, HEAPS, PARKED_FIT = HEAPS, PARKED_OTHER, PLACES };

struct run {
	simtime since;	/* time of the timestamps */
	simtime expiry; /* of the back-off */
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
	q->free = q->youngest = NO_RUN;
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

static bool goes_before(const struct kube_queue *q, enum place place, uint32_t x, uint32_t y)
{
	const struct run *a = &q->runs[x], *b = &q->runs[y];

	if (place == BACKOFF && a->expiry != b->expiry)
		return a->expiry < b->expiry;
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

static void append(struct kube_queue *q, enum place place, uint32_t run)
{
	struct list *list = &q->lists[place];

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
	q->runs[run].place = (uint8_t)place;
	if (place < HEAPS)
		heap_add(q, place, run);
	else
		append(q, place, run);
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

/* The pods of values->line come to the place. */
static void enter(struct kube_queue *q, enum place place, struct run *values)
{
	stamp(q, values);
	if (join_youngest(q, place, values))
		return;
	q->youngest = new_run(q, values);
	put_in(q, place, q->youngest);
}

/* ---- pods come, are tried, fail ---- */

void kube_queue_add(struct kube_queue *q, simtime now, uint32_t pod, int32_t priority,
		    uint64_t marks)
{
	struct run values = {.since = now,
			     .expiry = -1,
			     .priority = priority,
			     .line = kube_line_make(q->lines, pod, marks)};

	enter(q, ACTIVE, &values);
}

bool kube_queue_drop(struct kube_queue *q, uint32_t pod)
{
	uint32_t run;

	if (!kube_line_stands(q->lines, pod))
		return false;
	run = kube_line_owner(q->lines, pod);
	keep_line(q, run, kube_line_leave(q->lines, pod));
	return true;
}

static uint32_t next_run(const struct kube_queue *q)
{
	for (uint32_t place = ACTIVE; place < HEAPS; place++) {
		if (q->heaps[place].count != 0)
			return q->heaps[place].runs[0];
	}
	return NO_RUN;
}

bool kube_queue_idle(const struct kube_queue *q)
{
	return q->heaps[ACTIVE].count == 0 && q->heaps[BACKOFF].count == 0;
}

/* The first n pods of a run leave it; its first timestamp is then theirs + n,
 * which keeps its place among the others. */
static uint32_t cut(struct kube_queue *q, uint32_t run, uint32_t n)
{
	uint32_t front, back;

	kube_line_split(q->lines, q->runs[run].line, n, &front, &back);
	q->runs[run].stamp += n;
	keep_line(q, run, back);
	return front;
}

bool kube_queue_pop(struct kube_queue *q, struct kube_ticket *out)
{
	uint32_t run = next_run(q);

	if (run == NO_RUN)
		return false;
	out->pod = kube_line_first(q->lines, q->runs[run].line);
	out->priority = q->runs[run].priority;
	out->attempts = q->runs[run].attempts;
	q->runs[run].stamp++;
	keep_line(q, run, kube_line_leave(q->lines, out->pod));
	return true;
}

/* Section 2.2: the d of the n-th failure, then the whole second it ends in. */
static simtime expiry(const struct kube_queue *q, simtime now, uint32_t attempts)
{
	simtime backoff = q->initial_backoff << (attempts - 1);

	if (backoff > q->max_backoff)
		backoff = q->max_backoff;
	return clock_floor_second(clock_add(now, backoff));
}

/* The pods of a line that failed so often before. */
static struct run failed_run(const struct kube_queue *q, simtime now, uint32_t line,
			     int32_t priority, uint32_t attempts)
{
	uint32_t failed = attempts < q->most_attempts ? attempts + 1 : q->most_attempts;

	return (struct run){.since = now,
			    .expiry = expiry(q, now, failed),
			    .priority = priority,
			    .attempts = (uint8_t)failed,
			    .line = line};
}

/* All of the run fails: it goes as it is. */
static void fail_run(struct kube_queue *q, uint32_t run, const struct run *failed)
{
	take_from(q, run);
	if (q->youngest == run)
		q->youngest = NO_RUN;
	q->runs[run] = *failed;
	stamp(q, &q->runs[run]);
	if (join_youngest(q, PARKED_FIT, &q->runs[run])) {
		end_run(q, run);
		return;
	}
	q->youngest = run;
	put_in(q, PARKED_FIT, run);
}

uint32_t kube_queue_fail_unmarked(struct kube_queue *q, simtime now,
				  const struct kube_queue_hopes *hopes)
{
	uint32_t run = next_run(q), line, n;
	struct run failed;
	bool all;

	if (run == NO_RUN)
		return 0;
	line = q->runs[run].line;
	n = kube_line_before(q->lines, line, hopes->marks, hopes->means, hopes->context);
	if (n == 0)
		return 0;
	failed = failed_run(q, now, line, q->runs[run].priority, q->runs[run].attempts);
	all = n == kube_line_length(q->lines, line);
	if (!all)
		failed.line = cut(q, run, n);
	if (hopes->visit != NULL)
		kube_line_each(q->lines, failed.line, hopes->visit, hopes->context);
	if (all)
		fail_run(q, run, &failed);
	else
		enter(q, PARKED_FIT, &failed);
	return n;
}

void kube_queue_park(struct kube_queue *q, simtime now, const struct kube_ticket *ticket,
		     bool by_fit, uint64_t marks)
{
	struct run values = failed_run(q, now, kube_line_make(q->lines, ticket->pod, marks),
				       ticket->priority, ticket->attempts);

	enter(q, by_fit ? PARKED_FIT : PARKED_OTHER, &values);
}

void kube_queue_park_alone(struct kube_queue *q, simtime now, const struct kube_ticket *ticket,
			   bool by_fit, uint64_t marks)
{
	struct run values = failed_run(q, now, kube_line_make(q->lines, ticket->pod, marks),
				       ticket->priority, ticket->attempts);

	values.alone = true;
	enter(q, by_fit ? PARKED_FIT : PARKED_OTHER, &values);
}

/* ---- events ---- */

/* Section 2.3; both sides are whole seconds, and the comparison is >=. */
static enum place wakes_in(const struct run *r, simtime now)
{
	return r->expiry >= clock_floor_second(now) ? BACKOFF : ACTIVE;
}

static void wake(struct kube_queue *q, simtime now, uint32_t run)
{
	take_from(q, run);
	put_in(q, wakes_in(&q->runs[run], now), run);
}

void kube_queue_retry_pod(struct kube_queue *q, simtime now, uint32_t pod)
{
	uint32_t run;

	if (!kube_line_stands(q->lines, pod))
		return;
	run = kube_line_owner(q->lines, pod);
	if (q->runs[run].alone && q->runs[run].place >= HEAPS)
		wake(q, now, run);
}

void kube_queue_retry(struct kube_queue *q, simtime now, int32_t max_priority)
{
	uint32_t next;

	for (uint32_t run = q->lists[PARKED_FIT].head; run != NO_RUN; run = next) {
		next = q->runs[run].next;
		if (q->runs[run].priority <= max_priority)
			wake(q, now, run);
	}
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
		picked = pick(context, kube_line_first(q->lines, one.line), one.stamp,
			      place == PARKED_FIT);
		single = new_run(q, &one);
		put_in(q, picked ? wakes_in(&one, now) : place, single);
		one.line = rest;
		one.stamp++;
	}
}

void kube_queue_retry_picked(struct kube_queue *q, simtime now, kube_queue_pick *pick,
			     void *context)
{
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

simtime kube_queue_next_flush(const struct kube_queue *q)
{
	simtime oldest = CLOCK_NEVER;

	for (uint32_t place = PARKED_FIT; place < PLACES; place++) {
		uint32_t head = q->lists[place].head;

		if (head != NO_RUN && q->runs[head].since < oldest)
			oldest = q->runs[head].since;
	}
	if (oldest == CLOCK_NEVER)
		return CLOCK_NEVER;
	return ((oldest + FLUSH_AGE) / FLUSH_PERIOD + 1) * FLUSH_PERIOD;
}

void kube_queue_flush(struct kube_queue *q, simtime now)
{
	for (uint32_t place = PARKED_FIT; place < PLACES; place++) {
		uint32_t run;

		while ((run = q->lists[place].head) != NO_RUN &&
		       now - q->runs[run].since > FLUSH_AGE)
			wake(q, now, run);
	}
}

uint64_t kube_queue_clock(const struct kube_queue *q)
{
	return q->clock;
}

static bool steady(const struct kube_queue *q, uint64_t stamp)
{
	if (!kube_queue_idle(q))
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

	if (until == CLOCK_NEVER || rounds < 1 || !steady(q, stamp))
		return 0;
	for (enum place place = PARKED_FIT; place < PLACES; place++) {
		for (uint32_t run = q->lists[place].head; run != NO_RUN; run = q->runs[run].next) {
			q->runs[run].since += rounds * period;
			q->runs[run].expiry += rounds * period;
			pods += kube_line_length(q->lines, q->runs[run].line);
		}
	}
	return pods * (uint64_t)rounds;
}
