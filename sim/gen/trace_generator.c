/* trace_generator.c - a Generator document as a list of jobs: what it makes up is read as any
 * trace is, but that its clock keeps its zero. */
#include "sim/gen/trace_generator.h"

#include <stdio.h>
#include <string.h>

#include "sim/gen/generator_spec.h"
#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_lifecycle.h"
#include "sim/trace/trace_pods.h"

#define NAME 300

struct maker {
	const struct generator *generator;
	struct builder *builder;
	struct trace_pods *pods;
	struct {
		uint32_t ns, queue, priority_class; /* strings */
	} * teams;
	const char *file;
};

static uint32_t string(struct maker *m, const char *text)
{
	return text == NULL ? NAME_NONE : builder_string(m->builder, text, strlen(text));
}

static void name_teams(struct maker *m)
{
	m->teams = mem_calloc(m->generator->team_count, sizeof(*m->teams));
	for (uint32_t i = 0; i < m->generator->team_count; i++) {
		const struct generator_team *team = &m->generator->teams[i];

		m->teams[i].ns = string(m, team->ns);
		m->teams[i].queue = string(m, team->queue);
		m->teams[i].priority_class = string(m, team->priority_class);
	}
}

static uint32_t extra_of(struct maker *m, const struct generator_job *from, const struct job *job)
{
	struct job_extra extra = {.cancel_at = from->cancel};
	const struct pod_set *sets = builder_sets_of(m->builder, job);
	uint32_t pods = 0;

	if (from->crash == CLOCK_NEVER && from->cancel == CLOCK_NEVER)
		return JOB_NONE;
	for (uint32_t i = 0; i < job->common->pod_set_count; i++)
		pods += sets[i].count;
	if (from->crash != CLOCK_NEVER)
		extra.control = trace_lifecycle_crash(m->builder, from->crash, pods);
	return builder_extra(m->builder, &extra);
}

static void make(struct maker *m, const struct generator_job *from)
{
	struct trace_pods_sets sets = trace_pods_of(m->pods, from->gpus);
	struct job_common common = {
		.ns = m->teams[from->team].ns,
		.queue = m->teams[from->team].queue,
		.priority_class = m->teams[from->team].priority_class,
		.first_pod_set = sets.first,
		.pod_set_count = sets.count,
		.flags = JOB_CUT,
	};
	struct job job = {
		.submit = from->submit,
		.duration = from->duration,
		.common = &common,
		.row = builder_job_count(m->builder),
		.utilisation = from->utilisation,
	};
	char name[NAME];

	snprintf(name, sizeof(name), "%.253s-%u", m->generator->teams[from->team].name,
		 from->number);
	job.name = string(m, name);
	job.extra = extra_of(m, from, &job);
	builder_job(m->builder, &job, (struct place){.file = m->file});
}

enum err_code trace_generator_make(const struct generator *generator, const char *file,
				   const struct trace_options *options, struct builder *builder,
				   struct trace_summary *summary, struct err *err)
{
	struct maker m = {.generator = generator, .builder = builder, .file = file};
	struct generator_list list;
	enum err_code code = generator_draw(
		generator, options->seeded ? options->seed : generator->seed, &list, err);

	if (code != ERR_OK) {
		err->file = file;
		return code;
	}
	m.pods = trace_pods_new(builder, options->gpus_per_node);
	name_teams(&m);
	for (size_t i = 0; i < list.count; i++)
		make(&m, &list.jobs[i]);
	summary->rows = summary->jobs = list.count;
	summary->made_up = true;
	summary->seed = options->seeded ? options->seed : generator->seed;
	summary->has_clock = generator->has_start;
	summary->first_submit = generator->has_start ? generator->start : 0;
	mem_free(m.teams);
	trace_pods_free(m.pods);
	generator_list_free(&list);
	return ERR_OK;
}

bool trace_generator_probe(const char *head, size_t size)
{
	return generator_spec_probe(head, size);
}

enum err_code trace_generator_load(const struct source *source, const struct trace_options *options,
				   struct builder *builder, struct trace_summary *summary,
				   struct err *err)
{
	struct generator *generator;
	enum err_code code = generator_spec_read(source, &generator, err);

	if (code == ERR_OK)
		code = trace_generator_make(generator, source->name, options, builder, summary,
					    err);
	generator_free(generator);
	return code;
}
