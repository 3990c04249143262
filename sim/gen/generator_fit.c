#include "sim/gen/generator_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/modulation.h"
#include "core/sort.h"
#include "core/stats.h"

#define LEAST_JOBS   200 /* of a team of its own */
#define LEAST_CLASS  50	 /* of a size class of its own */
#define LEAST_ALL    20
#define GAP_MAX	     60.0 /* seconds between two jobs of a sweep */
#define GAP_OF_MEAN  0.05 /* and this part of the mean time between submits */
#define HOUR	     3600.0
#define DAY	     86400.0
#define DAY_HOURS    24
#define WEEK_DAYS    7
#define RHYTHM_STEPS 30
#define LEAST_RHYTHM 300	/* sweeps of a team with a rhythm of its own */
#define WEEKLY_FROM  (14 * DAY) /* a week is seen twice */
#define DAILY_FROM   (2 * DAY)
#define MOMENT	     1.0 /* seconds: what is shorter counts as this */
#define SHOWN	     30	 /* different values that are listed */
#define FAR	     10	 /* sweeps apart */
#define PERSIST_MAX  0.9999
#define LEVELS_MAX   1000
#define PI	     3.14159265358979323846
#define MILLI	     1000

/* A job on its way. */
struct item {
	double submit, duration, gpus; /* seconds */
	uint32_t team;		       /* of teams[] */
};

struct team {
	const char *name, *ns, *queue; /* the others: their name */
	struct item *items;	       /* by submit */
	size_t count;
	size_t *sweeps; /* index of the first job of each */
	size_t sweep_count;
	double rhythm[ARRIVALS_HOURS]; /* mean 1 */
};

struct fitting {
	const struct trace_stats_jobs *jobs;
	const struct generator_fit_options *options;
	struct generator_fit *out;
	struct generator *generator;
	struct item *items; /* by team, then submit */
	size_t count;
	struct team *teams;
	uint32_t team_count;
	double length; /* seconds */
	uint32_t first_hour;
	size_t row_capacity;
};

/* ---- the jobs of each team ---- */

static double gpus_of(const struct fitting *f, const struct job *job)
{
	double gpus = (double)trace_stats_milli(f->jobs, job) / MILLI;

	return gpus > 0 && gpus < 1 ? 1 : round(gpus);
}

static bool usable(const struct fitting *f, const struct job *job)
{
	return job->duration != JOB_ENDLESS && gpus_of(f, job) >= 1;
}

/* A LocalQueue: queues of one name in two namespaces are two. */
struct owner {
	uint32_t ns, queue; /* strings */
	size_t jobs;	    /* that can be used */
	bool shares_name;   /* with a queue of another namespace */
	uint32_t team;
};

struct owners {
	struct name_table *keys; /* the queue, and the namespace behind a line's end */
	struct owner *items;	 /* by key, in order of first use */
	size_t count, capacity;
	const struct job_common *last; /* NULL: none */
	uint32_t last_key;
};

static uint32_t owner_key(struct owners *o, const struct fitting *f, const struct job *job)
{
	const char *queue, *ns;
	size_t size;
	char *text;

	if (o->last != NULL && job->common->queue == o->last->queue &&
	    job->common->ns == o->last->ns)
		return o->last_key;
	queue = name_text(f->jobs->strings, job->common->queue);
	ns = name_text(f->jobs->strings, job->common->ns);
	size = strlen(queue) + strlen(ns) + 2;
	text = mem_calloc(size, 1);
	snprintf(text, size, "%s\n%s", queue, ns);
	o->last = job->common;
	o->last_key = name_add(o->keys, text);
	mem_free(text);
	if (o->last_key < o->count)
		return o->last_key;
	o->items = mem_grow(o->items, o->count + 1, &o->capacity, sizeof(*o->items));
	o->items[o->count++] = (struct owner){.ns = job->common->ns, .queue = job->common->queue};
	return o->last_key;
}

static struct owner *owner_of(struct owners *o, const struct fitting *f, const struct job *job)
{
	uint32_t key = owner_key(o, f, job); /* items may move */

