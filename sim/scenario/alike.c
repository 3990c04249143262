#include "sim/scenario/alike.h"

void alike_begin(struct alike *alike)
{
	*alike = (struct alike){.classes = NULL};
	draft_index_init(&alike->places, 0);
	draft_index_init(&alike->kinds, 0);
}

void alike_end(struct alike *alike)
{
	draft_index_free(&alike->places);
	draft_index_free(&alike->kinds);
	mem_free(alike->classes);
}

uint32_t alike_of(struct alike *alike, const struct job *job, bool held, uint32_t index)
{
	uint32_t fresh = alike->places.count;
	uint32_t place = draft_index_put(&alike->places, job->common->local_queue, job->common->ns,
					 fresh, false);
	uint32_t class;

	if (place == NAME_NONE)
		place = fresh;
	place = place * 8 + (job->common->flags & (JOB_NOT_GANG | JOB_UNMANAGED)) / 2 +
		(held ? 4 : 0);
	class = draft_index_put(&alike->kinds, job->common->first_pod_set, place, alike->count,
				false);
	if (class != NAME_NONE)
		return class;
	alike->classes = mem_grow(alike->classes, (size_t)alike->count + 1, &alike->capacity,
				  sizeof(*alike->classes));
	alike->classes[alike->count] = (struct alike_class){.first = index, .held = held};
	return alike->count++;
}
