#include "sim/objects/objects.h"

#include <stdio.h>
#include <string.h>

#include "sim/load/jobchange.h"
#include "sim/objects/object_keys.h"
#include "sim/objects/object_versions.h"
#include "sim/objects/objects_appwrapper.h"
#include "sim/objects/objects_barepod.h"
#include "sim/objects/objects_budget.h"
#include "sim/objects/objects_cluster.h"
#include "sim/objects/objects_config.h"
#include "sim/objects/objects_cronjob.h"
#include "sim/objects/objects_job.h"
#include "sim/objects/objects_jobset.h"
#include "sim/objects/objects_kubeflow.h"
#include "sim/objects/objects_kueue.h"
#include "sim/objects/objects_lws.h"
#include "sim/objects/objects_podgroup.h"
#include "sim/objects/objects_prices.h"
#include "sim/objects/objects_provisioning.h"
#include "sim/objects/objects_ray.h"
#include "sim/objects/objects_scheduler.h"
#include "sim/objects/objects_service.h"
#include "sim/objects/objects_simulation.h"
#include "sim/objects/objects_spark.h"
#include "sim/objects/objects_trainjob.h"
#include "sim/objects/objects_workload.h"
#include "sim/yaml/yaml_scalar.h"

#define MAX_NAME  253
#define MAX_LABEL 63
#define AT	  "gqsim/at"
#define DELETE_AT "gqsim/delete-at"
#define SKIPPED	  "not modelled, skipped"

struct objects {
	struct builder *builder;
	bool strict;
	struct tally *tally;
	struct objects_crons *crons;
	struct objects_podgroups *groups;
	struct tally *skipped;		  /* kinds */
	bool list_skipped;		  /* a line each */
	struct name_table *told_versions; /* that are old */
	struct objects_trainjobs *trainjobs;
	struct mem_arena *scratch; /* for one object at a time */
	uint32_t generated;	   /* names made of a generateName so far */
	void (*report)(void *context, const struct err *err); /* NULL: stop at an error */
	void *report_context;
	bool taken;		  /* items of the present document have been read */
	struct builder_mark mark; /* before the present object */
	bool asked;
	const char *ns;	    /* of objects that name none; NULL: "default" */
	objects_seen *seen; /* NULL */
	void *seen_context;
};

struct kind_reader {
	const char *group; /* of the apiVersion; "" for the core group */
	const char *kind;
	object_read *read;
	bool changeable; /* gqsim/at and gqsim/delete-at are possible */
	bool nameless;
	bool passing; /* what it reads is copied: lists go into the scratch arena */
};

