#include <stdio.h>
#include <string.h>

#include "sim/scenario/mig.h"
#include "sim/scenario/prices.h"
#include "sim/scenario/setting_look.h"
#include "sim/scenario/shape.h"

/* The resource of the profile; NAME_NONE: the error is set. */
static uint32_t slice_resource(struct setting *s, const char *profile)
{
	struct name_table *resources = s->builder->resources;
	char name[SETTING_PIECE + sizeof(MIG_PREFIX)];
	uint32_t known;

	if (mig_slices(profile) == 0) {
		setting_fail(s, ERR_VALUE,
			     "\"%.60s\" is not a profile of MIG such as 1g.10gb (1g, 2g, 3g, 4g "
			     "or 7g)",
			     profile);
		return NAME_NONE;
	}
	snprintf(name, sizeof(name), MIG_PREFIX "%.200s", profile);
	known = name_find(resources, name);
	if (known == NAME_NONE && name_count(resources) == RES_MAX) {
		setting_fail(s, ERR_LIMIT, "there are %d resources already", RES_MAX);
		return NAME_NONE;
	}
	return known != NAME_NONE ? known : name_add(resources, name);
}

/* ---- nodes ---- */

/* What it costs is told by the GPUs that it had. */
static void keep_price(const struct builder *b, struct node *node)
{
	struct node whole = *node;
	const struct price *price;

	whole.gpus = draft_node_gpus(b, node);
	price = prices_find(b->strings, b->prices, b->price_count, &whole);
	if (node->micro_usd_per_hour == 0 && price != NULL)
		node->micro_usd_per_hour =
			prices_of(price, &whole, prices_is_spot(b->strings, node));
}

static void cut_node(struct builder *b, struct node *node, int64_t gpus, uint32_t slice,
		     uint32_t each)
{
	int64_t *amounts = mem_arena_alloc(b->arena, RES_MAX * sizeof(*amounts));

	keep_price(b, node);
	memcpy(amounts, node->allocatable, RES_MAX * sizeof(*amounts));
	amounts[name_find(b->resources, MIG_WHOLE)] -= gpus;
	amounts[slice] += gpus * each;
	node->allocatable = amounts;
}

/* "8@1g.10gb": so many GPUs of the pool, of its first nodes, and of each all but one: a node
 * without a whole GPU would count as none. */
enum err_code setting_mig_pool(struct setting *s, uint32_t pool)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	const char *at = strchr(s->value, '@');
	uint32_t whole = name_find(s->builder->resources, MIG_WHOLE), wanted, slice;
	int64_t left;

	if (at == NULL || !num_read_u32(s->value, (size_t)(at - s->value), &wanted))
		return setting_fail(s, ERR_VALUE,
				    "\"%.60s\" is not GPUS@PROFILE, such as 8@1g.10gb: so many "
				    "GPUs of the pool, each cut into slices",
				    s->value);
	slice = slice_resource(s, at + 1);
	if (slice == NAME_NONE)
		return s->err->code;
	left = wanted;
	for (uint32_t i = 0; i < list->count && left > 0 && whole != NAME_NONE; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);
		int64_t gpus = node->allocatable[whole] - 1;

		if (node->pool != pool || list->meta[i].at != KIND_ALWAYS ||
		    cluster_node_never(node) || gpus <= 0)
			continue;
		gpus = gpus < left ? gpus : left;
		cut_node(s->builder, node, gpus, slice, mig_slices(at + 1));
		left -= gpus;
	}
	if (left > 0)
		return setting_fail(s, ERR_VALUE,
				    "the pool has %lld GPUs that can be cut: one of each node "
				    "stays whole",
				    (long long)(wanted - left));
	draft_finding(s->builder, FINDING_NOTE, (struct place){0},
		      "%u GPUs of %s are cut into slices: what is said of GPUs is of those that "
		      "are whole",
		      wanted, s->name);
	return ERR_OK;
}

/* ---- jobs ---- */

/* One pod of one GPU, of which no more is busy than a slice has. */
static bool does_with_slice(const struct builder *b, const struct job *job, uint32_t whole,
			    uint32_t slices)
{
	const struct pod_set *set = &b->pod_sets[job->common->first_pod_set];
	const struct draft_shape *shape = &b->shapes[set->shape];

	return whole != NAME_NONE && job->common->pod_set_count == 1 && set->count == 1 &&
	       whole < shape->width && shape->shape.request[whole] == 1 &&
	       mig_is_enough(job->utilisation, slices);
}

/* The same of what Kueue counts, where that is something else. */
static const int64_t *sliced_counted(struct builder *b, struct draft_shape *entry, uint32_t whole,
				     uint32_t slice)
{
	int64_t *counted = shape_widen(b->scratch, entry->shape.counted, entry->width,
				       name_count(b->resources), 0);

	if (counted == NULL || counted[whole] == 0)
		return counted;
	counted[slice] = counted[whole];
	counted[whole] = 0;
	entry->shape.counts &= ~(UINT64_C(1) << whole);
	entry->shape.counts |= UINT64_C(1) << slice;
	return counted;
}

