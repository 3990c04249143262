/* lint_jobs.c - jobs that never start, or that Kueue does not see. */
#include <stdio.h>
#include <string.h>

#include "sim/lint/lint_placement.h"
#include "sim/lint/lint_suits.h"

#define RAISE	 "nominalQuota, or what it may borrow (borrowingLimit, others' lendingLimit)"
#define LIST_MAX 20 /* findings of one sort; the rest are counted */

static const struct finding_rule rules[LINT_SORTS] = {
	[LINT_SUSPENDED] = {"suspended-for-ever", FINDING_WARNING},
	[LINT_UNMANAGED] = {"no-queue-name", FINDING_WARNING},
	[LINT_POD_TOO_BIG] = {"pod-fits-no-node", FINDING_WARNING},
	[LINT_JOB_TOO_BIG] = {"job-exceeds-cluster", FINDING_WARNING},
	[LINT_FLAVOR_ROOM] = {"job-fits-no-flavor", FINDING_WARNING},
	[LINT_NAMESPACE] = {"namespace-not-selected", FINDING_WARNING},
	[LINT_NAMESPACE_UNKNOWN] = {"namespace-not-described", FINDING_WARNING},
	[LINT_NOT_COVERED] = {"resource-not-covered", FINDING_WARNING},
	[LINT_NO_FLAVOR] = {"no-matching-flavor", FINDING_WARNING},
	[LINT_QUOTA] = {"job-exceeds-quota", FINDING_WARNING},
	[LINT_SLICE] = {"slice-above-minimum", FINDING_WARNING},
};

static const struct finding_rule strict_fifo_blocked = {"strict-fifo-blocked", FINDING_WARNING};

struct lint_work {
	const struct lint *l;
	uint32_t shown[LINT_SORTS], hidden[LINT_SORTS];
};

/* ---- quotas ---- */

/* The most that a queue could ever have of a cell. */
static int64_t ceiling(const struct lint *l, const struct cluster_queue *queue,
		       const struct resource_group *group, uint32_t flavor, uint32_t resource)
{
	if (l->more_quota && queue->cohort != SCENARIO_NONE)
		return RES_UNLIMITED;
	return lint_capacity_of(l->capacity, (uint32_t)(queue - l->s->cluster_queues),
				group->flavor_names[flavor], group->resources[resource]);
}

static void say_above_quota(const struct lint *l, const struct cluster_queue *queue,
			    uint32_t flavor_name, uint32_t resource, int64_t each, uint32_t pods,
			    int64_t most, struct lint_fault *fault)
{
	char wanted[NUM_QUANTITY_TEXT], has[NUM_QUANTITY_TEXT];

	lint_amount(l, resource, most, has);
	fault->sort = LINT_QUOTA;
	snprintf(fault->text, sizeof(fault->text),
		 "is never admitted: it asks for %s of %.80s, ClusterQueue "
		 "\"%.80s\" can have at most %s in flavor \"%.60s\"",
		 lint_amount(l, resource, res_mul(each, pods), wanted), lint_resource(l, resource),
		 lint_string(l, queue->name), has, lint_string(l, flavor_name));
	if (most / each > 0)
		snprintf(fault->fix, sizeof(fault->fix),
			 "run at most %lld such pod%s at once, or raise " RAISE,
			 (long long)(most / each), most / each == 1 ? "" : "s");
	else
		snprintf(fault->fix, sizeof(fault->fix),
			 "ask for at most %s a pod, or raise " RAISE, has);
}

/* Has the flavor quota enough? If not, what it misses most: of which it has the fewest pods. */
static bool check_cells(const struct lint *l, const struct cluster_queue *queue,
			const struct resource_group *group, uint32_t f, const struct pod_set *set,
			struct lint_fault *fault)
{
	int64_t fewest = INT64_MAX;

	for (uint32_t r = 0; r < group->resource_count; r++) {
		uint32_t resource = group->resources[r];
		int64_t each = l->s->shapes[set->shape].request[resource];
		int64_t most = ceiling(l, queue, group, f, r);

		if (lint_translated(l, resource) || each <= 0 ||
		    res_mul(each, set->min_count) <= most || most / each >= fewest)
			continue;
		fewest = most / each;
		say_above_quota(l, queue, group->flavor_names[f], resource, each, set->min_count,
				most, fault);
	}
	return fewest == INT64_MAX;
}

