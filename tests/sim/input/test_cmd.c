/* test_cmd.c - The command line: how it is read, what it says when it is wrong, and the
 * texts made from the tables (help, man page, completions, lists). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/cmd.h"
#include "tests/support/command.h"

#define WORDS 8

static int count_of(const char *const *argv)
{
	int n = 0;

	while (n < WORDS && argv[n] != NULL)
		n++;
	return n;
}

/* "name=value " a setting, "name " a switch, "(operand) ". */
static void print_args(const struct cmd_args *args, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < args->setting_count; i++)
		len += (size_t)snprintf(
			text + len, size - len, "%s%s%s%s ", args->settings[i].of_run ? "run:" : "",
			args->settings[i].name, args->settings[i].value != NULL ? "=" : "",
			args->settings[i].value != NULL ? args->settings[i].value : "");
	for (size_t i = 0; i < args->operand_count; i++)
		len += (size_t)snprintf(text + len, size - len, "(%s) ", args->operands[i]);
	if (args->help)
		snprintf(text + len, size - len, "HELP");
}

static const struct {
	const char *argv[WORDS];
	const char *expect;
} good[] = {
	{{"a.yaml", "-p", "kueue", "b.csv"}, "policy=kueue (a.yaml) (b.csv) "},
	{{"--policy=kueue"}, "policy=kueue "},
	{{"--policy", "kueue"}, "policy=kueue "},
	{{"-pkueue"}, "policy=kueue "},
	{{"-qv"}, "quiet verbose "},
	{{"-qp", "kueue"}, "quiet policy=kueue "},
	{{"--events=-"}, "events=- "},
	{{"-f", "x", "-f", "y"}, "filename=x filename=y "},
	{{"--grace", "30"}, "run:grace=30 "},
	{{"--set", "a/b:c.d=e=f"}, "set=a/b:c.d=e=f "},
	{{"--", "-p", "--x"}, "(-p) (--x) "},
	{{"-"}, "(-) "},
	{{"--help"}, "HELP"},
	{{"-h"}, "HELP"},
	{{NULL}, ""},
};

START_TEST(reads)
{
	struct cmd_args args;
	struct err err = {0};
	char text[256];

	ck_assert_int_eq(
		cmd_parse(&cmd_run_row, count_of(good[_i].argv), good[_i].argv, &args, &err),
		ERR_OK);
	print_args(&args, text, sizeof(text));
	ck_assert_str_eq(text, good[_i].expect);
	cmd_args_free(&args);
}
END_TEST

static const struct {
	const char *argv[WORDS];
	const char *says;
} wrong[] = {
	{{"--polcy", "kueue"}, "unknown option --polcy; did you mean --policy?"},
	{{"--zzzzzzzz"}, "unknown option --zzzzzzzz (gqsim run --help lists the options)"},
	{{"-x"}, "unknown option -x"},
	{{"--policy"}, "--policy needs a value: --policy POLICY"},
	{{"-p"}, "--policy needs a value"},
	{{"--quiet=yes"}, "--quiet takes no value"},
	{{"--grac=3"}, "did you mean --grace?"},
};

START_TEST(refuses)
{
	struct cmd_args args;
	struct err err = {0};

	ck_assert_int_eq(
		cmd_parse(&cmd_run_row, count_of(wrong[_i].argv), wrong[_i].argv, &args, &err),
		ERR_USAGE);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
	cmd_args_free(&args);
}
END_TEST

START_TEST(the_last_value_counts)
{
	static const char *const argv[] = {"--policy", "a", "--policy", "b"};
	struct cmd_args args;
	struct err err;

	ck_assert_int_eq(cmd_parse(&cmd_run_row, 4, argv, &args, &err), ERR_OK);
	ck_assert_str_eq(cmd_value(&args, "policy"), "b");
	ck_assert_ptr_null(cmd_value(&args, "events"));
	ck_assert(cmd_given(&args, "policy") && !cmd_given(&args, "quiet"));
	cmd_args_free(&args);
}
END_TEST

START_TEST(inputs_come_from_operands_and_options)
{
	static const char *const argv[] = {"a", "-f", "b", "JOB", "--set", "x.y=1", "--strict"};
	struct cmd_args args;
	struct cmd_input input;
	struct err err;

	ck_assert_int_eq(cmd_parse(&cmd_explain_row, 7, argv, &args, &err), ERR_OK);
	cmd_input(&args, 1, &input); /* the last operand is no file */
	ck_assert_uint_eq(input.request.file_count, 2);
	ck_assert_str_eq(input.request.files[0], "a");
	ck_assert_str_eq(input.request.files[1], "b");
	ck_assert_uint_eq(input.request.set_count, 1);
	ck_assert(input.request.strict && !input.request.verbose);
	cmd_input_free(&input);
	cmd_args_free(&args);
}
END_TEST

