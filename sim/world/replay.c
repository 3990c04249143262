#include "sim/world/replay.h"

#include <string.h>

#include "core/mem.h"
#include "sim/scenario/kueue_gates.h"

struct replay_state {
	struct kueue_gates gates;
	uint16_t before;    /* kind of the last record */
	int64_t *node_gpus; /* [nodes, added ones included] */
	bool *node_ready;
	uint32_t *where;     /* per pod slot: its node + 1; NULL where no node ever changes */
	int64_t *held;	     /* per node: GPUs bound to pods, while where is kept */
	int64_t *node_price; /* per node: micro-USD an hour; NULL: there are no prices */
	int64_t mean_price;  /* of a GPU, where no pod is placed */
	bool *works;	     /* per pod slot: of jobs whose pods work each for itself; NULL: none */
};

/* ---- what befalls few jobs ---- */

const struct replay_more *replay_more(const struct replay_job *jobs, const struct replay_more *more,
				      uint32_t job)
{
	static const struct replay_more nothing = {0};

	return jobs[job].more ? &more[job] : &nothing;
}

static const struct replay_more *look(const struct replay *replay, uint32_t job)
{
	return replay_more(replay->jobs, replay->more, job);
}

static struct replay_more *more_of(struct replay *replay, uint32_t job)
{
	if (replay->more == NULL)
		replay->more =
			mem_calloc(replay->journal->scenario->job_count, sizeof(*replay->more));
	replay->jobs[job].more = true;
	return &replay->more[job];
}

static simtime came(const struct replay *replay, uint32_t job)
{
	return replay->journal->scenario->jobs[job].submit + look(replay, job)->late;
}

simtime replay_queued(const struct replay *replay, uint32_t job)
{
	simtime at = came(replay, job), again = look(replay, job)->queued;

	return again > at ? again : at;
}

simtime replay_order(const struct replay *replay, uint32_t job)
{
	simtime at = came(replay, job), again = look(replay, job)->order;

	return again > at ? again : at;
}

/* ---- nodes ---- */

const struct node *replay_node(const struct scenario *s, uint32_t node)
{
	uint32_t at = s->node_count;

	if (node < s->node_count)
		return &s->nodes[node];
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind != UPDATE_NODE || s->updates[i].object != SCENARIO_NONE)
			continue;
		if (at++ == node)
			return &s->nodes[s->updates[i].version];
	}
	return NULL;
}

/* Micro-USD an hour of a node that has GPUs. */
static int64_t node_price(const struct replay_state *state, uint32_t node)
{
	return state->node_price == NULL || state->node_gpus[node] == 0 ? 0
									: state->node_price[node];
}

/* Of so many of its GPUs. Linear, so that what pods are counted with adds up. */
static int64_t price_of(const struct replay_state *state, uint32_t node, int64_t gpus)
{
	int64_t all = state->node_gpus[node];

	return all == 0 ? 0 : node_price(state, node) / all * gpus;
}

/* GPUs of a node that is not ready are no capacity, nor bound to anyone, though its
 * pods keep their place until they are evicted. */
static void set_node(struct replay *replay, uint32_t node, int64_t gpus, bool ready)
{
	struct replay_state *state = replay->state;

	if (state->node_ready[node]) {
		replay->levels.gpus -= state->node_gpus[node];
		replay->levels.bound -= state->held[node];
		replay->levels.price -= node_price(state, node);
		replay->levels.bound_price -= price_of(state, node, state->held[node]);
	}
	state->node_gpus[node] = gpus;
	state->node_ready[node] = ready;
	if (ready) {
		replay->levels.gpus += gpus;
		replay->levels.bound += state->held[node];
		replay->levels.price += node_price(state, node);
		replay->levels.bound_price += price_of(state, node, state->held[node]);
	}
}

/* The job has so many GPUs more on the node; count_job() has the job's part in the levels. */
static void move_price(struct replay *replay, uint32_t job, uint32_t node, int64_t gpus)
{
	int64_t price = price_of(replay->state, node, gpus);

	more_of(replay, job)->price += price;
	if (!replay->state->node_ready[node])
		replay->levels.bound_price -= price;
}

