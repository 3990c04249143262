#include "sim/report/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct exact *exact_figures(void)
{
#define FIGURE(key, unit, type, field)                                                             \
	{                                                                                          \
		key, unit, type, offsetof(struct metrics, field)                                   \
	}
	static const struct exact rows[] = {
		FIGURE("jobs", "jobs", EXACT_COUNT, jobs),
		FIGURE("jobs_finished", "jobs", EXACT_COUNT, finished),
		FIGURE("jobs_never_started", "jobs", EXACT_COUNT, never_started),
		FIGURE("jobs_that_could_never_fit", "jobs", EXACT_COUNT, never_fit),
		FIGURE("jobs_failed", "jobs", EXACT_COUNT, failed),
		FIGURE("jobs_cancelled", "jobs", EXACT_COUNT, cancelled),
		FIGURE("capacity", "GPU-seconds", EXACT_TIME, capacity),
		FIGURE("allocated", "GPU-seconds", EXACT_TIME, bound),
		FIGURE("running", "GPU-seconds", EXACT_TIME, running),
		FIGURE("idle_while_held", "GPU-seconds", EXACT_TIME, idle),
		FIGURE("free", "GPU-seconds", EXACT_TIME, free),
		FIGURE("stranded", "GPU-seconds", EXACT_TIME, stranded),
		FIGURE("useful", "GPU-seconds", EXACT_TIME, useful),
		FIGURE("lost", "GPU-seconds", EXACT_TIME, lost),
		FIGURE("unfinished", "GPU-seconds", EXACT_TIME, unfinished),
		FIGURE("deadlocked", "GPU-seconds", EXACT_TIME, deadlock_held),
		FIGURE("allocation", "share", EXACT_DOUBLE, allocation),
		FIGURE("utilisation", "share", EXACT_DOUBLE, utilisation),
		FIGURE("start_wait_p50", "seconds", EXACT_DOUBLE, wait.p50),
		FIGURE("start_wait_p95", "seconds", EXACT_DOUBLE, wait.p95),
		FIGURE("start_wait_p99", "seconds", EXACT_DOUBLE, wait.p99),
		FIGURE("start_wait_mean", "seconds", EXACT_DOUBLE, wait.mean),
		FIGURE("start_wait_by_gpus_p50", "seconds", EXACT_DOUBLE, wait_weighted[0]),
		FIGURE("start_wait_by_gpus_p95", "seconds", EXACT_DOUBLE, wait_weighted[1]),
		FIGURE("queueing_mean", "seconds", EXACT_DOUBLE, queueing_mean),
		FIGURE("makespan", "seconds", EXACT_TIME, makespan),
		FIGURE("preemptions", "jobs", EXACT_COUNT, preemptions),
		FIGURE("preempted_pods", "pods", EXACT_COUNT, preempted_pods),
		FIGURE("evictions", "jobs", EXACT_COUNT, evictions),
		FIGURE("starved", "jobs", EXACT_COUNT, starved.jobs),
		FIGURE("starved_longest_wait", "seconds", EXACT_TIME, starved.longest_wait),
		{NULL, NULL, EXACT_COUNT, 0},
	};
#undef FIGURE

	return rows;
}

const struct exact *exact_team_figures(void)
{
#define FIGURE(key, unit, type, field)                                                             \
	{                                                                                          \
		key, unit, type, offsetof(struct metrics_team, field)                              \
	}
	static const struct exact rows[] = {
		FIGURE("peak_used", "GPUs", EXACT_AMOUNT, peak_used),
		FIGURE("peak_borrowed", "GPUs", EXACT_AMOUNT, peak_borrowed),
		FIGURE("peak_lent", "GPUs", EXACT_AMOUNT, peak_lent),
		FIGURE("used", "GPU-seconds", EXACT_TIME, used),
		FIGURE("borrowed", "GPU-seconds", EXACT_TIME, borrowed),
		FIGURE("lent", "GPU-seconds", EXACT_TIME, lent),
		{NULL, NULL, EXACT_COUNT, 0},
	};
#undef FIGURE

	return rows;
}

const struct exact *exact_cost_figures(void)
{
#define FIGURE(key, field)                                                                         \
	{                                                                                          \
		key, "USD", EXACT_MONEY, offsetof(struct cost, field)                              \
	}
	static const struct exact rows[] = {
		FIGURE("cost_capacity", gpus),
		FIGURE("cost_allocated", bound),
		FIGURE("cost_running", running),
		FIGURE("cost_idle_while_held", idle),
		FIGURE("cost_free", free),
		FIGURE("cost_stranded", stranded),
		FIGURE("cost_lost", lost),
		FIGURE("cost_per_useful_gpu_hour", per_useful_hour),
		{NULL, NULL, EXACT_COUNT, 0},
	};
#undef FIGURE

	return rows;
}

