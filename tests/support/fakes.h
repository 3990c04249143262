/* fakes.h - the simplest policies that use every part of the policy interface,
 * so that the engine is tested without a real scheduler. */
#ifndef TESTS_SUPPORT_FAKES_H
#define TESTS_SUPPORT_FAKES_H

#include "sim/world/policy.h"

/* Placement: pods in order of creation, first node that has room; a failed pod
 * is tried again whenever a pod goes. Pods of jobs named "vip..." take the place
 * of a bound pod of another job where nothing is free. */
extern const struct policy fakes_first_fit;
/* Admission: jobs in order of submission while their GPUs fit into 8; a job
 * named "vip..." that does not fit preempts the newest admitted one. */
extern const struct policy fakes_eight_gpus;

extern const struct policy_row fakes_plain;  /* first fit alone */
extern const struct policy_row fakes_queued; /* eight GPUs, then first fit */

#endif
