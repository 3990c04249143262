/* jobafter.h - jobs that come when another has ended (struct job_after).
 *
 * The feedback of the Standard Workload Format (fields 17 and 18): who waited for a result
 * submits the next job its think time after the end of the one before, however long that took
 * in this run. Such a job has the time of its submit from the run, not from the scenario: the
 * run, and its journal for all who read that, have a scenario of their own, with these times.
 */
#ifndef SIM_JOBAFTER_H
#define SIM_JOBAFTER_H

#include "sim/engine/run.h"

/* Sets run.scenario, the journal's, and run.arrivals. */
void jobafter_open(struct run *run);
/* The job has ended: who waited for it will come. run.after is not NULL. */
void jobafter_ended(struct run *run, uint32_t job);
/* It comes now (EV_SUBMIT). */
void jobafter_comes(struct run *run, uint32_t job);
/* The run is over: who never came stands behind its end. */
void jobafter_close(struct run *run);

#endif
