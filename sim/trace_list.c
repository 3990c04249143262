#include "sim/trace_list.h"

#include "sim/trace_pods.h"

#define FULL_UTILISATION 1000 /* per mille */

void trace_list_add(struct trace_list *list, const struct trace_row *row)
{
	list->rows = mem_grow(list->rows, list->count + 1, &list->capacity, sizeof(*list->rows));
	list->rows[list->count++] = *row;
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

void trace_list_build(const struct trace_list *list, const char *file,
		      const struct trace_options *options, struct builder *builder,
		      struct trace_summary *summary)
{
	struct trace_pods *pods = trace_pods_new(builder, options->gpus_per_node);
	uint32_t no_vc = builder_string(builder, "default", 7);

	summary->first_submit = earliest(list);
	summary->has_clock = true;
	summary->jobs += list->count;
	for (size_t i = 0; i < list->count; i++) {
		const struct trace_row *row = &list->rows[i];
		struct trace_pods_sets sets = trace_pods_of(pods, row->gpus);
		struct job job = {
			.submit = row->submit - summary->first_submit,
			.duration = row->duration,
			.name = row->name,
			.row = row->row,
			.ns = row->vc != NAME_NONE ? row->vc : no_vc,
			.queue = row->vc,
			.priority_class = NAME_NONE,
			.first_pod_set = sets.first,
			.pod_set_count = sets.count,
			.flags = row->vc != NAME_NONE ? 0 : JOB_UNMANAGED,
			.extra = JOB_NONE,
			.utilisation = FULL_UTILISATION,
		};

		builder_job(builder, &job,
			    (struct place){.file = file, .line = row->line, .column = 1});
	}
	trace_pods_free(pods);
}
