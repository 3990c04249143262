/* cluster_case.h - hand-made clusters and pods for the tests of the scheduler. */
#ifndef TESTS_SUPPORT_CLUSTER_CASE_H
#define TESTS_SUPPORT_CLUSTER_CASE_H

#include "sim/load/builder.h"
#include "sim/scenario/options.h"
#include "sim/world/journal.h"
#include "sim/world/world.h"

struct case_node { /* zeros: no limit (gpus: none) */
	int64_t gpus, cpu, memory, pods;
	const char *pool;  /* label pool=...; NULL */
	const char *taint; /* key; NULL */
	enum taint_effect effect;
	const char *zone;
	bool cordoned, not_ready;
};

struct case_job {
	uint32_t pods;
	int64_t gpus, cpu, memory; /* of a pod; 0: not asked for */
	int32_t priority;
	int64_t submit_s, duration_s;	   /* duration -1: endless */
	const char *pool;		   /* node selector; NULL */
	const char *tolerates;		   /* key; NULL */
	bool never;			   /* does not preempt */
	const char *queue;		   /* NULL: none */
	bool solo;			   /* no gang */
	const struct job_control *control; /* NULL; the lists in it outlive the scenario */
	int64_t milli;			   /* thousandths of GPUs, of a pod */
	int64_t restart_s;		   /* cost of a restart after a checkpoint */
};

/* Nodes n0, n1, ...; jobs j0, j1, ... The caller frees it. */
struct scenario *cluster_case_scenario(const struct case_node *nodes, uint32_t node_count,
				       const struct case_job *jobs, uint32_t job_count);

/* A node as it is from some time on. */
struct case_change {
	int64_t at_s;
	uint32_t node;
	struct case_node now;
};

/* The same with the queues a and b of one cohort, of so many GPUs each, and nodes
 * that change. */
struct scenario *cluster_case_queued(const struct case_node *nodes, uint32_t node_count,
				     const struct case_job *jobs, uint32_t job_count,
				     const struct case_change *changes, uint32_t change_count,
				     int64_t quota_a, int64_t quota_b);

struct cluster_case {
	struct scenario *scenario;
	struct run_options options;
	struct journal *journal;
	struct world world;
};

void cluster_case_open(struct cluster_case *c, const struct case_node *nodes, uint32_t node_count,
		       const struct case_job *jobs, uint32_t job_count);
void cluster_case_close(struct cluster_case *c);
/* Changes the world as the engine would: phase, node and use. */
void cluster_case_bind(struct cluster_case *c, uint32_t pod, uint32_t node);
void cluster_case_remove(struct cluster_case *c, uint32_t pod);

/* Small random systems in which times tie: seed -> 2-5 nodes, 6-17 jobs of one to
 * four pods, up to three priorities, some taints and selectors, nodes that are
 * cordoned, fail or change their labels for a while. */
#define CLUSTER_CASE_NODES   5
#define CLUSTER_CASE_JOBS    17
#define CLUSTER_CASE_CHANGES 4
struct random_case {
	struct case_node nodes[CLUSTER_CASE_NODES];
	struct case_job jobs[CLUSTER_CASE_JOBS];
	struct case_change changes[CLUSTER_CASE_CHANGES];
	struct job_control controls[CLUSTER_CASE_JOBS];
	struct job_change orders[CLUSTER_CASE_JOBS][2];
	uint32_t node_count, job_count, change_count;
	struct run_options options;
};
void cluster_case_random(struct random_case *r, uint64_t seed);
/* Gives most of its jobs a controller: completions in turns, failures and limits,
 * deadlines, suspension, services that change their size. */
void cluster_case_controllers(struct random_case *r, uint64_t seed);

#endif