/* A Simulation document sets options; the command line wins. */
START_TEST(the_command_line_wins)
{
	static const char *const argv[] = {"--grace", "7"};
	struct scenario s = {.strings = name_new()};
	uint32_t options[2] = {name_add(s.strings, "grace=3"), name_add(s.strings, "seed=9")};
	struct run_options out;
	struct cmd_args args;
	struct err err = {0};

	s.options = options;
	s.option_count = 2;
	ck_assert_int_eq(cmd_parse(&cmd_run_row, 2, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(cmd_run_options(&args, &s, &out, &err), ERR_OK);
	ck_assert_int_eq(out.grace, 7 * CLOCK_SECOND);
	ck_assert_uint_eq(out.seed, 9);
	options[1] = name_add(s.strings, "sead=9");
	ck_assert_int_eq(cmd_run_options(&args, &s, &out, &err), ERR_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(err.msg, "\"seed\""));
	options[1] = name_add(s.strings, "seed");
	ck_assert_int_eq(cmd_run_options(&args, &s, &out, &err), ERR_VALUE);
	cmd_args_free(&args);
	name_free(s.strings);
}
END_TEST

/* ---- the tables ---- */

START_TEST(every_command_teaches_by_example)
{
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		struct cmd_option option;

		ck_assert_ptr_eq(cmd_table_find((*row)->name), *row);
		for (const struct cmd_row *const *other = row + 1; *other != NULL; other++)
			ck_assert_ptr_ne(*other, *row);
		ck_assert_uint_gt(strlen((*row)->summary), 10);
		ck_assert_msg(strstr((*row)->help, "gqsim ") != NULL, "%s", (*row)->name);
		ck_assert_int_eq((*row)->help[strlen((*row)->help) - 1], '\n');
		for (size_t i = 0; cmd_option_at(*row, i, &option); i++)
			ck_assert_msg(strlen(option.help) > 5, "%s --%s", (*row)->name,
				      option.name);
	}
	ck_assert_ptr_null(cmd_table_find("nothing"));
}
END_TEST

static bool has_line_over(const char *text, int width)
{
	for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
		if (strcspn(text, "\n") > (size_t)width)
			return true;
	}
	return false;
}

START_TEST(help_fits_a_terminal)
{
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		char line[64];
		struct command c;

		snprintf(line, sizeof(line), "help %s", (*row)->name);
		c = command_run(line);
		ck_assert_int_eq(c.code, 0);
		ck_assert_msg(!has_line_over(c.out, 90), "%s", (*row)->name);
		ck_assert_ptr_nonnull(strstr(c.out, (*row)->summary));
		ck_assert_ptr_nonnull(strstr(c.out, "--help"));
		command_free(&c);
	}
}
END_TEST

START_TEST(help_lists_all_and_guesses)
{
	struct command c = command_run("help");

	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		ck_assert_ptr_nonnull(strstr(c.out, (*row)->summary));
	command_free(&c);
	c = command_run("help comprae");
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_ptr_nonnull(strstr(c.err, "did you mean \"compare\"?"));
	command_free(&c);
}
END_TEST

/* sim/command/gqsim.1 is `gqsim help --man`; make it anew when this fails. */
START_TEST(the_man_page_is_current)
{
	struct command c = command_run("help --man");
	char *text = calloc(1, 200000);
	FILE *f = fopen("sim/command/gqsim.1", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(text, 1, 199999, f), 0);
	fclose(f);
	ck_assert_msg(strcmp(text, c.out) == 0, "run: gqsim help --man > sim/command/gqsim.1");
	free(text);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *part;
} prints[] = {
	{"version", "gqsim "},
	{"version", "models Kueue"},
	{"version", "v1.34.4"},
	{"list policies", "kueue "},
	{"list traces", "philly "},
	{"list gates", "PartialAdmission "},
	{"list gates -o json", "\"name\": \"PartialAdmission\",\n   \"default\": true,\n   "
			       "\"here\": \"modelled, on and off\""},
	{"list kinds -o json", "\"name\": \"Cohort\",\n   \"group\": \"kueue.x-k8s.io\""},
	{"list rules -o json", "\"about\": "},
	{"list options", "--requeue-batch SECONDS"},
	{"list reports", "--timeline"},
	{"completion bash", "complete -o filenames -F _gqsim gqsim"},
	{"completion bash", "--policy|-p) COMPREPLY=($(compgen -W \"kubernetes "},
	{"completion bash", "--create) COMPREPLY=($(compgen -W \"sequential interleaved\""},
	{"completion zsh", "#compdef gqsim"},
	{"completion zsh", "'*--events["},
	{"completion zsh", "'--help["},
	{"completion fish", "complete -c gqsim -n __fish_use_subcommand -f -a compare"},
	{"completion fish", "complete -c gqsim -l help"},
	{"completion fish", "-l output -s o -r -f -a 'table wide json csv'"},
};

