#include "sim/engine/podgone.h"

#include "core/mem.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/podcrash.h"
#include "sim/engine/podmake.h"
#include "sim/engine/podnode.h"

static uint32_t first_pod(const struct run *run, uint32_t job)
{
	return run->journal->first_pod[job];
}

static void refund(struct run *run, const struct pod *p)
{
	struct quota_pod pod =
		resourcequota_pod(run->scenario, p->job, &run->scenario->shapes[p->shape]);

	resourcequota_refund(run->quotas, &pod);
}

/* Neither schedulers nor quotas know of pods that are never placed. */
static void leave_node(struct run *run, uint32_t pod)
{
	uint32_t node = podnode_leave(run, pod);

	if (run->placement == NULL)
		return;
	if (run->quotas != NULL)
		refund(run, &run->world.pods[pod]);
	run_tell_pod(run, HAP_POD_DELETED, pod, node);
}

void podgone_remove(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	podcrash_forget(run, pod);
	if (p->phase == POD_ABSENT || p->phase == POD_DONE)
		return;
	if (jobpods_solo(run, p->job)) {
		jobpods_stop(run, pod);
		jobpods_give_back(run, pod);
	}
	if (p->phase == POD_BOUND)
		world_job(&run->world, p->job)->pods_bound--;
	p->phase = POD_ABSENT;
	leave_node(run, pod);
	run_settle(run);
}

void podgone_remove_told(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];

	if (run->late[world_pod_index(&run->world, pod)] != 0 && p->phase == POD_BOUND)
		run_note_pod(run, J_POD_DELETED, pod, p->node, 0);
	podgone_remove(run, pod);
}

/* Under --drain each the scheduler runs between two removals, and may bind a pod
 * that is about to go, or preempt one, which then goes all the sooner. The record of
 * the job has told the end of all others; the end of such a pod gets its own. */
static void remove_one_by_one(struct run *run, uint32_t first, uint32_t count)
{
	uint32_t *late = mem_calloc(count, sizeof(*late));
	const struct pod *pods = &run->world.pods[first];

	for (uint32_t i = 0; i < count; i++)
		late[i] = pods[i].phase == POD_PENDING;
	run->removing = pods[0].job + 1;
	run->late = late;
	for (uint32_t i = 0; i < count; i++)
		podgone_remove_told(run, first + i);
	run->removing = 0;
	run->late = NULL;
	mem_free(late);
}

void podgone_remove_pending(struct run *run, uint32_t job)
{
	uint32_t first = first_pod(run, job);

	if (run->placement == NULL)
		return;
	for (uint32_t i = 0; i < run->scenario->jobs[job].common->pods; i++) {
		if (run->world.pods[first + i].phase == POD_PENDING)
			podgone_remove(run, first + i);
	}
	run_touch(run, job);
}

void podgone_remove_all(struct run *run, uint32_t job)
{
	uint32_t first = first_pod(run, job), count = run->scenario->jobs[job].common->pods;
	bool solo = jobpods_solo(run, job);

	podcrash_forget(run, first);
	if (run->placement == NULL && !solo) {
		run_cancel(run, world_job(&run->world, job)->next, CLASS_RETRY);
		return;
	}
	run_cancel(run, world_job(&run->world, job)->timeout, CLASS_TIMEOUT);
	podmake_cancel(run, job);
	run_cancel(run, world_job(&run->world, job)->next, CLASS_RETRY);
	if (run->after_pod != NULL && run->placement != NULL) {
		/* The room that one leaves is for no other of the same job. */
		podgone_remove_pending(run, job);
		remove_one_by_one(run, first, count);
	} else {
		for (uint32_t i = 0; i < count; i++)
			podgone_remove(run, first + i);
	}
	run_touch(run, job);
}
