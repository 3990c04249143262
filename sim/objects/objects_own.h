/* objects_own.h - our annotations on objects that become jobs: what Kubernetes has no
 * field for (all values are texts).
 *
 *   gqsim/submit-at            seconds or duration since the start; default 0, or
 *                              the creationTimestamp relative to the earliest one
 *   gqsim/duration             work once all pods run (of each pod, where pods work
 *                              each for itself), or "endless"; default: from the
 *                              status of a completed Job, else 1h, for what trains;
 *                              endless for what serves; in the template of a JobSet's
 *                              replicated job: of its pods, if others wait until they
 *                              are done
 *   gqsim/gang                 "false": pods work each for itself
 *   gqsim/pod-durations        "10m,20m": of the completions in turn; the last repeats
 *   gqsim/pod-failures         "5m,-,90s/137,3:10m": what becomes of the pods in the order
 *                              of their start (of a gang: of its attempts): fails after so
 *                              much work, with exit code 1 or the one given; - succeeds;
 *                              INDEX: of every pod of that completion index
 *   gqsim/checkpoint-interval  work is saved every so long
 *   gqsim/restart-cost         work added by a restart from a checkpoint
 *   gqsim/gpu-utilisation      per cent of its GPUs that it keeps busy, 0 to 100
 *   gqsim/cancel-at            it is deleted then
 *   gqsim/ungate-at            kueue.x-k8s.io/admission-gated-by is taken away then
 *   gqsim/suspend-at, gqsim/resume-at   a Job's spec.suspend is changed then
 *   gqsim/replicas-at          "8h=4,20h=1": a service is scaled then
 *   gqsim/parallelism-at       the same of an elastic Job
 *   gqsim/until                a CronJob makes Jobs until then
 */
#ifndef SIM_OBJECTS_OWN_H
#define SIM_OBJECTS_OWN_H

#include "sim/load/fields.h"

#define OBJECTS_OWN_MISSING  (-1) /* a time that no annotation gives */
#define OBJECTS_OWN_MAX_PODS 10000000

struct objects_own {
	simtime submit, duration, checkpoint, restart_cost, cancel_at, ungate_at, until; /* MISSING
											  */
	bool no_retry;	 /* provreq.kueue.x-k8s.io/noRetry */
	int gang;	 /* 1, 0; -1: not said */
	int utilisation; /* per mille; -1 */
	/* in the builder's arena: */
	const simtime *durations;
	uint32_t duration_count;
	const struct pod_fate *fates;
	uint32_t fate_count;
	const struct job_change *changes; /* ascending */
	uint32_t change_count;
};

/* annotations: NULL for none. */
enum err_code objects_own_read(struct fields *f, const struct yaml_node *annotations,
			       struct objects_own *out);
#endif
