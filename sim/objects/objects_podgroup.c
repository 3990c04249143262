#include "sim/objects/objects_podgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/scenario/draft.h"
#include "sim/scenario/kueue_gates.h"

#define GROUP_NAME  "kueue.x-k8s.io/pod-group-name"
#define TOTAL_COUNT "kueue.x-k8s.io/pod-group-total-count"
#define RETRIABLE   "kueue.x-k8s.io/retriable-in-group"
#define FAST	    "kueue.x-k8s.io/pod-group-fast-admission"
#define ROLE_HASH   "kueue.x-k8s.io/role-hash"
#define MAX_ROLES   18 /* jobframework.MaxPodSets */

/* Pods of one kind. Kueue tells kinds apart by a hash of what schedulers look at, which its
 * webhook writes at the pods of a cluster; those without are told apart by their shapes. */
struct role {
	uint32_t hash; /* string; NAME_NONE: not written */
	uint32_t shape, count;
};

/* Its pods agree in both names. Which of them counts hangs on a feature gate, which the input
 * may set behind them: groups are joined by it when all is read. */
struct group {
	struct objects_prepared first; /* its first pod, and what is said of all */
	uint32_t annotated, labelled;  /* names; NAME_NONE: not there */
	uint32_t total, pods;
	struct role roles[MAX_ROLES];
	uint32_t role_count;
	bool fast;     /* admitted before all pods are there, all like the first */
	uint32_t next; /* item of the same first name, with another second one; NAME_NONE */
};

struct objects_podgroups {
	struct group *items;
	uint32_t count;
	size_t capacity;
	struct draft_index places; /* items, by their first names and namespaces */
};

struct objects_podgroups *objects_podgroups_new(void)
{
	struct objects_podgroups *groups = mem_calloc(1, sizeof(*groups));

	draft_index_init(&groups->places, 0);
	return groups;
}

