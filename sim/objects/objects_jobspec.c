#include "sim/objects/objects_jobspec.h"

#include <stdio.h>
#include <string.h>

#include "sim/yaml/yaml_scalar.h"

#define BACKOFF_LIMIT 6 /* Kubernetes' default */
#define MAX_RULES     20
#define MAX_CODES     255
#define MAX_INDEXES   100000 /* the API server's */
#define INDEXES	      "succeededIndexes"

#define SPEC(member) offsetof(struct objects_jobspec, member)

static const struct fields_word modes[] = {{"NonIndexed", 0}, {"Indexed", 1}, {NULL, 0}};

const struct field objects_jobspec_rows[] = {
	{.key = "parallelism", .read = objects_work_count, .offset = SPEC(parallelism)},
	{.key = "completions", .read = objects_work_count, .offset = SPEC(completions)},
	{.key = "template", .read = fields_keep, .offset = SPEC(template), .required = true},
	{.key = "completionMode", .read = fields_enum, .offset = SPEC(mode), .arg = modes},
	{.key = "suspend", .read = fields_keep, .offset = SPEC(suspend)},
	{.key = "backoffLimit", .read = fields_count, .offset = SPEC(backoff_limit)},
	{.key = "backoffLimitPerIndex", .read = fields_count, .offset = SPEC(index_limit)},
	{.key = "maxFailedIndexes", .read = fields_count, .offset = SPEC(max_failed)},
	{.key = "activeDeadlineSeconds", .read = fields_seconds, .offset = SPEC(deadline)},
	{.key = "ttlSecondsAfterFinished"}, /* the object goes; its pods have ended by then */
	{.key = "selector"},
	{.key = "manualSelector"},
	{.key = "podFailurePolicy", .read = fields_keep, .offset = SPEC(failure_policy)},
	{.key = "successPolicy", .read = fields_keep, .offset = SPEC(success_policy)},
	{.key = "podReplacementPolicy"},
	{.key = "managedBy"},
	{.key = NULL},
};

void objects_jobspec_begin(struct objects_jobspec *spec)
{
	*spec = (struct objects_jobspec){.parallelism = NAME_NONE,
					 .completions = NAME_NONE,
					 .backoff_limit = NAME_NONE,
					 .index_limit = NAME_NONE,
					 .max_failed = NAME_NONE};
}

/* ---- podFailurePolicy ---- */

struct rule_reading {
	int action;
	const struct yaml_node *codes, *conditions;
	int not_in;
	const struct yaml_node *values;
};

#define RULE(member) offsetof(struct rule_reading, member)

static const struct fields_word actions[] = {{"Count", FAILURE_COUNT},
					     {"Ignore", FAILURE_IGNORE},
					     {"FailIndex", FAILURE_FAIL_INDEX},
					     {"FailJob", FAILURE_FAIL_JOB},
					     {NULL, 0}};
static const struct fields_word operators[] = {{"In", 0}, {"NotIn", 1}, {NULL, 0}};

static enum err_code read_code(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	int64_t code;

	(void)row;
	if (fields_int_between(f, value, 0, INT32_MAX, &code) != ERR_OK)
		return f->err->code;
	*(int32_t *)out = (int32_t)code;
	return ERR_OK;
}

static enum err_code read_exit_codes(struct fields *f, const struct yaml_node *node,
				     struct failure_rule *rule)
{
	static const struct field rows[] = {
		{.key = "containerName"},
		{.key = "operator",
		 .read = fields_enum,
		 .offset = RULE(not_in),
		 .arg = operators,
		 .required = true},
		{.key = "values", .read = fields_keep, .offset = RULE(values), .required = true},
		{.key = NULL},
	};
	struct rule_reading reading = {0};
	int32_t *codes;
	void *items = NULL;

	if (fields_map(f, node, rows, &reading) != ERR_OK ||
	    fields_list(f, reading.values, read_code, sizeof(int32_t), MAX_CODES, &items,
			&rule->code_count) != ERR_OK)
		return f->err->code;
	codes = mem_arena_alloc(builder_arena(f->builder),
				(rule->code_count + 1u) * sizeof(*codes));
	if (rule->code_count != 0)
		memcpy(codes, items, rule->code_count * sizeof(*codes));
	rule->codes = codes;
	rule->not_in = reading.not_in == 1;
	return ERR_OK;
}

