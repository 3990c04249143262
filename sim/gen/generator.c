#include "sim/gen/generator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/sort.h"

#define NAME	     300
#define DAY	     86400.0
#define WEEK	     (7 * DAY)
#define MILLISECONDS 1000.0
#define PER_MILLE    10	   /* of a per cent */
#define LONGEST	     3.2e9 /* seconds, a century */
#define LOAD_PARTS   2000
#define LEAST_REST   0.01
#define SWEEP_PARTS  400
#define ROUNDED	     1e-4

struct generator *generator_new(void)
{
	struct mem_arena *arena = mem_arena_new();
	struct generator *g = mem_arena_alloc(arena, sizeof(*g));

	g->arena = arena;
	g->seed = 1;
	g->length = CLOCK_NEVER;
	return g;
}

void generator_free(struct generator *generator)
{
	if (generator != NULL)
		mem_arena_free(generator->arena);
}

struct generator_team generator_team_default(const char *name)
{
	return (struct generator_team){
		.name = name,
		.ns = name,
		.queue = name,
		.sweep_size = distribution_constant(1),
		.sweep_spacing = distribution_constant(0),
		.gpus = distribution_constant(1),
		.failures.after = {.kind = DISTRIBUTION_UNIFORM,
				   .parameter = {[DISTRIBUTION_MAX] = 1},
				   .given = DISTRIBUTION_BIT(DISTRIBUTION_MIN) |
					    DISTRIBUTION_BIT(DISTRIBUTION_MAX)},
		.cancellations.after = distribution_constant(3600),
		.utilisation = distribution_constant(100),
	};
}

double generator_mood_rest(const struct arrivals_process *p, const double *moods)
{
	double sum = 0, mean = 0, squares = 0;

	if (moods == NULL)
		return 1;
	for (uint32_t i = 0; i < p->level_count; i++) {
		sum += p->levels[i];
		mean += p->levels[i] * moods[i];
		squares += p->levels[i] * moods[i] * moods[i];
	}
	if (!(sum > 0))
		return 1;
	mean /= sum;
	return sqrt(fmax(1 - (squares / sum - mean * mean), LEAST_REST));
}

/* ---- streams of one team ---- */

enum purpose {
	SWEEP_SIZE,
	SWEEP_SPACING,
	SWEEP_GPUS, /* what the jobs of a sweep have in common */
	SWEEP_DURATION,
	JOB_GPUS,
	JOB_DURATION,
	JOB_FAILS,
	JOB_FAILS_AFTER,
	JOB_CANCELLED,
	JOB_CANCELLED_AFTER,
	JOB_UTILISATION,
	JOB_THINNED,
	PURPOSES,
};

struct source {
	const struct generator_team *team;
	uint32_t index;
	struct rng *rng[PURPOSES];
	uint32_t number;		   /* of the next job */
	double sweep_gpus, sweep_duration; /* normal scores; of the first sweep they are new */
	double sweep_rest, gpus_rest, duration_rest; /* generator_mood_rest */
};

static void open_source(struct source *s, const struct generator_team *team, uint32_t index,
			uint64_t seed)
{
	static const char *const names[PURPOSES] = {
		"sweeps",	 "spacings",	 "sweep-gpus",	"sweep-durations",
		"gpus",		 "durations",	 "failures",	"failure-times",
		"cancellations", "cancel-times", "utilisation", "thinning"};
	char text[NAME];

	*s = (struct source){.team = team,
			     .index = index,
			     .sweep_rest = generator_mood_rest(&team->arrivals, team->sweep_moods),
			     .gpus_rest = generator_mood_rest(&team->arrivals, team->gpus_moods),
			     .duration_rest =
				     generator_mood_rest(&team->arrivals, team->durations_moods)};
	for (int p = 0; p < PURPOSES; p++) {
		snprintf(text, sizeof(text), "%.253s/%s", team->name, names[p]);
		s->rng[p] = rng_new(seed, text);
	}
}

static void close_source(struct source *s)
{
	for (int p = 0; p < PURPOSES; p++)
		rng_free(s->rng[p]);
}

static double uniform(struct source *s, enum purpose purpose)
{
	return rng_uniform(s->rng[purpose]);
}

static double score(struct source *s, enum purpose purpose)
{
	return distribution_score(uniform(s, purpose));
}

static simtime time_of(double seconds)
{
	return clock_from_double(round(fmin(seconds, LONGEST) * MILLISECONDS) / MILLISECONDS);
}

