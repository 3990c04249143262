/* resolve_class.h - priorities: which PriorityClass and WorkloadPriorityClass a job and its pods
 * have (spec KUEUE.md 1.5 and 9).
 */
#ifndef SIM_RESOLVE_CLASS_H
#define SIM_RESOLVE_CLASS_H

#include "sim/load/resolve_look.h"

/* Finds the classes that jobs have which name none. Before any job. */
void resolve_class_defaults(struct resolver *r);
/* Puts priority and class of the index-th job into common. ERR_UNKNOWN: there is no such class. */
enum err_code resolve_class_priority(struct resolver *r, uint32_t index, struct job_common *common);
/* Once all jobs have theirs: the classes of pods that have another than their workload, and
 * their names where a quota's scope asks for them. */
void resolve_class_apply(struct resolver *r);
void resolve_class_name_pods(struct resolver *r);

#endif