/* Of the conditions only DisruptionTarget comes up here. */
static bool names_disruption(const struct yaml_node *conditions)
{
	for (uint32_t i = 0; conditions->kind == YAML_LIST && i < conditions->count; i++) {
		const struct yaml_node *type = yaml_find(conditions->items[i], "type");
		const struct yaml_node *status = yaml_find(conditions->items[i], "status");

		if (type != NULL && yaml_text_is(type, "DisruptionTarget") &&
		    (status == NULL || yaml_text_is(status, "True")))
			return true;
	}
	return false;
}

static enum err_code read_rule(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "action",
		 .read = fields_enum,
		 .offset = RULE(action),
		 .arg = actions,
		 .required = true},
		{.key = "onExitCodes", .read = fields_keep, .offset = RULE(codes)},
		{.key = "onPodConditions", .read = fields_keep, .offset = RULE(conditions)},
		{.key = NULL},
	};
	struct failure_rule *rule = out;
	struct rule_reading reading = {0};

	(void)row;
	if (fields_map(f, value, rows, &reading) != ERR_OK)
		return f->err->code;
	if ((reading.codes == NULL) == (reading.conditions == NULL))
		return fields_error(f, ERR_VALUE, value,
				    "must have one of onExitCodes and onPodConditions");
	rule->action = (enum failure_action)reading.action;
	if (reading.codes != NULL)
		return read_exit_codes(f, reading.codes, rule);
	rule->disruption = names_disruption(reading.conditions);
	if (rule->disruption)
		return ERR_OK;
	/* without exit codes and condition it matches nothing */
	return fields_not_modelled(f, reading.conditions,
				   "podFailurePolicy on a condition other than DisruptionTarget");
}

static const struct yaml_node *rules_of(struct fields *f, const struct yaml_node *policy)
{
	const struct yaml_node *rules = yaml_find(policy, "rules");

	if (rules == NULL)
		fields_error(f, ERR_VALUE, policy, "rules are missing");
	return rules;
}

static enum err_code read_failure_policy(struct fields *f, const struct yaml_node *policy,
					 struct job_control *control)
{
	const struct yaml_node *rules = rules_of(f, policy);
	struct failure_rule *copy;
	void *items = NULL;
	uint32_t count = 0;

	if (rules == NULL || fields_list(f, rules, read_rule, sizeof(struct failure_rule),
					 MAX_RULES, &items, &count) != ERR_OK)
		return f->err->code;
	copy = mem_arena_alloc(builder_arena(f->builder), (count + 1u) * sizeof(*copy));
	if (count != 0)
		memcpy(copy, items, count * sizeof(*copy));
	control->failure_rules = copy;
	control->failure_rule_count = count;
	return ERR_OK;
}

/* ---- successPolicy ---- */

/* "1,3-5": pairs of first and last. */
static bool read_intervals(struct fields *f, const struct yaml_node *node,
			   struct success_rule *rule)
{
	const char *at = node->text, *end = node->text + node->count;
	uint32_t commas = 0, *bounds;

	for (const char *c = at; c < end; c++)
		commas += *c == ',';
	bounds = mem_arena_alloc(builder_arena(f->builder), 2 * (commas + 1u) * sizeof(*bounds));
	for (uint32_t i = 0; i <= commas; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma != NULL ? comma : end;
		const char *dash = memchr(at, '-', (size_t)(stop - at));
		const char *first_end = dash != NULL ? dash : stop;

		if (!num_read_u32(at, (size_t)(first_end - at), &bounds[2 * i]))
			return false;
		bounds[2 * i + 1] = bounds[2 * i];
		if (dash != NULL &&
		    !num_read_u32(dash + 1, (size_t)(stop - dash - 1), &bounds[2 * i + 1]))
			return false;
		if (bounds[2 * i + 1] < bounds[2 * i] || bounds[2 * i + 1] > OBJECTS_OWN_MAX_PODS)
			return false;
		if (i > 0 && bounds[2 * i] <= bounds[2 * i - 1])
			return false; /* the API server wants them to ascend */
		at = stop + 1;
	}
	rule->bounds = bounds;
	rule->interval_count = commas + 1;
	return true;
}

