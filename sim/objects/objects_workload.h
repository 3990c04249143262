/* objects_workload.h - Kueue's Workload objects: what a cluster's own queue did.
 *
 * A Workload that a dump holds is a job; its conditions say when it had its quota, was
 * admitted and ended. dump.h makes of them a trace: jobs that the dump also has as an
 * object of their own are not counted twice, and work without a recorded end gets one.
 */
#ifndef SIM_OBJECTS_WORKLOAD_H
#define SIM_OBJECTS_WORKLOAD_H

#include "sim/objects/object.h"

object_read objects_workload;

#endif
