#include "sim/engine/autoscaler.h"

#include <string.h>

#include "core/mem.h"
#include "sim/engine/jobctl.h"
#include "sim/engine/nodelife.h"
#include "sim/kube/kube_match.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/scenario/provisioning.h"

enum node_state {
	NODE_FIXED, /* no pool of ours: comes and goes by updates alone */
	NODE_SPARE, /* may be asked for */
	NODE_BOOTING,
	NODE_UP,
};

struct machine { /* [node] */
	enum node_state state;
	simtime idle_since; /* CLOCK_NEVER: in use */
	uint32_t boot;	    /* how often it was asked for */
};

struct request {
	uint32_t job, check;
	simtime created, provisioned; /* CLOCK_NEVER: not provisioned */
	bool told;		      /* that there is no room yet */
	bool over;		      /* failed, or its booking expired */
};

struct added { /* a pod that was fitted in, to be taken out again */
	uint32_t node;
	const struct pod_shape *shape;
};

struct autoscaler {
	struct machine *machines;
	uint32_t *first_of, *count_of; /* [pool] its nodes */
	uint32_t booting;
	struct request *requests; /* in order of creation */
	size_t request_count, request_capacity;
	uint32_t *pending; /* pod slots */
	size_t pending_count, pending_capacity;
	bool *listed; /* [pod slot] in the list above */
	struct kube_match *match;
	struct cluster_usage plan; /* usage as it would be with what is promised */
	struct added *added;	   /* to it, by this scan */
	size_t added_count, added_capacity;
	uint64_t *hopeless; /* [group of match] the last scan that found no room for one */
	size_t hopeless_count, hopeless_capacity;
	uint64_t scan;
	simtime scan_at;    /* CLOCK_NEVER: none is set */
	simtime next;	    /* of a scan for a time that is over then; CLOCK_NEVER */
	simtime grown;	    /* last time that a node was asked for; -1 */
	bool drops_evicted; /* CleanupProvisioningRequestsOnEviction */
};

/* ---- when it looks ---- */

static simtime tick_after(const struct run *run, simtime t)
{
	simtime step = run->scenario->autoscaler.scan_interval;

	return clock_add(t - t % step, step);
}

static void scan_at(struct run *run, simtime at)
{
	struct autoscaler *a = run->autoscaler;

	if (at >= a->scan_at)
		return;
	a->scan_at = at;
	run_schedule(run, at, CLASS_NODE, EV_SCAN, 0, 0);
}

/* At the next tick at or after this time. */
static void remind(struct run *run, simtime at)
{
	simtime step = run->scenario->autoscaler.scan_interval;
	simtime tick = at % step == 0 ? at : tick_after(run, at);

	if (tick < run->autoscaler->next)
		run->autoscaler->next = tick;
}

static void watch(struct run *run, enum happening_kind kind, uint32_t pod)
{
	struct autoscaler *a = run->autoscaler;

	if (kind == HAP_POD_CREATED && !a->listed[pod]) {
		a->pending = mem_grow(a->pending, a->pending_count + 1, &a->pending_capacity,
				      sizeof(*a->pending));
		a->pending[a->pending_count++] = pod;
		a->listed[pod] = true;
	}
	scan_at(run, tick_after(run, run->world.now));
}

bool autoscaler_busy(const struct run *run)
{
	const struct autoscaler *a = run->autoscaler;

	return a != NULL && (a->booting > 0 || a->scan_at <= tick_after(run, run->world.now));
}

/* ---- fitting pods in ---- */

static bool suits(struct run *run, uint32_t node, uint32_t pod)
{
	struct kube_match *match = run->autoscaler->match;
	uint32_t group = kube_match_group(match, pod);

	return kube_match_labels(match, group, node) && kube_match_tolerates(match, group, node);
}

static bool is_there(const struct run *run, uint32_t node)
{
	const struct machine *m = &run->autoscaler->machines[node];

	return m->state == NODE_BOOTING ||
	       (m->state != NODE_SPARE && kube_match_present(&run->world, node));
}

