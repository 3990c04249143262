#include "sim/engine/engine.h"

#include <assert.h>
#include <string.h>

#include "core/apart.h"
#include "core/sort.h"
#include "sim/engine/apply.h"
#include "sim/engine/autoscaler.h"
#include "sim/engine/jobafter.h"
#include "sim/engine/jobcron.h"
#include "sim/engine/jobctl.h"
#include "sim/engine/jobend.h"
#include "sim/engine/jobplain.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/jobscale.h"
#include "sim/engine/nodelife.h"
#include "sim/engine/nodepods.h"
#include "sim/engine/podcrash.h"
#include "sim/engine/podlife.h"
#include "sim/engine/podmake.h"
#include "sim/engine/recurrence.h"

#define PROGRESS_EVERY 4096 /* instants */
#define LATE_EVICTIONS 100  /* looked at for who is in a livelock */

/* ---- one instant ---- */

/* Ends at one instant come by namespace/name under an admission policy, else as
 * they were scheduled: the goldens have it so. */
static int compare_names(const void *a, const void *b, void *context)
{
	const struct scenario *s = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct job *p = &s->jobs[x], *q = &s->jobs[y];
	int order = strcmp(scenario_string(s, p->common->ns), scenario_string(s, q->common->ns));

	if (order == 0)
		order = strcmp(scenario_string(s, p->name), scenario_string(s, q->name));
	return order != 0 ? order : (x > y) - (x < y);
}

/* The jobs of all events of one kind at an instant; grown as needed. */
struct batch {
	uint32_t *jobs;
	size_t capacity;
};

/* What the next event will need was last used when its job started, thousands of events ago:
 * it is fetched while this one is handled. (The event may be of another thing: no matter.) */
static void fetch_next(const struct run *run)
{
	struct evq_event next;

	if (!evq_peek(run->events, &next) || next.subject >= run->scenario->job_count)
		return;
	__builtin_prefetch(&run->world.run_of[next.subject], 1);
	__builtin_prefetch(&run->scenario->jobs[next.subject]);
	__builtin_prefetch((const char *)(&run->scenario->jobs[next.subject] + 1) - 1);
	__builtin_prefetch(&run->world.pods[run->journal->first_pod[next.subject]], 1);
}

/* Takes every queued event of the kind at this instant, in order, behind the n there are. */
static uint32_t take_batch(struct run *run, enum run_event kind, struct batch *batch, uint32_t n)
{
	struct evq_event e;

	while (evq_next(run->events) == run->world.now && evq_peek(run->events, &e) &&
	       e.kind == kind) {
		evq_skip(run->events);
		run->work_events--;
		batch->jobs = mem_grow(batch->jobs, (size_t)n + 1, &batch->capacity,
				       sizeof(*batch->jobs));
		batch->jobs[n++] = e.subject;
		fetch_next(run);
	}
	return n;
}

static void sort_by_name(struct run *run, struct batch *batch, uint32_t n)
{
	union {
		const struct scenario *in;
		void *out;
	} context = {.in = run->scenario};

	if (n > 1 && run->admission != NULL)
		sort_stable(batch->jobs, n, sizeof(*batch->jobs), compare_names, context.out);
}

static void finish_batch(struct run *run, struct batch *batch)
{
	uint32_t n = take_batch(run, EV_FINISH, batch, 0);

	sort_by_name(run, batch, n);
	for (uint32_t i = 0; i < n; i++) {
		/* Under --drain each a pod may be preempted for the end of another job. */
		if (world_job(&run->world, batch->jobs[i])->running_since == CLOCK_NEVER) {
			run->running--;
			continue;
		}
		jobend_finish(run, batch->jobs[i]);
		apply_plan(run);
	}
}

/* e: the next end of work at this instant. False: there is none. */
static inline bool ends_another(const struct run *run, struct evq_event *e)
{
	return evq_next(run->events) == run->world.now && evq_peek(run->events, e) &&
	       e->kind == EV_FINISH;
}

