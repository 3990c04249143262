#include "sim/kueue/kueue_afs.h"

#include <math.h>

#include "core/decimal.h"
#include "core/mem.h"
#include "core/pending.h"
#include "sim/kueue/kueue_queue.h"

#define NANO 1e9

struct decay { /* what is left of the old, and what comes of the new */
	struct decimal_factor old, new;
};

/* By the interval alone, and dear to work out: 0 is no interval. */
#define KNOWN 1024
struct known_decay {
	simtime elapsed;
	struct decay decay;
};

/* What a cycle has to look at, so that it need not look at everything. */
struct list {
	uint32_t *items;
	bool *has; /* [index] */
	size_t count, capacity;
};

/* One per LocalQueue; vectors are plain quantities (cpu in cores). */
struct kueue_afs {
	decimal *consumed;	   /* [local queue * resource_count + resource], as of last */
	decimal *pending;	   /* charged at reservation, not yet part of consumed */
	decimal *admitted;	   /* in use now by admitted workloads */
	struct decay step, none;   /* of a sampling interval, and of no time */
	struct known_decay *known; /* [KNOWN] of intervals that came lately */
	simtime *last;		   /* of consumed */
	uint32_t *charges;	   /* reservations whose charge is pending */
	bool *sampled;		   /* [queue] since its heap was put in order */
	uint32_t *charged;	   /* [queue] charges of its LocalQueues */
	/* LocalQueues by the time of their next sample, or an earlier one: an admission
	 * moves it on. */
	struct pending due;
	struct pending_places *places;
	struct list touched; /* LocalQueues of which something changed since the last cycle */
	bool *stale;	     /* [local queue] so that its usage has to be worked out again */
	struct list astir;   /* queues whose heap may be out of order */
	bool renewed;	     /* objects changed: everything is looked at */
};

static void note(struct list *list, uint32_t index)
{
	if (list->has[index])
		return;
	list->has[index] = true;
	list->items = mem_grow(list->items, list->count + 1, &list->capacity, sizeof(*list->items));
	list->items[list->count++] = index;
}

static void free_list(struct list *list)
{
	mem_free(list->items);
	mem_free(list->has);
}

static double alpha(const struct kueue *k, simtime elapsed)
{
	if (k->config->usage_half_life == 0)
		return 0;
	return 1.0 - pow(0.5, (double)elapsed / (double)k->config->usage_half_life);
}

static struct decay decay_of(const struct kueue *k, simtime elapsed)
{
	double a = alpha(k, elapsed);

	return (struct decay){decimal_factor_of(1.0 - a), decimal_factor_of(a)};
}

/* The same out of memory; intervals that share a place drive each other out. */
static struct decay known_decay_of(const struct kueue *k, simtime elapsed)
{
	uint64_t hash = (uint64_t)elapsed * UINT64_C(0x9e3779b97f4a7c15);
	struct known_decay *known = &k->afs->known[hash >> 54];

	if (elapsed == 0)
		return k->afs->none;
	if (known->elapsed != elapsed)
		*known = (struct known_decay){elapsed, decay_of(k, elapsed)};
	return known->decay;
}

void kueue_afs_open(struct kueue *k)
{
	size_t queues = k->scenario->local_queue_count, cells = queues * k->resource_count;

	k->lq_usage = mem_calloc(queues, sizeof(*k->lq_usage));
	k->lq_seen = mem_calloc(queues, sizeof(*k->lq_seen));
	if (!k->config->admission_fair_sharing)
		return;
	k->afs = mem_calloc(1, sizeof(*k->afs));
	k->afs->consumed = mem_calloc(cells, sizeof(decimal));
	k->afs->pending = mem_calloc(cells, sizeof(decimal));
	k->afs->admitted = mem_calloc(cells, sizeof(decimal));
	k->afs->step = decay_of(k, k->config->usage_sampling);
	k->afs->none = decay_of(k, 0);
	k->afs->known = mem_calloc(KNOWN, sizeof(*k->afs->known));
	k->afs->last = mem_calloc(queues, sizeof(simtime));
	k->afs->charges = mem_calloc(queues, sizeof(uint32_t));
	k->afs->sampled = mem_calloc(k->queue_count, sizeof(bool));
	k->afs->charged = mem_calloc(k->queue_count, sizeof(uint32_t));
	k->afs->places = pending_places_new((uint32_t)queues);
	k->afs->touched.has = mem_calloc(queues, sizeof(bool));
	k->afs->stale = mem_calloc(queues, sizeof(bool));
	k->afs->astir.has = mem_calloc(k->queue_count, sizeof(bool));
	k->afs->renewed = true;
}

