#include "sim/objects/objects_kubeflow.h"

#include <string.h>
#include <strings.h>

#include "sim/objects/objects_roles.h"

#define MAX_ROLES     6
#define RETRYABLE     128 /* restartPolicy ExitCode: exit codes below fail the job */
#define BACKOFF_LIMIT 6	  /* of an MPIJob's launcher, a Job */

enum restart { RESTART_ALWAYS, RESTART_NEVER, RESTART_EXIT_CODE };

static const struct kubeflow_kind {
	const char *kind, *specs;
	enum restart restart; /* default of a role */
	const char *roles[MAX_ROLES];
} kinds[] = {
	{"PyTorchJob", "pytorchReplicaSpecs", RESTART_ALWAYS, {"Master", "Worker"}},
	{"TFJob",
	 "tfReplicaSpecs",
	 RESTART_NEVER,
	 {"Chief", "Master", "PS", "Worker", "Evaluator"}},
	{"XGBoostJob", "xgbReplicaSpecs", RESTART_NEVER, {"Master", "Worker"}},
	{"PaddleJob", "paddleReplicaSpecs", RESTART_ALWAYS, {"Master", "Worker"}},
	{"JAXJob", "jaxReplicaSpecs", RESTART_NEVER, {"Worker"}},
	{"MPIJob", "mpiReplicaSpecs", RESTART_ALWAYS, {"Launcher", "Worker"}},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct kubeflow_kind *kind_of(const char *name)
{
	size_t i = 0;

	while (i + 1 < KINDS && strcmp(kinds[i].kind, name) != 0)
		i++;
	return &kinds[i];
}

/* ---- the spec ---- */

struct kubeflow_spec {
	const struct yaml_node *specs[KINDS]; /* as in kinds; NULL */
	const struct yaml_node *suspend;
	uint32_t class;		/* string; NAME_NONE */
	uint32_t backoff_limit; /* NAME_NONE */
	simtime deadline;
	int launcher_last; /* of an MPIJob: WaitForWorkersReady */
};

#define SPEC(member) offsetof(struct kubeflow_spec, member)

static const struct field scheduling_rows[] = {
	{.key = "priorityClass", .read = fields_string, .offset = SPEC(class)},
	{.key = "minAvailable"}, /* for schedulers of gangs */
	{.key = "queue"},
	{.key = "minResources"},
	{.key = "scheduleTimeoutSeconds"},
	{.key = NULL},
};

static const struct field policy_rows[] = {
	{.key = "suspend", .read = fields_keep, .offset = SPEC(suspend)},
	{.key = "backoffLimit", .read = fields_count, .offset = SPEC(backoff_limit)},
	{.key = "activeDeadlineSeconds", .read = fields_seconds, .offset = SPEC(deadline)},
	{.key = "schedulingPolicy", .read = fields_nested, .arg = scheduling_rows},
	{.key = "cleanPodPolicy"},
	{.key = "ttlSecondsAfterFinished"},
	{.key = "managedBy"},
	{.key = NULL},
};

static const struct fields_word launcher_words[] = {
	{"AtStartup", 0}, {"WaitForWorkersReady", 1}, {NULL, 0}};

static const struct field spec_rows[] = {
	{.key = "runPolicy", .read = fields_nested, .arg = policy_rows},
	{.key = "pytorchReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[0])},
	{.key = "tfReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[1])},
	{.key = "xgbReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[2])},
	{.key = "paddleReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[3])},
	{.key = "jaxReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[4])},
	{.key = "mpiReplicaSpecs", .read = fields_keep, .offset = SPEC(specs[5])},
	{.key = "elasticPolicy",
	 .read = objects_roles_beyond,
	 .arg = "elasticPolicy (its replicas stay as they are here)"},
	{.key = "enableDynamicWorker"},
	{.key = "successPolicy"},
	{.key = "nprocPerNode"},
	{.key = "slotsPerWorker"},
	{.key = "runLauncherAsWorker"},
	{.key = "launcherCreationPolicy",
	 .read = fields_enum,
	 .offset = SPEC(launcher_last),
	 .arg = launcher_words},
	{.key = "sshAuthMountPath"},
	{.key = "mpiImplementation"},
	{.key = NULL},
};

/* ---- one role ---- */

struct role {
	uint32_t replicas;
	int restart; /* enum restart */
	const struct yaml_node *template;
};

#define ROLE(member) offsetof(struct role, member)

static const struct fields_word restart_words[] = {{"Always", RESTART_ALWAYS},
						   {"OnFailure", RESTART_ALWAYS},
						   {"Never", RESTART_NEVER},
						   {"ExitCode", RESTART_EXIT_CODE},
						   {NULL, 0}};

static const struct field role_rows[] = {
	{.key = "replicas", .read = objects_work_count, .offset = ROLE(replicas)},
	{.key = "restartPolicy",
	 .read = fields_enum,
	 .offset = ROLE(restart),
	 .arg = restart_words},
	{.key = "template", .read = fields_keep, .offset = ROLE(template), .required = true},
	{.key = NULL},
};

/* Exit codes that say that trying again is of no use. */
static void take_exit_codes(struct fields *f, struct job_control *control)
{
	struct mem_arena *arena = builder_arena(f->builder);
	int32_t *codes = mem_arena_alloc(arena, RETRYABLE * sizeof(*codes));
	struct failure_rule *rule = mem_arena_alloc(arena, sizeof(*rule));

	for (int32_t i = 1; i < RETRYABLE; i++)
		codes[i - 1] = i;
	*rule = (struct failure_rule){
		.action = FAILURE_FAIL_JOB, .codes = codes, .code_count = RETRYABLE - 1};
	control->failure_rules = rule;
	control->failure_rule_count = 1;
}

static void take_restart(struct fields *f, int restart, struct job_control *control)
{
	if (restart == RESTART_NEVER)
		control->backoff_limit = 0;
	else if (restart == RESTART_EXIT_CODE && control->failure_rule_count == 0)
		take_exit_codes(f, control);
}

static enum err_code add_role(struct fields *f, const struct kubeflow_kind *kind, const char *name,
			      const struct yaml_node *node, struct objects_roles *roles)
{
	struct role role = {.replicas = 1, .restart = (int)kind->restart};
	size_t mark = fields_enter(f, name);
	enum err_code code = fields_map(f, node, role_rows, &role);

	if (code == ERR_OK)
		code = objects_roles_add(f, roles,
					 &(struct objects_role){.name = name,
								.pods = role.replicas,
								.template = role.template,
								.path = "template",
								.place = node});
	fields_leave(f, mark);
	/* The launcher is a Job; workers of an MPIJob are not counted. */
	if (code == ERR_OK && strcmp(kind->kind, "MPIJob") != 0)
		take_restart(f, role.restart, &roles->work.control);
	return code;
}

/* The operator takes names of roles in any case. */
static const struct yaml_node *find_role(const struct yaml_node *specs, const char *name)
{
	for (uint32_t i = 0; i < specs->count; i++) {
		if (strcasecmp(specs->pairs[i].key->text, name) == 0)
			return yaml_find(specs, specs->pairs[i].key->text);
	}
	return NULL;
}

static enum err_code check_roles(struct fields *f, const struct kubeflow_kind *kind,
				 const struct yaml_node *specs)
{
	enum err_code code = fields_want_map(f, specs);

	for (uint32_t i = 0; code == ERR_OK && i < specs->count; i++) {
		const struct yaml_node *key = specs->pairs[i].key;
		size_t r = 0;

		while (r < MAX_ROLES && kind->roles[r] != NULL &&
		       strcasecmp(kind->roles[r], key->text) != 0)
			r++;
		if (r == MAX_ROLES || kind->roles[r] == NULL)
			code = fields_error(f, ERR_VALUE, key, "\"%.60s\" is no role of a %s",
					    key->text, kind->kind);
	}
	return code;
}

static enum err_code add_roles(struct fields *f, const struct kubeflow_kind *kind,
			       const struct yaml_node *specs, struct objects_roles *roles)
{
	size_t mark = fields_enter(f, kind->specs);
	enum err_code code = check_roles(f, kind, specs);

	for (size_t r = 0; code == ERR_OK && r < MAX_ROLES && kind->roles[r] != NULL; r++) {
		const struct yaml_node *node = find_role(specs, kind->roles[r]);

		if (node != NULL)
			code = add_role(f, kind, kind->roles[r], node, roles);
	}
	if (code == ERR_OK && roles->count == 0)
		code = fields_error(f, ERR_VALUE, specs, "has no role");
	fields_leave(f, mark);
	return code;
}

/* The operator calls a job running as soon as a pod of its master is, without that one of its
 * workers; an MPIJob when all are (UpdateJobStatus of each controller). */
static void take_ready(struct fields *f, const struct kubeflow_kind *kind,
		       struct objects_roles *roles)
{
	static const char *const masters[] = {"master", "chief", "worker"};
	const struct name_table *strings = builder_strings(f->builder);
	uint32_t first = 0, count = 0;

	if (strcmp(kind->kind, "MPIJob") == 0)
		return;
	for (size_t m = 0; m < sizeof(masters) / sizeof(masters[0]) && count == 0; m++)
		for (uint32_t i = 0; i < roles->count && count == 0; i++) {
			first = i;
			count = strcmp(name_text(strings, roles->sets[i].name), masters[m]) == 0;
		}
	if (count != 0)
		objects_roles_ready(f, roles, first, count, true);
}

static void take_policy(const struct kubeflow_kind *kind, const struct kubeflow_spec *spec,
			struct objects_work *work)
{
	if (spec->backoff_limit != NAME_NONE)
		work->control.backoff_limit = spec->backoff_limit;
	else if (strcmp(kind->kind, "MPIJob") == 0)
		work->control.backoff_limit = BACKOFF_LIMIT;
	work->control.deadline = spec->deadline;
	/* It comes before the classes of the templates. */
	if (work->common.priority_class == NAME_NONE && spec->class != NAME_NONE) {
		work->common.priority_class = spec->class;
		work->common.flags |= JOB_CLASS_OF_PODS;
	}
	objects_work_suspend(spec->suspend, work);
}

enum err_code objects_kubeflow(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	const struct kubeflow_kind *kind = kind_of(object->list_kind);
	struct kubeflow_spec spec = {.class = NAME_NONE, .backoff_limit = NAME_NONE};
	const struct yaml_node *specs;
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &spec);
	size_t mark;

	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	specs = spec.specs[kind - kinds];
	mark = fields_enter(f, "spec");
	code = specs == NULL ? fields_error(f, ERR_VALUE, yaml_find(object->node, "spec"),
					    "%s is missing", kind->specs)
			     : add_roles(f, kind, specs, &roles);
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	take_policy(kind, &spec, &roles.work);
	/* An MPIJob's launcher is its first role. */
	if (spec.launcher_last != 0 && roles.count == 2 && strcmp(kind->kind, "MPIJob") == 0)
		objects_roles_after(&roles, 0, 1, false);
	take_ready(f, kind, &roles);
	return objects_roles_finish(f, &roles, OBJECTS_ROLES_TRAINS);
}
