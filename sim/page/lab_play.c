#include "sim/page/lab_play.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/num.h"
#include "sim/page/page_data.h"
#include "sim/page/page_files.h"
#include "sim/study/columns.h"
#include "sim/tool/output.h"
#include "sim/tool/source.h"
#include "sim/yaml/yaml_edit.h"
#include "sim/yaml/yaml_print.h"

#define NAME_MAX_LENGTH 40
#define SAVED_MAX	((size_t)1 << 20) /* bytes of input that a saved play takes along */
#define MADE_MAX	4000		  /* actions until a reset, those undone included */
#define CLOCK_MAX	(INT64_C(3650) * CLOCK_DAY)

struct action { /* texts are in the play's arena made */
	simtime at;
	bool is_quota;
	struct lab_job job;
	struct lab_quota quota;
	const struct yaml_node *object; /* the ClusterQueue from then on */
	const char *object_api;
};

struct queue_object { /* a ClusterQueue as it was written */
	const char *api;
	const struct yaml_node *node;
};

struct lab_play {
	const struct cmd_context *context;
	const struct cmd_args *args;
	struct mem_arena *arena; /* of the input */
	struct mem_arena *made;	 /* of the actions, those undone included */
	size_t made_count;
	struct queue_object *queues;
	size_t queue_count, queue_capacity;
	struct action *actions;
	size_t action_count, action_capacity;
	char *base; /* text of the input, for saving; NULL: it is not plain objects */
	bool built_in;
	simtime clock, window;
	struct output_text state;
	struct study *study; /* of the last run */
};

/* ---- the play as text ---- */

static void print_job(FILE *out, const struct action *action)
{
	const struct lab_job *job = &action->job;
	const char *slash = strchr(job->queue, '/');
	char ns[256];
	struct jsonw json;

	snprintf(ns, sizeof(ns), "%.*s", (int)(slash - job->queue), job->queue);
	fputs("- ", out);
	jsonw_begin_line(&json, out);
	jsonw_text(&json, "name", job->name);
	if (job->count > 1)
		jsonw_integer(&json, "count", job->count);
	jsonw_text(&json, "namespace", ns);
	jsonw_text(&json, "queue", slash + 1);
	jsonw_seconds(&json, "submitAt", action->at);
	jsonw_text(&json, "duration", job->duration);
	jsonw_integer(&json, "pods", job->pods);
	jsonw_integer(&json, "gpus", job->gpus);
	if (job->priority[0] != '\0')
		jsonw_text(&json, "priorityClass", job->priority);
	jsonw_end(&json);
}

static void print_quota(FILE *out, const struct action *action)
{
	const struct yaml_node *node = action->object;
	struct jsonw json;

	fputs("---\n", out);
	jsonw_begin_line(&json, out);
	jsonw_text(&json, "apiVersion", action->object_api);
	jsonw_text(&json, "kind", "ClusterQueue");
	for (uint32_t i = 0; i < node->count; i++) {
		const char *key = node->pairs[i].key->text;

		if (strcmp(key, "apiVersion") != 0 && strcmp(key, "kind") != 0)
			yaml_print(&json, key, node->pairs[i].value);
	}
	jsonw_end(&json);
}

static void print_actions(FILE *out, const struct lab_play *play)
{
	bool any = false;

	for (size_t i = 0; i < play->action_count; i++) {
		if (play->actions[i].is_quota)
			continue;
		if (!any)
			fputs("---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n", out);
		any = true;
		print_job(out, &play->actions[i]);
	}
	for (size_t i = 0; i < play->action_count; i++) {
		if (play->actions[i].is_quota)
			print_quota(out, &play->actions[i]);
	}
}

void lab_play_save(const struct lab_play *play, FILE *out)
{
	if (play->base != NULL)
		fprintf(out,
			"# Played with gqsim lab. See what comes of it:\n"
			"#   gqsim compare THIS-FILE\n%s\n",
			play->base);
	else
		fputs("# Played with gqsim lab, on the input that it was given. See what comes of "
		      "it:\n#   gqsim compare INPUT... THIS-FILE\n",
		      out);
	print_actions(out, play);
}

