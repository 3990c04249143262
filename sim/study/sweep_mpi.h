/* sweep_mpi.h - the processes of mpirun as the team of a sweep. Built with MPI=1 only, and
 * the only user of MPI.
 */
#ifndef SIM_SWEEP_MPI_H
#define SIM_SWEEP_MPI_H

#include "sim/study/sweep.h"

/* Was this process started by mpirun, or another launcher that MPI knows? get is getenv. */
bool sweep_mpi_launched(char *(*get)(const char *name));

/* All ranks call both, once. The team is owned by the caller; NULL is fine to leave. ERR_LIMIT:
 * the MPI library cannot be called from threads. */
enum err_code sweep_mpi_join(struct sweep_team **out, struct err *err);
void sweep_mpi_leave(struct sweep_team *team);

#endif
