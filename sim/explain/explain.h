/* explain.h - why a job is not running at some time of a run, and what would
 * change that.
 *
 * Classes (DESIGN.md section 7): never: above what its queue could ever have, no
 * matching flavor, an inactive queue, nodes that cannot hold it, a deadlock;
 * behind Y: the head of a StrictFIFO queue, or an earlier equal; until X: the
 * finish or reclaim that let it in, or would if nobody else came.
 */
#ifndef SIM_EXPLAIN_H
#define SIM_EXPLAIN_H

#include "sim/explain/explain_result.h"

/* at: CLOCK_NEVER: the end if it never started, else before its first start: just
 * before what let it in, if that was not at its submit.
 * The column's journal must be FULL for reasons and messages. */
struct explain *explain_new(const struct report_column *column, uint32_t job, simtime at);
void explain_free(struct explain *explain);

/* Job of a name, or of namespace/name. ERR_UNKNOWN with the nearest names;
 * ERR_VALUE if several namespaces have it. */
enum err_code explain_find(const struct scenario *scenario, const char *name, uint32_t *out,
			   struct err *err);

const char *explain_state_text(enum explain_state state);
const char *explain_class_text(enum explain_class class);

#endif
