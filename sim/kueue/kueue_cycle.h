/* kueue_cycle.h - one scheduling cycle: nominate, order, process, requeue.
 *
 * Spec KUEUE.md section 4. The snapshot of the real scheduler is the live quota
 * tree with an undo log: what a cycle only supposes is rolled back at its end.
 */
#ifndef SIM_KUEUE_CYCLE_H
#define SIM_KUEUE_CYCLE_H

#include "sim/kueue/kueue_fair.h"
#include "sim/kueue/kueue_flavor.h"

enum kueue_entry_status {
	ENTRY_OPEN, /* nominated, or rejected before */
	ENTRY_SKIPPED,
	ENTRY_ASSUMED,
	ENTRY_EVICTED, /* by its own turn: no other node in place of one that failed */
	ENTRY_FAILED,  /* its places were written in vain */
};

enum kueue_entry_message {
	MESSAGE_ASSIGNMENT,
	MESSAGE_DEFERRED,
	MESSAGE_OVERLAP,
	MESSAGE_NO_LONGER_FITS,
	MESSAGE_OUTDONE,      /* of variants: a better one is admitted, ... */
	MESSAGE_GATED,	      /* ... may not preempt yet, ... */
	MESSAGE_UNACCEPTABLE, /* ... jobs do not migrate to the flavor, ... */
	MESSAGE_MIGRATION,    /* ... waits for its job to stop on a worse one */
	MESSAGE_NAMESPACE,
	MESSAGE_FAULTS,	  /* amounts that the namespace refuses */
	MESSAGE_INACTIVE, /* its queue, in a second pass */
};

/* A head in a cycle; one per queue, buffers are kept from cycle to cycle. */
struct kueue_entry {
	uint32_t job, queue;
	bool nominated; /* has an assignment */
	bool second;	/* holds its reservation: this is its second pass */
	bool spared;	/* sure to be refused, it has no assignment (kueue_refuse.h) */
	bool aside_due; /* the places that it keeps are not looked for yet */
	enum kueue_entry_status status;
	enum kueue_entry_message message;
	enum kueue_requeue requeue;
	enum kueue_why why;
	uint32_t preempted; /* victims it waits for */
	struct kueue_assignment assignment;
	struct kueue_target *targets;
	size_t target_count, target_capacity;
};

/* Does nothing wait for a cycle, nor is there anything to look at before one? */
static inline bool kueue_cycle_is_idle(const struct kueue *k)
{
	return k->ready_count == 0 && k->second_count == 0 && k->flush_now_count == 0 &&
	       k->afs == NULL && !k->blocked;
}
/* True: run another one. */
bool kueue_cycle_run(struct kueue *k);
void kueue_cycle_open(struct kueue *k); /* scratch memory */
void kueue_cycle_close(struct kueue *k);
/* Puts k->heads into processing order, without fair sharing (spec 4.7). */
void kueue_cycle_order(struct kueue *k);

/* What a cycle would say of a waiting workload now; changes nothing. The text is
 * valid until the next message. */
const char *kueue_cycle_explain(struct kueue *k, uint32_t job, enum kueue_why *why);

#endif
