#include "core/evq.h"

#include <assert.h>

#include "core/apart.h"
#include "core/mem.h"
#include "core/sort.h"

#define NO_SLOT UINT32_MAX
#define FAN	4  /* children of an entry: half as many levels as two, in a cache line */
#define DEAD_OK 64 /* cancelled entries that are never worth a sweep */

/* What the order hangs on, so that the heap is compared without a look elsewhere. */
struct entry {
	simtime time;
	uint64_t rank; /* class, then sequence, then slot, which no two have in common */
};

#define SLOT_BITS     30
#define SEQUENCE_BITS 30
#define CLASS_SHIFT   (SLOT_BITS + SEQUENCE_BITS)
#define SEQUENCE_END  (UINT32_C(1) << SEQUENCE_BITS)
/* Numbers of the sequence are given anew once they run out (renumber): soon in each queue, so
 * that this is nothing rare. */
#define SEQUENCE_START (SEQUENCE_END - 200)

struct slot {
	simtime time;
	uint64_t rank;
	uint32_t kind, subject, attempt;
	uint32_t gen;
	uint32_t next; /* of a free slot: the next free one; of one in a ring: of its place */
	bool live;     /* queued, and not cancelled */
	bool in_ring;
};

/* What is due later stands in two rings, unsorted: of places some four seconds wide, for the rest
 * of the present turn (nearly five hours), and of places as wide as such a turn, for some 50
 * days. A place is emptied into the heap, or into the first ring, when its time comes. So most
 * events pass a heap of a few only, and many that are far off cost the near ones nothing. */
#define PLACE_BITS  22 /* a place of the first ring: 2^22 microseconds */
#define TURN_BITS   12 /* 2^12 places of a turn */
#define TURN_PLACES (1 << TURN_BITS)
#define TURNS	    256
#define WORD	    64

struct ring {
	uint64_t *filled; /* a bit a place: is anything in it? */
	uint32_t *first;  /* [place] slot */
	uint32_t size;	  /* a power of two */
	uint32_t count;	  /* slots in it */
};

/* An event that is cancelled stays in the heap until it comes up, or until most of the heap
 * is such ones: so nobody needs to know where an event stands there. The first one of the
 * heap is never one of them. */
struct evq {
	struct slot *slots;
	struct entry *heap; /* heap[0] is the next event; CLOCK_NEVER: there is none */
	size_t slot_cap, heap_cap;
	uint32_t slot_count, free_head;
	uint32_t count; /* of the heap */
	uint32_t dead;	/* of them cancelled */
	uint32_t next_seq;
	simtime now;
	struct ring places, turns;
	int64_t reached; /* the place up to which the rings were emptied: all of it is in the heap */
	uint32_t ring_dead; /* cancelled ones in the rings */
};

static struct ring new_ring(uint32_t size)
{
	struct ring ring = {.size = size};

	ring.filled = mem_calloc(size / WORD, sizeof(*ring.filled));
	ring.first = mem_calloc(size, sizeof(*ring.first));
	return ring;
}

static void free_ring(struct ring *ring)
{
	mem_free(ring->filled);
	mem_free(ring->first);
}

struct evq *evq_new(void)
{
	struct evq *q = mem_calloc(1, sizeof(*q));

	q->places = new_ring(TURN_PLACES);
	q->turns = new_ring(TURNS);
	q->free_head = NO_SLOT;
	q->next_seq = SEQUENCE_START;
	q->heap = mem_grow(NULL, 1, &q->heap_cap, sizeof(*q->heap));
	q->heap[0].time = CLOCK_NEVER;
	return q;
}

void evq_free(struct evq *q)
{
	if (q == NULL)
		return;
	free_ring(&q->places);
	free_ring(&q->turns);
	mem_free(q->slots);
	mem_free(q->heap);
	mem_free(q);
}

/* Both halves at once: which child is the earliest is nothing that a processor could
 * guess, so this is to be no jump. Times are not negative. */
__extension__ typedef unsigned __int128 key;

static key key_of(const struct entry *e)
{
	return (key)(uint64_t)e->time << 64 | e->rank;
}

