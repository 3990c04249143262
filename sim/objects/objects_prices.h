/* objects_prices.h - apiVersion: gqsim/v1, kind: Prices. */
#ifndef SIM_OBJECTS_PRICES_H
#define SIM_OBJECTS_PRICES_H

#include "sim/objects/object.h"

object_read objects_prices;

#endif
