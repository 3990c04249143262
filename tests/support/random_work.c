#include "tests/support/random_maker.h"

/* ---- the list of jobs ---- */

/* "3;1" and so on, one value an attempt; none: it may be empty, no such time. */
static void write_attempts(struct maker *k, uint32_t rarity, uint32_t bound, bool none)
{
	manifest_text(k->m, ",");
	if (!k->lifecycles || !rarely(k, rarity))
		return;
	manifest_part(k->m);
	manifest_number(k->m, below(k, bound), 0);
	if (rarely(k, 2)) {
		manifest_part(k->m);
		manifest_text(k->m, ";");
		if (!none || !rarely(k, 2))
			manifest_number(k->m, below(k, bound), 0);
		manifest_end(k->m);
	}
	manifest_end(k->m);
}

static void write_checks(struct maker *k)
{
	static const char *const results[] = {"Ready", "Retry;Ready", "Rejected",
					      "Retry;Retry;Ready"};

	manifest_text(k->m, ",");
	if (k->checks)
		manifest_number(k->m, below(k, 10), 0);
	manifest_text(k->m, ",");
	if (k->checks && rarely(k, 2))
		manifest_option(k->m, "%s", pick(k, results, 4));
	manifest_text(k->m, ",");
	if (k->checks && rarely(k, 3))
		manifest_number(k->m, below(k, 10), 0);
}

static void write_topology(struct maker *k)
{
	static const char *const levels[] = {"required,block", "required,rack", "preferred,rack",
					     "preferred,block", "unconstrained,"};

	if (k->topology && !rarely(k, 4))
		manifest_text(k->m, ",%s", pick(k, levels, 5));
	else
		manifest_text(k->m, ",,");
}

/* Its spec.active becomes false, and true again. */
static void write_activity(struct maker *k, uint32_t at)
{
	bool stops = rarely(k, 20);
	uint32_t when = at + 1 + below(k, 30);

	if (stops)
		manifest_number(k->m, when, 1);
	manifest_text(k->m, ",");
	if (stops && rarely(k, 2))
		manifest_number(k->m, when + 1 + below(k, 30), when + 1);
	manifest_text(k->m, "\n");
}

static void write_job(struct maker *k, uint32_t job, uint32_t at)
{
	static const char *const classes[] = {"", "", "low", "mid", "high"};
	uint32_t queue = below(k, k->queues), pods = 1 + below(k, 4);
	bool partial = pods > 1 && rarely(k, 3);

	manifest_document(k->m, MANIFEST_JOBS);
	manifest_text(k->m, "j%" PRIu32 ",%s,l%" PRIu32 "-%" PRIu32 ",", job,
		      rarely(k, 4) ? "ml" : "default", queue, below(k, k->local_queues[queue]));
	manifest_number(k->m, at, 0);
	manifest_text(k->m, ",");
	if (rarely(k, 15))
		manifest_text(k->m, "endless");
	else
		manifest_number(k->m, 1 + below(k, 60), 1);
	manifest_text(k->m, ",%s,", pick(k, classes, 5));
	manifest_number(k->m, pods, 1);
	manifest_text(k->m, ",");
	if (partial)
		manifest_option(k->m, "1");
	manifest_text(k->m, ",cpu=");
	manifest_number(k->m, 1 + below(k, 4), 1);
	if (!rarely(k, 6)) {
		manifest_part(k->m);
		manifest_text(k->m, ";nvidia.com/gpu=");
		manifest_number(k->m, 1 + below(k, 3), 1);
		manifest_end(k->m);
	}
	if (k->memory)
		option_number(k, ";memory=", 1 + below(k, 10), 1, "");
	write_attempts(k, 3, 30, false); /* ready_s */
	write_attempts(k, 5, 20, true);	 /* fail_s */
	write_attempts(k, 5, 15, true);	 /* recover_s */
	manifest_text(k->m, ",");
	if (rarely(k, 8))
		manifest_number(k->m, 1 + below(k, 40), 1); /* max_exec_s */
	write_checks(k);
	manifest_text(k->m, ",");
	if (rarely(k, 12))
		manifest_number(k->m, at + below(k, 50), 0); /* cancel_s */
	write_topology(k);
	manifest_text(k->m, ",%s,", rarely(k, 4) ? "spot=x:NoSchedule" : "");
	write_activity(k, at);
}

