#include "sim/scenario/template.h"

#include <string.h>

#include "sim/scenario/shape.h"

struct sums {
	int64_t main[RES_MAX]; /* containers and sidecars that are started */
	int64_t init[RES_MAX]; /* the most that the way there takes */
	int64_t sidecars[RES_MAX];
};

static bool names(const struct template_amounts *amounts, uint32_t resource)
{
	return amounts->amount != NULL && (amounts->given >> resource & 1) != 0;
}

/* Adds one container's amount in its role (Kubernetes' pod request: sidecars run
 * from their turn on, an init container only until it ends). */
static void add(struct sums *sums, enum template_role role, uint32_t resource, int64_t amount)
{
	int64_t peak;

	switch (role) {
	case TEMPLATE_MAIN:
		sums->main[resource] = res_add(sums->main[resource], amount);
		break;
	case TEMPLATE_SIDECAR:
		sums->main[resource] = res_add(sums->main[resource], amount);
		sums->sidecars[resource] = res_add(sums->sidecars[resource], amount);
		if (sums->sidecars[resource] > sums->init[resource])
			sums->init[resource] = sums->sidecars[resource];
		break;
	case TEMPLATE_INIT:
		peak = res_add(sums->sidecars[resource], amount);
		if (peak > sums->init[resource])
			sums->init[resource] = peak;
		break;
	}
}

static int64_t total(const struct sums *sums, uint32_t resource)
{
	return sums->main[resource] > sums->init[resource] ? sums->main[resource]
							   : sums->init[resource];
}

/* The first LimitRange of the namespace that has a default; false: none. */
static bool default_amount(const struct limit_range *const *ranges, uint32_t count, bool request,
			   uint32_t resource, int64_t *out)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < ranges[i]->item_count; k++) {
			const struct limit_range_item *item = &ranges[i]->items[k];
			const int64_t *from = request ? item->default_request : item->default_limit;

			if (item->pod || from == NULL || from[resource] < 0)
				continue;
			*out = from[resource];
			return true;
		}
	return false;
}

/* The API server copies limits to missing requests before LimitRanger sees the
 * pod (kubernetes-sigs/kueue#15020). */
bool template_request(const struct template_container *container,
		      const struct limit_range *const *ranges, uint32_t range_count,
		      uint32_t resource, int64_t *out)
{
	if (names(&container->requests, resource)) {
		*out = container->requests.amount[resource];
		return true;
	}
	if (names(&container->limits, resource)) {
		*out = container->limits.amount[resource];
		return true;
	}
	return default_amount(ranges, range_count, true, resource, out);
}

bool template_limit(const struct template_container *container,
		    const struct limit_range *const *ranges, uint32_t range_count,
		    uint32_t resource, int64_t *out)
{
	if (names(&container->limits, resource)) {
		*out = container->limits.amount[resource];
		return true;
	}
	return default_amount(ranges, range_count, false, resource, out);
}

/* Pod-level resources stand in place of the sum; overhead comes on top. */
static void finish(const struct template_amounts *level, const int64_t *overhead, bool everywhere,
		   uint64_t *given, int64_t *vector)
{
	for (uint32_t r = 0; r < RES_MAX; r++) {
		if (names(level, r)) {
			vector[r] = level->amount[r];
			*given |= UINT64_C(1) << r;
		}
		if (overhead != NULL && overhead[r] != 0 &&
		    (everywhere || (*given >> r & 1) != 0)) {
			vector[r] = res_add(vector[r], overhead[r]);
			*given |= UINT64_C(1) << r;
		}
	}
}

struct sources {
	const struct pod_template *template;
	const struct limit_range *const *ranges;
	uint32_t range_count;
	const int64_t *overhead;       /* the template's own, else its RuntimeClass's; NULL */
	struct template_amounts level; /* pod-level requests in the end */
};

/* Pod-level limits stand for missing requests of what no container names, as the API server
 * (SetDefaults_Pod: defaultPodRequests) and Kueue (UseLimitsAsMissingRequestsInPod) see it. */
static void default_level(struct sources *from, uint64_t containers, struct mem_arena *arena)
{
	const struct template_amounts *limits = &from->template->limits;
	int64_t *amount;

	from->level = from->template->requests;
	if ((limits->given & ~from->level.given & ~containers) == 0)
		return;
	amount = mem_arena_alloc(arena, RES_MAX * sizeof(*amount));
	for (uint32_t r = 0; r < RES_MAX; r++) {
		amount[r] = names(&from->level, r) ? from->level.amount[r] : 0;
		if (!names(&from->level, r) && names(limits, r) && (containers >> r & 1) == 0) {
			amount[r] = limits->amount[r];
			from->level.given |= UINT64_C(1) << r;
		}
	}
	from->level.amount = amount;
}

