#include "sim/study/lever.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/study/slices.h"

#define DEPTH_MAX 64   /* of a cohort tree, against cycles */
#define FULL	  1000 /* utilisation, per mille */
#define HOSTNAME  "kubernetes.io/hostname"

struct offers {
	struct levers *levers;
	const struct scenario *s;
	const struct policy_row *policy;
	const struct run_options *options;
	const struct goals *goals;
};

static const char *text(struct mem_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static const char *text(struct mem_arena *arena, const char *fmt, ...)
{
	char buf[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	return mem_arena_strdup(arena, buf);
}

static struct lever *offer(struct offers *o, const char *name, const char *choice)
{
	struct levers *all = o->levers;

	all->items = mem_grow(all->items, all->count + 1, &all->capacity, sizeof(*all->items));
	all->items[all->count] = (struct lever){.name = name, .choice = choice};
	return &all->items[all->count++];
}

static void absent(struct offers *o, const char *name, const char *reason)
{
	offer(o, name, "")->absent = reason;
}

static void set(struct offers *o, struct lever *lever, const char *setting)
{
	const char **sets =
		mem_arena_alloc(o->levers->arena, (lever->set_count + (size_t)1) * sizeof(*sets));

	if (lever->set_count > 0)
		memcpy(sets, lever->sets, lever->set_count * sizeof(*sets));
	sets[lever->set_count++] = setting;
	lever->sets = sets;
}

/* A choice that changes nothing is none. */
static void drop_empty(struct offers *o)
{
	const struct lever *last = &o->levers->items[o->levers->count - 1];

	if (last->set_count == 0)
		o->levers->count--;
}

static const char *queue_name(const struct offers *o, uint32_t queue)
{
	return scenario_string(o->s, o->s->cluster_queues[queue].name);
}

/* clusterqueue/NAME:.FIELD=VALUE */
static void set_field(struct offers *o, struct lever *lever, uint32_t queue, const char *field,
		      const char *value)
{
	set(o, lever,
	    text(o->levers->arena, "clusterqueue/%s:.%s=%s", queue_name(o, queue), field, value));
}

/* the same of all queues */
static void set_all(struct offers *o, struct lever *lever, const char *field, const char *value)
{
	set(o, lever, text(o->levers->arena, "clusterqueue/*:.%s=%s", field, value));
}

/* ---- cohorts ---- */

static uint32_t root_of(const struct scenario *s, uint32_t cohort)
{
	for (int depth = 0; cohort != SCENARIO_NONE && depth < DEPTH_MAX; depth++) {
		if (s->cohorts[cohort].parent == SCENARIO_NONE)
			return cohort;
		cohort = s->cohorts[cohort].parent;
	}
	return cohort;
}

static uint32_t queue_root(const struct scenario *s, uint32_t queue)
{
	return root_of(s, s->cluster_queues[queue].cohort);
}

/* Queues whose tree has another queue. */
static bool shares(const struct scenario *s, uint32_t queue)
{
	uint32_t root = queue_root(s, queue);

	for (uint32_t q = 0; q < s->cluster_queue_count && root != SCENARIO_NONE; q++)
		if (q != queue && !s->cluster_queues[q].absent && queue_root(s, q) == root)
			return true;
	return false;
}

static bool any_shares(const struct scenario *s)
{
	for (uint32_t q = 0; q < s->cluster_queue_count; q++)
		if (shares(s, q))
			return true;
	return false;
}

/* The tree with the most queues; SCENARIO_NONE: no queue is in one. */
static uint32_t largest_tree(const struct scenario *s)
{
	uint32_t best = SCENARIO_NONE, most = 0;

	for (uint32_t c = 0; c < s->cohort_count; c++) {
		uint32_t members = 0;

		for (uint32_t q = 0; q < s->cluster_queue_count; q++)
			members += !s->cluster_queues[q].absent && queue_root(s, q) == c;
		if (members > most) {
			most = members;
			best = c;
		}
	}
	return best;
}

static void offer_cohort(struct offers *o)
{
	static const char name[] = "one cohort";
	const struct scenario *s = o->s;
	uint32_t tree = largest_tree(s);
	const char *cohort =
		tree == SCENARIO_NONE ? "all" : scenario_string(s, s->cohorts[tree].name);
	struct lever *lever;

	if (s->cluster_queue_count < 2) {
		absent(o, name, "there is one ClusterQueue");
		return;
	}
	lever = offer(o, name, text(o->levers->arena, "all queues in cohort %s", cohort));
	for (uint32_t q = 0; q < s->cluster_queue_count; q++)
		if (!s->cluster_queues[q].absent &&
		    (tree == SCENARIO_NONE || queue_root(s, q) != tree))
			set_field(o, lever, q, "cohortName", cohort);
	if (lever->set_count == 0)
		lever->absent = "all queues are in one already";
}

/* ---- limits ---- */

enum limit { BORROWING, LENDING };

static void set_limits(struct offers *o, struct lever *lever, uint32_t queue, enum limit limit,
		       const char *value)
{
	const struct scenario *s = o->s;
	const struct cluster_queue *cq = &s->cluster_queues[queue];

	for (uint32_t g = 0; g < cq->group_count; g++) {
		const struct resource_group *group = &cq->groups[g];

		for (uint32_t c = 0; c < group->flavor_count * group->resource_count; c++) {
			const struct quota_cell *cell = &group->cells[c];
			int64_t now =
				limit == BORROWING ? cell->borrowing_limit : cell->lending_limit;

			if (strcmp(value, "none") == 0 ? now == QUOTA_ABSENT : now == 0)
				continue;
			set(o, lever,
			    text(o->levers->arena, "clusterqueue/%s:%s@%s.%s=%s",
				 queue_name(o, queue),
				 name_text(s->resources,
					   group->resources[c % group->resource_count]),
				 scenario_string(s, group->flavor_names[c / group->resource_count]),
				 limit == BORROWING ? "borrowingLimit" : "lendingLimit", value));
		}
	}
}

static void offer_no_limits(struct offers *o, const char *name, const char *choice,
			    enum limit limit)
{
	struct lever *lever = offer(o, name, choice);

	for (uint32_t q = 0; q < o->s->cluster_queue_count; q++)
		if (!o->s->cluster_queues[q].absent &&
		    o->s->cluster_queues[q].cohort != SCENARIO_NONE)
			set_limits(o, lever, q, limit, "none");
	if (lever->set_count == 0)
		lever->absent = "no queue of a cohort has such a limit";
}

static bool is_target(const struct offers *o, uint32_t queue)
{
	for (size_t i = 0; i < o->goals->count; i++)
		if (strcmp(o->goals->items[i].team, queue_name(o, queue)) == 0)
			return true;
	return false;
}

static void offer_limits(struct offers *o)
{
	struct lever *lever;

	offer_no_limits(o, "borrowing limits", "no borrowing limits", BORROWING);
	offer_no_limits(o, "lending limits", "no lending limits", LENDING);
	lever = offer(o, "lending limits", "teams with a target lend nothing");
	for (uint32_t q = 0; q < o->s->cluster_queue_count; q++)
		if (!o->s->cluster_queues[q].absent && is_target(o, q) && shares(o->s, q))
			set_limits(o, lever, q, LENDING, "0");
	drop_empty(o);
}

/* ---- preemption, order ---- */

struct word_choice {
	const char *word;
	int value;
};

static bool one_priority(const struct scenario *s)
{
	for (uint32_t i = 1; i < s->job_count; i++)
		if (s->jobs[i].common->priority != s->jobs[0].common->priority)
			return false;
	return true;
}

/* Where no job is of lower priority than others, LowerPriority takes from none. */
static int in_effect(int reclaim, bool alike)
{
	return alike && reclaim == PREEMPT_NEVER ? PREEMPT_LOWER_PRIORITY : reclaim;
}

static void offer_reclaim(struct offers *o)
{
	static const struct word_choice choices[] = {{"Any", PREEMPT_ANY},
						     {"LowerPriority", PREEMPT_LOWER_PRIORITY},
						     {"Never", PREEMPT_NEVER}};
	static const char name[] = "reclaim";
	bool alike = one_priority(o->s);

	if (!any_shares(o->s)) {
		absent(o, name, "no two queues share a cohort");
		return;
	}
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		bool differs = false, borrows = false;
		struct lever *lever;

		for (uint32_t q = 0; q < o->s->cluster_queue_count; q++) {
			const struct cluster_queue *cq = &o->s->cluster_queues[q];

			differs =
				differs || (!cq->absent && in_effect((int)cq->reclaim_within_cohort,
								     alike) != choices[i].value);
			borrows = borrows || cq->borrow_within_cohort != PREEMPT_NEVER;
		}
		if (!differs || in_effect(choices[i].value, alike) != choices[i].value)
			continue;
		lever = offer(o, name,
			      text(o->levers->arena, "reclaimWithinCohort=%s", choices[i].word));
		if (choices[i].value == PREEMPT_NEVER && borrows)
			set_all(o, lever, "preemption.borrowWithinCohort.policy", "Never");
		set_all(o, lever, "preemption.reclaimWithinCohort", choices[i].word);
	}
}

/* Is the queue the only one that jobs of this namespace go to? */
static bool owns_namespace(const struct scenario *s, uint32_t queue, uint32_t ns)
{
	for (uint32_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].common->ns == ns && scenario_job_cluster_queue(s, i) != queue)
			return false;
	return true;
}

