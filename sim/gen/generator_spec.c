#include "sim/gen/generator_spec.h"

#include <math.h>
#include <string.h>

#include "core/num.h"
#include "sim/load/fields.h"
#include "sim/trace/trace.h"

#define TEAMS_MAX   10000
#define TIME_MAX    3.2e9 /* seconds */
#define STAY_MIN    60
#define STEPS_MAX   1000
#define SCORE_MAX   10
#define POINTS_MAX  100000
#define CLASSES_MAX 1000
#define BLOCKS_MAX  1000000
#define BLOCK_LEAST 3600.0 /* seconds */
#define DAY_HOURS   24
#define WEEK_DAYS   7

/* Who reads: what a row's reader needs beside the fields. */
struct spec {
	struct generator *generator;
	bool rhythm_given; /* of all teams */
	double rhythm[ARRIVALS_HOURS];
};

struct team_reading {
	struct generator_team team;
	struct generator *generator;
	bool rhythm_given;
};

/* What a DIST's numbers are. */
static const bool is_time = true, is_number = false;

/* ---- numbers ---- */

static enum err_code number_of(struct fields *f, const struct yaml_node *value, bool time,
			       double *out)
{
	simtime t;

	if (value->kind == YAML_SCALAR && num_read_double(value->text, value->count, out) &&
	    isfinite(*out))
		return ERR_OK;
	if (!time)
		return fields_error(f, ERR_VALUE, value, "must be a number");
	if (value->kind != YAML_SCALAR || !clock_read_duration(value->text, value->count, &t))
		return fields_error(
			f, ERR_VALUE, value,
			"must be a time: seconds, or a duration such as 90s, 15m or 2d");
	*out = (double)t / CLOCK_SECOND;
	return ERR_OK;
}

static enum err_code within(struct fields *f, const struct yaml_node *value, double least,
			    double most, double *out)
{
	enum err_code code = number_of(f, value, false, out);

	if (code == ERR_OK && (*out < least || *out > most))
		code = fields_error(f, ERR_VALUE, value, "must be a number from %g to %g", least,
				    most);
	return code;
}

static enum err_code read_share(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	(void)row;
	return within(f, value, 0, 1, out);
}

static enum err_code read_correlation(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	(void)row;
	return within(f, value, -1, 1, out);
}

static enum err_code read_rate(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	return within(f, value, 0, 1e9, out);
}

static enum err_code read_time(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	double *seconds = out;
	enum err_code code = number_of(f, value, true, seconds);

	(void)row;
	if (code == ERR_OK && !(*seconds >= 0 && *seconds <= TIME_MAX))
		code = fields_error(f, ERR_VALUE, value, "must be a time from 0 to a century");
	return code;
}

static enum err_code read_text(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const char **text = out;

	(void)row;
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be a text");
	*text = mem_arena_strdup(f->arena, value->text);
	return ERR_OK;
}

/* ---- distributions ---- */

struct distribution_reading {
	int kind; /* DISTRIBUTION_KINDS: not said */
	const struct yaml_node *parameter[DISTRIBUTION_PARAMETERS];
	const struct yaml_node *phases, *weights, *quantiles;
	double up_to; /* upToGpus, of a list; negative: not said */
};

static const struct fields_word kinds[] = {
	{"constant", DISTRIBUTION_CONSTANT},
	{"uniform", DISTRIBUTION_UNIFORM},
	{"exponential", DISTRIBUTION_EXPONENTIAL},
	{"lognormal", DISTRIBUTION_LOGNORMAL},
	{"weibull", DISTRIBUTION_WEIBULL},
	{"boundedPareto", DISTRIBUTION_BOUNDED_PARETO},
	{"hyperexponential", DISTRIBUTION_HYPEREXPONENTIAL},
	{"empirical", DISTRIBUTION_EMPIRICAL},
	{"quantiles", DISTRIBUTION_QUANTILES},
	{NULL, 0},
};

#define DIST(member) offsetof(struct distribution_reading, member)

static const struct field distribution_rows[] = {
	{.key = "distribution", .read = fields_enum, .offset = DIST(kind), .arg = kinds},
	{.key = "value", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_VALUE])},
	{.key = "mean", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_MEAN])},
	{.key = "median", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_MEDIAN])},
	{.key = "sigma", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_SIGMA])},
	{.key = "shape", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_SHAPE])},
	{.key = "scale", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_SCALE])},
	{.key = "min", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_MIN])},
	{.key = "max", .read = fields_keep, .offset = DIST(parameter[DISTRIBUTION_MAX])},
	{.key = "phases", .read = fields_keep, .offset = DIST(phases)},
	{.key = "weights", .read = fields_keep, .offset = DIST(weights)},
	{.key = "quantiles", .read = fields_keep, .offset = DIST(quantiles)},
	{.key = "upToGpus", .read = read_rate, .offset = DIST(up_to)},
	{.key = NULL},
};

