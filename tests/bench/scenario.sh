#!/bin/sh
# scenario.sh NAME LOAD JOBS FOLDER - a Philly-like workload over 15 ClusterQueues, with
# what makes Kueue work hard, into FOLDER/objects.yaml and FOLDER/jobs.csv:
#   storm     three priorities, preemption within the queue and reclaim within one cohort
#   flat      the same with fair sharing
#   fair      a tree of cohorts with fair sharing, weights, reclaim, borrowing and lending limits
#   flavors   three flavors a queue, each with quota; the next is tried before borrowing
#   tas       storm on 312 nodes in blocks and racks, whose pods are to be together; 24 times
#             a day a node is tainted for an hour
#   everything  fair, flavors, partial admission, pods that are late (waitForPodsReady) and
#             admission fair sharing between two LocalQueues a queue. It reclaims from lower
#             priorities only: with Any victims and preemptors take turns under fair sharing
#             over several flavors, as in Kueue, and 90 % load does not stay 90 % (of 130,000
#             jobs 51,864 preemptions, not 3,571)
#
# LOAD is what is offered, of GPUs. The longest jobs take weeks, so 100,000 jobs (7.6 days) are too
# few to fill the cluster: none waits, and growth from there on is that of the backlog. Work that
# preemption throws away comes on top of what is offered: storm stays at 90 % (of 400,000 jobs
# 0.1 % of all GPU-hours lost, nobody waits at the end), but flavors and tas do not. Of 400,000 jobs,
# in 30 days, flavors loses 317,124 GPU-hours, 18 % of what there is, and tas 183,634, 10 %: both
# are overloaded from the third week on, and what waits grows as long as jobs come, in flavors to
# 114,000 jobs after 70 days, in tas to 19,000.
set -eu
name=$1 load=$2 jobs=$3 folder=$4
O=${O:-build/release}
mkdir -p "$folder"

# One of 312 nodes; with AT it is another from then on, with TAINTS.
node() { # N [AT TAINTS]
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n%s\n' "$1"
	printf '  labels: {kubernetes.io/hostname: n%s, pool: gpu, block: b%s, rack: r%s}\n' "$1" $(($1 / 104)) $(($1 / 13))
	[ $# -eq 1 ] || printf '  annotations: {gqsim/at: "%s"}\nspec: {taints: [%s]}\n' "$2" "$3"
	printf 'status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}\n'
}

places() {
	printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: racks}\nspec: {levels: [{nodeLabel: block}, {nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n'
	i=0
	while [ $i -lt 312 ]; do
		node $i
		i=$((i + 1))
	done
	i=0
	while [ $i -lt $((jobs / 50)) ]; do
		node $((i * 7 % 312)) $((i * 3600)) '{key: repair, value: "yes", effect: NoSchedule}'
		node $((i * 7 % 312)) $((i * 3600 + 3599)) ''
		i=$((i + 1))
	done
}

flavors=gpu
case $name in flavors | everything) flavors="a b c" ;; esac
{
	cat <<-END
	apiVersion: config.kueue.x-k8s.io/v1beta2
	kind: Configuration
	END
	case $name in
	flat | fair | everything) printf 'fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}\n' ;;
	esac
	[ $name != everything ] || printf 'admissionFairSharing: {usageHalfLifeTime: 3600s, usageSamplingInterval: 300s}\nwaitForPodsReady: {timeout: 600s}\n'
	i=0
	for class in low mid high; do
		i=$((i + 1))
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {name: %s}\nvalue: %s\n' $class $((i * 100))
	done
	for f in $flavors; do
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: %s}\n' "$f"
		[ $name != tas ] || printf 'spec: {topologyName: racks, nodeLabels: {pool: gpu}}\n'
	done
	[ $name != tas ] || places
	case $name in
	fair | everything)
		for c in 0 1 2; do
			printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c%s}\nspec: {parentName: all, fairSharing: {weight: "%s"}}\n' $c $((c + 1))
		done ;;
	esac
	q=0
	while [ $q -lt 15 ]; do
		cohort=all weight= scope= limits= reclaim=Any
		case $name in
		fair | everything)
			cohort=c$((q % 3)) weight="  fairSharing: {weight: '$((q % 4 + 1))'}
"
			[ $((q % 5)) -ne 0 ] || limits=", borrowingLimit: 300"
			[ $((q % 4)) -ne 0 ] || limits="$limits, lendingLimit: 50" ;;
		esac
		[ $name != everything ] || reclaim=LowerPriority scope="  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
"
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q%s}\nspec:\n  namespaceSelector: {}\n  cohortName: %s\n%s%s' $q $cohort "$weight" "$scope"
		printf '  preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: %s}\n' $reclaim
		[ "$flavors" = gpu ] || printf '  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor}\n'
		printf '  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n'
		for f in $flavors; do
			n=166
			[ "$f" = gpu ] || n=55
			printf '    - {name: %s, resources: [{name: nvidia.com/gpu, nominalQuota: %s%s}]}\n' "$f" $n "$limits"
		done
		for l in 0 1; do
			printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q%s-%s, namespace: default}\nspec: {clusterQueue: q%s}\n' $q $l $q
		done
		q=$((q + 1))
	done
} >"$folder/objects.yaml"
# Who submits what follows from the row alone: skewed queues, every third with priority.
"$O/tests/bench/philly_like" "$jobs" "$load" | awk -F, -v name="$name" '
	NR == 1 { print "name,queue,submit_s,duration_s,priority_class,pods,min_pods,requests,ready_s,topology_mode,topology_level"; next }
	{
		h = ($1 * 2654435761) % 4294967296
		q = int(15 * (h / 4294967296) ^ 1.5)
		class = $1 % 10 == 0 ? "high" : $1 % 3 == 0 ? "mid" : "low"
		pods = $3 > 8 ? $3 / 8 : 1
		least = name == "everything" && pods > 1 ? pods / 2 : ""
		ready = name == "everything" ? $1 % 60 : ""
		mode = name != "tas" ? "" : pods > 1 ? "required" : $1 % 4 == 0 ? "preferred" : "unconstrained"
		level = mode == "required" ? "rack" : mode == "preferred" ? "kubernetes.io/hostname" : ""
		print "j" $1 ",q" q "-" ($1 % 2) "," $2 "," $4 "," class "," pods "," least ",nvidia.com/gpu=" ($3 > 8 ? 8 : $3) "," ready "," mode "," level
	}' >"$folder/jobs.csv"
