#include "sim/kube/kube_line.h"

#include <assert.h>

#include "core/mem.h"

#define NIL  LINE_EMPTY
#define ROOT (UINT32_C(1) << 31)

/* Two of them in a cache line: those of a long line lie all over memory. */
struct item {
	uint64_t own; /* marks of the pod */
	uint64_t all; /* marks of the pods of the subtree */
	uint32_t left, right;
	uint32_t parent; /* of the root: ROOT and the owner; of free items: the next free one */
	uint32_t size;	 /* of the subtree */
};
static_assert(sizeof(struct item) == 32, "two in a cache line");

struct kube_lines {
	struct item *items;
	uint32_t *pods; /* of each item */
	size_t capacity, pod_capacity;
	uint32_t count;
	uint32_t free;
	uint32_t *item_of; /* per pod slot, counted from 1; 0: it stands in no line */
};

struct kube_lines *kube_lines_new(uint32_t pod_slots)
{
	struct kube_lines *l = mem_calloc(1, sizeof(*l));

	l->free = NIL;
	l->item_of = mem_calloc(pod_slots, sizeof(*l->item_of));
	return l;
}

void kube_lines_free(struct kube_lines *l)
{
	if (l == NULL)
		return;
	mem_free(l->items);
	mem_free(l->pods);
	mem_free(l->item_of);
	mem_free(l);
}

/* A bijective mix of 32 bits: no two items share a priority. */
static uint32_t priority(uint32_t item)
{
	item ^= item >> 16;
	item *= UINT32_C(0x7feb352d);
	item ^= item >> 15;
	item *= UINT32_C(0x846ca68b);
	return item ^ item >> 16;
}

static void set_left(struct kube_lines *l, uint32_t item, uint32_t child)
{
	l->items[item].left = child;
	if (child != NIL)
		l->items[child].parent = item;
}

static void set_right(struct kube_lines *l, uint32_t item, uint32_t child)
{
	l->items[item].right = child;
	if (child != NIL)
		l->items[child].parent = item;
}

static bool is_root(const struct item *item)
{
	return (item->parent & ROOT) != 0;
}

/* Recomputes what an item says about its subtree. */
static void sum_up(struct kube_lines *l, uint32_t item)
{
	struct item *i = &l->items[item];

	i->size = 1;
	i->all = i->own;
	if (i->left != NIL) {
		i->size += l->items[i->left].size;
		i->all |= l->items[i->left].all;
	}
	if (i->right != NIL) {
		i->size += l->items[i->right].size;
		i->all |= l->items[i->right].all;
	}
}

uint32_t kube_line_make(struct kube_lines *l, uint32_t pod, uint64_t marks)
{
	uint32_t item = l->free;

	assert(l->item_of[pod] == 0);
	if (item != NIL) {
		l->free = l->items[item].parent;
	} else {
		l->items = mem_grow(l->items, l->count + 1u, &l->capacity, sizeof(*l->items));
		l->pods = mem_grow(l->pods, l->count + 1u, &l->pod_capacity, sizeof(*l->pods));
		item = l->count++;
		assert(item < ROOT);
	}
	l->items[item] = (struct item){
		.own = marks, .all = marks, .left = NIL, .right = NIL, .parent = NIL, .size = 1};
	l->pods[item] = pod;
	l->item_of[pod] = item + 1;
	return item;
}

/* The same for a pod alone, as most that join a long line are: down the right edge, with no
 * way back. */
static uint32_t join_one(struct kube_lines *l, uint32_t front, uint32_t back)
{
	struct item *one = &l->items[back];
	uint32_t above = NIL, at = front, rank = priority(back);
	uint64_t marks = one->all;

	for (; at != NIL && priority(at) > rank; at = l->items[at].right) {
		l->items[at].size++;
		l->items[at].all |= marks;
		above = at;
	}
	set_left(l, back, at);
	sum_up(l, back);
	one->parent = NIL;
	if (above == NIL)
		return back;
	set_right(l, above, back);
	return front;
}

