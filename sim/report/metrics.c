#include "sim/report/metrics.h"

#include <string.h>

#include "core/mem.h"
#include "sim/gen/fits.h"

/* What a team has at this instant, since when. */
struct level {
	simtime since;
	int64_t used, borrowed, lent;
	int64_t used_price, borrowed_price; /* micro-USD an hour, at what flavors cost */
	bool moved;			    /* stands in pass.moved */
	struct money_sum used_cost, borrowed_cost;
};

/* One pass over the journal. */
struct pass {
	struct metrics *m;
	struct replay *replay;
	struct auditor *auditor; /* NULL: nobody audits */
	const struct scenario *scenario;
	struct level *levels; /* [team] */
	int64_t *prices;      /* [flavor] micro-USD an hour of a GPU; NULL: no node has one */
	uint32_t *counted;    /* [job] GPUs bound that its team's level has */
	uint32_t *moved;      /* [team_count] teams whose levels changed at this instant */
	uint32_t moved_count;
	uint8_t *awaited; /* [job] was admitted and without room */
	bool *unadmitted; /* [job] waits for admission, for the first time or again */
	struct wait *admissions;
	size_t admission_count, admission_capacity;
	simtime last_finish;
	uint32_t *reason_ids; /* strings of the journal, as m->reasons */
};

double metrics_gpu_seconds(int64_t gpu_microseconds)
{
	return (double)gpu_microseconds / (double)CLOCK_SECOND;
}

simtime metrics_window(const struct journal *journal)
{
	return journal->account_end;
}

/* ---- teams ---- */

static void init_team(struct metrics_team *team, const char *name, uint32_t queue)
{
	*team = (struct metrics_team){.name = name, .queue = queue, .nominal = -1};
}

/* ClusterQueues, and one more for jobs that reach none. */
static void teams_by_queue(struct metrics *m, const struct scenario *s, uint32_t queue_count)
{
	bool others = false;

	m->teams = mem_calloc((size_t)queue_count + 1, sizeof(*m->teams));
	for (uint32_t q = 0; q < queue_count; q++)
		init_team(&m->teams[q], scenario_string(s, s->cluster_queues[q].name), q);
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind == UPDATE_CLUSTER_QUEUE && u->object != SCENARIO_NONE)
			m->teams[u->version].superseded = true;
	}
	init_team(&m->teams[queue_count], "(no queue)", SCENARIO_NONE);
	for (uint32_t job = 0; job < s->job_count; job++) {
		uint32_t queue = scenario_job_cluster_queue(s, job);

		m->team_of[job] = queue == SCENARIO_NONE ? queue_count : queue;
		others = others || queue == SCENARIO_NONE;
	}
	m->team_count = queue_count + (others ? 1 : 0);
}

static void teams_by_namespace(struct metrics *m, const struct scenario *s)
{
	struct name_table *seen = name_new();

	for (uint32_t job = 0; job < s->job_count; job++)
		m->team_of[job] = name_add(seen, scenario_string(s, s->jobs[job].common->ns));
	m->team_count = name_count(seen);
	m->teams = mem_calloc(m->team_count, sizeof(*m->teams));
	for (uint32_t job = 0; job < s->job_count; job++)
		init_team(&m->teams[m->team_of[job]], scenario_string(s, s->jobs[job].common->ns),
			  SCENARIO_NONE);
	name_free(seen);
}

static void make_teams(struct pass *pass)
{
	struct metrics *m = pass->m;
	const struct scenario *s = pass->scenario;

	m->team_of = mem_calloc(s->job_count, sizeof(*m->team_of));
	if (s->cluster_queue_count > 0)
		teams_by_queue(m, s, pass->replay->usage->queue_count);
	else
		teams_by_namespace(m, s);
	pass->levels = mem_calloc(m->team_count, sizeof(*pass->levels));
	pass->moved = mem_calloc(m->team_count, sizeof(*pass->moved));
	for (uint32_t t = 0; t < m->team_count; t++)
		pass->levels[t].since = m->begin;
}

