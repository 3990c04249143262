#include "sim/study/sizing_work.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/batch.h"
#include "sim/tool/progress.h"

#define CONFIDENCE 0.95
#define NEARLY_ALL 9 /* of ten runs with random ties */

/* ---- trials ---- */

struct trial *sizing_new_trial(struct sizing *out)
{
	struct trial *trial = mem_arena_alloc(out->arena, sizeof(*trial));

	memset(trial, 0, sizeof(*trial));
	out->trials = mem_grow(out->trials, out->trial_count + 1, &out->trial_capacity,
			       sizeof(struct trial *));
	out->trials[out->trial_count++] = trial;
	return trial;
}

static const char *const *joined(struct mem_arena *arena, const char *const *a, uint32_t a_count,
				 const char *const *b, uint32_t b_count)
{
	const char **all = mem_arena_alloc(arena, ((size_t)a_count + b_count) * sizeof(*all));

	for (uint32_t i = 0; i < a_count; i++)
		all[i] = a[i];
	for (uint32_t i = 0; i < b_count; i++)
		all[a_count + i] = b[i];
	return all;
}

struct trial *sizing_trial_on(struct sizing *out, const struct trial *base, const char *const *sets,
			      uint32_t set_count)
{
	struct trial *trial = sizing_new_trial(out);

	trial->sets = joined(out->arena, base->sets, base->set_count, sets, set_count);
	trial->set_count = base->set_count + set_count;
	return trial;
}

static void run_one(void *context, size_t i)
{
	struct sizing_work *work = context;
	uint32_t done;

	trial_run(&work->out->request.setup, work->batch[i]);
	pthread_mutex_lock(&work->lock);
	done = ++work->done;
	pthread_mutex_unlock(&work->lock);
	if (work->progress != NULL)
		progress_report(progress_run(work->progress, 0), 0, done);
}

static bool is_stopped(const struct sizing *out)
{
	const volatile sig_atomic_t *stop = out->request.setup.context->stop;

	return stop != NULL && *stop != 0;
}

bool sizing_run_batch(struct sizing_work *work, struct trial **batch, size_t count)
{
	work->batch = batch;
	if (work->progress != NULL && work->done + count > SIZING_EXPECTED_RUNS)
		progress_expect(work->progress, work->done + count + SIZING_EXPECTED_RUNS / 4);
	batch_each(count, work->out->request.threads, run_one, work);
	work->out->partial = work->out->partial || is_stopped(work->out);
	return !work->out->partial;
}

/* ---- chance ---- */

/* What the runs with random ties came to so far. */
static void sum_seeds(struct sizing *out, struct trial *trial)
{
	double *values = mem_calloc(trial->seeds, sizeof(*values));

	if (trial->ranges == NULL)
		trial->ranges =
			mem_arena_alloc(out->arena, out->goals->count * sizeof(*trial->ranges));
	trial->seeds_met = 0;
	for (uint32_t i = 0; i < trial->seeds; i++)
		trial->seeds_met += trial->runs[i]->state == TRIAL_DONE && trial->runs[i]->met;
	trial->score = 0;
	for (size_t g = 0; g < out->goals->count; g++) {
		const struct goal *goal = &out->goals->items[g];

		for (uint32_t i = 0; i < trial->seeds; i++)
			values[i] = trial->runs[i]->state == TRIAL_DONE ? trial->runs[i]->values[g]
									: (double)INFINITY;
		trial->ranges[g] = interval_mean(values, trial->seeds, CONFIDENCE);
		trial->score = fmax(trial->score, goal_ratio(goal, trial->values[g]));
		trial->score = fmax(trial->score, goal_ratio(goal, trial->ranges[g].estimate));
	}
	mem_free(values);
}

static bool in_nearly_all(const struct trial *trial)
{
	return trial->seeds_met * 10 >= trial->seeds * NEARLY_ALL;
}

/* Would more runs hardly change whether it meets the goals? */
static bool is_decided(const struct sizing *out, const struct trial *trial)
{
	bool below = true;

	if ((trial->seeds - trial->seeds_met) * 10 >
	    out->request.most_replications * (10 - NEARLY_ALL))
		return true;
	for (size_t g = 0; g < out->goals->count; g++) {
		if (goal_ratio(&out->goals->items[g], trial->ranges[g].low) > 1)
			return true;
		below = below && goal_ratio(&out->goals->items[g], trial->ranges[g].high) <= 1;
	}
	return below && in_nearly_all(trial);
}

bool sizing_run_seeds(struct sizing_work *work, struct trial *const *trials, size_t count,
		      uint32_t upto)
{
	struct sizing *out = work->out;
	struct trial **batch = mem_calloc(count * upto, sizeof(*batch));
	size_t fresh = 0;
	bool whole;

	for (size_t i = 0; i < count; i++) {
		if (trials[i]->runs == NULL)
			trials[i]->runs =
				mem_arena_alloc(out->arena, out->request.most_replications *
								    sizeof(struct trial *));
		for (uint32_t k = trials[i]->seeds; k < upto; k++) {
			batch[fresh] = sizing_trial_on(out, trials[i], NULL, 0);
			batch[fresh]->seed = k + 1;
			trials[i]->runs[k] = batch[fresh++];
		}
	}
	whole = sizing_run_batch(work, batch, fresh);
	for (size_t i = 0; i < count && whole; i++) {
		trials[i]->seeds = upto;
		sum_seeds(out, trials[i]);
		trials[i]->met = trials[i]->met && in_nearly_all(trials[i]);
		trials[i]->is_open = !is_decided(out, trials[i]);
	}
	mem_free(batch);
	return whole;
}

/* Few runs first, which may say no; then as many as asked for; while those leave it open, twice as many, up to
 * the most. */
bool sizing_holds(struct sizing_work *work, struct trial *trial)
{
	const struct sizing_request *r = &work->out->request;
	bool met = trial->met;

	if (!met || trial->seeds > 0 || r->replications == 0 || work->out->partial)
		return met;
	for (uint32_t upto = sizing_smaller(SIZING_FIRST_LOOK, r->replications);;
	     upto = sizing_smaller(upto < r->replications ? r->replications : 2 * upto,
				   r->most_replications)) {
		trial->met = met;
		if (!sizing_run_seeds(work, &trial, 1, upto) || upto == r->most_replications ||
		    (!trial->is_open && (upto >= r->replications || !trial->met)))
			break;
	}
	return trial->met;
}
