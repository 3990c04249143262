/* policy_kubernetes.c - plain kube-scheduler: one pod at a time, no gangs.
 *
 * The rules are those of spec KUBE_SCHEDULER.md; the parts are kube_queue (which
 * pod), kube_match, kube_filter and kube_constraint (which nodes), kube_search (the
 * best of them), kube_preempt (who goes) and kube_message (what is said). Here they
 * meet: one cycle, and what each event moves.
 *
 * Attempts that cannot succeed (kube_class.h) are not made but counted, whole runs of
 * pods at once; where each is to be journalled, what it would have said is known of its
 * class (kube_reason.h).
 */
#include <stdio.h>

#include "core/apart.h"
#include "core/mem.h"
#include "sim/kube/kube_class.h"
#include "sim/kube/kube_constraint.h"
#include "sim/kube/kube_filter.h"
#include "sim/kube/kube_hint.h"
#include "sim/kube/kube_match.h"
#include "sim/kube/kube_message.h"
#include "sim/kube/kube_preempt.h"
#include "sim/kube/kube_queue.h"
#include "sim/kube/kube_reason.h"
#include "sim/kube/kube_search.h"
#include "sim/world/policy.h"

#define BOUND_IS_NO_EVENT 35 /* from Kubernetes 1.35 on (spec section 8) */

struct kubernetes {
	const struct world *world;
	struct kube_match *match;
	struct kube_hints *hints;
	struct kube_queue *queue;
	struct kube_filter filter;
	struct kube_constraint *constraint; /* NULL: no template has any */
	struct kube_search *search;
	struct kube_preempt *preempt;
	struct kube_budgets *budgets; /* NULL: none */
	struct kube_classes *classes;
	struct kube_reasons *reasons;
	struct kube_message message;
	uint32_t *class_of;  /* per pod slot: its class when it was last created or tried */
	struct node *before; /* the nodes, as they were before what is being told */
	struct rng *rng;     /* NULL with --tie first */
	uint32_t *nodes;     /* scratch: candidates for preemption */
	bool heard;	     /* the text of this attempt is wanted if it fails */
	simtime flush_at;    /* the timer that was asked for; CLOCK_NEVER */
	uint64_t changed;    /* the queue's clock when last something happened but a flush */
};

/* What an attempt that found no node came to. */
struct outcome {
	uint32_t node; /* nominated by preemption; NODE_NONE */
	const uint32_t *victims;
	uint32_t victim_count;
	bool keeps_nomination; /* it could not even try to preempt */
	bool by_fit;	       /* resources rejected it on some node */
	uint32_t refusals;     /* bit r: some node refused it for r (kube_constraint.h) */
	struct kube_failure why;
};

static void *open_kubernetes(const struct world *world, struct plan *plan, struct err *err)
{
	struct kubernetes *k = mem_calloc(1, sizeof(*k));

	(void)plan;
	(void)err;
	k->world = world;
	if (world->options->tie == TIE_RANDOM)
		k->rng = rng_new(world->options->seed, "tie");
	k->match = kube_match_new(world);
	k->hints = kube_hints_new(k->match);
	k->queue = kube_queue_new(world->journal->first_pod[world->scenario->job_count]);
	kube_queue_set_backoff(k->queue, world->options->initial_backoff,
			       world->options->max_backoff);
	kube_filter_init(&k->filter, world);
	k->constraint = kube_constraint_new(world, k->match, &k->filter);
	k->search = kube_search_new(world, k->match, &k->filter, k->rng);
	kube_search_constrain(k->search, k->constraint);
	k->preempt = kube_preempt_new(world);
	k->budgets = kube_budget_new(world);
	k->classes = kube_class_new(world, k->match, k->preempt);
	k->reasons = kube_reason_new(world, k->match, &k->filter, k->preempt);
	k->class_of = mem_calloc(world->journal->first_pod[world->scenario->job_count],
				 sizeof(*k->class_of));
	k->nodes = mem_calloc(world->node_count, sizeof(*k->nodes));
	k->before = mem_dup(world->nodes, world->node_count * sizeof(*k->before));
	k->flush_at = CLOCK_NEVER;
	return k;
}

