#include "sim/report/busy.h"

#include "core/mem.h"
#include "core/sort.h"
#include "core/stats.h"

#define WEEK (7 * CLOCK_DAY)

/* What a group's figures hold of a job. */
struct part {
	uint32_t held, running; /* GPUs */
	bool pending;
	bool failed;
};

/* Of a group, at this instant. */
struct level {
	simtime since;
	int64_t held, running;
	int64_t busy; /* thousandths of GPUs */
	uint32_t pending;
};

struct pass {
	struct busy *busy;
	struct replay *replay;
	const uint32_t *group_of;
	struct part *parts; /* [job] */
	struct level *levels;
	simtime last_submit; /* or the window's end where all came at once */
};

static void settle(struct pass *pass, uint32_t g, simtime now)
{
	struct busy_group *group = &pass->busy->groups[g];
	struct level *level = &pass->levels[g];
	simtime dt = now - level->since;
	simtime coming = (now < pass->last_submit ? now : pass->last_submit) - level->since;

	if (dt <= 0)
		return;
	level->since = now;
	group->held = res_add(group->held, res_mul(level->held, dt));
	group->running = res_add(group->running, res_mul(level->running, dt));
	group->busy = res_add(group->busy, money_part(level->busy, dt, BUSY_FULL));
	group->pending = res_add(group->pending, res_mul(level->pending, dt));
	dwell_add(&group->gpus, (uint32_t)level->held, dt);
	if (coming > 0)
		dwell_add(&group->coming, (uint32_t)level->held, coming);
	if (level->held > 0)
		dwell_add(&group->level, (uint32_t)(level->busy / level->held), dt);
}

static struct part part_of(const struct replay *replay, uint32_t index)
{
	const struct replay_job *job = &replay->jobs[index];
	bool solo = (replay->journal->scenario->jobs[index].common->flags & JOB_SOLO) != 0;
	uint32_t working = replay_more(replay->jobs, replay->more, index)->working;
	struct part part = {.held = job->bound};

	if (solo || working != 0)
		part.running = working;
	else if ((job->flags & REPLAY_RUNNING) != 0)
		part.running = job->wanted;
	part.pending = (job->flags & (REPLAY_SUBMITTED | REPLAY_DONE | REPLAY_RUNNING |
				      REPLAY_SUSPENDED)) == REPLAY_SUBMITTED;
	return part;
}

static void move(struct pass *pass, uint32_t g, const struct part *from, const struct part *to,
		 uint16_t utilisation)
{
	struct level *level = &pass->levels[g];
	int64_t more = (int64_t)to->running - from->running;

	settle(pass, g, pass->replay->now);
	level->held += (int64_t)to->held - from->held;
	level->running += more;
	level->busy += more * utilisation;
	level->pending += (uint32_t)to->pending - (uint32_t)from->pending;
}

static void follow(struct pass *pass, const struct journal_record *r)
{
	struct part *part = &pass->parts[r->job], now = part_of(pass->replay, r->job);
	uint16_t utilisation = pass->replay->journal->scenario->jobs[r->job].utilisation;

	now.failed = part->failed || r->kind == J_FAILED;
	if (now.held != part->held || now.running != part->running ||
	    now.pending != part->pending) {
		move(pass, pass->group_of[r->job], part, &now, utilisation);
		move(pass, pass->busy->count, part, &now, utilisation);
	}
	*part = now;
}

/* Waits that begin and end in one instant are none. */
static void raise_pending(struct pass *pass, uint32_t g)
{
	if (pass->levels[g].pending > pass->busy->groups[g].pending_most)
		pass->busy->groups[g].pending_most = pass->levels[g].pending;
}

static void step(struct pass *pass)
{
	const struct replay *replay = pass->replay;

	for (size_t i = replay->first; i < replay->last; i++) {
		const struct journal_record *r = journal_read(replay->in, i);

		if (r->job != JOB_NONE)
			follow(pass, r);
	}
	for (size_t i = replay->first; i < replay->last; i++) {
		uint32_t job = journal_read(replay->in, i)->job;

		if (job != JOB_NONE)
			raise_pending(pass, pass->group_of[job]);
	}
	raise_pending(pass, pass->busy->count);
}

/* Levels that held from one time to another, on the weeks they fall into. */
static void count_weeks(struct pass *pass, int64_t gpus, int64_t milli, simtime from, simtime to)
{
	struct busy *busy = pass->busy;

	while (from < to) {
		uint32_t week = (uint32_t)(from / WEEK);
		simtime until = (week + 1) * WEEK < to ? (week + 1) * WEEK : to;

		busy->week_capacity[week] =
			res_add(busy->week_capacity[week], res_mul(gpus, until - from));
		busy->week_busy[week] =
			res_add(busy->week_busy[week], money_part(milli, until - from, BUSY_FULL));
		from = until;
	}
}

