#include "sim/tool/waits.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/survival.h"

#define DIGIT	   11 /* bits */
#define BUCKETS	   (1 << DIGIT)
#define PER_UNIT   1000 /* per mille */
#define CONFIDENCE 0.95
#define SLACK	   1e-12 /* the last bits of a product of shares */

static size_t digit_of(const struct wait *wait, unsigned shift)
{
	return (size_t)((uint64_t)wait->time >> shift) & (BUCKETS - 1);
}

/* One pass of a radix sort, from in to out. */
static void pass(const struct wait *in, struct wait *out, size_t count, unsigned shift,
		 size_t *start)
{
	memset(start, 0, (BUCKETS + 1) * sizeof(*start));
	for (size_t i = 0; i < count; i++)
		start[digit_of(&in[i], shift) + 1]++;
	for (size_t b = 1; b <= BUCKETS; b++)
		start[b] += start[b - 1];
	for (size_t i = 0; i < count; i++)
		out[start[digit_of(&in[i], shift)]++] = in[i];
}

/* Times are not negative, so their bits sort as they are. */
static void sort_bits(struct wait *waits, struct wait *other, size_t count)
{
	size_t *start = mem_calloc(BUCKETS + 1, sizeof(*start));
	struct wait *from = waits, *to = other;
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= (uint64_t)waits[i].time;
	/* Behind whole seconds there are six zeros. */
	for (unsigned shift = (unsigned)__builtin_ctzll(bits | 1ULL << 63);
	     shift < 63 && bits >> shift != 0; shift += DIGIT) {
		struct wait *swap = from;

		pass(from, to, count, shift, start);
		from = to;
		to = swap;
	}
	if (from != waits)
		memcpy(waits, from, count * sizeof(*waits));
	mem_free(start);
}

/* Many do not wait at all: they come first as they are, and only the others are sorted. */
void waits_sort(struct wait *waits, size_t count)
{
	struct wait *others = mem_calloc(count, sizeof(*others));
	size_t zeros = 0, positive = 0;

	for (size_t i = 0; i < count; i++) {
		if (waits[i].time == 0)
			waits[zeros++] = waits[i];
		else
			others[positive++] = waits[i];
	}
	if (positive > 0) {
		memcpy(&waits[zeros], others, positive * sizeof(*waits));
		sort_bits(&waits[zeros], others, positive);
	}
	mem_free(others);
}

void waits_by_group(const struct wait *waits, size_t count, uint32_t groups, struct wait *out,
		    size_t *first)
{
	size_t *at = mem_calloc((size_t)groups + 1, sizeof(*at));

	for (size_t i = 0; i < count; i++)
		at[waits[i].group + 1]++;
	for (uint32_t g = 0; g < groups; g++)
		at[g + 1] += at[g];
	memcpy(first, at, ((size_t)groups + 1) * sizeof(*first));
	for (size_t i = 0; i < count; i++)
		out[at[waits[i].group]++] = waits[i];
	mem_free(at);
}

static double seconds(simtime time)
{
	return (double)time / (double)CLOCK_SECOND;
}

double waits_quantile(const struct wait *waits, size_t count, size_t never, uint32_t per_mille)
{
	size_t all = count + never;
	size_t at, low;
	double part;

	if (all == 0)
		return 0;
	if (never * PER_UNIT >= (PER_UNIT - per_mille) * all && never > 0)
		return (double)INFINITY;
	at = per_mille * (all - 1);
	low = at / PER_UNIT;
	part = (double)(at % PER_UNIT) / PER_UNIT;
	if (low + 1 >= count)
		return seconds(waits[count - 1].time);
	return seconds(waits[low].time) * (1 - part) + seconds(waits[low + 1].time) * part;
}

size_t waits_cancelled(const struct wait *waits, size_t count)
{
	size_t cancelled = 0;

	for (size_t i = 0; i < count; i++)
		cancelled += waits[i].cancelled;
	return cancelled;
}

/* Kaplan and Meier, each GPU a wait of its own: what is cancelled at an instant was at risk
 * then. */
static double weighted_censored(const struct wait *waits, size_t count, int64_t never_gpus,
				uint32_t per_mille)
{
	double left = 1, most = 1 - (double)per_mille / PER_UNIT + SLACK;
	int64_t at_risk = never_gpus;

	for (size_t i = 0; i < count; i++)
		at_risk += waits[i].gpus;
	for (size_t i = 0; i < count;) {
		simtime now = waits[i].time;
		int64_t ended = 0, gone = 0;

		for (; i < count && waits[i].time == now; i++) {
			ended += waits[i].cancelled ? 0 : waits[i].gpus;
			gone += waits[i].gpus;
		}
		if (ended > 0)
			left *= (double)(at_risk - ended) / (double)at_risk;
		if (ended > 0 && left <= most)
			return seconds(now);
		at_risk -= gone;
	}
	return never_gpus > 0 ? (double)INFINITY : seconds(waits[count - 1].time);
}

double waits_quantile_weighted(const struct wait *waits, size_t count, int64_t never_gpus,
			       uint32_t per_mille)
{
	int64_t all = never_gpus, sum = 0;

	for (size_t i = 0; i < count; i++)
		all += waits[i].gpus;
	if (all == 0)
		return 0;
	if (waits_cancelled(waits, count) > 0)
		return weighted_censored(waits, count, never_gpus, per_mille);
	for (size_t i = 0; i < count; i++) {
		sum += waits[i].gpus;
		if (sum * PER_UNIT >= all * (int64_t)per_mille)
			return seconds(waits[i].time);
	}
	return (double)INFINITY;
}

double waits_quantile_nearest(const struct wait *waits, size_t count, uint32_t per_mille)
{
	size_t started = count - waits_cancelled(waits, count);
	size_t rank = (started * per_mille + PER_UNIT - 1) / PER_UNIT;

	if (started == 0)
		return (double)NAN;
	rank = rank == 0 ? 1 : rank;
	while (waits->cancelled || --rank > 0)
		waits++;
	return seconds(waits->time);
}

/* The same of some that are only known to be at least so long. */
static void censored_figures(const struct wait *waits, size_t count, size_t never,
			     struct wait_figures *figures)
{
	struct survival_time *times = mem_calloc(count + never, sizeof(*times));

	for (size_t i = 0; i < count + never; i++)
		times[i] = i < count ? (struct survival_time){seconds(waits[i].time),
							      waits[i].cancelled}
				     : (struct survival_time){(double)INFINITY, false};
	survival_sort(times, count + never);
	figures->p50 = survival_quantile(times, count + never, 0.5, CONFIDENCE).value;
	figures->p95 = survival_quantile(times, count + never, 0.95, CONFIDENCE).value;
	figures->p99 = survival_quantile(times, count + never, 0.99, CONFIDENCE).value;
	mem_free(times);
}

struct wait_figures waits_figures(const struct wait *waits, size_t count, size_t never)
{
	struct wait_figures figures = {
		.jobs = (uint32_t)(count + never),
		.never = (uint32_t)never,
		.p50 = waits_quantile(waits, count, never, 500),
		.p95 = waits_quantile(waits, count, never, 950),
		.p99 = waits_quantile(waits, count, never, 990),
	};
	size_t started = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (waits[i].cancelled)
			continue;
		sum += seconds(waits[i].time);
		figures.max = seconds(waits[i].time);
		started++;
	}
	figures.mean = started > 0 ? sum / (double)started : 0;
	if (started < count)
		censored_figures(waits, count, never, &figures);
	return figures;
}
