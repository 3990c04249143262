#include "sim/scenario/setting.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario/kueue_gates.h"
#include "sim/scenario/options.h"
#include "sim/scenario/setting_look.h"

#define NANO	     INT64_C(1000000000)
#define OWN_TOPOLOGY "gqsim-%.200s" /* of that one level */
#define OPTION_MAX   1024

static const struct {
	const char *word;
	enum setting_target target;
} target_words[] = {
	{"clusterqueue", SETTING_CLUSTER_QUEUE},
	{"cq", SETTING_CLUSTER_QUEUE},
	{"cohort", SETTING_COHORT},
	{"co", SETTING_COHORT},
	{"localqueue", SETTING_LOCAL_QUEUE},
	{"lq", SETTING_LOCAL_QUEUE},
	{"nodepool", SETTING_POOL},
	{"nodes", SETTING_POOL},
	{"pool", SETTING_POOL},
	{"jobs", SETTING_JOBS},
	{"configuration", SETTING_CONFIG},
	{"run", SETTING_RUN},
	{"flavor", SETTING_FLAVOR},
	{"resourceflavor", SETTING_FLAVOR},
};

/* ---- cutting it up ---- */

static bool piece(char out[SETTING_PIECE], const char *from, const char *to)
{
	size_t len = (size_t)(to - from);

	if (len >= SETTING_PIECE)
		return false;
	memcpy(out, from, len);
	out[len] = '\0';
	return true;
}

static bool read_target(struct setting *s, const char *slash)
{
	size_t len = (size_t)(slash - s->text);

	for (size_t i = 0; i < sizeof(target_words) / sizeof(target_words[0]); i++) {
		if (strlen(target_words[i].word) == len &&
		    strncasecmp(target_words[i].word, s->text, len) == 0) {
			s->target = target_words[i].target;
			return true;
		}
	}
	return false;
}

/* "resource@flavor.field" or ".field". */
static bool read_path(struct setting *s, const char *from, const char *to)
{
	const char *dot = to, *at;

	if (from < to && *from == '.')
		return piece(s->field, from + 1, to);
	while (dot > from && *dot != '.')
		dot--;
	if (dot == from || !piece(s->field, dot + 1, to))
		return false;
	at = memchr(from, '@', (size_t)(dot - from));
	if (at == NULL)
		return piece(s->resource, from, dot);
	return piece(s->resource, from, at) && piece(s->flavor, at + 1, dot);
}

/* "nodepool/h100.count" for "nodepool/h100:.count", where there are no resources. */
static bool cut_short(struct setting *s, const char *slash, const char *equals)
{
	const char *dot = equals;

	if (s->target != SETTING_POOL && s->target != SETTING_JOBS)
		return false;
	while (dot > slash && *dot != '.')
		dot--;
	return dot > slash && piece(s->name, slash + 1, dot) && piece(s->field, dot + 1, equals);
}

static enum err_code bad_path(struct setting *s)
{
	return setting_fail(
		s, ERR_USAGE,
		"write KIND/NAME:RESOURCE[@FLAVOR].FIELD=VALUE or KIND/NAME:.FIELD=VALUE, such "
		"as clusterqueue/team-a:nvidia.com/gpu@h100.nominalQuota=16");
}

static enum err_code cut(struct setting *s)
{
	const char *equals = strchr(s->text, '=');
	const char *slash = strchr(s->text, '/');
	const char *colon = slash != NULL ? strchr(slash, ':') : NULL;
	bool kind, whole;

	if (equals == NULL || slash == NULL || slash > equals)
		return bad_path(s);
	kind = read_target(s, slash);
	if (colon == NULL || colon > equals)
		whole = kind && cut_short(s, slash, equals);
	else
		whole = piece(s->name, slash + 1, colon) && read_path(s, colon + 1, equals);
	if (!whole)
		return bad_path(s);
	if (!kind)
		return setting_fail(
			s, ERR_UNKNOWN,
			"the kind must be clusterqueue, cohort, localqueue, nodepool, jobs, "
			"flavor, configuration or run");
	s->value = equals + 1;
	return ERR_OK;
}

/* ---- quotas ---- */

struct cell_place {
	uint32_t group, flavor, resource; /* index within the group */
};

static enum err_code no_cell(struct setting *s, const struct resource_group *groups, uint32_t count)
{
	struct setting_listing listing;

	setting_list_begin(&listing, s->resource);
	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				char word[SETTING_PIECE];