void kueue_afs_close(struct kueue *k)
{
	mem_free(k->lq_usage);
	mem_free(k->lq_seen);
	if (k->afs == NULL)
		return;
	mem_free(k->afs->consumed);
	mem_free(k->afs->pending);
	mem_free(k->afs->admitted);
	mem_free(k->afs->last);
	mem_free(k->afs->known);
	mem_free(k->afs->charges);
	mem_free(k->afs->sampled);
	mem_free(k->afs->charged);
	pending_free(&k->afs->due);
	pending_places_free(k->afs->places);
	free_list(&k->afs->touched);
	mem_free(k->afs->stale);
	free_list(&k->afs->astir);
	mem_free(k->afs);
}

bool kueue_afs_applies(const struct kueue *k, uint32_t queue)
{
	return k->afs != NULL && k->queues[queue].spec->usage_based_fair_sharing;
}

/* Consumed moves towards what is in use now. True: it was somewhere else. */
static bool decay(struct kueue *k, uint32_t lq, struct decay by)
{
	struct kueue_afs *afs = k->afs;
	bool moved = false;

	for (uint32_t r = 0; r < k->resource_count; r++) {
		size_t i = (size_t)lq * k->resource_count + r;
		decimal now;

		if (afs->consumed[i] == 0 && afs->admitted[i] == 0)
			continue;
		now = decimal_scale(afs->consumed[i], by.old) +
		      decimal_scale(afs->admitted[i], by.new);
		moved = moved || now != afs->consumed[i];
		afs->consumed[i] = now;
	}
	return moved;
}

static void decay_to(struct kueue *k, uint32_t lq, simtime to)
{
	simtime elapsed = to > k->afs->last[lq] ? to - k->afs->last[lq] : 0;

	decay(k, lq, known_decay_of(k, elapsed));
	k->afs->last[lq] += elapsed;
}

/* An interval after the last update, whatever caused that, the next sample is due.
 * What is in use has not changed since; so where a step does not move it, none of
 * those behind it will. True: there was one. */
static bool take_samples(struct kueue *k, uint32_t lq, simtime until)
{
	simtime interval = k->config->usage_sampling;
	simtime count = (until - k->afs->last[lq]) / interval;

	if (until < k->afs->last[lq] + interval)
		return false;
	for (simtime i = 0; i < count && decay(k, lq, k->afs->step); i++)
		;
	k->afs->last[lq] += count * interval;
	return true;
}

static double resource_weight(const struct kueue *k, uint32_t resource)
{
	return k->config->usage_weights == NULL ? 1.0
						: (double)k->config->usage_weights[resource] / NANO;
}

/* As Kueue reads what the API server keeps: 0.7 is 700m, and that 700 times 1e-3. */
static double weight_value(int64_t nano)
{
	static const double units[] = {1e-9, 1e-6, 1e-3, 1};
	size_t unit = 0;

	for (; nano % 1000 == 0 && unit < 3; unit++)
		nano /= 1000;
	return (double)nano * units[unit];
}

static double usage_of(const struct kueue *k, uint32_t lq)
{
	int64_t weight = k->local_queues[lq]->fair_weight;
	double sum = 0;

	for (uint32_t rank = 0; rank < k->resource_count; rank++) {
		uint32_t r = k->resource_by_rank[rank];
		size_t i = (size_t)lq * k->resource_count + r;
		decimal used = k->afs->consumed[i] + k->afs->pending[i];

		if (used != 0)
			sum += resource_weight(k, r) * decimal_value(used);
	}
	return weight <= 0 ? (double)INFINITY : sum / weight_value(weight);
}

/* Heaps that were not laid out yet are by what the usage was. */
static void set_usage(struct kueue *k, uint32_t lq)
{
	double usage = usage_of(k, lq);
	uint32_t queue = k->local_queues[lq]->cluster_queue;

	if (usage != k->lq_usage[lq] && queue != SCENARIO_NONE)
		kueue_queue_lay_out(k, queue);
	k->lq_usage[lq] = usage;
	k->afs->stale[lq] = false;
}

