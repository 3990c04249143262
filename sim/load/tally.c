#include "sim/load/tally.h"

#include <stdio.h>

#define TOGETHER 400 /* bytes of names in one line */

struct entry {
	uint32_t count;
	enum finding_kind kind;
	struct place first;
};

struct tally {
	struct name_table *texts; /* index = entry */
	struct entry *entries;
	size_t capacity;
};

struct tally *tally_new(void)
{
	struct tally *tally = mem_calloc(1, sizeof(*tally));

	tally->texts = name_new();
	return tally;
}

void tally_free(struct tally *tally)
{
	if (tally == NULL)
		return;
	name_free(tally->texts);
	mem_free(tally->entries);
	mem_free(tally);
}

void tally_add(struct tally *tally, enum finding_kind kind, struct place where, const char *what)
{
	uint32_t known = name_count(tally->texts);
	uint32_t at = name_add(tally->texts, what);

	if (at == known) {
		tally->entries = mem_grow(tally->entries, (size_t)at + 1, &tally->capacity,
					  sizeof(*tally->entries));
		tally->entries[at] = (struct entry){.kind = kind, .first = where};
	}
	tally->entries[at].count++;
}

void tally_report(const struct tally *tally, struct builder *builder)
{
	for (uint32_t i = 0; i < name_count(tally->texts); i++) {
		const struct entry *entry = &tally->entries[i];
		const char *text = name_text(tally->texts, i);

		if (entry->count == 1)
			builder_finding(builder, entry->kind, entry->first, "%s", text);
		else
			builder_finding(builder, entry->kind, entry->first, "%s (%u times)", text,
					entry->count);
	}
}

static void report_apart(const struct tally *tally, struct builder *builder, const char *ending)
{
	for (uint32_t i = 0; i < name_count(tally->texts); i++) {
		const struct entry *entry = &tally->entries[i];
		char times[32] = "";

		if (entry->count > 1)
			snprintf(times, sizeof(times), " (%u times)", entry->count);
		builder_finding(builder, entry->kind, entry->first, "%s: %s%s",
				name_text(tally->texts, i), ending, times);
	}
}

void tally_report_together(const struct tally *tally, struct builder *builder, const char *ending,
			   bool apart)
{
	uint32_t count = name_count(tally->texts);
	char list[TOGETHER] = "";
	size_t len = 0;

	if (apart || count <= 1) {
		report_apart(tally, builder, ending);
		return;
	}
	for (uint32_t i = 0; i < count && len < sizeof(list); i++) {
		const struct entry *entry = &tally->entries[i];

		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i > 0 ? ", " : "",
					name_text(tally->texts, i));
		if (entry->count > 1 && len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, " (%u times)",
						entry->count);
	}
	builder_finding(builder, tally->entries[0].kind, tally->entries[0].first, "%s%s: %s", list,
			len < sizeof(list) ? "" : " ...", ending);
}
