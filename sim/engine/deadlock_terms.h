/* deadlock_terms.h - where pod affinity, anti-affinity and topology spread keep the missing
 * pods of a half-placed job out for good.
 *
 * The pods that count are those that stay: of half-placed jobs and of what never ends. All
 * answers are upper bounds, so that nobody is called deadlocked who is not: a term that
 * other jobs' pods could still meet or even out is taken to be met, and each constraint is
 * looked at by itself. The fewer pods stay, the more find room.
 */
#ifndef SIM_DEADLOCK_TERMS_H
#define SIM_DEADLOCK_TERMS_H

#include "sim/kube/kube_match.h"

struct deadlock_terms; /* owned by the caller: deadlock_terms_new/deadlock_terms_free */

/* NULL, which every function takes: no template has constraints. Borrows both. */
struct deadlock_terms *deadlock_terms_new(const struct world *world,
					  const struct kube_match *match);
void deadlock_terms_free(struct deadlock_terms *terms);

/* The pod stays on the node, or no longer. */
void deadlock_terms_hold(struct deadlock_terms *terms, uint32_t pod, uint32_t node);
void deadlock_terms_drop(struct deadlock_terms *terms, uint32_t pod, uint32_t node);
void deadlock_terms_nodes_changed(struct deadlock_terms *terms);

/* Can a pod like this be kept out at all? */
bool deadlock_terms_matter(const struct deadlock_terms *terms, uint32_t pod);
/* Per node: it is closed to the pod (1). Borrowed until the next call. */
const uint8_t *deadlock_terms_closed(struct deadlock_terms *terms, uint32_t pod);
/* At most so many more pods of this kind can come, of the group and with this room on each
 * node (0 on those that do not suit). */
uint64_t deadlock_terms_room(struct deadlock_terms *terms, uint32_t pod, uint32_t group,
			     uint64_t *room);

#endif
