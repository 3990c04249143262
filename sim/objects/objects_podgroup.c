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

struct member {
	struct role role;
	simtime submit, duration;
	int64_t created;
	uint32_t next; /* of its group; NAME_NONE */
};

/* Its pods agree in both names. Which of them counts hangs on a feature gate, which the input
 * may set behind them: groups are joined by it when all is read. */
struct group {
	struct objects_prepared first; /* its first pod, and what is said of all */
	uint32_t annotated, labelled;  /* names; NAME_NONE: not there */
	uint32_t total, pods;
	uint32_t first_member, last_member;
	bool fast;	    /* admitted before all pods are there, all like the first */
	bool unretriable;   /* who made it does not replace what it loses */
	const char *broken; /* why Kueue makes no workload of it; NULL */
	uint32_t next;	    /* item of the same first name, with another second one; NAME_NONE */
};

/* What becomes of one. */
struct closing {
	struct member *pods; /* the oldest first; heap */
	uint32_t pod_count;
	struct role roles[MAX_ROLES];
	uint32_t role_count;
};

struct objects_podgroups {
	struct group *items;
	uint32_t count;
	size_t capacity;
	struct member *members;
	uint32_t member_count;
	size_t member_capacity;
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
	mem_free(groups->members);
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

static void append(struct objects_podgroups *groups, struct group *group, uint32_t member)
{
	if (group->pods == 0)
		group->first_member = member;
	else
		groups->members[group->last_member].next = member;
	group->last_member = member;
	group->pods++;
}

static void add_member(struct objects_podgroups *groups, struct group *group,
		       const struct member *member)
{
	uint32_t at = groups->member_count++;

	groups->members = mem_grow(groups->members, at + 1u, &groups->member_capacity,
				   sizeof(*groups->members));
	groups->members[at] = *member;
	append(groups, group, at);
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
			     .shape = builder_shape_of(f->builder, pod->common.first_pod_set)};
}

static bool is_unretriable(const struct objects_work *work)
{
	const struct yaml_node *retriable = yaml_find(work->object->annotations, RETRIABLE);

	return retriable != NULL && yaml_text_is(retriable, "false");
}

