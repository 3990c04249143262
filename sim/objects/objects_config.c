#include "sim/objects/objects_config.h"

#include <string.h>

#include "sim/objects/objects_metrics.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/yaml/yaml_scalar.h"

#define MAX_ITEMS	 1000
#define DEFAULT_SAMPLING (5 * CLOCK_MINUTE)  /* of usage; 0 means it too */
#define DEFAULT_TIMEOUT	 (30 * CLOCK_MINUTE) /* of pods to be ready; 0 means it too */

struct config_reading {
	struct kueue_config config;
	bool fair_enable; /* v1beta1 */
	bool wait_enable; /* v1beta1 */
};

#define CONFIG(member) offsetof(struct config_reading, config.member)

/* ---- waitForPodsReady ---- */

static const struct fields_word timestamps[] = {
	{"Eviction", 0},
	{"Creation", 1},
	{NULL, 0},
};

static enum err_code read_timestamp(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	bool *creation = out;
	int word = 0;
	enum err_code code = fields_enum(f, row, value, &word);

	*creation = word != 0;
	return code;
}

static enum err_code read_limit_count(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_int_between(f, value, 0, INT32_MAX, out);
}

static const struct field requeuing_rows[] = {
	{.key = "timestamp",
	 .read = read_timestamp,
	 .offset = CONFIG(requeue_by_creation),
	 .arg = timestamps},
	{.key = "backoffLimitCount", .read = read_limit_count, .offset = CONFIG(requeue_limit)},
	{.key = "backoffBaseSeconds", .read = fields_seconds, .offset = CONFIG(requeue_base)},
	{.key = "backoffMaxSeconds", .read = fields_seconds, .offset = CONFIG(requeue_max)},
	{.key = NULL},
};

static enum err_code read_wait(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "enable",
		 .read = fields_bool,
		 .offset = offsetof(struct config_reading, wait_enable),
		 .only = FIELDS_OLD,
		 .instead = "no switch: waitForPodsReady is on when it is there"},
		{.key = "timeout",
		 .read = fields_go_duration,
		 .offset = CONFIG(pods_ready_timeout)},
		{.key = "recoveryTimeout",
		 .read = fields_go_duration,
		 .offset = CONFIG(recovery_timeout)},
		{.key = "blockAdmission", .read = fields_bool, .offset = CONFIG(block_admission)},
		{.key = "requeuingStrategy", .read = fields_nested, .arg = requeuing_rows},
		{.key = NULL},
	};
	struct config_reading *reading = out;
	struct kueue_config *config = &reading->config;
	enum err_code code;

	(void)row;
	code = fields_map(f, value, rows, reading);
	if (code != ERR_OK)
		return code;
	config->wait_for_pods_ready = f->version == FIELDS_NEW || reading->wait_enable;
	if (f->version == FIELDS_OLD && yaml_find(value, "timeout") == NULL)
		config->pods_ready_timeout = 5 * CLOCK_MINUTE;
	if (f->version == FIELDS_NEW && config->pods_ready_timeout == 0)
		config->pods_ready_timeout = DEFAULT_TIMEOUT;
	if (f->version == FIELDS_OLD && yaml_find(value, "blockAdmission") == NULL)
		config->block_admission = config->wait_for_pods_ready;
	if (yaml_find(value, "recoveryTimeout") == NULL)
		config->recovery_timeout = config->pods_ready_timeout;
	return ERR_OK;
}

/* ---- fair sharing ---- */

static const struct fields_word share_words[] = {
	{"LessThanOrEqualToFinalShare", FAIR_FINAL_SHARE},
	{"LessThanInitialShare", FAIR_INITIAL_SHARE},
	{NULL, 0},
};

static enum err_code read_share(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct field words = {.key = "preemptionStrategies", .arg = share_words};

	(void)row;
	return fields_enum(f, &words, value, out);
}

