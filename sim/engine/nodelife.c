#include "sim/engine/nodelife.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/jobctl.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/nodepods.h"
#include "sim/scenario/kueue_gates.h"

#define NOT_READY	"node.kubernetes.io/not-ready"
#define UNREACHABLE	"node.kubernetes.io/unreachable"
#define DEFAULT_SECONDS (300 * CLOCK_SECOND)
#define FORCED_AFTER	(60 * CLOCK_SECOND)
#define WHY_TEXT	400

/* A pod that is to leave its node if nothing changes. */
struct nodelife { /* [pod slot] */
	struct evq_handle due;
	simtime since;
	uint32_t why; /* string of the journal */
	uint32_t incarnation;
	bool waits;
	bool stranded; /* its end is asked for, but its kubelet is not heard of */
};

void nodelife_free(struct nodelife *life)
{
	mem_free(life);
}

/* ---- how long a node puts up with a pod ---- */

struct verdict {
	simtime stay;	 /* from when it is first to leave; CLOCK_NEVER: for ever */
	const char *key; /* of the taint that decides; NULL: a drain */
	uint32_t value;
};

/* The first toleration of the taint: of the template, then of its flavors. */
static const struct toleration *tolerates(const struct run *run, uint32_t pod,
					  const struct taint *taint)
{
	const struct world *w = &run->world;
	const struct toleration_set *own = &run->scenario->shapes[w->pods[pod].shape].tolerations;
	const struct admission *a = world_admission(w, w->pods[pod].job);
	const struct admission_pod_set *set =
		a == NULL ? NULL : &a->pod_sets[world_pod_set(w, pod)];

	for (uint32_t i = 0; i < own->count; i++) {
		if (label_toleration_matches(run->scenario->strings, &own->items[i], taint))
			return &own->items[i];
	}
	for (uint32_t k = 0; set != NULL && k < set->flavor_count; k++) {
		const struct toleration_set *more =
			&run->scenario->flavors[set->flavors[k].flavor].tolerations;

		for (uint32_t i = 0; i < more->count; i++) {
			if (label_toleration_matches(run->scenario->strings, &more->items[i],
						     taint))
				return &more->items[i];
		}
	}
	return NULL;
}

static bool is_condition(const char *key)
{
	return strcmp(key, NOT_READY) == 0 || strcmp(key, UNREACHABLE) == 0;
}

static void heed(const struct run *run, uint32_t pod, const struct taint *taint, const char *key,
		 struct verdict *verdict)
{
	const struct toleration *t = tolerates(run, pod, taint);
	simtime stay = CLOCK_NEVER;

	if (t == NULL)
		stay = is_condition(key) ? DEFAULT_SECONDS : 0;
	else if (t->limited)
		stay = t->seconds <= 0 ? 0 : t->seconds * CLOCK_SECOND;
	if (stay >= verdict->stay)
		return;
	*verdict = (struct verdict){.stay = stay, .key = key, .value = taint->value};
}

static struct verdict judge(const struct run *run, uint32_t pod)
{
	const struct name_table *strings = run->scenario->strings;
	const struct node *n = &run->world.nodes[run->world.pods[pod].node];
	const char *condition = n->unreachable ? UNREACHABLE : NOT_READY;
	struct verdict verdict = {.stay = CLOCK_NEVER};

	if (n->drain)
		return (struct verdict){.stay = 0};
	for (uint32_t i = 0; i < n->taints.count; i++) {
		if (n->taints.items[i].effect == TAINT_NO_EXECUTE)
			heed(run, pod, &n->taints.items[i],
			     name_text(strings, n->taints.items[i].key), &verdict);
	}
	if (!n->ready) {
		struct taint taint = {.key = name_find(strings, condition),
				      .value = NAME_NONE,
				      .effect = TAINT_NO_EXECUTE};

		heed(run, pod, &taint, condition, &verdict);
	}
	return verdict;
}

static uint32_t wording(const struct run *run, uint32_t node, const struct verdict *verdict)
{
	const char *value = name_text(run->scenario->strings, verdict->value);
	char text[WHY_TEXT];

	if (verdict->key == NULL)
		return journal_string(run->journal, run->world.nodes[node].deleted
							    ? "node deleted"
							    : "node drained");
	snprintf(text, sizeof(text), "taint %.200s%s%.100s:NoExecute", verdict->key,
		 *value != '\0' ? "=" : "", value);
	return journal_string(run->journal, text);
}

/* ---- one pod ---- */

static struct nodelife *life_of(struct run *run, uint32_t pod)
{
	struct nodelife *life;

	if (run->nodelife == NULL)
		run->nodelife = mem_calloc(run->journal->first_pod[run->scenario->job_count],
					   sizeof(*run->nodelife));
	life = &run->nodelife[pod];
	if (life->incarnation != run->world.pods[pod].incarnation)
		*life = (struct nodelife){.incarnation = run->world.pods[pod].incarnation};
	return life;
}

static void stop_waiting(struct run *run, struct nodelife *life)
{
	if (life->waits)
		run_cancel(run, life->due, CLASS_RELEASE);
	life->waits = false;
}

