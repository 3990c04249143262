#include "sim/policy/gpu_place.h"

#include <math.h>

static uint32_t parts_resource(const struct world *w)
{
	return name_find(w->scenario->resources, RES_GPU_MILLI);
}

/* A node may offer whole GPUs, parts, or, as those of traces, both. */
static int64_t gpus_of(const struct world *w, uint32_t node)
{
	uint32_t milli = parts_resource(w);
	int64_t gpus = w->nodes[node].gpus, parts = 0;

	if (milli != NAME_NONE)
		parts = w->nodes[node].allocatable[milli] / GPU_SHARE_WHOLE;
	return gpus > parts ? gpus : parts;
}

static void find_demands(struct gpu_place *p)
{
	const struct scenario *s = p->world->scenario;
	uint32_t milli = parts_resource(p->world);

	p->demands = mem_calloc(s->shape_count, sizeof(*p->demands));
	for (uint32_t i = 0; i < s->shape_count; i++) {
		const struct pod_shape *shape = &s->shapes[i];

		p->demands[i] = gpu_share_demand(shape->gpus,
						 milli == NAME_NONE ? 0 : shape->request[milli]);
	}
}

void gpu_place_node(struct gpu_place *p, uint32_t node)
{
	int64_t gpus = gpus_of(p->world, node);
	int64_t cpu = p->world->nodes[node].allocatable[RES_CPU];

	gpu_share_resize(&p->nodes[node], p->gpus[node], gpus);
	p->gpus[node] = gpus;
	if (cpu != RES_UNLIMITED)
		p->cpu_max = fmax(p->cpu_max, (double)cpu);
	p->milli_max = fmax(p->milli_max, (double)gpus * GPU_SHARE_WHOLE);
}

void gpu_place_init(struct gpu_place *p, const struct world *world)
{
	uint32_t pods = world->journal->first_pod[world->scenario->job_count];

	*p = (struct gpu_place){.world = world, .cpu_max = 1, .milli_max = 1};
	p->nodes = mem_calloc(world->node_count, sizeof(*p->nodes));
	p->gpus = mem_calloc(world->node_count, sizeof(*p->gpus));
	p->slot = mem_calloc(pods, sizeof(*p->slot));
	find_demands(p);
	for (uint32_t node = 0; node < world->node_count; node++)
		gpu_place_node(p, node);
}

void gpu_place_free(struct gpu_place *p)
{
	for (uint32_t node = 0; node < p->world->node_count; node++)
		gpu_share_free(&p->nodes[node]);
	mem_free(p->nodes);
	mem_free(p->gpus);
	mem_free(p->slot);
	mem_free(p->demands);
}

bool gpu_place_fits(const struct gpu_place *p, uint32_t shape, uint32_t node)
{
	return gpu_share_fits(&p->nodes[node], &p->demands[shape]) &&
	       cluster_fits(&p->world->usage, node, &p->world->scenario->shapes[shape]);
}

void gpu_place_take(struct gpu_place *p, uint32_t pod, uint32_t node, uint32_t device)
{
	p->slot[pod] =
		gpu_share_take(&p->nodes[node], &p->demands[p->world->pods[pod].shape], device);
}

void gpu_place_give(struct gpu_place *p, uint32_t pod, uint32_t node)
{
	gpu_share_give(&p->nodes[node], &p->demands[p->world->pods[pod].shape], p->slot[pod]);
}

int64_t gpu_place_cpu(const struct gpu_place *p, uint32_t node)
{
	const struct cluster_usage *usage = &p->world->usage;
	int64_t cpu = p->world->nodes[node].allocatable[RES_CPU];
	int64_t used = usage->used[(size_t)node * usage->resource_count + RES_CPU];

	if (cpu == RES_UNLIMITED)
		return cpu;
	return cpu > used ? cpu - used : 0;
}

int64_t gpu_place_cpu_asked(const struct gpu_place *p, uint32_t shape)
{
	return p->world->scenario->shapes[shape].request[RES_CPU];
}
