#include "sim/study/replications.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/num.h"
#include "core/warmup.h"
#include "sim/report/steady.h"

#define BATCHES	      20
#define LEAST_BATCHED 200 /* waits of one run that are cut into batches */

/* One run, measured. */
struct measured {
	struct batch_run run;
	struct scenario *scenario; /* owned; NULL: that of an earlier column */
	struct journal *journal;   /* owned; NULL once it is not needed */
	bool admission;
	struct steady_waits waits;
	double values[REPLICATED_FIGURES];
};

struct replicating {
	const struct columns *columns;
	const struct cmd_context *context;
	const struct cmd_args *args;
	struct replicated *out;
	struct measured *runs; /* [run][column] */
	size_t run_capacity;
	struct err *err;
};

/* ---- one step: some more runs of all columns ---- */

static enum err_code load(struct replicating *x, const struct variant *variant, uint64_t seed,
			  struct scenario **out)
{
	struct cmd_input input;
	struct trace_summary ignored;
	enum err_code code;

	cmd_input(x->args, x->args->operand_count, &input);
	input.request.sets = variant->sets;
	input.request.set_count = variant->set_count;
	input.request.seeded = true;
	input.request.seed = seed;
	code = input_load(&input.request, out, &ignored, x->err);
	cmd_input_free(&input);
	return code;
}

static enum err_code prepare(struct replicating *x, size_t run)
{
	uint64_t seed = x->out->options.first_seed + run;
	struct measured *m = &x->runs[run * x->out->columns];

	for (size_t v = 0; v < x->columns->variants.count; v++) {
		struct scenario *scenario = NULL;
		struct run_options options;
		enum err_code code = load(x, &x->columns->variants.items[v], seed, &scenario);

		if (code == ERR_OK)
			code = cmd_run_options(x->args, scenario, &options, x->err);
		m->scenario = scenario;
		if (code != ERR_OK)
			return code;
		options.seed = seed;
		options.stop = x->context->stop;
		for (size_t p = 0; p < x->columns->policy_count; p++, m++)
			m->run = (struct batch_run){.scenario = scenario,
						    .policy = x->columns->policies[p],
						    .options = options,
						    .detail = JOURNAL_FACTS};
	}
	return ERR_OK;
}

/* Of the whole run; without its warm-up some figures become others. */
static void measure(struct measured *m)
{
	struct metrics *metrics = metrics_new(m->journal, m->admission, metrics_window(m->journal));
	const struct metrics *f = metrics;
	const double values[REPLICATED_FIGURES] = {
		[REPLICATED_JOBS] = f->jobs,
		[REPLICATED_NEVER] = f->never_started,
		[REPLICATED_DEADLOCKS] = (double)f->deadlock_count,
		[REPLICATED_IDLE] = f->capacity > 0 ? (double)f->idle / (double)f->capacity : 0,
		[REPLICATED_RUNNING] =
			f->capacity > 0 ? (double)f->running / (double)f->capacity : 0,
		[REPLICATED_MEAN] = f->wait.never > 0 ? HUGE_VAL : f->wait.mean,
		[REPLICATED_P50] = f->wait.p50,
		[REPLICATED_P95] = f->wait.p95,
		[REPLICATED_P99] = f->wait.p99,
		[REPLICATED_PREEMPTIONS] = m->admission ? f->preemptions : f->preempted_pods,
		[REPLICATED_LOST] = metrics_gpu_seconds(f->lost),
	};

	memcpy(m->values, values, sizeof(values));
	steady_waits_init(&m->waits, metrics);
	metrics_free(metrics);
}

static void execute(void *context, size_t i)
{
	struct measured *m = (struct measured *)context + i;

	m->run.code = engine_run(m->run.scenario, m->run.policy, &m->run.options, m->run.detail,
				 &m->journal, &m->run.err);
	m->admission = m->run.policy->admission != NULL;
	if (m->run.code == ERR_OK)
		measure(m);
}

static void forget(struct replicating *x, size_t run)
{
	struct measured *m = &x->runs[run * x->out->columns];

	for (size_t c = 0; c < x->out->columns; c++) {
		journal_free(m[c].journal);
		m[c].journal = NULL;
	}
	for (size_t c = 0; c < x->out->columns; c++) {
		scenario_free(m[c].scenario);
		m[c].scenario = NULL;
	}
}

