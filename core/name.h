/* name.h - names and their dense indices.
 *
 * A table hands out 0, 1, 2, ... in the order in which names are first added,
 * so an index is input order and ties can end in it. Texts are copied; they
 * live as long as the table, at an address that never moves.
 */
#ifndef CORE_NAME_H
#define CORE_NAME_H

#include <stddef.h>
#include <stdint.h>

#define NAME_NONE UINT32_MAX

struct name_table; /* owned by the caller: name_new/name_free */

struct name_table *name_new(void);
void name_free(struct name_table *table);

/* FNV-1a, 64 bits, of any bytes. */
uint64_t name_hash(const void *bytes, size_t len);
/* The same of a text of which so much is hashed already. */
uint64_t name_hash_more(uint64_t hash, const void *bytes, size_t len);

/* The index of the text, which is added if it is new. */
uint32_t name_add(struct name_table *table, const char *text);
uint32_t name_add_n(struct name_table *table, const char *text, size_t len);

/* NAME_NONE if it is not in the table. */
uint32_t name_find(const struct name_table *table, const char *text);
uint32_t name_find_n(const struct name_table *table, const char *text, size_t len);

/* The text; "" for NAME_NONE. */
const char *name_text(const struct name_table *table, uint32_t index);
uint32_t name_count(const struct name_table *table);

#endif
