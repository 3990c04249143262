/* whatif.h - what becomes of a job that is submitted now: from a run that begins with
 * the cluster as it is (dump.h).
 */
#ifndef SIM_WHATIF_H
#define SIM_WHATIF_H

#include "sim/world/journal.h"

struct whatif {
	uint32_t job;
	simtime wait;	   /* from its submission until it is admitted; CLOCK_NEVER: not */
	simtime start;	   /* until all its pods run; CLOCK_NEVER: not */
	bool queued;	   /* Kueue decides about it; else it only waits for nodes */
	uint32_t position; /* in its ClusterQueue when it comes: 1 + those before it; 0: it
				     has none */
	uint32_t pending;  /* there together, itself included */
	/* Strings of the journal, NAME_NONE: why it is not admitted at once, and why its pods
	 * do not run at once where it is or need not be. */
	uint32_t reason, message, pods_message;
};

/* The run's journal is FULL. */
struct whatif whatif_find(const struct journal *journal, uint32_t job);

/* Jobs that had quota when the dump was taken, and those of them that the run does not let
 * in before anything else comes. */
void whatif_running(const struct journal *journal, uint32_t *running, uint32_t *not_admitted);

#endif
