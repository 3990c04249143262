#include "sim/kube/kube_match.h"

#include <string.h>

#include "core/mem.h"
#include "sim/scenario/profile.h"

#define FLAVORS_MAX RES_MAX /* at most one flavor a resource */

struct kube_match {
	struct kube_match *me; /* for who has it const: judging what changed is no change */
	const struct world *world;
	struct kube_group *groups;
	size_t capacity;
	uint32_t count;
	uint32_t *plain;	 /* per shape: its group without flavors; NAME_NONE */
	uint32_t *next_flavored; /* per group: the next one of its shape, or of its domain */
	size_t next_capacity;
	uint32_t *flavored; /* per shape: first group with flavors; NAME_NONE */
	uint32_t *placed;   /* per domain: first group with it; NAME_NONE */
	size_t placed_capacity;
	uint32_t placed_count;
	uint32_t *changed; /* ring: the node of each of the last node_count changes */
	uint64_t changes;
	uint32_t *listed; /* groups whose pods wait, and some whose pods do no more */
	size_t listed_capacity;
	uint32_t listed_count;
};

struct kube_match *kube_match_new(const struct world *world)
{
	struct kube_match *m = mem_calloc(1, sizeof(*m));
	uint32_t shapes = world->scenario->shape_count;

	m->me = m;
	m->world = world;
	m->changed = mem_calloc(world->node_count, sizeof(*m->changed));
	m->plain = mem_calloc(shapes, sizeof(*m->plain));
	m->flavored = mem_calloc(shapes, sizeof(*m->flavored));
	for (uint32_t i = 0; i < shapes; i++)
		m->plain[i] = m->flavored[i] = NAME_NONE;
	return m;
}

void kube_match_free(struct kube_match *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; i < m->count; i++) {
		mem_free(m->groups[i].flavors);
		mem_free(m->groups[i].verdict);
		mem_free(m->groups[i].avoid);
	}
	mem_free(m->groups);
	mem_free(m->plain);
	mem_free(m->flavored);
	mem_free(m->placed);
	mem_free(m->next_flavored);
	mem_free(m->changed);
	mem_free(m->listed);
	mem_free(m);
}

bool kube_match_present(const struct world *world, uint32_t node)
{
	const struct node *n = &world->nodes[node];

	/* A node that only an update adds has a record but is not usable yet. */
	return world->node_usable[node] || !n->ready || n->unschedulable;
}

static bool tolerated(const struct kube_match *m, const struct kube_group *group,
		      const struct taint *taint)
{
	const struct scenario *s = m->world->scenario;

	if (label_tolerates(s->strings, &s->shapes[group->shape].tolerations, taint))
		return true;
	for (uint32_t i = 0; i < group->flavor_count; i++) {
		if (label_tolerates(s->strings, &s->flavors[group->flavors[i]].tolerations, taint))
			return true;
	}
	return false;
}

/* node: the record of the node with this index, as it is or was. */
static bool labels_match(const struct kube_match *m, const struct kube_group *group,
			 const struct node *node, uint32_t index)
{
	const struct scenario *s = m->world->scenario;
	const struct pod_shape *shape = &s->shapes[group->shape];

	for (uint32_t i = 0; i < group->flavor_count; i++) {
		if (!label_contains(&node->labels, &s->flavors[group->flavors[i]].node_labels))
			return false;
	}
	if (group->domain != NAME_NONE &&
	    !world_in_domain(m->world, group->topology, group->domain, index))
		return false;
	return label_contains(&node->labels, &shape->node_selector) &&
	       label_terms_match(s->strings, &node->labels, node->name, shape->affinity,
				 shape->affinity_count);
}

static const struct scheduler_profile *profile(const struct kube_match *m,
					       const struct kube_group *group)
{
	const struct scenario *s = m->world->scenario;

	return profile_of(s, &s->shapes[group->shape]);
}

static bool enforced(const struct kube_match *m, const struct kube_group *group,
		     const struct node *node)
{
	const struct scheduler_profile *p = profile(m, group);

	return label_terms_match(m->world->scenario->strings, &node->labels, node->name,
				 p->enforced, p->enforced_count);
}

