#include "sim/explain/explain.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "sim/explain/explain_look.h"
#include "sim/tool/nearest.h"

const char *explain_state_text(enum explain_state state)
{
	static const char *const texts[] = {
		[EXPLAIN_FUTURE] = "not submitted yet",
		[EXPLAIN_WAITING] = "waiting",
		[EXPLAIN_ADMITTED] = "admitted, not running yet",
		[EXPLAIN_RUNNING] = "running",
		[EXPLAIN_STOPPING] = "being stopped",
		[EXPLAIN_FINISHED] = "finished",
		[EXPLAIN_GONE] = "gone",
	};

	return texts[state];
}

const char *explain_class_text(enum explain_class class)
{
	static const char *const texts[] = {
		[EXPLAIN_NONE] = "",
		[EXPLAIN_NEVER] = "never",
		[EXPLAIN_BEHIND] = "behind",
		[EXPLAIN_UNTIL] = "until",
	};

	return texts[class];
}

/* ---- the look itself ---- */

static enum explain_state state_of(const struct explain_look *l)
{
	uint8_t flags = l->state->flags;

	if (!(flags & REPLAY_SUBMITTED))
		return EXPLAIN_FUTURE;
	if (flags & REPLAY_FINISHED)
		return EXPLAIN_FINISHED;
	if (flags & REPLAY_DONE)
		return EXPLAIN_GONE;
	if (flags & REPLAY_RUNNING)
		return EXPLAIN_RUNNING;
	if (flags & REPLAY_STOPPING)
		return EXPLAIN_STOPPING;
	if (l->state->admission != JOB_NONE)
		return EXPLAIN_ADMITTED;
	return EXPLAIN_WAITING;
}

/* The scheduler's last words on the job until then. */
static void find_words(const struct explain_look *l)
{
	struct explain *e = l->explain;

	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job != e->job)
			continue;
		if (r->kind == J_STATUS) {
			e->reason = journal_text(l->journal, r->arg);
			e->message = journal_text(l->journal, r->arg2);
		} else if (r->kind == J_POD_FAILED || r->kind == J_POD_FORBIDDEN) {
			e->reason = r->kind == J_POD_FAILED ? "FailedScheduling" : "Forbidden";
			e->message = journal_text(l->journal, r->arg);
		} else if (r->kind == J_QUOTA_RESERVED || r->kind == J_STARTED) {
			e->reason = e->message = "";
		}
	}
}

/* The end, for a job that never started. */
static simtime end_of(const struct explain_look *l)
{
	simtime end = l->column->metrics->end;

	return end > l->journal->end_time ? end : l->journal->end_time;
}

/* Just before what let the job in. A scheduler may see it a little later (Kueue
 * requeues in batches), when there is room already and nothing left to explain. */
static simtime cut_before(const struct explain_look *l, simtime first_start)
{
	size_t admission = explain_quota_admission(l);
	struct journal_record cause;
	simtime admitted;

	if (admission == l->journal->count || l->queue == SCENARIO_NONE)
		return first_start - 1;
	admitted = journal_read(l->replay->in, admission)->time;
	if (admitted < first_start)
		return first_start - 1; /* it waited for nodes */
	if (explain_quota_release(l, admission, &cause) && cause.time > l->job->submit &&
	    cause.time < admitted && cause.time >= admitted - l->column->options->requeue_batch)
		return cause.time - 1;
	return first_start - 1;
}

static simtime default_cut(const struct explain_look *l, simtime first_start)
{
	if (first_start == CLOCK_NEVER)
		return end_of(l);
	l->explain->before_start = first_start > l->job->submit;
	return l->explain->before_start ? cut_before(l, first_start) : first_start;
}

