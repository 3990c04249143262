/* fuzz_num.c - any bytes as a number: nothing crashes; what is read as a quantity is
 * consistent with itself in thousandths and survives being printed and read again. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/clock.h"
#include "core/num.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printed(int64_t amount, enum num_style style)
{
	char buf[NUM_QUANTITY_TEXT];
	int64_t back = 0;

	if (amount < 0 || amount == INT64_MAX)
		return;
	num_format_quantity(amount, style, buf);
	assert(num_read_quantity(buf, strlen(buf), style == NUM_MILLI, &back) == NUM_OK);
	assert(back == amount);
}

static void check_quantity(const char *text, size_t size)
{
	int64_t whole = 0, milli = 0;
	enum num_result result = num_read_quantity(text, size, false, &whole);

	assert(num_read_quantity(text, size, true, &milli) == result);
	if (result == NUM_MALFORMED)
		return;
	assert((result == NUM_NEGATIVE) == (whole < 0) && (milli < 0) == (whole < 0));
	if (milli >= 0 && milli < INT64_MAX)
		assert(whole == milli / 1000 + (milli % 1000 != 0));
	for (int style = NUM_MILLI; style <= NUM_DECIMAL; style++)
		check_printed(whole, (enum num_style)style);
}

static void check_times(const char *text, size_t size)
{
	char buf[CLOCK_TEXT];
	simtime t = 0, again = 0;

	if (clock_read_duration(text, size, &t)) {
		assert(t >= 0 && t < CLOCK_NEVER);
		clock_format_human(t, buf);
		clock_format_seconds(t, buf);
		assert(clock_read_seconds(buf, strlen(buf), &again) && again == t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	int64_t whole;
	uint32_t small;
	double real = 0;

	check_quantity(text, size);
	check_times(text, size);
	if (num_read_u32(text, size, &small))
		assert(num_read_i64(text, size, &whole) && whole == small);
	if (num_read_i64(text, size, &whole))
		assert(num_read_double(text, size, &real) || size > 200);
	return 0;
}