static bool taints_repel(const struct kube_match *m, const struct kube_group *group,
			 const struct node *node)
{
	for (uint32_t i = 0; i < node->taints.count; i++) {
		const struct taint *taint = &node->taints.items[i];

		if (taint->effect != TAINT_PREFER_NO_SCHEDULE && !tolerated(m, group, taint))
			return true;
	}
	return false;
}

static bool cordon_tolerated(const struct kube_match *m, const struct kube_group *group)
{
	struct taint cordon = {
		.key = name_find(m->world->scenario->strings, "node.kubernetes.io/unschedulable"),
		.value = NAME_NONE,
		.effect = TAINT_NO_SCHEDULE,
	};

	return tolerated(m, group, &cordon);
}

/* The taint controller taints cordoned nodes and those that are not ready. */
static bool tolerates(const struct kube_match *m, const struct kube_group *group,
		      const struct node *n)
{
	return (!n->unschedulable || cordon_tolerated(m, group)) && n->ready &&
	       !taints_repel(m, group, n);
}

static enum kube_verdict judge(const struct kube_match *m, const struct kube_group *group,
			       uint32_t node)
{
	const bool *filters = profile(m, group)->filters;
	const struct node *n = &m->world->nodes[node];

	if (!kube_match_present(m->world, node))
		return KUBE_ABSENT;
	if ((filters[PLUGIN_UNSCHEDULABLE] || !filters[PLUGIN_TAINTS]) && n->unschedulable &&
	    !cordon_tolerated(m, group))
		return KUBE_CORDONED;
	if (!n->ready || (filters[PLUGIN_TAINTS] && !tolerates(m, group, n)))
		return KUBE_TAINTED;
	if (!filters[PLUGIN_NODE_AFFINITY])
		return KUBE_SUITS;
	if (!enforced(m, group, n))
		return KUBE_ENFORCED;
	return labels_match(m, group, n, node) ? KUBE_SUITS : KUBE_MISMATCH;
}

bool kube_match_labels(const struct kube_match *m, uint32_t group, uint32_t node)
{
	return labels_match(m, &m->groups[group], &m->world->nodes[node], node);
}

bool kube_match_labels_before(const struct kube_match *m, uint32_t group, uint32_t node,
			      const struct node *before)
{
	return labels_match(m, &m->groups[group], before, node);
}

bool kube_match_enforced(const struct kube_match *m, uint32_t group, uint32_t node)
{
	return enforced(m, &m->groups[group], &m->world->nodes[node]);
}

bool kube_match_tolerates(const struct kube_match *m, uint32_t group, uint32_t node)
{
	return tolerates(m, &m->groups[group], &m->world->nodes[node]);
}

static uint8_t avoidance(const struct kube_match *m, const struct kube_group *group, uint32_t node)
{
	const struct taint_set *taints = &m->world->nodes[node].taints;
	uint8_t count = 0;

	for (uint32_t i = 0; i < taints->count; i++) {
		if (taints->items[i].effect == TAINT_PREFER_NO_SCHEDULE && count < UINT8_MAX &&
		    !tolerated(m, group, &taints->items[i]))
			count++;
	}
	return count;
}

static bool is_in_domain(const struct kube_match *m, const struct kube_group *group, uint32_t node)
{
	const struct topology *t = group->topology;

	if (group->host == NAME_NONE)
		return world_in_domain(m->world, t, group->domain, node);
	return label_value(&m->world->nodes[node].labels, t->levels[t->level_count - 1]) ==
	       group->host;
}

/* A domain is looked at last of all, where labels are, and by nothing else: so what judge
 * says follows from what it said of the group without one, which is judged before. */
static enum kube_verdict judge_placed(const struct kube_match *m, const struct kube_group *group,
				      uint32_t node)
{
	enum kube_verdict base = (enum kube_verdict)m->groups[group->base].verdict[node];

	if (base != KUBE_SUITS || !profile(m, group)->filters[PLUGIN_NODE_AFFINITY])
		return base;
	return is_in_domain(m, group, node) ? KUBE_SUITS : KUBE_MISMATCH;
}

