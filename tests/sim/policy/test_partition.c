/* test_partition.c - Who may use which nodes. */
#include "sim/policy/partition.h"

#include "sim/scenario/options.h"
#include "tests/sim/objects_case.h"

static const char cluster[] = "apiVersion: gqsim/v1\n"
			      "kind: Simulation\n"
			      "nodePools:\n"
			      "- {name: a, count: 2, gpus: 8, labels: {gqsim/virtual-cluster: a}}\n"
			      "- {name: b, count: 1, gpus: 8, labels: {gqsim/virtual-cluster: b}}\n"
			      "- {name: all, count: 1, gpus: 8}\n"
			      "jobs:\n"
			      "- {name: one, queue: c, duration: 1s, gpus: 1}\n"
			      "- {name: two, queue: a, duration: 1s, gpus: 1}\n"
			      "- {name: three, duration: 1s, gpus: 1}\n"
			      "- {name: four, queue: c, duration: 1s, gpus: 1}\n";

/* Nodes of the job's part, as 0 and 1. */
static void nodes_are(const struct partition *p, uint32_t job, const char *expected)
{
	const bool *nodes = partition_nodes(p, partition_of_job(p, job));

	for (uint32_t i = 0; expected[i] != '\0'; i++)
		ck_assert_msg(nodes[i] == (expected[i] == '1'), "job %u, node %u", job, i);
}

START_TEST(a_queue_with_nodes_of_its_own_uses_those_others_the_rest)
{
	struct scenario *s = objects_case_load(cluster);
	struct journal *journal = journal_new(s, "test", JOURNAL_FACTS);
	struct run_options options;
	struct world world;
	struct partition *p;

	options_default(&options);
	world_init(&world, s, &options, journal);
	p = partition_new(&world);
	ck_assert_uint_eq(partition_count(p), 3);
	nodes_are(p, 0, "0001");
	nodes_are(p, 1, "1100");
	nodes_are(p, 2, "0001");
	ck_assert_uint_eq(partition_of_job(p, 0), partition_of_job(p, 3));
	world.nodes[0].labels.count = 0;
	partition_node(p);
	nodes_are(p, 0, "1001");
	nodes_are(p, 1, "0100");
	partition_free(p);
	world_free(&world);
	journal_free(journal);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_queue_with_nodes_of_its_own_uses_those_others_the_rest);
	return objects_case_run("sim/policy/partition", t);
}
