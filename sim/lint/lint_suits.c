#include "sim/lint/lint_suits.h"

#include <stdio.h>

#define TOLD_MAX 4 /* flavors whose obstacle is told */

enum obstacle { OBSTACLE_NONE, OBSTACLE_TAINT, OBSTACLE_LABELS, OBSTACLE_PLAIN, OBSTACLE_TOPOLOGY };

static bool has_topology(const struct flavor *flavor)
{
	return flavor->topology_name != NAME_NONE;
}

/* A queue with topologies alone takes pods that ask for none, too. */
static bool is_topology_only(const struct lint *l, const struct cluster_queue *queue)
{
	for (uint32_t g = 0; g < queue->group_count; g++) {
		for (uint32_t f = 0; f < queue->groups[g].flavor_count; f++) {
			uint32_t flavor = queue->groups[g].flavors[f];

			if (flavor == SCENARIO_NONE || !has_topology(&l->s->flavors[flavor]))
				return false;
		}
	}
	return true;
}

static enum obstacle topology_obstacle(const struct lint *l, const struct cluster_queue *queue,
				       const struct flavor *flavor, const struct pod_shape *shape)
{
	if (!l->topology)
		return OBSTACLE_NONE;
	if (shape->topology_mode == TOPOLOGY_NONE && shape->slice_level == NAME_NONE)
		return has_topology(flavor) && !is_topology_only(l, queue) ? OBSTACLE_PLAIN
									   : OBSTACLE_NONE;
	return has_topology(flavor) ? OBSTACLE_NONE : OBSTACLE_TOPOLOGY;
}

/* The first taint of the flavor that neither the pods nor the flavor itself tolerate. */
static const struct taint *first_taint(const struct lint *l, const struct flavor *f,
				       const struct pod_shape *shape)
{
	for (uint32_t i = 0; i < f->taints.count; i++) {
		const struct taint *taint = &f->taints.items[i];

		if (taint->effect != TAINT_PREFER_NO_SCHEDULE &&
		    !label_tolerates(l->s->strings, &shape->tolerations, taint) &&
		    !label_tolerates(l->s->strings, &f->tolerations, taint))
			return taint;
	}
	return NULL;
}

static enum obstacle obstacle_of(const struct lint *l, const struct cluster_queue *queue,
				 const struct flavor *flavor, const struct pod_shape *shape)
{
	if (first_taint(l, flavor, shape) != NULL)
		return OBSTACLE_TAINT;
	if (!label_known_match(l->s->strings, &flavor->node_labels, &shape->node_selector,
			       shape->affinity, shape->affinity_count))
		return OBSTACLE_LABELS;
	return topology_obstacle(l, queue, flavor, shape);
}

bool lint_suits(const struct lint *l, const struct cluster_queue *queue,
		const struct flavor *flavor, const struct pod_shape *shape)
{
	return obstacle_of(l, queue, flavor, shape) == OBSTACLE_NONE;
}

static void describe(const struct lint *l, enum obstacle obstacle, const struct flavor *flavor,
		     const struct pod_shape *shape, char *buf, size_t size)
{
	const char *name = lint_string(l, flavor->name);

	switch (obstacle) {
	case OBSTACLE_TAINT:
		snprintf(buf, size, "\"%.40s\" has the taint %.40s, which it does not tolerate",
			 name, lint_string(l, first_taint(l, flavor, shape)->key));
		break;
	case OBSTACLE_LABELS:
		snprintf(buf, size, "\"%.40s\" has other labels than it selects", name);
		break;
	case OBSTACLE_PLAIN:
		snprintf(buf, size, "\"%.40s\" is for jobs with a topology annotation", name);
		break;
	case OBSTACLE_TOPOLOGY:
		snprintf(buf, size, "\"%.40s\" has no topology, which it asks for", name);
		break;
	case OBSTACLE_NONE:
		buf[0] = '\0';
		break;
	}
}

void lint_suits_none(const struct lint *l, const struct cluster_queue *queue,
		     const struct resource_group *group, const struct pod_shape *shape,
		     struct lint_fault *fault)
{
	char list[TOLD_MAX * 140] = "";
	size_t used = 0;

	for (uint32_t f = 0; f < group->flavor_count && f < TOLD_MAX; f++) {
		const struct flavor *flavor = &l->s->flavors[group->flavors[f]];
		char text[140];

		describe(l, obstacle_of(l, queue, flavor, shape), flavor, shape, text,
			 sizeof(text));
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 f > 0 ? ", " : "", text);
	}
	fault->sort = LINT_NO_FLAVOR;
	snprintf(fault->text, sizeof(fault->text),
		 "is never admitted: no flavor of ClusterQueue \"%.60s\" takes it: %.300s%s",
		 lint_string(l, queue->name), list, group->flavor_count > TOLD_MAX ? ", ..." : "");
	snprintf(fault->fix, sizeof(fault->fix),
		 "add a flavor that takes it to the queue, or change the job's nodeSelector, "
		 "affinity, tolerations or topology annotation");
}
