/* dump.c - what a cluster would print of a run, read back.
 *
 * Seed -> queues, and jobs that contend for them -> a run under Kueue -> the Workloads as
 * kubectl would list them then (shuffled) -> their replay decides the same, job by job, and
 * so calibrates perfectly. Dumped in the middle of the run, the cluster is taken up with all
 * that ran. And Workloads of any kind -> import, as rows or as objects -> decides as they do.
 * A failure prints the seed.
 *     build/debug/tests/prop/dump [first seed [count]]
 */
#include <stdio.h>

#include "core/rng.h"
#include "sim/dump/calibration.h"
#include "sim/dump/whatif.h"
#include "sim/engine/engine.h"
#include "tests/sim/dump_case.h"
#include "tests/support/command.h"

#define SEEDS	     200
#define JOBS	     40
#define OTHER_QUOTAS 20

static uint64_t first_seed = 1;

/* ---- a random cluster ---- */

static void write_queue(FILE *out, const char *name, unsigned quota)
{
	fprintf(out,
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: %s}\n"
		"spec:\n  cohortName: all\n  namespaceSelector: {}\n"
		"  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}\n"
		"  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: f, "
		"resources: [{name: nvidia.com/gpu, nominalQuota: %u}]}]}]\n---\n"
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, "
		"namespace: %s}, spec: {clusterQueue: %s}}\n---\n",
		name, quota, name, name);
}

/* more: GPUs of each queue beyond what is drawn. */
static void write_cluster(FILE *out, struct rng *rng, unsigned more)
{
	fputs("{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}\n"
	      "---\n",
	      out);
	write_queue(out, "a", 2 + more + (unsigned)rng_below(rng, 6));
	write_queue(out, "b", 2 + more + (unsigned)rng_below(rng, 6));
}

/* Some come at once: Kueue then takes them by their uid. */
static void write_jobs(FILE *out, struct rng *rng)
{
	unsigned submit = 0;

	fputs("apiVersion: gqsim/v1\nkind: Simulation\njobs:\n", out);
	for (int i = 0; i < JOBS; i++) {
		submit += (unsigned)(rng_below(rng, 3) * rng_below(rng, 60));
		fprintf(out,
			"- {name: j%d, namespace: %s, queue: q, submitAt: %u, duration: %u, pods: "
			"%u, gpus: %u}\n",
			i, rng_below(rng, 2) == 0 ? "a" : "b", submit,
			1 + (unsigned)rng_below(rng, 600), 1 + (unsigned)rng_below(rng, 3),
			1 + (unsigned)rng_below(rng, 2));
	}
}

/* ---- what kubectl would print ---- */

static simtime last_of(const struct journal *j, uint32_t job, simtime until, enum journal_kind kind,
		       uint32_t *count)
{
	struct journal_reader in;
	const struct journal_record *r;
	simtime at = -1;

	*count = 0;
	journal_open(&in, j);
	while ((r = journal_until(&in, until)) != NULL) {
		if (r->job != job || r->kind != kind)
			continue;
		at = r->time;
		++*count;
	}
	return at;
}

