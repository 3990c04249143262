#include "sim/kueue/kueue_setup.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_class.h"
#include "sim/kueue/kueue_family.h"
#include "sim/kueue/kueue_objects.h"
#include "sim/kueue/kueue_status.h"

/* -------------------------------------------------- flavors and columns */

static void collect_flavors(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t f = 0; f < groups[g].flavor_count; f++) {
			if (kueue_flavor_named(k, groups[g].flavor_names[f]) != KUEUE_NONE)
				continue;
			k->flavors[k->flavor_count++] = (struct kueue_flavor){
				.name = groups[g].flavor_names[f], .index = SCENARIO_NONE};
		}
	}
}

static uint32_t flavor_mentions(const struct resource_group *groups, uint32_t count)
{
	uint32_t mentions = 0;

	for (uint32_t g = 0; g < count; g++)
		mentions += groups[g].flavor_count;
	return mentions;
}

typedef void visit_groups(struct kueue *k, const struct resource_group *groups, uint32_t count);

/* Every resource group of every version of every queue and cohort. */
static void for_all_groups(struct kueue *k, visit_groups *visit)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		visit(k, s->cluster_queues[i].groups, s->cluster_queues[i].group_count);
	for (uint32_t i = 0; i < s->cohort_count; i++)
		visit(k, s->cohorts[i].groups, s->cohorts[i].group_count);
	for (uint32_t i = 0; i < s->update_count; i++) {
		uint32_t version = s->updates[i].version;

		if (s->updates[i].kind == UPDATE_CLUSTER_QUEUE)
			visit(k, s->cluster_queues[version].groups,
			      s->cluster_queues[version].group_count);
		if (s->updates[i].kind == UPDATE_COHORT)
			visit(k, s->cohorts[version].groups, s->cohorts[version].group_count);
	}
}

static void count_mentions(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	k->flavor_count += flavor_mentions(groups, count);
}

static void number_columns(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t f = 0; f < groups[g].flavor_count; f++) {
			uint32_t flavor = kueue_flavor_named(k, groups[g].flavor_names[f]);

			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				uint32_t resource = groups[g].resources[r];
				uint32_t *column =
					&k->columns[(size_t)flavor * k->resource_count + resource];

				if (*column != KUEUE_NONE)
					continue;
				k->column_flavor[k->column_count] = flavor;
				k->column_resource[k->column_count] = resource;
				*column = k->column_count++;
			}
		}
	}
}

static void make_columns(struct kueue *k)
{
	size_t cells;

	for_all_groups(k, count_mentions);
	k->flavors = mem_calloc(k->flavor_count, sizeof(*k->flavors));
	k->flavor_count = 0;
	for_all_groups(k, collect_flavors);
	cells = (size_t)k->flavor_count * k->resource_count;
	k->columns = mem_calloc(cells, sizeof(*k->columns));
	memset(k->columns, 0xff, cells * sizeof(*k->columns));
	k->column_flavor = mem_calloc(cells, sizeof(*k->column_flavor));
	k->column_resource = mem_calloc(cells, sizeof(*k->column_resource));
	for_all_groups(k, number_columns);
	k->suits = mem_calloc((size_t)k->flavor_count * k->scenario->shape_count, 1);
}

/* ------------------------------------------------------------ name orders */

struct name_order {
	const struct kueue *k;
	bool resources;
};

static int compare_names(const void *a, const void *b, void *context)
{
	const struct name_order *order = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct scenario *s = order->k->scenario;
	int c = order->resources ? strcmp(name_text(s->resources, x), name_text(s->resources, y))
				 : strcmp(name_text(s->strings, s->cluster_queues[x].name),
					  name_text(s->strings, s->cluster_queues[y].name));

	return c != 0 ? c : (x > y) - (x < y);
}

/* order[i] = which comes at place i; rank is its inverse. */
static void order_names(const struct kueue *k, bool resources, uint32_t count, uint32_t *order,
			uint32_t *rank)
{
	struct name_order context = {k, resources};

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sort_stable(order, count, sizeof(*order), compare_names, &context);
	for (uint32_t i = 0; i < count; i++)
		rank[order[i]] = i;
}

/* ------------------------------------------------------------- life cycle */

static void make_queues(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	k->queues = mem_calloc(k->queue_count, sizeof(*k->queues));
	for (uint32_t i = 0; i < k->queue_count; i++) {
		k->queues[i].spec = k->queues[i].latest = &s->cluster_queues[i];
		k->queues[i].gone = s->cluster_queues[i].absent;
		k->queues[i].by_usage = s->cluster_queues[i].usage_based_fair_sharing;
		k->queues[i].preemptor = JOB_NONE;
	}
	k->cohorts = mem_calloc(s->cohort_count, sizeof(*k->cohorts));
	for (uint32_t i = 0; i < s->cohort_count; i++)
		k->cohorts[i] = &s->cohorts[i];
	k->cyclic = mem_calloc(s->cohort_count, sizeof(*k->cyclic));
	k->checks = mem_calloc(s->check_count, sizeof(*k->checks));
	for (uint32_t i = 0; i < s->check_count; i++)
		k->checks[i] = &s->checks[i];
	k->class_absent = mem_calloc(s->priority_class_count, sizeof(*k->class_absent));
	for (uint32_t i = 0; i < s->priority_class_count; i++)
		k->class_absent[i] = s->priority_classes[i].absent;
	k->topologies = mem_calloc(s->topology_count, sizeof(*k->topologies));
	for (uint32_t i = 0; i < s->topology_count; i++)
		k->topologies[i] = &s->topologies[i];
	k->local_queues = mem_calloc(s->local_queue_count, sizeof(*k->local_queues));
	k->namespaces = mem_calloc(s->local_queue_count, sizeof(*k->namespaces));
	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		k->local_queues[i] = &s->local_queues[i];
		for (uint32_t n = 0; n < s->namespace_count; n++) {
			if (s->namespaces[n].name == s->local_queues[i].ns)
				k->namespaces[i] = &s->namespaces[n];
		}
	}
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		for (uint32_t i = 0; i < s->flavor_count; i++) {
			if (s->flavors[i].name != k->flavors[f].name)
				continue;
			k->flavors[f].index = i;
			if (!s->flavors[i].absent)
				k->flavors[f].now = &s->flavors[i];
		}
	}
}

