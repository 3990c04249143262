#include "sim/lint.h"

#include <stdio.h>
#include <string.h>

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

/* Nodes that are equal but for their labels. */
struct node_class {
	const struct node *like;
	uint32_t count;
};

/* Jobs with the same pods, queue and namespace. */
struct job_class {
	uint32_t first; /* job */
	uint32_t count;
	enum sort sort; /* SORTS: nothing is wrong */
	char text[320];
};

struct lint {
	struct builder *builder;
	const struct scenario *s;
	const struct lint_places *places;
	struct node_class *nodes;
	uint32_t node_classes;
	struct job_class *classes;
	size_t class_capacity;
	uint32_t class_count;
	bool has_nodes;
	bool changes; /* objects change during the run: nothing is impossible */
};

static const char *string(const struct lint *l, uint32_t index)
{
	return name_text(l->s->strings, index);
}

static const char *resource_name(const struct lint *l, uint32_t resource)
{
	return name_text(l->s->resources, resource);
}

static const char *amount(const struct lint *l, uint32_t resource, int64_t value,
			  char buf[NUM_QUANTITY_TEXT])
{
	return num_format_quantity(value, res_style(resource_name(l, resource)), buf);
}

/* ---- nodes ---- */

static bool same_node(const struct lint *l, const struct node *a, const struct node *b)
{
	if (a->ready != b->ready || a->unschedulable != b->unschedulable ||
	    a->taints.count != b->taints.count)
		return false;
	for (uint32_t i = 0; i < a->taints.count; i++)
		if (a->taints.items[i].key != b->taints.items[i].key ||
		    a->taints.items[i].value != b->taints.items[i].value ||
		    a->taints.items[i].effect != b->taints.items[i].effect)
			return false;
	return a->allocatable == b->allocatable ||
	       memcmp(a->allocatable, b->allocatable,
		      l->s->resource_count * sizeof(*a->allocatable)) == 0;
}

static void sort_nodes(struct lint *l)
{
	l->nodes = mem_calloc(l->s->node_count, sizeof(*l->nodes));
	for (uint32_t i = 0; i < l->s->node_count; i++) {
		const struct node *node = &l->s->nodes[i];
		uint32_t c = l->node_classes;

		/* Equal nodes mostly stand side by side: the last class first. */
		while (c > 0 && !same_node(l, l->nodes[c - 1].like, node))
			c--;
		if (c == 0) {
			l->nodes[l->node_classes].like = node;
			c = ++l->node_classes;
		}
		l->nodes[c - 1].count++;
	}
}

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

static bool by_label(const struct pod_shape *shape)
{
	return shape->node_selector.count != 0 || shape->affinity_count != 0;
}

/* Pods of a shape that the whole empty cluster holds, counted up to enough. A node
 * that is cordoned or not ready may come back: it counts. */
static uint64_t pods_on_all(const struct lint *l, const struct pod_shape *shape, uint64_t enough)
{
	uint32_t count = by_label(shape) ? l->s->node_count : l->node_classes;
	uint64_t pods = 0;

	for (uint32_t i = 0; i < count && pods < enough; i++) {
		struct node node = by_label(shape) ? l->s->nodes[i] : *l->nodes[i].like;
		uint64_t times = by_label(shape) ? 1 : l->nodes[i].count;
		uint64_t each = pods_on(l, &node, shape);

		node.ready = true;
		node.unschedulable = false;
		if (each != 0 && cluster_node_suits(l->s->strings, &node, shape))
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
	if (above_every_node(l, shape, &resource, &most))
		snprintf(class->text, sizeof(class->text),
			 "never fits: each pod asks for %s of %.100s, the largest node has %s",
			 amount(l, resource, shape->request[resource], wanted),
			 resource_name(l, resource), amount(l, resource, most, has));
	else
		snprintf(class->text, sizeof(class->text),
			 "never fits: no node has room for its pods and also the labels, and only "
			 "the taints, that they want");
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
		return false;
	}
	return true;
}

/* ---- quotas ---- */

static uint32_t root_of(const struct scenario *s, uint32_t cohort)
{
	for (uint32_t steps = 0; steps <= s->cohort_count; steps++) {
		if (s->cohorts[cohort].parent == SCENARIO_NONE)
			break;
		cohort = s->cohorts[cohort].parent;
	}
	return cohort;
}

static int64_t nominal(const struct resource_group *groups, uint32_t count, uint32_t flavor_name,
		       uint32_t resource)
{
	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++)
				if (groups[g].flavor_names[f] == flavor_name &&
				    groups[g].resources[r] == resource)
					return groups[g]
						.cells[f * groups[g].resource_count + r]
						.nominal;
	return 0;
}