/* The pod is on this node from now on; NODE_NONE: on none. */
static void put_pod(struct replay *replay, uint32_t job, uint32_t pod, uint32_t node)
{
	struct replay_state *state = replay->state;
	uint32_t was = state->where[pod];
	int64_t gpus = replay_pod_gpus(replay->journal->scenario, job,
				       pod - replay->journal->first_pod[job]);

	if (was != 0) {
		state->held[was - 1] -= gpus;
		replay->levels.bound += state->node_ready[was - 1] ? 0 : gpus;
		move_price(replay, job, was - 1, -gpus);
	}
	state->where[pod] = node == NODE_NONE ? 0 : node + 1;
	if (node != NODE_NONE) {
		state->held[node] += gpus;
		replay->levels.bound -= state->node_ready[node] ? 0 : gpus;
		move_price(replay, job, node, gpus);
	}
}

/* All pods of the job are gone. */
static void put_away(struct replay *replay, uint32_t job)
{
	const uint32_t *first = replay->journal->first_pod;

	for (uint32_t pod = first[job]; replay->state->where != NULL && pod < first[job + 1]; pod++)
		put_pod(replay, job, pod, NODE_NONE);
}

static bool nodes_change(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind == UPDATE_NODE)
			return true;
	}
	return s->pool_count > 0;
}

bool replay_priced(const struct scenario *s)
{
	uint32_t count = s->node_count + scenario_added_nodes(s);

	for (uint32_t i = 0; i < count; i++) {
		if (replay_node(s, i)->micro_usd_per_hour > 0)
			return true;
	}
	return false;
}

static void init_prices(struct replay *replay, uint32_t count)
{
	const struct scenario *s = replay->journal->scenario;
	int64_t gpus = 0, price = 0;

	if (!replay_priced(s))
		return;
	replay->state->node_price = mem_calloc(count, sizeof(*replay->state->node_price));
	for (uint32_t i = 0; i < count; i++) {
		replay->state->node_price[i] = replay_node(s, i)->micro_usd_per_hour;
		gpus += i < s->node_count ? s->nodes[i].gpus : 0;
		price += i < s->node_count && s->nodes[i].gpus > 0 ? replay->state->node_price[i]
								   : 0;
	}
	replay->state->mean_price = gpus == 0 ? 0 : price / gpus;
}

static void init_nodes(struct replay *replay)
{
	const struct scenario *s = replay->journal->scenario;
	uint32_t count = s->node_count + scenario_added_nodes(s);

	replay->state->node_gpus = mem_calloc(count, sizeof(*replay->state->node_gpus));
	replay->state->node_ready = mem_calloc(count, sizeof(*replay->state->node_ready));
	replay->state->held = mem_calloc(count, sizeof(*replay->state->held));
	init_prices(replay, count);
	if (nodes_change(s) || replay->state->node_price != NULL)
		replay->state->where = mem_calloc(replay->journal->first_pod[s->job_count],
						  sizeof(*replay->state->where));
	for (uint32_t i = 0; i < s->node_count; i++)
		set_node(replay, i, s->nodes[i].gpus, s->nodes[i].ready && !s->nodes[i].spare);
}

int64_t replay_quota(const struct replay *replay)
{
	const struct scenario *s = replay->journal->scenario;
	int64_t gpus = 0;

	for (uint32_t c = 0; c < replay->usage->cell_count; c++) {
		const struct usage_cell *cell = &replay->usage->cells[c];

		if (s->resource_is_gpu[cell->resource])
			gpus = res_add(gpus, cell->nominal);
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		for (uint32_t g = 0; g < s->cohorts[i].group_count; g++) {
			const struct resource_group *group = &s->cohorts[i].groups[g];

			for (uint32_t k = 0; k < group->flavor_count * group->resource_count; k++) {
				if (s->resource_is_gpu[group->resources[k % group->resource_count]])
					gpus = res_add(gpus, group->cells[k].nominal);
			}
		}
	}
	return gpus;
}

