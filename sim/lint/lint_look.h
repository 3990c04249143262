/* lint_look.h - what the parts of lint.c share: the scenario, its nodes, quota sums. */
#ifndef SIM_LINT_LOOK_H
#define SIM_LINT_LOOK_H

#include "sim/lint/lint_capacity.h"
#include "sim/scenario/alike.h"

/* Where records of each kind were written; in the scenario's order. */
struct lint_places {
	const struct draft_meta *of[KIND_COUNT];
};

/* What can be wrong with a job. */
enum lint_sort {
	LINT_SUSPENDED,
	LINT_UNMANAGED,
	LINT_POD_TOO_BIG,
	LINT_JOB_TOO_BIG,
	LINT_FLAVOR_ROOM,
	LINT_NAMESPACE,
	LINT_NAMESPACE_UNKNOWN,
	LINT_NOT_COVERED,
	LINT_NO_FLAVOR,
	LINT_QUOTA,
	LINT_SLICE,
	LINT_SORTS
};

struct lint_fault {
	enum lint_sort sort;
	bool unadmitted; /* and is never admitted, for which its sort alone does not speak */
	char text[480];	 /* after the job's name */
	char fix[320];
};

/* Nodes that are equal but for their labels. */
struct node_class {
	const struct node *like;
	uint32_t count;
};

struct lint {
	struct builder *builder;
	const struct scenario *s;
	const struct lint_places *places;
	const struct alike *alike; /* the jobs */
	struct node_class *nodes;
	uint32_t node_classes;
	uint32_t *blockers; /* [queue] first job that stays at its head for ever; JOB_NONE */
	struct lint_capacity *capacity;
	bool topology; /* Kueue's gate TopologyAwareScheduling is on */
	bool balances; /* TASBalancedPlacement and PartialAdmission, too */
	bool has_nodes;
	bool changes;	 /* objects change during the run: nothing is impossible */
	bool more_nodes; /* some were left out because of errors */
	bool more_quota; /* the same of ClusterQueues or Cohorts */
};

void lint_look_begin(struct lint *l, struct builder *builder, const struct scenario *scenario,
		     const struct lint_places *places, const struct alike *alike);
void lint_look_end(struct lint *l);

const char *lint_string(const struct lint *l, uint32_t index);
const char *lint_resource(const struct lint *l, uint32_t resource);
const char *lint_amount(const struct lint *l, uint32_t resource, int64_t value,
			char buf[NUM_QUANTITY_TEXT]);

uint32_t lint_root(const struct scenario *s, uint32_t cohort);
/* Nominal quota in these groups; 0 if they do not have the cell. */
int64_t lint_nominal(const struct resource_group *groups, uint32_t count, uint32_t flavor_name,
		     uint32_t resource);
/* All quota in one flavor and resource. */
int64_t lint_all_quota(const struct lint *l, uint32_t flavor_name, uint32_t resource);
/* Has the queue quota for the resource? */
bool lint_covers(const struct cluster_queue *queue, uint32_t resource);
/* Does the queue select the namespace, or may it? *known: the labels are; of a namespace that
 * no object describes the name alone is. */
bool lint_may_select(const struct lint *l, const struct cluster_queue *queue, uint32_t ns,
		     bool *known);
/* A resource that Kueue does not count as it stands. */
bool lint_translated(const struct lint *l, uint32_t resource);

/* The parts; each appends its findings. */
void lint_jobs(const struct lint *l);	 /* lint_jobs.c */
void lint_flavors(const struct lint *l); /* lint_flavors.c */
void lint_queues(const struct lint *l);	 /* lint_queues.c */
void lint_labels(const struct lint *l);	 /* lint_labels.c */

#endif
