#include "sim/load/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/load/resolve.h"
#include "sim/scenario/draft.h"
#include "sim/scenario/shape.h"
#include "sim/scenario/template.h"

#define NANO INT64_C(1000000000)

/* Spec KUEUE.md 1.9. */
struct kueue_config builder_config_defaults(void)
{
	return (struct kueue_config){
		.wait_for_pods_ready = true,
		.pods_ready_timeout = 30 * CLOCK_MINUTE,
		.recovery_timeout = 30 * CLOCK_MINUTE,
		.requeue_base = CLOCK_MINUTE,
		.requeue_max = CLOCK_HOUR,
		.requeue_limit = -1,
		.usage_sampling = 5 * CLOCK_MINUTE,
		.kueue_namespace = NAME_NONE,
		.resource_metrics = true,
		.local_metrics = true,
	};
}

struct builder *builder_new(void)
{
	struct builder *builder = mem_calloc(1, sizeof(*builder));

	builder->arena = mem_arena_new();
	builder->scratch = mem_arena_new();
	builder->strings = name_new();
	builder->resources = res_table_new();
	builder->title = NAME_NONE;
	builder->last_ns = builder->last_queue = NAME_NONE;
	builder->price_date = NAME_NONE;
	builder->seed = 1;
	builder->config = builder_config_defaults();
	builder->autoscaler = builder_autoscaler_defaults();
	return builder;
}

/* What is not handed over to a scenario. */
static void free_working_memory(struct builder *builder)
{
	for (int k = 0; k < KIND_COUNT; k++) {
		mem_free(builder->lists[k].records);
		mem_free(builder->lists[k].meta);
	}
	if (builder->left_out != NULL)
		draft_index_free(builder->left_out);
	mem_free(builder->left_out);
	mem_free(builder->shapes);
	mem_free(builder->shape_slots);
	mem_free(builder->pod_sets);
	mem_free(builder->run_slots);
	mem_free(builder->run_first);
	mem_free(builder->run_length);
	mem_free(builder->pod_labels);
	mem_free(builder->job_labels);
	mem_free(builder->job_starts);
	mem_free(builder->afters);
	mem_free(builder->commons);
	mem_free(builder->jobs);
	mem_free(builder->job_places.runs);
	mem_free(builder->job_ns);
	mem_free(builder->notes);
	mem_free(builder->pods_seen);
	mem_free(builder->changes);
	mem_free(builder->extras);
	mem_free(builder->files);
	mem_free(builder->findings);
	mem_free(builder->input_names);
	mem_free(builder->input_hashes);
	mem_free(builder->options);
	mem_free(builder->traces);
	mem_free(builder->pools);
	mem_free(builder->prices);
	mem_arena_free(builder->scratch);
	mem_free(builder);
}

void builder_free(struct builder *builder)
{
	if (builder == NULL)
		return;
	mem_arena_free(builder->arena);
	name_free(builder->strings);
	name_free(builder->resources);
	free_working_memory(builder);
}

struct mem_arena *builder_arena(struct builder *builder)
{
	return builder->arena;
}

struct name_table *builder_strings(struct builder *builder)
{
	return builder->strings;
}

uint32_t builder_string(struct builder *builder, const char *text, size_t len)
{
	return name_add_n(builder->strings, text, len);
}

enum err_code builder_resource(struct builder *builder, const char *name, size_t len, uint32_t *out,
			       struct err *err)
{
	*out = name_find_n(builder->resources, name, len);
	if (*out != NAME_NONE)
		return ERR_OK;
	if (name_count(builder->resources) == RES_MAX)
		return err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "resource \"%.*s\" is one too many: at most %d different resource "
			       "names are possible in one simulation",
			       (int)(len < 100 ? len : 100), name, RES_MAX);
	*out = name_add_n(builder->resources, name, len);
	return ERR_OK;
}

bool builder_find_resource(const struct builder *builder, const char *name, uint32_t *out)
{
	*out = name_find(builder->resources, name);
	return *out != NAME_NONE;
}

const char *builder_resource_name(const struct builder *builder, uint32_t resource)
{
	return name_text(builder->resources, resource);
}

int64_t *builder_vector(struct builder *builder)
{
	return mem_arena_alloc(builder->arena, RES_MAX * sizeof(int64_t));
}

/* Room for one more in a hash table that holds indices; true: the table is new
 * and every index has to be put in again. */
