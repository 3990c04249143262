/* gpu_rule.h - which node, and which GPU of it, a pod gets where pods share GPUs.
 *
 * The rules that Weng et al. (ATC'23) compare, as their simulator has them
 * (hkust-adsl/kubernetes-scheduler-simulator): a score in whole points up to 100, as
 * kube-scheduler's plugins give; the highest wins. Equal scores are the caller's.
 *
 * Add a rule: a row of the table in sim/policy/gpu_rule.c, and its policy in
 * sim/policy/policy_gpus.c.
 */
#ifndef SIM_GPU_RULE_H
#define SIM_GPU_RULE_H

#include "core/rng.h"
#include "sim/policy/gpu_mix.h"
#include "sim/policy/gpu_place.h"

struct gpu_cluster { /* what a rule looks at */
	const struct gpu_place *place;
	const struct gpu_mix *mix; /* NULL unless the rule wants it */
	struct rng *rng;
};

struct gpu_rule {
	const char *name;
	bool wants_mix;
	/* NULL: a random one of the nodes that have room. */
	int64_t (*score)(const struct gpu_cluster *cluster, uint32_t shape, uint32_t node);
	/* Where the shape's part goes on a node that has room: a slot or GPU_SHARE_FRESH. */
	uint32_t (*device)(const struct gpu_cluster *cluster, uint32_t shape, uint32_t node);
};

const struct gpu_rule *gpu_rule_find(const char *name); /* NULL: unknown */

#endif
