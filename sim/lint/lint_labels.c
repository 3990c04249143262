/* lint_labels.c - node labels that Kubernetes has given other names (1.34: deprecatedNodeLabels
 * in pkg/api/node/util.go, of which its API server warns in pod templates; flavors and
 * topologies select nodes by labels, too). Nodes that carry them are the kubelet's business. */
#include <stdio.h>

#include "sim/lint/lint_look.h"

static const struct renamed {
	const char *old, *now;
	const char *since; /* of Kubernetes */
} renamed[] = {
	{"beta.kubernetes.io/arch", "kubernetes.io/arch", "1.14"},
	{"beta.kubernetes.io/os", "kubernetes.io/os", "1.14"},
	{"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type", "1.17"},
	{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", "1.17"},
	{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", "1.17"},
	{"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", "1.20"},
};

static const struct finding_rule rule = {"deprecated-field", FINDING_ADVICE};

static bool in_terms(const struct node_term *terms, uint32_t count, uint32_t key)
{
	for (uint32_t t = 0; t < count; t++) {
		for (uint32_t e = 0; e < terms[t].expression_count; e++) {
			if (terms[t].expressions[e].key == key)
				return true;
		}
	}
	return false;
}

static bool in_constraints(const struct pod_constraints *c, uint32_t key)
{
	if (in_terms(c->preferred, c->preferred_count, key))
		return true;
	for (uint32_t i = 0; i < c->spread_count; i++) {
		if (c->spreads[i].topology_key == key && !c->spreads[i].system)
			return true;
	}
	return false;
}

static bool in_job(const struct lint *l, const struct job *job, uint32_t key)
{
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->common->first_pod_set + i];
		const struct pod_shape *shape = &l->s->shapes[set->shape];

		if (label_has(&shape->node_selector, key) ||
		    in_terms(shape->affinity, shape->affinity_count, key) ||
		    (shape->constraints != NULL && in_constraints(shape->constraints, key)))
			return true;
	}
	return false;
}

static bool in_levels(const struct topology *topology, uint32_t key)
{
	for (uint32_t i = 0; i < topology->level_count; i++) {
		if (topology->levels[i] == key)
			return true;
	}
	return false;
}

/* others: how many more. */
static void tell(const struct lint *l, const struct renamed *row, struct place where,
		 const char *what, const char *name, uint32_t others)
{
	char more[40] = "", fix[200];

	if (others != 0)
		snprintf(more, sizeof(more), " (and %u more)", others);
	snprintf(fix, sizeof(fix), "write %s, and see that nodes carry it", row->now);
	draft_fault(l->builder, &rule, where, fix,
		    "%s \"%s\"%s selects nodes by %s, deprecated since Kubernetes %s: newer nodes "
		    "may come without it, and nothing is placed there",
		    what, name, more, row->old, row->since);
}

static void check_jobs(const struct lint *l, const struct renamed *row, uint32_t key)
{
	uint32_t first = JOB_NONE, count = 0;
	char name[SCENARIO_NAME_TEXT];

	for (uint32_t i = 0; i < l->alike->count; i++) {
		const struct alike_class *class = &l->alike->classes[i];

		if (!in_job(l, &l->s->jobs[class->first], key))
			continue;
		first = first == JOB_NONE ? class->first : first;
		count += class->count;
	}
	if (first != JOB_NONE)
		tell(l, row, draft_job_place(l->builder, first), "job",
		     scenario_job_name(l->s, first, name), count - 1);
}

static void check_objects(const struct lint *l, const struct renamed *row, uint32_t key)
{
	const struct scenario *s = l->s;

	for (uint32_t i = 0; i < s->flavor_count; i++) {
		if (label_has(&s->flavors[i].node_labels, key))
			tell(l, row, l->places->of[KIND_FLAVOR][i].where, "ResourceFlavor",
			     lint_string(l, s->flavors[i].name), 0);
	}
	for (uint32_t i = 0; i < s->topology_count; i++) {
		if (in_levels(&s->topologies[i], key))
			tell(l, row, l->places->of[KIND_TOPOLOGY][i].where, "Topology",
			     lint_string(l, s->topologies[i].name), 0);
	}
}

void lint_labels(const struct lint *l)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		uint32_t key = name_find(l->s->strings, renamed[i].old);

		if (key == NAME_NONE)
			continue;
		check_jobs(l, &renamed[i], key);
		check_objects(l, &renamed[i], key);
	}
}
