/* podcrash.h - containers that fail and start again in their pod.
 *
 * What the kubelet does where restartPolicy is not Never (Kubernetes 1.34,
 * pkg/kubelet/kuberuntime doBackOff, client-go flowcontrol.Backoff): the first restart
 * is at once, the next after 10 s, doubling to 5 min (CrashLoopBackOff); a container
 * that has run for more than 10 min begins anew. The pod keeps its node. A Job counts
 * the restarts of the pods it has (pastBackoffLimitOnFailure). Of a gang the first pod
 * stands for all.
 */
#ifndef SIM_PODCRASH_H
#define SIM_PODCRASH_H

#include "sim/engine/run.h"

struct podcrash; /* owned by the run; NULL while no container restarts */

void podcrash_open(struct run *run);
void podcrash_free(struct podcrash *crashes);

/* Do containers of the job restart in their pods? */
bool podcrash_restarts(const struct run *run, uint32_t job);
/* The container failed: it rests until EV_POD_RESTART. */
void podcrash_fail(struct run *run, uint32_t pod, int32_t code);
/* It is over. True: the job has had more restarts than its backoffLimit allows. */
bool podcrash_over(struct run *run, uint32_t pod);
/* The pod is gone, and its restarts with it. */
void podcrash_forget_box(struct run *run, uint32_t pod);
static inline void podcrash_forget(struct run *run, uint32_t pod)
{
	if (run->crashes != NULL)
		podcrash_forget_box(run, pod);
}

bool podcrash_rests(const struct run *run, uint32_t pod);
/* Pods of the job whose containers rest. */
uint32_t podcrash_resting(const struct run *run, uint32_t job);

#endif
