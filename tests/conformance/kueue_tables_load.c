/* kueue_tables_load.c - from a case to a scenario and the state of a Kueue policy. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/kueue/kueue_class.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_second.h"
#include "sim/objects/objects_pod.h"
#include "sim/trace/trace.h"
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
	c->workloads[c->workload_count++] =
		(struct table_workload){.node = workload,
					.key = mem_arena_strdup(c->arena, key),
					.queue = queue,
					.holds = holds};
}

void table_add_pod_sets(struct table_case *c, const struct yaml_node *pod_sets, const char *queue)
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

static uint32_t optional_string(struct table_case *c, const struct yaml_node *node, const char *key)
{
	const char *text = table_text(node, key);

	return *text == '\0' ? NAME_NONE : table_string(c, text);
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
	const struct yaml_node *layers =
		yaml_find(request, "podsetSliceRequiredTopologyConstraints");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (yaml_find(request, modes[i].key) == NULL)
			continue;
		shape->topology_mode = modes[i].mode;
		if (modes[i].mode != TOPOLOGY_UNCONSTRAINED)
			shape->topology_level = table_string(c, table_text(request, modes[i].key));
	}
	shape->slice_level = optional_string(c, request, "podSetSliceRequiredTopology");
	shape->slice_size = (uint32_t)table_number(request, "podSetSliceSize");
	shape->topology_group = optional_string(c, request, "podSetGroupName");
	for (uint32_t i = 0; i < table_count(layers) && i <= JOB_INNER_SLICES; i++) {
		const struct slice_layer layer = {
			.level = optional_string(c, layers->items[i], "topology"),
			.size = (uint32_t)table_number(layers->items[i], "size")};

		if (i > 0) {
			shape->inner_slices[shape->inner_slice_count++] = layer;
			continue;
		}
		shape->slice_level = layer.level;
		shape->slice_size = layer.size;
	}
}

static bool read_pod_set(struct table_case *c, const struct yaml_node *node, uint32_t ns,
			 struct pod_set *set)
{
	const struct yaml_node *template = yaml_find(node, "template");
	struct objects_pod pod;
	int64_t count = table_number(node, "count");

	if (template == NULL || template->kind != YAML_MAP)
		return table_differ(c, "pod set %s: no template", table_text(node, "name"));
	c->fields.kind = "Workload";
	c->fields.name = table_text(node, "name");
	if (objects_pod_template(&c->fields, template, &pod) != ERR_OK) {
		c->refused = true;
		return table_differ(c, "cannot be loaded: %s", c->err.msg);
	}
	pod.template.base.constraints =
		objects_affinity_finish(&c->fields, &pod.affinity, &(struct label_set){0});
	read_topology_request(c, yaml_find(node, "topologyRequest"), &pod.template.base);
	/* Kueue asks for slices of the workers of a group, not of its leader. */
	if (pod.template.base.topology_group != NAME_NONE && count == 1 &&
	    pod.template.base.slice_size == 0)
		pod.template.base.slice_level = NAME_NONE;
	if (pod.template.base.slice_level != NAME_NONE && pod.template.base.slice_size == 0) {
		c->refused = true;
		return table_differ(c, "pod set %s: a slice level without a size",
				    table_text(node, "name"));
	}
	*set = (struct pod_set){.name = table_string(c, table_text(node, "name")),
				.shape = builder_template(c->builder, &pod.template, ns),
				.count = (uint32_t)count,
				.min_count = (uint32_t)count};
	set->has_min = yaml_find(node, "minCount") != NULL;
	if (set->has_min)
		set->min_count = (uint32_t)table_number(node, "minCount");
	return true;
}

/* Workloads that belong to a ClusterQueue without naming a LocalQueue get one. */
static uint32_t own_local_queue(struct table_case *c, const char *queue, uint32_t ns)
{
	char name[256];
	struct local_queue record = {.ns = ns,
				     .cluster_queue_name = table_string(c, queue),
				     .fair_weight = INT64_C(1000000000)};

	snprintf(name, sizeof(name), OWN_QUEUE "%s", queue);
	if (name_find(builder_strings(c->builder), name) == NAME_NONE) {
		record.name = table_string(c, name);
		builder_add(c->builder, KIND_LOCAL_QUEUE, &record, (struct place){0}, KIND_ALWAYS);
	}
	return table_string(c, name);
}

