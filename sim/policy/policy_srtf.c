/* policy_srtf.c - shortest remaining time first, preempting whole jobs.
 *
 * Hu et al. (SC'21) compare with it: whenever something changed, the jobs of a queue
 * in order of the work they have left get its GPUs, who does not get his is stopped,
 * and who was not running and does is placed (consolidate.h) if there is room in one
 * piece. It knows every duration exactly, so it bounds what any real scheduler can
 * reach. Stopped work is kept or lost as for every preemption (--checkpointing).
 *
 * Queues have their own nodes as in policy_line.c.
 */
#include <stdio.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/policy/consolidate.h"
#include "sim/policy/partition.h"
#include "sim/world/policy.h"

struct candidate {
	simtime left; /* work */
	uint32_t rank, job;
};

struct share {			/* of a queue */
	struct candidate *jobs; /* that exist and are not done; those done are dropped later */
	size_t capacity;
	uint32_t count;
	uint32_t *starts; /* selected and not running, in order */
	size_t start_capacity;
	uint32_t start_count, next;
	bool settled; /* nothing changed since the selection was made */
};

struct srtf {
	const struct world *world;
	struct kube_match *match;
	struct consolidate *consolidate;
	struct partition *partition;
	uint32_t *rank; /* per job: its place in scenario.by_submit */
	bool *known;	/* per job: among its share's jobs */
	struct share *shares;
};

static void *open_srtf(const struct world *world, struct plan *plan, struct err *err)
{
	struct srtf *s = mem_calloc(1, sizeof(*s));
	const struct scenario *scenario = world->scenario;

	(void)plan;
	(void)err;
	s->world = world;
	s->match = kube_match_new(world);
	s->consolidate = consolidate_new(world, s->match);
	s->partition = partition_new(world);
	s->rank = mem_calloc(scenario->job_count, sizeof(*s->rank));
	s->known = mem_calloc(scenario->job_count, sizeof(*s->known));
	s->shares = mem_calloc(partition_count(s->partition), sizeof(*s->shares));
	for (uint32_t i = 0; i < scenario->job_count; i++)
		s->rank[scenario_by_submit(scenario, i)] = i;
	return s;
}

static void close_srtf(void *self)
{
	struct srtf *s = self;

	for (uint32_t i = 0; i < partition_count(s->partition); i++) {
		mem_free(s->shares[i].jobs);
		mem_free(s->shares[i].starts);
	}
	mem_free(s->shares);
	mem_free(s->known);
	mem_free(s->rank);
	partition_free(s->partition);
	consolidate_free(s->consolidate);
	kube_match_free(s->match);
	mem_free(s);
}

/* ---- what happens ---- */

static void unsettle_all(struct srtf *s)
{
	for (uint32_t i = 0; i < partition_count(s->partition); i++)
		s->shares[i].settled = false;
}

static void pod_created(struct srtf *s, uint32_t job)
{
	struct share *share = &s->shares[partition_of_job(s->partition, job)];

	share->settled = false;
	if (s->known[job])
		return;
	s->known[job] = true;
	share->jobs =
		mem_grow(share->jobs, share->count + 1, &share->capacity, sizeof(*share->jobs));
	share->jobs[share->count++] = (struct candidate){.rank = s->rank[job], .job = job};
}

static void observe(void *self, const struct happening *h, struct plan *plan)
{
	struct srtf *s = self;

	(void)plan;
	if (h->kind == HAP_POD_CREATED) {
		pod_created(s, s->world->pods[h->pod].job);
	} else if (h->kind == HAP_POD_DELETED) {
		unsettle_all(s);
	} else if (h->kind == HAP_NODE) {
		kube_match_node(s->match, h->node);
		partition_node(s->partition);
		unsettle_all(s);
	}
}

/* ---- who gets the GPUs ---- */

static bool runs(const struct world *w, uint32_t job)
{
	return world_job(w, job)->pods_wanted != 0 &&
	       world_job(w, job)->pods_bound == world_job(w, job)->pods_wanted;
}

