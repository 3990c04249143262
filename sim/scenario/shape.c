#include "sim/scenario/shape.h"

#include <string.h>

#include "core/res.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

void shape_complete(struct pod_shape *shape, const struct name_table *resources, uint32_t width)
{
	uint32_t containers = shape->container_count != 0 ? shape->container_count : 1;

	shape->container_count = containers;
	shape->gpus = 0;
	for (uint32_t r = 0; r < width; r++) {
		if (shape->request[r] != 0)
			shape->requested |= UINT64_C(1) << r;
		if (res_is_gpu(name_text(resources, r)))
			shape->gpus = res_add(shape->gpus, shape->request[r]);
	}
	if (shape->nonzero_cpu == 0)
		shape->nonzero_cpu = (shape->requested >> RES_CPU & 1) != 0
					     ? shape->request[RES_CPU]
					     : SHAPE_DEFAULT_CPU * containers;
	if (shape->nonzero_memory == 0)
		shape->nonzero_memory = (shape->requested >> RES_MEMORY & 1) != 0
						? shape->request[RES_MEMORY]
						: SHAPE_DEFAULT_MEMORY * containers;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 29);
}

static uint64_t mix_vector(uint64_t h, const int64_t *vector, uint32_t width)
{
	for (uint32_t r = 0; vector != NULL && r < width; r++)
		if (vector[r] != 0)
			h = mix(mix(h, r), (uint64_t)vector[r]);
	return h;
}

/* Of node affinity what tells pods apart as a rule: fields and operators are left out. */
static uint64_t mix_affinity(uint64_t h, const struct pod_shape *shape)
{
	for (uint32_t t = 0; t < shape->affinity_count; t++) {
		const struct node_term *term = &shape->affinity[t];

		h = mix(h, term->expression_count);
		for (uint32_t i = 0; i < term->expression_count; i++)
			for (uint32_t k = 0; k < term->expressions[i].value_count; k++)
				h = mix(h, term->expressions[i].values[k]);
	}
	return h;
}

uint64_t shape_hash(const struct pod_shape *shape, uint32_t width)
{
	uint64_t h = mix_vector(HASH_START, shape->request, width);

	h = mix(h, shape->requested);
	h = mix_vector(h, shape->counted, width);
	h = mix_vector(h, shape->limit, width);
	h = mix(h, shape->limit != NULL);
	for (uint32_t i = 0; i < shape->node_selector.count; i++)
		h = mix(mix(h, shape->node_selector.items[i].key),
			shape->node_selector.items[i].value);
	for (uint32_t i = 0; i < shape->tolerations.count; i++)
		h = mix(mix(h, shape->tolerations.items[i].key), shape->tolerations.items[i].value);
	h = mix_affinity(mix(h, shape->affinity_count), shape);
	h = mix(h, constraint_hash(shape->constraints));
	h = mix(mix(h, shape->topology_mode), shape->topology_level);
	return mix(mix(mix(h, shape->slice_size), shape->container_count), shape->scheduler);
}

static bool vectors_equal(const int64_t *a, uint32_t width_a, const int64_t *b, uint32_t width_b)
{
	uint32_t width = width_a > width_b ? width_a : width_b;

	if (a == NULL || b == NULL)
		return a == b;
	for (uint32_t r = 0; r < width; r++)
		if ((r < width_a ? a[r] : 0) != (r < width_b ? b[r] : 0))
			return false;
	return true;
}

static bool slices_equal(const struct pod_shape *a, const struct pod_shape *b)
{
	if (a->slice_level != b->slice_level || a->slice_size != b->slice_size ||
	    a->inner_slice_count != b->inner_slice_count)
		return false;
	for (uint32_t i = 0; i < a->inner_slice_count; i++) {
		if (a->inner_slices[i].level != b->inner_slices[i].level ||
		    a->inner_slices[i].size != b->inner_slices[i].size)
			return false;
	}
	return true;
}

bool shape_equal(const struct pod_shape *a, uint32_t width_a, const struct pod_shape *b,
		 uint32_t width_b)
{
	return a->requested == b->requested && a->nonzero_cpu == b->nonzero_cpu &&
	       a->nonzero_memory == b->nonzero_memory && a->topology_mode == b->topology_mode &&
	       a->topology_level == b->topology_level && slices_equal(a, b) &&
	       a->topology_group == b->topology_group && a->container_count == b->container_count &&
	       a->scheduler == b->scheduler && a->deadline == b->deadline &&
	       vectors_equal(a->request, width_a, b->request, width_b) &&
	       vectors_equal(a->limit, width_a, b->limit, width_b) && a->counts == b->counts &&
	       vectors_equal(a->counted, width_a, b->counted, width_b) &&
	       label_set_equal(&a->node_selector, &b->node_selector) &&
	       label_tolerations_equal(&a->tolerations, &b->tolerations) &&
	       label_terms_equal(a->affinity, a->affinity_count, b->affinity, b->affinity_count) &&
	       constraint_equal(a->constraints, b->constraints);
}

int64_t *shape_widen(struct mem_arena *arena, const int64_t *vector, uint32_t width, uint32_t wider,
		     int64_t fill)
{
	int64_t *out;

	if (vector == NULL)
		return NULL;
	out = mem_arena_alloc(arena, wider * sizeof(*out));
	for (uint32_t r = 0; r < wider; r++)
		out[r] = r < width ? vector[r] : fill;
	return out;
}

struct pod_shape shape_copy(struct mem_arena *arena, struct mem_arena *vectors,
			    const struct pod_shape *shape, uint32_t width)
{
	struct pod_shape out = *shape;

	out.request = shape_widen(vectors, shape->request, width, width, 0);
	out.limit = shape_widen(vectors, shape->limit, width, width, 0);
	out.counted = shape_widen(vectors, shape->counted, width, width, 0);
	out.node_selector = label_set_copy(arena, &shape->node_selector);
	out.tolerations.items =
		mem_arena_copy(arena, shape->tolerations.items, shape->tolerations.count,
			       sizeof(*shape->tolerations.items));
	out.affinity = label_terms_copy(arena, shape->affinity, shape->affinity_count);
	out.constraints = constraint_copy(arena, shape->constraints);
	return out;
}
