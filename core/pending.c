#include "core/pending.h"

#include <assert.h>

#include "core/mem.h"

struct pending_places {
	uint32_t *at; /* per job: index in its heap, counted from 1; 0: in none */
};

struct pending_places *pending_places_new(uint32_t job_count)
{
	struct pending_places *places = mem_calloc(1, sizeof(*places));

	places->at = mem_calloc(job_count, sizeof(*places->at));
	return places;
}

void pending_places_free(struct pending_places *places)
{
	if (places == NULL)
		return;
	mem_free(places->at);
	mem_free(places);
}

void pending_free(struct pending *heap)
{
	mem_free(heap->items);
}

static bool before(const struct pending_item *a, const struct pending_item *b)
{
	return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static void put(struct pending *heap, struct pending_places *places, uint32_t index,
		struct pending_item item)
{
	heap->items[index] = item;
	places->at[item.job] = index + 1;
}

static void sift_up(struct pending *heap, struct pending_places *places, uint32_t index)
{
	struct pending_item item = heap->items[index];

	while (index > 0 && before(&item, &heap->items[(index - 1) / 2])) {
		put(heap, places, index, heap->items[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	put(heap, places, index, item);
}

static void sift_down(struct pending *heap, struct pending_places *places, uint32_t index)
{
	struct pending_item item = heap->items[index];

	for (;;) {
		uint32_t child = 2 * index + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child]))
			child++;
		if (!before(&heap->items[child], &item))
			break;
		put(heap, places, index, heap->items[child]);
		index = child;
	}
	put(heap, places, index, item);
}

void pending_push(struct pending *heap, struct pending_places *places,
		  const struct pending_item *item)
{
	assert(places->at[item->job] == 0);
	heap->items = mem_grow(heap->items, heap->count + 1, &heap->capacity, sizeof(*heap->items));
	heap->items[heap->count] = *item;
	sift_up(heap, places, heap->count++);
}

uint32_t pending_first(const struct pending *heap)
{
	return heap->count != 0 ? heap->items[0].job : PENDING_NONE;
}

void pending_leave(struct pending *heap, struct pending_places *places, uint32_t job)
{
	uint32_t index = places->at[job] - 1;

	assert(places->at[job] != 0 && heap->items[index].job == job);
	places->at[job] = 0;
	if (index == --heap->count)
		return;
	put(heap, places, index, heap->items[heap->count]);
	sift_down(heap, places, index);
	sift_up(heap, places, index);
}

bool pending_stands(const struct pending_places *places, uint32_t job)
{
	return places->at[job] != 0;
}
