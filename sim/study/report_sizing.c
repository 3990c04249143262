#include "sim/study/report_sizing.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/study.h"
#include "sim/tool/human.h"
#include "sim/tool/table.h"

#define TEXT	  200
#define PER_MILLE 1000
#define RESERVE	  50 /* per mille of the time in which fewer GPUs are held */
#define FEW	  20 /* one job of so many */
#define MUCH	  0.1
#define IDLE	  0.05
#define MOST	  0.8
#define HALF	  0.5
#define WEEK	  (7 * CLOCK_DAY)

const char *report_sizing_word(enum sizing_verdict verdict)
{
	static const char *const words[] = {
		[SIZING_UNKNOWN] = "unknown", [SIZING_MET] = "met",   [SIZING_TUNE] = "tune",
		[SIZING_BUY] = "buy",	      [SIZING_IDLE] = "idle", [SIZING_BUDGET] = "budget",
		[SIZING_NEVER] = "never",
	};

	return words[verdict];
}

/* ---- pieces of sentences ---- */

const char *report_sizing_goal(const struct goal *goal, char buf[REPORT_SIZING_GOAL])
{
	snprintf(buf, REPORT_SIZING_GOAL, "%s%s%s", goal->team, goal->team[0] == '\0' ? "" : ":",
		 goal_figure_text(goal->figure));
	return buf;
}

/* The goal that is missed by most, or of all met ones the tightest. */
static size_t hardest(const struct sizing *s, const struct trial *trial)
{
	size_t worst = 0;

	for (size_t i = 1; i < s->goals->count; i++)
		if (goal_ratio(&s->goals->items[i], trial->values[i]) >
		    goal_ratio(&s->goals->items[worst], trial->values[worst]))
			worst = i;
	return worst;
}

/* Met, but for chance: its figures are those with random ties. */
static bool is_spoilt(const struct sizing *s, const struct trial *trial)
{
	if (trial->seeds == 0 || trial->met)
		return false;
	for (size_t g = 0; g < s->goals->count; g++)
		if (goal_ratio(&s->goals->items[g], trial->values[g]) > 1)
			return false;
	return true;
}

static double value_of(const struct sizing *s, const struct trial *trial, size_t goal)
{
	return is_spoilt(s, trial) ? trial->ranges[goal].estimate : trial->values[goal];
}

static double share_of(int64_t part, const struct trial *trial)
{
	return trial->capacity > 0 ? (double)part / (double)trial->capacity : 0;
}

/* Why jobs wait under this setting; false: nothing stands out. */
static bool say_cause(FILE *out, const struct sizing *s, const struct trial *trial)
{
	double stranded = share_of(trial->stranded, trial), idle = share_of(trial->idle, trial);
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (trial->gpus == 0)
		fputs("there is no node", out);
	else if (trial->unqueued * FEW >= trial->jobs && trial->unqueued > 0)
		fprintf(out,
			"%s job%s a queue that does not exist, and stay%s pending (gqsim check "
			"says which)",
			human_count(trial->unqueued, a), trial->unqueued == 1 ? " names" : "s name",
			trial->unqueued == 1 ? "s" : "");
	else if (trial->never_fit * FEW >= trial->jobs && trial->never_fit > 0)
		fprintf(out, "%s job%s ask%s for more than there ever is",
			human_count(trial->never_fit, a), trial->never_fit == 1 ? "" : "s",
			trial->never_fit == 1 ? "s" : "");
	else if (idle >= IDLE)
		fprintf(out,
			"GPUs are held by jobs that are placed in part and cannot work (%s of "
			"all GPU-hours)",
			human_share(idle, a));
	else if (trial->never_started > 0 && trial->unplaced * FEW >= trial->jobs)
		fprintf(out,
			"%s job%s admitted and find%s no node that takes %s (labels, taints or "
			"room)",
			human_count(trial->unplaced, a), trial->unplaced == 1 ? " is" : "s are",
			trial->unplaced == 1 ? "s" : "", trial->unplaced == 1 ? "it" : "them");
	else if (stranded >= MUCH && trial->waits_for_quota)
		fprintf(out, "jobs wait for quota while GPUs are free (%s of all GPU-hours)",
			human_share(stranded, a));
	else if (stranded >= MUCH)
		fprintf(out,
			"free GPUs lie scattered, in pieces too small for the jobs that wait "
			"(%s of all GPU-hours)",
			human_share(stranded, a));
	else if (trial->allocation >= MOST && trial->utilisation < s->request.low)
		fprintf(out, "the GPUs are held (%s) and little used (%s)",
			human_share(trial->allocation, a), human_share(trial->utilisation, b));
	else if (trial->allocation > 0 && trial->allocation < HALF)
		fprintf(out,
			"jobs come in bursts: the GPUs are taken when they wait, though only %s "
			"are held on average",
			human_share(trial->allocation, a));
	else if (trial->allocation > 0)
		fprintf(out, "the GPUs are taken when jobs wait (%s on average)",
			human_share(trial->allocation, a));
	else
		return false;
	return true;
}

/* What the runs of the error bars differ in. */
static const char *chance_of(const struct sizing *s)
{
	return s->trace.made_up ? "other jobs of the same kind and random ties" : "random ties";
}

