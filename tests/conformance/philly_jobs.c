/* philly_jobs.c - what sim/trace/trace_philly makes of each job of a cluster_job_log, as
 * JSON in the words of the reference fixture. Usage: philly_jobs FILE */
#include <stdio.h>

#include "sim/tool/jsonw.h"
#include "sim/trace/trace.h"
#include "sim/trace/trace_philly.h"

static void put_moment(struct jsonw *json, const char *key, simtime t)
{
	char text[TRACE_CLOCK];

	jsonw_text(json, key, trace_format_clock(t, text));
}

static void put_times(struct jsonw *json, const struct trace_philly_job *job)
{
	simtime queue = job->first_start - job->submit;
	simtime span = job->last_end - job->first_start;

	jsonw_integer(json, "gpus", job->gpus);
	jsonw_integer(json, "servers_first_ok", job->servers);
	put_moment(json, "submit", job->submit);
	put_moment(json, "first_start", job->first_start);
	put_moment(json, "last_end", job->last_end);
	jsonw_seconds(json, "service_s", job->service);
	jsonw_seconds(json, "span_s", span);
	jsonw_seconds(json, "queue_s", queue);
	jsonw_seconds(json, "queue_s_clamped", queue > 0 ? queue : 0);
	jsonw_integer(json, "attempts_used", job->used);
	jsonw_integer(json, "attempts_total", job->attempts);
	jsonw_seconds(json, "retry_gap_s", span - job->service);
}

static void put_job(void *context, const struct trace_philly_job *job)
{
	struct jsonw *json = context;

	jsonw_object(json, NULL);
	jsonw_text(json, "jobid", job->id);
	jsonw_text(json, "vc", job->vc);
	jsonw_text(json, "status", job->status);
	jsonw_bool(json, "accepted", job->skipped == NULL);
	if (job->skipped != NULL)
		jsonw_text(json, "skip_reason", job->skipped);
	else
		jsonw_null(json, "skip_reason");
	if (job->skipped == NULL)
		put_times(json, job);
	jsonw_close_object(json);
}

int main(int argc, char **argv)
{
	struct source source;
	struct jsonw json;
	struct err err;
	char text[1024];

	if (argc != 2) {
		fprintf(stderr, "usage: philly_jobs FILE\n");
		return 2;
	}
	if (source_read(argv[1], &source, &err) != ERR_OK) {
		err_format(&err, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
		return 2;
	}
	jsonw_begin(&json, stdout);
	jsonw_array(&json, "jobs");
	if (trace_philly_read(&source, put_job, &json, &err) != ERR_OK) {
		err_format(&err, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
		return 2;
	}
	jsonw_close_array(&json);
	jsonw_end(&json);
	source_close(&source);
	return 0;
}
