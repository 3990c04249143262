#include "sim/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/name.h"
#include "sim/pack.h"

#define READ_STEP ((size_t)1 << 16)

/* One of the two holds the bytes. */
struct owned {
	char *heap;
	void *map;
	size_t map_size;
};

static enum err_code io_error(struct err *err, const char *name, const char *what)
{
	return err_set(err, ERR_IO, name, 0, 0, "%s: %s", what, strerror(errno));
}

/* Standard input, pipes and devices: until the end, into memory. */
static enum err_code read_all(int fd, struct source *out, struct owned *owned, struct err *err)
{
	size_t capacity = 0, used = 0;
	ssize_t got;

	do {
		owned->heap = mem_grow(owned->heap, used + READ_STEP + 1, &capacity, 1);
		got = read(fd, owned->heap + used, READ_STEP);
		if (got < 0 && errno != EINTR)
			return io_error(err, out->name, "cannot be read");
		used += got > 0 ? (size_t)got : 0;
	} while (got != 0);
	owned->heap[used] = '\0';
	out->data = owned->heap;
	out->size = used;
	return ERR_OK;
}

/* A mapping's last page is filled up with zero bytes, which gives the byte
 * behind the end, but for files that end on a page: those are read. */
static bool can_map(size_t size)
{
	long page = sysconf(_SC_PAGESIZE);

	return page > 0 && size > READ_STEP && size % (size_t)page != 0;
}

static enum err_code read_fd(int fd, struct source *out, struct owned *owned, struct err *err)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) != 0)
		return io_error(err, out->name, "cannot be read");
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, out->name, 0, 0, "is a folder, not a file");
	if (!S_ISREG(st.st_mode) || !can_map((size_t)st.st_size))
		return read_all(fd, out, owned, err);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return read_all(fd, out, owned, err);
	owned->map = map;
	owned->map_size = (size_t)st.st_size;
	out->data = map;
	out->size = owned->map_size;
	return ERR_OK;
}

static void let_go(struct owned *owned)
{
	if (owned->map != NULL)
		munmap(owned->map, owned->map_size);
	mem_free(owned->heap);
	*owned = (struct owned){.heap = NULL};
}

/* What is compressed gives way to its text. */
static enum err_code unpack(struct source *out, struct owned *owned, struct err *err)
{
	const struct pack_row *row = pack_detect(out->data, out->size);
	enum err_code code;
	size_t size;
	char *text;

	if (row == NULL)
		return ERR_OK;
	code = pack_unpack(row, out->name, out->data, out->size, &text, &size, err);
	if (code != ERR_OK)
		return code;
	let_go(owned);
	owned->heap = text;
	out->data = text;
	out->size = size;
	return ERR_OK;
}

enum err_code source_read(const char *path, struct source *out, struct err *err)
{
	bool standard_input = strcmp(path, "-") == 0;
	enum err_code code;
	int fd;

	*out = (struct source){.name = standard_input ? "stdin" : path};
	fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(err, out->name, "cannot be opened");
	out->owned = mem_calloc(1, sizeof(struct owned));
	code = read_fd(fd, out, out->owned, err);
	if (!standard_input)
		close(fd);
	if (code == ERR_OK)
		code = unpack(out, out->owned, err);
	if (code != ERR_OK)
		source_close(out);
	return code;
}

void source_close(struct source *source)
{
	struct owned *owned = source->owned;

	if (owned == NULL)
		return;
	let_go(owned);
	mem_free(owned);
	*source = (struct source){.name = source->name};
}

uint64_t source_hash(const struct source *source)
{
	return name_hash(source->data, source->size);
}
