/* kueue_tables_load.c - from a case to a scenario and the state of a Kueue policy. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/kueue_queue.h"
#include "sim/objects_cluster.h"
#include "sim/objects_config.h"
#include "sim/objects_kueue.h"
#include "sim/objects_pod.h"
#include "sim/trace.h"
#include "tests/conformance/kueue_tables.h"

#define OWN_QUEUE "queue-of-" /* LocalQueue of workloads that name none */

bool table_differ(struct table_case *c, const char *fmt, ...)
{
	va_list args;

	if (c->difference[0] != '\0')
		return false;
	va_start(args, fmt);
	vsnprintf(c->difference, sizeof(c->difference), fmt, args);
	va_end(args);
	for (char *p = c->difference; *p != '\0'; p++) {
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	}
	return false;
}

/* ---------------------------------------------------------------- the tree */

const struct yaml_node *table_at(const struct yaml_node *node, const char *path)
{
	char key[64];

	while (node != NULL && *path != '\0') {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		node = yaml_find(node, key);
		path += len + (path[len] == '.');
	}
	return node;
}

const char *table_text(const struct yaml_node *node, const char *path)
{
	const struct yaml_node *value = table_at(node, path);

	return value != NULL && value->kind == YAML_SCALAR ? value->text : "";
}

int64_t table_number(const struct yaml_node *node, const char *path)
{
	const char *text = table_text(node, path);
	int64_t value = 0;

	return num_read_i64(text, strlen(text), &value) ? value : 0;
}

uint32_t table_count(const struct yaml_node *list)
{
	return list == NULL || list->kind == YAML_SCALAR ? 0 : list->count;
}

const struct yaml_node *table_condition(const struct yaml_node *workload, const char *type)
{
	const struct yaml_node *list = table_at(workload, "status.conditions");

	for (uint32_t i = 0; i < table_count(list); i++) {
		if (strcmp(table_text(list->items[i], "type"), type) == 0)
			return list->items[i];
	}
	return NULL;
}

bool table_holds(const struct yaml_node *workload, const char *type)
{
	return strcmp(table_text(table_condition(workload, type), "status"), "True") == 0;
}

const struct yaml_node *table_scalar(struct table_case *c, const char *text)
{
	struct yaml_node *node = mem_arena_alloc(c->arena, sizeof(*node));

	*node = (struct yaml_node){.kind = YAML_SCALAR,
				   .count = (uint32_t)strlen(text),
				   .weight = 1,
				   .text = mem_arena_strdup(c->arena, text)};
	return node;
}

const struct yaml_node *table_with(struct table_case *c, const struct yaml_node *map,
				   const char *key, const struct yaml_node *value)
{
	struct yaml_node *copy = mem_arena_alloc(c->arena, sizeof(*copy));
	uint32_t old = table_count(map);
	struct yaml_pair *pairs = mem_arena_alloc(c->arena, (old + 1) * sizeof(*pairs));

	*copy = (struct yaml_node){.kind = YAML_MAP, .weight = 1, .pairs = pairs};
	for (uint32_t i = 0; i < old; i++) {
		if (!yaml_text_is(map->pairs[i].key, key))
			pairs[copy->count++] = map->pairs[i];
	}
	if (value != NULL)
		pairs[copy->count++] = (struct yaml_pair){table_scalar(c, key), value};
	return copy;
}

const struct yaml_node *table_list(struct table_case *c, const struct yaml_node *const *items,
				   uint32_t count)
{
	struct yaml_node *list = mem_arena_alloc(c->arena, sizeof(*list));
	const struct yaml_node **copy = mem_arena_alloc(c->arena, (count + 1U) * sizeof(*copy));

	for (uint32_t i = 0; i < count; i++)
		copy[i] = items[i];
	*list = (struct yaml_node){
		.kind = YAML_LIST, .count = count, .weight = 1, .items = copy};
	return list;
}

const struct yaml_node *table_group(struct table_case *c, const char *resource,
				    const struct yaml_node *flavors)
{
	const struct yaml_node *name = table_scalar(c, resource);
	const struct yaml_node *group =
		table_with(c, NULL, "coveredResources", table_list(c, &name, 1));

	group = table_with(c, group, "flavors", flavors);
	return table_list(c, &group, 1);
}

