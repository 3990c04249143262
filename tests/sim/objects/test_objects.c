/* test_objects.c - files of objects: documents, Lists, heads, and the corpus of odd
 * and realistic manifests (tests/corpus/EXPECTED.md). */
#include "sim/objects/objects.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define FLAVOR "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: %s}\n"

/* ---- the corpus ---- */

static const struct {
	const char *file;
	const char *message; /* of the error; NULL: it loads */
	uint32_t flavors, cluster_queues, cohorts, local_queues, nodes, jobs, findings;
	const char *finding; /* words of one of them; NULL */
} corpus[] = {
	{"odd/01-kubectl-get-list.yaml", NULL, 0, 1, 1, 1, 0, 0, 1, "ResourceFlavor \"h100\""},
	{"odd/02-typed-list.yaml", NULL, 2, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/03-json-list.json", NULL, 0, 0, 0, 0, 1, 0, 0, NULL},
	{"odd/04-anchors-aliases.yaml", NULL, 0, 2, 1, 0, 0, 0, 3, "unknown field \"x-defaults\""},
	{"odd/05-crlf.yaml", NULL, 0, 0, 0, 1, 0, 0, 1, NULL},
	{"odd/06-utf8-bom.yaml", NULL, 0, 0, 0, 1, 0, 0, 1, NULL},
	{"odd/07-empty-docs-comments.yaml", NULL, 2, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/08-tabs-INVALID.yaml",
	 "t:4:1: malformed YAML: found character that cannot start any token; the line is indented "
	 "with a tab: YAML wants spaces",
	 0, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/09-unknown-fields.yaml", NULL, 0, 1, 0, 0, 0, 0, 5,
	 "unknown field \"spec.resourceGroups[0].flavors[0].resources[0].borowingLimit\" is "
	 "ignored, as the API server would; did you mean \"borrowingLimit\"?"},
	{"odd/10-helm-leftovers-INVALID.yaml",
	 "t:1:3: malformed YAML: did not find expected node content; this looks like an unrendered "
	 "Helm template: render it first (helm template)",
	 0, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/11-helm-rendered.yaml", NULL, 1, 0, 0, 1, 0, 0, 1, NULL},
	{"odd/12-quantities.yaml", NULL, 0, 1, 1, 0, 0, 0, 1, NULL},
	{"odd/13-quantities-INVALID.yaml", NULL, 0, 0, 0, 0, 0, 0, 1,
	 "t:2:1: this is no Kubernetes object"},
	{"odd/14-no-namespace-selector.yaml", NULL, 0, 3, 0, 0, 0, 0, 5,
	 "\"nobody-either\" has no namespaceSelector"},
	{"odd/15-mixed-unrelated-kinds.yaml", NULL, 0, 0, 0, 0, 0, 2, 0, NULL},
	{"odd/16-hierarchy-v1alpha1.yaml", NULL, 0, 0, 2, 0, 0, 0, 2, NULL},
	{"odd/17-cohort-cycle-INVALID.yaml", NULL, 0, 0, 2, 0, 0, 0, 1,
	 "t:4:18: cohorts form a cycle (a -> b -> a): nothing below it is admitted"},
	{"odd/18-duplicates.yaml", NULL, 1, 0, 0, 0, 0, 0, 1, "the last one holds"},
	{"odd/19-duplicate-keys-INVALID.yaml",
	 "t:9:3: key \"resourceGroups\" already set in map, in line 6", 0, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/20-norway-and-friends.yaml", NULL, 1, 0, 0, 0, 0, 0, 0, NULL},
	{"odd/21-block-scalars-and-flow.yaml", NULL, 0, 2, 0, 0, 0, 0, 2, NULL},
	{"odd/22-invalid-spec-INVALID.yaml",
	 "t:9:44: ClusterQueue \"order\": spec.resourceGroups[0].flavors[0].resources[0]: "
	 "\"memory\": must match the name in coveredResources, in the same order",
	 0, 0, 0, 0, 0, 0, 0, NULL},
	{"realistic/01-two-team-h100-a100.yaml", NULL, 3, 2, 1, 2, 0, 0, 0, NULL},
	{"realistic/02-kubectl-get-workloads.json", NULL, 0, 0, 0, 0, 0, 3, 0, NULL},
	{"realistic/03-kubectl-get-nodes.yaml", NULL, 0, 0, 0, 0, 3, 0, 0, NULL},
	{"realistic/04-hierarchy-fair.yaml", NULL, 0, 2, 3, 1, 0, 0, 2, NULL},
	{"realistic/05-tas-three-levels.yaml", NULL, 1, 1, 0, 0, 0, 1, 4,
	 "names WorkloadPriorityClass \"prod\" in a label"},
	{"realistic/06-manager-config.yaml", NULL, 0, 0, 0, 0, 0, 0, 0, NULL},
	{"realistic/07-one-file-repo.yaml", NULL, 1, 1, 1, 1, 0, 0, 2, "RoleBinding"},
};

static struct objects_case read_file(const char *file)
{
	static char text[100000];
	char path[200];
	FILE *f;
	size_t len;

	snprintf(path, sizeof(path), "tests/corpus/%s", file);
	f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	return objects_case_bytes(text, len, false);
}

START_TEST(a_file_of_the_corpus)
{
	struct objects_case c = read_file(corpus[_i].file);
	const struct scenario *s = c.s;

	if (corpus[_i].message != NULL) {
		ck_assert_int_ne(c.code, ERR_OK);
		ck_assert_str_eq(c.message, corpus[_i].message);
		return;
	}
	ck_assert_msg(c.code == ERR_OK, "%s: %s", corpus[_i].file, c.message);
	ck_assert_uint_eq(s->flavor_count, corpus[_i].flavors);
	ck_assert_uint_eq(s->cluster_queue_count, corpus[_i].cluster_queues);
	ck_assert_uint_eq(s->cohort_count, corpus[_i].cohorts);
	ck_assert_uint_eq(s->local_queue_count, corpus[_i].local_queues);
	ck_assert_uint_eq(s->node_count, corpus[_i].nodes);
	ck_assert_uint_eq(s->job_count, corpus[_i].jobs);
	ck_assert_uint_eq(objects_case_findings(s), corpus[_i].findings);
	if (corpus[_i].finding != NULL)
		ck_assert_msg(objects_case_finding(s, corpus[_i].finding) != NULL, "%s",
			      corpus[_i].file);
	scenario_free(c.s);
}
END_TEST

static struct scenario *load_file(const char *file)
{
	struct objects_case c = read_file(file);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	return c.s;
}

static const struct quota_cell *first_cell(const struct scenario *s, uint32_t queue)
{
	return &s->cluster_queues[queue].groups[0].cells[0];
}

START_TEST(aliases_and_merges)
{
	struct scenario *s = load_file("odd/04-anchors-aliases.yaml");

	ck_assert_int_eq(first_cell(s, 0)->nominal, 16);
	ck_assert_int_eq(first_cell(s, 0)->borrowing_limit, 16);
	ck_assert_int_eq(s->cluster_queues[1].within_cluster_queue, PREEMPT_LOWER_PRIORITY);
	ck_assert_int_eq(s->cluster_queues[1].reclaim_within_cohort, PREEMPT_ANY);
	ck_assert_int_eq(s->cluster_queues[1].borrow_within_cohort, PREEMPT_NEVER);
	scenario_free(s);
}
END_TEST

/* As the server would: what is misspelt is not there. */
START_TEST(unknown_fields_are_dropped)
{
	struct scenario *s = load_file("odd/09-unknown-fields.yaml");

	ck_assert_uint_eq(s->cluster_queues[0].cohort, SCENARIO_NONE);
	ck_assert_int_eq(s->cluster_queues[0].strategy, QUEUE_BEST_EFFORT_FIFO);
	ck_assert_int_eq(first_cell(s, 0)->borrowing_limit, QUOTA_ABSENT);
	scenario_free(s);
}
END_TEST

START_TEST(spelled_quantities)
{
	struct scenario *s = load_file("odd/12-quantities.yaml");
	const struct quota_cell *cells = s->cluster_queues[0].groups[0].cells;
	static const struct {
		int64_t nominal, borrowing;
	} expected[] = {
		{500, 500},
		{INT64_C(1932735283200), INT64_C(1649267441664)},
		{1000, 1000},
		{16, 16},
		{INT64_C(1000000000000000000), QUOTA_ABSENT},
		{8, QUOTA_ABSENT},
		{1000, QUOTA_ABSENT},
		{5, QUOTA_ABSENT},
	};

	for (int i = 0; i < ROWS(expected); i++) {
		ck_assert_int_eq(cells[i].nominal, expected[i].nominal);
		ck_assert_int_eq(cells[i].borrowing_limit, expected[i].borrowing);
	}
	ck_assert_int_eq(cells[0].lending_limit, 250);
	scenario_free(s);
}
END_TEST

START_TEST(a_configuration_in_a_config_map)
{
	struct scenario *s = load_file("odd/15-mixed-unrelated-kinds.yaml");
	const struct kueue_config *config = &s->config;

	ck_assert(config->given);
	ck_assert_int_eq(config->pods_ready_timeout, 10 * CLOCK_MINUTE);
	ck_assert_int_eq(config->recovery_timeout, 10 * CLOCK_MINUTE);
	ck_assert(config->block_admission);
	ck_assert(config->requeue_by_creation);
	ck_assert_int_eq(config->requeue_limit, 5);
	ck_assert_int_eq(config->requeue_base, 30 * CLOCK_SECOND);
	ck_assert(config->fair_sharing);
	ck_assert_uint_eq(config->excluded_prefix_count, 1);
	ck_assert_uint_eq(config->transformation_count, 1);
	ck_assert(config->transformations[0].replace);
	ck_assert_int_eq(s->priority_classes[0].value, -10);
	ck_assert(s->priority_classes[0].never_preempts);
	ck_assert_int_eq(s->resource_quotas[0].hard[RES_GPU], 4);
	ck_assert_int_eq(s->resource_quotas[0].hard_pods, 20);
	ck_assert_uint_eq(s->job_count, 2); /* each replica of a queue is a job */
	ck_assert_uint_eq(s->jobs[0].common->pods, 1);
	ck_assert_uint_eq(s->jobs[0].common->gpus, 1); /* limits count as requests */
	ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
	scenario_free(s);
}
END_TEST

START_TEST(words_stay_texts)
{
	struct scenario *s = load_file("odd/20-norway-and-friends.yaml");
	static const char *const expected[] = {"no", "1", "8", "1e3", "0123456"};

	for (uint32_t i = 0; i < 5; i++)
		ck_assert_str_eq(objects_case_text(s, s->flavors[0].node_labels.items[i].value),
				 expected[i]);
	scenario_free(s);
}
END_TEST

START_TEST(nodes_as_kubectl_prints_them)
{
	struct scenario *s = load_file("realistic/03-kubectl-get-nodes.yaml");

	ck_assert_int_eq(s->nodes[0].gpus, 7); /* allocatable, not capacity */
	ck_assert_int_eq(s->nodes[0].allocatable[RES_CPU], 191450);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_PODS], 100);
	ck_assert_str_eq(objects_case_text(s, s->nodes[0].zone), "zone-a");
	ck_assert_str_eq(objects_case_text(s, s->nodes[0].pool), "NVIDIA-H100-80GB-HBM3");
	ck_assert(s->nodes[0].ready && !s->nodes[0].unschedulable);
	ck_assert(s->nodes[1].unschedulable);
	ck_assert(!s->nodes[2].ready);
	ck_assert_int_eq(s->nodes[2].gpus, 0);
	scenario_free(s);
}
END_TEST

START_TEST(a_job_with_everything)
{
	struct scenario *s = load_file("realistic/05-tas-three-levels.yaml");
	const struct job *job = &s->jobs[0];
	const struct pod_set *set = &s->pod_sets[job->common->first_pod_set];
	const struct pod_shape *shape = &s->shapes[set->shape];

	ck_assert_str_eq(objects_case_text(s, job->name), "pretrain-0");
	ck_assert_uint_eq(job->common->pods, 18);
	ck_assert_uint_eq(set->min_count, 8);
	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_str_eq(objects_case_text(s, shape->topology_level),
			 "cloud.example.com/topology-rack");
	ck_assert_str_eq(objects_case_text(s, shape->slice_level), "kubernetes.io/hostname");
	ck_assert_uint_eq(shape->slice_size, 2);
	/* max(40 + 0.25 + sidecar 0.5, init 60) + overhead 0.1 */
	ck_assert_int_eq(shape->request[RES_CPU], 60100);
	ck_assert_int_eq(shape->request[RES_MEMORY],
			 (INT64_C(400) << 30) + (INT64_C(256) << 20) + (INT64_C(64) << 20));
	ck_assert_int_eq(shape->request[RES_GPU], 4);
	ck_assert_uint_eq(job->common->gpus, 72);
	scenario_free(s);
}
END_TEST

/* ---- documents and heads ---- */

START_TEST(lists_in_lists)
{
	struct scenario *s = objects_case_load(
		"kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items:\n"
		"  - {kind: Namespace, apiVersion: v1, metadata: {name: a}}\n"
		"- {kind: Namespace, apiVersion: v1, metadata: {name: b}}\n");

	ck_assert_uint_eq(s->namespace_count, 2);
	ck_assert_str_eq(scenario_string(s, s->namespaces[1].name), "b");
	scenario_free(s);
}
END_TEST

START_TEST(generated_names)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: Node\nmetadata: {generateName: n-}\n---\n"
		"apiVersion: v1\nkind: Node\nmetadata: {generateName: n-}\n---\n"
		"apiVersion: v1\nkind: Node\nmetadata: {generateName: n-, name: fixed}\n");

	ck_assert_uint_eq(s->node_count, 3);
	ck_assert_str_eq(scenario_string(s, s->nodes[0].name), "n-0");
	ck_assert_str_eq(scenario_string(s, s->nodes[1].name), "n-1");
	ck_assert_str_eq(scenario_string(s, s->nodes[2].name), "fixed");
	scenario_free(s);
}
END_TEST