				snprintf(word, sizeof(word), "%.120s@%.120s",
					 name_text(s->builder->resources, groups[g].resources[r]),
					 name_text(s->builder->strings, groups[g].flavor_names[f]));
				setting_list_offer(&listing, word);
			}
	listing.nearest.best = NULL; /* it would be gone with word */
	return setting_not_found(s, &listing, "quota for", s->resource);
}

static enum err_code find_cell(struct setting *s, const struct resource_group *groups,
			       uint32_t count, struct cell_place *place)
{
	uint32_t resource = name_find(s->builder->resources, s->resource), matches = 0;
	uint32_t flavor = name_find(s->builder->strings, s->flavor);

	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				if (groups[g].resources[r] != resource ||
				    (s->flavor[0] != '\0' && groups[g].flavor_names[f] != flavor))
					continue;
				*place = (struct cell_place){g, f, r};
				matches++;
			}
	if (matches == 0)
		return no_cell(s, groups, count);
	if (matches > 1)
		return setting_fail(s, ERR_USAGE, "%.80s has several flavors there: add @FLAVOR",
				    s->resource);
	return ERR_OK;
}

static enum err_code read_amount(struct setting *s, uint32_t resource, bool limit, int64_t *out)
{
	if (limit && strcmp(s->value, "none") == 0) {
		*out = QUOTA_ABSENT;
		return ERR_OK;
	}
	if (num_read_quantity(s->value, strlen(s->value), res_is_milli(resource), out) != NUM_OK)
		return setting_fail(s, ERR_VALUE, "\"%.60s\" is not a quantity of 0 or more%s",
				    s->value, limit ? ", nor none" : "");
	return ERR_OK;
}

/* Groups are shared by nothing, but they are read-only: a changed copy takes
 * their place. */
static struct quota_cell *writable_cell(struct builder *builder,
					const struct resource_group **groups, uint32_t count,
					const struct cell_place *place)
{
	struct resource_group *copy = mem_arena_alloc(builder->arena, count * sizeof(*copy));
	struct resource_group *group = &copy[place->group];
	size_t cell_count;
	struct quota_cell *cells;

	memcpy(copy, *groups, count * sizeof(*copy));
	cell_count = (size_t)group->flavor_count * group->resource_count;
	cells = mem_arena_alloc(builder->arena, cell_count * sizeof(*cells));
	memcpy(cells, group->cells, cell_count * sizeof(*cells));
	group->cells = cells;
	*groups = copy;
	return &cells[(size_t)place->flavor * group->resource_count + place->resource];
}

static enum err_code set_quota(struct setting *s, const struct resource_group **groups,
			       uint32_t count, bool has_parent)
{
	struct cell_place place = {0, 0, 0};
	struct quota_cell *cell;
	int64_t *field;
	bool limit = true;

	if (count == 0)
		return setting_fail(s, ERR_UNKNOWN, "it has no resourceGroups");
	if (setting_mig_cover(s, groups, count) != ERR_OK ||
	    find_cell(s, *groups, count, &place) != ERR_OK)
		return s->err->code;
	cell = writable_cell(s->builder, groups, count, &place);
	if (strcmp(s->field, "nominalQuota") == 0) {
		field = &cell->nominal;
		limit = false;
	} else if (strcmp(s->field, "borrowingLimit") == 0) {
		field = &cell->borrowing_limit;
	} else if (strcmp(s->field, "lendingLimit") == 0) {
		field = &cell->lending_limit;
	} else {
		return setting_fail(
			s, ERR_UNKNOWN,
			"a quota has nominalQuota, borrowingLimit and lendingLimit, not "
			"\"%.60s\"",
			s->field);
	}
	if (limit && !has_parent && strcmp(s->value, "none") != 0)
		return setting_fail(s, ERR_VALUE, "%s needs a cohort to borrow from or lend to",
				    s->field);
	return read_amount(s, (*groups)[place.group].resources[place.resource], limit, field);
}

/* ---- fields of an object ---- */

static enum err_code set_weight(struct setting *s, int64_t *weight)
{
	double value;

	if (!num_read_double(s->value, strlen(s->value), &value) || value < 0 || value > 1e9)
		return setting_fail(s, ERR_VALUE, "\"%.60s\" is not a weight of 0 or more",
				    s->value);
	*weight = (int64_t)(value * (double)NANO + 0.5);
	return ERR_OK;
}

static enum err_code set_parent(struct setting *s, uint32_t *parent)
{
	bool none = s->value[0] == '\0' || strcmp(s->value, "none") == 0;

