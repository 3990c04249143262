/* trace_pai.c - Alibaba PAI 2020 (CATALOG 2.5): tables without headers, one of jobs and
 * one of their tasks.
 *
 * A job is submitted at its start_time and works from the start of its earliest task to
 * its end. Each task is a pod set; the job starts whole. plan_gpu and plan_cpu are per
 * cent; a GPU that is shared stays a share. Memory is GiB.
 */
#include "sim/trace/trace_pai.h"

#include <stdio.h>
#include <string.h>

#include "sim/trace/trace_formats.h"

#define JOB_FIELDS	6
#define TASK_FIELDS	10
#define INSTANCE_FIELDS 9
#define INSTANCE_STATUS 5
#define GIB		((int64_t)1 << 30)
#define PERCENT		100
#define MILLI		1000
#define NONE		UINT32_MAX
#define TASKS_MAX	64 /* of one job */

enum { JOB_NAME, JOB_INSTANCE, JOB_USER, JOB_STATUS, JOB_START, JOB_END };
enum {
	TASK_JOB,
	TASK_NAME,
	TASK_PODS,
	TASK_STATUS,
	TASK_START,
	TASK_END,
	TASK_CPU,
	TASK_MEMORY,
	TASK_GPU,
	TASK_MODEL
};

static bool is_status(const struct csv_field *cell)
{
	return csv_is(cell, "Terminated") || csv_is(cell, "Failed") || csv_is(cell, "Running") ||
	       csv_is(cell, "Waiting") || csv_is(cell, "Interrupted");
}

/* The names of the columns, which are published beside the tables and may have been put
 * before them. */
static bool is_header(const struct csv *csv, uint32_t fields, int status)
{
	return csv->count == fields && csv_is(&csv->fields[status], "status");
}

/* Has the first row so many fields, and a status in this one? */
static bool probe_table(const char *head, size_t size, uint32_t fields, int status)
{
	struct err ignored;
	struct csv csv;
	bool more, found;

	csv_init(&csv, NULL, head, size);
	found = csv_row(&csv, &more, &ignored) == ERR_OK && more && csv.count == fields &&
		(is_status(&csv.fields[status]) || is_header(&csv, fields, status));
	csv_free(&csv);
	return found;
}

bool trace_pai_probe(const char *head, size_t size)
{
	return probe_table(head, size, JOB_FIELDS, JOB_STATUS);
}

bool trace_pai_tasks_probe(const char *head, size_t size)
{
	return probe_table(head, size, TASK_FIELDS, TASK_STATUS);
}

/* job_name,task_name,inst_name,worker_name,inst_id,status,start_time,end_time,machine: where
 * each instance really ran, while a replay places pods itself. */
bool trace_pai_instances_probe(const char *head, size_t size)
{
	return probe_table(head, size, INSTANCE_FIELDS, INSTANCE_STATUS);
}

/* What is being read. */
struct reader {
	struct trace_pai *pai;
	size_t job_capacity, task_capacity;
	uint32_t *last_task; /* by job */
	bool *bad;	     /* by job: a task cannot be read */
	bool keep_unfinished;
	struct csv csv;
	struct err *err;
};

static bool read_time(const struct csv_field *cell, bool *has, simtime *out)
{
	*has = cell->len > 0;
	return !*has || clock_read_seconds(cell->text, cell->len, out);
}

/* A copy that outlives the row. */
static struct csv_field keep(struct name_table *texts, const struct csv_field *cell)
{
	return (struct csv_field){
		.text = name_text(texts, name_add_n(texts, cell->text, cell->len)),
		.len = cell->len};
}

/* A name that no file can have keeps the place of a job. */
static void fill_place(struct reader *r)
{
	char filler[32];

	snprintf(filler, sizeof(filler), "\n%u", r->pai->job_count);
	name_add(r->pai->names, filler);
}

/* Its index among the names is its index among the jobs. False: an earlier one has the
 * name. */
static bool name_job(struct reader *r, struct csv_field *name)
{
	uint32_t index = name_add_n(r->pai->names, name->text, name->len);

	*name = keep(r->pai->names, name);
	if (index == r->pai->job_count)
		return true;
	fill_place(r);
	return false;
}

static void see(struct reader *r, simtime moment)
{
	if (moment > r->pai->latest)
		r->pai->latest = moment;
}