/* ----------------------------------------------------------------- objects */

static object_read *reader_of(const char *kind)
{
	static const struct {
		const char *kind;
		object_read *read;
	} rows[] = {
		{"ClusterQueue", objects_cluster_queue}, {"Cohort", objects_cohort},
		{"ResourceFlavor", objects_flavor},	 {"LocalQueue", objects_local_queue},
		{"AdmissionCheck", objects_check},	 {"Topology", objects_topology},
		{"Node", objects_node},			 {"Namespace", objects_namespace},
		{"Configuration", objects_config},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].kind, kind) == 0)
			return rows[i].read;
	}
	return NULL;
}

static uint32_t string(struct table_case *c, const char *text)
{
	return builder_string(c->builder, text, strlen(text));
}

static const char *namespace_of(const struct yaml_node *object)
{
	const char *ns = table_text(object, "metadata.namespace");

	return *ns == '\0' ? "default" : ns;
}

/* A copy of the tree without any value of the key. */
static const struct yaml_node *without(struct table_case *c, const struct yaml_node *node,
				       const char *key)
{
	struct yaml_node *copy = mem_arena_alloc(c->arena, sizeof(*copy));
	struct yaml_pair *pairs = mem_arena_alloc(c->arena, (node->count + 1U) * sizeof(*pairs));
	const struct yaml_node **items =
		mem_arena_alloc(c->arena, (node->count + 1U) * sizeof(const struct yaml_node *));

	*copy = *node;
	if (node->kind == YAML_SCALAR)
		return copy;
	copy->count = 0;
	for (uint32_t i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];

		if (node->kind == YAML_LIST)
			items[copy->count++] = without(c, node->items[i], key);
		else if (!yaml_text_is(pair->key, key))
			pairs[copy->count++] =
				(struct yaml_pair){pair->key, without(c, pair->value, key)};
	}
	if (node->kind == YAML_LIST)
		copy->items = items;
	else
		copy->pairs = pairs;
	return copy;
}

static const struct yaml_node *without_empty_groups(struct table_case *c,
						    const struct yaml_node *spec)
{
	const struct yaml_node *groups = yaml_find(spec, "resourceGroups");
	struct yaml_node *kept = mem_arena_alloc(c->arena, sizeof(*kept));
	const struct yaml_node **items;

	if (groups == NULL)
		return spec;
	items = mem_arena_alloc(c->arena, (groups->count + 1U) * sizeof(const struct yaml_node *));
	*kept = (struct yaml_node){.kind = YAML_LIST, .weight = 1, .items = items};
	for (uint32_t i = 0; i < groups->count; i++) {
		if (table_count(yaml_find(groups->items[i], "coveredResources")) > 0)
			items[kept->count++] = groups->items[i];
	}
	return table_with(c, spec, "resourceGroups", kept->count > 0 ? kept : NULL);
}

/* Preemption while borrowing, without reclaiming. */
static bool only_borrows(const struct yaml_node *spec)
{
	const char *reclaim = table_text(spec, "preemption.reclaimWithinCohort");

	return (*reclaim == '\0' || strcmp(reclaim, "Never") == 0) &&
	       table_at(spec, "preemption.borrowWithinCohort") != NULL;
}

/* Where gqsim takes an amount that a node does not name for unlimited, Kueue takes
 * it for none. */
static const struct yaml_node *with_all_resources(struct table_case *c,
						  const struct yaml_node *status)
{
	static const char *const names[] = {"cpu", "memory", "ephemeral-storage"};
	const struct yaml_node *allocatable = yaml_find(status, "allocatable");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (yaml_find(allocatable, names[i]) == NULL)
			allocatable = table_with(c, allocatable, names[i], table_scalar(c, "0"));
	}
	return table_with(c, status, "allocatable", allocatable);
}

/* Some tables have objects that the API server would refuse. What they say all the
 * same is said in a way it takes: a queue without a quota of its own by no group,
 * limits that cannot matter outside of a cohort not at all, a topology flavor for
 * every node by a label that every node gets, and preemption that only_borrows
 * once the scenario is made. */
