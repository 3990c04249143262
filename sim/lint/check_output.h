/* check_output.h - the findings of `gqsim check` as text, JSON or SARIF, one by one as
 * they come. */
#ifndef SIM_CHECK_OUTPUT_H
#define SIM_CHECK_OUTPUT_H

#include "sim/scenario/scenario.h"
#include "sim/tool/jsonw.h"

struct check_finding {
	const char *kind;     /* "error", "warning", "not modelled", "note", "advice" */
	const char *rule;     /* kebab-case */
	const char *text;     /* "file:line:column: sentence" */
	const char *sentence; /* its last part */
	const char *fix;      /* NULL: the sentence says it */
	const char *file;     /* NULL: nowhere in particular */
	long line, column;    /* 1-based; 0 unknown */
};

struct check_output {
	FILE *out; /* borrowed */
	const struct check_format *format;
	struct jsonw json;
};

/* Names of the formats, for messages and completions. */
#define CHECK_FORMATS "table, json and sarif"

/* False: no such format. NULL: table. */
bool check_output_begin(struct check_output *output, const char *format, FILE *out);
void check_output_put(struct check_output *output, const struct check_finding *finding);
/* summary: a line for people, NULL: none. */
void check_output_end(struct check_output *output, const char *summary, int exit_code);

#endif