static void close_kubernetes(void *self)
{
	struct kubernetes *k = self;

	kube_hints_free(k->hints);
	kube_match_free(k->match);
	kube_queue_free(k->queue);
	kube_filter_free(&k->filter);
	kube_search_free(k->search);
	kube_constraint_free(k->constraint);
	kube_preempt_free(k->preempt);
	kube_budget_free(k->budgets);
	kube_class_free(k->classes);
	kube_reason_free(k->reasons);
	kube_message_free(&k->message);
	rng_free(k->rng);
	mem_free(k->nodes);
	mem_free(k->class_of);
	mem_free(k->before);
	mem_free(k);
}

/* ---- nominations ---- */

/* The pod's nomination ends. A pod whose nomination is cleared, that is deleted
 * or (up to 1.34) bound is an event for those of no higher priority. */
static void end_nomination(struct kubernetes *k, uint32_t pod, int32_t priority, bool event)
{
	uint32_t node = kube_filter_forget(&k->filter, pod);

	if (node == NODE_NONE)
		return;
	kube_class_gained(k->classes, node);
	k->changed = kube_queue_clock(k->queue);
	if (event)
		kube_queue_retry(k->queue, k->world->now, priority);
}

/* Section 5.5: pods of lower priority that are nominated to the node have to look
 * for another. */
static void end_lower_nominations(struct kubernetes *k, uint32_t node, int32_t priority)
{
	for (uint32_t i = 0; i < k->filter.count;) {
		const struct kube_nomination n = k->filter.items[i];

		if (n.node == node && n.priority < priority)
			end_nomination(k, n.pod, n.priority, true);
		else
			i++;
	}
}

static void nominate(struct kubernetes *k, const struct kube_ticket *ticket, uint32_t node)
{
	if (kube_filter_nominated(&k->filter, ticket->pod) == node)
		return;
	end_nomination(k, ticket->pod, ticket->priority, true);
	if (node == NODE_NONE)
		return;
	kube_filter_nominate(&k->filter, ticket->pod, node);
	k->changed = kube_queue_clock(k->queue);
}

/* ---- an attempt that fails ---- */

/* What stands against the pod on a node that suits it. */
struct objection {
	uint64_t lacking;
	enum kube_refusal refusal;
	bool resolvable; /* by preemption */
};

/* constraint: begun for the pod; NULL: it cannot be refused. */
static struct objection object_to(const struct kubernetes *k, struct kube_constraint *constraint,
				  uint32_t node, uint32_t pod, int32_t priority)
{
	const struct pod_shape *shape = &k->world->scenario->shapes[k->world->pods[pod].shape];
	struct objection o = {.lacking = kube_filter_node(&k->filter, node, pod, priority),
			      .refusal = REFUSAL_NONE};

	if (o.lacking == 0 && constraint != NULL)
		o.refusal = kube_constraint_judge(constraint, node);
	o.resolvable = !kube_filter_unresolvable(&k->world->nodes[node], shape, o.lacking) &&
		       !kube_constraint_unresolvable(o.refusal);
	return o;
}

/* Why each node rejects the pod; the nodes where preemption might help go to
 * k->nodes. */
static uint32_t examine_nodes(const struct kubernetes *k, struct kube_constraint *constraint,
			      uint32_t pod, const struct kube_class *class, struct outcome *out)
{
	const struct kube_group *group = kube_match_at(k->match, class->group);
	uint32_t count, candidates = 0;
	const uint32_t *nodes = kube_search_nodes(k->search, &count);

	out->why.filtered.nodes = out->why.preempted.nodes = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = nodes[i];
		struct objection o;

		if (group->verdict[node] != KUBE_SUITS) {
			out->why.filtered.verdicts[group->verdict[node]]++;
			continue;
		}
		o = object_to(k, constraint, node, pod, class->priority);
		out->by_fit = out->by_fit || o.refusal == REFUSAL_NONE;
		if (o.refusal != REFUSAL_NONE)
			out->refusals |= 1u << o.refusal;
		kube_message_count(&out->why.filtered, o.lacking, 1);
		out->why.filtered.refusals[o.refusal]++;
		if (o.resolvable)
			k->nodes[candidates++] = node;
	}
	out->why.preempted.not_helpful = count - candidates;
	return candidates;
}

