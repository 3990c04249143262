#include "sim/study/sizing.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/fewest.h"
#include "core/mem.h"
#include "sim/engine/batch.h"
#include "sim/scenario/prices.h"
#include "sim/tool/progress.h"

#define ROUNDS	      3
#define WORTH	      0.99 /* a lever is kept if it makes the score smaller than this times it */
#define VERIFY	      3	   /* counts of nodes below the answer that must fail */
#define CURVE_POINTS  8
#define AT_ONCE	      2 /* tests of a search at a time, whatever the threads */
#define MOST_DEFAULT  100000
#define EXPECTED_RUNS 60
#define CONFIDENCE    0.95
#define FIRST_LOOK    3	  /* runs with random ties that may decide already */
#define NEARLY_ALL    9	  /* of ten runs with random ties */
#define BEYOND	      2	  /* times that the peak of the demand is doubled where it is not enough */
#define TOO_LONG      0.1 /* of the GPU-hours */
#define ANSWERS_MAX   12  /* counts of nodes that chance may spoil one after the other */

/* What goes on, beside the answer. */
struct work {
	struct sizing *out;
	struct progress *progress;
	pthread_mutex_t lock;
	uint32_t done;
	/* the batch that runs */
	struct trial **batch;
};

/* ---- trials ---- */

static struct trial *new_trial(struct sizing *out)
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

/* The settings of base and some more. */
static struct trial *trial_on(struct sizing *out, const struct trial *base, const char *const *sets,
			      uint32_t set_count)
{
	struct trial *trial = new_trial(out);

	trial->sets = joined(out->arena, base->sets, base->set_count, sets, set_count);
	trial->set_count = base->set_count + set_count;
	return trial;
}

static void run_one(void *context, size_t i)
{
	struct work *work = context;
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

/* False: the user stopped it; what is done is done. */
static bool run_batch(struct work *work, struct trial **batch, size_t count)
{
	work->batch = batch;
	if (work->progress != NULL && work->done + count > EXPECTED_RUNS)
		progress_expect(work->progress, work->done + count + EXPECTED_RUNS / 4);
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

/* Brings all of them to so many runs with random ties; false: stopped, and they are left as
 * they were. */
static bool run_seeds(struct work *work, struct trial *const *trials, size_t count, uint32_t upto)
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
			batch[fresh] = trial_on(out, trials[i], NULL, 0);
			batch[fresh]->seed = k + 1;
			trials[i]->runs[k] = batch[fresh++];
		}
	}
	whole = run_batch(work, batch, fresh);
	for (size_t i = 0; i < count && whole; i++) {
		trials[i]->seeds = upto;
		sum_seeds(out, trials[i]);
		trials[i]->met = trials[i]->met && in_nearly_all(trials[i]);
		trials[i]->is_open = !is_decided(out, trials[i]);
	}
	mem_free(batch);
	return whole;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A trial that meets the goals is run again with random ties: does it still? Few runs first,
 * which may say no; then as many as asked for; while those leave it open, twice as many, up to
 * the most. */
static bool holds(struct work *work, struct trial *trial)
{
	const struct sizing_request *r = &work->out->request;
	bool met = trial->met;

	if (!met || trial->seeds > 0 || r->replications == 0 || work->out->partial)
		return met;
	for (uint32_t upto = smaller(FIRST_LOOK, r->replications);;
	     upto = smaller(upto < r->replications ? r->replications : 2 * upto,
			    r->most_replications)) {
		trial->met = met;
		if (!run_seeds(work, &trial, 1, upto) || upto == r->most_replications ||
		    (!trial->is_open && (upto >= r->replications || !trial->met)))
			break;
	}
	return trial->met;
}

/* ---- tuning ---- */

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

