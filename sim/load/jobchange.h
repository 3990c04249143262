/* jobchange.h - objects annotated gqsim/at that change a controller: they find their job. */
#ifndef SIM_JOBCHANGE_H
#define SIM_JOBCHANGE_H

#include "sim/load/builder.h"

/* Adds a change behind those that are not later; the new list is in the arena. */
void jobchange_add(struct mem_arena *arena, const struct job_change **changes, uint32_t *count,
		   struct job_change change);

/* All that builder_job_change was told goes to its job; to be called once, when every
 * document is read. A change without a job is a finding. */
void jobchange_apply(struct builder *builder);

#endif
