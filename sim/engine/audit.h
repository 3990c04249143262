/* audit.h - checks a journal against the rules, without the engine.
 *
 * One pass over the records, with its own book of nodes, quotas and jobs:
 *   capacity   no node holds more of a resource than it has when a pod is bound
 *              to it, and it is ready and suits the pod
 *   pods       bound at most once, gone only from where they were
 *   gangs      a running job has all the pods it wants bound; where pods work each for
 *              itself, each that works is bound
 *   quotas     every reservation is within nominal quota, borrowing and lending
 *              limits (audit_quota.h)
 *   states     follow each other: submitted, reserved, started, stopped, released,
 *              finished; attempts are numbered one by one
 *   work       what a finished job ran, less what was thrown away, is its duration:
 *              so no finish belongs to an earlier attempt, and over all jobs
 *              running = useful + lost + unfinished; of pods that work each for itself
 *              the same holds for each completion, and all of them are done
 * Rules and figures are those of DESIGN.md sections 3 to 6.
 */
#ifndef SIM_AUDIT_H
#define SIM_AUDIT_H

#include "sim/world/journal.h"

#define AUDIT_LISTED 20 /* violations kept with text; the others are counted */

struct audit_violation {
	simtime time;
	uint32_t job; /* JOB_NONE: of none */
	char text[320];
};

struct audit {
	struct audit_violation listed[AUDIT_LISTED];
	uint32_t listed_count;
	uint64_t count;
};

/* For who reads the journal anyway: all its records, one after the other; a record must stay
 * until the next one is given, or audit_close. The audit must outlive the auditor. */
struct auditor;
struct auditor *audit_open(const struct journal *journal, struct audit *audit);
void audit_record(struct auditor *auditor, const struct journal_record *record);
void audit_close(struct auditor *auditor); /* frees it; NULL: nothing */

/* The whole journal at once. True if there is no violation. */
bool audit_check(const struct journal *journal, struct audit *audit);

/* "at 12 s, job a: ...". */
#define AUDIT_TEXT 512
const char *audit_text(const struct journal *journal, const struct audit_violation *violation,
		       char buf[AUDIT_TEXT]);

#endif
