#include "sim/study/tuning.h"

#include <string.h>

#include "core/mem.h"

#define ROUNDS	   3
#define PAIRS_JOBS 500000 /* all pairs are tried up to so many jobs to simulate */
#define WORTH	   0.99	  /* a lever is kept if it makes the score smaller than this times it */

static bool is_better(const struct trial *trial, const struct trial *than)
{
	if (trial->state != TRIAL_DONE || trial->never_started > than->never_started)
		return false;
	if (trial->met != than->met)
		return trial->met;
	return trial->score < than->score * WORTH;
}

/* A choice of a lever that is kept is no lever any more. */
static bool is_kept(const struct sizing *out, const struct lever *lever)
{
	for (size_t i = 0; i < out->try_count; i++)
		if (out->tries[i].kept && strcmp(out->tries[i].lever->name, lever->name) == 0)
			return true;
	return false;
}

static void add_try(struct sizing *out, uint32_t round, const struct lever *lever,
		    struct trial *trial)
{
	out->tries =
		mem_grow(out->tries, out->try_count + 1, &out->try_capacity, sizeof(*out->tries));
	out->tries[out->try_count++] =
		(struct sizing_try){.round = round, .lever = lever, .trial = trial};
}

/* Levers that are kept exclude others of their name, so that the order of settings is
 * without effect. */
static bool same_settings(const struct trial *a, const struct trial *b)
{
	if (a->seed != b->seed || a->set_count != b->set_count)
		return false;
	for (uint32_t i = 0; i < a->set_count; i++) {
		uint32_t j = 0;

		while (j < b->set_count && strcmp(a->sets[i], b->sets[j]) != 0)
			j++;
		if (j == b->set_count)
			return false;
	}
	return true;
}

/* The settings of the best and some more; what was tried before is not run again. */
static struct trial *trial_of(struct sizing *out, const struct lever *lever)
{
	struct trial *trial =
		sizing_trial_on(out, out->best, (const char *const *)lever->sets, lever->set_count);

	for (size_t i = 0; i + 1 < out->trial_count; i++) {
		if (!same_settings(out->trials[i], trial))
			continue;
		out->trial_count--;
		return out->trials[i];
	}
	trial->detailed = true; /* it may turn out the best, and costs little */
	return trial;
}

/* The levers that the best setting so far leaves. */
static enum err_code list_round(struct sizing *out, uint32_t round, struct err *err)
{
	const struct trial_setup *setup = &out->request.setup;
	struct scenario *scenario = NULL;
	struct run_options options;
	struct levers *levers;
	enum err_code code = trial_load(setup, out->best, &scenario, NULL, err);

	out->rounds = mem_grow(out->rounds, (size_t)out->round_count + 1, &out->round_capacity,
			       sizeof(*out->rounds));
	levers = &out->rounds[out->round_count];
	if (code == ERR_OK)
		code = trial_options(setup, out->best, scenario, &options, err);
	if (code == ERR_OK) {
		lever_list(levers, &(struct lever_question){
					   .scenario = scenario,
					   .policy = setup->policy,
					   .options = &options,
					   .goals = setup->goals,
					   .notebooks = out->request.notebooks,
					   .idle_timeout = out->request.idle_timeout,
				   });
		out->round_count++;
	}
	if (scenario != NULL)
		scenario_free(scenario);
	for (size_t i = 0; code == ERR_OK && i < levers->count; i++) {
		const struct lever *lever = &levers->items[i];
		struct trial *trial = NULL;

		if (is_kept(out, lever) || (round > 1 && lever->absent != NULL))
			continue;
		if (lever->absent == NULL)
			trial = trial_of(out, lever);
		add_try(out, round, lever, trial);
	}
	return code;
}

/* The cheapest that meets the goals; else the best; NULL: none is better. */
static struct sizing_try *pick(struct sizing *out, size_t from, size_t to)
{
	struct sizing_try *best = NULL;

	for (size_t i = from; i < to; i++) {
		struct sizing_try *try = &out->tries[i];
		const struct trial *than = best != NULL ? best->trial : out->best;

		if (try->trial == NULL || !is_better(try->trial, than))
			continue;
		if (best != NULL && best->trial->met)
			break;
		best = try;
	}
	return best;
}

static bool run_round(struct sizing_work *work, size_t from)
{
	struct sizing *out = work->out;
	struct trial **batch = mem_calloc(out->try_count - from, sizeof(*batch));
	size_t count = 0;
	bool whole;

	for (size_t i = from; i < out->try_count; i++)
		if (out->tries[i].trial != NULL && out->tries[i].trial->state == TRIAL_NEW)
			batch[count++] = out->tries[i].trial;
	whole = sizing_run_batch(work, batch, count);
	mem_free(batch);
	return whole;
}

static void keep(struct sizing *out, struct sizing_try *try)
{
	try->kept = true;
	out->best = try->trial;
}

/* The best of these tries that holds; NULL: none is better than what is kept. */
static struct sizing_try *pick_that_holds(struct sizing_work *work, size_t from, size_t to)
{
	struct sizing_try *best;