/* Section 5.1, second case: is it still waiting for someone to leave? */
static bool waits_for_leaver(const struct kubernetes *k, struct kube_constraint *constraint,
			     uint32_t pod, const struct kube_class *class)
{
	uint32_t node = kube_filter_nominated(&k->filter, pod);
	const struct kube_group *group = kube_match_at(k->match, class->group);

	if (node == NODE_NONE || group->verdict[node] != KUBE_SUITS ||
	    !object_to(k, constraint, node, pod, class->priority).resolvable)
		return false;
	return kube_preempt_leaving_below(k->preempt, node, class->priority);
}

static void try_preemption(const struct kubernetes *k, struct kube_constraint *constraint,
			   uint32_t pod, const struct kube_class *class, uint32_t candidates,
			   struct rng *rng, struct outcome *out)
{
	const struct scheduler_profile *profile = profile_of(
		k->world->scenario, &k->world->scenario->shapes[k->world->pods[pod].shape]);
	struct kube_preempt_request request = {.pod = pod,
					       .priority = class->priority,
					       .nodes = k->nodes,
					       .node_count = candidates,
					       .filter = &k->filter,
					       .constraint = constraint,
					       .budgets = k->budgets,
					       .rng = rng,
					       .tally = &out->why.preempted};

	out->keeps_nomination = true;
	if (!profile->filters[PLUGIN_PREEMPTION]) {
		out->why.has_no_preemption = true;
	} else if (class->never) {
		out->why.excuse = "not eligible due to preemptionPolicy=Never.";
	} else if (waits_for_leaver(k, constraint, pod, class)) {
		out->why.excuse = "not eligible due to a terminating pod on the nominated node.";
	} else {
		out->keeps_nomination = false;
		if (candidates != 0)
			out->node = kube_preempt_choose(k->preempt, &request, &out->victims,
							&out->victim_count);
	}
}

static void examine(const struct kubernetes *k, uint32_t pod, const struct kube_class *class,
		    struct rng *rng, struct outcome *out)
{
	struct kube_constraint *constraint =
		kube_constraint_filters(k->constraint, pod) ? k->constraint : NULL;
	uint32_t candidates;

	*out = (struct outcome){.node = NODE_NONE};
	if (constraint != NULL)
		kube_constraint_begin(constraint, pod, class->group);
	candidates = examine_nodes(k, constraint, pod, class, out);
	if (out->why.filtered.nodes != 0)
		try_preemption(k, constraint, pod, class, candidates, rng, out);
	out->why.preempts = out->node != NODE_NONE;
}

/* Is the text wanted if this attempt fails? */
static bool is_heard(const struct kubernetes *k, uint32_t pod)
{
	uint32_t job = k->world->pods[pod].job;

	return k->world->journal->detail == JOURNAL_FULL || job == k->world->options->heard ||
	       (k->world->journal->detail == JOURNAL_THINNED &&
		journal_thin(k->world->journal, THIN_ATTEMPT, job));
}

/* Of what is told of a pod, apart from those that fail with it, it must be looked at by
 * itself. */
static uint64_t marks_of(const struct kubernetes *k, uint32_t pod, uint32_t class)
{
	uint32_t job = k->world->pods[pod].job;
	bool told = job == k->world->options->heard ||
		    (k->world->journal->detail == JOURNAL_THINNED &&
		     journal_thin_next(k->world->journal, THIN_ATTEMPT, job));

	return kube_class_mark(class) | (told ? KUBE_CLASS_ALWAYS : 0);
}

/* The same where there is nobody to preempt and nothing to say: the usual case,
 * without a look at each node. */
static bool examine_briefly(const struct kubernetes *k, uint32_t pod,
			    const struct kube_class *class, struct outcome *out)
{
	if (k->heard || kube_filter_nominated(&k->filter, pod) != NODE_NONE ||
	    kube_constraint_filters(k->constraint, pod) ||
	    (!class->never && kube_preempt_any_below(k->preempt, class->priority)))
		return false;
	*out = (struct outcome){.node = NODE_NONE, .keeps_nomination = class->never};
	out->by_fit = kube_match_at(k->match, class->group)->nodes[KUBE_SUITS] != 0;
	return true;
}

static void report_failure(struct kubernetes *k, uint32_t pod, const struct outcome *out,
			   struct plan *plan)
{
	struct decision *d;

	if (!k->heard) {
		plan->failed++;
		return;
	}
	d = plan_add(plan, DECIDE_POD_FAILED);
	d->pod = pod;
	d->message = journal_string(
		k->world->journal,
		kube_message_failure(&k->message, k->world->scenario->resources, &out->why));
}

