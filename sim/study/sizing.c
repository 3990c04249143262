#include "sim/study/sizing.h"

#include "core/mem.h"

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

bool sizing_priced(const struct sizing *out)
{
	for (uint32_t p = 0; p < out->pool_count; p++)
		if (sizing_nodes(out, p) > out->pools[p].today && out->pools[p].on_demand == 0)
			return false;
	return out->today->month > 0;
}

const struct trial *sizing_answer(const struct sizing *out)
{
	if (out->mixed)
		return out->mix.trial;
	return out->choice < out->pool_count ? out->pools[out->choice].at_need : out->best;
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
