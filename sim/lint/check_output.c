#include "sim/lint/check_output.h"

#include <string.h>

#include "sim/scenario/finding_rules.h"

#define PATH_TEXT 4096
#define UNREAD	  2 /* exit code: the input, or some of it, cannot be read */

struct check_format {
	const char *name;
	void (*begin)(struct check_output *output);
	void (*put)(struct check_output *output, const struct check_finding *finding);
	void (*end)(struct check_output *output, const char *summary, int exit_code);
};

/* ---- for people ---- */

static void begin_table(struct check_output *output)
{
	(void)output;
}

static void put_table(struct check_output *output, const struct check_finding *f)
{
	fprintf(output->out, "%s: %s\n", f->kind, f->text);
	if (f->fix != NULL)
		fprintf(output->out, "    fix: %s\n", f->fix);
}

static void end_table(struct check_output *output, const char *summary, int exit_code)
{
	(void)exit_code;
	if (summary != NULL)
		fprintf(output->out, "%s\n", summary);
}

/* ---- JSON ---- */

static void begin_json(struct check_output *output)
{
	jsonw_begin(&output->json, output->out);
	jsonw_integer(&output->json, "schemaVersion", 1);
	jsonw_text(&output->json, "gqsim", GQSIM_VERSION);
	jsonw_array(&output->json, "findings");
}

static void put_json(struct check_output *output, const struct check_finding *f)
{
	struct jsonw *json = &output->json;

	jsonw_object(json, NULL);
	jsonw_text(json, "kind", f->kind);
	jsonw_text(json, "rule", f->rule);
	jsonw_text(json, "text", f->text);
	jsonw_text(json, "message", f->sentence);
	if (f->fix != NULL)
		jsonw_text(json, "fix", f->fix);
	if (f->file != NULL) {
		jsonw_text(json, "file", f->file);
		jsonw_integer(json, "line", f->line);
		jsonw_integer(json, "column", f->column);
	}
	jsonw_close_object(json);
}

static void end_json(struct check_output *output, const char *summary, int exit_code)
{
	(void)summary;
	jsonw_close_array(&output->json);
	jsonw_integer(&output->json, "exitCode", exit_code);
	jsonw_end(&output->json);
}

/* ---- SARIF 2.1.0 (OASIS), which code hosts show beside the lines ---- */

static void begin_sarif(struct check_output *output)
{
	struct jsonw *json = &output->json;

	jsonw_begin(json, output->out);
	jsonw_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	jsonw_text(json, "version", "2.1.0");
	jsonw_array(json, "runs");
	jsonw_object(json, NULL);
	jsonw_object(json, "tool");
	jsonw_object(json, "driver");
	jsonw_text(json, "name", "gqsim");
	jsonw_text(json, "version", GQSIM_VERSION);
	jsonw_array(json, "rules");
	for (const struct finding_rule_row *row = finding_rules(); row->name != NULL; row++) {
		jsonw_object(json, NULL);
		jsonw_text(json, "id", row->name);
		jsonw_object(json, "shortDescription");
		jsonw_text(json, "text", row->what);
		jsonw_close_object(json);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
	jsonw_close_object(json);
	jsonw_array(json, "results");
}

static const char *sarif_level(const char *kind)
{
	if (strcmp(kind, "error") == 0 || strcmp(kind, "warning") == 0)
		return kind;
	return "note";
}

static void put_region(struct jsonw *json, const struct check_finding *f)
{
	if (f->line == 0)
		return;
	jsonw_object(json, "region");
	jsonw_integer(json, "startLine", f->line);
	if (f->column != 0)
		jsonw_integer(json, "startColumn", f->column);
	jsonw_close_object(json);
}

/* A file's name as a reference (RFC 3986): what a path may not have there is %XX. */
static void put_uri(struct jsonw *json, const char *file)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~/";
	char uri[3 * PATH_TEXT + 1];
	size_t len = 0;

	for (; *file != '\0' && len + 4 <= sizeof(uri); file++) {
		if (strchr(plain, *file) != NULL)
			uri[len++] = *file;
		else
			len += (size_t)snprintf(uri + len, sizeof(uri) - len, "%%%02X",
						(unsigned)(unsigned char)*file);
	}
	uri[len] = '\0';
	jsonw_text(json, "uri", uri);
}

static void put_location(struct jsonw *json, const struct check_finding *f)
{
	jsonw_array(json, "locations");
	jsonw_object(json, NULL);
	jsonw_object(json, "physicalLocation");
	jsonw_object(json, "artifactLocation");
	put_uri(json, f->file);
	jsonw_close_object(json);
	put_region(json, f);
	jsonw_close_object(json);
	jsonw_close_object(json);
	jsonw_close_array(json);
}

static void put_sarif(struct check_output *output, const struct check_finding *f)
{
	struct jsonw *json = &output->json;
	char text[1400];

	snprintf(text, sizeof(text), "%s%s%s", f->sentence, f->fix != NULL ? ". Fix: " : "",
		 f->fix != NULL ? f->fix : "");
	jsonw_object(json, NULL);
	jsonw_text(json, "ruleId", f->rule);
	jsonw_text(json, "level", sarif_level(f->kind));
	jsonw_object(json, "message");
	jsonw_text(json, "text", text);
	jsonw_close_object(json);
	if (f->file != NULL)
		put_location(json, f);
	jsonw_close_object(json);
}

static void end_sarif(struct check_output *output, const char *summary, int exit_code)
{
	struct jsonw *json = &output->json;

	(void)summary;
	jsonw_close_array(json);
	jsonw_array(json, "invocations");
	jsonw_object(json, NULL);
	jsonw_bool(json, "executionSuccessful", exit_code != UNREAD);
	jsonw_integer(json, "exitCode", exit_code);
	jsonw_close_object(json);
	jsonw_close_array(json);
	jsonw_close_object(json);
	jsonw_close_array(json);
	jsonw_end(json);
}

/* ---- which ---- */

bool check_output_begin(struct check_output *output, const char *format, FILE *out)
{
	static const struct check_format formats[] = {
		{"table", begin_table, put_table, end_table},
		{"json", begin_json, put_json, end_json},
		{"sarif", begin_sarif, put_sarif, end_sarif},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(format != NULL ? format : "table", formats[i].name) == 0) {
			*output = (struct check_output){.out = out, .format = &formats[i]};
			formats[i].begin(output);
			return true;
		}
	}
	return false;
}

void check_output_put(struct check_output *output, const struct check_finding *finding)
{
	output->format->put(output, finding);
}

void check_output_end(struct check_output *output, const char *summary, int exit_code)
{
	output->format->end(output, summary, exit_code);
}