static void write_condition(FILE *out, const char *type, simtime at)
{
	unsigned seconds = (unsigned)(at / CLOCK_SECOND);

	ck_assert_int_eq(at % CLOCK_SECOND, 0);
	fprintf(out,
		"    - {type: %s, status: \"True\", reason: R, message: m, lastTransitionTime: "
		"\"2026-03-%02uT%02u:%02u:%02uZ\"}\n",
		type, 1 + seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

static void write_status(FILE *out, const struct journal *j, uint32_t job, simtime until)
{
	uint32_t count, preempted, evicted;
	simtime reserved = last_of(j, job, until, J_QUOTA_RESERVED, &count);
	simtime finished = last_of(j, job, until, J_FINISHED, &count);
	simtime out_at = last_of(j, job, until, J_PREEMPTED, &preempted);
	simtime other = last_of(j, job, until, J_EVICTED, &evicted);

	out_at = out_at > other ? out_at : other;
	fputs("  status:\n    conditions:\n", out);
	write_condition(out, "Seen", j->scenario->jobs[job].submit);
	if (reserved > out_at) {
		write_condition(out, "QuotaReserved", reserved);
		write_condition(out, "Admitted", reserved);
	}
	if (finished >= 0)
		write_condition(out, "Finished", finished);
	if (preempted + evicted != 0)
		fprintf(out,
			"    schedulingStats: {evictions: [{reason: Preempted, underlyingCause: "
			"\"\", count: %u}]}\n",
			preempted + evicted);
}

static void write_workload(FILE *out, const struct journal *j, uint32_t job, simtime until)
{
	const struct scenario *s = j->scenario;
	const struct job *from = &s->jobs[job];
	const struct pod_set *set = &s->pod_sets[from->common->first_pod_set];
	unsigned submit = (unsigned)(from->submit / CLOCK_SECOND);
	const char *name = scenario_string(s, from->name);

	fprintf(out,
		"- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: Workload\n  metadata:\n"
		"    name: job-%s-1a2b3\n    namespace: %s\n"
		"    uid: %06u\n    creationTimestamp: \"2026-03-01T%02u:%02u:%02uZ\"\n"
		"    ownerReferences: [{apiVersion: batch/v1, kind: Job, name: %s, uid: x, "
		"controller: true}]\n"
		"  spec:\n    active: true\n    priority: 0\n    queueName: q\n    podSets:\n"
		"    - {name: main, count: %u, template: {spec: {containers: [{name: c, resources: "
		"{requests: {nvidia.com/gpu: \"%lld\"}}}]}}}\n",
		name, scenario_string(s, from->common->ns), from->row, submit / 3600,
		submit / 60 % 60, submit % 60, name, set->count,
		(long long)s->shapes[set->shape].request[RES_GPU]);
	write_status(out, j, job, until);
}

static void write_dump(FILE *out, const struct journal *j, struct rng *rng, simtime until)
{
	uint32_t order[JOBS];

	for (uint32_t i = 0; i < JOBS; i++) {
		uint32_t k = (uint32_t)rng_below(rng, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	fputs("apiVersion: v1\nkind: List\nitems:\n", out);
	for (uint32_t i = 0; i < JOBS; i++) {
		if (j->scenario->jobs[order[i]].submit <= until)
			write_workload(out, j, order[i], until);
	}
}

/* ---- and back ---- */

static struct journal *run(const struct scenario *s, uint64_t seed)
{
	struct run_options options;
	struct journal *j = NULL;
	struct err err;

	options_default(&options);
	if (engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err) != ERR_OK)
		ck_abort_msg("seed %llu: %s", (unsigned long long)seed, err.msg);
	return j;
}

static void same_decisions(const struct journal *a, const struct journal *b, uint64_t seed)
{
	static const enum journal_kind kinds[] = {J_QUOTA_RESERVED, J_PREEMPTED, J_FINISHED};
	simtime zero = a->scenario->jobs[scenario_by_submit(a->scenario, 0)].submit;
	uint32_t n, m;

	for (uint32_t job = 0; job < JOBS; job++) {
		uint32_t other = dump_case_job(
			b->scenario, scenario_string(a->scenario, a->scenario->jobs[job].name));

		for (int k = 0; k < ROWS(kinds); k++) {
			simtime x = last_of(a, job, CLOCK_NEVER, kinds[k], &n);
			simtime y = last_of(b, other, CLOCK_NEVER, kinds[k], &m);

			ck_assert_msg((x < 0 ? x : x - zero) == y && n == m,
				      "seed %llu: j%u differs, %lld and %lld",
				      (unsigned long long)seed, job, (long long)(x - zero),
				      (long long)y);
		}
	}
}

static void is_perfect(const struct calibration *c, uint64_t seed)
{
	ck_assert_msg(c != NULL && c->pairs == c->agreeing && c->close == c->queue_count - 1,
		      "seed %llu: not calibrated", (unsigned long long)seed);
	for (uint32_t i = 0; i < c->queue_count; i++) {
		ck_assert_double_eq(c->queues[i].recorded.p50, c->queues[i].simulated.p50);
		ck_assert_double_eq(c->queues[i].recorded.p95, c->queues[i].simulated.p95);
	}
}

struct texts {
	char *cluster, *jobs, *dump;
	size_t size;
};

static void random_texts(struct texts *t, struct rng *rng)
{
	FILE *out = open_memstream(&t->cluster, &t->size);

	write_cluster(out, rng, 0);
	fclose(out);
	out = open_memstream(&t->jobs, &t->size);
	fputs(t->cluster, out);
	write_jobs(out, rng);
	fclose(out);
}

static void dump_text(struct texts *t, const struct journal *j, struct rng *rng, simtime until)
{
	FILE *out = open_memstream(&t->dump, &t->size);

	fputs(t->cluster, out);
	write_dump(out, j, rng, until);
	fclose(out);
}

START_TEST(a_dump_replays_the_run)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct rng *rng = rng_new(seed, "dump");
	struct texts t;
	struct scenario *s, *back;
	struct journal *j, *again;
	struct calibration *c;

	random_texts(&t, rng);
	s = objects_case_load(t.jobs);
	j = run(s, seed);
	dump_text(&t, j, rng, CLOCK_NEVER);
	back = dump_case_load(t.dump, NULL);
	again = run(back, seed);
	same_decisions(j, again, seed);
	c = calibration_new(again);
	is_perfect(c, seed);
	calibration_free(c);
	journal_free(j);
	journal_free(again);
	scenario_free(s);
	scenario_free(back);
	free(t.cluster);
	free(t.jobs);
	free(t.dump);
	rng_free(rng);
}
END_TEST

/* The same dump, replayed with quotas that the cluster did not have. */
static struct calibration *of_other_quotas(uint64_t seed)
{
	struct rng *rng = rng_new(seed, "dump"), *again = rng_new(seed, "dump");
	struct texts t;
	struct scenario *s, *back;
	struct journal *j, *replay;
	struct calibration *c;
	FILE *out;

	random_texts(&t, rng);
	s = objects_case_load(t.jobs);
	j = run(s, seed);
	free(t.cluster);
	out = open_memstream(&t.cluster, &t.size);
	write_cluster(out, again, 4);
	fclose(out);
	dump_text(&t, j, rng, CLOCK_NEVER);
	back = dump_case_load(t.dump, NULL);
	replay = run(back, seed);
	c = calibration_new(replay);
	journal_free(j);
	journal_free(replay);
	scenario_free(s);
	scenario_free(back);
	free(t.cluster);
	free(t.jobs);
	free(t.dump);
	rng_free(rng);
	rng_free(again);
	return c;
}

/* Calibration shows that: nearly always in the waits, which get shorter. */
START_TEST(other_quotas_do_not_calibrate)
{
	int apart = 0, longer = 0;

	for (uint64_t i = 0; i < OTHER_QUOTAS; i++) {
		struct calibration *c = of_other_quotas(first_seed + i);

		ck_assert_ptr_nonnull(c);
		apart += c->close < c->queue_count - 1;
		longer += c->queues[0].simulated.p95 > c->queues[0].recorded.p95;
		calibration_free(c);
	}
	ck_assert_msg(apart >= OTHER_QUOTAS * 8 / 10 && longer == 0,
		      "from seed %llu: %d of %d apart, %d longer", (unsigned long long)first_seed,
		      apart, OTHER_QUOTAS, longer);
}
END_TEST

static const char asked[] =
	"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: mine\n  namespace: a\n"
	"  labels: {kueue.x-k8s.io/queue-name: q}\nspec:\n  template: {spec: {containers: [{name: "
	"c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n";

START_TEST(what_ran_is_taken_up)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct rng *rng = rng_new(seed, "dump");
	struct texts t;
	struct scenario *s, *now;
	struct journal *j, *taken;
	uint32_t running, not_admitted;

	random_texts(&t, rng);
	s = objects_case_load(t.jobs);
	j = run(s, seed);
	dump_text(&t, j, rng,
		  s->jobs[scenario_by_submit(s, JOBS / 2)].submit +
			  (simtime)rng_below(rng, 600) * CLOCK_SECOND);
	now = dump_case_load(t.dump, asked);
	taken = run(now, seed);
	whatif_running(taken, &running, &not_admitted);
	ck_assert_msg(not_admitted == 0, "seed %llu: %u of %u", (unsigned long long)seed,
		      not_admitted, running);
	journal_free(j);
	journal_free(taken);
	scenario_free(s);
	scenario_free(now);
	free(t.cluster);
	free(t.jobs);
	free(t.dump);
	rng_free(rng);
}
END_TEST

/* ---- imports ---- */

static void write_pod_set(FILE *out, struct rng *rng, unsigned number)
{
	unsigned pods = 1 + (unsigned)rng_below(rng, 4);

	fprintf(out, "    - {name: set-%u, count: %u, ", number, pods);
	if (pods > 1 && number == 0 && rng_below(rng, 4) == 0)
		fprintf(out, "minCount: %u, ", 1 + (unsigned)rng_below(rng, pods));
	fprintf(out,
		"template: {spec: {containers: [{name: c, resources: {%s: {nvidia.com/gpu: %u}}}]",
		rng_below(rng, 2) == 0 ? "requests" : "limits", (unsigned)rng_below(rng, 3));
	if (rng_below(rng, 6) == 0)
		fputs(", initContainers: [{name: i, resources: {requests: {nvidia.com/gpu: 3}}}]",
		      out);
	if (rng_below(rng, 4) == 0)
		fputs(", nodeSelector: {kubernetes.io/arch: amd64}", out);
	fputs("}}}\n", out);
}

/* fancy: some have what no row can say. */
static void write_any_workload(FILE *out, struct rng *rng, unsigned number, bool fancy)
{
	unsigned submit = (unsigned)rng_below(rng, 1200);
	unsigned sets = 1 + (unsigned)rng_below(rng, 3);

	fprintf(out,
		"- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: Workload\n  metadata:\n"
		"    name: w%u\n    namespace: %s\n    uid: %06u\n"
		"    creationTimestamp: \"2026-03-01T00:%02u:%02uZ\"\n"
		"    annotations: {gqsim/duration: %us",
		number, rng_below(rng, 2) == 0 ? "a" : "b", (unsigned)rng_below(rng, 1000000),
		submit / 60, submit % 60, 1 + (unsigned)rng_below(rng, 900));
	if (fancy && rng_below(rng, 3) == 0)
		fputs(", gqsim/checkpoint-interval: 1m, gqsim/restart-cost: 10s", out);
	if (rng_below(rng, 10) == 0)
		fprintf(out, ", gqsim/cancel-at: %us", 1200 + (unsigned)rng_below(rng, 900));
	fputs("}\n  spec:\n    queueName: q\n", out);
	if (rng_below(rng, 2) == 0)
		fprintf(out, "    priority: %u\n", (unsigned)rng_below(rng, 3));
	if (rng_below(rng, 5) == 0)
		fprintf(out, "    maximumExecutionTimeSeconds: %u\n",
			60 + (unsigned)rng_below(rng, 600));
	fputs("    podSets:\n", out);
	for (unsigned i = 0; i < sets; i++)
		write_pod_set(out, rng, i);
}

static char *decisions(const char *files, const char *name, uint64_t seed)
{
	char line[200];
	struct command c;

	snprintf(line, sizeof(line),
		 "run -p kueue %s --placement none --max-time 2h --events %%/%s -o csv --quiet",
		 files, name);
	c = command_run(line);
	ck_assert_msg(c.code == 0, "seed %llu: %s", (unsigned long long)seed, c.err);
	command_free(&c);
	return command_read(name);
}

START_TEST(an_import_decides_as_the_dump)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct rng *rng = rng_new(seed, "import");
	bool fancy = rng_below(rng, 2) == 0;
	char *text, *dump, *imported;
	struct command c;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write_cluster(out, rng, 0);
	fputs("apiVersion: v1\nkind: List\nitems:\n", out);
	for (unsigned i = 0; i < JOBS; i++)
		write_any_workload(out, rng, i, fancy);
	fclose(out);
	command_file("dump.yaml", text);
	c = command_run("import %/dump.yaml -o %/imported");
	ck_assert_msg(c.code == 0 && c.err[0] == '\0', "seed %llu: %s", (unsigned long long)seed,
		      c.err);
	dump = decisions("%/dump.yaml", "dump.csv", seed);
	imported = decisions("%/imported", "imported.csv", seed);
	ck_assert_msg(strcmp(dump, imported) == 0, "seed %llu: the import decides otherwise",
		      (unsigned long long)seed);
	command_free(&c);
	free(text);
	free(dump);
	free(imported);
	rng_free(rng);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *t = tcase_create("all");
	int count = SEEDS;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_dump_replays_the_run, 0, count);
	tcase_add_test(t, other_quotas_do_not_calibrate);
	tcase_add_loop_test(t, what_ran_is_taken_up, 0, count);
	tcase_add_loop_test(t, an_import_decides_as_the_dump, 0, count);
	return objects_case_run("prop/dump", t);
}
