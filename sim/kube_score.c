#include "sim/kube_score.h"

#define SCORE_FULL 100

void kube_score_init(struct kube_score *score, const struct world *world)
{
	const struct run_options *o = world->options;

	*score = (struct kube_score){.most = o->most_allocated, .shape = o->by_ratio ? o : NULL};
	if (!o->strategy_given) {
		score->resources[0] = RES_CPU;
		score->resources[1] = RES_MEMORY;
		score->weights[0] = score->weights[1] = 1;
		score->count = 2;
		return;
	}
	for (uint32_t i = 0; i < o->weight_count; i++) {
		uint32_t r = name_find(world->scenario->resources, o->weights[i].resource);

		if (r == NAME_NONE)
			continue;
		score->resources[score->count] = r;
		score->weights[score->count++] = o->weights[i].weight;
	}
}

static bool requests(const struct pod_shape *shape, uint32_t resource)
{
	return (shape->requested & UINT64_C(1) << resource) != 0 && shape->request[resource] > 0;
}

/* What would be in use: cpu and memory with the defaults for absent requests. */
static int64_t would_use(const struct cluster_usage *usage, uint32_t node,
			 const struct pod_shape *shape, uint32_t resource)
{
	const int64_t *nonzero = &usage->nonzero[(size_t)node * 2];

	if (resource == RES_CPU)
		return nonzero[0] + shape->nonzero_cpu;
	if (resource == RES_MEMORY)
		return nonzero[1] + shape->nonzero_memory;
	return usage->used[(size_t)node * usage->resource_count + resource] +
	       (requests(shape, resource) ? shape->request[resource] : 0);
}

/* A resource without a capacity (or without a limit) does not count; an extended
 * one counts only for pods that ask for it. */
static bool counts(const struct node *node, const struct pod_shape *shape, uint32_t resource)
{
	int64_t capacity = node->allocatable[resource];

	if (capacity <= 0 || capacity == RES_UNLIMITED)
		return false;
	return resource < RES_GPU || requests(shape, resource);
}

static int64_t portion(bool most, int64_t use, int64_t capacity)
{
	if (most)
		return (use < capacity ? use : capacity) * SCORE_FULL / capacity;
	return use > capacity ? 0 : (capacity - use) * SCORE_FULL / capacity;
}

/* A broken line; scores of 0..10 are stretched to 0..100. */
static int64_t shape_score(const struct run_options *o, int64_t use, int64_t capacity)
{
	int64_t percent = use > capacity ? 100 : use * 100 / capacity;
	const int64_t stretch = SCORE_FULL / 10;

	for (uint32_t i = 0; i < o->shape_count; i++) {
		const struct strategy_point *to = &o->shape[i], *from;

		if (percent > to->utilization)
			continue;
		if (i == 0)
			return to->score * stretch;
		from = to - 1;
		return from->score * stretch + (to->score - from->score) * stretch *
						       (percent - from->utilization) /
						       (to->utilization - from->utilization);
	}
	return o->shape[o->shape_count - 1].score * stretch;
}

/* Resources that score nothing do not count; the mean is rounded half up. */
static int64_t ratio_score(const struct kube_score *score, const struct cluster_usage *usage,
			   uint32_t node, const struct pod_shape *shape)
{
	const struct node *n = &usage->nodes[node];
	int64_t sum = 0, weights = 0;

	for (uint32_t i = 0; i < score->count; i++) {
		uint32_t r = score->resources[i];
		int64_t worth;

		if (!counts(n, shape, r))
			continue;
		worth = shape_score(score->shape, would_use(usage, node, shape, r),
				    n->allocatable[r]);
		sum += worth * score->weights[i];
		weights += worth > 0 ? score->weights[i] : 0;
	}
	return weights == 0 ? 0 : (2 * sum + weights) / (2 * weights);
}

static int64_t fit_score(const struct kube_score *score, const struct cluster_usage *usage,
			 uint32_t node, const struct pod_shape *shape)
{
	const struct node *n = &usage->nodes[node];
	int64_t sum = 0, weights = 0;

	if (score->shape != NULL)
		return ratio_score(score, usage, node, shape);
	for (uint32_t i = 0; i < score->count; i++) {
		uint32_t r = score->resources[i];

		if (!counts(n, shape, r))
			continue;
		sum += score->weights[i] *
		       portion(score->most, would_use(usage, node, shape, r), n->allocatable[r]);
		weights += score->weights[i];
	}
	return weights == 0 ? 0 : sum / weights;
}

/* Real requests here, no defaults. */
static double fraction(const struct cluster_usage *usage, uint32_t node,
		       const struct pod_shape *shape, uint32_t resource)
{
	int64_t use = usage->used[(size_t)node * usage->resource_count + resource] +
		      (requests(shape, resource) ? shape->request[resource] : 0);
	double f = (double)use / (double)usage->nodes[node].allocatable[resource];

	return f > 1.0 ? 1.0 : f;
}

static int64_t balance_score(const struct cluster_usage *usage, uint32_t node,
			     const struct pod_shape *shape)
{
	const struct node *n = &usage->nodes[node];
	double spread = 0.0;

	if (!requests(shape, RES_CPU) && !requests(shape, RES_MEMORY))
		return 0;
	if (counts(n, shape, RES_CPU) && counts(n, shape, RES_MEMORY)) {
		spread = (fraction(usage, node, shape, RES_CPU) -
			  fraction(usage, node, shape, RES_MEMORY)) /
			 2.0;
		if (spread < 0.0)
			spread = -spread;
	}
	return (int64_t)((1.0 - spread) * (double)SCORE_FULL);
}

int kube_score_node(const struct kube_score *score, const struct cluster_usage *usage,
		    uint32_t node, const struct pod_shape *shape)
{
	return (int)(fit_score(score, usage, node, shape) + balance_score(usage, node, shape));
}
