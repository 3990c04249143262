/* test_cmd_check.c - gqsim check over tests/badinput/cases.txt: every word it says. */
#include <stdio.h>
#include <unistd.h>

#include "sim/input/cmd.h"
#include "tests/sim/objects_case.h"

#define CASES	  "tests/badinput/cases.txt"
#define MAX_CASES 400
#define MAX_WORDS 20

struct bad_case {
	const char *name, *file;
	int exit;
	const char *arguments; /* by blanks; "" */
	const char *content;
	size_t size;
	const char *expected;
};

static struct bad_case cases[MAX_CASES];
static int case_count;
static char *text; /* of the whole file; cases point into it */
static char home[4096], folder[] = "/tmp/gqsim-check-XXXXXX";

/* ---- the file of cases ---- */

static char *read_all(FILE *f)
{
	size_t used = 0, capacity = 0;
	char *all = NULL;

	do {
		all = mem_grow(all, used + 4097, &capacity, 1);
		used += fread(all + used, 1, 4096, f);
	} while (!feof(f) && !ferror(f));
	all[used] = '\0';
	return all;
}

/* Ends the text before the line that is the mark; what follows the mark's line. */
static char *cut(char *from, const char *mark)
{
	char line[16], *at;

	snprintf(line, sizeof(line), "\n%s\n", mark);
	if (strncmp(from, line + 1, strlen(line) - 1) == 0)
		at = from - 1;
	else
		at = strstr(from, line);
	if (at == NULL) {
		fprintf(stderr, CASES ": no line %s after %.40s\n", mark, from);
		exit(EXIT_FAILURE);
	}
	if (at >= from)
		at[1] = '\0';
	else
		*from = '\0';
	return at + strlen(line);
}

/* "\xHH" becomes a byte. */
static size_t unescape(char *s)
{
	char *out = s, *from = s;

	while (*from != '\0') {
		unsigned byte;

		if (from[0] == '\\' && from[1] == 'x' && sscanf(from + 2, "%2x", &byte) == 1) {
			*out++ = (char)byte;
			from += 4;
		} else {
			*out++ = *from++;
		}
	}
	*out = '\0';
	return (size_t)(out - s);
}

static char *word(char **at)
{
	char *begin = *at;

	*at += strcspn(*at, " ");
	if (**at == ' ')
		*(*at)++ = '\0';
	return begin;
}

static void read_cases(void)
{
	FILE *f = fopen(CASES, "rb");
	char *at;

	if (f == NULL) {
		perror(CASES);
		exit(EXIT_FAILURE);
	}
	text = read_all(f);
	fclose(f);
	at = strstr(text, "\n## ");
	while (at != NULL && case_count < MAX_CASES) {
		struct bad_case *c = &cases[case_count++];
		char *head = at + (at[0] == '\n' ? 4 : 3);
		char *content = head + strcspn(head, "\n"), *expected;

		*content++ = '\0';
		c->name = word(&head);
		c->file = word(&head);
		c->exit = atoi(word(&head));
		c->arguments = head;
		c->content = content;
		c->expected = expected = cut(content, "%%");
		at = cut(expected, "%%%");
		c->size = unescape(content);
		at = strncmp(at, "## ", 3) == 0 ? at : strstr(at, "\n## ");
	}
}

/* ---- one case ---- */

static void write_input(const struct bad_case *c)
{
	FILE *f = fopen(c->file, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(c->content, 1, c->size, f), c->size);
	ck_assert_int_eq(fclose(f), 0);
}

/* Without the last line, which counts jobs and the like. */
static void drop_counts(char *out)
{
	size_t len = strlen(out);
	char *line;

	if (len == 0)
		return;
	out[len - 1] = '\0';
	line = strrchr(out, '\n');
	line = line == NULL ? out : line + 1;
	if (strstr(line, " job") != NULL && strstr(line, "ClusterQueue") != NULL &&
	    line[0] >= '0' && line[0] <= '9')
		*line = '\0';
	else
		out[len - 1] = '\n';
}

