#include "core/money.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/res.h"

__extension__ typedef __int128 wide;

static money narrow(wide value)
{
	if (value > INT64_MAX)
		return INT64_MAX;
	return value < INT64_MIN ? INT64_MIN : (money)value;
}

void money_add(struct money_sum *sum, int64_t price, simtime time)
{
	wide product = (wide)price * time + sum->rest;

	sum->whole = res_add(sum->whole, narrow(product / CLOCK_HOUR));
	sum->rest = (int64_t)(product % CLOCK_HOUR);
}

money money_of(int64_t price, simtime time)
{
	return narrow((wide)price * time / CLOCK_HOUR);
}

int64_t money_part(int64_t amount, int64_t part, int64_t whole)
{
	wide product = (wide)amount * part;

	if (whole == 0)
		return 0;
	return narrow((product + (product < 0 ? -(wide)whole : (wide)whole) / 2) / whole);
}

money money_sum_part(const struct money_sum *sum, int64_t part, int64_t whole)
{
	wide product = (wide)sum->whole * part, unit = (wide)whole * CLOCK_HOUR;
	wide rest = product % whole * CLOCK_HOUR + (wide)sum->rest * part;

	return narrow(product / whole + (rest + unit / 2) / unit);
}

char *money_format(money amount, char buf[MONEY_TEXT])
{
	const int64_t cent = MONEY_USD / 100;
	uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
	uint64_t cents = size / (uint64_t)cent + (size % (uint64_t)cent * 2 >= (uint64_t)cent);
	char digits[MONEY_TEXT];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, cents / 100);
	char *at = buf;

	if (amount < 0 && cents > 0)
		*at++ = '-';
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	snprintf(at, MONEY_TEXT - (size_t)(at - buf), ".%02" PRIu64, cents % 100);
	return buf;
}

char *money_format_exact(money amount, char buf[MONEY_TEXT])
{
	uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;

	snprintf(buf, MONEY_TEXT, "%s%" PRIu64 ".%06" PRIu64, amount < 0 ? "-" : "",
		 size / MONEY_USD, size % MONEY_USD);
	return buf;
}
