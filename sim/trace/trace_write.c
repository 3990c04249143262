#include "sim/trace/trace_write.h"

#include <inttypes.h>
#include <string.h>

#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"
#include "sim/tool/pack.h"
#include "sim/trace/trace_models.h"

#define FULL_UTILISATION 1000 /* per mille */
#define PER_CENT	 10

/* One cell on its way. */
struct writer {
	const struct trace_edit *edit;
	struct trace_lost *lost;
	const struct name_table *strings;
	const struct trace_item *item;
	const struct job *job;
	char *text; /* of the cell, ended by a NUL */
	size_t len, capacity;
};

static void put(struct writer *w, const char *text)
{
	size_t len = strlen(text);

	w->text = mem_grow(w->text, w->len + len + 1, &w->capacity, 1);
	memcpy(w->text + w->len, text, len + 1);
	w->len += len;
}

static void put_string(struct writer *w, uint32_t string)
{
	const char *const *renamed = w->edit->renamed;

	put(w, renamed != NULL ? renamed[string] : name_text(w->strings, string));
}

static void put_resource(struct writer *w, uint32_t resource)
{
	const char *name = builder_resource_name(w->edit->builder, resource);
	uint32_t string = w->edit->renamed != NULL ? name_find(w->strings, name) : NAME_NONE;

	put(w, string != NAME_NONE ? w->edit->renamed[string] : name);
}

static void put_number(struct writer *w, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, number);
	put(w, text);
}

static void put_seconds(struct writer *w, simtime t)
{
	char text[CLOCK_TEXT];

	put(w, clock_format_seconds(t, text));
}

/* ---- columns ---- */

static void put_prefixed(struct writer *w, uint32_t string)
{
	if (string == NAME_NONE)
		return;
	if (w->item->prefix != NULL) {
		put(w, w->item->prefix);
		put(w, "-");
	}
	put_string(w, string);
}

static void put_name(struct writer *w)
{
	put_prefixed(w, w->job->name);
	if (w->job->name != NAME_NONE || w->item->prefix == NULL)
		return;
	put(w, w->item->prefix);
	put(w, "-job-");
	put_number(w, w->job->row);
}

static void put_submit(struct writer *w)
{
	put_seconds(w, w->item->submit);
}

static void put_duration(struct writer *w)
{
	if (w->item->duration == JOB_ENDLESS)
		put(w, "endless");
	else
		put_seconds(w, w->item->duration);
}

static void put_namespace(struct writer *w)
{
	put_prefixed(w, w->job->common->ns);
}

static void put_queue(struct writer *w)
{
	put_prefixed(w, w->job->common->queue);
}

static void put_class(struct writer *w)
{
	if (w->job->common->priority_class != NAME_NONE)
		put_string(w, w->job->common->priority_class);
}

static const struct pod_set *sets_of(const struct writer *w)
{
	return builder_sets_of(w->edit->builder, w->job);
}

static const struct pod_shape *shape_of(const struct writer *w, const struct pod_set *set)
{
	return builder_shape_at(w->edit->builder, set->shape);
}

static bool is_cut(const struct writer *w)
{
	return (w->job->common->flags & JOB_CUT) != 0;
}

static bool is_single(const struct writer *w)
{
	return !is_cut(w) && w->job->common->pod_set_count == 1;
}

static void put_gpus(struct writer *w)
{
	if (is_cut(w))
		put_number(w,
			   trace_edit_scaled(w->edit, builder_job_gpus(w->edit->builder, w->job)));
}

static void put_pods(struct writer *w)
{
	if (is_single(w))
		put_number(w, trace_edit_scaled(w->edit, sets_of(w)->count));
}

static void put_min_pods(struct writer *w)
{
	if (is_single(w) && sets_of(w)->has_min)
		put_number(w, trace_edit_scaled(w->edit, sets_of(w)->min_count));
}

/* "cpu=500m;nvidia.com/gpu=1" */
static void put_shape(struct writer *w, const struct pod_shape *shape)
{
	bool first = true;

	for (uint32_t r = 0; r < RES_MAX; r++) {
		if ((shape->requested >> r & 1) == 0)
			continue;
		put(w, first ? "" : ";");
		put_resource(w, r);
		put(w, "=");
		put_number(w, shape->request[r]);
		put(w, res_is_milli(r) ? "m" : "");
		first = false;
	}
}

