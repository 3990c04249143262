#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gen/generator_spec.h"
#include "sim/study/study.h"
#include "sim/study/sweep.h"
#include "sim/study/sweep_spec.h"
#ifdef GQSIM_MPI
#include "sim/study/sweep_mpi.h"
#endif

#define HEAD	       65536 /* bytes in which a Generator shows itself */
#define DEFAULT_POLICY "kueue"
#define FAILURES_SHOWN 12

struct sweeping {
	const struct cmd_context *context;
	const struct cmd_args *args;
	struct sweep_plan *plan;
	struct sweep_store *store;
	struct sweep_team *team; /* of mpirun; NULL: alone */
	const char *database;	 /* NULL: in memory */
	/* of -o; NULL: not asked for */
	enum err_code (*write)(struct sweep_store *store, FILE *out, struct err *err);
	struct source spec; /* errors name it */
	struct sweep_result result;
	struct sweep_counts counts;
};

/* ---- where results go ---- */

static enum err_code read_outputs(struct sweeping *s, struct err *err)
{
	for (size_t i = 0; i < s->args->setting_count; i++) {
		const struct cmd_setting *o = &s->args->settings[i];

		if (strcmp(o->name, "output") != 0)
			continue;
		if (strcmp(o->value, "csv") == 0)
			s->write = sweep_store_csv;
		else if (strcmp(o->value, "json") == 0)
			s->write = sweep_store_json;
		else if (s->database == NULL)
			s->database = o->value;
		else
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "-o %.100s and -o %.100s: one database, and csv or json",
				       s->database, o->value);
	}
	if (s->database != NULL && strcmp(s->database, "-") == 0)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-o -: a database needs a file; -o csv prints the results");
	if (s->database != NULL && s->database[0] == '\0')
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-o '': a database needs a name, such as sweep.db");
	if (s->database == NULL && s->write == NULL)
		s->write = sweep_store_csv;
	return ERR_OK;
}

/* ---- what the command line adds to the document ---- */

/* Gives what is set these values, whether the document has a dimension for it or not. */
static enum err_code give(struct sweeping *s, const char *set, const char *values, struct err *err)
{
	const char *name = set;
	struct sweep_dimension *d;
	enum err_code code;

	for (uint32_t i = 0; i < s->plan->dimension_count; i++) {
		if (strcmp(s->plan->dimensions[i].set, set) == 0)
			name = s->plan->dimensions[i].name;
	}
	code = sweep_plan_dimension(s->plan, name, set, &d, err);
	return code == ERR_OK ? sweep_spec_values(s->plan, values, &d->values, err) : code;
}

static bool has_dimension(const struct sweep_plan *plan, const char *set)
{
	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		if (strcmp(plan->dimensions[i].set, set) == 0)
			return true;
	}
	return false;
}

/* "PATH=VALUES": one value of the input for all points, or a dimension. */
static enum err_code give_set(struct sweeping *s, const char *text, struct err *err)
{
	size_t len = strcspn(text, "=");
	const char *path = mem_arena_strndup(s->plan->arena, text, len);
	bool several = strpbrk(text + len, ",") != NULL || strstr(text + len, "..") != NULL;

	if (text[len] == '\0')
		return err_set(err, ERR_USAGE, NULL, 0, 0, "--set %.200s: write PATH=VALUE,...",
			       text);
	if (strchr(path, '/') != NULL && !several && !has_dimension(s->plan, path)) {
		sweep_texts_add(&s->plan->sets, text);
		return ERR_OK;
	}
	return give(s, path, text + len + 1, err);
}

static enum err_code give_option(struct sweeping *s, const struct cmd_setting *option,
				 struct err *err)
{
	size_t size = strlen(option->name) + strlen(option->value) + 2;
	char *text;

	if (has_dimension(s->plan, option->name))
		return give(s, option->name, option->value, err);
	text = mem_arena_alloc(s->plan->arena, size);
	snprintf(text, size, "%s=%s", option->name, option->value);
	sweep_texts_add(&s->plan->options, text);
	return ERR_OK;
}

/* "grid", "list", "latin:20", "latin:20:7". */
static enum err_code give_sample(struct sweeping *s, const char *text, struct err *err)
{
	char *end = NULL;

