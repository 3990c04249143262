/* constraint.h - what a pod template asks of its place beyond "must": preferred
 * node affinity, pod affinity and anti-affinity, topology spread.
 *
 * Most templates ask for nothing of it, so a pod_shape points at one record, or at
 * none. Strings are indices of the scenario's string table.
 */
#ifndef CORE_CONSTRAINT_H
#define CORE_CONSTRAINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/label.h"
#include "core/mem.h"

/* A term of pod affinity, or of anti-affinity: near to (far from) the pods that it
 * selects, where near is an equal value of the node label topology_key. */
struct pod_term {
	struct label_selector selector;
	const uint32_t *namespaces; /* strings */
	uint32_t namespace_count;   /* none, and no selector either: the pod's own */
	struct label_selector namespace_selector;
	uint32_t topology_key; /* string */
	int32_t weight;	       /* preferred: 1..100; 0: required */
	bool anti;
};

/* An entry of topologySpreadConstraints. */
struct spread_constraint {
	struct label_selector selector;
	uint32_t topology_key; /* string */
	int32_t max_skew;
	int32_t min_domains;   /* 1 unless given */
	bool hard;	       /* DoNotSchedule, else ScheduleAnyway */
	bool ignores_affinity; /* nodeAffinityPolicy Ignore (default Honor) */
	bool honors_taints;    /* nodeTaintsPolicy Honor (default Ignore) */
	bool system;	       /* a default of kube-scheduler: nodes need not have the label */
};

struct pod_constraints {
	const struct node_term *preferred; /* node affinity */
	const int32_t *weights;		   /* 1..100, one each */
	uint32_t preferred_count;
	const struct pod_term *terms;
	uint32_t term_count;
	const struct spread_constraint *spreads;
	uint32_t spread_count;
};

/* NULL is a value too, and equal to itself only. */
bool constraint_equal(const struct pod_constraints *a, const struct pod_constraints *b);
uint64_t constraint_hash(const struct pod_constraints *constraints);
/* With everything that it points at; NULL for NULL. */
const struct pod_constraints *constraint_copy(struct mem_arena *arena,
					      const struct pod_constraints *from);

#endif
