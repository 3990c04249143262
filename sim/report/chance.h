/* chance.h - how far a column's figures hang on what a scheduler leaves to chance.
 *
 * kube-scheduler picks at random among equally good nodes, and a live cluster runs
 * it somewhere between once an instant and once an event. Further runs of the same
 * column bracket that: with random ties over several seeds, and with the other
 * --drain. Figures are measured over the column's window or the run's own, whichever
 * is longer.
 */
#ifndef SIM_CHANCE_H
#define SIM_CHANCE_H

#include "sim/report/report.h"

struct chance_figures {
	uint32_t finished; /* jobs */
	uint32_t deadlocks;
	int64_t idle; /* GPU-microseconds */
	double p95;   /* start wait, seconds; infinite: never */
};

struct chance {
	uint32_t seeds;			 /* runs with random ties; 0: none */
	struct chance_figures low, high; /* over those */
	bool drained;			 /* the other --drain was run ... */
	struct chance_figures other;	 /* ... and gave this */
	bool stopped;			 /* by the user: runs that had not ended are left out */
};

/* Runs the column again with --tie random and seeds 1 .. seeds, and, if drain is
 * true, with the other --drain; on at most threads threads. */
enum err_code chance_measure(const struct report_column *column, uint32_t seeds, bool drain,
			     unsigned threads, struct chance *out, struct err *err);

struct chance_figures chance_figures_of(const struct metrics *metrics);
/* Do two outcomes differ in a headline figure: jobs finished, deadlocks, idle
 * GPU-seconds or p95 wait by more than one in a hundred? */
bool chance_differs(const struct chance_figures *a, const struct chance_figures *b);

#endif
