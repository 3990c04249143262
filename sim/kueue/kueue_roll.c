#include "sim/kueue/kueue_roll.h"

#include "core/mem.h"
#include "core/sort.h"

struct kueue_roll {
	uint32_t *jobs; /* owned */
	size_t count, capacity;
	bool unsorted;
};

void kueue_roll_close(struct kueue *k)
{
	for (uint32_t i = 0; k->rolls != NULL && i < k->scenario->local_queue_count; i++)
		mem_free(k->rolls[i].jobs);
	mem_free(k->rolls);
	k->rolls = NULL;
}

static void enroll(struct kueue *k, uint32_t local_queue, uint32_t workload)
{
	struct kueue_roll *r = &k->rolls[local_queue];

	r->unsorted = r->unsorted || (r->count > 0 && r->jobs[r->count - 1] > workload);
	r->jobs = mem_grow(r->jobs, r->count + 1, &r->capacity, sizeof(*r->jobs));
	r->jobs[r->count++] = workload;
}

void kueue_roll_add(struct kueue *k, uint32_t job)
{
	uint32_t local_queue = kueue_job(k, job)->common->local_queue;
	const struct kueue_family *family;

	if (k->scenario->update_count == 0 || local_queue >= k->scenario->local_queue_count)
		return;
	if (k->rolls == NULL)
		k->rolls = mem_calloc(k->scenario->local_queue_count, sizeof(*k->rolls));
	enroll(k, local_queue, job);
	if (!kueue_is_parent(k, job))
		return;
	family = &k->families[k->family_of[job]];
	for (uint32_t w = family->first; w < family->first + family->count; w++)
		enroll(k, local_queue, w);
}

/* Over for good: nothing that happens to its queue concerns it. */
static bool is_over(const struct kueue *k, uint32_t job)
{
	return kueue_run(k, job)->phase == JOB_DONE && !kueue_holds(k, job) &&
	       k->jobs[job].place == PLACE_NOWHERE;
}

void kueue_roll_visit(struct kueue *k, uint32_t local_queue, kueue_roll_visitor *visit)
{
	struct kueue_roll *r;
	size_t kept = 0;

	if (k->rolls == NULL)
		return;
	r = &k->rolls[local_queue];
	if (r->unsorted)
		sort_stable(r->jobs, r->count, sizeof(*r->jobs), sort_compare_u32, NULL);
	r->unsorted = false;
	for (size_t i = 0; i < r->count; i++) {
		uint32_t job = r->jobs[i];

		if (is_over(k, job))
			continue;
		r->jobs[kept++] = job;
		visit(k, job);
	}
	r->count = kept;
}
