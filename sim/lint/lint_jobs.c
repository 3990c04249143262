/* lint_jobs.c - jobs that never start, or that Kueue does not see. */
#include <stdio.h>
#include <string.h>

#include "sim/lint/lint_look.h"
#include "sim/scenario/profile.h"

#define LIST_MAX 20 /* findings of one sort; the rest are counted */

enum sort {
	SORT_UNMANAGED,
	SORT_POD_TOO_BIG,
	SORT_JOB_TOO_BIG,
	SORT_NAMESPACE,
	SORT_NOT_COVERED,
	SORT_NO_FLAVOR,
	SORT_QUOTA,
	SORTS
};

static const struct finding_rule rules[SORTS] = {
	[SORT_UNMANAGED] = {"no-queue-name", FINDING_WARNING},
	[SORT_POD_TOO_BIG] = {"pod-fits-no-node", FINDING_WARNING},
	[SORT_JOB_TOO_BIG] = {"job-exceeds-cluster", FINDING_WARNING},
	[SORT_NAMESPACE] = {"namespace-not-selected", FINDING_WARNING},
	[SORT_NOT_COVERED] = {"resource-not-covered", FINDING_WARNING},
	[SORT_NO_FLAVOR] = {"no-matching-flavor", FINDING_WARNING},
	[SORT_QUOTA] = {"job-exceeds-quota", FINDING_WARNING},
};

static const struct finding_rule strict_fifo_blocked = {"strict-fifo-blocked", FINDING_WARNING};

/* Jobs that are alike, and what is wrong with them. */
struct job_class {
	uint32_t first; /* job */
	uint32_t count;
	enum sort sort; /* SORTS: nothing is wrong */
	char text[400];
	char fix[320];
};

struct lint_work {
	const struct lint *l;
	struct job_class *classes;
	uint32_t class_count;
};

/* ---- nodes ---- */

/* How many such pods an empty node holds; 0: none. */
static uint64_t pods_on(const struct lint *l, const struct node *node,
			const struct pod_shape *shape)
{
	uint64_t pods = (uint64_t)node->allocatable[RES_PODS];

	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		uint64_t room;

		if (shape->request[r] <= 0)
			continue;
		room = (uint64_t)node->allocatable[r] / (uint64_t)shape->request[r];
		pods = room < pods ? room : pods;
	}
	return pods;
}

static bool by_label(const struct lint *l, const struct pod_shape *shape)
{
	return shape->node_selector.count != 0 || shape->affinity_count != 0 ||
	       profile_of(l->s, shape)->enforced_count != 0;
}

/* Pods of a shape that the whole empty cluster holds, counted up to enough. A node
 * that is cordoned or not ready may come back: it counts. */
static uint64_t pods_on_all(const struct lint *l, const struct pod_shape *shape, uint64_t enough)
{
	uint32_t count = by_label(l, shape) ? l->s->node_count : l->node_classes;
	uint64_t pods = 0;

	for (uint32_t i = 0; i < count && pods < enough; i++) {
		struct node node = by_label(l, shape) ? l->s->nodes[i] : *l->nodes[i].like;
		uint64_t times = by_label(l, shape) ? 1 : l->nodes[i].count;
		uint64_t each = pods_on(l, &node, shape);

		if (cluster_node_never(&node))
			continue;
		node.ready = true;
		node.unschedulable = false;
		if (each != 0 && profile_node_suits(l->s, &node, shape))
			pods += each > enough / times ? enough : each * times;
	}
	return pods;
}

/* The resource of which a pod asks for more than any node has. */
static bool above_every_node(const struct lint *l, const struct pod_shape *shape,
			     uint32_t *resource, int64_t *most)
{
	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		*most = 0;
		for (uint32_t i = 0; i < l->node_classes; i++)
			if (l->nodes[i].like->allocatable[r] > *most)
				*most = l->nodes[i].like->allocatable[r];
		*resource = r;
		if (shape->request[r] > *most)
			return true;
	}
	return false;
}

static void say_pod_too_big(const struct lint *l, const struct pod_shape *shape,
			    struct job_class *class)
{
	char wanted[NUM_QUANTITY_TEXT], has[NUM_QUANTITY_TEXT];
	uint32_t resource;
	int64_t most;

