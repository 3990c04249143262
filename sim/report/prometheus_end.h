/* prometheus_end.h - what Kueue's metrics say of workloads, queues and cohorts as they are at a
 * run's end.
 */
#ifndef SIM_PROMETHEUS_END_H
#define SIM_PROMETHEUS_END_H

#include "sim/report/prometheus_pass.h"

/* After prometheus_events_count. */
void prometheus_end_report(const struct prometheus_pass *p);

#endif