	*parent = none ? NAME_NONE : name_add(s->builder->strings, s->value);
	return ERR_OK;
}

static const struct setting_choice stop_words[] = {
	{"None", STOP_NONE}, {"Hold", STOP_HOLD}, {"HoldAndDrain", STOP_HOLD_AND_DRAIN}, {NULL, 0}};
static const struct setting_choice strategy_words[] = {
	{"BestEffortFIFO", QUEUE_BEST_EFFORT_FIFO}, {"StrictFIFO", QUEUE_STRICT_FIFO}, {NULL, 0}};
static const struct setting_choice reclaim_words[] = {{"Never", PREEMPT_NEVER},
						      {"LowerPriority", PREEMPT_LOWER_PRIORITY},
						      {"Any", PREEMPT_ANY},
						      {NULL, 0}};
static const struct setting_choice within_words[] = {
	{"Never", PREEMPT_NEVER},
	{"LowerPriority", PREEMPT_LOWER_PRIORITY},
	{"LowerOrNewerEqualPriority", PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY},
	{NULL, 0}};
static const struct setting_choice borrow_words[] = {
	{"Never", PREEMPT_NEVER}, {"LowerPriority", PREEMPT_LOWER_PRIORITY}, {NULL, 0}};
static const struct setting_choice fungibility_words[] = {
	{"MayStopSearch", FUNGIBILITY_MAY_STOP_SEARCH},
	{"TryNextFlavor", FUNGIBILITY_TRY_NEXT_FLAVOR},
	{NULL, 0}};

/* Fields of a ClusterQueue that are one word of a few. */
static const struct {
	const char *field;
	const struct setting_choice *words;
	size_t offset;
} queue_words[] = {
	{"queueingStrategy", strategy_words, offsetof(struct cluster_queue, strategy)},
	{"stopPolicy", stop_words, offsetof(struct cluster_queue, stop)},
	{"preemption.reclaimWithinCohort", reclaim_words,
	 offsetof(struct cluster_queue, reclaim_within_cohort)},
	{"preemption.withinClusterQueue", within_words,
	 offsetof(struct cluster_queue, within_cluster_queue)},
	{"preemption.borrowWithinCohort.policy", borrow_words,
	 offsetof(struct cluster_queue, borrow_within_cohort)},
	{"flavorFungibility.whenCanBorrow", fungibility_words,
	 offsetof(struct cluster_queue, when_can_borrow)},
	{"flavorFungibility.whenCanPreempt", fungibility_words,
	 offsetof(struct cluster_queue, when_can_preempt)},
};

static enum err_code set_queue(struct setting *s, struct cluster_queue *queue)
{
	if (s->resource[0] != '\0')
		return set_quota(s, &queue->groups, queue->group_count, queue->cohort != NAME_NONE);
	for (size_t i = 0; i < sizeof(queue_words) / sizeof(queue_words[0]); i++)
		if (strcmp(queue_words[i].field, s->field) == 0)
			return setting_word(s, queue_words[i].words,
					    (unsigned char *)queue + queue_words[i].offset);
	if (strcmp(s->field, "cohortName") == 0 || strcmp(s->field, "cohort") == 0)
		return set_parent(s, &queue->cohort);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &queue->fair_weight);
	return setting_no_field(
		s, "queueingStrategy, stopPolicy, cohortName, fairSharing.weight, "
		   "preemption.reclaimWithinCohort, preemption.withinClusterQueue, "
		   "preemption.borrowWithinCohort.policy, "
		   "flavorFungibility.whenCanBorrow, flavorFungibility.whenCanPreempt");
}

/* "*": every one. */
static enum err_code set_cluster_queue(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_CLUSTER_QUEUE];
	enum err_code code = ERR_OK;
	void *queue;

	if (strcmp(s->name, "*") != 0) {
		queue = setting_record(s, KIND_CLUSTER_QUEUE);
		return queue == NULL ? s->err->code : set_queue(s, queue);
	}
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++)
		if (list->meta[i].at == KIND_ALWAYS)
			code = set_queue(s, draft_record(list, KIND_CLUSTER_QUEUE, i));
	return code;
}

static enum err_code set_cohort(struct setting *s)
{
	struct cohort *cohort = setting_record(s, KIND_COHORT);

	if (cohort == NULL)
		return s->err->code;
	if (s->resource[0] != '\0')
		return set_quota(s, &cohort->groups, cohort->group_count,
				 cohort->parent != NAME_NONE);
	if (strcmp(s->field, "parentName") == 0)
		return set_parent(s, &cohort->parent);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &cohort->fair_weight);
	return setting_no_field(s, "parentName, fairSharing.weight");
}

