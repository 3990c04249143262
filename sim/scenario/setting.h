/* setting.h - --set KIND/NAME:FIELD=VALUE: inputs changed for one column.
 *
 *   clusterqueue/team-a:nvidia.com/gpu@h100.nominalQuota=16
 *   cohort/all:nvidia.com/gpu.borrowingLimit=none
 *   clusterqueue/team-a:.queueingStrategy=StrictFIFO
 *   nodepool/h100:.count=12
 *   nodepool/h100:.spot=3@24h    its last three nodes are spot nodes, each taken away every
 *                                24 hours on average, for ten minutes (a random stream of
 *                                the node's own, of the input's seed)
 *   nodepool/h100:.mig=8@1g.10gb   eight of its GPUs are cut into slices (sim/scenario/mig.h)
 *   jobs/all:.mig=1g.10gb        jobs of one pod, one GPU and a gpuUtilisation up to a seventh
 *                                ask for such a slice instead
 *   clusterqueue/team-a:nvidia.com/mig-1g.10gb@h100.nominalQuota=56   covered from then on
 *   jobs/team-a:.load=1.5        the namespace's jobs come so many times as fast
 *   jobs/all:.duration=0.5       all jobs take half as long
 *   jobs/ml/notebook-?:.idleTimeout=30m   jobs of this pattern of NAMESPACE/NAME, whose GPUs
 *                                are idle at the end, are stopped so long after they last
 *                                used them (gpuUtilisation of their time)
 *   jobs/all:.gpuUtilisation=60  per cent; .priority=10 likewise
 *   configuration/kueue:.fairSharing.enable=true
 *   configuration/kueue:.featureGates.PartialAdmission=false
 *   flavor/h100:.topologyName=NAME   a Topology, or the key of a node label: then one of this
 *                                level is made (kubernetes.io/hostname: node by node)
 *   run/options:.grace=30s       an option of the run; the command line wins
 *
 * A clusterqueue or flavor whose name is a star stands for every one, where a field is set.
 *
 * The last dot before "=" splits the resource from the field; a field of the
 * object itself begins with the dot. The flavor may be left out where the
 * resource has one only. What an object is from the start is changed; a later
 * version of it (gqsim/at) replaces it as written.
 */
#ifndef SIM_SETTING_H
#define SIM_SETTING_H

#include "sim/scenario/draft.h"

/* ERR_USAGE or ERR_UNKNOWN say what would be right. Sizes of node pools first:
 * quotas that are made from the hardware come after them and before the rest. */
enum err_code setting_apply_pools(struct builder *builder, const char *const *sets, uint32_t count,
				  struct err *err);
enum err_code setting_apply(struct builder *builder, const char *const *sets, uint32_t count,
			    struct err *err);

#endif
