#include "core/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define EXIT_NO_MEMORY 71
#define ALIGNMENT      ((size_t)16)
#define CHUNK_MIN      ((size_t)4096)
#define CHUNK_MAX      ((size_t)1 << 20)

/* The first chunk of the list is the one that is being filled. */
struct chunk {
	struct chunk *next;
	size_t used, size;
	unsigned char *bytes; /* behind this header, aligned */
	void *owned;	      /* allocated elsewhere */
};

struct mem_arena {
	struct chunk *chunks;
	size_t next_size;
};

#ifdef MEM_FAULTS /* debug, sanitizer and coverage builds only */
static long fail_countdown = -1;

void mem_fail_after(long allocations)
{
	fail_countdown = allocations;
}

static int mem_should_fail(void)
{
	return fail_countdown >= 0 && fail_countdown-- == 0;
}
#else
static int mem_should_fail(void)
{
	return 0;
}
#endif

void mem_exhausted(size_t count, size_t size)
{
	fprintf(stderr, "gqsim: out of memory (%zu x %zu bytes)\n", count, size);
	exit(EXIT_NO_MEMORY);
}

/* One heap for all threads, that grows and never shrinks: a block of its own is given back when
 * it is freed, and a run's successor would ask for its pages one by one. */
void mem_keep(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* Pages are left to the system: asking for huge ones makes a run a third slower where a host
 * backs what its guest touches, as virtual machines that give free memory back do. */
void *mem_calloc(size_t count, size_t size)
{
	void *p = NULL;

	if (count <= SIZE_MAX / (size != 0 ? size : 1) && !mem_should_fail())
		p = calloc(count != 0 ? count : 1, size != 0 ? size : 1);
	if (p == NULL)
		mem_exhausted(count, size);
	return p;
}

void *mem_grow_more(void *array, size_t count_needed, size_t *capacity, size_t size)
{
	size_t want = *capacity != 0 ? *capacity : 8;
	void *p = NULL;

	while (want < count_needed && want <= SIZE_MAX / 2)
		want *= 2;
	if (want >= count_needed && want <= SIZE_MAX / size && !mem_should_fail())
		p = realloc(array, want * size);
	if (p == NULL)
		mem_exhausted(count_needed, size);
	*capacity = want;
	return p;
}

void mem_append(char **text, size_t *length, size_t *capacity, const char *format, va_list args)
{
	va_list again;
	int more;

	va_copy(again, args);
	more = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (more <= 0)
		return;
	*text = mem_grow(*text, *length + (size_t)more + 1, capacity, 1);
	vsnprintf(*text + *length, (size_t)more + 1, format, args);
	*length += (size_t)more;
}

void *mem_dup(const void *p, size_t bytes)
{
	void *copy = mem_calloc(1, bytes);

	if (bytes != 0)
		memcpy(copy, p, bytes);
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_dup(text, strlen(text) + 1);
}

void mem_free(void *p)
{
	free(p);
}

struct mem_arena *mem_arena_new(void)
{
	struct mem_arena *arena = mem_calloc(1, sizeof(*arena));

	arena->next_size = CHUNK_MIN;
	return arena;
}

static void free_chunk(struct chunk *c)
{
	mem_free(c->owned);
	mem_free(c);
}

void mem_arena_free(struct mem_arena *arena)
{
	struct chunk *next;

	if (arena == NULL)
		return;
	for (struct chunk *c = arena->chunks; c != NULL; c = next) {
		next = c->next;
		free_chunk(c);
	}
	mem_free(arena);
}

void mem_arena_reset(struct mem_arena *arena)
{
	struct chunk *next;

	if (arena->chunks == NULL || (arena->chunks->used == 0 && arena->chunks->next == NULL &&
				      arena->chunks->owned == NULL))
		return;
	for (struct chunk *c = arena->chunks->next; c != NULL; c = next) {
		next = c->next;
		free_chunk(c);
	}
	mem_free(arena->chunks->owned);
	arena->chunks->owned = NULL;
	arena->chunks->next = NULL;
	memset(arena->chunks->bytes, 0, arena->chunks->used);
	arena->chunks->used = 0;
}

static struct chunk *new_chunk(size_t size)
{
	size_t header = (sizeof(struct chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	struct chunk *c;

	if (size > SIZE_MAX - header)
		mem_exhausted(1, size);
	c = mem_calloc(1, header + size);
	c->size = size;
	c->bytes = (unsigned char *)c + header;
	return c;
}

/* A piece that would leave most of a chunk unused gets a chunk of its own,
 * behind the one that is being filled. */
static void *bump(struct mem_arena *arena, size_t bytes, size_t align)
{
	struct chunk *c = arena->chunks;
	size_t at = c == NULL ? 0 : (c->used + align - 1) / align * align;

	if (c != NULL && at <= c->size && bytes <= c->size - at) {
		c->used = at + bytes;
		return c->bytes + at;
	}
	if (c != NULL && bytes > arena->next_size / 4) {
		c = new_chunk(bytes);
		c->next = arena->chunks->next;
		arena->chunks->next = c;
	} else {
		c = new_chunk(bytes > arena->next_size ? bytes : arena->next_size);
		c->next = arena->chunks;
		arena->chunks = c;
		if (arena->next_size < CHUNK_MAX)
			arena->next_size *= 2;
	}
	c->used = bytes;
	return c->bytes;
}

void mem_arena_own(struct mem_arena *arena, void *p)
{
	struct chunk *c = p != NULL ? new_chunk(0) : NULL;

	if (c == NULL)
		return;
	c->owned = p;
	if (arena->chunks == NULL) {
		arena->chunks = c;
		return;
	}
	c->next = arena->chunks->next;
	arena->chunks->next = c;
}

void *mem_arena_alloc(struct mem_arena *arena, size_t bytes)
{
	return bump(arena, bytes, ALIGNMENT);
}

char *mem_arena_strndup(struct mem_arena *arena, const char *text, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		mem_exhausted(1, len);
	copy = bump(arena, len + 1, 1);
	if (len != 0)
		memcpy(copy, text, len);
	return copy;
}

void *mem_arena_copy(struct mem_arena *arena, const void *items, size_t count, size_t size)
{
	void *p;

	if (count == 0)
		return NULL;
	p = mem_arena_alloc(arena, count * size);
	memcpy(p, items, count * size);
	return p;
}

char *mem_arena_strdup(struct mem_arena *arena, const char *text)
{
	return mem_arena_strndup(arena, text, strlen(text));
}
