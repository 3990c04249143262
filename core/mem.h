/* mem.h - allocation that cannot fail: out of memory ends the program (exit 71).
 *
 * What mem_calloc, mem_grow, mem_dup and mem_strdup return is released with
 * mem_free. An arena hands out pieces that all die with it.
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Memory that is freed stays with the program from now on, for what it asks for next: pages that
 * the system takes back and gives anew cost more than what is done with them. Of a program, not
 * a library: its main calls it, once, before it has threads. */
void mem_keep(void);
/* count * size zeroed bytes; never NULL, even for 0 bytes. */
void *mem_calloc(size_t count, size_t size);
void *mem_grow_more(void *array, size_t count_needed, size_t *capacity, size_t size);
/* Room for at least count_needed elements; new elements are not zeroed. Mostly there is:
 * that costs no call. */
static inline void *mem_grow(void *array, size_t count_needed, size_t *capacity, size_t size)
{
	return count_needed <= *capacity ? array
					 : mem_grow_more(array, count_needed, capacity, size);
}
/* Prints behind the text, which grows; *length does not count the NUL at its end. */
void mem_append(char **text, size_t *length, size_t *capacity, const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));
void *mem_dup(const void *p, size_t bytes);
char *mem_strdup(const char *text);
void mem_free(void *p);

/* Says so on stderr and exits 71; for libraries that report it themselves. */
_Noreturn void mem_exhausted(size_t count, size_t size);

struct mem_arena; /* owned by the caller: mem_arena_new/mem_arena_free */

struct mem_arena *mem_arena_new(void);
void mem_arena_free(struct mem_arena *arena);
/* Forgets every piece but keeps the newest chunk for reuse. */
void mem_arena_reset(struct mem_arena *arena);
/* Zeroed, aligned to 16, at an address that never moves. */
void *mem_arena_alloc(struct mem_arena *arena, size_t bytes);
/* What mem_calloc or mem_grow returned dies with the arena from now on; NULL: nothing. */
void mem_arena_own(struct mem_arena *arena, void *p);
char *mem_arena_strdup(struct mem_arena *arena, const char *text);
/* Copies len bytes and adds the terminator; texts are packed without gaps. */
char *mem_arena_strndup(struct mem_arena *arena, const char *text, size_t len);
/* A copy of count elements of size bytes; NULL for none. */
void *mem_arena_copy(struct mem_arena *arena, const void *items, size_t count, size_t size);

#ifdef MEM_FAULTS
void mem_fail_after(long allocations); /* the n-th next allocation fails */
#endif

#endif