static void put_requests(struct writer *w)
{
	if (is_single(w))
		put_shape(w, shape_of(w, sets_of(w)));
}

static const char *mode_name(const struct pod_shape *shape)
{
	switch (shape->topology_mode) {
	case TOPOLOGY_REQUIRED:
		return "required";
	case TOPOLOGY_PREFERRED:
		return "preferred";
	case TOPOLOGY_UNCONSTRAINED:
		return "unconstrained";
	case TOPOLOGY_NONE:
		break;
	}
	return "";
}

/* "worker:4/2:nvidia.com/gpu=1@required=rack" */
static void put_set(struct writer *w, const struct pod_set *set)
{
	const struct pod_shape *shape = shape_of(w, set);

	put_string(w, set->name);
	put(w, ":");
	put_number(w, trace_edit_scaled(w->edit, set->count));
	if (set->has_min) {
		put(w, "/");
		put_number(w, trace_edit_scaled(w->edit, set->min_count));
	}
	put(w, ":");
	put_shape(w, shape);
	if (shape->topology_mode == TOPOLOGY_NONE)
		return;
	put(w, "@");
	put(w, mode_name(shape));
	if (shape->topology_level != NAME_NONE) {
		put(w, "=");
		put_string(w, shape->topology_level);
	}
}

static void put_sets(struct writer *w)
{
	if (is_cut(w) || is_single(w))
		return;
	for (uint32_t i = 0; i < w->job->common->pod_set_count; i++) {
		put(w, i > 0 ? "|" : "");
		put_set(w, &sets_of(w)[i]);
	}
}

static void put_mode(struct writer *w)
{
	if (is_single(w) || is_cut(w))
		put(w, mode_name(shape_of(w, sets_of(w))));
}

static void put_level(struct writer *w)
{
	const struct pod_shape *shape = shape_of(w, sets_of(w));

	if ((is_single(w) || is_cut(w)) && shape->topology_level != NAME_NONE)
		put_string(w, shape->topology_level);
}

/* The one value of the one expression of affinity that a selector can say; NULL. */
static const struct match_expression *as_selector(const struct pod_shape *shape)
{
	const struct match_expression *e;

	if (shape->affinity_count != 1 || shape->affinity->expression_count != 1 ||
	    shape->affinity->field_count != 0)
		return NULL;
	e = shape->affinity->expressions;
	return e->op == MATCH_IN && e->value_count == 1 ? e : NULL;
}

static void put_pair(struct writer *w, uint32_t key, uint32_t value)
{
	put(w, w->len > 0 ? ";" : "");
	put_string(w, key);
	put(w, "=");
	put_string(w, value);
}

static void put_selector(struct writer *w)
{
	const struct pod_shape *shape = shape_of(w, sets_of(w));
	const struct match_expression *e = as_selector(shape);

	for (uint32_t i = 0; i < shape->node_selector.count; i++)
		put_pair(w, shape->node_selector.items[i].key, shape->node_selector.items[i].value);
	if (e != NULL)
		put_pair(w, e->key, e->values[0]);
}

static void put_tolerations(struct writer *w)
{
	static const char *const effects[] = {
		[TAINT_ANY] = "",
		[TAINT_NO_SCHEDULE] = ":NoSchedule",
		[TAINT_PREFER_NO_SCHEDULE] = ":PreferNoSchedule",
		[TAINT_NO_EXECUTE] = ":NoExecute",
	};
	const struct toleration_set *set = &shape_of(w, sets_of(w))->tolerations;

	for (uint32_t i = 0; i < set->count; i++) {
		put(w, i > 0 ? ";" : "");
		put_string(w, set->items[i].key);
		if (set->items[i].op == TOLERATION_EQUAL) {
			put(w, "=");
			put_string(w, set->items[i].value);
		}
		put(w, effects[set->items[i].effect]);
	}
}