static bool slots_grow(uint32_t **slots, uint32_t *mask, uint32_t count)
{
	uint32_t size = *slots == NULL ? 64 : (*mask + 1) * 2;

	if (*slots != NULL && count < *mask / 2)
		return false;
	mem_free(*slots);
	*slots = mem_calloc(size, sizeof(**slots));
	memset(*slots, 0xff, size * sizeof(**slots));
	*mask = size - 1;
	return true;
}

static void shape_slots_grow(struct builder *builder)
{
	if (!slots_grow(&builder->shape_slots, &builder->shape_mask, builder->shape_count))
		return;
	for (uint32_t i = 0; i < builder->shape_count; i++) {
		uint32_t at = (uint32_t)builder->shapes[i].hash & builder->shape_mask;

		while (builder->shape_slots[at] != UINT32_MAX)
			at = (at + 1) & builder->shape_mask;
		builder->shape_slots[at] = i;
	}
}

static bool same_source(const struct pod_template *a, const struct pod_template *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return template_equal(a, b);
}

/* The draft's own copy of a template; its base is the shape that was copied. */
static const struct pod_template *keep_source(struct builder *builder,
					      const struct pod_template *source,
					      const struct pod_shape *shape)
{
	struct pod_template copy;

	if (source == NULL)
		return NULL;
	copy = *source;
	copy.base = *shape;
	copy.base.requested = 0;
	copy.base.gpus = copy.base.nonzero_cpu = copy.base.nonzero_memory = 0;
	return template_copy(builder->scratch, &copy);
}

static uint32_t add_shape(struct builder *builder, const struct pod_shape *shape,
			  const struct pod_template *source, uint32_t ns)
{
	struct draft_shape entry = {.shape = *shape,
				    .width = name_count(builder->resources),
				    .source = source,
				    .ns = ns};
	uint32_t at;

	shape_complete(&entry.shape, builder->resources, entry.width);
	entry.hash = shape_hash(&entry.shape, entry.width) ^ ns;
	shape_slots_grow(builder);
	at = (uint32_t)entry.hash & builder->shape_mask;
	for (; builder->shape_slots[at] != UINT32_MAX; at = (at + 1) & builder->shape_mask) {
		const struct draft_shape *old = &builder->shapes[builder->shape_slots[at]];

		if (old->hash == entry.hash && old->ns == ns && same_source(old->source, source) &&
		    shape_equal(&old->shape, old->width, &entry.shape, entry.width))
			return builder->shape_slots[at];
	}
	entry.shape = shape_copy(builder->arena, builder->scratch, &entry.shape, entry.width);
	entry.source = keep_source(builder, source, &entry.shape);
	builder->shapes = mem_grow(builder->shapes, (size_t)builder->shape_count + 1,
				   &builder->shape_capacity, sizeof(*builder->shapes));
	builder->shapes[builder->shape_count] = entry;
	builder->shape_slots[at] = builder->shape_count;
	return builder->shape_count++;
}

uint32_t builder_shape(struct builder *builder, const struct pod_shape *shape)
{
	return add_shape(builder, shape, NULL, NAME_NONE);
}

uint32_t builder_template(struct builder *builder, const struct pod_template *template, uint32_t ns)
{
	struct mem_arena *passing = mem_arena_new();
	struct pod_shape shape;
	uint32_t index;

	template_shape(template, NULL, 0, NULL, passing, &shape);
	index = add_shape(builder, &shape, template, ns);
	mem_arena_free(passing);
	return index;
}

static uint64_t run_hash(const struct pod_set *sets, uint32_t count)
{
	uint64_t h = count;

	for (uint32_t i = 0; i < count; i++) {
		h = (h ^ sets[i].name) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ sets[i].shape) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ sets[i].count) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ sets[i].min_count) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ sets[i].has_min) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

static bool run_equal(const struct pod_set *a, const struct pod_set *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].name != b[i].name || a[i].shape != b[i].shape ||
		    a[i].count != b[i].count || a[i].min_count != b[i].min_count ||
		    a[i].has_min != b[i].has_min)
			return false;
	return true;
}

static void run_slots_grow(struct builder *builder)
{
	if (!slots_grow(&builder->run_slots, &builder->run_mask, builder->run_count))
		return;
	for (uint32_t i = 0; i < builder->run_count; i++) {
		const struct pod_set *sets = builder->pod_sets + builder->run_first[i];
		uint32_t at = (uint32_t)run_hash(sets, builder->run_length[i]) & builder->run_mask;

		while (builder->run_slots[at] != UINT32_MAX)
			at = (at + 1) & builder->run_mask;
		builder->run_slots[at] = i;
	}
}