/* ---- running it ---- */

static void print_classes(struct jsonw *json, const struct scenario *s)
{
	jsonw_array(json, "classes");
	for (uint32_t i = 0; i < s->priority_class_count; i++) {
		if (s->priority_classes[i].workload)
			jsonw_text(json, NULL, scenario_string(s, s->priority_classes[i].name));
	}
	jsonw_close_array(json);
}

static void print_queues(struct jsonw *json, const struct scenario *s)
{
	char name[600];

	jsonw_array(json, "queues");
	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		snprintf(name, sizeof(name), "%s/%s", scenario_string(s, s->local_queues[i].ns),
			 scenario_string(s, s->local_queues[i].name));
		jsonw_text(json, NULL, name);
	}
	jsonw_close_array(json);
}

static void print_job_action(const struct lab_job *job, char *text, size_t size)
{
	int len = job->count > 1 ? snprintf(text, size, "%" PRId64 " times ", job->count) : 0;

	snprintf(text + len, size - (size_t)len,
		 "%s to %s: %" PRId64 " pod%s of %" PRId64 " GPU%s, %s", job->name, job->queue,
		 job->pods, job->pods == 1 ? "" : "s", job->gpus, job->gpus == 1 ? "" : "s",
		 job->duration);
}

static void print_list(struct jsonw *json, const struct lab_play *play)
{
	char text[600];

	jsonw_array(json, "actions");
	for (size_t i = 0; i < play->action_count; i++) {
		const struct action *a = &play->actions[i];

		if (a->is_quota)
			snprintf(text, sizeof(text), "%s of %s (%s, %s) becomes %s", a->quota.field,
				 a->quota.queue, a->quota.resource, a->quota.flavor,
				 a->quota.value);
		else
			print_job_action(&a->job, text, sizeof(text));
		jsonw_object(json, NULL);
		jsonw_seconds(json, "at", a->at);
		if (!a->is_quota)
			jsonw_integer(json, "count", a->job.count);
		jsonw_text(json, "text", text);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

/* {"play": ..., "data": ...} on one line */
static void print_state(struct lab_play *play, const struct report *report)
{
	const struct scenario *s = report->columns[0].scenario;
	struct output_text part;
	struct jsonw json;

	output_text_free(&play->state);
	output_text_open(&play->state);
	output_text_open(&part);
	jsonw_begin_line(&json, part.file);
	jsonw_seconds(&json, "clock", play->clock);
	jsonw_bool(&json, "over", lab_play_over(play));
	print_list(&json, play);
	print_queues(&json, s);
	print_classes(&json, s);
	jsonw_end(&json);
	output_text_close(&part);
	fprintf(play->state.file, "{\"play\":%.*s,\"data\":", (int)part.size - 1, part.data);
	output_text_free(&part);
	output_text_open(&part);
	page_data_write(part.file, report, &page_room_live);
	output_text_close(&part);
	fwrite(part.data, 1, part.size - 1, play->state.file);
	output_text_free(&part);
	putc('}', play->state.file);
	output_text_close(&play->state);
}

static enum err_code read_and_run(struct lab_play *play, struct study *study,
				  struct columns *columns, bool to_end, struct err *err)
{
	struct cmd_context quiet = *play->context;
	size_t count;
	const struct report_column *column;
	enum err_code code = columns_read(columns, play->args, study, PAGE_FULL_JOBS, err);

	if (code != ERR_OK)
		return code;
	quiet.err_terminal = false;
	study_tell_reasons(study);
	study_until(study, to_end ? CLOCK_NEVER : play->clock);
	code = study_run(study, &quiet, 1, true, err);
	if (code != ERR_OK)
		return code;
	column = study_columns(study, &count);
	if (column->scenario->job_count > LAB_PLAY_JOBS)
		return err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "more than %d jobs are too many to play with: write a page with "
			       "gqsim report",
			       LAB_PLAY_JOBS);
	return ERR_OK;
}

static enum err_code run_texts(struct lab_play *play, const struct input_text *texts, uint32_t n,
			       bool to_end, struct err *err)
{
	struct study *study = study_new();
	struct columns columns = {.texts = texts, .text_count = n};
	struct report report;
	enum err_code code = read_and_run(play, study, &columns, to_end, err);

	if (code == ERR_OK) {
		play->window = study_window(study);
		if (to_end && play->clock < play->window)
			play->clock = play->window;
		report = columns_report(&columns, study);
		print_state(play, &report);
		study_free(play->study);
		play->study = study;
	} else {
		study_free(study);
	}
	columns_free(&columns);
	return code;
}

static enum err_code run_play(struct lab_play *play, bool to_end, struct err *err)
{
	struct input_text texts[2];
	uint32_t n = 0;
	struct output_text actions;
	enum err_code code;
	char msg[sizeof(err->msg)];

	output_text_open(&actions);
	print_actions(actions.file, play);
	output_text_close(&actions);
	if (play->built_in)
		texts[n++] = (struct input_text){"the lab's cluster", page_lab_yaml};
	texts[n++] = (struct input_text){"the play", actions.data};
	code = run_texts(play, texts, n, to_end, err);
	output_text_free(&actions);
	if (code != ERR_OK) { /* names of texts do not outlive this */
		err_format(err, msg, sizeof(msg));
		err_set(err, code, NULL, 0, 0, "%s", msg);
	}
	return code;
}

/* ---- the input ---- */

static void keep_queue(void *context, const char *api, const char *kind,
		       const struct yaml_node *node)
{
	struct lab_play *play = context;

	if (strcmp(kind, "ClusterQueue") != 0)
		return;
	play->queues = mem_grow(play->queues, play->queue_count + 1, &play->queue_capacity,
				sizeof(*play->queues));
	play->queues[play->queue_count++] = (struct queue_object){
		mem_arena_strdup(play->arena, api), yaml_edit_copy(play->arena, node)};
}

/* The texts of all files, if they are few and no lists of jobs. */
static char *read_base(const struct input_request *request)
{
	struct output_text base;
	size_t total = 0;
	bool whole = request->trace == NULL && request->nodes == NULL && request->set_count == 0;
	struct err err;

	output_text_open(&base);
	for (uint32_t i = 0; i < request->file_count && whole; i++) {
		struct source source;

		if (source_read(request->files[i], &source, &err) != ERR_OK) {
			whole = false;
			break;
		}
		total += source.size;
		whole = total <= SAVED_MAX && trace_detect(&source) == NULL;
		if (whole)
			fprintf(base.file, "%s%.*s\n", i == 0 ? "" : "---\n", (int)source.size,
				source.data);
		source_close(&source);
	}
	output_text_close(&base);
	if (whole)
		return base.data;
	output_text_free(&base);
	return NULL;
}

static enum err_code read_input(struct lab_play *play, struct err *err)
{
	static const struct input_text built_in = {"the lab's cluster", page_lab_yaml};
	struct cmd_input input;
	struct builder *builder = NULL;
	enum err_code code = ERR_OK;

	cmd_input(play->args, play->args->operand_count, &input);
	for (uint32_t i = 0; i < input.request.file_count && code == ERR_OK; i++)
		if (strcmp(input.request.files[i], "-") == 0)
			code = err_set(err, ERR_USAGE, NULL, 0, 0,
				       "a lab reads its files again and again: standard input can "
				       "be read once only");
	play->built_in = input.request.file_count == 0 && input.request.trace == NULL;
	input.request.seen = keep_queue;
	input.request.seen_context = play;
	input.request.texts = &built_in;
	input.request.text_count = play->built_in ? 1 : 0;
	if (code == ERR_OK)
		code = input_draft(&input.request, &builder, err);
	if (code == ERR_OK) {
		builder_free(builder);
		play->base = play->built_in ? mem_strdup(page_lab_yaml) : read_base(&input.request);
	}
	cmd_input_free(&input);
	return code;
}

enum err_code lab_play_new(const struct cmd_context *context, const struct cmd_args *args,
			   struct lab_play **out, struct err *err)
{
	struct lab_play *play = mem_calloc(1, sizeof(*play));
	enum err_code code;

	play->context = context;
	play->args = args;
	play->arena = mem_arena_new();
	play->made = mem_arena_new();
	code = read_input(play, err);
	if (code == ERR_OK)
		code = run_play(play, false, err);
	if (code != ERR_OK)
		lab_play_free(play);
	else
		*out = play;
	return code;
}

void lab_play_free(struct lab_play *play)
{
	if (play == NULL)
		return;
	study_free(play->study);
	output_text_free(&play->state);
	mem_arena_free(play->arena);
	mem_arena_free(play->made);
	mem_free(play->queues);
	mem_free(play->actions);
	mem_free(play->base);
	mem_free(play);
}

/* ---- jobs ---- */

static bool is_label(const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || len > NAME_MAX_LENGTH || text[0] == '-' || text[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') &&
		    text[i] != '-')
			return false;
	return true;
}

static const struct scenario *scenario_of(const struct lab_play *play)
{
	size_t count;

	return study_columns(play->study, &count)[0].scenario;
}

static bool has_queue(const struct scenario *s, const char *name)
{
	char known[600];

	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		snprintf(known, sizeof(known), "%s/%s", scenario_string(s, s->local_queues[i].ns),
			 scenario_string(s, s->local_queues[i].name));
		if (strcmp(known, name) == 0)
			return true;
	}
	return false;
}

