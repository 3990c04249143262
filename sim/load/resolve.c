#include "sim/load/resolve.h"

#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/lint/lint.h"
#include "sim/load/resolve_class.h"
#include "sim/load/resolve_jobs.h"
#include "sim/load/webhooks.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/scenario/limits.h"
#include "sim/scenario/prices.h"
#include "sim/scenario/profile.h"
#include "sim/scenario/shape.h"
#include "sim/scenario/template.h"

#define NANO INT64_C(1000000000)

/* ---- records in their order ---- */

/* The API server would take the second of two objects of one name as a change
 * of the first; so does this, but it is hardly ever what was meant. */
static enum err_code duplicate(struct resolver *r, enum kind kind, const void *record,
			       const struct draft_meta *first, const struct draft_meta *second)
{
	static const struct finding_rule rule = {"defined-twice", FINDING_WARNING};
	static const char twice[] = "delete one of them, or rename it";
	const char *name = resolve_text(r, draft_name(record));
	struct place at = second->where;

	if (first->where.file == NULL || at.file == NULL)
		return ERR_OK;
	if (r->builder->strict)
		return resolve_fault(
			r, ERR_DUPLICATE, at, twice, "%s \"%s\" is defined twice, first at %s:%ld",
			kinds_row(kind)->name, name, first->where.file, first->where.line);
	draft_fault(r->builder, &rule, at, twice,
		    "%s \"%s\" is defined twice, first at %s:%ld: the last one holds, as after "
		    "kubectl apply",
		    kinds_row(kind)->name, name, first->where.file, first->where.line);
	return ERR_OK;
}

static enum err_code place_live(struct resolver *r, enum kind kind, uint32_t from)
{
	struct draft_list *list = &r->builder->lists[kind];
	struct placed *placed = &r->placed[kind];
	size_t size = kinds_row(kind)->size;
	const void *record = draft_record(list, kind, from);
	enum err_code code = ERR_OK;
	uint32_t at = draft_index_put(&placed->index, draft_name(record), draft_ns(kind, record),
				      placed->live, false);

	if (at == NAME_NONE)
		at = placed->live++;
	else
		code = duplicate(r, kind, record, &placed->meta[at], &list->meta[from]);
	memcpy(placed->records + at * size, record, size);
	placed->meta[at] = list->meta[from];
	return code;
}

/* What only an update makes has a place among the live ones all the same. */
static void place_absent(struct resolver *r, enum kind kind, uint32_t from)
{
	struct draft_list *list = &r->builder->lists[kind];
	struct placed *placed = &r->placed[kind];
	size_t size = kinds_row(kind)->size;
	const void *record = draft_record(list, kind, from);

	if (draft_index_put(&placed->index, draft_name(record), draft_ns(kind, record),
			    placed->live, false) != NAME_NONE)
		return;
	memcpy(placed->records + placed->live * size, record, size);
	kinds_make_absent(kind, placed->records + placed->live * size);
	placed->meta[placed->live++] = list->meta[from];
}

/* Nodes have numbers of their own for what comes later (world.h), and a namespace
 * always exists. */
static bool has_absent(enum kind kind)
{
	return kinds_comes_and_goes(kind) && kind != KIND_NODE;
}

static enum err_code place_kind(struct resolver *r, enum kind kind)
{
	struct draft_list *list = &r->builder->lists[kind];
	struct placed *placed = &r->placed[kind];
	size_t size = kinds_row(kind)->size;
	enum err_code code = ERR_OK;

	placed->records = mem_arena_alloc(r->builder->arena, 2 * list->count * size);
	placed->meta =
		mem_arena_alloc(r->builder->scratch, 2 * list->count * sizeof(*placed->meta));
	draft_index_init(&placed->index, list->count);
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++)
		if (list->meta[i].at == KIND_ALWAYS)
			code = place_live(r, kind, i);
	for (uint32_t i = 0; i < list->count && has_absent(kind); i++)
		if (list->meta[i].at != KIND_ALWAYS)
			place_absent(r, kind, i);
	placed->total = placed->live;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->meta[i].at == KIND_ALWAYS)
			continue;
		memcpy(placed->records + placed->total * size, draft_record(list, kind, i), size);
		placed->meta[placed->total++] = list->meta[i];
	}
	return code;
}

