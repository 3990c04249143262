#include "sim/page/lab_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "core/mem.h"
#include "sim/page/lab_request.h"
#include "sim/page/page.h"
#include "sim/page/page_files.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"

#define ID_LENGTH   32
#define TIMEOUT	    60u		    /* seconds a connection may say nothing */
#define MEMORY	    ((size_t)16384) /* of a connection */
#define HEARTBEAT   15.0	    /* seconds between signs of life on a stream */
#define PLAY_PREFIX "/api/play/"

struct stream { /* an open /events */
	struct stream *next;
	struct lab_server *server;
	struct play *play; /* NULL: it is over */
	struct MHD_Connection *connection;
	bool suspended;
	bool beat;     /* a sign of life is due */
	uint64_t seen; /* state that it was sent */
	char *text;
	size_t size, at;
};

struct play {
	char id[ID_LENGTH + 1]; /* "": none */
	struct lab_play *play;
	double speed;	/* simulated seconds a second */
	uint64_t state; /* counts changes */
	uint64_t used;	/* when it was asked last */
	struct stream *streams;
	unsigned stream_count;
};

struct lab_server {
	struct MHD_Daemon *daemon;
	const struct cmd_context *context;
	const struct cmd_args *args;
	pthread_mutex_t lock;
	struct play plays[LAB_SERVER_PLAYS];
	uint64_t requests;
	double tokens; /* changes that may come at once */
	double since_beat;
	unsigned port;
	bool stopping;
	struct output_text page;
};

struct request {
	char body[LAB_REQUEST_BODY];
	size_t size;
	bool too_large;
};

/* ---- who may ask ---- */

/* A DNS name could be made to point here; an address cannot. */
static bool is_address(const char *host, size_t len)
{
	char text[INET6_ADDRSTRLEN + 2];
	struct in6_addr address;

	if (len == 9 && strncmp(host, "localhost", 9) == 0)
		return true;
	if (len >= sizeof(text) || len == 0)
		return false;
	if (host[0] == '[') {
		snprintf(text, sizeof(text), "%.*s", (int)len - 2, host + 1);
		return host[len - 1] == ']' && inet_pton(AF_INET6, text, &address) == 1;
	}
	snprintf(text, sizeof(text), "%.*s", (int)len, host);
	return inet_pton(AF_INET, text, &address) == 1;
}

bool lab_server_trusts(const char *host, const char *origin, unsigned port)
{
	const char *colon;
	size_t len;
	char wanted[16];

	if (host == NULL)
		return false;
	len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	if (len > strlen(host) || !is_address(host, len))
		return false;
	colon = host + len;
	snprintf(wanted, sizeof(wanted), ":%u", port);
	if (strcmp(colon, wanted) != 0 && !(colon[0] == '\0' && port == 80))
		return false;
	return origin == NULL ||
	       (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0);
}

/* ---- answers ---- */