static const struct kind_reader readers[] = {
	{"kueue.x-k8s.io", "ClusterQueue", objects_cluster_queue, true, false, false},
	{"kueue.x-k8s.io", "Cohort", objects_cohort, true, false, false},
	{"kueue.x-k8s.io", "ResourceFlavor", objects_flavor, true, false, false},
	{"kueue.x-k8s.io", "LocalQueue", objects_local_queue, true, false, false},
	{"kueue.x-k8s.io", "WorkloadPriorityClass", objects_workload_priority_class, true, false,
	 false},
	{"kueue.x-k8s.io", "Workload", objects_workload, false, false, true},
	{"kueue.x-k8s.io", "AdmissionCheck", objects_check, true, false, false},
	{"kueue.x-k8s.io", "ProvisioningRequestConfig", objects_provisioning_config, false, false,
	 false},
	{"kueue.x-k8s.io", "Topology", objects_topology, true, false, false},
	{"config.kueue.x-k8s.io", "Configuration", objects_config, false, true, false},
	{"kubescheduler.config.k8s.io", "KubeSchedulerConfiguration", objects_scheduler, false,
	 true, false},
	{"", "Node", objects_node, true, false, false},
	{"", "Namespace", objects_namespace, true, false, false},
	{"", "ResourceQuota", objects_resource_quota, false, false, false},
	{"", "LimitRange", objects_limit_range, false, false, false},
	{"policy", "PodDisruptionBudget", objects_budget, false, false, false},
	{"scheduling.k8s.io", "PriorityClass", objects_priority_class, false, false, false},
	{"node.k8s.io", "RuntimeClass", objects_runtime_class, false, false, false},
	{"batch", "Job", objects_job, true, false, true},
	{"batch", "CronJob", objects_cronjob, false, false, true},
	{"apps", "Deployment", objects_service, true, false, true},
	{"apps", "StatefulSet", objects_service, true, false, true},
	{"apps", "ReplicaSet", objects_service, true, false, true},
	{"", "Pod", objects_barepod, false, false, true},
	{"jobset.x-k8s.io", "JobSet", objects_jobset, false, false, true},
	{"kubeflow.org", "PyTorchJob", objects_kubeflow, false, false, true},
	{"kubeflow.org", "TFJob", objects_kubeflow, false, false, true},
	{"kubeflow.org", "XGBoostJob", objects_kubeflow, false, false, true},
	{"kubeflow.org", "PaddleJob", objects_kubeflow, false, false, true},
	{"kubeflow.org", "JAXJob", objects_kubeflow, false, false, true},
	{"kubeflow.org", "MPIJob", objects_kubeflow, false, false, true},
	{"trainer.kubeflow.org", "TrainJob", objects_trainjob, false, false, true},
	{"trainer.kubeflow.org", "TrainingRuntime", objects_training_runtime, false, false, true},
	{"trainer.kubeflow.org", "ClusterTrainingRuntime", objects_training_runtime, false, false,
	 true},
	{"ray.io", "RayCluster", objects_raycluster, false, false, true},
	{"ray.io", "RayJob", objects_rayjob, false, false, true},
	{"ray.io", "RayService", objects_rayservice, false, false, true},
	{"leaderworkerset.x-k8s.io", "LeaderWorkerSet", objects_lws, false, false, true},
	{"workload.codeflare.dev", "AppWrapper", objects_appwrapper, false, false, true},
	{"sparkoperator.k8s.io", "SparkApplication", objects_spark, false, false, true},
	{"gqsim", "Simulation", objects_simulation, false, true, false},
	{"gqsim", "Prices", objects_prices, false, true, false},
};

#define READERS (sizeof(readers) / sizeof(readers[0]))

const char *objects_kind(size_t i, const char **group)
{
	if (i >= READERS)
		return NULL;
	*group = readers[i].group;
	return readers[i].kind;
}

struct objects *objects_new(struct builder *builder, bool strict)
{
	struct objects *objects = mem_calloc(1, sizeof(*objects));

	objects->builder = builder;
	objects->strict = strict;
	objects->tally = tally_new();
	objects->crons = objects_crons_new();
	objects->groups = objects_podgroups_new();
	objects->skipped = tally_new();
	objects->told_versions = name_new();
	objects->trainjobs = objects_trainjobs_new();
	objects->scratch = mem_arena_new();
	return objects;
}

void objects_free(struct objects *objects)
{
	if (objects == NULL)
		return;
	tally_free(objects->tally);
	objects_crons_free(objects->crons);
	objects_podgroups_free(objects->groups);
	tally_free(objects->skipped);
	name_free(objects->told_versions);
	objects_trainjobs_free(objects->trainjobs);
	mem_arena_free(objects->scratch);
	mem_free(objects);
}

void objects_keep_going(struct objects *objects,
			void (*report)(void *context, const struct err *err), void *context)
{
	objects->report = report;
	objects->report_context = context;
}

void objects_ask(struct objects *objects, const char *ns)
{
	objects->asked = true;
	objects->ns = ns;
}

void objects_observe(struct objects *objects, objects_seen *seen, void *context)
{
	objects->seen = seen;
	objects->seen_context = context;
}

/* What an object's reading ended with; ERR_OK to go on after an error, without the object. */
static enum err_code settle(struct objects *objects, struct fields *f, enum err_code code)
{
	if (code == ERR_OK || objects->report == NULL)
		return code;
	fields_tell(f);
	f->told = false;
	builder_take_back(objects->builder, &objects->mark);
	builder_left_out(objects->builder, f->kind, f->name);
	return ERR_OK;
}

void objects_list_skipped(struct objects *objects)
{
	objects->list_skipped = true;
}

/* ---- what is not modelled ---- */

/* Kinds that would have a say in what is admitted, or where it runs; the rest of a
 * cluster's objects has none. */