/* ---- jobs ---- */

int64_t replay_pod_gpus(const struct scenario *s, uint32_t job, uint32_t pod_index)
{
	const struct pod_set *set = &s->pod_sets[s->jobs[job].common->first_pod_set];

	while (pod_index >= set->count)
		pod_index -= set++->count;
	return s->shapes[set->shape].gpus;
}

/* What the job wants under this admission. */
static void want(struct replay_job *job, const struct scenario *s, uint32_t index,
		 const struct admission *a)
{
	const struct pod_set *sets = &s->pod_sets[s->jobs[index].common->first_pod_set];

	job->wanted = 0;
	job->wanted_pods = 0;
	for (uint32_t i = 0; i < a->pod_set_count; i++) {
		job->wanted += (uint32_t)s->shapes[sets[i].shape].gpus * a->pod_sets[i].count;
		job->wanted_pods += a->pod_sets[i].count;
	}
}

/* What its working pods did since the last change of them. */
static void settle_work(struct replay_job *job, struct replay_more *more, simtime now)
{
	job->work = res_add(job->work, res_mul(now - more->work_since, more->working));
	more->work_since = now;
}

static bool works_by_pods(const struct replay_job *job)
{
	return job->solo || job->staged;
}

static void set_working(struct replay *replay, uint32_t index, uint32_t pod, bool works,
			simtime now)
{
	struct replay_job *job = &replay->jobs[index];
	struct replay_more *more;
	int64_t gpus;

	if (!works_by_pods(job) || replay->state->works[pod] == works)
		return;
	more = more_of(replay, index);
	gpus = replay_pod_gpus(replay->journal->scenario, index,
			       pod - replay->journal->first_pod[index]);
	settle_work(job, more, now);
	replay->state->works[pod] = works;
	more->working = (uint32_t)(more->working + (works ? gpus : -gpus));
}

static void stop_pods(struct replay *replay, uint32_t index, simtime now)
{
	const uint32_t *first = replay->journal->first_pod;

	for (uint32_t pod = first[index]; pod < first[index + 1]; pod++)
		set_working(replay, index, pod, false, now);
}

int64_t replay_work(const struct replay *replay, uint32_t index, simtime now)
{
	const struct replay_job *job = &replay->jobs[index];
	const struct replay_more *more = look(replay, index);

	if (job->solo)
		return more->work_since > now
			       ? job->work
			       : res_add(job->work, res_mul(now - more->work_since, more->working));
	if (more->working != 0 && more->work_since < now)
		return res_add(job->work, res_mul(now - more->work_since, more->working));
	if (!(job->flags & REPLAY_RUNNING) || job->running_since > now)
		return job->work;
	return res_add(job->work, res_mul(now - job->running_since, job->wanted));
}

/* GPUs of the job that work. */
static uint32_t running_of(const struct replay_job *job, uint32_t working)
{
	if (job->solo || working != 0)
		return working;
	return job->flags & REPLAY_RUNNING ? job->wanted : 0;
}

static void count_price(struct replay *replay, uint32_t index, int sign)
{
	const struct replay_job *job = &replay->jobs[index];
	const struct replay_more *more = look(replay, index);
	int64_t running = job->flags & REPLAY_RUNNING ? more->price : 0;

	if (job->solo || more->working != 0)
		running = money_part(more->price, more->working, job->bound);
	replay->levels.bound_price += sign * more->price;
	replay->levels.running_price += sign * running;
}

/* Takes the job's part out of the levels (sign -1), or adds it (1). Every change
 * of a job stands between the two. Those that wait ask, but for the pods that those which
 * work come before. */
