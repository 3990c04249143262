#include "sim/engine/audit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/cluster.h"
#include "sim/engine/audit_quota.h"
#include "sim/scenario/profile.h"

enum stage { FUTURE, WAITING, HOLDING /* a reservation */, LEAVING, DONE };

struct effort { /* for one completion */
	simtime ran, lost;
	bool done;
};

struct shift {	       /* of one pod slot */
	simtime since; /* CLOCK_NEVER: does not work */
	uint32_t completion;
};

struct account {       /* of one job */
	simtime since; /* of the present run; CLOCK_NEVER: not running */
	simtime ran;
	uint32_t admission; /* JOB_NONE */
	uint32_t charged;   /* admission with what of it is counted; JOB_NONE */
	uint32_t attempt;
	uint32_t bound;
	uint8_t stage; /* enum stage */
	bool suspect;  /* lost a pod while running: must stop at this instant */
	bool troubled; /* struct trouble has something of it */
};

struct trouble { /* of one job: what befalls few */
	simtime lost;
	simtime paused; /* of the present run: a pod had failed and was not back yet */
	simtime paused_since;
	bool pausing;
	uint32_t succeeded;	/* completions */
	struct effort *efforts; /* [completion] of pods that work each for itself; NULL */
};

struct auditor {
	const struct journal *journal;
	const struct scenario *scenario;
	struct audit *audit;
	simtime now;
	const struct journal_record *record; /* the one being looked at */
	struct account *jobs;
	struct trouble *troubles; /* [job]; NULL: none had any */
	uint32_t *node_of;	  /* per pod slot; NODE_NONE */
	struct shift *shifts;	  /* per pod slot; NULL: no pods work each for itself */
	bool *done; /* per pod slot: a start-up order is done with it; NULL: none is */
	struct node *nodes;
	bool *usable;
	uint32_t node_count;
	struct cluster_usage usage;
	struct audit_quota *quota;
	uint32_t *suspects;
	size_t suspect_capacity;
	uint32_t suspect_count;
	bool admission;	  /* some reservation is in the journal */
	bool placement;	  /* some pod was bound */
	simtime replaced; /* last time a slice replaced another; CLOCK_NEVER */
	simtime resumed;  /* last time a cycle that waited for pods went on; CLOCK_NEVER */
};

