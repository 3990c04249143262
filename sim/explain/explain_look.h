/* explain_look.h - the run as it stood at the time that explain is asked about: what
 * the parts of explain share.
 */
#ifndef SIM_EXPLAIN_LOOK_H
#define SIM_EXPLAIN_LOOK_H

#include "sim/explain/explain_result.h"

struct explain_look {
	const struct report_column *column;
	const struct scenario *scenario;
	const struct journal *journal;
	struct replay *replay;	 /* played to the cut; this look's own */
	struct explain *explain; /* under construction */
	const struct job *job;
	const struct replay_job *state; /* of the job */
	uint32_t queue;			/* ClusterQueue; SCENARIO_NONE */
	simtime cut;			/* the last microsecond that counts */
	size_t next;			/* first record after it */
};

/* A text of at most a line, owned by the caller. */
char *explain_look_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Take the text. */
void explain_look_add(struct explain_lines *lines, char *owned);
void explain_look_class(struct explain *e, enum explain_class class, char *owned);

const char *explain_look_job(const struct explain_look *l, uint32_t job,
			     char buf[SCENARIO_NAME_TEXT]);
char *explain_look_amount(const struct explain_look *l, uint32_t resource, int64_t amount,
			  char buf[NUM_QUANTITY_TEXT]);
const char *explain_look_resource(const struct explain_look *l, uint32_t resource);
const char *explain_look_flavor(const struct explain_look *l, uint32_t flavor);

/* explain_quota.c: why a job has no quota. */
void explain_quota_why(const struct explain_look *l);
/* The record that gave the job its quota after the time asked about, or the
 * number of records; and what gave quota back in the same cohort tree last before
 * record i, if anything did. */
size_t explain_quota_admission(const struct explain_look *l);
bool explain_quota_release(const struct explain_look *l, size_t i, struct journal_record *release);

/* explain_checks.c: it has quota and waits for its admission checks. False: it does
 * not. */
bool explain_checks_why(const struct explain_look *l);

/* explain_nodes.c: why not all of its pods have a node. */
void explain_nodes_why(const struct explain_look *l);
/* Had it quota: what would its pods lack on nodes then? A line owned by the caller; NULL:
 * nothing, or nothing is placed. */
char *explain_nodes_lack(const struct explain_look *l);

/* explain_history.c: what a record says of its job, in a line owned by the caller; NULL:
 * nothing worth telling. Of the look only column, scenario and journal are read. */
struct explain_times {
	simtime queued;	  /* waits since */
	simtime reserved; /* has its quota since */
};
char *explain_history_text(const struct explain_look *l, const struct journal_record *r,
			   const struct explain_times *times);
/* Does the record say again what the last of its job said? */
bool explain_history_repeats(const struct journal_record *r, const struct journal_record *last);
/* All that happened to it, in lines. */
void explain_history_tell(const struct explain_look *l);

#endif
