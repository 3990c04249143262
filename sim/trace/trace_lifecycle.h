/* trace_lifecycle.h - the cells of a job list that say how a job's attempts go:
 * when its pods get ready and fail, what its admission checks answer, when it is
 * cancelled (golden/kueue/README.md, f15-f22).
 *
 * Lists are "a;b;c", one value per attempt; an empty item is the default.
 */
#ifndef SIM_TRACE_LIFECYCLE_H
#define SIM_TRACE_LIFECYCLE_H

#include "sim/load/builder.h"
#include "sim/tool/csv.h"

enum trace_lifecycle_column {
	TRACE_LIFECYCLE_READY,	       /* ready_s: empty = at once; never */
	TRACE_LIFECYCLE_FAIL,	       /* fail_s: empty or never = does not fail */
	TRACE_LIFECYCLE_RECOVER,       /* recover_s: empty = never */
	TRACE_LIFECYCLE_MAX_EXECUTION, /* max_exec_s: empty = no limit */
	TRACE_LIFECYCLE_CHECK,	       /* check_s: empty = at once; never */
	TRACE_LIFECYCLE_RESULT,	       /* check_result: Ready (default), Retry, Rejected */
	TRACE_LIFECYCLE_RETRY,	       /* check_retry_s: empty = 0 */
	TRACE_LIFECYCLE_CANCEL,	       /* cancel_s: absolute; empty = never */
	TRACE_LIFECYCLE_DEACTIVATE,    /* deactivate_s: absolute; empty = never */
	TRACE_LIFECYCLE_REACTIVATE,    /* reactivate_s: absolute; empty = never */
	TRACE_LIFECYCLE_CRASH,	       /* crash_s: work after which it fails for good */
	TRACE_LIFECYCLE_COLUMNS,
};

/* What makes a job of so many pods fail for good after so much work: the first pod to start
 * exits with an error, and its backoffLimit is 0. In the builder's arena. */
const struct job_control *trace_lifecycle_crash(struct builder *builder, simtime after,
						uint32_t pods);

struct trace_lifecycle; /* of one list; owned by the caller */

/* The builder outlives it. */
struct trace_lifecycle *trace_lifecycle_new(struct builder *builder);
void trace_lifecycle_free(struct trace_lifecycle *lifecycle);

/* Reads the row that csv stands on, of a job of so many pods; *extra is JOB_NONE when all
 * cells are empty. Rows with the same cells share a record, mostly. */
enum err_code trace_lifecycle_read(struct trace_lifecycle *lifecycle, const struct csv *csv,
				   const uint32_t index[TRACE_LIFECYCLE_COLUMNS], uint32_t pods,
				   uint32_t *extra, struct err *err);

#endif
