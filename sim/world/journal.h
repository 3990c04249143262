/* journal.h - the append-only record of one run: what happened, and when.
 *
 * The engine writes it; metrics, reports, plots and the audit only read it.
 * Every report is a pure function of (scenario, journal). Records are kept packed
 * (journal_block.h) and read through a journal_reader; what does not fit
 * (admissions, messages, deadlock sets) stands in side tables and is shared between
 * equal records.
 *
 * Detail: at JOURNAL_FACTS the journal has what the figures need (and the failed
 * attempts of one job, run_options.heard). At JOURNAL_FULL it also has every failed
 * attempt and every change of a waiting job's reason, which --events, --pending and
 * explain read. At JOURNAL_THINNED it has of these each job's first and some later
 * ones, at most as many as its attempts have doublings: for pages of large inputs.
 */
#ifndef SIM_JOURNAL_H
#define SIM_JOURNAL_H

#include "sim/scenario/scenario.h"
#include "sim/world/journal_block.h"

enum journal_detail { JOURNAL_FACTS, JOURNAL_THINNED, JOURNAL_FULL };

/* fields used beside time and job; "-" = none */
enum journal_kind {
	J_SUBMIT,	  /* - */
	J_QUOTA_RESERVED, /* arg: admission; arg2: 1 if checks are outstanding; incarnation: 1 if
			  * a workload of its own (a variant) had taken the quota before */
	J_ADMITTED,	  /* arg2: 1 if delayed by checks (its own row in --events), 2 if
			  * a second pass gave it its domains besides (arg: admission) */
	J_STATUS,	  /* arg: reason string, arg2: message string (a pending job's) */
	J_PREEMPTED,	  /* arg: preemptor job, arg2: reason string (Kueue) */
	J_RESUMED,	  /* a cycle that blockAdmission had stopped goes on. Kueue's log
			  * has the rows of its preemptions (J_PREEMPTED with
			  * incarnation 1), which took effect before, only now */
	J_EVICTED,	  /* arg: detail string ("reason=..."); quota kept until J_RELEASED */
	J_RELEASED,	  /* quota given back; arg: 1 if it was delayed (has a row) */
	J_FREED,	  /* quota of a job that was told to stop before is free, its pods end
			  * yet (Kueue); no row, as nobody is told: J_RELEASED follows */
	J_RECLAIMED,	  /* quota of pods that are done is given back; arg: admission with
			  * what it keeps */
	J_RESIZED,	  /* an elastic job has quota for other pod counts: arg: admission;
			   * incarnation: 1 if checks are outstanding before more pods come;
			  * arg2: 1 if a new workload slice replaced the old one */
	J_UNRESERVED,	  /* reservation taken back before it was admitted; arg: detail; arg2: 0;
			  * of one on its way out (its row is that of a release) 1, or 2 if
			  * its release was delayed (has a row) */
	J_CHECK,	  /* arg: result string */
	J_CHECK_UPDATED,  /* arg: string: what the event AdmissionCheckUpdated says */
	J_CHECK_WAITS,	  /* arg: string: check and what it waits for, as it was told last */
	J_PROVISIONING_REQUESTED, /* arg: detail string; arg2: check, of scenario.checks */
	J_VARIANT, /* of a variant of the job (concurrent admission): arg: string: event or
			   * condition; arg2: message string; NAME_NONE unless FULL */
	J_SECOND_PASS_FAILED, /* arg: message string; NAME_NONE unless FULL */
	J_PODS_READY,	      /* - */
	J_PODS_NOT_READY,     /* - */
	J_POD_CREATED,	      /* pod; FULL only */
	J_POD_SCHEDULED,      /* pod, arg: node */
	J_POD_FAILED,	      /* pod, arg: message string (FailedScheduling); FULL only */
	J_POD_PREEMPTED,      /* pod (now gone), arg: node, arg2: preemptor pod slot, and
			  * by_incarnation */
	J_POD_DELETED,	      /* pod (now gone), arg: node or NODE_NONE; no row */
	J_POD_FORBIDDEN,      /* pod, arg: message string */
	J_STARTED,	      /* all pods bound, or admitted without placement; arg: attempt */
	J_INTERRUPTED,	      /* a lost pod stopped it; arg: attempt */
	J_WORK_LOST,	      /* arg + arg2 * 2^32: microseconds of running that were thrown
			  * away (stopped without checkpoint, restart cost); follows
			  * what stopped the job, or precedes J_FINISHED. With a pod: of
			  * that pod alone */
	J_FINISHED,	      /* all its pods are gone with this record */
	J_FAILED,	      /* gave up: arg: reason string; pods gone */
	J_DELETED,	      /* cancelled; pods gone */
	J_PLACEMENT_TIMEOUT,  /* its pods are gone; arg: message string */
	J_DEADLOCK,	      /* arg: set */
	J_DEADLOCK_OVER,      /* arg: set it was announced with */
	J_NODE,		      /* arg: node, arg2: 1 usable, 0 not */
	J_SCALE,	      /* arg: node, arg2: enum journal_scale */
	J_UPDATE,	      /* arg: index of scenario.updates */
	J_MOVED,	      /* other topology domains: arg: admission, the same but for these;
			       * arg2: string: the node that failed */
	J_NODE_UNHEALTHY,     /* a node of its failed: arg: string: its name; arg2: 0: it is
			       * well again */
	J_GONE,		      /* arg: index of scenario.updates that deletes a ClusterQueue: it
			  * holds nothing any more, and its quota is no more */
	J_POD_EVICTED,	      /* pod (now gone), arg: node, arg2: string: why the node evicted it */
	/* of jobs whose pods work each for itself (JOB_SOLO) */
	J_POD_STARTED,	 /* pod works from now on; arg: completion it works on */
	J_POD_PAUSED,	 /* pod stops working and keeps its place */
	J_POD_SUCCEEDED, /* pod (now gone), arg: node or NODE_NONE, arg2: completion */
	J_WANTED,	 /* arg: pods that the controller wants from now on */
	/* of all jobs that a controller looks after */
	J_POD_CRASHED,	    /* pod (now gone): its container failed; arg: node or NODE_NONE,
			* arg2: exit code */
	J_CONTAINER_FAILED, /* pod keeps its place, its work stops (records after this
			     * one): arg: exit code, arg2: seconds until it restarts */
	J_SUSPENDED,	    /* its pods are gone (records before this one); of no policy */
	J_UNSUSPENDED,
	J_READY, /* arg: 1: Kueue takes its pods for ready from now on, 0: no more (podready.h); of
		  * waitForPodsReady, and where J_STARTED does not say so; no row */
	J_KINDS
};

