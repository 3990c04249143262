#include "sim/objects/objects_kueue.h"

#include <string.h>

#define NANO	   INT64_C(1000000000)
#define MAX_GROUPS 16
#define MAX_ITEMS  64  /* flavors or coveredResources of a group */
#define MAX_CELLS  512 /* flavor x resource of a group */
#define MAX_TOTAL  256 /* flavors or coveredResources of a queue */
#define MAX_SMALL  8   /* labels, taints, tolerations of a flavor */

/* ---- quotas of a ClusterQueue or Cohort ---- */

/* What a group is read into before its places are forgotten. */
struct group_reading {
	struct resource_group *group;
	const struct yaml_node *flavors;
	bool has_parent;    /* a cohort, or a parent of a cohort */
	bool cluster_queue; /* else a cohort */
};

/* One (flavor, resource) with the nodes that messages point at. */
struct cell_reading {
	uint32_t resource;
	const struct yaml_node *resource_node, *nominal, *borrowing, *lending;
};

static enum err_code limit_amount(struct fields *f, const struct yaml_node *node, const char *key,
				  const struct group_reading *reading, uint32_t resource,
				  int64_t *out)
{
	enum err_code code;
	size_t mark;

	*out = QUOTA_ABSENT;
	if (node == NULL)
		return ERR_OK;
	mark = fields_enter(f, key);
	if (!reading->has_parent) {
		fields_error(f, ERR_VALUE, node, "must be nil when %s is empty",
			     reading->cluster_queue ? "cohort" : "parent");
		code = fields_fix(f, reading->cluster_queue
					     ? "delete the limit, or put the queue into a cohort "
					       "(spec.cohortName)"
					     : "delete the limit, or give the Cohort a parent "
					       "(spec.parentName)");
	} else {
		code = fields_amount(f, node, resource, out);
	}
	fields_leave(f, mark);
	return code;
}

static enum err_code read_cell(struct fields *f, const struct yaml_node *node,
			       const struct group_reading *reading, uint32_t covered,
			       struct quota_cell *cell)
{
	static const struct field rows[] = {
		{.key = "name",
		 .read = fields_keep,
		 .offset = offsetof(struct cell_reading, resource_node),
		 .required = true},
		{.key = "nominalQuota",
		 .read = fields_keep,
		 .offset = offsetof(struct cell_reading, nominal),
		 .required = true},
		{.key = "borrowingLimit",
		 .read = fields_keep,
		 .offset = offsetof(struct cell_reading, borrowing)},
		{.key = "lendingLimit",
		 .read = fields_keep,
		 .offset = offsetof(struct cell_reading, lending)},
		{.key = NULL},
	};
	struct cell_reading got = {.resource = 0};
	size_t mark;
	enum err_code code, failed = ERR_OK;

	if (fields_map(f, node, rows, &got) != ERR_OK ||
	    fields_resource(f, got.resource_node, 0, &got.resource) != ERR_OK)
		return f->err->code;
	if (got.resource != covered) {
		fields_error(f, ERR_VALUE, got.resource_node,
			     "\"%.100s\": must match the name in coveredResources, in the "
			     "same order",
			     got.resource_node->text);
		return fields_fix(f, "list the resources of each flavor as coveredResources has "
				     "them, in its order");
	}
	mark = fields_enter(f, "nominalQuota");
	code = fields_amount(f, got.nominal, covered, &cell->nominal);
	fields_leave(f, mark);
	code = fields_gather(f, code, &failed);
	if (code == ERR_OK)
		code = limit_amount(f, got.borrowing, "borrowingLimit", reading, covered,
				    &cell->borrowing_limit);
	code = fields_gather(f, code, &failed);
	if (code == ERR_OK)
		code = limit_amount(f, got.lending, "lendingLimit", reading, covered,
				    &cell->lending_limit);
	code = fields_gathered(f, fields_gather(f, code, &failed), failed);
	if (code == ERR_OK && reading->cluster_queue && cell->lending_limit > cell->nominal) {
		fields_enter(f, "lendingLimit");
		fields_error(f, ERR_VALUE, got.lending,
			     "%.60s: must be less than or equal to the nominalQuota (%.60s)",
			     got.lending->text, got.nominal->text);
		code = fields_fix(f, "lower lendingLimit, or delete it: all is lent then");
	}
	return code;
}

