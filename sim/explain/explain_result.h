/* explain_result.h - what explain has to say about a job. */
#ifndef SIM_EXPLAIN_RESULT_H
#define SIM_EXPLAIN_RESULT_H

#include "sim/report/report.h"

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

#endif