START_TEST(kinds_that_are_not_modelled)
{
	static const char text[] =
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n"
		"apiVersion: tekton.dev/v1\nkind: PipelineRun\nmetadata: {name: b}\n---\n"
		"apiVersion: v1\nkind: Service\nmetadata: {name: c}\n---\n"
		"apiVersion: other.io/v1\nkind: ClusterQueue\nmetadata: {name: d}\n";
	struct objects_case c = objects_case(text);

	ck_assert_int_eq(c.code, ERR_OK);
	ck_assert_uint_eq(c.s->finding_count, 1);
	ck_assert_int_eq(c.s->findings[0].kind, FINDING_NOT_MODELLED);
	ck_assert_str_eq(
		scenario_string(c.s, c.s->findings[0].text),
		"t:1:1: Service (2 times), PipelineRun, ClusterQueue: not modelled, skipped");
	scenario_free(c.s);
	c = objects_case_bytes(text, sizeof(text) - 1, true);
	ck_assert_int_eq(c.code, ERR_UNKNOWN);
	ck_assert_str_eq(c.message, "t:1:1: Service is not modelled, and --strict was given");
}
END_TEST

/* What would have a say in the outcome is named by itself. */
START_TEST(kinds_that_would_matter)
{
	struct scenario *s = objects_case_load(
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: MultiKueueCluster\nmetadata: {name: "
		"b}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: "
		"{name: c}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: d}\n");

	ck_assert_uint_eq(s->finding_count, 3);
	ck_assert_str_eq(scenario_string(s, s->findings[0].text),
			 "t:5:1: MultiKueueCluster: not modelled, skipped");
	ck_assert_str_eq(scenario_string(s, s->findings[1].text),
			 "t:9:1: ResourceClaimTemplate: not modelled, skipped");
	ck_assert_str_eq(scenario_string(s, s->findings[2].text),
			 "t:1:1: Service, Secret: not modelled, skipped");
	scenario_free(s);
}
END_TEST

START_TEST(every_skipped_kind)
{
	static const char text[] = "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: "
				   "Secret\n";
	const struct source source = {.name = "t", .data = text, .size = sizeof(text) - 1};
	struct builder *builder = builder_new();
	struct objects *objects = objects_new(builder, false);
	struct scenario *s = NULL;
	struct err err;

	objects_list_skipped(objects);
	ck_assert_int_eq(objects_read(objects, &source, &err), ERR_OK);
	objects_finish(objects);
	objects_free(objects);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->finding_count, 2);
	scenario_free(s);
}
END_TEST

