/* report_sizing.h - what `plan` found, for people and programs. */
#ifndef SIM_REPORT_SIZING_H
#define SIM_REPORT_SIZING_H

#include <stdio.h>

#include "sim/study/sizing.h"

void report_sizing_write(FILE *out, const struct sizing *sizing);
void report_sizing_json(FILE *out, const struct sizing *sizing);
/* part,name,... a row for the verdict, each assumption, each team as it is today, and each
 * trial of a lever or of a count of nodes. */
void report_sizing_csv(FILE *out, const struct sizing *sizing);

/* The verdict in one sentence; owned by the caller: free(). */
char *report_sizing_verdict(const struct sizing *sizing);
/* The command that reproduces the answer; owned by the caller: free(). */
char *report_sizing_command(const struct sizing *sizing);
/* A name of a goal: "p95-wait", "research:p95-wait". */
#define REPORT_SIZING_GOAL (GOAL_TEAM + 16)
const char *report_sizing_goal(const struct goal *goal, char buf[REPORT_SIZING_GOAL]);

/* What is assumed, a sentence at a time; texts live until put returns. */
typedef void report_sizing_put(void *context, const char *text);
void report_sizing_assume(const struct sizing *sizing, report_sizing_put *put, void *context);

/* What of a team's quota is busy all the time, and may be reserved: the GPUs that it held for
 * at least 95 % of the time, up to its quota; what it held above that at most is burst. */
struct report_sizing_floor {
	int64_t floor, peak;
};
struct report_sizing_floor report_sizing_floor(const struct sizing *sizing, uint32_t team);

/* "buy", "tune", ... */
const char *report_sizing_word(enum sizing_verdict verdict);

#endif