static bool put(struct run *run, uint32_t node, uint32_t pod)
{
	struct autoscaler *a = run->autoscaler;
	const struct pod_shape *shape = &run->scenario->shapes[run->world.pods[pod].shape];

	if (!cluster_fits(&a->plan, node, shape) || !suits(run, node, pod))
		return false;
	cluster_add(&a->plan, node, shape);
	a->added = mem_grow(a->added, a->added_count + 1, &a->added_capacity, sizeof(*a->added));
	a->added[a->added_count++] = (struct added){node, shape};
	return true;
}

static bool put_anywhere(struct run *run, uint32_t pod)
{
	for (uint32_t node = 0; node < run->world.node_count; node++) {
		if (is_there(run, node) && put(run, node, pod))
			return true;
	}
	return false;
}

static void take_out(struct autoscaler *a, size_t mark)
{
	while (a->added_count > mark) {
		a->added_count--;
		cluster_remove(&a->plan, a->added[a->added_count].node,
			       a->added[a->added_count].shape);
	}
}

/* ---- nodes ---- */

static const struct node_pool *pool_of(const struct run *run, uint32_t node)
{
	return &run->scenario->pools[run->scenario->nodes[node].scaled - 1];
}

static void note_scale(struct run *run, uint32_t node, enum journal_scale what)
{
	run_note(run, J_SCALE, JOB_NONE, node, what);
}

static void node_changed(struct run *run, uint32_t node, bool usable)
{
	struct happening h = {.kind = HAP_NODE, .job = JOB_NONE, .pod = NAME_NONE, .node = node};

	run->world.node_usable[node] = usable;
	run_note(run, J_NODE, JOB_NONE, node, usable);
	kube_match_node(run->autoscaler->match, node);
	if (run->deadlock != NULL)
		deadlock_touch_nodes(run->deadlock);
	run_tell(run, ROLE_ADMISSION, &h);
	run_tell(run, ROLE_PLACEMENT, &h);
}

static void ask_for(struct run *run, uint32_t node)
{
	struct autoscaler *a = run->autoscaler;

	a->machines[node].state = NODE_BOOTING;
	a->machines[node].boot++;
	a->booting++;
	a->grown = run->world.now;
	note_scale(run, node, SCALE_REQUESTED);
	run_schedule(run, clock_add(run->world.now, pool_of(run, node)->boot_delay), CLASS_NODE,
		     EV_NODE_JOIN, node, 0);
}

void autoscaler_join(struct run *run, uint32_t node)
{
	struct autoscaler *a = run->autoscaler;
	struct machine *m = &a->machines[node];
	simtime most = pool_of(run, node)->max_run;

	m->state = NODE_UP;
	m->idle_since = CLOCK_NEVER;
	a->booting--;
	run->world.nodes[node].drain = run->world.nodes[node].unschedulable = false;
	note_scale(run, node, SCALE_JOINED);
	node_changed(run, node, true);
	scan_at(run, tick_after(run, run->world.now));
	if (most != 0)
		run_schedule(run, clock_add(run->world.now, most), CLASS_NODE, EV_NODE_REVOKE, node,
			     m->boot);
}

static void take_away(struct run *run, uint32_t node)
{
	run->autoscaler->machines[node].state = NODE_SPARE;
	run->world.nodes[node].unschedulable = false; /* not there is not cordoned */
	note_scale(run, node, SCALE_REMOVED);
	node_changed(run, node, false);
}

/* ---- requests ---- */

static const struct provisioning_config *config_of(const struct run *run, const struct request *r)
{
	return &run->scenario->provisioning_configs[run->scenario->checks[r->check].config];
}

static void answer(struct run *run, const struct request *r, enum provisioning_answer what,
		   const char *message)
{
	run_tell(run, ROLE_ADMISSION,
		 &(struct happening){.kind = HAP_PROVISIONING,
				     .job = r->job,
				     .pod = NAME_NONE,
				     .node = r->check,
				     .answer = (uint8_t)what,
				     .message = journal_string(run->journal, message)});
}

