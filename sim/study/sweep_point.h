/* sweep_point.h - one point of a sweep: its input, its run, its figures.
 *
 * As a parcel it travels between the ranks of mpirun; the bytes are of one build of the
 * program, on machines that agree on numbers.
 */
#ifndef SIM_SWEEP_POINT_H
#define SIM_SWEEP_POINT_H

#include "sim/input/cmd.h"
#include "sim/study/sweep_plan.h"
#include "sim/study/sweep_store.h"

struct sweep_outcome {
	uint64_t point;
	const char *status; /* as the store has it */
	char message[600];
	struct sweep_figure *figures;
	size_t count, capacity;
	/* files that were read for it; none where another point read them */
	const char **names;
	uint64_t *hashes;
	uint32_t input_count;
	bool interrupted;	 /* the user stopped it: there are no figures */
	struct mem_arena *arena; /* of the texts */
};

void sweep_point_begin(struct sweep_outcome *o, uint64_t point);
void sweep_point_end(struct sweep_outcome *o);

/* The input of a point; with settings false, before anything of it is changed. */
enum err_code sweep_point_load(const struct sweep_plan *plan, uint64_t point, bool settings,
			       struct scenario **out, struct err *err);
/* Notes the files of the scenario. */
void sweep_point_inputs(struct sweep_outcome *o, const struct scenario *scenario);

/* Runs the point; what goes wrong is its outcome. stop: the user's, or NULL. */
void sweep_point_run(struct sweep_outcome *o, const struct sweep_plan *plan,
		     const struct scenario *scenario, const volatile sig_atomic_t *stop);
void sweep_point_fail(struct sweep_outcome *o, const struct err *err);

/* Bytes on the heap (mem_free). */
char *sweep_point_pack(const struct sweep_outcome *o, size_t *size);
/* The outcome is begun by this. ERR_SYNTAX: they are not what sweep_point_pack wrote. */
enum err_code sweep_point_unpack(const char *bytes, size_t size, struct sweep_outcome *o,
				 struct err *err);

#endif
