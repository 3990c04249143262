#include "sim/study/sweep_point.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/report/exact.h"
#include "sim/study/study.h"

#define TEAM_RANK 1000

void sweep_point_begin(struct sweep_outcome *o, uint64_t point)
{
	*o = (struct sweep_outcome){.point = point, .status = "ok", .arena = mem_arena_new()};
}

void sweep_point_end(struct sweep_outcome *o)
{
	mem_free(o->figures);
	mem_arena_free(o->arena);
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

enum err_code sweep_point_load(const struct sweep_plan *plan, uint64_t point, bool settings,
			       struct scenario **out, struct err *err)
{
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
		else if (plan->made_up && strcmp(d->set, "seed") == 0)
			input_seed(&input, value);
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

void sweep_point_inputs(struct sweep_outcome *o, const struct scenario *s)
{
	o->input_count = s->input_count;
	o->names = mem_arena_alloc(o->arena, s->input_count * sizeof(*o->names));
	o->hashes = mem_arena_copy(o->arena, s->input_hashes, s->input_count, sizeof(*o->hashes));
	for (uint32_t i = 0; i < s->input_count; i++)
		o->names[i] = mem_arena_strdup(o->arena, scenario_string(s, s->input_names[i]));
}

/* ---- a point ---- */

/* What the figures of a run are kept by. */
struct keeping {
	const struct sweep_plan *plan;
	struct sweep_outcome *outcome;
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
	const struct keeping *keeping = context;
	struct sweep_outcome *o = keeping->outcome;
	uint32_t rank = TEAM_RANK;

	if (!is_wanted(keeping->plan, key))
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

void sweep_point_fail(struct sweep_outcome *o, const struct err *err)
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

static void measure(struct sweep_outcome *o, const struct sweep_plan *plan,
		    const struct policy_row *policy, const struct journal *journal)
{
	struct keeping keeping = {plan, o};
	simtime window = metrics_window(journal);
	struct metrics *metrics;
	struct audit audit;
	struct err err;
	char text[AUDIT_TEXT];

	if (study_countable(journal->scenario, window, &err) != ERR_OK) {
		sweep_point_fail(o, &err);
		return;
	}
	metrics = metrics_audited(journal, policy->admission != NULL, window, &audit);
	if (audit.count > 0) {
		metrics_free(metrics);
		err_set(&err, ERR_VALUE, NULL, 0, 0, "the run fails its audit: %.400s",
			audit_text(journal, &audit.listed[0], text));
		sweep_point_fail(o, &err);
		return;
	}
	if (journal->end == RUN_LIVELOCK) {
		o->status = "livelock";
		snprintf(o->message, sizeof(o->message), "jobs evict each other without end");
	}
	exact_each(metrics, keep_figure, &keeping);
	metrics_free(metrics);
}

void sweep_point_run(struct sweep_outcome *o, const struct sweep_plan *plan,
		     const struct scenario *scenario, const volatile sig_atomic_t *stop)
{
	uint32_t index[SWEEP_DIMENSIONS];
	const struct policy_row *policy;
	struct run_options options;
	struct journal *journal = NULL;
	struct err err;
	enum err_code code;

	sweep_plan_point(plan, o->point, index);
	policy = policy_of(plan, index);
	code = input_need_jobs(scenario, &err);
	if (code == ERR_OK)
		code = read_options(plan, index, scenario, &options, &err);
	if (code == ERR_OK) {
		options.stop = stop;
		code = engine_run(scenario, policy, &options, JOURNAL_FACTS, &journal, &err);
	}
	if (code != ERR_OK) {
		sweep_point_fail(o, &err);
		return;
	}
	o->interrupted = journal->end == RUN_INTERRUPTED;
	if (!o->interrupted)
		measure(o, plan, policy, journal);
	journal_free(journal);
}

/* ---- parcels: texts, each ended by a zero byte ---- */

static void put(FILE *out, const char *text)
{
	fputs(text, out);
	fputc('\0', out);
}

static void put_number(FILE *out, uint64_t n)
{
	fprintf(out, "%" PRIu64 "%c", n, '\0');
}

static void put_outcome(FILE *out, const struct sweep_outcome *o)
{
	put_number(out, o->point);
	put_number(out, o->interrupted);
	put(out, o->status);
	put(out, o->message);
	put_number(out, o->input_count);
	for (uint32_t i = 0; i < o->input_count; i++) {
		put(out, o->names[i]);
		put_number(out, o->hashes[i]);
	}
	put_number(out, o->count);
	for (size_t i = 0; i < o->count; i++) {
		put(out, o->figures[i].metric);
		put(out, o->figures[i].unit);
		put_number(out, o->figures[i].rank);
		put(out, o->figures[i].text);
	}
}

char *sweep_point_pack(const struct sweep_outcome *o, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	if (out != NULL)
		put_outcome(out, o);
	if (out == NULL || fclose(out) != 0)
		mem_exhausted(1, sizeof(*o));
	return bytes;
}

struct reader {
	const char *at, *end;
	struct mem_arena *arena;
	bool bad;
};

static const char *get(struct reader *r)
{
	const char *zero = memchr(r->at, '\0', (size_t)(r->end - r->at));
	const char *text = r->at;

	if (zero == NULL) {
		r->bad = true;
		return "";
	}
	r->at = zero + 1;
	return mem_arena_strndup(r->arena, text, (size_t)(zero - text));
}

static uint64_t get_number(struct reader *r)
{
	const char *text = get(r);
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (end == text || *end != '\0')
		r->bad = true;
	return n;
}

/* How many things follow, each of some texts. */
static size_t get_count(struct reader *r)
{
	uint64_t n = get_number(r);

	if (n > (uint64_t)(r->end - r->at))
		r->bad = true;
	return r->bad ? 0 : (size_t)n;
}

static void get_figures(struct reader *r, struct sweep_outcome *o)
{
	o->count = get_count(r);
	o->figures = mem_grow(o->figures, o->count, &o->capacity, sizeof(*o->figures));
	for (size_t i = 0; i < o->count; i++) {
		o->figures[i].metric = get(r);
		o->figures[i].unit = get(r);
		o->figures[i].rank = (uint32_t)get_number(r);
		o->figures[i].text = get(r);
	}
}

enum err_code sweep_point_unpack(const char *bytes, size_t size, struct sweep_outcome *o,
				 struct err *err)
{
	struct reader r = {.at = bytes, .end = bytes + size};

	sweep_point_begin(o, 0);
	r.arena = o->arena;
	o->point = get_number(&r);
	o->interrupted = get_number(&r) != 0;
	o->status = get(&r);
	snprintf(o->message, sizeof(o->message), "%s", get(&r));
	o->input_count = (uint32_t)get_count(&r);
	o->names = mem_arena_alloc(r.arena, o->input_count * sizeof(*o->names));
	o->hashes = mem_arena_alloc(r.arena, o->input_count * sizeof(*o->hashes));
	for (uint32_t i = 0; i < o->input_count; i++) {
		o->names[i] = get(&r);
		o->hashes[i] = get_number(&r);
	}
	get_figures(&r, o);
	if (!r.bad && r.at == r.end)
		return ERR_OK;
	return err_set(
		err, ERR_SYNTAX, NULL, 0, 0,
		"a rank of mpirun runs another version of gqsim: its results cannot be read");
}