/* With the one that was taken already, if an admission policy orders them. 0: it alone ends. */
static uint32_t take_ends(struct run *run, struct batch *batch, uint32_t first)
{
	struct evq_event e = {0};
	uint32_t n;

	if (run->admission == NULL || !ends_another(run, &e))
		return 0;
	batch->jobs = mem_grow(batch->jobs, 1, &batch->capacity, sizeof(*batch->jobs));
	batch->jobs[0] = first;
	n = take_batch(run, EV_FINISH, batch, 1);
	sort_by_name(run, batch, n);
	return n;
}

/* Of plain jobs none waits for the others: they end as they come up, unless their names order
 * them. The policy is told, and asks for nothing before it is its turn. */
static void finish_plain(struct run *run, struct batch *batch, struct evq_event *e)
{
	do {
		uint32_t job = e->subject, n, i = 0;

		evq_skip(run->events);
		run->work_events--;
		fetch_next(run);
		n = take_ends(run, batch, job);
		do {
			if (n != 0)
				job = batch->jobs[i];
			if (world_job(&run->world, job)->running_since != CLOCK_NEVER)
				jobplain_finish(run, job);
			else
				run->running--;
			apply_plan(run);
		} while (++i < n);
	} while (ends_another(run, e));
}

static void release_batch(struct run *run, struct batch *batch)
{
	uint32_t n = take_batch(run, EV_RELEASE, batch, 0);

	sort_by_name(run, batch, n);
	for (uint32_t i = 0; i < n; i++) {
		apply_release(run, batch->jobs[i]);
		apply_plan(run);
	}
}

/* An update that changes nothing, of which the API server tells nobody. */
static bool is_same_node(const struct scenario *s, const struct node *a, const struct node *b)
{
	return a->unschedulable == b->unschedulable && a->ready == b->ready &&
	       a->unreachable == b->unreachable && a->drain == b->drain &&
	       a->deleted == b->deleted && a->spare == b->spare && a->gpus == b->gpus &&
	       label_set_equal(&a->labels, &b->labels) &&
	       label_taints_equal(&a->taints, &b->taints) &&
	       memcmp(a->allocatable, b->allocatable,
		      s->resource_count * sizeof(*a->allocatable)) == 0;
}

static void update_node(struct run *run, uint32_t update)
{
	uint32_t node = scenario_updated_node(run->scenario, update);
	struct node *n = &run->world.nodes[node], before = *n;
	bool was_usable = run->world.node_usable[node];

	*n = run->scenario->nodes[run->scenario->updates[update].version];
	run->world.node_usable[node] = n->ready && !n->unschedulable;
	run_note(run, J_NODE, JOB_NONE, node, run->world.node_usable[node]);
	if (run->deadlock != NULL)
		deadlock_touch_nodes(run->deadlock);
	struct happening h = {.kind = HAP_NODE, .job = JOB_NONE, .pod = NAME_NONE, .node = node};

	h.same = was_usable == run->world.node_usable[node] &&
		 is_same_node(run->scenario, &before, n);
	run_tell(run, ROLE_ADMISSION, &h);
	run_tell(run, ROLE_PLACEMENT, &h);
	nodelife_changed(run, node);
}

static void update_object(struct run *run, uint32_t update)
{
	struct happening h = {
		.kind = HAP_UPDATE, .job = JOB_NONE, .pod = NAME_NONE, .node = update};

	run->updates_done++;
	run_note(run, J_UPDATE, JOB_NONE, update, 0);
	if (run->scenario->updates[update].kind == UPDATE_NODE) {
		update_node(run, update);
		return;
	}
	run_tell(run, ROLE_ADMISSION, &h);
	run_tell(run, ROLE_PLACEMENT, &h);
}

