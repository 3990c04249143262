/* lint_flavors.c - flavors against the nodes they stand for. */
#include <stdio.h>
#include <string.h>

#include "sim/lint/lint_look.h"

static void describe_labels(const struct lint *l, const struct label_set *labels, char *buf,
			    size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < labels->count && used < size - 1; i++) {
		int len = snprintf(buf + used, size - used, "%s%s=%s", i != 0 ? "," : "",
				   lint_string(l, labels->items[i].key),
				   lint_string(l, labels->items[i].value));

		used += len > 0 ? (size_t)len : 0;
	}
}

static bool stands_for(const struct lint *l, const struct flavor *flavor, uint32_t node)
{
	return !cluster_node_never(&l->s->nodes[node]) &&
	       label_contains(&l->s->nodes[node].labels, &flavor->node_labels);
}

/* What the nodes of a flavor have of a resource. */
struct hardware {
	int64_t now, most; /* most: with what an autoscaler may bring */
	bool scaled;	   /* an autoscaler sizes some of them */
};

static struct hardware hardware(const struct lint *l, const struct flavor *flavor,
				uint32_t resource)
{
	struct hardware sum = {0};

	for (uint32_t i = 0; i < l->s->node_count; i++) {
		const struct node *node = &l->s->nodes[i];

		if (!stands_for(l, flavor, i))
			continue;
		sum.most = res_add(sum.most, node->allocatable[resource]);
		if (!node->spare)
			sum.now = res_add(sum.now, node->allocatable[resource]);
		sum.scaled = sum.scaled || node->scaled != 0;
	}
	return sum;
}

static struct place place_of(const struct lint *l, uint32_t flavor)
{
	return l->places->of[KIND_FLAVOR][flavor].where;
}

/* ---- labels ---- */

static bool check_labels(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"flavor-without-nodes", FINDING_WARNING};
	const struct flavor *flavor = &l->s->flavors[index];
	char labels[256];
	bool nodes = false;

	for (uint32_t n = 0; n < l->s->node_count; n++) {
		if (stands_for(l, flavor, n))
			return true;
		nodes |= !cluster_node_never(&l->s->nodes[n]);
	}
	if (!nodes)
		return false; /* not for want of a label */
	describe_labels(l, &flavor->node_labels, labels, sizeof(labels));
	draft_fault(l->builder, &rule, place_of(l, index),
		    "label the nodes so, or correct spec.nodeLabels",
		    "ResourceFlavor \"%s\": no node carries its nodeLabels (%s): jobs "
		    "admitted to it find no node",
		    lint_string(l, flavor->name), labels);
	return false;
}

/* ---- the levels of its topology ---- */

/* A level that the node has no label for; NAME_NONE. */
static uint32_t missing_level(const struct topology *topology, const struct node *node)
{
	for (uint32_t i = 0; i < topology->level_count; i++) {
		if (label_value(&node->labels, topology->levels[i]) == NAME_NONE)
			return topology->levels[i];
	}
	return NAME_NONE;
}

/* Kueue counts nodes that have the label of every level (tas_nodes_cache.go, find). */
static void check_levels(const struct lint *l, uint32_t index)
{
	static const struct finding_rule all = {"topology-level-missing", FINDING_WARNING},
					 some = {"topology-level-missing", FINDING_ADVICE};
	const struct flavor *flavor = &l->s->flavors[index];
	uint32_t nodes = 0, without = 0, level = NAME_NONE;
	const struct topology *topology;

	if (!l->topology || flavor->topology == SCENARIO_NONE)
		return;
	topology = &l->s->topologies[flavor->topology];
	for (uint32_t n = 0; n < l->s->node_count; n++) {
		uint32_t missing;

		if (!stands_for(l, flavor, n))
			continue;
		missing = missing_level(topology, &l->s->nodes[n]);
		nodes++;
		without += missing != NAME_NONE;
		level = level == NAME_NONE ? missing : level;
	}
	if (without != 0)
		draft_fault(
			l->builder, without == nodes ? &all : &some, place_of(l, index),
			"label the nodes so, or take the level out of the Topology",
			"ResourceFlavor \"%s\": its Topology \"%s\" leaves out %u of %u nodes, for "
			"want of a label such as %s: Kueue %s",
			lint_string(l, flavor->name), lint_string(l, topology->name),
			(unsigned)without, (unsigned)nodes, lint_string(l, level),
			without == nodes ? "admits nothing to it" : "places nothing there");
}

/* ---- quotas ---- */

static const struct finding_rule above_nodes = {"quota-above-nodes", FINDING_WARNING},
				 below_nodes = {"quota-below-nodes", FINDING_ADVICE},
				 below_pool = {"quota-below-nodes", FINDING_WARNING};