static enum err_code read_cells(struct fields *f, const struct yaml_node *list,
				const struct group_reading *reading, struct quota_cell *cells)
{
	const struct resource_group *group = reading->group;
	enum err_code code, failed = ERR_OK;

	if (list == NULL || list->kind != YAML_LIST || list->count != group->resource_count)
		return fields_error(f, ERR_VALUE, list != NULL ? list : reading->flavors,
				    "resources: flavors must have the same number of resources as "
				    "the coveredResources (%u)",
				    group->resource_count);
	code = ERR_OK;
	for (uint32_t r = 0; r < list->count && code == ERR_OK; r++) {
		size_t mark = fields_enter(f, "resources");

		fields_enter_index(f, r);
		code = read_cell(f, list->items[r], reading, group->resources[r], &cells[r]);
		fields_leave(f, mark);
		code = fields_gather(f, code, &failed);
	}
	return fields_gathered(f, code, failed);
}

struct flavor_reading {
	uint32_t name;
	const struct yaml_node *resources;
};

static enum err_code read_flavors(struct fields *f, struct group_reading *reading, uint32_t *names,
				  struct quota_cell *cells)
{
	static const struct field rows[] = {
		{.key = "name",
		 .read = fields_string,
		 .offset = offsetof(struct flavor_reading, name),
		 .required = true},
		{.key = "resources",
		 .read = fields_keep,
		 .offset = offsetof(struct flavor_reading, resources)},
		{.key = NULL},
	};
	const struct yaml_node *list = reading->flavors;
	uint32_t width = reading->group->resource_count;
	enum err_code code = ERR_OK, failed = ERR_OK;

	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++) {
		struct flavor_reading got = {.name = NAME_NONE};
		size_t mark = fields_enter(f, "flavors");

		fields_enter_index(f, i);
		code = fields_map(f, list->items[i], rows, &got);
		names[i] = got.name;
		if (code == ERR_OK)
			code = read_cells(f, got.resources, reading, cells + (size_t)i * width);
		fields_leave(f, mark);
		code = fields_gather(f, code, &failed);
	}
	return fields_gathered(f, code, failed);
}

static enum err_code check_sizes(struct fields *f, const struct yaml_node *group,
				 const struct yaml_node *covered, const struct yaml_node *flavors)
{
	const struct yaml_node *lists[] = {covered, flavors};
	static const char *const keys[] = {"coveredResources", "flavors"};

	for (int i = 0; i < 2; i++) {
		if (lists[i] == NULL)
			return fields_error(f, ERR_VALUE, group, "%s is missing", keys[i]);
		if (lists[i]->kind != YAML_LIST)
			return fields_error(f, ERR_VALUE, lists[i], "%s must be a list", keys[i]);
		if (lists[i]->count == 0) {
			fields_error(f, ERR_VALUE, lists[i],
				     "%s in body should have at least 1 items", keys[i]);
			return fields_fix(f, "name at least one, or delete the resource group");
		}
		if (lists[i]->count > MAX_ITEMS)
			return fields_error(f, ERR_LIMIT, lists[i], "%s: at most %d items, not %u",
					    keys[i], MAX_ITEMS, lists[i]->count);
	}
	if (covered->count * flavors->count > MAX_CELLS)
		return fields_error(f, ERR_LIMIT, flavors,
				    "at most %d pairs of flavor and resource in a group, not %u",
				    MAX_CELLS, covered->count * flavors->count);
	return ERR_OK;
}

struct group_nodes {
	const struct yaml_node *covered, *flavors;
};

static const struct field group_rows[] = {
	{.key = "coveredResources",
	 .read = fields_keep,
	 .offset = offsetof(struct group_nodes, covered)},
	{.key = "flavors", .read = fields_keep, .offset = offsetof(struct group_nodes, flavors)},
	{.key = NULL},
};

static enum err_code read_group(struct fields *f, const struct yaml_node *node,
				struct group_reading *reading)
{
	struct mem_arena *arena = builder_arena(f->builder);
	struct resource_group *group = reading->group;
	struct group_nodes nodes = {NULL, NULL};
	uint32_t *resources, *names;
	struct quota_cell *cells;
	enum err_code code = fields_map(f, node, group_rows, &nodes);

	if (code == ERR_OK)
		code = check_sizes(f, node, nodes.covered, nodes.flavors);
	if (code != ERR_OK)
		return code;
	resources = mem_arena_alloc(arena, nodes.covered->count * sizeof(*resources));
	names = mem_arena_alloc(arena, nodes.flavors->count * sizeof(*names));
	cells = mem_arena_alloc(arena, (size_t)nodes.covered->count * nodes.flavors->count *
					       sizeof(*cells));
	for (uint32_t i = 0; i < nodes.covered->count && code == ERR_OK; i++)
		code = fields_resource(f, nodes.covered->items[i], 0, &resources[i]);
	if (code != ERR_OK)
		return code;
	*group = (struct resource_group){.resources = resources,
					 .resource_count = nodes.covered->count,
					 .flavor_names = names,
					 .flavor_count = nodes.flavors->count,
					 .cells = cells};
	reading->flavors = nodes.flavors;
	return read_flavors(f, reading, names, cells);
}

