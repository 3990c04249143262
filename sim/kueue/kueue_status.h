/* kueue_status.h - what a waiting workload was last told: its condition QuotaReserved=False.
 *
 * A journal of messages has the texts. Without one, news matter under admission fair sharing,
 * where Kueue's queues sift a workload again whose status changes: then a mark of each text is
 * kept, which is made of the same facts. (With FlavorFungibilityPreserveScanProgress off each
 * news makes the queues forget how far the scan of the flavors was, AddOrUpdateWorkload; there
 * texts are made in any case.) Else nothing is kept.
 */
#ifndef SIM_KUEUE_STATUS_H
#define SIM_KUEUE_STATUS_H

#include "sim/kueue/kueue_message.h"

void kueue_status_open(struct kueue *k);
void kueue_status_close(struct kueue *k);
/* Tells it; decided only if it is news. True: it is news. */
bool kueue_status(struct kueue *k, uint32_t job, enum kueue_why why, const char *message);
/* The same with the message of an assignment (kueue_message_assignment). */
bool kueue_status_assignment(struct kueue *k, uint32_t job, enum kueue_why why,
			     const struct kueue_assignment *a, uint32_t preempted);
/* The workload got its reservation: the condition is no longer False. */
void kueue_status_reserved(struct kueue *k, uint32_t job);
/* WHY_NONE: nothing, or without a reason. */
enum kueue_why kueue_status_why(const struct kueue *k, uint32_t job);
/* Was it told anything since? */
bool kueue_status_is_told(const struct kueue *k, uint32_t job);

/* It is evicted, or loses its reservation, and will be told so when it is released. text: unless
 * kueue.full is set it may be any. */
void kueue_status_evicted(struct kueue *k, uint32_t job, const char *text);
/* That was told already. */
void kueue_status_forgiven(struct kueue *k, uint32_t job);
/* It is released. */
void kueue_status_released(struct kueue *k, uint32_t job);

#endif