static void timer(struct run *run, enum run_role role, const struct evq_event *e)
{
	run_tell(run, role,
		 &(struct happening){.kind = HAP_TIMER,
				     .job = JOB_NONE,
				     .pod = NAME_NONE,
				     .node = NODE_NONE,
				     .cookie = e->subject | (uint64_t)e->attempt << 32});
}

static void call_human(struct run *run)
{
	if (run->options->human_after > 0)
		run_schedule(run, clock_add(run->world.now, run->options->human_after),
			     CLASS_TIMEOUT, EV_HUMAN, run->deadlock_set, 0);
}

/* If the deadlock that was announced with this set still stands, its youngest job
 * is deleted, and does not come back. Whoever did it looks again later. */
static void break_deadlock(struct run *run, uint32_t set)
{
	const uint32_t *jobs = NULL;
	uint32_t count = 0, youngest;

	if (!run->deadlocked || run->deadlock_set != set ||
	    !deadlock_check(run->deadlock, &jobs, &count))
		return;
	youngest = jobs[0];
	for (uint32_t i = 1; i < count; i++) {
		if (run->scenario->jobs[jobs[i]].submit >= run->scenario->jobs[youngest].submit)
			youngest = jobs[i];
	}
	jobend_cancel(run, youngest);
	call_human(run);
}

static void submit(struct run *run, uint32_t job)
{
	if (!jobcron_comes(run, job))
		return;
	run->submitted++;
	run_note(run, J_SUBMIT, job, 0, 0);
	world_begin(&run->world, job);
	podlife_begin(run, job);
	world_job(&run->world, job)->phase = JOB_PENDING;
	if (run_manages(run, job))
		run_tell_job(run, HAP_SUBMITTED, job);
	else if (!jobscale_suspended(run, job))
		jobctl_admit(run, job);
}

static APART void arrive_any(struct run *run, uint32_t job)
{
	submit(run, job);
	apply_plan(run);
	if (podlife_cancelled(run, job)) {
		run->dead_on_arrival = mem_grow(run->dead_on_arrival, run->dead_count + 1,
						&run->dead_capacity, sizeof(*run->dead_on_arrival));
		run->dead_on_arrival[run->dead_count++] = job;
	}
}

static void arrive(struct run *run, uint32_t job)
{
	if (!run->plain || run->scenario->jobs[job].common->pods == 0) {
		arrive_any(run, job);
	} else if (run->admission == NULL) {
		jobplain_arrive(run, job);
	} else {
		jobplain_submit(run, job);
		apply_plan(run);
	}
}

/* A run of a CronJob that was passed over comes after all. */
static void late_run(struct run *run, uint32_t ended)
{
	uint32_t job = jobcron_missed(run, ended);

	if (job != JOB_NONE)
		submit(run, job);
}

static void come_late(struct run *run, const struct evq_event *e)
{
	if (e->kind == EV_CRON) {
		late_run(run, e->subject);
		return;
	}
	jobafter_comes(run, e->subject);
	arrive(run, e->subject);
}

static void autoscale(struct run *run, const struct evq_event *e)
{
	if (e->kind == EV_SCAN)
		autoscaler_scan(run);
	else if (e->kind == EV_NODE_JOIN)
		autoscaler_join(run, e->subject);
	else
		autoscaler_revoke(run, e->subject, e->attempt);
}

static void stage(struct run *run, const struct evq_event *e)
{
	if (e->kind == EV_STAGE)
		jobctl_stage(run, e->subject);
	else
		jobctl_stage_end(run, e->subject, e->attempt);
}

static void live(struct run *run, const struct evq_event *e)
{
	if (e->kind == EV_READY)
		jobctl_ready(run, e->subject, e->attempt);
	else if (e->kind == EV_FAIL)
		podlife_fail(run, e->subject, e->attempt);
	else
		podlife_recover(run, e->subject, e->attempt);
}