static int run(const struct bad_case *c, char *output, size_t size)
{
	const char *argv[MAX_WORDS + 1] = {c->file};
	char *words = mem_strdup(c->arguments), *at = words;
	struct cmd_context context = {.out = tmpfile(), .err = tmpfile()};
	struct cmd_args args;
	struct err err;
	int argc = 1, status;
	size_t got;

	while (*at != '\0' && argc < MAX_WORDS)
		argv[argc++] = word(&at);
	ck_assert_int_eq(cmd_parse(&cmd_check_row, argc, argv, &args, &err), ERR_OK);
	status = cmd_check_row.run(&context, &args);
	cmd_args_free(&args);
	mem_free(words);
	rewind(context.out);
	got = fread(output, 1, size - 1, context.out);
	output[got] = '\0';
	ck_assert_int_eq(ftell(context.err), 0); /* nothing is said elsewhere */
	fclose(context.out);
	fclose(context.err);
	return status;
}

START_TEST(bad_input)
{
	const struct bad_case *c = &cases[_i];
	char output[8192];
	int status;

	ck_assert_int_eq(chdir(folder), 0);
	write_input(c);
	status = run(c, output, sizeof(output));
	unlink(c->file);
	ck_assert_int_eq(chdir(home), 0);
	drop_counts(output);
	ck_assert_msg(strcmp(output, c->expected) == 0, "%s:\n%sbut expected:\n%s", c->name, output,
		      c->expected);
	ck_assert_msg(status == c->exit, "%s: exit %d, expected %d", c->name, status, c->exit);
}
END_TEST

START_TEST(names_are_unique)
{
	ck_assert_int_ge(case_count, 150);
	for (int i = 0; i < case_count; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(cases[i].name, cases[k].name);
}
END_TEST

/* Notes and what is not modelled ask for nothing; all else says what to do. */
START_TEST(every_fault_has_a_fix)
{
	static const char *const kinds[] = {"error: ", "warning: ", "advice: "};
	const char *line = cases[_i].expected;

	while (*line != '\0') {
		const char *next = strchr(line, '\n') + 1;

		for (int k = 0; k < 3; k++)
			ck_assert_msg(strncmp(line, kinds[k], strlen(kinds[k])) != 0 ||
					      strncmp(next, "    fix: ", 9) == 0,
				      "%s: %.300s", cases[_i].name, line);
		line = next;
	}
}
END_TEST

/* Errors of several objects are all told, and the next file is read, too. */
START_TEST(all_errors)
{
	struct bad_case c = {
		.name = "all",
		.file = "in.yaml",
		.arguments = "second.yaml",
		.content = "apiVersion: v1\nkind: Node\nmetadata: {name: A}\n---\n"
			   "apiVersion: v1\nkind: Node\nmetadata: {name: B}\n---\na: [\n",
	};
	char output[8192];

	c.size = strlen(c.content);
	ck_assert_int_eq(chdir(folder), 0);
	write_input(&c);
	ck_assert_int_eq(run(&c, output, sizeof(output)), CMD_USAGE);
	unlink(c.file);
	ck_assert_int_eq(chdir(home), 0);
	ck_assert_ptr_nonnull(strstr(output, "error: in.yaml:3:18: Node \"A\": metadata.name"));
	ck_assert_ptr_nonnull(strstr(output, "error: in.yaml:7:18: Node \"B\": metadata.name"));
	ck_assert_ptr_nonnull(strstr(output, "error: in.yaml:10:1: malformed YAML"));
	ck_assert_ptr_nonnull(strstr(output, "error: second.yaml: cannot be opened"));
}
END_TEST

START_TEST(json)
{
	struct bad_case c = {.name = "json",
			     .file = "in.yaml",
			     .arguments = "-o json",
			     .content = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"};
	char output[8192];

	c.size = strlen(c.content);
	ck_assert_int_eq(chdir(folder), 0);
	write_input(&c);
	ck_assert_int_eq(run(&c, output, sizeof(output)), CMD_OK);
	unlink(c.file);
	ck_assert_int_eq(chdir(home), 0);
	ck_assert_ptr_nonnull(strstr(output, "\"kind\": \"not modelled\""));
	ck_assert_ptr_nonnull(strstr(output, "in.yaml:1:1: Service: not modelled, skipped"));
	ck_assert_ptr_nonnull(strstr(output, "\"exitCode\": 0"));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");
	int status;

	if (getcwd(home, sizeof(home)) == NULL || mkdtemp(folder) == NULL)
		return EXIT_FAILURE;
	read_cases();
	tcase_add_loop_test(t, bad_input, 0, case_count);
	tcase_add_loop_test(t, every_fault_has_a_fix, 0, case_count);
	tcase_add_test(t, names_are_unique);
	tcase_add_test(t, all_errors);
	tcase_add_test(t, json);
	status = objects_case_run("sim/command/cmd_check", t);
	mem_free(text);
	rmdir(folder);
	return status;
}
