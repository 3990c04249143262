/* replications.h - runs the columns of a comparison over many workloads of one kind.
 *
 * Replication r draws the workload, and whatever else is random, with seed first_seed + r, for
 * all columns. The result depends neither on the number of threads nor on the machine.
 */
#ifndef SIM_REPLICATIONS_H
#define SIM_REPLICATIONS_H

#include "sim/report/replicated.h"
#include "sim/study/columns.h"

/* What "--warmup" says: auto or a duration; NULL: none. */
enum err_code replications_warmup(const char *text, struct replicated_options *options,
				  struct err *err);

/* Runs them all. columns_read and study_run have been called. Free *out with replicated_free in
 * any case, before the study. */
enum err_code replications_run(const struct columns *columns, const struct cmd_context *context,
			       const struct cmd_args *args, const struct study *study,
			       const struct replicated_options *options, struct replicated *out,
			       struct err *err);

#endif
