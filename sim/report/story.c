#include "sim/report/story.h"

#include "sim/report/chance.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "core/mem.h"
#include "core/survival.h"
#include "sim/tool/human.h"

#define SHOWN_JOBS 3 /* named in one sentence */

/* A sentence under construction; what does not fit is cut. */
struct text {
	char buf[1200];
	size_t len;
};

static void say(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text->buf + text->len, sizeof(text->buf) - text->len, fmt, ap);
	va_end(ap);
	text->len += n < 0 ? 0 : (size_t)n;
	if (text->len >= sizeof(text->buf))
		text->len = sizeof(text->buf) - 1;
}

static void append(char ***list, size_t *count, size_t *capacity, const char *text)
{
	*list = mem_grow(*list, *count + 1, capacity, sizeof(**list));
	(*list)[(*count)++] = mem_strdup(text);
}

static void tell(struct story *story, const struct text *text)
{
	append(&story->lines, &story->line_count, &story->line_capacity, text->buf);
}

static void assume(struct story *story, const struct text *text)
{
	append(&story->assumptions, &story->assumption_count, &story->assumption_capacity,
	       text->buf);
}

static void begin(struct text *text, const struct report_column *column, simtime at)
{
	char when[HUMAN_TEXT];

	text->len = 0;
	say(text, "%s: at %s ", column->title, human_time(at, when));
}

static const char *job_name(const struct report_column *column, uint32_t job,
			    char buf[SCENARIO_NAME_TEXT])
{
	return scenario_job_name(column->scenario, job, buf);
}