/* Jobs of teams with a target go first, if their namespaces tell them apart. */
static void offer_first(struct offers *o, const char *name)
{
	const struct scenario *s = o->s;
	struct lever *lever = offer(o, name, "teams with a target go first");
	uint32_t last = NAME_NONE;

	for (uint32_t l = 0; l < s->local_queue_count; l++) {
		const struct local_queue *queue = &s->local_queues[l];

		if (queue->absent || queue->cluster_queue == SCENARIO_NONE || queue->ns == last ||
		    !is_target(o, queue->cluster_queue) ||
		    !owns_namespace(s, queue->cluster_queue, queue->ns))
			continue;
		last = queue->ns;
		set(o, lever,
		    text(o->levers->arena, "jobs/%s:.priority=1000",
			 scenario_string(s, queue->ns)));
	}
	drop_empty(o);
}

static void offer_within(struct offers *o)
{
	static const struct word_choice choices[] = {
		{"Never", PREEMPT_NEVER},
		{"LowerPriority", PREEMPT_LOWER_PRIORITY},
		{"LowerOrNewerEqualPriority", PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY}};
	static const char name[] = "priorities";

	offer_first(o, name);
	if (one_priority(o->s)) {
		absent(o, name,
		       "all jobs have the same priority: the input says of none that it "
		       "may wait");
		return;
	}
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		bool differs = false;

		for (uint32_t q = 0; q < o->s->cluster_queue_count; q++) {
			const struct cluster_queue *cq = &o->s->cluster_queues[q];

			differs = differs || (!cq->absent &&
					      (int)cq->within_cluster_queue != choices[i].value);
		}
		if (differs)
			set_all(o,
				offer(o, name,
				      text(o->levers->arena, "withinClusterQueue=%s",
					   choices[i].word)),
				"preemption.withinClusterQueue", choices[i].word);
	}
}

