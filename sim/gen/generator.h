/* generator.h - a workload that does not exist yet: jobs drawn from a Generator document
 * (sim/gen/generator_spec.h).
 *
 * Each team and purpose has a random stream of its own, named "TEAM/PURPOSE" (arrivals,
 * states, sweeps, spacings, gpus, durations, failures, cancellations, utilisation, ...) and
 * seeded from the master seed: adding a purpose or a team, or changing one, leaves what the
 * others draw as it was. Times are in milliseconds exactly, so that the last bit of a
 * logarithm, which C libraries disagree on, hardly ever changes a job.
 */
#ifndef SIM_GENERATOR_H
#define SIM_GENERATOR_H

#include "core/arrivals.h"
#include "core/clock.h"
#include "core/distribution.h"
#include "core/err.h"
#include "core/mem.h"

#define GENERATOR_JOBS_MAX 10000000
#define GENERATOR_GPUS_MAX 1000000 /* of a job */
#define GENERATOR_OVERLAID 1000	   /* jobs a day above those of a sample, times this at most */

/* Durations of the jobs of one size class. */
struct generator_duration {
	double up_to_gpus;		  /* infinite: the rest */
	struct distribution distribution; /* seconds */
};

/* Something that befalls a share of the jobs. */
struct generator_fate {
	double share; /* 0 .. 1 */
	struct distribution after;
};

/* A job as it was: seconds since the sample began, and of work. */
struct generator_sampled {
	double submit, duration;
	uint32_t gpus;
};

/* Jobs that are drawn again, block by block (H. R. Kuensch, "The jackknife and the bootstrap for
 * general stationary observations", Annals of Statistics 17, 1989): what came together stays
 * together, in a team and, as all teams draw the same blocks, among them. A block takes the
 * place of another of the same hour of the week, or of the day where there are too few. */
struct generator_sample {
	double block;	 /* seconds; 0: no sample, all is drawn from distributions */
	uint32_t blocks; /* 2 or more; jobs come before the end of the last */
	const struct generator_sampled *jobs; /* by submit */
	size_t count;
};

struct generator_team {
	const char *name, *ns, *queue, *priority_class; /* NULL: no class */
	double jobs_per_day;				/* mean, without growth */
	struct arrivals_process arrivals;		/* its rate follows from jobs_per_day */
	/* Jobs come in sweeps of so many, so many seconds apart. */
	struct distribution sweep_size, sweep_spacing;
	double sweep_most; /* GPU-hours of its jobs after which a sweep ends; 0: no limit */
	/* How alike the jobs of a sweep are: correlation of their normal scores. */
	double gpus_alike, durations_alike;
	double gpus_persist, durations_persist; /* correlation of what two sweeps that follow each
						   other have in common */
	/* Mean normal scores of each level's period of arrivals: periods of large sweeps, of large
	 * or of long jobs. NULL: all are alike. */
	const double *sweep_moods, *gpus_moods, *durations_moods;
	struct distribution gpus;	      /* of the whole job */
	struct generator_duration *durations; /* by up_to_gpus */
	uint32_t duration_count;
	struct generator_sample sample;	     /* in place of all of the above but jobs_per_day */
	double correlation;		     /* of GPUs and duration: Gaussian copula */
	struct generator_fate failures;	     /* after: share of the work, 0 .. 1 */
	struct generator_fate cancellations; /* after: seconds since the submit */
	struct distribution utilisation;     /* GPU utilisation level, per cent */
};

struct generator {
	const char *title; /* NULL */
	uint64_t seed;
	bool has_start;
	simtime start;	/* of time 0, as if UTC; else it is a Monday, 0:00 */
	simtime length; /* jobs are submitted before; CLOCK_NEVER: until there are so many */
	uint64_t jobs;	/* of all teams, at most; 0: no limit */
	struct generator_team *teams;
	uint32_t team_count;
	struct mem_arena *arena; /* owns all of it */
};

struct generator_job {
	simtime submit, duration;
	simtime crash;	       /* fails for good after so much work; CLOCK_NEVER */
	simtime cancel;	       /* absolute; CLOCK_NEVER */
	uint32_t team, number; /* of the team, from 0 */
	uint32_t gpus;
	uint16_t utilisation; /* per mille */
};

struct generator_list {
	struct generator_job *jobs; /* by submit, then team and number */
	size_t count;
};

struct generator *generator_new(void); /* without teams */
void generator_free(struct generator *generator);
/* A team with nothing said: jobs of one GPU and an hour, named here. */
struct generator_team generator_team_default(const char *name);

/* Deviation of the scores within a period, so that all of them together have 1. */
double generator_mood_rest(const struct arrivals_process *arrivals, const double *moods);

/* Draws all jobs. ERR_LIMIT: more than GENERATOR_JOBS_MAX would come, or
 * more than GENERATOR_OVERLAID times a sample. */
enum err_code generator_draw(const struct generator *generator, uint64_t seed,
			     struct generator_list *out, struct err *err);
void generator_list_free(struct generator_list *list);

/* Mean GPU-seconds of work that a team asks for in a second, without growth, failures and
 * cancellations: so many GPUs it keeps busy. */
double generator_load(const struct generator_team *team);

#endif
