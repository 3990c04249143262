/* objects_job.h - batch/v1 Jobs (objects_jobspec.h says how they are read). */
#ifndef SIM_OBJECTS_JOB_H
#define SIM_OBJECTS_JOB_H

#include "sim/objects/object.h"

object_read objects_job;

#endif
