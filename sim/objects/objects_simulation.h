/* objects_simulation.h - the one document of our own. */
#ifndef SIM_OBJECTS_SIMULATION_H
#define SIM_OBJECTS_SIMULATION_H

#include "sim/objects/object.h"

object_read objects_simulation;

#endif
