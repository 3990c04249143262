#include <string.h>

#include "sim/trace.h"
#include "sim/trace_formats.h"

#define HEAD_MAX 65536

/* In the order in which files are probed. */
static const struct trace_format formats[] = {
	{"philly", "Microsoft Philly's cluster_job_log (JSON)", trace_philly_probe,
	 trace_philly_load},
	{"philly-csv", "Philly as CSV: timestamp,duration,num_gpus,gpu_time,cluster",
	 trace_philly_csv_probe, trace_philly_csv_load},
	{"csv", "job list: submit_s,duration_s,requests or gpus, and more", trace_jobs_probe,
	 trace_jobs_load},
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

const struct trace_format *trace_detect(const struct source *source)
{
	size_t size = source->size < HEAD_MAX ? source->size : HEAD_MAX;

	for (const struct trace_format *f = formats; f->name != NULL; f++)
		if (f->probe(source->data, size))
			return f;
	return NULL;
}
