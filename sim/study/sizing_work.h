/* sizing_work.h - the simulations of a plan: in batches, on all processors, and again with
 * random ties.
 */
#ifndef SIM_SIZING_WORK_H
#define SIM_SIZING_WORK_H

#include <pthread.h>

#include "sim/study/sizing.h"

#define SIZING_FIRST_LOOK    3	/* runs with random ties that may decide already */
#define SIZING_EXPECTED_RUNS 60 /* of a plan, as progress tells it */

/* What goes on, beside the answer. */
struct sizing_work {
	struct sizing *out;
	struct progress *progress;
	pthread_mutex_t lock;
	uint32_t done;
	/* the batch that runs */
	struct trial **batch;
};

static inline uint32_t sizing_smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The plan's; nothing is run. */
struct trial *sizing_new_trial(struct sizing *out);
/* The settings of base and some more. */
struct trial *sizing_trial_on(struct sizing *out, const struct trial *base, const char *const *sets,
			      uint32_t set_count);
/* False: the user stopped it; what is done is done. */
bool sizing_run_batch(struct sizing_work *work, struct trial **batch, size_t count);
/* Brings all of them to so many runs with random ties; false: stopped, and they are left as
 * they were. */
bool sizing_run_seeds(struct sizing_work *work, struct trial *const *trials, size_t count,
		      uint32_t upto);
/* A trial that meets the goals is run again with random ties: does it still? */
bool sizing_holds(struct sizing_work *work, struct trial *trial);

#endif
