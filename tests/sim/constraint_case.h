/* constraint_case.h - clusters written as manifests, and what is bound in them: for
 * the tests of what pods ask of their place.
 *
 * Nodes n0 and n1 are in zone a, n2 in zone b, n3 has no zone.
 */
#ifndef TESTS_SIM_CONSTRAINT_CASE_H
#define TESTS_SIM_CONSTRAINT_CASE_H

#include "sim/kube/kube_match.h"
#include "sim/kube/kube_peers.h"
#include "tests/sim/objects_case.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

#define NODE_STATUS                                                                                \
	"status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110', nvidia.com/gpu: '8'}}\n"
#define NODE(name, labels)                                                                         \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels             \
	"}}\n" NODE_STATUS
#define NODES                                                                                      \
	NODE("n0", ZONE ": a, disk: fast")                                                         \
	NODE("n1", ZONE ": a") NODE("n2", ZONE ": b") NODE("n3", "other: x")

/* pods of one GPU each with labels; spec: more of the pod's spec, in flow style, with
 * a comma before it. */
#define JOB_IN(ns, name, pods, labels, spec)                                                       \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name ", namespace: " ns          \
	", annotations: {gqsim/duration: '100'}}\nspec: {parallelism: " pods                       \
	", template: {metadata: {labels: {" labels                                                 \
	"}}, spec: {containers: [{name: c, resources: {requests: {cpu: '1', memory: 1Gi}, "        \
	"limits: {nvidia.com/gpu: '1'}}}]" spec "}}}\n"
#define JOB(name, pods, labels, spec) JOB_IN("default", name, pods, labels, spec)

#define REQUIRED       "requiredDuringSchedulingIgnoredDuringExecution: "
#define PREFERRED      "preferredDuringSchedulingIgnoredDuringExecution: "
#define SELECTS(label) "labelSelector: {matchLabels: {" label "}}"
#define NEAR(term)     ", affinity: {podAffinity: {" REQUIRED "[{" term "}]}}"
#define FAR(term)      ", affinity: {podAntiAffinity: {" REQUIRED "[{" term "}]}}"
#define SPREAD(rule)   ", topologySpreadConstraints: [{" rule "}]"

struct constraint_case {
	struct scenario *s;
	struct run_options options;
	struct journal *journal;
	struct world world;
	struct kube_match *match;
	struct kube_peers *peers; /* NULL */
};

static inline void constraint_case_open(struct constraint_case *c, const char *text)
{
	c->s = objects_case_load(text);
	options_default(&c->options);
	c->journal = journal_new(c->s, "test", JOURNAL_FULL);
	world_init(&c->world, c->s, &c->options, c->journal);
	for (uint32_t job = 0; job < c->s->job_count; job++)
		world_begin(&c->world, job);
	c->match = kube_match_new(&c->world);
	c->peers = kube_peers_new(&c->world);
}

static inline void constraint_case_close(struct constraint_case *c)
{
	kube_peers_free(c->peers);
	kube_match_free(c->match);
	world_free(&c->world);
	journal_free(c->journal);
	scenario_free(c->s);
}

/* The slot of a pod, by its job's name. */
static inline uint32_t constraint_case_pod(const struct constraint_case *c, const char *job,
					   uint32_t index)
{
	for (uint32_t i = 0; i < c->s->job_count; i++) {
		if (strcmp(scenario_string(c->s, c->s->jobs[i].name), job) == 0)
			return c->journal->first_pod[i] + index;
	}
	ck_abort_msg("no job %s", job);
	return 0;
}

static inline uint32_t constraint_case_kind(const struct constraint_case *c, const char *job)
{
	return c->peers->kind_of[constraint_case_pod(c, job, 0)];
}

static inline uint32_t constraint_case_group(struct constraint_case *c, const char *job)
{
	return kube_match_group(c->match, constraint_case_pod(c, job, 0));
}

static inline void constraint_case_bind(struct constraint_case *c, const char *job, uint32_t index,
					uint32_t node)
{
	uint32_t pod = constraint_case_pod(c, job, index);

	c->world.pods[pod].phase = POD_BOUND;
	c->world.pods[pod].node = node;
	cluster_add(&c->world.usage, node, &c->s->shapes[c->world.pods[pod].shape]);
	kube_peers_bound(c->peers, pod, node);
}

#endif
