/* cmd_lab.c - gqsim lab: play with a cluster in a browser. */
#include <string.h>
#include <time.h>

#include "core/num.h"
#include "sim/page/lab_play.h"
#include "sim/page/lab_server.h"

#define DEFAULT_PORT 8088
#define TICK_NS	     100000000L

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Until Ctrl-C or SIGTERM. */
static void serve(const struct cmd_context *context, struct lab_server *server)
{
	double last = now();

	while (*context->stop == 0) {
		const struct timespec tick = {.tv_nsec = TICK_NS};
		double time;

		nanosleep(&tick, NULL); /* a signal ends it early: fine */
		time = now();
		lab_server_tick(server, time - last);
		last = time;
	}
}

static enum err_code read_port(const struct cmd_args *args, unsigned *out, struct err *err)
{
	const char *text = cmd_value(args, "port");
	uint32_t port = DEFAULT_PORT;

	if (text != NULL && (!num_read_u32(text, strlen(text), &port) || port > 65535))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--port %.100s: a number from 1 to 65535, or 0 for any free one",
			       text);
	*out = port;
	return ERR_OK;
}

/* What is wrong with the input is said before a browser asks. */
static enum err_code check_input(const struct cmd_context *context, const struct cmd_args *args,
				 struct err *err)
{
	struct lab_play *play = NULL;
	enum err_code code = lab_play_new(context, args, &play, err);

	if (code == ERR_OK)
		lab_play_free(play);
	return code;
}

static int run_lab(const struct cmd_context *context, const struct cmd_args *args)
{
	const char *listen = cmd_value(args, "listen");
	struct lab_server *server = NULL;
	unsigned port = 0;
	struct err err;
	enum err_code code = read_port(args, &port, &err);

	if (listen == NULL)
		listen = "127.0.0.1";
	if (code == ERR_OK)
		code = check_input(context, args, &err);
	if (code == ERR_OK)
		code = lab_server_start(context, args, listen, port, &server, &err);
	if (code != ERR_OK)
		return cmd_fail(context, &err);
	if (strchr(listen, ':') != NULL)
		fprintf(context->out, "http://[%s]:%u/\n", listen, lab_server_port(server));
	else
		fprintf(context->out, "http://%s:%u/\n", listen, lab_server_port(server));
	fflush(context->out);
	if (context->err_terminal)
		fputs("Open it in a browser; Ctrl-C ends it.\n", context->err);
	serve(context, server);
	lab_server_stop(server);
	return CMD_OK;
}

static const struct cmd_option options[] = {
	{"port", 0, "N", "the port to listen on (default 8088; 0: any free one)", NULL},
	{"listen", 0, "ADDRESS", "the address to listen on (default 127.0.0.1: this machine only)",
	 NULL},
	{"policies", 'p', "NAME,...", "what to compare (default kubernetes,kueue)", "@policies"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_lab_row = {
	.name = "lab",
	.synopsis = "[FILE...] [options]",
	.summary = "play with a cluster in a browser: submit jobs, change quotas, watch",
	.help = "Serves a page on this machine: submit jobs by button, let time run or step, with\n"
		"the policies side by side; change quotas, undo, and save the play as a scenario\n"
		"that gqsim compare reproduces. Without files it begins with two nodes of eight\n"
		"GPUs and three teams. The numbers are those of gqsim compare: after each action\n"
		"the play is run anew from its start.\n"
		"\n"
		"Only this machine can ask, unless --listen says otherwise: there is no password.\n"
		"Ctrl-C ends it. scenarios/README.md documents its JSON API.\n"
		"\n"
		"Examples:\n"
		"    gqsim lab\n"
		"    gqsim lab queues.yaml nodes.yaml jobs.csv --port 9000\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_lab,
};
