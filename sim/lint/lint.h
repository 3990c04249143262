/* lint.h - what of a scenario cannot work, though the real systems would take it.
 *
 * Every check errs on the side of silence: what it calls impossible is.
 */
#ifndef SIM_LINT_H
#define SIM_LINT_H

#include "sim/lint/lint_look.h"

/* Appends to the builder warnings: jobs that never fit the empty cluster, that no
 * quota admits, that Kueue does not see; flavors without nodes; quota above the
 * hardware; and advice: settings that work, but seldom as meant. Jobs that are alike
 * share one. A finding's rule says which check it came from. */
void lint_scenario(struct builder *builder, const struct scenario *scenario,
		   const struct lint_places *places, const struct alike *alike);

#endif
