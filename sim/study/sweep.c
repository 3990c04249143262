#include "sim/study/sweep.h"

#include <pthread.h>
#include <string.h>

#include "core/mem.h"
#include "core/num.h"
#include "core/sort.h"
#include "sim/engine/batch.h"
#include "sim/tool/progress.h"

/* Points that share an input. */
struct group {
	pthread_mutex_t lock; /* of what follows, while it is loaded */
	struct scenario *scenario;
	bool loaded;
	enum err_code code;
	struct err err;
	size_t users; /* threads at its points; under the sweep's lock */
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
	size_t next; /* to be handed out, under the lock */
	struct group *groups;
	size_t group_count;
	size_t newest; /* group that this process has come to, under the lock */
	struct progress *progress;
	pthread_mutex_t lock; /* of the store and what follows */
	struct sweep_result *result;
	enum err_code code; /* of the store: the first error ends all */
	struct err err;
};

/* ---- what is to be run ---- */

static bool of_input(const struct sweep_plan *plan, const struct sweep_dimension *d)
{
	if (plan->made_up && strcmp(d->set, "seed") == 0)
		return true;
	return d->target == SWEEP_NODES || d->target == SWEEP_TRACE || d->target == SWEEP_SETTING;
}

/* By what they change of the input, so that those that share one stand together. */
static int compare_inputs(const struct sweep_plan *plan, uint64_t a, uint64_t b)
{
	uint32_t x[SWEEP_DIMENSIONS], y[SWEEP_DIMENSIONS];

	sweep_plan_point(plan, a, x);
	sweep_plan_point(plan, b, y);
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		if (of_input(plan, &plan->dimensions[i]) && x[i] != y[i])
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

bool sweep_is_helper(const struct sweep_team *team)
{
	return team != NULL && team->rank > 0;
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
	}
}

/* All of the team have rank 0's items. */
static void share_items(struct sweep *sweep)
{
	struct sweep_team *team = sweep->request->team;
	uint64_t count = sweep->count;

	team->share(team, &count, sizeof(count));
	sweep->count = (size_t)count;
	sweep->items =
		mem_grow(sweep->items, sweep->count, &sweep->capacity, sizeof(*sweep->items));
	team->share(team, sweep->items, sweep->count * sizeof(*sweep->items));
}

/* ---- inputs ---- */

/* The first to come loads; the others wait for it. */
static struct group *enter_group(struct sweep *sweep, const struct item *item,
				 struct sweep_outcome *o)
{
	struct group *group = &sweep->groups[item->group];

	pthread_mutex_lock(&group->lock);
	if (!group->loaded) {
		group->code = sweep_point_load(sweep->plan, item->point, true, &group->scenario,
					       &group->err);
		if (group->code == ERR_OK)
			sweep_point_inputs(o, group->scenario);
		group->loaded = true;
	}
	pthread_mutex_unlock(&group->lock);
	return group;
}

/* Items come group by group: what lies behind and is not in use is forgotten. */
static void forget_group(struct sweep *sweep, size_t i)
{
	struct group *group = &sweep->groups[i];

	if (group->users > 0 || i == sweep->newest || group->scenario == NULL)
		return;
	scenario_free(group->scenario);
	group->scenario = NULL;
	group->loaded = false;
}

static void come_to_group(struct sweep *sweep, size_t i)
{
	size_t before = sweep->newest;

	pthread_mutex_lock(&sweep->lock);
	sweep->groups[i].users++;
	if (i > before) {
		sweep->newest = i;
		forget_group(sweep, before);
	}
	pthread_mutex_unlock(&sweep->lock);
}

static void leave_group(struct sweep *sweep, size_t i)
{
	pthread_mutex_lock(&sweep->lock);
	sweep->groups[i].users--;
	forget_group(sweep, i);
	pthread_mutex_unlock(&sweep->lock);
}

/* ---- results ---- */

static enum err_code store_outcome(struct sweep *sweep, const struct sweep_outcome *o)
{
	const struct sweep_plan *plan = sweep->plan;
	struct sweep_store *store = sweep->request->store;
	const char *values[SWEEP_DIMENSIONS];
	uint32_t index[SWEEP_DIMENSIONS];
	struct sweep_row row = {.point = o->point,
				.status = o->status,
				.message = o->message[0] == '\0' ? NULL : o->message,
				.values = values,
				.figures = o->figures,
				.figure_count = o->count};
	enum err_code code = ERR_OK;

	sweep_plan_point(plan, o->point, index);
	for (uint32_t i = 0; i < plan->dimension_count; i++)
		values[i] = plan->dimensions[i].values.items[index[i]];
	for (uint32_t i = 0; i < o->input_count && code == ERR_OK; i++)
		code = sweep_store_input(store, o->names[i], o->hashes[i], &sweep->err);
	return code == ERR_OK ? sweep_store_put(store, &row, &sweep->err) : code;
}

static void keep(struct sweep *sweep, const struct sweep_outcome *o)
{
	pthread_mutex_lock(&sweep->lock);
	if (sweep->code == ERR_OK && !o->interrupted) {
		sweep->code = store_outcome(sweep, o);
		sweep->result->run += sweep->code == ERR_OK;
	}
	sweep->result->interrupted = sweep->result->interrupted || o->interrupted;
	if (sweep->progress != NULL && !o->interrupted)
		progress_report(progress_run(sweep->progress, (size_t)sweep->result->run - 1), 0,
				1);
	pthread_mutex_unlock(&sweep->lock);
}

/* ---- handing out ---- */