	s->plan->samples = 0;
	s->plan->method = strcmp(text, "list") == 0 ? SWEEP_LIST : SWEEP_GRID;
	if (s->plan->method == SWEEP_LIST || strcmp(text, "grid") == 0)
		return ERR_OK;
	s->plan->method = SWEEP_LATIN;
	if (strncmp(text, "latin:", 6) == 0 && strchr("123456789", text[6]) != NULL)
		s->plan->samples = strtoull(text + 6, &end, 10);
	if (end != NULL && *end == ':' && end[1] >= '0' && end[1] <= '9')
		s->plan->seed = strtoull(end + 1, &end, 10);
	if (end == NULL || *end != '\0')
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--sample %.60s: write grid, list or latin:COUNT[:SEED]", text);
	return ERR_OK;
}

static enum err_code give_settings(struct sweeping *s, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < s->args->setting_count && code == ERR_OK; i++) {
		const struct cmd_setting *o = &s->args->settings[i];

		if (strcmp(o->name, "set") == 0)
			code = give_set(s, o->value, err);
		else if (strcmp(o->name, "policies") == 0)
			code = give(s, "policy", o->value, err);
		else if (strcmp(o->name, "seeds") == 0)
			code = give(s, "seed", o->value, err);
		else if (strcmp(o->name, "sample") == 0)
			code = give_sample(s, o->value, err);
		else if (o->of_run)
			code = give_option(s, o, err);
	}
	if (code == ERR_OK && !has_dimension(s->plan, "policy"))
		code = give(s, "policy", DEFAULT_POLICY, err);
	sweep_spec_ties(s->plan);
	return code;
}

static void give_input(struct sweeping *s, size_t first_file)
{
	struct cmd_input input;
	const struct input_request *r = &input.request;

	cmd_input(s->args, s->args->operand_count, &input);
	for (uint32_t i = (uint32_t)first_file; i < r->file_count; i++)
		sweep_texts_add(&s->plan->files, r->files[i]);
	if (r->prices != NULL)
		sweep_texts_add(&s->plan->files, r->prices);
	s->plan->trace = r->trace != NULL ? r->trace : s->plan->trace;
	s->plan->format = r->format != NULL ? r->format : s->plan->format;
	s->plan->nodes = r->nodes != NULL ? r->nodes : s->plan->nodes;
	s->plan->vc_nodes = r->vc_nodes != NULL ? r->vc_nodes : s->plan->vc_nodes;
	s->plan->strict = r->strict;
	cmd_input_free(&input);
}

/* Files are read again for each input of the sweep. */
static enum err_code check_files(const struct sweep_plan *plan, struct err *err)
{
	if (plan->files.count == 0 && plan->trace == NULL && !has_dimension(plan, "trace"))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what is to be swept? Give a Sweep document or files with objects "
			       "and jobs");
	for (size_t i = 0; i < plan->files.count; i++) {
		if (strcmp(plan->files.items[i], "-") == 0)
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "standard input can be read once only: a sweep takes its "
				       "document from it, not its input");
	}
	return ERR_OK;
}

static bool is_generator(const char *path)
{
	struct source source;
	struct err ignored;
	bool found;

	if (source_read(path, &source, &ignored) != ERR_OK)
		return false; /* whoever loads it tells */
	found = generator_spec_probe(source.data, source.size < HEAD ? source.size : HEAD);
	source_close(&source);
	return found;
}

/* Of folders and of what documents name it is not looked for. */
static void find_made_up(struct sweep_plan *plan)
{
	plan->made_up = plan->trace != NULL && is_generator(plan->trace);
	for (size_t i = 0; i < plan->files.count; i++)
		plan->made_up = plan->made_up || is_generator(plan->files.items[i]);
}

/* The first operand may be a Sweep document. */
static enum err_code read_spec(struct sweeping *s, size_t *first_file, struct err *err)
{
	const char *path = s->args->operand_count > 0 ? s->args->operands[0] : NULL;
	struct err ignored;
	bool standard = path != NULL && strcmp(path, "-") == 0;

