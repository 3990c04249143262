/* batch.h - several runs at once, on threads. What comes out does not depend on
 * how many threads there are: every run has its own engine and journal. */
#ifndef SIM_BATCH_H
#define SIM_BATCH_H

#include "sim/engine/engine.h"

struct batch_run {
	const struct scenario *scenario; /* borrowed */
	const struct policy_row *policy;
	struct run_options options;
	enum journal_detail detail;
	/* filled */
	struct journal *journal; /* owned by the caller; NULL on error */
	enum err_code code;
	struct err err;
};

/* Runs all, at most threads at a time (at least 1). The code of the first run
 * that failed, in the order of the array. */
enum err_code batch_execute(struct batch_run *runs, size_t count, unsigned threads,
			    struct err *err);

/* Calls work(context, i) for i = 0 ... count-1, at most threads at a time. */
typedef void batch_work(void *context, size_t i);
void batch_each(size_t count, unsigned threads, batch_work *work, void *context);

#endif