static void append_job(struct reader *r, const struct trace_pai_job *job)
{
	r->pai->jobs = mem_grow(r->pai->jobs, (size_t)r->pai->job_count + 1, &r->job_capacity,
				sizeof(*r->pai->jobs));
	r->pai->jobs[r->pai->job_count++] = *job;
}

static void add_job(struct reader *r)
{
	const struct csv_field *cells = r->csv.fields;
	struct trace_pai_job job = {.name = cells[JOB_NAME],
				    .user = keep(r->pai->texts, &cells[JOB_USER]),
				    .status = keep(r->pai->texts, &cells[JOB_STATUS]),
				    .line = r->csv.line,
				    .first_task = NONE};
	bool has_submit, has_end;

	if (!name_job(r, &job.name))
		job.skipped = "repeated_job";
	else if (!read_time(&cells[JOB_START], &has_submit, &job.submit) ||
		 !read_time(&cells[JOB_END], &has_end, &job.end))
		job.skipped = "bad_time";
	else if (!has_submit)
		job.skipped = has_end ? "no_submit_time" : "waiting_no_times";
	else
		job.runs = !has_end;
	see(r, job.submit);
	see(r, job.end);
	append_job(r, &job);
}

/* A row that is cut off, or is of another table. */
static void add_misfit(struct reader *r)
{
	const struct trace_pai_job job = {
		.line = r->csv.line, .first_task = NONE, .skipped = "bad_field_count"};

	fill_place(r);
	append_job(r, &job);
}

/* An amount in hundredths or whole units, as thousandths. */
static bool read_milli(const struct csv_field *cell, int64_t *out)
{
	*out = 0;
	return cell->len == 0 || num_read_quantity(cell->text, cell->len, true, out) == NUM_OK;
}

static bool read_task(struct name_table *texts, const struct csv_field *cells,
		      struct trace_pai_task *task)
{
	int64_t cpu, memory, gpu;

	*task = (struct trace_pai_task){.name = keep(texts, &cells[TASK_NAME]),
					.model = keep(texts, &cells[TASK_MODEL]),
					.next = NONE};
	if (!trace_read_count(cells[TASK_PODS].text, cells[TASK_PODS].len, &task->pods) ||
	    task->pods == 0 || task->pods > TRACE_PODS_GPUS_MAX ||
	    !read_time(&cells[TASK_START], &task->has_start, &task->start) ||
	    !read_time(&cells[TASK_END], &task->has_end, &task->end) ||
	    !read_milli(&cells[TASK_CPU], &cpu) || !read_milli(&cells[TASK_MEMORY], &memory) ||
	    !read_milli(&cells[TASK_GPU], &gpu) || gpu > (int64_t)TRACE_PODS_GPUS_MAX * PERCENT)
		return false;
	task->cpu_milli = cpu / PERCENT;
	task->memory = res_mul(memory, GIB) / MILLI;
	task->gpu_milli = (uint32_t)(gpu / PERCENT);
	return true;
}

/* Adds a task's pods to its job. */
static void count_task(struct trace_pai_job *job, const struct trace_pai_task *task, bool first)
{
	uint64_t milli = (uint64_t)task->pods * task->gpu_milli;

	job->pods += task->pods;
	job->gpu_milli += milli;
	if (task->has_start && (first || task->start < job->start))
		job->start = task->start;
	if (task->has_start && task->has_end && task->end > task->start)
		job->gpu_time = res_add(job->gpu_time,
					res_mul((task->end - task->start) / MILLI, (int64_t)milli));
}

static void add_task(struct reader *r, bool *started)
{
	const struct csv_field *cells = r->csv.fields;
	uint32_t job = name_find_n(r->pai->names, cells[TASK_JOB].text, cells[TASK_JOB].len);
	struct trace_pai_task task;
	uint32_t index = r->pai->task_count;

	if (job == NAME_NONE) {
		r->pai->stray_tasks++;
		return;
	}
	if (r->csv.count != TASK_FIELDS || !read_task(r->pai->texts, cells, &task)) {
		r->bad[job] = true;
		return;
	}
	r->pai->tasks = mem_grow(r->pai->tasks, (size_t)index + 1, &r->task_capacity,
				 sizeof(*r->pai->tasks));
	r->pai->tasks[r->pai->task_count++] = task;
	see(r, task.start);
	see(r, task.end);
	if (r->last_task[job] == NONE)
		r->pai->jobs[job].first_task = index;
	else
		r->pai->tasks[r->last_task[job]].next = index;
	r->last_task[job] = index;
	count_task(&r->pai->jobs[job], &task, !started[job]);
	started[job] = started[job] || task.has_start;
}