/* Two normal scores with this correlation, from independent ones. */
static double mixed(double a, double b, double correlation)
{
	return correlation * a + sqrt(1 - correlation * correlation) * b;
}

/* ---- a job ---- */

static uint32_t whole_gpus(const struct distribution *d, double u)
{
	double gpus = round(distribution_quantile(d, u));

	return gpus < 1 ? 1 : gpus > GENERATOR_GPUS_MAX ? GENERATOR_GPUS_MAX : (uint32_t)gpus;
}

static const struct distribution *durations_for(const struct generator_team *team, uint32_t gpus)
{
	uint32_t i = 0;

	while (i + 1 < team->duration_count && gpus > team->durations[i].up_to_gpus)
		i++;
	return &team->durations[i].distribution;
}

/* The score of a job that comes at this time. */
static double in_mood(const struct generator_team *team, const double *moods, double rest,
		      double at, double score)
{
	const struct arrivals_process *p = &team->arrivals;

	if (moods == NULL || p->level_count == 0)
		return score;
	return moods[(size_t)fmod(floor(at / p->level_every), p->level_count)] + rest * score;
}

static void draw_size(struct source *s, struct generator_job *job, double at)
{
	const struct generator_team *team = s->team;
	double size = mixed(s->sweep_gpus, score(s, JOB_GPUS), sqrt(team->gpus_alike)), length;

	size = in_mood(team, team->gpus_moods, s->gpus_rest, at, size);
	job->gpus = whole_gpus(&team->gpus, distribution_share(size));
	length = mixed(s->sweep_duration, score(s, JOB_DURATION), sqrt(team->durations_alike));
	length = in_mood(team, team->durations_moods, s->duration_rest, at, length);
	length = mixed(size, length, team->correlation);
	job->duration = time_of(
		distribution_quantile(durations_for(team, job->gpus), distribution_share(length)));
}

/* Each stream moves on by one a job, whatever becomes of it. */
static void draw_fate(struct source *s, struct generator_job *job)
{
	const struct generator_fate *fails = &s->team->failures;
	const struct generator_fate *cancelled = &s->team->cancellations;
	double u = uniform(s, JOB_FAILS), at = uniform(s, JOB_FAILS_AFTER), level;

	job->crash = job->cancel = CLOCK_NEVER;
	if (u < fails->share)
		job->crash = time_of((double)job->duration / CLOCK_SECOND *
				     distribution_quantile(&fails->after, at));
	u = uniform(s, JOB_CANCELLED);
	at = uniform(s, JOB_CANCELLED_AFTER);
	if (u < cancelled->share)
		job->cancel = clock_add(job->submit,
					time_of(distribution_quantile(&cancelled->after, at)));
	level = distribution_quantile(&s->team->utilisation, uniform(s, JOB_UTILISATION));
	job->utilisation = (uint16_t)round(fmin(level, 100) * PER_MILLE);
}

/* ---- all jobs ---- */

struct growing {
	struct generator_job *items;
	size_t count, capacity;
};

static enum err_code too_many(struct err *err)
{
	return err_set(err, ERR_LIMIT, NULL, 0, 0,
		       "more than %d jobs would be made: fewer jobs a day, or a shorter length",
		       GENERATOR_JOBS_MAX);
}

static enum err_code keep_job(struct source *s, const struct generator_job *job,
			      struct growing *out, struct err *err)
{
	if (out->count == GENERATOR_JOBS_MAX)
		return too_many(err);
	out->items = mem_grow(out->items, out->count + 1, &out->capacity, sizeof(*job));
	out->items[out->count++] = *job;
	s->number++;
	return ERR_OK;
}

static void next_sweep(struct source *s)
{
	double gpus = score(s, SWEEP_GPUS), duration = score(s, SWEEP_DURATION);
	bool first = s->number == 0;

	s->sweep_gpus = mixed(s->sweep_gpus, gpus, first ? 0 : s->team->gpus_persist);
	s->sweep_duration =
		mixed(s->sweep_duration, duration, first ? 0 : s->team->durations_persist);
}

static enum err_code add_sweep(struct source *s, double at, double until, uint64_t most,
			       struct growing *out, struct err *err)
{
	double size = in_mood(s->team, s->team->sweep_moods, s->sweep_rest, at,
			      score(s, SWEEP_SIZE)),
	       work = 0;

	size = round(distribution_quantile(&s->team->sweep_size, distribution_share(size)));