/* "p95-wait is 5d 15h, target 15m" */
static void say_goal(FILE *out, const struct sizing *s, const struct trial *trial)
{
	size_t i = hardest(s, trial);
	char name[REPORT_SIZING_GOAL], a[HUMAN_TEXT], b[HUMAN_TEXT];
	bool chance = is_spoilt(s, trial);

	report_sizing_goal(&s->goals->items[i], name);
	fprintf(out, "%s is %s%s (target %s)", name, human_wait(value_of(s, trial, i), a),
		!chance		   ? ""
		: s->trace.made_up ? " with other jobs of the same kind"
				   : " with random ties",
		human_time(s->goals->items[i].limit, b));
}

static void say_levers(FILE *out, const struct sizing *s)
{
	bool any = false;

	for (size_t i = 0; i < s->try_count; i++) {
		if (!s->tries[i].kept)
			continue;
		fprintf(out, "%s%s", any ? ", " : "", s->tries[i].lever->choice);
		any = true;
	}
	if (!any)
		fputs("nothing", out);
}

static bool is_tuned(const struct sizing *s)
{
	return s->best != s->today;
}

static void say_money(FILE *out, money amount)
{
	char a[HUMAN_TEXT];

	fprintf(out, "%s USD", human_count(money_part(amount, 1, MONEY_USD), a));
}

/* "23 more nodes of h100 and 1 of a100 (192 GPUs, 921,370 USD a month)" */
static void say_nodes(FILE *out, const struct sizing *s)
{
	int64_t gpus = 0;
	bool any = false;
	char a[HUMAN_TEXT];

	for (uint32_t p = 0; p < s->pool_count; p++) {
		const struct sizing_pool *pool = &s->pools[p];
		int64_t more = (int64_t)sizing_nodes(s, p) - pool->today;

		if (more <= 0)
			continue;
		if (any)
			fprintf(out, " and %s of %s", human_count(more, a), pool->name);
		else
			fprintf(out, "%s more node%s of %s", human_count(more, a),
				more == 1 ? "" : "s", pool->name);
		any = true;
		gpus += more * pool->gpus;
	}
	fprintf(out, " (%s GPU%s", human_count(gpus, a), gpus == 1 ? "" : "s");
	if (!sizing_priced(s) && s->today->month > 0)
		fputs(", of a price that is not known", out);
	else if (sizing_bill(s) > 0) {
		fputs(", ", out);
		say_money(out, sizing_bill(s));
		fputs(" a month", out);
	}
	putc(')', out);
}

static void say_week(FILE *out, const struct sizing *s)
{
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	fprintf(out, "GPUs are %s utilised ", human_share(s->best->typical_week, a));
	if (s->best->window < WEEK)
		fprintf(out, "over the %s that were looked at", human_time(s->best->window, b));
	else
		fputs("in a typical week", out);
}

static void say_met(FILE *out, const struct sizing *s)
{
	fputs("Neither: the target is met today: ", out);
	say_goal(out, s, s->today);
	putc('.', out);
}

static void say_tune(FILE *out, const struct sizing *s)
{
	size_t i = hardest(s, s->today);
	char a[HUMAN_TEXT];

	fputs("Tune: ", out);
	if (say_cause(out, s, s->today))
		fputs("; ", out);
	fputs("with ", out);
	say_levers(out, s);
	fputs(" the hardware that is there is enough: ", out);
	say_goal(out, s, s->best);
	fprintf(out, ", and was %s%s.", human_wait(value_of(s, s->today, i), a),
		!is_spoilt(s, s->today) ? ""
		: s->trace.made_up	? " with other jobs of the same kind"
					: " with random ties");
}

static void say_buy(FILE *out, const struct sizing *s)
{
	fputs("Buy ", out);
	say_nodes(out, s);
	fputs(": ", out);
	if (say_cause(out, s, s->best))
		fputs("; ", out);
	if (is_tuned(s)) {
		fputs("after tuning (", out);
		say_levers(out, s);
		fputs(") ", out);
	} else {
		fputs("no lever helps, ", out);
	}
	say_goal(out, s, s->best);
	fputs(", and ", out);
	say_week(out, s);
	putc('.', out);
}

static void say_idle(FILE *out, const struct sizing *s)
{
	char a[HUMAN_TEXT];

	fputs("Neither, yet: ", out);
	if (say_cause(out, s, s->best))
		fputs("; ", out);
	say_goal(out, s, s->best);
	fputs(is_tuned(s) ? " after tuning, but " : ", but ", out);
	say_week(out, s);
	fprintf(out, ", below %s: find out what keeps them idle before buying; ",
		human_share(s->request.low, a));
	say_nodes(out, s);
	fputs(" would meet the target.", out);
}

static void say_budget(FILE *out, const struct sizing *s)
{
	fputs("Over budget: ", out);
	say_goal(out, s, s->best);
	fputs(", and ", out);
	say_nodes(out, s);
	fputs(" would meet the target, where the budget is ", out);
	say_money(out, s->request.budget);
	fputs(".", out);
}