static void handle(struct run *run, const struct evq_event *e)
{
	switch ((enum run_event)e->kind) {
	case EV_POD_GONE:
		jobctl_pod_gone(run, e->subject, e->attempt);
		break;
	case EV_RECREATE:
		jobctl_recreate(run, e->subject);
		break;
	case EV_HUMAN:
		break_deadlock(run, e->subject);
		break;
	case EV_CREATE:
		podmake_retry(run, e->subject, e->attempt);
		break;
	case EV_REPLACE:
		jobctl_replace(run, e->subject);
		break;
	case EV_STAGE:
	case EV_STAGE_END:
		stage(run, e);
		break;
	case EV_UPDATE:
		update_object(run, e->subject);
		break;
	case EV_TIMER:
	case EV_TIMER_PLACEMENT:
		timer(run, e->kind == EV_TIMER ? ROLE_ADMISSION : ROLE_PLACEMENT, e);
		break;
	case EV_PLACEMENT_TIMEOUT:
		jobctl_placement_timeout(run, e->subject);
		break;
	case EV_CANCEL:
		jobend_cancel(run, e->subject);
		break;
	case EV_READY:
	case EV_FAIL:
	case EV_RECOVER:
		live(run, e);
		break;
	case EV_EVICT:
		nodelife_due(run, e->subject, e->attempt);
		break;
	case EV_POD_END:
		jobctl_pod_end(run, e->subject, e->attempt);
		break;
	case EV_DEADLINE:
		jobend_deadline(run, e->subject);
		break;
	case EV_CHANGE:
		jobscale_change(run, e->subject, e->attempt);
		break;
	case EV_POD_RESTART:
		jobctl_restart(run, e->subject);
		break;
	case EV_CRON:
	case EV_SUBMIT:
		come_late(run, e);
		break;
	case EV_SCAN:
	case EV_NODE_JOIN:
	case EV_NODE_REVOKE:
		autoscale(run, e);
		break;
	case EV_FINISH:
	case EV_RELEASE:
		assert(false && "taken in batches");
		break;
	}
}

/* ---- timeouts of one instant ---- */

/* Order of golden/kueue/README.md: deletions, pods ready, failing, recovered, then
 * what the policy set its timers for, by the upper half of its cookies. */
static uint32_t timeout_rank(const struct evq_event *e)
{
	switch ((enum run_event)e->kind) {
	case EV_CANCEL:
		return 0;
	case EV_READY:
		return 1;
	case EV_FAIL:
		return 2;
	case EV_RECOVER:
		return 3;
	case EV_TIMER:
	case EV_TIMER_PLACEMENT:
		return 4 + e->attempt;
	case EV_FINISH:
	case EV_RELEASE:
	case EV_POD_GONE:
	case EV_PLACEMENT_TIMEOUT:
	case EV_RECREATE:
	case EV_REPLACE:
	case EV_HUMAN:
	case EV_CREATE:
	case EV_UPDATE:
	case EV_EVICT:
	case EV_POD_END:
	case EV_DEADLINE:
	case EV_CHANGE:
	case EV_POD_RESTART:
	case EV_CRON:
	case EV_SUBMIT:
	case EV_STAGE:
	case EV_STAGE_END:
	case EV_SCAN:
	case EV_NODE_JOIN:
	case EV_NODE_REVOKE:
		break;
	}
	return UINT32_MAX;
}

/* Within a rank by namespace/name; placement timeouts in input order. */
static int compare_timeouts(const void *a, const void *b, void *context)
{
	const struct evq_event *x = a, *y = b;
	uint32_t rank_x = timeout_rank(x), rank_y = timeout_rank(y);

	if (rank_x != rank_y)
		return rank_x < rank_y ? -1 : 1;
	if (rank_x == UINT32_MAX)
		return (x->subject > y->subject) - (x->subject < y->subject);
	return compare_names(&x->subject, &y->subject, context);
}

