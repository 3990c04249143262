#include "sim/kube_hint.h"

#include <string.h>

#include "sim/kube_filter.h"

bool kube_hint_taints_changed(const struct node *before, const struct node *now)
{
	const struct taint_set *a = &before->taints, *b = &now->taints;

	if (before->unschedulable != now->unschedulable || before->ready != now->ready ||
	    before->unreachable != now->unreachable || a->count != b->count)
		return true;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->items[i].key != b->items[i].key || a->items[i].value != b->items[i].value ||
		    a->items[i].effect != b->items[i].effect)
			return true;
	}
	return false;
}

/* More of what the pod asks for, or of pods. */
static bool grew(const struct node *before, const struct node *now, const struct pod_shape *shape)
{
	for (uint64_t left = shape->requested | UINT64_C(1) << RES_PODS; left != 0;
	     left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		if ((r == RES_PODS || shape->request[r] > 0) &&
		    now->allocatable[r] > before->allocatable[r])
			return true;
	}
	return false;
}

/* Would it fit if it were alone there? */
static bool holds(const struct node *now, const struct pod_shape *shape)
{
	return now->allocatable[RES_PODS] != 0 &&
	       !kube_filter_unresolvable(now, shape, shape->requested);
}

/* Where there was no node at all no plugin rejected the pod: every event helps
 * (kube-scheduler's isPodWorthRequeuing). */
static bool had_no_node(const struct kube_group *g)
{
	uint32_t nodes = 0;

	for (int v = 0; v < KUBE_VERDICTS; v++)
		nodes += v == KUBE_ABSENT ? 0 : g->nodes[v];
	return nodes == 0;
}

bool kube_hint_node(const struct kube_match *match, uint32_t group, uint32_t node,
		    const struct node *before)
{
	const struct world *w = kube_match_world(match);
	const struct kube_group *g = kube_match_at(match, group);
	const struct node *now = &w->nodes[node];
	enum kube_verdict was = g->verdict[node];
	bool added = was == KUBE_ABSENT;

	if (!kube_match_present(w, node))
		return false;
	if (had_no_node(g))
		return true;
	if (g->nodes[KUBE_CORDONED] != 0 && !now->unschedulable && (added || before->unschedulable))
		return true;
	if (g->nodes[KUBE_TAINTED] != 0 && was != KUBE_SUITS && was != KUBE_MISMATCH &&
	    kube_match_tolerates(match, group, node))
		return true;
	if (g->nodes[KUBE_MISMATCH] != 0 && was != KUBE_SUITS &&
	    (added || !label_set_equal(&before->labels, &now->labels)) &&
	    kube_match_labels(match, group, node))
		return true;
	return g->nodes[KUBE_SUITS] != 0 &&
	       (added || grew(before, now, &w->scenario->shapes[g->shape])) &&
	       holds(now, &w->scenario->shapes[g->shape]);
}
