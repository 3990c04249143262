#include "sim/kube/kube_score.h"

#include <math.h>

#define SCORE_FULL 100

static void init_fit(struct kube_score *score, const struct world *world)
{
	const struct node_strategy *strategy = score->strategy;

	if (!strategy->given) {
		score->resources[0] = RES_CPU;
		score->resources[1] = RES_MEMORY;
		score->weights[0] = score->weights[1] = 1;
		score->count = 2;
		return;
	}
	for (uint32_t i = 0; i < strategy->weight_count; i++) {
		uint32_t r = name_find(world->scenario->resources, strategy->weights[i].resource);

		if (r == NAME_NONE)
			continue;
		score->resources[score->count] = r;
		score->weights[score->count++] = strategy->weights[i].weight;
	}
}

static void init_balanced(struct kube_score *score, const struct world *world,
			  const struct scheduler_profile *profile)
{
	if (profile->balanced_count == 0) {
		score->balanced[0] = RES_CPU;
		score->balanced[1] = RES_MEMORY;
		score->balanced_count = 2;
		return;
	}
	for (uint32_t i = 0; i < profile->balanced_count; i++) {
		uint32_t r = name_find(world->scenario->resources, profile->balanced[i].resource);

		if (r != NAME_NONE)
			score->balanced[score->balanced_count++] = r;
	}
}

void kube_score_init(struct kube_score *score, const struct world *world, uint32_t index)
{
	const struct scheduler_profile *profile = &world->scenario->profiles[index];

	*score = (struct kube_score){
		.strategy = profile_strategy(world->scenario, world->options, index),
		.fit_weight = profile->weights[PLUGIN_FIT],
		.balanced_weight = profile->weights[PLUGIN_BALANCED]};
	init_fit(score, world);
	init_balanced(score, world, profile);
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
static int64_t shape_score(const struct node_strategy *o, int64_t use, int64_t capacity)
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
		worth = shape_score(score->strategy, would_use(usage, node, shape, r),
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

	if (score->strategy->type == STRATEGY_RATIO)
		return ratio_score(score, usage, node, shape);
	for (uint32_t i = 0; i < score->count; i++) {
		uint32_t r = score->resources[i];

		if (!counts(n, shape, r))
			continue;
		sum += score->weights[i] * portion(score->strategy->type == STRATEGY_MOST,
						   would_use(usage, node, shape, r),
						   n->allocatable[r]);
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

static bool requests_any(const struct kube_score *score, const struct pod_shape *shape)
{
	for (uint32_t i = 0; i < score->balanced_count; i++) {
		if (requests(shape, score->balanced[i]))
			return true;
	}
	return false;
}

/* Of more than two resources the standard deviation, in this order of operations. */
static double deviation(const double *fractions, uint32_t count)
{
	double total = 0.0, sum = 0.0, mean;

	if (count < 2)
		return 0.0;
	if (count == 2)
		return fabs((fractions[0] - fractions[1]) / 2.0);
	for (uint32_t i = 0; i < count; i++)
		total += fractions[i];
	mean = total / (double)count;
	for (uint32_t i = 0; i < count; i++)
		sum += (fractions[i] - mean) * (fractions[i] - mean);
	return sqrt(sum / (double)count);
}

static int64_t balance_score(const struct kube_score *score, const struct cluster_usage *usage,
			     uint32_t node, const struct pod_shape *shape)
{
	double fractions[OPTIONS_WEIGHT_MAX];
	uint32_t count = 0;

	if (!requests_any(score, shape))
		return 0;
	for (uint32_t i = 0; i < score->balanced_count; i++) {
		if (counts(&usage->nodes[node], shape, score->balanced[i]))
			fractions[count++] = fraction(usage, node, shape, score->balanced[i]);
	}
	return (int64_t)((1.0 - deviation(fractions, count)) * (double)SCORE_FULL);
}

int kube_score_node(const struct kube_score *score, const struct cluster_usage *usage,
		    uint32_t node, const struct pod_shape *shape)
{
	int64_t sum = 0;

	if (score->fit_weight != 0)
		sum += score->fit_weight * fit_score(score, usage, node, shape);
	if (score->balanced_weight != 0)
		sum += score->balanced_weight * balance_score(score, usage, node, shape);
	return (int)sum;
}

static bool any_counts(const struct node *node, const struct pod_shape *shape,
		       const uint32_t *resources, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (counts(node, shape, resources[i]))
			return true;
	}
	return false;
}

bool kube_score_fixed(const struct kube_score *score, const struct node *node,
		      const struct pod_shape *shape)
{
	return (score->fit_weight == 0 ||
		!any_counts(node, shape, score->resources, score->count)) &&
	       (score->balanced_weight == 0 || !requests_any(score, shape) ||
		!any_counts(node, shape, score->balanced, score->balanced_count));
}