static enum err_code set_local_queue(struct setting *s)
{
	struct local_queue *queue = setting_record(s, KIND_LOCAL_QUEUE);

	if (queue == NULL)
		return s->err->code;
	if (strcmp(s->field, "stopPolicy") == 0)
		return setting_word(s, stop_words, &queue->stop);
	if (strcmp(s->field, "clusterQueue") == 0)
		return set_parent(s, &queue->cluster_queue_name);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &queue->fair_weight);
	return setting_no_field(s, "stopPolicy, clusterQueue, fairSharing.weight");
}

/* ---- Kueue's Configuration; there is one, whatever it is called ---- */

/* Behind those that the Configuration sets, whose words it takes back. */
static enum err_code set_gate(struct setting *s, const char *name, bool value)
{
	struct kueue_config *config = &s->builder->config;
	uint32_t count = config->gate_count;
	uint32_t *gates = mem_arena_alloc(s->builder->arena, (count + 1U) * sizeof(*gates));
	bool *values = mem_arena_alloc(s->builder->arena, (count + 1U) * sizeof(*values));
	char text[400];

	if (kueue_gates_finding(name, value, text, sizeof(text)))
		return setting_fail(s, ERR_UNKNOWN, "%s %s", name, text);
	for (uint32_t i = 0; i < count; i++) {
		gates[i] = config->gates[i];
		values[i] = config->gate_values[i];
	}
	gates[count] = name_add(s->builder->strings, name);
	values[count] = value;
	config->gates = gates;
	config->gate_values = values;
	config->gate_count = count + 1;
	return ERR_OK;
}

static enum err_code set_config(struct setting *s)
{
	static const struct setting_choice words[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
	static const char gates[] = "featureGates.";
	bool gate = strncmp(s->field, gates, strlen(gates)) == 0;
	int value = 0;

	if (s->resource[0] != '\0' || (!gate && strcmp(s->field, "fairSharing.enable") != 0))
		return setting_no_field(s, "fairSharing.enable, featureGates.NAME");
	if (setting_word(s, words, &value) != ERR_OK)
		return s->err->code;
	if (gate)
		return set_gate(s, s->field + strlen(gates), value != 0);
	s->builder->config.fair_sharing = value != 0;
	return ERR_OK;
}

/* ---- options of the run, as a Simulation document sets them ---- */

static enum err_code set_option(struct setting *s)
{
	char pair[OPTION_MAX];
	struct run_options options;
	struct err err = {.code = ERR_OK};

	if (strcmp(s->name, "options") != 0 || s->resource[0] != '\0')
		return setting_fail(s, ERR_USAGE,
				    "options of a run are run/options:.NAME=VALUE, such as "
				    "run/options:.grace=30s");
	options_default(&options);
	if (options_set(&options, s->field, s->value, &err) != ERR_OK)
		return setting_fail(s, err.code, "%s", err.msg);
	if (snprintf(pair, sizeof(pair), "%s=%s", s->field, s->value) >= (int)sizeof(pair))
		return setting_fail(s, ERR_VALUE, "the value is too long");
	draft_option(s->builder, pair);
	return ERR_OK;
}

/* ---- flavors: nodes by topology ---- */

static bool is_topology(const struct builder *builder, uint32_t name)
{
	const struct draft_list *list = &builder->lists[KIND_TOPOLOGY];

	for (uint32_t i = 0; i < list->count; i++)
		if (draft_name(draft_record(list, KIND_TOPOLOGY, i)) == name)
			return true;
	return false;
}

/* A Topology by its name, or one of a single level made here, for a node label's key. */
static uint32_t topology_of(struct setting *s)
{
	struct builder *b = s->builder;
	uint32_t name = name_add(b->strings, s->value), *level;
	struct topology topology = {.level_count = 1};
	char text[SETTING_PIECE];

	if (is_topology(b, name))
		return name;
	snprintf(text, sizeof(text), OWN_TOPOLOGY,
		 strrchr(s->value, '/') == NULL ? s->value : strrchr(s->value, '/') + 1);
	topology.name = name_add(b->strings, text);
	level = mem_arena_alloc(b->arena, sizeof(*level));
	*level = name;
	topology.levels = level;
	if (!is_topology(b, topology.name))
		draft_add(b, KIND_TOPOLOGY, &topology, (struct place){0}, KIND_ALWAYS);
	return topology.name;
}

static enum err_code set_topology(struct setting *s, struct flavor *flavor)
{
	if (s->resource[0] != '\0' || strcmp(s->field, "topologyName") != 0)
		return setting_no_field(s, "topologyName");
	if (flavor->node_labels.count == 0)
		return setting_fail(s, ERR_VALUE,
				    "Kueue refuses a topologyName of a flavor without nodeLabels");
	flavor->topology_name = topology_of(s);
	return ERR_OK;
}

/* "*": every one that has nodeLabels. */
static enum err_code set_flavor(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_FLAVOR];
	enum err_code code = ERR_OK;

