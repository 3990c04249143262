#include "sim/kueue_afs.h"

#include <math.h>

#include "core/mem.h"
#include "sim/kueue_queue.h"

#define NANO 1e9

/* One per LocalQueue; vectors are plain quantities (cpu in cores). */
struct kueue_afs {
	double *consumed;  /* [local queue * resource_count + resource], as of last */
	double *pending;   /* charged at reservation, not yet part of consumed */
	double *admitted;  /* in use now by admitted workloads */
	simtime *last;	   /* of consumed */
	uint32_t *charges; /* reservations whose charge is pending */
	bool *sampled;	   /* [queue] since its heap was put in order */
};

void kueue_afs_open(struct kueue *k)
{
	size_t queues = k->scenario->local_queue_count, cells = queues * k->resource_count;

	k->lq_usage = mem_calloc(queues, sizeof(*k->lq_usage));
	if (!k->config->admission_fair_sharing)
		return;
	k->afs = mem_calloc(1, sizeof(*k->afs));
	k->afs->consumed = mem_calloc(cells, sizeof(double));
	k->afs->pending = mem_calloc(cells, sizeof(double));
	k->afs->admitted = mem_calloc(cells, sizeof(double));
	k->afs->last = mem_calloc(queues, sizeof(simtime));
	k->afs->charges = mem_calloc(queues, sizeof(uint32_t));
	k->afs->sampled = mem_calloc(k->queue_count, sizeof(bool));
}

void kueue_afs_close(struct kueue *k)
{
	mem_free(k->lq_usage);
	if (k->afs == NULL)
		return;
	mem_free(k->afs->consumed);
	mem_free(k->afs->pending);
	mem_free(k->afs->admitted);
	mem_free(k->afs->last);
	mem_free(k->afs->charges);
	mem_free(k->afs->sampled);
	mem_free(k->afs);
}

bool kueue_afs_applies(const struct kueue *k, uint32_t queue)
{
	return k->afs != NULL && k->queues[queue].spec->usage_based_fair_sharing;
}

static double alpha(const struct kueue *k, simtime elapsed)
{
	if (k->config->usage_half_life == 0)
		return 0;
	return 1.0 - pow(0.5, (double)elapsed / (double)k->config->usage_half_life);
}

/* Consumed moves towards what is in use now. */
static void decay(struct kueue *k, uint32_t lq, simtime to)
{
	struct kueue_afs *afs = k->afs;
	double a = alpha(k, to > afs->last[lq] ? to - afs->last[lq] : 0);

	for (uint32_t r = 0; r < k->resource_count; r++) {
		size_t i = (size_t)lq * k->resource_count + r;

		afs->consumed[i] = k->config->usage_half_life == 0
					   ? 0
					   : afs->consumed[i] * (1.0 - a) + afs->admitted[i] * a;
	}
	if (to > afs->last[lq])
		afs->last[lq] = to;
}

/* An interval after the last update, whatever caused that, the next sample is due.
 * What is in use has not changed since, so all that are due come to one step to the
 * last of them. True: there was one. */
static bool take_samples(struct kueue *k, uint32_t lq, simtime until)
{
	simtime interval = k->config->usage_sampling;
	simtime last = k->afs->last[lq];

	if (until < last + interval)
		return false;
	decay(k, lq, last + (until - last) / interval * interval);
	return true;
}

static double resource_weight(const struct kueue *k, uint32_t resource)
{
	return k->config->usage_weights == NULL ? 1.0
						: (double)k->config->usage_weights[resource] / NANO;
}

static double usage_of(const struct kueue *k, uint32_t lq)
{
	int64_t weight = k->local_queues[lq]->fair_weight;
	double sum = 0;

	for (uint32_t rank = 0; rank < k->resource_count; rank++) {
		uint32_t r = k->resource_by_rank[rank];
		size_t i = (size_t)lq * k->resource_count + r;

		sum += resource_weight(k, r) * (k->afs->consumed[i] + k->afs->pending[i]);
	}
	return weight <= 0 ? (double)INFINITY : sum / ((double)weight / NANO);
}