static uint32_t add_run(struct builder *builder, const struct pod_set *sets, uint32_t count)
{
	uint32_t first = builder->pod_set_count, run = builder->run_count++;

	builder->pod_sets = mem_grow(builder->pod_sets, (size_t)first + count,
				     &builder->pod_set_capacity, sizeof(*builder->pod_sets));
	memcpy(builder->pod_sets + first, sets, count * sizeof(*sets));
	builder->pod_set_count += count;
	builder->run_first = mem_grow(builder->run_first, (size_t)run + 1,
				      &builder->run_first_capacity, sizeof(*builder->run_first));
	builder->run_length = mem_grow(builder->run_length, (size_t)run + 1,
				       &builder->run_length_capacity, sizeof(*builder->run_length));
	builder->run_first[run] = first;
	builder->run_length[run] = count;
	return run;
}

uint32_t builder_pod_sets(struct builder *builder, const struct pod_set *sets, uint32_t count)
{
	uint32_t at;

	assert(count > 0);
	run_slots_grow(builder);
	at = (uint32_t)run_hash(sets, count) & builder->run_mask;
	for (; builder->run_slots[at] != UINT32_MAX; at = (at + 1) & builder->run_mask) {
		uint32_t run = builder->run_slots[at];

		if (builder->run_length[run] == count &&
		    run_equal(builder->pod_sets + builder->run_first[run], sets, count))
			return builder->run_first[run];
	}
	builder->run_slots[at] = add_run(builder, sets, count);
	return builder->run_first[builder->run_slots[at]];
}

uint32_t builder_shape_of(const struct builder *builder, uint32_t pod_set)
{
	return builder->pod_sets[pod_set].shape;
}

/* Once for jobs of one namespace and queue in a row. */
static void note_namespace(struct builder *builder, uint32_t ns, uint32_t queue)
{
	builder->job_ns = mem_grow(builder->job_ns, (size_t)builder->job_ns_count + 1,
				   &builder->job_ns_capacity, sizeof(*builder->job_ns));
	builder->job_ns[builder->job_ns_count++] = ns;
	builder->last_ns = ns;
	builder->last_queue = queue;
}

const struct job_common *builder_common(struct builder *builder, const struct job_common *common)
{
	return draft_common(builder, common);
}

struct job *builder_jobs_room(struct builder *builder, uint32_t count)
{
	builder->jobs = mem_grow(builder->jobs, (size_t)builder->job_count + count,
				 &builder->job_capacity, sizeof(*builder->jobs));
	return &builder->jobs[builder->job_count];
}

void builder_jobs_add(struct builder *builder, uint32_t count, const struct place *where)
{
	const struct job *job = &builder->jobs[builder->job_count];

	draft_place_jobs(builder, builder->job_count, count, where);
	builder->job_count += count;
	builder->has_job_names |= job->name != NAME_NONE;
	builder->has_manifests |= (job->common->flags & JOB_MANIFEST) != 0;
	if (job->common->ns != builder->last_ns || job->common->queue != builder->last_queue)
		note_namespace(builder, job->common->ns, job->common->queue);
}

struct job *builder_job_like(struct builder *builder, const struct job *like,
			     const struct place *where)
{
	struct job *job = builder_jobs_room(builder, 1);

	*job = *like;
	job->common = draft_common(builder, like->common);
	builder_jobs_add(builder, 1, where);
	return job;
}

uint32_t builder_job(struct builder *builder, const struct job *job, struct place where)
{
	builder_job_like(builder, job, &where);
	return builder->job_count - 1;
}

bool builder_one_queue(const struct builder *builder, uint32_t *ns, uint32_t *queue)
{
	*ns = builder->last_ns;
	*queue = builder->last_queue;
	return builder->job_ns_count == 1 && !builder->has_manifests;
}

uint32_t builder_extra(struct builder *builder, const struct job_extra *extra)
{
	builder->extras = mem_grow(builder->extras, (size_t)builder->extra_count + 1,
				   &builder->extra_capacity, sizeof(*builder->extras));
	builder->extras[builder->extra_count] = *extra;
	return builder->extra_count++;
}

static struct job_record *copy_record(struct builder *builder, const struct job_record *record)
{
	struct job_record *copy = mem_arena_alloc(builder->scratch, sizeof(*copy));
	uint32_t *owners = mem_arena_alloc(builder->scratch, record->owner_count * sizeof(*owners));

	for (uint32_t i = 0; i < record->owner_count; i++)
		owners[i] = record->owners[i];
	*copy = *record;
	copy->owners = owners;
	return copy;
}

