/* money.h - amounts of money in whole micro-dollars, and what time at a price costs.
 *
 * No floating point: a price is micro-USD an hour, a time microseconds, and what is left
 * over when the two are multiplied is kept until it makes a micro-dollar.
 */
#ifndef CORE_MONEY_H
#define CORE_MONEY_H

#include <stdint.h>

#include "core/clock.h"

typedef int64_t money; /* micro-USD; sums saturate */

#define MONEY_USD INT64_C(1000000)
/* A month is a twelfth of 52 weeks: 118 hours a week are 511 a month. */
#define MONEY_MONTH (52 * 7 * 24 * CLOCK_HOUR / 12)

/* Time at changing prices, added up without an error. Starts as {0, 0}. */
struct money_sum {
	money whole;
	int64_t rest; /* micro-USD/hour times microseconds, less than a micro-USD */
};

/* Adds time (>= 0) at a price an hour (>= 0). */
void money_add(struct money_sum *sum, int64_t micro_usd_per_hour, simtime time);

/* The sum * part / whole for part, whole > 0, to the nearest, what is left over included. */
money money_sum_part(const struct money_sum *sum, int64_t part, int64_t whole);

/* What time at a price costs, cut off. GPU-microseconds are time, too. */
money money_of(int64_t micro_usd_per_hour, simtime time);

/* amount * part / whole for part, whole >= 0, to the nearest; 0 where whole is 0. */
int64_t money_part(int64_t amount, int64_t part, int64_t whole);

#define MONEY_TEXT 40
/* "27,520.00" */
char *money_format(money amount, char buf[MONEY_TEXT]);
/* "27520.000000": all there is, for programs. */
char *money_format_exact(money amount, char buf[MONEY_TEXT]);

#endif
