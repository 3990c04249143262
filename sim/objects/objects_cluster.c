#include "sim/objects/objects_cluster.h"

#include <string.h>

#include "sim/scenario/template.h"

#define DEFAULT_PODS 110
#define MAX_ITEMS    1000

/* ---- Node ---- */

struct node_reading {
	struct node node;
	int64_t *capacity, *allocatable;
	uint64_t capacity_given, allocatable_given;
	bool has_allocatable;
};

static enum err_code read_capacity(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct node_reading *reading = out;

	(void)row;
	return fields_amounts(f, value, reading->capacity, &reading->capacity_given);
}

static enum err_code read_allocatable(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	struct node_reading *reading = out;

	(void)row;
	reading->has_allocatable = true;
	return fields_amounts(f, value, reading->allocatable, &reading->allocatable_given);
}

/* A node is ready unless its Ready condition says otherwise. */
static enum err_code read_conditions(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct node_reading *reading = out;
	const struct yaml_node *ready, *status;

	(void)row;
	if (fields_want_list(f, value) != ERR_OK)
		return f->err->code;
	ready = fields_condition(value, "Ready");
	if (ready == NULL)
		return ERR_OK;
	status = yaml_find(ready, "status");
	reading->node.ready = status != NULL && yaml_text_is(status, "True");
	reading->node.unreachable = status != NULL && yaml_text_is(status, "Unknown");
	return ERR_OK;
}

static enum err_code read_taints(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_taints(f, value, MAX_ITEMS, out);
}

/* Labels by which people tell pools of nodes apart, most telling first. */
static const char *const pool_labels[] = {
	"gqsim/pool",
	"nvidia.com/gpu.product",
	"cloud.google.com/gke-nodepool",
	"eks.amazonaws.com/nodegroup",
	"kubernetes.azure.com/agentpool",
	"node.kubernetes.io/instance-type",
};

static uint32_t label_of(struct fields *f, const struct label_set *labels, const char *key)
{
	uint32_t string = name_find(builder_strings(f->builder), key);

	return string == NAME_NONE ? NAME_NONE : label_value(labels, string);
}

static enum err_code read_price(struct fields *f, const struct object *object, int64_t *out)
{
	const struct yaml_node *price = yaml_find(object->annotations, "gqsim/usd-per-hour");
	int64_t nano;

	if (price == NULL)
		return ERR_OK;
	if (fields_nano(f, price, &nano) != ERR_OK)
		return f->err->code;
	*out = nano / 1000;
	return ERR_OK;
}

/* kubectl drain leaves nothing in the object but a cordon. */
static enum err_code read_drain(struct fields *f, const struct object *object, bool *out)
{
	const struct yaml_node *drain = yaml_find(object->annotations, "gqsim/drain");

	if (drain == NULL)
		return ERR_OK;
	*out = yaml_text_is(drain, "true");
	if (!*out && !yaml_text_is(drain, "false"))
		return fields_error(f, ERR_VALUE, drain,
				    "annotation gqsim/drain: \"%.60s\" is neither \"true\" nor "
				    "\"false\"",
				    drain->text);
	return ERR_OK;
}

static void default_amounts(struct node_reading *reading)
{
	static const uint32_t open_ended[] = {RES_CPU, RES_MEMORY, RES_EPHEMERAL};
	int64_t *amounts = reading->has_allocatable ? reading->allocatable : reading->capacity;
	uint64_t given =
		reading->has_allocatable ? reading->allocatable_given : reading->capacity_given;

	for (size_t i = 0; i < sizeof(open_ended) / sizeof(open_ended[0]); i++)
		if ((given >> open_ended[i] & 1) == 0)
			amounts[open_ended[i]] = RES_UNLIMITED;
	if ((given >> RES_PODS & 1) == 0)
		amounts[RES_PODS] = DEFAULT_PODS;
	reading->node.allocatable = amounts;
}

