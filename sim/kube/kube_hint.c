#include "sim/kube/kube_hint.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kube/kube_filter.h"

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

/* ---- who rejected it? ---- */

/* bit v: some node had verdict v; NOWHERE: there was no node. Without one no plugin
 * rejected the pod, and every event helps. */
#define NOWHERE (1u << KUBE_VERDICTS)

static uint32_t verdicts(const struct kube_group *g)
{
	uint32_t bits = 0;

	for (uint32_t v = 0; v < KUBE_VERDICTS; v++) {
		if (v != KUBE_ABSENT && g->nodes[v] != 0)
			bits |= 1u << v;
	}
	return bits == 0 ? NOWHERE : bits;
}

struct era { /* of a group: until the clock showed so much, it had these verdicts */
	uint64_t until;
	uint32_t bits;
};

struct history {
	struct era *eras; /* ascending */
	size_t capacity;
	uint32_t count;
	uint64_t noted; /* the last change before which they were kept */
};

struct kube_hints {
	struct kube_match *match;
	struct history *groups;
	size_t capacity;
	uint32_t count;
	uint64_t changes;
};

struct kube_hints *kube_hints_new(struct kube_match *match)
{
	struct kube_hints *h = mem_calloc(1, sizeof(*h));

	h->match = match;
	return h;
}

void kube_hints_free(struct kube_hints *h)
{
	if (h == NULL)
		return;
	for (uint32_t i = 0; i < h->count; i++)
		mem_free(h->groups[i].eras);
	mem_free(h->groups);
	mem_free(h);
}

static void note_group(struct kube_hints *h, uint32_t group, uint64_t clock)
{
	struct history *of = &h->groups[group];
	uint32_t bits = verdicts(kube_match_at(h->match, group));

	/* Nobody of it waited when the node before changed, so nobody failed before that. */
	if (of->noted + 1 != h->changes)
		of->count = 0;
	of->noted = h->changes;
	if (of->count == 0 || of->eras[of->count - 1].bits != bits) {
		of->eras = mem_grow(of->eras, of->count + 1u, &of->capacity, sizeof(*of->eras));
		of->eras[of->count++].bits = bits;
	}
	of->eras[of->count - 1].until = clock;
}

void kube_hints_note(struct kube_hints *h, uint64_t clock)
{
	uint32_t groups = kube_match_count(h->match), count;
	const uint32_t *waiting = kube_match_waiting(h->match, &count);

	h->groups = mem_grow(h->groups, groups, &h->capacity, sizeof(*h->groups));
	while (h->count < groups)
		h->groups[h->count++] = (struct history){0};
	h->changes++;
	for (uint32_t i = 0; i < count; i++)
		note_group(h, waiting[i], clock);
}

static uint32_t rejected_by(const struct kube_hints *h, const struct kube_rejected *pod)
{
	const struct history *of = pod->group < h->count ? &h->groups[pod->group] : NULL;

	for (uint32_t i = 0; of != NULL && i < of->count; i++) {
		if (pod->stamp < of->eras[i].until)
			return of->eras[i].bits;
	}
	return verdicts(kube_match_at(h->match, pod->group));
}

/* ---- what would change their mind ---- */

bool kube_hint_node(const struct kube_hints *h, const struct kube_rejected *pod, uint32_t node,
		    const struct node *before)
{
	const struct world *w = kube_match_world(h->match);
	const struct kube_group *g = kube_match_at(h->match, pod->group);
	const struct node *now = &w->nodes[node];
	enum kube_verdict was = g->verdict[node];
	uint32_t by = rejected_by(h, pod);
	bool added = was == KUBE_ABSENT;

	if (by == NOWHERE)
		return true;
	if (!kube_match_present(w, node))
		return false;
	if ((by & 1u << KUBE_CORDONED) != 0 && !now->unschedulable &&
	    (added || before->unschedulable))
		return true;
	if ((by & 1u << KUBE_TAINTED) != 0 &&
	    (added || was == KUBE_CORDONED || was == KUBE_TAINTED) &&
	    kube_match_tolerates(h->match, pod->group, node))
		return true;
	if ((by & (1u << KUBE_MISMATCH | 1u << KUBE_ENFORCED)) != 0 &&
	    kube_match_enforced(h->match, pod->group, node) &&
	    kube_match_labels(h->match, pod->group, node) &&
	    (added || !kube_match_labels_before(h->match, pod->group, node, before)))
		return true;
	return pod->by_fit && (added || grew(before, now, &w->scenario->shapes[g->shape])) &&
	       holds(now, &w->scenario->shapes[g->shape]);
}
