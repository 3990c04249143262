/* topology_case.h - small trees of nodes for the tests of topology-aware scheduling,
 * without any file. */
#ifndef TESTS_SIM_TOPOLOGY_CASE_H
#define TESTS_SIM_TOPOLOGY_CASE_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_topology.h"

#define CASE_NODES 16
#define CASE_TREES 2

struct case_row {
	const char *values; /* "b0/r1/n3": of the levels; a "-" is a label it lacks */
	int64_t gpus;
	const char *taint; /* key=value, NoSchedule; NULL */
	const char *pool;  /* label pool; NULL */
	bool unusable;
	int64_t pods; /* 0: 110 */
};

struct topology_case {
	struct scenario s;
	struct node nodes[CASE_NODES];
	bool usable[CASE_NODES];
	uint32_t node_count;
	struct flavor flavors[CASE_TREES];
	struct topology topology;
	struct kueue_topology *t;
	struct pod_shape gpu; /* a pod of one GPU */
};

static inline uint32_t case_string(struct topology_case *c, const char *text)
{
	return name_add(c->s.strings, text);
}

/* Label keys: "block", "rack", ... as in levels, lowest "kubernetes.io/hostname". */
static inline void case_node_row(struct topology_case *c, const struct case_row *row)
{
	struct node *node = &c->nodes[c->node_count];
	struct label *labels = mem_arena_alloc(c->s.arena, 8 * sizeof(*labels));
	int64_t *v = mem_arena_alloc(c->s.arena, RES_MAX * sizeof(*v));
	struct taint *taint = mem_arena_alloc(c->s.arena, sizeof(*taint));
	const char *at = row->values;

	*node = (struct node){.labels = {labels, 0}, .allocatable = v, .ready = true};
	for (uint32_t l = 0; l < c->topology.level_count; l++) {
		size_t length = strcspn(at, "/");

		if (*at != '-')
			labels[node->labels.count++] = (struct label){
				c->topology.levels[l], name_add_n(c->s.strings, at, length)};
		at += length + (at[length] == '/');
	}
	if (row->pool != NULL)
		labels[node->labels.count++] =
			(struct label){case_string(c, "pool"), case_string(c, row->pool)};
	if (row->taint != NULL) {
		size_t key = strcspn(row->taint, "=");

		*taint = (struct taint){name_add_n(c->s.strings, row->taint, key),
					case_string(c, row->taint + key + (row->taint[key] == '=')),
					TAINT_NO_SCHEDULE};
		node->taints = (struct taint_set){taint, 1};
	}
	v[RES_GPU] = row->gpus;
	v[RES_PODS] = row->pods == 0 ? 110 : row->pods;
	v[RES_CPU] = 64000;
	v[RES_MEMORY] = v[RES_EPHEMERAL] = RES_UNLIMITED;
	c->usable[c->node_count++] = !row->unusable;
}

/* Rebuilds all trees from the nodes as they are now. */
static inline void case_build(struct topology_case *c)
{
	for (uint32_t i = 0; i < CASE_TREES; i++)
		kueue_topology_build(c->t, i, &c->flavors[i], &c->topology, c->nodes, c->usable,
				     c->node_count);
}

/* levels: label keys, highest first, with blanks between; rows end with a NULL. Two
 * flavors, "first" and "second", have all nodes. */
static inline void case_open(struct topology_case *c, const char *levels,
			     const struct case_row *rows)
{
	uint32_t *keys;
	int64_t *request;

	*c = (struct topology_case){.node_count = 0};
	c->s.strings = name_new();
	c->s.resources = res_table_new();
	c->s.resource_count = RES_FIXED;
	c->s.arena = mem_arena_new();
	keys = mem_arena_alloc(c->s.arena, TOPOLOGY_LEVELS_MAX * sizeof(*keys));
	c->topology = (struct topology){.name = case_string(c, "topo"), .levels = keys};
	while (*levels != '\0') {
		size_t length = strcspn(levels, " ");

		keys[c->topology.level_count++] = name_add_n(c->s.strings, levels, length);
		levels += length + (levels[length] == ' ');
	}
	for (; rows->values != NULL; rows++)
		case_node_row(c, rows);
	c->flavors[0].name = case_string(c, "first");
	c->flavors[1].name = case_string(c, "second");
	request = mem_arena_alloc(c->s.arena, RES_MAX * sizeof(*request));
	request[RES_GPU] = 1;
	c->gpu = (struct pod_shape){.request = request,
				    .requested = UINT64_C(1) << RES_GPU,
				    .topology_level = NAME_NONE,
				    .slice_level = NAME_NONE,
				    .topology_group = NAME_NONE};
	c->t = kueue_topology_new(&c->s, CASE_TREES);
	case_build(c);
}

static inline void case_close(struct topology_case *c)
{
	kueue_topology_free(c->t);
	name_free(c->s.strings);
	name_free(c->s.resources);
	mem_arena_free(c->s.arena);
}

static inline uint32_t case_place(const struct topology_case *c, const char *place)
{
	uint32_t found = name_find(c->t->places, place);

	ck_assert_msg(found != NAME_NONE, "no place %s", place);
	return found;
}

#endif