static inline void count_job(struct replay *replay, uint32_t index, int sign)
{
	const struct replay_job *job = &replay->jobs[index];
	struct replay_levels *levels = &replay->levels;
	uint32_t working = works_by_pods(job) ? look(replay, index)->working : 0;
	uint8_t flags = job->flags;

	levels->bound += sign * (int64_t)job->bound;
	levels->running += sign * (int64_t)running_of(job, working);
	if (flags & REPLAY_DEADLOCKED)
		levels->deadlocked += sign * (int64_t)job->bound;
	if ((flags & (REPLAY_SUBMITTED | REPLAY_DONE)) == REPLAY_SUBMITTED) {
		bool asks = (flags & (REPLAY_STOPPING | REPLAY_SUSPENDED)) == 0 &&
			    job->bound < job->wanted && !(job->staged && working != 0);

		levels->asked += asks ? sign * ((int64_t)job->wanted - job->bound) : 0;
		levels->pending_jobs += flags & REPLAY_RUNNING ? 0 : (uint32_t)sign;
	}
	if (replay->state->node_price != NULL)
		count_price(replay, index, sign);
}

static void stop_running(struct replay *replay, uint32_t index, simtime now)
{
	struct replay_job *job = &replay->jobs[index];

	if (works_by_pods(job))
		stop_pods(replay, index, now);
	if (!(job->flags & REPLAY_RUNNING))
		return;
	job->ran += now - job->running_since;
	if (!job->solo)
		job->work = res_add(job->work, res_mul(now - job->running_since, job->wanted));
	job->flags &= (uint8_t)~REPLAY_RUNNING;
}

static void drop_pods(struct replay *replay, uint32_t index, struct replay_job *job)
{
	put_away(replay, index);
	if (job->more)
		replay->more[index].price = 0;
	job->bound = 0;
	job->bound_pods = 0;
}

static void free_quota(struct replay *replay, uint32_t index, struct replay_job *job)
{
	if (job->admission == JOB_NONE)
		return;
	usage_reserve(replay->usage, index, &replay->journal->admissions[job->admission], -1);
	job->admission = JOB_NONE;
	job->freed = true;
}

static void drop_quota(struct replay *replay, uint32_t index, struct replay_job *job)
{
	const struct job_common *common = replay->journal->scenario->jobs[index].common;

	free_quota(replay, index, job);
	if (!job->freed)
		return;
	job->freed = false;
	job->wanted = common->gpus - look(replay, index)->done;
	job->wanted_pods = common->pods - look(replay, index)->done_pods;
}

/* Under Kueue, before its pods have ended: its cache forgets a workload that is not active,
 * and one on hold has lost its reservation (pkg/controller/core/workload_controller.go,
 * Update). All others keep their quota as long as they have pods. */
static bool frees_at_once(const struct replay *replay, const struct journal_record *r)
{
	const struct journal *j = replay->journal;

	if (!j->frees_at_once)
		return false;
	return (r->kind == J_EVICTED && journal_switches_off(j, r)) ||
	       kueue_gates_frees_at_once(&replay->state->gates,
					 j->scenario->jobs[r->job].common->flags);
}

static void hold_wanted(struct replay *replay, uint32_t index)
{
	struct replay_job *job = &replay->jobs[index];
	int64_t price = replay->state->mean_price;

	job->bound = job->wanted;
	job->bound_pods = job->wanted_pods;
	if (price == 0)
		return;
	more_of(replay, index)->gpu_price = price;
	more_of(replay, index)->price = price * job->bound;
}

/* The job has its pods from now on where nobody places them. */
static void hold(struct replay *replay, uint32_t index)
{
	replay->jobs[index].flags |= REPLAY_HOLDS;
	if (!replay->places_pods)
		hold_wanted(replay, index);
}

static void leave(struct replay *replay, const struct journal_record *r, struct replay_job *job)
{
	stop_running(replay, r->job, r->time);
	drop_pods(replay, r->job, job);
	drop_quota(replay, r->job, job);
	job->flags &= (uint8_t) ~(REPLAY_HOLDS | REPLAY_STOPPING);
	job->flags |= REPLAY_DONE;
	job->end = r->time;
	if (r->kind == J_FINISHED)
		job->flags |= REPLAY_FINISHED;
	if (r->kind == J_FAILED) /* also what checkpoints had saved */
		more_of(replay, r->job)->lost = job->work;
}

/* When a workload that was not preempted may come back: at the time its eviction
 * names, if any. */
