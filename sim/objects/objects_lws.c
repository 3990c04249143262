#include "sim/objects/objects_lws.h"

#include "sim/objects/objects_roles.h"
#include "sim/objects/objects_service.h"

struct lws_fields {
	uint32_t replicas, size;
	const struct yaml_node *leader, *worker;
	int leader_first;
};

#define LWS(member) offsetof(struct lws_fields, member)

static const struct field template_rows[] = {
	{.key = "leaderTemplate", .read = fields_keep, .offset = LWS(leader)},
	{.key = "workerTemplate", .read = fields_keep, .offset = LWS(worker), .required = true},
	{.key = "size", .read = objects_work_count, .offset = LWS(size)},
	{.key = "restartPolicy"},
	{.key = "subGroupPolicy"},
	{.key = "volumeClaimTemplates"},
	{.key = "persistentVolumeClaimRetentionPolicy"},
	{.key = "resizePolicy"},
	{.key = NULL},
};

static const struct fields_word startup_words[] = {
	{"LeaderCreated", 0}, {"LeaderReady", 1}, {NULL, 0}};

static const struct field spec_rows[] = {
	{.key = "replicas", .read = objects_work_count, .offset = LWS(replicas)},
	{.key = "leaderWorkerTemplate",
	 .read = fields_nested,
	 .arg = template_rows,
	 .required = true},
	{.key = "rolloutStrategy"},
	{.key = "startupPolicy",
	 .read = fields_enum,
	 .offset = LWS(leader_first),
	 .arg = startup_words},
	{.key = "networkConfig"},
	{.key = NULL},
};

static enum err_code add_group(struct fields *f, const struct lws_fields *fields,
			       struct objects_roles *roles)
{
	const struct objects_role leader = {.name = "leader",
					    .pods = 1,
					    .template = fields->leader,
					    .path = "leaderTemplate",
					    .place = fields->leader};
	struct objects_role worker = {.name = "main",
				      .pods = fields->size,
				      .template = fields->worker,
				      .path = "workerTemplate",
				      .place = fields->worker};

	if (leader.template != NULL) {
		if (objects_roles_add(f, roles, &leader) != ERR_OK)
			return f->err->code;
		worker.name = "worker";
		worker.pods--;
	}
	if (objects_roles_add(f, roles, &worker) != ERR_OK)
		return f->err->code;
	if (leader.template != NULL && fields->leader_first != 0)
		objects_roles_after(roles, 1, 0, false);
	return ERR_OK;
}

static enum err_code put_group(struct fields *f, struct objects_work *work, void *context)
{
	(void)work; /* the roles' own */
	return objects_roles_finish(f, context, OBJECTS_ROLES_SERVES);
}

static enum err_code note_exclusive(struct fields *f, const struct object *object)
{
	const struct yaml_node *exclusive =
		yaml_find(object->annotations, "leaderworkerset.sigs.k8s.io/exclusive-topology");

	return exclusive != NULL ? fields_not_modelled(f, exclusive, "exclusive-topology") : ERR_OK;
}

enum err_code objects_lws(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct lws_fields fields = {.replicas = 1, .size = 1};
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &fields);
	size_t mark;

	if (code == ERR_OK && fields.size == 0)
		code = fields_error(f, ERR_VALUE, object->node,
				    "spec.leaderWorkerTemplate.size: must be 1 or more");
	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	if ((uint64_t)fields.replicas * fields.size > OBJECTS_OWN_MAX_PODS)
		return fields_error(f, ERR_LIMIT, object->node,
				    "%u groups of %u pods; at most %d pods are allowed",
				    fields.replicas, fields.size, OBJECTS_OWN_MAX_PODS);
	if (note_exclusive(f, object) != ERR_OK)
		return f->err->code;
	mark = fields_enter(f, "spec.leaderWorkerTemplate");
	code = add_group(f, &fields, &roles);
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	roles.work.common.flags |= JOB_POD_GROUP;
	return objects_service_each(f, &roles.work, fields.replicas, put_group, &roles);
}