static void refresh(struct kueue *k, uint32_t lq)
{
	k->lq_usage[lq] = usage_of(k, lq);
}

static bool is_charged(const struct kueue *k, uint32_t queue)
{
	for (uint32_t lq = 0; lq < k->scenario->local_queue_count; lq++) {
		if (k->local_queues[lq]->cluster_queue == queue && k->afs->charges[lq] > 0)
			return true;
	}
	return false;
}

void kueue_afs_sample(struct kueue *k)
{
	if (k->afs == NULL)
		return;
	for (uint32_t lq = 0; lq < k->scenario->local_queue_count; lq++) {
		uint32_t queue = k->local_queues[lq]->cluster_queue;

		if (queue == SCENARIO_NONE || !kueue_afs_applies(k, queue))
			continue;
		if (take_samples(k, lq, k->world->now))
			k->afs->sampled[queue] = true;
		refresh(k, lq);
	}
	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (kueue_afs_applies(k, i) && (k->afs->sampled[i] || is_charged(k, i)))
			kueue_queue_reorder(k, i);
		k->afs->sampled[i] = false;
	}
}

static double plain(uint32_t resource, int64_t amount)
{
	return res_is_milli(resource) ? (double)amount / 1000.0 : (double)amount;
}

/* What a reservation is charged: a sampling interval's share of the requests. */
static void charge(struct kueue *k, uint32_t job, double sign, double *vector)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	double a = alpha(k, k->config->usage_sampling);

	for (uint32_t s = 0; s < form->set_count; s++) {
		uint32_t count = k->scenario->pod_sets[form->first_pod_set + s].count;

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			const struct kueue_slot *slot = &form->slots[i];

			if (!slot->implied)
				vector[slot->resource] +=
					sign * a *
					plain(slot->resource, res_mul(slot->per_pod, count));
		}
	}
}

static double *row(const struct kueue *k, double *vectors, uint32_t lq)
{
	return &vectors[(size_t)lq * k->resource_count];
}

void kueue_afs_reserved(struct kueue *k, uint32_t job)
{
	uint32_t lq = k->scenario->jobs[job].local_queue;

	if (k->afs == NULL || !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	k->life[job].charged = true;
	k->afs->charges[lq]++;
	charge(k, job, 1.0, row(k, k->afs->pending, lq));
	refresh(k, lq);
}

static void use(struct kueue *k, uint32_t job, double sign)
{
	double *admitted = row(k, k->afs->admitted, k->scenario->jobs[job].local_queue);
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t r = k->column_resource[amounts[i].column];

		admitted[r] += sign * plain(r, amounts[i].amount);
	}
}

static void drop_charge(struct kueue *k, uint32_t job)
{
	if (!k->life[job].charged)
		return;
	k->life[job].charged = false;
	k->afs->charges[k->scenario->jobs[job].local_queue]--;
	charge(k, job, -1.0, row(k, k->afs->pending, k->scenario->jobs[job].local_queue));
}

/* The samples before this instant saw what was in use until now. */
static void note_samples(struct kueue *k, uint32_t lq)
{
	if (take_samples(k, lq, k->world->now - 1))
		k->afs->sampled[k->local_queues[lq]->cluster_queue] = true;
}

void kueue_afs_admitted(struct kueue *k, uint32_t job)
{
	uint32_t lq = k->scenario->jobs[job].local_queue;

	if (k->afs == NULL || !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	note_samples(k, lq);
	use(k, job, 1.0);
	k->life[job].in_use = true;
	decay(k, lq, k->world->now);
	if (k->life[job].charged)
		charge(k, job, 1.0, row(k, k->afs->consumed, lq));
	drop_charge(k, job);
	refresh(k, lq);
}

void kueue_afs_left(struct kueue *k, uint32_t job)
{
	uint32_t lq = k->scenario->jobs[job].local_queue;

	if (k->afs == NULL)
		return;
	if (k->life[job].in_use) {
		note_samples(k, lq);
		use(k, job, -1.0);
		k->life[job].in_use = false;
	}
	drop_charge(k, job);
	if (kueue_afs_applies(k, k->local_queues[lq]->cluster_queue))
		refresh(k, lq);
}
