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
	bool *disordered;	   /* [queue] usage changed, and its heap was not put in order */
	uint32_t *charged;	   /* [queue] charges of its LocalQueues */
	/* LocalQueues that serve, and whose queues do, by the time Kueue reconciles them, which may
	 * be early for a sample. */
	struct pending due;
	struct pending_places *places;
	uint32_t *first, *next; /* [queue], [local queue]: those of a queue; SCENARIO_NONE */
	struct list touched;	/* LocalQueues whose usage changed since the last cycle */
	struct list charging;	/* queues that may have charges */
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
	k->afs->disordered = mem_calloc(k->queue_count, sizeof(bool));
	k->afs->charged = mem_calloc(k->queue_count, sizeof(uint32_t));
	k->afs->places = pending_places_new((uint32_t)queues);
	k->afs->touched.has = mem_calloc(queues, sizeof(bool));
	k->afs->charging.has = mem_calloc(k->queue_count, sizeof(bool));
	k->afs->first = mem_calloc(k->queue_count, sizeof(uint32_t));
	k->afs->next = mem_calloc(queues, sizeof(uint32_t));
	kueue_afs_renew(k);
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
	mem_free(k->afs->disordered);
	mem_free(k->afs->charged);
	pending_free(&k->afs->due);
	pending_places_free(k->afs->places);
	free_list(&k->afs->touched);
	free_list(&k->afs->charging);
	mem_free(k->afs->first);
	mem_free(k->afs->next);
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

/* Does another usage of the LocalQueue change the order of those of its queue? */
static bool reorders(const struct kueue *k, uint32_t queue, uint32_t lq, double to)
{
	double from = k->lq_usage[lq];

	for (uint32_t i = k->afs->first[queue]; i != SCENARIO_NONE; i = k->afs->next[i]) {
		double other = k->lq_usage[i];

		if (i != lq && ((from < other) != (to < other) || (from > other) != (to > other)))
			return true;
	}
	return false;
}

static bool has_order(const struct kueue *k, uint32_t queue)
{
	return queue != SCENARIO_NONE &&
	       (k->queues[queue].deferred || k->queues[queue].plain_count > 1);
}

static void refresh(struct kueue *k, uint32_t lq)
{
	struct kueue_afs *afs = k->afs;
	uint32_t queue = k->local_queues[lq]->cluster_queue;
	double usage = usage_of(k, lq);

	if (usage == k->lq_usage[lq])
		return;
	if (has_order(k, queue) && (k->queues[queue].deferred || !afs->disordered[queue]) &&
	    reorders(k, queue, lq, usage)) {
		kueue_queue_lay_out(k, queue); /* by what the usage was */
		afs->disordered[queue] = true;
	}
	k->lq_usage[lq] = usage;
	note(&afs->touched, lq);
}

/* What is in order stays as it is, so nothing is done for it. */
static void put_in_order(struct kueue *k, uint32_t queue)
{
	if (!k->afs->disordered[queue])
		return;
	kueue_queue_reorder(k, queue);
	k->afs->disordered[queue] = false;
}

static void expect_reconcile(struct kueue *k, uint32_t lq, simtime at)
{
	struct pending_item item = {.key = at, .tie = lq, .job = lq};

	pending_push(&k->afs->due, k->afs->places, &item);
}

/* What is in use has not changed since; so where a step does not move it, none of those
 * behind it will. */
static void skip_samples(struct kueue *k, uint32_t lq, simtime until)
{
	simtime interval = k->config->usage_sampling;
	simtime count = (until - k->afs->last[lq]) / interval;

	for (simtime i = 0; i < count && decay(k, lq, k->afs->step); i++)
		;
	k->afs->last[lq] += count * interval;
}

/* LocalQueueReconciler.Reconcile: an interval after the last update, whatever caused that,
 * the next sample is due, or at once while a charge is pending. Then the heap is put in
 * order. Nobody waits for an order of less than two: their samples are taken at once. */
static void reconcile(struct kueue *k, uint32_t lq, simtime now, simtime until)
{
	struct kueue_afs *afs = k->afs;
	simtime interval = k->config->usage_sampling;
	uint32_t queue = k->local_queues[lq]->cluster_queue;

	if (now - afs->last[lq] < interval && afs->charges[lq] == 0) {
		expect_reconcile(k, lq, clock_add(afs->last[lq], interval));
		return;
	}
	decay_to(k, lq, now);
	if (!has_order(k, queue))
		skip_samples(k, lq, until);
	refresh(k, lq);
	put_in_order(k, queue);
	expect_reconcile(k, lq, clock_add(afs->last[lq], interval));
}

static void advance(struct kueue *k, simtime until)
{
	struct kueue_afs *afs = k->afs;

	while (afs->due.count > 0 && afs->due.items[0].key <= until) {
		simtime at = afs->due.items[0].key;
		uint32_t lq = pending_first(&afs->due);

		pending_leave(&afs->due, afs->places, lq);
		reconcile(k, lq, at, until);
	}
}

