#include "sim/objects/objects_workload.h"

#include <string.h>

#include "core/num.h"
#include "sim/objects/objects_work.h"

#define MAX_POD_SETS 18	   /* of the API */
#define MAX_OWNERS   10000 /* pods of a group */

struct class_ref {
	uint32_t group, kind, name; /* strings; NAME_NONE */
};

struct workload_spec {
	uint32_t queue, class, class_source; /* strings; NAME_NONE */
	struct class_ref class_ref;
	const struct yaml_node *priority, *pod_sets; /* NULL: absent */
	bool active;
	simtime max_execution;
};

#define SPEC(member) offsetof(struct workload_spec, member)

static const struct field class_ref_rows[] = {
	{.key = "group", .read = fields_string, .offset = offsetof(struct class_ref, group)},
	{.key = "kind", .read = fields_string, .offset = offsetof(struct class_ref, kind)},
	{.key = "name", .read = fields_string, .offset = offsetof(struct class_ref, name)},
	{.key = NULL},
};

static const struct field spec_rows[] = {
	{.key = "queueName", .read = fields_string, .offset = SPEC(queue)},
	{.key = "priorityClassRef",
	 .read = fields_nested,
	 .offset = SPEC(class_ref),
	 .arg = class_ref_rows},
	{.key = "priorityClassName", .read = fields_string, .offset = SPEC(class)},
	{.key = "priorityClassSource", .read = fields_string, .offset = SPEC(class_source)},
	{.key = "priority", .read = fields_keep, .offset = SPEC(priority)},
	{.key = "podSets", .read = fields_keep, .offset = SPEC(pod_sets), .required = true},
	{.key = "active", .read = fields_bool, .offset = SPEC(active)},
	{.key = "maximumExecutionTimeSeconds",
	 .read = fields_seconds,
	 .offset = SPEC(max_execution)},
	{.key = "preemptionGates"},
	{.key = NULL},
};

/* ---- pod sets ---- */

struct topology_request {
	uint32_t required, preferred, slice, group; /* strings; NAME_NONE */
	uint32_t slice_size;
	bool unconstrained;
	const struct yaml_node *layers; /* NULL: absent */
};

struct pod_set_fields {
	uint32_t name, count, min_count; /* NAME_NONE: absent */
	const struct yaml_node *template;
	struct topology_request topology;
};

#define TOPOLOGY(member) offsetof(struct topology_request, member)
#define POD_SET(member)	 offsetof(struct pod_set_fields, member)

static const struct field topology_rows[] = {
	{.key = "required", .read = fields_string, .offset = TOPOLOGY(required)},
	{.key = "preferred", .read = fields_string, .offset = TOPOLOGY(preferred)},
	{.key = "unconstrained", .read = fields_bool, .offset = TOPOLOGY(unconstrained)},
	{.key = "podSetGroupName", .read = fields_string, .offset = TOPOLOGY(group)},
	{.key = "podSetSliceRequiredTopology", .read = fields_string, .offset = TOPOLOGY(slice)},
	{.key = "podSetSliceSize", .read = fields_count, .offset = TOPOLOGY(slice_size)},
	{.key = "podsetSliceRequiredTopologyConstraints",
	 .read = fields_keep,
	 .offset = TOPOLOGY(layers)},
	{.key = "podIndexLabel"},
	{.key = "subGroupIndexLabel"},
	{.key = "subGroupCount"},
	{.key = NULL},
};

/* As the API server has it: 1 or more. */
static enum err_code read_min_count(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_count_between(f, value, 1, OBJECTS_OWN_MAX_PODS, out);
}

static const struct field pod_set_rows[] = {
	{.key = "name", .read = fields_string, .offset = POD_SET(name)},
	{.key = "count", .read = objects_work_count, .offset = POD_SET(count)},
	{.key = "minCount", .read = read_min_count, .offset = POD_SET(min_count)},
	{.key = "template", .read = fields_keep, .offset = POD_SET(template), .required = true},
	{.key = "topologyRequest",
	 .read = fields_nested,
	 .offset = POD_SET(topology),
	 .arg = topology_rows},
	{.key = NULL},
};

static enum err_code take_slices(struct fields *f, const struct yaml_node *at,
				 const struct topology_request *from, struct pod_shape *shape)
{
	if (from->layers != NULL)
		return objects_pod_layers(f, from->layers, from->layers, shape);
	if (from->slice == NAME_NONE)
		return ERR_OK;
	if (from->slice_size == 0)
		return fields_error(f, ERR_VALUE, at,
				    "a slice needs a podSetSliceSize of 1 or more");
	shape->slice_level = from->slice;
	shape->slice_size = from->slice_size;
	return ERR_OK;
}