void autoscaler_withdraw(struct run *run, uint32_t job, uint32_t check)
{
	struct autoscaler *a = run->autoscaler;
	size_t kept = 0;

	for (size_t i = 0; i < a->request_count; i++) {
		if (a->requests[i].job != job || a->requests[i].check != check)
			a->requests[kept++] = a->requests[i];
	}
	a->request_count = kept;
}

void autoscaler_request(struct run *run, uint32_t job, uint32_t check)
{
	struct autoscaler *a = run->autoscaler;

	autoscaler_withdraw(run, job, check);
	a->requests = mem_grow(a->requests, a->request_count + 1, &a->request_capacity,
			       sizeof(*a->requests));
	a->requests[a->request_count++] = (struct request){
		.job = job, .check = check, .created = run->world.now, .provisioned = CLOCK_NEVER};
	scan_at(run, tick_after(run, run->world.now));
}

/* Kueue deletes the requests of workloads that finished, and unless a feature gate says
 * otherwise, of those that were evicted. */
static void drop_requests(struct run *run)
{
	struct autoscaler *a = run->autoscaler;
	size_t kept = 0;

	for (size_t i = 0; i < a->request_count; i++) {
		uint8_t phase = world_job(&run->world, a->requests[i].job)->phase;

		if (phase == JOB_RESERVED || phase == JOB_ADMITTED ||
		    (!a->drops_evicted && phase != JOB_DONE))
			a->requests[kept++] = a->requests[i];
	}
	a->request_count = kept;
}

/* The pods that a request is for and that have no node yet: visits them until the
 * visitor returns false. */
typedef bool visit_pod(struct run *run, uint32_t pod, void *context);

static bool for_pods(struct run *run, const struct request *r, visit_pod *visit, void *context)
{
	const struct job *job = &run->scenario->jobs[r->job];
	const struct provisioning_config *config = config_of(run, r);
	uint32_t pod = run->journal->first_pod[r->job];

	for (uint32_t k = 0; k < job->common->pod_set_count; k++) {
		const struct pod_set *set =
			&run->scenario->pod_sets[job->common->first_pod_set + k];
		uint32_t wanted = world_pod_set_count(&run->world, r->job, k);
		bool covered = provisioning_covers(config, &run->scenario->shapes[set->shape]);

		for (uint32_t i = 0; i < set->count; i++, pod++) {
			if (covered && i < wanted && run->world.pods[pod].node == NODE_NONE &&
			    !visit(run, pod, context))
				return false;
		}
	}
	return true;
}

static bool put_one(struct run *run, uint32_t pod, void *context)
{
	(void)context;
	return put_anywhere(run, pod);
}

static bool book_one(struct run *run, uint32_t pod, void *context)
{
	(void)context;
	put_anywhere(run, pod);
	return true;
}

/* New nodes of one pool, opened as they are needed. */
struct growth {
	uint32_t first, count, opened;
};

static bool put_growing(struct run *run, uint32_t pod, void *context)
{
	struct growth *g = context;
	const struct machine *machines = run->autoscaler->machines;

	if (put_anywhere(run, pod))
		return true;
	for (uint32_t i = 0; i < g->opened; i++) {
		if (machines[g->first + i].state == NODE_SPARE && put(run, g->first + i, pod))
			return true;
	}
	for (; g->opened < g->count; g->opened++) {
		if (machines[g->first + g->opened].state != NODE_SPARE)
			continue;
		g->opened++;
		return put(run, g->first + g->opened - 1, pod);
	}
	return false;
}

static void ask_for_used(struct run *run, const struct growth *g)
{
	for (uint32_t i = 0; i < g->opened; i++) {
		if (run->autoscaler->machines[g->first + i].state == NODE_SPARE)
			ask_for(run, g->first + i);
	}
}