/* What an autoscaler does with a node; joining and leaving have a J_NODE, too. */
enum journal_scale { SCALE_REQUESTED, SCALE_JOINED, SCALE_REMOVED };

/* A quota reservation. Equal ones share an index. */
struct admission_flavor {
	uint32_t resource, flavor;
};
struct admission_domain {
	uint32_t values; /* string: level values joined by "/" */
	uint32_t pods;
};
struct admission_pod_set {
	uint32_t count;
	uint32_t flavor_count;
	const struct admission_flavor *flavors; /* by resource name */
	uint32_t domain_count;			/* 0: no topology assignment */
	const struct admission_domain *domains;
};
struct admission {
	uint32_t cluster_queue;
	uint32_t borrow; /* borrowing level, spec KUEUE.md 2.4 */
	uint32_t pod_set_count;
	const struct admission_pod_set *pod_sets;
};

/* The jobs of a deadlock, ascending. */
struct journal_set {
	const uint32_t *jobs;
	uint32_t count;
};

/* What an admission policy had in hand as the run ended, which no record tells.
 * Lists go by the scenario's objects; all of it is the journal's arena's. */
struct journal_quota {	 /* a (flavor, resource) of a cohort */
	uint32_t flavor; /* string of the scenario */
	uint32_t resource;
	int64_t subtree; /* nominal quota of the cohort and all below it */
	int64_t used;	 /* reserved by the queues below it */
};
struct journal_queue {
	uint32_t cohort; /* SCENARIO_NONE */
	bool active;
	uint32_t pending, inadmissible;		      /* waiting in the heap, and parked */
	uint32_t pending_hashes, inadmissible_hashes; /* classes of equivalent workloads */
	int64_t *asked;				      /* [resource] by those that wait */
	uint32_t skips; /* last cycle's heads that lost their victims to others', if any */
	uint32_t new_targets, deferred_fits, skipped; /* victims searched once more */
	double share;				      /* weighted; infinite on weight 0 */
};
struct journal_local_queue {
	uint32_t pending, inadmissible;
	bool active;
	double usage; /* of admission fair sharing */
};
struct journal_cohort {
	uint32_t parent; /* SCENARIO_NONE */
	double share;
	const struct journal_quota *quotas;
	uint32_t quota_count;
};
struct journal_account {
	uint32_t admitting_cycles, other_cycles; /* that admitted a workload, or none */
	struct journal_queue *queues;
	struct journal_local_queue *local_queues;
	struct journal_cohort *cohorts;
};