static const char *team_name(const struct report_column *column, uint32_t job)
{
	return column->metrics->teams[column->metrics->team_of[job]].name;
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- deadlock ---- */

static void say_holders(struct text *text, const struct report_column *column,
			const struct metrics_deadlock *d)
{
	const struct journal_set *set = &column->journal->sets[d->set];
	struct replay *replay = replay_new(column->journal);
	char name[SCENARIO_NAME_TEXT];

	while (replay_step(replay, d->since))
		continue;
	for (uint32_t i = 0; i < set->count && i < SHOWN_JOBS; i++) {
		const struct replay_job *job = &replay->jobs[set->jobs[i]];

		say(text, "%s%s holds %" PRIu32 " GPU%s with %" PRIu32 " of %" PRIu32 " pods",
		    i == 0 ? "" : ", ", job_name(column, set->jobs[i], name), job->bound,
		    plural(job->bound), job->bound_pods, job->wanted_pods);
	}
	if (set->count > SHOWN_JOBS)
		say(text, " and %" PRIu32 " more", set->count - SHOWN_JOBS);
	replay_free(replay);
}

static void tell_deadlock(struct story *story, const struct report_column *column)
{
	const struct metrics *m = column->metrics;
	const struct metrics_deadlock *d;
	struct text text;
	char a[HUMAN_TEXT], b[HUMAN_TEXT];
	uint32_t jobs;

	if (m->deadlock_count == 0)
		return;
	d = &m->deadlocks[0];
	jobs = column->journal->sets[d->set].count;
	begin(&text, column, d->since);
	say(&text, "%s: ", jobs == 1 ? "a job can never get all its pods" : "a deadlock");
	say_holders(&text, column, d);
	human_time(d->until - d->since, a);
	if (d->standing)
		say(&text, ". It stood to the end (%s)", a);
	else
		say(&text, ". It lasted %s", a);
	say(&text, " and held %s %s", human_gpu_time(d->held, human_gpu_unit(d->held), b),
	    human_gpu_unit_text(human_gpu_unit(d->held)));
	if (d->never_fits > 0)
		say(&text, "; %" PRIu32 " of the jobs could never fit even the empty cluster",
		    d->never_fits);
	say(&text, ".");
	tell(story, &text);
}

/* ---- who took from whom ---- */

/* Between teams if there is one; false: nobody was preempted. */
static bool first_preemption(const struct report_column *column, struct journal_record *first)
{
	struct journal_reader in;
	const struct journal_record *r;
	bool any = false;

	if (!journal_has(column->journal, J_PREEMPTED))
		return false;
	journal_open(&in, column->journal);
	while ((r = journal_until(&in, column->metrics->end)) != NULL) {
		bool between = r->kind == J_PREEMPTED &&
			       column->metrics->team_of[r->job] != column->metrics->team_of[r->arg];

		if (between || (r->kind == J_PREEMPTED && !any))
			*first = *r;
		any = any || r->kind == J_PREEMPTED;
		if (between)
			break;
	}
	return any;
}

/* Jobs and GPUs that were preempted for the same job at the same time. */
static uint32_t count_victims(const struct report_column *column,
			      const struct journal_record *first, uint32_t *gpus)
{
	struct journal_reader in;
	const struct journal_record *r;
	uint32_t victims = 0;

	journal_open(&in, column->journal);
	while ((r = journal_until(&in, first->time)) != NULL) {
		if (r->time != first->time || r->kind != J_PREEMPTED || r->arg != first->arg)
			continue;
		victims++;
		*gpus += column->scenario->jobs[r->job].common->gpus;
	}
	return victims;
}

static void tell_preemption(struct story *story, const struct report_column *column)
{
	struct journal_record first;
	struct text text;
	char name[SCENARIO_NAME_TEXT];
	uint32_t victims, gpus = 0;
	bool own;

	if (!first_preemption(column, &first))
		return;
	own = column->metrics->team_of[first.job] == column->metrics->team_of[first.arg];
	begin(&text, column, first.time);
	victims = count_victims(column, &first, &gpus);
	say(&text, "%s of %s ", job_name(column, first.arg, name), team_name(column, first.arg));
	if (own)
		say(&text, "replaced work of its own queue");
	else
		say(&text, "took back from %s", team_name(column, first.job));
	say(&text, ": %" PRIu32 " job%s with %" PRIu32 " GPU%s stopped, %s first (%s).", victims,
	    plural(victims), gpus, plural(gpus), job_name(column, first.job, name),
	    journal_text(column->journal, first.arg2));
	tell(story, &text);
}

static void tell_pod_preemption(struct story *story, const struct report_column *column)
{
	struct journal_reader in;
	const struct journal_record *r;
	struct text text;
	char name[SCENARIO_NAME_TEXT];

	if (!journal_has(column->journal, J_POD_PREEMPTED))
		return;
	journal_open(&in, column->journal);
	while ((r = journal_until(&in, column->metrics->end)) != NULL) {
		if (r->kind != J_POD_PREEMPTED)
			continue;
		begin(&text, column, r->time);
		say(&text, "the first of %" PRIu32 " pods was preempted: one of %s.",
		    column->metrics->preempted_pods, job_name(column, r->job, name));
		tell(story, &text);
		return;
	}
}

/* ---- who waited longest ---- */

/* Does the journal say why anybody waits? */
static bool has_words(const struct journal *j)
{
	return journal_has(j, J_STATUS) || journal_has(j, J_POD_FAILED) ||
	       journal_has(j, J_POD_FORBIDDEN) || journal_has(j, J_CHECK_WAITS) ||
	       journal_has(j, J_SECOND_PASS_FAILED) || journal_has(j, J_PROVISIONING_REQUESTED);
}

/* Why it waited, as the scheduler last put it; NULL: nothing was kept. */
static const char *last_words(const struct report_column *column, uint32_t job)
{
	const struct journal *j = column->heard != NULL ? column->heard : column->journal;
	simtime start = column->metrics->states[job].first_start;
	struct journal_reader in;
	const struct journal_record *r;
	const char *words = NULL;
	bool asked = false; /* for nodes, and nobody has answered yet */

	if (!has_words(j))
		return NULL;
	journal_open(&in, j);
	while ((r = journal_until(&in, column->metrics->end < start ? column->metrics->end
								    : start)) != NULL) {
		if (r->job != job)
			continue;
		if (r->kind == J_PROVISIONING_REQUESTED)
			asked = true;
		else if (r->kind == J_CHECK_UPDATED || r->kind == J_CHECK_WAITS)
			asked = false;
		if (r->kind == J_STATUS)
			words = journal_text(j, r->arg2);
		else if (r->kind == J_POD_FAILED || r->kind == J_POD_FORBIDDEN ||
			 r->kind == J_CHECK_WAITS || r->kind == J_SECOND_PASS_FAILED)
			words = journal_text(j, r->arg);
	}
	if (j->detail == JOURNAL_THINNED) /* the last may be missing */
		return NULL;
	if (asked)
		return "its request for nodes was not answered";
	return words != NULL && words[0] != '\0' ? words : NULL;
}

static void tell_longest(struct story *story, const struct report_column *column)
{
	const struct metrics *m = column->metrics;
	uint32_t job = m->longest;
	const char *words;
	struct text text = {.len = 0};
	char name[SCENARIO_NAME_TEXT], wait[HUMAN_TEXT];

	if (job == JOB_NONE)
		return;
	words = last_words(column, job);
	say(&text, "%s: %s of %s (%" PRIu32 " GPU%s) ", column->title, job_name(column, job, name),
	    team_name(column, job), column->scenario->jobs[job].common->gpus,
	    plural(column->scenario->jobs[job].common->gpus));
	human_time(metrics_waited(m, job), wait);
	if (m->states[job].first_start != CLOCK_NEVER)
		say(&text, "waited longest, %s", wait);
	else
		say(&text, "waited longest, %s, and never started", wait);
	if (words != NULL)
		say(&text, ": %s", words);
	if (text.buf[text.len - 1] != '.')
		say(&text, ".");
	tell(story, &text);
}

static void tell_starved(struct story *story, const struct report_column *column)
{
	const struct starved *starved = &column->metrics->starved;
	struct text text = {.len = 0};
	char name[SCENARIO_NAME_TEXT], a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (starved->jobs == 0)
		return;
	say(&text, "%s: %s job%s passed by %d or more that came later and need no more; %s by %s.",
	    column->title, human_count(starved->jobs, a), starved->jobs == 1 ? " was" : "s were",
	    STARVED_OVERTAKES, job_name(column, starved->worst, name),
	    human_count(starved->overtakes, b));
	tell(story, &text);
}

static void tell_awaiting(struct story *story, const struct report_column *column)
{
	const struct metrics *m = column->metrics;
	struct text text = {.len = 0};

	if (m->awaited_node_ever == 0)
		return;
	if (m->gpus_quota > m->gpus_peak)
		say(&text, "%s: the queues promise %" PRId64 " GPUs, the nodes have %" PRId64 "; ",
		    column->title, m->gpus_quota, m->gpus_peak);
	else
		say(&text, "%s: quota is not capacity: ", column->title);
	say(&text,
	    "%" PRIu32 " job%s admitted while the nodes had no room for "
	    "all pods; %" PRIu32 " still wait%s for a node at the end.",
	    m->awaited_node_ever, m->awaited_node_ever == 1 ? " was" : "s were", m->awaiting_node,
	    m->awaiting_node == 1 ? "s" : "");
	tell(story, &text);
}

/* ---- nodes that come and go ---- */

static void tell_scaling(struct story *story, const struct report_column *column)
{
	struct journal_reader in;
	const struct journal_record *r;
	struct text text = {.len = 0};
	char a[HUMAN_TEXT], b[HUMAN_TEXT];
	uint32_t joined = 0, removed = 0;

	if (!journal_has(column->journal, J_SCALE))
		return;
	journal_open(&in, column->journal);
	while ((r = journal_until(&in, column->metrics->end)) != NULL) {
		joined += r->kind == J_SCALE && r->arg2 == SCALE_JOINED;
		removed += r->kind == J_SCALE && r->arg2 == SCALE_REMOVED;
	}
	if (joined == 0 && removed == 0)
		return;
	say(&text, "%s: the autoscaler brought %s node%s and took %s away.", column->title,
	    human_count(joined, a), plural(joined), human_count(removed, b));
	tell(story, &text);
}

/* The first that failed, and why. */
static void tell_failed(struct story *story, const struct report_column *column)
{
	const struct journal *j = column->journal;
	struct text text = {.len = 0};
	char name[SCENARIO_NAME_TEXT];
	struct journal_reader in;
	const struct journal_record *r;

	if (column->metrics->failed == 0)
		return;
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL && r->kind != J_FAILED)
		continue;
	if (r == NULL)
		return;
	begin(&text, column, r->time);
	say(&text, "%s of %s failed: %s", scenario_job_name(j->scenario, r->job, name),
	    column->metrics->teams[column->metrics->team_of[r->job]].name, journal_text(j, r->arg));
	if (column->metrics->failed > 1)
		say(&text, "; %" PRIu32 " jobs failed in all", column->metrics->failed);
	say(&text, ".");
	tell(story, &text);
}

