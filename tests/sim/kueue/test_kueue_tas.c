#include "sim/kueue/kueue_tas.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/mem.h"
#include "tests/sim/topology_random.h"

#define HOST   "kubernetes.io/hostname"
#define LEVELS "rack " HOST
#define BLOCKS "block rack " HOST
#define SETS   3

struct wish {
	uint32_t count;			  /* 0: no such set */
	const char *required, *preferred; /* level; NULL both: unconstrained */
	struct {
		const char *level;
		uint32_t size;
	} slices[KUEUE_TAS_LAYERS];
	int64_t gpus; /* of a pod; 0: one */
	int64_t cpu;
	const char *tolerates; /* key */
	const char *pool;      /* node selector */
	const char *group;
	uint32_t tree;
};

static const struct placement {
	const char *name, *levels;
	const char *want; /* "n0:1 n1:2 | n0:1", or why not */
	struct case_row rows[9];
	struct wish wishes[SETS];
	bool empty;
	struct { /* reserved already */
		const char *place;
		int64_t gpus;
	} used;
} cases[] = {
	/* spec KUEUE.md 7.11 */
	{.name = "required: the smallest rack that holds it",
	 .levels = LEVELS,
	 .want = "a:4 b:1",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 3}},
	 .wishes = {{.count = 5, .required = "rack"}}},
	{.name = "required: the best host in it",
	 .levels = LEVELS,
	 .want = "b:2",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 3}},
	 .wishes = {{.count = 2, .required = "rack"}}},
	{.name = "unconstrained: the smallest host",
	 .levels = LEVELS,
	 .want = "b:2",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 3}},
	 .wishes = {{.count = 2}}},
	{.name = "unconstrained: small hosts first",
	 .levels = LEVELS,
	 .want = "a:1 b:2 c:3 d:3",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 3}},
	 .wishes = {{.count = 9}}},
	{.name = "preferred: several racks, whose hosts compete",
	 .levels = LEVELS,
	 .want = "a:4 c:3",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 3}},
	 .wishes = {{.count = 7, .preferred = "rack"}}},
	{.name = "group: the leader beside the workers",
	 .levels = LEVELS,
	 .want = "a:1 | a:3 b:1",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 4}},
	 .wishes = {{.count = 1, .required = "rack", .group = "g"},
		    {.count = 4, .required = "rack", .group = "g"}}},
	{.name = "group: the other rack for more workers",
	 .levels = LEVELS,
	 .want = "c:3 d:3 | d:1",
	 .rows = {{.values = "r1/a", .gpus = 4},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/c", .gpus = 3},
		  {.values = "r2/d", .gpus = 4}},
	 .wishes = {{.count = 6, .required = "rack", .group = "g"},
		    {.count = 1, .required = "rack", .group = "g"}}},
	/* levels */
	{.name = "preferred goes up where one domain does not do",
	 .levels = BLOCKS,
	 .want = "a:2 c:2",
	 .rows = {{.values = "b1/r1/a", .gpus = 2},
		  {.values = "b1/r2/c", .gpus = 2},
		  {.values = "b2/r3/d", .gpus = 3}},
	 .wishes = {{.count = 4, .preferred = "rack"}}},
	{.name = "required host",
	 .levels = LEVELS,
	 .want = "topology \"topo\" allows to fit only 4 out of 5 pod(s)",
	 .rows = {{.values = "r1/a", .gpus = 4}, {.values = "r1/b", .gpus = 2}},
	 .wishes = {{.count = 5, .required = HOST}}},
	{.name = "nothing fits",
	 .levels = LEVELS,
	 .want = "topology \"topo\" doesn't allow to fit any of 1 pod(s). Total nodes: 2; "
		 "excluded: "
		 "resource \"nvidia.com/gpu\": 2",
	 .rows = {{.values = "r1/a", .gpus = 4}, {.values = "r1/b", .gpus = 2}},
	 .wishes = {{.count = 1, .gpus = 5}}},
	{.name = "no nodes",
	 .levels = LEVELS,
	 .want = "no topology domains at level: rack",
	 .rows = {{.values = NULL}},
	 .wishes = {{.count = 1, .required = "rack"}}},
	{.name = "no such level",
	 .levels = LEVELS,
	 .want = "no requested topology level: zone",
	 .rows = {{.values = "r1/a", .gpus = 4}},
	 .wishes = {{.count = 1, .required = "zone"}}},
	{.name = "racks as leaves",
	 .levels = "block rack",
	 .want = "b1/r1:1 b1/r2:2",
	 .rows = {{.values = "b1/r1", .gpus = 1},
		  {.values = "b1/r2", .gpus = 1},
		  {.values = "b1/r2", .gpus = 1}},
	 .wishes = {{.count = 3, .required = "block"}}},
	/* slices */
	{.name = "slices only: each whole in its rack",
	 .levels = LEVELS,
	 .want = "a:2 b:2 d:2",
	 .rows = {{.values = "r1/a", .gpus = 3},
		  {.values = "r1/b", .gpus = 2},
		  {.values = "r2/d", .gpus = 3},
		  {.values = "r2/e", .gpus = 0}},
	 .wishes = {{.count = 6, .slices = {{"rack", 2}}}}},
	{.name = "slices in a required block",
	 .levels = BLOCKS,
	 .want = "c:2 d:2",
	 .rows = {{.values = "b1/r1/a", .gpus = 3},
		  {.values = "b1/r1/b", .gpus = 0},
		  {.values = "b2/r2/c", .gpus = 2},
		  {.values = "b2/r3/d", .gpus = 2}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 2}}}}},
	{.name = "slices that do not fit",
	 .levels = BLOCKS,
	 .want = "topology \"topo\" allows to fit only 1 out of 2 slice(s)",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}, {.values = "b1/r2/b", .gpus = 1}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 2}}}}},
	{.name = "a slice of more pods than there are",
	 .levels = BLOCKS,
	 .want = "a slice of 4 pods is more than the 2 pods there are",
	 .rows = {{.values = "b1/r1/a", .gpus = 8}},
	 .wishes = {{.count = 2, .required = "block", .slices = {{"rack", 4}}}}},
	{.name = "slices above the level",
	 .levels = BLOCKS,
	 .want = "podset slice topology block is above the podset topology rack",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}},
	 .wishes = {{.count = 2, .required = "rack", .slices = {{"block", 2}}}}},
	{.name = "no such slice level",
	 .levels = BLOCKS,
	 .want = "no requested topology level for slices: zone",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}},
	 .wishes = {{.count = 2, .required = "rack", .slices = {{"zone", 2}}}}},
	{.name = "two layers: pairs stay on a host",
	 .levels = BLOCKS,
	 .want = "a:2 b:2",
	 .rows = {{.values = "b1/r1/a", .gpus = 3},
		  {.values = "b1/r1/b", .gpus = 2},
		  {.values = "b1/r2/c", .gpus = 3}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 4}, {HOST, 2}}}}},
	{.name = "two layers that do not fit",
	 .levels = BLOCKS,
	 .want = "topology \"topo\" doesn't allow to fit; 0/1 slice(s) fit on level rack; 2/2 "
		 "slice(s) fit "
		 "on level kubernetes.io/hostname",
	 .rows = {{.values = "b1/r1/a", .gpus = 3},
		  {.values = "b1/r1/b", .gpus = 1},
		  {.values = "b1/r2/c", .gpus = 3}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 4}, {HOST, 2}}}}},
	{.name = "inner layer not lower",
	 .levels = BLOCKS,
	 .want = "additional slice layer topology rack must be at a lower level than rack",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 4}, {"rack", 2}}}}},
	{.name = "inner layer does not divide",
	 .levels = BLOCKS,
	 .want = "additional slice layer size 3 must evenly divide parent layer size 4",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 4}, {HOST, 3}}}}},
	{.name = "inner layer of no level",
	 .levels = BLOCKS,
	 .want = "no requested topology level for additional slice layer: zone",
	 .rows = {{.values = "b1/r1/a", .gpus = 3}},
	 .wishes = {{.count = 4, .required = "block", .slices = {{"rack", 4}, {"zone", 2}}}}},
	/* nodes that are left out */
	{.name = "excluded by taint, selector and resource",
	 .levels = HOST,
	 .want = "topology \"topo\" allows to fit only 1 out of 2 pod(s). Total nodes: 4; "
		 "excluded: "
		 "nodeSelector: 1, resource \"nvidia.com/gpu\": 1, taint \"spot=yes:NoSchedule\": "
		 "1",
	 .rows = {{.values = "a", .gpus = 4, .taint = "spot=yes", .pool = "x"},
		  {.values = "b", .gpus = 4},
		  {.values = "c", .gpus = 1, .pool = "x"},
		  {.values = "d", .gpus = 0, .pool = "x"}},
	 .wishes = {{.count = 2, .pool = "x"}}},
	{.name = "a taint without value",
	 .levels = HOST,
	 .want = "topology \"topo\" doesn't allow to fit any of 1 pod(s). Total nodes: 1; "
		 "excluded: taint "
		 "\"spot:NoSchedule\": 1",
	 .rows = {{.values = "a", .gpus = 4, .taint = "spot"}},
	 .wishes = {{.count = 1}}},
	{.name = "tolerated",
	 .levels = HOST,
	 .want = "a:1",
	 .rows = {{.values = "a", .gpus = 4, .taint = "spot=yes"}},
	 .wishes = {{.count = 1, .tolerates = "spot"}}},
	{.name = "taints of nodes do not count where racks are leaves",
	 .levels = "rack",
	 .want = "r1:1",
	 .rows = {{.values = "r1", .gpus = 4, .taint = "spot=yes"}},
	 .wishes = {{.count = 1, .pool = "x"}}},
	{.name = "the first of the lacking resources by name",
	 .levels = HOST,
	 .want = "topology \"topo\" doesn't allow to fit any of 1 pod(s). Total nodes: 1; "
		 "excluded: "
		 "resource \"cpu\": 1",
	 .rows = {{.values = "a", .gpus = 0}},
	 .wishes = {{.count = 1, .cpu = 65000}}},
	{.name = "pods are a resource",
	 .levels = HOST,
	 .want = "a:2 b:1",
	 .rows = {{.values = "a", .gpus = 9, .pods = 2}, {.values = "b", .gpus = 9, .pods = 2}},
	 .wishes = {{.count = 3}}},
	/* several sets and flavors */
	{.name = "the second set sees the first",
	 .levels = HOST,
	 .want = "a:2 | b:2",
	 .rows = {{.values = "a", .gpus = 3}, {.values = "b", .gpus = 4}},
	 .wishes = {{.count = 2}, {.count = 2, .required = HOST}}},
	{.name = "across flavors on the same hosts",
	 .levels = HOST,
	 .want = "b:3 | a:3",
	 .rows = {{.values = "a", .gpus = 3}, {.values = "b", .gpus = 3}},
	 .wishes = {{.count = 3, .tree = 1}, {.count = 3, .tree = 0}}},
	{.name = "the set that fails is told",
	 .levels = HOST,
	 .want = "topology \"topo\" allows to fit only 1 out of 2 pod(s). Total nodes: 2; "
		 "excluded: "
		 "resource \"nvidia.com/gpu\": 1",
	 .rows = {{.values = "a", .gpus = 2}, {.values = "b", .gpus = 1}},
	 .wishes = {{.count = 2, .required = HOST}, {.count = 2, .required = HOST}}},
	/* reservations */
	{.name = "beside a reservation",
	 .levels = HOST,
	 .want = "b:2",
	 .rows = {{.values = "a", .gpus = 3}, {.values = "b", .gpus = 4}},
	 .wishes = {{.count = 2}},
	 .used = {"a", 2}},
	{.name = "empty cluster",
	 .levels = HOST,
	 .want = "a:2",
	 .rows = {{.values = "a", .gpus = 3}, {.values = "b", .gpus = 4}},
	 .wishes = {{.count = 2}},
	 .empty = true,
	 .used = {"a", 2}},
};