static void judge_node(struct kube_match *m, struct kube_group *group, uint32_t node)
{
	bool placed = group->domain != NAME_NONE;

	group->nodes[group->verdict[node]]--;
	group->verdict[node] =
		(uint8_t)(placed ? judge_placed(m, group, node) : judge(m, group, node));
	group->nodes[group->verdict[node]]++;
	group->avoid[node] =
		placed ? m->groups[group->base].avoid[node] : avoidance(m, group, node);
	group->avoids = group->avoids || group->avoid[node] != 0;
}

/* Who is behind by more changes than there are nodes does as well to look at all. */
static void judge_behind(struct kube_match *m, struct kube_group *group)
{
	uint32_t nodes = m->world->node_count;

	if (group->seen == m->changes)
		return;
	if (group->domain != NAME_NONE)
		judge_behind(m, &m->groups[group->base]);
	if (m->changes - group->seen > nodes) {
		for (uint32_t node = 0; node < nodes; node++)
			judge_node(m, group, node);
		group->seen = m->changes;
	}
	for (; group->seen < m->changes; group->seen++)
		judge_node(m, group, m->changed[group->seen % nodes]);
}

/* Mostly nothing changed. */
static inline void judge_changed(struct kube_match *m, struct kube_group *group)
{
	if (group->seen != m->changes)
		judge_behind(m, group);
}

static uint32_t find_unplaced(struct kube_match *m, const struct kube_group *like);

/* NAME_NONE also where no node has such a label value: then world_in_domain says so. */
static uint32_t host_of(const struct kube_match *m, const struct kube_group *group)
{
	const struct topology *t = group->topology;
	const struct name_table *strings = m->world->scenario->strings;

	if (strcmp(name_text(strings, t->levels[t->level_count - 1]), "kubernetes.io/hostname") !=
	    0)
		return NAME_NONE;
	return name_find(strings, journal_text(m->world->journal, group->domain));
}

static uint32_t add_group(struct kube_match *m, const struct kube_group *like)
{
	bool placed = like->domain != NAME_NONE;
	uint32_t base = placed ? find_unplaced(m, like) : NAME_NONE;
	struct kube_group *group;

	m->groups = mem_grow(m->groups, m->count + 1u, &m->capacity, sizeof(*m->groups));
	m->next_flavored = mem_grow(m->next_flavored, m->count + 1u, &m->next_capacity,
				    sizeof(*m->next_flavored));
	group = &m->groups[m->count];
	*group = *like;
	group->base = base;
	group->host = placed ? host_of(m, like) : NAME_NONE;
	group->flavors = mem_dup(like->flavors, like->flavor_count * sizeof(*like->flavors));
	group->verdict = mem_calloc(m->world->node_count, 1);
	memset(group->verdict, KUBE_ABSENT, m->world->node_count);
	group->nodes[KUBE_ABSENT] = m->world->node_count;
	group->avoid = mem_calloc(m->world->node_count, 1);
	group->seen = m->changes;
	if (placed)
		judge_changed(m, &m->groups[base]);
	for (uint32_t node = 0; node < m->world->node_count; node++)
		judge_node(m, group, node);
	return m->count++;
}

/* The flavors of the pod's reservation that say something about nodes, once
 * each, ascending. */
static uint32_t pod_flavors(const struct kube_match *m, uint32_t pod, uint32_t out[FLAVORS_MAX])
{
	const struct world *w = m->world;
	const struct admission *a = world_admission(w, w->pods[pod].job);
	const struct admission_pod_set *set;
	uint32_t count = 0;

	if (a == NULL)
		return 0;
	set = &a->pod_sets[world_pod_set(w, pod)];
	for (uint32_t i = 0; i < set->flavor_count && count < FLAVORS_MAX; i++) {
		uint32_t flavor = set->flavors[i].flavor, at = 0;

		if (w->scenario->flavors[flavor].node_labels.count == 0 &&
		    w->scenario->flavors[flavor].tolerations.count == 0)
			continue;
		while (at < count && out[at] < flavor)
			at++;
		if (at < count && out[at] == flavor)
			continue;
		memmove(&out[at + 1], &out[at], (count - at) * sizeof(*out));
		out[at] = flavor;
		count++;
	}
	return count;
}

