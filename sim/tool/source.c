#define _DEFAULT_SOURCE /* MAP_POPULATE, where there is one */

#include "sim/tool/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/mem.h"
#include "sim/tool/pack.h"

#define READ_STEP ((size_t)1 << 16)

/* All of it is read: no need to be asked for each page. */
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

struct source_flow {
	const char *name;
	int fd;
	bool at_end;		    /* of the file */
	bool ended;		    /* of the text */
	struct pack_reader *unpack; /* NULL: it is not compressed */
	char *raw;		    /* what was read of a compressed file */
	struct pack_input in;	    /* what of raw is still to be unpacked */
	char *text;		    /* the window */
	size_t used, capacity;
	size_t window;	    /* its size, unless a record is longer */
	XXH3_state_t *hash; /* of all that came into the window */
};

/* One of the two holds the bytes. */
struct owned {
	struct source_flow flow;
	void *map;
	size_t map_size;
};

static enum err_code io_error(struct err *err, const char *name, const char *what)
{
	return err_set(err, ERR_IO, name, 0, 0, "%s: %s", what, strerror(errno));
}

/* ---- the hash ---- */

static void begin_hash(struct source_flow *flow)
{
	flow->hash = XXH3_createState();
	if (flow->hash == NULL)
		mem_exhausted(1, 0);
	XXH3_64bits_reset(flow->hash);
}

static void add_to_hash(struct source_flow *flow, const char *bytes, size_t size)
{
	XXH3_64bits_update(flow->hash, bytes, size);
}

/* ---- filling the window ---- */

/* Some bytes of the file; none at its end. */
static enum err_code read_raw(struct source_flow *flow, char *out, size_t size, size_t *got,
			      struct err *err)
{
	ssize_t n;

	do
		n = read(flow->fd, out, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return io_error(err, flow->name, "cannot be read");
	flow->at_end = n == 0;
	*got = (size_t)n;
	return ERR_OK;
}

static enum err_code read_packed(struct source_flow *flow, char *out, size_t size, size_t *got,
				 struct err *err)
{
	*got = 0;
	while (*got == 0) {
		if (flow->in.size == 0 && !flow->at_end) {
			flow->in.bytes = flow->raw;
			if (read_raw(flow, flow->raw, READ_STEP, &flow->in.size, err) != ERR_OK)
				return err->code;
			flow->in.last = flow->at_end;
		}
		if (pack_read(flow->unpack, &flow->in, out, size, got, err) != ERR_OK)
			return err->code;
		if (*got == 0 && flow->at_end)
			flow->ended = true;
		if (flow->ended)
			break;
	}
	return ERR_OK;
}

/* Until the window is full or the text at its end. */
static enum err_code fill(struct source_flow *flow, struct err *err)
{
	enum err_code code = ERR_OK;

