#include "sim/gen/generator_write.h"

#include <math.h>
#include <string.h>

#include "sim/gen/generator_spec.h"
#include "sim/trace/trace.h"
#include "sim/yaml/yaml_write.h"

#define FULL	  100 /* per cent */
#define KEY	  40
#define TINY	  1e-9
#define DAY_HOURS 24
#define WEEK_DAYS 7

static double seconds(simtime t)
{
	return (double)t / CLOCK_SECOND;
}

static void write_points(struct yaml_writer *w, const struct distribution *d)
{
	char key[KEY];

	bool quantiles = d->kind == DISTRIBUTION_QUANTILES;

	yaml_write_map(w,
		       quantiles				  ? "quantiles"
		       : d->kind == DISTRIBUTION_HYPEREXPONENTIAL ? "phases"
								  : "weights",
		       true);
	for (uint32_t i = 0; i < d->point_count; i++) {
		const struct distribution_point *p = &d->points[i];

		snprintf(key, sizeof(key), "%.6g", quantiles ? p->weight : p->value);
		yaml_write_number(w, key, quantiles ? p->value : p->weight);
	}
	yaml_write_close(w);
}

static void write_members(struct yaml_writer *w, const struct distribution *d)
{
	bool points = distribution_needs_points(d->kind);

	if (!points)
		yaml_write_text(w, "distribution", distribution_name(d->kind));
	else
		write_points(w, d);
	for (int p = 0; p < DISTRIBUTION_PARAMETERS; p++)
		if ((d->given >> p & 1) != 0)
			yaml_write_number(
				w, distribution_parameter_name((enum distribution_parameter)p),
				d->parameter[p]);
}

static bool is_constant(const struct distribution *d, double value)
{
	return d->kind == DISTRIBUTION_CONSTANT && d->parameter[DISTRIBUTION_VALUE] == value;
}

/* unless: left out where it is always this; not a number: never. */
static void write_distribution(struct yaml_writer *w, const char *key, const struct distribution *d,
			       double unless)
{
	if (is_constant(d, unless))
		return;
	if (d->kind == DISTRIBUTION_CONSTANT) {
		yaml_write_number(w, key, d->parameter[DISTRIBUTION_VALUE]);
		return;
	}
	yaml_write_map(w, key, true);
	write_members(w, d);
	yaml_write_close(w);
}

static bool has_rhythm(const double rhythm[ARRIVALS_HOURS])
{
	for (int h = 0; h < ARRIVALS_HOURS; h++)
		if (rhythm[h] > 0)
			return true;
	return false;
}

static void write_weights(struct yaml_writer *w, const char *key, const double *weights, int count)
{
	yaml_write_list(w, key, true);
	for (int i = 0; i < count; i++)
		yaml_write_number(w, NULL, weights[i]);
	yaml_write_close(w);
}

/* Hours times days, if the week is that. */
static bool write_product(struct yaml_writer *w, const double rhythm[ARRIVALS_HOURS])
{
	double hours[DAY_HOURS] = {0}, days[WEEK_DAYS] = {0}, total = 0;

	for (int h = 0; h < ARRIVALS_HOURS; h++) {
		hours[h % DAY_HOURS] += rhythm[h] / WEEK_DAYS;
		days[h / DAY_HOURS] += rhythm[h];
		total += rhythm[h];
	}
	for (int d = 0; d < WEEK_DAYS; d++)
		days[d] *= WEEK_DAYS / total;
	for (int h = 0; h < ARRIVALS_HOURS; h++)
		if (fabs(hours[h % DAY_HOURS] * days[h / DAY_HOURS] - rhythm[h]) >
		    TINY * total / ARRIVALS_HOURS)
			return false;
	write_weights(w, "hours", hours, DAY_HOURS);
	write_weights(w, "days", days, WEEK_DAYS);
	return true;
}

static void write_rhythm(struct yaml_writer *w, const double rhythm[ARRIVALS_HOURS])
{
	if (!has_rhythm(rhythm))
		return;
	yaml_write_map(w, "rhythm", false);
	if (!write_product(w, rhythm))
		write_weights(w, "week", rhythm, ARRIVALS_HOURS);
	yaml_write_close(w);
}

