/* template.h - a pod template as written, and the shape that comes of it.
 *
 * What a pod asks for depends on more than its template: a LimitRange of its
 * namespace fills in defaults and its RuntimeClass adds overhead. Both may stand
 * in any file, so templates are kept as they are until all is read.
 */
#ifndef SIM_TEMPLATE_H
#define SIM_TEMPLATE_H

#include "core/job.h"
#include "sim/scenario/scenario.h"

struct runtime_class {
	uint32_t name;
	const int64_t *overhead; /* per resource; NULL */
};

/* Amounts of some resources. */
struct template_amounts {
	const int64_t *amount; /* RES_MAX */
	uint64_t given;	       /* bit r: amount[r] is named */
};

enum template_role { TEMPLATE_MAIN, TEMPLATE_INIT, TEMPLATE_SIDECAR };

struct template_container {
	struct template_amounts requests, limits;
	enum template_role role;
};

struct pod_template {
	const struct template_container *containers; /* in the order of the pod */
	uint32_t container_count;
	struct template_amounts overhead; /* spec.overhead */
	struct template_amounts requests; /* pod-level resources */
	struct template_amounts limits;
	uint32_t runtime_class; /* string; NAME_NONE */
	bool of_pods;		/* Kueue sees the pods themselves, with the API server's defaults */
	bool wrapped; /* Kueue sees a copy without sidecars' restartPolicy, runtime class and
			 pod-level resources (an AppWrapper's) */
	struct pod_shape base; /* selectors, tolerations, topology; no amounts */
};

/* Fills shape->request, limit, counted (RES_MAX elements, allocated in arena), requested,
 * counts, nonzero_* and container_count. ranges are those of the pod's namespace;
 * overhead is its RuntimeClass's, used unless the template names its own. As the
 * API server does: limits stand for missing requests, then LimitRange defaults. */
void template_shape(const struct pod_template *template, const struct limit_range *const *ranges,
		    uint32_t range_count, const int64_t *overhead, struct mem_arena *arena,
		    struct pod_shape *shape);

/* What a container asks for of a resource in the end, and may use; false: nothing is
 * named, *out is as it was. */
bool template_request(const struct template_container *container,
		      const struct limit_range *const *ranges, uint32_t range_count,
		      uint32_t resource, int64_t *out);
bool template_limit(const struct template_container *container,
		    const struct limit_range *const *ranges, uint32_t range_count,
		    uint32_t resource, int64_t *out);

/* Do both ask for the same amounts? The base shapes are not compared. */
bool template_equal(const struct pod_template *a, const struct pod_template *b);
/* A copy whose base still points at what the original's points at. */
const struct pod_template *template_copy(struct mem_arena *arena, const struct pod_template *from);

#endif
