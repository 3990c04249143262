/* kueue_variant.h - concurrent admission: a job pursues each flavor of its queue at once
 * (KEP 8691, feature gate ConcurrentAdmission; Kueue's pkg/controller/concurrentadmission).
 *
 * A job whose ClusterQueue has a concurrentAdmissionPolicy is the parent of one workload a
 * flavor, its variants, and is not scheduled itself. The variants wait, reserve quota and are
 * evicted like any workload; the job has the admission of the one that is admitted, and stops
 * when that one has to. One of a better flavor may take its place (migration), those of worse
 * flavors are deactivated meanwhile. Of the variants of a job one after the other may preempt.
 *
 * Inside of the policy variants are workloads with numbers behind those of the jobs; the
 * engine knows jobs only. kueue_variant_settle is the boundary: it turns what was decided on
 * variants into what becomes of their jobs.
 */
#ifndef SIM_KUEUE_VARIANT_H
#define SIM_KUEUE_VARIANT_H

#include "sim/kueue/kueue_cycle.h"

/* Something happened to a job that has variants. */
void kueue_variant_observe(struct kueue *k, const struct happening *h);
/* Plan items from this one on were decided on workloads: they are made to tell of jobs, and
 * families with news are looked after as Kueue's variant controller does. */
void kueue_variant_settle_all(struct kueue *k, size_t from);
static inline void kueue_variant_settle(struct kueue *k, size_t from)
{
	if (k->families != NULL)
		kueue_variant_settle_all(k, from);
}
/* What the job waits for, of one with variants what these wait for, into buf. */
void kueue_variant_why(struct kueue *k, uint32_t job, char *buf, size_t size);

#endif
