/* import_jobs.h - jobs of a dump as Workload objects, for what the rows of a job list have no
 * column for: affinity, spread, limits, slices of topology, checkpoints and the like.
 *
 * A job can be a Workload if it is in a queue and no controller has rules of its own for it
 * (completions, back-off, replicas). Its times are in gqsim's annotations.
 */
#ifndef SIM_IMPORT_JOBS_H
#define SIM_IMPORT_JOBS_H

#include <stdio.h>

#include "sim/dump/redact.h"
#include "sim/scenario/draft.h"

/* Can it be one? */
bool import_jobs_can(const struct builder *builder, const struct job *job);
/* Would a row lose anything of it? */
bool import_jobs_must(const struct builder *builder, const struct job *job);

/* Has a controller rules for it that neither says? */
bool import_jobs_ruled(const struct builder *builder, const struct job *job);

/* Every text of the job that goes out, in a list or as an object. */
void import_jobs_show(struct redact *redact, const struct builder *builder, uint32_t job);
void import_jobs_show_labels(struct redact *redact, const struct builder *builder,
			     const struct label_set *labels);

/* A List of the jobs that can be. redact: settled; NULL: names stay. */
void import_jobs_write(FILE *out, const struct builder *builder, const struct redact *redact);

#endif