static bool share_rhythm(const struct generator *g)
{
	for (uint32_t i = 1; i < g->team_count; i++)
		for (int h = 0; h < ARRIVALS_HOURS; h++)
			if (g->teams[i].arrivals.rhythm[h] != g->teams[0].arrivals.rhythm[h])
				return false;
	return g->team_count > 0;
}

static void write_states(struct yaml_writer *w, const struct arrivals_process *p)
{
	if (p->state_count == 0)
		return;
	yaml_write_list(w, "states", false);
	for (uint32_t i = 0; i < p->state_count; i++) {
		yaml_write_map(w, NULL, true);
		yaml_write_number(w, "rate", p->states[i].rate);
		yaml_write_number(w, "stay", p->states[i].stay);
		yaml_write_close(w);
	}
	yaml_write_close(w);
}

static void write_list(struct yaml_writer *w, const char *key, const double *values, uint32_t count)
{
	if (values == NULL)
		return;
	yaml_write_list(w, key, true);
	for (uint32_t i = 0; i < count; i++)
		yaml_write_number(w, NULL, values[i]);
	yaml_write_close(w);
}

static void write_profile(struct yaml_writer *w, const struct generator_team *team)
{
	const struct arrivals_process *p = &team->arrivals;

	if (p->level_count == 0)
		return;
	yaml_write_map(w, "profile", false);
	yaml_write_number(w, "every", p->level_every);
	write_list(w, "levels", p->levels, p->level_count);
	write_list(w, "sweeps", team->sweep_moods, p->level_count);
	write_list(w, "gpus", team->gpus_moods, p->level_count);
	write_list(w, "durations", team->durations_moods, p->level_count);
	yaml_write_close(w);
}

static void write_growth(struct yaml_writer *w, const struct arrivals_process *p)
{
	if (p->growth <= 0 && p->step_count == 0)
		return;
	yaml_write_list(w, "growth", false);
	if (p->growth > 0) {
		yaml_write_map(w, NULL, true);
		yaml_write_number(w, "factor", p->growth);
		yaml_write_number(w, "every", p->growth_every);
		yaml_write_close(w);
	}
	for (uint32_t i = 0; i < p->step_count; i++) {
		yaml_write_map(w, NULL, true);
		yaml_write_number(w, "factor", p->steps[i].factor);
		yaml_write_number(w, "at", p->steps[i].at);
		yaml_write_close(w);
	}
	yaml_write_close(w);
}

static void write_sweep(struct yaml_writer *w, const struct generator_team *team)
{
	if (is_constant(&team->sweep_size, 1) && team->gpus_alike == 0 &&
	    team->durations_alike == 0)
		return;
	yaml_write_map(w, "sweep", false);
	write_distribution(w, "size", &team->sweep_size, (double)NAN);
	write_distribution(w, "spacing", &team->sweep_spacing, 0);
	if (team->sweep_most > 0)
		yaml_write_number(w, "mostGpuHours", team->sweep_most);
	yaml_write_number(w, "gpusAlike", team->gpus_alike);
	yaml_write_number(w, "durationsAlike", team->durations_alike);
	if (team->gpus_persist > 0)
		yaml_write_number(w, "gpusPersist", team->gpus_persist);
	if (team->durations_persist > 0)
		yaml_write_number(w, "durationsPersist", team->durations_persist);
	yaml_write_close(w);
}

static void write_durations(struct yaml_writer *w, const struct generator_team *team)
{
	if (team->duration_count == 1) {
		write_distribution(w, "duration", &team->durations->distribution, (double)NAN);
		return;
	}
	yaml_write_list(w, "duration", false);
	for (uint32_t i = 0; i < team->duration_count; i++) {
		yaml_write_map(w, NULL, true);
		if (isfinite(team->durations[i].up_to_gpus))
			yaml_write_number(w, "upToGpus", team->durations[i].up_to_gpus);
		write_members(w, &team->durations[i].distribution);
		yaml_write_close(w);
	}
	yaml_write_close(w);
}