struct told {
	char text[2000];
};

static void tell(void *context, const struct err *err)
{
	struct told *told = context;
	size_t used = strlen(told->text);

	err_format(err, told->text + used, sizeof(told->text) - used);
	strcat(told->text, "\n");
}

/* With a report every error is told, and what has none is there. */
START_TEST(keep_going)
{
	static const char text[] = "apiVersion: v1\nkind: Node\nmetadata: {name: A}\n---\n"
				   "apiVersion: v1\nkind: Node\nmetadata: {name: fine}\n---\n"
				   "apiVersion: v1\nkind: Node\nmetadata: {name: B}\n";
	const struct source source = {.name = "t", .data = text, .size = sizeof(text) - 1};
	struct builder *builder = builder_new();
	struct objects *objects = objects_new(builder, false);
	struct told told = {""};
	struct err err;

	objects_keep_going(objects, tell, &told);
	ck_assert_int_eq(objects_read(objects, &source, &err), ERR_OK);
	ck_assert_ptr_nonnull(strstr(told.text, "t:3:18: Node \"A\""));
	ck_assert_ptr_nonnull(strstr(told.text, "t:11:18: Node \"B\""));
	ck_assert(builder_has_nodes(builder));
	objects_free(objects);
	builder_free(builder);
}
END_TEST