const struct exact *exact_cost_team_figures(void)
{
	static const struct exact rows[] = {
		{"cost_used", "USD", EXACT_MONEY, offsetof(struct cost_team, used)},
		{"cost_borrowed", "USD", EXACT_MONEY, offsetof(struct cost_team, borrowed)},
		{NULL, NULL, EXACT_COUNT, 0},
	};

	return rows;
}

const struct exact *exact_namespace_figures(void)
{
	static const struct exact rows[] = {
		{"held", "GPU-seconds", EXACT_TIME, offsetof(struct exact_namespace, held)},
		{"utilisation", "share", EXACT_DOUBLE, offsetof(struct exact_namespace, average)},
		{"utilisation_p95", "share", EXACT_DOUBLE, offsetof(struct exact_namespace, p95)},
		{NULL, NULL, EXACT_COUNT, 0},
	};

	return rows;
}

const char *exact_text(const struct exact *figure, const void *record, char buf[EXACT_TEXT])
{
	const char *at = (const char *)record + figure->offset;
	char text[CLOCK_TEXT];
	uint32_t count;
	int64_t time;
	double number;

	switch (figure->type) {
	case EXACT_COUNT:
		memcpy(&count, at, sizeof(count));
		snprintf(buf, EXACT_TEXT, "%" PRIu32, count);
		break;
	case EXACT_AMOUNT:
		memcpy(&time, at, sizeof(time));
		snprintf(buf, EXACT_TEXT, "%" PRId64, time);
		break;
	case EXACT_TIME:
		memcpy(&time, at, sizeof(time));
		snprintf(buf, EXACT_TEXT, "%s",
			 time == CLOCK_NEVER ? "never" : clock_format_seconds(time, text));
		break;
	case EXACT_MONEY:
		memcpy(&time, at, sizeof(time));
		money_format_exact(time, buf);
		break;
	case EXACT_DOUBLE:
		memcpy(&number, at, sizeof(number));
		if (isfinite(number))
			snprintf(buf, EXACT_TEXT, "%.10g", number);
		else
			snprintf(buf, EXACT_TEXT, "never");
		break;
	}
	return buf;
}

const char *exact_team_key(const struct exact *figure, const struct metrics_team *team,
			   char buf[EXACT_KEY])
{
	snprintf(buf, EXACT_KEY, "team:%s:%s", team->name, figure->key);
	return buf;
}

uint32_t exact_reason_count(const struct metrics *m, const char *reason)
{
	for (uint32_t i = 0; i < m->reason_count; i++) {
		if (strcmp(m->reasons[i].reason, reason) == 0)
			return m->reasons[i].count;
	}
	return 0;
}

const char *exact_namespace_text(const struct exact *figure, const struct metrics *m, uint32_t n,
				 char buf[EXACT_TEXT])
{
	const struct busy_group *group = &m->busy->groups[n];
	const struct exact_namespace record = {
		.held = group->held, .average = busy_share(group), .p95 = busy_p95(group)};

	return exact_text(figure, &record, buf);
}

const char *exact_namespace_key(const struct exact *figure, const struct metrics *m, uint32_t n,
				char buf[EXACT_KEY])
{
	snprintf(buf, EXACT_KEY, "namespace:%s:%s",
		 scenario_string(m->journal->scenario, m->namespaces[n]), figure->key);
	return buf;
}

void exact_each(const struct metrics *m, exact_put *put, void *context)
{
	char text[EXACT_TEXT], key[EXACT_KEY];

	for (const struct exact *f = exact_figures(); f->key != NULL; f++)
		put(context, f->key, f->unit, exact_text(f, m, text));
	for (const struct exact *f = exact_cost_figures(); m->cost != NULL && f->key != NULL; f++)
		put(context, f->key, f->unit, exact_text(f, m->cost, text));
	for (uint32_t t = 0; t < m->team_count; t++) {
		if (m->teams[t].superseded)
			continue;
		for (const struct exact *f = exact_team_figures(); f->key != NULL; f++)
			put(context, exact_team_key(f, &m->teams[t], key), f->unit,
			    exact_text(f, &m->teams[t], text));
		for (const struct exact *f = exact_cost_team_figures();
		     m->cost != NULL && f->key != NULL; f++)
			put(context, exact_team_key(f, &m->teams[t], key), f->unit,
			    exact_text(f, &m->cost->teams[t], text));
	}
	for (uint32_t n = 0; m->busy != NULL && n < m->busy->count; n++)
		for (const struct exact *f = exact_namespace_figures(); f->key != NULL; f++)
			put(context, exact_namespace_key(f, m, n, key), f->unit,
			    exact_namespace_text(f, m, n, text));
}
