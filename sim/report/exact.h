/* exact.h - the figures of a run as exact numbers under names that stay: what `-o csv`, the
 * end of `-o wide` and the database of a sweep have.
 */
#ifndef SIM_EXACT_H
#define SIM_EXACT_H

#include "sim/report/metrics.h"

#define EXACT_TEXT 64
#define EXACT_KEY  512

enum exact_type {
	EXACT_COUNT,  /* uint32_t */
	EXACT_AMOUNT, /* int64_t */
	EXACT_MONEY,  /* money, in USD */
	EXACT_TIME,   /* simtime, in seconds; GPU-microseconds, in GPU-seconds */
	EXACT_DOUBLE,
};

struct exact {
	const char *key, *unit;
	enum exact_type type;
	size_t offset; /* in struct metrics, metrics_team, cost, cost_team or exact_namespace */
};

/* Rows ended by a NULL key. */
const struct exact *exact_figures(void);
const struct exact *exact_team_figures(void);

/* The same of what it cost, where nodes have prices (metrics.cost). */
const struct exact *exact_cost_figures(void);
const struct exact *exact_cost_team_figures(void);

/* Of a namespace, where jobs say how busy they keep their GPUs (metrics.busy). */
struct exact_namespace {
	int64_t held; /* GPU-microseconds */
	double average, p95;
};
const struct exact *exact_namespace_figures(void);

/* A plain decimal number, or "never". record: the metrics, or the team. */
const char *exact_text(const struct exact *figure, const void *record, char buf[EXACT_TEXT]);
/* "team:NAME:peak_used" */
const char *exact_team_key(const struct exact *figure, const struct metrics_team *team,
			   char buf[EXACT_KEY]);

/* Of the namespace at this place: its figure, and "namespace:NAME:utilisation". */
const char *exact_namespace_text(const struct exact *figure, const struct metrics *m, uint32_t n,
				 char buf[EXACT_TEXT]);
const char *exact_namespace_key(const struct exact *figure, const struct metrics *m, uint32_t n,
				char buf[EXACT_KEY]);

/* Jobs preempted for this reason. */
uint32_t exact_reason_count(const struct metrics *m, const char *reason);

/* All figures of a run, those of its teams and namespaces behind; texts live until put
 * returns. */
typedef void exact_put(void *context, const char *key, const char *unit, const char *text);
void exact_each(const struct metrics *m, exact_put *put, void *context);

#endif