/* Phases, weights or quantiles say the kind; each needs its own. */
static enum err_code settle_kind(struct fields *f, const struct yaml_node *node,
				 struct distribution_reading *r)
{
	int said = DISTRIBUTION_KINDS;
	int count = (r->phases != NULL) + (r->weights != NULL) + (r->quantiles != NULL);

	if (r->phases != NULL)
		said = DISTRIBUTION_HYPEREXPONENTIAL;
	else if (r->weights != NULL)
		said = DISTRIBUTION_EMPIRICAL;
	else if (r->quantiles != NULL)
		said = DISTRIBUTION_QUANTILES;
	if (r->kind == DISTRIBUTION_KINDS)
		r->kind = said;
	if (r->kind == DISTRIBUTION_KINDS)
		return fields_error(f, ERR_VALUE, node,
				    "says no distribution: give one, or phases, weights or "
				    "quantiles");
	if (count > 1 || (count == 1 && said != r->kind))
		return fields_error(f, ERR_VALUE, node,
				    "phases are of a hyperexponential, weights of an empirical "
				    "distribution, quantiles of one by quantiles: one of them");
	if (count == 0 && distribution_needs_points((enum distribution_kind)r->kind))
		return fields_error(
			f, ERR_VALUE, node, "%s distributions need %s",
			distribution_name((enum distribution_kind)r->kind),
			r->kind == DISTRIBUTION_HYPEREXPONENTIAL ? "phases: {MEAN: WEIGHT}"
			: r->kind == DISTRIBUTION_EMPIRICAL	 ? "weights: {VALUE: WEIGHT}"
								 : "quantiles: {SHARE: VALUE}");
	return ERR_OK;
}

static enum err_code read_parameters(struct fields *f, const struct distribution_reading *r,
				     bool time, struct distribution *d)
{
	enum err_code code = ERR_OK;

	for (int p = 0; p < DISTRIBUTION_PARAMETERS && code == ERR_OK; p++) {
		enum distribution_parameter parameter = (enum distribution_parameter)p;
		bool bound = p == DISTRIBUTION_MIN || p == DISTRIBUTION_MAX;
		size_t mark;

		if (r->parameter[p] == NULL)
			continue;
		mark = fields_enter(f, distribution_parameter_name(parameter));
		if (!bound && (distribution_needs(d->kind) >> p & 1) == 0)
			code = fields_error(f, ERR_VALUE, r->parameter[p],
					    "is no parameter of a %s distribution",
					    distribution_name(d->kind));
		if (code == ERR_OK)
			code = number_of(f, r->parameter[p],
					 time && !distribution_is_pure(parameter),
					 &d->parameter[p]);
		d->given |= DISTRIBUTION_BIT(p);
		fields_leave(f, mark);
	}
	return code;
}

/* VALUE: WEIGHT, or of quantiles SHARE: VALUE. */
static enum err_code read_pairs(struct fields *f, const struct yaml_node *map, bool time,
				struct distribution *d)
{
	struct distribution_point *points;
	enum err_code code = fields_want_map(f, map);

	if (code == ERR_OK && map->count > POINTS_MAX)
		code = fields_error(f, ERR_LIMIT, map, "more than %d values", POINTS_MAX);
	if (code != ERR_OK)
		return code;
	points = mem_arena_alloc(f->arena, map->count * sizeof(*points));
	for (uint32_t i = 0; i < map->count && code == ERR_OK; i++) {
		bool shares = d->kind == DISTRIBUTION_QUANTILES;
		const struct yaml_pair *pair = &map->pairs[i];

		code = number_of(f, shares ? pair->value : pair->key, time, &points[i].value);
		if (code == ERR_OK)
			code = number_of(f, shares ? pair->key : pair->value, false,
					 &points[i].weight);
	}
	d->points = points;
	d->point_count = map->count;
	return code;
}

static enum err_code check_distribution(struct fields *f, const struct yaml_node *node,
					const struct distribution *d)
{
	uint32_t missing = distribution_needs(d->kind) & ~d->given;
	const char *fault = missing == 0 ? distribution_fault(d) : NULL;

	for (int p = 0; p < DISTRIBUTION_PARAMETERS; p++)
		if ((missing >> p & 1) != 0)
			return fields_error(
				f, ERR_VALUE, node, "a %s distribution needs %s",
				distribution_name(d->kind),
				distribution_parameter_name((enum distribution_parameter)p));
	if (fault != NULL)
		return fields_error(f, ERR_VALUE, node, "%s", fault);
	return ERR_OK;
}

