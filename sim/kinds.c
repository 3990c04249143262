#include "sim/kinds.h"

#include "sim/scenario.h"
#include "sim/template.h"

static const struct kind_row rows[KIND_COUNT] = {
	[KIND_NAMESPACE] = {"Namespace", sizeof(struct ns_record), false, UPDATE_NAMESPACE},
	[KIND_FLAVOR] = {"ResourceFlavor", sizeof(struct flavor), false, UPDATE_FLAVOR},
	[KIND_TOPOLOGY] = {"Topology", sizeof(struct topology), false, UPDATE_TOPOLOGY},
	[KIND_CLUSTER_QUEUE] = {"ClusterQueue", sizeof(struct cluster_queue), false,
				UPDATE_CLUSTER_QUEUE},
	[KIND_COHORT] = {"Cohort", sizeof(struct cohort), false, UPDATE_COHORT},
	[KIND_LOCAL_QUEUE] = {"LocalQueue", sizeof(struct local_queue), true, UPDATE_LOCAL_QUEUE},
	[KIND_PRIORITY_CLASS] = {"PriorityClass", sizeof(struct priority_class), false, -1},
	[KIND_WORKLOAD_PRIORITY_CLASS] = {"WorkloadPriorityClass", sizeof(struct priority_class),
					  false, UPDATE_WORKLOAD_PRIORITY_CLASS},
	[KIND_CHECK] = {"AdmissionCheck", sizeof(struct admission_check), false,
			UPDATE_ADMISSION_CHECK},
	[KIND_PROVISIONING_CONFIG] = {"ProvisioningRequestConfig",
				      sizeof(struct provisioning_config), false, -1},
	[KIND_RESOURCE_QUOTA] = {"ResourceQuota", sizeof(struct resource_quota), true, -1},
	[KIND_LIMIT_RANGE] = {"LimitRange", sizeof(struct limit_range), true, -1},
	[KIND_NODE] = {"Node", sizeof(struct node), false, UPDATE_NODE},
	[KIND_RUNTIME_CLASS] = {"RuntimeClass", sizeof(struct runtime_class), false, -1},
};

const struct kind_row *kinds_row(enum kind kind)
{
	return &rows[kind];
}