static void tell_end(struct story *story, const struct report_column *column)
{
	const struct journal *j = column->journal;
	struct text text = {.len = 0};
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	human_time(j->end_time, when);
	if (j->end == RUN_LIVELOCK) {
		say(&text, "%s: LIVELOCK at %s: evictions never end, among ", column->title, when);
		for (uint32_t i = 0; i < j->livelock_count && i < 4 * SHOWN_JOBS; i++)
			say(&text, "%s%s", i == 0 ? "" : ", ",
			    job_name(column, j->livelock_jobs[i], name));
		say(&text, "; figures are of what was simulated until then.");
	} else if (j->end == RUN_INTERRUPTED) {
		say(&text, "%s: PARTIAL: interrupted at %s; figures are of what was simulated.",
		    column->title, when);
	} else if (j->end == RUN_MAX_TIME) {
		say(&text, "%s: PARTIAL: stopped at %s (--max-time).", column->title, when);
	} else {
		return;
	}
	tell(story, &text);
}

/* ---- chance ---- */

static void say_range(struct text *text, const char *low, const char *high, const char *what)
{
	if (strcmp(low, high) == 0)
		say(text, "%s%s", low, what);
	else
		say(text, "%s to %s%s", low, high, what);
}

static void tell_ties(struct story *story, const struct report_column *column)
{
	const struct chance *c = column->chance;
	enum human_unit unit = human_gpu_unit(c->high.idle);
	char low[HUMAN_TEXT], high[HUMAN_TEXT];
	struct text text = {.len = 0};

	say(&text, "%s: over %" PRIu32 " random choices among equal nodes: jobs finished ",
	    column->title, c->seeds);
	say_range(&text, human_count(c->low.finished, low), human_count(c->high.finished, high),
		  ", deadlocks ");
	say_range(&text, human_count(c->low.deadlocks, low), human_count(c->high.deadlocks, high),
		  ", idle ");
	say(&text, "%s ", human_gpu_unit_text(unit));
	say_range(&text, human_gpu_time(c->low.idle, unit, low),
		  human_gpu_time(c->high.idle, unit, high), ", p95 wait ");
	say_range(&text, human_wait(c->low.p95, low), human_wait(c->high.p95, high), ".");
	tell(story, &text);
}

