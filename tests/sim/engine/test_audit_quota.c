#include "sim/engine/audit_quota.h"

#include <check.h>
#include <string.h>

#include "sim/load/builder.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define NO	    QUOTA_ABSENT

/* Queues a and b in cohort c (which has quota of its own), queue d alone; jobs of
 * one GPU a pod. */
struct limits {
	int64_t nominal, borrowing, lending;
};

static struct resource_group *group(struct builder *b, struct limits limits)
{
	struct mem_arena *arena = builder_arena(b);
	struct resource_group *g = mem_arena_alloc(arena, sizeof(*g));
	uint32_t *resource = mem_arena_alloc(arena, sizeof(*resource));
	uint32_t *name = mem_arena_alloc(arena, sizeof(*name));
	struct quota_cell *cell = mem_arena_alloc(arena, sizeof(*cell));

	*resource = RES_GPU;
	*name = builder_string(b, "gpu", 3);
	*cell = (struct quota_cell){limits.nominal, limits.borrowing, limits.lending};
	*g = (struct resource_group){.resources = resource,
				     .resource_count = 1,
				     .flavor_names = name,
				     .flavor_count = 1,
				     .cells = cell};
	return g;
}

static void queue(struct builder *b, const char *name, const char *cohort, struct limits limits,
		  simtime at)
{
	struct cluster_queue q = {.name = builder_string(b, name, 1),
				  .cohort =
					  cohort == NULL ? NAME_NONE : builder_string(b, cohort, 1),
				  .groups = group(b, limits),
				  .group_count = 1,
				  .namespace_selector = {.present = true},
				  .fair_weight = 1000000000};

	builder_add(b, KIND_CLUSTER_QUEUE, &q, (struct place){0}, at);
}

static struct scenario *scenario_of(const struct limits limits[4], bool shrinks)
{
	struct builder *b = builder_new();
	struct flavor f = {.name = builder_string(b, "gpu", 3), .topology_name = NAME_NONE};
	struct cohort c = {
		.name = builder_string(b, "c", 1), .parent = NAME_NONE, .fair_weight = 1000000000};
	int64_t *request = builder_vector(b);
	struct pod_shape shape = {.request = request,
				  .requested = UINT64_C(1) << RES_GPU,
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE};
	struct pod_set set = {
		.name = builder_string(b, "main", 4), .count = 99, .min_count = 1, .has_min = true};
	struct job_common common = {.ns = builder_string(b, "default", 7),
				    .queue = NAME_NONE,
				    .priority_class = NAME_NONE,
				    .pod_set_count = 1};
	struct job job = {.name = builder_string(b, "j", 1),
			  .common = &common,
			  .duration = 1,
			  .extra = JOB_NONE};
	struct scenario *s = NULL;
	struct err err = {0};

	request[RES_GPU] = 1;
	builder_add(b, KIND_FLAVOR, &f, (struct place){0}, KIND_ALWAYS);
	queue(b, "a", "c", limits[0], KIND_ALWAYS);
	queue(b, "b", "c", limits[1], KIND_ALWAYS);
	c.groups = group(b, limits[2]);
	c.group_count = 1;
	builder_add(b, KIND_COHORT, &c, (struct place){0}, KIND_ALWAYS);
	queue(b, "d", NULL, limits[3], KIND_ALWAYS);
	if (shrinks)
		queue(b, "a", "c", (struct limits){1, NO, NO}, 100);
	set.shape = builder_shape(b, &shape);
	common.first_pod_set = builder_pod_sets(b, &set, 1);
	builder_job(b, &job, (struct place){0});
	if (builder_finish(b, &s, &err) != ERR_OK)
		ck_abort_msg("%s", err.msg);
	return s;
}

