/* kube_load.c - clusters and jobs that are hard on plain Kubernetes, for benchmarks.
 *
 * Usage: kube_load SCENARIO nodes > nodes.yaml; kube_load SCENARIO jobs > jobs
 * The names are in the table at the end. The same bytes each time.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Numbers that look like chance; splitmix64. */
static uint64_t state = 42;

static unsigned below(unsigned bound)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((z ^ z >> 31) % bound);
}

/* ---- nodes ---- */

static void put_node(unsigned i, const char *labels, const char *spec, unsigned gpus)
{
	printf("---\napiVersion: v1\nkind: Node\nmetadata: {name: n%u, labels: {"
	       "kubernetes.io/hostname: n%u, topology.kubernetes.io/zone: z%u%s}}\nspec: {%s}\n"
	       "status: {allocatable: {cpu: '64', memory: 512Gi, nvidia.com/gpu: '%u', pods: "
	       "'110'}}\n",
	       i, i, i % 3, labels, spec, gpus);
}

static void plain_nodes(unsigned count, unsigned gpus)
{
	for (unsigned i = 0; i < count; i++)
		put_node(i, "", "", gpus);
}

static void large(void)
{
	plain_nodes(5000, 8);
}

static void two(void)
{
	plain_nodes(2, 8);
}

static void two_with_quota(void)
{
	two();
	printf("---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: "
	       "default}\nspec: {hard: {requests.nvidia.com/gpu: '16'}}\n");
}

/* 50 kinds of nodes; a fifth is tainted. */
static void fifty_classes(void)
{
	for (unsigned i = 0; i < 5000; i++) {
		char labels[64], spec[100] = "";

		snprintf(labels, sizeof(labels), ", model: m%u", i % 50);
		if (i % 5 == 0)
			snprintf(spec, sizeof(spec),
				 "taints: [{key: team, value: t%u, effect: NoSchedule}]", i % 50);
		put_node(i, labels, spec, 1u << (i % 4));
	}
}

static void with_priorities(void)
{
	plain_nodes(1000, 8);
	printf("---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\n"
	       "value: 1\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
	       "metadata: {name: high}\nvalue: 100\n");
}

/* ---- jobs ---- */

static void head(const char *more)
{
	printf("name,namespace,queue,submit_s,duration_s,priority_class,pods,requests%s\n", more);
}

static void put_job(unsigned i, unsigned submit, unsigned duration, const char *class,
		    unsigned pods, unsigned gpus)
{
	printf("j%u,default,q,%u,%u,%s,%u,nvidia.com/gpu=%u;cpu=%u;memory=%uGi", i, submit,
	       duration, class, pods, gpus, gpus * 4, gpus * 16 + below(4) * 8);
}

static void steady(void)
{
	head("");
	for (unsigned i = 0; i < 100000; i++) {
		put_job(i, i / 5, 600 + below(4000), "", 1, 1u << below(4));
		printf("\n");
	}
}

static void backlog(void)
{
	head("");
	for (unsigned i = 0; i < 5000; i++) {
		put_job(i, 0, 60 + below(600), "", 1 + below(2), 1u << below(4));
		printf("\n");
	}
}

static void decades(void)
{
	head("");
	put_job(0, 0, 1500000000, "", 1, 1);
	printf("\n");
	for (unsigned i = 1; i < 2000; i++) {
		put_job(i, i, 60, "", 1, 9 + i % 3);
		printf("\n");
	}
}

static void above_quota(void)
{
	head("");
	for (unsigned i = 0; i < 2000; i++) {
		put_job(i, 10 * i, 2000 + below(4000), "", 1 + below(2), 1u << below(4));
		printf("\n");
	}
}

static void victims(void)
{
	head("");
	for (unsigned i = 0; i < 8000; i++) {
		put_job(i, i / 100, 40000, "low", 1, 1);
		printf("\n");
	}
	for (unsigned i = 8000; i < 10000; i++) {
		put_job(i, 1000 + i, 3000 + below(3000), "high", 1, 1u << below(4));
		printf("\n");
	}
}

static void choosy(void)
{
	head(",node_selector,tolerations");
	for (unsigned i = 0; i < 100000; i++) {
		unsigned model = below(50);

		put_job(i, i / 4, 600 + below(2000), "", 1, 1u << below(3));
		printf(",");
		if (below(2) == 0)
			printf("model=m%u", model);
		printf(",");
		if (below(2) == 0)
			printf("team=t%u", model);
		printf("\n");
	}
}

static void put_manifest(unsigned i, unsigned submit, unsigned duration, unsigned pods,
			 const char *constraint)
{
	printf("---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j%u, annotations: {"
	       "gqsim/submit-at: '%u', gqsim/duration: '%u'}}\nspec: {parallelism: %u, "
	       "completions: "
	       "%u, template: {metadata: {labels: {app: a%u}}, spec: {containers: [{name: c, "
	       "resources: {requests: {cpu: '4', memory: 16Gi}, limits: {nvidia.com/gpu: '1'}}}], "
	       "%s}}}\n",
	       i, submit, duration, pods, pods, i % 200, constraint);
}

static void spread(void)
{
	for (unsigned i = 0; i < 1000; i++) {
		char constraint[300];

		snprintf(constraint, sizeof(constraint),
			 "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
			 "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, "
			 "labelSelector: {matchLabels: {app: a%u}}}, {maxSkew: 1, topologyKey: "
			 "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, "
			 "labelSelector: {matchLabels: {app: a%u}}}]",
			 i % 200, i % 200);
		put_manifest(i, i * 10, 1000 + below(3000), 100, constraint);
	}
}

static void apart(void)
{
	for (unsigned i = 0; i < 1000; i++) {
		char constraint[300];

		snprintf(constraint, sizeof(constraint),
			 "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuring"
			 "Execution: [{topologyKey: kubernetes.io/hostname, labelSelector: "
			 "{matchLabels: {app: a%u}}}]}}",
			 i % 200);
		put_manifest(i, i * 10, 1000 + below(3000), 100, constraint);
	}
}

/* ---- which ---- */

static const struct {
	const char *name;
	void (*nodes)(void);
	void (*jobs)(void);
} scenarios[] = {
	{"steady", large, steady},
	{"backlog", two, backlog},
	{"decades", two, decades},
	{"quota", two_with_quota, above_quota},
	{"victims", with_priorities, victims},
	{"classes", fifty_classes, choosy},
	{"spread", large, spread},
	{"apart", large, apart},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name) != 0)
			continue;
		if (strcmp(argv[2], "nodes") == 0)
			scenarios[i].nodes();
		else
			scenarios[i].jobs();
		return ferror(stdout) || fflush(stdout) != 0 ? 1 : 0;
	}
	fprintf(stderr, "usage: kube_load SCENARIO nodes|jobs\n");
	return 2;
}