static enum err_code check_resources_once(struct fields *f, const struct yaml_node *list,
					  const struct resource_group *groups, uint32_t count)
{
	enum err_code code = ERR_OK, failed = ERR_OK;
	uint64_t seen = 0;

	for (uint32_t g = 0; g < count; g++) {
		const struct yaml_node *covered = yaml_find(list->items[g], "coveredResources");

		for (uint32_t r = 0; r < groups[g].resource_count && code == ERR_OK; r++) {
			uint64_t bit = UINT64_C(1) << groups[g].resources[r];

			if ((seen & bit) != 0)
				code = fields_error(f, ERR_DUPLICATE, covered->items[r],
						    "coveredResources: Duplicate value: \"%.100s\"",
						    covered->items[r]->text);
			code = fields_gather(f, code, &failed);
			seen |= bit;
		}
	}
	return fields_gathered(f, code, failed);
}

/* Does the name of flavor i of group g stand before it? */
static bool flavor_before(const struct resource_group *groups, uint32_t g, uint32_t i)
{
	for (uint32_t h = 0; h <= g; h++)
		for (uint32_t k = 0; k < (h < g ? groups[h].flavor_count : i); k++)
			if (groups[h].flavor_names[k] == groups[g].flavor_names[i])
				return groups[g].flavor_names[i] != NAME_NONE;
	return false;
}

static enum err_code check_flavors_once(struct fields *f, const struct yaml_node *list,
					const struct resource_group *groups, uint32_t count)
{
	enum err_code code = ERR_OK, failed = ERR_OK;
	uint32_t flavors = 0;

	for (uint32_t g = 0; g < count; g++) {
		const struct yaml_node *named = yaml_find(list->items[g], "flavors");

		for (uint32_t i = 0; i < groups[g].flavor_count && code == ERR_OK; i++) {
			if (flavor_before(groups, g, i))
				code = fields_error(f, ERR_DUPLICATE, named->items[i],
						    "flavors: Duplicate value: \"%.100s\"",
						    yaml_find(named->items[i], "name")->text);
			code = fields_gather(f, code, &failed);
		}
		flavors += groups[g].flavor_count;
	}
	if (code == ERR_OK && flavors > MAX_TOTAL)
		code = fields_error(f, ERR_LIMIT, list, "at most %d flavors in all groups, not %u",
				    MAX_TOTAL, flavors);
	return fields_gathered(f, code, failed);
}

/* A resource and a flavor may stand in one group of a queue only, and once. Groups that could
 * not be read are empty, and their flavors' names NAME_NONE. */
static enum err_code check_once(struct fields *f, const struct yaml_node *list,
				const struct resource_group *groups, uint32_t count)
{
	enum err_code failed = ERR_OK;
	enum err_code code =
		fields_gather(f, check_resources_once(f, list, groups, count), &failed);

	if (code == ERR_OK)
		code = fields_gather(f, check_flavors_once(f, list, groups, count), &failed);
	return fields_gathered(f, code, failed);
}

static enum err_code read_groups(struct fields *f, const struct yaml_node *list, bool has_parent,
				 bool cluster_queue, const struct resource_group **out,
				 uint32_t *count)
{
	struct resource_group *groups;
	enum err_code code = ERR_OK, failed = ERR_OK;
	size_t outer;

	if (list == NULL)
		return ERR_OK;
	outer = fields_enter(f, "resourceGroups");
	if (fields_want_list(f, list) != ERR_OK)
		return f->err->code;
	if (list->count > MAX_GROUPS)
		return fields_error(f, ERR_LIMIT, list, "at most %d groups, not %u", MAX_GROUPS,
				    list->count);
	groups = mem_arena_alloc(builder_arena(f->builder), list->count * sizeof(*groups));
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++) {
		struct group_reading reading = {.group = &groups[i],
						.has_parent = has_parent,
						.cluster_queue = cluster_queue};
		size_t mark = fields_enter_index(f, i);

		code = read_group(f, list->items[i], &reading);
		fields_leave(f, mark);
		code = fields_gather(f, code, &failed);
	}
	if (code == ERR_OK)
		code = fields_gather(f, check_once(f, list, groups, list->count), &failed);
	code = fields_gathered(f, code, failed);
	fields_leave(f, outer);
	*out = groups;
	*count = list->count;
	return code;
}

