#include "sim/trace_pods.h"

#include <assert.h>

#define KNOWN 256 /* GPU counts whose pod sets are remembered */

struct trace_pods {
	struct builder *builder;
	uint32_t per_node;
	uint32_t main, rest;		     /* strings: names of the pod sets */
	struct trace_pods_sets known[KNOWN]; /* count 0: not asked for yet */
};

struct trace_pods *trace_pods_new(struct builder *builder, uint32_t gpus_per_node)
{
	struct trace_pods *pods = mem_calloc(1, sizeof(*pods));

	pods->builder = builder;
	pods->per_node = gpus_per_node != 0 ? gpus_per_node : TRACE_PODS_PER_NODE;
	pods->main = builder_string(builder, "main", 4);
	pods->rest = builder_string(builder, "rest", 4);
	return pods;
}

void trace_pods_free(struct trace_pods *pods)
{
	mem_free(pods);
}

struct pod_shape trace_pods_plain(void)
{
	return (struct pod_shape){
		.topology_level = NAME_NONE,
		.slice_level = NAME_NONE,
		.topology_group = NAME_NONE,
		.container_count = 1,
	};
}

uint32_t trace_pods_shape(struct trace_pods *pods, const struct pod_shape *base, uint32_t gpus)
{
	int64_t *request = builder_vector(pods->builder);
	struct pod_shape shape = *base;

	request[RES_GPU] = gpus;
	shape.request = request;
	shape.requested = UINT64_C(1) << RES_GPU;
	return builder_shape(pods->builder, &shape);
}

struct trace_pods_sets trace_pods_make(struct trace_pods *pods, const struct pod_shape *base,
				       uint32_t gpus)
{
	uint32_t count = gpus / pods->per_node + (gpus % pods->per_node != 0 ? 1 : 0);
	uint32_t each = gpus / count, larger = gpus % count;
	struct pod_set sets[2];
	uint16_t used = 0;

	assert(gpus > 0 && gpus <= TRACE_PODS_GPUS_MAX);
	if (larger > 0)
		sets[used++] = (struct pod_set){.name = pods->main,
						.shape = trace_pods_shape(pods, base, each + 1),
						.count = larger,
						.min_count = larger};
	sets[used] = (struct pod_set){.name = used == 0 ? pods->main : pods->rest,
				      .shape = trace_pods_shape(pods, base, each),
				      .count = count - larger,
				      .min_count = count - larger};
	used++;
	return (struct trace_pods_sets){.first = builder_pod_sets(pods->builder, sets, used),
					.count = used};
}

struct trace_pods_sets trace_pods_of(struct trace_pods *pods, uint32_t gpus)
{
	struct pod_shape plain = trace_pods_plain();
	struct trace_pods_sets sets;

	if (gpus < KNOWN && pods->known[gpus].count != 0)
		return pods->known[gpus];
	sets = trace_pods_make(pods, &plain, gpus);
	if (gpus < KNOWN)
		pods->known[gpus] = sets;
	return sets;
}
