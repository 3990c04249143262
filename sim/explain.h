/* explain.h - why a job is not running at some time of a run, and what would
 * change that.
 *
 * Classes (DESIGN.md section 7): never: above what its queue could ever have, no
 * matching flavor, an inactive queue, nodes that cannot hold it, a deadlock;
 * behind Y: the head of a StrictFIFO queue, or an earlier equal; until X: the
 * finish or reclaim that let it in, or would if nobody else came.
 */
#ifndef SIM_EXPLAIN_H
#define SIM_EXPLAIN_H

#include "sim/report.h"

enum explain_state {
	EXPLAIN_FUTURE,	  /* not submitted yet */
	EXPLAIN_WAITING,  /* no quota; or, without an admission policy, not all pods bound */
	EXPLAIN_ADMITTED, /* has quota, waits for nodes, checks or readiness */
	EXPLAIN_RUNNING,
	EXPLAIN_STOPPING, /* evicted, its pods are ending */
	EXPLAIN_FINISHED,
	EXPLAIN_GONE, /* failed or cancelled */
};

enum explain_class { EXPLAIN_NONE, EXPLAIN_NEVER, EXPLAIN_BEHIND, EXPLAIN_UNTIL };

struct explain_lines {
	char **items;
	size_t count, capacity;
};

struct explain {
	uint32_t job;
	simtime at;
	bool before_start; /* at was chosen: before its first start */
	enum explain_state state;
	enum explain_class class;
	char *class_text;	      /* a sentence; NULL */
	const char *reason;	      /* of the scheduler, then; "" */
	const char *message;	      /* in its own words; "" */
	struct explain_lines use;     /* "gpu in flavor a: would use 18 of 12 ..." */
	struct explain_lines change;  /* smallest changes that would let it in */
	struct explain_lines history; /* its records */
};

/* at: CLOCK_NEVER: the end if it never started, else before its first start: just
 * before what let it in, if that was not at its submit.
 * The column's journal must be FULL for reasons and messages. */
struct explain *explain_new(const struct report_column *column, uint32_t job, simtime at);
void explain_free(struct explain *explain);

/* Job of a name, or of namespace/name. ERR_UNKNOWN with the nearest names;
 * ERR_VALUE if several namespaces have it. */
enum err_code explain_find(const struct scenario *scenario, const char *name, uint32_t *out,
			   struct err *err);

const char *explain_state_text(enum explain_state state);
const char *explain_class_text(enum explain_class class);

#endif