	next_sweep(s);
	for (double i = 0; i < (size < 1 ? 1 : size) && s->number < most; i++) {
		struct generator_job job = {
			.submit = time_of(at), .team = s->index, .number = s->number};

		if (at >= until)
			break;
		draw_size(s, &job, at);
		draw_fate(s, &job);
		work += (double)job.duration / CLOCK_HOUR * job.gpus;
		if (i > 0 && s->team->sweep_most > 0 && work > s->team->sweep_most)
			break;
		if (keep_job(s, &job, out, err) != ERR_OK)
			return err->code;
		at += distribution_quantile(&s->team->sweep_spacing, uniform(s, SWEEP_SPACING));
	}
	return ERR_OK;
}

/* Jobs of a sweep, in the mean of all periods. */
static double mean_sweep(const struct generator_team *team)
{
	const struct arrivals_process *p = &team->arrivals;
	double rest = generator_mood_rest(p, team->sweep_moods), sum = 0, weight = 0;

	if (team->sweep_moods == NULL)
		return distribution_mean(&team->sweep_size, 1, true);
	for (uint32_t k = 0; k < p->level_count; k++) {
		for (int i = 0; i < SWEEP_PARTS; i++) {
			double z = team->sweep_moods[k] +
				   rest * distribution_score((i + 0.5) / SWEEP_PARTS);
			double size = round(
				distribution_quantile(&team->sweep_size, distribution_share(z)));

			sum += p->levels[k] * fmax(size, 1);
		}
		weight += p->levels[k] * SWEEP_PARTS;
	}
	return weight > 0 ? sum / weight : 1;
}

/* ---- jobs as they were, block by block ---- */

/* Jobs a day of the sample itself. */
static double sampled_rate(const struct generator_sample *s)
{
	return (double)s->count / (s->block * s->blocks) * DAY;
}

/* Blocks so many apart begin at the same hour of the week (of the day; or it may be any), and
 * there are two of each at least. */
static uint32_t blocks_apart(const struct generator_sample *s)
{
	static const double cycles[] = {WEEK, DAY};

	for (size_t c = 0; c < sizeof(cycles) / sizeof(cycles[0]); c++)
		for (uint32_t n = 1; 2 * n <= s->blocks && (n - 1) * s->block < cycles[c]; n++)
			if (fmod(n * s->block, cycles[c]) == 0)
				return n;
	return 1;
}

/* One that may stand at this place. */
static uint32_t draw_block(const struct generator_sample *s, uint64_t place, struct rng *rng)
{
	uint32_t apart = blocks_apart(s), first = (uint32_t)(place % apart);

	return first + apart * (uint32_t)rng_below(rng, (s->blocks - first - 1) / apart + 1);
}

/* Jobs of a block at another place; of each this share is taken. */
static enum err_code add_block(struct source *s, uint32_t block, double at, double share,
			       double until, struct growing *out, struct err *err)
{
	const struct generator_sample *sample = &s->team->sample;
	double from = block * sample->block;
	enum err_code code = ERR_OK;
	size_t i = 0, end = sample->count;

	while (i < end) { /* the first at from or later */
		size_t middle = i + (end - i) / 2;

		if (sample->jobs[middle].submit < from)
			i = middle + 1;
		else
			end = middle;
	}
	for (; code == ERR_OK && i < sample->count && sample->jobs[i].submit < from + sample->block;
	     i++) {
		const struct generator_sampled *was = &sample->jobs[i];
		struct generator_job job = {.submit = time_of(at + was->submit - from),
					    .duration = time_of(was->duration),
					    .team = s->index,
					    .number = s->number,
					    .gpus = was->gpus};

		if (uniform(s, JOB_THINNED) >= share || at + was->submit - from >= until)
			continue;
		draw_fate(s, &job);
		code = keep_job(s, &job, out, err);
	}
	return code;
}

/* Jobs a day by those of the sample; documents round them. */
static double times_sampled(const struct generator_team *team)
{
	double times =
		team->sample.count == 0 ? 0 : team->jobs_per_day / sampled_rate(&team->sample);

	return fabs(times - 1) < ROUNDED ? 1 : times;
}

/* More jobs a day are further blocks on top, the last one thinned. All teams draw the same. */
static enum err_code draw_sampled(struct source *s, uint64_t seed, double until, uint64_t most,
				  struct growing *out, struct err *err)
{
	const struct generator_sample *sample = &s->team->sample;
	double times = times_sampled(s->team);
	uint32_t layers = (uint32_t)ceil(fmin(times, GENERATOR_OVERLAID + 1.0));
	struct rng **rng = mem_calloc(layers, sizeof(*rng));
	enum err_code code = ERR_OK;
	char name[NAME];