static void timeout_batch(struct run *run)
{
	union {
		const struct scenario *in;
		void *out;
	} context = {.in = run->scenario};
	struct evq_event e;
	size_t count = 0;

	while (evq_next(run->events) == run->world.now && evq_peek(run->events, &e) &&
	       e.class == CLASS_TIMEOUT) {
		evq_skip(run->events);
		run->work_events--;
		run->due = mem_grow(run->due, count + 1, &run->due_capacity, sizeof(*run->due));
		run->due[count++] = e;
	}
	sort_stable(run->due, count, sizeof(*run->due), compare_timeouts, context.out);
	for (size_t i = 0; i < count; i++) {
		handle(run, &run->due[i]);
		apply_plan(run);
	}
}

static void await_arrival(struct run *run)
{
	const struct scenario *s = run->scenario;

	run->arrives_at = run->next_arrival < run->arrivals
				  ? s->jobs[scenario_by_submit(s, run->next_arrival)].submit
				  : CLOCK_NEVER;
}

static void take_arrivals(struct run *run)
{
	while (run->arrives_at == run->world.now) {
		uint32_t job = scenario_by_submit(run->scenario, run->next_arrival++);

		await_arrival(run);
		arrive(run, job);
	}
}

static inline void submit_arrivals(struct run *run)
{
	if (run->arrives_at == run->world.now)
		take_arrivals(run);
	if (run->admission == NULL)
		podmake_awaited(run);
}

/* ---- scheduling until nothing more moves ---- */

/* At one instant, or, where evictions take time, over and over. */
static APART bool evicts_for_ever(const struct run *run)
{
	if (run->evictions_now >
	    run->options->eviction_limit + UINT64_C(16) * (uint64_t)run->submitted)
		return true;
	return run->recurrence != NULL && recurrence_found(run);
}

static inline bool livelocked(const struct run *run)
{
	return (run->evictions_now != 0 || run->recurrence != NULL) && evicts_for_ever(run);
}

/* False: nothing was decided. */
static bool admissions(struct run *run)
{
	bool any = false;

	if (run->admission == NULL)
		return false;
	while (!livelocked(run) && run->admission->cycle(run->admission_self, &run->plan)) {
		run->journal->cycles++;
		any = true;
		apply_plan(run);
	}
	any = any || run->plan.count != 0;
	apply_plan(run);
	return any;
}

static void count_failed(struct run *run)
{
	run->journal->failed_attempts += run->plan.failed;
	run->plan.failed = 0;
}

static bool placements(struct run *run)
{
	bool any = false;

	if (run->placement == NULL)
		return false;
	run->busy = true;
	while (run->placement->cycle(run->placement_self, &run->plan)) {
		any = true;
		apply_plan(run);
	}
	apply_plan(run);
	run->busy = false;
	count_failed(run);
	return any;
}

static void place_now(struct run *run)
{
	apply_plan(run);
	placements(run);
}

static void make_awaited(struct run *run)
{
	if (run->to_create_count == 0)
		return;
	if (run->plain)
		jobplain_make(run);
	else
		podmake_awaited(run);
}

/* Placement can make room for an admission that waits for pods to be ready. */
static void schedule(struct run *run)
{
	admissions(run);
	make_awaited(run);
	while (placements(run) && run->admission != NULL && !livelocked(run) && admissions(run))
		make_awaited(run);
}

static void note_deadlock(struct run *run)
{
	const uint32_t *jobs = NULL;
	uint32_t count = 0;
	bool now;

	if (run->deadlock == NULL)
		return;
	/* None is announced while room may still come. */
	if (!run->deadlocked && deadlock_none(run->deadlock))
		return;
	now = deadlock_check(run->deadlock, &jobs, &count) &&
	      (run->deadlocked || !autoscaler_busy(run));
	if (now && !run->deadlocked) {
		run->deadlock_set = journal_set(run->journal, jobs, count);
		run_note(run, J_DEADLOCK, JOB_NONE, run->deadlock_set, 0);
		call_human(run);
	} else if (!now && run->deadlocked) {
		run_note(run, J_DEADLOCK_OVER, JOB_NONE, run->deadlock_set, 0);
	}
	run->deadlocked = now;
}

