/* kueue_express.h - the straight path of a head that is alone in its cycle, when another
 * of its class was admitted before.
 *
 * A cycle with one head has nothing to order and nobody to preempt for as long as that
 * head fits. What its assignment comes to is the same for all workloads of a class (same
 * requests, priority and LocalQueue), so it is kept with the first that the whole cycle
 * admitted, and the next asks no more than whether the quota is there. Why this cannot
 * differ from the whole cycle is told beside the code; Configuration.searches_anew turns
 * it off, and tests compare the two.
 */
#ifndef SIM_KUEUE_EXPRESS_H
#define SIM_KUEUE_EXPRESS_H

#include "sim/kueue/kueue_flavor.h"

/* A cycle of its own, from popping the head to its admission or refusal; false: nothing was
 * done. */
bool kueue_express(struct kueue *k);
/* The job, alone in its cycle, is admitted with this assignment, described by admission. */
void kueue_express_learn(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			 const struct admission *admission);

#endif