void builder_job_note(struct builder *builder, const struct job_note *note)
{
	struct job_note *copy;

	builder->notes = mem_grow(builder->notes, (size_t)builder->note_count + 1,
				  &builder->note_capacity, sizeof(*builder->notes));
	copy = &builder->notes[builder->note_count++];
	*copy = *note;
	if (note->record != NULL)
		copy->record = copy_record(builder, note->record);
}

void builder_pod_seen(struct builder *builder, const struct pod_seen *pod)
{
	builder->pods_seen = mem_grow(builder->pods_seen, (size_t)builder->pod_seen_count + 1,
				      &builder->pod_seen_capacity, sizeof(*builder->pods_seen));
	builder->pods_seen[builder->pod_seen_count++] = *pod;
}

void builder_ask(struct builder *builder, uint32_t first)
{
	for (uint32_t i = first; i < builder->job_count; i++) {
		struct job_common common = *builder->jobs[i].common;

		common.flags |= JOB_ASKED;
		builder->jobs[i].common = draft_common(builder, &common);
	}
}

void builder_job_change(struct builder *builder, uint32_t name, uint32_t ns,
			struct job_change change, struct place where)
{
	builder->changes = mem_grow(builder->changes, (size_t)builder->change_count + 1,
				    &builder->change_capacity, sizeof(*builder->changes));
	builder->changes[builder->change_count++] =
		(struct draft_change){.name = name, .ns = ns, .change = change, .where = where};
}

/* Its index, counted from 1; pods of one template after another often are alike. */
static uint32_t add_labels(struct builder *builder, const struct label_set *labels)
{
	uint32_t last = builder->pod_label_count;

	if (last != 0 && label_set_equal(labels, &builder->pod_labels[last - 1]))
		return last;
	builder->pod_labels = mem_grow(builder->pod_labels, (size_t)last + 1,
				       &builder->pod_label_capacity, sizeof(*builder->pod_labels));
	builder->pod_labels[last] = label_set_copy(builder->arena, labels);
	return ++builder->pod_label_count;
}

void builder_job_labels(struct builder *builder, uint32_t job, const struct label_set *labels)
{
	if (labels->count == 0)
		return;
	builder->job_labels = mem_grow(builder->job_labels, (size_t)job + 1,
				       &builder->job_label_capacity, sizeof(*builder->job_labels));
	while (builder->job_label_count <= job)
		builder->job_labels[builder->job_label_count++] = 0;
	builder->job_labels[job] = add_labels(builder, labels);
}

void builder_job_name(struct builder *builder, uint32_t job, uint32_t name)
{
	builder->jobs[job].name = name;
	builder->has_job_names = true;
}

void builder_job_after(struct builder *builder, uint32_t job, uint32_t after, simtime think)
{
	assert(after < job &&
	       (builder->after_count == 0 || builder->afters[builder->after_count - 1].job < job));
	builder->afters = mem_grow(builder->afters, (size_t)builder->after_count + 1,
				   &builder->after_capacity, sizeof(*builder->afters));
	builder->afters[builder->after_count++] =
		(struct job_after){.job = job, .after = after, .think = think};
}

