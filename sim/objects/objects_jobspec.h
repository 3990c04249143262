/* objects_jobspec.h - the spec of a batch/v1 Job, as the Job controller reads it.
 *
 * A Job of several pods is a gang unless it says otherwise: by gqsim/gang, by
 * completions beyond its parallelism, or by what only makes sense for pods that work
 * each for itself (backoffLimitPerIndex, maxFailedIndexes, successPolicy).
 */
#ifndef SIM_OBJECTS_JOBSPEC_H
#define SIM_OBJECTS_JOBSPEC_H

#include "sim/objects/objects_work.h"

/* Rows of spec, for fields_map into a struct objects_jobspec. */
extern const struct field objects_jobspec_rows[];

struct objects_jobspec {
	uint32_t parallelism, completions, backoff_limit, index_limit, max_failed; /* NAME_NONE */
	int mode;								   /* 1: Indexed */
	simtime deadline;							   /* 0: none */
	const struct yaml_node *template, *suspend, *failure_policy, *success_policy; /* NULL */
};

void objects_jobspec_begin(struct objects_jobspec *spec);
/* Pod template, counts and rules into work, whose head has been read. */
enum err_code objects_jobspec_take(struct fields *f, const struct objects_jobspec *spec,
				   struct objects_work *work);

#endif
