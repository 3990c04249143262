/* sweep.h - runs the points of a plan on threads, of one process or of a team, and keeps
 * their figures.
 *
 * A point is one run: the figures are those that compare prints as CSV for it alone, over
 * its own window. The input is loaded once for all points that change nothing of it
 * (policies, options of a run, seeds), and forgotten when the last of them is through.
 */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include "sim/study/sweep_point.h"

/* Of shards equally large shares of the points, number 1, 2, ...; 1 of 1: all. */
struct sweep_shard {
	uint32_t number, of;
};

enum sweep_call {
	SWEEP_SILENCE,
	SWEEP_ASKED, /* a rank wants an item; it may bring what came out of the one before */
	SWEEP_LEFT,  /* it wants no more */
};

/* Processes that share the points of a sweep. Rank 0 hands out items one by one and keeps
 * all results; it works too. A rank has at most one question open. */
struct sweep_team {
	uint32_t rank, size;
	/* All ranks call it: an error of one ends all, with the text at rank 0. */
	enum err_code (*agree)(struct sweep_team *team, enum err_code code, struct err *err);
	/* All ranks call it: what rank 0 has is copied to all. */
	void (*share)(struct sweep_team *team, void *data, size_t size);
	/* Of the others, any of their threads: brings a parcel, or none (0), gets an item. */
	uint64_t (*ask)(struct sweep_team *team, const char *parcel, size_t size);
	void (*leave)(struct sweep_team *team);
	/* Of rank 0: waits a moment for a call. The parcel is on the heap (mem_free). */
	enum sweep_call (*hear)(struct sweep_team *team, uint32_t *rank, char **parcel,
				size_t *size);
	void (*answer)(struct sweep_team *team, uint32_t rank, uint64_t item);
};

/* Does another process keep the results? team may be NULL. */
bool sweep_is_helper(const struct sweep_team *team);

struct sweep_request {		       /* all borrowed */
	const struct sweep_plan *plan; /* checked; it has a policy dimension */
	struct sweep_store *store;     /* of rank 0 alone */
	struct sweep_team *team;       /* NULL: this process does it all */
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
