#include "sim/world/resourcequota.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"

#define NO_LIMIT (-1)

struct usage {
	int64_t *used;	 /* requests, per resource */
	int64_t *limits; /* likewise */
	int64_t pods;
	uint64_t refunds;
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
	for (uint32_t i = 0; i < q->count; i++) {
		q->usage[i].used = mem_calloc(scenario->resource_count, sizeof(int64_t));
		q->usage[i].limits = mem_calloc(scenario->resource_count, sizeof(int64_t));
	}
	return q;
}

void resourcequota_free(struct resourcequota *q)
{
	if (q == NULL)
		return;
	for (uint32_t i = 0; q->usage != NULL && i < q->count; i++) {
		mem_free(q->usage[i].used);
		mem_free(q->usage[i].limits);
	}
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

/* ---- whom a quota counts ---- */

struct quota_pod resourcequota_pod(const struct scenario *s, uint32_t job,
				   const struct pod_shape *shape)
{
	return (struct quota_pod){.ns = s->jobs[job].common->ns,
				  .priority_class =
					  s->pod_classes == NULL ? NAME_NONE : s->pod_classes[job],
				  .shape = shape};
}

static int64_t limit_of(const struct pod_shape *shape, uint32_t resource)
{
	return shape->limit == NULL ? 0 : shape->limit[resource];
}

/* QoS class BestEffort. */
static bool best_effort(const struct pod_shape *shape)
{
	return shape->request[RES_CPU] == 0 && shape->request[RES_MEMORY] == 0 &&
	       limit_of(shape, RES_CPU) == 0 && limit_of(shape, RES_MEMORY) == 0;
}

/* Does it ask for pods of other namespaces? */
static bool crosses(const struct pod_shape *shape)
{
	const struct pod_constraints *c = shape->constraints;

	for (uint32_t i = 0; c != NULL && i < c->term_count; i++) {
		if (c->terms[i].namespace_count != 0 || c->terms[i].namespace_selector.present)
			return true;
	}
	return false;
}

static bool has_class(const struct quota_scope *scope, uint32_t class)
{
	bool listed = false;

	for (uint32_t i = 0; i < scope->value_count; i++)
		listed = listed || (class != NAME_NONE && scope->values[i] == class);
	switch (scope->op) {
	case MATCH_IN:
		return listed;
	case MATCH_NOT_IN:
		return !listed; /* no class at all too */
	case MATCH_DOES_NOT_EXIST:
		return class == NAME_NONE;
	case MATCH_EXISTS:
	case MATCH_GT:
	case MATCH_LT:
		break;
	}
	return class != NAME_NONE;
}

static bool in_scope(const struct quota_scope *scope, const struct quota_pod *pod)
{
	switch (scope->name) {
	case SCOPE_TERMINATING:
		return pod->shape->deadline;
	case SCOPE_NOT_TERMINATING:
		return !pod->shape->deadline;
	case SCOPE_BEST_EFFORT:
		return best_effort(pod->shape);
	case SCOPE_NOT_BEST_EFFORT:
		return !best_effort(pod->shape);
	case SCOPE_CROSS_NAMESPACE:
		return crosses(pod->shape);
	case SCOPE_PRIORITY_CLASS:
		break;
	}
	return has_class(scope, pod->priority_class);
}

static bool counts(const struct resource_quota *quota, const struct quota_pod *pod)
{
	if (quota->ns != pod->ns)
		return false;
	for (uint32_t i = 0; i < quota->scope_count; i++) {
		if (!in_scope(&quota->scopes[i], pod))
			return false;
	}
	return true;
}

/* ---- what it lets pass ---- */

/* Amounts of a pod that a quota may limit. */
enum sort { REQUESTS, LIMITS, SORTS };

static int64_t hard_of(const struct resource_quota *quota, enum sort sort, uint32_t resource)
{
	const int64_t *hard = sort == REQUESTS ? quota->hard : quota->hard_limits;

	return resource == RES_PODS || hard == NULL ? NO_LIMIT : hard[resource];
}

static int64_t asked_of(const struct pod_shape *shape, enum sort sort, uint32_t resource)
{
	return sort == REQUESTS ? shape->request[resource] : limit_of(shape, resource);
}

static int64_t used_of(const struct usage *usage, enum sort sort, uint32_t resource)
{
	return (sort == REQUESTS ? usage->used : usage->limits)[resource];
}

static bool exceeds(const struct resource_quota *quota, const struct usage *usage,
		    const struct pod_shape *shape, enum sort sort, uint32_t resource)
{
	int64_t hard = hard_of(quota, sort, resource), asked = asked_of(shape, sort, resource);

	return hard != NO_LIMIT && asked > 0 &&
	       res_add(used_of(usage, sort, resource), asked) > hard;
}

/* cpu and memory must be named by every pod of a namespace that limits them. */
static bool lacks(const struct resource_quota *quota, const struct pod_shape *shape, enum sort sort,
		  uint32_t resource)
{
	bool named = sort == REQUESTS ? (shape->requested >> resource & 1) != 0
				      : limit_of(shape, resource) > 0;

	return (resource == RES_CPU || resource == RES_MEMORY) &&
	       hard_of(quota, sort, resource) != NO_LIMIT && !named;
}

static bool refuses(const struct resourcequota *q, uint32_t index, const struct pod_shape *shape)
{
	const struct resource_quota *quota = &q->list[index];
	const struct usage *usage = &q->usage[index];

	if (quota->hard_pods != NO_LIMIT && usage->pods + 1 > quota->hard_pods)
		return true;
	for (uint32_t r = 0; r < q->scenario->resource_count; r++) {
		for (enum sort sort = REQUESTS; sort < SORTS; sort++) {
			if (lacks(quota, shape, sort, r) || exceeds(quota, usage, shape, sort, r))
				return true;
		}
	}
	return false;
}

static void add(struct resourcequota *q, const struct quota_pod *pod, int64_t sign)
{
	for (uint32_t i = 0; i < q->count; i++) {
		if (!counts(&q->list[i], pod))
			continue;
		q->usage[i].pods += sign;
		q->usage[i].refunds += sign < 0;
		for (uint32_t r = 0; r < q->scenario->resource_count; r++) {
			q->usage[i].used[r] += sign * pod->shape->request[r];
			q->usage[i].limits[r] += sign * limit_of(pod->shape, r);
		}
	}
}

bool resourcequota_charge(struct resourcequota *q, const struct quota_pod *pod)
{
	for (uint32_t i = 0; i < q->count; i++) {
		if (counts(&q->list[i], pod) && refuses(q, i, pod->shape))
			return false;
	}
	add(q, pod, 1);
	return true;
}

void resourcequota_refund(struct resourcequota *q, const struct quota_pod *pod)
{
	add(q, pod, -1);
}

uint64_t resourcequota_refunds(const struct resourcequota *q, uint32_t ns)
{
	uint64_t refunds = 0;

	for (uint32_t i = 0; i < q->count; i++) {
		if (q->list[i].ns == ns)
			refunds += q->usage[i].refunds;
	}
	return refunds;
}

/* ---- in words ---- */

struct excess { /* what one resource of a quota is told by */
	char name[128];
	char amount[3][NUM_QUANTITY_TEXT]; /* requested, used, limited */
};

struct excesses {
	struct excess items[SORTS * RES_MAX + 1];
	uint32_t count;
};

static int compare_excesses(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(((const struct excess *)a)->name, ((const struct excess *)b)->name);
}

static void add_excess(struct excesses *all, const char *prefix, const char *name,
		       const int64_t amounts[3])
{
	struct excess *e = &all->items[all->count++];

	snprintf(e->name, sizeof(e->name), "%s%s", prefix, name);
	for (int i = 0; i < 3; i++)
		num_format_quantity(amounts[i], res_style(name), e->amount[i]);
}

/* By name, as the server prints them. */
static void find_excesses(const struct resourcequota *q, uint32_t index,
			  const struct pod_shape *shape, struct excesses *all)
{
	const struct resource_quota *quota = &q->list[index];
	const struct usage *usage = &q->usage[index];

	all->count = 0;
	if (quota->hard_pods != NO_LIMIT && usage->pods + 1 > quota->hard_pods)
		add_excess(all, "", "pods", (int64_t[]){1, usage->pods, quota->hard_pods});
	for (uint32_t r = 0; r < q->scenario->resource_count; r++) {
		const char *prefix = (quota->plain >> r & 1) != 0 ? "" : "requests.";
		const char *name = name_text(q->scenario->resources, r);

		for (enum sort sort = REQUESTS; sort < SORTS; sort++) {
			if (exceeds(quota, usage, shape, sort, r))
				add_excess(all, sort == REQUESTS ? prefix : "limits.", name,
					   (int64_t[]){asked_of(shape, sort, r),
						       used_of(usage, sort, r),
						       hard_of(quota, sort, r)});
		}
	}
	sort_stable(all->items, all->count, sizeof(all->items[0]), compare_excesses, NULL);
}

/* "requests.cpu=2,requests.memory=4Gi"; which picks the amounts. */
static void list_excesses(const struct excesses *all, int which, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < all->count && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s=%s", i > 0 ? "," : "",
				       all->items[i].name, all->items[i].amount[which]);
}

