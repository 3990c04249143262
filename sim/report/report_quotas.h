/* report_quotas.h - the ResourceQuotas that a run made up from ClusterQueues, so that a
 * reader sees what the resourcequota policy was held to.
 */
#ifndef SIM_REPORT_QUOTAS_H
#define SIM_REPORT_QUOTAS_H

#include "sim/report/report.h"
#include "sim/tool/jsonw.h"

/* A table under its own title: namespace, resource, amount, ClusterQueue, by queue
 * and namespace in the order of the input. Nothing where no column derived any. */
void report_quotas_write(FILE *out, const struct report *report);
/* The same as an array "derived_resource_quotas" of objects; amounts in Kubernetes'
 * notation. */
void report_quotas_json(struct jsonw *json, const struct report *report);

#endif
