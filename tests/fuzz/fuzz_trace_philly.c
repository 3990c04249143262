/* fuzz_trace_philly.c - bytes as Philly's cluster_job_log: an error or jobs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/trace_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct source source = {.name = "fuzz", .data = text, .size = size};
	struct builder *builder = builder_new();
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct err err = {0};
	uint64_t sum;

	if (text == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	trace_philly_probe(text, size);
	if (trace_philly_load(&source, &options, builder, &summary, &err) != ERR_OK) {
		if (err.code == ERR_OK || err.msg[0] == '\0' || err.line < 1)
			abort(); /* an error must say what and where */
	} else {
		sum = summary.jobs;
		for (uint32_t i = 0; i < summary.reason_count; i++)
			sum += summary.skipped[i].count;
		if (sum != summary.rows || summary.jobs != builder_job_count(builder))
			abort();
	}
	builder_free(builder);
	free(text);
	return 0;
}
