#include "sim/sweep.h"

#include <fnmatch.h>
#include <pthread.h>
#include <string.h>

#include "core/mem.h"
#include "core/num.h"
#include "core/sort.h"
#include "sim/audit.h"
#include "sim/batch.h"
#include "sim/exact.h"
#include "sim/progress.h"
#include "sim/study.h"

#define TEAM_RANK 1000

/* Points that share an input. */
struct group {
	pthread_mutex_t lock; /* of what follows, while it is loaded */
	struct scenario *scenario;
	bool loaded;
	enum err_code code;
	struct err err;
	size_t left; /* points to come */
};

struct item {
	uint64_t point;
	size_t group;
};

struct sweep {
	const struct sweep_request *request;
	const struct sweep_plan *plan;
	struct item *items; /* in the order in which they are run */
	size_t count, capacity;
	struct group *groups;
	size_t group_count;
	struct progress *progress;
	pthread_mutex_t lock; /* of the store and what follows */
	struct sweep_result *result;
	enum err_code code; /* of the store: the first error ends all */
	struct err err;
};

/* ---- what is to be run ---- */

static bool of_input(const struct sweep_dimension *d)
{
	return d->target == SWEEP_NODES || d->target == SWEEP_TRACE || d->target == SWEEP_SETTING;
}

/* By what they change of the input, so that those that share one stand together. */
static int compare_inputs(const struct sweep_plan *plan, uint64_t a, uint64_t b)
{
	uint32_t x[SWEEP_DIMENSIONS], y[SWEEP_DIMENSIONS];

	sweep_plan_point(plan, a, x);
	sweep_plan_point(plan, b, y);
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		if (of_input(&plan->dimensions[i]) && x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

static int compare_items(const void *a, const void *b, void *context)
{
	const struct item *x = a, *y = b;
	const struct sweep *sweep = context;
	int order = compare_inputs(sweep->plan, x->point, y->point);

	return order != 0 ? order : (x->point > y->point) - (x->point < y->point);
}

static enum err_code list_items(struct sweep *sweep, struct err *err)
{
	const struct sweep_shard *shard = &sweep->request->shard;
	enum err_code code = ERR_OK;

	for (uint64_t p = shard->number - 1; p < sweep->plan->points && code == ERR_OK;
	     p += shard->of) {
		bool done = false;

		code = sweep_store_done(sweep->request->store, p, &done, err);
		sweep->result->wanted++;
		sweep->result->kept += done;
		if (done)
			continue;
		sweep->items = mem_grow(sweep->items, sweep->count + 1, &sweep->capacity,
					sizeof(*sweep->items));
		sweep->items[sweep->count++] = (struct item){.point = p};
	}
	return code;
}

static void make_groups(struct sweep *sweep)
{
	const struct sweep_plan *plan = sweep->plan;

	sort_stable(sweep->items, sweep->count, sizeof(*sweep->items), compare_items, sweep);
	sweep->groups = mem_calloc(sweep->count, sizeof(*sweep->groups));
	for (size_t i = 0; i < sweep->count; i++) {
		if (i == 0 ||
		    compare_inputs(plan, sweep->items[i - 1].point, sweep->items[i].point) != 0)
			pthread_mutex_init(&sweep->groups[sweep->group_count++].lock, NULL);
		sweep->items[i].group = sweep->group_count - 1;
		sweep->groups[sweep->group_count - 1].left++;
	}
}

/* ---- inputs ---- */

/* "PATH=VALUE", to be freed. */
static char *setting_text(const struct sweep_dimension *d, const char *value)
{
	size_t size = strlen(d->set) + strlen(value) + 2;
	char *text = mem_calloc(1, size);

	snprintf(text, size, "%s=%s", d->set, value);
	return text;
}

static enum err_code note_inputs(struct sweep *sweep, const struct scenario *s, struct err *err)
{
	enum err_code code = ERR_OK;

	pthread_mutex_lock(&sweep->lock);
	for (uint32_t i = 0; i < s->input_count && code == ERR_OK; i++)
		code = sweep_store_input(sweep->request->store,
					 scenario_string(s, s->input_names[i]), s->input_hashes[i],
					 err);
	if (code != ERR_OK && sweep->code == ERR_OK) {
		sweep->code = code;
		sweep->err = *err;
	}
	pthread_mutex_unlock(&sweep->lock);
	return code;
}

/* The input of a point; with settings false, before anything of it is changed. */
static enum err_code load(struct sweep *sweep, uint64_t point, bool settings, struct scenario **out,
			  struct err *err)
{
	const struct sweep_plan *plan = sweep->plan;
	char *sets[SWEEP_DIMENSIONS];
	struct sweep_texts all = {NULL, 0, 0};
	uint32_t index[SWEEP_DIMENSIONS], changed = 0;
	struct input_request input = {.files = plan->files.items,
				      .file_count = (uint32_t)plan->files.count,
				      .trace = plan->trace,
				      .format = plan->format,
				      .nodes = plan->nodes,
				      .vc_nodes = plan->vc_nodes,
				      .strict = plan->strict};
	enum err_code code;

	sweep_plan_point(plan, point, index);
	for (size_t i = 0; i < plan->sets.count; i++)
		sweep_texts_add(&all, plan->sets.items[i]);
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];
		const char *value = d->values.items[index[i]];

		if (d->target == SWEEP_NODES)
			input.nodes = value;
		else if (d->target == SWEEP_TRACE)
			input.trace = value;
		else if (d->target == SWEEP_SETTING && settings)
			sweep_texts_add(&all, sets[changed++] = setting_text(d, value));
	}
	input.sets = all.items;
	input.set_count = (uint32_t)all.count;
	code = input_load(&input, out, NULL, err);
	for (uint32_t i = 0; i < changed; i++)
		mem_free(sets[i]);
	sweep_texts_free(&all);
	return code;
}