static void say_never(FILE *out, const struct sizing *s)
{
	fputs("Out of reach: ", out);
	if (say_cause(out, s, s->best))
		fputs("; ", out);
	say_goal(out, s, s->best);
	if (s->pool_count == 0) {
		fputs(", and the input has no nodes of which more could be bought.", out);
		return;
	}
	fputs(", and no count of nodes that was tried meets the target (", out);
	for (uint32_t p = 0; p < s->pool_count; p++)
		fprintf(out, "%sup to %" PRIu32 " of %s", p == 0 ? "" : ", ", s->pools[p].most,
			s->pools[p].name);
	fputs(").", out);
}

/* Where the search of a kind stood. */
static void say_known(FILE *out, const struct sizing_pool *pool)
{
	uint32_t fails = 0, meets = UINT32_MAX;

	for (size_t i = 0; i < pool->tuned.count; i++) {
		const struct sizing_point *point = &pool->tuned.points[i];

		if (point->trial->state != TRIAL_DONE)
			continue;
		if (point->trial->met && point->nodes < meets)
			meets = point->nodes;
		if (!point->trial->met && point->nodes < meets)
			fails = point->nodes;
	}
	if (meets < UINT32_MAX)
		fprintf(out, "; %" PRIu32 " nodes of %s would meet it, if chance does not spoil it",
			meets, pool->name);
	if (fails > 0)
		fprintf(out, "; %" PRIu32 " node%s of %s %s not enough", fails,
			fails == 1 ? "" : "s", pool->name, fails == 1 ? "is" : "are");
}

static void say_unknown(FILE *out, const struct sizing *s)
{
	fputs("Stopped before the verdict was known", out);
	if (s->best != NULL && s->best->state == TRIAL_DONE) {
		fputs("; so far ", out);
		say_goal(out, s, s->best);
	}
	for (uint32_t p = 0; p < s->pool_count; p++)
		say_known(out, &s->pools[p]);
	putc('.', out);
}

char *report_sizing_verdict(const struct sizing *s)
{
	static void (*const sayers[])(FILE * out, const struct sizing *s) = {
		[SIZING_UNKNOWN] = say_unknown, [SIZING_MET] = say_met,
		[SIZING_TUNE] = say_tune,	[SIZING_BUY] = say_buy,
		[SIZING_IDLE] = say_idle,	[SIZING_BUDGET] = say_budget,
		[SIZING_NEVER] = say_never,
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	sayers[s->verdict](out, s);
	fclose(out);
	return text;
}

/* ---- the command that does it ---- */

static void say_word(FILE *out, const char *word)
{
	bool plain = *word != '\0';

	for (const char *c = word; *c != '\0'; c++)
		plain = plain && (isalnum((unsigned char)*c) || strchr("-_./:=@,+%", *c) != NULL);
	putc(' ', out);
	if (!plain)
		putc('\'', out);
	for (const char *c = word; *c != '\0'; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, out);
	if (!plain)
		putc('\'', out);
}

/* Options that only plan has. */
static bool is_own(const struct cmd_args *args, const char *name)
{
	for (const struct cmd_option *o = args->row->options; o->name != NULL; o++)
		if (strcmp(o->name, name) == 0)
			return true;
	return false;
}

char *report_sizing_command(const struct sizing *s)
{
	const struct cmd_args *args = s->request.setup.args;
	const struct trial *answer = sizing_answer(s);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "gqsim compare -p %s", s->request.setup.policy->name);
	for (size_t i = 0; i < args->operand_count; i++)
		say_word(out, args->operands[i]);
	for (size_t i = 0; i < args->setting_count; i++) {
		const struct cmd_setting *o = &args->settings[i];

		if (is_own(args, o->name))
			continue;
		fprintf(out, " --%s", o->name);
		if (o->value != NULL)
			say_word(out, o->value);
	}
	for (uint32_t i = 0; i < answer->set_count; i++) {
		fputs(" --set", out);
		say_word(out, answer->sets[i]);
	}
	fclose(out);
	return text;
}

/* ---- tables ---- */

static void put_wait(struct table *table, size_t at, double seconds)
{
	char a[HUMAN_TEXT];

	table_cell(table, at, "%s", human_wait(seconds, a));
}

static void put_share(struct table *table, size_t at, double share)
{
	char a[HUMAN_TEXT];

	table_cell(table, at, "%s", human_share(share, a));
}

static void put_count(struct table *table, size_t at, int64_t count)
{
	char a[HUMAN_TEXT];

	table_cell(table, at, "%s", human_count(count, a));
}

static bool has_chance(const struct sizing *s)
{
	return s->request.replications > 0;
}

/* "12m 47s ± 4m" of the goal that is hardest to meet, and how many runs meet all. */
static size_t put_chance(struct table *table, size_t at, const struct sizing *s,
			 const struct trial *trial)
{
	const struct interval *range;
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (trial->seeds == 0) {
		table_cell(table, at, "-");
		table_cell(table, at + 1, "-");
		return at + 2;
	}
	range = &trial->ranges[hardest(s, trial)];
	if (isinf(range->estimate) || trial->seeds == 1)
		put_wait(table, at, range->estimate);
	else
		table_cell(table, at, "%s ± %s", human_wait(range->estimate, a),
			   human_wait(interval_half_width(range), b));
	table_cell(table, at + 1, "%" PRIu32 "/%" PRIu32, trial->seeds_met, trial->seeds);
	return at + 2;
}