/* All that is missing from one pool, or nothing. */
static bool grow_for(struct run *run, const struct request *r)
{
	struct autoscaler *a = run->autoscaler;

	for (uint32_t p = 0; p < run->scenario->pool_count; p++) {
		struct growth g = {.first = a->first_of[p], .count = a->count_of[p]};
		size_t mark = a->added_count;

		if (for_pods(run, r, put_growing, &g)) {
			ask_for_used(run, &g);
			return true;
		}
		take_out(a, mark);
	}
	return false;
}

/* Annotations of a job become parameters of its requests. */
static bool wants_no_retry(const struct run *run, uint32_t job)
{
	uint32_t extra = run->scenario->jobs[job].extra;

	return extra != JOB_NONE && run->scenario->extras[extra].no_retry;
}

static void refuse(struct run *run, struct request *r)
{
	const struct provisioning_config *config = config_of(run, r);

	if (provisioning_class(run->scenario, config) == PROVISIONING_CHECK_CAPACITY &&
	    (provisioning_no_retry(run->scenario, config) || wants_no_retry(run, r->job))) {
		r->over = true;
		answer(run, r, PROVISIONING_FAILED, "CA could not find requested capacity");
	} else if (!r->told) {
		r->told = true;
		answer(run, r, PROVISIONING_NOT_YET,
		       "Capacity is not found, CA will try to find it later.");
	}
}

static void look_for_room(struct run *run, struct request *r)
{
	struct autoscaler *a = run->autoscaler;
	enum provisioning_class class = provisioning_class(run->scenario, config_of(run, r));
	size_t mark = a->added_count;
	/* Without any nodes in the input quota alone decides. */
	bool found = run->world.node_count == 0 || for_pods(run, r, put_one, NULL);

	if (!found) {
		take_out(a, mark);
		found = class == PROVISIONING_SCALE_UP && grow_for(run, r);
	}
	if (!found) {
		refuse(run, r);
		return;
	}
	r->provisioned = run->world.now;
	remind(run, clock_add(r->provisioned, run->scenario->autoscaler.reservation) + 1);
	answer(run, r, PROVISIONING_PROVISIONED, "Capacity is found in the cluster");
}

/* A booking holds until its time is over; without a scheduler, whose pods would show,
 * as long as the job does. */
static void expire(struct run *run, struct request *r)
{
	const struct autoscaler_config *config = &run->scenario->autoscaler;
	simtime end = r->provisioned == CLOCK_NEVER
			      ? clock_add(r->created, config->expiration)
			      : clock_add(r->provisioned, config->reservation);

	if (r->provisioned != CLOCK_NEVER && run->placement == NULL &&
	    world_job(&run->world, r->job)->phase == JOB_ADMITTED)
		return;
	if (run->world.now <= end) {
		remind(run, end + 1);
		return;
	}
	r->over = true;
	if (r->provisioned == CLOCK_NEVER)
		answer(run, r, PROVISIONING_FAILED, "ProvisioningRequest is expired");
	else
		answer(run, r, PROVISIONING_BOOKING_EXPIRED,
		       "Capacity reservation time is expired");
}

static bool is_answered(const struct run *run, const struct request *r)
{
	return provisioning_class(run->scenario, config_of(run, r)) != PROVISIONING_OTHER;
}

static void serve_requests(struct run *run)
{
	struct autoscaler *a = run->autoscaler;

	for (size_t i = 0; i < a->request_count; i++) {
		if (!a->requests[i].over && is_answered(run, &a->requests[i]))
			expire(run, &a->requests[i]);
	}
	for (size_t i = 0; i < a->request_count; i++) {
		if (!a->requests[i].over && a->requests[i].provisioned != CLOCK_NEVER)
			for_pods(run, &a->requests[i], book_one, NULL);
	}
	for (size_t i = 0; i < a->request_count; i++) {
		if (!a->requests[i].over && a->requests[i].provisioned == CLOCK_NEVER &&
		    is_answered(run, &a->requests[i]))
			look_for_room(run, &a->requests[i]);
	}
}