/* What the controller asked for, in place of the template's annotations. */
static enum err_code take_topology(struct fields *f, const struct yaml_node *at,
				   const struct topology_request *from, struct pod_shape *shape)
{
	if (from->required != NAME_NONE) {
		shape->topology_mode = TOPOLOGY_REQUIRED;
		shape->topology_level = from->required;
	} else if (from->preferred != NAME_NONE) {
		shape->topology_mode = TOPOLOGY_PREFERRED;
		shape->topology_level = from->preferred;
	} else if (from->unconstrained) {
		shape->topology_mode = TOPOLOGY_UNCONSTRAINED;
	}
	if (from->group != NAME_NONE)
		shape->topology_group = from->group;
	return take_slices(f, at, from, shape);
}

static enum err_code read_pod_set(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct objects_work_set *set = out;
	struct pod_set_fields fields = {
		.name = NAME_NONE,
		.count = 1,
		.min_count = NAME_NONE,
		.topology = {NAME_NONE, NAME_NONE, NAME_NONE, NAME_NONE, 0, false, NULL}};
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code == ERR_OK)
		code = fields_map(f, value, pod_set_rows, &fields);
	if (code == ERR_OK)
		code = objects_pod_template(f, fields.template, &set->pod);
	if (code == ERR_OK)
		code = take_topology(f, value, &fields.topology, &set->pod.template.base);
	if (code == ERR_OK && fields.min_count != NAME_NONE && fields.min_count > fields.count)
		code = fields_error(f, ERR_VALUE, yaml_find(value, "minCount"),
				    "minCount is %u, but count only %u", fields.min_count,
				    fields.count);
	if (code != ERR_OK)
		return code;
	if (set->pod.template.base.slice_level != NAME_NONE)
		set->pod.slice_size = value; /* to be compared with the number of pods */
	set->name = fields.name != NAME_NONE ? fields.name : builder_string(f->builder, "main", 4);
	set->pods = fields.count;
	set->has_min = fields.min_count != NAME_NONE;
	set->min_pods = set->has_min ? fields.min_count : fields.count;
	return ERR_OK;
}

/* ---- what became of it ---- */

/* The latest moment that the object knows of. */
static int64_t latest(const struct yaml_node *conditions, int64_t created)
{
	int64_t last = created;

	for (uint32_t i = 0;
	     conditions != NULL && conditions->kind == YAML_LIST && i < conditions->count; i++) {
		int64_t at = objects_work_timestamp(
			yaml_find(conditions->items[i], "lastTransitionTime"));

		last = at > last ? at : last;
	}
	return last;
}

/* The condition of this type; NULL. */
static const struct yaml_node *condition(const struct yaml_node *conditions, const char *type)
{
	for (uint32_t i = 0;
	     conditions != NULL && conditions->kind == YAML_LIST && i < conditions->count; i++) {
		const struct yaml_node *name = yaml_find(conditions->items[i], "type");

		if (name != NULL && yaml_text_is(name, type))
			return conditions->items[i];
	}
	return NULL;
}

/* Kueue before v0.12 keeps no statistics: the condition stays, False, when the workload is
 * admitted again. */
static uint32_t count_evictions(const struct yaml_node *status, const struct yaml_node *conditions)
{
	const struct yaml_node *list = yaml_find(yaml_find(status, "schedulingStats"), "evictions");
	uint32_t sum = 0;

	for (uint32_t i = 0; list != NULL && list->kind == YAML_LIST && i < list->count; i++) {
		const struct yaml_node *count = yaml_find(list->items[i], "count");
		uint32_t number;

		if (count != NULL && count->kind == YAML_SCALAR &&
		    num_read_u32(count->text, count->count, &number) && number < UINT32_MAX - sum)
			sum += number;
	}
	return sum == 0 && condition(conditions, "Evicted") != NULL ? 1 : sum;
}

static bool read_owner(const struct yaml_node *owner, const struct yaml_node **kind,
		       const struct yaml_node **name)
{
	*kind = yaml_find(owner, "kind");
	*name = yaml_find(owner, "name");
	return *kind != NULL && (*kind)->kind == YAML_SCALAR && *name != NULL &&
	       (*name)->kind == YAML_SCALAR;
}

/* Its job bears the owner's name; pods of a group have the Workload's in common. */
static void read_owners(struct fields *f, const struct object *object, struct job_record *record)
{
	const struct yaml_node *owners =
		yaml_find(yaml_find(object->node, "metadata"), "ownerReferences");
	const struct yaml_node *kind, *name;
	uint32_t *items;

	if (owners == NULL || owners->kind != YAML_LIST || owners->count > MAX_OWNERS)
		return;
	items = mem_arena_alloc(f->arena, owners->count * sizeof(*items));
	record->owners = items;
	for (uint32_t i = 0; i < owners->count; i++) {
		if (!read_owner(owners->items[i], &kind, &name))
			continue;
		items[record->owner_count++] = objects_work_identity(f, kind->text, name->text);
		if (owners->count == 1 || !yaml_text_is(kind, "Pod"))
			record->name = builder_string(f->builder, name->text, name->count);
	}
}