static const char *const decisive[] = {
	"MultiKueueConfig", "MultiKueueCluster", "ResourceClaim",	"ResourceClaimTemplate",
	"DeviceClass",	    "ResourceSlice",	 "ProvisioningRequest",
};

static bool is_decisive(const char *kind)
{
	for (size_t i = 0; i < sizeof(decisive) / sizeof(decisive[0]); i++) {
		if (strcmp(decisive[i], kind) == 0)
			return true;
	}
	return false;
}

static enum err_code skip(struct objects *objects, struct fields *f, const struct yaml_node *node,
			  const char *kind)
{
	char text[200];

	if (objects->strict)
		return err_set(f->err, ERR_UNKNOWN, f->file, node->line, node->column,
			       "%.100s is not modelled, and --strict was given", kind);
	snprintf(text, sizeof(text), "%.100s: " SKIPPED, kind);
	if (is_decisive(kind))
		tally_add(objects->tally, FINDING_NOT_MODELLED, yaml_place(f->file, node), text);
	else
		tally_add(objects->skipped, FINDING_NOT_MODELLED, yaml_place(f->file, node), kind);
	return ERR_OK;
}

void objects_finish(struct objects *objects)
{
	objects_podgroups_close(objects->groups, objects->builder);
	objects_crons_expand(objects->crons, objects->builder);
	jobchange_apply(objects->builder);
	tally_report(objects->tally, objects->builder);
	tally_report_together(objects->skipped, objects->builder, SKIPPED, objects->list_skipped);
}

/* ---- the head of an object ---- */

struct head {
	uint32_t name, generate_name, ns;
	const struct yaml_node *name_node, *labels, *annotations, *created;
};

/* RFC 1123: lower-case letters, digits, "-" and "."; first and last no mark. */
static bool good_name(const char *text, size_t len, bool prefix)
{
	if (len == 0 || len > MAX_NAME)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool plain =
			(text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9');
		bool edge = i == 0 || (i + 1 == len && !prefix);

		if (!plain && (edge || (text[i] != '-' && text[i] != '.')))
			return false;
	}
	return true;
}

static enum err_code read_name(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	enum err_code code = fields_string(f, row, value, out);

	if (code == ERR_OK && !good_name(value->text, value->count, row->arg != NULL))
		return fields_error(
			f, ERR_VALUE, value,
			"\"%.80s\" is no name: lower-case letters, digits, \"-\" and "
			"\".\", at most %d, beginning and ending with a letter or digit",
			value->text, MAX_NAME);
	return code;
}

static const struct field metadata_rows[] = {
	{.key = "name", .read = read_name, .offset = offsetof(struct head, name)},
	{.key = "generateName",
	 .read = read_name,
	 .offset = offsetof(struct head, generate_name),
	 .arg = "prefix"},
	{.key = "namespace", .read = read_name, .offset = offsetof(struct head, ns)},
	{.key = "labels", .read = fields_keep_map, .offset = offsetof(struct head, labels)},
	{.key = "annotations",
	 .read = fields_keep_map,
	 .offset = offsetof(struct head, annotations)},
	{.key = "creationTimestamp", .read = fields_keep, .offset = offsetof(struct head, created)},
	{.key = "uid"},
	{.key = "resourceVersion"},
	{.key = "generation"},
	{.key = "finalizers"},
	{.key = "ownerReferences"},
	{.key = "managedFields"},
	{.key = "deletionTimestamp"},
	{.key = "deletionGracePeriodSeconds"},
	{.key = "selfLink"},
	{.key = NULL},
};

/* As the API server wants it: "", or up to 63 letters, digits, "-", "_" and "." that begin and
 * end with a letter or digit. */
static bool good_label_value(const char *text, size_t len)
{
	static const char marks[] = "-_.";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain =
			(c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

		if (!plain && (i == 0 || i + 1 == len || memchr(marks, c, 3) == NULL))
			return false;
	}
	return len <= MAX_LABEL;
}

static enum err_code want_label_value(struct fields *f, const struct yaml_node *value)
{
	if (fields_want_text(f, value) != ERR_OK)
		return f->err->code;
	if (good_label_value(value->text, value->count))
		return ERR_OK;
	return fields_error(f, ERR_VALUE, value,
			    "\"%.80s\" is no value of a label: letters, digits, \"-\", \"_\" and "
			    "\".\", at most %d, beginning and ending with a letter or digit",
			    value->text, MAX_LABEL);
}

