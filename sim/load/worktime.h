/* worktime.h - when the work of a dump's Workloads began.
 *
 * From admission on a Workload holds its quota, but its pods may wait for nodes. A run has
 * them wait for nodes, too, so that wait is no part of the work, or it would count twice.
 * Work begins when the last pod has its node: the pods' PodScheduled, where the dump has as
 * many pods as the Workload. Without them Kueue's PodsReady tells when they all had started:
 * the shortest time from admission to there that a job of its queue needed is taken for
 * starting (images, containers), and so for work; what a job needed beyond it for waiting.
 * Without nodes in the input no pod waits: then work begins with the admission.
 */
#ifndef SIM_WORKTIME_H
#define SIM_WORKTIME_H

#include "sim/load/builder.h"

/* Sets record.began of what was admitted, and durations that are known by their times. */
void worktime_settle(struct builder *builder);
/* When the Workload was admitted, or else its quota reserved; 0: it was not. */
int64_t worktime_let_in(const struct job_record *record);
/* Seconds that it has worked by now, of a Workload that has not finished. */
int64_t worktime_ran(const struct job_record *record, int64_t now);

#endif
