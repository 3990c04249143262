/* objects_cronjob.h - CronJobs: a Job for each time of the schedule, until gqsim/until or
 * for seven days.
 *
 * Their names are NAME-MINUTES, minutes since 1970 of the scheduled time, as the CronJob
 * controller makes them (Kubernetes 1.34, pkg/controller/cronjob). Time 0 of the run is
 * startTime of the Simulation document or the first submit of a trace that has one,
 * else Monday, 1 January 2024, 0:00 UTC. Annotations gqsim/... may stand on the CronJob or on
 * its jobTemplate.
 */
#ifndef SIM_OBJECTS_CRONJOB_H
#define SIM_OBJECTS_CRONJOB_H

#include "sim/objects/object.h"

object_read objects_cronjob;

struct objects_crons *objects_crons_new(void); /* objects_crons_free releases it */
void objects_crons_free(struct objects_crons *crons);
/* The Jobs of all CronJobs read so far, into the builder; once, when all is read. */
void objects_crons_expand(struct objects_crons *crons, struct builder *builder);

#endif