static enum err_code read_map(struct fields *f, const struct yaml_node *node, bool time,
			      struct distribution *out, double *up_to)
{
	struct distribution_reading r = {.kind = DISTRIBUTION_KINDS, .up_to = -1};
	enum err_code code = fields_map(f, node, distribution_rows, &r);

	if (code == ERR_OK && up_to == NULL && r.up_to >= 0)
		code = fields_error(f, ERR_VALUE, node,
				    "upToGpus stands in a list of durations only");
	if (code == ERR_OK)
		code = settle_kind(f, node, &r);
	if (code != ERR_OK)
		return code;
	*out = (struct distribution){.kind = (enum distribution_kind)r.kind};
	if (up_to != NULL)
		*up_to = r.up_to;
	code = read_parameters(f, &r, time, out);
	if (code == ERR_OK && r.phases != NULL)
		code = read_pairs(f, r.phases, time, out);
	if (code == ERR_OK && r.weights != NULL)
		code = read_pairs(f, r.weights, time, out);
	if (code == ERR_OK && r.quantiles != NULL)
		code = read_pairs(f, r.quantiles, time, out);
	return code == ERR_OK ? check_distribution(f, node, out) : code;
}

/* row->arg: are its numbers times? */
static enum err_code read_distribution(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	bool time = *(const bool *)row->arg;
	struct distribution *d = out;
	double constant;

	if (value->kind == YAML_MAP)
		return read_map(f, value, time, d, NULL);
	if (number_of(f, value, time, &constant) != ERR_OK)
		return f->err->code;
	*d = distribution_constant(constant);
	return check_distribution(f, value, d);
}

/* GPUs of a job are whole; what is drawn from a continuous family is rounded. */
static enum err_code read_gpus(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const struct distribution *d = out;
	double least = HUGE_VAL;
	bool whole;

	if (read_distribution(f, row, value, out) != ERR_OK)
		return f->err->code;
	if (d->kind == DISTRIBUTION_CONSTANT)
		least = d->parameter[DISTRIBUTION_VALUE];
	else if (d->kind != DISTRIBUTION_EMPIRICAL)
		return ERR_OK;
	whole = least == HUGE_VAL || least == floor(least);
	for (uint32_t i = 0; i < d->point_count; i++) {
		least = fmin(least, d->points[i].value);
		whole = whole && d->points[i].value == floor(d->points[i].value);
	}
	return whole && least >= 1
		       ? ERR_OK
		       : fields_error(f, ERR_VALUE, value, "GPUs are whole numbers from 1 on");
}

/* ---- rhythm ---- */

struct rhythm_reading {
	const struct yaml_node *hours, *days, *week;
};

static enum err_code read_weights(struct fields *f, const struct yaml_node *list, uint32_t count,
				  double *out)
{
	enum err_code code = fields_want_list(f, list);
	double sum = 0;

	if (code == ERR_OK && list->count != count)
		code = fields_error(f, ERR_VALUE, list, "%u weights are needed, here are %u", count,
				    list->count);
	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		code = within(f, list->items[i], 0, 1e9, &out[i]);
		sum += out[i];
	}
	if (code == ERR_OK && !(sum > 0))
		code = fields_error(f, ERR_VALUE, list, "some weight must be above 0");
	return code;
}

static enum err_code read_rhythm(struct fields *f, const struct yaml_node *value,
				 double out[ARRIVALS_HOURS])
{
	static const struct field rows[] = {
		{.key = "hours",
		 .read = fields_keep,
		 .offset = offsetof(struct rhythm_reading, hours)},
		{.key = "days",
		 .read = fields_keep,
		 .offset = offsetof(struct rhythm_reading, days)},
		{.key = "week",
		 .read = fields_keep,
		 .offset = offsetof(struct rhythm_reading, week)},
		{.key = NULL},
	};
	struct rhythm_reading r = {NULL, NULL, NULL};
	double hours[DAY_HOURS], days[WEEK_DAYS];
	enum err_code code = fields_map(f, value, rows, &r);

	if (code != ERR_OK)
		return code;
	if ((r.week == NULL) == (r.hours == NULL && r.days == NULL))
		return fields_error(f, ERR_VALUE, value, "give hours, days or both; or week");
	if (r.week != NULL)
		return read_weights(f, r.week, ARRIVALS_HOURS, out);
	for (int h = 0; h < DAY_HOURS; h++)
		hours[h] = 1;
	for (int d = 0; d < WEEK_DAYS; d++)
		days[d] = 1;
	if (r.hours != NULL)
		code = read_weights(f, r.hours, DAY_HOURS, hours);
	if (code == ERR_OK && r.days != NULL)
		code = read_weights(f, r.days, WEEK_DAYS, days);
	for (int h = 0; h < ARRIVALS_HOURS; h++)
		out[h] = hours[h % DAY_HOURS] * days[h / DAY_HOURS];
	return code;
}

