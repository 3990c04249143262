#include "tests/support/random_system.h"

#include "tests/support/random_maker.h"

/* ---- how it runs ---- */

/* Of the last flavor's nodes. */
static void write_pool(struct maker *k)
{
	uint32_t most = 1 + below(k, 4), count = below(k, most + 1);

	manifest_text(k->m, "nodePools:\n- {name: burst, cpu: 8, gpus: 2, pods: 20, count: ");
	manifest_number(k->m, count, 0);
	manifest_text(k->m, ", maxSize: ");
	manifest_number(k->m, most, count);
	manifest_text(k->m, ", bootDelay: ");
	manifest_number(k->m, below(k, 30), 0);
	manifest_text(k->m, ", labels: {pool: p%" PRIu32 ", block: b0, rack: r0}", k->flavors - 1);
	if (rarely(k, 4))
		option_number(k, ", maxRunDuration: ", 20 + below(k, 100), 1, "");
	manifest_text(k->m, "}\nautoscaler:\n  scaleDownDelayAfterAdd: 5\n");
	option_number(k, "  scanInterval: ", 1 + below(k, 10), 1, "\n");
	option_number(k, "  scaleDownUnneededTime: ", below(k, 40), 0, "\n");
	option_number(k, "  bookingTime: ", 1 + below(k, 40), 1, "\n");
	if (rarely(k, 2))
		option_number(k, "  expirationTime: ", 5 + below(k, 40), 1, "\n");
}

static void write_simulation(struct maker *k)
{
	object(k, "gqsim/v1", "Simulation");
	if (k->provisions)
		write_pool(k);
	manifest_text(k->m, "horizon: 1000\noptions:\n  max-time: 2000\n");
	if (!k->places)
		manifest_text(k->m, "  placement: none\n");
	if (rarely(k, 2))
		option_number(k, "  eviction-delay: ", below(k, 3), 0, "\n");
	if (rarely(k, 3))
		option_number(k, "  requeue-batch: ", below(k, 2), 0, "\n");
	if (rarely(k, 3))
		manifest_option(k->m, "  tie: random\n");
	if (rarely(k, 3))
		manifest_option(k->m, "  create: interleaved\n");
	if (rarely(k, 5))
		manifest_option(k->m, "  drain: each\n");
	if (rarely(k, 4))
		manifest_option(k->m, "  checkpointing: resume\n");
}

static void write_fair_sharing(struct maker *k)
{
	static const char *const strategies[] = {
		"[LessThanOrEqualToFinalShare, LessThanInitialShare]",
		"[LessThanOrEqualToFinalShare]", "[LessThanInitialShare]"};

	manifest_part(k->m);
	manifest_text(k->m, "fairSharing:\n  enable: true\n");
	manifest_option(k->m, "  preemptionStrategies: %s\n", pick(k, strategies, 3));
	manifest_end(k->m);
}

static void write_pods_ready(struct maker *k)
{
	manifest_part(k->m);
	manifest_text(k->m, "waitForPodsReady:\n  timeout: ");
	manifest_number(k->m, 5 + below(k, 20), 1);
	manifest_text(k->m, "s\n");
	option_number(k, "  recoveryTimeout: ", 3 + below(k, 10), 1, "s\n");
	if (k->block)
		manifest_option(k->m, "  blockAdmission: true\n");
	manifest_text(k->m, "  requeuingStrategy:\n    backoffBaseSeconds: ");
	manifest_number(k->m, 1 + below(k, 10), 0);
	manifest_text(k->m, "\n    backoffLimitCount: ");
	manifest_number(k->m, 1 + below(k, 3), 0);
	manifest_text(k->m, "\n");
	if (rarely(k, 3))
		manifest_option(k->m, "    timestamp: Creation\n");
	manifest_end(k->m);
}

static void write_gates(struct maker *k)
{
	static const char *const gates[] = {"PrioritySortingWithinCohort",
					    "FlavorFungibility",
					    "RecomputeAssignmentUponPreemptionTargetsOverlap",
					    "SchedulingEquivalenceHashing",
					    "PrioritizePreemptorWorkloads",
					    "FlavorFungibilityPreserveScanProgress"};

	manifest_part(k->m);
	manifest_text(k->m, "featureGates:\n  UnadmittedWorkloadsObservability: true\n");
	if (k->concurrent)
		manifest_text(k->m, "  ConcurrentAdmission: true\n");
	if (rarely(k, 4))
		manifest_option(k->m, "  %s: %s\n", pick(k, gates, 6),
				rarely(k, 2) ? "true" : "false");
	manifest_end(k->m);
}