static struct pod_shape *shape_of(struct topology_case *c, const struct wish *w)
{
	struct pod_shape *shape = mem_arena_alloc(c->s.arena, sizeof(*shape));
	int64_t *request = mem_arena_alloc(c->s.arena, RES_MAX * sizeof(*request));
	struct label *label = mem_arena_alloc(c->s.arena, sizeof(*label));
	struct toleration *toleration = mem_arena_alloc(c->s.arena, sizeof(*toleration));

	*shape = c->gpu;
	shape->request = request;
	request[RES_GPU] = w->gpus > 0 ? w->gpus : 1;
	request[RES_CPU] = w->cpu;
	shape->requested |= (uint64_t)(w->cpu > 0) << RES_CPU;
	shape->topology_mode = w->required != NULL    ? TOPOLOGY_REQUIRED
			       : w->preferred != NULL ? TOPOLOGY_PREFERRED
						      : TOPOLOGY_UNCONSTRAINED;
	if (w->required != NULL || w->preferred != NULL)
		shape->topology_level =
			case_string(c, w->required != NULL ? w->required : w->preferred);
	if (w->slices[0].level != NULL) {
		shape->slice_level = case_string(c, w->slices[0].level);
		shape->slice_size = w->slices[0].size;
	}
	if (w->group != NULL)
		shape->topology_group = case_string(c, w->group);
	if (w->pool != NULL) {
		*label = (struct label){case_string(c, "pool"), case_string(c, w->pool)};
		shape->node_selector = (struct label_set){label, 1};
	}
	if (w->tolerates != NULL) {
		*toleration = (struct toleration){.key = case_string(c, w->tolerates),
						  .value = NAME_NONE,
						  .op = TOLERATION_EXISTS};
		shape->tolerations = (struct toleration_set){toleration, 1};
	}
	return shape;
}