static simtime requeue_time(const char *detail, simtime now)
{
	const char *at = strstr(detail, "requeue_at=");
	simtime time;

	if (at == NULL)
		return now;
	at += strlen("requeue_at=");
	return clock_read_seconds(at, strlen(at), &time) && time > now ? time : now;
}

/* Spec KUEUE.md 6.4, Requeued. */
static void requeue(struct replay *replay, uint32_t index, simtime now)
{
	struct replay_job *job = &replay->jobs[index];
	const char *detail =
		job->evicted_by == NAME_NONE ? "" : journal_text(replay->journal, job->evicted_by);
	bool kept = detail[0] == '\0' || strncmp(detail, "reason=NodeFailures", 19) == 0;

	if (kept && job->requeued)
		return;
	more_of(replay, index)->queued = requeue_time(detail, now);
	job->awaits_restart = strstr(detail, "QueueStopped") != NULL;
	job->requeued = !job->awaits_restart;
}

static void release(struct replay *replay, uint32_t index, struct replay_job *job, simtime now)
{
	stop_running(replay, index, now);
	drop_pods(replay, index, job);
	drop_quota(replay, index, job);
	job->flags &= (uint8_t) ~(REPLAY_HOLDS | REPLAY_STOPPING);
}

/* A queue goes on: those evicted since it was stopped are requeued now. */
static void restart(struct replay *replay, const struct update *u)
{
	const struct scenario *s = replay->journal->scenario;
	bool local = u->kind == UPDATE_LOCAL_QUEUE;

	if ((local ? s->local_queues[u->version].stop : s->cluster_queues[u->version].stop) !=
	    STOP_NONE)
		return;
	for (uint32_t i = 0; i < s->job_count; i++) {
		struct replay_job *job = &replay->jobs[i];
		uint32_t queue =
			local ? s->jobs[i].common->local_queue : scenario_job_cluster_queue(s, i);
		const char *cause;

		if (!job->awaits_restart || queue != u->object)
			continue;
		cause = journal_text(replay->journal, job->evicted_by);
		if ((strstr(cause, "LocalQueueStopped") != NULL) != local)
			continue;
		job->awaits_restart = false;
		job->requeued = true;
		more_of(replay, i)->queued = replay->now;
	}
}

static void reserve(struct replay *replay, struct replay_job *job, const struct journal_record *r)
{
	const struct journal *j = replay->journal;

	job->admission = r->arg;
	if (job->more)
		replay->more[r->job].order = 0;
	want(job, j->scenario, r->job, &j->admissions[r->arg]);
	usage_reserve(replay->usage, r->job, &j->admissions[r->arg], 1);
	if (r->arg2 == 0) /* no checks: admitted with it */
		hold(replay, r->job);
}

static void reclaim(struct replay *replay, struct replay_job *job, const struct journal_record *r)
{
	const struct admission *admissions = replay->journal->admissions;

	usage_reserve(replay->usage, r->job, &admissions[job->admission], -1);
	job->admission = r->arg;
	usage_reserve(replay->usage, r->job, &admissions[job->admission], 1);
}

static void start(struct replay *replay, uint32_t index, simtime now)
{
	struct replay_job *job = &replay->jobs[index];

	if (job->flags & REPLAY_RUNNING)
		return;
	hold(replay, index);
	job->running_since = now;
	job->flags |= REPLAY_RUNNING;
	if (job->first_start == CLOCK_NEVER)
		job->first_start = now;
}

static void bind(struct replay *replay, struct replay_job *job, const struct journal_record *r,
		 int sign)
{
	const struct journal *j = replay->journal;
	int64_t gpus = replay_pod_gpus(j->scenario, r->job, r->pod - j->first_pod[r->job]);

	job->bound = (uint32_t)(job->bound + sign * gpus);
	job->bound_pods += (uint32_t)sign;
	if (replay->state->where != NULL)
		put_pod(replay, r->job, r->pod, sign > 0 ? r->arg : NODE_NONE);
	if (sign > 0 && job->bound > 0 && job->more)
		replay->more[r->job].gpu_price = replay->more[r->job].price / job->bound;
}