static void write_configuration(struct maker *k)
{
	object(k, ALL, "Configuration");
	write_gates(k);
	if (k->fair)
		write_fair_sharing(k);
	if (k->afs) {
		manifest_part(k->m);
		manifest_text(k->m, "admissionFairSharing:\n  usageHalfLifeTime: ");
		manifest_number(k->m, 10 * below(k, 12), 0);
		manifest_text(k->m, "s\n  usageSamplingInterval: ");
		manifest_number(k->m, 1 + below(k, 20), 1);
		manifest_text(k->m, "s\n");
		manifest_end(k->m);
	}
	if (k->ready)
		write_pods_ready(k);
	else
		manifest_option(k->m, "waitForPodsReady:\n  enable: false\n");
}

/* From when on it is there, or replaces the one before it. */
static void write_at(struct maker *k, bool later)
{
	if (!later)
		return;
	manifest_text(k->m, "  annotations: {gqsim/at: '");
	manifest_number(k->m, below(k, 100), 0);
	manifest_text(k->m, "'}\n");
}

/* The object as it was written goes again, sometimes. */
static void write_end(struct maker *k)
{
	if (!k->changes || !rarely(k, 12))
		return;
	option_number(k, "  annotations: {gqsim/delete-at: '", 10 + below(k, 100), 0, "'}\n");
}

static void write_class(struct maker *k, uint32_t class, bool later)
{
	static const char *const classes[] = {"low", "mid", "high"};

	object(k, API, "WorkloadPriorityClass");
	manifest_text(k->m, "metadata:\n  name: %s\n", classes[class]);
	write_at(k, later);
	manifest_text(k->m, "value: %" PRIu32 "\n",
		      later ? 50 + 100 * below(k, 4) : (class + 1) * 100);
}

static void write_provisioning(struct maker *k)
{
	static const char *const kinds[] = {"best-effort-atomic-scale-up", "check-capacity"};

	object(k, API, "AdmissionCheck");
	manifest_text(k->m, "metadata:\n  name: nodes\n");
	write_end(k);
	manifest_text(k->m, "spec:\n  controllerName: kueue.x-k8s.io/provisioning-request\n"
			    "  parameters: {apiGroup: kueue.x-k8s.io, kind: "
			    "ProvisioningRequestConfig, name: nodes}\n");
	object(k, API, "ProvisioningRequestConfig");
	manifest_text(k->m,
		      "metadata: {name: nodes}\nspec:\n  provisioningClassName: "
		      "%s.autoscaling.x-k8s.io\n",
		      pick(k, kinds, 2));
	if (rarely(k, 2))
		manifest_option(k->m, "  managedResources: [nvidia.com/gpu]\n");
	manifest_part(k->m);
	manifest_text(k->m, "  retryStrategy:\n    backoffBaseSeconds: ");
	manifest_number(k->m, 1 + below(k, 20), 0);
	manifest_text(k->m, "\n    backoffLimitCount: ");
	manifest_number(k->m, below(k, 4), 0);
	manifest_text(k->m, "\n");
	manifest_end(k->m);
}

static void write_topology_object(struct maker *k, bool later)
{
	object(k, API, "Topology");
	manifest_text(k->m, "metadata:\n  name: topo\n");
	if (later)
		write_at(k, true);
	else
		write_end(k);
	manifest_text(k->m, "spec:\n  levels:\n  - nodeLabel: block\n  - nodeLabel: rack\n");
	manifest_option(k->m, "  - nodeLabel: kubernetes.io/hostname\n");
}

static void write_small_objects(struct maker *k)
{
	for (uint32_t i = 0; i < 3; i++)
		write_class(k, i, false);
	if (k->changes && rarely(k, 2))
		write_class(k, below(k, 3), true);
	object(k, "v1", "Namespace");
	manifest_text(k->m, "metadata: {name: ml, labels: {dept: ml}}\n");
	if (k->checks) {
		object(k, API, "AdmissionCheck");
		manifest_text(k->m, "metadata:\n  name: check\n");
		write_end(k);
		manifest_text(k->m, "spec: {controllerName: x.io/y}\n");
	}
	if (k->provisions)
		write_provisioning(k);
	if (k->topology)
		write_topology_object(k, false);
}

/* ---- flavors and nodes ---- */

