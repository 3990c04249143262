/* whatif.h - what becomes of a job that is submitted now: from a run that begins with
 * the cluster as it is (dump.h).
 */
#ifndef SIM_WHATIF_H
#define SIM_WHATIF_H

#include "sim/journal.h"

struct whatif {
	uint32_t job;
	simtime wait;		  /* from its submission until it is admitted; CLOCK_NEVER: not */
	simtime start;		  /* until all its pods run; CLOCK_NEVER: not */
	uint32_t position;	  /* in its ClusterQueue when it comes: 1 + those before it */
	uint32_t pending;	  /* there together, itself included */
	uint32_t reason, message; /* strings of the journal: why it is not admitted at once;
				     NAME_NONE */
};

/* The run's journal is FULL. */
struct whatif whatif_find(const struct journal *journal, uint32_t job);

/* Jobs that had quota when the dump was taken, and those of them that the run does not let
 * in before anything else comes. */
void whatif_running(const struct journal *journal, uint32_t *running, uint32_t *not_admitted);

#endif