/* ---- ClusterQueue ---- */

struct queue_reading {
	struct cluster_queue queue;
	const struct yaml_node *groups; /* read last: they depend on the cohort */
	const struct yaml_node *checks; /* v1beta1's list */
	const struct yaml_node *reclaim, *borrow_policy;
	const struct yaml_node *preference;
	struct place where;
};

static const struct fields_word fungibilities[] = {
	{"MayStopSearch", FUNGIBILITY_MAY_STOP_SEARCH},
	{"TryNextFlavor", FUNGIBILITY_TRY_NEXT_FLAVOR},
	{NULL, 0},
};

/* v1beta1 had a word of its own for each of the two fields. */
static const struct fields_word old_borrow[] = {
	{"MayStopSearch", FUNGIBILITY_MAY_STOP_SEARCH},
	{"Borrow", FUNGIBILITY_MAY_STOP_SEARCH},
	{"TryNextFlavor", FUNGIBILITY_TRY_NEXT_FLAVOR},
	{NULL, 0},
};

static const struct fields_word old_preempt[] = {
	{"MayStopSearch", FUNGIBILITY_MAY_STOP_SEARCH},
	{"Preempt", FUNGIBILITY_MAY_STOP_SEARCH},
	{"TryNextFlavor", FUNGIBILITY_TRY_NEXT_FLAVOR},
	{NULL, 0},
};

static const struct fields_word preferences[] = {
	{"BorrowingOverPreemption", PREFER_BORROWING_OVER_PREEMPTION},
	{"PreemptionOverBorrowing", PREFER_PREEMPTION_OVER_BORROWING},
	{NULL, 0},
};

static const struct fields_word reclaim_policies[] = {
	{"Never", PREEMPT_NEVER},
	{"LowerPriority", PREEMPT_LOWER_PRIORITY},
	{"Any", PREEMPT_ANY},
	{NULL, 0},
};

static const struct fields_word within_policies[] = {
	{"Never", PREEMPT_NEVER},
	{"LowerPriority", PREEMPT_LOWER_PRIORITY},
	{"LowerOrNewerEqualPriority", PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY},
	{NULL, 0},
};

static const struct fields_word borrow_policies[] = {
	{"Never", PREEMPT_NEVER},
	{"LowerPriority", PREEMPT_LOWER_PRIORITY},
	{NULL, 0},
};

static const struct fields_word strategies[] = {
	{"BestEffortFIFO", QUEUE_BEST_EFFORT_FIFO},
	{"StrictFIFO", QUEUE_STRICT_FIFO},
	{NULL, 0},
};

static const struct fields_word stop_policies[] = {
	{"None", STOP_NONE},
	{"Hold", STOP_HOLD},
	{"HoldAndDrain", STOP_HOLD_AND_DRAIN},
	{NULL, 0},
};

static const struct fields_word admission_modes[] = {
	{"UsageBasedAdmissionFairSharing", 1},
	{"NoAdmissionFairSharing", 0},
	{NULL, 0},
};

#define QUEUE(member) offsetof(struct queue_reading, queue.member)

static enum err_code read_threshold(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	struct cluster_queue *queue = out;

	queue->has_max_priority_threshold = true;
	return fields_int32(f, row, value, &queue->max_priority_threshold);
}

static enum err_code read_reclaim(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct queue_reading *reading = out;

	reading->reclaim = value;
	return fields_enum(f, row, value, &reading->queue.reclaim_within_cohort);
}

static enum err_code read_borrow_policy(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	struct queue_reading *reading = out;

	reading->borrow_policy = value;
	return fields_enum(f, row, value, &reading->queue.borrow_within_cohort);
}

static enum err_code read_preference(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct queue_reading *reading = out;

	reading->preference = value;
	return fields_enum(f, row, value, &reading->queue.preference);
}

/* Reads by another table of words in an old object. */
static enum err_code read_when(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct field words = *row;

	if (f->version == FIELDS_NEW)
		words.arg = fungibilities;
	else if (yaml_text_is(value, "Borrow") || yaml_text_is(value, "Preempt"))
		fields_fault(f, FINDING_ADVICE, "deprecated-field", value, "write MayStopSearch",
			     "%s is deprecated: v1beta2 does not have it", value->text);
	return fields_enum(f, &words, value, out);
}

static enum err_code read_mode(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	bool *flag = out;
	int mode = 0;
	enum err_code code = fields_enum(f, row, value, &mode);

	*flag = mode != 0;
	return code;
}

static const struct fields_word migrations[] = {
	{"TryPreferredFlavors", 0},
	{"RetainFirstAdmission", 1},
	{NULL, 0},
};

