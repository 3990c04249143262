#include <inttypes.h>
#include <string.h>

#include "core/sort.h"
#include "sim/report/report.h"
#include "sim/tool/output.h"

#define WORKLOAD_TEXT 640 /* namespace/name */

/* One log being written. */
struct log {
	FILE *out;
	const struct journal *journal;
	uint64_t seq;		     /* of the Kueue dialect */
	bool places_pods;	     /* some pod was created: starts are not admissions */
	struct journal_record *held; /* records whose rows wait for J_RESUMED */
	size_t held_count, held_capacity;
};

static const struct scenario *scenario_of(const struct log *log)
{
	return log->journal->scenario;
}

static void put_time(const struct log *log, simtime time)
{
	char text[CLOCK_TEXT];

	fputs(clock_format_seconds(time, text), log->out);
}

static const char *job_name(const struct log *log, uint32_t job, char buf[SCENARIO_NAME_TEXT])
{
	return scenario_job_name(scenario_of(log), job, buf);
}

/* namespace/name */
static void put_workload(const struct log *log, uint32_t job)
{
	const struct scenario *s = scenario_of(log);
	char name[SCENARIO_NAME_TEXT], text[WORKLOAD_TEXT];

	snprintf(text, sizeof(text), "%s/%s", scenario_string(s, s->jobs[job].common->ns),
		 job_name(log, job, name));
	output_csv(log->out, text);
}

static const char *queue_name(const struct log *log, uint32_t job)
{
	const struct scenario *s = scenario_of(log);
	uint32_t queue = scenario_job_cluster_queue(s, job);

	return queue == SCENARIO_NONE ? "" : scenario_string(s, s->cluster_queues[queue].name);
}

/* The name of the pod that took the place of the record's. */
static const char *preemptor_name(const struct log *log, const struct journal_record *r,
				  char buf[JOURNAL_POD_TEXT])
{
	struct journal_record pod = {.job = journal_pod_job(log->journal, r->arg2),
				     .pod = r->arg2,
				     .incarnation = (uint16_t)r->by_incarnation};

	return journal_pod_name(log->journal, &pod, buf);
}

