#include "sim/setting.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/nearest.h"

#define NANO	  INT64_C(1000000000)
#define MILLI	  1000
#define FULL	  1000 /* per mille */
#define MAX_POOL  1000000
#define PIECE_MAX 256

enum target {
	TARGET_CLUSTER_QUEUE,
	TARGET_COHORT,
	TARGET_LOCAL_QUEUE,
	TARGET_POOL,
	TARGET_JOBS,
	TARGET_CONFIG,
};

/* One --set, cut up. */
struct setting {
	const char *text; /* the whole, for messages */
	enum target target;
	char name[PIECE_MAX];
	char resource[PIECE_MAX]; /* "": a field of the object */
	char flavor[PIECE_MAX];	  /* "": not given */
	char field[PIECE_MAX];
	const char *value;
	struct builder *builder;
	struct err *err;
};

static const struct {
	const char *word;
	enum target target;
} target_words[] = {
	{"clusterqueue", TARGET_CLUSTER_QUEUE},
	{"cq", TARGET_CLUSTER_QUEUE},
	{"cohort", TARGET_COHORT},
	{"co", TARGET_COHORT},
	{"localqueue", TARGET_LOCAL_QUEUE},
	{"lq", TARGET_LOCAL_QUEUE},
	{"nodepool", TARGET_POOL},
	{"nodes", TARGET_POOL},
	{"pool", TARGET_POOL},
	{"jobs", TARGET_JOBS},
	{"configuration", TARGET_CONFIG},
};