/* The levers that the best setting so far leaves. */
static enum err_code list_round(struct sizing *out, uint32_t round, struct err *err)
{
	const struct trial_setup *setup = &out->request.setup;
	struct scenario *scenario = NULL;
	struct run_options options;
	struct levers *levers = &out->rounds[out->round_count];
	enum err_code code = trial_load(setup, out->best, &scenario, NULL, err);

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
			trial = trial_on(out, out->best, (const char *const *)lever->sets,
					 lever->set_count);
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

static bool run_round(struct work *work, size_t from)
{
	struct sizing *out = work->out;
	struct trial **batch = mem_calloc(out->try_count - from, sizeof(*batch));
	size_t count = 0;
	bool whole;

	for (size_t i = from; i < out->try_count; i++)
		if (out->tries[i].trial != NULL)
			batch[count++] = out->tries[i].trial;
	whole = run_batch(work, batch, count);
	mem_free(batch);
	return whole;
}

static void keep(struct sizing *out, struct sizing_try *try)
{
	try->kept = true;
	out->best = try->trial;
}

/* The best of these tries that holds; NULL: none is better than what is kept. */
static struct sizing_try *pick_that_holds(struct work *work, size_t from, size_t to)
{
	struct sizing_try *best;

	do /* what chance spoils is judged anew */
		best = pick(work->out, from, to);
	while (best != NULL && best->trial->met && !holds(work, best->trial));
	return work->out->partial ? NULL : best;
}

/* Further rounds from this one on, as long as they help. */
static enum err_code climb(struct work *work, uint32_t round, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code = ERR_OK;

	for (; round <= ROUNDS && !out->best->met && code == ERR_OK; round++) {
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

static void cut_tries(struct sizing *out, size_t from, size_t to)
{
	memmove(out->tries + from, out->tries + to, (out->try_count - to) * sizeof(*out->tries));
	out->try_count -= to - from;
}

/* The step that helps most need not lead to the top: what if the last one had been the second
 * best? */
static enum err_code climb_anew(struct work *work, struct err *err)
{
	struct sizing *out = work->out;
	struct sizing_try *last = last_kept(out), *other;
	struct trial *first = out->best, *base = out->today;
	size_t at, from, to, end = out->try_count;
	enum err_code code;

	if (last == NULL || out->best->met || out->partial)
		return ERR_OK;
	at = (size_t)(last - out->tries);
	for (from = at; from > 0 && out->tries[from - 1].round == last->round;)
		from--;
	for (to = at + 1; to < end && out->tries[to].round == last->round;)
		to++;
	last->kept = false;
	for (size_t i = 0; i < from; i++)
		base = out->tries[i].kept ? out->tries[i].trial : base;
	out->best = base;
	last->trial = NULL; /* not to be picked */
	other = pick_that_holds(work, from, to);
	last->trial = first;
	if (other == NULL) {
		keep(out, last);
		return ERR_OK;
	}
	keep(out, other);
	at = (size_t)(other - out->tries);
	code = climb(work, last->round + 1, err);
	if (code == ERR_OK && is_better(out->best, first)) {
		cut_tries(out, to, end);
		return ERR_OK;
	}
	out->tries[at].kept = false;
	cut_tries(out, end, out->try_count);
	for (size_t i = from; i < to; i++)
		out->tries[i].kept = out->tries[i].trial == first;
	out->best = first;
	return code;
}

static enum err_code tune(struct work *work, struct err *err)
{
	enum err_code code;

	work->out->rounds = mem_calloc((size_t)ROUNDS * 2, sizeof(*work->out->rounds));
	code = climb(work, 1, err);
	return code == ERR_OK ? climb_anew(work, err) : code;
}

/* ---- kinds of nodes ---- */

static struct sizing_pool *find_pool(struct sizing *out, const char *name)
{
	for (uint32_t p = 0; p < out->pool_count; p++)
		if (strcmp(out->pools[p].name, name) == 0)
			return &out->pools[p];
	return NULL;
}

static void price_pool(const struct scenario *s, const struct node *node, struct sizing_pool *pool)
{
	const struct price *price = prices_find(s->strings, s->prices, s->price_count, node);
	bool spot = prices_is_spot(s->strings, node);

	pool->on_demand = node->micro_usd_per_hour;
	if (price == NULL)
		return;
	if (spot && pool->on_demand == prices_of(price, node, true))
		pool->on_demand = prices_of(price, node, false);
	if (price->reserved_least > 0)
		pool->reserved = money_part(pool->on_demand, 1000 - price->reserved_least, 1000);
	if (price->spot_least > 0) {
		pool->spot_low = money_part(pool->on_demand, 1000 - price->spot_most, 1000);
		pool->spot_high = money_part(pool->on_demand, 1000 - price->spot_least, 1000);
	}
}

/* Nodes with GPUs that nobody scales, by their pool. */
static void list_pools(struct sizing *out)
{
	const struct scenario *s = out->scenario;

	out->pools = mem_calloc(s->node_count, sizeof(*out->pools));
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct node *node = &s->nodes[i];
		struct sizing_pool *pool;

		if (node->gpus == 0 || node->scaled != 0 || node->pool == NAME_NONE)
			continue;
		pool = find_pool(out, scenario_string(s, node->pool));
		if (pool == NULL) {
			pool = &out->pools[out->pool_count++];
			*pool = (struct sizing_pool){.name = scenario_string(s, node->pool),
						     .gpus = node->gpus};
			price_pool(s, node, pool);
		}
		pool->today += !cluster_node_never(node);
	}
}

static uint32_t nodes_for(const struct sizing *out, const struct sizing_pool *pool, double gpus)
{
	int64_t others = scenario_gpus(out->scenario) - pool->gpus * pool->today;
	double nodes = ceil((gpus - (double)others) / (double)pool->gpus);

	if (nodes < 0)
		return 0;
	return nodes > MOST_DEFAULT ? MOST_DEFAULT : (uint32_t)nodes;
}

/* Between what the demand needs on average and what it needs at its peak, with room for
 * fragments; theory says where to begin. */
static void bound(const struct sizing *out, struct sizing_pool *pool)
{
	double guess = 0;
	uint32_t peak =
		nodes_for(out, pool, (double)(out->demand.peak + out->demand.endless) * 1.25);

	for (size_t i = 0; i < out->goals->count; i++) {
		double gpus = (double)demand_guess(&out->demand, &out->goals->items[i]);

		guess = gpus > guess ? gpus : guess;
	}
	pool->guess = nodes_for(out, pool, guess);
	pool->least = nodes_for(out, pool, out->demand.load / 2 + (double)out->demand.endless);
	pool->least = pool->least > pool->today ? pool->today : pool->least;
	if (pool->least == 0 && out->pool_count == 1)
		pool->least = 1;
	pool->most = out->request.most_nodes;
	if (pool->most == 0)
		pool->most = peak > 2 * pool->today ? peak : 2 * pool->today;
	pool->most = pool->most < pool->least ? pool->least : pool->most;
}

/* ---- the curve of a kind ---- */

static struct sizing_point *find_point(struct sizing_curve *curve, uint32_t nodes)
{
	for (size_t i = 0; i < curve->count; i++)
		if (curve->points[i].nodes == nodes)
			return &curve->points[i];
	return NULL;
}

static void add_point(struct sizing_curve *curve, uint32_t nodes, struct trial *trial)
{
	size_t at = curve->count;

	if (find_point(curve, nodes) != NULL)
		return;
	curve->points =
		mem_grow(curve->points, curve->count + 1, &curve->capacity, sizeof(*curve->points));
	for (; at > 0 && curve->points[at - 1].nodes > nodes; at--)
		curve->points[at] = curve->points[at - 1];
	curve->points[at] = (struct sizing_point){nodes, trial};
	curve->count++;
}

/* With the fewest nodes; NULL: there is none. */
static struct trial *trial_at(struct sizing_curve *curve)
{
	const struct sizing_point *point = curve->found ? find_point(curve, curve->needed) : NULL;

	return point == NULL ? NULL : point->trial;
}

static struct trial *trial_with(struct sizing *out, const struct trial *base,
				const struct lever_count *counts, uint32_t count)
{
	/* quotas that a lever changed are what grows */
	const struct scenario *scenario =
		base == out->today || out->tuned == NULL ? out->scenario : out->tuned;
	struct lever_nodes nodes = lever_nodes(out->arena, scenario, counts, count);

	return trial_on(out, base, (const char *const *)nodes.sets, nodes.count);
}

/* Runs base with these counts of the pool; false: stopped. */
static bool run_counts(struct work *work, const struct trial *base, const struct sizing_pool *pool,
		       struct sizing_curve *curve, const uint32_t *counts, size_t count)
{
	struct sizing *out = work->out;
	struct trial *batch[CURVE_POINTS];
	size_t fresh = 0;
	bool whole;

	for (size_t i = 0; i < count; i++) {
		struct lever_count wanted = {.pool = pool->name, .nodes = counts[i]};

		if (find_point(curve, counts[i]) != NULL)
			continue;
		if (pool->as_spot && counts[i] > pool->today) {
			wanted.spot = counts[i] - pool->today;
			wanted.every = out->request.spot_every;
		}
		batch[fresh] = trial_with(out, base, &wanted, 1);
		add_point(curve, counts[i], batch[fresh++]);
	}
	whole = run_batch(work, batch, fresh);
	return whole;
}

static void tell(struct fewest *search, const struct sizing_curve *curve)
{
	for (size_t i = 0; i < curve->count; i++) {
		const struct trial *trial = curve->points[i].trial;

		if (trial->state == TRIAL_DONE || trial->state == TRIAL_FAILED)
			fewest_tell(search, curve->points[i].nodes,
				    trial->state == TRIAL_DONE && trial->met);
	}
}

/* The fewest nodes of the pool under the settings of base, without chance. */
static void search_once(struct work *work, const struct trial *base, struct sizing_pool *pool,
			struct sizing_curve *curve)
{
	struct fewest search;
	uint32_t next[AT_ONCE];
	size_t count;

	fewest_begin(&search, pool->least, pool->most, pool->guess, VERIFY);
	tell(&search, curve);
	while ((count = fewest_next(&search, next, AT_ONCE)) > 0) {
		if (!run_counts(work, base, pool, curve, next, count))
			break;
		tell(&search, curve);
		/* what was taken for the least was not */
		if (fewest_found(&search, &curve->needed) && curve->needed == search.least)
			search.least = search.least / 2;
	}
	tell(&search, curve);
	curve->found = fewest_found(&search, &curve->needed);
	fewest_free(&search);
}

/* Does this count hold, chance included? */
static bool holds_at(struct work *work, const struct trial *base, struct sizing_pool *pool,
		     struct sizing_curve *curve, uint32_t nodes)
{
	const struct sizing_point *point;

	if (!run_counts(work, base, pool, curve, &nodes, 1))
		return false;
	point = find_point(curve, nodes);
	return point != NULL && point->trial->state == TRIAL_DONE && holds(work, point->trial);
}

/* What chance spoils: more nodes, in ever larger steps, until it holds; then back by halves. */
static void settle_pool(struct work *work, const struct trial *base, struct sizing_pool *pool,
			struct sizing_curve *curve)
{
	uint32_t most = work->out->request.most_nodes, low = curve->needed, high = 0;

	most = most != 0 ? most : pool->most * (1 << BEYOND);
	for (uint32_t step = 1; high == 0 && low < most && !work->out->partial; step *= 2) {
		uint32_t at = most - low > step ? low + step : most;

		if (holds_at(work, base, pool, curve, at))
			high = at;
		else
			low = at;
	}
	while (high > low + 1 && !work->out->partial) {
		uint32_t middle = low + (high - low) / 2;

		if (holds_at(work, base, pool, curve, middle))
			high = middle;
		else
			low = middle;
	}
	curve->found = high != 0;
	curve->needed = high;
}

/* The same, that hold with random ties, too. */
static void search_pool(struct work *work, const struct trial *base, struct sizing_pool *pool,
			struct sizing_curve *curve)
{
	search_once(work, base, pool, curve);
	for (int more = 0; more < BEYOND && !curve->found && !work->out->partial &&
			   work->out->request.most_nodes == 0;
	     more++) {
		pool->most *= 2;
		search_once(work, base, pool, curve);
	}
	if (curve->found && !work->out->partial && !holds(work, trial_at(curve)))
		settle_pool(work, base, pool, curve);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Counts evenly spread around today's and the needed one. */
static bool fill_curve(struct work *work, const struct trial *base, const struct sizing_pool *pool,
		       struct sizing_curve *curve)
{
	uint32_t needed = curve->found ? curve->needed : pool->most;
	uint32_t low = needed < pool->today ? needed : pool->today;
	uint32_t high = larger(needed, pool->today), margin = larger((high - low) / 3, 2);
	uint32_t counts[CURVE_POINTS];

	low = low > margin + 1 ? low - margin : 1;
	high += margin;
	for (uint32_t i = 0; i < CURVE_POINTS; i++)
		counts[i] = low + (uint32_t)((uint64_t)(high - low) * i / (CURVE_POINTS - 1));
	return run_counts(work, base, pool, curve, counts, CURVE_POINTS);
}

/* The same if all that is bought may be taken away again. */
static void search_spot(struct work *work, struct sizing_pool *pool)
{
	struct sizing *out = work->out;
	struct sizing_pool bounds = *pool;

	if (out->request.spot_every == NULL || out->partial || out->best->met ||
	    out->too_long > TOO_LONG || !pool->tuned.found || pool->tuned.needed <= pool->today)
		return;
	bounds.as_spot = true;
	bounds.least = bounds.guess = pool->tuned.needed;
	bounds.most = larger(pool->most, 2 * pool->tuned.needed);
	search_pool(work, out->best, &bounds, &pool->spot);
	pool->at_spot = trial_at(&pool->spot);
}

static void count_nodes(struct work *work)
{
	struct sizing *out = work->out;

	for (uint32_t p = 0; p < out->pool_count && !out->partial; p++) {
		struct sizing_pool *pool = &out->pools[p];

		bound(out, pool);
		add_point(&pool->tuned, pool->today, out->best);
		search_pool(work, out->best, pool, &pool->tuned);
		pool->at_need = trial_at(&pool->tuned);
		if (!out->partial && out->best != out->today) {
			add_point(&pool->untuned, pool->today, out->today);
			search_pool(work, out->today, pool, &pool->untuned);
		}
		search_spot(work, pool);
	}
}

/* ---- error bars ---- */

static void add_bare(struct trial **list, size_t *count, struct trial *trial)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == trial)
			return;
	if (trial != NULL && trial->state == TRIAL_DONE && trial->seeds == 0)
		list[(*count)++] = trial;
}

/* What was not run with random ties yet, of all that the tables show but the levers. */
static size_t list_bare(const struct sizing *out, struct trial **list)
{
	size_t count = 0;

	add_bare(list, &count, out->today);
	add_bare(list, &count, out->best);
	for (uint32_t p = 0; p < out->pool_count; p++)
		for (size_t i = 0; i < out->pools[p].tuned.count; i++)
			add_bare(list, &count, out->pools[p].tuned.points[i].trial);
	return count;
}

/* The answer is known; how much of the other figures is chance? */
static void add_error_bars(struct work *work)
{
	struct sizing *out = work->out;
	const struct sizing_request *r = &out->request;
	struct trial **bare;
	size_t count, open = 0;

	for (uint32_t p = 0; p < out->pool_count && !out->partial; p++)
		fill_curve(work, out->best, &out->pools[p], &out->pools[p].tuned);
	bare = mem_calloc(out->trial_count, sizeof(*bare));
	count = list_bare(out, bare);
	if (r->replications > 0 && !out->partial &&
	    run_seeds(work, bare, count, smaller(FIRST_LOOK, r->replications))) {
		for (size_t i = 0; i < count; i++)
			if (bare[i]->is_open)
				bare[open++] = bare[i];
		run_seeds(work, bare, open, r->replications);
	}
	mem_free(bare);
}

/* ---- several kinds together ---- */

static struct trial *mix_trial(struct sizing *out, const uint32_t *nodes)
{
	struct lever_count *counts = mem_calloc(out->pool_count, sizeof(*counts));
	struct trial *trial;