static enum err_code read_check(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out);

static enum err_code read_checks(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct cluster_queue *queue = out;
	void *items = NULL;
	enum err_code code = fields_list(f, value, read_check, sizeof(struct check_ref), MAX_ITEMS,
					 &items, &queue->check_count);

	(void)row;
	queue->checks = items;
	return code;
}

static enum err_code read_on_flavors(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct check_ref *check = out;

	(void)row;
	return fields_strings(f, value, MAX_ITEMS, &check->flavors, &check->flavor_count);
}

static enum err_code read_check(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "name",
		 .read = fields_string,
		 .offset = offsetof(struct check_ref, name),
		 .required = true},
		{.key = "onFlavors", .read = read_on_flavors},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

/* v1beta1's plain list of names wins over a strategy (spec KUEUE.md 1.10). */
static enum err_code apply_old_checks(struct fields *f, struct queue_reading *reading)
{
	struct check_ref *checks;
	const uint32_t *names = NULL;
	uint32_t count = 0;
	enum err_code code;

	if (reading->checks == NULL)
		return ERR_OK;
	code = fields_strings(f, reading->checks, MAX_ITEMS, &names, &count);
	if (code != ERR_OK || count == 0)
		return code;
	checks = mem_arena_alloc(builder_arena(f->builder), count * sizeof(*checks));
	for (uint32_t i = 0; i < count; i++)
		checks[i] = (struct check_ref){.name = names[i]};
	reading->queue.checks = checks;
	reading->queue.check_count = count;
	return ERR_OK;
}

static const struct field borrow_within_rows[] = {
	{.key = "policy", .read = read_borrow_policy, .arg = borrow_policies},
	{.key = "maxPriorityThreshold",
	 .read = read_threshold,
	 .offset = offsetof(struct queue_reading, queue)},
	{.key = NULL},
};

static const struct field preemption_rows[] = {
	{.key = "reclaimWithinCohort", .read = read_reclaim, .arg = reclaim_policies},
	{.key = "withinClusterQueue",
	 .read = fields_enum,
	 .offset = QUEUE(within_cluster_queue),
	 .arg = within_policies},
	{.key = "borrowWithinCohort", .read = fields_nested, .arg = borrow_within_rows},
	{.key = NULL},
};

static const struct field fungibility_rows[] = {
	{.key = "whenCanBorrow",
	 .read = read_when,
	 .offset = QUEUE(when_can_borrow),
	 .arg = old_borrow},
	{.key = "whenCanPreempt",
	 .read = read_when,
	 .offset = QUEUE(when_can_preempt),
	 .arg = old_preempt},
	{.key = "preference", .read = read_preference, .arg = preferences},
	{.key = NULL},
};

static const struct field check_strategy_rows[] = {
	{.key = "admissionChecks",
	 .read = read_checks,
	 .offset = offsetof(struct queue_reading, queue)},
	{.key = NULL},
};

static const struct field queue_weight_rows[] = {
	{.key = "weight", .read = fields_weight, .offset = QUEUE(fair_weight)},
	{.key = NULL},
};

static const struct field scope_rows[] = {
	{.key = "admissionMode",
	 .read = read_mode,
	 .offset = QUEUE(usage_based_fair_sharing),
	 .arg = admission_modes},
	{.key = NULL},
};

static enum err_code read_last_acceptable(struct fields *f, const struct field *row,
					  const struct yaml_node *value, void *out)
{
	struct queue_reading *reading = out;
	uint32_t name;
	enum err_code code = fields_string(f, row, value, &name);

	if (code == ERR_OK)
		reading->queue.last_acceptable = name + 1; /* counted from 1 */
	return code;
}

static const struct field concurrent_limit_rows[] = {
	{.key = "lastAcceptableFlavorName", .read = read_last_acceptable},
	{.key = NULL},
};

static const struct field migration_rows[] = {
	{.key = "mode", .read = read_mode, .offset = QUEUE(retains_first), .arg = migrations},
	{.key = "constraints", .read = fields_nested, .arg = concurrent_limit_rows},
	{.key = NULL},
};

static const struct field concurrent_rows[] = {
	{.key = "migration", .read = fields_nested, .arg = migration_rows},
	{.key = NULL},
};

static enum err_code read_concurrent(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct queue_reading *reading = out;

	reading->queue.concurrent = true;
	return fields_nested(f, row, value, out);
}

