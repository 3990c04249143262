#include "core/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX     200 /* of a quantity; nobody writes more */
#define CARRY_ROOM     24  /* digits that 2^60 and thousandths add in front */
#define EXPONENT_LIMIT 100000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Sign, then digits; false if anything else is in the text or it exceeds the limit. */
static bool read_magnitude(const char *text, size_t len, uint64_t limit, uint64_t *out)
{
	uint64_t v = 0;

	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (!is_digit(text[i]) || v > (limit - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

bool num_read_i64(const char *text, size_t len, int64_t *out)
{
	bool negative = len > 0 && text[0] == '-';
	size_t sign = negative || (len > 0 && text[0] == '+') ? 1 : 0;
	uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	uint64_t v;

	if (!read_magnitude(text + sign, len - sign, limit, &v))
		return false;
	if (negative)
		*out = v > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)v;
	else
		*out = (int64_t)v;
	return true;
}

bool num_read_u32(const char *text, size_t len, uint32_t *out)
{
	uint64_t v;

	if (!read_magnitude(text, len, UINT32_MAX, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

/* A sign and digits with at most one point among them, at least one digit. */
struct decimal {
	bool negative;
	const char *digits; /* from the first digit or point */
	size_t len;	    /* of them, the point included */
	size_t whole;	    /* digits before the point */
	size_t fraction;    /* digits behind it */
	size_t used;	    /* of the text, the sign included */
};

static bool read_decimal(const char *text, size_t len, struct decimal *d)
{
	size_t i = 0;

	*d = (struct decimal){.negative = len > 0 && text[0] == '-'};
	if (d->negative || (len > 0 && text[0] == '+'))
		i++;
	d->digits = text + i;
	for (; i < len && is_digit(text[i]); i++)
		d->whole++;
	if (i < len && text[i] == '.')
		for (i++; i < len && is_digit(text[i]); i++)
			d->fraction++;
	d->used = i;
	d->len = (size_t)(text + i - d->digits);
	return d->whole + d->fraction > 0;
}

/* "e3", "E-3"; a value beyond all use is cut to one that still is. */
static bool read_exponent(const char *text, size_t len, int32_t *out)
{
	bool negative;
	int32_t v = 0;
	size_t i = 1;

	if (len < 2 || (text[0] != 'e' && text[0] != 'E'))
		return false;
	negative = text[i] == '-';
	if (negative || text[i] == '+')
		i++;
	if (i == len)
		return false;
	for (; i < len; i++) {
		if (!is_digit(text[i]))
			return false;
		v = v * 10 + (text[i] - '0');
		if (v > EXPONENT_LIMIT)
			v = EXPONENT_LIMIT;
	}
	*out = negative ? -v : v;
	return true;
}

/* The text goes to strtod as integer and exponent: no decimal point, no locale. */
bool num_read_double(const char *text, size_t len, double *out)
{
	char plain[DIGITS_MAX + 32];
	struct decimal d;
	int32_t exponent = 0;
	size_t n = 0;

	if (!read_decimal(text, len, &d) || d.len > DIGITS_MAX)
		return false;
	if (d.used < len && !read_exponent(text + d.used, len - d.used, &exponent))
		return false;
	if (d.negative)
		plain[n++] = '-';
	for (size_t i = 0; i < d.len; i++)
		if (d.digits[i] != '.')
			plain[n++] = d.digits[i];
	snprintf(plain + n, sizeof(plain) - n, "e%ld", (long)exponent - (long)d.fraction);
	*out = strtod(plain, NULL);
	return *out - *out == 0; /* finite */
}

/* Powers of ten and of two of each suffix, as resource.Quantity has them. */
static const struct {
	char text[3];
	int32_t ten, two;
} suffixes[] = {
	{"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
	{"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
	{"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

static bool read_suffix(const char *text, size_t len, int32_t *ten, int32_t *two)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (strlen(suffixes[i].text) == len && memcmp(suffixes[i].text, text, len) == 0) {
			*ten = suffixes[i].ten;
			*two = suffixes[i].two;
			return true;
		}
	}
	*two = 0;
	return read_exponent(text, len, ten);
}

/* A number as decimal digits, right-aligned so that products can grow to the left. */
struct digits {
	uint8_t digit[CARRY_ROOM + DIGITS_MAX];
	size_t first;
};

/* Multiplies by 1024: exact, digit by digit. */
static void times_1024(struct digits *d, size_t end)
{
	uint32_t carry = 0;

	for (size_t i = end; i > d->first; i--) {
		uint32_t v = d->digit[i - 1] * UINT32_C(1024) + carry;

		d->digit[i - 1] = (uint8_t)(v % 10);
		carry = v / 10;
	}
	for (; carry > 0; carry /= 10)
		d->digit[--d->first] = (uint8_t)(carry % 10);
}

/* The digits left of the point, rounded up if any right of it is not zero. */
static int64_t round_up(const struct digits *d, size_t end, int64_t point)
{
	int64_t v = 0;
	int64_t at = 0;

	for (size_t i = d->first; i < end; i++, at++) {
		if (at >= point && d->digit[i] != 0)
			return v < INT64_MAX ? v + 1 : v;
		if (at >= point)
			continue;
		if (v > (INT64_MAX - d->digit[i]) / 10)
			return INT64_MAX;
		v = v * 10 + d->digit[i];
	}
	for (; v != 0 && at < point; at++) {
		if (v > INT64_MAX / 10)
			return INT64_MAX;
		v *= 10;
	}
	return v;
}

enum num_result num_read_quantity(const char *text, size_t len, bool milli, int64_t *out)
{
	struct digits d = {.first = CARRY_ROOM};
	struct decimal in;
	size_t end = CARRY_ROOM;
	int32_t ten, two;
	int64_t v;

	if (!read_decimal(text, len, &in) || in.len > DIGITS_MAX)
		return NUM_MALFORMED;
	if (!read_suffix(text + in.used, len - in.used, &ten, &two))
		return NUM_MALFORMED;
	for (size_t i = 0; i < in.len; i++)
		if (in.digits[i] != '.')
			d.digit[end++] = (uint8_t)(in.digits[i] - '0');
	for (; two > 0; two -= 10)
		times_1024(&d, end);
	/* The point counts from the first digit, which the products moved to the left. */
	v = round_up(&d, end, (int64_t)(in.whole + CARRY_ROOM - d.first) + ten + (milli ? 3 : 0));
	*out = in.negative ? -v : v;
	return *out < 0 ? NUM_NEGATIVE : NUM_OK;
}

/* Cuts factors of base, at most limit times; returns how many. */
static unsigned cut_factors(uint64_t *v, uint64_t base, unsigned limit)
{
	unsigned n = 0;

	while (n < limit && *v != 0 && *v % base == 0) {
		*v /= base;
		n++;
	}
	return n;
}

/* As Quantity.String: the largest suffix that leaves an integer. Binary style
 * below 1024 is decimal style there too (1000 bytes print as "1k"). */
char *num_format_quantity(int64_t amount, enum num_style style, char buf[NUM_QUANTITY_TEXT])
{
	static const char unlimited[] = "<unlimited>";
	static const char *const milli[] = {"m", "", "k", "M", "G", "T", "P"};
	static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
	static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
	uint64_t v = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
	const char *suffix;

	if (amount == INT64_MAX)
		return memcpy(buf, unlimited, sizeof(unlimited));
	if (v == 0)
		suffix = "";
	else if (style == NUM_BINARY && v >= 1024)
		suffix = binary[cut_factors(&v, 1024, 6)];
	else if (style == NUM_MILLI)
		suffix = milli[cut_factors(&v, 1000, 6)];
	else
		suffix = decimal[cut_factors(&v, 1000, 6)];
	snprintf(buf, NUM_QUANTITY_TEXT, "%s%llu%s", amount < 0 ? "-" : "", (unsigned long long)v,
		 suffix);
	return buf;
}

char *num_format_double(double value, char buf[NUM_DOUBLE_TEXT])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, NUM_DOUBLE_TEXT, "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	return buf;
}
