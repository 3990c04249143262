#include "sim/scenario/options.h"

#include <stdio.h>
#include <string.h>

#include "core/num.h"
#include "sim/tool/nearest.h"

void options_default(struct run_options *options)
{
	*options = (struct run_options){
		.requeue_batch = CLOCK_SECOND,
		.eviction_delay = 5 * CLOCK_SECOND,
		.seed = 1,
		.horizon = CLOCK_HOUR,
		.max_time = CLOCK_NEVER,
		.kubernetes_minor = 34,
		.eviction_limit = OPTIONS_EVICTION_LIMIT,
		.heard = JOB_NONE,
		.strategy = {.shape = {{0, 0}, {100, 10}}, .shape_count = 2},
		.initial_backoff = CLOCK_SECOND,
		.max_backoff = 10 * CLOCK_SECOND,
	};
}

static enum err_code bad(struct err *err, const char *option, const char *text, const char *right)
{
	return err_set(err, ERR_VALUE, NULL, 0, 0, "--%s: \"%.200s\" is not %s", option, text,
		       right);
}

static enum err_code set_duration(simtime *out, const char *option, const char *text,
				  struct err *err)
{
	if (!clock_read_duration(text, strlen(text), out))
		return bad(err, option, text, "a duration such as 90, 90s, 15m or 1h30m");
	return ERR_OK;
}

/* The index of text among count words. */
static enum err_code set_word(int *out, const char *option, const char *text,
			      const char *const *words, int count, const char *right,
			      struct err *err)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return ERR_OK;
		}
	}
	return bad(err, option, text, right);
}

static enum err_code set_requeue_batch(struct run_options *options, const char *text,
				       struct err *err)
{
	return set_duration(&options->requeue_batch, "requeue-batch", text, err);
}

static enum err_code set_eviction_delay(struct run_options *options, const char *text,
					struct err *err)
{
	return set_duration(&options->eviction_delay, "eviction-delay", text, err);
}

static enum err_code set_grace(struct run_options *options, const char *text, struct err *err)
{
	return set_duration(&options->grace, "grace", text, err);
}

static enum err_code set_placement_timeout(struct run_options *options, const char *text,
					   struct err *err)
{
	return set_duration(&options->placement_timeout, "placement-timeout", text, err);
}

static enum err_code set_human_after(struct run_options *options, const char *text, struct err *err)
{
	return set_duration(&options->human_after, "human-after", text, err);
}

static enum err_code set_horizon(struct run_options *options, const char *text, struct err *err)
{
	return set_duration(&options->horizon, "horizon", text, err);
}

static enum err_code set_max_time(struct run_options *options, const char *text, struct err *err)
{
	return set_duration(&options->max_time, "max-time", text, err);
}

static enum err_code set_drain(struct run_options *options, const char *text, struct err *err)
{
	static const char *const words[] = {"instant", "each"};
	int word = 0;
	enum err_code code = set_word(&word, "drain", text, words, 2, "instant or each", err);

	options->drain = (enum drain_mode)word;
	return code;
}

static enum err_code set_create(struct run_options *options, const char *text, struct err *err)
{
	static const char *const words[] = {"sequential", "interleaved"};
	int word = 0;
	enum err_code code =
		set_word(&word, "create", text, words, 2, "sequential or interleaved", err);

	options->create = (enum create_order)word;
	return code;
}

static enum err_code set_placement(struct run_options *options, const char *text, struct err *err)
{
	static const char *const words[] = {"scheduler", "none"};
	int word = 0;
	enum err_code code = set_word(&word, "placement", text, words, 2, "scheduler or none", err);

	options->placement = (enum placement_mode)word;
	return code;
}

static enum err_code set_tie(struct run_options *options, const char *text, struct err *err)
{
	static const char *const words[] = {"first", "random"};
	int word = 0;
	enum err_code code = set_word(&word, "tie", text, words, 2, "first or random", err);

	options->tie = (enum tie_mode)word;
	return code;
}

static enum err_code set_checkpointing(struct run_options *options, const char *text,
				       struct err *err)
{
	static const char *const words[] = {"restart", "resume"};
	int word = 0;
	enum err_code code =
		set_word(&word, "checkpointing", text, words, 2, "restart or resume", err);

	options->checkpointing = (enum checkpoint_mode)word;
	return code;
}

static enum err_code set_dependencies(struct run_options *options, const char *text,
				      struct err *err)
{
	static const char *const words[] = {"wait", "ignore"};
	int word = 0;
	enum err_code code = set_word(&word, "dependencies", text, words, 2, "wait or ignore", err);

