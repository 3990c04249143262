#include "sim/tool/cron.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/num.h"

#define MINUTE	   60
#define HOUR	   (60 * MINUTE)
#define DAY	   (24 * HOUR)
#define MOST_DAYS  (5 * 366)
#define MOST_HOURS 14 /* west or east of UTC */
#define EPOCH_DAY  4  /* 1 January 1970 was a Thursday */

struct bounds {
	const char *name;
	uint32_t least, most;
	const char *const *words; /* of least, least + 1, ...; NULL */
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
				     "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static const struct bounds fields[] = {
	{"minute", 0, 59, NULL},  {"hour", 0, 23, NULL},	   {"day of month", 1, 31, NULL},
	{"month", 1, 12, months}, {"day of week", 0, 6, weekdays},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* ---- one field ---- */

static bool same_word(const char *text, size_t len, const char *word)
{
	if (len != strlen(word))
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];

		if (c != word[i])
			return false;
	}
	return true;
}

static bool read_value(const char *text, size_t len, const struct bounds *b, uint32_t *out)
{
	for (uint32_t v = b->least; b->words != NULL && v <= b->most; v++) {
		if (same_word(text, len, b->words[v - b->least])) {
			*out = v;
			return true;
		}
	}
	return num_read_u32(text, len, out) && *out >= b->least && *out <= b->most;
}

/* "*", "5", "1-5", each with "/2"; "5/2" goes on to the end. */
static bool read_range(const char *text, size_t len, const struct bounds *b, uint64_t *bits,
		       bool *any)
{
	const char *slash = memchr(text, '/', len), *dash;
	size_t head = slash != NULL ? (size_t)(slash - text) : len;
	uint32_t first = b->least, last = b->most, step = 1;
	bool star = head == 1 && (*text == '*' || *text == '?');

	if (slash != NULL && (!num_read_u32(slash + 1, len - head - 1, &step) || step == 0))
		return false;
	dash = memchr(text, '-', head);
	if (!star) {
		size_t before = dash != NULL ? (size_t)(dash - text) : head;

		if (!read_value(text, before, b, &first))
			return false;
		if (dash != NULL && !read_value(dash + 1, head - before - 1, b, &last))
			return false;
		if (dash == NULL && slash == NULL)
			last = first;
	}
	if (last < first)
		return false;
	*any = *any || (star && step == 1);
	for (uint64_t v = first; v <= last; v += step)
		*bits |= UINT64_C(1) << v;
	return true;
}

static bool read_field(const char *text, size_t len, const struct bounds *b, uint64_t *bits,
		       bool *any)
{
	*bits = 0;
	*any = false;
	for (;;) {
		const char *comma = memchr(text, ',', len);
		size_t item = comma != NULL ? (size_t)(comma - text) : len;

		if (!read_range(text, item, b, bits, any))
			return false;
		if (comma == NULL)
			return true;
		text = comma + 1;
		len -= item + 1;
	}
}

/* ---- the whole ---- */

static bool read_fields(const char *text, size_t len, struct cron *out, char why[CRON_WHY])
{
	uint64_t bits[FIELDS];
	bool any[FIELDS];
	size_t at = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		size_t end;

		while (at < len && text[at] == ' ')
			at++;
		for (end = at; end < len && text[end] != ' ';)
			end++;
		if (end == at) {
			snprintf(why, CRON_WHY, "it has %zu fields, not 5", i);
			return false;
		}
		if (!read_field(text + at, end - at, &fields[i], &bits[i], &any[i])) {
			snprintf(why, CRON_WHY, "\"%.*s\" is no %s (%u to %u)",
				 end - at > 40 ? 40 : (int)(end - at), text + at, fields[i].name,
				 fields[i].least, fields[i].most);
			return false;
		}
		at = end;
	}
	while (at < len && text[at] == ' ')
		at++;
	if (at < len) {
		snprintf(why, CRON_WHY, "it has more than 5 fields");
		return false;
	}
	*out = (struct cron){.minutes = bits[0],
			     .hours = (uint32_t)bits[1],
			     .days = (uint32_t)bits[2],
			     .months = (uint32_t)bits[3],
			     .weekdays = (uint32_t)bits[4],
			     .any_day = any[2],
			     .any_weekday = any[4]};
	return true;
}

