/* cmd_trace.h - what the verbs of gqsim trace share: the files read, and times as the user
 * writes them.
 */
#ifndef SIM_CMD_TRACE_H
#define SIM_CMD_TRACE_H

#include "sim/input/cmd.h"
#include "sim/trace/trace_set.h"

struct cmd_trace { /* what was read */
	struct trace_set set;
	struct builder *builder;
	const struct cmd_context *context;
	const struct cmd_args *args;
};

/* sim/command/cmd_trace_stats.c: prints the figures of the one trace. */
enum err_code cmd_trace_stats(const struct cmd_trace *trace, struct err *err);
/* sim/command/cmd_trace_edit.c: convert, slice, scale and merge; verb is one of these. */
enum err_code cmd_trace_edit(const struct cmd_trace *trace, const char *verb, struct err *err);

/* --from and --to as times since the first submit; clock: the trace's own time of that,
 * CLOCK_NEVER if it has none. */
enum err_code cmd_trace_window(const struct cmd_args *args, simtime clock, simtime *from,
			       simtime *to, struct err *err);
/* Time 0 of a trace on its clock; CLOCK_NEVER. */
simtime cmd_trace_clock(const struct trace_summary *summary);

#endif
