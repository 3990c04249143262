#include "sim/report/goal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/num.h"
#include "sim/tool/nearest.h"

static const char *const figure_texts[] = {
	[GOAL_P50] = "p50-wait",
	[GOAL_P95] = "p95-wait",
	[GOAL_P99] = "p99-wait",
	[GOAL_MEAN] = "mean-wait",
};
#define FIGURES (sizeof(figure_texts) / sizeof(figure_texts[0]))

const char *goal_figure_text(enum goal_figure figure)
{
	return figure_texts[figure];
}

static bool read_figure(const char *text, size_t len, enum goal_figure *out)
{
	for (size_t i = 0; i < FIGURES; i++) {
		if (strlen(figure_texts[i]) == len && memcmp(figure_texts[i], text, len) == 0) {
			*out = (enum goal_figure)i;
			return true;
		}
	}
	return false;
}

enum err_code goal_add(struct goals *goals, const char *text, struct err *err)
{
	const char *equals = strrchr(text, '='), *figure = text;
	struct goal *goal = &goals->items[goals->count];
	size_t team = 0;

	if (goals->count == GOAL_MAX)
		return err_set(err, ERR_LIMIT, NULL, 0, 0, "--target: more than %d targets",
			       GOAL_MAX);
	for (const char *at = text; equals != NULL && at < equals; at++)
		figure = *at == ':' ? at + 1 : figure;
	team = figure > text ? (size_t)(figure - text) - 1 : 0;
	if (equals == NULL || team >= GOAL_TEAM || (figure > text && team == 0) ||
	    !read_figure(figure, (size_t)(equals - figure), &goal->figure) ||
	    !clock_read_duration(equals + 1, strlen(equals + 1), &goal->limit))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--target %.200s: write [TEAM:]FIGURE=TIME, FIGURE one of p50-wait, "
			       "p95-wait, p99-wait and mean-wait, as in p95-wait=15m or "
			       "research:p95-wait=10m",
			       text);
	memcpy(goal->team, text, team);
	goal->team[team] = '\0';
	goal->text = text;
	goals->count++;
	return ERR_OK;
}

static const struct metrics_team *find_team(const struct goal *goal, const struct metrics *m)
{
	for (uint32_t t = 0; t < m->team_count; t++) {
		if (!m->teams[t].superseded && strcmp(m->teams[t].name, goal->team) == 0)
			return &m->teams[t];
	}
	return NULL;
}

enum err_code goal_check(const struct goals *goals, const struct metrics *m, struct err *err)
{
	for (size_t i = 0; i < goals->count; i++) {
		const struct goal *goal = &goals->items[i];
		struct nearest nearest;

		if (goal->team[0] == '\0' || find_team(goal, m) != NULL)
			continue;
		nearest_begin(&nearest, goal->team);
		for (uint32_t t = 0; t < m->team_count; t++)
			nearest_offer(&nearest, m->teams[t].name);
		if (nearest.best != NULL)
			return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
				       "--target %.200s: there is no team \"%.100s\"; did you mean "
				       "\"%.100s\"?",
				       goal->text, goal->team, nearest.best);
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "--target %.200s: there is no team \"%.100s\": a team is a "
			       "ClusterQueue, or a namespace where there is none",
			       goal->text, goal->team);
	}
	return ERR_OK;
}

double goal_value(const struct goal *goal, const struct metrics *m)
{
	const struct metrics_team *team = goal->team[0] == '\0' ? NULL : find_team(goal, m);
	const struct wait_figures *wait = team != NULL ? &team->wait : &m->wait;

	switch (goal->figure) {
	case GOAL_P50:
		return wait->p50;
	case GOAL_P95:
		return wait->p95;
	case GOAL_P99:
		return wait->p99;
	case GOAL_MEAN:
		break;
	}
	return wait->never > 0 ? (double)INFINITY : wait->mean;
}

double goal_ratio(const struct goal *goal, double value)
{
	double limit = (double)goal->limit / (double)CLOCK_SECOND;

	if (value <= limit)
		return limit == 0 ? 0 : value / limit;
	return limit < 1 ? 1 + value - limit : value / limit;
}

/* ---- the budget ---- */

static bool is_decoration(const char *word, size_t len)
{
	static const char *const words[] = {"USD", "per", "month", "a", "/"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], word, len) == 0)
			return true;
	return false;
}

/* The number among the words around it, without the commas of its thousands. */
static bool take_number(const char *text, char *digits, size_t size)
{
	size_t used = 0;
	bool seen = false;

	while (*text != '\0') {
		size_t len = strcspn(text, " /$");

		if (len == 0) {
			text++;
			continue;
		}
		if (!is_decoration(text, len)) {
			if (seen || len >= size)
				return false;
			for (size_t i = 0; i < len; i++)
				if (text[i] != ',')
					digits[used++] = text[i];
			seen = true;
		}
		text += len;
	}
	digits[used] = '\0';
	return seen;
}

enum err_code goal_read_budget(const char *text, money *out, struct err *err)
{
	char digits[64];
	double usd; /* only to see that it is a plain amount */
	int64_t milli;

	if (!take_number(text, digits, sizeof(digits)) ||
	    !num_read_double(digits, strlen(digits), &usd) || usd < 0 || usd > 9e12 ||
	    num_read_quantity(digits, strlen(digits), true, &milli) != NUM_OK)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--budget %.100s: write an amount a month, as in '20000 USD/month'",
			       text);
	*out = milli * (MONEY_USD / 1000);
	return ERR_OK;
}