/* Is there a flavor of the group for the pod set? If not, the nearest miss. gang: pods of the
 * set that must have room at once; 0: whether they have is not asked. */
static bool check_group(const struct lint *l, const struct cluster_queue *queue,
			const struct resource_group *group, const struct pod_set *set,
			uint32_t gang, struct lint_fault *fault)
{
	const struct pod_shape *shape = &l->s->shapes[set->shape];
	bool suits = false, admitted = false;

	for (uint32_t f = 0; f < group->flavor_count; f++) {
		struct lint_fault miss = {.unadmitted = false};

		if (group->flavors[f] == SCENARIO_NONE)
			return true; /* the queue is inactive: said elsewhere */
		if (!lint_suits(l, queue, &l->s->flavors[group->flavors[f]], shape))
			continue;
		suits = true;
		if (check_cells(l, queue, group, f, set, &miss)) {
			if (gang == 0 ||
			    lint_placement_in(l, set, gang, &l->s->flavors[group->flavors[f]],
					      &miss))
				return true;
			admitted = true;
			*fault = miss;
		} else if (!admitted) {
			*fault = miss;
		}
	}
	if (!suits)
		lint_suits_none(l, queue, group, shape, fault);
	return false;
}

static bool asks_for_any(const struct resource_group *group, const struct pod_shape *shape)
{
	for (uint32_t r = 0; r < group->resource_count; r++)
		if (pod_shape_counted(shape)[group->resources[r]] > 0)
			return true;
	return false;
}

/* All that the queue has no quota for: one after the other would be one run of check each. */
static bool check_coverage(const struct lint *l, const struct cluster_queue *queue,
			   const struct pod_shape *shape, struct lint_fault *fault)
{
	char list[160] = "";
	size_t used = 0;

	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		if (pod_shape_counted(shape)[r] <= 0 || lint_covers(queue, r) ||
		    lint_translated(l, r) || l->s->config.ignore_undeclared || used >= sizeof(list))
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.60s",
					 used > 0 ? ", " : "", lint_resource(l, r));
	}
	if (used == 0)
		return true;
	fault->sort = LINT_NOT_COVERED;
	snprintf(fault->text, sizeof(fault->text),
		 "is never admitted: ClusterQueue \"%.100s\" has no quota for %s, which its pods "
		 "request",
		 lint_string(l, queue->name), list);
	snprintf(fault->fix, sizeof(fault->fix),
		 "add %s to a resource group of the queue, or leave it to the nodes: "
		 "resources.excludeResourcePrefixes, or quotaCheckStrategy IgnoreUndeclared",
		 list);
	return false;
}

static uint32_t find_namespace(const struct lint *l, uint32_t ns)
{
	uint32_t i = 0;

	while (i < l->s->namespace_count && l->s->namespaces[i].name != ns)
		i++;
	return i;
}

/* No object describes it: its labels are not known, and here it has its name alone. */
static void say_undescribed(const struct lint *l, const struct cluster_queue *queue, uint32_t ns,
			    struct lint_fault *fault)
{
	fault->sort = LINT_NAMESPACE_UNKNOWN;
	snprintf(
		fault->text, sizeof(fault->text),
		"is not admitted here: ClusterQueue \"%.100s\" selects namespaces by their labels, "
		"and no Namespace object says which ones \"%.100s\" has",
		lint_string(l, queue->name), lint_string(l, ns));
	snprintf(fault->fix, sizeof(fault->fix),
		 "give the Namespace, too: kubectl get namespaces -o yaml");
}

static bool check_namespace(const struct lint *l, const struct cluster_queue *queue, uint32_t ns,
			    struct lint_fault *fault)
{
	uint32_t index = find_namespace(l, ns);
	bool known;