static const struct field queue_spec_rows[] = {
	{.key = "resourceGroups",
	 .read = fields_keep,
	 .offset = offsetof(struct queue_reading, groups)},
	{.key = "cohortName",
	 .read = fields_string,
	 .offset = QUEUE(cohort),
	 .only = FIELDS_NEW,
	 .instead = "cohort"},
	{.key = "cohort",
	 .read = fields_string,
	 .offset = QUEUE(cohort),
	 .only = FIELDS_OLD,
	 .instead = "cohortName"},
	{.key = "queueingStrategy",
	 .read = fields_enum,
	 .offset = QUEUE(strategy),
	 .arg = strategies},
	{.key = "namespaceSelector", .read = fields_selector, .offset = QUEUE(namespace_selector)},
	{.key = "flavorFungibility", .read = fields_nested, .arg = fungibility_rows},
	{.key = "preemption", .read = fields_nested, .arg = preemption_rows},
	{.key = "admissionChecks",
	 .read = fields_keep,
	 .offset = offsetof(struct queue_reading, checks),
	 .only = FIELDS_OLD,
	 .instead = "admissionChecksStrategy"},
	{.key = "admissionChecksStrategy", .read = fields_nested, .arg = check_strategy_rows},
	{.key = "stopPolicy", .read = fields_enum, .offset = QUEUE(stop), .arg = stop_policies},
	{.key = "fairSharing", .read = fields_nested, .arg = queue_weight_rows},
	{.key = "admissionScope", .read = fields_nested, .arg = scope_rows},
	{.key = "concurrentAdmissionPolicy",
	 .read = read_concurrent,
	 .arg = concurrent_rows,
	 .only = FIELDS_NEW,
	 .instead = "no concurrent admission"},
	{.key = NULL},
};

static const struct field queue_rows[] = {
	OBJECT_HEAD,
	{.key = "spec", .read = fields_nested, .arg = queue_spec_rows},
	{.key = NULL},
};

static enum err_code check_queue(struct fields *f, const struct queue_reading *reading)
{
	const struct cluster_queue *queue = &reading->queue;

	if (queue->borrow_within_cohort != PREEMPT_NEVER &&
	    queue->reclaim_within_cohort == PREEMPT_NEVER) {
		fields_error(f, ERR_VALUE, reading->borrow_policy,
			     "preemption: reclaimWithinCohort=Never and "
			     "borrowWithinCohort.Policy!=Never");
		return fields_fix(f, "set reclaimWithinCohort to Any or LowerPriority, or "
				     "borrowWithinCohort.policy to Never");
	}
	if (queue->preference != PREFER_UNSET &&
	    (queue->when_can_borrow != FUNGIBILITY_TRY_NEXT_FLAVOR ||
	     queue->when_can_preempt != FUNGIBILITY_TRY_NEXT_FLAVOR))
		return fields_error(f, ERR_VALUE, reading->preference,
				    "flavorFungibility.preference can only be set when "
				    "whenCanBorrow and whenCanPreempt are both TryNextFlavor");
	return ERR_OK;
}

/* Kueue's own examples have such a queue, so it is no error. An update that Kueue refuses is
 * (sim/load/webhooks.c). */
static void report_check_flavors(struct fields *f, const struct object *object,
				 const struct cluster_queue *queue)
{
	for (uint32_t i = 0; i < queue->check_count; i++)
		for (uint32_t k = 0; k < queue->checks[i].flavor_count; k++)
			if (!scenario_has_flavor(queue, queue->checks[i].flavors[k]))
				builder_fault(f->builder, FINDING_WARNING, "object-missing",
					      object->where,
					      "add the flavor to the queue, or take it out of "
					      "onFlavors",
					      "ClusterQueue \"%s\": admission check \"%s\" is "
					      "for flavor \"%s\", which the queue does not have",
					      f->name,
					      name_text(builder_strings(f->builder),
							queue->checks[i].name),
					      name_text(builder_strings(f->builder),
							queue->checks[i].flavors[k]));
}

/* What metrics may show. kubectl's copy of the object is nobody's label. */
static enum err_code object_marks(struct fields *f, const struct object *object, struct marks *out)
{
	const struct yaml_node *from = object->annotations;
	uint32_t count = from != NULL ? from->count : 0;
	struct label *items = mem_arena_alloc(f->arena, (count + 1) * sizeof(*items));

	out->annotations = (struct label_set){.items = items};
	for (uint32_t i = 0; i < count; i++) {
		const struct yaml_pair *pair = &from->pairs[i];

		if (strcmp(pair->key->text, "kubectl.kubernetes.io/last-applied-configuration") ==
			    0 ||
		    pair->value->kind != YAML_SCALAR)
			continue;
		items[out->annotations.count++] = (struct label){
			builder_string(f->builder, pair->key->text, pair->key->count),
			builder_string(f->builder, pair->value->text, pair->value->count)};
	}
	return object->labels == NULL ? ERR_OK
				      : fields_label_set(f, NULL, object->labels, &out->labels);
}