void objects_podgroups_free(struct objects_podgroups *groups)
{
	if (groups == NULL)
		return;
	draft_index_free(&groups->places);
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

static uint32_t first_name(const struct group *group)
{
	return group->annotated != NAME_NONE ? group->annotated : group->labelled;
}

static struct group *find(struct objects_podgroups *groups, const struct group *like)
{
	uint32_t at = draft_index_get(&groups->places, first_name(like), like->first.common.ns);

	while (at != NAME_NONE && (groups->items[at].annotated != like->annotated ||
				   groups->items[at].labelled != like->labelled))
		at = groups->items[at].next;
	return at == NAME_NONE ? NULL : &groups->items[at];
}

static struct group *open_group(struct objects_podgroups *groups, const struct group *like)
{
	uint32_t at = groups->count++;

	groups->items = mem_grow(groups->items, at + 1u, &groups->capacity, sizeof(*groups->items));
	groups->items[at] = *like;
	groups->items[at].next =
		draft_index_put(&groups->places, first_name(like), like->first.common.ns, at, true);
	return &groups->items[at];
}

static bool same_role(const struct role *a, const struct role *b)
{
	return a->hash == b->hash && (a->hash != NAME_NONE || a->shape == b->shape);
}

/* False: too many roles. */
static bool count_pods(struct group *group, const struct role *role)
{
	uint32_t k = 0;

	while (k < group->role_count && !group->fast && !same_role(&group->roles[k], role))
		k++;
	if (k == MAX_ROLES)
		return false;
	if (k == group->role_count) {
		group->roles[group->role_count++] = *role;
		group->roles[k].count = 0;
	}
	group->roles[k].count += role->count;
	group->pods += role->count;
	return true;
}

/* It comes with its last pod (a fast one with its first), and works as long as the longest. */
static void stretch(struct group *group, const struct objects_prepared *pod)
{
	struct job *job = &group->first.job;

	if ((pod->job.submit > job->submit) != group->fast)
		job->submit = pod->job.submit;
	job->duration = pod->job.duration > job->duration ? pod->job.duration : job->duration;
	if ((pod->note.created > group->first.note.created) != group->fast)
		group->first.note.created = pod->note.created;
}

static bool is_fast(const struct objects_work *work)
{
	const struct yaml_node *fast = yaml_find(work->object->annotations, FAST);

	return fast != NULL && yaml_text_is(fast, "true");
}

static struct role role_of(struct fields *f, const struct objects_work *work,
			   const struct objects_prepared *pod)
{
	const struct yaml_node *hash = yaml_find(work->object->annotations, ROLE_HASH);

	return (struct role){.hash = hash != NULL && hash->kind == YAML_SCALAR && hash->count != 0
					     ? builder_string(f->builder, hash->text, hash->count)
					     : NAME_NONE,
			     .shape = builder_shape_of(f->builder, pod->job.first_pod_set),
			     .count = 1};
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
			     .labelled = string_of(f->builder, labelled),
			     .fast = is_fast(work)};
	struct group *group;
	struct role role;

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
	role = role_of(f, work, &like.first);
	if (!count_pods(group, &role))
		return fields_error(f, ERR_LIMIT, name,
				    "a group of more than %d different kinds of pods", MAX_ROLES);
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

/* The pods of a group that has the same name: into this one. False: too many roles. */
static bool join(struct group *group, const struct group *other)
{
	for (uint32_t k = 0; k < other->role_count; k++) {
		if (!count_pods(group, &other->roles[k]))
			return false;
	}
	stretch(group, &other->first);
	return true;
}

/* True: it went into one before it. names: of those before it. */
static bool join_earlier(struct objects_podgroups *groups, uint32_t at, struct draft_index *names,
			 struct builder *builder)
{
	const struct group *group = &groups->items[at];
	uint32_t before =
		draft_index_put(names, group->first.job.name, group->first.common.ns, at, false);

	if (before == NAME_NONE)
		return false;
	if (groups->items[before].total != group->total || !join(&groups->items[before], group))
		builder_fault(builder, FINDING_WARNING, "input-warning", group->first.where,
			      "give all its pods the same pod-group-total-count",
			      "pod group \"%.100s\": pods of it say another number of "
			      "pods, or are of too many kinds; these are left out",
			      name_text(builder_strings(builder), group->first.job.name));
	return true;
}

/* ---- into the builder ---- */

static int by_hash(const void *a, const void *b, void *context)
{
	const struct role *x = a, *y = b;
	const struct name_table *strings = context;

	if (x->hash == NAME_NONE || y->hash == NAME_NONE)
		return (x->hash == NAME_NONE) - (y->hash == NAME_NONE);
	return strcmp(name_text(strings, x->hash), name_text(strings, y->hash));
}

static uint32_t name_of(struct builder *builder, const struct group *group, uint32_t k)
{
	char name[32];
	int len = group->role_count == 1 ? snprintf(name, sizeof(name), "main")
					 : snprintf(name, sizeof(name), "role-%" PRIu32, k);

	if (group->roles[k].hash != NAME_NONE)
		return group->roles[k].hash;
	return builder_string(builder, name, (size_t)len);
}

static void add(struct builder *builder, struct group *group)
{
	struct pod_set sets[MAX_ROLES];

	if (group->fast)
		group->roles[0].count = group->total;
	/* pod_controller.go: constructGroupPodSets sorts by the hash. */
	sort_stable(group->roles, group->role_count, sizeof(*group->roles), by_hash,
		    builder_strings(builder));
	for (uint32_t k = 0; k < group->role_count; k++)
		sets[k] = (struct pod_set){.name = name_of(builder, group, k),
					   .shape = group->roles[k].shape,
					   .count = group->roles[k].count,
					   .min_count = group->roles[k].count};
	group->first.job.first_pod_set = builder_pod_sets(builder, sets, group->role_count);
	group->first.job.pod_set_count = (uint16_t)group->role_count;
	group->first.job.flags &= (uint16_t) ~(JOB_NOT_GANG | JOB_SINGLE_POD);
	group->first.job.flags |= JOB_POD_GROUP;
	objects_work_put(builder, &group->first);
}

/* Whether it has all its pods. */
static void close_group(struct builder *builder, struct group *group)
{
	const char *name = name_text(builder_strings(builder), group->first.job.name);

	if (group->pods == group->total || (group->fast && group->pods < group->total))
		add(builder, group);
	else
		builder_fault(builder, FINDING_WARNING, "input-warning", group->first.where,
			      "make pod-group-total-count the number of its pods",
			      "pod group \"%.100s\" has %" PRIu32 " of %" PRIu32
			      " pods: Kueue %s; left out",
			      name, group->pods, group->total,
			      group->pods < group->total ? "waits for the others"
							 : "deletes the excess");
}

/* Kueue's webhook wants both or none, a count of pods and a name. */
static void refuse(struct builder *builder, const struct group *group)
{
	builder_fault(builder, FINDING_WARNING, "input-warning", group->first.where,
		      "write the name in the label, or switch the gate on",
		      "pod group \"%.100s\": without the feature gate "
		      "WorkloadIdentifierAnnotations its name must be in the label " GROUP_NAME
		      "; Kueue refuses its pods, they are left out",
		      name_text(builder_strings(builder), group->annotated));
}

void objects_podgroups_close(struct objects_podgroups *groups, struct builder *builder)
{
	struct kueue_gates gates =
		kueue_gates_read(builder_configured(builder), builder_strings(builder));
	struct draft_index names;
	uint32_t kept = 0;

	draft_index_init(&names, groups->count);
	for (uint32_t i = 0; i < groups->count; i++) {
		groups->items[kept] = groups->items[i];
		name_it(&groups->items[kept], &gates);
		if (groups->items[kept].first.job.name == NAME_NONE)
			refuse(builder, &groups->items[kept]);
		else if (!join_earlier(groups, kept, &names, builder))
			kept++;
	}
	for (uint32_t i = 0; i < kept; i++)
		close_group(builder, &groups->items[i]);
	draft_index_free(&names);
	draft_index_free(&groups->places);
	draft_index_init(&groups->places, 0);
	groups->count = 0;
}