static enum err_code check_texts(struct fields *f, const struct yaml_node *map, const char *key,
				 enum err_code (*check)(struct fields *f,
							const struct yaml_node *value))
{
	enum err_code code = ERR_OK;
	size_t mark;

	if (map == NULL)
		return ERR_OK;
	mark = fields_enter(f, key);
	for (uint32_t i = 0; i < map->count && code == ERR_OK; i++) {
		size_t inner = fields_enter(f, map->pairs[i].key->text);

		if (!yaml_is_null(map->pairs[i].value))
			code = check(f, map->pairs[i].value);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	return code;
}

static enum err_code read_time(struct fields *f, const struct kind_reader *reader,
			       const struct object *object, const char *key, simtime *out)
{
	const struct yaml_node *at = yaml_find(object->annotations, key);

	*out = KIND_ALWAYS;
	if (at == NULL)
		return ERR_OK;
	if (!reader->changeable)
		return fields_error(f, ERR_VALUE, at,
				    "annotation %s: a %s cannot change during a run", key,
				    reader->kind);
	if (!clock_read_seconds(at->text, at->count, out))
		return fields_error(f, ERR_VALUE, at,
				    "annotation %s: \"%.60s\" is not a number of seconds since the "
				    "start",
				    key, at->text);
	return ERR_OK;
}

static enum err_code read_times(struct fields *f, const struct kind_reader *reader,
				struct object *object)
{
	const struct yaml_node *end = yaml_find(object->annotations, DELETE_AT);

	if (read_time(f, reader, object, AT, &object->at) != ERR_OK ||
	    read_time(f, reader, object, DELETE_AT, &object->delete_at) != ERR_OK)
		return f->err->code;
	if (end != NULL && reader->passing)
		return fields_error(f, ERR_VALUE, end,
				    "annotation %s: gqsim/cancel-at says when a %s is deleted",
				    DELETE_AT, reader->kind);
	if (end != NULL && strcmp(reader->kind, "Namespace") == 0)
		return fields_error(f, ERR_VALUE, end,
				    "annotation %s: the deletion of a Namespace is not modelled",
				    DELETE_AT);
	if (end != NULL && object->delete_at <= object->at)
		return fields_error(f, ERR_VALUE, end,
				    "annotation %s: the object is deleted before it comes (%s)",
				    DELETE_AT, AT);
	return ERR_OK;
}

static uint32_t generated_name(struct objects *objects, uint32_t prefix)
{
	char text[MAX_NAME + 16];

	snprintf(text, sizeof(text), "%s%u", name_text(builder_strings(objects->builder), prefix),
		 objects->generated++);
	return builder_string(objects->builder, text, strlen(text));
}

/* As kubectl apply --namespace has it. */
static enum err_code read_namespace(struct objects *objects, struct fields *f, uint32_t written,
				    struct object *object)
{
	const char *wanted = objects->ns != NULL ? objects->ns : "default";

	object->ns = written != NAME_NONE
			     ? written
			     : builder_string(objects->builder, wanted, strlen(wanted));
	if (objects->ns == NULL || written == NAME_NONE ||
	    strcmp(name_text(builder_strings(objects->builder), written), wanted) == 0)
		return ERR_OK;
	return fields_error(f, ERR_VALUE, object->node,
			    "its namespace is \"%.80s\", and -n says \"%.80s\"",
			    name_text(builder_strings(objects->builder), written), wanted);
}

static enum err_code read_head(struct objects *objects, struct fields *f,
			       const struct kind_reader *reader, struct object *object)
{
	struct head head = {.name = NAME_NONE, .generate_name = NAME_NONE, .ns = NAME_NONE};
	const struct yaml_node *metadata = yaml_find(object->node, "metadata");
	const struct yaml_node *name = yaml_find(metadata, "name");
	enum err_code code = ERR_OK;
	size_t mark;

	object->where = yaml_place(f->file, name != NULL ? name : object->node);
	f->name = name != NULL && name->kind == YAML_SCALAR ? name->text : "";
	if (metadata != NULL) {
		mark = fields_enter(f, "metadata");
		code = fields_map(f, metadata, metadata_rows, &head);
		if (code == ERR_OK)
			code = check_texts(f, head.labels, "labels", want_label_value);
		if (code == ERR_OK)
			code = check_texts(f, head.annotations, "annotations", fields_want_text);
		fields_leave(f, mark);
	}
	if (code != ERR_OK)
		return code;
	if (head.name == NAME_NONE && head.generate_name == NAME_NONE && !reader->nameless)
		return fields_error(f, ERR_VALUE, object->node, "metadata.name is missing");
	object->generated_name = head.name == NAME_NONE && head.generate_name != NAME_NONE;
	object->name =
		object->generated_name ? generated_name(objects, head.generate_name) : head.name;
	if (read_namespace(objects, f, head.ns, object) != ERR_OK)
		return f->err->code;
	object->asked = objects->asked;
	object->labels = head.labels;
	object->annotations = head.annotations;
	object->created = head.created;
	if (read_times(f, reader, object) != ERR_OK)
		return f->err->code;
	return object_keys_check(f, object);
}

/* ---- which object is it ---- */

static const struct kind_reader *find_reader(const char *group, size_t group_len, const char *kind)
{
	for (size_t i = 0; i < READERS; i++)
		if (strlen(readers[i].group) == group_len &&
		    memcmp(readers[i].group, group, group_len) == 0 &&
		    strcmp(readers[i].kind, kind) == 0)
			return &readers[i];
	return NULL;
}

static enum err_code unknown_version(struct fields *f, const struct yaml_node *api,
				     const struct kind_reader *reader)
{
	return fields_error(f, ERR_UNKNOWN, api, "apiVersion \"%.80s\" of %s is unknown; %s",
			    api->text, reader->kind,
			    strcmp(reader->group, "gqsim") == 0
				    ? "it must be gqsim/v1"
				    : "Kueue has v1beta2, v1beta1 and, for old Cohorts and "
				      "Topologies, v1alpha1");
}

static bool known_version(const struct kind_reader *reader, const char *version)
{
	if (strcmp(reader->group, "gqsim") == 0)
		return strcmp(version, "v1") == 0;
	if (strstr(reader->group, "kueue") == NULL)
		return true;
	return strcmp(version, "v1beta2") == 0 || strcmp(version, "v1beta1") == 0 ||
	       strcmp(version, "v1alpha1") == 0;
}

/* Names of up to 253 letters are valid in general; of longer ones than these nothing can be made,
 * and the API server refuses them (1.34: ValidateJob, whose labels have the name,
 * ValidateCronJobCreate, ValidateNamespaceName). Old CronJobs of a cluster may have longer ones. */
static enum err_code check_length(struct fields *f, const struct kind_reader *reader,
				  const struct object *object)
{
	static const struct {
		const char *kind;
		size_t most;
		const char *why;
	} limits[] = {
		{"Job", MAX_LABEL, "its pods carry it as a label"},
		{"CronJob", 52, "the names of its Jobs are longer by 11"},
		{"Namespace", MAX_LABEL, "it is part of host names"},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (strcmp(limits[i].kind, reader->kind) != 0 ||
		    strlen(f->name) <= limits[i].most || object->created != 0)
			continue;
		fields_error(f, ERR_VALUE, yaml_find(yaml_find(object->node, "metadata"), "name"),
			     "the name has %zu characters and may have %zu (%s): the API server "
			     "refuses it",
			     strlen(f->name), limits[i].most, limits[i].why);
		return fields_fix(f, "shorten the name");
	}
	return ERR_OK;
}

static enum err_code read_one(struct objects *objects, struct fields *f,
			      const struct yaml_node *node, const struct yaml_node *api,
			      const char *kind)
{
	const char *slash = strchr(api->text, '/');
	size_t group_len = slash != NULL ? (size_t)(slash - api->text) : 0;
	const struct kind_reader *reader = find_reader(api->text, group_len, kind);
	struct object object = {
		.node = node, .version = slash != NULL ? slash + 1 : api->text, .list_kind = kind};
	enum err_code code;

	f->kind = kind;
	f->name = "";
	f->path_len = 0;
	f->path[0] = '\0';
	if (reader == NULL) {
		code = object_versions_check(f, api, kind, false, objects->told_versions);
		return code != ERR_OK ? code : skip(objects, f, node, kind);
	}
	if (!known_version(reader, object.version))
		return unknown_version(f, api, reader);
	f->version = strcmp(object.version, "v1beta2") == 0 ? FIELDS_NEW : FIELDS_OLD;
	code = read_head(objects, f, reader, &object);
	if (code == ERR_OK)
		code = object_versions_check(f, api, kind, true, objects->told_versions);
	if (code == ERR_OK)
		code = check_length(f, reader, &object);
	if (code != ERR_OK)
		return code;
	if (reader->passing)
		f->arena = objects->scratch;
	code = reader->read(f, &object);
	if (code == ERR_OK && objects->seen != NULL && !reader->passing)
		objects->seen(objects->seen_context, api->text, kind, node);
	if (code == ERR_OK && object.delete_at != KIND_ALWAYS)
		builder_delete(objects->builder, object.delete_at);
	f->arena = builder_arena(objects->builder);
	mem_arena_reset(objects->scratch);
	return code;
}

static enum err_code try_object(struct objects *objects, struct fields *f,
				const struct yaml_node *node, const struct yaml_node *list_api,
				const char *list_kind, int depth);

/* A List, or a typed one (NodeList), whose items may leave out what it says. */
static enum err_code read_list(struct objects *objects, struct fields *f,
			       const struct yaml_node *items, const struct yaml_node *api,
			       const char *kind, int depth)
{
	char item_kind[128] = "";
	size_t len = strlen(kind);
	enum err_code code = ERR_OK;

	f->kind = kind;
	f->name = "";
	if (depth > 2)
		return fields_error(f, ERR_LIMIT, items, "Lists inside Lists inside Lists");
	if (items->kind != YAML_LIST)
		return fields_error(f, ERR_VALUE, items, "items must be a list, not %s",
				    yaml_describe(items));
	if (len > 4 && len - 4 < sizeof(item_kind))
		memcpy(item_kind, kind, len - 4);
	for (uint32_t i = 0; i < items->count && code == ERR_OK; i++)
		code = try_object(objects, f, items->items[i], api, item_kind, depth + 1);
	return code;
}

static bool ends_in_list(const char *kind)
{
	size_t len = strlen(kind);

	return len >= 4 && strcmp(kind + len - 4, "List") == 0;
}

/* What helm install and helm get all print before the manifest; what follows it, the notes, is
 * no YAML. */
static bool is_helm_status(const struct yaml_node *node)
{
	return yaml_find(node, "NAME") != NULL && yaml_find(node, "NAMESPACE") != NULL &&
	       yaml_find(node, "REVISION") != NULL;
}

/* Values of a chart, a dashboard, a list of something: said, and passed over. */
static enum err_code no_object(struct objects *objects, const struct fields *f,
			       const struct yaml_node *node)
{
	if (objects->strict)
		return err_set(f->err, ERR_SYNTAX, f->file, node->line, node->column,
			       "this is no Kubernetes object: it has neither apiVersion nor kind");
	builder_fault(
		objects->builder, FINDING_WARNING, "not-an-object", yaml_place(f->file, node),
		is_helm_status(node)
			? "give what helm template RELEASE CHART or helm get manifest RELEASE "
			  "prints instead"
			: "give it apiVersion and kind, or leave the file out",
		"this is no Kubernetes object (it has neither apiVersion nor kind): %s",
		objects->taken ? "only the objects in its items are read" : "skipped");
	return ERR_OK;
}

/* Chart.yaml of Helm, whose templates are no manifests yet. */
static bool is_chart(const struct yaml_node *node, const struct yaml_node *api)
{
	return api != NULL && (yaml_text_is(api, "v1") || yaml_text_is(api, "v2")) &&
	       yaml_find(node, "name") != NULL && yaml_find(node, "version") != NULL;
}

/* What it does to its files is not done here. */
static void tell_kustomization(struct objects *objects, const struct fields *f,
			       const struct yaml_node *node)
{
	builder_fault(objects->builder, FINDING_WARNING, "input-warning", yaml_place(f->file, node),
		      "give what it makes instead: kubectl kustomize FOLDER | gqsim ... -",
		      "this is a Kustomization: its patches, names and namespaces are not applied, "
		      "the files beside it are read as they are");
}

static enum err_code missing_head(struct fields *f, const struct yaml_node *node,
				  const struct yaml_node *api, const struct yaml_node *kind)
{
	const struct yaml_node *bad = kind != NULL ? kind : api;

	if (bad != NULL && bad->kind != YAML_SCALAR)
		return err_set(f->err, ERR_VALUE, f->file, bad->line, bad->column,
			       "apiVersion and kind must be texts");
	if (kind == NULL && is_chart(node, api)) {
		err_set(f->err, ERR_VALUE, f->file, node->line, node->column,
			"this is a Helm chart, not what it renders to");
		f->err->fix = YAML_HELM_FIX;
		return ERR_VALUE;
	}
	return err_set(f->err, ERR_VALUE, f->file, node->line, node->column,
		       "this object has %s but no %s", kind != NULL ? "a kind" : "an apiVersion",
		       kind != NULL ? "apiVersion" : "kind");
}

/* Kueue's Configuration is installed as a text in a ConfigMap. */
static enum err_code read_config_text(struct objects *objects, struct fields *f,
				      const struct yaml_node *text, bool *found)
{
	const struct source source = {.name = f->file, .data = text->text, .size = text->count};
	struct yaml_reader *reader = NULL;
	const struct yaml_node *root = NULL;
	enum err_code code = yaml_open_at(&source, text->line, &reader, f->err);

	while (code == ERR_OK) {
		const struct yaml_node *kind;

		code = yaml_next(reader, &root, f->err);
		if (code != ERR_OK || root == NULL)
			break;
		kind = yaml_find(root, "kind");
		if (kind == NULL || !yaml_text_is(kind, "Configuration"))
			continue;
		*found = true;
		code = try_object(objects, f, root, NULL, "", 1);
	}
	yaml_close(reader);
	return code;
}

static enum err_code read_config_map(struct objects *objects, struct fields *f,
				     const struct yaml_node *node)
{
	const struct yaml_node *data = yaml_find(node, "data");
	enum err_code code = ERR_OK;
	bool found = false;

	for (uint32_t i = 0;
	     code == ERR_OK && data != NULL && data->kind == YAML_MAP && i < data->count; i++) {
		const struct yaml_node *value = data->pairs[i].value;

		if (value->kind == YAML_SCALAR &&
		    strstr(value->text, "config.kueue.x-k8s.io/") != NULL)
			code = read_config_text(objects, f, value, &found);
	}
	if (code == ERR_OK && !found)
		return skip(objects, f, node, "ConfigMap");
	return code;
}

static enum err_code read_object(struct objects *objects, struct fields *f,
				 const struct yaml_node *node, const struct yaml_node *list_api,
				 const char *list_kind, int depth)
{
	const struct yaml_node *api = yaml_find(node, "apiVersion");
	const struct yaml_node *kind = yaml_find(node, "kind");
	const struct yaml_node *items = yaml_find(node, "items");
	const char *name = kind != NULL && kind->kind == YAML_SCALAR ? kind->text : list_kind;

	if (node->kind == YAML_LIST && depth == 0)
		return no_object(objects, f, node);
	if (node->kind != YAML_MAP) {
		err_set(f->err, ERR_SYNTAX, f->file, node->line, node->column,
			"this is %s, not an object with apiVersion, kind and metadata",
			yaml_describe(node));
		return fields_fix(f, "give objects as kubectl get -o yaml prints them");
	}
	if (api == NULL && kind == NULL && list_api == NULL)
		return no_object(objects, f, node);
	api = api != NULL ? api : list_api;
	if (api == NULL || api->kind != YAML_SCALAR || name[0] == '\0' ||
	    (kind != NULL && kind->kind != YAML_SCALAR))
		return missing_head(f, node, api, kind);
	if (strstr(name, "{{") != NULL || strstr(api->text, "{{") != NULL)
		return fields_error(f, ERR_SYNTAX, strstr(name, "{{") != NULL ? kind : api,
				    "this is no apiVersion or kind");
	if (ends_in_list(name) && items != NULL)
		return read_list(objects, f, items, api, name, depth);
	if (strcmp(name, "ConfigMap") == 0 && yaml_text_is(api, "v1"))
		return read_config_map(objects, f, node);
	if (strcmp(name, "Kustomization") == 0 && !objects->strict &&
	    strncmp(api->text, "kustomize.config.k8s.io/", 24) == 0) {
		tell_kustomization(objects, f, node);
		return ERR_OK;
	}
	return read_one(objects, f, node, api, name);
}

static enum err_code try_object(struct objects *objects, struct fields *f,
				const struct yaml_node *node, const struct yaml_node *list_api,
				const char *list_kind, int depth)
{
	f->kind = f->name = "";
	f->told = false;
	objects->mark = builder_mark(objects->builder);
	return settle(objects, f, read_object(objects, f, node, list_api, list_kind, depth));
}

/* ---- what kubectl prints ---- */

struct list_reading {
	struct objects *objects;
	struct fields *f;
};

/* An item that says itself what it is need not wait for the end of its List. */
static bool take_item(void *context, const struct yaml_node *item, enum err_code *code)
{
	struct list_reading *reading = context;

	if (yaml_find(item, "apiVersion") == NULL || yaml_find(item, "kind") == NULL)
		return false;
	reading->objects->taken = true;
	*code = try_object(reading->objects, reading->f, item, NULL, "", 1);
	return true;
}

static struct fields new_fields(struct objects *objects, const char *file, struct err *err)
{
	return (struct fields){
		.builder = objects->builder,
		.arena = builder_arena(objects->builder),
		.tally = objects->tally,
		.crons = objects->crons,
		.groups = objects->groups,
		.trainjobs = objects->trainjobs,
		.file = file,
		.kind = "",
		.name = "",
		.unknown = objects->strict ? FIELDS_REFUSE : FIELDS_WARN,
		.err = err,
		.report = objects->report,
		.report_context = objects->report_context,
	};
}

/* With a report, a document that cannot be read is told and passed over. */
static enum err_code next_document(struct objects *objects, struct fields *f,
				   struct yaml_reader *reader, const struct yaml_node **root,
				   uint32_t *documents)
{
	enum err_code code = yaml_next(reader, root, f->err);

	while (code != ERR_OK && objects->report != NULL) {
		objects->report(objects->report_context, f->err);
		builder_left_out(objects->builder, "", "");
		*root = NULL;
		(*documents)++;
		code = yaml_skip(reader) ? yaml_next(reader, root, f->err) : ERR_OK;
	}
	return code;
}

enum err_code objects_read(struct objects *objects, const struct source *source, struct err *err)
{
	struct fields f = new_fields(objects, source->name, err);
	struct yaml_reader *reader = NULL;
	enum err_code code = yaml_open(source, &reader, err);
	const struct yaml_node *root = NULL;
	struct list_reading reading = {.objects = objects, .f = &f};
	uint32_t documents = 0;

	if (code == ERR_OK)
		yaml_stream_items(reader, take_item, &reading);
	while (code == ERR_OK) {
		objects->taken = false;
		code = next_document(objects, &f, reader, &root, &documents);
		if (code != ERR_OK || root == NULL)
			break;
		documents++;
		code = try_object(objects, &f, root, NULL, "", 0);
	}
	yaml_close(reader);
	if (code == ERR_OK && documents == 0)
		builder_fault(objects->builder, FINDING_WARNING, "not-an-object",
			      (struct place){.file = source->name}, "leave the file out",
			      "the file has no document");
	return code;
}

/* ---- when all is read ---- */

struct closing {
	struct objects *objects;
	struct fields *f;
};

static enum err_code settle_closing(void *context, enum err_code code)
{
	struct closing *closing = context;
	struct objects *objects = closing->objects;

	mem_arena_reset(objects->scratch);
	code = settle(objects, closing->f, code);
	objects->mark = builder_mark(objects->builder);
	return code;
}

enum err_code objects_join(struct objects *objects, struct err *err)
{
	struct fields f = new_fields(objects, NULL, err);
	struct closing closing = {.objects = objects, .f = &f};

	f.arena = objects->scratch;
	f.version = FIELDS_OLD;
	objects->mark = builder_mark(objects->builder);
	return objects_trainjobs_close(&f, settle_closing, &closing);
}
