#include "core/name.h"

#include <assert.h>
#include <string.h>

#include "core/mem.h"

struct entry {
	const char *text;
	uint32_t len;
	uint32_t hash;
};

/* Open addressing, linear probing, at most half full. The hash is kept beside
 * the index, so that a probe touches one array only. */
struct slot {
	uint32_t hash;
	uint32_t index; /* NAME_NONE: empty */
};

struct name_table {
	struct entry *entries;
	struct slot *slots;
	struct mem_arena *texts;
	size_t entry_cap;
	uint32_t count;
	uint32_t mask; /* number of slots - 1; a power of two minus one */
};

static struct slot *empty_slots(uint32_t count)
{
	struct slot *slots = mem_calloc(count, sizeof(*slots));

	for (uint32_t i = 0; i < count; i++)
		slots[i].index = NAME_NONE;
	return slots;
}

struct name_table *name_new(void)
{
	struct name_table *table = mem_calloc(1, sizeof(*table));

	table->mask = 15;
	table->slots = empty_slots(table->mask + 1);
	table->texts = mem_arena_new();
	return table;
}

void name_free(struct name_table *table)
{
	if (table == NULL)
		return;
	mem_free(table->entries);
	mem_free(table->slots);
	mem_arena_free(table->texts);
	mem_free(table);
}

uint64_t name_hash_more(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < len; i++) {
		hash ^= byte[i];
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}

uint64_t name_hash(const void *bytes, size_t len)
{
	return name_hash_more(UINT64_C(0xcbf29ce484222325), bytes, len);
}

static uint32_t hash_of(const char *text, size_t len)
{
	uint64_t h = name_hash(text, len);

	return (uint32_t)(h ^ (h >> 32));
}

/* The slot that holds the text, or the empty one where it belongs. */
static uint32_t probe(const struct name_table *table, const char *text, size_t len, uint32_t hash)
{
	uint32_t at = hash & table->mask;

	for (;; at = (at + 1) & table->mask) {
		const struct slot *slot = &table->slots[at];
		const struct entry *e;

		if (slot->index == NAME_NONE)
			return at;
		if (slot->hash != hash)
			continue;
		e = &table->entries[slot->index];
		if (e->len == len && memcmp(e->text, text, len) == 0)
			return at;
	}
}

static void rehash(struct name_table *table)
{
	assert(table->mask < UINT32_MAX / 2);
	mem_free(table->slots);
	table->mask = table->mask * 2 + 1;
	table->slots = empty_slots(table->mask + 1);
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t at = table->entries[i].hash & table->mask;

		while (table->slots[at].index != NAME_NONE)
			at = (at + 1) & table->mask;
		table->slots[at] = (struct slot){.hash = table->entries[i].hash, .index = i};
	}
}

uint32_t name_add_n(struct name_table *table, const char *text, size_t len)
{
	uint32_t hash = hash_of(text, len);
	uint32_t at = probe(table, text, len, hash);

	if (table->slots[at].index != NAME_NONE)
		return table->slots[at].index;
	assert(len < UINT32_MAX && table->count < NAME_NONE - 1);
	table->entries = mem_grow(table->entries, (size_t)table->count + 1, &table->entry_cap,
				  sizeof(*table->entries));
	table->entries[table->count] =
		(struct entry){.text = mem_arena_strndup(table->texts, text, len),
			       .len = (uint32_t)len,
			       .hash = hash};
	table->slots[at] = (struct slot){.hash = hash, .index = table->count};
	table->count++;
	if (table->count > table->mask / 2)
		rehash(table);
	return table->count - 1;
}

uint32_t name_add(struct name_table *table, const char *text)
{
	return name_add_n(table, text, strlen(text));
}

uint32_t name_find_n(const struct name_table *table, const char *text, size_t len)
{
	return table->slots[probe(table, text, len, hash_of(text, len))].index;
}

uint32_t name_find(const struct name_table *table, const char *text)
{
	return name_find_n(table, text, strlen(text));
}

const char *name_text(const struct name_table *table, uint32_t index)
{
	if (index == NAME_NONE)
		return "";
	assert(index < table->count);
	return table->entries[index].text;
}

uint32_t name_count(const struct name_table *table)
{
	return table->count;
}