static void offer_strategy(struct offers *o)
{
	static const char name[] = "queueing order";
	bool differs = false;

	for (uint32_t q = 0; q < o->s->cluster_queue_count; q++)
		differs = differs || (!o->s->cluster_queues[q].absent &&
				      o->s->cluster_queues[q].strategy != QUEUE_BEST_EFFORT_FIFO);
	if (differs)
		set_all(o, offer(o, name, "queueingStrategy=BestEffortFIFO"), "queueingStrategy",
			"BestEffortFIFO");
	else
		absent(o, name, "all queues are BestEffortFIFO already");
}

static void offer_fair(struct offers *o)
{
	static const char name[] = "fair sharing";

	if (!any_shares(o->s))
		absent(o, name, "no two queues share a cohort");
	else if (o->s->config.fair_sharing)
		absent(o, name, "it is on already");
	else
		set(o, offer(o, name, "fairSharing.enable=true"),
		    "configuration/kueue:.fairSharing.enable=true");
}

/* ---- flavors ---- */

static bool has_choice(const struct cluster_queue *cq)
{
	for (uint32_t g = 0; g < cq->group_count; g++)
		if (cq->groups[g].flavor_count > 1)
			return true;
	return false;
}

static void offer_fungibility(struct offers *o)
{
	static const char name[] = "fungibility";
	static const char *const fields[] = {"whenCanBorrow", "whenCanPreempt"};
	bool any = false;

	for (uint32_t q = 0; q < o->s->cluster_queue_count; q++)
		any = any || has_choice(&o->s->cluster_queues[q]);
	if (!any) {
		absent(o, name, "no queue has a choice of flavors");
		return;
	}
	for (int f = 0; f < 2; f++) {
		struct lever *lever =
			offer(o, name, text(o->levers->arena, "%s=TryNextFlavor", fields[f]));

		for (uint32_t q = 0; q < o->s->cluster_queue_count; q++) {
			const struct cluster_queue *cq = &o->s->cluster_queues[q];
			enum fungibility now = f == 0 ? cq->when_can_borrow : cq->when_can_preempt;

			if (!cq->absent && has_choice(cq) && now != FUNGIBILITY_TRY_NEXT_FLAVOR)
				set_field(o, lever, q,
					  f == 0 ? "flavorFungibility.whenCanBorrow"
						 : "flavorFungibility.whenCanPreempt",
					  "TryNextFlavor");
		}
		drop_empty(o);
	}
}

