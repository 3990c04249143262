/* engine.h - runs one scenario under one policy and fills a journal.
 *
 * Owns the clock and the event queue; the only code that changes a world.
 * Arrivals come from the scenario's sorted array and never enter the queue.
 * Everything is per call: any number of runs may go on at once on threads.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "sim/world/policy.h"

/* On success *out is the journal (owned by the caller); how the run ended is in
 * it. scenario and options are borrowed by the call only, the scenario also by
 * the journal. */
enum err_code engine_run(const struct scenario *scenario, const struct policy_row *policy,
			 const struct run_options *options, enum journal_detail detail,
			 struct journal **out, struct err *err);

#endif
