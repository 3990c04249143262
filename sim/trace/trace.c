#include "sim/trace/trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define CLOCK_LEN      19 /* YYYY-MM-DD HH:MM:SS */
#define MICRO_DIGITS   6
#define DAYS_OF_ERA    INT64_C(146097) /* 400 Gregorian years */
#define DAYS_TO_1970   INT64_C(719468) /* from 0000-03-01 */
#define SECONDS_OF_DAY INT64_C(86400)

/* False: it is none of the words. */
static bool pick(const char *text, const char *no, const char *yes, bool *out)
{
	*out = text != NULL && strcmp(text, yes) == 0;
	return *out || text == NULL || strcmp(text, no) == 0;
}

enum err_code trace_options_set(struct trace_options *options, const char *attempts,
				const char *unfinished, struct err *err)
{
	if (!pick(attempts, "sum", "separate", &options->separate_attempts))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--attempts %.60s: write sum or separate", attempts);
	if (!pick(unfinished, "skip", "keep", &options->keep_unfinished))
		return err_set(err, ERR_USAGE, NULL, 0, 0, "--unfinished %.60s: write skip or keep",
			       unfinished);
	return ERR_OK;
}

void trace_skip(struct trace_summary *summary, const char *reason, long line)
{
	uint32_t i = 0;

	while (i < summary->reason_count && strcmp(summary->skipped[i].reason, reason) != 0)
		i++;
	if (i == summary->reason_count) {
		assert(i < TRACE_REASONS);
		summary->skipped[i].reason = reason;
		summary->skipped[i].line = line;
		summary->reason_count++;
	}
	summary->skipped[i].count++;
}

/* States of Philly, Helios, Acme, PAI, Slurm and SWF. */
static uint16_t burned(const char *text, size_t len)
{
	static const struct {
		const char *state;
		uint16_t flag;
	} states[] = {
		{"FAILED", JOB_CRASHED},    {"NODE_FAIL", JOB_CRASHED},
		{"BOOT_FAIL", JOB_CRASHED}, {"TIMEOUT", JOB_CRASHED},
		{"DEADLINE", JOB_CRASHED},  {"OUT_OF_MEMORY", JOB_CRASHED},
		{"CANCELLED", JOB_KILLED},  {"CANCELED", JOB_KILLED},
		{"KILLED", JOB_KILLED},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strlen(states[i].state) == len && strncasecmp(states[i].state, text, len) == 0)
			return states[i].flag;
	return 0;
}

uint16_t trace_state(struct trace_summary *summary, const char *text, size_t len)
{
	uint16_t flag;
	uint32_t i = 0;

	if (len == 0) /* the cell is missing */
		return 0;
	flag = burned(text, len);
	len = len < TRACE_STATE ? len : TRACE_STATE - 1;
	while (i < summary->state_count && (strncmp(summary->states[i].name, text, len) != 0 ||
					    summary->states[i].name[len] != '\0'))
		i++;
	if (i == TRACE_STATES) /* the last one takes what comes late */
		i--;
	if (i == summary->state_count) {
		bool last = i == TRACE_STATES - 1;

		memcpy(summary->states[i].name, last ? "other" : text, last ? 5 : len);
		summary->state_count++;
	}
	summary->states[i].count++;
	return flag;
}

/* Years begin in March here, so that the leap day is the last one of a year. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2 ? 1 : 0);
	int64_t of_era = y % 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return y / 400 * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
	       DAYS_TO_1970;
}

static void civil_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t z = days + DAYS_TO_1970;
	int64_t era = z / DAYS_OF_ERA, of_era = z % DAYS_OF_ERA;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * of_year + 2) / 153;

	*day = of_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = y + era * 400 + (*month <= 2 ? 1 : 0);
}

static int64_t days_in_month(int64_t year, int64_t month)
{
	int64_t next_year = month == 12 ? year + 1 : year, next = month == 12 ? 1 : month + 1;

	return days_from_civil(next_year, next, 1) - days_from_civil(year, month, 1);
}

/* The digits of a pattern's field as a number; false if one is not a digit. */
static bool digits(const char *text, size_t len, int64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*out = *out * 10 + (text[i] - '0');
	}
	return true;
}

