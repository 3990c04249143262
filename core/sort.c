#include "core/sort.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/mem.h"

#define RUN	   8 /* elements sorted by insertion before runs are merged */
#define SIZE_LIMIT 256
#define ON_STACK   2048

struct task {
	size_t size;
	sort_compare *compare;
	void *context;
};

static void insertion(const struct task *t, unsigned char *first, size_t count)
{
	unsigned char moving[SIZE_LIMIT];

	for (size_t i = 1; i < count; i++) {
		size_t at = i;

		while (at > 0 &&
		       t->compare(first + (at - 1) * t->size, first + i * t->size, t->context) > 0)
			at--;
		if (at == i)
			continue;
		memcpy(moving, first + i * t->size, t->size);
		memmove(first + (at + 1) * t->size, first + at * t->size, (i - at) * t->size);
		memcpy(first + at * t->size, moving, t->size);
	}
}

/* Merges [0, middle) and [middle, count); the left half waits in scratch. Takes
 * from the left while it is not greater: equal elements keep their order. */
static void merge(const struct task *t, unsigned char *first, size_t middle, size_t count,
		  unsigned char *scratch)
{
	const unsigned char *left = scratch;
	const unsigned char *left_end = scratch + middle * t->size;
	const unsigned char *right = first + middle * t->size;
	const unsigned char *right_end = first + count * t->size;
	unsigned char *out = first;

	if (t->compare(right - t->size, right, t->context) <= 0)
		return;
	memcpy(scratch, first, middle * t->size);
	while (left < left_end && right < right_end) {
		if (t->compare(left, right, t->context) <= 0) {
			memcpy(out, left, t->size);
			left += t->size;
		} else {
			memcpy(out, right, t->size);
			right += t->size;
		}
		out += t->size;
	}
	memcpy(out, left, (size_t)(left_end - left));
}

int sort_compare_u32(const void *a, const void *b, void *context)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	(void)context;
	return (x > y) - (x < y);
}

void sort_stable(void *base, size_t count, size_t size, sort_compare *compare, void *context)
{
	struct task t = {.size = size, .compare = compare, .context = context};
	unsigned char on_stack[ON_STACK];
	unsigned char *scratch = on_stack;
	unsigned char *first = base;

	assert(size > 0 && size <= SIZE_LIMIT);
	for (size_t i = 0; i < count; i += RUN)
		insertion(&t, first + i * size, count - i < RUN ? count - i : RUN);
	if (count <= RUN)
		return;
	if (count > sizeof(on_stack) / size)
		scratch = mem_calloc(count, size);
	for (size_t width = RUN; width < count; width *= 2) {
		for (size_t i = 0; i < count - width; i += 2 * width) {
			size_t both = count - i < 2 * width ? count - i : 2 * width;

			merge(&t, first + i * size, width, both, scratch);
		}
	}
	if (scratch != on_stack)
		mem_free(scratch);
}
