/* objects_budget.h - PodDisruptionBudgets (policy/v1). */
#ifndef SIM_OBJECTS_BUDGET_H
#define SIM_OBJECTS_BUDGET_H

#include "sim/objects/object.h"

object_read objects_budget;

#endif