uint32_t kube_line_join(struct kube_lines *l, uint32_t front, uint32_t back)
{
	if (front == NIL)
		return back;
	if (back == NIL)
		return front;
	if (l->items[back].size == 1)
		return join_one(l, front, back);
	if (priority(front) > priority(back)) {
		set_right(l, front, kube_line_join(l, l->items[front].right, back));
		sum_up(l, front);
		l->items[front].parent = NIL;
		return front;
	}
	set_left(l, back, kube_line_join(l, front, l->items[back].left));
	sum_up(l, back);
	l->items[back].parent = NIL;
	return back;
}

uint32_t kube_line_length(const struct kube_lines *l, uint32_t line)
{
	return line == NIL ? 0 : l->items[line].size;
}

void kube_line_split(struct kube_lines *l, uint32_t line, uint32_t n, uint32_t *front,
		     uint32_t *back)
{
	uint32_t before;

	if (n == 0 || n == kube_line_length(l, line)) {
		*front = n == 0 ? NIL : line;
		*back = n == 0 ? line : NIL;
		if (line != NIL)
			l->items[line].parent = NIL;
		return;
	}
	before = kube_line_length(l, l->items[line].left);
	if (n <= before) {
		uint32_t rest;

		kube_line_split(l, l->items[line].left, n, front, &rest);
		set_left(l, line, rest);
		*back = line;
	} else {
		uint32_t head;

		kube_line_split(l, l->items[line].right, n - before - 1, &head, back);
		set_right(l, line, head);
		*front = line;
	}
	sum_up(l, line);
	if (*front != NIL)
		l->items[*front].parent = NIL;
	if (*back != NIL)
		l->items[*back].parent = NIL;
}

static bool has(const struct kube_lines *l, uint32_t item, uint64_t marks)
{
	return item != NIL && (l->items[item].all & marks) != 0;
}

/* The first pod of a subtree that carries one of the marks, as one does. before: so many stand
 * before the subtree. */
static struct kube_line_found first_marked(const struct kube_lines *l, uint32_t at, uint64_t marks,
					   uint32_t before)
{
	for (;;) {
		const struct item *i = &l->items[at];

		if (has(l, i->left, marks)) {
			at = i->left;
			continue;
		}
		before += kube_line_length(l, i->left);
		if ((i->own & marks) != 0)
			return (struct kube_line_found){.before = before, .pod = l->pods[at]};
		before++;
		at = i->right;
	}
}

/* The same of a whole line, the first from pods left out: on the way down to where these end
 * the last turn to the left is passed behind which there is one. */
static struct kube_line_found first_marked_from(const struct kube_lines *l, uint32_t line,
						uint32_t from, uint64_t marks)
{
	uint32_t before = 0, turn = NIL, before_turn = 0;

	for (uint32_t at = line; has(l, at, marks);) {
		const struct item *i = &l->items[at];
		uint32_t here = before + kube_line_length(l, i->left);

		if (from > here) {
			before = here + 1;
			at = i->right;
			continue;
		}
		if ((i->own & marks) != 0 || has(l, i->right, marks)) {
			turn = at;
			before_turn = here;
		}
		at = i->left;
	}
	if (turn == NIL)
		return (struct kube_line_found){.before = kube_line_length(l, line),
						.pod = LINE_NOBODY};
	if ((l->items[turn].own & marks) != 0)
		return (struct kube_line_found){.before = before_turn, .pod = l->pods[turn]};
	return first_marked(l, l->items[turn].right, marks, before_turn + 1);
}

static bool is_meant(const struct kube_lines *l, const struct kube_line_wish *wish, uint32_t pod)
{
	return wish->means == NULL ||
	       wish->means(wish->context, pod, l->items[l->item_of[pod] - 1].own);
}

/* Of a part of a line: so many stand before it, and the first from of the line are left out. */
struct span {
	uint32_t before, from;
};

/* Where classes share marks many that have one are not meant: none of them is sought from the
 * top. */
static struct kube_line_found first_meant(const struct kube_lines *l, uint32_t line,
					  struct span span, const struct kube_line_wish *wish)
{
	while (has(l, line, wish->marks)) {
		const struct item *i = &l->items[line];
		uint32_t here = span.before + kube_line_length(l, i->left);

		if (span.from < here) {
			struct kube_line_found found = first_meant(l, i->left, span, wish);

			if (found.pod != LINE_NOBODY)
				return found;
		}
		if (span.from <= here && (i->own & wish->marks) != 0 &&
		    is_meant(l, wish, l->pods[line]))
			return (struct kube_line_found){.before = here, .pod = l->pods[line]};
		span.before = here + 1;
		line = i->right;
	}
	return (struct kube_line_found){.before = span.before + kube_line_length(l, line),
					.pod = LINE_NOBODY};
}

