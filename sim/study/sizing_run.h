/* sizing_run.h - works out a plan: buy, or tune?
 *
 * The levers first (tuning.h). Then each kind of node is counted: theory and the peak of the
 * demand bound the search, simulation decides (core/fewest.h). An answer must hold with
 * random ties, too, in nine of ten runs. What is found hangs neither on threads nor on the
 * host.
 */
#ifndef SIM_SIZING_RUN_H
#define SIM_SIZING_RUN_H

#include "sim/study/sizing.h"

/* The answer is the caller's also on error: sizing_free. */
enum err_code sizing_run(const struct sizing_request *request, struct sizing *out, struct err *err);

#endif
