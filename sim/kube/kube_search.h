/* kube_search.h - the node a pod goes to: search, scores, ties (spec
 * KUBE_SCHEDULER.md 4.2 - 4.5).
 *
 * What a node is worth to a group of equal pods (-1: no room) is kept and computed
 * again only for nodes whose use changed since the group last asked, so a search
 * is one pass over an array.
 */
#ifndef SIM_KUBE_SEARCH_H
#define SIM_KUBE_SEARCH_H

#include "core/rng.h"
#include "sim/kube/kube_constraint.h"
#include "sim/kube/kube_filter.h"
#include "sim/kube/kube_match.h"
#include "sim/kube/kube_score.h"

struct kube_search; /* owned by the caller: kube_search_new/kube_search_free */

/* Borrows all of them. rng NULL: among equals the first node of the input. */
struct kube_search *kube_search_new(const struct world *world, const struct kube_match *match,
				    struct kube_filter *filter, struct rng *rng);
void kube_search_free(struct kube_search *search);
/* From now on searches heed these, too; borrowed, NULL: none. */
void kube_search_constrain(struct kube_search *search, struct kube_constraint *constraint);

/* Nodes came, went or changed. */
void kube_search_nodes_changed(struct kube_search *search);

/* The nodes of the cluster in the order in which they are searched. */
const uint32_t *kube_search_nodes(const struct kube_search *search, uint32_t *count);
/* Is the node among them? */
bool kube_search_has(const struct kube_search *search, uint32_t node);

/* Is there no room for the group on any node? Then no search for it finds one, nor leaves
 * anything behind. */
bool kube_search_is_full(struct kube_search *search, uint32_t group);

/* The best node for a pod, or NODE_NONE. */
uint32_t kube_search_find(struct kube_search *search, uint32_t group, uint32_t pod,
			  int32_t priority);

#endif