static void add_headers(struct MHD_Response *response, const char *type)
{
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(response, "Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; "
				"connect-src 'self'; img-src data:; base-uri 'none'; "
				"form-action 'none'; frame-ancestors 'none'");
}

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *type,
			     const char *text, size_t size)
{
	/* Copied: what a play says may change before it is sent. */
	struct MHD_Response *response = MHD_create_response_from_buffer(
		size, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (response == NULL)
		return MHD_NO;
	add_headers(response, type);
	if (status >= MHD_HTTP_BAD_REQUEST)
		MHD_add_response_header(response, "Connection", "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD, POST");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned status,
				  const char *type, const char *text)
{
	return reply(connection, status, type, text, strlen(text));
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
	struct output_text text;
	struct jsonw json;
	enum MHD_Result result;

	output_text_open(&text);
	jsonw_begin_line(&json, text.file);
	jsonw_text(&json, "error", why);
	jsonw_end(&json);
	output_text_close(&text);
	result = reply(connection, status, "application/json", text.data, text.size);
	output_text_free(&text);
	return result;
}

/* The state with the speed before it: an object. */
static void print_state(FILE *out, const struct play *play)
{
	fprintf(out, "{\"speed\":%g,%s", play->speed, lab_play_state(play->play) + 1);
}

static enum MHD_Result send_state(struct MHD_Connection *connection, const struct play *play)
{
	struct output_text text;
	enum MHD_Result result;

	output_text_open(&text);
	print_state(text.file, play);
	output_text_close(&text);
	result = reply(connection, MHD_HTTP_OK, "application/json", text.data, text.size);
	output_text_free(&text);
	return result;
}

/* ---- streams ---- */

static void wake(struct stream *stream)
{
	if (!stream->suspended)
		return;
	stream->suspended = false;
	MHD_resume_connection(stream->connection);
}

static void changed(struct play *play)
{
	play->state++;
	for (struct stream *stream = play->streams; stream != NULL; stream = stream->next)
		wake(stream);
}

/* Another text to send, if there is one. */
static void load(struct stream *stream)
{
	struct output_text text;

	if (stream->at < stream->size || (stream->seen == stream->play->state && !stream->beat))
		return;
	free(stream->text);
	output_text_open(&text);
	if (stream->seen == stream->play->state) {
		fputs(":\n\n", text.file);
	} else {
		fputs("event: state\ndata: ", text.file);
		print_state(text.file, stream->play);
		fputs("\n\n", text.file);
	}
	output_text_close(&text);
	stream->beat = false;
	stream->seen = stream->play->state;
	stream->text = text.data;
	stream->size = text.size;
	stream->at = 0;
}

static ssize_t read_stream(void *context, uint64_t at, char *out, size_t max)
{
	struct stream *stream = context;
	ssize_t size = 0;

	(void)at;
	pthread_mutex_lock(&stream->server->lock);
	if (stream->play == NULL || stream->server->stopping) {
		size = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		load(stream);
		size = (ssize_t)(stream->size - stream->at < max ? stream->size - stream->at : max);
		if (size > 0) {
			memcpy(out, stream->text + stream->at, (size_t)size);
			stream->at += (size_t)size;
		} else {
			stream->suspended = true;
			MHD_suspend_connection(stream->connection);
		}
	}
	pthread_mutex_unlock(&stream->server->lock);
	return size;
}

static void end_stream(void *context)
{
	struct stream *stream = context;

	pthread_mutex_lock(&stream->server->lock);
	if (stream->play != NULL) {
		struct stream **at = &stream->play->streams;

		while (*at != stream)
			at = &(*at)->next;
		*at = stream->next;
		stream->play->stream_count--;
	}
	pthread_mutex_unlock(&stream->server->lock);
	free(stream->text);
	mem_free(stream);
}

static enum MHD_Result open_stream(struct lab_server *server, struct MHD_Connection *connection,
				   struct play *play)
{
	struct stream *stream;
	struct MHD_Response *response;
	enum MHD_Result result;

	if (play->stream_count == LAB_SERVER_STREAMS)
		return refuse(connection, MHD_HTTP_TOO_MANY_REQUESTS,
			      "too many streams of this play");
	stream = mem_calloc(1, sizeof(*stream));
	*stream = (struct stream){.server = server,
				  .play = play,
				  .connection = connection,
				  .next = play->streams,
				  .seen = play->state - 1};
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, MEMORY, read_stream, stream,
						     end_stream);
	if (response == NULL) {
		mem_free(stream);
		return MHD_NO;
	}
	play->streams = stream;
	play->stream_count++;
	/* libmicrohttpd holds a lock of the response while it reads the stream, and the last
	 * reference ends the stream: both take our lock. */
	pthread_mutex_unlock(&server->lock);
	add_headers(response, "text/event-stream");
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	pthread_mutex_lock(&server->lock);
	return result;
}

/* ---- plays ---- */

static void drop_play(struct play *play)
{
	for (struct stream *stream = play->streams; stream != NULL; stream = stream->next) {
		stream->play = NULL;
		wake(stream);
	}
	lab_play_free(play->play);
	*play = (struct play){.play = NULL};
}

static struct play *find_play(struct lab_server *server, const char *id, size_t len)
{
	for (size_t i = 0; len == ID_LENGTH && i < LAB_SERVER_PLAYS; i++) {
		struct play *play = &server->plays[i];

		if (play->play != NULL && memcmp(play->id, id, len) == 0) {
			play->used = ++server->requests;
			return play;
		}
	}
	return NULL;
}

/* A free place, or that of the play nobody looks at that was asked longest ago; NULL. */
static struct play *find_place(struct lab_server *server)
{
	struct play *oldest = NULL;

	for (size_t i = 0; i < LAB_SERVER_PLAYS; i++) {
		struct play *play = &server->plays[i];

		if (play->play == NULL)
			return play;
		if (play->stream_count == 0 && (oldest == NULL || play->used < oldest->used))
			oldest = play;
	}
	if (oldest != NULL)
		drop_play(oldest);
	return oldest;
}

/* Nobody can guess it. */
static bool make_id(char id[ID_LENGTH + 1])
{
	unsigned char bytes[ID_LENGTH / 2];
	FILE *random = fopen("/dev/urandom", "rb");
	size_t got = random == NULL ? 0 : fread(bytes, 1, sizeof(bytes), random);

	if (random != NULL)
		fclose(random);
	for (size_t i = 0; i < got; i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	return got == sizeof(bytes);
}

static enum MHD_Result new_play(struct lab_server *server, struct MHD_Connection *connection)
{
	struct play *play = find_place(server);
	char text[ID_LENGTH + 32], msg[600];
	struct err err;

	if (play == NULL)
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			      "all plays are being looked at: close a window");
	if (!make_id(play->id))
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no random numbers");
	if (lab_play_new(server->context, server->args, &play->play, &err) != ERR_OK) {
		play->play = NULL;
		err_format(&err, msg, sizeof(msg));
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, msg);
	}
	play->used = ++server->requests;
	snprintf(text, sizeof(text), "{\"play\":\"%s\"}\n", play->id);
	return reply_text(connection, MHD_HTTP_OK, "application/json", text);
}

