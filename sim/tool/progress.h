/* progress.h - one line on a terminal while runs go on: share done, time left.
 * The only part of the program besides main that looks at the host's clock.
 */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/clock.h"

struct progress; /* owned by the caller: progress_new/progress_free */

/* runs: how many go on, one after the other or at once; jobs: of each; what: "jobs", or
 * what else is counted; borrowed. */
struct progress *progress_new(FILE *terminal, size_t runs, uint64_t jobs, const char *what);
/* It turns out that there are so many in all. */
void progress_expect(struct progress *progress, uint64_t total);
/* Removes the line. NULL is fine. */
void progress_free(struct progress *progress);

/* The context of one run, for run_options.progress_context. */
void *progress_run(struct progress *progress, size_t run);
/* run_options.progress; may be called from any thread. */
void progress_report(void *context, simtime now, uint32_t finished);

#endif
