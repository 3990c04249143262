/* test_cmd_trace.c - gqsim trace: arguments, outputs, exit codes. */
#include <unistd.h>

#include "sim/input/cmd.h"
#include "tests/sim/trace_case.h"

#define ARGS_MAX 12

struct outcome {
	int code;
	char out[20000], err[2000];
};

static void read_back(FILE *f, char *text, size_t size)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

static void run(struct outcome *o, const char *const *argv)
{
	struct cmd_context context = {.out = tmpfile(), .err = tmpfile()};
	struct cmd_args args;
	struct err err;
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	if (cmd_parse(&cmd_trace_row, argc, argv, &args, &err) != ERR_OK)
		o->code = cmd_fail(&context, &err);
	else
		o->code = cmd_trace_row.run(&context, &args);
	cmd_args_free(&args);
	read_back(context.out, o->out, sizeof(o->out));
	read_back(context.err, o->err, sizeof(o->err));
}

/* A file with this text; its name is the caller's. */
static void write_file(char *name, const char *text)
{
	int fd = mkstemp(name);
	size_t len = strlen(text);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
}

#define PHILLY                                                                                     \
	"timestamp,duration,num_gpus,gpu_time,cluster\n"                                           \
	"2017-10-02 00:00:10,5.0,8,40.0,b\n"                                                       \
	"2017-10-02 00:00:00,60.0,1,60.0,a\n"                                                      \
	"2017-10-03 00:00:00,5.0,8,41.0,b\n"                                                       \
	"2017-10-03 00:00:00,5.0,0,0.0,b\n"

/* "@" stands for the trace, "%" for the file of node counts. */
static const struct {
	const char *argv[ARGS_MAX];
	int code;
	const char *out[4], *err;
} rows[] = {
	{{"stats", "@"},
	 CMD_OK,
	 {"philly-csv, 4 rows, 3 jobs", "skipped 1: zero_gpus",
	  "submits  2017-10-02 00:00:00 to 2017-10-03 00:00:00",
	  "1 row whose gpu_time is not duration x GPUs"},
	 NULL},
	{{"stats", "@", "-o", "json"},
	 CMD_OK,
	 {"\"rows\": 4,", "\"gpu_time_column_mismatch\": 1",
	  "\"first_submit\": \"2017-10-02 00:00:00\"", "\"total_gpu_seconds\": 140"},
	 NULL},
	{{"stats", "@", "-o", "json", "--from", "2017-10-03"},
	 CMD_OK,
	 {"\"jobs\": 1,", "\"from_s\": 86400,", "\"first_submit_s\": 86400", "\"rows\": 4"},
	 NULL},
	{{"stats", "@", "-o", "json", "--from", "5s", "--to", "2017-10-02 12:00:00"},
	 CMD_OK,
	 {"\"jobs\": 1,", "\"first_submit_s\": 10"},
	 NULL},
	{{"stats", "@", "--format", "auto"}, CMD_OK, {"philly-csv, 4 rows"}, NULL},
	{{"stats", "%", "--format", "auto"}, CMD_USAGE, {NULL}, "but no jobs: give the trace too"},
	{{"stats", "@", "--from", "90d"}, CMD_OK, {"window   ", ": 0 jobs"}, NULL},
	{{"stats", "@", "--from", "2017-10-03"}, CMD_OK, {"window   ", ": 1 job\n"}, NULL},
	{{"stats", "@", "--pool", "4,9", "-o", "json"},
	 CMD_OK,
	 {"\"C\": 4,", "\"C\": 9,", "\"rejected\": 2"},
	 NULL},
	{{"stats", "@", "--vc-nodes", "%", "-o", "json"},
	 CMD_OK,
	 {"\"vc_nodes_file\"", "\"c\": 2", "\"per_vc_fifo_pool_nodes_x8\"", "\"C\": 24"},
	 NULL},
	{{"stats", "@", "--vc-nodes", "%"}, CMD_OK, {"wait, strict FIFO pool"}, NULL},
	{{NULL}, CMD_USAGE, {NULL}, "gqsim trace stats FILE, or convert"},
	{{"stats"}, CMD_USAGE, {NULL}, "gqsim trace stats FILE, or convert"},
	{{"statz", "@"}, CMD_USAGE, {NULL}, "gqsim trace stats FILE, or convert"},
	{{"stats", "@", "-o", "xml"}, CMD_USAGE, {NULL}, "table and json"},
	{{"stats", "@", "--format", "philly"}, CMD_USAGE, {NULL}, "a JSON array of jobs"},
	{{"stats", "@", "--format", "nope"}, CMD_USAGE, {NULL}, "no trace format \"nope\""},
	{{"stats", "@", "--from", "noon"}, CMD_USAGE, {NULL}, "\"noon\" is no time of this trace"},
	{{"stats", "@", "--to", "2017-02-30"}, CMD_USAGE, {NULL}, "\"2017-02-30\" is no time"},
	{{"stats", "@", "--pool", "4,x"}, CMD_USAGE, {NULL}, "--pool \"x\""},
	{{"stats", "@", "--pool", "0"}, CMD_USAGE, {NULL}, "numbers of GPUs are needed"},
	{{"stats", "@", "--attempts", "all"}, CMD_USAGE, {NULL}, "write sum or separate"},
	{{"stats", "@", "--unfinished", ""}, CMD_USAGE, {NULL}, "write skip or keep"},
	{{"stats", "@", "--vc-nodes", "@"}, CMD_USAGE, {NULL}, "no column \"vc\""},
	{{"stats", "@", "--vc-nodes", "/nonexistent"}, CMD_USAGE, {NULL}, "/nonexistent"},
	{{"stats", "/nonexistent"}, CMD_USAGE, {NULL}, "/nonexistent"},
	{{"stats", "%"}, CMD_USAGE, {NULL}, "but no jobs: give the trace too"},
	{{"stats", "@", "--nope"}, CMD_USAGE, {NULL}, "--nope"},
};

