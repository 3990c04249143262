/* objects_pod.h - a pod template: what each pod asks for, and where it may go. */
#ifndef SIM_OBJECTS_POD_H
#define SIM_OBJECTS_POD_H

#include "sim/load/fields.h"
#include "sim/objects/objects_affinity.h"
#include "sim/scenario/template.h"

struct objects_pod {
	struct pod_template template; /* in f->arena */
	struct objects_affinity affinity;
	uint32_t priority_class;		      /* string; NAME_NONE */
	const struct yaml_node *labels, *annotations; /* of the template; NULL */
	const struct yaml_node *slice_size;	      /* annotation to be checked; NULL */
};

/* A PodTemplateSpec (metadata and spec), or a Pod's own spec with the annotations
 * of its metadata. The topology annotations of Kueue (spec KUEUE.md 1.8) are read
 * into template.base. */
enum err_code objects_pod_template(struct fields *f, const struct yaml_node *node,
				   struct objects_pod *out);
enum err_code objects_pod_spec(struct fields *f, const struct yaml_node *spec,
			       const struct yaml_node *annotations, struct objects_pod *out);

/* A list of slice constraints, outermost first, of {topology, size}; at is what errors point
 * to. */
enum err_code objects_pod_layers(struct fields *f, const struct yaml_node *root,
				 const struct yaml_node *at, struct pod_shape *shape);

/* GPUs that one pod of it names in its containers, before any LimitRange. */
bool objects_pod_has_gpus(const struct fields *f, const struct objects_pod *pod);

#endif