/* Only where the scheduler's pace matters. */
static void tell_drain(struct story *story, const struct report_column *column)
{
	const struct chance_figures now = chance_figures_of(column->metrics);
	const struct chance_figures *f = &column->chance->other;
	enum human_unit unit = human_gpu_unit(f->idle);
	char idle[HUMAN_TEXT], p95[HUMAN_TEXT], count[HUMAN_TEXT];
	struct text text = {.len = 0};

	if (!chance_differs(&now, f))
		return;
	say(&text,
	    "%s: with --drain %s (a live cluster is between the two) %s jobs finish, %" PRIu32
	    " deadlock%s, %s idle %s, p95 wait %s.",
	    column->title, column->options->drain == DRAIN_EACH ? "instant" : "each",
	    human_count(f->finished, count), f->deadlocks, f->deadlocks == 1 ? "" : "s",
	    human_gpu_time(f->idle, unit, idle), human_gpu_unit_text(unit),
	    human_wait(f->p95, p95));
	tell(story, &text);
}

static void tell_chance(struct story *story, const struct report_column *column)
{
	if (column->chance == NULL)
		return;
	if (column->chance->seeds > 0)
		tell_ties(story, column);
	if (column->chance->drained)
		tell_drain(story, column);
}

/* ---- waits that the window cuts off ---- */

static double cut_wait(const struct metrics *m, double p, bool *at_least, size_t *censored)
{
	uint32_t jobs = m->journal->scenario->job_count;
	struct survival_time *times = mem_calloc(jobs, sizeof(*times));
	struct survival_quantile q;
	size_t count = 0;

	for (uint32_t i = 0; i < jobs; i++) {
		bool started = m->states[i].first_start != CLOCK_NEVER;

		if (metrics_waited(m, i) >= 0 &&
		    (started || (m->states[i].flags & REPLAY_DONE) == 0))
			times[count++] = (struct survival_time){
				(double)metrics_waited(m, i) / CLOCK_SECOND, !started};
	}
	survival_sort(times, count);
	q = survival_quantile(times, count, p, 0.95);
	mem_free(times);
	*at_least = q.at_least;
	*censored = q.censored;
	return q.value;
}