static void offer_spot(struct offers *o)
{
	absent(o, "spot flavors",
	       "they make nodes cheaper, not waits shorter: what is bought is simulated as spot "
	       "nodes, too");
}

/* ---- placement ---- */

static void offer_packing(struct offers *o)
{
	static const char name[] = "bin packing";

	if (o->s->node_count == 0 || o->options->placement == PLACEMENT_NONE ||
	    o->policy->placement == NULL)
		absent(o, name, "no pod is placed: the input has no nodes");
	else if (o->options->strategy.type == STRATEGY_MOST)
		absent(o, name, "nodes are scored MostAllocated already");
	else
		set(o, offer(o, name, "strategy MostAllocated"),
		    "run/options:.strategy=MostAllocated:nvidia.com/gpu=1");
}

/* Could its jobs be placed node by node? Kueue wants nodeLabels of such a flavor. */
static bool lacks_topology(const struct flavor *flavor)
{
	return !flavor->absent && flavor->topology == SCENARIO_NONE &&
	       flavor->node_labels.count > 0;
}

/* Kueue then looks for room on nodes before it admits, whether or not a job asks for it. */
static void offer_topology(struct offers *o)
{
	static const char name[] = "topology";
	const struct scenario *s = o->s;
	uint32_t hostname = name_find(s->strings, HOSTNAME), lacking = 0, hosts = 0;

	for (uint32_t f = 0; f < s->flavor_count; f++)
		lacking += lacks_topology(&s->flavors[f]);
	for (uint32_t i = 0; i < s->node_count && hostname != NAME_NONE; i++)
		hosts += label_has(&s->nodes[i].labels, hostname);
	if (o->policy->admission == NULL)
		absent(o, name, "this policy has no flavors (-p kueue has)");
	else if (hosts == 0)
		absent(o, name, "no node has the label " HOSTNAME);
	else if (lacking == 0 && s->flavor_count > 0 && s->flavors[0].topology != SCENARIO_NONE)
		absent(o, name, "flavors have a topology already");
	else if (lacking == 0)
		absent(o, name, "no flavor has nodeLabels, without which Kueue refuses a topology");
	else
		set(o, offer(o, name, "topology of hosts for all flavors"),
		    "flavor/*:.topologyName=" HOSTNAME);
}