/* The next instant, or CLOCK_NEVER. */
static simtime next_instant(const struct run *run)
{
	simtime t = evq_next(run->events);

	return run->arrives_at < t ? run->arrives_at : t;
}

/* Has everybody come, but those who wait for somebody's end? */
static bool all_came(const struct run *run)
{
	return run->next_arrival == run->arrivals && run->awaited == 0;
}

/* Nothing will arrive or change any more, and nothing runs that could end. */
static bool only_waiting(const struct run *run)
{
	return all_came(run) && run->running == 0 &&
	       run->updates_done == run->scenario->update_count;
}

/* Without work to come an instant more or less may decide when the run is over. */
static void scheduled(struct run *run)
{
	bool last;

	if (run->admission == NULL || run->admission->scheduled == NULL)
		return;
	last = all_came(run) && (only_waiting(run) || run->work_events == 0);
	run->admission->scheduled(run->admission_self, last, &run->plan);
	apply_plan(run);
}

/* What only waits is looked at on each flush: whether the run is over hangs on that. */
static void settle(struct run *run)
{
	simtime until = only_waiting(run) ? run->world.now : next_instant(run);

	if (run->placement == NULL || run->placement->settled == NULL)
		return;
	if (until > run->options->max_time)
		until = run->options->max_time;
	run->placement->settled(run->placement_self, until, &run->plan);
	apply_plan(run);
	count_failed(run);
}

/* Runs everything that happens at world.now. */
static void instant(struct run *run, struct batch *batch)
{
	struct evq_event e;
	bool arrived = false, flush = false;
	uint64_t moves = run->moves, tried = run->journal->failed_attempts;
	uint32_t ended = run->ended, submitted = run->submitted, updates = run->updates_done;

	run->evictions_now = 0;
	for (size_t i = 0; i < run->left_count; i++)
		world_end(&run->world, run->left[i]);
	run->left_count = 0;
	while (evq_next(run->events) == run->world.now && evq_peek(run->events, &e)) {
		run->journal->events++;
		if (!arrived && e.class > CLASS_SUBMIT) {
			submit_arrivals(run);
			arrived = true;
		} else if (e.kind == EV_FINISH && run->plain) {
			finish_plain(run, batch, &e);
		} else if (e.kind == EV_FINISH) {
			finish_batch(run, batch);
		} else if (e.kind == EV_RELEASE) {
			release_batch(run, batch);
		} else if (e.class == CLASS_TIMEOUT) {
			timeout_batch(run);
		} else {
			evq_skip(run->events);
			run->work_events -= e.class != CLASS_FLUSH;
			flush = flush || e.class == CLASS_FLUSH;
			handle(run, &e);
			apply_plan(run);
		}
	}
	submit_arrivals(run);
	schedule(run);
	scheduled(run);
	for (size_t i = 0; i < run->dead_count; i++)
		run_schedule(run, run->world.now, CLASS_TIMEOUT, EV_CANCEL, run->dead_on_arrival[i],
			     0);
	run->dead_count = 0;
	note_deadlock(run);
	if (run->ended != ended || run->submitted != submitted || run->updates_done != updates)
		recurrence_reset(run);
	if (run->moves != moves || run->work_events != 0 || run->world.now < run->left_until ||
	    !all_came(run))
		run->idle_flushes = 0;
	else if (flush && run->journal->failed_attempts != tried)
		run->idle_flushes++; /* a flush with nothing to flush is none */
	settle(run);
}

/* ---- the run ---- */

/* spec KUBE_SCHEDULER.md section 6, "When a run is over", (a), (b) and (c).
 * Timeouts with a back-off (placement, pods ready) would keep a job that can never
 * start going for ever: a run in which nothing could end and nothing started for
 * long is over too. */