static struct pod_set nothing(struct table_case *c)
{
	struct pod_shape shape = {.request = builder_vector(c->builder),
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE,
				  .container_count = 1};

	return (struct pod_set){.name = table_string(c, "main"),
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
	struct job_common common = {.ns = table_string(c, table_namespace(w->node)),
				    .queue = optional_string(c, w->node, "spec.queueName"),
				    .priority_class = NAME_NONE,
				    .pod_set_count = (uint16_t)count};
	struct job job = {.duration = JOB_ENDLESS,
			  .name = NAME_NONE,
			  .row = index,
			  .common = &common,
			  .utilisation = 1000,
			  .extra = JOB_NONE};

	for (uint32_t i = 0; i < count; i++) {
		if (!read_pod_set(c, list->items[i], common.ns, &sets[i]))
			return false;
	}
	if (count == 0) /* the case is not about its pods */
		sets[common.pod_set_count++] = nothing(c);
	if (w->queue != NULL) {
		common.ns = table_string(c, "own-queues");
		common.queue = own_local_queue(c, w->queue, common.ns);
	}
	common.first_pod_set = builder_pod_sets(c->builder, sets, common.pod_set_count);
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
	const struct yaml_node *preempted = table_condition(workload, "Preempted");
	const char *reason = table_text(evicted, "reason");
	bool timeout =
		strcmp(reason, "PodsReadyTimeout") == 0 && !c->scenario->config.requeue_by_creation;

	if (table_holds(workload, "Evicted") && (timeout || strcmp(reason, "AdmissionCheck") == 0))
		return read_time(table_text(evicted, "lastTransitionTime"));
	if (!c->k->gates.sorts_by_priority && table_holds(workload, "Preempted") &&
	    strcmp(table_text(preempted, "reason"), "InCohortReclaimWhileBorrowing") == 0)
		return clock_add(read_time(table_text(preempted, "lastTransitionTime")),
				 CLOCK_SECOND / 1000);
	return read_time(table_text(workload, "metadata.creationTimestamp"));
}

/* The item of the list that has the name; NULL. */
static const struct yaml_node *named(const struct yaml_node *list, const char *name)
{
	for (uint32_t i = 0; i < table_count(list); i++) {
		if (strcmp(table_text(list->items[i], "name"), name) == 0)
			return list->items[i];
	}
	return NULL;
}

/* Where the workload has fewer pods now, or has some to give back, it uses less than
 * its admission says. */
static int64_t scale_down(const struct yaml_node *workload, const struct yaml_node *set,
			  int64_t amount)
{
	const char *name = table_text(set, "name");
	const struct yaml_node *now = named(table_at(workload, "spec.podSets"), name);
	int64_t pods = table_number(set, "count"), left = table_number(now, "count");
	int64_t back =
		table_number(named(table_at(workload, "status.reclaimablePods"), name), "count");

	left -= back < left ? back : left;
	return now == NULL || left >= pods ? amount : amount / pods * left;
}

/* The use of one pod set of an admission, added to amounts. */
static uint32_t add_usage(const struct table_case *c, const struct yaml_node *workload,
			  const struct yaml_node *set, struct quota_amount *amounts, uint32_t count)
{
	const struct yaml_node *usage = yaml_find(set, "resourceUsage");

	for (uint32_t i = 0; i < table_pairs(usage); i++) {
		const char *resource = usage->pairs[i].key->text;
		const char *text = table_text(usage->pairs[i].value, "");
		const char *flavor = table_text(yaml_find(yaml_find(set, "flavors"), resource), "");
		uint32_t column, at = 0;
		int64_t amount;

		column = table_column(c, flavor, resource);
		if (column == KUEUE_NONE)
			continue;
		num_read_quantity(text, strlen(text), res_is_milli(c->k->column_resource[column]),
				  &amount);
		while (at < count && amounts[at].column != column)
			at++;
		if (at == count)
			amounts[count++] = (struct quota_amount){column, 0};
		amounts[at].amount = res_add(amounts[at].amount, scale_down(workload, set, amount));
	}
	return count;
}

/* Pods of an admission that were given domains are there. */
static void spread(struct table_case *c, uint32_t job, const struct yaml_node *sets)
{
	const struct kueue_form *form = kueue_form_of(c->k, job);
	struct kueue_spot *spots = NULL;
	size_t capacity = 0;
	uint32_t count = 0;

	for (uint32_t s = 0; c->k->topology != NULL && s < table_count(sets); s++) {
		const struct pod_set *set = &c->scenario->pod_sets[form->first_pod_set + s];
		uint32_t tree = table_topology_flavor(c, sets->items[s]), domains;
		const struct table_domain *domain = table_domains(c, sets->items[s], &domains);

		for (uint32_t d = 0; tree != KUEUE_NONE && d < domains; d++) {
			spots = mem_grow(spots, count + 1U, &capacity, sizeof(*spots));
			spots[count++] = (struct kueue_spot){
				.set = s,
				.tree = tree,
				.place = name_add(c->k->topology->places, domain[d].place),
				.pods = domain[d].pods,
				.shape = &c->scenario->shapes[set->shape]};
		}
	}
	kueue_hold_spots(c->k, job, spots, count);
	for (uint32_t i = 0; i < count; i++)
		kueue_topology_use(c->k->topology, spots[i].tree, spots[i].place, spots[i].shape,
				   spots[i].pods);
	mem_free(spots);
}

const struct quota_amount *table_usage(struct table_case *c, const struct yaml_node *workload,
				       const struct yaml_node *sets, uint32_t *count)
{
	struct quota_amount *amounts =
		mem_arena_alloc(c->arena, (c->k->column_count + 1U) * sizeof(*amounts));

	*count = 0;
	for (uint32_t i = 0; i < table_count(sets); i++)
		*count = add_usage(c, workload, sets->items[i], amounts, *count);
	return amounts;
}

bool table_is_ready(const struct yaml_node *checks)
{
	bool ready = table_count(checks) > 0;

	for (uint32_t i = 0; i < table_count(checks); i++)
		ready = ready && strcmp(table_text(checks->items[i], "state"), "Ready") == 0;
	return ready;
}

static uint32_t flavor_named(const struct table_case *c, const char *name)
{
	for (uint32_t f = 0; f < c->k->flavor_count; f++) {
		if (strcmp(table_flavor_name(c, f), name) == 0)
			return f;
	}
	return KUEUE_NONE;
}

/* Flavors and counts of the reservation, for a second pass. */
static void keep_choices(struct table_case *c, uint32_t job, const struct yaml_node *sets)
{
	const struct kueue_form *form = kueue_form_of(c->k, job);
	struct kueue_assignment a;

	kueue_assignment_init(c->k, &a);
	for (uint32_t s = 0; s < form->set_count; s++) {
		const struct yaml_node *flavors = yaml_find(sets->items[s], "flavors");

		a.sets[s].count = (uint32_t)table_number(sets->items[s], "count");
		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			const struct yaml_node *flavor =
				yaml_find(flavors, table_resource_name(c, form->slots[i].resource));

			a.choices[i].flavor = flavor == NULL
						      ? KUEUE_NONE
						      : flavor_named(c, table_text(flavor, ""));
		}
	}
	kueue_flavor_keep(c->k, job, &a);
	kueue_assignment_free(&a);
}