static uint32_t sliced_shape(struct builder *b, uint32_t old, uint32_t whole, uint32_t slice)
{
	struct draft_shape entry = b->shapes[old];
	int64_t *request;

	request = shape_widen(b->scratch, entry.shape.request, entry.width,
			      name_count(b->resources), 0);
	request[whole] = 0;
	request[slice] = 1;
	entry.shape.request = request;
	entry.shape.limit = NULL;
	entry.shape.counted = sliced_counted(b, &entry, whole, slice);
	entry.shape.requested &= ~(UINT64_C(1) << whole);
	entry.shape.requested |= UINT64_C(1) << slice;
	entry.shape.gpus = 0;
	entry.width = name_count(b->resources);
	entry.source = NULL;
	entry.hash = shape_hash(&entry.shape, entry.width);
	b->shapes = mem_grow(b->shapes, (size_t)b->shape_count + 1, &b->shape_capacity,
			     sizeof(*b->shapes));
	b->shapes[b->shape_count] = entry;
	return b->shape_count++;
}

static uint32_t sliced_set(struct builder *b, uint32_t old, uint32_t whole, uint32_t slice)
{
	struct pod_set set = b->pod_sets[old];

	set.shape = sliced_shape(b, set.shape, whole, slice);
	b->pod_sets = mem_grow(b->pod_sets, (size_t)b->pod_set_count + 1, &b->pod_set_capacity,
			       sizeof(*b->pod_sets));
	b->pod_sets[b->pod_set_count] = set;
	return b->pod_set_count++;
}

/* "1g.10gb": those that a slice would do for ask for one in place of a GPU. */
enum err_code setting_mig_jobs(struct setting *s)
{
	struct builder *b = s->builder;
	uint32_t slice = slice_resource(s, s->value), whole = name_find(b->resources, MIG_WHOLE);
	uint32_t sets = b->pod_set_count, *made, changed = 0;

	if (slice == NAME_NONE)
		return s->err->code;
	made = mem_calloc(sets, sizeof(*made)); /* counted from 1 */
	for (uint32_t i = 0; i < b->job_count; i++) {
		struct job *job = &b->jobs[i];
		struct job_common common;

		if (!setting_names_job(s, job) ||
		    !does_with_slice(b, job, whole, mig_slices(s->value)))
			continue;
		common = *job->common;
		if (made[common.first_pod_set] == 0)
			made[common.first_pod_set] =
				sliced_set(b, common.first_pod_set, whole, slice) + 1;
		common.first_pod_set = made[common.first_pod_set] - 1;
		job->common = draft_common(b, &common);
		changed++;
	}
	mem_free(made);
	return changed > 0 ? ERR_OK
			   : setting_fail(s, ERR_UNKNOWN,
					  "no such job has one pod of one GPU and a gpuUtilisation "
					  "that leaves room for a slice");
}

/* ---- quotas ---- */

/* The group with one more resource, of which there is none yet. */
static void cover(struct builder *b, struct resource_group *group, uint32_t slice)
{
	uint32_t old = group->resource_count, now = old + 1;
	uint32_t *resources = mem_arena_alloc(b->arena, now * sizeof(*resources));
	struct quota_cell *cells =
		mem_arena_alloc(b->arena, (size_t)group->flavor_count * now * sizeof(*cells));

	memcpy(resources, group->resources, old * sizeof(*resources));
	resources[old] = slice;
	for (uint32_t f = 0; f < group->flavor_count; f++) {
		memcpy(&cells[(size_t)f * now], &group->cells[(size_t)f * old],
		       old * sizeof(*cells));
		cells[(size_t)f * now + old] = (struct quota_cell){.borrowing_limit = QUOTA_ABSENT,
								   .lending_limit = QUOTA_ABSENT};
	}
	group->resources = resources;
	group->cells = cells;
	group->resource_count = now;
}

static bool covers(const struct resource_group *group, uint32_t resource)
{
	for (uint32_t r = 0; r < group->resource_count; r++)
		if (group->resources[r] == resource)
			return true;
	return false;
}

enum err_code setting_mig_cover(struct setting *s, const struct resource_group **groups,
				uint32_t count)
{
	struct builder *b = s->builder;
	uint32_t whole = name_find(b->resources, MIG_WHOLE), slice;
	struct resource_group *copy;

	if (!mig_is_resource(s->resource))
		return ERR_OK;
	slice = slice_resource(s, s->resource + strlen(MIG_PREFIX));
	if (slice == NAME_NONE)
		return s->err->code;
	for (uint32_t g = 0; g < count; g++)
		if (covers(&(*groups)[g], slice))
			return ERR_OK;
	copy = mem_arena_alloc(b->arena, count * sizeof(*copy));
	memcpy(copy, *groups, count * sizeof(*copy));
	for (uint32_t g = 0; g < count; g++)
		if (whole != NAME_NONE && covers(&copy[g], whole))
			cover(b, &copy[g], slice);
	*groups = copy;
	return ERR_OK;
}
