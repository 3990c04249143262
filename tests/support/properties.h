/* properties.h - what holds of every run under Kueue, whatever the system.
 *
 *   audit      usage is within nominal quota, borrowing and lending limits at every
 *              level of the cohort tree whenever it grows, and all else that
 *              sim/engine/audit.h lists: it must find nothing
 *   counts     after every instant the levels that reports go by are what the jobs,
 *              counted one by one, come to: GPUs, pods, jobs
 *   order      StrictFIFO: nobody gets quota before one who stands before it in its
 *              queue and is eligible (its LocalQueue and namespace are admitted, no
 *              back-off runs). Not under blockAdmission, where a cycle chooses its
 *              heads long before it admits them, nor with admission fair sharing,
 *              which orders by usage, nor until the flush after an object has changed,
 *              which may have made the queue StrictFIFO.
 *   shortage   what fits in its queue's nominal quota never waits for quota while all
 *              stands still, if the queue may reclaim (Any) or shares with nobody.
 *              Kueue guarantees it where it need not choose, so: one flavor a
 *              resource group, without taints, node labels and topology; the first of
 *              its queue (StrictFIFO), or any (BestEffortFIFO) while none of the queue was
 *              nominated in vain, for that one is tried first again (without the gate
 *              FlavorFungibility none is parked, so the first); no blockAdmission; where
 *              usage orders a StrictFIFO queue, the only one.
 *              While evictions, back-offs or a batched flush are under way it may wait,
 *              or while a LocalQueue is stopped or gone, whose workloads' leaving wakes
 *              nobody.
 *   end        every job that came has finished, was cancelled, runs, or has a reason why not:
 *              it, or a pod of it, was told one, or it waits behind another (Kueue
 *              tells nothing to workloads that it has not looked at)
 */
#ifndef TESTS_SUPPORT_PROPERTIES_H
#define TESTS_SUPPORT_PROPERTIES_H

#include "sim/scenario/options.h"
#include "sim/world/journal.h"

#define PROPERTIES_TEXT 700

/* True if all hold; else text tells the first that does not: "order: at 3 s: ...". */
bool properties_hold(const struct journal *journal, const struct run_options *options,
		     char text[PROPERTIES_TEXT]);

#endif