static const struct yaml_node *acceptable(struct table_case *c, const char *kind,
					  const struct yaml_node *object)
{
	static const char anywhere[] = "tables/anywhere";
	const struct yaml_node *spec = yaml_find(object, "spec");
	const struct yaml_node *labels = table_at(object, "metadata.labels");

	if (strcmp(kind, "ClusterQueue") == 0) {
		spec = without_empty_groups(c, spec);
		if (yaml_find(spec, "cohortName") == NULL)
			spec = without(c, without(c, spec, "borrowingLimit"), "lendingLimit");
		if (only_borrows(spec))
			spec = without(c, spec, "borrowWithinCohort");
	} else if (strcmp(kind, "ResourceFlavor") == 0 &&
		   yaml_find(spec, "topologyName") != NULL &&
		   table_count(yaml_find(spec, "nodeLabels")) == 0) {
		spec = table_with(c, spec, "nodeLabels",
				  table_with(c, NULL, anywhere, table_scalar(c, "yes")));
	} else if (strcmp(kind, "Node") == 0) {
		labels = table_with(c, labels, anywhere, table_scalar(c, "yes"));
		object = table_with(c, object, "metadata",
				    table_with(c, yaml_find(object, "metadata"), "labels", labels));
		return table_with(c, object, "status",
				  with_all_resources(c, yaml_find(object, "status")));
	}
	return spec == NULL ? object : table_with(c, object, "spec", spec);
}

bool table_read(struct table_case *c, const char *kind, const struct yaml_node *node)
{
	const struct yaml_node *given = acceptable(c, kind, node);
	struct object object = {.node = given,
				.version = "v1beta2",
				.list_kind = kind,
				.name = string(c, table_text(node, "metadata.name")),
				.ns = string(c, namespace_of(node)),
				.labels = table_at(given, "metadata.labels"),
				.annotations = table_at(given, "metadata.annotations"),
				.at = KIND_ALWAYS};
	struct fields *f = &c->fields;

	f->kind = kind;
	f->name = table_text(node, "metadata.name");
	f->version = FIELDS_NEW;
	f->path_len = 0;
	f->path[0] = '\0';
	if (reader_of(kind)(f, &object) != ERR_OK)
		return table_differ(c, "cannot be loaded: %s", c->err.msg);
	return true;
}

bool table_read_all(struct table_case *c, const char *key, const char *kind)
{
	const struct yaml_node *list = yaml_find(c->root, key);
	bool fine = true;

	for (uint32_t i = 0; i < table_count(list) && fine; i++)
		fine = table_read(c, kind,
				  list->kind == YAML_LIST ? list->items[i] : list->pairs[i].value);
	return fine;
}

bool table_read_text(struct table_case *c, const char *text)
{
	struct source source = {.name = "text", .data = text, .size = strlen(text)};
	const struct yaml_node *map;
	bool fine = true;

	if (yaml_open(&source, &c->text_reader, &c->err) != ERR_OK ||
	    yaml_next(c->text_reader, &map, &c->err) != ERR_OK || map == NULL)
		return table_differ(c, "text: %s", c->err.msg);
	for (uint32_t i = 0; i < map->count; i++) {
		const struct yaml_node *list = map->pairs[i].value;

		for (uint32_t o = 0; o < list->count && fine; o++)
			fine = table_read(c, map->pairs[i].key->text, list->items[o]);
	}
	return fine;
}

static bool read_namespaces(struct table_case *c)
{
	const struct yaml_node *map = yaml_find(c->root, "namespaces");
	bool fine = true;

	for (uint32_t i = 0; i < table_count(map) && fine; i++) {
		const struct yaml_node *head = table_with(c, NULL, "name", map->pairs[i].key);

		if (table_count(map->pairs[i].value) > 0)
			head = table_with(c, head, "labels", map->pairs[i].value);
		fine = table_read(c, "Namespace", table_with(c, NULL, "metadata", head));
	}
	return fine;
}

bool table_read_objects(struct table_case *c)
{
	return read_namespaces(c) && table_read_all(c, "resourceFlavors", "ResourceFlavor") &&
	       table_read_all(c, "topologies", "Topology") &&
	       table_read_all(c, "admissionChecks", "AdmissionCheck") &&
	       table_read_all(c, "cohorts", "Cohort") &&
	       table_read_all(c, "clusterQueues", "ClusterQueue") &&
	       table_read_all(c, "localQueues", "LocalQueue") &&
	       table_read_all(c, "nodes", "Node");
}

