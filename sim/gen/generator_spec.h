/* generator_spec.h - apiVersion: gqsim/v1, kind: Generator: a workload to be made up, in a
 * document of its own.
 *
 * Everything is optional but what is marked; unknown and repeated keys are errors. A TIME is
 * seconds or a duration (90s, 2h); a DIST is a number (always this), or a map:
 *
 *   distribution: constant (value), uniform (min, max), exponential (mean), lognormal (median,
 *                 sigma: of the logarithm), weibull (shape, scale), boundedPareto (shape, min,
 *                 max)
 *   phases: {MEAN: WEIGHT}    hyper-exponential
 *   weights: {VALUE: WEIGHT}  empirical
 *   quantiles: {SHARE: VALUE} the share of all that is below, ascending from 0 to 1
 *   min, max                  of any: what is drawn beyond becomes this
 *
 *   title: TEXT
 *   seed: NUMBER              default 1; --seed wins
 *   startTime: TEXT           wall clock of time 0; default: a Monday, 0:00
 *   length: TIME              jobs are submitted for so long; this or jobs is required
 *   jobs: NUMBER              at most so many, of all teams
 *   rhythm:                   of all teams that have none of their own
 *     hours: [24 NUMBER]      weights by the hour of the day
 *     days: [7 NUMBER]        by the day of the week, Monday first; times those of the hours
 *     week: [168 NUMBER]      in place of both: from Monday, 0:00
 *   teams:                    required
 *   - name: TEXT              required
 *     namespace, queue: TEXT  default: the name
 *     priorityClass: TEXT
 *     jobsPerDay: NUMBER      required; mean, without growth
 *     arrivals: poisson       or regular
 *     states:                 the rate switches between these in turn (Markov-modulated)
 *     - rate: NUMBER          required; relative to the others
 *       stay: TIME            required; mean
 *     rhythm:                 as above
 *     profile:                levels that follow each other, then begin anew
 *       every: TIME           required
 *       levels: [NUMBER]      required; relative to each other
 *       gpus: [NUMBER]        mean normal scores of the jobs of each level, -10 to 10: 1: larger
 *       durations: [NUMBER]   than 84 % of all; likewise, longer. Default: all are alike
 *     growth:
 *       factor: NUMBER        required
 *       every: TIME           gradually, by this factor every so long
 *       at: TIME              or at once, at this time; growth may be a list of such steps
 *     sweep:                  jobs come in sweeps
 *       size: DIST            required; jobs
 *       spacing: DIST         between two, TIME; default 0
 *       mostGpuHours: NUMBER  a sweep ends before its jobs ask for more; default: no limit
 *       gpusAlike: NUMBER     0 to 1; 1: all have the same GPUs; default 1
 *       durationsAlike: NUMBER  likewise; default 0
 *       gpusPersist: NUMBER   0 to 1: how much of that the next sweep keeps; default 0
 *       durationsPersist: NUMBER  likewise
 *     gpus: DIST              of the whole job; default 1
 *     sample:                 jobs as they were, drawn block by block; in place of all from arrivals
 *                             to correlation
 *       block: TIME           required; an hour or more
 *       blocks: NUMBER        required; so many the sample has, 2 or more
 *       jobs: [[TIME, NUMBER, TIME]]  required: submit, GPUs, duration
 *     duration: DIST          required without sample; TIME; or a list by size:
 *     - upToGpus: NUMBER      of jobs up to this size; required but in the last
 *       ...                   a DIST
 *     correlation: NUMBER     -1 to 1, of size and duration (Gaussian copula)
 *     failures:
 *       share: NUMBER         required; 0 to 1, of the jobs
 *       after: DIST           share of the work done by then; default uniform, 0 to 1
 *     cancellations:
 *       share: NUMBER         required
 *       after: DIST           TIME since the submit; required
 *     gpuUtilisation: DIST    per cent; default 100
 */
#ifndef SIM_GENERATOR_SPEC_H
#define SIM_GENERATOR_SPEC_H

#include "sim/gen/generator.h"
#include "sim/tool/source.h"

#define GENERATOR_SPEC_KIND "Generator"

/* Does the beginning of a file look like one? */
bool generator_spec_probe(const char *head, size_t size);
/* Free *out with generator_free; it does not need the source. */
enum err_code generator_spec_read(const struct source *source, struct generator **out,
				  struct err *err);

#endif
