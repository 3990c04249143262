/* objects_config.h - Kueue's Configuration, as a file or inside a ConfigMap
 * (spec KUEUE.md 1.9 and 1.10). */
#ifndef SIM_OBJECTS_CONFIG_H
#define SIM_OBJECTS_CONFIG_H

#include "sim/objects/object.h"

object_read objects_config;

#endif