/* Where --max-time ended the run, those that wait may start yet: never is too hard a word. */
static void tell_cut_waits(struct story *story, const struct report_column *column)
{
	bool median_open, p95_open;
	char a[HUMAN_TEXT], b[HUMAN_TEXT], c[HUMAN_TEXT];
	struct text text = {.len = 0};
	size_t waiting;
	double median, p95;

	if (column->journal->end != RUN_MAX_TIME)
		return;
	median = cut_wait(column->metrics, 0.5, &median_open, &waiting);
	p95 = cut_wait(column->metrics, 0.95, &p95_open, &waiting);
	if (waiting == 0)
		return;
	say(&text,
	    "%s: --max-time cuts off the waits of %s job%s. Counted as having waited at least so "
	    "long (Kaplan and Meier), the median wait is %s%s, p95 %s%s.",
	    column->title, human_count((int64_t)waiting, a), waiting == 1 ? "" : "s",
	    median_open ? "at least " : "", human_wait(median, b), p95_open ? "at least " : "",
	    human_wait(p95, c));
	tell(story, &text);
}

/* ---- assumptions ---- */

static bool any_admission(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report->columns[i].policy->admission != NULL)
			return true;
	}
	return false;
}

static bool any_without_admission(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report->columns[i].policy->admission == NULL)
			return true;
	}
	return false;
}

static bool any_placement(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report->columns[i].metrics->places_pods)
			return true;
	}
	return false;
}

static bool any_chance(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct report_column *column = &report->columns[i];

		if (column->metrics->places_pods && column->policy->placement->leaves_to_chance)
			return true;
	}
	return false;
}

static void assume_window(struct story *story, const struct report *report)
{
	const struct metrics *m = report->columns[0].metrics;
	struct text text = {.len = 0};
	char when[HUMAN_TEXT];

	if (report->count < 2)
		return;
	say(&text, "All columns are measured over the same window, the longest: %s.",
	    human_time(m->end - m->begin, when));
	assume(story, &text);
}

static void assume_work(struct story *story, const struct run_options *o)
{
	struct text text = {.len = 0};

	if (o->checkpointing == CHECKPOINT_RESUME)
		say(&text, "Preempted work resumes where it stopped (--checkpointing resume).");
	else
		say(&text, "Preempted work starts over, unless its job says that it saves "
			   "checkpoints (--checkpointing resume: all do).");
	assume(story, &text);
}

static void assume_timings(struct story *story, const struct report *report,
			   const struct run_options *o)
{
	struct text text = {.len = 0};
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	say(&text, "Scheduling, binding and starting a pod take no time");
	if (any_admission(report))
		say(&text, "; Kueue requeues in batches of %s and evicted jobs keep their quota %s",
		    human_time(o->requeue_batch, a), human_time(o->eviction_delay, b));
	say(&text, ".");
	assume(story, &text);
}

static void assume_ties(struct story *story, const struct run_options *o)
{
	struct text text = {.len = 0};

	if (o->tie == TIE_FIRST)
		say(&text, "Of equally good nodes the first in the input is taken; a cluster takes "
			   "a random one (--tie random --seed N).");
	else
		say(&text, "Equally good nodes are drawn at random, seed %" PRIu64 ".", o->seed);
	if (o->create == CREATE_SEQUENTIAL)
		say(&text, " Pods are created job by job; a cluster may mix jobs submitted at "
			   "once (--create interleaved).");
	else
		say(&text, " Pods of jobs submitted at once are created in turn.");
	assume(story, &text);
}

static void assume_hardware(struct story *story, const struct report *report)
{
	const struct report_column *column = &report->columns[0];
	struct text text = {.len = 0};

	if (column->scenario->node_count == 0 && any_without_admission(report))
		say(&text,
		    "The input has no nodes, so nothing holds plain Kubernetes back: give it "
		    "some (--nodes h100=4x8) to compare. Under Kueue quota alone decides; the "
		    "capacity is the sum of all quotas.");
	else if (column->scenario->node_count == 0)
		say(&text, "The input has no nodes: quota alone decides, and the capacity is the "
			   "sum of all quotas.");
	else if (!any_placement(report) && column->options->placement == PLACEMENT_NONE)
		say(&text, "Nodes place nothing (--placement none): a job runs once admitted.");
	else
		return;
	assume(story, &text);
}