static void put_start(struct writer *w)
{
	if (w->item->start != CLOCK_NEVER)
		put_seconds(w, w->item->start);
}

static const struct job_extra *extra_of(const struct writer *w)
{
	static const struct job_extra none = {.cancel_at = CLOCK_NEVER};

	return w->job->extra == JOB_NONE ? &none
					 : builder_extra_at(w->edit->builder, w->job->extra);
}

static void put_times(struct writer *w, const simtime *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		put(w, i > 0 ? ";" : "");
		if (list[i] == CLOCK_NEVER || list[i] < 0)
			put(w, "never");
		else
			put_seconds(w, list[i]);
	}
}

static void put_ready(struct writer *w)
{
	put_times(w, extra_of(w)->ready, extra_of(w)->ready_count);
}

static void put_fail(struct writer *w)
{
	put_times(w, extra_of(w)->fail, extra_of(w)->fail_count);
}

static void put_recover(struct writer *w)
{
	put_times(w, extra_of(w)->recover, extra_of(w)->recover_count);
}

static void put_execution(struct writer *w)
{
	if (extra_of(w)->max_execution != 0)
		put_seconds(w, extra_of(w)->max_execution);
}

static void put_check(struct writer *w)
{
	put_times(w, extra_of(w)->check, extra_of(w)->check_count);
}

static void put_result(struct writer *w)
{
	static const char *const names[] = {"Ready", "Retry", "Rejected"};

	for (uint32_t i = 0; i < extra_of(w)->check_result_count; i++) {
		put(w, i > 0 ? ";" : "");
		put(w, names[extra_of(w)->check_result[i]]);
	}
}

static void put_retry(struct writer *w)
{
	put_times(w, extra_of(w)->check_retry, extra_of(w)->check_retry_count);
}

/* An absolute time: it moves with its job. */
static void put_cancel(struct writer *w)
{
	simtime at = extra_of(w)->cancel_at, moved = w->item->submit - w->job->submit;

	if (at != CLOCK_NEVER)
		put_seconds(w, at + moved > 0 ? at + moved : 0);
}

/* A part of the job's work, if that was made longer or shorter. */
static simtime stretched(const struct writer *w, simtime part)
{
	if (w->item->duration == w->job->duration || w->job->duration <= 0)
		return part;
	return (simtime)((double)part * ((double)w->item->duration / (double)w->job->duration));
}

/* A Job that has one fate and no second try. */
static void put_crash(struct writer *w)
{
	const struct job_control *control = extra_of(w)->control;

	if (control != NULL && control->fate_count == 1 && control->backoff_limit == 0 &&
	    control->fates->after >= 0)
		put_seconds(w, stretched(w, control->fates->after));
}

static void put_utilisation(struct writer *w)
{
	char text[32];

	if (w->job->utilisation == FULL_UTILISATION)
		return;
	snprintf(text, sizeof(text), "%d.%d", w->job->utilisation / PER_CENT,
		 w->job->utilisation % PER_CENT);
	put(w, text);
}

static void put_outcome(struct writer *w)
{
	if ((w->job->common->flags & (JOB_CRASHED | JOB_KILLED)) != 0)
		put(w, (w->job->common->flags & JOB_CRASHED) != 0 ? "failed" : "cancelled");
}