static void sum_requests(struct sources *from, struct pod_shape *shape, struct mem_arena *arena,
			 struct sums *nonzero)
{
	int64_t *request = mem_arena_alloc(arena, RES_MAX * sizeof(*request));
	struct sums sums;
	uint64_t given = 0;

	memset(&sums, 0, sizeof(sums));
	for (uint32_t c = 0; c < from->template->container_count; c++) {
		const struct template_container *container = &from->template->containers[c];

		for (uint32_t r = 0; r < RES_MAX; r++) {
			int64_t amount = 0;
			bool named = template_request(container, from->ranges, from->range_count, r,
						      &amount);

			given |= (uint64_t)named << r;
			add(&sums, container->role, r, amount);
			if (!named && r == RES_CPU)
				amount = SHAPE_DEFAULT_CPU;
			if (!named && r == RES_MEMORY)
				amount = SHAPE_DEFAULT_MEMORY;
			add(nonzero, container->role, r, amount);
		}
	}
	for (uint32_t r = 0; r < RES_MAX; r++)
		request[r] = total(&sums, r);
	default_level(from, given, arena);
	finish(&from->level, from->overhead, true, &given, request);
	shape->requested = given;
	shape->request = request;
}

static void sum_limits(const struct sources *from, struct pod_shape *shape, int64_t *limit)
{
	struct sums sums;
	uint64_t given = 0;

	memset(&sums, 0, sizeof(sums));
	for (uint32_t c = 0; c < from->template->container_count; c++) {
		const struct template_container *container = &from->template->containers[c];

		for (uint32_t r = 0; r < RES_MAX; r++) {
			int64_t amount = 0;

			if (!template_limit(container, from->ranges, from->range_count, r, &amount))
				continue;
			given |= UINT64_C(1) << r;
			add(&sums, container->role, r, amount);
		}
	}
	for (uint32_t r = 0; r < RES_MAX; r++)
		limit[r] = total(&sums, r);
	finish(&from->template->limits, from->overhead, false, &given, limit);
	shape->limit = given != 0 ? limit : NULL;
}

/* What scoring sees: as requested, but containers that name no cpu or memory
 * count with a default. */
static void count_nonzero(const struct sums *nonzero, const struct pod_shape *shape,
			  const struct sources *from, struct pod_shape *out)
{
	const int64_t *overhead = from->overhead;
	bool own_cpu = names(&from->level, RES_CPU);
	bool own_memory = names(&from->level, RES_MEMORY);

	out->nonzero_cpu = own_cpu ? shape->request[RES_CPU] : total(nonzero, RES_CPU);
	out->nonzero_memory = own_memory ? shape->request[RES_MEMORY] : total(nonzero, RES_MEMORY);
	if (overhead != NULL && !own_cpu)
		out->nonzero_cpu = res_add(out->nonzero_cpu, overhead[RES_CPU]);
	if (overhead != NULL && !own_memory)
		out->nonzero_memory = res_add(out->nonzero_memory, overhead[RES_MEMORY]);
}

/* ---- what Kueue counts ---- */

/* Pod-level requests as Kueue has them: its limits stand for all that are missing, even where a
 * container names the resource (UseLimitsAsMissingRequestsInPod). */
static struct template_amounts kueue_level(const struct pod_template *template,
					   struct mem_arena *arena)
{
	const struct template_amounts *limits = &template->limits;
	struct template_amounts level = template->requests;
	int64_t *amount;

	if (template->wrapped)
		return (struct template_amounts){.given = 0};
	if ((limits->given & ~level.given) == 0)
		return level;
	amount = mem_arena_alloc(arena, RES_MAX * sizeof(*amount));
	for (uint32_t r = 0; r < RES_MAX; r++) {
		const struct template_amounts *from = names(&level, r) ? &level : limits;

		amount[r] = names(from, r) ? from->amount[r] : 0;
	}
	return (struct template_amounts){.amount = amount, .given = level.given | limits->given};
}

static void count_containers(const struct sources *from, struct sums *sums, uint64_t *given)
{
	for (uint32_t c = 0; c < from->template->container_count; c++) {
		const struct template_container *container = &from->template->containers[c];
		enum template_role role = container->role;

		if (role == TEMPLATE_SIDECAR && from->template->wrapped)
			role = TEMPLATE_INIT;
		for (uint32_t r = 0; r < RES_MAX; r++) {
			int64_t amount = 0;
			bool named = template_request(container, from->ranges, from->range_count, r,
						      &amount);

			*given |= (uint64_t)named << r;
			add(sums, role, r, amount);
		}
	}
}