static void assume_autoscaler(struct story *story, const struct report *report)
{
	const struct scenario *s = report->columns[0].scenario;
	const struct autoscaler_config *config = &s->autoscaler;
	struct text text = {.len = 0};
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (s->pool_count == 0)
		return;
	say(&text,
	    "The autoscaler looks at the cluster every %s, tries pools in the order of the input "
	    "and fills them by first fit; empty nodes go after %s. Booting takes ",
	    human_time(config->scan_interval, a), human_time(config->unneeded_time, b));
	for (uint32_t p = 0; p < s->pool_count && p < SHOWN_JOBS; p++)
		say(&text, "%s%s (%s)", p == 0 ? "" : ", ", human_time(s->pools[p].boot_delay, a),
		    scenario_string(s, s->pools[p].name));
	say(&text, "%s.", s->pool_count > SHOWN_JOBS ? ", ..." : "");
	assume(story, &text);
}

static void assume_queues(struct story *story, const struct report *report)
{
	struct text text = {.len = 0};

	if (!report->columns[0].scenario->derived_queues)
		return;
	say(&text, "The trace has no ClusterQueues: one was made of each of its virtual clusters, "
		   "all in one cohort, with quota in proportion to its use of the trace, or as a "
		   "file of sizes says.");
	assume(story, &text);
}

static void assume_prices(struct story *story, const struct report *report)
{
	const struct scenario *s = report->columns[0].scenario;
	struct text text = {.len = 0};
	char a[HUMAN_TEXT];

	if (report->columns[0].metrics->cost == NULL)
		return;
	if (s->price_date != NAME_NONE)
		say(&text, "Prices are of %s, ", scenario_string(s, s->price_date));
	else
		say(&text, "Prices are ");
	say(&text,
	    "of nodes that are there, used or not; a month is %s hours, a twelfth of 52 "
	    "weeks.",
	    human_count(MONEY_MONTH / CLOCK_HOUR, a));
	assume(story, &text);
}

/* Of jobs that wait for the end of others, those that never came. */
static uint32_t never_came(const struct report_column *column)
{
	const struct scenario *s = column->journal->input;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->after_count; i++)
		count += (column->metrics->states[s->afters[i].job].flags & REPLAY_SUBMITTED) == 0;
	return count;
}

static void assume_dependencies(struct story *story, const struct report *report)
{
	uint32_t count = report->columns[0].scenario->after_count;
	struct text text = {.len = 0};

	if (count == 0 || report->columns[0].options->dependencies == DEPENDENCIES_IGNORE)
		return;
	say(&text,
	    "%" PRIu32 " job%s submitted when another has ended, under each policy at times of "
	    "%s own (--dependencies ignore: when the list says)",
	    count, count == 1 ? " is" : "s are", count == 1 ? "its" : "their");
	for (size_t i = 0; i < report->count; i++) {
		uint32_t never = never_came(&report->columns[i]);

		if (never != 0)
			say(&text, "; under %s %" PRIu32 " never came, as that did not end",
			    report->columns[i].title, never);
	}
	say(&text, ".");
	assume(story, &text);
}

/* ---- all of it ---- */

struct story *story_new(const struct report *report)
{
	struct story *story = mem_calloc(1, sizeof(*story));
	const struct run_options *o = report->columns[0].options;

	for (size_t i = 0; i < report->count; i++) {
		const struct report_column *column = &report->columns[i];

		tell_end(story, column);
		tell_deadlock(story, column);
		tell_preemption(story, column);
		if (column->policy->admission == NULL)
			tell_pod_preemption(story, column);
		tell_scaling(story, column);
		tell_awaiting(story, column);
		tell_failed(story, column);
		tell_longest(story, column);
		tell_starved(story, column);
		tell_cut_waits(story, column);
		tell_chance(story, column);
	}
	assume_hardware(story, report);
	assume_window(story, report);
	assume_work(story, o);
	assume_timings(story, report, o);
	if (any_chance(report))
		assume_ties(story, o);
	assume_queues(story, report);
	assume_autoscaler(story, report);
	assume_dependencies(story, report);
	assume_prices(story, report);
	return story;
}

void story_free(struct story *story)
{
	if (story == NULL)
		return;
	for (size_t i = 0; i < story->line_count; i++)
		mem_free(story->lines[i]);
	for (size_t i = 0; i < story->assumption_count; i++)
		mem_free(story->assumptions[i]);
	mem_free(story->lines);
	mem_free(story->assumptions);
	mem_free(story);
}