static bool has_class(const struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->priority_class_count; i++)
		if (s->priority_classes[i].workload &&
		    strcmp(scenario_string(s, s->priority_classes[i].name), name) == 0)
			return true;
	return name[0] == '\0';
}

static enum err_code check_job(const struct lab_play *play, const struct lab_job *job,
			       struct err *err)
{
	const struct scenario *s = scenario_of(play);
	simtime duration;

	if (!is_label(job->name))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "name: small letters, digits and -, at most %d", NAME_MAX_LENGTH);
	if (!has_queue(s, job->queue))
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "queue: there is no LocalQueue %.100s",
			       job->queue);
	if (!has_class(s, job->priority))
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "priority: there is no WorkloadPriorityClass %.100s", job->priority);
	if (strcmp(job->duration, "endless") != 0 &&
	    (!clock_read_duration(job->duration, strlen(job->duration), &duration) ||
	     duration <= 0 || duration > CLOCK_MAX))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "duration: a time such as 15m, 1h30m or 2d, or endless");
	if (job->pods < 1 || job->pods > 1000 || job->gpus < 0 || job->gpus > 1000 ||
	    job->count < 1 || job->count > 200)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "pods: 1 to 1000; gpus: 0 to 1000; count: 1 to 200");
	return ERR_OK;
}

