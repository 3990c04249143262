/* trace_formats.h - the formats, for the rows of sim/trace/trace_table.c. */
#ifndef SIM_TRACE_FORMATS_H
#define SIM_TRACE_FORMATS_H

#include "sim/trace/trace_csv.h"

#define TRACE_SHARES_NOT_MODELLED                                                                  \
	"parts of GPUs: which GPU of a node one lies on, unless the policy is random, "            \
	"bestfit, dotprod or fgd; and figures count whole GPUs only"

trace_probe trace_jobs_probe;
trace_load trace_jobs_load;
trace_probe trace_generator_probe;
trace_load trace_generator_load;
trace_probe trace_jsonl_probe;
trace_load trace_jsonl_load;
trace_probe trace_philly_probe;
trace_load trace_philly_load;
trace_probe trace_pai_probe;
trace_load trace_pai_load;
trace_probe trace_pai_tasks_probe;
trace_probe trace_pai_instances_probe;
trace_probe trace_pai_nodes_probe;
trace_load trace_pai_nodes_load;
trace_probe trace_gavel_probe;
trace_load trace_gavel_load;
trace_probe trace_gavel_throughputs_probe;
trace_probe trace_swf_probe;
trace_load trace_swf_load;
trace_probe trace_cluster_spec_probe;
trace_load trace_cluster_spec_load;
trace_probe trace_nodes_probe;
trace_load trace_nodes_load;

extern const struct trace_csv_format trace_acme_format;
extern const struct trace_csv_format trace_dlrm_format;
extern const struct trace_csv_format trace_elasticflow_format;
extern const struct trace_csv_format trace_helios_format;
extern const struct trace_csv_format trace_itp_format;
extern const struct trace_csv_format trace_muri_format;
extern const struct trace_csv_format trace_openb_format;
extern const struct trace_csv_format trace_philly_csv_format;
extern const struct trace_csv_format trace_sacct_format;
extern const struct trace_csv_format trace_sia_format;
extern const struct trace_csv_format trace_spot_format;
extern const struct trace_csv_format trace_supercloud_format;
extern const struct trace_csv_format trace_tiresias_format;

#endif