/* The first to come loads; the others wait for it. */
static struct group *enter_group(struct sweep *sweep, const struct item *item)
{
	struct group *group = &sweep->groups[item->group];

	pthread_mutex_lock(&group->lock);
	if (!group->loaded) {
		group->code = load(sweep, item->point, true, &group->scenario, &group->err);
		if (group->code == ERR_OK)
			note_inputs(sweep, group->scenario, &group->err);
		group->loaded = true;
	}
	pthread_mutex_unlock(&group->lock);
	return group;
}

static void leave_group(struct group *group)
{
	pthread_mutex_lock(&group->lock);
	if (--group->left == 0 && group->scenario != NULL) {
		scenario_free(group->scenario);
		group->scenario = NULL;
	}
	pthread_mutex_unlock(&group->lock);
}

/* ---- a point ---- */

struct outcome {
	const struct sweep_plan *plan;
	const char *status;
	char message[600];
	struct sweep_figure *figures; /* with texts of their own */
	size_t count, capacity;
	struct mem_arena *arena;
	bool interrupted;
};

static bool is_wanted(const struct sweep_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->outputs.count; i++) {
		if (fnmatch(plan->outputs.items[i], key, 0) == 0)
			return true;
	}
	return plan->outputs.count == 0;
}

static void keep_figure(void *context, const char *key, const char *unit, const char *text)
{
	struct outcome *o = context;
	uint32_t rank = TEAM_RANK;

	if (!is_wanted(o->plan, key))
		return;
	for (uint32_t i = 0; exact_figures()[i].key != NULL; i++) {
		if (strcmp(exact_figures()[i].key, key) == 0)
			rank = i;
	}
	o->figures = mem_grow(o->figures, o->count + 1, &o->capacity, sizeof(*o->figures));
	o->figures[o->count++] = (struct sweep_figure){.metric = mem_arena_strdup(o->arena, key),
						       .unit = unit,
						       .rank = rank,
						       .text = mem_arena_strdup(o->arena, text)};
}

static void fail(struct outcome *o, const struct err *err)
{
	o->status = "failed";
	err_format(err, o->message, sizeof(o->message));
}

static enum err_code set_option(struct run_options *options, const char *pair, struct err *err)
{
	char name[64];
	size_t len = strcspn(pair, "=");

	snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), pair);
	return options_set(options, name, pair + len + (pair[len] == '='), err);
}

/* Defaults, the input's, the plan's, then the point's. */
static enum err_code read_options(const struct sweep_plan *plan, const uint32_t *index,
				  const struct scenario *s, struct run_options *options,
				  struct err *err)
{
	enum err_code code = ERR_OK;