/* --------------------------------------------------------------- workloads */

void table_add(struct table_case *c, const struct yaml_node *workload, const char *queue)
{
	bool holds = queue == NULL && table_holds(workload, "QuotaReserved") &&
		     !table_holds(workload, "Finished");
	char key[256];

	snprintf(key, sizeof(key), "%s/%s", table_text(workload, "metadata.namespace"),
		 table_text(workload, "metadata.name"));
	if (holds)
		queue = table_text(workload, "status.admission.clusterQueue");
	c->workloads = mem_grow(c->workloads, c->workload_count + 1, &c->workload_capacity,
				sizeof(*c->workloads));
	c->workloads[c->workload_count++] = (struct table_workload){
		.node = workload,
		.key = mem_arena_strdup(c->arena, key),
		.queue = queue,
		.holds = holds};
}

void table_add_pod_sets(struct table_case *c, const struct yaml_node *pod_sets,
			const char *queue)
{
	const struct yaml_node *spec = table_with(c, NULL, "podSets", pod_sets);

	table_add(c, table_with(c, NULL, "spec", spec), queue);
}

static int compare_uids(const void *a, const void *b, void *context)
{
	const struct table_workload *x = a, *y = b;

	(void)context;
	return strcmp(table_text(x->node, "metadata.uid"), table_text(y->node, "metadata.uid"));
}

static uint32_t optional_string(struct table_case *c, const struct yaml_node *node,
				const char *key)
{
	const char *text = table_text(node, key);

	return *text == '\0' ? NAME_NONE : string(c, text);
}

static void read_topology_request(struct table_case *c, const struct yaml_node *request,
				  struct pod_shape *shape)
{
	static const struct {
		const char *key;
		enum topology_mode mode;
	} modes[] = {{"required", TOPOLOGY_REQUIRED},
		     {"preferred", TOPOLOGY_PREFERRED},
		     {"unconstrained", TOPOLOGY_UNCONSTRAINED}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (yaml_find(request, modes[i].key) == NULL)
			continue;
		shape->topology_mode = modes[i].mode;
		if (modes[i].mode != TOPOLOGY_UNCONSTRAINED)
			shape->topology_level = string(c, table_text(request, modes[i].key));
	}
	shape->slice_level = optional_string(c, request, "podSetSliceRequiredTopology");
	shape->slice_size = (uint32_t)table_number(request, "podSetSliceSize");
	shape->topology_group = optional_string(c, request, "podSetGroupName");
}

static bool read_pod_set(struct table_case *c, const struct yaml_node *node, uint32_t ns,
			 struct pod_set *set)
{
	struct objects_pod pod;
	int64_t count = table_number(node, "count");

	c->fields.kind = "Workload";
	c->fields.name = table_text(node, "name");
	if (objects_pod_template(&c->fields, yaml_find(node, "template"), &pod) != ERR_OK)
		return table_differ(c, "cannot be loaded: %s", c->err.msg);
	read_topology_request(c, yaml_find(node, "topologyRequest"), &pod.template.base);
	*set = (struct pod_set){.name = string(c, table_text(node, "name")),
				.shape = builder_template(c->builder, &pod.template, ns),
				.count = (uint32_t)count,
				.min_count = (uint32_t)count};
	if (yaml_find(node, "minCount") != NULL)
		set->min_count = (uint32_t)table_number(node, "minCount");
	return true;
}

/* Workloads that belong to a ClusterQueue without naming a LocalQueue get one. */
static uint32_t own_local_queue(struct table_case *c, const char *queue, uint32_t ns)
{
	char name[256];
	struct local_queue record = {.ns = ns,
				     .cluster_queue_name = string(c, queue),
				     .fair_weight = INT64_C(1000000000)};

	snprintf(name, sizeof(name), OWN_QUEUE "%s", queue);
	if (name_find(builder_strings(c->builder), name) == NAME_NONE) {
		record.name = string(c, name);
		builder_add(c->builder, KIND_LOCAL_QUEUE, &record, (struct place){0}, KIND_ALWAYS);
	}
	return string(c, name);
}

