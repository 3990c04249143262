#include "tests/support/properties.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/audit.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/world/replay.h"

/* A workload as the journal tells of it. */
struct seen {
	bool came;     /* a run that its CronJob passes over never does */
	bool waits;    /* pending, without a reservation */
	bool reserved; /* has quota, is not admitted yet */
	bool evicted;  /* told to stop, keeps its quota yet */
	bool inactive; /* deactivated */
	bool done;
	bool skipped;		/* goes back to the front, and is tried again before all */
	bool told;		/* has a reason, or a pod of it has */
	simtime created, order; /* its workload; its place in its queue */
	simtime back;		/* end of a back-off */
	simtime later;		/* the eviction's place in the queue, if it moves; -1 */
	int32_t priority;
	uint32_t reason; /* string: of its last status */
	bool reborn;	 /* perhaps as a bigger slice, whose age nobody is told */
};

struct book {
	const struct scenario *s;
	const struct journal *j;
	const struct run_options *options;
	struct replay *replay;
	struct seen *seen;
	uint32_t *local_queues; /* the version in force */
	uint32_t *cohorts;	/* likewise */
	uint32_t evictions;	/* under way */
	simtime updated;	/* an object changed last; CLOCK_NEVER: none did */
	char *text;
	bool broken;
	bool concurrent; /* feature gate: variants do not give back what is done */
};