/* The team's level until now goes into its integrals. */
static void account_team(struct pass *pass, uint32_t team, simtime now)
{
	struct level *level = &pass->levels[team];
	struct metrics_team *t = &pass->m->teams[team];
	simtime dt;

	now = now < pass->m->end ? now : pass->m->end;
	dt = now - level->since;
	if (dt <= 0)
		return;
	t->used = res_add(t->used, res_mul(level->used, dt));
	t->borrowed = res_add(t->borrowed, res_mul(level->borrowed, dt));
	t->lent = res_add(t->lent, res_mul(level->lent, dt));
	if (pass->prices != NULL) {
		money_add(&level->used_cost, level->used_price, dt);
		money_add(&level->borrowed_cost, level->borrowed_price, dt);
	}
	level->since = now;
}

static void raise_peak(int64_t *peak, int64_t value)
{
	if (value > *peak)
		*peak = value;
}

static void raise_peaks(struct metrics_team *team, const struct level *level)
{
	raise_peak(&team->peak_used, level->used);
	raise_peak(&team->peak_borrowed, level->borrowed);
	raise_peak(&team->peak_lent, level->lent);
}

static void sum_cells(const struct pass *pass, uint32_t queue, struct level *level,
		      int64_t *nominal)
{
	const struct usage *usage = pass->replay->usage;

	level->used = level->borrowed = level->lent = 0;
	level->used_price = level->borrowed_price = 0;
	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		const struct usage_cell *cell = &usage->cells[c];
		int64_t price = pass->prices == NULL ? 0 : pass->prices[cell->flavor];

		if (!pass->scenario->resource_is_gpu[cell->resource])
			continue;
		level->used = res_add(level->used, cell->used);
		level->borrowed = res_add(level->borrowed, cell->borrowed);
		level->lent = res_add(level->lent, cell->lent);
		level->used_price = res_add(level->used_price, res_mul(cell->used, price));
		level->borrowed_price =
			res_add(level->borrowed_price, res_mul(cell->borrowed, price));
		*nominal = *nominal < 0 ? cell->nominal : res_add(*nominal, cell->nominal);
	}
}

/* Quota used, under an admission policy. */
static void follow_quota(struct pass *pass)
{
	const struct usage *usage = pass->replay->usage;

	for (uint32_t i = 0; i < usage->changed_count; i++) {
		const struct usage_cell *cell = &usage->cells[usage->changed[i]];
		uint32_t team = cell->queue;
		struct metrics_team *t = &pass->m->teams[team];

		if (!pass->scenario->resource_is_gpu[cell->resource])
			continue;
		account_team(pass, team, pass->replay->now);
		t->nominal = -1;
		sum_cells(pass, t->queue, &pass->levels[team], &t->nominal);
		raise_peaks(t, &pass->levels[team]);
	}
}

/* GPUs bound, without one. */
static void follow_bound(struct pass *pass, uint32_t job)
{
	uint32_t bound = pass->replay->jobs[job].bound;
	uint32_t team = pass->m->team_of[job];

	if (bound == pass->counted[job])
		return;
	account_team(pass, team, pass->replay->now);
	pass->levels[team].used += (int64_t)bound - (int64_t)pass->counted[job];
	pass->counted[job] = bound;
	if (!pass->levels[team].moved)
		pass->moved[pass->moved_count++] = team;
	pass->levels[team].moved = true;
}

/* Only once the instant is over: what comes and goes in it is no state. */
static void raise_moved(struct pass *pass)
{
	for (uint32_t i = 0; i < pass->moved_count; i++) {
		struct level *level = &pass->levels[pass->moved[i]];

		raise_peaks(&pass->m->teams[pass->moved[i]], level);
		level->moved = false;
	}
	pass->moved_count = 0;
}

/* ---- counting records ---- */

static void count_reason(struct pass *pass, uint32_t reason)
{
	struct metrics *m = pass->m;

	for (uint32_t i = 0; i < m->reason_count; i++) {
		if (pass->reason_ids[i] == reason) {
			m->reasons[i].count++;
			return;
		}
	}
	/* Few: one for each of the policy's reasons. */
	struct metrics_reason *reasons = mem_calloc((size_t)m->reason_count + 1, sizeof(*reasons));
	uint32_t *ids = mem_calloc((size_t)m->reason_count + 1, sizeof(*ids));

	if (m->reason_count > 0) {
		memcpy(reasons, m->reasons, m->reason_count * sizeof(*reasons));
		memcpy(ids, pass->reason_ids, m->reason_count * sizeof(*ids));
	}
	reasons[m->reason_count] = (struct metrics_reason){journal_text(m->journal, reason), 1};
	ids[m->reason_count++] = reason;
	mem_free(m->reasons);
	mem_free(pass->reason_ids);
	m->reasons = reasons;
	pass->reason_ids = ids;
}