static const struct field node_spec_rows[] = {
	{.key = "unschedulable",
	 .read = fields_bool,
	 .offset = offsetof(struct node_reading, node.unschedulable)},
	{.key = "taints",
	 .read = read_taints,
	 .offset = offsetof(struct node_reading, node.taints)},
	{.key = "podCIDR"},
	{.key = "podCIDRs"},
	{.key = "providerID"},
	{.key = "configSource"},
	{.key = "externalID"},
	{.key = NULL},
};

static const struct field node_status_rows[] = {
	{.key = "capacity", .read = read_capacity},
	{.key = "allocatable", .read = read_allocatable},
	{.key = "conditions", .read = read_conditions},
	{.key = "phase"},
	{.key = "addresses"},
	{.key = "daemonEndpoints"},
	{.key = "nodeInfo"},
	{.key = "images"},
	{.key = "volumesInUse"},
	{.key = "volumesAttached"},
	{.key = "config"},
	{.key = "runtimeHandlers"},
	{.key = "features"},
	{.key = "declaredFeatures"},
	{.key = NULL},
};

enum err_code objects_node(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "spec", .read = fields_nested, .arg = node_spec_rows},
		{.key = "status", .read = fields_nested, .arg = node_status_rows},
		{.key = NULL},
	};
	struct node_reading reading = {
		.node = {.name = object->name, .ready = true, .pool = NAME_NONE},
		.capacity = builder_vector(f->builder),
		.allocatable = builder_vector(f->builder),
	};
	struct node *node = &reading.node;
	enum err_code code = fields_map(f, object->node, rows, &reading);

	if (code == ERR_OK && object->labels != NULL)
		code = fields_label_set(f, NULL, object->labels, &node->labels);
	if (code == ERR_OK)
		code = read_price(f, object, &node->micro_usd_per_hour);
	if (code == ERR_OK)
		code = read_drain(f, object, &node->drain);
	node->unschedulable = node->unschedulable || node->drain;
	if (code != ERR_OK)
		return code;
	default_amounts(&reading);
	node->zone = label_of(f, &node->labels, "topology.kubernetes.io/zone");
	for (size_t i = 0; i < sizeof(pool_labels) / sizeof(pool_labels[0]); i++)
		if (node->pool == NAME_NONE)
			node->pool = label_of(f, &node->labels, pool_labels[i]);
	builder_add(f->builder, KIND_NODE, node, object->where, object->at);
	return ERR_OK;
}

/* ---- Namespace, PriorityClass ---- */

enum err_code objects_namespace(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {OBJECT_HEAD, {.key = "spec"}, {.key = NULL}};
	struct ns_record ns = {.name = object->name};
	enum err_code code = fields_map(f, object->node, rows, &ns);

	if (code == ERR_OK && object->labels != NULL)
		code = fields_label_set(f, NULL, object->labels, &ns.labels);
	if (code == ERR_OK)
		builder_add(f->builder, KIND_NAMESPACE, &ns, object->where, object->at);
	return code;
}

static const struct fields_word preemption_policies[] = {
	{"PreemptLowerPriority", 0},
	{"Never", 1},
	{NULL, 0},
};

static enum err_code read_never(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	bool *never = out;
	int word = 0;
	enum err_code code = fields_enum(f, row, value, &word);

	*never = word != 0;
	return code;
}

enum err_code objects_priority_class(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "value",
		 .read = fields_int32,
		 .offset = offsetof(struct priority_class, value)},
		{.key = "globalDefault",
		 .read = fields_bool,
		 .offset = offsetof(struct priority_class, global_default)},
		{.key = "preemptionPolicy",
		 .read = read_never,
		 .offset = offsetof(struct priority_class, never_preempts),
		 .arg = preemption_policies},
		{.key = "description"},
		{.key = NULL},
	};
	struct priority_class class = {.name = object->name};
	enum err_code code = fields_map(f, object->node, rows, &class);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_PRIORITY_CLASS, &class, object->where, object->at);
	return code;
}

/* ---- ResourceQuota ---- */