static struct pod_set nothing(struct table_case *c)
{
	struct pod_shape shape = {.request = builder_vector(c->builder),
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE,
				  .container_count = 1};

	return (struct pod_set){.name = string(c, "main"),
				.shape = builder_shape(c->builder, &shape),
				.count = 1,
				.min_count = 1};
}

static bool build_job(struct table_case *c, uint32_t index)
{
	const struct table_workload *w = &c->workloads[index];
	const struct yaml_node *list = table_at(w->node, "spec.podSets");
	uint32_t count = table_count(list);
	struct pod_set *sets = mem_arena_alloc(c->arena, (count + 1U) * sizeof(*sets));
	struct job job = {.duration = JOB_ENDLESS,
			  .name = NAME_NONE,
			  .row = index,
			  .ns = string(c, namespace_of(w->node)),
			  .queue = optional_string(c, w->node, "spec.queueName"),
			  .priority_class = NAME_NONE,
			  .pod_set_count = (uint16_t)count,
			  .utilisation = 1000,
			  .extra = JOB_NONE};

	for (uint32_t i = 0; i < count; i++) {
		if (!read_pod_set(c, list->items[i], job.ns, &sets[i]))
			return false;
	}
	if (count == 0) /* the case is not about its pods */
		sets[job.pod_set_count++] = nothing(c);
	if (w->queue != NULL) {
		job.ns = string(c, "own-queues");
		job.queue = own_local_queue(c, w->queue, job.ns);
	}
	job.first_pod_set = builder_pod_sets(c->builder, sets, job.pod_set_count);
	builder_job(c->builder, &job, (struct place){0});
	return true;
}

/* ------------------------------------------------------------------ state */

/* Seconds since 1970, as microseconds; 0: none. */
static simtime read_time(const char *text)
{
	char clock[20];
	simtime at;

	if (strlen(text) < 20)
		return 0;
	memcpy(clock, text, 19);
	clock[10] = ' ';
	return trace_read_clock(clock, 19, &at) ? at : 0;
}

/* Kueue's queue-order timestamp (spec KUEUE.md 3.3). */
static simtime order_of(const struct table_case *c, const struct yaml_node *workload)
{
	const struct yaml_node *evicted = table_condition(workload, "Evicted");
	const char *reason = table_text(evicted, "reason");
	bool timeout = strcmp(reason, "PodsReadyTimeout") == 0 &&
		       !c->scenario->config.requeue_by_creation;

	if (table_holds(workload, "Evicted") && (timeout || strcmp(reason, "AdmissionCheck") == 0))
		return read_time(table_text(evicted, "lastTransitionTime"));
	return read_time(table_text(workload, "metadata.creationTimestamp"));
}

/* The use of one pod set of an admission, added to amounts. */
static uint32_t add_usage(const struct table_case *c, const struct yaml_node *set,
			  struct quota_amount *amounts, uint32_t count)
{
	const struct yaml_node *usage = yaml_find(set, "resourceUsage");

	for (uint32_t i = 0; i < table_count(usage); i++) {
		const char *resource = usage->pairs[i].key->text;
		const char *text = usage->pairs[i].value->text;
		const char *flavor = "";
		const struct yaml_node *named = yaml_find(yaml_find(set, "flavors"), resource);
		uint32_t column, at = 0;
		int64_t amount;

		if (named != NULL)
			flavor = named->text;
		column = table_column(c, flavor, resource);
		if (column == KUEUE_NONE)
			continue;
		num_read_quantity(text, strlen(text),
				  res_is_milli(c->k->column_resource[column]), &amount);
		while (at < count && amounts[at].column != column)
			at++;
		if (at == count)
			amounts[count++] = (struct quota_amount){column, 0};
		amounts[at].amount = res_add(amounts[at].amount, amount);
	}
	return count;
}

