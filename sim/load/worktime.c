#include "sim/load/worktime.h"

#include "core/sort.h"
#include "sim/load/owner.h"

int64_t worktime_let_in(const struct job_record *record)
{
	return record->admitted != 0 ? record->admitted : record->reserved;
}

int64_t worktime_ran(const struct job_record *record, int64_t now)
{
	return record->began != 0 && now > record->began ? now - record->began : 0;
}

/* ---- pods ---- */

struct start {
	uint32_t note;
	int64_t at;
};

static int by_start(const void *a, const void *b, void *context)
{
	const struct start *x = a, *y = b;

	(void)context;
	if (x->note != y->note)
		return x->note < y->note ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The note of the Workload that let the pod in; NAME_NONE. */
static uint32_t workload_of(const struct builder *builder, const struct draft_index *workloads,
			    const struct pod_seen *pod)
{
	uint32_t note = draft_index_get(workloads, pod->object, pod->ns), maker;

	if (note != NAME_NONE || pod->controller == NAME_NONE)
		return note;
	note = draft_index_get(workloads, pod->controller, pod->ns);
	for (size_t m = 0;
	     note == NAME_NONE && owner_pod_maker(builder, pod->controller, m, &maker); m++)
		if (maker != NAME_NONE)
			note = draft_index_get(workloads, maker, pod->ns);
	return note;
}

/* Of its last try alone: earlier pods belong to one that was evicted. */
static bool is_of(const struct job_record *record, const struct pod_seen *pod)
{
	return worktime_let_in(record) != 0 && pod->scheduled >= worktime_let_in(record) &&
	       (record->finished == 0 || pod->scheduled <= record->finished);
}

static uint32_t gather_starts(const struct builder *builder, struct start *starts)
{
	struct draft_index workloads;
	uint32_t count = 0;

	owner_index_workloads(builder, &workloads);
	for (uint32_t i = 0; i < builder->pod_seen_count; i++) {
		const struct pod_seen *pod = &builder->pods_seen[i];
		uint32_t note = workload_of(builder, &workloads, pod);

		if (note != NAME_NONE && is_of(builder->notes[note].record, pod))
			starts[count++] = (struct start){.note = note, .at = pod->scheduled};
	}
	draft_index_free(&workloads);
	sort_stable(starts, count, sizeof(*starts), by_start, NULL);
	return count;
}

static uint64_t pods_of(const struct builder *builder, uint32_t job)
{
	const struct job *j = &builder->jobs[job];
	uint64_t pods = 0;

	for (uint32_t i = 0; i < j->common->pod_set_count; i++)
		pods += builder->pod_sets[j->common->first_pod_set + i].count;
	return pods;
}

/* Pods that came in place of others are later than as many as there were at first. */
static void begin_with_pods(struct builder *builder)
{
	struct start *starts;
	uint32_t count;

	if (builder->pod_seen_count == 0)
		return;
	starts = mem_calloc(builder->pod_seen_count, sizeof(*starts));
	count = gather_starts(builder, starts);
	for (uint32_t first = 0, end; first < count; first = end) {
		const struct job_note *note = &builder->notes[starts[first].note];
		uint64_t pods = pods_of(builder, note->job);

		for (end = first; end < count && starts[end].note == starts[first].note;)
			end++;
		if (pods > 0 && pods <= end - first)
			note->record->began = starts[first + pods - 1].at;
	}
	mem_free(starts);
}

/* ---- conditions ---- */

struct lag {
	uint32_t queue, ns;
	uint32_t note;
	int64_t seconds; /* from admission to PodsReady */
};

static int by_lag(const void *a, const void *b, void *context)
{
	const struct lag *x = a, *y = b;

	(void)context;
	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static bool tells_ready(const struct job_record *record)
{
	return worktime_let_in(record) != 0 && record->ready >= worktime_let_in(record) &&
	       (record->finished == 0 || record->ready <= record->finished);
}

static void begin_with_conditions(struct builder *builder)
{
	struct lag *lags = mem_calloc(builder->note_count, sizeof(*lags));
	uint32_t count = 0, shortest = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		const struct job_common *common = builder->jobs[note->job].common;

		if (note->record != NULL && tells_ready(note->record))
			lags[count++] = (struct lag){.queue = common->queue,
						     .ns = common->ns,
						     .note = i,
						     .seconds = note->record->ready -
								worktime_let_in(note->record)};
	}
	sort_stable(lags, count, sizeof(*lags), by_lag, NULL);
	for (uint32_t i = 0; i < count; i++) {
		struct job_record *record = builder->notes[lags[i].note].record;

		if (lags[i].queue != lags[shortest].queue || lags[i].ns != lags[shortest].ns)
			shortest = i;
		if (record->began == 0)
			record->began = record->ready - lags[shortest].seconds;
	}
	mem_free(lags);
}

/* ---- all of it ---- */

static bool has_nodes(const struct builder *builder)
{
	return builder->lists[KIND_NODE].count + builder->pool_count != 0;
}

/* True: what it waited after its admission is no work. */
static bool settle(struct builder *builder, const struct job_note *note)
{
	struct job_record *record = note->record;
	struct job *job = &builder->jobs[note->job];

	/* Its pods still wait: all the work is ahead of it. One that has ended waits for none. */
	if (record->began == 0 &&
	    (record->finished != 0 || !record->unready || !has_nodes(builder)))
		record->began = worktime_let_in(record);
	if (record->began == worktime_let_in(record) || !record->timed)
		return false;
	if (!record->unknown)
		job->duration = (record->finished - record->began) * CLOCK_SECOND;
	return record->began != 0;
}

void worktime_settle(struct builder *builder)
{
	uint32_t waited = 0, first = 0;

	if (has_nodes(builder)) {
		begin_with_pods(builder);
		begin_with_conditions(builder);
	}
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];

		if (note->record != NULL && settle(builder, note))
			first = waited++ == 0 ? note->job : first;
	}
	if (waited != 0)
		draft_finding(builder, FINDING_NOTE, draft_job_place(builder, first),
			      "%u Workload%s admitted before %s pods had nodes: that time is not "
			      "taken for work, for the pods wait for nodes here, too",
			      waited, waited == 1 ? " was" : "s were",
			      waited == 1 ? "its" : "their");
}
