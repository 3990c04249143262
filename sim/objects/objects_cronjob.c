#include "sim/objects/objects_cronjob.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_jobspec.h"
#include "sim/tool/cron.h"

#define DEFAULT_UNTIL (7 * CLOCK_DAY)
#define DEFAULT_START INT64_C(1704067200) /* Monday, 1 January 2024, in seconds since 1970 */
#define MAX_RUNS      100000
#define OWN	      "gqsim/"

struct cron_entry {
	struct objects_prepared prepared;
	struct cron cron;
	struct cron_rule rule;
	uint32_t name;
	simtime until; /* OBJECTS_OWN_MISSING */
	bool asked;    /* what if it were created now? */
};

struct objects_crons {
	struct cron_entry *items;
	uint32_t count;
	size_t capacity;
};

struct objects_crons *objects_crons_new(void)
{
	return mem_calloc(1, sizeof(struct objects_crons));
}

void objects_crons_free(struct objects_crons *crons)
{
	if (crons == NULL)
		return;
	mem_free(crons->items);
	mem_free(crons);
}

/* ---- reading ---- */

struct cron_fields {
	const struct yaml_node *schedule, *zone, *suspend; /* NULL: absent */
	int policy;
	simtime deadline; /* startingDeadlineSeconds; -1: none */
	struct objects_jobspec job;
	const struct yaml_node *labels, *annotations; /* of the jobTemplate; NULL */
};

#define CRON(member) offsetof(struct cron_fields, member)

static const struct fields_word policies[] = {
	{"Allow", CRON_ALLOW}, {"Forbid", CRON_FORBID}, {"Replace", CRON_REPLACE}, {NULL, 0}};

static const struct field template_metadata_rows[] = {
	{.key = "labels", .read = fields_keep, .offset = CRON(labels)},
	{.key = "annotations", .read = fields_keep, .offset = CRON(annotations)},
	{.key = "name"},
	{.key = "generateName"},
	{.key = "namespace"},
	{.key = "creationTimestamp"},
	{.key = "finalizers"},
	{.key = NULL},
};

static const struct field template_rows[] = {
	{.key = "metadata", .read = fields_nested, .arg = template_metadata_rows},
	{.key = "spec",
	 .read = fields_nested,
	 .offset = CRON(job),
	 .arg = objects_jobspec_rows,
	 .required = true},
	{.key = NULL},
};

static const struct field spec_rows[] = {
	{.key = "schedule", .read = fields_keep, .offset = CRON(schedule), .required = true},
	{.key = "timeZone", .read = fields_keep, .offset = CRON(zone)},
	{.key = "suspend", .read = fields_keep, .offset = CRON(suspend)},
	{.key = "concurrencyPolicy", .read = fields_enum, .offset = CRON(policy), .arg = policies},
	{.key = "startingDeadlineSeconds", .read = fields_seconds, .offset = CRON(deadline)},
	{.key = "successfulJobsHistoryLimit"}, /* Jobs that have ended hold nothing */
	{.key = "failedJobsHistoryLimit"},
	{.key = "jobTemplate", .read = fields_nested, .arg = template_rows, .required = true},
	{.key = NULL},
};

static enum err_code read_schedule(struct fields *f, const struct cron_fields *fields,
				   struct cron *out)
{
	char why[CRON_WHY];
	int64_t offset = 0;

	if (fields->schedule->kind != YAML_SCALAR ||
	    !cron_read(fields->schedule->text, fields->schedule->count, out, why))
		return fields_error(f, ERR_VALUE, fields->schedule, "schedule: %s",
				    fields->schedule->kind != YAML_SCALAR ? "is no text" : why);
	if (fields->zone != NULL && fields->zone->kind == YAML_SCALAR &&
	    !cron_read_zone(fields->zone->text, fields->zone->count, &offset))
		fields_finding(f, FINDING_NOT_MODELLED, fields->zone,
			       "timeZone \"%.60s\": only UTC and fixed offsets (Etc/GMT+5 is west "
			       "of it) are known; the schedule is taken as UTC",
			       fields->zone->text);
	out->offset = offset;
	return ERR_OK;
}

