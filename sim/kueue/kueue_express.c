#include "sim/kueue/kueue_express.h"

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_refuse.h"

/* Why the straight path ends where the whole cycle would.
 *
 * What a cycle decides about its only head hangs on: the objects in force; the form,
 * priority and LocalQueue of the workload, which are its class; how far its last scan of
 * the flavors came; the cells of its tree; topologies, usages of LocalQueues, checks and
 * pods that are not ready.
 *
 *  - Objects: each change gives k->objects a new number, and a route counts only as long
 *    as that is the same. Queues with checks have no route.
 *  - Topologies, admission fair sharing, admissions that wait for pods, elastic jobs, pod
 *    sets beside the first and workloads whose last scan left off in its middle do not go
 *    this way.
 *  - A route is that of all the pods, which partial admission tries first.
 *  - The scan of the flavors then starts at the first. A route has the first flavor of each
 *    group. If the request fits there, the scan ends with it when it does not borrow, or
 *    when borrowing is no reason to try the next one, or when there is no next one. These
 *    three are asked for, so nothing behind the first flavor is looked at.
 *  - A head that fits needs no victims, is first and last in the order of the cycle, with
 *    fair sharing or without, and nothing before it took what it needs.
 *  - What the cycle only supposes is rolled back before the admission becomes real; here
 *    it is real at once.
 *
 * A head that is refused unseen (kueue_refuse.h) leaves nothing to do for the cycle. It moved,
 * so that another cycle may see something else. */

enum { ROUTE_LEVELS = 4 };

struct kueue_route {
	uint64_t objects;		   /* k->objects when it was learned; 0: none */
	bool any_level;			   /* borrowing does not send it on to another flavor */
	uint32_t usage;			   /* what it takes */
	uint32_t admissions[ROUTE_LEVELS]; /* of the journal, by level of borrowing; JOB_NONE */
};

/* ---------------------------------------------------------------- learning */

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

void kueue_express_learn(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			 const struct admission *admission)
{
	uint32_t class = k->jobs[job].class, queue = kueue_queue_of(k, job);
	const struct kueue_form *form = kueue_form_of(k, job);
	struct kueue_route *route;
	bool single;

	if (job >= k->first_variant || k->config->searches_anew || k->topology != NULL ||
	    k->afs != NULL || k->queues[queue].spec->check_count != 0 || form->set_count != 1 ||
	    a->sets[0].count != form->counts[0] || is_elastic(k, job) || a->level >= ROUTE_LEVELS ||
	    !is_first(k, queue, form, a, &single))
		return;
	route = route_of(k, class);
	if (route->objects != k->objects)
		*route = (struct kueue_route){
			.objects = k->objects,
			.admissions = {JOB_NONE, JOB_NONE, JOB_NONE, JOB_NONE}};
	route->any_level = single || !k->gates.fungibility ||
			   k->queues[queue].spec->when_can_borrow != FUNGIBILITY_TRY_NEXT_FLAVOR;
	route->usage = k->holds[k->jobs[job].hold].usage;
	route->admissions[a->level] = journal_admission(k->world->journal, admission);
}

/* ------------------------------------------------------------------- taking */

/* Does it fit on the flavors of the route? *level: of borrowing. */
static bool fits(const struct kueue *k, uint32_t queue, const struct kueue_route *route,
		 uint32_t *level)
{
	const struct kueue_usage *usage = &k->usages[route->usage];
	const struct quota_amount *amounts = &k->usage_amounts[usage->first];

	*level = 0;
	for (uint32_t i = 0; i < usage->count; i++) {
		uint32_t column = amounts[i].column, borrows;
		bool may_reclaim;

		if (amounts[i].amount > quota_potential(&k->tree, queue, column) ||
		    amounts[i].amount > quota_available(&k->tree, queue, column))
			return false;
		borrows = quota_level(&k->tree, queue, column, amounts[i].amount, &may_reclaim);
		*level = borrows > *level ? borrows : *level;
	}
	return *level == 0 || route->any_level;
}

/* The route of a job; NULL: it has to go the whole way. */
static const struct kueue_route *find_route(const struct kueue *k, uint32_t job)
{
	uint32_t class = k->jobs[job].class;

	if (class >= k->route_capacity || k->routes[class].objects != k->objects ||
	    k->jobs[job].memory >= MEMORY_FIRST || is_elastic(k, job))
		return NULL;
	return &k->routes[class];
}

static void admit(struct kueue *k, uint32_t queue, uint32_t job, const struct kueue_route *route,
		  uint32_t level)
{
	struct decision *d = plan_add(k->plan, DECIDE_RESERVE);

	k->cycle++;
	k->admitting_cycles++;
	kueue_queue_pop(k, queue);
	d->job = job;
	d->admission = &k->world->journal->admissions[route->admissions[level]];
	kueue_life_reserved(k, job, queue, route->usage);
	kueue_ready_admitted(k, job);
}

bool kueue_express(struct kueue *k)
{
	const struct kueue_route *route;
	uint32_t queue, job, level;

	if (k->ready_count != 1 || k->second_count > 0 || k->topology != NULL || k->afs != NULL ||
	    kueue_ready_blocks(k))
		return false;
	queue = k->queue_by_name[kueue_queue_next_ready(k, 0)];
	job = kueue_queue_head(k, queue);
	route = find_route(k, job);
	if (route != NULL && fits(k, queue, route, &level) && level < ROUTE_LEVELS &&
	    route->admissions[level] != JOB_NONE)
		admit(k, queue, job, route, level);
	else if (kueue_refuse(k, queue, job))
		k->cycle++;
	else
		return false;
	k->seen_count = 0;
	return true;
}