static uint32_t read_wishes(struct topology_case *c, const struct wish *wishes,
			    struct kueue_tas_set *sets)
{
	uint32_t count = 0;

	for (; count < SETS && wishes[count].count > 0; count++) {
		const struct wish *w = &wishes[count];
		struct kueue_tas_set *set = &sets[count];

		*set = kueue_tas_request(shape_of(c, w));
		set->count = w->count;
		set->tree = w->tree;
		for (uint32_t i = 1; i < KUEUE_TAS_LAYERS && w->slices[i].level != NULL; i++)
			set->layers[set->layer_count++] = (struct slice_layer){
				case_string(c, w->slices[i].level), w->slices[i].size};
	}
	return count;
}

static void print_spots(const struct kueue_tas *tas, const struct kueue_tas_set *sets,
			uint32_t count, char *out)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			strcat(out, " | ");
		for (uint32_t k = 0; k < sets[i].spot_count; k++) {
			const struct kueue_tas_spot *spot = &tas->spots[sets[i].first_spot + k];

			sprintf(out + strlen(out), "%s%s:%" PRIu32, k > 0 ? " " : "",
				kueue_topology_place(tas->topology, spot->place), spot->pods);
		}
	}
}

START_TEST(pods_get_domains)
{
	const struct placement *p = &cases[_i];
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];
	uint32_t count;
	char got[512] = "";

	case_open(&c, p->levels, p->rows);
	tas = kueue_tas_new(c.t);
	count = read_wishes(&c, p->wishes, sets);
	if (p->used.place != NULL)
		kueue_topology_use(c.t, 0, case_place(&c, p->used.place), &c.gpu, p->used.gpus);
	/* twice: a placement leaves nothing behind */
	for (int i = 0; i < 2; i++) {
		got[0] = '\0';
		if (kueue_tas_place(tas, sets, count, p->empty))
			print_spots(tas, sets, count, got);
		else
			snprintf(got, sizeof(got), "%s", kueue_tas_why(tas));
		ck_assert_msg(strcmp(got, p->want) == 0, "%s: \"%s\"", p->name, got);
	}
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