static uint32_t read_uid(struct fields *f, const struct object *object)
{
	const struct yaml_node *uid = yaml_find(yaml_find(object->node, "metadata"), "uid");

	return uid == NULL || uid->kind != YAML_SCALAR
		       ? NAME_NONE
		       : builder_string(f->builder, uid->text, uid->count);
}

/* "Recovered" tells when a pod was replaced, not when the work began; older versions of
 * Kueue tell no such reason. */
static void read_ready(const struct yaml_node *conditions, struct job_record *record)
{
	const struct yaml_node *ready = condition(conditions, "PodsReady");
	const struct yaml_node *why = yaml_find(ready, "reason");
	const char *reason = "";
	int64_t at = objects_work_condition(conditions, "PodsReady", &reason);

	record->ready = strcmp(reason, "Recovered") == 0 ? 0 : at;
	record->unready =
		ready != NULL && at == 0 && (why == NULL || !yaml_text_is(why, "WaitForRecovery"));
}

static struct job_record read_record(struct fields *f, const struct object *object,
				     const struct workload_spec *spec)
{
	const struct yaml_node *status = yaml_find(object->node, "status");
	const struct yaml_node *conditions = yaml_find(status, "conditions");
	const struct yaml_node *requeue = yaml_find(yaml_find(status, "requeueState"), "requeueAt");
	struct job_record record = {
		.reserved = objects_work_condition(conditions, "QuotaReserved", NULL),
		.admitted = objects_work_condition(conditions, "Admitted", NULL),
		.finished = objects_work_condition(conditions, "Finished", NULL),
		.latest = objects_work_timestamp(object->created),
		.requeue_at = objects_work_timestamp(requeue),
		.evictions = count_evictions(status, conditions),
		.name = NAME_NONE,
		.uid = read_uid(f, object),
	};

	read_ready(conditions, &record);
	record.latest = latest(conditions, record.latest);
	/* Over without ever having had quota: it was withdrawn, or never was in order. */
	record.stopped =
		record.finished != 0 ? record.reserved == 0 && record.admitted == 0 : !spec->active;
	read_owners(f, object, &record);
	return record;
}

/* A Pod whose containers start again and again ends when it is deleted. */
static bool never_ends(const struct yaml_node *pod_sets, const struct yaml_node *owners)
{
	const struct yaml_node *policy, *kind, *name;

	if (pod_sets == NULL || pod_sets->kind != YAML_LIST || pod_sets->count == 0 ||
	    owners == NULL || owners->kind != YAML_LIST || owners->count == 0)
		return false;
	policy = yaml_find(yaml_find(yaml_find(pod_sets->items[0], "template"), "spec"),
			   "restartPolicy");
	return policy != NULL && yaml_text_is(policy, "Always") &&
	       read_owner(owners->items[0], &kind, &name) && yaml_text_is(kind, "Pod");
}

/* ---- into the builder ---- */

/* The number stands in the Workload; of a PriorityClass, it is the pods', too. */
static enum err_code take_priority(struct fields *f, const struct workload_spec *spec,
				   struct objects_work *work)
{
	const struct name_table *strings = builder_strings(f->builder);
	const struct class_ref *ref = &spec->class_ref;
	int64_t priority = 0;
	bool of_pods;

	if (spec->priority != NULL &&
	    fields_int_between(f, spec->priority, INT32_MIN, INT32_MAX, &priority) != ERR_OK)
		return f->err->code;
	work->common.priority = (int32_t)priority;
	work->common.priority_class = ref->name != NAME_NONE ? ref->name : spec->class;
	if (spec->priority == NULL)
		return ERR_OK;
	work->common.flags |= JOB_PRIORITY_GIVEN;
	of_pods =
		(ref->kind != NAME_NONE &&
		 strcmp(name_text(strings, ref->kind), "PriorityClass") == 0) ||
		(spec->class_source != NAME_NONE && strcmp(name_text(strings, spec->class_source),
							   "scheduling.k8s.io/priorityclass") == 0);
	if (of_pods) {
		work->common.pod_priority = (int32_t)priority;
		work->common.flags |= JOB_CLASS_OF_PODS;
	}
	return ERR_OK;
}

