/* trace_write_swf.c - jobs in the Standard Workload Format, version 2: a GPU stands as a
 * processor, queues are numbered and named in the header.
 */
#include <inttypes.h>

#include "sim/trace/trace_pods.h"
#include "sim/trace/trace_write.h"

struct writer {
	FILE *out;
	const struct trace_edit *edit;
	struct trace_lost *lost;
	uint32_t *numbers;     /* of queues, by string, from 1; 0: none yet */
	uint64_t *job_numbers; /* of jobs written so far; 0: not, or not yet */
};

static int64_t whole_seconds(simtime t)
{
	return (t + CLOCK_SECOND / 2) / CLOCK_SECOND;
}

static void name_queues(struct writer *w)
{
	const struct job *jobs = builder_jobs(w->edit->builder);
	uint32_t count = 0;

	for (size_t i = 0; i < w->edit->count; i++) {
		const struct trace_item *item = &w->edit->items[i];
		uint32_t queue = jobs[item->job].common->queue;

		if (queue == NAME_NONE || w->numbers[queue] != 0)
			continue;
		w->numbers[queue] = ++count;
		fprintf(w->out, "; Queue: %" PRIu32 " %s%s%s\n", count,
			item->prefix != NULL ? item->prefix : "", item->prefix != NULL ? "-" : "",
			name_text(builder_strings(w->edit->builder), queue));
	}
}

/* More than so many GPUs on nodes of any kind? */
static bool asks_for_more(const struct builder *builder, const struct job *job)
{
	const struct pod_set *sets = builder_sets_of(builder, job);

	if ((job->common->flags & JOB_CUT) == 0)
		return true;
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_shape *shape = builder_shape_at(builder, sets[i].shape);

		if (shape->node_selector.count + shape->affinity_count + shape->tolerations.count >
		    0)
			return true;
	}
	return false;
}

/* Fields 17 and 18: the job before it, and the time between. */
static void write_feedback(struct writer *w, const struct trace_item *item)
{
	const struct job_after *after = builder_job_waits(w->edit->builder, item->job);
	uint64_t number = after != NULL ? w->job_numbers[after->after] : 0;

	if (number == 0) {
		w->lost->dependencies += after != NULL;
		fputs("-1 -1\n", w->out);
		return;
	}
	fprintf(w->out, "%" PRIu64 " %" PRId64 "\n", number,
		after->think < 0 ? INT64_C(-1) : whole_seconds(after->think));
}

static void write_job(struct writer *w, const struct trace_item *item, uint64_t number)
{
	const struct job *job = &builder_jobs(w->edit->builder)[item->job];
	int64_t milli = trace_pods_milli(w->edit->builder, job);
	uint32_t gpus = trace_edit_scaled(w->edit, (uint32_t)(milli / 1000) + (milli % 1000 != 0));
	int64_t run = whole_seconds(item->duration), wait = -1;

	if (gpus == 0 || item->duration == JOB_ENDLESS) {
		w->lost->left_out++;
		return;
	}
	if (item->start != CLOCK_NEVER)
		wait = whole_seconds(item->start - item->submit);
	w->lost->rounded += milli % 1000 != 0 || item->submit % CLOCK_SECOND != 0 ||
			    item->duration % CLOCK_SECOND != 0;
	w->lost->demands += asks_for_more(w->edit->builder, job);
	w->lost->classes += job->common->priority_class != NAME_NONE;
	fprintf(w->out,
		"%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu32 " -1 -1 %" PRIu32
		" -1 -1 1 -1 -1 -1 %" PRId64 " -1 ",
		number, whole_seconds(item->submit), wait, run > 0 ? run : 1, gpus, gpus,
		job->common->queue != NAME_NONE ? (int64_t)w->numbers[job->common->queue] : -1);
	write_feedback(w, item);
	w->job_numbers[item->job] = number;
}

void trace_write_swf(FILE *out, const struct trace_edit *edit, struct trace_lost *lost)
{
	struct writer w = {.out = out, .edit = edit, .lost = lost};

	*lost = (struct trace_lost){.clock = false};
	w.numbers = mem_calloc(name_count(builder_strings(edit->builder)), sizeof(*w.numbers));
	w.job_numbers = mem_calloc(builder_job_count(edit->builder), sizeof(*w.job_numbers));
	fputs("; Version: 2\n; Note: written by gqsim; a processor stands for a GPU\n", out);
	if (edit->origin != CLOCK_NEVER)
		fprintf(out, "; UnixStartTime: %" PRId64 "\n", edit->origin / CLOCK_SECOND);
	fprintf(out, "; MaxJobs: %zu\n", edit->count);
	name_queues(&w);
	for (size_t i = 0; i < edit->count; i++)
		write_job(&w, &edit->items[i], i + 1);
	mem_free(w.numbers);
	mem_free(w.job_numbers);
}
