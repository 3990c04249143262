/* policy_kueue.c - Kueue as an admission policy: what happens in the world goes
 * to its queues, what its cycles decide goes into the plan.
 */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue_cycle.h"
#include "sim/kueue_life.h"
#include "sim/kueue_queue.h"
#include "sim/kueue_update.h"

static void *kueue_open(const struct world *world, struct plan *plan, struct err *err)
{
	struct kueue *k = kueue_state_new(world);

	(void)err;
	k->plan = plan;
	kueue_cycle_open(k);
	return k;
}

static void kueue_close(void *self)
{
	kueue_cycle_close(self);
	kueue_state_free(self);
}

static void kueue_observe(void *self, const struct happening *h, struct plan *plan)
{
	struct kueue *k = self;

	k->plan = plan;
	switch (h->kind) {
	case HAP_SUBMITTED:
		kueue_life_submitted(k, h->job);
		break;
	case HAP_FINISHED:
		kueue_life_finished(k, h->job);
		break;
	case HAP_RELEASED:
		kueue_life_released(k, h->job);
		break;
	case HAP_TIMER:
		kueue_queue_flush(k, (uint32_t)h->cookie);
		break;
	case HAP_UPDATE:
		kueue_update(k, &k->scenario->updates[h->node]);
		break;
	case HAP_DELETED:
	case HAP_PODS_READY:
	case HAP_PODS_LOST:
	case HAP_POD_CREATED:
	case HAP_POD_BOUND:
	case HAP_POD_DELETED:
	case HAP_POD_TERMINATING:
	case HAP_NODE:
		return;
	}
	k->awake = true;
}

static bool kueue_cycle(void *self, struct plan *plan)
{
	struct kueue *k = self;

	k->plan = plan;
	if (!k->awake)
		return false;
	k->awake = kueue_cycle_run(k);
	return k->awake;
}

static void kueue_why(const void *self, uint32_t job, char *buf, size_t size)
{
	(void)self;
	(void)job;
	snprintf(buf, size, "%s", "");
}

const struct policy policy_kueue = {
	.name = "kueue",
	.models = "Kueue v0.19 (ff69552e)",
	.open = kueue_open,
	.close = kueue_close,
	.observe = kueue_observe,
	.cycle = kueue_cycle,
	.why = kueue_why,
};
