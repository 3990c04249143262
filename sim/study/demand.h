/* demand.h - what the jobs of an input ask for, before anything is simulated: offered load,
 * peak, and how many GPUs queueing theory would have (core/queueing.h). It narrows a search;
 * it decides nothing.
 *
 * Theory sees servers that each hold one job of mean size: GPUs / mean size of them, fed by
 * jobs whose times between arrivals and of service vary as the input's do (Allen and
 * Cunneen). No gangs, no fragments, no quotas, no days and nights.
 */
#ifndef SIM_DEMAND_H
#define SIM_DEMAND_H

#include "sim/report/goal.h"

struct demand {
	uint32_t jobs;	     /* that end and have GPUs */
	int64_t endless;     /* GPUs of jobs without end */
	simtime span;	     /* from the first submit to the last */
	double load;	     /* GPUs busy on average over the span, if nothing ever waited */
	int64_t peak;	     /* GPUs busy at once then, at most */
	int64_t largest;     /* GPUs of one job */
	double mean_gpus;    /* of a job, weighted by how long it works */
	double rate;	     /* arrivals a second */
	double service;	     /* mean seconds of work */
	double scv_arrivals; /* squared coefficients of variation */
	double scv_service;
};

struct demand demand_of(const struct scenario *scenario);

/* GPUs with which theory meets the limit; never less than the load. 0: no jobs. */
int64_t demand_guess(const struct demand *demand, const struct goal *goal);

#endif