static enum MHD_Result act(struct play *play, struct MHD_Connection *connection, const char *action,
			   const struct request *request)
{
	struct err err = {.code = ERR_OK};

	if (lab_request(play->play, action, request->body, request->size, &play->speed, &err) !=
	    ERR_OK)
		return refuse(connection, MHD_HTTP_BAD_REQUEST, err.msg);
	changed(play);
	return send_state(connection, play);
}

static enum MHD_Result send_scenario(struct MHD_Connection *connection, const struct play *play)
{
	struct output_text text;
	enum MHD_Result result;

	output_text_open(&text);
	lab_play_save(play->play, text.file);
	output_text_close(&text);
	result = reply(connection, MHD_HTTP_OK, "application/yaml", text.data, text.size);
	output_text_free(&text);
	return result;
}

/* ---- requests ---- */

static enum MHD_Result get_play(struct lab_server *server, struct MHD_Connection *connection,
				struct play *play, const char *what)
{
	if (strcmp(what, "state") == 0)
		return send_state(connection, play);
	if (strcmp(what, "events") == 0)
		return open_stream(server, connection, play);
	if (strcmp(what, "scenario.yaml") == 0)
		return send_scenario(connection, play);
	return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such thing");
}

static enum MHD_Result get_file(struct lab_server *server, struct MHD_Connection *connection,
				const char *path)
{
	const struct {
		const char *path, *type, *text;
	} files[] = {{"/", "text/html; charset=utf-8", server->page.data},
		     {"/page.css", "text/css; charset=utf-8", page_css},
		     {"/page.js", "text/javascript; charset=utf-8", page_js},
		     {"/lab.js", "text/javascript; charset=utf-8", page_lab_js}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(files[i].path, path) == 0)
			return reply_text(connection, MHD_HTTP_OK, files[i].type, files[i].text);
	return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such thing");
}

/* A change: only of our own page's making, and not too many. */
static enum MHD_Result check_change(struct lab_server *server, struct MHD_Connection *connection,
				    const struct request *request, bool *fine)
{
	const char *type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type");

	*fine = false;
	if (request->too_large)
		return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
	if (type == NULL || strncmp(type, "application/json", 16) != 0)
		return refuse(connection, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
			      "the body must be application/json");
	if (server->tokens < 1)
		return refuse(connection, MHD_HTTP_TOO_MANY_REQUESTS, "too many changes a second");
	server->tokens--;
	*fine = true;
	return MHD_YES;
}

