/* join.h - a list of jobs and the manifests of the same jobs become one.
 *
 * A row whose namespace and name are those of a Kubernetes object is that job:
 * the row says when it comes, how long it works, its queue, priority class and
 * how many pods; what a row has no column for comes from the manifest: node
 * selector, affinity, tolerations, topology, job-min-parallelism, checkpoints,
 * and the requests, queue and priority class where the row's are empty.
 */
#ifndef SIM_JOIN_H
#define SIM_JOIN_H

#include "sim/load/builder.h"

/* Call it after all files are read. */
void join_rows(struct builder *builder);

#endif
