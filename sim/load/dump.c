#include "sim/load/dump.h"

#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "core/stats.h"
#include "sim/load/owner.h"
#include "sim/load/worktime.h"
#include "sim/scenario/draft.h"

#define EARLY 0.1 /* quantiles of guessed durations */
#define LATE  0.9

/* ---- owners ---- */

static void take_from_owner(struct builder *builder, struct job_note *note,
			    const struct job_note *from)
{
	struct job *job = &builder->jobs[note->job];
	const struct job *owner = &builder->jobs[from->job];
	struct job_common common = *job->common;

	if (note->record->unknown && !from->assumed) {
		job->duration = owner->duration;
		note->record->unknown = false;
	}
	common.checkpoint = owner->common->checkpoint;
	common.restart_cost = owner->common->restart_cost;
	common.flags |= owner->common->flags & JOB_NOT_GANG;
	job->common = draft_common(builder, &common);
	job->utilisation = owner->utilisation;
}

/* Values are notes of objects that are not Workloads. */
static void index_objects(const struct builder *builder, struct draft_index *objects)
{
	draft_index_init(objects, builder->note_count);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		const struct job *job = &builder->jobs[note->job];

		if (note->record == NULL && note->object != NAME_NONE &&
		    (job->common->flags & JOB_ASKED) == 0)
			draft_index_put(objects, note->object, job->common->ns, i, false);
	}
}

/* The object that the Workload stands for; NAME_NONE: the dump does not have it. */
static uint32_t find_owner(const struct builder *builder, const struct draft_index *objects,
			   const struct job_note *note)
{
	uint32_t ns = builder->jobs[note->job].common->ns, maker;

	for (uint32_t k = 0; k < note->record->owner_count; k++) {
		uint32_t owner = note->record->owners[k];
		uint32_t at = draft_index_get(objects, owner, ns);

		for (size_t m = 0; at == NAME_NONE && owner_maker(builder, owner, m, &maker); m++)
			if (maker != NAME_NONE)
				at = draft_index_get(objects, maker, ns);
		if (at != NAME_NONE)
			return at;
	}
	return NAME_NONE;
}

/* ---- pods of controllers ---- */

static bool is_pod(const struct builder *builder, const struct job_note *note)
{
	return note->record == NULL && note->object != NAME_NONE &&
	       (builder->jobs[note->job].common->flags & JOB_ASKED) == 0 &&
	       strncmp(name_text(builder->strings, note->object), "Pod/", 4) == 0;
}

/* Its controller, or what made that, is in the input. */
static bool has_controller(const struct builder *builder, const struct draft_index *objects,
			   const struct job_note *note)
{
	uint32_t ns = builder->jobs[note->job].common->ns, maker;

	if (draft_index_get(objects, note->controller, ns) != NAME_NONE)
		return true;
	for (size_t m = 0; owner_pod_maker(builder, note->controller, m, &maker); m++)
		if (maker != NAME_NONE && draft_index_get(objects, maker, ns) != NAME_NONE)
			return true;
	return false;
}

static void report_owned(struct builder *builder, uint32_t count, struct place first,
			 const char *what)
{
	if (count != 0)
		draft_finding(builder, FINDING_NOTE, first, "%u pod%s of %s", count,
			      count == 1 ? "" : "s", what);
}

/* What controllers and Workloads stand for is not counted twice; what nobody stands for
 * holds its node. */
static void drop_owned_pods(struct builder *builder, bool has_workloads)
{
	bool *dropped = mem_calloc(builder->job_count, sizeof(*dropped));
	struct place first_left = {0}, first_kept = {0};
	struct draft_index objects;
	uint32_t left = 0, kept = 0;

	index_objects(builder, &objects);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		struct place place = draft_job_place(builder, note->job);

		if (!is_pod(builder, note) || note->controller == NAME_NONE)
			continue;
		dropped[note->job] =
			(has_workloads && note->let_in) || has_controller(builder, &objects, note);
		if (dropped[note->job])
			first_left = left++ == 0 ? place : first_left;
		else
			first_kept = kept++ == 0 ? place : first_kept;
	}
	draft_index_free(&objects);
	if (left != 0)
		draft_drop_jobs(builder, dropped);
	mem_free(dropped);
	report_owned(builder, left, first_left,
		     "controllers left out: these or their Workloads stand for them");
	report_owned(builder, kept, first_kept,
		     "controllers that are not in the input: each stands for itself");
}

