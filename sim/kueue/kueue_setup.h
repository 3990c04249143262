/* kueue_setup.h - the policy's state as a run begins: columns, orders of names, objects, and
 * workloads by what is alike in them.
 */
#ifndef SIM_KUEUE_SETUP_H
#define SIM_KUEUE_SETUP_H

#include "sim/kueue/kueue_state.h"

struct kueue *kueue_setup_new(const struct world *world);
void kueue_setup_free(struct kueue *k);

#endif
