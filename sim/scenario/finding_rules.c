#include "sim/scenario/finding_rules.h"

#include <string.h>

const struct finding_rule_row *finding_rules(void)
{
	static const struct finding_rule_row rows[] = {
		/* of findings that name no rule, by their kind */
		{"input-error", "cannot be read, or would be refused"},
		{"input-warning", "is read, but hardly as meant"},
		{"input-note", "worth knowing"},
		{"not-modelled", "has no effect here"},
		{"advice", "works, but seldom as meant"},
		/* objects as they are written */
		{"unknown-field", "a field, label or annotation that is misspelt, or of another "
				  "version"},
		{"deprecated-field", "a field or value that newer versions do not have"},
		{"deprecated-version", "an apiVersion that is served, but not for long"},
		{"version-not-served", "an apiVersion that the API server refuses"},
		{"fraction-of-a-unit", "memory in millibytes, half a device"},
		{"file-not-read", "a file of a folder whose name ends in nothing that is read"},
		{"not-an-object", "a document that is no Kubernetes object"},
		{"unknown-feature-gate", "a feature gate that Kueue does not have, or has locked"},
		{"list-without-jobs", "a list of jobs in which there is none"},
		{"rows-left-out", "rows of a trace that cannot be used"},
		{"defined-twice", "two objects of one name"},
		{"object-missing", "an object that is named and not there"},
		/* jobs */
		{"restart-policy-missing", "a Job without restartPolicy, which has to have one"},
		{"suspended-for-ever", "a suspended job that nobody resumes"},
		{"no-queue-name", "a job without the label that Kueue looks for"},
		{"local-queue-missing", "a LocalQueue that is named and not there"},
		{"pod-fits-no-node", "a pod for which no node has room"},
		{"job-exceeds-cluster", "a job for which the empty cluster has no room"},
		{"job-fits-no-flavor", "a job whose flavors have no nodes with room for it"},
		{"namespace-not-selected", "a ClusterQueue that does not select the namespace"},
		{"namespace-not-described", "a namespace whose labels decide and are not there"},
		{"resource-not-covered", "a requested resource without quota in the queue"},
		{"no-matching-flavor", "no flavor for the job's selectors and tolerations"},
		{"job-exceeds-quota", "a job above all that its queue can have"},
		{"slice-above-minimum", "fewer pods than a slice, which Kueue cannot balance"},
		{"strict-fifo-blocked", "a StrictFIFO queue whose head is never admitted"},
		{"strict-fifo-head-borrows", "a StrictFIFO queue whose head has to borrow"},
		/* flavors and nodes */
		{"flavor-without-nodes", "nodeLabels that no node carries"},
		{"topology-level-missing", "nodes without a label that their topology needs"},
		{"flavor-taint-keeps-all-out", "a flavor's taint that no job tolerates"},
		{"flavor-taint-keeps-none-out", "a flavor's taint that has no effect"},
		{"flavor-taint-not-on-nodes", "a flavor's taint that its nodes do not have"},
		{"node-taint-not-in-flavor", "a taint of all nodes that their flavor lacks"},
		{"gpu-nodes-without-taint", "GPU nodes that any pod may fill"},
		{"quota-above-nodes", "quotas that add up to more than the nodes have"},
		{"quota-below-nodes", "quotas that add up to less than the nodes have"},
		/* queues */
		{"queue-without-cohort", "a ClusterQueue that shares with nobody"},
		{"lends-without-reclaim", "a queue that lends and does not take back"},
		{"inference-lends-all", "a queue of services that lends all it has"},
		{"cohort-cycle", "Cohorts that are above each other"},
		{"cohort-quota-counted-twice", "a Cohort with the quota of its members again"},
		{"namespace-selector-admits-nobody", "a selector that no namespace matches"},
		{"no-local-queue", "a ClusterQueue that nothing can be submitted to"},
		{"resource-quota-below-queue", "a ResourceQuota below the queue's quota"},
		{NULL, NULL},
	};

	return rows;
}

bool finding_rules_has(const char *name, size_t len)
{
	for (const struct finding_rule_row *row = finding_rules(); row->name != NULL; row++)
		if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
			return true;
	return false;
}
