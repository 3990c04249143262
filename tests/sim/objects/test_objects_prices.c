/* test_objects_prices.c - Prices documents, and which price a node gets. */
#include "sim/scenario/prices.h"
#include "tests/sim/objects_case.h"

#define HEAD "apiVersion: gqsim/v1\nkind: Prices\ndate: 2026-11-29\nnodes:\n"
#define P5                                                                                         \
	"- {instanceType: p5.48xlarge, gpuModel: H100, gpus: 8, usdPerHour: 55.04, "               \
	"spotDiscount: {least: 50, most: 65}, reservedDiscount: {least: 35, most: 40}}\n"
#define A100 "- {gpuModel: A100, gpus: 8, usdPerHour: 21.96}\n"
#define NODE(name, labels, gpus, notes)                                                            \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels             \
	"}, annotations: {" notes "}}\nstatus: {allocatable: {nvidia.com/gpu: " gpus "}}\n"

static const struct {
	const char *labels, *gpus, *notes;
	int64_t want;
} nodes[] = {
	{"node.kubernetes.io/instance-type: p5.48xlarge", "8", "", 55040000},
	{"beta.kubernetes.io/instance-type: p5.48xlarge", "8", "", 55040000},
	{"node.kubernetes.io/instance-type: p5.48xlarge, karpenter.sh/capacity-type: spot", "8", "",
	 27520000},
	{"node.kubernetes.io/instance-type: p5.48xlarge, karpenter.sh/capacity-type: on-demand",
	 "8", "", 55040000},
	{"nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3", "4", "", 27520000},
	{"nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB", "8", "", 21960000},
	{"nvidia.com/gpu.product: NVIDIA-H1000", "8", "", 0},
	{"gqsim/pool: p5.48xlarge", "8", "", 55040000},
	{"node.kubernetes.io/instance-type: m5.large", "0", "", 0},
	{"node.kubernetes.io/instance-type: p5.48xlarge", "8", "gqsim/usd-per-hour: \"12.5\"",
	 12500000},
};

START_TEST(the_price_of_a_node)
{
	char text[2000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 HEAD P5 A100 "---\napiVersion: v1\nkind: Node\nmetadata: {name: m, labels: {%s}, "
			      "annotations: {%s}}\nstatus: {allocatable: {nvidia.com/gpu: %s}}\n",
		 nodes[_i].labels, nodes[_i].notes, nodes[_i].gpus);
	s = objects_case_load(text);
	ck_assert_int_eq(s->nodes[0].micro_usd_per_hour, nodes[_i].want);
	ck_assert_str_eq(scenario_string(s, s->price_date), "2026-11-29");
	scenario_free(s);
}
END_TEST

START_TEST(the_last_price_holds)
{
	struct scenario *s = objects_case_load(
		HEAD P5 "---\n" HEAD
			"- {instanceType: p5.48xlarge, gpus: 8, usdPerHour: 40}\n" NODE(
				"m", "node.kubernetes.io/instance-type: p5.48xlarge", "8", ""));

	ck_assert_int_eq(s->nodes[0].micro_usd_per_hour, 40000000);
	ck_assert_int_eq(prices_reserved(&s->prices[0], &s->nodes[0]), 35776000);
	ck_assert_int_eq(prices_reserved(&s->prices[1], &s->nodes[0]), 40000000);
	scenario_free(s);
}
END_TEST

START_TEST(nodes_without_a_price_are_told)
{
	struct scenario *s =
		objects_case_load(HEAD P5 NODE("a", "node.kubernetes.io/instance-type: p5.48xlarge",
					       "8", "") NODE("b", "a: b", "8", ""));

	ck_assert_ptr_nonnull(objects_case_finding(s, "1 of 2 nodes with GPUs have no price"));
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} wrong[] = {
	{"apiVersion: gqsim/v1\nkind: Prices\nnodes: []\n", "t:1:1: Prices: date is missing"},
	{HEAD "- {gpus: 8, usdPerHour: 1}\n",
	 "t:5:3: Prices: nodes[0]: say of which nodes: instanceType or gpuModel"},
	{HEAD "- {gpuModel: H100, gpus: 0, usdPerHour: 1}\n",
	 "t:5:26: Prices: nodes[0].gpus: 0 is not between 1 and 1000000"},
	{HEAD "- {gpuModel: H100, gpus: 8, usdPerHour: 0}\n",
	 "t:5:41: Prices: nodes[0].usdPerHour: must be more than 0"},
	{HEAD "- {gpuModel: H100, gpus: 8, usdPerHour: 1, spotDiscount: {least: 70, most: 60}}\n",
	 "t:5:58: Prices: nodes[0].spotDiscount: least is above most"},
	{HEAD "- {gpuModel: H100, gpus: 8, usdPerHour: 1, spotDiscount: {least: 70, most: 101}}\n",
	 "t:5:76: Prices: nodes[0].spotDiscount.most: must be a number from 0 to 100"},
	{HEAD "- {gpuModel: H100, gpus: 8, usdPerHour: 1, dollars: 3}\n",
	 "t:5:44: Prices: unknown field \"nodes[0].dollars\""},
	{"apiVersion: gqsim/v1\nkind: Prices\ndate: [1]\nnodes: []\n",
	 "t:3:7: Prices: date: must be a date, such as 2026-11-29"},
};

START_TEST(what_is_wrong)
{
	objects_case_fails(wrong[_i].text, wrong[_i].message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, the_price_of_a_node, 0, ROWS(nodes));
	tcase_add_test(t, the_last_price_holds);
	tcase_add_test(t, nodes_without_a_price_are_told);
	tcase_add_loop_test(t, what_is_wrong, 0, ROWS(wrong));
	return objects_case_run("sim/objects/objects_prices", t);
}