static enum err_code fail(struct setting *s, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static enum err_code fail(struct setting *s, enum err_code code, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(s->err, code, NULL, 0, 0, "--set %.100s: %s", s->text, what);
}

/* ---- cutting it up ---- */

static bool piece(char out[PIECE_MAX], const char *from, const char *to)
{
	size_t len = (size_t)(to - from);

	if (len >= PIECE_MAX)
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

	if (s->target != TARGET_POOL && s->target != TARGET_JOBS)
		return false;
	while (dot > slash && *dot != '.')
		dot--;
	return dot > slash && piece(s->name, slash + 1, dot) && piece(s->field, dot + 1, equals);
}

static enum err_code bad_path(struct setting *s)
{
	return fail(s, ERR_USAGE,
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
		return fail(s, ERR_UNKNOWN,
			    "the kind must be clusterqueue, cohort, localqueue, nodepool, jobs or "
			    "configuration");
	s->value = equals + 1;
	return ERR_OK;
}

/* ---- finding what it names ---- */

struct listing {
	char text[300];
	size_t used;
	struct nearest nearest;
};

static void list_begin(struct listing *listing, const char *wanted)
{
	listing->text[0] = '\0';
	listing->used = 0;
	nearest_begin(&listing->nearest, wanted);
}

static void list_offer(struct listing *listing, const char *word)
{
	size_t len = strlen(word);

	nearest_offer(&listing->nearest, word);
	if (listing->used + len + 3 < sizeof(listing->text))
		listing->used += (size_t)snprintf(listing->text + listing->used,
						  sizeof(listing->text) - listing->used, "%s%s",
						  listing->used != 0 ? ", " : "", word);
}

static enum err_code not_found(struct setting *s, const struct listing *listing, const char *what,
			       const char *wanted)
{
	if (listing->nearest.best != NULL)
		return fail(s, ERR_UNKNOWN, "there is no %s \"%.80s\"; did you mean \"%.80s\"?",
			    what, wanted, listing->nearest.best);
	if (listing->used != 0)
		return fail(s, ERR_UNKNOWN, "there is no %s \"%.80s\"; there is %s", what, wanted,
			    listing->text);
	return fail(s, ERR_UNKNOWN, "there is no %s \"%.80s\", nor any other", what, wanted);
}

/* A LocalQueue may be named NAMESPACE/NAME where its name is not enough. */
static bool names_record(const struct setting *s, enum kind kind, const void *record)
{
	const struct name_table *strings = s->builder->strings;
	const char *name = name_text(strings, draft_name(record));
	const char *slash = kind == KIND_LOCAL_QUEUE ? strchr(s->name, '/') : NULL;
	const char *ns;

	if (slash == NULL)
		return strcmp(name, s->name) == 0;
	ns = name_text(strings, draft_ns(kind, record));
	return strcmp(name, slash + 1) == 0 && strlen(ns) == (size_t)(slash - s->name) &&
	       strncmp(ns, s->name, strlen(ns)) == 0;
}

/* The last of that name, which is the one that holds. */
static void *find_record(struct setting *s, enum kind kind)
{
	struct draft_list *list = &s->builder->lists[kind];
	struct listing listing;
	void *found = NULL;

	list_begin(&listing, s->name);
	for (uint32_t i = 0; i < list->count; i++) {
		void *record = draft_record(list, kind, i);

		if (list->meta[i].at != KIND_ALWAYS)
			continue;
		if (names_record(s, kind, record))
			found = record;
		list_offer(&listing, name_text(s->builder->strings, draft_name(record)));
	}
	if (found == NULL)
		not_found(s, &listing, kinds_row(kind)->name, s->name);
	return found;
}

/* ---- quotas ---- */

struct cell_place {
	uint32_t group, flavor, resource; /* index within the group */
};

static enum err_code no_cell(struct setting *s, const struct resource_group *groups, uint32_t count)
{
	struct listing listing;

	list_begin(&listing, s->resource);
	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				char word[PIECE_MAX];

				snprintf(word, sizeof(word), "%.120s@%.120s",
					 name_text(s->builder->resources, groups[g].resources[r]),
					 name_text(s->builder->strings, groups[g].flavor_names[f]));
				list_offer(&listing, word);
			}
	listing.nearest.best = NULL; /* it would be gone with word */
	return not_found(s, &listing, "quota for", s->resource);
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
		return fail(s, ERR_USAGE, "%.80s has several flavors there: add @FLAVOR",
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
		return fail(s, ERR_VALUE, "\"%.60s\" is not a quantity of 0 or more%s", s->value,
			    limit ? ", nor none" : "");
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
		return fail(s, ERR_UNKNOWN, "it has no resourceGroups");
	if (find_cell(s, *groups, count, &place) != ERR_OK)
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
		return fail(s, ERR_UNKNOWN,
			    "a quota has nominalQuota, borrowingLimit and lendingLimit, not "
			    "\"%.60s\"",
			    s->field);
	}
	if (limit && !has_parent && strcmp(s->value, "none") != 0)
		return fail(s, ERR_VALUE, "%s needs a cohort to borrow from or lend to", s->field);
	return read_amount(s, (*groups)[place.group].resources[place.resource], limit, field);
}

/* ---- fields of an object ---- */

struct word {
	const char *text;
	int value;
};

static enum err_code set_word(struct setting *s, const struct word *words, void *out)
{
	struct listing listing;
	int *value = out;

	list_begin(&listing, s->value);
	for (; words->text != NULL; words++) {
		if (strcmp(words->text, s->value) == 0) {
			*value = words->value;
			return ERR_OK;
		}
		list_offer(&listing, words->text);
	}
	return fail(s, ERR_VALUE, "\"%.60s\" is not one of %s", s->value, listing.text);
}

static enum err_code set_weight(struct setting *s, int64_t *weight)
{
	double value;

	if (!num_read_double(s->value, strlen(s->value), &value) || value < 0 || value > 1e9)
		return fail(s, ERR_VALUE, "\"%.60s\" is not a weight of 0 or more", s->value);
	*weight = (int64_t)(value * (double)NANO + 0.5);
	return ERR_OK;
}

static enum err_code set_parent(struct setting *s, uint32_t *parent)
{
	bool none = s->value[0] == '\0' || strcmp(s->value, "none") == 0;

	*parent = none ? NAME_NONE : name_add(s->builder->strings, s->value);
	return ERR_OK;
}

static const struct word stop_words[] = {
	{"None", STOP_NONE}, {"Hold", STOP_HOLD}, {"HoldAndDrain", STOP_HOLD_AND_DRAIN}, {NULL, 0}};
static const struct word strategy_words[] = {
	{"BestEffortFIFO", QUEUE_BEST_EFFORT_FIFO}, {"StrictFIFO", QUEUE_STRICT_FIFO}, {NULL, 0}};
static const struct word reclaim_words[] = {{"Never", PREEMPT_NEVER},
					    {"LowerPriority", PREEMPT_LOWER_PRIORITY},
					    {"Any", PREEMPT_ANY},
					    {NULL, 0}};
static const struct word within_words[] = {
	{"Never", PREEMPT_NEVER},
	{"LowerPriority", PREEMPT_LOWER_PRIORITY},
	{"LowerOrNewerEqualPriority", PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY},
	{NULL, 0}};
static const struct word borrow_words[] = {
	{"Never", PREEMPT_NEVER}, {"LowerPriority", PREEMPT_LOWER_PRIORITY}, {NULL, 0}};
static const struct word fungibility_words[] = {{"MayStopSearch", FUNGIBILITY_MAY_STOP_SEARCH},
						{"TryNextFlavor", FUNGIBILITY_TRY_NEXT_FLAVOR},
						{NULL, 0}};

/* Fields of a ClusterQueue that are one word of a few. */
static const struct {
	const char *field;
	const struct word *words;
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

static enum err_code no_field(struct setting *s, const char *fields)
{
	return fail(s, ERR_UNKNOWN, "there is no field \"%.60s\"; there is %s", s->field, fields);
}

static enum err_code set_queue(struct setting *s, struct cluster_queue *queue)
{
	if (s->resource[0] != '\0')
		return set_quota(s, &queue->groups, queue->group_count, queue->cohort != NAME_NONE);
	for (size_t i = 0; i < sizeof(queue_words) / sizeof(queue_words[0]); i++)
		if (strcmp(queue_words[i].field, s->field) == 0)
			return set_word(s, queue_words[i].words,
					(unsigned char *)queue + queue_words[i].offset);
	if (strcmp(s->field, "cohortName") == 0 || strcmp(s->field, "cohort") == 0)
		return set_parent(s, &queue->cohort);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &queue->fair_weight);
	return no_field(s, "queueingStrategy, stopPolicy, cohortName, fairSharing.weight, "
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
		queue = find_record(s, KIND_CLUSTER_QUEUE);
		return queue == NULL ? s->err->code : set_queue(s, queue);
	}
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++)
		if (list->meta[i].at == KIND_ALWAYS)
			code = set_queue(s, draft_record(list, KIND_CLUSTER_QUEUE, i));
	return code;
}

