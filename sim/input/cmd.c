#include "sim/input/cmd.h"

#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "sim/tool/nearest.h"
#include "sim/tool/table.h"

static const struct cmd_option *input_options(void)
{
	static const struct cmd_option rows[] = {
		{"filename", 'f', "FILE|DIR|-",
		 "objects, jobs or a trace; may be repeated; same as a bare FILE", "@file"},
		{"trace", 0, "FILE", "jobs from a trace in any of `gqsim list traces`", "@file"},
		{"format", 0, "NAME", "format of the trace (default: recognised by content)",
		 "@traces"},
		TRACE_OPTION_ROWS,
		{"nodes", 0, "POOL=COUNTxGPUS,...",
		 "nodes for a trace that names none, as in h100=311x8,l40s=20x4, or a file of "
		 "nodes",
		 "@file"},
		{"prices", 0, "FILE",
		 "what nodes cost an hour, as scenarios/prices/aws.yaml has it; figures of cost "
		 "follow",
		 "@file"},
		{"vc-nodes", 0, "FILE", "virtual cluster sizes of the Philly trace", "@file"},
		{"set", 0, "KIND/NAME:RESOURCE[@FLAVOR].FIELD=VALUE",
		 "change one value of the input, as in "
		 "clusterqueue/research:nvidia.com/gpu.nominalQuota=8",
		 NULL},
		{"strict", 0, NULL, "unknown kinds and fields are errors", NULL},
		{"verbose", 'v', NULL, "list what of the input is not modelled", NULL},
		{NULL, 0, NULL, NULL, NULL},
	};

	return rows;
}

static struct cmd_option run_option(const struct option_row *row)
{
	return (struct cmd_option){row->name, 0, row->value, row->help, NULL};
}

static size_t count_options(const struct cmd_option *rows)
{
	size_t n = 0;

	while (rows != NULL && rows[n].name != NULL)
		n++;
	return n;
}

enum err_code cmd_text_or_json(const struct cmd_args *args, bool *json, struct err *err)
{
	const char *format = cmd_value(args, "output");

	*json = format != NULL && strcmp(format, "json") == 0;
	if (format == NULL || *json || strcmp(format, "text") == 0)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0, "-o %.100s: the formats are text and json",
		       format);
}

bool cmd_option_at(const struct cmd_row *row, size_t index, struct cmd_option *out)
{
	size_t own = count_options(row->options);

	if (index < own) {
		*out = row->options[index];
		return true;
	}
	index -= own;
	if (row->groups & CMD_INPUT) {
		size_t count = count_options(input_options());

		if (index < count) {
			*out = input_options()[index];
			return true;
		}
		index -= count;
	}
	if (row->groups & CMD_RUN) {
		const struct option_row *rows = options_rows();

		for (size_t i = 0; rows[i].name != NULL; i++) {
			if (i == index) {
				*out = run_option(&rows[i]);
				return true;
			}
		}
	}
	return false;
}

static bool is_run_option(const char *name)
{
	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		if (strcmp(row->name, name) == 0)
			return true;
	}
	return false;
}

static bool find_long(const struct cmd_row *row, const char *text, size_t len,
		      struct cmd_option *out)
{
	for (size_t i = 0; cmd_option_at(row, i, out); i++) {
		if (strncmp(out->name, text, len) == 0 && out->name[len] == '\0')
			return true;
	}
	return false;
}

static bool find_short(const struct cmd_row *row, char letter, struct cmd_option *out)
{
	for (size_t i = 0; cmd_option_at(row, i, out); i++) {
		if (out->letter == letter)
			return true;
	}
	return false;
}

static enum err_code unknown_option(const struct cmd_row *row, const char *text, size_t len,
				    struct err *err)
{
	char wanted[64];
	struct cmd_option option;
	struct nearest nearest;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)(len < 63 ? len : 63), text);
	nearest_begin(&nearest, wanted);
	for (size_t i = 0; cmd_option_at(row, i, &option); i++)
		nearest_offer(&nearest, option.name);
	if (nearest.best != NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "unknown option --%s; did you mean --%s? (gqsim %s --help lists "
			       "the options)",
			       wanted, nearest.best, row->name);
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "unknown option --%s (gqsim %s --help lists the options)", wanted,
		       row->name);
}

static void add_operand(struct cmd_args *args, const char *text)
{
	args->operands = mem_grow(args->operands, args->operand_count + 1, &args->operand_capacity,
				  sizeof(args->operands[0]));
	args->operands[args->operand_count++] = text;
}

static void add_setting(struct cmd_args *args, const struct cmd_option *option, const char *value)
{
	bool of_run = (args->row->groups & CMD_RUN) != 0 && is_run_option(option->name);

	args->settings = mem_grow(args->settings, args->setting_count + 1, &args->setting_capacity,
				  sizeof(args->settings[0]));
	args->settings[args->setting_count++] = (struct cmd_setting){.name = option->name,
								     .value = value,
								     .complete = option->complete,
								     .of_run = of_run};
}