static simtime lost_time(const struct journal_record *r)
{
	return (simtime)((uint64_t)r->arg | (uint64_t)r->arg2 << 32);
}

/* Two reasons move a workload back in its queue (spec KUEUE.md 3.3). */
static void note_eviction(struct replay *replay, struct replay_job *job,
			  const struct journal_record *r)
{
	const char *detail;

	job->evicted_by = NAME_NONE;
	if (r->kind != J_EVICTED)
		return;
	job->evicted_by = r->arg;
	detail = journal_text(replay->journal, r->arg);
	if (strncmp(detail, "reason=AdmissionCheck", 21) == 0 ||
	    (strncmp(detail, "reason=PodsReadyTimeout", 23) == 0 &&
	     !replay->journal->scenario->config.requeue_by_creation))
		more_of(replay, r->job)->order = r->time;
}

static void begin_eviction(struct replay *replay, struct replay_job *job,
			   const struct journal_record *r)
{
	note_eviction(replay, job, r);
	stop_running(replay, r->job, r->time);
	job->flags |= REPLAY_STOPPING;
	if (frees_at_once(replay, r))
		free_quota(replay, r->job, job);
}

/* GPUs that a record of lost work is about. */
static int64_t gpus_of(const struct replay *replay, const struct journal_record *r)
{
	if (r->pod == NAME_NONE)
		return replay->jobs[r->job].wanted;
	return replay_pod_gpus(replay->journal->scenario, r->job,
			       r->pod - replay->journal->first_pod[r->job]);
}

static void note_lost(struct replay *replay, uint32_t index, int64_t work)
{
	struct replay_more *more = more_of(replay, index);

	more->lost = res_add(more->lost, work);
	if (replay->state->node_price != NULL)
		more->lost_money = res_add(more->lost_money, money_of(more->gpu_price, work));
}

/* Pods that the controller wants now; of one pod set, if not all. */
static void want_pods(struct replay *replay, struct replay_job *job, const struct journal_record *r)
{
	const struct scenario *s = replay->journal->scenario;

	job->wanted_pods = r->arg;
	job->wanted =
		(uint32_t)s->shapes[s->pod_sets[s->jobs[r->job].common->first_pod_set].shape].gpus *
		r->arg;
	if (!replay->places_pods && (job->flags & REPLAY_HOLDS) != 0)
		hold_wanted(replay, r->job);
}

/* Does the pod work before its job starts? */
static bool comes_before(const struct replay *replay, const struct journal_record *r)
{
	const struct scenario *s = replay->journal->scenario;
	const struct pod_set *sets = &s->pod_sets[s->jobs[r->job].common->first_pod_set];
	uint32_t index = r->pod - replay->journal->first_pod[r->job], set = 0;

	for (; index >= sets[set].count; set++)
		index -= sets[set].count;
	return scenario_job_control(s, r->job)->set_works[set] >= 0;
}

/* A pod of a staged job: it will not be needed again. */
static void finish_stage(struct replay *replay, struct replay_job *job,
			 const struct journal_record *r)
{
	uint32_t gpus = (uint32_t)replay_pod_gpus(replay->journal->scenario, r->job,
						  r->pod - replay->journal->first_pod[r->job]);

	more_of(replay, r->job)->done += gpus;
	more_of(replay, r->job)->done_pods++;
	job->wanted -= gpus;
	job->wanted_pods--;
}

static void apply_to_pod(struct replay *replay, struct replay_job *job,
			 const struct journal_record *r)
{
	switch (r->kind) {
	case J_POD_SCHEDULED:
		bind(replay, job, r, 1);
		if (job->staged && comes_before(replay, r))
			set_working(replay, r->job, r->pod, true, r->time);
		break;
	case J_POD_PREEMPTED:
	case J_POD_EVICTED:
	case J_POD_DELETED:
	case J_POD_SUCCEEDED:
	case J_POD_CRASHED:
		set_working(replay, r->job, r->pod, false, r->time);
		if (r->arg != NODE_NONE)
			bind(replay, job, r, -1);
		if (job->staged && r->kind == J_POD_SUCCEEDED)
			finish_stage(replay, job, r);
		break;
	case J_POD_STARTED:
	case J_POD_PAUSED:
		set_working(replay, r->job, r->pod, r->kind == J_POD_STARTED, r->time);
		break;
	default:
		break;
	}
}