void autoscaler_revoke(struct run *run, uint32_t node, uint32_t boot)
{
	struct autoscaler *a = run->autoscaler;

	if (a->machines[node].state != NODE_UP || a->machines[node].boot != boot)
		return;
	for (size_t i = 0; i < a->request_count; i++) {
		const struct request *r = &a->requests[i];
		bool there = false;

		for (uint32_t pod = run->journal->first_pod[r->job];
		     pod < run->journal->first_pod[r->job + 1]; pod++)
			there = there || run->world.pods[pod].node == node;
		if (there && r->provisioned != CLOCK_NEVER)
			answer(run, r, PROVISIONING_CAPACITY_REVOKED,
			       "Capacity is revoked: maxRunDuration of the node is over");
	}
	run->world.nodes[node].drain = run->world.nodes[node].unschedulable = true;
	node_changed(run, node, false);
	nodelife_changed(run, node);
	scan_at(run, tick_after(run, run->world.now));
}

/* ---- pods that wait ---- */

/* Pods of a provisioned job go to the room that was made for them. */
static bool was_requested(const struct run *run, uint32_t job)
{
	const struct autoscaler *a = run->autoscaler;

	for (size_t i = 0; i < a->request_count; i++) {
		if (a->requests[i].job == job)
			return true;
	}
	return false;
}

static bool grow_for_pod(struct run *run, uint32_t pod)
{
	struct autoscaler *a = run->autoscaler;

	for (uint32_t p = 0; p < run->scenario->pool_count; p++) {
		for (uint32_t i = 0; i < a->count_of[p]; i++) {
			uint32_t node = a->first_of[p] + i;

			if (a->machines[node].state != NODE_SPARE)
				continue;
			if (put(run, node, pod)) {
				ask_for(run, node);
				return true;
			}
			break; /* its other nodes are like this one */
		}
	}
	return false;
}

/* Pods alike share their fate: a scan adds pods to the nodes, and takes none out. */
static uint64_t *hope_of(struct autoscaler *a, uint32_t pod)
{
	uint32_t group = kube_match_group(a->match, pod);

	a->hopeless = mem_grow(a->hopeless, group + (size_t)1, &a->hopeless_capacity,
			       sizeof(*a->hopeless));
	while (a->hopeless_count <= group)
		a->hopeless[a->hopeless_count++] = 0;
	return &a->hopeless[group];
}

static void serve_pod(struct run *run, uint32_t pod)
{
	uint64_t *hopeless = hope_of(run->autoscaler, pod);

	if (*hopeless == run->autoscaler->scan || was_requested(run, run->world.pods[pod].job))
		return;
	if (!put_anywhere(run, pod) && !grow_for_pod(run, pod))
		*hopeless = run->autoscaler->scan;
}

static void serve_pods(struct run *run)
{
	struct autoscaler *a = run->autoscaler;
	size_t kept = 0;

	for (size_t i = 0; i < a->pending_count; i++) {
		uint32_t pod = a->pending[i];

		if (run->world.pods[pod].phase != POD_PENDING) {
			a->listed[pod] = false;
			continue;
		}
		a->pending[kept++] = pod;
		serve_pod(run, pod);
	}
	a->pending_count = kept;
}

/* ---- nodes that nobody needs ---- */

static uint32_t nodes_up(const struct autoscaler *a, uint32_t pool)
{
	uint32_t up = 0;

	for (uint32_t i = 0; i < a->count_of[pool]; i++)
		up += a->machines[a->first_of[pool] + i].state != NODE_SPARE;
	return up;
}

static simtime unneeded_until(const struct run *run, uint32_t node)
{
	const struct autoscaler_config *config = &run->scenario->autoscaler;
	const struct autoscaler *a = run->autoscaler;
	simtime idle = clock_add(a->machines[node].idle_since, config->unneeded_time);
	simtime after = a->grown < 0 ? 0 : clock_add(a->grown, config->delay_after_add);

	return idle > after ? idle : after;
}