	for (uint32_t p = 0; p < out->pool_count; p++)
		counts[p] = (struct lever_count){.pool = out->pools[p].name, .nodes = nodes[p]};
	trial = trial_with(out, out->best, counts, out->pool_count);
	mem_free(counts);
	return trial;
}

/* Fewer nodes of the pool, down to today's, as long as that is enough: thirds at a time. */
static void shrink(struct work *work, struct sizing_mix *mix, uint32_t pool)
{
	struct sizing *out = work->out;
	uint32_t low = out->pools[pool].today, high = mix->nodes[pool];

	while (low < high && !out->partial) {
		uint32_t at[AT_ONCE] = {low + (high - low) / 3, low + (high - low) * 2 / 3};
		size_t count = at[0] == at[1] ? 1 : AT_ONCE;
		struct trial *batch[AT_ONCE];

		for (size_t i = 0; i < count; i++) {
			mix->nodes[pool] = at[i];
			batch[i] = mix_trial(out, mix->nodes);
		}
		run_batch(work, batch, count);
		for (size_t i = count; i-- > 0;) {
			if (batch[i]->state == TRIAL_DONE && batch[i]->met) {
				high = at[i];
				mix->trial = batch[i];
			} else if (low <= at[i] && high > at[i]) {
				low = at[i] + 1;
				break; /* fewer are not enough either */
			}
		}
		mix->nodes[pool] = high;
	}
}

/* The dearest that is not shrunk yet; pool_count: none. */
static uint32_t dearest(const struct sizing *out, const bool *done)
{
	uint32_t best = out->pool_count;

	for (uint32_t p = 0; p < out->pool_count; p++) {
		const struct sizing_pool *pool = &out->pools[p];

		if (!done[p] &&
		    (best == out->pool_count || pool->on_demand > out->pools[best].on_demand ||
		     (pool->on_demand == out->pools[best].on_demand &&
		      pool->gpus > out->pools[best].gpus)))
			best = p;
	}
	return best;
}

/* What chance spoils gets a node more of each kind that is bought. */
static void settle_mix(struct work *work, struct sizing_mix *mix)
{
	struct sizing *out = work->out;

	for (int i = 0; i < ANSWERS_MAX && !out->partial; i++) {
		if (holds(work, mix->trial)) {
			mix->found = true;
			return;
		}
		for (uint32_t p = 0; p < out->pool_count; p++)
			mix->nodes[p] += mix->nodes[p] > out->pools[p].today;
		mix->trial = mix_trial(out, mix->nodes);
		run_batch(work, &mix->trial, 1);
	}
}

/* Where each kind lacks nodes of its own, more of one kind are never enough. */
static void mix_nodes(struct work *work)
{
	struct sizing *out = work->out;
	struct sizing_mix *mix = &out->mix;
	bool *done;

	if (out->pool_count < 2 || out->partial || out->best->met)
		return;
	mix->nodes = mem_arena_alloc(out->arena, out->pool_count * sizeof(*mix->nodes));
	for (uint32_t p = 0; p < out->pool_count; p++)
		mix->nodes[p] = larger(out->pools[p].today, out->pools[p].tuned.found
								    ? out->pools[p].tuned.needed
								    : out->pools[p].most);
	mix->trial = mix_trial(out, mix->nodes);
	if (!run_batch(work, &mix->trial, 1) || !mix->trial->met)
		return;
	done = mem_calloc(out->pool_count, sizeof(*done));
	for (uint32_t p = 0; (p = dearest(out, done)) < out->pool_count;) {
		shrink(work, mix, p);
		done[p] = true;
	}
	mem_free(done);
	settle_mix(work, mix);
}

/* ---- the verdict ---- */

money sizing_extra(const struct sizing_pool *pool, uint32_t nodes)
{
	if (nodes <= pool->today)
		return 0;
	return res_mul(money_of(pool->on_demand, MONEY_MONTH), nodes - pool->today);
}

uint32_t sizing_nodes(const struct sizing *out, uint32_t pool)
{
	if (out->mixed)
		return out->mix.nodes[pool];
	return pool == out->choice ? out->pools[pool].tuned.needed : out->pools[pool].today;
}

money sizing_bill(const struct sizing *out)
{
	money sum = 0;

	for (uint32_t p = 0; p < out->pool_count; p++)
		sum = res_add(sum, sizing_extra(&out->pools[p], sizing_nodes(out, p)));
	return sum;
}

/* What is chosen: money, or GPUs where the price of some is not known. */
struct worth {
	bool priced;
	int64_t amount;
};

bool sizing_priced(const struct sizing *out)
{
	for (uint32_t p = 0; p < out->pool_count; p++)
		if (sizing_nodes(out, p) > out->pools[p].today && out->pools[p].on_demand == 0)
			return false;
	return out->today->month > 0;
}

static struct worth worth(const struct sizing *out)
{
	struct worth w = {.priced = sizing_priced(out)};

