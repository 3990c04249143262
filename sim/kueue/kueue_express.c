#include "sim/kueue/kueue_express.h"

#include "core/mem.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_flavor.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_refuse.h"

/* Why the straight path ends where the whole cycle would.
 *
 * What a cycle decides about its only head hangs on: the objects in force; the form,
 * priority and LocalQueue of the workload, which are its class; how far its last scan of
 * the flavors came; the cells of its tree; topologies, checks and pods that are not ready.
 * Usages of LocalQueues order the workloads of a queue and the victims of a search: who the
 * head is has been decided, and there is no search.
 *
 *  - Objects: each change gives k->objects a new number, and a route counts only as long
 *    as that is the same. Queues with checks have no route.
 *  - Topologies, admissions that wait for pods, elastic jobs, pod sets beside the first and
 *    workloads whose last scan left off in its middle do not go this way.
 *  - A route is that of all the pods, which partial admission tries first.
 *  - The scan of the flavors then starts at the first. One that fits ends it when it does not
 *    borrow, or when borrowing is no reason to try the next one, or when there is no next one;
 *    else the one that fits at the lowest level is taken, the first of these. On one that does
 *    not fit the scan goes on only if the next flavor is tried whatever preemption could do, and
 *    what fits is preferred to all that (kueue_flavor_defers); then it does not matter what that
 *    is. A workload whose resources are of several groups goes this way on the first flavors of
 *    all groups alone, if nothing behind them is looked at.
 *  - A head that fits needs no victims, is first and last in the order of the cycle, with
 *    fair sharing or without, and nothing before it took what it needs.
 *  - What the cycle only supposes is rolled back before the admission becomes real; here
 *    it is real at once.
 *
 * A head that is refused unseen (kueue_refuse.h) leaves nothing to do for the cycle. It moved,
 * so that another cycle may see something else. */

enum { ROUTE_LEVELS = 4, ROUTE_FLAVORS = 4 };

/* What there is to be known of one flavor of the group, or of the first of each. */
struct route_flavor {
	uint32_t usage;			   /* what it takes there; KUEUE_NONE: does not suit */
	uint32_t admissions[ROUTE_LEVELS]; /* of the journal, by level of borrowing; JOB_NONE */
};

struct kueue_route {
	uint64_t objects; /* k->objects when it was learned; 0: none */
	bool any_level;	  /* borrowing does not send it on to another flavor */
	bool any_room;	  /* nor does it matter who could be evicted on one that does not fit */
	bool first_only;  /* there are others behind these flavors */
	uint8_t flavor_count;
	struct route_flavor flavors[ROUTE_FLAVORS];
};

/* ---------------------------------------------------------------- learning */

/* The group of all that it asks for, if that is one, of so many flavors; else KUEUE_GROUPS_MAX. */
static uint32_t only_group(const struct kueue *k, uint32_t queue, const struct kueue_form *form,
			   const struct kueue_assignment *a)
{
	const struct kueue_queue *q = &k->queues[queue];
	uint32_t group = KUEUE_GROUPS_MAX;

	for (uint32_t i = 0; i < form->slot_count; i++) {
		uint32_t mine = q->group_of[form->slots[i].resource];

		if (a->choices[i].flavor == KUEUE_NONE)
			continue;
		if (group != KUEUE_GROUPS_MAX && group != mine)
			return KUEUE_GROUPS_MAX;
		group = mine;
	}
	if (group == KUEUE_GROUPS_MAX || q->groups[group].flavor_count > ROUTE_FLAVORS)
		return KUEUE_GROUPS_MAX;
	return group;
}

