/* topology_random.h - random trees of nodes, pods and changes: what is kept from one
 * placement to the next is compared with placements from nothing. */
#ifndef TESTS_SIM_TOPOLOGY_RANDOM_H
#define TESTS_SIM_TOPOLOGY_RANDOM_H

#include "core/mem.h"
#include "core/rng.h"
#include "tests/sim/topology_case.h"

#define RANDOM_SHAPES 12
#define RANDOM_USES   24

struct topology_random {
	struct topology_case c;
	struct rng *rng;
	struct pod_shape shapes[RANDOM_SHAPES];
	struct {
		uint32_t tree, place, shape;
		int64_t pods;
	} uses[RANDOM_USES]; /* reservations; pods 0: none */
	struct {
		uint32_t node, shape;
		bool there;
	} others[RANDOM_USES]; /* pods of other kinds */
};

static inline uint32_t random_below(struct topology_random *r, uint32_t bound)
{
	return (uint32_t)rng_below(r->rng, bound);
}

static inline struct case_row random_row(struct topology_random *r, char *values, size_t size,
					 uint32_t node)
{
	static const char *const taints[] = {NULL, NULL, NULL, "a=1", "b=2"};
	static const char *const pools[] = {"p", "p", "q", NULL};

	snprintf(values, size, "b%u/r%u/n%u", random_below(r, 3), random_below(r, 3), node);
	return (struct case_row){.values = values,
				 .gpus = random_below(r, 9),
				 .taint = taints[random_below(r, 5)],
				 .pool = pools[random_below(r, 4)],
				 .pods = random_below(r, 4) == 0 ? 3 : 0};
}

static inline uint32_t random_level(struct topology_random *r)
{
	return r->c.topology.levels[random_below(r, r->c.topology.level_count)];
}

static inline struct pod_shape random_shape(struct topology_random *r)
{
	struct topology_case *c = &r->c;
	struct pod_shape shape = c->gpu;
	int64_t *request = mem_arena_alloc(c->s.arena, RES_MAX * sizeof(*request));
	struct toleration *toleration = mem_arena_alloc(c->s.arena, sizeof(*toleration));
	struct label *label = mem_arena_alloc(c->s.arena, sizeof(*label));

	request[RES_GPU] = 1 + random_below(r, 3);
	request[RES_CPU] = 1000 * random_below(r, 30);
	shape.request = request;
	shape.requested |= request[RES_CPU] > 0 ? UINT64_C(1) << RES_CPU : 0;
	shape.topology_mode = (enum topology_mode)(1 + random_below(r, 3));
	if (shape.topology_mode != TOPOLOGY_UNCONSTRAINED)
		shape.topology_level = random_level(r);
	if (random_below(r, 3) == 0) {
		shape.slice_level = random_level(r);
		shape.slice_size = 1 + random_below(r, 3);
	}
	if (random_below(r, 2) == 0) {
		*toleration = (struct toleration){
			.key = case_string(c, "a"), .value = NAME_NONE, .op = TOLERATION_EXISTS};
		shape.tolerations = (struct toleration_set){toleration, 1};
	}
	if (random_below(r, 3) == 0) {
		*label = (struct label){case_string(c, "pool"), case_string(c, "p")};
		shape.node_selector = (struct label_set){label, 1};
	}
	return shape;
}

static inline void random_open(struct topology_random *r, uint64_t seed)
{
	static const char *const levels[] = {"block rack kubernetes.io/hostname", "block rack",
					     "block"};
	struct case_row rows[CASE_NODES + 1] = {{.values = NULL}};
	char values[CASE_NODES][32];
	uint32_t nodes;

	*r = (struct topology_random){.rng = rng_new(seed, "topology")};
	nodes = 1 + random_below(r, CASE_NODES);
	for (uint32_t n = 0; n < nodes; n++)
		rows[n] = random_row(r, values[n], sizeof(values[n]), n);
	case_open(&r->c, levels[random_below(r, 4) == 0 ? 1 + random_below(r, 2) : 0], rows);
	for (uint32_t i = 0; i < RANDOM_SHAPES; i++)
		r->shapes[i] = random_shape(r);
}

