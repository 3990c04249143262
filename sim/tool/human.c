#include "sim/tool/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

char *human_count(int64_t n, char buf[HUMAN_TEXT])
{
	char digits[HUMAN_TEXT];
	int len =
		snprintf(digits, sizeof(digits), "%" PRIu64, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
	char *at = buf;

	if (n < 0)
		*at++ = '-';
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return buf;
}

char *human_share(double share, char buf[HUMAN_TEXT])
{
	if (share > 0 && share < 0.0005)
		snprintf(buf, HUMAN_TEXT, "<0.1 %%");
	else
		snprintf(buf, HUMAN_TEXT, "%.1f %%", 100 * share);
	return buf;
}

char *human_time(simtime time, char buf[HUMAN_TEXT])
{
	char text[CLOCK_TEXT];

	if (time != CLOCK_NEVER && time >= CLOCK_MINUTE)
		time = (time + CLOCK_SECOND / 2) / CLOCK_SECOND * CLOCK_SECOND;
	snprintf(buf, HUMAN_TEXT, "%s", clock_format_human(time, text));
	return buf;
}

char *human_wait(double seconds, char buf[HUMAN_TEXT])
{
	simtime time;

	if (!isfinite(seconds)) {
		snprintf(buf, HUMAN_TEXT, "never");
		return buf;
	}
	time = clock_from_double(seconds);
	if (time > 10 * CLOCK_SECOND)
		time = (time + CLOCK_SECOND / 2) / CLOCK_SECOND * CLOCK_SECOND;
	else
		time = (time + 5000) / 10000 * 10000;
	return human_time(time, buf);
}

enum human_unit human_gpu_unit(int64_t largest)
{
	return largest >= 10 * CLOCK_HOUR ? HUMAN_GPU_HOURS : HUMAN_GPU_SECONDS;
}

const char *human_gpu_unit_text(enum human_unit unit)
{
	return unit == HUMAN_GPU_HOURS ? "GPU-hours" : "GPU-seconds";
}

/* One decimal below 100 of the unit, none above. */
char *human_gpu_time(int64_t time, enum human_unit unit, char buf[HUMAN_TEXT])
{
	int64_t per = unit == HUMAN_GPU_HOURS ? CLOCK_HOUR : CLOCK_SECOND;
	int64_t tenths = time / (per / 10) + (time % (per / 10) * 2 >= per / 10 ? 1 : 0);

	if (tenths == 0 && time > 0) {
		snprintf(buf, HUMAN_TEXT, "<0.1");
		return buf;
	}
	if (tenths >= 1000 || tenths % 10 == 0)
		return human_count((tenths + 5) / 10, buf);
	snprintf(buf, HUMAN_TEXT, "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
	return buf;
}
