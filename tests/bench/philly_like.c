/* philly_like.c - a seeded trace with the shape of Philly's, for benchmarks.
 *
 * Usage: philly_like JOBS [LOAD [SEED [GPUS]]] > trace.csv (job_id,submit_s,gpus,duration_s)
 * GPUS (2,490) at an offered load of LOAD percent (90); Poisson arrivals; log-normal durations
 * (median 780 s, sigma 2, from 1 s to 30 days). The same JOBS and SEED give the
 * same bytes on one libm; other generators of this recipe give other numbers.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MEDIAN	    780.0
#define SIGMA	    2.0
#define CLIP	    (30.0 * 86400.0)
#define MEAN_SAMPLE 4000000
#define SIZES	    6

static const unsigned sizes[SIZES] = {1, 2, 4, 8, 16, 32};
static const double shares[SIZES] = {.70, .10, .08, .09, .02, .01};

static double duration(gsl_rng *rng)
{
	double d = rint(MEDIAN * exp(gsl_ran_gaussian_ziggurat(rng, SIGMA)));

	return fmin(fmax(d, 1.0), CLIP);
}

/* Mean of the clipped durations from a sample of its own, so that the rate of
 * arrivals does not depend on JOBS or SEED. */
static double mean_duration(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double sum = 0;

	gsl_rng_set(rng, 7);
	for (int i = 0; i < MEAN_SAMPLE; i++)
		sum += duration(rng);
	gsl_rng_free(rng);
	return sum / MEAN_SAMPLE;
}

static double mean_size(void)
{
	double sum = 0;

	for (int i = 0; i < SIZES; i++)
		sum += sizes[i] * shares[i];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long jobs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long load = argc > 2 ? strtoul(argv[2], NULL, 10) : 90;
	unsigned long seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 42;
	unsigned long gpus = argc > 4 ? strtoul(argv[4], NULL, 10) : 2490;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_ran_discrete_t *size = gsl_ran_discrete_preproc(SIZES, shares);
	double now = 0, gap;

	if (jobs == 0 || load == 0 || gpus == 0) {
		fprintf(stderr, "usage: philly_like JOBS [LOAD [SEED [GPUS]]] > trace.csv\n");
		return 2;
	}
	gap = mean_size() * mean_duration() / ((double)load / 100 * (double)gpus);
	gsl_rng_set(rng, seed);
	puts("job_id,submit_s,gpus,duration_s");
	for (unsigned long i = 0; i < jobs; i++) {
		now += gsl_ran_exponential(rng, gap);
		printf("%lu,%.0f,%u,%.0f\n", i, floor(now), sizes[gsl_ran_discrete(rng, size)],
		       duration(rng));
	}
	gsl_ran_discrete_free(size);
	gsl_rng_free(rng);
	return ferror(stdout) || fflush(stdout) != 0 ? 1 : 0;
}
