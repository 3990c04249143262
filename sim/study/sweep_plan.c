#include "sim/study/sweep_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "sim/report/exact.h"
#include "sim/scenario/options.h"
#include "sim/tool/nearest.h"
#include "sim/world/policy.h"

struct sweep_plan *sweep_plan_new(void)
{
	struct sweep_plan *plan = mem_calloc(1, sizeof(*plan));

	plan->arena = mem_arena_new();
	plan->seed = 1;
	return plan;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	if (plan == NULL)
		return;
	for (uint32_t d = 0; d < plan->dimension_count; d++)
		sweep_texts_free(&plan->dimensions[d].values);
	sweep_texts_free(&plan->files);
	sweep_texts_free(&plan->sets);
	sweep_texts_free(&plan->options);
	sweep_texts_free(&plan->outputs);
	mem_arena_free(plan->arena);
	mem_free(plan);
}

enum err_code sweep_plan_dimension(struct sweep_plan *plan, const char *name, const char *set,
				   struct sweep_dimension **out, struct err *err)
{
	struct sweep_dimension *d = NULL;

	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		if (strcmp(plan->dimensions[i].name, name) == 0)
			d = &plan->dimensions[i];
	}
	if (d == NULL && plan->dimension_count == SWEEP_DIMENSIONS)
		return err_set(err, ERR_LIMIT, NULL, 0, 0, "more than %d dimensions",
			       SWEEP_DIMENSIONS);
	if (d == NULL)
		d = &plan->dimensions[plan->dimension_count++];
	d->name = mem_arena_strdup(plan->arena, name);
	d->set = mem_arena_strdup(plan->arena, set);
	d->values.count = 0;
	*out = d;
	return ERR_OK;
}

/* ---- the check ---- */

static enum err_code check_target(struct sweep_dimension *d, struct err *err)
{
	struct nearest nearest;

	d->target = SWEEP_OPTION;
	if (strcmp(d->set, "policy") == 0)
		d->target = SWEEP_POLICY;
	else if (strcmp(d->set, "nodes") == 0)
		d->target = SWEEP_NODES;
	else if (strcmp(d->set, "trace") == 0)
		d->target = SWEEP_TRACE;
	else if (strchr(d->set, '/') != NULL)
		d->target = SWEEP_SETTING;
	if (d->target != SWEEP_OPTION)
		return ERR_OK;
	nearest_begin(&nearest, d->set);
	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		if (strcmp(row->name, d->set) == 0)
			return ERR_OK;
		nearest_offer(&nearest, row->name);
	}
	return err_set(
		err, ERR_UNKNOWN, NULL, 0, 0,
		"there is nothing called \"%.100s\" to set%s%s%s: name policy, nodes, trace, "
		"an option of a run (gqsim run --help) or KIND/NAME:RESOURCE.FIELD",
		d->set, nearest.best != NULL ? "; did you mean \"" : "",
		nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "\"" : "");
}

/* Policies and options can be tried at once; settings need the input. */
static enum err_code check_value(const struct sweep_dimension *d, const char *value,
				 struct err *err)
{
	struct run_options trial;

	if (d->target == SWEEP_POLICY && policy_find(value) == NULL)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no policy \"%.100s\" (gqsim list policies)", value);
	if (d->target != SWEEP_OPTION)
		return ERR_OK;
	options_default(&trial);
	return options_set(&trial, d->set, value, err);
}

/* Of a team or a namespace (exact.h). */
static bool is_of_many(const char *figure)
{
	return strncmp(figure, "team:", 5) == 0 || strncmp(figure, "namespace:", 10) == 0;
}

/* Its name is a column of the results. */
static enum err_code check_name(const struct sweep_dimension *d, struct err *err)
{
	static const char *const columns[] = {"point", "status", "message"};
	bool taken = is_of_many(d->name);

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		taken = taken || strcmp(columns[i], d->name) == 0;
	for (const struct exact *f = exact_figures(); f->key != NULL; f++)
		taken = taken || strcmp(f->key, d->name) == 0;
	if (!taken)
		return ERR_OK;
	return err_set(err, ERR_DUPLICATE, NULL, 0, 0,
		       "a dimension cannot be called \"%.100s\", as a column of the results is",
		       d->name);
}

enum err_code sweep_plan_try_target(const struct sweep_plan *plan, struct sweep_dimension *d,
				    struct err *err)
{
	enum err_code code = check_name(d, err);

	if (code == ERR_OK)
		code = check_target(d, err);
	for (uint32_t i = 0; i < plan->dimension_count && code == ERR_OK; i++) {
		const struct sweep_dimension *other = &plan->dimensions[i];

		if (other != d && strcmp(other->set, d->set) == 0)
			return err_set(err, ERR_DUPLICATE, NULL, 0, 0,
				       "two dimensions set \"%.200s\"", d->set);
	}
	return code;
}

enum err_code sweep_plan_try_values(const struct sweep_dimension *d, size_t from, struct err *err)
{
	enum err_code code = ERR_OK;

	if (d->values.count == 0)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "dimension \"%.100s\" has no values",
			       d->name);
	for (size_t i = from; i < d->values.count && code == ERR_OK; i++)
		code = check_value(d, d->values.items[i], err);
	return code;
}

static enum err_code check_dimension(struct sweep_plan *plan, uint32_t at, struct err *err)
{
	struct sweep_dimension *d = &plan->dimensions[at];
	enum err_code code = sweep_plan_try_target(plan, d, err);