/* The next item, or their number when there is no more to do. */
static size_t next_item(struct sweep *sweep)
{
	const volatile sig_atomic_t *stop = sweep->request->context->stop;
	size_t i;

	pthread_mutex_lock(&sweep->lock);
	if (stop != NULL && *stop != 0)
		sweep->result->interrupted = true;
	if (sweep->result->interrupted || sweep->code != ERR_OK)
		sweep->next = sweep->count;
	i = sweep->next;
	sweep->next += i < sweep->count;
	pthread_mutex_unlock(&sweep->lock);
	return i;
}

static void take_parcel(struct sweep *sweep, const char *parcel, size_t size)
{
	struct sweep_outcome o;
	struct err err;
	enum err_code code;

	if (size == 0)
		return;
	code = sweep_point_unpack(parcel, size, &o, &err);
	if (code == ERR_OK) {
		keep(sweep, &o);
	} else {
		pthread_mutex_lock(&sweep->lock);
		sweep->code = code;
		sweep->err = err;
		pthread_mutex_unlock(&sweep->lock);
	}
	sweep_point_end(&o);
}

/* Until all others have left. */
static void serve(struct sweep *sweep)
{
	struct sweep_team *team = sweep->request->team;
	uint32_t left = team->size - 1, rank = 0;
	char *parcel = NULL;
	size_t size = 0;

	while (left > 0) {
		enum sweep_call call = team->hear(team, &rank, &parcel, &size);

		if (call == SWEEP_LEFT) {
			left--;
		} else if (call == SWEEP_ASKED) {
			take_parcel(sweep, parcel, size);
			mem_free(parcel);
			team->answer(team, rank, next_item(sweep));
		}
	}
}

/* ---- working ---- */

static void run_item(struct sweep *sweep, const struct item *item, struct sweep_outcome *o)
{
	const struct group *group;

	sweep_point_begin(o, item->point);
	come_to_group(sweep, item->group);
	group = enter_group(sweep, item, o);
	if (group->code != ERR_OK)
		sweep_point_fail(o, &group->err);
	else
		sweep_point_run(o, sweep->plan, group->scenario, sweep->request->context->stop);
	leave_group(sweep, item->group);
}

static void work_alone(struct sweep *sweep)
{
	struct sweep_outcome o;

	for (size_t i = next_item(sweep); i < sweep->count; i = next_item(sweep)) {
		run_item(sweep, &sweep->items[i], &o);
		keep(sweep, &o);
		sweep_point_end(&o);
	}
}

static void work_for_others(struct sweep *sweep)
{
	struct sweep_team *team = sweep->request->team;
	struct sweep_outcome o;
	uint64_t i = team->ask(team, NULL, 0);

	while (i < sweep->count) {
		char *parcel;
		size_t size;

		run_item(sweep, &sweep->items[i], &o);
		parcel = sweep_point_pack(&o, &size);
		sweep_point_end(&o);
		i = team->ask(team, parcel, size);
		mem_free(parcel);
	}
}

static void work(void *context, size_t thread)
{
	struct sweep *sweep = context;

	if (sweep_is_helper(sweep->request->team))
		work_for_others(sweep);
	else if (thread == 0 && sweep->request->team != NULL)
		serve(sweep);
	else
		work_alone(sweep);
}

/* ---- the whole ---- */

/* Files that cannot be read fail all points alike: that is told once, before anything runs;
 * so is what of them is not taken as it stands. */
static enum err_code check_input(struct sweep *sweep, struct err *err)
{
	struct scenario *scenario = NULL;
	enum err_code code =
		sweep_point_load(sweep->plan, sweep->items[0].point, false, &scenario, err);

	for (uint32_t i = 0; code == ERR_OK && i < scenario->input_count; i++)
		code = sweep_store_input(sweep->request->store,
					 scenario_string(scenario, scenario->input_names[i]),
					 scenario->input_hashes[i], err);
	if (code == ERR_OK)
		code = input_need_jobs(scenario, err);
	if (code == ERR_OK)
		cmd_tell(sweep->request->context, scenario);
	if (scenario != NULL)
		scenario_free(scenario);
	return code;
}

/* Those that are to be run, the same ones in all of a team. */
static enum err_code find_items(struct sweep *sweep, struct err *err)
{
	struct sweep_team *team = sweep->request->team;
	enum err_code code = ERR_OK;

	if (!sweep_is_helper(sweep->request->team)) {
		code = list_items(sweep, err);
		if (code == ERR_OK && sweep->count > 0)
			code = check_input(sweep, err);
	}
	if (team != NULL)
		code = team->agree(team, code, err);
	if (code == ERR_OK && team != NULL)
		share_items(sweep);
	return code;
}

static enum err_code run_items(struct sweep *sweep, struct err *err)
{
	const struct sweep_request *request = sweep->request;
	size_t threads = request->threads < sweep->count ? request->threads : sweep->count;

	make_groups(sweep);
	if (request->context->err_terminal && !request->quiet && sweep->count > 0)
		sweep->progress = progress_new(request->context->err, sweep->count, 1, "points");
	if (request->team != NULL && !sweep_is_helper(sweep->request->team))
		threads++; /* one serves the others */
	batch_each(threads, (unsigned)threads, work, sweep);
	if (sweep_is_helper(sweep->request->team))
		request->team->leave(request->team);
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
	code = find_items(&sweep, err);
	if (code == ERR_OK)
		code = run_items(&sweep, err);
	for (size_t i = 0; i < sweep.group_count; i++) {
		if (sweep.groups[i].scenario != NULL)
			scenario_free(sweep.groups[i].scenario);
		pthread_mutex_destroy(&sweep.groups[i].lock);
	}
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
