#include "tests/support/fixture.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder *fixture_cluster(uint32_t nodes, int64_t gpus)
{
	struct builder *b = builder_new();

	for (uint32_t i = 0; i < nodes; i++) {
		char name[16];
		int64_t *v = builder_vector(b);
		struct node node = {.zone = NAME_NONE,
				    .pool = NAME_NONE,
				    .allocatable = v,
				    .gpus = gpus,
				    .ready = true};

		snprintf(name, sizeof(name), "n%" PRIu32, i);
		node.name = builder_string(b, name, strlen(name));
		v[RES_CPU] = v[RES_MEMORY] = v[RES_EPHEMERAL] = v[RES_PODS] = RES_UNLIMITED;
		v[RES_GPU] = gpus;
		builder_node(b, &node, (struct place){0});
	}
	return b;
}

static void add(struct builder *b, const struct fixture_job *j)
{
	int64_t *request = builder_vector(b);
	struct pod_shape shape = {.request = request,
				  .requested = UINT64_C(1) << RES_GPU,
				  .nonzero_cpu = 100,
				  .nonzero_memory = 209715200,
				  .gpus = j->gpus,
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE,
				  .container_count = 1};
	struct pod_set set = {
		.name = builder_string(b, "main", 4), .count = j->pods, .min_count = j->pods};
	struct job_common common = {.checkpoint = j->checkpoint_s * CLOCK_SECOND,
				    .restart_cost = j->restart_s * CLOCK_SECOND,
				    .ns = builder_string(b, "default", 7),
				    .queue = NAME_NONE,
				    .priority_class = NAME_NONE,
				    .pod_set_count = 1};
	struct job job = {.submit = j->submit_s * CLOCK_SECOND,
			  .duration =
				  j->duration_s < 0 ? JOB_ENDLESS : j->duration_s * CLOCK_SECOND,
			  .common = &common,
			  .name = builder_string(b, j->name, strlen(j->name)),
			  .row = builder_job_count(b),
			  .utilisation = 1000,
			  .extra = JOB_NONE};

	request[RES_GPU] = j->gpus;
	set.shape = builder_shape(b, &shape);
	common.first_pod_set = builder_pod_sets(b, &set, 1);
	if (j->queue != NULL)
		common.queue = builder_string(b, j->queue, strlen(j->queue));
	else
		common.flags = JOB_UNMANAGED;
	builder_job(b, &job, (struct place){0});
}

void fixture_add(struct builder *b, const struct fixture_job *jobs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		add(b, &jobs[i]);
}

void fixture_priority(struct scenario *s, uint32_t job, int32_t priority, int32_t pod_priority)
{
	struct job_common *common =
		mem_arena_copy(s->arena, s->jobs[job].common, 1, sizeof(*common));

	common->priority = priority;
	common->pod_priority = pod_priority;
	s->jobs[job].common = common;
}

void fixture_flags(struct scenario *s, uint32_t job, uint16_t flags)
{
	struct job_common *common =
		mem_arena_copy(s->arena, s->jobs[job].common, 1, sizeof(*common));

	common->flags |= flags;
	s->jobs[job].common = common;
}

struct scenario *fixture_finish(struct builder *b)
{
	struct scenario *s = NULL;
	struct err err = {0};

	if (builder_finish(b, &s, &err) != ERR_OK)
		ck_abort_msg("fixture: %s", err.msg);
	return s;
}

static const char *const kind_names[J_KINDS] = {
	[J_SUBMIT] = "submit",
	[J_QUOTA_RESERVED] = "reserve",
	[J_ADMITTED] = "admit",
	[J_STATUS] = "status",
	[J_PREEMPTED] = "preempt",
	[J_EVICTED] = "evict",
	[J_RELEASED] = "release",
	[J_POD_CREATED] = "create",
	[J_POD_SCHEDULED] = "bind",
	[J_POD_FAILED] = "fail",
	[J_POD_PREEMPTED] = "lose",
	[J_POD_EVICTED] = "evict-pod",
	[J_STARTED] = "start",
	[J_INTERRUPTED] = "interrupt",
	[J_WORK_LOST] = "lost",
	[J_FINISHED] = "finish",
	[J_DELETED] = "delete",
	[J_PLACEMENT_TIMEOUT] = "timeout",
	[J_DEADLOCK] = "deadlock",
	[J_DEADLOCK_OVER] = "deadlock-over",
	[J_NODE] = "node",
	[J_UPDATE] = "update",
	[J_MOVED] = "move",
	[J_NODE_UNHEALTHY] = "unhealthy",
	[J_SECOND_PASS_FAILED] = "pass-failed",
	[J_FREED] = "free",
	[J_READY] = "ready",
	[J_VARIANT] = "variant",
	[J_RECLAIMED] = "reclaim",
	[J_RESIZED] = "resize",
	[J_POD_DELETED] = "drop",
	[J_POD_FORBIDDEN] = "forbid",
	[J_POD_STARTED] = "work",
	[J_POD_PAUSED] = "pause",
	[J_POD_SUCCEEDED] = "done",
	[J_POD_CRASHED] = "crash",
	[J_CONTAINER_FAILED] = "restart",
	[J_WANTED] = "want",
	[J_SUSPENDED] = "suspend",
	[J_UNSUSPENDED] = "resume",
	[J_FAILED] = "fail-job",
};

static void print_record(FILE *f, const struct journal *j, const struct journal_record *r)
{
	char time[CLOCK_TEXT], name[SCENARIO_NAME_TEXT], pod[JOURNAL_POD_TEXT];

	fprintf(f, "%s %s", clock_format_seconds(r->time, time),
		kind_names[r->kind] != NULL ? kind_names[r->kind] : "?");
	if (r->pod != NAME_NONE)
		fprintf(f, " %s", journal_pod_name(j, r, pod));
	else if (r->job != JOB_NONE)
		fprintf(f, " %s", scenario_job_name(j->scenario, r->job, name));
	if (r->kind == J_POD_SCHEDULED)
		fprintf(f, " n%" PRIu32, r->arg);
	if (r->kind == J_FAILED)
		fprintf(f, " %s", journal_text(j, r->arg));
	if (r->kind == J_WANTED || r->kind == J_POD_STARTED)
		fprintf(f, " %" PRIu32, r->arg);
	if (r->kind == J_WORK_LOST)
		fprintf(f, " %s",
			clock_format_seconds((simtime)(r->arg | (uint64_t)r->arg2 << 32), time));
	fputc('\n', f);
}

char *fixture_print(const struct journal *journal)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct journal_reader in;
	const struct journal_record *r;

	ck_assert_ptr_nonnull(f);
	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL)
		print_record(f, journal, r);
	fclose(f);
	return text;
}
