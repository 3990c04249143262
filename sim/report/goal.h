/* goal.h - what a cluster is to achieve: "p95-wait=15m", "research:p95-wait=10m". */
#ifndef SIM_GOAL_H
#define SIM_GOAL_H

#include "core/money.h"
#include "sim/report/metrics.h"

#define GOAL_MAX  16
#define GOAL_TEAM 256

enum goal_figure { GOAL_P50, GOAL_P95, GOAL_P99, GOAL_MEAN };

struct goal {
	char team[GOAL_TEAM]; /* "": of all jobs */
	enum goal_figure figure;
	simtime limit;
	const char *text; /* as given; borrowed */
};

struct goals {
	struct goal items[GOAL_MAX];
	size_t count;
};

/* Adds one; ERR_USAGE says how it is written. */
enum err_code goal_add(struct goals *goals, const char *text, struct err *err);
/* "p95-wait" */
const char *goal_figure_text(enum goal_figure figure);

/* ERR_UNKNOWN: no team has this name. */
enum err_code goal_check(const struct goals *goals, const struct metrics *metrics, struct err *err);
/* The figure of a run, in seconds; infinite: never. */
double goal_value(const struct goal *goal, const struct metrics *metrics);
/* How many times the limit the value is: met up to 1. */
double goal_ratio(const struct goal *goal, double value);

/* "20000", "20,000 USD/month", "USD 20000 per month", "$20000". */
enum err_code goal_read_budget(const char *text, money *out, struct err *err);

#endif