static bool before(const struct entry *x, const struct entry *y)
{
	return key_of(x) < key_of(y);
}

static uint32_t slot_of(const struct entry *e)
{
	return (uint32_t)e->rank & ((UINT32_C(1) << SLOT_BITS) - 1);
}

static uint32_t class_of(const struct entry *e)
{
	return (uint32_t)(e->rank >> CLASS_SHIFT);
}

static uint64_t rank_of(uint32_t class, uint32_t sequence, uint32_t slot)
{
	return (uint64_t) class << CLASS_SHIFT | (uint64_t)sequence << SLOT_BITS | slot;
}

static void rise(struct evq *q, uint32_t pos, struct entry entry)
{
	while (pos > 0 && before(&entry, &q->heap[(pos - 1) / FAN])) {
		q->heap[pos] = q->heap[(pos - 1) / FAN];
		pos = (pos - 1) / FAN;
	}
	q->heap[pos] = entry;
}

static APART uint32_t first_of(const struct entry *child, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		best = before(&child[i], &child[best]) ? i : best;
	return best;
}

static simtime lesser(simtime x, simtime y)
{
	return y < x ? y : x;
}

/* The earliest of FAN: mostly times alone tell, without a jump. */
static inline uint32_t first_of_all(const struct entry *child)
{
	simtime t0 = child[0].time, t1 = child[1].time, t2 = child[2].time, t3 = child[3].time;
	simtime left = lesser(t0, t1), right = lesser(t2, t3);
	uint32_t of_left = t1 < t0, of_right = 2 + (t3 < t2), is_right = right < left;

	if ((t0 == t1) | (t2 == t3) | (left == right))
		return first_of(child, FAN);
	return of_left + is_right * (of_right - of_left);
}

/* The earliest child of a place that has one. */
static inline uint32_t first_child(const struct evq *q, uint32_t pos)
{
	uint32_t first = FAN * pos + 1, count = q->count - first;
	const struct entry *child = &q->heap[first];

	return first + (count >= FAN ? first_of_all(child) : first_of(child, count));
}

/* The gap goes down to the bottom, where what fills it belongs nearly always. */
static void fill_gap(struct evq *q, uint32_t pos, struct entry entry)
{
	while (FAN * pos + 1 < q->count) {
		uint32_t child = first_child(q, pos);

		q->heap[pos] = q->heap[child];
		pos = child;
	}
	rise(q, pos, entry);
}

static void sink(struct evq *q, uint32_t pos)
{
	struct entry entry = q->heap[pos];

	while (FAN * pos + 1 < q->count) {
		uint32_t child = first_child(q, pos);

		if (!before(&q->heap[child], &entry))
			break;
		q->heap[pos] = q->heap[child];
		pos = child;
	}
	q->heap[pos] = entry;
}

static uint32_t take_slot(struct evq *q)
{
	uint32_t slot = q->free_head;

	if (slot != NO_SLOT) {
		q->free_head = q->slots[slot].next;
		return slot;
	}
	slot = q->slot_count++;
	assert(slot < UINT32_C(1) << SLOT_BITS);
	q->slots = mem_grow(q->slots, q->slot_count, &q->slot_cap, sizeof(*q->slots));
	q->slots[slot].gen = 0;
	return slot;
}

static void free_slot(struct evq *q, uint32_t slot)
{
	q->slots[slot].live = false;
	q->slots[slot].next = q->free_head;
	q->free_head = slot;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	(void)context;
	return before(b, a) - before(a, b);
}

/* ---- the heap and the rings ---- */

static void put_in_heap(struct evq *q, uint32_t slot)
{
	struct entry entry = {.time = q->slots[slot].time, .rank = q->slots[slot].rank};

	q->heap = mem_grow(q->heap, (size_t)q->count + 1, &q->heap_cap, sizeof(*q->heap));
	rise(q, q->count++, entry);
}

static void put_in_ring(struct evq *q, struct ring *ring, uint32_t place, uint32_t slot)
{
	uint64_t bit = UINT64_C(1) << place % WORD;
	bool filled = (ring->filled[place / WORD] & bit) != 0;

	q->slots[slot].next = filled ? ring->first[place] : NO_SLOT;
	q->slots[slot].in_ring = true;
	ring->first[place] = slot;
	ring->filled[place / WORD] |= bit;
	ring->count++;
}