static void hold(struct table_case *c, uint32_t job)
{
	const struct yaml_node *node = c->workloads[job].node;
	const struct yaml_node *sets = table_at(node, "status.admission.podSetAssignments");
	struct quota_amount *amounts =
		mem_arena_alloc(c->arena, (c->k->column_count + 1U) * sizeof(*amounts));
	simtime now = c->world.now;
	uint32_t count = 0, queue;

	queue = table_queue(c, table_text(node, "status.admission.clusterQueue"));
	if (queue == KUEUE_NONE)
		return;
	for (uint32_t i = 0; i < table_count(sets); i++)
		count = add_usage(c, sets->items[i], amounts, count);
	c->world.now = read_time(
		table_text(table_condition(node, "QuotaReserved"), "lastTransitionTime"));
	kueue_hold_new(c->k, job, queue, amounts, count);
	c->world.now = now;
	c->world.jobs[job].phase = JOB_ADMITTED;
	if (table_holds(node, "Evicted")) {
		kueue_hold_evict(c->k, job);
		c->world.jobs[job].phase = JOB_EVICTED;
	}
}

static void restore_borrowing(struct table_case *c)
{
	const struct yaml_node *list = yaml_find(c->root, "clusterQueues");

	for (uint32_t i = 0; i < table_count(list); i++) {
		const struct yaml_node *spec = yaml_find(list->items[i], "spec");
		uint32_t queue = table_queue(c, table_text(list->items[i], "metadata.name"));

		if (only_borrows(spec))
			c->scenario->cluster_queues[queue].borrow_within_cohort =
				PREEMPT_LOWER_PRIORITY;
	}
}

/* What a table passes to the scheduler, as the Configuration that says the same. */
static bool configure(struct table_case *c)
{
	const struct yaml_node *strategies = yaml_find(c->root, "strategies");
	const struct yaml_node *transformations = yaml_find(c->root, "resourceTransformations");
	const char *timestamp = table_text(c->root, "podsReadyRequeuingTimestamp");
	const struct yaml_node *config = table_with(c, NULL, "none", NULL);
	const struct yaml_node *fair = config;

	if (table_count(strategies) > 0)
		fair = table_with(c, fair, "preemptionStrategies", strategies);
	if (strcmp(table_text(c->root, "enableFairSharing"), "true") == 0 ||
	    strcmp(table_text(c->root, "table"), "TestFairPreemptions") == 0)
		config = table_with(c, config, "fairSharing", fair);
	if (table_count(transformations) > 0)
		config = table_with(c, config, "resources",
				    table_with(c, NULL, "transformations", transformations));
	if (strcmp(timestamp, "Creation") == 0)
		config = table_with(
			c, config, "waitForPodsReady",
			table_with(c, NULL, "requeuingStrategy",
				   table_with(c, NULL, "timestamp", table_scalar(c, timestamp))));
	return table_read(c, "Configuration", config);
}

static void open_state(struct table_case *c)
{
	const char *now = table_text(c->root, "now");

	for (uint32_t j = 0; j < c->workload_count; j++) {
		struct job *job = &c->scenario->jobs[j];

		job->priority = (int32_t)table_number(c->workloads[j].node, "spec.priority");
		job->pod_priority = job->priority;
	}
	options_default(&c->options);
	c->journal = journal_new(c->scenario, "kueue", JOURNAL_FULL);
	world_init(&c->world, c->scenario, &c->options, c->journal);
	c->world.now = read_time(*now == '\0' ? "2025-01-01T00:00:00Z" : now);
	plan_init(&c->plan);
	c->k = kueue_state_new(&c->world);
	c->k->plan = &c->plan;
	kueue_cycle_open(c->k);
}

bool table_start(struct table_case *c)
{
	struct builder *builder = c->builder;
	enum err_code code;

	sort_stable(c->workloads, c->workload_count, sizeof(*c->workloads), compare_uids, NULL);
	for (uint32_t i = 0; i < c->workload_count; i++) {
		if (!build_job(c, i))
			return false;
	}
	if (!configure(c))
		return false;
	c->builder = NULL;
	code = builder_finish(builder, &c->scenario, &c->err);
	if (code != ERR_OK)
		return table_differ(c, "cannot be resolved: %s", c->err.msg);
	restore_borrowing(c);
	open_state(c);
	for (uint32_t j = 0; j < c->workload_count; j++) {
		c->world.jobs[j].phase = JOB_PENDING;
		c->k->jobs[j].order = order_of(c, c->workloads[j].node);
	}
	for (uint32_t j = 0; j < c->workload_count; j++) {
		if (c->workloads[j].holds)
			hold(c, j);
	}
	return true;
}