static bool over(const struct run *run, simtime next)
{
	if (next == CLOCK_NEVER || run->idle_flushes >= 2)
		return true;
	if (only_waiting(run) && run->refused > 0 && run->work_events == run->refused &&
	    run->options->placement_timeout == 0 &&
	    run->world.now > clock_add(run->last_move, run->options->horizon))
		return true;
	return only_waiting(run) && run->world.now - run->last_start > LONG_STANDSTILL;
}

static void report_progress(const struct run *run)
{
	if (run->options->progress != NULL)
		run->options->progress(run->options->progress_context, run->world.now,
				       run->finished);
}

static enum run_end loop(struct run *run)
{
	struct batch batch = {0};
	uint64_t instants = 0;
	enum run_end end = RUN_COMPLETE;
	simtime t = next_instant(run);

	for (; end == RUN_COMPLETE && !over(run, t); t = next_instant(run)) {
		run->world.now = t;
		instant(run, &batch);
		if (livelocked(run))
			end = RUN_LIVELOCK;
		else if (t > run->options->max_time)
			end = RUN_MAX_TIME;
		else if (run->options->stop != NULL && *run->options->stop != 0)
			end = RUN_INTERRUPTED;
		if (++instants % PROGRESS_EVERY == 0)
			report_progress(run);
	}
	mem_free(batch.jobs);
	return end;
}

/* Is it a service that runs, or that is to have no pods? */
static bool serves(const struct run *run, uint32_t job)
{
	const struct job_run *s = world_job(&run->world, job);

	return run->scenario->jobs[job].duration == JOB_ENDLESS &&
	       (s->running_since != CLOCK_NEVER ||
		(s->phase == JOB_ADMITTED && s->pods_wanted == 0));
}

static bool is_stuck(const struct run *run)
{
	for (uint32_t i = 0; i < run->scenario->job_count; i++) {
		const struct job_run *s = world_job(&run->world, i);

		if (s->phase != JOB_DONE && !serves(run, i))
			return true;
	}
	return false;
}

/* Who evicted whom lately: at the last instant, and in the evictions before it. */
static void note_livelock(struct run *run)
{
	struct journal *j = run->journal;
	uint32_t *jobs = mem_arena_alloc(j->arena, (run->scenario->job_count + 1u) * sizeof(*jobs));
	uint8_t *seen = mem_calloc(run->scenario->job_count, 1);
	struct journal_reader in;
	uint32_t n = 0, evictions = 0;

	journal_open(&in, j);
	for (size_t i = j->count; i-- > 0;) {
		const struct journal_record *r = journal_read(&in, i);

		if (r->time != run->world.now && evictions >= LATE_EVICTIONS)
			break;
		if (r->kind != J_PREEMPTED && r->kind != J_EVICTED)
			continue;
		evictions++;
		if (!seen[r->job]) {
			seen[r->job] = 1;
			jobs[n++] = r->job;
		}
	}
	mem_free(seen);
	j->livelock_jobs = jobs;
	j->livelock_count = n;
}

static void close_journal(struct run *run, enum run_end end)
{
	struct journal *j = run->journal;
	simtime stuck_end =
		run->last_move > run->options->horizon ? run->last_move : run->options->horizon;

	j->end = end;
	j->end_time = run->world.now;
	/* Placements that a timeout undid again do not lengthen the account. */
	if (end == RUN_COMPLETE && run->world.now - run->last_start > LONG_STANDSTILL)
		stuck_end = run->last_start > run->options->horizon ? run->last_start
								    : run->options->horizon;
	j->account_end = is_stuck(run) || run->ended == 0 ? stuck_end : run->last_finish;
	if (end == RUN_INTERRUPTED || end == RUN_LIVELOCK)
		j->account_end = run->world.now;
	if (end == RUN_LIVELOCK)
		note_livelock(run);
}

