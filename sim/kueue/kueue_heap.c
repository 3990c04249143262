#include "sim/kueue/kueue_heap.h"

#include <assert.h>

#include "core/mem.h"
#include "core/sort.h"

/* A member's place is kept in its prev, which only workloads in classes need else: so not as
 * long as the heap is deferred. */
static void set_place(struct kueue *k, const struct kueue_queue *q, uint32_t job, uint32_t at)
{
	if (!q->deferred)
		k->jobs[job].prev = at;
}

static void swap(struct kueue *k, struct kueue_queue *q, size_t a, size_t b)
{
	uint32_t job = q->plain[a];

	q->plain[a] = q->plain[b];
	q->plain[b] = job;
	set_place(k, q, q->plain[a], (uint32_t)a);
	set_place(k, q, q->plain[b], (uint32_t)b);
}

static void up(struct kueue *k, uint32_t queue, size_t at, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];

	while (at > 0 && before(k, queue, q->plain[at], q->plain[(at - 1) / 2])) {
		swap(k, q, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/* True: it moved. */
static bool down(struct kueue *k, uint32_t queue, size_t from, size_t count,
		 kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	size_t at = from;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(k, queue, q->plain[child + 1], q->plain[child]))
			child++;
		if (!before(k, queue, q->plain[child], q->plain[at]))
			break;
		swap(k, q, at, child);
		at = child;
	}
	return at > from;
}

void kueue_heap_push(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];

	q->plain = mem_grow(q->plain, q->plain_count + 1, &q->plain_capacity, sizeof(*q->plain));
	q->plain[q->plain_count] = job;
	set_place(k, q, job, (uint32_t)q->plain_count);
	up(k, queue, q->plain_count++, before);
}

static void remove_at(struct kueue *k, uint32_t queue, size_t at, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	size_t last = q->plain_count - 1;

	if (at != last) {
		swap(k, q, at, last);
		if (!down(k, queue, at, last, before))
			up(k, queue, at, before);
	}
	q->plain_count--;
	set_place(k, q, q->plain[last], JOB_NONE);
}

void kueue_heap_remove(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before)
{
	remove_at(k, queue, k->jobs[job].prev, before);
}

void kueue_heap_fix(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before)
{
	uint32_t at = k->jobs[job].prev;

	if (!down(k, queue, at, k->queues[queue].plain_count, before))
		up(k, queue, at, before);
}

void kueue_heap_rebuild(struct kueue *k, uint32_t queue, kueue_heap_before *before)
{
	size_t count = k->queues[queue].plain_count;

	for (size_t i = count / 2; i-- > 0;)
		down(k, queue, i, count, before);
}

bool kueue_heap_has(const struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_queue *q = &k->queues[queue];

	return k->jobs[job].prev < q->plain_count && q->plain[k->jobs[job].prev] == job;
}

static void add(struct kueue_members *members, uint32_t job)
{
	members->jobs = mem_grow(members->jobs, members->count + 1, &members->capacity,
				 sizeof(*members->jobs));
	members->jobs[members->count++] = job;
}

/* Behind the member that goes there is none: what fills its place comes from the end or, sifted
 * up or down, from there and above; so only above and in its own place the next is looked for. */
struct kueue_members kueue_heap_take_kin(struct kueue *k, uint32_t queue, uint32_t kin,
					 kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	struct kueue_members taken = {0};

	for (size_t end = q->plain_count; end > 0;) {
		uint32_t job = q->plain[end - 1];

		if (kueue_class_of(k, job)->kin != kin) {
			end--;
			continue;
		}
		remove_at(k, queue, end - 1, before);
		add(&taken, job);
		end = end < q->plain_count ? end : q->plain_count;
	}
	return taken;
}

/* The heap is taken apart without regard to its order: of each member that is found its
 * children are found. */
void kueue_heap_list(const struct kueue *k, uint32_t root, struct kueue_members *members)
{
	size_t i = members->count;

	if (root != JOB_NONE)
		add(members, root);
	for (; i < members->count; i++) {
		uint32_t child = k->jobs[members->jobs[i]].child;

		for (; child != JOB_NONE; child = k->jobs[child].next)
			add(members, child);
	}
}

/* --------------------------------------------------- heaps that are not laid out */

