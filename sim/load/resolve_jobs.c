#include "sim/load/resolve_jobs.h"

#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/load/resolve_class.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/tool/nearest.h"

#define FAULTS_MAX 20  /* jobs with one and the same fault that are told */
#define PRECEDENTS 256 /* kinds of jobs of which it is remembered what they become */

static enum err_code duplicate_job(struct resolver *r, uint32_t first, uint32_t second)
{
	struct place here = draft_job_place(r->builder, second);
	struct place there = draft_job_place(r->builder, first);
	const struct job *job = &r->scenario->jobs[second];

	return resolve_fault(r, ERR_DUPLICATE, here, "give each job a name of its own",
			     "job \"%s\" is there twice in namespace \"%s\", first at %s:%ld",
			     resolve_text(r, job->name), resolve_text(r, job->common->ns),
			     there.file != NULL ? there.file : "another input", there.line);
}

static enum err_code check_unique(struct resolver *r)
{
	const struct scenario *s = r->scenario;
	enum err_code code = ERR_OK;
	struct draft_index names;
	uint32_t named = 0, again = 0;

	if (!r->builder->has_job_names)
		return ERR_OK;
	for (uint32_t i = 0; i < s->job_count; i++)
		named += s->jobs[i].name != NAME_NONE;
	draft_index_init(&names, named);
	for (uint32_t i = 0; i < s->job_count && code == ERR_OK; i++) {
		const struct job *job = &s->jobs[i];
		uint32_t first = NAME_NONE;

		if (job->name != NAME_NONE)
			first = draft_index_put(&names, job->name, job->common->ns, i, false);
		if (first != NAME_NONE && again++ < FAULTS_MAX)
			code = duplicate_job(r, first, i);
	}
	draft_index_free(&names);
	if (code == ERR_OK && again > FAULTS_MAX)
		code = resolve_fault(
			r, ERR_DUPLICATE, (struct place){0}, "give each job a name of its own",
			"%u more jobs have names that others have", again - FAULTS_MAX);
	return code;
}

/* Where a LocalQueue of this name does exist; NAME_NONE. */
static uint32_t other_namespace(const struct resolver *r, uint32_t queue)
{
	const struct scenario *s = r->scenario;

	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		if (s->local_queues[i].name == queue)
			return s->local_queues[i].ns;
	}
	return NAME_NONE;
}

/* What may have been meant by a LocalQueue that is nowhere. */
static void say_queue_fix(const struct resolver *r, const struct job *job, char *fix, size_t size)
{
	const struct scenario *s = r->scenario;
	const char *name = resolve_text(r, job->common->queue);
	struct nearest nearest;

	if (resolve_lookup(r, KIND_CLUSTER_QUEUE, job->common->queue, NAME_NONE) != SCENARIO_NONE) {
		snprintf(fix, size,
			 "that is a ClusterQueue, and jobs name a LocalQueue: create one in "
			 "\"%.100s\" with spec.clusterQueue: %.100s, or name one that is there",
			 resolve_text(r, job->common->ns), name);
		return;
	}
	nearest_begin(&nearest, name);
	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		if (s->local_queues[i].ns == job->common->ns)
			nearest_offer(&nearest, resolve_text(r, s->local_queues[i].name));
	}
	if (nearest.best != NULL)
		snprintf(fix, size,
			 "was \"%.100s\" meant? Correct the label kueue.x-k8s.io/queue-name, or "
			 "create the LocalQueue",
			 nearest.best);
	else
		snprintf(fix, size, "create it, or correct the label kueue.x-k8s.io/queue-name");
}

/* Jobs of one missing queue are one finding. */
static void report_missing_queue(struct resolver *r, struct draft_index *reported, uint32_t index)
{
	static const struct finding_rule rule = {"local-queue-missing", FINDING_WARNING};
	const struct job *job = &r->scenario->jobs[index];
	uint32_t other = other_namespace(r, job->common->queue);
	char fix[400];

	if (draft_left_out(r->builder, "LocalQueue", resolve_text(r, job->common->queue)) ||
	    draft_index_put(reported, job->common->queue, job->common->ns, index, false) !=
		    NAME_NONE)
		return;
	if (other != NAME_NONE)
		snprintf(fix, sizeof(fix),
			 "there is one in namespace \"%.100s\": submit the job there, or create a "
			 "LocalQueue in \"%.100s\"",
			 resolve_text(r, other), resolve_text(r, job->common->ns));
	else
		say_queue_fix(r, job, fix, sizeof(fix));
	draft_fault(r->builder, &rule, draft_job_place(r->builder, index), fix,
		    "there is no LocalQueue \"%s\" in namespace \"%s\": under Kueue this job and "
		    "any other that names it stay pending",
		    resolve_text(r, job->common->queue), resolve_text(r, job->common->ns));
}

