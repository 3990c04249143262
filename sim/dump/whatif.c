#include "sim/dump/whatif.h"

static bool goes_before(const struct job *a, const struct job *b)
{
	if (a->common->priority != b->common->priority)
		return a->common->priority > b->common->priority;
	return a->submit != b->submit ? a->submit < b->submit : a->row < b->row;
}

/* Who waits in its queue when it comes: submitted by then, not admitted, not gone. */
static void look_at_queue(const struct journal *journal, struct whatif *w)
{
	const struct scenario *s = journal->scenario;
	const struct job *asked = &s->jobs[w->job];
	uint32_t queue = scenario_job_cluster_queue(s, w->job);
	struct journal_reader in;
	const struct journal_record *r;
	bool *gone; /* admitted, or over */

	if (queue == SCENARIO_NONE)
		return;
	gone = mem_calloc(s->job_count, sizeof(*gone));
	journal_open(&in, journal);
	while ((r = journal_until(&in, asked->submit - 1)) != NULL) {
		if (r->job == JOB_NONE)
			continue;
		if (r->kind == J_QUOTA_RESERVED || r->kind == J_FINISHED || r->kind == J_DELETED ||
		    r->kind == J_FAILED)
			gone[r->job] = true;
		else if (r->kind == J_PREEMPTED || r->kind == J_EVICTED)
			gone[r->job] = false;
	}
	w->position = w->pending = 1;
	for (uint32_t job = 0; job < s->job_count; job++) {
		const struct job *other = &s->jobs[job];

		if (job == w->job || gone[job] || other->submit > asked->submit ||
		    (other->common->flags & JOB_UNMANAGED) != 0 ||
		    scenario_job_cluster_queue(s, job) != queue)
			continue;
		w->pending++;
		w->position += goes_before(other, asked);
	}
	mem_free(gone);
}

struct whatif whatif_find(const struct journal *journal, uint32_t job)
{
	simtime submit = journal->scenario->jobs[job].submit;
	struct whatif w = {.job = job,
			   .wait = CLOCK_NEVER,
			   .start = CLOCK_NEVER,
			   .queued = (journal->scenario->jobs[job].common->flags & JOB_UNMANAGED) ==
				     0,
			   .reason = NAME_NONE,
			   .message = NAME_NONE,
			   .pods_message = NAME_NONE};
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL) {
		if (r->job != job)
			continue;
		if (journal_admits(r) && w.wait == CLOCK_NEVER)
			w.wait = r->time - submit;
		if (r->kind == J_STARTED && w.start == CLOCK_NEVER)
			w.start = r->time - submit;
		if (r->kind == J_STATUS && w.reason == NAME_NONE && w.wait == CLOCK_NEVER) {
			w.reason = r->arg;
			w.message = r->arg2;
		}
		if (r->kind == J_POD_FAILED && w.pods_message == NAME_NONE)
			w.pods_message = r->arg;
	}
	if (w.queued)
		look_at_queue(journal, &w);
	return w;
}

void whatif_running(const struct journal *journal, uint32_t *running, uint32_t *not_admitted)
{
	const struct scenario *s = journal->scenario;
	bool *admitted = mem_calloc(s->job_count, sizeof(*admitted));
	struct journal_reader in;
	const struct journal_record *r;

	*running = *not_admitted = 0;
	journal_open(&in, journal);
	while ((r = journal_until(&in, CLOCK_SECOND - 1)) != NULL) {
		if (journal_admits(r))
			admitted[r->job] = true;
	}
	for (uint32_t i = 0; i < s->recorded_count; i++) {
		uint32_t job = s->recorded[i].job;

		if (!s->recorded[i].running)
			continue;
		++*running;
		*not_admitted += !admitted[job];
	}
	mem_free(admitted);
}