static int64_t place_of(simtime time)
{
	return time >> PLACE_BITS;
}

/* To the ring that has a place for its time; else to the heap. */
static void put(struct evq *q, uint32_t slot)
{
	int64_t place = place_of(q->slots[slot].time);
	int64_t turn = place >> TURN_BITS, turn_reached = q->reached >> TURN_BITS;

	if (place <= q->reached || turn - turn_reached >= TURNS)
		put_in_heap(q, slot);
	else if (turn == turn_reached)
		put_in_ring(q, &q->places, (uint32_t)place % TURN_PLACES, slot);
	else
		put_in_ring(q, &q->turns, (uint32_t)turn % TURNS, slot);
}

/* The first place with anything in it from there on and round; there is one. */
static uint32_t next_filled(const struct ring *ring, uint32_t from)
{
	uint32_t word = from / WORD;
	uint64_t filled = ring->filled[word] >> from % WORD << from % WORD;

	while (filled == 0) {
		word = (word + 1) % (ring->size / WORD);
		filled = ring->filled[word];
	}
	return word * WORD + (uint32_t)__builtin_ctzll(filled);
}

/* Takes what stands in a place, which has anything in it: a chain of slots. */
static uint32_t take_place(struct ring *ring, uint32_t place)
{
	ring->filled[place / WORD] &= ~(UINT64_C(1) << place % WORD);
	return ring->first[place];
}

/* A chain goes to where it belongs now, but for what was cancelled. */
static void put_again(struct evq *q, struct ring *ring, uint32_t chain)
{
	while (chain != NO_SLOT) {
		uint32_t slot = chain;

		chain = q->slots[slot].next;
		ring->count--;
		q->slots[slot].in_ring = false;
		if (q->slots[slot].live) {
			put(q, slot);
		} else {
			q->ring_dead--;
			free_slot(q, slot);
		}
	}
}

/* Goes on to the next place, or turn, with anything in it, but not past a time. False: it lies
 * behind that. */
static bool reach(struct evq *q, int64_t limit)
{
	int64_t turn = q->reached >> TURN_BITS;
	uint32_t at;

	if (q->places.count != 0) {
		at = next_filled(&q->places, (uint32_t)q->reached % TURN_PLACES);
		if ((turn << TURN_BITS) + at > limit)
			return false;
		q->reached = (turn << TURN_BITS) + at;
		put_again(q, &q->places, take_place(&q->places, at));
		return true;
	}
	at = next_filled(&q->turns, (uint32_t)(turn + 1) % TURNS);
	turn += 1 + (int64_t)((at - (uint32_t)(turn + 1)) % TURNS);
	if (turn << TURN_BITS > limit)
		return false;
	q->reached = turn << TURN_BITS;
	put_again(q, &q->turns, take_place(&q->turns, at));
	return true;
}

/* The first of the heap is to be the first of all. */
static APART void fill_heap(struct evq *q)
{
	while (q->places.count + q->turns.count != 0 && reach(q, place_of(q->heap[0].time)))
		continue;
}

static inline void keep_first(struct evq *q)
{
	if (place_of(q->heap[0].time) > q->reached && q->places.count + q->turns.count != 0)
		fill_heap(q);
}

static APART void spill_ring(struct evq *q, struct ring *ring)
{
	while (ring->count != 0)
		put_again(q, ring, take_place(ring, next_filled(ring, 0)));
}

/* All that is in the rings goes to the heap: as if a time behind all of them was reached. */
static APART void spill(struct evq *q)
{
	int64_t reached = q->reached;

	q->reached = INT64_MAX;
	spill_ring(q, &q->places);
	spill_ring(q, &q->turns);
	q->reached = reached;
}

/* Those that are queued get the first numbers, in their order, in which they are a heap, too. */
static APART void renumber(struct evq *q)
{
	spill(q);
	sort_stable(q->heap, q->count, sizeof(*q->heap), compare_entries, NULL);
	for (uint32_t i = 0; i < q->count; i++)
		q->heap[i].rank = rank_of(class_of(&q->heap[i]), i, slot_of(&q->heap[i]));
	q->next_seq = q->count;
	assert(q->next_seq < SEQUENCE_END);
}