static enum err_code set_cohort(struct setting *s)
{
	struct cohort *cohort = find_record(s, KIND_COHORT);

	if (cohort == NULL)
		return s->err->code;
	if (s->resource[0] != '\0')
		return set_quota(s, &cohort->groups, cohort->group_count,
				 cohort->parent != NAME_NONE);
	if (strcmp(s->field, "parentName") == 0)
		return set_parent(s, &cohort->parent);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &cohort->fair_weight);
	return no_field(s, "parentName, fairSharing.weight");
}

static enum err_code set_local_queue(struct setting *s)
{
	struct local_queue *queue = find_record(s, KIND_LOCAL_QUEUE);

	if (queue == NULL)
		return s->err->code;
	if (strcmp(s->field, "stopPolicy") == 0)
		return set_word(s, stop_words, &queue->stop);
	if (strcmp(s->field, "clusterQueue") == 0)
		return set_parent(s, &queue->cluster_queue_name);
	if (strcmp(s->field, "fairSharing.weight") == 0)
		return set_weight(s, &queue->fair_weight);
	return no_field(s, "stopPolicy, clusterQueue, fairSharing.weight");
}

/* ---- node pools ---- */

static enum err_code no_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	struct listing listing;
	uint32_t last = NAME_NONE;

	list_begin(&listing, s->name);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool != NAME_NONE && node->pool != last)
			list_offer(&listing, name_text(s->builder->strings, node->pool));
		last = node->pool;
	}
	return not_found(s, &listing, "node pool", s->name);
}

/* The labels of a node with the host's own name in them. */
static struct label_set renamed_labels(struct builder *builder, const struct label_set *from,
				       uint32_t old_name, uint32_t new_name)
{
	struct label *labels = mem_arena_alloc(builder->arena, from->count * sizeof(*labels));

	for (uint32_t i = 0; i < from->count; i++) {
		labels[i] = from->items[i];
		if (labels[i].value == old_name)
			labels[i].value = new_name;
	}
	return (struct label_set){.items = labels, .count = from->count};
}

static void add_nodes(struct setting *s, const struct node *like, uint32_t from, uint32_t to)
{
	struct builder *builder = s->builder;
	const struct node pattern = *like; /* the list may move */

	for (uint32_t i = from; i < to; i++) {
		struct node node = pattern;
		char name[PIECE_MAX + 16];

		snprintf(name, sizeof(name), "%s-%u", s->name, i);
		node.name = name_add(builder->strings, name);
		node.labels = renamed_labels(builder, &pattern.labels, pattern.name, node.name);
		draft_add(builder, KIND_NODE, &node, (struct place){0}, KIND_ALWAYS);
	}
}

