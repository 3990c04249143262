/* input.h - from what the user named on the command line to a scenario.
 *
 * Files are recognised by content: YAML or JSON objects, or a trace format.
 * Folders are walked recursively in name order (*.yaml, *.yml, *.json, *.csv,
 * *.jsonl, *.swf, and any of these compressed: *.csv.gz, *.yaml.zst, *.swf.xz).
 */
#ifndef SIM_INPUT_H
#define SIM_INPUT_H

#include "sim/scenario/scenario.h"
#include "sim/trace/trace.h"
#include "sim/yaml/yaml.h"

/* Objects that are in no file. */
struct input_text {
	const char *name; /* what errors call it */
	const char *text;
};

struct input_request {
	const char *const *files; /* positional and -f: objects or job lists */
	uint32_t file_count;
	const struct input_text *texts; /* read after the files; NULL */
	uint32_t text_count;
	uint32_t asked_from;  /* files from this one on are to be submitted now; 0: none */
	const char *asked_ns; /* namespace of their objects that name none; NULL */
	/* Is shown each object that is not work (objects.h); NULL: nobody. */
	void (*seen)(void *context, const char *api, const char *kind,
		     const struct yaml_node *node);
	void *seen_context;
	const char *trace;	 /* --trace FILE; NULL */
	const char *format;	 /* --format; NULL = auto */
	const char *attempts;	 /* --attempts sum (NULL) or separate */
	const char *unfinished;	 /* --unfinished skip (NULL) or keep */
	const char *nodes;	 /* --nodes h100=311x8[,l40s=20x4], or a file with nodes; NULL */
	const char *prices;	 /* --prices FILE; NULL */
	const char *vc_nodes;	 /* --vc-nodes philly_vc.csv; NULL */
	const char *const *sets; /* --set KIND/NAME:... of this column */
	uint32_t set_count;
	bool seeded; /* jobs that are made up are drawn with this seed, not the document's */
	uint64_t seed;
	bool strict; /* unknown kinds and fields are errors */
	bool verbose;
	/* NULL: the first error ends the reading. Else each error is told to it and the
	 * reading goes on without what has it; errors between objects are findings. */
	void (*report)(void *context, const struct err *err);
	void *report_context;
};

/* Jobs that are made up are drawn with this seed, a whole number from 0; what is none is left
 * for the run's options to refuse. */
void input_seed(struct input_request *request, const char *text);

/* Would the folder, when it is named, be read with this file in it? */
bool input_reads(const char *folder, const char *file);

/* summary may be NULL; it is filled when a trace was read. */
enum err_code input_load(const struct input_request *request, struct scenario **out,
			 struct trace_summary *summary, struct err *err);

/* The same, before anything is resolved. The caller frees the builder. */
enum err_code input_draft(const struct input_request *request, struct builder **out,
			  struct err *err);

/* ERR_VALUE, with what of the folders was not read, if there is no job. */
enum err_code input_need_jobs(const struct scenario *scenario, struct err *err);

#endif