struct evq_handle evq_push(struct evq *q, const struct evq_event *event)
{
	uint32_t slot = take_slot(q);
	struct slot *s = &q->slots[slot];

	assert(event->time >= q->now && event->class < 1U << (64 - CLASS_SHIFT));
	if (q->next_seq == SEQUENCE_END)
		renumber(q);
	*s = (struct slot){.time = event->time,
			   .rank = rank_of(event->class, q->next_seq++, slot),
			   .kind = event->kind,
			   .subject = event->subject,
			   .attempt = event->attempt,
			   .gen = s->gen + 1,
			   .live = true};
	if (q->places.count + q->turns.count == 0 && q->reached < place_of(q->now))
		q->reached = place_of(q->now);
	put(q, slot);
	keep_first(q);
	return (struct evq_handle){.slot = slot, .gen = s->gen};
}

static void take_first(struct evq *q)
{
	free_slot(q, slot_of(&q->heap[0]));
	if (--q->count != 0)
		fill_gap(q, 0, q->heap[q->count]);
	else
		q->heap[0].time = CLOCK_NEVER;
}

static APART void drop_dead(struct evq *q)
{
	while (q->dead != 0 && !q->slots[slot_of(&q->heap[0])].live) {
		take_first(q);
		q->dead--;
	}
}

/* Only the live ones of the heap stay. */
static APART void sweep(struct evq *q)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < q->count; i++) {
		if (q->slots[slot_of(&q->heap[i])].live)
			q->heap[kept++] = q->heap[i];
		else
			free_slot(q, slot_of(&q->heap[i]));
	}
	q->count = kept;
	if (kept == 0)
		q->heap[0].time = CLOCK_NEVER;
	q->dead = 0;
	for (uint32_t pos = kept / FAN + 1; pos-- > 0;) {
		if (pos < kept)
			sink(q, pos);
	}
}

static bool is_queued(const struct evq *q, struct evq_handle handle)
{
	return handle.gen != 0 && handle.slot < q->slot_count &&
	       q->slots[handle.slot].gen == handle.gen && q->slots[handle.slot].live;
}

bool evq_cancel(struct evq *q, struct evq_handle handle)
{
	if (!is_queued(q, handle))
		return false;
	q->slots[handle.slot].live = false;
	if (q->slots[handle.slot].in_ring) {
		if (++q->ring_dead > DEAD_OK &&
		    q->ring_dead > (q->places.count + q->turns.count) / 2)
			spill(q);
		return true;
	}
	q->dead++;
	if (q->dead > DEAD_OK && q->dead > q->count / 2)
		sweep(q);
	else
		drop_dead(q);
	keep_first(q);
	return true;
}

simtime evq_when(const struct evq *q, struct evq_handle handle)
{
	return is_queued(q, handle) ? q->slots[handle.slot].time : CLOCK_NEVER;
}

bool evq_pop(struct evq *q, struct evq_event *out)
{
	if (!evq_peek(q, out))
		return false;
	evq_skip(q);
	return true;
}

void evq_skip(struct evq *q)
{
	assert(q->count != 0 && q->heap[0].time >= q->now);
	q->now = q->heap[0].time;
	take_first(q);
	if (q->dead != 0)
		drop_dead(q);
	keep_first(q);
}

bool evq_peek(const struct evq *q, struct evq_event *out)
{
	const struct entry *first = q->heap;
	const struct slot *s;

	if (q->count == 0)
		return false;
	s = &q->slots[slot_of(first)];
	*out = (struct evq_event){.time = first->time,
				  .class = class_of(first),
				  .kind = s->kind,
				  .subject = s->subject,
				  .attempt = s->attempt};
	return true;
}

simtime evq_next(const struct evq *q)
{
	return q->heap[0].time;
}

simtime evq_now(const struct evq *q)
{
	return q->now;
}

uint32_t evq_count(const struct evq *q)
{
	return q->count - q->dead + q->places.count + q->turns.count - q->ring_dead;
}
