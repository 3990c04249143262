/* lab_play.h - a cluster that someone plays with: jobs and changes of quotas, each at a time
 * of a clock.
 *
 * A play is a list of actions, nothing more. After each it is run from the start under every
 * policy, and its figures go up to the clock: undo takes the last action away, and what is
 * saved as a scenario is what was run. So the numbers are those of gqsim compare.
 */
#ifndef SIM_LAB_PLAY_H
#define SIM_LAB_PLAY_H

#include "sim/input/cmd.h"

#define LAB_PLAY_ACTIONS 400   /* in one play */
#define LAB_PLAY_JOBS	 20000 /* of input and actions; more are no play */

struct lab_job {
	const char *queue;    /* LocalQueue, "namespace/name" */
	const char *name;     /* a DNS label; one in use gets a number */
	const char *duration; /* "1h30m", seconds, "endless" */
	const char *priority; /* WorkloadPriorityClass; "": none */
	int64_t pods, gpus;   /* GPUs of each pod */
	int64_t count;	      /* copies */
};

struct lab_quota {
	const char *queue, *flavor, *resource;
	const char *field; /* nominalQuota, borrowingLimit, lendingLimit */
	const char *value; /* a quantity; "none": no limit */
};

struct lab_play; /* owned by the caller: lab_play_new/lab_play_free */

/* The input that the command line names, or the small cluster that is built in. Command line
 * and context are borrowed. */
enum err_code lab_play_new(const struct cmd_context *context, const struct cmd_args *args,
			   struct lab_play **out, struct err *err);
void lab_play_free(struct lab_play *play);

/* Each leaves the play as it was if it fails. */
enum err_code lab_play_submit(struct lab_play *play, const struct lab_job *job, struct err *err);
enum err_code lab_play_quota(struct lab_play *play, const struct lab_quota *quota, struct err *err);
enum err_code lab_play_step(struct lab_play *play, simtime by, struct err *err);
/* To where compare's figures end. */
enum err_code lab_play_end(struct lab_play *play, struct err *err);
enum err_code lab_play_undo(struct lab_play *play, struct err *err); /* the clock stays */
enum err_code lab_play_reset(struct lab_play *play, struct err *err);

/* Nothing will happen any more unless someone does something. */
bool lab_play_over(const struct lab_play *play);

/* The play and the page's data (page_data.h) as one line of JSON; valid until the next
 * change. */
const char *lab_play_state(const struct lab_play *play);
/* As a scenario file. */
void lab_play_save(const struct lab_play *play, FILE *out);

#endif