static bool name_taken(const struct lab_play *play, const char *name)
{
	const struct scenario *s = scenario_of(play);
	char buf[SCENARIO_NAME_TEXT];

	for (size_t i = 0; i < play->action_count; i++)
		if (!play->actions[i].is_quota && strcmp(play->actions[i].job.name, name) == 0)
			return true;
	for (uint32_t i = 0; i < s->job_count; i++)
		if (strcmp(scenario_job_name(s, i, buf), name) == 0)
			return true;
	return false;
}

/* "ring", then "ring-2", "ring-3" */
static const char *free_name(struct lab_play *play, const char *name)
{
	char text[NAME_MAX_LENGTH + 16];

	snprintf(text, sizeof(text), "%s", name);
	for (int i = 2; name_taken(play, text); i++)
		snprintf(text, sizeof(text), "%s-%d", name, i);
	return mem_arena_strdup(play->made, text);
}

static enum err_code add_action(struct lab_play *play, struct action action, struct err *err)
{
	enum err_code code;

	if (play->action_count == LAB_PLAY_ACTIONS || play->made_count == MADE_MAX)
		return err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "more than %d actions: save the play and reset it",
			       LAB_PLAY_ACTIONS);
	play->made_count++;
	action.at = play->clock;
	play->actions = mem_grow(play->actions, play->action_count + 1, &play->action_capacity,
				 sizeof(*play->actions));
	play->actions[play->action_count++] = action;
	code = run_play(play, false, err);
	if (code != ERR_OK)
		play->action_count--;
	return code;
}