const struct job_after *builder_job_waits(const struct builder *builder, uint32_t job)
{
	uint32_t low = 0, high = builder->after_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (builder->afters[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low < builder->after_count && builder->afters[low].job == job ? &builder->afters[low]
									     : NULL;
}

void builder_job_start(struct builder *builder, uint32_t job, simtime start)
{
	builder->job_starts = mem_grow(builder->job_starts, (size_t)job + 1,
				       &builder->job_start_capacity, sizeof(*builder->job_starts));
	while (builder->job_start_count <= job)
		builder->job_starts[builder->job_start_count++] = CLOCK_NEVER;
	builder->job_starts[job] = start;
}

simtime builder_job_started(const struct builder *builder, uint32_t job)
{
	return draft_job_start(builder, job);
}

uint32_t builder_job_count(const struct builder *builder)
{
	return builder->job_count;
}

const struct job *builder_jobs(const struct builder *builder)
{
	return builder->jobs;
}

const struct pod_set *builder_sets_of(const struct builder *builder, const struct job *job)
{
	return &builder->pod_sets[job->common->first_pod_set];
}

const struct pod_shape *builder_shape_at(const struct builder *builder, uint32_t shape)
{
	return &builder->shapes[shape].shape;
}

const struct job_extra *builder_extra_at(const struct builder *builder, uint32_t extra)
{
	return &builder->extras[extra];
}

uint32_t builder_job_gpus(const struct builder *builder, const struct job *job)
{
	int64_t gpus = 0;

	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &builder->pod_sets[job->common->first_pod_set + i];

		gpus = res_add(gpus, res_mul(builder->shapes[set->shape].shape.gpus, set->count));
	}
	return gpus > UINT32_MAX ? UINT32_MAX : (uint32_t)gpus;
}

void builder_add(struct builder *builder, enum kind kind, const void *record, struct place where,
		 simtime at)
{
	draft_add(builder, kind, record, where, at);
}

void builder_delete(struct builder *builder, simtime at)
{
	enum kind kind = builder->last_kind;
	const struct draft_list *list = &builder->lists[kind];
	void *gone = mem_dup(draft_record(list, kind, list->count - 1), kinds_row(kind)->size);

	kinds_make_absent(kind, gone);
	draft_add(builder, kind, gone, list->meta[list->count - 1].where, at);
	mem_free(gone);
}

const struct kueue_config *builder_configured(const struct builder *b)
{
	return &b->config;
}

void builder_config(struct builder *builder, const struct kueue_config *config, struct place where)
{
	static const struct finding_rule rule = {"defined-twice", FINDING_WARNING};

	if (builder->config.given)
		draft_fault(builder, &rule, where, "keep one of the two",
			    "a second Configuration: this one replaces the one at %s:%ld",
			    builder->config_where.file, builder->config_where.line);
	builder->config = *config;
	builder->config.given = true;
	builder->config_where = where;
}

void builder_layers(struct builder *builder, struct place where)
{
	if (builder->layers_where.file == NULL)
		builder->layers_where = where;
}

void builder_elastic(struct builder *builder, const char *kind, struct place where)
{
	struct draft_elastic *entry = mem_arena_alloc(builder->arena, sizeof(*entry));

	*entry = (struct draft_elastic){.kind = builder_string(builder, kind, strlen(kind)),
					.where = where};
	if (builder->last_elastic != NULL)
		builder->last_elastic->next = entry;
	else
		builder->elastic = entry;
	builder->last_elastic = entry;
}

uint32_t builder_node(struct builder *builder, const struct node *node, struct place where)
{
	draft_add(builder, KIND_NODE, node, where, KIND_ALWAYS);
	return builder->lists[KIND_NODE].count - 1;
}

void builder_gpus(const struct builder *builder, int64_t *biggest, int64_t *total)
{
	const struct draft_list *list = &builder->lists[KIND_NODE];

	*biggest = *total = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);
		int64_t gpus = draft_node_gpus(builder, node);

		if (list->meta[i].at != KIND_ALWAYS)
			continue;
		if (!cluster_node_never(node))
			*total = res_add(*total, gpus);
		*biggest = gpus > *biggest ? gpus : *biggest;
	}
}

bool builder_has_label(const struct builder *builder, uint32_t key, uint32_t value)
{
	const struct draft_list *list = &builder->lists[KIND_NODE];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (label_value(&node->labels, key) == value)
			return true;
	}
	return false;
}

void builder_nodes_offer(struct builder *builder, uint32_t resource, int64_t per_gpu)
{
	struct draft_list *list = &builder->lists[KIND_NODE];
	const int64_t *last = NULL; /* pools share one vector */
	int64_t *mended = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);
		int64_t gpus = draft_node_gpus(builder, node);

		if (gpus == 0 || node->allocatable[resource] != 0)
			continue;
		if (node->allocatable != last) {
			last = node->allocatable;
			mended = builder_vector(builder);
			memcpy(mended, last, RES_MAX * sizeof(*mended));
			mended[resource] = res_mul(gpus, per_gpu);
		}
		node->allocatable = mended;
	}
}

bool builder_asked(const struct builder *builder, uint32_t resource)
{
	for (uint32_t i = 0; i < builder->shape_count; i++)
		if ((builder->shapes[i].shape.requested >> resource & 1) != 0)
			return true;
	return false;
}

bool builder_has_nodes(const struct builder *builder)
{
	return builder->lists[KIND_NODE].count != 0;
}

bool builder_has_queues(const struct builder *builder)
{
	return builder->lists[KIND_CLUSTER_QUEUE].count != 0;
}

bool builder_has(const struct builder *builder, enum kind kind, uint32_t name)
{
	const struct draft_list *list = &builder->lists[kind];

	for (uint32_t i = 0; i < list->count; i++)
		if (draft_name(draft_record(list, kind, i)) == name)
			return true;
	return false;
}

static int64_t quota_of(const struct builder *builder, uint32_t resource, int64_t gpus)
{
	if (resource == RES_GPU)
		return gpus;
	if (strcmp(name_text(builder->resources, resource), RES_GPU_MILLI) == 0)
		return res_mul(gpus, 1000);
	return RES_UNLIMITED;
}