static void submit(struct replay *replay, const struct journal_record *r)
{
	simtime late = r->time - replay->journal->scenario->jobs[r->job].submit;

	if (late != 0)
		more_of(replay, r->job)->late = late;
}

static void apply_to_job(struct replay *replay, struct replay_job *job,
			 const struct journal_record *r)
{
	switch (r->kind) {
	case J_SUBMIT:
		job->flags |= REPLAY_SUBMITTED;
		submit(replay, r);
		break;
	case J_QUOTA_RESERVED:
		reserve(replay, job, r);
		break;
	case J_MOVED:
	case J_RECLAIMED:
	case J_RESIZED:
		reclaim(replay, job, r);
		break;
	case J_ADMITTED:
		hold(replay, r->job);
		break;
	case J_PREEMPTED:
	case J_EVICTED:
		begin_eviction(replay, job, r);
		break;
	case J_FREED:
		free_quota(replay, r->job, job);
		break;
	case J_RELEASED:
		release(replay, r->job, job, r->time);
		requeue(replay, r->job, r->time);
		break;
	case J_UNRESERVED: /* no eviction: Requeued stays as it is */
		release(replay, r->job, job, r->time);
		break;
	case J_PODS_NOT_READY:
	case J_INTERRUPTED:
		stop_running(replay, r->job, r->time);
		break;
	case J_WANTED:
		want_pods(replay, job, r);
		break;
	case J_SUSPENDED:
		job->flags |= REPLAY_SUSPENDED;
		break;
	case J_UNSUSPENDED:
		job->flags &= (uint8_t)~REPLAY_SUSPENDED;
		break;
	case J_STARTED:
		start(replay, r->job, r->time);
		break;
	case J_PODS_READY: /* again, after PodsNotReady */
		if (job->first_start != CLOCK_NEVER && (job->flags & REPLAY_STOPPING) == 0)
			start(replay, r->job, r->time);
		break;
	case J_WORK_LOST:
		note_lost(replay, r->job, res_mul(lost_time(r), gpus_of(replay, r)));
		break;
	case J_PLACEMENT_TIMEOUT:
		stop_running(replay, r->job, r->time);
		drop_pods(replay, r->job, job);
		break;
	case J_FINISHED:
	case J_FAILED:
	case J_DELETED:
		leave(replay, r, job);
		break;
	default:
		apply_to_pod(replay, job, r);
		break;
	}
}

/* ---- deadlocks ---- */

static void mark_deadlock(struct replay *replay, uint32_t set, bool on)
{
	const struct journal_set *jobs = &replay->journal->sets[set];

	for (uint32_t i = 0; i < jobs->count; i++) {
		struct replay_job *job = &replay->jobs[jobs->jobs[i]];

		count_job(replay, jobs->jobs[i], -1);
		if (on)
			job->flags |= REPLAY_DEADLOCKED;
		else
			job->flags &= (uint8_t)~REPLAY_DEADLOCKED;
		count_job(replay, jobs->jobs[i], 1);
	}
}

/* ---- playing ---- */

static void apply_update(struct replay *replay, uint32_t update)
{
	const struct scenario *s = replay->journal->scenario;
	const struct node *node;

	if (s->updates[update].kind != UPDATE_NODE) {
		usage_update(replay->usage, update);
		if (s->updates[update].kind == UPDATE_CLUSTER_QUEUE ||
		    s->updates[update].kind == UPDATE_LOCAL_QUEUE)
			restart(replay, &s->updates[update]);
		return;
	}
	node = &s->nodes[s->updates[update].version];
	set_node(replay, scenario_updated_node(s, update), node->gpus, node->ready);
}

/* A cordoned node still counts: only losing or regaining it matters here, and an
 * update has said that already. */
