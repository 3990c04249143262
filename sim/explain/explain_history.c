#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "sim/explain/explain_look.h"
#include "sim/tool/human.h"

static const char *queue_name(const struct explain_look *l, const struct journal_record *r)
{
	const struct scenario *s = l->scenario;
	uint32_t queue = l->journal->admissions[r->arg].cluster_queue;

	return scenario_string(s, s->cluster_queues[queue].name);
}

static double seconds(simtime time)
{
	return (double)time / (double)CLOCK_SECOND;
}

/* "reason=X;requeue_count=1;requeue_at=60" */
static char *eviction_text(const struct journal *j, const struct journal_record *r)
{
	const char *detail = journal_text(j, r->arg), *rest;
	int length;

	if (strncmp(detail, "reason=", 7) == 0)
		detail += 7;
	length = (int)strcspn(detail, ";");
	rest = detail[length] == ';' ? detail + length + 1 : "";
	return explain_look_text("EvictedDueTo%.*s%s%s%s", length, detail,
				 rest[0] == '\0' ? "" : " (", rest, rest[0] == '\0' ? "" : ")");
}

/* Of topology domains and the nodes that they are. */
static char *places_text(const struct journal *j, const struct journal_record *r)
{
	if (r->kind == J_NODE_UNHEALTHY)
		return explain_look_text(r->arg2 != 0 ? "its node %s failed"
						      : "its node %s is well again",
					 journal_text(j, r->arg));
	if (r->arg2 == NAME_NONE)
		return explain_look_text("its pods got topology domains");
	return explain_look_text("its pods got other nodes in place of %s",
				 journal_text(j, r->arg2));
}

/* What a controller did; NULL: nothing. */
static char *controller_text(const struct explain_look *l, const struct journal_record *r)
{
	char pod[JOURNAL_POD_TEXT];

	switch (r->kind) {
	case J_POD_CRASHED:
		return explain_look_text("%s failed with exit code %" PRIu32,
					 journal_pod_name(l->journal, r, pod), r->arg2);
	case J_CONTAINER_FAILED:
		return explain_look_text("the container of %s failed with exit code %" PRIu32
					 " and starts again after %" PRIu32 " s",
					 journal_pod_name(l->journal, r, pod), r->arg, r->arg2);
	case J_POD_SUCCEEDED:
		return explain_look_text("%s succeeded", journal_pod_name(l->journal, r, pod));
	case J_VARIANT:
		return explain_look_text("%s: %s", journal_text(l->journal, r->arg),
					 r->arg2 == NAME_NONE ? ""
							      : journal_text(l->journal, r->arg2));
	case J_FREED:
		return explain_look_text("its quota is free, though its pods still end");
	case J_READY:
		return explain_look_text(r->arg != 0 ? "its pods are ready for Kueue"
						     : "its pods are ready for Kueue no more");
	case J_SUSPENDED:
		return explain_look_text("suspended");
	case J_UNSUSPENDED:
		return explain_look_text("resumed");
	default:
		return NULL;
	}
}

/* On the way from a reservation to an admission. */
static char *size_text(const struct journal_record *r)
{
	if (r->kind == J_RECLAIMED)
		return explain_look_text("gave back the quota of pods that are done");
	return explain_look_text(r->arg2 != 0 ? "a new workload slice replaced the old one"
					      : "its workload asks for fewer pods");
}

static char *check_text(const struct journal *j, const struct journal_record *r)
{
	const char *before = "";

	if (r->kind == J_RECLAIMED || r->kind == J_RESIZED)
		return size_text(r);
	if (r->kind == J_CHECK)
		before = "admission checks answered: ";
	else if (r->kind == J_PROVISIONING_REQUESTED)
		before = "asked the autoscaler for nodes: ";
	else if (r->kind == J_UNRESERVED)
		before = "its reservation was taken back, ";
	else if (r->kind == J_SECOND_PASS_FAILED)
		before = "no place for its pods yet: ";
	return explain_look_text("%s%s", before, journal_text(j, r->arg));
}

