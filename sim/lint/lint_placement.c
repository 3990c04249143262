#include "sim/lint/lint_placement.h"

#include <stdio.h>

#include "core/mem.h"
#include "sim/scenario/profile.h"

#define MORE_PODS "ask for at most %s of %.100s a pod and for more pods, or add larger nodes"

/* ---- tolerations that Kueue adds ---- */

struct tolerations {
	struct toleration *items;
	uint32_t count;
	size_t capacity;
};

static void add_tolerations(struct tolerations *t, const struct toleration_set *more)
{
	for (uint32_t i = 0; i < more->count; i++) {
		t->items = mem_grow(t->items, t->count + 1, &t->capacity, sizeof(*t->items));
		t->items[t->count++] = more->items[i];
	}
}

static void add_flavors(const struct lint *l, struct tolerations *t,
			const struct cluster_queue *queue)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->groups[g].flavor_count; f++)
			if (queue->groups[g].flavors[f] != SCENARIO_NONE)
				add_tolerations(
					t, &l->s->flavors[queue->groups[g].flavors[f]].tolerations);
}

/* Of a job whose queue is not there: it may mean any. */
static void add_every_flavor(const struct lint *l, struct tolerations *t)
{
	for (uint32_t i = 0; i < l->s->flavor_count; i++)
		add_tolerations(t, &l->s->flavors[i].tolerations);
}

static struct pod_shape tolerant(const struct pod_shape *shape, const struct tolerations *t)
{
	struct pod_shape out = *shape;

	out.tolerations = (struct toleration_set){.items = t->items, .count = t->count};
	return out;
}

/* ---- room ---- */

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

static bool by_label(const struct lint *l, const struct pod_shape *shape,
		     const struct flavor *flavor)
{
	return (flavor != NULL && flavor->node_labels.count != 0) ||
	       shape->node_selector.count != 0 || shape->affinity_count != 0 ||
	       profile_of(l->s, shape)->enforced_count != 0;
}

/* Such pods that an empty node takes, or would take if it were ready. */
static uint64_t pods_taken(const struct lint *l, struct node node, const struct pod_shape *shape)
{
	uint64_t pods = cluster_node_never(&node) ? 0 : pods_on(l, &node, shape);

	node.ready = true;
	node.unschedulable = false;
	return pods != 0 && profile_node_suits(l->s, &node, shape) ? pods : 0;
}

/* Pods of a shape that the whole empty cluster holds, or the nodes of a flavor, counted up to
 * enough. A node that is cordoned or not ready may come back: it counts. */
static uint64_t pods_on_all(const struct lint *l, const struct pod_shape *shape,
			    const struct flavor *flavor, uint64_t enough)
{
	bool each_node = by_label(l, shape, flavor);
	uint32_t count = each_node ? l->s->node_count : l->node_classes;
	uint64_t pods = 0;

	for (uint32_t i = 0; i < count && pods < enough; i++) {
		struct node node = each_node ? l->s->nodes[i] : *l->nodes[i].like;
		uint64_t times = each_node ? 1 : l->nodes[i].count, each;

		if (cluster_node_never(&node) ||
		    (flavor != NULL && !label_contains(&node.labels, &flavor->node_labels)))
			continue;
		each = pods_taken(l, node, shape);
		pods += each > enough / times ? enough : each * times;
	}
	return pods;
}

/* Pods of a shape that the fullest domain of a topology level holds; domains of the same name
 * count as one. */
static uint64_t pods_in_a_domain(const struct lint *l, const struct pod_shape *shape,
				 const struct flavor *flavor, uint32_t level)
{
	uint64_t *pods = mem_calloc(l->s->node_count, sizeof(*pods)), most = 0;
	struct draft_index domains;

	draft_index_init(&domains, 0);
	for (uint32_t i = 0; i < l->s->node_count; i++) {
		const struct node *node = &l->s->nodes[i];
		uint32_t value = label_value(&node->labels, level), domain;

		if (value == NAME_NONE || !label_contains(&node->labels, &flavor->node_labels))
			continue;
		domain = draft_index_put(&domains, value, 0, domains.count, false);
		if (domain == NAME_NONE)
			domain = domains.count - 1;
		pods[domain] += pods_taken(l, *node, shape);
		most = pods[domain] > most ? pods[domain] : most;
	}
	draft_index_free(&domains);
	mem_free(pods);
	return most;
}

static bool has_nodes(const struct lint *l, const struct flavor *flavor)
{
	for (uint32_t i = 0; i < l->s->node_count; i++)
		if (!cluster_node_never(&l->s->nodes[i]) &&
		    label_contains(&l->s->nodes[i].labels, &flavor->node_labels))
			return true;
	return false;
}

/* ---- why there is none ---- */

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

