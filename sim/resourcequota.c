#include "sim/resourcequota.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_LIMIT (-1)

struct usage {
	int64_t *used; /* per resource */
	int64_t pods;
};

struct resourcequota {
	const struct scenario *scenario;
	struct mem_arena *arena; /* of derived quotas */
	struct resource_quota *list;
	size_t capacity;
	uint32_t count;
	struct usage *usage; /* a quota */
};

/* Is there a LocalQueue of this ClusterQueue in the namespace before this one? */
static bool seen_before(const struct scenario *s, uint32_t local_queue)
{
	const struct local_queue *lq = &s->local_queues[local_queue];

	for (uint32_t i = 0; i < local_queue; i++) {
		if (s->local_queues[i].cluster_queue == lq->cluster_queue &&
		    s->local_queues[i].ns == lq->ns)
			return true;
	}
	return false;
}

static uint32_t namespaces_of(const struct scenario *s, uint32_t cluster_queue)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->local_queue_count; i++)
		n += s->local_queues[i].cluster_queue == cluster_queue && !seen_before(s, i);
	return n;
}

/* Nominal quota of a resource in all flavors; NO_LIMIT if it is not covered. */
static int64_t nominal(const struct cluster_queue *cq, uint32_t resource)
{
	int64_t sum = NO_LIMIT;

	for (uint32_t g = 0; g < cq->group_count; g++) {
		const struct resource_group *group = &cq->groups[g];

		for (uint32_t r = 0; r < group->resource_count; r++) {
			if (group->resources[r] != resource)
				continue;
			sum = 0;
			for (uint32_t f = 0; f < group->flavor_count; f++)
				sum = res_add(sum,
					      group->cells[f * group->resource_count + r].nominal);
		}
	}
	return sum;
}

static int64_t part(int64_t total, uint32_t parts, uint32_t index)
{
	if (total == NO_LIMIT || total == RES_UNLIMITED)
		return NO_LIMIT;
	return total / parts + (index < total % parts);
}

static void derive_one(struct resourcequota *q, uint32_t local_queue, uint32_t index)
{
	const struct scenario *s = q->scenario;
	const struct local_queue *lq = &s->local_queues[local_queue];
	const struct cluster_queue *cq = &s->cluster_queues[lq->cluster_queue];
	uint32_t parts = namespaces_of(s, lq->cluster_queue);
	int64_t *hard = mem_arena_alloc(q->arena, s->resource_count * sizeof(*hard));

	for (uint32_t r = 0; r < s->resource_count; r++)
		hard[r] = part(nominal(cq, r), parts, index);
	q->list = mem_grow(q->list, (size_t)q->count + 1, &q->capacity, sizeof(*q->list));
	q->list[q->count++] = (struct resource_quota){
		.name = cq->name, .ns = lq->ns, .hard = hard, .hard_pods = hard[RES_PODS]};
}

static void derive(struct resourcequota *q)
{
	const struct scenario *s = q->scenario;

	for (uint32_t cq = 0; cq < s->cluster_queue_count; cq++) {
		uint32_t index = 0;

		for (uint32_t i = 0; i < s->local_queue_count; i++) {
			if (s->local_queues[i].cluster_queue == cq && !seen_before(s, i))
				derive_one(q, i, index++);
		}
	}
}

static void copy_given(struct resourcequota *q)
{
	uint32_t n = q->scenario->resource_quota_count;

	q->list = mem_grow(NULL, n, &q->capacity, sizeof(*q->list));
	memcpy(q->list, q->scenario->resource_quotas, n * sizeof(*q->list));
	q->count = n;
}

struct resourcequota *resourcequota_new(const struct scenario *scenario, bool derived)
{
	struct resourcequota *q = mem_calloc(1, sizeof(*q));

	q->scenario = scenario;
	q->arena = mem_arena_new();
	if (scenario->resource_quota_count != 0)
		copy_given(q);
	else if (derived)
		derive(q);
	if (q->count == 0) {
		resourcequota_free(q);
		return NULL;
	}
	q->usage = mem_calloc(q->count, sizeof(*q->usage));
	for (uint32_t i = 0; i < q->count; i++)
		q->usage[i].used = mem_calloc(scenario->resource_count, sizeof(int64_t));
	return q;
}

