#include "sim/kueue/kueue_account.h"

#include "core/mem.h"

/* One account being made. */
struct accounting {
	const struct kueue *k;
	struct mem_arena *arena;
	struct journal_account *out;
};

static void *alloc(const struct accounting *a, size_t count, size_t size)
{
	return mem_arena_alloc(a->arena, count * size);
}

/* ---- who waits ---- */

/* Requests as Kueue sums them up; "pods" only where the queue counts them. */
static void add_request(const struct kueue *k, uint32_t queue, uint32_t job, int64_t *sum)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	for (uint32_t s = 0; s < form->set_count; s++) {
		int64_t pods = k->scenario->pod_sets[form->first_pod_set + s].count;

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			const struct kueue_slot *slot = &form->slots[i];

			if (k->queues[queue].group_of[slot->resource] == KUEUE_GROUPS_MAX)
				continue;
			sum[slot->resource] =
				res_add(sum[slot->resource], res_mul(slot->per_pod, pods));
		}
	}
}

/* A member keeps the place it was put in last, though its class changes sides as a whole
 * (kueue_queue.c): who is active is read from the heaps themselves. */
static bool *find_active(const struct kueue *k)
{
	bool *active = mem_calloc(k->job_count + 1, sizeof(*active));
	uint32_t *heap = mem_calloc(k->job_count + 1, sizeof(*heap));

	for (uint32_t i = 0; i < k->queue_count; i++) {
		for (size_t at = 0; at < k->queues[i].plain_count; at++)
			active[k->queues[i].plain[at]] = true;
	}
	for (uint32_t c = 0; c < k->class_count; c++) {
		size_t count = 0;

		if (k->classes[c].active != JOB_NONE)
			heap[count++] = k->classes[c].active;
		for (size_t at = 0; at < count; at++) {
			active[heap[at]] = true;
			for (uint32_t child = k->jobs[heap[at]].child; child != JOB_NONE;
			     child = k->jobs[child].next)
				heap[count++] = child;
		}
	}
	mem_free(heap);
	return active;
}

/* Of a queue that admits nobody all are inadmissible. */
static void count_waiting(const struct accounting *a, uint32_t job, bool in_heap, bool *seen)
{
	const struct kueue *k = a->k;
	const struct kueue_class *class = kueue_class_of(k, job);
	uint32_t queue = kueue_queue_of(k, job);
	bool active = in_heap && k->queues[queue].active;
	struct journal_queue *q = &a->out->queues[queue];
	struct journal_local_queue *lq = &a->out->local_queues[class->local_queue];
	bool *counted = &seen[(size_t) class->kin * 2 + active];

	*(active ? &q->pending : &q->inadmissible) += 1;
	*(active ? &lq->pending : &lq->inadmissible) += 1;
	if (!*counted)
		*(active ? &q->pending_hashes : &q->inadmissible_hashes) += 1;
	*counted = true;
	add_request(k, queue, job, q->asked);
}

static void count_all(const struct accounting *a)
{
	bool *seen = mem_calloc(a->k->kin_count * 2 + 1, sizeof(*seen));
	bool *active = find_active(a->k);

	for (uint32_t job = 0; job < a->k->job_count; job++) {
		enum kueue_place place = (enum kueue_place)a->k->jobs[job].place;

		if (place == PLACE_ACTIVE || place == PLACE_PARKED || place == PLACE_BACKOFF)
			count_waiting(a, job, active[job], seen);
	}
	mem_free(active);
	mem_free(seen);
}

/* ---- queues and the tree ---- */

static double share_of(const struct kueue *k, uint32_t node)
{
	return quota_has_parent(&k->tree, node) ? quota_share(&k->tree, node)->value : 0;
}

static uint32_t parent_of(const struct kueue *k, uint32_t node)
{
	return quota_has_parent(&k->tree, node) ? k->tree.nodes[node].parent - k->queue_count
						: SCENARIO_NONE;
}

static void make_queues(const struct accounting *a)
{
	const struct kueue *k = a->k;

	a->out->queues = alloc(a, k->queue_count, sizeof(*a->out->queues));
	for (uint32_t i = 0; i < k->queue_count; i++) {
		const struct kueue_queue *q = &k->queues[i];
		struct journal_queue *out = &a->out->queues[i];

		*out = (struct journal_queue){.cohort = parent_of(k, i),
					      .active = q->active,
					      .skips = q->skips,
					      .new_targets = q->new_targets,
					      .deferred_fits = q->deferred_fits,
					      .skipped = q->skipped,
					      .share = share_of(k, i)};
		out->asked = alloc(a, k->resource_count, sizeof(*out->asked));
		for (uint32_t r = 0; r < k->resource_count; r++)
			out->asked[r] = 0;
	}
}

static void make_local_queues(const struct accounting *a)
{
	const struct kueue *k = a->k;
	uint32_t count = k->scenario->local_queue_count;

	a->out->local_queues = alloc(a, count, sizeof(*a->out->local_queues));
	for (uint32_t i = 0; i < count; i++) {
		const struct local_queue *lq = k->local_queues[i];
		bool active = lq->stop == STOP_NONE && lq->cluster_queue != SCENARIO_NONE &&
			      k->queues[lq->cluster_queue].active;

		a->out->local_queues[i] =
			(struct journal_local_queue){.active = active, .usage = k->lq_usage[i]};
	}
}

static int64_t used_below(const struct kueue *k, uint32_t cohort, uint32_t column)
{
	int64_t used = 0;

	for (uint32_t leaf = 0; leaf < k->queue_count; leaf++) {
		uint32_t node = leaf;

		while (node != cohort && quota_has_parent(&k->tree, node))
			node = k->tree.nodes[node].parent;
		if (node == cohort)
			used = res_add(used, quota_at(&k->tree, leaf, column)->usage);
	}
	return used;
}

static void make_cohort(const struct accounting *a, uint32_t index)
{
	const struct kueue *k = a->k;
	uint32_t node = k->queue_count + index;
	struct journal_quota *quotas = alloc(a, k->column_count, sizeof(*quotas));
	struct journal_cohort *out = &a->out->cohorts[index];

	*out = (struct journal_cohort){
		.parent = parent_of(k, node), .share = share_of(k, node), .quotas = quotas};
	for (uint32_t c = 0; c < k->column_count; c++) {
		struct journal_quota quota = {.flavor = k->flavors[k->column_flavor[c]].name,
					      .resource = k->column_resource[c],
					      .subtree = quota_at(&k->tree, node, c)->subtree,
					      .used = used_below(k, node, c)};

		if (quota.subtree > 0 || quota.used > 0)
			quotas[out->quota_count++] = quota;
	}
}

void kueue_account(const void *self, struct journal *journal)
{
	const struct kueue *k = self;
	struct accounting a = {.k = k, .arena = journal->arena};

	a.out = alloc(&a, 1, sizeof(*a.out));
	*a.out = (struct journal_account){.admitting_cycles = k->admitting_cycles};
	/* One that waits for pods to be ready has not ended. */
	a.out->other_cycles = k->cycle - k->admitting_cycles - (k->open ? 1 : 0);
	make_queues(&a);
	make_local_queues(&a);
	count_all(&a);
	a.out->cohorts = alloc(&a, k->scenario->cohort_count, sizeof(*a.out->cohorts));
	for (uint32_t i = 0; i < k->scenario->cohort_count; i++)
		make_cohort(&a, i);
	journal->account = a.out;
}