static int compare_texts(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of a set of jobs, sorted, with a blank between. */
static void print_set(const struct log *log, uint32_t set, FILE *out)
{
	const struct journal_set *s = &log->journal->sets[set];
	char(*text)[SCENARIO_NAME_TEXT] = mem_calloc(s->count, sizeof(*text));
	const char **names = mem_calloc(s->count, sizeof(*names));

	for (uint32_t i = 0; i < s->count; i++)
		names[i] = job_name(log, s->jobs[i], text[i]);
	sort_stable(names, s->count, sizeof(*names), compare_texts, NULL);
	for (uint32_t i = 0; i < s->count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : " ", names[i]);
	mem_free(names);
	mem_free(text);
}

typedef void print_field(const struct log *log, const struct journal_record *r, FILE *out);

/* A field that is put together goes through memory, since it may need quotes as a
 * whole. */
static void put_field(const struct log *log, const struct journal_record *r, print_field *print)
{
	struct output_text text;

	output_text_open(&text);
	print(log, r, text.file);
	output_text_close(&text);
	output_csv(log->out, text.data);
	output_text_free(&text);
}

/* --- the dialect of plain Kubernetes --- */

static const char *node_name(const struct log *log, uint32_t node)
{
	const struct scenario *s = scenario_of(log);

	return node == NODE_NONE ? "" : scenario_string(s, replay_node(s, node)->name);
}

enum pod_message {
	MESSAGE_NONE,
	MESSAGE_TEXT,
	MESSAGE_TEXT2,
	MESSAGE_PREEMPTOR,
	MESSAGE_CODE,
	MESSAGE_RESTART
};

struct pod_row {
	const char *event; /* NULL: no row */
	bool pod, node;
	enum pod_message message;
};

static const struct pod_row *pod_row(uint16_t kind)
{
	static const struct pod_row rows[J_KINDS] = {
		[J_POD_SCHEDULED] = {"PodScheduled", true, true, MESSAGE_NONE},
		[J_POD_FAILED] = {"PodUnschedulable", true, false, MESSAGE_TEXT},
		[J_POD_PREEMPTED] = {"PodPreempted", true, true, MESSAGE_PREEMPTOR},
		[J_POD_EVICTED] = {"PodEvicted", true, true, MESSAGE_TEXT2},
		[J_POD_FORBIDDEN] = {"PodForbidden", true, false, MESSAGE_TEXT},
		[J_STARTED] = {"JobStarted", false, false, MESSAGE_NONE},
		[J_INTERRUPTED] = {"JobInterrupted", false, false, MESSAGE_NONE},
		[J_FINISHED] = {"JobFinished", false, false, MESSAGE_NONE},
		[J_FAILED] = {"JobFailed", false, false, MESSAGE_TEXT},
		[J_DELETED] = {"JobDeleted", false, false, MESSAGE_NONE},
		[J_PLACEMENT_TIMEOUT] = {"JobEvicted", false, false, MESSAGE_TEXT},
		[J_POD_SUCCEEDED] = {"PodSucceeded", true, true, MESSAGE_NONE},
		[J_POD_CRASHED] = {"PodFailed", true, true, MESSAGE_CODE},
		[J_CONTAINER_FAILED] = {"ContainerFailed", true, false, MESSAGE_RESTART},
		[J_SUSPENDED] = {"JobSuspended", false, false, MESSAGE_NONE},
		[J_UNSUSPENDED] = {"JobResumed", false, false, MESSAGE_NONE},
		[J_DEADLOCK] = {"Deadlock", false, false, MESSAGE_NONE},
		[J_DEADLOCK_OVER] = {"DeadlockOver", false, false, MESSAGE_NONE},
	};

	return &rows[kind];
}

static void print_jobs(const struct log *log, const struct journal_record *r, FILE *out)
{
	print_set(log, r->arg, out);
}

static void print_by(const struct log *log, const struct journal_record *r, FILE *out)
{
	char text[JOURNAL_POD_TEXT];

	fprintf(out, "by %s", preemptor_name(log, r, text));
}

static void write_pod_row(const struct log *log, const struct journal_record *r)
{
	const struct pod_row *row = pod_row(r->kind);
	char text[JOURNAL_POD_TEXT];
	FILE *out = log->out;

	if (row->event == NULL)
		return;
	put_time(log, r->time);
	fprintf(out, ",%s,", row->event);
	if (row->pod)
		output_csv(out, journal_pod_name(log->journal, r, text));
	putc(',', out);
	if (r->kind == J_DEADLOCK || r->kind == J_DEADLOCK_OVER)
		put_field(log, r, print_jobs);
	else
		output_csv(out, job_name(log, r->job, text));
	putc(',', out);
	if (row->node)
		output_csv(out, node_name(log, r->arg));
	putc(',', out);
	if (row->message == MESSAGE_TEXT)
		output_csv(out, journal_text(log->journal, r->arg));
	else if (row->message == MESSAGE_TEXT2)
		output_csv(out, journal_text(log->journal, r->arg2));
	else if (row->message == MESSAGE_PREEMPTOR)
		put_field(log, r, print_by);
	else if (row->message == MESSAGE_CODE)
		fprintf(out, "exit code %" PRIu32, r->arg2);
	else if (row->message == MESSAGE_RESTART)
		fprintf(out, "exit code %" PRIu32 "; restarts in %" PRIu32 " s", r->arg, r->arg2);
	putc('\n', out);
}

/* --- the dialect of Kueue --- */

static void detail_reservation(const struct log *log, const struct journal_record *r, FILE *out)
{
	const struct scenario *s = scenario_of(log);
	const struct admission *a = &log->journal->admissions[r->arg];

	for (uint32_t i = 0; i < a->pod_set_count; i++) {
		const struct admission_pod_set *set = &a->pod_sets[i];

		fprintf(out, "%scount=%" PRIu32 ";flavors=", i == 0 ? "" : "|", set->count);
		for (uint32_t k = 0; k < set->flavor_count; k++)
			fprintf(out, "%s%s:%s", k == 0 ? "" : ",",
				name_text(s->resources, set->flavors[k].resource),
				scenario_string(s, s->flavors[set->flavors[k].flavor].name));
		fprintf(out, ";borrow=%" PRIu32, a->borrow);
		for (uint32_t k = 0; k < set->domain_count; k++)
			fprintf(out, "%s%s:%" PRIu32, k == 0 ? ";topology=" : "+",
				journal_text(log->journal, set->domains[k].values),
				set->domains[k].pods);
	}
}

static void detail_move(const struct log *log, const struct journal_record *r, FILE *out)
{
	detail_reservation(log, r, out);
	if (r->arg2 != NAME_NONE)
		fprintf(out, ";replaces=%s", journal_text(log->journal, r->arg2));
}

static void detail_unhealthy(const struct log *log, const struct journal_record *r, FILE *out)
{
	fprintf(out, "node=%s;healthy=%s", journal_text(log->journal, r->arg),
		r->arg2 != 0 ? "false" : "true");
}

static void detail_preemption(const struct log *log, const struct journal_record *r, FILE *out)
{
	const struct scenario *s = scenario_of(log);
	char name[SCENARIO_NAME_TEXT];

	fprintf(out, "reason=%s;preemptor=%s/%s;preemptor_cq=%s",
		journal_text(log->journal, r->arg2), scenario_string(s, s->jobs[r->arg].common->ns),
		job_name(log, r->arg, name), queue_name(log, r->arg));
}

static void detail_text(const struct log *log, const struct journal_record *r, FILE *out)
{
	fputs(journal_text(log->journal, r->arg), out);
}

static void detail_check(const struct log *log, const struct journal_record *r, FILE *out)
{
	fprintf(out, "result=%s", journal_text(log->journal, r->arg));
}

static void detail_message(const struct log *log, const struct journal_record *r, FILE *out)
{
	fprintf(out, "message=%s", journal_text(log->journal, r->arg));
}

/* The message, as CSV quotes it. */
static void detail_variant(const struct log *log, const struct journal_record *r, FILE *out)
{
	if (r->arg2 != NAME_NONE)
		fprintf(out, "message=%s", journal_text(log->journal, r->arg2));
}

/* Domains that a second pass gave. */
static void detail_admission(const struct log *log, const struct journal_record *r, FILE *out)
{
	if (r->arg2 == 2)
		detail_reservation(log, r, out);
}

static void detail_pod(const struct log *log, const struct journal_record *r, FILE *out)
{
	char text[JOURNAL_POD_TEXT];
	const struct pod_row *row = pod_row(r->kind);

	fprintf(out, "pod=%s", journal_pod_name(log->journal, r, text));
	if (row->node)
		fprintf(out, ";node=%s", node_name(log, r->arg));
	if (row->message == MESSAGE_TEXT)
		fprintf(out, ";message=%s", journal_text(log->journal, r->arg));
	else if (row->message == MESSAGE_TEXT2)
		fprintf(out, ";message=%s", journal_text(log->journal, r->arg2));
	else if (row->message == MESSAGE_PREEMPTOR)
		fprintf(out, ";preemptor=%s", preemptor_name(log, r, text));
	else if (row->message == MESSAGE_CODE)
		fprintf(out, ";exit_code=%" PRIu32, r->arg2);
	else if (row->message == MESSAGE_RESTART)
		fprintf(out, ";exit_code=%" PRIu32 ";restarts_in=%" PRIu32 "s", r->arg, r->arg2);
}

enum when { ALWAYS, IF_ARG, IF_ARG2, IF_DELAYED, IF_PLACED, IF_NAMED };

struct workload_row {
	const char *event;   /* NULL: no row; IF_NAMED: the record's */
	print_field *detail; /* NULL: empty */
	enum when when;
};

static const struct workload_row *workload_row(const struct journal_record *r)
{
	static const struct workload_row left = {"Released", NULL, IF_DELAYED};
	static const struct workload_row rows[J_KINDS] = {
		[J_QUOTA_RESERVED] = {"QuotaReserved", detail_reservation, ALWAYS},
		[J_ADMITTED] = {"Admitted", detail_admission, IF_ARG2},
		[J_NODE_UNHEALTHY] = {"NodeUnhealthy", detail_unhealthy, ALWAYS},
		[J_MOVED] = {"TopologyAssigned", detail_move, ALWAYS},
		[J_PREEMPTED] = {"Preempted", detail_preemption, ALWAYS},
		[J_EVICTED] = {"Evicted", detail_text, ALWAYS},
		[J_RELEASED] = {"Released", NULL, IF_ARG},
		[J_RECLAIMED] = {"Reclaimed", detail_reservation, ALWAYS},
		[J_RESIZED] = {"Resized", detail_reservation, ALWAYS},
		[J_UNRESERVED] = {"Unreserved", detail_text, ALWAYS},
		[J_CHECK] = {"Check", detail_check, ALWAYS},
		[J_CHECK_UPDATED] = {"AdmissionCheckUpdated", detail_message, ALWAYS},
		[J_PROVISIONING_REQUESTED] = {"ProvisioningRequestCreated", detail_text, ALWAYS},
		[J_VARIANT] = {NULL, detail_variant, IF_NAMED},
		[J_SECOND_PASS_FAILED] = {"SecondPassFailed", detail_message, ALWAYS},
		[J_PODS_READY] = {"PodsReady", NULL, ALWAYS},
		[J_PODS_NOT_READY] = {"PodsNotReady", NULL, ALWAYS},
		[J_POD_SCHEDULED] = {"PodScheduled", detail_pod, ALWAYS},
		[J_POD_FAILED] = {"PodUnschedulable", detail_pod, ALWAYS},
		[J_POD_PREEMPTED] = {"PodPreempted", detail_pod, ALWAYS},
		[J_POD_EVICTED] = {"PodEvicted", detail_pod, ALWAYS},
		[J_POD_FORBIDDEN] = {"PodForbidden", detail_pod, ALWAYS},
		[J_STARTED] = {"Started", NULL, IF_PLACED},
		[J_INTERRUPTED] = {"Interrupted", NULL, IF_PLACED},
		[J_FINISHED] = {"Finished", NULL, ALWAYS},
		[J_FAILED] = {"Failed", detail_text, ALWAYS},
		[J_DELETED] = {"Deleted", NULL, ALWAYS},
		[J_PLACEMENT_TIMEOUT] = {"PlacementTimeout", NULL, ALWAYS},
		[J_POD_SUCCEEDED] = {"PodSucceeded", detail_pod, ALWAYS},
		[J_POD_CRASHED] = {"PodFailed", detail_pod, ALWAYS},
		[J_CONTAINER_FAILED] = {"ContainerFailed", detail_pod, ALWAYS},
		[J_SUSPENDED] = {"Suspended", NULL, ALWAYS},
		[J_UNSUSPENDED] = {"Resumed", NULL, ALWAYS},
	};

	return r->kind == J_UNRESERVED && r->arg2 != 0 ? &left : &rows[r->kind];
}

static bool has_row(const struct log *log, const struct workload_row *row,
		    const struct journal_record *r)
{
	if ((row->event == NULL && row->when != IF_NAMED) || r->job == JOB_NONE)
		return false;
	switch (row->when) {
	case ALWAYS:
		return true;
	case IF_ARG:
		return r->arg == 1;
	case IF_ARG2:
		return r->arg2 != 0;
	case IF_DELAYED:
		return r->arg2 == 2;
	case IF_PLACED:
		return log->places_pods;
	case IF_NAMED:
		return row->detail != NULL;
	}
	return false;
}

static void write_row_at(struct log *log, const struct journal_record *r, simtime time)
{
	const struct workload_row *row = workload_row(r);

	if (!has_row(log, row, r))
		return;
	put_time(log, time);
	fprintf(log->out, ",%" PRIu64 ",%s,", ++log->seq,
		row->event != NULL ? row->event : journal_text(log->journal, r->arg));
	put_workload(log, r->job);
	putc(',', log->out);
	output_csv(log->out, queue_name(log, r->job));
	putc(',', log->out);
	if (row->detail != NULL)
		put_field(log, r, row->detail);
	putc('\n', log->out);
}

static void write_held(struct log *log, simtime time)
{
	for (size_t i = 0; i < log->held_count; i++)
		write_row_at(log, &log->held[i], time);
	log->held_count = 0;
}

static void write_workload_row(struct log *log, const struct journal_record *r)
{
	if (r->kind == J_RESUMED) {
		write_held(log, r->time);
	} else if (r->kind == J_PREEMPTED && r->incarnation != 0) {
		log->held = mem_grow(log->held, log->held_count + 1, &log->held_capacity,
				     sizeof(*log->held));
		log->held[log->held_count++] = *r;
	} else {
		write_row_at(log, r, r->time);
	}
}

void report_events_write(FILE *out, const struct journal *journal, bool admission)
{
	struct log log = {.out = out, .journal = journal, .places_pods = journal_has_pods(journal)};
	struct journal_reader in;
	const struct journal_record *r;

	fputs(admission ? "time_s,seq,event,workload,cluster_queue,detail\n"
			: "time_s,event,pod,job,node,message\n",
	      out);
	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL) {
		if (admission)
			write_workload_row(&log, r);
		else
			write_pod_row(&log, r);
	}
	write_held(&log, journal->end_time);
	mem_free(log.held);
}
