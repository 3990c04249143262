#include "sim/kube/kube_peers.h"

#include <string.h>

#include "core/sort.h"
#include "sim/kube/kube_match.h"

#define HOSTNAME "kubernetes.io/hostname"
#define NS_NAME	 "kubernetes.io/metadata.name"

struct kind_table {
	uint32_t *slots; /* kind + 1; 0: empty */
	uint32_t mask;
	size_t capacity; /* of kinds */
};

static bool constrained(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->shape_count; i++) {
		if (s->shapes[i].constraints != NULL ||
		    profile_of(s, &s->shapes[i])->preferred_count != 0)
			return true;
	}
	return false;
}

/* ---- labels that matter ---- */

static void mark_selector(uint8_t *asked, const struct label_selector *selector)
{
	for (uint32_t i = 0; i < selector->match_labels.count; i++)
		asked[selector->match_labels.items[i].key] = 1;
	for (uint32_t i = 0; i < selector->expression_count; i++)
		asked[selector->expressions[i].key] = 1;
}

/* Per string: is it a label key that a selector asks about? */
static uint8_t *asked_keys(const struct scenario *s)
{
	uint8_t *asked = mem_calloc(name_count(s->strings), 1);

	for (uint32_t i = 0; i < s->shape_count; i++) {
		const struct pod_constraints *c = s->shapes[i].constraints;

		for (uint32_t t = 0; c != NULL && t < c->term_count; t++)
			mark_selector(asked, &c->terms[t].selector);
		for (uint32_t t = 0; c != NULL && t < c->spread_count; t++)
			mark_selector(asked, &c->spreads[t].selector);
	}
	return asked;
}

static int compare_keys(const void *a, const void *b, void *context)
{
	const struct label *x = a, *y = b;

	(void)context;
	return (x->key > y->key) - (x->key < y->key);
}

/* What of each set of the scenario matters, by key. */
static struct label_set *useful_labels(struct mem_arena *arena, const struct scenario *s)
{
	struct label_set *sets = mem_calloc(s->pod_label_count + 1u, sizeof(*sets));
	uint8_t *asked = asked_keys(s);

	for (uint32_t i = 0; i < s->pod_label_count; i++) {
		const struct label_set *all = &s->pod_labels[i];
		struct label *items = mem_arena_alloc(arena, all->count * sizeof(*items));

		for (uint32_t k = 0; k < all->count; k++) {
			if (asked[all->items[k].key])
				items[sets[i + 1].count++] = all->items[k];
		}
		sort_stable(items, sets[i + 1].count, sizeof(*items), compare_keys, NULL);
		sets[i + 1].items = items;
	}
	mem_free(asked);
	return sets;
}

/* Every namespace carries its own name as a label. */
static struct label_set namespace_labels(const struct kube_peers *p, uint32_t ns)
{
	const struct scenario *s = p->world->scenario;
	uint32_t key = name_find(s->strings, NS_NAME);
	struct label_set given = {0};
	struct label *items;

	for (uint32_t i = 0; i < s->namespace_count; i++) {
		if (s->namespaces[i].name == ns)
			given = s->namespaces[i].labels;
	}
	if (key == NAME_NONE || label_has(&given, key))
		return given;
	items = mem_arena_alloc(p->arena, (given.count + 1) * sizeof(*items));
	if (given.count != 0)
		memcpy(items, given.items, given.count * sizeof(*items));
	items[given.count] = (struct label){.key = key, .value = ns};
	return (struct label_set){.items = items, .count = given.count + 1};
}

/* ---- kinds ---- */