static void need_cohort(struct builder *builder, struct draft_index *known, uint32_t name)
{
	struct cohort cohort = {
		.name = name, .parent = NAME_NONE, .implicit = true, .fair_weight = NANO};

	if (name == NAME_NONE || draft_index_put(known, name, NAME_NONE, 0, false) != NAME_NONE)
		return;
	draft_add(builder, KIND_COHORT, &cohort, (struct place){0}, KIND_ALWAYS);
}

/* Spec KUEUE.md 2.1: a cohort that is only named exists, without quota. */
static void add_implicit_cohorts(struct builder *builder)
{
	struct draft_list *queues = &builder->lists[KIND_CLUSTER_QUEUE];
	struct draft_list *cohorts = &builder->lists[KIND_COHORT];
	uint32_t written = cohorts->count;
	struct draft_index known;

	draft_index_init(&known, written);
	for (uint32_t i = 0; i < written; i++)
		if (cohorts->meta[i].at == KIND_ALWAYS)
			draft_index_put(&known, draft_name(draft_record(cohorts, KIND_COHORT, i)),
					NAME_NONE, 0, false);
	for (uint32_t i = 0; i < queues->count; i++) {
		const struct cluster_queue *queue = draft_record(queues, KIND_CLUSTER_QUEUE, i);

		need_cohort(builder, &known, queue->cohort);
	}
	for (uint32_t i = 0; i < written; i++) {
		const struct cohort *cohort = draft_record(cohorts, KIND_COHORT, i);

		need_cohort(builder, &known, cohort->parent);
	}
	draft_index_free(&known);
}

/* A namespace that is only used exists too. */
static void add_implicit_namespaces(struct builder *builder)
{
	struct draft_list *list = &builder->lists[KIND_NAMESPACE];
	struct draft_list *queues = &builder->lists[KIND_LOCAL_QUEUE];
	/* Of jobs that were joined or dropped each is asked. */
	uint32_t used = builder->has_manifests ? builder->job_count : builder->job_ns_count;
	struct draft_index known;

	draft_index_init(&known, list->count);
	for (uint32_t i = 0; i < list->count; i++)
		if (list->meta[i].at == KIND_ALWAYS)
			draft_index_put(&known, draft_name(draft_record(list, KIND_NAMESPACE, i)),
					NAME_NONE, 0, false);
	for (uint64_t i = 0; i < (uint64_t)queues->count + used; i++) {
		struct ns_record ns = {0};

		if (i < queues->count)
			ns.name = draft_ns(KIND_LOCAL_QUEUE,
					   draft_record(queues, KIND_LOCAL_QUEUE, (uint32_t)i));
		else if (builder->has_manifests)
			ns.name = builder->jobs[i - queues->count].common->ns;
		else
			ns.name = builder->job_ns[i - queues->count];
		if (ns.name != NAME_NONE &&
		    draft_index_put(&known, ns.name, NAME_NONE, 0, false) == NAME_NONE)
			draft_add(builder, KIND_NAMESPACE, &ns, (struct place){0}, KIND_ALWAYS);
	}
	draft_index_free(&known);
}

/* ---- updates ---- */

struct ordered_update {
	struct update update;
	enum kind kind;
	uint32_t order;
};

