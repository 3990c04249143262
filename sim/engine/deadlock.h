/* deadlock.h - half-placed jobs that wait for each other for ever.
 *
 * The set of DESIGN.md section 5 and spec KUBE_SCHEDULER.md section 7: free is
 * the capacity left once every running job that has an end has ended; a job that
 * holds some but not all of the pods it wants is taken out, and its pods' room
 * added to free, as long as its missing pods fit (all filters) into free. Who is
 * left over can never complete.
 *
 * "Fit" are taints, selectors, required node affinity and resources, on the nodes as they
 * are now, and what pod affinity, anti-affinity and topology spread leave of them
 * (deadlock_terms.h): upper bounds, as whether those can be met hangs on the order of
 * placements and on pods of others.
 *
 * Running jobs that end do not enter, so the set moves only when the engine says
 * that the pods of a job or the nodes changed; a check without such a word is
 * free.
 */
#ifndef SIM_DEADLOCK_H
#define SIM_DEADLOCK_H

#include "sim/world/world.h"

struct deadlock; /* owned by the caller: deadlock_new/deadlock_free; borrows the world */

struct deadlock *deadlock_new(const struct world *world);
void deadlock_free(struct deadlock *deadlock);

/* One of the job's pods was bound, told to stop or is gone; or the job started,
 * stopped or ended. Cheap; may be called once a pod or once a job. Jobs of one
 * pod that end are passed over at once. */
void deadlock_touch(struct deadlock *deadlock, uint32_t job);
/* Nodes were added, changed, cordoned or became (un)ready. */
void deadlock_touch_nodes(struct deadlock *deadlock);

/* Was nobody left over the last time, and nothing touched since? */
bool deadlock_none(const struct deadlock *deadlock);
/* Is anyone left over now? *jobs (borrowed, until the next call) are the members,
 * ascending; they are set also when nothing was touched since. */
bool deadlock_check(struct deadlock *deadlock, const uint32_t **jobs, uint32_t *count);

#endif
