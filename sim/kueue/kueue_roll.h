/* kueue_roll.h - the workloads of each LocalQueue that are there, in job order.
 *
 * When a queue changes Kueue goes through its workloads. So that this costs no more than
 * these are, those to come and those that are over are not on the roll.
 */
#ifndef SIM_KUEUE_ROLL_H
#define SIM_KUEUE_ROLL_H

#include "sim/kueue/kueue_state.h"

typedef void kueue_roll_visitor(struct kueue *k, uint32_t job);

/* The job was submitted, with what variants it has. Nothing is kept where no object changes during the run. */
void kueue_roll_add(struct kueue *k, uint32_t job);
/* Each of them, by job; meanwhile nobody is added. */
void kueue_roll_visit(struct kueue *k, uint32_t local_queue, kueue_roll_visitor *visit);
void kueue_roll_close(struct kueue *k);

#endif
