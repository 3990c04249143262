#define _XOPEN_SOURCE 700 /* realpath */
#include "sim/input/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/num.h"
#include "core/sort.h"
#include "sim/load/dump.h"
#include "sim/load/join.h"
#include "sim/load/pool.h"
#include "sim/objects/objects.h"
#include "sim/scenario/setting.h"
#include "sim/tool/pack.h"
#include "sim/trace/trace_queues.h"
#include "sim/trace/trace_set.h"

#define MAX_FOLDER_DEPTH 32

static const char unread_rule[] = "file-not-read";

struct loading {
	const struct input_request *request;
	struct builder *builder;
	struct objects *objects;
	struct trace_set traces; /* they wait until all objects are read: how many pods a job
				    has may depend on the biggest node */
	char **paths;		 /* owned: files found in folders; places point at them */
	size_t path_count, path_capacity;
	const char *unread; /* the first file of a folder that was passed over; NULL: none */
	size_t unread_count;
	struct trace_summary *summary;
	struct err *err;
};

/* ERR_OK to go on after an error that is told: what it kept from being read is unknown. */
static enum err_code settle(struct loading *loading, enum err_code code)
{
	const struct input_request *request = loading->request;

	if (code == ERR_OK || request->report == NULL)
		return code;
	request->report(request->report_context, loading->err);
	builder_left_out(loading->builder, "", "");
	return ERR_OK;
}

/* ---- one file ---- */

static enum err_code not_recognised(struct loading *loading, const char *path)
{
	return err_set(loading->err, ERR_SYNTAX, path, 1, 1,
		       "no list of jobs that is known (gqsim list traces): a header must name at "
		       "least submit_s, duration_s and one of requests, gpus or podsets");
}

/* The ending of a compressed file's name does not count. */
static bool ends_in(const char *path, const char *ending)
{
	size_t len = pack_stem(path), end = strlen(ending);

	return len > end && memcmp(path + len - end, ending, end) == 0;
}

/* What an archive is called, by its first bytes; NULL: it is none. */
static const char *archive_of(const struct source *source)
{
	static const char zip[] = "PK\3\4", tar[] = "ustar";
	const size_t tar_at = 257; /* behind the first file's name, times and owners */

	if (source->size >= sizeof(zip) && memcmp(source->data, zip, sizeof(zip) - 1) == 0)
		return "zip";
	if (source->size >= tar_at + sizeof(tar) &&
	    memcmp(source->data + tar_at, tar, sizeof(tar) - 1) == 0)
		return "tar";
	return NULL;
}

static enum err_code refuse_archive(struct loading *loading, const char *path, const char *kind)
{
	err_set(loading->err, ERR_SYNTAX, path, 0, 0,
		"this is a %s archive: unpack it, and name the folder", kind);
	loading->err->fix = "unpack it, and name the folder";
	return ERR_SYNTAX;
}

/* list: it was named as a list of jobs; format NULL: by its content. */
static enum err_code read_file(struct loading *loading, const char *path, bool list,
			       const struct trace_format *format)
{
	struct source source;
	enum err_code code = source_open(path, &source, loading->err);
	uint32_t input;

	if (code != ERR_OK)
		return code;
	input = builder_input(loading->builder, source.name, 0);
	if (format == NULL)
		format = trace_detect(&source);
	if (format != NULL) {
		trace_set_add(&loading->traces, &source, format)->input = input;
		return ERR_OK;
	}
	list = list || ends_in(path, ".csv");
	if (archive_of(&source) != NULL)
		code = refuse_archive(loading, path, archive_of(&source));
	else if (list)
		code = not_recognised(loading, path);
	else
		code = objects_read(loading->objects, &source, loading->err);
	builder_input_hash(loading->builder, input, source_hash(&source));
	source_close(&source);
	return code;
}

/* ---- folders ---- */

struct names {
	char **items; /* owned */
	size_t count, capacity;
};

static int compare_names(const void *a, const void *b, void *context)
{
	char *x, *y;

	(void)context;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return strcmp(x, y);
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		mem_free(names->items[i]);
	mem_free(names->items);
}

