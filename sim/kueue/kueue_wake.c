#include "sim/kueue/kueue_wake.h"

#include "core/mem.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_spot.h"

#define FREED_PERIOD (10 * CLOCK_SECOND)

struct kueue_wake {
	bool *flavors;	 /* [flavor] its timer is set */
	uint32_t *freed; /* nodes, each once */
	bool *is_freed;	 /* [node] */
	uint32_t freed_count;
};

void kueue_wake_open(struct kueue *k)
{
	if (k->topology == NULL)
		return;
	k->wake = mem_calloc(1, sizeof(*k->wake));
	k->wake->flavors = mem_calloc(k->flavor_count + 1U, sizeof(*k->wake->flavors));
	k->wake->freed = mem_calloc(k->world->node_count + 1U, sizeof(*k->wake->freed));
	k->wake->is_freed = mem_calloc(k->world->node_count + 1U, sizeof(*k->wake->is_freed));
}

void kueue_wake_close(struct kueue *k)
{
	if (k->wake == NULL)
		return;
	mem_free(k->wake->flavors);
	mem_free(k->wake->freed);
	mem_free(k->wake->is_freed);
	mem_free(k->wake);
}

void kueue_wake_all(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (k->queues[i].active)
			kueue_queue_request_flush(k, i);
	}
}

void kueue_wake_node(struct kueue *k, uint32_t node)
{
	simtime batch = k->world->options->requeue_batch;

	for (uint32_t f = 0; k->wake != NULL && f < k->flavor_count; f++) {
		if (k->wake->flavors[f] || !kueue_spot_belongs(k, f, node))
			continue;
		if (batch == 0) {
			kueue_wake_all(k);
			return;
		}
		k->wake->flavors[f] = true;
		kueue_timer(k, clock_add(k->world->now, batch), TIMER_WAKE_FLAVOR, f);
	}
}

void kueue_wake_flavor_due(struct kueue *k, uint32_t flavor)
{
	k->wake->flavors[flavor] = false;
	kueue_wake_all(k);
}

static void flush_concerned(struct kueue *k, uint32_t node)
{
	if (k->world->nodes[node].deleted)
		return; /* that woke everybody */
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (kueue_spot_concerns(k, i, node))
			kueue_queue_request_flush(k, i);
	}
}

/* The period's phase is that of the run: its clock begins as Kueue does. */
bool kueue_wake_freed(struct kueue *k, uint32_t node)
{
	struct kueue_wake *wake = k->wake;

	if (k->world->options->requeue_batch == 0) {
		flush_concerned(k, node);
		return true;
	}
	if (wake->is_freed[node])
		return false;
	wake->is_freed[node] = true;
	wake->freed[wake->freed_count++] = node;
	if (wake->freed_count == 1)
		kueue_timer(k,
			    clock_add(k->world->now, FREED_PERIOD - k->world->now % FREED_PERIOD),
			    TIMER_WAKE_FREED, 0);
	return false;
}

void kueue_wake_freed_due(struct kueue *k)
{
	struct kueue_wake *wake = k->wake;

	for (uint32_t i = 0; i < wake->freed_count; i++) {
		flush_concerned(k, wake->freed[i]);
		wake->is_freed[wake->freed[i]] = false;
	}
	wake->freed_count = 0;
}