	class->sort = SORT_POD_TOO_BIG;
	if (l->node_classes == 0) {
		snprintf(class->text, sizeof(class->text), "never fits: there is no node");
		snprintf(class->fix, sizeof(class->fix),
			 "give the node pools a count, or --nodes NAME=NODESxGPUS");
		return;
	}
	if (above_every_node(l, shape, &resource, &most)) {
		lint_amount(l, resource, most, has);
		snprintf(class->text, sizeof(class->text),
			 "never fits: each pod asks for %s of %.100s, the largest node has %s",
			 lint_amount(l, resource, shape->request[resource], wanted),
			 lint_resource(l, resource), has);
		snprintf(
			class->fix, sizeof(class->fix),
			"ask for at most %s of %.100s a pod and for more pods, or add larger nodes",
			has, lint_resource(l, resource));
		return;
	}
	snprintf(class->text, sizeof(class->text),
		 "never fits: no node has room for its pods and also the labels, and only "
		 "the taints, that they want");
	snprintf(class->fix, sizeof(class->fix),
		 "compare its nodeSelector, affinity and tolerations with the labels and taints of "
		 "the nodes");
}

/* Does it fit the empty cluster? Pod sets are looked at one by one. */
static bool check_placement(const struct lint *l, const struct job *job, struct job_class *class)
{
	for (uint32_t i = 0; i < job->pod_set_count; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->first_pod_set + i];
		const struct pod_shape *shape = &l->s->shapes[set->shape];
		uint32_t wanted = (job->flags & JOB_NOT_GANG) != 0 ? 1 : set->min_count;
		uint64_t pods = pods_on_all(l, shape, wanted);

		if (pods >= wanted)
			continue;
		if (pods == 0) {
			say_pod_too_big(l, shape, class);
			return false;
		}
		class->sort = SORT_JOB_TOO_BIG;
		snprintf(class->text, sizeof(class->text),
			 "never fits: of its %u pods the empty cluster holds %llu", wanted,
			 (unsigned long long)pods);
		snprintf(class->fix, sizeof(class->fix),
			 "run at most %llu such pods at once, or add nodes",
			 (unsigned long long)pods);
		return false;
	}
	return true;
}

/* ---- quotas ---- */

/* The most that a queue could ever have of a cell; never less than the truth. */
static int64_t ceiling(const struct lint *l, const struct cluster_queue *queue,
		       const struct resource_group *group, uint32_t flavor, uint32_t resource)
{
	const struct quota_cell *cell = &group->cells[flavor * group->resource_count + resource];
	int64_t tree;

	if (queue->cohort == SCENARIO_NONE)
		return cell->nominal;
	tree = l->more_quota
		       ? RES_UNLIMITED
		       : lint_tree_quota(l->s, lint_root(l->s, queue->cohort),
					 group->flavor_names[flavor], group->resources[resource]);
	if (cell->borrowing_limit != QUOTA_ABSENT &&
	    res_add(cell->nominal, cell->borrowing_limit) < tree)
		return res_add(cell->nominal, cell->borrowing_limit);
	return tree;
}

static bool covers(const struct cluster_queue *queue, uint32_t resource)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t r = 0; r < queue->groups[g].resource_count; r++)
			if (queue->groups[g].resources[r] == resource)
				return true;
	return false;
}

/* Does the flavor let the pods in: its taints, and its labels where the pods
 * select by the same key? */
static bool flavor_suits(const struct lint *l, const struct flavor *f,
			 const struct pod_shape *shape)
{
	struct toleration_set own = f->tolerations;

	for (uint32_t i = 0; i < f->taints.count; i++)
		if (f->taints.items[i].effect != TAINT_PREFER_NO_SCHEDULE &&
		    !label_tolerates(l->s->strings, &shape->tolerations, &f->taints.items[i]) &&
		    !label_tolerates(l->s->strings, &own, &f->taints.items[i]))
			return false;
	for (uint32_t i = 0; i < shape->node_selector.count; i++) {
		const struct label *wanted = &shape->node_selector.items[i];

		if (label_has(&f->node_labels, wanted->key) &&
		    label_value(&f->node_labels, wanted->key) != wanted->value)
			return false;
	}
	return true;
}

static void say_above_quota(const struct lint *l, const struct cluster_queue *queue,
			    uint32_t flavor_name, uint32_t resource, int64_t each, uint32_t pods,
			    int64_t most, struct job_class *class)
{
	char wanted[NUM_QUANTITY_TEXT], has[NUM_QUANTITY_TEXT];

	lint_amount(l, resource, most, has);
	class->sort = SORT_QUOTA;
	snprintf(class->text, sizeof(class->text),
		 "is never admitted: it asks for %s of %.80s, ClusterQueue "
		 "\"%.80s\" can have at most %s in flavor \"%.60s\"",
		 lint_amount(l, resource, res_mul(each, pods), wanted), lint_resource(l, resource),
		 lint_string(l, queue->name), has, lint_string(l, flavor_name));
	if (most / each > 0)
		snprintf(class->fix, sizeof(class->fix),
			 "run at most %lld such pods at once, or raise nominalQuota or "
			 "borrowingLimit",
			 (long long)(most / each));
	else
		snprintf(class->fix, sizeof(class->fix),
			 "ask for at most %s a pod, or raise nominalQuota or borrowingLimit", has);
}