/* Where the parser stands. */
struct cursor {
	int argc, at;
	const char *const *argv;
};

/* attached: the value that stood in the same word, or NULL. */
static enum err_code take(struct cmd_args *args, const struct cmd_option *option,
			  const char *attached, struct cursor *cursor, struct err *err)
{
	if (option->value == NULL) {
		if (attached != NULL)
			return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s takes no value",
				       option->name);
		add_setting(args, option, NULL);
		return ERR_OK;
	}
	if (attached == NULL) {
		if (cursor->at == cursor->argc)
			return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s needs a value: --%s %s",
				       option->name, option->name, option->value);
		attached = cursor->argv[cursor->at++];
	}
	add_setting(args, option, attached);
	return ERR_OK;
}

static enum err_code parse_long(struct cmd_args *args, const char *text, struct cursor *cursor,
				struct err *err)
{
	size_t len = strcspn(text, "=");
	struct cmd_option option;

	if (strcmp(text, "help") == 0) {
		args->help = true;
		return ERR_OK;
	}
	if (!find_long(args->row, text, len, &option))
		return unknown_option(args->row, text, len, err);
	return take(args, &option, text[len] == '=' ? text + len + 1 : NULL, cursor, err);
}

/* "-v", "-vq" (switches), "-p kueue", "-pkueue". */
static enum err_code parse_short(struct cmd_args *args, const char *text, struct cursor *cursor,
				 struct err *err)
{
	for (; *text != '\0'; text++) {
		struct cmd_option option;
		enum err_code code;

		if (*text == 'h') {
			args->help = true;
			continue;
		}
		if (!find_short(args->row, *text, &option))
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "unknown option -%c (gqsim %s --help lists the options)",
				       *text, args->row->name);
		if (option.value != NULL)
			return take(args, &option, text[1] == '\0' ? NULL : text + 1, cursor, err);
		code = take(args, &option, NULL, cursor, err);
		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

static bool has_word(const struct cmd_setting *setting, const char *word)
{
	return setting->complete != NULL && strcmp(setting->complete, word) == 0;
}

/* Is the file what is named as an input, or in a folder that is? */
static bool is_of(const char *file, const struct stat *a, const char *input)
{
	struct stat b;

	if (!S_ISREG(a->st_mode) || stat(input, &b) != 0)
		return false;
	return (a->st_dev == b.st_dev && a->st_ino == b.st_ino) || input_reads(input, file);
}

enum err_code cmd_spare_inputs(const struct cmd_args *args, const char *option, const char *path,
			       struct err *err)
{
	struct stat info;
	bool found = false;

	if (stat(path, &info) != 0)
		return ERR_OK;
	for (size_t i = 0; i < args->operand_count && !found; i++)
		found = is_of(path, &info, args->operands[i]);
	for (size_t i = 0; i < args->setting_count && !found; i++)
		found = has_word(&args->settings[i], "@file") &&
			is_of(path, &info, args->settings[i].value);
	if (!found)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--%s %.200s: this is an input, which would be lost: name another file",
		       option, path);
}

static enum err_code spare_all_inputs(const struct cmd_args *args, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < args->setting_count && code == ERR_OK; i++) {
		const struct cmd_setting *setting = &args->settings[i];

		if (has_word(setting, "@out"))
			code = cmd_spare_inputs(args, setting->name, setting->value, err);
	}
	return code;
}

enum err_code cmd_parse(const struct cmd_row *row, int argc, const char *const *argv,
			struct cmd_args *args, struct err *err)
{
	struct cursor cursor = {.argc = argc, .argv = argv};
	bool only_operands = false;
	enum err_code code = ERR_OK;

	*args = (struct cmd_args){.row = row};
	while (cursor.at < argc && code == ERR_OK) {
		const char *text = argv[cursor.at++];

		if (only_operands || text[0] != '-' || text[1] == '\0')
			add_operand(args, text);
		else if (strcmp(text, "--") == 0)
			only_operands = true;
		else if (text[1] == '-')
			code = parse_long(args, text + 2, &cursor, err);
		else
			code = parse_short(args, text + 1, &cursor, err);
	}
	return code != ERR_OK || args->help ? code : spare_all_inputs(args, err);
}

void cmd_args_free(struct cmd_args *args)
{
	mem_free(args->settings);
	mem_free(args->operands);
}

enum err_code cmd_most_operands(const struct cmd_args *args, size_t most, struct err *err)
{
	if (args->operand_count <= most)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "%.100s: one word too many (gqsim %s --help says what it takes)",
		       args->operands[most], args->row->name);
}

const char *cmd_value(const struct cmd_args *args, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < args->setting_count; i++) {
		if (strcmp(args->settings[i].name, name) == 0)
			value = args->settings[i].value;
	}
	return value;
}

bool cmd_given(const struct cmd_args *args, const char *name)
{
	for (size_t i = 0; i < args->setting_count; i++) {
		if (strcmp(args->settings[i].name, name) == 0)
			return true;
	}
	return false;
}