static enum err_code read_strategies(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct kueue_config *config = out;
	void *items = NULL;
	uint32_t count = 0;
	const int *words;

	(void)row;
	if (fields_list(f, value, read_share, sizeof(int), MAX_ITEMS, &items, &count) != ERR_OK)
		return f->err->code;
	words = items;
	if (count == 0 || count > 2 ||
	    (count == 2 && (words[0] != FAIR_FINAL_SHARE || words[1] != FAIR_INITIAL_SHARE)))
		return fields_error(f, ERR_VALUE, value,
				    "must be [LessThanOrEqualToFinalShare], "
				    "[LessThanInitialShare] or both in that order");
	config->fair_strategies[0] = (uint8_t)words[0];
	config->fair_strategies[1] = count == 2 ? (uint8_t)words[1] : 0;
	return ERR_OK;
}

static enum err_code read_fair_sharing(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "enable",
		 .read = fields_bool,
		 .offset = offsetof(struct config_reading, fair_enable),
		 .only = FIELDS_OLD,
		 .instead = "no switch: fairSharing is on when it is there"},
		{.key = "preemptionStrategies",
		 .read = read_strategies,
		 .offset = offsetof(struct config_reading, config)},
		{.key = NULL},
	};
	struct config_reading *reading = out;
	struct kueue_config *config = &reading->config;
	enum err_code code;

	(void)row;
	config->fair_strategies[0] = FAIR_FINAL_SHARE;
	config->fair_strategies[1] = FAIR_INITIAL_SHARE;
	code = fields_map(f, value, rows, reading);
	config->fair_sharing = f->version == FIELDS_NEW || reading->fair_enable;
	return code;
}

static enum err_code read_usage_weights(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	const int64_t **weights = out;
	int64_t *vector = builder_vector(f->builder);
	enum err_code code = fields_want_map(f, value);

	(void)row;
	for (uint32_t r = 0; r < RES_MAX; r++)
		vector[r] = INT64_C(1000000000);
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		uint32_t resource;

		code = fields_resource(f, value->pairs[i].key, 0, &resource);
		if (code == ERR_OK)
			code = fields_nano(f, value->pairs[i].value, &vector[resource]);
	}
	*weights = vector;
	return code;
}

static enum err_code read_admission_sharing(struct fields *f, const struct field *row,
					    const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "usageHalfLifeTime",
		 .read = fields_go_duration,
		 .offset = CONFIG(usage_half_life)},
		{.key = "usageSamplingInterval",
		 .read = fields_go_duration,
		 .offset = CONFIG(usage_sampling)},
		{.key = "resourceWeights",
		 .read = read_usage_weights,
		 .offset = CONFIG(usage_weights)},
		{.key = NULL},
	};
	struct config_reading *reading = out;
	enum err_code code;

	(void)row;
	reading->config.admission_fair_sharing = true;
	code = fields_map(f, value, rows, reading);
	if (code == ERR_OK && reading->config.usage_sampling == 0)
		reading->config.usage_sampling = DEFAULT_SAMPLING;
	return code;
}

/* ---- resources ---- */

static enum err_code read_prefixes(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct kueue_config *config = out;

	(void)row;
	return fields_strings(f, value, MAX_ITEMS, &config->excluded_prefixes,
			      &config->excluded_prefix_count);
}

static const struct fields_word transformation_words[] = {
	{"Retain", 0},
	{"Replace", 1},
	{NULL, 0},
};

static enum err_code read_replace(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	bool *replace = out;
	int word = 0;
	enum err_code code = fields_enum(f, row, value, &word);

	*replace = word != 0;
	return code;
}

static enum err_code read_resource(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_resource(f, value, 0, out);
}

/* A factor beyond the range of nano units has no fraction that matters. */
static enum err_code read_factor(struct fields *f, const struct yaml_node *value, int64_t *nano,
				 int64_t *whole)
{
	if (fields_nano(f, value, nano) != ERR_OK)
		return f->err->code;
	return fields_whole(f, value, whole);
}