static enum err_code read_own_rhythm(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct team_reading *r = out;

	(void)row;
	r->rhythm_given = true;
	return read_rhythm(f, value, r->team.arrivals.rhythm);
}

static enum err_code read_common_rhythm(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	struct spec *spec = out;

	(void)row;
	spec->rhythm_given = true;
	return read_rhythm(f, value, spec->rhythm);
}

/* ---- states and growth ---- */

static enum err_code read_regular(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	static const struct fields_word words[] = {{"poisson", 0}, {"regular", 1}, {NULL, 0}};
	const struct field word = {.key = row->key, .arg = words};
	bool *regular = out;
	int chosen = 0;
	enum err_code code = fields_enum(f, &word, value, &chosen);

	*regular = chosen == 1;
	return code;
}

static enum err_code read_state(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "rate",
		 .read = read_rate,
		 .offset = offsetof(struct arrivals_state, rate),
		 .required = true},
		{.key = "stay",
		 .read = read_time,
		 .offset = offsetof(struct arrivals_state, stay),
		 .required = true},
		{.key = NULL},
	};
	struct arrivals_state *state = out;
	enum err_code code = fields_map(f, value, rows, state);

	(void)row;
	if (code == ERR_OK && state->stay < STAY_MIN)
		code = fields_error(f, ERR_VALUE, value, "a stay is a minute or more");
	return code;
}

static enum err_code read_states(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct arrivals_process *process = out;
	double sum = 0;
	void *items = NULL;
	enum err_code code = fields_list(f, value, read_state, sizeof(process->states[0]),
					 ARRIVALS_STATES, &items, &process->state_count);

	(void)row;
	if (code != ERR_OK)
		return code;
	memcpy(process->states, items, process->state_count * sizeof(process->states[0]));
	for (uint32_t i = 0; i < process->state_count; i++)
		sum += process->states[i].rate;
	if (!(sum > 0))
		return fields_error(f, ERR_VALUE, value, "some rate must be above 0");
	return ERR_OK;
}

struct profile_reading {
	double every;
	const struct yaml_node *levels, *sweeps, *gpus, *durations;
};

/* Normal scores, one a level; NULL: none are given. */
static enum err_code read_moods(struct fields *f, const struct yaml_node *list, uint32_t count,
				const double **out)
{
	enum err_code code = list == NULL ? ERR_OK : fields_want_list(f, list);
	double *moods;

	if (code != ERR_OK || list == NULL)
		return code;
	if (list->count != count)
		return fields_error(f, ERR_VALUE, list, "%u scores are needed, here are %u", count,
				    list->count);
	moods = mem_arena_alloc(f->arena, count * sizeof(*moods));
	for (uint32_t i = 0; i < count && code == ERR_OK; i++)
		code = within(f, list->items[i], -SCORE_MAX, SCORE_MAX, &moods[i]);
	*out = moods;
	return code;
}

static enum err_code read_profile(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "every",
		 .read = read_time,
		 .offset = offsetof(struct profile_reading, every),
		 .required = true},
		{.key = "levels",
		 .read = fields_keep,
		 .offset = offsetof(struct profile_reading, levels),
		 .required = true},
		{.key = "sweeps",
		 .read = fields_keep,
		 .offset = offsetof(struct profile_reading, sweeps)},
		{.key = "gpus",
		 .read = fields_keep,
		 .offset = offsetof(struct profile_reading, gpus)},
		{.key = "durations",
		 .read = fields_keep,
		 .offset = offsetof(struct profile_reading, durations)},
		{.key = NULL},
	};
	struct generator_team *team = out;
	struct arrivals_process *process = &team->arrivals;
	struct profile_reading r = {.every = 0};
	enum err_code code = fields_map(f, value, rows, &r);
	double *levels;

	(void)row;
	if (code == ERR_OK)
		code = fields_want_list(f, r.levels);
	if (code == ERR_OK && (r.every < STAY_MIN || r.levels->count > STEPS_MAX))
		code = fields_error(f, ERR_VALUE, value,
				    "every is a minute or more, and there are at most %d levels",
				    STEPS_MAX);
	if (code != ERR_OK)
		return code;
	levels = mem_arena_alloc(f->arena, r.levels->count * sizeof(*levels));
	process->levels = levels;
	process->level_count = r.levels->count;
	process->level_every = r.every;
	code = read_weights(f, r.levels, r.levels->count, levels);
	if (code == ERR_OK)
		code = read_moods(f, r.sweeps, r.levels->count, &team->sweep_moods);
	if (code == ERR_OK)
		code = read_moods(f, r.gpus, r.levels->count, &team->gpus_moods);
	if (code == ERR_OK)
		code = read_moods(f, r.durations, r.levels->count, &team->durations_moods);
	return code;
}