/* ---- what jobs hold and do not use ---- */

/* GPUs of the queue become slices, each seven of one. */
static void set_slices(struct offers *o, struct lever *lever, const struct slices *slices,
		       const struct slices_queue *q, int64_t gpus)
{
	struct mem_arena *arena = o->levers->arena;
	const char *path;

	if (q->queue == SCENARIO_NONE || gpus == 0)
		return;
	path = text(arena, "clusterqueue/%s:", queue_name(o, q->queue));
	set(o, lever,
	    text(arena, "%s" MIG_PREFIX "%s@%s.nominalQuota=%" PRId64, path, slices->profile,
		 scenario_string(o->s, o->s->flavors[slices->flavor].name), gpus * MIG_MOST));
	if (!o->s->derived_queues) /* else it is what nodes have left */
		set(o, lever,
		    text(arena, "%s" MIG_WHOLE "@%s.nominalQuota=%" PRId64, path,
			 scenario_string(o->s, o->s->flavors[slices->flavor].name),
			 q->nominal - gpus));
}

/* False: the pool has not so many. */
static bool offer_cut(struct offers *o, const struct slices *slices, bool peak)
{
	struct mem_arena *arena = o->levers->arena;
	struct lever *lever;
	int64_t gpus = 0;

	for (uint32_t i = 0; i < slices->queue_count; i++)
		gpus += slices_gpus(&slices->queues[i], peak);
	if (gpus == 0 || gpus > slices->most)
		return false;
	lever = offer(o, "MIG",
		      text(arena, "%" PRId64 " GPU%s of %s in slices of %s", gpus,
			   gpus == 1 ? "" : "s", scenario_string(o->s, slices->pool),
			   slices->profile));
	set(o, lever,
	    text(arena, "nodepool/%s:.mig=%" PRId64 "@%s", scenario_string(o->s, slices->pool),
		 gpus, slices->profile));
	set(o, lever, text(arena, "jobs/all:.mig=%s", slices->profile));
	for (uint32_t i = 0; i < slices->queue_count; i++)
		set_slices(o, lever, slices, &slices->queues[i],
			   slices_gpus(&slices->queues[i], peak));
	return true;
}

/* For all that want a slice at once, or for most of them. */
static void offer_slices(struct offers *o)
{
	struct slices slices;
	bool any, differ = false;

	slices_find(o->levers->arena, o->s,
		    o->policy->admission != NULL && o->s->cluster_queue_count > 0, &slices);
	if (slices.absent != NULL) {
		absent(o, "MIG", slices.absent);
		return;
	}
	for (uint32_t i = 0; i < slices.queue_count; i++)
		differ = differ || slices_gpus(&slices.queues[i], true) !=
					   slices_gpus(&slices.queues[i], false);
	any = differ && offer_cut(o, &slices, false);
	any = offer_cut(o, &slices, true) || any;
	if (!any)
		absent(o, "MIG", "no pool has as many GPUs as would have to be cut");
}

/* Jobs of the pattern that are idle for part of their time. */
static bool any_idle(const struct offers *o, const char *pattern)
{
	const struct scenario *s = o->s;
	char name[SCENARIO_NAME_TEXT], both[1024];

	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];

		if (job->utilisation >= FULL || job->duration == JOB_ENDLESS ||
		    job->common->gpus == 0)
			continue;
		snprintf(both, sizeof(both), "%s/%s", scenario_string(s, job->common->ns),
			 scenario_job_name(s, i, name));
		if (fnmatch(pattern, both, 0) == 0)
			return true;
	}
	return false;
}

