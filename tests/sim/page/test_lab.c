/* test_lab.c - plays against the command line, the API's complaints, and the server under
 * malformed requests and a thousand connections. */
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/rng.h"
#include "sim/page/lab_play.h"
#include "sim/page/lab_request.h"
#include "sim/page/lab_server.h"
#include "sim/tool/output.h"
#include "tests/support/command.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static const volatile sig_atomic_t never_stop = 0;
static const struct cmd_context context = {.stop = &never_stop};

/* ---- plays ---- */

static struct lab_play *new_play(struct cmd_args *args)
{
	struct lab_play *play = NULL;
	struct err err = {0};

	ck_assert_int_eq(cmd_parse(&cmd_lab_row, 0, NULL, args, &err), ERR_OK);
	ck_assert_msg(lab_play_new(&context, args, &play, &err) == ERR_OK, "%s", err.msg);
	return play;
}

static void ask(struct lab_play *play, const char *action, const char *body)
{
	double speed = 0;
	struct err err = {0};

	ck_assert_msg(lab_request(play, action, body, strlen(body), &speed, &err) == ERR_OK,
		      "%s %s: %s", action, body, err.msg);
}

/* Each exact figure that compare prints of the saved play stands in the state, in its
 * column. */
static void same_as_the_command_line(struct lab_play *play)
{
	struct output_text saved;
	struct command c;
	char *line, *rest;

	output_text_open(&saved);
	lab_play_save(play, saved.file);
	output_text_close(&saved);
	command_file("play.yaml", saved.data);
	c = command_run("compare %/play.yaml -o csv");
	ck_assert_msg(c.code == 0, "%s in\n%s", c.err, saved.data);
	rest = strchr(c.out, '\n') + 1;
	while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
		char *key = strtok_r(line, ",", &line), *wanted, text[700];
		const char *at = lab_play_state(play);

		strtok_r(line, ",", &line); /* the unit */
		while ((wanted = strtok_r(line, ",", &line)) != NULL) {
			snprintf(text, sizeof(text), "\"%s\":\"%s\"", key, wanted);
			at = strstr(at, "\"exact\":{");
			ck_assert_ptr_nonnull(at);
			ck_assert_msg(strstr(at, text) != NULL &&
					      (strstr(at + 1, "\"exact\":{") == NULL ||
					       strstr(at, text) < strstr(at + 1, "\"exact\":{")),
				      "%s in\n%.2000s", text, strstr(saved.data, "jobs:"));
			at++;
		}
	}
	command_free(&c);
	output_text_free(&saved);
}

static void has(const struct lab_play *play, const char *text)
{
	ck_assert_msg(strstr(lab_play_state(play), text) != NULL, "no %s in %s", text,
		      lab_play_state(play));
}

#define SERVING                                                                                    \
	"{\"queue\":\"research/"                                                                   \
	"research\",\"name\":\"serving\",\"gpus\":8,\"duration\":\"endless\"}"
#define RING "{\"queue\":\"product/product\",\"name\":\"ring\",\"pods\":2,\"gpus\":4}"
#define TRIALS                                                                                     \
	"{\"queue\":\"research/"                                                                   \
	"research\",\"name\":\"trial\",\"gpus\":2,\"duration\":\"2h\",\"count\":8}"
#define CI "{\"queue\":\"platform/platform\",\"name\":\"ci\",\"gpus\":2,\"duration\":\"15m\"}"

