/* trace_generator.h - the jobs of a generator in a builder. */
#ifndef SIM_TRACE_GENERATOR_H
#define SIM_TRACE_GENERATOR_H

#include "sim/gen/generator.h"
#include "sim/trace/trace.h"

/* options->seed wins over the generator's own. file is borrowed by the builder. */
enum err_code trace_generator_make(const struct generator *generator, const char *file,
				   const struct trace_options *options, struct builder *builder,
				   struct trace_summary *summary, struct err *err);

#endif