static void delete_victims(struct kubernetes *k, uint32_t by_pod, const struct outcome *out,
			   struct plan *plan)
{
	for (uint32_t i = 0; i < out->victim_count; i++) {
		struct decision *d;

		if (k->world->pods[out->victims[i]].phase == POD_TERMINATING &&
		    k->world->options->kubernetes_minor >= BOUND_IS_NO_EVENT)
			continue;
		kube_preempt_evicted(k->preempt, out->victims[i]);
		d = plan_add(plan, DECIDE_DELETE_POD);
		d->pod = out->victims[i];
		d->by_pod = by_pod;
	}
}

/* Pods that constraints can refuse are alone in each attempt and in the queue: what
 * is true of one need not be of the next. */
static void park(struct kubernetes *k, const struct kube_ticket *ticket, uint32_t class,
		 const struct outcome *out)
{
	uint64_t marks = marks_of(k, ticket->pod, class);

	kube_class_waits(k->classes, class, 1);
	if (kube_constraint_filters(k->constraint, ticket->pod)) {
		kube_constraint_wait(k->constraint, ticket->pod, out->refusals);
		kube_queue_park_alone(k->queue, k->world->now, ticket, out->by_fit,
				      KUBE_CLASS_ALWAYS);
		return;
	}
	if (out->node != NODE_NONE ||
	    (out->keeps_nomination && kube_filter_nominated(&k->filter, ticket->pod) != NODE_NONE))
		marks |= KUBE_CLASS_ALWAYS;
	else if (out->by_fit)
		kube_class_give_up(k->classes, class);
	kube_queue_park(k->queue, k->world->now, ticket, out->by_fit, marks);
}

static APART void fail(struct kubernetes *k, const struct kube_ticket *ticket, uint32_t class,
		       struct plan *plan)
{
	const struct kube_class *c = kube_class_at(k->classes, class);
	struct outcome out;

	if (!examine_briefly(k, ticket->pod, c, &out))
		examine(k, ticket->pod, c, k->rng, &out);
	report_failure(k, ticket->pod, &out, plan);
	park(k, ticket, class, &out);
	if (!out.keeps_nomination)
		nominate(k, ticket, out.node);
	if (out.node != NODE_NONE) {
		end_lower_nominations(k, out.node, ticket->priority);
		delete_victims(k, ticket->pod, &out, plan);
	}
}

/* ---- one cycle ---- */

/* Who waited long was last looked at long ago: what binding will ask of its job is fetched
 * while a node is searched. */
static void fetch_job(const struct world *w, uint32_t job)
{
	__builtin_prefetch(&w->run_of[job]);
	__builtin_prefetch(&w->scenario->jobs[job]);
	__builtin_prefetch((const char *)(&w->scenario->jobs[job] + 1) - 1);
}

static void fetch_run(const struct world *w, uint32_t job)
{
	__builtin_prefetch(world_job(w, job), 1);
	__builtin_prefetch((const char *)(world_job(w, job) + 1) - 1, 1);
}

static void bind(struct kubernetes *k, const struct kube_ticket *ticket, uint32_t node,
		 struct plan *plan)
{
	struct decision *d = plan_add(plan, DECIDE_BIND);

	d->pod = ticket->pod;
	d->node = node;
	if (k->filter.count != 0)
		end_nomination(k, ticket->pod, ticket->priority,
			       k->world->options->kubernetes_minor < BOUND_IS_NO_EVENT);
}

/* Section 4.2: the node where it made room, if it has room, without scoring. */
static uint32_t nominated_node(struct kubernetes *k, uint32_t pod, const struct kube_class *class)
{
	uint32_t node = kube_filter_nominated(&k->filter, pod);

	if (node == NODE_NONE ||
	    kube_match_at(k->match, class->group)->verdict[node] != KUBE_SUITS ||
	    kube_filter_node(&k->filter, node, pod, class->priority) != 0)
		return NODE_NONE;
	if (!kube_constraint_filters(k->constraint, pod))
		return node;
	kube_constraint_begin(k->constraint, pod, class->group);
	return kube_constraint_judge(k->constraint, node) == REFUSAL_NONE ? node : NODE_NONE;
}

/* The pod has no other lot than its class. */
static bool is_plain(const struct kubernetes *k, uint32_t pod)
{
	return kube_filter_nominated(&k->filter, pod) == NODE_NONE &&
	       !kube_constraint_filters(k->constraint, pod);
}