/* Is the LocalQueue there, and not stopped, when a job comes at that time? The webhook
 * looks then. */
static bool queue_exists(const struct resolver *r, uint32_t index, simtime at)
{
	const struct placed *placed = &r->placed[KIND_LOCAL_QUEUE];
	const struct local_queue *queues = r->scenario->local_queues;
	simtime since = KIND_ALWAYS;
	bool out = queues[index].absent || queues[index].stop != STOP_NONE;

	for (uint32_t i = placed->live; i < placed->total; i++) {
		if (queues[i].name != queues[index].name || queues[i].ns != queues[index].ns ||
		    placed->meta[i].at > at || placed->meta[i].at < since)
			continue;
		since = placed->meta[i].at;
		out = queues[i].absent || queues[i].stop != STOP_NONE;
	}
	return !out;
}

static bool is_managed(const struct resolver *r, uint32_t ns)
{
	uint32_t index = resolve_lookup(r, KIND_NAMESPACE, ns, NAME_NONE);

	return index == SCENARIO_NONE || scenario_manages(&r->scenario->config, r->builder->strings,
							  &r->scenario->namespaces[index]);
}

static bool default_queue_exists(const struct resolver *r, const struct job *job, uint32_t name)
{
	uint32_t index = resolve_lookup(r, KIND_LOCAL_QUEUE, name, job->common->ns);

	return index != SCENARIO_NONE && queue_exists(r, index, job->submit) &&
	       is_managed(r, job->common->ns);
}

static void resolve_queue(struct resolver *r, struct draft_index *reported, uint32_t index,
			  uint32_t default_name, struct job_common *common)
{
	const struct job *job = &r->scenario->jobs[index];

	common->local_queue = JOB_NONE;
	/* Spec KUEUE.md 1.8: a LocalQueue "default" takes what names none. */
	if (common->queue == NAME_NONE && default_name != NAME_NONE &&
	    default_queue_exists(r, job, default_name)) {
		common->queue = default_name;
		common->flags &= (uint16_t)~JOB_UNMANAGED;
	}
	if (r->scenario->config.manage_jobs_without_queue_name && is_managed(r, common->ns))
		common->flags &= (uint16_t)~JOB_UNMANAGED;
	if (common->queue == NAME_NONE)
		return;
	common->local_queue = resolve_lookup(r, KIND_LOCAL_QUEUE, common->queue, common->ns);
	if (common->local_queue == SCENARIO_NONE && r->scenario->cluster_queue_count != 0)
		report_missing_queue(r, reported, index);
}

static void count_pods(const struct resolver *r, struct job_common *common)
{
	const struct scenario *scenario = r->scenario;
	int64_t gpus = 0;
	uint64_t pods = 0;

	for (uint32_t i = 0; i < common->pod_set_count; i++) {
		const struct pod_set *set = &scenario->pod_sets[common->first_pod_set + i];

		pods += set->count;
		gpus = res_add(gpus, res_mul(scenario->shapes[set->shape].gpus, set->count));
	}
	common->pods = pods > UINT32_MAX ? UINT32_MAX : (uint32_t)pods;
	common->gpus = gpus > UINT32_MAX ? UINT32_MAX : (uint32_t)gpus;
}

/* Pods that are told when to be ready or to fail together belong together. */
static void find_solo(const struct resolver *r, const struct job *job, struct job_common *common)
{
	const struct job_extra *extra =
		job->extra == JOB_NONE ? NULL : &r->builder->extras[job->extra];
	const struct job_control *control = extra == NULL ? NULL : extra->control;
	/* An elastic Job goes to no pods and back. */
	bool several =
		common->pods > 1 ||
		(control != NULL && (control->elastic || (control->completions > 1 &&
							  control->completions != JOB_NONE)));

	if ((common->flags & JOB_NOT_GANG) != 0 && several &&
	    (extra == NULL || extra->ready_count + extra->fail_count == 0))
		common->flags |= JOB_SOLO;
}

static int64_t first_creation(const struct builder *builder)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		int64_t created = builder->notes[i].created;

		if (created != 0 && (first == 0 || created < first))
			first = created;
	}
	return first;
}

/* Jobs of one cluster's export come as far apart as they were created. */
static void apply_creation_times(struct resolver *r)
{
	const struct builder *builder = r->builder;
	int64_t first = first_creation(builder);

	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];

		if (note->created == 0)
			continue;
		r->scenario->jobs[note->job].submit = (note->created - first) * CLOCK_SECOND;
		r->sorted = false;
	}
}

static simtime since(int64_t first, int64_t at)
{
	return at == 0 ? CLOCK_NEVER : (at - first) * CLOCK_SECOND;
}