/* Has each group its first flavor? *single: and no other to try. */
static bool is_first(const struct kueue *k, uint32_t queue, const struct kueue_form *form,
		     const struct kueue_assignment *a, bool *single)
{
	const struct kueue_queue *q = &k->queues[queue];

	*single = true;
	for (uint32_t i = 0; i < form->slot_count; i++) {
		const struct kueue_group *group;

		if (a->choices[i].flavor == KUEUE_NONE)
			continue;
		group = &q->groups[q->group_of[form->slots[i].resource]];
		if (group->flavors[0] != a->choices[i].flavor)
			return false;
		*single = *single && group->flavor_count == 1;
	}
	return true;
}

static bool is_elastic(const struct kueue *k, uint32_t job)
{
	return kueue_run(k, job)->parallelism != JOB_NONE;
}

static struct kueue_route *route_of(struct kueue *k, uint32_t class)
{
	size_t had = k->route_capacity;

	k->routes = mem_grow(k->routes, class + (size_t)1, &k->route_capacity, sizeof(*k->routes));
	for (size_t i = had; i < k->route_capacity; i++)
		k->routes[i].objects = 0;
	return &k->routes[class];
}

/* What the workload would take on another flavor of its group; KUEUE_NONE: nothing can be there. */
static uint32_t usage_on(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			 uint32_t group, uint32_t flavor)
{
	uint32_t queue = kueue_queue_of(k, job);
	uint32_t shape = k->scenario->pod_sets[kueue_form_of(k, job)->first_pod_set].shape;
	struct quota_amount amounts[RES_MAX];
	struct kueue_reason reason;

	if (!kueue_flavor_suits(k, queue, shape, flavor, group, &reason))
		return KUEUE_NONE;
	for (uint32_t i = 0; i < a->amount_count; i++) {
		uint32_t resource = k->column_resource[a->amounts[i].column];

		amounts[i] = (struct quota_amount){kueue_column(k, flavor, resource),
						   a->amounts[i].amount};
		if (amounts[i].column == KUEUE_NONE)
			return KUEUE_NONE;
	}
	return kueue_usage_number(k, job, amounts, a->amount_count);
}

/* A route without admissions so far; flavor_count 0: there is none. */
static void begin_route(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			struct kueue_route *route)
{
	uint32_t queue = kueue_queue_of(k, job);
	const struct cluster_queue *spec = k->queues[queue].spec;
	uint32_t group = only_group(k, queue, kueue_form_of(k, job), a);
	bool single;

	*route = (struct kueue_route){.objects = k->objects,
				      .any_level =
					      !k->gates.fungibility ||
					      spec->when_can_borrow != FUNGIBILITY_TRY_NEXT_FLAVOR};
	if (group != KUEUE_GROUPS_MAX) {
		const struct kueue_group *g = &k->queues[queue].groups[group];

		route->any_room = kueue_flavor_defers(k, queue);
		for (uint32_t i = 0; i < g->flavor_count; i++)
			route->flavors[route->flavor_count++].usage =
				usage_on(k, job, a, group, g->flavors[i]);
	} else if (is_first(k, queue, kueue_form_of(k, job), a, &single)) {
		route->first_only = !single;
		route->flavors[0].usage = k->holds[k->jobs[job].hold].usage;
		route->flavor_count = 1;
	}
	for (uint32_t i = 0; i < route->flavor_count; i++) {
		for (uint32_t l = 0; l < ROUTE_LEVELS; l++)
			route->flavors[i].admissions[l] = JOB_NONE;
	}
}

void kueue_express_learn(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			 const struct admission *admission)
{
	uint32_t class = k->jobs[job].class, queue = kueue_queue_of(k, job);
	uint32_t usage = k->holds[k->jobs[job].hold].usage;
	const struct kueue_form *form = kueue_form_of(k, job);
	struct kueue_route *route;

	if (job >= k->first_variant || k->config->searches_anew || k->topology != NULL ||
	    k->queues[queue].spec->check_count != 0 || form->set_count != 1 ||
	    a->sets[0].count != form->counts[0] || is_elastic(k, job) || a->level >= ROUTE_LEVELS)
		return;
	route = route_of(k, class);
	if (route->objects != k->objects)
		begin_route(k, job, a, route);
	for (uint32_t i = 0; i < route->flavor_count; i++) {
		if (route->flavors[i].usage != usage)
			continue;
		route->flavors[i].admissions[a->level] =
			journal_admission(k->world->journal, admission);
		break;
	}
}

