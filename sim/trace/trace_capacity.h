/* trace_capacity.h - the sizes of a trace's virtual clusters, day by day: SenseTime Helios'
 * cluster_gpu_number.csv (CATALOG 2.3), "date,vc...,total" in GPUs, a step at 00:00 of each
 * date; 0: the virtual cluster is not there.
 *
 * Each virtual cluster becomes a ClusterQueue whose nominal quota follows its column; those
 * of jobs that have no column get 0 and borrow (trace_queues.h). Nodes of 8 GPUs follow the
 * column "total", rounded up: what comes later joins then; what is too much is cordoned, and
 * the pods on it go on. A trace that brings nodes, or queues, keeps its own.
 */
#ifndef SIM_TRACE_CAPACITY_H
#define SIM_TRACE_CAPACITY_H

#include "sim/trace/trace.h"

/* Does a file begin so? */
trace_probe trace_capacity_probe;

/* Call it after the jobs are read: the dates are those of their clock. ERR_SYNTAX, ERR_VALUE:
 * malformed; ERR_USAGE: the jobs have no clock. */
enum err_code trace_capacity_apply(const struct source *source, struct builder *builder,
				   struct err *err);

#endif