void table_enqueue(struct table_case *c)
{
	for (uint32_t j = 0; j < c->workload_count; j++) {
		const struct yaml_node *node = c->workloads[j].node;

		if (!c->workloads[j].holds && c->k->jobs[j].class != KUEUE_NONE &&
		    !table_holds(node, "QuotaReserved") && !table_holds(node, "Finished") &&
		    strcmp(table_text(node, "spec.active"), "false") != 0)
			kueue_queue_push(c->k, j);
	}
}

bool table_open(struct table_case *c, const char *path)
{
	*c = (struct table_case){.arena = mem_arena_new(),
				 .builder = builder_new(),
				 .tally = tally_new()};
	c->fields = (struct fields){.builder = c->builder,
				    .arena = builder_arena(c->builder),
				    .tally = c->tally,
				    .file = path,
				    .kind = "",
				    .name = "",
				    .unknown = FIELDS_WARN,
				    .err = &c->err};
	if (source_read(path, &c->source, &c->err) != ERR_OK ||
	    yaml_open(&c->source, &c->reader, &c->err) != ERR_OK ||
	    yaml_next(c->reader, &c->root, &c->err) != ERR_OK || c->root == NULL)
		return table_differ(c, "cannot be read: %s", c->err.msg);
	c->want = yaml_find(c->root, "want");
	return true;
}

void table_close(struct table_case *c)
{
	if (c->k != NULL) {
		kueue_cycle_close(c->k);
		kueue_state_free(c->k);
		plan_free(&c->plan);
		world_free(&c->world);
		journal_free(c->journal);
	}
	if (c->scenario != NULL)
		scenario_free(c->scenario);
	if (c->builder != NULL)
		builder_free(c->builder);
	if (c->reader != NULL)
		yaml_close(c->reader);
	if (c->text_reader != NULL)
		yaml_close(c->text_reader);
	source_close(&c->source);
	tally_free(c->tally);
	mem_free(c->workloads);
	mem_arena_free(c->arena);
}

/* ---------------------------------------------------------- finding things */

uint32_t table_job(const struct table_case *c, const char *key)
{
	for (uint32_t j = 0; j < c->workload_count; j++) {
		const char *slash = strchr(c->workloads[j].key, '/');

		if (strcmp(strchr(key, '/') != NULL ? c->workloads[j].key : slash + 1, key) == 0)
			return j;
	}
	return JOB_NONE;
}

uint32_t table_queue(const struct table_case *c, const char *name)
{
	for (uint32_t i = 0; i < c->scenario->cluster_queue_count; i++) {
		if (strcmp(scenario_string(c->scenario, c->scenario->cluster_queues[i].name),
			   name) == 0)
			return i;
	}
	return KUEUE_NONE;
}

const char *table_resource_name(const struct table_case *c, uint32_t resource)
{
	return name_text(c->scenario->resources, resource);
}

const char *table_flavor_name(const struct table_case *c, uint32_t flavor)
{
	return flavor == KUEUE_NONE ? "none"
				    : scenario_string(c->scenario, c->k->flavors[flavor].name);
}

uint32_t table_column(const struct table_case *c, const char *flavor, const char *resource)
{
	for (uint32_t i = 0; i < c->k->column_count; i++) {
		if (strcmp(table_flavor_name(c, c->k->column_flavor[i]), flavor) == 0 &&
		    strcmp(table_resource_name(c, c->k->column_resource[i]), resource) == 0)
			return i;
	}
	return KUEUE_NONE;
}

void table_charge(struct table_case *c, const char *queue, const struct yaml_node *usage)
{
	for (uint32_t i = 0; i < table_count(usage); i++) {
		uint32_t column = table_column(c, table_text(usage->items[i], "flavor"),
					       table_text(usage->items[i], "resource"));

		if (column != KUEUE_NONE)
			quota_add(&c->k->tree, table_queue(c, queue), column,
				  table_number(usage->items[i], "value"));
	}
}