/* All quota of a tree of cohorts in one flavor and resource. */
static int64_t tree_quota(const struct scenario *s, uint32_t root, uint32_t flavor_name,
			  uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		const struct cluster_queue *queue = &s->cluster_queues[i];

		if (queue->cohort != SCENARIO_NONE && root_of(s, queue->cohort) == root)
			sum = res_add(sum, nominal(queue->groups, queue->group_count, flavor_name,
						   resource));
	}
	for (uint32_t i = 0; i < s->cohort_count; i++)
		if (root_of(s, i) == root)
			sum = res_add(sum, nominal(s->cohorts[i].groups, s->cohorts[i].group_count,
						   flavor_name, resource));
	return sum;
}

/* The most that a queue could ever have of a cell; never less than the truth. */
static int64_t ceiling(const struct scenario *s, const struct cluster_queue *queue,
		       const struct resource_group *group, uint32_t flavor, uint32_t resource)
{
	const struct quota_cell *cell = &group->cells[flavor * group->resource_count + resource];
	int64_t tree;

	if (queue->cohort == SCENARIO_NONE)
		return cell->nominal;
	tree = tree_quota(s, root_of(s, queue->cohort), group->flavor_names[flavor],
			  group->resources[resource]);
	if (cell->borrowing_limit != QUOTA_ABSENT &&
	    res_add(cell->nominal, cell->borrowing_limit) < tree)
		return res_add(cell->nominal, cell->borrowing_limit);
	return tree;
}

/* A resource that Kueue does not count as it stands. */
static bool translated(const struct lint *l, uint32_t resource)
{
	const struct kueue_config *config = &l->s->config;
	const char *name = resource_name(l, resource);

	for (uint32_t i = 0; i < config->transformation_count; i++)
		if (config->transformations[i].input == resource)
			return true;
	for (uint32_t i = 0; i < config->excluded_prefix_count; i++) {
		const char *prefix = string(l, config->excluded_prefixes[i]);

		if (strncmp(name, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
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

/* Is there a flavor of the group for the pod set? If not, the nearest miss. */
static bool check_group(const struct lint *l, const struct cluster_queue *queue,
			const struct resource_group *group, const struct pod_set *set,
			struct job_class *class)
{
	const struct pod_shape *shape = &l->s->shapes[set->shape];
	char wanted[NUM_QUANTITY_TEXT], has[NUM_QUANTITY_TEXT];
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
			int64_t needs =
				res_mul(shape->request[resource] > 0 ? shape->request[resource] : 0,
					set->min_count);
			int64_t most = ceiling(l->s, queue, group, f, r);

			if (translated(l, resource) || needs <= most)
				continue;
			fits = false;
			class->sort = SORT_QUOTA;
			snprintf(class->text, sizeof(class->text),
				 "is never admitted: it asks for %s of %.80s, ClusterQueue "
				 "\"%.80s\" can have at most %s in flavor \"%.60s\"",
				 amount(l, resource, needs, wanted), resource_name(l, resource),
				 string(l, queue->name), amount(l, resource, most, has),
				 string(l, group->flavor_names[f]));
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
			 string(l, queue->name));
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
		if (shape->request[r] <= 0 || covers(queue, r) || translated(l, r) ||
		    l->s->config.ignore_undeclared)
			continue;
		class->sort = SORT_NOT_COVERED;
		snprintf(
			class->text, sizeof(class->text),
			"is never admitted: ClusterQueue \"%.100s\" has no quota for %.100s, which "
			"its pods request",
			string(l, queue->name), resource_name(l, r));
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
	    !label_selector_matches(l->s->strings, labels, &queue->namespace_selector)) {
		class->sort = SORT_NAMESPACE;
		snprintf(class->text, sizeof(class->text),
			 "is never admitted: ClusterQueue \"%.100s\" does not select namespace "
			 "\"%.100s\"",
			 string(l, queue->name), string(l, job->ns));
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

	if (l->has_nodes && !l->changes && !check_placement(l, job, class))
		return;
	if (kueue && (job->flags & JOB_UNMANAGED) != 0) {
		class->sort = SORT_UNMANAGED;
		snprintf(class->text, sizeof(class->text),
			 "has no label kueue.x-k8s.io/queue-name: Kueue leaves it alone, it starts "
			 "outside of every quota");
		return;
	}
	if (kueue && job->local_queue != JOB_NONE && !l->changes)
		check_quota(l, job, class);
}

static void check_jobs(struct lint *l)
{
	struct draft_index queues, shapes;

	l->classes = mem_grow(NULL, 1, &l->class_capacity, sizeof(*l->classes));
	/* (local queue or namespace) -> number, (number, pod sets) -> class */
	draft_index_init(&queues, 0);
	draft_index_init(&shapes, 0);
	for (uint32_t i = 0; i < l->s->job_count; i++) {
		const struct job *job = &l->s->jobs[i];
		uint32_t place = draft_index_get(&queues, job->local_queue, job->ns);
		uint32_t at;

		if (place == NAME_NONE) {
			place = queues.count;
			draft_index_put(&queues, job->local_queue, job->ns, place, false);
		}
		place = place * 4 + (job->flags & (JOB_NOT_GANG | JOB_UNMANAGED)) / 2;
		at = draft_index_get(&shapes, job->first_pod_set, place);
		if (at != NAME_NONE) {
			l->classes[at].count++;
			continue;
		}
		at = l->class_count++;
		draft_index_put(&shapes, job->first_pod_set, place, at, false);
		l->classes = mem_grow(l->classes, l->class_count, &l->class_capacity,
				      sizeof(*l->classes));
		l->classes[at] = (struct job_class){.first = i, .count = 1, .sort = SORTS};
		check_class(l, job, &l->classes[at]);
	}
	draft_index_free(&queues);
	draft_index_free(&shapes);
}

static void report_jobs(struct lint *l)
{
	uint32_t shown[SORTS] = {0}, hidden[SORTS] = {0};

	for (uint32_t i = 0; i < l->class_count; i++) {
		const struct job_class *class = &l->classes[i];
		char name[SCENARIO_NAME_TEXT], more[40] = "";

		if (class->sort == SORTS)
			continue;
		if (shown[class->sort]++ >= LIST_MAX) {
			hidden[class->sort] += class->count;
			continue;
		}
		if (class->count > 1)
			snprintf(more, sizeof(more), " (and %u more like it)", class->count - 1);
		draft_finding(l->builder, FINDING_WARNING,
			      draft_job_place(l->builder, class->first), "job \"%s\" %s%s",
			      scenario_job_name(l->s, class->first, name), class->text, more);
	}
	for (int k = 0; k < SORTS; k++)
		if (hidden[k] != 0)
			draft_finding(l->builder, FINDING_WARNING, (struct place){0},
				      "%u more jobs of other shapes have the same fault as the %d "
				      "named last of their sort",
				      hidden[k], LIST_MAX);
}

/* ---- flavors and hardware ---- */

static void describe_labels(const struct lint *l, const struct label_set *labels, char *buf,
			    size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < labels->count && used < size - 1; i++) {
		int len = snprintf(buf + used, size - used, "%s%s=%s", i != 0 ? "," : "",
				   string(l, labels->items[i].key),
				   string(l, labels->items[i].value));

		used += len > 0 ? (size_t)len : 0;
	}
}

static int64_t hardware(const struct lint *l, const struct flavor *flavor, uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < l->s->node_count; i++)
		if (label_contains(&l->s->nodes[i].labels, &flavor->node_labels))
			sum = res_add(sum, l->s->nodes[i].allocatable[resource]);
	return sum;
}

static int64_t all_quota(const struct lint *l, uint32_t flavor_name, uint32_t resource)
{
	const struct scenario *s = l->s;
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		sum = res_add(sum,
			      nominal(s->cluster_queues[i].groups, s->cluster_queues[i].group_count,
				      flavor_name, resource));
	for (uint32_t i = 0; i < s->cohort_count; i++)
		sum = res_add(sum, nominal(s->cohorts[i].groups, s->cohorts[i].group_count,
					   flavor_name, resource));
	return sum;
}

static void check_flavor_quota(const struct lint *l, uint32_t index)
{
	const struct flavor *flavor = &l->s->flavors[index];
	char has[NUM_QUANTITY_TEXT], promised[NUM_QUANTITY_TEXT];

	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		int64_t quota = all_quota(l, flavor->name, r);
		int64_t nodes = quota != 0 ? hardware(l, flavor, r) : 0;

		if (r != RES_PODS && !translated(l, r) && quota > nodes && quota != RES_UNLIMITED)
			draft_finding(l->builder, FINDING_WARNING, l->places->flavors[index].where,
				      "ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes "
				      "have %s: Kueue may admit jobs whose pods then find no node",
				      string(l, flavor->name), resource_name(l, r),
				      amount(l, r, quota, promised), amount(l, r, nodes, has));
	}
}