static void apply_node(struct replay *replay, const struct journal_record *r)
{
	if (replay->state->before != J_UPDATE)
		set_node(replay, r->arg, replay->state->node_gpus[r->arg], r->arg2 != 0);
}

static void apply(struct replay *replay, const struct journal_record *r)
{
	if (r->job != JOB_NONE) {
		count_job(replay, r->job, -1);
		apply_to_job(replay, &replay->jobs[r->job], r);
		count_job(replay, r->job, 1);
		return;
	}
	switch (r->kind) {
	case J_DEADLOCK:
		mark_deadlock(replay, r->arg, true);
		break;
	case J_DEADLOCK_OVER:
		mark_deadlock(replay, r->arg, false);
		break;
	case J_NODE:
		apply_node(replay, r);
		break;
	case J_UPDATE:
		apply_update(replay, r->arg);
		break;
	case J_GONE:
		usage_delete(replay->usage, r->arg);
		break;
	default:
		break;
	}
}

bool replay_step(struct replay *replay, simtime until)
{
	const struct journal *j = replay->journal;
	size_t at = replay->last;
	const struct journal_record *r = at < j->count ? journal_read(replay->in, at) : NULL;

	if (r == NULL || r->time > until)
		return false;
	replay->first = at;
	replay->now = r->time;
	while (r->time == replay->now) {
		apply(replay, r);
		replay->state->before = r->kind;
		if (++at == j->count)
			break;
		r = journal_read(replay->in, at);
	}
	replay->last = at;
	usage_settle(replay->usage);
	return true;
}

/* ---- life ---- */

static bool is_staged(const struct scenario *s, uint32_t job)
{
	const struct job_control *control = scenario_job_control(s, job);
	bool staged = false;

	if (control == NULL || control->startup_count == 0)
		return false;
	for (uint32_t k = 0; k < s->jobs[job].common->pod_set_count; k++)
		staged = staged || control->set_works[k] >= 0;
	return staged;
}

static void init_job(struct replay *replay, uint32_t index)
{
	const struct scenario *s = replay->journal->scenario;
	struct replay_job *job = &replay->jobs[index];

	job->first_start = CLOCK_NEVER;
	job->end = CLOCK_NEVER;
	job->admission = JOB_NONE;
	job->evicted_by = NAME_NONE;
	job->wanted = s->jobs[index].common->gpus;
	job->wanted_pods = s->jobs[index].common->pods;
	job->solo = (s->jobs[index].common->flags & JOB_SOLO) != 0;
	job->staged = !job->solo && is_staged(s, index);
	if ((job->solo || job->staged) && replay->state->works == NULL)
		replay->state->works = mem_calloc(replay->journal->first_pod[s->job_count],
						  sizeof(*replay->state->works));
}

struct replay *replay_new(const struct journal *journal)
{
	const struct scenario *s = journal->scenario;
	struct replay *replay = mem_calloc(1, sizeof(*replay));

	replay->journal = journal;
	replay->in = mem_calloc(1, sizeof(*replay->in));
	journal_open(replay->in, journal);
	replay->places_pods = journal->places_pods;
	replay->state = mem_calloc(1, sizeof(*replay->state));
	replay->state->gates = kueue_gates_read(&s->config, s->strings);
	replay->jobs = mem_calloc(s->job_count, sizeof(*replay->jobs));
	for (uint32_t i = 0; i < s->job_count; i++)
		init_job(replay, i);
	replay->usage = usage_new(s);
	init_nodes(replay);
	if (s->node_count == 0 && scenario_added_nodes(s) == 0)
		replay->levels.gpus = replay_quota(replay); /* all there is */
	return replay;
}

void replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	mem_free(replay->state->node_gpus);
	mem_free(replay->state->node_ready);
	mem_free(replay->state->where);
	mem_free(replay->state->held);
	mem_free(replay->state->node_price);
	mem_free(replay->state->works);
	mem_free(replay->state);
	mem_free(replay->jobs);
	mem_free(replay->more);
	mem_free(replay->in);
	usage_free(replay->usage);
	mem_free(replay);
}
