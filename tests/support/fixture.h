/* fixture.h - small hand-made scenarios for tests, without any file. */
#ifndef TESTS_SUPPORT_FIXTURE_H
#define TESTS_SUPPORT_FIXTURE_H

#include "sim/load/builder.h"
#include "sim/scenario/options.h"
#include "sim/world/journal.h"

struct fixture_job {
	const char *name;
	int64_t submit_s;
	int64_t duration_s; /* -1: endless */
	uint32_t pods;
	int64_t gpus;	   /* a pod */
	const char *queue; /* NULL: none */
	int64_t checkpoint_s;
	int64_t restart_s;
};

/* Nodes n0, n1, ... with that many GPUs; queues are the caller's
 * (builder_simple_queue). */
struct builder *fixture_cluster(uint32_t nodes, int64_t gpus);
void fixture_add(struct builder *builder, const struct fixture_job *jobs, uint32_t count);
struct scenario *fixture_finish(struct builder *builder);
/* The job, of its workload and of its pods. */
void fixture_priority(struct scenario *scenario, uint32_t job, int32_t priority,
		      int32_t pod_priority);
/* A job of the scenario has these JOB_ flags, too. */
void fixture_flags(struct scenario *scenario, uint32_t job, uint16_t flags);

/* One line a record, "time kind job ...": what tests compare journals by. */
char *fixture_print(const struct journal *journal); /* owned by the caller: free() */

#endif