struct kueue *kueue_setup_new(const struct world *world)
{
	struct kueue *k = mem_calloc(1, sizeof(*k));
	const struct scenario *s = world->scenario;

	k->me = k;
	k->world = world;
	k->scenario = s;
	k->config = &s->config;
	k->gates = kueue_gates_read(k->config, s->strings);
	k->arena = mem_arena_new();
	k->cycle_arena = mem_arena_new();
	k->full = world->journal->detail != JOURNAL_FACTS || !k->gates.keeps_progress;
	k->queue_count = s->cluster_queue_count;
	k->resource_count = s->resource_count;
	k->job_count = k->first_variant = s->job_count;
	k->free_memory = k->free_hold = k->free_life = KUEUE_NONE;
	k->instant = k->scheduled = -1;
	k->second_of = -1;
	k->second_began = clock_floor_second(-1);
	k->resource_rank = mem_calloc(k->resource_count, sizeof(*k->resource_rank));
	k->queue_by_name = mem_calloc(k->queue_count, sizeof(*k->queue_by_name));
	k->name_rank = mem_calloc(k->queue_count, sizeof(*k->name_rank));
	k->ready = mem_calloc(k->queue_count / 64 + 1, sizeof(*k->ready));
	k->resource_by_rank = mem_calloc(k->resource_count, sizeof(*k->resource_by_rank));
	order_names(k, true, k->resource_count, k->resource_by_rank, k->resource_rank);
	order_names(k, false, k->queue_count, k->queue_by_name, k->name_rank);
	make_columns(k);
	make_queues(k);
	kueue_class_init(k);
	kueue_family_init(k);
	kueue_status_open(k);
	quota_init(&k->tree, k->queue_count, s->cohort_count, k->column_count, k->resource_count,
		   k->column_resource, k->resource_rank);
	k->roots = mem_calloc(k->tree.node_count, sizeof(*k->roots));
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		k->roots[n].due = CLOCK_NEVER;
	kueue_objects_apply(k);
	return k;
}

static void free_queues(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		mem_free(k->queues[i].heap);
		mem_free(k->queues[i].parked);
		mem_free(k->queues[i].bulk);
		mem_free(k->queues[i].rungs);
		kueue_strata_free(&k->queues[i].strata);
		mem_free(k->queues[i].plain);
		mem_free(k->queues[i].steps);
		mem_free(k->queues[i].pursued);
	}
	for (uint32_t n = 0; n < k->tree.node_count; n++) {
		mem_free(k->roots[n].queues);
		kueue_strata_free(&k->roots[n].strata);
	}
	mem_free(k->queues);
	mem_free(k->roots);
}

static void free_lives(struct kueue *k)
{
	for (size_t i = 0; i < k->life_count; i += KUEUE_LIVES)
		mem_free(k->lives[i / KUEUE_LIVES]);
	mem_free(k->late_checks);
	mem_free(k->stale_checks);
	mem_free(k->lives);
	mem_free(k->takes);
	mem_free(k->lets_in);
}

static void free_arrays(struct kueue *k)
{
	void *arrays[] = {k->flavors,
			  k->columns,
			  k->column_flavor,
			  k->column_resource,
			  k->resource_rank,
			  k->suits,
			  k->queue_by_name,
			  k->name_rank,
			  k->ready,
			  k->flush_now,
			  k->cohorts,
			  k->local_queues,
			  k->topologies,
			  k->namespaces,
			  k->forms,
			  k->classes,
			  k->kins,
			  k->class_index.slots,
			  k->kin_index.slots,
			  k->jobs,
			  k->variants,
			  k->families,
			  k->family_of,
			  k->touched,
			  k->memories,
			  k->tried,
			  k->usages,
			  k->usage_amounts,
			  k->usage_table,
			  k->seen,
			  k->rungs,
			  k->rung_table,
			  k->streams,
			  k->targets,
			  k->candidates,
			  k->claimed,
			  k->text,
			  k->fresh,
			  k->spent,
			  k->real,
			  k->late,
			  k->resource_by_rank,
			  k->cyclic,
			  k->checks,
			  k->class_absent,
			  k->doomed,
			  k->done_pods,
			  k->resized,
			  k->grown,
			  k->second,
			  k->nodes,
			  k->routes,
			  k->spared_roots,
			  k->spared_looks};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		mem_free(arrays[i]);
}

void kueue_setup_free(struct kueue *k)
{
	free_queues(k);
	free_lives(k);
	kueue_status_close(k);
	free_arrays(k);
	quota_free(&k->tree);
	for (size_t h = 0; h < k->hold_count; h++) {
		mem_free(k->holds[h].spots);
		mem_free(k->holds[h].kept);
	}
	mem_free(k->holds);
	mem_arena_free(k->arena);
	mem_arena_free(k->cycle_arena);
	mem_free(k);
}
