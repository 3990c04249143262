/* kinds.h - the kinds of objects a scenario is made of, and what they have in common.
 *
 * Every record of a kind begins with its name (string); a namespaced one goes on
 * with its namespace.
 */
#ifndef SIM_KINDS_H
#define SIM_KINDS_H

#include <stdbool.h>
#include <stddef.h>

enum kind {
	KIND_NAMESPACE,
	KIND_FLAVOR,
	KIND_TOPOLOGY,
	KIND_CLUSTER_QUEUE,
	KIND_COHORT,
	KIND_LOCAL_QUEUE,
	KIND_PRIORITY_CLASS,
	KIND_WORKLOAD_PRIORITY_CLASS,
	KIND_CHECK,
	KIND_PROVISIONING_CONFIG,
	KIND_RESOURCE_QUOTA,
	KIND_LIMIT_RANGE,
	KIND_BUDGET,
	KIND_PROFILE,
	KIND_NODE,
	KIND_RUNTIME_CLASS, /* only while a scenario is made */
	KIND_COUNT
};

#define KIND_ALWAYS (-1) /* no gqsim/at: the object is there from the start */

struct kind_row {
	const char *name; /* Kubernetes' name of the kind */
	size_t size;	  /* of a record */
	bool namespaced;
	int update; /* enum update_kind; -1: cannot change during a run */
};
const struct kind_row *kinds_row(enum kind kind);

/* Can an object of the kind be made or deleted during a run? */
bool kinds_comes_and_goes(enum kind kind);
/* Turns a record, not resolved yet, into one that says that there is no such object. */
void kinds_make_absent(enum kind kind, void *record);

#endif
