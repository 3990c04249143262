/* recurrence.h - does a run that only evicts repeat itself?
 *
 * A simulation decides by its state alone. If the same jobs are evicted in the same order
 * at the same distances in time, period after period, while nothing comes, ends, makes
 * progress or is still to change, its state recurs and so does all that follows.
 */
#ifndef SIM_RECURRENCE_H
#define SIM_RECURRENCE_H

#include "sim/engine/run.h"

/* An eviction begins now. */
void recurrence_evicted(struct run *run, uint32_t job);
/* Something happened that does not come again. */
void recurrence_reset(struct run *run);
/* Work of the job was saved; that of a service brings no end nearer. */
void recurrence_saved(struct run *run, uint32_t job);
/* The evictions since then are of one pattern, many times over, or too many for anybody
 * to wait for another. */
bool recurrence_found(const struct run *run);
void recurrence_free(struct recurrence *recurrence);

/* The least distance at which all of the list equals itself; count if there is none. */
struct recurrence_item {
	uint32_t job;
	simtime gap; /* since the one before */
};
size_t recurrence_period(const struct recurrence_item *items, size_t count);

#endif