	*first_file = 0;
	if (path == NULL)
		return ERR_OK;
	if (standard && s->team != NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "standard input is for one process: under mpirun a Sweep document "
			       "comes from a file");
	if (source_read(path, &s->spec, standard ? err : &ignored) != ERR_OK)
		return standard ? err->code
				: ERR_OK; /* a folder, or nothing: told when it is read */
	if (!standard && !sweep_spec_is(&s->spec)) {
		source_close(&s->spec);
		s->spec.name = NULL;
		return ERR_OK;
	}
	*first_file = 1;
	return sweep_spec_read(&s->spec, s->plan, err);
}

static enum err_code read_plan(struct sweeping *s, struct err *err)
{
	size_t first_file;
	enum err_code code = read_spec(s, &first_file, err);

	if (code != ERR_OK)
		return code;
	give_input(s, first_file);
	code = check_files(s->plan, err);
	if (code == ERR_OK)
		code = give_settings(s, err);
	if (code == ERR_OK)
		code = sweep_plan_check(s->plan, err);
	if (code == ERR_OK)
		find_made_up(s->plan);
	if (code != ERR_OK && err->file == NULL && s->spec.name != NULL)
		err->file = s->spec.name;
	return code;
}

/* ---- running ---- */

static enum err_code open_store(struct sweeping *s, struct err *err)
{
	const struct sweep_plan *plan = s->plan;
	const char *names[SWEEP_DIMENSIONS], *sets[SWEEP_DIMENSIONS];
	const struct sweep_header header = {.plan = sweep_plan_fingerprint(plan),
					    .points = plan->points,
					    .names = names,
					    .sets = sets,
					    .dimension_count = plan->dimension_count};

	for (uint32_t i = 0; i < plan->dimension_count; i++) {
		names[i] = plan->dimensions[i].name;
		sets[i] = plan->dimensions[i].set;
	}
	return sweep_store_open(s->database, &header, &s->store, err);
}

static enum err_code read_shard(const struct sweeping *s, struct sweep_shard *shard,
				struct err *err)
{
	const char *text = cmd_value(s->args, "shard");
	enum err_code code;

	if (text != NULL)
		return sweep_shard_read(text, shard, err);
	code = sweep_shard_of(getenv, shard, err);
	if (code == ERR_OK && shard->of > 1 && !cmd_given(s->args, "quiet"))
		fprintf(s->context->err,
			"gqsim: shard %" PRIu32 "/%" PRIu32 ", as the environment says\n",
			shard->number, shard->of);
	else if (code == ERR_OK && getenv("JOB_COMPLETION_INDEX") != NULL &&
		 getenv("JOB_COMPLETIONS") == NULL)
		fputs("gqsim: JOB_COMPLETIONS is not set: all points are run, not the share of "
		      "this index\n",
		      s->context->err);
	return code;
}

/* Only rank 0 of a team keeps results, so only it knows of shards. */
static enum err_code prepare(struct sweeping *s, struct sweep_request *request, struct err *err)
{
	enum err_code code = read_plan(s, err);

	if (code == ERR_OK)
		code = study_threads(s->args, &request->threads, err);
	if (s->team != NULL && cmd_value(s->args, "jobs") == NULL)
		request->threads = 1; /* mpirun has filled the processors */
	if (code == ERR_OK && !sweep_is_helper(s->team))
		code = read_shard(s, &request->shard, err);
	if (code == ERR_OK && !sweep_is_helper(s->team))
		code = open_store(s, err);
	return code;
}

static enum err_code sweep(struct sweeping *s, struct err *err)
{
	struct sweep_request request = {.plan = s->plan,
					.team = s->team,
					.context = s->context,
					.quiet = cmd_given(s->args, "quiet")};
	enum err_code code = prepare(s, &request, err);

	if (s->team != NULL)
		code = s->team->agree(s->team, code, err);
	request.store = s->store;
	if (code == ERR_OK)
		code = sweep_run(&request, &s->result, err);
	return code;
}

/* gqsim sweep RESULTS.db -o csv */
static enum err_code read_results(struct sweeping *s, struct err *err)
{
	if (s->args->operand_count > 1 || s->database != NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "%.200s holds results, which are printed as -o csv or json: no "
			       "other files, no other database",
			       s->args->operands[0]);
	if (s->write == NULL)
		s->write = sweep_store_csv;
	return sweep_store_read(s->args->operands[0], &s->store, err);
}

