#include <string.h>

#include "sim/trace/trace.h"
#include "sim/trace/trace_capacity.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_queues.h"

#define HEAD_MAX 65536

/* In the order in which files are probed: what has more of its own columns comes first. */
static const struct trace_format formats[] = {
	{"generator", "a document of kind Generator: jobs are made up", trace_generator_probe,
	 trace_generator_load, NULL, TRACE_JOBS},
	{"philly", "Microsoft Philly's cluster_job_log (JSON)", trace_philly_probe,
	 trace_philly_load, NULL, TRACE_JOBS},
	{"philly-csv", "Philly as CSV: timestamp,duration,num_gpus,gpu_time,cluster", NULL, NULL,
	 &trace_philly_csv_format, TRACE_JOBS},
	{"helios", "SenseTime Helios, cluster_log.csv", NULL, NULL, &trace_helios_format,
	 TRACE_JOBS},
	{"acme", "Shanghai AI Lab Acme, trace_seren.csv and trace_kalos.csv", NULL, NULL,
	 &trace_acme_format, TRACE_JOBS},
	{"pai", "Alibaba PAI 2020, pai_job_table.csv with pai_task_table.csv", trace_pai_probe,
	 trace_pai_load, NULL, TRACE_JOBS},
	{"openb", "Alibaba openb 2023, lists of pods", NULL, NULL, &trace_openb_format, TRACE_JOBS},
	{"dlrm", "Alibaba DLRM 2025, instances", NULL, NULL, &trace_dlrm_format, TRACE_JOBS},
	{"spot", "Alibaba spot 2026, job_info_df.csv", NULL, NULL, &trace_spot_format, TRACE_JOBS},
	{"itp", "Microsoft ITP 2021: job_id,submission_time,duration,num_gpu", NULL, NULL,
	 &trace_itp_format, TRACE_JOBS},
	{"gavel", "Gavel, 7 or 10 fields between tabs; with simulation_throughputs.json",
	 trace_gavel_probe, trace_gavel_load, NULL, TRACE_JOBS},
	{"elasticflow", "ElasticFlow, philly_103959 and the like", NULL, NULL,
	 &trace_elasticflow_format, TRACE_JOBS},
	{"muri", "Muri's simulator (milliseconds)", NULL, NULL, &trace_muri_format, TRACE_JOBS},
	{"tiresias", "Tiresias' simulator, Chronus", NULL, NULL, &trace_tiresias_format,
	 TRACE_JOBS},
	{"sia", "Pollux and Sia: name,time,application,num_replicas,batch_size", NULL, NULL,
	 &trace_sia_format, TRACE_JOBS},
	{"swf", "Standard Workload Format; a processor stands for a GPU", trace_swf_probe,
	 trace_swf_load, NULL, TRACE_JOBS},
	{"sacct", "Slurm's sacct --parsable2", NULL, NULL, &trace_sacct_format, TRACE_JOBS},
	{"supercloud", "Slurm accounting as MIT SuperCloud's CSV", NULL, NULL,
	 &trace_supercloud_format, TRACE_JOBS},
	{"csv", "job list: submit_s,duration_s,requests or gpus, and more", trace_jobs_probe,
	 trace_jobs_load, NULL, TRACE_JOBS},
	{"jsonl", "the same as JSON lines", trace_jsonl_probe, trace_jsonl_load, NULL, TRACE_JOBS},
	{"nodes", "machines of openb, spot and Philly", trace_nodes_probe, trace_nodes_load, NULL,
	 TRACE_NODES},
	{"pai-tasks", "pai_task_table.csv, with its table of jobs", trace_pai_tasks_probe, NULL,
	 NULL, TRACE_COMPANION},
	{"pai-instances", "pai_instance_table.csv: told, and not read", trace_pai_instances_probe,
	 NULL, NULL, TRACE_UNUSED},
	{"pai-nodes", "pai_machine_spec.csv", trace_pai_nodes_probe, trace_pai_nodes_load, NULL,
	 TRACE_NODES},
	{"helios-gpus", "cluster_gpu_number.csv, with Helios' jobs: how big virtual clusters were",
	 trace_capacity_probe, NULL, NULL, TRACE_CAPACITY},
	{"vc-nodes", "vc,node num: nodes of 8 GPUs of each virtual cluster, as philly_vc.csv",
	 trace_queues_vc_probe, NULL, NULL, TRACE_SIZES},
	{"cluster-spec", "cluster_spec.csv of Tiresias and Muri", trace_cluster_spec_probe,
	 trace_cluster_spec_load, NULL, TRACE_NODES},
	{"gavel-throughputs", "simulation_throughputs.json, with a Gavel trace",
	 trace_gavel_throughputs_probe, NULL, NULL, TRACE_COMPANION},
	{0},
};

const struct trace_format *trace_rows(void)
{
	return formats;
}

const struct trace_format *trace_find(const char *name)
{
	for (const struct trace_format *f = formats; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* Whole lines: the last one may be cut in the middle. */
static size_t head_size(const struct source *source)
{
	size_t size = source->size < HEAD_MAX ? source->size : HEAD_MAX;

	size_t whole = size;

	while ((size < source->size || source->flow != NULL) && whole > 0 &&
	       source->data[whole - 1] != '\n')
		whole--;
	return whole > 0 ? whole : size;
}

const struct trace_format *trace_detect(const struct source *source)
{
	size_t size = source->size == 0 ? 0 : head_size(source);

	for (const struct trace_format *f = formats; f->name != NULL; f++)
		if (f->csv != NULL ? trace_csv_probe(f->csv, source->data, size)
				   : f->probe(source->data, size))
			return f;
	return NULL;
}

enum err_code trace_read(const struct trace_format *format, const struct source *source,
			 const struct trace_options *options, struct builder *builder,
			 struct trace_summary *summary, struct err *err)
{
	*summary = (struct trace_summary){.format = format->name, .file = source->name};
	if (format->csv != NULL)
		return trace_csv_load(format->csv, source, options, builder, summary, err);
	if (format->load == NULL)
		return err_set(err, ERR_USAGE, source->name, 0, 0,
			       "this belongs to a trace (%s); give that too", format->help);
	return format->load(source, options, builder, summary, err);
}
