#include "sim/objects/objects_provisioning.h"

#include "sim/scenario/provisioning.h"

#define PROVISIONING "kueue.x-k8s.io/provisioning-request"
#define MULTIKUEUE   "kueue.x-k8s.io/multikueue"
#define MAX_MANAGED  100
#define NAME_MAX_LEN 253

/* ---- AdmissionCheck ---- */

static enum err_code read_controller(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct admission_check *check = out;

	check->provisions = yaml_text_is(value, PROVISIONING);
	check->multikueue = yaml_text_is(value, MULTIKUEUE);
	if (check->multikueue &&
	    fields_not_modelled(f, value, "MultiKueue (its jobs run in this cluster)") != ERR_OK)
		return f->err->code;
	return fields_string(f, row, value, &check->controller);
}

/* Kueue's controller keeps this condition; a manifest that has none gets it from the
 * config that it names. */
static enum err_code read_conditions(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct admission_check *check = out;
	const struct yaml_node *active, *status;

	(void)row;
	if (fields_want_list(f, value) != ERR_OK)
		return f->err->code;
	active = fields_condition(value, "Active");
	if (active == NULL)
		return ERR_OK;
	status = yaml_find(active, "status");
	check->active = status != NULL && yaml_text_is(status, "True");
	return ERR_OK;
}

enum err_code objects_check(struct fields *f, const struct object *object)
{
	static const struct field parameter_rows[] = {
		{.key = "apiGroup"},
		{.key = "kind"},
		{.key = "name",
		 .read = fields_string,
		 .offset = offsetof(struct admission_check, config_name)},
		{.key = NULL},
	};
	static const struct field spec_rows[] = {
		{.key = "controllerName", .read = read_controller, .required = true},
		{.key = "parameters", .read = fields_nested, .arg = parameter_rows},
		{.key = "retryDelayMinutes",
		 .only = FIELDS_OLD,
		 .instead = "no delay of its own: a ProvisioningRequestConfig has retryStrategy",
		 .deprecated = "delete it: Kueue has not heeded it since 0.8; a "
			       "ProvisioningRequestConfig has retryStrategy"},
		{.key = NULL},
	};
	static const struct field status_rows[] = {
		{.key = "conditions", .read = read_conditions},
		{.key = NULL},
	};
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = "status", .read = fields_nested, .arg = status_rows},
		{.key = NULL},
	};
	struct admission_check check = {.name = object->name,
					.controller = NAME_NONE,
					.config_name = NAME_NONE,
					.config = SCENARIO_NONE};
	enum err_code code = fields_map(f, object->node, rows, &check);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_CHECK, &check, object->where, object->at);
	return code;
}

/* ---- ProvisioningRequestConfig ---- */

static enum err_code read_class(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	if (fields_string(f, row, value, out) != ERR_OK)
		return f->err->code;
	if (value->count == 0 || value->count > NAME_MAX_LEN)
		return fields_error(f, ERR_VALUE, value, "must have 1 to %d characters",
				    NAME_MAX_LEN);
	if (provisioning_class_of(value->text) != PROVISIONING_OTHER)
		return ERR_OK;
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, value,
				    "\"%.100s\" is not modelled, and --strict was given",
				    value->text);
	fields_finding(f, FINDING_NOT_MODELLED, value,
		       "%.100s is not modelled: nobody answers its requests, and jobs that need "
		       "nodes from it wait for ever",
		       value->text);
	return ERR_OK;
}

static enum err_code read_managed(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	uint64_t *managed = out;

	(void)row;
	if (fields_want_list(f, value) != ERR_OK)
		return f->err->code;
	if (value->count > MAX_MANAGED)
		return fields_error(f, ERR_LIMIT, value, "%u resources; at most %d are possible",
				    value->count, MAX_MANAGED);
	for (uint32_t i = 0; i < value->count; i++) {
		size_t mark = fields_enter_index(f, i);
		uint32_t resource;

		if (fields_want_text(f, value->items[i]) != ERR_OK ||
		    fields_resource(f, value->items[i], 0, &resource) != ERR_OK)
			return f->err->code;
		*managed |= UINT64_C(1) << resource;
		fields_leave(f, mark);
	}
	return ERR_OK;
}

static enum err_code read_back_off(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	simtime *time = out;
	int64_t seconds;

	(void)row;
	if (fields_int_between(f, value, 0, INT32_MAX, &seconds) != ERR_OK)
		return f->err->code;
	*time = seconds * CLOCK_SECOND;
	return ERR_OK;
}

static const struct fields_word merge_policies[] = {
	{"IdenticalPodTemplates", 0},
	{"IdenticalWorkloadSchedulingRequirements", 1},
	{NULL, 0},
};

/* Pod sets that are merged ask for the same pods in fewer items: no difference here. */
static enum err_code read_merge_policy(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	int policy;

	(void)out;
	return fields_enum(f, &(const struct field){.key = row->key, .arg = merge_policies}, value,
			   &policy);
}

#define CONFIG(member) offsetof(struct provisioning_config, member)

static const struct field retry_rows[] = {
	{.key = "backoffLimitCount", .read = fields_count, .offset = CONFIG(backoff_limit)},
	{.key = "backoffBaseSeconds", .read = read_back_off, .offset = CONFIG(backoff_base)},
	{.key = "backoffMaxSeconds", .read = read_back_off, .offset = CONFIG(backoff_max)},
	{.key = NULL},
};

/* The modelled classes give no details, and Kueue passes over those it does not find. */
static const struct field config_spec_rows[] = {
	{.key = "provisioningClassName",
	 .read = read_class,
	 .offset = CONFIG(class_name),
	 .required = true},
	{.key = "parameters", .read = fields_label_set, .offset = CONFIG(parameters)},
	{.key = "managedResources", .read = read_managed, .offset = CONFIG(managed)},
	{.key = "retryStrategy", .read = fields_nested, .arg = retry_rows},
	{.key = "podSetUpdates"},
	{.key = "podSetMergePolicy", .read = read_merge_policy},
	{.key = NULL},
};

enum err_code objects_provisioning_config(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = config_spec_rows, .required = true},
		{.key = NULL},
	};
	struct provisioning_config config = {.name = object->name,
					     .class_name = NAME_NONE,
					     .backoff_base = 60 * CLOCK_SECOND,
					     .backoff_max = 1800 * CLOCK_SECOND,
					     .backoff_limit = 3};
	enum err_code code = fields_map(f, object->node, rows, &config);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_PROVISIONING_CONFIG, &config, object->where,
			    object->at);
	return code;
}
