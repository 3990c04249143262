/* random_maker.h - a random system while it is being made up (random_system.h). */
#ifndef TESTS_SUPPORT_RANDOM_MAKER_H
#define TESTS_SUPPORT_RANDOM_MAKER_H

#include <inttypes.h>

#include "core/rng.h"
#include "tests/support/manifest.h"

#define QUEUES_MAX  5
#define COHORTS_MAX 4
#define FLAVORS_MAX 3

#define ALL "config.kueue.x-k8s.io/v1beta2"
#define API "kueue.x-k8s.io/v1beta2"

struct maker {
	struct manifest *m;
	struct rng *rng;
	uint32_t queues, cohorts, flavors, nodes, jobs;
	bool fair, afs, topology, checks, ready, block, places, memory, changes, lifecycles;
	bool provisions;     /* a check asks for nodes, which an autoscaler brings */
	bool controllers;    /* Jobs with completions and CronJobs beside the list of jobs */
	uint32_t concurrent; /* bits of queues with a concurrentAdmissionPolicy */
	uint32_t local_queues[QUEUES_MAX];
};

static inline uint32_t below(struct maker *k, uint32_t bound)
{
	return (uint32_t)rng_below(k->rng, bound);
}

/* Once in so many times. */
static inline bool rarely(struct maker *k, uint32_t of)
{
	return below(k, of) == 0;
}

static inline const char *pick(struct maker *k, const char *const *of, uint32_t count)
{
	return of[below(k, count)];
}

static inline void object(struct maker *k, const char *api, const char *kind)
{
	manifest_document(k->m, MANIFEST_OBJECTS);
	manifest_text(k->m, "---\napiVersion: %s\nkind: %s\n", api, kind);
}

/* "before N after", which can be left out. */
static inline void option_number(struct maker *k, const char *before, int64_t value, int64_t least,
				 const char *after)
{
	manifest_part(k->m);
	manifest_text(k->m, "%s", before);
	manifest_number(k->m, value, least);
	manifest_text(k->m, "%s", after);
	manifest_end(k->m);
}

/* random_work.c: the list of jobs, and Jobs and CronJobs among the objects. */
void random_work(struct maker *k);

#endif