static void write_flavor(struct maker *k, uint32_t flavor, bool later)
{
	object(k, API, "ResourceFlavor");
	manifest_text(k->m, "metadata:\n  name: f%" PRIu32 "\n", flavor);
	if (later)
		write_at(k, true);
	else
		write_end(k);
	manifest_text(k->m, "spec:\n  nodeLabels: {");
	if (k->topology || rarely(k, 2))
		manifest_text(k->m, "pool: p%" PRIu32, flavor);
	manifest_text(k->m, "}\n");
	if (k->topology && (flavor == 0 || rarely(k, 2)))
		manifest_option(k->m, "  topologyName: topo\n");
	if (!rarely(k, 6))
		return;
	manifest_option(k->m, "  nodeTaints: [{key: spot, value: x, effect: NoSchedule}]\n");
	if (rarely(k, 2))
		manifest_option(k->m, "  tolerations: [{key: spot, operator: Exists}]\n");
}

/* at < 0: from the beginning. */
static void write_node(struct maker *k, uint32_t node, int64_t at, const char *spec,
		       const char *ready)
{
	object(k, "v1", "Node");
	manifest_text(k->m, "metadata:\n  name: n%" PRIu32 "\n", node);
	if (at >= 0) {
		manifest_text(k->m, "  annotations: {gqsim/at: '");
		manifest_number(k->m, at, 0);
		manifest_text(k->m, "'}\n");
	}
	manifest_text(k->m,
		      "  labels: {pool: p%" PRIu32 ", block: b%" PRIu32 ", rack: r%" PRIu32
		      ", kubernetes.io/hostname: n%" PRIu32 "}\nspec: {%s}\nstatus:\n"
		      "  conditions: [{type: Ready, status: '%s'}]\n  allocatable: {cpu: '",
		      node % k->flavors, node % 2, node % 3, node, spec, ready);
	manifest_number(k->m, 8 + 8 * below(k, 2), 1);
	manifest_text(k->m, "', memory: 64Gi, pods: '20', nvidia.com/gpu: '");
	manifest_number(k->m, 2 + 2 * below(k, 3), 1);
	manifest_text(k->m, "'}\n");
}

static void write_nodes(struct maker *k)
{
	static const char *const specs[] = {"", "unschedulable: true",
					    "taints: [{key: xid, effect: NoExecute}]"};
	static const char *const ready[] = {"True", "False", "Unknown"};
	uint32_t changes = k->changes ? below(k, 4) : 0;

	for (uint32_t i = 0; i < k->nodes; i++)
		write_node(k, i, -1, "", "True");
	for (uint32_t i = 0; i < changes; i++)
		write_node(k, below(k, k->nodes), below(k, 100), pick(k, specs, 3),
			   pick(k, ready, 3));
}

/* ---- quotas ---- */

#define NO_FLAVOR FLAVORS_MAX

static void write_cell(struct maker *k, const char *resource, uint32_t most, bool limits)
{
	uint32_t nominal = below(k, most + 1);

	manifest_text(k->m, "      - name: %s\n        nominalQuota: ", resource);
	manifest_number(k->m, nominal, 0);
	manifest_text(k->m, "\n");
	if (limits && rarely(k, 3))
		option_number(k, "        borrowingLimit: ", below(k, most), 0, "\n");
	if (limits && rarely(k, 4))
		option_number(k, "        lendingLimit: ", below(k, nominal + 1), 0, "\n");
}

/* GPUs and cpu in one group, memory in another of its own flavor. The one named is among them. */
static void write_groups(struct maker *k, uint32_t named, bool cohort, bool limits)
{
	uint32_t first = below(k, k->flavors), count = 1 + below(k, k->flavors);

	if (named != NO_FLAVOR && (named + k->flavors - first) % k->flavors >= count)
		first = named;
	manifest_text(k->m, "  resourceGroups:\n  - coveredResources: [cpu, nvidia.com/gpu]\n"
			    "    flavors:\n");
	for (uint32_t i = 0; i < count; i++) {
		manifest_part(k->m);
		manifest_text(k->m, "    - name: f%" PRIu32 "\n      resources:\n",
			      (first + i) % k->flavors);
		write_cell(k, "cpu", 24, limits);
		write_cell(k, "nvidia.com/gpu", cohort ? 4 : 8, limits);
		manifest_end(k->m);
	}
	if (!k->memory)
		return;
	manifest_part(k->m);
	manifest_text(k->m, "  - coveredResources: [memory]\n    flavors:\n    - name: m\n"
			    "      resources:\n");
	write_cell(k, "memory", 40, limits);
	manifest_end(k->m);
}

static void write_weight(struct maker *k)
{
	static const char *const weights[] = {"0", "0.5", "1", "2", "3"};

	if (rarely(k, 2))
		manifest_option(k->m, "  fairSharing: {weight: '%s'}\n", pick(k, weights, 5));
}