static void hear_class(struct kubernetes *k, uint32_t pod, uint32_t class, struct plan *plan)
{
	struct decision *d = plan_add(plan, DECIDE_POD_FAILED);

	d->pod = pod;
	d->message = kube_reason_text(k->reasons, class, kube_class_at(k->classes, class), pod);
}

static void fail_with_class(struct kubernetes *k, const struct kube_ticket *ticket, uint32_t class,
			    struct plan *plan)
{
	if (k->heard)
		hear_class(k, ticket->pod, class, plan);
	else
		plan->failed++;
	kube_queue_park(k->queue, k->world->now, ticket, true, marks_of(k, ticket->pod, class));
}

static void attempt(struct kubernetes *k, const struct kube_ticket *ticket, struct plan *plan)
{
	/* Where nobody reserves quota its class stays as it was. */
	uint32_t class = k->world->journal->admission_count == 0
				 ? k->class_of[ticket->pod]
				 : kube_class_of(k->classes, ticket->pod);
	const struct kube_class *c = kube_class_at(k->classes, class);
	uint32_t node;

	k->heard = is_heard(k, ticket->pod);
	fetch_job(k->world, k->world->pods[ticket->pod].job);
	if (c->hopeless && k->class_of[ticket->pod] == class && is_plain(k, ticket->pod)) {
		fail_with_class(k, ticket, class, plan);
		return;
	}
	kube_class_waits(k->classes, k->class_of[ticket->pod], -1);
	k->class_of[ticket->pod] = class;
	node = nominated_node(k, ticket->pod, c);
	if (k->constraint != NULL)
		kube_constraint_wait(k->constraint, ticket->pod, 0);
	fetch_run(k->world, k->world->pods[ticket->pod].job);
	if (node == NODE_NONE)
		node = kube_search_find(k->search, c->group, ticket->pod, ticket->priority);
	if (node != NODE_NONE)
		bind(k, ticket, node, plan);
	else
		fail(k, ticket, class, plan);
}

/* The flush is wanted at the first tick at which it has something to do. */
static void arm_flush(struct kubernetes *k, struct plan *plan)
{
	simtime due = kube_queue_next_flush(k->queue);
	struct decision *d;

	if (due >= k->flush_at)
		return;
	k->flush_at = due;
	d = plan_add(plan, DECIDE_TIMER);
	d->at = due;
	d->class = CLASS_FLUSH;
	d->placement = true;
}

struct hearing {
	struct kubernetes *k;
	struct plan *plan;
};

static void hear(void *context, uint32_t pod)
{
	const struct hearing *h = context;

	hear_class(h->k, pod, h->k->class_of[pod], h->plan);
}

/* Marks are shared by many classes. */
static bool may_hope(void *context, uint32_t pod, uint64_t marks)
{
	const struct hearing *h = context;

	return (marks & KUBE_CLASS_ALWAYS) != 0 ||
	       !kube_class_at(h->k->classes, h->k->class_of[pod])->hopeless;
}

/* Those at the head of the queue whose class is hopeless; how many. */
static APART uint32_t fail_hopeless(struct kubernetes *k, struct plan *plan)
{
	struct hearing hearing = {.k = k, .plan = plan};
	bool full = k->world->journal->detail == JOURNAL_FULL;
	struct kube_queue_hopes hopes = {
		.wish = {.means = kube_class_share_marks(k->classes) ? may_hope : NULL,
			 .context = &hearing},
		.visit = full ? hear : NULL};
	uint32_t failed = 0, n;

	do {
		hopes.wish.marks = kube_class_live(k->classes);
		n = kube_queue_fail_unmarked(k->queue, k->world->now, &hopes);
		failed += n;
	} while (n != 0 && !kube_queue_idle(k->queue));
	if (!full)
		plan->failed += failed;
	return failed;
}

static APART bool try_next(struct kubernetes *k, struct plan *plan)
{
	struct kube_ticket ticket;
	uint32_t failed = kube_class_any_hopeless(k->classes) ? fail_hopeless(k, plan) : 0;

	if (failed != 0 && kube_queue_idle(k->queue))
		return true;
	if (kube_queue_pop(k->queue, k->world->now, &ticket)) {
		attempt(k, &ticket, plan);
		return true;
	}
	return failed != 0;
}

