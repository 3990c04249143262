#include "sim/study/columns.h"

#include <string.h>

#define TITLE		 128
#define DEFAULT_POLICIES "kubernetes,kueue"

struct reading {
	struct columns *columns;
	const struct cmd_args *args;
	struct study *study;
	uint32_t log_jobs;
};

static enum err_code read_policies(struct reading *c, struct err *err)
{
	const char *list = cmd_value(c->args, "policies");
	bool more = true;

	if (list == NULL)
		list = DEFAULT_POLICIES;
	while (more) {
		size_t len = strcspn(list, ",");
		enum err_code code;

		if (c->columns->policy_count == COLUMNS_POLICIES_MAX)
			return err_set(err, ERR_LIMIT, NULL, 0, 0,
				       "--policies: more than %d policies", COLUMNS_POLICIES_MAX);
		code = study_policy(list, len, &c->columns->policies[c->columns->policy_count++],
				    err);
		if (code != ERR_OK)
			return code;
		more = list[len] == ',';
		list += len + 1;
	}
	return ERR_OK;
}

static void column_title(const struct reading *c, const struct policy_row *policy,
			 const struct variant *variant, char buf[TITLE])
{
	const char *name = study_policy_title(policy);

	if (variant->title[0] == '\0')
		snprintf(buf, TITLE, "%s", name);
	else if (c->columns->policy_count == 1)
		snprintf(buf, TITLE, "%s", variant->title);
	else
		snprintf(buf, TITLE, "%s, %s", name, variant->title);
}

/* One scenario, a column for each policy. */
static enum err_code add_variant(struct reading *c, const struct variant *variant, struct err *err)
{
	struct cmd_input input;
	struct scenario *scenario = NULL;
	struct run_options options;
	char title[TITLE];
	enum err_code code;

	cmd_input(c->args, c->args->operand_count, &input);
	input.request.texts = c->columns->texts;
	input.request.text_count = c->columns->text_count;
	input.request.sets = variant->sets;
	input.request.set_count = variant->set_count;
	code = input_load(&input.request, &scenario, &c->columns->trace, err);
	cmd_input_free(&input);
	if (code != ERR_OK)
		return code;
	study_own(c->study, scenario);
	code = cmd_run_options(c->args, scenario, &options, err);
	for (size_t i = 0; i < c->columns->policy_count && code == ERR_OK; i++) {
		column_title(c, c->columns->policies[i], variant, title);
		study_add(c->study, title, c->columns->policies[i], scenario, &options,
			  study_detail(scenario, c->columns->policies[i],
				       scenario->job_count <= c->log_jobs));
	}
	return code;
}

/* Options of the command itself, such as -o, say nothing of the runs. */
static bool tells_of_runs(const struct cmd_args *args, const struct cmd_setting *setting)
{
	if (setting->of_run)
		return true;
	for (const struct cmd_option *own = args->row->options; own->name != NULL; own++)
		if (strcmp(own->name, setting->name) == 0)
			return false;
	return strcmp(setting->name, "verbose") != 0;
}

static void keep_settings(struct columns *columns, const struct cmd_args *args)
{
	columns->arena = mem_arena_new();
	columns->settings = mem_arena_alloc(columns->arena,
					    (args->setting_count + 1) * sizeof(*columns->settings));
	for (size_t i = 0; i < args->setting_count; i++) {
		const struct cmd_setting *setting = &args->settings[i];
		char text[256];

		if (!tells_of_runs(args, setting))
			continue;
		snprintf(text, sizeof(text), "--%s%s%s", setting->name,
			 setting->value != NULL ? " " : "",
			 setting->value != NULL ? setting->value : "");
		columns->settings[columns->setting_count++] =
			mem_arena_strdup(columns->arena, text);
	}
}

struct report columns_report(const struct columns *columns, const struct study *study)
{
	struct report report = {.settings = columns->settings,
				.setting_count = columns->setting_count};

	report.columns = study_columns(study, &report.count);
	report.trace = columns->trace.format != NULL ? &columns->trace : NULL;
	return report;
}

enum err_code columns_read(struct columns *columns, const struct cmd_args *args,
			   struct study *study, uint32_t log_jobs, struct err *err)
{
	struct reading reading = {columns, args, study, log_jobs}, *c = &reading;
	enum err_code code;

	if (columns->text_count == 0 && c->args->operand_count == 0 &&
	    !cmd_given(c->args, "filename") && !cmd_given(c->args, "trace"))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what is to be compared? Give files with objects and jobs, or "
			       "--trace FILE");
	keep_settings(columns, args);
	code = read_policies(c, err);
	if (code != ERR_OK)
		return code;
	code = variant_read(c->args, &c->columns->variants, err);
	if (code != ERR_OK)
		return code;
	if (c->columns->policy_count == 1 && !cmd_given(c->args, "column"))
		variant_add_original(&c->columns->variants);
	if (c->columns->policy_count * c->columns->variants.count > VARIANT_MAX)
		return err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "%zu policies and %zu settings are more than %d columns",
			       c->columns->policy_count, c->columns->variants.count, VARIANT_MAX);
	for (size_t i = 0; i < c->columns->variants.count && code == ERR_OK; i++)
		code = add_variant(c, &c->columns->variants.items[i], err);
	return code;
}

void columns_free(struct columns *columns)
{
	if (columns->variants.arena != NULL)
		variant_free(&columns->variants);
	if (columns->arena != NULL)
		mem_arena_free(columns->arena);
}