/* "limits.cpu; requests.memory", by name; "": it names all that it must. */
static void list_lacking(const struct resourcequota *q, uint32_t index,
			 const struct pod_shape *shape, char *out, size_t size)
{
	static const uint32_t resources[] = {RES_CPU, RES_MEMORY};
	const struct resource_quota *quota = &q->list[index];
	size_t at = 0;

	out[0] = '\0';
	for (int k = 0; k < 2 * SORTS && at < size; k++) {
		enum sort sort = k < 2 ? LIMITS : REQUESTS;
		uint32_t r = resources[k % 2];

		if (!lacks(quota, shape, sort, r))
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%s%s", at > 0 ? "; " : "",
				       sort == LIMITS		      ? "limits."
				       : (quota->plain >> r & 1) != 0 ? ""
								      : "requests.",
				       name_text(q->scenario->resources, r));
	}
}

static void explain_one(const struct resourcequota *q, uint32_t index,
			const struct pod_shape *shape, char *why, size_t size)
{
	const char *name = scenario_string(q->scenario, q->list[index].name);
	char text[3][512];
	struct excesses all;

	list_lacking(q, index, shape, text[0], sizeof(text[0]));
	if (text[0][0] != '\0') {
		snprintf(why, size, "failed quota: %s: must specify %s", name, text[0]);
		return;
	}
	find_excesses(q, index, shape, &all);
	for (int which = 0; which < 3; which++)
		list_excesses(&all, which, text[which], sizeof(text[which]));
	snprintf(why, size, "exceeded quota: %s, requested: %s, used: %s, limited: %s", name,
		 text[0], text[1], text[2]);
}

void resourcequota_explain(const struct resourcequota *q, const struct quota_pod *pod, char *why,
			   size_t size)
{
	why[0] = '\0';
	for (uint32_t i = 0; i < q->count; i++) {
		if (counts(&q->list[i], pod) && refuses(q, i, pod->shape)) {
			explain_one(q, i, pod->shape, why, size);
			return;
		}
	}
}