static enum MHD_Result route(struct lab_server *server, struct MHD_Connection *connection,
			     const char *path, const char *method, const struct request *request)
{
	bool post = strcmp(method, "POST") == 0, fine = true;
	const char *id = path + strlen(PLAY_PREFIX), *what;
	struct play *play;
	enum MHD_Result result;

	if (!post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or POST");
	if (post) {
		result = check_change(server, connection, request, &fine);
		if (!fine)
			return result;
	}
	if (post && strcmp(path, "/api/play") == 0)
		return new_play(server, connection);
	if (strncmp(path, PLAY_PREFIX, strlen(PLAY_PREFIX)) != 0)
		return post ? refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such thing")
			    : get_file(server, connection, path);
	what = strchr(id, '/');
	play = what == NULL ? NULL : find_play(server, id, (size_t)(what - id));
	if (play == NULL)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such play (any more)");
	return post ? act(play, connection, what + 1, request)
		    : get_play(server, connection, play, what + 1);
}

static enum MHD_Result begin(struct MHD_Connection *connection, void **state)
{
	const char *length =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");

	*state = mem_calloc(1, sizeof(struct request));
	if (length != NULL && strtoull(length, NULL, 10) > LAB_REQUEST_BODY)
		return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
	return MHD_YES;
}

static void take(struct request *request, const char *data, size_t size)
{
	if (size > sizeof(request->body) - request->size) {
		request->too_large = true;
		return;
	}
	memcpy(request->body + request->size, data, size);
	request->size += size;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	struct lab_server *server = context;
	enum MHD_Result result;

	(void)version;
	if (*state == NULL)
		return begin(connection, state);
	if (*size > 0) {
		take(*state, data, *size);
		*size = 0;
		return MHD_YES;
	}
	if (!lab_server_trusts(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
			       MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
			       server->port))
		return refuse(connection, MHD_HTTP_FORBIDDEN,
			      "ask by localhost or an address, from this page");
	pthread_mutex_lock(&server->lock);
	result = route(server, connection, path, method, *state);
	pthread_mutex_unlock(&server->lock);
	return result;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
		      enum MHD_RequestTerminationCode how)
{
	(void)context;
	(void)connection;
	(void)how;
	mem_free(*state);
	*state = NULL;
}

static void say_nothing(void *context, const char *fmt, va_list ap)
{
	(void)context;
	(void)fmt;
	(void)ap;
}

/* ---- life ---- */

static bool read_address(const char *listen, unsigned port, struct sockaddr_storage *out)
{
	struct sockaddr_in *four = (struct sockaddr_in *)out;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;

	*out = (struct sockaddr_storage){.ss_family = AF_INET};
	if (inet_pton(AF_INET, listen, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)port);
		return true;
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons((uint16_t)port);
	return inet_pton(AF_INET6, listen, &six->sin6_addr) == 1;
}

/* Each connection is an open file. */
static void raise_limit(void)
{
	struct rlimit limit;
	rlim_t wanted = LAB_SERVER_CONNECTIONS + 64;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static struct MHD_Daemon *start(struct lab_server *server, const struct sockaddr_storage *address)
{
	unsigned flags =
		MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

	if (address->ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(
		flags, 0, NULL, NULL, answer, server, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)LAB_SERVER_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY,
		MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_END);
}

enum err_code lab_server_start(const struct cmd_context *context, const struct cmd_args *args,
			       const char *listen, unsigned port, struct lab_server **out,
			       struct err *err)
{
	struct lab_server *server;
	struct sockaddr_storage address;
	const union MHD_DaemonInfo *info;

	if (!read_address(listen, port, &address))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--listen %.100s: an address such as 127.0.0.1 or ::1", listen);
	raise_limit();
	server = mem_calloc(1, sizeof(*server));
	server->context = context;
	server->args = args;
	server->tokens = 2 * LAB_SERVER_RATE;
	pthread_mutex_init(&server->lock, NULL);
	output_text_open(&server->page);
	page_write_lab(server->page.file);
	output_text_close(&server->page);
	/* Nobody is answered before the port is known. */
	pthread_mutex_lock(&server->lock);
	server->daemon = start(server, &address);
	info = server->daemon == NULL
		       ? NULL
		       : MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
	server->port = info == NULL ? 0 : info->port;
	pthread_mutex_unlock(&server->lock);
	if (info == NULL) {
		err_set(err, ERR_IO, NULL, 0, 0, "cannot listen on %.100s port %u: %s", listen,
			port, strerror(errno));
		lab_server_stop(server);
		return err->code;
	}
	*out = server;
	return ERR_OK;
}

unsigned lab_server_port(const struct lab_server *server)
{
	return server->port;
}

static void move_on(struct play *play, double seconds)
{
	struct err err;

	if (play->play == NULL || play->speed <= 0)
		return;
	if (lab_play_over(play->play) ||
	    lab_play_step(play->play, clock_from_double(play->speed * seconds), &err) != ERR_OK)
		play->speed = 0;
	changed(play);
}

void lab_server_tick(struct lab_server *server, double seconds)
{
	pthread_mutex_lock(&server->lock);
	server->tokens += seconds * LAB_SERVER_RATE;
	if (server->tokens > 2 * LAB_SERVER_RATE)
		server->tokens = 2 * LAB_SERVER_RATE;
	for (size_t i = 0; i < LAB_SERVER_PLAYS; i++)
		move_on(&server->plays[i], seconds);
	server->since_beat += seconds;
	for (size_t i = 0; server->since_beat >= HEARTBEAT && i < LAB_SERVER_PLAYS; i++) {
		for (struct stream *s = server->plays[i].streams; s != NULL; s = s->next) {
			s->beat = true;
			wake(s);
		}
	}
	if (server->since_beat >= HEARTBEAT)
		server->since_beat = 0;
	pthread_mutex_unlock(&server->lock);
}

void lab_server_stop(struct lab_server *server)
{
	if (server == NULL)
		return;
	pthread_mutex_lock(&server->lock);
	server->stopping = true;
	for (size_t i = 0; i < LAB_SERVER_PLAYS; i++)
		for (struct stream *s = server->plays[i].streams; s != NULL; s = s->next)
			wake(s);
	pthread_mutex_unlock(&server->lock);
	if (server->daemon != NULL)
		MHD_stop_daemon(server->daemon);
	for (size_t i = 0; i < LAB_SERVER_PLAYS; i++)
		lab_play_free(server->plays[i].play);
	output_text_free(&server->page);
	pthread_mutex_destroy(&server->lock);
	mem_free(server);
}