	if (!queue->namespace_selector.present || index == l->s->namespace_count ||
	    draft_left_out(l->builder, "Namespace", lint_string(l, ns)) ||
	    label_selector_matches(l->s->strings, &l->s->namespaces[index].labels,
				   &queue->namespace_selector))
		return true;
	if (lint_may_select(l, queue, index, &known) && !known) {
		say_undescribed(l, queue, ns, fault);
		return false;
	}
	fault->sort = LINT_NAMESPACE;
	snprintf(fault->text, sizeof(fault->text),
		 "is never admitted: ClusterQueue \"%.100s\" does not select namespace \"%.100s\"",
		 lint_string(l, queue->name), lint_string(l, ns));
	snprintf(fault->fix, sizeof(fault->fix),
		 "label the namespace as spec.namespaceSelector wants it, or widen the selector");
	return false;
}

/* Would its queue ever admit it? placed: the nodes are known, and some have room. */
static bool check_admission(const struct lint *l, const struct job *job,
			    const struct cluster_queue *queue, bool placed,
			    struct lint_fault *fault)
{
	if (!check_namespace(l, queue, job->common->ns, fault))
		return false;
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->common->first_pod_set + i];
		const struct pod_shape *shape = &l->s->shapes[set->shape];
		uint32_t gang = (job->common->flags & JOB_NOT_GANG) != 0 ? 1 : set->min_count;

		if (!check_coverage(l, queue, shape, fault))
			return false;
		for (uint32_t g = 0; g < queue->group_count; g++)
			if (asks_for_any(&queue->groups[g], shape) &&
			    !check_group(l, queue, &queue->groups[g], set, placed ? gang : 0,
					 fault))
				return false;
	}
	return true;
}

/* ---- jobs ---- */

static void report(struct lint_work *w, const struct alike_class *class,
		   const struct lint_fault *fault)
{
	const struct lint *l = w->l;
	char name[SCENARIO_NAME_TEXT], more[40] = "";

	if (w->shown[fault->sort]++ >= LIST_MAX) {
		w->hidden[fault->sort] += class->count;
		return;
	}
	if (class->count > 1)
		snprintf(more, sizeof(more), " (and %u more like it)", class->count - 1);
	draft_fault(l->builder, &rules[fault->sort], draft_job_place(l->builder, class->first),
		    fault->fix, "job \"%s\" %s%s", scenario_job_name(l->s, class->first, name),
		    fault->text, more);
}

/* It waits at the head of a StrictFIFO queue for ever. */
static bool stays_at_the_head(const struct lint_fault *fault)
{
	return fault->sort == LINT_NOT_COVERED || fault->sort == LINT_NO_FLAVOR ||
	       fault->sort == LINT_QUOTA || fault->unadmitted;
}

/* Its queue, as far as that is known. */
static const struct cluster_queue *queue_of(const struct lint *l, const struct job *job,
					    uint32_t *index)
{
	if (job->common->local_queue == JOB_NONE)
		return NULL;
	*index = l->s->local_queues[job->common->local_queue].cluster_queue;
	return *index == SCENARIO_NONE ? NULL : &l->s->cluster_queues[*index];
}

static void say_held(struct lint_fault *fault)
{
	fault->sort = LINT_SUSPENDED;
	snprintf(fault->text, sizeof(fault->text),
		 "never starts: it is suspended, and neither a queue-name label nor "
		 "gqsim/resume-at nor a later version of it says who lifts that");
	snprintf(fault->fix, sizeof(fault->fix),
		 "give it the label kueue.x-k8s.io/queue-name, or delete suspend");
}

static void say_unmanaged(struct lint_fault *fault)
{
	fault->sort = LINT_UNMANAGED;
	snprintf(fault->text, sizeof(fault->text),
		 "has no label kueue.x-k8s.io/queue-name: Kueue leaves it alone, it starts outside "
		 "of every quota");
	snprintf(fault->fix, sizeof(fault->fix),
		 "add metadata.labels[\"kueue.x-k8s.io/queue-name\"] with the name of a LocalQueue "
		 "of its namespace");
}

/* Kueue then divides by the number of domains that no slice at all takes, which is 0
 * (tas_balanced_placement.go, balanceThresholdValue), and its process ends. */