static void count_preemption(struct pass *pass, uint32_t victim, uint32_t preemptor)
{
	struct metrics *m = pass->m;
	uint32_t suffers = m->team_of[victim], causes = m->team_of[preemptor];

	m->teams[suffers].preempted++;
	m->teams[suffers].preempted_by_self += suffers == causes;
	m->teams[causes].caused++;
}

/* A wait for admission is over, by another end than that if cancelled. */
static void end_admission_wait(struct pass *pass, const struct journal_record *r, bool cancelled)
{
	simtime queued = replay_queued(pass->replay, r->job); /* since when it waits */

	pass->admissions = mem_grow(pass->admissions, pass->admission_count + 1,
				    &pass->admission_capacity, sizeof(*pass->admissions));
	pass->admissions[pass->admission_count++] = (struct wait){
		.time = r->time > queued ? r->time - queued : 0, .cancelled = cancelled};
	pass->unadmitted[r->job] = false;
}

/* One that was deactivated does not wait, unless somebody lets it again. */
static bool is_deactivated(const struct pass *pass, uint32_t job)
{
	uint32_t why = pass->replay->jobs[job].evicted_by, extra = pass->scenario->jobs[job].extra;

	return why != NAME_NONE &&
	       strncmp(journal_text(pass->m->journal, why), "reason=Deactivated", 18) == 0 &&
	       (extra == JOB_NONE || pass->scenario->extras[extra].reactivate_at == 0);
}

static void count_admission(struct pass *pass, const struct journal_record *r)
{
	switch (r->kind) {
	case J_SUBMIT:
		pass->unadmitted[r->job] =
			(pass->scenario->jobs[r->job].common->flags & JOB_UNMANAGED) == 0;
		break;
	case J_RELEASED:
		pass->unadmitted[r->job] = !is_deactivated(pass, r->job);
		break;
	case J_QUOTA_RESERVED:
		if (r->arg2 == 0)
			end_admission_wait(pass, r, false);
		break;
	case J_ADMITTED: /* or a bigger slice is, of one that was admitted long ago */
		if (pass->unadmitted[r->job])
			end_admission_wait(pass, r, false);
		break;
	case J_FAILED:
	case J_DELETED:
		if (pass->unadmitted[r->job])
			end_admission_wait(pass, r, true);
		break;
	default:
		break;
	}
}

static void begin_deadlock(struct pass *pass, const struct journal_record *r)
{
	struct metrics *m = pass->m;
	const struct journal_set *set = &m->journal->sets[r->arg];
	struct metrics_deadlock *d;

	m->deadlocks = mem_grow(m->deadlocks, m->deadlock_count + 1, &m->deadlock_capacity,
				sizeof(*m->deadlocks));
	d = &m->deadlocks[m->deadlock_count++];
	*d = (struct metrics_deadlock){.since = r->time, .standing = true, .set = r->arg};
	for (uint32_t i = 0; i < set->count; i++) {
		const struct replay_job *job = &pass->replay->jobs[set->jobs[i]];

		d->pods_placed += job->bound_pods;
		d->pods_wanted += job->wanted_pods;
		d->gpus += job->bound;
	}
}

static void end_deadlock(struct pass *pass, simtime now)
{
	struct metrics_deadlock *d = &pass->m->deadlocks[pass->m->deadlock_count - 1];

	d->until = now;
	d->standing = false;
}

static void count_record(struct pass *pass, const struct journal_record *r)
{
	struct metrics *m = pass->m;

	switch (r->kind) {
	case J_SUBMIT:
		m->jobs++;
		m->teams[m->team_of[r->job]].jobs++;
		break;
	case J_PREEMPTED:
		m->preemptions++;
		count_reason(pass, r->arg2);
		count_preemption(pass, r->job, r->arg);
		break;
	case J_EVICTED:
		m->evictions++;
		break;
	case J_POD_EVICTED:
		m->evicted_pods++;
		break;
	case J_POD_PREEMPTED:
		m->preempted_pods++;
		if (!m->admission)
			count_preemption(pass, r->job, journal_pod_job(m->journal, r->arg2));
		break;
	case J_FINISHED:
		m->finished++;
		m->teams[m->team_of[r->job]].finished++;
		pass->last_finish = r->time;
		break;
	case J_FAILED:
		m->failed++;
		pass->last_finish = r->time;
		break;
	case J_DELETED:
		m->cancelled++;
		m->cancelled_waiting +=
			pass->replay->jobs[r->job].first_start == CLOCK_NEVER &&
			(pass->scenario->jobs[r->job].common->flags & JOB_INACTIVE) == 0;
		break;
	case J_DEADLOCK:
		begin_deadlock(pass, r);
		break;
	case J_DEADLOCK_OVER:
		end_deadlock(pass, r->time);
		break;
	default:
		break;
	}
}

