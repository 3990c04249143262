/* partition.h - nodes that belong to a queue alone ("virtual clusters").
 *
 * Nodes labelled gqsim/virtual-cluster are for the queue they name, and a queue that
 * has such nodes uses no others. Every queue that a job names is a part; jobs
 * without one share a part.
 */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/load/pool.h"
#include "sim/world/world.h"

#define PARTITION_LABEL POOL_CLUSTER_LABEL

struct partition; /* owned by the caller: partition_new/partition_free */

struct partition *partition_new(const struct world *world);
void partition_free(struct partition *p);

uint32_t partition_count(const struct partition *p);
/* Parts are numbered in the order of their first job's row. */
uint32_t partition_of_job(const struct partition *p, uint32_t job);
/* Per node: may jobs of the part use it? */
const bool *partition_nodes(const struct partition *p, uint32_t part);
/* Labels of nodes changed. */
void partition_node(struct partition *p);

#endif