static enum err_code list_folder(const char *path, struct names *names, struct err *err)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	if (dir == NULL)
		return err_set(err, ERR_IO, path, 0, 0, "the folder cannot be read: %s",
			       strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		names->items = mem_grow(names->items, names->count + 1, &names->capacity,
					sizeof(*names->items));
		names->items[names->count++] = mem_strdup(entry->d_name);
	}
	closedir(dir);
	sort_stable(names->items, names->count, sizeof(*names->items), compare_names, NULL);
	return ERR_OK;
}

/* Outlives the builder, whose errors name files. */
static const char *keep_path(struct loading *loading, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = mem_calloc(1, size);

	snprintf(path, size, "%s%s%s", folder, folder[0] == '\0' || ends_in(folder, "/") ? "" : "/",
		 name);
	loading->paths = mem_grow(loading->paths, loading->path_count + 1, &loading->path_capacity,
				  sizeof(*loading->paths));
	loading->paths[loading->path_count++] = path;
	return path;
}

static bool is_input(const char *name)
{
	return ends_in(name, ".yaml") || ends_in(name, ".yml") || ends_in(name, ".json") ||
	       ends_in(name, ".csv") || ends_in(name, ".jsonl") || ends_in(name, ".swf");
}

/* Where the folder's part of the path ends; 0: the path does not lead through it. */
static size_t below(char *path, const struct stat *folder)
{
	struct stat st;

	for (size_t len = strlen(path); len > 1; len--) {
		bool same;

		if (path[len - 1] != '/')
			continue;
		path[len - 1] = '\0';
		same = stat(len == 1 ? "/" : path, &st) == 0 && st.st_dev == folder->st_dev &&
		       st.st_ino == folder->st_ino;
		path[len - 1] = '/';
		if (same)
			return len;
	}
	return 0;
}

bool input_reads(const char *folder, const char *file)
{
	char *path = is_input(file) ? realpath(file, NULL) : NULL;
	struct stat st;
	size_t from = 0;
	bool found;

	if (path != NULL && stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
		from = below(path, &st);
	found = from != 0 && path[from] != '.' && strstr(path + from, "/.") == NULL;
	free(path);
	return found;
}

static enum err_code walk(struct loading *loading, const char *path, int depth, bool named);

static enum err_code walk_folder(struct loading *loading, const char *path, int depth, bool named)
{
	struct names names = {NULL, 0, 0};
	enum err_code code;

	if (depth == MAX_FOLDER_DEPTH)
		return err_set(loading->err, ERR_LIMIT, path, 0, 0,
			       "folders nested more than %d deep", MAX_FOLDER_DEPTH);
	code = list_folder(path, &names, loading->err);
	if (code == ERR_OK && names.count == 0 && named)
		builder_fault(loading->builder, FINDING_WARNING, "not-an-object",
			      (struct place){.file = path}, "name the folder that has the files",
			      "the folder is empty");
	for (size_t i = 0; i < names.count && code == ERR_OK; i++)
		code = settle(loading, walk(loading, keep_path(loading, path, names.items[i]),
					    depth, false));
	free_names(&names);
	return code;
}

/* A file that the user named is read whatever its ending; links to folders are
 * followed only when named, so that no circle can arise. */
static enum err_code walk(struct loading *loading, const char *path, int depth, bool named)
{
	struct stat st;

	if (named && strcmp(path, "-") == 0)
		return read_file(loading, path, false, NULL);
	if ((named ? stat(path, &st) : lstat(path, &st)) != 0)
		return err_set(loading->err, ERR_IO, path, 0, 0, "cannot be opened: %s",
			       strerror(errno));
	if (S_ISDIR(st.st_mode))
		return walk_folder(loading, path, depth + 1, named);
	if (named || is_input(path))
		return read_file(loading, path, false, NULL);
	if (loading->unread_count++ == 0)
		loading->unread = path;
	return ERR_OK;
}

/* ---- the whole ---- */

static enum err_code find_format(struct loading *loading, const char *name, struct place where,
				 const struct trace_format **out)
{
	*out = NULL;
	if (name == NULL || strcmp(name, "auto") == 0)
		return ERR_OK;
	*out = trace_find(name);
	if (*out != NULL)
		return ERR_OK;
	return err_set(loading->err, where.file != NULL ? ERR_UNKNOWN : ERR_USAGE, where.file,
		       where.line, where.column,
		       "there is no format \"%.60s\" of job lists; gqsim list traces names them",
		       name);
}

/* A file that a document names: what is wrong with the name is said where it stands. */
static enum err_code read_trace_of(struct loading *loading, const struct builder_trace *trace,
				   const struct trace_format *format)
{
	const char *path = keep_path(loading, "", trace->file);
	enum err_code code = read_file(loading, path, true, format);
	struct err cause;

	if (code != ERR_IO)
		return code;
	cause = *loading->err;
	return err_set(loading->err, code, trace->where.file, trace->where.line,
		       trace->where.column, "trace: %.200s: %.200s", path, cause.msg);
}

/* What --trace and Simulation documents name. */
static enum err_code read_named_traces(struct loading *loading)
{
	const struct input_request *request = loading->request;
	const struct trace_format *format;
	uint32_t count;
	const struct builder_trace *traces = builder_traces(loading->builder, &count);
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		code = find_format(loading, traces[i].format, traces[i].where, &format);
		if (code == ERR_OK)
			code = read_trace_of(loading, &traces[i], format);
		code = settle(loading, code);
	}
	if (code != ERR_OK || request->trace == NULL)
		return code;
	code = find_format(loading, request->format, (struct place){0}, &format);
	if (code == ERR_OK)
		code = read_file(loading, request->trace, true, format);
	return settle(loading, code);
}