	if (w.priced)
		w.amount = sizing_bill(out);
	for (uint32_t p = 0; p < out->pool_count && !w.priced; p++) {
		int64_t more = (int64_t)sizing_nodes(out, p) - out->pools[p].today;

		w.amount += more > 0 ? more * out->pools[p].gpus : 0;
	}
	return w;
}

static bool costs_less(struct worth a, struct worth b)
{
	return a.priced != b.priced ? a.priced : a.amount < b.amount;
}

/* What meets the goals for the least money; without prices, with the fewest GPUs. */
static void choose(struct sizing *out)
{
	uint32_t best = out->pool_count;
	struct worth least = {false, INT64_MAX}, mine;

	for (uint32_t p = 0; p < out->pool_count; p++) {
		if (!out->pools[p].tuned.found)
			continue;
		out->choice = p;
		mine = worth(out);
		if (costs_less(mine, least)) {
			best = p;
			least = mine;
		}
	}
	out->choice = out->pool_count;
	out->mixed = out->mix.found;
	out->mixed = out->mixed && costs_less(worth(out), least);
	if (!out->mixed)
		out->choice = best;
}

static void judge(struct sizing *out)
{
	out->choice = out->pool_count;
	if (out->today->state != TRIAL_DONE)
		return;
	if (out->today->met) {
		out->verdict = SIZING_MET;
		return;
	}
	if (out->best->met) {
		out->verdict = SIZING_TUNE;
		return;
	}
	if (out->partial)
		return;
	choose(out);
	if (out->choice == out->pool_count && !out->mixed)
		out->verdict = SIZING_NEVER;
	else if (out->best->typical_week < out->request.low)
		out->verdict = SIZING_IDLE;
	else if (out->request.budget >= 0 && sizing_bill(out) > out->request.budget)
		out->verdict = SIZING_BUDGET;
	else
		out->verdict = SIZING_BUY;
}

const struct trial *sizing_answer(const struct sizing *out)
{
	if (out->mixed)
		return out->mix.trial;
	return out->choice < out->pool_count ? out->pools[out->choice].at_need : out->best;
}

/* ---- the whole ---- */

/* Jobs that run for half the time between two losses of a node, or more, and save nothing. */
static double share_too_long(const struct sizing *out)
{
	const struct scenario *s = out->scenario;
	const char *checkpointing = cmd_value(out->request.setup.args, "checkpointing");
	double all = 0, lost = 0;
	simtime every = 0;

	if (checkpointing != NULL && strcmp(checkpointing, "resume") == 0)
		return 0;

	if (out->request.spot_every != NULL)
		clock_read_duration(out->request.spot_every, strlen(out->request.spot_every),
				    &every);
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];
		double time = (double)job->duration * job->gpus;