/* Domains of some pod sets are still to come: a second pass is due. */
static void await(struct table_case *c, uint32_t job, const struct yaml_node *sets)
{
	const struct yaml_node *node = c->workloads[job].node;
	bool pending = false;

	for (uint32_t s = 0; s < table_count(sets); s++)
		pending = pending || strcmp(table_text(sets->items[s], "delayedTopologyRequest"),
					    "Pending") == 0;
	if (!pending)
		return;
	keep_choices(c, job, sets);
	c->k->holds[c->k->jobs[job].hold].awaits = true;
	world_job(&c->world, job)->phase = JOB_RESERVED;
	if (!table_is_ready(table_at(node, "status.admissionChecks")) ||
	    table_holds(node, "Admitted"))
		return;
	kueue_life_own(c->k, job)->second_due = c->world.now;
	kueue_second_due(c->k, job);
}

/* One podSetAssignment as the journal keeps it. */
static struct admission_pod_set set_of(struct table_case *c, const struct yaml_node *set)
{
	const struct yaml_node *named = yaml_find(set, "flavors");
	uint32_t domain_count;
	const struct table_domain *places = table_domains(c, set, &domain_count);
	struct admission_flavor *flavors =
		mem_arena_alloc(c->arena, (table_pairs(named) + 1U) * sizeof(*flavors));
	struct admission_domain *domains =
		mem_arena_alloc(c->arena, (domain_count + 1U) * sizeof(*domains));
	struct admission_pod_set out = {.count = (uint32_t)table_number(set, "count"),
					.flavors = flavors,
					.domain_count = domain_count,
					.domains = domains};