void kueue_afs_pass(struct kueue *k, bool now)
{
	if (k->afs != NULL)
		advance(k, now ? k->world->now : k->world->now - 1);
}

/* A LocalQueue that is stopped, or whose queue is inactive, is not sampled; once it serves
 * again it is looked at. */
static void renew_serving(struct kueue *k, uint32_t lq)
{
	struct kueue_afs *afs = k->afs;
	uint32_t queue = k->local_queues[lq]->cluster_queue;
	bool did = pending_stands(afs->places, lq);
	bool does = queue != SCENARIO_NONE && kueue_lq_serves(k->local_queues[lq]) &&
		    k->queues[queue].active;

	if (did == does)
		return;
	if (did)
		pending_leave(&afs->due, afs->places, lq);
	else
		reconcile(k, lq, k->world->now, k->world->now);
}

static void renew_lists(struct kueue *k)
{
	struct kueue_afs *afs = k->afs;

	for (uint32_t i = 0; i < k->queue_count; i++) {
		afs->first[i] = SCENARIO_NONE;
		afs->charged[i] = 0;
	}
	for (uint32_t lq = k->scenario->local_queue_count; lq-- > 0;) {
		uint32_t queue = k->local_queues[lq]->cluster_queue;

		if (queue == SCENARIO_NONE)
			continue;
		afs->next[lq] = afs->first[queue];
		afs->first[queue] = lq;
		afs->charged[queue] += afs->charges[lq];
		note(&afs->charging, queue);
	}
}

void kueue_afs_prepare(struct kueue *k)
{
	for (uint32_t i = 0; k->afs != NULL && i < k->queue_count; i++)
		kueue_queue_lay_out(k, i);
}

/* Another weight puts the heap in order at once (ClusterQueue.UpdateLocalQueueWeight). */
void kueue_afs_renew(struct kueue *k)
{
	if (k->afs == NULL)
		return;
	renew_lists(k);
	for (uint32_t lq = 0; lq < k->scenario->local_queue_count; lq++) {
		uint32_t queue = k->local_queues[lq]->cluster_queue;
		bool was = queue != SCENARIO_NONE && k->afs->disordered[queue];

		refresh(k, lq);
		if (queue != SCENARIO_NONE && !was)
			put_in_order(k, queue);
		renew_serving(k, lq);
	}
}

static void see_touched(struct kueue *k)
{
	struct list *touched = &k->afs->touched;

	for (size_t i = 0; i < touched->count; i++) {
		uint32_t lq = touched->items[i];

		touched->has[lq] = false;
		k->lq_changes += k->lq_usage[lq] != k->lq_seen[lq];
		k->lq_seen[lq] = k->lq_usage[lq];
	}
	touched->count = 0;
}

/* Who is popped from a queue with pending charges is the first by what holds now. */
static void order_charged(struct kueue *k)
{
	struct kueue_afs *afs = k->afs;
	size_t kept = 0;

	for (size_t i = 0; i < afs->charging.count; i++) {
		uint32_t queue = afs->charging.items[i];

		afs->charging.has[queue] = afs->charged[queue] > 0;
		if (afs->charged[queue] == 0)
			continue;
		afs->charging.items[kept++] = queue;
		if (k->queues[queue].active)
			put_in_order(k, queue);
	}
	afs->charging.count = kept;
}

void kueue_afs_begin(struct kueue *k)
{
	if (k->afs == NULL)
		return;
	see_touched(k);
	order_charged(k);
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
	note(&k->afs->charging, queue);
}

void kueue_afs_reserved(struct kueue *k, uint32_t job)
{
	uint32_t lq;

	if (k->afs == NULL || kueue_life_of(k, job)->charged ||
	    !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	lq = kueue_job(k, job)->common->local_queue;
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

void kueue_afs_admitted(struct kueue *k, uint32_t job)
{
	uint32_t lq;

	if (k->afs == NULL || !kueue_afs_applies(k, k->holds[k->jobs[job].hold].queue))
		return;
	lq = kueue_job(k, job)->common->local_queue;
	use(k, job, 1);
	kueue_life_own(k, job)->in_use = true;
	decay_to(k, lq, k->world->now);
	if (kueue_life_of(k, job)->charged) {
		charge(k, job, 1, row(k, k->afs->consumed, lq));
		drop_charge(k, job);
	}
	refresh(k, lq);
}

void kueue_afs_change(struct kueue *k, uint32_t job, int sign)
{
	if (k->afs == NULL || !kueue_life_of(k, job)->in_use)
		return;
	use(k, job, sign);
}

void kueue_afs_left(struct kueue *k, uint32_t job)
{
	if (k->afs == NULL || !kueue_life_of(k, job)->in_use)
		return;
	use(k, job, -1);
	kueue_life_own(k, job)->in_use = false;
}

void kueue_afs_forget(struct kueue *k, uint32_t job)
{
	if (k->afs == NULL || !kueue_life_of(k, job)->charged)
		return;
	drop_charge(k, job);
	refresh(k, kueue_job(k, job)->common->local_queue);
}
