/* objects_affinity.h - the parts of a pod spec that say where its pods would rather
 * be: preferred node affinity, pod affinity and anti-affinity, topology spread.
 */
#ifndef SIM_OBJECTS_AFFINITY_H
#define SIM_OBJECTS_AFFINITY_H

#include "core/constraint.h"
#include "sim/load/fields.h"

/* A label selector and the keys whose values it takes from the pod's own labels. */
struct objects_own_keys {
	const uint32_t *match, *mismatch; /* strings */
	uint32_t match_count, mismatch_count;
};

struct objects_term {
	struct pod_term term;
	struct objects_own_keys keys;
};

struct objects_spread {
	struct spread_constraint spread;
	struct objects_own_keys keys;
};

/* As written; zero it. Lists are in f->arena. */
struct objects_affinity {
	const struct node_term *preferred;
	const int32_t *weights;
	uint32_t preferred_count;
	struct objects_term *terms; /* of all four lists */
	uint32_t term_count;
	struct objects_spread *spreads;
	uint32_t spread_count;
};

fields_read objects_affinity_node_term; /* struct node_term: a nodeSelectorTerm */
/* Of struct objects_affinity: what stands below the key. */
fields_read objects_affinity_nodes;  /* nodeAffinity.preferredDuringScheduling... */
fields_read objects_affinity_near;   /* podAffinity */
fields_read objects_affinity_far;    /* podAntiAffinity */
fields_read objects_affinity_spread; /* topologySpreadConstraints */

/* What kube-scheduler adds for pods of a ReplicaSet or StatefulSet with this selector
 * that have no spread constraints: over host names and zones, ScheduleAnyway. */
void objects_affinity_defaults(struct fields *f, struct objects_affinity *affinity,
			       const struct label_selector *selector);

/* The record of a shape, for pods with these labels; NULL if nothing was asked. */
const struct pod_constraints *objects_affinity_finish(struct fields *f,
						      const struct objects_affinity *affinity,
						      const struct label_set *labels);

#endif