enum run_end {
	RUN_COMPLETE,	 /* nothing left, or nothing can move any more */
	RUN_MAX_TIME,	 /* --max-time */
	RUN_INTERRUPTED, /* the user stopped it */
	RUN_LIVELOCK,	 /* decisions at one instant never end */
};

struct journal {
	const struct scenario *scenario; /* borrowed, or the run's own (jobafter.h) */
	const struct scenario *input;	 /* borrowed: as it was read, for all runs of it */
	const char *policy;		 /* row name of the policy table */
	enum journal_detail detail;
	size_t count;		       /* records */
	uint64_t kinds;		       /* bit k: some record is of kind k */
	struct name_table *strings;    /* reasons, messages; not the scenario's */
	uint32_t *first_pod;	       /* per job: slot of its first pod; [job_count] = all slots */
	struct scenario_survey survey; /* of the jobs */
	/* side tables */
	struct mem_arena *arena;
	struct admission *admissions;
	size_t admission_count, admission_capacity;
	struct journal_set *sets;
	size_t set_count, set_capacity;
	void *admission_index;	/* private: finds equal admissions */
	uint32_t (*thinned)[2]; /* private: per job: statuses and attempts so far; NULL unless
				 * JOURNAL_THINNED */
	/* private: full blocks, of the arena, and the records after them */
	const uint8_t **blocks;
	size_t block_capacity;
	struct journal_record newest[JOURNAL_BLOCK];
	bool places_pods;   /* a policy placed pods on nodes, if there were any pods */
	bool frees_at_once; /* as the admission policy's (policy.h) */
	/* how the run went */
	enum run_end end;
	simtime end_time;	       /* last instant processed */
	simtime account_end;	       /* figures run to here (DESIGN.md section 5) */
	uint64_t events;	       /* instants x events processed */
	uint64_t cycles;	       /* scheduling cycles */
	uint64_t failed_attempts;      /* of the placement scheduler */
	const uint32_t *livelock_jobs; /* who takes part; NULL */
	uint32_t livelock_count;
	const struct journal_account *account; /* NULL: the policy keeps none */
};

struct journal *journal_new(const struct scenario *scenario, const char *policy,
			    enum journal_detail detail);
void journal_free(struct journal *journal);
/* The record to be added, of this kind, every other field of which the caller sets at once. */
struct journal_record *journal_next_free(struct journal *journal, enum journal_kind kind);
/* The record added last, to be changed until the next one is; there is one. */
struct journal_record *journal_last(struct journal *journal);
uint32_t journal_string(struct journal *journal, const char *text);
const char *journal_text(const struct journal *journal, uint32_t string);