static void refresh(struct kueue *k, uint32_t lq)
{
	set_usage(k, lq);
	note(&k->afs->touched, lq);
}

static void touch(struct kueue *k, uint32_t lq)
{
	k->afs->stale[lq] = true;
	note(&k->afs->touched, lq);
}

static bool lq_applies(const struct kueue *k, uint32_t lq)
{
	uint32_t queue = k->local_queues[lq]->cluster_queue;

	return queue != SCENARIO_NONE && kueue_afs_applies(k, queue);
}

static void stir(struct kueue *k, uint32_t lq)
{
	uint32_t queue = k->local_queues[lq]->cluster_queue;

	touch(k, lq);
	if (queue == SCENARIO_NONE)
		return;
	k->afs->sampled[queue] = true;
	note(&k->afs->astir, queue);
}

static void expect_sample(struct kueue *k, uint32_t lq)
{
	struct pending_item item = {.key = clock_add(k->afs->last[lq], k->config->usage_sampling),
				    .tie = lq,
				    .job = lq};

	pending_push(&k->afs->due, k->afs->places, &item);
}

void kueue_afs_renew(struct kueue *k)
{
	if (k->afs == NULL)
		return;
	for (uint32_t i = 0; i < k->queue_count; i++)
		kueue_queue_lay_out(k, i);
	k->afs->renewed = true;
}

/* Which LocalQueues take part, of which queues, and what they weigh may be other now. */
static void renew(struct kueue *k)
{
	struct kueue_afs *afs = k->afs;

	for (uint32_t i = 0; i < k->queue_count; i++)
		afs->charged[i] = 0;
	for (uint32_t lq = 0; lq < k->scenario->local_queue_count; lq++) {
		uint32_t queue = k->local_queues[lq]->cluster_queue;

		if (pending_stands(afs->places, lq))
			pending_leave(&afs->due, afs->places, lq);
		if (queue == SCENARIO_NONE)
			continue;
		afs->charged[queue] += afs->charges[lq];
		note(&afs->astir, queue);
		touch(k, lq);
		if (lq_applies(k, lq))
			expect_sample(k, lq);
	}
	afs->renewed = false;
}

static void sample_due(struct kueue *k)
{
	struct kueue_afs *afs = k->afs;

	while (afs->due.count > 0 && afs->due.items[0].key <= k->world->now) {
		uint32_t lq = pending_first(&afs->due);

		pending_leave(&afs->due, afs->places, lq);
		if (take_samples(k, lq, k->world->now))
			stir(k, lq);
		expect_sample(k, lq);
	}
}

static void see_touched(struct kueue *k)
{
	struct list *touched = &k->afs->touched;

	for (size_t i = 0; i < touched->count; i++) {
		uint32_t lq = touched->items[i];

		touched->has[lq] = false;
		if (!lq_applies(k, lq))
			continue;
		if (k->afs->stale[lq])
			set_usage(k, lq);
		k->afs->stale[lq] = false;
		k->lq_changes += k->lq_usage[lq] != k->lq_seen[lq];
		k->lq_seen[lq] = k->lq_usage[lq];
	}
	touched->count = 0;
}

static void put_in_order(struct kueue *k)
{
	struct kueue_afs *afs = k->afs;
	size_t kept = 0;

	for (size_t i = 0; i < afs->astir.count; i++) {
		uint32_t queue = afs->astir.items[i];

		if (kueue_afs_applies(k, queue) && (afs->sampled[queue] || afs->charged[queue] > 0))
			kueue_queue_reorder(k, queue);
		afs->sampled[queue] = false;
		afs->astir.has[queue] = afs->charged[queue] > 0;
		if (afs->charged[queue] > 0)
			afs->astir.items[kept++] = queue;
	}
	afs->astir.count = kept;
}

/* Kueue samples every LocalQueue by itself; a cycle of the real scheduler sees what the
 * samples made of it. Usage is the same as long as nothing was sampled, reserved, admitted
 * or given back and no object changed: so what is not noted need not be looked at. */
void kueue_afs_sample(struct kueue *k)
{
	if (k->afs == NULL)
		return;
	if (k->afs->renewed)
		renew(k);
	sample_due(k);
	see_touched(k);
	put_in_order(k);
}

static decimal plain(uint32_t resource, int64_t amount)
{
	return decimal_of(amount, res_is_milli(resource) ? 1000 : 1);
}