static void check_flavors(const struct lint *l)
{
	for (uint32_t i = 0; i < l->s->flavor_count; i++) {
		const struct flavor *flavor = &l->s->flavors[i];
		char labels[256];
		bool found = false;

		for (uint32_t n = 0; n < l->s->node_count && !found; n++)
			found = label_contains(&l->s->nodes[n].labels, &flavor->node_labels);
		if (found) {
			check_flavor_quota(l, i);
			continue;
		}
		describe_labels(l, &flavor->node_labels, labels, sizeof(labels));
		draft_finding(l->builder, FINDING_WARNING, l->places->flavors[i].where,
			      "ResourceFlavor \"%s\": no node carries its nodeLabels (%s): jobs "
			      "admitted to it find no node",
			      string(l, flavor->name), labels);
	}
}

void lint_scenario(struct builder *builder, const struct scenario *scenario,
		   const struct lint_places *places)
{
	struct lint l = {.builder = builder,
			 .s = scenario,
			 .places = places,
			 .has_nodes = scenario->node_count != 0,
			 .changes = scenario->update_count != 0};

	sort_nodes(&l);
	check_jobs(&l);
	report_jobs(&l);
	if (l.has_nodes && !l.changes)
		check_flavors(&l);
	mem_free(l.nodes);
	mem_free(l.classes);
}