/* Kueue holds back pods that ask for what their queue does not cover: so the queue covers
 * everything that any pod asks for, without a limit but for GPUs. */
static const struct resource_group *simple_group(struct builder *builder, uint32_t flavor,
						 int64_t gpus)
{
	uint32_t known = name_count(builder->resources), count = 0;
	struct resource_group *group = mem_arena_alloc(builder->arena, sizeof(*group));
	uint32_t *resources = mem_arena_alloc(builder->arena, known * sizeof(*resources));
	uint32_t *flavor_name = mem_arena_alloc(builder->arena, sizeof(*flavor_name));
	struct quota_cell *cells = mem_arena_alloc(builder->arena, known * sizeof(*cells));

	for (uint32_t r = 0; r < known; r++) {
		if (r != RES_GPU && (r == RES_PODS || !builder_asked(builder, r)))
			continue;
		resources[count] = r;
		cells[count++] = (struct quota_cell){.nominal = quota_of(builder, r, gpus),
						     .borrowing_limit = QUOTA_ABSENT,
						     .lending_limit = QUOTA_ABSENT};
	}
	*flavor_name = flavor;
	*group = (struct resource_group){.resources = resources,
					 .resource_count = count,
					 .flavor_names = flavor_name,
					 .flavor_count = 1,
					 .cells = cells};
	return group;
}

static void simple_cluster_queue(struct builder *builder, uint32_t name, const char *cohort,
				 uint32_t flavor, int64_t gpus, simtime at)
{
	struct cluster_queue queue = {
		.name = name,
		.cohort = cohort == NULL ? NAME_NONE : name_add(builder->strings, cohort),
		.groups = simple_group(builder, flavor, gpus),
		.group_count = 1,
		.namespace_selector = {.present = true},
		.when_can_preempt = FUNGIBILITY_TRY_NEXT_FLAVOR,
		.reclaim_within_cohort = PREEMPT_ANY,
		.within_cluster_queue = PREEMPT_LOWER_PRIORITY,
		.fair_weight = NANO,
	};

	draft_add(builder, KIND_CLUSTER_QUEUE, &queue, (struct place){0}, at);
}

void builder_simple_quota(struct builder *builder, const char *name, const char *cohort,
			  const char *flavor, int64_t gpus, simtime at)
{
	simple_cluster_queue(builder, name_add(builder->strings, name), cohort,
			     name_add(builder->strings, flavor), gpus, at);
}

void builder_simple_queue(struct builder *builder, const char *name, const char *ns,
			  const char *cohort, const char *flavor, int64_t gpus)
{
	uint32_t queue_name = name_add(builder->strings, name);
	struct flavor new_flavor = {.name = name_add(builder->strings, flavor),
				    .topology_name = NAME_NONE};
	struct local_queue local = {.name = queue_name,
				    .ns = name_add(builder->strings, ns),
				    .cluster_queue_name = queue_name,
				    .fair_weight = NANO};

	if (!builder_has(builder, KIND_FLAVOR, new_flavor.name))
		draft_add(builder, KIND_FLAVOR, &new_flavor, (struct place){0}, KIND_ALWAYS);
	if (!builder_has(builder, KIND_CLUSTER_QUEUE, queue_name))
		simple_cluster_queue(builder, queue_name, cohort, new_flavor.name, gpus,
				     KIND_ALWAYS);
	draft_add(builder, KIND_LOCAL_QUEUE, &local, (struct place){0}, KIND_ALWAYS);
	builder->derived_queues = true;
}

void builder_finding(struct builder *builder, enum finding_kind kind, struct place where,
		     const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	draft_finding(builder, kind, where, "%s", text);
}

void builder_fault(struct builder *builder, enum finding_kind kind, const char *rule,
		   struct place where, const char *fix, const char *fmt, ...)
{
	const struct finding_rule of = {rule, kind};
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	draft_fault(builder, &of, where, fix, "%s", text);
}

const struct finding *builder_findings(const struct builder *builder, uint32_t *count)
{
	*count = builder->finding_count;
	return builder->findings;
}

uint32_t builder_input(struct builder *builder, const char *name, uint64_t hash)
{
	uint32_t index = builder->input_count++;

	builder->input_names = mem_grow(builder->input_names, (size_t)index + 1,
					&builder->input_capacity, sizeof(*builder->input_names));
	builder->input_hashes = mem_grow(builder->input_hashes, (size_t)index + 1,
					 &builder->hash_capacity, sizeof(*builder->input_hashes));
	builder->input_names[index] = name_add(builder->strings, name);
	builder->input_hashes[index] = hash;
	return index;
}