	return &o->items[key];
}

static void find_namesakes(const struct fitting *f, struct owners *o)
{
	uint32_t *owners_of = mem_calloc(name_count(f->jobs->strings), sizeof(*owners_of));

	for (size_t i = 0; i < o->count; i++)
		owners_of[o->items[i].queue]++;
	for (size_t i = 0; i < o->count; i++)
		o->items[i].shares_name = owners_of[o->items[i].queue] > 1;
	mem_free(owners_of);
}

static struct team team_of(const struct fitting *f, const struct owner *o)
{
	struct team team = {.ns = name_text(f->jobs->strings, o->ns),
			    .queue = name_text(f->jobs->strings, o->queue)};
	size_t size = strlen(team.ns) + strlen(team.queue) + 2;
	char *name;

	team.name = team.queue;
	if (!o->shares_name)
		return team;
	name = mem_arena_alloc(f->generator->arena, size);
	snprintf(name, size, "%s.%s", team.ns, team.queue);
	team.name = name;
	return team;
}

/* Teams of enough jobs in order of their first; the last is that of all others. */
static void choose_teams(struct fitting *f, struct owners *o)
{
	size_t least = f->options->least != 0	  ? f->options->least
		       : f->options->resample > 0 ? 1
						  : LEAST_JOBS;

	for (uint32_t i = 0; i < f->jobs->count; i++) {
		const struct job *job = &f->jobs->items[i];

		if (job->common->queue != NAME_NONE)
			owner_of(o, f, job)->jobs += usable(f, job);
	}
	find_namesakes(f, o);
	f->teams = mem_calloc(o->count + 1, sizeof(*f->teams));
	for (size_t i = 0; i < o->count; i++) {
		o->items[i].team = NAME_NONE;
		if (o->items[i].jobs < least)
			continue;
		o->items[i].team = f->team_count;
		f->teams[f->team_count++] = team_of(f, &o->items[i]);
	}
	f->teams[f->team_count++] = (struct team){.name = GENERATOR_FIT_ALL_OTHERS,
						  .ns = GENERATOR_FIT_ALL_OTHERS,
						  .queue = GENERATOR_FIT_ALL_OTHERS};
}

static uint32_t team_index(struct owners *o, const struct fitting *f, const struct job *job)
{
	uint32_t team = job->common->queue == NAME_NONE ? NAME_NONE : owner_of(o, f, job)->team;

	return team == NAME_NONE ? f->team_count - 1 : team;
}

static int compare_items(const void *a, const void *b, void *context)
{
	const struct item *x = a, *y = b;

	(void)context;
	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	return (x->submit > y->submit) - (x->submit < y->submit);
}

static void gather(struct fitting *f)
{
	struct owners owners = {.keys = name_new()};
	size_t at = 0;

	choose_teams(f, &owners);
	f->items = mem_calloc(f->jobs->count, sizeof(*f->items));
	for (uint32_t k = 0; k < f->jobs->count; k++) {
		const struct job *job = &f->jobs->items[f->jobs->by_submit[k]];

		if (!usable(f, job)) {
			f->out->left_out++;
			continue;
		}
		f->items[f->count++] = (struct item){
			.submit = (double)job->submit / CLOCK_SECOND,
			.duration = fmax((double)job->duration / CLOCK_SECOND, MOMENT),
			.gpus = gpus_of(f, job),
			.team = team_index(&owners, f, job)};
	}
	name_free(owners.keys);
	mem_free(owners.items);
	f->out->jobs = f->count;
	for (size_t i = 0; i < f->count; i++)
		f->length = fmax(f->length, f->items[i].submit);
	sort_stable(f->items, f->count, sizeof(*f->items), compare_items, NULL);
	for (uint32_t t = 0; t < f->team_count; t++) {
		f->teams[t].items = f->items + at;
		while (at < f->count && f->items[at].team == t)
			at++;
		f->teams[t].count = (size_t)(f->items + at - f->teams[t].items);
	}
}

/* ---- sweeps ---- */

