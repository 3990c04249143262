/* trace_formats.h - the functions of each format, for the rows of sim/trace_table.c. */
#ifndef SIM_TRACE_FORMATS_H
#define SIM_TRACE_FORMATS_H

#include "sim/trace.h"

typedef bool trace_probe(const char *head, size_t size);
typedef enum err_code trace_load(const struct source *source, const struct trace_options *options,
				 struct builder *builder, struct trace_summary *summary,
				 struct err *err);

trace_probe trace_jobs_probe;
trace_load trace_jobs_load;
trace_probe trace_philly_probe;
trace_load trace_philly_load;
trace_probe trace_philly_csv_probe;
trace_load trace_philly_csv_load;

#endif