static void complain(struct book *b, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void complain(struct book *b, const char *property, const char *format, ...)
{
	char when[CLOCK_TEXT];
	va_list args;
	int length;

	if (b->broken)
		return;
	b->broken = true;
	length = snprintf(b->text, PROPERTIES_TEXT, "%s: at %s s: ", property,
			  clock_format_seconds(b->replay->now, when));
	va_start(args, format);
	vsnprintf(b->text + length, PROPERTIES_TEXT - (size_t)length, format, args);
	va_end(args);
}

/* ---- the book ---- */

static const char *job_name(const struct book *b, uint32_t job)
{
	return scenario_string(b->s, b->s->jobs[job].name);
}

static const struct local_queue *local_queue_of(const struct book *b, uint32_t job)
{
	uint32_t lq = b->s->jobs[job].common->local_queue;

	return lq == JOB_NONE ? NULL : &b->s->local_queues[b->local_queues[lq]];
}

static const struct cluster_queue *queue_of(const struct book *b, uint32_t job)
{
	const struct local_queue *lq = local_queue_of(b, job);

	return lq == NULL || lq->cluster_queue == SCENARIO_NONE
		       ? NULL
		       : usage_queue(b->replay->usage, lq->cluster_queue);
}

static bool begins(const struct book *b, uint32_t string, const char *text)
{
	return strncmp(journal_text(b->j, string), text, strlen(text)) == 0;
}

static void note_eviction(struct book *b, struct seen *w, const struct journal_record *r)
{
	const char *at = strstr(journal_text(b->j, r->arg), "requeue_at=");

	w->inactive = w->inactive || begins(b, r->arg, "reason=Deactivated");
	if (at != NULL)
		clock_read_seconds(at + 11, strlen(at + 11), &w->back);
	if (begins(b, r->arg, "reason=AdmissionCheck") ||
	    (begins(b, r->arg, "reason=PodsReadyTimeout") && !b->s->config.requeue_by_creation))
		w->later = clock_floor_second(r->time);
}

/* A check that says Retry may set a back-off, which runs whatever comes. */
static void note_check(struct book *b, struct seen *w, const struct journal_record *r)
{
	uint32_t index = b->s->jobs[r->job].extra;
	const struct job_extra *extra;

	if (index == JOB_NONE || !begins(b, r->arg, "Retry"))
		return;
	extra = &b->s->extras[index];
	for (uint32_t i = 0; i < extra->check_retry_count; i++) {
		simtime back = clock_add(r->time, extra->check_retry[i]);

		w->back = back > w->back ? back : w->back;
	}
}

static void change_priority(struct book *b, const struct update *u)
{
	const struct priority_class *now = &b->s->priority_classes[u->version];

	for (uint32_t i = 0; i < b->s->job_count; i++) {
		if (b->s->jobs[i].common->priority_class == now->name)
			b->seen[i].priority = now->value;
	}
}

static void note_update(struct book *b, const struct update *u)
{
	b->updated = u->at;
	if (u->kind == UPDATE_LOCAL_QUEUE && u->object != SCENARIO_NONE)
		b->local_queues[u->object] = u->version;
	if (u->kind == UPDATE_COHORT && u->object != SCENARIO_NONE)
		b->cohorts[u->object] = u->version;
	if (u->kind == UPDATE_WORKLOAD_PRIORITY_CLASS)
		change_priority(b, u);
}

static void leave(struct book *b, struct seen *w)
{
	b->evictions -= w->evicted;
	w->waits = w->evicted = false;
	w->done = true;
}

static void note_job(struct book *b, struct seen *w, const struct journal_record *r)
{
	switch (r->kind) {
	case J_SUBMIT:
		w->came = w->waits = true;
		w->created = w->order = clock_floor_second(r->time);
		break;
	case J_STATUS:
		w->reason = r->arg;
		w->told = journal_text(b->j, r->arg2)[0] != '\0';
		w->inactive = begins(b, r->arg2, "The workload is deactivated");
		w->skipped = begins(b, r->arg2, "Workload no longer fits") ||
			     begins(b, r->arg2, "Workload has overlapping");
		break;
	case J_ADMITTED:
		w->reserved = false;
		break;
	case J_QUOTA_RESERVED:
		w->waits = false;
		w->reserved = r->arg2 != 0;
		w->order = w->created;
		w->back = w->later = -1;
		break;
	case J_EVICTED:
		note_eviction(b, w, r);
		w->evicted = true;
		b->evictions++;
		break;
	case J_CHECK:
		note_check(b, w, r);
		break;
	case J_PREEMPTED:
		w->evicted = true;
		b->evictions++;
		break;
	case J_RELEASED:
		b->evictions -= w->evicted;
		w->evicted = false;
		w->waits = true;
		w->reborn = w->reborn || scenario_job_elastic(b->s, r->job);
		w->order = w->later >= 0 ? w->later : w->order;
		break;
	case J_UNRESERVED:
		w->waits = true;
		break;
	case J_RESIZED:
		w->reborn = w->reborn || r->arg2 != 0;
		break;
	case J_FINISHED:
	case J_FAILED:
	case J_DELETED:
		leave(b, w);
		break;
	case J_POD_FAILED:
	case J_POD_FORBIDDEN:
	case J_SECOND_PASS_FAILED:
		w->told = true;
		break;
	default:
		break;
	}
}

/* ---- counts ---- */

static void check_counts(struct book *b)
{
	const struct replay_levels *levels = &b->replay->levels;
	int64_t running = 0, bound = 0, asked = 0;
	uint32_t pending = 0;

	for (uint32_t i = 0; i < b->s->job_count; i++) {
		const struct replay_job *job = &b->replay->jobs[i];
		uint32_t working = replay_more(b->replay->jobs, b->replay->more, i)->working;
		bool there = (job->flags & (REPLAY_SUBMITTED | REPLAY_DONE)) == REPLAY_SUBMITTED;

		if ((b->s->jobs[i].common->flags & JOB_SOLO) || working > 0)
			running += working;
		else
			running += job->flags & REPLAY_RUNNING ? job->wanted : 0;
		bound += job->bound;
		pending += there && !(job->flags & REPLAY_RUNNING);
		if (there && !(job->flags & REPLAY_STOPPING) && job->wanted > job->bound &&
		    !(job->staged && working > 0))
			asked += job->wanted - job->bound;
		if (job->staged && working > job->bound)
			complain(b, "counts", "%s works on GPUs that it does not hold",
				 job_name(b, i));
		if (job->staged && (job->flags & REPLAY_RUNNING) && job->wanted > job->bound &&
		    !b->concurrent)
			complain(b, "counts", "%s runs without all its GPUs", job_name(b, i));
		if (!there && (job->bound > 0 || job->bound_pods > 0))
			complain(b, "counts", "%s is not there and holds GPUs", job_name(b, i));
	}
	if (running != levels->running || pending != levels->pending_jobs || asked != levels->asked)
		complain(b, "counts",
			 "the levels say %" PRId64 " running, %" PRId64 " asked, %" PRIu32
			 " pending; the jobs %" PRId64 ", %" PRId64 ", %" PRIu32,
			 levels->running, levels->asked, levels->pending_jobs, running, asked,
			 pending);
	/* Pods on nodes that were lost count no more. */
	if (bound < levels->bound || levels->bound < 0)
		complain(b, "counts", "%" PRId64 " GPUs are bound, %" PRId64 " to jobs",
			 levels->bound, bound);
}

/* ---- order ---- */

static const struct label_set *labels_of(const struct book *b, uint32_t ns)
{
	static const struct label_set none = {NULL, 0};

	for (uint32_t i = 0; i < b->s->namespace_count; i++) {
		if (b->s->namespaces[i].name == ns)
			return &b->s->namespaces[i].labels;
	}
	return &none;
}

/* It is no workload yet: its WorkloadPriorityClass or its queue is missing. */
static bool is_unfiled(const struct book *b, uint32_t job)
{
	return b->seen[job].told &&
	       strcmp(journal_text(b->j, b->seen[job].reason), "Misconfigured") == 0;
}

/* Could a cycle admit it now, but for quota? */
static bool is_eligible(const struct book *b, uint32_t job, simtime now)
{
	const struct seen *w = &b->seen[job];
	const struct local_queue *lq = local_queue_of(b, job);
	const struct cluster_queue *queue = queue_of(b, job);

	return w->waits && !w->inactive && !is_unfiled(b, job) && w->back <= now && queue != NULL &&
	       !lq->absent && !queue->absent && lq->stop == STOP_NONE && queue->stop == STOP_NONE &&
	       (b->s->jobs[job].common->flags & JOB_UNMANAGED) == 0 &&
	       label_selector_matches(b->s->strings, labels_of(b, b->s->jobs[job].common->ns),
				      &queue->namespace_selector);
}

/* Kueue keeps the order that a queue's heap was created with, whatever its spec becomes. */
static bool orders_by_usage(const struct book *b, const struct cluster_queue *queue)
{
	bool by_usage = queue->usage_based_fair_sharing;

	for (uint32_t i = 0; i < b->s->cluster_queue_count && !by_usage; i++)
		by_usage = b->s->cluster_queues[i].name == queue->name &&
			   b->s->cluster_queues[i].usage_based_fair_sharing;
	return by_usage && b->s->config.admission_fair_sharing;
}

static bool stands_before(const struct book *b, uint32_t x, uint32_t y)
{
	const struct seen *a = &b->seen[x], *c = &b->seen[y];

	if (a->priority != c->priority)
		return a->priority > c->priority;
	return a->order != c->order ? a->order < c->order : x < y;
}

/* One of the same queue that stands before the job, or may; JOB_NONE. */
static uint32_t one_before(const struct book *b, uint32_t job, simtime now)
{
	for (uint32_t i = 0; i < b->s->job_count; i++) {
		const struct cluster_queue *queue = queue_of(b, i);

		if (i != job && queue != NULL && queue == queue_of(b, job) && !b->seen[i].reborn &&
		    is_eligible(b, i, now) &&
		    (orders_by_usage(b, queue) || stands_before(b, i, job)))
			return i;
	}
	return JOB_NONE;
}

static void check_order(struct book *b, const struct journal_record *r)
{
	const struct cluster_queue *queue = queue_of(b, r->job);
	uint32_t other;

	if (b->s->config.block_admission || queue == NULL || b->seen[r->job].reborn ||
	    queue->strategy != QUEUE_STRICT_FIFO || orders_by_usage(b, queue) ||
	    (b->updated != CLOCK_NEVER && r->time - b->updated <= b->options->requeue_batch))
		return;
	other = one_before(b, r->job, r->time);
	if (other != JOB_NONE)
		complain(b, "order", "%s overtakes %s in a StrictFIFO queue", job_name(b, r->job),
			 job_name(b, other));
}

/* ---- shortage ---- */

/* Its cohort is on or below a cycle of parents: it is inactive, and its workloads are
 * not told. */
static bool is_in_cycle(const struct book *b, const struct cluster_queue *queue)
{
	uint32_t cohort = queue->cohort, steps = 0;

	while (cohort != SCENARIO_NONE && steps++ <= b->s->cohort_count)
		cohort = b->s->cohorts[b->cohorts[cohort]].parent;
	return cohort != SCENARIO_NONE;
}

static bool is_plain_flavor(const struct book *b, uint32_t flavor)
{
	return flavor != SCENARIO_NONE && b->s->flavors[flavor].taints.count == 0 &&
	       b->s->flavors[flavor].node_labels.count == 0 &&
	       b->s->flavors[flavor].topology == SCENARIO_NONE;
}

/* Of the resource, the flavor of its group if that is the only one and plain. */
static uint32_t only_flavor(const struct book *b, const struct cluster_queue *queue, uint32_t r)
{
	for (uint32_t g = 0; g < queue->group_count; g++) {
		const struct resource_group *group = &queue->groups[g];

		for (uint32_t i = 0; i < group->resource_count; i++) {
			if (group->resources[i] == r)
				return group->flavor_count == 1 &&
						       is_plain_flavor(b, group->flavors[0])
					       ? group->flavors[0]
					       : SCENARIO_NONE;
		}
	}
	return SCENARIO_NONE;
}

static int64_t request_of(const struct book *b, uint32_t job, uint32_t resource)
{
	const struct job *input = &b->s->jobs[job];
	int64_t sum = 0;

	for (uint32_t i = 0; i < input->common->pod_set_count; i++) {
		const struct pod_set *set = &b->s->pod_sets[input->common->first_pod_set + i];

		sum += b->s->shapes[set->shape].request[resource] * set->count;
	}
	return sum;
}

static bool fits_nominal(const struct book *b, uint32_t job)
{
	const struct cluster_queue *queue = queue_of(b, job);
	const struct local_queue *lq = local_queue_of(b, job);
	const struct usage *usage = b->replay->usage;

	for (uint32_t r = 0; r < b->s->resource_count; r++) {
		int64_t request = request_of(b, job, r);
		uint32_t flavor, cell;

		if (request == 0)
			continue;
		flavor = only_flavor(b, queue, r);
		if (flavor == SCENARIO_NONE)
			return false;
		cell = lq == NULL ? SCENARIO_NONE : usage_find(usage, lq->cluster_queue, flavor, r);
		if (cell == SCENARIO_NONE ||
		    usage->cells[cell].used + request > usage->cells[cell].nominal)
			return false;
	}
	return true;
}

/* Might a slice of an elastic job stand before it? Of these the journal tells only once they
 * have quota. */
static bool has_elastic(const struct book *b, const struct cluster_queue *queue)
{
	for (uint32_t i = 0; i < b->s->job_count; i++) {
		if (scenario_job_elastic(b->s, i) && queue_of(b, i) == queue)
			return true;
	}
	return false;
}

/* Does one before it keep the queue from trying it? In a StrictFIFO queue the first
 * always does, and so it does without the gate FlavorFungibility, where it has flavors
 * to try for ever; else one that was nominated and then found no room. */
static bool is_behind(const struct book *b, uint32_t job, simtime now)
{
	const struct cluster_queue *queue = queue_of(b, job);

	if (queue != NULL && (queue->strategy == QUEUE_STRICT_FIFO ||
			      !kueue_gates_read(&b->s->config, b->s->strings).fungibility))
		return one_before(b, job, now) != JOB_NONE;
	for (uint32_t i = 0; i < b->s->job_count; i++) {
		if (i != job && b->seen[i].skipped && queue_of(b, i) == queue &&
		    is_eligible(b, i, now))
			return true;
	}
	return false;
}

static bool waits_for_quota(const struct book *b, uint32_t job)
{
	const char *reason = journal_text(b->j, b->seen[job].reason);

	return strcmp(reason, "WaitingForQuota") == 0 || strcmp(reason, "ExceedsMaxQuota") == 0 ||
	       strcmp(reason, "WaitingForPreemptedWorkloads") == 0;
}

/* Kueue forgets a LocalQueue that is stopped or gone: quota that its workloads give back wakes
 * nobody. */
static bool any_stopped(const struct book *b)
{
	for (uint32_t i = 0; i < b->s->local_queue_count; i++) {
		const struct local_queue *lq = &b->s->local_queues[b->local_queues[i]];

		if (lq->stop != STOP_NONE || lq->absent)
			return true;
	}
	return false;
}

static bool may_reclaim(const struct book *b, const struct cluster_queue *queue)
{
	if (is_in_cycle(b, queue))
		return false;
	return queue->cohort == SCENARIO_NONE || queue->reclaim_within_cohort == PREEMPT_ANY;
}

/* Of a variant that waits for checks the journal tells only once it is admitted. */
static bool has_hidden_holders(const struct cluster_queue *queue)
{
	return queue->concurrent && queue->check_count > 0;
}

/* Nothing happens until then. */
static void check_shortage(struct book *b, simtime until)
{
	simtime now = b->replay->now;

	if (b->evictions > 0 || b->s->config.block_admission || any_stopped(b) ||
	    until - now <= b->options->requeue_batch + 2 * CLOCK_SECOND)
		return;
	for (uint32_t i = 0; i < b->s->job_count; i++) {
		const struct cluster_queue *queue = queue_of(b, i);

		if (!b->seen[i].waits || queue == NULL || !is_eligible(b, i, now) ||
		    !waits_for_quota(b, i) || !may_reclaim(b, queue) || !fits_nominal(b, i) ||
		    is_behind(b, i, now) || has_elastic(b, queue) || has_hidden_holders(queue))
			continue;
		complain(b, "shortage", "%s fits in its queue's nominal quota and waits (%s)",
			 job_name(b, i), journal_text(b->j, b->seen[i].reason));
	}
}

/* ---- end ---- */

/* A cycle that waits for pods to be ready (blockAdmission) keeps the second pass from
 * those pods: Kueue stands still for ever, and tells nobody. So it does where it waits for those
 * of a variant that was admitted in a LocalQueue that is stopped: its job is not, as the
 * controller of variants finds no queue to go by. */
static bool stands_still(const struct book *b)
{
	if (b->s->config.block_admission && any_stopped(b) &&
	    kueue_gates_read(&b->s->config, b->s->strings).concurrent)
		return true;
	for (uint32_t i = 0; i < b->s->job_count && b->s->config.block_admission; i++) {
		if (b->seen[i].reserved)
			return true;
	}
	return false;
}

/* Alike ones are parked without a word, whatever becomes of the one before them later. */
static bool is_parked_behind(const struct book *b, uint32_t job)
{
	bool any = false;

	for (uint32_t i = 0; i < b->s->job_count && !any; i++)
		any = i != job && b->seen[i].waits && queue_of(b, i) == queue_of(b, job) &&
		      stands_before(b, i, job);
	return any;
}

static bool is_left_alone(const struct book *b, uint32_t job)
{
	const struct cluster_queue *queue = queue_of(b, job);

	/* Nobody is told of a slice that waits, nor, when it is withdrawn, who waited behind it. */
	if (queue != NULL && has_elastic(b, queue))
		return true;
	return b->seen[job].waits &&
	       (one_before(b, job, b->replay->now) != JOB_NONE || is_parked_behind(b, job) ||
		(queue != NULL && is_in_cycle(b, queue)));
}

static void check_end(struct book *b)
{
	if (b->j->end != RUN_COMPLETE || stands_still(b))
		return;
	for (uint32_t i = 0; i < b->s->job_count; i++) {
		const struct seen *w = &b->seen[i];
		uint8_t flags = b->replay->jobs[i].flags;

		if (w->done || !w->came || (flags & REPLAY_RUNNING) != 0 || w->told ||
		    is_left_alone(b, i))
			continue;
		complain(b, "end", "%s never ended, does not run, and nothing says why",
			 job_name(b, i));
	}
}

/* ---- all ---- */

static simtime next_time(const struct book *b)
{
	return b->replay->last < b->j->count ? journal_read(b->replay->in, b->replay->last)->time
					     : CLOCK_NEVER;
}

static void follow(struct book *b)
{
	while (!b->broken && replay_step(b->replay, CLOCK_NEVER)) {
		for (size_t i = b->replay->first; i < b->replay->last; i++) {
			const struct journal_record *r = journal_read(b->replay->in, i);

			if (r->kind == J_UPDATE)
				note_update(b, &b->s->updates[r->arg]);
			if (r->kind == J_QUOTA_RESERVED)
				check_order(b, r);
			if (r->job != JOB_NONE)
				note_job(b, &b->seen[r->job], r);
		}
		check_counts(b);
		/* At the end of a run that was cut short more might have come. */
		if (next_time(b) != CLOCK_NEVER || b->j->end == RUN_COMPLETE)
			check_shortage(b, next_time(b));
	}
}

static void open_book(struct book *b)
{
	uint32_t local_queues = b->s->local_queue_count;

	b->replay = replay_new(b->j);
	b->seen = mem_calloc(b->s->job_count, sizeof(*b->seen));
	for (uint32_t i = 0; i < b->s->job_count; i++)
		b->seen[i] = (struct seen){.priority = b->s->jobs[i].common->priority,
					   .back = -1,
					   .later = -1,
					   .reason = NAME_NONE};
	b->local_queues = mem_calloc(local_queues, sizeof(*b->local_queues));
	for (uint32_t i = 0; i < local_queues; i++)
		b->local_queues[i] = i;
	b->cohorts = mem_calloc(b->s->cohort_count, sizeof(*b->cohorts));
	for (uint32_t i = 0; i < b->s->cohort_count; i++)
		b->cohorts[i] = i;
}

bool properties_hold(const struct journal *journal, const struct run_options *options,
		     char text[PROPERTIES_TEXT])
{
	const struct scenario *s = journal->scenario;
	struct book b = {.s = s,
			 .concurrent = kueue_gates_read(&s->config, s->strings).concurrent,
			 .j = journal,
			 .options = options,
			 .updated = CLOCK_NEVER,
			 .text = text};
	static struct audit audit;
	char line[AUDIT_TEXT];

	if (!audit_check(journal, &audit)) {
		snprintf(text, PROPERTIES_TEXT, "audit: %s",
			 audit_text(journal, &audit.listed[0], line));
		return false;
	}
	open_book(&b);
	follow(&b);
	if (!b.broken)
		check_end(&b);
	replay_free(b.replay);
	mem_free(b.seen);
	mem_free(b.local_queues);
	mem_free(b.cohorts);
	return !b.broken;
}
