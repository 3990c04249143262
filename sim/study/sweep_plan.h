/* sweep_plan.h - which points a sweep has: a grid, a list or a Latin hypercube over
 * dimensions of the input.
 *
 * What a dimension sets is
 *   policy, nodes, trace       as the options -p, --nodes, --trace
 *   an option of a run         by its name without dashes: seed, strategy, grace, ...
 *   KIND/NAME:...              a path of --set (setting.h)
 * Policies and seeds are crossed with the others whatever the method, so that each point
 * of a sample is run under all of them. Points are numbered from 0, the last dimension
 * runs fastest; a point's values hang on the plan alone.
 */
#ifndef SIM_SWEEP_PLAN_H
#define SIM_SWEEP_PLAN_H

#include <stdint.h>

#include "sim/study/sweep_range.h"

#define SWEEP_DIMENSIONS 64
#define SWEEP_POINTS	 10000000

enum sweep_method { SWEEP_GRID, SWEEP_LIST, SWEEP_LATIN };
enum sweep_target { SWEEP_POLICY, SWEEP_NODES, SWEEP_TRACE, SWEEP_SETTING, SWEEP_OPTION };

struct sweep_dimension {
	const char *name; /* in results */
	const char *set;
	enum sweep_target target; /* filled by the check */
	struct sweep_texts values;
	bool crossed;	 /* filled by the check */
	uint32_t *order; /* of the hypercube: value by sample; filled by the check */
};

struct sweep_plan {
	struct mem_arena *arena;			  /* of the texts */
	struct sweep_texts files, sets, options, outputs; /* options: name=value */
	const char *trace, *format, *nodes, *vc_nodes;	  /* NULL: none */
	bool strict;
	struct sweep_dimension dimensions[SWEEP_DIMENSIONS];
	uint32_t dimension_count;
	enum sweep_method method;
	uint64_t samples; /* of the hypercube */
	uint64_t seed;	  /* its permutations */
	uint64_t points;  /* filled by the check */
	bool made_up;	  /* some input is a Generator: a point's seed makes other jobs, too */
};

struct sweep_plan *sweep_plan_new(void);
void sweep_plan_free(struct sweep_plan *plan);

/* The dimension of this name, which is made unless it is there. Its values are forgotten:
 * what is said later wins. Names are copied. */
enum err_code sweep_plan_dimension(struct sweep_plan *plan, const char *name, const char *set,
				   struct sweep_dimension **out, struct err *err);

/* Parts of the check for a reader, who knows the place: a dimension's name and target, which
 * is filled; then its values from this one on, of which there are some; a figure. */
enum err_code sweep_plan_try_target(const struct sweep_plan *plan, struct sweep_dimension *d,
				    struct err *err);
enum err_code sweep_plan_try_values(const struct sweep_dimension *d, size_t from, struct err *err);
enum err_code sweep_plan_try_output(const char *pattern, struct err *err);

/* Are targets, values and numbers possible? Tells how many points there are. */
enum err_code sweep_plan_check(struct sweep_plan *plan, struct err *err);

/* After the check: the values of a point, an index a dimension. */
void sweep_plan_point(const struct sweep_plan *plan, uint64_t point,
		      uint32_t index[SWEEP_DIMENSIONS]);
/* A text that is the same for the same points, wherever the files lie; in the arena. */
const char *sweep_plan_fingerprint(const struct sweep_plan *plan);

#endif