/* Leaves shape->counted NULL where the pod's request is what counts. */
static void count_for_kueue(const struct sources *from, struct mem_arena *arena,
			    struct pod_shape *shape)
{
	const struct pod_template *template = from->template;
	const int64_t *overhead =
		template->wrapped && template->overhead.given == 0 ? NULL : from->overhead;
	struct template_amounts level = kueue_level(template, arena);
	int64_t *counted;
	struct sums sums;
	uint64_t given = 0;

	shape->counted = NULL;
	shape->counts = 0;
	if (template->of_pods ||
	    (!template->wrapped && (template->limits.given & ~template->requests.given) == 0))
		return;
	memset(&sums, 0, sizeof(sums));
	count_containers(from, &sums, &given);
	counted = mem_arena_alloc(arena, RES_MAX * sizeof(*counted));
	for (uint32_t r = 0; r < RES_MAX; r++)
		counted[r] = total(&sums, r);
	finish(&level, overhead, true, &given, counted);
	if (given == shape->requested &&
	    memcmp(counted, shape->request, RES_MAX * sizeof(*counted)) == 0)
		return;
	shape->counted = counted;
	shape->counts = given;
}

void template_shape(const struct pod_template *template, const struct limit_range *const *ranges,
		    uint32_t range_count, const int64_t *overhead, struct mem_arena *arena,
		    struct pod_shape *shape)
{
	struct sources from = {.template = template,
			       .ranges = ranges,
			       .range_count = range_count,
			       .overhead = template->overhead.given != 0 ? template->overhead.amount
									 : overhead};
	int64_t *limit = mem_arena_alloc(arena, RES_MAX * sizeof(*limit));
	struct sums nonzero;

	memset(&nonzero, 0, sizeof(nonzero));
	*shape = template->base;
	shape->container_count = 0;
	for (uint32_t c = 0; c < template->container_count; c++)
		shape->container_count += template->containers[c].role != TEMPLATE_INIT;
	sum_requests(&from, shape, arena, &nonzero);
	sum_limits(&from, shape, limit);
	count_nonzero(&nonzero, shape, &from, shape);
	count_for_kueue(&from, arena, shape);
}

static bool amounts_equal(const struct template_amounts *a, const struct template_amounts *b)
{
	if (a->given != b->given)
		return false;
	for (uint32_t r = 0; r < RES_MAX; r++)
		if (names(a, r) && a->amount[r] != b->amount[r])
			return false;
	return true;
}

bool template_equal(const struct pod_template *a, const struct pod_template *b)
{
	if (a->wrapped != b->wrapped || a->of_pods != b->of_pods ||
	    a->container_count != b->container_count || a->runtime_class != b->runtime_class ||
	    !amounts_equal(&a->overhead, &b->overhead) ||
	    !amounts_equal(&a->requests, &b->requests) || !amounts_equal(&a->limits, &b->limits))
		return false;
	for (uint32_t c = 0; c < a->container_count; c++)
		if (a->containers[c].role != b->containers[c].role ||
		    !amounts_equal(&a->containers[c].requests, &b->containers[c].requests) ||
		    !amounts_equal(&a->containers[c].limits, &b->containers[c].limits))
			return false;
	return true;
}

static struct template_amounts copy_amounts(struct mem_arena *arena,
					    const struct template_amounts *from)
{
	struct template_amounts to = *from;

	if (from->given == 0)
		to.amount = NULL;
	else
		to.amount = shape_widen(arena, from->amount, RES_MAX, RES_MAX, 0);
	return to;
}

const struct pod_template *template_copy(struct mem_arena *arena, const struct pod_template *from)
{
	struct pod_template *to = mem_arena_alloc(arena, sizeof(*to));
	struct template_container *containers =
		mem_arena_alloc(arena, from->container_count * sizeof(*containers));

	*to = *from;
	for (uint32_t c = 0; c < from->container_count; c++)
		containers[c] = (struct template_container){
			.requests = copy_amounts(arena, &from->containers[c].requests),
			.limits = copy_amounts(arena, &from->containers[c].limits),
			.role = from->containers[c].role};
	to->containers = containers;
	to->overhead = copy_amounts(arena, &from->overhead);
	to->requests = copy_amounts(arena, &from->requests);
	to->limits = copy_amounts(arena, &from->limits);
	return to;
}
