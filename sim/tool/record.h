/* record.h - what an object tells of its job beside what a run needs: who it is, and what
 * a cluster recorded of it. Times are seconds since 1970; 0: it has not happened.
 */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* What the conditions of a Workload tell. */
struct job_record {
	int64_t reserved, admitted, finished;
	int64_t ready;		/* its pods first were, in the last try */
	int64_t began;		/* its work: set by worktime.h; 0: it has not */
	int64_t latest;		/* the last moment that the record knows of */
	int64_t requeue_at;	/* it waits out a back-off until then */
	uint32_t evictions;	/* so far */
	uint32_t name;		/* string: of the object it stands for; NAME_NONE: its own */
	const uint32_t *owners; /* strings "KIND/NAME" */
	uint32_t owner_count;
	uint32_t uid; /* string: by which Kueue tells equals apart; NAME_NONE */
	bool running; /* it had quota when the dump was taken: after dump.h, of a snapshot */
	bool stopped; /* deactivated or withdrawn at latest, before it ended */
	bool unready; /* its pods never were, so far */
	bool timed;   /* job.duration is from these times, not the input's word */
	bool unknown; /* how long it works is not known; job.duration is 0 */
	/* Of unknown ones, after dump.h: how long it may work, microseconds: the 10th and
	 * the 90th per cent of what the median in job.duration is of. */
	int64_t early, late;
};

/* What struct job has no room for. */
struct job_note {
	uint32_t job;
	uint32_t pod_class;  /* string: PriorityClass of its pods, where job.priority_class
				names its workload's; NAME_NONE */
	uint32_t object;     /* string "KIND/NAME": the object that it was read from; NAME_NONE */
	uint32_t controller; /* string "KIND/NAME": of that object; NAME_NONE */
	int64_t created;     /* a submit time relative to the earliest such */
	int64_t started, ended;	   /* of an object that says when it ran */
	bool assumed;		   /* its duration is a guess that is to be told */
	bool let_in;		   /* a pod that Kueue let in with its controller's Workload */
	struct job_record *record; /* NULL: none */
};

/* A pod of a dump that had a node, whatever became of it. */
struct pod_seen {
	uint32_t object;     /* string "Pod/NAME" */
	uint32_t ns;	     /* string */
	uint32_t controller; /* string "KIND/NAME"; NAME_NONE */
	int64_t scheduled;   /* since when */
};

#endif
