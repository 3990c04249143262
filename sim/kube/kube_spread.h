/* kube_spread.h - PodTopologySpread: equal pods shared out evenly over domains
 * (kube-scheduler v1.34, plugins/podtopologyspread).
 *
 * Filter (DoNotSchedule): pods counted in the node's domain, plus one if the pod
 * counts itself, less the fewest of any domain, may be at most maxSkew; the fewest is
 * 0 while there are less than minDomains domains. Domains are those of nodes that
 * have every topology label of the pod's constraints and that the inclusion policies
 * let in. Score (ScheduleAnyway): the sum of count times ln(domains + 2), plus
 * maxSkew - 1, for each constraint; the less, the better. Pods that are leaving do
 * not count.
 */
#ifndef SIM_KUBE_SPREAD_H
#define SIM_KUBE_SPREAD_H

#include "sim/kube/kube_match.h"
#include "sim/kube/kube_peers.h"

enum kube_spread_verdict {
	SPREAD_FINE,
	SPREAD_SKEWED,
	SPREAD_UNLABELLED /* the node has no such label; unresolvable */
};

struct kube_spread; /* owned by the caller: kube_spread_new/kube_spread_free */

struct kube_spread *kube_spread_new(const struct kube_peers *peers, const struct kube_match *match);
void kube_spread_free(struct kube_spread *spread);

bool kube_spread_filters(const struct kube_spread *spread, uint32_t kind);
bool kube_spread_scores(const struct kube_spread *spread, uint32_t kind);

/* Nodes came, went or changed. */
void kube_spread_nodes_changed(struct kube_spread *spread);

/* The question is where a pod of this kind, and of this group of kube_match, may go
 * now. Asked again about the same, with kube_spread_moved in between, it costs nothing. */
void kube_spread_begin(struct kube_spread *spread, uint32_t kind, uint32_t group);
/* So many more pods of that kind, none of them leaving, are on the node now: what was
 * counted is kept up to date. */
void kube_spread_moved(struct kube_spread *spread, uint32_t other, uint32_t node, int delta);
/* As if so many more pods of that kind were on the node, until it is taken back. */
void kube_spread_shift(struct kube_spread *spread, uint32_t other, uint32_t node, int delta);
enum kube_spread_verdict kube_spread_judge(struct kube_spread *spread, uint32_t node);
/* Adds weight times 0..100 to the score of each of the nodes that were found. */
void kube_spread_score(struct kube_spread *spread, const uint32_t *nodes, uint32_t count,
		       int weight, int *scores);

/* Queueing hint: may a pod of the other kind, come or gone, have helped one of this
 * kind that was rejected? */
bool kube_spread_helped(const struct kube_spread *spread, uint32_t kind, uint32_t other);

#endif
