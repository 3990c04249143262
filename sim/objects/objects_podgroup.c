#include "sim/objects/objects_podgroup.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/scenario/kueue_gates.h"

#define GROUP_NAME  "kueue.x-k8s.io/pod-group-name"
#define TOTAL_COUNT "kueue.x-k8s.io/pod-group-total-count"
#define RETRIABLE   "kueue.x-k8s.io/retriable-in-group"
#define MAX_SHAPES  10 /* pod sets of a workload, as its API has it */

/* Its pods agree in both names. Which of them counts hangs on a feature gate, which the input
 * may set behind them: groups are joined by it when all is read. */
struct group {
	struct objects_prepared first; /* its first pod, and what is said of all */
	uint32_t annotated, labelled;  /* names; NAME_NONE: not there */
	uint32_t total, pods;
	uint32_t shapes[MAX_SHAPES], counts[MAX_SHAPES], shape_count;
};

struct objects_podgroups {
	struct group *items;
	uint32_t count;
	size_t capacity;
};

struct objects_podgroups *objects_podgroups_new(void)
{
	return mem_calloc(1, sizeof(struct objects_podgroups));
}

void objects_podgroups_free(struct objects_podgroups *groups)
{
	if (groups == NULL)
		return;
	mem_free(groups->items);
	mem_free(groups);
}

static const struct yaml_node *name_in(const struct yaml_node *map)
{
	const struct yaml_node *name = yaml_find(map, GROUP_NAME);

	return name != NULL && name->count > 0 ? name : NULL;
}

bool objects_podgroup_names(const struct object *object)
{
	return name_in(object->annotations) != NULL || name_in(object->labels) != NULL;
}

static uint32_t string_of(struct builder *builder, const struct yaml_node *name)
{
	return name == NULL ? NAME_NONE : builder_string(builder, name->text, name->count);
}

static struct group *find(struct objects_podgroups *groups, const struct group *like)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		struct group *group = &groups->items[i];

		if (group->annotated == like->annotated && group->labelled == like->labelled &&
		    group->first.job.ns == like->first.job.ns)
			return group;
	}
	return NULL;
}

static struct group *open_group(struct objects_podgroups *groups, const struct group *like)
{
	groups->items = mem_grow(groups->items, groups->count + 1u, &groups->capacity,
				 sizeof(*groups->items));
	groups->items[groups->count] = *like;
	return &groups->items[groups->count++];
}

/* False: too many shapes. */
static bool count_pods(struct group *group, uint32_t shape, uint32_t pods)
{
	uint32_t k = 0;

	while (k < group->shape_count && group->shapes[k] != shape)
		k++;
	if (k == MAX_SHAPES)
		return false;
	if (k == group->shape_count) {
		group->shapes[k] = shape;
		group->counts[group->shape_count++] = 0;
	}
	group->counts[k] += pods;
	group->pods += pods;
	return true;
}

/* It comes with its last pod, and works as long as the longest. */
static void stretch(struct group *group, const struct objects_prepared *pod)
{
	struct job *job = &group->first.job;

	job->submit = pod->job.submit > job->submit ? pod->job.submit : job->submit;
	job->duration = pod->job.duration > job->duration ? pod->job.duration : job->duration;
	if (pod->note.created > group->first.note.created)
		group->first.note.created = pod->note.created;
}

/* A pod says whether who made the group replaces what it loses. */
static enum job_controller controller_of(const struct objects_work *work)
{
	const struct yaml_node *retriable = yaml_find(work->object->annotations, RETRIABLE);

	return retriable != NULL && yaml_text_is(retriable, "false") ? CONTROLLER_NONE
								     : CONTROLLER_POD_GROUP;
}

enum err_code objects_podgroup_add(struct fields *f, struct objects_work *work)
{
	const struct yaml_node *total = yaml_find(work->object->annotations, TOTAL_COUNT);
	const struct yaml_node *annotated = name_in(work->object->annotations);
	const struct yaml_node *labelled = name_in(work->object->labels);
	const struct yaml_node *name = annotated != NULL ? annotated : labelled;
	struct group like = {.annotated = string_of(f->builder, annotated),
			     .labelled = string_of(f->builder, labelled)};
	struct group *group;