/* How long it waited is not known of a job that does not say when it came. */
static struct recorded on_clock(const struct job_note *note, int64_t first)
{
	const struct job_record *record = note->record;
	struct recorded recorded = {.job = note->job,
				    .reserved = CLOCK_NEVER,
				    .admitted = CLOCK_NEVER,
				    .finished = CLOCK_NEVER,
				    .evictions = record->evictions,
				    .running = record->running,
				    .early = record->early,
				    .late = record->late};

	if (note->created != 0) {
		recorded.reserved = since(first, record->reserved);
		recorded.admitted = since(first, record->admitted);
		recorded.finished = since(first, record->finished);
	}
	return recorded;
}

/* What the cluster itself recorded, on the same clock. */
static void apply_records(struct resolver *r)
{
	const struct builder *builder = r->builder;
	struct scenario *s = r->scenario;
	int64_t first = first_creation(builder), latest = first;

	s->recorded = mem_arena_alloc(builder->arena, builder->note_count * sizeof(*s->recorded));
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		const struct job_record *record = note->record;

		if (record == NULL)
			continue;
		s->recorded[s->recorded_count++] = on_clock(note, first);
		latest = record->latest > latest ? record->latest : latest;
		if (record->stopped)
			builder->extras[s->jobs[note->job].extra].cancel_at =
				note->created == 0 ? s->jobs[note->job].submit
						   : since(first, record->latest);
	}
	s->recorded_until = since(first, latest);
}

static void report_assumed_durations(struct resolver *r)
{
	const struct job_note *first = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->builder->note_count; i++) {
		const struct job_note *note = &r->builder->notes[i];

		if (!note->assumed)
			continue;
		first = first != NULL ? first : note;
		count++;
	}
	if (first != NULL)
		draft_finding(r->builder, FINDING_NOTE, draft_job_place(r->builder, first->job),
			      "%u job%s without the annotation gqsim/duration: 1 h is assumed",
			      count, count == 1 ? "" : "s");
}

/* Such a job is deleted as it comes, and nobody asks for that. */
static void report_cancelled_before(struct resolver *r)
{
	static const struct finding_rule rule = {"input-warning", FINDING_WARNING};
	const struct scenario *s = r->scenario;
	uint32_t first = JOB_NONE, count = 0;

	for (uint32_t i = 0; i < s->job_count && r->builder->extra_count > 0; i++) {
		const struct job *job = &s->jobs[i];

		if (job->extra == JOB_NONE ||
		    r->builder->extras[job->extra].cancel_at >= job->submit)
			continue;
		first = count++ == 0 ? i : first;
	}
	if (count > 0)
		draft_fault(r->builder, &rule, draft_job_place(r->builder, first),
			    "correct the time at which it is submitted, or cancelled",
			    "%u job%s cancelled before being submitted: deleted on arrival, "
			    "without any work; the first is here",
			    count, count == 1 ? " is" : "s are");
}

