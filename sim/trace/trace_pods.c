#include "sim/trace/trace_pods.h"

#include <assert.h>
#include <string.h>

#define HOSTNAME "kubernetes.io/hostname"

struct trace_pods {
	struct builder *builder;
	uint32_t per_node;
	uint32_t main, rest;				/* strings: names of the pod sets */
	uint32_t share;					/* resource of GPU parts; NAME_NONE */
	struct trace_pods_sets known[TRACE_PODS_KNOWN]; /* count 0: not asked for yet */
};

struct trace_pods *trace_pods_new(struct builder *builder, uint32_t gpus_per_node)
{
	struct trace_pods *pods = mem_calloc(1, sizeof(*pods));

	pods->builder = builder;
	pods->per_node = gpus_per_node != 0 ? gpus_per_node : TRACE_PODS_PER_NODE;
	pods->main = builder_string(builder, "main", 4);
	pods->rest = builder_string(builder, "rest", 4);
	pods->share = NAME_NONE;
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
	struct trace_pods_sets sets;
	struct pod_shape plain;

	if (gpus < TRACE_PODS_KNOWN && pods->known[gpus].count != 0)
		return pods->known[gpus];
	plain = trace_pods_plain();
	sets = trace_pods_make(pods, &plain, gpus);
	if (gpus < TRACE_PODS_KNOWN)
		pods->known[gpus] = sets;
	return sets;
}

enum err_code trace_pods_share(struct trace_pods *pods, struct err *err)
{
	return builder_resource(pods->builder, RES_GPU_MILLI, strlen(RES_GPU_MILLI), &pods->share,
				err);
}

/* So many pods of the namespace on a node: topology spread, whose least loaded domain counts
 * as empty as long as there are fewer domains than asked for. A selector of everything would
 * count nothing (kube-scheduler); pods of traces have no labels. */
static struct spread_constraint apart(struct trace_pods *pods, uint32_t most_per_node,
				      struct match_expression *unlabelled)
{
	*unlabelled = (struct match_expression){.key = builder_string(pods->builder, "app", 3),
						.op = MATCH_DOES_NOT_EXIST};
	return (struct spread_constraint){
		.selector = {.present = true, .expressions = unlabelled, .expression_count = 1},
		.topology_key = builder_string(pods->builder, HOSTNAME, sizeof(HOSTNAME) - 1),
		.max_skew = most_per_node < INT32_MAX ? (int32_t)most_per_node : INT32_MAX,
		.min_domains = INT32_MAX,
		.hard = true};
}

uint32_t trace_pods_demand_shape(struct trace_pods *pods, const struct trace_pods_demand *demand)
{
	struct pod_shape shape = trace_pods_plain();
	struct pod_constraints constraints = {.spread_count = 1};
	int64_t request[RES_MAX] = {0};
	struct match_expression unlabelled;
	struct spread_constraint spread;
	uint64_t asked = 0;

	request[RES_CPU] = demand->cpu_milli;
	request[RES_MEMORY] = demand->memory;
	request[RES_GPU] = demand->gpus;
	if (pods->share != NAME_NONE)
		request[pods->share] = demand->gpu_milli;
	for (uint32_t r = 0; r < RES_MAX; r++)
		asked |= request[r] > 0 ? UINT64_C(1) << r : 0;
	shape.request = request;
	shape.requested = asked;
	if (demand->models != NULL) {
		shape.affinity = demand->models;
		shape.affinity_count = 1;
	}
	if (demand->most_per_node != 0) {
		spread = apart(pods, demand->most_per_node, &unlabelled);
		constraints.spreads = &spread;
		shape.constraints = &constraints;
	}
	return builder_shape(pods->builder, &shape);
}

struct trace_pods_sets trace_pods_equal(struct trace_pods *pods,
					const struct trace_pods_demand *demand)
{
	struct pod_set set = {.name = pods->main,
			      .shape = trace_pods_demand_shape(pods, demand),
			      .count = demand->pods,
			      .min_count = demand->pods};

	return (struct trace_pods_sets){.first = builder_pod_sets(pods->builder, &set, 1),
					.count = 1};
}

struct trace_pods_sets trace_pods_spread(struct trace_pods *pods,
					 const struct trace_pods_demand *demand, uint32_t gpus)
{
	struct trace_pods_demand one = *demand;
	struct pod_set sets[2];
	uint16_t used = 0;
	uint32_t full;

	if (demand->pods == 0) {
		struct pod_shape base = trace_pods_plain();

		if (demand->models == NULL)
			return trace_pods_of(pods, gpus);
		base.affinity = demand->models;
		base.affinity_count = 1;
		return trace_pods_make(pods, &base, gpus);
	}
	one.gpus = gpus / demand->pods + (gpus % demand->pods != 0 ? 1 : 0);
	full = gpus / one.gpus;
	sets[used++] = (struct pod_set){.name = pods->main,
					.shape = trace_pods_demand_shape(pods, &one),
					.count = full,
					.min_count = full};
	one.gpus = gpus % one.gpus;
	if (one.gpus != 0)
		sets[used++] = (struct pod_set){.name = pods->rest,
						.shape = trace_pods_demand_shape(pods, &one),
						.count = 1,
						.min_count = 1};
	return (struct trace_pods_sets){.first = builder_pod_sets(pods->builder, sets, used),
					.count = used};
}

/* The part of a GPU that a pod without whole ones asks for. */
static int64_t share_of(const struct builder *builder, const struct pod_shape *shape)
{
	uint32_t share;

	if (!builder_find_resource(builder, RES_GPU_MILLI, &share) ||
	    (shape->requested >> share & 1) == 0)
		return 0;
	return shape->request[share];
}

int64_t trace_pods_milli(const struct builder *builder, const struct job *job)
{
	const struct pod_set *sets = builder_sets_of(builder, job);
	int64_t milli = 0;

	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_shape *shape = builder_shape_at(builder, sets[i].shape);
		int64_t each =
			shape->gpus > 0 ? res_mul(shape->gpus, 1000) : share_of(builder, shape);

		milli = res_add(milli, res_mul(each, sets[i].count));
	}
	return milli;
}