	options->dependencies = (enum dependency_mode)word;
	return code;
}

static enum err_code set_seed(struct run_options *options, const char *text, struct err *err)
{
	int64_t seed;

	if (!num_read_i64(text, strlen(text), &seed) || seed < 0)
		return bad(err, "seed", text, "a whole number from 0 on");
	options->seed = (uint64_t)seed;
	return ERR_OK;
}

static enum err_code set_kubernetes_version(struct run_options *options, const char *text,
					    struct err *err)
{
	static const char *const words[] = {"1.34", "1.35"};
	int word = 0;
	enum err_code code =
		set_word(&word, "kubernetes-version", text, words, 2, "1.34 or 1.35", err);

	options->kubernetes_minor = 34 + (uint32_t)word;
	return code;
}

/* "nvidia.com/gpu=5,cpu=1": the pairs after the colon of --strategy. */
static bool read_weights(struct node_strategy *strategy, const char *text)
{
	strategy->weight_count = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		const char *equals = memchr(text, '=', len);
		size_t name_len = equals == NULL ? 0 : (size_t)(equals - text);
		struct strategy_weight *weight = &strategy->weights[strategy->weight_count];

		if (name_len == 0 || name_len >= sizeof(weight->resource) ||
		    strategy->weight_count == OPTIONS_WEIGHT_MAX)
			return false;
		if (!num_read_i64(equals + 1, len - name_len - 1, &weight->weight) ||
		    weight->weight < 1 || weight->weight > 100)
			return false;
		memcpy(weight->resource, text, name_len);
		weight->resource[name_len] = '\0';
		strategy->weight_count++;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static enum err_code set_strategy(struct run_options *options, const char *text, struct err *err)
{
	static const char right[] = "LeastAllocated, MostAllocated or RequestedToCapacityRatio, "
				    "with up to 8 weights from 1 to 100 as in "
				    "MostAllocated:nvidia.com/gpu=5,cpu=1";
	struct node_strategy *strategy = &options->strategy;
	size_t len = strcspn(text, ":");
	bool most = len == 13 && memcmp(text, "MostAllocated", len) == 0;
	bool ratio = len == 24 && memcmp(text, "RequestedToCapacityRatio", len) == 0;

	if (!most && !ratio && !(len == 14 && memcmp(text, "LeastAllocated", len) == 0))
		return bad(err, "strategy", text, right);
	strategy->type = most ? STRATEGY_MOST : ratio ? STRATEGY_RATIO : STRATEGY_LEAST;
	strategy->given = text[len] == ':';
	strategy->weight_count = 0;
	if (strategy->given && !read_weights(strategy, text + len + 1))
		return bad(err, "strategy", text, right);
	return ERR_OK;
}

/* "0=0,100=10" */
static bool read_shape(struct node_strategy *strategy, const char *text)
{
	strategy->shape_count = 0;
	for (;;) {
		struct strategy_point *point = &strategy->shape[strategy->shape_count];
		size_t len = strcspn(text, ","), first = strcspn(text, "=");

		if (strategy->shape_count == OPTIONS_SHAPE_MAX || first >= len ||
		    !num_read_i64(text, first, &point->utilization) ||
		    !num_read_i64(text + first + 1, len - first - 1, &point->score) ||
		    point->utilization < 0 || point->utilization > 100 || point->score < 0 ||
		    point->score > 10 ||
		    (strategy->shape_count > 0 && point[-1].utilization >= point->utilization))
			return false;
		strategy->shape_count++;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static enum err_code set_strategy_shape(struct run_options *options, const char *text,
					struct err *err)
{
	if (read_shape(&options->strategy, text))
		return ERR_OK;
	return bad(err, "strategy-shape", text,
		   "up to 16 scores from 0 to 10 by ascending percentages, as in 0=0,70=10,100=5");
}

static enum err_code set_percentage(struct run_options *options, const char *text, struct err *err)
{
	int64_t percentage;

	if (!num_read_i64(text, strlen(text), &percentage) || percentage < 0 || percentage > 100)
		return bad(err, "percentage-of-nodes-to-score", text,
			   "a whole number from 0 to 100");
	options->percentage_of_nodes = (uint32_t)percentage;
	return ERR_OK;
}

/* Kubernetes takes whole seconds, of which a back-off ends at one. */
static enum err_code set_backoff(simtime *out, const char *option, const char *text,
				 struct err *err)
{
	simtime backoff;

	if (!clock_read_duration(text, strlen(text), &backoff) || backoff < CLOCK_SECOND ||
	    backoff % CLOCK_SECOND != 0 || backoff > CLOCK_DAY)
		return bad(err, option, text, "whole seconds, from 1 to 86400");
	*out = backoff;
	return ERR_OK;
}

static enum err_code set_initial_backoff(struct run_options *options, const char *text,
					 struct err *err)
{
	return set_backoff(&options->initial_backoff, "pod-initial-backoff", text, err);
}

static enum err_code set_max_backoff(struct run_options *options, const char *text, struct err *err)
{
	return set_backoff(&options->max_backoff, "pod-max-backoff", text, err);
}

const struct option_row *options_rows(void)
{
	static const struct option_row rows[] = {
		{"requeue-batch", "SECONDS",
		 "Kueue: requeues of waiting jobs are handled in batches so far apart (default 1)",
		 set_requeue_batch},
		{"eviction-delay", "SECONDS",
		 "Kueue: an evicted job keeps its quota so long while its pods end (default 5)",
		 set_eviction_delay},
		{"placement", "scheduler|none",
		 "who gives pods their nodes; none: quota admission alone decides (default "
		 "scheduler; none when the input has no nodes)",
		 set_placement},
		{"create", "sequential|interleaved",
		 "order in which the pods of jobs submitted at one instant are created (default "
		 "sequential)",
		 set_create},
		{"drain", "instant|each",
		 "the scheduler runs after all events of an instant, or after each (default "
		 "instant)",
		 set_drain},
		{"grace", "SECONDS", "time between a pod's preemption and its end (default 0)",
		 set_grace},
		{"placement-timeout", "SECONDS",
		 "delete and re-create the pods of a job not fully placed after so long (default "
		 "0: never)",
		 set_placement_timeout},
		{"human-after", "SECONDS",
		 "someone deletes the youngest job of a deadlock that stood so long, e.g. 8h "
		 "(default 0: never)",
		 set_human_after},
		{"strategy", "NAME[:RESOURCE=WEIGHT,...]",
		 "node scoring: LeastAllocated, MostAllocated or RequestedToCapacityRatio, with "
		 "weights (default: the default profile's)",
		 set_strategy},
		{"strategy-shape", "PERCENT=SCORE,...",
		 "RequestedToCapacityRatio: scores from 0 to 10 by use in percent (default "
		 "0=0,100=10)",
		 set_strategy_shape},
		{"percentage-of-nodes-to-score", "N",
		 "search no more nodes than this share, if 100 fit (default 0: by their number)",
		 set_percentage},
		{"pod-initial-backoff", "SECONDS",
		 "kube-scheduler: time before a pod's first retry (default 1)",
		 set_initial_backoff},
		{"pod-max-backoff", "SECONDS",
		 "kube-scheduler: the longest time before a retry (default 10)", set_max_backoff},
		{"tie", "first|random",
		 "which of equally good nodes a pod gets: the first of the input, or a random one "
		 "(default first)",
		 set_tie},
		{"seed", "N", "seed of everything random (default 1)", set_seed},
		{"checkpointing", "restart|resume",
		 "preempted work starts over, or resumes from its checkpoints (default restart)",
		 set_checkpointing},
		{"dependencies", "wait|ignore",
		 "jobs that name a preceding one (SWF) come its think time after that has ended, "
		 "or when they were recorded to (default wait)",
		 set_dependencies},
		{"horizon", "SECONDS",
		 "when jobs are stuck, account at least to here (default 3600)", set_horizon},
		{"max-time", "SECONDS", "stop after the first instant later than this",
		 set_max_time},
		{"kubernetes-version", "1.34|1.35",
		 "scheduler rules of that release (default 1.34)", set_kubernetes_version},
		{NULL, NULL, NULL, NULL},
	};

	return rows;
}

enum err_code options_set(struct run_options *options, const char *name, const char *value,
			  struct err *err)
{
	struct nearest nearest;

	nearest_begin(&nearest, name);
	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		if (strcmp(row->name, name) == 0)
			return row->set(options, value, err);
		nearest_offer(&nearest, row->name);
	}
	if (nearest.best != NULL)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no option \"%.200s\"; did you mean \"%s\"?", name, nearest.best);
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
		       "no option \"%.200s\" (gqsim list options shows them)", name);
}
