/* objects_barepod.h - Pods, as far as nothing else in the input stands for them: those of
 * controllers and Workloads that are there are left out when all is read (sim/load/dump.h). */
#ifndef SIM_OBJECTS_BAREPOD_H
#define SIM_OBJECTS_BAREPOD_H

#include "sim/objects/object.h"

object_read objects_barepod;

#endif