/* What a trial came to: a cell a goal, with chance what random ties make of it, then the
 * figures that tell at what price. */
static size_t put_outcome(struct table *table, size_t at, const struct sizing *s,
			  const struct trial *trial, bool chance)
{
	char a[HUMAN_TEXT];

	if (trial->state != TRIAL_DONE) {
		table_cell(table, at, "%s", trial->state == TRIAL_FAILED ? "failed" : "stopped");
		return at + 1;
	}
	for (size_t g = 0; g < s->goals->count; g++)
		table_cell(table, at++, "%s%s", !chance && is_spoilt(s, trial) ? "~" : "",
			   human_wait(chance ? trial->values[g] : value_of(s, trial, g), a));
	if (chance && has_chance(s))
		at = put_chance(table, at, s, trial);
	put_share(table, at++, trial->utilisation);
	put_count(table, at++, trial->never_started);
	put_count(table, at++, trial->preemptions);
	if (trial->month > 0)
		put_count(table, at++, money_part(trial->month, 1, MONEY_USD));
	else if (s->today->month > 0)
		table_cell(table, at++, "-");
	return at;
}

static size_t put_outcome_head(struct table *table, size_t at, const struct sizing *s, bool chance)
{
	char name[REPORT_SIZING_GOAL];

	for (size_t g = 0; g < s->goals->count; g++) {
		report_sizing_goal(&s->goals->items[g], name);
		table_cell(table, at++, "%s", name);
	}
	if (chance && has_chance(s)) {
		table_cell(table, at++, "%s", s->trace.made_up ? "other draws" : "random ties");
		table_cell(table, at++, "met");
	}
	table_cell(table, at++, "utilised");
	table_cell(table, at++, "never ran");
	table_cell(table, at++, "preempted");
	if (s->today->month > 0)
		table_cell(table, at++, "USD/month");
	return at;
}

/* Columns that are not figures of the outcome: to the left, or all to the right. */
static struct table *new_table(const struct sizing *s, size_t names, bool left, bool chance)
{
	size_t figures = s->goals->count + 3 + (s->today->month > 0);

	return table_new(names + figures + (chance && has_chance(s) ? 2 : 0),
			 left ? ~((1u << names) - 1) : ~0u);
}

static void end_table(FILE *out, struct table *table)
{
	table_print(table, out, false, NULL);
	table_free(table);
}

/* "tuned, 5 x h100, 3 x a100" */
static void put_bought(struct table *table, const struct sizing *s)
{
	char name[TEXT];
	int len = snprintf(name, sizeof(name), "%s", is_tuned(s) ? "tuned" : "");

	for (uint32_t p = 0; p < s->pool_count && (size_t)len < sizeof(name); p++)
		if (s->mixed ? sizing_nodes(s, p) > s->pools[p].today : p == s->choice)
			len += snprintf(name + len, sizeof(name) - (size_t)len,
					"%s%" PRIu32 " x %.60s", len > 0 ? ", " : "",
					sizing_nodes(s, p), s->pools[p].name);
	table_cell(table, 0, "%s", name);
}

static void print_summary(FILE *out, const struct sizing *s)
{
	struct table *table = new_table(s, 1, true, true);
	char a[HUMAN_TEXT];

	table_row(table);
	put_outcome_head(table, 1, s, true);
	table_row(table);
	table_cell(table, 0, "target");
	for (size_t g = 0; g < s->goals->count; g++)
		table_cell(table, 1 + g, "%s", human_time(s->goals->items[g].limit, a));
	table_row(table);
	table_cell(table, 0, "today");
	put_outcome(table, 1, s, s->today, true);
	if (is_tuned(s)) {
		table_row(table);
		table_cell(table, 0, "tuned");
		put_outcome(table, 1, s, s->best, true);
	}
	if (s->choice < s->pool_count || s->mixed) {
		table_row(table);
		put_bought(table, s);
		put_outcome(table, 1, s, sizing_answer(s), true);
	}
	end_table(out, table);
}

static bool all_full(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].utilisation != BUSY_FULL)
			return false;
	return true;
}

static void tell_allocation(FILE *line, const char *when, const struct trial *trial)
{
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (trial->state == TRIAL_DONE)
		fprintf(line, "%s %s (%s)", when, human_share(trial->allocation, a),
			human_share(trial->utilisation, b));
}

/* GPUs that pods hold are not GPUs that are busy. */
static void print_allocation(FILE *out, const struct sizing *s)
{
	const struct trial *answer = sizing_answer(s);
	char *text = NULL;
	size_t size = 0;
	FILE *line;

	if (all_full(s->scenario))
		return;
	line = open_memstream(&text, &size);
	fputs("Of all GPU-hours pods hold (and keep busy)", line);
	tell_allocation(line, ": today", s->today);
	if (is_tuned(s))
		tell_allocation(line, ", tuned", s->best);
	if (answer != s->today && answer != s->best)
		tell_allocation(line, ", with what is bought", answer);
	fputs(".", line);
	fclose(line);
	putc('\n', out);
	table_paragraph(out, 0, text);
	free(text);
}