START_TEST(failed_set_is_named)
{
	static const struct case_row rows[] = {
		{.values = "a", .gpus = 2}, {.values = "b", .gpus = 1}, {.values = NULL}};
	static const struct wish wishes[SETS] = {{.count = 2, .required = HOST},
						 {.count = 2, .required = HOST}};
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];

	case_open(&c, HOST, rows);
	tas = kueue_tas_new(c.t);
	ck_assert(!kueue_tas_place(tas, sets, read_wishes(&c, wishes, sets), false));
	ck_assert_uint_eq(tas->failed, 1);
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

static const struct {
	struct wish wish;
	bool has;
} level_rows[] = {
	{{.count = 1}, true},
	{{.count = 1, .required = "rack"}, true},
	{{.count = 1, .preferred = "zone"}, false},
	{{.count = 1, .required = "rack", .slices = {{HOST, 1}}}, true},
	{{.count = 1, .required = "rack", .slices = {{"zone", 1}}}, false},
	{{.count = 2, .required = "rack", .slices = {{"rack", 2}, {"zone", 1}}}, false},
};

START_TEST(levels_are_looked_up)
{
	static const struct case_row rows[] = {{.values = "r1/a", .gpus = 2}, {.values = NULL}};
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];
	struct wish wishes[SETS] = {level_rows[_i].wish};

	case_open(&c, LEVELS, rows);
	tas = kueue_tas_new(c.t);
	read_wishes(&c, wishes, sets);
	ck_assert(kueue_tas_has_levels(tas, &sets[0]) == level_rows[_i].has);
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