static void schedule_updates(struct run *run)
{
	for (uint32_t i = 0; i < run->scenario->update_count; i++) {
		const struct update *u = &run->scenario->updates[i];

		run_schedule(run, u->at, u->kind == UPDATE_NODE ? CLASS_NODE : CLASS_UPDATE,
			     EV_UPDATE, i, 0);
	}
}

static void close_run(struct run *run)
{
	if (run->admission_self != NULL)
		run->admission->close(run->admission_self);
	if (run->placement_self != NULL)
		run->placement->close(run->placement_self);
	resourcequota_free(run->quotas);
	mem_free(run->refused_at);
	deadlock_free(run->deadlock);
	evq_free(run->events);
	plan_free(&run->plan);
	mem_free(run->to_create);
	mem_free(run->to_release);
	mem_free(run->killers);
	mem_free(run->evictions);
	nodelife_free(run->nodelife);
	nodepods_free(run->nodepods);
	mem_free(run->strained);
	autoscaler_free(run->autoscaler);
	mem_free(run->lost);
	mem_free(run->due);
	mem_free(run->dead_on_arrival);
	mem_free(run->left);
	recurrence_free(run->recurrence);
	podlife_free(run->podlife);
	podcrash_free(run->crashes);
	jobpods_free(run->jobpods, run->scenario->job_count);
	world_free(&run->world);
}

static enum err_code open_policies(struct run *run, struct err *err)
{
	run->ignores_pods = run->admission == NULL;
	if (run->admission != NULL) {
		run->admission_self = run->admission->open(&run->world, &run->plan, err);
		if (run->admission_self == NULL)
			return err->code;
		run->ignores_pods = run->admission->heeds_pods != NULL &&
				    !run->admission->heeds_pods(run->admission_self);
	}
	if (run->placement != NULL) {
		run->placement_self = run->placement->open(&run->world, &run->plan, err);
		if (run->placement_self == NULL)
			return err->code;
		run->deadlock = deadlock_new(&run->world);
	}
	return ERR_OK;
}

enum err_code engine_run(const struct scenario *scenario, const struct policy_row *policy,
			 const struct run_options *options, enum journal_detail detail,
			 struct journal **out, struct err *err)
{
	struct run run = {.scenario = scenario, .options = options, .row = policy};
	enum err_code code;

	run.journal = journal_new(scenario, policy->name, detail);
	run.events = evq_new();
	plan_init(&run.plan);
	jobafter_open(&run);
	scenario = run.scenario;
	world_init(&run.world, scenario, options, run.journal);
	jobpods_open(&run);
	podcrash_open(&run);
	run.admission = policy->admission;
	/* Without nodes there is nothing to place on: admission alone decides. */
	if (options->placement == PLACEMENT_SCHEDULER && run.world.node_count != 0)
		run.placement = policy->placement;
	run.journal->places_pods = run.placement != NULL;
	run.journal->frees_at_once = run.admission != NULL && run.admission->frees_at_once;
	if (run.placement != NULL)
		run.quotas = resourcequota_new(scenario, policy->derive_quotas);
	if (run.quotas != NULL)
		run.refused_at = mem_calloc(scenario->job_count, sizeof(*run.refused_at));
	if (options->drain == DRAIN_EACH)
		run.after_pod = place_now;
	code = open_policies(&run, err);
	if (code == ERR_OK) {
		apply_plan(&run);
		await_arrival(&run);
		schedule_updates(&run);
		podlife_open(&run);
		jobscale_open(&run);
		autoscaler_open(&run);
		run.plain = jobplain_holds(&run);
		close_journal(&run, loop(&run));
		jobafter_close(&run);
		if (run.admission != NULL && run.admission->account != NULL)
			run.admission->account(run.admission_self, run.journal);
		*out = run.journal;
	} else {
		journal_free(run.journal);
	}
	close_run(&run);
	return code;
}