/* How much of the answer is chance? */
static void print_chance(FILE *out, const struct sizing *s)
{
	const struct trial *trial = sizing_answer(s);
	const char *what = trial == s->today  ? "today's setting"
			   : trial == s->best ? "the tuned setting"
					      : "the answer";
	char *text = NULL;
	size_t size = 0;
	FILE *line;

	if (trial->seeds == 0)
		return;
	line = open_memstream(&text, &size);
	fprintf(line, "With %s %s meets the target in %" PRIu32 " of %" PRIu32 " runs",
		chance_of(s), what, trial->seeds_met, trial->seeds);
	for (size_t g = 0; g < s->goals->count && trial->seeds > 1; g++) {
		const struct interval *v = &trial->ranges[g];
		char name[REPORT_SIZING_GOAL], a[HUMAN_TEXT], b[HUMAN_TEXT], c[HUMAN_TEXT];

		report_sizing_goal(&s->goals->items[g], name);
		fprintf(line, "%s %s is %s (95%%: %s to %s)", g == 0 ? ":" : ",", name,
			human_wait(v->estimate, a), human_wait(v->low > 0 ? v->low : 0, b),
			human_wait(v->high, c));
	}
	fputs(".", line);
	if (trial->is_open)
		fputs(" So many runs leave open on which side of the target the mean lies.", line);
	fclose(line);
	putc('\n', out);
	table_paragraph(out, 0, text);
	free(text);
}

static void put_team(struct table *table, const char *name, const struct busy_group *group,
		     const struct wait_figures *wait, simtime window)
{
	char a[HUMAN_TEXT];

	table_row(table);
	table_cell(table, 0, "%s", name);
	put_share(table, 1, busy_share(group));
	put_share(table, 2, busy_p95(group));
	table_cell(table, 3, "%.1f", window == 0 ? 0 : (double)group->pending / (double)window);
	put_count(table, 4, group->pending_most);
	put_wait(table, 5, wait->p50);
	put_wait(table, 6, wait->p95);
	table_cell(table, 7, "%s", human_gpu_time(group->crashed, HUMAN_GPU_HOURS, a));
	table_cell(table, 8, "%s", human_gpu_time(group->cancelled, HUMAN_GPU_HOURS, a));
}

static void print_request(FILE *out, const struct sizing *s)
{
	static const char *const heads[][9] = {
		{"", "utilisation", "", "pending", "", "wait", "", "GPU-hours", ""},
		{"", "average", "p95", "average", "most", "p50", "p95", "crashed", "cancelled"}};
	const struct trial_detail *detail = s->today->detail;
	struct table *table;

	if (detail == NULL)
		return;
	table = table_new(9, ~1u);
	for (size_t h = 0; h < 2; h++) {
		table_row(table);
		for (size_t c = 0; c < 9; c++)
			table_cell(table, c, "%s", heads[h][c]);
	}
	for (uint32_t t = 0; t < detail->team_count; t++)
		if (detail->teams[t].name != NULL)
			put_team(table, detail->teams[t].name, &detail->busy->groups[t],
				 &detail->teams[t].wait, s->today->window);
	put_team(table, "all", &detail->busy->groups[detail->team_count], &s->today->wait,
		 s->today->window);
	fputs("\nFor the purchase request, as it is today (of the GPUs that a team holds):\n", out);
	end_table(out, table);
}

/* In any round: what one setting lacks another may have. */
static bool is_tried(const struct sizing *s, const char *lever)
{
	for (size_t i = 0; i < s->try_count; i++)
		if (s->tries[i].trial != NULL && strcmp(s->tries[i].lever->name, lever) == 0)
			return true;
	return false;
}

static void print_levers(FILE *out, const struct sizing *s)
{
	struct table *table = new_table(s, 2, true, false);
	bool any = false;

	table_row(table);
	put_outcome_head(table, 2, s, false);
	for (size_t i = 0; i < s->try_count; i++) {
		const struct sizing_try *try = &s->tries[i];

		if (try->trial == NULL)
			continue;
		any = true;
		table_row(table);
		table_cell(table, 0, "%s%s%s", try->round > 1 ? "+ " : "", try->lever->choice,
			   try->kept ? " *" : "");
		put_outcome(table, 2, s, try->trial, false);
	}
	if (any) {
		putc('\n', out);
		table_paragraph(out, 0,
				"Levers on today's hardware, cheapest first (* kept, + on top of "
				"those, ~ with random ties, which spoil it):");
		table_print(table, out, false, NULL);
	}
	table_free(table);
	for (size_t i = 0, n = 0; i < s->try_count; i++)
		if (s->tries[i].trial == NULL && !is_tried(s, s->tries[i].lever->name)) {
			char line[400];

			fputs(n++ == 0 ? "\nNot tried:\n- " : "- ", out);
			snprintf(line, sizeof(line), "%s: %s.", s->tries[i].lever->name,
				 s->tries[i].lever->absent);
			table_paragraph(out, 2, line);
		}
}

