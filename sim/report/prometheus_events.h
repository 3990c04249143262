/* prometheus_events.h - what Kueue's metrics count and time while a run goes on.
 */
#ifndef SIM_PROMETHEUS_EVENTS_H
#define SIM_PROMETHEUS_EVENTS_H

#include "sim/report/prometheus_pass.h"

/* The whole journal; the pass knows then how each workload ended. */
void prometheus_events_count(struct prometheus_pass *p);

#endif