struct growth_reading {
	double factor, every, at; /* negative: not given */
};

static enum err_code read_growth_item(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "factor",
		 .read = read_rate,
		 .offset = offsetof(struct growth_reading, factor),
		 .required = true},
		{.key = "every",
		 .read = read_time,
		 .offset = offsetof(struct growth_reading, every)},
		{.key = "at", .read = read_time, .offset = offsetof(struct growth_reading, at)},
		{.key = NULL},
	};
	struct growth_reading *r = out;
	enum err_code code;

	(void)row;
	*r = (struct growth_reading){-1, -1, -1};
	code = fields_map(f, value, rows, r);
	if (code == ERR_OK && (r->every < 0) == (r->at < 0))
		code = fields_error(f, ERR_VALUE, value,
				    "give every (gradually) or at (at once, from then on)");
	if (code == ERR_OK && (r->every == 0 || r->factor < 1e-6 || r->factor > 1e6))
		code = fields_error(f, ERR_VALUE, value,
				    "every is above 0, a factor from 0.000001 to 1000000");
	return code;
}

static enum err_code read_growth(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct arrivals_process *process = out;
	struct growth_reading one, *items = &one;
	struct arrivals_step *steps;
	uint32_t count = 1;
	void *list = NULL;
	enum err_code code;

	if (value->kind == YAML_LIST) {
		code = fields_list(f, value, read_growth_item, sizeof(one), STEPS_MAX, &list,
				   &count);
		items = list;
	} else {
		code = read_growth_item(f, row, value, &one);
	}
	if (code != ERR_OK)
		return code;
	steps = mem_arena_alloc(f->arena, count * sizeof(*steps));
	process->steps = steps;
	for (uint32_t i = 0; i < count; i++) {
		if (items[i].every > 0) {
			process->growth = items[i].factor;
			process->growth_every = items[i].every;
			continue;
		}
		if (process->step_count > 0 && items[i].at < steps[process->step_count - 1].at)
			return fields_error(f, ERR_VALUE, value, "steps are in order of time");
		steps[process->step_count++] = (struct arrivals_step){items[i].at, items[i].factor};
	}
	return ERR_OK;
}

/* ---- sweeps, durations, fates ---- */

static enum err_code read_sweep(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
#define TEAM(member) offsetof(struct generator_team, member)
	static const struct field rows[] = {
		{.key = "size",
		 .read = read_distribution,
		 .offset = TEAM(sweep_size),
		 .arg = &is_number,
		 .required = true},
		{.key = "spacing",
		 .read = read_distribution,
		 .offset = TEAM(sweep_spacing),
		 .arg = &is_time},
		{.key = "mostGpuHours", .read = read_rate, .offset = TEAM(sweep_most)},
		{.key = "gpusAlike", .read = read_share, .offset = TEAM(gpus_alike)},
		{.key = "durationsAlike", .read = read_share, .offset = TEAM(durations_alike)},
		{.key = "gpusPersist", .read = read_share, .offset = TEAM(gpus_persist)},
		{.key = "durationsPersist", .read = read_share, .offset = TEAM(durations_persist)},
		{.key = NULL},
	};
#undef TEAM
	struct generator_team *team = out;

	(void)row;
	team->gpus_alike = 1;
	return fields_map(f, value, rows, team);
}

static enum err_code read_class(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct generator_duration *class = out;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code == ERR_OK)
		code = read_map(f, value, true, &class->distribution, &class->up_to_gpus);
	return code;
}

static enum err_code read_classes(struct fields *f, const struct yaml_node *list,
				  struct generator_team *team)
{
	void *items = NULL;
	enum err_code code = fields_list(f, list, read_class, sizeof(*team->durations), CLASSES_MAX,
					 &items, &team->duration_count);