/* Pods that a start-up order holds back do not wait for nodes. */
static bool awaits_node(const struct replay *replay, uint32_t job)
{
	const struct replay_job *state = &replay->jobs[job];

	return (state->flags & (REPLAY_HOLDS | REPLAY_RUNNING | REPLAY_STOPPING)) == REPLAY_HOLDS &&
	       state->bound_pods < state->wanted_pods &&
	       !scenario_job_staged(replay->journal->scenario, job);
}

static void follow_step(struct pass *pass)
{
	const struct replay *replay = pass->replay;
	bool admission = pass->m->admission;

	for (size_t i = replay->first; i < replay->last; i++) {
		const struct journal_record *r = journal_read(replay->in, i);

		if (pass->auditor != NULL)
			audit_record(pass->auditor, r);
		count_record(pass, r);
		if (admission)
			count_admission(pass, r);
		if (r->job == JOB_NONE)
			continue;
		if (!admission)
			follow_bound(pass, r->job);
		else if (r->kind == J_QUOTA_RESERVED || r->kind == J_ADMITTED)
			pass->awaited[r->job] |= awaits_node(replay, r->job);
	}
	if (admission)
		follow_quota(pass);
	else
		raise_moved(pass);
}

/* ---- integrals ---- */

static void integrate(struct metrics *m, const struct replay_levels *levels, simtime dt)
{
	int64_t free = levels->gpus - levels->bound;

	if (dt <= 0)
		return;
	cost_pass(m->cost, levels, dt);
	m->capacity = res_add(m->capacity, res_mul(levels->gpus, dt));
	m->bound = res_add(m->bound, res_mul(levels->bound, dt));
	m->running = res_add(m->running, res_mul(levels->running, dt));
	if (free > 0)
		m->stranded = res_add(m->stranded,
				      res_mul(free < levels->asked ? free : levels->asked, dt));
	if (levels->deadlocked > 0) {
		int64_t held = res_mul(levels->deadlocked, dt);

		m->deadlock_held = res_add(m->deadlock_held, held);
		m->deadlocks[m->deadlock_count - 1].held =
			res_add(m->deadlocks[m->deadlock_count - 1].held, held);
	}
	raise_peak(&m->gpus_peak, levels->gpus);
}

static void play(struct pass *pass)
{
	struct metrics *m = pass->m;
	struct replay *replay = pass->replay;
	struct replay_levels held = replay->levels;
	simtime at = m->begin;

	while (replay_step(replay, m->end)) {
		if (replay->now > at) {
			integrate(m, &held, replay->now - at);
			at = replay->now;
		}
		held = replay->levels;
		follow_step(pass);
		cost_step(m->cost, replay);
	}
	integrate(m, &held, m->end - at);
	/* Nothing moves behind the window; but who arrives there and waits is counted. */
	while (replay_step(replay, CLOCK_NEVER))
		follow_step(pass);
	for (uint32_t t = 0; t < m->team_count; t++)
		account_team(pass, t, m->end);
	m->idle = m->bound - m->running;
	m->free = m->capacity - m->bound;
}

/* ---- jobs at the end ---- */

static bool counts(const struct pass *pass, uint32_t job)
{
	return (pass->replay->jobs[job].flags & REPLAY_SUBMITTED) != 0 &&
	       (pass->scenario->jobs[job].common->flags & JOB_INACTIVE) == 0;
}

struct wait_list {
	struct wait *items;
	size_t count;
	uint32_t *never; /* [team] */
	uint32_t never_count;
	int64_t never_gpus;
};

