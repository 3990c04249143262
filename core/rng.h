/* rng.h - named streams of random numbers from one master seed (GSL mt19937).
 *
 * A stream per purpose (arrivals, durations, failures, tie-break): what one
 * consumer draws never shifts what another sees, so that policies compared on
 * one seed see the same workload.
 */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stdint.h>

struct rng; /* owned by the caller: rng_new/rng_free */

struct rng *rng_new(uint64_t master_seed, const char *stream);
void rng_free(struct rng *rng);
uint64_t rng_u64(struct rng *rng);
/* Uniform in 0 .. bound-1, without modulo bias; bound > 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);
double rng_uniform(struct rng *rng); /* in [0, 1) */
/* 0 .. count-1 in an order of which each is as likely; mem_free it. */
uint32_t *rng_order(struct rng *rng, uint32_t count);

#endif