/* Keeps the first `keep` nodes of the pool. */
static void drop_nodes(struct builder *builder, uint32_t pool, uint32_t keep)
{
	struct draft_list *list = &builder->lists[KIND_NODE];
	uint32_t kept = 0, seen = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool == pool && seen++ >= keep)
			continue;
		memmove(draft_record(list, KIND_NODE, kept), node, sizeof(*node));
		list->meta[kept++] = list->meta[i];
	}
	list->count = kept;
}

static enum err_code set_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	uint32_t pool = name_find(s->builder->strings, s->name), count = 0, wanted;
	const struct node *like = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (pool == NAME_NONE || node->pool != pool)
			continue;
		like = node;
		count++;
	}
	if (like == NULL)
		return no_pool(s);
	if (strcmp(s->field, "count") != 0 || s->resource[0] != '\0')
		return no_field(s, "count");
	if (!num_read_u32(s->value, strlen(s->value), &wanted) || wanted > MAX_POOL)
		return fail(s, ERR_VALUE, "\"%.60s\" is not a number of nodes up to %d", s->value,
			    MAX_POOL);
	if (wanted < count)
		drop_nodes(s->builder, pool, wanted);
	else
		add_nodes(s, like, count, wanted);
	return ERR_OK;
}

/* ---- jobs ---- */

/* value * 1000 / milli or, inverse, value * milli / 1000, cut off; as far as times go. */
static simtime scale_time(simtime value, int64_t milli, bool inverse)
{
	int64_t by = inverse ? MILLI : milli, times = inverse ? milli : MILLI;
	int64_t whole = value / by, rest = value % by * times / by;

	return whole > (CLOCK_NEVER - 1 - rest) / times ? CLOCK_NEVER - 1 : whole * times + rest;
}

static simtime longer(simtime a, simtime b)
{
	return a > b ? a : b;
}

/* "all", a namespace, or a pattern of NAMESPACE/NAME. */
static bool names_job(const struct setting *s, const struct job *job)
{
	const struct name_table *strings = s->builder->strings;
	char text[2 * PIECE_MAX];

	if (strcmp(s->name, "all") == 0)
		return true;
	if (strpbrk(s->name, "/*?[") == NULL)
		return strcmp(name_text(strings, job->ns), s->name) == 0;
	snprintf(text, sizeof(text), "%s/%s", name_text(strings, job->ns),
		 job->name == NAME_NONE ? "" : name_text(strings, job->name));
	return fnmatch(s->name, text, 0) == 0;
}

/* Jobs come so many times as fast. */
static void change_load(struct job *job, int64_t milli)
{
	job->submit = scale_time(job->submit, milli, false);
}

/* They take so many times as long. */
static void change_duration(struct job *job, int64_t milli)
{
	if (job->duration > 0 && job->duration != JOB_ENDLESS)
		job->duration = longer(scale_time(job->duration, milli, true), 1);
}

static void change_utilisation(struct job *job, int64_t milli)
{
	job->utilisation = (uint16_t)(milli / (100 * MILLI / FULL));
}

static void change_priority(struct job *job, int64_t milli)
{
	job->priority = job->pod_priority = (int32_t)(milli / MILLI);
	job->priority_class = NAME_NONE;
	job->flags |= JOB_PRIORITY_GIVEN;
}

/* A job that keeps its GPUs busy for part of its time does so at its beginning, and is
 * stopped when they were idle for so long. */
static void change_idle(struct job *job, int64_t milli)
{
	simtime timeout = milli * (CLOCK_SECOND / MILLI), used, stop;

	if (job->duration == JOB_ENDLESS || job->utilisation >= FULL)
		return;
	used = job->duration / FULL * job->utilisation +
	       job->duration % FULL * job->utilisation / FULL;
	stop = longer(clock_add(used, timeout), 1);
	if (stop >= job->duration)
		return;
	job->duration = stop;
	job->utilisation = (uint16_t)(used / longer(stop / FULL, 1));
}

