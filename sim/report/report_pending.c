#include "sim/report/report.h"
#include "sim/tool/output.h"

#define WORKLOAD_TEXT 640 /* namespace/name */

/* What the journal last said of one job. */
struct last {
	uint32_t reason, message; /* strings of the journal; NAME_NONE */
	uint32_t pod;		  /* slot that the message is about */
	bool held;		  /* runs, or has all its pods */
	bool reserved;		  /* has quota */
	bool gone;		  /* finished, failed or deleted */
};

static void forget(struct last *last)
{
	last->reason = NAME_NONE;
	last->message = NAME_NONE;
	last->pod = UINT32_MAX;
}

static void follow_admission(struct last *last, const struct journal_record *r)
{
	switch (r->kind) {
	case J_STATUS:
		last->reason = r->arg;
		last->message = r->arg2;
		last->held = false;
		break;
	case J_QUOTA_RESERVED:
		last->reserved = true;
		break;
	case J_STARTED:
		last->held = true;
		break;
	case J_RELEASED:
	case J_UNRESERVED:
		last->held = last->reserved = false;
		break;
	case J_FINISHED:
	case J_DELETED:
	case J_FAILED:
		last->gone = true;
		break;
	default:
		break;
	}
}

/* The message kept is that of the first pod that waits. */
static void follow_pod(struct last *last, const struct journal_record *r)
{
	switch (r->kind) {
	case J_POD_FAILED:
	case J_POD_FORBIDDEN:
		if (r->pod <= last->pod) {
			last->pod = r->pod;
			last->message = r->arg;
			last->reason = r->kind;
		}
		break;
	case J_POD_SCHEDULED:
	case J_POD_DELETED:
		if (r->pod == last->pod)
			forget(last);
		break;
	case J_STARTED:
		last->held = true;
		forget(last);
		break;
	case J_INTERRUPTED:
	case J_PLACEMENT_TIMEOUT:
		last->held = false;
		break;
	case J_FINISHED:
	case J_DELETED:
	case J_FAILED:
		last->gone = true;
		break;
	default:
		break;
	}
}

static const char *reason_text(const struct journal *journal, const struct last *last,
			       bool admission)
{
	if (last->reserved)
		return "QuotaReserved";
	if (last->reason == NAME_NONE)
		return "";
	if (admission)
		return journal_text(journal, last->reason);
	return last->reason == J_POD_FORBIDDEN ? "Forbidden" : "Unschedulable";
}

/* The condition's words while a check or a pod is waited for (SetQuotaReservation). */
static void write_why(FILE *out, const struct journal *journal, const struct last *last,
		      const char *queue, bool admission)
{
	char text[320];

	output_csv(out, reason_text(journal, last, admission));
	putc(',', out);
	snprintf(text, sizeof(text), "Quota reserved in ClusterQueue %s", queue);
	output_csv(out, last->reserved ? text : journal_text(journal, last->message));
	putc('\n', out);
}

static void write_row(FILE *out, const struct journal *journal, uint32_t job,
		      const struct last *last, bool admission)
{
	const struct scenario *s = journal->scenario;
	uint32_t queue = scenario_job_cluster_queue(s, job);
	char name[SCENARIO_NAME_TEXT], text[WORKLOAD_TEXT];
	const char *at = "";

	if (queue != SCENARIO_NONE)
		at = scenario_string(s, s->cluster_queues[queue].name);
	else if (s->jobs[job].common->local_queue != JOB_NONE) /* of one that is not there */
		at = scenario_string(
			s, s->local_queues[s->jobs[job].common->local_queue].cluster_queue_name);
	snprintf(text, sizeof(text), "%s/%s", scenario_string(s, s->jobs[job].common->ns),
		 scenario_job_name(s, job, name));
	output_csv(out, text);
	putc(',', out);
	output_csv(out, at);
	putc(',', out);
	write_why(out, journal, last, at, admission);
}

void report_pending_write(FILE *out, const struct journal *journal, bool admission)
{
	const struct scenario *s = journal->scenario;
	struct last *last = mem_calloc(s->job_count, sizeof(*last));
	struct journal_reader in;
	const struct journal_record *r;

	for (uint32_t job = 0; job < s->job_count; job++)
		forget(&last[job]);
	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL) {
		if (r->job == JOB_NONE)
			continue;
		if (admission)
			follow_admission(&last[r->job], r);
		else
			follow_pod(&last[r->job], r);
	}
	fputs("workload,cluster_queue,reason,message\n", out);
	for (uint32_t job = 0; job < s->job_count; job++) {
		if (!last[job].gone && !last[job].held &&
		    !(s->jobs[job].common->flags & JOB_INACTIVE))
			write_row(out, journal, job, &last[job], admission);
	}
	mem_free(last);
}
