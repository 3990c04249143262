/* kube_class.h - pods that succeed and fail alike, and who need not be tried.
 *
 * Pods of one group (shape and flavors), priority and preemption policy form a
 * class. Once one of them, not nominated anywhere, found neither a node nor victims,
 * the class is hopeless: on every node that suits it, it does not fit into
 *     capacity - pods it may not preempt - pods nominated there that rank no lower.
 * That can change only on a node which a pod leaves, whose nomination ends or which
 * itself changes: binding and nominating take room, and pods of lower priority do
 * not enter the sum. So a class stays hopeless until kube_class_gained() names a
 * node on which it would fit now (nominations left out: at worst a pod is tried for
 * nothing). A hopeless pod's attempt would change nothing but its own count,
 * timestamp and back-off: a failed search ends where it began, draws no random
 * number, and clears no nomination as there is none.
 */
#ifndef SIM_KUBE_CLASS_H
#define SIM_KUBE_CLASS_H

#include "sim/kube/kube_match.h"
#include "sim/kube/kube_preempt.h"

/* Marks of the queue: one bit a class (shared beyond 63), and one for pods that
 * must always be tried. */
#define KUBE_CLASS_BITS	  63
#define KUBE_CLASS_ALWAYS (UINT64_C(1) << KUBE_CLASS_BITS)

struct kube_class {
	uint32_t group;
	int32_t priority;
	bool never; /* does not preempt */
	bool hopeless;
	uint32_t waiting; /* pods in the queue */
};

struct kube_classes; /* owned by the caller: kube_class_new/kube_class_free */

struct kube_classes *kube_class_new(const struct world *world, struct kube_match *match,
				    struct kube_preempt *preempt);
void kube_class_free(struct kube_classes *classes);

uint32_t kube_class_of(struct kube_classes *classes, uint32_t pod);
const struct kube_class *kube_class_at(const struct kube_classes *classes, uint32_t class);
uint64_t kube_class_mark(uint32_t class);
/* One more or one less of its pods waits. Hope is looked after only while any does: the
 * first one to come is tried. */
void kube_class_waits(struct kube_classes *classes, uint32_t class, int delta);
/* The groups of all that wait say so from now on (kube_match_waiting): to be called before
 * somebody asks them. */
void kube_class_settle(struct kube_classes *classes);
/* The marks of all classes with pods that wait and must be tried. */
uint64_t kube_class_live(const struct kube_classes *classes);

/* Are there more classes than marks, so that two have one? */
bool kube_class_share_marks(const struct kube_classes *classes);

/* Is any class with pods that wait hopeless? */
bool kube_class_any_hopeless(const struct kube_classes *classes);
/* A pod of the class, which waits, failed as said above. */
void kube_class_give_up(struct kube_classes *classes, uint32_t class);
/* There may be more room on the node than before. */
void kube_class_gained(struct kube_classes *classes, uint32_t node);
/* Nodes changed: all must be tried again (which plugin rejects a pod may change
 * too, and with it the events that it is retried on). */
void kube_class_revive(struct kube_classes *classes);

#endif
