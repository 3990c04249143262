/* policy_kueue.c - Kueue as an admission policy: what happens in the world goes
 * to its queues, what its cycles decide goes into the plan.
 */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_account.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_checks.h"
#include "sim/kueue/kueue_cycle.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_nodes.h"
#include "sim/kueue/kueue_provision.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_reclaim.h"
#include "sim/kueue/kueue_roll.h"
#include "sim/kueue/kueue_second.h"
#include "sim/kueue/kueue_setup.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_slice.h"
#include "sim/kueue/kueue_spot.h"
#include "sim/kueue/kueue_update.h"
#include "sim/kueue/kueue_variant.h"
#include "sim/kueue/kueue_wake.h"

static void *kueue_open(const struct world *world, struct plan *plan, struct err *err)
{
	struct kueue *k = kueue_setup_new(world);

	(void)err;
	k->plan = plan;
	kueue_afs_open(k);
	kueue_spot_open(k);
	kueue_nodes_open(k);
	kueue_wake_open(k);
	kueue_cycle_open(k);
	kueue_provision_open(k);
	kueue_life_open(k);
	k->spares_timers = world->options->max_time == CLOCK_NEVER &&
			   !(k->config->wait_for_pods_ready && k->config->block_admission) &&
			   k->scenario->update_count == 0 && !k->config->searches_anew;
	return k;
}

static void kueue_close(void *self)
{
	kueue_provision_close(self);
	kueue_cycle_close(self);
	kueue_afs_close(self);
	kueue_spot_close(self);
	kueue_wake_close(self);
	kueue_roll_close(self);
	kueue_setup_free(self);
}

/* While a cycle waits its view of the queues must stay as it is. */
static void update(struct kueue *k, uint32_t index)
{
	if (!k->open) {
		kueue_update(k, &k->scenario->updates[index]);
		kueue_checks_settle(k);
		return;
	}
	kueue_update_ahead(k, &k->scenario->updates[index]);
	kueue_checks_settle(k);
	k->postponed = mem_grow(k->postponed, k->postponed_count + 1, &k->postponed_capacity,
				sizeof(*k->postponed));
	k->postponed[k->postponed_count++] = index;
}

static bool lags_behind(const struct kueue *k)
{
	return k->postponed_count + k->resized_count + k->done_pod_count > 0 ||
	       kueue_update_pending(k);
}

static void catch_up(struct kueue *k)
{
	k->catching_up = true;
	for (size_t i = 0; i < k->postponed_count; i++)
		kueue_update_behind(k, &k->scenario->updates[k->postponed[i]]);
	k->catching_up = false;
	k->postponed_count = 0;
	kueue_checks_settle(k);
	kueue_slice_settle(k);
	kueue_reclaim_settle(k);
	kueue_update_settle(k);
}

/* False: it only asks for flushes, which let cycles run when they are due, or finds all as it
 * was. (Kueue's scheduler is woken by what goes into a queue, not by a reconcile.) */
static bool timer(struct kueue *k, const struct happening *h)
{
	uint32_t subject;

	switch (kueue_timer_of(k, h->cookie, &subject)) {
	case TIMER_FLUSH:
		kueue_queue_flush(k, subject);
		break;
	case TIMER_CHECK:
		return kueue_checks_answer(k, subject);
	case TIMER_DEACTIVATE:
		kueue_life_switch_off(k, subject);
		break;
	case TIMER_REACTIVATE:
		kueue_life_switch_on(k, subject);
		break;
	case TIMER_UNGATE:
		kueue_life_ungate(k, subject);
		break;
	case TIMER_RESIZE:
		kueue_slice_resized(k, subject);
		break;
	case TIMER_FILE:
		kueue_life_file(k, subject);
		break;
	case TIMER_RECONCILE:
		kueue_checks_reconcile(k, subject);
		kueue_ready_reconcile(k, subject);
		break;
	case TIMER_SECOND_PASS:
		kueue_second_due(k, subject);
		break;
	case TIMER_NODE:
		return kueue_nodes_due(k, subject);
	case TIMER_WAKE_FLAVOR:
		kueue_wake_flavor_due(k, subject);
		return false;
	case TIMER_WAKE_FREED:
		kueue_wake_freed_due(k);
		return false;
	case TIMER_VARIANT:
		kueue_sibling_touch(k, subject);
		break;
	}
	return true;
}

/* What is reclaimed only grows (webhook of Workloads). */
static void reclaim(struct kueue *k, uint32_t job)
{
	uint32_t pods = 0;

	for (uint32_t s = 0; s < kueue_job(k, job)->common->pod_set_count; s++)
		pods += world_reclaimable(k->world, kueue_job_of(k, job), s);

	if (pods > kueue_life_of(k, job)->reclaimed)
		kueue_reclaim(k, job, pods);
}