struct success_reading {
	const struct yaml_node *indexes;
	uint32_t count;
};

static enum err_code read_success_rule(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = INDEXES,
		 .read = fields_keep,
		 .offset = offsetof(struct success_reading, indexes)},
		{.key = "succeededCount",
		 .read = fields_count,
		 .offset = offsetof(struct success_reading, count)},
		{.key = NULL},
	};
	struct success_reading reading = {.count = JOB_NONE};
	struct success_rule *rule = out;

	(void)row;
	if (fields_map(f, value, rows, &reading) != ERR_OK)
		return f->err->code;
	if (reading.indexes == NULL && reading.count == JOB_NONE)
		return fields_error(f, ERR_VALUE, value,
				    "must have succeededIndexes or succeededCount");
	rule->count = reading.count;
	if (reading.indexes != NULL &&
	    (reading.indexes->kind != YAML_SCALAR || !read_intervals(f, reading.indexes, rule)))
		return fields_error(f, ERR_VALUE, reading.indexes,
				    INDEXES ": write ascending indexes and ranges, such as 0,2-4");
	return ERR_OK;
}

static enum err_code read_success_policy(struct fields *f, const struct yaml_node *policy,
					 struct job_control *control)
{
	const struct yaml_node *rules = rules_of(f, policy);
	struct success_rule *copy;
	void *items = NULL;
	uint32_t count = 0;

	if (rules == NULL || fields_list(f, rules, read_success_rule, sizeof(struct success_rule),
					 MAX_RULES, &items, &count) != ERR_OK)
		return f->err->code;
	copy = mem_arena_alloc(builder_arena(f->builder), (count + 1u) * sizeof(*copy));
	if (count != 0)
		memcpy(copy, items, count * sizeof(*copy));
	control->success_rules = copy;
	control->success_rule_count = count;
	return ERR_OK;
}

/* ---- the whole ---- */

static enum err_code read_min_pods(struct fields *f, struct objects_work *work)
{
	const struct yaml_node *value =
		yaml_find(work->object->annotations, "kueue.x-k8s.io/job-min-parallelism");

	work->min_pods = work->pods;
	if (value == NULL)
		return ERR_OK;
	if (!num_read_u32(value->text, value->count, &work->min_pods) || work->min_pods == 0 ||
	    work->min_pods >= work->pods)
		return fields_error(
			f, ERR_VALUE, value,
			"annotation kueue.x-k8s.io/job-min-parallelism: \"%.40s\" should "
			"be between 0 and %u",
			value->text, work->pods != 0 ? work->pods - 1 : 0);
	return ERR_OK;
}

#define ELASTIC "kueue.x-k8s.io/elastic-job"

static bool is_elastic(const struct objects_work *work)
{
	const struct yaml_node *value = yaml_find(work->object->annotations, ELASTIC);

	return value != NULL && yaml_text_is(value, "true");
}

/* There are as many places for pods as there is ever parallelism. */
static void take_changes(const struct objects_jobspec *spec, struct objects_work *work)
{
	struct job_control *control = &work->control;

	control->elastic = true;
	control->replicas = work->pods;
	work->common.flags |= JOB_NOT_GANG;
	for (uint32_t i = 0; i < control->change_count; i++) {
		uint32_t pods = control->changes[i].replicas;

		if (pods != JOB_NONE && spec->completions != NAME_NONE && pods > spec->completions)
			pods = spec->completions;
		if (pods != JOB_NONE && pods > work->pods)
			work->pods = work->min_pods = pods;
	}
}

static enum err_code refuse_changes(struct fields *f, const struct objects_jobspec *spec,
				    const struct objects_work *work)
{
	for (uint32_t i = 0; i < work->control.change_count; i++) {
		if (work->control.changes[i].replicas != JOB_NONE)
			return fields_not_modelled(f, spec->template,
						   "parallelism that changes, of a Job without "
						   "annotation " ELASTIC ": \"true\"");
	}
	return ERR_OK;
}