struct kube_line_found kube_line_find(const struct kube_lines *l, uint32_t line, uint32_t from,
				      const struct kube_line_wish *wish)
{
	struct kube_line_found found = {.before = kube_line_length(l, line), .pod = LINE_NOBODY};

	if (!has(l, line, wish->marks))
		return found;
	found = from == 0 ? first_marked(l, line, wish->marks, 0)
			  : first_marked_from(l, line, from, wish->marks);
	if (found.pod != LINE_NOBODY && !is_meant(l, wish, found.pod))
		return first_meant(l, line, (struct span){.from = found.before + 1}, wish);
	return found;
}

void kube_line_each(const struct kube_lines *l, uint32_t line, const struct kube_line_part *part,
		    kube_line_visit *visit, void *context)
{
	struct kube_line_part rest = *part;

	while (line != NIL && rest.count != 0) {
		const struct item *i = &l->items[line];
		uint32_t before = kube_line_length(l, i->left);

		if (rest.first < before)
			kube_line_each(l, i->left, &rest, visit, context);
		if (rest.first <= before && before - rest.first < rest.count)
			visit(context, l->pods[line]);
		/* What is left of it lies to the right. */
		if (rest.first <= before) {
			uint32_t done = before + 1 - rest.first;

			rest.count = rest.count > done ? rest.count - done : 0;
			rest.first = 0;
		} else {
			rest.first -= before + 1;
		}
		line = l->items[line].right;
	}
}

uint32_t kube_line_at(const struct kube_lines *l, uint32_t line, uint32_t n)
{
	for (;;) {
		uint32_t before = kube_line_length(l, l->items[line].left);

		if (n == before)
			return l->pods[line];
		if (n < before) {
			line = l->items[line].left;
		} else {
			line = l->items[line].right;
			n -= before + 1;
		}
	}
}

void kube_line_mark(struct kube_lines *l, uint32_t pod, uint64_t marks)
{
	uint32_t item = l->item_of[pod] - 1;

	if (l->items[item].own == marks)
		return;
	l->items[item].own = marks;
	sum_up(l, item);
	while (!is_root(&l->items[item])) {
		item = l->items[item].parent;
		sum_up(l, item);
	}
}

static uint32_t root(const struct kube_lines *l, uint32_t item)
{
	while (!is_root(&l->items[item]))
		item = l->items[item].parent;
	return item;
}

/* One pod less below an item, whose marks none may carry any more: for as long as that
 * changes what is said of a subtree. Returns the root. */
static uint32_t count_down(struct kube_lines *l, uint32_t item)
{
	bool changed = true;

	for (;; item = l->items[item].parent) {
		struct item *i = &l->items[item];

		if (changed) {
			uint64_t all = i->all;

			sum_up(l, item);
			changed = i->all != all;
		} else {
			i->size--;
		}
		if (is_root(i))
			return item;
	}
}

uint32_t kube_line_leave(struct kube_lines *l, uint32_t pod)
{
	uint32_t item = l->item_of[pod] - 1;
	struct item *i = &l->items[item];
	uint32_t parent = i->parent;
	uint32_t below = kube_line_join(l, i->left, i->right);

	l->item_of[pod] = 0;
	i->parent = l->free;
	l->free = item;
	if ((parent & ROOT) != 0) {
		if (below != NIL)
			l->items[below].parent = NIL;
		return below;
	}
	if (l->items[parent].left == item)
		set_left(l, parent, below);
	else
		set_right(l, parent, below);
	return count_down(l, parent);
}

bool kube_line_stands(const struct kube_lines *l, uint32_t pod)
{
	return l->item_of[pod] != 0;
}

void kube_line_set_owner(struct kube_lines *l, uint32_t line, uint32_t owner)
{
	assert(owner < ROOT);
	if (line != NIL)
		l->items[line].parent = ROOT | owner;
}

uint32_t kube_line_owner(const struct kube_lines *l, uint32_t pod)
{
	return l->items[root(l, l->item_of[pod] - 1)].parent & ~ROOT;
}