void resourcequota_free(struct resourcequota *q)
{
	if (q == NULL)
		return;
	for (uint32_t i = 0; q->usage != NULL && i < q->count; i++)
		mem_free(q->usage[i].used);
	mem_free(q->usage);
	mem_free(q->list);
	mem_arena_free(q->arena);
	mem_free(q);
}

const struct resource_quota *resourcequota_list(const struct resourcequota *q, uint32_t *count)
{
	*count = q->count;
	return q->list;
}

static bool names(const struct pod_shape *shape, uint32_t resource)
{
	return (shape->requested >> resource & 1) != 0;
}

static bool limits(const struct resource_quota *quota, uint32_t resource)
{
	return resource != RES_PODS && quota->hard != NULL && quota->hard[resource] != NO_LIMIT;
}

static bool exceeds(const struct resource_quota *quota, const struct usage *usage,
		    const struct pod_shape *shape, uint32_t resource)
{
	return limits(quota, resource) && shape->request[resource] > 0 &&
	       res_add(usage->used[resource], shape->request[resource]) > quota->hard[resource];
}

/* "requests.cpu=2,requests.memory=4Gi" of what is exceeded, by name; which picks
 * the amounts. */
static void list_exceeded(const struct resourcequota *q, uint32_t index,
			  const struct pod_shape *shape, int which, char *out, size_t size)
{
	const struct scenario *s = q->scenario;
	const struct resource_quota *quota = &q->list[index];
	const struct usage *usage = &q->usage[index];
	size_t at = 0;

	if (quota->hard_pods != NO_LIMIT && usage->pods + 1 > quota->hard_pods) {
		const int64_t amounts[] = {1, usage->pods, quota->hard_pods};

		at += (size_t)snprintf(out, size, "pods=%" PRId64, amounts[which]);
	}
	for (uint32_t r = 0; r < s->resource_count && at < size; r++) {
		const char *name = name_text(s->resources, r);
		char text[NUM_QUANTITY_TEXT];

		if (!exceeds(quota, usage, shape, r))
			continue;
		const int64_t amounts[] = {shape->request[r], usage->used[r], quota->hard[r]};

		num_format_quantity(amounts[which], res_style(name), text);
		at += (size_t)snprintf(out + at, size - at, "%srequests.%s=%s", at > 0 ? "," : "",
				       name, text);
	}
}

/* cpu and memory must be named by every pod of a namespace that limits them. */
static uint32_t unnamed(const struct resource_quota *quota, const struct pod_shape *shape)
{
	static const uint32_t compute[] = {RES_CPU, RES_MEMORY};

	for (size_t i = 0; i < sizeof(compute) / sizeof(compute[0]); i++) {
		if (limits(quota, compute[i]) && !names(shape, compute[i]))
			return compute[i];
	}
	return SCENARIO_NONE;
}

static bool refuses(const struct resourcequota *q, uint32_t index, const struct pod_shape *shape,
		    char *why, size_t size)
{
	const struct scenario *s = q->scenario;
	const struct resource_quota *quota = &q->list[index];
	const char *name = scenario_string(s, quota->name);
	uint32_t missing = unnamed(quota, shape);
	char text[3][512] = {"", "", ""};

	if (missing != SCENARIO_NONE) {
		snprintf(why, size, "failed quota: %s: must specify requests.%s", name,
			 name_text(s->resources, missing));
		return true;
	}
	for (int which = 0; which < 3; which++)
		list_exceeded(q, index, shape, which, text[which], sizeof(text[which]));
	if (text[0][0] == '\0')
		return false;
	snprintf(why, size, "exceeded quota: %s, requested: %s, used: %s, limited: %s", name,
		 text[0], text[1], text[2]);
	return true;
}

static void add(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape, int64_t sign)
{
	for (uint32_t i = 0; i < q->count; i++) {
		if (q->list[i].ns != ns)
			continue;
		q->usage[i].pods += sign;
		for (uint32_t r = 0; r < q->scenario->resource_count; r++)
			q->usage[i].used[r] += sign * shape->request[r];
	}
}

bool resourcequota_charge(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape,
			  char *why, size_t size)
{
	for (uint32_t i = 0; i < q->count; i++) {
		if (q->list[i].ns == ns && refuses(q, i, shape, why, size))
			return false;
	}
	add(q, ns, shape, 1);
	return true;
}

void resourcequota_refund(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape)
{
	add(q, ns, shape, -1);
}