	options_default(options);
	for (uint32_t i = 0; i < s->option_count && code == ERR_OK; i++)
		code = set_option(options, scenario_string(s, s->options[i]), err);
	for (size_t i = 0; i < plan->options.count && code == ERR_OK; i++)
		code = set_option(options, plan->options.items[i], err);
	for (uint32_t i = 0; i < plan->dimension_count && code == ERR_OK; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (d->target == SWEEP_OPTION)
			code = options_set(options, d->set, d->values.items[index[i]], err);
	}
	return code;
}

static const struct policy_row *policy_of(const struct sweep_plan *plan, const uint32_t *index)
{
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		const struct sweep_dimension *d = &plan->dimensions[i];

		if (d->target == SWEEP_POLICY)
			return policy_find(d->values.items[index[i]]);
	}
	return NULL;
}

static void measure(struct outcome *o, const struct policy_row *policy,
		    const struct journal *journal)
{
	simtime window = metrics_window(journal);
	struct metrics *metrics;
	struct audit audit;
	struct err err;
	char text[AUDIT_TEXT];

	if (study_countable(journal->scenario, window, &err) != ERR_OK) {
		fail(o, &err);
		return;
	}
	audit_check(journal, &audit);
	if (audit.count > 0) {
		err_set(&err, ERR_VALUE, NULL, 0, 0, "the run fails its audit: %.400s",
			audit_text(journal, &audit.listed[0], text));
		fail(o, &err);
		return;
	}
	if (journal->end == RUN_LIVELOCK) {
		o->status = "livelock";
		snprintf(o->message, sizeof(o->message), "jobs evict each other without end");
	}
	metrics = metrics_new(journal, policy->admission != NULL, window);
	exact_each(metrics, keep_figure, o);
	metrics_free(metrics);
}

static void run_point(struct sweep *sweep, const struct scenario *scenario, const uint32_t *index,
		      struct outcome *o)
{
	const struct policy_row *policy = policy_of(sweep->plan, index);
	struct run_options options;
	struct journal *journal = NULL;
	struct err err;
	enum err_code code = ERR_OK;

	if (scenario->job_count == 0)
		code = err_set(&err, ERR_VALUE, NULL, 0, 0, "the input has no jobs");
	if (code == ERR_OK)
		code = read_options(sweep->plan, index, scenario, &options, &err);
	if (code == ERR_OK) {
		options.stop = sweep->request->context->stop;
		code = engine_run(scenario, policy, &options, JOURNAL_FACTS, &journal, &err);
	}
	if (code != ERR_OK) {
		fail(o, &err);
		return;
	}
	o->interrupted = journal->end == RUN_INTERRUPTED;
	if (!o->interrupted)
		measure(o, policy, journal);
	journal_free(journal);
}

static void keep(struct sweep *sweep, uint64_t point, const uint32_t *index,
		 const struct outcome *o)
{
	const struct sweep_plan *plan = sweep->plan;
	const char *values[SWEEP_DIMENSIONS];
	struct sweep_row row = {.point = point,
				.status = o->status,
				.message = o->message[0] == '\0' ? NULL : o->message,
				.values = values,
				.figures = o->figures,
				.figure_count = o->count};

	for (uint32_t i = 0; i < plan->dimension_count; i++)
		values[i] = plan->dimensions[i].values.items[index[i]];
	pthread_mutex_lock(&sweep->lock);
	if (sweep->code == ERR_OK && !o->interrupted) {
		sweep->code = sweep_store_put(sweep->request->store, &row, &sweep->err);
		sweep->result->run += sweep->code == ERR_OK;
	}
	sweep->result->interrupted = sweep->result->interrupted || o->interrupted;
	pthread_mutex_unlock(&sweep->lock);
}

static bool is_over(struct sweep *sweep)
{
	const volatile sig_atomic_t *stop = sweep->request->context->stop;
	bool over;

	pthread_mutex_lock(&sweep->lock);
	if (stop != NULL && *stop != 0)
		sweep->result->interrupted = true;
	over = sweep->result->interrupted || sweep->code != ERR_OK;
	pthread_mutex_unlock(&sweep->lock);
	return over;
}

