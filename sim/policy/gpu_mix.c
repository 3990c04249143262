#include "sim/policy/gpu_mix.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "sim/scenario/shape.h"

#define POINTS 100

struct node_class { /* nodes to which the same kinds may go */
	bool *reaches;
	struct fragment *fragment;
};

struct gpu_mix {
	const struct world *world;
	struct fragment_kind kinds[FRAGMENT_KINDS_MAX];
	uint32_t shapes[FRAGMENT_KINDS_MAX]; /* one of each kind */
	uint32_t kind_count;
	int64_t weight;
	int64_t bounds[POINTS - 1]; /* the least gain for 1, 2, ... points */
	struct node_class *classes;
	size_t capacity;
	uint32_t class_count;
	uint32_t *class_of; /* per node */
};

/* ---- kinds ---- */

struct kind {
	uint64_t hash;
	uint32_t shape;
	uint32_t pods;
	int64_t cpu;
	struct gpu_demand gpus;
};

/* A shape as if it asked for no memory: row holds its requests. */
static struct pod_shape without_memory(const struct world *w, uint32_t shape, int64_t *row)
{
	struct pod_shape copy = w->scenario->shapes[shape];

	memcpy(row, copy.request, w->scenario->resource_count * sizeof(*row));
	row[RES_MEMORY] = 0;
	copy.request = row;
	copy.limit = NULL;
	copy.requested &= ~(UINT64_C(1) << RES_MEMORY);
	copy.nonzero_memory = 0;
	return copy;
}

static void count_pods(const struct scenario *s, struct kind *kinds)
{
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];

		for (uint32_t k = 0; k < job->common->pod_set_count; k++) {
			const struct pod_set *set = &s->pod_sets[job->common->first_pod_set + k];

			kinds[set->shape].pods += set->count;
		}
	}
}