	while (code == ERR_OK && !flow->ended && flow->used + 1 < flow->capacity) {
		size_t room = flow->capacity - flow->used - 1, got = 0;
		char *out = flow->text + flow->used;

		if (flow->unpack != NULL) {
			code = read_packed(flow, out, room, &got, err);
		} else {
			code = read_raw(flow, out, room, &got, err);
			flow->ended = flow->at_end;
		}
		add_to_hash(flow, out, got);
		flow->used += got;
	}
	flow->text[flow->used] = '\0';
	return code;
}

/* The window at first, then twice as much. */
static void make_room(struct source_flow *flow)
{
	size_t wanted = flow->capacity == 0 ? flow->window : flow->capacity + 1;

	flow->text = mem_grow(flow->text, wanted, &flow->capacity, 1);
}

static void close_fd(struct source_flow *flow)
{
	if (flow->fd != STDIN_FILENO && flow->fd >= 0)
		close(flow->fd);
	flow->fd = -1;
}

/* ---- opening ---- */

/* A mapping's last page is filled up with zero bytes, which gives the byte
 * behind the end, but for files that end on a page: those are read. */
static bool can_map(int fd, size_t window, size_t *size)
{
	long page = sysconf(_SC_PAGESIZE);
	struct stat st;

	if (window < SOURCE_WINDOW || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*size = (size_t)st.st_size;
	return page > 0 && *size > READ_STEP && *size <= SOURCE_MAPPED_MAX &&
	       *size % (size_t)page != 0;
}

/* What does not fit the window is mapped, if it can be. */
static void map(struct source *out, struct owned *owned)
{
	struct source_flow *flow = &owned->flow;
	size_t size;
	void *bytes;

	if (flow->unpack != NULL || !can_map(flow->fd, flow->window, &size))
		return;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, flow->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	owned->map = bytes;
	owned->map_size = size;
	out->data = bytes;
	out->size = size;
	out->flow = NULL;
}

/* What the first bytes say: text, or something to be unpacked. */
static enum err_code begin(struct source_flow *flow, struct err *err)
{
	const size_t head = flow->window < READ_STEP ? flow->window : READ_STEP;
	const struct pack_row *row;
	size_t got = 1;

	flow->raw = mem_calloc(READ_STEP, 1);
	while (flow->in.size < head && got > 0) {
		if (read_raw(flow, flow->raw + flow->in.size, head - flow->in.size, &got, err) !=
		    ERR_OK)
			return err->code;
		flow->in.size += got;
	}
	flow->in.bytes = flow->raw;
	flow->in.last = flow->at_end;
	begin_hash(flow);
	row = pack_detect(flow->raw, flow->in.size);
	if (row != NULL) {
		flow->unpack = pack_open(row, flow->name);
		make_room(flow);
		return ERR_OK;
	}
	flow->text = mem_grow(NULL, flow->in.size + 1, &flow->capacity, 1);
	memcpy(flow->text, flow->raw, flow->in.size);
	flow->used = flow->in.size;
	add_to_hash(flow, flow->text, flow->used);
	flow->ended = flow->at_end;
	mem_free(flow->raw);
	flow->raw = NULL;
	if (!flow->ended && flow->capacity < flow->window)
		flow->text = mem_grow(flow->text, flow->window, &flow->capacity, 1);
	return ERR_OK;
}

static enum err_code open_fd(int fd, struct source *out, struct owned *owned, size_t window,
			     struct err *err)
{
	struct source_flow *flow = &owned->flow;
	struct stat st;
	enum err_code code;

	flow->name = out->name;
	flow->fd = fd;
	flow->window = window;
	if (fstat(fd, &st) != 0)
		return io_error(err, out->name, "cannot be read");
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, out->name, 0, 0, "is a folder, not a file");
	code = begin(flow, err);
	if (code == ERR_OK)
		map(out, owned);
	if (code == ERR_OK && owned->map == NULL)
		code = fill(flow, err);
	if (owned->map != NULL || flow->ended)
		close_fd(flow);
	if (code != ERR_OK || owned->map != NULL)
		return code;
	out->data = flow->text;
	out->size = flow->used;
	out->flow = flow->ended ? NULL : flow;
	return ERR_OK;
}

enum err_code source_open_window(const char *path, size_t window, struct source *out,
				 struct err *err)
{
	bool standard_input = strcmp(path, "-") == 0;
	enum err_code code;
	int fd;

	*out = (struct source){.name = standard_input ? "stdin" : path};
	fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(err, out->name, "cannot be opened");
	out->owned = mem_calloc(1, sizeof(struct owned));
	code = open_fd(fd, out, out->owned, window, err);
	if (code != ERR_OK)
		source_close(out);
	return code;
}

enum err_code source_open(const char *path, struct source *out, struct err *err)
{
	return source_open_window(path, SOURCE_WINDOW, out, err);
}

enum err_code source_whole(struct source *source, struct err *err)
{
	struct source_flow *flow = source->flow;

	while (flow != NULL && !flow->ended) {
		make_room(flow);
		if (fill(flow, err) != ERR_OK)
			return err->code;
	}
	if (flow == NULL)
		return ERR_OK;
	source->data = flow->text;
	source->size = flow->used;
	source->flow = NULL;
	return ERR_OK;
}

enum err_code source_read(const char *path, struct source *out, struct err *err)
{
	enum err_code code = source_open(path, out, err);

