#include "sim/kueue/kueue_memory.h"

#include <string.h>

#include "core/mem.h"

/* The two cases that almost every workload is in need no record. */
static uint32_t memory_code(const struct kueue_form *form, const int16_t *tried)
{
	uint32_t indexed_sets = 0;
	bool exhausted = true;

	for (uint32_t s = 0; s < form->set_count; s++) {
		bool indexed = false;

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			indexed = indexed || tried[i] != MEMORY_UNSET;
			exhausted = exhausted && tried[i] < 0;
		}
		indexed_sets += indexed;
	}
	if (indexed_sets == 0)
		return MEMORY_EMPTY;
	return indexed_sets == form->set_count && exhausted ? MEMORY_EXHAUSTED : MEMORY_FIRST;
}

void kueue_memory_clear(struct kueue *k, uint32_t job)
{
	uint32_t code = k->jobs[job].memory;

	if (code >= MEMORY_FIRST) {
		k->memories[code - MEMORY_FIRST].next_free = k->free_memory;
		k->free_memory = code - MEMORY_FIRST;
	}
	k->jobs[job].memory = MEMORY_NONE;
}

void kueue_memory_set(struct kueue *k, uint32_t job, const int16_t *tried)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t code = memory_code(form, tried);
	uint32_t m;

	kueue_memory_clear(k, job);
	k->jobs[job].memory = code;
	if (code != MEMORY_FIRST)
		return;
	m = k->free_memory;
	if (m == KUEUE_NONE) {
		k->memories = mem_grow(k->memories, k->memory_count + 1, &k->memory_capacity,
				       sizeof(*k->memories));
		k->tried = mem_grow(k->tried, (k->memory_count + 1) * k->slots_max,
				    &k->tried_capacity, sizeof(*k->tried));
		m = (uint32_t)k->memory_count++;
	} else {
		k->free_memory = k->memories[m].next_free;
	}
	k->memories[m] = (struct kueue_memory){
		.generation = k->queues[kueue_queue_of(k, job)].generation, .cycle = k->cycle};
	memcpy(&k->tried[(size_t)m * k->slots_max], tried, form->slot_count * sizeof(*tried));
	k->jobs[job].memory = MEMORY_FIRST + m;
}

const int16_t *kueue_memory_get(const struct kueue *k, uint32_t job)
{
	uint32_t code = k->jobs[job].memory;

	return code < MEMORY_FIRST ? NULL : &k->tried[(size_t)(code - MEMORY_FIRST) * k->slots_max];
}

bool kueue_memory_pending(const struct kueue *k, uint32_t job)
{
	const int16_t *tried = kueue_memory_get(k, job);

	for (uint32_t i = 0; tried != NULL && i < kueue_form_of(k, job)->slot_count; i++) {
		if (tried[i] >= 0)
			return true;
	}
	return false;
}

bool kueue_memory_outdated(const struct kueue *k, uint32_t job, uint32_t queue)
{
	uint32_t code = k->jobs[job].memory;
	const struct kueue_memory *m;

	if (code < MEMORY_FIRST)
		return false;
	m = &k->memories[code - MEMORY_FIRST];
	if (k->gates.keeps_progress && k->cycle - m->cycle <= 1)
		return false;
	return k->queues[queue].generation > m->generation;
}