	if (layers > GENERATOR_OVERLAID)
		code = err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "%.100s has more than %d times the jobs a day of its sample",
			       s->team->name, GENERATOR_OVERLAID);
	for (uint32_t k = 0; k < layers; k++) {
		snprintf(name, sizeof(name), "blocks/%" PRIu32, k);
		rng[k] = rng_new(seed, name);
	}
	for (uint64_t place = 0; code == ERR_OK && layers > 0 && s->number < most &&
				 (double)place * sample->block < until;
	     place++)
		for (uint32_t k = 0; code == ERR_OK && k < layers; k++)
			code = add_block(s, draw_block(sample, place, rng[k]),
					 (double)place * sample->block, times - k, until, out, err);
	for (uint32_t k = 0; k < layers; k++)
		rng_free(rng[k]);
	mem_free(rng);
	return code;
}

static enum err_code draw_team(const struct generator *g, uint32_t index, uint64_t seed,
			       struct growing *out, struct err *err)
{
	const struct generator_team *team = &g->teams[index];
	struct arrivals_process process = team->arrivals;
	double until = g->length == CLOCK_NEVER ? LONGEST : (double)g->length / CLOCK_SECOND, at;
	uint64_t most = g->jobs > 0 ? g->jobs : GENERATOR_JOBS_MAX + 1;
	enum err_code code = ERR_OK;
	struct arrivals arrivals;
	struct source source;

	process.mean_rate = team->jobs_per_day / DAY / mean_sweep(team);
	if (!(process.mean_rate > 0))
		return ERR_OK;
	open_source(&source, team, index, seed);
	if (team->sample.block > 0) {
		code = draw_sampled(&source, seed, until, most, out, err);
		close_source(&source);
		return code;
	}
	arrivals_begin(&arrivals, &process, seed, team->name);
	while (code == ERR_OK && source.number < most && arrivals_next(&arrivals, until, &at))
		code = add_sweep(&source, at, until, most, out, err);
	arrivals_end(&arrivals);
	close_source(&source);
	return code;
}

static int compare_jobs(const void *a, const void *b, void *context)
{
	const struct generator_job *x = a, *y = b;

	(void)context;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Before memory is filled with them. */
static enum err_code expect(const struct generator *g, struct err *err)
{
	double days = g->length == CLOCK_NEVER ? 0 : (double)g->length / CLOCK_DAY, jobs = 0;

	for (uint32_t i = 0; i < g->team_count; i++)
		jobs += g->teams[i].jobs_per_day * days;
	return g->jobs == 0 && jobs > 2.0 * GENERATOR_JOBS_MAX ? too_many(err) : ERR_OK;
}

enum err_code generator_draw(const struct generator *generator, uint64_t seed,
			     struct generator_list *out, struct err *err)
{
	struct growing list = {NULL, 0, 0};
	enum err_code code = expect(generator, err);

	for (uint32_t i = 0; i < generator->team_count && code == ERR_OK; i++)
		code = draw_team(generator, i, seed, &list, err);
	*out = (struct generator_list){.jobs = list.items, .count = list.count};
	if (code != ERR_OK) {
		generator_list_free(out);
		return code;
	}
	sort_stable(list.items, list.count, sizeof(*list.items), compare_jobs, NULL);
	if (generator->jobs > 0 && out->count > generator->jobs)
		out->count = generator->jobs;
	return ERR_OK;
}

void generator_list_free(struct generator_list *list)
{
	mem_free(list->jobs);
	*list = (struct generator_list){0};
}

static double sampled_load(const struct generator_team *team)
{
	double sum = 0;

	for (size_t i = 0; i < team->sample.count; i++)
		sum += team->sample.jobs[i].gpus * team->sample.jobs[i].duration;
	return team->sample.count == 0
		       ? 0
		       : team->jobs_per_day / DAY * sum / (double)team->sample.count;
}

double generator_load(const struct generator_team *team)
{
	double sum = 0, second = 0; /* golden steps spread the pairs evenly over the square */

	if (team->sample.block > 0)
		return sampled_load(team);
	for (int i = 0; i < LOAD_PARTS; i++) {
		double u = (i + 0.5) / LOAD_PARTS, size = distribution_score(u), length;
		uint32_t gpus = whole_gpus(&team->gpus, u);

		second = fmod(second + 0.6180339887498949, 1);
		length = mixed(size, distribution_score(second), team->correlation);
		sum += gpus *
		       distribution_quantile(durations_for(team, gpus), distribution_share(length));
	}
	return team->jobs_per_day / DAY * sum / LOAD_PARTS;
}
