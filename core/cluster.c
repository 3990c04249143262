#include "core/cluster.h"

#include "core/mem.h"

void cluster_usage_init(struct cluster_usage *usage, const struct node *nodes, uint32_t node_count,
			uint32_t resource_count)
{
	usage->nodes = nodes;
	usage->node_count = node_count;
	usage->resource_count = resource_count;
	usage->used = mem_calloc((size_t)node_count * resource_count, sizeof(*usage->used));
	usage->nonzero = mem_calloc((size_t)node_count * 2, sizeof(*usage->nonzero));
}

void cluster_usage_free(struct cluster_usage *usage)
{
	mem_free(usage->used);
	mem_free(usage->nonzero);
	usage->used = NULL;
	usage->nonzero = NULL;
}

/* Sums wrap: where the capacity is finite they never come near the range, where
 * it is not they are never compared, and so a removal undoes an addition exactly
 * even if one absurd request is beyond all sums. */
static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

void cluster_add(struct cluster_usage *usage, uint32_t node, const struct pod_shape *shape)
{
	int64_t *used = cluster_row(usage, node);
	int64_t *nonzero = &usage->nonzero[(size_t)node * 2];

	used[RES_PODS]++;
	for (uint64_t left = cluster_asked(shape); left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		used[r] = wrap_add(used[r], shape->request[r]);
	}
	nonzero[0] = wrap_add(nonzero[0], shape->nonzero_cpu);
	nonzero[1] = wrap_add(nonzero[1], shape->nonzero_memory);
}

void cluster_remove(struct cluster_usage *usage, uint32_t node, const struct pod_shape *shape)
{
	int64_t *used = cluster_row(usage, node);
	int64_t *nonzero = &usage->nonzero[(size_t)node * 2];

	used[RES_PODS]--;
	for (uint64_t left = cluster_asked(shape); left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		used[r] = wrap_sub(used[r], shape->request[r]);
	}
	nonzero[0] = wrap_sub(nonzero[0], shape->nonzero_cpu);
	nonzero[1] = wrap_sub(nonzero[1], shape->nonzero_memory);
}

static bool cordon_tolerated(const struct name_table *strings, const struct pod_shape *shape)
{
	struct taint cordon = {
		.key = name_find(strings, "node.kubernetes.io/unschedulable"),
		.value = NAME_NONE,
		.effect = TAINT_NO_SCHEDULE,
	};

	return label_tolerates(strings, &shape->tolerations, &cordon);
}

bool cluster_node_tolerated(const struct name_table *strings, const struct node *node,
			    const struct pod_shape *shape)
{
	if (!node->ready || (node->unschedulable && !cordon_tolerated(strings, shape)))
		return false;
	for (uint32_t i = 0; i < node->taints.count; i++) {
		const struct taint *taint = &node->taints.items[i];

		if (taint->effect != TAINT_PREFER_NO_SCHEDULE &&
		    !label_tolerates(strings, &shape->tolerations, taint))
			return false;
	}
	return true;
}

bool cluster_node_selected(const struct name_table *strings, const struct node *node,
			   const struct pod_shape *shape)
{
	return label_contains(&node->labels, &shape->node_selector) &&
	       label_terms_match(strings, &node->labels, node->name, shape->affinity,
				 shape->affinity_count);
}
