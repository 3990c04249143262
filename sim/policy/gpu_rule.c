#include "sim/policy/gpu_rule.h"

#include <math.h>
#include <string.h>

#define POINTS 100

static const struct gpu_share *gpus_of(const struct gpu_cluster *c, uint32_t node)
{
	return &c->place->nodes[node];
}

static const struct gpu_demand *demand_of(const struct gpu_cluster *c, uint32_t shape)
{
	return &c->place->demands[shape];
}

/* ---- random ---- */

/* Each GPU on which the part fits is as likely. */
static uint32_t random_device(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	const struct gpu_share *share = gpus_of(c, node);
	const struct gpu_demand *d = demand_of(c, shape);
	uint64_t ways = share->whole > d->whole ? (uint64_t)(share->whole - d->whole) : 0;
	uint64_t fresh = ways, pick;

	for (uint32_t i = 0; i < share->count; i++)
		ways += gpu_share_takes(share, i, d->part) ? 1 : 0;
	pick = rng_below(c->rng, ways);
	if (pick < fresh)
		return GPU_SHARE_FRESH;
	for (uint32_t i = 0;; i++)
		if (gpu_share_takes(share, i, d->part) && pick-- == fresh)
			return i;
}

/* ---- best fit and dot product: floating point as in their simulator ---- */

static uint32_t tightest_device(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	return gpu_share_tightest(gpus_of(c, node), demand_of(c, shape)->part);
}

/* Of the largest node's CPU, 0 to 1. CPU without limit is left out of the score. */
static double cpu_share(const struct gpu_cluster *c, int64_t cpu)
{
	return cpu == RES_UNLIMITED ? 0 : (double)cpu / c->place->cpu_max;
}

static double gpu_free_share(const struct gpu_cluster *c, uint32_t node)
{
	return (double)gpu_share_room(gpus_of(c, node)) / c->place->milli_max;
}

static double gpu_asked_share(const struct gpu_cluster *c, uint32_t shape)
{
	const struct gpu_demand *d = demand_of(c, shape);

	return ((double)d->whole * GPU_SHARE_WHOLE + d->part) / c->place->milli_max;
}

/* What would be left over, the less the better. */
static int64_t best_fit(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	int64_t cpu = gpu_place_cpu(c->place, node);
	double left = (gpu_free_share(c, node) - gpu_asked_share(c, shape)) * 0.5;

	if (cpu != RES_UNLIMITED)
		left += cpu_share(c, cpu - gpu_place_cpu_asked(c->place, shape)) * 0.5;
	return (int64_t)floor((1 - left) * POINTS);
}

/* What is free times what is asked (Tetris, SIGCOMM'14), the smaller the better. */
static int64_t dot_product(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	int64_t asked = gpu_place_cpu_asked(c->place, shape);
	double product = cpu_share(c, gpu_place_cpu(c->place, node)) * cpu_share(c, asked) +
			 gpu_free_share(c, node) * gpu_asked_share(c, shape);

	return (int64_t)floor((1 - product / 2) * POINTS);
}

/* ---- fragmentation gradient descent ---- */

static void consider(const struct gpu_mix *mix, int64_t gain, uint32_t device, int64_t *best,
		     uint32_t *best_device)
{
	int64_t points = gpu_mix_points(mix, gain);

	if (points <= *best)
		return;
	*best = points;
	*best_device = device;
}

/* The score of the GPU that gets most, the first of those. */
static int64_t least_fragmenting(const struct gpu_cluster *c, uint32_t shape, uint32_t node,
				 uint32_t *device)
{
	const struct fragment *f = gpu_mix_of(c->mix, node);
	const struct gpu_share *share = gpus_of(c, node);
	const struct gpu_demand *d = demand_of(c, shape);
	int64_t cpu = gpu_place_cpu(c->place, node), best = -1;
	int64_t before = fragment_of(f, cpu, share);

	if (cpu != RES_UNLIMITED)
		cpu -= gpu_place_cpu_asked(c->place, shape);
	*device = GPU_SHARE_FRESH;
	for (uint32_t i = 0; d->part > 0 && i < share->count; i++)
		if (gpu_share_takes(share, i, d->part))
			consider(c->mix, before - fragment_after(f, cpu, share, d, i), i, &best,
				 device);
	if (d->part == 0 || share->whole > d->whole)
		consider(c->mix, before - fragment_after(f, cpu, share, d, GPU_SHARE_FRESH),
			 GPU_SHARE_FRESH, &best, device);
	return best;
}

static int64_t gradient(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	uint32_t device;

	return least_fragmenting(c, shape, node, &device);
}

static uint32_t gradient_device(const struct gpu_cluster *c, uint32_t shape, uint32_t node)
{
	uint32_t device;

	least_fragmenting(c, shape, node, &device);
	return device;
}

/* ---- the rules ---- */

static const struct gpu_rule rules[] = {
	{"random", false, NULL, random_device},
	{"bestfit", false, best_fit, tightest_device},
	{"dotprod", false, dot_product, tightest_device},
	{"fgd", true, gradient, gradient_device},
};

const struct gpu_rule *gpu_rule_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	return NULL;
}