enum err_code objects_cluster_queue(struct fields *f, const struct object *object)
{
	struct queue_reading reading = {
		.queue = {.name = object->name,
			  .cohort = NAME_NONE,
			  .when_can_preempt = FUNGIBILITY_TRY_NEXT_FLAVOR,
			  .fair_weight = NANO},
	};
	struct cluster_queue *queue = &reading.queue;
	enum err_code failed = ERR_OK;
	enum err_code code =
		fields_gather(f, fields_map(f, object->node, queue_rows, &reading), &failed);
	size_t mark;

	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec");
	if (queue->cohort == builder_string(f->builder, "", 0))
		queue->cohort = NAME_NONE;
	code = apply_old_checks(f, &reading);
	if (code == ERR_OK)
		code = read_groups(f, reading.groups,
				   queue->cohort != NAME_NONE || failed != ERR_OK, true,
				   &queue->groups, &queue->group_count);
	code = fields_gather(f, code, &failed);
	code = fields_gathered(f, code, failed);
	if (code == ERR_OK)
		code = check_queue(f, &reading);
	fields_leave(f, mark);
	if (code == ERR_OK)
		code = object_marks(f, object, &queue->marks);
	if (code != ERR_OK)
		return code;
	if (object->at == KIND_ALWAYS)
		report_check_flavors(f, object, queue);
	builder_add(f->builder, KIND_CLUSTER_QUEUE, queue, object->where, object->at);
	return ERR_OK;
}

/* ---- Cohort ---- */

struct cohort_reading {
	struct cohort cohort;
	const struct yaml_node *groups;
};

static enum err_code read_parent(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	uint32_t *parent = out;
	enum err_code code = fields_string(f, row, value, parent);

	if (code == ERR_OK && value->count == 0)
		*parent = NAME_NONE;
	return code;
}

enum err_code objects_cohort(struct fields *f, const struct object *object)
{
	static const struct field weight_rows[] = {
		{.key = "weight",
		 .read = fields_weight,
		 .offset = offsetof(struct cohort_reading, cohort.fair_weight)},
		{.key = NULL},
	};
	static const struct field spec_rows[] = {
		{.key = "parentName",
		 .read = read_parent,
		 .offset = offsetof(struct cohort_reading, cohort.parent)},
		{.key = "parent", /* v1alpha1 */
		 .read = read_parent,
		 .offset = offsetof(struct cohort_reading, cohort.parent),
		 .only = FIELDS_OLD,
		 .instead = "parentName"},
		{.key = "resourceGroups",
		 .read = fields_keep,
		 .offset = offsetof(struct cohort_reading, groups)},
		{.key = "fairSharing", .read = fields_nested, .arg = weight_rows},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows},
		{.key = NULL},
	};
	struct cohort_reading reading = {
		.cohort = {.name = object->name, .parent = NAME_NONE, .fair_weight = NANO}};
	enum err_code code;
	size_t mark;

	if (strcmp(object->version, "v1alpha1") != 0)
		f->version = FIELDS_NEW; /* v1beta1 has no older spelling */
	code = fields_map(f, object->node, rows, &reading);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec");
	code = read_groups(f, reading.groups, reading.cohort.parent != NAME_NONE, false,
			   &reading.cohort.groups, &reading.cohort.group_count);
	fields_leave(f, mark);
	if (code == ERR_OK)
		code = object_marks(f, object, &reading.cohort.marks);
	if (code == ERR_OK)
		builder_add(f->builder, KIND_COHORT, &reading.cohort, object->where, object->at);
	return code;
}

/* ---- ResourceFlavor ---- */

static enum err_code read_taints(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct taint_set *set = out;
	enum err_code code = fields_taints(f, value, MAX_SMALL, set);

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < set->count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (set->items[i].key == set->items[k].key &&
			    set->items[i].effect == set->items[k].effect)
				return fields_error(f, ERR_DUPLICATE, value->items[i],
						    "taints must be unique by key and effect");
	return code;
}

static enum err_code read_tolerations(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_tolerations(f, value, MAX_SMALL, out);
}

static enum err_code read_node_labels(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	const struct label_set *set = out;
	enum err_code code = fields_label_set(f, row, value, out);

	if (code == ERR_OK && set->count > MAX_SMALL)
		return fields_error(f, ERR_LIMIT, value, "at most %d labels, not %u", MAX_SMALL,
				    set->count);
	return code;
}