	if (code == ERR_OK)
		code = source_whole(out, err);
	if (code != ERR_OK)
		source_close(out);
	return code;
}

void source_close(struct source *source)
{
	struct owned *owned = source->owned;

	if (owned == NULL)
		return;
	if (owned->map != NULL)
		munmap(owned->map, owned->map_size);
	close_fd(&owned->flow);
	pack_close(owned->flow.unpack);
	mem_free(owned->flow.raw);
	mem_free(owned->flow.text);
	XXH3_freeState(owned->flow.hash);
	mem_free(owned);
	*source = (struct source){.name = source->name};
}

uint64_t source_hash(const struct source *source)
{
	const struct owned *owned = source->owned;

	if (owned == NULL || owned->map != NULL)
		return XXH3_64bits(source->data, source->size);
	return XXH3_64bits_digest(owned->flow.hash);
}

/* ---- a reader's window ---- */

struct source_window source_window(const struct source *source)
{
	return (struct source_window){
		.at = source->data, .end = source->data + source->size, .flow = source->flow};
}

enum err_code source_more(struct source_window *window, struct err *err)
{
	struct source_flow *flow = window->flow;
	size_t kept = (size_t)(window->end - window->at);
	enum err_code code;

	assert(flow != NULL);
	if (kept > SOURCE_RECORD_MAX)
		return err_set(err, ERR_LIMIT, flow->name, 0, 0,
			       "a line or record longer than %zu MiB", SOURCE_RECORD_MAX >> 20);
	if (kept > 0)
		memmove(flow->text, window->at, kept);
	flow->used = kept;
	if (kept > flow->capacity / 2)
		make_room(flow);
	code = fill(flow, err);
	window->at = flow->text;
	window->end = flow->text + flow->used;
	window->flow = flow->ended ? NULL : flow;
	return code;
}

enum err_code source_more_lines(struct source_window *window, const char **end, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t seen = (size_t)(window->end - window->at);
	const char *stop = NULL;

	while (code == ERR_OK && stop == NULL) {
		if (window->flow != NULL)
			code = source_more(window, err);
		stop = window->end;
		while (window->flow != NULL && stop > window->at + seen && stop[-1] != '\n')
			stop--;
		if (window->flow != NULL && stop == window->at + seen) {
			seen = (size_t)(window->end - window->at); /* no line ends there */
			stop = NULL;
		}
	}
	*end = stop;
	return code;
}

/* ---- lines ---- */

struct source_lines source_lines(const struct source *source)
{
	struct source_lines lines = {.window = source_window(source), .file = source->name};

	if (source->size >= 3 && memcmp(source->data, "\xEF\xBB\xBF", 3) == 0)
		lines.window.at += 3;
	/* Until a look at what is there has found a line's end: nothing. */
	lines.stop = source->flow != NULL ? lines.window.at : lines.window.end;
	return lines;
}

enum err_code source_next_line(struct source_lines *lines, const char **line, size_t *len,
			       struct err *err)
{
	struct source_window *window = &lines->window;
	const char *newline, *stop;

	*line = NULL;
	if (window->at == lines->stop && window->flow != NULL &&
	    source_more_lines(window, &lines->stop, err) != ERR_OK)
		return err->code;
	if (window->at == lines->stop)
		return ERR_OK;
	lines->number++;
	newline = memchr(window->at, '\n', (size_t)(lines->stop - window->at));
	stop = newline != NULL ? newline : lines->stop;
	*line = window->at;
	window->at = newline != NULL ? newline + 1 : lines->stop;
	if (memchr(*line, '\0', (size_t)(stop - *line)) != NULL)
		return err_set(err, ERR_SYNTAX, lines->file, lines->number, 0,
			       "a NUL byte: is this a text file?");
	if (stop > *line && stop[-1] == '\r')
		stop--;
	*len = (size_t)(stop - *line);
	return ERR_OK;
}