	team->durations = items;
	if (code == ERR_OK && team->duration_count == 0)
		code = fields_error(f, ERR_VALUE, list, "a duration is needed");
	for (uint32_t i = 0; i < team->duration_count && code == ERR_OK; i++) {
		double *up_to = &team->durations[i].up_to_gpus;

		if (i + 1 == team->duration_count && *up_to < 0)
			*up_to = HUGE_VAL;
		if (*up_to < 0 || (i > 0 && *up_to <= team->durations[i - 1].up_to_gpus))
			code = fields_error(f, ERR_VALUE, list->items[i],
					    "upToGpus is needed in all but the last, ascending");
	}
	return code;
}

static enum err_code read_durations(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	const struct field time = {.key = row->key, .arg = &is_time};
	struct generator_team *team = out;

	if (value->kind == YAML_LIST)
		return read_classes(f, value, team);
	team->durations = mem_arena_alloc(f->arena, sizeof(*team->durations));
	team->duration_count = 1;
	team->durations->up_to_gpus = HUGE_VAL;
	return read_distribution(f, &time, value, &team->durations->distribution);
}

#define FATE(member) offsetof(struct generator_fate, member)

static enum err_code read_failures(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "share", .read = read_share, .offset = FATE(share), .required = true},
		{.key = "after",
		 .read = read_distribution,
		 .offset = FATE(after),
		 .arg = &is_number},
		{.key = NULL},
	};
	struct generator_fate *fate = out;
	enum err_code code = fields_map(f, value, rows, fate);

	(void)row;
	if (code == ERR_OK && distribution_quantile(&fate->after, 1) > 1)
		code = fields_error(f, ERR_VALUE, value,
				    "after is the share of its work that a job has done when it "
				    "fails: at most 1");
	return code;
}

static enum err_code read_cancellations(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "share", .read = read_share, .offset = FATE(share), .required = true},
		{.key = "after",
		 .read = read_distribution,
		 .offset = FATE(after),
		 .arg = &is_time,
		 .required = true},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

/* ---- jobs as they were ---- */

static enum err_code read_sampled(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct generator_sampled *job = out;
	double gpus = 0;
	enum err_code code = fields_want_list(f, value);

	(void)row;
	if (code == ERR_OK && value->count != 3)
		return fields_error(f, ERR_VALUE, value,
				    "must have three numbers: submit, GPUs and duration");
	if (code == ERR_OK)
		code = read_time(f, row, value->items[0], &job->submit);
	if (code == ERR_OK)
		code = within(f, value->items[1], 1, GENERATOR_GPUS_MAX, &gpus);
	if (code == ERR_OK)
		code = read_time(f, row, value->items[2], &job->duration);
	job->gpus = (uint32_t)gpus;
	return code;
}

static enum err_code read_sampled_jobs(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	struct generator_sample *sample = out;
	void *items = NULL;
	uint32_t count = 0;
	enum err_code code = fields_list(f, value, read_sampled, sizeof(*sample->jobs),
					 GENERATOR_JOBS_MAX, &items, &count);

	(void)row;
	sample->jobs = items;
	sample->count = count;
	return code;
}

static enum err_code read_blocks(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	int64_t number = 0;
	enum err_code code = fields_int_between(f, value, 2, BLOCKS_MAX, &number);

	(void)row;
	((struct generator_sample *)out)->blocks = (uint32_t)number;
	return code;
}

static enum err_code read_sample(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "block",
		 .read = read_time,
		 .offset = offsetof(struct generator_sample, block),
		 .required = true},
		{.key = "blocks", .read = read_blocks, .required = true},
		{.key = "jobs", .read = read_sampled_jobs, .required = true},
		{.key = NULL},
	};
	struct generator_sample *sample = out;
	enum err_code code = fields_map(f, value, rows, sample);

	(void)row;
	if (code == ERR_OK && sample->block < BLOCK_LEAST)
		code = fields_error(f, ERR_VALUE, value, "block must be an hour or more");
	for (size_t i = 0; i < sample->count && code == ERR_OK; i++)
		if (sample->jobs[i].submit >= sample->block * sample->blocks ||
		    (i > 0 && sample->jobs[i].submit < sample->jobs[i - 1].submit))
			code = fields_error(f, ERR_VALUE, yaml_find(value, "jobs")->items[i],
					    "submits must ascend and stand within the blocks");
	return code;
}

/* ---- teams ---- */

#define TEAM(member) offsetof(struct team_reading, team.member)