/* And if all that is bought may be taken away? */
static void print_spot(FILE *out, const struct sizing *s, const struct sizing_pool *pool)
{
	char line[TEXT * 2], a[HUMAN_TEXT];
	uint32_t more = pool->spot.needed - pool->today;

	if (s->request.spot_every != NULL && pool->spot.count == 0 && pool->tuned.found &&
	    pool->tuned.needed > pool->today && s->verdict != SIZING_TUNE)
		snprintf(line, sizeof(line),
			 "Not tried as spot nodes: %s of the GPU-hours are of jobs that run so "
			 "long, "
			 "without a checkpoint, that nodes taken away every %s would lose them "
			 "again "
			 "and again.",
			 human_share(s->too_long, a), s->request.spot_every);
	else if (pool->spot.count == 0)
		return;
	else if (pool->spot.found)
		snprintf(line, sizeof(line),
			 "As spot nodes, each taken away every %s on average: %s more node%s.",
			 s->request.spot_every, human_count(more, a), more == 1 ? "" : "s");
	else
		snprintf(line, sizeof(line),
			 "As spot nodes, each taken away every %s on average, no count that was "
			 "tried meets the target.",
			 s->request.spot_every);
	table_paragraph(out, 0, line);
}

/* The curve goes on behind where the search ended. */
static uint32_t most_tried(const struct sizing_pool *pool)
{
	uint32_t last = pool->tuned.points[pool->tuned.count - 1].nodes;

	return last > pool->most ? last : pool->most;
}

static void print_pool(FILE *out, const struct sizing *s, const struct sizing_pool *pool)
{
	struct table *table;
	char a[HUMAN_TEXT], line[600];
	int len;

	if (pool->tuned.count == 0)
		return;
	table = new_table(s, 2, false, true);
	table_row(table);
	table_cell(table, 0, "nodes");
	table_cell(table, 1, "GPUs");
	put_outcome_head(table, 2, s, true);
	for (size_t i = 0; i < pool->tuned.count; i++) {
		const struct sizing_point *point = &pool->tuned.points[i];

		table_row(table);
		table_cell(table, 0, "%" PRIu32 "%s", point->nodes,
			   point->nodes == pool->today				     ? " today"
			   : pool->tuned.found && point->nodes == pool->tuned.needed ? " needed"
										     : "");
		put_count(table, 1, point->trial->gpus);
		put_outcome(table, 2, s, point->trial, true);
	}
	fprintf(out, "\nNodes of %s%s:\n", pool->name, is_tuned(s) ? ", tuned" : "");
	end_table(out, table);
	len = pool->tuned.found
		      ? snprintf(line, sizeof(line), "Fewest that meet the target: %" PRIu32,
				 pool->tuned.needed)
		      : snprintf(line, sizeof(line),
				 "None of these up to %" PRIu32 " meets the target",
				 most_tried(pool));
	if (is_tuned(s) && pool->untuned.found)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " (untuned %" PRIu32 ")",
				pool->untuned.needed);
	snprintf(line + len, sizeof(line) - (size_t)len,
		 ". The jobs keep %s GPUs busy on average while they come; theory (M/G/c) would "
		 "have %" PRIu32 " nodes.",
		 human_count((int64_t)(s->demand.load + 0.5), a), pool->guess);
	table_paragraph(out, 0, line);
	print_spot(out, s, pool);
}

/* ---- what to reserve ---- */

struct report_sizing_floor report_sizing_floor(const struct sizing *s, uint32_t team)
{
	const struct trial_detail *detail = s->today->detail;
	const struct busy_group *group = &detail->busy->groups[team];
	int64_t nominal = team < detail->team_count ? detail->teams[team].nominal : -1;
	int64_t floor = dwell_quantile(&group->coming, RESERVE);
	int64_t peak = dwell_quantile(&group->gpus, PER_MILLE);

	if (nominal >= 0 && floor > nominal)
		floor = nominal;
	return (struct report_sizing_floor){floor, peak};
}

static void put_floor(struct table *table, const struct sizing *s, const char *name, uint32_t team)
{
	const struct trial_detail *detail = s->today->detail;
	struct report_sizing_floor f = report_sizing_floor(s, team);
	int64_t nominal = team < detail->team_count ? detail->teams[team].nominal : -1;
	simtime window = s->today->window;

	table_row(table);
	table_cell(table, 0, "%s", name);
	if (nominal >= 0)
		put_count(table, 1, nominal);
	else
		table_cell(table, 1, "-");
	table_cell(table, 2, "%.1f",
		   window == 0 ? 0 : (double)detail->busy->groups[team].held / (double)window);
	put_count(table, 3, f.floor);
	put_count(table, 4, f.peak - f.floor);
}