static void write_list(struct maker *k)
{
	uint32_t jobs = 3 + below(k, k->controllers ? 8 : 18), at = 0;

	manifest_document(k->m, MANIFEST_JOBS);
	manifest_text(k->m, "name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,"
			    "requests,ready_s,fail_s,recover_s,max_exec_s,check_s,check_result,"
			    "check_retry_s,cancel_s,topology_mode,topology_level,tolerations,"
			    "deactivate_s,reactivate_s\n");
	for (uint32_t i = 0; i < jobs; i++) {
		at += below(k, 3) * below(k, 8);
		write_job(k, i, at);
	}
}

/* ---- Jobs and CronJobs ---- */

static void write_queue_name(struct maker *k, const char *blanks)
{
	static const char *const classes[] = {"low", "mid", "high"};
	uint32_t queue = below(k, k->queues);

	manifest_text(k->m, "%slabels:\n%s  kueue.x-k8s.io/queue-name: l%" PRIu32 "-%" PRIu32 "\n",
		      blanks, blanks, queue, below(k, k->local_queues[queue]));
	if (rarely(k, 2))
		manifest_option(k->m, "%s  kueue.x-k8s.io/priority-class: %s\n", blanks,
				pick(k, classes, 3));
}

/* The rest of a Job's spec, at so many blanks. */
static void write_template(struct maker *k, int blanks)
{
	if (rarely(k, 5))
		manifest_option(k->m, "%*sbackoffLimit: 1\n", blanks, "");
	manifest_text(k->m,
		      "%*stemplate:\n%*s  spec:\n%*s    restartPolicy: Never\n%*s    "
		      "containers:\n%*s    - name: c\n%*s      resources: {requests: {cpu: ",
		      blanks, "", blanks, "", blanks, "", blanks, "", blanks, "", blanks, "");
	manifest_number(k->m, 1 + below(k, 4), 1);
	if (!rarely(k, 4))
		option_number(k, ", nvidia.com/gpu: ", 1 + below(k, 2), 1, "");
	manifest_text(k->m, "}}\n");
}

/* Completions beyond parallelism: those that are done need their pods no more. */
static void write_parallel(struct maker *k, uint32_t parallelism, int blanks)
{
	uint32_t completions = parallelism + below(k, 5);

	manifest_text(k->m, "%*sparallelism: ", blanks, "");
	manifest_number(k->m, parallelism, parallelism > 1 ? 2 : 1);
	manifest_text(k->m, "\n%*scompletions: ", blanks, "");
	manifest_number(k->m, completions, parallelism);
	manifest_text(k->m, "\n");
}

/* Up and down, up to three times. */
static void write_elastic(struct maker *k)
{
	uint32_t at = 0, changes = 1 + below(k, 3);

	manifest_part(k->m);
	manifest_text(k->m, "    kueue.x-k8s.io/elastic-job: 'true'\n"
			    "    gqsim/parallelism-at: '");
	for (uint32_t i = 0; i < changes; i++) {
		at += 1 + below(k, 40);
		manifest_text(k->m, "%s%" PRIu32 "=", i > 0 ? ", " : "", at);
		manifest_number(k->m, below(k, 8), 0);
	}
	manifest_text(k->m, "'\n");
	manifest_end(k->m);
}

/* Where it is queued, when it comes and how long it works; more annotations may follow. */
static void write_metadata(struct maker *k, char kind, uint32_t job)
{
	manifest_text(k->m, "metadata:\n  name: %c%" PRIu32 "\n  namespace: %s\n", kind, job,
		      rarely(k, 4) ? "ml" : "default");
	write_queue_name(k, "  ");
	manifest_text(k->m, "  annotations:\n    gqsim/submit-at: '");
	manifest_number(k->m, below(k, 80), 0);
	manifest_text(k->m, "'\n    gqsim/duration: '");
	manifest_number(k->m, 1 + below(k, 40), 1);
	manifest_text(k->m, "'\n");
}