/* A label of the node selector that no node has; false: each is on one of them. */
static bool missing_label(const struct lint *l, const struct pod_shape *shape, struct label *out)
{
	for (uint32_t k = 0; k < shape->node_selector.count; k++) {
		struct label_set wanted = {.items = &shape->node_selector.items[k], .count = 1};
		bool found = false;

		for (uint32_t i = 0; i < l->s->node_count && !found; i++)
			found = !cluster_node_never(&l->s->nodes[i]) &&
				label_contains(&l->s->nodes[i].labels, &wanted);
		*out = wanted.items[0];
		if (!found)
			return true;
	}
	return false;
}

static void say_labels(const struct lint *l, const struct pod_shape *shape,
		       struct lint_fault *fault)
{
	struct label missing;

	if (missing_label(l, shape, &missing))
		snprintf(fault->text, sizeof(fault->text),
			 "never fits: no node has the label %.100s=%.100s, which its pods select",
			 lint_string(l, missing.key), lint_string(l, missing.value));
	else
		snprintf(fault->text, sizeof(fault->text),
			 "never fits: no node with room for its pods has the labels that they "
			 "select");
	snprintf(fault->fix, sizeof(fault->fix),
		 "correct its nodeSelector or affinity, or label the nodes so");
}

/* The first taint that keeps the pods off a node that has room and the labels. */
static const struct taint *first_taint(const struct lint *l, const struct pod_shape *shape,
				       const struct pod_shape *bold)
{
	for (uint32_t i = 0; i < l->s->node_count; i++) {
		const struct taint_set *taints = &l->s->nodes[i].taints;
		struct node node = l->s->nodes[i];

		node.ready = true;
		node.unschedulable = false;
		if (cluster_node_never(&node) || pods_on(l, &node, shape) == 0 ||
		    !profile_node_suits(l->s, &node, bold))
			continue;
		for (uint32_t k = 0; k < taints->count; k++)
			if (taints->items[k].effect != TAINT_PREFER_NO_SCHEDULE &&
			    !label_tolerates(l->s->strings, &shape->tolerations, &taints->items[k]))
				return &taints->items[k];
	}
	return NULL;
}

/* A pod fits no node, though each has enough of each resource: is it the taints, the labels,
 * or all resources together? */
static void say_obstacle(const struct lint *l, const struct pod_shape *shape,
			 struct lint_fault *fault)
{
	static const struct toleration every = {.key = NAME_NONE, .op = TOLERATION_EXISTS};
	struct pod_shape bold = *shape, anywhere;
	const struct taint *taint;

	bold.tolerations = (struct toleration_set){.items = &every, .count = 1};
	anywhere = bold;
	anywhere.node_selector.count = 0;
	anywhere.affinity_count = 0;
	if (pods_on_all(l, &anywhere, NULL, 1) == 0) {
		snprintf(fault->text, sizeof(fault->text),
			 "never fits: no node has room for all that a pod of it asks for");
		snprintf(fault->fix, sizeof(fault->fix), "ask for less a pod, or add larger nodes");
		return;
	}
	taint = pods_on_all(l, &bold, NULL, 1) == 0 ? NULL : first_taint(l, shape, &bold);
	if (taint == NULL) {
		say_labels(l, shape, fault);
		return;
	}
	snprintf(fault->text, sizeof(fault->text),
		 "never fits: each node that has room and the labels has a taint, such as %.100s, "
		 "which its pods do not tolerate",
		 lint_string(l, taint->key));
	snprintf(fault->fix, sizeof(fault->fix),
		 "add a toleration to the pods, or under Kueue to the flavor's spec.tolerations");
}

static void say_pod_too_big(const struct lint *l, const struct pod_shape *shape,
			    struct lint_fault *fault)
{
	char wanted[NUM_QUANTITY_TEXT], has[NUM_QUANTITY_TEXT];
	uint32_t resource;
	int64_t most;

	fault->sort = LINT_POD_TOO_BIG;
	if (l->node_classes == 0) {
		snprintf(fault->text, sizeof(fault->text), "never fits: there is no node");
		snprintf(fault->fix, sizeof(fault->fix),
			 "give the node pools a count, or --nodes NAME=NODESxGPUS");
		return;
	}
	if (!above_every_node(l, shape, &resource, &most)) {
		say_obstacle(l, shape, fault);
		return;
	}
	lint_amount(l, resource, most, has);
	snprintf(fault->text, sizeof(fault->text),
		 "never fits: each pod asks for %s of %.100s, the largest node has %s",
		 lint_amount(l, resource, shape->request[resource], wanted),
		 lint_resource(l, resource), has);
	if (most > 0)
		snprintf(fault->fix, sizeof(fault->fix), MORE_PODS, has,
			 lint_resource(l, resource));
	else
		snprintf(fault->fix, sizeof(fault->fix),
			 "add nodes with %.100s, or correct the name of the resource",
			 lint_resource(l, resource));
}

/* ---- the two questions ---- */