static APART bool cycle_in_passage(struct kubernetes *k, struct plan *plan)
{
	return !kube_queue_idle(k->queue) && try_next(k, plan);
}

static bool cycle(void *self, struct plan *plan)
{
	struct kubernetes *k = self;

	if (kube_queue_passes(k->queue))
		return cycle_in_passage(k, plan);
	return !kube_queue_idle(k->queue) && try_next(k, plan);
}

/* Flushes that change nothing, of which no row is wanted, are passed over. */
static APART void plan_flushes(struct kubernetes *k, simtime until, struct plan *plan)
{
	if (k->world->journal->detail != JOURNAL_FULL)
		plan->failed += kube_queue_pass(k->queue, k->world->now, until, k->changed);
	arm_flush(k, plan);
}

static void settled(void *self, simtime until, struct plan *plan)
{
	struct kubernetes *k = self;

	if (!kube_queue_rests(k->queue, k->world->now, until, k->flush_at))
		plan_flushes(k, until, plan);
}

/* ---- events ---- */

static APART void pod_created(struct kubernetes *k, uint32_t pod)
{
	uint32_t class = kube_class_of(k->classes, pod);
	uint64_t marks = kube_constraint_filters(k->constraint, pod) ? KUBE_CLASS_ALWAYS
								     : marks_of(k, pod, class);

	k->class_of[pod] = class;
	kube_budget_created(k->budgets, k->world->pods[pod].job);
	kube_class_waits(k->classes, class, 1);
	kube_queue_add(k->queue, k->world->now, pod, kube_class_at(k->classes, class)->priority,
		       marks);
}

/* Queueing hints of PodTopologySpread and InterPodAffinity. */
static void retry_each(struct kubernetes *k, const uint32_t *pods, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		kube_queue_retry_pod(k->queue, k->world->now, pods[i]);
}

static void retry_helped(struct kubernetes *k, uint32_t other, bool came)
{
	uint32_t count;
	const uint32_t *pods = kube_constraint_helped(k->constraint, other, came, &count);

	retry_each(k, pods, count);
}

static APART void constrained_bound(struct kubernetes *k, uint32_t pod, uint32_t node)
{
	kube_constraint_bound(k->constraint, pod, node);
	retry_helped(k, pod, true);
}

/* A pod of the class took a place. If that was the last one, the others that wait have no hope
 * any more, which none of them need find out. (Where each attempt is told of, one does.) */
static void give_up_if_full(struct kubernetes *k, uint32_t class)
{
	const struct kube_class *c = kube_class_at(k->classes, class);

	if (c->waiting == 0 || k->constraint != NULL || k->world->journal->detail == JOURNAL_FULL ||
	    (!c->never && kube_preempt_any_below(k->preempt, c->priority)) ||
	    !kube_search_is_full(k->search, c->group))
		return;
	kube_class_give_up(k->classes, class);
}

static APART void pod_bound(struct kubernetes *k, uint32_t pod, uint32_t node)
{
	kube_filter_touch(&k->filter, node);
	kube_preempt_bound(k->preempt, pod, node);
	give_up_if_full(k, k->class_of[pod]);
	if (k->constraint != NULL)
		constrained_bound(k, pod, node);
}

static APART void constrained_gone(struct kubernetes *k, uint32_t pod, uint32_t node)
{
	kube_constraint_gone(k->constraint, pod, node);
	retry_helped(k, pod, false);
}

/* It waited for a node. */
static APART void waiting_deleted(struct kubernetes *k, uint32_t pod)
{
	int32_t priority = k->world->scenario->jobs[k->world->pods[pod].job].common->pod_priority;

	if (kube_queue_drop(k->queue, pod))
		kube_class_waits(k->classes, k->class_of[pod], -1);
	kube_constraint_wait(k->constraint, pod, 0);
	end_nomination(k, pod, priority, true);
}

static APART void pod_deleted(struct kubernetes *k, uint32_t pod, uint32_t node)
{
	kube_budget_gone(k->budgets, k->world->pods[pod].job);
	if (node == NODE_NONE) {
		waiting_deleted(k, pod);
		return;
	}
	kube_preempt_gone(k->preempt, pod, node);
	kube_filter_touch(&k->filter, node);
	kube_class_gained(k->classes, node);
	kube_queue_retry(k->queue, k->world->now, INT32_MAX);
	if (k->constraint != NULL)
		constrained_gone(k, pod, node);
}