/* Is there a flavor of the group for the pod set? If not, the nearest miss. */
static bool check_group(const struct lint *l, const struct cluster_queue *queue,
			const struct resource_group *group, const struct pod_set *set,
			struct job_class *class)
{
	const struct pod_shape *shape = &l->s->shapes[set->shape];
	bool suits = false;

	for (uint32_t f = 0; f < group->flavor_count; f++) {
		bool fits = true;

		if (group->flavors[f] == SCENARIO_NONE)
			return true; /* the queue is inactive: said elsewhere */
		if (!flavor_suits(l, &l->s->flavors[group->flavors[f]], shape))
			continue;
		suits = true;
		for (uint32_t r = 0; r < group->resource_count && fits; r++) {
			uint32_t resource = group->resources[r];
			int64_t each = shape->request[resource];
			int64_t most = ceiling(l, queue, group, f, r);

			if (lint_translated(l, resource) || each <= 0 ||
			    res_mul(each, set->min_count) <= most)
				continue;
			fits = false;
			say_above_quota(l, queue, group->flavor_names[f], resource, each,
					set->min_count, most, class);
		}
		if (fits) {
			class->sort = SORTS;
			return true;
		}
	}
	if (!suits) {
		class->sort = SORT_NO_FLAVOR;
		snprintf(class->text, sizeof(class->text),
			 "is never admitted: no flavor of ClusterQueue \"%.100s\" matches its node "
			 "selector and tolerations",
			 lint_string(l, queue->name));
		snprintf(class->fix, sizeof(class->fix),
			 "add a ResourceFlavor with such nodeLabels to the queue, or change the "
			 "job's nodeSelector and tolerations");
	}
	return false;
}

static bool asks_for_any(const struct resource_group *group, const struct pod_shape *shape)
{
	for (uint32_t r = 0; r < group->resource_count; r++)
		if (shape->request[group->resources[r]] > 0)
			return true;
	return false;
}

static bool check_coverage(const struct lint *l, const struct cluster_queue *queue,
			   const struct pod_shape *shape, struct job_class *class)
{
	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		if (shape->request[r] <= 0 || covers(queue, r) || lint_translated(l, r) ||
		    l->s->config.ignore_undeclared)
			continue;
		class->sort = SORT_NOT_COVERED;
		snprintf(
			class->text, sizeof(class->text),
			"is never admitted: ClusterQueue \"%.100s\" has no quota for %.100s, which "
			"its pods request",
			lint_string(l, queue->name), lint_resource(l, r));
		snprintf(class->fix, sizeof(class->fix),
			 "add %.100s to a resource group of the queue, or leave it to the nodes: "
			 "resources.excludeResourcePrefixes, or quotaCheckStrategy "
			 "IgnoreUndeclared",
			 lint_resource(l, r));
		return false;
	}
	return true;
}

static const struct label_set *namespace_labels(const struct lint *l, uint32_t ns)
{
	for (uint32_t i = 0; i < l->s->namespace_count; i++)
		if (l->s->namespaces[i].name == ns)
			return &l->s->namespaces[i].labels;
	return NULL;
}

static bool check_quota(const struct lint *l, const struct job *job, struct job_class *class)
{
	const struct cluster_queue *queue;
	const struct label_set *labels = namespace_labels(l, job->ns);
	uint32_t index = l->s->local_queues[job->local_queue].cluster_queue;

	if (index == SCENARIO_NONE)
		return true;
	queue = &l->s->cluster_queues[index];
	if (queue->namespace_selector.present && labels != NULL &&
	    !draft_left_out(l->builder, "Namespace", lint_string(l, job->ns)) &&
	    !label_selector_matches(l->s->strings, labels, &queue->namespace_selector)) {
		class->sort = SORT_NAMESPACE;
		snprintf(class->text, sizeof(class->text),
			 "is never admitted: ClusterQueue \"%.100s\" does not select namespace "
			 "\"%.100s\"",
			 lint_string(l, queue->name), lint_string(l, job->ns));
		snprintf(class->fix, sizeof(class->fix),
			 "label the namespace as spec.namespaceSelector wants it, or widen the "
			 "selector");
		return false;
	}
	for (uint32_t i = 0; i < job->pod_set_count; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->first_pod_set + i];
		const struct pod_shape *shape = &l->s->shapes[set->shape];

		if (!check_coverage(l, queue, shape, class))
			return false;
		for (uint32_t g = 0; g < queue->group_count; g++)
			if (asks_for_any(&queue->groups[g], shape) &&
			    !check_group(l, queue, &queue->groups[g], set, class))
				return false;
	}
	return true;
}