static int compare_submits(const void *a, const void *b, void *context)
{
	const struct job *jobs = context;
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (jobs[x].submit != jobs[y].submit)
		return jobs[x].submit < jobs[y].submit ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_by_submit(struct resolver *r)
{
	struct scenario *scenario = r->scenario;

	if (r->sorted)
		return;
	scenario->by_submit = mem_arena_alloc(r->builder->arena,
					      scenario->job_count * sizeof(*scenario->by_submit));
	for (uint32_t i = 0; i < scenario->job_count; i++)
		scenario->by_submit[i] = i;
	sort_stable(scenario->by_submit, scenario->job_count, sizeof(*scenario->by_submit),
		    compare_submits, scenario->jobs);
}

/* What a job of a list was, and what it became: so does the next one like it. */
struct precedent {
	const struct job_common *common, *new_common; /* NULL: there is none */
	uint32_t alike;
};

/* Nothing of its own decides what it becomes. */
static bool is_usual(const struct resolver *r, const struct job *job)
{
	return job->extra == JOB_NONE &&
	       (job->common->flags & (JOB_MANIFEST | JOB_PRIORITY_GIVEN)) == 0 &&
	       (job->common->queue != NAME_NONE || r->scenario->update_count == 0);
}

/* Where to look for a precedent of jobs with this in common. */
static uint32_t precedent_slot(const struct job_common *common)
{
	return (uint32_t)((uintptr_t)common / sizeof(*common)) % PRECEDENTS;
}

/* Suspended, outside of every queue, and nobody resumes it. */
static bool is_held(const struct resolver *r, const struct job *job)
{
	const struct job_control *control =
		job->extra == JOB_NONE ? NULL : r->builder->extras[job->extra].control;

	if (control == NULL || !control->suspended || (job->common->flags & JOB_UNMANAGED) == 0)
		return false;
	for (uint32_t i = 0; i < control->change_count; i++) {
		if (control->changes[i].suspend == 0)
			return false;
	}
	return true;
}

/* Its class of alike jobs. */
static enum err_code resolve_job(struct resolver *r, struct draft_index *reported, uint32_t index,
				 uint32_t default_name, uint32_t *alike)
{
	struct job *job = &r->scenario->jobs[index];
	struct job_common common = *job->common;

	if (resolve_class_priority(r, index, &common) != ERR_OK)
		return r->err->code;
	resolve_queue(r, reported, index, default_name, &common);
	count_pods(r, &common);
	find_solo(r, job, &common);
	job->common = draft_common(r->builder, &common);
	if ((job->common->flags & JOB_MANIFEST) != 0)
		job->row = index;
	*alike = alike_of(&r->alike, job, is_held(r, job), index);
	return ERR_OK;
}

/* Resolves a job that has no precedent, and makes it one. */
static enum err_code resolve_anew(struct resolver *r, struct draft_index *reported, uint32_t index,
				  uint32_t default_name, struct precedent *p)
{
	struct job *job = &r->scenario->jobs[index], before = *job;
	uint32_t alike = 0;
	enum err_code code = resolve_job(r, reported, index, default_name, &alike);

	if (code != ERR_OK)
		return code;
	if (is_usual(r, &before))
		*p = (struct precedent){before.common, job->common, alike};
	alike_count(&r->alike, alike, job);
	return ERR_OK;
}

static enum err_code resolve_each_job(struct resolver *r, struct draft_index *reported)
{
	uint32_t default_name = name_find(r->builder->strings, "default");
	struct precedent *precedents = mem_calloc(PRECEDENTS, sizeof(*precedents));
	struct scenario *s = r->scenario;
	simtime last = 0;
	bool sorted = true;
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < s->job_count && code == ERR_OK; i++) {
		struct job *job = &s->jobs[i];
		struct precedent *p = &precedents[precedent_slot(job->common)];

		/* A precedent is usual, as what it has in common: what is like it is so too, unless
		 * it has something extra. */
		if (p->common == job->common && job->extra == JOB_NONE) {
			job->common = p->new_common;
			alike_count(&r->alike, p->alike, job);
		} else {
			code = resolve_anew(r, reported, i, default_name, p);
		}
		sorted = sorted && last <= job->submit;
		last = job->submit;
	}
	r->sorted = sorted;
	mem_free(precedents);
	return code;
}

/* The queue, if the job is elastic and would have a variant a flavor there; SCENARIO_NONE. */
static uint32_t elastic_in_concurrent(const struct resolver *r, uint32_t job)
{
	const struct scenario *s = r->scenario;
	uint32_t queue = scenario_job_cluster_queue(s, job), extra = s->jobs[job].extra;
	const struct job_control *control =
		extra == JOB_NONE ? NULL : r->builder->extras[extra].control;

	if (control == NULL || !control->elastic)
		return SCENARIO_NONE;
	return queue != SCENARIO_NONE && s->cluster_queues[queue].concurrent ? queue
									     : SCENARIO_NONE;
}

/* Kueue refuses nothing of it. */
static void report_concurrent_elastic(struct resolver *r)
{
	const struct scenario *s = r->scenario;
	struct kueue_gates gates = kueue_gates_read(&s->config, r->builder->strings);

	for (uint32_t i = 0; i < s->job_count && gates.concurrent && gates.slices; i++) {
		uint32_t queue = elastic_in_concurrent(r, i);

		if (queue == SCENARIO_NONE)
			continue;
		draft_finding(
			r->builder, FINDING_NOT_MODELLED,
			r->placed[KIND_CLUSTER_QUEUE].meta[queue].where,
			"ClusterQueue \"%s\": concurrentAdmissionPolicy of elastic jobs is not "
			"modelled: they take one flavor after the other",
			resolve_text(r, s->cluster_queues[queue].name));
		return;
	}
}

enum err_code resolve_jobs(struct resolver *r)
{
	struct builder *builder = r->builder;
	struct scenario *scenario = r->scenario;
	struct draft_index reported;
	enum err_code code;

	scenario->job_count = builder->job_count;
	scenario->jobs = builder->jobs;
	mem_arena_own(builder->arena, builder->jobs);
	builder->jobs = NULL;
	code = check_unique(r);
	draft_index_init(&reported, 0);
	if (code == ERR_OK)
		code = resolve_each_job(r, &reported);
	draft_index_free(&reported);
	if (code != ERR_OK)
		return code;
	resolve_class_apply(r);
	resolve_class_name_pods(r);
	apply_creation_times(r);
	apply_records(r);
	report_assumed_durations(r);
	report_cancelled_before(r);
	report_concurrent_elastic(r);
	sort_by_submit(r);
	return ERR_OK;
}