/* All pods' requests of the resource that the queue has to count. */
static int64_t request_of(const struct kueue *k, uint32_t job, uint32_t resource)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	int64_t sum = 0;

	if (k->config->ignore_undeclared &&
	    k->queues[kueue_queue_of(k, job)].group_of[resource] == KUEUE_GROUPS_MAX)
		return 0;
	for (uint32_t s = 0; s < form->set_count; s++) {
		uint32_t count = form->counts[s];

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			const struct kueue_slot *slot = &form->slots[i];

			if (!slot->implied && slot->resource == resource)
				sum = res_add(sum, res_mul(slot->per_pod, count));
		}
	}
	return sum;
}

/* What a reservation is charged: a sampling interval's share of the requests. */
static void charge(struct kueue *k, uint32_t job, int sign, decimal *vector)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint64_t done = 0;

	for (uint32_t i = 0; i < form->slot_count; i++) {
		uint32_t r = form->slots[i].resource;

		if (form->slots[i].implied || (done >> r & 1) != 0)
			continue;
		done |= UINT64_C(1) << r;
		vector[r] +=
			sign * decimal_scale(plain(r, request_of(k, job, r)), k->afs->step.new);
	}
}

static decimal *row(const struct kueue *k, decimal *vectors, uint32_t lq)
{
	return &vectors[(size_t)lq * k->resource_count];
}

static void add_charges(struct kueue *k, uint32_t lq, int more)
{
	uint32_t queue = k->local_queues[lq]->cluster_queue;

	k->afs->charges[lq] += (uint32_t)more;
	if (queue == SCENARIO_NONE)
		return;
	k->afs->charged[queue] += (uint32_t)more;
	note(&k->afs->astir, queue);
}

void kueue_afs_reserved(struct kueue *k, uint32_t job)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	if (k->afs == NULL || kueue_life_of(k, job)->charged ||
	    !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	kueue_life_own(k, job)->charged = true;
	add_charges(k, lq, 1);
	charge(k, job, 1, row(k, k->afs->pending, lq));
	refresh(k, lq);
}

static void use(struct kueue *k, uint32_t job, int sign)
{
	decimal *admitted = row(k, k->afs->admitted, kueue_job(k, job)->common->local_queue);
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t r = k->column_resource[amounts[i].column];

		admitted[r] += sign * plain(r, amounts[i].amount);
	}
}

static void drop_charge(struct kueue *k, uint32_t job)
{
	kueue_life_own(k, job)->charged = false;
	add_charges(k, kueue_job(k, job)->common->local_queue, -1);
	charge(k, job, -1, row(k, k->afs->pending, kueue_job(k, job)->common->local_queue));
}

/* The samples before this instant saw what was in use until now. */
static void note_samples(struct kueue *k, uint32_t lq)
{
	if (take_samples(k, lq, k->world->now - 1))
		stir(k, lq);
}

void kueue_afs_admitted(struct kueue *k, uint32_t job)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	if (k->afs == NULL || !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	note_samples(k, lq);
	use(k, job, 1);
	kueue_life_own(k, job)->in_use = true;
	decay_to(k, lq, k->world->now);
	if (kueue_life_of(k, job)->charged) {
		charge(k, job, 1, row(k, k->afs->consumed, lq));
		drop_charge(k, job);
	}
	refresh(k, lq);
}

static void refresh_if_applies(struct kueue *k, uint32_t lq)
{
	if (kueue_afs_applies(k, k->local_queues[lq]->cluster_queue))
		refresh(k, lq);
}

void kueue_afs_change(struct kueue *k, uint32_t job, int sign)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	if (k->afs == NULL || !kueue_life_of(k, job)->in_use)
		return;
	note_samples(k, lq);
	use(k, job, sign);
	touch(k, lq);
}

void kueue_afs_left(struct kueue *k, uint32_t job)
{
	uint32_t lq = kueue_job(k, job)->common->local_queue;

	if (k->afs == NULL || !kueue_life_of(k, job)->in_use)
		return;
	note_samples(k, lq);
	use(k, job, -1);
	kueue_life_own(k, job)->in_use = false;
	refresh_if_applies(k, lq);
}

void kueue_afs_forget(struct kueue *k, uint32_t job)
{
	if (k->afs == NULL || !kueue_life_of(k, job)->charged)
		return;
	drop_charge(k, job);
	refresh_if_applies(k, kueue_job(k, job)->common->local_queue);
}
