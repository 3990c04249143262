/* manifest_facts.c - what gqsim understands of manifests: the objects, field by field.
 *
 * Usage: manifest_facts FILE
 * Prints a line a fact, in the order of the kinds below; what has errors is left out, as
 * gqsim check does. Exit 2 if nothing of the file can be read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/num.h"
#include "core/res.h"
#include "sim/input/input.h"

static const char *text(const struct scenario *s, uint32_t string)
{
	return string == NAME_NONE ? "-" : scenario_string(s, string);
}

static const char *amount(uint32_t resource, int64_t value, char buf[NUM_QUANTITY_TEXT])
{
	if (value == QUOTA_ABSENT)
		return "-";
	return num_format_quantity(value, resource == RES_CPU ? NUM_MILLI : NUM_DECIMAL, buf);
}

static void print_labels(const struct scenario *s, const struct label_set *labels)
{
	for (uint32_t i = 0; i < labels->count; i++)
		printf(" %s=\"%s\"", text(s, labels->items[i].key),
		       text(s, labels->items[i].value));
}

static void print_groups(const struct scenario *s, const struct resource_group *groups,
			 uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		const struct resource_group *group = &groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			uint32_t resource = group->resources[i % group->resource_count];
			char nominal[NUM_QUANTITY_TEXT], borrowing[NUM_QUANTITY_TEXT],
				lending[NUM_QUANTITY_TEXT];

			printf("  quota %s %s nominal=%s borrowing=%s lending=%s\n",
			       text(s, group->flavor_names[i / group->resource_count]),
			       name_text(s->resources, resource),
			       amount(resource, group->cells[i].nominal, nominal),
			       amount(resource, group->cells[i].borrowing_limit, borrowing),
			       amount(resource, group->cells[i].lending_limit, lending));
		}
	}
}

static const char *cohort_name(const struct scenario *s, uint32_t cohort)
{
	return cohort == SCENARIO_NONE ? "-" : text(s, s->cohorts[cohort].name);
}

static void print_queues(const struct scenario *s)
{
	static const char *const policies[] = {"Never", "LowerPriority",
					       "LowerOrNewerEqualPriority", "Any"};

	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		const struct cluster_queue *q = &s->cluster_queues[i];

		printf("ClusterQueue %s cohort=%s strategy=%s selector=%s expressions=%u "
		       "reclaim=%s within=%s\n",
		       text(s, q->name), cohort_name(s, q->cohort),
		       q->strategy == QUEUE_STRICT_FIFO ? "StrictFIFO" : "BestEffortFIFO",
		       q->namespace_selector.present ? "given" : "nothing",
		       q->namespace_selector.expression_count, policies[q->reclaim_within_cohort],
		       policies[q->within_cluster_queue]);
		print_groups(s, q->groups, q->group_count);
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		const struct cohort *c = &s->cohorts[i];

		printf("Cohort %s parent=%s\n", text(s, c->name), cohort_name(s, c->parent));
		print_groups(s, c->groups, c->group_count);
	}
	for (uint32_t i = 0; i < s->local_queue_count; i++)
		printf("LocalQueue %s/%s of %s\n", text(s, s->local_queues[i].ns),
		       text(s, s->local_queues[i].name),
		       text(s, s->local_queues[i].cluster_queue_name));
}

static void print_hardware(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->flavor_count; i++) {
		printf("ResourceFlavor %s", text(s, s->flavors[i].name));
		print_labels(s, &s->flavors[i].node_labels);
		printf("\n");
	}
	for (uint32_t i = 0; i < s->topology_count; i++) {
		printf("Topology %s", text(s, s->topologies[i].name));
		for (uint32_t k = 0; k < s->topologies[i].level_count; k++)
			printf(" %s", text(s, s->topologies[i].levels[k]));
		printf("\n");
	}
	for (uint32_t i = 0; i < s->node_count; i++) {
		printf("Node %s", text(s, s->nodes[i].name));
		for (uint32_t r = 0; r < s->resource_count; r++) {
			char value[NUM_QUANTITY_TEXT];

			printf(" %s=%s", name_text(s->resources, r),
			       amount(r, s->nodes[i].allocatable[r], value));
		}
		printf("\n");
	}
}

static void print_rules(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->priority_class_count; i++)
		printf("%s %s value=%" PRId32 "%s\n",
		       s->priority_classes[i].workload ? "WorkloadPriorityClass" : "PriorityClass",
		       text(s, s->priority_classes[i].name), s->priority_classes[i].value,
		       s->priority_classes[i].never_preempts ? " never preempts" : "");
	for (uint32_t i = 0; i < s->resource_quota_count; i++) {
		const struct resource_quota *q = &s->resource_quotas[i];

		printf("ResourceQuota %s/%s pods=%" PRId64, text(s, q->ns), text(s, q->name),
		       q->hard_pods);
		for (uint32_t r = 0; r < s->resource_count; r++) {
			char value[NUM_QUANTITY_TEXT];

			if (r != RES_PODS && q->hard[r] >= 0)
				printf(" %s=%s", name_text(s->resources, r),
				       amount(r, q->hard[r], value));
		}
		printf("\n");
	}
	if (s->config.given)
		printf("Configuration podsReadyTimeout=%" PRId64 "s block=%d requeueByCreation=%d "
		       "backoffLimit=%" PRId64 " backoffBase=%" PRId64
		       "s fairSharing=%d strategies=%d,%d excluded=%u transformations=%u\n",
		       s->config.pods_ready_timeout / CLOCK_SECOND, s->config.block_admission,
		       s->config.requeue_by_creation, s->config.requeue_limit,
		       s->config.requeue_base / CLOCK_SECOND, s->config.fair_sharing,
		       s->config.fair_strategies[0], s->config.fair_strategies[1],
		       s->config.excluded_prefix_count, s->config.transformation_count);
}

static void print_jobs(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->job_count; i++) {
		char name[SCENARIO_NAME_TEXT];

		printf("job %s/%s queue=%s pods=%u gpus=%u\n", text(s, s->jobs[i].common->ns),
		       scenario_job_name(s, i, name), text(s, s->jobs[i].common->queue),
		       s->jobs[i].common->pods, s->jobs[i].common->gpus);
	}
}

/* Its words are those of check, which the same row of the list can ask for. */
static void pass_over(void *context, const struct err *err)
{
	(void)context;
	(void)err;
}

int main(int argc, char **argv)
{
	const char *files[] = {argc == 2 ? argv[1] : NULL};
	const struct input_request request = {.files = files, .file_count = 1, .report = pass_over};
	struct scenario *s = NULL;
	struct err err = {.code = ERR_OK};
	char words[1024];

	if (argc != 2 || input_load(&request, &s, NULL, &err) != ERR_OK) {
		err_format(&err, words, sizeof(words));
		fprintf(stderr, "manifest_facts: %s\n",
			argc == 2 ? words : "usage: manifest_facts FILE");
		return 2;
	}
	print_queues(s);
	print_hardware(s);
	print_rules(s);
	print_jobs(s);
	scenario_free(s);
	return 0;
}
