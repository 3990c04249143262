#include "tests/support/command.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

#define WORDS_MAX 64

/* The tests are programs of one thread. */
static char folder[64];

static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (dir == NULL) {
		unlink(path);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		char name[512];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		remove_all(name);
	}
	closedir(dir);
	rmdir(path);
}

static void remove_folder(void)
{
	remove_all(folder);
}

const char *command_folder(void)
{
	if (folder[0] == '\0') {
		snprintf(folder, sizeof(folder), "/tmp/gqsim-test-XXXXXX");
		ck_assert_ptr_nonnull(mkdtemp(folder));
		atexit(remove_folder);
	}
	return folder;
}

static void path_of(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", command_folder(), name);
}

void command_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	path_of(name, path, sizeof(path));
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

char *command_read(const char *name)
{
	char path[256];
	char *text = NULL;
	size_t size = 0;
	FILE *f, *memory;

	path_of(name, path, sizeof(path));
	f = fopen(path, "r");
	if (f == NULL)
		return NULL;
	memory = open_memstream(&text, &size);
	for (int c = getc(f); c != EOF; c = getc(f))
		putc(c, memory);
	fclose(f);
	fclose(memory);
	return text;
}

static char *expand(const char *word, size_t len)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	for (size_t i = 0; i < len; i++) {
		if (word[i] == '%')
			fputs(command_folder(), memory);
		else
			putc(word[i], memory);
	}
	fclose(memory);
	return text;
}

static int run_words(const struct cmd_context *context, int count, const char *const *words)
{
	const struct cmd_row *row = cmd_table_find(words[0]);
	struct cmd_args args;
	struct err err;
	int code;

	ck_assert_ptr_nonnull(row);
	if (cmd_parse(row, count - 1, words + 1, &args, &err) != ERR_OK)
		code = cmd_fail(context, &err);
	else
		code = row->run(context, &args);
	cmd_args_free(&args);
	return code;
}

struct command command_run(const char *line)
{
	struct command command = {0};
	size_t out_size = 0, err_size = 0;
	struct cmd_context context = {.out = open_memstream(&command.out, &out_size),
				      .err = open_memstream(&command.err, &err_size)};
	char *words[WORDS_MAX];
	int count = 0;

	while (*line != '\0') {
		size_t len = strcspn(line, " ");

		ck_assert_int_lt(count, WORDS_MAX);
		words[count++] = expand(line, len);
		line += len + (line[len] == ' ');
	}
	command.code = run_words(&context, count, (const char *const *)words);
	fclose(context.out);
	fclose(context.err);
	for (int i = 0; i < count; i++)
		free(words[i]);
	return command;
}

void command_free(struct command *command)
{
	free(command->out);
	free(command->err);
}

struct scenario *command_load(const char *names)
{
	char paths[8][256];
	const char *files[8];
	struct input_request request = {.files = files};
	struct scenario *scenario = NULL;
	struct err err = {0};

	while (*names != '\0') {
		size_t len = strcspn(names, " ");

		snprintf(paths[request.file_count], sizeof(paths[0]), "%s/%.*s", command_folder(),
			 (int)len, names);
		files[request.file_count] = paths[request.file_count];
		request.file_count++;
		names += len + (names[len] == ' ');
	}
	if (input_load(&request, &scenario, NULL, &err) != ERR_OK)
		ck_abort_msg("%s", err.msg);
	return scenario;
}

uint32_t command_job(const struct scenario *scenario, const char *name)
{
	char text[SCENARIO_NAME_TEXT];

	for (uint32_t i = 0; i < scenario->job_count; i++) {
		if (strcmp(scenario_job_name(scenario, i, text), name) == 0)
			return i;
	}
	ck_abort_msg("no job %s", name);
	return JOB_NONE;
}

#define NODE(name)                                                                                 \
	"apiVersion: v1\n"                                                                         \
	"kind: Node\n"                                                                             \
	"metadata: {name: " name "}\n"                                                             \
	"status: {allocatable: {cpu: \"64\", memory: 512Gi, nvidia.com/gpu: \"4\", pods: "         \
	"\"110\"}}\n"                                                                              \
	"---\n"
#define QUEUE(name)                                                                                \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ClusterQueue\n"                                                                     \
	"metadata: {name: " name "}\n"                                                             \
	"spec:\n"                                                                                  \
	"  cohortName: all\n"                                                                      \
	"  namespaceSelector: {}\n"                                                                \
	"  preemption: {reclaimWithinCohort: Any}\n"                                               \
	"  resourceGroups:\n"                                                                      \
	"  - coveredResources: [nvidia.com/gpu]\n"                                                 \
	"    flavors:\n"                                                                           \
	"    - name: gpu\n"                                                                        \
	"      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]\n"                             \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: LocalQueue\n"                                                                       \
	"metadata: {name: " name ", namespace: default}\n"                                         \
	"spec: {clusterQueue: " name "}\n"                                                         \
	"---\n"

const char command_objects[] =
	NODE("n0") NODE("n1") QUEUE("a") QUEUE("b") "apiVersion: kueue.x-k8s.io/v1beta2\n"
						    "kind: ResourceFlavor\n"
						    "metadata: {name: gpu}\n";

const char command_gangs[] =
	"name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	"g1,default,a,0,600,,2,nvidia.com/gpu=4\n"
	"g2,default,b,0,600,,2,nvidia.com/gpu=4\n";

const char command_reclaim[] =
	"name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	"a1,default,a,0,1000,,1,nvidia.com/gpu=4\n"
	"a2,default,a,10,1000,,1,nvidia.com/gpu=4\n"
	"b1,default,b,100,300,,1,nvidia.com/gpu=4\n"
	"big,default,a,200,60,,3,nvidia.com/gpu=4\n";