static void offer_stops(struct offers *o, const struct lever_question *question)
{
	static const char name[] = "auto-stop";
	struct lever *lever = offer(
		o, name,
		text(o->levers->arena, "idle notebooks stop after %s", question->idle_timeout));
	const char *at = question->notebooks;

	while (*at != '\0') {
		size_t len = strcspn(at, ",");
		const char *pattern = mem_arena_strndup(o->levers->arena, at, len);

		if (any_idle(o, pattern))
			set(o, lever,
			    text(o->levers->arena, "jobs/%s:.idleTimeout=%s", pattern,
				 question->idle_timeout));
		at += len + (at[len] == ',');
	}
	if (lever->set_count == 0)
		lever->absent = text(o->levers->arena,
				     "no job called %s ends and says that it is idle for part of "
				     "its time (--notebooks, gpuUtilisation)",
				     question->notebooks);
}

/* ---- all of them ---- */

static void offer_queue_levers(struct offers *o)
{
	static const char *const names[] = {"one cohort",   "borrowing limits", "lending limits",
					    "reclaim",	    "priorities",	"queueing order",
					    "fair sharing", "fungibility"};

	if (o->policy->admission != NULL && o->s->cluster_queue_count > 0) {
		offer_cohort(o);
		offer_limits(o);
		offer_reclaim(o);
		offer_within(o);
		offer_strategy(o);
		offer_fair(o);
		offer_fungibility(o);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		absent(o, names[i],
		       o->policy->admission != NULL ? "the input has no ClusterQueues"
						    : "this policy has no queues (-p kueue has)");
}

void lever_list(struct levers *levers, const struct lever_question *question)
{
	struct offers o = {.levers = levers,
			   .s = question->scenario,
			   .policy = question->policy,
			   .options = question->options,
			   .goals = question->goals};

	*levers = (struct levers){.arena = mem_arena_new()};
	offer_queue_levers(&o);
	offer_spot(&o);
	offer_packing(&o);
	offer_topology(&o);
	offer_slices(&o);
	offer_stops(&o, question);
}

void lever_free(struct levers *levers)
{
	if (levers->arena != NULL)
		mem_arena_free(levers->arena);
	mem_free(levers->items);
	*levers = (struct levers){0};
}

/* ---- nodes and the quota that goes with them ---- */

struct scaling {
	struct mem_arena *arena;
	const struct scenario *s;
	const char **sets;
	uint32_t count;
	size_t capacity;
	uint32_t flavor;
	int64_t before, after; /* GPUs, or nodes where there are no GPUs, of the flavor */
};

static void add_set(struct scaling *scaling, const char *setting)
{
	scaling->sets = mem_grow(scaling->sets, (size_t)scaling->count + 1, &scaling->capacity,
				 sizeof(*scaling->sets));
	scaling->sets[scaling->count++] = setting;
}

/* How many nodes of the flavor there are, and would be. */
static void count_nodes(struct scaling *scaling, const struct lever_count *counts, uint32_t count)
{
	const struct scenario *s = scaling->s;

	scaling->before = scaling->after = 0;
	for (uint32_t c = 0; c < count; c++) {
		uint32_t pool = name_find(s->strings, counts[c].pool);
		int64_t size = 0, nodes = 0;

		for (uint32_t i = 0; i < s->node_count; i++) {
			const struct node *node = &s->nodes[i];

			if (node->pool != pool ||
			    !label_contains(&node->labels,
					    &s->flavors[scaling->flavor].node_labels))
				continue;
			size = node->gpus > size ? node->gpus : size;
			nodes += !node->spare;
		}
		/* GPUs that are cut stay cut */
		scaling->after += size * ((int64_t)counts[c].nodes - nodes);
	}
	for (uint32_t i = 0; i < s->node_count; i++)
		if (!s->nodes[i].spare &&
		    label_contains(&s->nodes[i].labels, &s->flavors[scaling->flavor].node_labels))
			scaling->before += s->nodes[i].gpus;
	scaling->after += scaling->before;
	scaling->after = scaling->after > 0 ? scaling->after : 0;
}

static void set_cell(struct scaling *scaling, const char *kind, uint32_t name, uint32_t resource,
		     const struct quota_cell *cell, int64_t nominal)
{
	const struct scenario *s = scaling->s;
	const char *resource_name = name_text(s->resources, resource);
	char amount[NUM_QUANTITY_TEXT];
	const char *path;

	if (nominal == cell->nominal)
		return;
	path = text(scaling->arena, "%s/%s:%s@%s", kind, scenario_string(s, name), resource_name,
		    scenario_string(s, s->flavors[scaling->flavor].name));
	if (res_is_milli(resource))
		snprintf(amount, sizeof(amount), "%" PRId64 "m", nominal);
	else
		snprintf(amount, sizeof(amount), "%" PRId64, nominal);
	if (cell->lending_limit > nominal)
		add_set(scaling, text(scaling->arena, "%s.lendingLimit=%s", path, amount));
	add_set(scaling, text(scaling->arena, "%s.nominalQuota=%s", path, amount));
}

static const struct quota_cell *find_cell(const struct resource_group *groups, uint32_t count,
					  uint32_t flavor, uint32_t resource)
{
	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++)
				if (groups[g].flavors[f] == flavor &&
				    groups[g].resources[r] == resource)
					return &groups[g].cells[f * groups[g].resource_count + r];
	return NULL;
}