static uint64_t kind_hash(const struct kube_kind *kind)
{
	uint64_t h = kind->shape * UINT64_C(0x9e3779b97f4a7c15) + kind->ns;

	for (uint32_t i = 0; i < kind->labels.count; i++)
		h = (h ^ kind->labels.items[i].key ^ (uint64_t)kind->labels.items[i].value << 32) *
		    UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static bool same_kind(const struct kube_kind *a, const struct kube_kind *b)
{
	return a->shape == b->shape && a->ns == b->ns && label_set_equal(&a->labels, &b->labels);
}

static uint32_t *slot_of(struct kube_peers *p, struct kind_table *t, const struct kube_kind *kind)
{
	uint32_t at = (uint32_t)kind_hash(kind) & t->mask;

	while (t->slots[at] != 0 && !same_kind(&p->kinds[t->slots[at] - 1], kind))
		at = (at + 1) & t->mask;
	return &t->slots[at];
}

static void grow_table(struct kube_peers *p, struct kind_table *t)
{
	if (t->slots != NULL && p->kind_count < t->mask / 2)
		return;
	t->mask = t->slots == NULL ? 63 : t->mask * 2 + 1;
	mem_free(t->slots);
	t->slots = mem_calloc(t->mask + 1u, sizeof(*t->slots));
	for (uint32_t i = 0; i < p->kind_count; i++)
		*slot_of(p, t, &p->kinds[i]) = i + 1;
}

static uint32_t find_kind(struct kube_peers *p, struct kind_table *t, const struct kube_kind *like)
{
	uint32_t *slot;

	grow_table(p, t);
	slot = slot_of(p, t, like);
	if (*slot != 0)
		return *slot - 1;
	p->kinds = mem_grow(p->kinds, p->kind_count + 1u, &t->capacity, sizeof(*p->kinds));
	p->kinds[p->kind_count] = *like;
	p->kinds[p->kind_count].constraints = p->world->scenario->shapes[like->shape].constraints;
	p->kinds[p->kind_count].ns_labels = namespace_labels(p, like->ns);
	*slot = ++p->kind_count;
	return p->kind_count - 1;
}

static void sort_pods(struct kube_peers *p)
{
	const struct scenario *s = p->world->scenario;
	struct label_set *useful = useful_labels(p->arena, s);
	struct kind_table table = {0};
	uint32_t *pod;

	p->kind_of = mem_calloc(p->world->journal->first_pod[s->job_count], sizeof(*p->kind_of));
	pod = p->kind_of;
	for (uint32_t job = 0; job < s->job_count; job++) {
		uint32_t labels = s->job_labels == NULL ? 0 : s->job_labels[job];

		for (uint32_t k = 0; k < s->jobs[job].common->pod_set_count; k++) {
			const struct pod_set *set =
				&s->pod_sets[s->jobs[job].common->first_pod_set + k];
			struct kube_kind like = {.shape = set->shape,
						 .ns = s->jobs[job].common->ns,
						 .labels = useful[labels]};
			uint32_t kind = find_kind(p, &table, &like);

			for (uint32_t i = 0; i < set->count; i++)
				*pod++ = kind;
		}
	}
	mem_free(table.slots);
	mem_free(useful);
}

/* ---- topologies ---- */

/* kubelet labels each node with its name. */
static uint32_t node_value(const struct kube_peers *p, uint32_t key, uint32_t node)
{
	const struct world *w = p->world;
	uint32_t value = label_value(&w->nodes[node].labels, key);

	if (!kube_match_present(w, node))
		return NAME_NONE;
	if (value == NAME_NONE && strcmp(name_text(w->scenario->strings, key), HOSTNAME) == 0)
		return w->nodes[node].name;
	return value;
}

/* The domain of a node whose value is set: that of another with the same value. */
static void place(const struct kube_peers *p, struct kube_topology *t, uint32_t node)
{
	t->domain[node] = PEERS_NO_DOMAIN;
	for (uint32_t i = 0; i < p->world->node_count && t->value[node] != NAME_NONE; i++) {
		if (i != node && t->value[i] == t->value[node] && t->domain[i] != PEERS_NO_DOMAIN) {
			t->domain[node] = t->domain[i];
			return;
		}
	}
	if (t->value[node] != NAME_NONE)
		t->domain[node] = t->domain_count++;
}

static void divide(const struct kube_peers *p, struct kube_topology *t)
{
	uint32_t count = p->world->node_count;
	uint32_t *seen = mem_calloc(name_count(p->world->scenario->strings), sizeof(*seen));

	t->value = mem_calloc(count, sizeof(*t->value));
	t->domain = mem_calloc(count, sizeof(*t->domain));
	for (uint32_t node = 0; node < count; node++) {
		uint32_t value = node_value(p, t->key, node);

		t->value[node] = value;
		t->domain[node] = PEERS_NO_DOMAIN;
		if (value == NAME_NONE)
			continue;
		if (seen[value] == 0)
			seen[value] = ++t->domain_count;
		t->domain[node] = seen[value] - 1;
	}
	mem_free(seen);
}

static void add_topology(struct kube_peers *p, size_t *capacity, uint32_t key)
{
	for (uint32_t i = 0; i < p->topology_count; i++) {
		if (p->topologies[i].key == key)
			return;
	}
	p->topologies =
		mem_grow(p->topologies, p->topology_count + 1u, capacity, sizeof(*p->topologies));
	p->topologies[p->topology_count] = (struct kube_topology){.key = key};
	divide(p, &p->topologies[p->topology_count++]);
}

static void find_topologies(struct kube_peers *p)
{
	const struct scenario *s = p->world->scenario;
	size_t capacity = 0;

	for (uint32_t i = 0; i < s->shape_count; i++) {
		const struct pod_constraints *c = s->shapes[i].constraints;

		for (uint32_t t = 0; c != NULL && t < c->term_count; t++)
			add_topology(p, &capacity, c->terms[t].topology_key);
		for (uint32_t t = 0; c != NULL && t < c->spread_count; t++)
			add_topology(p, &capacity, c->spreads[t].topology_key);
	}
}

const struct scheduler_profile *kube_peers_profile(const struct kube_peers *p, uint32_t kind)
{
	const struct scenario *s = p->world->scenario;

	return profile_of(s, &s->shapes[p->kinds[kind].shape]);
}

uint32_t kube_peers_topology(const struct kube_peers *p, uint32_t key)
{
	uint32_t i = 0;

	while (p->topologies[i].key != key)
		i++;
	return i;
}

bool kube_peers_node(struct kube_peers *p, uint32_t node)
{
	bool moved = false;

	for (uint32_t i = 0; i < p->topology_count; i++) {
		struct kube_topology *t = &p->topologies[i];
		uint32_t value = node_value(p, t->key, node);

		if (value == t->value[node])
			continue;
		t->value[node] = value;
		place(p, t, node);
		moved = true;
	}
	return moved;
}

/* ---- the whole ---- */

struct kube_peers *kube_peers_new(const struct world *world)
{
	struct kube_peers *p;

	if (!constrained(world->scenario))
		return NULL;
	p = mem_calloc(1, sizeof(*p));
	p->world = world;
	p->arena = mem_arena_new();
	find_topologies(p);
	sort_pods(p);
	return p;
}

void kube_peers_free(struct kube_peers *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->kind_count; i++)
		mem_free(p->kinds[i].spots);
	for (uint32_t i = 0; i < p->topology_count; i++) {
		mem_free(p->topologies[i].value);
		mem_free(p->topologies[i].domain);
	}
	mem_free(p->kinds);
	mem_free(p->kind_of);
	mem_free(p->topologies);
	mem_arena_free(p->arena);
	mem_free(p);
}