	if (strcmp(s->name, "*") != 0) {
		struct flavor *flavor = setting_record(s, KIND_FLAVOR);

		return flavor == NULL ? s->err->code : set_topology(s, flavor);
	}
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++) {
		struct flavor *flavor = draft_record(list, KIND_FLAVOR, i);

		if (list->meta[i].at == KIND_ALWAYS && flavor->node_labels.count > 0)
			code = set_topology(s, flavor);
	}
	return code;
}

/* ---- all of them ---- */

static enum err_code apply(struct setting *s)
{
	switch (s->target) {
	case SETTING_CLUSTER_QUEUE:
		return set_cluster_queue(s);
	case SETTING_COHORT:
		return set_cohort(s);
	case SETTING_LOCAL_QUEUE:
		return set_local_queue(s);
	case SETTING_POOL:
		return setting_pool(s);
	case SETTING_JOBS:
		return setting_jobs(s);
	case SETTING_CONFIG:
		return set_config(s);
	case SETTING_RUN:
		return set_option(s);
	case SETTING_FLAVOR:
		return set_flavor(s);
	}
	return ERR_OK;
}

/* GPUs are cut last: nodes that a pool grows by are like those that it had. */
enum stage { STAGE_POOLS, STAGE_SLICES, STAGE_REST };

static enum stage stage_of(const struct setting *s)
{
	if (s->target != SETTING_POOL)
		return STAGE_REST;
	return strcmp(s->field, "mig") == 0 ? STAGE_SLICES : STAGE_POOLS;
}

static enum err_code apply_some(struct builder *builder, const char *const *sets, uint32_t count,
				enum stage stage, struct err *err)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		struct setting s = {.text = sets[i], .builder = builder, .err = err};

		code = cut(&s);
		if (code == ERR_OK && stage_of(&s) == stage)
			code = apply(&s);
	}
	return code;
}

enum err_code setting_apply_pools(struct builder *builder, const char *const *sets, uint32_t count,
				  struct err *err)
{
	enum err_code code = apply_some(builder, sets, count, STAGE_POOLS, err);

	return code == ERR_OK ? apply_some(builder, sets, count, STAGE_SLICES, err) : code;
}

/* What Kueue refuses of a single object, it refuses of a changed one. */
static enum err_code check_queue(const struct builder *builder, const struct cluster_queue *queue,
				 struct err *err)
{
	const char *name = name_text(builder->strings, queue->name);

	if (queue->borrow_within_cohort != PREEMPT_NEVER &&
	    queue->reclaim_within_cohort == PREEMPT_NEVER)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "after --set, ClusterQueue \"%.100s\" has reclaimWithinCohort=Never "
			       "and borrowWithinCohort.Policy!=Never, which Kueue refuses",
			       name);
	for (uint32_t g = 0; g < queue->group_count; g++) {
		const struct resource_group *group = &queue->groups[g];

		for (uint32_t c = 0; c < group->flavor_count * group->resource_count; c++) {
			const struct quota_cell *cell = &group->cells[c];

			if (cell->lending_limit > cell->nominal)
				return err_set(err, ERR_VALUE, NULL, 0, 0,
					       "after --set, ClusterQueue \"%.100s\" has a "
					       "lendingLimit above its nominalQuota, which Kueue "
					       "refuses",
					       name);
		}
	}
	return ERR_OK;
}

enum err_code setting_apply(struct builder *builder, const char *const *sets, uint32_t count,
			    struct err *err)
{
	const struct draft_list *list = &builder->lists[KIND_CLUSTER_QUEUE];
	enum err_code code = apply_some(builder, sets, count, STAGE_REST, err);

	for (uint32_t i = 0; i < list->count && code == ERR_OK && count != 0; i++)
		code = check_queue(builder, draft_record(list, KIND_CLUSTER_QUEUE, i), err);
	return code;
}