static bool is_of_job(const struct kueue_step *step)
{
	return step->kind == STEP_PUSH || step->kind == STEP_POP || step->kind == STEP_PARK;
}

void kueue_heap_defer(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];

	assert(q->heap_count == 0 && q->plain_count == 0);
	q->deferred = true;
	q->step_count = 0;
	q->stuck = q->sticky ? q->preemptor : JOB_NONE;
}

static struct kueue_step make_step(const struct kueue *k, enum kueue_step_kind kind, uint32_t index)
{
	struct kueue_step step = {.kind = kind, .index = index};

	if (!is_of_job(&step))
		return step;
	step.class = k->jobs[index].class;
	step.order = k->jobs[index].order;
	return step;
}

void kueue_heap_note(struct kueue *k, uint32_t queue, enum kueue_step_kind kind, uint32_t index)
{
	struct kueue_queue *q = &k->queues[queue];

	q->steps = mem_grow(q->steps, q->step_count + 1, &q->step_capacity, sizeof(*q->steps));
	q->steps[q->step_count++] = make_step(k, kind, index);
}

/* ---- they are laid out: steps are done again ---- */

/* A job that steps name: as it is now, and the first of them. */
struct named {
	struct kueue_step now;
	uint8_t place;
	const struct kueue_step *first;
};

/* Meanwhile the places of jobs that steps name are those of then. The others' do not change: they
 * were parked at the beginning, and move with their class, which has entered while they are in
 * the heap. */
struct again {
	struct named *named; /* owned */
	size_t count;
	struct kueue_members left;     /* of them: not found with the class that they had */
	struct kueue_members entering; /* with the flush that is done again, so far */
};

/* What a job is ordered by, and another time was. */
static void turn_back(struct kueue *k, const struct kueue_step *step)
{
	k->jobs[step->index].class = step->class;
	k->jobs[step->index].order = step->order;
}

static void leave_kin(struct kueue *k, uint32_t kin)
{
	for (uint32_t c = k->kins[kin].first_class; c != KUEUE_NONE; c = k->classes[c].next_kin)
		k->classes[c].entered = false;
}

static void meet_job(struct kueue *k, struct again *again, const struct kueue_step *step)
{
	struct kueue_job *j = &k->jobs[step->index];

	if (!j->met) {
		j->met = true;
		again->named[again->count++] =
			(struct named){make_step(k, step->kind, step->index), j->place, step};
	}
	if (j->left ||
	    ((j->place == PLACE_ACTIVE || j->place == PLACE_PARKED) && j->class == step->class))
		return;
	j->left = true;
	add(&again->left, step->index);
}

/* As it was at the beginning: whom a step pops before any lets him in was parked. */
static void meet(struct kueue *k, const struct kueue_queue *q, struct again *again)
{
	again->named = mem_calloc(q->step_count + 1, sizeof(*again->named));
	for (size_t i = 0; i < q->step_count; i++) {
		const struct kueue_step *step = &q->steps[i];

		if (is_of_job(step))
			meet_job(k, again, step);
		else if (step->kind == STEP_FLUSH)
			k->classes[step->index].entered = false;
		else if (step->kind == STEP_PARK_KIN)
			leave_kin(k, step->index);
	}
	for (size_t i = 0; i < again->count; i++) {
		const struct named *n = &again->named[i];

		turn_back(k, n->first);
		k->jobs[n->now.index].place =
			n->first->kind == STEP_POP ? PLACE_PARKED : PLACE_NOWHERE;
	}
}

static void part(struct kueue *k, struct again *again)
{
	for (size_t i = 0; i < again->count; i++) {
		const struct named *n = &again->named[i];

		turn_back(k, &n->now);
		k->jobs[n->now.index].place = n->place;
		k->jobs[n->now.index].met = k->jobs[n->now.index].left = false;
	}
	mem_free(again->named);
	mem_free(again->left.jobs);
	mem_free(again->entering.jobs);
}

static bool was_parked(const struct kueue *k, uint32_t class, uint32_t job)
{
	const struct kueue_job *j = &k->jobs[job];

	return j->met ? j->class == class && j->place == PLACE_PARKED : !k->classes[class].entered;
}