	do /* what chance spoils is judged anew */
		best = pick(work->out, from, to);
	while (best != NULL && best->trial->met && !sizing_holds(work, best->trial));
	return work->out->partial ? NULL : best;
}

/* Further rounds from this one on, as long as they help. */
static enum err_code climb(struct sizing_work *work, uint32_t round, uint32_t upto, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code = ERR_OK;

	for (; round <= upto && !out->best->met && code == ERR_OK; round++) {
		size_t from = out->try_count;
		struct sizing_try *best;

		code = list_round(out, round, err);
		if (code != ERR_OK || !run_round(work, from))
			break;
		best = pick_that_holds(work, from, out->try_count);
		if (best == NULL)
			break;
		keep(out, best);
	}
	return code;
}

/* The lever that was kept last; NULL: none was. */
static struct sizing_try *last_kept(struct sizing *out)
{
	for (size_t i = out->try_count; i-- > 0;)
		if (out->tries[i].kept)
			return &out->tries[i];
	return NULL;
}

/* One round's tries, among all. */
struct stretch {
	size_t from, to;
	uint32_t round;
};

static struct stretch round_of(const struct sizing *out, size_t at)
{
	struct stretch s = {at, at + 1, out->tries[at].round};

	while (s.from > 0 && out->tries[s.from - 1].round == s.round)
		s.from--;
	while (s.to < out->try_count && out->tries[s.to].round == s.round)
		s.to++;
	return s;
}

/* This try in the place of the one that is kept of its round, and rounds up to the given one
 * on top of it; if that is not better, all is as it was. */
static enum err_code climb_over(struct sizing_work *work, struct stretch round, size_t at,
				uint32_t upto, struct err *err)
{
	struct sizing *out = work->out;
	struct trial *first = out->best;
	size_t was = round.from, later = out->try_count - round.to;
	struct sizing_try *tail = mem_calloc(later, sizeof(*tail));
	enum err_code code;

	while (was < round.to && !out->tries[was].kept)
		was++;
	if (was < round.to)
		out->tries[was].kept = false;
	memcpy(tail, out->tries + round.to, later * sizeof(*tail));
	out->try_count = round.to;
	keep(out, &out->tries[at]);
	code = climb(work, round.round + 1, upto, err);
	if (code != ERR_OK || !is_better(out->best, first)) {
		out->best = first;
		out->tries[at].kept = false;
		if (was < round.to)
			out->tries[was].kept = true;
		out->tries = mem_grow(out->tries, round.to + later, &out->try_capacity,
				      sizeof(*out->tries));
		memcpy(out->tries + round.to, tail, later * sizeof(*tail));
		out->try_count = round.to + later;
	}
	mem_free(tail);
	return code;
}

/* The step that helps most need not lead to the top: what if the last one had been the second
 * best? */
static enum err_code climb_anew(struct sizing_work *work, struct err *err)
{
	struct sizing *out = work->out;
	struct sizing_try *last = last_kept(out), *before, *other;
	struct trial *first = out->best;
	struct stretch round;

	if (last == NULL || out->best->met || out->partial)
		return ERR_OK;
	round = round_of(out, (size_t)(last - out->tries));
	last->kept = false;
	before = last_kept(out);
	out->best = before == NULL ? out->today : before->trial;
	last->trial = NULL; /* not to be picked */
	other = pick_that_holds(work, round.from, round.to);
	last->trial = first;
	keep(out, last);
	return other == NULL ? ERR_OK
			     : climb_over(work, round, (size_t)(other - out->tries), ROUNDS, err);
}

/* Each lever as the first: all pairs, and a third on top of the best pair. */
static enum err_code climb_pairs(struct sizing_work *work, struct err *err)
{
	struct sizing *out = work->out;
	struct trial *first = out->best;
	struct stretch round;
	uint64_t levers = 0;
	enum err_code code = ERR_OK;

	if (out->try_count == 0 || out->best->met || out->partial)
		return ERR_OK;
	round = round_of(out, 0);
	for (size_t i = 0; i < round.to; i++)
		levers += out->tries[i].trial != NULL;
	if (levers * (levers - 1) / 2 * out->scenario->job_count > PAIRS_JOBS)
		return ERR_OK;
	for (size_t i = 0; i < round.to && code == ERR_OK && !out->best->met; i++)
		if (out->tries[i].trial != NULL && out->tries[i].trial->state == TRIAL_DONE &&
		    !out->tries[i].kept)
			code = climb_over(work, round, i, 2, err);
	out->pairs = levers > 1 && !out->partial;
	if (code == ERR_OK && out->best != first)
		code = climb(work, 3, ROUNDS, err);
	return code;
}

enum err_code tuning_run(struct sizing_work *work, struct err *err)
{
	enum err_code code = climb(work, 1, ROUNDS, err);

	if (code == ERR_OK)
		code = climb_anew(work, err);
	return code == ERR_OK ? climb_pairs(work, err) : code;
}
