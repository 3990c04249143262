#include "sim/report/replicated.h"

#include "core/mem.h"

static const struct {
	const char *label, *key;
	enum replicated_unit unit;
} figures[REPLICATED_FIGURES] = {
	[REPLICATED_JOBS] = {"Jobs", "jobs", REPLICATED_COUNT},
	[REPLICATED_NEVER] = {"Jobs that never started", "jobs_never_started", REPLICATED_COUNT},
	[REPLICATED_DEADLOCKS] = {"Deadlocks", "deadlocks", REPLICATED_COUNT},
	[REPLICATED_IDLE] = {"GPU-time held idle", "idle_share", REPLICATED_SHARE},
	[REPLICATED_RUNNING] = {"GPUs at work", "running_share", REPLICATED_SHARE},
	[REPLICATED_MEAN] = {"Wait to start, mean", "start_wait_mean", REPLICATED_WAIT},
	[REPLICATED_P50] = {"  median", "start_wait_p50", REPLICATED_WAIT},
	[REPLICATED_P95] = {"  p95", "start_wait_p95", REPLICATED_WAIT},
	[REPLICATED_P99] = {"  p99", "start_wait_p99", REPLICATED_WAIT},
	[REPLICATED_PREEMPTIONS] = {"Preemptions", "preemptions", REPLICATED_COUNT},
	[REPLICATED_LOST] = {"GPU-hours of work lost", "lost", REPLICATED_GPU},
};

const char *replicated_label(enum replicated_figure figure)
{
	return figures[figure].label;
}

const char *replicated_key(enum replicated_figure figure)
{
	return figures[figure].key;
}

enum replicated_unit replicated_unit(enum replicated_figure figure)
{
	return figures[figure].unit;
}

static const double *values_of(const struct replicated *r, enum replicated_figure figure,
			       size_t column)
{
	return r->values + ((size_t)figure * r->columns + column) * r->runs;
}

struct interval replicated_interval(const struct replicated *r, enum replicated_figure figure,
				    size_t column)
{
	if (r->batches && figure == REPLICATED_MEAN)
		return r->single[column];
	return interval_mean(values_of(r, figure, column), r->runs, r->options.goal.confidence);
}

struct interval replicated_difference(const struct replicated *r, enum replicated_figure figure,
				      size_t column)
{
	return interval_paired(values_of(r, figure, column), values_of(r, figure, 0), r->runs,
			       r->options.goal.confidence);
}

void replicated_free(struct replicated *r)
{
	mem_free(r->values);
	mem_free(r->single);
	mem_free(r->titles);
	*r = (struct replicated){0};
}
