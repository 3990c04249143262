/* trace_facts.h - everything `gqsim trace stats` tells about a trace, ready to be
 * printed: as JSON with the names of published reference figures, or as text.
 */
#ifndef SIM_TRACE_FACTS_H
#define SIM_TRACE_FACTS_H

#include <stdio.h>

#include "sim/trace/trace.h"
#include "sim/trace/trace_stats.h"

struct trace_facts_vc { /* a virtual cluster of a file of node counts */
	const char *name;
	uint32_t nodes;
	struct trace_pool pool; /* of its own nodes x 8 GPUs; all zero: no such queue */
};

struct trace_facts {
	const char *file;
	uint64_t hash;
	const struct trace_summary *summary;
	const struct trace_stats_jobs *jobs;
	simtime clock;	  /* of time 0; CLOCK_NEVER: no clock */
	simtime from, to; /* the window; 0 and CLOCK_NEVER: all */
	struct trace_stats stats;
	struct trace_pool *pools;
	size_t pool_count;
	struct trace_facts_vc *vcs;
	size_t vc_count;
};

/* "8", "0.5": GPUs from thousandths. */
#define TRACE_FACTS_GPUS 32
char *trace_facts_gpus(int64_t milli, char buf[TRACE_FACTS_GPUS]);
/* Name a virtual cluster is shown under; jobs without a queue are "-". */
const char *trace_facts_team(const struct trace_facts *facts, const struct trace_team *team);

void trace_facts_json(FILE *out, const struct trace_facts *facts);
void trace_facts_text(FILE *out, const struct trace_facts *facts);

#endif