static void explain_now(const struct explain_look *l)
{
	bool managed = l->column->policy->admission != NULL &&
		       (l->job->common->flags & JOB_UNMANAGED) == 0;

	l->explain->state = state_of(l);
	find_words(l);
	if (l->explain->state == EXPLAIN_ADMITTED && explain_checks_why(l))
		return;
	if (l->explain->state == EXPLAIN_WAITING && managed)
		explain_quota_why(l);
	else if ((l->explain->state == EXPLAIN_WAITING || l->explain->state == EXPLAIN_ADMITTED) &&
		 l->replay->places_pods)
		explain_nodes_why(l);
}

struct explain *explain_new(const struct report_column *column, uint32_t job, simtime at)
{
	struct explain *e = mem_calloc(1, sizeof(*e));
	struct explain_look l = {
		.column = column,
		.scenario = column->scenario,
		.journal = column->journal,
		.replay = replay_new(column->journal),
		.explain = e,
		.job = &column->scenario->jobs[job],
		.queue = scenario_job_cluster_queue(column->scenario, job),
	};

	e->job = job;
	e->reason = e->message = "";
	l.cut = at == CLOCK_NEVER ? default_cut(&l, column->metrics->states[job].first_start) : at;
	e->at = l.cut;
	while (replay_step(l.replay, l.cut))
		continue;
	l.next = l.replay->last;
	l.state = &l.replay->jobs[job];
	explain_now(&l);
	explain_history_tell(&l);
	replay_free(l.replay);
	return e;
}

static void free_lines(struct explain_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		mem_free(lines->items[i]);
	mem_free(lines->items);
}

void explain_free(struct explain *e)
{
	if (e == NULL)
		return;
	free_lines(&e->use);
	free_lines(&e->change);
	free_lines(&e->history);
	mem_free(e->class_text);
	mem_free(e);
}

/* ---- finding the job ---- */

static enum err_code unknown_job(const struct scenario *s, const char *name, struct err *err)
{
	struct nearest nearest;
	char text[SCENARIO_NAME_TEXT];
	uint32_t best = JOB_NONE;

	nearest_begin(&nearest, name);
	for (uint32_t i = 0; i < s->job_count; i++) {
		size_t before = nearest.distance;

		nearest_offer(&nearest, scenario_job_name(s, i, text));
		if (nearest.distance < before)
			best = i;
	}
	if (best != JOB_NONE)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no job \"%.200s\"; did you mean \"%s\"?", name,
			       scenario_job_name(s, best, text));
	if (s->job_count > 0)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no job \"%.200s\" among %" PRIu32 " (the first is \"%s\")", name,
			       s->job_count, scenario_job_name(s, 0, text));
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "no job \"%.200s\": the input has no jobs",
		       name);
}

enum err_code explain_find(const struct scenario *s, const char *name, uint32_t *out,
			   struct err *err)
{
	const char *slash = strchr(name, '/');
	const char *plain = slash == NULL ? name : slash + 1;
	uint32_t found = JOB_NONE, elsewhere = JOB_NONE;
	char text[SCENARIO_NAME_TEXT];

	for (uint32_t i = 0; i < s->job_count; i++) {
		const char *ns = scenario_string(s, s->jobs[i].common->ns);

		if (strcmp(scenario_job_name(s, i, text), plain) != 0)
			continue;
		if (slash != NULL && (strlen(ns) != (size_t)(slash - name) ||
				      strncmp(ns, name, (size_t)(slash - name)) != 0)) {
			elsewhere = i;
			continue;
		}
		if (found != JOB_NONE)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "several jobs are called %.100s: say %.100s/%.100s or "
				       "%.100s/%.100s",
				       plain, scenario_string(s, s->jobs[found].common->ns), plain,
				       ns, plain);
		found = i;
	}
	*out = found;
	if (found == JOB_NONE && elsewhere != JOB_NONE)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no job \"%.100s\" in namespace %.*s; did you mean %.100s/%.100s?",
			       plain, (int)(slash - name), name,
			       scenario_string(s, s->jobs[elsewhere].common->ns), plain);
	return found == JOB_NONE ? unknown_job(s, plain, err) : ERR_OK;
}
