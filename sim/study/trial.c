#include "sim/study/trial.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/study/study.h"

enum err_code trial_load(const struct trial_setup *setup, const struct trial *trial,
			 struct scenario **out, struct trace_summary *trace, struct err *err)
{
	struct cmd_input input;
	const char **sets;
	uint32_t given;
	enum err_code code;

	cmd_input(setup->args, setup->args->operand_count, &input);
	given = input.request.set_count;
	sets = mem_calloc((size_t)given + trial->set_count, sizeof(*sets));
	for (uint32_t i = 0; i < given; i++)
		sets[i] = input.request.sets[i];
	for (uint32_t i = 0; i < trial->set_count; i++)
		sets[given + i] = trial->sets[i];
	if (trial->seed != 0) { /* what is made up is drawn anew, too */
		input.request.seeded = true;
		input.request.seed = trial->seed;
	}
	input.request.sets = sets;
	input.request.set_count = given + trial->set_count;
	code = input_load(&input.request, out, trace, err);
	cmd_input_free(&input);
	mem_free(sets);
	return code;
}

enum err_code trial_options(const struct trial_setup *setup, const struct trial *trial,
			    const struct scenario *scenario, struct run_options *out,
			    struct err *err)
{
	enum err_code code = cmd_run_options(setup->args, scenario, out, err);

	if (trial->seed != 0) {
		out->tie = TIE_RANDOM;
		out->seed = trial->seed;
	}
	out->stop = setup->context->stop;
	return code;
}

/* ---- figures ---- */

static void judge(const struct trial_setup *setup, struct trial *trial, const struct metrics *m)
{
	trial->met = true;
	for (size_t i = 0; i < setup->goals->count; i++) {
		const struct goal *goal = &setup->goals->items[i];
		double ratio;

		trial->values[i] = goal_value(goal, m);
		ratio = goal_ratio(goal, trial->values[i]);
		trial->met = trial->met && ratio <= 1;
		trial->score = i == 0 || ratio > trial->score ? ratio : trial->score;
	}
}

static void take_figures(struct trial *trial, const struct metrics *m)
{
	trial->utilisation = m->utilisation;
	trial->allocation = m->allocation;
	trial->wait = m->wait;
	trial->jobs = m->jobs;
	trial->finished = m->finished;
	trial->never_started = m->never_started;
	trial->never_fit = m->never_fit;
	trial->unplaced =
		m->awaited_node_ever < m->never_started ? m->awaited_node_ever : m->never_started;
	trial->waits_for_quota =
		m->admission && (isinf(m->wait.p95) ? m->awaiting_node * 2 <= m->waiting_at_end
						    : m->admission_wait.p95 * 2 >= m->wait.p95);
	trial->preemptions =
		m->admission || m->preemptions != 0 ? m->preemptions : m->preempted_pods;
	trial->gpus = m->gpus_peak;
	trial->lost = m->lost;
	trial->useful = m->useful;
	trial->idle = m->idle;
	trial->stranded = m->stranded;
	trial->capacity = m->capacity;
	trial->window = m->end - m->begin;
	trial->month = m->cost == NULL ? 0 : m->cost->month;
}

/* Jobs that name a queue that leads nowhere. */
static uint32_t count_unqueued(const struct scenario *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->job_count; i++)
		count += s->jobs[i].common->queue != NAME_NONE &&
			 scenario_job_cluster_queue(s, i) == SCENARIO_NONE;
	return count;
}

static void take_detail(struct trial *trial, const struct journal *journal, const struct metrics *m)
{
	struct trial_detail *detail;

	trial->arena = mem_arena_new();
	detail = mem_arena_alloc(trial->arena, sizeof(*detail));
	detail->busy = busy_new(journal, m->team_of, m->team_count, m->end);
	detail->teams = mem_arena_alloc(trial->arena, m->team_count * sizeof(*detail->teams));
	detail->team_count = m->team_count;
	for (uint32_t t = 0; t < m->team_count; t++) {
		const struct metrics_team *team = &m->teams[t];

		detail->teams[t] = (struct trial_team){
			.name = team->superseded ? NULL
						 : mem_arena_strdup(trial->arena, team->name),
			.nominal = team->nominal,
			.jobs = team->jobs,
			.wait = team->wait,
			.used = m->cost == NULL ? 0 : m->cost->teams[t].used,
			.borrowed = m->cost == NULL ? 0 : m->cost->teams[t].borrowed};
	}
	trial->typical_week = busy_typical_week(detail->busy);
	trial->detail = detail;
}

/* ---- running ---- */

static enum err_code check(const struct trial_setup *setup, const struct journal *journal,
			   const struct metrics *m, const struct audit *audit, struct err *err)
{
	char text[AUDIT_TEXT];

	if (audit->count > 0)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "the run fails its audit: %.200s",
			       audit_text(journal, &audit->listed[0], text));
	if (journal->end == RUN_LIVELOCK)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "jobs evict each other without end");
	return goal_check(setup->goals, m, err);
}

static enum err_code measure(const struct trial_setup *setup, struct trial *trial,
			     const struct journal *journal, struct err *err)
{
	simtime window = metrics_window(journal);
	enum err_code code = study_countable(journal->scenario, window, err);
	struct metrics *m;
	struct audit audit;

	if (code != ERR_OK)
		return code;
	m = metrics_audited(journal, setup->policy->admission != NULL, window, &audit);
	code = check(setup, journal, m, &audit, err);
	if (code == ERR_OK) {
		judge(setup, trial, m);
		take_figures(trial, m);
		if (m->admission)
			trial->unqueued = count_unqueued(journal->scenario);
		if (trial->detailed)
			take_detail(trial, journal, m);
	}
	metrics_free(m);
	return code;
}

static enum err_code simulate(const struct trial_setup *setup, struct trial *trial,
			      const struct scenario *scenario, struct err *err)
{
	struct run_options options;
	struct journal *journal = NULL;
	enum err_code code = trial_options(setup, trial, scenario, &options, err);

	if (code == ERR_OK)
		code = input_need_jobs(scenario, err);
	if (code == ERR_OK)
		code = engine_run(scenario, setup->policy, &options, JOURNAL_FACTS, &journal, err);
	if (code != ERR_OK)
		return code;
	if (journal->end == RUN_INTERRUPTED)
		trial->state = TRIAL_INTERRUPTED;
	else
		code = measure(setup, trial, journal, err);
	journal_free(journal);
	return code;
}

void trial_run(const struct trial_setup *setup, struct trial *trial)
{
	const volatile sig_atomic_t *stop = setup->context->stop;
	struct scenario *scenario = NULL;
	struct err err;
	enum err_code code;

	trial->state = TRIAL_DONE;
	trial->score = (double)INFINITY;
	if (stop != NULL && *stop != 0) {
		trial->state = TRIAL_INTERRUPTED;
		return;
	}
	code = trial_load(setup, trial, &scenario, NULL, &err);
	if (code == ERR_OK)
		code = simulate(setup, trial, scenario, &err);
	if (scenario != NULL)
		scenario_free(scenario);
	if (code == ERR_OK)
		return;
	trial->state = TRIAL_FAILED;
	err_format(&err, trial->message, sizeof(trial->message));
}

void trial_free(struct trial *trial)
{
	if (trial->detail != NULL)
		busy_free(trial->detail->busy);
	if (trial->arena != NULL)
		mem_arena_free(trial->arena);
	trial->detail = NULL;
	trial->arena = NULL;
}