static void say_quota(const struct lint *l, uint32_t index, uint32_t r, int64_t quota,
		      int64_t nodes)
{
	const struct flavor *flavor = &l->s->flavors[index];
	char has[NUM_QUANTITY_TEXT], promised[NUM_QUANTITY_TEXT];

	lint_amount(l, r, quota, promised);
	lint_amount(l, r, nodes, has);
	if (quota > nodes && l->topology && flavor->topology != SCENARIO_NONE)
		draft_fault(
			l->builder, &above_nodes, place_of(l, index),
			"lower the quotas to what the nodes have",
			"ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes have %s: jobs "
			"within their quota wait, for its topology admits what the nodes hold",
			lint_string(l, flavor->name), lint_resource(l, r), promised, has);
	else if (quota > nodes)
		draft_fault(l->builder, &above_nodes, place_of(l, index),
			    "lower the quotas, or let an autoscaler or topology-aware scheduling "
			    "see to the nodes",
			    "ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes "
			    "have %s: Kueue may admit jobs whose pods then find no node",
			    lint_string(l, flavor->name), lint_resource(l, r), promised, has);
	else if (quota < nodes && l->s->resource_is_gpu[r] && !l->more_quota)
		draft_fault(l->builder, &below_nodes, place_of(l, index),
			    "give what is left to a ClusterQueue or to the Cohort",
			    "ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes have %s: "
			    "no job that Kueue manages can use the rest",
			    lint_string(l, flavor->name), lint_resource(l, r), promised, has);
}

/* The same where an autoscaler sizes the nodes. */
static void say_scaled_quota(const struct lint *l, uint32_t index, uint32_t r, int64_t quota,
			     const struct hardware *nodes)
{
	const struct flavor *flavor = &l->s->flavors[index];
	char now[NUM_QUANTITY_TEXT], most[NUM_QUANTITY_TEXT], promised[NUM_QUANTITY_TEXT];

	lint_amount(l, r, quota, promised);
	lint_amount(l, r, nodes->now, now);
	lint_amount(l, r, nodes->most, most);
	if (quota > nodes->now)
		draft_fault(
			l->builder, &above_nodes, place_of(l, index),
			quota > nodes->most
				? "lower the quotas, or raise the maxSize of its node pools"
				: "keep more nodes (minSize), or take the wait for new ones: an "
				  "AdmissionCheck of ProvisioningRequests admits jobs only with "
				  "them",
			"ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes have %s "
			"and with all that the autoscaler may bring %s: pods of jobs that "
			"Kueue admits wait for %s",
			lint_string(l, flavor->name), lint_resource(l, r), promised, now, most,
			quota > nodes->most ? "nodes that never come" : "nodes");
	else if (quota < nodes->most && l->s->resource_is_gpu[r] && !l->more_quota)
		draft_fault(l->builder, &below_pool, place_of(l, index),
			    "raise the quotas, or lower the maxSize of its node pools",
			    "ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes and all "
			    "that the autoscaler may bring have %s: no job that Kueue manages can "
			    "use the rest",
			    lint_string(l, flavor->name), lint_resource(l, r), promised, most);
}

/* The admission check of the queue that asks an autoscaler for nodes of the flavor; NULL. */
static const char *provisioner(const struct lint *l, const struct cluster_queue *q,
			       const struct flavor *flavor)
{
	for (uint32_t c = 0; c < q->check_count; c++) {
		const struct check_ref *ref = &q->checks[c];

		if (ref->check != SCENARIO_NONE && l->s->checks[ref->check].provisions &&
		    (ref->flavor_count == 0 || scenario_names_flavor(ref, flavor->name)))
			return lint_string(l, ref->name);
	}
	return NULL;
}

/* The same where all queues with the flavor have such a check: an autoscaler is there, though its
 * node pools are not. NULL: not all have one. */
static const char *all_provision(const struct lint *l, const struct flavor *flavor)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < l->s->cluster_queue_count; i++) {
		const struct cluster_queue *q = &l->s->cluster_queues[i];

		if (!scenario_has_flavor(q, flavor->name))
			continue;
		name = provisioner(l, q, flavor);
		if (name == NULL)
			return NULL;
	}
	return name;
}

static void say_provisioned_quota(const struct lint *l, uint32_t index, uint32_t r, int64_t quota,
				  int64_t nodes, const char *check)
{
	char has[NUM_QUANTITY_TEXT], promised[NUM_QUANTITY_TEXT];

	lint_amount(l, r, quota, promised);
	lint_amount(l, r, nodes, has);
	draft_fault(l->builder, &above_nodes, place_of(l, index),
		    "give its node pools with their maxSize, to see whether nodes come for all",
		    "ResourceFlavor \"%s\": quotas of %s add up to %s, its nodes have %s: for the "
		    "rest jobs hold their quota and wait for the nodes of AdmissionCheck \"%s\"",
		    lint_string(l, l->s->flavors[index].name), lint_resource(l, r), promised, has,
		    check);
}

