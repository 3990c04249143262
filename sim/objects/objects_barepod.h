/* objects_barepod.h - Pods that no controller made. */
#ifndef SIM_OBJECTS_BAREPOD_H
#define SIM_OBJECTS_BAREPOD_H

#include "sim/objects/object.h"

object_read objects_barepod;

#endif
