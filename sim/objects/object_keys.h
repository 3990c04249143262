/* object_keys.h - the labels and annotations kueue.x-k8s.io/... of an object: which
 * there are at the modelled version, and which of them decide something that is not
 * modelled.
 */
#ifndef SIM_OBJECT_KEYS_H
#define SIM_OBJECT_KEYS_H

#include "sim/objects/object.h"

/* A finding for each misspelt one, and for each that is not modelled; errors where
 * unknown fields are refused. */
enum err_code object_keys_check(struct fields *f, const struct object *object);

#endif