		if (job->duration == JOB_ENDLESS)
			continue;
		all += time;
		lost += job->checkpoint == 0 && job->duration >= every / 2 ? time : 0;
	}
	return all > 0 ? lost / all : 0;
}

static enum err_code run_today(struct work *work, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code;

	out->today = out->best = new_trial(out);
	out->today->detailed = true;
	code = trial_load(&out->request.setup, out->today, &out->scenario, &out->trace, err);
	if (code != ERR_OK)
		return code;
	out->demand = demand_of(out->scenario);
	out->too_long = share_too_long(out);
	list_pools(out);
	run_batch(work, &out->today, 1);
	holds(work, out->today);
	if (out->today->state == TRIAL_FAILED)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%s", out->today->message);
	if (out->request.budget >= 0 && !replay_priced(out->scenario))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--budget needs to know what nodes cost: give --prices FILE, or "
			       "usdPerHour to the node pools");
	for (uint32_t p = 0; p < out->pool_count && out->request.budget >= 0; p++)
		if (out->pools[p].on_demand == 0)
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "--budget needs to know what a node of %.100s costs: give "
				       "usdPerHour to the pool",
				       out->pools[p].name);
	return ERR_OK;
}

/* The tuned setting's utilisation is asked about, and only it is detailed. */
static void detail_best(struct work *work)
{
	struct sizing *out = work->out;
	double score;
	bool met;

	if (out->best->detail != NULL || out->partial)
		return;
	out->best->detailed = true;
	met = out->best->met; /* chance included */
	score = out->best->score;
	run_batch(work, &out->best, 1);
	out->best->met = met;
	out->best->score = score;
}

