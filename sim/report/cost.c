#include "sim/report/cost.h"

#include "core/mem.h"

/* What a team's jobs hold, since when. */
struct team_level {
	int64_t price; /* micro-USD an hour */
	simtime since;
	struct money_sum used;
};

struct cost_state {
	const uint32_t *team_of;
	int64_t *counted; /* [job] the price that its team's level has */
	struct team_level *teams;
	struct money_sum gpus, bound, running, stranded;
};

static uint32_t count_unpriced(const struct scenario *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->node_count; i++)
		count += s->nodes[i].gpus > 0 && s->nodes[i].micro_usd_per_hour == 0;
	return count;
}

/* Of the nodes with these labels; 0 if there are none with GPUs. */
static int64_t gpu_price(const struct scenario *s, const struct label_set *labels)
{
	int64_t price = 0, gpus = 0;

	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct node *node = &s->nodes[i];

		if (node->gpus == 0 || !label_contains(&node->labels, labels))
			continue;
		price = res_add(price, node->micro_usd_per_hour);
		gpus += node->gpus;
	}
	return gpus > 0 ? price / gpus : 0;
}

int64_t *cost_of_flavors(const struct scenario *s)
{
	static const struct label_set none = {.count = 0};
	int64_t *prices = mem_calloc(s->flavor_count, sizeof(*prices));

	for (uint32_t f = 0; f < s->flavor_count; f++) {
		prices[f] = gpu_price(s, &s->flavors[f].node_labels);
		if (prices[f] == 0)
			prices[f] = gpu_price(s, &none);
	}
	return prices;
}

struct cost *cost_new(const struct scenario *s, const uint32_t *team_of, uint32_t team_count)
{
	struct cost *cost;

	if (!replay_priced(s))
		return NULL;
	cost = mem_calloc(1, sizeof(*cost));
	cost->unpriced = count_unpriced(s);
	cost->team_count = team_count;
	cost->teams = mem_calloc(team_count, sizeof(*cost->teams));
	cost->state = mem_calloc(1, sizeof(*cost->state));
	cost->state->team_of = team_of;
	cost->state->counted = mem_calloc(s->job_count, sizeof(*cost->state->counted));
	cost->state->teams = mem_calloc(team_count, sizeof(*cost->state->teams));
	return cost;
}

static void free_state(struct cost *cost)
{
	if (cost->state == NULL)
		return;
	mem_free(cost->state->counted);
	mem_free(cost->state->teams);
	mem_free(cost->state);
	cost->state = NULL;
}

void cost_free(struct cost *cost)
{
	if (cost == NULL)
		return;
	free_state(cost);
	mem_free(cost->teams);
	mem_free(cost);
}

void cost_pass(struct cost *cost, const struct replay_levels *levels, simtime time)
{
	int64_t free = levels->gpus - levels->bound;

	if (cost == NULL || time <= 0)
		return;
	money_add(&cost->state->gpus, levels->price, time);
	money_add(&cost->state->bound, levels->bound_price, time);
	money_add(&cost->state->running, levels->running_price, time);
	if (free > 0 && levels->asked > 0)
		money_add(&cost->state->stranded,
			  money_part(levels->price - levels->bound_price,
				     levels->asked < free ? levels->asked : free, free),
			  time);
}

static void settle_team(struct team_level *team, simtime now)
{
	money_add(&team->used, team->price, now - team->since);
	team->since = now;
}

void cost_step(struct cost *cost, const struct replay *replay)
{
	struct cost_state *state;

	if (cost == NULL)
		return;
	state = cost->state;
	for (size_t i = replay->first; i < replay->last; i++) {
		uint32_t job = journal_read(replay->in, i)->job;
		struct team_level *team;
		int64_t price;

		if (job == JOB_NONE)
			continue;
		price = replay_more(replay->jobs, replay->more, job)->price;
		if (price == state->counted[job])
			continue;
		team = &state->teams[state->team_of[job]];
		settle_team(team, replay->now);
		team->price += price - state->counted[job];
		state->counted[job] = price;
	}
}

void cost_close(struct cost *cost, const struct replay *replay, simtime end, int64_t useful)
{
	struct cost_state *state;

	if (cost == NULL)
		return;
	state = cost->state;
	cost->window = end;
	cost->gpus = state->gpus.whole;
	cost->bound = state->bound.whole;
	cost->running = state->running.whole;
	cost->stranded = state->stranded.whole;
	cost->idle = cost->bound - cost->running;
	cost->free = cost->gpus - cost->bound;
	cost->month = end > 0 ? money_sum_part(&state->gpus, MONEY_MONTH, end) : 0;
	cost->per_useful_hour = money_part(cost->gpus, CLOCK_HOUR, useful);
	for (uint32_t i = 0; i < replay->journal->scenario->job_count; i++)
		cost->lost =
			res_add(cost->lost, replay_more(replay->jobs, replay->more, i)->lost_money);
	for (uint32_t t = 0; t < cost->team_count; t++) {
		settle_team(&state->teams[t], end);
		cost->teams[t].used = state->teams[t].used.whole;
	}
	free_state(cost);
}

void cost_borrowed(struct cost *cost, uint32_t team, money used, money borrowed)
{
	if (cost != NULL)
		cost->teams[team].borrowed = money_part(cost->teams[team].used, borrowed, used);
}

money cost_month(const struct cost *cost, money amount)
{
	return money_part(amount, MONEY_MONTH, cost->window);
}