bool lint_placement(const struct lint *l, const struct job *job, const struct cluster_queue *queue,
		    struct lint_fault *fault)
{
	bool fits = true;

	for (uint32_t i = 0; i < job->common->pod_set_count && fits; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->common->first_pod_set + i];
		uint32_t wanted = (job->common->flags & JOB_NOT_GANG) != 0 ? 1 : set->min_count;
		struct tolerations t = {0};
		struct pod_shape shape;
		uint64_t pods;

		add_tolerations(&t, &l->s->shapes[set->shape].tolerations);
		if (queue != NULL)
			add_flavors(l, &t, queue);
		else if (job->common->queue != NAME_NONE)
			add_every_flavor(l, &t);
		shape = tolerant(&l->s->shapes[set->shape], &t);
		pods = pods_on_all(l, &shape, NULL, wanted);
		fits = pods >= wanted;
		if (pods == 0 && !fits) {
			say_pod_too_big(l, &shape, fault);
		} else if (!fits) {
			fault->sort = LINT_JOB_TOO_BIG;
			snprintf(fault->text, sizeof(fault->text),
				 "never fits: of its %u pods the empty cluster holds %llu", wanted,
				 (unsigned long long)pods);
			snprintf(fault->fix, sizeof(fault->fix),
				 "run at most %llu such pods at once, or add nodes",
				 (unsigned long long)pods);
		}
		mem_free(t.items);
	}
	return fits;
}

/* So many pods in one domain of the level? */
static bool check_domain(const struct lint *l, const struct pod_shape *shape, uint32_t wanted,
			 const struct flavor *flavor, uint32_t level, struct lint_fault *fault)
{
	uint64_t most = pods_in_a_domain(l, shape, flavor, level);

	if (most >= wanted)
		return true;
	fault->sort = LINT_FLAVOR_ROOM;
	fault->unadmitted = true;
	snprintf(fault->text, sizeof(fault->text),
		 "is never admitted: %u of its pods must be in one %.80s, the largest of flavor "
		 "\"%.60s\" holds %llu",
		 wanted, lint_string(l, level), lint_string(l, flavor->name),
		 (unsigned long long)most);
	snprintf(fault->fix, sizeof(fault->fix),
		 "ask for a higher level of the topology, or prefer this one "
		 "(podset-preferred-topology), or run fewer pods at once");
	return false;
}

/* What its annotations say of the topology; nothing of it holds a Topology without nodes. */
static bool check_topology(const struct lint *l, const struct pod_shape *shape, uint32_t wanted,
			   const struct flavor *flavor, struct lint_fault *fault)
{
	if (!l->topology || flavor->topology == SCENARIO_NONE)
		return true;
	if (shape->topology_mode == TOPOLOGY_REQUIRED && shape->topology_level != NAME_NONE &&
	    !check_domain(l, shape, wanted, flavor, shape->topology_level, fault))
		return false;
	return shape->slice_level == NAME_NONE || shape->slice_size > wanted ||
	       check_domain(l, shape, shape->slice_size, flavor, shape->slice_level, fault);
}

/* set: Kueue finds the domains for all of its pods, those that work each for itself, too. */
static bool flavor_holds(const struct lint *l, const struct pod_set *set,
			 const struct pod_shape *shape, uint32_t wanted,
			 const struct flavor *flavor, struct lint_fault *fault)
{
	uint64_t pods = pods_on_all(l, shape, flavor, wanted);

	if (!has_nodes(l, flavor))
		return true;
	if (pods >= wanted)
		return check_topology(l, shape, set->min_count, flavor, fault);
	fault->sort = LINT_FLAVOR_ROOM;
	fault->unadmitted = l->topology && flavor->topology != SCENARIO_NONE;
	snprintf(fault->text, sizeof(fault->text),
		 "%s flavor \"%.100s\", %s of its %u pods the nodes of that flavor hold %llu",
		 fault->unadmitted ? "is never admitted to" : "never runs: it can be admitted to",
		 lint_string(l, flavor->name), fault->unadmitted ? "which has a topology:" : "but",
		 wanted, (unsigned long long)pods);
	snprintf(fault->fix, sizeof(fault->fix),
		 "compare what a pod requests, selects and tolerates with those nodes; or give the "
		 "queue another flavor");
	return false;
}

bool lint_placement_in(const struct lint *l, const struct pod_set *set, uint32_t wanted,
		       const struct flavor *flavor, struct lint_fault *fault)
{
	struct tolerations t = {0};
	struct pod_shape shape;
	bool fits;

	add_tolerations(&t, &l->s->shapes[set->shape].tolerations);
	add_tolerations(&t, &flavor->tolerations);
	shape = tolerant(&l->s->shapes[set->shape], &t);
	fits = flavor_holds(l, set, &shape, wanted, flavor, fault);
	mem_free(t.items);
	return fits;
}