/* What one look at all jobs adds up. */
struct totals {
	double weighted;  /* work by GPU utilisation */
	double waited;	  /* not running, of finished ones */
	uint32_t lasting; /* jobs with an end that have not come to it, nor were cancelled */
	simtime longest;  /* wait */
	struct wait_list waits;
	size_t unadmitted; /* that wait for admission */
	simtime *start;	   /* [job] within the window; CLOCK_NEVER */
	simtime *end;	   /* [job] */
};

static void add_work(struct pass *pass, uint32_t i, struct totals *totals)
{
	struct metrics *m = pass->m;
	int64_t work = replay_work(pass->replay, i, m->end);
	int64_t lost = replay_more(pass->replay->jobs, pass->replay->more, i)->lost;

	m->lost = res_add(m->lost, lost);
	if (pass->replay->jobs[i].flags & REPLAY_FINISHED)
		m->useful = res_add(m->useful, work - lost);
	totals->weighted += (double)work * pass->scenario->jobs[i].utilisation;
}

/* Pods that a finished job had, at once or in its start-up order. */
static uint32_t placed_in_all(const struct pass *pass, uint32_t i)
{
	return pass->replay->jobs[i].solo
		       ? pass->scenario->jobs[i].common->pods
		       : pass->replay->jobs[i].wanted_pods +
				 replay_more(pass->replay->jobs, pass->replay->more, i)->done_pods;
}

static void add_job(struct pass *pass, uint32_t i, struct totals *totals)
{
	const uint8_t quiet = REPLAY_DONE | REPLAY_SUSPENDED;
	const struct replay_job *job = &pass->replay->jobs[i];
	const struct job *input = &pass->scenario->jobs[i];
	struct metrics *m = pass->m;

	totals->lasting += input->duration != JOB_ENDLESS && (job->flags & REPLAY_DONE) == 0;
	m->pods += input->common->pods;
	m->pods_placed += job->flags & REPLAY_FINISHED ? placed_in_all(pass, i) : job->bound_pods;
	m->running_at_end += (job->flags & REPLAY_RUNNING) != 0;
	m->waiting_at_end += (job->flags & (REPLAY_DONE | REPLAY_RUNNING)) == 0;
	if (job->flags & REPLAY_FINISHED)
		totals->waited += (double)(job->end - input->submit - job->ran);
	if (!m->admission)
		return;
	m->awaiting_node += awaits_node(pass->replay, i);
	m->awaited_node_ever += pass->awaited[i];
	totals->unadmitted += pass->unadmitted[i] && (job->flags & quiet) == 0;
}

/* Jobs that were cancelled before they started waited at least until then. */
static void add_wait(struct pass *pass, uint32_t i, struct totals *totals, struct fits *fits)
{
	const struct replay_job *job = &pass->replay->jobs[i];
	const struct job *input = &pass->scenario->jobs[i];
	struct wait_list *list = &totals->waits;
	uint32_t team = pass->m->team_of[i];
	simtime over = job->first_start;

	if (over == CLOCK_NEVER && (job->flags & REPLAY_DONE) != 0)
		over = job->end;
	if (over != CLOCK_NEVER) {
		list->items[list->count++] =
			(struct wait){.time = over - input->submit,
				      .gpus = input->common->gpus,
				      .group = team & WAIT_GROUPS,
				      .cancelled = job->first_start == CLOCK_NEVER};
	} else {
		list->never[team]++;
		list->never_count++;
		list->never_gpus += input->common->gpus;
		pass->m->never_fit += !fits_ever(fits, i);
		over = pass->m->end;
	}
	if (over - input->submit > totals->longest) {
		totals->longest = over - input->submit;
		pass->m->longest = i;
	}
}

/* One look at each job: what is left of all of them is more than a processor keeps at hand. */
static void sum_jobs(struct pass *pass, struct totals *totals, struct fits *fits)
{
	for (uint32_t i = 0; i < pass->scenario->job_count; i++) {
		const struct replay_job *job = &pass->replay->jobs[i];

		totals->start[i] =
			job->first_start <= pass->m->end ? job->first_start : CLOCK_NEVER;
		totals->end[i] = job->end;
		if (!counts(pass, i))
			continue;
		add_work(pass, i, totals);
		add_job(pass, i, totals);
		add_wait(pass, i, totals, fits);
	}
}