/* pod_controller.go: validatePodGroupMetadata. */
static const char *mismatch(const struct group *group, const struct group *pod)
{
	if (group->total != pod->total)
		return "its pods say different pod-group-total-counts";
	if (group->first.common.queue != pod->first.common.queue)
		return "its pods have different queue names";
	return NULL;
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

	if (total == NULL || !num_read_u32(total->text, total->count, &like.total) ||
	    like.total == 0)
		return fields_error(f, ERR_VALUE, total != NULL ? total : name,
				    "a pod of a group needs the annotation " TOTAL_COUNT
				    ", a number of 1 or more");
	work->control.controller = CONTROLLER_POD_GROUP;
	if (objects_work_prepare(f, work, &like.first) != ERR_OK)
		return f->err->code;
	group = find(f->groups, &like);
	if (group == NULL)
		group = open_group(f->groups, &like);
	if (group->broken == NULL)
		group->broken = mismatch(group, &like);
	group->unretriable = group->unretriable || is_unretriable(work);
	add_member(f->groups, group,
		   &(struct member){.role = role_of(f, work, &like.first),
				    .submit = like.first.job.submit,
				    .duration = like.first.job.duration,
				    .created = like.first.note.created,
				    .next = NAME_NONE});
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

/* The pods of a group that has the same name: into this one. */
static void join(struct objects_podgroups *groups, struct group *group, const struct group *other)
{
	if (group->broken == NULL)
		group->broken = other->broken != NULL ? other->broken : mismatch(group, other);
	group->unretriable = group->unretriable || other->unretriable;
	groups->members[group->last_member].next = other->first_member;
	group->last_member = other->last_member;
	group->pods += other->pods;
}

/* True: it went into one before it. names: of those before it. */
static bool join_earlier(struct objects_podgroups *groups, uint32_t at, struct draft_index *names)
{
	const struct group *group = &groups->items[at];
	uint32_t before =
		draft_index_put(names, group->first.job.name, group->first.common.ns, at, false);

	if (before == NAME_NONE)
		return false;
	join(groups, &groups->items[before], group);
	return true;
}

/* ---- its pods ---- */

static int by_age(const void *a, const void *b, void *context)
{
	const struct member *x = a, *y = b;

	(void)context;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return (x->submit > y->submit) - (x->submit < y->submit);
}

static bool same_role(const struct role *a, const struct role *b)
{
	return a->hash == b->hash && (a->hash != NAME_NONE || a->shape == b->shape);
}

/* False: too many roles. */
static bool count_pod(struct closing *closing, const struct role *role, bool fast)
{
	uint32_t k = 0;

	while (k < closing->role_count && !fast && !same_role(&closing->roles[k], role))
		k++;
	if (k == MAX_ROLES)
		return false;
	if (k == closing->role_count)
		closing->roles[closing->role_count++] = *role;
	closing->roles[k].count++;
	return true;
}

/* Kueue deletes those that came last (sortActivePods). False: too many roles. */
static bool gather(const struct objects_podgroups *groups, const struct group *group,
		   struct closing *closing)
{
	uint32_t at = group->first_member, kept;

	for (uint32_t i = 0; i < group->pods; i++, at = groups->members[at].next)
		closing->pods[i] = groups->members[at];
	sort_stable(closing->pods, group->pods, sizeof(*closing->pods), by_age, NULL);
	kept = group->pods < group->total ? group->pods : group->total;
	for (closing->pod_count = 0; closing->pod_count < kept; closing->pod_count++)
		if (!count_pod(closing, &closing->pods[closing->pod_count].role, group->fast))
			return false;
	return true;
}

/* It comes with its last pod (a fast one with its first), and works as long as the longest. */
static void take_times(struct group *group, const struct closing *closing)
{
	const struct member *of = &closing->pods[group->fast ? 0 : closing->pod_count - 1];

	group->first.job.submit = of->submit;
	group->first.note.created = of->created;
	for (uint32_t i = 0; i < closing->pod_count; i++)
		if (closing->pods[i].duration > group->first.job.duration || i == 0)
			group->first.job.duration = closing->pods[i].duration;
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

static uint32_t name_of(struct builder *builder, const struct closing *closing, uint32_t k)
{
	char name[32];
	int len = closing->role_count == 1 ? snprintf(name, sizeof(name), "main")
					   : snprintf(name, sizeof(name), "role-%" PRIu32, k);

	if (closing->roles[k].hash != NAME_NONE)
		return closing->roles[k].hash;
	return builder_string(builder, name, (size_t)len);
}

static void add(struct builder *builder, struct group *group, struct closing *closing)
{
	struct pod_set sets[MAX_ROLES];

	if (group->fast)
		closing->roles[0].count = group->total;
	take_times(group, closing);
	/* pod_controller.go: constructGroupPodSets sorts by the hash. */
	sort_stable(closing->roles, closing->role_count, sizeof(*closing->roles), by_hash,
		    builder_strings(builder));
	for (uint32_t k = 0; k < closing->role_count; k++)
		sets[k] = (struct pod_set){.name = name_of(builder, closing, k),
					   .shape = closing->roles[k].shape,
					   .count = closing->roles[k].count,
					   .min_count = closing->roles[k].count};
	group->first.common.first_pod_set = builder_pod_sets(builder, sets, closing->role_count);
	group->first.common.pod_set_count = (uint16_t)closing->role_count;
	group->first.common.flags &= (uint16_t) ~(JOB_NOT_GANG | JOB_SINGLE_POD);
	group->first.common.flags |= JOB_POD_GROUP;
	if (group->unretriable)
		builder_controller(builder, group->first.job.extra, CONTROLLER_NONE);
	objects_work_put(builder, &group->first);
}

static void tell(struct builder *builder, const struct group *group, const char *fix,
		 const char *what)
{
	builder_fault(builder, FINDING_WARNING, "input-warning", group->first.where, fix,
		      "pod group \"%.100s\" %s",
		      name_text(builder_strings(builder), group->first.job.name), what);
}

/* Whether it has all its pods. */
static void close_group(const struct objects_podgroups *groups, struct builder *builder,
			struct group *group)
{
	struct closing closing = {.pods = mem_calloc(group->pods, sizeof(*closing.pods))};
	char what[160];

	if (group->broken == NULL && !gather(groups, group, &closing))
		group->broken = "it has more than 18 different kinds of pods";
	if (group->broken != NULL) {
		snprintf(what, sizeof(what), "is left out, Kueue makes no workload of it: %s",
			 group->broken);
		tell(builder, group, "give all its pods one queue and one total count", what);
	} else if (group->pods < group->total && !group->fast) {
		snprintf(what, sizeof(what),
			 "has %" PRIu32 " of %" PRIu32
			 " pods: Kueue waits for the others; left out",
			 group->pods, group->total);
		tell(builder, group, "make pod-group-total-count the number of its pods", what);
	} else {
		if (group->pods > group->total) {
			snprintf(what, sizeof(what),
				 "has %" PRIu32 " pods, not %" PRIu32
				 ": Kueue deletes those that came last, they are left out",
				 group->pods, group->total);
			tell(builder, group, "make pod-group-total-count the number of its pods",
			     what);
		}
		add(builder, group, &closing);
	}
	mem_free(closing.pods);
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
		else if (!join_earlier(groups, kept, &names))
			kept++;
	}
	for (uint32_t i = 0; i < kept; i++)
		close_group(groups, builder, &groups->items[i]);
	draft_index_free(&names);
	draft_index_free(&groups->places);
	draft_index_init(&groups->places, 0);
	groups->count = groups->member_count = 0;
}