static simtime work_left(const struct world *w, uint32_t job)
{
	const struct job *j = &w->scenario->jobs[job];
	const struct job_run *r = world_job(w, job);
	simtime cost = r->saved > 0 ? j->common->restart_cost : 0;

	if (j->duration == JOB_ENDLESS)
		return CLOCK_NEVER;
	if (r->running_since != CLOCK_NEVER)
		return clock_add(j->duration - r->saved, r->overhead) - (w->now - r->running_since);
	return clock_add(j->duration - r->saved, cost);
}

static int by_work_left(const void *a, const void *b, void *context)
{
	const struct candidate *x = a, *y = b;

	(void)context;
	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The jobs that exist now, shortest work first. */
static void refresh(struct srtf *s, struct share *share)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < share->count; i++) {
		struct candidate c = share->jobs[i];

		s->known[c.job] = world_job(s->world, c.job)->phase == JOB_ADMITTED;
		c.left = work_left(s->world, c.job);
		if (s->known[c.job])
			share->jobs[kept++] = c;
	}
	share->count = kept;
	sort_stable(share->jobs, kept, sizeof(*share->jobs), by_work_left, NULL);
}

static int64_t gpus_of(const struct srtf *s, uint32_t part)
{
	const bool *allowed = partition_nodes(s->partition, part);
	int64_t gpus = 0;

	for (uint32_t node = 0; node < s->world->node_count; node++)
		gpus += allowed[node] && s->world->node_usable[node] ? s->world->nodes[node].gpus
								     : 0;
	return gpus;
}

static void stop(struct srtf *s, uint32_t job, uint32_t by, struct plan *plan)
{
	struct decision *d = plan_add(plan, DECIDE_PREEMPT);

	d->job = job;
	d->by_job = by;
	d->reason = journal_string(s->world->journal, "ShorterRemainingTime");
}

/* Selects, and stops who runs and is not selected. */
static void select_jobs(struct srtf *s, uint32_t part, struct plan *plan)
{
	struct share *share = &s->shares[part];
	int64_t left = gpus_of(s, part);
	uint32_t first = JOB_NONE; /* the shortest of those that are to start */

	refresh(s, share);
	share->start_count = share->next = 0;
	share->starts = mem_grow(share->starts, share->count, &share->start_capacity,
				 sizeof(*share->starts));
	for (uint32_t i = 0; i < share->count; i++) {
		uint32_t job = share->jobs[i].job;
		int64_t gpus = s->world->scenario->jobs[job].common->gpus;

		if (gpus <= left) {
			left -= gpus;
			if (!runs(s->world, job)) {
				share->starts[share->start_count++] = job;
				first = first == JOB_NONE ? job : first;
			}
		} else if (runs(s->world, job) && first != JOB_NONE) {
			stop(s, job, first, plan);
		}
	}
	share->settled = true;
}

/* ---- one cycle ---- */

static bool start_next(struct srtf *s, uint32_t part, struct plan *plan)
{
	struct share *share = &s->shares[part];
	struct consolidate_plan found;

	while (share->next < share->start_count) {
		if (!consolidate_find(s->consolidate, share->starts[share->next++],
				      partition_nodes(s->partition, part), &found))
			continue;
		consolidate_bind(&found, plan);
		return true;
	}
	return false;
}

static bool cycle(void *self, struct plan *plan)
{
	struct srtf *s = self;

	for (uint32_t i = 0; i < partition_count(s->partition); i++) {
		if (!s->shares[i].settled)
			select_jobs(s, i, plan);
		if (plan->count != 0 || start_next(s, i, plan))
			return true;
	}
	return false;
}

static void why(const void *self, uint32_t job, char *buf, size_t size)
{
	const struct srtf *s = self;
	const struct share *share = &s->shares[partition_of_job(s->partition, job)];
	uint32_t shorter = 0;

	for (uint32_t i = 0; i < share->count && share->jobs[i].job != job; i++)
		shorter++;
	snprintf(buf, size, "%u jobs of its queue have less work left, or no node has room for it",
		 (unsigned)shorter);
}

const struct policy policy_srtf = {
	.name = "srtf",
	.models = "shortest remaining time first, whole jobs",
	.open = open_srtf,
	.close = close_srtf,
	.observe = observe,
	.cycle = cycle,
	.why = why,
};
