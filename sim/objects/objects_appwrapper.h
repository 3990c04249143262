/* objects_appwrapper.h - AppWrappers: the pod sets of all their components together (Kueue:
 * pkg/controller/jobs/appwrapper; the paths are those of AppWrapper 1.2).
 *
 * Pod sets that a component does not declare are inferred for the kinds that AppWrapper
 * knows. One with a service in it runs without end.
 */
#ifndef SIM_OBJECTS_APPWRAPPER_H
#define SIM_OBJECTS_APPWRAPPER_H

#include "sim/objects/object.h"

object_read objects_appwrapper;

#endif