static bool check_slices(const struct lint *l, const struct job *job, struct lint_fault *fault)
{
	for (uint32_t i = 0; l->balances && i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &l->s->pod_sets[job->common->first_pod_set + i];
		const struct pod_shape *shape = &l->s->shapes[set->shape];

		if (shape->topology_mode != TOPOLOGY_PREFERRED || shape->slice_level == NAME_NONE ||
		    shape->topology_group != NAME_NONE || set->min_count >= shape->slice_size)
			continue;
		fault->sort = LINT_SLICE;
		snprintf(
			fault->text, sizeof(fault->text),
			"can bring Kueue down: with fewer pods than a slice has (at least %u of "
			"%u) TASBalancedPlacement divides by zero; here they are placed as without "
			"that gate",
			set->min_count, shape->slice_size);
		snprintf(fault->fix, sizeof(fault->fix),
			 "let it start with no fewer than %u pods "
			 "(kueue.x-k8s.io/job-min-parallelism)",
			 shape->slice_size);
		return false;
	}
	return true;
}

/* known: the nodes are; with a topology they decide, too, who is admitted. placed: and the job
 * can run on them. Otherwise they are not looked at again, but for who blocks a queue. */
static void look_at_admission(struct lint_work *w, const struct alike_class *class, uint32_t index,
			      bool known, bool placed)
{
	const struct lint *l = w->l;
	const struct job *job = &l->s->jobs[class->first];
	const struct cluster_queue *queue = &l->s->cluster_queues[index];
	struct lint_fault fault = {.unadmitted = false};
	bool admitted = check_admission(l, job, queue, placed, &fault);

	if (!admitted)
		report(w, class, &fault);
	if (queue->strategy != QUEUE_STRICT_FIFO || l->blockers[index] != JOB_NONE)
		return;
	if (placed != known) {
		fault = (struct lint_fault){.unadmitted = false};
		admitted = check_admission(l, job, queue, known, &fault);
	}
	if (!admitted && stays_at_the_head(&fault))
		l->blockers[index] = class->first;
}

/* Where it can run, and whether it is let in: both are told. */
static void check_class(struct lint_work *w, const struct alike_class *class)
{
	const struct lint *l = w->l;
	const struct job *job = &l->s->jobs[class->first];
	bool known = l->has_nodes && !l->changes && !l->more_nodes, placed = known;
	uint32_t index = SCENARIO_NONE;
	const struct cluster_queue *queue = queue_of(l, job, &index);
	struct lint_fault fault = {.unadmitted = false};

	if (placed && !lint_placement(l, job, queue, &fault)) {
		placed = false;
		report(w, class, &fault);
	}
	if (queue != NULL && !check_slices(l, job, &fault))
		report(w, class, &fault);
	if (class->held) {
		say_held(&fault);
		report(w, class, &fault);
	} else if (l->s->cluster_queue_count != 0 && (job->common->flags & JOB_UNMANAGED) != 0) {
		say_unmanaged(&fault);
		report(w, class, &fault);
	} else if (queue != NULL && !l->changes) {
		look_at_admission(w, class, index, known, placed);
	}
}

static void report_hidden(const struct lint_work *w)
{
	for (int k = 0; k < LINT_SORTS; k++)
		if (w->hidden[k] != 0)
			draft_fault(w->l->builder, &rules[k], (struct place){0},
				    "mend those, and check again",
				    "%u more jobs of other shapes have the same fault as the %d "
				    "named last of their sort",
				    w->hidden[k], LIST_MAX);
}

/* ---- what they do to others ---- */

/* Once a queue. */
static void report_blocked_queues(const struct lint_work *w)
{
	const struct scenario *s = w->l->s;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		char name[SCENARIO_NAME_TEXT];

		if (w->l->blockers[i] == JOB_NONE)
			continue;
		draft_fault(w->l->builder, &strict_fifo_blocked,
			    w->l->places->of[KIND_CLUSTER_QUEUE][i].where,
			    "delete or mend the job, or set queueingStrategy: BestEffortFIFO",
			    "ClusterQueue \"%s\" is StrictFIFO: once job \"%s\", which is never "
			    "admitted, is at its head, nothing behind it is",
			    lint_string(w->l, s->cluster_queues[i].name),
			    scenario_job_name(s, w->l->blockers[i], name));
	}
}

void lint_jobs(const struct lint *l)
{
	struct lint_work w = {.l = l};

	for (uint32_t i = 0; i < l->alike->count; i++)
		check_class(&w, &l->alike->classes[i]);
	report_hidden(&w);
	report_blocked_queues(&w);
}