static void write_cohort(struct maker *k, uint32_t cohort, bool later)
{
	bool parent = cohort > 0 && !rarely(k, 3);

	object(k, API, "Cohort");
	manifest_text(k->m, "metadata:\n  name: c%" PRIu32 "\n", cohort);
	if (later)
		write_at(k, true);
	else
		write_end(k);
	manifest_text(k->m, "spec:\n");
	manifest_option(k->m, "  fairSharing: {weight: '1'}\n");
	if (parent)
		manifest_option(k->m, "  parentName: c%" PRIu32 "\n",
				below(k, later ? k->cohorts : cohort));
	if (rarely(k, 2)) {
		manifest_part(k->m);
		write_groups(k, NO_FLAVOR, true, parent);
		manifest_end(k->m);
	}
}

static void write_preemption(struct maker *k)
{
	static const char *const within[] = {"Never", "LowerPriority", "LowerOrNewerEqualPriority"};
	static const char *const reclaim[] = {"Never", "LowerPriority", "Any", "Any", "Any"};
	bool borrow = rarely(k, 4);

	manifest_part(k->m);
	manifest_text(k->m, "  preemption:\n    withinClusterQueue: %s\n", pick(k, within, 3));
	manifest_option(k->m, "    reclaimWithinCohort: %s\n",
			borrow ? reclaim[1 + below(k, 4)] : pick(k, reclaim, 5));
	if (borrow) {
		manifest_part(k->m);
		manifest_text(k->m, "    borrowWithinCohort:\n      policy: LowerPriority\n");
		option_number(k, "      maxPriorityThreshold: ", 100 + 100 * below(k, 3), 0, "\n");
		manifest_end(k->m);
	}
	manifest_end(k->m);
}

static void write_fungibility(struct maker *k)
{
	static const char *const can[] = {"MayStopSearch", "TryNextFlavor"};
	static const char *const prefers[] = {"BorrowingOverPreemption", "PreemptionOverBorrowing"};
	bool preference = rarely(k, 4); /* allowed only with TryNextFlavor for both */

	manifest_part(k->m);
	manifest_text(k->m, "  flavorFungibility:\n    whenCanBorrow: %s\n",
		      preference ? can[1] : pick(k, can, 2));
	manifest_option(k->m, "    whenCanPreempt: %s\n", preference ? can[1] : pick(k, can, 2));
	if (preference)
		manifest_option(k->m, "    preference: %s\n", pick(k, prefers, 2));
	manifest_end(k->m);
}

/* The flavor a check is for, which must have quota in the queue; NO_FLAVOR: it is for all. */
static uint32_t write_check_names(struct maker *k)
{
	bool check = k->checks && rarely(k, 2), nodes = k->provisions && !rarely(k, 4);
	uint32_t named = NO_FLAVOR;

	if (!check && !nodes)
		return named;
	manifest_part(k->m);
	manifest_text(k->m, "  admissionChecksStrategy:\n    admissionChecks:\n");
	if (check)
		manifest_option(k->m, "    - name: check\n");
	if (nodes) {
		manifest_part(k->m);
		manifest_text(k->m, "    - name: nodes\n");
		if (rarely(k, 4)) {
			named = below(k, k->flavors);
			manifest_option(k->m, "      onFlavors: [f%" PRIu32 "]\n", named);
		}
		manifest_end(k->m);
	}
	manifest_end(k->m);
	return named;
}

/* The same in all versions of the queue. */
static void write_concurrent(struct maker *k, uint32_t queue)
{
	bool retains = (k->concurrent >> queue & 1) != 0 && queue % 3 == 2;

	manifest_part(k->m);
	manifest_text(k->m, "  concurrentAdmissionPolicy:\n    migration: {mode: %s}\n",
		      retains ? "RetainFirstAdmission" : "TryPreferredFlavors");
	manifest_end(k->m);
}

static void write_queue(struct maker *k, uint32_t queue, bool later)
{
	static const char *const stops[] = {"None", "Hold", "HoldAndDrain"};
	bool in_cohort = k->cohorts > 0 && !rarely(k, 8);
	uint32_t named;

	object(k, API, "ClusterQueue");
	manifest_text(k->m, "metadata:\n  name: q%" PRIu32 "\n", queue);
	if (later)
		write_at(k, true);
	else
		write_end(k);
	manifest_text(k->m, "spec:\n  namespaceSelector: {%s}\n",
		      rarely(k, 12) ? "matchLabels: {dept: ml}" : "");
	if (in_cohort)
		manifest_text(k->m, "  cohortName: c%" PRIu32 "\n", below(k, k->cohorts));
	if (rarely(k, 3) && (k->concurrent >> queue & 1) == 0)
		manifest_option(k->m, "  queueingStrategy: StrictFIFO\n");
	if ((k->concurrent >> queue & 1) != 0)
		write_concurrent(k, queue);
	if (!rarely(k, 5))
		write_preemption(k);
	if (rarely(k, 2))
		write_fungibility(k);
	if (k->fair)
		write_weight(k);
	if (k->afs && rarely(k, 2))
		manifest_option(k->m, "  admissionScope: {admissionMode: "
				      "UsageBasedAdmissionFairSharing}\n");
	named = write_check_names(k);
	if (rarely(k, later ? 2 : 12))
		manifest_option(k->m, "  stopPolicy: %s\n", pick(k, stops, 3));
	write_groups(k, named, false, in_cohort);
}

