/* warmup.h - where a simulation that began empty has settled: MSER-5 (K. P. White,
 * M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for
 * simulation", WSC 2000): the cut in the first half that makes the standard error of the rest
 * smallest, over means of five.
 */
#ifndef CORE_WARMUP_H
#define CORE_WARMUP_H

#include <stdbool.h>
#include <stddef.h>

struct warmup {
	size_t cut;   /* values to leave out at the front, a multiple of 5 */
	bool settled; /* false: the more is cut the better, up to the half: the run is too short */
};

/* Values in the order in which they came up, finite. Fewer than 50: nothing is cut, and it is
 * not settled. */
struct warmup warmup_mser5(const double *values, size_t count);

/* The mean over count runs of the i-th value of each, for i below the shortest run's length,
 * which is returned; mean has room for it. With it one cut serves all replications. */
size_t warmup_average(const double *const *runs, const size_t *lengths, size_t count, double *mean);

#endif