static bool is_like(const struct kube_group *a, const struct kube_group *b)
{
	return a->shape == b->shape && a->domain == b->domain && a->topology == b->topology &&
	       a->flavor_count == b->flavor_count &&
	       memcmp(a->flavors, b->flavors, a->flavor_count * sizeof(*a->flavors)) == 0;
}

/* Among those that *first begins, or a new one of them. */
static uint32_t find_group(struct kube_match *m, uint32_t *first, const struct kube_group *like)
{
	uint32_t group = *first;

	while (group != NAME_NONE && !is_like(&m->groups[group], like))
		group = m->next_flavored[group];
	if (group != NAME_NONE)
		return group;
	group = add_group(m, like);
	m->next_flavored[group] = *first;
	return *first = group;
}

static uint32_t find_unplaced(struct kube_match *m, const struct kube_group *like)
{
	struct kube_group unplaced = *like;

	unplaced.domain = NAME_NONE;
	unplaced.topology = NULL;
	return find_group(
		m, like->flavor_count != 0 ? &m->flavored[like->shape] : &m->plain[like->shape],
		&unplaced);
}

static uint32_t *placed_groups(struct kube_match *m, uint32_t domain)
{
	if (domain >= m->placed_count) {
		m->placed =
			mem_grow(m->placed, domain + 1u, &m->placed_capacity, sizeof(*m->placed));
		while (m->placed_count <= domain)
			m->placed[m->placed_count++] = NAME_NONE;
	}
	return &m->placed[domain];
}

uint32_t kube_match_group(struct kube_match *m, uint32_t pod)
{
	uint32_t flavors[FLAVORS_MAX];
	struct kube_group like = {.shape = m->world->pods[pod].shape, .flavors = flavors};

	if (m->plain[like.shape] != NAME_NONE &&
	    world_admission(m->world, m->world->pods[pod].job) == NULL)
		return m->plain[like.shape]; /* nobody gave it flavors, or a domain */
	like.flavor_count = pod_flavors(m, pod, flavors);
	like.domain = world_pod_domain(m->world, pod, &like.topology);
	if (like.domain != NAME_NONE)
		return find_group(m, placed_groups(m, like.domain), &like);
	return find_unplaced(m, &like);
}

const struct kube_group *kube_match_at(const struct kube_match *m, uint32_t group)
{
	judge_changed(m->me, &m->me->groups[group]);
	return &m->groups[group];
}

const struct world *kube_match_world(const struct kube_match *m)
{
	return m->world;
}

uint32_t kube_match_count(const struct kube_match *m)
{
	return m->count;
}

const uint32_t *kube_match_waiting(struct kube_match *m, uint32_t *count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->listed_count; i++) {
		struct kube_group *group = &m->groups[m->listed[i]];

		group->listed = group->waiting != 0;
		if (group->listed)
			m->listed[kept++] = m->listed[i];
	}
	*count = m->listed_count = kept;
	return m->listed;
}

void kube_match_waits(struct kube_match *m, uint32_t index, int delta)
{
	struct kube_group *group = &m->groups[index];

	judge_changed(m, group);
	group->waiting = delta > 0 ? group->waiting + 1 : group->waiting - 1;
	if (group->listed)
		return;
	m->listed =
		mem_grow(m->listed, m->listed_count + 1u, &m->listed_capacity, sizeof(*m->listed));
	m->listed[m->listed_count++] = index;
	group->listed = true;
}

void kube_match_node(struct kube_match *m, uint32_t node)
{
	uint32_t count;
	const uint32_t *waiting = kube_match_waiting(m, &count);

	m->changed[m->changes++ % m->world->node_count] = node;
	for (uint32_t i = 0; i < count; i++)
		judge_changed(m, &m->groups[waiting[i]]);
}