/* The i-th file; before those that are asked about, what waits is joined. */
static enum err_code read_one(struct loading *loading, uint32_t i, uint32_t *first_asked)
{
	const struct input_request *request = loading->request;
	enum err_code code = ERR_OK;

	if (i != 0 && i == request->asked_from) {
		code = objects_join(loading->objects, loading->err);
		*first_asked = builder_job_count(loading->builder);
		objects_ask(loading->objects, request->asked_ns);
	}
	return code != ERR_OK ? code : walk(loading, request->files[i], 0, true);
}

static enum err_code read_texts(struct loading *loading)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < loading->request->text_count && code == ERR_OK; i++) {
		const struct input_text *text = &loading->request->texts[i];
		struct source source = {.name = text->name, .data = text->text};

		source.size = strlen(text->text);
		builder_input(loading->builder, source.name, source_hash(&source));
		code = objects_read(loading->objects, &source, loading->err);
	}
	return code;
}

/* With a report, the errors of one file do not hide those of the next. */
static enum err_code read_prices(struct loading *loading, const char *path)
{
	uint32_t before = builder_price_count(loading->builder);
	enum err_code code = read_file(loading, path, false, NULL);

	if (code == ERR_OK && builder_price_count(loading->builder) == before)
		code = err_set(loading->err, ERR_VALUE, NULL, 0, 0,
			       "--prices %.200s: there are no prices in it (apiVersion: gqsim/v1, "
			       "kind: Prices; scenarios/prices/aws.yaml is one)",
			       path);
	return code;
}

static enum err_code read_files(struct loading *loading)
{
	const struct input_request *request = loading->request;
	enum err_code code = ERR_OK;
	uint32_t first_asked = 0;

	for (uint32_t i = 0; i < request->file_count && code == ERR_OK; i++)
		code = settle(loading, read_one(loading, i, &first_asked));
	if (code == ERR_OK)
		code = read_texts(loading);
	if (code == ERR_OK)
		code = objects_join(loading->objects, loading->err);
	if (code == ERR_OK && request->prices != NULL)
		code = settle(loading, read_prices(loading, request->prices));
	if (request->asked_from != 0)
		builder_ask(loading->builder, first_asked);
	return code != ERR_OK ? code : read_named_traces(loading);
}

static enum err_code read_traces(struct loading *loading)
{
	struct trace_options options = {.seeded = loading->request->seeded,
					.seed = loading->request->seed};
	struct trace_summary ignored;
	int64_t biggest, total;
	enum err_code code = trace_options_set(&options, loading->request->attempts,
					       loading->request->unfinished, loading->err);