static int compare_updates(const void *a, const void *b, void *context)
{
	const struct ordered_update *x = a, *y = b;

	(void)context;
	if (x->update.at != y->update.at)
		return x->update.at < y->update.at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static uint32_t collect_updates(const struct resolver *r, struct ordered_update *all)
{
	uint32_t count = 0;

	for (int k = 0; k < KIND_COUNT; k++) {
		const struct placed *placed = &r->placed[k];
		enum kind kind = (enum kind)k;

		for (uint32_t i = placed->live; i < placed->total; i++)
			all[count++] = (struct ordered_update){
				.kind = kind,
				.order = placed->meta[i].order,
				.update = {.at = placed->meta[i].at,
					   .kind = (enum update_kind)kinds_row(kind)->update,
					   .version = i}};
	}
	return count;
}

/* The first version of something that is not there from the start makes it;
 * later versions then name that first one. */
static uint32_t updated_object(struct placed *placed, enum kind kind, uint32_t version)
{
	const void *record = placed->records + version * kinds_row(kind)->size;
	uint32_t before = draft_index_put(&placed->index, draft_name(record),
					  draft_ns(kind, record), version, false);

	return before == NAME_NONE ? SCENARIO_NONE : before;
}

static void make_updates(struct resolver *r)
{
	struct scenario *scenario = r->scenario;
	struct ordered_update *all;
	uint32_t count = 0;

	for (int k = 0; k < KIND_COUNT; k++)
		count += r->placed[k].total - r->placed[k].live;
	all = mem_calloc(count, sizeof(*all));
	collect_updates(r, all);
	sort_stable(all, count, sizeof(*all), compare_updates, NULL);
	scenario->updates = mem_arena_alloc(r->builder->arena, count * sizeof(*scenario->updates));
	scenario->update_count = count;
	for (uint32_t i = 0; i < count; i++) {
		scenario->updates[i] = all[i].update;
		scenario->updates[i].object =
			updated_object(&r->placed[all[i].kind], all[i].kind, all[i].update.version);
	}
	mem_free(all);
}

/* WorkloadPriorityClasses follow the PriorityClasses in one array. */
static void join_priority_classes(struct resolver *r)
{
	const struct placed *pods = &r->placed[KIND_PRIORITY_CLASS];
	const struct placed *workloads = &r->placed[KIND_WORKLOAD_PRIORITY_CLASS];
	size_t size = sizeof(struct priority_class);
	struct scenario *scenario = r->scenario;

	scenario->priority_classes =
		mem_arena_alloc(r->builder->arena, (pods->total + workloads->total) * size);
	memcpy(scenario->priority_classes, pods->records, pods->total * size);
	memcpy(scenario->priority_classes + pods->total, workloads->records,
	       workloads->total * size);
	scenario->priority_class_count = pods->live + workloads->live;
	for (uint32_t i = 0; i < scenario->update_count; i++) {
		struct update *u = &scenario->updates[i];

		if (u->kind != UPDATE_WORKLOAD_PRIORITY_CLASS)
			continue;
		u->version += pods->total;
		if (u->object != SCENARIO_NONE)
			u->object += pods->total;
	}
}

static void hand_over_records(struct resolver *r)
{
	struct scenario *s = r->scenario;
	const struct placed *p = r->placed;

	s->namespaces = (void *)p[KIND_NAMESPACE].records;
	s->namespace_count = p[KIND_NAMESPACE].live;
	s->flavors = (void *)p[KIND_FLAVOR].records;
	s->flavor_count = p[KIND_FLAVOR].live;
	s->topologies = (void *)p[KIND_TOPOLOGY].records;
	s->topology_count = p[KIND_TOPOLOGY].live;
	s->cluster_queues = (void *)p[KIND_CLUSTER_QUEUE].records;
	s->cluster_queue_count = p[KIND_CLUSTER_QUEUE].live;
	s->cohorts = (void *)p[KIND_COHORT].records;
	s->cohort_count = p[KIND_COHORT].live;
	s->local_queues = (void *)p[KIND_LOCAL_QUEUE].records;
	s->local_queue_count = p[KIND_LOCAL_QUEUE].live;
	s->checks = (void *)p[KIND_CHECK].records;
	s->check_count = p[KIND_CHECK].live;
	s->provisioning_configs = (void *)p[KIND_PROVISIONING_CONFIG].records;
	s->provisioning_config_count = p[KIND_PROVISIONING_CONFIG].live;
	s->resource_quotas = (void *)p[KIND_RESOURCE_QUOTA].records;
	s->resource_quota_count = p[KIND_RESOURCE_QUOTA].live;
	s->limit_ranges = (void *)p[KIND_LIMIT_RANGE].records;
	s->limit_range_count = p[KIND_LIMIT_RANGE].live;
	s->budgets = (void *)p[KIND_BUDGET].records;
	s->budget_count = p[KIND_BUDGET].live;
	s->profiles = (void *)p[KIND_PROFILE].records;
	s->profile_count = p[KIND_PROFILE].live;
	s->nodes = (void *)p[KIND_NODE].records;
	s->node_count = p[KIND_NODE].live;
}

/* ---- references between objects ---- */

static void missing(struct resolver *r, struct place where, const char *what, uint32_t name,
		    const char *by, uint32_t by_name, const char *effect)
{
	static const struct finding_rule rule = {"object-missing", FINDING_WARNING};

	if (draft_left_out(r->builder, what, resolve_text(r, name)))
		return;
	draft_fault(r->builder, &rule, where, "give the object, or correct the name",
		    "%s \"%s\" names %s \"%s\", which is not in the input: without it %s", by,
		    resolve_text(r, by_name), what, resolve_text(r, name), effect);
}

static void resolve_flavors(struct resolver *r)
{
	const struct placed *placed = &r->placed[KIND_FLAVOR];

	for (uint32_t i = 0; i < placed->total; i++) {
		struct flavor *flavor = &r->scenario->flavors[i];

		flavor->topology = SCENARIO_NONE;
		if (flavor->topology_name == NAME_NONE)
			continue;
		flavor->topology =
			resolve_lookup(r, KIND_TOPOLOGY, flavor->topology_name, NAME_NONE);
		if (flavor->topology == SCENARIO_NONE)
			missing(r, placed->meta[i].where, "Topology", flavor->topology_name,
				"ResourceFlavor", flavor->name,
				"ClusterQueues with this flavor are inactive");
	}
}

static void resolve_groups(struct resolver *r, const struct resource_group **groups, uint32_t count)
{
	struct resource_group *copy;

	if (count == 0)
		return;
	copy = mem_arena_alloc(r->builder->arena, count * sizeof(*copy));
	for (uint32_t g = 0; g < count; g++) {
		uint32_t *flavors;

		copy[g] = (*groups)[g];
		flavors =
			mem_arena_alloc(r->builder->arena, copy[g].flavor_count * sizeof(*flavors));
		for (uint32_t f = 0; f < copy[g].flavor_count; f++)
			flavors[f] =
				resolve_lookup(r, KIND_FLAVOR, copy[g].flavor_names[f], NAME_NONE);
		copy[g].flavors = flavors;
	}
	*groups = copy;
}

/* Kueue: an AdmissionCheck for nodes is active while its config exists. */
static void resolve_check(struct resolver *r, struct admission_check *check, struct place where)
{
	static const struct finding_rule rule = {"object-missing", FINDING_WARNING};

	if (check->config_name != NAME_NONE)
		check->config =
			resolve_lookup(r, KIND_PROVISIONING_CONFIG, check->config_name, NAME_NONE);
	if (!check->provisions || check->config != SCENARIO_NONE)
		check->active = true;
	else if (!check->active && check->config_name != NAME_NONE)
		missing(r, where, "ProvisioningRequestConfig", check->config_name, "AdmissionCheck",
			check->name, "its queues are inactive and admit nothing");
	else if (!check->active)
		draft_fault(r->builder, &rule, where,
			    "give it spec.parameters: apiGroup, kind and name of the config",
			    "AdmissionCheck \"%s\" has no parameters, which are to name a "
			    "ProvisioningRequestConfig: its queues are inactive and admit nothing",
			    resolve_text(r, check->name));
}

static void resolve_admission_checks(struct resolver *r)
{
	const struct placed *placed = &r->placed[KIND_CHECK];

	for (uint32_t i = 0; i < placed->total; i++)
		resolve_check(r, &r->scenario->checks[i], placed->meta[i].where);
}

static void resolve_queue_checks(struct resolver *r, struct cluster_queue *queue,
				 struct place where)
{
	struct check_ref *copy;

	if (queue->check_count == 0)
		return;
	copy = mem_arena_alloc(r->builder->arena, queue->check_count * sizeof(*copy));
	for (uint32_t i = 0; i < queue->check_count; i++) {
		copy[i] = queue->checks[i];
		copy[i].check = resolve_lookup(r, KIND_CHECK, copy[i].name, NAME_NONE);
		if (copy[i].check == SCENARIO_NONE)
			missing(r, where, "AdmissionCheck", copy[i].name, "ClusterQueue",
				queue->name, "the queue is inactive and admits nothing");
	}
	queue->checks = copy;
}

static void report_missing_flavors(struct resolver *r, const struct cluster_queue *queue,
				   struct place where)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->groups[g].flavor_count; f++)
			if (queue->groups[g].flavors[f] == SCENARIO_NONE)
				missing(r, where, "ResourceFlavor",
					queue->groups[g].flavor_names[f], "ClusterQueue",
					queue->name, "the queue is inactive and admits nothing");
}

