/* run_case.h - objects in a string, run under a policy, audited: the journal as text. */
#ifndef TESTS_SIM_RUN_CASE_H
#define TESTS_SIM_RUN_CASE_H

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/fixture.h"

/* One node of so many GPUs. */
#define RUN_CASE_NODE(gpus)                                                                        \
	"apiVersion: v1\nkind: Node\nmetadata: {name: n" gpus "}\n"                                \
	"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: " gpus ", pods: 110}}\n"
/* A ClusterQueue q of so many GPUs in one flavor, and a LocalQueue q in namespace default. */
#define RUN_CASE_QUEUE(gpus)                                                                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "     \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: " gpus "}]}]}]}\n"   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"
/* The spec.template of pods of one GPU. */
#define RUN_CASE_TEMPLATE                                                                          \
	"template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
/* A Job in namespace default; annotations and spec are the insides of maps. */
#define RUN_CASE_JOB(name, annotations, spec)                                                      \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name ", annotations: "           \
	"{" annotations "}}\nspec: {" spec ", " RUN_CASE_TEMPLATE "}\n"
/* The same in the queue q. */
#define RUN_CASE_QUEUED(name, annotations, spec)                                                   \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", labels: {kueue.x-k8s.io/queue-name: q}, annotations: {" annotations "}}\nspec: {" spec  \
	", " RUN_CASE_TEMPLATE "}\n"

struct run_case {
	struct scenario *s;
	struct journal *journal;
	char *text; /* of the journal */
};

/* The scenario is freed with the case. */
static inline struct run_case run_case_of(struct scenario *s, const char *policy,
					  const struct run_options *options)
{
	struct run_case c = {.s = s};
	static struct audit audit;
	char wrong[AUDIT_TEXT];
	struct err err = {0};

	ck_assert_int_eq(
		engine_run(c.s, policy_find(policy), options, JOURNAL_FULL, &c.journal, &err),
		ERR_OK);
	c.text = fixture_print(c.journal);
	if (!audit_check(c.journal, &audit))
		ck_abort_msg("%s in:\n%s", audit_text(c.journal, &audit.listed[0], wrong), c.text);
	return c;
}

static inline struct run_case run_case_with(const char *yaml, const char *policy,
					    const struct run_options *options)
{
	return run_case_of(objects_case_load(yaml), policy, options);
}

static inline struct run_case run_case(const char *yaml, const char *policy)
{
	struct run_options options;

	options_default(&options);
	return run_case_with(yaml, policy, &options);
}

static inline void run_case_free(struct run_case *c)
{
	free(c->text);
	journal_free(c->journal);
	scenario_free(c->s);
}

static inline void run_case_has(const struct run_case *c, const char *lines)
{
	ck_assert_msg(strstr(c->text, lines) != NULL, "no \"%s\" in:\n%s", lines, c->text);
}

static inline void run_case_lacks(const struct run_case *c, const char *words)
{
	ck_assert_msg(strstr(c->text, words) == NULL, "\"%s\" in:\n%s", words, c->text);
}

#endif