bool trace_read_clock(const char *text, size_t len, simtime *out)
{
	int64_t year, month, day, hour, minute, second;

	if (len != CLOCK_LEN || text[4] != '-' || text[7] != '-' || text[10] != ' ' ||
	    text[13] != ':' || text[16] != ':')
		return false;
	if (!digits(text, 4, &year) || !digits(text + 5, 2, &month) || !digits(text + 8, 2, &day) ||
	    !digits(text + 11, 2, &hour) || !digits(text + 14, 2, &minute) ||
	    !digits(text + 17, 2, &second))
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
	    hour > 23 || minute > 59 || second > 59)
		return false;
	*out = (days_from_civil(year, month, day) * SECONDS_OF_DAY + hour * 3600 + minute * 60 +
		second) *
	       CLOCK_SECOND;
	return true;
}

/* "Z", "+08:00", "-0800" in microseconds east of UTC. */
static bool read_offset(const char *text, size_t len, simtime *out)
{
	int64_t hours, minutes;

	*out = 0;
	if (len == 1 && text[0] == 'Z')
		return true;
	if ((len != 5 && len != 6) || (text[0] != '+' && text[0] != '-') ||
	    (len == 6 && text[3] != ':') || !digits(text + 1, 2, &hours) ||
	    !digits(text + len - 2, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*out = (hours * 60 + minutes) * CLOCK_MINUTE * (text[0] == '-' ? -1 : 1);
	return true;
}

bool trace_read_instant(const char *text, size_t len, simtime *out)
{
	char clock[CLOCK_LEN];
	size_t at = CLOCK_LEN;
	simtime fraction = 0, offset = 0;

	if (len < CLOCK_LEN)
		return false;
	memcpy(clock, text, CLOCK_LEN);
	if (clock[10] == 'T')
		clock[10] = ' ';
	if (!trace_read_clock(clock, CLOCK_LEN, out))
		return false;
	if (at < len && text[at] == '.') {
		simtime unit = CLOCK_SECOND;

		for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
			unit /= 10;
			fraction += (text[at] - '0') * unit;
		}
		if (text[at - 1] == '.')
			return false;
	}
	if (at < len && !read_offset(text + at, len - at, &offset))
		return false;
	*out += fraction - offset;
	return *out >= 0;
}

char *trace_format_clock(simtime t, char buf[TRACE_CLOCK])
{
	int64_t seconds = t / CLOCK_SECOND, of_day = seconds % SECONDS_OF_DAY;
	int64_t year, month, day;

	assert(t >= 0);
	civil_from_days(seconds / SECONDS_OF_DAY, &year, &month, &day);
	snprintf(buf, TRACE_CLOCK, "%04lld-%02lld-%02lld %02lld:%02lld:%02lld", (long long)year,
		 (long long)month, (long long)day, (long long)(of_day / 3600),
		 (long long)(of_day / 60 % 60), (long long)(of_day % 60));
	return buf;
}

void trace_trim(const char **text, size_t *len)
{
	while (*len > 0 && (**text == ' ' || **text == '\t')) {
		(*text)++;
		(*len)--;
	}
	while (*len > 0 && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\t'))
		(*len)--;
}

/* Digits, a point, and more decimals than microseconds have. */
static bool read_rounded(const char *text, size_t len, simtime *out)
{
	const char *point = len > 0 ? memchr(text, '.', len) : NULL;
	size_t exact = point == NULL ? len : (size_t)(point - text) + 1 + MICRO_DIGITS;

	if (exact >= len)
		return false;
	for (size_t i = exact; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	if (!clock_read_seconds(text, exact, out))
		return false;
	*out = clock_add(*out, text[exact] >= '5' ? 1 : 0);
	return *out != CLOCK_NEVER;
}

static const char *wrong_seconds(const char *text, size_t len)
{
	double seconds;

	if (!num_read_double(text, len, &seconds) || seconds < 0)
		return NULL;
	if (seconds >= (double)CLOCK_NEVER / (double)CLOCK_SECOND)
		return "is too large: the clock ends at 9223372036854 s";
	if (memchr(text, 'e', len) != NULL || memchr(text, 'E', len) != NULL)
		return "has an exponent: write all its digits, such as 90 or 99.5";
	return NULL;
}

bool trace_read_seconds(const char *text, size_t len, simtime *out, const char **why)
{
	*why = NULL;
	trace_trim(&text, &len);
	if (clock_read_seconds(text, len, out) || read_rounded(text, len, out))
		return true;
	*why = wrong_seconds(text, len);
	return false;
}

bool trace_read_count(const char *text, size_t len, uint32_t *out)
{
	const char *point = len > 0 ? memchr(text, '.', len) : NULL;
	size_t whole = point == NULL ? len : (size_t)(point - text);

	if (point != NULL && whole + 1 == len)
		return false;
	for (size_t i = whole + 1; i < len; i++)
		if (text[i] != '0')
			return false;
	return num_read_u32(text, whole, out);
}