static void write_batch_job(struct maker *k, uint32_t job)
{
	uint32_t parallelism = 1 + below(k, 4);
	bool partial = parallelism > 1 && rarely(k, 3);

	object(k, "batch/v1", "Job");
	write_metadata(k, 'b', job);
	if (rarely(k, 4))
		manifest_option(k->m, "    gqsim/pod-durations: '5, 20, 1'\n");
	if (rarely(k, 4))
		manifest_option(k->m, "    gqsim/pod-failures: '3, -, 2/137'\n");
	if (!partial && rarely(k, 2))
		write_elastic(k);
	if (partial)
		manifest_option(k->m, "    kueue.x-k8s.io/job-min-parallelism: '1'\n");
	manifest_text(k->m, "spec:\n");
	write_parallel(k, parallelism, 2);
	write_template(k, 2);
}

static void write_cron_job(struct maker *k, uint32_t job)
{
	static const char *const policies[] = {"Allow", "Forbid", "Replace"};

	object(k, "batch/v1", "CronJob");
	manifest_text(k->m,
		      "metadata:\n  name: cron%" PRIu32
		      "\n  annotations: {gqsim/until: '300', gqsim/duration: '",
		      job);
	manifest_number(k->m, 5 + below(k, 100), 1);
	manifest_text(k->m, "'}\n%s", "spec:\n  schedule: '* * * * *'\n");
	manifest_option(k->m, "  concurrencyPolicy: %s\n", pick(k, policies, 3));
	if (rarely(k, 3))
		option_number(k, "  startingDeadlineSeconds: ", below(k, 70), 0, "\n");
	manifest_text(k->m, "  jobTemplate:\n   metadata:\n");
	write_queue_name(k, "    ");
	manifest_text(k->m, "   spec:\n");
	write_parallel(k, 1 + below(k, 4), 4);
	write_template(k, 4);
}

/* One of its replicated jobs; those before it may have to be ready, or done. */
static void write_replicated(struct maker *k, uint32_t index, bool ordered)
{
	manifest_text(k->m, "  - name: r%" PRIu32 "\n    replicas: ", index);
	manifest_number(k->m, below(k, 3), 0);
	manifest_text(k->m, "\n");
	if (!ordered && index > 0 && !rarely(k, 3))
		manifest_option(k->m, "    dependsOn: [{name: r%" PRIu32 ", status: %s}]\n",
				below(k, index), rarely(k, 2) ? "Ready" : "Complete");
	manifest_text(k->m, "    template:\n     metadata: {annotations: {gqsim/duration: '");
	manifest_number(k->m, below(k, 20), 0);
	manifest_text(k->m, "'}}\n     spec:\n");
	manifest_text(k->m, "      parallelism: 1\n      completions: 1\n");
	write_template(k, 6);
}

/* Gangs of several pod sets, with a start-up order. */
static void write_job_set(struct maker *k, uint32_t job)
{
	bool ordered = rarely(k, 3);
	uint32_t count = 2 + below(k, 3);

	object(k, "jobset.x-k8s.io/v1alpha2", "JobSet");
	write_metadata(k, 's', job);
	manifest_text(k->m, "spec:\n");
	if (ordered)
		manifest_text(k->m, "  startupPolicy: {startupPolicyOrder: InOrder}\n");
	manifest_text(k->m, "  replicatedJobs:\n");
	for (uint32_t i = 0; i < count; i++)
		write_replicated(k, i, ordered);
}

void random_work(struct maker *k)
{
	write_list(k);
	for (uint32_t i = k->controllers ? below(k, 6) : 0; i > 0; i--)
		write_batch_job(k, i);
	for (uint32_t i = k->controllers ? below(k, 3) : 0; i > 0; i--)
		write_cron_job(k, i);
	for (uint32_t i = k->controllers ? below(k, 4) : 0; i > 0; i--)
		write_job_set(k, i);
}
