#include "sim/scenario/setting_look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum err_code setting_fail(struct setting *s, enum err_code code, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(s->err, code, NULL, 0, 0, "--set %.100s: %s", s->text, what);
}

enum err_code setting_no_field(struct setting *s, const char *fields)
{
	return setting_fail(s, ERR_UNKNOWN, "there is no field \"%.60s\"; there is %s", s->field,
			    fields);
}

/* ---- finding what it names ---- */

void setting_list_begin(struct setting_listing *listing, const char *wanted)
{
	listing->text[0] = '\0';
	listing->used = 0;
	nearest_begin(&listing->nearest, wanted);
}

void setting_list_offer(struct setting_listing *listing, const char *word)
{
	size_t len = strlen(word);

	nearest_offer(&listing->nearest, word);
	if (listing->used + len + 3 < sizeof(listing->text))
		listing->used += (size_t)snprintf(listing->text + listing->used,
						  sizeof(listing->text) - listing->used, "%s%s",
						  listing->used != 0 ? ", " : "", word);
}

enum err_code setting_not_found(struct setting *s, const struct setting_listing *listing,
				const char *what, const char *wanted)
{
	if (listing->nearest.best != NULL)
		return setting_fail(s, ERR_UNKNOWN,
				    "there is no %s \"%.80s\"; did you mean \"%.80s\"?", what,
				    wanted, listing->nearest.best);
	if (listing->used != 0)
		return setting_fail(s, ERR_UNKNOWN, "there is no %s \"%.80s\"; there is %s", what,
				    wanted, listing->text);
	return setting_fail(s, ERR_UNKNOWN, "there is no %s \"%.80s\", nor any other", what,
			    wanted);
}

/* A LocalQueue may be named NAMESPACE/NAME where its name is not enough. */
static bool names_record(const struct setting *s, enum kind kind, const void *record)
{
	const struct name_table *strings = s->builder->strings;
	const char *name = name_text(strings, draft_name(record));
	const char *slash = kind == KIND_LOCAL_QUEUE ? strchr(s->name, '/') : NULL;
	const char *ns;

	if (slash == NULL)
		return strcmp(name, s->name) == 0;
	ns = name_text(strings, draft_ns(kind, record));
	return strcmp(name, slash + 1) == 0 && strlen(ns) == (size_t)(slash - s->name) &&
	       strncmp(ns, s->name, strlen(ns)) == 0;
}

/* The last of that name, which is the one that holds. */
void *setting_record(struct setting *s, enum kind kind)
{
	struct draft_list *list = &s->builder->lists[kind];
	struct setting_listing listing;
	void *found = NULL;

	setting_list_begin(&listing, s->name);
	for (uint32_t i = 0; i < list->count; i++) {
		void *record = draft_record(list, kind, i);

		if (list->meta[i].at != KIND_ALWAYS)
			continue;
		if (names_record(s, kind, record))
			found = record;
		setting_list_offer(&listing, name_text(s->builder->strings, draft_name(record)));
	}
	if (found == NULL)
		setting_not_found(s, &listing, kinds_row(kind)->name, s->name);
	return found;
}

enum err_code setting_word(struct setting *s, const struct setting_choice *words, void *out)
{
	struct setting_listing listing;
	int *value = out;

	setting_list_begin(&listing, s->value);
	for (; words->text != NULL; words++) {
		if (strcmp(words->text, s->value) == 0) {
			*value = words->value;
			return ERR_OK;
		}
		setting_list_offer(&listing, words->text);
	}
	return setting_fail(s, ERR_VALUE, "\"%.60s\" is not one of %s", s->value, listing.text);
}