static const struct column {
	const char *name;
	void (*put)(struct writer *w);
	bool number;
	bool always;
} columns[] = {
	{"name", put_name, false, false},
	{"submit_s", put_submit, true, true},
	{"duration_s", put_duration, true, true},
	{"namespace", put_namespace, false, false},
	{"queue", put_queue, false, false},
	{"priority_class", put_class, false, false},
	{"gpus", put_gpus, true, false},
	{"pods", put_pods, true, false},
	{"min_pods", put_min_pods, true, false},
	{"requests", put_requests, false, true},
	{"podsets", put_sets, false, false},
	{"topology_mode", put_mode, false, false},
	{"topology_level", put_level, false, false},
	{"node_selector", put_selector, false, false},
	{"tolerations", put_tolerations, false, false},
	{"start_s", put_start, true, false},
	{"ready_s", put_ready, false, false},
	{"fail_s", put_fail, false, false},
	{"recover_s", put_recover, false, false},
	{"max_exec_s", put_execution, true, false},
	{"check_s", put_check, false, false},
	{"check_result", put_result, false, false},
	{"check_retry_s", put_retry, false, false},
	{"cancel_s", put_cancel, true, false},
	{"crash_s", put_crash, true, false},
	{"gpu_utilisation", put_utilisation, true, false},
	{"outcome", put_outcome, false, false},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const char *cell(struct writer *w, size_t item, size_t column)
{
	w->item = &w->edit->items[item];
	w->job = &builder_jobs(w->edit->builder)[w->item->job];
	w->len = 0;
	put(w, "");
	columns[column].put(w);
	return w->text;
}

/* ---- what is lost ---- */

static bool same_tolerations(const struct toleration_set *a, const struct toleration_set *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct toleration *x = &a->items[i], *y = &b->items[i];

		if (x->key != y->key || x->value != y->value || x->op != y->op ||
		    x->effect != y->effect)
			return false;
	}
	return true;
}

static bool odd_tolerations(const struct toleration_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].limited || set->items[i].op > TOLERATION_EXISTS)
			return true;
	return false;
}

bool trace_write_loses(const struct pod_set *set, const struct pod_shape *shape,
		       const struct pod_shape *first, uint32_t sets)
{
	/* A row has one selector and one list of tolerations, and no minimum for each set. */
	if (sets > 1 &&
	    (set->has_min || !label_set_equal(&shape->node_selector, &first->node_selector) ||
	     !same_tolerations(&shape->tolerations, &first->tolerations) ||
	     !label_terms_equal(shape->affinity, shape->affinity_count, first->affinity,
				first->affinity_count)))
		return true;
	return odd_tolerations(&shape->tolerations) || shape->scheduler != 0 || shape->deadline ||
	       (shape->affinity_count > 0 && as_selector(shape) == NULL) ||
	       shape->constraints != NULL || shape->limit != NULL || shape->slice_size != 0 ||
	       shape->topology_group != NAME_NONE || shape->faults != NULL;
}

static void count_lost(struct writer *w)
{
	const struct job *jobs = builder_jobs(w->edit->builder);
	uint32_t main_name = name_find(w->strings, "main");

	*w->lost = (struct trace_lost){.clock = w->edit->origin != CLOCK_NEVER};
	for (size_t i = 0; i < w->edit->count; i++) {
		w->job = &jobs[w->edit->items[i].job];
		w->lost->classes += w->job->common->priority_class != NAME_NONE;
		w->lost->dependencies +=
			builder_job_waits(w->edit->builder, w->edit->items[i].job) != NULL;
		w->lost->names += is_single(w) && sets_of(w)->name != main_name;
		for (uint32_t k = 0; k < w->job->common->pod_set_count; k++) {
			const struct pod_set *set = &sets_of(w)[k];

			if (!trace_write_loses(set, shape_of(w, set), shape_of(w, sets_of(w)),
					       w->job->common->pod_set_count))
				continue;
			w->lost->templates++;
			break;
		}
	}
}

static void begin(struct writer *w, const struct trace_edit *edit, struct trace_lost *lost)
{
	*w = (struct writer){.edit = edit, .lost = lost, .strings = builder_strings(edit->builder)};
	count_lost(w);
}

/* ---- CSV ---- */

/* Without the column all would go to one queue. */
static bool any_unmanaged(const struct trace_edit *edit)
{
	const struct job *jobs = builder_jobs(edit->builder);

	for (size_t i = 0; i < edit->count; i++)
		if (jobs[edit->items[i].job].common->queue == NAME_NONE)
			return true;
	return false;
}

/* Which columns any job fills. */
static void find_used(struct writer *w, bool used[COLUMNS])
{
	for (size_t c = 0; c < COLUMNS; c++) {
		used[c] = columns[c].always ||
			  (columns[c].put == put_queue && any_unmanaged(w->edit));
		for (size_t i = 0; i < w->edit->count && !used[c]; i++)
			used[c] = cell(w, i, c)[0] != '\0';
	}
}

