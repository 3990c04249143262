/* jobcron.h - the CronJob controller: may a run of it begin while others go on?
 *
 * Kubernetes 1.34, pkg/controller/cronjob: Allow lets it; Replace deletes those that go on;
 * Forbid passes it over, but the last one that was passed over begins when the run before
 * it ends, unless startingDeadlineSeconds have gone by.
 */
#ifndef SIM_JOBCRON_H
#define SIM_JOBCRON_H

#include "sim/engine/run.h"

/* The job's time has come: does it? Others may be deleted for it. */
bool jobcron_comes(struct run *run, uint32_t job);
/* A job ended (jobend.h asks for this): the run that comes now, JOB_NONE for none. */
uint32_t jobcron_missed(struct run *run, uint32_t ended);

#endif
