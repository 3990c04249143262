/* nodepods.h - which pods are on a node.
 *
 * A chain a node, kept from the first time that somebody asks: few runs have nodes that
 * change, and others pay nothing for it.
 */
#ifndef SIM_ENGINE_NODEPODS_H
#define SIM_ENGINE_NODEPODS_H

#include "sim/engine/run.h"

struct nodepods; /* owned by the run */

void nodepods_free(struct nodepods *pods);

/* The pod has its node from now on; it is about to lose it. Only where chains are kept. */
void nodepods_join(struct run *run, uint32_t pod);
void nodepods_leave(struct run *run, uint32_t pod);

/* Slots of the pods on the node, ascending; the caller frees them. */
uint32_t *nodepods_list(struct run *run, uint32_t node, size_t *count);

#endif
