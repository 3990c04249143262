#include "core/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MICROS_PER_MILLI INT64_C(1000)
#define SHRUNK		 32 /* bytes that hold a duration of one digit a number */

static const char never[] = "never";

simtime clock_add(simtime a, simtime b)
{
	assert(b >= 0);
	return a > CLOCK_NEVER - b ? CLOCK_NEVER : a + b;
}

simtime clock_floor_second(simtime t)
{
	simtime rest = t % CLOCK_SECOND;

	if (t == CLOCK_NEVER)
		return t;
	if (rest < 0)
		rest = t < INT64_MIN + CLOCK_SECOND ? 0 : rest + CLOCK_SECOND;
	return t - rest;
}

/* Digits, at least one; the value saturates at INT64_MAX. Returns how many. */
static size_t read_whole(const char *text, size_t len, int64_t *out)
{
	size_t i = 0;
	int64_t v = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		v = v > (INT64_MAX - 9) / 10 ? INT64_MAX : v * 10 + (text[i] - '0');
	*out = v;
	return i;
}

/* "." and digits as millionths; false if there is no digit or more than six count. */
static bool read_fraction(const char *text, size_t len, size_t *used, int64_t *millionths)
{
	int64_t scale = 100000;
	size_t i = 1;

	*millionths = 0;
	*used = 0;
	if (len == 0 || text[0] != '.')
		return true;
	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		if (scale == 0 && text[i] != '0')
			return false;
		*millionths += scale * (text[i] - '0');
		scale /= 10;
	}
	*used = i;
	return i > 1;
}

/* "12.5" in front of text, times unit; false if malformed, too large or finer than 1 us. */
static bool read_scaled(const char *text, size_t len, size_t *used, int64_t *whole, int64_t *part)
{
	size_t fraction;

	*used = read_whole(text, len, whole);
	if (*used == 0 || !read_fraction(text + *used, len - *used, &fraction, part))
		return false;
	*used += fraction;
	return true;
}

static bool scale(int64_t whole, int64_t part, simtime unit, simtime *out)
{
	simtime below;

	/* part < 10^6 and unit <= 7 days, so the product fits. */
	below = part * unit;
	if (below % CLOCK_SECOND != 0 || whole > (CLOCK_NEVER - 1) / unit)
		return false;
	below /= CLOCK_SECOND;
	if (whole * unit >= CLOCK_NEVER - below)
		return false;
	*out = whole * unit + below;
	return true;
}

/* Digits alone, so few that nothing overflows: most times of most lists. */
static bool read_plain(const char *text, size_t len, simtime *out)
{
	int64_t v = 0;

	if (len == 0 || len > 12)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		v = v * 10 + (text[i] - '0');
	}
	*out = v * CLOCK_SECOND;
	return true;
}

bool clock_read_seconds(const char *text, size_t len, simtime *out)
{
	int64_t whole, part;
	size_t used;

	if (read_plain(text, len, out))
		return true;
	if (!read_scaled(text, len, &used, &whole, &part) || used != len)
		return false;
	return scale(whole, part, CLOCK_SECOND, out);
}

/* Largest first; a duration names each at most once and in this order. */
static const struct {
	char text[3];
	simtime unit;
} units[] = {
	{"w", 7 * CLOCK_DAY}, {"d", CLOCK_DAY},		{"h", CLOCK_HOUR}, {"m", CLOCK_MINUTE},
	{"s", CLOCK_SECOND},  {"ms", MICROS_PER_MILLI}, {"us", 1},
};

bool clock_read_duration(const char *text, size_t len, simtime *out)
{
	const size_t unit_count = sizeof(units) / sizeof(units[0]);
	size_t at = 0, next_unit = 0;
	simtime sum = 0;

	if (clock_read_seconds(text, len, out))
		return true;
	while (at < len) {
		int64_t whole, part;
		simtime piece;
		size_t used, letters = 0;

		if (!read_scaled(text + at, len - at, &used, &whole, &part))
			return false;
		at += used;
		while (at + letters < len && text[at + letters] >= 'a' && text[at + letters] <= 'z')
			letters++;
		while (next_unit < unit_count &&
		       (strlen(units[next_unit].text) != letters ||
			memcmp(units[next_unit].text, text + at, letters) != 0))
			next_unit++;
		if (next_unit == unit_count || !scale(whole, part, units[next_unit].unit, &piece))
			return false;
		next_unit++;
		at += letters;
		sum = clock_add(sum, piece);
	}
	*out = sum;
	return len > 0 && sum != CLOCK_NEVER;
}

