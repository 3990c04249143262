/* sweep.h - runs the points of a plan on threads, and keeps their figures.
 *
 * A point is one run: the figures are those that compare prints as CSV for it alone, over
 * its own window. The input is loaded once for all points that change nothing of it
 * (policies, options of a run, seeds), and forgotten when the last of them is through.
 */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include "sim/cmd.h"
#include "sim/sweep_plan.h"
#include "sim/sweep_store.h"

/* Of shards equally large shares of the points, number 1, 2, ...; 1 of 1: all. */
struct sweep_shard {
	uint32_t number, of;
};

struct sweep_request {		       /* all borrowed */
	const struct sweep_plan *plan; /* checked; it has a policy dimension */
	struct sweep_store *store;
	struct sweep_shard shard;
	const struct cmd_context *context;
	unsigned threads;
	bool quiet;
};

struct sweep_result {
	uint64_t wanted;  /* points of this shard */
	uint64_t kept;	  /* were there before */
	uint64_t run;	  /* now */
	bool interrupted; /* the user stopped it */
};

/* A point that cannot be run is stored as failed and ends nothing; an error is one of the
 * whole: files that cannot be read, or results that cannot be written. */
enum err_code sweep_run(const struct sweep_request *request, struct sweep_result *out,
			struct err *err);

/* "2/8". */
enum err_code sweep_shard_read(const char *text, struct sweep_shard *out, struct err *err);
/* What the environment of an Indexed Job (JOB_COMPLETION_INDEX, JOB_COMPLETIONS) or of a
 * Slurm array (SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP) says; 1 of 1 if nothing. get is
 * getenv. */
enum err_code sweep_shard_of(char *(*get)(const char *name), struct sweep_shard *out,
			     struct err *err);

#endif