struct node_event {
	struct kubernetes *k;
	uint32_t node;
};

static bool helped_by_node(void *context, uint32_t pod, uint64_t stamp, bool by_fit)
{
	const struct node_event *e = context;
	const struct kubernetes *k = e->k;
	struct kube_rejected rejected = {.group =
						 kube_class_at(k->classes, k->class_of[pod])->group,
					 .stamp = stamp,
					 .by_fit = by_fit};

	return kube_hint_node(k->hints, &rejected, e->node, &k->before[e->node]);
}

static APART void node_changed(struct kubernetes *k, uint32_t node)
{
	struct node_event event = {.k = k, .node = node};
	const struct node *now = &k->world->nodes[node];
	struct kube_node_change change = {.node = node,
					  .was = kube_search_has(k->search, node),
					  .is = kube_match_present(k->world, node),
					  .taints =
						  kube_hint_taints_changed(&k->before[node], now)};
	const uint32_t *helped;
	uint32_t count;

	kube_class_settle(k->classes);
	kube_hints_note(k->hints, kube_queue_clock(k->queue));
	kube_queue_retry_picked(k->queue, k->world->now, helped_by_node, &event);
	kube_match_node(k->match, node);
	kube_search_nodes_changed(k->search);
	kube_reason_nodes_changed(k->reasons);
	kube_class_revive(k->classes);
	helped = kube_constraint_node(k->constraint, &change, &count);
	retry_each(k, helped, count);
	k->before[node] = *now;
}

static APART void pod_terminating(struct kubernetes *k, uint32_t pod, uint32_t node)
{
	kube_preempt_updated(k->preempt, pod);
	kube_constraint_leaving(k->constraint, pod, node);
}

static APART void flush(struct kubernetes *k)
{
	k->flush_at = CLOCK_NEVER;
	kube_queue_flush(k->queue, k->world->now);
}

static void observe(void *self, const struct happening *h, struct plan *plan)
{
	struct kubernetes *k = self;

	(void)plan;
	if (h->kind != HAP_TIMER)
		k->changed = kube_queue_clock(k->queue);
	switch (h->kind) {
	case HAP_POD_CREATED:
		pod_created(k, h->pod);
		break;
	case HAP_POD_BOUND:
		pod_bound(k, h->pod, h->node);
		break;
	case HAP_POD_TERMINATING:
		pod_terminating(k, h->pod, h->node);
		break;
	case HAP_POD_DELETED:
		pod_deleted(k, h->pod, h->node);
		break;
	case HAP_NODE:
		node_changed(k, h->node);
		break;
	case HAP_TIMER:
		flush(k);
		break;
	case HAP_SUBMITTED:
	case HAP_FINISHED:
	case HAP_RELEASED:
	case HAP_DELETED:
	case HAP_PODS_READY:
	case HAP_PODS_LOST:
	case HAP_POD_SUCCEEDED:
	case HAP_RESIZED:
	case HAP_UPDATE:
	case HAP_PROVISIONING:
		break;
	}
}

/* ---- why a job waits ---- */

/* The job's first pod without a node; NAME_NONE. */
static uint32_t waiting_pod(const struct world *w, uint32_t job)
{
	for (uint32_t pod = w->journal->first_pod[job]; pod < w->journal->first_pod[job + 1];
	     pod++) {
		if (w->pods[pod].phase == POD_PENDING)
			return pod;
	}
	return NAME_NONE;
}

static void why(const void *self, uint32_t job, char *buf, size_t size)
{
	const struct kubernetes *k = self;
	uint32_t pod = waiting_pod(k->world, job);
	struct kube_message message = {0};
	struct outcome out;

	if (pod == NAME_NONE) {
		snprintf(buf, size, "no pod of it waits for a node");
		return;
	}
	examine(k, pod, kube_class_at(k->classes, kube_class_of(k->classes, pod)), NULL, &out);
	snprintf(buf, size, "Unschedulable: %s",
		 kube_message_failure(&message, k->world->scenario->resources, &out.why));
	kube_message_free(&message);
}

const struct policy policy_kubernetes = {
	.name = "kubernetes",
	.models = "kube-scheduler v1.34.4",
	.leaves_to_chance = true,
	.open = open_kubernetes,
	.close = close_kubernetes,
	.observe = observe,
	.cycle = cycle,
	.settled = settled,
	.why = why,
};
