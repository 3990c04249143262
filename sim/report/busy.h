/* busy.h - GPUs given to jobs and what these do with them, over time: allocation and
 * utilisation of each group of jobs (teams, namespaces), and who waits.
 *
 * A GPU held by a job that works is as busy as the job's utilisation level says, one held by
 * a job that cannot work is not busy at all: as DCGM_FI_DEV_GPU_UTIL would show it, averaged
 * over the GPUs that pods of the group have. Levels are per mille.
 */
#ifndef SIM_BUSY_H
#define SIM_BUSY_H

#include "core/dwell.h"
#include "sim/world/replay.h"

#define BUSY_FULL 1000

struct busy_group {
	int64_t held, running;	    /* GPU-microseconds */
	int64_t busy;		    /* the same times utilisation */
	struct dwell level;	    /* utilisation of the GPUs held, while any are */
	struct dwell gpus;	    /* held */
	struct dwell coming;	    /* the same until the last job came, if not all came at once */
	simtime pending;	    /* jobs times microseconds */
	uint32_t pending_most;	    /* jobs, at once */
	int64_t crashed, cancelled; /* GPU-microseconds of work of jobs that ended so */
};

struct busy {
	simtime window;
	struct busy_group *groups;	    /* and, last of all, the one of all jobs */
	uint32_t count;			    /* without that */
	int64_t *week_busy, *week_capacity; /* GPU-microseconds, of each week or part of one */
	uint32_t week_count;
};

/* group_of: [job], below count. */
struct busy *busy_new(const struct journal *journal, const uint32_t *group_of, uint32_t count,
		      simtime end);
void busy_free(struct busy *busy);

/* Share of the GPUs held that was busy, 0 ... 1. */
double busy_share(const struct busy_group *group);
/* What that share did not pass for 95 % of the time that any were held, 0 ... 1. */
double busy_p95(const struct busy_group *group);
/* Thousandths of GPUs that the job keeps busy, as of the last step. */
int64_t busy_of_job(const struct replay *replay, uint32_t job);
/* Utilisation of all GPUs in the middle one of all full weeks; of the whole window if it is
 * shorter than one. 0 ... 1. */
double busy_typical_week(const struct busy *busy);

#endif
