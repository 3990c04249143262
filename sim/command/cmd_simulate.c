#include <inttypes.h>
#include <string.h>

#include "sim/dump/whatif.h"
#include "sim/study/study.h"
#include "sim/tool/human.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/table.h"

/* The dump runs three times: work whose end nobody knows ends early, as its queue's
 * median, and late. */
enum end_guess { GUESS_MEDIAN, GUESS_EARLY, GUESS_LATE, GUESSES };

/* Scenarios that differ in durations only; the first owns what they share. */
struct futures {
	struct scenario *scenario;
	struct scenario others[GUESSES];
};

static void set_ends(const struct scenario *from, enum end_guess guess, struct scenario *out)
{
	*out = *from;
	out->jobs = mem_dup(from->jobs, from->job_count * sizeof(*from->jobs));
	for (uint32_t i = 0; i < from->recorded_count; i++) {
		const struct recorded *r = &from->recorded[i];
		simtime end = guess == GUESS_EARLY ? r->early : r->late;

		if (end != 0)
			out->jobs[r->job].duration = end;
	}
}

static bool asks_anything(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->job_count; i++) {
		if ((s->jobs[i].common->flags & JOB_ASKED) != 0)
			return true;
	}
	return false;
}

static enum err_code load(const struct cmd_args *args, struct futures *futures, struct err *err)
{
	struct cmd_input input;
	enum err_code code;

	cmd_input(args, args->operand_count, &input);
	if (args->operand_count == 0 || input.request.file_count == args->operand_count) {
		cmd_input_free(&input);
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "a job and a cluster are needed: gqsim simulate -f JOB DUMP...");
	}
	input.request.asked_from = (uint32_t)args->operand_count;
	input.request.asked_ns = cmd_value(args, "namespace");
	code = input_load(&input.request, &futures->scenario, NULL, err);
	cmd_input_free(&input);
	if (code == ERR_OK && !asks_anything(futures->scenario))
		code = err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what -f names has no job that could be submitted");
	if (code != ERR_OK)
		return code;
	set_ends(futures->scenario, GUESS_EARLY, &futures->others[GUESS_EARLY]);
	set_ends(futures->scenario, GUESS_LATE, &futures->others[GUESS_LATE]);
	return ERR_OK;
}

static enum err_code run_futures(const struct cmd_context *context, const struct cmd_args *args,
				 struct study *study, struct futures *futures, struct err *err)
{
	static const char *const titles[GUESSES] = {"median", "early", "late"};
	const struct policy_row *policy = policy_find("kueue");
	struct run_options options;
	enum err_code code = cmd_run_options(args, futures->scenario, &options, err);

	if (code != ERR_OK)
		return code;
	for (int i = 0; i < GUESSES; i++)
		study_add(study, titles[i], policy,
			  i == GUESS_MEDIAN ? futures->scenario : &futures->others[i], &options,
			  JOURNAL_FULL);
	return study_run(study, context, 1, false, err);
}

/* ---- for people ---- */

static const char *wait_text(simtime wait, char buf[HUMAN_TEXT])
{
	return wait == CLOCK_NEVER ? "never" : human_time(wait, buf);
}

static bool is_hopeless(const struct whatif w[GUESSES])
{
	for (int i = 0; i < GUESSES; i++) {
		if ((w[i].queued ? w[i].wait : w[i].start) != CLOCK_NEVER)
			return false;
	}
	return true;
}

static void print_wait(FILE *out, const struct whatif *w)
{
	char expected[HUMAN_TEXT], early[HUMAN_TEXT], late[HUMAN_TEXT], text[300];
	simtime low = w[GUESS_EARLY].wait, high = w[GUESS_LATE].wait;

	if (low > high) { /* ends that come later can let it in sooner */
		simtime swap = low;

		low = high;
		high = swap;
	}
	snprintf(text, sizeof(text), "expected wait: %s", wait_text(w->wait, expected));
	if (is_hopeless(w))
		snprintf(text, sizeof(text), "it is never admitted, whatever ends when");
	else if (low != high)
		snprintf(text, sizeof(text),
			 "expected wait: %s (from %s to %s, as those whose end is not known end "
			 "early or late)",
			 wait_text(w->wait, expected), wait_text(low, early),
			 wait_text(high, late));
	fputs("  ", out);
	table_paragraph(out, 2, text);
}

