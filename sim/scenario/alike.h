/* alike.h - classes of jobs that differ in their times only: whether one of them can ever
 * start is asked once for all. */
#ifndef SIM_ALIKE_H
#define SIM_ALIKE_H

#include "sim/scenario/draft.h"

struct alike_class {
	uint32_t first; /* job; classes come in the order of these */
	uint32_t count;
	bool endless; /* any of them has no end */
	bool held;    /* suspended, and nobody resumes them */
};

struct alike {
	struct alike_class *classes;
	uint32_t count;
	size_t capacity;
	/* (local queue, namespace) -> number; (first pod set, number) -> class */
	struct draft_index places, kinds;
};

void alike_begin(struct alike *alike);
void alike_end(struct alike *alike);
/* The class of a job that is resolved: of those with its LocalQueue, namespace, pod sets and
 * flags JOB_NOT_GANG and JOB_UNMANAGED, held or not. A new one has index as its first, and no
 * job yet. */
uint32_t alike_of(struct alike *alike, const struct job *job, bool held, uint32_t index);

/* Counts the job in its class. */
static inline void alike_count(struct alike *alike, uint32_t class, const struct job *job)
{
	alike->classes[class].count++;
	alike->classes[class].endless |= job->duration == JOB_ENDLESS;
}

#endif
