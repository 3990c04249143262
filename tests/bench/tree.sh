#!/bin/sh
# tree.sh QUEUES DEPTH JOBS FOLDER - Philly-like jobs at 90 % load over so many
# ClusterQueues of equal quota below a chain of so many cohorts, with borrowing and reclaim,
# into FOLDER/objects.yaml and FOLDER/jobs.csv.
set -eu
queues=$1 depth=$2 jobs=$3 folder=$4
O=${O:-build/release}
mkdir -p "$folder"
{
	printf 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {enable: false}\n'
	printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: gpu}\n'
	c=1
	while [ "$c" -lt "$depth" ]; do
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c%s}\nspec: {parentName: c%s}\n' "$c" $((c - 1))
		c=$((c + 1))
	done
	q=0
	while [ "$q" -lt "$queues" ]; do
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q%s}\nspec:\n  namespaceSelector: {}\n  cohortName: c%s\n  preemption: {reclaimWithinCohort: Any}\n' "$q" $((depth - 1))
		printf '  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n    - {name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: %s}]}\n' $((2490 / queues))
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q%s, namespace: default}\nspec: {clusterQueue: q%s}\n' "$q" "$q"
		q=$((q + 1))
	done
} >"$folder/objects.yaml"
"$O/tests/bench/philly_like" "$jobs" 90 | awk -F, -v queues="$queues" '
	NR == 1 { print "name,queue,submit_s,duration_s,pods,requests"; next }
	{
		pods = $3 > 8 ? $3 / 8 : 1
		print "j" $1 ",q" ($1 * 2654435761) % queues "," $2 "," $4 "," pods ",nvidia.com/gpu=" ($3 > 8 ? 8 : $3)
	}' >"$folder/jobs.csv"