	for (uint32_t i = 0; i < table_pairs(named); i++) {
		uint32_t column = table_column(c, table_text(named->pairs[i].value, ""),
					       named->pairs[i].key->text);

		if (column != KUEUE_NONE)
			flavors[out.flavor_count++] = (struct admission_flavor){
				.resource = c->k->column_resource[column],
				.flavor = c->k->flavors[c->k->column_flavor[column]].index};
	}
	for (uint32_t i = 0; i < domain_count; i++)
		domains[i] = (struct admission_domain){journal_string(c->journal, places[i].place),
						       places[i].pods};
	return out;
}

static void remember_admission(struct table_case *c, uint32_t job, uint32_t queue,
			       const struct yaml_node *sets)
{
	uint32_t count = c->scenario->jobs[job].common->pod_set_count;
	struct admission_pod_set *own = mem_arena_alloc(c->arena, count * sizeof(*own));
	const struct admission admission = {
		.cluster_queue = queue, .pod_set_count = count, .pod_sets = own};

	for (uint32_t i = 0; i < count; i++)
		own[i] = i < table_count(sets) ? set_of(c, sets->items[i])
					       : (struct admission_pod_set){0};
	world_job(&c->world, job)->admission = journal_admission(c->journal, &admission);
	if (c->k->first_variant == 0)
		kueue_variant(c->k, job)->admission = world_job(&c->world, job)->admission;
}

/* A node failed under it: Kueue looks for another one. */
static void fail_node(struct table_case *c, uint32_t job)
{
	const struct yaml_node *nodes = table_at(c->workloads[job].node, "status.unhealthyNodes");

	if (table_count(nodes) == 0 || c->k->topology == NULL)
		return;
	kueue_life_own(c->k, job)->unhealthy = kueue_life_own(c->k, job)->replaces =
		name_add(c->k->topology->places, table_text(nodes->items[0], "name"));
	keep_choices(c, job,
		     table_at(c->workloads[job].node, "status.admission.podSetAssignments"));
	kueue_life_own(c->k, job)->second_due = c->world.now;
	kueue_second_due(c->k, job);
}

static void hold(struct table_case *c, uint32_t job)
{
	const struct yaml_node *node = c->workloads[job].node;
	const struct yaml_node *sets = table_at(node, "status.admission.podSetAssignments");
	const struct quota_amount *amounts;
	simtime now = c->world.now;
	uint32_t count, queue;

	queue = table_queue(c, table_text(node, "status.admission.clusterQueue"));
	if (queue == KUEUE_NONE)
		return;
	amounts = table_usage(c, node, sets, &count);
	c->world.now =
		read_time(table_text(table_condition(node, "QuotaReserved"), "lastTransitionTime"));
	kueue_hold_new(c->k, job, queue, kueue_usage_number(c->k, job, amounts, count));
	spread(c, job, sets);
	await(c, job, sets);
	remember_admission(c, job, queue, sets);
	if (table_holds(node, "Admitted"))
		kueue_life_own(c->k, job)->admitted = clock_floor_second(c->world.now);
	c->world.now = now;
	if (!c->k->holds[c->k->jobs[job].hold].awaits)
		world_job(&c->world, job)->phase = JOB_ADMITTED;
	if (table_holds(node, "Evicted")) {
		kueue_hold_evict(c->k, job);
		world_job(&c->world, job)->phase = JOB_EVICTED;
	}
	fail_node(c, job);
}