/* What Kueue's webhook of Jobs refuses; and parallelism that changes otherwise. */
static enum err_code read_elastic(struct fields *f, const struct objects_jobspec *spec,
				  struct objects_work *work)
{
	enum topology_mode topology = work->pod.template.base.topology_mode;

	if (!is_elastic(work))
		return refuse_changes(f, spec, work);
	if (work->min_pods < work->pods)
		return fields_error(f, ERR_VALUE, yaml_find(work->object->annotations, ELASTIC),
				    "annotation " ELASTIC
				    ": partial admission and elastic job cannot be used together");
	if (topology == TOPOLOGY_REQUIRED || topology == TOPOLOGY_PREFERRED)
		return fields_error(f, ERR_VALUE, yaml_find(work->object->annotations, ELASTIC),
				    "annotation " ELASTIC ": %s topology is not supported with "
				    "elastic jobs",
				    topology == TOPOLOGY_REQUIRED ? "required" : "preferred");
	take_changes(spec, work);
	return ERR_OK;
}

#define EQUAL "kueue.x-k8s.io/job-completions-equal-parallelism"

/* Under partial admission completions go down with the parallelism (Kueue's webhook of
 * Jobs); a gang of fewer pods does just that. */
static enum err_code check_equal(struct fields *f, const struct objects_jobspec *spec,
				 const struct objects_work *work)
{
	const struct yaml_node *value = yaml_find(work->object->annotations, EQUAL);
	bool equal;

	if (value == NULL && work->min_pods < work->pods && spec->completions != NAME_NONE &&
	    (work->common.flags & JOB_NOT_GANG) == 0)
		return fields_not_modelled(
			f, spec->template,
			"all completions of a gang that is admitted with fewer pods (they "
			"follow each other in a cluster)");
	if (value == NULL)
		return ERR_OK;
	if (!yaml_text_bool(value, &equal))
		return fields_error(f, ERR_VALUE, value,
				    "annotation " EQUAL ": \"%.40s\" is neither true nor false",
				    value->text);
	if (equal && (spec->mode != 1 || spec->completions != work->pods ||
		      (spec->parallelism != NAME_NONE && spec->parallelism != work->pods)))
		return fields_error(f, ERR_VALUE, value,
				    "annotation " EQUAL ": the Job must be Indexed, with as many "
				    "completions as its parallelism");
	if (equal && (work->common.flags & JOB_NOT_GANG) != 0)
		return fields_not_modelled(
			f, value,
			"fewer completions of a Job that is admitted with fewer pods, "
			"unless it is a gang");
	return ERR_OK;
}

/* What the API server refuses. */
static enum err_code check(struct fields *f, const struct objects_jobspec *spec)
{
	bool indexed = spec->mode == 1;

	if (indexed && spec->completions == NAME_NONE)
		return fields_error(f, ERR_VALUE, spec->template,
				    "completions must be specified when completionMode is Indexed");
	if (!indexed && (spec->index_limit != NAME_NONE || spec->success_policy != NULL))
		return fields_error(f, ERR_VALUE, spec->template,
				    "backoffLimitPerIndex and successPolicy require completionMode "
				    "Indexed");
	if (spec->index_limit != NAME_NONE && spec->completions > MAX_INDEXES)
		return fields_error(f, ERR_LIMIT, spec->template,
				    "completions: at most %d are possible with "
				    "backoffLimitPerIndex",
				    MAX_INDEXES);
	if (spec->max_failed != NAME_NONE && spec->index_limit == NAME_NONE)
		return fields_error(f, ERR_VALUE, spec->template,
				    "maxFailedIndexes requires backoffLimitPerIndex");
	return ERR_OK;
}