/* The last nodes of a pool go first. */
static void shrink(struct run *run, uint32_t pool)
{
	struct autoscaler *a = run->autoscaler;
	uint32_t up = nodes_up(a, pool);

	for (uint32_t i = a->count_of[pool]; i-- > 0;) {
		uint32_t node = a->first_of[pool] + i;
		struct machine *m = &a->machines[node];
		simtime until;

		if (m->state != NODE_UP)
			continue;
		if (a->plan.used[(size_t)node * a->plan.resource_count + RES_PODS] != 0) {
			m->idle_since = CLOCK_NEVER;
			continue;
		}
		if (m->idle_since == CLOCK_NEVER)
			m->idle_since = run->world.now;
		if (run->world.nodes[node].drain) {
			take_away(run, node);
			up--;
			continue;
		}
		if (up <= run->scenario->pools[pool].min_size)
			continue;
		until = unneeded_until(run, node);
		if (until > run->world.now) {
			remind(run, until);
			continue;
		}
		take_away(run, node);
		up--;
	}
}

/* ---- one scan ---- */

void autoscaler_scan(struct run *run)
{
	struct autoscaler *a = run->autoscaler;
	const struct cluster_usage *usage = &run->world.usage;

	if (a->scan_at != run->world.now)
		return; /* an earlier one came instead */
	a->scan_at = a->next = CLOCK_NEVER;
	a->added_count = 0;
	a->scan++;
	memcpy(a->plan.used, usage->used,
	       (size_t)usage->node_count * usage->resource_count * sizeof(*usage->used));
	drop_requests(run);
	serve_requests(run);
	serve_pods(run);
	for (uint32_t p = 0; p < run->scenario->pool_count; p++)
		shrink(run, p);
	if (a->next != CLOCK_NEVER)
		scan_at(run, a->next);
}

/* ---- life ---- */

static bool is_needed(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->check_count; i++) {
		if (s->checks[i].provisions && s->checks[i].config != SCENARIO_NONE)
			return true;
	}
	return s->pool_count > 0;
}

void autoscaler_open(struct run *run)
{
	const struct scenario *s = run->scenario;
	struct autoscaler *a;

	if (!is_needed(s))
		return;
	a = mem_calloc(1, sizeof(*a));
	a->machines = mem_calloc(run->world.node_count, sizeof(*a->machines));
	a->first_of = mem_calloc(s->pool_count + 1U, sizeof(*a->first_of));
	a->count_of = mem_calloc(s->pool_count + 1U, sizeof(*a->count_of));
	for (uint32_t n = 0; n < s->node_count; n++) {
		uint32_t pool = s->nodes[n].scaled;

		if (pool == 0)
			continue;
		if (a->count_of[pool - 1]++ == 0)
			a->first_of[pool - 1] = n;
		a->machines[n] = (struct machine){.state = s->nodes[n].spare ? NODE_SPARE : NODE_UP,
						  .idle_since = CLOCK_NEVER};
	}
	a->listed = mem_calloc(run->journal->first_pod[s->job_count], sizeof(*a->listed));
	a->match = kube_match_new(&run->world);
	cluster_usage_init(&a->plan, run->world.nodes, run->world.node_count, s->resource_count);
	a->scan_at = a->next = CLOCK_NEVER;
	a->grown = -1;
	a->drops_evicted = kueue_gates_read(&s->config, s->strings).drops_requests;
	run->autoscaler = a;
	run->watch = watch;
	if (s->pool_count > 0)
		scan_at(run, 0);
}

void autoscaler_free(struct autoscaler *a)
{
	if (a == NULL)
		return;
	cluster_usage_free(&a->plan);
	kube_match_free(a->match);
	mem_free(a->machines);
	mem_free(a->first_of);
	mem_free(a->count_of);
	mem_free(a->requests);
	mem_free(a->pending);
	mem_free(a->listed);
	mem_free(a->added);
	mem_free(a->hopeless);
	mem_free(a);
}