static void resolve_cluster_queues(struct resolver *r)
{
	const struct placed *placed = &r->placed[KIND_CLUSTER_QUEUE];

	for (uint32_t i = 0; i < placed->total; i++) {
		struct cluster_queue *queue = &r->scenario->cluster_queues[i];

		if (queue->cohort != NAME_NONE)
			queue->cohort = resolve_lookup(r, KIND_COHORT, queue->cohort, NAME_NONE);
		resolve_groups(r, &queue->groups, queue->group_count);
		report_missing_flavors(r, queue, placed->meta[i].where);
		resolve_queue_checks(r, queue, placed->meta[i].where);
	}
}

/* A cohort of the cycle that the way up from one ends in; SCENARIO_NONE: none. */
static uint32_t cycle_above(const struct scenario *scenario, uint32_t cohort)
{
	uint32_t steps = 0;

	while (cohort != SCENARIO_NONE && steps++ <= scenario->cohort_count)
		cohort = scenario->cohorts[cohort].parent;
	return cohort;
}

/* One finding a cycle, at its first cohort in input order. */
static void report_cycle(struct resolver *r, uint32_t first)
{
	static const struct finding_rule rule = {"cohort-cycle", FINDING_ERROR};
	const struct cohort *cohorts = r->scenario->cohorts;
	char chain[256] = "";
	size_t used = 0;
	uint32_t at = first;

	do {
		const char *name = resolve_text(r, cohorts[at].name);
		size_t len = strlen(name);

		if (at < first)
			return;
		if (used + len + 5 < sizeof(chain)) {
			used += (size_t)snprintf(chain + used, sizeof(chain) - used, "%s -> ",
						 name);
		}
		at = cohorts[at].parent;
	} while (at != first);
	draft_fault(r->builder, &rule, r->placed[KIND_COHORT].meta[first].where,
		    "delete the parentName of one of them, or change it",
		    "cohorts form a cycle (%s%s): nothing below it is admitted", chain,
		    resolve_text(r, cohorts[first].name));
}