/* A reservation of that many GPUs in a queue; false: some limit is broken. */
static bool reserve(struct audit_quota *q, uint32_t queue, uint32_t gpus, bool give)
{
	struct admission_flavor f = {RES_GPU, 0};
	struct admission_pod_set set = {.count = gpus, .flavor_count = 1, .flavors = &f};
	struct admission a = {.cluster_queue = queue, .pod_set_count = 1, .pod_sets = &set};
	char text[256] = "";
	bool holds;

	if (give) {
		audit_quota_give(q, 0, &a);
		return true;
	}
	audit_quota_take(q, 0, &a);
	holds = audit_quota_holds(q, 0, &a, text, sizeof(text));
	ck_assert(holds == (text[0] == '\0'));
	return holds;
}

static const struct {
	const char *name;
	struct limits limits[4]; /* a, b, cohort c, d */
	struct {
		uint32_t queue, gpus;
		bool give, holds;
	} steps[5];
	uint32_t step_count;
} rows[] = {
	{"alone: nominal quota",
	 {{4, NO, NO}, {4, NO, NO}, {0, NO, NO}, {3, NO, NO}},
	 {{2, 3, false, true}, {2, 1, false, false}},
	 2},
	{"given back",
	 {{4, NO, NO}, {4, NO, NO}, {0, NO, NO}, {3, NO, NO}},
	 {{2, 3, false, true}, {2, 3, true, true}, {2, 3, false, true}},
	 3},
	{"a cohort shares all of it",
	 {{4, NO, NO}, {4, NO, NO}, {0, NO, NO}, {3, NO, NO}},
	 {{0, 8, false, true}, {1, 1, false, false}},
	 2},
	{"and its own quota",
	 {{4, NO, NO}, {4, NO, NO}, {2, NO, NO}, {3, NO, NO}},
	 {{0, 10, false, true}, {0, 1, false, false}},
	 2},
	{"borrowing limit",
	 {{4, 2, NO}, {4, NO, NO}, {0, NO, NO}, {3, NO, NO}},
	 {{0, 6, false, true}, {0, 1, false, false}},
	 2},
	{"lending limit",
	 {{4, NO, NO}, {4, NO, 1}, {0, NO, NO}, {3, NO, NO}},
	 {{0, 5, false, true}, {1, 3, false, true}, {0, 1, false, false}},
	 3},
	{"what is not lent stays usable",
	 {{4, NO, NO}, {4, NO, 0}, {0, NO, NO}, {3, NO, NO}},
	 {{0, 4, false, true}, {1, 4, false, true}, {1, 1, false, false}},
	 3},
	{"nothing asked for is always right",
	 {{4, NO, NO}, {4, NO, NO}, {0, NO, NO}, {3, NO, NO}},
	 {{2, 4, false, false}, {2, 0, false, true}},
	 2},
};

START_TEST(limits_are_kept)
{
	struct scenario *s = scenario_of(rows[_i].limits, false);
	struct audit_quota *q = audit_quota_new(s);

	for (uint32_t i = 0; i < rows[_i].step_count; i++)
		ck_assert_msg(reserve(q, rows[_i].steps[i].queue, rows[_i].steps[i].gpus,
				      rows[_i].steps[i].give) == rows[_i].steps[i].holds,
			      "%s, step %u", rows[_i].name, i);
	audit_quota_free(q);
	scenario_free(s);
}
END_TEST

/* Over-admission left behind by an update is no fault of those who stay within
 * what is theirs alone; whoever takes more of it is at fault. */
START_TEST(updates_lower_quotas)
{
	static const struct limits before[4] = {{4, NO, NO}, {4, NO, 0}, {0, NO, NO}, {3, NO, NO}};
	struct scenario *s = scenario_of(before, true);
	struct audit_quota *q = audit_quota_new(s);

	ck_assert(reserve(q, 0, 4, false));
	audit_quota_update(q, 0);
	ck_assert(reserve(q, 1, 4, false));
	ck_assert(!reserve(q, 0, 1, false));
	reserve(q, 0, 1, true);
	reserve(q, 0, 4, true);
	ck_assert(reserve(q, 0, 1, false));
	audit_quota_free(q);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/audit_quota");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, limits_are_kept, 0, COUNT(rows));
	tcase_add_test(t, updates_lower_quotas);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