static void cut_sweeps(struct team *team, double gap)
{
	team->sweep_count = 0;
	for (size_t i = 0; i < team->count; i++)
		if (i == 0 || team->items[i].submit - team->items[i - 1].submit > gap)
			team->sweeps[team->sweep_count++] = i;
	team->sweeps[team->sweep_count] = team->count;
}

/* Jobs that come close together no more often than chance has it are no sweeps. */
static void find_sweeps(const struct fitting *f, struct team *team)
{
	double mean = f->length / (double)team->count, gap = fmin(GAP_MAX, GAP_OF_MEAN * mean);

	team->sweeps = mem_calloc(team->count + 1, sizeof(*team->sweeps));
	cut_sweeps(team, gap);
	if ((double)(team->count - team->sweep_count) < 2 * gap / mean * (double)team->count)
		cut_sweeps(team, -1);
}

static int compare_doubles(const void *a, const void *b, void *context)
{
	double x, y;

	(void)context;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static void sort_doubles(double *values, size_t count)
{
	sort_stable(values, count, sizeof(*values), compare_doubles, NULL);
}

/* What was fitted, as the team's own: the points go to the generator's arena. */
static struct distribution keep(struct fitting *f, const struct fit *fit)
{
	struct distribution d = fit->distribution;

	d.points = mem_arena_copy(f->generator->arena, fit->points,
				  d.point_count * sizeof(fit->points[0]) > 0 ? d.point_count : 0,
				  sizeof(fit->points[0]));
	return d;
}

/* Values as they came; whole: none between them. */
static struct distribution seen(struct fitting *f, bool whole, double *values, size_t count)
{
	enum distribution_kind kind = DISTRIBUTION_EMPIRICAL;
	struct fit fit;
	size_t different = count > 0;

	sort_doubles(values, count);
	for (size_t i = 1; i < count; i++)
		different += values[i] != values[i - 1];
	if (!whole && different > SHOWN)
		kind = DISTRIBUTION_QUANTILES;
	if (count == 0 || !fit_family(kind, values, count, &fit))
		return distribution_constant(count == 0 ? 0 : values[0]);
	if (values[0] == values[count - 1])
		return distribution_constant(values[0]);
	return keep(f, &fit);
}

/* Correlation of the normal scores z of neighbours in a sweep; pairs: how many. */
static double within_sweeps(const struct team *team, const double *z, size_t *pairs)
{
	double products = 0, squares = 0;

	*pairs = 0;
	for (size_t s = 0; s < team->sweep_count; s++) {
		for (size_t i = team->sweeps[s] + 1; i < team->sweeps[s + 1]; i++) {
			products += z[i] * z[i - 1];
			squares += (z[i] * z[i] + z[i - 1] * z[i - 1]) / 2;
			(*pairs)++;
		}
	}
	return squares > 0 ? products / squares : 0;
}

/* Of the first jobs of sweeps that are so many apart. */
static double between_sweeps(const struct team *team, const double *z, size_t lag)
{
	double products = 0, squares = 0;

	for (size_t s = lag; s < team->sweep_count; s++) {
		double a = z[team->sweeps[s - lag]], b = z[team->sweeps[s]];

		products += a * b;
		squares += (a * a + b * b) / 2;
	}
	return squares > 0 ? products / squares : 0;
}

/* Jobs of sweeps k apart have the correlation alike x persist^k. */
static void fit_likeness(const struct team *team, const double *z, double *alike, double *persist)
{
	double near = between_sweeps(team, z, 1), far = between_sweeps(team, z, FAR);
	size_t pairs;

	*alike = within_sweeps(team, z, &pairs);
	*persist = 0;
	if (pairs < LEAST_CLASS)
		*alike = near > 0 && far > 0 ? near * pow(near / far, 1.0 / (FAR - 1)) : 0;
	*alike = fmin(fmax(*alike, 0), 1);
	if (*alike > 0 && far > 0)
		*persist = pow(far / *alike, 1.0 / FAR);
	else if (*alike > 0 && near > 0)
		*persist = near / *alike;
	*persist = fmin(*persist, PERSIST_MAX);
}

static size_t period_of(const struct arrivals_process *p, double time)
{
	return (size_t)fmin(time / p->level_every, (double)p->level_count - 1);
}

/* Takes the mean score of each period out of the scores of things that came at these times;
 * NULL: the rate follows no profile. */
static const double *take_moods(struct fitting *f, const struct arrivals_process *p,
				const double *times, double *z, size_t n)
{
	double *moods, *counts;

	if (p->level_count == 0)
		return NULL;
	moods = mem_arena_alloc(f->generator->arena, p->level_count * sizeof(*moods));
	counts = mem_calloc(p->level_count, sizeof(*counts));
	for (size_t i = 0; i < n; i++) {
		moods[period_of(p, times[i])] += z[i];
		counts[period_of(p, times[i])]++;
	}
	for (uint32_t k = 0; k < p->level_count; k++)
		moods[k] = counts[k] > 0 ? moods[k] / counts[k] : 0;
	for (size_t i = 0; i < n; i++)
		z[i] -= moods[period_of(p, times[i])];
	mem_free(counts);
	return moods;
}

/* GPU-seconds of a sweep. */
static double work_of(const struct team *team, size_t sweep)
{
	double work = 0;

	for (size_t i = team->sweeps[sweep]; i < team->sweeps[sweep + 1]; i++)
		work += team->items[i].duration * team->items[i].gpus;
	return work;
}

static void fit_sweep_sizes(struct fitting *f, const struct team *team, struct generator_team *out)
{
	double *values = mem_calloc(team->count + 1, sizeof(*values));
	double *times = mem_calloc(team->count + 1, sizeof(*times));
	double *z = mem_calloc(team->count + 1, sizeof(*z));
	size_t count = 0;

	for (size_t s = 0; s < team->sweep_count; s++) {
		values[s] = (double)(team->sweeps[s + 1] - team->sweeps[s]);
		times[s] = team->items[team->sweeps[s]].submit;
	}
	/* No sweep beyond what was seen: one such would fill the cluster. */
	for (size_t s = 0; s < team->sweep_count; s++)
		out->sweep_most = fmax(out->sweep_most, work_of(team, s) / HOUR);
	fit_normal_scores(values, team->sweep_count, z);
	out->sweep_moods = take_moods(f, &out->arrivals, times, z, team->sweep_count);
	out->sweep_size = seen(f, true, values, team->sweep_count);
	for (size_t s = 0; s < team->sweep_count; s++)
		for (size_t i = team->sweeps[s] + 1; i < team->sweeps[s + 1]; i++)
			values[count++] = team->items[i].submit - team->items[i - 1].submit;
	out->sweep_spacing = seen(f, false, values, count);
	mem_free(values);
	mem_free(times);
	mem_free(z);
}

/* ---- durations ---- */

static void add_row(struct fitting *f, const struct generator_fit_row *row)
{
	struct generator_fit *out = f->out;

	out->rows = mem_grow(out->rows, out->row_count + 1, &f->row_capacity, sizeof(*out->rows));
	out->rows[out->row_count] = *row;
	if (row->fit.distribution.point_count > 0)
		out->rows[out->row_count].fit.distribution.points = NULL;
	out->row_count++;
}

/* Fits the values (taken), which the report then shows. */
static struct distribution fit_durations(struct fitting *f, const struct team *team, double up_to,
					 double *values, size_t count, double correlation)
{
	struct generator_fit_row row = {.team = team->name,
					.what = "durations",
					.up_to_gpus = up_to,
					.values = values,
					.count = count,
					.rank_correlation = correlation};
	enum distribution_kind family = f->options->family;
	struct distribution d;

	sort_doubles(values, count);
	if (family == DISTRIBUTION_KINDS || !fit_family(family, values, count, &row.fit))
		fit_best(values, count, &row.fit);
	row.fit.distribution.points = row.fit.distribution.point_count > 0 ? row.fit.points : NULL;
	d = keep(f, &row.fit);
	/* No tail beyond what was seen: a month that never ends would fill the cluster. */
	d.parameter[DISTRIBUTION_MAX] = values[count - 1];
	d.given |= DISTRIBUTION_BIT(DISTRIBUTION_MAX);
	add_row(f, &row);
	return d;
}

/* Bounds of size classes: powers of two, each class with enough jobs. */
static uint32_t size_classes(const struct team *team, double bounds[64])
{
	uint32_t count = 0;
	size_t in_class = 0, left = team->count;

	for (double up_to = 1; up_to < GENERATOR_GPUS_MAX && count < 63; up_to *= 2) {
		size_t n = 0;

		for (size_t i = 0; i < team->count; i++)
			n += team->items[i].gpus <= up_to &&
			     (up_to == 1 || team->items[i].gpus > up_to / 2);
		in_class += n;
		left -= n;
		if (in_class < LEAST_CLASS || left < LEAST_CLASS)
			continue;
		bounds[count++] = up_to;
		in_class = 0;
	}
	bounds[count++] = HUGE_VAL;
	return count;
}

/* Durations of one class; z of its jobs gets their scores within the class. */
static void fit_class(struct fitting *f, const struct team *team, double above, double up_to,
		      double correlation, double *z, struct generator_duration *out)
{
	double *values = mem_calloc(team->count, sizeof(*values));
	double *scores = mem_calloc(team->count, sizeof(*scores));
	size_t n = 0, k = 0;

	for (size_t i = 0; i < team->count; i++)
		if (team->items[i].gpus > above && team->items[i].gpus <= up_to)
			values[n++] = team->items[i].duration;
	fit_normal_scores(values, n, scores);
	for (size_t i = 0; i < team->count; i++)
		if (team->items[i].gpus > above && team->items[i].gpus <= up_to)
			z[i] = scores[k++];
	mem_free(scores);
	out->up_to_gpus = up_to;
	out->distribution = fit_durations(f, team, up_to, values, n, correlation);
}

static void fit_sizes(struct fitting *f, const struct team *team, struct generator_team *out)
{
	double *gpus = mem_calloc(team->count, sizeof(*gpus));
	double *durations = mem_calloc(team->count, sizeof(*durations));
	double *times = mem_calloc(team->count, sizeof(*times));
	double *z = mem_calloc(team->count, sizeof(*z)), bounds[64] = {HUGE_VAL}, rank;
	uint32_t classes = f->options->copula ? 1 : size_classes(team, bounds);

	for (size_t i = 0; i < team->count; i++) {
		gpus[i] = team->items[i].gpus;
		durations[i] = team->items[i].duration;
		times[i] = team->items[i].submit;
	}
	rank = fit_rank_correlation(gpus, durations, team->count);
	/* Spearman's of two normal variables is 6 / pi asin(r / 2). */
	out->correlation = f->options->copula ? 2 * sin(PI / 6 * rank) : 0;
	out->durations = mem_arena_alloc(f->generator->arena, classes * sizeof(*out->durations));
	out->duration_count = classes;
	for (uint32_t c = 0; c < classes; c++)
		fit_class(f, team, c == 0 ? 0 : bounds[c - 1], bounds[c], rank, z,
			  &out->durations[c]);
	out->durations_moods = take_moods(f, &out->arrivals, times, z, team->count);
	fit_likeness(team, z, &out->durations_alike, &out->durations_persist);
	fit_normal_scores(gpus, team->count, z);
	out->gpus_moods = take_moods(f, &out->arrivals, times, z, team->count);
	fit_likeness(team, z, &out->gpus_alike, &out->gpus_persist);
	out->gpus = seen(f, true, gpus, team->count);
	mem_free(gpus);
	mem_free(durations);
	mem_free(times);
	mem_free(z);
}

/* ---- arrivals ---- */

static uint32_t hour_of_week(const struct fitting *f, double time)
{
	return (uint32_t)fmod(floor(time / HOUR) + f->first_hour, ARRIVALS_HOURS);
}

/* Counts of sweeps by the hour of the week, and how often the trace has each. */
struct week {
	double counts[ARRIVALS_HOURS], hours[ARRIVALS_HOURS];
};

static void count_hours(const struct fitting *f, struct week *week)
{
	for (double t = 0; t < f->length; t += HOUR)
		week->hours[hour_of_week(f, t)] += fmin(1, (f->length - t) / HOUR);
}

static void count_sweeps(const struct fitting *f, const struct team *team, struct week *week)
{
	for (size_t s = 0; s < team->sweep_count; s++)
		week->counts[hour_of_week(f, team->items[team->sweeps[s]].submit)]++;
}

/* One side of rate = hour x day, the other as it is; of what the trace does not have: 1. */
static void improve(const struct week *week, bool by_day, double hours[DAY_HOURS],
		    double days[WEEK_DAYS])
{
	double counts[DAY_HOURS] = {0}, expected[DAY_HOURS] = {0};
	double *out = by_day ? days : hours;
	int n = by_day ? WEEK_DAYS : DAY_HOURS;

	for (int h = 0; h < ARRIVALS_HOURS; h++) {
		int mine = by_day ? h / DAY_HOURS : h % DAY_HOURS;

		counts[mine] += week->counts[h];
		expected[mine] +=
			week->hours[h] * (by_day ? hours[h % DAY_HOURS] : days[h / DAY_HOURS]);
	}
	for (int i = 0; i < n; i++)
		out[i] = expected[i] > 0 ? counts[i] / expected[i] : 1;
}

/* Poisson counts whose rate is hour x day, by maximum likelihood: one side after the other. Days
 * are told from a trace of two weeks or more, hours from one of two days or more. */
static void fit_week(const struct fitting *f, const struct week *week,
		     double rhythm[ARRIVALS_HOURS])
{
	double hours[DAY_HOURS], days[WEEK_DAYS], mean = 0;

	for (int h = 0; h < DAY_HOURS; h++)
		hours[h] = 1;
	for (int d = 0; d < WEEK_DAYS; d++)
		days[d] = 1;
	for (int i = 0; i < RHYTHM_STEPS && f->length >= DAILY_FROM; i++) {
		improve(week, false, hours, days);
		if (f->length >= WEEKLY_FROM)
			improve(week, true, hours, days);
	}
	for (int h = 0; h < ARRIVALS_HOURS; h++) {
		rhythm[h] = hours[h % DAY_HOURS] * days[h / DAY_HOURS];
		mean += rhythm[h] / ARRIVALS_HOURS;
	}
	for (int h = 0; h < ARRIVALS_HOURS; h++)
		rhythm[h] = mean > 0 ? rhythm[h] / mean : 1;
}

/* A team of many sweeps has a rhythm of its own, the others that of all together. */
static void fit_rhythms(struct fitting *f)
{
	struct week all = {{0}, {0}};

	count_hours(f, &all);
	for (uint32_t t = 0; t < f->team_count; t++) {
		struct week own = {{0}, {0}};

		count_sweeps(f, &f->teams[t], &all);
		count_hours(f, &own);
		count_sweeps(f, &f->teams[t], &own);
		if (f->teams[t].sweep_count >= LEAST_RHYTHM)
			fit_week(f, &own, f->teams[t].rhythm);
	}
	for (uint32_t t = 0; t < f->team_count; t++)
		if (f->teams[t].sweep_count < LEAST_RHYTHM)
			fit_week(f, &all, f->teams[t].rhythm);
}

/* Sweeps of each period, by what the rhythm has of it. */
static void fit_profile(struct fitting *f, const struct team *team,
			struct arrivals_process *process)
{
	double every = f->options->follow, *levels, *exposed;
	size_t count = every > 0 ? (size_t)ceil(f->length / every) : 0;

	if (count < 2)
		return;
	count = count < LEVELS_MAX ? count : LEVELS_MAX;
	levels = mem_arena_alloc(f->generator->arena, count * sizeof(*levels));
	exposed = mem_calloc(count, sizeof(*exposed));
	for (double t = 0; t < f->length; t += HOUR)
		exposed[(size_t)fmin(t / every, (double)count - 1)] +=
			team->rhythm[hour_of_week(f, t)];
	for (size_t s = 0; s < team->sweep_count; s++)
		levels[(size_t)fmin(team->items[team->sweeps[s]].submit / every,
				    (double)count - 1)]++;
	for (size_t i = 0; i < count; i++)
		levels[i] = exposed[i] > 0 ? levels[i] / exposed[i] : 0;
	mem_free(exposed);
	process->levels = levels;
	process->level_count = (uint32_t)count;
	process->level_every = every;
}

/* Hourly counts of a team's sweeps against what rhythm and profile have them expect. */
static void fit_states(const struct fitting *f, const struct team *team,
		       struct arrivals_process *process)
{
	size_t hours = (size_t)(f->length / HOUR);
	uint32_t *counts = mem_calloc(hours + 1, sizeof(*counts));
	double *exposure = mem_calloc(hours + 1, sizeof(*exposure));
	struct modulation m;

	for (size_t s = 0; s < team->sweep_count; s++) {
		size_t hour = (size_t)(team->items[team->sweeps[s]].submit / HOUR);

		counts[hour < hours ? hour : hours]++;
	}
	for (size_t h = 0; h < hours; h++)
		exposure[h] = fmax(arrivals_intensity(process, (double)h * HOUR), 1e-3);
	m = modulation_fit(counts, exposure, hours);
	mem_free(counts);
	mem_free(exposure);
	if (!m.worth)
		return;
	process->state_count = 2;
	for (int s = 0; s < 2; s++)
		process->states[s] =
			(struct arrivals_state){m.rate[s] / m.rate[1], m.stay[s] * HOUR};
}

/* Times between sweeps by a clock that the rhythm drives, of mean 1: are they exponential? */
static void report_arrivals(struct fitting *f, const struct team *team)
{
	struct generator_fit_row row = {.team = team->name,
					.what = "arrivals",
					.up_to_gpus = HUGE_VAL,
					.count = team->sweep_count > 0 ? team->sweep_count - 1 : 0};

	if (row.count < LEAST_ALL)
		return;
	row.values = mem_calloc(row.count, sizeof(*row.values));
	for (size_t s = 1; s < team->sweep_count; s++) {
		double from = team->items[team->sweeps[s - 1]].submit, sum = 0;
		double to = team->items[team->sweeps[s]].submit;

		for (double t = from; t < to;) {
			double end = fmin((floor(t / HOUR) + 1) * HOUR, to);

			sum += (end - t) * team->rhythm[hour_of_week(f, t)];
			t = end;
		}
		row.values[s - 1] = fmax(sum, MOMENT);
	}
	sort_doubles(row.values, row.count);
	if (fit_family(DISTRIBUTION_EXPONENTIAL, row.values, row.count, &row.fit))
		add_row(f, &row);
	else
		mem_free(row.values);
}

/* Rhythm and profile together need not have a mean of 1 over the trace, as each has. */
static double mean_intensity(const struct fitting *f, const struct arrivals_process *p)
{
	double sum = 0, time = 0;

	for (double t = 0; t < f->length; t += HOUR) {
		double part = fmin(HOUR, f->length - t);

		sum += arrivals_intensity(p, t) * part;
		time += part;
	}
	return sum > 0 ? sum / time : 1;
}

static struct generator_team new_team(struct generator *g, const struct team *team)
{
	struct generator_team out = generator_team_default(mem_arena_strdup(g->arena, team->name));

	out.ns = mem_arena_strdup(g->arena, team->ns);
	out.queue = mem_arena_strdup(g->arena, team->queue);
	return out;
}

/* ---- blocks ---- */

static void sample_team(struct fitting *f, const struct team *team)
{
	struct generator *g = f->generator;
	struct generator_team out = new_team(g, team);
	double block = f->options->resample, end;
	struct generator_sampled *jobs = mem_arena_alloc(g->arena, team->count * sizeof(*jobs));
	size_t count = 0;

	out.sample.block = block;
	out.sample.blocks = (uint32_t)(f->length / block);
	end = block * out.sample.blocks;
	for (; count < team->count && team->items[count].submit < end; count++)
		jobs[count] = (struct generator_sampled){
			.submit = team->items[count].submit,
			.duration = team->items[count].duration,
			.gpus = (uint32_t)fmin(team->items[count].gpus, GENERATOR_GPUS_MAX)};
	f->out->behind += team->count - count;
	out.sample.jobs = jobs;
	out.sample.count = count;
	out.jobs_per_day = (double)count / end * DAY;
	if (count > 0)
		g->teams[g->team_count++] = out;
}

static void sample_all(struct fitting *f)
{
	struct generator *g = f->generator;

	g->teams = mem_arena_alloc(g->arena, f->team_count * sizeof(*g->teams));
	for (uint32_t t = 0; t < f->team_count; t++)
		sample_team(f, &f->teams[t]);
}

/* ---- the whole ---- */

static void fit_team(struct fitting *f, const struct team *team)
{
	struct generator *g = f->generator;
	struct generator_team out = new_team(g, team);

	out.jobs_per_day = (double)team->count / f->length * DAY;
	if (f->length >= DAILY_FROM)
		memcpy(out.arrivals.rhythm, team->rhythm, sizeof(team->rhythm));
	out.arrivals.first_hour = f->first_hour;
	fit_profile(f, team, &out.arrivals);
	fit_states(f, team, &out.arrivals);
	fit_sweep_sizes(f, team, &out);
	fit_sizes(f, team, &out);
	report_arrivals(f, team);
	out.jobs_per_day /= mean_intensity(f, &out.arrivals);
	g->teams[g->team_count++] = out;
}

static void fit_all(struct fitting *f, simtime clock)
{
	struct generator *g = f->generator;

	g->has_start = clock != CLOCK_NEVER;
	g->start = g->has_start ? clock : 0;
	g->length = clock_from_double(ceil(f->length));
	/* 1970 began on a Thursday. */
	f->first_hour = g->has_start
				? (uint32_t)((clock / CLOCK_HOUR + 3 * DAY_HOURS) % ARRIVALS_HOURS)
				: 0;
	if (f->options->resample > 0) {
		sample_all(f);
		return;
	}
	for (uint32_t t = 0; t < f->team_count; t++)
		if (f->teams[t].count > 0)
			find_sweeps(f, &f->teams[t]);
	fit_rhythms(f);
	g->teams = mem_arena_alloc(g->arena, f->team_count * sizeof(*g->teams));
	for (uint32_t t = 0; t < f->team_count; t++)
		if (f->teams[t].count > 0)
			fit_team(f, &f->teams[t]);
}

enum err_code generator_fit(const struct trace_stats_jobs *jobs, simtime clock,
			    const struct generator_fit_options *options, struct generator_fit *out,
			    struct err *err)
{
	struct fitting f = {.jobs = jobs, .options = options, .out = out};
	enum err_code code = ERR_OK;

	*out = (struct generator_fit){.generator = generator_new()};
	f.generator = out->generator;
	gather(&f);
	if (f.count < LEAST_ALL || f.length <= 0)
		code = err_set(
			err, ERR_VALUE, NULL, 0, 0,
			"%zu job%s over %g s %s too little to fit anything to: %d jobs or more, "
			"not all at one time",
			f.count, f.count == 1 ? "" : "s", f.length, f.count == 1 ? "is" : "are",
			LEAST_ALL);
	else if (f.length < 2 * options->resample)
		code = err_set(err, ERR_VALUE, NULL, 0, 0,
			       "the jobs come over %.4g days: blocks must be half as long or less",
			       f.length / DAY);
	else
		fit_all(&f, clock);
	for (uint32_t t = 0; t < f.team_count; t++)
		mem_free(f.teams[t].sweeps);
	mem_free(f.teams);
	mem_free(f.items);
	if (code != ERR_OK)
		generator_fit_free(out);
	return code;
}

void generator_fit_free(struct generator_fit *fit)
{
	for (size_t i = 0; i < fit->row_count; i++)
		mem_free(fit->rows[i].values);
	mem_free(fit->rows);
	generator_free(fit->generator);
	*fit = (struct generator_fit){0};
}
