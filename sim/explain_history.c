#include <inttypes.h>

#include "core/mem.h"
#include "sim/explain_look.h"
#include "sim/human.h"

static char *history_text(const struct explain_look *l, const struct journal_record *r)
{
	const struct journal *j = l->journal;
	const struct scenario *s = l->scenario;
	char name[SCENARIO_NAME_TEXT], pod[JOURNAL_POD_TEXT];

	switch (r->kind) {
	case J_SUBMIT:
		return explain_look_text("submitted");
	case J_QUOTA_RESERVED:
		return explain_look_text(
			"quota reserved in ClusterQueue %s, borrowing level %" PRIu32,
			scenario_string(
				s, s->cluster_queues[j->admissions[r->arg].cluster_queue].name),
			j->admissions[r->arg].borrow);
	case J_ADMITTED:
		return explain_look_text("admitted");
	case J_STATUS:
		return explain_look_text("waits, %s: %s", journal_text(j, r->arg),
					 journal_text(j, r->arg2));
	case J_PREEMPTED:
		return explain_look_text("preempted by %s (%s)", explain_look_job(l, r->arg, name),
					 journal_text(j, r->arg2));
	case J_EVICTED:
		return explain_look_text("evicted, %s", journal_text(j, r->arg));
	case J_RELEASED:
		return explain_look_text("its pods have ended, its quota is free again");
	case J_CHECK:
		return explain_look_text("admission checks answered: %s", journal_text(j, r->arg));
	case J_PODS_READY:
		return explain_look_text("all its pods are ready");
	case J_PODS_NOT_READY:
		return explain_look_text("a pod failed");
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
		return explain_look_text("interrupted: it lost a pod");
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
		return NULL;
	}
}

/* Does the record say again what the last of its kind said? */
static bool repeats(const struct journal_record *r, const struct journal_record *last)
{
	return last != NULL && last->kind == r->kind &&
	       ((r->kind == J_STATUS && last->arg == r->arg && last->arg2 == r->arg2) ||
		(r->kind == J_POD_FAILED && last->arg == r->arg) ||
		(r->kind == J_POD_FORBIDDEN && last->arg == r->arg));
}

void explain_history_tell(const struct explain_look *l)
{
	const struct journal_record *last = NULL;

	for (size_t i = 0; i < l->journal->count; i++) {
		const struct journal_record *r = &l->journal->records[i];
		char *text;
		char when[HUMAN_TEXT];

		if (r->job != l->explain->job || repeats(r, last))
			continue;
		last = r;
		text = history_text(l, r);
		if (text == NULL)
			continue;
		explain_look_add(&l->explain->history,
				 explain_look_text("%s  %s", human_time(r->time, when), text));
		mem_free(text);
	}
}
