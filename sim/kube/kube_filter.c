#include "sim/kube/kube_filter.h"

#include <string.h>

#include "core/mem.h"

#define PODS_BIT (UINT64_C(1) << RES_PODS)

void kube_filter_init(struct kube_filter *f, const struct world *world)
{
	*f = (struct kube_filter){.world = world};
	f->on_node = mem_calloc(world->node_count, sizeof(*f->on_node));
	f->row = mem_calloc(world->usage.resource_count, sizeof(*f->row));
}

void kube_filter_free(struct kube_filter *f)
{
	mem_free(f->items);
	mem_free(f->on_node);
	mem_free(f->row);
}

void kube_filter_touch(struct kube_filter *f, uint32_t node)
{
	f->changed[f->changes++ % KUBE_CHANGES] = node;
}

void kube_filter_nominate(struct kube_filter *f, uint32_t pod, uint32_t node)
{
	const struct world *w = f->world;

	f->items = mem_grow(f->items, f->count + 1u, &f->capacity, sizeof(*f->items));
	f->items[f->count++] = (struct kube_nomination){
		.pod = pod,
		.node = node,
		.priority = w->scenario->jobs[w->pods[pod].job].common->pod_priority};
	f->on_node[node]++;
	kube_filter_touch(f, node);
}

static uint32_t find(const struct kube_filter *f, uint32_t pod)
{
	uint32_t i = 0;

	while (i < f->count && f->items[i].pod != pod)
		i++;
	return i;
}

uint32_t kube_filter_forget(struct kube_filter *f, uint32_t pod)
{
	uint32_t i = find(f, pod), node;

	if (i == f->count)
		return NODE_NONE;
	node = f->items[i].node;
	f->on_node[node]--;
	kube_filter_touch(f, node);
	f->count--;
	memmove(&f->items[i], &f->items[i + 1], (f->count - i) * sizeof(*f->items));
	return node;
}

uint32_t kube_filter_nominated(const struct kube_filter *f, uint32_t pod)
{
	uint32_t i = find(f, pod);

	return i == f->count ? NODE_NONE : f->items[i].node;
}

void kube_filter_add(int64_t *row, const struct pod_shape *shape)
{
	row[RES_PODS]++;
	for (uint64_t left = shape->requested & ~PODS_BIT; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		row[r] = (int64_t)((uint64_t)row[r] + (uint64_t)shape->request[r]);
	}
}

void kube_filter_remove(int64_t *row, const struct pod_shape *shape)
{
	row[RES_PODS]--;
	for (uint64_t left = shape->requested & ~PODS_BIT; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		row[r] = (int64_t)((uint64_t)row[r] - (uint64_t)shape->request[r]);
	}
}

void kube_filter_add_nominated(const struct kube_filter *f, uint32_t node, uint32_t pod,
			       int32_t priority, int64_t *row)
{
	const struct world *w = f->world;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct kube_nomination *n = &f->items[i];

		if (n->node == node && n->pod != pod && n->priority >= priority)
			kube_filter_add(row, &w->scenario->shapes[w->pods[n->pod].shape]);
	}
}

uint64_t kube_filter_lacking(const struct node *node, const int64_t *row,
			     const struct pod_shape *shape)
{
	const int64_t *capacity = node->allocatable;
	uint64_t lacking = 0;

	if (capacity[RES_PODS] != RES_UNLIMITED && row[RES_PODS] >= capacity[RES_PODS])
		lacking |= PODS_BIT;
	for (uint64_t left = shape->requested & ~PODS_BIT; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		if (shape->request[r] > 0 && capacity[r] != RES_UNLIMITED &&
		    shape->request[r] > capacity[r] - row[r])
			lacking |= UINT64_C(1) << r;
	}
	return lacking;
}

uint64_t kube_filter_node(const struct kube_filter *f, uint32_t node, uint32_t pod,
			  int32_t priority)
{
	const struct world *w = f->world;
	size_t resources = w->usage.resource_count;
	const int64_t *used = &w->usage.used[node * resources];

	if (f->on_node[node] != 0) {
		memcpy(f->row, used, resources * sizeof(*used));
		kube_filter_add_nominated(f, node, pod, priority, f->row);
		used = f->row;
	}
	return kube_filter_lacking(&w->nodes[node], used, &w->scenario->shapes[w->pods[pod].shape]);
}

bool kube_filter_unresolvable(const struct node *node, const struct pod_shape *shape,
			      uint64_t lacking)
{
	for (uint64_t left = lacking & ~PODS_BIT; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);

		if (shape->request[r] > node->allocatable[r])
			return true;
	}
	return false;
}
