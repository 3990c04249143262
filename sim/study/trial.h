/* trial.h - one simulation of a plan: the input with some settings changed, and its figures.
 *
 * Trials are independent: many run at once, each reads the input anew, and what comes out
 * does not hang on threads.
 */
#ifndef SIM_TRIAL_H
#define SIM_TRIAL_H

#include "core/interval.h"
#include "sim/input/cmd.h"
#include "sim/report/busy.h"
#include "sim/report/goal.h"
#include "sim/world/policy.h"

enum trial_state { TRIAL_NEW, TRIAL_DONE, TRIAL_FAILED, TRIAL_INTERRUPTED };

struct trial_team {
	const char *name; /* in the trial's arena */
	int64_t nominal;  /* GPUs; -1: no quota */
	uint32_t jobs;
	struct wait_figures wait;
	money used, borrowed; /* of the window; 0 without prices */
};

/* Kept of those that ask for it. */
struct trial_detail {
	struct busy *busy; /* by team */
	struct trial_team *teams;
	uint32_t team_count;
};

struct trial {
	const char *const *sets; /* beside those of the command line; borrowed */
	uint32_t set_count;
	uint64_t seed; /* not 0: ties are drawn at random, made-up jobs and losses of nodes anew */
	bool detailed;
	/* filled */
	enum trial_state state;
	char message[300]; /* of one that failed */
	bool met;	   /* all goals; by whoever ran it with other seeds, too: in nearly all */
	double score;	   /* the largest ratio of the goals: met up to 1 */
	double values[GOAL_MAX];
	double utilisation, typical_week; /* of all GPUs; the latter of detailed ones */
	double allocation;
	struct wait_figures wait;
	bool waits_for_quota; /* the long waits are for admission, not for nodes */
	uint32_t jobs, finished, never_started, never_fit, preemptions;
	uint32_t unqueued; /* of the jobs, those whose queue does not exist, where that counts */
	uint32_t unplaced; /* never started, though admitted: nodes had no room for all pods */
	int64_t gpus;	   /* at most, at once */
	int64_t lost, useful, idle, stranded, capacity; /* GPU-microseconds */
	simtime window;
	money month;		   /* what the GPUs cost a month; 0 without prices */
	uint32_t seeds, seeds_met; /* runs with random ties, by whoever ran them */
	struct trial **runs;	   /* those; borrowed */
	bool is_open;		   /* they do not decide whether it meets the goals */
	struct interval *ranges;   /* of the values of those, a goal; borrowed */
	struct trial_detail *detail;
	struct mem_arena *arena; /* of the detail */
};

struct trial_setup { /* of all trials of a plan; borrowed */
	const struct cmd_context *context;
	const struct cmd_args *args;
	const struct policy_row *policy;
	const struct goals *goals;
};

/* The input with the trial's settings; nothing is run. */
enum err_code trial_load(const struct trial_setup *setup, const struct trial *trial,
			 struct scenario **out, struct trace_summary *trace, struct err *err);
/* The options of its run. */
enum err_code trial_options(const struct trial_setup *setup, const struct trial *trial,
			    const struct scenario *scenario, struct run_options *out,
			    struct err *err);

/* Fills the trial; errors are in it, as is that the user stopped it. */
void trial_run(const struct trial_setup *setup, struct trial *trial);
void trial_free(struct trial *trial); /* what it filled */

#endif