static enum err_code plan(struct work *work, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code = run_today(work, err);

	if (code == ERR_OK && !out->partial)
		code = tune(work, err);
	if (code != ERR_OK)
		return code;
	detail_best(work);
	if (!out->partial && out->best != out->today)
		code = trial_load(&out->request.setup, out->best, &out->tuned, NULL, err);
	if (code != ERR_OK)
		return code;
	if (!out->partial)
		count_nodes(work);
	mix_nodes(work);
	judge(out);
	if (!out->partial)
		add_error_bars(work);
	return ERR_OK;
}

enum err_code sizing_run(const struct sizing_request *request, struct sizing *out, struct err *err)
{
	struct work work = {.out = out};
	const struct cmd_context *context = request->setup.context;
	enum err_code code;

	*out = (struct sizing){
		.request = *request, .goals = request->setup.goals, .arena = mem_arena_new()};
	pthread_mutex_init(&work.lock, NULL);
	if (context->err_terminal && !request->quiet)
		work.progress = progress_new(context->err, 1, EXPECTED_RUNS, "runs");
	code = plan(&work, err);
	progress_free(work.progress);
	pthread_mutex_destroy(&work.lock);
	return code;
}

static void free_curve(struct sizing_curve *curve)
{
	mem_free(curve->points);
}

void sizing_free(struct sizing *out)
{
	for (size_t i = 0; i < out->trial_count; i++)
		trial_free(out->trials[i]);
	for (uint32_t i = 0; i < out->round_count; i++)
		lever_free(&out->rounds[i]);
	for (uint32_t p = 0; p < out->pool_count; p++) {
		free_curve(&out->pools[p].tuned);
		free_curve(&out->pools[p].untuned);
		free_curve(&out->pools[p].spot);
	}
	mem_free(out->pools);
	mem_free(out->rounds);
	mem_free(out->tries);
	mem_free(out->trials);
	if (out->scenario != NULL)
		scenario_free(out->scenario);
	if (out->tuned != NULL)
		scenario_free(out->tuned);
	if (out->arena != NULL)
		mem_arena_free(out->arena);
}