enum err_code lab_play_submit(struct lab_play *play, const struct lab_job *job, struct err *err)
{
	struct action action = {.is_quota = false, .job = *job};
	enum err_code code = check_job(play, job, err);

	if (code != ERR_OK)
		return code;
	action.job.name = free_name(play, job->name);
	action.job.queue = mem_arena_strdup(play->made, job->queue);
	action.job.duration = mem_arena_strdup(play->made, job->duration);
	action.job.priority = mem_arena_strdup(play->made, job->priority);
	return add_action(play, action, err);
}

/* ---- quotas ---- */

/* The place in a list of what has this name; count: none. */
static uint32_t find_named(const struct yaml_node *list, const char *name)
{
	uint32_t i = 0;

	while (list != NULL && list->kind == YAML_LIST && i < list->count &&
	       !yaml_text_is(yaml_find(list->items[i], "name"), name))
		i++;
	return i;
}

static bool is_list(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_LIST;
}

/* The flavor with the resource's field changed; NULL: it has no such resource. */
static const struct yaml_node *edit_flavor(struct mem_arena *arena, const struct yaml_node *flavor,
					   const struct lab_quota *quota)
{
	const struct yaml_node *resources = yaml_find(flavor, "resources");
	uint32_t at = find_named(resources, quota->resource);
	const struct yaml_node *value, *resource;

	if (!is_list(resources) || at == resources->count)
		return NULL;
	value = strcmp(quota->value, "none") == 0
			? yaml_edit_text(arena, flavor, "null", true)
			: yaml_edit_text(arena, flavor, quota->value, false);
	resource = yaml_edit_set(arena, resources->items[at], flavor, quota->field, value);
	return yaml_edit_set(arena, flavor, flavor, "resources",
			     yaml_edit_replace(arena, resources, at, resource));
}

static const struct yaml_node *edit_groups(struct mem_arena *arena, const struct yaml_node *groups,
					   const struct lab_quota *quota)
{
	for (uint32_t i = 0; is_list(groups) && i < groups->count; i++) {
		const struct yaml_node *flavors = yaml_find(groups->items[i], "flavors"), *flavor;
		uint32_t at = find_named(flavors, quota->flavor);

		if (!is_list(flavors) || at == flavors->count)
			continue;
		flavor = edit_flavor(arena, flavors->items[at], quota);
		if (flavor == NULL)
			continue;
		flavors = yaml_edit_replace(arena, flavors, at, flavor);
		return yaml_edit_replace(
			arena, groups, i,
			yaml_edit_set(arena, groups->items[i], groups, "flavors", flavors));
	}
	return NULL;
}

/* The ClusterQueue with the change, annotated with its time; NULL: it has no such quota. */
static const struct yaml_node *edit_queue(struct mem_arena *arena, const struct yaml_node *queue,
					  const struct lab_quota *quota, simtime at)
{
	const struct yaml_node *spec = yaml_find(queue, "spec");
	const struct yaml_node *metadata = yaml_find(queue, "metadata");
	const struct yaml_node *groups =
		edit_groups(arena, yaml_find(spec, "resourceGroups"), quota);
	char text[CLOCK_TEXT];

	if (groups == NULL)
		return NULL;
	spec = yaml_edit_set(arena, spec, queue, "resourceGroups", groups);
	metadata = yaml_edit_set(
		arena, metadata, queue, "annotations",
		yaml_edit_set(arena, yaml_find(metadata, "annotations"), queue, "gqsim/at",
			      yaml_edit_text(arena, queue, clock_format_seconds(at, text), false)));
	queue = yaml_edit_set(arena, queue, queue, "spec", spec);
	return yaml_edit_set(arena, queue, queue, "metadata", metadata);
}