/* ------------------------------------------------------------------- taking */

/* Does so much fit? *level: of borrowing. */
static enum quota_room room_for(const struct kueue *k, uint32_t queue, uint32_t usage,
				uint32_t *level)
{
	const struct quota_amount *amounts = &k->usage_amounts[k->usages[usage].first];
	enum quota_room room = QUOTA_ROOM;

	*level = 0;
	for (uint32_t i = 0, n = k->usages[usage].count; i < n; i++) {
		uint32_t borrows;
		enum quota_room mine = quota_room_for(&k->tree, queue, amounts[i].column,
						      amounts[i].amount, &borrows);

		if (mine == QUOTA_NEVER)
			return QUOTA_NEVER;
		room = mine < room ? mine : room;
		*level = borrows > *level ? borrows : *level;
	}
	return room;
}

/* The flavor that the scan ends with; NULL: who knows. *level: of borrowing. */
static const struct route_flavor *scan(const struct kueue *k, uint32_t queue,
				       const struct kueue_route *route, uint32_t *level)
{
	const struct route_flavor *best = NULL;

	for (uint32_t i = 0; i < route->flavor_count; i++) {
		uint32_t usage = route->flavors[i].usage, mine;
		enum quota_room room =
			usage == KUEUE_NONE ? QUOTA_NEVER : room_for(k, queue, usage, &mine);

		if (room == QUOTA_FULL && !route->any_room)
			return NULL;
		if (room != QUOTA_ROOM || (best != NULL && mine >= *level))
			continue;
		best = &route->flavors[i];
		*level = mine;
		if (mine == 0 || route->any_level)
			break;
	}
	return best != NULL && route->first_only && *level > 0 && !route->any_level ? NULL : best;
}

/* The route of a job; NULL: it has to go the whole way. */
static const struct kueue_route *find_route(const struct kueue *k, uint32_t job)
{
	uint32_t class = k->jobs[job].class;

	if (class >= k->route_capacity || k->routes[class].objects != k->objects ||
	    k->jobs[job].memory >= MEMORY_FIRST || (!kueue_is_simple(k, job) && is_elastic(k, job)))
		return NULL;
	return &k->routes[class];
}

static void admit(struct kueue *k, uint32_t queue, uint32_t job, const struct route_flavor *flavor,
		  uint32_t level)
{
	struct decision *d = plan_add(k->plan, DECIDE_RESERVE);

	k->cycle++;
	k->admitting_cycles++;
	kueue_queue_take(k, queue);
	d->job = job;
	d->admission = &k->world->journal->admissions[flavor->admissions[level]];
	kueue_life_took(k, job, queue, flavor->usage);
	if (k->afs != NULL)
		kueue_afs_admitted(k, job);
	kueue_ready_start(k, job); /* it is no variant */
}

bool kueue_express(struct kueue *k)
{
	const struct kueue_route *route;
	const struct route_flavor *flavor = NULL;
	uint32_t queue, job, level = 0;

	if (k->ready_count != 1 || k->second_count > 0 || k->topology != NULL ||
	    kueue_ready_blocks(k))
		return false;
	queue = k->queue_by_name[kueue_queue_next_ready(k, 0)];
	job = kueue_queue_head(k, queue);
	route = find_route(k, job);
	if (route != NULL)
		flavor = scan(k, queue, route, &level);
	if (flavor != NULL && level < ROUTE_LEVELS && flavor->admissions[level] != JOB_NONE)
		admit(k, queue, job, flavor, level);
	else if (flavor == NULL && kueue_refuse(k, queue, job))
		k->cycle++;
	else
		return false;
	k->seen_count = 0;
	return true;
}