static bool on_cycle(const struct scenario *scenario, uint32_t cohort)
{
	uint32_t at = scenario->cohorts[cohort].parent, steps = 0;

	while (at != SCENARIO_NONE && at != cohort && steps++ <= scenario->cohort_count)
		at = scenario->cohorts[at].parent;
	return at == cohort;
}

static void resolve_cohorts(struct resolver *r)
{
	struct scenario *scenario = r->scenario;

	for (uint32_t i = 0; i < r->placed[KIND_COHORT].total; i++) {
		struct cohort *cohort = &scenario->cohorts[i];

		if (cohort->parent != NAME_NONE)
			cohort->parent = resolve_lookup(r, KIND_COHORT, cohort->parent, NAME_NONE);
		resolve_groups(r, &cohort->groups, cohort->group_count);
	}
	for (uint32_t i = 0; i < scenario->cohort_count; i++) {
		scenario->cohorts[i].in_cycle = cycle_above(scenario, i) != SCENARIO_NONE;
		if (scenario->cohorts[i].in_cycle && on_cycle(scenario, i))
			report_cycle(r, i);
	}
}

/* The API server refuses another clusterQueue. */
static enum err_code check_queue_kept(struct resolver *r, uint32_t version)
{
	const struct placed *placed = &r->placed[KIND_LOCAL_QUEUE];
	const struct local_queue *later = &r->scenario->local_queues[version];
	const struct local_queue *first = &r->scenario->local_queues[resolve_lookup(
		r, KIND_LOCAL_QUEUE, later->name, later->ns)];
	struct place at = placed->meta[version].where;

	if (later->cluster_queue_name == first->cluster_queue_name)
		return ERR_OK;
	return resolve_fault(
		r, ERR_VALUE, at, "make another LocalQueue",
		"LocalQueue \"%s\": spec.clusterQueue: field is immutable (it was \"%s\")",
		resolve_text(r, later->name), resolve_text(r, first->cluster_queue_name));
}

static enum err_code resolve_local_queues(struct resolver *r)
{
	const struct placed *placed = &r->placed[KIND_LOCAL_QUEUE];