static int by_hash(const void *a, const void *b, void *context)
{
	const struct kind *x = a, *y = b;

	(void)context;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static bool alike(const struct world *w, const struct kind *a, const struct kind *b)
{
	uint32_t width = w->scenario->resource_count;
	int64_t row_a[RES_MAX], row_b[RES_MAX];
	struct pod_shape x = without_memory(w, a->shape, row_a);
	struct pod_shape y = without_memory(w, b->shape, row_b);

	return shape_equal(&x, width, &y, width);
}

/* Those that are alike become one kind; returns how many are left. Others may have the same
 * hash and stand between them. */
static uint32_t join_alike(const struct world *w, struct kind *kinds, uint32_t count)
{
	uint32_t kept = 0;

	sort_stable(kinds, count, sizeof(*kinds), by_hash, NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t same = kept;

		while (same > 0 && kinds[same - 1].hash == kinds[i].hash &&
		       !alike(w, &kinds[same - 1], &kinds[i]))
			same--;
		if (same > 0 && kinds[same - 1].hash == kinds[i].hash)
			kinds[same - 1].pods += kinds[i].pods;
		else
			kinds[kept++] = kinds[i];
	}
	return kept;
}

static int descending(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

/* The most frequent first, then who asks for most. */
static int by_frequency(const void *a, const void *b, void *context)
{
	const struct kind *x = a, *y = b;
	int order = descending(x->pods, y->pods);

	(void)context;
	order = order != 0 ? order : descending(x->cpu, y->cpu);
	order = order != 0 ? order : descending(x->gpus.whole, y->gpus.whole);
	order = order != 0 ? order : descending(x->gpus.part, y->gpus.part);
	return order != 0 ? order : descending(y->shape, x->shape);
}

static void keep_typical(struct gpu_mix *m, const struct kind *kinds, uint32_t count)
{
	uint64_t all = 0, taken = 0;

	for (uint32_t i = 0; i < count; i++)
		all += kinds[i].pods;
	for (uint32_t i = 0; i < count && i < FRAGMENT_KINDS_MAX; i++) {
		if (taken * 100 >= all * GPU_MIX_PERCENT)
			break;
		m->kinds[i] = (struct fragment_kind){
			.cpu = kinds[i].cpu, .gpus = kinds[i].gpus, .weight = kinds[i].pods};
		m->shapes[i] = kinds[i].shape;
		m->kind_count++;
		m->weight += kinds[i].pods;
		taken += kinds[i].pods;
	}
}

static void find_kinds(struct gpu_mix *m, const struct gpu_demand *demands)
{
	const struct scenario *s = m->world->scenario;
	struct kind *kinds = mem_calloc(s->shape_count, sizeof(*kinds));
	uint32_t count;

	for (uint32_t i = 0; i < s->shape_count; i++) {
		int64_t row[RES_MAX];
		struct pod_shape shape = without_memory(m->world, i, row);

		kinds[i] = (struct kind){.hash = shape_hash(&shape, s->resource_count),
					 .shape = i,
					 .cpu = row[RES_CPU],
					 .gpus = demands[i]};
	}
	count_pods(s, kinds);
	count = join_alike(m->world, kinds, s->shape_count);
	sort_stable(kinds, count, sizeof(*kinds), by_frequency, NULL);
	keep_typical(m, kinds, count);
	mem_free(kinds);
}

/* k points are reached at g = ln(k / (100 - k)). The gain is in thousandths times weight,
 * so the bounds are rounded up once, here, and what is compared are integers. */
static void find_bounds(struct gpu_mix *m)
{
	for (int k = 1; k < POINTS; k++)
		m->bounds[k - 1] = (int64_t)ceil((double)m->weight * GPU_SHARE_WHOLE *
						 log((double)k / (POINTS - k)));
}

int64_t gpu_mix_points(const struct gpu_mix *m, int64_t gain)
{
	int64_t low = 0, high = POINTS - 1;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (m->bounds[middle] <= gain)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- classes of nodes ---- */

static bool reaches(const struct gpu_mix *m, uint32_t kind, const struct node *node)
{
	const struct scenario *s = m->world->scenario;
	const struct pod_shape *shape = &s->shapes[m->shapes[kind]];

	return label_contains(&node->labels, &shape->node_selector) &&
	       label_terms_match(s->strings, &node->labels, node->name, shape->affinity,
				 shape->affinity_count);
}

static uint32_t class_with(struct gpu_mix *m, const bool *row)
{
	struct node_class *class;

	for (uint32_t i = 0; i < m->class_count; i++)
		if (memcmp(m->classes[i].reaches, row, m->kind_count * sizeof(*row)) == 0)
			return i;
	m->classes = mem_grow(m->classes, m->class_count + 1u, &m->capacity, sizeof(*m->classes));
	class = &m->classes[m->class_count];
	class->reaches = mem_dup(row, FRAGMENT_KINDS_MAX * sizeof(*row));
	class->fragment = fragment_new(m->kinds, m->kind_count, row);
	return m->class_count++;
}

void gpu_mix_node(struct gpu_mix *m, uint32_t node)
{
	bool row[FRAGMENT_KINDS_MAX] = {false};

	for (uint32_t i = 0; i < m->kind_count; i++)
		row[i] = reaches(m, i, &m->world->nodes[node]);
	m->class_of[node] = class_with(m, row);
}

struct gpu_mix *gpu_mix_new(const struct world *world, const struct gpu_demand *demands)
{
	struct gpu_mix *m = mem_calloc(1, sizeof(*m));

	m->world = world;
	m->class_of = mem_calloc(world->node_count, sizeof(*m->class_of));
	find_kinds(m, demands);
	find_bounds(m);
	for (uint32_t node = 0; node < world->node_count; node++)
		gpu_mix_node(m, node);
	return m;
}

void gpu_mix_free(struct gpu_mix *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; i < m->class_count; i++) {
		mem_free(m->classes[i].reaches);
		fragment_free(m->classes[i].fragment);
	}
	mem_free(m->classes);
	mem_free(m->class_of);
	mem_free(m);
}

const struct fragment *gpu_mix_of(const struct gpu_mix *m, uint32_t node)
{
	return m->classes[m->class_of[node]].fragment;
}

const struct fragment_kind *gpu_mix_kinds(const struct gpu_mix *m, uint32_t *count)
{
	*count = m->kind_count;
	return m->kinds;
}
