/* pending.h - waiting jobs, the one with the smallest key first.
 *
 * A binary heap over (key, tie): the user makes ties distinct, so the order never
 * depends on the heap's shape. Where a job stands is kept, so that one leaves from
 * anywhere in O(log n). One pool of places serves many heaps; a job stands in at
 * most one of them.
 */
#ifndef CORE_PENDING_H
#define CORE_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PENDING_NONE UINT32_MAX

struct pending_places; /* owned by the caller: pending_places_new/pending_places_free */

struct pending_places *pending_places_new(uint32_t job_count);
void pending_places_free(struct pending_places *places);

struct pending_item {
	int64_t key;
	uint32_t tie;
	uint32_t job;
};

struct pending { /* zeroed: empty */
	struct pending_item *items;
	size_t capacity;
	uint32_t count;
};

void pending_free(struct pending *heap); /* not the struct */
/* The job stands in no heap yet. */
void pending_push(struct pending *heap, struct pending_places *places,
		  const struct pending_item *item);
/* The first job; PENDING_NONE: nobody waits. */
uint32_t pending_first(const struct pending *heap);
/* Takes the job out; it stands in this heap. */
void pending_leave(struct pending *heap, struct pending_places *places, uint32_t job);
/* Does the job stand in a heap of these places? */
bool pending_stands(const struct pending_places *places, uint32_t job);

#endif