static enum err_code check(struct replicating *x, size_t run)
{
	for (size_t c = 0; c < x->out->columns; c++) {
		const struct measured *m = &x->runs[run * x->out->columns + c];

		if (m->run.code != ERR_OK) {
			*x->err = m->run.err;
			return m->run.code;
		}
		x->out->stopped = x->out->stopped || m->journal->end == RUN_INTERRUPTED;
		if (m->journal->end == RUN_LIVELOCK)
			return err_set(x->err, ERR_VALUE, NULL, 0, 0,
				       "with seed %" PRIu64 " jobs preempt each other without end "
				       "under %s: run gqsim compare --seed %" PRIu64,
				       m->run.options.seed, m->run.policy->name,
				       m->run.options.seed);
	}
	return ERR_OK;
}

static void measure_steady(void *context, size_t i)
{
	struct replicating *x = context;
	struct measured *m = &x->runs[i];
	struct steady s;

	steady_measure(m->journal, m->admission, &m->waits, x->out->warmup, &s);
	m->values[REPLICATED_JOBS] = s.jobs;
	m->values[REPLICATED_NEVER] = s.never;
	m->values[REPLICATED_IDLE] = s.idle;
	m->values[REPLICATED_RUNNING] = s.running;
	m->values[REPLICATED_MEAN] = s.mean;
	m->values[REPLICATED_P50] = s.p50;
	m->values[REPLICATED_P95] = s.p95;
	m->values[REPLICATED_P99] = s.p99;
}

static void finish(struct replicating *x, size_t run)
{
	for (size_t c = 0; c < x->out->columns && x->out->warm && x->out->runs > run; c++)
		measure_steady(x, run * x->out->columns + c);
	forget(x, run);
}

/* Runs from .. to - 1, the columns of one at once. */
static enum err_code run_some(struct replicating *x, size_t from, size_t to)
{
	size_t columns = x->out->columns, old = x->run_capacity;
	enum err_code code = ERR_OK;

	x->runs = mem_grow(x->runs, to * columns, &x->run_capacity, sizeof(*x->runs));
	if (x->run_capacity > old)
		memset(x->runs + old, 0, (x->run_capacity - old) * sizeof(*x->runs));
	for (size_t at = from; at < to && code == ERR_OK && !x->out->stopped; at++) {
		code = prepare(x, at);
		if (code == ERR_OK)
			batch_each(columns, x->out->options.threads, execute,
				   x->runs + at * columns);
		if (code == ERR_OK)
			code = check(x, at);
		if (code == ERR_OK && !x->out->stopped)
			x->out->runs = at + 1;
		/* While the warm-up is not known the journals are still needed. */
		if (!x->out->options.warmup_auto)
			finish(x, at);
	}
	return code;
}

/* ---- the warm-up ---- */

/* Waits of the i-th job, averaged over the replications of a column; what never started has
 * waited as long as the longest that did. */
static simtime settle(struct replicating *x, size_t column, bool *settled)
{
	size_t runs = x->out->runs, columns = x->out->columns, shortest;
	const double **lists = mem_calloc(runs, sizeof(*lists));
	size_t *lengths = mem_calloc(runs, sizeof(*lengths));
	double *mean = mem_calloc(x->runs[column].waits.count, sizeof(*mean)), longest = 0;
	simtime until = 0;
	struct warmup w;

	for (size_t r = 0; r < runs; r++) {
		lists[r] = x->runs[r * columns + column].waits.seconds;
		lengths[r] = x->runs[r * columns + column].waits.count;
	}
	shortest = warmup_average(lists, lengths, runs, mean);
	for (size_t i = 0; i < shortest; i++)
		longest = isfinite(mean[i]) && mean[i] > longest ? mean[i] : longest;
	for (size_t i = 0; i < shortest; i++)
		mean[i] = isfinite(mean[i]) ? mean[i] : longest;
	w = warmup_mser5(mean, shortest);
	*settled = *settled && w.settled;
	for (size_t r = 0; r < runs && w.cut < shortest; r++) {
		simtime at = x->runs[r * columns + column].waits.submits[w.cut];

		until = w.cut > 0 && at > until ? at : until;
	}
	mem_free(lists);
	mem_free(lengths);
	mem_free(mean);
	return until;
}

/* The longest of all columns: all are measured over one window. */
static void find_warmup(struct replicating *x)
{
	struct replicated *out = x->out;

	out->settled = true;
	out->warmup = 0;
	for (size_t c = 0; c < out->columns; c++) {
		simtime until = settle(x, c, &out->settled);

		out->warmup = until > out->warmup ? until : out->warmup;
	}
}

/* With every further run the warm-up may turn out another. */
static void settle_all(struct replicating *x)
{
	if (!x->out->options.warmup_auto)
		return;
	find_warmup(x);
	batch_each(x->out->runs * x->out->columns, x->out->options.threads, measure_steady, x);
}