	d->crossed = d->target == SWEEP_POLICY || strcmp(d->set, "seed") == 0;
	return code == ERR_OK ? sweep_plan_try_values(d, 0, err) : code;
}

enum err_code sweep_plan_try_output(const char *pattern, struct err *err)
{
	bool found = is_of_many(pattern) || strchr(pattern, '*') != NULL;
	struct nearest nearest;

	nearest_begin(&nearest, pattern);
	for (const struct exact *f = exact_figures(); f->key != NULL && !found; f++) {
		found = strcmp(f->key, pattern) == 0;
		nearest_offer(&nearest, f->key);
	}
	if (found)
		return ERR_OK;
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "there is no figure \"%.100s\"%s%s%s", pattern,
		       nearest.best != NULL ? "; did you mean \"" : "",
		       nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "\"?" : "");
}

static enum err_code check_outputs(const struct sweep_plan *plan, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < plan->outputs.count && code == ERR_OK; i++)
		code = sweep_plan_try_output(plan->outputs.items[i], err);
	return code;
}

/* How many samples the dimensions that are not crossed make together. */
static enum err_code count_samples(struct sweep_plan *plan, uint64_t *out, struct err *err)
{
	*out = plan->method == SWEEP_LATIN ? plan->samples : 1;
	if (plan->method == SWEEP_LATIN && (*out == 0 || *out > SWEEP_POINTS))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "a Latin hypercube has 1 to %d samples: say how many", SWEEP_POINTS);
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (d->crossed || plan->method != SWEEP_LIST)
			continue;
		if (*out != 1 && d->values.count != 1 && d->values.count != *out)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "in a list the dimensions have equally many values, but "
				       "\"%.100s\" has %zu, not %" PRIu64,
				       d->name, d->values.count, *out);
		*out = d->values.count > *out ? d->values.count : *out;
	}
	return ERR_OK;
}

/* Is it walked value by value? */
static bool is_crossed(const struct sweep_plan *plan, const struct sweep_dimension *d)
{
	return d->crossed || plan->method == SWEEP_GRID;
}

static enum err_code count_points(struct sweep_plan *plan, struct err *err)
{
	enum err_code code = count_samples(plan, &plan->points, err);

	for (uint32_t i = 0; i < plan->dimension_count && code == ERR_OK; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (!is_crossed(plan, d))
			continue;
		if (plan->points > SWEEP_POINTS / d->values.count)
			return err_set(err, ERR_LIMIT, NULL, 0, 0,
				       "more than %d points: a Latin hypercube takes a sample",
				       SWEEP_POINTS);
		plan->points *= d->values.count;
	}
	return code;
}

/* Each dimension's values in a random order, each equally often (as far as samples go
 * round): a stream a dimension, so that one more does not change the others. */
static void draw(struct sweep_plan *plan)
{
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		struct sweep_dimension *d = &plan->dimensions[i];
		char stream[300];
		struct rng *rng;

		if (is_crossed(plan, d))
			continue;
		snprintf(stream, sizeof(stream), "sweep:%.250s", d->name);
		rng = rng_new(plan->seed, stream);
		d->order = mem_arena_alloc(plan->arena, plan->samples * sizeof(*d->order));
		for (uint64_t s = 0; s < plan->samples; s++) {
			uint64_t k = rng_below(rng, s + 1);

			d->order[s] = d->order[k];
			d->order[k] = (uint32_t)(s * d->values.count / plan->samples);
		}
		rng_free(rng);
	}
}

enum err_code sweep_plan_check(struct sweep_plan *plan, struct err *err)
{
	enum err_code code = check_outputs(plan, err);

	for (uint32_t i = 0; i < plan->dimension_count && code == ERR_OK; i++)
		code = check_dimension(plan, i, err);
	if (code == ERR_OK)
		code = count_points(plan, err);
	if (code == ERR_OK && plan->method == SWEEP_LATIN)
		draw(plan);
	return code;
}

/* ---- points ---- */

void sweep_plan_point(const struct sweep_plan *plan, uint64_t point,
		      uint32_t index[SWEEP_DIMENSIONS])
{
	for (uint32_t i = plan->dimension_count; i-- > 0;) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (!is_crossed(plan, d))
			continue;
		index[i] = (uint32_t)(point % d->values.count);
		point /= d->values.count;
	}
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (is_crossed(plan, d))
			continue;
		if (plan->method == SWEEP_LATIN)
			index[i] = d->order[point];
		else
			index[i] = d->values.count == 1 ? 0 : (uint32_t)point;
	}
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	const uint64_t prime = UINT64_C(1099511628211);

	do
		hash = (hash ^ (unsigned char)*text) * prime;
	while (*text++ != '\0');
	return hash;
}

static uint64_t hash_texts(uint64_t hash, const struct sweep_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		hash = hash_text(hash, texts->items[i]);
	return hash_text(hash, "");
}

const char *sweep_plan_fingerprint(const struct sweep_plan *plan)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	char text[64];

	hash = hash_texts(hash, &plan->sets);
	hash = hash_texts(hash, &plan->options);
	hash = hash_texts(hash, &plan->outputs);
	hash = hash_text(hash, plan->nodes != NULL ? plan->nodes : "");
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		hash = hash_text(hash, plan->dimensions[i].name);
		hash = hash_text(hash, plan->dimensions[i].set);
		hash = hash_texts(hash, &plan->dimensions[i].values);
	}
	snprintf(text, sizeof(text), "%d %" PRIu64 " %" PRIu64, (int)plan->method, plan->samples,
		 plan->seed);
	hash = hash_text(hash, text);
	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	return mem_arena_strdup(plan->arena, text);
}
