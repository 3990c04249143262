/* apply.h - decisions become changes of the world and records of the journal. */
#ifndef SIM_APPLY_H
#define SIM_APPLY_H

#include "sim/engine/run.h"

/* Applies every queued decision, in order, those that follow from applying
 * others included; then releases what was evicted without delay. */
void apply_decisions(struct run *run);
/* Mostly there is none. */
static inline void apply_plan(struct run *run)
{
	if (run->plan.count != 0)
		apply_decisions(run);
}
/* The eviction of a job is over: its pods are gone, its quota is free, and it
 * waits again. */
void apply_release(struct run *run, uint32_t job);

#endif
