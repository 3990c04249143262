/* decimal.h - amounts in billionths, multiplied by fractions without an error that
 * grows: Kueue keeps a LocalQueue's decayed usage in decimals of nine places, cut off
 * after every multiplication (its pkg/util/resource, MulByFloat). Whether two
 * LocalQueues used equally much hangs on the last of these places.
 */
#ifndef CORE_DECIMAL_H
#define CORE_DECIMAL_H

#include <stdint.h>

__extension__ typedef __int128 decimal; /* in billionths */

/* A fraction as the shortest decimal that reads back as the same double. */
struct decimal_factor {
	uint64_t digits;
	uint32_t places; /* behind the point, at most 29 */
};

struct decimal_factor decimal_factor_of(double fraction); /* 0 ... 1 */
decimal decimal_of(int64_t amount, int64_t per_unit);	  /* amount / per_unit; it divides 10^9 */
/* Cut off, towards zero, after nine places. amount >= 0; beyond 10^28 it counts as that. */
decimal decimal_scale(decimal amount, struct decimal_factor factor);
double decimal_value(decimal amount);

#endif
