/* webhooks.h - what Kueue's webhooks refuse of objects whose fields are right one by one, but not
 * with the feature gates, with each other, or over what was there before (pkg/webhooks).
 */
#ifndef SIM_WEBHOOKS_H
#define SIM_WEBHOOKS_H

#include "sim/load/resolve_look.h"

/* Annotations that ask for layers of slices, for which there is a gate. */
enum err_code webhooks_layers(struct resolver *r);
/* The annotation of elastic jobs on kinds that have none, for which there is a gate, too. */
enum err_code webhooks_elastic(struct resolver *r);
/* ClusterQueues, once what they name is found and the updates are made: their
 * concurrentAdmissionPolicy, and the flavors of their checks. */
enum err_code webhooks_queues(struct resolver *r);

#endif