static void take_counts(const struct objects_jobspec *spec, struct objects_work *work)
{
	struct job_control *control = &work->control;

	work->pods = spec->parallelism != NAME_NONE ? spec->parallelism : 1;
	if (spec->completions != NAME_NONE && spec->completions < work->pods)
		work->pods = spec->completions;
	control->completions = spec->completions;
	/* Kubernetes sets both to 1 if neither is given. */
	if (spec->completions == NAME_NONE && spec->parallelism == NAME_NONE)
		control->completions = 1;
	control->indexed = spec->mode == 1;
	control->deadline = spec->deadline;
	control->index_limit = spec->index_limit;
	control->max_failed_indexes = spec->max_failed;
	control->backoff_limit = spec->backoff_limit;
	if (spec->backoff_limit == NAME_NONE && spec->index_limit == NAME_NONE)
		control->backoff_limit = BACKOFF_LIMIT;
}

/* The pods' default, Always, is refused (1.34, validateJobSpec); operators set it. */
static void check_restarts(struct fields *f, const struct objects_jobspec *spec)
{
	if (yaml_find(yaml_find(spec->template, "spec"), "restartPolicy") == NULL &&
	    (strcmp(f->kind, "Job") == 0 || strcmp(f->kind, "CronJob") == 0))
		fields_fault(f, FINDING_ERROR, "restart-policy-missing", spec->template,
			     "write restartPolicy: Never, or OnFailure, in the template's spec",
			     "its pods have no restartPolicy: the API server refuses such a Job");
}

static void take_gang(struct fields *f, const struct objects_jobspec *spec,
		      struct objects_work *work)
{
	bool waves = spec->completions != NAME_NONE && spec->completions > work->pods;

	if (waves && work->own.gang == 1)
		fields_fault(f, FINDING_WARNING, "input-warning", spec->template,
			     "delete gqsim/gang, or give as many completions as parallelism",
			     "gqsim/gang is true, but %u completions in turns of %u pods are no "
			     "gang: its pods work each for itself",
			     spec->completions, work->pods);
	if (waves || (work->own.gang < 0 &&
		      (spec->index_limit != NAME_NONE || spec->success_policy != NULL)))
		work->common.flags |= JOB_NOT_GANG;
	if (spec->index_limit != NAME_NONE && (work->common.flags & JOB_NOT_GANG) == 0)
		fields_finding(f, FINDING_NOT_MODELLED, spec->template,
			       "backoffLimitPerIndex of a gang: its pods may fail without limit");
}

/* Without one, which the API server takes for no Job: as Never. */
static enum err_code take_restarts(struct fields *f, const struct objects_jobspec *spec,
				   struct objects_work *work)
{
	const struct yaml_node *policy =
		yaml_find(yaml_find(spec->template, "spec"), "restartPolicy");

	if (policy != NULL && yaml_text_is(policy, "Always"))
		return fields_error(f, ERR_VALUE, policy,
				    "restartPolicy: a Job must have OnFailure or Never");
	work->control.restarts = policy != NULL && yaml_text_is(policy, "OnFailure");
	if (work->control.restarts &&
	    (spec->failure_policy != NULL || spec->index_limit != NAME_NONE))
		return fields_error(f, ERR_VALUE, policy,
				    "restartPolicy: only Never is possible with podFailurePolicy "
				    "and backoffLimitPerIndex");
	return ERR_OK;
}

enum err_code objects_jobspec_take(struct fields *f, const struct objects_jobspec *spec,
				   struct objects_work *work)
{
	size_t mark = fields_enter(f, "spec.template");
	enum err_code code = objects_pod_template(f, spec->template, &work->pod);

	fields_leave(f, mark);
	if (code == ERR_OK)
		code = check(f, spec);
	if (code != ERR_OK)
		return code;
	take_counts(spec, work);
	take_gang(f, spec, work);
	code = take_restarts(f, spec, work);
	if (code == ERR_OK && spec->failure_policy != NULL)
		code = read_failure_policy(f, spec->failure_policy, &work->control);
	if (code == ERR_OK && spec->success_policy != NULL)
		code = read_success_policy(f, spec->success_policy, &work->control);
	if (code == ERR_OK)
		code = read_min_pods(f, work);
	if (code == ERR_OK)
		code = read_elastic(f, spec, work);
	if (code == ERR_OK)
		code = check_equal(f, spec, work);
	objects_work_suspend(spec->suspend, work);
	check_restarts(f, spec);
	return code;
}