static enum err_code read_jobs(struct reader *r, const struct source *source)
{
	enum err_code code = ERR_OK;
	bool more = true;

	csv_open(&r->csv, source, ',', false);
	while (code == ERR_OK && more) {
		code = csv_row(&r->csv, &more, r->err);
		if (code == ERR_OK && more && is_header(&r->csv, JOB_FIELDS, JOB_STATUS))
			continue;
		if (code == ERR_OK && more && r->csv.count == JOB_FIELDS)
			add_job(r);
		else if (code == ERR_OK && more)
			add_misfit(r);
	}
	csv_free(&r->csv);
	return code;
}

static enum err_code read_tasks(struct reader *r, const struct source *source, bool *started)
{
	enum err_code code = ERR_OK;
	bool more = true;

	csv_open(&r->csv, source, ',', false);
	while (code == ERR_OK && more) {
		code = csv_row(&r->csv, &more, r->err);
		if (code == ERR_OK && more && !is_header(&r->csv, TASK_FIELDS, TASK_STATUS))
			add_task(r, started);
	}
	csv_free(&r->csv);
	return code;
}

/* What only the tasks tell. */
static void judge(struct reader *r, const bool *started)
{
	for (uint32_t i = 0; i < r->pai->job_count; i++) {
		struct trace_pai_job *job = &r->pai->jobs[i];

		if (job->skipped != NULL)
			continue;
		if (job->runs && !r->keep_unfinished)
			job->skipped = "running_no_end";
		else if (r->bad[i])
			job->skipped = "bad_task";
		else if (job->first_task == NONE)
			job->skipped = "no_tasks";
		else if (job->gpu_milli == 0)
			job->skipped = "cpu_only";
		else if (job->pods > TRACE_PODS_GPUS_MAX ||
			 job->gpu_milli > (uint64_t)TRACE_PODS_GPUS_MAX * MILLI)
			job->skipped = "too_many_gpus";
		else if (!started[i])
			job->skipped = "never_started";
		else if (!job->runs && job->end < job->start)
			job->skipped = "negative_duration";
		else if (!job->runs && job->end == job->start)
			job->skipped = "zero_duration";
	}
}

enum err_code trace_pai_read(const struct source *jobs, const struct source *tasks,
			     uint32_t task_count, bool keep_unfinished, struct trace_pai *out,
			     struct err *err)
{
	struct reader r = {.pai = out, .keep_unfinished = keep_unfinished, .err = err};
	enum err_code code;
	bool *started;

	*out = (struct trace_pai){.names = name_new(), .texts = name_new()};
	code = read_jobs(&r, jobs);
	r.last_task = mem_calloc(out->job_count, sizeof(*r.last_task));
	r.bad = mem_calloc(out->job_count, sizeof(*r.bad));
	started = mem_calloc(out->job_count, sizeof(*started));
	for (uint32_t i = 0; i < out->job_count; i++)
		r.last_task[i] = NONE;
	for (uint32_t i = 0; i < task_count && code == ERR_OK; i++)
		if (trace_pai_tasks_probe(tasks[i].data, tasks[i].size))
			code = read_tasks(&r, &tasks[i], started);
	judge(&r, started);
	mem_free(r.last_task);
	mem_free(r.bad);
	mem_free(started);
	return code;
}

void trace_pai_free(struct trace_pai *pai)
{
	mem_free(pai->jobs);
	mem_free(pai->tasks);
	name_free(pai->names);
	name_free(pai->texts);
	*pai = (struct trace_pai){.jobs = NULL};
}

struct loader {
	const struct trace_pai *pai;
	struct builder *builder;
	struct trace_summary *summary;
	struct trace_pods *pods;
	struct trace_models *models;
	struct trace_list list;
};

static void make_set(struct loader *l, const struct trace_pai_task *task, struct pod_set *set)
{
	struct trace_pods_demand demand = {.pods = task->pods,
					   .gpu_milli = task->gpu_milli,
					   .cpu_milli = task->cpu_milli,
					   .memory = task->memory};

	if (task->gpu_milli % MILLI == 0)
		demand.gpus = task->gpu_milli / MILLI;
	if (task->gpu_milli > 0)
		demand.models = trace_models_term(l->models, task->model.text, task->model.len);
	*set = (struct pod_set){.name = builder_string(l->builder, task->name.text, task->name.len),
				.shape = trace_pods_demand_shape(l->pods, &demand),
				.count = task->pods,
				.min_count = task->pods};
}

