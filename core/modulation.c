#include "core/modulation.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "core/mem.h"

#define LEAST_STEPS 20
#define EM_STEPS    200
#define TOLERANCE   1e-8
#define FREEDOM	    3 /* more than one rate: another, and two chances to switch */
#define SHARE_LEAST 1e-9

struct model {
	const uint32_t *counts;
	const double *exposure;
	size_t steps;
	double rate[2], leave[2]; /* chance to switch after a step */
	double (*chance)[2];	  /* [step] of the count in each state, scaled */
	double (*forward)[2], (*backward)[2];
	double *scale; /* logarithm */
};

static double log_poisson(uint32_t count, double mean)
{
	return count * log(mean) - mean - gsl_sf_lnfact(count);
}

static void chances(struct model *m)
{
	for (size_t t = 0; t < m->steps; t++) {
		double a = log_poisson(m->counts[t], m->rate[0] * m->exposure[t]);
		double b = log_poisson(m->counts[t], m->rate[1] * m->exposure[t]);

		m->scale[t] = fmax(a, b);
		m->chance[t][0] = exp(a - m->scale[t]);
		m->chance[t][1] = exp(b - m->scale[t]);
	}
}

/* Forward and backward, each step scaled to sum 1; the log likelihood. */
static double pass(struct model *m)
{
	double total = 0, *before = NULL;
	double start[2] = {m->leave[1] / (m->leave[0] + m->leave[1]),
			   m->leave[0] / (m->leave[0] + m->leave[1])};

	for (size_t t = 0; t < m->steps; t++) {
		double sum = 0;

		for (int s = 0; s < 2; s++) {
			double come = before == NULL ? start[s]
						     : before[s] * (1 - m->leave[s]) +
							       before[1 - s] * m->leave[1 - s];

			m->forward[t][s] = come * m->chance[t][s];
			sum += m->forward[t][s];
		}
		m->forward[t][0] /= sum;
		m->forward[t][1] /= sum;
		total += log(sum) + m->scale[t];
		before = m->forward[t];
	}
	m->backward[m->steps - 1][0] = m->backward[m->steps - 1][1] = 1;
	for (size_t t = m->steps - 1; t-- > 0;) {
		double *next = m->backward[t + 1], *chance = m->chance[t + 1], sum = 0;

		for (int s = 0; s < 2; s++) {
			m->backward[t][s] = (1 - m->leave[s]) * chance[s] * next[s] +
					    m->leave[s] * chance[1 - s] * next[1 - s];
			sum += m->backward[t][s];
		}
		m->backward[t][0] /= sum;
		m->backward[t][1] /= sum;
	}
	return total;
}

static double kept(double share)
{
	return fmin(fmax(share, SHARE_LEAST), 1 - SHARE_LEAST);
}

static void maximise(struct model *m)
{
	double events[2] = {0, 0}, exposed[2] = {0, 0}, stays[2] = {0, 0}, leaves[2] = {0, 0};

	for (size_t t = 0; t < m->steps; t++) {
		double in[2], sum;

		in[0] = m->forward[t][0] * m->backward[t][0];
		in[1] = m->forward[t][1] * m->backward[t][1];
		sum = in[0] + in[1];
		for (int s = 0; s < 2; s++) {
			double share = in[s] / sum, to[2], all;

			events[s] += share * m->counts[t];
			exposed[s] += share * m->exposure[t];
			if (t + 1 == m->steps)
				continue;
			to[0] = (1 - m->leave[s]) * m->chance[t + 1][s] * m->backward[t + 1][s];
			to[1] = m->leave[s] * m->chance[t + 1][1 - s] * m->backward[t + 1][1 - s];
			all = to[0] + to[1];
			stays[s] += share;
			leaves[s] += all > 0 ? share * to[1] / all : 0;
		}
	}
	for (int s = 0; s < 2; s++) {
		m->rate[s] = fmax(events[s] / fmax(exposed[s], SHARE_LEAST), SHARE_LEAST);
		m->leave[s] = kept(leaves[s] / fmax(stays[s], SHARE_LEAST));
	}
}

static double mean_rate(const struct model *m)
{
	double events = 0, exposed = 0;

	for (size_t t = 0; t < m->steps; t++) {
		events += m->counts[t];
		exposed += m->exposure[t];
	}
	return exposed > 0 ? events / exposed : 0;
}

static void run(struct model *m, struct modulation *out)
{
	double last = -HUGE_VAL;

	for (int i = 0; i < EM_STEPS; i++) {
		chances(m);
		out->log_likelihood = pass(m);
		if (out->log_likelihood - last < TOLERANCE * fabs(out->log_likelihood))
			break;
		last = out->log_likelihood;
		maximise(m);
	}
}

static void tell(const struct model *m, struct modulation *out)
{
	int low = m->rate[0] <= m->rate[1] ? 0 : 1;

	for (int s = 0; s < 2; s++) {
		int from = s == 0 ? low : 1 - low;

		out->rate[s] = m->rate[from];
		out->stay[s] = 1 / m->leave[from];
	}
	out->worth = 2 * (out->log_likelihood - out->plain) > FREEDOM * log((double)m->steps);
}

struct modulation modulation_fit(const uint32_t *counts, const double *exposure, size_t steps)
{
	struct model m = {.counts = counts, .exposure = exposure, .steps = steps};
	struct modulation out = {.worth = false};
	double mean = mean_rate(&m);

	if (steps < LEAST_STEPS || mean <= 0)
		return out;
	for (size_t t = 0; t < steps; t++)
		out.plain += log_poisson(counts[t], mean * exposure[t]);
	m.rate[0] = 0.5 * mean;
	m.rate[1] = 2 * mean;
	m.leave[0] = m.leave[1] = 0.1;
	m.chance = mem_calloc(steps, sizeof(*m.chance));
	m.forward = mem_calloc(steps, sizeof(*m.forward));
	m.backward = mem_calloc(steps, sizeof(*m.backward));
	m.scale = mem_calloc(steps, sizeof(*m.scale));
	run(&m, &out);
	tell(&m, &out);
	mem_free(m.chance);
	mem_free(m.forward);
	mem_free(m.backward);
	mem_free(m.scale);
	return out;
}
