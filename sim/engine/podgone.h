/* podgone.h - pods leave: off their node, out of the queues. */
#ifndef SIM_PODGONE_H
#define SIM_PODGONE_H

#include "sim/engine/run.h"

/* Silently: the caller has written the record. */
void podgone_remove(struct run *run, uint32_t pod);
/* The same for a pod of a job whose pods are all being removed. */
void podgone_remove_told(struct run *run, uint32_t pod);
/* All pods of the job, and what was to happen to them. */
void podgone_remove_all(struct run *run, uint32_t job);
/* Its pods that no node has taken yet. */
void podgone_remove_pending(struct run *run, uint32_t job);

#endif
