#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/setting_look.h"

#define FULL 1000 /* per mille */

/* value * 1000 / milli or, inverse, value * milli / 1000, cut off; as far as times go. */
static simtime scale_time(simtime value, int64_t milli, bool inverse)
{
	int64_t by = inverse ? SETTING_MILLI : milli, times = inverse ? milli : SETTING_MILLI;
	int64_t whole = value / by, rest = value % by * times / by;

	return whole > (CLOCK_NEVER - 1 - rest) / times ? CLOCK_NEVER - 1 : whole * times + rest;
}

static simtime longer(simtime a, simtime b)
{
	return a > b ? a : b;
}

bool setting_names_job(const struct setting *s, const struct job *job)
{
	const struct name_table *strings = s->builder->strings;
	char text[2 * SETTING_PIECE];

	if (strcmp(s->name, "all") == 0)
		return true;
	if (strpbrk(s->name, "/*?[") == NULL)
		return strcmp(name_text(strings, job->common->ns), s->name) == 0;
	snprintf(text, sizeof(text), "%s/%s", name_text(strings, job->common->ns),
		 job->name == NAME_NONE ? "" : name_text(strings, job->name));
	return fnmatch(s->name, text, 0) == 0;
}

/* Jobs come so many times as fast. */
static void change_load(struct builder *b, struct job *job, int64_t milli)
{
	(void)b;
	job->submit = scale_time(job->submit, milli, false);
}

/* They take so many times as long. */
static void change_duration(struct builder *b, struct job *job, int64_t milli)
{
	(void)b;
	if (job->duration > 0 && job->duration != JOB_ENDLESS)
		job->duration = longer(scale_time(job->duration, milli, true), 1);
}

static void change_utilisation(struct builder *b, struct job *job, int64_t milli)
{
	(void)b;
	job->utilisation = (uint16_t)(milli / (100 * SETTING_MILLI / FULL));
}

static void change_priority(struct builder *b, struct job *job, int64_t milli)
{
	struct job_common common = *job->common;

	common.priority = common.pod_priority = (int32_t)(milli / SETTING_MILLI);
	common.priority_class = NAME_NONE;
	common.flags |= JOB_PRIORITY_GIVEN;
	job->common = draft_common(b, &common);
}

/* A job that keeps its GPUs busy for part of its time does so at its beginning, and is
 * stopped when they were idle for so long. */
static void change_idle(struct builder *b, struct job *job, int64_t milli)
{
	simtime timeout = milli * (CLOCK_SECOND / SETTING_MILLI), used, stop;

	(void)b;
	if (job->duration == JOB_ENDLESS || job->utilisation >= FULL)
		return;
	used = job->duration / FULL * job->utilisation +
	       job->duration % FULL * job->utilisation / FULL;
	stop = longer(clock_add(used, timeout), 1);
	if (stop >= job->duration)
		return;
	job->duration = stop;
	job->utilisation = (uint16_t)(used / longer(stop / FULL, 1));
}

static const struct job_field {
	const char *name, *what; /* of a value */
	int64_t least, most;	 /* in thousandths */
	void (*change)(struct builder *b, struct job *job, int64_t milli);
	bool time; /* a duration; else a number */
} job_fields[] = {
	{"load", "a factor from 0.001 to 1000", 1, SETTING_MILLI *SETTING_MILLI, change_load,
	 false},
	{"duration", "a factor from 0.001 to 1000", 1, SETTING_MILLI *SETTING_MILLI,
	 change_duration, false},
	{"gpuUtilisation", "per cent, from 0 to 100", 0, 100 * SETTING_MILLI, change_utilisation,
	 false},
	{"priority", "a priority from 0 to 1000000", 0,
	 (int64_t)SETTING_MILLI *SETTING_MILLI *SETTING_MILLI, change_priority, false},
	{"idleTimeout", "a time such as 30m", 0, INT64_MAX / SETTING_MILLI, change_idle, true},
};

static const struct job_field *find_job_field(const struct setting *s)
{
	for (size_t i = 0; i < sizeof(job_fields) / sizeof(job_fields[0]); i++)
		if (s->resource[0] == '\0' && strcmp(job_fields[i].name, s->field) == 0)
			return &job_fields[i];
	return NULL;
}

static enum err_code read_job_value(struct setting *s, const struct job_field *field,
				    int64_t *milli)
{
	simtime time;
	bool read;

	if (field->time) {
		read = clock_read_duration(s->value, strlen(s->value), &time);
		*milli = read ? time / (CLOCK_SECOND / SETTING_MILLI) : 0;
	} else {
		read = num_read_quantity(s->value, strlen(s->value), true, milli) == NUM_OK;
	}
	if (!read || *milli < field->least || *milli > field->most)
		return setting_fail(s, ERR_VALUE, "\"%.60s\" is not %s", s->value, field->what);
	return ERR_OK;
}

/* What the trace recorded of their starts holds no more. */
enum err_code setting_jobs(struct setting *s)
{
	const struct job_field *field = find_job_field(s);
	struct builder *b = s->builder;
	uint32_t changed = 0;
	int64_t milli;

	if (s->resource[0] == '\0' && strcmp(s->field, "mig") == 0)
		return setting_mig_jobs(s);
	if (field == NULL)
		return setting_no_field(
			s, "load, duration, gpuUtilisation, priority, idleTimeout, mig");
	if (read_job_value(s, field, &milli) != ERR_OK)
		return s->err->code;
	for (uint32_t i = 0; i < b->job_count; i++) {
		if (!setting_names_job(s, &b->jobs[i]))
			continue;
		changed++;
		field->change(b, &b->jobs[i], milli);
		if (i < b->job_start_count)
			b->job_starts[i] = CLOCK_NEVER;
	}
	if (changed == 0 && strpbrk(s->name, "/*?[") != NULL)
		return setting_fail(s, ERR_UNKNOWN, "no job is called \"%.100s\" (NAMESPACE/NAME)",
				    s->name);
	if (changed == 0 && strcmp(s->name, "all") != 0)
		return setting_fail(s, ERR_UNKNOWN, "no job is in the namespace \"%.100s\"",
				    s->name);
	return ERR_OK;
}