/* Those of the jobTemplate, and of ours those of the CronJob that it does not have. */
static const struct yaml_node *join_annotations(struct fields *f, const struct yaml_node *template,
						const struct yaml_node *own)
{
	struct yaml_node *both = mem_arena_alloc(f->arena, sizeof(*both));
	uint32_t most = (template != NULL ? template->count : 0) + (own != NULL ? own->count : 0);
	struct yaml_pair *pairs = mem_arena_alloc(f->arena, (most + 1u) * sizeof(*pairs));

	*both = (struct yaml_node){.kind = YAML_MAP, .pairs = pairs};
	for (uint32_t i = 0; template != NULL && i < template->count; i++)
		pairs[both->count++] = template->pairs[i];
	for (uint32_t i = 0; own != NULL && i < own->count; i++) {
		const char *key = own->pairs[i].key->text;

		if (strncmp(key, OWN, sizeof(OWN) - 1) == 0 && yaml_find(template, key) == NULL)
			pairs[both->count++] = own->pairs[i];
	}
	return both;
}

static enum err_code want_maps(struct fields *f, const struct cron_fields *fields)
{
	if (fields->labels != NULL && fields_want_map(f, fields->labels) != ERR_OK)
		return f->err->code;
	if (fields->annotations != NULL && fields_want_map(f, fields->annotations) != ERR_OK)
		return f->err->code;
	return ERR_OK;
}

static enum err_code keep(struct fields *f, const struct object *object,
			  const struct cron_fields *fields, struct objects_work *work)
{
	struct objects_crons *crons = f->crons;
	struct cron_entry *entry;

	if (fields->suspend != NULL && yaml_text_is(fields->suspend, "true")) {
		fields_finding(f, FINDING_NOTE, fields->suspend,
			       "the CronJob is suspended: it makes no Jobs");
		return ERR_OK;
	}
	if (fields->deadline == 0) {
		fields_fault(f, FINDING_WARNING, "input-warning", object->node,
			     "give it 10 seconds or more, or leave it out",
			     "startingDeadlineSeconds is 0: every run is too late by the time "
			     "its controller looks, so it makes no Jobs");
		return ERR_OK;
	}
	if (work->pods == 0) {
		fields_finding(f, FINDING_NOTE, object->node, "has no pods: left out");
		return ERR_OK;
	}
	crons->items =
		mem_grow(crons->items, crons->count + 1u, &crons->capacity, sizeof(*crons->items));
	entry = &crons->items[crons->count];
	*entry = (struct cron_entry){
		.name = object->name,
		.until = work->own.until,
		.asked = object->asked,
		.rule = {.policy = (enum cron_policy)fields->policy, .deadline = fields->deadline}};
	work->created = 0;
	if (read_schedule(f, fields, &entry->cron) != ERR_OK ||
	    objects_work_prepare(f, work, &entry->prepared) != ERR_OK)
		return f->err->code;
	crons->count++;
	return ERR_OK;
}

enum err_code objects_cronjob(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct cron_fields fields = {.deadline = -1};
	struct object inner = *object;
	struct objects_work work;
	enum err_code code;

	objects_jobspec_begin(&fields.job);
	code = fields_map(f, object->node, rows, &fields);
	if (code == ERR_OK)
		code = want_maps(f, &fields);
	if (code != ERR_OK)
		return code;
	inner.labels = fields.labels;
	inner.annotations = join_annotations(f, fields.annotations, object->annotations);
	objects_work_begin(&work, &inner);
	work.kind = "Job";
	code = objects_work_head(f, &work);
	if (code == ERR_OK)
		code = objects_jobspec_take(f, &fields.job, &work);
	if (code != ERR_OK)
		return code;
	if (work.own.duration == OBJECTS_OWN_MISSING) {
		work.job.duration = CLOCK_HOUR;
		work.assumed = work.own.duration_count == 0;
	}
	return keep(f, object, &fields, &work);
}