/* ---- results ---- */

static void collect(struct replicating *x)
{
	struct replicated *out = x->out;
	double *at;

	mem_free(out->values);
	out->values = mem_calloc(REPLICATED_FIGURES * out->columns * out->runs, sizeof(double));
	at = out->values;
	for (int f = 0; f < REPLICATED_FIGURES; f++)
		for (size_t c = 0; c < out->columns; c++)
			for (size_t r = 0; r < out->runs; r++)
				*at++ = x->runs[r * out->columns + c].values[f];
}

static void cut_into_batches(struct replicating *x)
{
	struct replicated *out = x->out;

	if (out->runs != 1)
		return;
	out->single = mem_calloc(out->columns, sizeof(*out->single));
	out->batches = true;
	for (size_t c = 0; c < out->columns; c++) {
		const struct steady_waits *w = &x->runs[c].waits;
		size_t first = 0;

		while (first < w->count && w->submits[first] < out->warmup)
			first++;
		out->batches = out->batches && w->count - first >= LEAST_BATCHED;
		out->single[c] = interval_batch_means(w->seconds + first, w->count - first, BATCHES,
						      out->options.goal.confidence);
	}
}

/* ---- the whole ---- */

static bool is_narrow(const struct replicated *r)
{
	for (size_t c = 0; c < r->columns; c++) {
		struct interval i = replicated_interval(r, REPLICATED_P95, c);

		if (!interval_narrow(&i, &r->options.goal))
			return false;
	}
	return true;
}

/* How many runs are needed for the p95 wait of every column; so many as there are: enough. */
static size_t needed(struct replicating *x)
{
	struct replicated *out = x->out;
	const struct interval_goal *goal = &out->options.goal;
	size_t most = out->runs;

	for (size_t c = 0; c < out->columns; c++) {
		struct interval i = replicated_interval(out, REPLICATED_P95, c);
		size_t n = interval_needed(&i, goal);

		/* Where some are never no number of runs gives a width. */
		if (i.never == 0)
			most = n > most ? n : most;
	}
	return most;
}

/* Not more than as many again at a time: the first guess may be far off. */
static enum err_code run_until_narrow(struct replicating *x)
{
	struct replicated *out = x->out;
	const struct interval_goal *goal = &out->options.goal;
	size_t want = goal->half_width > 0 && goal->least < goal->most ? goal->least : goal->most;
	enum err_code code = ERR_OK;

	while (code == ERR_OK && out->runs < want) {
		code = run_some(x, out->runs, want);
		if (code != ERR_OK || goal->half_width <= 0)
			break;
		if (out->stopped || out->runs == 0)
			break;
		settle_all(x);
		collect(x);
		want = needed(x);
		want = want > 2 * out->runs ? 2 * out->runs : want;
	}
	out->reached = goal->half_width > 0 && out->runs > 0 && is_narrow(out);
	return code;
}

static void release(struct replicating *x)
{
	size_t columns = x->out->columns;

	for (size_t i = 0; i < x->run_capacity; i++)
		steady_waits_free(&x->runs[i].waits);
	for (size_t r = 0; r < x->run_capacity / columns; r++)
		forget(x, r);
	mem_free(x->runs);
}

enum err_code replications_run(const struct columns *columns, const struct cmd_context *context,
			       const struct cmd_args *args, const struct study *study,
			       const struct replicated_options *options, struct replicated *out,
			       struct err *err)
{
	struct replicating x = {
		.columns = columns, .context = context, .args = args, .out = out, .err = err};
	size_t count;
	const struct report_column *titled = study_columns(study, &count);
	const char **titles = mem_calloc(count, sizeof(*titles));
	enum err_code code;

	for (size_t c = 0; c < count; c++)
		titles[c] = titled[c].title;
	*out = (struct replicated){.options = *options,
				   .columns = count,
				   .titles = titles,
				   .warm = options->warmup_auto || options->warmup > 0,
				   .settled = true,
				   .warmup = options->warmup};
	code = run_until_narrow(&x);
	if (code == ERR_OK) {
		settle_all(&x);
		collect(&x);
		cut_into_batches(&x);
	}
	release(&x);
	return code;
}

enum err_code replications_warmup(const char *text, struct replicated_options *options,
				  struct err *err)
{
	options->warmup = 0;
	options->warmup_auto = text != NULL && strcmp(text, "auto") == 0;
	if (text == NULL || options->warmup_auto ||
	    clock_read_duration(text, strlen(text), &options->warmup))
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0, "--warmup %.50s: auto or a duration, such as 7d",
		       text);
}