static void check_quota_of(const struct lint *l, uint32_t index, uint32_t r)
{
	const struct flavor *flavor = &l->s->flavors[index];
	int64_t quota = lint_all_quota(l, flavor->name, r);
	struct hardware nodes;
	const char *check;

	if (quota == 0 || quota == RES_UNLIMITED || r == RES_PODS || lint_translated(l, r))
		return;
	nodes = hardware(l, flavor, r);
	check = all_provision(l, flavor);
	if (nodes.scaled)
		say_scaled_quota(l, index, r, quota, &nodes);
	else if (check != NULL && quota > nodes.most)
		say_provisioned_quota(l, index, r, quota, nodes.most, check);
	else
		say_quota(l, index, r, quota, nodes.most);
}

/* ---- taints ---- */

static bool holds_off(const struct taint *taint)
{
	return taint->effect != TAINT_PREFER_NO_SCHEDULE;
}

static bool same_taint(const struct taint *a, const struct taint *b)
{
	return a->key == b->key && a->value == b->value && a->effect == b->effect;
}

static bool tolerated_by_any_job(const struct lint *l, const struct taint *taint)
{
	for (uint32_t i = 0; i < l->s->shape_count; i++) {
		if (label_tolerates(l->s->strings, &l->s->shapes[i].tolerations, taint))
			return true;
	}
	return l->s->job_count == 0;
}

/* A taint of the flavor that Kueue does not heed, or that the flavor itself tolerates. */
static void check_idle_taint(const struct lint *l, uint32_t index, const struct taint *taint)
{
	static const struct finding_rule rule = {"flavor-taint-keeps-none-out", FINDING_ADVICE};
	const struct flavor *flavor = &l->s->flavors[index];
	bool own = label_tolerates(l->s->strings, &flavor->tolerations, taint);

	if (!holds_off(taint))
		draft_fault(l->builder, &rule, place_of(l, index),
			    "use the effect NoSchedule, or leave it out",
			    "ResourceFlavor \"%s\": Kueue does not heed its nodeTaint %s "
			    "(PreferNoSchedule): it keeps nobody out",
			    lint_string(l, flavor->name), lint_string(l, taint->key));
	else if (own)
		draft_fault(
			l->builder, &rule, place_of(l, index),
			"delete the toleration, to keep jobs out that do not tolerate it; or the "
			"nodeTaint, which does nothing beside it",
			"ResourceFlavor \"%s\": its own tolerations, which Kueue gives to all "
			"its pods, tolerate its nodeTaint %s: it keeps nobody out",
			lint_string(l, flavor->name), lint_string(l, taint->key));
}

static void check_idle_taints(const struct lint *l, uint32_t index)
{
	const struct flavor *flavor = &l->s->flavors[index];

	for (uint32_t i = 0; i < flavor->taints.count; i++)
		check_idle_taint(l, index, &flavor->taints.items[i]);
}

/* Kueue admits a job to the flavor only if it tolerates the flavor's taints. */
static void check_own_taints(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"flavor-taint-keeps-all-out", FINDING_ADVICE};
	const struct flavor *flavor = &l->s->flavors[index];

	for (uint32_t i = 0; i < flavor->taints.count; i++) {
		const struct taint *taint = &flavor->taints.items[i];

		if (!holds_off(taint) || tolerated_by_any_job(l, taint) ||
		    label_tolerates(l->s->strings, &flavor->tolerations, taint))
			continue;
		draft_fault(l->builder, &rule, place_of(l, index),
			    "add a toleration to the jobs that may use it, or to the flavor's "
			    "spec.tolerations, which Kueue gives to all its pods",
			    "ResourceFlavor \"%s\": no job tolerates its nodeTaint %s: nobody is "
			    "admitted to it",
			    lint_string(l, flavor->name), lint_string(l, taint->key));
	}
}

static bool on_every_node(const struct lint *l, const struct flavor *flavor,
			  const struct taint *taint)
{
	for (uint32_t n = 0; n < l->s->node_count; n++) {
		const struct taint_set *taints = &l->s->nodes[n].taints;
		bool found = !stands_for(l, flavor, n);

		for (uint32_t i = 0; i < taints->count && !found; i++)
			found = same_taint(&taints->items[i], taint);
		if (!found)
			return false;
	}
	return true;
}

static bool knows(const struct lint *l, const struct flavor *flavor, const struct taint *taint)
{
	for (uint32_t i = 0; i < flavor->taints.count; i++) {
		if (same_taint(&flavor->taints.items[i], taint))
			return true;
	}
	return label_tolerates(l->s->strings, &flavor->tolerations, taint);
}

