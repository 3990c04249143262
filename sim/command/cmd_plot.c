/* cmd_plot.c - gqsim plot: a figure of a comparison, drawn by gnuplot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/page/plot_data.h"
#include "sim/page/plot_files.h"
#include "sim/study/columns.h"
#include "sim/tool/nearest.h"
#include "sim/tool/output.h"

#define PATH_SIZE 1024

static const struct figure {
	const char *name, *script;
} kinds[] = {
	{"timeline", plot_timeline}, {"quotas", plot_quotas}, {"waits", plot_waits},
	{"nodes", plot_nodes},	     {"shares", plot_shares},
};

#define KINDS "timeline, quotas, waits, nodes and shares"
#define COUNT (sizeof(kinds) / sizeof(kinds[0]))

struct plotting {
	const struct cmd_context *context;
	const struct cmd_args *args;
	const struct figure *kind;
	const char *ending;	/* ".svg" */
	char folder[PATH_SIZE]; /* of the data */
	bool kept;		/* the user wants it */
};

/* ---- what is asked for ---- */

static enum err_code find_kind(struct plotting *p, struct err *err)
{
	const char *name = p->args->operand_count > 0 ? p->args->operands[0] : NULL;
	struct nearest nearest;

	if (name == NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0, "which figure? The kinds are " KINDS);
	nearest_begin(&nearest, name);
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			p->kind = &kinds[i];
			return ERR_OK;
		}
		nearest_offer(&nearest, kinds[i].name);
	}
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
		       "no figure \"%.60s\"%s%s%s; the kinds are " KINDS, name,
		       nearest.best != NULL ? "; did you mean \"" : "",
		       nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "\"?" : "");
}

static enum err_code find_output(struct plotting *p, struct err *err)
{
	static const char *const endings[] = {".svg", ".png", ".pdf"};
	const char *path = cmd_value(p->args, "output");
	size_t len = path == NULL ? 0 : strlen(path);

	p->kept = cmd_given(p->args, "data");
	if (path == NULL && p->kept)
		return ERR_OK;
	for (size_t i = 0; i < 3; i++)
		if (len > 4 && strcmp(path + len - 4, endings[i]) == 0)
			p->ending = endings[i];
	if (p->ending == NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-o FILE: the name of the figure must end in .svg, .png or .pdf");
	return ERR_OK;
}

/* ---- files ---- */

static enum err_code make_folder(struct plotting *p, struct err *err)
{
	const char *temporary = getenv("TMPDIR");

	if (p->kept) {
		snprintf(p->folder, sizeof(p->folder), "%s", cmd_value(p->args, "data"));
		if (mkdir(p->folder, 0777) == 0 || errno == EEXIST)
			return ERR_OK;
	} else {
		snprintf(p->folder, sizeof(p->folder), "%s/gqsim-plot-XXXXXX",
			 temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
		if (mkdtemp(p->folder) != NULL)
			return ERR_OK;
	}
	return err_set(err, ERR_IO, NULL, 0, 0, "cannot make the folder %.300s: %s", p->folder,
		       strerror(errno));
}

static void path_in(const struct plotting *p, const char *name, char path[2 * PATH_SIZE])
{
	snprintf(path, 2 * PATH_SIZE, "%s/%s", p->folder, name);
}

static enum err_code write_script(const struct plotting *p, const char *name, const char *text,
				  struct err *err)
{
	struct output output;
	char path[2 * PATH_SIZE];
	enum err_code code;

