#include "sim/kube/kube_line.h"

#include <assert.h>

#include "core/mem.h"

#define NIL LINE_EMPTY

struct item {
	uint64_t own; /* marks of the pod */
	uint64_t all; /* marks of the pods of the subtree */
	uint32_t left, right, parent;
	uint32_t size; /* of the subtree */
	uint32_t pod;
	uint32_t owner; /* of the line; valid at the root; free items: the next free one */
};

struct kube_lines {
	struct item *items;
	size_t capacity;
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
	mem_free(l->item_of);
	mem_free(l);
}

/* A bijective mix of 32 bits: no two pods share a priority. */
static uint32_t priority(uint32_t pod)
{
	pod ^= pod >> 16;
	pod *= UINT32_C(0x7feb352d);
	pod ^= pod >> 15;
	pod *= UINT32_C(0x846ca68b);
	return pod ^ pod >> 16;
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
		l->free = l->items[item].owner;
	} else {
		l->items = mem_grow(l->items, l->count + 1u, &l->capacity, sizeof(*l->items));
		item = l->count++;
	}
	l->items[item] = (struct item){.own = marks,
				       .all = marks,
				       .left = NIL,
				       .right = NIL,
				       .parent = NIL,
				       .size = 1,
				       .pod = pod,
				       .owner = NIL};
	l->item_of[pod] = item + 1;
	return item;
}

/* The same for a pod alone, as most that join a long line are: down the right edge, with no
 * way back. */
static uint32_t join_one(struct kube_lines *l, uint32_t front, uint32_t back)
{
	struct item *one = &l->items[back];
	uint32_t above = NIL, at = front, rank = priority(one->pod);

	for (; at != NIL && priority(l->items[at].pod) > rank; at = l->items[at].right) {
		l->items[at].size++;
		l->items[at].all |= one->own;
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
	if (priority(l->items[front].pod) > priority(l->items[back].pod)) {
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

struct quest {
	uint64_t marks;
	kube_line_means *means;
	void *context;
	uint32_t skip; /* pods that are not asked */
	uint32_t before;
};

/* True: it ended in this subtree. */
static bool seek(const struct kube_lines *l, uint32_t line, struct quest *q)
{
	while (line != NIL) {
		const struct item *i = &l->items[line];

		if ((i->all & q->marks) == 0 || q->before + i->size <= q->skip) {
			q->before += i->size;
			return false;
		}
		if (seek(l, i->left, q))
			return true;
		if (q->before >= q->skip && (i->own & q->marks) != 0 &&
		    (q->means == NULL || q->means(q->context, i->pod, i->own)))
			return true;
		q->before++;
		line = i->right;
	}
	return false;
}

uint32_t kube_line_before(const struct kube_lines *l, uint32_t line, uint32_t from, uint64_t marks,
			  kube_line_means *means, void *context)
{
	struct quest q = {.marks = marks, .means = means, .context = context, .skip = from};

	if (line == NIL || (l->items[line].all & marks) == 0)
		return kube_line_length(l, line);
	seek(l, line, &q);
	return q.before;
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
			visit(context, i->pod);
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
			return l->items[line].pod;
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
	for (; item != NIL; item = l->items[item].parent)
		sum_up(l, item);
}

static uint32_t root(const struct kube_lines *l, uint32_t item)
{
	while (l->items[item].parent != NIL)
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
		if (i->parent == NIL)
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
	i->owner = l->free;
	l->free = item;
	if (parent == NIL) {
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
	if (line != NIL)
		l->items[line].owner = owner;
}

uint32_t kube_line_owner(const struct kube_lines *l, uint32_t pod)
{
	return l->items[root(l, l->item_of[pod] - 1)].owner;
}
