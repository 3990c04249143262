/* objects_jobset.h - JobSets: a pod set a replicated job (Kueue: pkg/controller/jobs/jobset),
 * replicas times the smaller of parallelism and completions pods.
 *
 * All replicated jobs start together; the JobSet has finished when all have. Failures
 * beyond the back-off limit of a Job restart the whole, failurePolicy.maxRestarts times.
 */
#ifndef SIM_OBJECTS_JOBSET_H
#define SIM_OBJECTS_JOBSET_H

#include "sim/objects/objects_roles.h"

object_read objects_jobset;

/* The pod sets of a JobSet's spec, and what it says of failures. */
enum err_code objects_jobset_spec(struct fields *f, const struct yaml_node *spec,
				  struct objects_roles *roles);

#endif
