#include "sim/input/variant.h"

#include <string.h>

#include "core/mem.h"

static enum err_code too_many(struct err *err)
{
	return err_set(err, ERR_LIMIT, NULL, 0, 0,
		       "more than %d columns: compare fewer values at once", VARIANT_MAX);
}

/* Sets are never changed in place: variants may share them. */
static void add_set(struct variants *v, struct variant *variant, const char *set)
{
	const char **sets = mem_arena_alloc(v->arena, (variant->set_count + 1u) * sizeof(*sets));

	if (variant->set_count > 0)
		memcpy(sets, variant->sets, variant->set_count * sizeof(*sets));
	sets[variant->set_count++] = set;
	variant->sets = sets;
}

/* "nominalQuota=8" of "clusterqueue/a:nvidia.com/gpu.nominalQuota=8". */
static void extend_title(struct variant *variant, const char *set)
{
	size_t len = strlen(variant->title);
	size_t head = strcspn(set, "=");
	size_t from = head;

	while (from > 0 && set[from - 1] != '.' && set[from - 1] != '/')
		from--;
	snprintf(variant->title + len, VARIANT_TITLE - len, "%s%s", len == 0 ? "" : " ",
		 set + from);
}

static bool is_list(const char *set)
{
	return strchr(set + strcspn(set, "="), ',') != NULL;
}

/* The setting with one value of its list. */
static const char *one_value(struct variants *v, const char *set, const char *value, size_t len)
{
	size_t head = strcspn(set, "=") + 1;
	char *text = mem_arena_alloc(v->arena, head + len + 1);

	memcpy(text, set, head);
	memcpy(text + head, value, len);
	return text;
}

/* Every variant so far, once for each value of the list. */
static enum err_code multiply(struct variants *v, const char *set, struct err *err)
{
	struct variant before[VARIANT_MAX];
	size_t count = v->count;

	memcpy(before, v->items, sizeof(before));
	v->count = 0;
	for (size_t i = 0; i < count; i++) {
		const char *value = set + strcspn(set, "=") + 1;
		bool more = true;

		while (more) {
			size_t len = strcspn(value, ",");
			const char *text = one_value(v, set, value, len);

			if (v->count == VARIANT_MAX)
				return too_many(err);
			v->items[v->count] = before[i];
			add_set(v, &v->items[v->count], text);
			extend_title(&v->items[v->count++], text);
			more = value[len] == ',';
			value += len + 1;
		}
	}
	return ERR_OK;
}

static enum err_code apply_everywhere(struct variants *v, const char *set, bool columns,
				      struct err *err)
{
	if (!is_list(set)) {
		for (size_t i = 0; i < v->count; i++)
			add_set(v, &v->items[i], set);
		return ERR_OK;
	}
	if (columns)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--set %.200s: a list of values and --column cannot be mixed", set);
	return multiply(v, set, err);
}

static enum err_code begin_column(struct variants *v, const struct variant *common,
				  const char *title, struct err *err)
{
	if (v->count == VARIANT_MAX)
		return too_many(err);
	v->items[v->count] = *common;
	snprintf(v->items[v->count].title, VARIANT_TITLE, "%s", title);
	v->count++;
	return ERR_OK;
}

enum err_code variant_read(const struct cmd_args *args, struct variants *v, struct err *err)
{
	bool columns = cmd_given(args, "column");
	bool in_column = false;
	struct variant common;
	enum err_code code = ERR_OK;

	*v = (struct variants){.count = 1, .arena = mem_arena_new()};
	for (size_t i = 0; i < args->setting_count && code == ERR_OK; i++) {
		const struct cmd_setting *s = &args->settings[i];

		if (strcmp(s->name, "column") == 0) {
			if (!in_column) {
				common = v->items[0];
				v->count = 0;
			}
			in_column = true;
			code = begin_column(v, &common, s->value, err);
		} else if (strcmp(s->name, "set") == 0) {
			if (in_column)
				add_set(v, &v->items[v->count - 1], s->value);
			else
				code = apply_everywhere(v, s->value, columns, err);
		}
	}
	return code;
}

void variant_free(struct variants *v)
{
	mem_arena_free(v->arena);
}

/* Does a later setting of the same field take the place of this one? */
static bool is_set_again(const struct variant *variant, uint32_t set)
{
	size_t field = strcspn(variant->sets[set], "=") + 1;

	for (uint32_t i = set + 1; i < variant->set_count; i++)
		if (strncmp(variant->sets[i], variant->sets[set], field) == 0)
			return true;
	return false;
}

void variant_add_original(struct variants *v)
{
	struct variant *changed = &v->items[0];

	if (v->count != 1 || changed->set_count == 0)
		return;
	for (uint32_t i = 0; changed->title[0] == '\0' && i < changed->set_count; i++)
		if (!is_set_again(changed, i))
			extend_title(changed, changed->sets[i]);
	v->items[1] = *changed;
	v->items[0] = (struct variant){.title = "as given"};
	v->count = 2;
}
