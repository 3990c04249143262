#include "sim/scenario/requests.h"

#include <string.h>

#define NANO  1000000000
#define MILLI 1000

static bool is_excluded(const struct scenario *s, uint32_t resource)
{
	const char *name = name_text(s->resources, resource);

	for (uint32_t i = 0; i < s->config.excluded_prefix_count; i++) {
		const char *prefix = scenario_string(s, s->config.excluded_prefixes[i]);

		if (strncmp(name, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
}

/* amount x factor / 1e9, rounded up as quantities are. */
static int64_t scale_nano(int64_t amount, int64_t factor)
{
	int64_t whole = res_mul(amount / NANO, factor);
	int64_t rest = res_mul(amount % NANO, factor % NANO);

	if (amount < NANO && factor < INT64_C(4000000000))
		return (amount * factor + NANO - 1) / NANO;
	return res_add(whole,
		       res_add(res_mul(amount % NANO, factor / NANO), (rest + NANO - 1) / NANO));
}

/* A factor too big for nano units is given in whole ones. */
static int64_t scale(const struct transformation *rule, uint32_t output, int64_t amount)
{
	if (rule->factors[output] == INT64_MAX)
		return res_mul(amount, rule->whole_factors[output]);
	return scale_nano(amount, rule->factors[output]);
}

/* What a rule makes of a base amount, rounded up. Base amounts are thousandths once
 * for the input and once more for what it is multiplied by, where those are cpu. */
static int64_t produce(const struct transformation *rule, uint32_t output, int64_t base,
		       bool multiplied)
{
	bool milli = res_is_milli(rule->outputs[output]);
	uint32_t divide = (uint32_t)res_is_milli(rule->input) +
			  (multiplied && res_is_milli(rule->multiply_by));
	int64_t amount;

	if (milli && divide == 0)
		return scale(rule, output, res_mul(base, MILLI));
	amount = scale(rule, output, base);
	for (divide -= milli; divide > 0 && amount != RES_UNLIMITED; divide--)
		amount = amount / MILLI + (amount % MILLI > 0);
	return amount;
}

/* Configuration.resources: excluded prefixes, then transformations (spec 1.9). */
uint64_t requests_counted(const struct scenario *s, const struct pod_shape *shape, int64_t *amounts)
{
	uint64_t named = 0, replaced = 0, made = 0;
	int64_t out[RES_MAX] = {0};
	const int64_t *counted = pod_shape_counted(shape);
	const uint64_t counts = pod_shape_counts(shape);

	for (uint32_t r = 0; r < s->resource_count; r++) {
		amounts[r] = counted[r];
		if ((counts >> r & 1) != 0 && !is_excluded(s, r))
			named |= UINT64_C(1) << r;
	}
	for (uint32_t t = 0; t < s->config.transformation_count; t++) {
		const struct transformation *rule = &s->config.transformations[t];
		bool multiplied =
			rule->multiply_by != SCENARIO_NONE && (named >> rule->multiply_by & 1) != 0;
		int64_t base;

		if ((named >> rule->input & 1) == 0)
			continue;
		base = amounts[rule->input];
		if (multiplied)
			base = res_mul(base, amounts[rule->multiply_by]);
		for (uint32_t i = 0; i < rule->output_count; i++) {
			out[rule->outputs[i]] =
				res_add(out[rule->outputs[i]], produce(rule, i, base, multiplied));
			made |= UINT64_C(1) << rule->outputs[i];
		}
		if (rule->replace)
			replaced |= UINT64_C(1) << rule->input;
	}
	named &= ~replaced;
	for (uint32_t r = 0; r < s->resource_count; r++) {
		if ((made >> r & 1) == 0)
			continue;
		amounts[r] = (named >> r & 1) != 0 ? res_add(amounts[r], out[r]) : out[r];
	}
	return named | made;
}
