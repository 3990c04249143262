/* profile.h - profiles of kube-scheduler: which plugins filter and score, and how.
 *
 * KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): a pod is scheduled by the
 * profile that its schedulerName names. Only the plugins that have a say here stand below.
 * The default profile's scoring strategy and share of searched nodes are options of the
 * run, so that the command line can change them.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "sim/scenario/options.h"
#include "sim/scenario/scenario.h"

enum profile_plugin {
	PLUGIN_UNSCHEDULABLE, /* NodeUnschedulable */
	PLUGIN_TAINTS,	      /* TaintToleration */
	PLUGIN_NODE_AFFINITY,
	PLUGIN_FIT, /* NodeResourcesFit */
	PLUGIN_SPREAD,
	PLUGIN_POD_AFFINITY,
	PLUGIN_BALANCED,   /* NodeResourcesBalancedAllocation */
	PLUGIN_PREEMPTION, /* DefaultPreemption */
	PROFILE_PLUGINS
};

struct scheduler_profile {
	uint32_t name;			  /* string: schedulerName */
	bool filters[PROFILE_PLUGINS];	  /* PLUGIN_PREEMPTION: it preempts (postFilter) */
	int32_t weights[PROFILE_PLUGINS]; /* of scores; 0: it gives none */
	struct node_strategy strategy;	  /* not of the default profile */
	uint32_t percentage_of_nodes;	  /* likewise; 0: by their number */
	struct strategy_weight balanced[OPTIONS_WEIGHT_MAX]; /* resources (weights are unused) */
	uint32_t balanced_count;			     /* 0: cpu and memory */
	int32_t hard_affinity;				     /* hardPodAffinityWeight */
	bool ignores_others; /* ignorePreferredTermsOfExistingPods */
	/* addedAffinity */
	const struct node_term *enforced; /* ORed */
	uint32_t enforced_count;
	const struct node_term *preferred;
	const int32_t *preferred_weights;
	uint32_t preferred_count;
	bool lists_spreads;			 /* defaultingType List: these, else the system's */
	const struct spread_constraint *spreads; /* without selectors */
	uint32_t spread_count;
	uint32_t candidates_percent, candidates_least; /* of DefaultPreemption */
};

/* As kube-scheduler has it without configuration. */
void profile_default(struct scheduler_profile *profile);
/* Kubernetes' name of a plugin; NULL past the last. */
const char *profile_plugin_name(uint32_t plugin);
/* Its weight in the default profile; 0: it does not score. Does it filter there? */
int32_t profile_plugin_weight(enum profile_plugin plugin);
bool profile_plugin_filters(enum profile_plugin plugin);

/* The profile of a shape's pods. */
const struct scheduler_profile *profile_of(const struct scenario *scenario,
					   const struct pod_shape *shape);
/* Do the filters other than resources and constraints let the shape's pods onto the node? */
bool profile_node_suits(const struct scenario *scenario, const struct node *node,
			const struct pod_shape *shape);
/* What it takes for a run: the options' if it is the default profile. */
const struct node_strategy *profile_strategy(const struct scenario *scenario,
					     const struct run_options *options, uint32_t profile);
uint32_t profile_percentage(const struct scenario *scenario, const struct run_options *options,
			    uint32_t profile);

/* While a scenario is made: puts the default profile first, finds the profile of each shape
 * and gives the shapes' spread defaults of their profile. strings: the builder's. */
void profile_resolve(struct scenario *scenario, struct name_table *strings,
		     struct mem_arena *arena);

#endif