static const struct job_field {
	const char *name, *what; /* of a value */
	int64_t least, most;	 /* in thousandths */
	void (*change)(struct job *job, int64_t milli);
	bool time; /* a duration; else a number */
} job_fields[] = {
	{"load", "a factor from 0.001 to 1000", 1, MILLI *MILLI, change_load, false},
	{"duration", "a factor from 0.001 to 1000", 1, MILLI *MILLI, change_duration, false},
	{"gpuUtilisation", "per cent, from 0 to 100", 0, 100 * MILLI, change_utilisation, false},
	{"priority", "a priority from 0 to 1000000", 0, (int64_t)MILLI *MILLI *MILLI,
	 change_priority, false},
	{"idleTimeout", "a time such as 30m", 0, INT64_MAX / MILLI, change_idle, true},
};

static const struct job_field *find_job_field(const struct setting *s)
{
	for (size_t i = 0; i < sizeof(job_fields) / sizeof(job_fields[0]); i++)
		if (s->resource[0] == '\0' && strcmp(job_fields[i].name, s->field) == 0)
			return &job_fields[i];
	return NULL;
}

static enum err_code read_job_value(struct setting *s, const struct job_field *field,
				    int64_t *milli)
{
	simtime time;
	bool read;

	if (field->time) {
		read = clock_read_duration(s->value, strlen(s->value), &time);
		*milli = read ? time / (CLOCK_SECOND / MILLI) : 0;
	} else {
		read = num_read_quantity(s->value, strlen(s->value), true, milli) == NUM_OK;
	}
	if (!read || *milli < field->least || *milli > field->most)
		return fail(s, ERR_VALUE, "\"%.60s\" is not %s", s->value, field->what);
	return ERR_OK;
}

/* What the trace recorded of their starts holds no more. */
static enum err_code set_jobs(struct setting *s)
{
	const struct job_field *field = find_job_field(s);
	struct builder *b = s->builder;
	uint32_t changed = 0;
	int64_t milli;

	if (field == NULL)
		return no_field(s, "load, duration, gpuUtilisation, priority, idleTimeout");
	if (read_job_value(s, field, &milli) != ERR_OK)
		return s->err->code;
	for (uint32_t i = 0; i < b->job_count; i++) {
		if (!names_job(s, &b->jobs[i]))
			continue;
		changed++;
		field->change(&b->jobs[i], milli);
		if (i < b->job_start_count)
			b->job_starts[i] = CLOCK_NEVER;
	}
	if (changed == 0 && strpbrk(s->name, "/*?[") != NULL)
		return fail(s, ERR_UNKNOWN, "no job is called \"%.100s\" (NAMESPACE/NAME)",
			    s->name);
	if (changed == 0 && strcmp(s->name, "all") != 0)
		return fail(s, ERR_UNKNOWN, "no job is in the namespace \"%.100s\"", s->name);
	return ERR_OK;
}

/* ---- Kueue's Configuration; there is one, whatever it is called ---- */

static enum err_code set_config(struct setting *s)
{
	static const struct word words[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
	int value = 0;

	if (s->resource[0] != '\0' || strcmp(s->field, "fairSharing.enable") != 0)
		return no_field(s, "fairSharing.enable");
	if (set_word(s, words, &value) != ERR_OK)
		return s->err->code;
	s->builder->config.fair_sharing = value != 0;
	return ERR_OK;
}

/* ---- all of them ---- */

static enum err_code apply(struct setting *s)
{
	switch (s->target) {
	case TARGET_CLUSTER_QUEUE:
		return set_cluster_queue(s);
	case TARGET_COHORT:
		return set_cohort(s);
	case TARGET_LOCAL_QUEUE:
		return set_local_queue(s);
	case TARGET_POOL:
		return set_pool(s);
	case TARGET_JOBS:
		return set_jobs(s);
	case TARGET_CONFIG:
		return set_config(s);
	}
	return ERR_OK;
}

static enum err_code apply_some(struct builder *builder, const char *const *sets, uint32_t count,
				bool pools, struct err *err)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		struct setting s = {.text = sets[i], .builder = builder, .err = err};

		code = cut(&s);
		if (code == ERR_OK && (s.target == TARGET_POOL) == pools)
			code = apply(&s);
	}
	return code;
}

enum err_code setting_apply_pools(struct builder *builder, const char *const *sets, uint32_t count,
				  struct err *err)
{
	return apply_some(builder, sets, count, true, err);
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
	enum err_code code = apply_some(builder, sets, count, false, err);

	for (uint32_t i = 0; i < list->count && code == ERR_OK && count != 0; i++)
		code = check_queue(builder, draft_record(list, KIND_CLUSTER_QUEUE, i), err);
	return code;
}
