/* timeline.h - the levels of a run over time, as CSV.
 *
 * Header: time_s,gpus,bound,running,idle,free,pending_jobs,pending_gpus, then
 * queue:<name>:<flavor>:<resource>:nominal|used|borrowed|lent for each quota of
 * each ClusterQueue. A row gives what holds from its time on; instants that
 * change nothing have none. cpu is in cores, everything else in whole units.
 */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include <stdio.h>

#include "sim/world/journal.h"

/* From time zero to end, where the last row stands. */
void timeline_write(FILE *out, const struct journal *journal, simtime end);

#endif
