/* kueue_sibling.h - what variants of one job are to each other in a scheduling cycle
 * (KEP 8691; Kueue's pkg/scheduler/scheduler.go, findAdmittedSibling and callers).
 */
#ifndef SIM_KUEUE_SIBLING_H
#define SIM_KUEUE_SIBLING_H

#include "sim/kueue/kueue_state.h"

/* The family will be looked after (kueue_variant_settle); nothing if it is no variant's
 * workload and no parent's. */
void kueue_sibling_touch(struct kueue *k, uint32_t workload);
/* The place of the flavor in the queue now, 0 is the most favorable; KUEUE_NONE: it has it
 * no more. */
uint32_t kueue_sibling_rank(const struct kueue *k, uint32_t variant);
/* Is a sibling with a more favorable flavor admitted? False for what is no variant. */
bool kueue_sibling_outdone(const struct kueue *k, uint32_t workload);
/* The admitted sibling with a less favorable flavor, whose place the workload is to take;
 * JOB_NONE. */
uint32_t kueue_sibling_replaced(const struct kueue *k, uint32_t workload);
/* Does the queue let jobs migrate to the variant's flavor (lastAcceptableFlavorName)? */
bool kueue_sibling_accepts(const struct kueue *k, uint32_t variant);
#define KUEUE_SIBLING_NAME 800 /* what a name needs at most */
/* What the variant is called, NAMESPACE/JOB-FLAVOR (Kueue puts a hash behind it). */
void kueue_sibling_name(const struct kueue *k, uint32_t variant, char name[KUEUE_SIBLING_NAME]);
/* An event or condition of a variant, which is told of its job. */
void kueue_sibling_tell(struct kueue *k, uint32_t variant, const char *event, const char *format,
			...) __attribute__((format(printf, 4, 5)));

/* May it not preempt yet? It is then next to. */
bool kueue_sibling_gated(struct kueue *k, uint32_t workload);
/* The variant whose admission the job has, or the job itself where it has no variants;
 * JOB_NONE. */
uint32_t kueue_sibling_seat(const struct kueue *k, uint32_t job);

#endif