/* False: it is nothing that lets cycles run. */
KUEUE_SELDOM static bool hear(struct kueue *k, const struct happening *h)
{
	switch (h->kind) {
	case HAP_SUBMITTED:
		kueue_life_submitted(k, h->job);
		break;
	case HAP_FINISHED:
		kueue_life_finished(k, h->job);
		break;
	case HAP_RELEASED:
		kueue_provision_released(k, h->job);
		kueue_life_released(k, h->job);
		break;
	case HAP_TIMER:
		return timer(k, h);
	case HAP_PROVISIONING:
		kueue_checks_provisioning(k, h);
		break;
	case HAP_DELETED:
		kueue_life_deleted(k, h->job);
		break;
	case HAP_PODS_READY:
		kueue_ready_pods(k, h->job);
		break;
	case HAP_PODS_LOST:
		kueue_ready_lost(k, h->job);
		break;
	case HAP_NODE:
		if (h->same)
			break;
		kueue_update_node(k, h->node);
		kueue_nodes_changed(k, h->node);
		break;
	case HAP_UPDATE:
		update(k, h->node);
		break;
	case HAP_POD_BOUND:
		if (k->topology != NULL)
			kueue_update_pod(k, h->pod, h->node, 1);
		return false;
	case HAP_POD_DELETED:
		if (k->topology == NULL)
			return false;
		kueue_nodes_pod(k, h->pod, h->node);
		if (!kueue_update_pod(k, h->pod, h->node, -1))
			return false;
		break;
	case HAP_POD_TERMINATING:
		kueue_nodes_pod(k, h->pod, h->node);
		return false;
	case HAP_POD_SUCCEEDED:
		reclaim(k, h->job);
		break;
	case HAP_RESIZED:
		kueue_slice_resized(k, h->job);
		break;
	case HAP_POD_CREATED:
		return false;
	}
	return true;
}

/* Of a job, and of one that has variants? */
static bool tells_parent(const struct kueue *k, const struct happening *h)
{
	return k->family_of != NULL && h->kind != HAP_TIMER && h->kind != HAP_NODE &&
	       h->kind != HAP_UPDATE && h->kind < HAP_POD_CREATED && kueue_is_parent(k, h->job);
}

static bool comes_after_samples(const struct kueue *k, const struct happening *h)
{
	uint32_t subject;

	return h->kind == HAP_UPDATE || h->kind == HAP_SUBMITTED ||
	       (h->kind == HAP_TIMER && kueue_timer_of(k, h->cookie, &subject) == TIMER_FLUSH);
}

/* What else there is to look at on any occasion. */
KUEUE_SELDOM static void observe_all(struct kueue *k, const struct happening *h)
{
	size_t from = k->plan->count;

	if (k->afs != NULL)
		kueue_afs_pass(k, comes_after_samples(k, h));
	if (tells_parent(k, h))
		kueue_variant_observe(k, h);
	else if (!hear(k, h))
		return;
	if (!k->open && kueue_update_pending(k))
		kueue_update_settle(k);
	kueue_variant_settle(k, from);
	k->awake = true;
}

KUEUE_SELDOM static void observe_any(struct kueue *k, const struct happening *h)
{
	if (hear(k, h))
		k->awake = true;
}

/* In a simple run, in which most is of these kinds. */
static void observe_simple(struct kueue *k, const struct happening *h)
{
	if (h->kind != HAP_SUBMITTED && h->kind != HAP_FINISHED && h->kind != HAP_PODS_READY) {
		observe_any(k, h);
		return;
	}
	k->awake = true;
	if (h->kind == HAP_SUBMITTED)
		kueue_life_submitted(k, h->job);
	else if (h->kind == HAP_FINISHED)
		kueue_life_finished(k, h->job);
	else
		kueue_ready_pods(k, h->job);
}

static void kueue_observe(void *self, const struct happening *h, struct plan *plan)
{
	struct kueue *k = self;

	k->plan = plan;
	if (k->simple)
		observe_simple(k, h);
	else
		observe_all(k, h);
}

/* They matter to topologies, which are there from the beginning if they ever are. */
static bool heeds_pods(const void *self)
{
	return ((const struct kueue *)self)->topology != NULL;
}

KUEUE_SELDOM static bool run_cycle(struct kueue *k)
{
	size_t from = k->plan->count;

	k->awake = kueue_cycle_run(k);
	if (!k->open && lags_behind(k))
		catch_up(k);
	kueue_variant_settle(k, from);
	return k->awake;
}

static bool kueue_cycle(void *self, struct plan *plan)
{
	struct kueue *k = self;

	k->plan = plan;
	k->scheduled = k->world->now;
	if (k->awake && k->simple) { /* nothing lags behind, as there are no updates */
		kueue_ready_watch(k);
		k->awake = !kueue_cycle_is_idle(k);
	}
	return k->awake && run_cycle(k);
}

/* Nothing would come of a spared timer unless it let cycles run that have heads. */
KUEUE_SELDOM static void settle_timers(struct kueue *k, bool last)
{
	kueue_ready_settle(k);
	if (last || k->ready_count > 0) {
		kueue_queue_expect_flushes(k);
		kueue_ready_expect(k);
	}
}

static void kueue_scheduled(void *self, bool last, struct plan *plan)
{
	struct kueue *k = self;

	k->plan = plan;
	if (last || k->fresh_watched > 0 || k->ready_count > 0)
		settle_timers(k, last);
}

static void kueue_why(const void *self, uint32_t job, char *buf, size_t size)
{
	struct kueue *k = ((const struct kueue *)self)->me;

	buf[0] = '\0';
	if (kueue_life_waits(k, job))
		kueue_variant_why(k, job, buf, size);
}

const struct policy policy_kueue = {
	.name = "kueue",
	.models = "Kueue v0.19 (ff69552e)",
	.recovers_pods = true,
	.frees_at_once = true,
	.open = kueue_open,
	.close = kueue_close,
	.observe = kueue_observe,
	.heeds_pods = heeds_pods,
	.cycle = kueue_cycle,
	.scheduled = kueue_scheduled,
	.why = kueue_why,
	.account = kueue_account,
};
