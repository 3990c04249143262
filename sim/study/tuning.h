/* tuning.h - the best setting on the hardware that is there (sizing.h).
 *
 * The levers are tried one by one, then the best of them kept and the others tried on top of
 * it, as long as that helps; then again with the second best as the last. Where that misses
 * the goals and the jobs are few, each other lever is tried as the first, so that all pairs
 * are.
 */
#ifndef SIM_TUNING_H
#define SIM_TUNING_H

#include "sim/study/sizing_work.h"

/* sizing->today has been run. Fills tries and rounds, and finds best. */
enum err_code tuning_run(struct sizing_work *work, struct err *err);

#endif
