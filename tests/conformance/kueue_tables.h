/* kueue_tables.h - one case of Kueue's own test tables, put before gqsim's functions.
 *
 * A case is a JSON file: objects, workloads with or without a reservation, and
 * what is wanted. It is read as a tree (sim/yaml/yaml.h), its objects go through the
 * project's readers into a scenario, and a Kueue policy's state is set up in
 * which the admitted workloads hold their quota and the others wait.
 *
 * Everything lives until table_close. A function that returns bool returns false
 * after table_differ has said why, in one sentence; only the first one is kept.
 */
#ifndef TESTS_CONFORMANCE_KUEUE_TABLES_H
#define TESTS_CONFORMANCE_KUEUE_TABLES_H

#include "sim/kueue/kueue_cycle.h"
#include "sim/kueue/kueue_topology.h"
#include "sim/load/fields.h"
#include "sim/tool/source.h"

struct table_workload {
	const struct yaml_node *node;
	const char *key;   /* namespace/name */
	const char *queue; /* ClusterQueue it belongs to; NULL: its LocalQueue says */
	bool holds;	   /* a reservation, from the start */
	bool aside;	   /* a pod of another kind: never queued */
};

struct table_case {
	const struct yaml_node *root, *want;
	char difference[2000]; /* "" while there is none */
	bool refused;	       /* an object of it could not be loaded */

	struct source source;
	struct yaml_reader *reader, *text_reader;
	struct mem_arena *arena;
	struct builder *builder; /* until table_start */
	struct tally *tally;
	struct fields fields;
	struct err err;

	struct table_workload *workloads; /* index = job */
	uint32_t workload_count;
	size_t workload_capacity;

	struct scenario *scenario;
	struct run_options options;
	struct journal *journal;
	struct world world;
	struct plan plan;
	struct kueue *k;
};

typedef bool table_run(struct table_case *c);
table_run table_preemption, table_fair_preemption;   /* kueue_tables_preempt.c */
table_run table_share, table_order;		     /* kueue_tables_share.c */
table_run table_assign, table_levels, table_reclaim; /* kueue_tables_assign.c */
table_run table_schedule;			     /* kueue_tables_cycle.c */
table_run table_topology;			     /* kueue_tables_topology.c */

/* Of what a victim is told, all from its cause on: uids differ. */
const char *table_cause(const char *message);

bool table_differ(struct table_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What of the case gqsim does not model, or the API server refuses; NULL. Such a
 * case is not counted if it differs. */
const char *table_beyond(struct table_case *c);

/* ---- kueue_tables_events.c: parts of want ---- */

bool table_check_events(struct table_case *c);
bool table_check_recomputations(struct table_case *c);

/* ---- kueue_tables_objects.c ---- */

/* Objects under these keys of the root, each a list (or a map of objects). */
bool table_read_all(struct table_case *c, const char *key, const char *kind);
bool table_read(struct table_case *c, const char *kind, const struct yaml_node *object);
/* Objects given as text: a map from kind to a list of objects. */
bool table_read_text(struct table_case *c, const char *text);
/* Everything that a case may have: queues, cohorts, flavors, namespaces, ... */
bool table_read_objects(struct table_case *c);

uint32_t table_string(struct table_case *c, const char *text);
const char *table_namespace(const struct yaml_node *object);
/* Does the spec of a queue let it preempt while it borrows, without reclaiming? */
bool table_only_borrows(const struct table_case *c, const struct yaml_node *spec);
bool table_is_fair(const struct table_case *c);

/* ---- kueue_tables_load.c ---- */

bool table_open(struct table_case *c, const char *path);
void table_close(struct table_case *c);

/* Workloads get their index (Kueue's uid order) in table_start. One that is added
 * with a queue is new there; else it is as its status says. */
void table_add(struct table_case *c, const struct yaml_node *workload, const char *queue);
/* A workload of these pod sets alone. */
void table_add_pod_sets(struct table_case *c, const struct yaml_node *pod_sets, const char *queue);

/* Pods of the case that no workload has: added aside, and put where they are. */
void table_add_pods(struct table_case *c);
void table_occupy(struct table_case *c, struct kueue_topology *topology);

/* Makes the scenario and the policy; those with a reservation hold it, nobody is
 * queued yet. */
bool table_start(struct table_case *c);
/* The others go where they wait. */
void table_enqueue(struct table_case *c);

/* ---- kueue_tables_tree.c ---- */

/* The value below nested keys ("status.admission"); NULL. */
const struct yaml_node *table_at(const struct yaml_node *node, const char *path);
/* Are there admission checks, and all of them Ready? */
bool table_is_ready(const struct yaml_node *checks);
/* Its text; "" if it is not there. */
const char *table_text(const struct yaml_node *node, const char *path);
int64_t table_number(const struct yaml_node *node, const char *path); /* 0 */
uint32_t table_count(const struct yaml_node *list);		      /* 0: no list */
uint32_t table_pairs(const struct yaml_node *map);		      /* 0: no map */
const struct yaml_node *table_condition(const struct yaml_node *workload, const char *type);
bool table_holds(const struct yaml_node *workload, const char *type); /* status True */
const struct yaml_node *table_scalar(struct table_case *c, const char *text);
const struct yaml_node *table_list(struct table_case *c, const struct yaml_node *const *items,
				   uint32_t count);
/* The map with the key set to the value, or without it. */
const struct yaml_node *table_with(struct table_case *c, const struct yaml_node *map,
				   const char *key, const struct yaml_node *value);

/* A list of one resource group: this resource, these flavors. */
const struct yaml_node *table_group(struct table_case *c, const char *resource,
				    const struct yaml_node *flavors);

struct table_domain {
	const char *place; /* level values joined by "/" */
	uint32_t pods;
};
/* Those of the topologyAssignment of a podSetAssignment, written out. */
const struct table_domain *table_domains(struct table_case *c, const struct yaml_node *set,
					 uint32_t *count);

/* ---- finding things (kueue_tables_load.c) ---- */

uint32_t table_job(const struct table_case *c, const char *key);    /* JOB_NONE */
uint32_t table_queue(const struct table_case *c, const char *name); /* KUEUE_NONE */
uint32_t table_column(const struct table_case *c, const char *flavor, const char *resource);
const struct pod_shape *table_shape(const struct table_case *c, uint32_t job, uint32_t set);
/* The flavor of a podSetAssignment that has a topology; KUEUE_NONE. */
uint32_t table_topology_flavor(const struct table_case *c, const struct yaml_node *set);
const char *table_resource_name(const struct table_case *c, uint32_t resource);
const char *table_flavor_name(const struct table_case *c, uint32_t flavor); /* kueue flavor */
/* What the podSetAssignments of the workload's admission use, by column. */
const struct quota_amount *table_usage(struct table_case *c, const struct yaml_node *workload,
				       const struct yaml_node *sets, uint32_t *count);
/* Charges a list of {flavor, resource, value} to a ClusterQueue. */
void table_charge(struct table_case *c, const char *queue, const struct yaml_node *usage);

#endif
