/* podstage.h - start-up orders: pods of a set that are made only once those of another are
 * ready, or done (struct startup, struct job_control).
 *
 * What the controllers of JobSet (startupPolicyOrder, dependsOn), TrainJob (its initializers),
 * LeaderWorkerSet (LeaderReady), MPIJob (WaitForWorkersReady) and RayJob (its submitter) do.
 * A pod that is bound is ready. Pods that are done before the work of their job begins stay
 * away for good, as the finished Jobs of a JobSet that is suspended and resumed.
 */
#ifndef SIM_PODSTAGE_H
#define SIM_PODSTAGE_H

#include "sim/engine/run.h"

/* Has the job such an order? */
bool podstage_ordered(const struct run *run, uint32_t job);
/* May the index-th pod of the job be made now? */
bool podstage_allows(const struct run *run, uint32_t job, uint32_t index);
/* Work after which the pod is done, before its job's begins; -1: it works with its job. */
simtime podstage_work(const struct run *run, uint32_t pod);
/* Are all pods of its set there, or done? Then others may be made. */
bool podstage_set_ready(const struct run *run, uint32_t pod);
/* Pods of this attempt that are done already. */
uint32_t podstage_done(const struct run *run, uint32_t job);
/* How long it takes until all may work, where no pods are placed. */
simtime podstage_delay(const struct run *run, uint32_t job);

#endif