static void write_header(FILE *out, const bool used[COLUMNS])
{
	bool first = true;

	for (size_t c = 0; c < COLUMNS; c++) {
		if (!used[c])
			continue;
		fprintf(out, "%s%s", first ? "" : ",", columns[c].name);
		first = false;
	}
	putc('\n', out);
}

void trace_write_csv(FILE *out, const struct trace_edit *edit, struct trace_lost *lost)
{
	bool used[COLUMNS];
	struct writer w;

	begin(&w, edit, lost);
	find_used(&w, used);
	write_header(out, used);
	for (size_t i = 0; i < edit->count; i++) {
		bool first = true;

		for (size_t c = 0; c < COLUMNS; c++) {
			if (!used[c])
				continue;
			if (!first)
				putc(',', out);
			output_csv(out, cell(&w, i, c));
			first = false;
		}
		putc('\n', out);
	}
	mem_free(w.text);
}

/* ---- JSON lines ---- */

static void write_member(struct jsonw *json, struct writer *w, size_t item, size_t column)
{
	const char *text = cell(w, item, column);
	simtime seconds;

	if (text[0] == '\0')
		return;
	if (columns[column].number && clock_read_seconds(text, strlen(text), &seconds))
		jsonw_seconds(json, columns[column].name, seconds);
	else
		jsonw_text(json, columns[column].name, text);
}

void trace_write_jsonl(FILE *out, const struct trace_edit *edit, struct trace_lost *lost)
{
	struct writer w;

	begin(&w, edit, lost);
	for (size_t i = 0; i < edit->count; i++) {
		struct jsonw json;

		jsonw_begin_line(&json, out);
		for (size_t c = 0; c < COLUMNS; c++)
			write_member(&json, &w, i, c);
		jsonw_end(&json);
	}
	mem_free(w.text);
}

/* ---- formats ---- */

static const struct trace_writer writers[] = {
	{"csv", ".csv", trace_write_csv},
	{"jsonl", ".jsonl", trace_write_jsonl},
	{"swf", ".swf", trace_write_swf},
};

#define WRITERS (sizeof(writers) / sizeof(writers[0]))

const struct trace_writer *trace_write_find(const char *name)
{
	for (size_t i = 0; i < WRITERS; i++)
		if (strcmp(writers[i].name, name) == 0)
			return &writers[i];
	return NULL;
}

const struct trace_writer *trace_write_of_name(const char *path)
{
	size_t len = pack_stem(path);

	for (size_t i = 0; i < WRITERS; i++) {
		size_t end = strlen(writers[i].ending);

		if (len > end && memcmp(path + len - end, writers[i].ending, end) == 0)
			return &writers[i];
	}
	return NULL;
}

enum err_code trace_write_ending(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;

	if (trace_write_of_name(path) != NULL || memchr(base, '.', pack_stem(base)) == NULL ||
	    base[0] == '.')
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "-w %.200s: jobs are written as .csv, .jsonl or .swf, with .gz, .zst or .xz "
		       "behind it; -o says which of them if the name does not",
		       path);
}

bool trace_write_remark(const struct trace_lost *lost, uint32_t index, char *text, size_t size)
{
	const struct {
		uint64_t count;
		const char *rest;
	} rows[] = {
		{lost->left_out, "left out: without GPUs, or endless"},
		{lost->templates, "without what the format has no column for: affinity, a "
				  "choice of GPU models and the like"},
		{lost->names, "without the name of the pod set, which is \"main\" in the list"},
		{lost->classes, "with a priority class, whose value is not part of the list"},
		{lost->dependencies, "submitted at a time of their own, not after another's end"},
		{lost->rounded, "rounded to whole seconds and GPUs"},
		{lost->demands, "only with the GPUs: not the pods, other requests and "
				"selectors"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].count == 0 || index-- > 0)
			continue;
		snprintf(text, size, "not kept: %" PRIu64 " job%s %s", rows[i].count,
			 rows[i].count == 1 ? "" : "s", rows[i].rest);
		return true;
	}
	if (!lost->clock || index > 0)
		return false;
	snprintf(text, size, "not kept: the wall clock; times are seconds since the first submit");
	return true;
}
