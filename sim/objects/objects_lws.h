/* objects_lws.h - LeaderWorkerSets: a job a group, each a leader and its workers (Kueue:
 * pkg/controller/jobs/leaderworkerset), without end.
 *
 * With a leaderTemplate a group is the pod sets leader (1 pod) and worker (size - 1), else
 * main (size). gqsim/replicas-at adds groups and takes the youngest away.
 */
#ifndef SIM_OBJECTS_LWS_H
#define SIM_OBJECTS_LWS_H

#include "sim/objects/object.h"

object_read objects_lws;

#endif