static void violation(struct auditor *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void violation(struct auditor *a, const char *fmt, ...)
{
	struct audit_violation *v;
	va_list args;

	a->audit->count++;
	if (a->audit->listed_count == AUDIT_LISTED)
		return;
	v = &a->audit->listed[a->audit->listed_count++];
	v->time = a->record->time;
	v->job = a->record->job;
	va_start(args, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, args);
	va_end(args);
}

const char *audit_text(const struct journal *journal, const struct audit_violation *v,
		       char buf[AUDIT_TEXT])
{
	char time[CLOCK_TEXT], name[SCENARIO_NAME_TEXT];

	clock_format_seconds(v->time, time);
	if (v->job == JOB_NONE)
		snprintf(buf, AUDIT_TEXT, "at %s s: %s", time, v->text);
	else
		snprintf(buf, AUDIT_TEXT, "at %s s, job %.100s: %s", time,
			 scenario_job_name(journal->scenario, v->job, name), v->text);
	return buf;
}

/* ---- the books ---- */

static void open_nodes(struct auditor *a)
{
	const struct scenario *s = a->scenario;

	a->node_count = s->node_count + scenario_added_nodes(s);
	a->nodes = mem_calloc(a->node_count, sizeof(*a->nodes));
	a->usable = mem_calloc(a->node_count, sizeof(*a->usable));
	for (uint32_t i = 0; i < s->node_count; i++) {
		a->nodes[i] = s->nodes[i];
		a->usable[i] = s->nodes[i].ready && !s->nodes[i].spare;
	}
	cluster_usage_init(&a->usage, a->nodes, a->node_count, s->resource_count);
}

static bool is_solo(const struct auditor *a, uint32_t job)
{
	return (a->scenario->jobs[job].common->flags & JOB_SOLO) != 0;
}

static uint32_t completions_of(const struct auditor *a, uint32_t job)
{
	uint32_t n = scenario_job_completions(a->scenario, job);

	return n == JOB_NONE ? a->scenario->jobs[job].common->pods : n;
}

static struct trouble *trouble_of(struct auditor *a, uint32_t job)
{
	if (a->troubles == NULL)
		a->troubles = mem_calloc(a->scenario->job_count, sizeof(*a->troubles));
	a->jobs[job].troubled = true;
	return &a->troubles[job];
}

static struct trouble *trouble(struct auditor *a)
{
	return trouble_of(a, a->record->job);
}

static void open_shifts(struct auditor *a, uint32_t slots)
{
	if (!a->journal->survey.solo)
		return;
	for (uint32_t job = 0; job < a->scenario->job_count; job++) {
		if (!is_solo(a, job))
			continue;
		trouble_of(a, job)->efforts =
			mem_calloc(completions_of(a, job), sizeof(struct effort));
		if (a->shifts == NULL)
			a->shifts = mem_calloc(slots, sizeof(*a->shifts));
	}
	for (uint32_t i = 0; a->shifts != NULL && i < slots; i++)
		a->shifts[i].since = CLOCK_NEVER;
}

static void open_books(struct auditor *a)
{
	const struct journal *j = a->journal;
	uint32_t slots = j->first_pod[a->scenario->job_count];

	a->admission = journal_has(j, J_QUOTA_RESERVED);
	a->placement = journal_has(j, J_POD_SCHEDULED);
	a->jobs = mem_calloc(a->scenario->job_count, sizeof(*a->jobs));
	open_shifts(a, slots);
	for (uint32_t i = 0; i < a->scenario->job_count; i++) {
		a->jobs[i].since = CLOCK_NEVER;
		a->jobs[i].admission = a->jobs[i].charged = JOB_NONE;
	}
	if (a->placement) {
		a->node_of = mem_calloc(slots, sizeof(*a->node_of));
		for (uint32_t i = 0; i < slots; i++)
			a->node_of[i] = NODE_NONE;
		open_nodes(a);
	}
	if (a->admission)
		a->quota = audit_quota_new(a->scenario);
}

static void close_books(struct auditor *a)
{
	for (uint32_t job = 0; a->troubles != NULL && job < a->scenario->job_count; job++)
		mem_free(a->troubles[job].efforts);
	mem_free(a->troubles);
	mem_free(a->shifts);
	mem_free(a->done);
	mem_free(a->jobs);
	mem_free(a->node_of);
	mem_free(a->nodes);
	mem_free(a->usable);
	if (a->placement)
		cluster_usage_free(&a->usage);
	audit_quota_free(a->quota);
	mem_free(a->suspects);
}

static struct account *account(struct auditor *a)
{
	return &a->jobs[a->record->job];
}

static const struct job *job_of(const struct auditor *a)
{
	return &a->scenario->jobs[a->record->job];
}

static bool managed(const struct auditor *a)
{
	return a->admission && (job_of(a)->common->flags & JOB_UNMANAGED) == 0;
}

static void expect(struct auditor *a, enum stage low, enum stage high, const char *what)
{
	static const char *const names[] = {"not submitted", "waiting", "holding a reservation",
					    "being stopped", "done"};
	enum stage stage = account(a)->stage;

	if (stage < low || stage > high)
		violation(a, "%s while %s", what, names[stage]);
}

/* ---- pods and nodes ---- */

static const struct admission *reservation(const struct auditor *a, uint32_t job)
{
	uint32_t admission = a->jobs[job].admission;

	return admission == JOB_NONE ? NULL : &a->journal->admissions[admission];
}

/* The pod set of a slot of the record's job, within the job. */
static uint32_t pod_set_of(const struct auditor *a, uint32_t slot)
{
	uint32_t index = slot - a->journal->first_pod[a->record->job], k = 0;

	while (index >= a->scenario->pod_sets[job_of(a)->common->first_pod_set + k].count)
		index -= a->scenario->pod_sets[job_of(a)->common->first_pod_set + k++].count;
	return k;
}

static const struct pod_shape *shape_of(const struct auditor *a, uint32_t slot)
{
	uint32_t set = job_of(a)->common->first_pod_set + pod_set_of(a, slot);

	return &a->scenario->shapes[a->scenario->pod_sets[set].shape];
}

/* Flavors add labels that the node must carry, and tolerations: with a
 * reservation only the former are checked. */
static bool suits(const struct auditor *a, uint32_t slot, const struct node *node)
{
	const struct admission *r = reservation(a, a->record->job);
	const struct admission_pod_set *set;

	if (r == NULL)
		return profile_node_suits(a->scenario, node, shape_of(a, slot));
	set = &r->pod_sets[pod_set_of(a, slot)];
	for (uint32_t i = 0; i < set->flavor_count; i++) {
		const struct flavor *f = &a->scenario->flavors[set->flavors[i].flavor];

		if (!label_contains(&node->labels, &f->node_labels))
			return false;
	}
	return label_contains(&node->labels, &shape_of(a, slot)->node_selector);
}

static const char *node_name(const struct auditor *a, uint32_t node)
{
	return scenario_string(a->scenario, a->nodes[node].name);
}

static void bind(struct auditor *a)
{
	uint32_t slot = a->record->pod, node = a->record->arg;
	const struct pod_shape *shape = shape_of(a, slot);

	expect(a, managed(a) ? HOLDING : WAITING, managed(a) ? HOLDING : WAITING, "a pod is bound");
	if (a->node_of[slot] != NODE_NONE) {
		violation(a, "pod %u is bound twice", slot - a->journal->first_pod[a->record->job]);
		return;
	}
	if (!a->usable[node] || !suits(a, slot, &a->nodes[node]))
		violation(a, "a pod is bound to node \"%.100s\", which does not suit it",
			  node_name(a, node));
	if (!cluster_fits(&a->usage, node, shape))
		violation(a, "node \"%.100s\" has not the room for its pod", node_name(a, node));
	cluster_add(&a->usage, node, shape);
	a->node_of[slot] = node;
	account(a)->bound++;
}

static void suspect(struct auditor *a)
{
	struct account *j = account(a);

	if (j->since == CLOCK_NEVER || j->suspect || is_solo(a, a->record->job))
		return;
	j->suspect = true;
	a->suspects = mem_grow(a->suspects, a->suspect_count + 1u, &a->suspect_capacity,
			       sizeof(*a->suspects));
	a->suspects[a->suspect_count++] = a->record->job;
}

/* ---- pods that work each for itself ---- */

static void end_shift(struct auditor *a, uint32_t slot)
{
	struct shift *shift = &a->shifts[slot];

	if (shift->since == CLOCK_NEVER)
		return;
	trouble(a)->efforts[shift->completion].ran += a->record->time - shift->since;
	shift->since = CLOCK_NEVER;
}

static void end_shifts(struct auditor *a)
{
	uint32_t first = a->journal->first_pod[a->record->job];

	for (uint32_t i = 0; is_solo(a, a->record->job) && i < job_of(a)->common->pods; i++)
		end_shift(a, first + i);
}

static void pod_started(struct auditor *a)
{
	struct shift *shift = &a->shifts[a->record->pod];

	if (account(a)->since == CLOCK_NEVER)
		violation(a, "a pod works though its job does not");
	if (shift->since != CLOCK_NEVER)
		violation(a, "a pod starts though it works");
	if (a->placement && a->node_of[a->record->pod] == NODE_NONE)
		violation(a, "a pod works that no node has");
	if (a->record->arg >= completions_of(a, a->record->job) ||
	    trouble(a)->efforts[a->record->arg].done) {
		violation(a, "a pod works on completion %" PRIu32 ", which is none or is done",
			  a->record->arg);
		return;
	}
	*shift = (struct shift){.since = a->record->time, .completion = a->record->arg};
}

static void pod_paused(struct auditor *a)
{
	if (a->shifts[a->record->pod].since == CLOCK_NEVER)
		violation(a, "a pod stops though it does not work");
	end_shift(a, a->record->pod);
}

static void check_effort(struct auditor *a, uint32_t completion)
{
	struct effort *effort = &trouble(a)->efforts[completion];
	simtime work = scenario_job_work(a->scenario, a->record->job, completion);
	char did[CLOCK_TEXT], should[CLOCK_TEXT];

	if (effort->ran - effort->lost != work)
		violation(a, "a pod succeeded after %s s of work instead of %s s",
			  clock_format_seconds(effort->ran - effort->lost, did),
			  clock_format_seconds(work, should));
	if (effort->done)
		violation(a, "completion %" PRIu32 " is done twice", completion);
	effort->done = true;
	trouble(a)->succeeded++;
}

static void effort_lost(struct auditor *a, simtime lost)
{
	const struct shift *shift = &a->shifts[a->record->pod];
	struct effort *effort = &trouble(a)->efforts[shift->completion];
	simtime running = shift->since == CLOCK_NEVER ? 0 : a->record->time - shift->since;

	effort->lost += lost;
	if (lost < 0 || effort->lost > effort->ran + running)
		violation(a, "a pod lost more work than it did");
}

/* ---- pods leave ---- */

static void unbind(struct auditor *a, uint32_t slot)
{
	cluster_remove(&a->usage, a->node_of[slot], shape_of(a, slot));
	a->node_of[slot] = NODE_NONE;
	account(a)->bound--;
}

static void lose_pod(struct auditor *a)
{
	if (is_solo(a, a->record->job))
		end_shift(a, a->record->pod);
	if (!a->placement)
		return;
	if (a->node_of[a->record->pod] != a->record->arg)
		violation(a, "a pod is gone from a node where it was not");
	if (a->node_of[a->record->pod] == NODE_NONE)
		return;
	unbind(a, a->record->pod);
	suspect(a);
}

/* Pods of a start-up order are done before their job works; they stay away. */
static void stage_done(struct auditor *a)
{
	const struct job_control *control = scenario_job_control(a->scenario, a->record->job);

	if (control == NULL || control->startup_count == 0 ||
	    control->set_works[pod_set_of(a, a->record->pod)] < 0)
		violation(a, "a pod of a gang is done before its job");
	if (account(a)->since != CLOCK_NEVER)
		violation(a, "a pod is done while its job works, which it comes before");
	lose_pod(a);
	if (a->done == NULL)
		a->done =
			mem_calloc(a->journal->first_pod[a->scenario->job_count], sizeof(*a->done));
	a->done[a->record->pod] = true;
}

static void pod_succeeded(struct auditor *a)
{
	if (!is_solo(a, a->record->job)) {
		stage_done(a);
		return;
	}
	if (a->shifts[a->record->pod].since == CLOCK_NEVER)
		violation(a, "a pod succeeded that did not work");
	lose_pod(a);
	check_effort(a, a->record->arg2);
}

static void unbind_all(struct auditor *a)
{
	uint32_t first = a->placement ? a->journal->first_pod[a->record->job] : 0;

	for (uint32_t i = 0; a->placement && i < job_of(a)->common->pods && account(a)->bound != 0;
	     i++) {
		if (a->node_of[first + i] != NODE_NONE)
			unbind(a, first + i);
	}
}

/* ---- jobs ---- */

/* Of the first pods of a set, those that are still to come or there. */
static uint32_t not_done(const struct auditor *a, uint32_t slot, uint32_t count)
{
	uint32_t n = count;

	for (uint32_t i = 0; a->done != NULL && i < count; i++)
		n -= a->done[slot + i];
	return n;
}

static uint32_t wanted(const struct auditor *a, uint32_t job)
{
	const struct admission *r = reservation(a, job);
	const struct job *j = &a->scenario->jobs[job];
	uint32_t n = 0, slot = a->journal->first_pod[job];

	if (r == NULL)
		return not_done(a, slot, j->common->pods);
	for (uint32_t i = 0; i < r->pod_set_count; i++) {
		n += not_done(a, slot, r->pod_sets[i].count);
		slot += a->scenario->pod_sets[j->common->first_pod_set + i].count;
	}
	return n;
}

/* What the present run was paused for. */
static simtime pause_until_now(const struct auditor *a, const struct trouble *t)
{
	return t->paused + (t->pausing ? a->record->time - t->paused_since : 0);
}

static void stop_running(struct auditor *a)
{
	struct account *j = account(a);

	end_shifts(a);
	if (j->since == CLOCK_NEVER)
		return;
	j->ran += a->record->time - j->since;
	if (j->troubled)
		j->ran -= pause_until_now(a, trouble(a));
	j->since = CLOCK_NEVER;
}

static void give_back(struct auditor *a)
{
	uint32_t charged = account(a)->charged;

	if (charged != JOB_NONE)
		audit_quota_give(a->quota, a->record->job, &a->journal->admissions[charged]);
	account(a)->admission = account(a)->charged = JOB_NONE;
}

/* A run of a CronJob may have to wait for the one before it. */
static bool comes_late(const struct auditor *a)
{
	const struct job_control *control = scenario_job_control(a->scenario, a->record->job);

	return control != NULL && control->cron != NULL && control->cron->policy == CRON_FORBID &&
	       a->record->time > job_of(a)->submit;
}

static void submitted(struct auditor *a)
{
	expect(a, FUTURE, FUTURE, "submitted");
	if (a->record->time != job_of(a)->submit && !comes_late(a))
		violation(a, "submitted at another time than its own");
	account(a)->stage = WAITING;
}

/* A cycle that waited for pods goes by the objects that were when it began; one that has
 * replaced a workload slice counts the old one as gone twice (Kueue ff69552e: it stays
 * among the preempted workloads, whose usage fits() takes away); what a variant holds its
 * job gets later. */
static bool limits_waived(const struct auditor *a)
{
	return a->record->incarnation != 0 ||
	       (a->resumed == a->record->time && a->scenario->update_count > 0) ||
	       a->replaced == a->record->time;
}

static void reserved(struct auditor *a)
{
	char text[256];
	bool late;

	expect(a, WAITING, WAITING, "quota reserved");
	give_back(a);
	account(a)->stage = HOLDING;
	account(a)->admission = account(a)->charged = a->record->arg;
	late = limits_waived(a);
	if (!late && !audit_quota_open(a->quota, reservation(a, a->record->job))) {
		violation(a, "quota reserved in a ClusterQueue that is not there");
		return;
	}
	audit_quota_take(a->quota, a->record->job, reservation(a, a->record->job));
	if (late)
		return;
	if (!audit_quota_holds(a->quota, a->record->job, reservation(a, a->record->job), text,
			       sizeof(text)))
		violation(a, "%s", text);
}

/* Other domains, and nothing else. */
static void moved(struct auditor *a)
{
	const struct admission *before = reservation(a, a->record->job), *now;

	expect(a, HOLDING, HOLDING, "moved");
	now = &a->journal->admissions[a->record->arg];
	if (before == NULL || before->cluster_queue != now->cluster_queue)
		violation(a, "a reservation that moves is another");
	account(a)->admission = a->record->arg;
}

static void resumed(struct auditor *a)
{
	a->resumed = a->record->time;
}

/* A victim keeps its quota until it is released, but from its eviction on Kueue
 * plans with what it will free: decisions later in that cycle may count on it. */
static void leave_quota(struct auditor *a)
{
	stop_running(a);
	give_back(a);
	account(a)->stage = LEAVING;
}

static void evicted(struct auditor *a)
{
	expect(a, HOLDING, LEAVING, "evicted");
	leave_quota(a);
}

/* Where nobody admits, a job has its pods from its submission on. It may be between two
 * attempts: a pod of it failed. */
static void preempted(struct auditor *a)
{
	if (managed(a))
		expect(a, HOLDING, LEAVING, "preempted");
	else if (account(a)->attempt == 0)
		violation(a, "preempted though it never ran");
	leave_quota(a);
}

static void pods_not_ready(struct auditor *a)
{
	trouble(a)->pausing = true;
	trouble(a)->paused_since = a->record->time;
}

static void pods_ready(struct auditor *a)
{
	if (!account(a)->troubled)
		return;
	trouble(a)->paused = pause_until_now(a, trouble(a));
	trouble(a)->pausing = false;
}

/* Decisions count on that quota since it was told to stop. */
static void freed(struct auditor *a)
{
	expect(a, LEAVING, LEAVING, "freed of its quota");
}

static void released(struct auditor *a)
{
	expect(a, LEAVING, LEAVING, "released");
	unbind_all(a);
	give_back(a);
	account(a)->stage = WAITING;
}

/* It may only keep less than it had. */
static void reclaimed(struct auditor *a)
{
	const struct admission *all = a->journal->admissions;
	const struct admission *has = &all[a->record->arg];
	uint32_t admission = account(a)->admission, before = account(a)->charged;

	expect(a, HOLDING, HOLDING, "quota reclaimed");
	for (uint32_t i = 0; before != JOB_NONE && i < has->pod_set_count; i++) {
		if (has->pod_sets[i].count > all[before].pod_sets[i].count)
			violation(a, "more pods hold quota after some are done");
	}
	give_back(a);
	audit_quota_take(a->quota, a->record->job, has);
	account(a)->admission = admission;
	account(a)->charged = a->record->arg;
}

/* Is there room for what a slice asks beyond the one it replaces, that one gone? So Kueue
 * (ff69552e) looks: fits() takes the old slice away, and asks for the difference. */
static bool has_room_to_grow(struct auditor *a, const struct admission *old,
			     const struct admission *now, char *text, size_t size)
{
	struct admission_pod_set *sets = mem_calloc(now->pod_set_count + 1U, sizeof(*sets));
	struct admission more = *now;
	bool fits;

	for (uint32_t i = 0; i < now->pod_set_count; i++) {
		sets[i] = now->pod_sets[i];
		sets[i].count -= old->pod_sets[i].count < sets[i].count ? old->pod_sets[i].count
									: sets[i].count;
	}
	more.pod_sets = sets;
	audit_quota_take(a->quota, a->record->job, &more);
	fits = audit_quota_holds(a->quota, a->record->job, &more, text, size);
	audit_quota_give(a->quota, a->record->job, &more);
	mem_free(sets);
	return fits;
}

/* Fewer pods, or a slice in place of another. */
static void resized(struct auditor *a)
{
	const struct admission *now = &a->journal->admissions[a->record->arg], *old;
	char text[256];

	expect(a, HOLDING, HOLDING, "resized");
	old = reservation(a, a->record->job);
	give_back(a);
	if (a->record->arg2 != 0 && !limits_waived(a) && old != NULL &&
	    !has_room_to_grow(a, old, now, text, sizeof(text)))
		violation(a, "%s", text);
	account(a)->admission = account(a)->charged = a->record->arg;
	audit_quota_take(a->quota, a->record->job, now);
	if (a->record->arg2 != 0)
		a->replaced = a->record->time;
}

static void unreserved(struct auditor *a)
{
	expect(a, HOLDING, LEAVING, "unreserved");
	give_back(a);
	account(a)->stage = WAITING;
}

static void started(struct auditor *a)
{
	struct account *j = account(a);

	if (managed(a))
		expect(a, HOLDING, HOLDING, "started");
	else
		expect(a, WAITING, WAITING, "started");
	if (j->since != CLOCK_NEVER)
		violation(a, "started though it runs");
	if (a->placement && !is_solo(a, a->record->job) && j->bound != wanted(a, a->record->job))
		violation(a, "started with %" PRIu32 " of %" PRIu32 " pods bound", j->bound,
			  wanted(a, a->record->job));
	if (a->record->arg != j->attempt + 1)
		violation(a, "attempt %" PRIu32 " follows attempt %" PRIu32, a->record->arg,
			  j->attempt);
	j->attempt = a->record->arg;
	j->since = a->record->time;
	if (j->troubled) {
		trouble(a)->paused = 0;
		trouble(a)->pausing = false;
	}
}

static void interrupted(struct auditor *a)
{
	if (account(a)->since == CLOCK_NEVER)
		violation(a, "interrupted though it did not run");
	if (a->record->arg != account(a)->attempt)
		violation(a, "attempt %" PRIu32 " is interrupted, %" PRIu32 " runs", a->record->arg,
			  account(a)->attempt);
	stop_running(a);
}

static void end_job(struct auditor *a)
{
	stop_running(a);
	unbind_all(a);
	give_back(a);
	account(a)->stage = DONE;
}

/* A job without a number of completions needs one; a success policy less than all. */
static void solo_finished(struct auditor *a)
{
	const struct job_control *control = scenario_job_control(a->scenario, a->record->job);
	uint32_t needed = scenario_job_completions(a->scenario, a->record->job);

	if (needed == JOB_NONE || (control != NULL && control->success_rule_count != 0))
		needed = 1;
	else if (control == NULL)
		needed = wanted(a, a->record->job);
	if (trouble(a)->succeeded < needed)
		violation(a, "finished with %" PRIu32 " of %" PRIu32 " completions",
			  trouble(a)->succeeded, needed);
	end_job(a);
}

static void finished(struct auditor *a)
{
	struct account *j = account(a);
	simtime worked;
	char did[CLOCK_TEXT], should[CLOCK_TEXT];

	if (is_solo(a, a->record->job)) {
		solo_finished(a);
		return;
	}
	if (j->since == CLOCK_NEVER)
		violation(a, "finished though it did not run");
	end_job(a);
	worked = j->ran - (j->troubled ? trouble(a)->lost : 0);
	if (worked != job_of(a)->duration)
		violation(a, "finished after %s s of work instead of %s s",
			  clock_format_seconds(worked, did),
			  clock_format_seconds(job_of(a)->duration, should));
}

static void work_lost(struct auditor *a)
{
	simtime lost = (simtime)(a->record->arg | (uint64_t)a->record->arg2 << 32);
	struct account *j = account(a);
	simtime running = j->since == CLOCK_NEVER ? 0 : a->record->time - j->since;

	if (a->record->pod != NAME_NONE) {
		effort_lost(a, lost);
		return;
	}
	trouble(a)->lost += lost;
	if (lost < 0 || trouble(a)->lost > j->ran + running)
		violation(a, "lost more work than it did");
}

/* ---- the pass ---- */

static void update(struct auditor *a)
{
	const struct update *u = &a->scenario->updates[a->record->arg];

	if (a->quota != NULL)
		audit_quota_update(a->quota, a->record->arg);
	if (a->placement && u->kind == UPDATE_NODE) {
		uint32_t node = scenario_updated_node(a->scenario, a->record->arg);

		a->nodes[node] = a->scenario->nodes[u->version];
		a->usable[node] = a->nodes[node].ready;
	}
}

static void gone(struct auditor *a)
{
	if (a->quota != NULL && !audit_quota_delete(a->quota, a->record->arg))
		violation(a, "a deleted ClusterQueue is gone while workloads hold its quota");
}

/* A node comes before its pods and goes after them. */
static void scaled(struct auditor *a)
{
	uint32_t node = a->record->arg;

	if (!a->placement || a->record->arg2 == SCALE_REQUESTED)
		return;
	if (a->usable[node] == (a->record->arg2 == SCALE_JOINED))
		violation(a, "node \"%.100s\" %s twice", node_name(a, node),
			  a->usable[node] ? "joins" : "is taken away");
	if (a->record->arg2 == SCALE_REMOVED &&
	    a->usage.used[(size_t)node * a->usage.resource_count + RES_PODS] != 0)
		violation(a, "node \"%.100s\" is taken away from under its pods",
			  node_name(a, node));
	a->usable[node] = a->record->arg2 == SCALE_JOINED;
}

/* At the end of an instant nothing runs with less than all its pods. */
static void check_suspects(struct auditor *a)
{
	for (uint32_t i = 0; i < a->suspect_count; i++) {
		const struct journal_record loss = {.time = a->now, .job = a->suspects[i]};
		struct account *j = &a->jobs[loss.job];

		j->suspect = false;
		a->record = &loss;
		if (j->since != CLOCK_NEVER && j->bound < wanted(a, loss.job))
			violation(a, "it ran on after it lost a pod");
	}
	a->suspect_count = 0;
	a->record = NULL;
}

static void admitted(struct auditor *a)
{
	expect(a, HOLDING, HOLDING, "admitted");
	if (a->record->arg2 == 2) /* with the domains of its pods */
		account(a)->admission = a->record->arg;
}

static void pod_deleted(struct auditor *a)
{
	if (a->record->arg != NODE_NONE || !a->placement)
		lose_pod(a);
}

static void timed_out(struct auditor *a)
{
	stop_running(a);
	unbind_all(a);
}

static void look_at(struct auditor *a)
{
	/* What is not listed says nothing that could be wrong. */
	static void (*const rows[J_KINDS])(struct auditor * a) = {
		[J_SUBMIT] = submitted,
		[J_QUOTA_RESERVED] = reserved,
		[J_ADMITTED] = admitted,
		[J_MOVED] = moved,
		[J_PREEMPTED] = preempted,
		[J_EVICTED] = evicted,
		[J_RELEASED] = released,
		[J_POD_SCHEDULED] = bind,
		[J_POD_PREEMPTED] = lose_pod,
		[J_POD_DELETED] = pod_deleted,
		[J_STARTED] = started,
		[J_POD_EVICTED] = lose_pod,
		[J_INTERRUPTED] = interrupted,
		[J_WORK_LOST] = work_lost,
		[J_FINISHED] = finished,
		[J_FAILED] = end_job,
		[J_DELETED] = end_job,
		[J_PLACEMENT_TIMEOUT] = timed_out,
		[J_PODS_READY] = pods_ready,
		[J_PODS_NOT_READY] = pods_not_ready,
		[J_UPDATE] = update,
		[J_UNRESERVED] = unreserved,
		[J_FREED] = freed,
		[J_RECLAIMED] = reclaimed,
		[J_RESIZED] = resized,
		[J_GONE] = gone,
		[J_POD_STARTED] = pod_started,
		[J_POD_PAUSED] = pod_paused,
		[J_POD_SUCCEEDED] = pod_succeeded,
		[J_POD_CRASHED] = lose_pod,
		[J_RESUMED] = resumed,
		[J_SCALE] = scaled,
	};

	if (a->record->kind < J_KINDS && rows[a->record->kind] != NULL)
		rows[a->record->kind](a);
}

struct auditor *audit_open(const struct journal *journal, struct audit *audit)
{
	struct auditor *a = mem_calloc(1, sizeof(*a));

	a->journal = journal;
	a->scenario = journal->scenario;
	a->audit = audit;
	a->now = INT64_MIN;
	a->replaced = a->resumed = CLOCK_NEVER;
	*audit = (struct audit){0};
	open_books(a);
	return a;
}

void audit_record(struct auditor *a, const struct journal_record *record)
{
	if (record->time != a->now)
		check_suspects(a);
	a->record = record;
	if (record->time < a->now)
		violation(a, "time runs backwards");
	a->now = record->time;
	look_at(a);
}

void audit_close(struct auditor *a)
{
	if (a == NULL)
		return;
	check_suspects(a);
	close_books(a);
	mem_free(a);
}

bool audit_check(const struct journal *journal, struct audit *audit)
{
	struct auditor *a = audit_open(journal, audit);
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL)
		audit_record(a, r);
	audit_close(a);
	return audit->count == 0;
}