/* Kueue refuses other values where the gate PriorityBoost is on, else it does not look. */
static void take_boost(struct fields *f, struct objects_work *work)
{
	const struct yaml_node *boost =
		yaml_find(work->object->annotations, "kueue.x-k8s.io/priority-boost");
	int64_t value;

	if (boost == NULL || boost->count == 0)
		return;
	if (num_read_i64(boost->text, boost->count, &value) && value >= INT32_MIN &&
	    value <= INT32_MAX)
		work->extra.priority_boost = (int32_t)value;
	else
		fields_fault(f, FINDING_WARNING, "input-warning", boost,
			     "write a whole number, such as \"10\" or \"-5\", or delete it",
			     "annotation kueue.x-k8s.io/priority-boost: \"%.40s\" is no signed "
			     "integer: it counts for nothing",
			     boost->text);
}

static void take_times(struct job_record *record, struct objects_work *work, bool endless)
{
	int64_t from = record->admitted != 0 ? record->admitted : record->reserved;

	if (work->own.duration != OBJECTS_OWN_MISSING)
		return;
	record->timed = true;
	record->unknown = record->finished == 0 || from == 0 || record->finished < from;
	work->job.duration = record->unknown ? 0 : (record->finished - from) * CLOCK_SECOND;
	if (record->unknown && endless) {
		record->unknown = record->timed = false;
		work->job.duration = JOB_ENDLESS;
	}
}

/* Kueue's webhook (ValidateWorkload) lets one pod set have fewer pods than it asks for. */
static enum err_code check_min_counts(struct fields *f, const struct yaml_node *list)
{
	const struct yaml_node *first = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct yaml_node *least = yaml_find(list->items[i], "minCount");

		if (least != NULL && first != NULL)
			return fields_error(f, ERR_VALUE, least,
					    "no more than one pod set can have a minCount");
		first = least != NULL ? least : first;
	}
	return ERR_OK;
}

static enum err_code read_pod_sets(struct fields *f, const struct yaml_node *list,
				   struct objects_work_set **sets, uint32_t *count)
{
	size_t mark = fields_enter(f, "spec.podSets");
	void *items = NULL;
	enum err_code code =
		fields_list(f, list, read_pod_set, sizeof(**sets), MAX_POD_SETS, &items, count);

	if (code == ERR_OK)
		code = check_min_counts(f, list);
	fields_leave(f, mark);
	*sets = items;
	return code;
}

/* What ended for another reason than its work does not run here, or not as it did. */
static bool told_apart(struct fields *f, const struct object *object)
{
	const struct yaml_node *conditions =
		yaml_find(yaml_find(object->node, "status"), "conditions");
	const char *reason = "";

	if (objects_work_condition(conditions, "Finished", &reason) == 0)
		return false;
	if (strcmp(reason, "WorkloadSliceReplaced") == 0) {
		tally_add(f->tally, FINDING_NOT_MODELLED, object->where,
			  "Workload that a bigger or smaller slice of the same elastic job "
			  "replaced: left out, the last slice stands for the job");
		return true;
	}
	if (strcmp(reason, "OutOfSync") == 0) {
		tally_add(f->tally, FINDING_NOTE, object->where,
			  "Workload out of sync with its job: left out, another one stands for it");
		return true;
	}
	if (strcmp(reason, "Failed") == 0)
		tally_add(f->tally, FINDING_NOTE, object->where,
			  "Workload whose job failed: works here as long as it did there, and "
			  "counts as finished");
	return false;
}

static enum err_code read_spec(struct fields *f, const struct object *object,
			       struct workload_spec *spec)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};

	*spec = (struct workload_spec){.queue = NAME_NONE,
				       .class = NAME_NONE,
				       .class_source = NAME_NONE,
				       .class_ref = {NAME_NONE, NAME_NONE, NAME_NONE},
				       .active = true};
	return fields_map(f, object->node, rows, spec);
}

enum err_code objects_workload(struct fields *f, const struct object *object)
{
	const struct yaml_node *owners =
		yaml_find(yaml_find(object->node, "metadata"), "ownerReferences");
	struct objects_work_set *sets = NULL;
	struct workload_spec spec;
	struct objects_work work;
	struct job_record record;
	uint32_t count = 0;
	enum err_code code = read_spec(f, object, &spec);

	objects_work_begin(&work, object);
	if (code == ERR_OK)
		code = objects_work_head(f, &work);
	if (code == ERR_OK)
		code = take_priority(f, &spec, &work);
	if (code == ERR_OK)
		code = read_pod_sets(f, spec.pod_sets, &sets, &count);
	if (code != ERR_OK || told_apart(f, object))
		return code;
	record = read_record(f, object, &spec);
	take_times(&record, &work, never_ends(spec.pod_sets, owners));
	work.extra.max_execution = spec.max_execution;
	take_boost(f, &work);
	work.common.queue = spec.queue;
	work.common.flags &= (uint16_t)~JOB_UNMANAGED;
	work.record = &record;
	return objects_work_finish_sets(f, &work, sets, count);
}