static bool read_every(const char *text, size_t len, struct cron *out, char why[CRON_WHY])
{
	simtime every;

	while (len > 0 && *text == ' ') {
		text++;
		len--;
	}
	if (!clock_read_duration(text, len, &every) || every < CLOCK_SECOND) {
		snprintf(why, CRON_WHY, "@every wants a duration of 1s or more, such as 90m");
		return false;
	}
	*out = (struct cron){.every = every / CLOCK_SECOND};
	return true;
}

bool cron_read(const char *text, size_t len, struct cron *out, char why[CRON_WHY])
{
	static const struct {
		const char *word, *fields;
	} words[] = {
		{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
		{"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
		{"@hourly", "0 * * * *"},
	};

	if (len == 0 || text[0] != '@')
		return read_fields(text, len, out, why);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (len == strlen(words[i].word) && memcmp(text, words[i].word, len) == 0)
			return read_fields(words[i].fields, strlen(words[i].fields), out, why);
	}
	if (len > 7 && memcmp(text, "@every ", 7) == 0)
		return read_every(text + 7, len - 7, out, why);
	snprintf(why, CRON_WHY, "\"%.*s\" is no word of it", len > 40 ? 40 : (int)len, text);
	return false;
}

bool cron_read_zone(const char *text, size_t len, int64_t *offset)
{
	static const char *const plain[] = {"UTC", "Etc/UTC", "GMT", "Etc/GMT"};
	uint32_t hours;

	*offset = 0;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (len == strlen(plain[i]) && memcmp(text, plain[i], len) == 0)
			return true;
	}
	if (len < 9 || memcmp(text, "Etc/GMT", 7) != 0 || (text[7] != '+' && text[7] != '-') ||
	    !num_read_u32(text + 8, len - 8, &hours) || hours > MOST_HOURS)
		return false;
	*offset = text[7] == '+' ? -(int64_t)hours * HOUR : (int64_t)hours * HOUR;
	return true;
}

/* ---- when ---- */

struct date {
	uint32_t month, day;
};

/* Of days since 1970 (Howard Hinnant's civil_from_days: years of March to February). */
static struct date date_of(int64_t days)
{
	int64_t z = days + 719468, era = z / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	return (struct date){.month = (uint32_t)(mp < 10 ? mp + 3 : mp - 9),
			     .day = (uint32_t)(doy - (153 * mp + 2) / 5 + 1)};
}

static bool is_due_on(const struct cron *c, int64_t days)
{
	struct date date = date_of(days);
	bool day = (c->days >> date.day & 1) != 0;
	bool weekday = (c->weekdays >> (days + EPOCH_DAY) % 7 & 1) != 0;

	if ((c->months >> date.month & 1) == 0)
		return false;
	return c->any_day || c->any_weekday ? day && weekday : day || weekday;
}

/* The first minute of that day from this one on; -1: none. */
static int64_t minute_of_day(const struct cron *c, int64_t from)
{
	for (int64_t m = from; m < DAY / MINUTE; m++) {
		if ((c->hours >> m / 60 & 1) == 0)
			m += 59 - m % 60; /* on to the next hour */
		else if ((c->minutes >> m % 60 & 1) != 0)
			return m;
	}
	return -1;
}

int64_t cron_next(const struct cron *c, int64_t after)
{
	int64_t from = after + c->offset, day = from / DAY;
	int64_t minute = from % DAY / MINUTE + 1;

	if (c->every != 0)
		return after + c->every;
	for (int64_t last = day + MOST_DAYS; day < last; day++, minute = 0) {
		int64_t found = is_due_on(c, day) ? minute_of_day(c, minute) : -1;

		if (found >= 0)
			return day * DAY + found * MINUTE - c->offset;
	}
	return INT64_MAX;
}