static void print_floors(FILE *out, const struct sizing *s)
{
	const struct trial_detail *detail = s->today->detail;
	struct table *table;

	if (detail == NULL)
		return;
	table = table_new(5, ~1u);
	table_row(table);
	table_cell(table, 1, "quota");
	table_cell(table, 2, "held");
	table_cell(table, 3, "reserve");
	table_cell(table, 4, "burst");
	for (uint32_t t = 0; t < detail->team_count; t++)
		if (detail->teams[t].name != NULL)
			put_floor(table, s, detail->teams[t].name, t);
	put_floor(table, s, "all", detail->team_count);
	putc('\n', out);
	table_paragraph(out, 0,
			"GPUs that a team holds on average, what of its quota to reserve (held "
			"95 % of the time that jobs come) and burst above, as it is today:");
	end_table(out, table);
}

/* ---- money ---- */

static void put_money(struct table *table, size_t at, money hourly, int64_t nodes)
{
	if (hourly == 0)
		table_cell(table, at, "-");
	else
		put_count(table, at,
			  money_part(res_mul(money_of(hourly, MONEY_MONTH), nodes), 1, MONEY_USD));
}

/* What the nodes that are missing would cost, by how they are had. */
static void print_offers(FILE *out, const struct sizing *s)
{
	static const char *const heads[] = {
		"", "more nodes", "on demand", "reserved", "as spot nodes", "from", "to"};
	struct table *table;
	bool any = false;

	if (s->today->month == 0)
		return;
	table = table_new(7, ~1u);
	table_row(table);
	for (size_t c = 0; c < 7; c++)
		table_cell(table, c, "%s", heads[c]);
	for (uint32_t p = 0; p < s->pool_count; p++) {
		const struct sizing_pool *pool = &s->pools[p];
		int64_t more = (int64_t)pool->tuned.needed - pool->today;

		if (!pool->tuned.found || more <= 0)
			continue;
		any = true;
		table_row(table);
		table_cell(table, 0, "%s", pool->name);
		put_count(table, 1, more);
		put_money(table, 2, pool->on_demand, more);
		put_money(table, 3, pool->reserved, more);
		more = (int64_t)pool->spot.needed - pool->today;
		if (!pool->spot.found) {
			for (size_t c = 4; c < 7; c++)
				table_cell(table, c, "-");
			continue;
		}
		put_count(table, 4, more);
		put_money(table, 5, pool->spot_low, more);
		put_money(table, 6, pool->spot_high, more);
	}
	if (any) {
		fputs("\nUSD a month for the nodes that are missing:\n", out);
		table_print(table, out, false, NULL);
	}
	table_free(table);
}

/* ---- assumptions ---- */

/* The smallest count above the needed one with which the target is missed; 0: none. */
static uint32_t relapse(const struct sizing_pool *pool)
{
	for (size_t i = 0; i < pool->tuned.count && pool->tuned.found; i++)
		if (pool->tuned.points[i].nodes > pool->tuned.needed &&
		    pool->tuned.points[i].trial->state == TRIAL_DONE &&
		    !pool->tuned.points[i].trial->met)
			return pool->tuned.points[i].nodes;
	return 0;
}

static void assume_search(const struct sizing *s, report_sizing_put *put, void *context)
{
	char line[400];

	put(context, "A count of nodes is the answer if it meets the target and the three below it "
		     "do not; more nodes nearly always help, but not always.");
	for (uint32_t p = 0; p < s->pool_count; p++) {
		uint32_t again = relapse(&s->pools[p]);

		if (again == 0)
			continue;
		snprintf(line, sizeof(line),
			 "With %" PRIu32 " nodes of %s the target is missed again.", again,
			 s->pools[p].name);
		put(context, line);
	}
}

static void assume_prices(const struct sizing *s, report_sizing_put *put, void *context)
{
	char line[400], a[HUMAN_TEXT];

	if (s->today->month == 0)
		return;
	snprintf(line, sizeof(line),
		 "Prices are %s%s%son demand unless said otherwise; a month is "
		 "%s hours.",
		 s->scenario->price_date == NAME_NONE ? "" : "of ",
		 s->scenario->price_date == NAME_NONE
			 ? ""
			 : scenario_string(s->scenario, s->scenario->price_date),
		 s->scenario->price_date == NAME_NONE ? "" : ", ",
		 human_count(MONEY_MONTH / CLOCK_HOUR, a));
	put(context, line);
}

static bool any_spot(const struct sizing *s)
{
	for (uint32_t p = 0; p < s->pool_count; p++)
		if (s->pools[p].spot.count > 0)
			return true;
	return false;
}

static void assume_chance(const struct sizing *s, report_sizing_put *put, void *context)
{
	char line[400];

	put(context, s->trace.made_up
			     ? "What meets the target must meet it with other jobs of the same "
			       "kind and random ties, too, in nine of ten runs."
			     : "What meets the target must meet it with random ties, too, in nine "
			       "of ten runs: a cluster takes any of equally good nodes.");
	snprintf(line, sizeof(line),
		 "Such runs go on up to %" PRIu32 " where the 95 %% interval of their mean (±) has "
		 "the target in it; levers that miss the target in the first run have no others.",
		 s->request.most_replications);
	put(context, line);
}