/* Services that were there before the first job that comes are there from the start. */
static void settle_services(struct builder *builder)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];

		if (note->record != NULL && note->created != 0 &&
		    (first == 0 || note->created < first))
			first = note->created;
	}
	for (uint32_t i = 0; i < builder->note_count; i++) {
		struct job_note *note = &builder->notes[i];

		if (note->record == NULL && note->created != 0 && note->created < first &&
		    builder->jobs[note->job].duration == JOB_ENDLESS)
			note->created = first;
	}
}

/* ---- objects of Workloads ---- */

static void report_lone(struct builder *builder, uint32_t count, uint32_t first)
{
	if (count != 0)
		draft_finding(builder, FINDING_NOTE, draft_job_place(builder, first),
			      "%u job%s of a queue %s no Workload while others do: %s as new",
			      count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
			      count == 1 ? "it is taken" : "they are taken");
}

/* Objects for which a Workload stands, or for whose controller one does. */
static void drop_objects(struct builder *builder, const struct draft_index *workloads)
{
	bool *dropped = mem_calloc(builder->job_count, sizeof(*dropped));
	uint32_t lone = 0, first = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		const struct job *job = &builder->jobs[note->job];

		if (note->record != NULL || note->object == NAME_NONE ||
		    (job->common->flags & JOB_ASKED) != 0)
			continue;
		dropped[note->job] =
			draft_index_get(workloads, note->object, job->common->ns) != NAME_NONE ||
			(note->controller != NAME_NONE &&
			 draft_index_get(workloads, note->controller, job->common->ns) !=
				 NAME_NONE);
		if (!dropped[note->job] && (job->common->flags & JOB_UNMANAGED) == 0 &&
		    note->ended == 0)
			first = lone++ == 0 ? note->job : first;
	}
	report_lone(builder, lone, first);
	draft_drop_jobs(builder, dropped);
	mem_free(dropped);
}

static void join_owners(struct builder *builder)
{
	struct draft_index workloads, objects;

	owner_index_workloads(builder, &workloads);
	index_objects(builder, &objects);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		struct job_note *note = &builder->notes[i];
		uint32_t owner =
			note->record == NULL ? NAME_NONE : find_owner(builder, &objects, note);

		if (owner != NAME_NONE)
			take_from_owner(builder, note, &builder->notes[owner]);
	}
	drop_objects(builder, &workloads);
	draft_index_free(&workloads);
	draft_index_free(&objects);
}

/* The first Workload of an owner is called after it, unless a job has that name. */
static void name_by_owner(struct builder *builder)
{
	struct draft_index names;

	draft_index_init(&names, builder->job_count);
	for (uint32_t i = 0; i < builder->job_count; i++) {
		if (builder->jobs[i].name != NAME_NONE)
			draft_index_put(&names, builder->jobs[i].name, builder->jobs[i].common->ns,
					0, false);
	}
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_record *record = builder->notes[i].record;
		struct job *job = &builder->jobs[builder->notes[i].job];

		if (record != NULL && record->name != NAME_NONE &&
		    draft_index_put(&names, record->name, job->common->ns, 0, false) == NAME_NONE)
			builder_job_name(builder, builder->notes[i].job, record->name);
	}
	draft_index_free(&names);
}

/* ---- equals ---- */

static int by_uid(const void *a, const void *b, void *context)
{
	const struct job_note *const *x = a, *const *y = b;
	const struct name_table *strings = context;
	uint32_t first = (*x)->record->uid, second = (*y)->record->uid;

	if (first == NAME_NONE || second == NAME_NONE)
		return (first == NAME_NONE) - (second == NAME_NONE);
	return strcmp(name_text(strings, first), name_text(strings, second));
}

/* Kueue tells workloads of one priority and time apart by their uid; here, it is the
 * order of the jobs. */
static void order_by_uid(struct builder *builder)
{
	const struct job_note **order = mem_calloc(builder->note_count, sizeof(*order));
	uint32_t *from = mem_calloc(builder->job_count, sizeof(*from));
	uint32_t count = 0, next = 0;

	for (uint32_t i = 0; i < builder->job_count; i++)
		from[i] = i;
	for (uint32_t i = 0; i < builder->note_count; i++) {
		if (builder->notes[i].record != NULL)
			order[count++] = &builder->notes[i];
	}
	sort_stable(order, count, sizeof(struct job_note *), by_uid, builder->strings);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		if (builder->notes[i].record != NULL)
			from[builder->notes[i].job] = order[next++]->job;
	}
	draft_order_jobs(builder, from);
	mem_free(order);
	mem_free(from);
}

