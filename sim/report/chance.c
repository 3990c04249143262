#include "sim/report/chance.h"

#include <math.h>

#include "sim/engine/batch.h"

struct chance_figures chance_figures_of(const struct metrics *m)
{
	return (struct chance_figures){.finished = m->finished,
				       .deadlocks = (uint32_t)m->deadlock_count,
				       .idle = m->idle,
				       .p95 = m->wait.p95};
}

static bool apart(double a, double b)
{
	if (isinf(a) || isinf(b))
		return isinf(a) != isinf(b);
	return fabs(a - b) > 0.01 * fmax(fabs(a), fabs(b));
}

bool chance_differs(const struct chance_figures *a, const struct chance_figures *b)
{
	return a->finished != b->finished || a->deadlocks != b->deadlocks ||
	       apart((double)a->idle, (double)b->idle) || apart(a->p95, b->p95);
}

static void widen(struct chance *chance, const struct chance_figures *f)
{
	struct chance_figures *low = &chance->low, *high = &chance->high;

	if (chance->seeds++ == 0)
		*low = *high = *f;
	low->finished = f->finished < low->finished ? f->finished : low->finished;
	high->finished = f->finished > high->finished ? f->finished : high->finished;
	low->deadlocks = f->deadlocks < low->deadlocks ? f->deadlocks : low->deadlocks;
	high->deadlocks = f->deadlocks > high->deadlocks ? f->deadlocks : high->deadlocks;
	low->idle = f->idle < low->idle ? f->idle : low->idle;
	high->idle = f->idle > high->idle ? f->idle : high->idle;
	low->p95 = fmin(low->p95, f->p95);
	high->p95 = fmax(high->p95, f->p95);
}

static struct chance_figures measure(const struct report_column *column,
				     const struct journal *journal)
{
	simtime window = metrics_window(journal);
	struct metrics *m;
	struct chance_figures f;

	if (column->metrics->end > window)
		window = column->metrics->end;
	m = metrics_new(journal, column->policy->admission != NULL, window);
	f = chance_figures_of(m);
	metrics_free(m);
	return f;
}

static void take(const struct report_column *column, const struct journal *journal, bool drained,
		 struct chance *out)
{
	struct chance_figures f = measure(column, journal);

	if (drained) {
		out->drained = true;
		out->other = f;
	} else {
		widen(out, &f);
	}
}

enum err_code chance_measure(const struct report_column *column, uint32_t seeds, bool drain,
			     unsigned threads, struct chance *out, struct err *err)
{
	size_t count = (size_t)seeds + drain;
	struct batch_run *runs = mem_calloc(count, sizeof(*runs));
	enum err_code code = ERR_OK;

	*out = (struct chance){.drained = false};
	for (size_t i = 0; i < count; i++) {
		runs[i] = (struct batch_run){.scenario = column->scenario,
					     .policy = column->policy,
					     .options = *column->options,
					     .detail = JOURNAL_FACTS};
		runs[i].options.progress = NULL;
		if (i < seeds) {
			runs[i].options.tie = TIE_RANDOM;
			runs[i].options.seed = i + 1;
		} else {
			runs[i].options.drain =
				column->options->drain == DRAIN_EACH ? DRAIN_INSTANT : DRAIN_EACH;
		}
	}
	if (count > 0)
		code = batch_execute(runs, count, threads, err);
	for (size_t i = 0; i < count; i++) {
		if (code == ERR_OK && runs[i].journal->end == RUN_INTERRUPTED)
			out->stopped = true;
		else if (code == ERR_OK)
			take(column, runs[i].journal, i >= seeds, out);
		journal_free(runs[i].journal);
	}
	mem_free(runs);
	return code;
}