/* ---- counting ---- */

static struct kube_spot *spot_of(struct kube_peers *p, uint32_t pod, uint32_t node)
{
	struct kube_kind *kind = &p->kinds[p->kind_of[pod]];
	uint32_t i = 0;

	while (i < kind->spot_count && kind->spots[i].node != node)
		i++;
	if (i == kind->spot_count) {
		kind->spots =
			mem_grow(kind->spots, i + 1u, &kind->spot_capacity, sizeof(*kind->spots));
		kind->spots[kind->spot_count++] = (struct kube_spot){.node = node};
	}
	return &kind->spots[i];
}

void kube_peers_bound(struct kube_peers *p, uint32_t pod, uint32_t node)
{
	spot_of(p, pod, node)->pods++;
}

void kube_peers_leaving(struct kube_peers *p, uint32_t pod, uint32_t node)
{
	spot_of(p, pod, node)->leaving++;
}

void kube_peers_gone(struct kube_peers *p, uint32_t pod, uint32_t node, bool leaving)
{
	struct kube_kind *kind = &p->kinds[p->kind_of[pod]];
	struct kube_spot *spot = spot_of(p, pod, node);

	spot->pods--;
	spot->leaving -= leaving;
	if (spot->pods == 0)
		*spot = kind->spots[--kind->spot_count];
}

/* ---- who selects whom ---- */

static bool in_namespace(const struct kube_peers *p, const struct pod_term *term, uint32_t by,
			 uint32_t kind)
{
	const struct kube_kind *k = &p->kinds[kind];

	if (term->namespace_count == 0 && !term->namespace_selector.present)
		return k->ns == p->kinds[by].ns;
	for (uint32_t i = 0; i < term->namespace_count; i++) {
		if (term->namespaces[i] == k->ns)
			return true;
	}
	return label_selector_matches(p->world->scenario->strings, &k->ns_labels,
				      &term->namespace_selector);
}

bool kube_peers_selected(const struct kube_peers *p, const struct pod_term *term, uint32_t by,
			 uint32_t kind)
{
	return in_namespace(p, term, by, kind) &&
	       label_selector_matches(p->world->scenario->strings, &p->kinds[kind].labels,
				      &term->selector);
}

bool kube_peers_counted(const struct kube_peers *p, const struct spread_constraint *spread,
			uint32_t by, uint32_t kind)
{
	return p->kinds[by].ns == p->kinds[kind].ns &&
	       label_selector_matches(p->world->scenario->strings, &p->kinds[kind].labels,
				      &spread->selector);
}
