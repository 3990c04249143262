/* limits.h - amounts of a pod that nothing will ever admit: requests above the
 * container's own limits, or outside of what the LimitRanges of its namespace allow.
 *
 * Rules: spec KUEUE.md 4.2, 7 and 8. Of several LimitRanges the smallest maximum
 * and the largest minimum hold; Kueue does not look at ratios. The API server does, and
 * refuses pods in its own words, of the first LimitRange that they break: containers,
 * then init containers, each its minima, maxima and ratios, every sentence once
 * (plugin/pkg/admission/limitranger; its order of resources is that of a Go map, here
 * theirs).
 */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include "sim/scenario/template.h"

/* NULL: nothing is wrong. shape is what template_shape made of the template with
 * these ranges; texts are in the arena. */
const struct pod_faults *limits_check(const struct pod_template *template,
				      const struct limit_range *const *ranges, uint32_t range_count,
				      const struct pod_shape *shape,
				      const struct name_table *resources, struct mem_arena *arena);
/* Is a request above its limit, as both are written? */
bool limits_exceeded(const struct pod_template *template);

#endif
