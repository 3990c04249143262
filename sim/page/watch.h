/* watch.h - a run on a terminal of 80 columns and 24 lines: the GPUs of each node, and the
 * quota of each team, at one time.
 */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "sim/report/report.h"

#define WATCH_COLUMNS 80
#define WATCH_LINES   24

struct watch; /* owned by the caller: watch_new/watch_free; borrows the column */

struct watch *watch_new(const struct report_column *column);
void watch_free(struct watch *watch);

struct watch_look {
	bool utf8;   /* else plain ASCII */
	bool colour; /* ANSI colours beside the letters */
};

/* At most WATCH_LINES - 1 lines of at most WATCH_COLUMNS. */
void watch_frame(const struct watch *watch, simtime now, const struct watch_look *look, FILE *out);

#endif
