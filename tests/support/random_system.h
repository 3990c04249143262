/* random_system.h - small random clusters with queues, with everything that is
 * modelled: seed -> manifest.
 *
 * Cohorts in trees with quotas of their own, queues with one to three flavors in one
 * or two resource groups, fair sharing and admission fair sharing, partial admission,
 * topologies, admission checks, pods that are late or fail, time limits, cancelled
 * jobs, objects and nodes that change while it runs. Few different numbers, so that
 * jobs compete and times tie.
 */
#ifndef TESTS_SUPPORT_RANDOM_SYSTEM_H
#define TESTS_SUPPORT_RANDOM_SYSTEM_H

#include "tests/support/manifest.h"

struct manifest *random_system(uint64_t seed);

#endif