struct quota_reading {
	struct resource_quota quota;
	int64_t *hard, *limits;
	const struct yaml_node *unmodelled; /* a key that is not followed here; NULL */
};

static bool starts_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Objects are not counted, but for pods; nor is storage. */
static bool counts_here(const char *key)
{
	static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "pods"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(key, names[i]) == 0)
			return true;
	}
	if (starts_with(key, "requests."))
		return strcmp(key, "requests.storage") != 0;
	return starts_with(key, "limits.") ||
	       (strchr(key, '/') != NULL && !starts_with(key, "count/"));
}

static enum err_code read_hard_amount(struct fields *f, const struct yaml_pair *pair,
				      struct quota_reading *reading)
{
	const char *key = pair->key->text, *dot = strchr(key, '.');
	bool prefixed = starts_with(key, "requests.") || starts_with(key, "limits.");
	int64_t *hard = starts_with(key, "limits.") ? reading->limits : reading->hard, amount;
	uint32_t resource;
	enum err_code code =
		fields_resource(f, pair->key, prefixed ? (size_t)(dot - key) + 1 : 0, &resource);
	size_t mark;

	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, key);
	code = fields_amount(f, pair->value, resource, &amount);
	fields_leave(f, mark);
	if (code != ERR_OK || (hard[resource] >= 0 && amount >= hard[resource]))
		return code;
	hard[resource] = amount;
	if (hard == reading->limits)
		reading->quota.hard_limits = hard;
	else if (prefixed)
		reading->quota.plain &= ~(UINT64_C(1) << resource);
	else
		reading->quota.plain |= UINT64_C(1) << resource;
	return ERR_OK;
}

static enum err_code read_hard(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct quota_reading *reading = out;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		if (counts_here(value->pairs[i].key->text))
			code = read_hard_amount(f, &value->pairs[i], reading);
		else
			reading->unmodelled = value->pairs[i].key;
	}
	return code;
}

static const struct fields_word scope_names[] = {
	{"Terminating", SCOPE_TERMINATING},
	{"NotTerminating", SCOPE_NOT_TERMINATING},
	{"BestEffort", SCOPE_BEST_EFFORT},
	{"NotBestEffort", SCOPE_NOT_BEST_EFFORT},
	{"PriorityClass", SCOPE_PRIORITY_CLASS},
	{"CrossNamespacePodAffinity", SCOPE_CROSS_NAMESPACE},
	{NULL, 0},
};

static const struct fields_word scope_operators[] = {
	{"In", MATCH_IN},
	{"NotIn", MATCH_NOT_IN},
	{"Exists", MATCH_EXISTS},
	{"DoesNotExist", MATCH_DOES_NOT_EXIST},
	{NULL, 0},
};

struct scope_reading {
	struct quota_scope scope;
	int name, op;
};

static enum err_code read_scope_values(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	struct scope_reading *reading = out;

	(void)row;
	return fields_strings(f, value, MAX_ITEMS, &reading->scope.values,
			      &reading->scope.value_count);
}

/* {scopeName, operator, values} */
static enum err_code read_scope_item(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "scopeName",
		 .read = fields_enum,
		 .offset = offsetof(struct scope_reading, name),
		 .arg = scope_names,
		 .required = true},
		{.key = "operator",
		 .read = fields_enum,
		 .offset = offsetof(struct scope_reading, op),
		 .arg = scope_operators,
		 .required = true},
		{.key = "values", .read = read_scope_values},
		{.key = NULL},
	};
	struct scope_reading reading = {.op = MATCH_EXISTS};
	struct quota_scope *scope = out;
	enum err_code code = fields_map(f, value, rows, &reading);

	(void)row;
	*scope = reading.scope;
	scope->name = (enum quota_scope_name)reading.name;
	scope->op = (enum match_op)reading.op;
	return code;
}

/* A name alone. */
static enum err_code read_scope_name(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	static const struct field word = {.arg = scope_names};
	struct quota_scope *scope = out;
	int name = 0;
	enum err_code code = fields_enum(f, &word, value, &name);

	(void)row;
	*scope = (struct quota_scope){.name = (enum quota_scope_name)name, .op = MATCH_EXISTS};
	return code;
}

