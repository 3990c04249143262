/* sweep_spec.h - apiVersion: gqsim/v1, kind: Sweep: what is to be swept, in a document.
 *
 * Everything is optional but what is marked; unknown and repeated keys are errors.
 *
 *   files: [PATH]             objects and job lists; relative to this document's folder
 *   trace: PATH               as --trace, --format, --nodes, --vc-nodes
 *   format: TEXT
 *   nodes: TEXT
 *   vcNodes: PATH
 *   policies: [TEXT]          default: kueue
 *   options: {NAME: VALUE}    options of all runs by their names without dashes
 *   set: [KIND/NAME:...=VALUE]  settings of all points
 *   dimensions:
 *   - name: TEXT              column of the results; default: what is set
 *     set: TEXT               required: a path of --set, an option of a run, policy, nodes
 *                             or trace
 *     values: [VALUE]         these values; an item "4..12" is a range as on the command line
 *     from, to: NUMBER        or those of a range, by steps of 1,
 *     step: NUMBER            by this step,
 *     factor: NUMBER          or each so many times the one before it
 *   sample:
 *     method: grid|list|latin all combinations (default); the first values, the second, ...
 *                             together; or count points of a Latin hypercube
 *     count: NUMBER           required with latin
 *     seed: NUMBER            of the hypercube; default 1
 *   seeds: [NUMBER]           each point once a seed, with random ties; "1..5" is a range
 *   replications: NUMBER      the same as seeds 1..NUMBER
 *   outputs: [FIGURE]         figures to keep, as in -o csv; team:a:* is a pattern
 */
#ifndef SIM_SWEEP_SPEC_H
#define SIM_SWEEP_SPEC_H

#include "sim/study/sweep_plan.h"
#include "sim/tool/source.h"

/* Is there a document of kind Sweep in it? */
bool sweep_spec_is(const struct source *source);
/* Reads the document into the plan; the check is the caller's. */
enum err_code sweep_spec_read(const struct source *source, struct sweep_plan *plan,
			      struct err *err);
/* Values separated by commas, each of which may be a range, behind those that are there. */
enum err_code sweep_spec_values(struct sweep_plan *plan, const char *text, struct sweep_texts *out,
				struct err *err);
/* Random ties, unless an option or a dimension says otherwise: seeds would change nothing. */
void sweep_spec_ties(struct sweep_plan *plan);

#endif