void builder_input_hash(struct builder *builder, uint32_t input, uint64_t hash)
{
	builder->input_hashes[input] = hash;
}

void builder_origin(struct builder *builder, simtime origin)
{
	builder->origin = origin;
	builder->has_origin = true;
}

bool builder_has_origin(const struct builder *builder, simtime *origin)
{
	*origin = builder->origin;
	return builder->has_origin;
}

static struct job_control *own_control(struct builder *builder, uint32_t extra)
{
	struct job_control *control = mem_arena_alloc(builder->arena, sizeof(*control));

	*control = *builder->extras[extra].control;
	builder->extras[extra].control = control;
	return control;
}

void builder_cron(struct builder *builder, uint32_t extra, const struct cron_rule *rule)
{
	own_control(builder, extra)->cron = rule;
}

void builder_controller(struct builder *builder, uint32_t extra, enum job_controller controller)
{
	own_control(builder, extra)->controller = controller;
}

uint32_t builder_pool(struct builder *builder, const struct node_pool *pool)
{
	builder->pools = mem_grow(builder->pools, builder->pool_count + (size_t)1,
				  &builder->pool_capacity, sizeof(*builder->pools));
	builder->pools[builder->pool_count++] = *pool;
	return builder->pool_count;
}

/* cluster-autoscaler's defaults (FAQ; processors/provreq/processor.go). */
struct autoscaler_config builder_autoscaler_defaults(void)
{
	return (struct autoscaler_config){.scan_interval = 10 * CLOCK_SECOND,
					  .unneeded_time = 600 * CLOCK_SECOND,
					  .delay_after_add = 600 * CLOCK_SECOND,
					  .reservation = 600 * CLOCK_SECOND,
					  .expiration = 7 * CLOCK_DAY};
}

void builder_autoscaler(struct builder *builder, const struct autoscaler_config *config)
{
	builder->autoscaler = *config;
}

void builder_price(struct builder *builder, const struct price *price)
{
	builder->prices = mem_grow(builder->prices, builder->price_count + (size_t)1,
				   &builder->price_capacity, sizeof(*builder->prices));
	builder->prices[builder->price_count++] = *price;
}

void builder_seed(struct builder *builder, uint64_t seed)
{
	builder->seed = seed;
}

uint32_t builder_price_count(const struct builder *builder)
{
	return builder->price_count;
}

void builder_price_date(struct builder *builder, const char *date)
{
	builder->price_date = name_add(builder->strings, date);
}

void builder_title(struct builder *builder, const char *title)
{
	builder->title = name_add(builder->strings, title);
}

/* The path as seen from where the program runs. */
static const char *beside(struct builder *builder, const char *document, const char *file)
{
	const char *slash = document != NULL ? strrchr(document, '/') : NULL;
	int folder = slash != NULL ? (int)(slash - document) + 1 : 0;
	size_t size = (size_t)folder + strlen(file) + 1;
	char *path;

	if (file[0] == '/' || folder == 0)
		return mem_arena_strdup(builder->arena, file);
	path = mem_arena_alloc(builder->arena, size);
	snprintf(path, size, "%.*s%s", folder, document, file);
	return path;
}

void builder_trace(struct builder *builder, const char *file, const char *format,
		   struct place where)
{
	builder->traces = mem_grow(builder->traces, (size_t)builder->trace_count + 1,
				   &builder->trace_capacity, sizeof(*builder->traces));
	builder->traces[builder->trace_count++] = (struct builder_trace){
		.file = beside(builder, where.file, file),
		.format = format == NULL ? NULL : mem_arena_strdup(builder->arena, format),
		.where = where};
}

const struct builder_trace *builder_traces(const struct builder *builder, uint32_t *count)
{
	*count = builder->trace_count;
	return builder->traces;
}

void builder_strict(struct builder *builder, bool strict)
{
	builder->strict = strict;
}

bool builder_is_strict(const struct builder *builder)
{
	return builder->strict;
}

void builder_option(struct builder *builder, const char *text)
{
	draft_option(builder, text);
}

/* ---- what has errors ---- */

struct builder_mark builder_mark(const struct builder *builder)
{
	struct builder_mark mark = {
		.all_records = builder->record_count,
		.jobs = builder->job_count,
		.notes = builder->note_count,
		.changes = builder->change_count,
		.extras = builder->extra_count,
		.traces = builder->trace_count,
		.pools = builder->pool_count,
		.prices = builder->price_count,
		.options = builder->option_count,
		.last_kind = builder->last_kind,
	};

