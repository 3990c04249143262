/* calibration.h - a replay of a cluster's dump against what the cluster recorded.
 *
 * A job's admission wait is from its creation to the condition Admitted. Compared are
 * jobs that the dump has as admitted and never evicted: of others it keeps only the
 * last try. In the order of admission, a pair of jobs agrees if the one that was
 * admitted first is so in both; equal times in either are left out.
 */
#ifndef SIM_CALIBRATION_H
#define SIM_CALIBRATION_H

#include "sim/tool/waits.h"
#include "sim/world/journal.h"

struct calibration_queue {
	uint32_t queue; /* ClusterQueue; SCENARIO_NONE: all together */
	struct wait_figures recorded, simulated;
	bool close; /* simulated p50 and p95 within 25 % or a minute of the recorded */
};

struct calibration {
	struct calibration_queue *queues; /* all together first; those with a compared job */
	uint32_t queue_count;
	uint32_t recorded; /* jobs of the dump that were admitted */
	uint32_t evicted;  /* of them, left out */
	uint32_t close;	   /* queues, without the first row */
	uint64_t pairs, agreeing;
};

/* NULL: the scenario has no records of admissions. */
struct calibration *calibration_new(const struct journal *journal);
void calibration_free(struct calibration *calibration);

#endif