/* Of what Kueue tells in events, the words of its events (spec KUEUE.md 6.5). */
char *explain_history_text(const struct explain_look *l, const struct journal_record *r,
			   const struct explain_times *times)
{
	const struct journal *j = l->journal;
	const struct scenario *s = l->scenario;
	char name[SCENARIO_NAME_TEXT], pod[JOURNAL_POD_TEXT];

	switch (r->kind) {
	case J_SUBMIT:
		return explain_look_text("submitted");
	case J_QUOTA_RESERVED:
		return explain_look_text("Quota reserved in ClusterQueue %s, wait time since "
					 "queued was %.0fs; borrowing level %" PRIu32,
					 queue_name(l, r), seconds(r->time - times->queued),
					 j->admissions[r->arg].borrow);
	case J_ADMITTED:
		return explain_look_text("Admitted, wait time since reservation was %.0fs",
					 seconds(r->time - times->reserved));
	case J_NODE_UNHEALTHY:
	case J_MOVED:
		return places_text(j, r);
	case J_STATUS:
		return explain_look_text("waits, %s: %s", journal_text(j, r->arg),
					 journal_text(j, r->arg2));
	case J_PREEMPTED:
		return explain_look_text("EvictedDueToPreempted by %s (%s)",
					 explain_look_job(l, r->arg, name),
					 journal_text(j, r->arg2));
	case J_EVICTED:
		return eviction_text(j, r);
	case J_RELEASED:
		return explain_look_text("its pods have ended, its quota is free again");
	case J_RESIZED:
	case J_RECLAIMED:
	case J_UNRESERVED:
	case J_CHECK:
	case J_CHECK_UPDATED:
	case J_CHECK_WAITS:
	case J_PROVISIONING_REQUESTED:
	case J_SECOND_PASS_FAILED:
		return check_text(j, r);
	case J_PODS_READY:
		return explain_look_text("All pods reached readiness and the workload is running");
	case J_PODS_NOT_READY:
		return explain_look_text("At least one pod has failed, waiting for recovery");
	case J_POD_SCHEDULED:
		return explain_look_text("%s got node %s", journal_pod_name(j, r, pod),
					 scenario_string(s, replay_node(s, r->arg)->name));
	case J_POD_FAILED:
	case J_POD_FORBIDDEN:
		return explain_look_text("%s: %s", journal_pod_name(j, r, pod),
					 journal_text(j, r->arg));
	case J_POD_PREEMPTED:
		return explain_look_text("%s was preempted", journal_pod_name(j, r, pod));
	case J_POD_EVICTED:
		return explain_look_text("%s was evicted by its node (%s)",
					 journal_pod_name(j, r, pod), journal_text(j, r->arg2));
	case J_STARTED:
		return explain_look_text("started (attempt %" PRIu32 ")", r->arg);
	case J_INTERRUPTED:
		return explain_look_text("interrupted: a pod of it works no more");
	case J_FINISHED:
		return explain_look_text("finished");
	case J_FAILED:
		return explain_look_text("failed, %s", journal_text(j, r->arg));
	case J_DELETED:
		return explain_look_text("cancelled");
	case J_PLACEMENT_TIMEOUT:
		return explain_look_text(
			"not placed in time: its pods are deleted and made again later");
	default:
		return controller_text(l, r);
	}
}

bool explain_history_repeats(const struct journal_record *r, const struct journal_record *last)
{
	return last->kind == r->kind &&
	       ((r->kind == J_STATUS && last->arg == r->arg && last->arg2 == r->arg2) ||
		(r->kind == J_POD_FAILED && last->arg == r->arg) ||
		(r->kind == J_SECOND_PASS_FAILED && last->arg == r->arg) ||
		(r->kind == J_POD_FORBIDDEN && last->arg == r->arg));
}

static void tell(const struct explain_look *l, const struct journal_record *r,
		 const struct explain_times *times)
{
	char *text = explain_history_text(l, r, times);
	char when[HUMAN_TEXT];

	if (text == NULL)
		return;
	explain_look_add(&l->explain->history,
			 explain_look_text("%s  %s", human_time(r->time, when), text));
	mem_free(text);
}

void explain_history_tell(const struct explain_look *l)
{
	struct journal_record last = {.kind = J_SUBMIT};
	struct replay *replay = replay_new(l->journal);
	struct explain_times times = {0, 0};

	while (replay_step(replay, CLOCK_NEVER)) {
		for (size_t i = replay->first; i < replay->last; i++) {
			const struct journal_record *r = journal_read(replay->in, i);

			if (r->job != l->explain->job || explain_history_repeats(r, &last))
				continue;
			last = *r;
			times.queued = replay_queued(replay, r->job);
			if (r->kind == J_QUOTA_RESERVED)
				times.reserved = r->time;
			tell(l, r, &times);
		}
	}
	replay_free(replay);
}
