#include "sim/trace/trace_list.h"

#define FULL_UTILISATION 1000 /* per mille */

void trace_list_add(struct trace_list *list, const struct trace_row *row)
{
	list->rows = mem_grow(list->rows, list->count + 1, &list->capacity, sizeof(*list->rows));
	list->rows[list->count++] = *row;
}

void trace_list_saw(struct trace_list *list, simtime moment)
{
	if (moment > list->latest)
		list->latest = moment;
}

void trace_list_free(struct trace_list *list)
{
	mem_free(list->rows);
	*list = (struct trace_list){0};
}

static simtime earliest(const struct trace_list *list)
{
	simtime first = list->count > 0 ? list->rows[0].submit : 0;

	for (size_t i = 1; i < list->count; i++)
		if (list->rows[i].submit < first)
			first = list->rows[i].submit;
	return first;
}

/* What turns rows into jobs. */
struct maker {
	const struct trace_list *list;
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_pods *pods;
	uint32_t no_vc; /* string */
	simtime zero;	/* of the simulation, on the trace's clock */
	bool *seen;	/* by string: names that were given */
};

static uint32_t name_of(struct maker *m, const struct trace_row *row)
{
	if (row->name == NAME_NONE || !m->seen[row->name]) {
		if (row->name != NAME_NONE)
			m->seen[row->name] = true;
		return row->name;
	}
	m->summary->repeated_names++;
	return NAME_NONE;
}

static void record_start(struct maker *m, uint32_t job, const struct trace_row *row)
{
	simtime start = row->start;

	if (start < row->submit) {
		m->summary->clamped_waits++;
		start = row->submit;
	}
	builder_job_start(m->builder, job, start - m->zero);
}

/* 0: it began as the trace ended. */
static simtime work_of(const struct maker *m, const struct trace_row *row)
{
	if (!row->unfinished)
		return row->duration;
	return clock_add(row->duration, m->list->latest - row->since);
}

static void make(struct maker *m, const struct trace_row *row, const char *file)
{
	bool cut = row->sets.count == 0;
	struct trace_pods_sets sets = cut ? trace_pods_of(m->pods, row->gpus) : row->sets;
	struct job_common common = {
		.ns = row->vc != NAME_NONE ? row->vc : m->no_vc,
		.queue = row->vc,
		.priority_class = m->list->has_classes ? row->priority_class : NAME_NONE,
		.first_pod_set = sets.first,
		.pod_set_count = sets.count,
		.flags = row->burned,
	};
	struct job job = {
		.submit = row->submit - m->zero,
		.duration = work_of(m, row),
		.name = name_of(m, row),
		.common = &common,
		.row = row->row,
		.extra = JOB_NONE,
		.utilisation = FULL_UTILISATION,
	};
	uint32_t index;

	if (row->unfinished && job.duration == 0) {
		trace_skip(m->summary, "started_at_the_end", row->line);
		return;
	}
	m->summary->censored += row->unfinished;
	m->summary->jobs++;
	if (row->vc == NAME_NONE)
		common.flags |= JOB_UNMANAGED;
	if (cut || row->cut)
		common.flags |= JOB_CUT;
	index = builder_job(m->builder, &job,
			    (struct place){.file = file, .line = row->line, .column = 1});
	if (row->has_start)
		record_start(m, index, row);
}

void trace_list_build(const struct trace_list *list, const char *file,
		      const struct trace_options *options, struct builder *builder,
		      struct trace_summary *summary)
{
	struct maker m = {.list = list, .builder = builder, .summary = summary};

	m.pods = trace_pods_new(builder, options->gpus_per_node);
	m.no_vc = builder_string(builder, "default", 7);
	m.seen = mem_calloc(name_count(builder_strings(builder)), sizeof(*m.seen));
	summary->first_submit = earliest(list);
	summary->has_clock = !list->no_clock;
	m.zero = list->no_clock ? 0 : summary->first_submit;
	for (size_t i = 0; i < list->count; i++)
		make(&m, &list->rows[i], file);
	trace_pods_free(m.pods);
	mem_free(m.seen);
}
