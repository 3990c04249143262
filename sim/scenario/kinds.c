#include "sim/scenario/kinds.h"

#include <assert.h>

#include "sim/scenario/profile.h"
#include "sim/scenario/template.h"

#define COHORT_WEIGHT INT64_C(1000000000) /* 1 */

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
	[KIND_BUDGET] = {"PodDisruptionBudget", sizeof(struct disruption_budget), true, -1},
	[KIND_PROFILE] = {"profile of kube-scheduler", sizeof(struct scheduler_profile), false, -1},
	[KIND_NODE] = {"Node", sizeof(struct node), false, UPDATE_NODE},
	[KIND_RUNTIME_CLASS] = {"RuntimeClass", sizeof(struct runtime_class), false, -1},
};

const struct kind_row *kinds_row(enum kind kind)
{
	return &rows[kind];
}

bool kinds_comes_and_goes(enum kind kind)
{
	return rows[kind].update >= 0 && kind != KIND_NAMESPACE;
}

/* A cohort that only others name exists without quota. */
static void degrade_cohort(struct cohort *cohort)
{
	*cohort = (struct cohort){.name = cohort->name,
				  .parent = NAME_NONE,
				  .implicit = true,
				  .fair_weight = COHORT_WEIGHT};
}

static void delete_node(struct node *node)
{
	node->deleted = node->drain = node->unschedulable = true;
	node->ready = false;
}

void kinds_make_absent(enum kind kind, void *record)
{
	switch (kind) {
	case KIND_FLAVOR:
		((struct flavor *)record)->absent = true;
		break;
	case KIND_TOPOLOGY:
		((struct topology *)record)->absent = true;
		break;
	case KIND_CLUSTER_QUEUE:
		((struct cluster_queue *)record)->absent = true;
		break;
	case KIND_COHORT:
		degrade_cohort(record);
		break;
	case KIND_LOCAL_QUEUE:
		((struct local_queue *)record)->absent = true;
		break;
	case KIND_WORKLOAD_PRIORITY_CLASS:
		((struct priority_class *)record)->absent = true;
		break;
	case KIND_CHECK:
		((struct admission_check *)record)->absent = true;
		break;
	case KIND_NODE:
		delete_node(record);
		break;
	case KIND_NAMESPACE:
	case KIND_PRIORITY_CLASS:
	case KIND_RESOURCE_QUOTA:
	case KIND_LIMIT_RANGE:
	case KIND_BUDGET:
	case KIND_PROFILE:
	case KIND_RUNTIME_CLASS:
	case KIND_PROVISIONING_CONFIG:
	case KIND_COUNT:
		assert(false && "these neither come nor go");
	}
}
