/* kueue_checks.h - admission checks: quota is held while they are asked (spec
 * KUEUE.md 8.4). Those that ask for nodes are answered by the autoscaler
 * (kueue_provision.h); what others answer, and when, is given with the job.
 */
#ifndef SIM_KUEUE_CHECKS_H
#define SIM_KUEUE_CHECKS_H

#include "sim/kueue/kueue_flavor.h"

/* Does a check of the queue apply to any of the assigned flavors? */
bool kueue_checks_required(const struct kueue *k, uint32_t queue, uint32_t job,
			   const struct kueue_assignment *a);
/* The workload has its reservation; the answer comes in time. */
void kueue_checks_ask(struct kueue *k, uint32_t job, const struct kueue_assignment *a);
/* The same of a new workload slice: nothing was asked for it before. */
void kueue_checks_ask_anew(struct kueue *k, uint32_t job, const struct kueue_assignment *a);
/* Its request for nodes was answered. */
void kueue_checks_provisioning(struct kueue *k, const struct happening *h);
/* False: nobody waits for it any more. */
bool kueue_checks_answer(struct kueue *k, uint32_t job);
/* Every check is ready: it is admitted, once it has all its topology domains. What it
 * has then, if a second pass gave it some (lives as long as the plan); else NULL. */
void kueue_checks_done(struct kueue *k, uint32_t job, const struct admission *admission);
/* Queues got other checks: of who has quota in them, what he lacks is asked for, what is not
 * required any more is no obstacle. */
void kueue_checks_settle(struct kueue *k);
/* Retry with a back-off: evicts once that is over. */
void kueue_checks_reconcile(struct kueue *k, uint32_t job);

#endif