static void print_reason(FILE *out, const struct journal *journal, uint32_t reason,
			 uint32_t message)
{
	char text[1400];

	if (message == NAME_NONE)
		return;
	snprintf(text, sizeof(text), "because: %s%s%s",
		 reason == NAME_NONE ? "" : name_text(journal->strings, reason),
		 reason == NAME_NONE ? "" : ": ", name_text(journal->strings, message));
	fputs("  ", out);
	table_paragraph(out, 2, text);
}

static void print_pods(FILE *out, const struct journal *journal, const struct whatif *w)
{
	char start[HUMAN_TEXT];

	if (w->start == CLOCK_NEVER)
		fputs("its pods never run\n", out);
	else if (w->start == 0)
		fputs("its pods run at once\n", out);
	else
		fprintf(out, "its pods run after %s\n", wait_text(w->start, start));
	if (w->start != 0)
		print_reason(out, journal, NAME_NONE, w->pods_message);
}

static void print_name(FILE *out, const struct scenario *s, uint32_t index)
{
	const struct job *job = &s->jobs[index];
	uint32_t queue = scenario_job_cluster_queue(s, index);
	char name[SCENARIO_NAME_TEXT];

	fprintf(out, "%s/%s (%" PRIu32 " GPU%s%s%s), submitted now: ",
		scenario_string(s, job->common->ns), scenario_job_name(s, index, name),
		job->common->gpus, job->common->gpus == 1 ? "" : "s",
		queue == SCENARIO_NONE ? "" : ", ClusterQueue ",
		queue == SCENARIO_NONE ? "" : scenario_string(s, s->cluster_queues[queue].name));
}

static void print_asked(FILE *out, const struct journal *journal, const struct whatif *w)
{
	print_name(out, journal->scenario, w->job);
	if (!w->queued) {
		fputs("not Kueue's, it has no queue-name; ", out);
		print_pods(out, journal, w);
		return;
	}
	if (w->wait == 0) {
		fputs("admitted at once\n", out);
	} else {
		if (w->position == 0)
			fputs("waits\n", out);
		else
			fprintf(out, "waits, %" PRIu32 " of %" PRIu32 " in its queue\n",
				w->position, w->pending);
		print_reason(out, journal, w->reason, w->message);
		print_wait(out, w);
	}
	if (w->wait != CLOCK_NEVER && w->start != w->wait) {
		fputs("  ", out);
		print_pods(out, journal, w);
	}
}

static void print_trust(FILE *out, const struct journal *journal)
{
	uint32_t running, not_admitted;
	char text[300];

	whatif_running(journal, &running, &not_admitted);
	if (not_admitted == 0)
		return;
	snprintf(text, sizeof(text),
		 "Note: %" PRIu32 " of %" PRIu32 " workloads that run in the cluster could not be "
		 "admitted together here: quotas or objects must have changed since.",
		 not_admitted, running);
	table_paragraph(out, 0, text);
}

/* ---- for programs ---- */

static void json_asked(struct jsonw *json, const struct journal *journal, const struct whatif *w)
{
	const struct scenario *s = journal->scenario;
	char name[SCENARIO_NAME_TEXT];

	jsonw_object(json, NULL);
	jsonw_text(json, "namespace", scenario_string(s, s->jobs[w->job].common->ns));
	jsonw_text(json, "job", scenario_job_name(s, w->job, name));
	jsonw_bool(json, "queued", w->queued);
	jsonw_bool(json, "admitted_at_once", w->wait == 0);
	jsonw_integer(json, "position", w->position);
	jsonw_integer(json, "pending_in_queue", w->pending);
	jsonw_text(json, "reason",
		   w->reason == NAME_NONE ? "" : name_text(journal->strings, w->reason));
	jsonw_text(json, "message",
		   w->message == NAME_NONE ? "" : name_text(journal->strings, w->message));
	jsonw_text(json, "pods_message",
		   w->pods_message == NAME_NONE ? ""
						: name_text(journal->strings, w->pods_message));
	jsonw_seconds(json, "wait_s", w->wait);
	jsonw_seconds(json, "wait_if_early_s", w[GUESS_EARLY].wait);
	jsonw_seconds(json, "wait_if_late_s", w[GUESS_LATE].wait);
	jsonw_seconds(json, "start_s", w->start);
	jsonw_close_object(json);
}