	for (uint32_t i = 0; i < placed->total; i++) {
		if (i >= placed->live && check_queue_kept(r, i) != ERR_OK)
			return r->err->code;
	}
	for (uint32_t i = 0; i < placed->total; i++) {
		struct local_queue *queue = &r->scenario->local_queues[i];

		queue->cluster_queue =
			resolve_lookup(r, KIND_CLUSTER_QUEUE, queue->cluster_queue_name, NAME_NONE);
		if (queue->cluster_queue == SCENARIO_NONE)
			missing(r, placed->meta[i].where, "ClusterQueue", queue->cluster_queue_name,
				"LocalQueue", queue->name, "its jobs stay pending");
	}
	return ERR_OK;
}

/* Every namespace carries its name as a label (kube-apiserver sets it). */
static void label_namespaces(struct resolver *r)
{
	uint32_t key = name_add(r->builder->strings, "kubernetes.io/metadata.name");

	for (uint32_t i = 0; i < r->placed[KIND_NAMESPACE].total; i++) {
		struct ns_record *ns = &r->scenario->namespaces[i];
		struct label *labels;

		if (label_has(&ns->labels, key))
			continue;
		labels = mem_arena_alloc(r->builder->arena,
					 (ns->labels.count + 1) * sizeof(*labels));
		if (ns->labels.count != 0)
			memcpy(labels, ns->labels.items, ns->labels.count * sizeof(*labels));
		labels[ns->labels.count] = (struct label){.key = key, .value = ns->name};
		ns->labels = (struct label_set){.items = labels, .count = ns->labels.count + 1};
	}
}

static void count_node_gpus(struct resolver *r)
{
	for (uint32_t i = 0; i < r->placed[KIND_NODE].total; i++)
		r->scenario->nodes[i].gpus = draft_node_gpus(r->builder, &r->scenario->nodes[i]);
}

/* Nodes without a price of their own; versions that come later, too. */
static void price_nodes(struct resolver *r)
{
	const struct builder *b = r->builder;
	uint32_t unpriced = 0, priced = 0;

	for (uint32_t i = 0; i < r->placed[KIND_NODE].total; i++) {
		struct node *node = &r->scenario->nodes[i];
		const struct price *price =
			prices_find(b->strings, b->prices, b->price_count, node);

		if (node->micro_usd_per_hour == 0 && price != NULL)
			node->micro_usd_per_hour =
				prices_of(price, node, prices_is_spot(b->strings, node));
		priced += node->gpus > 0 && node->micro_usd_per_hour > 0;
		unpriced += node->gpus > 0 && node->micro_usd_per_hour == 0;
	}
	if (unpriced > 0 && (priced > 0 || b->price_count > 0))
		draft_finding(r->builder, FINDING_NOTE, (struct place){0},
			      "%u of %u nodes with GPUs have no price: what they cost is left out",
			      unpriced, priced + unpriced);
}

/* ---- shapes and pod sets ---- */

static void *hand_over(struct builder *builder, const void *items, size_t count, size_t size)
{
	void *copy = mem_arena_alloc(builder->arena, count * size);

	if (count != 0)
		memcpy(copy, items, count * size);
	return copy;
}

/* LimitRanges of a namespace, in input order; the caller frees the list. */
static const struct limit_range **ranges_of(const struct resolver *r, uint32_t ns, uint32_t *count)
{
	const struct scenario *scenario = r->scenario;
	const struct limit_range **ranges = mem_calloc(scenario->limit_range_count, sizeof(void *));

	*count = 0;
	for (uint32_t i = 0; i < scenario->limit_range_count; i++)
		if (scenario->limit_ranges[i].ns == ns)
			ranges[(*count)++] = &scenario->limit_ranges[i];
	return ranges;
}

static const int64_t *class_overhead(struct resolver *r, uint32_t class)
{
	const struct placed *placed = &r->placed[KIND_RUNTIME_CLASS];
	uint32_t index = class == NAME_NONE
				 ? SCENARIO_NONE
				 : resolve_lookup(r, KIND_RUNTIME_CLASS, class, NAME_NONE);
	const struct runtime_class *classes = (const void *)placed->records;

	return index == SCENARIO_NONE ? NULL : classes[index].overhead;
}

