#include "core/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define BILLION	   INT64_C(1000000000)
#define PLACES_MAX 29 /* so that a remainder times 10^9 has room */

/* Reads "d.ddde-dd". */
static struct decimal_factor read_scientific(const char *text)
{
	struct decimal_factor f = {0, 0};
	const char *p = text;
	long places = 0;

	for (; *p != 'e'; p++) {
		if (*p == '.')
			continue;
		f.digits = f.digits * 10 + (uint64_t)(*p - '0');
		places += p > text;
	}
	places -= strtol(p + 1, NULL, 10);
	for (; places > PLACES_MAX; places--)
		f.digits /= 10;
	for (; places < 0; places++)
		f.digits *= 10;
	f.places = (uint32_t)places;
	return f;
}

#define TEXT_SIZE  40
#define DIGITS_MAX 17 /* so many always read back */

static bool reads_back(double fraction, int digits, char text[TEXT_SIZE])
{
	snprintf(text, TEXT_SIZE, "%.*e", digits - 1, fraction);
	return strtod(text, NULL) == fraction;
}

/* Is the gap to the next double below half of that to the one above? */
static bool is_power_of_two(double fraction)
{
	int exponent;

	return frexp(fraction, &exponent) == 0.5;
}

/* The shortest is looked for from the longest down: of a fraction as far from either
 * neighbour, the decimal nearest to it with one more digit is no farther off than that
 * with one less, so if the latter reads back the former does too. Powers of two, whose
 * neighbours are not as far, are tried from the shortest up. */
struct decimal_factor decimal_factor_of(double fraction)
{
	char text[TEXT_SIZE];
	int digits = DIGITS_MAX;

	if (is_power_of_two(fraction)) {
		for (digits = 1; !reads_back(fraction, digits, text); digits++)
			;
	} else {
		while (digits > 1 && reads_back(fraction, digits - 1, text))
			digits--;
	}
	snprintf(text, sizeof(text), "%.*e", digits - 1, fraction);
	return read_scientific(text);
}

decimal decimal_of(int64_t amount, int64_t per_unit)
{
	return (decimal)amount * (BILLION / per_unit);
}

static decimal power_of_ten(uint32_t exponent)
{
	static const uint64_t powers[] = {1,
					  UINT64_C(10),
					  UINT64_C(100),
					  UINT64_C(1000),
					  UINT64_C(10000),
					  UINT64_C(100000),
					  UINT64_C(1000000),
					  UINT64_C(10000000),
					  UINT64_C(100000000),
					  UINT64_C(1000000000),
					  UINT64_C(10000000000),
					  UINT64_C(100000000000),
					  UINT64_C(1000000000000),
					  UINT64_C(10000000000000),
					  UINT64_C(100000000000000),
					  UINT64_C(1000000000000000)};
	decimal power = 1;

	for (; exponent > 15; exponent -= 15)
		power *= powers[15];
	return power * powers[exponent];
}

/* The second form is the first, in parts none of which is too large. */
decimal decimal_scale(decimal amount, struct decimal_factor factor)
{
	const decimal most = (decimal)BILLION * BILLION * BILLION * 10;
	decimal unit, whole, rest;

	if (amount == 0 || factor.digits == 0)
		return 0;
	unit = power_of_ten(factor.places);
	if (amount <= INT64_MAX)
		return amount * (decimal)factor.digits / unit;
	if (amount > most)
		amount = most;
	whole = amount / BILLION * (decimal)factor.digits;
	rest = whole % unit * BILLION + amount % BILLION * (decimal)factor.digits;
	return whole / unit * BILLION + rest / unit;
}

double decimal_value(decimal amount)
{
	return (double)amount * 1e-9;
}
