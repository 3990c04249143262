/* kube_message.h - FailedScheduling, as kube-scheduler words it (spec
 * KUBE_SCHEDULER.md 5).
 *
 * "0/N nodes are available: " + how many nodes for which reason, sorted as
 * strings + "."; if preemption did not help, what it says follows.
 */
#ifndef SIM_KUBE_MESSAGE_H
#define SIM_KUBE_MESSAGE_H

#include "sim/kube/kube_constraint.h"
#include "sim/kube/kube_match.h"

struct kube_tally {
	uint32_t nodes;			  /* in the cluster */
	uint32_t verdicts[KUBE_VERDICTS]; /* rejected by the static filters */
	uint32_t lacking[RES_MAX];	  /* nodes that lack the resource; RES_PODS: pods */
	uint32_t refusals[REFUSALS];	  /* by constraints; REFUSAL_NONE is not used */
	uint32_t no_victims;
	uint32_t not_helpful;
};

/* so many more nodes lack these */
void kube_message_count(struct kube_tally *tally, uint64_t lacking, uint32_t nodes);

struct kube_message { /* a growing text; zero it, free with kube_message_free */
	char *text;
	size_t length, capacity;
};

void kube_message_free(struct kube_message *message);
void kube_message_clear(struct kube_message *message);
void kube_message_text(struct kube_message *message, const char *text);
/* Appends "0/N nodes are available: ...". */
void kube_message_tally(struct kube_message *message, const struct name_table *resources,
			const struct kube_tally *tally);

/* What came of an attempt that found no node. */
struct kube_failure {
	struct kube_tally filtered;
	bool preempts;		     /* it was nominated to a node; nothing more is said */
	bool has_no_preemption;	     /* its profile has no DefaultPreemption */
	const char *excuse;	     /* why it did not try; NULL: it did */
	struct kube_tally preempted; /* what it found then */
};
/* FailedScheduling's text, in message->text. */
const char *kube_message_failure(struct kube_message *message, const struct name_table *resources,
				 const struct kube_failure *failure);

#endif