static const struct field team_rows[] = {
	{.key = "name", .read = read_text, .offset = TEAM(name), .required = true},
	{.key = "namespace", .read = read_text, .offset = TEAM(ns)},
	{.key = "queue", .read = read_text, .offset = TEAM(queue)},
	{.key = "priorityClass", .read = read_text, .offset = TEAM(priority_class)},
	{.key = "jobsPerDay", .read = read_rate, .offset = TEAM(jobs_per_day), .required = true},
	{.key = "arrivals", .read = read_regular, .offset = TEAM(arrivals.regular)},
	{.key = "states", .read = read_states, .offset = TEAM(arrivals)},
	{.key = "rhythm", .read = read_own_rhythm},
	{.key = "profile", .read = read_profile, .offset = offsetof(struct team_reading, team)},
	{.key = "growth", .read = read_growth, .offset = TEAM(arrivals)},
	{.key = "sweep", .read = read_sweep, .offset = offsetof(struct team_reading, team)},
	{.key = "gpus", .read = read_gpus, .offset = TEAM(gpus), .arg = &is_number},
	{.key = "duration", .read = read_durations, .offset = offsetof(struct team_reading, team)},
	{.key = "sample", .read = read_sample, .offset = TEAM(sample)},
	{.key = "correlation", .read = read_correlation, .offset = TEAM(correlation)},
	{.key = "failures", .read = read_failures, .offset = TEAM(failures)},
	{.key = "cancellations", .read = read_cancellations, .offset = TEAM(cancellations)},
	{.key = "gpuUtilisation",
	 .read = read_distribution,
	 .offset = TEAM(utilisation),
	 .arg = &is_number},
	{.key = NULL},
};

/* A sample says how jobs come and what they are like, or the distributions do. */
static enum err_code check_shape(struct fields *f, const struct yaml_node *node,
				 const struct generator_team *team)
{
	static const char *const shape[] = {"arrivals", "states",   "rhythm",
					    "profile",	"growth",   "sweep",
					    "gpus",	"duration", "correlation"};

	if (team->sample.block == 0)
		return team->duration_count > 0
			       ? ERR_OK
			       : fields_error(f, ERR_VALUE, node, "duration is missing");
	for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); i++)
		if (yaml_find(node, shape[i]) != NULL)
			return fields_error(f, ERR_VALUE, yaml_find(node, shape[i]),
					    "%s cannot stand beside sample, which says it",
					    shape[i]);
	return ERR_OK;
}

static enum err_code read_team(struct fields *f, const struct yaml_node *node, struct spec *spec)
{
	struct generator *g = spec->generator;
	struct team_reading r = {.team = generator_team_default(NULL)};
	enum err_code code = fields_want_map(f, node);

	if (code == ERR_OK)
		code = fields_map(f, node, team_rows, &r);
	if (code == ERR_OK)
		code = check_shape(f, node, &r.team);
	if (code != ERR_OK)
		return code;
	if (r.team.ns == NULL)
		r.team.ns = r.team.name;
	if (r.team.queue == NULL)
		r.team.queue = r.team.name;
	for (uint32_t i = 0; i < g->team_count; i++)
		if (strcmp(g->teams[i].name, r.team.name) == 0)
			return fields_error(f, ERR_DUPLICATE, node,
					    "two teams are called \"%.100s\"", r.team.name);
	if (!r.rhythm_given && spec->rhythm_given)
		memcpy(r.team.arrivals.rhythm, spec->rhythm, sizeof(spec->rhythm));
	g->teams[g->team_count++] = r.team;
	return ERR_OK;
}

static enum err_code read_teams(struct fields *f, const struct yaml_node *list, struct spec *spec)
{
	struct generator *g = spec->generator;
	size_t mark = fields_enter(f, "teams");
	enum err_code code = fields_want_list(f, list);

	if (code == ERR_OK && (list->count == 0 || list->count > TEAMS_MAX))
		code = fields_error(f, ERR_VALUE, list, "from 1 to %d teams are needed", TEAMS_MAX);
	if (code == ERR_OK)
		g->teams = mem_arena_alloc(g->arena, list->count * sizeof(*g->teams));
	for (uint32_t i = 0; code == ERR_OK && i < list->count; i++) {
		size_t item = fields_enter_index(f, i);

		code = read_team(f, list->items[i], spec);
		fields_leave(f, item);
	}
	fields_leave(f, mark);
	return code;
}

/* ---- the whole ---- */

