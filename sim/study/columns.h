/* columns.h - the columns of a comparison: the input under each policy of --policies and
 * each variant of --set and --column, added to a study.
 */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

#include "core/mem.h"
#include "sim/input/variant.h"
#include "sim/study/study.h"

#define COLUMNS_POLICIES_MAX 8

struct columns {
	const struct input_text *texts; /* read after the files; NULL */
	uint32_t text_count;
	const struct policy_row *policies[COLUMNS_POLICIES_MAX];
	size_t policy_count;
	struct variants variants;
	struct trace_summary trace; /* format NULL: none was read */
	const char **settings;	    /* what the command line says of input and runs: "--seed 7" */
	size_t setting_count;
	struct mem_arena *arena; /* of the settings */
};

/* Journals of inputs of up to log_jobs jobs have everything. Free with columns_free in any case. */
enum err_code columns_read(struct columns *columns, const struct cmd_args *args,
			   struct study *study, uint32_t log_jobs, struct err *err);
/* The report of the study that was run. */
struct report columns_report(const struct columns *columns, const struct study *study);
void columns_free(struct columns *columns); /* not the struct */

#endif