	if (code != ERR_OK)
		return code;
	builder_gpus(loading->builder, &biggest, &total);
	options.gpus_per_node = biggest > UINT32_MAX ? UINT32_MAX : (uint32_t)biggest;
	code = trace_set_jobs(&loading->traces, &options, loading->builder,
			      loading->summary != NULL ? loading->summary : &ignored, loading->err);
	for (size_t i = 0; i < loading->traces.count; i++)
		builder_input_hash(loading->builder, loading->traces.files[i].input,
				   source_hash(&loading->traces.files[i].source));
	return code;
}

/* A list of jobs alone says nothing of the hardware: the Philly cluster's. */
static enum err_code default_hardware(struct loading *loading, const struct source *vc_nodes)
{
	struct pool pool = {.name = TRACE_QUEUES_FLAVOR,
			    .count = TRACE_QUEUES_DEFAULT_NODES,
			    .gpus = TRACE_QUEUES_GPUS_PER_NODE};
	enum err_code code = vc_nodes != NULL ? trace_queues_vc_pools(vc_nodes, loading->builder,
								      &pool.count, loading->err)
					      : pool_add(loading->builder, &pool, (struct place){0},
							 loading->err);

	if (code != ERR_OK)
		return code;
	builder_finding(loading->builder, FINDING_NOTE, (struct place){0},
			"the input has no nodes: %u nodes of %d GPUs are assumed (--nodes says "
			"otherwise)",
			pool.count, TRACE_QUEUES_GPUS_PER_NODE);
	return ERR_OK;
}

static enum err_code complete(struct loading *loading, const struct source *vc_nodes)
{
	const struct input_request *request = loading->request;
	struct builder *builder = loading->builder;
	int64_t biggest, total;
	enum err_code code = ERR_OK;

	bool derive = trace_set_job_files(&loading->traces) > 0 && !builder_has_queues(builder);

	if (derive && !builder_has_nodes(builder))
		code = default_hardware(loading, vc_nodes);
	if (code == ERR_OK)
		code = setting_apply_pools(builder, request->sets, request->set_count,
					   loading->err);
	builder_gpus(builder, &biggest, &total);
	if (code == ERR_OK && derive)
		code = trace_queues_derive(builder, total, vc_nodes, loading->err);
	if (code == ERR_OK)
		code = setting_apply(builder, request->sets, request->set_count, loading->err);
	return code;
}

/* "h100=311x8", or a file with nodes. */
static enum err_code read_nodes(struct loading *loading, const char *text)
{
	int64_t biggest, before, after;
	enum err_code code;

	builder_gpus(loading->builder, &biggest, &before);
	if (strchr(text, '=') != NULL || access(text, F_OK) != 0)
		code = pool_add_text(loading->builder, text, loading->err);
	else
		code = read_file(loading, text, false, NULL);
	builder_gpus(loading->builder, &biggest, &after);
	if (before != 0 && after != before)
		builder_finding(loading->builder, FINDING_NOTE, (struct place){0},
				"--nodes adds %lld GPUs to the %lld of the files' nodes",
				(long long)(after - before), (long long)before);
	return code;
}

/* Where jobs are missing, they may be in there. */
static void tell_unread(struct loading *loading)
{
	char more[40] = "";

	if (loading->unread_count == 0 || builder_job_count(loading->builder) != 0)
		return;
	if (loading->unread_count > 1)
		snprintf(more, sizeof(more), " and %zu more", loading->unread_count - 1);
	builder_fault(loading->builder, FINDING_NOTE, unread_rule, (struct place){0},
		      "name it, if it has jobs",
		      "%s%s not read: in folders files ending in .yaml, .yml, .json, .csv, .jsonl "
		      "and .swf are, others when they are named",
		      loading->unread, more);
}

enum err_code input_need_jobs(const struct scenario *scenario, struct err *err)
{
	const char *unread = "";

	if (scenario->job_count != 0)
		return ERR_OK;
	for (uint32_t i = 0; i < scenario->finding_count; i++) {
		const struct finding *f = &scenario->findings[i];

		if (f->rule != NAME_NONE &&
		    strcmp(scenario_string(scenario, f->rule), unread_rule) == 0)
			unread = scenario_string(scenario, f->text);
	}
	return err_set(err, ERR_VALUE, NULL, 0, 0,
		       "the input has no jobs: give Job manifests, a list of jobs (CSV), a trace "
		       "or a Simulation document%s%s",
		       unread[0] != '\0' ? "; " : "", unread);
}