START_TEST(prints_what_is_asked_for)
{
	struct command c = command_run(prints[_i].line);

	ck_assert_int_eq(c.code, 0);
	ck_assert_str_eq(c.err, "");
	ck_assert_msg(strstr(c.out, prints[_i].part) != NULL, "%.300s", c.out);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} complaints[] = {
	{"list", "what is to be listed"},
	{"list gates -o csv", "the formats are text and json"},
	{"list polices", "did you mean \"policies\"?"},
	{"completion tcsh", "bash, zsh or fish"},
	{"completion", "bash, zsh or fish"},
	{"version x", "x: one word too many"},
	{"help run compare", "compare: one word too many"},
	{"help --man run", "run: one word too many"},
};

START_TEST(complains_with_what_would_be_right)
{
	struct command c = command_run(complaints[_i].line);

	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, complaints[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

/* Whatever is printed: a field that is not taken, and an object that is not modelled, are told
 * there or beside it. */
static const char doubtful[] = "apiVersion: resource.k8s.io/v1\n"
			       "kind: ResourceClaim\n"
			       "metadata: {name: card, namespace: default}\n"
			       "---\n"
			       "apiVersion: kueue.x-k8s.io/v1beta2\n"
			       "kind: Cohort\n"
			       "metadata: {name: other}\n"
			       "spec: {parentNam: all}\n";

static const char *const loading[] = {
	"compare % -o csv",
	"compare % -o json",
	"compare %",
	"run -p kueue % --events -",
	"run -p kueue % --pending -",
	"run -p kueue % -o csv",
	"run -p kueue % -o json",
	"run -p kueue % -o prometheus",
	"run -p kueue %",
	"sweep -p kueue % -o csv",
	"explain % a1",
	"explain % a1 -o json",
	"simulate -f %/job.yaml %/objects.yaml %/doubtful.yaml",
	"plan % --target p95-wait=1h --max-nodes 1 --replications 1 -o csv",
	"plan % --target p95-wait=1h --max-nodes 1 --replications 1",
	"check %",
	"import % -o %/imported", /* the last: what it writes would be read, too */
};

static const char ask[] = "apiVersion: batch/v1\n"
			  "kind: Job\n"
			  "metadata: {name: asked, labels: {kueue.x-k8s.io/queue-name: a}}\n"
			  "spec:\n"
			  "  template:\n"
			  "    spec:\n"
			  "      restartPolicy: Never\n"
			  "      containers:\n"
			  "      - {name: c, resources: {requests: {nvidia.com/gpu: 1}}}\n";

static bool tells(const struct command *c, const char *text)
{
	return strstr(c->out, text) != NULL || strstr(c->err, text) != NULL;
}

START_TEST(nothing_is_dropped_in_silence)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("doubtful.yaml", doubtful);
	command_file(strstr(loading[_i], "job.yaml") != NULL ? "job.yaml" : "reclaim.csv",
		     strstr(loading[_i], "job.yaml") != NULL ? ask : command_reclaim);
	c = command_run(loading[_i]);
	ck_assert_msg(tells(&c, "spec.parentNam"), "%s: %s", loading[_i], c.err);
	ck_assert_msg(tells(&c, "ResourceClaim"), "%s: %s", loading[_i], c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/input/cmd");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, reads, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_loop_test(t, refuses, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(t, the_last_value_counts);
	tcase_add_test(t, inputs_come_from_operands_and_options);
	tcase_add_test(t, the_command_line_wins);
	tcase_add_test(t, every_command_teaches_by_example);
	tcase_add_test(t, help_fits_a_terminal);
	tcase_add_test(t, help_lists_all_and_guesses);
	tcase_add_test(t, the_man_page_is_current);
	tcase_add_loop_test(t, prints_what_is_asked_for, 0,
			    (int)(sizeof(prints) / sizeof(prints[0])));
	tcase_add_loop_test(t, complains_with_what_would_be_right, 0,
			    (int)(sizeof(complaints) / sizeof(complaints[0])));
	tcase_add_loop_test(t, nothing_is_dropped_in_silence, 0,
			    (int)(sizeof(loading) / sizeof(loading[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
