#include "core/rng.h"

#include <assert.h>
#include <gsl/gsl_rng.h>

#include "core/mem.h"

struct rng {
	gsl_rng *state;
};

/* splitmix64's finaliser: nearby seeds and names give unrelated streams. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

struct rng *rng_new(uint64_t master_seed, const char *stream)
{
	struct rng *rng = mem_calloc(1, sizeof(*rng));
	uint64_t seed = mix(master_seed);

	for (const char *c = stream; *c != '\0'; c++)
		seed = mix(seed ^ (unsigned char)*c);
	rng->state = gsl_rng_alloc(gsl_rng_mt19937);
	if (rng->state == NULL)
		mem_exhausted(1, gsl_rng_mt19937->size);
	gsl_rng_set(rng->state, (unsigned long)(seed & UINT64_C(0xffffffff)));
	return rng;
}

void rng_free(struct rng *rng)
{
	if (rng == NULL)
		return;
	gsl_rng_free(rng->state);
	mem_free(rng);
}

uint64_t rng_u64(struct rng *rng)
{
	uint64_t high = gsl_rng_get(rng->state);

	return high << 32 | gsl_rng_get(rng->state);
}

/* 2^64 mod bound. */
static uint64_t spare_of(uint64_t bound)
{
	return (UINT64_MAX % bound + 1) % bound;
}

/* Draws above the last whole multiple of bound are thrown away; most are far below. */
uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	uint64_t x;

	assert(bound > 0);
	do
		x = rng_u64(rng);
	while (x > UINT64_MAX - bound && x > UINT64_MAX - spare_of(bound));
	return x % bound;
}

double rng_uniform(struct rng *rng)
{
	return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

uint32_t *rng_order(struct rng *rng, uint32_t count)
{
	uint32_t *order = mem_calloc(count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t j = (uint32_t)rng_below(rng, (uint64_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	return order;
}