	path_in(p, name, path);
	code = output_open(&output, path, stdout, err);
	if (code != ERR_OK)
		return code;
	fputs(text, output.file);
	return output_close(&output, err);
}

static void remove_folder(const struct plotting *p, size_t columns)
{
	static const char *const names[] = {"columns.gp", "waits.csv",	"shares.csv", "look.gp",
					    "plot.gp",	  "figure.svg", "figure.png", "figure.pdf"};
	char path[2 * PATH_SIZE], name[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path_in(p, names[i], path);
		unlink(path);
	}
	for (size_t i = 1; i <= columns; i++) {
		snprintf(name, sizeof(name), "levels-%zu.csv", i);
		path_in(p, name, path);
		unlink(path);
		snprintf(name, sizeof(name), "nodes-%zu.csv", i);
		path_in(p, name, path);
		unlink(path);
	}
	rmdir(p->folder);
}

/* ---- gnuplot ---- */

/* In the folder of the data, so that no name has to be quoted. */
static _Noreturn void become_gnuplot(const struct plotting *p)
{
	char set[64];

	snprintf(set, sizeof(set), "output='figure%s'; look='look.gp'", p->ending);
	if (chdir(p->folder) == 0)
		execlp("gnuplot", "gnuplot", "-e", "load 'columns.gp'", "-e", set, "plot.gp",
		       (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

static enum err_code run_gnuplot(const struct plotting *p, struct err *err)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0)
		become_gnuplot(p);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return ERR_OK;
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(err, ERR_IO, NULL, 0, 0,
			       "gnuplot is missing: install it (Debian: gnuplot-nox), or take the "
			       "numbers alone with --data DIR");
	return err_set(err, ERR_IO, NULL, 0, 0, "gnuplot failed");
}

static enum err_code copy_figure(const struct plotting *p, struct err *err)
{
	char path[2 * PATH_SIZE], name[16], buf[65536];
	struct output output;
	FILE *figure;
	size_t got;
	enum err_code code;

	snprintf(name, sizeof(name), "figure%s", p->ending);
	path_in(p, name, path);
	figure = fopen(path, "rb");
	if (figure == NULL)
		return err_set(err, ERR_IO, NULL, 0, 0, "gnuplot drew nothing");
	code = output_open(&output, cmd_value(p->args, "output"), p->context->out, err);
	if (code == ERR_OK) {
		while ((got = fread(buf, 1, sizeof(buf), figure)) > 0)
			fwrite(buf, 1, got, output.file);
		code = output_close(&output, err);
	}
	fclose(figure);
	return code;
}

static enum err_code draw(const struct plotting *p, const struct report *report, struct err *err)
{
	enum err_code code = plot_data_write(report, p->folder, err);

	if (code == ERR_OK)
		code = write_script(p, "look.gp", plot_look, err);
	if (code == ERR_OK)
		code = write_script(p, "plot.gp", p->kind->script, err);
	if (code != ERR_OK || p->ending == NULL)
		return code;
	code = run_gnuplot(p, err);
	return code == ERR_OK ? copy_figure(p, err) : code;
}

/* ---- the command ---- */

/* What stands behind the kind. */
static enum err_code read_files(const struct plotting *p, struct study *study,
				struct columns *columns, struct err *err)
{
	struct cmd_args rest = *p->args;

	rest.operands++;
	rest.operand_count--;
	return columns_read(columns, &rest, study, 0, err);
}

static enum err_code plot(struct plotting *p, struct study *study, struct columns *columns,
			  struct err *err)
{
	struct report report;
	unsigned threads = 1;
	enum err_code code = find_kind(p, err);

	if (code == ERR_OK)
		code = find_output(p, err);
	if (code == ERR_OK)
		code = study_threads(p->args, &threads, err);
	if (code == ERR_OK)
		code = read_files(p, study, columns, err);
	if (code == ERR_OK)
		code = study_run(study, p->context, threads, cmd_given(p->args, "quiet"), err);
	if (code == ERR_OK)
		code = make_folder(p, err);
	if (code != ERR_OK)
		return code;
	report = columns_report(columns, study);
	cmd_tell(p->context, report.columns[0].scenario);
	code = draw(p, &report, err);
	if (!p->kept)
		remove_folder(p, report.count);
	return code;
}

static int run_plot(const struct cmd_context *context, const struct cmd_args *args)
{
	struct plotting p = {.context = context, .args = args};
	struct study *study = study_new();
	struct columns columns = {.policy_count = 0};
	struct err err;
	enum err_code code = plot(&p, study, &columns, &err);
	int result = code == ERR_OK ? study_verdict(study, context) : cmd_fail(context, &err);

	study_free(study);
	columns_free(&columns);
	return result;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FILE", "the figure: NAME.svg, .png or .pdf", "@out"},
	{"data", 0, "DIR", "keep the numbers as CSV, and the script, in this folder", "@path"},
	{"policies", 'p', "NAME,...", "what to compare (default kubernetes,kueue)", "@policies"},
	{"column", 0, "NAME", "begin a column of this name, changed by the --set after it", NULL},
	{"jobs", 'j', "N", "runs at once (default: one a processor)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_plot_row = {
	.name = "plot",
	.synopsis = "KIND FILE... -o FIGURE [options]",
	.summary = "a figure of a comparison, drawn by gnuplot",
	.help = "Draws one of these, a panel a policy, in colours that colour-blind readers can\n"
		"tell apart:\n"
		"\n"
		"    timeline  GPUs over time: capacity, working, held idle, asked for\n"
		"    quotas    GPUs that each team uses over time, with its nominal quota\n"
		"    waits     share of each team's jobs that have started within a time\n"
		"    nodes     how busy each node is over time\n"
		"    shares    what became of all GPU-hours: useful, lost, held idle, free\n"
		"\n"
		"The scripts are in plots/; gnuplot has to be installed.\n"
		"\n"
		"Examples:\n"
		"    gqsim plot timeline cluster.yaml jobs.csv -o timeline.svg\n"
		"    gqsim plot waits --trace philly.csv --nodes h100=64x8 -o waits.png\n"
		"  The numbers, for another tool:\n"
		"    gqsim plot quotas cluster.yaml jobs.csv --data figures\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_plot,
};