/* Amounts again, with what the namespace and the RuntimeClass add. */
static void apply_template(struct resolver *r, struct draft_shape *shape)
{
	const int64_t *overhead = class_overhead(r, shape->source->runtime_class);
	uint32_t count;
	const struct limit_range **ranges = ranges_of(r, shape->ns, &count);

	if (count != 0 || overhead != NULL || limits_exceeded(shape->source)) {
		template_shape(shape->source, ranges, count, overhead, r->builder->scratch,
			       &shape->shape);
		shape->width = name_count(r->builder->resources);
		shape_complete(&shape->shape, r->builder->resources, shape->width);
		shape->shape.faults = limits_check(shape->source, ranges, count, &shape->shape,
						   r->builder->resources, r->builder->arena);
	}
	mem_free(ranges);
}

static void apply_templates(struct resolver *r)
{
	bool adds = r->scenario->limit_range_count != 0 || r->placed[KIND_RUNTIME_CLASS].live != 0;

	for (uint32_t i = 0; i < r->builder->shape_count; i++) {
		struct draft_shape *shape = &r->builder->shapes[i];

		if (shape->source != NULL && (adds || limits_exceeded(shape->source)))
			apply_template(r, shape);
	}
}

/* Once for each scheduler that no profile is. */
static void report_scheduler(struct resolver *r, uint32_t shape)
{
	const struct scenario *s = r->scenario;
	uint32_t name = s->shapes[shape].scheduler;

	for (uint32_t i = 0; i < shape; i++) {
		if (s->shapes[i].scheduler == name)
			return;
	}
	draft_finding(r->builder, FINDING_NOT_MODELLED, (struct place){0},
		      "schedulerName %.100s: no KubeSchedulerConfiguration has a profile of this "
		      "name; its pods are placed as by the default scheduler",
		      resolve_text(r, name - 1));
}

static void find_profiles(struct resolver *r)
{
	profile_resolve(r->scenario, r->builder->strings, r->builder->arena);
	for (uint32_t i = 0; i < r->scenario->shape_count; i++) {
		if (r->scenario->shapes[i].scheduler != 0 && r->scenario->shapes[i].profile == 0)
			report_scheduler(r, i);
	}
}

static void hand_over_labels(struct resolver *r)
{
	struct builder *builder = r->builder;
	struct scenario *scenario = r->scenario;

	if (builder->job_label_count == 0)
		return;
	scenario->pod_label_count = builder->pod_label_count;
	scenario->pod_labels = hand_over(builder, builder->pod_labels, builder->pod_label_count,
					 sizeof(*builder->pod_labels));
	scenario->job_labels =
		mem_arena_alloc(builder->arena, builder->job_count * sizeof(*scenario->job_labels));
	memcpy(scenario->job_labels, builder->job_labels,
	       builder->job_label_count * sizeof(*scenario->job_labels));
}

static void hand_over_starts(struct resolver *r)
{
	struct builder *builder = r->builder;
	uint32_t count = builder->job_count;

	if (builder->job_start_count == 0)
		return;
	r->scenario->recorded_starts =
		mem_arena_alloc(builder->arena, count * sizeof(*r->scenario->recorded_starts));
	for (uint32_t i = 0; i < count; i++)
		r->scenario->recorded_starts[i] = draft_job_start(builder, i);
}

static int by_after(const void *a, const void *b, void *context)
{
	const struct job_after *x = a, *y = b;

	(void)context;
	return (x->after > y->after) - (x->after < y->after);
}

static void hand_over_afters(struct resolver *r)
{
	const struct builder *builder = r->builder;
	struct scenario *s = r->scenario;

	s->after_count = builder->after_count;
	s->afters = hand_over(r->builder, builder->afters, builder->after_count,
			      sizeof(*builder->afters));
	sort_stable(s->afters, s->after_count, sizeof(*s->afters), by_after, NULL);
}

static void hand_over_shapes(struct resolver *r)
{
	struct builder *builder = r->builder;
	struct scenario *scenario = r->scenario;
	uint32_t width = name_count(builder->resources);

	scenario->resource_count = width;
	for (uint32_t i = 0; i < width; i++)
		scenario->resource_is_gpu[i] = res_is_gpu(name_text(builder->resources, i));
	scenario->shape_count = builder->shape_count;
	scenario->shapes =
		mem_arena_alloc(builder->arena, builder->shape_count * sizeof(*scenario->shapes));
	for (uint32_t i = 0; i < builder->shape_count; i++) {
		const struct draft_shape *from = &builder->shapes[i];

		scenario->shapes[i] = from->shape;
		scenario->shapes[i].request =
			shape_widen(builder->arena, from->shape.request, from->width, width, 0);
		scenario->shapes[i].limit =
			shape_widen(builder->arena, from->shape.limit, from->width, width, 0);
		scenario->shapes[i].counted =
			shape_widen(builder->arena, from->shape.counted, from->width, width, 0);
	}
	scenario->pod_set_count = builder->pod_set_count;
	scenario->pod_sets = hand_over(builder, builder->pod_sets, builder->pod_set_count,
				       sizeof(*builder->pod_sets));
}