static enum err_code read_outputs(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct transformation *transformation = out;
	struct mem_arena *arena = builder_arena(f->builder);
	uint32_t *outputs;
	int64_t *factors, *wholes;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	outputs = mem_arena_alloc(arena, value->count * sizeof(*outputs));
	factors = mem_arena_alloc(arena, value->count * sizeof(*factors));
	wholes = mem_arena_alloc(arena, value->count * sizeof(*wholes));
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		size_t mark = fields_enter(f, value->pairs[i].key->text);

		code = fields_resource(f, value->pairs[i].key, 0, &outputs[i]);
		if (code == ERR_OK)
			code = read_factor(f, value->pairs[i].value, &factors[i], &wholes[i]);
		fields_leave(f, mark);
	}
	transformation->outputs = outputs;
	transformation->factors = factors;
	transformation->whole_factors = wholes;
	transformation->output_count = value->count;
	return code;
}

static enum err_code read_transformation(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "input",
		 .read = read_resource,
		 .offset = offsetof(struct transformation, input),
		 .required = true},
		{.key = "strategy",
		 .read = read_replace,
		 .offset = offsetof(struct transformation, replace),
		 .arg = transformation_words},
		{.key = "multiplyBy",
		 .read = read_resource,
		 .offset = offsetof(struct transformation, multiply_by)},
		{.key = "outputs", .read = read_outputs},
		{.key = NULL},
	};
	struct transformation *transformation = out;

	(void)row;
	transformation->multiply_by = SCENARIO_NONE;
	return fields_map(f, value, rows, out);
}

static enum err_code read_transformations(struct fields *f, const struct field *row,
					  const struct yaml_node *value, void *out)
{
	struct kueue_config *config = out;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, read_transformation, sizeof(struct transformation), MAX_ITEMS,
			    &items, &config->transformation_count);

	(void)row;
	config->transformations = items;
	return code;
}

static enum err_code read_device_classes(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	if (fields_want_list(f, value) != ERR_OK)
		return f->err->code;
	return value->count == 0 ? ERR_OK
				 : fields_not_modelled(f, value, "resources.deviceClassMappings");
}

static const struct fields_word check_words[] = {
	{"BlockUndeclared", 0},
	{"IgnoreUndeclared", 1},
	{NULL, 0},
};

static const struct field resource_rows[] = {
	{.key = "excludeResourcePrefixes",
	 .read = read_prefixes,
	 .offset = offsetof(struct config_reading, config)},
	{.key = "transformations",
	 .read = read_transformations,
	 .offset = offsetof(struct config_reading, config)},
	{.key = "quotaCheckStrategy",
	 .read = read_replace,
	 .offset = CONFIG(ignore_undeclared),
	 .arg = check_words,
	 .only = FIELDS_NEW,
	 .instead = "no such switch"},
	{.key = "deviceClassMappings", .read = read_device_classes},
	{.key = NULL},
};

/* ---- metrics ---- */

static enum err_code read_queue_metrics(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "enable", .read = fields_bool, .offset = CONFIG(local_metrics)},
		{.key = "localQueueSelector",
		 .read = fields_selector,
		 .offset = CONFIG(local_metrics_of)},
		{.key = NULL},
	};
	struct config_reading *reading = out;

	(void)row;
	reading->config.local_metrics = false; /* on by default only where all of this is missing */
	return fields_map(f, value, rows, reading);
}

static const struct field metric_rows[] = {
	{.key = "bindAddress"},
	{.key = "enableClusterQueueResources",
	 .read = fields_bool,
	 .offset = CONFIG(resource_metrics)},
	{.key = "customLabels",
	 .read = objects_metrics_labels,
	 .offset = offsetof(struct config_reading, config)},
	{.key = "localQueueMetrics", .read = read_queue_metrics},
	{.key = NULL},
};

/* ---- what decides nothing, or not here ---- */

static const struct field webhook_rows[] = {
	{.key = "port"},
	{.key = "host"},
	{.key = "certDir"},
	{.key = NULL},
};

static const struct field health_rows[] = {
	{.key = "healthProbeBindAddress"},
	{.key = "readinessEndpointName"},
	{.key = "livenessEndpointName"},
	{.key = NULL},
};

static const struct field controller_rows[] = {
	{.key = "groupKindConcurrency"},
	{.key = "cacheSyncTimeout"},
	{.key = NULL},
};

static const struct field certificate_rows[] = {
	{.key = "enable"},
	{.key = "webhookServiceName"},
	{.key = "webhookSecretName"},
	{.key = NULL},
};