/* ---- the Jobs ---- */

/* Seconds since 1970 of time 0. */
static int64_t start_of(const struct builder *builder, bool *given)
{
	simtime origin;

	*given = builder_has_origin(builder, &origin);
	return *given ? origin / CLOCK_SECOND : DEFAULT_START;
}

static void add_run(struct builder *builder, const struct cron_entry *entry, int64_t start,
		    int64_t due)
{
	struct objects_prepared run = entry->prepared;
	const char *name = name_text(builder_strings(builder), entry->name);
	char text[300];
	int len = snprintf(text, sizeof(text), "%.253s-%" PRId64, name, due / 60);

	objects_work_rename(builder, &run, builder_string(builder, text, (size_t)len));
	run.job.submit = (due - start) * CLOCK_SECOND;
	objects_work_put(builder, &run);
}

/* A rule of its own for the family, of which the jobs stand one after the other. */
static void bind_rule(struct builder *builder, const struct cron_entry *entry, uint32_t first,
		      uint32_t count)
{
	struct cron_rule *rule = mem_arena_alloc(builder_arena(builder), sizeof(*rule));

	*rule = entry->rule;
	rule->first = first;
	rule->count = count;
	builder_cron(builder, entry->prepared.job.extra, rule);
}

/* Of a CronJob that is asked about only the first run is, whenever it is due: the others
 * would meet another cluster. */
static void ask(struct builder *builder, const struct cron_entry *entry)
{
	bool given;
	int64_t start = start_of(builder, &given), due = cron_next(&entry->cron, start - 1);
	uint32_t first = builder_job_count(builder);

	if (due == INT64_MAX) {
		builder_finding(builder, FINDING_NOTE, entry->prepared.where,
				"CronJob \"%.100s\" is not due within five years",
				name_text(builder_strings(builder), entry->name));
		return;
	}
	add_run(builder, entry, start, due);
	bind_rule(builder, entry, first, 1);
	builder_finding(builder, FINDING_NOT_MODELLED, entry->prepared.where,
			"CronJob \"%.100s\": only its first run is asked about, as if it were due "
			"now; later runs are left out",
			name_text(builder_strings(builder), entry->name));
}

static void expand(struct builder *builder, const struct cron_entry *entry)
{
	bool given, limited = entry->until != OBJECTS_OWN_MISSING;
	int64_t start = start_of(builder, &given), due;
	simtime until = limited ? entry->until : DEFAULT_UNTIL;
	int64_t end = start + until / CLOCK_SECOND;
	uint32_t first = builder_job_count(builder), count = 0;
	const char *name = name_text(builder_strings(builder), entry->name);
	char text[CLOCK_TEXT];

	/* "@every" counts from the start; a time of the schedule may be the start itself. */
	due = cron_next(&entry->cron, entry->cron.every != 0 ? start : start - 1);
	for (; due <= end && count < MAX_RUNS; count++) {
		add_run(builder, entry, start, due);
		due = cron_next(&entry->cron, due);
	}
	bind_rule(builder, entry, first, count);
	if (!limited || !given || due <= end)
		builder_finding(builder, FINDING_NOTE, entry->prepared.where,
				"CronJob \"%.100s\": %u Job%s until %s%s%s%s", name, count,
				count == 1 ? "" : "s", clock_format_human(until, text),
				limited ? "" : " (gqsim/until says otherwise)",
				given ? ""
				      : ", if time 0 is Monday 2024-01-01 0:00 UTC "
					"(startTime of a Simulation says otherwise)",
				due <= end ? "; more are left out" : "");
}

void objects_crons_expand(struct objects_crons *crons, struct builder *builder)
{
	for (uint32_t i = 0; i < crons->count; i++) {
		if (crons->items[i].asked)
			ask(builder, &crons->items[i]);
		else
			expand(builder, &crons->items[i]);
	}
	crons->count = 0;
}