static void take_sums(struct pass *pass, const struct totals *totals)
{
	struct metrics *m = pass->m;

	m->unfinished = m->running - m->useful - m->lost;
	if (m->capacity > 0) {
		m->allocation = (double)m->bound / (double)m->capacity;
		m->utilisation = totals->weighted / 1000 / (double)m->capacity;
	}
	m->never_started = totals->waits.never_count;
	m->queueing_total = totals->waited / (double)CLOCK_SECOND;
	m->queueing_mean = m->finished > 0 ? m->queueing_total / m->finished : 0;
	m->makespan = totals->lasting == 0 && m->finished + m->failed > 0
			      ? pass->last_finish - m->begin
			      : CLOCK_NEVER;
}

/* ---- waits ---- */

static void team_waits(struct metrics *m, const struct wait_list *list)
{
	struct wait *sorted;
	size_t *first;

	if (m->team_count == 1) {
		m->teams[0].wait = m->wait;
		return;
	}
	sorted = mem_calloc(list->count, sizeof(*sorted));
	first = mem_calloc((size_t)m->team_count + 1, sizeof(*first));
	waits_by_group(list->items, list->count, m->team_count, sorted, first);
	for (uint32_t t = 0; t < m->team_count; t++)
		m->teams[t].wait =
			waits_figures(&sorted[first[t]], first[t + 1] - first[t], list->never[t]);
	mem_free(sorted);
	mem_free(first);
}

/* Waits that had not ended are never; Kueue's histogram does not know them. */
static void admission_waits(struct pass *pass, size_t never)
{
	size_t admitted = 0;

	waits_sort(pass->admissions, pass->admission_count);
	pass->m->admission_wait = waits_figures(pass->admissions, pass->admission_count, never);
	for (size_t i = 0; i < pass->admission_count; i++) {
		if (!pass->admissions[i].cancelled)
			pass->admissions[admitted++] = pass->admissions[i];
	}
	pass->m->admitted_wait = waits_figures(pass->admissions, admitted, 0);
}

static void sum_waits(struct pass *pass, const struct wait_list *list)
{
	static const uint32_t per_mille[] = {500, 950, 990};
	struct metrics *m = pass->m;

	waits_sort(list->items, list->count);
	m->wait = waits_figures(list->items, list->count, list->never_count);
	for (size_t i = 0; i < 3; i++)
		m->wait_weighted[i] = waits_quantile_weighted(list->items, list->count,
							      list->never_gpus, per_mille[i]);
	for (size_t i = 0; i < 2; i++)
		m->wait_nearest[i] = waits_quantile_nearest(list->items, list->count, per_mille[i]);
	team_waits(m, list);
}

static void sum_cost(struct pass *pass)
{
	struct metrics *m = pass->m;

	cost_close(m->cost, pass->replay, m->end, m->useful);
	for (uint32_t t = 0; m->cost != NULL && t < m->team_count; t++)
		cost_borrowed(m->cost, t, pass->levels[t].used_cost.whole,
			      pass->levels[t].borrowed_cost.whole);
}

static bool any_idles(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->job_count; i++) {
		if (s->jobs[i].utilisation != BUSY_FULL)
			return true;
	}
	return false;
}

/* Allocation is not utilisation where jobs say so. */
static void measure_namespaces(struct pass *pass)
{
	const struct scenario *s = pass->scenario;
	struct metrics *m = pass->m;
	struct name_table *seen;
	uint32_t *group_of;

	if (!any_idles(s))
		return;
	seen = name_new();
	group_of = mem_calloc(s->job_count, sizeof(*group_of));
	m->namespaces = mem_calloc(s->job_count, sizeof(*m->namespaces));
	for (uint32_t i = 0; i < s->job_count; i++) {
		group_of[i] = name_add(seen, scenario_string(s, s->jobs[i].common->ns));
		m->namespaces[group_of[i]] = s->jobs[i].common->ns;
	}
	m->busy = busy_new(m->journal, group_of, name_count(seen), m->end);
	mem_free(group_of);
	name_free(seen);
}

static void close_deadlocks(struct pass *pass, struct fits *fits)
{
	struct metrics *m = pass->m;

	for (size_t i = 0; i < m->deadlock_count; i++) {
		struct metrics_deadlock *d = &m->deadlocks[i];
		const struct journal_set *set = &m->journal->sets[d->set];

		if (d->standing)
			d->until = d->since > m->end ? d->since : m->end;
		for (uint32_t k = 0; k < set->count; k++)
			d->never_fits += !fits_ever(fits, set->jobs[k]);
	}
}

