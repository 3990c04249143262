/* kueue_message.h - what Kueue tells a user about a waiting workload, word for
 * word (spec KUEUE.md section 6). Texts are only made where someone reads them:
 * strings are indices into the journal's table.
 */
#ifndef SIM_KUEUE_MESSAGE_H
#define SIM_KUEUE_MESSAGE_H

#include "sim/kueue/kueue_flavor.h"

const char *kueue_why_text(enum kueue_why why); /* "WaitingForQuota" */
/* The reason that a user sees: without UnadmittedWorkloadsObservability there are only
 * "Pending", "Inadmissible" and "Waiting" (spec 6.1). */
const char *kueue_why_told(const struct kueue *k, enum kueue_why why);
const char *kueue_preemption_text(enum kueue_preemption reason); /* "InClusterQueue" */

/* Why the assignment does not fit; preempted > 0 adds what is waited for. */
const char *kueue_message_assignment(struct kueue *k, uint32_t job,
				     const struct kueue_assignment *a, uint32_t preempted);
/* A number that differs where this text differs (but for chance, of 2^64), without making it. */
uint64_t kueue_message_mark(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			    uint32_t preempted);
/* The same text, of a variant that waits for its job to stop on another flavor. */
const char *kueue_message_migrating(struct kueue *k, uint32_t job,
				    const struct kueue_assignment *a);
/* What the variant is told whose job migrates to this one. */
const char *kueue_message_migration(struct kueue *k, uint32_t by);
const char *kueue_message_preempted(struct kueue *k, uint32_t by_job, enum kueue_preemption reason,
				    uint32_t queue);
bool kueue_message_has_faults(const struct kueue *k, uint32_t job);
/* Why the namespace refuses the workload's pods; some set has faults. */
const char *kueue_message_faults(struct kueue *k, uint32_t job);
/* The place is that of the node. */
const char *kueue_message_no_replacement(struct kueue *k, uint32_t place);
const char *kueue_message_node_failures(struct kueue *k, uint32_t first, uint32_t second);
/* A name (string of the scenario) between two texts. */
const char *kueue_message_name(struct kueue *k, const char *before, uint32_t name,
			       const char *after);
/* Of the workload's eviction after waitForPodsReady.timeout. */
const char *kueue_message_timeout(struct kueue *k, uint32_t job);

#endif
