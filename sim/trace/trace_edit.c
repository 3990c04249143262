#include "sim/trace/trace_edit.h"

#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "core/sort.h"

static int compare_submits(const void *a, const void *b, void *context)
{
	const struct trace_item *x = a, *y = b;

	(void)context;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

void trace_edit_sort(struct trace_edit *edit)
{
	sort_stable(edit->items, edit->count, sizeof(*edit->items), compare_submits, NULL);
}

void trace_edit_init(struct trace_edit *edit, struct builder *builder)
{
	const struct job *jobs = builder_jobs(builder);

	*edit = (struct trace_edit){.builder = builder, .gpus = 1, .origin = CLOCK_NEVER};
	edit->count = builder_job_count(builder);
	edit->items = mem_calloc(edit->count, sizeof(*edit->items));
	for (uint32_t i = 0; i < edit->count; i++)
		edit->items[i] = (struct trace_item){.job = i,
						     .submit = jobs[i].submit,
						     .duration = jobs[i].duration,
						     .start = builder_job_started(builder, i)};
	trace_edit_sort(edit);
}

void trace_edit_free(struct trace_edit *edit)
{
	mem_free(edit->items);
	*edit = (struct trace_edit){.items = NULL};
}

/* Keeps the items for which keep says yes. */
static void filter(struct trace_edit *edit,
		   bool (*keep)(const struct trace_edit *, const struct trace_item *, void *),
		   void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < edit->count; i++)
		if (keep(edit, &edit->items[i], context))
			edit->items[kept++] = edit->items[i];
	edit->count = kept;
}

struct window {
	simtime from, to;
};

static bool in_window(const struct trace_edit *edit, const struct trace_item *item, void *context)
{
	const struct window *w = context;

	(void)edit;
	return item->submit >= w->from && item->submit < w->to;
}

void trace_edit_window(struct trace_edit *edit, simtime from, simtime to)
{
	struct window w = {from, to};

	filter(edit, in_window, &w);
}

/* Is the text one of "a,b,c"? */
static bool listed(const char *text, const char *names)
{
	size_t len = strlen(text);

	while (len > 0 && *names != '\0') {
		size_t part = strcspn(names, ",");

		if (part == len && memcmp(names, text, len) == 0)
			return true;
		names += part + (names[part] == ',' ? 1 : 0);
	}
	return false;
}

struct queue_list {
	const char *names;
	const struct name_table *strings;
};

static bool in_queues(const struct trace_edit *edit, const struct trace_item *item, void *context)
{
	const struct queue_list *list = context;
	const struct job *job = &builder_jobs(edit->builder)[item->job];

	return listed(name_text(list->strings, job->common->queue), list->names) ||
	       listed(name_text(list->strings, job->common->ns), list->names);
}

void trace_edit_queues(struct trace_edit *edit, const char *names)
{
	struct queue_list list = {names, builder_strings(edit->builder)};

	filter(edit, in_queues, &list);
}

void trace_edit_first(struct trace_edit *edit, size_t count)
{
	if (edit->count > count)
		edit->count = count;
}

struct thinning {
	struct rng *rng;
	double share;
};

static bool drawn(const struct trace_edit *edit, const struct trace_item *item, void *context)
{
	struct thinning *t = context;

	(void)edit;
	(void)item;
	return rng_uniform(t->rng) < t->share;
}

void trace_edit_thin(struct trace_edit *edit, double share, uint64_t seed)
{
	struct thinning t = {rng_new(seed, "thinning"), share};

	filter(edit, drawn, &t);
	rng_free(t.rng);
}

static simtime times(simtime t, double factor)
{
	double scaled = (double)t * factor;

	if (t == CLOCK_NEVER || scaled >= 0x1p63)
		return CLOCK_NEVER;
	return llround(scaled);
}

void trace_edit_scale(struct trace_edit *edit, double load, double durations)
{
	simtime first = edit->count > 0 ? edit->items[0].submit : 0;

	for (size_t i = 0; i < edit->count; i++) {
		struct trace_item *item = &edit->items[i];

		item->submit = clock_add(first, times(item->submit - first, 1 / load));
		item->duration = times(item->duration, durations);
		if (load < 1 || load > 1)
			item->start = CLOCK_NEVER;
	}
}

void trace_edit_rebase(struct trace_edit *edit)
{
	simtime first = edit->count > 0 ? edit->items[0].submit : 0;

	for (size_t i = 0; i < edit->count; i++) {
		edit->items[i].submit -= first;
		if (edit->items[i].start != CLOCK_NEVER)
			edit->items[i].start -= first;
	}
	if (edit->origin != CLOCK_NEVER)
		edit->origin += first;
}

void trace_edit_shift(struct trace_edit *edit, uint32_t first, uint32_t count, const char *prefix,
		      simtime by)
{
	for (size_t i = 0; i < edit->count; i++) {
		struct trace_item *item = &edit->items[i];

		if (item->job < first || item->job - first >= count)
			continue;
		item->prefix = prefix;
		item->submit = clock_add(item->submit, by);
		item->start = clock_add(item->start, by);
	}
}

uint32_t trace_edit_scaled(const struct trace_edit *edit, uint32_t number)
{
	double scaled = number * edit->gpus;

	if (number == 0)
		return 0;
	if (scaled >= UINT32_MAX)
		return UINT32_MAX;
	return scaled < 1 ? 1 : (uint32_t)lround(scaled);
}