/* The values of a repeated option behind those already in list. */
static uint32_t append_values(const struct cmd_args *args, const char *name, const char **list,
			      uint32_t count)
{
	for (size_t i = 0; i < args->setting_count; i++) {
		if (strcmp(args->settings[i].name, name) == 0)
			list[count++] = args->settings[i].value;
	}
	return count;
}

void cmd_input(const struct cmd_args *args, size_t operand_count, struct cmd_input *out)
{
	struct input_request *request = &out->request;

	*out = (struct cmd_input){
		.files = mem_calloc(operand_count + args->setting_count, sizeof(char *)),
		.sets = mem_calloc(args->setting_count, sizeof(char *)),
	};
	for (size_t i = 0; i < operand_count; i++)
		out->files[i] = args->operands[i];
	request->files = out->files;
	request->file_count = append_values(args, "filename", out->files, (uint32_t)operand_count);
	request->sets = out->sets;
	request->set_count = append_values(args, "set", out->sets, 0);
	request->trace = cmd_value(args, "trace");
	request->format = cmd_value(args, "format");
	request->attempts = cmd_value(args, "attempts");
	request->unfinished = cmd_value(args, "unfinished");
	request->nodes = cmd_value(args, "nodes");
	request->prices = cmd_value(args, "prices");
	request->vc_nodes = cmd_value(args, "vc-nodes");
	if (cmd_given(args, "seed"))
		input_seed(request, cmd_value(args, "seed"));
	request->strict = cmd_given(args, "strict");
	request->verbose = cmd_given(args, "verbose");
}

void cmd_input_free(struct cmd_input *input)
{
	mem_free(input->files);
	mem_free(input->sets);
}

/* "name=value" of a Simulation document. */
static enum err_code set_pair(struct run_options *out, const char *pair, struct err *err)
{
	char name[64];
	size_t len = strcspn(pair, "=");

	if (len >= sizeof(name) || pair[len] == '\0')
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "option \"%.200s\" of the Simulation document is not name=value",
			       pair);
	memcpy(name, pair, len);
	name[len] = '\0';
	return options_set(out, name, pair + len + 1, err);
}

enum err_code cmd_run_options(const struct cmd_args *args, const struct scenario *scenario,
			      struct run_options *out, struct err *err)
{
	enum err_code code = ERR_OK;

	options_default(out);
	for (uint32_t i = 0; i < scenario->option_count && code == ERR_OK; i++)
		code = set_pair(out, scenario_string(scenario, scenario->options[i]), err);
	for (size_t i = 0; i < args->setting_count && code == ERR_OK; i++) {
		const struct cmd_setting *setting = &args->settings[i];

		if (setting->of_run)
			code = options_set(out, setting->name, setting->value, err);
	}
	return code;
}

#define HELP_COLUMN 26

static void print_option(FILE *out, const struct cmd_option *option)
{
	char left[128];
	int len;

	if (option->letter != 0)
		len = snprintf(left, sizeof(left), "  -%c, --%s%s%s", option->letter, option->name,
			       option->value != NULL ? " " : "",
			       option->value != NULL ? option->value : "");
	else
		len = snprintf(left, sizeof(left), "      --%s%s%s", option->name,
			       option->value != NULL ? " " : "",
			       option->value != NULL ? option->value : "");
	if (len >= HELP_COLUMN - 1)
		fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
	else
		fprintf(out, "%-*s", HELP_COLUMN, left);
	table_paragraph(out, HELP_COLUMN, option->help);
}

void cmd_print_help(FILE *out, const struct cmd_row *row)
{
	struct cmd_option option;

	fprintf(out, "gqsim %s - %s\n\nUsage: gqsim %s%s%s\n\n%s", row->name, row->summary,
		row->name, row->synopsis[0] == '\0' ? "" : " ", row->synopsis, row->help);
	fprintf(out, "\nOptions:\n");
	for (size_t i = 0; cmd_option_at(row, i, &option); i++)
		print_option(out, &option);
	print_option(out, &(struct cmd_option){"help", 'h', NULL, "print this text", NULL});
}

int cmd_fail(const struct cmd_context *context, const struct err *err)
{
	char text[1024];

	err_format(err, text, sizeof(text));
	fprintf(context->err, "gqsim: %s\n", text);
	if (err->fix != NULL)
		fprintf(context->err, "    fix: %s\n", err->fix);
	return CMD_USAGE;
}

void cmd_tell_findings(const struct cmd_context *context, const struct finding *findings,
		       uint32_t count, const struct name_table *strings)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *text = name_text(strings, findings[i].text), *subject = "";

		if (finding_shown(&findings[i], FINDING_WARNING))
			subject = "warning: ";
		else if (findings[i].kind != FINDING_NOT_MODELLED)
			continue;
		else if (strstr(text, "not modelled") == NULL)
			subject = "not modelled: ";
		fprintf(context->err, "gqsim: %s%s\n", subject, text);
	}
}

void cmd_tell(const struct cmd_context *context, const struct scenario *scenario)
{
	cmd_tell_findings(context, scenario->findings, scenario->finding_count, scenario->strings);
}