/* What fits is as a count by hand says, whatever the capacities: unconstrained pods
 * of one GPU fit exactly if there are as many GPUs. */
START_TEST(unconstrained_pods_fill_every_gpu)
{
	struct case_row rows[5] = {{.values = "a", .gpus = _i % 3},
				   {.values = "b", .gpus = _i % 5},
				   {.values = "c", .gpus = _i % 4},
				   {.values = "d", .gpus = 2},
				   {.values = NULL}};
	uint32_t gpus = (uint32_t)(_i % 3 + _i % 5 + _i % 4 + 2), placed = 0;
	struct wish wishes[SETS] = {{.count = gpus}};
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];

	case_open(&c, HOST, rows);
	tas = kueue_tas_new(c.t);
	read_wishes(&c, wishes, sets);
	ck_assert(kueue_tas_place(tas, sets, 1, false));
	for (uint32_t i = 0; i < sets[0].spot_count; i++)
		placed += tas->spots[i].pods;
	ck_assert_uint_eq(placed, gpus);
	sets[0].count++;
	ck_assert(!kueue_tas_place(tas, sets, 1, false));
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

/* Racks r1: a, b, and r2: c, d, of 4 GPUs each. */
static const struct {
	const char *name, *want;
	struct wish wish;
	struct {
		const char *place;
		uint32_t pods;
	} old[4];
	bool stays, only_slices;
} losses[] = {
	{.name = "preferred: anywhere, the fewest hosts",
	 .want = "a:3 b:2",
	 .wish = {.count = 5, .preferred = "rack"},
	 .old = {{"x", 3}, {"b", 2}}},
	{.name = "pods join those that are there",
	 .want = "c:4",
	 .wish = {.count = 4, .preferred = "rack"},
	 .old = {{"x", 2}, {"c", 2}}},
	{.name = "required: with the others",
	 .want = "c:2 d:3",
	 .wish = {.count = 5, .required = "rack"},
	 .old = {{"x", 3}, {"c", 2}}},
	{.name = "required: or not at all",
	 .want = "topology \"topo\" allows to fit only 4 out of 5 pod(s). Total nodes: 4; "
		 "excluded: "
		 "resource \"nvidia.com/gpu\": 1, topologyDomain: 2",
	 .wish = {.count = 9, .required = "rack"},
	 .old = {{"x", 5}, {"c", 4}}},
	{.name = "required: nobody is left",
	 .want = "a:3",
	 .wish = {.count = 3, .required = "rack"},
	 .old = {{"x", 3}}},
	{.name = "part of a slice goes where the rest of it is",
	 .want = "c:4",
	 .wish = {.count = 4, .preferred = "block", .slices = {{"rack", 4}}},
	 .old = {{"x", 3}, {"c", 1}}},
	{.name = "whole slices go anywhere",
	 .want = "c:4 d:4",
	 .wish = {.count = 8, .preferred = "block", .slices = {{"rack", 4}}},
	 .old = {{"x", 4}, {"c", 4}}},
	{.name = "the innermost slices that are broken decide",
	 .want = "b:4 c:4",
	 .wish = {.count = 8, .required = "block", .slices = {{"rack", 4}, {HOST, 2}}},
	 .old = {{"x", 2}, {"b", 2}, {"c", 4}}},
	{.name = "slices alone have no level once some are broken",
	 .want = "topology level not specified",
	 .wish = {.count = 4, .slices = {{"rack", 4}}},
	 .old = {{"x", 3}, {"c", 1}},
	 .only_slices = true},
	{.name = "another place is gone, too",
	 .want = "Cannot replace the node, because the existing topologyAssignment is invalid, as "
		 "it contains the stale domain y",
	 .wish = {.count = 3, .preferred = "rack"},
	 .old = {{"a", 1}, {"x", 1}, {"y", 1}}},
	{.name = "less than a slice, with no slice to complete",
	 .want = "cannot find replacement assignment for unhealthy node: x",
	 .wish = {.count = 3, .preferred = "block", .slices = {{"rack", 3}}},
	 .old = {{"x", 1}, {"c", 1}}},
	{.name = "a pod of its own cannot move",
	 .want = "x:1",
	 .wish = {.count = 1, .required = "rack"},
	 .old = {{"x", 1}},
	 .stays = true},
};

