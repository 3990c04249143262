/* lint.h - what of a scenario cannot work, though the real systems would take it.
 *
 * Every check errs on the side of silence: what it calls impossible is.
 */
#ifndef SIM_LINT_H
#define SIM_LINT_H

#include "sim/draft.h"

/* Where records were written; in the scenario's order. */
struct lint_places {
	const struct draft_meta *flavors;
};

/* Appends warnings to the builder: jobs that never fit the empty cluster, that no
 * quota admits, that Kueue does not see; flavors without nodes; quota above the
 * hardware. Jobs that are alike share one. */
void lint_scenario(struct builder *builder, const struct scenario *scenario,
		   const struct lint_places *places);

#endif
