#include "sim/study/demand.h"

#include <math.h>

#include "core/mem.h"
#include "core/queueing.h"
#include "core/sort.h"

#define MOST_SERVERS 4000000

struct edge {
	simtime at;
	int64_t gpus; /* more from then on */
};

static bool counts(const struct job *job)
{
	return job->common->gpus > 0 && (job->common->flags & JOB_INACTIVE) == 0;
}

/* Ends before starts of the same instant. */
static int compare_edges(const void *a, const void *b, void *context)
{
	const struct edge *x = a, *y = b;

	(void)context;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static int64_t find_peak(const struct scenario *s, uint32_t jobs)
{
	struct edge *edges = mem_calloc((size_t)jobs * 2, sizeof(*edges));
	int64_t now = 0, peak = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];

		if (!counts(job) || job->duration == JOB_ENDLESS)
			continue;
		edges[count++] = (struct edge){job->submit, job->common->gpus};
		edges[count++] = (struct edge){clock_add(job->submit, job->duration),
					       -(int64_t)job->common->gpus};
	}
	sort_stable(edges, count, sizeof(*edges), compare_edges, NULL);
	for (size_t i = 0; i < count; i++) {
		now += edges[i].gpus;
		peak = now > peak ? now : peak;
	}
	mem_free(edges);
	return peak;
}

/* Mean and variance as values come (Welford). */
struct moments {
	double mean, squares;
	uint32_t count;
};

static void see(struct moments *m, double value)
{
	double delta = value - m->mean;

	m->mean += delta / ++m->count;
	m->squares += delta * (value - m->mean);
}

static double variation(const struct moments *m)
{
	return m->count < 2 || m->mean <= 0 ? 1 : m->squares / (m->count - 1) / (m->mean * m->mean);
}

static double seconds(simtime time)
{
	return (double)time / (double)CLOCK_SECOND;
}

struct demand demand_of(const struct scenario *s)
{
	struct demand d = {.jobs = 0};
	struct moments service = {0}, gaps = {0};
	simtime first = CLOCK_NEVER, last = 0;
	double work = 0, time = 0;

	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[scenario_by_submit(s, i)];

		if (!counts(job))
			continue;
		d.largest = job->common->gpus > d.largest ? job->common->gpus : d.largest;
		if (job->duration == JOB_ENDLESS) {
			d.endless += job->common->gpus;
			continue;
		}
		if (d.jobs++ > 0)
			see(&gaps, seconds(job->submit - last));
		first = job->submit < first ? job->submit : first;
		last = job->submit;
		see(&service, seconds(job->duration));
		work += seconds(job->duration) * job->common->gpus;
		time += seconds(job->duration);
	}
	if (d.jobs == 0)
		return d;
	d.span = last - first;
	d.service = service.mean;
	d.scv_service = variation(&service);
	d.scv_arrivals = variation(&gaps);
	d.mean_gpus = time > 0 ? work / time : 1;
	/* jobs that all come at once have no rate: as if within a mean service time */
	d.rate = d.jobs / (d.span > 0 ? seconds(d.span) : d.service > 0 ? d.service : 1);
	d.load = d.rate * d.service * d.mean_gpus;
	d.peak = find_peak(s, d.jobs);
	return d;
}

static double wait_of(const struct demand *d, const struct goal *goal, uint32_t servers)
{
	static const double shares[] = {[GOAL_P50] = 0.5, [GOAL_P95] = 0.95, [GOAL_P99] = 0.99};
	double factor = (d->scv_arrivals + d->scv_service) / 2;

	if (goal->figure == GOAL_MEAN)
		return queueing_ggc_wait(servers, d->rate, d->service, d->scv_arrivals,
					 d->scv_service);
	return factor * queueing_mmc_quantile(servers, d->rate, d->service, shares[goal->figure]);
}

int64_t demand_guess(const struct demand *d, const struct goal *goal)
{
	double limit = seconds(goal->limit);
	uint32_t low = 1, high = 1;

	if (d->jobs == 0)
		return 0;
	while (high < MOST_SERVERS && wait_of(d, goal, high) > limit) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (wait_of(d, goal, middle) > limit)
			low = middle;
		else
			high = middle;
	}
	return (int64_t)ceil(high * d->mean_gpus) + d->endless;
}
