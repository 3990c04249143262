#include "sim/study/sizing_run.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/fewest.h"
#include "core/mem.h"
#include "sim/scenario/prices.h"
#include "sim/study/tuning.h"
#include "sim/tool/progress.h"

#define VERIFY	     3 /* counts of nodes below the answer that must fail */
#define CURVE_POINTS 8
#define AT_ONCE	     2 /* tests of a search at a time, whatever the threads */
#define MOST_DEFAULT 100000
#define BEYOND	     2	 /* times that the peak of the demand is doubled where it is not enough */
#define TOO_LONG     0.1 /* of the GPU-hours */
#define ANSWERS_MAX  12	 /* counts of nodes that chance may spoil one after the other */

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

	return sizing_trial_on(out, base, (const char *const *)nodes.sets, nodes.count);
}

/* Runs base with these counts of the pool; false: stopped. */
static bool run_counts(struct sizing_work *work, const struct trial *base,
		       const struct sizing_pool *pool, struct sizing_curve *curve,
		       const uint32_t *counts, size_t count)
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
	whole = sizing_run_batch(work, batch, fresh);
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
static void search_once(struct sizing_work *work, const struct trial *base,
			struct sizing_pool *pool, struct sizing_curve *curve)
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
static bool holds_at(struct sizing_work *work, const struct trial *base, struct sizing_pool *pool,
		     struct sizing_curve *curve, uint32_t nodes)
{
	const struct sizing_point *point;

	if (!run_counts(work, base, pool, curve, &nodes, 1))
		return false;
	point = find_point(curve, nodes);
	return point != NULL && point->trial->state == TRIAL_DONE &&
	       sizing_holds(work, point->trial);
}

/* What chance spoils: more nodes, in ever larger steps, until it holds; then back by halves. */
static void settle_pool(struct sizing_work *work, const struct trial *base,
			struct sizing_pool *pool, struct sizing_curve *curve)
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
static void search_pool(struct sizing_work *work, const struct trial *base,
			struct sizing_pool *pool, struct sizing_curve *curve)
{
	search_once(work, base, pool, curve);
	for (int more = 0; more < BEYOND && !curve->found && !work->out->partial &&
			   work->out->request.most_nodes == 0;
	     more++) {
		pool->most *= 2;
		search_once(work, base, pool, curve);
	}
	if (curve->found && !work->out->partial && !sizing_holds(work, trial_at(curve)))
		settle_pool(work, base, pool, curve);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Counts evenly spread around today's and the needed one; what would be given back is not
 * asked where nodes are missing. */
static bool fill_curve(struct sizing_work *work, const struct trial *base,
		       const struct sizing_pool *pool, struct sizing_curve *curve)
{
	uint32_t needed = curve->found ? curve->needed : pool->most;
	uint32_t low = needed < pool->today ? needed : pool->today;
	uint32_t high = larger(needed, pool->today), margin = larger((high - low) / 3, 2);
	uint32_t counts[CURVE_POINTS];

	if (low == needed)
		low = low > margin + 1 ? low - margin : 1;
	high += margin;
	for (uint32_t i = 0; i < CURVE_POINTS; i++)
		counts[i] = low + (uint32_t)((uint64_t)(high - low) * i / (CURVE_POINTS - 1));
	return run_counts(work, base, pool, curve, counts, CURVE_POINTS);
}

/* The same if all that is bought may be taken away again. */
static void search_spot(struct sizing_work *work, struct sizing_pool *pool)
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

static void count_nodes(struct sizing_work *work)
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
static void add_error_bars(struct sizing_work *work)
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
	    sizing_run_seeds(work, bare, count,
			     sizing_smaller(SIZING_FIRST_LOOK, r->replications))) {
		for (size_t i = 0; i < count; i++)
			if (bare[i]->is_open)
				bare[open++] = bare[i];
		sizing_run_seeds(work, bare, open, r->replications);
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
static void shrink(struct sizing_work *work, struct sizing_mix *mix, uint32_t pool)
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
		sizing_run_batch(work, batch, count);
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
static void settle_mix(struct sizing_work *work, struct sizing_mix *mix)
{
	struct sizing *out = work->out;

	for (int i = 0; i < ANSWERS_MAX && !out->partial; i++) {
		if (sizing_holds(work, mix->trial)) {
			mix->found = true;
			return;
		}
		for (uint32_t p = 0; p < out->pool_count; p++)
			mix->nodes[p] += mix->nodes[p] > out->pools[p].today;
		mix->trial = mix_trial(out, mix->nodes);
		sizing_run_batch(work, &mix->trial, 1);
	}
}

/* Where each kind lacks nodes of its own, more of one kind are never enough. */
static void mix_nodes(struct sizing_work *work)
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
	if (!sizing_run_batch(work, &mix->trial, 1) || !mix->trial->met)
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

/* What is chosen: money, or GPUs where the price of some is not known. */
struct worth {
	bool priced;
	int64_t amount;
};

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
		double time = (double)job->duration * job->common->gpus;

		if (job->duration == JOB_ENDLESS)
			continue;
		all += time;
		lost += job->common->checkpoint == 0 && job->duration >= every / 2 ? time : 0;
	}
	return all > 0 ? lost / all : 0;
}

static enum err_code run_today(struct sizing_work *work, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code;

	out->today = out->best = sizing_new_trial(out);
	out->today->detailed = true;
	code = trial_load(&out->request.setup, out->today, &out->scenario, &out->trace, err);
	if (code != ERR_OK)
		return code;
	out->demand = demand_of(out->scenario);
	out->too_long = share_too_long(out);
	list_pools(out);
	sizing_run_batch(work, &out->today, 1);
	sizing_holds(work, out->today);
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

static enum err_code plan(struct sizing_work *work, struct err *err)
{
	struct sizing *out = work->out;
	enum err_code code = run_today(work, err);

	if (code == ERR_OK && !out->partial)
		code = tuning_run(work, err);
	if (code != ERR_OK)
		return code;
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
	struct sizing_work work = {.out = out};
	const struct cmd_context *context = request->setup.context;
	enum err_code code;

	*out = (struct sizing){
		.request = *request, .goals = request->setup.goals, .arena = mem_arena_new()};
	pthread_mutex_init(&work.lock, NULL);
	if (context->err_terminal && !request->quiet)
		work.progress = progress_new(context->err, 1, SIZING_EXPECTED_RUNS, "runs");
	code = plan(&work, err);
	progress_free(work.progress);
	pthread_mutex_destroy(&work.lock);
	return code;
}