/* A taint that all its nodes have and the flavor does not: Kueue lets in jobs that
 * kube-scheduler then keeps out. */
static void check_node_taints(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"node-taint-not-in-flavor", FINDING_WARNING};
	const struct flavor *flavor = &l->s->flavors[index];
	uint32_t first = 0;

	while (first < l->s->node_count && !stands_for(l, flavor, first))
		first++;
	for (uint32_t i = 0; i < l->s->nodes[first].taints.count; i++) {
		const struct taint *taint = &l->s->nodes[first].taints.items[i];

		if (!holds_off(taint) || knows(l, flavor, taint) ||
		    !on_every_node(l, flavor, taint))
			continue;
		draft_fault(l->builder, &rule, place_of(l, index),
			    "add it to spec.nodeTaints, so that only jobs that tolerate it are "
			    "admitted, or a toleration to spec.tolerations",
			    "ResourceFlavor \"%s\": all its nodes have the taint %s, which the "
			    "flavor does not: jobs without a toleration are admitted to it and "
			    "find no node",
			    lint_string(l, flavor->name), lint_string(l, taint->key));
	}
}

static bool on_some_node(const struct lint *l, const struct flavor *flavor,
			 const struct taint *taint)
{
	for (uint32_t n = 0; n < l->s->node_count; n++) {
		const struct taint_set *taints = &l->s->nodes[n].taints;

		for (uint32_t i = 0; stands_for(l, flavor, n) && i < taints->count; i++) {
			if (same_taint(&taints->items[i], taint))
				return true;
		}
	}
	return false;
}

/* The other way round: Kueue keeps jobs out that its nodes would take, and pods that Kueue does
 * not manage come in. */
static void check_missing_taints(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"flavor-taint-not-on-nodes", FINDING_ADVICE};
	const struct flavor *flavor = &l->s->flavors[index];

	for (uint32_t i = 0; i < flavor->taints.count; i++) {
		const struct taint *taint = &flavor->taints.items[i];

		if (holds_off(taint) && !on_some_node(l, flavor, taint))
			draft_fault(l->builder, &rule, place_of(l, index),
				    "taint the nodes so, or delete it from spec.nodeTaints",
				    "ResourceFlavor \"%s\": none of its nodes has its nodeTaint "
				    "%s: it keeps out jobs of Kueue, but no other pods",
				    lint_string(l, flavor->name), lint_string(l, taint->key));
	}
}

static bool keeps_someone_out(const struct node *node)
{
	for (uint32_t i = 0; i < node->taints.count; i++) {
		if (holds_off(&node->taints.items[i]))
			return true;
	}
	return false;
}

/* Pods without GPUs go anywhere unless GPU nodes are tainted. */
static void check_gpu_nodes(const struct lint *l)
{
	static const struct finding_rule rule = {"gpu-nodes-without-taint", FINDING_ADVICE};
	uint32_t open = 0, first = 0, without = 0;

	for (uint32_t n = 0; n < l->s->node_count; n++) {
		const struct node *node = &l->s->nodes[n];

		if (cluster_node_never(node))
			continue;
		without += node->gpus == 0;
		if (node->gpus == 0 || keeps_someone_out(node))
			continue;
		if (open++ == 0)
			first = n;
	}
	if (open == 0 || without == 0)
		return;
	draft_fault(
		l->builder, &rule, l->places->of[KIND_NODE][first].where,
		"taint GPU nodes, such as nvidia.com/gpu:NoSchedule, and let GPU jobs tolerate it",
		open == 1
			? "%u node with GPUs, \"%s\", has no taint: pods without GPUs may fill its "
			  "cpu and memory"
			: "%u nodes with GPUs, \"%s\" first, have no taint: pods without GPUs may "
			  "fill their cpu and memory",
		(unsigned)open, lint_string(l, l->s->nodes[first].name));
}

static void check_against_nodes(const struct lint *l, uint32_t index)
{
	if (l->builder->left_out == NULL) /* no job either */
		check_own_taints(l, index);
	if (!check_labels(l, index))
		return;
	check_levels(l, index);
	check_node_taints(l, index);
	check_missing_taints(l, index);
	for (uint32_t r = 0; r < l->s->resource_count; r++)
		check_quota_of(l, index, r);
}

void lint_flavors(const struct lint *l)
{
	bool nodes = l->has_nodes && !l->changes && !l->more_nodes;

	for (uint32_t i = 0; i < l->s->flavor_count; i++) {
		check_idle_taints(l, i);
		if (nodes)
			check_against_nodes(l, i);
	}
	if (nodes)
		check_gpu_nodes(l);
}
