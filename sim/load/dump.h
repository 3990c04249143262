/* dump.h - the Workloads of a cluster's dump, made jobs that can run again.
 *
 * - A Workload stands for the objects that own it, for what these own (the Jobs of a
 *   JobSet), and for the Deployment or StatefulSet whose pods they are. If the input has
 *   those too, they are one job: times and pod sets are the Workload's, what only
 *   annotations say (how long, checkpoints, utilisation) the object's. It bears the owner's
 *   name, unless an earlier job has it; that of a group of pods its own.
 * - Pods of controllers are left out where the controller, what made it, or the Workload
 *   that let them in is in the input; otherwise each stands for itself, since it holds its
 *   node whoever made it. Services older than the first Workload are there from the start.
 * - Work whose end is not recorded gets one: waiting work the median of what its queue
 *   recorded (else of all, else 1 h); running work the median of what ran longer than it
 *   has by now.
 * - Namespaces of LocalQueues that no object describes carry the labels that their
 *   ClusterQueues select.
 */
#ifndef SIM_DUMP_H
#define SIM_DUMP_H

#include "sim/load/builder.h"

/* Call it after all files are read. now: not the past weeks are wanted but the cluster
 * as it was when the dump was taken: work that runs is there from time 0, in the order in
 * which it was let in, with what is left of it; work that waits comes from 1 s on in the
 * order of its creation (after its back-off, if it is in one), and jobs that are asked
 * about (JOB_ASKED) at DUMP_NOW; what has ended is left out. */
#define DUMP_NOW (2 * CLOCK_SECOND)
void dump_finish(struct builder *builder, bool now);

#endif