static void write_fate(struct yaml_writer *w, const char *key, const struct generator_fate *fate)
{
	if (fate->share <= 0)
		return;
	yaml_write_map(w, key, false);
	yaml_write_number(w, "share", fate->share);
	write_distribution(w, "after", &fate->after, (double)NAN);
	yaml_write_close(w);
}

static void write_sample(struct yaml_writer *w, const struct generator_sample *sample)
{
	yaml_write_map(w, "sample", false);
	yaml_write_number(w, "block", sample->block);
	yaml_write_whole(w, "blocks", sample->blocks);
	yaml_write_list(w, "jobs", false);
	for (size_t i = 0; i < sample->count; i++) {
		yaml_write_list(w, NULL, true);
		yaml_write_number(w, NULL, sample->jobs[i].submit);
		yaml_write_whole(w, NULL, sample->jobs[i].gpus);
		yaml_write_number(w, NULL, sample->jobs[i].duration);
		yaml_write_close(w);
	}
	yaml_write_close(w);
	yaml_write_close(w);
}

/* How its jobs come and what they are like. */
static void write_shape(struct yaml_writer *w, const struct generator_team *team, bool rhythm)
{
	if (team->arrivals.regular)
		yaml_write_text(w, "arrivals", "regular");
	write_states(w, &team->arrivals);
	if (rhythm)
		write_rhythm(w, team->arrivals.rhythm);
	write_profile(w, team);
	write_growth(w, &team->arrivals);
	write_sweep(w, team);
	write_distribution(w, "gpus", &team->gpus, 1);
	write_durations(w, team);
	if (team->correlation != 0)
		yaml_write_number(w, "correlation", team->correlation);
}

static void write_team(struct yaml_writer *w, const struct generator_team *team, bool rhythm)
{
	yaml_write_map(w, NULL, false);
	yaml_write_text(w, "name", team->name);
	if (strcmp(team->ns, team->name) != 0)
		yaml_write_text(w, "namespace", team->ns);
	if (strcmp(team->queue, team->name) != 0)
		yaml_write_text(w, "queue", team->queue);
	if (team->priority_class != NULL)
		yaml_write_text(w, "priorityClass", team->priority_class);
	yaml_write_number(w, "jobsPerDay", team->jobs_per_day);
	if (team->sample.block > 0)
		write_sample(w, &team->sample);
	else
		write_shape(w, team, rhythm);
	write_fate(w, "failures", &team->failures);
	write_fate(w, "cancellations", &team->cancellations);
	write_distribution(w, "gpuUtilisation", &team->utilisation, FULL);
	yaml_write_close(w);
}

static void write_head(struct yaml_writer *w, const struct generator *g)
{
	char clock[TRACE_CLOCK];

	yaml_write_text(w, "apiVersion", "gqsim/v1");
	yaml_write_text(w, "kind", GENERATOR_SPEC_KIND);
	if (g->title != NULL)
		yaml_write_text(w, "title", g->title);
	if (g->seed != 1)
		yaml_write_whole(w, "seed", g->seed);
	if (g->has_start)
		yaml_write_text(w, "startTime", trace_format_clock(g->start, clock));
	if (g->length != CLOCK_NEVER)
		yaml_write_number(w, "length", seconds(g->length));
	if (g->jobs > 0)
		yaml_write_whole(w, "jobs", g->jobs);
}

void generator_write(FILE *out, const struct generator *g)
{
	struct yaml_writer *w = yaml_write_new(out);
	bool shared = share_rhythm(g);

	yaml_write_map(w, NULL, false);
	write_head(w, g);
	if (shared)
		write_rhythm(w, g->teams[0].arrivals.rhythm);
	yaml_write_list(w, "teams", false);
	for (uint32_t i = 0; i < g->team_count; i++)
		write_team(w, &g->teams[i], !shared);
	yaml_write_close(w);
	yaml_write_close(w);
	yaml_write_end_all(w);
}