static void work(void *context, size_t i)
{
	struct sweep *sweep = context;
	const struct item *item = &sweep->items[i];
	struct outcome o = {.plan = sweep->plan, .status = "ok"};
	uint32_t index[SWEEP_DIMENSIONS];
	struct group *group;

	if (!is_over(sweep)) {
		group = enter_group(sweep, item);
		o.arena = mem_arena_new();
		sweep_plan_point(sweep->plan, item->point, index);
		if (group->code != ERR_OK)
			fail(&o, &group->err);
		else
			run_point(sweep, group->scenario, index, &o);
		keep(sweep, item->point, index, &o);
		mem_free(o.figures);
		mem_arena_free(o.arena);
		if (sweep->progress != NULL)
			progress_report(progress_run(sweep->progress, i), 0, 1);
	}
	leave_group(&sweep->groups[item->group]);
}

/* ---- the whole ---- */

/* Files that cannot be read fail all points alike: that is told once, before anything runs. */
static enum err_code check_input(struct sweep *sweep, struct err *err)
{
	struct scenario *scenario = NULL;
	enum err_code code = load(sweep, sweep->items[0].point, false, &scenario, err);

	if (code == ERR_OK)
		code = note_inputs(sweep, scenario, err);
	if (code == ERR_OK && scenario->job_count == 0)
		code = err_set(err, ERR_VALUE, NULL, 0, 0,
			       "the input has no jobs: give Job manifests, a list of jobs (CSV), a "
			       "trace or a Simulation document");
	if (scenario != NULL)
		scenario_free(scenario);
	return code;
}

static enum err_code run_items(struct sweep *sweep, struct err *err)
{
	const struct sweep_request *request = sweep->request;
	enum err_code code = sweep->count == 0 ? ERR_OK : check_input(sweep, err);

	if (code != ERR_OK)
		return code;
	make_groups(sweep);
	if (request->context->err_terminal && !request->quiet && sweep->count > 0)
		sweep->progress = progress_new(request->context->err, sweep->count, 1, "points");
	batch_each(sweep->count, request->threads, work, sweep);
	progress_free(sweep->progress);
	if (sweep->code != ERR_OK)
		*err = sweep->err;
	return sweep->code;
}

enum err_code sweep_run(const struct sweep_request *request, struct sweep_result *out,
			struct err *err)
{
	struct sweep sweep = {.request = request, .plan = request->plan, .result = out};
	enum err_code code;

	*out = (struct sweep_result){0};
	pthread_mutex_init(&sweep.lock, NULL);
	code = list_items(&sweep, err);
	if (code == ERR_OK)
		code = run_items(&sweep, err);
	for (size_t i = 0; i < sweep.group_count; i++)
		pthread_mutex_destroy(&sweep.groups[i].lock);
	pthread_mutex_destroy(&sweep.lock);
	mem_free(sweep.groups);
	mem_free(sweep.items);
	return code;
}

/* ---- shards ---- */

enum err_code sweep_shard_read(const char *text, struct sweep_shard *out, struct err *err)
{
	size_t len = strcspn(text, "/");

	if (text[len] == '/' && num_read_u32(text, len, &out->number) &&
	    num_read_u32(text + len + 1, strlen(text + len + 1), &out->of) && out->number >= 1 &&
	    out->number <= out->of)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--shard %.60s: write NUMBER/OF, as in 1/8, 2/8, ... 8/8", text);
}

static bool read_variable(const char *text, uint32_t otherwise, uint32_t *out)
{
	*out = otherwise;
	return text == NULL || num_read_u32(text, strlen(text), out);
}

enum err_code sweep_shard_of(char *(*get)(const char *name), struct sweep_shard *out,
			     struct err *err)
{
	const char *index = get("JOB_COMPLETION_INDEX"), *of = get("JOB_COMPLETIONS");
	const char *least = NULL, *stride = NULL;
	uint32_t at, first, by;

	*out = (struct sweep_shard){1, 1};
	if (index == NULL || of == NULL) {
		index = get("SLURM_ARRAY_TASK_ID");
		of = get("SLURM_ARRAY_TASK_COUNT");
		least = get("SLURM_ARRAY_TASK_MIN");
		stride = get("SLURM_ARRAY_TASK_STEP");
	}
	if (index == NULL || of == NULL)
		return ERR_OK;
	if (read_variable(index, 0, &at) && read_variable(of, 0, &out->of) &&
	    read_variable(least, 0, &first) && read_variable(stride, 1, &by) && by >= 1 &&
	    at >= first && (at - first) / by < out->of) {
		out->number = (at - first) / by + 1;
		return ERR_OK;
	}
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "the environment says index %.30s of %.30s: give --shard NUMBER/OF", index,
		       of);
}
