/* jobplain.h - jobs that come, run and end, and nothing else.
 *
 * In most runs no job has a controller or an extra, no ResourceQuota or autoscaler has a say,
 * and no timeout runs: then most of what jobctl.h, podmake.h, jobend.h and podgone.h ask about
 * a job is answered before it is asked. What is left of the steps of its way stands here in
 * one piece each, and leaves the world, the journal and the policies as those would
 * (tests/sim/engine/test_jobplain.c runs both). Jobs that are evicted, and pods that are
 * preempted or evicted, go the long way; they come back to this one.
 */
#ifndef SIM_JOBPLAIN_H
#define SIM_JOBPLAIN_H

#include "sim/engine/run.h"

/* Is the run such a one? Once all its parts are open: nothing may change the answer later. */
bool jobplain_holds(const struct run *run);

/* The job, which has pods, is submitted, and they are made: nobody admits it. */
void jobplain_arrive(struct run *run, uint32_t job);
/* The same under an admission policy: it waits for it, unless that looks after others only. */
void jobplain_submit(struct run *run, uint32_t job);
/* It may run: its pods are made once the admissions of this instant are over. */
void jobplain_admit(struct run *run, uint32_t job);
/* Makes those of all who wait for that. */
void jobplain_make(struct run *run);
/* The pod goes to the node. The last one of a job starts it. */
void jobplain_bound(struct run *run, uint32_t pod, uint32_t node);
/* Its work is done. */
void jobplain_finish(struct run *run, uint32_t job);

#endif