/* False: more tasks than one job may have here. Tasks of one name are told apart. */
static bool make_sets(struct loader *l, const struct trace_pai_job *job,
		      struct trace_pods_sets *out)
{
	struct pod_set sets[TASKS_MAX];
	uint16_t count = 0;
	char name[32];

	for (uint32_t t = job->first_task; t != NONE; t = l->pai->tasks[t].next) {
		if (count == TASKS_MAX)
			return false;
		make_set(l, &l->pai->tasks[t], &sets[count]);
		for (uint16_t i = 0; i < count; i++) {
			if (sets[i].name != sets[count].name)
				continue;
			snprintf(name, sizeof(name), "task-%u", count);
			sets[count].name = builder_string(l->builder, name, strlen(name));
		}
		count++;
	}
	out->first = builder_pod_sets(l->builder, sets, count);
	out->count = count;
	return true;
}

/* Does any task of a job ask for a model, and for one that no node is of? */
static void count_wishes(struct loader *l, const struct trace_pai_job *job)
{
	bool wish = false, dropped = false;

	for (uint32_t t = job->first_task; t != NONE; t = l->pai->tasks[t].next) {
		const struct trace_pai_task *task = &l->pai->tasks[t];

		if (task->gpu_milli == 0 || task->model.len == 0)
			continue;
		wish = true;
		dropped |= trace_models_term(l->models, task->model.text, task->model.len) == NULL;
	}
	l->summary->model_wishes += wish;
	l->summary->models_dropped += dropped;
}

static void take(struct loader *l, const struct trace_pai_job *job)
{
	struct trace_row row = {.submit = job->submit,
				.duration = job->end - job->start,
				.start = job->start,
				.has_start = true,
				.row = (uint32_t)l->summary->rows,
				.line = job->line};
	const char *skipped = job->skipped;

	l->summary->rows++;
	row.burned = trace_state(l->summary, job->status.text, job->status.len);
	if (skipped == NULL && !make_sets(l, job, &row.sets))
		skipped = "too_many_tasks";
	if (skipped != NULL) {
		trace_skip(l->summary, skipped, job->line);
		return;
	}
	row.unfinished = job->runs;
	row.since = job->start;
	row.duration = job->runs ? 0 : row.duration;
	count_wishes(l, job);
	row.name = builder_string(l->builder, job->name.text, job->name.len);
	row.vc = builder_string(l->builder, job->user.text, job->user.len);
	trace_list_add(&l->list, &row);
}

static bool has_tasks(const struct trace_options *options)
{
	for (uint32_t i = 0; i < options->companion_count; i++)
		if (trace_pai_tasks_probe(options->companions[i].data, options->companions[i].size))
			return true;
	return false;
}

enum err_code trace_pai_load(const struct source *source, const struct trace_options *options,
			     struct builder *builder, struct trace_summary *summary,
			     struct err *err)
{
	struct loader l = {.builder = builder, .summary = summary, .list.no_clock = true};
	struct trace_pai pai;
	enum err_code code;

	if (!has_tasks(options))
		return err_set(err, ERR_USAGE, source->name, 0, 0,
			       "this is PAI's table of jobs; what they ask for is in its table of "
			       "tasks: give pai_task_table.csv too");
	code = trace_pai_read(source, options->companions, options->companion_count,
			      options->keep_unfinished, &pai, err);
	l.pai = &pai;
	l.list.latest = pai.latest;
	l.pods = trace_pods_new(builder, options->gpus_per_node);
	l.models = trace_models_new(builder, options->keep_models);
	if (code == ERR_OK)
		code = trace_pods_share(l.pods, err);
	for (uint32_t i = 0; i < pai.job_count && code == ERR_OK; i++)
		take(&l, &pai.jobs[i]);
	summary->not_modelled = TRACE_SHARES_NOT_MODELLED;
	if (code == ERR_OK)
		trace_list_build(&l.list, source->name, options, builder, summary);
	trace_pods_free(l.pods);
	trace_models_free(l.models);
	trace_list_free(&l.list);
	trace_pai_free(&pai);
	return code;
}