START_TEST(failed_nodes_are_replaced)
{
	static const struct case_row rows[] = {{.values = "k/r1/a", .gpus = 4},
					       {.values = "k/r1/b", .gpus = 4},
					       {.values = "k/r2/c", .gpus = 4},
					       {.values = "k/r2/d", .gpus = 4},
					       {.values = NULL}};
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];
	struct wish wishes[SETS] = {losses[_i].wish};
	char got[512];

	case_open(&c, BLOCKS, rows);
	tas = kueue_tas_new(c.t);
	ck_assert_uint_eq(read_wishes(&c, wishes, sets), 1);
	sets[0].replaces = name_add(c.t->places, "x");
	sets[0].stays = losses[_i].stays;
	if (losses[_i].only_slices)
		sets[0].mode = TOPOLOGY_NONE;
	for (int i = 0; losses[_i].old[i].pods > 0; i++) {
		uint32_t place = name_add(c.t->places, losses[_i].old[i].place);

		kueue_tas_have(tas, &sets[0], place, losses[_i].old[i].pods);
		kueue_topology_use(c.t, 0, place, sets[0].shape, losses[_i].old[i].pods);
	}
	for (int i = 0; i < 2; i++) {
		got[0] = '\0';
		if (kueue_tas_place(tas, sets, 1, false))
			print_spots(tas, sets, 1, got);
		else
			snprintf(got, sizeof(got), "%s", kueue_tas_why(tas));
		ck_assert_msg(strcmp(got, losses[_i].want) == 0, "%s: \"%s\"", losses[_i].name,
			      got);
	}
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

/* Two sets of one size that grew and shrank: the second one is the leader, whose old pods all
 * stay where they were, more than it has now. */
START_TEST(an_elastic_leader_keeps_all_its_places)
{
	static const struct case_row rows[] = {
		{.values = "r1/a", .gpus = 4}, {.values = "r1/b", .gpus = 4}, {.values = NULL}};
	static const char *const places[] = {"a", "a", "b"};
	struct topology_case c;
	struct kueue_tas *tas;
	struct kueue_tas_set sets[SETS];
	struct wish wishes[SETS] = {{.count = 1, .group = "g"}, {.count = 1, .group = "g"}};
	char got[512] = "";

	case_open(&c, LEVELS, rows);
	tas = kueue_tas_new(c.t);
	ck_assert_uint_eq(read_wishes(&c, wishes, sets), 2);
	for (int i = 0; i < 3; i++)
		kueue_tas_have(tas, &sets[i > 0], name_add(c.t->places, places[i]), 1);
	sets[0].grows = sets[1].grows = true;
	ck_assert(kueue_tas_place(tas, sets, 2, false));
	print_spots(tas, sets, 2, got);
	ck_assert_str_eq(got, "a:1 | a:1 b:1");
	kueue_tas_free(tas);
	case_close(&c);
}
END_TEST

static struct kueue_tas_set random_set(struct topology_random *r, struct kueue_tas *tas,
				       struct kueue_tas *other)
{
	struct kueue_tas_set set = kueue_tas_request(&r->shapes[random_below(r, RANDOM_SHAPES)]);

