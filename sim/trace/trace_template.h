/* trace_template.h - the pod templates of a job list: the cells that say what a
 * job's pods ask for, as pod sets.
 *
 * Rows with the same text in these cells share their pod sets, so that a million
 * rows build a handful of shapes.
 *
 *   requests       "k=v;k=v" of one pod, Kubernetes quantities
 *   pods, min_pods how many; the least number it can start with
 *   gpus           of the whole job, in place of requests (sim/trace/trace_pods.h)
 *   topology_mode  required | preferred | unconstrained, with topology_level
 *   node_selector  "k=v;k=v", of all pod sets
 *   tolerations    "key[=value][:Effect];...", no value: any, no effect: all
 *   podsets        "name:count[/min]:requests[@required=LEVEL|@preferred=LEVEL|
 *                  @unconstrained]" joined by "|", in place of pods, min_pods,
 *                  requests and topology
 */
#ifndef SIM_TRACE_TEMPLATE_H
#define SIM_TRACE_TEMPLATE_H

#include "sim/load/builder.h"
#include "sim/tool/csv.h"
#include "sim/trace/trace_pods.h"

enum trace_template_column {
	TRACE_TEMPLATE_PODS,
	TRACE_TEMPLATE_MIN_PODS,
	TRACE_TEMPLATE_REQUESTS,
	TRACE_TEMPLATE_GPUS,
	TRACE_TEMPLATE_PODSETS,
	TRACE_TEMPLATE_TOPOLOGY_MODE,
	TRACE_TEMPLATE_TOPOLOGY_LEVEL,
	TRACE_TEMPLATE_NODE_SELECTOR,
	TRACE_TEMPLATE_TOLERATIONS,
	TRACE_TEMPLATE_COLUMNS,
};

#define TRACE_TEMPLATE_PODS_MAX 1000000 /* of one job */

struct trace_templates; /* owned by the caller: trace_templates_new/_free */

/* index[] by enum trace_template_column: the field of a row, or CSV_NONE. All
 * arguments are borrowed and outlive the templates. */
struct trace_templates *trace_templates_new(struct builder *builder, uint32_t gpus_per_node,
					    const uint32_t index[TRACE_TEMPLATE_COLUMNS]);
void trace_templates_free(struct trace_templates *templates);

/* The pod sets of a row of which only GPUs are told: 1 .. TRACE_PODS_KNOWN - 1. */
struct trace_pods_sets trace_template_gpus(struct trace_templates *templates, uint32_t gpus);

/* The pod sets of the row that csv stands on; count 0: a job of zero GPUs. */
enum err_code trace_template_of(struct trace_templates *templates, const struct csv *csv,
				struct trace_pods_sets *out, struct err *err);

#endif
