/* cron.h - a CronJob's schedule: when it is due.
 *
 * The five fields as Kubernetes reads them (github.com/robfig/cron v3, ParseStandard):
 * minute, hour, day of month, month, day of week (0 is Sunday, 7 is none); "*" and "?",
 * ranges, lists, steps, names of months and days; "@hourly" and its kin, "@every 90m".
 * A day counts if both its fields say so, or one of them where neither is "*".
 */
#ifndef SIM_CRON_H
#define SIM_CRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cron {
	uint64_t minutes; /* bit n: in minute n */
	uint32_t hours, days, months, weekdays;
	bool any_day, any_weekday; /* "*" */
	int64_t every;		   /* seconds; 0: by the fields */
	int64_t offset;		   /* seconds east of UTC in which the fields are meant */
};

#define CRON_WHY 120

/* False: why says what is wrong with it. */
bool cron_read(const char *text, size_t len, struct cron *out, char why[CRON_WHY]);
/* A time zone without rules: "UTC", "Etc/UTC", "Etc/GMT", "GMT", "Etc/GMT+5" (which is
 * west). False: it is another one. */
bool cron_read_zone(const char *text, size_t len, int64_t *offset);

/* The first time it is due after this one, in seconds since 1970; INT64_MAX: not within
 * five years. */
int64_t cron_next(const struct cron *cron, int64_t after);

#endif