/* Of each number the first digit alone: as the text is, but small. */
static size_t shrink(const char *text, size_t len, char out[SHRUNK])
{
	size_t kept = 0;

	for (size_t i = 0; i < len && kept < SHRUNK; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';

		if (!digit || i == 0 || text[i - 1] < '0' || text[i - 1] > '9')
			out[kept++] = text[i];
	}
	return kept;
}

const char *clock_duration_fault(const char *text, size_t len)
{
	char small[SHRUNK];
	simtime ignored;

	if (len > 1 && text[0] == '-' &&
	    clock_read_duration(small, shrink(text + 1, len - 1, small), &ignored))
		return "is negative: a time is 0 or more";
	if (clock_read_duration(small, shrink(text, len, small), &ignored))
		return memchr(text, '.', len) != NULL
			       ? "is finer than a microsecond, or beyond the clock, which ends at "
				 "9223372036854 s"
			       : "is too long: the clock ends at 9223372036854 s";
	return "is no time: write seconds, or a duration such as 90s, 15m or 1h30m";
}

simtime clock_from_double(double seconds)
{
	double micros = seconds * 1e6;

	assert(!isnan(micros));
	if (micros >= 0x1p63)
		return CLOCK_NEVER;
	if (micros <= -0x1p63)
		return -CLOCK_NEVER;
	return llround(micros);
}

/* Writes whole.part with the part's trailing zeros cut; part has digits decimals. */
static size_t put_decimal(char *buf, size_t size, uint64_t whole, uint64_t part, int digits)
{
	int n;

	if (part == 0) {
		n = snprintf(buf, size, "%llu", (unsigned long long)whole);
		return (size_t)n;
	}
	n = snprintf(buf, size, "%llu.%0*llu", (unsigned long long)whole, digits,
		     (unsigned long long)part);
	while (buf[n - 1] == '0')
		buf[--n] = '\0';
	return (size_t)n;
}

static uint64_t magnitude(simtime t)
{
	return t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
}

char *clock_format_seconds(simtime t, char buf[CLOCK_TEXT])
{
	uint64_t v = magnitude(t), second = (uint64_t)CLOCK_SECOND;
	size_t sign = t < 0 ? 1 : 0;

	if (t == CLOCK_NEVER)
		return memcpy(buf, never, sizeof(never));
	buf[0] = '-';
	put_decimal(buf + sign, CLOCK_TEXT - sign, v / second, v % second, 6);
	return buf;
}

/* Rounded half up to the smaller of the two units shown: 59 m 59.7 s is "1h". */
char *clock_format_human(simtime t, char buf[CLOCK_TEXT])
{
	static const struct {
		uint64_t below, large, small; /* microseconds */
		char names[2];
	} rows[] = {
		{CLOCK_HOUR, CLOCK_MINUTE, CLOCK_SECOND, {'m', 's'}},
		{CLOCK_DAY, CLOCK_HOUR, CLOCK_MINUTE, {'h', 'm'}},
		{UINT64_MAX, CLOCK_DAY, CLOCK_HOUR, {'d', 'h'}},
	};
	uint64_t v = magnitude(t), milli = (uint64_t)MICROS_PER_MILLI;
	uint64_t millis = (v + milli / 2) / milli, ratio;
	size_t sign = t < 0 && millis != 0 ? 1 : 0, n, i = 0;

	if (t == CLOCK_NEVER)
		return memcpy(buf, never, sizeof(never));
	buf[0] = '-';
	if (millis < 60000) {
		n = sign +
		    put_decimal(buf + sign, CLOCK_TEXT - sign, millis / 1000, millis % 1000, 3);
		buf[n] = 's';
		buf[n + 1] = '\0';
		return buf;
	}
	while ((v + rows[i].small / 2) / rows[i].small >= rows[i].below / rows[i].small)
		i++;
	v = (v + rows[i].small / 2) / rows[i].small;
	ratio = rows[i].large / rows[i].small;
	n = sign + (size_t)snprintf(buf + sign, CLOCK_TEXT - sign, "%llu%c",
				    (unsigned long long)(v / ratio), rows[i].names[0]);
	if (v % ratio > 0)
		snprintf(buf + n, CLOCK_TEXT - n, " %llu%c", (unsigned long long)(v % ratio),
			 rows[i].names[1]);
	return buf;
}
