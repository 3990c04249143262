#include "sim/kueue/kueue_second.h"

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"

#define FIRST_WAIT CLOCK_SECOND
#define MOST_WAIT  (30 * CLOCK_SECOND)

/* It is admitted, and a node that its pods are on failed. */
static bool has_unhealthy(const struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	bool any = false;

	for (uint32_t i = 0; i < hold->spot_count; i++)
		any = any || hold->spots[i].place == kueue_life_of(k, job)->replaces;
	return any && kueue_life_of(k, job)->admitted >= 0;
}

static bool is_needed(const struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold;

	if (!kueue_holds(k, job))
		return false;
	hold = &k->holds[k->jobs[job].hold];
	return !hold->evicted && (hold->awaits || has_unhealthy(k, job));
}

void kueue_second_wait(struct kueue *k, uint32_t job)
{
	struct kueue_life *life = kueue_life_own(k, job);
	simtime wait = kueue_life_back_off(FIRST_WAIT, MOST_WAIT, life->passes + 1);

	if (life->second_due >= 0)
		return;
	life->second_due = clock_add(k->world->now, wait);
	kueue_timer(k, life->second_due, TIMER_SECOND_PASS, job);
}

void kueue_second_due(struct kueue *k, uint32_t job)
{
	if (kueue_life_of(k, job)->second_due != k->world->now)
		return;
	kueue_life_own(k, job)->second_due = -1;
	k->second =
		mem_grow(k->second, k->second_count + 1, &k->second_capacity, sizeof(*k->second));
	k->second[k->second_count++] = job;
}

uint32_t kueue_second_pop(struct kueue *k)
{
	while (k->second_count > 0) {
		uint32_t job = k->second[--k->second_count];

		if (is_needed(k, job))
			return job;
	}
	return JOB_NONE;
}

void kueue_second_failed(struct kueue *k, uint32_t job, const char *message)
{
	struct decision *d;

	if (!is_needed(k, job))
		return;
	d = plan_add(k->plan, DECIDE_SECOND_PASS_FAILED);
	d->job = job;
	if (message != NULL)
		d->message = journal_string(k->world->journal, message);
	kueue_life_own(k, job)->passes++;
	kueue_second_wait(k, job);
}
