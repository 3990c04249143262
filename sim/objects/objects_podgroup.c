#include "sim/objects/objects_podgroup.h"

#include <inttypes.h>
#include <stdio.h>

#define GROUP_NAME  "kueue.x-k8s.io/pod-group-name"
#define TOTAL_COUNT "kueue.x-k8s.io/pod-group-total-count"
#define RETRIABLE   "kueue.x-k8s.io/retriable-in-group"
#define MAX_SHAPES  10 /* pod sets of a workload, as its API has it */

struct group {
	struct objects_prepared first; /* its first pod, and what is said of all */
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

/* The annotation, or the label of older versions; NULL: none. */
static const struct yaml_node *group_of(const struct object *object)
{
	const struct yaml_node *name = yaml_find(object->annotations, GROUP_NAME);

	return name != NULL && name->count > 0 ? name : yaml_find(object->labels, GROUP_NAME);
}

bool objects_podgroup_names(const struct object *object)
{
	return group_of(object) != NULL;
}

static struct group *find(struct objects_podgroups *groups, uint32_t name, uint32_t ns)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		const struct job *job = &groups->items[i].first.job;

		if (job->name == name && job->ns == ns)
			return &groups->items[i];
	}
	return NULL;
}

static struct group *open_group(struct objects_podgroups *groups,
				const struct objects_prepared *pod, uint32_t name, uint32_t total)
{
	struct group *group;

	groups->items = mem_grow(groups->items, groups->count + 1u, &groups->capacity,
				 sizeof(*groups->items));
	group = &groups->items[groups->count++];
	*group = (struct group){.first = *pod, .total = total};
	group->first.job.name = name;
	return group;
}

/* False: too many shapes. */
static bool join(struct group *group, const struct objects_prepared *pod, uint32_t shape)
{
	struct job *job = &group->first.job;
	uint32_t k = 0;

	while (k < group->shape_count && group->shapes[k] != shape)
		k++;
	if (k == MAX_SHAPES)
		return false;
	if (k == group->shape_count) {
		group->shapes[k] = shape;
		group->counts[group->shape_count++] = 0;
	}
	group->counts[k]++;
	group->pods++;
	job->submit = pod->job.submit > job->submit ? pod->job.submit : job->submit;
	job->duration = pod->job.duration > job->duration ? pod->job.duration : job->duration;
	if (pod->note.created > group->first.note.created)
		group->first.note.created = pod->note.created;
	return true;
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
	const struct yaml_node *name = group_of(work->object);
	const struct yaml_node *total = yaml_find(work->object->annotations, TOTAL_COUNT);
	struct objects_prepared pod;
	struct group *group;
	uint32_t count, string;

	if (total == NULL || !num_read_u32(total->text, total->count, &count) || count == 0)
		return fields_error(f, ERR_VALUE, total != NULL ? total : name,
				    "a pod of a group needs the annotation " TOTAL_COUNT
				    ", a number of 1 or more");
	string = builder_string(f->builder, name->text, name->count);
	work->control.controller = controller_of(work);
	if (objects_work_prepare(f, work, &pod) != ERR_OK)
		return f->err->code;
	group = find(f->groups, string, pod.job.ns);
	if (group == NULL)
		group = open_group(f->groups, &pod, string, count);
	if (group->total != count)
		return fields_error(f, ERR_VALUE, total,
				    "another pod of the group says %" PRIu32 " pods", group->total);
	if (!join(group, &pod, builder_shape_of(f->builder, pod.job.first_pod_set)))
		return fields_error(f, ERR_LIMIT, name,
				    "a group of more than %d different kinds of pods", MAX_SHAPES);
	return ERR_OK;
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

void objects_podgroups_close(struct objects_podgroups *groups, struct builder *builder)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		struct group *group = &groups->items[i];

		if (group->pods == group->total)
			add(builder, group);
		else
			builder_finding(builder, FINDING_WARNING, group->first.where,
					"pod group \"%.100s\" has %" PRIu32 " of %" PRIu32
					" pods: Kueue %s; left out",
					name_text(builder_strings(builder), group->first.job.name),
					group->pods, group->total,
					group->pods < group->total ? "waits for the others"
								   : "deletes the excess");
	}
	groups->count = 0;
}