/* ---- all of it ---- */

static void hand_over_lists(struct resolver *r)
{
	struct builder *b = r->builder;
	struct scenario *s = r->scenario;

	s->extra_count = b->extra_count;
	s->extras = hand_over(b, b->extras, b->extra_count, sizeof(*b->extras));
	s->finding_count = b->finding_count;
	s->findings = hand_over(b, b->findings, b->finding_count, sizeof(*b->findings));
	s->input_count = b->input_count;
	s->input_names = hand_over(b, b->input_names, b->input_count, sizeof(*b->input_names));
	s->input_hashes = hand_over(b, b->input_hashes, b->input_count, sizeof(*b->input_hashes));
	s->option_count = b->option_count;
	s->options = hand_over(b, b->options, b->option_count, sizeof(*b->options));
	s->pool_count = b->pool_count;
	s->pools = hand_over(b, b->pools, b->pool_count, sizeof(*b->pools));
	s->price_count = b->price_count;
	s->prices = hand_over(b, b->prices, b->price_count, sizeof(*b->prices));
	s->price_date = b->price_date;
	s->autoscaler = b->autoscaler;
	s->title = b->title;
	s->origin = b->origin;
	s->has_origin = b->has_origin;
	s->derived_queues = b->derived_queues;
	s->arena = b->arena;
}

static enum err_code resolve_references(struct resolver *r)
{
	if (webhooks_layers(r) != ERR_OK || webhooks_elastic(r) != ERR_OK)
		return r->err->code;
	label_namespaces(r);
	resolve_flavors(r);
	resolve_cohorts(r);
	resolve_admission_checks(r);
	resolve_cluster_queues(r);
	if (webhooks_queues(r) != ERR_OK)
		return r->err->code;
	resolve_class_defaults(r);
	count_node_gpus(r);
	price_nodes(r);
	return resolve_local_queues(r);
}

static void lint(struct resolver *r)
{
	struct lint_places places;

	for (int k = 0; k < KIND_COUNT; k++)
		places.of[k] = r->placed[k].meta;
	lint_scenario(r->builder, r->scenario, &places, &r->alike);
}

static void take_config(struct resolver *r)
{
	struct kueue_gates gates = kueue_gates_read(&r->builder->config, r->builder->strings);

	r->scenario->config = r->builder->config;
	kueue_gates_limit(&gates, &r->scenario->config);
}

static enum err_code resolve_all(struct resolver *r)
{
	enum err_code code = ERR_OK;

	add_implicit_cohorts(r->builder);
	add_implicit_namespaces(r->builder);
	for (int k = 0; k < KIND_COUNT && code == ERR_OK; k++)
		code = place_kind(r, (enum kind)k);
	if (code != ERR_OK)
		return code;
	take_config(r);
	hand_over_records(r);
	make_updates(r);
	join_priority_classes(r);
	code = resolve_references(r);
	if (code != ERR_OK)
		return code;
	apply_templates(r);
	hand_over_shapes(r);
	find_profiles(r);
	hand_over_labels(r);
	hand_over_starts(r);
	hand_over_afters(r);
	code = resolve_jobs(r);
	if (code != ERR_OK)
		return code;
	r->scenario->strings = r->builder->strings;
	r->scenario->resources = r->builder->resources;
	lint(r);
	hand_over_lists(r);
	return ERR_OK;
}

enum err_code resolve_draft(struct builder *builder, struct scenario *scenario, struct err *err)
{
	struct resolver r = {.builder = builder, .scenario = scenario, .err = err};
	enum err_code code;

	draft_index_init(&r.told_classes, 0);
	alike_begin(&r.alike);
	code = resolve_all(&r);
	alike_end(&r.alike);
	draft_index_free(&r.told_classes);
	for (int k = 0; k < KIND_COUNT; k++)
		draft_index_free(&r.placed[k].index);
	return code;
}