static void restore_borrowing(struct table_case *c)
{
	const struct yaml_node *list = yaml_find(c->root, "clusterQueues");

	for (uint32_t i = 0; i < table_count(list); i++) {
		const struct yaml_node *spec = yaml_find(list->items[i], "spec");
		uint32_t queue = table_queue(c, table_text(list->items[i], "metadata.name"));

		if (table_only_borrows(c, spec))
			c->scenario->cluster_queues[queue].borrow_within_cohort =
				PREEMPT_LOWER_PRIORITY;
	}
}

/* What a table passes to the scheduler, as the Configuration that says the same. */
static bool configure(struct table_case *c)
{
	const struct yaml_node *strategies = yaml_find(c->root, "strategies");
	const struct yaml_node *transformations = yaml_find(c->root, "resourceTransformations");
	const struct yaml_node *gates = yaml_find(c->root, "featureGates");
	const char *timestamp = table_text(c->root, "podsReadyRequeuingTimestamp");
	const struct yaml_node *config = table_with(c, NULL, "none", NULL);
	const struct yaml_node *fair = config;

	if (table_count(strategies) > 0)
		fair = table_with(c, fair, "preemptionStrategies", strategies);
	if (table_is_fair(c))
		config = table_with(c, config, "fairSharing", fair);
	if (table_pairs(gates) > 0)
		config = table_with(c, config, "featureGates", gates);
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

		struct job_common *common =
			mem_arena_copy(c->arena, job->common, 1, sizeof(*common));

		common->priority = (int32_t)table_number(c->workloads[j].node, "spec.priority");
		common->pod_priority = common->priority;
		job->common = common;
	}
	options_default(&c->options);
	c->journal = journal_new(c->scenario, "kueue", JOURNAL_FULL);
	world_init(&c->world, c->scenario, &c->options, c->journal);
	for (uint32_t job = 0; job < c->scenario->job_count; job++)
		world_begin(&c->world, job);
	c->world.now = read_time(*now == '\0' ? "2025-01-01T00:00:00Z" : now);
	plan_init(&c->plan);
	c->k = policy_kueue.open(&c->world, &c->plan, &c->err);
}

/* ---------------------------------------------------------------- variants */

#define ALLOWED_FLAVOR "kueue.x-k8s.io/workload-allowed-resource-flavors"

static bool is_variant(const struct yaml_node *workload)
{
	return yaml_find(table_at(workload, "metadata.annotations"), ALLOWED_FLAVOR) != NULL;
}

/* A gate without a state is closed. */
static bool is_gated(const struct yaml_node *workload)
{
	const struct yaml_node *states = table_at(workload, "status.preemptionGates");

	return table_count(table_at(workload, "spec.preemptionGates")) > 0 &&
	       (table_count(states) == 0 ||
		strcmp(table_text(states->items[0], "position"), "Closed") == 0);
}

static struct kueue_variant variant_of(struct table_case *c, uint32_t job)
{
	const struct yaml_node *node = c->workloads[job].node;
	struct kueue_variant v = {.job = job,
				  .flavor = KUEUE_NONE,
				  .admission = JOB_NONE,
				  .opened = is_gated(node) ? -1 : 0,
				  .made = true};

	if (is_variant(node) && c->k->jobs[job].class != KUEUE_NONE) {
		v.flavor = flavor_named(c, table_text(yaml_find(table_at(node, "metadata."
									       "annotations"),
								ALLOWED_FLAVOR),
						      ""));
		c->k->jobs[job].class =
			kueue_class_with_flavor(c->k, c->k->jobs[job].class, v.flavor);
	}
	return v;
}

/* The tables have variants without their parents: here each is its own job, and all are of
 * one family. What else is there is a variant for any flavor. */
