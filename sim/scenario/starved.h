/* starved.h - jobs that others overtook while they waited.
 *
 * A job is overtaken by each job that was submitted later (not at the same instant),
 * needs no more than it of any one resource, all pods
 * together, and first started before it did. It is starved once at least
 * STARVED_OVERTAKES have (DESIGN.md section 5).
 */
#ifndef SIM_STARVED_H
#define SIM_STARVED_H

#include "sim/scenario/scenario.h"

#define STARVED_OVERTAKES 10
/* Where jobs have more than STARVED_CLASSES different needs, counting stops at
 * STARVED_COUNT_MAX overtakes a job. */
#define STARVED_CLASSES	  256
#define STARVED_COUNT_MAX 1000

#define STARVED_LISTED 20

struct starved_job {
	uint32_t job, overtakes;
	simtime wait;
};

struct starved {
	uint32_t jobs;	      /* starved ones */
	uint32_t worst;	      /* the most overtaken (equal: the earlier); JOB_NONE */
	uint32_t overtakes;   /* of the worst */
	uint32_t longest;     /* the one that waited longest (equal: the earlier); JOB_NONE */
	simtime longest_wait; /* its, until it first started, ended or the run did */
	/* those most overtaken, in that order (equal: the earlier first) */
	struct starved_job most[STARVED_LISTED];
	uint32_t listed;
};

/* first_start: per job; CLOCK_NEVER: not started by until. end: when each finished,
 * failed or was deleted, CLOCK_NEVER if not by until. Jobs submitted after until are
 * left out. */
struct starved starved_find(const struct scenario *scenario, const simtime *first_start,
			    const simtime *end, simtime until);

#endif