static const struct quota_cell *cell_of(const struct scaling *scaling, uint32_t holder,
					uint32_t resource)
{
	const struct scenario *s = scaling->s;
	uint32_t queues = s->cluster_queue_count;

	if (holder < queues)
		return find_cell(s->cluster_queues[holder].groups,
				 s->cluster_queues[holder].group_count, scaling->flavor, resource);
	return find_cell(s->cohorts[holder - queues].groups,
			 s->cohorts[holder - queues].group_count, scaling->flavor, resource);
}

/* Queues and cohorts share what a flavor has of a resource: each what its part of the running
 * sum comes to, so that the parts add up. */
static void scale_resource(struct scaling *scaling, uint32_t resource)
{
	const struct scenario *s = scaling->s;
	int64_t sum = 0, given = 0;

	for (uint32_t h = 0; h < s->cluster_queue_count + s->cohort_count; h++) {
		const struct quota_cell *cell = cell_of(scaling, h, resource);
		bool queue = h < s->cluster_queue_count;
		int64_t upto;

		if (cell == NULL || cell->nominal == RES_UNLIMITED)
			continue;
		sum = res_add(sum, cell->nominal);
		upto = money_part(sum, scaling->after, scaling->before);
		set_cell(scaling, queue ? "clusterqueue" : "cohort",
			 queue ? s->cluster_queues[h].name
			       : s->cohorts[h - s->cluster_queue_count].name,
			 resource, cell, upto - given);
		given = upto;
	}
}

struct lever_nodes lever_nodes(struct mem_arena *arena, const struct scenario *s,
			       const struct lever_count *counts, uint32_t count)
{
	struct scaling scaling = {.arena = arena, .s = s};
	struct lever_nodes out;
	const char **copy;

	for (uint32_t c = 0; c < count; c++)
		add_set(&scaling, text(arena, "nodepool/%s:.count=%" PRIu32, counts[c].pool,
				       counts[c].nodes));
	for (uint32_t c = 0; c < count; c++)
		if (counts[c].spot > 0)
			add_set(&scaling, text(arena, "nodepool/%s:.spot=%" PRIu32 "@%s",
					       counts[c].pool, counts[c].spot, counts[c].every));
	for (uint32_t f = 0; f < s->flavor_count && !s->derived_queues; f++) {
		scaling.flavor = f;
		count_nodes(&scaling, counts, count);
		if (scaling.before == 0 || scaling.after == scaling.before)
			continue;
		for (uint32_t r = 0; r < s->resource_count; r++)
			if (!mig_is_resource(name_text(s->resources, r)))
				scale_resource(&scaling, r);
	}
	copy = mem_arena_alloc(arena, scaling.count * sizeof(*copy));
	memcpy(copy, scaling.sets, scaling.count * sizeof(*copy));
	out = (struct lever_nodes){.sets = copy, .count = scaling.count};
	mem_free(scaling.sets);
	return out;
}