static void make_variants(struct table_case *c)
{
	struct kueue *k = c->k;
	bool any = false;

	for (uint32_t j = 0; j < c->workload_count; j++)
		any = any || is_variant(c->workloads[j].node) || is_gated(c->workloads[j].node);
	if (!any)
		return;
	k->variants = mem_calloc(c->workload_count, sizeof(*k->variants));
	k->families = mem_calloc(1, sizeof(*k->families));
	k->families[0] = (struct kueue_family){.count = c->workload_count, .seat = KUEUE_NONE};
	k->first_variant = 0;
	for (uint32_t j = 0; j < c->workload_count; j++)
		k->variants[j] = variant_of(c, j);
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
	make_variants(c);
	for (uint32_t j = 0; j < c->workload_count; j++) {
		world_job(&c->world, j)->phase = JOB_PENDING;
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

		if (!c->workloads[j].holds && !c->workloads[j].aside &&
		    c->k->jobs[j].class != KUEUE_NONE && !table_holds(node, "QuotaReserved") &&
		    !table_holds(node, "Finished") &&
		    strcmp(table_text(node, "spec.active"), "false") != 0)
			kueue_queue_push(c->k, j);
	}
}

bool table_open(struct table_case *c, const char *path)
{
	*c = (struct table_case){
		.arena = mem_arena_new(), .builder = builder_new(), .tally = tally_new()};
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
		policy_kueue.close(c->k);
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

/* ------------------------------------------------- what else is on the nodes */

static bool is_bound(const struct yaml_node *pod)
{
	const char *phase = table_text(pod, "status.phase");

	return *table_text(pod, "spec.nodeName") != '\0' && strcmp(phase, "Failed") != 0 &&
	       strcmp(phase, "Succeeded") != 0;
}

void table_add_pods(struct table_case *c)
{
	const struct yaml_node *pods = yaml_find(c->root, "pods");
	const struct yaml_node *one = table_scalar(c, "1");

	for (uint32_t i = 0; i < table_count(pods); i++) {
		const struct yaml_node *set = table_with(c, table_with(c, NULL, "count", one),
							 "template", pods->items[i]);

		table_add_pod_sets(c, table_list(c, &set, 1), OWN_QUEUE);
		c->workloads[c->workload_count - 1].aside = true;
	}
}

static uint32_t node_named(const struct table_case *c, const char *name)
{
	for (uint32_t n = 0; n < c->scenario->node_count; n++) {
		if (strcmp(scenario_string(c->scenario, c->scenario->nodes[n].name), name) == 0)
			return n;
	}
	return NODE_NONE;
}

void table_occupy(struct table_case *c, struct kueue_topology *topology)
{
	for (uint32_t j = 0; j < c->workload_count; j++) {
		const struct yaml_node *sets = table_at(c->workloads[j].node, "spec.podSets");
		const struct yaml_node *pod;
		uint32_t node;

		if (!c->workloads[j].aside)
			continue;
		pod = yaml_find(sets->items[0], "template");
		node = node_named(c, table_text(pod, "spec.nodeName"));
		if (is_bound(pod) && node != NODE_NONE)
			kueue_topology_occupy(topology, node, table_shape(c, j, 0), 1);
	}
}

/* ---------------------------------------------------------- finding things */

const struct pod_shape *table_shape(const struct table_case *c, uint32_t job, uint32_t set)
{
	const struct scenario *s = c->scenario;

	return &s->shapes[s->pod_sets[s->jobs[job].common->first_pod_set + set].shape];
}

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

uint32_t table_topology_flavor(const struct table_case *c, const struct yaml_node *set)
{
	const struct yaml_node *flavors = yaml_find(set, "flavors");

	for (uint32_t i = 0; i < table_pairs(flavors); i++) {
		for (uint32_t f = 0; f < c->k->flavor_count; f++) {
			const struct flavor *now = c->k->flavors[f].now;

			if (now != NULL && now->topology_name != NAME_NONE &&
			    yaml_text_is(flavors->pairs[i].value, table_flavor_name(c, f)))
				return f;
		}
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
