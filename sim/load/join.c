#include "sim/load/join.h"

#include "sim/scenario/draft.h"

#define FULL_UTILISATION 1000

static bool is_manifest(const struct job *job)
{
	return (job->common->flags & JOB_MANIFEST) != 0;
}

static bool requests_anything(const struct pod_shape *shape, uint32_t width)
{
	for (uint32_t r = 0; r < width; r++)
		if (shape->request[r] != 0)
			return true;
	return shape->requested != 0;
}

/* The row's amounts, the manifest's whereabouts. */
static uint32_t joined_shape(struct builder *builder, uint32_t row_shape, uint32_t manifest_shape)
{
	const struct draft_shape *row = &builder->shapes[row_shape];
	const struct draft_shape *manifest = &builder->shapes[manifest_shape];
	struct pod_shape shape = manifest->shape;
	int64_t *request;

	if (!requests_anything(&row->shape, row->width))
		return manifest_shape;
	request = builder_vector(builder);
	for (uint32_t r = 0; r < row->width; r++)
		request[r] = row->shape.request[r];
	shape.request = request;
	shape.limit = NULL;
	shape.requested = row->shape.requested;
	shape.nonzero_cpu = row->shape.nonzero_cpu;
	shape.nonzero_memory = row->shape.nonzero_memory;
	shape.container_count = row->shape.container_count;
	if (row->shape.node_selector.count != 0)
		shape.node_selector = row->shape.node_selector;
	if (row->shape.tolerations.count != 0)
		shape.tolerations = row->shape.tolerations;
	if (row->shape.topology_mode != TOPOLOGY_NONE) {
		shape.topology_mode = row->shape.topology_mode;
		shape.topology_level = row->shape.topology_level;
	}
	return builder_shape(builder, &shape);
}

static void join_pod_sets(struct builder *builder, struct job_common *row,
			  const struct job_common *manifest)
{
	const struct pod_set from = builder->pod_sets[manifest->first_pod_set];
	struct pod_set *sets = mem_calloc(row->pod_set_count, sizeof(*sets));

	for (uint32_t i = 0; i < row->pod_set_count; i++) {
		sets[i] = builder->pod_sets[row->first_pod_set + i];
		sets[i].shape = joined_shape(builder, sets[i].shape, from.shape);
		if (!sets[i].has_min && from.has_min && from.min_count <= sets[i].count &&
		    row->pod_set_count == 1) {
			sets[i].min_count = from.min_count;
			sets[i].has_min = true;
		}
	}
	row->first_pod_set = builder_pod_sets(builder, sets, row->pod_set_count);
	mem_free(sets);
}

static void join_job(struct builder *builder, struct job *row, const struct job *manifest)
{
	struct job_common common = *row->common;

	join_pod_sets(builder, &common, manifest->common);
	if (common.queue == NAME_NONE) {
		common.queue = manifest->common->queue;
		common.flags &= (uint16_t)~JOB_UNMANAGED;
		common.flags |= manifest->common->flags & JOB_UNMANAGED;
	}
	if (common.priority_class == NAME_NONE) {
		common.priority_class = manifest->common->priority_class;
		common.flags |= manifest->common->flags & JOB_CLASS_OF_PODS;
	}
	if (row->extra == JOB_NONE)
		row->extra = manifest->extra;
	if (common.checkpoint == 0) {
		common.checkpoint = manifest->common->checkpoint;
		common.restart_cost = manifest->common->restart_cost;
	}
	common.flags |= manifest->common->flags & JOB_NOT_GANG;
	row->common = draft_common(builder, &common);
	if (row->utilisation == FULL_UTILISATION)
		row->utilisation = manifest->utilisation;
}

/* The labels of the manifest's pods are those of the row's. */
static void join_labels(struct builder *builder, uint32_t row, uint32_t manifest)
{
	struct label_set labels;

	if (manifest >= builder->job_label_count || builder->job_labels[manifest] == 0)
		return;
	labels = builder->pod_labels[builder->job_labels[manifest] - 1];
	builder_job_labels(builder, row, &labels);
}

static uint32_t index_manifests(const struct builder *builder, struct draft_index *manifests)
{
	uint32_t count = 0;

	draft_index_init(manifests, 0);
	for (uint32_t i = 0; i < builder->job_count; i++) {
		const struct job *job = &builder->jobs[i];

		if (!is_manifest(job))
			continue;
		draft_index_put(manifests, job->name, job->common->ns, i, false);
		count++;
	}
	return count;
}

void join_rows(struct builder *builder)
{
	struct draft_index manifests;
	uint32_t count;
	bool *dropped;

	if (!builder->has_manifests)
		return;
	count = index_manifests(builder, &manifests);
	if (count != 0 && count < builder->job_count) {
		dropped = mem_calloc(builder->job_count, sizeof(*dropped));
		for (uint32_t i = 0; i < builder->job_count; i++) {
			struct job *row = &builder->jobs[i];
			uint32_t at;

			if (is_manifest(row) || row->name == NAME_NONE)
				continue;
			at = draft_index_get(&manifests, row->name, row->common->ns);
			if (at == NAME_NONE)
				continue;
			join_job(builder, row, &builder->jobs[at]);
			join_labels(builder, i, at);
			dropped[at] = true;
		}
		draft_drop_jobs(builder, dropped);
		mem_free(dropped);
	}
	draft_index_free(&manifests);
}
