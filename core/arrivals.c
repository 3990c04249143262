#include "core/arrivals.h"

#include <math.h>
#include <stdio.h>

#define HOUR 3600.0
#define NAME 300

static double rhythm_mean(const struct arrivals_process *p)
{
	double sum = 0;

	for (int h = 0; h < ARRIVALS_HOURS; h++)
		sum += p->rhythm[h];
	return sum / ARRIVALS_HOURS;
}

/* Of the states, each weighed with how long it stays. */
static double state_mean(const struct arrivals_process *p)
{
	double rates = 0, stays = 0;

	for (uint32_t i = 0; i < p->state_count; i++) {
		rates += p->states[i].rate * p->states[i].stay;
		stays += p->states[i].stay;
	}
	return p->state_count == 0 ? 1 : rates / stays;
}

static double level_mean(const struct arrivals_process *p)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->level_count; i++)
		sum += p->levels[i];
	return p->level_count == 0 ? 1 : sum / p->level_count;
}

static double exponential(struct rng *rng)
{
	return -log1p(-rng_uniform(rng));
}

static struct rng *stream(uint64_t seed, const char *name, const char *purpose)
{
	char text[NAME];

	snprintf(text, sizeof(text), "%s/%s", name, purpose);
	return rng_new(seed, text);
}

static void draw_stay(struct arrivals *a)
{
	const struct arrivals_process *p = a->process;

	a->state_until = p->state_count < 2 ? HUGE_VAL
					    : a->state_until + p->states[a->state].stay *
								       exponential(a->stays);
}

static void first_state(struct arrivals *a)
{
	const struct arrivals_process *p = a->process;
	double total = 0, at;

	for (uint32_t i = 0; i < p->state_count; i++)
		total += p->states[i].stay;
	at = total * rng_uniform(a->stays);
	while (a->state + 1 < p->state_count && at >= p->states[a->state].stay)
		at -= p->states[a->state++].stay;
}

void arrivals_begin(struct arrivals *a, const struct arrivals_process *process, uint64_t seed,
		    const char *name)
{
	*a = (struct arrivals){.process = process,
			       .times = stream(seed, name, "arrivals"),
			       .stays = stream(seed, name, "states"),
			       .rhythm_mean = rhythm_mean(process),
			       .level_mean = level_mean(process),
			       .state_mean = state_mean(process)};
	first_state(a);
	draw_stay(a);
}

void arrivals_end(struct arrivals *a)
{
	rng_free(a->times);
	rng_free(a->stays);
}

static double grown(const struct arrivals_process *p, double time)
{
	double factor = p->growth > 0 ? pow(p->growth, time / p->growth_every) : 1;

	for (uint32_t i = 0; i < p->step_count && p->steps[i].at <= time; i++)
		factor *= p->steps[i].factor;
	return factor;
}

static double rhythm_at(const struct arrivals_process *p, double mean, double time)
{
	double hour = fmod(floor(time / HOUR) + p->first_hour, ARRIVALS_HOURS);

	return mean > 0 ? p->rhythm[(int)hour] / mean : 1;
}

static double level_at(const struct arrivals_process *p, double mean, double time)
{
	double level = floor(time / p->level_every);

	return p->level_count == 0 ? 1 : p->levels[(size_t)fmod(level, p->level_count)] / mean;
}

double arrivals_intensity(const struct arrivals_process *process, double time)
{
	return rhythm_at(process, rhythm_mean(process), time) *
	       level_at(process, level_mean(process), time) * grown(process, time);
}

/* Until when the rate stays as it is now. */
static double piece_end(const struct arrivals *a)
{
	const struct arrivals_process *p = a->process;
	double end = (floor(a->now / HOUR) + 1) * HOUR;

	end = fmin(end, a->state_until);
	if (p->level_count > 0)
		end = fmin(end, (floor(a->now / p->level_every) + 1) * p->level_every);
	for (uint32_t i = 0; i < p->step_count; i++)
		if (p->steps[i].at > a->now)
			end = fmin(end, p->steps[i].at);
	return end;
}

static double rate_now(const struct arrivals *a)
{
	const struct arrivals_process *p = a->process;
	double state = p->state_count > 0 ? p->states[a->state].rate / a->state_mean : 1;

	return p->mean_rate * rhythm_at(p, a->rhythm_mean, a->now) *
	       level_at(p, a->level_mean, a->now) * grown(p, a->now) * state;
}

/* A unit exponential number is spent along the intensity, piece by piece. */
bool arrivals_next(struct arrivals *a, double until, double *out)
{
	double left = a->process->regular ? 1 : exponential(a->times);

	while (a->now < until) {
		double rate = rate_now(a), end = piece_end(a);

		if (rate * (end - a->now) >= left) {
			a->now += left / rate;
			*out = a->now;
			return a->now < until;
		}
		left -= rate * (end - a->now);
		a->now = end;
		if (a->now < a->state_until)
			continue;
		a->state = (a->state + 1) % a->process->state_count;
		draw_stay(a);
	}
	return false;
}