/* ---- telling ---- */

static void say_summary(const struct sweeping *s)
{
	const struct sweep_result *r = &s->result;

	fprintf(s->context->out, "%s: %" PRIu64 " of %" PRIu64 " points", s->database,
		s->counts.run, s->counts.points);
	if (r->wanted != s->counts.points)
		fprintf(s->context->out, ", %" PRIu64 " of this shard", r->wanted);
	fprintf(s->context->out,
		"; %" PRIu64 " run now, %" PRIu64 " there before, %" PRIu64 " failed\n", r->run,
		r->kept, s->counts.failed);
}

static int say_end(const struct sweeping *s)
{
	struct err ignored;

	if (s->counts.failed > 0) {
		fprintf(s->context->err, "gqsim: %" PRIu64 " of %" PRIu64 " points failed:\n",
			s->counts.failed, s->counts.run);
		sweep_store_failures(s->store, FAILURES_SHOWN, s->context->err, &ignored);
		if (s->counts.failed > FAILURES_SHOWN)
			fprintf(s->context->err, "  ... %" PRIu64 " more\n",
				s->counts.failed - FAILURES_SHOWN);
	}
	if (s->result.interrupted && s->database != NULL)
		fprintf(s->context->err, "gqsim: interrupted; the same command goes on from %s\n",
			s->database);
	if (s->result.interrupted)
		return CMD_INTERRUPTED;
	return s->counts.failed > 0 ? CMD_FINDINGS : CMD_OK;
}

static enum err_code print(struct sweeping *s, struct err *err)
{
	enum err_code code = sweep_store_count(s->store, &s->counts, err);

	if (code != ERR_OK)
		return code;
	if (s->write != NULL)
		return s->write(s->store, s->context->out, err);
	if (!cmd_given(s->args, "quiet"))
		say_summary(s);
	return ERR_OK;
}

/* ---- processes ---- */

/* The team that a launcher such as mpirun started this process in, if any. */
static enum err_code join_team(struct sweeping *s, struct err *err)
{
#ifdef GQSIM_MPI
	return sweep_mpi_launched(getenv) ? sweep_mpi_join(&s->team, err) : ERR_OK;
#else
	const char *size = getenv("OMPI_COMM_WORLD_SIZE");

	(void)s;
	if (size == NULL || strcmp(size, "1") == 0)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "mpirun started %.20s processes, but this gqsim is built without MPI: build "
		       "it with make MPI=1",
		       size);
#endif
}

static void leave_team(struct sweeping *s)
{
#ifdef GQSIM_MPI
	sweep_mpi_leave(s->team);
#endif
	s->team = NULL;
}

/* The same in all of a team, whose files may not be the same. */
static bool reads_results(struct sweeping *s)
{
	bool results = s->args->operand_count > 0 && sweep_store_is(s->args->operands[0]);

	if (s->team != NULL)
		s->team->share(s->team, &results, sizeof(results));
	return results;
}

static enum err_code do_sweep(struct sweeping *s, struct err *err)
{
	enum err_code code = read_outputs(s, err);

	if (code != ERR_OK)
		return code;
	if (!reads_results(s))
		code = sweep(s, err);
	else if (!sweep_is_helper(s->team))
		code = read_results(s, err);
	if (code == ERR_OK && !sweep_is_helper(s->team))
		code = print(s, err);
	return code;
}

static int run_sweep(const struct cmd_context *context, const struct cmd_args *args)
{
	struct sweeping s = {.context = context, .args = args, .plan = sweep_plan_new()};
	struct err err;
	enum err_code code = join_team(&s, &err);
	int result = CMD_OK;

	if (code == ERR_OK)
		code = do_sweep(&s, &err);
	if (!sweep_is_helper(s.team)) /* rank 0 speaks for all */
		result = code == ERR_OK ? say_end(&s) : cmd_fail(context, &err);
	leave_team(&s);
	if (code != ERR_OK)
		sweep_store_forget(s.store);
	sweep_store_close(s.store);
	sweep_plan_free(s.plan);
	source_close(&s.spec);
	return result;
}