static enum err_code load(struct loading *loading)
{
	const struct input_request *request = loading->request;
	struct source vc_nodes = {.name = NULL};
	enum err_code code = read_files(loading);

	if (code == ERR_OK && request->nodes != NULL)
		code = settle(loading, read_nodes(loading, request->nodes));
	if (code == ERR_OK)
		code = settle(loading,
			      trace_set_nodes(&loading->traces, loading->builder, loading->err));
	if (code == ERR_OK)
		code = settle(loading, read_traces(loading));
	if (code == ERR_OK)
		code = settle(loading,
			      trace_set_capacity(&loading->traces, loading->builder, loading->err));
	if (code == ERR_OK) {
		join_rows(loading->builder);
		dump_finish(loading->builder, request->asked_from != 0);
	}
	if (code == ERR_OK && request->vc_nodes != NULL)
		code = settle(loading, source_read(request->vc_nodes, &vc_nodes, loading->err));
	if (code == ERR_OK)
		code = settle(loading,
			      complete(loading, vc_nodes.data != NULL
							? &vc_nodes
							: trace_set_sizes(&loading->traces)));
	if (code == ERR_OK)
		tell_unread(loading);
	objects_finish(loading->objects);
	source_close(&vc_nodes);
	return code;
}

/* Names of files found in folders do not outlive the loading: the message takes
 * them. */
static void keep_file_name(const struct input_request *request, struct err *err)
{
	char text[sizeof(err->msg)];

	for (uint32_t i = 0; i < request->file_count; i++)
		if (err->file == request->files[i])
			return;
	if (err->file == NULL || err->file == request->trace || err->file == request->vc_nodes ||
	    strcmp(err->file, "stdin") == 0)
		return;
	err_format(err, text, sizeof(text));
	err_set(err, err->code, NULL, 0, 0, "%s", text);
}

static void free_loading(struct loading *loading)
{
	objects_free(loading->objects);
	trace_set_free(&loading->traces);
	for (size_t i = 0; i < loading->path_count; i++)
		mem_free(loading->paths[i]);
	mem_free(loading->paths);
}

static enum err_code read_all(struct loading *loading)
{
	const struct input_request *request = loading->request;
	enum err_code code;

	builder_strict(loading->builder, request->strict);
	if (request->seeded)
		builder_seed(loading->builder, request->seed);
	loading->objects = objects_new(loading->builder, request->strict);
	if (request->verbose)
		objects_list_skipped(loading->objects);
	objects_keep_going(loading->objects, request->report, request->report_context);
	objects_observe(loading->objects, request->seen, request->seen_context);
	if (request->report != NULL)
		builder_keep_going(loading->builder);
	code = load(loading);
	if (code != ERR_OK)
		builder_free(loading->builder);
	return code;
}

static enum err_code end(struct loading *loading, enum err_code code)
{
	if (code != ERR_OK)
		keep_file_name(loading->request, loading->err);
	free_loading(loading);
	return code;
}

void input_seed(struct input_request *request, const char *text)
{
	int64_t seed;

	request->seeded = num_read_i64(text, strlen(text), &seed) && seed >= 0;
	if (request->seeded)
		request->seed = (uint64_t)seed;
}

enum err_code input_load(const struct input_request *request, struct scenario **out,
			 struct trace_summary *summary, struct err *err)
{
	struct loading loading = {
		.request = request, .builder = builder_new(), .summary = summary, .err = err};
	enum err_code code;

	if (summary != NULL)
		*summary = (struct trace_summary){.format = NULL};
	code = read_all(&loading);
	if (code == ERR_OK)
		code = builder_finish(loading.builder, out, err);
	return end(&loading, code);
}

enum err_code input_draft(const struct input_request *request, struct builder **out,
			  struct err *err)
{
	struct loading loading = {.request = request, .builder = builder_new(), .err = err};
	enum err_code code = read_all(&loading);

	if (code == ERR_OK)
		*out = loading.builder;
	return end(&loading, code);
}