/* ---- ends that nobody recorded ---- */

struct sample {
	uint32_t queue, ns;
	double seconds;
};

struct samples {
	struct sample *items; /* by queue, then ascending */
	double *seconds;      /* the same without their queues */
	double *all;	      /* ascending */
	uint32_t count;
};

static int same_or_before(const struct sample *x, uint32_t queue, uint32_t ns)
{
	if (x->queue != queue)
		return x->queue < queue ? -1 : 1;
	return (x->ns > ns) - (x->ns < ns);
}

static int by_queue(const void *a, const void *b, void *context)
{
	const struct sample *x = a, *y = b;
	int order = same_or_before(x, y->queue, y->ns);

	(void)context;
	return order != 0 ? order : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static int ascending(const void *a, const void *b, void *context)
{
	const double *x = a, *y = b;

	(void)context;
	return (*x > *y) - (*x < *y);
}

static void gather(const struct builder *builder, struct samples *samples)
{
	*samples = (struct samples){
		.items = mem_calloc(builder->note_count, sizeof(*samples->items)),
		.seconds = mem_calloc(builder->note_count, sizeof(*samples->seconds)),
		.all = mem_calloc(builder->note_count, sizeof(*samples->all))};
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		const struct job *job = &builder->jobs[note->job];

		if (note->record == NULL || note->record->finished == 0 || note->record->unknown)
			continue;
		samples->all[samples->count] = (double)job->duration / CLOCK_SECOND;
		samples->items[samples->count] =
			(struct sample){.queue = job->common->queue,
					.ns = job->common->ns,
					.seconds = samples->all[samples->count]};
		samples->count++;
	}
	sort_stable(samples->items, samples->count, sizeof(*samples->items), by_queue, NULL);
	sort_stable(samples->all, samples->count, sizeof(*samples->all), ascending, NULL);
	for (uint32_t i = 0; i < samples->count; i++)
		samples->seconds[i] = samples->items[i].seconds;
}