	for (int k = 0; k < KIND_COUNT; k++)
		mark.records[k] = builder->lists[k].count;
	return mark;
}

void builder_take_back(struct builder *builder, const struct builder_mark *mark)
{
	for (int k = 0; k < KIND_COUNT; k++)
		builder->lists[k].count = mark->records[k];
	builder->record_count = mark->all_records;
	builder->job_count = mark->jobs;
	builder->note_count = mark->notes;
	builder->change_count = mark->changes;
	builder->extra_count = mark->extras;
	builder->trace_count = mark->traces;
	builder->pool_count = mark->pools;
	builder->price_count = mark->prices;
	builder->option_count = mark->options;
	builder->last_kind = mark->last_kind;
	if (builder->job_label_count > mark->jobs)
		builder->job_label_count = mark->jobs;
	if (builder->job_start_count > mark->jobs)
		builder->job_start_count = mark->jobs;
	while (builder->after_count > 0 &&
	       builder->afters[builder->after_count - 1].job >= mark->jobs)
		builder->after_count--;
}

void builder_keep_going(struct builder *builder)
{
	builder->keep_going = true;
}

bool builder_keeps_going(const struct builder *builder)
{
	return builder->keep_going;
}

void builder_left_out(struct builder *builder, const char *kind, const char *name)
{
	uint32_t kind_name = name_add(builder->strings, kind);
	uint32_t none = name_add(builder->strings, "");

	if (builder->left_out == NULL) {
		builder->left_out = mem_calloc(1, sizeof(*builder->left_out));
		draft_index_init(builder->left_out, 0);
	}
	draft_index_put(builder->left_out, NAME_NONE, kind_name, 0, false); /* any at all */
	draft_index_put(builder->left_out,
			name[0] == '\0' ? none : name_add(builder->strings, name), kind_name, 0,
			false);
}

static bool has_ranges(const struct builder *builder, uint32_t ns)
{
	const struct draft_list *ranges = &builder->lists[KIND_LIMIT_RANGE];

	for (uint32_t i = 0; i < ranges->count; i++)
		if (draft_ns(KIND_LIMIT_RANGE, draft_record(ranges, KIND_LIMIT_RANGE, i)) == ns)
			return true;
	return false;
}

/* A pod of a list of jobs as a template of one container, which a LimitRange can fill. */
static uint32_t template_of_row(struct builder *builder, const struct draft_shape *row, uint32_t ns)
{
	struct template_container container = {.role = TEMPLATE_MAIN};
	struct pod_template template = {.containers = &container,
					.container_count = 1,
					.runtime_class = NAME_NONE,
					.base = row->shape};

	container.requests = (struct template_amounts){
		.amount = shape_widen(builder->scratch, row->shape.request, row->width, RES_MAX, 0),
		.given = row->shape.requested};
	template.base.request = template.base.limit = NULL;
	template.base.requested = 0;
	template.base.gpus = template.base.nonzero_cpu = template.base.nonzero_memory = 0;
	template.base.container_count = 0;
	return builder_template(builder, &template, ns);
}

static void apply_ranges_to_row(struct builder *builder, struct job *job)
{
	struct job_common common = *job->common;
	struct pod_set *sets = mem_dup(&builder->pod_sets[common.first_pod_set],
				       common.pod_set_count * sizeof(*sets));

	for (uint32_t s = 0; s < common.pod_set_count; s++) {
		struct draft_shape row = builder->shapes[sets[s].shape]; /* the array may move */

		if (row.source == NULL)
			sets[s].shape = template_of_row(builder, &row, common.ns);
	}
	common.first_pod_set = builder_pod_sets(builder, sets, common.pod_set_count);
	job->common = draft_common(builder, &common);
	mem_free(sets);
}

/* Pods of lists of jobs are in a namespace too. */
static void apply_ranges_to_rows(struct builder *builder)
{
	for (uint32_t j = 0; j < builder->job_count && builder->lists[KIND_LIMIT_RANGE].count > 0;
	     j++)
		if (has_ranges(builder, builder->jobs[j].common->ns))
			apply_ranges_to_row(builder, &builder->jobs[j]);
}

enum err_code builder_finish(struct builder *builder, struct scenario **out, struct err *err)
{
	struct scenario *scenario = mem_calloc(1, sizeof(*scenario));
	enum err_code code;

	apply_ranges_to_rows(builder);
	code = resolve_draft(builder, scenario, err);
	if (code != ERR_OK) {
		mem_free(scenario);
		builder_free(builder);
		return code;
	}
	free_working_memory(builder); /* the arena and the name tables live on */
	*out = scenario;
	return ERR_OK;
}