/* ---- jobs ---- */

static void check_class(const struct lint *l, const struct job *job, struct job_class *class)
{
	bool kueue = l->s->cluster_queue_count != 0;

	if (l->has_nodes && !l->changes && !l->more_nodes && !check_placement(l, job, class))
		return;
	if (kueue && (job->flags & JOB_UNMANAGED) != 0) {
		class->sort = SORT_UNMANAGED;
		snprintf(class->text, sizeof(class->text),
			 "has no label kueue.x-k8s.io/queue-name: Kueue leaves it alone, it starts "
			 "outside of every quota");
		snprintf(class->fix, sizeof(class->fix),
			 "add metadata.labels[\"kueue.x-k8s.io/queue-name\"] with the name of a "
			 "LocalQueue of its namespace");
		return;
	}
	if (kueue && job->local_queue != JOB_NONE && !l->changes)
		check_quota(l, job, class);
}

static void check_jobs(struct lint_work *w)
{
	const struct alike *alike = w->l->alike;

	w->class_count = alike->count;
	w->classes = mem_calloc(alike->count, sizeof(*w->classes));
	for (uint32_t i = 0; i < alike->count; i++) {
		const struct alike_class *class = &alike->classes[i];

		w->classes[i] = (struct job_class){
			.first = class->first, .count = class->count, .sort = SORTS};
		check_class(w->l, &w->l->s->jobs[class->first], &w->classes[i]);
	}
}

static void report_class(const struct lint *l, const struct job_class *class)
{
	char name[SCENARIO_NAME_TEXT], more[40] = "";

	if (class->count > 1)
		snprintf(more, sizeof(more), " (and %u more like it)", class->count - 1);
	draft_fault(l->builder, &rules[class->sort], draft_job_place(l->builder, class->first),
		    class->fix, "job \"%s\" %s%s", scenario_job_name(l->s, class->first, name),
		    class->text, more);
}

static void report_jobs(const struct lint_work *w)
{
	uint32_t shown[SORTS] = {0}, hidden[SORTS] = {0};

	for (uint32_t i = 0; i < w->class_count; i++) {
		const struct job_class *class = &w->classes[i];

		if (class->sort == SORTS)
			continue;
		if (shown[class->sort]++ < LIST_MAX)
			report_class(w->l, class);
		else
			hidden[class->sort] += class->count;
	}
	for (int k = 0; k < SORTS; k++)
		if (hidden[k] != 0)
			draft_fault(w->l->builder, &rules[k], (struct place){0}, NULL,
				    "%u more jobs of other shapes have the same fault as the %d "
				    "named last of their sort",
				    hidden[k], LIST_MAX);
}

/* ---- what they do to others ---- */

static bool stays_at_the_head(enum sort sort)
{
	return sort == SORT_NOT_COVERED || sort == SORT_NO_FLAVOR || sort == SORT_QUOTA;
}

/* Once a queue: its first job that blocks it for ever. */
static void report_blocked_queues(const struct lint_work *w)
{
	const struct scenario *s = w->l->s;
	bool *told = mem_calloc(s->cluster_queue_count, sizeof(*told));

	for (uint32_t i = 0; i < w->class_count; i++) {
		const struct job_class *class = &w->classes[i];
		uint32_t queue = scenario_job_cluster_queue(s, class->first);
		char name[SCENARIO_NAME_TEXT];

		if (!stays_at_the_head(class->sort) || queue == SCENARIO_NONE || told[queue] ||
		    s->cluster_queues[queue].strategy != QUEUE_STRICT_FIFO)
			continue;
		told[queue] = true;
		draft_fault(w->l->builder, &strict_fifo_blocked,
			    w->l->places->of[KIND_CLUSTER_QUEUE][queue].where,
			    "delete or mend the job, or set queueingStrategy: BestEffortFIFO",
			    "ClusterQueue \"%s\" is StrictFIFO: once job \"%s\", which is never "
			    "admitted, is at its head, nothing behind it is",
			    lint_string(w->l, s->cluster_queues[queue].name),
			    scenario_job_name(s, class->first, name));
	}
	mem_free(told);
}

void lint_jobs(const struct lint *l)
{
	struct lint_work w = {.l = l};

	check_jobs(&w);
	report_jobs(&w);
	report_blocked_queues(&w);
	mem_free(w.classes);
}