/* Index of the first sample of the queue, or of one after it; upper: after its last. */
static uint32_t bound(const struct samples *samples, const struct job *job, bool upper)
{
	uint32_t low = 0, high = samples->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = same_or_before(&samples->items[middle], job->common->queue,
					   job->common->ns);

		if (order < 0 || (upper && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The p-quantile of those longer than this; 0: there is none. */
static double quantile_above(const double *sorted, size_t count, double least, double p)
{
	size_t from = 0, high = count;

	while (from < high) {
		size_t middle = from + (high - from) / 2;

		if (sorted[middle] <= least)
			from = middle + 1;
		else
			high = middle;
	}
	return from == count ? 0 : stats_quantile_sorted(sorted + from, count - from, p);
}

/* ran: seconds so far; 0: it waits. */
static simtime guess(const struct samples *samples, const struct job *job, int64_t ran, double p)
{
	double least = ran == 0 ? -1 : (double)ran;
	uint32_t first = bound(samples, job, false), end = bound(samples, job, true);
	double seconds = quantile_above(samples->seconds + first, end - first, least, p);

	if (seconds <= 0)
		seconds = quantile_above(samples->all, samples->count, least, p);
	if (seconds <= 0)
		return ran * CLOCK_SECOND + CLOCK_HOUR;
	return (simtime)seconds * CLOCK_SECOND;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t taken_at(const struct builder *builder)
{
	int64_t latest = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];

		latest = later(latest, later(note->created, later(note->started, note->ended)));
		if (note->record != NULL)
			latest = later(latest, note->record->latest);
	}
	return latest;
}

static void fill_durations(struct builder *builder)
{
	int64_t now = taken_at(builder);
	struct samples samples;
	uint32_t guessed = 0, first = 0;

	gather(builder, &samples);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		struct job *job = &builder->jobs[note->job];
		int64_t ran;

		if (note->record == NULL || !note->record->unknown)
			continue;
		ran = worktime_ran(note->record, now);
		note->record->early = guess(&samples, job, ran, EARLY);
		note->record->late = guess(&samples, job, ran, LATE);
		job->duration = guess(&samples, job, ran, 0.5);
		if (!note->record->stopped)
			first = guessed++ == 0 ? note->job : first;
	}
	if (guessed != 0)
		draft_finding(builder, FINDING_NOTE, draft_job_place(builder, first),
			      "%u Workload%s had not ended when the dump was taken: %s takes the "
			      "median of what its queue recorded (of what ran longer, if it ran)",
			      guessed, guessed == 1 ? "" : "s", guessed == 1 ? "it" : "each");
	mem_free(samples.items);
	mem_free(samples.seconds);
	mem_free(samples.all);
}

/* ---- namespaces that the dump does not describe ---- */

static void add_label(struct builder *builder, struct ns_record *ns, uint32_t key, uint32_t value)
{
	struct label *items;

	if (label_has(&ns->labels, key))
		return;
	items = mem_arena_alloc(builder->arena, (ns->labels.count + 1) * sizeof(*items));
	for (uint32_t i = 0; i < ns->labels.count; i++)
		items[i] = ns->labels.items[i];
	items[ns->labels.count] = (struct label){.key = key, .value = value};
	ns->labels = (struct label_set){.items = items, .count = ns->labels.count + 1};
}

static void add_selected(struct builder *builder, struct ns_record *ns,
			 const struct label_selector *selector)
{
	for (uint32_t i = 0; i < selector->match_labels.count; i++)
		add_label(builder, ns, selector->match_labels.items[i].key,
			  selector->match_labels.items[i].value);
	for (uint32_t i = 0; i < selector->expression_count; i++) {
		const struct match_expression *e = &selector->expressions[i];

		if (e->op == MATCH_EXISTS)
			add_label(builder, ns, e->key, name_add(builder->strings, ""));
		else if (e->op == MATCH_IN && e->value_count != 0)
			add_label(builder, ns, e->key, e->values[0]);
	}
}

static void index_names(const struct builder *builder, enum kind kind, struct draft_index *index)
{
	const struct draft_list *list = &builder->lists[kind];

	draft_index_init(index, list->count);
	for (uint32_t i = 0; i < list->count; i++)
		draft_index_put(index, draft_name(draft_record(list, kind, i)), NAME_NONE, i,
				false);
}

/* The namespace's record; made if there is none. */
static uint32_t need_namespace(struct builder *builder, struct draft_index *namespaces,
			       uint32_t name)
{
	const struct draft_list *list = &builder->lists[KIND_NAMESPACE];
	struct ns_record none = {.name = name};
	uint32_t index = draft_index_get(namespaces, name, NAME_NONE);

	if (index != NAME_NONE)
		return index;
	index = list->count;
	draft_add(builder, KIND_NAMESPACE, &none, (struct place){0}, KIND_ALWAYS);
	draft_index_put(namespaces, name, NAME_NONE, index, false);
	return index;
}

/* "kubectl get clusterqueues,localqueues,workloads" names namespaces and does not show
 * their labels: they are those that the ClusterQueues of their LocalQueues select. */
static void assume_selected(struct builder *builder)
{
	const struct draft_list *locals = &builder->lists[KIND_LOCAL_QUEUE];
	const struct draft_list *list = &builder->lists[KIND_NAMESPACE];
	uint32_t described = list->count;
	struct draft_index queues, namespaces;

	index_names(builder, KIND_CLUSTER_QUEUE, &queues);
	index_names(builder, KIND_NAMESPACE, &namespaces);
	for (uint32_t i = 0; i < locals->count; i++) {
		const struct local_queue *local = draft_record(locals, KIND_LOCAL_QUEUE, i);
		uint32_t at = draft_index_get(&queues, local->cluster_queue_name, NAME_NONE), ns;
		const struct cluster_queue *queue;

		if (at == NAME_NONE)
			continue;
		queue = draft_record(&builder->lists[KIND_CLUSTER_QUEUE], KIND_CLUSTER_QUEUE, at);
		ns = need_namespace(builder, &namespaces, local->ns);
		if (ns >= described)
			add_selected(builder, draft_record(list, KIND_NAMESPACE, ns),
				     &queue->namespace_selector);
	}
	if (list->count > described)
		draft_finding(
			builder, FINDING_NOTE, (struct place){0},
			"%u namespace%s LocalQueues and %s not in the input: each is taken to "
			"carry the labels that its ClusterQueues select",
			list->count - described, list->count - described == 1 ? " has" : "s have",
			list->count - described == 1 ? "is" : "are");
	draft_index_free(&queues);
	draft_index_free(&namespaces);
}

/* ---- the cluster as it is ---- */

/* Work that runs, in the order in which it was let in; work that waits, in that of its
 * creation; both in that of the dump where equal. */
static int64_t turn(const struct job_note *note)
{
	const struct job_record *record = note->record;

	if (record == NULL)
		return note->started != 0 ? note->started : note->created;
	return record->reserved != 0   ? record->reserved
	       : record->admitted != 0 ? record->admitted
				       : note->created;
}

static int by_turn(const void *a, const void *b, void *context)
{
	const struct job_note *const *x = a, *const *y = b;
	int64_t first = turn(*x), second = turn(*y);

	(void)context;
	return (first > second) - (first < second);
}

static bool is_over(const struct job_note *note)
{
	if (note->record != NULL)
		return note->record->finished != 0 || note->record->stopped;
	return note->ended != 0;
}

static void drop_ended(struct builder *builder)
{
	bool *dropped = mem_calloc(builder->job_count, sizeof(*dropped));

	for (uint32_t i = 0; i < builder->note_count; i++)
		dropped[builder->notes[i].job] = is_over(&builder->notes[i]);
	draft_drop_jobs(builder, dropped);
	mem_free(dropped);
}

static simtime left(simtime total, simtime ran)
{
	return total == 0 ? 0 : total > ran ? total - ran : CLOCK_SECOND;
}

/* Work that has begun goes on; what waits comes when all that is in. One of them a
 * microsecond, so that none takes the place of another. */
static void take_up(struct builder *builder, struct job_note *note, int64_t now, uint32_t order)
{
	struct job_record *record = note->record;
	struct job *job = &builder->jobs[note->job];
	int64_t from = record != NULL ? worktime_let_in(record) : note->started;
	int64_t ran = record != NULL		? worktime_ran(record, now)
		      : from != 0 && now > from ? now - from
						: 0;

	job->submit = order + (from != 0 ? 0 : CLOCK_SECOND);
	if (from == 0 && record != NULL && record->requeue_at > now)
		job->submit += (record->requeue_at - now) * CLOCK_SECOND;
	if (job->duration != JOB_ENDLESS)
		job->duration = left(job->duration, ran * CLOCK_SECOND);
	if (record == NULL)
		return;
	record->early = left(record->early, ran * CLOCK_SECOND);
	record->late = left(record->late, ran * CLOCK_SECOND);
	record->reserved = record->admitted = 0;
	record->running = from != 0;
}

static bool is_taken_up(const struct builder *builder, const struct job_note *note)
{
	return (builder->jobs[note->job].common->flags & JOB_ASKED) == 0 &&
	       (note->record != NULL || note->created != 0 || note->started != 0);
}

static void take_snapshot(struct builder *builder)
{
	int64_t now = taken_at(builder);
	struct job_note **order;
	uint32_t count = 0;

	drop_ended(builder);
	order = mem_calloc(builder->note_count, sizeof(*order));
	for (uint32_t i = 0; i < builder->note_count; i++) {
		if (is_taken_up(builder, &builder->notes[i]))
			order[count++] = &builder->notes[i];
	}
	sort_stable(order, count, sizeof(struct job_note *), by_turn, NULL);
	for (uint32_t i = 0; i < count; i++)
		take_up(builder, order[i], now, i);
	mem_free(order);
	for (uint32_t i = 0; i < builder->note_count; i++)
		builder->notes[i].created = 0;
}

/* Jobs of a list or with gqsim/submit-at may come later than what waits. */
static void submit_asked(struct builder *builder)
{
	simtime at = DUMP_NOW;

	for (uint32_t i = 0; i < builder->job_count; i++) {
		const struct job *job = &builder->jobs[i];

		if ((job->common->flags & (JOB_ASKED | JOB_MANIFEST)) == 0 && job->submit >= at)
			at = job->submit + CLOCK_SECOND;
	}
	for (uint32_t i = 0; i < builder->job_count; i++) {
		if ((builder->jobs[i].common->flags & JOB_ASKED) != 0)
			builder->jobs[i].submit = at;
	}
}

void dump_finish(struct builder *builder, bool now)
{
	bool any = false;

	for (uint32_t i = 0; i < builder->note_count; i++)
		any = any || builder->notes[i].record != NULL;
	drop_owned_pods(builder, any);
	if (any) {
		join_owners(builder);
		name_by_owner(builder);
		order_by_uid(builder);
		worktime_settle(builder);
		fill_durations(builder);
		settle_services(builder);
		assume_selected(builder);
	}
	if (now) {
		take_snapshot(builder);
		submit_asked(builder);
	}
}
