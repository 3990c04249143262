/* kueue_room.h - what fits into a topology domain, and the orders of domains by it
 * (spec KUEUE.md 7.4, 7.5).
 */
#ifndef SIM_KUEUE_ROOM_H
#define SIM_KUEUE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* Pods of the workers, and slices of them; the same beside a pod of the leader. While
 * domains are chosen: what the domain gets. */
struct kueue_room {
	int64_t pods, pods_beside;
	int64_t slices, slices_beside;
	int64_t leaders;
	int64_t affinity; /* of the pods to its nodes; 0 unless that is respected */
};

static inline int kueue_room_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By worker capacity; large first for BestFit, small first for LeastFreeCapacity. */
static inline int kueue_room_plain(const struct kueue_room *a, const struct kueue_room *b,
				   bool least_free)
{
	if (a->affinity != b->affinity)
		return kueue_room_order(b->affinity, a->affinity);
	if (a->slices != b->slices)
		return least_free ? kueue_room_order(a->slices, b->slices)
				  : kueue_room_order(b->slices, a->slices);
	return kueue_room_order(a->pods, b->pods);
}

/* Those that can have the leader first, then by capacity beside it. */
static inline int kueue_room_beside(const struct kueue_room *a, const struct kueue_room *b,
				    bool least_free)
{
	if (a->leaders != b->leaders)
		return kueue_room_order(b->leaders, a->leaders);
	if (a->affinity != b->affinity)
		return kueue_room_order(b->affinity, a->affinity);
	if (a->slices_beside != b->slices_beside)
		return least_free ? kueue_room_order(a->slices_beside, b->slices_beside)
				  : kueue_room_order(b->slices_beside, a->slices_beside);
	return kueue_room_order(a->pods_beside, b->pods_beside);
}

#endif