/* Behind those that are there already. */
static enum err_code add_scopes(struct fields *f, const struct yaml_node *value, fields_read *read,
				struct resource_quota *quota)
{
	uint32_t count = 0, before = quota->scope_count;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, read, sizeof(struct quota_scope), MAX_ITEMS, &items, &count);
	struct quota_scope *all;

	if (code != ERR_OK || count == 0)
		return code;
	all = mem_arena_alloc(f->arena, (before + count) * sizeof(*all));
	if (before != 0)
		memcpy(all, quota->scopes, before * sizeof(*all));
	memcpy(all + before, items, count * sizeof(*all));
	quota->scopes = all;
	quota->scope_count = before + count;
	return ERR_OK;
}

static enum err_code read_scopes(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct quota_reading *reading = out;

	(void)row;
	return add_scopes(f, value, read_scope_name, &reading->quota);
}

static enum err_code read_scope_selector(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	struct quota_reading *reading = out;

	(void)row;
	return add_scopes(f, value, read_scope_item, &reading->quota);
}

static int64_t *unlimited(struct fields *f)
{
	int64_t *vector = builder_vector(f->builder);

	for (uint32_t r = 0; r < RES_MAX; r++)
		vector[r] = -1;
	return vector;
}

enum err_code objects_resource_quota(struct fields *f, const struct object *object)
{
	static const struct field selector_rows[] = {
		{.key = "matchExpressions", .read = read_scope_selector},
		{.key = NULL},
	};
	static const struct field spec_rows[] = {
		{.key = "hard", .read = read_hard},
		{.key = "scopes", .read = read_scopes},
		{.key = "scopeSelector", .read = fields_nested, .arg = selector_rows},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows},
		{.key = NULL},
	};
	struct quota_reading reading = {.quota = {.name = object->name, .ns = object->ns},
					.hard = unlimited(f),
					.limits = unlimited(f)};
	enum err_code code = fields_map(f, object->node, rows, &reading);

	if (code != ERR_OK)
		return code;
	reading.quota.hard = reading.hard;
	reading.quota.hard_pods = reading.hard[RES_PODS];
	if (reading.unmodelled != NULL)
		fields_finding(f, FINDING_NOT_MODELLED, reading.unmodelled,
			       "requests, limits and pods are counted; storage and counts of other "
			       "objects are not modelled");
	builder_add(f->builder, KIND_RESOURCE_QUOTA, &reading.quota, object->where, object->at);
	return ERR_OK;
}

/* ---- LimitRange ---- */

struct limit_reading {
	struct limit_range_item item;
	int type;
};

enum { LIMIT_CONTAINER, LIMIT_POD, LIMIT_OTHER };

static const struct fields_word limit_types[] = {
	{"Container", LIMIT_CONTAINER},
	{"Pod", LIMIT_POD},
	{"PersistentVolumeClaim", LIMIT_OTHER},
	{NULL, 0},
};

static enum err_code read_limit(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	const int64_t **vector = out;
	int64_t *amounts = builder_vector(f->builder);
	uint64_t given = 0;
	enum err_code code = fields_amounts(f, value, amounts, &given);

	(void)row;
	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((given >> r & 1) == 0)
			amounts[r] = -1;
	*vector = amounts;
	return code;
}

/* A ratio has no unit: thousandths for every resource. */
static enum err_code read_ratio(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	const int64_t **vector = out;
	int64_t *ratios = builder_vector(f->builder);
	enum err_code code = fields_want_map(f, value);

	(void)row;
	for (uint32_t r = 0; r < RES_MAX; r++)
		ratios[r] = -1;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		const struct yaml_pair *pair = &value->pairs[i];
		uint32_t resource = 0;
		size_t mark;

		code = fields_resource(f, pair->key, 0, &resource);
		if (code != ERR_OK)
			break;
		mark = fields_enter(f, pair->key->text);
		code = fields_amount(f, pair->value, RES_CPU, &ratios[resource]);
		fields_leave(f, mark);
	}
	*vector = ratios;
	return code;
}