/* The queue as it is now. */
static bool find_queue(const struct lab_play *play, const char *name, struct queue_object *out)
{
	bool found = false;

	for (size_t i = 0; i < play->queue_count; i++) {
		const struct yaml_node *metadata = yaml_find(play->queues[i].node, "metadata");

		if (!yaml_text_is(yaml_find(metadata, "name"), name))
			continue;
		*out = play->queues[i];
		found = true;
	}
	for (size_t i = 0; found && i < play->action_count; i++)
		if (play->actions[i].is_quota && strcmp(play->actions[i].quota.queue, name) == 0)
			out->node = play->actions[i].object;
	return found;
}

static enum err_code check_quota(const struct lab_quota *quota, struct err *err)
{
	bool nominal = strcmp(quota->field, "nominalQuota") == 0;
	bool limit = strcmp(quota->field, "borrowingLimit") == 0 ||
		     strcmp(quota->field, "lendingLimit") == 0;
	int64_t amount;

	if (!nominal && !limit)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "field: nominalQuota, borrowingLimit or lendingLimit");
	if (limit && strcmp(quota->value, "none") == 0)
		return ERR_OK;
	if (num_read_quantity(quota->value, strlen(quota->value), true, &amount) != NUM_OK)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "value: an amount such as 8 or 512Gi%s",
			       limit ? ", or none" : "");
	return ERR_OK;
}

enum err_code lab_play_quota(struct lab_play *play, const struct lab_quota *quota, struct err *err)
{
	struct action action = {.is_quota = true};
	struct queue_object queue = {.api = NULL};
	enum err_code code = check_quota(quota, err);

	if (code != ERR_OK)
		return code;
	if (!find_queue(play, quota->queue, &queue))
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "queue: the input has no ClusterQueue %.100s", quota->queue);
	action.object = edit_queue(play->made, queue.node, quota, play->clock);
	action.object_api = queue.api;
	if (action.object == NULL)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "ClusterQueue %.100s has no quota of %.100s in flavor %.100s",
			       quota->queue, quota->resource, quota->flavor);
	action.quota = (struct lab_quota){
		.queue = mem_arena_strdup(play->made, quota->queue),
		.flavor = mem_arena_strdup(play->made, quota->flavor),
		.resource = mem_arena_strdup(play->made, quota->resource),
		.field = mem_arena_strdup(play->made, quota->field),
		.value = mem_arena_strdup(play->made, quota->value),
	};
	return add_action(play, action, err);
}

/* ---- the clock ---- */

enum err_code lab_play_step(struct lab_play *play, simtime by, struct err *err)
{
	simtime was = play->clock;
	enum err_code code;

	if (by <= 0 || by > CLOCK_MAX - play->clock)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "a step is more than 0 and ends "
			       "within ten years");
	/* Whole milliseconds read well in a saved play. */
	play->clock = (play->clock + by) / 1000 * 1000;
	code = run_play(play, false, err);
	if (code != ERR_OK)
		play->clock = was;
	return code;
}

enum err_code lab_play_end(struct lab_play *play, struct err *err)
{
	return run_play(play, play->clock < play->window, err);
}

enum err_code lab_play_undo(struct lab_play *play, struct err *err)
{
	if (play->action_count == 0)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "there is nothing to undo");
	play->action_count--;
	return run_play(play, false, err);
}

enum err_code lab_play_reset(struct lab_play *play, struct err *err)
{
	play->action_count = 0;
	play->made_count = 0;
	mem_arena_reset(play->made);
	play->clock = 0;
	return run_play(play, false, err);
}

bool lab_play_over(const struct lab_play *play)
{
	return play->clock >= play->window;
}

const char *lab_play_state(const struct lab_play *play)
{
	return play->state.data;
}