static enum err_code read_whole(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct generator *g = ((struct spec *)out)->generator;
	bool seed = strcmp(row->key, "seed") == 0;
	int64_t number = 0;
	enum err_code code = fields_int_between(f, value, seed ? 0 : 1,
						seed ? INT64_MAX : GENERATOR_JOBS_MAX, &number);

	if (seed)
		g->seed = (uint64_t)number;
	else
		g->jobs = (uint64_t)number;
	return code;
}

static enum err_code read_length(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct generator *g = ((struct spec *)out)->generator;
	double seconds = 0;
	enum err_code code = read_time(f, row, value, &seconds);

	g->length = clock_from_double(seconds);
	return code;
}

static enum err_code read_title(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	return read_text(f, row, value, &((struct spec *)out)->generator->title);
}

static enum err_code read_start(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct generator *g = ((struct spec *)out)->generator;

	(void)row;
	if (value->kind != YAML_SCALAR || !trace_read_instant(value->text, value->count, &g->start))
		return fields_error(f, ERR_VALUE, value,
				    "must be a time such as 2026-01-05T00:00:00Z");
	g->has_start = true;
	return ERR_OK;
}

static const struct field rows[] = {
	{.key = "apiVersion"},
	{.key = "kind"},
	{.key = "metadata"},
	{.key = "title", .read = read_title},
	{.key = "seed", .read = read_whole},
	{.key = "startTime", .read = read_start},
	{.key = "length", .read = read_length},
	{.key = "jobs", .read = read_whole},
	{.key = "rhythm", .read = read_common_rhythm},
	{.key = "teams", .required = true},
	{.key = NULL},
};

/* Hours from Monday 0:00 to time 0; 1970 began on a Thursday. */
static uint32_t first_hour(const struct generator *g)
{
	int64_t hours = g->start / CLOCK_HOUR + 3 * DAY_HOURS;

	return g->has_start ? (uint32_t)(hours % ARRIVALS_HOURS) : 0;
}

static enum err_code read_root(struct fields *f, const struct yaml_node *root, void *out)
{
	struct spec *spec = out;
	const struct yaml_node *version = yaml_find(root, "apiVersion");
	const struct yaml_node *kind = yaml_find(root, "kind");
	struct generator *g = spec->generator;
	enum err_code code;

	if (kind == NULL || !yaml_text_is(kind, GENERATOR_SPEC_KIND))
		return fields_error(f, ERR_VALUE, root,
				    "this is no document of kind " GENERATOR_SPEC_KIND
				    "; one stands in a file of its own");
	if (version == NULL || !yaml_text_is(version, "gqsim/v1"))
		return fields_error(f, ERR_VALUE, version != NULL ? version : root,
				    "the apiVersion of a " GENERATOR_SPEC_KIND " is gqsim/v1");
	f->kind = GENERATOR_SPEC_KIND;
	code = fields_map(f, root, rows, spec);
	if (code == ERR_OK)
		code = read_teams(f, yaml_find(root, "teams"), spec);
	if (code == ERR_OK && g->length == CLOCK_NEVER && g->jobs == 0)
		code = fields_error(f, ERR_VALUE, root,
				    "length or jobs must say how much is to be made");
	for (uint32_t i = 0; i < g->team_count; i++)
		g->teams[i].arrivals.first_hour = first_hour(g);
	return code;
}

bool generator_spec_probe(const char *head, size_t size)
{
	static const char word[] = GENERATOR_SPEC_KIND;

	for (size_t i = 4; i + sizeof(word) - 1 <= size; i++) {
		size_t at = i;

		if (memcmp(head + i, word, sizeof(word) - 1) != 0)
			continue;
		while (at > 0 && strchr(" \t\"':", head[at - 1]) != NULL && head[at - 1] != '\0')
			at--;
		if (at >= 4 && at < i && memcmp(head + at - 4, "kind", 4) == 0 &&
		    (at == 4 || strchr("\n\"'{, ", head[at - 5]) != NULL))
			return true;
	}
	return false;
}

enum err_code generator_spec_read(const struct source *source, struct generator **out,
				  struct err *err)
{
	struct generator *g = generator_new();
	struct builder *builder = builder_new(); /* what fields may need */
	struct spec spec = {.generator = g};
	struct fields f = {.builder = builder,
			   .arena = g->arena,
			   .file = source->name,
			   .kind = "",
			   .name = "",
			   .unknown = FIELDS_REFUSE,
			   .err = err};
	enum err_code code = fields_one_document(&f, source, read_root, &spec,
						 "a second document: a " GENERATOR_SPEC_KIND
						 " stands in a file of its own");

	builder_free(builder);
	*out = code == ERR_OK ? g : NULL;
	if (code != ERR_OK)
		generator_free(g);
	return code;
}