/* Jobs that had not come by then wait in no figure. */
static void assume_stop(const struct sizing *s, report_sizing_put *put, void *context)
{
	const struct scenario *scenario = s->scenario;
	struct run_options options;
	struct err err;
	uint32_t later = 0;
	char line[400], when[HUMAN_TEXT], jobs[HUMAN_TEXT];

	if (trial_options(&s->request.setup, s->today, scenario, &options, &err) != ERR_OK ||
	    options.max_time == CLOCK_NEVER)
		return;
	for (uint32_t i = 0; i < scenario->job_count; i++)
		later += scenario->jobs[i].submit > options.max_time;
	snprintf(line, sizeof(line),
		 "PARTIAL: each run stops after %s (--max-time): %s of %" PRIu32
		 " jobs come later, and count nowhere.",
		 human_time(options.max_time, when), human_count(later, jobs), scenario->job_count);
	put(context, line);
}

void report_sizing_assume(const struct sizing *s, report_sizing_put *put, void *context)
{
	const struct scenario *scenario = s->scenario;

	if (scenario->node_count == 0)
		put(context, "The input has no nodes, so no pod is placed: quota alone decides, "
			     "and nothing can be bought (--nodes says what there is).");
	put(context, "The jobs come when they came, however long they wait.");
	assume_stop(s, put, context);
	put(context, "Each run is measured up to its own last finish; compare measures all "
		     "columns up to the last of them.");
	if (s->request.replications > 0)
		assume_chance(s, put, context);
	if (s->pairs)
		put(context, "Of the levers all pairs were tried, and three together on top of the "
			     "best pair only; the table shows the way to the best.");
	else if (s->try_count > 0)
		put(context, "Levers are kept one by one, the best of each round, and then once "
			     "more with the second best as the last: not all together are tried.");
	if (is_tried(s, "auto-stop"))
		put(context, "An idle notebook used its GPUs at its beginning, as long as its "
			     "gpuUtilisation says, and can be stopped later.");
	if (is_tried(s, "MIG"))
		put(context,
		    "A job of one GPU, at most a seventh of it busy, does with a slice of "
		    "a seventh, memory included, and takes no longer. GPUs of one pool are "
		    "cut, the first whose slices are known, and stay so; figures of GPUs "
		    "are of those that are whole.");
	if (scenario->derived_queues)
		put(context, "The input has no ClusterQueues: one was made of each of its virtual "
			     "clusters, all in one cohort, with quota in proportion to its use; "
			     "quotas follow the hardware.");
	else if (scenario->cluster_queue_count > 0 && s->pool_count > 0)
		put(context, "Quotas of a flavor grow and shrink with its nodes, in proportion.");
	if (all_full(scenario))
		put(context, "No job says how busy it keeps its GPUs: 100 % is assumed.");
	put(context, "Low is what all GPUs are utilised in the middle one of all weeks, or over "
		     "the whole if that is shorter.");
	if (s->pool_count > 0)
		assume_search(s, put, context);
	if (any_spot(s))
		put(context, "A spot node is taken away at random times and comes back after ten "
			     "minutes; its jobs start over, or from their last checkpoint.");
	assume_prices(s, put, context);
	for (uint32_t i = 0; i < scenario->finding_count; i++)
		if (scenario->findings[i].kind != FINDING_ADVICE)
			put(context, scenario_string(scenario, scenario->findings[i].text));
}

static void print_assumption(void *context, const char *text)
{
	fputs("- ", context);
	table_paragraph(context, 2, text);
}

/* ---- the whole ---- */

static void print_title(FILE *out, const struct sizing *s)
{
	char a[HUMAN_TEXT], b[HUMAN_TEXT], c[HUMAN_TEXT], d[HUMAN_TEXT];
	uint32_t nodes = scenario_nodes(s->scenario);

	if (s->scenario->title != NAME_NONE)
		fprintf(out, "%s: ", scenario_string(s->scenario, s->scenario->title));
	fprintf(out, "%s job%s ", human_count(s->scenario->job_count, a),
		s->scenario->job_count == 1 ? "" : "s");
	if (s->scenario->node_count == 0)
		fprintf(out, "for %s GPUs of quota", human_count(s->today->gpus, c));
	else
		fprintf(out, "on %s node%s with %s GPUs", human_count(nodes, b),
			nodes == 1 ? "" : "s", human_count(scenario_gpus(s->scenario), c));
	fprintf(out, ", %s, %s%s\n", human_time(s->today->window, d),
		study_policy_title(s->request.setup.policy), s->partial ? ", PARTIAL" : "");
}

void report_sizing_write(FILE *out, const struct sizing *s)
{
	char *verdict = report_sizing_verdict(s), *command = report_sizing_command(s);

	print_title(out, s);
	putc('\n', out);
	table_paragraph(out, 0, verdict);
	if (s->today->state == TRIAL_DONE) {
		putc('\n', out);
		print_summary(out, s);
		print_chance(out, s);
		print_allocation(out, s);
		print_request(out, s);
		print_levers(out, s);
	}
	for (uint32_t p = 0; p < s->pool_count; p++)
		print_pool(out, s, &s->pools[p]);
	print_offers(out, s);
	print_floors(out, s);
	fputs("\nAssumed:\n", out);
	report_sizing_assume(s, print_assumption, out);
	fprintf(out, "\nTo see the answer:\n  %s\n", command);
	free(verdict);
	free(command);
}
