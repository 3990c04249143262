/* test_owner.c - who made an object, by its name. */
#include "sim/load/owner.h"

#include "tests/sim/dump_case.h"

typedef bool look(const struct builder *builder, uint32_t made, size_t index, uint32_t *maker);

/* What the input has, what was made, and whose that may be; NULL: nobody's. */
static const struct {
	look *look;
	const char *there, *made, *maker;
} rows[] = {
	{owner_maker, "Deployment/web", "Pod/web-7c9d-x2x4z", "Deployment/web"},
	{owner_maker, "Deployment/web-7c9d", "Pod/web-7c9d-x2x4z", NULL},
	{owner_maker, "ReplicaSet/web-7c9d", "Pod/web-7c9d-x2x4z", "ReplicaSet/web-7c9d"},
	{owner_maker, "CronJob/c", "Job/c-28401120", "CronJob/c"},
	{owner_maker, "CronJob/c", "Job/c", NULL},
	{owner_maker, "CronJob/c", "Pod/c-1", NULL},
	{owner_pod_maker, "JobSet/set", "Job/set-workers-0", "JobSet/set"},
	{owner_pod_maker, "RayJob/r", "RayCluster/r-raycluster-x2x4z", "RayJob/r"},
	{owner_pod_maker, "LeaderWorkerSet/l", "StatefulSet/l", "LeaderWorkerSet/l"},
	{owner_pod_maker, "JobSet/set", "Job/set", NULL},
};

START_TEST(makers)
{
	struct builder *b = builder_new();
	uint32_t there = builder_string(b, rows[_i].there, strlen(rows[_i].there));
	uint32_t made = builder_string(b, rows[_i].made, strlen(rows[_i].made));
	uint32_t maker, found = NAME_NONE;

	for (size_t i = 0; rows[_i].look(b, made, i, &maker); i++)
		if (maker != NAME_NONE)
			found = maker;
	ck_assert_uint_eq(found, rows[_i].maker == NULL ? NAME_NONE : there);
	builder_free(b);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, makers, 0, ROWS(rows));
	return objects_case_run("sim/load/owner", t);
}
