/* resolve_jobs.h - the jobs of a draft: their queues, priorities and times, in the order of their
 * submits.
 */
#ifndef SIM_RESOLVE_JOBS_H
#define SIM_RESOLVE_JOBS_H

#include "sim/load/resolve_look.h"

/* The scenario's objects are in their final order. Jobs that miss something are findings, or the
 * error of the first. */
enum err_code resolve_jobs(struct resolver *r);

#endif