static void play(struct pass *pass)
{
	struct busy *busy = pass->busy;
	int64_t gpus = pass->replay->levels.gpus, milli = 0;
	simtime at = 0;

	while (replay_step(pass->replay, busy->window)) {
		count_weeks(pass, gpus, milli, at, pass->replay->now);
		at = pass->replay->now > at ? pass->replay->now : at;
		step(pass);
		gpus = pass->replay->levels.gpus;
		milli = pass->levels[busy->count].busy;
	}
	count_weeks(pass, gpus, milli, at, busy->window);
	for (uint32_t g = 0; g <= busy->count; g++)
		settle(pass, g, busy->window);
}

/* What jobs burned that were given up: failed, or taken away by who submitted them. */
static void count_burned(struct pass *pass)
{
	const struct replay *replay = pass->replay;
	struct busy_group *all = &pass->busy->groups[pass->busy->count];

	for (uint32_t i = 0; i < replay->journal->scenario->job_count; i++) {
		struct busy_group *group = &pass->busy->groups[pass->group_of[i]];
		int64_t work = replay_work(replay, i, pass->busy->window);

		uint16_t ended = replay->journal->scenario->jobs[i].common->flags;
		bool finished = (replay->jobs[i].flags & REPLAY_FINISHED) != 0;

		/* What the trace says was given up did all the work that it ever did. */
		if ((replay->jobs[i].flags & REPLAY_DONE) == 0 ||
		    (finished && (ended & (JOB_CRASHED | JOB_KILLED)) == 0))
			continue;
		if (finished ? (ended & JOB_CRASHED) != 0 : pass->parts[i].failed) {
			group->crashed = res_add(group->crashed, work);
			all->crashed = res_add(all->crashed, work);
		} else {
			group->cancelled = res_add(group->cancelled, work);
			all->cancelled = res_add(all->cancelled, work);
		}
	}
}

static simtime last_submit(const struct scenario *s, simtime end)
{
	simtime last = 0;

	for (uint32_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].submit > last && s->jobs[i].submit < end)
			last = s->jobs[i].submit;
	return last > 0 ? last : end;
}

struct busy *busy_new(const struct journal *journal, const uint32_t *group_of, uint32_t count,
		      simtime end)
{
	struct busy *busy = mem_calloc(1, sizeof(*busy));
	struct pass pass = {.busy = busy,
			    .replay = replay_new(journal),
			    .group_of = group_of,
			    .last_submit = last_submit(journal->scenario, end)};

	busy->window = end;
	busy->count = count;
	busy->groups = mem_calloc((size_t)count + 1, sizeof(*busy->groups));
	busy->week_count = (uint32_t)(end / WEEK) + 1;
	busy->week_busy = mem_calloc(busy->week_count, sizeof(*busy->week_busy));
	busy->week_capacity = mem_calloc(busy->week_count, sizeof(*busy->week_capacity));
	pass.parts = mem_calloc(journal->scenario->job_count, sizeof(*pass.parts));
	pass.levels = mem_calloc((size_t)count + 1, sizeof(*pass.levels));
	play(&pass);
	count_burned(&pass);
	replay_free(pass.replay);
	mem_free(pass.parts);
	mem_free(pass.levels);
	return busy;
}

void busy_free(struct busy *busy)
{
	if (busy == NULL)
		return;
	for (uint32_t g = 0; g <= busy->count; g++) {
		dwell_free(&busy->groups[g].level);
		dwell_free(&busy->groups[g].gpus);
		dwell_free(&busy->groups[g].coming);
	}
	mem_free(busy->groups);
	mem_free(busy->week_busy);
	mem_free(busy->week_capacity);
	mem_free(busy);
}

static double ratio(int64_t part, int64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

double busy_share(const struct busy_group *group)
{
	return ratio(group->busy, group->held);
}

double busy_p95(const struct busy_group *group)
{
	return (double)dwell_quantile(&group->level, 950) / BUSY_FULL;
}

int64_t busy_of_job(const struct replay *replay, uint32_t job)
{
	return (int64_t)part_of(replay, job).running *
	       replay->journal->scenario->jobs[job].utilisation;
}

static int compare_shares(const void *a, const void *b, void *context)
{
	double x = *(const double *)a, y = *(const double *)b;

	(void)context;
	return (x > y) - (x < y);
}

double busy_typical_week(const struct busy *busy)
{
	uint32_t full = (uint32_t)(busy->window / WEEK);
	double *shares = mem_calloc((size_t)full + 1, sizeof(*shares)), result;

	shares[0] = ratio(busy->week_busy[0], busy->week_capacity[0]); /* shorter than a week */
	for (uint32_t w = 0; w < full; w++)
		shares[w] = ratio(busy->week_busy[w], busy->week_capacity[w]);
	full = full == 0 ? 1 : full;
	sort_stable(shares, full, sizeof(*shares), compare_shares, NULL);
	result = stats_quantile_sorted(shares, full, 0.5);
	mem_free(shares);
	return result;
}