/* Who enters with a flush of the class: its members that were parked, wherever they are now. */
static void collect_class(struct kueue *k, uint32_t class, struct again *again)
{
	struct kueue_members all = {0};

	kueue_heap_list(k, k->classes[class].active, &all);
	kueue_heap_list(k, k->classes[class].parked, &all);
	for (size_t i = 0; i < all.count; i++) {
		if (!k->jobs[all.jobs[i]].left && was_parked(k, class, all.jobs[i]))
			add(&again->entering, all.jobs[i]);
	}
	for (size_t i = 0; i < again->left.count; i++) {
		if (was_parked(k, class, again->left.jobs[i]))
			add(&again->entering, again->left.jobs[i]);
	}
	k->classes[class].entered = true;
	mem_free(all.jobs);
}

/* All of a flush, in job order. */
static void enter(struct kueue *k, uint32_t queue, struct again *again, kueue_heap_before *before)
{
	struct kueue_members *in = &again->entering;

	sort_stable(in->jobs, in->count, sizeof(*in->jobs), sort_compare_u32, NULL);
	for (size_t i = 0; i < in->count; i++) {
		if (k->jobs[in->jobs[i]].met)
			k->jobs[in->jobs[i]].place = PLACE_ACTIVE;
		kueue_heap_push(k, queue, in->jobs[i], before);
	}
	in->count = 0;
}

static void park_kin(struct kueue *k, uint32_t queue, uint32_t kin, kueue_heap_before *before)
{
	struct kueue_members taken = kueue_heap_take_kin(k, queue, kin, before);

	for (size_t i = 0; i < taken.count; i++) {
		if (k->jobs[taken.jobs[i]].met)
			k->jobs[taken.jobs[i]].place = PLACE_PARKED;
	}
	leave_kin(k, kin);
	mem_free(taken.jobs);
}

static void stick(struct kueue_queue *q, uint32_t job)
{
	q->preemptor = job;
	q->sticky = job != JOB_NONE;
}

static void do_again(struct kueue *k, uint32_t queue, const struct kueue_step *step,
		     struct again *again, kueue_heap_before *before)
{
	switch (step->kind) {
	case STEP_BEGIN_FLUSH:
		break;
	case STEP_FLUSH:
		collect_class(k, step->index, again);
		break;
	case STEP_PUSH:
		turn_back(k, step);
		k->jobs[step->index].place = PLACE_ACTIVE;
		kueue_heap_push(k, queue, step->index, before);
		break;
	case STEP_POP:
		assert(k->queues[queue].plain[0] == step->index);
		remove_at(k, queue, 0, before);
		k->jobs[step->index].place = PLACE_NOWHERE;
		break;
	case STEP_PARK:
		turn_back(k, step);
		k->jobs[step->index].place = PLACE_PARKED;
		break;
	case STEP_PARK_KIN:
		park_kin(k, queue, step->index, before);
		break;
	case STEP_STICK:
		stick(&k->queues[queue], step->index);
		break;
	}
}

/* The active members leave their classes for the plain heap. */
static void leave_classes(struct kueue *k, struct kueue_queue *q)
{
	for (size_t i = 0; i < q->heap_count; i++) {
		k->classes[q->heap[i]].active = JOB_NONE;
		k->classes[q->heap[i]].heap_at = KUEUE_NONE;
	}
	q->heap_count = 0;
	q->deferred = false;
	for (size_t i = 0; i < q->plain_count; i++) {
		struct kueue_job *j = &k->jobs[q->plain[i]];

		j->child = j->next = JOB_NONE;
		j->prev = (uint32_t)i;
		j->place = PLACE_ACTIVE;
	}
}

void kueue_heap_lay_out(struct kueue *k, uint32_t queue, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t preemptor = q->preemptor;
	bool sticky = q->sticky;
	struct again again = {0};

	meet(k, q, &again);
	stick(q, q->stuck);
	for (size_t i = 0; i < q->step_count; i++) {
		if (q->steps[i].kind != STEP_FLUSH)
			enter(k, queue, &again, before);
		do_again(k, queue, &q->steps[i], &again, before);
	}
	enter(k, queue, &again, before);
	q->preemptor = preemptor;
	q->sticky = sticky;
	part(k, &again);
	q->step_count = 0;
	leave_classes(k, q);
}