static void write_local_queue(struct maker *k, uint32_t queue, uint32_t local, const char *ns,
			      bool later)
{
	static const char *const stops[] = {"None", "Hold", "HoldAndDrain"};

	object(k, API, "LocalQueue");
	manifest_text(k->m, "metadata:\n  name: l%" PRIu32 "-%" PRIu32 "\n  namespace: %s\n", queue,
		      local, ns);
	if (later)
		write_at(k, true);
	else
		write_end(k);
	manifest_text(k->m, "spec:\n  clusterQueue: q%" PRIu32 "\n", queue);
	if (k->afs)
		write_weight(k);
	if (rarely(k, later ? 2 : 20))
		manifest_option(k->m, "  stopPolicy: %s\n", pick(k, stops, 3));
}

static void write_change(struct maker *k)
{
	uint32_t queue = below(k, k->queues);

	if (rarely(k, 3))
		write_local_queue(k, queue, below(k, k->local_queues[queue]), "default", true);
	else if (k->cohorts > 0 && rarely(k, 3))
		write_cohort(k, below(k, k->cohorts), true);
	else if (rarely(k, 6))
		write_flavor(k, below(k, k->flavors), true);
	else if (k->topology && rarely(k, 6))
		write_topology_object(k, true);
	else
		write_queue(k, queue, true);
}

static void write_queues(struct maker *k)
{
	for (uint32_t i = 0; i < k->cohorts; i++)
		write_cohort(k, i, false);
	for (uint32_t i = 0; i < k->queues; i++) {
		write_queue(k, i, false);
		k->local_queues[i] = 1 + below(k, 2);
		for (uint32_t l = 0; l < k->local_queues[i]; l++) {
			write_local_queue(k, i, l, "default", false);
			write_local_queue(k, i, l, "ml", false);
		}
	}
	for (uint32_t i = k->changes ? below(k, 5) : 0; i > 0; i--)
		write_change(k);
}

/* Bits of the queues whose jobs pursue all flavors at once, in one of five systems. Numbers of
 * their own, so that the others are what they were. */
static uint32_t concurrent_queues(uint64_t seed)
{
	struct rng *rng = rng_new(seed, "concurrent");
	uint32_t queues = rng_below(rng, 5) == 0 ? 1 + (uint32_t)rng_below(rng, 31) : 0;

	rng_free(rng);
	return queues;
}

struct manifest *random_system(uint64_t seed)
{
	struct maker k = {.m = manifest_new(), .rng = rng_new(seed, "system")};

	k.queues = 1 + below(&k, QUEUES_MAX);
	k.cohorts = below(&k, COHORTS_MAX + 1);
	k.flavors = 1 + below(&k, FLAVORS_MAX);
	k.fair = rarely(&k, 3);
	k.afs = rarely(&k, 6);
	k.topology = rarely(&k, 5);
	k.checks = rarely(&k, 5);
	k.ready = rarely(&k, 3);
	k.block = rarely(&k, 2);
	k.provisions = rarely(&k, 5);
	k.controllers = rarely(&k, 3);
	k.places = k.topology || k.provisions || rarely(&k, 2);
	k.nodes = k.places ? 1 + below(&k, 5) : 0;
	k.memory = rarely(&k, 4);
	k.changes = rarely(&k, 3);
	k.lifecycles = k.ready || rarely(&k, 6);
	k.concurrent = k.memory ? 0 : concurrent_queues(seed);
	write_simulation(&k);
	write_configuration(&k);
	write_small_objects(&k);
	for (uint32_t f = 0; f < k.flavors; f++)
		write_flavor(&k, f, false);
	if (k.memory) {
		object(&k, API, "ResourceFlavor");
		manifest_text(k.m, "metadata: {name: m}\n");
	}
	if (k.places)
		write_nodes(&k);
	write_queues(&k);
	random_work(&k);
	rng_free(k.rng);
	return k.m;
}