static const struct cmd_option options[] = {
	{"policies", 'p', "NAME,...", "policies that every point is run under (default kueue)",
	 "@policies"},
	{"output", 'o', "DB|csv|json",
	 "the database that keeps the results, or a format to print them in; both may be given",
	 "csv json"},
	{"seeds", 0, "LIST", "run each point once a seed, with random ties, as in 1..5", NULL},
	{"sample", 0, "METHOD",
	 "grid: all combinations (default); list: the first values together, the second, ...; "
	 "latin:COUNT[:SEED]: a Latin hypercube of COUNT points",
	 "grid list latin:"},
	{"shard", 0, "I/N", "run only the I-th of N shares of the points", NULL},
	{"jobs", 'j', "N", "runs at once (default: one a processor)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal, no summary", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_sweep_row = {
	.name = "sweep",
	.synopsis = "[SWEEP.yaml] FILE... [options]",
	.summary = "the same jobs over a grid or sample of settings, into a database",
	.help = "Runs one point after another of a grid, a list or a Latin hypercube over values\n"
		"of the input, on all processors, and keeps the figures of each (those of run\n"
		"-o csv) in an SQLite file. What varies is said by --set, whose values may be\n"
		"lists (8,12,16), ranges (4..12, 0..64..8) and geometric ranges (1..64..x2): a\n"
		"path of the input, an option of a run by its name, policy, nodes or trace; or by\n"
		"a document of kind Sweep, whose values the command line overrides.\n"
		"\n"
		"Each point is one transaction. The same command after an interrupt runs what is\n"
		"missing or has failed. Results do not depend on the number of threads, ranks or\n"
		"shards.\n"
		"A point that cannot be run is kept as failed, and the exit code is 1.\n"
		"\n"
		"Shards: --shard, or what the environment of a Kubernetes Indexed Job\n"
		"(JOB_COMPLETION_INDEX with JOB_COMPLETIONS) or of a Slurm array\n"
		"(SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT) says; gqsim merge joins them.\n"
		"\n"
		"MPI: a gqsim built with make MPI=1 shares the points among the processes that\n"
		"mpirun starts, one after the other as they come free; the first of them keeps "
		"the\n"
		"results. -j is then the number of threads of each (default 1).\n"
		"\n"
		"Tables of the database: point(id, status, message), dimension(position, name,\n"
		"sets), setting(point, dimension, value), figure(point, metric, value) where NULL\n"
		"is never, metric(name, unit, rank), input(name, hash), sweep(key, value); the\n"
		"view result(point, status, dimension, setting, metric, value) joins them.\n"
		"\n"
		"Examples:\n"
		"  How much quota, how many nodes?\n"
		"    gqsim sweep -p kueue cluster.yaml jobs.csv \\\n"
		"        --set clusterqueue/a:nvidia.com/gpu.nominalQuota=8,12,16 \\\n"
		"        --set nodepool/h100:.count=4..12 --seeds 1..5 -o sweep.db\n"
		"  As a table, now or later:\n"
		"    gqsim sweep sweep.db -o csv > sweep.csv\n"
		"  Ask the database:\n"
		"    sqlite3 sweep.db \"SELECT setting, avg(value) FROM result\n"
		"        WHERE metric='start_wait_p95' AND dimension LIKE 'nodepool%' GROUP BY "
		"1\"\n"
		"  Twenty points of a Latin hypercube, both policies, half to double load:\n"
		"    gqsim sweep -p kubernetes,kueue cluster.yaml jobs.csv --sample latin:20 \\\n"
		"        --set jobs/all:.load=0.5..2..0.1 --set nodepool/h100:.count=4..12 -o "
		"s.db\n"
		"  A document, in four shares on four machines:\n"
		"    gqsim sweep sweep.yaml --shard 1/4 -o part-1.db\n"
		"    gqsim merge part-1.db part-2.db part-3.db part-4.db -o all.db\n"
		"  On the hosts of a cluster, with MPI:\n"
		"    mpirun -n 64 gqsim sweep sweep.yaml -o sweep.db\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_sweep,
};