static const struct field client_rows[] = {
	{.key = "qps"},
	{.key = "burst"},
	{.key = NULL},
};

static const struct field tls_rows[] = {
	{.key = "minVersion"},
	{.key = "cipherSuites"},
	{.key = "curvePreferences"},
	{.key = NULL},
};

static const struct field pod_option_rows[] = {
	{.key = "namespaceSelector"},
	{.key = "podSelector"},
	{.key = NULL},
};

/* Jobs are managed whatever is listed: an installation that has them has the rest of
 * its objects for them. */
static enum err_code read_frameworks(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	enum err_code code = fields_want_list(f, value);

	(void)row;
	(void)out;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		if (yaml_text_is(value->items[i], "batch/job"))
			return ERR_OK;
	}
	if (code != ERR_OK || value->count == 0)
		return code;
	return fields_not_modelled(f, value,
				   "integrations.frameworks without batch/job (Jobs are managed "
				   "all the same)");
}

static const struct field integration_rows[] = {
	{.key = "frameworks", .read = read_frameworks},
	{.key = "externalFrameworks"},
	{.key = "podOptions",
	 .read = fields_nested,
	 .arg = pod_option_rows,
	 .only = FIELDS_OLD,
	 .instead = "managedJobsNamespaceSelector",
	 .deprecated = "write managedJobsNamespaceSelector"},
	{.key = "labelKeysToCopy"},
	{.key = NULL},
};

static const struct field dispatcher_rows[] = {
	{.key = "stepSize"},
	{.key = NULL},
};

static const struct field profile_rows[] = {
	{.key = "accessProviders"},
	{.key = "credentialsProviders", .deprecated = "write accessProviders"},
	{.key = NULL},
};

static const struct field multikueue_rows[] = {
	{.key = "gcInterval"},
	{.key = "origin"},
	{.key = "workerLostTimeout"},
	{.key = "dispatcherName"},
	{.key = "externalFrameworks"},
	{.key = "clusterProfile",
	 .read = fields_nested,
	 .arg = profile_rows,
	 .only = FIELDS_NEW,
	 .instead = "no cluster profiles"},
	{.key = "incrementalDispatcherConfig",
	 .read = fields_nested,
	 .arg = dispatcher_rows,
	 .only = FIELDS_NEW,
	 .instead = "no settings of dispatchers"},
	{.key = NULL},
};

static const struct field retention_rows[] = {
	{.key = "afterFinished"},
	{.key = "afterDeactivatedByKueue"},
	{.key = NULL},
};

static const struct field retentions_rows[] = {
	{.key = "workloads", .read = fields_nested, .arg = retention_rows},
	{.key = NULL},
};

static const struct field visibility_rows[] = {
	{.key = "bindAddress"},
	{.key = "bindPort"},
	{.key = NULL},
};

static const struct field cluster_queue_visibility_rows[] = {
	{.key = "maxCount"},
	{.key = NULL},
};

static const struct field queue_visibility_rows[] = {
	{.key = "clusterQueues", .read = fields_nested, .arg = cluster_queue_visibility_rows},
	{.key = "updateIntervalSeconds"},
	{.key = NULL},
};

/* ---- feature gates and the whole ---- */

static enum err_code check_gate(struct fields *f, const struct yaml_pair *pair, bool value)
{
	char text[256];

	if (!kueue_gates_finding(pair->key->text, value, text, sizeof(text)))
		return ERR_OK;
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, pair->key, "%s; --strict was given", text);
	fields_fault(f, FINDING_WARNING, "unknown-feature-gate", pair->key,
		     "delete the gate, or correct its name", "%s", text);
	return ERR_OK;
}

static enum err_code read_gates(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct kueue_config *config = out;
	uint32_t *gates;
	bool *values;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	gates = mem_arena_alloc(builder_arena(f->builder), value->count * sizeof(*gates));
	values = mem_arena_alloc(builder_arena(f->builder), value->count * sizeof(*values));
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		const struct yaml_pair *pair = &value->pairs[i];
		size_t mark = fields_enter(f, pair->key->text);

		gates[i] = builder_string(f->builder, pair->key->text, pair->key->count);
		code = fields_bool(f, NULL, pair->value, &values[i]);
		if (code == ERR_OK)
			code = check_gate(f, pair, values[i]);
		fields_leave(f, mark);
	}
	config->gates = gates;
	config->gate_values = values;
	config->gate_count = value->count;
	return code;
}