enum err_code objects_flavor(struct fields *f, const struct object *object)
{
	static const struct field spec_rows[] = {
		{.key = "nodeLabels",
		 .read = read_node_labels,
		 .offset = offsetof(struct flavor, node_labels)},
		{.key = "nodeTaints",
		 .read = read_taints,
		 .offset = offsetof(struct flavor, taints)},
		{.key = "tolerations",
		 .read = read_tolerations,
		 .offset = offsetof(struct flavor, tolerations)},
		{.key = "topologyName",
		 .read = fields_string,
		 .offset = offsetof(struct flavor, topology_name)},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows},
		{.key = NULL},
	};
	struct flavor flavor = {.name = object->name, .topology_name = NAME_NONE};
	enum err_code code = fields_map(f, object->node, rows, &flavor);

	if (code != ERR_OK)
		return code;
	if (flavor.topology_name != NAME_NONE && flavor.node_labels.count == 0)
		return fields_error(f, ERR_VALUE, yaml_find(object->node, "spec"),
				    "spec.nodeLabels: at least one nodeLabel is required when "
				    "topology is set");
	builder_add(f->builder, KIND_FLAVOR, &flavor, object->where, object->at);
	return ERR_OK;
}

/* ---- LocalQueue ---- */

enum err_code objects_local_queue(struct fields *f, const struct object *object)
{
	static const struct field weight_rows[] = {
		{.key = "weight",
		 .read = fields_weight,
		 .offset = offsetof(struct local_queue, fair_weight)},
		{.key = NULL},
	};
	static const struct field spec_rows[] = {
		{.key = "clusterQueue",
		 .read = fields_string,
		 .offset = offsetof(struct local_queue, cluster_queue_name)},
		{.key = "stopPolicy",
		 .read = fields_enum,
		 .offset = offsetof(struct local_queue, stop),
		 .arg = stop_policies},
		{.key = "fairSharing", .read = fields_nested, .arg = weight_rows},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct local_queue queue = {.name = object->name,
				    .ns = object->ns,
				    .cluster_queue_name = NAME_NONE,
				    .fair_weight = NANO};
	enum err_code code = fields_map(f, object->node, rows, &queue);

	if (code == ERR_OK)
		code = object_marks(f, object, &queue.marks);
	if (code != ERR_OK)
		return code;
	if (queue.cluster_queue_name == NAME_NONE)
		return fields_error(f, ERR_VALUE, yaml_find(object->node, "spec"),
				    "spec.clusterQueue is missing: name the ClusterQueue that "
				    "serves this LocalQueue");
	builder_add(f->builder, KIND_LOCAL_QUEUE, &queue, object->where, object->at);
	return ERR_OK;
}

/* ---- the small ones ---- */

enum err_code objects_workload_priority_class(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "value",
		 .read = fields_int32,
		 .offset = offsetof(struct priority_class, value),
		 .required = true},
		{.key = "description"},
		{.key = NULL},
	};
	struct priority_class class = {.name = object->name, .workload = true};
	enum err_code code = fields_map(f, object->node, rows, &class);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_WORKLOAD_PRIORITY_CLASS, &class, object->where,
			    object->at);
	return code;
}

static enum err_code read_level(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "nodeLabel", .read = fields_string, .required = true},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

static enum err_code read_levels(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct topology *topology = out;
	uint32_t hostname = builder_string(f->builder, "kubernetes.io/hostname", 22);
	const uint32_t *levels;
	void *items = NULL;
	enum err_code code = fields_list(f, value, read_level, sizeof(uint32_t), MAX_GROUPS, &items,
					 &topology->level_count);

	(void)row;
	levels = topology->levels = items;
	if (code == ERR_OK && topology->level_count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "levels in body should have at least 1 items");
	for (uint32_t i = 0; code == ERR_OK && i < topology->level_count; i++) {
		if (levels[i] == hostname && i + 1 < topology->level_count)
			return fields_error(f, ERR_VALUE, value->items[i],
					    "kubernetes.io/hostname can only be the last level");
		for (uint32_t k = 0; k < i; k++)
			if (levels[k] == levels[i])
				return fields_error(f, ERR_DUPLICATE, value->items[i],
						    "levels must be unique");
	}
	return code;
}

enum err_code objects_topology(struct fields *f, const struct object *object)
{
	static const struct field spec_rows[] = {
		{.key = "levels", .read = read_levels, .required = true},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct topology topology = {.name = object->name};
	enum err_code code = fields_map(f, object->node, rows, &topology);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_TOPOLOGY, &topology, object->where, object->at);
	return code;
}