static inline void random_close(struct topology_random *r)
{
	case_close(&r->c);
	rng_free(r->rng);
}

static inline void random_build(struct topology_random *r)
{
	case_build(&r->c);
	for (uint32_t i = 0; i < RANDOM_USES; i++) {
		kueue_topology_use(r->c.t, r->uses[i].tree, r->uses[i].place,
				   &r->shapes[r->uses[i].shape], r->uses[i].pods);
		if (r->others[i].there)
			kueue_topology_occupy(r->c.t, r->others[i].node,
					      &r->shapes[r->others[i].shape], 1);
	}
}

static inline void random_rebuild(struct topology_random *r)
{
	uint32_t node = random_below(r, r->c.node_count);

	r->c.usable[node] = !r->c.usable[node];
	random_build(r);
}

/* A node gets a taint or loses what it had; now and then its rack is another. */
static inline void random_renew(struct topology_random *r)
{
	uint32_t at = random_below(r, r->c.node_count);
	struct node *node = &r->c.nodes[at];
	bool renewed = true;

	if (node->taints.count > 0) {
		node->taints.count = 0;
	} else {
		struct taint *taint = mem_arena_alloc(r->c.s.arena, sizeof(*taint));

		*taint = (struct taint){case_string(&r->c, random_below(r, 2) == 0 ? "a" : "c"),
					case_string(&r->c, "1"), TAINT_NO_SCHEDULE};
		node->taints = (struct taint_set){taint, 1};
	}
	if (random_below(r, 8) == 0 && node->labels.count > 1) {
		size_t size = node->labels.count * sizeof(struct label);
		struct label *labels = mem_arena_alloc(r->c.s.arena, size);

		memcpy(labels, node->labels.items, size);
		labels[1].value = case_string(&r->c, "r9");
		node->labels.items = labels;
	}
	for (uint32_t i = 0; i < CASE_TREES; i++)
		renewed = kueue_topology_renew(r->c.t, i, at, r->c.usable[at]) && renewed;
	if (!renewed)
		random_build(r);
}

static inline void random_reservation(struct topology_random *r)
{
	uint32_t i = random_below(r, RANDOM_USES);

	kueue_topology_use(r->c.t, r->uses[i].tree, r->uses[i].place, &r->shapes[r->uses[i].shape],
			   -r->uses[i].pods);
	r->uses[i].tree = random_below(r, CASE_TREES);
	r->uses[i].place = random_below(r, name_count(r->c.t->places));
	r->uses[i].shape = random_below(r, RANDOM_SHAPES);
	r->uses[i].pods = random_below(r, 3);
	kueue_topology_use(r->c.t, r->uses[i].tree, r->uses[i].place, &r->shapes[r->uses[i].shape],
			   r->uses[i].pods);
}

static inline void random_other(struct topology_random *r)
{
	uint32_t i = random_below(r, RANDOM_USES);

	if (!r->others[i].there) {
		r->others[i].node = random_below(r, r->c.node_count);
		r->others[i].shape = random_below(r, RANDOM_SHAPES);
	}
	kueue_topology_occupy(r->c.t, r->others[i].node, &r->shapes[r->others[i].shape],
			      r->others[i].there ? -1 : 1);
	r->others[i].there = !r->others[i].there;
}

/* Reservations and other pods come and go; now and then a node does. */
static inline void random_change(struct topology_random *r)
{
	switch (random_below(r, 40)) {
	case 0:
		random_rebuild(r);
		break;
	case 1:
	case 2:
	case 3:
		random_other(r);
		break;
	case 4:
	case 5:
		random_renew(r);
		break;
	default:
		random_reservation(r);
		break;
	}
}

/* A trial change, to be rolled back to the mark. */
static inline void random_trial(struct topology_random *r)
{
	kueue_topology_suppose(
		r->c.t, random_below(r, CASE_TREES), random_below(r, name_count(r->c.t->places)),
		&r->shapes[random_below(r, RANDOM_SHAPES)], (int64_t)random_below(r, 5) - 2);
}

#endif