static void close_jobs(struct pass *pass, struct fits *fits)
{
	uint32_t count = pass->scenario->job_count;
	struct totals totals = {
		.waits = {.items = mem_calloc(count, sizeof(struct wait)),
			  .never = mem_calloc(pass->m->team_count, sizeof(uint32_t))},
		.start = mem_calloc(count, sizeof(simtime)),
		.end = mem_calloc(count, sizeof(simtime)),
	};

	sum_jobs(pass, &totals, fits);
	take_sums(pass, &totals);
	sum_waits(pass, &totals.waits);
	admission_waits(pass, totals.unadmitted);
	pass->m->starved = starved_find(pass->scenario, totals.start, totals.end, pass->m->end);
	mem_free(totals.waits.items);
	mem_free(totals.waits.never);
	mem_free(totals.start);
	mem_free(totals.end);
}

/* ---- life ---- */

struct metrics *metrics_new(const struct journal *journal, bool admission, simtime end)
{
	return metrics_audited(journal, admission, end, NULL);
}

struct metrics *metrics_audited(const struct journal *journal, bool admission, simtime end,
				struct audit *audit)
{
	const struct scenario *s = journal->scenario;
	struct metrics *m = mem_calloc(1, sizeof(*m));
	struct pass pass = {.m = m, .scenario = s, .replay = replay_new(journal)};
	struct fits *fits = fits_new(s, pass.replay->places_pods, admission);

	m->journal = journal;
	m->admission = admission;
	m->places_pods = pass.replay->places_pods;
	m->end = end; /* begin is 0 */
	m->longest = JOB_NONE;
	m->gpus_quota = replay_quota(pass.replay);
	if (admission) {
		pass.awaited = mem_calloc(s->job_count, sizeof(*pass.awaited));
		pass.unadmitted = mem_calloc(s->job_count, sizeof(*pass.unadmitted));
	} else {
		pass.counted = mem_calloc(s->job_count, sizeof(*pass.counted));
	}
	make_teams(&pass);
	m->cost = cost_new(s, m->team_of, m->team_count);
	pass.prices = m->cost == NULL ? NULL : cost_of_flavors(s);
	for (uint32_t t = 0; t < m->team_count; t++) {
		if (m->teams[t].queue != SCENARIO_NONE)
			sum_cells(&pass, t, &pass.levels[t], &m->teams[t].nominal);
	}
	pass.auditor = audit == NULL ? NULL : audit_open(journal, audit);
	play(&pass);
	audit_close(pass.auditor);
	close_jobs(&pass, fits);
	sum_cost(&pass);
	measure_namespaces(&pass);
	close_deadlocks(&pass, fits);
	m->states = pass.replay->jobs;
	m->more = pass.replay->more;
	pass.replay->jobs = NULL;
	pass.replay->more = NULL;
	fits_free(fits);
	replay_free(pass.replay);
	mem_free(pass.levels);
	mem_free(pass.moved);
	mem_free(pass.prices);
	mem_free(pass.counted);
	mem_free(pass.awaited);
	mem_free(pass.unadmitted);
	mem_free(pass.admissions);
	mem_free(pass.reason_ids);
	return m;
}

void metrics_free(struct metrics *m)
{
	if (m == NULL)
		return;
	mem_free(m->reasons);
	mem_free(m->deadlocks);
	mem_free(m->teams);
	mem_free(m->team_of);
	busy_free(m->busy);
	mem_free(m->namespaces);
	cost_free(m->cost);
	mem_free(m->states);
	mem_free(m->more);
	mem_free(m);
}

/* ---- who waited longest ---- */

simtime metrics_waited(const struct metrics *m, uint32_t job)
{
	simtime submit = m->journal->scenario->jobs[job].submit;
	const struct replay_job *state = &m->states[job];

	if (!(state->flags & REPLAY_SUBMITTED) ||
	    (m->journal->scenario->jobs[job].common->flags & JOB_INACTIVE) != 0)
		return -1;
	if (state->first_start != CLOCK_NEVER)
		return state->first_start - submit;
	/* Cancelled ones had enough of waiting; the others wait until the end. */
	return (state->flags & REPLAY_DONE ? state->end : m->end) - submit;
}