static const int64_t *filled(struct fields *f, const int64_t *vector, const int64_t *from)
{
	int64_t *out;

	if (from == NULL)
		return vector;
	out = builder_vector(f->builder);
	for (uint32_t r = 0; r < RES_MAX; r++)
		out[r] = vector != NULL && vector[r] >= 0 ? vector[r] : from[r];
	return out;
}

/* What the API server adds to a Container item: the maximum is the default limit,
 * that is the default request, and so is the minimum after it. */
static void default_limits(struct fields *f, struct limit_range_item *item)
{
	item->default_limit = filled(f, item->default_limit, item->max);
	item->default_request = filled(f, item->default_request, item->default_limit);
	item->default_request = filled(f, item->default_request, item->min);
}

#define LIMIT(member) offsetof(struct limit_reading, item.member)

static enum err_code read_limit_item(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "type",
		 .read = fields_enum,
		 .offset = offsetof(struct limit_reading, type),
		 .arg = limit_types,
		 .required = true},
		{.key = "max", .read = read_limit, .offset = LIMIT(max)},
		{.key = "min", .read = read_limit, .offset = LIMIT(min)},
		{.key = "defaultRequest", .read = read_limit, .offset = LIMIT(default_request)},
		{.key = "default", .read = read_limit, .offset = LIMIT(default_limit)},
		{.key = "maxLimitRequestRatio", .read = read_ratio, .offset = LIMIT(max_ratio)},
		{.key = NULL},
	};
	struct limit_reading *reading = out;
	enum err_code code;

	(void)row;
	code = fields_map(f, value, rows, reading);
	reading->item.pod = reading->type == LIMIT_POD;
	if (code == ERR_OK && reading->type == LIMIT_CONTAINER)
		default_limits(f, &reading->item);
	return code;
}

static enum err_code read_limits(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct limit_range *range = out;
	struct limit_range_item *items;
	struct limit_reading *readings;
	void *list = NULL;
	uint32_t count = 0;
	enum err_code code = fields_list(f, value, read_limit_item, sizeof(struct limit_reading),
					 MAX_ITEMS, &list, &count);

	(void)row;
	if (code != ERR_OK)
		return code;
	readings = list;
	items = mem_arena_alloc(builder_arena(f->builder), count * sizeof(*items));
	for (uint32_t i = 0; i < count; i++)
		if (readings[i].type != LIMIT_OTHER)
			items[range->item_count++] = readings[i].item;
	range->items = items;
	return ERR_OK;
}

enum err_code objects_limit_range(struct fields *f, const struct object *object)
{
	static const struct field spec_rows[] = {
		{.key = "limits", .read = read_limits, .required = true},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows},
		{.key = NULL},
	};
	struct limit_range range = {.name = object->name, .ns = object->ns};
	enum err_code code = fields_map(f, object->node, rows, &range);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_LIMIT_RANGE, &range, object->where, object->at);
	return code;
}

/* ---- RuntimeClass ---- */

static enum err_code read_overhead(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct runtime_class *class = out;
	int64_t *overhead = builder_vector(f->builder);
	uint64_t given = 0;

	(void)row;
	class->overhead = overhead;
	return fields_amounts(f, value, overhead, &given);
}

enum err_code objects_runtime_class(struct fields *f, const struct object *object)
{
	static const struct field overhead_rows[] = {
		{.key = "podFixed", .read = read_overhead},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "handler"},
		{.key = "overhead", .read = fields_nested, .arg = overhead_rows},
		{.key = "scheduling"},
		{.key = NULL},
	};
	struct runtime_class class = {.name = object->name};
	enum err_code code = fields_map(f, object->node, rows, &class);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_RUNTIME_CLASS, &class, object->where, object->at);
	return code;
}