/* ---- the command ---- */

/* The findings of one job in each future. */
static void ask(const struct report_column *columns, uint32_t job, struct whatif w[GUESSES])
{
	for (int i = 0; i < GUESSES; i++)
		w[i] = whatif_find(columns[i].journal, job);
}

static void begin_json(struct jsonw *json, FILE *out)
{
	jsonw_begin(json, out);
	jsonw_integer(json, "schemaVersion", 1);
	jsonw_text(json, "tool", "gqsim");
	jsonw_text(json, "version", GQSIM_VERSION);
	jsonw_array(json, "jobs");
}

/* Does every job get in? */
static bool print_all(FILE *out, const struct report_column *columns, bool as_json)
{
	const struct scenario *s = columns[0].scenario;
	struct whatif w[GUESSES];
	struct jsonw json;
	bool all = true;

	if (as_json)
		begin_json(&json, out);
	for (uint32_t job = 0; job < s->job_count; job++) {
		if ((s->jobs[job].common->flags & JOB_ASKED) == 0)
			continue;
		ask(columns, job, w);
		all = all && !is_hopeless(w);
		if (as_json)
			json_asked(&json, columns[0].journal, w);
		else
			print_asked(out, columns[0].journal, w);
	}
	if (as_json) {
		jsonw_close_array(&json);
		jsonw_end(&json);
	} else {
		print_trust(out, columns[0].journal);
	}
	return all;
}

static int run_simulate(const struct cmd_context *context, const struct cmd_args *args)
{
	struct study *study = study_new();
	struct futures futures = {.scenario = NULL};
	bool json = false, all = true;
	struct err err;
	size_t count;
	enum err_code code = cmd_text_or_json(args, &json, &err);
	int result;

	if (code == ERR_OK)
		code = load(args, &futures, &err);
	if (code == ERR_OK)
		code = run_futures(context, args, study, &futures, &err);
	if (code == ERR_OK) {
		cmd_tell(context, futures.scenario);
		all = print_all(context->out, study_columns(study, &count), json);
	}
	result = code == ERR_OK ? study_verdict(study, context) : cmd_fail(context, &err);
	if (result == CMD_OK && !all)
		result = CMD_FINDINGS;
	study_free(study);
	for (int i = 0; i < GUESSES; i++)
		mem_free(futures.others[i].jobs);
	scenario_free(futures.scenario);
	return result;
}

static const struct cmd_option options[] = {
	{"namespace", 'n', "NAMESPACE", "of the objects of -f that name none", NULL},
	{"output", 'o', "FORMAT", "print text or json (default text)", "text json"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_simulate_row = {
	.name = "simulate",
	.synopsis = "-f JOB DUMP... [options]",
	.summary = "what if this job were submitted to that cluster now",
	.help = "Takes up a cluster where its dump leaves it: workloads that run go on with what\n"
		"is left of them, those that wait are queued again in their order, and then the\n"
		"jobs of -f come. Says for each whether Kueue admits it at once, or where in its\n"
		"queue it waits, why, and how long to expect. Work whose end is not known takes\n"
		"the median of what its queue recorded; the range is for its 10th and 90th per\n"
		"cent.\n"
		"\n"
		"Examples:\n"
		"    kubectl get nodes,resourceflavors,clusterqueues,cohorts,localqueues,\\\n"
		"        workloadpriorityclasses,topologies,workloads -A -o yaml > cluster.yaml\n"
		"    gqsim simulate -f job.yaml cluster.yaml\n"
		"    gqsim simulate -f job.yaml cluster.yaml -o json\n"
		"    gqsim simulate -f job.yaml cluster.yaml \\\n"
		"        --set clusterqueue/team-a:nvidia.com/gpu.nominalQuota=16\n"
		"    kubectl get workloads -A -o json |\\\n"
		"        gqsim simulate -f job.yaml -n team-a cluster.yaml -\n"
		"\n"
		"Exits with 1 if a job is never admitted, whatever ends when.\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_simulate,
};
