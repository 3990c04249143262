/* fuzz_run.c - bytes as a file of objects and, behind a line "=== jobs", rows of jobs, run
 * under plain Kubernetes and Kueue: whatever the loader takes, the engine must end with it,
 * and its journal must stand the audit.
 *
 * Only small systems are run, and no longer than half a day of theirs: what takes long is not
 * looked for here. Flaws of the input of which Kueue itself makes a livelock end as such. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/load/join.h"
#include "sim/objects/objects.h"
#include "sim/scenario/options.h"
#include "sim/trace/trace_formats.h"

#define PODS_MAX  200
#define NODES_MAX 200
#define HORIZON	  (12 * CLOCK_HOUR)
#define ROWS	  "=== jobs\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct scenario *s)
{
	uint64_t pods = 0;

	for (uint32_t i = 0; i < s->job_count; i++)
		pods += s->jobs[i].common->pods;
	return s->job_count > 0 && pods <= PODS_MAX && s->node_count <= NODES_MAX;
}

static void run(const struct scenario *s, const char *policy, enum journal_detail detail)
{
	struct run_options options;
	struct journal *journal = NULL;
	struct audit audit = {.count = 0};
	struct err err = {.code = ERR_OK};
	char text[AUDIT_TEXT];

	options_default(&options);
	options.max_time = HORIZON;
	if (s->node_count == 0)
		options.placement = PLACEMENT_NONE;
	if (engine_run(s, policy_find(policy), &options, detail, &journal, &err) != ERR_OK) {
		if (err.msg[0] == '\0')
			abort();
		return;
	}
	if (!audit_check(journal, &audit)) {
		fprintf(stderr, "%s: %s\n", policy, audit_text(journal, &audit.listed[0], text));
		abort();
	}
	journal_free(journal);
}

static enum err_code read_objects(struct builder *builder, const struct source *source,
				  struct err *err)
{
	struct objects *objects = objects_new(builder, false);
	enum err_code code = objects_read(objects, source, err);

	if (code == ERR_OK)
		code = objects_join(objects, err);
	objects_finish(objects);
	objects_free(objects);
	return code;
}

static struct scenario *load(const struct source *objects, const struct source *rows)
{
	struct builder *builder = builder_new();
	struct trace_options options = {.companion_count = 0};
	struct trace_summary summary = {0};
	struct scenario *s = NULL;
	struct err err = {.code = ERR_OK};
	enum err_code code = read_objects(builder, objects, &err);

	if (code == ERR_OK && rows->size > 0)
		code = trace_read(trace_find("csv"), rows, &options, builder, &summary, &err);
	if (code != ERR_OK) {
		builder_free(builder);
		return NULL;
	}
	join_rows(builder);
	return builder_finish(builder, &s, &err) == ERR_OK ? s : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *mark;
	struct source objects = {.name = "fuzz", .data = text, .size = size};
	struct source rows = {.name = "fuzz.csv", .data = text, .size = 0};
	struct scenario *s;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	mark = strstr(text, ROWS);
	if (mark != NULL) {
		objects.size = (size_t)(mark - text);
		rows.data = mark + strlen(ROWS);
		rows.size = size - objects.size - strlen(ROWS);
	}
	s = load(&objects, &rows);
	free(text);
	if (s == NULL)
		return 0;
	if (is_small(s)) {
		run(s, "kubernetes", JOURNAL_FULL);
		run(s, "kubernetes", JOURNAL_FACTS); /* plain jobs go a shorter way */
		run(s, "kueue", JOURNAL_FULL);
		run(s, "kueue", JOURNAL_FACTS);
	}
	scenario_free(s);
	return 0;
}