/* Its controller waits until such a pod is gone, which only its kubelet can tell; a Job
 * takes it for failed at once. */
static bool is_stranded(const struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	const struct node *n = &run->world.nodes[p->node];

	return p->phase == POD_DEAD && !n->ready && n->unreachable && !n->drain &&
	       jobpods_controller(run, p->job) == CONTROLLER_STATEFUL_SET;
}

/* Kueue's FailureRecoveryPolicy (pod_termination_controller.go). */
static bool is_forced(const struct run *run, uint32_t job)
{
	const struct scenario *s = run->scenario;
	const struct policy *admission = run->row->admission;

	return (s->jobs[job].common->flags & JOB_FORCED) != 0 && admission != NULL &&
	       admission->recovers_pods && kueue_gates_read(&s->config, s->strings).recovers;
}

static void leave(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	struct nodelife *life = life_of(run, pod);

	if (!is_stranded(run, pod)) {
		jobctl_evict_pod(run, pod, life->why);
		return;
	}
	life->stranded = true;
	jobctl_strand_pod(run, pod, life->why);
	if (is_forced(run, p->job))
		run_schedule(
			run,
			clock_add(run->world.now, clock_add(run->options->grace, FORCED_AFTER)),
			CLASS_RELEASE, EV_POD_GONE, pod, p->incarnation);
}

static void consider(struct run *run, uint32_t pod)
{
	struct verdict verdict = judge(run, pod);
	struct nodelife *life = life_of(run, pod);
	simtime due;

	if (verdict.stay == CLOCK_NEVER) {
		stop_waiting(run, life);
		return;
	}
	if (!life->waits)
		life->since = run->world.now;
	stop_waiting(run, life);
	life->why = wording(run, run->world.pods[pod].node, &verdict);
	due = clock_add(life->since, verdict.stay);
	if (due <= run->world.now) {
		leave(run, pod);
		return;
	}
	life->waits = true;
	life->due = run_schedule(run, due, CLASS_RELEASE, EV_EVICT, pod, life->incarnation);
}

void nodelife_due(struct run *run, uint32_t pod, uint32_t incarnation)
{
	const struct pod *p = &run->world.pods[pod];
	struct nodelife *life = life_of(run, pod);

	if (!life->waits || p->incarnation != incarnation)
		return;
	life->waits = false;
	if (p->phase == POD_BOUND || p->phase == POD_DEAD)
		leave(run, pod);
}

/* ---- a node ---- */

static void visit(struct run *run, uint32_t pod, bool ready)
{
	struct pod *p = &run->world.pods[pod];
	const struct node *n = &run->world.nodes[p->node];

	if (p->phase == POD_TERMINATING && life_of(run, pod)->stranded) {
		if (n->ready || !n->unreachable || n->drain)
			jobctl_pod_gone(run, pod, p->incarnation);
		return;
	}
	if (!ready && p->phase == POD_BOUND)
		jobctl_pod_dead(run, pod);
	if (p->phase == POD_BOUND || p->phase == POD_DEAD)
		consider(run, pod);
	if (ready && p->phase == POD_DEAD)
		jobctl_pod_alive(run, pod);
}

/* Does the node want no pod to leave? */
static bool is_at_ease(const struct node *n)
{
	bool at_ease = n->ready && !n->drain;

	for (uint32_t i = 0; i < n->taints.count; i++)
		at_ease = at_ease && n->taints.items[i].effect != TAINT_NO_EXECUTE;
	return at_ease;
}

static void strain(struct run *run, uint32_t node, bool strained)
{
	if (run->strained == NULL)
		run->strained = mem_calloc(run->world.node_count, sizeof(*run->strained));
	run->strained[node] = strained;
}

/* A node that is at ease, and was when its pods were last looked at or came, has none that
 * is dead or about to leave: there is nothing to do. */
void nodelife_changed(struct run *run, uint32_t node)
{
	const struct cluster_usage *usage = &run->world.usage;
	uint32_t *pods;
	size_t count;
	bool at_ease = is_at_ease(&run->world.nodes[node]);

	if (run->placement == NULL || (at_ease && (run->strained == NULL || !run->strained[node])))
		return;
	strain(run, node, !at_ease);
	if (usage->used[(size_t)node * usage->resource_count + RES_PODS] == 0)
		return;
	pods = nodepods_list(run, node, &count);
	for (size_t i = 0; i < count; i++) {
		const struct pod *pod = &run->world.pods[pods[i]];

		/* Those before it may have taken it along. */
		if (pod->phase != POD_ABSENT && pod->node == node)
			visit(run, pods[i], run->world.nodes[node].ready);
	}
	mem_free(pods);
}

void nodelife_bound(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	const struct taint_set *taints;

	/* An end of its job may have followed at once. */
	if (p->phase != POD_BOUND)
		return;
	taints = &run->world.nodes[p->node].taints;
	for (uint32_t i = 0; i < taints->count; i++) {
		if (taints->items[i].effect == TAINT_NO_EXECUTE) {
			strain(run, p->node, true);
			consider(run, pod);
			return;
		}
	}
}