	set.tree = random_below(r, CASE_TREES);
	set.count = 1 + random_below(r, 12);
	if (random_below(r, 4) == 0)
		set.group = case_string(&r->c, "g");
	if (random_below(r, 6) > 0)
		return set;
	set.replaces = random_below(r, name_count(r->c.t->places));
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t place =
			i == 0 ? set.replaces : random_below(r, name_count(r->c.t->places));
		uint32_t old = set.old_count, pods = 1 + random_below(r, 3);

		kueue_tas_have(tas, &set, place, pods);
		set.old_count = old;
		kueue_tas_have(other, &set, place, pods);
	}
	return set;
}

/* Two sets of one group are leader and workers, so one of them has one pod. */
static uint32_t random_sets(struct topology_random *r, struct kueue_tas *kept,
			    struct kueue_tas *anew, struct kueue_tas_set *sets)
{
	uint32_t count = 1 + (random_below(r, 3) == 0 ? random_below(r, 2) : 0);

	kept->old_count = anew->old_count = 0;
	for (uint32_t i = 0; i < count; i++)
		sets[i] = random_set(r, kept, anew);
	if (count == 2 && sets[0].group == sets[1].group && sets[0].group != NAME_NONE)
		sets[1].count = 1;
	return count;
}

static const char *outcome(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count,
			   bool empty, char *out, size_t size)
{
	out[0] = '\0';
	if (kueue_tas_place(tas, sets, count, empty))
		print_spots(tas, sets, count, out);
	else
		snprintf(out, size, "%s", kueue_tas_why(tas));
	return out;
}

/* Whatever happened before, a placement is the one that would be made from nothing. */
START_TEST(what_is_kept_changes_no_placement)
{
	struct topology_random r;
	struct kueue_tas *kept, *anew;
	uint32_t refusals = 0;

	random_open(&r, (uint64_t)_i + 1000);
	kept = kueue_tas_new(r.c.t);
	anew = kueue_tas_new(r.c.t);
	kueue_tas_keep_nothing(anew);
	for (int step = 0; step < 400; step++) {
		size_t mark = kueue_topology_mark(r.c.t);
		struct kueue_tas_set sets[2], same[2];
		uint32_t count = random_sets(&r, kept, anew, sets);
		bool empty = random_below(&r, 3) == 0;
		char got[2048], want[2048];
		bool refused;

		random_change(&r);
		for (uint32_t n = random_below(&r, 3); n > 0; n--)
			random_trial(&r);
		refused = kueue_tas_is_refused(kept, sets, count);
		memcpy(same, sets, sizeof(same));
		outcome(kept, sets, count, empty, got, sizeof(got));
		outcome(anew, same, count, empty, want, sizeof(want));
		ck_assert_msg(strcmp(got, want) == 0, "step %d: \"%s\", not \"%s\"", step, got,
			      want);
		ck_assert(kueue_tas_fits(kept, sets, count, empty) ==
			  kueue_tas_place(anew, same, count, empty));
		ck_assert(!refused || !kueue_tas_place(anew, same, count, false));
		refused = kueue_tas_is_refused(kept, sets, count);
		ck_assert(!refused || !kueue_tas_place(anew, same, count, false));
		refusals += refused;
		kueue_topology_rollback(r.c.t, mark);
	}
	ck_assert_uint_gt(refusals, 0);
	kueue_tas_free(kept);
	kueue_tas_free(anew);
	random_close(&r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kueue_tas");
	TCase *tc = tcase_create("kueue_tas");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, pods_get_domains, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(tc, failed_nodes_are_replaced, 0,
			    (int)(sizeof(losses) / sizeof(losses[0])));
	tcase_add_test(tc, failed_set_is_named);
	tcase_add_test(tc, an_elastic_leader_keeps_all_its_places);
	tcase_add_loop_test(tc, levels_are_looked_up, 0,
			    (int)(sizeof(level_rows) / sizeof(level_rows[0])));
	tcase_add_loop_test(tc, what_is_kept_changes_no_placement, 0, 60);
	tcase_add_loop_test(tc, unconstrained_pods_fill_every_gpu, 0, 60);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