	if (total == NULL || !num_read_u32(total->text, total->count, &like.total) ||
	    like.total == 0)
		return fields_error(f, ERR_VALUE, total != NULL ? total : name,
				    "a pod of a group needs the annotation " TOTAL_COUNT
				    ", a number of 1 or more");
	work->control.controller = controller_of(work);
	if (objects_work_prepare(f, work, &like.first) != ERR_OK)
		return f->err->code;
	group = find(f->groups, &like);
	if (group == NULL)
		group = open_group(f->groups, &like);
	if (group->total != like.total)
		return fields_error(f, ERR_VALUE, total,
				    "another pod of the group says %" PRIu32 " pods", group->total);
	if (!count_pods(group, builder_shape_of(f->builder, like.first.job.first_pod_set), 1))
		return fields_error(f, ERR_LIMIT, name,
				    "a group of more than %d different kinds of pods", MAX_SHAPES);
	stretch(group, &like.first);
	return ERR_OK;
}

/* ---- under the name that counts ---- */

/* Kueue's pkg/util/pod, GetPodGroupName. */
static void name_it(struct group *group, const struct kueue_gates *gates)
{
	group->first.job.name = gates->reads_annotations && group->annotated != NAME_NONE
					? group->annotated
					: group->labelled;
}

/* The pods of a group that has the same name: into this one. False: too many shapes. */
static bool join(struct group *group, const struct group *other)
{
	for (uint32_t k = 0; k < other->shape_count; k++) {
		if (!count_pods(group, other->shapes[k], other->counts[k]))
			return false;
	}
	stretch(group, &other->first);
	return true;
}

/* True: it went into one before it. */
static bool join_earlier(struct objects_podgroups *groups, uint32_t at, struct builder *builder)
{
	const struct group *group = &groups->items[at];

	for (uint32_t i = 0; i < at; i++) {
		struct group *before = &groups->items[i];

		if (before->first.job.name != group->first.job.name ||
		    before->first.job.ns != group->first.job.ns)
			continue;
		if (before->total != group->total || !join(before, group))
			builder_finding(builder, FINDING_WARNING, group->first.where,
					"pod group \"%.100s\": pods of it say another number of "
					"pods, or are of too many kinds; these are left out",
					name_text(builder_strings(builder), group->first.job.name));
		return true;
	}
	return false;
}

/* ---- into the builder ---- */

static void add(struct builder *builder, struct group *group)
{
	struct pod_set sets[MAX_SHAPES];
	char name[32];

	for (uint32_t k = 0; k < group->shape_count; k++) {
		int len = group->shape_count == 1
				  ? snprintf(name, sizeof(name), "main")
				  : snprintf(name, sizeof(name), "role-%" PRIu32, k);

		sets[k] = (struct pod_set){.name = builder_string(builder, name, (size_t)len),
					   .shape = group->shapes[k],
					   .count = group->counts[k],
					   .min_count = group->counts[k]};
	}
	group->first.job.first_pod_set = builder_pod_sets(builder, sets, group->shape_count);
	group->first.job.pod_set_count = (uint16_t)group->shape_count;
	group->first.job.flags &= (uint16_t) ~(JOB_NOT_GANG | JOB_SINGLE_POD);
	group->first.job.flags |= JOB_POD_GROUP;
	objects_work_put(builder, &group->first);
}

/* Whether it has all its pods. */
static void close_group(struct builder *builder, struct group *group)
{
	const char *name = name_text(builder_strings(builder), group->first.job.name);

	if (group->pods == group->total)
		add(builder, group);
	else
		builder_finding(builder, FINDING_WARNING, group->first.where,
				"pod group \"%.100s\" has %" PRIu32 " of %" PRIu32
				" pods: Kueue %s; left out",
				name, group->pods, group->total,
				group->pods < group->total ? "waits for the others"
							   : "deletes the excess");
}

/* Kueue's webhook wants both or none, a count of pods and a name. */
static void refuse(struct builder *builder, const struct group *group)
{
	builder_finding(builder, FINDING_WARNING, group->first.where,
			"pod group \"%.100s\": without the feature gate "
			"WorkloadIdentifierAnnotations its name must be in the label " GROUP_NAME
			"; Kueue refuses its pods, they are left out",
			name_text(builder_strings(builder), group->annotated));
}

void objects_podgroups_close(struct objects_podgroups *groups, struct builder *builder)
{
	struct kueue_gates gates =
		kueue_gates_read(builder_configured(builder), builder_strings(builder));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < groups->count; i++) {
		groups->items[kept] = groups->items[i];
		name_it(&groups->items[kept], &gates);
		if (groups->items[kept].first.job.name == NAME_NONE)
			refuse(builder, &groups->items[kept]);
		else if (!join_earlier(groups, kept, builder))
			kept++;
	}
	for (uint32_t i = 0; i < kept; i++)
		close_group(builder, &groups->items[i]);
	groups->count = 0;
}
