/* kueue_family.h - which jobs have variants, one for each flavor that they pursue, when a run
 * is set up (kueue_variant.h: what becomes of them).
 */
#ifndef SIM_KUEUE_FAMILY_H
#define SIM_KUEUE_FAMILY_H

#include "sim/kueue/kueue_state.h"

/* k->families and k->variants, and their workloads behind those of the jobs. Flavors are
 * those of any version of a queue. kueue_class_init comes before. */
void kueue_family_init(struct kueue *k);

#endif
