/* kueue_victim.h - what both ways of finding preemption victims share: who may
 * be one, in which order, and when enough are gone (spec KUEUE.md 4.5, 5).
 */
#ifndef SIM_KUEUE_VICTIM_H
#define SIM_KUEUE_VICTIM_H

#include "sim/kueue/kueue_state.h"

struct kueue_search {
	uint32_t job, queue;	 /* the preemptor */
	const uint32_t *columns; /* in which something must be freed */
	uint32_t column_count;
	const struct quota_amount *request; /* all that has to fit */
	uint32_t request_count;
	/* Whether its pods could be placed now; NULL: no topology asked. */
	bool (*places)(struct kueue *k);
};

/* May the preemptor evict the rung's holders under the policy, each of them or
 * only newer ones (*newer), and would that free any of the columns? */
bool kueue_victim_allowed(const struct kueue *k, const struct kueue_search *search, uint32_t rung,
			  enum preemption_policy policy, bool *newer);
/* The first from this hold on (in its rung) that may be evicted; KUEUE_NONE. */
uint32_t kueue_victim_first(const struct kueue *k, const struct kueue_search *search, uint32_t hold,
			    bool newer);
struct kueue_candidate kueue_victim_make(const struct kueue *k, const struct kueue_search *search,
					 uint32_t hold);
/* Candidate order: evicted ones, other queues, lower priority, newest first. */
int kueue_victim_compare(const struct kueue *k, const struct kueue_candidate *a,
			 const struct kueue_candidate *b);
/* Takes the job's usage away (on the live tree) and makes it the last target. */
void kueue_victim_remove(struct kueue *k, uint32_t job, enum kueue_preemption reason);
/* Of the queue's holders, which may be evicted by priority? */
static inline enum preemption_policy
kueue_victim_policy(const struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;

	return queue == search->queue ? spec->within_cluster_queue : spec->reclaim_within_cohort;
}
/* Does a policy of the queue evict newer ones of equal priority, so that orders count? */
static inline bool kueue_victim_compares_orders(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	return spec->within_cluster_queue == PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY ||
	       spec->reclaim_within_cohort == PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY;
}
/* What all of them use of a column, whether the search sees them and they free anything or
 * not. */
int64_t kueue_victim_sum(const struct kueue *k, const struct kueue_search *search, uint32_t queue,
			 uint32_t column);
/* Takes that away until a rollback, in all columns; nobody is a target. */
void kueue_victim_clear(struct kueue *k, const struct kueue_search *search, uint32_t queue);
bool kueue_victim_fits(struct kueue *k, const struct kueue_search *search, bool may_borrow);
/* Does more room never make it fit less? A single pod set fits if what fits the domains is
 * enough, and each count of that can only grow. Of several each goes where the most suitable
 * domain is, which with more room may be one that another of them needs. */
bool kueue_victim_grows(const struct kueue *k, const struct kueue_search *search);
/* After a look at so many more targets in vain: how many more to take before the next one. */
size_t kueue_victim_stride(const struct kueue *k, const struct kueue_search *search, size_t stride);
/* With all targets gone it fits, with the first too_few not. Gives the last ones back what it
 * does not need; so many, the fewest, are gone then (and are still listed). */
size_t kueue_victim_fewest(struct kueue *k, const struct kueue_search *search, bool may_borrow,
			   size_t too_few);
/* Gives back, from the last but one to the first, whom it does not need; the
 * last target takes the place of one that is given back. */
void kueue_victim_fill_back(struct kueue *k, const struct kueue_search *search, bool may_borrow);

#endif