static const struct field config_rows[] = {
	OBJECT_HEAD,
	{.key = "manageJobsWithoutQueueName",
	 .read = fields_bool,
	 .offset = CONFIG(manage_jobs_without_queue_name)},
	{.key = "waitForPodsReady", .read = read_wait},
	{.key = "fairSharing", .read = read_fair_sharing},
	{.key = "admissionFairSharing", .read = read_admission_sharing},
	{.key = "resources", .read = fields_nested, .arg = resource_rows},
	{.key = "featureGates",
	 .read = read_gates,
	 .offset = offsetof(struct config_reading, config)},
	{.key = "namespace", .read = fields_string, .offset = CONFIG(kueue_namespace)},
	{.key = "managedJobsNamespaceSelector",
	 .read = fields_selector,
	 .offset = CONFIG(managed_namespaces)},
	{.key = "health", .read = fields_nested, .arg = health_rows},
	{.key = "metrics", .read = fields_nested, .arg = metric_rows},
	{.key = "webhook", .read = fields_nested, .arg = webhook_rows},
	{.key = "leaderElection"},
	{.key = "controller", .read = fields_nested, .arg = controller_rows},
	{.key = "pprofBindAddress"},
	{.key = "clientConnection", .read = fields_nested, .arg = client_rows},
	{.key = "internalCertManagement", .read = fields_nested, .arg = certificate_rows},
	{.key = "integrations", .read = fields_nested, .arg = integration_rows},
	{.key = "queueVisibility",
	 .read = fields_nested,
	 .arg = queue_visibility_rows,
	 .only = FIELDS_OLD,
	 .instead = "visibilityServer",
	 .deprecated = "delete it: pending workloads are shown on demand"},
	{.key = "multiKueue", .read = fields_nested, .arg = multikueue_rows},
	{.key = "objectRetentionPolicies", .read = fields_nested, .arg = retentions_rows},
	{.key = "visibilityServer",
	 .read = fields_nested,
	 .arg = visibility_rows,
	 .only = FIELDS_NEW,
	 .instead = "queueVisibility"},
	{.key = "tls", .read = fields_nested, .arg = tls_rows},
	{.key = NULL},
};

enum err_code objects_config(struct fields *f, const struct object *object)
{
	struct config_reading reading = {.config = builder_config_defaults()};
	struct kueue_gates gates;
	char conflict[1000];
	enum err_code code;

	if (f->version == FIELDS_OLD) /* v1beta1: only when asked for */
		reading.config.wait_for_pods_ready = false;
	code = fields_map(f, object->node, config_rows, &reading);
	if (code != ERR_OK)
		return code;
	gates = kueue_gates_read(&reading.config, builder_strings(f->builder));
	if (kueue_gates_conflict(&reading.config, builder_strings(f->builder), conflict,
				 sizeof(conflict)))
		fields_fault(f, FINDING_WARNING, "input-warning", object->node,
			     "set these gates to false, too, or switch the first on",
			     "featureGates: Kueue would not start: %s: switch off these, too",
			     conflict);
	if (reading.config.metric_label_count != 0 && !gates.custom_labels)
		fields_fault(f, FINDING_WARNING, "input-warning",
			     yaml_find(object->node, "metrics"),
			     "set featureGates: {CustomMetricLabels: true}",
			     "metrics.customLabels has no effect while the feature gate "
			     "CustomMetricLabels is off");
	if (reading.config.ignore_undeclared && gates.quota_check &&
	    reading.config.excluded_prefix_count > 0)
		return fields_error(f, ERR_VALUE, yaml_find(object->node, "resources"),
				    "resources: excludeResourcePrefixes is not allowed when "
				    "quotaCheckStrategy is IgnoreUndeclared");
	builder_config(f->builder, &reading.config, object->where);
	return ERR_OK;
}