START_TEST(the_deadlock_takes_four_requests)
{
	struct cmd_args args;
	struct lab_play *play = new_play(&args);

	ask(play, "job", SERVING);
	ask(play, "job", RING);
	ask(play, "job", RING);
	ask(play, "end", "{}");
	has(play, "1 (2 jobs, 8 GPUs)");
	has(play, "\"over\":true");
	has(play, "ring-2");
	same_as_the_command_line(play);
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

START_TEST(the_reclaim_takes_four_requests)
{
	struct cmd_args args;
	struct lab_play *play = new_play(&args);

	ask(play, "job", TRIALS);
	ask(play, "step", "{\"by\":\"10m\"}");
	ask(play, "job", CI);
	ask(play, "end", "{}");
	has(play, "at 10m ci of platform took back from research: 1 job with 2 GPUs stopped");
	same_as_the_command_line(play);
	/* and without it nobody is stopped */
	ask(play, "undo", "{}");
	has(play, "\"preemptions\":\"0\"");
	ask(play, "reset", "{}");
	has(play, "\"clock\":0,");
	has(play, "\"actions\":[]");
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

/* With 4 GPUs of quota less, and nothing to borrow, the second job waits. */
START_TEST(quotas_change_from_then_on)
{
	struct cmd_args args;
	struct lab_play *play = new_play(&args);

	ask(play, "quota",
	    "{\"queue\":\"research\",\"flavor\":\"a100\",\"field\":\"borrowingLimit\",\"value\":"
	    "0}");
	ask(play, "job", "{\"queue\":\"research/research\",\"gpus\":8}");
	ask(play, "step", "{\"by\":\"90m\"}");
	has(play, "\"team:research:peak_used\":\"8\"");
	ask(play, "quota", "{\"queue\":\"research\",\"flavor\":\"a100\",\"value\":\"4\"}");
	ask(play, "job", "{\"queue\":\"research/research\",\"gpus\":8}");
	ask(play, "end", "{}");
	has(play, "\"jobs_never_started\":\"1\"");
	same_as_the_command_line(play);
	ask(play, "quota",
	    "{\"queue\":\"research\",\"flavor\":\"a100\",\"field\":\"borrowingLimit\",\"value\":"
	    "\"none\"}");
	ask(play, "end", "{}");
	same_as_the_command_line(play);
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

static void random_action(struct lab_play *play, struct rng *rng)
{
	static const char *const queues[] = {"research", "product", "platform"};
	const char *queue = queues[rng_below(rng, 3)];
	char body[300];
	double speed = 0;
	struct err err;

	switch (rng_below(rng, 6)) {
	case 0:
		snprintf(body, sizeof(body),
			 "{\"queue\":\"%s\",\"flavor\":\"a100\",\"field\":\"%s\",\"value\":%d}",
			 queue, rng_below(rng, 2) ? "nominalQuota" : "lendingLimit",
			 (int)rng_below(rng, 9));
		/* A limit above the quota is refused, and changes nothing. */
		lab_request(play, "quota", body, strlen(body), &speed, &err);
		break;
	case 1:
	case 2:
		snprintf(body, sizeof(body), "{\"by\":\"%dms\"}", (int)rng_below(rng, 3000000) + 1);
		ask(play, "step", body);
		break;
	default:
		snprintf(body, sizeof(body),
			 "{\"queue\":\"%s/%s\",\"pods\":%d,\"gpus\":%d,\"count\":%d,\"duration\":"
			 "\"%dm\",\"priority\":\"%s\"}",
			 queue, queue, (int)rng_below(rng, 3) + 1, (int)rng_below(rng, 5),
			 (int)rng_below(rng, 3) + 1, (int)rng_below(rng, 90) + 1,
			 rng_below(rng, 2) ? "high" : "");
		ask(play, "job", body);
		break;
	}
}

START_TEST(any_play_is_reproduced)
{
	struct cmd_args args;
	struct lab_play *play = new_play(&args);
	struct rng *rng = rng_new((uint64_t)_i + 1, "lab");

	for (int i = 0; i < 12; i++)
		random_action(play, rng);
	ask(play, "job", CI);
	ask(play, "end", "{}");
	same_as_the_command_line(play);
	rng_free(rng);
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

static const struct {
	const char *action, *body, *says;
} wrong[] = {
	{"job", "", "queue is missing"},
	{"job", "{", "malformed"},
	{"job", "[1,2]", "must be a JSON object"},
	{"job", "{\"queue\":\"x/y\"}", "no LocalQueue x/y"},
	{"job", "{\"queue\":\"research\"}", "no LocalQueue research"},
	{"job", "{\"queue\":{}}", "queue must be a text"},
	{"job", "{\"queue\":\"research/research\",\"name\":\"A\"}", "small letters"},
	{"job", "{\"queue\":\"research/research\",\"name\":\"-a\"}", "small letters"},
	{"job", "{\"queue\":\"research/research\",\"pods\":0}", "1 to 1000"},
	{"job", "{\"queue\":\"research/research\",\"pods\":1e9}", "whole number"},
	{"job", "{\"queue\":\"research/research\",\"gpus\":-1}", "0 to 1000"},
	{"job", "{\"queue\":\"research/research\",\"count\":99999}", "1 to 200"},
	{"job", "{\"queue\":\"research/research\",\"duration\":\"soon\"}", "a time such as"},
	{"job", "{\"queue\":\"research/research\",\"duration\":\"9999999d\"}", "a time such as"},
	{"job", "{\"queue\":\"research/research\",\"priority\":\"top\"}", "WorkloadPriorityClass"},
	{"job", "{\"queue\":&a 1}", "small JSON object"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"a100\"}", "value is missing"},
	{"quota", "{\"queue\":\"nobody\",\"flavor\":\"a100\",\"value\":1}",
	 "no ClusterQueue nobody"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"t4\",\"value\":1}", "no quota of"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"a100\",\"value\":\"many\"}", "an amount"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"a100\",\"value\":-1}", "an amount"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"a100\",\"value\":\"none\"}", "an amount"},
	{"quota", "{\"queue\":\"research\",\"flavor\":\"a100\",\"value\":1,\"field\":\"x\"}",
	 "nominalQuota"},
	{"step", "{}", "by is missing"},
	{"step", "{\"by\":\"0s\"}", "more than 0"},
	{"step", "{\"by\":\"99999d\"}", "ten years"},
	{"run", "{\"speed\":-1}", "0 to 864000"},
	{"run", "{\"speed\":\"nan\"}", "0 to 864000"},
	{"undo", "{}", "nothing to undo"},
	{"format", "{}", "no action format"},
};

START_TEST(complaints_change_nothing)
{
	struct cmd_args args;
	struct lab_play *play = new_play(&args);
	char *before = strdup(lab_play_state(play));
	double speed = 7;
	struct err err = {0};

	ck_assert_int_ne(lab_request(play, wrong[_i].action, wrong[_i].body, strlen(wrong[_i].body),
				     &speed, &err),
			 ERR_OK);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
	ck_assert_str_eq(lab_play_state(play), before);
	ck_assert(speed == 7);
	free(before);
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

/* A play on files of one's own: quotas of theirs, and what is saved goes with them. */
START_TEST(files_may_begin_a_play)
{
	char objects[600], jobs[600];
	const char *argv[2] = {objects, jobs};
	struct cmd_args args;
	struct lab_play *play = NULL;
	struct output_text saved;
	struct err err = {0};

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	snprintf(objects, sizeof(objects), "%s/objects.yaml", command_folder());
	snprintf(jobs, sizeof(jobs), "%s/gangs.csv", command_folder());
	ck_assert_int_eq(cmd_parse(&cmd_lab_row, 2, argv, &args, &err), ERR_OK);
	ck_assert_msg(lab_play_new(&context, &args, &play, &err) == ERR_OK, "%s", err.msg);
	ask(play, "quota", "{\"queue\":\"a\",\"flavor\":\"gpu\",\"value\":2}");
	ask(play, "job", "{\"queue\":\"default/b\",\"name\":\"g1\",\"gpus\":1}");
	has(play, "g1-2 to default/b");
	output_text_open(&saved);
	lab_play_save(play, saved.file);
	output_text_close(&saved);
	ck_assert_ptr_nonnull(strstr(saved.data, "compare INPUT... THIS-FILE"));
	ck_assert_ptr_null(strstr(saved.data, "kind: Node"));
	ck_assert_ptr_nonnull(strstr(saved.data, "\"gqsim/at\":\"0\""));
	output_text_free(&saved);
	lab_play_free(play);
	cmd_args_free(&args);
}
END_TEST

/* ---- who may ask ---- */

static const struct {
	const char *host, *origin;
	bool trusted;
} hosts[] = {
	{"localhost:8088", NULL, true},
	{"127.0.0.1:8088", NULL, true},
	{"[::1]:8088", NULL, true},
	{"10.1.2.3:8088", "http://10.1.2.3:8088", true},
	{"localhost:8088", "http://localhost:8088", true},
	{NULL, NULL, false},
	{"", NULL, false},
	{"localhost", NULL, false},
	{"localhost:80", NULL, false},
	{"localhost:8088x", NULL, false},
	{"evil.example:8088", NULL, false},
	{"localhost.evil.example:8088", NULL, false},
	{"127.0.0.1.evil.example:8088", NULL, false},
	{"[::1:8088", NULL, false},
	{"[:8088", NULL, false},
	{"[]:8088", NULL, false},
	{"localhost:8088", "http://evil.example", false},
	{"localhost:8088", "https://localhost:8088", false},
	{"localhost:8088", "http://localhost:9000", false},
	{"localhost:8088", "null", false},
	{"localhost:8088", "", false},
};

START_TEST(only_addresses_and_our_own_page_are_trusted)
{
	ck_assert(lab_server_trusts(hosts[_i].host, hosts[_i].origin, 8088) == hosts[_i].trusted);
}
END_TEST

/* ---- the server ---- */

struct served {
	struct cmd_args *args;
	struct lab_server *server;
	unsigned port;
};

static struct served serve(void)
{
	struct served s = {.args = calloc(1, sizeof(struct cmd_args))};
	struct err err = {0};

	ck_assert_int_eq(cmd_parse(&cmd_lab_row, 0, NULL, s.args, &err), ERR_OK);
	ck_assert_msg(lab_server_start(&context, s.args, "127.0.0.1", 0, &s.server, &err) == ERR_OK,
		      "%s", err.msg);
	s.port = lab_server_port(s.server);
	ck_assert_uint_ne(s.port, 0);
	return s;
}

static void stop(struct served *s)
{
	lab_server_stop(s->server);
	cmd_args_free(s->args);
	free(s->args);
}

static int dial(const struct served *s)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
	struct timeval patience = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ck_assert_msg(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0, "%s", strerror(errno));
	return fd;
}

static void put(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);

		if (sent <= 0)
			return; /* it hung up: its answer says why */
		text += sent;
		size -= (size_t)sent;
	}
}

/* Until it hangs up, or the text has come. */
static char *listen_to(int fd, const char *until)
{
	size_t size = 0, capacity = 1 << 20;
	char *text = calloc(capacity, 1);
	ssize_t got;

	while (size + 1 < capacity && (until == NULL || strstr(text, until) == NULL) &&
	       (got = recv(fd, text + size, capacity - size - 1, 0)) > 0)
		size += (size_t)got;
	return text;
}

/* Whoever leaves a request unfinished hears nothing more. */
static char *exchange(const struct served *s, const char *request)
{
	const struct timeval patience = {.tv_sec = 2};
	int fd = dial(s);
	char *answer;

	if (strncmp(request, "GET /", 5) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));

	put(fd, request, strlen(request));
	shutdown(fd, SHUT_WR);
	answer = listen_to(fd, NULL);
	close(fd);
	return answer;
}

#define HOST "Host: localhost:PORT\r\nConnection: close\r\n"

/* The request with the port in place of "PORT". */
static void fill(const struct served *s, const char *request, char *out, size_t size)
{
	const char *at = strstr(request, "PORT");

	if (at == NULL)
		snprintf(out, size, "%s", request);
	else
		snprintf(out, size, "%.*s%u%s", (int)(at - request), request, s->port, at + 4);
}

static char *get(const struct served *s, const char *path)
{
	char request[600], filled[600];

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\n" HOST "\r\n", path);
	fill(s, request, filled, sizeof(filled));
	return exchange(s, filled);
}

static char *post(const struct served *s, const char *path, const char *body)
{
	char request[5000], filled[5000];

	snprintf(request, sizeof(request),
		 "POST %s HTTP/1.1\r\n" HOST
		 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		 path, strlen(body), body);
	fill(s, request, filled, sizeof(filled));
	return exchange(s, filled);
}

static void says(char *answer, const char *text)
{
	ck_assert_msg(strstr(answer, text) != NULL, "no \"%s\" in \"%.300s\"", text, answer);
	free(answer);
}

static const struct {
	const char *path, *says;
} paths[] = {
	{"/", "200 OK"},
	{"/page.css", "text/css"},
	{"/page.js", "text/javascript"},
	{"/lab.js", "const PRESETS"},
	{"/sim/lab.js", "404"},
	{"/../etc/passwd", "404"},
	{"/%2e%2e/etc/passwd", "404"},
	{"//etc/passwd", "404"},
	{"/api/play", "404"},
	{"/api/play/", "404"},
	{"/api/play/00000000000000000000000000000000/state", "404"},
	{"/api/play/x/state", "404"},
};

START_TEST(nothing_is_served_but_the_page)
{
	struct served s = serve();

	says(get(&s, paths[_i].path), paths[_i].says);
	stop(&s);
}
END_TEST

static const struct {
	const char *request, *says;
} odd[] = {
	{"GET / HTTP/1.1\r\n\r\n", "40"},
	{"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "403"},
	{"POST /api/play HTTP/1.1\r\n" HOST "Origin: http://evil.example\r\nContent-Type: "
	 "application/json\r\nContent-Length: 2\r\n\r\n{}",
	 "403"},
	{"POST /api/play HTTP/1.1\r\n" HOST
	 "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
	 "415"},
	{"POST /api/play HTTP/1.1\r\n" HOST
	 "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
	 "413"},
	{"DELETE / HTTP/1.1\r\n" HOST "\r\n", "405"},
	{"\r\n\r\n\r\n", ""},
	{"GET\r\n\r\n", ""},
	{"\x16\x03\x01\x02\x00\x01", ""},
	{"GET / HTTP/9.9\r\n" HOST "\r\n", ""},
	{"POST /api/play HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nZZZ\r\n", ""},
	{"POST /api/play HTTP/1.1\r\n" HOST "Content-Length: -5\r\n\r\n", ""},
};

/* Whatever it says to that, the next one is answered. */
START_TEST(odd_requests_do_no_harm)
{
	struct served s = serve();
	char request[600];

	fill(&s, odd[_i].request, request, sizeof(request));
	says(exchange(&s, request), odd[_i].says);
	says(get(&s, "/page.css"), "200 OK");
	stop(&s);
}
END_TEST

START_TEST(long_headers_and_bodies_are_refused)
{
	struct served s = serve();
	size_t size = 300000;
	char *request = calloc(size + 1, 1), *answer;
	int fd = dial(&s);

	memset(request, 'a', size);
	memcpy(request, "GET /", 5);
	put(fd, request, size);
	shutdown(fd, SHUT_WR);
	answer = listen_to(fd, NULL);
	ck_assert_ptr_null(strstr(answer, "200 OK"));
	free(answer);
	close(fd);
	/* chunks that add up to too much */
	fd = dial(&s);
	fill(&s,
	     "POST /api/play HTTP/1.1\r\n" HOST
	     "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
	     request, size);
	put(fd, request, strlen(request));
	for (int i = 0; i < 20; i++) {
		memset(request, ' ', 1100);
		memcpy(request, "400\r\n", 5);
		memcpy(request + 5 + 1024, "\r\n", 2);
		put(fd, request, 5 + 1024 + 2);
	}
	put(fd, "0\r\n\r\n", 5);
	says(listen_to(fd, NULL), "413");
	close(fd);
	free(request);
	says(get(&s, "/"), "200 OK");
	stop(&s);
}
END_TEST

static void make_play(const struct served *s, char path[80])
{
	char *answer = post(s, "/api/play", "{}"), *id = strstr(answer, "{\"play\":\"");

	ck_assert_msg(id != NULL, "%.300s", answer);
	snprintf(path, 80, "/api/play/%.32s/", id + 9);
	free(answer);
}

static char *join(const char *path, const char *what)
{
	static char text[200];

	snprintf(text, sizeof(text), "%s%s", path, what);
	return text;
}

START_TEST(a_stream_tells_each_change)
{
	struct served s = serve();
	char path[80], request[400], filled[400];
	int fd = dial(&s);
	char *answer;

	make_play(&s, path);
	snprintf(request, sizeof(request), "GET %sevents HTTP/1.1\r\n" HOST "\r\n", path);
	fill(&s, request, filled, sizeof(filled));
	put(fd, filled, strlen(filled));
	says(listen_to(fd, "\"actions\":[]"), "text/event-stream");
	says(post(&s, join(path, "job"), TRIALS), "\"count\":8");
	says(listen_to(fd, "\"count\":8"), "event: state");
	says(post(&s, join(path, "run"), "{\"speed\":3600}"), "\"speed\":3600");
	lab_server_tick(s.server, 0.5);
	says(listen_to(fd, "\"clock\":1800"), "\"clock\":1800");
	says(get(&s, join(path, "scenario.yaml")), "\"name\":\"trial\"");
	/* the end of the server is the end of the stream */
	stop(&s);
	answer = listen_to(fd, NULL);
	free(answer);
	close(fd);
}
END_TEST

START_TEST(plays_are_limited)
{
	struct served s = serve();
	char first[80], path[80];

	make_play(&s, first);
	for (int i = 0; i < LAB_SERVER_PLAYS; i++)
		make_play(&s, path);
	says(get(&s, join(first, "state")), "404"); /* it went for the last one */
	says(get(&s, join(path, "state")), "200 OK");
	stop(&s);
}
END_TEST

START_TEST(changes_are_limited)
{
	struct served s = serve();
	char path[80];
	bool refused = false;

	make_play(&s, path);
	for (int i = 0; i < 3 * LAB_SERVER_RATE && !refused; i++) {
		char *answer = post(&s, join(path, "undo"), "{}");

		refused = strstr(answer, " 429 ") != NULL;
		free(answer);
	}
	ck_assert(refused);
	lab_server_tick(s.server, 1);
	says(post(&s, join(path, "undo"), "{}"), "nothing to undo");
	stop(&s);
}
END_TEST

#define MANY 1000

START_TEST(a_thousand_connections_are_answered)
{
	struct served s;
	struct rlimit limit;
	static int fds[MANY];
	char request[200];

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < 3 * MANY) {
		fprintf(stderr, "only %lu files may be open: not tried\n",
			(unsigned long)limit.rlim_max);
		return;
	}
	limit.rlim_cur = limit.rlim_cur < 3 * MANY ? 3 * MANY : limit.rlim_cur;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	s = serve();
	for (int i = 0; i < MANY; i++) {
		fds[i] = dial(&s);
		put(fds[i], "GET /page.css HT", 16); /* and no more for now */
	}
	says(get(&s, "/page.js"), "200 OK");
	fill(&s, "TP/1.1\r\n" HOST "\r\n", request, sizeof(request));
	for (int i = 0; i < MANY; i++)
		put(fds[i], request, strlen(request));
	for (int i = 0; i < MANY; i++) {
		says(listen_to(fds[i], NULL), "200 OK");
		close(fds[i]);
	}
	stop(&s);
}
END_TEST

START_TEST(a_port_in_use_is_an_error)
{
	struct served s = serve();
	struct lab_server *other = NULL;
	struct err err = {0};

	ck_assert_int_eq(lab_server_start(&context, s.args, "127.0.0.1", s.port, &other, &err),
			 ERR_IO);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot listen"));
	ck_assert_int_eq(lab_server_start(&context, s.args, "localhost", 0, &other, &err),
			 ERR_USAGE);
	stop(&s);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *s = suite_create("sim/page/lab");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, the_deadlock_takes_four_requests);
	tcase_add_test(t, the_reclaim_takes_four_requests);
	tcase_add_test(t, quotas_change_from_then_on);
	tcase_add_loop_test(t, any_play_is_reproduced, 0, 20);
	tcase_add_loop_test(t, complaints_change_nothing, 0, COUNT(wrong));
	tcase_add_test(t, files_may_begin_a_play);
	tcase_add_loop_test(t, only_addresses_and_our_own_page_are_trusted, 0, COUNT(hosts));
	tcase_add_loop_test(t, nothing_is_served_but_the_page, 0, COUNT(paths));
	tcase_add_loop_test(t, odd_requests_do_no_harm, 0, COUNT(odd));
	tcase_add_test(t, long_headers_and_bodies_are_refused);
	tcase_add_test(t, a_stream_tells_each_change);
	tcase_add_test(t, plays_are_limited);
	tcase_add_test(t, changes_are_limited);
	tcase_add_test(t, a_thousand_connections_are_answered);
	tcase_add_test(t, a_port_in_use_is_an_error);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