START_TEST(calls)
{
	char trace[] = "/tmp/gqsim-trace-XXXXXX", nodes[] = "/tmp/gqsim-nodes-XXXXXX";
	const char *argv[ARGS_MAX + 1] = {NULL};
	struct outcome *o = calloc(1, sizeof(*o));

	write_file(trace, PHILLY);
	write_file(nodes, "vc,node num\na,1\nb,3\nc,2\n");
	for (int i = 0; i < ARGS_MAX && rows[_i].argv[i] != NULL; i++) {
		const char *arg = rows[_i].argv[i];

		argv[i] = strcmp(arg, "@") == 0 ? trace : strcmp(arg, "%") == 0 ? nodes : arg;
	}
	run(o, argv);
	ck_assert_msg(o->code == rows[_i].code, "row %d: exit %d: %s", _i, o->code, o->err);
	for (int i = 0; i < 4 && rows[_i].out[i] != NULL; i++)
		ck_assert_msg(strstr(o->out, rows[_i].out[i]) != NULL, "row %d: no %s in\n%s", _i,
			      rows[_i].out[i], o->out);
	if (rows[_i].err != NULL) {
		ck_assert_msg(strstr(o->err, rows[_i].err) != NULL, "row %d: %s", _i, o->err);
		ck_assert_str_eq(o->out, ""); /* data or an error, not both */
	} else {
		ck_assert_ptr_nonnull(strstr(o->err, ":5: 1 row left out: zero_gpus"));
	}
	unlink(trace);
	unlink(nodes);
	free(o);
}
END_TEST

/* A job list with priority classes is no scenario without their objects, but it has figures. */
START_TEST(needs_no_objects)
{
	char trace[] = "/tmp/gqsim-trace-XXXXXX";
	const char *argv[] = {"stats", trace, "-o", "json", NULL};
	struct outcome *o = calloc(1, sizeof(*o));

	write_file(trace, "name,submit_s,duration_s,priority_class,requests\n"
			  "a,0.5,1.25,high,nvidia.com/gpu=2\n");
	run(o, argv);
	ck_assert_int_eq(o->code, CMD_OK);
	ck_assert_ptr_nonnull(strstr(o->out, "\"total_gpu_seconds\": 2.5"));
	ck_assert_ptr_nonnull(strstr(o->out, "\"first_submit_s\": 0.5"));
	ck_assert_ptr_null(strstr(o->out, "jobs_per_month"));
	unlink(trace);
	free(o);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, calls, 0, ROWS(rows));
	tcase_add_test(t, needs_no_objects);
	return trace_case_run("sim/command/cmd_trace", t);
}