START_TEST(names)
{
	static const struct {
		const char *name;
		bool good;
	} rows[] = {
		{"a", true},	{"a.b-c9", true}, {"9", false} /* a number */,
		{"9a", true},	{"-a", false},	  {"a-", false},
		{".a", false},	{"a_b", false},	  {"A", false},
		{"a b", false}, {"\"\"", false},  {"\xc3\xa9", false},
	};

	for (int i = 0; i < ROWS(rows); i++) {
		char text[300];
		struct objects_case c;

		snprintf(text, sizeof(text), FLAVOR, rows[i].name);
		c = objects_case(text);
		ck_assert_msg((c.code == ERR_OK) == rows[i].good, "%s: %s", rows[i].name,
			      c.message);
		scenario_free(c.s);
	}
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, a_file_of_the_corpus, 0, ROWS(corpus));
	tcase_add_test(t, aliases_and_merges);
	tcase_add_test(t, unknown_fields_are_dropped);
	tcase_add_test(t, spelled_quantities);
	tcase_add_test(t, a_configuration_in_a_config_map);
	tcase_add_test(t, words_stay_texts);
	tcase_add_test(t, nodes_as_kubectl_prints_them);
	tcase_add_test(t, a_job_with_everything);
	tcase_add_test(t, lists_in_lists);
	tcase_add_test(t, generated_names);
	tcase_add_test(t, kinds_that_are_not_modelled);
	tcase_add_test(t, kinds_that_would_matter);
	tcase_add_test(t, every_skipped_kind);
	tcase_add_test(t, keep_going);
	tcase_add_test(t, names);
	return objects_case_run("sim/objects/objects", t);
}