/* Is this J_EVICTED of a workload that was deactivated, or put on hold? Its quota is free then
 * before its pods have ended. */
bool journal_switches_off(const struct journal *journal, const struct journal_record *record);
/* On hold: Kueue takes the reservation away and calls it no eviction. */
bool journal_puts_on_hold(const struct journal *journal, const struct journal_record *record);
/* Index of an equal admission, or of a copy; of itself, if it is one of the journal's. */
uint32_t journal_admission(struct journal *journal, const struct admission *admission);
/* A sorted copy of a set of jobs. */
uint32_t journal_set(struct journal *journal, const uint32_t *jobs, uint32_t count);

/* What a journal that is thinned leaves out. */
enum journal_thin { THIN_STATUS, THIN_ATTEMPT };
/* One more of the job; is it among those to be told (the 1st, 2nd, 4th, 8th ...)? */
bool journal_thin(struct journal *journal, enum journal_thin kind, uint32_t job);
/* Would the next be? */
bool journal_thin_next(const struct journal *journal, enum journal_thin kind, uint32_t job);
/* Reads records, one after the other or by number, forwards or back: both are cheap near
 * the last one read. Any number of readers may read a journal that does not grow. */
struct journal_reader {
	const struct journal *journal;
	size_t next; /* number that journal_next reads */
	/* private: two blocks in hand, so that who reads an instant twice unpacks it once */
	size_t block[2];
	const struct journal_record *records[2];
	struct journal_record unpacked[2][JOURNAL_BLOCK];
};
void journal_open(struct journal_reader *reader, const struct journal *journal);
void journal_turn(struct journal_reader *reader, size_t block); /* private */
/* The record of that number, below journal.count; it stays there until the reader reads
 * one that is not among the next JOURNAL_BLOCK. */
static inline const struct journal_record *journal_read(struct journal_reader *reader,
							size_t number)
{
	size_t block = number / JOURNAL_BLOCK;

	if (block != reader->block[block % 2])
		journal_turn(reader, block);
	return &reader->records[block % 2][number % JOURNAL_BLOCK];
}
/* The next one; NULL: there are no more. */
static inline const struct journal_record *journal_next(struct journal_reader *reader)
{
	return reader->next < reader->journal->count ? journal_read(reader, reader->next++) : NULL;
}
/* The next one up to a time; NULL: there are no more. */
static inline const struct journal_record *journal_until(struct journal_reader *reader,
							 simtime last)
{
	const struct journal_record *r = journal_next(reader);

	return r != NULL && r->time <= last ? r : NULL;
}
/* Is there a record of this kind? */
static inline bool journal_has(const struct journal *journal, enum journal_kind kind)
{
	return (journal->kinds >> kind & 1) != 0;
}
/* Was some pod placed, or could it not be? */
bool journal_has_pods(const struct journal *journal);

/* Does the record admit its job: by itself, or with a reservation that waits for no
 * checks? */
bool journal_admits(const struct journal_record *record);

/* "job-0", "job-1-r2": as golden/kube-scheduler names pods. */
#define JOURNAL_POD_TEXT 320
const char *journal_pod_name(const struct journal *journal, const struct journal_record *record,
			     char buf[JOURNAL_POD_TEXT]);
/* The job that a pod slot belongs to. */
uint32_t journal_pod_job(const struct journal *journal, uint32_t pod);
/* Amount of each resource an admission takes, per flavor: calls back once a
 * (flavor, resource) of each pod set. */
typedef void journal_usage_visit(void *context, uint32_t flavor, uint32_t resource, int64_t amount);
void journal_admission_usage(const struct scenario *scenario, uint32_t job,
			     const struct admission *admission, journal_usage_visit *visit,
			     void *context);

#endif
